"""Flags, environment and files of configuration -> Config."""

from __future__ import annotations

import json
import os

from hookrun.config import paths
from hookrun.config.config import ALL_HOOKS, FAILURE_WORDS, UNTRUSTED_WORDS, Config, Limits, Loosening
from hookrun.config.documents import read_document
from hookrun.model import constants
from hookrun.model.errors import ConfigError, DocumentError
from hookrun.model.events import KINDS
from hookrun.model.text import did_you_mean
from hookrun.model.values import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from typing import Any

KEYS = (
    "manifests hooks disable limits sources tools on_failure on_untrusted on_missing ask_fallback env store journal "
    "resident http"
).split()
USER_ONLY = ("on_untrusted", "on_missing", "resident", "store", "http")
NOT_USED_YET = ("journal", "resident")
FALLBACK_WORDS = ("deny", "allow")
# Settings that are one word, a list of paths, or a list of texts; the others have a method of their own.
_WORDS = {"on_untrusted": UNTRUSTED_WORDS, "on_missing": UNTRUSTED_WORDS, "on_failure": FAILURE_WORDS}
_PATHS = ("manifests", "hooks")
_TEXTS = ("disable", "http")
_FILES = ("config.yaml", "config.yml")
_USERS_OWN = "counts only in the user's own configuration"


def read_config(
    *,
    cwd: str,
    environ: Mapping[str, str],
    project: str = "",
    agent_project: str = "",
    remembered: Callable[[str], str] | None = None,
    started_in: str = "",
    hooks: Sequence[str] = (),
    trust: str | None = None,
    permitted: Collection[tuple[str, str]] = (),
    known_sources: Sequence[str] = (),
) -> Config:
    """Read what applies at *cwd* (absolute). *project* and *hooks* are what a person named on this call;
    *trust* replaces HOOKRUN_TRUST. *remembered* returns the session's root that a state folder holds; the
    project that *started_in* is in counts besides the others. *permitted* are loosenings, by path and text,
    that are trusted. *known_sources* are the names that `sources` may have, () for any.

    Raises ConfigError for a file that is broken or names what does not exist: a guard could be missing
    for it, so nothing may be decided without it.
    """
    home = paths.home_folder(environ)
    user_folder = paths.config_folder(environ)
    files = _Files(permitted, known_sources)
    if user_folder:
        files.read_user(user_folder)
    state_folder = files.store or paths.state_folder(environ)
    session_root = remembered(state_folder) if remembered is not None else ""
    root, levels = _root_and_levels(cwd, home, project, agent_project, session_root, started_in)
    for level in levels:
        files.read_project(level)
    files.raise_errors()
    for folder in (state_folder, user_folder, home):
        _refuse_in_project(folder, levels)
    files.add("hooks", *((os.path.abspath(os.path.join(cwd, path)), constants.COMMAND_LINE) for path in hooks))
    return files.config(
        environ=environ,
        cwd=cwd,
        root=root,
        levels=levels,
        home=home,
        user_folder=user_folder,
        state_folder=state_folder,
        runtime_folder=paths.runtime_folder(environ),
        trust=_trust_setting(environ.get(constants.ENV_TRUST, "") if trust is None else trust),
    )


