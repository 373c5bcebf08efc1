"""A value of one's own: what one handler changes in what it was given reaches nobody else."""

from __future__ import annotations

from hookrun.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    _Kind = TypeVar("_Kind", bound=Frozen)

# What nobody can change, by far the most of what JSON holds.
_FIXED = frozenset((str, int, float, bool, type(None), bytes))
# What marks the instances of a class as data: dataclasses, attrs, pydantic.
_MARKS_OF_DATA = ("__dataclass_fields__", "__attrs_attrs__", "__pydantic_fields__")
# What marks an object that stands for something outside of it: a copy would end that a second time.
_MARKS_OF_OTHERS = ("__del__", "__exit__", "__aexit__", "fileno", "close", "cancel")


def own(value: Any) -> Any:
    """Return *value*, or a copy of it when somebody could change it, at any depth.

    Containers and data (dataclasses and the like) are copied; other objects, such as an open file or an
    agent's session, stay what they are.
    """
    kind = type(value)
    if kind in _FIXED:
        return value
    if kind is dict:
        return {key: own(item) for key, item in value.items()}
    if kind is list:
        return [own(item) for item in value]
    if kind is tuple:
        return tuple([own(item) for item in value])
    return _Copying().copy(value)


def own_fields(value: _Kind, tokens: tuple[str, ...] = ()) -> _Kind:
    """Return a copy of one of our values whose fields are its own; objects in *tokens* stay what they are."""
    fields = value.__dict__.items()
    return value.replace(
        **{
            field: own_token(item) if field in tokens else own(item)
            for field, item in fields
            if type(item) not in _FIXED
        }
    )


def own_token(value: Any) -> Any:
    """Return the agent's own object, which a handler is to use: a copy of it would do nothing. Where it is
    only data it is copied."""
    return own(value) if isinstance(value, dict | list | tuple) else value


class _Copying:
    """One copy of what JSON has no form for. What is met twice is copied once: it may lead back to itself."""

    def __init__(self) -> None:
        self._copies: dict[int, tuple[Any, Any]] = {}  # with the original, so that its id is not used again

    def copy(self, value: Any) -> Any:
        """Return *value* or its copy."""
        if type(value) in _FIXED:
            return value
        if id(value) in self._copies:
            return self._copies[id(value)][1]
        if isinstance(value, Frozen):
            return own_fields(value)
        if isinstance(value, tuple):
            parts = [self.copy(item) for item in value]
            return type(value)._make(parts) if hasattr(value, "_make") else tuple(parts)
        if isinstance(value, set | frozenset | bytearray):
            return type(value)(value)  # what is in it cannot be changed
        if hasattr(value, "keys") and hasattr(value, "__getitem__"):
            return self._mapping(value)
        if isinstance(value, list) or _is_deque(value):
            return self._list(value)
        return self._instance(value) if _is_data(value) else value

    def _mapping(self, value: Any) -> dict[Any, Any]:
        """Return a plain mapping: what its own kind does beyond that is no part of an event."""
        copy: dict[Any, Any] = {}
        self._copies[id(value)] = (value, copy)
        copy.update((key, self.copy(value[key])) for key in value)
        return copy

    def _list(self, value: Any) -> list[Any]:
        copy: list[Any] = []
        self._copies[id(value)] = (value, copy)
        copy.extend(self.copy(item) for item in value)
        return copy

    def _instance(self, value: Any) -> Any:
        copy = _empty(type(value))
        if copy is None:
            return value
        self._copies[id(value)] = (value, copy)
        for name in _names_of_state(value):
            if hasattr(value, name):
                object.__setattr__(copy, name, self.copy(getattr(value, name)))
        return copy


def _is_deque(value: Any) -> bool:
    kind = type(value)
    return (kind.__module__, kind.__name__) == ("collections", "deque")


def _is_data(value: Any) -> bool:
    kind = type(value)
    if any(hasattr(kind, mark) for mark in _MARKS_OF_OTHERS) or isinstance(value, type):
        return False
    return any(hasattr(kind, mark) for mark in _MARKS_OF_DATA) or kind.__name__ == "SimpleNamespace"


def _empty(kind: type[Any]) -> Any:
    """Return an empty instance of *kind*; None where it has more than fields, as an exception has."""
    if kind.__name__ == "SimpleNamespace":
        return kind()
    try:
        return object.__new__(kind)
    except TypeError:
        return None


def _names_of_state(value: Any) -> list[str]:
    slots = [getattr(kind, "__slots__", ()) for kind in type(value).__mro__]
    named = [name for slot in slots for name in ((slot,) if isinstance(slot, str) else slot)]
    return [*named, *getattr(value, "__dict__", ())]
