"""Bytes in, values with lines out: JSON, JSON with comments, YAML and TOML. Never writes anything."""

from __future__ import annotations

import json
import os
from stat import S_ISDIR, S_ISREG

from hookrun.model.constants import MANIFEST_LIMIT
from hookrun.model.errors import DocumentError
from hookrun.model.frozen import Frozen

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


_BOM = b"\xef\xbb\xbf"
_JSON = ".json"
_JSONC = ".jsonc"
_YAML = (".yaml", ".yml")
_TOML = ".toml"
_LONGEST_NUMBER = 10_000  # bits; sys.set_int_max_str_digits, by default 4300 digits, is where it ends


class Document(Frozen):
    """A file that was read. ``duplicates`` are the keys that stand twice in one mapping: the last counts."""

    value: Any
    path: str
    text: str
    duplicates: tuple[str, ...] = ()


def read_document(path: str, *, limit: int = MANIFEST_LIMIT, comments: bool = False) -> Document:
    """Return what the file *path* says, by its suffix: .json .jsonc .yaml .yml .toml.

    *limit* is in bytes. *comments* allows comments and trailing commas in a .json file too, as some
    agents do in their settings. Raises DocumentError with the line where there is one.
    """
    return parse_document(_content(path, limit), path, comments=comments)


def parse_document(data: bytes, path: str, *, comments: bool = False) -> Document:
    """Return what *data* says, in the format of the suffix of *path*; raises DocumentError."""
    text = _decoded(data, path)
    suffix = os.path.splitext(path)[1].lower()
    try:
        if suffix == _JSON and not comments:
            return _from_json(text, text, path)
        if suffix in (_JSON, _JSONC):
            from hookrun.config.jsonc import without_comments

            return _from_json(without_comments(text, path), text, path)
        if suffix in _YAML:
            return _from_yaml(text, path)
        if suffix == _TOML:
            return _from_toml(text, path)
    except RecursionError:
        raise DocumentError("is nested too deeply", where=path) from None
    hint = "the name must end in .json, .jsonc, .yaml, .yml or .toml"
    raise DocumentError("is of no known format", where=path, hint=hint)


def line_of(document: Document, keys: Sequence[str | int]) -> int:
    """Return the line, from 1, on which the value at *keys* begins, or else its nearest parent; 0: unknown.

    Reads the text again, so it is for problems alone.
    """
    from hookrun.config import json_positions

    line_by_keys = json_positions.lines(document.text, os.path.splitext(document.path)[1].lower())
    for length in range(len(keys), 0, -1):
        line = line_by_keys.get(tuple(keys[:length]))
        if line is not None:
            return line
    return 0


def key_text(keys: Sequence[str | int]) -> str:
    """Return *keys* as people write them: ``contributes.ui[0].slot``."""
    text = ""
    for key in keys:
        text += f"[{key}]" if isinstance(key, int) else f".{key}"
    return text.removeprefix(".")


def _content(path: str, limit: int) -> bytes:
    # The kind is asked first: opening a FIFO waits, opening a device may do more than that.
    try:
        status = os.stat(path)
        if not S_ISREG(status.st_mode):
            what = "a folder" if S_ISDIR(status.st_mode) else "not a regular file"
            raise DocumentError(f"is {what}", where=path)
        if status.st_size <= limit:
            data = _bytes_of(path, limit, status.st_size)
            if len(data) <= limit:
                return data
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise DocumentError(f"cannot be read: {reason}", where=path) from error
    raise DocumentError(f"is larger than {limit:,} bytes", where=path)


def _bytes_of(path: str, limit: int, size: int) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        data = os.read(descriptor, size + 1)
        if len(data) == size:  # the end was seen; a larger buffer or a second call would cost more
            return data
        while len(data) <= limit and (more := os.read(descriptor, limit + 1 - len(data))):
            data += more
        return data
    finally:
        os.close(descriptor)


def _decoded(data: bytes, path: str) -> str:
    if data.startswith(_BOM):
        data = data[len(_BOM) :]
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DocumentError(
            "is not UTF-8", where=path, line=line, hint="save the file with the encoding UTF-8"
        ) from None


class _Repeated(Exception):
    """A mapping has a key twice."""


