"""What an agent's payload means: its own fields alone, and tools by name or by their input's shape."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from command import CHECKOUT
from firing import DENY

from hookrun import HookResult, ToolBlocked, wrap_tool
from hookrun.agents import protocol_of
from hookrun.agents.reply.writing import write_refusal
from hookrun.model.values import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from command import Ended

GUARD = "#!/bin/sh\nin=$(cat)\nprintf '%s\\n' \"$HOOKRUN_TOOL|$HOOKRUN_COMMAND|$HOOKRUN_PATHS\" >> asked\n"
STOPS_X = GUARD + "case $HOOKRUN_COMMAND$HOOKRUN_PATHS in *forbidden*) echo no >&2; exit 2;; esac\n"


@pytest.fixture
def bridge(cli: Callable[..., Ended], project: Any) -> Callable[..., bool]:
    """Send a payload to a bridge whose guards deny shell and write; say whether it was denied."""
    trusted = ""

    def run(agent: str, payload: dict[str, Any] | str, *words: str, guard: str = DENY) -> bool:
        nonlocal trusted
        if guard != trusted:
            for tool in ("bash", "write", "edit"):
                project.script(f".claude/hooks/pre/{tool}.sh", guard)
            cli("trust", "--yes")
            trusted = guard
        text = payload if isinstance(payload, str) else json.dumps({"cwd": str(project.path), **payload})
        ended = cli("bridge", agent, *words, input=text)
        assert "please report" not in ended.stderr
        said = ended.stdout.replace(" ", "")
        return ended.code == 2 or any(sign in said for sign in ('"deny"', '"cancel":true', '"block":true'))

    return run


CALLS = {
    "claude": {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "x"}},
    "codex": {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "x"}},
    "gemini": {"hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": {"command": "x"}},
    "qwen": {"hook_event_name": "PreToolUse", "tool_name": "run_shell_command", "tool_input": {"command": "x"}},
    "droid": {"hook_event_name": "PreToolUse", "tool_name": "Execute", "tool_input": {"command": "x"}},
    "cursor": {"hook_event_name": "beforeShellExecution", "command": "x"},
    "windsurf": {"agent_action_name": "pre_run_command", "tool_info": {"command_line": "x"}},
    "cline": {"hookName": "tool_call", "tool_call": {"id": "1", "name": "run_commands", "input": {"commands": ["x"]}}},
    "xcsh": {"type": "tool_call", "toolName": "bash", "toolCallId": "1", "input": {"command": "x"}},
    "xbot": {"event": "PreToolUse", "tool_name": "Shell", "tool_input": {"command": "x"}},
}
FOREIGN = [{"hookEvent": "Stop"}, {"raw_tool_name": "Foo", "raw_tool_input": {}}, {"ToolName": "Foo", "tool": "Foo"}]


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


@pytest.mark.parametrize("name", ["Bash ", " Bash", "Bash\n", "Bash\0", "\uff22\uff41\uff53\uff48", "Ba\u200bsh"])
def test_a_tool_is_what_its_name_looks_like(bridge, name) -> None:
    assert bridge("claude", CALLS["claude"] | {"tool_name": name})


@pytest.mark.parametrize("folder", ["/a\0b", "/a\ud800"])
def test_a_folder_that_cannot_be_is_refused_in_plain_words(bridge, folder) -> None:
    assert bridge("claude", CALLS["claude"] | {"cwd": folder})


PATCH = "*** Begin Patch\n*** Update File: a/forbidden\n-x\n+y\n*** End Patch\n"


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
        ("claude", "mcp__x__run", {"script": "g() { ls; return 1; }; g"}),
        ("claude", "mcp__x__run", {"script": "function g { ls; }\ng"}),
        ("claude", "mcp__x__run", {"script": "() => document.title; ls"}),
        ("claude", "mcp__x__run", {"script": "document.title $(ls)"}),
        ("claude", "mcp__files__rm", {"files": ["a", "b"]}),
        ("claude", "mcp__files__delete", {"files": '["a"]'}),
        ("claude", "mcp__x__run", {"program": "ls", "args": ["-l"]}),
        ("claude", "mcp__x__run", {"executable": "ls", "args": "-l"}),
        ("claude", "mcp__x__run", {"file": "ls", "arguments": ["-l"]}),
        ("claude", "mcp__x__run", {"argv": ["ls", "-l"]}),
        ("claude", "mcp__read__save", {"path": "a", "content": "x"}),
        ("claude", "mcp__x__search_replace", {"path": "a", "text": "x"}),
        ("claude", "mcp__x__fetch", {"action": "write", "path": "a", "text": "x"}),
        ("claude", "mcp__files__copy_file", {"source": "a", "destination": "b"}),
        ("claude", "mcp__files__cp", {"from": "a", "to": "b"}),
        ("claude", "mcp__x__change", {"patch": PATCH}),
        ("claude", "mcp__x__code", {"relative_path": "a", "needle": "x", "repl": "y"}),
        ("claude", "mcp__ide__code", {"pathInProject": "a", "text": "x"}),
        ("claude", "mcp__x__render", {"outputFile": "a"}),
        ("claude", "mcp__x__many", {"steps": [{"note": "x"}, {"command": "ls"}]}),
        ("claude", "mcp__x__many", {"calls": [{"tool": "delete_file", "arguments": {"path": "a"}}]}),
        ("claude", "mcp__x__one", {"request": {"payload": {"path": "a", "content": "x"}}}),
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
        ("mcp__browser__evaluate", {"script": "document.querySelector('a').click();"}),
        ("mcp__files__read_many", {"files": ["a"]}),
        ("SlashCommand", {"command": "/explain what's new"}),
        ("mcp__x__getDiff", {"path": "a", "text": "x"}),
        ("mcp__chat__send_message", {"file": "a", "text": "x", "patch": PATCH}),
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


@pytest.mark.parametrize(
    ("given", "command"),
    [
        ({"command": "ls", "args": "-l forbidden"}, "ls -l forbidden"),
        ({"program": "ls", "args": ["-l", "forbidden"]}, "ls -l forbidden"),
        ({"argv": ["ls", "forbidden it"]}, "ls 'forbidden it'"),
    ],
)
def test_a_guard_by_shape_is_given_the_arguments_too(bridge, project, given, command) -> None:
    call = {"hook_event_name": "PreToolUse", "tool_name": "mcp__x__run", "tool_input": given}
    assert bridge("claude", call, guard=STOPS_X)
    assert (project.path / "asked").read_text() == f"shell|{command}|\n"


@pytest.mark.parametrize("beside", [{}, {"path": "b"}])
def test_a_guard_by_shape_is_given_the_files_of_a_patch(bridge, beside) -> None:
    given = {"patch": PATCH, **beside}
    call = {"hook_event_name": "PreToolUse", "tool_name": "mcp__x__change", "tool_input": given}
    assert bridge("claude", call, guard=STOPS_X)


def test_of_a_copy_only_where_it_goes_is_written(bridge) -> None:
    given = {"source": "forbidden", "destination": "b"}
    call = {"hook_event_name": "PreToolUse", "tool_name": "mcp__x__copyFile", "tool_input": given}
    assert not bridge("claude", call, guard=STOPS_X)


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
    call = {"hookName": "tool_call", "tool_call": {"name": "run_commands", "input": {"commands": ["ls", "pwd"]}}}
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
    reply = write_refusal(protocol_of("cursor").replies, "x")
    said = json.loads(reply.stdout)
    assert (said["permission"], said["continue"]) == ("deny", False)


NOTES = """
import json, os
def note(cwd, *values):
    with open(os.path.join(cwd, "asked"), "a") as file:
        file.write(json.dumps(values) + "\\n")
