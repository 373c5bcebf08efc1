"""Cline, measured with 3.0.65 where it says so. It goes by the JSON alone: a hook that only exits with a code
is ignored. A deny before a tool ends the whole run there.
"""

from __future__ import annotations

import json

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

# Where the payload says what an event of the command line is about.
_KEY_BY_EVENT = {
    "tool_call": "preToolUse",
    "tool_result": "postToolUse",
    "agent_start": "taskStart",
    "agent_end": "taskComplete",
}

_REPLIES = ReplyTable(
    name="cline",
    title="Cline",
    measured_with=("3.0.65",),
    ways={
        "PreToolUse": Ways(deny=_DENY.replace(is_measured=True), context=_SEEN_CONTEXT),
        "PostToolUse": Ways(context=_SEEN_CONTEXT),
        "PostToolUseFailure": _TOLD,
        "UserPromptSubmit": Ways(deny=_DENY, context=_CONTEXT),
        "PreCompact": Ways(deny=_DENY),
    },
    neutral={"cancel": False},
    refusal=_CANCEL,
    exit_denies=False,
    text_limit=50_000,
    seconds=30.0,
)


def _payload(event: Event, own_event: str) -> dict[str, Any]:
    key = _KEY_BY_EVENT.get(own_event, own_event[:1].lower() + own_event[1:])
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
        inner = {"toolName": name, "parameters": _in_texts(tool_input)}
        call = {"id": event.tool_call_id, "name": name, "input": {} if tool_input is None else tool_input}
        payload["tool_result" if key == "postToolUse" else "tool_call"] = call  # the command line's form
    if key == "postToolUse":
        failed = event.event == "PostToolUseFailure"
        text = whole_text(event)
        inner |= {"result": text or event.tool_error, "success": not failed, "executionTimeMs": event.tool_elapsed_ms}
    elif key == "userPromptSubmit":
        inner = {"prompt": event.prompt, "attachments": known(event, "attachments", [])}
    elif key.startswith("task"):
        inner = {"taskMetadata": {"taskId": event.session_id, "initialTask": event.prompt}}
    payload[key] = inner
    if event.dialect == DIALECT.name:
        payload |= {key: value for key, value in event.fields.items() if key not in payload}
    return payload


def _in_texts(tool_input: Any) -> Any:
    """Return *tool_input* as Cline hands it on: a value that is no text as JSON in one."""
    if not isinstance(tool_input, dict):
        return tool_input
    return {
        key: value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), default=str)
        for key, value in tool_input.items()
    }


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
