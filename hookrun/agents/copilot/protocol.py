"""GitHub Copilot CLI, measured with 1.0.102 where it says so.

Any exit code but 0 denies a tool; no prompt can be denied.
"""

from __future__ import annotations

from hookrun.agents.answer_format import AnswerFormat, VerdictField
from hookrun.agents.copilot.names import DIALECT
from hookrun.agents.own_payload import (
    claudes_result,
    in_claudes_shape,
    known,
    milliseconds,
    own_tool,
    whole_text,
)
from hookrun.agents.payload import json_text
from hookrun.agents.reply.encodings import INPUT, RESPONSE, TEXT, ReplyTable, Way, Ways
from hookrun.agents.shape import Protocol
from hookrun.model.values import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookrun.model.values import Event


def _permission(word: str, *, is_measured: bool = False) -> Way:
    fields = {"permissionDecision": word, "permissionDecisionReason": TEXT}
    return Way(fields=fields, is_measured=is_measured)


_RESULT = {"modifiedResult": RESPONSE}
_BLOCK = {"decision": "block", "reason": TEXT}

_REPLIES = ReplyTable(
    name="copilot",
    title="GitHub Copilot CLI",
    measured_with=("1.0.102",),
    ways={
        "PreToolUse": Ways(
            allow=_permission("allow"),
            ask=_permission("ask"),
            deny=_permission("deny", is_measured=True),
            rewrite=Way(fields={"modifiedArgs": INPUT}, is_measured=True),
        ),
        "PostToolUse": Ways(result=Way(fields=_RESULT, is_measured=True)),
        "PostToolUseFailure": Ways(result=Way(fields=_RESULT)),
        "AgentStop": Ways(deny=Way(fields=_BLOCK, is_measured=True)),
        "SubAgentStop": Ways(deny=Way(fields=_BLOCK)),
    },
)


def _payload(event: Event, own_event: str) -> dict[str, Any]:
    if own_event[:1].isupper():  # the form that VS Code reads
        is_about_session = event.event in ("SessionStart", "SessionEnd")
        common = {} if is_about_session else {"permission_mode": known(event, "permission_mode", "default")}
        return in_claudes_shape(event, DIALECT, own_event, common=common, result=claudes_result(event))
    payload: dict[str, Any] = {
        "sessionId": event.session_id,
        "timestamp": known(event, "timestamp", 0) or milliseconds(),
        "cwd": event.cwd,
    }
    if event.tool_name:
        name, tool_input = own_tool(event, DIALECT)
        payload |= {"toolName": name, "toolArgs": json_text({} if tool_input is None else tool_input)}
    if event.event == "PostToolUse":
        payload["toolResult"] = {"resultType": "success", "textResultForLlm": whole_text(event)}
    elif event.event == "PostToolUseFailure":
        payload["error"] = event.tool_error or whole_text(event)
    elif event.event == "UserPromptSubmit":
        payload["prompt"] = event.prompt
    elif event.event == "SessionStart":
        payload |= {"source": known(event, "source", "new"), "initialPrompt": event.prompt}
    elif event.event == "SessionEnd":
        payload["reason"] = known(event, "reason", "complete")
    elif event.event in ("AgentStop", "SubAgentStop"):
        payload |= {"transcriptPath": known(event, "transcriptPath", ""), "stopReason": "end_turn"}
    return payload


_PERMISSIONS = {"allow": Verdict.ALLOW, "ask": Verdict.ASK, "deny": Verdict.DENY}
_ANSWERS = AnswerFormat(
    refusing_exits=(),
    verdicts=(
        VerdictField(key="permissionDecision", verdicts=_PERMISSIONS, events=("PreToolUse",)),
        VerdictField(
            key="hookSpecificOutput.permissionDecision", verdicts=_PERMISSIONS, events=("PreToolUse",)
        ),
        VerdictField(key="decision", verdicts={"block": Verdict.DENY}, events=("AgentStop", "SubAgentStop")),
    ),
    reasons=("permissionDecisionReason", "reason", "hookSpecificOutput.permissionDecisionReason"),
    context=("additionalContext", "hookSpecificOutput.additionalContext"),
    rewrites=("modifiedArgs", "hookSpecificOutput.updatedInput"),
)
PROTOCOL = Protocol(
    replies=_REPLIES,
    write_payload=_payload,
    read_answer=_ANSWERS.read,
)
