"""Results of tools that a module changes, in real agents: the model gets the changed one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from real_agents import Agent

KEY = "AKIA" + "Q7RZ2LMX9VKD4TNB"
MASKED = "[REDACTED AWS access key]"
CONTEXT = "#!/bin/sh\n# hookrun: event=PostToolUse tool=Bash\necho 'today is Monday'\n"
EVERYONE = ["codex", "gemini", "claude"]


@pytest.mark.parametrize("agent_name", EVERYONE)
@pytest.mark.parametrize("has_redact", [True, False], ids=["redact", "without"])
def test_a_key_in_the_output_of_a_command_reaches_the_model_only_without_redact(agent: Agent, has_redact: bool):
    agent.project.script("keys.txt", f"AWS={KEY}\n", mode=0o644)
    if has_redact:  # and what is said beside the result is not lost
        agent.project.script(".claude/hooks/post/bash.sh", "#!/bin/sh\necho 'look twice' >&2\nexit 2\n")
        agent.project.script(".claude/hooks/post/note.sh", CONTEXT)
        agent.hookrun("new", "redact", "--user")
    agent.install()
    run = agent.run(agent.shell("cat keys.txt"))
    assert (f"AWS={KEY}" in run.told, f"AWS={MASKED}" in run.told) == (not has_redact, has_redact)
    assert ("look twice" in run.told, "today is Monday" in run.told) == (has_redact, has_redact)


@pytest.mark.parametrize("agent_name", ["gemini", "claude"])
@pytest.mark.parametrize("has_redact", [True, False], ids=["redact", "without"])
def test_a_key_in_a_file_that_is_read_reaches_the_model_only_without_redact(agent: Agent, has_redact: bool):
    agent.project.script("keys.txt", f"AWS={KEY}\n", mode=0o644)
    if has_redact:
        agent.hookrun("new", "redact", "--user")
    agent.install()
    run = agent.run(agent.read("keys.txt"))
    assert (f"AWS={KEY}" in run.told, f"AWS={MASKED}" in run.told) == (not has_redact, has_redact)


@pytest.mark.parametrize("agent_name", ["claude"])
def test_claude_code_runs_what_a_guard_allows_and_not_what_it_denies(agent: Agent):
    agent.project.script(
        ".claude/hooks/pre/bash.sh",
        "#!/bin/sh\ncase $HOOKRUN_COMMAND in *bad*) echo 'nothing bad here' >&2; exit 2;; esac\n",
    )
    agent.install()
    run = agent.run(agent.shell("echo it > bad.txt"), agent.shell("echo it > good.txt"))
    assert "nothing bad here" in run.tool_results[0]
    assert (agent.has("bad.txt"), agent.has("good.txt")) == (False, True)
