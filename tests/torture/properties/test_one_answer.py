"""What holds for reading an answer whatever a hook prints."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from answer_values import a_hook, an_event
from drawn_answers import ALLOWS, EVENTS, HOOKS, OUTCOMES, TEXTS, WORDS
from hypothesis import given
from hypothesis import strategies as st

from hookrun.answers.answer import read_answer
from hookrun.model.values import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator


@given(hook=HOOKS, outcome=OUTCOMES, event=EVENTS)
def test_reading_never_raises_and_allows_only_what_says_so(hook: Any, outcome: Outcome, event: str) -> None:
    answer = read_answer(hook, outcome, an_event(event))
    assert answer.verdict != Verdict.ALLOW or says_allow(outcome)


def says_allow(outcome: Outcome) -> bool:
    """Whether it ended well and stdout is one object that holds an allow, and no other decision."""
    if (outcome.status, outcome.exit_code) != ("ended", 0):
        return False
    try:
        document = json.loads(outcome.stdout.strip().removeprefix("\ufeff"), object_pairs_hook=list)
    except ValueError:
        return False
    words = list(decisions(document))
    return bool(words) and all(str(word).lower() in ("allow", "approve", "none") for word in words)


def decisions(pairs: Any) -> Iterator[Any]:
    """Every value of a key that decides, in an object (a list of pairs) and in those read like it."""
    for key, value in pairs:
        if key in ("decision", "permissionDecision"):
            yield value
        elif key in ("hook_result", "hookResult", "hookSpecificOutput") and value:
            yield from decisions(value)


@given(before=st.sampled_from(["", "\ufeff", " ", "log\n", "{}"]), word=WORDS | st.sampled_from(ALLOWS))
def test_only_the_words_for_an_allow_allow(before: str, word: str) -> None:
    for document in ({"decision": word}, {"hookResult": {"decision": word}}, {"message": word}, [word], word):
        outcome = Outcome(status="ended", exit_code=0, stdout=before + json.dumps(document))
        allowed = read_answer(a_hook(), outcome, an_event()).verdict == Verdict.ALLOW
        is_answer = isinstance(document, dict) and "message" not in document
        assert allowed == (is_answer and word in ALLOWS and not before.strip("\ufeff "))


@given(text=TEXTS, word=st.sampled_from(["allow", "approve", "Allow"]))
def test_an_allow_is_an_object_alone_on_stdout(text: str, word: str) -> None:
    outcome = Outcome(status="ended", exit_code=0, stdout=text + json.dumps({"decision": word}))
    answer = read_answer(a_hook(), outcome, an_event())
    assert answer.verdict != Verdict.ALLOW or not text.removeprefix("\ufeff").strip()
    alone = Outcome(status="ended", exit_code=0, stdout=json.dumps({"decision": word}))
    assert read_answer(a_hook(), alone, an_event()).verdict == Verdict.ALLOW


@given(before=TEXTS, after=TEXTS, event=EVENTS)
def test_exit_2_of_a_script_denies_whatever_it_prints(before: str, after: str, event: str) -> None:
    outcome = Outcome(status="ended", exit_code=2, stdout=before, stderr=after)
    answer = read_answer(a_hook(), outcome, an_event(event))
    assert (answer.verdict, answer.decided_by) == (Verdict.DENY, "guard")
    assert answer.message


@given(before=st.text(st.characters(exclude_characters='{"'), max_size=30), after=TEXTS)
def test_a_deny_is_found_behind_any_noise(before: str, after: str) -> None:
    stdout = f'x{before}{{"decision": "deny"}}{after}'
    outcome = Outcome(status="ended", exit_code=0, stdout=stdout)
    assert read_answer(a_hook(on_failure="allow"), outcome, an_event()).verdict == Verdict.DENY
