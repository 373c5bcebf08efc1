"""Events as pi 0.73.1 and omp 18.2.3 handed them to a module, which name them in `type`."""

from __future__ import annotations

import json

from command import CHECKOUT
from sweeps import sweep

from hookrun.agents import dialect_named
from hookrun.agents.payload import payload_for
from hookrun.events.event import event_from_payload
from hookrun.events.payload_fields import own_fields

LINES = [
    (agent, json.loads(line))
    for agent in ("pi", "omp")
    for line in (CHECKOUT / f"tests/payloads/modules/{agent}.jsonl").read_text().splitlines()
]
CALLS = [(agent, line["toolName"], line) for agent, line in LINES if line["type"] in ("tool_call", "tool_result")]
KINDS = {"bash": "shell", "write": "write", "edit": "edit", "read": "read"}


def read(payload):
    dialect = dialect_named("xcsh")
    return event_from_payload(own_fields(payload, dialect), dialect=dialect)[0]


def test_every_tool_was_recorded_from_both():
    assert {(agent, tool) for agent, tool, _ in CALLS} == {(a, t) for a in ("pi", "omp") for t in KINDS}


@sweep(("agent", "tool", "payload"), CALLS)
def test_a_recorded_call_of_a_tool_is_understood(agent, tool, payload):
    event = read(payload)
    failed = payload.get("isError")
    wanted = "PreToolUse" if payload["type"] == "tool_call" else "PostToolUse"
    assert event.event == ("PostToolUseFailure" if failed else wanted)
    assert (event.tool_name, event.tool_input) == (tool, payload["input"])
    assert KINDS[tool] in event.kinds
    assert event.tool_call_id == payload["toolCallId"]
    if tool == "bash":
        assert event.command == payload["input"]["command"]
    elif (agent, tool) != ("omp", "edit"):
        assert event.paths == (payload["input"]["path"],)


@sweep(("agent", "tool", "payload"), CALLS)
def test_a_hook_of_claudes_is_offered_the_recorded_call_in_its_own_names(agent, tool, payload):
    given = payload_for(read(payload), dialect_named("claude"))
    assert given["tool_name"] == {"bash": "Bash", "write": "Write", "edit": "Edit", "read": "Read"}[tool]
    if tool != "bash" and (agent, tool) != ("omp", "edit"):
        assert given["tool_input"]["file_path"] == payload["input"]["path"]


def test_the_other_recorded_events_have_their_meaning():
    known = ("session_start", "session_shutdown", "before_agent_start")
    meanings = {line["type"]: read(line).event for _, line in LINES if line["type"] in known}
    assert meanings["session_start"] == "SessionStart"
    assert meanings["session_shutdown"] == "SessionEnd"
    assert meanings["before_agent_start"] == "UserPromptSubmit"
