"""A rewrite goes back in the caller's keys, whole: what a hook did not touch is what the caller gave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sweeps import sweep

from hookrun.agents import DIALECTS, dialect_named
from hookrun.agents.translate import own_key, translate_back, translate_input

if TYPE_CHECKING:
    from hookrun.agents.shape import Dialect

MEANINGS = {"shell": ("command",), "edit": ("path", "old", "new"), "write": ("path", "content"), "read": ("path",)}
OTHER_KEYS = st.dictionaries(
    st.sampled_from(["description", "timeout", "replace_all", "instruction", "edits", "other_path", "cwd", "x"]),
    st.text(max_size=3) | st.integers() | st.none() | st.lists(st.booleans(), max_size=2),
)
A_DIALECT = st.sampled_from(DIALECTS)


def named(name: str) -> Dialect:
    dialect = dialect_named(name)
    assert dialect is not None
    return dialect


@given(st.sampled_from(sorted(MEANINGS)), A_DIALECT, A_DIALECT, OTHER_KEYS, st.data())
def test_a_hook_that_changes_one_value_changes_that_value_alone(
    kind: str, source: Dialect, target: Dialect, others: dict[str, Any], data: st.DataObject
) -> None:
    original = {own_key(source, meaning): f"the {meaning}" for meaning in MEANINGS[kind]} | others
    seen = translate_input(original, source, target, (kind,))
    meaning = data.draw(st.sampled_from(MEANINGS[kind]))
    assert seen[own_key(target, meaning)] == f"the {meaning}"
    back = translate_back({**seen, own_key(target, meaning): "changed"}, original, source, target, (kind,))
    assert back == {**original, own_key(source, meaning): "changed"}
    assert list(back) == list(original)


@given(st.sampled_from(sorted(MEANINGS)), A_DIALECT, A_DIALECT, OTHER_KEYS)
def test_a_key_that_a_hook_leaves_out_is_left_out(
    kind: str, source: Dialect, target: Dialect, others: dict[str, Any]
) -> None:
    meaning = MEANINGS[kind][0]
    original = {own_key(source, each): each for each in MEANINGS[kind]} | others
    seen = translate_input(original, source, target, (kind,))
    shorter = {key: value for key, value in seen.items() if key != own_key(target, meaning)}
    back = translate_back(shorter, original, source, target, (kind,))
    assert back == {key: value for key, value in original.items() if key != own_key(source, meaning)}


@sweep("spelling", ["filePath", "file_path", "path", "absolute_path", "absolutePath"])
@sweep("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_a_path_in_any_spelling_reaches_a_hook_and_comes_back(dialect: Dialect, spelling: str) -> None:
    original = {spelling: "a", "n": 1}
    seen = translate_input(original, named("claude"), dialect, ("read",))
    if dialect.name != "claude":
        assert seen[own_key(dialect, "path")] == "a"
    assert translate_back({**seen, "n": 2}, original, named("claude"), dialect, ("read",)) == {spelling: "a", "n": 2}


@pytest.mark.parametrize(
    ("source", "original", "rewritten", "back"),
    [
        (
            "cline",
            {"server_name": "s", "tool_name": "t", "arguments": '{"a": 1}'},
            {"a": 2},
            {"server_name": "s", "tool_name": "t", "arguments": '{"a": 2}'},
        ),
        (
            "windsurf",
            {"mcp_server_name": "s", "mcp_tool_name": "t", "mcp_tool_arguments": {"a": 1}},
            {"a": 2},
            {"mcp_server_name": "s", "mcp_tool_name": "t", "mcp_tool_arguments": {"a": 2}},
        ),
    ],
)
def test_arguments_of_an_mcp_tool_go_back_to_where_they_were(
    source: str, original: dict[str, Any], rewritten: dict[str, Any], back: dict[str, Any]
) -> None:
    seen = translate_input(original, named(source), named("claude"), ("mcp",))
    assert seen == {"a": 1}
    assert translate_back(rewritten, original, named(source), named("claude"), ("mcp",)) == back
    assert translate_back(seen, original, named(source), named("claude"), ("mcp",)) == original


@pytest.mark.parametrize("text", ['{ "a":1 }', '{"a":1}', '{"b": 2, "a": 1}', '{"a": 1.0, "\\u0062": 2}'])
def test_arguments_that_no_hook_changes_keep_their_very_text(text: str) -> None:
    original = {"server_name": "s", "tool_name": "t", "arguments": text}
    seen = translate_input(original, named("cline"), named("claude"), ("mcp",))
    copy = dict(reversed(seen.items()))
    assert translate_back(copy, original, named("cline"), named("claude"), ("mcp",)) == original


def test_two_agents_that_wrap_arguments_rename_what_is_around_them() -> None:
    original = {"server_name": "s", "tool_name": "t", "arguments": "{}", "x": 1}
    seen = translate_input(original, named("cline"), named("windsurf"), ("mcp",))
    assert seen == {"mcp_server_name": "s", "mcp_tool_name": "t", "mcp_tool_arguments": "{}", "x": 1}
    assert translate_back(seen, original, named("cline"), named("windsurf"), ("mcp",)) == original


@pytest.mark.parametrize("arguments", ["not JSON", "[1]", None, 3])
def test_arguments_that_are_no_object_stay_where_they_are(arguments: Any) -> None:
    original = {"server_name": "s", "tool_name": "t", "arguments": arguments}
    assert translate_input(original, named("cline"), named("claude"), ("mcp",)) is original