class _Setting:
    """One value of a file, and where it was read."""

    def __init__(self, value: Any, path: str, where: str, folder: str, level: str) -> None:
        self.value = value
        self.path = path  # the file
        self.where = where  # the key in it
        self.folder = folder  # what relative paths start from
        self.level = level

    def one_of(self, words: Sequence[str]) -> Any:
        """Return the word. Raises ConfigError for any other."""
        if self.value not in words:
            raise self.wrong(" or ".join(words) if len(words) == 2 else f"one of {', '.join(words)}")
        return self.value

    def texts(self) -> list[str]:
        """Return the list of texts. Raises ConfigError for anything else."""
        if not isinstance(self.value, list) or not all(isinstance(item, str) and item for item in self.value):
            raise self.wrong("a list of texts")
        return self.value

    def paths(self) -> list[tuple[str, str]]:
        """Return the paths, absolute, each with the level that names it. Raises ConfigError for a missing one."""
        found = [os.path.normpath(os.path.join(self.folder, paths.expanded(text))) for text in self.texts()]
        for index, path in enumerate(found):
            if not os.path.lexists(path):
                where = f"{self.path}: {self.where}[{index}]"
                raise ConfigError(f"{path} does not exist", where=where, hint="create it, or remove the line")
        return [(path, self.level) for path in found]

    def parts(self) -> Iterator[tuple[Any, _Setting]]:
        """Yield the keys of the mapping with their values. Raises ConfigError for anything else."""
        if not isinstance(self.value, dict):
            raise self.wrong("a mapping")
        for key, value in self.value.items():
            yield key, _Setting(value, self.path, f"{self.where}.{key}", self.folder, self.level)

    def wrong(self, wanted: str) -> ConfigError:
        """Return the error for a value that is not what is *wanted*."""
        from hookrun.model.text import without_secrets

        message = f"{self.where} must be {wanted}, not {without_secrets(repr(self.value))}"
        return ConfigError(message, where=self.path, hint="see docs/config.md")


