"""What handlers of agents' settings say, read as each agent reads it, and what an agent passes over."""

from __future__ import annotations

import pytest
from agent_settings import discover, ended, hook_of, write
from sweeps import sweep

from hookrun.agents import dialect_named
from hookrun.answers.answer import read_answer
from hookrun.events.event import make_event
from hookrun.model.values import Outcome, Verdict

OWN_EVENTS = {
    "PreToolUse": {
        "gemini": "BeforeTool",
        "cursor": "preToolUse",
        "copilot": "preToolUse",
        "windsurf": "pre_run_command",
    },
    "AgentStop": {"claude": "Stop", "codex": "Stop", "gemini": "AfterAgent", "cursor": "stop"},
}
SHELLS = {"gemini": "run_shell_command", "copilot": "bash", "xbot": "Shell", "cursor": "Shell"}


def event(name, agent):
    tool = SHELLS.get(agent, "Bash") if "Tool" in name else ""
    tool_input = {"command": "ls"} if tool else None
    made, _ = make_event(name, dialect=dialect_named(agent), tool_name=tool, tool_input=tool_input)
    return made


def answer(agent, outcome, name="PreToolUse", *, on_failure="", **fields):
    own_event = OWN_EVENTS.get(name, {}).get(agent, name)
    hook = hook_of(agent, own_event, **fields)
    return read_answer(hook, outcome, event(name, agent), on_failure=on_failure)


def permission(word, **others):
    inner = {"hookEventName": "PreToolUse", "permissionDecision": word, "permissionDecisionReason": "why"}
    return {"hookSpecificOutput": inner | others}


def named(name, **inner):
    return {"hookSpecificOutput": {"hookEventName": name, **inner}}


def block(word="block"):
    return {"decision": word, "reason": "why"}


ALLOW, ASK, DEFER, DENY, NONE = (Verdict.ALLOW, Verdict.ASK, Verdict.DEFER, Verdict.DENY, Verdict.NO_OPINION)


@sweep(
    ("agent", "outcome", "verdict"),
    [
        ("claude", ended(permission("deny")), DENY),
        ("claude", ended(permission("ask")), ASK),
        ("claude", ended(permission("defer")), DEFER),
        ("claude", ended(permission("allow")), ALLOW),
        ("claude", ended(block()), DENY),
        ("claude", ended({"continue": False, "stopReason": "why"}), DENY),
        ("claude", ended(code=2), DENY),
        ("claude", ended(permission("deny") | {"unknown": 1}), DENY),
        ("claude", ended({}), NONE),
        ("claude", ended(""), NONE),
        ("claude", ended("some text"), NONE),
        ("codex", ended(permission("deny")), DENY),
        ("codex", ended(block()), DENY),
        ("codex", ended(code=2, stderr="why"), DENY),
        ("codex", ended({}), NONE),
        ("codex", ended(permission("allow", updatedInput={"command": "x"})), ALLOW),
        ("gemini", ended(block("deny")), DENY),
        ("gemini", ended(block()), DENY),
        ("gemini", ended(block("ask")), ASK),
        ("gemini", ended(block("allow")), ALLOW),
        ("gemini", ended(code=3, stderr="why"), DENY),
        ("gemini", ended(code=2, stdout="why"), DENY),
        ("gemini", ended(code=1, stderr="why"), NONE),
        ("gemini", ended({}), NONE),
        ("xbot", ended(block("deny")), DENY),
        ("xbot", ended(block("defer")), DEFER),
        ("xbot", ended(code=2, stderr="why"), DENY),
        ("xbot", ended(code=1, stderr="why"), NONE),
        ("cursor", ended({"permission": "deny", "user_message": "why"}), DENY),
        ("cursor", ended({"permission": "ask"}), ASK),
        ("cursor", ended(code=2, stderr="why"), DENY),
        ("cursor", ended(code=1), NONE),
        ("copilot", ended({"permissionDecision": "deny", "permissionDecisionReason": "why"}), DENY),
        ("copilot", ended({"permissionDecision": "allow"}), ALLOW),
        ("windsurf", ended(code=2, stderr="why"), DENY),
        ("windsurf", ended(block("deny")), NONE),
        ("windsurf", ended(code=1), NONE),
        ("cline", ended({"cancel": True, "errorMessage": "why"}), DENY),
        ("cline", ended({"cancel": False}), NONE),
        ("qwen", ended(block("deny")), DENY),
        ("qwen", ended(permission("deny")), DENY),
        ("cline", ended({"cancel": True, "errorMessage": "why"}, code=1), DENY),
        ("cline", ended({"cancel": "true"}), NONE),
        ("qwen", ended(code=2, stderr="why"), DENY),
        ("qwen", ended(block("DENY")), DENY),
        ("qwen", ended(block("Block")), DENY),
        ("qwen", ended(block("ask")), ASK),
    ],
)
def test_a_verdict_is_what_the_agent_makes_of_it(agent, outcome, verdict):
    assert answer(agent, outcome).verdict == verdict


