"""Getting the value of what an async handler returned, from code that is not async itself."""

from __future__ import annotations

from hookrun.modules.arguments import is_async

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Coroutine, Generator
    from typing import Any


class Done:
    """What has been done already, with its value: awaiting it gives that at once."""

    __slots__ = ("value",)

    def __init__(self, value: Any = None) -> None:
        self.value = value

    def __await__(self) -> Generator[Any, None, Any]:
        return self.value
        yield  # a generator, as awaiting wants one


def value_of(awaitable: Any) -> Any:
    """Run *awaitable* to its end and return its value, also where a loop runs in this thread already."""
    if isinstance(awaitable, Done):
        return awaitable.value
    import asyncio

    async def await_it() -> Any:
        return await awaitable

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(await_it())
    from concurrent.futures import ThreadPoolExecutor
    from contextvars import copy_context

    with ThreadPoolExecutor(1) as threads:  # a loop cannot be entered twice in one thread
        return threads.submit(copy_context().run, asyncio.run, await_it()).result()


def finished(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Return the value of a coroutine that never suspends, without a loop."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value
    coroutine.close()
    raise RuntimeError("a coroutine of sync code was suspended")


async def in_cancellable_thread(work: Callable[[int], Any]) -> Any:
    """Run *work* in a thread and return its value; it gets a descriptor that becomes readable when the
    caller is cancelled, and is waited for then. It is not begun any more once the caller is cancelled."""
    import asyncio
    import os
    from contextvars import copy_context

    readable, writable = os.pipe()
    is_cancelled = False

    def begin() -> Any:
        return None if is_cancelled else work(readable)

    # A future and no task: a loop that ends cancels its tasks, and the work still reads from our pipe then.
    running = asyncio.get_running_loop().run_in_executor(None, copy_context().run, begin)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        is_cancelled = True
        os.write(writable, b"!")
        await _ended(running)
        raise
    finally:
        os.close(readable)
        os.close(writable)


async def _ended(future: asyncio.Future[Any]) -> None:
    """Wait for *future*, whatever becomes of it, however often the caller is cancelled."""
    import asyncio

    while not future.done():
        try:
            await asyncio.wait([future])
        except asyncio.CancelledError:
            continue
    future.exception()  # taken note of


def settled(function: Callable[..., Any] | None, loop: asyncio.AbstractEventLoop | None = None) -> Any:
    """Return *function* as one to be called plainly: what it returns to be awaited is awaited, in *loop*
    when that runs in another thread. None, and what is not written in Python, stays what it is."""
    if function is None or not (is_async(function) or hasattr(function, "__code__")):
        return function

    def call(*args: Any) -> Any:
        returned = function(*args)
        if not hasattr(returned, "__await__"):
            return returned
        return value_of(returned) if loop is None or _is_current(loop) else _value_in(loop, returned)

    return call


def _is_current(loop: asyncio.AbstractEventLoop) -> bool:
    import asyncio

    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


def _value_in(loop: asyncio.AbstractEventLoop, awaitable: Any) -> Any:
    import asyncio

    async def await_it() -> Any:
        return await awaitable

    return asyncio.run_coroutine_threadsafe(await_it(), loop).result()
