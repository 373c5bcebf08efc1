"""Events as real agents sent them (tests/payloads, a version behind a dash), a line each. Those of Copilot
CLI do not name the event: it is beside the payload there, and `--event` says it to the bridge."""

from __future__ import annotations

import json
from typing import Any

from command import CHECKOUT

from hookrun.agents import dialect_named

_WITHOUT_MEANING = ("permissionRequest", "PostToolBatch", "MessageDisplay", "InstructionsLoaded", "Notification")


def recorded() -> list[tuple[str, dict[str, Any]]]:
    """The agent and payload of each recorded event that hookrun has a meaning for."""
    return [
        (file.stem.partition("-")[0], payload)
        for file in sorted((CHECKOUT / "tests/payloads").glob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
        if (payload := _payload(json.loads(line)))["hook_event_name"] not in _WITHOUT_MEANING
    ]


def named_by(payload: dict[str, Any], agent: str, document: dict[str, Any]) -> dict[str, Any]:
    """What an agent writes, with the event as *payload* names it where the agent leaves it out."""
    dialect = dialect_named(agent)
    assert dialect is not None
    return {"hook_event_name": payload["hook_event_name"], **document} if dialect.leaves_out_event else document


def session_of(payload: dict[str, Any]) -> str:
    """The id of the session in either spelling."""
    return str(payload.get("session_id", payload.get("sessionId")))


def _payload(document: dict[str, Any]) -> dict[str, Any]:
    document = {"hook_event_name": document["event"], **document["payload"]} if "payload" in document else document
    if "tool_use_id" in document:
        document.pop("tool_call_id", None)  # a second id of the call, of which an event has one
    return document
