"""The settings files of agents -> the hooks in them. Runs nothing; a file that is broken is a Problem."""

from __future__ import annotations

import json
import os

from hookrun.agents.answer_format import value_at
from hookrun.agents.settings import installation_of, settings_of
from hookrun.config.documents import read_document
from hookrun.config.files import read_regular
from hookrun.model import constants
from hookrun.model.errors import DocumentError
from hookrun.model.frozen import Frozen
from hookrun.model.values import Problem
from hookrun.sources.agent_settings.entries import SettingsPlace
from hookrun.sources.agent_settings.handlers import read_handlers
from hookrun.sources.found import Found, Origin, Skip, joined, natural

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from hookrun.agents.settings import Settings
    from hookrun.config.config import Config
    from hookrun.config.documents import Document

INSTALLED = "installed_plugins.json"  # Claude Code's list of plugins
SETTINGS_ORDER = 70  # of agents' settings among the sources
_TABLE = ("hooks",)


class SettingsFile(Frozen):
    """A settings file of an agent, or a folder of hooks."""

    agent: str
    path: str
    level: str  # user or project
    place: str  # the folder that it is about: the project level's, or the home
    is_in_folder: bool = False  # one of several beside each other, each for itself

    @property
    def origin(self) -> Origin:
        """Return where its hooks come from."""
        source = f"{self.agent}-settings"
        return Origin(source=source, order=SETTINGS_ORDER, level=self.level, place=self.place, dialect=self.agent)


class User(Frozen):
    """What of the user matters to settings."""

    home: str = ""
    shell: str = ""
    root: str = ""  # the project's


class Off(Frozen):
    """Why no hooks of a file run."""

    switch: str  # the key that says so
    reason: str

    def skipped(self, file: SettingsFile, path: str = "") -> Found:
        """Return that *path*, or all of *file*, is skipped."""
        source = file.origin.source
        return Found(skips=(Skip(path=path or file.path, reason=self.reason, source=source, switch=self.switch),))


class _Read(Frozen):
    """A settings file that was read."""

    file: SettingsFile
    table: Mapping[str, Any]


def user_of(config: Config) -> User:
    """Return the user of *config*."""
    return User(home=config.home, shell=config.environ.get("SHELL", ""), root=config.root)


def read_agent_settings(files: Sequence[SettingsFile], user: User) -> Found:
    """Return the hooks in *files*, all of one agent, the user's first; each file exists."""
    if not files:
        return Found()
    settings = settings_of(files[0].agent)
    if settings.are_executables:
        from hookrun.sources.agent_settings.executables import read_executables

        return joined(read_executables(file.path, file.origin) for file in files)
    parts: list[Found] = []
    found = [_Read(file=file, table=table) for file in _documents(files) if (table := _table(file, parts))]
    for read in found:
        if "hooks" not in read.table:
            continue
        if off := _off(read, found):
            parts.append(off.skipped(read.file))
        else:
            parts.append(read_handlers(read.table["hooks"], _place(read, found, user), keys=_TABLE))
    if settings.has_plugins:
        from hookrun.sources.agent_settings.claude_plugins import read_claude_plugins

        tables = [read.table for read in found]
        off_by_path = {file.path: _off(_Read(file=file, table={}), found) for file in files}
        parts.append(read_claude_plugins(tables, files, user, off_by_path))
    return joined(parts)


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
    except DocumentError as error:
        return _not_read(file, error.message, parts, f"line {error.line}" if error.line else "")
    except OSError as error:
        return _not_read(file, str(error.strerror), parts)
    if not isinstance(document.value, dict):
        return _not_read(file, "not a mapping", parts)
    if os.path.basename(file.path) == settings_of(file.agent).bare_file and "hooks" not in document.value:
        return {"hooks": document.value}
    if "hooks" in document.value:
        parts += _flaws(file, document)
    return document.value


def _not_read(file: SettingsFile, flaw: str, parts: list[Found], where: str = "") -> Mapping[str, Any]:
    parts.append(_broken(file, f"{flaw}: its hooks are not known, and do not run", where))
    return {}


def _flaws(file: SettingsFile, document: Document) -> Iterator[Found]:
    """Yield what is wrong with a document as a whole: why its agent does not load it, keys that are repeated."""
    problem = not_loaded(file.agent, file.path, document.text)
    if problem:
        yield Found(problems=(problem,))
    for key in document.duplicates:
        if key.startswith("hooks"):
            yield _broken(file, "appears twice; only the last counts", key)


