"""What is put into an agent's settings: a command that fails closed without hookrun, and its entry."""

from __future__ import annotations

import re

from hookrun.faces.install.wirings import DENIED
from hookrun.readers.dialects import dialect_named
from hookrun.readers.dialects.replies import reply_table
from hookrun.words.catalog import EVENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from hookrun.faces.install.wirings import Wiring

_FOUND = "command -v hookrun >/dev/null"
# Where Python itself finds its code: a repository can set an agent's environment, and with it these.
_CLEARED = (
    "unset PYTHONPATH PYTHONHOME PYTHONUSERBASE PYTHONPLATLIBDIR PYTHONPYCACHEPREFIX PYTHONWARNINGS"
    " PYTHONEXECUTABLE"
)


def wired_events(wiring: Wiring) -> dict[str, str]:
    """Return the canonical event by each of the agent's own events that are wired, in order."""
    canonical_by_event: dict[str, str] = {}
    for own, canonical in _own_events(wiring):
        if own not in wiring.covered:
            canonical_by_event.setdefault(own, canonical)
    return canonical_by_event


def _own_events(wiring: Wiring) -> Iterator[tuple[str, str]]:
    if wiring.events:
        yield from zip(wiring.events, wiring.events, strict=True)
        return
    dialect = dialect_named(wiring.agent)
    for canonical, spellings in dialect.events.items() if dialect else ():
        for spelling in spellings:
            yield spelling, canonical


def entries(wiring: Wiring, with_agents: Sequence[str]) -> dict[str, Any]:
    """Return the entry for each of the agent's events, as a value of its settings."""
    return {
        own: _entry(wiring, own, canonical, with_agents) for own, canonical in wired_events(wiring).items()
    }


def _entry(wiring: Wiring, own: str, canonical: str, with_agents: Sequence[str]) -> Any:
    handler: dict[str, Any] = {
        **wiring.handler,
        wiring.command_key: command(wiring, own, with_agents),
    }
    if wiring.timeouts:
        key, units = wiring.timeouts
        handler[key] = int(reply_table(wiring.agent).seconds_at(canonical) * units)
    if EVENTS[canonical].guarded:
        handler |= wiring.guarding
    if wiring.shape == "handlers":
        return handler
    if wiring.matcher is not None and EVENTS[canonical].has_tool:
        return {"matcher": wiring.matcher, "hooks": [handler]}
    return {"hooks": [handler]}


def command(wiring: Wiring, own: str, with_agents: Sequence[str]) -> str:
    """Return the command for the agent's *own* event, in sh whatever shell the agent uses.

    Where a guard may be asked a hookrun that is missing or cannot start denies; elsewhere it is nothing,
    or the agent could not even end. No path of a machine is in it: such files are committed.
    """
    return f"sh -c '{'; '.join(steps(wiring, own, with_agents))}'"


def steps(wiring: Wiring, own: str, with_agents: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of sh that the command for the agent's *own* event consists of, without a quote '."""
    canonical = wired_events(wiring)[own]
    told = f" --event {own}" if wiring.leaves_out_event else ""
    others = "".join(f" --with {agent}" for agent in with_agents)
    bridge = f"hookrun bridge {wiring.agent}{told}{others}"
    if canonical in wiring.denials:
        text, code = wiring.denials[canonical]
        return (f"{_FOUND} || {{ {_echo(text)}; exit {code}; }}", _CLEARED, f"exec {bridge}")
    if EVENTS[canonical].guarded:
        # A bridge ends with 0 or 2. A Python that cannot even begin (a limit, a variable) ends in other ways,
        # and all of them would let the tool run.
        return (f'{_FOUND} || {{ echo "{DENIED}" >&2; exit 2; }}', _CLEARED, f"{bridge} || exit 2")
    if wiring.neutral:
        return (f"{_FOUND} || {{ {_echo(wiring.neutral)}; exit 0; }}", _CLEARED, f"exec {bridge}")
    return (f"{_FOUND} || exit 0", _CLEARED, f"exec {bridge}")


def is_ours(text: Any, agent: str) -> bool:
    """Say whether a text, a file's or a script's, speaks of the bridge for *agent*."""
    return isinstance(text, str) and bool(re.search(rf"\bhookrun bridge {agent}(?![\w-])", text))


def _echo(text: str) -> str:
    escaped = text.replace('"', '\\"')
    return f'echo "{escaped}"'
