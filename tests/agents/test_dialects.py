"""What each agent calls its tools, events and keys, and the payload that a hook of each reads."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sweeps import sweep

from hookrun.agents import (
    DIALECTS,
    XBOT,
    dialect_named,
    dialect_of_tool,
    event_named_anywhere,
    kinds_of_any,
    kinds_of_tool,
    known_tool_names,
    own_event_name,
    tool_names,
)
from hookrun.agents.payload import json_text, payload_for, payload_line
from hookrun.agents.translate import translate_back, translate_input
from hookrun.model.errors import UsageError
from hookrun.model.events import EVENTS, KINDS
from hookrun.model.values import Event

if TYPE_CHECKING:
    from hookrun.agents.shape import Dialect


def named(name: str) -> Dialect:
    dialect = dialect_named(name)
    assert dialect is not None
    return dialect


def call(dialect: str, tool_name: str, tool_input: Any = None, **fields: Any) -> Event:
    kinds = kinds_of_tool(tool_name, named(dialect))
    return Event(event="PreToolUse", dialect=dialect, tool_name=tool_name, tool_input=tool_input, kinds=kinds, **fields)


def test_tables_speak_of_known_kinds_and_events_alone() -> None:
    for dialect in DIALECTS:
        assert set(dialect.tools) <= set(KINDS), dialect.name
        assert set(dialect.events) <= set(EVENTS), dialect.name
        assert all(dialect.tools.values()), dialect.name
        assert all(dialect.events.values()), dialect.name


def test_an_event_that_implies_a_tool_implies_one_of_its_own() -> None:
    for dialect in DIALECTS:
        for event, tool in dialect.tool_by_event.items():
            assert kinds_of_tool(tool + "x" if tool.endswith(":") else tool, dialect), tool
            assert event_named_anywhere(event), event


def test_xbot_comes_first() -> None:
    assert DIALECTS[0] is XBOT
    assert len({dialect.name for dialect in DIALECTS}) == len(DIALECTS) == 11
    assert dialect_named("no such agent") is None


@sweep(
    ("tool", "dialect"),
    [
        ("Shell", "xbot"),
        ("Read", "xbot"),
        ("bash", "xcsh"),
        ("Bash", "claude"),
        ("MultiEdit", "claude"),
        ("apply_patch", "codex"),
        ("run_shell_command", "gemini"),
        ("powershell", "copilot"),
        ("execute_command", "cline"),
        ("mcp__github__create_issue", "claude"),
        ("mcp_github_create", "gemini"),
        ("MCP:create", "cursor"),
    ],
)
def test_a_tool_belongs_to_the_first_dialect_that_has_it(tool: str, dialect: str) -> None:
    found = dialect_of_tool(tool)
    assert found is not None
    assert found.name == dialect


@pytest.mark.parametrize("tool", ["SHELL", "no_such_tool", "", "mcp__", "MCP:"])
def test_a_tool_that_nobody_has_belongs_to_no_dialect(tool: str) -> None:
    assert dialect_of_tool(tool) is None


@sweep(
    ("tool", "dialect", "kinds"),
    [
        ("Bash", "claude", ("shell",)),
        ("bAsH", "claude", ("shell",)),
        ("MultiEdit", "claude", ("edit",)),
        ("FileEdit", "xbot", ("edit",)),
        ("apply_patch", "codex", ("edit", "write")),
        ("Write", "cursor", ("edit", "write")),
        ("Write", "claude", ("write",)),
        ("list_files", "cline", ("glob", "list")),
        ("mcp__a__b", "claude", ("mcp",)),
        ("mcp__a__b", "xbot", ()),
        ("Bash", "xbot", ()),
    ],
)
def test_kinds_of_a_tool_in_its_dialect(tool: str, dialect: str, kinds: tuple[str, ...]) -> None:
    assert kinds_of_tool(tool, named(dialect)) == kinds


@sweep(
    ("name", "preferred", "kinds"),
    [
        ("bash", None, ("shell",)),
        ("write", "cursor", ("write",)),
        ("Write", "cursor", ("write",)),
        ("MultiEdit", None, ("edit",)),
        ("apply_patch", None, ("edit", "write")),
        ("apply_patch", "copilot", ("edit", "write")),
        ("find", None, ("glob",)),
        ("RUN_SHELL_COMMAND", "claude", ("shell",)),
        ("list_files", None, ("glob", "list")),
        ("mcp__a__b", None, ("mcp",)),
        ("my_own_tool", None, ()),
        ("", None, ()),
    ],
)
def test_kinds_of_a_name_that_anybody_may_have_given(name: str, preferred: str | None, kinds: tuple[str, ...]) -> None:
    assert kinds_of_any(name, named(preferred) if preferred else None) == kinds


def test_every_known_tool_name_means_something() -> None:
    names = known_tool_names()
    assert {"Shell", "Bash", "run_shell_command", "NotebookEdit", "shell", "mcp"} <= set(names)
    assert len(names) == len(set(names))
    assert all(kinds_of_any(name) for name in names)


@sweep(
    ("event", "hook_dialect", "names"),
    [
        (call("claude", "Bash"), "claude", ("Bash",)),
        (call("claude", "Bash"), "codex", ("Bash",)),
        (call("claude", "Bash"), "xbot", ("Shell", "Bash")),
        (call("claude", "Bash"), "copilot", ("bash", "powershell", "Bash")),
        (call("claude", "MultiEdit"), "claude", ("MultiEdit",)),
        (call("claude", "MultiEdit"), "xbot", ("FileReplace", "FileEdit", "MultiEdit")),
        (call("codex", "apply_patch"), "claude", ("Edit", "Write", "MultiEdit", "apply_patch")),
        (call("claude", "NotebookEdit"), "xbot", ("NotebookEdit",)),
        (call("claude", "WebFetch"), "xcsh", ("WebFetch",)),
        (call("xbot", "Mine"), "claude", ("Mine",)),
        (Event(dialect="xbot", event="SessionStart"), "claude", ()),
    ],
)
def test_names_that_a_hook_is_offered(event: Event, hook_dialect: str, names: tuple[str, ...]) -> None:
    assert tool_names(event, named(hook_dialect)) == names


def test_a_tool_that_only_the_configuration_knows_is_offered_under_the_names_of_its_kind_too() -> None:
    event = Event(event="PreToolUse", dialect="xbot", tool_name="run_shell", kinds=("shell",))
    assert tool_names(event, XBOT) == ("run_shell", "Shell")


def test_a_name_in_another_case_is_offered_under_the_right_one_too() -> None:
    assert tool_names(call("claude", "bASH"), named("claude")) == ("bASH", "Bash")


@sweep(
    ("source", "tool", "target", "names"),
    [
        ("claude", "mcp__git_hub__get__x", "codex", ("mcp__git_hub__get__x",)),
        ("claude", "mcp__github__create", "codex", ("mcp__github__create",)),
        ("claude", "mcp__github__create", "cursor", ("MCP:create", "mcp__github__create")),
        ("claude", "mcp__github__create", "gemini", ("mcp_github_create", "mcp__github__create")),
        ("claude", "mcp__git_hub__create", "gemini", ("mcp_git_hub_create", "mcp__git_hub__create")),
        ("claude", "mcp__github__create_pr", "gemini", ("mcp_github_create_pr", "mcp__github__create_pr")),
        ("claude", "mcp__github__create", "xbot", ("mcp__github__create", "mcp_github_create", "MCP:create")),
        ("xbot", "mcp__github__create", "gemini", ("mcp_github_create", "mcp__github__create")),
        ("gemini", "mcp_github_create", "claude", ("mcp__github__create", "mcp_github_create")),
        (
            "gemini",
            "mcp_git_hub_create",
            "claude",
            ("mcp_git_hub_create", "mcp__git__hub_create", "mcp__git_hub__create"),
        ),
        ("cursor", "MCP:create", "claude", ("MCP:create", "mcp__*__create")),
        ("gemini", "mcp" + "_a" * 1000, "claude", ("mcp" + "_a" * 1000, "mcp__*__*")),
    ],
)
def test_an_mcp_tool_is_offered_under_every_name_that_it_may_have(
    source: str, tool: str, target: str, names: tuple[str, ...]
) -> None:
    assert tool_names(call(source, tool), named(target)) == names


@sweep(
    ("spelling", "event"),
    [
        ("PreToolUse", "PreToolUse"),
        ("pre", "PreToolUse"),
        ("pre-tool-use", "PreToolUse"),
        ("tool_call", "PreToolUse"),
        ("BeforeTool", "PreToolUse"),
        ("beforeShellExecution", "PreToolUse"),
        ("pre_run_command", "PreToolUse"),
        ("AfterTool", "PostToolUse"),
        ("afterFileEdit", "PostToolUse"),
        ("Stop", "AgentStop"),
        ("stop", "AgentStop"),
        ("AfterAgent", "AgentStop"),
        ("TaskComplete", "AgentStop"),
        ("SubagentStop", "SubAgentStop"),
        ("BeforeAgent", "UserPromptSubmit"),
        ("userPromptSubmitted", "UserPromptSubmit"),
        ("PreCompress", "PreCompact"),
        ("Notification", "Notification"),
    ],
)
def test_an_event_is_found_in_any_spelling(spelling: str, event: str) -> None:
    found = event_named_anywhere(spelling)
    assert found is not None
    assert found.name == event


def test_an_event_that_nobody_has_is_not_found() -> None:
    assert event_named_anywhere("BeforeBreakfast") is None


def test_every_event_keeps_its_meaning_in_every_dialect() -> None:
    for dialect in DIALECTS:
        for event, spellings in dialect.events.items():
            for spelling in spellings:
                found = event_named_anywhere(spelling)
                assert found is not None
                assert found.name == event or (found.name, event) == ("PostToolUse", "PostToolUseFailure")


def test_an_event_has_its_own_name_in_a_dialect() -> None:
    assert own_event_name("AgentStop", named("claude")) == "Stop"
    assert own_event_name("PreToolUse", named("gemini")) == "BeforeTool"
    assert own_event_name("PostToolUseFailure", named("codex")) == "PostToolUse"
    assert own_event_name("CronFired", named("claude")) == "CronFired"


@pytest.mark.parametrize(
    ("source", "target", "kinds", "given_input", "translated"),
    [
        (
            "claude",
            "xbot",
            ("edit",),
            {"file_path": "a", "old_string": "b", "replace_all": True},
            {"path": "a", "old_string": "b", "replace_all": True},
        ),
        ("claude", "copilot", ("edit",), {"file_path": "a", "new_string": "b"}, {"path": "a", "new_str": "b"}),
        ("claude", "copilot", ("write",), {"file_path": "a", "content": "b"}, {"path": "a", "file_text": "b"}),
        ("cline", "gemini", ("read",), {"path": "a"}, {"file_path": "a"}),
        ("claude", "xbot", ("read",), {"filePath": "a"}, {"path": "a"}),
        ("windsurf", "claude", ("shell",), {"command_line": "ls"}, {"command": "ls"}),
        (
            "claude",
            "xbot",
            ("edit",),
            {"edits": [{"old_string": "a", "file_path": "b"}]},
            {"edits": [{"old_string": "a", "file_path": "b"}]},
        ),
    ],
)
def test_input_is_read_in_the_keys_of_the_hook(
    source: str, target: str, kinds: tuple[str, ...], given_input: Any, translated: Any
) -> None:
    found = translate_input(given_input, named(source), named(target), kinds)
    assert found == translated
    assert list(found) == list(translated)
    assert translate_back(found, given_input, named(source), named(target), kinds) == given_input


@pytest.mark.parametrize(
    ("target", "kinds", "given_input"),
    [
        ("claude", ("edit",), {"file_path": "a"}),
        ("xbot", ("grep",), {"file_path": "a"}),
        ("xbot", ("shell",), {"command": "ls", "file_path": "a"}),
        ("xbot", ("edit",), "*** Begin Patch"),
        ("xbot", (), {"file_path": "a"}),
    ],
)
def test_input_that_needs_no_translation_is_the_very_same(
    target: str, kinds: tuple[str, ...], given_input: Any
) -> None:
    assert translate_input(given_input, named("claude"), named(target), kinds) is given_input


_INPUTS = st.dictionaries(
    st.sampled_from(
        ["path", "file_path", "filePath", "old_string", "old_str", "content", "file_text", "command", "cmd", "x"]
    ),
    st.integers(),
)


@given(
    _INPUTS,
    st.sampled_from(DIALECTS),
    st.sampled_from(DIALECTS),
    st.lists(st.sampled_from(KINDS), unique=True, max_size=3).map(tuple),
)
def test_translation_loses_nothing_and_can_be_undone(
    tool_input: dict[str, int], source: Dialect, target: Dialect, kinds: tuple[str, ...]
) -> None:
    translated = translate_input(tool_input, source, target, kinds)
    assert list(translated.values()) == list(tool_input.values())
    assert translate_back(translated, tool_input, source, target, kinds) == tool_input


@pytest.mark.parametrize(
    ("source", "target", "kinds", "given_input", "translated"),
    [
        (
            "claude",
            "xbot",
            ("write",),
            {"file_path": ".env", "path": "README"},
            {"path": ".env", "other_path": "README"},
        ),
        (
            "windsurf",
            "claude",
            ("shell",),
            {"command": "ls", "other_command": 1, "command_line": "rm"},
            {"other_other_command": "ls", "other_command": 1, "command": "rm"},
        ),
    ],
)
def test_a_planted_key_does_not_stand_for_the_one_that_the_agent_uses(
    source: str, target: str, kinds: tuple[str, ...], given_input: Any, translated: Any
) -> None:
    found = translate_input(given_input, named(source), named(target), kinds)
    assert found == translated
    assert translate_back(found, given_input, named(source), named(target), kinds) == given_input


def test_the_key_of_the_hooks_dialect_counts_in_its_rewrite() -> None:
    claude, original = named("claude"), {"file_path": "a", "path": "README"}
    for rewritten in ({"path": "c"}, {"path": "c", "file_path": "d"}, {"file_path": "d", "path": "c"}):
        assert translate_back(rewritten, original, claude, XBOT, ("write",)) == {"file_path": "c"}


def test_a_rewrite_keeps_new_keys_and_gets_the_callers_names_back() -> None:
    claude, original = named("claude"), {"file_path": "a", "content": "b"}
    rewritten = {"path": "c", "content": "b", "mode": "0644"}
    assert translate_back(rewritten, original, claude, XBOT, ("write",)) == {
        "file_path": "c",
        "content": "b",
        "mode": "0644",
    }


def test_a_payload_has_both_spellings_and_leaves_out_what_is_empty() -> None:
    event = Event(
        event="PostToolUse",
        event_id="e1",
        dialect="xbot",
        tool_name="Shell",
        tool_input={"command": "ls"},
        kinds=("shell",),
        command="ls",
        tool_output="out",
        tool_call_id="c1",
        session_id="s1",
        tenant_id=7,
        cwd="/w",
        paths=("/w/a",),
        extra={"model": "m"},
        fields={"turn": 1, "event": "not this one"},
    )
    assert payload_for(event, XBOT) == {
        "event": "PostToolUse",
        "hook_event_name": "PostToolUse",
        "event_id": "e1",
        "tool_name": "Shell",
        "tool_input": {"command": "ls"},
        "tool": "shell",
        "command": "ls",
        "paths": ["/w/a"],
        "tool_output": "out",
        "tool_response": "out",
        "tool_call_id": "c1",
        "tool_use_id": "c1",
        "session_id": "s1",
        "tenant_id": 7,
        "cwd": "/w",
        "extra": {"model": "m"},
        "turn": 1,
    }


def test_a_payload_without_a_tool_has_no_keys_of_one() -> None:
    assert payload_for(Event(dialect="xbot", event="AgentStop"), named("claude")) == {
        "event": "AgentStop",
        "hook_event_name": "Stop",
    }


def test_a_hook_of_another_dialect_reads_its_own_names_and_the_callers_beside_them() -> None:
    payload = payload_for(call("claude", "Edit", {"file_path": "a"}), XBOT)
    assert (payload["tool_name"], payload["tool_input"]) == ("FileReplace", {"path": "a"})
    assert (payload["raw_tool_name"], payload["raw_tool_input"]) == ("Edit", {"file_path": "a"})


def test_a_hook_of_the_same_dialect_reads_what_was_given_and_nothing_beside_it() -> None:
    given_input = {"file_path": "a"}
    payload = payload_for(call("claude", "Edit", given_input), named("claude"))
    assert payload["tool_input"] is given_input
    assert payload["tool_name"] == "Edit"
    assert not {"raw_tool_name", "raw_tool_input"} & set(payload)


@pytest.mark.parametrize("tool_input", [{}, [], "", 0, False])
def test_input_that_is_empty_is_still_input(tool_input: Any) -> None:
    assert payload_for(call("xbot", "Shell", tool_input), XBOT)["tool_input"] == tool_input


def test_a_structured_response_stays_what_it_is() -> None:
    event = call("xbot", "Shell", tool_output="cut", tool_response={"stdout": "whole"})
    payload = payload_for(event, XBOT)
    assert payload["tool_output"] == "cut"
    assert payload["tool_response"] == {"stdout": "whole"}


def test_a_payload_is_one_line_of_ascii() -> None:
    line = payload_line({"a": "é\n\u2028\x00"})
    assert line == b'{"a": "\\u00e9\\n\\u2028\\u0000"}\n'


def test_a_lone_surrogate_survives() -> None:
    assert payload_line({"a": "\ud800"}) == b'{"a": "\\ud800"}\n'


def test_numbers_that_json_does_not_have_become_null() -> None:
    value = {"a": [math.nan, math.inf, -math.inf, 1.5, (math.nan,)], "b": {"c": math.inf}, "d": 2}
    assert json.loads(payload_line(value)) == {"a": [None, None, None, 1.5, [None]], "b": {"c": None}, "d": 2}


def test_what_json_cannot_say_becomes_text() -> None:
    assert json_text({"a": {1}.__class__}) == '{"a": "<class \'set\'>"}'


def test_a_value_that_nests_too_deeply_is_refused() -> None:
    deep: list[Any] = []
    for _ in range(200_000):
        deep = [deep]
    with pytest.raises(UsageError, match="nested too deeply"):
        payload_line({"a": deep})
    while deep:  # a list of lists this deep cannot be freed by the interpreter's own recursion everywhere
        deep = deep[0]


def test_a_value_that_contains_itself_is_refused() -> None:
    circle: dict[str, Any] = {}
    circle["a"] = circle
    with pytest.raises(UsageError, match="nested too deeply"):
        payload_line(circle)


_TEXT = st.text(max_size=20)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(_TEXT, inner, max_size=5),
    max_leaves=10,
)


@given(st.dictionaries(_TEXT, _JSON, max_size=5))
def test_a_payload_line_says_what_the_payload_says(payload: dict[str, Any]) -> None:
    line = payload_line(payload)
    assert line.count(b"\n") == 1
    assert json.loads(line) == payload


def test_reading_the_tables_imports_nothing_heavy() -> None:
    tables = "hookrun.programs.command, hookrun.config.documents, hookrun.events.event"
    code = f"import sys, {tables}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"dataclasses", "typing", "subprocess", "pathlib", "contextlib", "inspect", "shlex", "yaml", "tomllib"}
    assert not heavy & set(done.stdout.split())
