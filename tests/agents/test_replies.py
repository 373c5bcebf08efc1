"""What is written to each agent, byte for byte, and that no deny is lost on the way."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from sweeps import sweep

import hookrun.agents
from hookrun.agents import DIALECTS, protocol_of
from hookrun.agents.reply.writing import write_decision, write_failure, write_refusal
from hookrun.model.events import EVENTS
from hookrun.model.values import Decision, Event, Verdict

if TYPE_CHECKING:
    from hookrun.agents.reply.draft import Reply

AGENTS = [dialect.name for dialect in DIALECTS]
PRE = {
    "claude": "PreToolUse",
    "codex": "PreToolUse",
    "gemini": "BeforeTool",
    "cursor": "preToolUse",
    "copilot": "preToolUse",
    "cline": "PreToolUse",
    "windsurf": "pre_run_command",
    "qwen": "PreToolUse",
    "droid": "PreToolUse",
    "xbot": "PreToolUse",
    "xcsh": "tool_call",
}
GIVEN = {"command": "ls"}
REWRITTEN = {"command": "ls -l", "timeout": 5}


def decided(verdict: str = "", event: str = "PreToolUse", **values: Any) -> Decision:
    known = {verdict.word or "": verdict for verdict in Verdict}
    return Decision(event=Event(dialect="xbot", event=event, tool_input=GIVEN), verdict=known[verdict], **values)


def written(agent: str, decision: Decision, own_name: str = "", **how: Any) -> Reply:
    name = own_name or (PRE[agent] if decision.event.event == "PreToolUse" else "")
    return write_decision(protocol_of(agent).replies, decision, name, **how)


def own(event: str, **fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


DENY = decided("deny", message="no")
ASK = decided("ask", message="sure?")
DEFER = decided("defer", message="you decide")
ALLOW = decided("allow", message="fine")
NOTHING = decided()
REWRITE = decided(updated_input=REWRITTEN)
ALLOWED_REWRITE = decided("allow", message="fine", updated_input=REWRITTEN)
CONTEXT = decided(context=("one", "two"))

# agent, decision, the document on stdout ("" for none), the text on stderr, the exit code
BEFORE_A_TOOL: list[tuple[str, Decision, Any, str, int]] = [
    ("claude", DENY, own("PreToolUse", permissionDecision="deny", permissionDecisionReason="no"), "", 0),
    ("claude", ASK, own("PreToolUse", permissionDecision="ask", permissionDecisionReason="sure?"), "", 0),
    ("claude", DEFER, own("PreToolUse", permissionDecision="defer", permissionDecisionReason="you decide"), "", 0),
    ("claude", ALLOW, own("PreToolUse", permissionDecision="allow", permissionDecisionReason="fine"), "", 0),
    ("claude", NOTHING, "", "", 0),
    ("claude", REWRITE, own("PreToolUse", updatedInput=REWRITTEN), "", 0),
    (
        "claude",
        ALLOWED_REWRITE,
        own("PreToolUse", permissionDecision="allow", permissionDecisionReason="fine", updatedInput=REWRITTEN),
        "",
        0,
    ),
    ("claude", CONTEXT, own("PreToolUse", additionalContext="one\ntwo"), "", 0),
    ("codex", DENY, own("PreToolUse", permissionDecision="deny", permissionDecisionReason="no"), "", 0),
    ("codex", ALLOW, "", "", 0),
    ("codex", NOTHING, "", "", 0),
    ("codex", REWRITE, own("PreToolUse", permissionDecision="allow", updatedInput=REWRITTEN), "", 0),
    ("codex", ALLOWED_REWRITE, own("PreToolUse", permissionDecision="allow", updatedInput=REWRITTEN), "", 0),
    ("codex", CONTEXT, own("PreToolUse", additionalContext="one\ntwo"), "", 0),
    ("gemini", DENY, {"decision": "deny", "reason": "no"}, "", 0),
    ("gemini", ALLOW, {"decision": "allow", "reason": "fine"}, "", 0),
    ("gemini", NOTHING, "", "", 0),
    ("gemini", REWRITE, own("BeforeTool", tool_input=REWRITTEN), "", 0),
    ("gemini", CONTEXT, "", "one\ntwo", 0),
    ("cursor", DENY, {"permission": "deny", "user_message": "no", "agent_message": "no"}, "", 0),
    ("cursor", ALLOW, {"permission": "allow"}, "", 0),
    ("cursor", NOTHING, {}, "", 0),
    ("copilot", DENY, {"permissionDecision": "deny", "permissionDecisionReason": "no"}, "", 0),
    ("copilot", ASK, {"permissionDecision": "ask", "permissionDecisionReason": "sure?"}, "", 0),
    ("copilot", DEFER, {"permissionDecision": "ask", "permissionDecisionReason": "you decide"}, "", 0),
    ("copilot", ALLOW, {"permissionDecision": "allow", "permissionDecisionReason": "fine"}, "", 0),
    ("copilot", NOTHING, "", "", 0),
    ("copilot", REWRITE, {"modifiedArgs": REWRITTEN}, "", 0),
    ("windsurf", DENY, "", "no", 2),
    ("windsurf", ALLOW, "", "", 0),
    ("windsurf", NOTHING, "", "", 0),
    ("cline", DENY, {"cancel": True, "errorMessage": "no"}, "", 0),
    ("cline", NOTHING, {"cancel": False}, "", 0),
    ("cline", CONTEXT, {"cancel": False, "contextModification": "one\ntwo"}, "", 0),
    ("droid", DENY, own("PreToolUse", permissionDecision="deny", permissionDecisionReason="no"), "", 0),
    ("droid", REWRITE, own("PreToolUse", permissionDecision="allow", updatedInput=REWRITTEN), "", 0),
    ("qwen", DENY, own("PreToolUse", permissionDecision="deny", permissionDecisionReason="no"), "", 0),
    ("xbot", DENY, {"decision": "deny", "reason": "no"}, "", 0),
    ("xbot", ASK, {"decision": "ask", "reason": "sure?"}, "", 0),
    ("xbot", REWRITE, {"updatedInput": REWRITTEN}, "", 0),
    ("xbot", CONTEXT, {"context": "one\ntwo"}, "", 0),
    ("xbot", NOTHING, "", "", 0),
    ("xcsh", DENY, {"block": True, "reason": "no"}, "", 0),
]


@sweep(("agent", "decision", "document", "stderr", "code"), BEFORE_A_TOOL)
def test_before_a_tool(agent: str, decision: Decision, document: Any, stderr: str, code: int) -> None:
    reply = written(agent, decision)
    stdout = "" if document == "" else json.dumps(document) + "\n"
    assert (reply.stdout, reply.stderr, reply.exit_code) == (stdout, stderr, code)


FEEDBACK = {"feedback": ("mend it",)}

# agent, canonical event, the agent's name for it, what the decision has, the document ("" for none), stderr
ELSEWHERE: list[tuple[str, str, str, dict[str, Any], Any, str]] = [
    ("claude", "PostToolUse", "", FEEDBACK, {"decision": "block", "reason": "mend it"}, ""),
    ("claude", "PostToolUse", "", {"context": ("c",)}, own("PostToolUse", additionalContext="c"), ""),
    ("codex", "PostToolUse", "", FEEDBACK, {"decision": "block", "reason": "mend it"}, ""),
    ("codex", "PostToolUse", "", {"context": ("c",)}, own("PostToolUse", additionalContext="c"), ""),
    ("codex", "PostToolUseFailure", "", {"context": ("c",)}, own("PostToolUse", additionalContext="c"), ""),
    ("gemini", "PostToolUse", "", FEEDBACK, own("AfterTool", additionalContext="mend it"), ""),
    ("gemini", "PostToolUseFailure", "AfterTool", {"context": ("c",)}, own("AfterTool", additionalContext="c"), ""),
    ("cursor", "PostToolUse", "postToolUse", {"context": ("c",)}, {"additional_context": "c"}, ""),
    ("cursor", "PostToolUse", "afterFileEdit", FEEDBACK, {}, "mend it"),
    ("windsurf", "PostToolUse", "post_run_command", FEEDBACK, "", "mend it"),
    ("xbot", "PostToolUse", "", FEEDBACK, {"context": "mend it"}, ""),
    ("claude", "SessionStart", "", {"context": ("c",)}, own("SessionStart", additionalContext="c"), ""),
    ("claude", "SessionStart", "", {"user_messages": ("hi",)}, {"systemMessage": "hi"}, ""),
    ("gemini", "PreCompact", "PreCompress", {"user_messages": ("hi",)}, {"systemMessage": "hi"}, ""),
    ("copilot", "SessionStart", "sessionStart", {"user_messages": ("hi",)}, "", "hi"),
    ("claude", "SessionEnd", "", FEEDBACK, "", "mend it"),
]


@sweep(("agent", "event", "own_name", "values", "document", "stderr"), ELSEWHERE)
def test_what_does_not_decide_anything(
    agent: str, event: str, own_name: str, values: dict[str, Any], document: Any, stderr: str
) -> None:
    reply = written(agent, decided(event=event, **values), own_name)
    stdout = "" if document == "" else json.dumps(document) + "\n"
    assert (reply.stdout, reply.stderr, reply.exit_code) == (stdout, stderr, 0)


BLOCK = {"decision": "block", "reason": "no"}


@sweep(
    ("agent", "event", "document"),
    [
        ("claude", "UserPromptSubmit", BLOCK),
        ("claude", "AgentStop", BLOCK),
        ("claude", "SubAgentStop", BLOCK),
        ("codex", "UserPromptSubmit", BLOCK),
        ("codex", "AgentStop", BLOCK),
        ("codex", "PreCompact", {"continue": False, "stopReason": "no"}),
        ("gemini", "UserPromptSubmit", {"decision": "deny", "reason": "no"}),
        ("gemini", "AgentStop", {"decision": "deny", "reason": "no"}),
        ("cursor", "UserPromptSubmit", {"continue": False, "user_message": "no"}),
        ("cursor", "AgentStop", {"followup_message": "no"}),
        ("copilot", "AgentStop", BLOCK),
        ("cline", "UserPromptSubmit", {"cancel": True, "errorMessage": "no"}),
        ("xbot", "UserPromptSubmit", {"decision": "deny", "reason": "no"}),
    ],
)
def test_a_deny_of_what_can_be_stopped(agent: str, event: str, document: Any) -> None:
    reply = written(agent, decided("deny", event, message="no"))
    assert (reply.stdout, reply.exit_code) == (json.dumps(document) + "\n", 0)


DENIALS = ("deny", "cancel", "block", "continue", "followup_message")


@sweep("agent", AGENTS)
@sweep("event", ["PreToolUse", "UserPromptSubmit"])
@sweep("message", ["no", "", " \n", "\ud800 half", "é" * 30_000])
def test_a_deny_of_a_guarded_event_is_never_lost(agent: str, event: str, message: str) -> None:
    reply = written(agent, decided("deny", event, message=message, context=("c",), user_messages=("u",)))
    if reply.exit_code == 2:
        assert reply.stderr.strip()
        return
    reply.stdout.encode("ascii")
    values = list(leaves(json.loads(reply.stdout)))
    assert any(key in DENIALS or value in DENIALS for key, value in values)
    texts = [value for key, value in values if isinstance(value, str) and key.endswith(("eason", "essage"))]
    assert texts
    assert all(text.strip() and "\ud800" not in text for text in texts)


def leaves(document: Any, key: str = "") -> Any:
    if isinstance(document, dict):
        for name, value in document.items():
            yield from leaves(value, name)
    else:
        yield key, document


@sweep("agent", AGENTS)
@sweep("event", [name for name, known in EVENTS.items() if not known.one_agent])
@sweep("verdict", ["", "allow", "ask", "defer", "deny"])
def test_stdout_is_one_json_object_or_nothing_and_codes_are_0_and_2(agent: str, event: str, verdict: str) -> None:
    full = decided(
        verdict, event, message="m", context=("c",), feedback=("f",), user_messages=("u",), halt=verdict == "deny"
    )
    for has_terminal in (True, False):
        reply = written(agent, full, has_terminal=has_terminal)
        assert reply.exit_code in (0, 2)
        assert reply.exit_code == 0 or reply.stderr
        if reply.stdout:
            assert reply.stdout.count("\n") == 1
            assert isinstance(json.loads(reply.stdout), dict)


UNIVERSAL = {"continue", "stopReason", "systemMessage"}
# What Codex's own schemas name for its events' output (codex-rs/hooks/src/schema.rs), less what it refuses.
ACCEPTED_BY_CODEX = {
    "PreToolUse": {"systemMessage", "hookSpecificOutput"},
    "PostToolUse": {*UNIVERSAL, "decision", "reason", "hookSpecificOutput"},
    "PostToolUseFailure": {*UNIVERSAL, "decision", "reason", "hookSpecificOutput"},
    "UserPromptSubmit": {*UNIVERSAL, "decision", "reason", "hookSpecificOutput"},
    "AgentStop": {*UNIVERSAL, "decision", "reason"},
    "SubAgentStop": {*UNIVERSAL, "decision", "reason"},
    "SessionStart": {*UNIVERSAL, "hookSpecificOutput"},
    "SubAgentStart": {*UNIVERSAL, "hookSpecificOutput"},
    "PreCompact": UNIVERSAL,
    "PostCompact": UNIVERSAL,
    "SessionEnd": set(),
}
OWN_OF_CODEX = {"PreToolUse": {"permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"}}


@sweep("event", ACCEPTED_BY_CODEX)
@sweep("verdict", ["", "allow", "ask", "defer", "deny"])
@sweep("has_rewrite", [True, False])
def test_codex_gets_nothing_that_it_refuses(event: str, verdict: str, has_rewrite: bool) -> None:
    said = {"context": ("c",), "feedback": ("f",), "user_messages": ("u",), "halt": verdict == "deny"}
    if has_rewrite and verdict != "deny":
        said["updated_input"] = REWRITTEN
    reply = written("codex", decided(verdict, event, **said))
    document = json.loads(reply.stdout or "{}")
    assert set(document) <= ACCEPTED_BY_CODEX[event]
    mine = document.get("hookSpecificOutput", {})
    assert set(mine) <= {"hookEventName"} | OWN_OF_CODEX.get(event, {"additionalContext"})
    assert document.get("decision", "block") == "block"
    assert bool(document.get("reason")) == ("decision" in document)
    if mine.get("permissionDecision") == "allow":
        assert "updatedInput" in mine
        assert "permissionDecisionReason" not in mine
    else:
        assert mine.get("permissionDecision", "deny") == "deny"
        assert "updatedInput" not in mine
        assert bool(mine.get("permissionDecisionReason")) == ("permissionDecision" in mine)


# Where an agent reads a refusal before a tool: the key, and the value that refuses; None for the exit code.
REFUSES = {
    "codex": ("hookSpecificOutput.permissionDecision", "deny"),
    "gemini": ("decision", "deny"),
    "cursor": ("permission", "deny"),
    "windsurf": None,
    "cline": ("cancel", True),
    "qwen": ("hookSpecificOutput.permissionDecision", "deny"),
    "droid": ("hookSpecificOutput.permissionDecision", "deny"),
    "xcsh": ("block", True),
}


@sweep("agent", REFUSES)
@sweep("verdict", ["ask", "defer"])
def test_an_ask_that_cannot_be_put_is_a_loud_deny(agent: str, verdict: str) -> None:
    reply = written(agent, decided(verdict, message="sure?"))
    reason = reply.stderr or reply.stdout
    assert "sure?" in reason
    assert "cannot ask the user here" in reason
    (problem,) = reply.problems
    assert "cannot ask the user here: it is a deny" in problem.message
    refusal = REFUSES[agent]
    assert reply.exit_code == (0 if refusal else 2)
    if refusal:
        found: Any = json.loads(reply.stdout)
        for key in refusal[0].split("."):
            found = found[key]
        assert found == refusal[1]


@pytest.mark.parametrize("agent", ["codex", "gemini", "cursor", "windsurf", "cline", "qwen", "droid", "xcsh"])
def test_an_ask_passes_by_ask_fallback_and_that_is_said(agent: str) -> None:
    reply = written(agent, ASK, ask_fallback="allow")
    nothing = written(agent, NOTHING)
    assert (reply.stdout, reply.stderr, reply.exit_code) == (nothing.stdout, nothing.stderr, 0)
    assert "passes without a question" in reply.problems[0].message
    assert written(agent, DENY, ask_fallback="allow") == written(agent, DENY)


def test_an_ask_reaches_the_user_where_it_can_whatever_the_fallback() -> None:
    for agent in ("claude", "copilot", "xbot"):
        reply = written(agent, ASK, ask_fallback="allow")
        assert '"ask"' in reply.stdout
        assert not reply.problems


def test_gemini_asks_only_at_a_terminal() -> None:
    reply = written("gemini", ASK, has_terminal=True)
    assert reply.stdout == '{"decision": "ask", "reason": "sure?"}\n'
    deferred = written("gemini", DEFER, has_terminal=True)
    assert deferred.stdout == '{"decision": "ask", "reason": "you decide"}\n'
    assert "cannot defer: it is an ask" in deferred.problems[0].message
    assert json.loads(written("gemini", ASK).stdout)["decision"] == "deny"


def test_cursor_asks_where_it_heeds_that() -> None:
    asked = {"permission": "ask", "user_message": "sure?", "agent_message": "sure?"}
    for own_name in ("beforeShellExecution", "beforeMCPExecution"):
        assert json.loads(written("cursor", ASK, own_name).stdout) == asked
    for own_name in ("preToolUse", "beforeReadFile"):
        assert json.loads(written("cursor", ASK, own_name).stdout)["permission"] == "deny"


@pytest.mark.parametrize("agent", ["windsurf", "cline", "xcsh"])
def test_a_rewrite_that_cannot_be_taken_is_a_deny_that_names_it(agent: str) -> None:
    reply = written(agent, ALLOWED_REWRITE)
    reason = reply.stderr or next(value for _, value in leaves(json.loads(reply.stdout)) if isinstance(value, str))
    assert 'use this one: {"command": "ls -l", "timeout": 5}' in reason
    assert "cannot take a rewritten input" in reply.problems[0].message
    same = written(agent, decided("allow", updated_input=dict(GIVEN)))
    assert same.exit_code == 0
    assert "true" not in same.stdout


def test_a_deny_carries_context_that_has_no_other_place() -> None:
    both = decided("deny", message="no", context=("because",))
    assert json.loads(written("gemini", both).stdout)["reason"] == "no\nbecause"
    mine = json.loads(written("claude", both).stdout)["hookSpecificOutput"]
    assert (mine["permissionDecisionReason"], mine["additionalContext"]) == ("no", "because")


def test_context_that_qwen_drops_before_a_tool_is_said_to_the_user() -> None:
    reply = written("qwen", decided(context=("because",), user_messages=("mine",)))
    said = "Qwen Code takes no context for the model here: it is lost"
    assert json.loads(reply.stdout) == {"systemMessage": f"{said}\nmine"}
    assert reply.stderr == "because"
    assert [problem.message for problem in reply.problems] == [said]


def test_hints_come_after_feedback_and_context() -> None:
    result = decided(event="PostToolUse", context=("context",), feedback=("feedback",))
    reply = written("gemini", result, hints=["hint"])
    assert json.loads(reply.stdout) == own("AfterTool", additionalContext="feedback\ncontext\nhint")
    reply = written("claude", result, hints=["hint"])
    assert json.loads(reply.stdout) == {
        "decision": "block",
        "reason": "feedback",
        **own("PostToolUse", additionalContext="context\nhint"),
    }


def test_a_halt_stops_the_agent_where_it_can() -> None:
    halted = decided("deny", message="enough", halt=True)
    document = json.loads(written("claude", halted).stdout)
    assert (document["continue"], document["stopReason"]) == (False, "enough")
    assert document["hookSpecificOutput"]["permissionDecision"] == "deny"
    reply = written("codex", halted)
    assert "continue" not in reply.stdout
    assert '"deny"' in reply.stdout
    assert "cannot stop here: it is only a deny" in reply.problems[0].message


def test_a_halt_at_the_end_lets_the_agent_end() -> None:
    for agent in ("claude", "codex", "gemini"):
        document = json.loads(written(agent, decided("deny", "AgentStop", message="x", halt=True)).stdout)
        assert document == {"continue": False, "stopReason": "x"}
    assert json.loads(written("cursor", decided("deny", "AgentStop", message="x", halt=True)).stdout) == {}


def test_claude_gets_the_beginning_of_what_is_too_long_for_it() -> None:
    for sign in ("x", "é", "😀"):
        reply = written("claude", decided("deny", message="no: " + sign * 20_000))
        reason = json.loads(reply.stdout)["hookSpecificOutput"]["permissionDecisionReason"]
        assert len(reason.encode("utf-16-le")) // 2 <= 10_000
        assert reason.startswith("no: " + sign * 4_000)
        assert reason.rpartition("\n")[2].startswith("[cut: ")
    whole = "y" * 10_000
    kept = json.loads(written("claude", decided("deny", message=whole)).stdout)
    assert kept["hookSpecificOutput"]["permissionDecisionReason"] == whole
    assert len(json.loads(written("gemini", decided("deny", message=whole * 3)).stdout)["reason"]) == 30_000


def test_what_json_cannot_say_is_made_sayable() -> None:
    odd = {"command": "\ud800", "rate": float("nan"), "emoji": "😀", "path": "C:\\udir"}
    reply = written("codex", decided("allow", updated_input=odd))
    reply.stdout.encode("ascii")
    sent = json.loads(reply.stdout)["hookSpecificOutput"]["updatedInput"]
    assert sent == {"command": "�", "rate": None, "emoji": "😀", "path": "C:\\udir"}


@sweep("agent", AGENTS)
def test_what_cannot_be_told_is_denied_with_exit_code_2_and_a_reason(agent: str) -> None:
    reply = write_refusal(protocol_of(agent).replies, "stdin is empty")
    assert (reply.stderr, reply.exit_code) == ("stdin is empty", 2)
    if agent in ("cursor", "cline"):
        assert '"stdin is empty"' in reply.stdout
    else:
        assert reply.stdout == ""


@sweep("agent", AGENTS)
def test_a_failure_denies_what_is_guarded_and_nothing_else(agent: str) -> None:
    table = protocol_of(agent).replies
    denied = write_failure(table, "PreToolUse", PRE[agent], "broken")
    if agent == "cursor":
        expected = {"permission": "deny", "user_message": "broken", "agent_message": "broken"}
        assert (json.loads(denied.stdout), denied.exit_code) == (expected, 0)
    elif agent == "cline":
        assert json.loads(denied.stdout) == {"cancel": True, "errorMessage": "broken"}
    else:
        assert (denied.stdout, denied.exit_code) == ("", 2)
    assert denied.stderr == "broken"
    for event in ("AgentStop", "SessionStart", "PostToolUse", "PreCompact"):
        neutral = write_failure(table, event, "", "broken")
        assert (neutral.stderr, neutral.exit_code) == ("broken", 0)
        assert neutral.stdout == write_decision(table, decided(event=event)).stdout


def test_every_dialect_has_a_reply_table_of_its_name() -> None:
    folder = os.path.dirname(hookrun.agents.__file__)
    assert {name for name in os.listdir(folder) if os.path.isfile(f"{folder}/{name}/protocol.py")} == set(AGENTS)
    assert all(protocol_of(agent).replies.name == agent for agent in AGENTS)
    known = {name for dialect in DIALECTS for names in dialect.events.values() for name in names}
    for agent in AGENTS:
        assert set(protocol_of(agent).replies.ways) <= set(EVENTS) | known
