"""Gemini CLI, measured with 0.61.0 where it says so. An `ask` without a terminal hangs it for good."""

from __future__ import annotations

from hookrun.agents import claude_like as common
from hookrun.agents.answer_format import PERMISSIONS, HandlerOutput, ParsedAnswer, VerdictField, only_object, trimmed
from hookrun.agents.claude_like import HALTED, OWN, USER, measured, own
from hookrun.agents.gemini.names import DIALECT
from hookrun.agents.own_payload import known, own_tool, timestamp, whole_text
from hookrun.agents.reply.encodings import INPUT, TEXT, ReplyTable, Way, Ways
from hookrun.agents.shape import Protocol
from hookrun.model.opinion import Opinion
from hookrun.model.values import Event, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DENY = Way(fields={"decision": "deny", "reason": TEXT}, is_measured=True)
_CONTEXT = measured(common.CONTEXT)
_RESULT = _DENY.replace(is_alone=True)  # context beside a deny is lost (measured)
_AFTER = HALTED.replace(context=_CONTEXT, result=_RESULT)  # a deny takes the result's place

_REPLIES = ReplyTable(
    name="gemini",
    title="Gemini CLI",
    measured_with=("0.61.0",),
    ways={
        "PreToolUse": HALTED.replace(
            allow=Way(fields={"decision": "allow", "reason": TEXT}),
            ask=Way(fields={"decision": "ask", "reason": TEXT}, needs_terminal=True),
            deny=_DENY,
            rewrite=measured(own(tool_input=INPUT)),
        ),
        "PostToolUse": _AFTER,
        "PostToolUseFailure": _AFTER,
        "UserPromptSubmit": HALTED.replace(deny=_DENY, context=_CONTEXT),
        "AgentStop": HALTED.replace(deny=_DENY),
        "SessionStart": Ways(context=_CONTEXT, user=USER),
    },
    otherwise=Ways(user=USER),
    is_prompted_by_stops=True,
    lays_over=True,
    shows_stderr=True,
)


def _payload(event: Event, own_event: str) -> dict[str, Any]:
    payload = common.in_claudes_shape(
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


_ANSWERS = common.ANSWERS.replace(
    verdicts=(
        VerdictField(
            key="decision",
            verdicts=PERMISSIONS | {"approve": Verdict.ALLOW, "block": Verdict.DENY},
            unknown='knows no "decision": {word!r}, and goes on',
        ),
    ),
    reasons=("reason",),
    rewrites=(f"{OWN}.tool_input",),
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
