"""`hookrun explain --as AGENT`: what that agent alone would do, and what becomes of each output."""

from __future__ import annotations

import pytest
from agent_settings import CLAUDE, before_tools, command, ended, group, hook_of, write
from sweeps import sweep

from hookrun.agents import agents_with_settings, dialect_named
from hookrun.agents.settings import settings_of
from hookrun.answers.answer import read_answer
from hookrun.events.event import make_event
from hookrun.model.events import EVENTS
from hookrun.model.values import Verdict

LS = ("--tool", "Bash", "--input", '{"command": "ls"}')


def explained(cli, agent, *words, event="pre"):
    return cli("explain", event, *(words or LS), "--as", agent, "--format", "json").document


def seen_by(hook):
    return {each["what"]: each["who"] for each in hook["seen_by"]}


def test_only_the_agents_own_settings_count(cli, project):
    project.script(".hookrun/hooks/pre/bash.sh", "#!/bin/sh\nexit 2\n")
    write(project, CLAUDE, before_tools(group("true", matcher="Bash"), group("false", matcher="Edit")))
    document = explained(cli, "claude")
    assert [(hook["title"], hook["fires"]) for hook in document["hooks"]] == [("true", True), ("false", False)]
    assert document["agent"] == "claude"
    assert explained(cli, "codex")["hooks"] == []


def test_the_files_are_named_in_the_agents_order_there_or_not(cli, project):
    write(project, CLAUDE, before_tools(group("true")), user=True)
    write(project, ".claude/settings.local.json", before_tools(group("a"), group("b")))
    files = [(each["level"], each["there"], each["hooks"]) for each in explained(cli, "claude")["files"]]
    assert files[0] == ("user", True, 1)
    assert files[3:5] == [("project", False, 0), ("project", True, 2)]
    first = cli("explain", "pre", *LS, "--as", "claude").stdout.splitlines()
    assert first[0] == "PreToolUse about Bash (shell): 3 of 3 hooks fire, as Claude Code"
    assert first[1].split() == ["reads", "user", "~/.claude/settings.json", "1", "hook"]


def test_nothing_is_run_and_no_trust_is_asked_for(cli, project, untrusting):
    write(project, CLAUDE, before_tools(group("touch ran")))
    (hook,) = explained(cli, "claude")["hooks"]
    assert (hook["fires"], hook["state"]) == (True, "in force")
    assert not (project.path / "ran").exists()
    cli("emit", "pre", *LS, env={"HOOKRUN_TRUST": "project"})
    assert (project.path / "ran").exists()


def test_an_if_with_two_rules_never_fires(cli, project):
    write(project, CLAUDE, before_tools(group(command("true", **{"if": "Bash(ls:*)|Bash(rm:*)"}))))
    document = explained(cli, "claude")
    assert document["hooks"][0]["fires"] is False
    assert "two" in document["problems"][0]["message"]
    write(project, CLAUDE, before_tools(group(command("true", **{"if": "Bash(ls:*)"}))))
    assert explained(cli, "claude")["hooks"][0]["fires"] is True


@pytest.mark.parametrize(
    ("agent", "name", "own_event", "trap"),
    [
        ("claude", CLAUDE, "PreToolUse", "exit 1"),
        ("claude", CLAUDE, "PreToolUse", '"decision": "deny" at the top'),
        ("claude", CLAUDE, "PreToolUse", "text before the JSON"),
        ("codex", ".codex/hooks.json", "PreToolUse", "not approved in /hooks"),
        ("codex", ".codex/hooks.json", "PreToolUse", "ask, allow alone"),
        ("codex", ".codex/hooks.json", "PreToolUse", "a field that it does not know"),
        ("gemini", ".gemini/settings.json", "BeforeTool", "exit 2 without any text"),
        ("gemini", ".gemini/settings.json", "BeforeTool", "decision ask"),
    ],
)
def test_the_traps_of_each_agent_are_told(cli, project, agent, name, own_event, trap):
    write(project, name, {"hooks": {own_event: [group("true")]}})
    document = explained(cli, agent, *LS)
    told = {each["what"]: each for each in document["traps"]}
    assert told[trap]["measured"] is True
    assert seen_by(document["hooks"][0])[trap] == told[trap]["becomes"]


def test_a_trap_belongs_to_its_events(cli, project):
    write(project, ".codex/hooks.json", {"hooks": {"SessionEnd": [group("true")]}})
    (hook,) = explained(cli, "codex", "--session", "s", event="SessionEnd")["hooks"]
    assert seen_by(hook)["more than 1 s"] == "it is ended"
    assert "exit 1" not in seen_by(hook)


def test_settings_that_say_what_a_failure_means_are_heard(cli, project):
    write(project, CLAUDE, before_tools(group(command("a", onFailure="block"), "b")))
    first, second = explained(cli, "claude")["hooks"]
    assert seen_by(first)["exit 1"] == "it denies, as its settings say of a failure"
    assert seen_by(second)["exit 1"] == "the tool runs, the user is shown stderr"


