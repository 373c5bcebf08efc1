"""Tools wrapped so that hooks are asked before they run and told afterwards.

What a hook cannot do here: change the input through tool_call, keep a failed call from raising, or
turn its failure into success. Rewrites of process hooks count only with ``apply_rewrites``.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from hookrun.words.model import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hookrun.engine.store import PendingHint
    from hookrun.library.runner import HookRunner
    from hookrun.words.model import Decision

Tool = TypeVar("Tool")
DEFAULT_REASON = "Tool execution was blocked by a hook"
_INPUT_NAMES = ("params", "input", "arguments", "tool_input")


class ToolBlocked(Exception):
    """A hook kept a tool from running. ``reason`` is what it said, ``decision`` the whole decision."""

    def __init__(self, reason: str, decision: Decision) -> None:
        super().__init__(reason)
        self.reason = reason
        self.decision = decision


class Wrapping:
    """How the tools of one session are wrapped."""

    def __init__(
        self,
        runner: HookRunner,
        *,
        session_id: str = "",
        on_ask: Callable[[Decision], bool] | None = None,
        on_hints: Callable[[Sequence[PendingHint], Sequence[str]], Any] | None = None,
        apply_rewrites: bool = False,
    ) -> None:
        self._runner = runner
        self._session_id = session_id
        self._on_ask = on_ask
        self._on_hints = on_hints
        self._apply_rewrites = apply_rewrites

    def wrap(self, tool: Any, name: str | None = None) -> Any:
        """Return *tool* (a callable, or an object with ``name`` and ``execute``) asking hooks."""
        if hasattr(tool, "execute"):
            label = str(tool.name) if name is None else name
            return _WrappedTool(tool, self._wrapped(tool.execute, label))
        if not callable(tool):
            raise TypeError(f"{tool!r} is no tool: a callable, or an object with name and execute")
        return self._wrapped(tool, name or getattr(tool, "__name__", type(tool).__name__))

    def _wrapped(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def call_async(*args: Any, **kwargs: Any) -> Any:
                call = _Call(function, name, args, kwargs)
                decision = await self._runner.emit_async("PreToolUse", **self._described(call))
                args, kwargs = self._let_through(call, decision)
                try:
                    returned = await function(*args, **kwargs)
                except Exception as error:
                    await self._runner.emit_async("PostToolUseFailure", **self._failed(call, error))
                    self._hand_out(call, ())
                    raise
                after = await self._runner.emit_async("PostToolUse", **self._returned(call, returned))
                return self._result(call, returned, after)

            return call_async

        @functools.wraps(function)
        def call_sync(*args: Any, **kwargs: Any) -> Any:
            call = _Call(function, name, args, kwargs)
            decision = self._runner.emit("PreToolUse", **self._described(call))
            args, kwargs = self._let_through(call, decision)
            try:
                returned = function(*args, **kwargs)
            except Exception as error:
                self._runner.emit("PostToolUseFailure", **self._failed(call, error))
                self._hand_out(call, ())
                raise
            after = self._runner.emit("PostToolUse", **self._returned(call, returned))
            return self._result(call, returned, after)

        return call_sync

    def _described(self, call: _Call) -> dict[str, Any]:
        return {
            "tool": call.name,
            "tool_input": call.tool_input,
            "tool_call_id": call.id,
            "session_id": self._session_id,
        }

    def _let_through(self, call: _Call, decision: Decision) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments to call the tool with. Raises ToolBlocked."""
        verdict = decision.verdict
        asks = verdict in (Verdict.ASK, Verdict.DEFER)
        if verdict == Verdict.DENY or (asks and not self._is_allowed(decision)):
            raise ToolBlocked(_reason(decision), decision)
        if self._apply_rewrites and decision.updated_input is not None:
            return call.rewritten(decision.updated_input)
        return call.args, call.kwargs

    def _is_allowed(self, decision: Decision) -> bool:
        if self._on_ask is not None:
            return bool(self._on_ask(decision))
        interface = self._runner.ui
        return interface is not None and interface.confirm(
            f"Run {decision.event.tool_name}?", _reason(decision)
        )

    def _failed(self, call: _Call, error: Exception) -> dict[str, Any]:
        return {**self._described(call), "tool_error": str(error) or type(error).__name__}

    def _returned(self, call: _Call, returned: Any) -> dict[str, Any]:
        content, details = _content_of(returned)
        return {
            **self._described(call),
            "tool_output": _text_of(content),
            "fields": {"content": content, "details": details},
        }

    def _result(self, call: _Call, returned: Any, decision: Decision) -> Any:
        self._hand_out(call, decision.feedback)
        return _overridden(returned, decision.result or {})

    def _hand_out(self, call: _Call, feedback: Sequence[str]) -> None:
        if self._on_hints is None:
            return
        hints = self._runner.get_tool_hints(session_id=self._session_id, call_id=call.id)
        if hints or feedback:
            self._on_hints(hints, feedback)


