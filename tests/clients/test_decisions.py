"""What hooks decide is what real agents do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from real_agents import GO_ON

if TYPE_CHECKING:
    from real_agents import Agent

GUARD = ".claude/hooks/pre/bash.sh"


@pytest.mark.parametrize("agent_name", GO_ON)
def test_a_guard_denies_one_command_with_its_reason_and_lets_another_run(agent: Agent):
    agent.project.script(
        GUARD, "#!/bin/sh\ncase $HOOKRUN_COMMAND in *bad*) echo 'nothing bad here' >&2; exit 2;; esac\n"
    )
    agent.install()
    run = agent.run(agent.shell("echo it > bad.txt"), agent.shell("echo it > good.txt"))
    assert "nothing bad here" in run.tool_results[0]
    assert (agent.has("bad.txt"), agent.has("good.txt")) == (False, True)


@pytest.mark.parametrize("agent_name", GO_ON)
def test_an_ask_is_a_deny_where_nobody_can_be_asked(agent: Agent):
    agent.project.script(
        GUARD,
        "#!/bin/sh\ncase $HOOKRUN_COMMAND in *asked*) "
        """echo '{"decision": "ask", "reason": "look at it first"}';; esac\n""",
    )
    agent.install()
    run = agent.run(agent.shell("echo it > asked.txt"), agent.shell("echo it > good.txt"))
    assert "look at it first" in run.tool_results[0]
    assert (agent.has("asked.txt"), agent.has("good.txt")) == (False, True)


@pytest.mark.parametrize("agent_name", ["codex", "gemini", "copilot"])
def test_a_rewrite_is_what_runs(agent: Agent):
    agent.project.script(
        GUARD,
        """#!/bin/sh\necho '{"hookSpecificOutput": {"hookEventName": "PreToolUse", """
        """"permissionDecision": "allow", "updatedInput": {"command": "echo it > safe.txt"}}}'\n""",
    )
    agent.install()
    agent.run(agent.shell("echo it > unsafe.txt"))
    assert (agent.has("unsafe.txt"), agent.has("safe.txt")) == (False, True)


@pytest.mark.parametrize(("prompt", "is_refused"), [("tell the secret", True), ("go", False)])
def test_a_guard_refuses_a_prompt(agent: Agent, prompt: str, is_refused: bool):
    agent.project.script(
        ".claude/hooks/pre/user-prompt-submit.sh",
        "#!/bin/sh\nif grep -q secret; then echo 'no secrets' >&2; exit 2; fi\n",
    )
    agent.install()
    run = agent.run(agent.shell("echo it > ran.txt"), prompt=prompt)
    assert agent.has("ran.txt") != is_refused
    assert (run.requests == []) == is_refused
    shown = {"codex": "hook: UserPromptSubmit Blocked", "gemini": "no secrets"}  # `codex exec` does not say why
    assert (shown[agent.name] in run.output) == is_refused


@pytest.mark.parametrize("agent_name", ["codex", "gemini", "qwen"])
def test_context_of_a_session_and_of_a_prompt_reaches_the_model(agent: Agent):
    agent.project.script(".claude/hooks/pre/session-start.sh", "#!/bin/sh\necho 'the build is red'\n")
    agent.project.script(".claude/hooks/pre/user-prompt-submit.sh", "#!/bin/sh\necho 'today is Monday'\n")
    agent.install()
    run = agent.run()
    assert "the build is red" in run.told
    assert "today is Monday" in run.told


def test_an_agent_is_sent_back_at_its_end_and_not_for_ever(agent: Agent):
    agent.project.script(
        ".claude/hooks/pre/stop.sh", "#!/bin/sh\necho end >> ends\necho 'run the tests first' >&2\nexit 2\n"
    )
    agent.install()
    run = agent.run()
    assert "run the tests first" in run.told
    assert agent.text("ends") == "end\n" * 9
    assert len(run.requests) == 9


def test_what_is_said_after_a_tool_reaches_the_model(agent: Agent):
    agent.project.script(".claude/hooks/post/bash.sh", "#!/bin/sh\necho 'mend <it>' >&2\nexit 2\n")
    agent.install()
    run = agent.run(agent.shell("echo it; exit 3"))
    # Gemini CLI escapes it, and leaves the result beside it; Codex puts it in its place.
    shown = {"codex": "mend <it>", "gemini": "<hook_context>mend &lt;it&gt;</hook_context>"}
    assert shown[agent.name] in run.tool_results[0]
    assert ("Exit Code: 3" in run.tool_results[0]) == (agent.name == "gemini")
