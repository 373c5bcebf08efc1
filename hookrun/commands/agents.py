"""The matrix of what agents can do with a decision, as rows and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hookrun.agents import has_settings
from hookrun.agents.reply.capabilities import Capability, EventCapabilities, agent_tables, capabilities_of
from hookrun.agents.reply.encodings import ReplyTable
from hookrun.agents.settings import Effect, settings_of
from hookrun.model.errors import UsageError
from hookrun.model.text import did_you_mean

IN_SHORT = ("deny", "ask", "rewrite", "context", "result")
MEASURED = "*"


def chosen_agents(names: Sequence[str]) -> list[ReplyTable]:
    """Return the reply tables of the agents *names*, of all without any. Raises UsageError."""
    tables = agent_tables()
    for name in names:
        if name not in tables:
            raise UsageError(f"unknown agent {name!r}", hint=did_you_mean(name, tables))
    return [table for name, table in tables.items() if name in names or not names]


def agent_rows(table: ReplyTable, *, in_full: bool = False) -> list[list[str]]:
    """Return a row of headings and one for each event: what the agent calls it, and what each wish becomes,
    with a star where that was measured. In full there are more wishes than IN_SHORT."""
    events = capabilities_of(table)
    wishes = [wish for wish, _ in events[0].by_wish if in_full or wish in IN_SHORT]
    rows = [["event", "called", *wishes]]
    for capabilities in events:
        by_wish = dict(capabilities.by_wish)
        called = ", ".join(name for name in capabilities.own_names if name != capabilities.event)
        rows.append([capabilities.event, called or "-", *(_cell(by_wish[wish]) for wish in wishes)])
    return rows


def how_known(table: ReplyTable) -> str:
    """Return the versions that the stars of the rows are about, or that there are none."""
    return f"{MEASURED} {table.known_from}, the rest is read" if table.measured_with else table.known_from


def effect_rows(table: ReplyTable) -> list[list[str]]:
    """Return a row of headings and one for each effect of what a hook does: at which events, and how it is known;
    none for an agent without settings."""
    rows = [
        [", ".join(effect.events) or "any", effect.what, effect.becomes, _known(effect, table)]
        for effect in effects_of(table.name)
    ]
    return [["at", "a hook that says", "what becomes of it", "how it is known"], *rows] if rows else []


def effects_of(agent: str) -> tuple[Effect, ...]:
    """Return what becomes of what a hook of *agent*'s settings does."""
    return settings_of(agent).effects if has_settings(agent) else ()


def _known(effect: Effect, table: ReplyTable) -> str:
    if effect.is_measured and table.measured_with:
        return table.known_from
    return f"read in {settings_of(table.name).read_in}"


def agents_document(tables: Sequence[ReplyTable]) -> dict[str, Any]:
    """Return all that is known of these agents as a JSON-ready mapping."""
    return {"agents": [_agent(table) for table in tables]}


def _cell(capability: Capability) -> str:
    return capability.can + (MEASURED if capability.is_measured else "")


def _agent(table: ReplyTable) -> dict[str, Any]:
    return {
        "name": table.name,
        "title": table.title,
        "measured_with": list(table.measured_with),
        "timeout_ms": round(table.seconds * 1000),
        "text_limit": table.text_limit or None,
        "events": [_event(capabilities) for capabilities in capabilities_of(table)],
        "effects": [
            {
                "events": list(effect.events),
                "what": effect.what,
                "becomes": effect.becomes,
                "loses_a_refusal": effect.is_trap,
                "measured": effect.is_measured,
                "known": _known(effect, table),
            }
            for effect in effects_of(table.name)
        ],
    }


def _event(capabilities: EventCapabilities) -> dict[str, Any]:
    return {
        "event": capabilities.event,
        "called": list(capabilities.own_names),
        **{wish: _wish(capability) for wish, capability in capabilities.by_wish},
    }


def _wish(capability: Capability) -> dict[str, Any]:
    return {
        "can": capability.can,
        "becomes": capability.becomes or None,
        "needs_terminal": capability.needs_terminal,
        "measured": capability.is_measured,
    }
