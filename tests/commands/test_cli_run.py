"""`hookrun run`: a contributed command's name, arguments, output and exit code."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from waiting import eventually

ECHO = 'echo "$XBOT_COMMAND_NAME:$XBOT_COMMAND_ARGS"\n'


@pytest.mark.parametrize("typed", ["review", "/review"])
@pytest.mark.parametrize("contributed", ["review", "/review"])
def test_the_slash_can_be_left_out(cli, project, typed: str, contributed: str):
    project.manifest("demo", script=ECHO, commands=[{"name": contributed}])
    ran = cli("run", typed, "now")
    assert (ran.code, ran.stdout) == (0, f"{contributed}:now\n")


def test_options_after_the_name_belong_to_the_command(cli, project):
    project.manifest("demo", script=ECHO, commands=[{"name": "review"}])
    ran = cli("run", "review", "--format", "json", "-q", "--", "x")
    assert ran.stdout == "review:--format json -q -- x\n"


def test_arguments_are_quoted_so_that_a_shell_would_split_them_again(cli, project):
    project.manifest(
        "demo", script='eval "set -- $XBOT_COMMAND_ARGS"; printf "[%s]" "$@"\n', commands=[{"name": "show"}]
    )
    assert cli("run", "show", "two words", "it's", "", "*").stdout == "[two words][it's][][*]\n"


def test_output_is_whole_and_trimmed_and_stderr_passed_on(cli, project):
    project.manifest("demo", script="printf '\\n  one\\ntwo  \\n\\n'; echo trouble >&2\n", commands=[{"name": "c"}])
    ran = cli("run", "c")
    assert ran.stdout == "one\ntwo\n"
    assert ran.stderr == "trouble\n"


@pytest.mark.parametrize(("script", "code"), [("exit 7", 7), ("exit 2", 2), ("kill -9 $$", 137)])
def test_the_exit_code_is_the_commands_own(cli, project, script: str, code: int):
    project.manifest("demo", script=script, commands=[{"name": "c"}])
    assert cli("run", "c").code == code


def test_a_command_that_cannot_start_exits_1_and_says_why(cli, project):
    project.manifest("demo", commands=[{"name": "c"}])
    (project.path / ".hookrun/plugins/demo/hook.sh").write_bytes(b"#!/bin/sh\r\necho\r\n")
    ran = cli("run", "c")
    assert ran.code == 1
    assert "CRLF" in ran.stderr
    assert "hint: " in ran.stderr


def test_a_command_out_of_time_exits_124(cli, project):
    project.manifest("demo", script="exec sleep 60\n", commands=[{"name": "c"}])
    (project.path / ".hookrun/config.yaml").write_text("limits: {command_seconds: 0.2}\n")
    ran = cli("run", "c")
    assert ran.code == 124
    assert "error: demo/c: " in ran.stderr


def test_of_a_name_contributed_twice_the_first_wins_and_list_shows_both(cli, project):
    project.manifest("alpha", script="echo alpha\n", commands=[{"name": "c"}])
    project.manifest("beta", script="echo beta\n", commands=[{"name": "/c"}])
    assert cli("run", "c").stdout == "alpha\n"
    assert len(cli("run", "--format", "json").document) == 1
    assert [hook["command"] for hook in cli("list", "--format", "json").document["hooks"]] == ["c", "/c"]


def test_without_a_name_the_commands_are_listed(cli, project):
    assert cli("run").stdout == "no plugin or module here has commands\n"
    project.manifest("demo", commands=[{"name": "/review", "description": "Reviews"}])
    listed = cli("run")
    assert (listed.code, listed.stdout) == (0, "/review  Reviews  demo\n")
    (document,) = cli("run", "--format", "json").document
    assert (document["name"], document["description"], document["plugin"]) == ("/review", "Reviews", "demo")


def test_json_holds_what_the_command_did(cli, project):
    project.manifest("demo", script="echo out; echo err >&2; exit 3\n", commands=[{"name": "c"}])
    ran = cli("run", "--format", "json", "c")
    assert ran.code == 3
    assert (ran.document["stdout"], ran.document["stderr"], ran.document["exit_code"]) == ("out", "err\n", 3)
    assert ran.document["status"] == "ran"


def test_an_unknown_name_is_a_usage_error_with_the_nearest(cli, project):
    project.manifest("demo", commands=[{"name": "/review"}])
    ran = cli("run", "reveiw")
    assert ran.code == 64
    assert "hint: did you mean review?" in ran.stderr


def test_a_disabled_command_says_that_it_is(cli, project):
    project.manifest("demo", script="echo ran\n", commands=[{"name": "c"}])
    assert cli("run", "c").stdout == "ran\n"
    (project.path / ".hookrun/config.yaml").write_text("disable: [demo]\n")
    ran = cli("run", "c")
    assert ran.code == 64
    assert "'c' is disabled: the configuration disables it" in ran.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["INT", "TERM"])
def test_a_signal_ends_the_command_and_hookrun(project, user_environment, number: int, code: int):
    project.manifest("demo", script="echo $$ > pid; exec sleep 60\n", commands=[{"name": "c"}])
    process = subprocess.Popen(
        [sys.executable, "-m", "hookrun", "run", "c"],
        cwd=project.path,
        env=user_environment,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        pid = int(eventually(lambda: (project.path / "pid").read_text().strip()))
        process.send_signal(number)
        assert process.wait(timeout=30) == code
        eventually(lambda: not is_alive(pid))
    finally:
        process.kill()
        process.wait()


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
