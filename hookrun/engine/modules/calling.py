"""Calling handlers one after the other, and what several of them come to (docs/modules.md).

The rules are the module system's: a block ends tool_call and an exception there is not swallowed; the
last override of tool_result wins; context is chained; the first message of before_agent_start is kept;
a cancel ends session_before_*; session.compacting takes the latest.
"""

from __future__ import annotations

from hookrun.engine.modules.events import (
    EVENT_CLASSES,
    MODULE_NAMES,
    HookPayload,
    ModuleEvent,
    OtherEvent,
    as_tuple,
)
from hookrun.engine.modules.loading import describe
from hookrun.engine.modules.results import HookResult, read_result
from hookrun.engine.modules.values import Called, Statement
from hookrun.readers.dialects import XBOT, dialect_named, tool_names
from hookrun.readers.dialects.translation import translate_input
from hookrun.words.model import Event, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import Any

    from hookrun.engine.modules.registration import Handler

SESSION_BEFORE = (
    "session_before_switch",
    "session_before_branch",
    "session_before_compact",
    "session_before_tree",
)
_TOOL_EVENTS = ("PreToolUse", "PostToolUse", "PostToolUseFailure")


class Views:
    """The event as each kind of handler sees it, made when the first of them is called."""

    def __init__(self, event: Event) -> None:
        self.event = event
        self.name = MODULE_NAMES.get(event.event, event.event)
        self._module_event: ModuleEvent | None = None
        self._payload: HookPayload | None = None

    def of(self, handler: Handler) -> Any:
        """Return what *handler* is called with."""
        return self.payload if handler.is_sdk else self.module_event

    def with_messages(self, messages: Any) -> None:
        """Give the handlers that follow these messages (the context event is chained)."""
        self._module_event = self.module_event.replace(messages=as_tuple(messages))

    @property
    def module_event(self) -> ModuleEvent:
        """The event in the module system's names."""
        if self._module_event is None:
            self._module_event = module_event(self.event, self.name)
        return self._module_event

    @property
    def payload(self) -> HookPayload:
        """The event in the plugin system's names."""
        if self._payload is None:
            self._payload = hook_payload(self.event)
        return self._payload


async def call_handlers(
    handlers: Sequence[Handler],
    event: Event,
    *,
    context: Callable[[Handler], Any],
    settle: Callable[[Any], Awaitable[Any]],
    report: Callable[[str, str, BaseException], None],
) -> Called:
    """Call *handlers* (already chosen for *event*) in order and return what they came to.

    *context* makes what a handler gets beside the event; *settle* awaits what an async handler returned;
    *report* (owner, event's name, error) hears every exception that does not end the chain.
    """
    views = Views(event)
    statements: list[Statement] = []
    result: dict[str, Any] | None = None
    owners: dict[str, None] = {}
    for handler in handlers:
        owners[handler.owner] = None
        try:
            returned = handler.function(views.of(handler), context(handler))
            if hasattr(returned, "__await__"):
                returned = await settle(returned)
            said = read_result(views.name, returned)
        except Exception as error:
            is_guard = views.name == "tool_call" or (handler.is_sdk and views.name == "before_agent_start")
            described = describe(error, handler.owner)
            statements.append(Statement(owner=handler.owner, error=described, is_guard=is_guard))
            if views.name == "tool_call":
                return Called(owners=tuple(owners), statements=tuple(statements), result=result, raised=error)
            report(handler.owner, views.name, error)
            continue
        if isinstance(said, HookResult):
            statements.append(
                Statement(owner=handler.owner, verdict=said.verdict, message=said.message, data=said.data)
            )
        elif said is not None:
            result = _merged(views, result, said)
            statement = _statement_of(views.name, handler, said)
            statements.append(statement)
            if statement.verdict == Verdict.DENY:
                break
    return Called(owners=tuple(owners), statements=tuple(statements), result=result)


