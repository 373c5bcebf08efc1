"""Answers become one decision."""

from __future__ import annotations

from itertools import permutations

import pytest
from answer_values import a_hook, an_answer, an_event, ended
from hypothesis import given
from hypothesis import strategies as st
from sweeps import sweep

from hookrun.model.events import EVENTS
from hookrun.model.values import Answer, Decision, Hint, Problem, Verdict
from hookrun.pipeline.decide import decide, refuse

NO_OPINION, ALLOW, ASK, DEFER, DENY = Verdict


def decided(*answers: Answer, event: str = "PreToolUse") -> Decision:
    return decide(an_event(event), answers, total=len(answers))


@pytest.mark.parametrize(
    ("verdicts", "word"),
    [
        ((DENY, DEFER), "deny"),
        ((DENY, ALLOW), "deny"),
        ((DEFER, ASK), "defer"),
        ((ASK, ALLOW), "ask"),
        ((ALLOW, NO_OPINION), "allow"),
        ((NO_OPINION, NO_OPINION), None),
        ((), None),
    ],
)
def test_the_strictest_verdict_wins_in_any_order(verdicts: tuple[Verdict, ...], word: str | None) -> None:
    for order in permutations(verdicts):
        decision = decided(*map(an_answer, order))
        assert decision.verdict.word == word
        assert (decision.decided_by is None) == (word is None)


@given(st.lists(st.sampled_from(Verdict)), st.sampled_from(sorted(EVENTS)))
def test_the_decision_is_the_greatest_of_the_verdicts_that_have_effect(verdicts: list[Verdict], event: str) -> None:
    stops = EVENTS[event].stops
    effective = [verdict for verdict in verdicts if stops or verdict <= ALLOW]
    assert decided(*map(an_answer, verdicts), event=event).verdict == max(effective, default=NO_OPINION)


@pytest.mark.parametrize(
    ("deciders", "expected"),
    [
        (("failure", "guard"), "guard"),
        (("trust", "limit"), "limit"),
        (("failure", "trust"), "trust"),
        (("failure",), "failure"),
        ((None,), None),
    ],
)
def test_an_intent_is_named_before_a_mishap(deciders: tuple[str | None, ...], expected: str | None) -> None:
    assert decided(*(an_answer(DENY, decided_by=decider) for decider in deciders)).decided_by == expected


def test_only_those_behind_the_strictest_verdict_are_named() -> None:
    assert decided(an_answer(ASK), an_answer(DENY, decided_by="failure")).decided_by == "failure"


def test_messages_of_the_strictest_come_first_and_say_whose_they_are() -> None:
    decision = decided(
        an_answer(ASK, "a", message="sure?"),
        an_answer(DENY, "b", message="no"),
        an_answer(ALLOW, "c", message="fine"),
        an_answer(NO_OPINION, "d", message="failed: exit 1"),
        an_answer(DENY, "e", message="never"),
        an_answer(DENY, "f"),
    )
    assert decision.message == "b: no\ne: never\na: sure?"


def test_a_message_of_an_allow_is_told_when_the_event_is_allowed() -> None:
    allow = an_answer(ALLOW, "c", message="fine")
    assert decided(allow).message == "c: fine"
    assert decided(allow, an_answer(ASK, "a", message="sure?")).message == "a: sure?"


def test_a_long_message_stays_intact() -> None:
    assert decided(an_answer(DENY, "b", message="é" * 50_000)).message == "b: " + "é" * 50_000


@sweep("event", ["PostToolUse", "PostToolUseFailure", "SessionEnd", "Notification", "unheard_of"])
@sweep("verdict", [DENY, ASK, DEFER])
def test_where_nothing_can_be_stopped_a_refusal_is_feedback(event: str, verdict: Verdict) -> None:
    decision = decided(an_answer(verdict, message="lint failed", feedback=("more",)), event=event)
    assert (decision.verdict, decision.decided_by, decision.message) == (NO_OPINION, None, "")
    assert decision.feedback == ("lint failed", "more")


@pytest.mark.parametrize("event", ["PreToolUse", "UserPromptSubmit", "AgentStop", "SubAgentStop", "PreCompact"])
def test_where_something_can_be_stopped_a_refusal_is_the_decision(event: str) -> None:
    decision = decided(an_answer(DENY, "b", message="no", feedback=("more",)), event=event)
    assert (decision.verdict, decision.message, decision.feedback) == (DENY, "b: no", ("more",))


def test_an_allow_stays_where_nothing_can_be_stopped() -> None:
    decision = decided(an_answer(DENY, message="x"), an_answer(ALLOW), event="PostToolUse")
    assert (decision.verdict, decision.decided_by, decision.feedback) == (ALLOW, "guard", ("x",))


