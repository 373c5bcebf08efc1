"""Events from loose fields and from whole payloads, in the spelling of any agent."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from command import CHECKOUT
from hypothesis import given
from hypothesis import strategies as st
from sweeps import sweep

from hookrun.agents import dialect_named
from hookrun.agents.payload import payload_for, payload_line
from hookrun.events.event import cut_output, event_from_payload, make_event, with_input
from hookrun.model.constants import TOOL_OUTPUT_LIMIT
from hookrun.model.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from hookrun.model.values import Event

PAYLOADS = str(CHECKOUT / "tests/payloads")


def recorded(agent: str) -> list[dict[str, Any]]:
    with open(os.path.join(PAYLOADS, f"{agent}.jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def made(name: str, **values: Any) -> Event:
    event, problems = make_event(name, **values)
    assert problems == ()
    return event


def read(payload: dict[str, Any], agent: str = "", **overrides: Any) -> Event:
    event, problems = event_from_payload(payload, dialect=dialect_named(agent) if agent else None, **overrides)
    assert problems == ()
    return event


# Loose fields


def test_a_shell_call_is_understood() -> None:
    event = made("pre", tool_name="Shell", tool_input={"command": "ls -l"}, cwd="/w", session_id="s")
    assert (event.event, event.dialect, event.tool, event.kinds) == ("PreToolUse", "xbot", "shell", ("shell",))
    assert (event.command, event.paths, event.cwd, event.session_id) == ("ls -l", (), "/w", "s")


def test_every_event_gets_an_id_of_its_own_unless_it_has_one() -> None:
    assert made("stop").event_id != made("stop").event_id != ""
    assert made("stop", event_id="mine").event_id == "mine"


def test_an_unknown_event_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="PreToolUs") as caught:
        make_event("PreToolUs")
    assert "PreToolUse" in caught.value.hint


@pytest.mark.parametrize(
    ("tool", "agent", "dialect"),
    [("Bash", "", "claude"), ("Shell", "", "xbot"), ("Bash", "codex", "codex"), ("Mine", "gemini", "gemini")],
)
def test_the_dialect_is_the_one_given_or_that_of_the_tool(tool: str, agent: str, dialect: str) -> None:
    event, _ = make_event("pre", tool_name=tool, dialect=dialect_named(agent) if agent else None)
    assert event.dialect == dialect


def test_a_tool_of_another_dialect_keeps_its_kind() -> None:
    event = made("pre", tool_name="run_shell_command", dialect=dialect_named("claude"))
    assert (event.dialect, event.kinds) == ("claude", ("shell",))


def test_an_unknown_tool_is_one_problem_with_the_nearest_name() -> None:
    event, problems = make_event("pre", tool_name="Shel", tool_input={"command": "ls"})
    assert (event.kinds, event.command) == ((), "")
    (problem,) = problems
    assert "'Shel'" in problem.message
    assert "did you mean Shell?" in problem.hint
    assert "tools: {Shel: shell}" in problem.hint


def test_the_configuration_says_what_a_tool_is() -> None:
    tools = {"run_shell": "shell", "Shell": "read", "edit_file": {"tool": "edit", "path": "target"}}
    shell = made("pre", tool_name="run_shell", tool_input={"command": "ls"}, kinds_by_tool=tools)
    assert (shell.kinds, shell.command, shell.dialect) == (("shell",), "ls", "xbot")
    edit = made("pre", tool_name="edit_file", tool_input={"target": "a"}, kinds_by_tool=tools, cwd="/w")
    assert (edit.kinds, edit.paths) == (("edit",), ("/w/a",))
    assert made("pre", tool_name="Shell", kinds_by_tool=tools).kinds == ("read",)


@pytest.mark.parametrize(
    ("tool_input", "command"),
    [
        ({"command": "git push"}, "git push"),
        ({"cmd": "git push"}, "git push"),
        ({"command": ["bash", "-c", "git push"]}, "bash -c 'git push'"),
        ("git push", "git push"),
        (["git", "a b"], "git 'a b'"),
        ({"command": None}, ""),
        ({}, ""),
        (None, ""),
        (7, ""),
    ],
)
def test_the_command_of_a_shell_call_is_its_text(tool_input: Any, command: str) -> None:
    assert made("pre", tool_name="Shell", tool_input=tool_input).command == command


def test_the_command_is_what_the_callers_dialect_calls_so() -> None:
    planted = {"command": "ls", "command_line": "rm -rf /"}
    windsurf = dialect_named("windsurf")
    event, _ = make_event("PreToolUse", dialect=windsurf, tool_name="run_command", tool_input=planted)
    assert event.command == "rm -rf /"
    assert with_input(event, dict(planted, command_line="pwd")).command == "pwd"
    assert make_event("PreToolUse", tool_name="Shell", tool_input=planted)[0].command == "ls"


def test_every_key_that_names_a_file_counts() -> None:
    tool_input = {"path": "/a", "filePath": "/b", "file_path": "/c", "paths": ["/d"]}
    event, _ = make_event("PreToolUse", dialect=dialect_named("claude"), tool_name="Write", tool_input=tool_input)
    assert sorted(event.paths) == ["/a", "/b", "/c", "/d"]


def test_only_a_shell_call_has_a_command() -> None:
    assert made("pre", tool_name="Read", tool_input={"command": "ls"}).command == ""


@sweep(
    ("tool", "tool_input", "paths"),
    [
        ("Edit", {"file_path": "a"}, ("/w/a",)),
        ("FileReplace", {"path": "a"}, ("/w/a",)),
        ("Write", {"filePath": "../b"}, ("/b",)),
        ("NotebookEdit", {"notebook_path": "/x/n.ipynb"}, ("/x/n.ipynb",)),
        ("read_many_files", {"paths": ["a", "./a", "b", 7]}, ("/w/a", "/w/b")),
        ("Read", {"file_path": ""}, ()),
        ("Read", {"file_path": None, "path": {"a": 1}}, ()),
        ("Read", None, ()),
        ("Grep", {"path": "a"}, ()),
        ("Shell", {"command": "ls", "path": "a"}, ()),
        ("mcp__a__b", {"path": "a"}, ()),
    ],
)
def test_the_files_that_a_call_touches_are_known(tool: str, tool_input: Any, paths: tuple[str, ...]) -> None:
    assert made("pre", tool_name=tool, tool_input=tool_input, cwd="/w").paths == paths


def test_the_files_of_an_unknown_tool_are_known_too() -> None:
    event, _ = make_event("pre", tool_name="my_own_tool", tool_input={"path": "a"}, cwd="/w")
    assert event.paths == ("/w/a",)


def test_links_on_the_way_to_a_file_are_resolved(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    event = made("pre", tool_name="Write", tool_input={"file_path": "link/new.txt"}, cwd=str(tmp_path))
    assert event.paths == (os.path.join(os.path.realpath(tmp_path), "real/new.txt"),)


def test_a_home_folder_is_expanded() -> None:
    event = made("pre", tool_name="Read", tool_input={"file_path": "~/.ssh/id"}, cwd="/w")
    assert event.paths == (os.path.realpath(os.path.expanduser("~/.ssh/id")),)


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_a_name_that_no_file_can_have_is_still_a_path(name: str) -> None:
    assert made("pre", tool_name="Read", tool_input={"file_path": name}, cwd="/w").paths == (f"/w/{name}",)


PATCH = """*** Begin Patch
*** Add File: new.py
+*** Add File: text.py
*** Update File: old name.py
*** Move to: sub/moved.py
@@
-a
+b
*** Delete File: /x/gone.py
*** End Patch
"""


@pytest.mark.parametrize(
    ("tool", "tool_input"),
    [
        ("apply_patch", {"command": PATCH}),
        ("apply_patch", {"input": [{"deep": PATCH.replace("\n", "\r\n")}]}),
        ("apply_patch", PATCH),
        ("Bash", {"command": f"apply_patch <<'EOF'\n{PATCH}EOF\n"}),
    ],
)
def test_a_patch_is_read_for_its_files(tool: str, tool_input: Any) -> None:
    event = made("pre", tool_name=tool, tool_input=tool_input, cwd="/w", dialect=dialect_named("codex"))
    assert event.paths == ("/w/new.py", "/w/old name.py", "/w/sub/moved.py", "/x/gone.py")


def test_what_only_looks_like_a_part_of_a_patch_is_none() -> None:
    event = made("pre", tool_name="Write", tool_input={"content": "*** Add File: a"}, cwd="/w")
    assert event.paths == ()


def test_the_text_of_the_input_is_kept_byte_for_byte() -> None:
    text = '{ "command":"ls",\t"n": 1.10 }'
    event = made("pre", tool_name="Shell", tool_input_text=text)
    assert (event.tool_input_text, event.tool_input) == (text, {"command": "ls", "n": 1.1})
    assert event.command == "ls"


@pytest.mark.parametrize("text", ["{", "ls -l", "[" * 100_000])
def test_input_text_that_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not JSON"):
        make_event("pre", tool_name="Shell", tool_input_text=text)


def test_rewritten_input_brings_its_command_and_paths() -> None:
    event = made("pre", tool_name="Shell", tool_input_text='{"command": "rm"}')
    rewritten = with_input(event, {"command": "ls"})
    assert (rewritten.tool_input, rewritten.tool_input_text) == ({"command": "ls"}, "")
    assert (rewritten.command, rewritten.event_id) == ("ls", event.event_id)
    tools = {"edit_file": {"tool": "edit", "path": "target"}}
    edit = made("pre", tool_name="edit_file", tool_input={"target": "a"}, kinds_by_tool=tools, cwd="/w")
    assert with_input(edit, {"target": "b"}, tools).paths == ("/w/b",)


# Output


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a" * 8192, 8192),
        ("a" * 8193, 8192),
        ("a" * 8191 + "é", 8191),
        ("a" * 8190 + "é", 8192),
        ("a" * 8190 + "한", 8190),
        ("a" * 8189 + "😀", 8189),
        ("😀" * 3000, 8192),
        ("a" * 8190 + "\ud800", 8190),
        ("한" * 3000, 8190),
    ],
)
def test_output_is_cut_between_characters(text: str, kept: int) -> None:
    event = made("post", tool_name="Shell", tool_output=text)
    assert len(event.tool_output.encode("utf-8", "surrogatepass")) == kept
    assert text.startswith(event.tool_output)
    assert event.tool_output_truncated == (event.tool_output != text)
    assert event.tool_response is None


@given(st.text(min_size=1, max_size=40), st.integers(50, 800))  # drawing a long text takes long
def test_output_is_cut_as_late_as_possible(text: str, times: int) -> None:
    text *= times
    cut, was_cut = cut_output(text)
    size = len(cut.encode())
    assert was_cut == (len(text.encode()) > TOOL_OUTPUT_LIMIT)
    assert text.startswith(cut)
    if was_cut:
        assert TOOL_OUTPUT_LIMIT - 4 < size <= TOOL_OUTPUT_LIMIT
        assert size + len(text[len(cut)].encode()) > TOOL_OUTPUT_LIMIT
    else:
        assert cut == text


def test_structured_output_is_kept_whole_and_its_text_is_cut() -> None:
    response = {"stdout": "é" * 9000}
    event = made("post", tool_name="Bash", tool_output=response)
    assert event.tool_response is response
    assert event.tool_output.startswith('{"stdout": "éé')
    assert event.tool_output_truncated


@pytest.mark.parametrize("response", [{}, [], False, 0])
def test_empty_structured_output_is_output(response: Any) -> None:
    event = made("post", tool_name="Bash", tool_output=response)
    assert (event.tool_response, event.tool_output) == (response, json.dumps(response))


# Whole payloads


def test_claudes_payloads_are_read() -> None:
    events = [read(payload, "claude") for payload in recorded("claude")]
    assert [event.event for event in events] == [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUseFailure",
        "PreToolUse",
        "PostToolUse",
        "PreToolUse",
        "PostToolUse",
        "AgentStop",
        "SessionEnd",
    ]
    assert events[0].fields["source"] == "startup"
    assert events[1].prompt == "go"
    failed = events[3]
    assert (failed.tool_error, failed.tool_elapsed_ms, failed.tool_call_id) == ("Exit code 3\nhi", 35, "toolu_00")
    assert (failed.command, failed.kinds) == ("echo hi; exit 3", ("shell",))
    written = events[5]
    assert written.tool_response["type"] == "create"
    assert json.loads(written.tool_output) == written.tool_response
    assert written.paths == ("/home/dev/project/w.txt",)
    assert events[6].tool == "edit"
    assert events[8].fields["last_assistant_message"] == "done"
    assert all(event.session_id and event.cwd == "/home/dev/project" for event in events)


def test_codexs_payloads_are_read() -> None:
    events = [read(payload, "codex") for payload in recorded("codex")]
    assert [event.event for event in events] == [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "AgentStop",
        "SessionEnd",
    ]
    done = events[3]
    assert (done.tool_output, done.tool_response, done.dialect) == ("hi\n", None, "codex")
    assert done.extra == {"model": "stand-in"}
    assert done.fields["model"] == "stand-in"


def test_geminis_payloads_are_read() -> None:
    events = [event_from_payload(payload, dialect=dialect_named("gemini"))[0] for payload in recorded("gemini")]
    names = [event.event for event in events]
    assert names[:2] == ["SessionStart", "UserPromptSubmit"]
    assert names[-2:] == ["AgentStop", "SessionEnd"]
    (failed,) = [event for event in events if event.event == "PostToolUseFailure"]
    assert failed.tool_name == "read_file"
    assert failed.tool_error == "File not found: /home/dev/project/missing.txt"
    succeeded = [event for event in events if event.event == "PostToolUse"]
    assert {event.tool for event in succeeded} >= {"edit", "write"}
    assert all("llmContent" in event.tool_response for event in succeeded)


@pytest.mark.parametrize("agent", ["claude", "codex", "gemini"])
def test_nothing_of_a_recorded_payload_is_lost(agent: str) -> None:
    dialect = dialect_named(agent)
    assert dialect is not None
    for payload in recorded(agent):
        event, _ = event_from_payload(payload, dialect=dialect)
        written = json.loads(payload_line(payload_for(event, dialect)))
        own_names = {"error": "tool_error", "duration_ms": "tool_elapsed_ms"}
        for key, value in payload.items():
            if value not in (None, "", [], {}, False) and key != "tool_response":
                assert written[own_names.get(key, key)] == value, key


def test_hookruns_own_payload_means_the_same_event_again() -> None:
    event = made("post", tool_name="Edit", tool_input={"file_path": "a"}, tool_output="ok", cwd="/w", tenant_id=7)
    for agent in ("xbot", "claude", "gemini", "codex"):
        dialect = dialect_named(agent)
        assert dialect is not None
        assert read(payload_for(event, dialect)) == event


def test_keys_are_read_in_camel_case_too() -> None:
    payload = {
        "hookEventName": "preToolUse",
        "sessionId": "s",
        "toolName": "bash",
        "toolArgs": '{"command": "ls"}',
        "tenantId": "7",
        "toolCallId": "c",
    }
    event = read(payload, "copilot")
    assert (event.event, event.session_id, event.tool_name, event.command) == ("PreToolUse", "s", "bash", "ls")
    assert (event.tool_input_text, event.tool_input) == ('{"command": "ls"}', {"command": "ls"})
    assert (event.tenant_id, event.tool_call_id, event.fields) == (7, "c", {})


def test_input_that_is_text_but_no_json_stays_text() -> None:
    event = read({"event": "pre", "tool_name": "Shell", "tool_input": "{ echo hi; }"})
    assert (event.tool_input, event.command, event.tool_input_text) == ("{ echo hi; }", "{ echo hi; }", "")


def test_clines_nested_payload_is_read() -> None:
    payload = {
        "hookName": "PostToolUse",
        "taskId": "t",
        "workspaceRoots": ["/w", "/x"],
        "postToolUse": {
            "toolName": "write_to_file",
            "parameters": {"path": "a"},
            "result": "no",
            "success": False,
            "executionTimeMs": 5,
        },
    }
    event = read(payload, "cline", cwd="/w")
    assert (event.event, event.session_id, event.project_dir) == ("PostToolUseFailure", "t", "/w")
    assert (event.tool_name, event.paths, event.tool_output) == ("write_to_file", ("/w/a",), "no")
    assert event.tool_elapsed_ms == 5


@pytest.mark.parametrize("agent", ["", "cursor"])
def test_an_event_of_cursor_implies_its_tool(agent: str) -> None:
    payload = {"hook_event_name": "beforeShellExecution", "conversation_id": "c", "command": "ls", "cwd": "/w"}
    event = read(payload, agent)
    assert (event.event, event.dialect, event.tool_name) == ("PreToolUse", "cursor", "Shell")
    assert (event.tool_input, event.command, event.session_id) == ({"command": "ls"}, "ls", "c")


def test_an_event_of_windsurf_implies_its_tool() -> None:
    payload = {
        "agent_action_name": "pre_write_code",
        "trajectory_id": "t",
        "tool_info": {"file_path": "/w/a", "edits": []},
    }
    event = read(payload)
    assert (event.dialect, event.kinds, event.paths) == ("windsurf", ("edit", "write"), ("/w/a",))


def test_a_prompt_of_windsurf_is_read() -> None:
    event = read({"agent_action_name": "pre_user_prompt", "tool_info": {"user_prompt": "go"}})
    assert (event.event, event.prompt, event.tool_input) == ("UserPromptSubmit", "go", None)


def test_a_tool_result_of_a_module_is_a_success_or_a_failure() -> None:
    content = [{"type": "text", "text": "one"}, {"type": "image"}, {"type": "text", "text": "two"}]
    payload = {"event": "tool_result", "tool_name": "bash", "input": {"command": "ls"}, "content": content}
    event = read(payload | {"is_error": False})
    assert (event.event, event.command, event.tool_output) == ("PostToolUse", "ls", "one\ntwo")
    assert event.fields == {"content": content, "is_error": False}
    assert read(payload | {"is_error": True}).event == "PostToolUseFailure"


def test_a_failed_tool_of_copilot_is_a_failure() -> None:
    payload = {
        "event": "postToolUse",
        "toolName": "bash",
        "toolResult": {"resultType": "failure", "textResultForLlm": "no such file"},
    }
    event = read(payload, "copilot")
    assert (event.event, event.tool_error) == ("PostToolUseFailure", "no such file")


def test_the_event_key_counts_more_than_an_agents_own() -> None:
    payload = {"hook_event_name": "BeforeTool", "event": "PostToolUse", "tool_name": "Shell"}
    assert read(payload).event == "PostToolUse"


def test_overrides_count_more_than_the_payload_unless_they_are_empty() -> None:
    payload = {
        "event": "pre",
        "tool_name": "Read",
        "tool_input": '{"path": "a"}',
        "session_id": "s",
        "tenant_id": 7,
        "cwd": "/w",
    }
    event = read(payload, tool_name="Shell", tool_input={"command": "ls"}, session_id="", tenant_id=0, cwd="/x")
    assert (event.tool_name, event.command, event.tool_input_text) == ("Shell", "ls", "")
    assert (event.session_id, event.tenant_id, event.cwd) == ("s", 7, "/x")


def test_keys_of_a_tool_are_fields_of_their_own_where_there_is_no_tool() -> None:
    payload = {"event": "auto_retry_end", "error": "e", "error_message": "m", "result": {"a": 1}, "command": "c"}
    assert read(payload).fields == {"error": "e", "error_message": "m", "result": {"a": 1}, "command": "c"}


@pytest.mark.parametrize("payload", [{}, {"tool_name": "Shell"}, {"event": ""}, {"event": 7}])
def test_a_payload_without_an_event_is_refused(payload: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="names no event"):
        event_from_payload(payload)


def test_an_event_of_one_agent_that_names_a_tool_is_about_it() -> None:
    payload = {"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    event = read(payload | {"error": "e"}, "claude")
    assert (event.event, event.command, event.tool_error) == ("PermissionRequest", "ls", "e")


@pytest.mark.parametrize("payload", [{}, {"tool_name": ""}, {"tool_name": None}, {"tool_input": {}}])
def test_a_payload_of_a_tool_event_without_its_tool_is_refused(payload: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="names no tool"):
        event_from_payload(payload | {"event": "PreToolUse"})
    assert read(payload | {"event": "PreToolUse"}, tool_name="Shell").tool == "shell"


@pytest.mark.parametrize(("field", "value"), [("tenant_id", "seven"), ("tool_elapsed_ms", {}), ("tenant_id", [1])])
def test_a_number_that_is_none_is_a_problem(field: str, value: Any) -> None:
    event, problems = event_from_payload({"event": "pre", "tool_name": "Shell", field: value})
    assert getattr(event, field) == 0
    assert [problem.where for problem in problems] == ([field] if value else [])


_ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=20), inner, max_size=4),
    max_leaves=8,
)
_KEYS = st.sampled_from(
    [
        *("tool_input", "tool_output", "tool_response", "tool_error", "error", "is_error", "content", "tool"),
        *("raw_tool_name", "raw_tool_input", "tool_elapsed_ms", "command", "paths", "postToolUse", "tool_info"),
        *("cwd", "session_id", "tenant_id", "extra", "prompt", "project_dir", "workspace_roots"),
    ]
)


@given(st.sampled_from(["PreToolUse", "PostToolUse", "AgentStop"]), st.dictionaries(_KEYS, _ANY_JSON, max_size=6))
def test_any_payload_makes_an_event_that_can_be_written_down(name: str, payload: dict[str, Any]) -> None:
    event, _ = event_from_payload({"event": name, "tool_name": "Edit"} | payload)
    for agent in ("xbot", "claude", "gemini"):
        dialect = dialect_named(agent)
        assert dialect is not None
        assert payload_line(payload_for(event, dialect)).endswith(b"}\n")


def test_a_payload_with_a_slip_for_its_input_says_so() -> None:
    _, problems = event_from_payload({"event": "pre", "tool_name": "Bash", "tool_inptu": {"command": "ls"}})
    assert [(problem.level, problem.where) for problem in problems] == [("error", "tool_inptu")]
    _, problems = event_from_payload({"event": "pre", "tool_name": "Bash", "tool_input": {"command": "ls"}})
    assert problems == ()
