"""What modules return and send, seen from the agents: `hookrun bridge` with modules of a project."""

from __future__ import annotations

import asyncio
import json
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from hookrun import HookRunner
from hookrun.modules.host import SmallHost

if TYPE_CHECKING:
    from collections.abc import Callable

    from command import Ended, Project

NINE = """
ANSWERS = {
    "tool_call": {"block": True, "reason": "no"},
    "tool_result": {"content": [{"type": "text", "text": "X"}], "details": {"k": 1}, "is_error": True},
    "context": {"messages": [{"role": "user", "content": "X"}]},
    "before_agent_start": {"message": {"custom_type": "n", "content": "X", "display": False, "details": {}}},
    "session_before_switch": {"cancel": True},
    "session_before_branch": {"cancel": False, "skip_conversation_restore": True},
    "session_before_compact": {"compaction": {"summary": "X", "first_kept_entry_id": "e"}},
    "session_before_tree": {"summary": {"summary": "X", "details": 1}},
    "session.compacting": {"context": ["X"], "prompt": "X", "preserve_data": {"a_b": 1}},
}

def hook(pi):
    for name in ANSWERS:
        pi.on(name, lambda event, ctx: ANSWERS[event.type])
"""
HANDED_BACK: dict[str, Any] = {
    "tool_call": {"block": True, "reason": "{module}: no"},
    "tool_result": {"content": [{"type": "text", "text": "X"}], "details": {"k": 1}, "isError": True},
    "context": {"messages": [{"role": "user", "content": "X"}]},
    "before_agent_start": {"message": {"customType": "n", "content": "X", "display": False, "details": {}}},
    "session_before_switch": {"cancel": True},
    "session_before_branch": {"cancel": False, "skipConversationRestore": True},
    "session_before_compact": {"compaction": {"summary": "X", "firstKeptEntryId": "e"}},
    "session_before_tree": {"summary": {"summary": "X", "details": 1}},
    "session.compacting": {"context": ["X"], "prompt": "X", "preserveData": {"a_b": 1}},
}
SENDS = """
def hook(pi):
    @pi.on("session_start")
    def start(event, ctx):
        pi.send_message({"custom_type": "n", "content": "first"})
        pi.send_message({"content": [{"type": "text", "text": "second"}]}, trigger_turn=True)

    @pi.on("turn_start")
    def turn(event, ctx):
        pi.send_message({"custom_type": "n", "details": 1})

    @pi.register_command("tell", "tells")
    def tell(arguments, ctx):
        pi.send_message({"content": f"told {arguments}"})
"""
KEY = "AKIA" + "Q7RZ2LMX9VKD4TNB"


def module(project: Project, text: str) -> str:
    name = ".hookrun/hooks/made.py"
    project.script(name, text, mode=0o644)
    return name


def bridged(cli: Callable[..., Ended], agent: str, payload: dict[str, Any]) -> Ended:
    cli("trust", "--yes")
    return cli("bridge", agent, input=json.dumps(payload))


def test_the_bridge_of_xcsh_hands_back_all_nine_results(cli, project) -> None:
    name = module(project, NINE)
    tool = {"tool_name": "bash", "input": {"command": "ls"}, "content": [{"type": "text", "text": "old"}]}
    for event, document in HANDED_BACK.items():
        ended = bridged(cli, "xcsh", {"event": event, "messages": [], **tool})
        expected = json.dumps(document).replace("{module}", name)
        assert ended.stdout == f"{expected}\n", event
        assert ended.code == 0
        stderr = "cancelled by a hook" if document == {"cancel": True} else ""
        assert (stderr in ended.stderr, ended.stderr == "") == (True, not stderr), ended


