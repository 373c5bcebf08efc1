"""A fork of the command is to itself, to its caller and to its hooks what a start of it is."""

from __future__ import annotations

import re

import forked
import pytest
from firing import BASH_GUARD, guard_text

# What a hook sees of itself, and of the process that started it.
LOOK = guard_text(
    '{ env; umask; ulimit -a; ls -l "/proc/$PPID/fd" 2>/dev/null | grep socket',
    'grep -E "^(Sig[PBIC]|Shd|Uid|Gid|Groups|Cap)" "/proc/$PPID/status" 2>/dev/null; } >"$HOME/seen"',
)
COMMANDS = [
    ("--version",),
    ("--help",),
    ("emit", "--nonsense"),
    ("list", "--format", "json"),
    ("agents",),
    ("run", "x"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_it_prints_and_returns_the_same(project, user_environment, words):
    project.script(BASH_GUARD, guard_text("exit 0"))
    fork, start = (way(words, cwd=project.path, env=user_environment) for way in (forked.hookrun, forked.installed))
    assert fork == start


def test_its_hooks_see_the_same(project, user_environment):
    project.script(BASH_GUARD, LOOK)
    seen = []
    for way in (forked.hookrun, forked.installed):
        assert way(("emit", "pre", "--tool", "Shell"), cwd=project.path, env=user_environment).code == 0
        seen.append(re.sub(r"(?m)^HOOKRUN_RUN=.*", "", (project.home / "seen").read_text()))  # the run's own name
    assert "XBOT_TOOL_NAME" in seen[0]
    assert seen[0] == seen[1]
