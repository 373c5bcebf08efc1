"""What holds for matchers whatever is written in them."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hookrun.agents import kinds_of_any
from hookrun.matching.matchers import compile_glob, compile_tool, compile_tools, explain_mismatch, matcher_flaw
from hookrun.model.values import Event

# Signs that mean something to other kinds of pattern are among them.
SIGNS = "aB[]?.\\^$()+-é"
PATTERNS = st.text("ab*", max_size=7) | st.text(SIGNS + "**", max_size=7)
NAMES = st.text("ab", max_size=7) | st.text(SIGNS, max_size=9)
BLANKS = st.text(" \t", max_size=2)


def accepted(matcher: str, *names: str) -> bool:
    return compile_glob(matcher)(Event(dialect="xbot", event="PreToolUse", tool_name=names[0]), names)


def is_match(pattern: str, name: str) -> bool:
    """Say what a matcher's documentation says, one sign after the other."""
    if not pattern or not name:
        return pattern.strip("*") == name
    if pattern[0] == "*":
        return is_match(pattern[1:], name) or is_match(pattern, name[1:])
    return pattern[0] == name[0] and is_match(pattern[1:], name[1:])


@given(PATTERNS, NAMES)
@settings(max_examples=600)
def test_a_star_is_any_run_and_every_other_sign_is_itself(pattern: str, name: str) -> None:
    if pattern:
        assert accepted(pattern, name) == is_match(pattern, name)


@given(PATTERNS.filter(bool), st.data())
def test_a_pattern_accepts_what_is_made_of_it(pattern: str, data: st.DataObject) -> None:
    name = "".join(data.draw(NAMES) if sign == "*" else sign for sign in pattern)
    assert accepted(pattern, name)
    assert accepted(f"other|{pattern}", name)


@given(st.lists(st.tuples(BLANKS, PATTERNS, BLANKS), min_size=2, max_size=4), st.lists(NAMES, max_size=3))
def test_one_of_the_alternatives_and_one_of_the_names_will_do(
    alternatives: list[tuple[str, str, str]], names: list[str]
) -> None:
    matcher = "|".join("".join(parts) for parts in alternatives)
    patterns = [pattern for _, pattern, _ in alternatives if pattern]
    expected = any(is_match(pattern, name) for pattern in patterns for name in names)
    assert compile_glob(matcher)(Event(dialect="xbot", event="PreToolUse"), tuple(names)) == expected


@given(st.text(max_size=8), st.text(max_size=8))
def test_a_matcher_without_a_star_is_exact(matcher: str, name: str) -> None:
    if matcher and not {"*", "|"} & set(matcher + name):
        assert accepted(matcher, name) == (matcher.strip() == name)
        assert accepted(matcher, matcher.strip())


@given(PATTERNS, NAMES)
def test_case_does_not_count_in_the_name_of_a_script(pattern: str, name: str) -> None:
    event = Event(dialect="xbot", event="PreToolUse", tool_name=name)
    accepts = compile_tool(pattern, ())
    assert accepts(event, (name,)) == (not pattern or is_match(pattern.lower(), name.lower()))
    assert accepts(event, (name,)) == compile_tool(pattern.swapcase(), ())(event, (name,))


@given(st.text(max_size=12), st.lists(st.text(max_size=12), max_size=3).map(tuple), st.sampled_from(["", "mcp_"]))
def test_any_text_can_be_compiled_and_asked(text: str, names: tuple[str, ...], start: str) -> None:
    names = tuple(start + name for name in names)
    event = Event(dialect="xbot", event="PreToolUse", tool_name="Shell", kinds=("shell",))
    for accepts in (compile_glob(text), compile_tool(text, ()), compile_tools(text, kinds_of_any)):
        assert accepts(event, names) in (True, False)
    assert explain_mismatch(text, names)


@given(st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text()) | st.dates())
def test_what_is_no_text_is_a_flaw_and_text_is_one_only_for_an_empty_alternative(value: Any) -> None:
    is_fine = isinstance(value, str) and ("|" not in value or all(map(str.strip, value.split("|"))))
    assert (matcher_flaw(value) == "") == is_fine
