"""Claude Code's plugins -> the hooks that they bring: what is installed and enabled, and plugin folders."""

from __future__ import annotations

import os

from hookrun.config.documents import read_document
from hookrun.model import constants
from hookrun.model.errors import DocumentError
from hookrun.model.values import Problem
from hookrun.sources.agent_settings.entries import SettingsPlace
from hookrun.sources.agent_settings.files import Off, SettingsFile, User
from hookrun.sources.agent_settings.handlers import read_handlers
from hookrun.sources.found import Found, joined, natural

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

_NOT_ENABLED = Off(switch="", reason="no settings enable this plugin (enabledPlugins)")
_NO_PLUGINS = ("cache", "marketplaces", "repos", "data", "local")
_OWN_FILE = "hooks/hooks.json"


def read_claude_plugins(
    tables: Sequence[Mapping[str, Any]],
    files: Sequence[SettingsFile],
    user: User,
    off_by_path: Mapping[str, Off | None],
) -> Found:
    """Return the hooks of plugins: *tables* are the settings, *files* all files of Claude Code here.

    An installed plugin runs when some settings enable it, one in .claude/plugins always. *off_by_path* says of each
    file why no hooks of its level run, None when they do.
    """
    enabled = {name for table in tables for name in _enabled(table)}
    parts: list[Found] = []
    for file in files:
        off = off_by_path[file.path]
        if file.path.endswith(".json") and os.path.basename(file.path).startswith("installed_plugins"):
            parts += _installed(file, enabled, user, off)
        elif os.path.basename(file.path) == "plugins":
            parts += _in_folder(file, user, off)
    return joined(parts)


def _in_folder(file: SettingsFile, user: User, off: Off | None) -> Iterator[Found]:
    for name in sorted(_folders(file.path), key=natural):
        if file.level == constants.USER and name in _NO_PLUGINS:
            continue
        folder = os.path.join(file.path, name)
        found = _read_plugin(folder, name, file, user)
        yield _unless_off(found, folder, file, off)


def _enabled(table: Mapping[str, Any]) -> Iterator[str]:
    switches = table.get("enabledPlugins")
    for name, is_on in switches.items() if isinstance(switches, dict) else ():
        if is_on is True:
            yield str(name)


def _folders(folder: str) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if os.path.isdir(os.path.join(folder, name))]
    except OSError:
        return []


def _installed(file: SettingsFile, enabled: set[str], user: User, off: Off | None) -> Iterator[Found]:
    problems: list[Problem] = []
    table = _table(file.path, problems)
    yield Found(problems=tuple(problems))
    plugins = table.get("plugins")
    for name, installations in plugins.items() if isinstance(plugins, dict) else ():
        many = installations if isinstance(installations, list) else [installations]
        for installation in many:
            folder = installation.get("installPath") if isinstance(installation, dict) else None
            if not isinstance(folder, str) or not _is_meant_here(installation, user):
                continue
            found = _read_plugin(folder, str(name).partition("@")[0], file, user)
            yield _unless_off(found, folder, file, off or (None if name in enabled else _NOT_ENABLED))


def _is_meant_here(installation: Mapping[str, Any], user: User) -> bool:
    project = installation.get("projectPath")
    if not isinstance(project, str):
        return True
    return "\0" not in project and os.path.realpath(project) == os.path.realpath(user.root or "/")


def _unless_off(found: Found, folder: str, file: SettingsFile, off: Off | None) -> Found:
    if off is None:
        return found
    return off.skipped(file, folder) if found.hooks else Found()


def _read_plugin(folder: str, name: str, file: SettingsFile, user: User) -> Found:
    """Return the hooks of the plugin in *folder*: in hooks/hooks.json, and what its plugin.json says."""
    problems: list[Problem] = []
    manifest_path = os.path.join(folder, ".claude-plugin", "plugin.json")
    manifest = _table(manifest_path, problems) if os.path.isfile(manifest_path) else {}
    name = manifest["name"] if isinstance(manifest.get("name"), str) else name
    said = manifest.get("hooks")
    paths = [os.path.join(folder, _OWN_FILE)]
    paths += [os.path.normpath(os.path.join(folder, path)) for path in _texts(said)]
    parts = [Found(problems=tuple(problems))]
    common: dict[str, Any] = {
        "origin": file.origin,
        "home": user.home,
        "shell": user.shell,
        "plugin": name,
        "plugin_folder": folder,
    }
    for path in dict.fromkeys(paths):
        if os.path.isfile(path):
            problems = []
            table = _table(path, problems)
            parts.append(Found(problems=tuple(problems)))
            if "hooks" in table:
                parts.append(read_handlers(table["hooks"], SettingsPlace(path=path, **common)))
    if isinstance(said, dict):
        inner = said.get("hooks", said)
        parts.append(read_handlers(inner, SettingsPlace(path=manifest_path, **common)))
    return joined(parts)


def _texts(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [text for text in values if isinstance(text, str)]


def _table(path: str, problems: list[Problem]) -> Mapping[str, Any]:
    try:
        value = read_document(path, comments=True).value
    except DocumentError as error:
        problems.append(Problem(message=error.message, level="error", source=path, hint="fix the file"))
        return {}
    if isinstance(value, dict):
        return value
    problems.append(Problem(message="must be a mapping", level="error", source=path, hint="fix the file"))
    return {}
