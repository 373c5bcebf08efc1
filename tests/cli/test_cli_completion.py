"""Completion and help in the shell: they work through the raw script as well."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from command import CHECKOUT

from hookrun.cli.options import COMMANDS

SCRIPT = os.path.join(CHECKOUT, "hookrun/cli/hookrun")


def complete(environment: dict[str, str], cwd, line: str) -> list[str]:
    """Return what bash would offer for the last word of *line*."""
    asked = {"_HOOKRUN_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
    done = subprocess.run(
        [sys.executable, SCRIPT], cwd=cwd, env=environment | asked, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("hookrun emit Pre", ["PreToolUse", "PreCompact"]),
        ("hookrun explain PreT", ["PreToolUse"]),
        ("hookrun wid", ["widgets"]),
        ("hookrun new scr", ["script"]),
        ("hookrun run re", ["release", "review"]),
        ("hookrun bridge cl", ["claude", "cline"]),
    ],
)
def test_words_are_completed(project, user_environment, line: str, offered: list[str]):
    project.manifest("demo", commands=[{"name": "release"}, {"name": "/review"}, {"name": "other"}])
    assert complete(user_environment, project.path, line) == offered


def test_a_broken_set_up_completes_nothing_and_says_nothing(project, user_environment):
    project.manifest("demo", commands=[{"name": "review"}])
    assert complete(user_environment, project.path, "hookrun run re") == ["review"]
    (project.path / ".hookrun/config.yaml").write_text("limits: 3\n")
    assert complete(user_environment, project.path, "hookrun run re") == []


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_has_help(cli, command):
    helped = cli(command.name, "--help")
    assert helped.code == 0
    assert command.help.rstrip(".")[:30] in helped.stdout
    assert all(option.flags[0] in helped.stdout for option in command.options)


def test_the_version_is_printed(cli):
    assert cli("--version").stdout.startswith("hookrun ")
