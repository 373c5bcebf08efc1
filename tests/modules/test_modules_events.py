"""The events of modules and of the SDK: their names, what each carries, and what tools are called in them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import hookrun
from hookrun.model.errors import UsageError
from hookrun.model.events import EVENTS
from hookrun.modules.events import EVENT_CLASSES

if TYPE_CHECKING:
    from hookrun import HookAPI, HookRunner

TEXT = {"type": "text", "text": "out"}
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
COMPACTION = {
    "reason": "threshold",
    "action": "compact",
    "result": {"tokens": 1},
    "aborted": True,
    "will_retry": True,
    "error_message": "no",
}
RETRY = {"attempt": 2, "max_attempts": 3, "delay_ms": 500, "error_message": "busy", "success": True, "final_error": "x"}
SWITCH = {"reason": "fork", "target_session_file": "/s/b", "previous_session_file": "/s/a"}
TREE = {
    "preparation": {
        "target_id": "t",
        "old_leaf_id": "o",
        "common_ancestor_id": "c",
        "entries_to_summarize": [{"id": "e"}],
        "user_wants_summary": True,
    },
    "new_leaf_id": "n",
    "old_leaf_id": "o",
    "summary_entry": {"id": "s"},
}
TURN = {"turn_index": 3, "timestamp": 12.5, "message": {"role": "assistant"}, "tool_results": [{"id": 1}]}
BASH = {"tool_name": "bash", "tool_call_id": "c1"}

# The events of the module system: (name, payload, class, fields where they are not the payload's own)
MODULE_EVENTS: list[tuple[str, dict[str, Any], str, dict[str, Any]]] = [
    ("session_start", {}, "SessionEvent", {}),
    ("session_before_switch", SWITCH, "SessionSwitchEvent", {}),
    ("session_switch", SWITCH, "SessionSwitchEvent", {}),
    ("session_before_branch", {"entry_id": "e1"}, "SessionBranchEvent", {}),
    ("session_branch", {"entry_id": "e1"}, "SessionBranchEvent", {}),
    (
        "session_before_compact",
        {"preparation": {"n": 1}, "branch_entries": [{"id": 1}], "custom_instructions": "short"},
        "SessionBeforeCompactEvent",
        {"cancel": None},
    ),
    ("session.compacting", {"session_id": "s1", "messages": [{"role": "user"}]}, "SessionCompactingEvent", {}),
    ("session_compact", {"compaction_entry": {"id": 1}, "from_extension": True}, "SessionCompactEvent", {}),
    ("session_before_tree", TREE, "SessionTreeEvent", {}),
    ("session_tree", TREE, "SessionTreeEvent", {}),
    ("session_shutdown", {}, "SessionEvent", {}),
    ("context", {"messages": [{"role": "user", "content": [IMAGE]}]}, "ContextEvent", {}),
    ("before_agent_start", {"prompt": "hi", "images": [IMAGE]}, "BeforeAgentStartEvent", {}),
    ("agent_start", {}, "AgentEvent", {"messages": ()}),
    ("agent_end", {"messages": [{"role": "user"}]}, "AgentEvent", {}),
    ("turn_start", {"turn_index": 3, "timestamp": 12.5}, "TurnEvent", {}),
    ("turn_end", TURN, "TurnEvent", {}),
    ("auto_compaction_start", {"reason": "overflow"}, "AutoCompactionEvent", {}),
    ("auto_compaction_end", COMPACTION, "AutoCompactionEvent", {}),
    ("auto_retry_start", RETRY, "AutoRetryEvent", {}),
    ("auto_retry_end", RETRY, "AutoRetryEvent", {}),
    ("ttsr_triggered", {"rules": [{"name": "r"}]}, "StreamRulesEvent", {}),
    ("todo_reminder", {"todos": [{"id": 1}], "attempt": 1, "max_attempts": 3}, "TodoReminderEvent", {}),
    ("tool_call", BASH | {"input": {"command": "ls"}}, "ToolCallEvent", {}),
    (
        "tool_result",
        BASH | {"input": {"command": "ls"}, "content": [TEXT, IMAGE], "details": {"code": 0}},
        "ToolResultEvent",
        {"is_error": False},
    ),
]
PLUGIN_EVENTS = (
    "PreToolUse PostToolUse PostToolUseFailure UserPromptSubmit AgentStop SessionStart SessionEnd "
    "SubAgentStart SubAgentStop PreCompact PostCompact CronFired WebhookReceived"
).split()
TWO_NAMES = [
    ("tool_call", "PreToolUse"),
    ("tool_result", "PostToolUse"),
    ("tool_result", "PostToolUseFailure"),
    ("session_start", "SessionStart"),
    ("session_shutdown", "SessionEnd"),
    ("before_agent_start", "UserPromptSubmit"),
    ("agent_end", "AgentStop"),
    ("session_before_compact", "PreCompact"),
    ("session_compact", "PostCompact"),
]


def received(api: HookAPI, runner: HookRunner, name: str, emitted: str, **values: Any) -> Any:
    """What a handler of *name* is called with when *emitted* is fired."""
    seen: list[Any] = []
    api.on(name, lambda event, ctx: seen.append(event))
    runner.emit(emitted, **values)
    (event,) = seen
    return event


def test_the_module_system_has_25_events_and_the_plugin_system_13():
    assert (len(MODULE_EVENTS), len(PLUGIN_EVENTS)) == (25, 13)
    assert {name for name, *_ in MODULE_EVENTS} == set(EVENT_CLASSES)
    assert set(PLUGIN_EVENTS) <= set(EVENTS)


@pytest.mark.parametrize(("name", "payload", "kind", "more"), MODULE_EVENTS, ids=[e[0] for e in MODULE_EVENTS])
def test_an_event_of_the_module_system_carries_its_fields(api, runner, name, payload, kind, more):
    event = received(api, runner, name, name, payload=payload)
    assert type(event) is getattr(hookrun, kind)
    assert event.type == name
    wanted = {key: tuple(value) if isinstance(value, list) else value for key, value in payload.items()}
    assert {field: getattr(event, field) for field in wanted | more} == wanted | more


@pytest.mark.parametrize("name", PLUGIN_EVENTS)
def test_an_event_of_the_plugin_system_reaches_a_handler_of_the_sdk(api, runner, name):
    seen: list[Any] = []
    api.on_event(name, "", lambda payload, ctx: seen.append(payload))
    runner.emit(name, tool="Shell" if EVENTS[name].has_tool else "", session_id="s1")
    assert [(type(payload), payload.event, payload.session_id) for payload in seen] == [
        (hookrun.HookPayload, name, "s1")
    ]


@pytest.mark.parametrize(("module_name", "name"), TWO_NAMES)
def test_two_names_of_one_event_reach_the_same_handlers(api, runner, module_name, name):
    tool = "bash" if EVENTS[name].has_tool else ""
    assert received(api, runner, module_name, name, tool=tool).type == module_name
    seen: list[Any] = []
    api.on(name, lambda event, ctx: seen.append(event.type))
    emitted = name if name == "PostToolUseFailure" else module_name
    runner.emit(emitted, tool=tool)
    assert seen == [module_name]


@pytest.mark.parametrize("spelling", ["session.compacting", "session_compacting", "SessionCompacting"])
def test_an_event_may_be_spelled_in_any_way(api, runner, spelling):
    assert received(api, runner, spelling, "session.compacting").type == "session.compacting"


def test_an_unknown_event_is_an_error_that_names_the_nearest(api):
    with pytest.raises(UsageError, match="unknown event 'tool_cal'") as raised:
        api.on("tool_cal", print)
    assert raised.value.hint == "did you mean tool_call?"


def test_what_cannot_be_called_is_no_handler(api):
    with pytest.raises(TypeError, match="cannot be called"):
        api.on("tool_call", "guard")


def test_an_event_without_a_class_of_its_own_holds_all_that_is_known(api, runner):
    payload = {"cron": "nightly", "data": {"a": [1]}}
    event = received(api, runner, "CronFired", "CronFired", payload=payload)
    assert (type(event), event.type, event.fields) == (hookrun.OtherEvent, "CronFired", payload)
    asked = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    event = received(api, runner, "PermissionRequest", "PermissionRequest", payload=asked)
    assert event.fields == asked


def test_fields_may_come_in_camel_case(api, runner):
    event = received(api, runner, "turn_end", "turn_end", payload={"turnIndex": 7, "toolResults": [1]})
    assert (event.turn_index, event.tool_results) == (7, (1,))


def test_the_cancel_token_of_an_agent_reaches_handlers_as_it_is(api, runner):
    token = hookrun.Cancel()
    event = received(api, runner, "session_before_compact", "PreCompact", fields={"cancel": token})
    assert event.cancel is token


@pytest.mark.parametrize(
    ("tool", "given", "name", "seen"),
    [
        ("Bash", {"command": "ls"}, "bash", {"command": "ls"}),
        ("run_shell_command", {"command": "ls"}, "bash", {"command": "ls"}),
        ("Write", {"file_path": "a", "content": "b"}, "write", {"path": "a", "content": "b"}),
        ("write", {"path": "a", "content": "b"}, "write", {"path": "a", "content": "b"}),
        ("my_own_tool", {"anything": 1}, "my_own_tool", {"anything": 1}),
    ],
)
def test_modules_see_tools_under_the_names_and_keys_of_xcsh(api, runner, tool, given, name, seen):
    event = received(api, runner, "tool_call", "PreToolUse", tool=tool, tool_input=given)
    assert (event.tool_name, event.input) == (name, seen)
    assert (event.raw_tool_name, event.raw_tool_input) == (tool, given)


@pytest.mark.parametrize(
    ("tool", "given", "name", "seen"),
    [
        ("bash", {"command": "ls"}, "Shell", {"command": "ls"}),
        ("Write", {"file_path": "a", "content": "b"}, "FileCreate", {"path": "a", "content": "b"}),
    ],
)
def test_handlers_of_the_sdk_see_tools_under_the_names_and_keys_of_xbot(api, runner, tool, given, name, seen):
    payloads: list[Any] = []
    api.on_pre_tool_use("", lambda payload, ctx: payloads.append(payload))
    runner.emit("PreToolUse", tool=tool, tool_input=given)
    (payload,) = payloads
    assert (payload.tool_name, json.loads(payload.tool_input)) == (name, seen)
    assert (payload.raw_tool_name, payload.raw_tool_input) == (tool, given)


def test_the_text_of_an_input_reaches_the_sdk_as_it_was_given(api, runner):
    payloads: list[Any] = []
    api.on_pre_tool_use("", lambda payload, ctx: payloads.append(payload.tool_input))
    runner.emit("PreToolUse", tool="Shell", tool_input_text='{ "command":"l\\u0073" }')
    assert payloads == ['{ "command":"l\\u0073" }']


def test_a_payload_of_the_sdk_carries_the_fields_of_the_plugin_system(api, runner):
    payloads: list[Any] = []
    api.on_post_tool_use("", lambda payload, ctx: payloads.append(payload))
    given = {
        "tool_name": "Shell",
        "tool_input": '{"command": "ls"}',
        "tool_output": "out",
        "tool_elapsed_ms": 12,
        "session_id": "s",
        "channel": "c",
        "chat_id": "h",
        "user_id": "u",
        "tenant_id": 7,
        "extra": {"model": "m", "max_context": 9, "prompt_tokens": 1, "comp_tokens": 2},
    }
    runner.emit("PostToolUse", payload=given)
    (payload,) = payloads
    assert {key: getattr(payload, key) for key in given} == given


def test_what_belongs_to_one_event_is_in_extra(api, runner):
    payloads: list[Any] = []
    api.on_event("WebhookReceived", "", lambda payload, ctx: payloads.append(payload.extra))
    runner.emit("WebhookReceived", payload={"webhook": "deploy", "extra": {"model": "m"}})
    assert payloads == [{"webhook": "deploy", "model": "m"}]


@pytest.mark.parametrize(
    ("text", "kept"),
    [("a" * 9000, 8192), ("a" * 8191 + "é", 8191), ("a" * 8190 + "한", 8190), ("a" * 8189 + "😀", 8189)],
)
def test_the_sdk_sees_8192_bytes_of_output_and_modules_all_of_it(api, runner, text, kept):
    outputs: list[str] = []
    api.on_post_tool_use("", lambda payload, ctx: outputs.append(payload.tool_output))
    event = received(api, runner, "tool_result", "PostToolUse", tool="Shell", tool_output=text)
    assert outputs == [text[:kept]]
    assert event.content == ({"type": "text", "text": text},)


def test_a_tool_that_failed_tells_its_error_as_content(api, runner):
    event = received(api, runner, "tool_result", "PostToolUseFailure", tool="bash", tool_error="exit 1")
    assert (event.is_error, event.content) == (True, ({"type": "text", "text": "exit 1"},))


def test_is_error_tells_the_two_results_apart(api, runner):
    payload = BASH | {"input": {}, "content": [TEXT], "is_error": True}
    event = received(api, runner, "tool_result", "tool_result", payload=payload)
    assert (event.is_error, event.content) == (True, (TEXT,))


def test_a_structured_output_is_the_details(api, runner):
    event = received(api, runner, "tool_result", "post", tool="bash", tool_output={"stdout": "x"})
    assert event.details == {"stdout": "x"}
    assert json.loads(event.content[0]["text"]) == {"stdout": "x"}


def test_an_event_cannot_be_changed(api, runner):
    event = received(api, runner, "tool_call", "pre", tool="bash")
    with pytest.raises(AttributeError, match="frozen"):
        event.tool_name = "other"


def test_what_a_handler_changes_in_an_event_does_not_reach_the_caller(api, runner):
    @api.on("tool_call")
    def change(event: Any, ctx: Any) -> None:
        event.input["command"] = "rm"
        event.input["options"]["force"] = True
        event.raw_tool_input["more"] = 1

    @api.on_pre_tool_use("")
    def change_too(payload: Any, ctx: Any) -> None:
        payload.raw_tool_input["options"]["force"] = True
        payload.extra["model"] = "other"

    given = {"command": "ls", "options": {"force": False}}
    decision = runner.emit("PreToolUse", tool="bash", tool_input=given, extra={"model": "m"})
    assert given == {"command": "ls", "options": {"force": False}}
    assert decision.event.tool_input == given
    assert decision.event.extra == {"model": "m"}


def test_messages_that_a_handler_changes_are_its_own(api, runner):
    messages = [{"role": "user", "content": ["a"]}]

    @api.on("context")
    def change(event: Any, ctx: Any) -> dict[str, Any]:
        event.messages[0]["content"].append("b")
        return {"messages": event.messages}

    decision = runner.emit("context", fields={"messages": messages})
    assert messages == [{"role": "user", "content": ["a"]}]
    assert decision.result == {"messages": [{"role": "user", "content": ["a", "b"]}]}


@pytest.mark.parametrize("name", ["turn_start", "CronFired", "agent_start", "session_switch"])
def test_an_event_without_results_takes_any(api, runner, name):
    api.on(name, lambda event, ctx: "anything")
    decision = runner.emit(name)
    assert (decision.result, decision.verdict.word) == (None, None)
    assert [answer.status for answer in decision.answers] == ["ran"]
