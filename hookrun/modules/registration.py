"""What a module, or the program itself, registers: handlers, commands, renderers."""

from __future__ import annotations

from _thread import allocate_lock

from hookrun.agents import event_named_anywhere
from hookrun.matching.matchers import compile_glob, matcher_flaw
from hookrun.model.errors import UsageError
from hookrun.model.events import folded
from hookrun.model.frozen import Frozen
from hookrun.modules.arguments import count_taken, is_async
from hookrun.modules.events import MODULE_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from hookrun.model.values import Event

AFTER_TOOL = ("PostToolUse", "PostToolUseFailure")


class Handler(Frozen):
    """One registered function. ``events`` are names of the catalogue; ``is_sdk`` handlers get a
    HookPayload in xbot's names, others the module event in xcsh's. ``takes`` is how many of (event, ctx) it
    is called with. ``session`` is (channel, chat id) of a handler that is bound to one, None for a global
    one."""

    function: Callable[..., Any]
    events: tuple[str, ...]
    owner: str
    is_sdk: bool = False
    is_async: bool = False
    takes: int = 2
    accepts: Callable[[Event, tuple[str, ...]], bool] | None = None
    session: tuple[str, str] | None = None

    def hears(self, channel: str, chat_id: str) -> bool:
        """Say whether an event of this session reaches the handler; an empty id on either side passes."""
        if self.session is None:
            return True
        own_channel, own_chat = self.session
        return (not own_channel or not channel or own_channel == channel) and (
            not own_chat or not chat_id or own_chat == chat_id
        )


class Command(Frozen):
    """A slash command of a module: ``handler(args, ctx)``, of which it gets the first ``takes``."""

    name: str
    handler: Callable[..., Any]
    description: str = ""
    owner: str = ""
    takes: int = 2


class Registrations:
    """What one module, or the program itself, has registered; in the order of registration.

    The tuples are replaced, never changed: emits in other threads read them.
    """

    def __init__(self, owner: str, session: tuple[str, str] = ("", "")) -> None:
        self.owner = owner
        self.session = session
        self.handlers: tuple[Handler, ...] = ()
        self.commands: tuple[Command, ...] = ()
        self.renderers: tuple[tuple[str, Callable[..., Any]], ...] = ()
        self._lock = allocate_lock()

    def add(
        self,
        spelling: str,
        matcher: str | None,
        function: Callable[..., Any],
        *,
        is_sdk: bool,
        is_global: bool = False,
        events: tuple[str, ...] = (),
    ) -> Callable[..., Any]:
        """Register *function* for the event of this *spelling*. Raises UsageError for an unknown event or a
        bad matcher, TypeError for what cannot be called."""
        _require_callable(function)
        if matcher and matcher_flaw(matcher):
            raise UsageError(matcher_flaw(matcher), where=self.owner, hint="see docs/manifest.md, Matchers")
        handler = Handler(
            function=function,
            events=events or _events_of(spelling, self.owner),
            owner=self.owner,
            is_sdk=is_sdk,
            is_async=is_async(function),
            takes=count_taken(function, 2),
            accepts=compile_glob(matcher) if matcher else None,
            session=None if is_global or self.session == ("", "") else self.session,
        )
        with self._lock:
            self.handlers = (*self.handlers, handler)
        return function

    def add_command(self, name: str, description: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Register *function* for a slash command. Raises TypeError for one that cannot be called."""
        _require_callable(function)
        for text, what in ((name, "name"), (description, "description")):
            if not isinstance(text, str):
                raise TypeError(f"the {what} of a command must be text, not {type(text).__name__}")
        takes = count_taken(function, 2)
        command = Command(name=name, description=description, handler=function, owner=self.owner, takes=takes)
        with self._lock:
            self.commands = (*self.commands, command)
        return function

    def begin_anew_in_child(self) -> None:
        """Renew the lock after a fork: whoever held it does not run here."""
        self._lock = allocate_lock()

    def add_renderer(self, custom_type: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Register *function* for messages of a type. Raises TypeError for what cannot be called."""
        _require_callable(function)
        with self._lock:
            self.renderers = (*self.renderers, (custom_type, function))
        return function


def handlers_by_event(registrations: Sequence[Registrations]) -> Mapping[str, list[Handler]]:
    """Return all handlers by event, in the order of modules, then of registration."""
    found: dict[str, list[Handler]] = {}
    for registered in registrations:
        for handler in registered.handlers:
            for event in handler.events:
                found.setdefault(event, []).append(handler)
    return found


def _events_of(spelling: str, owner: str) -> tuple[str, ...]:
    kind = event_named_anywhere(spelling)
    if kind is None:
        from hookrun.model.events import EVENTS
        from hookrun.model.text import did_you_mean

        hint = did_you_mean(spelling, [*EVENTS, *MODULE_NAMES.values()], "see docs/events.md")
        raise UsageError(f"unknown event {spelling!r}", where=owner, hint=hint)
    return AFTER_TOOL if folded(spelling) == folded("tool_result") else (kind.name,)


def command_of(options: Mapping[Any, Any]) -> tuple[str, Callable[..., Any]]:
    """Return the description and the handler in the options of a command. Raises TypeError for others."""
    unknown = options.keys() - {"description", "handler"}
    if unknown or "handler" not in options:
        wrong = f"has no key {sorted(map(str, unknown))[0]!r}" if unknown else "has no handler"
        raise TypeError(f'a command {wrong}: {{"description": text, "handler": function}}')
    return options.get("description", ""), options["handler"]


def _require_callable(function: object) -> None:
    if not callable(function):
        raise TypeError(f"{function!r} is not a handler: it cannot be called")
