"""What several opinions add up to."""

from __future__ import annotations

from hookrun.model.opinion import Opinion, added_up, merged, strictest
from hookrun.model.values import Verdict


def test_the_strictest_verdict_holds_whatever_the_order() -> None:
    ranked = [Verdict.NO_OPINION, Verdict.ALLOW, Verdict.ASK, Verdict.DEFER, Verdict.DENY]
    for index, verdict in enumerate(ranked):
        assert strictest(ranked[: index + 1]) == strictest(reversed(ranked[: index + 1])) == verdict
    assert strictest([]) == Verdict.NO_OPINION


def test_the_first_reason_of_the_strictest_counts_and_the_first_rewrite() -> None:
    opinions = [
        Opinion(verdict=Verdict.ALLOW, message="fine", updated_input={"a": 1}),
        Opinion(verdict=Verdict.DENY, message="no", updated_input={"a": 2}),
        Opinion(verdict=Verdict.DENY, message="never"),
    ]
    merge = merged(opinions)
    assert (merge.verdict, merge.message, merge.updated_input) == (Verdict.DENY, "no", {"a": 1})


def test_texts_are_in_order_and_of_data_the_first_says_what_a_key_is() -> None:
    first = Opinion(context=("a",), user_messages=("u",), data={"x": 1, "y": 1})
    second = Opinion(context=("b",), feedback=("f",), data={"z": 2, "x": 2}, halt=True)
    added = added_up([first, second])
    assert (added["context"], added["feedback"], added["user_messages"]) == (("a", "b"), ("f",), ("u",))
    assert list(added["data"].items()) == [("x", 1), ("y", 1), ("z", 2)]
    assert added["halt"] is True
    assert added_up([Opinion()])["data"] is None
