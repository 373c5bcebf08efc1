"""Plain functions that wait, called from async code: in a thread, and given up when the task is cancelled."""

from __future__ import annotations

from contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec, TypeVar

    _Wanted = ParamSpec("_Wanted")
    _Answer = TypeVar("_Answer")


class _Asked:
    """One call, and whether anybody still waits for its answer."""

    __slots__ = ("is_withdrawn",)

    def __init__(self) -> None:
        self.is_withdrawn = False


_current: ContextVar[_Asked | None] = ContextVar("hookrun_asked", default=None)


async def in_thread(function: Callable[_Wanted, _Answer], *args: _Wanted.args, **kwargs: _Wanted.kwargs) -> _Answer:
    """Return what *function* returns, without holding up the loop; its context variables are the caller's.

    On cancellation ``is_withdrawn`` becomes true in the thread; it is not waited for.
    """
    import asyncio
    from contextvars import copy_context
    from functools import partial

    asked = _Asked()
    context = copy_context()
    context.run(_current.set, asked)
    call = partial(context.run, partial(function, *args, **kwargs))
    try:
        return await asyncio.get_running_loop().run_in_executor(None, call)
    finally:
        asked.is_withdrawn = True


def is_withdrawn() -> bool:
    """Return whether nobody waits any more for what the function that asks this is about to return.

    What waits for a person looks at it every now and then.
    """
    asked = _current.get()
    return asked is not None and asked.is_withdrawn
