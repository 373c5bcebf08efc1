"""What each agent can do with a decision, event by event: read off the tables that replies are written by."""

from __future__ import annotations

from collections.abc import Iterator

from hookrun.agents import DIALECTS, protocol_of
from hookrun.agents.reply.encodings import RESULTS, STOPS, ReplyTable, Ways, way_for
from hookrun.agents.shape import Dialect
from hookrun.model.frozen import Frozen

WISHES = ("deny", "ask", "defer", "rewrite", "context", "result", "feedback", "halt", "user")


class Capability(Frozen):
    """What becomes of one wish: ``becomes`` is a wish again ("" for nothing), ``can`` the same in words.

    ``is_measured`` says whether it was seen in the real client, else it was read.
    """

    can: str
    becomes: str = ""
    is_measured: bool = False
    needs_terminal: bool = False


class EventCapabilities(Frozen):
    """One event: its canonical name, what the agent calls it, and what becomes of each wish there."""

    event: str
    own_names: tuple[str, ...]
    by_wish: tuple[tuple[str, Capability], ...]


def agent_tables() -> dict[str, ReplyTable]:
    """Return the reply tables of all agents by name, in the order of the dialects."""
    return {dialect.name: protocol_of(dialect.name).replies for dialect in DIALECTS}


def capabilities_of(table: ReplyTable) -> tuple[EventCapabilities, ...]:
    """Return what the agent can do, for each event that it has; events of one meaning that differ apart."""
    dialect = next(dialect for dialect in DIALECTS if dialect.name == table.name)
    return tuple(
        EventCapabilities(
            event=event, own_names=own_names, by_wish=tuple((wish, _capability(wish, event, ways)) for wish in WISHES)
        )
        for event, own_names, ways in _rows(table, dialect)
    )


def _rows(table: ReplyTable, dialect: Dialect) -> Iterator[tuple[str, tuple[str, ...], Ways]]:
    names_by_event = dialect.events or {event: (event,) for event in table.ways}
    for event, own_names in names_by_event.items():
        grouped: list[tuple[Ways, list[str]]] = []
        for own_name in own_names:
            ways = table.ways_at(event, own_name)
            same = next((names for other, names in grouped if other == ways), None)
            if same is None:
                grouped.append((ways, [own_name]))
            else:
                same.append(own_name)
        yield from ((event, tuple(names), ways) for ways, names in grouped)


def _capability(wish: str, event: str, ways: Ways) -> Capability:
    if wish == "result" and event not in RESULTS:
        return Capability(can="-")
    found = way_for(wish, event, ways, has_terminal=True)
    if found is None:
        return Capability(can="on stderr" if wish == "user" else "no")
    becomes, way = found
    return Capability(
        can=_in_words(wish, becomes, event) if not way.needs_terminal else "at a terminal",
        becomes=becomes,
        is_measured=way.is_measured,
        needs_terminal=way.needs_terminal,
    )


def _in_words(wish: str, becomes: str, event: str) -> str:
    if becomes != wish:
        return f"as {becomes}"
    if wish == "deny":
        return "goes on" if event in STOPS else "blocks"
    return "yes"
