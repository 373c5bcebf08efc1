"""One agent's own settings at a place: which files there are, what is in them, where each handler stands."""

from __future__ import annotations

import os
from collections.abc import Sequence

from hookrun.agents import agents_with_settings
from hookrun.agents.settings import settings_of
from hookrun.config.config import Config
from hookrun.config.documents import key_text, read_document
from hookrun.model.errors import DocumentError, UsageError
from hookrun.model.text import did_you_mean
from hookrun.model.values import Hook
from hookrun.sources.agent_settings.entries import Notes, SettingsPlace, entries_of
from hookrun.sources.agent_settings.files import SettingsFile, read_agent_settings, user_of
from hookrun.sources.agent_settings.handlers import definition_of
from hookrun.sources.discovery import settings_places
from hookrun.sources.found import Found, Origin


def known_agent(name: str) -> str:
    """Return *name*. Raises UsageError for an agent whose settings hookrun does not read."""
    known = [dialect.name for dialect in agents_with_settings()]
    if name not in known:
        raise UsageError(f"hookrun cannot read the settings of {name!r}", hint=did_you_mean(name, known))
    return name


def settings_files(agent: str, config: Config) -> list[SettingsFile]:
    """Return those of `possible_files` that are there."""
    return [file for file in possible_files(agent, config) if os.path.lexists(file.path)]


def possible_files(agent: str, config: Config) -> list[SettingsFile]:
    """Return what *agent* looks for at the place of *config*, the user's first, in the agent's order."""
    dialect = next(dialect for dialect in agents_with_settings() if dialect.name == agent)
    return [
        SettingsFile(agent=agent, path=os.path.join(folder, path), level=level, place=folder)
        for level, folder, paths in settings_places(dialect, config)
        for path in paths
    ]


def hooks_in(files: Sequence[SettingsFile], config: Config) -> Found:
    """Return the hooks in *files*, all of one agent, by that agent's rules; nothing is run."""
    return read_agent_settings(files, user_of(config))


def where_by_definition(hook: Hook) -> dict[str, str]:
    """Return the key path of each handler in the settings file of *hook*, by its definition (Hook.entry);
    the first where there are two of one definition, and none where the file is no document."""
    agent = hook.dialect
    try:
        value = read_document(hook.file, comments=True).value if not settings_of(agent).are_executables else None
    except (OSError, DocumentError):
        return {}
    origin = Origin(source=hook.source, order=0, level=hook.level, place=hook.place, dialect=agent)
    here = SettingsPlace(origin=origin, path=hook.file)
    table = value.get("hooks") if isinstance(value, dict) else None
    found: dict[str, str] = {}
    for entry in entries_of(table, here, ("hooks",), Notes(here)):
        definition = definition_of(agent, entry.own_event, entry.matcher, entry.handler)
        found.setdefault(definition, key_text(entry.keys))
    return found