def test_what_redact_finds_does_not_reach_the_model_of_an_agent_that_takes_results(cli, project) -> None:
    assert cli("new", "redact").code == 0
    call = {"session_id": "s1", "tool_use_id": "t1", "tool_name": "Bash", "tool_input": {"command": "env"}}
    redacted = "AWS=[REDACTED AWS access key]"
    claude = {"stdout": f"AWS={KEY}\nB=1", "stderr": f"AWS={KEY}", "interrupted": False}
    new = {"stdout": f"{redacted}\nB=1", "stderr": redacted, "interrupted": False}
    own = {"hookEventName": "PostToolUse", "updatedToolOutput": new}
    llm = {"llmContent": f"Output: AWS={KEY}", "returnDisplay": f"AWS={KEY}"}
    shown = {"resultType": "success", "textResultForLlm": f"AWS={KEY}"}
    for agent, event, response, document in (
        ("claude", "PostToolUse", claude, {"hookSpecificOutput": own}),
        ("codex", "PostToolUse", f"AWS={KEY}\n", {"decision": "block", "reason": f"{redacted}\n"}),
        ("gemini", "AfterTool", llm, {"decision": "deny", "reason": f"Output: {redacted}"}),
        ("copilot", "postToolUse", shown, {"modifiedResult": {**shown, "textResultForLlm": redacted}}),
    ):
        payload = {"hook_event_name": event, **call, "tool_response": response}
        ended = bridged(cli, agent, payload)
        assert (ended.stdout, ended.stderr) == (f"{json.dumps(document)}\n", ""), agent
        without = json.loads(json.dumps(payload).replace(KEY, "none"))
        assert bridged(cli, agent, without).stdout == ""
    told = bridged(cli, "qwen", {"hook_event_name": "PostToolUse", **call, "tool_response": llm})
    assert "the model gets it as it was" in told.document["systemMessage"]
    assert "the model gets it as it was" in told.stderr
    failed = {"hook_event_name": "PostToolUseFailure", **call, "error": f"Exit code 1\nAWS={KEY}"}
    assert "the model gets it as it was" in bridged(cli, "claude", failed).document["systemMessage"]


def test_redact_leaves_no_second_secret_in_a_string_of_a_result(cli, project) -> None:
    assert cli("new", "redact").code == 0
    other, password = "AKIA" + "W4HT7NQX2RVM9ZKB", "gT5rw" + "9Xk2mLq7VbS4cN"
    begin = "-----BEGIN " + "PRIVATE KEY-----"
    call = {"session_id": "s1", "tool_use_id": "t1", "tool_name": "Bash", "tool_input": {"command": "env"}}
    texts = (
        f"{KEY}\n{other}",
        f"y={KEY}\nDB_PASSWORD={password}",
        f'y={KEY}\n\tDB_PASSWORD="{password}"',
        f"{KEY}\n{other}\n{begin}\n{password}",
    )
    shapes = (
        lambda text: {"stdout": text, "stderr": ""},
        lambda text: [{"type": "text", "text": "a"}, {"type": "text", "text": text}],
        lambda text: {"content": [{"type": "text", "text": text}], "more": {"deep": [text]}},
        lambda text: {"llmContent": text, "returnDisplay": text},
        lambda text: {"resultType": "success", "textResultForLlm": text},
    )
    agents = (("claude", "PostToolUse"), ("codex", "PostToolUse"), ("gemini", "AfterTool"), ("copilot", "postToolUse"))
    # Each is a process: of text, shape and agent every two meet.
    for (at, text), (place, shape) in product(enumerate(texts), enumerate(shapes)):
        agent, event = agents[(at + place) % len(agents)]
        response = shape(text)
        ended = bridged(cli, agent, {"hook_event_name": event, **call, "tool_response": response})
        assert "[REDACTED " in ended.stdout, (agent, response)
        assert not any(it in ended.stdout for it in (KEY, other, password)), (agent, ended.stdout)


def test_what_a_module_sends_is_context_of_the_event(cli, project) -> None:
    module(project, SENDS)
    cli("trust", "--yes")
    assert cli("emit", "session_start").stdout.splitlines()[1:] == ["context: first", "context: second"]
    assert cli("emit", "session_start", "--format", "json").document["context"] == ["first", "second"]
    for agent in ("claude", "codex", "gemini"):
        ended = bridged(cli, agent, {"hook_event_name": "SessionStart", "session_id": "s1"})
        own = {"hookEventName": "SessionStart", "additionalContext": "first\nsecond"}
        assert (ended.document, ended.stderr) == ({"hookSpecificOutput": own}, "")
    ended = bridged(cli, "copilot", {"hook_event_name": "sessionStart", "session_id": "s1"})
    assert (ended.document, ended.stderr) == ({"additionalContext": "first\nsecond"}, "")
    assert "a message without a text" in cli("emit", "turn_start").stderr
    assert "no model receives this message: told it" in cli("run", "tell", "it").stderr


