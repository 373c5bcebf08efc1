"""Events as real agents sent them: read, handed to a hook of any other dialect, and written down again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from recorded_payloads import named_by, recorded, session_of
from sweeps import sweep

from hookrun.agents import DIALECTS, dialect_named, own_event_name, tool_names
from hookrun.agents.own_payload import own_payload
from hookrun.agents.payload import payload_for, payload_line
from hookrun.agents.translate import translate_back, translate_input
from hookrun.events.event import event_from_payload
from hookrun.model.events import EVENTS

if TYPE_CHECKING:
    from hookrun.agents.shape import Dialect
    from hookrun.model.values import Event

LINES = recorded()
RECORDED = sweep(("agent", "payload"), LINES, ids=[f"{agent}-{payload['hook_event_name']}" for agent, payload in LINES])
EVERY_DIALECT = sweep("hook_dialect", DIALECTS, ids=lambda dialect: dialect.name)


def named(name: str) -> Dialect:
    dialect = dialect_named(name)
    assert dialect is not None
    return dialect


def read(agent: str, payload: dict[str, Any]) -> Event:
    event, problems = event_from_payload(payload, dialect=named(agent))
    assert problems == ()
    return event


def written(event: Event) -> dict[str, Any]:
    """The payload as the agent of the event writes it, after a way over text."""
    dialect = named(event.dialect)
    own_event = own_event_name(event.event, dialect)
    document = json.loads(payload_line(own_payload(event, dialect, own_event)))
    assert isinstance(document, dict)
    return named_by({"hook_event_name": own_event}, event.dialect, document)


def test_all_agents_that_were_measured_are_here() -> None:
    assert {agent for agent, _ in LINES} == {"claude", "codex", "copilot", "droid", "gemini", "qwen"}
    assert len(LINES) == 77


@RECORDED
def test_a_recorded_event_is_understood(agent: str, payload: dict[str, Any]) -> None:
    event = read(agent, payload)
    assert event.event in EVENTS
    assert event.dialect == agent
    assert (event.session_id, event.cwd) == (session_of(payload), payload["cwd"])
    tool_name = payload.get("tool_name", payload.get("toolName", ""))
    tool_input = payload.get("tool_input", payload.get("toolArgs"))
    assert (event.tool_name, event.tool_input) == (tool_name, tool_input)
    assert bool(event.kinds) == bool(tool_name)
    path = {"file_path", "path"} & set(tool_input or {})
    if path:
        assert event.paths == (tool_input[path.pop()],)


@RECORDED
def test_a_settings_hook_of_the_same_agent_sees_exactly_what_was_recorded(agent: str, payload: dict[str, Any]) -> None:
    assert written(read(agent, payload)) == payload


@EVERY_DIALECT
@RECORDED
def test_a_recorded_event_comes_back_from_a_hook_of_any_dialect(
    agent: str, payload: dict[str, Any], hook_dialect: Dialect
) -> None:
    line = payload_line(payload_for(read(agent, payload), hook_dialect))
    assert written(read(agent, json.loads(line))) == payload


@EVERY_DIALECT
@RECORDED
def test_a_hook_of_any_dialect_is_offered_name_and_input_as_it_knows_them(
    agent: str, payload: dict[str, Any], hook_dialect: Dialect
) -> None:
    event = read(agent, payload)
    if not event.tool_name:
        assert "tool_name" not in {key for key, value in payload_for(event, hook_dialect).items() if value}
        return
    own = hook_dialect.tools.get(event.tool, (event.tool_name,))
    assert tool_names(event, hook_dialect)[0] in own
    seen = translate_input(event.tool_input, named(agent), hook_dialect, event.kinds)
    if event.tool != "shell":
        assert seen[hook_dialect.input_keys.get("path", "path")] == event.paths[0]
    assert translate_back(seen, event.tool_input, named(agent), hook_dialect, event.kinds) == event.tool_input


@sweep("hook_dialect", [dialect for dialect in DIALECTS if dialect.name != "xcsh"], ids=lambda dialect: dialect.name)
@RECORDED
def test_a_settings_hook_of_another_agent_gets_a_payload_of_its_own_shape(
    agent: str, payload: dict[str, Any], hook_dialect: Dialect
) -> None:
    event = read(agent, payload)
    names = hook_dialect.events.get(event.event, (event.event,))
    for name in names:
        line = payload_line(own_payload(event, hook_dialect, name))
        assert line.count(b"\n") == 1
        assert isinstance(json.loads(line), dict)


@pytest.mark.parametrize(
    ("agent", "payload"),
    [line for line in LINES if line[1]["hook_event_name"] in ("AfterTool", "PostToolUse", "postToolUse")],
)
def test_a_tool_that_failed_is_told_where_the_agent_says_so(agent: str, payload: dict[str, Any]) -> None:
    response = payload.get("tool_response", payload.get("toolResult"))
    has_failed = agent == "gemini" and "error" in response
    assert read(agent, payload).event == ("PostToolUseFailure" if has_failed else "PostToolUse")


def test_a_failure_of_claude_keeps_its_words_and_its_time() -> None:
    failures = [line for _, line in LINES if line["hook_event_name"] == "PostToolUseFailure"]
    (payload,) = [line for line in failures if line["duration_ms"] == 35]
    event = read("claude", payload)
    assert (event.event, event.tool_error) == ("PostToolUseFailure", "Exit code 3\nhi")
    assert event.tool_elapsed_ms == 35


def test_the_response_of_codex_is_text() -> None:
    payload = next(line for agent, line in LINES if agent == "codex" and "tool_response" in line)
    event = read("codex", payload)
    assert (event.tool_output, event.tool_response) == ("hi\n", None)
