"""hookrun finds, fires and decides the hooks of coding agents.

The public names are those of ``__all__``; they are imported when they are first used, because the
command line pays for every import at each tool call.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookrun.engine.modules.api import HookAPI as HookAPI
    from hookrun.engine.modules.api import allow_hook as allow_hook
    from hookrun.engine.modules.api import deny_hook as deny_hook
    from hookrun.engine.modules.api import log_hook as log_hook
    from hookrun.engine.modules.contexts import AsyncCommandContext as AsyncCommandContext
    from hookrun.engine.modules.contexts import AsyncHookContext as AsyncHookContext
    from hookrun.engine.modules.contexts import CommandContext as CommandContext
    from hookrun.engine.modules.contexts import HookContext as HookContext
    from hookrun.engine.modules.events import AgentEvent as AgentEvent
    from hookrun.engine.modules.events import AutoCompactionEvent as AutoCompactionEvent
    from hookrun.engine.modules.events import AutoRetryEvent as AutoRetryEvent
    from hookrun.engine.modules.events import BeforeAgentStartEvent as BeforeAgentStartEvent
    from hookrun.engine.modules.events import ContextEvent as ContextEvent
    from hookrun.engine.modules.events import HookPayload as HookPayload
    from hookrun.engine.modules.events import ModuleEvent as ModuleEvent
    from hookrun.engine.modules.events import OtherEvent as OtherEvent
    from hookrun.engine.modules.events import SessionBeforeCompactEvent as SessionBeforeCompactEvent
    from hookrun.engine.modules.events import SessionBranchEvent as SessionBranchEvent
    from hookrun.engine.modules.events import SessionCompactEvent as SessionCompactEvent
    from hookrun.engine.modules.events import SessionCompactingEvent as SessionCompactingEvent
    from hookrun.engine.modules.events import SessionEvent as SessionEvent
    from hookrun.engine.modules.events import SessionSwitchEvent as SessionSwitchEvent
    from hookrun.engine.modules.events import SessionTreeEvent as SessionTreeEvent
    from hookrun.engine.modules.events import StreamRulesEvent as StreamRulesEvent
    from hookrun.engine.modules.events import TodoReminderEvent as TodoReminderEvent
    from hookrun.engine.modules.events import ToolCallEvent as ToolCallEvent
    from hookrun.engine.modules.events import ToolResultEvent as ToolResultEvent
    from hookrun.engine.modules.events import TurnEvent as TurnEvent
    from hookrun.engine.modules.execution import Cancel as Cancel
    from hookrun.engine.modules.execution import ExecResult as ExecResult
    from hookrun.engine.modules.host import Host as Host
    from hookrun.engine.modules.host import SessionChange as SessionChange
    from hookrun.engine.modules.host import SmallHost as SmallHost
    from hookrun.engine.modules.loading import LoadError as LoadError
    from hookrun.engine.modules.loading import LoadHooksResult as LoadHooksResult
    from hookrun.engine.modules.modules import HookError as HookError
    from hookrun.engine.modules.registration import Command as Command
    from hookrun.engine.modules.registration import Registrations as Registrations
    from hookrun.engine.modules.results import BeforeAgentStartResult as BeforeAgentStartResult
    from hookrun.engine.modules.results import CompactingResult as CompactingResult
    from hookrun.engine.modules.results import CompactionResult as CompactionResult
    from hookrun.engine.modules.results import ContextResult as ContextResult
    from hookrun.engine.modules.results import HookResult as HookResult
    from hookrun.engine.modules.results import SessionBeforeResult as SessionBeforeResult
    from hookrun.engine.modules.results import ToolCallResult as ToolCallResult
    from hookrun.engine.modules.results import ToolResultOverride as ToolResultOverride
    from hookrun.engine.modules.types import AppendEntryHandler as AppendEntryHandler
    from hookrun.engine.modules.types import AsyncHookUIContext as AsyncHookUIContext
    from hookrun.engine.modules.types import BranchHandler as BranchHandler
    from hookrun.engine.modules.types import CommandHandler as CommandHandler
    from hookrun.engine.modules.types import HookCommandContext as HookCommandContext
    from hookrun.engine.modules.types import HookErrorListener as HookErrorListener
    from hookrun.engine.modules.types import HookFactory as HookFactory
    from hookrun.engine.modules.types import HookHandler as HookHandler
    from hookrun.engine.modules.types import HookMessageRenderer as HookMessageRenderer
    from hookrun.engine.modules.types import HookUIContext as HookUIContext
    from hookrun.engine.modules.types import LoadedHook as LoadedHook
    from hookrun.engine.modules.types import NavigateTreeHandler as NavigateTreeHandler
    from hookrun.engine.modules.types import NewSessionHandler as NewSessionHandler
    from hookrun.engine.modules.types import ReadonlySessionManager as ReadonlySessionManager
    from hookrun.engine.modules.types import RegisteredCommand as RegisteredCommand
    from hookrun.engine.modules.types import SendMessageHandler as SendMessageHandler
    from hookrun.engine.modules.ui import UserInterface as UserInterface
    from hookrun.engine.store import PendingHint as PendingHint
    from hookrun.library.loading import discover_and_load_hooks as discover_and_load_hooks
    from hookrun.library.loading import exec_command as exec_command
    from hookrun.library.loading import load_hooks as load_hooks
    from hookrun.library.runner import HookRunner as HookRunner
    from hookrun.library.session import Session as Session
    from hookrun.library.wrapping import HookToolWrapper as HookToolWrapper
    from hookrun.library.wrapping import ToolBlocked as ToolBlocked
    from hookrun.library.wrapping import wrap_tool as wrap_tool
    from hookrun.words.errors import HookrunError as HookrunError
    from hookrun.words.errors import UsageError as UsageError
    from hookrun.words.model import Answer as Answer
    from hookrun.words.model import Decision as Decision
    from hookrun.words.model import Event as Event
    from hookrun.words.model import Hint as Hint
    from hookrun.words.model import Problem as Problem
    from hookrun.words.model import Verdict as Verdict

_NAMES_BY_ROOM = {
    "engine.modules.api": "HookAPI allow_hook deny_hook log_hook",
    "engine.modules.contexts": "AsyncCommandContext AsyncHookContext CommandContext HookContext",
    "engine.modules.events": (
        "AgentEvent AutoCompactionEvent AutoRetryEvent BeforeAgentStartEvent ContextEvent "
        "HookPayload ModuleEvent OtherEvent SessionBeforeCompactEvent SessionBranchEvent "
        "SessionCompactEvent SessionCompactingEvent SessionEvent SessionSwitchEvent "
        "SessionTreeEvent StreamRulesEvent TodoReminderEvent ToolCallEvent ToolResultEvent "
        "TurnEvent"
    ),
    "engine.modules.execution": "Cancel ExecResult",
    "engine.modules.host": "Host SessionChange SmallHost",
    "engine.modules.loading": "LoadError LoadHooksResult",
    "engine.modules.modules": "HookError",
    "engine.modules.registration": "Command Registrations",
    "engine.modules.results": (
        "BeforeAgentStartResult CompactingResult CompactionResult ContextResult HookResult "
        "SessionBeforeResult ToolCallResult ToolResultOverride"
    ),
    "engine.modules.types": (
        "AppendEntryHandler AsyncHookUIContext BranchHandler CommandHandler HookCommandContext "
        "HookErrorListener HookFactory HookHandler HookMessageRenderer HookUIContext LoadedHook "
        "NavigateTreeHandler NewSessionHandler ReadonlySessionManager RegisteredCommand SendMessageHandler"
    ),
    "engine.modules.ui": "UserInterface",
    "engine.store": "PendingHint",
    "library.loading": "discover_and_load_hooks exec_command load_hooks",
    "library.runner": "HookRunner",
    "library.session": "Session",
    "library.wrapping": "HookToolWrapper ToolBlocked wrap_tool",
    "words.errors": "HookrunError UsageError",
    "words.model": "Answer Decision Event Hint Problem Verdict",
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
