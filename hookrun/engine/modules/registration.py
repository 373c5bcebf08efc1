"""What a module registers: handlers, commands, renderers; and the API object it registers them with."""

from __future__ import annotations

from hookrun.engine.modules.events import MODULE_NAMES
from hookrun.readers.dialects import event_named_anywhere
from hookrun.readers.matchers import compile_glob, matcher_flaw
from hookrun.words.errors import UsageError
from hookrun.words.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from hookrun.engine.modules.host import Host
    from hookrun.words.model import Event

AFTER_TOOL = ("PostToolUse", "PostToolUseFailure")


class Handler(Frozen):
    """One registered function. ``events`` are names of the catalogue; ``is_sdk`` handlers get a
    HookPayload in xbot's names, others the module event in xcsh's. ``session`` is (channel, chat id) of
    a handler that is bound to one, None for a global one."""

    function: Callable[..., Any]
    events: tuple[str, ...]
    owner: str
    is_sdk: bool = False
    is_async: bool = False
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
    """A slash command of a module: ``handler(args, ctx)``."""

    name: str
    handler: Callable[..., Any]
    description: str = ""
    owner: str = ""


class Registrations:
    """What one module, or the program itself, has registered; in the order of registration."""

    def __init__(self, owner: str, session: tuple[str, str] = ("", "")) -> None:
        self.owner = owner
        self.session = session
        self.handlers: tuple[Handler, ...] = ()  # replaced, never changed: emits in other threads read it
        self.commands: tuple[Command, ...] = ()
        self.renderers: tuple[tuple[str, Callable[..., Any]], ...] = ()

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
        if not callable(function):
            raise TypeError(f"{function!r} is no handler: it cannot be called")
        if matcher and matcher_flaw(matcher):
            raise UsageError(matcher_flaw(matcher), where=self.owner, hint="see docs/manifest.md, Matchers")
        handler = Handler(
            function=function,
            events=events or _events_of(spelling, self.owner),
            owner=self.owner,
            is_sdk=is_sdk,
            is_async=is_async(function),
            accepts=compile_glob(matcher) if matcher else None,
            session=None if is_global or self.session == ("", "") else self.session,
        )
        self.handlers = (*self.handlers, handler)
        return function


