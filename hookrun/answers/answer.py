"""An outcome becomes an answer by the kind of its hook. Knows no process; policy over several is decide's."""

from __future__ import annotations

from hookrun.agents import NEUTRAL
from hookrun.answers.hint_text import is_marked, marked_hint, read_hint, trimmed
from hookrun.model.constants import (
    BY_FAILURE,
    BY_GUARD,
    BY_LIMIT,
    BY_TRUST,
    CHANGED,
    COMMAND,
    CONTRIBUTED,
    FAILED,
    GONE,
    GUARD,
    KILLED,
    NOT_STARTED,
    OVER_LIMIT,
    PLANNED,
    RAN,
    SETTINGS,
    TIMED_OUT,
    TOOL_HINT,
    UI,
    UNTRUSTED,
)
from hookrun.model.events import event_named
from hookrun.model.values import Answer, Outcome, Problem, Verdict

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.model.opinion import Opinion
    from hookrun.model.values import Event, Hint, Hook

_ENDED = "ended"
_EXIT_OK = 0
_HANDLER_RETURNED = Outcome(status=_ENDED)
_EXIT_DENY = 2
_VERDICT_BY_ON_FAILURE = {"deny": Verdict.DENY, "ask": Verdict.ASK, "allow": Verdict.NO_OPINION}
_VERDICT_BY_ON_UNTRUSTED = {"deny": Verdict.DENY, "ask": Verdict.ASK}
_NO_REASON = "denied without a reason (exit 2, nothing on stderr)"
_REFUSAL_COUNTS = "fix it; the refusal counts all the same"
_IN_OUR_WORDS = 'to refuse, answer {"decision": "deny", "reason": "..."} or exit with 2'
_OVER_LIMIT = "more hooks match than may run for one event; hint: raise limits.process_hooks"


def read_answer(
    hook: Hook,
    outcome: Outcome,
    event: Event,
    *,
    on_failure: str = "deny",
    on_untrusted: str = "",
    on_missing: str = "ask",
) -> Answer:
    """Return what *outcome* says about *event*.

    *on_failure* (deny, ask or allow) is what a guard's failure means where *hook* itself does not say;
    an unknown word means deny. A failure never allows: it denies, asks or is no opinion.
    *on_untrusted* (ask, deny, or skip, which is "" too) is what it means that a guard was never trusted,
    *on_missing* (the same words) that this branch does not have a trusted one.
    """
    if outcome.status == PLANNED:
        return Answer(hook=hook, outcome=outcome, status=outcome.status, message=outcome.cause)
    if outcome.status in (UNTRUSTED, CHANGED, GONE):
        return _not_trusted(hook, outcome, event, on_untrusted, on_missing)
    if outcome.status == OVER_LIMIT:
        return _over_limit(hook, outcome, event)
    if hook.kind == SETTINGS:
        from hookrun.answers.agent import read_agent_answer

        return read_agent_answer(hook, outcome, event, on_failure=on_failure)
    if_failed = verdict_of_failure(hook, event, on_failure)
    if outcome.status == _ENDED and outcome.exit_code == _EXIT_OK:
        return _shown(hook, outcome, event) if _only_shows(hook) else _said(hook, outcome, event, if_failed)
    if outcome.status == _ENDED and outcome.exit_code == _EXIT_DENY and not _only_shows(hook):
        return _denied(hook, outcome)
    return failed_answer(hook, outcome, if_failed, _failure_message(hook, outcome))


def _over_limit(hook: Hook, outcome: Outcome, event: Event) -> Answer:
    is_denied = fails_closed(hook, event)
    return Answer(
        hook=hook,
        outcome=outcome,
        status=OVER_LIMIT,
        verdict=Verdict.DENY if is_denied else Verdict.NO_OPINION,
        decided_by=BY_LIMIT if is_denied else None,
        message=f"did not run: {outcome.cause or _OVER_LIMIT}",
    )


