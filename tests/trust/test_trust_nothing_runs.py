"""A repository that was just cloned: nothing of it runs before `hookrun trust`, whatever is asked."""

from __future__ import annotations

import json
import signal
import subprocess

import pytest
from command import HOOKRUN
from firing import started
from trust_everything import EVENTS, TOOL_EVENTS, clone_with_everything
from trusted import TRUST_ALL, git, repository
from waiting import eventually

pytestmark = pytest.mark.usefixtures("untrusting")

COMMANDS = ("command-plugin", "command-manifest", "command-xbot", "command-configured", "of-module")
LOOKING = {
    "hints": ("hints", "--all"),
    "widgets": ("widgets",),
    "run": ("run",),
    "validate": ("validate", "--strict"),
    "doctor": ("doctor",),
    "list": ("list",),
    "new": ("new",),
    "trust": ("trust", "--show"),
    "trust --list": ("trust", "--list"),
    "untrust": ("untrust", "--yes"),
    "explain": ("explain", "pre", "--tool", "Shell", "--input", '{"command": "ls"}'),
    "dry run": ("emit", "pre", "--tool", "Shell", "--input", '{"command": "ls"}', "--dry-run"),
}


@pytest.fixture
def marks(project, tmp_path):
    """Where the hooks of every kind leave their marks; ``marks.expected`` is what they could leave."""
    folder = tmp_path / "marks"
    return folder, clone_with_everything(project, folder)


def left_in(folder) -> set[str]:
    return {path.name for path in folder.iterdir()}


def firing(event: str) -> tuple[str, ...]:
    about = ("--tool", "Shell", "--input", '{"command": "ls"}') if event in TOOL_EVENTS else ()
    return ("emit", event, *about)


@pytest.mark.parametrize("event", EVENTS)
def test_no_event_runs_anything(event, cli, marks):
    done = cli(*firing(event))
    assert done.code == 0, done.stderr
    assert "untrusted)" in done.stdout.splitlines()[0]
    assert left_in(marks[0]) == set()