class HookAPI:
    """What a module's ``hook(api)`` gets. Where a member takes a handler it can also be a decorator."""

    def __init__(
        self, registrations: Registrations, host: Host, *, project_dir: str, run: Callable[..., Any]
    ) -> None:
        self._registrations = registrations
        self._host = host
        self._run = run
        self.project_dir = project_dir

    def on(self, event: str, handler: Callable[..., Any] | None = None) -> Any:
        """Have *handler(event, ctx)* called for *event*, any name of the catalogue."""
        return self._register(event, None, handler, is_sdk=False)

    def on_pre_tool_use(self, matcher: str, handler: Callable[..., Any] | None = None) -> Any:
        """Have *handler(payload, ctx)* asked before tools that *matcher* accepts ("" all, `Shell*`)."""
        return self._register("PreToolUse", matcher, handler, is_sdk=True)

    def on_post_tool_use(self, matcher: str, handler: Callable[..., Any] | None = None) -> Any:
        """Have *handler(payload, ctx)* called after tools that *matcher* accepts succeeded."""
        return self._register("PostToolUse", matcher, handler, is_sdk=True, events=("PostToolUse",))

    def on_event(self, event: str, matcher: str = "", handler: Callable[..., Any] | None = None) -> Any:
        """Have *handler(payload, ctx)* called for *event*; *matcher* counts for events about a tool."""
        return self._register(event, matcher, handler, is_sdk=True)

    def on_global_event(
        self, event: str, matcher: str = "", handler: Callable[..., Any] | None = None
    ) -> Any:
        """As on_event, for the events of every session."""
        return self._register(event, matcher, handler, is_sdk=True, is_global=True)

    def on_all_tool_use(self, handler: Callable[..., Any] | None = None) -> Any:
        """Have *handler(payload, ctx)* called before and after every tool."""
        return self._register("PreToolUse", "", handler, is_sdk=True, events=("PreToolUse", *AFTER_TOOL))

    def on_error(self, handler: Callable[..., Any] | None = None) -> Any:
        """Have *handler(payload, ctx)* called after every tool that failed."""
        return self._register("PostToolUseFailure", "", handler, is_sdk=True)

    def send_message(self, message: Any, trigger_turn: bool = False, deliver_as: str = "steer") -> None:
        """Put a custom message into the session that the model sees. Raises HookrunError without a host."""
        self._host.send_message(message, trigger_turn=trigger_turn, deliver_as=deliver_as)

    def append_entry(self, custom_type: str, data: Any = None) -> None:
        """Keep state in the session that the model does not see. Raises HookrunError without a host."""
        self._host.append_entry(custom_type, data)

    def register_command(
        self, name: str, description: str = "", handler: Callable[..., Any] | None = None
    ) -> Any:
        """Have *handler(args, ctx)* run for the slash command *name*."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            own = self._registrations
            command = Command(name=name, description=description, handler=function, owner=own.owner)
            own.commands = (*own.commands, command)
            return function

        return register(handler) if handler is not None else register

    def register_message_renderer(self, custom_type: str, renderer: Callable[..., Any] | None = None) -> Any:
        """Have *renderer* show messages of this type."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            own = self._registrations
            own.renderers = (*own.renderers, (custom_type, function))
            return function

        return register(renderer) if renderer is not None else register

    def exec(
        self,
        command: str,
        args: Sequence[str] = (),
        *,
        cwd: str | None = None,
        timeout: float | None = None,
        cancel: Any = None,
    ) -> Any:
        """Run a program under supervision; see `hookrun.exec_command`."""
        return self._run(command, args, cwd=cwd or self.project_dir, timeout=timeout, cancel=cancel)

    @property
    def logger(self) -> Any:
        """A logger of the standard library for this module."""
        import logging

        return logging.getLogger(f"hookrun.{self._registrations.owner}")

    def _register(
        self, event: str, matcher: str | None, handler: Callable[..., Any] | None, **more: Any
    ) -> Any:
        add = self._registrations.add
        if handler is not None:
            return add(event, matcher, handler, **more)
        return lambda function: add(event, matcher, function, **more)


def allow_hook() -> Callable[..., Any]:
    """Return a handler that always allows."""
    from hookrun.engine.modules.results import HookResult

    return lambda _event, _ctx: HookResult(decision="allow")


def deny_hook(message: str) -> Callable[..., Any]:
    """Return a handler that always denies, with *message*."""
    from hookrun.engine.modules.results import HookResult

    return lambda _event, _ctx: HookResult(decision="deny", message=message)


def log_hook(logger: Any, message: str) -> Callable[..., Any]:
    """Return a handler that logs *message* with the event and the tool at level INFO, and allows."""
    from hookrun.engine.modules.results import HookResult

    def handler(event: Any, _ctx: Any) -> HookResult:
        logger.info("%s: %s %s", message, getattr(event, "event", ""), getattr(event, "tool_name", ""))
        return HookResult(decision="allow")

    return handler


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
        from hookrun.words.catalog import EVENTS
        from hookrun.words.nearest import nearest

        near = nearest(spelling, [*EVENTS, *MODULE_NAMES.values()])
        raise UsageError(
            f"there is no event {spelling!r}",
            where=owner,
            hint=f"did you mean {near}?" if near else "see docs/events.md",
        )
    return AFTER_TOOL if spelling.replace("_", "").lower() == "toolresult" else (kind.name,)


def is_async(function: Callable[..., Any]) -> bool:
    # What inspect.iscoroutinefunction looks at, without importing inspect: CO_COROUTINE is 0x80.
    target = getattr(function, "func", function)  # functools.partial
    code = getattr(getattr(target, "__func__", target), "__code__", None)
    if code is None:
        call = type(target).__dict__.get("__call__")  # an object that can be called
        code = getattr(call, "__code__", None)
    return bool(code and code.co_flags & 0x80)
