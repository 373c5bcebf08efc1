"""Modules under the command line: whatever one does to its process is a failure of that module alone."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest
from command import HOOKRUN
from firing import started
from terminals import starting
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from command import Ended, Project
    from terminals import Screen

start = pytest.fixture(starting)
BLOCK = 'def hook(api):\n    api.on("tool_call", lambda event, ctx: {"block": True, "reason": "no"})\n'
SILENT = 'def hook(api):\n    api.on("tool_call", lambda event, ctx: None)\n'
HANDLER = """
import os, signal, sys, time
def hook(api):
    @api.on("tool_call")
    def handler(event, ctx):
        {}
"""


@pytest.fixture
def module(project: Project) -> Callable[[str, str], Path]:
    """Write a module into the project's hooks."""
    return lambda name, text: project.script(f".hookrun/hooks/{name}.py", text, mode=0o644)


def fire(cli: Callable[..., Ended], *words: str, **options: Any) -> Ended:
    return cli("emit", "tool_call", "--tool", "bash", "--format", "json", *words, **options)


def answers(ended: Ended) -> dict[str, tuple[str, str | None]]:
    """Status and decision by the file's name."""
    outcomes = ended.document["outcomes"]
    return {os.path.basename(outcome["title"]): (outcome["status"], outcome["decision"]) for outcome in outcomes}


def limits(project: Project, **values: float) -> None:
    project.script(".hookrun/config.yaml", json.dumps({"limits": values}), mode=0o644)


def test_a_block_denies(cli, module):
    module("guard", BLOCK)
    ended = fire(cli)
    assert (ended.code, ended.document["decided_by"]) == (2, "guard")
    assert ended.document["message"] == ".hookrun/hooks/guard.py: no"
    assert ended.document["result"] == {"block": True, "reason": "no"}


def test_a_module_without_an_opinion_passes(cli, module):
    module("guard", SILENT)
    ended = fire(cli)
    assert (ended.code, answers(ended)) == (0, {"guard.py": ("ran", None)})


@pytest.mark.parametrize(
    ("line", "how"),
    [
        ("os._exit(0)", "ended the process with exit code 0"),
        ("os.kill(os.getpid(), 9)", "was killed by signal 9"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "was killed by signal 11"),
    ],
)
def test_a_module_that_ends_the_process_in_its_import_has_failed_and_the_others_are_asked(cli, module, line, how):
    module("a", SILENT)
    module("b", f"import os, signal\n{line}\n")
    module("c", 'def hook(api):\n    api.on("tool_call", lambda event, ctx: {"reason": "heard"})\n')
    ended = fire(cli)
    assert (ended.code, ended.document["decided_by"]) == (2, "failure")
    assert how in ended.document["message"]
    assert answers(ended) == {"a.py": ("ran", None), "b.py": ("not_started", "deny"), "c.py": ("ran", None)}
    assert ended.document["result"] == {"reason": "heard"}


@pytest.mark.parametrize(
    ("line", "how"),
    [
        ("os._exit(0)", "a handler ended the process with exit code 0"),
        ("os.kill(os.getpid(), 9)", "a handler was killed by signal 9"),
        ("sys.exit(0)", "called exit(0)"),
        ("raise KeyboardInterrupt", "a handler ended the process with exit code 70"),
        ("loop = []; loop.append(loop); return {'reason': loop}", "a handler ended the process"),
    ],
)
def test_a_handler_that_ends_the_process_denies(cli, module, line, how):
    module("guard", HANDLER.format(line))
    ended = fire(cli)
    assert (ended.code, ended.document["decided_by"]) == (2, "failure")
    assert how in ended.document["message"]


def test_on_an_event_that_nothing_guards_such_a_handler_stops_nothing(cli, module):
    module("guard", HANDLER.format("os._exit(0)").replace("tool_call", "turn_start"))
    ended = cli("emit", "turn_start", "--format", "json")
    assert ended.code == 0
    assert answers(ended) == {"guard.py": ("failed", None)}


