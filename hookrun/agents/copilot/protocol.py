"""GitHub Copilot CLI, measured with 1.0.102 where it says so.

Any exit code but 0 denies a tool; a hook that takes too long denies nothing. Events that are spelled with a
capital speak Claude Code's language: its names of tools, its payload, its answers.
"""

from __future__ import annotations

from hookrun.agents.answer_format import (
    PERMISSIONS,
    AnswerFormat,
    HandlerOutput,
    ParsedAnswer,
    VerdictField,
    only_object,
)
from hookrun.agents.claude.names import DIALECT as CLAUDE
from hookrun.agents.claude_like import ANSWERS, PERMISSION, claudes_payload
from hookrun.agents.copilot.names import DIALECT
from hookrun.agents.own_payload import known, milliseconds, own_tool, whole_text
from hookrun.agents.reply.encodings import INPUT, RESPONSE, TEXT, ReplyTable, Way, Ways
from hookrun.agents.shape import Protocol
from hookrun.model.constants import EXIT_DENY
from hookrun.model.values import Event, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _permission(word: str, *, is_measured: bool = False) -> Way:
    fields = {"permissionDecision": word, "permissionDecisionReason": TEXT}
    return Way(fields=fields, is_measured=is_measured)


_RESULT = {"modifiedResult": RESPONSE}
_CONTEXT = Way(fields={"additionalContext": TEXT}, is_measured=True)
_READ_CONTEXT = Way(fields=_CONTEXT.fields)
_BLOCK = {"decision": "block", "reason": TEXT}

_REPLIES = ReplyTable(
    name="copilot",
    title="GitHub Copilot CLI",
    measured_with=("1.0.102",),
    ways={
        "PreToolUse": Ways(
            allow=_permission("allow"),
            ask=_permission("ask", is_measured=True),
            deny=_permission("deny", is_measured=True),
            rewrite=Way(fields={"modifiedArgs": INPUT}, is_measured=True),
            context=_CONTEXT,
        ),
        "PostToolUse": Ways(context=_CONTEXT, result=Way(fields=_RESULT, is_measured=True)),
        "PostToolUseFailure": Ways(context=_READ_CONTEXT, result=Way(fields=_RESULT)),
        "UserPromptSubmit": Ways(deny=Way(fields=_BLOCK, is_measured=True), context=_CONTEXT),
        "SessionStart": Ways(context=_CONTEXT),
        "SubAgentStart": Ways(context=_READ_CONTEXT),
        "AgentStop": Ways(deny=Way(fields=_BLOCK, is_measured=True)),
        "SubAgentStop": Ways(deny=Way(fields=_BLOCK)),
    },
)


def _payload(event: Event, own_event: str) -> dict[str, Any]:
    if own_event[:1].isupper():  # the form that VS Code reads
        shaped = claudes_payload(event, DIALECT, own_event)
        return shaped | {"tool_name": own_tool(event, CLAUDE)[0]} if event.tool_name else shaped
    payload: dict[str, Any] = {
        "sessionId": event.session_id,
        "timestamp": known(event, "timestamp", 0) or milliseconds(),
        "cwd": event.cwd,
    }
    if event.tool_name:
        name, tool_input = own_tool(event, DIALECT)
        payload |= {"toolName": name, "toolArgs": {} if tool_input is None else tool_input}
    return payload | _about(event)


def _about(event: Event) -> dict[str, Any]:
    """Return the fields that only this event has."""
    if event.event == "PostToolUse":
        return {"toolResult": _result(event)}
    if event.event == "PostToolUseFailure":
        return {"error": event.tool_error or whole_text(event)}
    if event.event == "UserPromptSubmit":
        return {"prompt": event.prompt}
    stop = {"transcriptPath": "", "stopReason": "end_turn", "stop_hook_active": False}
    fields: dict[str, dict[str, Any]] = {
        "SessionStart": {"source": "new", "initialPrompt": event.prompt},
        "SessionEnd": {"reason": "complete"},
        "AgentStop": stop,
        "SubAgentStop": stop,
    }
    return {key: known(event, key, value) for key, value in fields.get(event.event, {}).items()}


def _result(event: Event) -> Any:
    response = event.tool_response
    if isinstance(response, dict) and "resultType" in response:
        return response
    return {"resultType": "success", "textResultForLlm": whole_text(event)}


_BLOCKABLE = ("AgentStop", "SubAgentStop", "UserPromptSubmit")
_ANSWERS = AnswerFormat(
    refusing_exits=(),
    verdicts=(
        VerdictField(key="permissionDecision", verdicts=PERMISSIONS, events=("PreToolUse",)),
        VerdictField(key="decision", verdicts={"block": Verdict.DENY}, events=_BLOCKABLE),
    ),
    reasons=("permissionDecisionReason", "reason"),
    context=("additionalContext",),
    rewrites=("modifiedArgs",),
)
_CLAUDES = _ANSWERS.replace(  # at events that are spelled with a capital
    verdicts=(*_ANSWERS.verdicts, PERMISSION.replace(verdicts=PERMISSIONS)),
    reasons=(*_ANSWERS.reasons, *ANSWERS.reasons[:1]),
    context=(*_ANSWERS.context, *ANSWERS.context),
    rewrites=(*_ANSWERS.rewrites, *ANSWERS.rewrites),
)


def _read(output: HandlerOutput, event: Event) -> ParsedAnswer:
    """Return what Copilot reads: exit code 2 is laid over the JSON, lines of progress are left out."""
    output = output.replace(stdout=_without_progress(output.stdout))
    answers = _CLAUDES if output.own_event[:1].isupper() else _ANSWERS
    if output.exit_code != EXIT_DENY or event.event not in ("PreToolUse", "PostToolUseFailure"):
        return answers.read(output, event)
    said = answers.read(output.replace(exit_code=0), event).opinion
    reason = output.stderr.strip()
    if event.event == "PreToolUse":
        opinion = said.replace(verdict=Verdict.DENY, message=said.message or reason, updated_input=None)
    else:
        opinion = said.replace(context=said.context or ((reason,) if reason else ()))
    return ParsedAnswer(opinion=opinion)


def _without_progress(printed: str) -> str:
    """Return *printed* without the lines that are one object whose type is progress."""
    if "progress" not in printed:
        return printed
    return "".join(line for line in printed.splitlines(keepends=True) if not _is_progress(line))


def _is_progress(line: str) -> bool:
    document = only_object(line) if "progress" in line else None
    return document is not None and document.get("type") == "progress"


PROTOCOL = Protocol(replies=_REPLIES, write_payload=_payload, read_answer=_read)