def test_a_refusal_without_a_message_gives_no_empty_feedback() -> None:
    assert decided(an_answer(DENY), event="PostToolUse").feedback == ()


def test_a_halt_is_kept_on_every_event() -> None:
    for event in ("PreToolUse", "PostToolUse"):
        decision = decided(an_answer(), an_answer(DENY, halt=True, message="stop"), event=event)
        assert decision.halt
        assert not decided(an_answer(DENY), event=event).halt


def test_the_first_rewrite_holds_and_another_is_a_problem() -> None:
    first = an_answer(ALLOW, "a", updated_input={"command": "a"})
    same = an_answer(ALLOW, "b", updated_input={"command": "a"})
    other = an_answer(ALLOW, "c", updated_input={"command": "c"})
    decision = decided(an_answer(), first, same, other)
    assert decision.updated_input == {"command": "a"}
    assert [problem.where for problem in decision.problems] == ["c"]
    assert "a has rewritten it first" in decision.problems[0].message
    assert decided(first, same).problems == ()


def test_the_rewrite_of_a_serial_hook_replaces_the_earlier_silently() -> None:
    serial = an_answer(ALLOW, hook=a_hook(serial=True), updated_input={"command": "b"})
    decision = decided(an_answer(ALLOW, updated_input={"command": "a"}), serial)
    assert (decision.updated_input, decision.problems) == ({"command": "b"}, ())


def test_a_rewrite_is_dropped_when_the_event_is_denied_and_kept_when_asked() -> None:
    rewrite = an_answer(ALLOW, updated_input={"command": "a"})
    assert decided(rewrite, an_answer(DENY)).updated_input is None
    assert decided(rewrite, an_answer(ASK)).updated_input == {"command": "a"}
    assert decided(rewrite, an_answer()).updated_input == {"command": "a"}


def test_texts_are_concatenated_and_of_data_the_first_key_wins() -> None:
    decision = decided(
        an_answer(context=("c1", "c2"), user_messages=("u1",), feedback=("f1",), data={"a": 1}),
        an_answer(context=("c3",), user_messages=("u2",), feedback=("f2",), data={"a": 2, "b": 3}),
    )
    assert decision.context == ("c1", "c2", "c3")
    assert decision.user_messages == ("u1", "u2")
    assert decision.feedback == ("f1", "f2")
    assert decision.data == {"a": 1, "b": 3}
    assert decided(an_answer()).data is None


def test_hints_come_by_priority_and_then_in_order() -> None:
    hints = [Hint(hook=name, text=name, priority=priority) for name, priority in (("a", 100), ("b", 5), ("c", 100))]
    decision = decided(*(an_answer(hint=hint) for hint in hints), an_answer())
    assert [hint.hook for hint in decision.hints] == ["b", "a", "c"]


def test_problems_of_all_stages_are_told_once_and_in_order() -> None:
    given, of_answer, of_outcome = (Problem(message=message) for message in ("given", "answer", "outcome"))
    answer = an_answer(problems=(of_answer, given), outcome=ended(problems=(of_outcome, of_answer)))
    decision = decide(an_event(), [answer, answer], total=7, problems=[given], seconds=0.5)
    assert decision.problems == (given, of_answer, of_outcome)
    assert (decision.total, decision.seconds, decision.answers) == (7, 0.5, (answer, answer))


@pytest.mark.parametrize("event", ["PreToolUse", "UserPromptSubmit"])
def test_a_refusal_of_our_own_denies_a_guarded_event(event: str) -> None:
    problem = Problem(message="p")
    decision = refuse(an_event(event), "nested too deep", "limit", total=3, problems=[problem], seconds=0.1)
    assert (decision.verdict, decision.decided_by, decision.message) == (DENY, "limit", "nested too deep")
    assert (decision.problems, decision.total, decision.seconds) == ((problem,), 3, 0.1)


def test_a_refusal_of_our_own_lists_answers_that_have_no_part_in_it() -> None:
    problem = Problem(message="p")
    answer = an_answer(DENY, message="no", problems=(problem,))
    decision = refuse(an_event(), "too many guards", "limit", answers=[answer])
    assert (decision.message, decision.decided_by) == ("too many guards", "limit")
    assert (decision.answers, decision.problems) == ((answer,), (problem,))


@pytest.mark.parametrize("event", ["AgentStop", "PostToolUse", "unheard_of"])
def test_a_refusal_of_our_own_stops_nothing_else_but_is_told(event: str) -> None:
    decision = refuse(an_event(event), "no state", "failure")
    assert (decision.verdict, decision.decided_by, decision.message) == (NO_OPINION, None, "")
    assert decision.problems == (Problem(message="no state", level="error"),)