@pytest.mark.parametrize("words", LOOKING.values(), ids=LOOKING)
def test_looking_at_it_runs_nothing(words, cli, marks):
    done = cli(*words)
    assert done.code in (0, 1, 64), done.stderr
    assert "Traceback" not in done.stderr
    assert left_in(marks[0]) == set()


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_runs(command, cli, marks):
    assert cli("run", command).code in (1, 64)
    assert left_in(marks[0]) == set()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_runs_nothing(shell, cli, marks):
    asked = {
        "_HOOKRUN_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": "hookrun run ",
        "COMP_CWORD": "2",
        "_TYPER_COMPLETE_ARGS": "hookrun run ",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    assert "command-plugin" not in cli(env=asked).stdout
    assert left_in(marks[0]) == set()
    assert "command-plugin" in cli(env=asked | TRUST_ALL).stdout


def test_watch_runs_nothing(project, untrusting, marks):
    words = ("watch", "--", *firing("PreToolUse"))
    with started(project, untrusting, *words, stderr=subprocess.STDOUT, start_new_session=True) as process:
        assert process.stdout is not None
        while "untrusted)" not in (line := process.stdout.readline()):
            assert line, "it ended before it had fired"
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert left_in(marks[0]) == set()


def test_all_of_it_runs_where_everything_is_trusted(cli, marks):
    folder, expected = marks
    for event in EVENTS:
        cli(*firing(event), env=TRUST_ALL)
    cli("widgets", env=TRUST_ALL)
    assert left_in(folder) == expected


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run_where_everything_is_trusted(command, cli, marks):
    done = cli("run", command, env=TRUST_ALL)
    assert done.code == 0, done.stderr
    assert left_in(marks[0])


@pytest.fixture
def monitored(project, tmp_path):
    """A repository whose own configuration names programs for git to run, and the mark that they leave."""
    project.script(".claude/hooks/pre/bash.sh", "#!/bin/sh\nexit 0\n")
    folder = repository(project)
    mark = tmp_path / "mark"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{mark}'\nexit 1\n")
    program.chmod(0o755)
    git(folder, "config", "core.fsmonitor", str(program))
    git(folder, "config", "core.sshCommand", str(program))
    git(folder, "config", "remote.origin.url", str(tmp_path))
    git(folder, "config", "remote.origin.uploadpack", str(program))
    git(folder, "config", "remote.origin.promisor", "true")
    git(folder, "config", "extensions.partialClone", "origin")
    git(folder, "config", "core.repositoryFormatVersion", "1")
    return folder, mark


@pytest.mark.parametrize(
    "words", [*LOOKING.values(), ("trust", "--yes"), firing("PreToolUse")], ids=lambda words: words[0]
)
def test_no_program_of_the_repositorys_git_runs(words, cli, monitored):
    cli(*words)
    assert not monitored[1].exists()


def test_git_itself_would_run_them(monitored):
    folder, mark = monitored
    subprocess.run(["git", "status"], cwd=folder, capture_output=True, check=False)
    assert mark.exists()


def missing_tree(folder) -> None:
    """Take the trees of HEAD away, as in a partial clone: git would fetch them."""
    for line in git(folder, "ls-tree", "-rt", "HEAD").splitlines():
        kind, name = line.split()[1:3]
        if kind == "tree":
            (folder / ".git/objects" / name[:2] / name[2:]).unlink()


def test_a_gone_guard_makes_git_fetch_nothing(cli, monitored):
    folder, mark = monitored
    cli("trust", "--yes")
    missing_tree(folder)
    (folder / ".claude/hooks/pre/bash.sh").unlink()
    assert cli(*firing("PreToolUse")).code == 2
    cli(*firing("PreToolUse"), env={"HOOKRUN_TRUST": "ref:HEAD"})
    assert not mark.exists()


def test_git_itself_would_fetch_what_is_missing(monitored):
    folder, mark = monitored
    missing_tree(folder)
    git(folder, "config", "--unset", "core.fsmonitor")
    subprocess.run(["git", "ls-tree", "-r", "HEAD"], cwd=folder, capture_output=True, check=False)
    assert mark.exists()


@pytest.mark.parametrize("shell", ["bash", "zsh", "node"])
def test_validate_runs_no_interpreter_that_the_project_brings(shell, cli, project, tmp_path):
    mark = tmp_path / "mark"
    interpreter = project.script(f"bin/{shell}", f"#!/bin/sh\ntouch '{mark}'\n")
    script = project.script(".claude/hooks/pre/bash.sh", f"#!{interpreter}\nexit 0\n")
    cli("validate")
    cli("doctor")
    assert not mark.exists()
    subprocess.run([script], check=False)
    assert mark.exists()


def test_python_is_only_read_by_validate(cli, project, tmp_path):
    mark = tmp_path / "mark"
    project.script(".hookrun/hooks/module.py", f"open({str(mark)!r}, 'w')\ndef hook(api): (\n")
    assert cli("validate").code == 1
    assert not mark.exists()


def test_what_does_not_run_is_listed_with_all_its_parts(cli, marks):
    document = json.loads(cli("list", "--format", "json").stdout)
    assert {hook["state"] for hook in document["hooks"]} == {"untrusted"}
    assert document["in_force"] == 0
    twin = json.loads(cli("list", "--format", "json", env=TRUST_ALL).stdout)
    assert {hook["state"] for hook in twin["hooks"]} == {"in force"}
    assert twin["total"] == document["total"]


def test_a_program_that_imports_hookrun_runs_nothing(project, untrusting, marks):
    program = "import hookrun; r = hookrun.HookRunner.discover(); print(r.emit('PreToolUse', tool='Shell', "
    program += "tool_input={}).untrusted > 9)"
    python = HOOKRUN.removesuffix("hookrun") + "python"

    def run(**more: str) -> str:
        words = [python, "-c", program]
        return subprocess.run(
            words, cwd=project.path, env=untrusting | more, capture_output=True, text=True, check=True
        ).stdout

    assert run() == "True\n"
    assert left_in(marks[0]) == set()
    assert run(**TRUST_ALL) == "False\n"
    eventually(lambda: left_in(marks[0]))
