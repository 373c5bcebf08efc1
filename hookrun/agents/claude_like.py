"""What several agents have taken over from Claude Code: the payload of an event, the fields of an answer and of a
reply. Each of them refines it in its own protocol.
"""

from __future__ import annotations

from hookrun.agents.answer_format import PERMISSIONS, AnswerFormat, VerdictField
from hookrun.agents.own_payload import known, own_tool, whole_text
from hookrun.agents.reply.encodings import EVENT, TEXT, Way, Ways
from hookrun.agents.shape import Dialect
from hookrun.model.values import Event, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

OWN = "hookSpecificOutput"


def own(**fields: str) -> Way:
    """Return how *fields* of the event's own are said."""
    return Way(fields={f"{OWN}.hookEventName": EVENT} | {f"{OWN}.{key}": value for key, value in fields.items()})


def permission(word: str, **fields: str) -> Way:
    """Return how the permission *word* is said with its reason, and *fields* beside it."""
    return own(permissionDecision=word, permissionDecisionReason=TEXT, **fields)


def measured(way: Way) -> Way:
    """Return *way* as one that was seen to work in the real client."""
    return way.replace(is_measured=True)


CONTEXT = own(additionalContext=TEXT)
HALT = Way(fields={"continue": False, "stopReason": TEXT})
USER = Way(fields={"systemMessage": TEXT})
BLOCK = Way(fields={"decision": "block", "reason": TEXT})
HALTED = Ways(halt=HALT, user=USER)
TOLD = HALTED.replace(context=CONTEXT)
BLOCKED = HALTED.replace(deny=BLOCK)

PERMISSION = VerdictField(
    key=f"{OWN}.permissionDecision", verdicts=PERMISSIONS | {"defer": Verdict.DEFER}, events=("PreToolUse",)
)
BEHAVIOR = VerdictField(
    key=f"{OWN}.decision.behavior",
    verdicts={"deny": Verdict.DENY, "allow": Verdict.ALLOW},
    events=("PermissionRequest",),
)
APPROVAL = VerdictField(key="decision", verdicts={"approve": Verdict.ALLOW}, events=("PreToolUse",))
ANSWERS = AnswerFormat(
    halts=True,
    reasons=(f"{OWN}.permissionDecisionReason", "reason"),
    context=(f"{OWN}.additionalContext",),
    user_messages=("systemMessage",),
    rewrites=(f"{OWN}.updatedInput",),
)

# What an event has besides the tool, with the value to give where the caller does not say.
_KEYS_BY_EVENT: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup"},
    "SessionEnd": {"reason": "other"},
    "UserPromptSubmit": {"prompt": ""},
    "AgentStop": {"stop_hook_active": False, "last_assistant_message": ""},
    "SubAgentStart": {"agent_id": "", "agent_type": ""},
    "SubAgentStop": {
        "stop_hook_active": False,
        "agent_id": "",
        "agent_type": "",
        "agent_transcript_path": "",
        "last_assistant_message": "",
    },
    "PreCompact": {"trigger": "manual", "custom_instructions": ""},
    "PostCompact": {"trigger": "manual"},
    "Notification": {"message": "", "notification_type": ""},
}


def claudes_payload(event: Event, dialect: Dialect, own_event: str) -> dict[str, Any]:
    """Return *event* as Claude Code itself writes it, under the names of *dialect*."""
    is_about_session = event.event in ("SessionStart", "SessionEnd")
    common = {} if is_about_session else permission_mode(event)
    return in_claudes_shape(event, dialect, own_event, common=common, result=claudes_result(event))


def permission_mode(event: Event, otherwise: str = "default") -> dict[str, Any]:
    """Return the field that says how much the agent may do without asking."""
    return {"permission_mode": known(event, "permission_mode", otherwise)}


def in_claudes_shape(
    event: Event,
    dialect: Dialect,
    own_event: str,
    *,
    common: Mapping[str, Any],
    result: Mapping[str, Any],
    transcript_path: str | None = "",
    call_id: str | None = "tool_use_id",
    leaves_out: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return *event* in the shape that Claude Code has and several agents have taken over.

    *common* are the agent's own fields of every event, *result* those of a tool that has run; *call_id* is
    the key of the call's id, None where there is none; *leaves_out* are keys of Claude Code's that it lacks.
    """
    payload: dict[str, Any] = {
        "session_id": event.session_id,
        "transcript_path": known(event, "transcript_path", transcript_path),
        "cwd": event.cwd,
        "hook_event_name": own_event,
        **common,
        **(_call_in_claudes_shape(event, dialect, result, call_id) if event.tool_name else {}),
        **{key: value for key, value in _about(event).items() if key not in leaves_out},
    }
    if event.dialect == dialect.name:
        payload |= {key: value for key, value in event.fields.items() if key not in payload}
    return payload


def _call_in_claudes_shape(
    event: Event, dialect: Dialect, result: Mapping[str, Any], call_id: str | None
) -> dict[str, Any]:
    name, tool_input = own_tool(event, dialect)
    call: dict[str, Any] = {"tool_name": name, "tool_input": {} if tool_input is None else tool_input}
    if call_id:
        call[call_id] = event.tool_call_id
    return {**call, **(result if event.event in ("PostToolUse", "PostToolUseFailure") else {})}


def claudes_result(event: Event) -> dict[str, Any]:
    """Return the fields of a tool's result or failure as Claude Code has them."""
    seconds = {"duration_ms": event.tool_elapsed_ms} if event.tool_elapsed_ms else {}
    if event.event == "PostToolUseFailure":
        return {
            "error": event.tool_error or whole_text(event),
            "is_interrupt": known(event, "is_interrupt", False),
            **seconds,
        }
    response = whole_text(event) if event.tool_response is None else event.tool_response
    return {"tool_response": response, **seconds}


def _about(event: Event) -> dict[str, Any]:
    found = {key: known(event, key, value) for key, value in _KEYS_BY_EVENT.get(event.event, {}).items()}
    if event.event == "UserPromptSubmit":
        found["prompt"] = event.prompt
    return found
