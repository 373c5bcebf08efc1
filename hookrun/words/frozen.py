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
    """Turn annotations into slots and class attributes into defaults."""

    _fields: tuple[str, ...]
    _defaults: dict[str, Any]
    _required: tuple[str, ...]

    def __new__(mcls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> FrozenType:
        own = tuple(space.get("__annotations__", ()))
        inherited = [base for base in bases if isinstance(base, FrozenType)]
        defaults: dict[str, Any] = {}
        fields: list[str] = []
        for base in inherited:
            fields += base._fields
            defaults |= base._defaults
        defaults |= {field: space.pop(field) for field in own if field in space}
        space["__slots__"] = own
        cls = super().__new__(mcls, name, bases, space)
        everything = (*fields, *own)
        cls._fields = everything
        cls._defaults = defaults
        cls._required = tuple(field for field in everything if field not in defaults)
        return cls


class Frozen(metaclass=FrozenType):
    """An immutable value with keyword-only fields, equality, a repr and ``replace``."""

    def __init__(self, **values: Any) -> None:
        put = object.__setattr__
        field = ""
        for field, value in type(self)._defaults.items():
            if field not in values:
                put(self, field, value)
        try:
            for field, value in values.items():
                put(self, field, value)
            for field in type(self)._required:
                values[field]
        except (AttributeError, KeyError) as error:
            raise TypeError(f"{type(self).__name__}: field {field!r} is unknown or missing") from error

    def __setattr__(self, field: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __delattr__(self, field: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.as_dict() == other.as_dict()

    def __hash__(self) -> int:
        return hash((type(self), *self.as_dict().values()))

    def __repr__(self) -> str:
        shown = ", ".join(f"{field}={value!r}" for field, value in self.as_dict().items())
        return f"{type(self).__name__}({shown})"

    def as_dict(self) -> dict[str, Any]:
        """Return the fields in the order of their definition, values as they are."""
        return {field: getattr(self, field) for field in type(self)._fields}

    def replace(self, **changes: Any) -> Self:
        """Return a copy with *changes* applied."""
        return type(self)(**(self.as_dict() | changes))
