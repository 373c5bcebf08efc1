"""What handlers are given: an event of their own kind for each event of the catalogue.

The fields are those of the module system that hookrun follows, in Python spelling (docs/modules.md).
"""

from __future__ import annotations

from hookrun.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class ModuleEvent(Frozen):
    """An event as a module's handler sees it; ``type`` is its name in the module system."""

    type: str


class ToolCallEvent(ModuleEvent):
    """A tool is about to run. Names and keys are xcsh's (``bash``, ``path``); raw ones are the caller's."""

    type: str = "tool_call"
    tool_name: str = ""
    tool_call_id: str = ""
    input: Any = None
    raw_tool_name: str = ""
    raw_tool_input: Any = None


class ToolResultEvent(ModuleEvent):
    """A tool has run. ``content`` is a tuple of parts, ``{"type": "text", "text": ...}`` or an image."""

    type: str = "tool_result"
    tool_name: str = ""
    tool_call_id: str = ""
    input: Any = None
    content: tuple[Any, ...] = ()
    details: Any = None
    is_error: bool = False
    raw_tool_name: str = ""
    raw_tool_input: Any = None


class SessionEvent(ModuleEvent):
    """A session begins or ends; carries nothing."""


class SessionSwitchEvent(ModuleEvent):
    """Another session is opened. ``reason`` is new, resume or fork."""

    reason: str = ""
    target_session_file: str | None = None
    previous_session_file: str | None = None


class SessionBranchEvent(ModuleEvent):
    """A session is branched at an entry, or has been, from ``previous_session_file``."""

    entry_id: str = ""
    previous_session_file: str | None = None


class SessionBeforeCompactEvent(ModuleEvent):
    """History is about to be compacted. ``cancel`` is the agent's token to stop the work."""

    type: str = "session_before_compact"
    preparation: Any = None
    branch_entries: tuple[Any, ...] = ()
    custom_instructions: str | None = None
    cancel: Any = None


class SessionCompactingEvent(ModuleEvent):
    """History is being compacted."""

    type: str = "session.compacting"
    session_id: str = ""
    messages: tuple[Any, ...] = ()


class SessionCompactEvent(ModuleEvent):
    """History was compacted."""

    type: str = "session_compact"
    compaction_entry: Any = None
    from_extension: bool = False


class SessionTreeEvent(ModuleEvent):
    """A move in the session tree. ``preparation`` has target_id, old_leaf_id, common_ancestor_id,
    entries_to_summarize and user_wants_summary."""

    preparation: Any = None
    new_leaf_id: str | None = None
    old_leaf_id: str | None = None
    summary_entry: Any = None
    from_extension: bool = False


class ContextEvent(ModuleEvent):
    """The model is about to be called with ``messages``, which pass unchanged."""

    type: str = "context"
    messages: tuple[Any, ...] = ()


class BeforeAgentStartEvent(ModuleEvent):
    """A prompt was submitted."""

    type: str = "before_agent_start"
    prompt: str = ""
    images: tuple[Any, ...] = ()


class AgentEvent(ModuleEvent):
    """An agent begins or ends (with its ``messages``)."""

    messages: tuple[Any, ...] = ()


class TurnEvent(ModuleEvent):
    """A turn begins or ends. ``timestamp`` is the agent's."""

    turn_index: int = 0
    timestamp: Any = None
    message: Any = None
    tool_results: tuple[Any, ...] = ()


class AutoCompactionEvent(ModuleEvent):
    """Automatic compaction begins or ends."""

    reason: str = ""
    action: str = ""
    result: Any = None
    aborted: bool = False
    will_retry: bool = False
    error_message: str | None = None


class AutoRetryEvent(ModuleEvent):
    """An automatic retry begins or ends; ``delay_ms`` is in milliseconds."""

    attempt: int = 0
    max_attempts: int = 0
    delay_ms: int = 0
    error_message: str | None = None
    success: bool = False
    final_error: str | None = None


class StreamRulesEvent(ModuleEvent):
    """Rules on the model's stream were triggered."""

    type: str = "ttsr_triggered"
    rules: tuple[Any, ...] = ()


class TodoReminderEvent(ModuleEvent):
    """Open todos are brought to mind."""

    type: str = "todo_reminder"
    todos: tuple[Any, ...] = ()
    attempt: int = 0
    max_attempts: int = 0


class OtherEvent(ModuleEvent):
    """An event without a kind of its own here; ``fields`` is all that its payload holds."""

    fields: Mapping[str, Any] = {}


EVENT_CLASSES: dict[str, type[ModuleEvent]] = {
    "tool_call": ToolCallEvent,
    "tool_result": ToolResultEvent,
    "session_start": SessionEvent,
    "session_shutdown": SessionEvent,
    "session_before_switch": SessionSwitchEvent,
    "session_switch": SessionSwitchEvent,
    "session_before_branch": SessionBranchEvent,
    "session_branch": SessionBranchEvent,
    "session_before_compact": SessionBeforeCompactEvent,
    "session.compacting": SessionCompactingEvent,
    "session_compact": SessionCompactEvent,
    "session_before_tree": SessionTreeEvent,
    "session_tree": SessionTreeEvent,
    "context": ContextEvent,
    "before_agent_start": BeforeAgentStartEvent,
    "agent_start": AgentEvent,
    "agent_end": AgentEvent,
    "turn_start": TurnEvent,
    "turn_end": TurnEvent,
    "auto_compaction_start": AutoCompactionEvent,
    "auto_compaction_end": AutoCompactionEvent,
    "auto_retry_start": AutoRetryEvent,
    "auto_retry_end": AutoRetryEvent,
    "ttsr_triggered": StreamRulesEvent,
    "todo_reminder": TodoReminderEvent,
}

# The names of the module system for events that the catalogue has under another.
MODULE_NAMES = {
    "PreToolUse": "tool_call",
    "PostToolUse": "tool_result",
    "PostToolUseFailure": "tool_result",
    "SessionStart": "session_start",
    "SessionEnd": "session_shutdown",
    "UserPromptSubmit": "before_agent_start",
    "AgentStop": "agent_end",
    "PreCompact": "session_before_compact",
    "PostCompact": "session_compact",
}


class HookPayload(Frozen):
    """An event as SDK handlers see it: the payload of the plugin system, names and keys xbot's.

    ``tool_input`` is JSON text, ``tool_output`` at most 8192 bytes of UTF-8; ``tool_elapsed_ms`` is in
    milliseconds.
    """

    event: str
    tool_name: str = ""
    tool_input: str = ""
    tool_output: str = ""
    tool_elapsed_ms: int = 0
    session_id: str = ""
    channel: str = ""
    chat_id: str = ""
    user_id: str = ""
    tenant_id: int = 0
    extra: Mapping[str, Any] = {}
    tool_error: str = ""
    prompt: str = ""
    raw_tool_name: str = ""
    raw_tool_input: Any = None