def _from_json(pure: str, text: str, path: str) -> Document:
    duplicates: tuple[str, ...] = ()
    try:
        try:
            value = _DECODER.decode(pure)
        except _Repeated:
            from hookrun.config import json_positions

            value = json.loads(pure, parse_constant=_refuse_constant)
            duplicates = tuple(key_text(keys) for keys in json_positions.json_duplicates(pure))
    except json.JSONDecodeError as error:
        raise _json_error(error, path) from None
    except ValueError as error:
        raise DocumentError(f"is not JSON: {error}", where=path) from None
    return Document(value=value, path=path, text=text, duplicates=duplicates)


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Repeated
    return value


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is not a JSON number")


# One for all documents: making a decoder takes longer than reading a manifest with it.
_DECODER = json.JSONDecoder(object_pairs_hook=_mapping, parse_constant=_refuse_constant)


def _json_error(error: json.JSONDecodeError, path: str) -> DocumentError:
    rest = error.doc[error.pos :].lstrip()
    before = error.doc[: error.pos].rstrip()
    if not error.doc.strip():
        return DocumentError("is empty", where=path, line=1)
    if rest.startswith(("//", "/*", "#")):
        hint = "remove the comment, or rename the file to .jsonc"
        return DocumentError("has a comment, which JSON does not allow", where=path, line=error.lineno, hint=hint)
    if "trailing comma" in error.msg or (rest[:1] in ("}", "]") and before.endswith(",")):
        hint = "remove the comma, or rename the file to .jsonc"
        message = "has a comma before a closing bracket, which JSON does not allow"
        return DocumentError(message, where=path, line=error.lineno, hint=hint)
    return DocumentError(f"is not JSON: {error.msg}, column {error.colno}", where=path, line=error.lineno)


def _from_yaml(text: str, path: str) -> Document:
    import yaml

    from hookrun.config import json_positions

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return Document(value=None, path=path, text=text)
        flaw = json_positions.yaml_flaw(node)
        if flaw:
            raise DocumentError(flaw, where=path)
        duplicates = tuple(key_text(keys) for keys in json_positions.yaml_duplicates(node))
        value = _with_short_numbers(loader.construct_document(node), text)
        return Document(value=value, path=path, text=text, duplicates=duplicates)
    except yaml.YAMLError as error:
        raise _yaml_error(error, text, path) from None
    except (ValueError, OverflowError) as error:  # a date such as 2024-13-45
        raise DocumentError(f"is not YAML: {error}", where=path) from None
    except (LookupError, AttributeError):  # what PyYAML meets in `!!int ""`, `!!bool x`, `!!timestamp x`
        raise DocumentError("is not YAML: a value is not of the type that its tag names", where=path) from None
    finally:
        loader.dispose()


def _yaml_error(error: Exception, text: str, path: str) -> DocumentError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is None:
        return DocumentError(f"is not YAML: {str(error).splitlines()[0]}", where=path)
    lines = text.splitlines()
    found = lines[mark.line] if mark.line < len(lines) else ""
    if "\t" in found[: len(found) - len(found.lstrip())] or found[mark.column : mark.column + 1] == "\t":
        hint = "indent with blanks"
        return DocumentError("has a tab where YAML allows only blanks", where=path, line=mark.line + 1, hint=hint)
    problem = getattr(error, "problem", None) or getattr(error, "context", None) or "bad syntax"
    return DocumentError(f"is not YAML: {problem}, column {mark.column + 1}", where=path, line=mark.line + 1)


def _from_toml(text: str, path: str) -> Document:
    import tomllib

    try:
        return Document(value=_with_short_numbers(tomllib.loads(text), text), path=path, text=text)
    except ValueError as error:
        message, _, place = str(error).partition(" (at ")
        number, _, column = place.removeprefix("line ").removesuffix(")").partition(", ")
        line = int(number) if number.isdigit() else len(text.splitlines())
        message = ", ".join(filter(None, (message, column)))
        raise DocumentError(f"is not TOML: {message}", where=path, line=line) from None


def _with_short_numbers(value: Any, text: str) -> Any:
    """Return *value*, which *text* says; ValueError for a number that Python would refuse to show.

    Decimal digits are counted while they are read, those of hexadecimal and the like are not.
    """
    level = [value] if len(text) > _LONGEST_NUMBER // 4 else []
    while level:
        if any(isinstance(item, int) and item.bit_length() > _LONGEST_NUMBER for item in level):
            raise ValueError("a number has too many digits")
        level = [part for item in level for part in _parts(item)]
    return value


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return list(value) if isinstance(value, list | tuple | set) else []
