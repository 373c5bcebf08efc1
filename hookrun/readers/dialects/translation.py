"""A tool's input in another dialect's keys, and back. Keys are renamed, values are never touched."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.readers.dialects.dialect import Dialect

# What a key may be called when the caller does not follow its own dialect.
_SPELLINGS = {
    "path": ("path", "file_path", "filePath"),
    "old": ("old_string", "old_str", "oldString"),
    "new": ("new_string", "new_str", "newString"),
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

    Only the keys whose meaning the kinds of the tool settle are renamed, and only where the new name is free.
    """
    return _renamed(tool_input, _renames(tool_input, source, target, kinds))


def translate_back(
    updated: Any, original: Any, source: Dialect, target: Dialect, kinds: tuple[str, ...]
) -> Any:
    """Return a rewrite of *original*, made in the keys of *target*, in the keys that *original* had."""
    renames = _renames(original, source, target, kinds)
    return _renamed(updated, {new: old for old, new in renames.items()})


def _renames(tool_input: Any, source: Dialect, target: Dialect, kinds: tuple[str, ...]) -> dict[str, str]:
    if source.name == target.name or not isinstance(tool_input, dict):
        return {}
    renames: dict[str, str] = {}
    for meaning in dict.fromkeys(meaning for kind in kinds for meaning in _MEANINGS_BY_KIND.get(kind, ())):
        wanted = target.input_keys.get(meaning, _default_key(meaning))
        if wanted in tool_input:
            continue
        own = source.input_keys.get(meaning, _default_key(meaning))
        found = next((key for key in (own, *_SPELLINGS[meaning]) if key in tool_input), None)
        if found is not None:
            renames[found] = wanted
    return renames


def _default_key(meaning: str) -> str:
    return _SPELLINGS[meaning][0]


def _renamed(tool_input: Any, renames: Mapping[str, str]) -> Any:
    if not renames or not isinstance(tool_input, dict):
        return tool_input
    return {renames.get(key, key): value for key, value in tool_input.items()}
