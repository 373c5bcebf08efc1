"""Which names of tools a matcher accepts, and what is said when it does not."""

from __future__ import annotations

import fnmatch
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sweeps import sweep

from hookrun.matching.matchers import (
    compile_glob,
    compile_tool,
    compile_tools,
    explain_mismatch,
    matcher_flaw,
    never_matches,
)
from hookrun.model.values import Event


def call(tool_name: str, *kinds: str) -> Event:
    return Event(dialect="xbot", event="PreToolUse", tool_name=tool_name, kinds=kinds)


def accepted(matcher: str, *names: str) -> bool:
    return compile_glob(matcher)(call(names[-1] if names else ""), names)


@pytest.mark.parametrize("matcher", ["", "*"])
def test_nothing_and_a_star_match_every_tool(matcher: str) -> None:
    assert accepted(matcher, "Shell")
    assert accepted(matcher)


@sweep(
    ("matcher", "name"),
    [
        ("Shell", "Shell"),
        (" Shell ", "Shell"),
        ("Shell*", "Shell"),
        ("Shell*", "ShellExec"),
        ("*Shell", "MyShell"),
        ("*ell*", "Shell"),
        ("Sh*ll", "Shell"),
        ("Sh*ll", "Shll"),
        ("S*e*l", "Shell"),
        ("**", "Shell"),
        ("Read|Shell", "Shell"),
        ("Read | Sh*", "Shell"),
        ("mcp__*__get", "mcp__a__get"),
        ("[ab]?.", "[ab]?."),
        ("a*b*a", "aba"),
    ],
)
def test_a_matcher_accepts(matcher: str, name: str) -> None:
    assert accepted(matcher, name)


@sweep(
    ("matcher", "name"),
    [
        ("Shell", "shell"),
        ("Shell", "ShellExec"),
        ("Shell", "MyShell"),
        ("Shell*", "MyShell"),
        ("*Shell", "ShellExec"),
        ("Sh*ll", "Shel"),
        ("ab*ba", "aba"),
        ("a*b*a", "aa"),
        ("Read|Write", "Shell"),
        ("Shell|", ""),
        ("|", ""),
        ("Shel.", "Shell"),
        ("[S]hell", "Shell"),
    ],
)
def test_a_matcher_refuses(matcher: str, name: str) -> None:
    assert not accepted(matcher, name)


@sweep(
    ("matcher", "is_accepted"),
    [
        ("mcp__github__create", True),
        ("Shell|mcp__github__create", True),
        ("mcp__github__*", True),
        ("*__create", True),
        ("mcp__*hub*ate", True),
        ("mcp__github__delete", False),
        ("mcp__github__delete*_all", False),
        ("mcp__create", False),
        ("Shell*", False),
        ("Shell", False),
    ],
)
def test_a_name_of_which_a_part_is_unknown_is_accepted_where_it_may_be_meant(matcher: str, is_accepted: bool) -> None:
    assert accepted(matcher, "MCP:create", "mcp__*__create") == is_accepted
    by_script = compile_tool(matcher, ()) if "|" not in matcher else compile_glob(matcher)
    assert by_script(call("MCP:create", "mcp"), ("MCP:create", "mcp__*__create")) == is_accepted


def test_a_star_in_another_tools_name_is_a_mere_character() -> None:
    assert not accepted("Shell", "Sh*")
    assert accepted("Sh*", "Sh*")


def test_any_of_the_names_will_do() -> None:
    assert accepted("Bash", "Shell", "Bash")
    assert accepted("Ba*", "Shell", "Bash")
    assert not accepted("Read", "Shell", "Bash")
    assert not accepted("Read")


@given(st.text("ab*", max_size=8), st.text("ab", max_size=10))
def test_a_star_means_what_it_means_to_fnmatch(pattern: str, name: str) -> None:
    if pattern:
        assert accepted(pattern, name) == fnmatch.fnmatchcase(name, pattern)


def test_a_matcher_of_many_stars_takes_linear_time() -> None:
    # With backtracking this would outlive the universe, so ending at all is the assertion.
    assert not accepted("*a" * 200 + "b", "a" * 100_000)


@pytest.mark.parametrize("name", ["", "*", "_all", "_ALL"])
def test_a_script_for_all_tools_accepts_every_tool(name: str) -> None:
    assert compile_tool(name, ())(call("Anything"), ("Anything",))