def _not_trusted(hook: Hook, outcome: Outcome, event: Event, on_untrusted: str, on_missing: str) -> Answer:
    """A guard that was trusted once denies until that is settled; one that never was, or that this branch
    does not have, is what it is set to."""
    verdict = Verdict.NO_OPINION
    if fails_closed(hook, event):
        verdict = {
            CHANGED: Verdict.DENY,
            GONE: _VERDICT_BY_ON_UNTRUSTED.get(on_missing, Verdict.NO_OPINION),
            UNTRUSTED: _VERDICT_BY_ON_UNTRUSTED.get(on_untrusted, Verdict.NO_OPINION),
        }[outcome.status]
    is_settled = outcome.status == GONE and not verdict  # the user has said that it is passed over
    said_before = outcome.status == UNTRUSTED  # once for all of them, when they are found
    problem = Problem(message=f"did not run: {outcome.cause}", level="error", source=hook.file, hint=outcome.hint)
    return Answer(
        hook=hook,
        outcome=outcome,
        status=UNTRUSTED,
        verdict=verdict,
        decided_by=BY_TRUST if verdict else None,
        message=outcome.cause,
        problems=() if said_before or is_settled else (problem,),
    )


def fails_closed(hook: Hook, event: Event) -> bool:
    """Return whether a failure of *hook* denies by default. On AgentStop and its like it would loop an agent."""
    known = event_named(event.event)
    return hook.role == GUARD and not _only_shows(hook) and known is not None and known.guarded


def _only_shows(hook: Hook) -> bool:
    return hook.kind in (UI, COMMAND)


def verdict_of_failure(hook: Hook, event: Event, on_failure: str) -> Verdict:
    """Return what it means that *hook* fails: what it says itself, else *on_failure* (deny, ask or allow)."""
    if not fails_closed(hook, event):
        return Verdict.NO_OPINION
    return _VERDICT_BY_ON_FAILURE.get(hook.on_failure or on_failure, Verdict.DENY)


def _shown(hook: Hook, outcome: Outcome, event: Event) -> Answer:
    text = trimmed(outcome.stdout)
    problems = []
    if "{" in text and not is_marked(text):
        from hookrun.answers.output import has_decision

        if has_decision(text, event):
            problems.append(_problem(hook, "prints a decision, and ui triggers cannot decide", "contribute a hook"))
    is_hint = hook.widget is not None and hook.widget.slot == TOOL_HINT
    hint = read_hint(hook, text) if is_hint else None
    if hint and not _is_about_a_tool(event):
        problems.append(_problem(hook, f"prints a tool hint, and {event.event} is about no tool", "use another slot"))
        hint = None
    return Answer(hook=hook, outcome=outcome, status=RAN, hint=hint, problems=tuple(problems))


def _problem(hook: Hook, message: str, hint: str) -> Problem:
    return Problem(message=message, hint=hint, source=hook.file, where=hook.title)


def _is_about_a_tool(event: Event) -> bool:
    known = event_named(event.event)
    return bool(event.tool_name) or (known is not None and known.has_tool)


def _denied(hook: Hook, outcome: Outcome) -> Answer:
    denial = Answer(
        hook=hook,
        outcome=outcome,
        status=RAN,
        verdict=Verdict.DENY,
        decided_by=BY_GUARD,
        message=outcome.stderr.strip(),
    )
    printed = outcome.stdout + outcome.stdout_tail
    if "{" in printed:
        from hookrun.answers.output import read_denial

        said = read_denial(printed)
        denial = denial.replace(
            message=denial.message or (said.message if said.verdict == Verdict.DENY else ""),
            user_messages=said.user_messages,
            halt=said.halt,
        )
    return denial if denial.message else denial.replace(message=_NO_REASON)


def _said(hook: Hook, outcome: Outcome, event: Event, if_failed: Verdict) -> Answer:
    """Return what a hook that ended with 0 said: JSON with an answer, or text, which is a hint or context."""
    text = trimmed(outcome.stdout)
    answer = _text_answer(hook, outcome, event, text)
    may_hold_json = "{" in text or "{" in outcome.stderr or "{" in outcome.stderr_tail
    if not may_hold_json and not outcome.stdout_was_cut:
        return answer
    from hookrun.answers.output import lost_with_cut, read_output

    whole = trimmed(outcome.stdout + outcome.stdout_tail) if outcome.stdout_was_cut else text
    stderr = outcome.stderr + outcome.stderr_tail
    reading = read_output(whole, stderr, event, was_cut=outcome.stdout_was_cut)
    opinion = reading.opinion
    if hook.kind == CONTRIBUTED and hook.dialect != NEUTRAL:  # a manifest that says whose words it speaks
        from hookrun.answers.agent import in_its_agents_words

        opinion = in_its_agents_words(opinion, hook.dialect, outcome, event)
    if outcome.stdout_was_cut and fails_closed(hook, event):
        opinion = lost_with_cut(opinion)
    if not (reading.is_text or is_marked(text)):
        answer = answer.replace(context=(), hint=None)
    return _with_opinion(answer, opinion, event, if_failed)