def wrap_tool(
    tool: Tool,
    runner: HookRunner,
    *,
    name: str | None = None,
    session_id: str = "",
    on_ask: Callable[[Decision], bool] | None = None,
    on_hints: Callable[[Sequence[PendingHint], Sequence[str]], Any] | None = None,
    apply_rewrites: bool = False,
) -> Tool:
    """Return *tool*, a sync or async callable or an object with ``name`` and ``execute``, asking hooks.

    Raises ToolBlocked from the call when a hook denies, fails, or asks and *on_ask* (decision) -> bool does
    not allow (without it a person is asked where there is a user interface). *on_hints* gets the tool
    hints and feedback of a call; without it hints wait for `get_tool_hints`. Name, docstring and
    signature stay; exceptions of the tool are raised unchanged.
    """
    wrapping = Wrapping(
        runner, session_id=session_id, on_ask=on_ask, on_hints=on_hints, apply_rewrites=apply_rewrites
    )
    wrapped: Tool = wrapping.wrap(tool, name)
    return wrapped


class _Call:
    """One call of a tool: its id, and its input as hooks see it."""

    def __init__(
        self, function: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self.name = name
        self.args = args
        self.kwargs = kwargs
        self._bound = inspect.signature(function).bind(*args, **kwargs)  # what the tool itself would refuse
        self.tool_input, self._input_name = self._find_input()
        given = self._bound.arguments.get("tool_call_id")
        self.id = given if isinstance(given, str) and given else os.urandom(8).hex()

    def _find_input(self) -> tuple[Any, str]:
        """Return the input and the parameter that holds it; "" when all parameters are the input."""
        arguments = self._bound.arguments
        for name in _INPUT_NAMES:
            if isinstance(arguments.get(name), Mapping):
                return dict(arguments[name]), name
        spread: dict[str, Any] = {}
        for name, value in arguments.items():
            kind = self._bound.signature.parameters[name].kind
            spread |= value if kind == inspect.Parameter.VAR_KEYWORD else {name: value}
        return {key: value for key, value in spread.items() if not callable(value)}, ""

    def rewritten(self, tool_input: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments of the same call with another input."""
        if self._input_name:
            self._bound.arguments[self._input_name] = dict(tool_input)
        else:
            known = self._bound.signature.parameters
            self._bound.arguments.update({key: value for key, value in tool_input.items() if key in known})
        return self._bound.args, self._bound.kwargs


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


def _content_of(returned: Any) -> tuple[list[Any], Any]:
    """Return (content, details) of what a tool returned: its own, where it has them, else its text."""
    if isinstance(returned, Mapping) and "content" in returned:
        content = returned["content"]
        parts = list(content) if isinstance(content, list | tuple) else [_part(content)]
        return parts, returned.get("details")
    if isinstance(returned, str):
        return [_part(returned)], None
    return ([] if returned is None else [_part(returned)]), returned


def _part(value: Any) -> dict[str, Any]:
    return {"type": "text", "text": value if isinstance(value, str) else repr(value)}


def _text_of(content: Sequence[Any]) -> str:
    texts = [part.get("text") for part in content if isinstance(part, Mapping)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _overridden(returned: Any, result: Mapping[str, Any]) -> Any:
    """Return what the tool's caller gets: content and details that a hook returned replace the tool's."""
    content, details = result.get("content"), result.get("details")
    if content is None and details is None:
        return returned
    if isinstance(returned, Mapping) and "content" in returned:
        changed = dict(returned)
        changed |= {"content": list(content)} if content is not None else {}
        return changed | ({"details": details} if details is not None else {})
    if isinstance(returned, str) and content is not None:
        return _text_of(content)
    return details if details is not None else content
