"""What a hook consists of: its definition, what its command names, what these use, a plugin's whole folder.

An edit of any of them is an edit of the hook. Read from text, so it is found the same way when a person
trusts the hook and when it is about to run; nothing runs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from hookrun.config.paths import is_inside
from hookrun.model import constants
from hookrun.model.errors import HookrunError
from hookrun.model.frozen import Frozen
from hookrun.model.values import Hook
from hookrun.programs.command import Launch, Launches
from hookrun.sources.module import prepare_module
from hookrun.trust.entries import is_entry
from hookrun.trust.recipes import recipes, run_from_top
from hookrun.trust.stat_cache import Look

PLUGIN_MANIFESTS = ("plugin.json", "plugin.yaml", "plugin.yml")
# What a hook writes or others leave: no part of what it does. Installed packages are their installer's.
_NOT_PART = frozenset(
    (
        *("__pycache__", ".git", ".cache", "cache", ".pytest_cache", ".mypy_cache", ".ruff_cache"),
        *("node_modules", ".venv", "venv", "logs", "log", "tmp"),
    )
)
_DATA = (
    *(".log", ".jsonl", ".db", ".sqlite", ".sqlite3", ".db-wal", ".db-shm", ".db-journal", ".pid", ".lock"),
    *(".tmp", ".bak", ".swp", ".out", ".csv", ".tsv", ".cache", ".orig", ".rej", "~"),
)
_CODE = (
    *(".py", ".pyc", ".pyi", ".so", ".sh", ".bash", ".zsh", ".fish", ".js", ".mjs", ".cjs", ".ts", ".rb"),
    *(".pl", ".pm", ".lua", ".awk", ".jq", ".sed", ".wasm", ".dylib", ".node"),
)
_IMPORTABLE = (".py", ".pyc", ".so")
_SCRIPT_ENDS = (".js", ".mjs", ".cjs", ".json", "/index.js")  # which Node adds to what is required
_SETTINGS = (
    *("settings.json", "settings.local.json", "hooks.json", "hooks.local.json"),
    *("config.toml", "config.yaml", "config.yml"),
)
_HOOK_FOLDERS = (".claude/", ".hookrun/", ".xbot/", ".xcsh/", ".codex/", ".gemini/")
_MOST_FILES = 5_000


class Contents(Frozen):
    """Absolute paths of the files that make up a hook: ``core`` what defines it and what it uses, the
    definition first, ``others`` what else lies in its plugin's folder. ``programs`` are links of the project
    that lead to programs of the system."""

    core: tuple[str, ...]
    others: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()


def contents_of(hook: Hook, top: str, launches: Launches, look: Look, levels: tuple[str, ...] = ()) -> Contents:
    """Return all files that make up *hook*, each once; *look* notes what that depends on.

    *top* is the project's folder, *launches* tells how programs start, *levels* the folders down to where
    it will run. Raises HookrunError when they are too many to look at.
    """
    found: dict[str, None] = {}
    if hook.file and not is_entry(hook) and not look.is_folder(hook.file):
        found[hook.file] = None
    named, programs, is_python = _started(hook, top, launches, look)
    # An entry lists its own files; a file that its words mention may be one that it writes.
    mentioned = () if is_entry(hook) else _in_words(hook.program.words, (hook.program.folder, top), top, look)
    around = tuple(dict.fromkeys((hook.program.folder, top, *levels)))
    imported = _imported_by_words(hook.program.words, around, look)
    found.update(dict.fromkeys((*named, *hook.files, *mentioned, *imported)))
    # What a manifest mentions, its command names.
    _add_used([file for file in found if file != hook.file or hook.file in named], top, found, look)
    found.update(dict.fromkeys(_of_recipes(recipes(hook.program.words, around, top, look), top, look)))
    if hook.kind == constants.MODULE:  # whose own imports look for Python's library first
        if hook.program.words and look.is_folder(hook.program.words[0]):
            found.update(dict.fromkeys(_below(hook.program.words[0], look)))
    else:
        _add_shadows(named if is_python else (), top, found, look)
    folder = plugin_folder(hook, top)
    if not folder:
        return Contents(core=tuple(found), programs=tuple(programs))
    core = _core_of_plugin(found, {hook.file, *named, *hook.files}, folder)
    others = tuple(file for file in {**found, **dict.fromkeys(_below(folder, look))} if file not in core)
    return Contents(core=core, others=others, programs=tuple(programs))


def _core_of_plugin(found: Iterable[str], sure: Collection[str], folder: str) -> tuple[str, ...]:
    """Return what of the files *found* belongs to the plugin in *folder* for certain: what is no code and only
    mentioned may be what it writes, which git does not track then."""
    return tuple(file for file in found if file in sure or not is_inside(file, folder) or is_code(file))


def _started(hook: Hook, top: str, launches: Launches, look: Look) -> tuple[Sequence[str], Sequence[str], bool]:
    """Return the files that the command of *hook* names, the programs that run them, and whether that is Python."""
    for word in filter(os.path.isabs, hook.program.words):
        look.note(word)
        look.note(os.path.join(word, "__init__.py"))
    launch = prepare_module(hook) if hook.kind == constants.MODULE else launches.of(hook.program)
    if not isinstance(launch, Launch):
        return _existing(hook.program.words, look), (), False
    named, programs = _named(launch, top, launches.path, look)
    return named, programs, os.path.basename(launch.interpreter).startswith("python")


def _add_shadows(python_scripts: Sequence[str], top: str, found: dict[str, None], look: Look) -> None:
    """Add the modules beside Python scripts that would be imported in place of others, to what was *found*."""
    scripts = set(python_scripts)
    scripts |= {_behind(script, top, look) for script in scripts}  # Python follows links
    files = (file for file in (*sorted(scripts), *found) if file in scripts or file.endswith(".py"))
    for folder in dict.fromkeys(map(os.path.dirname, files)):
        found.update(dict.fromkeys(_shadows(folder, look)))


def plugin_folder(hook: Hook, top: str) -> str:
    """Return the folder that is a plugin's own, all of which counts; "" for what has none."""
    folder = os.path.dirname(hook.file)
    is_manifest = os.path.basename(hook.file) in PLUGIN_MANIFESTS and not is_entry(hook)
    is_own = is_manifest and not is_inside(top, folder)
    return folder if is_own else ""


