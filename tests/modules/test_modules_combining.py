"""What several handlers of one event come to: each rule, sync and async alike."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from hookrun import (
    BeforeAgentStartResult,
    CompactingResult,
    ContextResult,
    HookrunError,
    SessionBeforeResult,
    ToolCallResult,
    ToolResultOverride,
)
from hookrun.modules.events import EVENT_CLASSES

if TYPE_CHECKING:
    from collections.abc import Callable

    from hookrun import Decision, HookAPI, HookRunner

SESSION_BEFORE = ("session_before_switch", "session_before_branch", "session_before_compact", "session_before_tree")
OTHERS = (
    "session_start session_switch session_branch session_compact session_tree session_shutdown agent_start "
    "agent_end turn_start turn_end auto_compaction_start auto_compaction_end auto_retry_start auto_retry_end "
    "ttsr_triggered todo_reminder"
).split()
BLOCK = {"block": True, "reason": "no"}


@pytest.fixture
def handlers(api: HookAPI) -> Callable[..., list[int]]:
    """Register a handler of *event* for each result, every second one async; return the numbers of those
    that were called. A result that is an exception is raised."""

    def register(event: str, *results: Any) -> list[int]:
        called: list[int] = []
        for number, result in enumerate(results, 1):
            api.on(event, _handler(number, result, called))
        return called

    return register


def _handler(number: int, result: Any, called: list[int]) -> Callable[..., Any]:
    def answer() -> Any:
        called.append(number)
        if isinstance(result, Exception):
            raise result
        return result

    async def handler(event: Any, ctx: Any) -> Any:
        await asyncio.sleep(0)
        return answer()

    return handler if number % 2 == 0 else lambda event, ctx: answer()


def call(runner: HookRunner) -> Decision:
    return runner.emit("tool_call", tool="bash", tool_input={"command": "x"})


def test_of_a_tool_call_the_last_result_wins(handlers, runner):
    called = handlers("tool_call", {"reason": "one"}, None, {"block": False, "reason": "three"}, None)
    decision = call(runner)
    assert (called, decision.result) == ([1, 2, 3, 4], {"block": False, "reason": "three"})
    assert decision.verdict.word is None


def test_the_first_block_ends_a_tool_call(handlers, runner):
    called = handlers("tool_call", None, BLOCK, {"block": True, "reason": "later"})
    decision = call(runner)
    assert (called, decision.result) == ([1, 2], BLOCK)
    assert (decision.verdict.word, decision.decided_by) == ("deny", "guard")
    assert decision.message == "the program: no"


def test_a_block_without_a_reason_has_the_usual_one(handlers, runner):
    handlers("tool_call", {"block": True})
    assert call(runner).message == "the program: Tool execution was blocked by a hook"


def test_an_exception_in_a_tool_call_denies_and_ends_it(handlers, runner):
    called = handlers("tool_call", None, ValueError("broken"), BLOCK)
    decision = call(runner)
    assert called == [1, 2]
    assert (decision.verdict.word, decision.decided_by) == ("deny", "failure")
    assert "ValueError: broken" in decision.message


def test_an_exception_in_a_tool_call_is_raised_by_emit_tool_call(handlers, runner):
    error = ValueError("broken")
    called = handlers("tool_call", error, BLOCK)
    with pytest.raises(ValueError, match="broken") as raised:
        runner.emit_tool_call("bash", {"command": "x"})
    assert raised.value is error
    assert called == [1]


def test_emit_tool_call_refuses_more_handlers_of_the_sdk_than_may_run(runner):
    called = []
    for _ in range(10):
        runner.on("PreToolUse", "", lambda payload, ctx: called.append(payload))
    assert runner.emit_tool_call("bash", {}) is None
    assert len(called) == 10
    runner.on("PreToolUse", "", lambda payload, ctx: called.append(payload))
    with pytest.raises(HookrunError, match="11 guards match, at most 10"):
        runner.emit_tool_call("bash", {})
    assert len(called) == 10


def test_emit_tool_result_cuts_handlers_of_the_sdk_that_are_too_many(runner):
    called = []
    for number in range(12):
        runner.on("PostToolUse", "", lambda payload, ctx, number=number: called.append(number))
    runner.emit_tool_result("bash", {}, tool_output="x")
    assert called == list(range(10))


def test_emit_tool_call_returns_the_result(handlers, runner):
    assert runner.emit_tool_call("bash", {}) is None
    handlers("tool_call", BLOCK)
    assert runner.emit_tool_call("bash", {}) == BLOCK


def test_of_a_tool_result_the_last_override_wins_and_all_run(handlers, runner):
    last = {"content": [{"type": "text", "text": "c"}], "is_error": True}
    called = handlers("tool_result", {"content": []}, {"details": 1}, last, None)
    decision = runner.emit("tool_result", tool="bash", tool_output="x")
    assert (called, decision.result) == ([1, 2, 3, 4], last)
    assert runner.emit_tool_result("bash", {}) == last


def test_messages_of_the_context_are_chained(api, runner):
    @api.on("context")
    def first(event: Any, ctx: Any) -> Any:
        return {"messages": [*event.messages, "one"]}

    @api.on("context")
    def silent(event: Any, ctx: Any) -> Any:
        return {"messages": None} if event.messages == ("zero", "one") else None

    @api.on("context")
    async def second(event: Any, ctx: Any) -> Any:
        return ContextResult(messages=(*event.messages, "two"))

    decision = runner.emit("context", fields={"messages": ["zero"]})
    assert decision.result == {"messages": ["zero", "one", "two"]}


def test_messages_that_no_handler_changes_are_no_result(handlers, runner):
    called = handlers("context", None, {"messages": None})
    assert runner.emit("context", fields={"messages": ["zero"]}).result is None
    assert called == [1, 2]


def test_the_first_message_before_an_agent_starts_is_kept(handlers, runner):
    message = {"custom_type": "a", "content": "x", "display": True, "details": None}
    called = handlers("before_agent_start", {"message": None}, {"message": message}, {"message": {"content": "b"}})
    decision = runner.emit("before_agent_start", prompt="hi")
    assert (called, decision.result) == ([1, 2, 3], {"message": message})
    assert decision.verdict.word is None


@pytest.mark.parametrize("name", SESSION_BEFORE)
def test_before_a_change_of_session_the_latest_result_is_kept(handlers, runner, name):
    called = handlers(name, {"cancel": False, "summary": 1}, None, {"compaction": {"tokens": 2}}, None)
    decision = runner.emit(name)
    assert (called, decision.result) == ([1, 2, 3, 4], {"compaction": {"tokens": 2}})
    assert decision.verdict.word is None


@pytest.mark.parametrize("name", SESSION_BEFORE)
def test_a_cancel_ends_a_change_of_session_at_once(handlers, runner, name):
    called = handlers(name, {"summary": 1}, {"cancel": True}, {"cancel": False})
    decision = runner.emit(name)
    assert (called, decision.result) == ([1, 2], {"cancel": True})
    assert (decision.verdict.word, decision.decided_by) == ("deny", "guard")
    assert decision.message == "the program: cancelled by a hook"


def test_of_compacting_the_latest_result_wins(handlers, runner):
    latest = {"context": ["a"], "prompt": "p", "preserve_data": {"k": 1}}
    called = handlers("session.compacting", {"prompt": "first"}, latest, None)
    assert (runner.emit("session.compacting").result, called) == (latest, [1, 2, 3])


@pytest.mark.parametrize("name", OTHERS)
def test_of_every_other_event_all_run_and_results_are_ignored(handlers, runner, name):
    called = handlers(name, {"cancel": True}, BLOCK, {"unknown": 1}, None)
    decision = runner.emit(name)
    assert (called, decision.result, decision.verdict.word) == ([1, 2, 3, 4], None, None)


def test_the_rules_are_for_all_25_events():
    ruled = {"tool_call", "tool_result", "context", "before_agent_start", "session.compacting"}
    assert len({*ruled, *SESSION_BEFORE, *OTHERS}) == 25
    assert {*ruled, *SESSION_BEFORE, *OTHERS} == set(EVENT_CLASSES)


@pytest.mark.parametrize(
    ("name", "value", "result"),
    [
        ("tool_call", ToolCallResult(block=False, reason="r"), {"reason": "r"}),
        ("tool_result", ToolResultOverride(content=[], details=2), {"content": [], "details": 2}),
        ("before_agent_start", BeforeAgentStartResult(message={"content": "x"}), {"message": {"content": "x"}}),
        (
            "session_before_branch",
            SessionBeforeResult(skip_conversation_restore=True),
            {"skip_conversation_restore": True},
        ),
        ("session.compacting", CompactingResult(prompt="p"), {"prompt": "p"}),
    ],
)
def test_a_result_may_be_a_value_of_its_class(handlers, runner, name, value, result):
    handlers(name, value)
    assert runner.emit(name, tool="bash" if name.startswith("tool") else "").result == result


@pytest.mark.parametrize(
    ("name", "wrong", "complaint"),
    [
        ("tool_result", {"contents": []}, "unknown key 'contents' in a tool_result result: did you mean content?"),
        ("tool_result", "text", "a handler of tool_result must return a mapping or ToolResultOverride, not str"),
        ("tool_result", {"content": "text"}, "content of a tool_result result must be a list, not str"),
        ("context", {"messages": {"role": "user"}}, "messages of a context result must be a list, not dict"),
        ("tool_result", ToolCallResult(block=True), "must return a mapping or ToolResultOverride, not ToolCallResult"),
        ("tool_result", {"decision": "maybe"}, "unknown decision 'maybe'"),
    ],
)
def test_a_result_that_cannot_be_meant_is_the_handlers_error(handlers, runner, name, wrong, complaint):
    told: list[str] = []
    runner.on_error(lambda error: told.append(str(error.error)))
    called = handlers(name, wrong, None)
    decision = runner.emit(name, tool="bash" if name.startswith("tool") else "")
    assert (called, decision.result) == ([1, 2], None)
    assert len(told) == 1
    assert complaint in told[0]


def test_a_result_of_a_tool_call_that_cannot_be_meant_blocks(handlers, runner):
    handlers("tool_call", {"blocked": True})
    decision = call(runner)
    assert (decision.verdict.word, decision.decided_by) == ("deny", "failure")
    assert "did you mean block?" in decision.message


@pytest.mark.parametrize("name", [*OTHERS, "tool_result", "context", "session_before_switch", "before_agent_start"])
def test_an_exception_is_told_and_the_next_handler_runs(handlers, runner, name):
    told: list[Any] = []
    runner.on_error(told.append)
    error = RuntimeError("broken")
    called = handlers(name, error, None)
    decision = runner.emit(name, tool="bash" if name.startswith("tool") else "")
    assert (called, decision.verdict.word) == ([1, 2], None)
    (heard,) = told
    assert (heard.hook_path, heard.event, heard.error) == ("the program", name, error)


def test_an_exception_in_a_tool_call_is_not_told_to_listeners(handlers, runner):
    told: list[Any] = []
    runner.on_error(told.append)
    handlers("tool_call", RuntimeError("broken"))
    assert call(runner).verdict.word == "deny"
    assert told == []


def test_a_listener_can_be_taken_off_again(handlers, runner):
    told: list[Any] = []
    take_off = runner.on_error(told.append)
    runner.on_error(told.append)
    handlers("turn_start", RuntimeError("broken"))
    runner.emit("turn_start")
    take_off()
    runner.emit("turn_start")
    take_off()
    runner.emit("turn_start")
    assert len(told) == 4


def test_a_listener_that_fails_changes_nothing(handlers, runner):
    told: list[Any] = []
    runner.on_error(lambda error: 1 / 0)
    runner.on_error(told.append)
    called = handlers("turn_start", RuntimeError("broken"), None)
    runner.emit("turn_start")
    assert (called, len(told)) == ([1, 2], 1)


@pytest.mark.parametrize("ending", [SystemExit(0), SystemExit("bye"), SystemExit(None)])
def test_a_handler_that_exits_has_failed_and_ends_no_host(api, runner, ending):
    @api.on("tool_call")
    def leave(event: Any, ctx: Any) -> None:
        raise ending

    decision = call(runner)
    assert (decision.verdict.word, decision.decided_by) == ("deny", "failure")
    assert "called exit(" in decision.message
    with pytest.raises(RuntimeError, match="called exit"):
        runner.emit_tool_call("bash", {})


def test_async_and_sync_emits_come_to_the_same(handlers, runner):
    called = handlers("tool_call", None, {"reason": "r"}, BLOCK, BLOCK)
    decision = asyncio.run(runner.emit_async("tool_call", tool="bash"))
    assert (called, decision.verdict.word, decision.result) == ([1, 2, 3], "deny", BLOCK)


def test_a_sync_emit_within_a_running_loop_calls_async_handlers(handlers, runner):
    called = handlers("turn_start", None, None)

    async def main() -> None:
        runner.emit("turn_start")

    asyncio.run(main())
    assert called == [1, 2]
