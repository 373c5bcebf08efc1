"""The module system's own names for types that are called otherwise here, and its kinds of functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from hookrun.modules.api import HookAPI
from hookrun.modules.contexts import CommandContext, SessionView
from hookrun.modules.host import SessionChange
from hookrun.modules.modules import HookError
from hookrun.modules.registration import Command, Registrations
from hookrun.modules.ui.interface import AsyncInterface, UserInterface

LoadedHook = Registrations  # one module, with all that it registered
RegisteredCommand = Command
HookCommandContext = CommandContext
HookUIContext = UserInterface  # ctx.ui
AsyncHookUIContext = AsyncInterface  # ctx.ui of async handlers
ReadonlySessionManager = SessionView  # ctx.session_manager


class HookFactory(Protocol):
    """A module's ``hook`` (or ``default``): registers what it wants with the API; may be async."""

    def __call__(self, api: HookAPI, /) -> Any: ...


class HookHandler(Protocol):
    """A handler of an event, which may leave out the context; returns a result of the event or None, or what
    is awaited for one."""

    def __call__(self, event: Any, ctx: Any, /) -> Any: ...


class CommandHandler(Protocol):
    """The handler of a slash command, which may leave out the context; may be async."""

    def __call__(self, args: str, ctx: Any, /) -> Any: ...


class HookErrorListener(Protocol):
    """What `HookRunner.on_error` calls with each exception that does not end its event."""

    def __call__(self, error: HookError, /) -> Any: ...


class HookMessageRenderer(Protocol):
    """What shows a custom message, in the agent's own terms."""

    def __call__(self, message: Any, /, *more: Any) -> Any: ...


class SendMessageHandler(Protocol):
    """`Host.send_message` as a function."""

    def __call__(self, message: Mapping[str, Any], trigger_turn: bool = False, deliver_as: str = "steer") -> None: ...


class AppendEntryHandler(Protocol):
    """`Host.append_entry` as a function."""

    def __call__(self, custom_type: str, data: Any = None) -> None: ...


class NewSessionHandler(Protocol):
    """`Host.new_session` as a function."""

    def __call__(
        self, *, parent_session: str | None = None, setup: Callable[[Any], Any] | None = None
    ) -> SessionChange: ...


class BranchHandler(Protocol):
    """`Host.branch` as a function."""

    def __call__(self, entry_id: str) -> SessionChange: ...


class NavigateTreeHandler(Protocol):
    """`Host.navigate_tree` as a function."""

    def __call__(self, target_id: str, *, summarize: bool = False) -> SessionChange: ...