@pytest.mark.parametrize("text", ["while True: pass\n", "import time\ndef hook(api):\n    time.sleep(60)\n"])
def test_an_import_or_a_factory_without_end_is_cut_off(cli, project, module, text):
    limits(project, module_seconds=0.5)
    module("a", text)
    module("b", SILENT)
    ended = fire(cli)
    assert (ended.code, ended.document["decided_by"]) == (2, "failure")
    assert "its import or factory did not end in time (0.5 s)" in ended.document["message"]
    assert answers(ended) == {"a.py": ("not_started", "deny"), "b.py": ("ran", None)}


@pytest.mark.parametrize("by", ["limit", "option"])
def test_a_handler_without_end_is_cut_off(cli, project, module, by):
    words = ()
    if by == "limit":
        limits(project, event_seconds=0.5)
    else:
        words = ("--timeout", "0.5")
    module("guard", HANDLER.format("while True: time.sleep(60)"))
    ended = fire(cli, *words)
    assert (ended.code, ended.document["decided_by"]) == (2, "failure")
    assert "a handler did not end in time (0.5 s)" in ended.document["message"]


def test_what_such_a_handler_has_started_is_ended_with_it(cli, project, module):
    limits(project, event_seconds=1)
    module(
        "guard",
        HANDLER.format(
            "import subprocess; p = subprocess.Popen(['sleep', '60'], start_new_session=True);"
            " open('pid', 'w').write(str(p.pid)); time.sleep(60)"
        ),
    )
    assert fire(cli).code == 2
    pid = int((project.path / "pid").read_text())
    eventually(lambda: not is_alive(pid), lambda: f"{pid} is alive")


def test_a_child_that_a_handler_leaves_behind_does_not_delay_the_answer(cli, project, module):
    module("guard", HANDLER.format("if os.fork() == 0: open('pid', 'w').write(str(os.getpid())); time.sleep(60)"))
    try:
        ended = fire(cli)
        assert ended.code == 0
        assert ended.document["duration_ms"] < 20_000
    finally:
        os.kill(int(eventually(lambda: (project.path / "pid").read_text())), signal.SIGKILL)


@pytest.mark.parametrize("line", ["return None", "raise SystemExit", "raise KeyboardInterrupt"])
def test_a_fork_of_a_handler_does_not_answer_for_it(cli, module, line):
    module(
        "guard",
        HANDLER.format("fork = os.fork()")
        + f"        if fork == 0: {line}\n"
        + "        os.waitpid(fork, 0)\n        return {'block': True, 'reason': 'no'}\n",
    )
    ended = fire(cli)
    assert (ended.code, ended.document["decided_by"]) == (2, "guard")


def test_the_end_of_the_process_counts_not_that_of_its_pipe(cli, project, module):
    module(
        "guard",
        HANDLER.format("open('pid', 'w').write(str(os.getpid())) if os.fork() else time.sleep(60); os._exit(0)"),
    )
    ended = fire(cli)
    assert (ended.code, ended.document["decided_by"]) == (2, "failure")
    assert ended.document["duration_ms"] < 20_000


def test_what_modules_print_is_not_hookruns_answer(cli, module):
    module(
        "guard",
        "import os, sys\nprint('at import')\n"
        + HANDLER.format("print('in handler'); os.system('echo from a program'); sys.stdout.write('no newline')"),
    )
    ended = fire(cli)
    assert ended.code == 0
    assert ended.document["decision"] is None  # stdout is one JSON document
    for text in ("at import", "in handler", "from a program", "no newline"):
        assert text in ended.stderr


def test_modules_have_no_stdin(cli, module):
    module("guard", HANDLER.format("return {'reason': repr(sys.stdin.read())}"))
    payload = json.dumps({"tool_name": "bash", "tool_input": {"command": "ls"}})
    ended = cli("emit", "tool_call", "--payload", "-", "--format", "json", input=payload + "  \n\n")
    assert ended.document["result"] == {"reason": "''"}


