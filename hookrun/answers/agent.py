"""What a handler of an agent's settings said, read as that agent reads it: its words, its exit codes, its
failures. What the agent passes over without a word stays passed over, and is told."""

from __future__ import annotations

import json

from hookrun.agents import has_settings
from hookrun.agents.settings import settings_of
from hookrun.answers.agent_output import Reading, Said
from hookrun.answers.opinion import merged
from hookrun.model.constants import BY_FAILURE, BY_GUARD, FAILED, GUARD, KILLED, NOT_STARTED, RAN, TIMED_OUT
from hookrun.model.events import event_named
from hookrun.model.values import Answer, Problem, Verdict

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

    from hookrun.answers.opinion import Opinion
    from hookrun.model.values import Event, Hook, Outcome

_ENDED = "ended"
_VERDICT_BY_WORD = {"deny": Verdict.DENY, "ask": Verdict.ASK, "allow": Verdict.NO_OPINION}
_NO_REASON = "denied without a reason"


def read_agent_answer(hook: Hook, outcome: Outcome, event: Event, *, on_failure: str = "") -> Answer:
    """Return what *outcome* of a handler of an agent's settings says about *event*.

    *on_failure* (deny, ask or allow) is what a failure means where *hook* does not say; "" leaves it to the
    agent. The answer of what nobody waits for says nothing.
    """
    if outcome.status != _ENDED:
        return _failed(hook, outcome, event, on_failure, "")
    if hook.is_async:
        return Answer(hook=hook, outcome=outcome, status=RAN)
    said = Said(
        exit_code=outcome.exit_code or 0,
        stdout=outcome.stdout,
        stderr=outcome.stderr,
        own_event=json.loads(hook.entry)["event"],
    )
    reading = _reader_of(hook.dialect)(said, event)
    if outcome.stdout_was_cut:
        said = said.replace(stdout=said.stdout + outcome.stdout_tail)
        reading = _with_tail(reading, hook, said, event)
        if reading.fault:
            on_failure = on_failure or "deny"  # the agent would have read all of it
    if reading.is_failed or reading.fault:
        return _failed(
            hook, outcome, event, on_failure, reading.fault, _passed_over(hook, said, reading, event)
        )
    return _answer(hook, outcome, event, reading, _passed_over(hook, said, reading, event))


def _with_tail(reading: Reading, hook: Hook, said: Said, event: Event) -> Reading:
    """Return what counts of a stdout that was cut, given the *reading* of its beginning and *said*, which has
    its end as well: a refusal. Without one a guard has failed, and so has what began as JSON."""
    if said.exit_code:
        return reading
    whole = _reader_of(hook.dialect)(said, event)
    if whole.opinion.is_strict:
        return whole.replace(opinion=whole.opinion.only_if_stricter())
    if _fails_closed(hook, event):
        return Reading(fault="stdout was cut, and the part that was kept has no refusal", lost=whole.lost)
    if reading.opinion == Reading().opinion and said.stdout.startswith("{"):
        return Reading(fault="stdout was cut and looks like JSON", lost=whole.lost)
    return reading


def in_its_agents_words(opinion: Opinion, agent: str, outcome: Outcome, event: Event) -> Opinion:
    """Return *opinion*, read in hookrun's words, with what *agent* would read there besides."""
    if not has_settings(agent):
        return opinion
    reader = _reader_of(agent)
    stdout = outcome.stdout + outcome.stdout_tail
    theirs = reader(Said(exit_code=0, stdout=stdout, stderr="", own_event=event.event), event).opinion
    both = merged([opinion, theirs.only_if_stricter() if outcome.stdout_was_cut else theirs])
    context, told = (tuple(dict.fromkeys(texts)) for texts in (both.context, both.user_messages))
    return both.replace(context=context, user_messages=told)


def _reader_of(agent: str) -> Callable[[Said, Event], Reading]:
    if agent in ("claude", "qwen"):
        from hookrun.answers import agent_claude

        return agent_claude.read_claude if agent == "claude" else agent_claude.read_qwen
    if agent == "codex":
        from hookrun.answers.agent_codex import read_codex

        return read_codex
    if agent == "gemini":
        from hookrun.answers.agent_gemini import read_gemini

        return read_gemini
    from hookrun.answers.agent_others import READERS

    return READERS[agent]


def _answer(
    hook: Hook, outcome: Outcome, event: Event, reading: Reading, problems: tuple[Problem, ...]
) -> Answer:
    opinion = reading.opinion
    reason = opinion.message or (outcome.stderr.strip() if opinion.is_strict else "")
    known = event_named(event.event)
    can_be_rewritten = (
        known is not None and known.has_tool and known.stops and opinion.verdict != Verdict.DENY
    )
    return Answer(
        hook=hook,
        outcome=outcome,
        status=RAN,
        verdict=opinion.verdict,
        decided_by=BY_GUARD if opinion.verdict else None,
        message=reason or (_NO_REASON if opinion.verdict == Verdict.DENY else ""),
        updated_input=opinion.updated_input if can_be_rewritten else None,
        context=opinion.context,
        feedback=opinion.feedback,
        user_messages=opinion.user_messages,
        halt=opinion.halt,
        problems=problems,
    )


def _passed_over(hook: Hook, said: Said, reading: Reading, event: Event) -> tuple[Problem, ...]:
    """Return what the agent goes on in spite of: a refusal that it does not read, and what it says of it."""
    title = settings_of(hook.dialect).title
    problems = [
        Problem(
            message=f"{title} {lost}",
            source=hook.file,
            where=hook.title,
            hint=settings_of(hook.dialect).refusal_hint,
        )
        for lost in reading.lost
    ]
    if not problems and ("{" in said.stdout or "{" in said.stderr):
        from hookrun.answers.output import read_output

        meant = read_output(said.stdout.strip(), said.stderr, event).opinion
        if meant.is_strict and meant.verdict > reading.opinion.verdict:
            what = f"does not read the {meant.verdict.word!r} in its output, and goes on"
            problems.append(
                Problem(
                    message=f"{title} {what}",
                    level="error",
                    source=hook.file,
                    where=hook.title,
                    hint=settings_of(hook.dialect).refusal_hint,
                )
            )
    return tuple(problems)


def _failed(
    hook: Hook,
    outcome: Outcome,
    event: Event,
    on_failure: str,
    fault: str,
    problems: tuple[Problem, ...] = (),
) -> Answer:
    from hookrun.answers.failures import failure_message

    did_not_end = outcome.status in (NOT_STARTED, TIMED_OUT, KILLED)
    verdict = _verdict_of_failure(hook, event, on_failure)
    message = failure_message(hook, outcome)
    if fault:
        hint = settings_of(hook.dialect).refusal_hint or "print one JSON object"
        message = f"failed: bad answer: {fault}; hint: {hint}"
    if not verdict and hook.role == GUARD:
        message += f"; {settings_of(hook.dialect).title} goes on all the same"
    return Answer(
        hook=hook,
        outcome=outcome,
        status=outcome.status if did_not_end else FAILED,
        verdict=verdict,
        decided_by=BY_FAILURE if verdict else None,
        message=message,
        problems=problems,
    )


def _verdict_of_failure(hook: Hook, event: Event, on_failure: str) -> Verdict:
    if not _fails_closed(hook, event):
        return Verdict.NO_OPINION
    return _VERDICT_BY_WORD.get(hook.on_failure or on_failure or "allow", Verdict.DENY)


def _fails_closed(hook: Hook, event: Event) -> bool:
    known = event_named(event.event)
    return hook.role == GUARD and known is not None and known.guarded