def is_code(path: str) -> bool:
    """Say whether a file can be run or imported: what appears beside a hook may be used by it."""
    return path.endswith(_CODE) or os.access(path, os.X_OK)


def _named(launch: Launch, top: str, path: str, look: Look) -> tuple[list[str], list[str]]:
    """Return the files that a command names, and the links of the project to programs of the system."""
    files, programs = list(launch.files), []
    real_top = look.real(top)
    for program in filter(None, (launch.argv[0] if launch.argv else "", launch.interpreter)):
        look.note(program)
        # A program that the project itself has (.venv/bin, node_modules/.bin) is part of it too, unless it
        # is a link to one of the system.
        if is_inside(look.real(program), real_top):
            files.append(program)
        elif is_inside(program, top):
            programs.append(program)
        files += _found_first(program, top, path, look)
    return [file for file in files if os.path.isabs(file)], programs


def _found_first(program: str, top: str, path: str, look: Look) -> Iterator[str]:
    """Yield the programs of the project that PATH has before *program*, which may be looked up anew."""
    for folder in path.split(os.pathsep):
        place = os.path.join(folder, os.path.basename(program))
        if place == program:
            return
        if is_inside(folder, top) and look.is_file(place):
            yield place


def _existing(words: tuple[str, ...], look: Look) -> list[str]:
    return [word for word in words if os.path.isabs(word) and look.is_file(word)]


def _in_words(words: tuple[str, ...], folders: tuple[str, ...], top: str, look: Look) -> Iterator[str]:
    """Yield the files in *folders* that the text of a command names: `bash -c '. tools/lib.sh; check'`."""
    texts = [word for word in words if not os.path.isabs(word) and ("." in word or "/" in word)]
    if not texts:
        return
    import re

    for token in dict.fromkeys(re.findall(r"[\w.@+-]+(?:/[\w.@+-]+)*", " ".join(texts))):
        for place in (os.path.normpath(os.path.join(folder, token)) for folder in dict.fromkeys(folders)):
            if is_inside(place, top) and not place.endswith(_DATA) and look.is_file(place):
                yield place


def _imported_by_words(words: tuple[str, ...], folders: tuple[str, ...], look: Look) -> Iterator[str]:
    """Yield the files in *folders* that `python -m NAME` runs, or the text of `python -c TEXT` imports."""
    if not any(os.path.basename(word).startswith("python") for word in words):
        return
    for option, text in pairwise(words):
        if option not in ("-m", "-c"):
            continue
        for folder in folders:  # where it runs comes first on its path
            yield from _shadows(folder, look)
        imported = _imported_names(f"import {text}" if option == "-m" else text)
        for folder in folders:
            for name in look.names_in(folder):
                place = os.path.join(folder, name)
                if name.partition(".")[0] not in imported or name in _NOT_PART:
                    continue
                if look.is_folder(place):
                    yield from _below(place, look)
                elif name.endswith(_IMPORTABLE):
                    yield place


def _of_recipes(files: Sequence[str], top: str, look: Look) -> Iterator[str]:
    """Yield recipes and the programs that they name: what else they name, they may only work on."""
    used: dict[str, None] = {}
    _add_used(files, top, used, look)
    yield from files
    yield from (file for file in used if is_code(file) or file.endswith(".mk"))