def asked(behaviour):
    inner = {"hookEventName": "PermissionRequest", "decision": {"behavior": behaviour}}
    return {"hookSpecificOutput": inner}


@sweep(
    ("agent", "name", "outcome", "verdict"),
    [
        ("claude", "PreToolUse", ended(block("approve")), ALLOW),
        ("claude", "UserPromptSubmit", ended(block("approve")), NONE),
        ("claude", "UserPromptSubmit", ended(block()), DENY),
        ("claude", "UserPromptSubmit", ended(permission("deny")), NONE),
        ("claude", "UserPromptSubmit", ended(code=2, stderr="why"), DENY),
        ("claude", "UserPromptSubmit", ended({"continue": False}), DENY),
        ("claude", "PermissionRequest", ended(asked("deny")), DENY),
        ("claude", "PermissionRequest", ended(asked("allow")), ALLOW),
        ("claude", "PermissionRequest", ended(asked("ask")), NONE),
        ("claude", "PermissionRequest", ended(permission("deny")), NONE),
        ("claude", "PermissionRequest", ended(code=2, stderr="why"), DENY),
        ("claude", "PreToolUse", ended(asked("deny")), NONE),
        ("codex", "UserPromptSubmit", ended(block()), DENY),
        ("codex", "UserPromptSubmit", ended(block("approve")), NONE),
        ("codex", "UserPromptSubmit", ended({"continue": False, "stopReason": "why"}), DENY),
        ("codex", "UserPromptSubmit", ended(code=2, stderr="why"), DENY),
        ("codex", "PermissionRequest", ended(asked("deny")), DENY),
        ("codex", "PermissionRequest", ended(asked("allow")), ALLOW),
        ("codex", "PermissionRequest", ended(block()), NONE),
        ("gemini", "UserPromptSubmit", ended(block("deny")), DENY),
        ("gemini", "UserPromptSubmit", ended(code=2, stderr="why"), DENY),
        ("gemini", "UserPromptSubmit", ended(code=1, stderr="why"), NONE),
        ("qwen", "PermissionRequest", ended(asked("deny")), DENY),
        ("qwen", "UserPromptSubmit", ended(block("Deny")), DENY),
        ("xbot", "UserPromptSubmit", ended(block("deny")), DENY),
        ("xbot", "UserPromptSubmit", ended(code=2, stderr="why"), DENY),
        ("cursor", "UserPromptSubmit", ended({"continue": False, "user_message": "why"}), DENY),
        ("cursor", "UserPromptSubmit", ended({"continue": True}), NONE),
        ("cursor", "UserPromptSubmit", ended({"followup_message": "why"}), NONE),
        ("copilot", "PostToolUse", ended({"permissionDecision": "deny"}), NONE),
        ("copilot", "PreToolUse", ended(permission("deny")), NONE),
        ("copilot", "AgentStop", ended(block()), DENY),
        ("copilot", "SubAgentStop", ended(block()), DENY),
        ("copilot", "UserPromptSubmit", ended(block()), DENY),
        ("windsurf", "UserPromptSubmit", ended(code=2, stderr="why"), DENY),
        ("cline", "UserPromptSubmit", ended({"cancel": True}), DENY),
        ("cline", "UserPromptSubmit", ended({"cancel": True}, code=1), DENY),
    ],
)
def test_a_verdict_counts_at_the_events_where_the_agent_reads_it(agent, name, outcome, verdict):
    assert answer(agent, outcome, name).verdict == verdict


@sweep(
    ("agent", "outcome"),
    [
        ("claude", ended(block("deny"))),
        ("claude", ended({"permissionDecision": "deny"})),
        ("claude", ended("a line of noise\n" + '{"decision": "block", "reason": "no"}')),
        ("claude", ended(permission("forbid"))),
        ("codex", ended(block("deny"))),
        ("codex", ended(permission("ask"))),
        ("codex", ended(block() | {"unknown": 1})),
        ("gemini", ended(permission("deny"))),
        ("gemini", ended("noise\n" + '{"decision": "deny"}')),
        ("xbot", ended(permission("deny"))),
        ("cursor", ended("noise\n" + '{"permission": "deny", "decision": "deny"}')),
        ("copilot", ended(block("deny"))),
        ("windsurf", ended(block("deny"))),
        ("cline", ended(block("deny"))),
    ],
)
def test_a_refusal_that_the_agent_passes_over_is_told(agent, outcome):
    found = answer(agent, outcome)
    assert found.verdict == NONE
    assert found.problems
    assert all(problem.source == "/p/settings" for problem in found.problems)


