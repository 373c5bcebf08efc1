"""Events and kinds of tools as tables, and the names people give them."""

from __future__ import annotations

from hookrun.model.frozen import Frozen


class EventType(Frozen):
    """One event of the catalogue. ``stops`` says whether a deny can stop what it announces."""

    name: str
    when: str
    has_tool: bool = False
    stops: bool = False
    guarded: bool = False  # a guard's failure denies it
    other_names: tuple[str, ...] = ()
    one_agent: bool = False  # passes through under its own name, has no meaning of its own here


_TABLE = (
    EventType(
        name="PreToolUse",
        when="before a tool runs",
        has_tool=True,
        stops=True,
        guarded=True,
        other_names=("tool_call", "pre"),
    ),
    EventType(name="PostToolUse", when="after a tool succeeded", has_tool=True, other_names=("tool_result", "post")),
    EventType(name="PostToolUseFailure", when="after a tool failed", has_tool=True, other_names=("fail",)),
    EventType(
        name="UserPromptSubmit",
        when="the user submits a prompt",
        stops=True,
        guarded=True,
        other_names=("before_agent_start", "prompt"),
    ),
    EventType(name="AgentStop", when="an agent ends", stops=True, other_names=("agent_end", "stop")),
    EventType(name="SubAgentStop", when="a sub-agent ends", stops=True),
    EventType(name="PreCompact", when="before history compaction", stops=True, other_names=("session_before_compact",)),
    EventType(name="SessionStart", when="a session begins", other_names=("session_start",)),
    EventType(name="SessionEnd", when="a session ends", other_names=("session_shutdown",)),
    EventType(name="SubAgentStart", when="a sub-agent begins"),
    EventType(name="PostCompact", when="after history compaction", other_names=("session_compact",)),
    EventType(name="CronFired", when="a schedule fires"),
    EventType(name="WebhookReceived", when="a webhook arrives"),
    EventType(name="session_before_switch", when="before another session is opened", stops=True),
    EventType(name="session_switch", when="after another session was opened"),
    EventType(name="session_before_branch", when="before a session is branched", stops=True),
    EventType(name="session_branch", when="after a session was branched"),
    EventType(name="session.compacting", when="while history is compacted"),
    EventType(name="session_before_tree", when="before moving in the session tree", stops=True),
    EventType(name="session_tree", when="after moving in the session tree"),
    EventType(name="context", when="before each call of the model"),
    EventType(name="agent_start", when="an agent begins"),
    EventType(name="turn_start", when="a turn begins"),
    EventType(name="turn_end", when="a turn ends"),
    EventType(name="auto_compaction_start", when="automatic compaction begins"),
    EventType(name="auto_compaction_end", when="automatic compaction ends"),
    EventType(name="auto_retry_start", when="an automatic retry begins"),
    EventType(name="auto_retry_end", when="an automatic retry ends"),
    EventType(name="ttsr_triggered", when="a stream rule was triggered"),
    EventType(name="todo_reminder", when="open todos are brought to mind"),
)

_ONE_AGENT = (
    "PermissionRequest",
    "PermissionDenied",
    "Notification",
    "FileChanged",
    "CwdChanged",
    "ConfigChange",
    "Setup",
    "StopFailure",
    "InstructionsLoaded",
    "UserPromptExpansion",
    "PostToolBatch",
    "TaskCreated",
    "TaskCompleted",
    "TeammateIdle",
    "WorktreeCreate",
    "WorktreeRemove",
    "Elicitation",
    "ElicitationResult",
    "BeforeModel",
    "AfterModel",
    "BeforeToolSelection",
    "errorOccurred",
)

EVENTS: dict[str, EventType] = {event.name: event for event in _TABLE} | {
    name: EventType(name=name, when="one agent's own event", one_agent=True) for name in _ONE_AGENT
}

# Kinds of tool; each dialect has its own names for them (agents).
KINDS = (
    "shell",
    "edit",
    "write",
    "read",
    "grep",
    "glob",
    "fetch",
    "agent",
    "search",
    "notebook",
    "list",
    "ask_user",
    "skill",
    "todo",
    "mcp",
)


def folded(name: str) -> str:
    """Return *name* in the one spelling in which event names are compared: SessionStart = session-start."""
    return name.replace("_", "").replace("-", "").replace(".", "").replace(" ", "").lower()


EVENT_BY_SPELLING: dict[str, str] = {
    folded(spelling): event.name for event in EVENTS.values() for spelling in (event.name, *event.other_names)
}


def event_named(spelling: str) -> EventType | None:
    """Return the event that *spelling* names in any of its own names, or None."""
    name = EVENT_BY_SPELLING.get(folded(spelling))
    return EVENTS[name] if name else None


def is_guarded(name: str) -> bool:
    """Say whether a failing guard denies the event of this name."""
    event = event_named(name)
    return event is not None and event.guarded
