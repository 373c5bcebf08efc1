"""Payloads of agents that have a shape of their own, as their documents show them, read into one event."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest
from sweeps import sweep

from hookrun.agents import dialect_named
from hookrun.agents.payload import payload_for, payload_line
from hookrun.events.event import event_from_payload
from hookrun.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from command import Ended, Project

    from hookrun.agents.shape import Dialect
    from hookrun.model.values import Event


def named(name: str) -> Dialect:
    dialect = dialect_named(name)
    assert dialect is not None
    return dialect


def read(agent: str, payload: dict[str, Any]) -> Event:
    event, _ = event_from_payload(payload, dialect=named(agent), cwd=payload.get("cwd", "/w"))
    return event


CURSOR = {"conversation_id": "s1", "generation_id": "g1", "workspace_roots": ["/w"], "cursor_version": "2"}
WINDSURF = {"trajectory_id": "s1", "execution_id": "e1", "timestamp": "2026-01-01T00:00:00Z"}
CLINE = {"clineVersion": "3", "taskId": "s1", "workspaceRoots": ["/w"], "userId": "u1"}
COPILOT = {"sessionId": "s1", "timestamp": 1704614400000, "cwd": "/w"}
COMMON: dict[str, dict[str, Any]] = {"cursor": CURSOR, "windsurf": WINDSURF, "cline": CLINE, "copilot": COPILOT}


@sweep(
    ("agent", "payload", "event", "kind", "command", "paths"),
    [
        (
            "cursor",
            {"hook_event_name": "beforeShellExecution", "command": "ls", "cwd": "/w"},
            "PreToolUse",
            "shell",
            "ls",
            (),
        ),
        (
            "cursor",
            {"hook_event_name": "afterShellExecution", "command": "ls", "output": "a", "duration": 3},
            "PostToolUse",
            "shell",
            "ls",
            (),
        ),
        (
            "cursor",
            {"hook_event_name": "beforeReadFile", "file_path": "/w/a", "content": "x", "attachments": []},
            "PreToolUse",
            "read",
            "",
            ("/w/a",),
        ),
        (
            "cursor",
            {"hook_event_name": "beforeTabFileRead", "file_path": "/w/a", "content": "x"},
            "PreToolUse",
            "read",
            "",
            ("/w/a",),
        ),
        (
            "cursor",
            {
                "hook_event_name": "afterFileEdit",
                "file_path": "/w/a",
                "edits": [{"old_string": "a", "new_string": "b"}],
            },
            "PostToolUse",
            "edit",
            "",
            ("/w/a",),
        ),
        (
            "cursor",
            {"hook_event_name": "afterTabFileEdit", "file_path": "/w/a", "edits": []},
            "PostToolUse",
            "edit",
            "",
            ("/w/a",),
        ),
        (
            "cursor",
            {
                "hook_event_name": "preToolUse",
                "tool_name": "Write",
                "tool_input": {"file_path": "/w/a", "content": "x"},
            },
            "PreToolUse",
            "edit",
            "",
            ("/w/a",),
        ),
        ("cursor", {"hook_event_name": "beforeSubmitPrompt", "prompt": "go"}, "UserPromptSubmit", "", "", ()),
        ("cursor", {"hook_event_name": "stop", "status": "completed", "loop_count": 0}, "AgentStop", "", "", ()),
        (
            "windsurf",
            {"agent_action_name": "pre_run_command", "tool_info": {"command_line": "ls", "cwd": "/w"}},
            "PreToolUse",
            "shell",
            "ls",
            (),
        ),
        (
            "windsurf",
            {
                "agent_action_name": "pre_write_code",
                "tool_info": {"file_path": "/w/a", "edits": [{"old_string": "a", "new_string": "b"}]},
            },
            "PreToolUse",
            "edit",
            "",
            ("/w/a",),
        ),
        (
            "windsurf",
            {"agent_action_name": "post_read_code", "tool_info": {"file_path": "/w/a"}},
            "PostToolUse",
            "read",
            "",
            ("/w/a",),
        ),
        (
            "windsurf",
            {"agent_action_name": "pre_user_prompt", "tool_info": {"user_prompt": "go"}},
            "UserPromptSubmit",
            "",
            "",
            (),
        ),
        (
            "windsurf",
            {"agent_action_name": "post_cascade_response", "tool_info": {"response": "ok"}},
            "AgentStop",
            "",
            "",
            (),
        ),
        (
            "cline",
            {"hookName": "PreToolUse", "preToolUse": {"toolName": "execute_command", "parameters": {"command": "ls"}}},
            "PreToolUse",
            "shell",
            "ls",
            (),
        ),
        (
            "cline",
            {
                "hookName": "PreToolUse",
                "preToolUse": {"tool": "write_to_file", "parameters": {"path": "a", "content": "x"}},
            },
            "PreToolUse",
            "write",
            "",
            ("/w/a",),
        ),
        (
            "cline",
            {
                "hookName": "PostToolUse",
                "postToolUse": {
                    "toolName": "read_file",
                    "parameters": {"path": "a"},
                    "result": "x",
                    "success": True,
                    "executionTimeMs": 3,
                },
            },
            "PostToolUse",
            "read",
            "",
            ("/w/a",),
        ),
        (
            "cline",
            {
                "hookName": "PostToolUse",
                "postToolUse": {"toolName": "read_file", "parameters": {"path": "a"}, "result": "x", "success": False},
            },
            "PostToolUseFailure",
            "read",
            "",
            ("/w/a",),
        ),
        (
            "cline",
            {"hookName": "UserPromptSubmit", "userPromptSubmit": {"prompt": "go", "attachments": []}},
            "UserPromptSubmit",
            "",
            "",
            (),
        ),
        (
            "cline",
            {"hookName": "TaskStart", "taskStart": {"taskMetadata": {"taskId": "s1"}}},
            "SessionStart",
            "",
            "",
            (),
        ),
        (
            "cline",
            {"hookName": "TaskComplete", "taskComplete": {"taskMetadata": {"taskId": "s1"}}},
            "AgentStop",
            "",
            "",
            (),
        ),
        (
            "copilot",
            {"hook_event_name": "preToolUse", "toolName": "bash", "toolArgs": '{"command": "ls"}'},
            "PreToolUse",
            "shell",
            "ls",
            (),
        ),
        (
            "copilot",
            {"hook_event_name": "preToolUse", "toolName": "edit", "toolArgs": {"path": "a", "old_str": "1"}},
            "PreToolUse",
            "edit",
            "",
            ("/w/a",),
        ),
        (
            "copilot",
            {
                "hook_event_name": "postToolUse",
                "toolName": "view",
                "toolArgs": '{"path": "a"}',
                "toolResult": {"resultType": "failure", "textResultForLlm": "no"},
            },
            "PostToolUseFailure",
            "read",
            "",
            ("/w/a",),
        ),
        ("copilot", {"hook_event_name": "userPromptSubmitted", "prompt": "go"}, "UserPromptSubmit", "", "", ()),
        (
            "gemini",
            {"hook_event_name": "BeforeTool", "tool_name": "read_many_files", "tool_input": {"include": ["a", ".env"]}},
            "PreToolUse",
            "read",
            "",
            ("/w/a", "/w/.env"),
        ),
        (
            "gemini",
            {"hook_event_name": "BeforeTool", "tool_name": "read_many_files", "tool_input": {"paths": ["a", ".env"]}},
            "PreToolUse",
            "read",
            "",
            ("/w/a", "/w/.env"),
        ),
        (
            "gemini",
            {"hook_event_name": "BeforeTool", "tool_name": "read_file", "tool_input": {"absolute_path": "/w/a"}},
            "PreToolUse",
            "read",
            "",
            ("/w/a",),
        ),
        (
            "claude",
            {
                "hook_event_name": "PreToolUse",
                "tool_name": "NotebookEdit",
                "tool_input": {"notebook_path": "a.ipynb", "new_source": "x"},
            },
            "PreToolUse",
            "notebook",
            "",
            ("/w/a.ipynb",),
        ),
        (
            "claude",
            {
                "hook_event_name": "PreToolUse",
                "tool_name": "MultiEdit",
                "tool_input": {"file_path": "a", "edits": [{"old_string": "1", "new_string": "2"}]},
            },
            "PreToolUse",
            "edit",
            "",
            ("/w/a",),
        ),
        (
            "xcsh",
            {"event": "tool_call", "tool_name": "edit", "tool_input": {"path": "a"}},
            "PreToolUse",
            "edit",
            "",
            ("/w/a",),
        ),
    ],
)
def test_a_payload_is_read_as_its_agent_means_it(
    agent: str, payload: dict[str, Any], event: str, kind: str, command: str, paths: tuple[str, ...]
) -> None:
    common = COMMON.get(agent, {})
    found = read(agent, {**common, **payload})
    assert (found.event, found.tool, found.command, found.paths) == (event, kind, command, paths)
    assert found.dialect == agent
    if common:
        assert found.session_id == "s1"
    if event == "UserPromptSubmit":
        assert found.prompt == "go"


def test_what_ran_and_how_long_is_read_from_cursors_own_keys() -> None:
    event = read(
        "cursor", {**CURSOR, "hook_event_name": "afterShellExecution", "command": "ls", "output": "a", "duration": 3}
    )
    assert (event.tool_output, event.tool_elapsed_ms, event.tool_input) == ("a", 3, {"command": "ls"})


def test_a_hook_for_claude_reads_a_windsurf_edit_in_its_own_keys() -> None:
    edits = [{"old_string": "a", "new_string": "b"}]
    event = read(
        "windsurf", {"agent_action_name": "pre_write_code", "tool_info": {"file_path": "/w/a", "edits": edits}}
    )
    payload = payload_for(event, named("xbot"))
    assert payload["tool_input"] == {"path": "/w/a", "edits": edits}
    assert payload["raw_tool_name"] == "write_code"


def test_arguments_as_text_keep_their_text_for_hooks_of_the_same_agent() -> None:
    text = '{ "command": "ls",  "n": 1.0 }'
    event = read("copilot", {"hook_event_name": "preToolUse", "toolName": "bash", "toolArgs": text})
    assert (event.tool_input, event.tool_input_text) == ({"command": "ls", "n": 1.0}, text)


@pytest.mark.parametrize("text", ["{not JSON", '{"path": ', "plain"])
def test_arguments_that_are_no_json_stay_text(text: str) -> None:
    event = read("copilot", {"hook_event_name": "preToolUse", "toolName": "edit", "toolArgs": text})
    assert event.tool_input == text


@pytest.mark.parametrize(
    "text",
    ['{"path": ".env", "n": ' + "1" * 5000 + "}", '{"path": ".env", "n": ' + "[" * 200_000 + "]" * 200_000 + "}"],
    ids=["digits", "depth"],
)
def test_arguments_that_only_the_agent_can_read_are_an_error(text: str) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read("copilot", {"hook_event_name": "preToolUse", "toolName": "edit", "toolArgs": text})


@pytest.mark.parametrize("number", ["1e400", "-1e400", "NaN", "Infinity"])
def test_a_number_that_json_does_not_have_reaches_a_hook_as_null(number: str) -> None:
    tool_input = json.loads(f'{{"file_path": "a", "n": {number}}}')
    payload = {"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": tool_input}
    event = read("claude", payload)
    assert not math.isfinite(event.tool_input["n"])
    line = payload_line(payload_for(event, named("xbot")))
    assert json.loads(line, parse_constant=pytest.fail)["tool_input"] == {"path": "a", "n": None}


def test_half_a_character_reaches_a_hook_as_it_was() -> None:
    event = read(
        "claude", {"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"file_path": "\ud800"}}
    )
    line = payload_line(payload_for(event, named("xbot")))
    assert b'{"path": "\\ud800"}' in line
    assert event.paths == ("/w/\ud800",)


def test_of_a_key_that_stands_twice_the_last_counts_as_for_the_agent() -> None:
    event = read(
        "copilot",
        {"hook_event_name": "preToolUse", "toolName": "bash", "toolArgs": '{"command": "ls", "command": "rm"}'},
    )
    assert event.command == "rm"


@pytest.mark.parametrize(
    ("tool_input", "code"), [('{"command": "ls", "n": 1e400}', 2), ('{"command": "x", "n": NaN}', 0)]
)
def test_odd_numbers_do_not_hide_a_command_from_its_guard(
    cli: Callable[..., Ended], project: Project, tool_input: str, code: int
) -> None:
    project.script(".claude/hooks/pre/bash.sh", '#!/bin/sh\ngrep -q \'"command": "ls"\' && exit 2\nexit 0\n')
    given = f'{{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {tool_input}}}'
    assert cli("emit", "PreToolUse", "--payload", "-", "--dialect", "claude", input=given).code == code


@pytest.mark.parametrize(
    "tool_input", ["[" * 200_000 + "]" * 200_000, '{"n": ' + "1" * 5000 + "}"], ids=["depth", "digits"]
)
def test_a_payload_that_cannot_be_read_is_refused(cli: Callable[..., Ended], project: Project, tool_input: str) -> None:
    project.script(".claude/hooks/pre/bash.sh", "#!/bin/sh\nexit 0\n")
    given = f'{{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {tool_input}}}'
    ended = cli("emit", "PreToolUse", "--payload", "-", "--dialect", "claude", input=given)
    assert ended.code == 2
    assert "Traceback" not in ended.stderr
