"""A decision as people read it and as programs do (docs/cli.md has the shape)."""

from __future__ import annotations

from hookrun.model import constants

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from hookrun.model.values import Answer, Decision, Hint, Hook


MOST_LINES = 20  # of a hook's stderr, in text


def decision_document(decision: Decision, taken: Sequence[str] | bool = False) -> dict[str, Any]:
    """Return *decision* as one JSON-ready mapping; *taken* says whether its hints are handed out with it."""
    event = decision.event
    return {
        "event": event.event,
        "event_id": event.event_id,
        "tool_name": event.tool_name or None,
        "tool": event.tool or None,
        "decision": decision.verdict.word,
        "decided_by": decision.decided_by,
        "message": decision.message,
        "updated_input": decision.updated_input,
        "context": list(decision.context),
        "feedback": list(decision.feedback),
        "user_messages": list(decision.user_messages),
        "halt": decision.halt,
        "result": decision.result,
        "data": decision.data,
        "hints": [{**hint_document(hint), "taken": bool(taken)} for hint in decision.hints],
        "outcomes": [outcome_document(answer) for answer in decision.answers],
        "problems": [problem.document() for problem in decision.problems],
        "duration_ms": milliseconds(decision.seconds),
    }


def hint_document(hint: Hint) -> dict[str, Any]:
    """Return a hint as a JSON-ready mapping."""
    return {"hook": hint.hook, "format": hint.format, "style": hint.style, "text": hint.text}


def outcome_document(answer: Answer) -> dict[str, Any]:
    """Return what one hook did and said as a JSON-ready mapping."""
    outcome = answer.outcome
    return {
        "hook": answer.hook.id,
        "title": answer.hook.title,
        "source": answer.hook.file,
        "status": answer.status,
        "exit_code": outcome.exit_code,
        "signal": outcome.signal,
        "duration_ms": milliseconds(outcome.seconds),
        "decision": answer.verdict.word,
        "message": answer.message,
        "stdout": outcome.stdout,
        "stderr": outcome.stderr,
    }


def milliseconds(seconds: float) -> float:
    """Return *seconds* in milliseconds, to a tenth."""
    return round(seconds * 1000, 1)


def decision_lines(decision: Decision, *, verbose: bool = False) -> list[str]:
    """Return *decision* in lines: the decision and why, what goes to the model and the user, and with
    *verbose* what each hook did."""
    lines = [_headline(decision)]
    result = None if decision.verdict else decision.result  # a block or a cancel is in the headline
    for label, value in (("updated input", decision.updated_input), ("result", result)):
        if value is not None:
            import json

            lines.append(f"{label}: {json.dumps(value)}")
    for label, texts in (
        ("context", decision.context),
        ("feedback", decision.feedback),
        ("for the user", decision.user_messages),
    ):
        lines += [f"{label}: {text}" for text in texts]
    if decision.halt:
        lines.append("the agent must stop")
    if verbose:
        lines += [line for answer in decision.answers for line in _outcome_lines(answer)]
    return lines


def failures(decision: Decision) -> list[Answer]:
    """Return the answers of hooks that failed without deciding: they are shown, and change nothing."""
    failed = (constants.FAILED, constants.NOT_STARTED, constants.TIMED_OUT, constants.KILLED)
    return [answer for answer in decision.answers if answer.status in failed and not answer.verdict]


def _headline(decision: Decision) -> str:
    if decision.verdict:
        by = f" (by {decision.decided_by})" if decision.decided_by not in (constants.BY_GUARD, None) else ""
        message = f": {decision.message}" if decision.message else ""
        return f"{decision.verdict.word}{by}{_untrusted(decision)}{message}"
    return f"no decision: {_counted(decision)}"


def _counted(decision: Decision) -> str:
    ran = [answer for answer in decision.answers if answer.status != constants.UNTRUSTED]
    matched, total = len(ran), decision.total
    hooks = "hook" if total == 1 else "hooks"
    untrusted = _untrusted(decision)
    if not matched:
        return f"0 of {total} {hooks} matched{untrusted}"
    planned = sum(answer.status == constants.PLANNED for answer in decision.answers)
    if planned:
        return f"{planned} of {total} {hooks} would run{untrusted}: {_titles(answer.hook for answer in ran)}"
    speaks = decision.context or decision.feedback or decision.user_messages or decision.result
    rest = "none decides" if speaks or decision.updated_input else "none has an opinion"
    return f"{matched} of {total} {hooks} matched{untrusted}, {rest}"


def _untrusted(decision: Decision) -> str:
    return f" ({decision.untrusted} untrusted)" if decision.untrusted else ""


def _titles(hooks: Iterable[Hook]) -> str:
    return ", ".join(hook.title for hook in hooks)


def _outcome_lines(answer: Answer) -> Iterator[str]:
    """Yield what a hook did, and what it wrote to stderr, the last lines where there are many."""
    outcome = answer.outcome
    ended = f"exit {outcome.exit_code}" if outcome.exit_code is not None else answer.status
    written = outcome.stderr.rstrip().splitlines()
    yield f"  {answer.status:<11} {milliseconds(outcome.seconds):>8.1f} ms  {ended:<10} {answer.hook.title}"
    if len(written) > MOST_LINES:
        yield f"    stderr: ... {len(written) - MOST_LINES} lines more"
    yield from (f"    stderr: {line}" for line in written[-MOST_LINES:])
