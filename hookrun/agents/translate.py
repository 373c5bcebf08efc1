"""A tool's input in another dialect's keys, and back. Keys are renamed, values are never touched."""

from __future__ import annotations

import json

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.agents.shape import Dialect

# What a key may be called when the caller does not follow its own dialect.
SPELLINGS = {
    "path": ("path", "file_path", "filePath", "absolute_path", "absolutePath"),
    "old": ("old_string", "old_str", "oldString", "oldText", "old_text"),
    "new": ("new_string", "new_str", "newString", "newText", "new_text"),
    "content": ("content", "file_text"),
    "command": ("command", "cmd", "command_line"),
}
_MEANINGS_BY_KIND = {
    "shell": ("command",),
    "edit": ("path", "old", "new"),
    "write": ("path", "content"),
    "read": ("path",),
}


def translate_input(tool_input: Any, source: Dialect, target: Dialect, kinds: tuple[str, ...]) -> Any:
    """Return *tool_input* with the keys of *target*; what needs no change is the very same value.

    Only the keys whose meaning the kinds of the tool settle are renamed. What *source* itself calls a key
    counts: another value that already has the new name would not be used, and gets a name that says nothing.
    Of an MCP tool's input that says which tool it is for, the arguments are the input elsewhere.
    """
    wrapped = _wrapped_arguments(tool_input, source, target, kinds)
    if wrapped is not None:
        return wrapped
    return _renamed(tool_input, _renames(tool_input, source, target, kinds))


def translate_back(updated: Any, original: Any, source: Dialect, target: Dialect, kinds: tuple[str, ...]) -> Any:
    """Return a rewrite of *original*, made in the keys of *target*, in the keys that *original* had."""
    arguments = _wrapped_arguments(original, source, target, kinds)
    if source.mcp_keys and arguments is not None:
        key = source.mcp_keys[2]
        if updated == arguments:
            return original
        return {**original, key: json.dumps(updated) if isinstance(original[key], str) else updated}
    renames = _renames(original, source, target, kinds)
    return _renamed(updated, {new: old for old, new in renames.items()})


def _wrapped_arguments(
    tool_input: Any, source: Dialect, target: Dialect, kinds: tuple[str, ...]
) -> dict[str, Any] | None:
    """Return the arguments that an MCP tool's input wraps, None where it wraps none or *target* wraps too."""
    if "mcp" not in kinds or not source.mcp_keys or target.mcp_keys or not isinstance(tool_input, dict):
        return None
    arguments = tool_input.get(source.mcp_keys[2])
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return None
    return arguments if isinstance(arguments, dict) else None


def _renames(tool_input: Any, source: Dialect, target: Dialect, kinds: tuple[str, ...]) -> dict[str, str]:
    if source.name == target.name or not isinstance(tool_input, dict):
        return {}
    renames = _renames_of_mcp(tool_input, source, target) if "mcp" in kinds else {}
    for meaning in dict.fromkeys(meaning for kind in kinds for meaning in _MEANINGS_BY_KIND.get(kind, ())):
        own, wanted = own_key(source, meaning), own_key(target, meaning)
        found = next((key for key in (own, wanted, *SPELLINGS[meaning]) if key in tool_input), wanted)
        if found == wanted:
            continue
        renames[found] = wanted
        if wanted in tool_input:
            renames[wanted] = _free_key(wanted, tool_input)
    return renames


def _renames_of_mcp(tool_input: Mapping[str, Any], source: Dialect, target: Dialect) -> dict[str, str]:
    """Return the new names of the keys that say which MCP tool a call is for."""
    pairs = zip(source.mcp_keys or (), target.mcp_keys or (), strict=False)
    return {own: other for own, other in pairs if own in tool_input and other not in tool_input}


def own_key(dialect: Dialect, meaning: str) -> str:
    """Return what *dialect* calls *meaning* (path, old, new, content, command) in a tool's input."""
    return dialect.input_keys.get(meaning, SPELLINGS[meaning][0])


def _free_key(key: str, tool_input: Mapping[str, Any]) -> str:
    while key in tool_input:
        key = f"other_{key}"
    return key


def _renamed(tool_input: Any, renames: Mapping[str, str]) -> Any:
    if not renames or not isinstance(tool_input, dict):
        return tool_input
    taken = set(renames.values())
    return {renames.get(key, key): value for key, value in tool_input.items() if key in renames or key not in taken}
