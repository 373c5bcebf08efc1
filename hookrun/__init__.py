"""hookrun finds, fires and decides the hooks of coding agents.

The public names are those of ``__all__``; they are imported when they are first used, because the
command line pays for every import at each tool call.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookrun.model.errors import HookrunError as HookrunError
    from hookrun.model.errors import UsageError as UsageError
    from hookrun.model.values import Answer as Answer
    from hookrun.model.values import Decision as Decision
    from hookrun.model.values import Event as Event
    from hookrun.model.values import Hint as Hint
    from hookrun.model.values import Problem as Problem
    from hookrun.model.values import Verdict as Verdict
    from hookrun.modules.api import HookAPI as HookAPI
    from hookrun.modules.api import allow_hook as allow_hook
    from hookrun.modules.api import deny_hook as deny_hook
    from hookrun.modules.api import log_hook as log_hook
    from hookrun.modules.contexts import AsyncCommandContext as AsyncCommandContext
    from hookrun.modules.contexts import AsyncHookContext as AsyncHookContext
    from hookrun.modules.contexts import CommandContext as CommandContext
    from hookrun.modules.contexts import HookContext as HookContext
    from hookrun.modules.events import AgentEvent as AgentEvent
    from hookrun.modules.events import AutoCompactionEvent as AutoCompactionEvent
    from hookrun.modules.events import AutoRetryEvent as AutoRetryEvent
    from hookrun.modules.events import BeforeAgentStartEvent as BeforeAgentStartEvent
    from hookrun.modules.events import ContextEvent as ContextEvent
    from hookrun.modules.events import HookPayload as HookPayload
    from hookrun.modules.events import ModuleEvent as ModuleEvent
    from hookrun.modules.events import OtherEvent as OtherEvent
    from hookrun.modules.events import SessionBeforeCompactEvent as SessionBeforeCompactEvent
    from hookrun.modules.events import SessionBranchEvent as SessionBranchEvent
    from hookrun.modules.events import SessionCompactEvent as SessionCompactEvent
    from hookrun.modules.events import SessionCompactingEvent as SessionCompactingEvent
    from hookrun.modules.events import SessionEvent as SessionEvent
    from hookrun.modules.events import SessionSwitchEvent as SessionSwitchEvent
    from hookrun.modules.events import SessionTreeEvent as SessionTreeEvent
    from hookrun.modules.events import StreamRulesEvent as StreamRulesEvent
    from hookrun.modules.events import TodoReminderEvent as TodoReminderEvent
    from hookrun.modules.events import ToolCallEvent as ToolCallEvent
    from hookrun.modules.events import ToolResultEvent as ToolResultEvent
    from hookrun.modules.events import TurnEvent as TurnEvent
    from hookrun.modules.execution import Cancel as Cancel
    from hookrun.modules.execution import ExecResult as ExecResult
    from hookrun.modules.host import Host as Host
    from hookrun.modules.host import SessionChange as SessionChange
    from hookrun.modules.host import SmallHost as SmallHost
    from hookrun.modules.loading import LoadError as LoadError
    from hookrun.modules.loading import LoadHooksResult as LoadHooksResult
    from hookrun.modules.modules import HookError as HookError
    from hookrun.modules.registration import Command as Command
    from hookrun.modules.registration import Registrations as Registrations
    from hookrun.modules.results import BeforeAgentStartResult as BeforeAgentStartResult
    from hookrun.modules.results import CompactingResult as CompactingResult
    from hookrun.modules.results import CompactionResult as CompactionResult
    from hookrun.modules.results import ContextResult as ContextResult
    from hookrun.modules.results import HookResult as HookResult
    from hookrun.modules.results import SessionBeforeResult as SessionBeforeResult
    from hookrun.modules.results import ToolCallResult as ToolCallResult
    from hookrun.modules.results import ToolResultOverride as ToolResultOverride
    from hookrun.modules.types import AppendEntryHandler as AppendEntryHandler
    from hookrun.modules.types import AsyncHookUIContext as AsyncHookUIContext
    from hookrun.modules.types import BranchHandler as BranchHandler
    from hookrun.modules.types import CommandHandler as CommandHandler
    from hookrun.modules.types import HookCommandContext as HookCommandContext
    from hookrun.modules.types import HookErrorListener as HookErrorListener
    from hookrun.modules.types import HookFactory as HookFactory
    from hookrun.modules.types import HookHandler as HookHandler
    from hookrun.modules.types import HookMessageRenderer as HookMessageRenderer
    from hookrun.modules.types import HookUIContext as HookUIContext
    from hookrun.modules.types import LoadedHook as LoadedHook
    from hookrun.modules.types import NavigateTreeHandler as NavigateTreeHandler
    from hookrun.modules.types import NewSessionHandler as NewSessionHandler
    from hookrun.modules.types import ReadonlySessionManager as ReadonlySessionManager
    from hookrun.modules.types import RegisteredCommand as RegisteredCommand
    from hookrun.modules.types import SendMessageHandler as SendMessageHandler
    from hookrun.modules.ui.interface import UserInterface as UserInterface
    from hookrun.runner.loading import discover_and_load_hooks as discover_and_load_hooks
    from hookrun.runner.loading import exec_command as exec_command
    from hookrun.runner.loading import load_hooks as load_hooks
    from hookrun.runner.runner import HookRunner as HookRunner
    from hookrun.runner.wrapping import HookToolWrapper as HookToolWrapper
    from hookrun.runner.wrapping import Session as Session
    from hookrun.runner.wrapping import ToolBlocked as ToolBlocked
    from hookrun.runner.wrapping import wrap_tool as wrap_tool
    from hookrun.store import PendingHint as PendingHint

_NAMES_BY_ROOM = {
    "modules.api": "HookAPI allow_hook deny_hook log_hook",
    "modules.contexts": "AsyncCommandContext AsyncHookContext CommandContext HookContext",
    "modules.events": (
        "AgentEvent AutoCompactionEvent AutoRetryEvent BeforeAgentStartEvent ContextEvent "
        "HookPayload ModuleEvent OtherEvent SessionBeforeCompactEvent SessionBranchEvent "
        "SessionCompactEvent SessionCompactingEvent SessionEvent SessionSwitchEvent "
        "SessionTreeEvent StreamRulesEvent TodoReminderEvent ToolCallEvent ToolResultEvent "
        "TurnEvent"
    ),
    "modules.execution": "Cancel ExecResult",
    "modules.host": "Host SessionChange SmallHost",
    "modules.loading": "LoadError LoadHooksResult",
    "modules.modules": "HookError",
    "modules.registration": "Command Registrations",
    "modules.results": (
        "BeforeAgentStartResult CompactingResult CompactionResult ContextResult HookResult "
        "SessionBeforeResult ToolCallResult ToolResultOverride"
    ),
    "modules.types": (
        "AppendEntryHandler AsyncHookUIContext BranchHandler CommandHandler HookCommandContext "
        "HookErrorListener HookFactory HookHandler HookMessageRenderer HookUIContext LoadedHook "
        "NavigateTreeHandler NewSessionHandler ReadonlySessionManager RegisteredCommand SendMessageHandler"
    ),
    "modules.ui.interface": "UserInterface",
    "store": "PendingHint",
    "runner.loading": "discover_and_load_hooks exec_command load_hooks",
    "runner.runner": "HookRunner",
    "runner.wrapping": "HookToolWrapper Session ToolBlocked wrap_tool",
    "model.errors": "HookrunError UsageError",
    "model.values": "Answer Decision Event Hint Problem Verdict",
}
_ROOM_BY_NAME = {name: room for room, names in _NAMES_BY_ROOM.items() for name in names.split()}

__all__ = sorted(_ROOM_BY_NAME)


def __dir__() -> list[str]:
    return [*globals(), *__all__]


def __getattr__(name: str) -> object:
    room = _ROOM_BY_NAME.get(name)
    if room is None:
        raise AttributeError(f"module 'hookrun' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"hookrun.{room}"), name)
