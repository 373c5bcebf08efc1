"""What the hooks of agents' settings read on stdin: the recorded payloads, and events of other agents."""

from __future__ import annotations

import pytest
from recorded_payloads import named_by, recorded
from sweeps import sweep

from hookrun.agents import dialect_named
from hookrun.agents.own_payload import own_payload
from hookrun.events.event import event_from_payload, make_event

RECORDED = [
    pytest.param(agent, payload, id=f"{agent}-{number}") for number, (agent, payload) in enumerate(recorded(), 1)
]


def event(name, agent="xbot", **values):
    made, _ = make_event(name, dialect=dialect_named(agent), **values)
    return made


def written(given, agent, own_event):
    return own_payload(given, dialect_named(agent), own_event)


@sweep(("agent", "payload"), RECORDED)
def test_a_recorded_event_is_written_as_it_was(agent, payload):
    read, _ = event_from_payload(payload, dialect=dialect_named(agent))
    assert named_by(payload, agent, written(read, agent, payload["hook_event_name"])) == payload


def test_a_call_of_another_agent_has_claudes_names_and_keys():
    call = event(
        "PreToolUse",
        tool_name="FileReplace",
        tool_input={"path": "/p/a", "old_string": "x", "new_string": "y"},
        session_id="s",
        cwd="/p",
        tool_call_id="c",
        fields={"channel_kind": "web"},
    )
    assert written(call, "claude", "PreToolUse") == {
        "session_id": "s",
        "transcript_path": "",
        "cwd": "/p",
        "hook_event_name": "PreToolUse",
        "permission_mode": "default",
        "tool_name": "Edit",
        "tool_input": {"file_path": "/p/a", "old_string": "x", "new_string": "y"},
        "tool_use_id": "c",
    }


def test_the_output_is_not_cut_for_a_hook_of_settings():
    text = "x" * 100_000
    call = event("PostToolUse", tool_name="Shell", tool_input={"command": "x"}, tool_output=text)
    assert len(call.tool_output) == 8192
    assert written(call, "codex", "PostToolUse")["tool_response"] == text
    assert written(call, "gemini", "AfterTool")["tool_response"]["llmContent"] == text
    assert written(call, "claude", "PostToolUse")["tool_response"] == text


def test_a_failure_is_told_as_each_agent_tells_it():
    call = event("PostToolUseFailure", tool_name="Shell", tool_input={"command": "x"}, tool_error="no")
    assert written(call, "claude", "PostToolUseFailure")["error"] == "no"
    assert written(call, "codex", "PostToolUse")["tool_response"] == "no"
    assert written(call, "gemini", "AfterTool")["tool_response"]["error"] == {"message": "no"}
    assert written(call, "cline", "PostToolUse")["postToolUse"]["success"] is False


@pytest.mark.parametrize(
    ("agent", "own_event", "keys"),
    [
        ("cursor", "beforeShellExecution", {"command": "ls", "cwd": "/p", "conversation_id": "s"}),
        ("cursor", "preToolUse", {"tool_name": "Shell", "tool_input": {"command": "ls"}}),
        ("copilot", "preToolUse", {"sessionId": "s", "toolName": "bash", "toolArgs": {"command": "ls"}}),
        ("copilot", "PreToolUse", {"session_id": "s", "tool_name": "Bash", "hook_event_name": "PreToolUse"}),
        ("windsurf", "pre_run_command", {"tool_info": {"command_line": "ls", "cwd": "/p"}}),
        ("cline", "PreToolUse", {"preToolUse": {"toolName": "execute_command", "parameters": {"command": "ls"}}}),
        ("droid", "PreToolUse", {"tool_name": "Execute", "permission_mode": "off"}),
        ("qwen", "PreToolUse", {"tool_name": "run_shell_command", "hook_event_name": "PreToolUse"}),
        ("xbot", "PreToolUse", {"event": "PreToolUse", "tool_name": "Shell", "session_id": "s"}),
    ],
)
def test_agents_with_a_shape_of_their_own_get_it(agent, own_event, keys):
    call = event("PreToolUse", tool_name="Shell", tool_input={"command": "ls"}, session_id="s", cwd="/p")
    found = written(call, agent, own_event)
    assert {key: found.get(key) for key in keys} == keys


@pytest.mark.parametrize(
    ("agent", "own_event", "name", "keys"),
    [
        ("claude", "Stop", "AgentStop", {"stop_hook_active": False}),
        ("claude", "SessionStart", "SessionStart", {"source": "startup"}),
        ("gemini", "AfterAgent", "AgentStop", {"stop_hook_active": False, "prompt": "go"}),
        ("gemini", "BeforeAgent", "UserPromptSubmit", {"prompt": "go"}),
        ("cursor", "beforeSubmitPrompt", "UserPromptSubmit", {"prompt": "go"}),
        ("cursor", "stop", "AgentStop", {"status": "completed"}),
        ("copilot", "userPromptSubmitted", "UserPromptSubmit", {"prompt": "go"}),
        ("windsurf", "pre_user_prompt", "UserPromptSubmit", {"tool_info": {"user_prompt": "go"}}),
        ("cline", "UserPromptSubmit", "UserPromptSubmit", {"userPromptSubmit": {"prompt": "go", "attachments": []}}),
    ],
)
def test_events_without_a_tool_have_what_their_agent_says_of_them(agent, own_event, name, keys):
    found = written(event(name, prompt="go"), agent, own_event)
    assert {key: found.get(key) for key in keys} == keys
    assert "tool_name" not in found


