"""What bounds the handlers of one event: their time, and how many of them are called."""

from __future__ import annotations

import time
from contextvars import ContextVar

from hookrun.model.values import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import Any, TypeVar

    from hookrun.modules.registration import Handler
    from hookrun.modules.values import Share

    _Answer = TypeVar("_Answer")

_LEAST = 0.05  # seconds between two looks at whether a person still thinks

# The bound of the handler that runs here, for questions to a person.
current_bound: ContextVar[Bound | None] = ContextVar("hookrun_bound", default=None)


class Bound:
    """The time that all handlers of an event have together. *waited* returns for how many seconds a person
    was asked so far, as far as the user interface knows it, which does not count; *at_most* is the end of
    that, too."""

    def __init__(self, seconds: float, at_most: float, waited: Callable[[], float]) -> None:
        now = time.monotonic()
        self._seconds = seconds
        self._told = waited
        self._told_before = waited()
        self._asked = 0.0
        self._asking_since: float | None = None
        self._end = now + seconds
        self._last = now + at_most
        self._problems: tuple[Problem, ...] = ()

    def left(self) -> float:
        """Return the seconds that are left, below 0 when the time is over."""
        return min(self._end + self.waited(), self._last) - time.monotonic()

    def waited(self) -> float:
        """Return for how many seconds a person has been asked."""
        now = time.monotonic()
        open_since = now if self._asking_since is None else self._asking_since
        return max(self._told() - self._told_before, self._asked + now - open_since)

    async def ask(self, question: Awaitable[_Answer]) -> _Answer:
        """Return what a person answers, whose time is nobody's."""
        since = self._asking_since = time.monotonic()
        try:
            return await question
        finally:
            self._asked += time.monotonic() - since
            self._asking_since = None

    def note(self, handler: Handler) -> None:
        """Say that *handler*, which has just returned, took longer than it may: what it said counts."""
        late = -self.left()
        if late < 0 or self._problems:
            return
        message = f"{title_of(handler)} ended {late:.1f} s after the {self._seconds:.3g} s of all hooks together"
        hint = "make it async, which can be ended, or raise limits.event_seconds"
        self._problems = (Problem(message=message, source=handler.owner, where="limits", hint=hint),)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Who took too long."""
        return self._problems

    async def keep(self, awaitable: Any) -> Any:
        """Return what *awaitable* comes to. It is cancelled when the time is over: raises TimeoutError."""
        import asyncio

        loop = asyncio.get_running_loop()
        watch: asyncio.TimerHandle | None = None

        def look() -> None:
            nonlocal watch
            left = self.left()
            if left > 0:
                watch = loop.call_later(max(left, _LEAST), look)
            else:
                limit.reschedule(loop.time())

        token = current_bound.set(self)
        try:
            async with asyncio.timeout(None) as limit:
                look()
                return await awaitable
        except TimeoutError:
            if not limit.expired():
                raise  # the handler's own
            raise TimeoutError(f"did not end in time ({self._seconds:.3g} s)") from None
        finally:
            current_bound.reset(token)
            if watch is not None:
                watch.cancel()


def title_of(handler: Handler) -> str:
    """Return what people know a handler by: its module, and its name there."""
    target = getattr(handler.function, "func", handler.function)
    name = getattr(target, "__qualname__", type(target).__qualname__)
    return f"{handler.owner}: {name.rpartition('<locals>.')[2]}"


def within(handlers: Sequence[Handler], share: Share) -> tuple[list[Handler], tuple[str, ...], str]:
    """Return those of *handlers* that are called, the titles of those that are too many, and why the event is
    refused when they are guards.

    Only handlers of the SDK count, together with the processes of the event; on an event that can be denied
    each of them is a guard.
    """
    counted = [handler for handler in handlers if handler.is_sdk]
    if share.is_guarded:
        guards = share.guards + len(counted)
        return list(handlers), (), refusal_of(guards, share.most) if guards > share.most and counted else ""
    cut = counted[max(0, share.most - share.observers) :]
    titles = tuple(title_of(handler) for handler in cut)
    return [handler for handler in handlers if handler not in cut], titles, ""


def refusal_of(guards: int, most: int) -> str:
    """Return why an event is denied that has too many guards."""
    return f"{guards} guards match, at most {most} hooks run for one event: raise limits.process_hooks"
