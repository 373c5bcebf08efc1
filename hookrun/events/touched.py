"""What a tool call touches: the text of its command and the files it names."""

from __future__ import annotations

import os

from hookrun.config.paths import expanded

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from hookrun.model.values import Event

_COMMAND_KEYS = ("command", "cmd", "command_line", "commands", "chars")
_PATH_KEYS = ("file_path", "path", "filePath", "notebook_path", "absolute_path", "absolutePath", "paths")
_KINDS_OF_FILES = {"edit", "write", "read", "notebook"}
_KINDS_OF_PATCHES = {"edit", "write"}
_PATCH_TOOLS = ("apply_patch", "applypatch")
_PATCH = "*** Begin Patch"
_PATCHED = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")


def command(tool_input: Any, kinds: tuple[str, ...], own_key: str = "command") -> str:
    """Return the text of a shell call, "" for other tools; a list of words is quoted for a shell.

    *own_key* is what the caller's dialect calls it: any other spelling counts only where that is missing.
    """
    if "shell" not in kinds:
        return ""
    if isinstance(tool_input, dict):
        key = next((key for key in (own_key, *_COMMAND_KEYS) if key in tool_input), "")
        tool_input = tool_input.get(key, "")
        if key == "commands" and isinstance(tool_input, list | tuple):
            return "\n".join(str(each) for each in tool_input)
    if isinstance(tool_input, str):
        return tool_input
    return shell_text(tool_input) if isinstance(tool_input, list | tuple) else ""


def shell_text(words: Iterable[Any]) -> str:
    """Return *words* as one text, quoted for a shell."""
    import shlex

    return shlex.join(str(word) for word in words)


def paths(tool_input: Any, kinds: tuple[str, ...], cwd: str, path_key: str = "") -> tuple[str, ...]:
    """Return the files that a call touches, absolute against *cwd* and with links resolved.

    They are named by the usual keys, for tools that touch files and for unknown ones, by *path_key*, the key
    that the configuration names, and by every patch in the input.
    """
    named = _named_files(tool_input, kinds, path_key) if isinstance(tool_input, dict) else []
    for text in patches_in(tool_input):
        files = patched_files(text)
        named += [*files, *(os.path.join(folder, file) for folder in _folders(text) for file in files)]
    return tuple(dict.fromkeys(resolved(name, cwd) for name in named if name)) if named else ()


def _named_files(tool_input: dict[str, Any], kinds: tuple[str, ...], path_key: str) -> list[str]:
    """Return the files that *tool_input* names by a key."""
    takes_files = not _KINDS_OF_FILES.isdisjoint(kinds)
    keys = [path_key] if path_key else []
    keys += _PATH_KEYS if takes_files or not kinds else ()
    keys += ("include",) if "read" in kinds else ()  # Gemini's read_many_files
    named = [text for key in keys for text in _texts(tool_input.get(key))]
    files = tool_input.get("files") if takes_files else None  # Cline's read_files
    for file in files if isinstance(files, list) else ():
        named += _texts(file.get("path") if isinstance(file, dict) else file)
    return named


def has_patch(event: Event) -> bool:
    """Say whether the call edits by a patch: its tool is called so, or its input is one and names no file.

    A file that a patching tool's input names besides does not count: it could hide those of the patch.
    """
    if _KINDS_OF_PATCHES.isdisjoint(event.kinds) or event.whole_input is not None:
        return False
    tool_input = event.tool_input
    names_files = isinstance(tool_input, dict) and any(_texts(tool_input.get(key)) for key in _PATH_KEYS)
    if names_files and event.tool_name.lower() not in _PATCH_TOOLS:
        return False
    return bool(patches_in(tool_input))


def has_many_commands(event: Event) -> bool:
    """Say whether the call runs a list of commands, or types into a shell: hooks are asked about each command."""
    if event.event != "PreToolUse" or "shell" not in event.kinds or event.whole_input is not None:
        return False
    tool_input = event.tool_input
    return (
        isinstance(tool_input, dict)
        and ("commands" in tool_input or "chars" in tool_input)
        and "command" not in tool_input
    )


def is_of_unknown_kind(event: Event) -> bool:
    """Say whether only the shape of the input says what a tool does that is about to run."""
    is_unknown = event.kinds in ((), ("mcp",)) and event.whole_input is None
    return is_unknown and event.event == "PreToolUse" and bool(event.tool_name and event.tool_input)


def patches_in(tool_input: Any) -> list[str]:
    """Return the texts in *tool_input* that hold a patch."""
    return [text for text in texts_within(tool_input) if _PATCH in text]


def patched_files(patch: str) -> list[str]:
    """Return the files that *patch* adds, updates, deletes or moves to, as it names them."""
    lines = [line.strip() for line in patch.split("\n")]
    return [line[len(prefix) :].strip() for line in lines for prefix in _PATCHED if line.startswith(prefix)]


def _folders(text: str) -> list[str]:
    """Return the folders that a shell command goes to before it patches."""
    before = text.partition(_PATCH)[0]
    if "cd" not in before:
        return []
    import re

    found = re.findall(r"""\bcd\s+(?:--\s+)?(?:'([^']*)'|"([^"]*)"|([^\s;&|]+))""", before)
    return ["".join(parts) for parts in found]


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []


def texts_within(value: Any) -> Iterator[str]:
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


def resolved(path: str, cwd: str) -> str:
    """Return *path* absolute against *cwd* and with links resolved."""
    joined = os.path.join(cwd, expanded(path))
    try:
        return os.path.realpath(joined)
    except (OSError, ValueError):  # a NUL or a lone surrogate: no file has such a name
        return os.path.normpath(joined)
