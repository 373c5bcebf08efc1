"""Tools wrapped so that hooks are asked before they run and see what came of them.

A hook cannot change the input through tool_call, keep a failed call from raising, or turn its failure into success
here. Rewrites of process hooks count only with ``apply_rewrites``.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hookrun.model.frozen import Frozen
from hookrun.model.values import Decision, Verdict
from hookrun.modules.arguments import is_async
from hookrun.modules.settling import finished, value_of
from hookrun.modules.ui.asking import in_thread
from hookrun.modules.ui.interface import UserInterface
from hookrun.pipeline.firing import FireOptions
from hookrun.runner.calls import ToolCall, content_of, overridden, text_of
from hookrun.runner.effective_config import require_untrusted_word
from hookrun.runner.runner import HookRunner
from hookrun.store import PendingHint

Tool = TypeVar("Tool")
DEFAULT_REASON = "Tool execution was blocked by a hook"


class ToolBlocked(Exception):
    """Hooks kept a tool from running. Its text is their reason; a note names them, as a traceback shows."""

    def __init__(self, reason: str, decision: Decision) -> None:
        super().__init__(reason)
        self.reason = reason
        self.decision = decision
        deciding = [answer for answer in decision.answers if answer.verdict == decision.verdict]
        self.hooks = tuple(dict.fromkeys(answer.hook.title for answer in deciding))  # the titles of those that did
        hints = dict.fromkeys(answer.outcome.hint for answer in deciding if answer.outcome.hint)
        self.hint = "; ".join(hint for hint in hints if hint not in reason)  # what to do, unless the reason says so
        if deciding:
            self.add_note(f"by {', '.join(self.hooks)}")
        if self.hint:
            self.add_note(f"hint: {self.hint}")


class WrapOptions(Frozen):
    """What `wrap_tool` and `HookRunner.session` take, each by its name. Callbacks may be async."""

    session_id: str = ""
    on_ask: Callable[[Decision], Any] | None = None  # returns whether the tool may run; None asks a person
    on_hints: Callable[[Sequence[PendingHint], Sequence[str]], Any] | None = None  # gets a call's hints and feedback
    apply_rewrites: bool = False  # a hook's rewritten input is what the tool is called with
    on_untrusted: str = ""  # ask, deny or skip for a guard that is not trusted, in place of the runner's


def wrap_tool(
    tool: Tool,
    runner: HookRunner,
    *,
    name: str | None = None,
    session_id: str = "",
    on_ask: Callable[[Decision], Any] | None = None,
    on_hints: Callable[[Sequence[PendingHint], Sequence[str]], Any] | None = None,
    apply_rewrites: bool = False,
    on_untrusted: str = "",
) -> Tool:
    """Return *tool*, a sync or async callable or an object with ``name`` and ``execute``, asking hooks.

    Raises ToolBlocked from the call when a hook denies, fails, or asks and *on_ask* (decision) does not
    return true (without it a person is asked where there is a user interface). *on_hints* gets the tool
    hints and the feedback of a call; without it both wait for `get_tool_hints`. WrapOptions has the rest.
    Name, docstring and signature stay; exceptions of the tool are raised unchanged.
    """
    options = WrapOptions(
        session_id=session_id,
        on_ask=on_ask,
        on_hints=on_hints,
        apply_rewrites=apply_rewrites,
        on_untrusted=on_untrusted,
    )
    wrapped: Tool = Wrapping(runner, options).wrap(tool, name)
    return wrapped


HookToolWrapper = wrap_tool  # the module system's name for it


class Session:
    """A runner as one session of an agent sees it: its id goes with every event, call ids are made inside."""

    def __init__(self, runner: HookRunner, session_id: str, **wrapping: Any) -> None:
        self.id = session_id
        self._runner = runner
        self._wrapping = Wrapping(runner, WrapOptions(session_id=session_id, **wrapping))

    def wrap(self, tool: Any, name: str | None = None) -> Any:
        """Return *tool* asking hooks in this session; see `wrap_tool`."""
        return self._wrapping.wrap(tool, name)

    def emit(self, name: str, **values: Any) -> Decision:
        """Fire an event of this session; see `HookRunner.emit`."""
        return self._runner.emit(name, session_id=self.id, **values)

    async def emit_async(self, name: str, **values: Any) -> Decision:
        """Fire an event of this session; see `HookRunner.emit_async`."""
        return await self._runner.emit_async(name, session_id=self.id, **values)

    def get_tool_hints(self, *, call_id: str | None = None, peek: bool = False) -> list[PendingHint]:
        """Return the hints that wait for this session and forget them."""
        return self._runner.get_tool_hints(session_id=self.id, call_id=call_id, peek=peek)


class Wrapping:
    """Wraps the tools of one session."""

    def __init__(self, runner: HookRunner, options: WrapOptions) -> None:
        require_untrusted_word(options.on_untrusted)
        self._runner = runner
        self._options = options

    def wrap(self, tool: Any, name: str | None = None) -> Any:
        """Return *tool* (a callable, or an object with ``name`` and ``execute``) asking hooks."""
        if hasattr(tool, "execute"):
            return _WrappedTool(tool, self._wrapped(tool.execute, name or str(tool.name)))
        if not callable(tool):
            raise TypeError(f"{tool!r} is not a tool: wrap a callable, or an object with name and execute")
        return self._wrapped(tool, name or str(getattr(tool, "__name__", type(tool).__name__)))

    def _wrapped(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        async def call_async(*args: Any, **kwargs: Any) -> Any:
            return await self._call(ToolCall(function, name, signature.bind(*args, **kwargs)), _AsyncDriver())

        @functools.wraps(function)
        def call_sync(*args: Any, **kwargs: Any) -> Any:
            return finished(self._call(ToolCall(function, name, signature.bind(*args, **kwargs)), _SyncDriver()))

        is_awaited = is_async(function) or inspect.iscoroutinefunction(function)
        return call_async if is_awaited else call_sync

    async def _call(self, call: ToolCall, driver: _Driver) -> Any:
        decision = await driver.emit(self._runner, "PreToolUse", self._event_values(call))
        if not await self._may_run(decision, driver):
            raise ToolBlocked(_reason(decision), decision)
        if self._options.apply_rewrites and decision.updated_input is not None:
            call.rewrite(decision.updated_input)
        return await self._run(call, driver)

    async def _run(self, call: ToolCall, driver: _Driver, started: Any = None) -> Any:
        """Run the tool and fire its event; *started* is the awaitable that it has returned already."""
        try:
            returned = call.run() if started is None else started
            if hasattr(returned, "__await__"):
                if not driver.is_async:  # a plain function that returns a coroutine: its caller will await it
                    return self._run(call, _AsyncDriver(), returned)
                returned = await returned
        except Exception as error:
            await self._report_failure(call, error, driver)
            raise
        content, details = content_of(returned)
        result = {"tool_output": text_of(content), "fields": {"content": content, "details": details}}
        after = await driver.emit(self._runner, "PostToolUse", self._event_values(call) | result)
        await self._hand_out(call, after, driver)
        return overridden(returned, after.result or {})

    async def _report_failure(self, call: ToolCall, error: Exception, driver: _Driver) -> None:
        values = self._event_values(call) | {"tool_error": str(error) or type(error).__name__}
        try:
            after = await driver.emit(self._runner, "PostToolUseFailure", values)
            await self._hand_out(call, after, driver)
        except Exception:
            raise error  # noqa: B904 - the tool's own comes first; ours is its context

    def _event_values(self, call: ToolCall) -> dict[str, Any]:
        return {
            "tool": call.name,
            "tool_input": call.tool_input,
            "tool_call_id": call.id,
            "session_id": self._options.session_id,
            "options": FireOptions(on_untrusted=self._options.on_untrusted),
        }

    async def _may_run(self, decision: Decision, driver: _Driver) -> bool:
        if decision.verdict not in (Verdict.ASK, Verdict.DEFER):
            return decision.verdict != Verdict.DENY
        if self._options.on_ask is not None:
            return bool(await driver.settle(self._options.on_ask(decision)))
        interface = self._runner.ui
        if interface is None:
            return False
        return await driver.confirm(interface, f"Run {decision.event.tool_name}?", _reason(decision))

    async def _hand_out(self, call: ToolCall, after: Decision, driver: _Driver) -> None:
        if self._options.on_hints is None:
            self._runner.state.keep_feedback(after)
            return
        hints = self._runner.get_tool_hints(session_id=self._options.session_id, call_id=call.id)
        if hints or after.feedback:
            await driver.settle(self._options.on_hints(hints, after.feedback))


class _SyncDriver:
    """Goes through the call of a sync tool. It never suspends, so that `finished` can drive it."""

    is_async = False

    async def emit(self, runner: HookRunner, name: str, values: dict[str, Any]) -> Decision:
        return runner.emit(name, **values)

    async def settle(self, value: Any) -> Any:
        """Return the value of a callback; one that is async is run to its end."""
        return value_of(value) if hasattr(value, "__await__") else value

    async def confirm(self, interface: UserInterface, title: str, message: str) -> bool:
        return interface.confirm(title, message)


class _AsyncDriver:
    """Goes through the call of an async tool, in the caller's loop; a person is asked in a thread."""

    is_async = True

    async def emit(self, runner: HookRunner, name: str, values: dict[str, Any]) -> Decision:
        return await runner.emit_async(name, **values)

    async def settle(self, value: Any) -> Any:
        return await value if hasattr(value, "__await__") else value

    async def confirm(self, interface: UserInterface, title: str, message: str) -> bool:
        return await in_thread(interface.confirm, title, message)


_Driver = _SyncDriver | _AsyncDriver


class _WrappedTool:
    """A tool object whose execute asks hooks; everything else is the tool's own."""

    def __init__(self, tool: Any, execute: Callable[..., Any]) -> None:
        self.__wrapped__ = tool
        self.__doc__ = tool.__doc__
        self.execute = execute

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)


def _reason(decision: Decision) -> str:
    messages = [answer.message for answer in decision.answers if answer.verdict == decision.verdict]
    return "\n".join(filter(None, messages)) or decision.message or DEFAULT_REASON
