"""The settings files of agents -> the hooks in them. Runs nothing; a file that is broken is a Problem."""

from __future__ import annotations

import json
import os

from hookrun.agents.settings import settings_of
from hookrun.config.documents import read_document
from hookrun.config.regular_files import read_regular
from hookrun.model import constants
from hookrun.model.errors import DocumentError
from hookrun.model.frozen import Frozen
from hookrun.model.values import Problem
from hookrun.sources.agent_settings.entries import Place
from hookrun.sources.agent_settings.handlers import read_handlers
from hookrun.sources.found import Found, Origin, Skip, joined, natural

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hookrun.agents.settings import Settings

INSTALLED = "installed_plugins.json"  # Claude Code's list of plugins
_TABLE = ("hooks",)


class SettingsFile(Frozen):
    """A file of *agent*'s settings, or a folder of hooks: *level* is whose it is, *place* the folder that it
    speaks of (the project level's, or the home)."""

    agent: str
    path: str
    level: str
    place: str
    is_in_folder: bool = False  # one of several beside each other, each for itself


class User(Frozen):
    """What of the user matters to settings: the home folder, the shell, the project's root."""

    home: str = ""
    shell: str = ""
    root: str = ""


class _Read(Frozen):
    """A settings file that was read; ``table`` is its mapping."""

    file: SettingsFile
    table: Mapping[str, Any]


def read_agent_settings(agent: str, files: Sequence[SettingsFile], order: int, user: User) -> Found:
    """Return the hooks in *files*, all of them *agent*'s, the user's first; each file exists."""
    parts: list[Found] = []
    settings = settings_of(agent)
    if settings.are_executables:
        from hookrun.sources.agent_settings.executables import read_executables

        return joined(read_executables(file.path, _origin(file, order)) for file in files)
    found = [_Read(file=file, table=table) for file in _documents(files) if (table := _table(file, parts))]
    for read in found:
        reason = _why_off(read, found)
        if reason:
            parts.append(_all_skipped(read, order, reason))
        else:
            place = _place(read, found, order, user)
            if "hooks" in read.table:
                parts.append(read_handlers(read.table["hooks"], place, keys=_TABLE))
    if settings.has_plugins:
        from hookrun.sources.agent_settings.claude_plugins import read_claude_plugins

        tables = [read.table for read in found]
        why_off_by_path = {file.path: _why_off(_Read(file=file, table={}), found) for file in files}
        parts.append(read_claude_plugins(tables, files, order, user, why_off_by_path))
    return joined(parts)


def _origin(file: SettingsFile, order: int) -> Origin:
    source = f"{file.agent}-settings"
    return Origin(source=source, order=order, level=file.level, place=file.place, dialect=file.agent)


def _documents(files: Sequence[SettingsFile]) -> list[SettingsFile]:
    """Return the settings files among *files*, with those in a folder of them; the rest is for plugins."""
    documents: list[SettingsFile] = []
    for file in files:
        if settings_of(file.agent).reads_folder and os.path.isdir(file.path):
            inside = sorted(os.listdir(file.path), key=natural)
            paths = [os.path.join(file.path, name) for name in inside if name.endswith(".json")]
            documents += [file.replace(path=path, is_in_folder=True) for path in paths]
        elif os.path.basename(file.path) not in (INSTALLED, "plugins"):
            documents.append(file)
    return documents


def _table(file: SettingsFile, parts: list[Found]) -> Mapping[str, Any]:
    """Return the mapping in a file; what cannot be read is a Problem, as its agent goes on without it."""
    try:
        if file.path.endswith(".toml") and os.path.isfile(file.path) and not _names_hooks(file.path):
            return {}
        document = read_document(file.path, comments=True)
    except (OSError, DocumentError) as error:
        message = error.message if isinstance(error, DocumentError) else str(error.strerror)
        line = f"line {error.line}" if isinstance(error, DocumentError) and error.line else ""
        parts.append(_broken(file, f"{message}: its hooks are not known, and do not run", line))
        return {}
    value = document.value
    if not isinstance(value, dict):
        parts.append(_broken(file, "not a mapping: its hooks are not known, and do not run", ""))
        return {}
    reason, number = why_not_loaded(file.agent, document.text)
    if reason and "hooks" in value:
        hint = "take out the comment or the comma" if number else "correct it"
        parts.append(_broken(file, reason, f"line {number}" if number else "", hint=hint))
    twice = [key for key in document.duplicates if key.startswith("hooks")]
    parts += [_broken(file, "appears twice; only the last counts", key) for key in twice]
    return value


