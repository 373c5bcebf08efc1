"""What is written down of a hook that is trusted, and the guard that is made of it when the hook is gone."""

from __future__ import annotations

import os
import time

from hookrun.agents import NEUTRAL, dialect_named, has_settings, kinds_of_any
from hookrun.matching import matchers
from hookrun.model import constants
from hookrun.model.events import event_named
from hookrun.model.frozen import Frozen
from hookrun.model.values import Hook, Program, Trigger
from hookrun.sources.found import short_id
from hookrun.trust.memory import MOST_TEXTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from hookrun.config.project import Project

GONE = "it is not what was trusted"  # the flaw of a guard that stands for one
_RECORDED = ("title", "kind", "dialect", "role", "plugin", "on_failure")


class Unit(Frozen):
    """Hooks of one definition, as they are to be trusted: ``digests`` by the names that records have for
    their files, ``names_by_hook`` which of these each hook uses, by its id; ``in_git`` says that git knows
    the definition's folder, ``is_tracked`` the definition."""

    name: str
    hooks: tuple[Hook, ...]
    digests: Mapping[str, str]
    names_by_hook: Mapping[str, frozenset[str]] = {}
    in_git: bool = False
    is_tracked: bool = False
    place: str = ""  # the project level, where there is no hook to tell it


def add_unit(units: dict[str, Any], unit: Unit, project: Project) -> None:
    """Put *unit* among the *units* of a project's records, beside the texts of it that are trusted."""
    place = unit.hooks[0].place if unit.hooks else unit.place
    files = dict(unit.digests)
    known = units.get(unit.name, {}).get("texts", [])
    texts = [text for text in known if not is_text_of(text, unit)]
    hooks = [_hook_record(hook, unit) for hook in unit.hooks]
    texts.append({"at": int(time.time()), "in_git": unit.in_git, "files": files, "hooks": hooks})
    units[unit.name] = {
        "level": os.path.relpath(place or project.top, project.top),
        "source": unit.hooks[0].source if unit.hooks else "configuration",
        "is_tracked": unit.is_tracked,
        "texts": texts[-MOST_TEXTS:],
    }


def is_text_of(text: Mapping[str, Any], unit: Unit) -> bool:
    """Say whether a trusted *text* is what *unit* is: the same files, and each hook uses the same of them."""
    return bool(text["files"] == dict(unit.digests)) and all(
        files_of(text, hook_id).keys() == used for hook_id, used in unit.names_by_hook.items()
    )


def files_of(text: Mapping[str, Any], hook_id: str) -> Mapping[str, str]:
    """Return the digests that a trusted *text* has for the files of one hook, by name: those of the whole
    definition where nothing else is on record for it."""
    files: Mapping[str, str] = text["files"]
    used = {
        name
        for record in text["hooks"]
        if record.get("id") == hook_id and isinstance(record.get("files"), list)
        for name in record["files"]
    }
    return {name: digest for name, digest in files.items() if name in used} if used else files


def recorded_hooks(name: str, unit: Mapping[str, Any], project: Project, level: str) -> list[Hook]:
    """Return the guards that *unit* had when it was trusted, to stand where it is gone. They cannot start."""
    path = os.path.join(project.top, name)
    hooks = []
    for number, record in enumerate(unit["texts"][-1]["hooks"] if unit["texts"] else ()):
        if record.get("role") != constants.GUARD:
            continue
        dialect = str(record.get("dialect", NEUTRAL))
        kind = record.get("kind", constants.CONTRIBUTED)
        hooks.append(
            Hook(
                id=short_id(constants.PROJECT, name, "gone", str(number)),
                title=str(record.get("title", name)),
                kind="script",
                source=unit["source"],
                order=0,
                level=constants.PROJECT,
                place=level,
                file=path,
                dialect=dialect if dialect_named(dialect) else NEUTRAL,
                program=Program(words=(), folder=os.path.dirname(path)),
                plugin=str(record.get("plugin", "")),
                triggers=tuple(_trigger(each, kind, dialect) for each in record["triggers"]),
                role="guard",
                flaw=GONE,
            )
        )
    return hooks


def guards_of(hooks: Sequence[Hook]) -> set[tuple[tuple[str, str], ...]]:
    """Return what tells whether hooks guard the same: the triggers of each guard among them."""
    return {
        tuple((trigger.event, trigger.matcher) for trigger in hook.triggers)
        for hook in hooks
        if hook.role == constants.GUARD
    }


def _hook_record(hook: Hook, unit: Unit) -> dict[str, Any]:
    values = hook.as_dict()
    record: dict[str, Any] = {name: values[name] for name in _RECORDED} | {
        "triggers": [[trigger.event, trigger.matcher] for trigger in hook.triggers]
    }
    used = unit.names_by_hook.get(hook.id)
    if used is not None and used != unit.digests.keys():  # most hooks use all files of their definition
        record |= {"id": hook.id, "files": sorted(used)}
    return record


def _trigger(record: Sequence[Any], kind: str, dialect: str) -> Trigger:
    """Return the trigger that was recorded; what cannot be read any more matches everything."""
    event, matcher = (str(part) for part in (*record, "", "")[:2])
    accepts = _accepts(kind, matcher, dialect, event)
    return Trigger(event=event or "PreToolUse", matcher=matcher, accepts=accepts)


def _accepts(kind: str, matcher: str, dialect: str, event: str) -> Callable[..., bool]:
    spoken = dialect_named(dialect)
    if kind == constants.SETTINGS:
        return _accepts_as_agent(matcher, dialect, event)
    if kind == constants.SCRIPT and matcher:
        return matchers.compile_tools(matcher, lambda name: kinds_of_any(name, spoken))
    known = (constants.SCRIPT, constants.CONTRIBUTED, constants.UI, constants.COMMAND)
    return matchers.compile_glob(matcher if kind in known and not matchers.matcher_flaw(matcher) else "")


def _accepts_as_agent(matcher: str, dialect: str, event: str) -> Callable[..., bool]:
    """Return the matcher of an agent's settings, by its rule where all of it is on record: an `if` is not,
    nor which event of the agent's own it was, which says what is matched where events imply their tool."""
    from hookrun.agents.settings import settings_of
    from hookrun.matching.agent_rules import AgentMatcher

    if not has_settings(dialect):
        return matchers.compile_glob("")
    known = event_named(event)
    spoken = dialect_named(dialect)
    implies_tools = spoken is not None and bool(spoken.tool_by_event)
    is_about_tools = known is not None and known.has_tool and not implies_tools
    try:
        return AgentMatcher(settings_of(dialect).matcher, matcher if is_about_tools else "")
    except ValueError:
        return matchers.compile_glob("")
