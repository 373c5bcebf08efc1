"""The hooks table of one settings file -> its handlers, each with what its event and group say about it."""

from __future__ import annotations

from hookrun.agents import dialect_named
from hookrun.agents.settings import installation_of, settings_of
from hookrun.config.documents import key_text
from hookrun.model.events import EVENTS, folded
from hookrun.model.frozen import Frozen
from hookrun.model.text import did_you_mean
from hookrun.model.values import Problem
from hookrun.sources.found import Found, Skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookrun.agents.settings import Settings
    from hookrun.agents.shape import Dialect
    from hookrun.config.json_positions import Keys
    from hookrun.model.values import Hook
    from hookrun.sources.found import Origin


class SettingsPlace(Frozen):
    """The settings that are read, and what is around them."""

    origin: Origin
    path: str
    home: str = ""  # the user's
    shell: str = ""  # the user's
    plugin: str = ""  # that they are part of
    plugin_folder: str = ""
    disabled: tuple[str, ...] = ()  # names of handlers that settings switch off
    commands_are_off: str = ""  # why handlers that are commands do not run, "" when they do

    @property
    def contract(self) -> Settings:
        """Return the table of the agent's settings."""
        return settings_of(self.origin.dialect)

    @property
    def dialect(self) -> Dialect:
        """Return the agent's names."""
        dialect = dialect_named(self.origin.dialect)
        assert dialect is not None, "every contract has a dialect"
        return dialect

    @property
    def folder(self) -> str:
        """Return the folder to which paths in the settings are relative."""
        return self.plugin_folder or self.origin.place


class HandlerEntry(Frozen):
    """One handler, with what its event and its group say about it."""

    own_event: str  # what its agent calls the events
    events: tuple[str, ...]
    matcher: Any
    handler: Mapping[str, Any]
    keys: Keys  # that lead to it in the file
    matcher_keys: Keys
    serial: bool = False


class Notes:
    """What is found in a file: hooks, skips and problems."""

    def __init__(self, place: SettingsPlace) -> None:
        self.hooks: list[Hook] = []
        self._skips: list[Skip] = []
        self._problems: list[Problem] = []
        self._place = place

    def skip(self, keys: Keys, reason: str, *, switch: str = "") -> None:
        """Skip what is at *keys*, or the whole file, which is noted once."""
        where = key_text(keys) if keys else ""
        skip = Skip(
            path=self._place.path,
            reason=f"{where}: {reason}" if where else reason,
            source=self._place.origin.source,
            where=where,
            switch=switch,
        )
        if skip not in self._skips:
            self._skips.append(skip)

    def problem(self, keys: Keys, message: str, hint: str, *, level: Any = "warning") -> None:
        """Add a problem at *keys*."""
        where = key_text(keys)
        found = Problem(message=message, level=level, source=self._place.path, where=where, hint=hint)
        self._problems.append(found)

    @property
    def found(self) -> Found:
        """All of it."""
        return Found(hooks=tuple(self.hooks), skips=tuple(self._skips), problems=tuple(self._problems))


def entries_of(table: Any, place: SettingsPlace, keys: Keys, notes: Notes) -> Iterator[HandlerEntry]:
    """Yield the handlers in *table*, the value at *keys*, in its order; a broken one costs only itself."""
    if not isinstance(table, dict):
        notes.problem(keys, "must be a mapping of events", 'write {"PreToolUse": [...]}')
        return
    events_by_name = _events_by_name(place.dialect)
    installation = installation_of(place.dialect.name)
    not_events = installation.not_events if installation else ()
    for own_event, groups in table.items():
        here = (*keys, str(own_event))
        events = events_by_name.get(_spelling(str(own_event), place.dialect))
        if own_event in not_events:
            continue
        if folded(str(own_event)) in map(folded, place.contract.unknown_here):
            notes.skip(here, "an event of that agent alone, at which hookrun runs nothing")
            continue
        if not events:
            _unknown_event(str(own_event), here, place, notes)
        elif not isinstance(groups, list):
            notes.problem(here, "must be a list of hooks", "write [{...}]")
        else:
            for index, group in enumerate(groups):
                yield from _of_group(group, str(own_event), events, (*here, index), place, notes)


def _of_group(
    group: Any, own_event: str, events: tuple[str, ...], keys: Keys, place: SettingsPlace, notes: Notes
) -> Iterator[HandlerEntry]:
    if not isinstance(group, dict):
        notes.problem(keys, "must be a mapping", "write {...}")
        return
    handlers: Any = [group]
    at: list[Keys] = [keys]
    if not place.contract.is_flat:
        handlers = group.get("hooks")
        if not isinstance(handlers, list):
            notes.problem((*keys, "hooks"), "must be a list of handlers", 'write [{"type": "command", ...}]')
            return
        at = [(*keys, "hooks", index) for index in range(len(handlers))]
    for handler, here in zip(handlers, at, strict=True):
        if isinstance(handler, dict):
            yield HandlerEntry(
                own_event=own_event,
                events=events,
                matcher=group.get("matcher", ""),
                handler=handler,
                keys=here,
                matcher_keys=(*keys, "matcher"),
                serial=group.get("sequential") is True,
            )
        else:
            notes.problem(here, "must be a mapping", "write {...}")


def _unknown_event(own_event: str, keys: Keys, place: SettingsPlace, notes: Notes) -> None:
    own = [name for spellings in place.dialect.events.values() for name in spellings]
    hint = did_you_mean(own_event, own or EVENTS, "its hooks are ignored")
    notes.problem(keys, f"unknown event {own_event!r} for {place.contract.title}", hint)


def _events_by_name(dialect: Dialect) -> dict[str, tuple[str, ...]]:
    """Return the canonical events by each of the agent's own names of them."""
    found: dict[str, tuple[str, ...]] = {}
    for event in EVENTS.values():
        is_its_own = not dialect.events or event.one_agent
        for own in dialect.events.get(event.name, (event.name,) if is_its_own else ()):
            name = _spelling(own, dialect)
            found[name] = (*found.get(name, ()), event.name)
    return found


def _spelling(own_event: str, dialect: Dialect) -> str:
    return folded(own_event) if settings_of(dialect.name).ignores_event_case else own_event
