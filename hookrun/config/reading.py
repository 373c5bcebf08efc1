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
from hookrun.model.nearest import did_you_mean
from hookrun.model.values import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any

    from hookrun.config.documents import Document

KEYS = (
    "manifests",
    "hooks",
    "disable",
    "limits",
    "sources",
    "tools",
    "on_failure",
    "on_untrusted",
    "on_missing",
    "ask_fallback",
    "env",
    "store",
    "journal",
    "resident",
    "http",
)
USER_ONLY = ("on_untrusted", "on_missing", "resident", "store", "http")
NOT_USED_YET = ("journal", "resident")
FALLBACK_WORDS = ("deny", "allow")


def read_config(
    *,
    cwd: str,
    environ: Mapping[str, str],
    project: str = "",
    told_by_agent: str = "",
    remembered: Callable[[str], str] | None = None,
    started_in: str = "",
    hooks: Sequence[str] = (),
    trust: str | None = None,
    permitted: Collection[tuple[str, str]] = (),
    known_sources: Sequence[str] = (),
) -> Config:
    """Read what applies at *cwd* (absolute). *project* and *hooks* are what a person gave on this call;
    *trust* replaces HOOKRUN_TRUST. *remembered* gives the session's root that a state folder holds; the
    project that *started_in* is in counts besides the others. *permitted* are loosenings, by path and text,
    that are trusted. *known_sources* are the names that `sources` may have, () for any.

    Raises ConfigError for a file that is broken or names what is not there: a guard could be missing
    for it, so nothing may be decided without it.
    """
    home = paths.home_folder(environ)
    user_folder = paths.config_folder(environ)
    merged = _Merged(permitted, known_sources)
    errors: list[ConfigError] = []
    if user_folder:
        for name in ("config.yaml", "config.yml"):
            path = os.path.join(user_folder, name)
            errors += _errors_of(merged.add_file, path, user_folder, constants.USER)
    state_folder = merged.store or paths.state_folder(environ)
    started = paths.started_project(started_in, home) if started_in else ""
    root = paths.project_root(
        cwd,
        given=project,
        told_by_agent=told_by_agent,
        remembered=(remembered(state_folder) if remembered is not None else "") or paths.spelled_around(cwd, started),
        home=home,
    )
    # What a person named is the project; an agent's or a session's root never hides the hooks at cwd.
    is_elsewhere = bool(project) and not paths.is_inside(cwd, root)
    levels = (root,) if is_elsewhere else paths.project_levels(root, cwd, home)
    if started and not project:
        levels = paths.joined_levels(levels, paths.project_levels(started, started_in, home))
    for level in levels:
        errors += _errors_of(merged.add_pyproject, os.path.join(level, "pyproject.toml"), level)
        for name in ("config.yaml", "config.yml"):
            path = os.path.join(level, ".hookrun", name)
            errors += _errors_of(merged.add_file, path, level, constants.PROJECT)
    if errors:
        raise _joined(errors)
    for folder in (state_folder, user_folder, home):
        _refuse_in_project(folder, levels)
    given = tuple((os.path.abspath(os.path.join(cwd, path)), constants.COMMAND_LINE) for path in hooks)
    return Config(
        environ=environ,
        cwd=cwd,
        root=root,
        levels=levels,
        home=home,
        user_folder=user_folder,
        state_folder=state_folder,
        runtime_folder=paths.runtime_folder(environ),
        manifests=tuple(merged.manifests),
        hooks=(*merged.hooks, *given),
        disable=tuple(merged.disable),
        limits=Limits(**merged.limits),
        keeps_agents_times="event_seconds" not in merged.limits,
        sources=merged.sources,
        tools=merged.tools,
        on_failure=merged.on_failure or "deny",
        settings_on_failure=merged.on_failure,
        http=tuple(merged.http),
        ask_fallback=merged.ask_fallback,
        env=tuple(merged.env),
        trust=_trust_said(environ.get(constants.ENV_TRUST, "") if trust is None else trust),
        on_untrusted=merged.on_untrusted,
        on_missing=merged.on_missing,
        loosenings=tuple(merged.loosenings),
        files=tuple(merged.files),
        problems=tuple(merged.problems),
    )