def _text_answer(hook: Hook, outcome: Outcome, event: Event, text: str) -> Answer:
    """Return the answer that *text*, trimmed stdout, is if it holds no JSON: a hint, or else context."""
    hint = _hint_of(hook, text, event)
    if hint and _is_about_a_tool(event):
        return Answer(hook=hook, outcome=outcome, status=RAN, hint=hint)
    shown = hint.text if hint else "" if is_marked(text) else text
    return Answer(hook=hook, outcome=outcome, status=RAN, context=(shown,) if shown else ())


def _hint_of(hook: Hook, text: str, event: Event) -> Hint | None:
    """Return the hint that *text* is: by its mark, or because the run is that of a trigger, too."""
    if hook.shows and hook.widget and hook.widget.slot == TOOL_HINT and _is_about_a_tool(event):
        return read_hint(hook, text)
    return marked_hint(hook, text) if is_marked(text) else None


def _with_opinion(answer: Answer, opinion: Opinion, event: Event, if_failed: Verdict) -> Answer:
    hook, outcome = answer.hook, answer.outcome
    problems = [problem.replace(source=hook.file, where=hook.title) for problem in opinion.problems]
    if opinion.foreign and not opinion.is_strict:
        if fails_closed(hook, event):
            opinion = opinion.replace(faults=(*opinion.faults, *opinion.foreign))
        else:
            problems += [_problem(hook, f"its answer: {said}", _IN_OUR_WORDS) for said in opinion.foreign]
    if opinion.faults and not (opinion.is_strict and opinion.verdict >= if_failed):
        message = _failure_message(hook, outcome, "; ".join(opinion.faults))
        return failed_answer(hook, outcome, if_failed, message, tuple(problems))
    problems += [_problem(hook, f"bad answer: {fault}", _REFUSAL_COUNTS) for fault in opinion.faults]
    if opinion.updated_input is not None and opinion.verdict != Verdict.DENY and not _can_be_rewritten(event):
        problems.append(_problem(hook, f"{event.event} has no input to rewrite", "leave out updatedInput"))
    reason = opinion.message or (_reason(outcome, opinion.verdict) if opinion.is_strict else "")
    return with_opinion(answer, opinion, event, reason, tuple(problems))


def with_opinion(answer: Answer, opinion: Opinion, event: Event, reason: str, problems: tuple[Problem, ...]) -> Answer:
    """Return *answer* with what *opinion* says: a rewrite only where the input can still be changed."""
    is_rewritten = opinion.verdict != Verdict.DENY and _can_be_rewritten(event)
    return answer.replace(
        verdict=opinion.verdict,
        decided_by=BY_GUARD if opinion.verdict else None,
        message=reason,
        updated_input=opinion.updated_input if is_rewritten else None,
        context=(*answer.context, *opinion.context),
        feedback=opinion.feedback,
        user_messages=opinion.user_messages,
        halt=opinion.halt,
        data=opinion.data,
        problems=problems,
    )


def _can_be_rewritten(event: Event) -> bool:
    known = event_named(event.event)
    return known is not None and known.has_tool and known.stops


def _reason(outcome: Outcome, verdict: Verdict) -> str:
    return outcome.stderr.strip() or f"answered {verdict.word} without a reason"


def _failure_message(hook: Hook, outcome: Outcome, fault: str = "") -> str:
    from hookrun.answers.failures import failure_message

    return failure_message(hook, outcome, fault)


def failed_answer(
    hook: Hook, outcome: Outcome, if_failed: Verdict, message: str, problems: tuple[Problem, ...] = ()
) -> Answer:
    """Return the answer of a hook that failed: the verdict *if_failed*, for the reason *message*."""
    did_not_end = outcome.status in (NOT_STARTED, TIMED_OUT, KILLED)
    return Answer(
        hook=hook,
        outcome=outcome,
        status=outcome.status if did_not_end else FAILED,
        verdict=if_failed,
        decided_by=BY_FAILURE if if_failed else None,
        message=message,
        problems=problems,
    )


def read_statement(hook: Hook, verdict: Verdict, message: str, data: Mapping[str, Any] | None) -> Answer:
    """Return the answer of a handler that ended well; *message* may be empty."""
    return Answer(
        hook=hook,
        outcome=_HANDLER_RETURNED,
        status=RAN,
        verdict=verdict,
        decided_by=BY_GUARD if verdict else None,
        message=message or ("denied without a reason" if verdict.word == "deny" else ""),
        data=data,
    )