PATCH = "*** Begin Patch\n*** Add File: /p/a.py\n+key = 1\n*** End Patch"
TWO = [{"oldText": "x", "newText": "y"}, {"oldText": "q", "newText": "z"}]


@sweep(
    ("agent", "tool", "tool_input", "edits"),
    [
        ("claude", "Write", {"file_path": "/p/a.py", "content": "key = 1"}, [("", "key = 1")]),
        ("gemini", "write_file", {"file_path": "/p/a.py", "content": "key = 1"}, [("", "key = 1")]),
        ("copilot", "create", {"path": "/p/a.py", "file_text": "key = 1"}, [("", "key = 1")]),
        ("claude", "Edit", {"file_path": "/p/a.py", "old_string": "x", "new_string": "y"}, [("x", "y")]),
        ("claude", "Edit", {"file_path": "/p/a.py", "old_string": "x", "new_string": ""}, [("x", "")]),
        ("copilot", "edit", {"path": "/p/a.py", "old_str": "x", "new_str": "y"}, [("x", "y")]),
        ("xcsh", "edit", {"path": "/p/a.py", "edits": TWO}, [("x", "y"), ("q", "z")]),
        ("codex", "apply_patch", {"command": PATCH}, [("", PATCH)]),
    ],
)
def test_who_hears_of_edits_sees_what_any_agent_writes(agent, tool, tool_input, edits):
    wanted = [{"old_string": old, "new_string": new} for old, new in edits]
    for name in ("PreToolUse", "PostToolUse"):
        call = event(name, agent, tool_name=tool, tool_input=tool_input)
        own = "pre_write_code" if name == "PreToolUse" else "post_write_code"
        assert written(call, "windsurf", own)["tool_info"] == {"file_path": "/p/a.py", "edits": wanted}
        if name == "PostToolUse":
            found = written(call, "cursor", "afterFileEdit")
            assert (found["file_path"], found["edits"]) == ("/p/a.py", wanted)


CLINES = {"server_name": "gh", "tool_name": "list", "arguments": '{"a": 1}'}


@sweep(
    ("agent", "tool", "tool_input", "server"),
    [
        ("claude", "mcp__gh__list", {"a": 1}, "gh"),
        ("codex", "mcp__gh__list", {"a": 1}, "gh"),
        ("xbot", "mcp__gh__list", {"a": 1}, "gh"),
        ("gemini", "mcp_gh_list", {"a": 1}, "gh"),
        ("cursor", "MCP:list", {"a": 1}, ""),
        ("cline", "use_mcp_tool", CLINES, "gh"),
    ],
)
def test_windsurf_hears_server_tool_and_arguments_of_any_agents_call(agent, tool, tool_input, server):
    info = {"mcp_server_name": server, "mcp_tool_name": "list", "mcp_tool_arguments": {"a": 1}}
    call = event("PreToolUse", agent, tool_name=tool, tool_input=tool_input)
    payload = written(call, "windsurf", "pre_mcp_tool_use")
    assert payload["tool_info"] == info
    again, _ = event_from_payload(payload, dialect=dialect_named("windsurf"))
    assert again.kinds == ("mcp",)
    if server:
        back = written(again, "claude", "PreToolUse")
        assert (back["tool_name"], back["tool_input"]) == ("mcp__gh__list", {"a": 1})
    after = event("PostToolUse", agent, tool_name=tool, tool_input=tool_input, tool_output="done")
    assert written(after, "windsurf", "post_mcp_tool_use")["tool_info"] == info | {"mcp_result": "done"}


def test_what_an_agent_says_beside_its_own_edits_is_kept():
    edit = {"old_string": "x", "new_string": "y", "range": {"start_line_number": 1}, "old_line": "x"}
    cursor = {"hook_event_name": "afterTabFileEdit", "file_path": "/p/a", "edits": [edit]}
    read, _ = event_from_payload(cursor, dialect=dialect_named("cursor"))
    assert written(read, "cursor", "afterTabFileEdit")["edits"] == [edit]
    info = {"file_path": "/p/a", "edits": [edit], "more": 1}
    windsurf = {"agent_action_name": "pre_write_code", "tool_info": info}
    read, _ = event_from_payload(windsurf, dialect=dialect_named("windsurf"))
    assert written(read, "windsurf", "pre_write_code")["tool_info"] == info
