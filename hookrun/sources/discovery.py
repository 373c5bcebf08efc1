"""Config -> what was found: every source at every place, in the order of the contract (docs/sources.md)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping

from hookrun.agents import DIALECTS, NEUTRAL, agents_with_settings
from hookrun.agents.shape import Dialect, Place
from hookrun.config.config import Config
from hookrun.config.paths import is_inside
from hookrun.model import constants
from hookrun.model.errors import ConfigError
from hookrun.model.values import Hook, Problem
from hookrun.sources.found import Found, Origin, Skip, entries_of, is_there, joined, unreadable
from hookrun.sources.manifest import read_manifest
from hookrun.sources.module import foreign_module, is_module, read_module, read_module_folder
from hookrun.sources.script_folder import ANY_EVENT, Binding, read_script, read_script_folder

MANIFEST_SUFFIXES = (".json", ".jsonc", ".yaml", ".yml")


_OWN_PLACE = Place(
    source="hookrun",
    order=100,
    dialect=NEUTRAL,
    project=".hookrun",
    user=("",),
    plugins="plugins",
    plugin_names=("plugin.json", "plugin.yaml", "plugin.yml"),
    manifests="manifests",
    scripts="hooks",
    modules="hooks",
)
# In the order in which they are read.
PLACES = tuple(
    sorted((_OWN_PLACE, *(dialect.place for dialect in DIALECTS if dialect.place)), key=lambda place: -place.order)
)
CONFIGURED_ORDER = 0
SOURCES = (
    *(place.source for place in PLACES),
    *(f"{dialect.name}-settings" for dialect in agents_with_settings()),
    "configured",
    "--hook",
)


def discover(config: Config, is_trusted: Callable[[Hook], bool] = lambda _hook: True) -> Found:
    """Return the hooks of all sources: by source, the user's before the project's, outer levels before inner ones, then
    what the configuration and ``--hook`` name. Runs nothing.

    *is_trusted* is asked of scripts that the asking agent's own settings run, before they are left to it."""
    parts = []
    for place in PLACES:
        if not config.sources.get(place.source, True):
            parts.append(_switched_off(place, config))
            continue
        parts += [read_place(place, folder, origin) for folder, origin in _folders(place, config)]
    parts = _with_settings(parts, config, is_trusted)
    parts += [_configured(path, level, config, "configured") for path, level in config.manifests]
    for path, level in config.hooks:
        parts.append(_configured(path, level, config, "--hook" if level == constants.COMMAND_LINE else "configured"))
    return joined(parts)


def sources_in_use(config: Config) -> Mapping[str, bool]:
    """Return which sources are on or off: by the configuration; and while an agent asks, the settings of that agent
    are off, and those of agents that were not requested."""
    if not config.asking:
        return config.sources
    names = [dialect.name for dialect in agents_with_settings()]
    agents = [agent for agent in names if agent == config.asking or agent not in config.with_agents]
    return {**config.sources, **{f"{agent}-settings": False for agent in agents}}


def _with_settings(parts: list[Found], config: Config, is_trusted: Callable[[Hook], bool]) -> list[Found]:
    """Return *parts* and the hooks in agents' settings, without what the agent that asks runs itself."""
    for dialect in agents_with_settings():
        files = [
            (path, level, folder)
            for level, folder, paths in settings_places(dialect, config)
            for path in _there(folder, paths)
        ]
        if files:
            from hookrun.sources.agent_settings.left_to_agent import with_agent

            parts = with_agent(parts, dialect.name, files, config, is_trusted)
    return parts


def settings_places(dialect: Dialect, config: Config) -> Iterable[tuple[str, str, tuple[str, ...]]]:
    """Yield (level, folder, paths below it) of an agent's settings, the user's first."""
    if config.home:
        yield constants.USER, config.home, dialect.user_settings
    for level in config.levels:
        if level != config.home:
            yield constants.PROJECT, level, dialect.project_settings


def _there(folder: str, paths: tuple[str, ...]) -> Iterable[str]:
    """Yield those of *paths* below *folder* that are there, whole."""
    looked_at, is_here = "", False
    for path in paths:
        top = path.partition("/")[0]
        if top != looked_at:
            looked_at, is_here = top, is_there(os.path.join(folder, top))
        if is_here and is_there(os.path.join(folder, path)):
            yield os.path.join(folder, path)


