"""What a hook printed becomes a hint or a widget's text."""

from __future__ import annotations

import pytest
from answer_values import a_hook, a_trigger
from sweeps import sweep

from hookrun.answers.hint_text import read_hint
from hookrun.model.values import Hint


def hint_of(stdout: str) -> tuple[str, str, str] | None:
    hint = read_hint(a_trigger(), stdout)
    return (hint.format, hint.style, hint.text) if hint else None


@sweep(
    ("stdout", "expected"),
    [
        ("noise\nmd|x", ("text", "", "noise")),
        ("MD|x", ("text", "", "MD|x")),
        ("md|md|x", ("md", "", "md|x")),
        ("md|diff|x", ("md", "", "diff|x")),
        ("a|b", ("text", "", "a|b")),
        ("WARN|x", ("text", "", "WARN|x")),
        ("warn|a|b", ("text", "warn", "a|b")),
        ("|plain", ("text", "", "plain")),
        ("||x", ("text", "", "|x")),
        ("first\nsecond", ("text", "", "first")),
        ("warn|first\nsecond", ("text", "warn", "first")),
        ("md|first\nsecond\n", ("md", "", "first\nsecond")),
        ("  \n diff|-a\n+b\n\n", ("diff", "", "-a\n+b")),
        ("\ufeffmd|x", ("md", "", "x")),
        ("mdx|y", ("text", "", "mdx|y")),
    ],
)
def test_output_is_read_by_its_mark_or_by_its_first_line(stdout: str, expected: tuple[str, str, str]) -> None:
    assert hint_of(stdout) == expected


@pytest.mark.parametrize("style", ["dim", "ok", "warn", "err", "info", "accent"])
def test_each_style_word_is_kept_as_the_style(style: str) -> None:
    assert hint_of(f"{style}|text") == ("text", style, "text")


@pytest.mark.parametrize("stdout", ["", " \n\t", "md|", "diff|\n", "warn|", "|"])
def test_output_without_text_is_no_hint(stdout: str) -> None:
    assert hint_of(stdout) is None
    assert hint_of(stdout + "x") is not None


def test_escape_sequences_and_carriage_returns_are_kept() -> None:
    assert hint_of("\x1b[31mred\x1b[0m\rover") == ("text", "", "\x1b[31mred\x1b[0m\rover")
    assert hint_of("md|\x1b[31mred\r\nnext") == ("md", "", "\x1b[31mred\r\nnext")


def test_a_hint_carries_its_hook_and_the_priority_of_the_widget() -> None:
    assert read_hint(a_trigger(id="w7", priority=5), "x") == Hint(hook="w7", text="x", priority=5)
    assert read_hint(a_hook(id="s1"), "x") == Hint(hook="s1", text="x", priority=100)
