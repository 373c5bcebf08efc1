"""hookrun finds, fires and decides the hooks of coding agents.

The public names are those of ``__all__``; they are imported when they are first used, because the
command line pays for every import at each tool call.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookrun.engine.modules.contexts import CommandContext as CommandContext
    from hookrun.engine.modules.contexts import HookContext as HookContext
    from hookrun.engine.modules.events import HookPayload as HookPayload
    from hookrun.engine.modules.execution import Cancel as Cancel
    from hookrun.engine.modules.execution import ExecResult as ExecResult
    from hookrun.engine.modules.host import Host as Host
    from hookrun.engine.modules.host import SessionChange as SessionChange
    from hookrun.engine.modules.host import SmallHost as SmallHost
    from hookrun.engine.modules.loading import LoadError as LoadError
    from hookrun.engine.modules.loading import LoadHooksResult as LoadHooksResult
    from hookrun.engine.modules.modules import HookError as HookError
    from hookrun.engine.modules.registration import HookAPI as HookAPI
    from hookrun.engine.modules.registration import allow_hook as allow_hook
    from hookrun.engine.modules.registration import deny_hook as deny_hook
    from hookrun.engine.modules.registration import log_hook as log_hook
    from hookrun.engine.modules.results import HookResult as HookResult
    from hookrun.library.loading import discover_and_load_hooks as discover_and_load_hooks
    from hookrun.library.loading import exec_command as exec_command
    from hookrun.library.loading import load_hooks as load_hooks
    from hookrun.library.runner import HookRunner as HookRunner
    from hookrun.library.wrapping import ToolBlocked as ToolBlocked
    from hookrun.library.wrapping import wrap_tool as wrap_tool
    from hookrun.words.model import Decision as Decision
    from hookrun.words.model import Hint as Hint
    from hookrun.words.model import Problem as Problem
    from hookrun.words.model import Verdict as Verdict

_EVENTS = (
    "AgentEvent AutoCompactionEvent AutoRetryEvent BeforeAgentStartEvent ContextEvent OtherEvent "
    "SessionBeforeCompactEvent SessionBranchEvent SessionCompactEvent SessionCompactingEvent SessionEvent "
    "SessionSwitchEvent SessionTreeEvent StreamRulesEvent TodoReminderEvent ToolCallEvent ToolResultEvent "
    "TurnEvent HookPayload"
).split()
_RESULTS = (
    "BeforeAgentStartResult CompactingResult ContextResult HookResult SessionBeforeResult ToolCallResult "
    "ToolResultOverride"
).split()
_ROOM_BY_NAME = {
    **dict.fromkeys(_EVENTS, "engine.modules.events"),
    **dict.fromkeys(_RESULTS, "engine.modules.results"),
    **dict.fromkeys(("Cancel", "ExecResult"), "engine.modules.execution"),
    **dict.fromkeys(("CommandContext", "HookContext"), "engine.modules.contexts"),
    **dict.fromkeys(("Host", "SessionChange", "SmallHost"), "engine.modules.host"),
    **dict.fromkeys(("LoadError", "LoadHooksResult"), "engine.modules.loading"),
    **dict.fromkeys(("HookAPI", "allow_hook", "deny_hook", "log_hook"), "engine.modules.registration"),
    **dict.fromkeys(("discover_and_load_hooks", "exec_command", "load_hooks"), "library.loading"),
    **dict.fromkeys(("ToolBlocked", "wrap_tool"), "library.wrapping"),
    **dict.fromkeys(("Decision", "Hint", "Problem", "Verdict"), "words.model"),
    "HookError": "engine.modules.modules",
    "HookRunner": "library.runner",
}

__all__ = sorted(_ROOM_BY_NAME)


def __getattr__(name: str) -> object:
    room = _ROOM_BY_NAME.get(name)
    if room is None:
        raise AttributeError(f"module 'hookrun' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"hookrun.{room}"), name)
