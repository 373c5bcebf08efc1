"""What Droid makes of its hooks, and hookrun installed in it: exit codes, words for no, tools, the bridge."""

from __future__ import annotations

import json
from typing import Any

import pytest
from agent_settings import before_tools, ended, group, hook_of, write

from hookrun.agents import dialect_named
from hookrun.answers.answer import read_answer
from hookrun.events.event import make_event
from hookrun.model.values import Verdict

DENY, NONE = Verdict.DENY, Verdict.NO_OPINION
CALL = {"tool_name": "Execute", "tool_input": {"command": "ls"}}


def permission(word: str, **others: Any) -> dict[str, Any]:
    inner = {"permissionDecision": word, "permissionDecisionReason": "why"}
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **inner, **others}}


def answer(outcome: Any, name: str = "PreToolUse") -> Any:
    event, _ = make_event(name, dialect=dialect_named("droid"), **(CALL if "Tool" in name else {}))
    own_event = {"AgentStop": "Stop"}.get(name, name)
    return read_answer(hook_of("droid", own_event), outcome, event, on_failure="")


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [
        (ended(permission("deny")), DENY),
        (ended(permission("deny"), code=1), DENY),
        (ended(permission("allow")), Verdict.ALLOW),
        (ended(code=2, stderr="why"), DENY),
        (ended(code=2), DENY),
        (ended(code=3, stderr="why"), DENY),
        (ended({"continue": False}), DENY),
        (ended(code=1, stderr="why"), NONE),
        (ended(code=127), NONE),
        (ended({"decision": "deny", "reason": "why"}), NONE),
        (ended({"decision": "block", "reason": "why"}), NONE),
        (ended(f"checking\n{json.dumps(permission('deny'))}"), NONE),
    ],
)
def test_what_counts_before_a_tool(outcome, verdict) -> None:
    found = answer(outcome)
    assert found.verdict == verdict
    assert verdict or found.status != "ran" or found.problems


def test_exit_3_and_continue_false_end_the_run() -> None:
    assert answer(ended(code=3, stderr="why")).halt
    assert answer(ended({"continue": False, "stopReason": "why"})).halt
    assert not answer(ended(code=2, stderr="why")).halt


def test_a_block_at_the_end_means_go_on() -> None:
    assert answer(ended({"decision": "block", "reason": "more"}), "AgentStop").verdict == DENY


@pytest.mark.parametrize(
    ("matcher", "tool", "code"),
    [("Execute", "Execute", 2), ("Edit|Create", "Create", 2), ("Exec", "Execute", 0), ("Edi.*", "Edit", 2)],
)
def test_its_settings_are_a_source(project, cli, matcher, tool, code) -> None:
    write(project, ".factory/settings.json", before_tools(group("echo no >&2; exit 2", matcher=matcher)))
    words = ("emit", "pre", "--tool", tool, "--dialect", "droid", "--input", '{"command": "ls", "file_path": "a"}')
    assert cli(*words, env={"HOOKRUN_TRUST": "project"}).code == code
    assert "droid-settings" in cli("list", "--format", "json").stdout


def test_installed_it_denies_in_droids_form_and_goes_again(project, cli) -> None:
    project.script(".claude/hooks/pre/bash.sh", "#!/bin/sh\necho no >&2\nexit 2\n")
    cli("trust", "--yes")
    settings = project.path / ".factory/settings.json"
    settings.parent.mkdir()
    settings.write_text('{\n  "model": "x"\n}\n')
    assert cli("install", "droid").code == 0
    assert "hookrun bridge droid" in settings.read_text()
    call = {"hook_event_name": "PreToolUse", **CALL, "cwd": str(project.path)}
    told = cli("bridge", "droid", input=json.dumps(call)).document["hookSpecificOutput"]
    assert told["permissionDecision"] == "deny"
    assert "no" in told["permissionDecisionReason"]
    assert "droid" in cli("doctor").stdout
    assert cli("uninstall", "droid").code == 0
    assert json.loads(settings.read_text()) == {"model": "x"}


def test_an_ask_is_a_deny(project, cli) -> None:
    said = json.dumps({"decision": "ask", "reason": "sure?"})
    project.script(".claude/hooks/pre/write.sh", f"#!/bin/sh\necho '{said}'\n")
    cli("trust", "--yes")
    tool = {"tool_name": "Create", "tool_input": {"file_path": "a", "content": "x"}}
    told = cli("bridge", "droid", input=json.dumps({"hook_event_name": "PreToolUse", **tool})).document
    assert told["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_explain_as_droid_says_what_becomes_of_an_answer(cli) -> None:
    shown = cli("explain", "pre", "--tool", "Execute", "--as", "droid").stdout
    assert "Droid" in shown


@pytest.mark.parametrize("is_bare", [True, False], ids=["events at the top", "below hooks"])
@pytest.mark.parametrize("is_users", [True, False], ids=["user", "project"])
def test_a_hooks_file_is_read_beside_the_settings(cli: Any, project: Any, is_bare: bool, is_users: bool):
    events = before_tools(group("echo no >&2; exit 2", matcher="Execute"))["hooks"]
    write(project, ".factory/hooks.json", events if is_bare else {"hooks": events}, user=is_users)
    words = ("--tool", "Execute", "--input", '{"command": "ls"}', "--dialect", "droid")
    assert cli("emit", "pre", *words).code == 2
    assert cli("validate").code == 0
