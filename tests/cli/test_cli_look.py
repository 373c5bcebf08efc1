"""How commands look at a terminal: colours there alone, help in groups, an example for every command."""

from __future__ import annotations

import os
import pty
import shlex
import subprocess

import pytest
from command import HOOKRUN

from hookrun.cli.application import EXAMPLES, GROUPS
from hookrun.cli.options import COMMANDS, command_named, read_arguments
from hookrun.model.width import display_width

RED, GREEN, YELLOW, DIM, END = "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[2m", "\x1b[0m"


def at_a_terminal(project, environ, *words: str, columns: int = 80, **more: str) -> str:
    """Run hookrun with stdout and stderr on one terminal of *columns* and return what it shows."""
    ours, its = pty.openpty()
    with subprocess.Popen(
        ["sh", "-c", 'stty cols "$0" <&1 && exec "$@"', str(columns), HOOKRUN, *words],
        cwd=project.path,
        env=environ | {"TERM": "xterm-256color"} | more,
        stdin=subprocess.DEVNULL,
        stdout=its,
        stderr=its,
    ) as process:
        os.close(its)
        shown = b""
        while part := _read(ours):
            shown += part
        process.wait(timeout=60)
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other side is closed
        return b""


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("echo no >&2; exit 2", f"{RED}deny{END}: .claude/hooks/pre/bash.sh: no\n"),
        ("""echo '{"decision": "ask", "reason": "sure?"}'""", f"{YELLOW}ask{END}: .claude/hooks/pre/bash.sh: sure?\n"),
        ("""echo '{"decision": "allow"}'""", f"{GREEN}allow{END}"),
        ("exit 0", f"{DIM}no decision{END}: 1 of 1 hook matched"),
    ],
)
def test_a_decision_has_its_colour(project, user_environment, answer, shown):
    project.script(".claude/hooks/pre/bash.sh", f"#!/bin/sh\n{answer}\n")
    words = ("emit", "pre", "--tool", "Bash", "--input", "{}")
    assert at_a_terminal(project, user_environment, *words).startswith(shown)


def test_a_diff_hint_is_coloured_by_its_lines(project, user_environment):
    project.script(".claude/hooks/post/edit.sh", "#!/bin/sh\nprintf 'diff|--- a\\n+new\\n-old\\n same'\n")
    shown = at_a_terminal(project, user_environment, "emit", "post", "--tool", "Edit", "--hints")
    assert f"{GREEN}+new{END}\n{RED}-old{END}\n same\n" in shown


def test_trouble_is_labelled_in_colour(project, user_environment):
    shown = at_a_terminal(project, user_environment, "emit", "PreToolUs")
    assert f"{RED}error:{END} " in shown
    assert f"{DIM}hint:{END} did you mean" in shown


@pytest.mark.parametrize(
    ("words", "variables"), [(("--no-color",), {}), ((), {"NO_COLOR": "1"}), ((), {"TERM": "dumb"})]
)
def test_colours_can_be_switched_off(project, user_environment, words, variables):
    project.script(".claude/hooks/pre/bash.sh", "#!/bin/sh\nexit 2\n")
    for command in (("emit", "pre", "--tool", "Bash"), ("list",), ("validate",), ("doctor",)):
        shown = at_a_terminal(project, user_environment, *command, *words, **variables)
        assert shown
        assert "\x1b[" not in shown


def test_there_are_no_colours_in_a_pipe(cli, project):
    project.script(".claude/hooks/pre/bash.sh", "#!/bin/sh\nexit 2\n")
    done = cli("emit", "pre", "--tool", "Bash", env={"TERM": "xterm-256color"})
    assert done.stdout.startswith("deny")


def test_help_has_every_command_in_one_group_with_its_whole_sentence(cli):
    assert sorted(name for group in GROUPS.values() for name in group) == sorted(command.name for command in COMMANDS)
    shown = " ".join(cli("--help").stdout.split())
    for command in COMMANDS:
        assert f"{command.name} {command.help}" in shown
    assert [shown.index(f"{title}:") for title in GROUPS] == sorted(shown.index(f"{title}:") for title in GROUPS)


def test_every_command_has_examples_that_can_be_typed(cli):
    for command in COMMANDS:
        helped = cli(command.name, "--help").stdout
        for example in EXAMPLES[command.name]:
            assert f"  {example}\n" in helped
            words = shlex.split(example)[2:]
            words = words[: words.index("<")] if "<" in words else words
            assert read_arguments(words, command_named(command.name)) is not None, example


def test_help_shows_how_to_give_each_argument(cli):
    usage = {command.name: cli(command.name, "--help").stdout.splitlines()[0] for command in COMMANDS}
    assert usage["emit"] == "Usage: hookrun emit [OPTIONS] EVENT"
    assert usage["trust"] == "Usage: hookrun trust [OPTIONS] [PATH]..."
    assert usage["run"] == "Usage: hookrun run [OPTIONS] [NAME] [ARGUMENT]..."
    assert not any("<" in line for line in usage.values())


@pytest.mark.parametrize("columns", [80, 120, 400])
def test_tables_fit_the_terminal(project, user_environment, columns):
    name = "a-guard-with-a-long-name"
    project.manifest(name, script="exit 0\n", hooks=[{"event": "PreToolUse", "matcher": "Shell|FileCreate*|FileEdit"}])
    project.script(".claude/hooks/pre/bash.sh", "#!/bin/sh\n# hookrun: needs=no-such-program\n")
    more = {"columns": columns, "NO_COLOR": "1"}
    listed = at_a_terminal(project, user_environment, "list", "-q", **more)
    explained = at_a_terminal(project, user_environment, "explain", "pre", "--tool", "Bash", "-q", **more)
    checked = at_a_terminal(project, user_environment, "doctor", **more).partition("result")[0]
    for shown in (listed, explained, checked):
        assert max(map(display_width, shown.splitlines())) <= columns
    assert listed.splitlines()[0].split() == ["ID", "ROLE", "HOOK", "MATCHER", "FROM", "STATE"]
    words = "".join(listed.split())
    for told in (name if columns > 80 else "a-guard", "FileCreate*", "no-such-program"):
        assert told in words
    has_file = f"{name}/plugin.json" in listed
    assert has_file is (columns == 400)


def test_a_pipe_has_no_width(cli, project):
    project.manifest("demo", hooks=[{"event": "PreToolUse", "matcher": "|".join(["FileReplace"] * 20)}])
    listed = cli("list", env={"COLUMNS": "40"}).stdout
    assert "|".join(["FileReplace"] * 20) in listed
