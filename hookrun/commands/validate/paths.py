"""A path on the command line -> the hooks there, by what kind of place it is; also outside the project."""

from __future__ import annotations

import os
from collections.abc import Sequence

from hookrun.agents import agents_with_settings
from hookrun.commands.validate.definition import Definition
from hookrun.commands.validate.states import levels_of
from hookrun.config.config import Config
from hookrun.config.paths import is_inside
from hookrun.config.reading import read_config
from hookrun.model import constants
from hookrun.model.errors import UsageError
from hookrun.model.frozen import Frozen
from hookrun.model.values import Hook
from hookrun.runner import HookRunner
from hookrun.sources.discovery import MANIFEST_SUFFIXES, PLACES, discover
from hookrun.sources.found import Found, joined
from hookrun.sources.registry import register
from hookrun.sources.script_folder import PHASES

_PLACE_NAMES = tuple(place.project for place in PLACES)


class Chosen(Frozen):
    """What was found at a path."""

    found: Found
    path: str = ""  # "" for everything
    levels: tuple[str, ...] = ()  # project folders to search for stray hooks
    only: str = ""  # a program of hooks that are defined elsewhere: only findings about it count


def choose(runner: HookRunner, paths: Sequence[str]) -> list[Chosen]:
    """Return all that *runner* loaded, or what each of *paths* (absolute) holds, in and out of the project.

    Raises UsageError for a path that is not there.
    """
    config, loaded = runner.config, runner.loaded
    known = tuple(entry.hook for entry in loaded.registry.entries)
    if paths:
        return [_chosen(path, config, known) for path in dict.fromkeys(paths)]
    found = Found(hooks=known, skips=loaded.skips, problems=loaded.problems)
    return [Chosen(found=found, levels=levels_of(config))]


def _chosen(path: str, config: Config, known: Sequence[Hook]) -> Chosen:
    if not os.path.lexists(path):
        raise UsageError(f"{path} does not exist", where="validate", hint="name a file or a folder of hooks")
    bare = config.replace(home="", user_folder="", manifests=(), hooks=(), problems=(), sources={})
    above = _project_above(path)
    project = discover(bare.replace(levels=(above,), root=above)) if above else Found()
    used = tuple(hook for hook in (*known, *project.hooks) if path != hook.file and path in _files(hook))
    if used:
        return Chosen(found=Found(hooks=used), path=path, only=path)
    if above:
        return Chosen(found=_registered(_inside(project, path)), path=path, levels=(above,))
    if os.path.isdir(path):
        own = read_config(cwd=path, environ=config.environ, project=path)
        if _is_project(path, own):
            return Chosen(found=_registered(_project(own)), path=path, levels=(path,))
    return Chosen(found=_registered(_by_kind(path, bare)), path=path)


def _registered(found: Found) -> Found:
    """Add what only shows across hooks: two plugins with one id."""
    registry = register(found.hooks, ())
    hooks = tuple(entry.hook for entry in registry.entries)
    return found.replace(hooks=hooks, problems=(*found.problems, *registry.problems))


def _project(own: Config) -> Found:
    """Return what a project brings along, without what its user has elsewhere."""
    found = discover(
        own.replace(
            home="",
            user_folder="",
            manifests=tuple(pair for pair in own.manifests if pair[1] != constants.USER),
            hooks=tuple(pair for pair in own.hooks if pair[1] != constants.USER),
        )
    )
    return found.replace(problems=(*own.problems, *found.problems))


def _is_project(path: str, own: Config) -> bool:
    has_place = any(os.path.isdir(os.path.join(path, name)) for name in _PLACE_NAMES)
    return has_place or any(is_inside(file, path) for file in own.files)


def _project_above(path: str) -> str:
    """Return the folder whose .hookrun, .claude or the like *path* is or lies in; "" for none."""
    parts = path.split(os.sep)
    for length in range(len(parts), 1, -1):
        if parts[length - 1] in _PLACE_NAMES or _is_settings_place(parts[length - 1 :]):
            return os.sep.join(parts[: length - 1]) or os.sep
    return ""


def _is_settings_place(parts: Sequence[str]) -> bool:
    """Say whether *parts* lie where some agent has its settings in a project."""
    return any(
        is_inside("/".join(parts), place) for dialect in agents_with_settings() for place in dialect.project_settings
    )


def _by_kind(path: str, bare: Config) -> Found:
    """Read *path* as configuration that names it would be read."""
    if _is_no_manifest(path):
        return Found()
    hooks_folder = _hooks_folder(path)
    if hooks_folder:
        return _inside(_named(hooks_folder, bare), path)
    if os.path.isdir(path) and not _holds_manifests(path):
        return joined(_named(folder, bare) for folder in _folders(path) if _holds_plugin(folder))
    return _named(path, bare)


def _named(path: str, bare: Config) -> Found:
    place = path if os.path.isdir(path) else os.path.dirname(path)
    return discover(bare.replace(levels=(), root=place, manifests=((path, constants.PROJECT),)))


def _hooks_folder(path: str) -> str:
    """Return the folder with the pre or post that *path* is, or lies in, or has; "" for none."""
    if os.path.isdir(path) and any(os.path.isdir(os.path.join(path, phase)) for phase in PHASES):
        return path
    parts = path.split(os.sep)
    for above in (1, 2, 3):  # the phase itself, a script in it, a script in the folder of a tool
        if len(parts) > above and parts[-above] in PHASES:
            return os.sep.join(parts[:-above]) or os.sep
    return ""


def _holds_plugin(folder: str) -> bool:
    return any(os.path.isfile(os.path.join(folder, f"plugin{suffix}")) for suffix in MANIFEST_SUFFIXES)


def _holds_manifests(folder: str) -> bool:
    """Say whether at least one document of the folder is a manifest: a package.json alone is none."""
    paths = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(MANIFEST_SUFFIXES)]
    return any(os.path.isfile(path) and not _is_no_manifest(path) for path in paths)


def _is_no_manifest(path: str) -> bool:
    """Say whether *path* is a document that can be read and has nothing of a manifest."""
    if not path.endswith(MANIFEST_SUFFIXES):
        return False
    table = Definition(path).table
    return bool(table) and not any(key in table for key in ("id", "runtime", "contributes"))


def _folders(path: str) -> list[str]:
    with os.scandir(path) as entries:
        return sorted(entry.path for entry in entries if entry.is_dir())


def _inside(found: Found, path: str) -> Found:
    return Found(
        hooks=tuple(hook for hook in found.hooks if is_inside(hook.file, path)),
        skips=tuple(skip for skip in found.skips if is_inside(skip.path, path)),
        problems=tuple(problem for problem in found.problems if is_inside(problem.source, path)),
    )


def _files(hook: Hook) -> list[str]:
    words = [os.path.abspath(os.path.join(hook.program.folder, word)) for word in hook.program.words]
    return [*words, *hook.program.files]
