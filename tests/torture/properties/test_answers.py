"""What holds for answers, one and several, whatever is added to them."""

from __future__ import annotations

import json
import math
from typing import Any

from answer_values import a_hook, an_answer, an_event, ended
from drawn_answers import HOOKS, KEYS, OUTCOMES, VALUES
from hypothesis import example, given
from hypothesis import strategies as st

from hookrun.answers.answer import read_answer
from hookrun.model.values import Answer, Verdict
from hookrun.pipeline.decide import decide

# From lax to strict: to allow is the only thing that takes a question away.
STRICTNESS = [Verdict.ALLOW, Verdict.NO_OPINION, Verdict.ASK, Verdict.DEFER, Verdict.DENY]
DECISIONS = st.sampled_from(["allow", "Approve", "ask", "defer", "deny", "block", "maybe", ""])
LEVELS = st.fixed_dictionaries(
    {}, optional={"decision": DECISIONS, "permissionDecision": DECISIONS, "block": st.booleans(), "reason": DECISIONS}
)
DOCUMENTS = (
    LEVELS
    | st.builds(dict, LEVELS, hookSpecificOutput=LEVELS, systemMessage=DECISIONS)
    | st.dictionaries(KEYS.filter(lambda key: key != "event_id"), DECISIONS | VALUES, max_size=4)
)
NOISE = st.lists(st.text(st.characters(exclude_characters="{")).filter(str.strip), min_size=1, max_size=3).map(
    "\n".join
)
ON_FAILURE = st.sampled_from(["deny", "ask", "allow"])


def strictness(answer: Answer) -> int:
    return STRICTNESS.index(answer.verdict)


def printed(stdout: str, stderr: str = "", on_failure: str = "deny") -> Answer:
    return read_answer(a_hook(on_failure=on_failure), ended(0, stdout, stderr), an_event())


@given(DOCUMENTS, NOISE, st.booleans(), ON_FAILURE)
def test_noise_never_makes_an_answer_laxer(
    document: dict[str, Any], noise: str, is_before: bool, on_failure: str
) -> None:
    alone = json.dumps(document)
    noisy = f"{noise}\n{alone}" if is_before else f"{alone}\n{noise}"
    assert strictness(printed(noisy, on_failure=on_failure)) >= strictness(printed(alone, on_failure=on_failure))
    assert printed(noisy).verdict != Verdict.ALLOW


@given(DOCUMENTS, st.lists(DOCUMENTS, min_size=1, max_size=2), ON_FAILURE)
def test_more_documents_never_make_an_answer_laxer(
    document: dict[str, Any], others: list[dict[str, Any]], on_failure: str
) -> None:
    alone = json.dumps(document)
    more = "\n".join(map(json.dumps, others))
    plain = strictness(printed(alone, on_failure=on_failure))
    assert strictness(printed(f"{alone}\n{more}", on_failure=on_failure)) >= plain
    assert strictness(printed(alone, more, on_failure=on_failure)) >= plain


@given(st.sampled_from(["deny", "ask", "defer", "block"]), DOCUMENTS, st.booleans())
def test_more_keys_never_take_a_refusal_back(word: str, others: dict[str, Any], is_first: bool) -> None:
    refusal = {"decision": word}
    others = {key: value for key, value in others.items() if key != "decision"}
    both = refusal | others if is_first else others | refusal
    assert printed(json.dumps(both)).verdict >= printed(json.dumps(refusal)).verdict


@given(st.text() | st.sampled_from(["allow ", " allow", "allowed", "a l l o w", "yes", "true", "ok", "proceed"]))
def test_an_unknown_word_is_never_an_allow(word: str) -> None:
    answer = printed(json.dumps({"decision": word}))
    if word.lower() not in ("allow", "approve", "ask", "defer"):
        assert answer.verdict == Verdict.DENY
        assert printed(json.dumps({"decision": word}), on_failure="allow").verdict in (Verdict.NO_OPINION, Verdict.DENY)
    assert (answer.verdict == Verdict.ALLOW) == (word.lower() in ("allow", "approve"))


@given(VALUES.filter(lambda value: not isinstance(value, str) and value is not None), st.text(max_size=3))
@example(math.nan, "")
@example(math.inf, "")
def test_a_decision_that_is_no_text_is_a_failure(value: Any, message: str) -> None:
    answer = printed(json.dumps({"decision": value, "message": message}))
    assert (answer.verdict, answer.status, answer.decided_by) == (Verdict.DENY, "failed", "failure")


ANSWERS = st.lists(
    st.builds(
        an_answer,
        st.sampled_from(Verdict),
        title=st.sampled_from("abc"),
        message=st.sampled_from(["", "m", "n"]),
        decided_by=st.sampled_from(["guard", "failure", "limit", "trust"]),
    ),
    max_size=5,
)
EVENTS = st.sampled_from(["PreToolUse", "PostToolUse", "AgentStop", "SessionStart"])


@given(ANSWERS, EVENTS, st.randoms(use_true_random=False))
def test_the_order_of_answers_does_not_change_the_verdict(answers: list[Answer], event: str, random: Any) -> None:
    decision = decide(an_event(event), answers, total=len(answers))
    shuffled = random.sample(answers, len(answers))
    other = decide(an_event(event), shuffled, total=len(answers))
    assert (decision.verdict, decision.decided_by) == (other.verdict, other.decided_by)
    assert sorted(decision.message.splitlines()) == sorted(other.message.splitlines())


@given(ANSWERS, ANSWERS, EVENTS)
def test_more_answers_never_take_a_refusal_or_its_reason_back(
    answers: list[Answer], more: list[Answer], event: str
) -> None:
    few = decide(an_event(event), answers, total=len(answers))
    many = decide(an_event(event), [*answers, *more], total=len(answers) + len(more))
    assert many.verdict >= few.verdict
    if few.verdict > Verdict.ALLOW:
        assert set(few.message.splitlines()) <= set(many.message.splitlines())
    assert set(few.feedback) <= set(many.feedback)


@given(st.lists(st.tuples(HOOKS, OUTCOMES), max_size=4))
def test_what_denies_alone_denies_among_others(pairs: list[tuple[Any, Any]]) -> None:
    event = an_event()
    answers = [read_answer(hook, outcome, event) for hook, outcome in pairs]
    decision = decide(event, answers, total=len(answers))
    assert (decision.verdict == Verdict.DENY) == any(answer.verdict == Verdict.DENY for answer in answers)
    assert (decision.decided_by is None) == (decision.verdict == Verdict.NO_OPINION)
    assert decision.message or decision.verdict <= Verdict.ALLOW
