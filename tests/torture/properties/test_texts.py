"""What holds for hints, durations and the order of names whatever their text is."""

from __future__ import annotations

import re
from typing import Any

import pytest
from answer_values import a_trigger
from hypothesis import given, settings
from hypothesis import strategies as st

from hookrun.answers.hint_text import read_hint
from hookrun.commands.schema import DURATION_PATTERN
from hookrun.model.constants import STYLES
from hookrun.sources.fields import seconds_of
from hookrun.sources.found import natural

# Hints

LINES = st.text("x|-+ ", max_size=6) | st.text(st.characters(exclude_characters="\n"), max_size=12)
LINES = LINES.map(str.strip).filter(bool)
BODIES = st.lists(LINES, min_size=1, max_size=3).map("\n".join)
MARKS = st.sampled_from(["", "md|", "diff|", "md", "|", "warn|"])


def hint_of(stdout: str) -> tuple[str, str, str] | None:
    hint = read_hint(a_trigger(), stdout)
    return (hint.format, hint.style, hint.text) if hint else None


@given(st.sampled_from(["md", "diff"]), MARKS, BODIES, st.sampled_from(["", "\n", "\r\n\n"]))
def test_a_mark_goes_exactly_once_and_nothing_else_does(mark: str, more: str, body: str, end: str) -> None:
    assert hint_of(f"{mark}|{more}{body}{end}") == (mark, "", more + body)


@given(st.sampled_from(["", *STYLES]), LINES, st.none() | BODIES)
def test_a_style_and_its_bar_go_and_the_rest_of_the_line_stays(style: str, line: str, below: str | None) -> None:
    stdout = f"{style}|{line}" if below is None else f"{style}|{line}\n{below}"
    assert hint_of(stdout) == ("text", style, line)


@given(LINES, LINES)
def test_a_line_with_another_word_before_its_bar_is_kept_whole(word: str, line: str) -> None:
    word = word.replace("|", "").removeprefix("\ufeff").strip()
    if word and word not in (*STYLES, "md", "diff"):
        assert hint_of(f"{word}|{line}") == ("text", "", f"{word}|{line}")


@given(st.lists(st.sampled_from(["md|", "diff|", "warn|", "|", "x", "\n", " ", "\r", "\ufeff", "\x1b[31m"])))
def test_a_hint_is_a_piece_of_what_was_printed_with_text_in_it(pieces: list[str]) -> None:
    stdout = "".join(pieces)
    hint = hint_of(stdout)
    assert hint is None or (hint[2] in stdout and hint[2].strip() != "")
    assert hint is not None or "x" not in stdout.removeprefix("\ufeff").strip().partition("\n")[0]


# Durations

MILLISECONDS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000}


@given(st.lists(st.tuples(st.integers(0, 999), st.sampled_from(list(MILLISECONDS))), min_size=1, max_size=4))
def test_a_duration_is_the_sum_of_its_parts(parts: list[tuple[int, str]]) -> None:
    total = sum(amount * MILLISECONDS[unit] for amount, unit in parts)
    text = "".join(f"{amount}{unit}" for amount, unit in parts)
    assert seconds_of(text) == (pytest.approx(total / 1000) if total else None)


@given(
    st.text("0123456789.smh٣²- ", max_size=9)
    | st.text()
    | st.floats()
    | st.integers()
    | st.booleans()
    | st.integers(300, 5000).map(lambda length: "9" * length + "s")
)
def test_a_duration_is_above_zero_and_finite_or_it_is_none(value: Any) -> None:
    seconds = seconds_of(value)
    assert seconds is None or 0 < seconds < 1e9
    if isinstance(value, str) and seconds is not None:
        assert re.fullmatch(DURATION_PATTERN, value.strip())


# The order of names

NAMES = st.text("a01", max_size=4) | st.text("ab-_.B019é٣²", max_size=8) | st.text(max_size=8)
WORDS = st.text(st.characters(exclude_categories=["Nd"]), max_size=4)


@given(st.lists(NAMES, max_size=6))
@settings(max_examples=300)
def test_every_two_names_have_one_order(names: list[str]) -> None:
    keys = [natural(name) for name in names]
    for one, other in zip(names, reversed(names), strict=True):
        assert (natural(one) == natural(other)) == (one == other)
        assert (natural(one) < natural(other)) != (natural(one) >= natural(other))
    assert [natural(name) for name in sorted(names, key=natural)] == sorted(keys)


@given(st.lists(WORDS))
def test_names_without_digits_stand_in_their_plain_order(names: list[str]) -> None:
    assert sorted(names, key=natural) == sorted(names)


@given(WORDS, WORDS, st.integers(0, 10**30), st.integers(0, 10**30), st.integers(0, 3))
def test_numbers_stand_by_their_value(before: str, after: str, one: int, other: int, zeros: int) -> None:
    if one != other:
        first, second = f"{before}{'0' * zeros}{one}{after}", f"{before}{other}{after}"
        assert (natural(first) < natural(second)) == (one < other)