class _Files:
    """The files read so far, the user's first; a later file wins where only one can."""

    def __init__(self, permitted: Collection[tuple[str, str]], known_sources: Sequence[str]) -> None:
        self._permitted = permitted
        self._known_sources = known_sources
        self._errors: list[ConfigError] = []
        self._limits: dict[str, Any] = {}
        self._values: dict[str, Any] = {"sources": {}, "tools": {}, "ask_fallback": {}}  # by the fields of Config
        self._problems: list[Problem] = []
        self.store = ""

    def read_user(self, folder: str) -> None:
        """Read the user's own files in *folder*."""
        for name in _FILES:
            self._try(self._add_file, os.path.join(folder, name), folder, constants.USER)

    def read_project(self, level: str) -> None:
        """Read the files of the project level *level*."""
        self._try(self._add_pyproject, os.path.join(level, "pyproject.toml"), level)
        for name in _FILES:
            self._try(self._add_file, os.path.join(level, ".hookrun", name), level, constants.PROJECT)

    def raise_errors(self) -> None:
        """Raise one ConfigError for all that is wrong with the files, when anything is."""
        if self._errors:
            first, *others = self._errors
            also = "".join(f"; also {other.where}: {other.message}" for other in others)
            raise ConfigError(first.message + also, where=first.where, hint=first.hint)

    def add(self, field: str, *items: Any) -> None:
        """Add *items* to a field of Config that has several."""
        self._values[field] = (*self._values.get(field, ()), *items)

    def config(self, **values: Any) -> Config:
        """Return what the files say, with further *values*."""
        return Config(
            limits=Limits(**self._limits),
            keeps_agents_times="event_seconds" not in self._limits,
            settings_on_failure=self._values.get("on_failure", ""),
            problems=tuple(self._problems),
            **self._values,
            **values,
        )

    def _try(self, read: Callable[..., None], *arguments: str) -> None:
        """Read a file, and remember what is wrong with it, so that the others are read as well."""
        try:
            read(*arguments)
        except ConfigError as error:
            self._errors.append(error)

    def _add_pyproject(self, path: str, folder: str) -> None:
        """Read `[tool.hookrun]`; tomllib is imported only for a file that names it."""
        if not os.path.isfile(path):
            return
        try:
            with open(path, "rb") as file:
                if b"hookrun" not in file.read(constants.PAYLOAD_LIMIT):
                    return
        except OSError:
            pass  # reading it as a document says what is wrong
        table = self._read(path).get("tool", {})
        if isinstance(table, dict) and "hookrun" in table:
            self._add(table["hookrun"], path, folder, constants.PROJECT, "tool.hookrun.")

    def _add_file(self, path: str, folder: str, level: str) -> None:
        if os.path.lexists(path):
            self._add(self._read(path), path, folder, level, "")

    def _add(self, table: Any, path: str, folder: str, level: str, prefix: str) -> None:
        """Merge one file's keys into what is known."""
        self.add("files", path)
        if not isinstance(table, dict):
            raise ConfigError("the configuration is not a mapping", where=path, hint="write `key: value` lines")
        loosening: dict[str, Any] = {}
        for key, value in table.items():
            name = str(key).replace("-", "_")
            setting = _Setting(value, path, f"{prefix}{key}", folder, level)
            if level == constants.PROJECT and self._loosens(name, value):
                loosening[name] = value
            elif name not in KEYS:
                self._unknown_key(setting, name, KEYS)
            elif name in USER_ONLY and level != constants.USER:
                self._problem(setting, _USERS_OWN, "move it there")
            elif name in NOT_USED_YET:
                self._problem(setting, "is known but has no effect in this version", "")
            else:
                self._set(name, setting)
        if loosening:
            self._set_if_permitted(loosening, path, folder, prefix)

    def _loosens(self, name: str, value: Any) -> bool:
        """Say whether a project's setting counts only when it is trusted."""
        if name == "on_failure" and value in FAILURE_WORDS:
            return FAILURE_WORDS.index(value) > FAILURE_WORDS.index(self._values.get("on_failure", "deny"))
        if name == "sources" and isinstance(value, dict):
            return any(is_on is False and self._knows_source(source) for source, is_on in value.items())
        if name == "limits" and isinstance(value, dict):  # a misspelled one loosens nothing
            return not set(Limits._fields).isdisjoint(value)
        return name in ("disable", "limits", "tools") and bool(value)

    def _set_if_permitted(self, values: dict[str, Any], path: str, folder: str, prefix: str) -> None:
        text = json.dumps(_with_text_keys(values), sort_keys=True, default=str)
        is_permitted = (path, text) in self._permitted
        # what has no effect is read all the same, for what is wrong with it
        target = self if is_permitted else _Files((), self._known_sources)
        for name, value in values.items():
            target._set(name, _Setting(value, path, f"{prefix}{name}", folder, constants.PROJECT))
        if not is_permitted:
            self._problems += target._problems
            self.add("loosenings", Loosening(path=path, place=folder, text=text, values=values))

    def _set(self, name: str, setting: _Setting) -> None:
        if name in _WORDS:
            self._values[name] = setting.one_of(_WORDS[name])
        elif name in _PATHS:
            self.add(name, *setting.paths())
        elif name in _TEXTS:
            self.add(name, *setting.texts())
        else:
            getattr(self, f"_set_{name}")(setting)

    def _set_store(self, setting: _Setting) -> None:
        text = setting.value
        if not isinstance(text, str) or not text or "\0" in text:
            raise setting.wrong("the path of a folder")
        self.store = os.path.join(setting.folder, paths.expanded(text))

    def _set_ask_fallback(self, setting: _Setting) -> None:
        """Read one word for all hooks, or a word for each; a project's can only be stricter."""
        for hook, part in setting.parts() if isinstance(setting.value, dict) else [(ALL_HOOKS, setting)]:
            word = part.one_of(FALLBACK_WORDS)
            if word == "deny" and not hook:
                self._values["ask_fallback"].clear()
            if word == "deny" or part.level == constants.USER:
                self._values["ask_fallback"][str(hook)] = word
            else:
                self._problem(part, f"allow {_USERS_OWN}", "move it there")

    def _set_env(self, setting: _Setting) -> None:
        from hookrun.model.text import WANTED, is_pattern

        if not isinstance(setting.value, list) or not all(is_pattern(text) for text in setting.value):
            raise setting.wrong(WANTED)
        self.add("env", (tuple(setting.value), setting.level))

    def _set_tools(self, setting: _Setting) -> None:
        for tool, part in setting.parts():
            kind = part.value.get("tool") if isinstance(part.value, dict) else part.value
            if kind not in KINDS:
                raise part.wrong(f"one of {', '.join(KINDS)}")
            self._values["tools"][str(tool)] = part.value

    def _knows_source(self, source: Any) -> bool:
        return not self._known_sources or source in self._known_sources

    def _set_sources(self, setting: _Setting) -> None:
        for source, part in setting.parts():
            if not isinstance(part.value, bool):
                raise part.wrong("true or false")
            if not self._knows_source(source):
                hint = did_you_mean(str(source), self._known_sources)
                self._problem(part, f"unknown source {str(source)!r}", hint)
            self._values["sources"][str(source)] = part.value

    def _set_limits(self, setting: _Setting) -> None:
        known: tuple[str, ...] = Limits._fields
        for limit, part in setting.parts():
            amount = part.value
            if limit not in known:
                self._unknown_key(part, str(limit), known)
            elif isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 < amount < 1e9:
                raise part.wrong("a number above 0")
            elif not isinstance(getattr(Limits(), limit), int):
                self._limits[limit] = float(amount)
            elif amount < 1:
                raise part.wrong("a whole number above 0")
            else:
                self._limits[limit] = int(amount)

    def _unknown_key(self, setting: _Setting, name: str, known: Sequence[str]) -> None:
        self._problem(setting, f"unknown key {name!r} (ignored)", did_you_mean(name, known))

    def _problem(self, setting: _Setting, message: str, hint: str) -> None:
        self._problems.append(Problem(message=message, source=setting.path, where=setting.where, hint=hint))

    def _read(self, path: str) -> Any:
        try:
            document = read_document(path)
        except DocumentError as error:
            where = f"{error.where}:{error.line}" if error.line else error.where
            hint = error.hint or "correct the file: nothing is decided without it"
            raise ConfigError(error.message, where=where, hint=hint) from error
        for key in document.duplicates:
            message = "appears twice; the last one counts"
            self._problems.append(Problem(message=message, source=path, where=key, hint="remove one of them"))
        return document.value if document.value is not None else {}


