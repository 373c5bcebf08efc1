"""What bounds handlers: ten of the SDK's together with processes, and the time of the event."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from firing import PASS

from hookrun import Decision, HookRunner, UserInterface

if TYPE_CHECKING:
    from collections.abc import Callable

    from command import Ended, Project


def emit_in_place(runner: HookRunner, name: str, **values: Any) -> Decision:
    return runner.emit(name, **values)


def emit_in_loop(runner: HookRunner, name: str, **values: Any) -> Decision:
    return asyncio.run(runner.emit_async(name, **values))


WAYS = pytest.mark.parametrize("emit", [emit_in_place, emit_in_loop])


def messages(decision: Decision) -> str:
    return "\n".join(problem.message for problem in decision.problems)


def register(runner: HookRunner, event: str, count: int) -> list[int]:
    """Register so many handlers of the SDK; the list says which were called."""
    called: list[int] = []
    for number in range(count):

        def note(payload: Any, number: int = number) -> None:
            called.append(number)

        note.__qualname__ = f"note_{number}"
        runner.on(event, "", note)
    return called


@WAYS
def test_ten_handlers_are_called_and_more_are_cut_by_name(runner: HookRunner, emit: Any):
    called = register(runner, "PostToolUse", 12)
    decision = emit(runner, "PostToolUse", tool="Shell")
    assert called == list(range(10))
    (problem,) = decision.problems
    assert "12 hooks match and at most 10 run for one event" in problem.message
    assert "the program: note_10, the program: note_11 did not run" in problem.message
    assert problem.hint == "raise limits.process_hooks to 12"


@WAYS
def test_ten_are_not_too_many(runner: HookRunner, emit: Any):
    called = register(runner, "AgentStop", 10)
    assert emit(runner, "AgentStop").problems == ()
    assert called == list(range(10))


@pytest.mark.parametrize("member", ["on_post_tool_use", "on_event", "on_global_event", "on_all_tool_use"])
def test_each_way_to_register_one_counts(api: Any, runner: HookRunner, member: str):
    called: list[int] = []
    ways: dict[str, tuple[Any, ...]] = {
        "on_event": ("PostToolUse", ""),
        "on_global_event": ("PostToolUse", ""),
        "on_post_tool_use": ("",),
        "on_all_tool_use": (),
    }
    for _ in range(11):
        getattr(api, member)(*ways[member], lambda payload: called.append(1))
    assert "at most 10 run" in messages(runner.emit("PostToolUse", tool="Shell"))
    assert len(called) == 10


def test_on_error_counts_and_on_does_not(api: Any, runner: HookRunner):
    called: list[str] = []
    for _ in range(11):
        api.on_error(lambda payload: called.append("sdk"))
        api.on("tool_result", lambda event: called.append("on"))
    assert "11 hooks match" in messages(runner.emit("fail", tool="Shell"))
    assert (called.count("sdk"), called.count("on")) == (10, 11)


@WAYS
def test_handlers_that_do_not_match_do_not_count(runner: HookRunner, emit: Any):
    for _ in range(15):
        runner.on("PreToolUse", "Read*", lambda payload: None)
    assert emit(runner, "PreToolUse", tool="Shell").problems == ()


@WAYS
def test_guards_above_the_limit_deny_and_none_is_called(runner: HookRunner, emit: Any):
    called = register(runner, "PreToolUse", 11)
    decision = emit(runner, "PreToolUse", tool="Shell")
    assert (decision.verdict.word, decision.decided_by, called) == ("deny", "limit", [])
    assert "11 guards match, at most 10 hooks run for one event: raise limits.process_hooks" in decision.message


@WAYS
def test_observers_make_room_for_handlers_that_are_guards(
    project: Project, user_environment: dict[str, str], emit: Any
):
    for number in range(6):
        hooks = [{"event": "PreToolUse", "role": "observer"}]
        project.manifest(f"plugin{number}", script=f"echo {number}\n", hooks=hooks)
    with HookRunner.discover(project.path, env=user_environment) as runner:
        called = register(runner, "PreToolUse", 7)
        decision = emit(runner, "PreToolUse", tool="bash")
    ran = [answer for answer in decision.answers if answer.status == "ran" and answer.hook.file]
    assert (len(called), len(ran), decision.verdict.word) == (7, 3, None)
    assert "13 hooks match and at most 10 run for one event" in messages(decision)


@pytest.mark.parametrize(("handlers", "code"), [(9, 0), (10, 2)])
def test_processes_and_handlers_count_together_under_the_command_line(
    cli: Callable[..., Ended], project: Project, handlers: int, code: int
):
    project.script(".claude/hooks/pre/bash.sh", PASS)
    text = f"def hook(api):\n    for _ in range({handlers}):\n        api.on_pre_tool_use('', print)\n"
    project.script(".hookrun/hooks/many.py", text, mode=0o644)
    ended = cli("emit", "pre", "--tool", "bash")
    assert ended.code == code
    assert ("11 guards match" in ended.stdout) == (code == 2)


def test_so_do_observers(cli: Callable[..., Ended], project: Project):
    project.script(".claude/hooks/post/bash.sh", PASS)
    text = (
        "def hook(api):\n    for number in range(11):\n"
        "        api.on_post_tool_use('', lambda payload, n=number: open('called', 'a').write(f'{n} '))\n"
    )
    project.script(".hookrun/hooks/many.py", text, mode=0o644)
    ended = cli("emit", "post", "--tool", "bash")
    assert ended.code == 0
    assert "12 hooks match and at most 10 run" in ended.stderr
    assert (project.path / "called").read_text().split() == [str(number) for number in range(9)]


@pytest.fixture
def hurried(project: Project, user_environment: dict[str, str]) -> Any:
    """A runner whose events have 0.3 s; options are those of discover."""
    config = json.dumps({"limits": {"event_seconds": 0.3}})
    project.script(".config/hookrun/config.yaml", config, mode=0o644, user=True)
    return lambda **options: HookRunner.discover(project.path, env=user_environment, **options)


@WAYS
@pytest.mark.parametrize("kind", ["on", "sdk"])
def test_an_async_handler_ends_with_the_events_time(hurried: Any, emit: Any, kind: str):
    ended: list[str] = []

    async def slow(event: Any) -> None:
        try:
            await asyncio.sleep(30)
        finally:
            ended.append("cancelled")

    with hurried() as runner:
        add = runner.modules.program.add
        add("PreToolUse", "" if kind == "sdk" else None, slow, is_sdk=kind == "sdk")
        began = time.monotonic()
        decision = emit(runner, "PreToolUse", tool="Shell")
    assert time.monotonic() - began < 10
    assert ended == ["cancelled"]
    assert (decision.verdict.word, decision.decided_by) == ("deny", "failure")
    assert "did not end in time (0.3 s)" in decision.message


@WAYS
def test_an_observer_that_is_late_denies_nothing_and_is_told(hurried: Any, emit: Any):
    heard: list[str] = []

    async def slow(event: Any) -> None:
        await asyncio.sleep(30)

    with hurried() as runner:
        runner.on("PostToolUse", "", slow)
        runner.on_error(lambda error: heard.append(str(error.error)))
        decision = emit(runner, "PostToolUse", tool="Shell")
    assert decision.verdict.word is None
    assert heard == ["did not end in time (0.3 s)"]


@WAYS
def test_a_timeout_of_the_handlers_own_is_its_own(hurried: Any, emit: Any):
    async def impatient(event: Any) -> None:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(30)

    with hurried() as runner:
        runner.on("PreToolUse", "", impatient)
        assert "did not end in time" not in emit(runner, "PreToolUse", tool="Shell").message


@WAYS
def test_of_a_sync_handler_that_is_late_there_is_a_problem_and_its_answer_counts(hurried: Any, emit: Any):
    def slow(payload: Any) -> Any:
        time.sleep(0.5)
        return {"decision": "deny", "message": "late"}

    with hurried() as runner:
        runner.on("PreToolUse", "", slow)
        decision = emit(runner, "PreToolUse", tool="Shell")
    assert (decision.verdict.word, decision.message) == ("deny", "the program: late")
    (problem,) = decision.problems
    assert "slow ended" in problem.message
    assert "after the 0.3 s of all hooks together" in problem.message


@WAYS
def test_the_limit_of_one_event_may_be_wished(runner: HookRunner, emit: Any):
    from hookrun.runner import FireOptions

    async def slow(event: Any) -> None:
        await asyncio.sleep(30)

    runner.on("PreToolUse", "", slow)
    decision = emit(runner, "PreToolUse", tool="Shell", options=FireOptions(seconds=0.2))
    assert "did not end in time (0.2 s)" in decision.message


class Thinker(UserInterface):
    """A person who thinks longer than the event has time, and says yes."""

    def confirm(self, title: str, message: str = "") -> bool:
        """Think."""
        time.sleep(0.6)
        return True


@WAYS
def test_the_time_in_which_a_person_is_asked_is_nobodys(hurried: Any, emit: Any):
    async def ask(payload: Any, ctx: Any) -> Any:
        return {"decision": "allow" if await ctx.ui.confirm("Sure?") else "deny"}

    with hurried(ui=Thinker()) as runner:
        runner.on("PreToolUse", "", ask)
        decision = emit(runner, "PreToolUse", tool="Shell")
    assert (decision.verdict.word, decision.problems) == ("allow", ())
