"""What hooks decide in a real Cline, which ends its whole run at a deny and keeps the reason in its log."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from real_agents import Agent, Run

pytestmark = pytest.mark.parametrize("agent_name", ["cline"])

GUARD = ".claude/hooks/pre/bash.sh"


def test_a_guard_lets_a_command_run(agent: Agent):
    agent.project.script(GUARD, "#!/bin/sh\necho asked >> asked\n")
    agent.install()
    run = agent.run(agent.shell("echo it > good.txt"))
    assert (agent.text("good.txt"), agent.text("asked")) == ("it\n", "asked\n")
    assert '"success":true' in run.tool_results[0]


@pytest.mark.parametrize("words", [(), ("--user",)], ids=["project", "user"])
def test_a_deny_ends_the_run_and_its_reason_is_in_the_log(agent: Agent, words: tuple[str, ...]):
    agent.project.script(GUARD, "#!/bin/sh\necho 'nothing bad here' >&2\nexit 2\n")
    agent.install(*words)
    run = agent.run(agent.shell("echo it > bad.txt"), agent.write("next.txt", "it"))
    assert (agent.has("bad.txt"), agent.has("next.txt")) == (False, False)
    _assert_ended(agent, run, "nothing bad here")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("exit 1", "failed: exit 1"),
        ("""echo '{"decision": "ask", "reason": "look at it first"}'""", "look at it first"),
        (
            """echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", """
            """"updatedInput": {"command": "echo it > safe.txt"}}}'""",
            r"write it so: {\"command\": \"echo it > safe.txt\"}",
        ),
    ],
    ids=["crash", "ask", "rewrite"],
)
def test_what_it_cannot_express_is_a_deny(agent: Agent, answer: str, why: str):
    agent.project.script(GUARD, f"#!/bin/sh\n{answer}\n")
    agent.install()
    run = agent.run(agent.shell("echo it > ran.txt"))
    assert (agent.has("ran.txt"), agent.has("safe.txt")) == (False, False)
    _assert_ended(agent, run, why)


def test_what_an_untrusted_guard_would_guard_does_not_run(agent: Agent):
    agent.project.script(GUARD, "#!/bin/sh\nexit 0\n")
    agent.hookrun("install", agent.name)
    run = agent.run(agent.write("written.txt", "it"), agent.shell("echo it > ran.txt"))
    assert (agent.has("written.txt"), agent.has("ran.txt")) == (True, False)
    _assert_ended(agent, run, "Ask the user to look at them")


def test_hints_before_and_after_a_tool_reach_the_model(agent: Agent):
    hint = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "look before"}}'
    agent.project.script(GUARD, f"#!/bin/sh\necho '{hint}'\n")
    agent.project.script(".claude/hooks/post/bash.sh", "#!/bin/sh\necho 'look after' >&2\nexit 2\n")
    agent.install()
    run = agent.run(agent.shell("echo it > ran.txt"))
    assert agent.has("ran.txt")
    assert ("look before" in run.told, "look after" in run.told) == (True, True)


def _assert_ended(agent: Agent, run: Run, why: str) -> None:
    """The model was not asked again, and Cline's log alone says why."""
    log = (agent.project.home / ".cline/data/logs/cline.log").read_text(encoding="utf-8")
    assert (len(run.requests), "aborted" in run.output) == (1 + len(run.tool_results), True)
    assert [why in text for text in (log, run.output, run.told)] == [True, False, False]
