"""What an agent's payload means: its own fields alone, and tools by name or by their input's shape."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from command import CHECKOUT
from firing import DENY

from hookrun.readers.dialects.replies import reply_table
from hookrun.readers.dialects.replies.writing import write_refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from command import Ended

GUARD = "#!/bin/sh\nin=$(cat)\nprintf '%s\\n' \"$HOOKRUN_TOOL|$HOOKRUN_COMMAND|$HOOKRUN_PATHS\" >> asked\n"
STOPS_X = GUARD + "case $HOOKRUN_COMMAND$HOOKRUN_PATHS in *forbidden*) echo no >&2; exit 2;; esac\n"


@pytest.fixture
def bridge(cli: Callable[..., Ended], project: Any) -> Callable[..., bool]:
    """Send a payload to a bridge whose guards deny shell and write; say whether it was denied."""

    def run(agent: str, payload: dict[str, Any] | str, *words: str, guard: str = DENY) -> bool:
        for tool in ("bash", "write", "edit"):
            project.script(f".claude/hooks/pre/{tool}.sh", guard)
        cli("trust", "--yes")
        text = payload if isinstance(payload, str) else json.dumps({"cwd": str(project.path), **payload})
        ended = cli("bridge", agent, *words, input=text)
        assert "please report" not in ended.stderr
        said = ended.stdout.replace(" ", "")
        return ended.code == 2 or any(sign in said for sign in ('"deny"', '"cancel":true', '"block":true'))

    return run


CALLS = {
    "claude": {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "x"}},
    "codex": {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "x"}},
    "gemini": {
        "hook_event_name": "BeforeTool",
        "tool_name": "run_shell_command",
        "tool_input": {"command": "x"},
    },
    "qwen": {
        "hook_event_name": "PreToolUse",
        "tool_name": "run_shell_command",
        "tool_input": {"command": "x"},
    },
    "cursor": {"hook_event_name": "beforeShellExecution", "command": "x"},
    "windsurf": {"agent_action_name": "pre_run_command", "tool_info": {"command_line": "x"}},
    "cline": {
        "hookName": "tool_call",
        "tool_call": {"id": "1", "name": "run_commands", "input": {"commands": ["x"]}},
    },
    "xcsh": {"type": "tool_call", "toolName": "bash", "toolCallId": "1", "input": {"command": "x"}},
    "xbot": {"event": "PreToolUse", "tool_name": "Shell", "tool_input": {"command": "x"}},
}
FOREIGN = [
    {"hookEvent": "Stop"},
    {"raw_tool_name": "Foo", "raw_tool_input": {}},
    {"ToolName": "Foo", "tool": "Foo"},
]


@pytest.mark.parametrize("agent", CALLS)
def test_another_agents_field_never_beats_the_agents_own(bridge, agent) -> None:
    assert bridge(agent, CALLS[agent])
    for foreign in FOREIGN:
        assert bridge(agent, {**foreign, **CALLS[agent]}), foreign
        assert bridge(agent, {**CALLS[agent], **foreign}), foreign


def test_an_event_of_the_command_line_counts_where_the_agent_sends_none(bridge) -> None:
    call = {"toolName": "bash", "toolArgs": {"command": "x"}, "event": "agentStop", "hookName": "agentStop"}
    assert bridge("copilot", call, "--event", "preToolUse")


@pytest.mark.parametrize(
    "text",
    [
        '{"hook_event_name":"PreToolUse","hook_event_name":"Stop","tool_name":"Bash","tool_input":{}}',
        '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_name":"Foo","tool_input":{"command":"x"}}',
        '{"hook_event_name":"PreToolUse","tool_name":"Foo","tool_input":{"a":"x","a":"y"}}',
    ],
)
def test_a_key_that_stands_twice_is_refused(bridge, text) -> None:
    assert bridge("claude", text)


@pytest.mark.parametrize(
    "name", ["Bash ", " Bash", "Bash\n", "Bash\0", "\uff22\uff41\uff53\uff48", "Ba\u200bsh"]
)
def test_a_tool_is_what_its_name_looks_like(bridge, name) -> None:
    assert bridge("claude", CALLS["claude"] | {"tool_name": name})


@pytest.mark.parametrize("folder", ["/a\0b", "/a\ud800"])
def test_a_folder_that_cannot_be_is_refused_in_plain_words(bridge, folder) -> None:
    assert bridge("claude", CALLS["claude"] | {"cwd": folder})


@pytest.mark.parametrize(
    ("agent", "tool", "given"),
    [
        ("codex", "local_shell", {"command": ["ls", "-l"]}),
        ("codex", "exec_command", {"cmd": "ls"}),
        ("codex", "unified_exec", {"input": ["ls"]}),
        ("codex", "write_stdin", {"session_id": 1, "chars": "ls\n"}),
        ("claude", "Monitor", {"command": "ls"}),
        ("cursor", "Delete", {"path": "a"}),
        ("gemini", "smart_edit", {"file_path": "a"}),
        ("claude", "mcp__desk__start_process", {"command": "ls"}),
        ("claude", "mcp__x__run", {"cmd": ["ls", "-l"]}),
        ("claude", "RunIt", {"script": "ls"}),
        ("claude", "mcp__x__many", {"commands": ["ls", "pwd"]}),
        ("claude", "mcp__files__write_file", {"path": "a", "content": "x"}),
        ("claude", "mcp__files__push", {"files": [{"path": "a", "content": "x"}]}),
        ("claude", "mcp__files__deleteFile", {"path": "a"}),
        ("claude", "mcp__files__move_file", {"source": "a", "destination": "b"}),
    ],
)
def test_a_tool_under_another_name_is_asked_about(bridge, agent, tool, given) -> None:
    event = CALLS[agent]["hook_event_name"] if agent != "cursor" else "preToolUse"
    assert bridge(agent, {"hook_event_name": event, "tool_name": tool, "tool_input": given})


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("mcp__files__read_file", {"path": "a"}),
        ("mcp__db__query", {"sql": "select 1"}),
        ("mcp__github__create_issue", {"title": "x", "body": "y"}),
        ("mcp__browser__evaluate", {"script": "() => document.title"}),
        ("mcp__github__remove_label", {"label": "x"}),
    ],
)
def test_what_has_no_such_shape_passes(bridge, tool, given) -> None:
    assert not bridge("claude", {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given})


def test_an_observer_is_not_asked_by_shape(cli, project) -> None:
    project.script(".claude/hooks/post/bash.sh", GUARD)
    cli("emit", "PostToolUse", "--tool", "mcp__x__run", "--input", '{"command": "ls"}')
    assert not (project.path / "asked").exists()


def test_a_guard_by_shape_is_given_the_call_as_its_kind(bridge, project) -> None:
    call = {"hook_event_name": "PreToolUse", "tool_name": "mcp__x__run", "tool_input": {"cmd": "ls -l"}}
    assert not bridge("claude", call, guard=STOPS_X)
    assert (project.path / "asked").read_text() == "shell|ls -l|\n"


def test_explain_says_that_the_shape_decides(cli, project) -> None:
    project.script(".claude/hooks/pre/bash.sh", DENY)
    ended = cli("explain", "PreToolUse", "--tool", "mcp__x__run", "--input", '{"command": "ls"}')
    assert "by the shape of its input" in ended.stdout


def cline_calls() -> list[dict[str, Any]]:
    """The recorded calls of Cline before a tool."""
    lines = (CHECKOUT / "tests/fixtures/recorded/cline.jsonl").read_text().splitlines()
    return [event for event in map(json.loads, lines) if event["hookName"] == "tool_call"]


def test_the_recorded_commands_and_edits_of_cline_are_denied(bridge) -> None:
    by_tool = {call["tool_call"]["name"]: bridge("cline", call) for call in cline_calls()}
    assert by_tool == {"run_commands": True, "editor": True, "read_files": False}


def test_each_command_of_a_list_is_asked_about_and_one_deny_is_enough(bridge, project) -> None:
    call = {
        "hookName": "tool_call",
        "tool_call": {"name": "run_commands", "input": {"commands": ["ls", "pwd"]}},
    }
    assert not bridge("cline", call, guard=STOPS_X)
    assert sorted((project.path / "asked").read_text().splitlines()) == ["shell|ls|", "shell|pwd|"]
    call["tool_call"]["input"]["commands"] = ["ls", "forbidden", "pwd"]  # type: ignore[index]
    assert bridge("cline", call, guard=STOPS_X)


def test_a_list_of_commands_in_a_string_is_one_too(bridge) -> None:
    inner = {"toolName": "run_commands", "parameters": {"commands": '["ls", "forbidden"]'}}
    assert bridge("cline", {"hookName": "PreToolUse", "preToolUse": inner}, guard=STOPS_X)


def test_qwen_is_denied_what_a_hook_rewrites_and_told_feedback_as_context(cli, project) -> None:
    project.script(".claude/hooks/pre/bash.sh", '#!/bin/sh\necho \'{"updatedInput": {"command": "ls"}}\'\n')
    project.script(".claude/hooks/post/bash.sh", "#!/bin/sh\necho so not >&2\nexit 2\n")
    cli("trust", "--yes")
    before = cli("bridge", "qwen", input=json.dumps(CALLS["qwen"]))
    assert before.document["hookSpecificOutput"]["permissionDecision"] == "deny"
    told = CALLS["qwen"] | {"hook_event_name": "PostToolUse", "tool_response": {"output": "x"}}
    after = cli("bridge", "qwen", input=json.dumps(told))
    assert "so not" in after.document["hookSpecificOutput"]["additionalContext"]
    assert "decision" not in after.document


def test_a_refusal_to_cursor_stops_any_event_of_it() -> None:
    reply = write_refusal(reply_table("cursor"), "x")
    said = json.loads(reply.stdout)
    assert (said["permission"], said["continue"]) == ("deny", False)
