"""What is put into an agent's settings: a command that fails closed without hookrun, and its entry."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from hookrun.agents import dialect_named, protocol_of
from hookrun.agents.settings import MESSAGE, NOT_INSTALLED, Installation
from hookrun.model.events import EVENTS
from hookrun.sources.agent_settings.commands import only_asks_hookrun
from hookrun.sources.bridge_command import bridge_command

_MISPLACED = "the hookrun on PATH is in a relative folder or inside this project, and is not run: install it elsewhere"
_BROKEN = "hookrun cannot start"


def wired_events(wiring: Installation) -> dict[str, str]:
    """Return the canonical event by each of the agent's own events that are wired, in order."""
    canonical_by_event: dict[str, str] = {}
    for own, canonical in _own_events(wiring):
        if own not in wiring.covered:
            canonical_by_event.setdefault(own, canonical)
    return canonical_by_event


def _own_events(wiring: Installation) -> Iterator[tuple[str, str]]:
    if wiring.events:
        yield from zip(wiring.events, wiring.events, strict=True)
        return
    dialect = dialect_named(wiring.agent)
    for canonical, spellings in dialect.events.items() if dialect else ():
        for spelling in spellings:
            yield spelling, canonical


def entries(wiring: Installation, with_agents: Sequence[str]) -> dict[str, Any]:
    """Return the entry for each of the agent's events, as a value of its settings."""
    return {own: _entry(wiring, own, canonical, with_agents) for own, canonical in wired_events(wiring).items()}


def _entry(wiring: Installation, own: str, canonical: str, with_agents: Sequence[str]) -> Any:
    handler: dict[str, Any] = {**wiring.handler, wiring.command_key: command(wiring, own, with_agents)}
    if wiring.timeouts:
        key, units = wiring.timeouts
        handler[key] = int(protocol_of(wiring.agent).replies.seconds_at(canonical) * units)
    if EVENTS[canonical].guarded:
        handler |= wiring.guarding
    if wiring.shape == "handlers":
        return handler
    if wiring.matcher is not None and EVENTS[canonical].has_tool:
        return {"matcher": wiring.matcher, "hooks": [handler]}
    return {"hooks": [handler]}


def command(wiring: Installation, own: str, with_agents: Sequence[str]) -> str:
    """Return the command for the agent's *own* event, whatever shell the agent uses.

    Where a guard may be asked, a hookrun that is missing, misplaced or cannot start denies; elsewhere it is
    nothing, or the agent could not even end. No path of a machine is in it: such files are committed.
    """
    canonical = wired_events(wiring)[own]
    dialect = dialect_named(wiring.agent)
    event_option = f" --event {own}" if dialect and dialect.leaves_out_event else ""
    others = "".join(f" --with {agent}" for agent in with_agents)
    call = f"hookrun bridge {wiring.agent}{event_option}{others}"
    missing = missing_message(wiring.agent)
    if canonical in wiring.denials:
        text, code = wiring.denials[canonical]
        saying = _echo(text, f"${{1-{_MISPLACED}}}")
        if wiring.shape != "executables":
            return bridge_command(call, saying=saying, code=code, missing=missing, after="", guards=True)
        # An agent that runs executables goes by their output alone: one that cannot start is answered for.
        after = f' || {{ test $? = 2 && exit 2; no "{_BROKEN}"; }}'
        return bridge_command(call, saying=saying, code=code, missing=missing, after=after, guards=False)
    if EVENTS[canonical].guarded:
        # A bridge ends with 0 or 2. A Python that cannot even begin (a limit, a variable) ends in other ways,
        # and all of them would let the tool run.
        saying = f'echo "${{1-{_MISPLACED}}}" >&2; '
        return bridge_command(call, saying=saying, code=2, missing=missing, after=" || exit 2", guards=True)
    saying = _echo(wiring.neutral, "") if wiring.neutral else ""
    return bridge_command(call, saying=saying, code=0, missing="", after="", guards=False)


def missing_message(agent: str) -> str:
    """Return the message for a machine without hookrun. It is quoted inside JSON and sh."""
    return (
        f"{NOT_INSTALLED}: install it on the PATH that {agent} has, or remove its entries from the hook"
        f" settings of {agent}"
    )


def is_ours(text: Any, agent: str) -> bool:
    """Say whether a text, a file's or a script's, speaks of the bridge for *agent*."""
    return isinstance(text, str) and bool(re.search(rf"\bhookrun bridge {agent}(?![\w-])", text))


def _echo(text: str, message: str) -> str:
    escaped = text.replace('"', '\\"').replace(MESSAGE, message)
    return f'echo "{escaped}"; '


def script_texts(wiring: Installation, with_agents: Sequence[str]) -> dict[str, str]:
    """Return the text of each event's executable."""
    beginning = f"#!/bin/sh\n{_mark(wiring)}\n"
    return {own: f"{beginning}{command(wiring, own, with_agents)}\n" for own in wired_events(wiring)}


def is_our_script(text: str, wiring: Installation) -> bool:
    """Say whether hookrun wrote the executable."""
    return _mark(wiring) in text.splitlines()[:2]


def is_untouched(text: str, wiring: Installation) -> bool:
    """Say whether the executable is as this hookrun or an older one wrote it, whatever --with was."""
    beginning, _, body = text.partition(f"{_mark(wiring)}\n")
    return beginning == "#!/bin/sh\n" and only_asks_hookrun(body.removesuffix("\n"), wiring.agent)


def _mark(wiring: Installation) -> str:
    return f"# put here by `hookrun install {wiring.agent}`, taken out by `hookrun uninstall {wiring.agent}`"
