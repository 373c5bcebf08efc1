"""What an agent that embeds hookrun is told, and asked, about hooks that nobody has trusted."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from firing import BASH_GUARD, DENY, PASS
from trusted import TRUST_ALL, trust

from hookrun import Decision, HookResult, HookRunner, ToolBlocked, UsageError, wrap_tool
from hookrun.model.values import Event, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from command import Ended, Project

OBSERVER = ".claude/hooks/post/bash.sh"
MODULE = ".hookrun/hooks/guard.py"


@pytest.fixture
def discover(project: Project, untrusting: dict[str, str]) -> Callable[..., HookRunner]:
    return lambda **options: HookRunner.discover(project.path, env=untrusting, **options)


def run(command: str) -> str:
    return f"ran {command}"


def test_the_problems_of_a_runner_name_what_is_not_trusted(project: Project, discover: Callable[..., HookRunner]):
    project.script(BASH_GUARD, DENY)
    project.script(OBSERVER, PASS)
    with discover() as runner:
        (problem,) = runner.problems
    assert problem.message == f"2 hooks are not trusted and do not run: {BASH_GUARD}, {OBSERVER}"
    assert "hookrun trust" in problem.hint


@pytest.mark.parametrize("guard", [BASH_GUARD, MODULE])
def test_a_wrapped_tool_asks_for_a_guard_that_is_not_trusted(
    project: Project, discover: Callable[..., HookRunner], guard: str
):
    project.script(guard, DENY if guard == BASH_GUARD else "def hook(api):\n    pass\n")
    asked: list[Decision] = []
    with discover() as runner:
        with pytest.raises(ToolBlocked, match="trusted"):
            wrap_tool(run, runner, name="bash")("ls")
        tool = wrap_tool(run, runner, name="bash", on_ask=lambda decision: asked.append(decision) or True)
        assert tool("ls") == "ran ls"
    (decision,) = asked
    assert (decision.verdict.word, decision.decided_by) == ("ask", "trust")


def test_it_does_not_ask_for_other_tools_and_for_observers(project: Project, discover: Callable[..., HookRunner]):
    project.script(BASH_GUARD, DENY)
    project.script(OBSERVER, PASS)
    with discover() as runner:
        assert wrap_tool(run, runner, name="read")("a") == "ran a"
        assert runner.emit("PostToolUse", tool="bash").verdict.word is None


def test_once_it_is_trusted_it_is_asked_itself(
    cli: Callable[..., Ended], project: Project, discover: Callable[..., HookRunner]
):
    project.script(BASH_GUARD, DENY)
    trust(cli)
    with discover() as runner:
        assert runner.problems == ()
        with pytest.raises(ToolBlocked, match="the guard says no"):
            wrap_tool(run, runner, name="bash")("ls")


@pytest.mark.parametrize(("word", "verdict"), [("ask", "ask"), ("deny", "deny"), ("skip", None), ("", "ask")])
def test_what_it_comes_to_can_be_set(
    project: Project, discover: Callable[..., HookRunner], word: str, verdict: str | None
):
    project.script(BASH_GUARD, DENY)
    with discover(on_untrusted=word) as runner:
        assert runner.emit("PreToolUse", tool="bash").verdict.word == verdict
        assert asyncio.run(runner.emit_async("PreToolUse", tool="bash")).verdict.word == verdict
        assert len(runner.problems) == 1  # whatever it is
    with discover() as runner:
        session = runner.session("s", on_untrusted=word)
        assert session.emit("PreToolUse", tool="bash").verdict.word == "ask"
        tool = session.wrap(run, "bash")
        if verdict is None:
            assert tool("ls") == "ran ls"
        else:
            with pytest.raises(ToolBlocked) as blocked:
                tool("ls")
            assert blocked.value.decision.verdict.word == verdict


def test_the_users_configuration_sets_it_and_the_call_comes_first(
    project: Project, discover: Callable[..., HookRunner]
):
    project.script(".config/hookrun/config.yaml", json.dumps({"on_untrusted": "deny"}), user=True)
    project.script(BASH_GUARD, PASS)
    with discover() as runner:
        assert runner.emit("PreToolUse", tool="bash").denied
    with discover(on_untrusted="skip") as runner:
        assert runner.emit("PreToolUse", tool="bash").allowed


def test_another_word_is_an_error(discover: Callable[..., HookRunner]):
    with pytest.raises(UsageError, match="unknown on_untrusted 'warn'"):
        discover(on_untrusted="warn")
    with discover() as runner, pytest.raises(UsageError, match="unknown on_untrusted 'Ask'"):
        wrap_tool(run, runner, on_untrusted="Ask")


def test_the_command_line_passes_and_says_so(cli: Callable[..., Ended], project: Project, untrusting: Any):
    """A person reads what `emit` says; nobody reads what a library could say on the way."""
    project.script(BASH_GUARD, DENY)
    ended = cli("emit", "PreToolUse", "--tool", "bash")
    assert (ended.code, ended.stdout) == (0, "no decision: 0 of 1 hook matched (1 untrusted)\n")
    assert cli("emit", "PreToolUse", "--tool", "bash", env=TRUST_ALL).code == 2


STANDINGS = {
    Verdict.NO_OPINION: "allowed",
    Verdict.ALLOW: "allowed",
    Verdict.ASK: "asked",
    Verdict.DEFER: "asked",
    Verdict.DENY: "denied",
}


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_decision_is_denied_or_asked_or_allowed(verdict: Verdict):
    decision = Decision(event=Event(dialect="xbot", event="PreToolUse"), verdict=verdict)
    standing = {name: getattr(decision, name) for name in ("denied", "asked", "allowed")}
    assert standing == dict.fromkeys(standing, False) | {STANDINGS[verdict]: True}


def test_a_decision_is_shown_in_a_line(runner: HookRunner):
    runner.on("PreToolUse", "", lambda payload: HookResult(decision="deny", message="not today"))
    decision = runner.emit("PreToolUse", tool="Shell", tool_input={"command": "ls " * 500})
    assert str(decision) == "deny: the program: not today"
    assert repr(decision) == "<Decision on PreToolUse Shell: deny: the program: not today>"
    assert str(runner.emit("SessionStart")) == "no decision"
    assert repr(runner.emit("SessionStart")) == "<Decision on SessionStart: no decision>"
