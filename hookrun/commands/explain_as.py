"""What one agent alone would do about an event with its own settings: what it reads, what fires, who hears
of it. Runs nothing, and asks nobody's trust: the agent does not either."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from hookrun.agents.settings import settings_of
from hookrun.commands.agent_files import hooks_in, possible_files
from hookrun.commands.explain import Explained, explanation_document
from hookrun.commands.validate.states import entry_by_its_files
from hookrun.commands.validate.subject import start_of, text_of
from hookrun.config.config import Config
from hookrun.config.paths import shown
from hookrun.model import constants
from hookrun.model.frozen import Frozen
from hookrun.model.values import Event, Hook, Problem
from hookrun.pipeline.match import Match, explain_matches
from hookrun.sources.agent_settings.files import SettingsFile, not_loaded
from hookrun.sources.registry import Entry

_NOBODY_WAITS = (("anything", "no one: it runs in the background"),)
_DENIES = "it denies, as its settings say of a failure"


class FilePlace(Frozen):
    """A file that the agent looks for, in its order; ``hooks`` is how many it found there."""

    file: SettingsFile
    is_there: bool
    hooks: int


class AsAgent(Frozen):
    """``explained`` are the agent's hooks, those that fire first; ``left_out`` what it does not run, as
    (file, reason); ``strictness`` what it does about settings that are broken."""

    agent: str
    places: tuple[FilePlace, ...]
    explained: tuple[Explained, ...]
    left_out: tuple[tuple[str, str], ...]
    strictness: str
    problems: tuple[Problem, ...]

    @property
    def title(self) -> str:
        """The agent's name for people."""
        return settings_of(self.agent).title


def explain_as(agent: str, config: Config, event: Event, only: Sequence[str] = ()) -> AsAgent:
    """Return what *agent* would do about *event*, which has its dialect; *only* are ids or titles."""
    files = possible_files(agent, config)
    there = [file for file in files if os.path.lexists(file.path)]
    found = hooks_in(there, config)
    hooks = [hook for hook in found.hooks if not only or {hook.id, hook.title, hook.plugin} & set(only)]
    paths = dict.fromkeys((*(file.path for file in there), *(hook.file for hook in found.hooks)))
    reason_by_file = {path: reason for path in paths if (reason := _why_not_loaded(agent, path))}
    explained = [
        _explained(match, event, config, reason_by_file.get(match.hook.file, ""))
        for match in explain_matches(hooks, event)
    ]
    return AsAgent(
        agent=agent,
        places=tuple(FilePlace(file=file, is_there=file in there, hooks=_count(found.hooks, file)) for file in files),
        explained=tuple(sorted(explained, key=lambda each: (not each.denies, not each.fires))),
        left_out=tuple((skip.path, skip.reason) for skip in found.skips),
        strictness=settings_of(agent).strictness,
        problems=found.problems,
    )


def as_agent_document(event: Event, found: AsAgent, problems: Sequence[Problem]) -> dict[str, Any]:
    """Return it as one JSON-ready mapping: that of explain, and what is the agent's alone."""
    return {
        "agent": found.agent,
        "strictness": found.strictness,
        "files": [
            {"file": place.file.path, "level": place.file.level, "there": place.is_there, "hooks": place.hooks}
            for place in found.places
        ],
        **explanation_document(event, found.explained, (*problems, *found.problems)),
        "traps": [
            {"what": effect.what, "becomes": effect.becomes, "measured": effect.is_measured}
            for effect in settings_of(found.agent).effects_at(event.event)
            if effect.is_trap
        ],
        "left_out": [{"file": file, "reason": reason} for file, reason in found.left_out],
    }


def places_lines(found: AsAgent, config: Config) -> list[tuple[str, str, str]]:
    """Return (level, file, what is there) of each file that the agent looks for, in its order."""
    return [
        (
            place.file.level,
            shown(place.file.path, config.root, config.home),
            f"{place.hooks} {'hook' if place.hooks == 1 else 'hooks'}" if place.is_there else "not there",
        )
        for place in found.places
    ]


def _explained(match: Match, event: Event, config: Config, not_loaded: str) -> Explained:
    """Return what becomes of one entry: *not_loaded* says why its agent does not have it."""
    hook = match.hook
    start = start_of(hook, config.environ.get("PATH", os.defpath))
    entry = entry_by_its_files(Entry(hook=hook), start, config.replace(settings_on_failure=""))
    answers = any(trigger.event == event.event for trigger in hook.triggers)
    if not_loaded:
        return Explained(entry=entry, fires=False, reason=not_loaded)
    is_off = (entry.state == constants.CANNOT_START and match.fires) or entry.state == constants.NEVER_FIRES
    if is_off and answers:
        denies = match.fires and hook.role == constants.GUARD and hook.on_failure == "deny"
        reason = f"{match.reason}; {entry.state}: {entry.reason}"
        return Explained(entry=entry, fires=False, denies=denies, reason=reason)
    seen_by = _seen_by(hook, event) if match.fires else ()
    return Explained(entry=entry, fires=match.fires, answers=answers, reason=match.reason, seen_by=seen_by)


def _why_not_loaded(agent: str, path: str) -> str:
    text = text_of(path) if path.endswith(".json") else None
    problem = not_loaded(agent, path, text) if text is not None else None
    return problem.message if problem else ""


def _count(hooks: Sequence[Hook], file: SettingsFile) -> int:
    return sum(hook.file == file.path or hook.file.startswith(file.path + os.sep) for hook in hooks)


def _seen_by(hook: Hook, event: Event) -> tuple[tuple[str, str], ...]:
    if hook.is_async:
        return _NOBODY_WAITS
    denies = hook.on_failure == "deny"
    return tuple(
        (effect.what, _DENIES if effect.is_failure and denies else effect.becomes)
        for effect in settings_of(hook.dialect).effects_at(event.event)
    )
