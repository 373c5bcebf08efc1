"""What a hook consists of: its definition, what its command names, what these use, a plugin's whole folder.

An edit of any of them is an edit of the hook. Read from text, so it is found the same way when a person
trusts the hook and when it is about to run; nothing runs.
"""

from __future__ import annotations

import os
import sys

from hookrun.readers.command import Launch, prepare
from hookrun.readers.places import is_inside
from hookrun.readers.sources.module import prepare_module
from hookrun.words import names
from hookrun.words.errors import HookrunError
from hookrun.words.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookrun.words.model import Hook

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
_HOOK_FOLDERS = (".claude/", ".hookrun/", ".xbot/", ".xcsh/", ".codex/", ".gemini/")
_MOST_FILES = 5_000
_TEXT_LIMIT = names.MIB


class Contents(Frozen):
    """Absolute paths of the files that make up a hook: ``core`` what defines it and what it uses, the
    definition first, ``others`` what else lies in its plugin's folder."""

    core: tuple[str, ...]
    others: tuple[str, ...] = ()


def contents_of(hook: Hook, top: str, path: str) -> Contents:
    """Return all files that make up *hook*, each once.

    *top* is the project's folder, *path* the PATH that the hook will have. Raises HookrunError when they are
    too many to look at.
    """
    found: dict[str, None] = {}
    if hook.file and not os.path.isdir(hook.file):
        found[hook.file] = None
    launch = prepare_module(hook) if hook.kind == names.MODULE else prepare(hook.program, path=path)
    named = _named(launch, top) if isinstance(launch, Launch) else _existing(hook.program.words)
    found.update(dict.fromkeys((*named, *hook.files)))
    is_script = isinstance(launch, Launch) and os.path.basename(launch.interpreter).startswith("python")
    for file in tuple(found):
        if file != hook.file or hook.file in named:  # what a manifest mentions, its command names
            _add_used(file, top, found)
    if hook.kind != names.MODULE:  # whose own imports look for Python's library first
        scripts = named if is_script else ()
        python = (file for file in (*scripts, *found) if file in scripts or file.endswith(".py"))
        for folder in dict.fromkeys(map(os.path.dirname, python)):
            found.update(dict.fromkeys(_shadows(folder)))
    if hook.kind == names.MODULE and hook.program.words and os.path.isdir(hook.program.words[0]):
        found.update(dict.fromkeys(_below(hook.program.words[0])))
    folder = plugin_folder(hook, top)
    if not folder:
        return Contents(core=tuple(found))
    # What is no code and only mentioned may be what the plugin writes: then git does not track it.
    sure = {hook.file, *named, *hook.files}
    core = [file for file in found if file in sure or not is_inside(file, folder) or is_code(file)]
    others = {**found, **dict.fromkeys(_below(folder))}
    return Contents(core=tuple(core), others=tuple(file for file in others if file not in core))


def plugin_folder(hook: Hook, top: str) -> str:
    """Return the folder that is a plugin's own, all of which counts; "" for what has none."""
    folder = os.path.dirname(hook.file)
    is_own = os.path.basename(hook.file) in PLUGIN_MANIFESTS and not is_inside(top, folder)
    return folder if is_own else ""


def is_code(path: str) -> bool:
    """Say whether a file can be run or imported: what appears beside a hook may be used by it."""
    return path.endswith(_CODE) or os.access(path, os.X_OK)


def _named(launch: Launch, top: str) -> list[str]:
    files = list(launch.files)
    for program in (launch.argv[:1], (launch.interpreter,)):
        # A program that the project itself has (.venv/bin, node_modules/.bin) is part of it too, unless it
        # is a link to one of the system.
        files += [
            file for file in program if file and is_inside(os.path.realpath(file), os.path.realpath(top))
        ]
    return [file for file in files if os.path.isabs(file)]


def _existing(words: tuple[str, ...]) -> list[str]:
    return [word for word in words if os.path.isabs(word) and os.path.isfile(word)]


def _add_used(file: str, top: str, found: dict[str, None]) -> None:
    """Add what the text of *file* names of the files around it, and what these name in turn."""
    waiting = [file]
    while waiting:
        using = waiting.pop()
        for used in _used_by(using, top):
            if used not in found:
                found[used] = None
                waiting.append(used)


def _used_by(file: str, top: str) -> Iterator[str]:
    text = _text(file)
    if not text:
        return
    import re

    folder = os.path.dirname(file)
    named = set(re.findall(r"[\w@+-]+(?:\.[\w@+-]+)+", text))
    imported = _imported_names(text) if _is_python(file, text) else set()
    for name in _names_in(folder):
        beside = os.path.join(folder, name)
        if beside == file or name in _NOT_PART or name.endswith(_DATA):
            continue
        is_imported = name.partition(".")[0] in imported
        if os.path.isdir(beside):
            if is_imported:
                yield from _below(beside)
        elif name in named or (is_imported and name.endswith(_IMPORTABLE)):
            yield beside
    yield from _paths_in(text, folder, top)


def _is_python(file: str, text: str) -> bool:
    return file.endswith(".py") or "python" in text.partition("\n")[0]


def _imported_names(text: str) -> set[str]:
    """Return the names that the imports of a Python text may look for beside it."""
    import re

    statements = re.findall(r"\b(?:from\s+[.\w]+\s+)?import\s*(?:\([^)]*\)|[^\n;#]*)", text)
    statements += re.findall(r"(?:import_module|__import__|run_module)\(\s*[\"'][.\w]+", text)
    return {word for statement in statements for word in re.findall(r"\w+", statement)}


def _paths_in(text: str, folder: str, top: str) -> Iterator[str]:
    """Yield the files that a text names by a path: from its own folder, or from the project's when that leads
    to where hooks are kept."""
    import re

    for token in set(re.findall(r"[\w.@+-]*(?:/[\w.@+-]+)+", text)):
        relative = token.lstrip("/")
        places = [os.path.join(folder, relative)]
        start = min((relative.find(mark) for mark in _HOOK_FOLDERS if mark in relative), default=-1)
        if start >= 0:
            places.append(os.path.join(top, relative[start:]))
        for place in map(os.path.normpath, places):
            for end in ("", *_SCRIPT_ENDS):
                if os.path.isfile(place + end) and is_inside(place, top) and not place.endswith(_DATA):
                    yield place + end


def _shadows(folder: str) -> Iterator[str]:
    """Yield what Python would import from *folder* in place of its own library: the script's folder is first
    on its path."""
    for name in _names_in(folder):
        if name.partition(".")[0] not in sys.stdlib_module_names:
            continue
        path = os.path.join(folder, name)
        if name.endswith(_IMPORTABLE):
            yield path
        elif any(os.path.exists(os.path.join(path, f"__init__{end}")) for end in _IMPORTABLE):
            yield from _below(path)


def _below(folder: str) -> Iterator[str]:
    """Yield the files below *folder* that are no caches, logs or data, in the order of their names."""
    count = 0
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _NOT_PART)
        for name in sorted(files):
            count += 1
            if count > _MOST_FILES:
                hint = "keep what is no part of the hook elsewhere"
                raise HookrunError(f"holds more than {_MOST_FILES:,} files", where=folder, hint=hint)
            path = os.path.join(here, name)
            if not name.endswith(_DATA) and os.path.isfile(path):
                yield path


def _names_in(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _text(file: str) -> str:
    try:
        if os.path.getsize(file) > _TEXT_LIMIT:
            return ""
        with open(file, "rb") as opened:
            data = opened.read(_TEXT_LIMIT)
    except OSError:
        return ""
    return "" if b"\0" in data[:1024] else data.decode("utf-8", "replace")
