"""A file that defines hooks -> where in it each value is, for findings with lines."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from hookrun.config import json_positions
from hookrun.config.documents import Document, read_document
from hookrun.config.json_positions import Keys
from hookrun.model.errors import DocumentError
from hookrun.model.frozen import Frozen
from hookrun.model.values import Hook
from hookrun.sources import fields
from hookrun.sources.found import short_id
from hookrun.sources.script_folder import header_lines, read_head

DOCUMENT_SUFFIXES = (".json", ".jsonc", ".yaml", ".yml", ".toml")
# What a manifest says for all of its entries.
SHARED = ("timeout", "executable", "entry", "entry_linux", "entry_darwin")


class Said(Frozen):
    """A value that a hook's definition gives, and where."""

    value: Any
    where: str = ""


class Definition:
    """One manifest, configuration or script. ``table`` is the document's mapping, {} for anything else."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._line_by_keys: dict[Keys, int] | None = None
        self._where_by_id: dict[tuple[str, str], dict[str, str]] = {}

    @cached_property
    def table(self) -> Mapping[str, Any]:
        """The document's mapping."""
        value = self._document.value if self._document else None
        return value if isinstance(value, dict) else {}

    @cached_property
    def _document(self) -> Document | None:
        """Return the file, read when it is first needed."""
        return _document(self.path)

    def line(self, where: str) -> int:
        """Return the line of a key path such as ``contributes.ui[0].slot`` or of "line 3: ..."; else 0."""
        number = where.partition(":")[0].removeprefix("line ")
        if where.startswith("line ") and number.isdigit():
            return int(number)
        if not self._document and where:  # a word of a script's header
            spots = [said.where for said in _header(self.path).values() if said.where.endswith(f": {where}")]
            return self.line(spots[0]) if spots else 0
        return self._line_of(keys_of(self.table, where)) if where else 0

    def where_of(self, hook: Hook) -> str:
        """Return the key path of the entry that *hook* was made of, "" when it is the whole file."""
        place = (hook.level, os.path.relpath(hook.file, hook.place))
        if place not in self._where_by_id:
            self._where_by_id[place] = {short_id(*place, where): where for where in self._entries()}
        # The registry appends a number where one id occurs twice.
        return self._where_by_id[place].get(hook.id.partition("-")[0], "")

    def says(self, where: str) -> dict[str, Said]:
        """Return the values of the entry at *where* by their fields' names, or those of a script's header."""
        if not self._document:
            return _header(self.path)
        said = {snake(key): Said(value=self.table[key], where=key) for key in self.table if snake(key) in SHARED}
        entry = value_at(self.table, where)
        contribution = where.partition(".")[2].partition("[")[0]
        if isinstance(entry, dict) and contribution in fields.CONTRIBUTION_FIELDS:
            table = fields.CONTRIBUTION_FIELDS[contribution].entry or {}
            for name, value in fields.read_fields(entry, table, "", "", []).items():
                said[name] = Said(value=value, where=f"{where}.{name}")
        return said

    def _line_of(self, keys: Keys) -> int:
        """Return the line of the value at *keys* or of its nearest parent. The text is read for it once:
        a manifest may have thousands of entries."""
        if self._line_by_keys is None:
            suffix = os.path.splitext(self.path)[1].lower()
            self._line_by_keys = json_positions.lines(self._document.text, suffix) if self._document else {}
        found = (self._line_by_keys.get(keys[:length]) for length in range(len(keys), 0, -1))
        return next((line for line in found if line), 0)

    def _entries(self) -> list[str]:
        contributes = self.table.get("contributes")
        if not isinstance(contributes, dict):
            return []
        return [
            f"contributes.{name}[{index}]"
            for name in fields.RUN_HERE
            if isinstance(contributes.get(name), list)
            for index in range(len(contributes[name]))
        ]


def keys_of(value: Any, where: str) -> Keys:
    """Return the keys in *value* that the text *where* names, in either spelling, as deep as they go."""
    if isinstance(value, list) and where.startswith("["):
        number, _, rest = where[1:].partition("]")
        if number.isdigit() and int(number) < len(value):
            return (int(number), *keys_of(value[int(number)], rest.removeprefix(".")))
    if isinstance(value, dict):
        for key in sorted(map(str, value), key=len, reverse=True):
            for spelling in {key, snake(key)}:
                rest = where.removeprefix(spelling)
                if rest != where and rest[:1] in ("", ".", "["):
                    return (key, *keys_of(value.get(key), rest.removeprefix(".")))
    return ()


def value_at(value: Any, where: str) -> Any:
    """Return the value that *where* names in *value*; None when it is not there."""
    for key in keys_of(value, where):
        value = value[key]
    return value


def snake(key: object) -> str:
    """Return the snake_case spelling of *key*."""
    return "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in str(key))


def _document(path: str) -> Document | None:
    if not path.endswith(DOCUMENT_SUFFIXES):
        return None
    try:
        return read_document(path, comments=True)  # as some agents have them: whether they may, others say
    except DocumentError:
        return None


def _header(path: str) -> dict[str, Said]:
    """Return the words of the `# hookrun: ...` comments, also the unknown ones."""
    try:
        lines = header_lines(read_head(path))
    except OSError:
        return {}
    said = {}
    for number, words in lines:
        for word in words:
            key, _, value = word.partition("=")
            said[key.replace("-", "_").lower()] = Said(value=value, where=f"line {number}: {word}")
    return said
