"""A bridge reads the fields of its own agent: what another would call so never takes their place."""

from __future__ import annotations

from typing import Any

from hookrun.agents import dialect_named
from hookrun.events.payload_fields import own_fields

CALL = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}
CLINE = {
    "hookName": "tool_call",
    "tool_call": {"id": "c1", "name": "run_commands", "input": {"commands": ["ls"]}},
    "preToolUse": {"toolName": "run_commands", "parameters": {"commands": '["ls"]', "x": "[broken"}},
}
# the agent, what a payload has besides, what stays of that
BESIDE: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("claude", {"toolName": "Read", "toolInput": {}, "event": "Stop", "input": {}}, {}),
    ("claude", {"raw_tool_name": "Read", "raw_tool_input": {}}, {}),
    ("claude", {"project_dir": "/elsewhere", "workspaceRoots": ["/elsewhere"]}, {}),
    ("claude", {"preToolUse": {"toolName": "Read"}, "tool_info": {}}, {}),
    ("claude", {"conversation_id": "s"}, {"conversation_id": "s"}),
    ("claude", {"session_id": "a", "conversation_id": "b"}, {"session_id": "a"}),
    ("claude", {"note": 1}, {"note": 1}),
    ("cursor", {"workspace_roots": ["/p"]}, {"workspace_roots": ["/p"]}),
]


def read(agent: str, payload: dict[str, Any]) -> dict[str, Any]:
    dialect = dialect_named(agent)
    assert dialect is not None
    return own_fields(payload, dialect)


def test_what_another_agent_calls_a_field_does_not_count_beside_the_own_one() -> None:
    for agent, besides, left in BESIDE:
        for payload in (CALL | besides, besides | CALL):
            assert read(agent, payload) == CALL | left, (agent, besides)


def test_input_under_another_key_counts_where_there_is_no_own() -> None:
    payload = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "input": {"command": "ls"}}
    assert read("claude", payload) == payload


def test_type_is_the_event_where_the_agent_calls_it_so() -> None:
    assert read("xcsh", {"type": "tool_call", "toolName": "bash"}) == {"event": "tool_call", "toolName": "bash"}


def test_the_call_itself_counts_where_parameters_are_strings() -> None:
    found = read("cline", CLINE)
    assert (found["tool_name"], found["tool_input"]) == ("run_commands", {"commands": ["ls"]})
    assert found["tool_call_id"] == "c1"
    assert found["preToolUse"]["parameters"] == {"commands": ["ls"], "x": "[broken"}


def test_an_event_that_means_a_tool_takes_no_other_from_beside() -> None:
    payload = {"hook_event_name": "beforeShellExecution", "command": "rm x", "tool_name": "Read"}
    assert read("cursor", payload) == {"hook_event_name": "beforeShellExecution", "command": "rm x"}
