"""Calling handlers one after the other, and what several of them come to (docs/modules.md).

The rules are the module system's: a block ends tool_call and an exception there is not swallowed; the
last override of tool_result wins; context is chained; the first message of before_agent_start is kept;
a cancel ends session_before_*; session.compacting takes the latest.
"""

from __future__ import annotations

from hookrun.engine.modules.events import MODULE_NAMES
from hookrun.engine.modules.loading import as_exception, describe
from hookrun.engine.modules.own import own
from hookrun.engine.modules.results import HookResult, read_result
from hookrun.engine.modules.values import Called, Statement
from hookrun.engine.modules.views import copied, hook_payload, module_event
from hookrun.readers.dialects import XBOT, tool_names
from hookrun.readers.touched import has_patch
from hookrun.words.model import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Sequence
    from typing import Any

    from hookrun.engine.modules.events import HookPayload, ModuleEvent
    from hookrun.engine.modules.registration import Handler
    from hookrun.words.model import Event

SESSION_BEFORE = (
    "session_before_switch",
    "session_before_branch",
    "session_before_compact",
    "session_before_tree",
)
_TOOL_EVENTS = ("PreToolUse", "PostToolUse", "PostToolUseFailure")


async def call_handlers(
    handlers: Sequence[Handler],
    event: Event,
    *,
    context: Callable[[Handler], Any],
    settle: Callable[[Any], Awaitable[Any]],
    report: Callable[[str, str, BaseException], None],
    ended: Callable[[Handler], None] = lambda _handler: None,
) -> Called:
    """Call *handlers* (already chosen for *event*) in order and return what they came to.

    *context* makes what a handler gets beside the event; *settle* awaits what an async handler returned;
    *report* (owner, event's name, error) hears every exception that does not end the chain, *ended* of each
    handler when it has returned. About a call
    that patches several files they are asked file after file, until one of them stands in the way.
    """
    if not has_patch(event):
        return await _call_each(handlers, event, context, settle, report, ended)
    from hookrun.readers.patches import calls_of

    courses: list[Called] = []
    for part in calls_of(event) or (event,):
        courses.append(await _call_each(handlers, part, context, settle, report, ended))
        if courses[-1].raised or any(said.verdict == Verdict.DENY for said in courses[-1].statements):
            break
    return _together(courses)


async def _call_each(
    handlers: Sequence[Handler],
    event: Event,
    context: Callable[[Handler], Any],
    settle: Callable[[Any], Awaitable[Any]],
    report: Callable[[str, str, BaseException], None],
    ended: Callable[[Handler], None],
) -> Called:
    course = _Course(event, handlers)
    for handler in handlers:
        try:
            given = (course.view_for(handler), context(handler))
            returned = handler.function(*given[: handler.takes])
            if hasattr(returned, "__await__"):
                returned = await settle(returned)
            ended(handler)
            said = read_result(course.name, returned)
        except (Exception, SystemExit) as error:
            raised = as_exception(error)
            course.add_failure(handler, raised)
            if course.name == "tool_call":
                return course.called(raised)
            report(handler.owner, course.name, raised)
        else:
            if course.add(handler, said):
                break
    return course.called()


def _together(courses: Sequence[Called]) -> Called:
    """Return what handlers said about one file after another as one; who allows must allow every file."""
    if len(courses) == 1:
        return courses[0]
    allowing = [
        {said.owner for said in called.statements if said.verdict == Verdict.ALLOW} for called in courses
    ]
    allows_all = set.intersection(*allowing)
    statements = [
        said.replace(verdict=Verdict.NO_OPINION)
        if said.verdict == Verdict.ALLOW and said.owner not in allows_all
        else said
        for called in courses
        for said in called.statements
        if said.verdict or said.message or said.data is not None or said.error
    ]
    return Called(
        owners=tuple(dict.fromkeys(owner for called in courses for owner in called.owners)),
        statements=tuple(statements),
        result=next((called.result for called in reversed(courses) if called.result is not None), None),
        raised=courses[-1].raised,
    )