class _Merged:
    """The files read so far, the user's first; a later file wins where only one can."""

    def __init__(self, permitted: Collection[tuple[str, str]], known_sources: Sequence[str]) -> None:
        self._permitted = permitted
        self.known_sources = known_sources
        self.on_untrusted = ""
        self.on_missing = ""
        self.loosenings: list[Loosening] = []
        self.manifests: list[tuple[str, str]] = []
        self.hooks: list[tuple[str, str]] = []
        self.disable: list[str] = []
        self.limits: dict[str, Any] = {}
        self.sources: dict[str, bool] = {}
        self.tools: dict[str, Any] = {}
        self.on_failure = ""
        self.env: list[tuple[tuple[str, ...], str]] = []
        self.http: list[str] = []
        self.ask_fallback: dict[str, str] = {}
        self.store = ""
        self.files: list[str] = []
        self.problems: list[Problem] = []

    def add_pyproject(self, path: str, folder: str) -> None:
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
            self.add(table["hookrun"], path, folder, constants.PROJECT, "tool.hookrun.")

    def add_file(self, path: str, folder: str, level: str) -> None:
        """Read one YAML file, if it is there."""
        if os.path.lexists(path):
            self.add(self._read(path), path, folder, level, "")

    def add(self, table: Any, path: str, folder: str, level: str, prefix: str) -> None:
        """Merge one file's keys into what is known."""
        self.files.append(path)
        if not isinstance(table, dict):
            raise ConfigError("the configuration is not a mapping", where=path, hint="write `key: value` lines")
        loosening: dict[str, Any] = {}
        for key, value in table.items():
            name = str(key).replace("-", "_")
            where = f"{prefix}{key}"
            if level == constants.PROJECT and self._loosens(name, value):
                loosening[name] = value
            elif name not in KEYS:
                self._unknown(name, path, where, KEYS)
            elif name in USER_ONLY and level != constants.USER:
                self._problem(path, where, "counts only in the user's own configuration", "move it there")
            elif name in NOT_USED_YET:
                self._problem(path, where, "is known but has no effect in this version", "")
            else:
                getattr(self, f"_set_{name}")(value, path, where, folder, level)
        if loosening:
            self._set_if_permitted(loosening, path, folder, prefix)

    def _loosens(self, name: str, value: Any) -> bool:
        """Say whether a project may only say so when it is trusted."""
        if name == "on_failure" and value in FAILURE_WORDS:
            return FAILURE_WORDS.index(value) > FAILURE_WORDS.index(self.on_failure or "deny")
        if name == "sources" and isinstance(value, dict):
            return any(is_on is False and self._knows_source(source) for source, is_on in value.items())
        if name == "limits" and isinstance(value, dict):  # a misspelled one loosens nothing
            return not set(Limits._fields).isdisjoint(value)
        return name in ("disable", "limits", "tools") and bool(value)

    def _set_if_permitted(self, values: dict[str, Any], path: str, folder: str, prefix: str) -> None:
        text = json.dumps(_with_text_keys(values), sort_keys=True, default=str)
        is_permitted = (path, text) in self._permitted
        target = (
            self if is_permitted else _Merged((), self.known_sources)
        )  # what is wrong with it is told in either case
        for name, value in values.items():
            getattr(target, f"_set_{name}")(value, path, f"{prefix}{name}", folder, constants.PROJECT)
        if not is_permitted:
            self.problems += target.problems
            self.loosenings.append(Loosening(path=path, place=folder, text=text, values=values))

    def _set_on_untrusted(self, value: Any, path: str, where: str, _folder: str, _level: str) -> None:
        if value not in UNTRUSTED_WORDS:
            raise _wrong(path, where, "one of ask, deny, skip", value)
        self.on_untrusted = value

    def _set_on_missing(self, value: Any, path: str, where: str, _folder: str, _level: str) -> None:
        if value not in UNTRUSTED_WORDS:
            raise _wrong(path, where, "one of ask, deny, skip", value)
        self.on_missing = value

    def _set_manifests(self, value: Any, path: str, where: str, folder: str, level: str) -> None:
        self.manifests += [(found, level) for found in _paths(value, path, where, folder)]

    def _set_hooks(self, value: Any, path: str, where: str, folder: str, level: str) -> None:
        self.hooks += [(found, level) for found in _paths(value, path, where, folder)]

    def _set_disable(self, value: Any, path: str, where: str, _folder: str, _level: str) -> None:
        self.disable += _texts(value, path, where)

    def _set_store(self, value: Any, path: str, where: str, folder: str, _level: str) -> None:
        (text,) = _texts([value], path, where)
        if "\0" in text:
            raise _wrong(path, where, "the path of a folder", value)
        self.store = os.path.join(folder, paths.expanded(text))

    def _set_http(self, value: Any, path: str, where: str, _folder: str, _level: str) -> None:
        self.http += _texts(value, path, where)

    def _set_on_failure(self, value: Any, path: str, where: str, _folder: str, _level: str) -> None:
        if value not in FAILURE_WORDS:
            raise _wrong(path, where, "one of deny, ask, allow", value)
        self.on_failure = value

    def _set_ask_fallback(self, value: Any, path: str, where: str, _folder: str, level: str) -> None:
        """Take one word for all hooks, or a word for each; a project's can only be stricter."""
        for hook, word in (value if isinstance(value, dict) else {ALL_HOOKS: value}).items():
            place = f"{where}.{hook}" if hook else where
            if word not in FALLBACK_WORDS:
                raise _wrong(path, place, "deny or allow", word)
            if word == "deny" and not hook:
                self.ask_fallback.clear()
            if word == "deny" or level == constants.USER:
                self.ask_fallback[str(hook)] = word
            else:
                self._problem(path, place, "allow counts only in the user's own configuration", "move it there")

    def _set_env(self, value: Any, path: str, where: str, _folder: str, level: str) -> None:
        from hookrun.model.variables import WANTED, is_pattern

        if not isinstance(value, list) or not all(is_pattern(text) for text in value):
            raise _wrong(path, where, WANTED, value)
        self.env.append((tuple(value), level))

    def _set_tools(self, value: Any, path: str, where: str, _folder: str, _level: str) -> None:
        for tool, meaning in _mapping(value, path, where).items():
            kind = meaning.get("tool") if isinstance(meaning, dict) else meaning
            if kind not in KINDS:
                raise _wrong(path, f"{where}.{tool}", f"one of {', '.join(KINDS)}", meaning)
            self.tools[str(tool)] = meaning

    def _knows_source(self, source: Any) -> bool:
        return not self.known_sources or source in self.known_sources

    def _set_sources(self, value: Any, path: str, where: str, _folder: str, _level: str) -> None:
        for source, is_on in _mapping(value, path, where).items():
            if not isinstance(is_on, bool):
                raise _wrong(path, f"{where}.{source}", "true or false", is_on)
            if not self._knows_source(source):
                self._unknown(
                    str(source), path, f"{where}.{source}", self.known_sources, f"unknown source {str(source)!r}"
                )
            self.sources[str(source)] = is_on

    def _set_limits(self, value: Any, path: str, where: str, _folder: str, _level: str) -> None:
        known: tuple[str, ...] = Limits._fields
        for limit, amount in _mapping(value, path, where).items():
            if limit not in known:
                self._unknown(str(limit), path, f"{where}.{limit}", known)
            elif isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 < amount < 1e9:
                raise _wrong(path, f"{where}.{limit}", "a number above 0", amount)
            elif not isinstance(getattr(Limits(), limit), int):
                self.limits[limit] = float(amount)
            elif amount < 1:
                raise _wrong(path, f"{where}.{limit}", "a whole number above 0", amount)
            else:
                self.limits[limit] = int(amount)

    def _unknown(self, name: str, path: str, where: str, known: Sequence[str], message: str = "") -> None:
        hint = did_you_mean(name, known)
        self._problem(path, where, message or f"unknown key {name!r} (ignored)", hint)

    def _problem(self, path: str, where: str, message: str, hint: str) -> None:
        self.problems.append(Problem(message=message, source=path, where=where, hint=hint))

    def _read(self, path: str) -> Any:
        document = _document(path)
        for spot in document.duplicates:
            self._problem(path, spot, "is there twice; the last one counts", "take one of them out")
        return document.value if document.value is not None else {}


