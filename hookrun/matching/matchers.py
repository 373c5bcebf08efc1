"""Matchers of manifests and of script folders, compiled when they are read. Pure, and linear in time."""

from __future__ import annotations

from functools import lru_cache

from hookrun.model.text import nearest

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any

    from hookrun.model.values import Event

    Matcher = Callable[[Event, tuple[str, ...]], bool]

_EVERY_TOOL = ("", "*", "_all")
_MCP = "mcp"


def compile_glob(text: str) -> Matcher:
    """Return the matcher of a manifest's entry or trigger: ``accepts(event, names)``.

    "" and "*" match all. Otherwise one of the alternatives between ``|`` must be one of the names, with
    ``*`` for any run of characters anywhere; case counts. An empty alternative matches nothing.
    """
    if text in ("", "*"):
        return _accept_all
    if "|" not in text and "*" not in text:
        literal = text.strip()
        return lambda _, names: literal in names or may_be_one(literal, names)
    return lambda _, names: _is_one(text, names)


def compile_tool(name: str, kinds: tuple[str, ...]) -> Matcher:
    """Return the matcher of a script folder's file: *name* is its tool, *kinds* what that name means.

    A tool matches by its kind, whatever it is called, or by its name in the hook's dialect or as given,
    without case; ``*`` in the name is any run of characters. "", ``*`` and ``_all`` are every tool.
    """
    folded = name.strip().lower()
    if folded in _EVERY_TOOL:
        return _accept_all
    # The name of one MCP tool must not stand for all of them.
    wanted = frozenset(kinds) if folded == _MCP else frozenset(kinds) - {_MCP}

    def accepts(event: Event, names: tuple[str, ...]) -> bool:
        if not wanted.isdisjoint(event.kinds):
            return True
        return _is_one(folded, (event.tool_name.lower(), *(other.lower() for other in names)))

    return accepts


def compile_tools(text: str, kinds_of: Callable[[str], tuple[str, ...]]) -> Matcher:
    """Return the matcher of a script header's ``tool=Bash|Edit*``: any alternative, each as in compile_tool.

    *kinds_of* says what kinds of tool a name means.
    """
    names = [name for name in _alternatives(text) if name]
    matchers = [compile_tool(name, () if "*" in name else kinds_of(name)) for name in names]
    if len(matchers) == 1:
        return matchers[0]
    return lambda event, names: any(accepts(event, names) for accepts in matchers)


def matcher_flaw(text: Any) -> str:
    """Say what is wrong with a matcher, or "" when it can be compiled."""
    if not isinstance(text, str):
        return f"a matcher must be text, not {_NAME_BY_TYPE.get(type(text), type(text).__name__)}"
    if "|" in text and "" in _alternatives(text):
        return f'matcher {text!r} has an empty alternative; every tool is "*"'
    return ""


def explain_mismatch(matcher: str, names: tuple[str, ...]) -> str:
    """Say in a few words why *matcher* accepts none of *names*."""
    if not names:
        return f"matcher {matcher!r} wants a tool, and the event has none"
    shown = " or ".join(names)
    if _is_one(matcher.lower(), tuple(name.lower() for name in names)):
        return f"matcher {matcher!r} differs from {shown} in case, and case counts"
    return f"matcher {matcher!r} does not match {shown}"


def never_matches(text: str, known_names: Collection[str]) -> str:
    """Say which literal names in *text* no known tool has, with what is near them; "" when all is well.

    Names with ``*`` and those of MCP tools are not judged: they may be anybody's.
    """
    unknown = [
        name
        for name in _alternatives(text)
        if name and "*" not in name and name not in known_names and not name.lower().startswith(_MCP)
    ]
    return "; ".join(_unknown_name(name, known_names) for name in unknown)


_NAME_BY_TYPE = {
    type(None): "null",
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "a mapping",
}


def _accept_all(_: Event, __: tuple[str, ...]) -> bool:
    return True


def is_open(name: str) -> bool:
    """Say whether *name* is that of an MCP tool of which a part is unknown, such as ``mcp__*__create``."""
    return "*" in name and name[:4].lower() == "mcp_"


def _is_one(text: str, names: tuple[str, ...]) -> bool:
    return any(is_match(name) for is_match in _globs(text) for name in names) or may_be_one(text, names)


def may_be_one(text: str, names: tuple[str, ...]) -> bool:
    """Say whether an alternative of *text* may be one of those of *names* that are not fully known."""
    return any(is_open(name) and any(_overlap(one, name) for one in _alternatives(text)) for name in names)


def _overlap(pattern: str, name: str) -> bool:
    """Say whether some text matches both: what stands between the first and the last star always fits."""
    if "*" not in pattern:
        return glob(name)(pattern)
    (first, _, _), (_, _, last) = pattern.partition("*"), pattern.rpartition("*")
    (start, _, _), (_, _, end) = name.partition("*"), name.rpartition("*")
    return (first.startswith(start) or start.startswith(first)) and (last.endswith(end) or end.endswith(last))


@lru_cache(maxsize=16_384)
def _globs(text: str) -> tuple[Callable[[str], bool], ...]:
    return tuple(glob(alternative) for alternative in _alternatives(text) if alternative)


def _alternatives(text: str) -> list[str]:
    return [alternative.strip() for alternative in text.split("|")]


def glob(pattern: str) -> Callable[[str], bool]:
    """Return the test of a text that *pattern* is: exact, with ``*`` for any run of characters."""
    if "*" not in pattern:
        return pattern.__eq__
    first, *middle, last = pattern.split("*")
    inner = [piece for piece in middle if piece]
    shortest = len(first) + len(last)

    def is_match(name: str) -> bool:
        if len(name) < shortest or not name.startswith(first) or not name.endswith(last):
            return False
        # The leftmost place of each piece leaves the most room for the next: nothing is ever tried twice.
        place, end = len(first), len(name) - len(last)
        for piece in inner:
            place = name.find(piece, place, end)
            if place < 0:
                return False
            place += len(piece)
        return True

    return is_match


def _unknown_name(name: str, known_names: Collection[str]) -> str:
    near = nearest(name, known_names)
    return f"no known tool is named {name!r}" + (f"; did you mean {near!r}?" if near else "")
