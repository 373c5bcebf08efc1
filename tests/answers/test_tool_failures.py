"""A tool that failed, told as a tool_result: what its handlers, its hooks and its reader are told of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from hookrun.agents import dialect_named
from hookrun.events.event import event_from_payload

if TYPE_CHECKING:
    from collections.abc import Callable

    from command import Ended, Project

    from hookrun import HookAPI, HookRunner

ERROR = {"type": "text", "text": "disk full"}
SUCCESS, FAILURE = "on_post_tool_use", "on_error"
WAYS: list[dict[str, Any]] = [
    {"payload": {"isError": True, "content": [ERROR]}},
    {"payload": {"is_error": True, "content": [ERROR]}},
    {"payload": {"is-error": True, "error": "disk full"}},
    {"payload": {"tool_error": "disk full"}},
    {"payload": {"errorMessage": "disk full", "details": {"code": 5}}},
    {"payload": {"isError": True, "output": "disk full"}},
    {"payload": {"success": False, "error": {"message": "disk full"}}},
    {"tool_error": "disk full"},
    {"is_error": True, "tool_error": "disk full"},
    {"is_error": True, "tool_output": "disk full"},
    {"is_error": True, "fields": {"content": [ERROR]}},
    {"fields": {"isError": True}, "tool_output": "disk full"},
]
SUCCESSES: list[dict[str, Any]] = [
    {"payload": {"isError": False, "content": [ERROR]}},
    {"payload": {"content": [ERROR], "error": None}},
    {"payload": {"output": "disk full", "error": ""}},
    {"payload": {"output": "disk full", "error": "a warning", "success": True}},
    {"is_error": False, "tool_output": "disk full", "tool_error": "a warning"},
]


IN_RESULTS: list[tuple[str, str, Any]] = [
    *[
        (agent, "anything", {key: value, "content": [ERROR]})
        for agent in ("claude", "codex", "copilot", "gemini", "xbot")
        for key in ("isError", "is_error", "IsError", "is-error")
        for value in (True, "true", "True", 1, "1")
    ],
    ("claude", "mcp__s__t", {"isError": True, "content": [], "error": {"message": "disk full"}}),
    ("gemini", "read_file", {"llmContent": "x", "error": {"message": "disk full"}}),
    ("copilot", "view", {"resultType": "failure", "textResultForLlm": "disk full"}),
    ("cline", "read_files", json.dumps([{"success": True}, {"success": False, "error": "disk full"}])),
    ("cline", "editor", json.dumps({"success": False, "error": "disk full"})),
    ("cline", "editor", {"success": "false", "error": "disk full"}),
]
NOT_IN_RESULTS: list[tuple[str, str, Any]] = [
    *[("claude", "anything", {"isError": value}) for value in (False, "false", 0, "0", None, "", [], "no")],
    ("claude", "Read", {"file": {"content": "{}", "isError": True}}),
    ("claude", "anything", {"success": False}),  # of what the tool is about, for all that is known
    ("codex", "Bash", json.dumps({"isError": True})),  # what a command printed
    ("claude", "Bash", {"stdout": "Exit Code: 3", "stderr": ""}),
    ("gemini", "run_shell_command", {"llmContent": "Output: hi\nExit Code: 3\n"}),  # the command's own affair
    ("copilot", "bash", {"resultType": "success", "textResultForLlm": "<completed with exit code 3>"}),
    ("cline", "read_files", json.dumps([{"success": True}])),
    ("cline", "read_files", "[broken"),
]


def told_by(agent: str, tool: str, response: Any) -> Any:
    payload = {"event": "PostToolUse", "tool_name": tool, "tool_input": {}, "tool_response": response}
    return event_from_payload(payload, dialect=dialect_named(agent))[0]


def test_a_failure_that_is_told_inside_of_the_result_is_one():
    for agent, tool, response in IN_RESULTS:
        event = told_by(agent, tool, response)
        assert (event.event, event.tool_error) == ("PostToolUseFailure", "disk full"), (agent, tool, response)


def test_a_result_that_tells_of_no_failure_is_a_success():
    for agent, tool, response in NOT_IN_RESULTS:
        assert told_by(agent, tool, response).event == "PostToolUse", (agent, tool, response)


def test_so_it_is_of_signs_beside_the_result():
    for sign in ({"isError": "true"}, {"is_error": 1}, {"success": "false"}, {"success": 0}):
        payload = {"event": "PostToolUse", "tool_name": "Bash", "tool_input": {}, "output": "x", **sign}
        assert event_from_payload(payload)[0].event == "PostToolUseFailure", sign


@pytest.fixture
def heard(api: HookAPI) -> list[Any]:
    """Who is told of a tool's end, and what."""
    told: list[Any] = []
    api.on("tool_result", lambda event, ctx: told.append((event.is_error, event.content)))
    api.on_post_tool_use("", lambda payload, ctx: told.append((SUCCESS, payload.tool_output)))
    api.on_error(lambda payload, ctx: told.append((FAILURE, payload.tool_error)))
    return told


