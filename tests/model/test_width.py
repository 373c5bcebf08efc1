"""Text in the columns of a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sweeps import sweep

from hookrun.model.width import ELLIPSIS, cut_to_width, display_width, in_columns, in_wrapped_columns, wrapped_to

LINES = st.text(st.characters(exclude_categories=["Cs", "Cc"]))


@sweep(
    ("text", "width"),
    [
        ("main", 4),
        ("日本語", 6),
        ("ｗｉｄｅ", 8),
        ("e\u0301", 1),
        ("한글", 4),
        ("\u1112\u1161\u11ab", 2),
        ("👍", 2),
        ("👍🏽", 2),
        ("👩\u200d👩\u200d👧", 2),
        ("❤\ufe0f", 2),
        ("a\u200bb", 2),
        ("", 0),
    ],
)
def test_width_is_counted_in_columns_of_a_terminal(text: str, width: int):
    assert display_width(text) == width


@pytest.mark.parametrize(
    ("text", "width", "cut"),
    [
        ("feature/login", 8, "feature…"),
        ("feature", 7, "feature"),
        ("日本語です", 6, "日本…"),
        ("日本語", 6, "日本語"),
        ("日本", 2, "…"),
        ("cafe\u0301s", 5, "cafe\u0301s"),
        ("cafe\u0301s!", 5, "cafe\u0301…"),
        ("👩\u200d👩\u200d👧 family", 3, "👩\u200d👩\u200d👧…"),
        ("x", 0, ""),
    ],
)
def test_a_cut_keeps_signs_whole_and_ends_with_an_ellipsis(text: str, width: int, cut: str):
    assert cut_to_width(text, width) == cut


@given(LINES, st.integers(0, 40))
def test_a_cut_never_takes_more_columns_than_it_may(text: str, width: int):
    assert display_width(cut_to_width(text, width)) <= width


@given(LINES, st.integers(0, 40))
def test_a_cut_is_a_beginning_of_the_text(text: str, width: int):
    cut = cut_to_width(text, width)
    kept = cut.removesuffix(ELLIPSIS)
    assert cut == text or (text.startswith(kept) and cut.endswith(ELLIPSIS) is (width > 0))


@given(st.text("ab ", min_size=1), st.integers(1, 40))
def test_a_cut_keeps_as_much_as_fits(text: str, width: int):
    assert display_width(cut_to_width(text, width)) == min(display_width(text), width)


@given(LINES)
def test_what_fits_is_not_touched(text: str):
    assert cut_to_width(text, display_width(text)) == text


@given(LINES, st.integers(1, 40))
def test_a_cut_cannot_be_cut_again(text: str, width: int):
    once = cut_to_width(text, width)
    assert cut_to_width(once, width) == once


def test_columns_line_up_and_the_last_is_not_padded():
    assert in_columns([("a", "long", "x"), ("日本", "b", "last one")]) == ["a     long  x", "日本  b     last one"]


def test_rows_may_have_fewer_cells_and_there_may_be_none():
    assert in_columns([("one",), ("1", "2")]) == ["one", "1  2"]
    assert in_columns([]) == []


WORDS = ("b1", "guard", "protect-paths", "Write|Edit|MultiEdit|NotebookEdit", ".hookrun/manifests/a.json")


def test_rows_that_are_too_wide_are_wrapped_and_nothing_is_lost():
    (lines,) = in_wrapped_columns([WORDS], 60)
    assert lines == [
        "b1  guard  protect-paths  Write|Edit|   .hookrun/",
        "                          MultiEdit|    manifests/a.json",
        "                          NotebookEdit",
    ]
    assert in_wrapped_columns([WORDS], 0) == [["  ".join(WORDS)]]


@given(st.lists(st.lists(LINES, min_size=3, max_size=3), max_size=4), st.integers(40, 120))
def test_rows_fit_the_columns(rows: list[list[str]], columns: int):
    lines = [line for lines in in_wrapped_columns(rows, columns) for line in lines]
    assert all(display_width(line) <= columns for line in lines)


@given(LINES, st.integers(2, 40))
def test_wrapping_keeps_every_sign(text: str, width: int):
    lines = wrapped_to(text, width)
    assert all(display_width(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
