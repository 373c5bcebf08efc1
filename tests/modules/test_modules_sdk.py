"""Handlers of the SDK: which tools and events reach them, what they decide, and what that comes to."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from hookrun import HookResult, allow_hook, deny_hook, log_hook
from hookrun.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from hookrun import HookRunner

WEIGHTS = ("allow", "ask", "defer", "deny")  # from the weakest to the strictest


@pytest.fixture
def heard(runner: HookRunner) -> Callable[[str, str], list[str]]:
    """Fire events of a tool and return which of them the handler *listen* was called for."""

    def fire(tool: str, *events: str) -> list[str]:
        return [name for name in events or ("pre", "post", "fail") if runner.emit(name, tool=tool).answers]

    return fire


def listen(payload: Any, ctx: Any) -> None:
    """A handler without an opinion."""


def test_pre_tool_use_is_heard_before_a_tool_only(api, heard):
    api.on_pre_tool_use("", listen)
    assert heard("Shell") == ["pre"]


def test_post_tool_use_is_heard_after_a_tool_that_succeeded(api, heard):
    api.on_post_tool_use("", listen)
    assert heard("Shell") == ["post"]


def test_on_error_is_heard_after_a_tool_that_failed(api, heard):
    api.on_error(listen)
    assert heard("Shell") == ["fail"]


def test_all_tool_use_is_heard_before_and_after_every_tool(api, heard):
    api.on_all_tool_use(listen)
    assert heard("Shell") == ["pre", "post"]
    assert heard("my_own_tool") == ["pre", "post"]


def test_tool_result_means_both_ways_a_tool_can_end(api, heard):
    api.on_event("tool_result", "Shell", listen)
    assert heard("Shell") == ["post", "fail"]


@pytest.mark.parametrize("register", ["on_event", "on_global_event"])
def test_any_event_can_be_listened_to(api, runner, register):
    getattr(api, register)("AgentStop", "", listen)
    assert len(runner.emit("AgentStop").answers) == 1
    assert runner.emit("SubAgentStop").answers == ()


@pytest.mark.parametrize(
    ("matcher", "tool", "matches"),
    [
        ("", "Shell", True),
        ("*", "Shell", True),
        ("Shell", "Shell", True),
        ("Shell", "ShellTask", False),
        ("Shell*", "ShellTask", True),
        ("Shell*", "FileRead", False),
        ("*Read", "FileRead", True),
        ("*ile*", "FileRead", True),
        ("Fi*ad", "FileRead", True),
        ("Fi*ad", "FileReads", False),
        ("Shell|File*", "FileRead", True),
        ("Shell|FileC*", "FileRead", False),
        ("shell", "Shell", False),
        ("Shell", "Bash", True),
        ("Bash", "Bash", True),
        ("Bash", "run_shell_command", False),
    ],
)
def test_a_matcher_chooses_tools(api, heard, matcher, tool, matches):
    api.on_pre_tool_use(matcher, listen)
    assert heard(tool, "pre") == (["pre"] if matches else [])


def test_a_matcher_does_not_count_for_an_event_without_a_tool(api, runner):
    api.on_event("AgentStop", "Shell", listen)
    assert len(runner.emit("AgentStop").answers) == 1


def test_a_bad_matcher_is_an_error_at_once(api):
    with pytest.raises(UsageError, match="has an empty alternative"):
        api.on_pre_tool_use("Shell||Read", listen)


@pytest.mark.parametrize("word", WEIGHTS)
def test_each_of_the_four_decisions_counts(api, runner, word):
    api.on_pre_tool_use("", lambda payload, ctx: HookResult(decision=word, message="because"))
    decision = runner.emit("pre", tool="Shell")
    assert (decision.verdict.word, decision.decided_by) == (word, "guard")
    assert decision.message == "the program: because"


@pytest.mark.parametrize("weaker", WEIGHTS)
@pytest.mark.parametrize("stricter", WEIGHTS)
def test_the_strictest_decision_wins_in_either_order(api, runner, weaker, stricter):
    for word in (stricter, weaker):
        api.on_pre_tool_use("", lambda payload, ctx, word=word: HookResult(decision=word))
    strictest = max(weaker, stricter, key=WEIGHTS.index)
    assert runner.emit("pre", tool="Shell").verdict.word == strictest


def test_none_abstains(api, runner):
    api.on_pre_tool_use("", listen)
    decision = runner.emit("pre", tool="Shell")
    assert (decision.verdict.word, decision.decided_by, len(decision.answers)) == (None, None, 1)


def test_a_result_may_be_a_mapping(api, runner):
    api.on_pre_tool_use("", lambda payload, ctx: {"decision": "ASK", "message": "sure?"})
    assert runner.emit("pre", tool="Shell").verdict.word == "ask"


def test_data_is_merged_and_the_first_of_a_key_wins(api, runner):
    for data in ({"a": 1}, None, {"a": 2, "b": 3}):
        api.on_pre_tool_use("", lambda payload, ctx, data=data: HookResult(decision="allow", data=data))
    assert runner.emit("pre", tool="Shell").data == {"a": 1, "b": 3}


def test_messages_of_the_strictest_come_first(api, runner):
    for word in ("ask", "deny", "allow", "deny"):
        api.on_pre_tool_use("", lambda payload, ctx, word=word: HookResult(decision=word, message=word))
    assert runner.emit("pre", tool="Shell").message.splitlines() == [
        "the program: deny",
        "the program: deny",
        "the program: ask",
    ]


def test_a_deny_of_the_sdk_does_not_keep_others_from_being_asked(api, runner):
    called = []
    api.on_pre_tool_use("", deny_hook("no"))
    api.on_pre_tool_use("", lambda payload, ctx: called.append(1))
    assert runner.emit("pre", tool="Shell").verdict.word == "deny"
    assert called == [1]


def test_a_block_of_a_module_and_an_allow_of_the_sdk_meet_in_one_deny(api, runner):
    api.on_pre_tool_use("", allow_hook())
    api.on("tool_call", lambda event, ctx: {"block": True, "reason": "no"})
    assert runner.emit("pre", tool="Shell").verdict.word == "deny"


def test_after_a_tool_a_deny_is_feedback(api, runner):
    api.on_post_tool_use("", deny_hook("the tests fail now"))
    decision = runner.emit("post", tool="Shell")
    assert (decision.verdict.word, decision.feedback) == (None, ("the tests fail now",))


@pytest.mark.parametrize("name", ["AgentStop", "SubAgentStop", "PreCompact", "UserPromptSubmit"])
def test_an_event_that_can_be_stopped_is_stopped_by_a_deny(api, runner, name):
    api.on_event(name, "", deny_hook("not yet"))
    assert runner.emit(name).verdict.word == "deny"


@pytest.mark.parametrize(
    ("name", "word"), [("PreToolUse", "deny"), ("UserPromptSubmit", "deny"), ("AgentStop", None), ("post", None)]
)
def test_a_handler_that_raises_denies_where_an_event_is_guarded(api, runner, name, word):
    api.on_event(name, "", lambda payload, ctx: 1 / 0)
    decision = runner.emit(name, tool="" if name in ("UserPromptSubmit", "AgentStop") else "Shell")
    assert decision.verdict.word == word
    assert decision.decided_by == (word and "failure")
    assert [answer.status for answer in decision.answers] == ["failed"]
    assert "ZeroDivisionError" in decision.answers[0].message


@pytest.mark.parametrize(
    "wrong",
    [
        HookResult(decision="maybe"),
        {"decision": 1},
        HookResult(decision="allow", data="text"),
        HookResult(decision="allow", message=7),
        {"decision": "allow", "note": "x"},
        True,
    ],
)
def test_an_answer_that_cannot_be_meant_is_a_failure_and_never_an_allow(api, runner, wrong):
    api.on_pre_tool_use("", lambda payload, ctx: wrong)
    decision = runner.emit("pre", tool="Shell")
    assert (decision.verdict.word, decision.decided_by) == ("deny", "failure")


def test_allow_hook_and_deny_hook_make_the_common_handlers(api, runner):
    api.on_pre_tool_use("Shell", allow_hook())
    api.on_pre_tool_use("FileRead", deny_hook("not allowed"))
    assert runner.emit("pre", tool="Shell").verdict.word == "allow"
    denied = runner.emit("pre", tool="FileRead")
    assert (denied.verdict.word, denied.message) == ("deny", "the program: not allowed")


def test_log_hook_logs_and_allows(api, runner, caplog):
    api.on_pre_tool_use("", log_hook(logging.getLogger("audit"), "seen"))
    with caplog.at_level(logging.INFO, logger="audit"):
        assert runner.emit("pre", tool="Shell").verdict.word == "allow"
    assert caplog.messages == ["seen: PreToolUse Shell"]


def test_every_member_that_takes_a_handler_is_also_a_decorator(api, runner):
    called = []

    @api.on("tool_call")
    @api.on_pre_tool_use("Shell*")
    @api.on_event("PreToolUse", "")
    @api.on_event("PreToolUse")
    @api.on_global_event("PreToolUse")
    @api.on_all_tool_use()
    def note(event: Any, ctx: Any) -> None:
        called.append(type(event).__name__)

    @api.on_post_tool_use("")
    @api.on_error()
    def others(event: Any, ctx: Any) -> None:
        called.append("after")

    assert callable(note)
    runner.emit("pre", tool="Shell")
    assert called == ["HookPayload"] * 5 + ["ToolCallEvent"]
    runner.emit("post", tool="Shell")
    assert called[-2:] == ["after", "HookPayload"] or called[-2:] == ["HookPayload", "after"]


def test_handlers_of_either_kind_run_in_the_order_of_registration(api, runner):
    called: list[int] = []
    api.on("tool_call", lambda event, ctx: called.append(1))
    api.on_pre_tool_use("", lambda payload, ctx: called.append(2))
    api.on("PreToolUse", lambda event, ctx: called.append(3))
    runner.emit("pre", tool="Shell")
    assert called == [1, 2, 3]


class Guard:
    """A handler that is an object, and methods that are handlers."""

    def __init__(self) -> None:
        self.called: list[str] = []

    async def __call__(self, payload: Any, ctx: Any) -> None:
        self.called.append(type(ctx).__name__)

    async def method(self, payload: Any, ctx: Any) -> None:
        self.called.append(type(ctx).__name__)

    def plain(self, more: str, payload: Any, ctx: Any) -> None:
        self.called.append(type(ctx).__name__ + more)


class Inherited(Guard):
    """An object whose class inherits the call."""


def test_methods_partials_and_objects_are_handlers_and_known_to_be_async_or_not(api, runner):
    guard, inherited = Guard(), Inherited()
    api.on_pre_tool_use("", guard)
    api.on_pre_tool_use("", guard.method)
    api.on_pre_tool_use("", partial(guard.plain, "!"))
    api.on_pre_tool_use("", inherited)
    assert runner.emit("pre", tool="Shell").verdict.word is None
    assert guard.called == ["AsyncHookContext", "AsyncHookContext", "HookContext!"]
    assert inherited.called == ["AsyncHookContext"]


def test_a_program_adds_handlers_without_a_file(runner):
    @runner.on("PreToolUse", "Shell*")
    def deny(payload: Any, ctx: Any) -> HookResult:
        return HookResult(decision="deny", message=payload.tool_name)

    runner.on("post", "", lambda payload, ctx: None)
    assert runner.has_handlers("tool_call")
    assert runner.has_handlers("PostToolUse")
    assert not runner.has_handlers("AgentStop")
    assert runner.emit("pre", tool="Shell").message == "the program: Shell"
    assert runner.emit("pre", tool="FileRead").verdict.word is None
