"""Files that look like hooks but that nothing reads: in the wrong folder, at the wrong depth, with the wrong suffix."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator

from hookrun.agents import event_named_anywhere
from hookrun.agents.shape import Place
from hookrun.commands.validate.finding import Finding
from hookrun.commands.validate.subject import text_of
from hookrun.model import constants
from hookrun.model.text import nearest
from hookrun.programs.shebang import read_beginning
from hookrun.sources.discovery import MANIFEST_SUFFIXES, PLACES, origin_of, read_place
from hookrun.sources.found import Skip
from hookrun.sources.script_folder import PHASES, skipped_by_name

_PLUGIN_FILES = ("plugin.json", "plugin.yaml", "plugin.yml")
_SHELL_SUFFIXES = (".sh", ".bash", ".zsh", ".fish")
_MOST_ENTRIES = 1000  # of one folder: more is no folder that somebody meant for hooks
_SETTINGS = ("settings.json", "settings.local.json", "hooks.json", "config.json")
_HARMLESS_SKIPS = (
    "a dot file",
    "a backup or a copy set aside",
    "a document",
    "neither executable",
    "part of xbot itself",
    "the configuration has",
)


def find_strays(
    levels: Iterable[str],
    read: Collection[str],
    texts: Callable[[], Collection[str]],
    *,
    user: tuple[str, str] = ("", ""),
) -> Iterator[Finding]:
    """Yield the files in the places of the folders *levels* that look like hooks and are not read.

    *read* are the files that are hooks or that hooks run; *texts* returns their texts: a file that is named there
    is read as well. *user* is the home folder, and hookrun's own folder of the user."""
    for level in levels:
        candidates = [*_candidates(level), *(_of_the_user(*user) if level == user[0] else ())]
        unread = [(path, hint) for path, hint in dict(candidates).items() if path not in read]
        spoken = [*texts(), *_settings(level)] if unread else []
        spoken += [text_of(path) or "" for path, _ in unread if _is_named(path, spoken)]
        for path, hint in unread:
            if not _is_named(path, spoken):
                yield Finding(message="looks like a hook, but nothing reads it here", file=path, hint=hint)


def skip_findings(skips: Iterable[Skip]) -> Iterator[Finding]:
    """Yield a warning for each thing that was skipped but may be meant as a hook."""
    for skip in skips:
        is_xbots = skip.reason.endswith("is listed only: hookrun does not run it")
        if is_xbots or skip.reason.startswith(_HARMLESS_SKIPS) or skip.source.endswith("-settings"):
            continue  # what an agent's settings hold for that agent alone is in its right place
        hint = "move it, or remove it"
        if skip.reason.startswith("not a manifest by its name"):
            if "contributes" not in (text_of(skip.path) or ""):
                continue  # a program or a document beside the manifests
            hint = f"manifests end in {', '.join(MANIFEST_SUFFIXES)}"
        elif skip.reason.startswith("has no "):
            hint = _beside(skip.path) or f"add one, or remove the folder; it {skip.reason}"
        yield Finding(message=f"is not read: {skip.reason}", file=skip.path, hint=hint)


def _beside(folder: str) -> str:
    """Return what to do about a file that is probably the plugin's manifest under another name."""
    names = [name for name in _names(folder) if name.endswith(MANIFEST_SUFFIXES)]
    near = nearest("plugin.json", names)
    return f"rename {near} to plugin.json" if near else ""


def _is_named(path: str, texts: Iterable[str]) -> bool:
    name = os.path.basename(path)
    return any(name in text for text in texts)


def _candidates(level: str) -> Iterator[tuple[str, str]]:
    """Yield (path, what to do) for what looks like a hook in the wrong place."""
    for place in PLACES:
        yield from _in_place(os.path.join(level, place.project), place)
    yield from _loose_hooks(level)


def _in_place(folder: str, place: Place) -> Iterator[tuple[str, str]]:
    for name in _names(folder):
        path = os.path.join(folder, name)
        if name in _PLUGIN_FILES and place.plugins:
            yield path, f"move it to {place.project}/{place.plugins}/NAME/{name}"
        elif os.path.isdir(path):
            yield from _in_folder(path, name, place)