@pytest.mark.parametrize("agent", ["claude", "codex", "gemini"])
def test_a_refusal_that_counts_is_no_problem(agent):
    assert answer(agent, ended(block())).problems == ()


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (permission("allow"), "no allow without an updatedInput"),
        (permission("ask"), "no permissionDecision 'ask'"),
        (block("deny"), "no \"decision\": 'deny'"),
        (block() | {"more": 1}, "no field more"),
        ({"decision": "block"}, "needs a reason"),
        ({"continue": False}, "no continue before a tool"),
        ("{broken", "not the one JSON object"),
    ],
)
def test_codex_fails_what_it_does_not_know_and_goes_on(output, said):
    found = answer("codex", ended(output))
    assert (found.status, found.verdict) == ("failed", NONE)
    assert said in found.message
    assert "Codex goes on all the same" in found.message


@pytest.mark.parametrize(("agent", "code"), [("codex", 2), ("gemini", 2)])
def test_exit_2_without_a_word_blocks_nothing_there(agent, code):
    found = answer(agent, ended(code=code))
    assert (found.status, found.verdict) == ("failed", NONE)
    assert "blocks nothing" in found.message


FAILURES = [
    ended(code=1, stderr="broke"),
    Outcome(status="timed_out", cause="timed out after 5 s"),
    Outcome(status="killed", signal=9),
    Outcome(status="not_started", cause="gone"),
    Outcome(status="failed", cause="the server answered 500"),
]


@sweep("outcome", FAILURES, ids=lambda outcome: outcome.status)
@sweep("agent", ["claude", "codex", "gemini", "xbot", "cursor", "windsurf", "cline", "qwen"])
def test_a_failure_is_shown_and_the_agent_goes_on(agent, outcome):
    found = answer(agent, outcome)
    assert (found.verdict, found.decided_by) == (NONE, None)
    assert found.status != "ran"
    assert "goes on all the same" in found.message


@sweep("outcome", FAILURES, ids=lambda outcome: outcome.status)
@sweep(("said", "options"), [("deny", {"on_failure": "deny"}), ("ask", {"on_failure": "ask"})])
def test_the_configuration_can_make_a_failure_count(outcome, said, options):
    found = answer("claude", outcome, **options)
    assert (found.verdict.word, found.decided_by) == (said, "failure")


def test_copilot_denies_a_tool_whose_hook_fails(project, user_environment):
    write(project, ".github/hooks/a.json", {"hooks": {"preToolUse": [{"bash": "exit 1"}]}})
    write(project, ".claude/settings.json", {"hooks": {"PreToolUse": [{"hooks": [{"command": "exit 1"}]}]}})
    with discover(project, user_environment) as runner:
        decision = runner.emit("PreToolUse", tool="Bash", tool_input={"command": "x"})
    assert [(answer.hook.dialect, answer.verdict) for answer in decision.answers] == [
        ("claude", NONE),
        ("copilot", DENY),
    ]


@pytest.mark.parametrize("on_failure", ["", "allow", "ask", "deny"])
def test_an_entry_can_close_the_gate_on_failure_whatever_the_configuration_says(on_failure):
    hook = hook_of("claude", "PreToolUse", on_failure="deny")
    found = read_answer(hook, FAILURES[0], event("PreToolUse", "claude"), on_failure=on_failure)
    assert (found.verdict, found.decided_by) == (DENY, "failure")


def test_the_answer_of_what_nobody_waits_for_does_not_count():
    found = answer("claude", ended(permission("deny")), is_async=True, role="observer")
    assert (found.status, found.verdict) == ("ran", NONE)
    assert answer("claude", ended(permission("deny"))).verdict == DENY


NO = {"permissionDecision": "deny", "permissionDecisionReason": "why"}


@sweep(
    ("agent", "output", "fault"),
    [
        ("claude", {"hookSpecificOutput": NO}, 'has no "hookEventName": "PreToolUse"'),
        ("claude", {"hookSpecificOutput": NO, "systemMessage": "x"}, 'has no "hookEventName"'),
        ("claude", {"hookSpecificOutput": NO, "decision": "block", "reason": "x"}, "has no"),
        ("claude", named("PostToolUse", **NO), "hookEventName is 'PostToolUse', and the event is PreToolUse"),
        ("claude", named("pretooluse", **NO), "hookEventName is 'pretooluse'"),
        ("claude", named(["PreToolUse"], **NO), "hookEventName is ['PreToolUse']"),
        ("claude", {"hookSpecificOutput": [NO], "decision": "block"}, "hookSpecificOutput is not an object"),
        ("codex", {"hookSpecificOutput": NO}, "hookSpecificOutput has no hookEventName"),
    ],
)
def test_a_specific_answer_without_its_events_name_is_refused_and_that_is_said(agent, output, fault):
    for fields in ({}, {"on_failure": "deny"}):
        found = answer(agent, ended(output), **fields)
        assert (found.status, found.verdict) == ("failed", DENY if fields else NONE)
        assert fault in found.message
    title = {"claude": "Claude Code", "codex": "Codex"}[agent]
    said = [problem.message for problem in answer(agent, ended(output)).problems]
    (message,) = said
    assert message.startswith(f"{title} does not read the 'deny' in its output, and goes on: ")
    assert fault in message
    whole = named("PreToolUse", **NO)
    assert answer(agent, ended(whole)).verdict == DENY


