"""One call of a wrapped tool: its input as hooks see it, and its result as tool_result has it."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_INPUT_NAMES = ("params", "input", "arguments", "tool_input")
_CALL_ID = "tool_call_id"
_READABLE = (str, int, float, list, tuple, Mapping, os.PathLike)


class ToolCall:
    """A call that is about to be made. ``tool_input`` holds the arguments by name, with those in a mapping of one of
    the usual names among them, and without a progress callback and the call's id."""

    def __init__(self, function: Callable[..., Any], name: str, bound: inspect.BoundArguments) -> None:
        self.name = name
        self._function = function
        self._bound = bound
        named = self._named()
        shown = _shown(named)
        self._holder = _holder(shown)  # the argument whose mapping is spread, "" for none
        self.tool_input = {**shown.pop(self._holder), **shown} if self._holder else shown
        self._beside = frozenset(shown)
        call_id = named.get(_CALL_ID)
        self.id = call_id if isinstance(call_id, str) and call_id else os.urandom(8).hex()

    def run(self) -> Any:
        """Call the tool."""
        return self._function(*self._bound.args, **self._bound.kwargs)

    def rewrite(self, tool_input: Mapping[str, Any]) -> None:
        """Call the tool with another input. What is missing there is left out of the call, unless JSON cannot hold
        it."""
        values = dict(tool_input)
        if self._holder:
            beside = {name: values.pop(name) for name in self._beside if name in values}
            values = {self._holder: values, **beside}
        unreadable = {name: value for name, value in self._named().items() if not _is_readable(name, value)}
        kinds = {name: known.kind for name, known in self._bound.signature.parameters.items()}
        rest = next((name for name, kind in kinds.items() if kind == inspect.Parameter.VAR_KEYWORD), "")
        arguments = self._bound.arguments
        arguments.clear()
        for name, value in {**values, **unreadable}.items():
            if name in kinds and name != rest:
                arguments[name] = value
            elif rest:
                arguments.setdefault(rest, {})[name] = value

    def _named(self) -> dict[str, Any]:
        """Return the arguments by name, with those that match no parameter of the tool."""
        named: dict[str, Any] = {}
        for name, value in self._bound.arguments.items():
            kind = self._bound.signature.parameters[name].kind
            named |= value if kind == inspect.Parameter.VAR_KEYWORD else {name: value}
        return named


def content_of(returned: Any) -> tuple[list[Any], Any]:
    """Return (content, details) of what a tool returned: its own, else its text."""
    if isinstance(returned, Mapping) and "content" in returned:
        content = returned["content"]
        parts = list(content) if isinstance(content, list | tuple) else [_part(content)]
        return parts, returned.get("details")
    if isinstance(returned, str):
        return [_part(returned)], None
    return ([] if returned is None else [_part(returned)]), returned


def text_of(content: Sequence[Any]) -> str:
    """Return the texts in *content*, a line each."""
    texts = [part.get("text") for part in content if isinstance(part, Mapping)]
    return "\n".join(text for text in texts if isinstance(text, str))


def overridden(returned: Any, result: Mapping[str, Any]) -> Any:
    """Return what the tool's caller gets: content and details that a hook returned replace the tool's."""
    content, details = result.get("content"), result.get("details")
    if content is None and details is None:
        return returned
    if isinstance(returned, Mapping) and "content" in returned:
        changed = dict(returned)
        changed |= {"content": list(content)} if content is not None else {}
        return changed | ({"details": details} if details is not None else {})
    if isinstance(returned, str):
        return returned if content is None else text_of(content)
    return details if details is not None else content


def _shown(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return what hooks see of *arguments*: paths as text, so that guards of paths recognize them."""
    return {
        name: os.fspath(value) if isinstance(value, os.PathLike) else value
        for name, value in arguments.items()
        if name != _CALL_ID and not callable(value)
    }


def _holder(shown: Mapping[str, Any]) -> str:
    """Return the argument whose mapping is the tool's input, "" when the arguments themselves are."""
    mappings = [name for name in _INPUT_NAMES if isinstance(shown.get(name), Mapping)]
    if len(mappings) != 1 or not shown.keys().isdisjoint(shown[mappings[0]]):
        return ""
    return mappings[0]


def _is_readable(name: str, value: Any) -> bool:
    """Say whether hooks can read and rewrite an argument."""
    return name != _CALL_ID and (value is None or isinstance(value, _READABLE))


def _part(value: Any) -> dict[str, Any]:
    return {"type": "text", "text": value if isinstance(value, str) else repr(value)}