def _of_the_user(home: str, user_folder: str) -> Iterator[tuple[str, str]]:
    """Yield what is misplaced in the user's own folder, and the hooks in ~/.hookrun, a project's folder."""
    place = PLACES[0]
    if user_folder:
        yield from _in_place(user_folder, place.replace(project=user_folder))
    folder = os.path.join(home, place.project)
    if home and user_folder and folder != user_folder:
        hint = f"the user's own hooks belong in {user_folder}, in the same folders"
        found = read_place(place, folder, origin_of(place, constants.USER, home))
        files = [*(hook.file for hook in found.hooks), *(problem.source for problem in found.problems)]
        yield from ((file, hint) for file in files)


def _in_folder(path: str, name: str, place: Place) -> Iterator[tuple[str, str]]:
    if name == place.plugins:
        yield from _misplaced_manifests(path, place)
    elif name == place.scripts:
        yield from _misplaced_scripts(path, place)
    elif place.scripts and (name.lower() in ("hook", "hooks") or _is_phase(name)):
        hint = f"scripts belong in {place.project}/{place.scripts}/pre and post"
        yield from ((script, hint) for script in _scripts(path, depth=2))


def _misplaced_manifests(plugins: str, place: Place) -> Iterator[tuple[str, str]]:
    """Yield manifests beside the plugins' folders, or one folder too deep."""
    hint = f"move it to {place.project}/{place.plugins}/NAME/"
    for name in _names(plugins):
        path = os.path.join(plugins, name)
        if name in _PLUGIN_FILES:
            yield path, hint + name
            continue
        for below in _names(path):
            for manifest in _PLUGIN_FILES:
                deep = os.path.join(path, below, manifest)
                if os.path.isfile(deep):
                    yield deep, hint + manifest


def _misplaced_scripts(hooks: str, place: Place) -> Iterator[tuple[str, str]]:
    """Yield scripts directly in the hooks folder, or in a folder of it that is not pre or post."""
    root = f"{place.project}/{place.scripts}"
    for name in _names(hooks):
        path = os.path.join(hooks, name)
        if name in PHASES:
            continue
        if os.path.isdir(path):
            event = event_named_anywhere(name)
            if event or _is_phase(name):
                meant = f"{root}/{_phase(event.name)}/" if event else f"{root}/pre/ or post/"
                hint = f"move it to {meant}: the folder's name says when, the file's name for which tool"
                yield from ((script, hint) for script in _scripts(path, depth=1))
        elif _looks_like_script(path):
            yield path, f"move it to {root}/pre/TOOL.sh or post/TOOL.sh, or name it in the agent's settings"


def _is_phase(name: str) -> bool:
    """Say whether a folder's name means pre or post: itself, nearly, or by the event of a tool."""
    event = event_named_anywhere(name)
    first = name.lower().replace("_", "-").partition("-")[0]
    return first in PHASES or bool(event and event.has_tool) or bool(nearest(name, PHASES, similarity=0.75))


def _phase(event: str) -> str:
    return "post" if event.startswith("Post") else "pre"


def _loose_hooks(level: str) -> Iterator[tuple[str, str]]:
    """Yield scripts in a hooks folder of the project itself whose own folder is named as one of ours."""
    for name in _names(os.path.join(level, "hooks")):
        event = event_named_anywhere(name)
        if name in PHASES or (event and event.has_tool):
            for script in _scripts(os.path.join(level, "hooks", name), depth=1):
                yield script, "move hooks/ into .hookrun/, or name it in the configuration: hooks"


def _scripts(folder: str, depth: int) -> Iterator[str]:
    for name in _names(folder):
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            if depth > 1:
                yield from _scripts(path, depth - 1)
        elif _looks_like_script(path):
            yield path


def _looks_like_script(path: str) -> bool:
    name = os.path.basename(path)
    if skipped_by_name(name) or not os.path.isfile(path):
        return False
    if name.endswith(_SHELL_SUFFIXES):
        return True
    try:  # a file of Python without a shebang may well be a module of the one beside it
        return bool(read_beginning(path).words)
    except OSError:
        return False


def _settings(level: str) -> list[str]:
    """Return the texts of settings, which name what agents run."""
    paths = [os.path.join(level, place.project, name) for place in PLACES for name in _SETTINGS]
    return [text for text in map(text_of, paths) if text]


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))[:_MOST_ENTRIES]
    except OSError:
        return []
