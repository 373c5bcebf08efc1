"""What holds for splitting the command of a hook, whatever is written in it."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookrun.model.errors import UsageError
from hookrun.programs.command import split_entry

FOLDER = "/nowhere"
PIECES = st.sampled_from(
    [
        "a",
        "b.sh",
        " ",
        "  ",
        "\t",
        "\n",
        "\r",
        "'",
        '"',
        "\\",
        "$",
        "{",
        "}",
        "#",
        ";",
        "é",
        "\xa0",
        "\x0b",
        "\x1f",
        "\u2003",
    ]
)
ENTRIES = st.lists(PIECES, max_size=12).map("".join) | st.text(max_size=12)
ROOTS = ("${PLUGIN_ROOT}", "${CLAUDE_PLUGIN_ROOT}")


def words_of(entry: str, root: str = "/r") -> list[str]:
    return list(split_entry(entry, FOLDER, plugin_root=root))


@given(ENTRIES)
def test_an_entry_is_split_as_shlex_splits_it_or_refused(entry: str) -> None:
    try:
        expected = shlex.split(entry)
    except ValueError:
        expected = []
    if expected:
        assert words_of(entry) == expected
    else:
        with pytest.raises(UsageError):
            words_of(entry)


@given(st.lists(st.text(max_size=8), min_size=1, max_size=4))
def test_quoted_words_come_back_as_they_were(words: list[str]) -> None:
    assert words_of(shlex.join(words)) == words


@given(st.lists(st.text(st.sampled_from("ab '\"\\${}"), max_size=6), min_size=2, max_size=4), st.sampled_from(ROOTS))
def test_a_plugins_root_is_one_word_whatever_is_in_it(pieces: list[str], variable: str) -> None:
    root = "/a b/'c\" \\ $HOME"
    word = variable.join(pieces)
    assert words_of(shlex.quote(word), root) == [root.join(pieces)]
