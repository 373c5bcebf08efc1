"""The program of a manifest -> its words, or the module that its entry names."""

from __future__ import annotations

import os
import sys

from hookrun.model.errors import HookrunError
from hookrun.programs.command import split_entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def words_of(values: Mapping[str, Any], folder: str, *, is_module: bool) -> tuple[str, ...]:
    """Return the words of the program that a manifest in *folder* names, () when it names none; the one path
    of a module when it *is_module*, which need not be there. Raises HookrunError."""
    words = _named(values, folder)
    if is_module and words:
        if len(words) > 1:
            raise HookrunError("a Python plugin's entry is one module", hint='"entry": "my_hook.py"')
        words = (os.path.normpath(os.path.join(folder, words[0])),)
    _require_plain(words)
    return words


def entry_words(entry: str, folder: str) -> tuple[str, ...]:
    """Return the words of a command line that a manifest in *folder* has. Raises HookrunError."""
    words = split_entry(entry, folder, plugin_root=folder)
    _require_plain(words)
    return words


def _named(values: Mapping[str, Any], folder: str) -> tuple[str, ...]:
    if values.get("executable"):
        arguments = values.get("args", [])
        if not all(isinstance(argument, str) for argument in arguments):
            raise HookrunError("args must be texts", hint='"args": ["one", "two"]')
        return _located(values["executable"], arguments, folder)
    own = {"linux": "entry_linux", "darwin": "entry_darwin"}.get(sys.platform, "entry")
    entry = values.get(own) or values.get("entry", "")
    return split_entry(entry, folder, plugin_root=folder) if entry.strip() else ()


def _located(executable: str, arguments: list[str], folder: str) -> tuple[str, ...]:
    words = [executable, *arguments]
    for variable in ("${PLUGIN_ROOT}", "${CLAUDE_PLUGIN_ROOT}"):
        words = [word.replace(variable, folder) for word in words]
    beside = (os.path.join(folder, word) for word in words)
    return tuple(place if os.path.isfile(place) else word for word, place in zip(words, beside, strict=True))


def _require_plain(words: tuple[str, ...]) -> None:
    """Raise HookrunError when *words* contain what no program can receive: NUL, half a character."""
    try:
        if b"\0" not in os.fsencode("".join(words)):
            return
    except UnicodeEncodeError:
        pass
    raise HookrunError("it contains NUL or half a character, which no program can be given", hint="take it out")
