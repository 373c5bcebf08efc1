"""Tools wrapped so that hooks are asked before they run and told afterwards.

What a hook cannot do here: change the input through tool_call, keep a failed call from raising, or
turn its failure into success. Rewrites of process hooks count only with ``apply_rewrites``.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hookrun.model.values import Decision, Verdict
from hookrun.modules.arguments import is_async
from hookrun.modules.settling import finished
from hookrun.pipeline.firing import Wishes
from hookrun.runner.calls import ToolCall, content_of, overridden, text_of
from hookrun.runner.drivers import Awaiting, InPlace, Way
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
        said = [answer for answer in decision.answers if answer.verdict == decision.verdict]
        self.hooks = tuple(dict.fromkeys(answer.hook.title for answer in said))  # the titles of those that did
        hints = dict.fromkeys(answer.outcome.hint for answer in said if answer.outcome.hint)
        self.hint = "; ".join(hint for hint in hints if hint not in reason)  # what to do, "" when that is said
        for note in (f"by {', '.join(self.hooks)}" if said else "", self.hint and f"hint: {self.hint}"):
            if note:
                self.add_note(note)


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
    hints and the feedback of a call; without it both wait for `get_tool_hints`. Both may be async.
    *on_untrusted* ("ask", "deny", "skip") is what a guard that nobody has trusted comes to, in place of the
    runner's. Name, docstring and signature stay; exceptions of the tool are raised unchanged.
    """
    wrapping = Wrapping(
        runner,
        session_id=session_id,
        on_ask=on_ask,
        on_hints=on_hints,
        apply_rewrites=apply_rewrites,
        on_untrusted=on_untrusted,
    )
    wrapped: Tool = wrapping.wrap(tool, name)
    return wrapped


HookToolWrapper = wrap_tool  # the module system's name for it


class Wrapping:
    """How the tools of one session are wrapped."""

    def __init__(
        self,
        runner: HookRunner,
        *,
        session_id: str = "",
        on_ask: Callable[[Decision], Any] | None = None,
        on_hints: Callable[[Sequence[PendingHint], Sequence[str]], Any] | None = None,
        apply_rewrites: bool = False,
        on_untrusted: str = "",
    ) -> None:
        require_untrusted_word(on_untrusted)
        self._runner = runner
        self._session_id = session_id
        self._on_ask = on_ask
        self._on_hints = on_hints
        self._apply_rewrites = apply_rewrites
        self._wishes = Wishes(on_untrusted=on_untrusted)

    def wrap(self, tool: Any, name: str | None = None) -> Any:
        """Return *tool* (a callable, or an object with ``name`` and ``execute``) asking hooks."""
        if hasattr(tool, "execute"):
            return _WrappedTool(tool, self._wrapped(tool.execute, name or str(tool.name)))
        if not callable(tool):
            raise TypeError(f"{tool!r} is no tool: a callable, or an object with name and execute")
        return self._wrapped(tool, name or str(getattr(tool, "__name__", type(tool).__name__)))

    def _wrapped(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        async def call_async(*args: Any, **kwargs: Any) -> Any:
            return await self._call(ToolCall(function, name, signature.bind(*args, **kwargs)), Awaiting())

        @functools.wraps(function)
        def call_in_place(*args: Any, **kwargs: Any) -> Any:
            return finished(self._call(ToolCall(function, name, signature.bind(*args, **kwargs)), InPlace()))

        is_awaited = is_async(function) or inspect.iscoroutinefunction(function)
        return call_async if is_awaited else call_in_place

    async def _call(self, call: ToolCall, way: Way) -> Any:
        decision = await way.emit(self._runner, "PreToolUse", self._described(call))
        if not await self._may_run(decision, way):
            raise ToolBlocked(_reason(decision), decision)
        if self._apply_rewrites and decision.updated_input is not None:
            call.rewrite(decision.updated_input)
        return await self._run(call, way)

    async def _run(self, call: ToolCall, way: Way, started: Any = None) -> Any:
        """Run the tool and tell of it; *started* is what it returned already, to be awaited."""
        try:
            returned = call.run() if started is None else started
            if hasattr(returned, "__await__"):
                if not way.is_async:  # a plain function that gives a coroutine: its caller will await it
                    return self._run(call, Awaiting(), returned)
                returned = await returned
        except Exception as error:
            await self._tell_failure(call, error, way)
            raise
        content, details = content_of(returned)
        told = {"tool_output": text_of(content), "fields": {"content": content, "details": details}}
        after = await way.emit(self._runner, "PostToolUse", self._described(call) | told)
        await self._hand_out(call, after, way)
        return overridden(returned, after.result or {})

    async def _tell_failure(self, call: ToolCall, error: Exception, way: Way) -> None:
        told = {"tool_error": str(error) or type(error).__name__}
        try:
            after = await way.emit(self._runner, "PostToolUseFailure", self._described(call) | told)
            await self._hand_out(call, after, way)
        except Exception:
            raise error  # noqa: B904 - the tool's own comes first; ours is its context

    def _described(self, call: ToolCall) -> dict[str, Any]:
        return {
            "tool": call.name,
            "tool_input": call.tool_input,
            "tool_call_id": call.id,
            "session_id": self._session_id,
            "wishes": self._wishes,
        }

    async def _may_run(self, decision: Decision, way: Way) -> bool:
        if decision.verdict not in (Verdict.ASK, Verdict.DEFER):
            return decision.verdict != Verdict.DENY
        if self._on_ask is not None:
            return bool(await way.settle(self._on_ask(decision)))
        interface = self._runner.ui
        if interface is None:
            return False
        return await way.confirm(interface, f"Run {decision.event.tool_name}?", _reason(decision))

    async def _hand_out(self, call: ToolCall, after: Decision, way: Way) -> None:
        if self._on_hints is None:
            self._runner.keep_feedback(after)
            return
        hints = self._runner.get_tool_hints(session_id=self._session_id, call_id=call.id)
        if hints or after.feedback:
            await way.settle(self._on_hints(hints, after.feedback))


class _WrappedTool:
    """A tool object whose execute asks hooks; everything else is the tool's own."""

    def __init__(self, tool: Any, execute: Callable[..., Any]) -> None:
        self.__wrapped__ = tool
        self.__doc__ = tool.__doc__
        self.execute = execute

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)


def _reason(decision: Decision) -> str:
    said = [answer.message for answer in decision.answers if answer.verdict == decision.verdict]
    return "\n".join(filter(None, said)) or decision.message or DEFAULT_REASON