"""
MODULE = (
    NOTES
    + """
def hook(api):
    @api.on("tool_call")
    def look(event, ctx):
        note(ctx.cwd, event.tool_name, event.input, event.raw_tool_name, event.raw_tool_input)
        if event.tool_name == "bash" and "forbidden" in event.input["command"]:
            return {"block": True, "reason": "not that one"}
"""
)
SDK_MODULE = (
    NOTES
    + """
from hookrun import HookResult
def hook(api):
    def look(payload, ctx):
        note(ctx.cwd, payload.tool_name, payload.raw_tool_name, payload.raw_tool_input)
        if "forbidden" in payload.tool_input:
            return HookResult(decision="deny", message="not that one")
    api.on_pre_tool_use("Shell", look)
"""
)
LISTS = [
    ("cline", "run_commands", {"commands": ["ls", "forbidden", "pwd"]}),
    ("codex", "local_shell", {"command": ["ls", "forbidden"]}),
    ("claude", "mcp__x__run", {"cmd": "forbidden"}),
    ("claude", "mcp__x__many", {"commands": ["ls", "forbidden"]}),
    ("claude", "RunIt", {"script": "ls\nforbidden"}),
]


def told_by(agent: str, tool: str, given: dict[str, Any]) -> dict[str, Any]:
    """What *agent* sends before this tool."""
    if agent == "cline":
        return {"hookName": "tool_call", "tool_call": {"name": tool, "input": given}}
    return {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given}


def asked(project: Any) -> list[Any]:
    """What handlers were asked about, in order."""
    path = project.path / "asked"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.mark.parametrize("text", [MODULE, SDK_MODULE], ids=["module", "sdk"])
@pytest.mark.parametrize(("agent", "tool", "given"), LISTS)
def test_a_module_is_asked_about_commands_by_shape_and_one_by_one(cli, project, text, agent, tool, given):
    project.script(".hookrun/hooks/look.py", text, mode=0o644)
    cli("trust", "--yes")
    payload = {"cwd": str(project.path), **told_by(agent, tool, given)}
    assert "not that one" in cli("bridge", agent, input=json.dumps(payload)).stdout
    payload = {
        "cwd": str(project.path),
        **told_by(agent, tool, json.loads(json.dumps(given).replace("forbidden", "ok"))),
    }
    assert "not that one" not in cli("bridge", agent, input=json.dumps(payload)).stdout


def test_a_module_sees_the_call_as_it_is_and_as_its_kind(cli, project):
    project.script(".hookrun/hooks/look.py", MODULE, mode=0o644)
    cli("emit", "PreToolUse", "--tool", "mcp__x__run", "--input", '{"cmd": "ls"}')
    raw = ["mcp__x__run", {"cmd": "ls"}]
    assert asked(project) == [[*raw, *raw], ["bash", {"command": "ls"}, *raw]]


def test_a_handler_that_names_a_kind_sees_the_call_as_that_kind_alone(runner, api):
    seen = []
    api.on_pre_tool_use("Shell", lambda payload: seen.append((payload.tool_name, payload.tool_input)))
    api.on_pre_tool_use("mcp__x__run", lambda payload: seen.append((payload.tool_name, payload.tool_input)))
    runner.emit("PreToolUse", tool="mcp__x__run", tool_input={"cmd": "ls"})
    assert seen == [("mcp__x__run", '{"cmd": "ls"}'), ("Shell", '{"command": "ls"}')]


def test_handlers_of_every_tool_and_of_what_has_run_are_asked_once(runner, api):
    seen = []
    api.on_all_tool_use(lambda payload: seen.append(payload.event))
    api.on_post_tool_use("Shell", lambda payload: seen.append(payload.tool_name))
    runner.emit("PreToolUse", tool="mcp__x__run", tool_input={"commands": ["ls", "pwd"]})
    runner.emit("PostToolUse", tool="mcp__x__run", tool_input={"commands": ["ls", "pwd"]})
    assert seen == ["PreToolUse", "PostToolUse"]


def test_a_wrapped_tool_is_stopped_by_a_handler_of_its_kind(runner, api):
    api.on_pre_tool_use("Shell", lambda payload: HookResult(decision="deny") if "rm" in payload.tool_input else None)
    run = wrap_tool(lambda commands: len(commands), runner, name="many")
    assert run(commands=["ls", "pwd"]) == 2
    with pytest.raises(ToolBlocked):
        run(commands=["ls", "rm x"])


def test_an_allow_of_one_command_is_none_of_the_whole_list(runner, api):
    api.on_pre_tool_use("Shell", lambda payload: HookResult(decision="allow") if "ls" in payload.tool_input else None)
    given = {"commands": ["ls", "pwd"]}
    assert runner.emit("PreToolUse", tool="mcp__x__run", tool_input=given).verdict == Verdict.NO_OPINION
    given = {"commands": ["ls", "ls -l"]}
    assert runner.emit("PreToolUse", tool="mcp__x__run", tool_input=given).verdict == Verdict.ALLOW


def test_more_commands_than_handlers_are_asked_about_are_denied(runner, api):
    given = {"commands": [f"echo {number}" for number in range(600)]}
    assert runner.emit("PreToolUse", tool="mcp__x__run", tool_input=given).verdict == Verdict.NO_OPINION
    api.on_pre_tool_use("Shell", lambda payload: None)
    assert runner.emit("PreToolUse", tool="mcp__x__run", tool_input=given).verdict == Verdict.DENY


def test_a_person_hears_once_a_session_of_a_tool_that_no_table_knows(cli, project):
    def said(tool: str, session: str, agent: str = "claude", event: str = "PreToolUse") -> bool:
        payload = {"hook_event_name": event, "session_id": session, "cwd": str(project.path)}
        ended = cli("bridge", agent, input=json.dumps({**payload, "tool_name": tool, "tool_input": {"a": 1}}))
        assert (f"no agent has a tool '{tool}'" in ended.stderr) is (tool not in KNOWN)
        return "systemMessage" in ended.stdout and tool in ended.document["systemMessage"]

    KNOWN = ("Bash", "mcp__x__run")
    assert [said("RunIt", "one"), said("RunIt", "one"), said("Other", "one"), said("RunIt", "two")] == [
        True,
        False,
        True,
        True,
    ]
    assert not any(said(tool, "three") for tool in KNOWN)
    assert not said("RunIt", "four", event="PostToolUse")


def test_of_a_tool_that_the_configuration_explains_nobody_hears(cli, project):
    project.script(".config/hookrun/config.yaml", "tools: {RunIt: shell}\n", mode=0o644, user=True)
    payload = {"hook_event_name": "PreToolUse", "session_id": "1", "tool_name": "RunIt", "tool_input": {"a": 1}}
    assert "RunIt" not in cli("bridge", "claude", input=json.dumps({"cwd": str(project.path), **payload})).stdout
