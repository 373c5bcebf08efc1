"""Guards that fail, and a hookrun that is gone, in real agents: the command does not run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from command import HOOKRUN
from real_agents import GO_ON, path_without_hookrun

if TYPE_CHECKING:
    from pathlib import Path

    from real_agents import Agent

GUARD = ".claude/hooks/pre/bash.sh"


@pytest.mark.parametrize("agent_name", GO_ON)
@pytest.mark.parametrize(
    ("guard", "why"),
    [
        ("#!/bin/sh\necho gone wrong >&2\nexit 1\n", "gone wrong"),
        ("#!/bin/sh\n# hookrun: timeout=1s\nsleep 600\n", "timed out"),
        ("#!/bin/sh\r\nexit 0\r\n", "CRLF"),
    ],
    ids=["crashes", "hangs", "CRLF"],
)
def test_a_guard_that_fails_blocks(agent: Agent, guard: str, why: str):
    agent.project.script(GUARD, guard)
    agent.install()
    run = agent.run(agent.shell("echo it > ran.txt"))
    assert why in run.tool_results[0]
    assert not agent.has("ran.txt")


@pytest.mark.parametrize("agent_name", GO_ON)
def test_what_a_guard_that_nobody_trusts_would_guard_does_not_run(agent: Agent):
    agent.project.script(GUARD, "#!/bin/sh\nexit 0\n")
    agent.hookrun("install", agent.name)
    run = agent.run(agent.shell("echo it > ran.txt"), agent.write("written.txt", "it"))
    assert "Ask the user to look at them" in run.tool_results[0]
    assert (agent.has("ran.txt"), agent.has("written.txt")) == (False, True)


def test_an_agent_without_hookrun_takes_no_prompt(agent: Agent):
    agent.install()
    run = agent.run(agent.shell("echo it > ran.txt"), env={"PATH": path_without_hookrun(agent.environment["PATH"])})
    assert (run.requests, agent.has("ran.txt")) == ([], False)


def test_a_hookrun_that_goes_away_in_a_session_blocks_from_then_on(agent: Agent, tmp_path: Path):
    link = tmp_path / "bin/hookrun"
    link.parent.mkdir()
    link.symlink_to(HOOKRUN)
    agent.install()
    run = agent.run(
        agent.shell(f"rm {link}"),
        agent.shell("echo it > ran.txt"),
        env={"PATH": f"{link.parent}:{path_without_hookrun(agent.environment['PATH'])}"},
    )
    assert "hookrun is not installed" in run.tool_results[1]
    assert (link.is_symlink(), agent.has("ran.txt")) == (False, False)
