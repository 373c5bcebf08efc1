"""What hooks do with their streams, their children and their environment, and that none of it can hang
an event, lose an answer or leak what the caller had."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from firing import (
    ALLOWED_BY_SILENCE,
    BASH_GUARD,
    DENIED_BY_FAILURE,
    DENIED_BY_GUARD,
    DENY,
    NO,
    after_shell,
    before_shell,
    guard_text,
    problems_of,
    ruling,
    started,
    the_outcome,
)
from runner_jobs import end, eventually, is_alive, pids_in

MIB = 1024 * 1024
LENGTH_OF_COMMAND = 'import json, sys; print(len(json.load(sys.stdin)["tool_input"]["command"]))'
POST_HOOK = ".claude/hooks/post/bash.sh"


def input_file(folder, size):
    """A tool input with a command of *size* bytes, as an argument of --input."""
    path = folder / "input.json"
    path.write_text(json.dumps({"command": "x" * size}))
    return f"@{path}"


@pytest.mark.parametrize(("code", "expected"), [(0, ALLOWED_BY_SILENCE), (2, DENIED_BY_GUARD)])
def test_the_exit_code_of_a_hook_that_never_reads_its_stdin_counts(cli, project, tmp_path, code, expected):
    project.script(BASH_GUARD, guard_text(f"exit {code}"))
    assert ruling(before_shell(cli, "--input", input_file(tmp_path, 2 * MIB))) == expected


def test_a_hook_that_writes_much_before_it_reads_much_does_not_deadlock(cli, project, tmp_path):
    project.script(BASH_GUARD, guard_text("head -c 20000000 /dev/zero | tr '\\0' x", "wc -c >&2", "exit 2"))
    ended = before_shell(cli, "--input", input_file(tmp_path, 5 * MIB))
    assert ruling(ended) == DENIED_BY_GUARD
    outcome = the_outcome(ended)
    assert int(outcome["stderr"]) > 5 * MIB
    assert outcome["stdout"] == "x" * MIB
    assert "stdout was cut at 1 MiB" in problems_of(ended)


DENIES = f"""echo '{{"decision": "deny", "reason": "{NO}"}}'"""
LOGS = "yes 'log line, all is well' | head -c 2000000; echo"
BLANKS = "head -c 1100000 /dev/zero | tr '\\0' ' '"


@pytest.mark.parametrize(
    "lines",
    [
        (LOGS, DENIES),
        (BLANKS, DENIES),
        (DENIES, LOGS),
        (LOGS, DENIES, "head -c 1000 /dev/zero | tr '\\0' x"),
        ('yes \'{"level": "info"}\' | head -n 100000', DENIES),
        (f"( {LOGS}; {DENIES} ) >&2",),
    ],
)
def test_a_guard_that_prints_much_and_refuses_denies_with_its_reason(cli, project, lines):
    project.script(BASH_GUARD, guard_text(*lines))
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_GUARD
    assert NO in ended.document["message"]
    assert "was cut at 1 MiB" in problems_of(ended)


@pytest.mark.parametrize(
    "lines", [(LOGS,), (LOGS, 'echo \'{"decision": "allow"}\''), (LOGS, DENIES, LOGS), (BLANKS, BLANKS)]
)
def test_a_guard_whose_answer_may_have_been_cut_off_denies(cli, project, lines):
    project.script(BASH_GUARD, guard_text(*lines))
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_FAILURE
    assert "stdout was cut" in ended.document["message"]


def test_an_observer_that_prints_much_is_shown_with_the_beginning(cli, project):
    project.script(POST_HOOK, guard_text("printf 'start '", LOGS))
    ended = after_shell(cli)
    assert ruling(ended) == ALLOWED_BY_SILENCE
    assert ended.document["context"][0].startswith("start log line")
    assert len(ended.document["context"][0]) <= MIB
    assert "was cut at 1 MiB" in problems_of(ended)


@pytest.mark.parametrize("looks_first", ["", "read -t 0 || exit 0"])
def test_a_guard_that_waits_a_moment_for_its_stdin_sees_the_whole_line_at_once(cli, project, tmp_path, looks_first):
    lines = (looks_first, "read -r -t 1 LINE || exit 0", 'echo "${#LINE}" >&2', "exit 2")
    project.script(BASH_GUARD, guard_text(*lines, shell="/bin/bash"))
    ended = before_shell(cli, "--input", input_file(tmp_path, 300_000))
    assert ruling(ended) == DENIED_BY_GUARD
    assert int(the_outcome(ended)["stderr"]) > 300_000


@pytest.fixture
def left(tmp_path):
    """A file for the numbers of processes that hooks leave behind on purpose; they are ended afterwards."""
    file = tmp_path / "left"
    yield file
    end(*(pids_in(file) if file.exists() else ()))


@pytest.mark.parametrize(
    "background",
    [
        "sleep 60 & echo $! >>LEFT",
        "setsid sh -c 'echo $$ >>LEFT; exec sleep 60' &",
        "exec 3>&1; sleep 60 >/dev/null 2>&1 </dev/null & echo $! >>LEFT",
    ],
    ids=["in the group", "in a session of its own", "with a copy of stdout"],
)
def test_a_child_in_the_background_delays_nothing_and_lives_on(cli, project, left, background):
    lines = (background.replace("LEFT", str(left)), f"until [ -s {left} ]; do sleep 0.01; done", "exit 0")
    project.script(BASH_GUARD, guard_text(*lines))
    ended = before_shell(cli)
    (pid,) = pids_in(left)
    assert is_alive(pid)  # so nobody has waited for it
    assert ruling(ended) == ALLOWED_BY_SILENCE
    assert the_outcome(ended)["status"] == "ran"
    assert "still running after its end" in problems_of(ended)


def test_a_hook_that_is_deaf_to_term_is_over_three_seconds_after_its_timeout(cli, project, left):
    header = "# hookrun: timeout=1s"
    deaf = f"trap '' TERM; echo $$ >>{left}; while :; do sleep 1; done"
    project.script(BASH_GUARD, guard_text(header, deaf))
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_FAILURE
    assert the_outcome(ended)["status"] == "timed_out"
    assert 1000 <= ended.document["duration_ms"] <= 4000
    assert "timed out after 1 s" in ended.document["message"]
    assert not any(map(is_alive, pids_in(left)))


def test_nothing_of_a_hook_that_timed_out_lives_on_wherever_it_went(cli, project, left):
    children = (
        f"sh -c 'echo $$ >>{left}; exec sleep 60' &",
        f"setsid sh -c 'echo $$ >>{left}; exec sleep 60' &",
        f"env -i setsid sh -c 'echo $$ >>{left}; exec sleep 60' &",
        f"until [ $(wc -l <{left}) = 3 ]; do sleep 0.01; done",
    )
    project.script(BASH_GUARD, guard_text(*children, "exit 0"))
    ended = before_shell(cli)
    assert ruling(ended) == ALLOWED_BY_SILENCE
    pids = pids_in(left, 3)
    assert all(map(is_alive, pids))
    end(*pids)
    left.unlink()
    project.script(BASH_GUARD, guard_text("# hookrun: timeout=1s", *children, "sleep 60"))
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_FAILURE
    pids = pids_in(left, 3)
    eventually(lambda: not any(map(is_alive, pids)), "the end of all processes")


def test_a_long_reason_in_another_alphabet_arrives_whole(cli, project, tmp_path):
    reason = "é" * 50_000
    answer = tmp_path / "answer.json"
    answer.write_text(json.dumps({"decision": "deny", "reason": reason}, ensure_ascii=False))
    project.script(BASH_GUARD, guard_text(f"cat {answer}"))
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_GUARD
    assert ended.document["message"] == f"{BASH_GUARD}: {reason}"


def test_bytes_that_are_no_text_are_shown_with_replacement(cli, project):
    project.script(BASH_GUARD, guard_text(r"printf 'o\377o'; printf 'n\303' >&2", "exit 2"))
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_GUARD
    assert (the_outcome(ended)["stdout"], the_outcome(ended)["stderr"]) == ("o\ufffdo", "n\ufffd")
    assert cli("emit", "pre", "--tool", "Shell").stdout == f"deny: {BASH_GUARD}: n\ufffd\n"


def test_a_hook_that_reads_its_stdin_to_the_end_ends(cli, project):
    project.manifest("reader", script="cat", hooks=[{"event": "SessionStart"}])
    ended = cli("emit", "SessionStart", "--format", "json")
    assert ruling(ended) == ALLOWED_BY_SILENCE
    said = json.loads(the_outcome(ended)["stdout"])
    assert (said["event"], said["cwd"]) == ("SessionStart", str(project.path))


def test_the_terminal_of_the_caller_is_never_a_hooks_stdin(cli, project):
    project.script(BASH_GUARD, guard_text("cat"))
    said = the_outcome(before_shell(cli, input="typed by a person"))["stdout"]
    assert json.loads(said)["command"] == "x"
    assert "typed" not in said


def test_input_too_long_for_a_variable_is_in_a_file_and_on_stdin(cli, project, tmp_path, user_environment):
    size = 200 * 1024
    lines = (
        '[ -z "${XBOT_TOOL_INPUT+set}${HOOKRUN_COMMAND+set}" ] || exit 1',
        'stat -c %a "$XBOT_TOOL_INPUT_FILE" >&2',
        'wc -c <"$XBOT_TOOL_INPUT_FILE" >&2',
        'wc -c <"$HOOKRUN_COMMAND_FILE" >&2',
        f"{sys.executable} -c '{LENGTH_OF_COMMAND}' >&2",
        f'echo "$XBOT_TOOL_INPUT_FILE" >{tmp_path}/where',
        "exit 2",
    )
    project.script(BASH_GUARD, guard_text(*lines))
    given = input_file(tmp_path, size)
    ended = before_shell(cli, "--input", given)
    assert ruling(ended) == DENIED_BY_GUARD
    written = os.path.getsize(given[1:])
    assert the_outcome(ended)["stderr"].split() == ["600", str(written), str(size), str(size)]
    assert "XBOT_TOOL_INPUT" in problems_of(ended)
    kept = Path((tmp_path / "where").read_text().strip())
    assert kept.is_relative_to(user_environment["XDG_RUNTIME_DIR"])
    assert not kept.parent.exists()


def test_input_that_fits_is_in_the_variable_as_it_was_written(cli, project):
    project.script(
        BASH_GUARD, guard_text('[ -z "$XBOT_TOOL_INPUT_FILE" ] && printf %s "$XBOT_TOOL_INPUT" >&2', "exit 2")
    )
    text = '{ "command":"caf\\u00e9",  "n": 1.50 }'
    ended = cli("emit", "pre", "--tool", "Bash", "--input", text, "--format", "json")
    assert the_outcome(ended)["stderr"] == text


def test_nul_in_a_tools_output_is_replaced_and_said(cli, project, tmp_path):
    output = tmp_path / "output"
    output.write_bytes(b"a\0b")
    project.script(POST_HOOK, guard_text('printf %s "$XBOT_TOOL_OUTPUT"'))
    ended = after_shell(cli, "--output", f"@{output}")
    assert ended.code == 0
    assert the_outcome(ended)["stdout"] == "a\ufffdb"
    assert "held what an environment cannot carry" in problems_of(ended)
    output.write_bytes(b"a b")
    ended = after_shell(cli, "--output", f"@{output}")
    assert (the_outcome(ended)["stdout"], problems_of(ended)) == ("a b", "")


def test_half_a_character_in_a_tools_input_is_replaced_in_variables_alone(cli, project):
    project.script(BASH_GUARD, guard_text('printf %s "$HOOKRUN_COMMAND"', "cat >&2"))
    ended = cli("emit", "pre", "--tool", "Bash", "--input", r'{"command": "a\ud800b"}', "--format", "json")
    assert the_outcome(ended)["stdout"] == "a\ufffdb"
    assert r'"command": "a\ud800b"' in the_outcome(ended)["stderr"]
    assert "HOOKRUN_COMMAND | held what an environment cannot carry" in problems_of(ended)


@pytest.mark.parametrize(
    ("before", "last", "kept"),
    [(8191, "é", 8191), (8190, "한", 8190), (8189, "😀", 8189), (8192, "", 8192), (8190, "é", 8192)],
)
def test_the_output_that_hooks_see_is_cut_between_characters(cli, project, tmp_path, before, last, kept):
    output = tmp_path / "output"
    output.write_text("a" * before + last, encoding="utf-8")
    project.script(POST_HOOK, guard_text('printf %s "$XBOT_TOOL_OUTPUT" | wc -c', "cat >&2"))
    outcome = the_outcome(after_shell(cli, "--output", f"@{output}"))
    assert int(outcome["stdout"]) == kept
    payload = json.loads(outcome["stderr"])
    assert len(payload["tool_output"].encode()) == kept
    assert payload.get("tool_output_truncated", False) == (kept < len(output.read_bytes()))


CALLERS = {
    "XBOT_TOOL_NAME": "theirs",
    "XBOT_TOOL_INPUT": "theirs",
    "XBOT_TOKEN_USAGE": "theirs",
    "XBOT_ANYTHING": "theirs",
    "HOOKRUN_COMMAND": "theirs",
    "HOOKRUN_ANYTHING": "theirs",
}


def test_variables_of_ours_that_the_caller_had_are_not_seen_by_a_hook(cli, project):
    shows = "env | grep -E '^(XBOT_|HOOKRUN_|OTHER)' | sort"
    project.manifest("shower", script=shows, hooks=[{"event": "SessionStart"}, {"event": "PreToolUse"}])
    ended = cli("emit", "SessionStart", "--format", "json", env=CALLERS | {"OTHER": "stays"})
    lines = the_outcome(ended)["stdout"].splitlines()
    seen = {line.partition("=")[0]: line.partition("=")[2] for line in lines}
    assert "theirs" not in seen.values()
    assert "XBOT_TOOL_NAME" not in seen
    assert (seen["OTHER"], seen["XBOT_HOOK_EVENT"], seen["HOOKRUN_DEPTH"]) == ("stays", "SessionStart", "1")
    shown = the_outcome(before_shell(cli, command="ours", env=CALLERS))["stdout"]
    assert "XBOT_TOOL_NAME=Shell\n" in shown
    assert "HOOKRUN_COMMAND=ours\n" in shown
    assert "theirs" not in shown


def test_the_variables_say_what_the_event_says(cli, project):
    shown = "$XBOT_MODEL $XBOT_MAX_CONTEXT $XBOT_TOKEN_USAGE $XBOT_SESSION_ID $XBOT_WORK_DIR"
    shows = f'echo "{shown}"'
    project.manifest("shower", script=shows, hooks=[{"event": "PreToolUse"}])
    extra = [f"--extra={pair}" for pair in ("model=m", "max_context=9000", "prompt_tokens=12", "comp_tokens=3")]
    ended = before_shell(cli, "--session", "s", *extra)
    assert the_outcome(ended)["stdout"] == f"m 9000 12/3 s {project.path}\n"
    ended = before_shell(cli, "--extra", "prompt_tokens=-1", "--extra", "max_context=0")
    assert the_outcome(ended)["stdout"] == f"    {project.path}\n"


def test_the_payload_is_one_line_with_both_spellings_complete_at_once(cli, project):
    project.script(POST_HOOK, guard_text("cat"))
    ended = after_shell(cli, "--output", "two\nlines", "--call-id", "c", "--session", "s")
    line = the_outcome(ended)["stdout"]
    assert line.endswith("\n")
    assert line.count("\n") == 1
    payload = json.loads(line)
    for one, other in (("event", "hook_event_name"), ("tool_output", "tool_response"), ("tool_call_id", "tool_use_id")):
        assert payload[one] == payload[other]
    assert payload["tool_input"] == {"command": "x"}
    assert (payload["session_id"], payload["cwd"], payload["project_dir"]) == ("s", *[str(project.path)] * 2)


def test_a_hook_of_another_dialect_gets_its_own_names_and_the_raw_ones_beside_them(cli, project):
    shows = ('printf "%s|" "$XBOT_TOOL_NAME" "$XBOT_RAW_TOOL_NAME" "$HOOKRUN_TOOL"', 'printf %s "$XBOT_TOOL_INPUT"')
    project.script(".claude/hooks/pre/edit.sh", guard_text(*shows))
    given = '{"path": "a.py", "old_string": "b", "new_string": "c"}'
    ended = cli("emit", "pre", "--tool", "FileReplace", "--input", given, "--format", "json")
    names, _, text = the_outcome(ended)["stdout"].rpartition("|")
    assert names == "Edit|FileReplace|edit"
    assert json.loads(text) == {"file_path": "a.py", "old_string": "b", "new_string": "c"}
    same = cli("emit", "pre", "--tool", "Edit", "--input", '{"file_path": "a.py"}', "--format", "json")
    assert the_outcome(same)["stdout"] == 'Edit||edit|{"file_path": "a.py"}'


def test_a_payload_on_our_own_stdin_is_read_until_it_is_whole_and_no_longer(project, user_environment):
    project.script(BASH_GUARD, DENY)
    read, write = os.pipe()
    try:
        os.write(write, b'{"event": "PreToolUse", "tool_name": "Bash"}\n')  # and nobody closes the pipe
        words = ("emit", "pre", "--payload", "-")
        with started(project, user_environment, *words, stdin=read) as process:
            stdout, _ = process.communicate(timeout=60)
            assert (process.returncode, stdout) == (2, f"deny: {BASH_GUARD}: {NO}\n")
    finally:
        os.close(read)
        os.close(write)