def test_a_runner_gives_a_message_to_its_host_or_to_the_event_that_sent_it(project, user_environment) -> None:
    module(project, SENDS)
    environ = {**user_environment, "HOOKRUN_TRUST": "project"}
    host = SmallHost()
    with HookRunner.discover(str(project.path), env=environ, host=host) as runner:
        assert runner.emit("session_start").context == ()
        assert [document["message"]["content"] for document in host.messages()][:1] == ["first"]
    with HookRunner.discover(str(project.path), env=environ) as runner:
        assert runner.emit("session_start").context == ("first", "second")
        assert runner.emit("session_end").context == ()
        assert asyncio.run(runner.emit_async("session_start")).context == ("first", "second")


def test_redact_beside_an_agent_that_takes_no_results_is_said_before_anything_runs(cli, project) -> None:
    said = "it changes results; Qwen Code takes no changed results"
    cli("new", "redact")
    ended = cli("install", "claude")
    assert "takes no changed results" not in ended.stdout + ended.stderr
    for command in ("validate", "doctor", "list"):
        ended = cli(command)
        assert "takes no changed results" not in ended.stdout + ended.stderr
    ended = cli("install", "qwen")
    assert f": {said}\n" in ended.stderr
    (told,) = cli("install", "qwen", "--format", "json").document["agents"]
    assert said in [problem["message"] for problem in told["problems"]]
    for command in ("validate", "doctor", "list"):
        ended = cli(command)
        assert said in ended.stdout + ended.stderr, command
        assert "Claude Code takes no" not in ended.stdout + ended.stderr
    (redact,) = cli("list", "--format", "json").document["hooks"]
    assert said in redact["note"]
    assert "takes no changed" not in cli("uninstall", "qwen").stderr


@pytest.mark.parametrize("is_helper", [True, False])
def test_results_that_a_helper_file_of_a_package_changes_are_lost_as_well(is_helper, cli, project) -> None:
    package = project.path / ".hookrun/hooks/clean"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("from .inner.changes import add\n\n\ndef hook(api):\n    add(api)\n")
    (package / "inner/__init__.py").write_text("")
    event = "tool_result" if is_helper else "tool_call"
    (package / "inner/changes.py").write_text(f"def add(api):\n    api.on({event!r}, lambda event: None)\n")
    for command in (("install", "qwen"), ("list",), ("validate",)):
        ended = cli(*command)
        assert ("takes no changed results" in ended.stdout + ended.stderr) is is_helper, command


@pytest.mark.parametrize("is_imported", [True, False])
def test_results_that_a_file_beside_a_module_changes_are_lost_as_well(is_imported, cli, project) -> None:
    folder = project.path / ".hookrun/hooks"
    (folder / "lib").mkdir(parents=True)
    (folder / "lib/changes.py").write_text("def add(api):\n    api.on('tool_result', lambda event: None)\n")
    start = "from lib.changes import add\n" if is_imported else "def add(api): ...\n"
    (folder / "clean.py").write_text(f"{start}\n\ndef hook(api):\n    add(api)\n")
    ended = cli("install", "qwen")
    assert ("takes no changed results" in ended.stdout + ended.stderr) is is_imported
    ended = cli("validate")
    assert ("takes no changed results" in ended.stdout + ended.stderr) is is_imported


def test_install_wires_an_agent_where_the_configuration_is_broken(cli, project) -> None:
    (project.path / ".hookrun").mkdir()
    (project.path / ".hookrun/config.yaml").write_text("limits: [\n")
    ended = cli("install", "qwen")
    assert (ended.code, ".qwen/settings.json: created" in ended.stdout) == (0, True)