def _with_text_keys(value: Any) -> Any:
    """Return *value* as JSON can sort it: YAML has numbers, dates and truth values for keys as well."""
    if isinstance(value, dict):
        return {str(key): _with_text_keys(part) for key, part in value.items()}
    return [_with_text_keys(part) for part in value] if isinstance(value, list | tuple) else value


def _trust_said(text: str) -> str:
    """Return what HOOKRUN_TRUST says. Raises ConfigError for what it cannot mean."""
    if text in ("", "project") or (text.startswith("ref:") and len(text) > len("ref:")):
        return text
    raise ConfigError(f"{text!r} is nothing to trust", where=constants.ENV_TRUST, hint="project, or ref:origin/main")


def _refuse_in_project(folder: str, levels: Sequence[str]) -> None:
    """Raise ConfigError when what is the user's lies in a project: a repository could bring it along, by a
    variable that it has an agent set."""
    if paths.differs_by_process(folder):
        hint = "mend HOME, XDG_CONFIG_HOME or XDG_STATE_HOME: a folder that is the same for everybody"
        raise ConfigError("the user's folder is another for each process", where=folder, hint=hint)
    for level in levels if folder else ():
        if not paths.brings_hooks(level):
            continue
        is_in_it = paths.is_inside(os.path.realpath(folder), os.path.realpath(level))
        if is_in_it and not paths.holds_real_home(level):
            raise ConfigError(
                "the user's folder lies in the project, which could have made it",
                where=folder,
                hint="mend HOME, XDG_CONFIG_HOME, XDG_STATE_HOME or store: a folder outside of it",
            )