def _root_and_levels(
    cwd: str, home: str, project: str, agent_project: str, session_root: str, started_in: str
) -> tuple[str, tuple[str, ...]]:
    """Return the project's root and its levels. A *project* that a person named is the only one; an agent's or a
    session's root never hides the hooks at *cwd*."""
    started = paths.started_project(started_in, home) if started_in else ""
    root = paths.project_root(
        cwd,
        given=project,
        agent_project=agent_project,
        remembered=session_root or paths.spelled_around(cwd, started),
        home=home,
    )
    if project and not paths.is_inside(cwd, root):
        return root, (root,)
    levels = paths.project_levels(root, cwd, home)
    if started and not project:
        levels = paths.joined_levels(levels, paths.project_levels(started, started_in, home))
    return root, levels


def _with_text_keys(value: Any) -> Any:
    """Return *value* as JSON can sort it: YAML has numbers, dates and truth values for keys as well."""
    if isinstance(value, dict):
        return {str(key): _with_text_keys(part) for key, part in value.items()}
    return [_with_text_keys(part) for part in value] if isinstance(value, list | tuple) else value


def _trust_setting(text: str) -> str:
    """Return *text*, the value of HOOKRUN_TRUST. Raises ConfigError for an unknown one."""
    if text in ("", "project") or (text.startswith("ref:") and len(text) > len("ref:")):
        return text
    raise ConfigError(f"unknown trust {text!r}", where=constants.ENV_TRUST, hint="project, or ref:origin/main")


def _refuse_in_project(folder: str, levels: Sequence[str]) -> None:
    """Raise ConfigError when the user's *folder* lies in a project: a repository could have brought it, by a
    variable that it has an agent set."""
    if paths.differs_by_process(folder):
        hint = "set HOME, XDG_CONFIG_HOME or XDG_STATE_HOME to a folder that is the same for every process"
        raise ConfigError("the user's folder is another for each process", where=folder, hint=hint)
    for level in levels if folder else ():
        is_in_it = paths.brings_hooks(level) and paths.is_inside(os.path.realpath(folder), os.path.realpath(level))
        if is_in_it and not paths.holds_real_home(level):
            raise ConfigError(
                "the user's folder lies in the project, which could have made it",
                where=folder,
                hint="set HOME, XDG_CONFIG_HOME, XDG_STATE_HOME or store to a folder outside of it",
            )
