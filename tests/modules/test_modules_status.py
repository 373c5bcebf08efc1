"""The status line: texts by key in one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookrun.model.width import display_width
from hookrun.modules.ui.terminal_text import SEPARATOR, StatusLine

WIDE = 10_000
KEYS = st.text(max_size=3)
TEXTS = st.one_of(st.none(), st.text(max_size=12), st.text(" \r\n\tab", max_size=12))
CHANGES = st.lists(st.tuples(KEYS, TEXTS), max_size=12)


def line_after(changes: list[tuple[str, str | None]], width: int = WIDE) -> str:
    status = StatusLine()
    for key, text in changes:
        status.set(key, text)
    return status.text(width)


def test_texts_stand_in_the_order_of_their_keys():
    assert line_after([("b", "second"), ("c", "third"), ("a", "first")]) == "first  second  third"


def test_a_key_has_one_text_and_none_clears_it():
    assert line_after([("a", "old"), ("b", "other"), ("a", "new")]) == "new  other"
    assert line_after([("a", "old"), ("b", "other"), ("a", None)]) == "other"
    assert line_after([("a", None)]) == ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("two\r\nlines", "two lines"),
        ("tab\tand   blanks", "tab and blanks"),
        ("  around\n", "around"),
        ("\x1b[32mgreen\x1b[0m", "green"),
        ("\x1b[2Jgone\x07", "\\x1b[2Jgone\\x07"),
    ],
)
def test_a_text_is_one_line_that_a_terminal_only_shows(text: str, shown: str):
    assert line_after([("key", text)]) == shown


@pytest.mark.parametrize("blank", ["", " ", "\r\n\t"])
def test_a_blank_text_takes_no_room(blank: str):
    assert line_after([("a", "left"), ("b", blank), ("c", "right")]) == "left  right"


@pytest.mark.parametrize(
    ("width", "shown"), [(14, "main  tests ok"), (13, "main  tests …"), (5, "main…"), (1, "…"), (0, "")]
)
def test_a_line_is_cut_to_the_width(width: int, shown: str):
    assert line_after([("a", "main"), ("b", "tests ok")], width) == shown


@given(CHANGES, st.integers(0, 40))
def test_a_line_is_one_printable_line_that_fits(changes: list[tuple[str, str | None]], width: int):
    line = line_after(changes, width)
    assert line.isprintable()
    assert display_width(line) <= width


@given(CHANGES)
def test_a_line_holds_the_last_text_of_each_key_once(changes: list[tuple[str, str | None]]):
    texts = [line_after([change]) for change in sorted(dict(changes).items())]
    assert line_after(changes) == SEPARATOR.join(text for text in texts if text)


@given(TEXTS)
def test_a_text_has_no_separator_within_and_no_blanks_around_it(text: str | None):
    line = line_after([("key", text)])
    assert SEPARATOR not in line
    assert line == line.strip(" ")
