"""One guard for an MCP tool is asked whichever agent calls that tool, and however it spells the name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from sweeps import sweep

from hookrun.agents import dialect_named, tool_names
from hookrun.agents.payload import payload_for
from hookrun.events.event import event_from_payload
from hookrun.matching.matchers import compile_glob
from hookrun.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from command import Ended, Project

    from hookrun.agents.shape import Dialect
    from hookrun.model.values import Event

CALLS: dict[str, dict[str, Any]] = {
    "claude": {"hook_event_name": "PreToolUse", "tool_name": "mcp__github__create_issue", "tool_input": {"t": 1}},
    "codex": {"hook_event_name": "PreToolUse", "tool_name": "mcp__github__create_issue", "tool_input": {"t": 1}},
    "gemini": {"hook_event_name": "BeforeTool", "tool_name": "mcp_github_create_issue", "tool_input": {"t": 1}},
    "droid": {"hook_event_name": "PreToolUse", "tool_name": "mcp__github__create_issue", "tool_input": {"t": 1}},
    "qwen": {"hook_event_name": "PreToolUse", "tool_name": "mcp__github__create_issue", "tool_input": {"t": 1}},
    "cursor": {"hook_event_name": "preToolUse", "tool_name": "MCP:create_issue", "tool_input": {"t": 1}},
    "cursor before": {"hook_event_name": "beforeMCPExecution", "tool_name": "create_issue", "tool_input": '{"t": 1}'},
    "cline": {
        "hookName": "PreToolUse",
        "preToolUse": {
            "toolName": "use_mcp_tool",
            "parameters": {"server_name": "github", "tool_name": "create_issue", "arguments": '{"t": 1}'},
        },
    },
    "windsurf": {
        "agent_action_name": "pre_mcp_tool_use",
        "tool_info": {"mcp_server_name": "github", "mcp_tool_name": "create_issue", "mcp_tool_arguments": {"t": 1}},
    },
}
EVERY_CALL = pytest.mark.parametrize("call", CALLS)
GUARDS = ("mcp__github__create_issue", "mcp__github__*", "mcp__*", "mcp__*__create_issue", "Read|mcp__github__*")


def named(name: str) -> Dialect:
    dialect = dialect_named(name)
    assert dialect is not None
    return dialect


def event_of(call: str, payload: dict[str, Any] | None = None) -> Event:
    agent = call.split()[0]
    event, problems = event_from_payload(payload or CALLS[call], dialect=named(agent), cwd="/w")
    assert problems == ()
    return event


def is_asked(matcher: str, event: Event, dialect: str) -> bool:
    return compile_glob(matcher)(event, tool_names(event, named(dialect)))


@EVERY_CALL
@sweep("dialect", ["xbot", "claude", "codex"])
@sweep("matcher", GUARDS)
def test_a_guard_for_an_mcp_tool_is_asked_by_every_agent(call: str, matcher: str, dialect: str) -> None:
    event = event_of(call)
    assert event.kinds == ("mcp",)
    assert is_asked(matcher, event, dialect)


@EVERY_CALL
@sweep("dialect", ["xbot", "claude", "codex"])
@sweep("matcher", ["mcp__github__delete_repo", "mcp__github__create_issue_now", "Shell", "Bash"])
def test_a_guard_for_another_tool_is_not_asked(call: str, matcher: str, dialect: str) -> None:
    assert not is_asked(matcher, event_of(call), dialect)


@EVERY_CALL
def test_a_guard_of_another_server_is_asked_only_where_the_agent_does_not_say_the_server(call: str) -> None:
    assert is_asked("mcp__gitlab__*", event_of(call), "xbot") == call.startswith("cursor")


@EVERY_CALL
@sweep("dialect", ["xbot", "claude", "gemini"])
def test_a_hook_reads_the_tools_own_arguments(call: str, dialect: str) -> None:
    assert payload_for(event_of(call), named(dialect))["tool_input"] == {"t": 1}


@pytest.mark.parametrize(
    ("call", "dialect", "shown"),
    [
        ("cline", "xbot", "mcp__github__create_issue"),
        ("windsurf", "claude", "mcp__github__create_issue"),
        ("windsurf", "gemini", "mcp_github_create_issue"),
        ("windsurf", "cursor", "MCP:create_issue"),
        ("windsurf", "cline", "use_mcp_tool"),
        ("claude", "windsurf", "mcp_tool_use"),
        ("cline", "cline", "use_mcp_tool"),
    ],
)
def test_the_name_that_a_hook_is_shown_is_its_own(call: str, dialect: str, shown: str) -> None:
    event = event_of(call)
    assert tool_names(event, named(dialect))[0] == shown
    assert event.tool_name in tool_names(event, named(dialect))


@pytest.mark.parametrize(
    "parameters",
    [{}, {"server_name": "github"}, {"tool_name": "create_issue"}, {"server_name": 3, "tool_name": None}, "text"],
)
def test_a_name_that_cannot_be_read_is_everybodys(parameters: Any) -> None:
    payload = {"hookName": "PreToolUse", "preToolUse": {"toolName": "use_mcp_tool", "parameters": parameters}}
    event, _ = event_from_payload(payload, dialect=named("cline"))
    assert is_asked("mcp__github__create_issue", event, "xbot")
    assert is_asked("mcp__github__*", event, "claude")


def test_a_server_with_blanks_in_its_name_is_found_as_others_spell_it() -> None:
    info = {"mcp_server_name": "my server", "mcp_tool_name": "do.it", "mcp_tool_arguments": {}}
    event = event_of("windsurf", {"agent_action_name": "pre_mcp_tool_use", "tool_info": info})
    assert is_asked("mcp__my_server__do_it", event, "claude")
    assert is_asked("mcp__my server__do.it", event, "claude")
    assert not is_asked("mcp__your_server__*", event, "claude")


@pytest.mark.parametrize("matcher", ["mcp__git__hub_create", "mcp__git_hub__create", "mcp__git__*"])
def test_a_name_that_can_be_read_in_two_ways_reaches_the_guards_of_both(matcher: str) -> None:
    event = event_of("gemini", {"hook_event_name": "BeforeTool", "tool_name": "mcp_git_hub_create", "tool_input": {}})
    assert is_asked(matcher, event, "claude")
    assert is_asked(matcher, event, "xbot")


def test_an_mcp_event_of_cursor_without_a_tool_is_an_error() -> None:
    with pytest.raises(UsageError, match="names no tool"):
        event_from_payload({"hook_event_name": "beforeMCPExecution", "tool_input": "{}"}, dialect=named("cursor"))


def test_what_an_mcp_tool_answered_is_its_output() -> None:
    info = CALLS["windsurf"]["tool_info"] | {"mcp_result": "done"}
    event = event_of("windsurf", {"agent_action_name": "post_mcp_tool_use", "tool_info": info})
    assert (event.event, event.tool_output) == ("PostToolUse", "done")


@EVERY_CALL
def test_a_guard_in_a_manifest_denies_every_agents_call(cli: Callable[..., Ended], project: Project, call: str) -> None:
    project.manifest(
        "issues",
        script="#!/bin/sh\necho no >&2\nexit 2\n",
        hooks=[{"event": "PreToolUse", "matcher": "mcp__github__create_issue"}],
    )
    words = ("emit", "PreToolUse", "--dialect", call.split()[0], "--payload", "-", "--format", "json")
    ended = cli(*words, input=json.dumps(CALLS[call]))
    assert (ended.code, ended.document["decided_by"]) == (2, "guard")
