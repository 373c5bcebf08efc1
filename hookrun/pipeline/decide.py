"""Answers become the one decision for an event: all policy over several hooks, and nothing else."""

from __future__ import annotations

from hookrun.model.constants import BY_FAILURE, BY_GUARD, BY_LIMIT, BY_TRUST
from hookrun.model.events import event_named
from hookrun.model.opinion import added_up, strictest
from hookrun.model.values import Decision, Problem, Verdict

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hookrun.model.values import Answer, Event, Hint

# Who is named when several stand behind the strictest verdict: an intent before a mishap.
_PREFERENCE = (BY_GUARD, BY_LIMIT, BY_TRUST, BY_FAILURE)


def decide(
    event: Event, answers: Sequence[Answer], *, total: int, problems: Sequence[Problem] = (), seconds: float = 0.0
) -> Decision:
    """Return the decision that *answers*, in registry order, add up to.

    deny > defer > ask > allow > no opinion. On an event that nothing can stop, a deny, defer or ask becomes
    feedback. *total* counts the hooks in force, *seconds* is the whole run, *problems* come first.
    """
    can_be_stopped = _can_be_stopped(event)
    verdicts = [_effective(answer, can_be_stopped) for answer in answers]
    verdict = strictest(verdicts)
    updated_input, clashes = _rewrite(answers) if verdict != Verdict.DENY else (None, ())
    return Decision(
        event=event,
        verdict=verdict,
        decided_by=_decided_by(answers, verdicts, verdict),
        message=_message(answers, verdicts, verdict),
        updated_input=updated_input,
        **added_up(answers)
        | {"feedback": tuple(text for answer in answers for text in _feedback(answer, can_be_stopped))},
        hints=_hints(answers),
        answers=tuple(answers),
        problems=_problems(problems, answers, clashes),
        total=total,
        seconds=seconds,
    )


def refuse(
    event: Event,
    message: str,
    decided_by: str,
    *,
    answers: Sequence[Answer] = (),
    total: int = 0,
    problems: Sequence[Problem] = (),
    seconds: float = 0.0,
) -> Decision:
    """Return *event* denied for a reason that no hook gave: nesting too deep, or a failure of our own.

    *answers* are listed with it, and what they say has no part in it.
    Only PreToolUse and UserPromptSubmit are denied so. On other events *message* is a Problem: without
    an explicit answer a refusal could loop an agent for ever.
    """
    known = event_named(event.event)
    is_denied = known is not None and known.guarded
    refusal = () if is_denied else (Problem(message=message, level="error"),)
    return Decision(
        event=event,
        verdict=Verdict.DENY if is_denied else Verdict.NO_OPINION,
        decided_by=decided_by if is_denied else None,
        message=message if is_denied else "",
        answers=tuple(answers),
        problems=_problems((*refusal, *problems), answers, ()),
        total=total,
        seconds=seconds,
    )


def _can_be_stopped(event: Event) -> bool:
    known = event_named(event.event)
    return known is not None and known.stops


def _effective(answer: Answer, can_be_stopped: bool) -> Verdict:
    is_refusal = answer.verdict > Verdict.ALLOW
    return Verdict.NO_OPINION if is_refusal and not can_be_stopped else answer.verdict


def _decided_by(answers: Sequence[Answer], verdicts: Sequence[Verdict], verdict: Verdict) -> str | None:
    if verdict == Verdict.NO_OPINION:
        return None
    deciders = {answer.decided_by for answer, its in zip(answers, verdicts, strict=True) if its == verdict}
    return next((decider for decider in _PREFERENCE if decider in deciders), None)


def _message(answers: Sequence[Answer], verdicts: Sequence[Verdict], verdict: Verdict) -> str:
    opinions = [pair for pair in zip(answers, verdicts, strict=True) if pair[0].message and pair[1]]
    if not opinions:
        return ""
    deciding = [answer for answer, its in opinions if its == verdict]
    others = [answer for answer, its in opinions if Verdict.ALLOW < its < verdict]
    return "\n".join(f"{answer.hook.title}: {answer.message}" for answer in (*deciding, *others))


def _feedback(answer: Answer, can_be_stopped: bool) -> tuple[str, ...]:
    is_refusal = answer.verdict > Verdict.ALLOW and not can_be_stopped
    return (answer.message, *answer.feedback) if is_refusal and answer.message else answer.feedback


def _rewrite(answers: Sequence[Answer]) -> tuple[Mapping[str, Any] | None, tuple[Problem, ...]]:
    """Return the rewritten input that holds, and a Problem for each other that is lost.

    A serial hook has seen the rewrite of those before it, so that its own takes their place.
    """
    chosen: Answer | None = None
    clashes: list[Problem] = []
    for answer in answers:
        if answer.updated_input is None:
            continue
        if chosen is None or answer.hook.serial:
            chosen = answer
        elif answer.updated_input != chosen.updated_input:
            clashes.append(_clash(answer, chosen))
    return (chosen.updated_input if chosen else None), tuple(clashes)


def _clash(answer: Answer, chosen: Answer) -> Problem:
    return Problem(
        message=f"its rewritten input is lost, since {chosen.hook.title} has rewritten it first",
        source=answer.hook.file,
        where=answer.hook.title,
        hint="mark one of the two serial, so that it sees what the other did",
    )


def _hints(answers: Sequence[Answer]) -> tuple[Hint, ...]:
    hints = [answer.hint for answer in answers if answer.hint]
    return tuple(sorted(hints, key=lambda hint: hint.priority))


def _problems(given: Sequence[Problem], answers: Sequence[Answer], clashes: Sequence[Problem]) -> tuple[Problem, ...]:
    of_answers = [problem for answer in answers for problem in answer.problems]
    of_outcomes = [problem for answer in answers for problem in answer.outcome.problems]
    return tuple(dict.fromkeys((*given, *of_answers, *of_outcomes, *clashes)))
