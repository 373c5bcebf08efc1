"""What can be told of a function without calling it: whether it is async, and how many of (event, ctx) it
takes. Handlers of the event alone are handlers, too."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_HAS_VARIOUS = 0x04  # CO_VARARGS of a code object
_CONTEXTS = ("ctx", "context")


def count_taken(function: Callable[..., Any], most: int) -> int:
    """Return how many positional arguments *function* is to be called with, at most *most*.

    An optional second argument is the context when its default is None, or it is called so; another one is
    the function's own (`lambda event, seen=seen: ...`). Raises TypeError for a function that needs more.
    """
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is not None and not hasattr(function, "__wrapped__"):
        is_bound = getattr(function, "__self__", None) is not None
        needed = code.co_argcount - is_bound
        defaults = getattr(function, "__defaults__", None) or ()
        has_keywords = code.co_kwonlyargcount > len(getattr(function, "__kwdefaults__", None) or ())
        if not defaults and not code.co_flags & _HAS_VARIOUS and not has_keywords and needed <= most:
            return int(needed)
    return _count_by_signature(function, most)


def _count_by_signature(function: Callable[..., Any], most: int) -> int:
    """As count_taken, for what its code alone does not tell: defaults, decorators, partials, classes."""
    import inspect

    try:
        parameters = _parameters(function)
    except (TypeError, ValueError):  # a built-in function that does not say
        return most
    kinds = inspect.Parameter
    taken = 0
    for parameter in parameters:
        if parameter.kind == kinds.VAR_POSITIONAL:
            return most
        is_needed = parameter.default is kinds.empty
        if parameter.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD):
            if is_needed and taken == most:
                raise _needs_more(function, most)
            is_wanted = is_needed or taken == 0 or _is_context(parameter)
            if taken < most and is_wanted:
                taken += 1
            elif taken < most:
                return taken
        elif parameter.kind == kinds.KEYWORD_ONLY and is_needed:
            raise _needs_more(function, most)
    return taken


def _parameters(function: Callable[..., Any]) -> list[Any]:
    """Return the parameters of a decorator, or of what it wraps where it hands on all that it gets."""
    import inspect

    own = list(inspect.signature(function, follow_wrapped=False).parameters.values())
    hands_on = any(parameter.kind == inspect.Parameter.VAR_POSITIONAL for parameter in own)
    wrapped = getattr(function, "__wrapped__", None)
    return _parameters(wrapped) if hands_on and wrapped is not None else own


def _is_context(parameter: Any) -> bool:
    return parameter.default is None or parameter.name.strip("_") in _CONTEXTS


def _needs_more(function: Callable[..., Any], most: int) -> TypeError:
    given = ("nothing", "one argument", "two arguments")[most]
    return TypeError(f"{function!r} cannot be called: it needs more than {given}")


def is_async(function: Callable[..., Any]) -> bool:
    """Say whether calling *function* gives a coroutine: an ``async def``, however it is bound or wrapped in
    an object."""
    # What inspect.iscoroutinefunction looks at, without importing inspect: CO_COROUTINE is 0x80.
    target = getattr(function, "func", function)  # functools.partial
    code = getattr(getattr(target, "__func__", target), "__code__", None)
    if code is None:
        code = getattr(type(target).__call__, "__code__", None)  # an object that can be called
    return bool(code and code.co_flags & 0x80)
