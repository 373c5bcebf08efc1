"""Flags, environment and files -> Config: the only reader of the process environment."""

from __future__ import annotations

import os

from hookrun.readers import places
from hookrun.readers.documents import read_document
from hookrun.words import names
from hookrun.words.catalog import KINDS
from hookrun.words.errors import ConfigError, DocumentError
from hookrun.words.frozen import Frozen
from hookrun.words.model import Problem
from hookrun.words.nearest import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

KEYS = (
    "manifests",
    "hooks",
    "disable",
    "limits",
    "sources",
    "tools",
    "on_failure",
    "on_untrusted",
    "ask_fallback",
    "env",
    "store",
    "journal",
    "resident",
    "http",
)
USER_ONLY = ("on_untrusted", "resident", "store")
NOT_USED_YET = ("on_untrusted", "ask_fallback", "env", "journal", "resident", "http")
SOURCES = ("hookrun", "xbot", "xcsh", "claude")
FAILURE_WORDS = ("deny", "ask", "allow")


class Limits(Frozen):
    """How much of everything; durations in seconds."""

    process_hooks: int = 10
    event_seconds: float = 60.0
    script_seconds: float = 10.0
    command_seconds: float = 30.0
    module_seconds: float = 10.0
    hint_seconds: float = 600.0
    output_bytes: int = names.STREAM_LIMIT


class Config(Frozen):
    """All that is set: by flags, by the environment, by the user's and the project's files.

    ``manifests`` and ``hooks`` are absolute paths with the level that named them; ``levels`` are the
    project's folders from the root to the working directory.
    """

    environ: Mapping[str, str]
    cwd: str
    root: str
    levels: tuple[str, ...]
    home: str = ""
    user_folder: str = ""
    state_folder: str = ""
    runtime_folder: str = ""
    manifests: tuple[tuple[str, str], ...] = ()
    hooks: tuple[tuple[str, str], ...] = ()
    disable: tuple[str, ...] = ()
    limits: Limits = Limits()
    sources: Mapping[str, bool] = {}
    tools: Mapping[str, Any] = {}
    on_failure: str = "deny"
    files: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def environment() -> dict[str, str]:
    """Return a copy of the process environment, as values of this call."""
    return dict(os.environ)


def set_variable(name: str, value: str) -> None:
    """Set a variable of this very process, for what it starts: only a forked child may do so."""
    os.environ[name] = value


def read_config(
    *,
    cwd: str,
    environ: Mapping[str, str],
    project: str = "",
    told_by_agent: str = "",
    remembered: str = "",
    hooks: Sequence[str] = (),
) -> Config:
    """Read what applies at *cwd* (absolute). *project* and *hooks* are what a person gave on this call.

    Raises ConfigError for a file that is broken or names what is not there: a guard could be missing
    for it, so nothing may be decided without it.
    """
    home = places.home_folder(environ)
    root = places.project_root(
        cwd, given=project, told_by_agent=told_by_agent, remembered=remembered, home=home
    )
    # What a person named is the project; an agent's or a session's root never hides the hooks at cwd.
    is_elsewhere = bool(project) and not places.is_inside(cwd, root)
    levels = (root,) if is_elsewhere else places.project_levels(root, cwd, home)
    user_folder = places.config_folder(environ)
    merged = _Merged()
    if user_folder:
        for name in ("config.yaml", "config.yml"):
            merged.add_file(os.path.join(user_folder, name), user_folder, names.USER)
    for level in levels:
        merged.add_pyproject(os.path.join(level, "pyproject.toml"), level)
        for name in ("config.yaml", "config.yml"):
            merged.add_file(os.path.join(level, ".hookrun", name), level, names.PROJECT)
    given = tuple((os.path.abspath(os.path.join(cwd, path)), names.COMMAND_LINE) for path in hooks)
    return Config(
        environ=environ,
        cwd=cwd,
        root=root,
        levels=levels,
        home=home,
        user_folder=user_folder,
        state_folder=merged.store or places.state_folder(environ),
        runtime_folder=places.runtime_folder(environ),
        manifests=tuple(merged.manifests),
        hooks=(*merged.hooks, *given),
        disable=tuple(merged.disable),
        limits=Limits(**merged.limits),
        sources=merged.sources,
        tools=merged.tools,
        on_failure=merged.on_failure,
        files=tuple(merged.files),
        problems=tuple(merged.problems),
    )


