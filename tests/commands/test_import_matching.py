"""What an agent's matcher says, said by a manifest's: the same names, or not carried over."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sweeps import sweep

from hookrun.agents import dialect_named
from hookrun.commands.import_.expressions import globs_of
from hookrun.commands.import_.matching import matching_of
from hookrun.matching.expressions import JAVASCRIPT, compile_expression
from hookrun.matching.matchers import glob


def matching(matcher, *, agent="claude", event="PreToolUse", own_event="", **handler):
    dialect = dialect_named(agent)
    return matching_of(own_event or event, event, matcher, handler, dialect)


@sweep(
    ("expression", "globs"),
    [
        ("mcp__memory__.*", ["*mcp__memory__*"]),
        ("^mcp__.*__write.*", ["mcp__*__write*"]),
        ("Edit|Write", ["*Edit*", "*Write*"]),
        ("^(Edit|Write)$", ["Edit", "Write"]),
        ("^(?:Multi)?Edit$", ["MultiEdit", "Edit"]),
        ("^[BS]ash$", ["Bash", "Sash"]),
        ("^Notebook", ["Notebook*"]),
        (".*", ["*"]),
        ("a\\.b$", ["*a.b"]),
        ("Ed.t", None),
        ("\\w+", None),
        ("(?!Bash)", None),
        ("a+", None),
        ("a{2}", None),
        ("(a", None),
        ("a)", None),
        ("[a-z]", None),
        ("a^b", None),
    ],
)
def test_an_expression_is_globs_where_these_say_exactly_the_same(expression, globs):
    assert globs_of(expression) == globs


@given(
    st.lists(st.sampled_from(["a", "b", "_", "(a|b)", "(?:ab)?", "[ab]", ".*", "b?"]), min_size=1, max_size=4),
    st.sampled_from(["", "^"]),
    st.sampled_from(["", "$"]),
    st.text("ab_", max_size=6),
)
def test_globs_accept_what_the_expression_accepts(parts, start, end, name):
    expression = f"{start}{''.join(parts)}{end}"
    globs = globs_of(expression)
    assert globs is not None
    expected = compile_expression(expression, JAVASCRIPT).accepts(name)
    assert any(glob(each)(name) for each in globs) == expected


@sweep(
    ("agent", "matcher", "said"),
    [
        ("claude", "", ""),
        ("claude", "*", ""),
        ("claude", None, ""),
        ("claude", "Bash", "Bash"),
        ("claude", "Edit, Write|Bash", "Edit|Write|Bash"),
        ("claude", ".*", ""),
        ("claude", "Write.*", "*Write*"),
        ("codex", "Edit|Bash", "Edit|Bash|apply_patch"),
        ("gemini", "write_file|replace", "*write_file*|*replace*"),
        ("copilot", "bash", "bash"),
        ("xbot", "Shell|Read", "Shell|Read"),
    ],
)
def test_a_matcher_of_an_agent_becomes_one_of_a_manifest(agent, matcher, said):
    found = matching(matcher, agent=agent)
    assert (found.matcher, found.lost) == (said, "")


def test_an_expression_that_no_glob_expresses_is_spelled_out():
    found = matching("^\\w*Edit$")
    assert found.matcher == "Edit|MultiEdit|NotebookEdit"
    assert "spelled out" in found.note


@pytest.mark.parametrize("matcher", ["^mcp__\\w+__write$", "^\\w+$", "^(?!Bash)", "Nothing\\d"])
def test_what_names_cannot_say_is_lost(matcher):
    assert matching(matcher).lost


def test_a_matcher_of_an_event_without_a_tool_is_lost_when_it_says_something():
    assert "not about tools" in matching("startup", event="SessionStart").lost
    assert matching("*", event="SessionStart").lost == ""


@pytest.mark.parametrize(
    ("condition", "matcher", "said"),
    [
        ("Bash", "", "Bash"),
        ("Bash(*)", "Bash|Edit", "Bash"),
        ("Edit", "", "Edit|Write|MultiEdit|NotebookEdit"),
        ("Edit", "Write.*|.*Edit", "Edit|Write|MultiEdit|NotebookEdit"),
    ],
)
def test_an_if_that_only_names_a_tool_narrows_the_matcher(condition, matcher, said):
    assert matching(matcher, **{"if": condition}).matcher == said


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("Bash(git push:*)", "looks into the call"),
        ("Bash(a:*)|Bash(b:*)", "never fires"),
        ("Edit", "never fires"),  # of a handler for Bash
    ],
)
def test_an_if_that_looks_further_is_lost(condition, reason):
    assert reason in matching("Bash", **{"if": condition}).lost


@pytest.mark.parametrize(
    ("own_event", "said"), [("beforeShellExecution", "Shell"), ("beforeMCPExecution", "MCP:*"), ("preToolUse", "")]
)
def test_an_event_that_means_a_tool_becomes_a_matcher(own_event, said):
    assert matching("", agent="cursor", own_event=own_event).matcher == said


def test_a_matcher_on_the_command_is_lost():
    assert "command" in matching("curl", agent="cursor", own_event="beforeShellExecution").lost
