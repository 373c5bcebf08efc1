"""A sweep: one test that tries every combination of some values and names all those that fail."""

from __future__ import annotations

import functools
import inspect
import itertools
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Case = tuple[str, dict[str, Any]]  # how a failure names it, and what the test gets
LONGEST_VALUE = 80  # characters of a value in the name of a case


def sweep(
    names: str | tuple[str, ...], values: Iterable[Any], ids: Callable[[Any], str] | Iterable[str] | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Written like `pytest.mark.parametrize`, several of them multiply, and it is one test all the same.

    Every case is tried, also after one has failed. Fixtures are made once and shared by all cases, so a
    test that leaves something behind in them is no sweep.
    """
    listed = list(values)
    name_of = ids if callable(ids) else _short
    case_names = [None] * len(listed) if ids is None or callable(ids) else list(ids)
    axis = [_case(names, *each, name_of) for each in zip(listed, case_names, strict=True)]
    if not axis:
        raise ValueError(f"a sweep over {names} without a value would test nothing")

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        single = getattr(test, "sweep_single", test)
        axes = [axis, *getattr(test, "sweep_axes", ())]

        @functools.wraps(single)
        def try_all(**fixtures: Any) -> None:
            _try_all(single, fixtures, list(itertools.product(*axes)))

        swept = {name for one in axes for name in one[0][1]}
        parameters = inspect.signature(single).parameters
        if missing := swept - set(parameters):
            raise TypeError(f"{single.__name__} has no parameter {', '.join(sorted(missing))}")
        left = [each for name, each in parameters.items() if name not in swept]
        try_all.__signature__ = inspect.Signature(left)  # type: ignore[attr-defined]
        try_all.sweep_single, try_all.sweep_axes = single, axes  # type: ignore[attr-defined]
        return try_all

    return decorate


def _try_all(test: Callable[..., None], fixtures: dict[str, Any], cases: list[tuple[Case, ...]]) -> None:
    failed: list[str] = []
    first: BaseException | None = None
    for case in cases:
        try:
            test(**fixtures, **{name: value for _, part in case for name, value in part.items()})
        except (Exception, pytest.fail.Exception) as error:  # the latter is what `pytest.raises` misses
            first = first or error
            named = ", ".join(name for name, _ in case)
            failed.append(f"{named}: {type(error).__name__}: {error}")
    if failed:
        raise AssertionError(f"{len(failed)} of {len(cases)} failed\n" + "\n".join(failed)) from first


def _case(names: str | tuple[str, ...], value: Any, case_name: str | None, name_of: Callable[[Any], str]) -> Case:
    if isinstance(names, str):
        return case_name or name_of(value), {names: value}
    values = tuple(getattr(value, "values", value))  # of pytest.param, or a tuple
    if len(values) != len(names):
        raise ValueError(f"{values!r} is not one value for each of {names}")
    case_name = case_name or getattr(value, "id", None) or ", ".join(map(name_of, values))
    return case_name, dict(zip(names, values, strict=True))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 3]}..."
