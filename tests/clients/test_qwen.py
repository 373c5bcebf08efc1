"""Where a real Qwen Code differs from Gemini CLI, whose engine it has."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from real_agents import Agent

pytestmark = pytest.mark.parametrize("agent_name", ["qwen"])


def test_a_rewrite_is_a_deny_that_names_the_input_to_use(agent: Agent):
    agent.project.script(
        ".claude/hooks/pre/bash.sh",
        """#!/bin/sh\necho '{"hookSpecificOutput": {"hookEventName": "PreToolUse", """
        """"permissionDecision": "allow", "updatedInput": {"command": "echo it > safe.txt"}}}'\n""",
    )
    agent.install()
    run = agent.run(agent.shell("echo it > unsafe.txt"))
    assert 'use this one: {"command": "echo it > safe.txt"}' in run.tool_results[0]
    assert (agent.has("unsafe.txt"), agent.has("safe.txt")) == (False, False)


def test_a_prompt_that_is_refused_reaches_no_model(agent: Agent):
    agent.project.script(
        ".claude/hooks/pre/user-prompt-submit.sh",
        "#!/bin/sh\nif grep -q secret; then echo 'no secrets' >&2; exit 2; fi\n",
    )
    agent.install()
    run = agent.run(agent.shell("echo it > ran.txt"), prompt="tell the secret")
    assert (run.requests, agent.has("ran.txt")) == ([], False)
    assert "no secrets" not in run.output  # without a terminal it does not say why


def test_what_is_said_after_a_tool_follows_its_result(agent: Agent):
    agent.project.script(".claude/hooks/post/bash.sh", "#!/bin/sh\necho 'mend <it>' >&2\nexit 2\n")
    agent.install()
    run = agent.run(agent.shell("echo it; exit 3"))
    result, said = run.tool_results[0].split("mend ")
    assert "Exit Code: 3" in result
    assert said.startswith(("<it>", "&lt;it&gt;"))


def test_a_prompt_hook_is_asked_again_with_each_result_of_a_tool(agent: Agent):
    agent.project.script(
        ".claude/hooks/pre/user-prompt-submit.sh",
        "#!/bin/sh\ncat >> prompts\necho >> prompts\necho 'today is Monday'\n",
    )
    agent.install()
    run = agent.run(agent.shell("echo 1"), agent.shell("echo 2"))
    assert agent.text("prompts").count('"event": "UserPromptSubmit"') == 3
    assert json.dumps(run.requests[-1]).count("today is Monday") == 3
