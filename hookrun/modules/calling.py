"""Calling handlers one after the other, and what several of them come to (docs/modules.md).

The rules are the module system's: a block ends tool_call and an exception there is not swallowed; the
last override of tool_result wins; context is chained; the first message of before_agent_start is kept;
a cancel ends session_before_*; session.compacting takes the latest.
"""

from __future__ import annotations

from hookrun.agents import XBOT, tool_names
from hookrun.events.touched import has_many_commands, has_patch, is_of_unknown_kind
from hookrun.model.values import Verdict
from hookrun.modules.events import MODULE_NAMES
from hookrun.modules.loading import as_exception, describe
from hookrun.modules.own_values import own
from hookrun.modules.results import HookResult, read_result
from hookrun.modules.values import Called, Statement
from hookrun.modules.views import copied, hook_payload, module_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Sequence
    from typing import Any

    from hookrun.model.values import Event
    from hookrun.modules.events import HookPayload, ModuleEvent
    from hookrun.modules.registration import Handler

SESSION_BEFORE = ("session_before_switch", "session_before_branch", "session_before_compact", "session_before_tree")
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
    handler when it has returned. A call that patches several files or runs several commands is asked
    about one after the other, until a handler stands in the way.
    """
    courses: list[Called] = []
    for asked, part in _courses(handlers, event):
        courses.append(await _call_each(asked, part, context, settle, report, ended))
        if courses[-1].raised or any(said.verdict == Verdict.DENY for said in courses[-1].statements):
            break
    return _together(courses)


def _courses(handlers: Sequence[Handler], event: Event) -> list[tuple[Sequence[Handler], Event]]:
    """Return what is asked one after the other, and of whom: the call itself, or each of its parts, and last
    what a tool that no table knows may be by the shape of its input."""
    if has_patch(event):
        from hookrun.events.patches import calls_of

        return [(handlers, part) for part in calls_of(event) or (event,)]
    if has_many_commands(event):
        return [(handlers, part) for part in _shapes_of(event)]
    if not is_of_unknown_kind(event):
        return [(handlers, event)]
    by_name = [handler for handler in handlers if _accepts(handler, event)]
    found: list[tuple[Sequence[Handler], Event]] = [(by_name, event)] if by_name else []
    for part in _shapes_of(event):
        by_shape = [handler for handler in handlers if _asks_by_shape(handler, event, part)]
        if by_shape:
            found.append((by_shape, part))
    return found


def _shapes_of(event: Event) -> tuple[Event, ...]:
    """Return the commands of a list one by one, or what a tool of unknown kind may be; () for other calls."""
    if not has_many_commands(event) and not is_of_unknown_kind(event):
        return ()
    from hookrun.events.call_shapes import shaped_calls, single_commands

    return single_commands(event) or shaped_calls(event)


def too_many_parts(handlers: Sequence[Handler], event: Event) -> str:
    """Return why *event* is refused that would ask *handlers* about more parts than any hook, "" if not."""
    count = len(_shapes_of(event))
    if not count:
        return ""
    from hookrun.events.call_shapes import MOST_FILES

    if count <= MOST_FILES or len(_courses(handlers, event)) == 1:
        return ""
    return f"the call has {count} commands or files, and hooks are asked about {MOST_FILES} at most: split it"


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
    """Return what handlers said about one part after another as one; who allows must allow each that it was
    asked about."""
    if len(courses) == 1:
        return courses[0]
    not_allowing = {owner for called in courses for owner in called.owners if not _allows(called, owner)}
    said_something = [said for called in courses for said in called.statements if _says_something(said)]
    return Called(
        owners=tuple(dict.fromkeys(owner for called in courses for owner in called.owners)),
        statements=tuple(
            said.replace(verdict=Verdict.NO_OPINION)
            if said.verdict == Verdict.ALLOW and said.owner in not_allowing
            else said
            for said in said_something
        ),
        result=next((called.result for called in reversed(courses) if called.result is not None), None),
        raised=courses[-1].raised,
    )


def _says_something(said: Statement) -> bool:
    return bool(said.verdict or said.message or said.data is not None or said.error)


def _allows(called: Called, owner: str) -> bool:
    return any(said.owner == owner and said.verdict == Verdict.ALLOW for said in called.statements)


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
            self._statements.append(Statement(owner=handler.owner, verdict=verdict, message=message, data=data))
            return False
        self._merge(said)
        statement = _statement_of(self.name, handler, said)
        self._statements.append(statement)
        return statement.verdict == Verdict.DENY

    def called(self, raised: Exception | None = None) -> Called:
        """Return what it all came to; *raised* has ended it."""
        return Called(
            owners=tuple(self._owners), statements=tuple(self._statements), result=self._result, raised=raised
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
    shapes = _shapes_of(event) if is_of_unknown_kind(event) else ()
    names: tuple[str, ...] | None = None
    chosen = []
    for handler in handlers:
        if handler.owner not in owners:
            continue
        if handler.session is not None and not handler.hears(event.channel, event.chat_id):
            continue
        if handler.accepts is not None and event.event in _TOOL_EVENTS:
            names = tool_names(event, XBOT) if names is None else names
            is_asked = handler.accepts(event, names) or any(_accepts(handler, part) for part in shapes)
            if not is_asked:
                continue
        chosen.append(handler)
    return chosen


def _accepts(handler: Handler, event: Event) -> bool:
    return handler.accepts is None or handler.accepts(event, tool_names(event, XBOT))


def _asks_by_shape(handler: Handler, event: Event, part: Event) -> bool:
    """Say whether *handler* is asked about *part*, which *event* may be: one that names tools, but not this
    one, and a module's, which can only name them in its code."""
    if handler.accepts is None:
        return not handler.is_sdk
    return not _accepts(handler, event) and _accepts(handler, part)


def _statement_of(name: str, handler: Handler, said: dict[str, Any]) -> Statement:
    if name == "tool_call" and said.get("block"):
        reason = str(said.get("reason") or "Tool execution was blocked by a hook")
        return Statement(owner=handler.owner, verdict=Verdict.DENY, message=reason)
    if name in SESSION_BEFORE and said.get("cancel"):
        return Statement(owner=handler.owner, verdict=Verdict.DENY, message="cancelled by a hook")
    return Statement(owner=handler.owner)
