"""How runs end: by themselves, by a signal, by a kill, inside each other; and that nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess

import pytest
from command import HOOKRUN
from firing import (
    ALLOWED_BY_SILENCE,
    BASH_GUARD,
    PASS,
    after_shell,
    before_shell,
    guard_text,
    marker_script,
    problems_of,
    ruling,
    started,
)
from runner_jobs import eventually, is_alive, pids_in

SHELL = ("--tool", "Shell")


@pytest.mark.parametrize(("depth", "runs"), [("5", True), ("6", False), ("nonsense", True)])
def test_hookruns_inside_hookruns_end_after_five(cli, project, tmp_path, depth, runs):
    project.script(BASH_GUARD, marker_script(tmp_path, "guard"))
    project.script(".claude/hooks/post/bash.sh", marker_script(tmp_path, "observer"))
    ended = before_shell(cli, env={"HOOKRUN_DEPTH": depth})
    assert ruling(ended) == (ALLOWED_BY_SILENCE if runs else (2, "deny", "limit"))
    assert after_shell(cli, env={"HOOKRUN_DEPTH": depth}).code == 0
    assert (tmp_path / "guard").exists() == (tmp_path / "observer").exists() == runs
    assert ("a hook seems to fire itself" in problems_of(ended)) != runs


def test_a_guard_that_fires_its_own_event_comes_to_an_end(cli, project, tmp_path):
    again = f"HOOKRUN_TRUST=project '{HOOKRUN}' emit pre --tool Shell >&2"
    project.script(BASH_GUARD, guard_text("# hookrun: timeout=60s", f"echo >>{tmp_path}/runs", again))
    ended = before_shell(cli)
    assert ended.code == 2
    assert "(HOOKRUN_DEPTH): a hook seems to fire itself" in ended.document["message"]
    assert (tmp_path / "runs").read_text() == "\n" * 6


# Two processes, one of them in a session of its own, beside a value that is kept in a file.
LASTING = "echo $$ >>PIDS; setsid sh -c 'echo $$ >>PIDS; exec sleep 60' & wait"


@pytest.fixture
def lasting(project, tmp_path, user_environment):
    """A guard that does not end, and the words that fire it with a value too long for a variable."""
    pids = tmp_path / "pids"
    project.script(BASH_GUARD, guard_text("# hookrun: timeout=60s", LASTING.replace("PIDS", str(pids))))
    given = tmp_path / "input.json"
    given.write_text(json.dumps({"command": "x" * 200_000}))
    return pids, ("emit", "pre", *SHELL, "--input", f"@{given}")


def runs_under_way(environment):
    """The folders of runs below the user's runtime folder."""
    folder = os.path.join(environment["XDG_RUNTIME_DIR"], "hookrun")
    return os.listdir(folder) if os.path.isdir(folder) else []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)])
def test_a_signal_ends_the_hooks_and_leaves_no_file(project, user_environment, lasting, number, code):
    pids, words = lasting
    with started(project, user_environment, *words) as process:
        hooks = pids_in(pids, 2)
        assert len(runs_under_way(user_environment)) == 1
        process.send_signal(number)
        stdout, _ = process.communicate(timeout=60)
        assert (process.returncode, stdout) == (code, "")
        assert not any(map(is_alive, hooks))
        assert runs_under_way(user_environment) == []


def test_after_a_kill_the_hooks_end_and_the_next_run_sweeps_the_files(cli, project, user_environment, lasting):
    pids, words = lasting
    with started(project, user_environment, *words) as process:
        hooks = pids_in(pids, 2)
        process.kill()
        process.wait(timeout=60)
    eventually(lambda: not any(map(is_alive, hooks)), "the end of the hooks")
    assert len(runs_under_way(user_environment)) == 1
    project.script(BASH_GUARD, PASS)
    assert before_shell(cli).code == 0
    assert runs_under_way(user_environment) == []


def test_a_run_leaves_no_file_and_another_run_that_is_alive_keeps_its_own(
    cli, project, user_environment, lasting, tmp_path
):
    pids, words = lasting
    with started(project, user_environment, *words) as process:
        hooks = pids_in(pids, 2)
        (alive,) = runs_under_way(user_environment)
        temporary = tmp_path / "temporary"
        temporary.mkdir()
        project.script(BASH_GUARD, guard_text('[ -s "$XBOT_TOOL_INPUT_FILE" ]'))
        assert cli(*words, env={"TMPDIR": str(temporary)}).code == 0
        assert (os.listdir(temporary), runs_under_way(user_environment)) == ([], [alive])
        process.terminate()
        process.wait(timeout=60)
    assert not any(map(is_alive, hooks))


def test_a_hook_gets_no_descriptor_but_its_three(project, user_environment):
    project.script(BASH_GUARD, guard_text("exec ls /proc/self/fd"))
    read, write = os.pipe()
    try:
        done = subprocess.run(
            [HOOKRUN, "emit", "pre", *SHELL, "--format", "json"],
            cwd=project.path,
            env=user_environment,
            pass_fds=(read, write),
            capture_output=True,
            timeout=60,
        )
    finally:
        os.close(read)
        os.close(write)
    (outcome,) = json.loads(done.stdout)["outcomes"]
    assert outcome["stdout"].split() == ["0", "1", "2", "3"]  # the last is the folder that ls reads