def why_not_loaded(agent: str, text: str) -> tuple[str, int]:
    """Return (why *agent* does not load settings that hookrun can read, the line); "" where it does."""
    settings = settings_of(agent)
    if not (settings.plain_json or settings.refuses_wrong_shapes):
        return "", 0
    try:
        table = json.loads(text)
    except (ValueError, RecursionError) as error:
        if not settings.plain_json:
            return "", 0
        what = "a file with a comment or a trailing comma, and runs none of its hooks"
        return f"{settings.title} does not load {what}", getattr(error, "lineno", 0)
    flaw = _wrong_shape(table, settings) if settings.refuses_wrong_shapes else ""
    return (f"{settings.title} runs no hook of a file in which {flaw}" if flaw else ""), 0


def _wrong_shape(table: Any, settings: Settings) -> str:
    """Return what keeps the agent from loading *table*, as a clause, "" for nothing."""
    hooks = table.get("hooks") if isinstance(table, dict) else None
    if not isinstance(table, dict) or not isinstance(hooks, dict | None):
        return "hooks is not an object"
    if settings.versions and table.get("version", settings.versions[0]) not in settings.versions:
        return f"version is not {' or '.join(map(str, settings.versions))}"
    for event, groups in (hooks or {}).items():
        if not isinstance(groups, list):
            return f"hooks.{event} is no list"
        for number, group in enumerate(groups):
            if not isinstance(group, dict) or not isinstance(group.get("matcher", ""), str):
                return f"hooks.{event}[{number}] has the wrong shape"
            handlers = [group] if settings.is_flat else group.get("hooks")
            if not isinstance(handlers, list) or not all(isinstance(each, dict) for each in handlers):
                return f"hooks.{event}[{number}].hooks is not a list of objects"
    return ""


def _names_hooks(path: str) -> bool:
    """Say whether a TOML file speaks of hooks at all: reading it takes a library."""
    return b"hooks" in read_regular(path, constants.MANIFEST_LIMIT)


def _broken(file: SettingsFile, message: str, where: str, hint: str = "fix the file") -> Found:
    problem = Problem(message=message, level="error", source=file.path, where=where, hint=hint)
    return Found(problems=(problem,))


def _why_off(read: _Read, found: Sequence[_Read]) -> str:
    """Say why nothing of a file runs. A project's file can switch off its own hooks, never the user's, and a
    file in a folder of them what it holds itself."""
    counting = [other for other in found if not other.file.is_in_folder or other.file == read.file]
    mine = [other for other in counting if other.file.place == read.file.place]
    user = [other for other in counting if other.file.level == constants.USER]
    for group in (mine, user):
        for other in reversed(group):
            switch = _switch(other.table)
            if switch is not None:
                key, is_off = switch
                if is_off:
                    return f"{os.path.basename(other.file.path)} switches hooks off ({key})"
                break
    return ""


def _switch(table: Mapping[str, Any]) -> tuple[str, bool] | None:
    """Return the key with which *table* says whether hooks run, and whether they are off."""
    if isinstance(table.get("disableAllHooks"), bool):
        return "disableAllHooks", table["disableAllHooks"]
    for outer, keys in (("features", ("hooks", "codex_hooks")), ("hooksConfig", ("enabled",))):
        inner = table.get(outer)
        for key in keys:
            if isinstance(inner, dict) and isinstance(inner.get(key), bool):
                return f"{outer}.{key}", not inner[key]
    return None


def _all_skipped(read: _Read, order: int, reason: str) -> Found:
    if "hooks" not in read.table:
        return Found()
    source = _origin(read.file, order).source
    return Found(skips=(Skip(path=read.file.path, reason=reason, source=source),))


def _place(read: _Read, found: Sequence[_Read], order: int, user: User) -> Place:
    return Place(
        origin=_origin(read.file, order),
        path=read.file.path,
        home=user.home,
        shell=user.shell,
        disabled=tuple(
            name
            for other in found
            if other.file.level == constants.USER or other.file.place == read.file.place
            for name in _disabled(other.table)
        ),
        commands_are_off=_commands_off(read, found),
    )


def _disabled(table: Mapping[str, Any]) -> list[str]:
    tables = (table.get("hooksConfig"), table.get("hooks"))
    lists = [inner.get("disabled") for inner in tables if isinstance(inner, dict)]
    return [name for names in lists if isinstance(names, list) for name in names if isinstance(name, str)]


def _commands_off(read: _Read, found: Sequence[_Read]) -> str:
    """Say why commands do not run that have to be switched on: the user switches on their own; what a project
    brings is switched on by the trust in it, entry by entry, and all that it says itself can be no."""
    key = settings_of(read.file.agent).switch
    if not key:
        return ""
    mine = [other for other in found if other.file.place == read.file.place]
    said = [other.table[key] for other in mine if key in other.table]
    is_on = said[-1] is True if said else read.file.level != constants.USER
    return "" if is_on else f"a command, and {key} is not true"