def _folders(place: Place, config: Config) -> Iterable[tuple[str, Origin]]:
    """Yield (folder, origin) of one source, the user's first."""
    above = config.home if place.user != ("",) else config.user_folder
    for below in place.user if above else ():
        yield os.path.join(above, below), origin_of(place, constants.USER, above)
    for level in config.levels:
        # The home folder's own .claude and the like are the user's hooks, never a project's as well.
        if level != config.home or place.user == ("",):
            yield os.path.join(level, place.project), origin_of(place, constants.PROJECT, level)


def origin_of(place: Place, level: str, folder: str) -> Origin:
    """Return where hooks of *place* come from, below *folder* at *level*."""
    return Origin(source=place.source, order=place.order, level=level, place=folder, dialect=place.dialect)


def read_place(place: Place, folder: str, origin: Origin) -> Found:
    """Return the hooks in *folder*, which is laid out as *place*."""
    if not is_there(folder):
        return Found()
    parts: list[Found] = []
    if place.plugins:
        plugins = os.path.join(folder, place.plugins)
        parts += [
            _plugin(os.path.join(plugins, name), place.plugin_names, origin)
            for name in entries_of(plugins, origin, parts)
        ]
    if place.manifests:
        parts.append(_manifests(os.path.join(folder, place.manifests), origin))
    if place.scripts:
        parts.append(read_script_folder(os.path.join(folder, place.scripts), origin))
    if place.modules:
        modules = os.path.join(folder, place.modules)
        parts.append(read_module_folder(modules, origin, has_python=place.has_python))
    return joined(parts)


def _plugin(folder: str, manifest_names: tuple[str, ...], origin: Origin) -> Found:
    for name in manifest_names:
        path = os.path.join(folder, name)
        if is_there(path):
            return read_manifest(path, origin)
    if os.path.isdir(folder):
        return origin.skipped(folder, f"has no {manifest_names[0]}")
    return Found()


def _manifests(folder: str, origin: Origin) -> Found:
    parts: list[Found] = []
    for name in entries_of(folder, origin, parts):
        path = os.path.join(folder, name)
        if name.endswith(MANIFEST_SUFFIXES):
            parts.append(read_manifest(path, origin))
        elif not name.startswith("."):
            parts.append(origin.skipped(path, "not a manifest by its name"))
    return joined(parts)


def _configured(path: str, level: str, config: Config, source: str) -> Found:
    """Read what a path names, by its kind: a folder of manifests or scripts, a plugin, a file."""
    around = [folder for folder in config.levels if is_inside(path, folder)]
    place = config.user_folder if level == constants.USER else max(around, key=len, default=config.root)
    origin = Origin(source=source, order=CONFIGURED_ORDER, level=level, place=place, dialect=NEUTRAL)
    if not os.path.exists(path):
        raise ConfigError(f"{path} does not exist", where=source, hint="check the path")
    if is_module(path):
        return read_module(path, origin)
    if foreign := foreign_module(path):
        return read_module(path, origin, foreign)
    if os.path.isdir(path):
        return _configured_folder(path, origin)
    if path.endswith(MANIFEST_SUFFIXES):
        return read_manifest(path, origin)
    binding = Binding(events=(ANY_EVENT,), key=f"{source}:{os.path.realpath(path)}", role=constants.GUARD)
    found = read_script(path, origin, binding)
    if found.skips:  # in a folder it may be notes; here it is named as a hook
        return unreadable(path, origin, found.skips[0].reason, hint="name a script or a manifest")
    return found


def _configured_folder(path: str, origin: Origin) -> Found:
    """Read a folder that the configuration or --hook names: script folders, a plugin, manifests."""
    parts = [read_script_folder(path, origin)]
    plugin = _plugin(path, ("plugin.json", "plugin.yaml", "plugin.yml"), origin)
    parts.append(_manifests(path, origin) if plugin.skips else plugin)
    found = joined(parts)
    if found.hooks:
        return found
    reason = "the folder contains no hooks"
    hint = "put a manifest in it, or folders pre and post; name a script by its own path"
    if origin.level == constants.COMMAND_LINE:  # a person meant a hook by it, and there is none
        return joined([found, unreadable(path, origin, reason, hint=hint)])
    return joined([found, Found(problems=(Problem(message=reason, source=path, hint=hint),))])


def _switched_off(place: Place, config: Config) -> Found:
    found = [folder for folder, _ in _folders(place, config) if os.path.isdir(folder)]
    reason = f"the configuration has sources.{place.source}: false"
    return Found(skips=tuple(Skip(path=folder, reason=reason, source=place.source) for folder in found))
