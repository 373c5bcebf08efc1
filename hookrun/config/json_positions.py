"""The line of each value of a document, for problems; duplicate keys."""

from __future__ import annotations

from hookrun.config.json_parts import Part, read_part
from hookrun.config.jsonc import without_comments

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

Keys = tuple[str | int, ...]

_MOST_REPEATED = 100_000  # values that the aliases of a YAML document may add to those it writes out


def lines(text: str, suffix: str) -> dict[Keys, int]:
    """Return the line of every value in *text* by its keys; what is there twice counts as the last."""
    if suffix in (".yaml", ".yml"):
        return _yaml_lines(text)
    if suffix == ".toml":
        return dict(_toml_places(text))
    return _json_lines(without_comments(text, ""))


def json_duplicates(text: str) -> list[Keys]:
    """Return the keys that occur twice in one object of the JSON *text*, in order."""
    return _repeated(keys for keys, _ in _json_places(text))


def yaml_duplicates(node: Any) -> list[Keys]:
    """Return the keys that occur twice in one mapping below the composed YAML *node*, in order."""
    return _repeated(keys for keys, _ in _yaml_places(node, (), set()))


def yaml_flaw(node: Any) -> str:
    """Say why *node* must not be turned into values: aliases that blow up or go in circles; "" when fine."""
    size_by_node: dict[int, int] = {}
    try:
        size = _size(node, size_by_node)
    except RecursionError:
        return "is nested too deeply, or has an alias that contains itself"
    if size - len(size_by_node) > _MOST_REPEATED:
        return f"has aliases that repeat more than {_MOST_REPEATED:,} values"
    return ""


def _repeated(places: Iterator[Keys]) -> list[Keys]:
    seen: set[Keys] = set()
    repeated: dict[Keys, None] = {}
    for keys in places:
        if keys in seen and isinstance(keys[-1], str):
            repeated[keys] = None
        seen.add(keys)
    return list(repeated)


def _json_lines(text: str) -> dict[Keys, int]:
    line_by_keys: dict[Keys, int] = {}
    line, counted = 1, 0
    try:
        for keys, place in _json_places(text):
            line += text.count("\n", counted, place)
            counted = place
            line_by_keys[keys] = line
    except RecursionError:  # json.loads reads texts that are nested deeper; their problems go without lines
        return {}
    return line_by_keys


def _json_places(text: str) -> Iterator[tuple[Keys, int]]:
    """Yield keys and offset of every value of valid JSON, in the order of the text."""
    left: list[tuple[Keys, Part]] = [((), read_part(text))]
    while left:
        keys, part = left.pop()
        if keys:
            yield keys, part.start
        left += (((*keys, inner.key), inner) for inner in reversed(part.parts))


def _yaml_lines(text: str) -> dict[Keys, int]:
    import yaml

    node = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return dict(_yaml_places(node, (), set())) if node else {}


def _yaml_places(node: Any, keys: Keys, above: set[int]) -> Iterator[tuple[Keys, int]]:
    """Yield keys and line of every value below *node*; an alias is followed once, where it is first met."""
    if node.id == "scalar" or id(node) in above:
        return
    above.add(id(node))
    for index, item in enumerate(node.value):
        name, value = item if node.id == "mapping" else (None, item)
        if name is not None and name.id != "scalar":
            continue
        below = (*keys, index if name is None else str(name.value))
        yield below, (name or value).start_mark.line + 1
        yield from _yaml_places(value, below, above)


def _size(node: Any, size_by_node: dict[int, int]) -> int:
    known = size_by_node.get(id(node))
    if known is not None:
        return known
    size = 1
    if node.id == "sequence":
        size += sum(_size(item, size_by_node) for item in node.value)
    elif node.id == "mapping":
        size += sum(_size(key, size_by_node) + _size(value, size_by_node) for key, value in node.value)
    size_by_node[id(node)] = size
    return size


def _toml_places(text: str) -> Iterator[tuple[Keys, int]]:
    """Yield keys and line of tables and of simple assignments; what is inside a value is not looked at."""
    table: Keys = ()
    count_by_table: dict[Keys, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if line.startswith("[["):
            name = _toml_keys(line[2:].partition("]]")[0])
            count = count_by_table.get(name, 0)
            count_by_table[name] = count + 1
            yield name, number
            table = (*name, count)
            yield table, number
        elif line.startswith("["):
            table = _toml_keys(line[1:].partition("]")[0])
            yield table, number
        elif "=" in line and not line.startswith("#"):
            yield (*table, *_toml_keys(line.partition("=")[0])), number


def _toml_keys(text: str) -> Keys:
    return tuple(part.strip().strip("\"'") for part in text.split("."))
