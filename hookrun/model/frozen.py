"""A base for immutable values that costs next to nothing to import.

``dataclasses`` pulls in ``inspect`` and ``re`` and compiles source for every class, which a command
that is started at each tool call cannot afford (docs/why.md has the figures).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform(**_):
        return lambda cls: cls


@dataclass_transform(kw_only_default=True, frozen_default=True, eq_default=True)
class FrozenType(type):
    """Turn annotations into fields and class attributes into their defaults."""

    _fields: tuple[str, ...]
    _names: frozenset[str]
    _count: int
    _defaults: dict[str, Any]

    def __new__(mcls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> FrozenType:
        own = tuple(space.get("__annotations__", ()))
        inherited = [base for base in bases if isinstance(base, FrozenType)]
        defaults: dict[str, Any] = {}
        fields: list[str] = []
        for base in inherited:
            fields += base._fields
            defaults |= base._defaults
        defaults |= {field: space.pop(field) for field in own if field in space}
        cls = super().__new__(mcls, name, bases, space)
        cls._fields = tuple(dict.fromkeys((*fields, *own)))  # a subclass may give a field another default
        cls._names = frozenset(cls._fields)
        cls._count = len(cls._fields)
        cls._defaults = defaults
        return cls


class Frozen(metaclass=FrozenType):
    """An immutable value with keyword-only fields, equality, a repr and ``replace``."""

    def __init__(self, **values: Any) -> None:
        kind = type(self)
        state = self.__dict__  # two updates in C: half the time of setting field after field
        state.update(kind._defaults)
        state.update(values)
        if len(state) != kind._count:  # what is wrong in both ways at once, mypy finds
            wrong = ", ".join(sorted(state.keys() ^ kind._names))
            raise TypeError(f"{kind.__name__}: unknown or missing: {wrong}")

    def __setattr__(self, field: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __delattr__(self, field: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.as_dict().values()))

    def __repr__(self) -> str:
        shown = ", ".join(f"{field}={value!r}" for field, value in self.as_dict().items())
        return f"{type(self).__name__}({shown})"

    def as_dict(self) -> dict[str, Any]:
        """Return the fields in the order of their definition, values as they are."""
        state = self.__dict__
        return {field: state[field] for field in type(self)._fields}

    def replace(self, **changes: Any) -> Self:
        """Return a copy with *changes* applied."""
        kind = type(self)
        if not changes.keys() <= kind._names:
            raise TypeError(f"{kind.__name__}: unknown: {', '.join(sorted(changes.keys() - kind._names))}")
        copy = object.__new__(kind)
        state = copy.__dict__
        state.update(self.__dict__)
        state.update(changes)
        return copy