@pytest.mark.parametrize("name", ["tool_result", "PostToolUse", "post"])
@pytest.mark.parametrize("way", WAYS)
def test_a_failure_is_told_as_one(heard: list[Any], runner: HookRunner, way: dict[str, Any], name: str):
    decision = runner.emit(name, tool="read", tool_input={"path": "a"}, **way)
    assert decision.event.event == "PostToolUseFailure"
    assert heard == [(True, (ERROR,)), (FAILURE, "disk full")]


@pytest.mark.parametrize("way", SUCCESSES)
def test_a_success_stays_one(heard: list[Any], runner: HookRunner, way: dict[str, Any]):
    decision = runner.emit("tool_result", tool="read", tool_input={"path": "a"}, **way)
    assert decision.event.event == "PostToolUse"
    assert heard == [(False, (ERROR,)), (SUCCESS, "disk full")]


def test_emit_tool_result_tells_it_too(heard: list[Any], runner: HookRunner):
    runner.emit_tool_result("read", {"path": "a"}, is_error=True, tool_output="disk full")
    assert heard == [(True, (ERROR,)), (FAILURE, "disk full")]


TELLING = """
def hook(api):
    tell = lambda *what: open("told", "a").write(repr(what) + "\\n")
    api.on("tool_result", lambda event, ctx: tell(event.is_error, event.content))
    api.on_post_tool_use("", lambda payload, ctx: tell("on_post_tool_use"))
    api.on_error(lambda payload, ctx: tell("on_error", payload.tool_error))
"""
TOLD = "(True, ({'type': 'text', 'text': 'disk full'},))\n('on_error', 'disk full')\n"
CALL = {"toolName": "read", "input": {"path": "a"}}


@pytest.mark.parametrize(
    "words",
    [
        ("--payload", json.dumps(CALL | {"isError": True, "content": [ERROR]})),
        ("--payload", json.dumps(CALL | {"is_error": True, "error": "disk full"})),
        ("--tool", "read", "--input", '{"path": "a"}', "--error", "disk full"),
    ],
)
def test_so_it_is_on_the_command_line(cli: Callable[..., Ended], project: Project, words: tuple[str, ...]):
    project.script(".hookrun/hooks/telling.py", TELLING, mode=0o644)
    assert cli("emit", "tool_result", *words).code == 0
    assert (project.path / "told").read_text() == TOLD


@pytest.mark.parametrize("error", [{"isError": True, "content": [ERROR]}, {"error": "disk full"}])
def test_so_it_is_under_a_bridge(cli: Callable[..., Ended], project: Project, error: dict[str, Any]):
    project.script(".hookrun/hooks/telling.py", TELLING, mode=0o644)
    payload = {"event": "tool_result", "tool_name": "read", "input": {"path": "a"}, **error}
    cli("trust", "--yes", env={"HOOKRUN_TRUST": ""})  # for a bridge HOOKRUN_TRUST does not count
    assert cli("bridge", "xcsh", input=json.dumps(payload)).code == 0
    assert (project.path / "told").read_text() == TOLD


@pytest.mark.parametrize(("event", "seen"), [("PreToolUse", ""), ("PostToolUse", "out"), ("fail", "")])
def test_only_a_success_has_an_output(
    cli: Callable[..., Ended], project: Project, runner: HookRunner, event: str, seen: str
):
    """Neither in a payload of the SDK, nor on stdin or in the variable of a script."""
    told = []
    runner.on(event, "", lambda payload, ctx: told.append(payload.tool_output))
    error = "" if seen else "boom"
    runner.emit(event, tool="Shell", tool_input={}, tool_output="out", tool_error=error)
    assert told == [seen]
    script = '#!/bin/sh\nread -r line\nprintf "%s\\n%s" "$XBOT_TOOL_OUTPUT" "$line" > told\n'
    project.manifest("p", script=script, hooks=[{"event": runner.event(event, tool="Shell")[0].event}])
    cli("emit", event, "--tool", "Shell", "--output", "out", "--error", error)
    variable, line = (project.path / "told").read_text().split("\n")
    assert (variable, json.loads(line).get("tool_output", "")) == (seen, seen)
