"""An agent's folder of hooks: executables that are called like its events."""

from __future__ import annotations

import os

from hookrun.agents import dialect_named
from hookrun.agents.settings import settings_of
from hookrun.agents.shape import Dialect
from hookrun.config.paths import shown
from hookrun.matching.agent_rules import NOTHING, AgentMatcher
from hookrun.model.events import EVENTS
from hookrun.model.text import nearest
from hookrun.model.values import Hook, Problem, Program, Trigger
from hookrun.sources.agent_settings.commands import only_asks_hookrun
from hookrun.sources.agent_settings.handlers import OWN_ENTRY, definition_of
from hookrun.sources.found import Found, Origin, entries_of, joined
from hookrun.sources.script_folder import skipped_by_name

_OUR_MARK = "# put here by `hookrun install"
_OUR_SIZE = 4096  # bytes


def read_executables(folder: str, origin: Origin) -> Found:
    """Return the hooks in *folder*, which its agent starts without a shell."""
    dialect = dialect_named(origin.dialect)
    assert dialect is not None, "every agent with settings has a dialect"
    parts: list[Found] = []
    found = [_read(os.path.join(folder, name), name, origin, dialect) for name in entries_of(folder, origin, parts)]
    return joined([*parts, *found])


def _read(path: str, name: str, origin: Origin, dialect: Dialect) -> Found:
    events = tuple(event for event, own in dialect.events.items() if name in own)
    if not events:
        if name in dialect.other_events:
            title = settings_of(dialect.name).title
            reason = f"for an event of {title} alone, which hookrun does not fire"
            return origin.skipped(path, reason)
        near = nearest(name, [own for spellings in dialect.events.values() for own in spellings])
        reason = skipped_by_name(name) or f"{settings_of(dialect.name).title} has no event named {name!r}"
        hint = f"did you mean {near}?" if near and not skipped_by_name(name) else ""
        problems = (Problem(message=reason, source=path, hint=hint),) if hint else ()
        return origin.skipped(path, reason, *problems)
    if _is_our_own(path, dialect.name):
        return origin.skipped(path, OWN_ENTRY)
    if not os.path.isfile(path):
        return origin.skipped(path, "not a regular file")
    # One that is not executable is a hook all the same: its agent may follow the shebang, and so do we.
    return Found(hooks=(_hook(path, name, events, origin),))


def _is_our_own(path: str, agent: str) -> bool:
    """Say whether `hookrun install` has put the executable there: by its mark, and by doing nothing else."""
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as file:
            text = file.read(_OUR_SIZE).decode("utf-8", "replace")
    except OSError:
        return False
    _, mark, body = (*text.split("\n", 2), "", "")[:3]
    return mark.startswith(f"{_OUR_MARK} {agent}`") and only_asks_hookrun(body.removesuffix("\n"), agent)


def _hook(path: str, name: str, events: tuple[str, ...], origin: Origin) -> Hook:
    accepts = AgentMatcher(settings_of(origin.dialect).matcher, "", about=NOTHING)
    return origin.hook(
        path,
        kind="settings",
        program=Program(words=(path,), folder=os.path.dirname(path)),
        triggers=tuple(Trigger(event=event, matcher="", accepts=accepts) for event in events),
        role="guard" if any(EVENTS[event].guarded for event in events) else "observer",
        entry=definition_of(origin.dialect, name, "", {"file": shown(path, origin.place)}),
    )
