"""What a tool call touches: the text of its command and the files it names."""

from __future__ import annotations

import os

from hookrun.readers.places import expanded

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_COMMAND_KEYS = ("command", "cmd", "command_line")
_PATH_KEYS = ("file_path", "path", "filePath", "notebook_path", "paths")
_KINDS_OF_FILES = {"edit", "write", "read", "notebook"}
_PATCH = "*** Begin Patch"
_PATCHED = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")


def command(tool_input: Any, kinds: tuple[str, ...], own_key: str = "command") -> str:
    """Return the text of a shell call, "" for other tools; a list of words is quoted for a shell.

    *own_key* is what the caller's dialect calls it: any other spelling counts only where that is missing.
    """
    if "shell" not in kinds:
        return ""
    if isinstance(tool_input, dict):
        tool_input = next((tool_input[key] for key in (own_key, *_COMMAND_KEYS) if key in tool_input), "")
    if isinstance(tool_input, str):
        return tool_input
    if isinstance(tool_input, list | tuple):
        import shlex

        return shlex.join(str(word) for word in tool_input)
    return ""


def paths(tool_input: Any, kinds: tuple[str, ...], cwd: str, path_key: str = "") -> tuple[str, ...]:
    """Return the files that a call touches, absolute against *cwd* and with links resolved.

    They are named by the usual keys, for tools that touch files and for unknown ones, by *path_key*, the key
    that the configuration names, and by every patch in the input.
    """
    named: list[str] = []
    if isinstance(tool_input, dict):
        keys: tuple[str, ...] = (path_key,) if path_key else ()
        if not kinds or not _KINDS_OF_FILES.isdisjoint(kinds):
            keys += _PATH_KEYS
        for key in keys:
            named += _texts(tool_input.get(key))
    for text in _strings(tool_input):
        if _PATCH in text:
            named += patched_files(text)
    return tuple(dict.fromkeys(_resolved(name, cwd) for name in named if name)) if named else ()


def patched_files(patch: str) -> list[str]:
    """Return the files that *patch* adds, updates, deletes or moves to, as it names them."""
    lines = [line.strip() for line in patch.split("\n")]
    return [line[len(prefix) :].strip() for line in lines for prefix in _PATCHED if line.startswith(prefix)]


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []


def _strings(value: Any) -> Iterator[str]:
    """Yield every string in *value*, however deep, without recursion."""
    left = [value]
    while left:
        value = left.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            left.extend(value.values())
        elif isinstance(value, list | tuple):
            left.extend(value)


def _resolved(path: str, cwd: str) -> str:
    joined = os.path.join(cwd, expanded(path))
    try:
        return os.path.realpath(joined)
    except (OSError, ValueError):  # a NUL or a lone surrogate: no file has such a name
        return os.path.normpath(joined)