def choose_handlers(handlers: Sequence[Handler], event: Event) -> list[Handler]:
    """Return those of *handlers* (of this event's name) that its session and tool reach."""
    chosen = []
    names: tuple[str, ...] | None = None
    for handler in handlers:
        if handler.session is not None and not handler.hears(event.channel, event.chat_id):
            continue
        if handler.accepts is not None and event.event in _TOOL_EVENTS:
            names = tool_names(event, XBOT) if names is None else names
            if not handler.accepts(event, names):
                continue
        chosen.append(handler)
    return chosen


def module_event(event: Event, name: str) -> ModuleEvent:
    """Return *event* as modules see it: its own class of event, tools in xcsh's names and keys."""
    kind = EVENT_CLASSES.get(name)
    if kind is None:
        return OtherEvent(type=name, fields=event.fields)
    known = {
        field: event.fields[field] for field in kind._fields if field in event.fields and field != "type"
    }
    known = {field: as_tuple(value) if isinstance(value, list) else value for field, value in known.items()}
    if name in ("tool_call", "tool_result"):
        known |= _tool_fields(event, is_result=name == "tool_result")
    elif name == "before_agent_start":
        known["prompt"] = event.prompt
    elif name == "session.compacting":
        known["session_id"] = event.session_id
    return kind(**{**known, "type": name})


def hook_payload(event: Event) -> HookPayload:
    """Return *event* as SDK handlers see it: tools in xbot's names and keys, the input as text."""
    own = event.dialect == XBOT.name
    source = dialect_named(event.dialect) or XBOT
    tool_input = event.tool_input if own else translate_input(event.tool_input, source, XBOT, event.kinds)
    text = event.tool_input_text
    if tool_input is not event.tool_input or (not text and tool_input is not None):
        import json

        text = json.dumps(tool_input)
    names = (event.tool_name,) if own or not event.tool_name else tool_names(event, XBOT)
    return HookPayload(
        event=event.event,
        tool_name=names[0] if names else "",
        tool_input=text,
        tool_output=event.tool_output,
        tool_elapsed_ms=event.tool_elapsed_ms,
        session_id=event.session_id,
        channel=event.channel,
        chat_id=event.chat_id,
        user_id=event.user_id,
        tenant_id=event.tenant_id,
        extra=event.extra,
        tool_error=event.tool_error,
        prompt=event.prompt,
        raw_tool_name=event.tool_name,
        raw_tool_input=event.tool_input,
    )


def _tool_fields(event: Event, *, is_result: bool) -> dict[str, Any]:
    xcsh = dialect_named("xcsh") or XBOT
    source = dialect_named(event.dialect) or XBOT
    names = tool_names(event, xcsh) if event.dialect != xcsh.name else (event.tool_name,)
    fields: dict[str, Any] = {
        "tool_name": names[0] if names else event.tool_name,
        "tool_call_id": event.tool_call_id,
        "input": translate_input(event.tool_input, source, xcsh, event.kinds),
        "raw_tool_name": event.tool_name,
        "raw_tool_input": event.tool_input,
    }
    if is_result:
        failed = event.event == "PostToolUseFailure"
        text = event.tool_error if failed else event.tool_output
        given = event.fields.get("content")
        parts = as_tuple(given) or (({"type": "text", "text": text},) if text else ())
        fields |= {
            "is_error": failed,
            "content": parts,
            "details": event.fields.get("details", event.tool_response),
        }
    return fields


def _merged(views: Views, result: dict[str, Any] | None, said: dict[str, Any]) -> dict[str, Any] | None:
    if views.name == "before_agent_start":
        return result if result is not None or said.get("message") is None else said
    if views.name == "context":
        if said.get("messages") is None:
            return result
        views.with_messages(said["messages"])
        return {"messages": list(as_tuple(said["messages"]))}
    return said


def _statement_of(name: str, handler: Handler, said: dict[str, Any]) -> Statement:
    if name == "tool_call" and said.get("block"):
        reason = str(said.get("reason") or "Tool execution was blocked by a hook")
        return Statement(owner=handler.owner, verdict=Verdict.DENY, message=reason)
    if name in SESSION_BEFORE and said.get("cancel"):
        return Statement(owner=handler.owner, verdict=Verdict.DENY, message="cancelled by a hook")
    return Statement(owner=handler.owner)