class _Course:
    """One event on its way through the handlers: what each kind of them sees, what they came to so far."""

    def __init__(self, event: Event, handlers: Sequence[Handler]) -> None:
        self.name = MODULE_NAMES.get(event.event, event.event)
        self._event = event
        self._module_event: ModuleEvent | None = None
        self._payload: HookPayload | None = None
        self._payloads_left = sum(handler.is_sdk for handler in handlers)
        self._events_left = len(handlers) - self._payloads_left
        self._owners: dict[str, None] = {}
        self._statements: list[Statement] = []
        self._result: dict[str, Any] | None = None

    def view_for(self, handler: Handler) -> Any:
        """Return what *handler*, which is called next, is called with: its own, so that what it changes
        blinds no other. The last one of a kind may have what the others got copies of."""
        self._owners[handler.owner] = None
        if handler.is_sdk:
            self._payload = self._payload or hook_payload(self._event)
            self._payloads_left -= 1
            return copied(self._payload) if self._payloads_left else self._payload
        self._module_event = self._module_event or module_event(self._event, self.name)
        self._events_left -= 1
        return copied(self._module_event) if self._events_left else self._module_event

    def add_failure(self, handler: Handler, error: Exception) -> None:
        """Note that *handler* has raised *error*."""
        is_guard = self.name == "tool_call" or (handler.is_sdk and self.name == "before_agent_start")
        described = describe(error, handler.owner)
        self._statements.append(Statement(owner=handler.owner, error=described, is_guard=is_guard))

    def add(self, handler: Handler, said: dict[str, Any] | HookResult | None) -> bool:
        """Take in what *handler* said; return whether that ends the chain."""
        if said is None:
            return False
        if isinstance(said, HookResult):
            verdict, message, data = said.verdict, said.message, said.data
            self._statements.append(
                Statement(owner=handler.owner, verdict=verdict, message=message, data=data)
            )
            return False
        self._merge(said)
        statement = _statement_of(self.name, handler, said)
        self._statements.append(statement)
        return statement.verdict == Verdict.DENY

    def called(self, raised: Exception | None = None) -> Called:
        """Return what it all came to; *raised* has ended it."""
        return Called(
            owners=tuple(self._owners),
            statements=tuple(self._statements),
            result=self._result,
            raised=raised,
        )

    def _merge(self, said: dict[str, Any]) -> None:
        if self.name == "before_agent_start":
            if self._result is None and said.get("message") is not None:
                self._result = said
        elif self.name == "context":
            if said.get("messages") is not None:
                view = self._module_event or module_event(self._event, self.name)
                self._module_event = view.replace(messages=tuple(own(said["messages"])))
                self._result = {"messages": list(said["messages"])}
        else:
            self._result = said


def choose_handlers(handlers: Sequence[Handler], event: Event, owners: Collection[str]) -> list[Handler]:
    """Return those of *handlers* (of this event's name, of *owners*) that its session and tool reach."""
    chosen = []
    names: tuple[str, ...] | None = None
    for handler in handlers:
        if handler.owner not in owners:
            continue
        if handler.session is not None and not handler.hears(event.channel, event.chat_id):
            continue
        if handler.accepts is not None and event.event in _TOOL_EVENTS:
            names = tool_names(event, XBOT) if names is None else names
            if not handler.accepts(event, names):
                continue
        chosen.append(handler)
    return chosen


def _statement_of(name: str, handler: Handler, said: dict[str, Any]) -> Statement:
    if name == "tool_call" and said.get("block"):
        reason = str(said.get("reason") or "Tool execution was blocked by a hook")
        return Statement(owner=handler.owner, verdict=Verdict.DENY, message=reason)
    if name in SESSION_BEFORE and said.get("cancel"):
        return Statement(owner=handler.owner, verdict=Verdict.DENY, message="cancelled by a hook")
    return Statement(owner=handler.owner)