@sweep(
    ("agent", "name", "outcome", "context"),
    [
        ("claude", "SessionStart", ended("hello"), ("hello",)),
        ("claude", "PreToolUse", ended("hello"), ()),
        ("claude", "UserPromptSubmit", ended("hello"), ("hello",)),
        ("claude", "PostToolUse", ended(named("PostToolUse", additionalContext="x")), ("x",)),
        ("claude", "PostToolUse", ended({"hookSpecificOutput": {"additionalContext": "x"}}), ()),
        ("claude", "PostToolUse", ended(named("PreToolUse", additionalContext="x")), ()),
        ("claude", "SessionStart", ended(named("SessionStart", additionalContext="x")), ("x",)),
        ("codex", "PostToolUse", ended(named("PostToolUse", additionalContext="x")), ("x",)),
        ("codex", "PostToolUse", ended({"hookSpecificOutput": {"additionalContext": "x"}}), ()),
        ("codex", "SessionStart", ended("hello"), ("hello",)),
        ("codex", "PreToolUse", ended("hello"), ()),
        ("gemini", "PostToolUse", ended({"hookSpecificOutput": {"additionalContext": "x"}}), ("x",)),
        ("xbot", "PreToolUse", ended({"context": "x"}), ("x",)),
        ("xbot", "PreToolUse", ended("hello"), ("hello",)),
        ("cline", "PreToolUse", ended({"contextModification": "x"}), ("x",)),
    ],
)
def test_text_goes_where_the_agent_shows_it(agent, name, outcome, context):
    assert answer(agent, outcome, name).context == context


def test_an_empty_object_is_an_answer_without_a_verdict_and_no_text():
    for agent in ("claude", "codex", "gemini", "xbot", "cursor", "copilot", "cline", "qwen", "droid"):
        for name in ("PreToolUse", "SessionStart"):
            said = answer(agent, ended({}), name, on_failure="deny")
            shown = (said.context, said.user_messages, said.problems)
            assert (said.status, said.verdict, shown) == ("ran", NONE, ((), (), ())), (agent, name)


def test_gemini_shows_text_to_the_user():
    assert answer("gemini", ended("hello")).user_messages == ("hello",)


@pytest.mark.parametrize(
    ("agent", "output", "rewrite"),
    [
        ("claude", permission("allow", updatedInput={"command": "x"}), {"command": "x"}),
        ("codex", permission("allow", updatedInput={"command": "x"}), {"command": "x"}),
        ("gemini", {"hookSpecificOutput": {"tool_input": {"dir": "x"}}}, {"command": "ls", "dir": "x"}),
        ("copilot", {"modifiedArgs": {"command": "x"}}, {"command": "x"}),
        ("xbot", {"updatedInput": {"command": "x"}}, {"command": "x"}),
        ("claude", permission("deny", updatedInput={"command": "x"}), None),
    ],
)
def test_a_rewrite_is_the_whole_input(agent, output, rewrite):
    assert answer(agent, ended(output)).updated_input == rewrite


@pytest.mark.parametrize(
    ("agent", "outcome"),
    [
        ("claude", ended(block())),
        ("claude", ended(code=2, stderr="why")),
        ("codex", ended(block())),
        ("gemini", ended(block("deny"))),
        ("cursor", ended({"followup_message": "why"})),
    ],
)
def test_a_refused_stop_says_why(agent, outcome):
    found = answer(agent, outcome, "AgentStop")
    assert (found.verdict, found.message) == (DENY, "why")


def test_exit_2_where_nothing_can_be_refused_is_told_to_the_user():
    found = answer("claude", ended(code=2, stderr="why"), "SessionStart")
    assert (found.verdict, found.user_messages) == (NONE, ("why",))


def test_what_was_never_tried_is_neither_yes_nor_no():
    assert answer("claude", Outcome(status="untrusted", cause="not trusted")).status == "untrusted"
    over = answer("claude", Outcome(status="over_limit"))
    assert (over.verdict, over.decided_by) == (DENY, "limit")
