"""The API object that a module's ``hook(api)`` registers with, and handlers that are ready made."""

from __future__ import annotations

from hookrun.model.events import folded
from hookrun.modules.registration import command_of
from hookrun.modules.results import with_custom_type
from hookrun.modules.settling import Done

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from hookrun.modules.host import Host
    from hookrun.modules.registration import Registrations

_OPTIONS = {"triggerturn": "trigger_turn", "deliveras": "deliver_as"}
_DELIVERIES = {"followup": "follow_up"}


class HookAPI:
    """What a module's ``hook(api)`` gets. Where a member takes a handler it can also be a decorator."""

    def __init__(self, registrations: Registrations, host: Host, *, project_dir: str, run: Callable[..., Any]) -> None:
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

    def on_global_event(self, event: str, matcher: str = "", handler: Callable[..., Any] | None = None) -> Any:
        """As on_event, for the events of every session."""
        return self._register(event, matcher, handler, is_sdk=True, is_global=True)

    def on_all_tool_use(self, handler: Callable[..., Any] | None = None) -> Any:
        """Have *handler(payload, ctx)* called before every tool, and after every tool that succeeded."""
        return self._register("PreToolUse", "", handler, is_sdk=True, events=("PreToolUse", "PostToolUse"))

    def on_error(self, handler: Callable[..., Any] | None = None) -> Any:
        """Have *handler(payload, ctx)* called after every tool that failed."""
        return self._register("PostToolUseFailure", "", handler, is_sdk=True)

    def send_message(
        self, message: Any, trigger_turn: bool | Mapping[str, Any] = False, deliver_as: str = "steer", **options: Any
    ) -> Done:
        """Put a custom message into the session that the model sees; it can be awaited, and need not be.

        *deliver_as* is "steer" or "follow_up". A mapping in place of *trigger_turn* holds both, and they may
        be spelled triggerTurn and deliverAs. Raises HookrunError without a host.
        """
        if isinstance(trigger_turn, dict):
            options, trigger_turn = trigger_turn | options, False
        given: dict[str, Any] = {"trigger_turn": trigger_turn, "deliver_as": deliver_as}
        for key, value in options.items():
            name = _OPTIONS.get(folded(key))
            if name is None:
                raise TypeError(f"send_message has no option {key!r}: trigger_turn, deliver_as")
            given[name] = value
        if isinstance(given["deliver_as"], str):
            given["deliver_as"] = _DELIVERIES.get(folded(given["deliver_as"]), given["deliver_as"])
        self._host.send_message(with_custom_type(message), **given)
        return Done()

    def append_entry(self, custom_type: str, data: Any = None) -> Done:
        """Keep state in the session that the model does not see; it can be awaited, and need not be. Raises
        HookrunError without a host."""
        self._host.append_entry(custom_type, data)
        return Done()

    def register_command(
        self, name: str, description: str | Mapping[str, Any] = "", handler: Callable[..., Any] | None = None
    ) -> Any:
        """Have *handler(args, ctx)* run for the slash command *name*; args is one text. A mapping in place of
        *description* holds both. Raises TypeError for what is no text or cannot be called."""
        add = self._registrations.add_command
        if not isinstance(name, str) or not name.strip():
            raise TypeError(f"the name of a command must be text, not {name!r}")
        if isinstance(description, dict):
            if handler is not None:
                raise TypeError("the handler of a command was passed twice")
            return add(name, *command_of(description))
        if not isinstance(description, str):
            raise TypeError(f"the description of a command must be text, not {type(description).__name__}")
        if handler is not None:
            return add(name, description, handler)
        return lambda function: add(name, description, function)

    def register_message_renderer(self, custom_type: str, renderer: Callable[..., Any] | None = None) -> Any:
        """Have *renderer* show messages of this type."""
        add = self._registrations.add_renderer
        if renderer is not None:
            return add(custom_type, renderer)
        return lambda function: add(custom_type, function)

    def exec(
        self,
        command: str,
        args: Sequence[str] = (),
        *,
        cwd: str | None = None,
        timeout: float | None = None,
        cancel: Any = None,
    ) -> Any:
        """Run a program under supervision; see `hookrun.exec_command`. It has ended when this returns; the
        result can be awaited, and need not be."""
        return self._run(command, args, cwd=cwd or self.project_dir, timeout=timeout, cancel=cancel)

    @property
    def logger(self) -> Any:
        """A logger of the standard library for this module."""
        import logging

        return logging.getLogger(f"hookrun.{self._registrations.owner}")

    def _register(self, event: str, matcher: str | None, handler: Callable[..., Any] | None, **more: Any) -> Any:
        add = self._registrations.add
        if handler is not None:
            return add(event, matcher, handler, **more)
        return lambda function: add(event, matcher, function, **more)


def allow_hook() -> Callable[..., Any]:
    """Return a handler that always allows."""
    from hookrun.modules.results import HookResult

    return lambda _event, _ctx: HookResult(decision="allow")


def deny_hook(message: str) -> Callable[..., Any]:
    """Return a handler that always denies, with *message*."""
    from hookrun.modules.results import HookResult

    return lambda _event, _ctx: HookResult(decision="deny", message=message)


def log_hook(logger: Any, message: str) -> Callable[..., Any]:
    """Return a handler that logs *message* with the event and the tool at level INFO, and allows."""
    from hookrun.modules.results import HookResult

    def handler(event: Any, _ctx: Any) -> HookResult:
        logger.info("%s: %s %s", message, getattr(event, "event", ""), getattr(event, "tool_name", ""))
        return HookResult(decision="allow")

    return handler