def _errors_of(read: Callable[..., None], *given: str) -> list[ConfigError]:
    """Return what is wrong with a file, so that the others can be read as well."""
    try:
        read(*given)
    except ConfigError as error:
        return [error]
    return []


def _joined(errors: Sequence[ConfigError]) -> ConfigError:
    first, *others = errors
    also = "".join(f"; also {other.where}: {other.message}" for other in others)
    return ConfigError(first.message + also, where=first.where, hint=first.hint)


def _document(path: str) -> Document:
    try:
        return read_document(path)
    except DocumentError as error:
        where = f"{error.where}:{error.line}" if error.line else error.where
        hint = error.hint or "correct the file: nothing is decided without it"
        raise ConfigError(error.message, where=where, hint=hint) from error


def _paths(value: Any, path: str, where: str, folder: str) -> list[str]:
    found = [os.path.normpath(os.path.join(folder, paths.expanded(text))) for text in _texts(value, path, where)]
    for index, place in enumerate(found):
        if not os.path.lexists(place):
            raise ConfigError(
                f"{place} does not exist", where=f"{path}: {where}[{index}]", hint="create it, or take the line out"
            )
    return found


def _texts(value: Any, path: str, where: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise _wrong(path, where, "a list of texts", value)
    return value


def _mapping(value: Any, path: str, where: str) -> dict[Any, Any]:
    if not isinstance(value, dict):
        raise _wrong(path, where, "a mapping", value)
    return value


def _wrong(path: str, where: str, wanted: str, value: Any) -> ConfigError:
    from hookrun.model.masking import without_secrets

    shown = without_secrets(repr(value))
    return ConfigError(f"{where} must be {wanted}, not {shown}", where=path, hint="see docs/config.md")