@pytest.mark.parametrize(
    ("name", "kinds", "event", "names"),
    [
        ("bash", ("shell",), call("run_shell_command", "shell"), ("run_shell_command",)),
        ("BASH", ("shell",), call("Shell", "shell"), ("Shell",)),
        ("edit", ("edit",), call("apply_patch", "edit", "write"), ("apply_patch",)),
        ("apply_patch", ("edit", "write"), call("Write", "write"), ("Write",)),
        ("my_tool", (), call("My_Tool"), ("My_Tool",)),
        ("bash", (), call("own_shell"), ("own_shell", "Bash")),
        ("mcp__a__b", ("mcp",), call("mcp__a__b", "mcp"), ("mcp__a__b",)),
        ("mcp", ("mcp",), call("mcp__a__b", "mcp"), ("mcp__a__b",)),
        ("edit*", (), call("EditFile"), ("EditFile",)),
    ],
)
def test_a_script_accepts_its_tool_by_kind_or_by_name(
    name: str, kinds: tuple[str, ...], event: Event, names: tuple[str, ...]
) -> None:
    assert compile_tool(name, kinds)(event, names)


@pytest.mark.parametrize(
    ("name", "kinds", "event"),
    [
        ("edit", ("edit",), call("NotebookEdit", "notebook")),
        ("edit", ("edit",), call("Write", "write")),
        ("bash", ("shell",), call("Read", "read")),
        ("mcp__a__b", ("mcp",), call("mcp__a__c", "mcp")),
        ("my_tool", (), call("your_tool")),
    ],
)
def test_a_script_refuses_other_tools(name: str, kinds: tuple[str, ...], event: Event) -> None:
    assert not compile_tool(name, kinds)(event, (event.tool_name,))


def kinds_of(name: str) -> tuple[str, ...]:
    return {"Bash": ("shell",), "Write": ("write",)}.get(name, ())


@pytest.mark.parametrize("event", [call("run_shell_command", "shell"), call("editfile"), call("EDIT"), call("mine")])
def test_a_header_accepts_each_of_its_alternatives(event: Event) -> None:
    assert compile_tools("Bash | Edit*|Mine", kinds_of)(event, (event.tool_name,))


def test_a_header_refuses_what_is_not_among_its_alternatives() -> None:
    assert not compile_tools("Bash|Edit*", kinds_of)(call("Write", "write"), ("Write",))
    assert not compile_tools("Bash", kinds_of)(call("Write", "write"), ("Write",))
    assert compile_tools("Write", kinds_of)(call("create", "write"), ("create",))


@pytest.mark.parametrize(
    ("matcher", "said"),
    [(None, "null"), (True, "true or false"), (5, "a number"), (["Shell"], "a list"), ({}, "a mapping")],
)
def test_a_matcher_that_is_no_text_is_a_flaw(matcher: Any, said: str) -> None:
    assert matcher_flaw(matcher) == f"a matcher must be text, not {said}"


@pytest.mark.parametrize("matcher", ["Shell|", "|Shell", "Shell||Read", "|", "Shell | "])
def test_an_empty_alternative_is_a_flaw(matcher: str) -> None:
    assert "empty alternative" in matcher_flaw(matcher)


@pytest.mark.parametrize("matcher", ["", "*", "Shell", "Shell|Read*", "[bad", "Shell("])
def test_a_matcher_that_can_be_compiled_has_no_flaw(matcher: str) -> None:
    assert matcher_flaw(matcher) == ""


def test_a_mismatch_is_explained() -> None:
    assert explain_mismatch("Read*", ("Shell", "Bash")) == "matcher 'Read*' does not match Shell or Bash"
    assert "case counts" in explain_mismatch("read|shell", ("Shell",))
    assert "the event has none" in explain_mismatch("Shell", ())


KNOWN = ("Shell", "Read", "FileReplace", "Bash")


@pytest.mark.parametrize("matcher", ["", "*", "Shell", "Shell|Bash", "Shel*", "mcp__a__b", "MCP:b"])
def test_a_matcher_that_can_match_is_not_complained_of(matcher: str) -> None:
    assert never_matches(matcher, KNOWN) == ""


@pytest.mark.parametrize(
    ("matcher", "name", "near"),
    [("Shel", "Shel", "Shell"), ("shell", "shell", "Shell"), ("Bash|FileReplce", "FileReplce", "FileReplace")],
)
def test_a_name_that_no_tool_has_is_named_with_the_nearest(matcher: str, name: str, near: str) -> None:
    assert never_matches(matcher, KNOWN) == f"no known tool is named {name!r}; did you mean {near!r}?"


def test_a_name_that_is_near_to_nothing_has_no_suggestion() -> None:
    assert never_matches("Xyzzy", KNOWN) == "no known tool is named 'Xyzzy'"