def _behind(file: str, top: str, look: Look) -> str:
    """Return the file of the project that *file* is when it is a link to one, else *file*."""
    real, real_top = look.real(file), look.real(top)
    return os.path.join(top, os.path.relpath(real, real_top)) if is_inside(real, real_top) else file


def _add_used(files: Sequence[str], top: str, found: dict[str, None], look: Look) -> None:
    """Add what the texts of *files* name of the files around them, and what these name in turn.

    Interpreters look beside the file that a link leads to, scripts beside the link.
    """
    waiting = list(dict.fromkeys((*files, *(_behind(file, top, look) for file in files))))
    found.update(dict.fromkeys(waiting))
    while waiting:
        using = waiting.pop()
        for used in (*_used_by(using, top, look), _behind(using, top, look)):
            if used not in found and not _is_settings(used):
                found[used] = None
                waiting.append(used)


def _used_by(file: str, top: str, look: Look) -> Iterator[str]:
    text = look.text(file)
    if not text:
        return
    import re

    folder = os.path.dirname(file)
    named = set(re.findall(r"[\w@+-]+(?:\.[\w@+-]+)+", text))
    imported = _imported_names(text) if _is_python(file, text) else set()
    for name in look.names_in(folder):
        beside = os.path.join(folder, name)
        if beside == file or name in _NOT_PART or name.endswith(_DATA):
            continue
        is_imported = name.partition(".")[0] in imported
        if look.is_folder(beside):
            if is_imported:
                yield from _below(beside, look)
        elif name in named or (is_imported and name.endswith(_IMPORTABLE)):
            yield beside
    yield from _paths_in(text, folder, top, look)


def _is_python(file: str, text: str) -> bool:
    return file.endswith(".py") or "python" in text.partition("\n")[0]


def _imported_names(text: str) -> set[str]:
    """Return the names that the imports of a Python text may look for beside it."""
    import re

    statements = re.findall(r"\b(?:from\s+[.\w]+\s+)?import\s*(?:\([^)]*\)|[^\n;#]*)", text)
    statements += re.findall(r"(?:import_module|__import__|run_module)\(\s*[\"'][.\w]+", text)
    return {word for statement in statements for word in re.findall(r"\w+", statement)}


def _paths_in(text: str, folder: str, top: str, look: Look) -> Iterator[str]:
    """Yield the files that a text names by a path: from its own folder, or from the project's when that leads
    to where hooks are kept, or when it is run from there."""
    import re

    yield from (place for place, is_run in run_from_top(text, top, look) if is_run or is_code(place))
    for token in set(re.findall(r"[\w.@+-]*(?:/[\w.@+-]+)+", text)):
        relative = token.lstrip("/")
        places = [os.path.join(folder, relative)]
        start = min((relative.find(mark) for mark in _HOOK_FOLDERS if mark in relative), default=-1)
        if start >= 0:
            places.append(os.path.join(top, relative[start:]))
        for place in map(os.path.normpath, places):
            if not is_inside(place, top) or place.endswith(_DATA):
                continue
            if not look.is_there(os.path.dirname(place)):
                continue
            for end in ("", *_SCRIPT_ENDS):
                if look.is_file(place + end):
                    yield place + end


def _is_settings(path: str) -> bool:
    """Say whether *path* is a settings file of an agent, or hookrun's own: a guard that protects it names it,
    installing writes it, and what in it counts has trust of its own."""
    folder, name = os.path.split(path)
    return name in _SETTINGS and os.path.basename(folder).startswith(".")


def _shadows(folder: str, look: Look) -> Iterator[str]:
    """Yield what Python would import from *folder* in place of its own library: the script's folder is first
    on its path."""
    for name in look.names_in(folder):
        if name.partition(".")[0] not in sys.stdlib_module_names:
            continue
        path = os.path.join(folder, name)
        if name.endswith(_IMPORTABLE):
            yield path
        elif any(look.is_file(os.path.join(path, f"__init__{end}")) for end in _IMPORTABLE):
            yield from _below(path, look)


def _below(folder: str, look: Look) -> Iterator[str]:
    """Yield the files below *folder* that are no caches, logs or data, in the order of their names."""
    waiting = [folder]
    count = 0
    while waiting:
        here = waiting.pop()
        folders = []
        for name in look.names_in(here):
            count += 1
            if count > _MOST_FILES:
                hint = "move what does not belong to the hook elsewhere"
                raise HookrunError(f"holds more than {_MOST_FILES:,} files", where=folder, hint=hint)
            path = os.path.join(here, name)
            if look.is_file(path):
                if not name.endswith(_DATA):
                    yield path
            elif name not in _NOT_PART and look.is_folder(path) and not os.path.islink(path):
                folders.append(path)
        waiting += reversed(folders)
