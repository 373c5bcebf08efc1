"""Cline, measured with 3.0.65 where it says so. It goes by the JSON alone: a hook that only exits with a code
is ignored. A deny before a tool ends the whole run there.
"""

from __future__ import annotations

from hookrun.agents.answer_format import AnswerFormat, VerdictField
from hookrun.agents.cline.names import DIALECT
from hookrun.agents.own_payload import known, milliseconds, own_tool, whole_text
from hookrun.agents.reply.encodings import TEXT, ReplyTable, Way, Ways
from hookrun.agents.shape import Protocol
from hookrun.model.values import Event, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_CANCEL = {"cancel": True, "errorMessage": TEXT}
_DENY = Way(fields=_CANCEL)
_CONTEXT = Way(fields={"cancel": False, "contextModification": TEXT})
_SEEN_CONTEXT = _CONTEXT.replace(is_measured=True)
_TOLD = Ways(context=_CONTEXT)

_REPLIES = ReplyTable(
    name="cline",
    title="Cline",
    measured_with=("3.0.65",),
    ways={
        "PreToolUse": Ways(deny=_DENY.replace(is_measured=True), context=_SEEN_CONTEXT),
        "PostToolUse": Ways(context=_SEEN_CONTEXT),
        "PostToolUseFailure": _TOLD,
        "UserPromptSubmit": Ways(deny=_DENY, context=_CONTEXT),
        "SessionStart": _TOLD,
        "PreCompact": Ways(deny=_DENY),
    },
    neutral={"cancel": False},
    refusal=_CANCEL,
    exit_denies=False,
    text_limit=50_000,
    seconds=30.0,
)


def _payload(event: Event, own_event: str) -> dict[str, Any]:
    payload: dict[str, Any] = {
        "clineVersion": known(event, "clineVersion", ""),
        "hookName": own_event,
        "timestamp": str(known(event, "timestamp", "")) or str(milliseconds()),
        "taskId": event.session_id,
        "workspaceRoots": [event.project_dir] if event.project_dir else [],
        "userId": event.user_id,
    }
    inner: dict[str, Any] = {}
    if event.tool_name:
        name, tool_input = own_tool(event, DIALECT)
        inner = {"toolName": name, "parameters": tool_input}
    if own_event == "PostToolUse":
        failed = event.event == "PostToolUseFailure"
        text = whole_text(event)
        inner |= {"result": text or event.tool_error, "success": not failed, "executionTimeMs": event.tool_elapsed_ms}
    elif own_event == "UserPromptSubmit":
        inner = {"prompt": event.prompt, "attachments": known(event, "attachments", [])}
    elif own_event.startswith("Task"):
        inner = {"taskMetadata": {"taskId": event.session_id, "initialTask": event.prompt}}
    return payload | {own_event[:1].lower() + own_event[1:]: inner}


_ANSWERS = AnswerFormat(
    refusing_exits=(),
    reads_failures=True,
    # VS Code's program takes the last object of the output (hook-factory.ts, read); the CLI takes none among
    # other text (measured with 3.0.65): the stricter of the two counts.
    takes_last_object=True,
    text_fault="stdout is not JSON",
    verdicts=(VerdictField(key="cancel", verdicts={True: Verdict.DENY}),),
    reasons=("errorMessage",),
    context=("contextModification",),
)
PROTOCOL = Protocol(replies=_REPLIES, write_payload=_payload, read_answer=_ANSWERS.read)