def test_junk_in_the_pipe_to_hookrun_is_no_answer(cli, module):
    junk = """
        for descriptor in range(3, 40):
            try: os.write(descriptor, b'{"kind": "done", "value": {"token": "x"}}\\n[]\\n{\\n')
            except OSError: pass
        return {"block": True, "reason": "no"}"""
    module("guard", HANDLER.format("pass") + junk)
    ended = fire(cli)
    assert (ended.code, ended.document["decided_by"]) == (2, "guard")


def test_modules_die_with_hookrun(project, user_environment, module):
    module("guard", HANDLER.format("open('pid', 'w').write(str(os.getpid())); time.sleep(60)"))
    with started(project, user_environment, "emit", "tool_call", "--tool", "bash") as process:
        pid = int(eventually(lambda: (project.path / "pid").read_text()))
        assert is_alive(pid)
        process.kill()
        process.wait()
        eventually(lambda: not is_alive(pid), lambda: f"{pid} is alive")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_hookrun_ends_modules(project, user_environment, module, number):
    module("guard", HANDLER.format("open('pid', 'w').write(str(os.getpid())); time.sleep(60)"))
    with started(
        project,
        user_environment,
        "emit",
        "tool_call",
        "--tool",
        "bash",
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        pid = int(eventually(lambda: (project.path / "pid").read_text()))
        process.send_signal(number)
        assert process.wait(timeout=30) == 128 + number
        eventually(lambda: not is_alive(pid), lambda: f"{pid} is alive")


@pytest.mark.parametrize("count", [1, 20])
def test_signals_in_a_row_end_what_a_handler_has_started_and_say_nothing(project, user_environment, module, count):
    module(
        "guard",
        HANDLER.format(
            "import subprocess; p = subprocess.Popen(['setsid', 'sleep', '60']);"
            " open('new', 'w').write(f'{os.getpid()} {p.pid}'); os.rename('new', 'pids'); time.sleep(60)"
        ),
    )
    with started(project, user_environment, "emit", "tool_call", "--tool", "bash") as process:
        pids = [int(pid) for pid in eventually(lambda: (project.path / "pids").read_text()).split()]
        for _ in range(count):
            process.send_signal(signal.SIGTERM)
            time.sleep(0.01)
        stdout, stderr = process.communicate(timeout=30)
        assert (process.returncode, stdout, stderr) == (128 + signal.SIGTERM, "", "")
        assert not any(is_alive(pid) for pid in pids)


def test_a_module_that_fires_its_own_event_ends(cli, module, user_environment):
    module(
        "guard",
        HANDLER.format(
            "import subprocess; done = subprocess.run([os.environ['HOOKRUN'], 'emit', 'tool_call', '--tool',"
            " 'bash'], capture_output=True, text=True); return {'reason': done.stdout, 'block': True}"
        ),
    )
    cli("trust", "--yes", env={"HOOKRUN_TRUST": ""})  # what a module starts does not get the variable
    ended = fire(cli, env={"HOOKRUN": HOOKRUN})
    assert ended.code == 2
    assert "hookrun runs inside 6 others" in ended.document["message"]


def test_exec_of_a_module_counts_the_nesting(cli, module):
    module("guard", HANDLER.format("return {'reason': api.exec('sh', ['-c', 'echo $HOOKRUN_DEPTH']).stdout.strip()}"))
    assert fire(cli).document["result"] == {"reason": "1"}
    assert fire(cli, env={"HOOKRUN_DEPTH": "3"}).document["result"] == {"reason": "4"}


def test_what_json_has_no_form_for_is_handed_back_as_text(cli, module):
    module(
        "guard",
        "from pathlib import Path\nfrom hookrun import ToolResultOverride\n"
        'def hook(api):\n    api.on("tool_result", lambda event, ctx: ToolResultOverride(details='
        "{'path': Path('/a'), 'set': {1}, 'nan': float('nan'), 'bytes': b'x', (1, 2): 3}))\n",
    )
    ended = cli("emit", "post", "--tool", "bash", "--format", "json")
    assert ended.document["result"]["details"] == {"path": "/a", "set": [1], "nan": None, "bytes": "b'x'", "(1, 2)": 3}


def test_data_of_the_sdk_reaches_the_decision(cli, module):
    module(
        "guard",
        "from hookrun import HookResult\ndef hook(api):\n"
        '    @api.on_pre_tool_use("Shell*")\n    def handler(payload, ctx):\n'
        '        return HookResult(decision="ask", message="sure?", data={"k": [1]})\n',
    )
    ended = fire(cli)
    assert (ended.code, ended.document["data"]) == (3, {"k": [1]})


EMIT = """
import subprocess
done = subprocess.run(WORDS, cwd=CWD, env=ENV, stdin=subprocess.DEVNULL, capture_output=True, text=True)
answer = [done.returncode, done.stdout]
"""


@pytest.fixture
def emit_at_a_terminal(start, project, user_environment) -> Callable[[], Screen]:
    """Start `hookrun emit` where a person sits at the terminal."""
    words = [HOOKRUN, "emit", "tool_call", "--tool", "bash", "-q"]
    program = f"WORDS = {words!r}\nCWD = {str(project.path)!r}\nENV = {user_environment!r}\n{EMIT}"
    return lambda: start(program)


@pytest.mark.parametrize(("keys", "code"), [("y\n", 0), ("n\n", 2), ("\x03", 2)])
def test_a_module_asks_the_person_at_the_terminal_whose_time_is_not_its_own(
    emit_at_a_terminal, project, module, keys, code
):
    limits(project, event_seconds=0.5)
    module("guard", HANDLER.format("return {'block': not ctx.ui.confirm('Run it?'), 'reason': 'not wanted'}"))
    screen = emit_at_a_terminal()
    screen.wait_for("[y/N] ")
    time.sleep(0.8)  # a person thinks
    screen.type(keys)
    assert screen.result()[0] == code


def test_processes_have_their_time_after_a_person_has_thought(emit_at_a_terminal, project, module):
    limits(project, event_seconds=2)
    module("guard", HANDLER.format("return {'block': not ctx.ui.confirm('Run it?')}"))
    project.script(".claude/hooks/pre/bash.sh", "#!/bin/sh\nsleep 0.5\necho checked >checked\n")
    screen = emit_at_a_terminal()
    screen.wait_for("[y/N] ")
    time.sleep(2.2)  # a person thinks
    screen.type("y\n")
    assert screen.result()[0] == 0
    assert (project.path / "checked").exists()


def test_a_terminal_is_mended_when_a_module_dies_with_a_question_open(emit_at_a_terminal, project, module):
    module("guard", HANDLER.format("open('pid', 'w').write(str(os.getpid())); ctx.ui.confirm('Run it?')"))
    screen = emit_at_a_terminal()
    before = screen.modes()
    screen.wait_for("[y/N] ")
    assert screen.modes() != before
    os.kill(int((project.path / "pid").read_text()), signal.SIGKILL)
    code, stdout = screen.result()
    assert (code, "a handler was killed by signal 9" in stdout) == (2, True)
    assert screen.modes() == before


def test_modules_and_scripts_meet_in_one_decision(cli, project, module):
    module("guard", HANDLER.format("return None").replace("return None", "return {'decision': 'ask'}"))
    project.script(".hookrun/hooks/pre/bash.sh", "#!/bin/sh\necho script says no >&2\nexit 2\n")
    ended = fire(cli)
    assert ended.code == 2
    assert answers(ended) == {"guard.py": ("ran", "ask"), "bash.sh": ("ran", "deny")}


def is_alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False
