"""Gemini CLI, measured with 0.61.0 where it says so. An `ask` without a terminal hangs it for good."""

from __future__ import annotations

from hookrun.agents.answer_format import AnswerFormat, ParsedAnswer, VerdictField, only_object, trimmed
from hookrun.agents.gemini.names import DIALECT
from hookrun.agents.own_payload import in_claudes_shape, known, own_tool, timestamp, whole_text
from hookrun.agents.reply.encodings import EVENT, INPUT, TEXT, ReplyTable, Way, Ways
from hookrun.agents.shape import Protocol
from hookrun.model.opinion import Opinion
from hookrun.model.values import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookrun.agents.answer_format import HandlerOutput
    from hookrun.model.values import Event

_OWN = "hookSpecificOutput"
_NAMED = {f"{_OWN}.hookEventName": EVENT}
_HALT = Way(fields={"continue": False, "stopReason": TEXT})
_USER = Way(fields={"systemMessage": TEXT})
_DENY = Way(fields={"decision": "deny", "reason": TEXT}, is_measured=True)
_CONTEXT = Way(fields=_NAMED | {f"{_OWN}.additionalContext": TEXT}, is_measured=True)
_RESULT = _DENY.replace(is_alone=True)  # context beside a deny is lost (measured)
_AFTER = Ways(context=_CONTEXT, result=_RESULT, halt=_HALT, user=_USER)  # a deny takes the result's place

_REPLIES = ReplyTable(
    name="gemini",
    title="Gemini CLI",
    measured_with=("0.61.0",),
    ways={
        "PreToolUse": Ways(
            allow=Way(fields={"decision": "allow", "reason": TEXT}),
            ask=Way(fields={"decision": "ask", "reason": TEXT}, needs_terminal=True),
            deny=_DENY,
            rewrite=Way(fields=_NAMED | {f"{_OWN}.tool_input": INPUT}, is_measured=True),
            halt=_HALT,
            user=_USER,
        ),
        "PostToolUse": _AFTER,
        "PostToolUseFailure": _AFTER,
        "UserPromptSubmit": Ways(deny=_DENY, context=_CONTEXT, halt=_HALT, user=_USER),
        "AgentStop": Ways(deny=_DENY, halt=_HALT, user=_USER),
        "SessionStart": Ways(context=_CONTEXT, user=_USER),
    },
    otherwise=Ways(user=_USER),
    is_prompted_by_stops=True,
    lays_over=True,
    shows_stderr=True,
)


def _payload(event: Event, own_event: str) -> dict[str, Any]:
    payload = in_claudes_shape(
        event,
        DIALECT,
        own_event,
        common={"timestamp": timestamp(event)},
        result={"tool_response": _response(event)},
        call_id=None,
        leaves_out=("last_assistant_message", "custom_instructions"),
    )
    if event.event == "AgentStop":
        said = known(event, "prompt_response", known(event, "last_assistant_message", ""))
        payload |= {"prompt": event.prompt, "prompt_response": said}
    return payload


def _response(event: Event) -> Any:
    if event.dialect == DIALECT.name and event.tool_response is not None:
        return event.tool_response
    text = whole_text(event)
    response: dict[str, Any] = {"llmContent": text or event.tool_error, "returnDisplay": text or event.tool_error}
    if event.event == "PostToolUseFailure":
        response["error"] = {"message": event.tool_error or text}
    return response


_ANSWERS = AnswerFormat(
    verdicts=(
        VerdictField(
            key="decision",
            verdicts={
                "allow": Verdict.ALLOW,
                "approve": Verdict.ALLOW,
                "ask": Verdict.ASK,
                "deny": Verdict.DENY,
                "block": Verdict.DENY,
            },
            unknown='knows no "decision": {word!r}, and goes on',
        ),
    ),
    halts=True,
    reasons=("reason",),
    context=(f"{_OWN}.additionalContext",),
    user_messages=("systemMessage",),
    rewrites=(f"{_OWN}.tool_input",),
)
_WARNS = 1  # the exit code after which text is a warning


def _answer(output: HandlerOutput, event: Event) -> ParsedAnswer:
    """Return what Gemini CLI reads: stdout, or else stderr, as JSON or as text.

    Text is a message after exit 0, a warning after exit 1 and a refusal after any other; without any text
    no exit code blocks.
    """
    printed = trimmed(output.stdout) or trimmed(output.stderr)
    if not printed:
        fault = f"exit {output.exit_code} without any text blocks nothing" if output.exit_code else ""
        return ParsedAnswer(fault=fault)
    document = only_object(_unwrapped(printed))
    if document is None and output.exit_code == 0:
        return ParsedAnswer(opinion=Opinion(user_messages=(printed,)))
    if document is None:
        is_warning = output.exit_code == _WARNS
        opinion = Opinion() if is_warning else Opinion(verdict=Verdict.DENY, message=printed)
        return ParsedAnswer(opinion=opinion, is_failed=is_warning)
    answer = _ANSWERS.of_document(document, event)
    opinion = answer.opinion
    if opinion.updated_input is not None:  # what it does not find there stays as it was
        _, before = own_tool(event, DIALECT)
        whole = {**(before if isinstance(before, dict) else {}), **opinion.updated_input}
        opinion = opinion.replace(updated_input=whole)
    return answer.replace(opinion=opinion, is_failed=output.exit_code != 0 and not opinion.verdict)


def _unwrapped(printed: str) -> str:
    """Return the text that *printed* is as a JSON string, which Gemini CLI reads as JSON once more."""
    if not printed.startswith('"'):
        return printed
    import json

    try:
        return str(json.loads(printed))
    except (ValueError, RecursionError):
        return printed


PROTOCOL = Protocol(replies=_REPLIES, write_payload=_payload, read_answer=_answer)
