"""The text of every entry in a settings file, also of those that do not run. Runs nothing."""

from __future__ import annotations

from collections.abc import Iterator

from hookrun.agents import has_settings
from hookrun.config.documents import parse_document
from hookrun.model import constants
from hookrun.sources.agent_settings.entries import Notes, Place, entries_of
from hookrun.sources.agent_settings.handlers import definition_of
from hookrun.sources.found import Origin


def definitions_of(data: bytes, path: str, agent: str) -> Iterator[str]:
    """Yield what is trusted of each entry in *data*, the settings of *agent* that are kept at *path*. Raises
    DocumentError."""
    if not has_settings(agent):
        return
    table = parse_document(data, path, comments=True).value
    hooks = table.get("hooks") if isinstance(table, dict) else None
    if isinstance(hooks, dict) and isinstance(hooks.get("hooks"), dict):  # a plugin's own manifest
        hooks = hooks["hooks"]
    place = Place(origin=Origin(source="", order=0, level=constants.PROJECT, place="", dialect=agent), path=path)
    for entry in entries_of(hooks, place, ("hooks",), Notes(place)):
        yield definition_of(agent, entry.own_event, entry.matcher, entry.handler)