class _Merged:
    """The files read so far, the user's first; a later file wins where only one can."""

    def __init__(self) -> None:
        self.manifests: list[tuple[str, str]] = []
        self.hooks: list[tuple[str, str]] = []
        self.disable: list[str] = []
        self.limits: dict[str, Any] = {}
        self.sources: dict[str, bool] = {}
        self.tools: dict[str, Any] = {}
        self.on_failure = "deny"
        self.store = ""
        self.files: list[str] = []
        self.problems: list[Problem] = []

    def add_pyproject(self, path: str, folder: str) -> None:
        """Read `[tool.hookrun]`; tomllib is imported only for a file that names it."""
        if not os.path.isfile(path):
            return
        try:
            with open(path, "rb") as file:
                if b"hookrun" not in file.read(names.MANIFEST_LIMIT):
                    return
        except OSError:
            pass  # reading it as a document says what is wrong
        table = _document(path).get("tool", {})
        if isinstance(table, dict) and "hookrun" in table:
            self.add(table["hookrun"], path, folder, names.PROJECT, "tool.hookrun.")

    def add_file(self, path: str, folder: str, level: str) -> None:
        """Read one YAML file, if it is there."""
        if os.path.lexists(path):
            self.add(_document(path), path, folder, level, "")

    def add(self, table: Any, path: str, folder: str, level: str, prefix: str) -> None:
        """Merge one file's keys into what is known."""
        self.files.append(path)
        if not isinstance(table, dict):
            raise ConfigError(
                "the configuration is not a mapping", where=path, hint="write `key: value` lines"
            )
        for key, value in table.items():
            name = str(key).replace("-", "_")
            where = f"{prefix}{key}"
            if name not in KEYS:
                self._unknown(name, path, where, KEYS)
            elif name in USER_ONLY and level != names.USER:
                self._problem(path, where, "counts only in the user's own configuration", "move it there")
            elif name in NOT_USED_YET:
                self._problem(path, where, "is known but has no effect in this version", "")
            else:
                getattr(self, f"_set_{name}")(value, path, where, folder, level)

    def _set_manifests(self, value: Any, path: str, where: str, folder: str, level: str) -> None:
        self.manifests += [(found, level) for found in _paths(value, path, where, folder)]

    def _set_hooks(self, value: Any, path: str, where: str, folder: str, level: str) -> None:
        self.hooks += [(found, level) for found in _paths(value, path, where, folder)]

    def _set_disable(self, value: Any, path: str, where: str, _folder: str, _level: str) -> None:
        self.disable += _texts(value, path, where)

    def _set_store(self, value: Any, path: str, where: str, folder: str, _level: str) -> None:
        (text,) = _texts([value], path, where)
        self.store = os.path.join(folder, os.path.expanduser(text))

    def _set_on_failure(self, value: Any, path: str, where: str, _folder: str, _level: str) -> None:
        if value not in FAILURE_WORDS:
            raise _wrong(path, where, "one of deny, ask, allow", value)
        self.on_failure = value

    def _set_tools(self, value: Any, path: str, where: str, _folder: str, _level: str) -> None:
        for tool, meaning in _mapping(value, path, where).items():
            kind = meaning.get("tool") if isinstance(meaning, dict) else meaning
            if kind not in KINDS:
                raise _wrong(path, f"{where}.{tool}", f"one of {', '.join(KINDS)}", meaning)
            self.tools[str(tool)] = meaning

    def _set_sources(self, value: Any, path: str, where: str, _folder: str, _level: str) -> None:
        for source, is_on in _mapping(value, path, where).items():
            if not isinstance(is_on, bool):
                raise _wrong(path, f"{where}.{source}", "true or false", is_on)
            if source not in SOURCES:
                self._unknown(str(source), path, f"{where}.{source}", SOURCES, "is no source")
            self.sources[str(source)] = is_on

    def _set_limits(self, value: Any, path: str, where: str, _folder: str, _level: str) -> None:
        known: tuple[str, ...] = Limits._fields
        for limit, amount in _mapping(value, path, where).items():
            if limit not in known:
                self._unknown(str(limit), path, f"{where}.{limit}", known)
            elif isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 < amount < 1e9:
                raise _wrong(path, f"{where}.{limit}", "a number above 0", amount)
            else:
                whole = isinstance(getattr(Limits(), limit), int)
                self.limits[limit] = int(amount) if whole else float(amount)

    def _unknown(
        self,
        name: str,
        path: str,
        where: str,
        known: Sequence[str],
        message: str = "is no key of the configuration",
    ) -> None:
        near = nearest(name, known)
        hint = f"did you mean {near}?" if near else f"known: {', '.join(known)}"
        self._problem(path, where, message, hint)

    def _problem(self, path: str, where: str, message: str, hint: str) -> None:
        self.problems.append(Problem(message=message, source=path, where=where, hint=hint))


def _document(path: str) -> dict[str, Any]:
    try:
        value = read_document(path).value
    except DocumentError as error:
        raise ConfigError(error.message, where=error.where, hint=error.hint) from error
    return value if value is not None else {}


def _paths(value: Any, path: str, where: str, folder: str) -> list[str]:
    found = [
        os.path.normpath(os.path.join(folder, os.path.expanduser(text)))
        for text in _texts(value, path, where)
    ]
    for index, place in enumerate(found):
        if not os.path.lexists(place):
            raise ConfigError(
                f"{place} does not exist",
                where=f"{path}: {where}[{index}]",
                hint="create it, or take the line out",
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
    return ConfigError(f"{where} must be {wanted}, not {value!r}", where=path, hint="see docs/config.md")
