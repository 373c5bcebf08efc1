"""Read the answer of a handler of an agent's settings as that agent reads it: words, exit codes, failures.

What the agent ignores stays ignored, and a Problem says so.
"""

from __future__ import annotations

import json

from hookrun.agents import has_settings, protocol_of
from hookrun.agents.answer_format import HandlerOutput, ParsedAnswer
from hookrun.agents.settings import settings_of
from hookrun.answers.answer import failed_answer, fails_closed, verdict_of_failure, with_opinion
from hookrun.answers.failures import failure_message
from hookrun.model.constants import GUARD, RAN, TIMED_OUT
from hookrun.model.opinion import merged
from hookrun.model.values import Answer, Problem, Verdict

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from hookrun.model.opinion import Opinion
    from hookrun.model.values import Event, Hook, Outcome

_ENDED = "ended"
_NO_REASON = "denied without a reason"


def read_agent_answer(hook: Hook, outcome: Outcome, event: Event, *, on_failure: str = "") -> Answer:
    """Return what *outcome* of a handler of an agent's settings says about *event*.

    *on_failure* (deny, ask or allow) is what a failure means where *hook* does not say; "" leaves it to the
    agent. An async hook's answer is discarded.
    """
    if outcome.status != _ENDED:
        return _failed(hook, outcome, event, on_failure, "")
    if hook.is_async:
        return Answer(hook=hook, outcome=outcome, status=RAN)
    output = HandlerOutput(
        exit_code=outcome.exit_code or 0,
        stdout=outcome.stdout,
        stderr=outcome.stderr,
        own_event=json.loads(hook.entry)["event"],
    )
    parsed = _reader_of(hook.dialect)(output, event)
    if outcome.stdout_was_cut:
        output = output.replace(stdout=output.stdout + outcome.stdout_tail)
        parsed = _with_tail(parsed, hook, output, event)
        if parsed.fault:
            on_failure = on_failure or "deny"  # the agent would have read all of it
    if parsed.is_failed or parsed.fault:
        answer = _failed(hook, outcome, event, on_failure, parsed.fault)
    else:
        answer = _answer(hook, outcome, event, parsed)
    return answer.replace(problems=_ignored(answer, output, parsed, event))


def _with_tail(parsed: ParsedAnswer, hook: Hook, output: HandlerOutput, event: Event) -> ParsedAnswer:
    """Return what counts of a stdout that was cut: a refusal. Without one a guard has failed, and so has
    what began as JSON. *parsed* is its beginning, *output* has its end as well."""
    if output.exit_code:
        return parsed
    whole = _reader_of(hook.dialect)(output, event)
    if whole.opinion.is_strict:
        return whole.replace(opinion=whole.opinion.only_if_stricter())
    if fails_closed(hook, event):
        return ParsedAnswer(fault="stdout was cut, and the rest of it has no refusal", lost=whole.lost)
    if parsed.opinion == ParsedAnswer().opinion and output.stdout.startswith("{"):
        return ParsedAnswer(fault="stdout was cut and looks like JSON", lost=whole.lost)
    return parsed


def in_its_agents_words(opinion: Opinion, agent: str, outcome: Outcome, event: Event) -> Opinion:
    """Return *opinion* merged with what *agent* itself reads in the same output."""
    if not has_settings(agent):
        return opinion
    reader = _reader_of(agent)
    stdout = outcome.stdout + outcome.stdout_tail
    theirs = reader(HandlerOutput(exit_code=0, stdout=stdout, stderr="", own_event=event.event), event).opinion
    both = merged([opinion, theirs.only_if_stricter() if outcome.stdout_was_cut else theirs])
    context, user_messages = (tuple(dict.fromkeys(texts)) for texts in (both.context, both.user_messages))
    return both.replace(context=context, user_messages=user_messages)


def _reader_of(agent: str) -> Callable[[HandlerOutput, Event], ParsedAnswer]:
    reader = protocol_of(agent).read_answer
    assert reader is not None, "every agent with settings reads answers"
    return reader


def _answer(hook: Hook, outcome: Outcome, event: Event, parsed: ParsedAnswer) -> Answer:
    opinion = parsed.opinion
    reason = opinion.message or (outcome.stderr.strip() if opinion.is_strict else "")
    if opinion.verdict == Verdict.DENY:
        reason = reason or _NO_REASON
    return with_opinion(Answer(hook=hook, outcome=outcome, status=RAN), opinion, event, reason, ())


def _ignored(answer: Answer, output: HandlerOutput, parsed: ParsedAnswer, event: Event) -> tuple[Problem, ...]:
    """Return what the agent goes on in spite of: a refusal that it does not read, in its own words or in
    another agent's."""
    hook, settings = answer.hook, settings_of(answer.hook.dialect)

    def problem(what: str, level: Literal["error", "warning"] = "warning") -> Problem:
        message, hint = f"{settings.title} {what}", settings.refusal_hint
        return Problem(message=message, level=level, source=hook.file, where=hook.title, hint=hint)

    problems = [problem(lost) for lost in parsed.lost]
    if not problems and ("{" in output.stdout or "{" in output.stderr):
        from hookrun.answers.output import read_output

        meant = read_output(output.stdout.strip(), output.stderr, event).opinion
        if meant.is_strict and meant.verdict > max(parsed.opinion.verdict, answer.verdict):
            why = f": {parsed.fault}" if parsed.fault else ""
            what = f"does not read the {meant.verdict.word!r} in its output, and goes on{why}"
            problems.append(problem(what, "error"))
        elif meant.foreign and not answer.verdict > Verdict.ALLOW:
            problems += [problem(f"goes on: {said}", "error") for said in meant.foreign]
    return tuple(problems)


def _was_its_own_time(outcome: Outcome) -> bool:
    """Say whether a hook took longer than its own timeout, rather than all hooks of the event together."""
    return not outcome.cause or outcome.cause.startswith("timed out after")


def _failed(hook: Hook, outcome: Outcome, event: Event, on_failure: str, fault: str) -> Answer:
    settings = settings_of(hook.dialect)
    message = f"failed: bad answer: {fault}; hint: {settings.refusal_hint or 'print one JSON object'}"
    if not fault:
        message = failure_message(hook, outcome, exit_hint=settings.refusal_hint)
    if settings.opens_on_timeout and outcome.status == TIMED_OUT and _was_its_own_time(outcome):
        hook = hook.replace(on_failure=None)
    verdict = verdict_of_failure(hook, event, on_failure or "allow")
    if not verdict and hook.role == GUARD:
        message += f"; {settings.title} goes on all the same"
    return failed_answer(hook, outcome, verdict, message)