def test_what_nobody_waits_for_is_heard_by_nobody(cli, project):
    write(project, CLAUDE, before_tools(group(command("true", **{"async": True}))))
    (hook,) = explained(cli, "claude")["hooks"]
    assert seen_by(hook) == {"anything": "no one: it runs in the background"}


def test_what_the_agent_does_not_run_is_told_with_the_reason(cli, project):
    write(project, CLAUDE, before_tools(group("true")) | {"disableAllHooks": True})
    document = explained(cli, "claude")
    assert document["hooks"] == []
    assert document["left_out"][0]["reason"] == "settings.json switches hooks off (disableAllHooks)"
    assert "left out:" in cli("explain", "pre", *LS, "--as", "claude").stdout


def test_wrong_calls_are_told(cli):
    unknown = cli("explain", "pre", *LS, "--as", "claud")
    assert (unknown.code, "did you mean claude?" in unknown.stderr) == (64, True)
    other = cli("explain", "pre", *LS, "--as", "claude", "--dialect", "codex")
    assert (other.code, "leave it out" in other.stderr) == (64, True)


@pytest.mark.parametrize(
    ("agent", "name", "settings", "reason"),
    [
        (
            "claude",
            CLAUDE,
            before_tools(group("exit 2", matcher="Bash"), {"matcher": {"tools": ["Write"]}, "hooks": []}),
            "hooks.PreToolUse[1] has the wrong shape",
        ),
        (
            "copilot",
            ".github/hooks/a.json",
            {"version": 2, "hooks": {"preToolUse": [{"bash": "exit 1"}]}},
            "version is not 1",
        ),
        (
            "copilot",
            ".github/hooks/a.json",
            {"version": 1, "hooks": {"preToolUse": [{"bash": "exit 1"}], "sessionStart": {"bash": "true"}}},
            "hooks.sessionStart is not a list",
        ),
    ],
)
def test_what_its_agent_loads_nothing_of_fires_nothing(cli, project, agent, name, settings, reason):
    write(project, name, settings)
    shown = explained(cli, agent)
    assert [hook["fires"] for hook in shown["hooks"]] == [False]
    assert reason in shown["hooks"][0]["reason"]
    assert reason in cli("validate").stdout + cli("validate").stderr


def test_the_agents_with_settings_are_those_with_effects():
    for dialect in agents_with_settings():
        effects = settings_of(dialect.name).effects
        assert effects, dialect.name
        assert {event for effect in effects for event in effect.events} <= EVENTS.keys()


ASK = {"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "why"}}
BLOCK = '{"decision": "block", "reason": "no"}'
# An outcome for what is told of it, wherever it can be tried without the client.
OUTCOMES = {
    "exit 1": ended(code=1, stderr="no"),
    '"decision": "deny" at the top': ended({"decision": "deny", "reason": "no"}),
    "text before the JSON": ended(f"hm\n{BLOCK}"),
    "exit 2 without a text": ended(code=2),
    "exit 2 without any text": ended(code=2),
    "ask, allow alone": ended(ASK),
    "a field that it does not know": ended({"decision": "block", "reason": "no", "unknown": 1}),
    "any other exit code": ended(code=3, stderr="no"),
    "a permissionDecision": ended({"permissionDecision": "deny"}),
    "output that is not JSON": ended("no"),
    "a decision on stdout": ended(BLOCK),
    "exit 1 or 2 without JSON": ended(code=2, stderr="no"),
}
TRIED = [
    (dialect.name, effect.what)
    for dialect in agents_with_settings()
    for effect in settings_of(dialect.name).effects_at("PreToolUse")
    if effect.is_trap and effect.what in OUTCOMES
]


@sweep(("agent", "what"), TRIED)
def test_what_is_told_of_a_trap_is_how_its_answer_is_read(agent, what):
    dialect = dialect_named(agent)
    event, _ = make_event("PreToolUse", dialect=dialect, tool_name=dialect.tools["shell"][0], tool_input={})
    own_event = dialect.events.get("PreToolUse", ("PreToolUse",))[0]
    answer = read_answer(hook_of(agent, own_event), OUTCOMES[what], event, on_failure="")
    assert answer.verdict != Verdict.DENY


def test_most_traps_are_tried():
    assert len(TRIED) >= 18


@pytest.mark.parametrize(
    ("entry", "words", "denies"),
    [
        (group("/no/such/guard"), "cannot start: /no/such/guard does not exist; Claude Code goes on", False),
        (group(command("/no/such/guard", onFailure="block")), "every tool call is denied", True),
        (group("true", matcher="bash"), "never fires: Claude Code has no tool named 'bash'", False),
    ],
)
def test_what_keeps_an_entry_from_its_work_is_said(cli, project, entry, words: str, denies: bool):
    write(project, CLAUDE, before_tools(entry))
    (hook,) = explained(cli, "claude")["hooks"]
    assert (hook["fires"], hook["denies"]) == (False, denies)
    assert words in hook["reason"]