def not_loaded(agent: str, path: str, text: str) -> Problem | None:
    """Return that *agent* does not load settings, *text*, which hookrun can read; None where it does."""
    settings = settings_of(agent)
    if not (settings.plain_json or settings.refuses_wrong_shapes):
        return None
    try:
        table = json.loads(text)
    except (ValueError, RecursionError) as error:
        if not settings.plain_json:
            return None
        what = "a file with a comment or a trailing comma, and runs none of its hooks"
        return Problem(
            message=f"{settings.title} does not load {what}",
            level="error",
            source=path,
            where=f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else "",
            hint="remove the comment or the comma",
        )
    flaw = _wrong_shape(table, settings) if settings.refuses_wrong_shapes else ""
    if not flaw:
        return None
    message = f"{settings.title} runs no hook of a file in which {flaw}"
    return Problem(message=message, level="error", source=path, hint="correct it")


def _wrong_shape(table: Any, settings: Settings) -> str:
    """Return as a clause why the agent does not load *table*, "" when it does."""
    hooks = table.get("hooks") if isinstance(table, dict) else None
    if not isinstance(table, dict) or not isinstance(hooks, dict | None):
        return "hooks is not an object"
    if settings.versions and table.get("version", settings.versions[0]) not in settings.versions:
        return f"version is not {' or '.join(map(str, settings.versions))}"
    flaws = (_wrong_groups(f"hooks.{event}", groups, settings) for event, groups in (hooks or {}).items())
    return next(filter(None, flaws), "")


def _wrong_groups(where: str, groups: Any, settings: Settings) -> str:
    if not isinstance(groups, list):
        return f"{where} is not a list"
    for number, group in enumerate(groups):
        if not isinstance(group, dict) or not isinstance(group.get("matcher", ""), str):
            return f"{where}[{number}] has the wrong shape"
        handlers = [group] if settings.is_flat else group.get("hooks")
        if not isinstance(handlers, list) or not all(isinstance(each, dict) for each in handlers):
            return f"{where}[{number}].hooks is not a list of objects"
    return ""


def _names_hooks(path: str) -> bool:
    """Say whether a TOML file mentions hooks at all: parsing it needs a library."""
    return b"hooks" in read_regular(path, constants.MANIFEST_LIMIT)


def _broken(file: SettingsFile, message: str, where: str, hint: str = "fix the file") -> Found:
    problem = Problem(message=message, level="error", source=file.path, where=where, hint=hint)
    return Found(problems=(problem,))


def _off(read: _Read, found: Sequence[_Read]) -> Off | None:
    """Return why nothing of a file runs, None when it does. A project's file can switch off its own hooks,
    never the user's; a file in a folder of them only what is in it."""
    counting = [other for other in found if not other.file.is_in_folder or other.file == read.file]
    mine = [other for other in counting if other.file.place == read.file.place]
    user = [other for other in counting if other.file.level == constants.USER]
    for group in (mine, user):
        switched = ((other, switch) for other in reversed(group) if (switch := _switch(other)) is not None)
        other, (key, is_off) = next(switched, (read, ("", False)))
        if is_off:
            return Off(switch=key, reason=f"{os.path.basename(other.file.path)} switches hooks off ({key})")
    return None


def _switch(read: _Read) -> tuple[str, bool] | None:
    """Return the key with which a file says whether hooks run, and whether they are off."""
    installation = installation_of(read.file.agent)
    for switch in installation.switches if installation else ():
        value = value_at(read.table, switch.key)
        if isinstance(value, bool):
            return switch.key, value is switch.off
    return None


def _place(read: _Read, found: Sequence[_Read], user: User) -> SettingsPlace:
    return SettingsPlace(
        origin=read.file.origin,
        path=read.file.path,
        home=user.home,
        shell=user.shell,
        disabled=tuple(
            name
            for other in found
            if other.file.level == constants.USER or other.file.place == read.file.place
            for name in _disabled(other)
        ),
        commands_are_off=_commands_off(read, found),
    )


def _disabled(read: _Read) -> list[str]:
    installation = installation_of(read.file.agent)
    lists = [value_at(read.table, key) for key in (installation.disabled_keys if installation else ())]
    return [name for names in lists if isinstance(names, list) for name in names if isinstance(name, str)]


def _commands_off(read: _Read, found: Sequence[_Read]) -> str:
    """Return why commands do not run where a key has to switch them on: the user's settings must say so; a project's
    are switched on by the trust in each entry, and can only say no."""
    key = settings_of(read.file.agent).switch
    if not key:
        return ""
    said = [other.table[key] for other in found if other.file.place == read.file.place and key in other.table]
    is_on = said[-1] is True if said else read.file.level != constants.USER
    return "" if is_on else f"a command, and {key} is not true"
