"""What Copilot CLI makes of its hooks: both spellings of events, exit codes, lines of progress, places, files
that it passes over, and what it reads of an answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from agent_settings import ended, hook_of, write

from hookrun.agents import dialect_named, protocol_of
from hookrun.agents.reply.writing import write_decision
from hookrun.answers.answer import read_answer
from hookrun.events.event import make_event
from hookrun.model.values import Decision, Outcome, Verdict

DENIAL = {"permissionDecision": "deny", "permissionDecisionReason": "because"}
PROGRESS = json.dumps({"type": "progress", "message": "looking"})
BEFORE = {"tool_name": "bash", "tool_input": {"command": "ls"}}


def event(name: str = "PreToolUse", **values: Any) -> Any:
    given = values or (BEFORE if "Tool" in name else {})
    return make_event(name, dialect=dialect_named("copilot"), **given)[0]


def answer(outcome: Outcome, own_event: str = "preToolUse", name: str = "PreToolUse") -> Any:
    closes = "deny" if name == "PreToolUse" else None
    hook = hook_of("copilot", own_event, on_failure=closes)
    return read_answer(hook, outcome, event(name), on_failure="")


def hooks(**events: Any) -> dict[str, Any]:
    return {"version": 1, "hooks": events}


def emitted(cli: Any, *, tool: str = "bash", value: Any = None) -> int:
    given = json.dumps(value or {"command": "ls"})
    code: int = cli("emit", "pre", "--tool", tool, "--input", given, "--dialect", "copilot").code
    return code


@pytest.fixture
def trusting(cli: Any) -> Any:
    return lambda *words, **how: cli(*words, env={"HOOKRUN_TRUST": "project"}, **how)


@pytest.mark.parametrize(
    ("own_event", "said", "verdict"),
    [
        ("preToolUse", DENIAL, Verdict.DENY),
        ("PreToolUse", DENIAL, Verdict.DENY),
        ("PreToolUse", {"hookSpecificOutput": DENIAL}, Verdict.DENY),
        ("preToolUse", {"hookSpecificOutput": DENIAL}, Verdict.NO_OPINION),
        ("preToolUse", {"decision": "block", "reason": "because"}, Verdict.NO_OPINION),
        ("preToolUse", {"continue": False}, Verdict.NO_OPINION),
    ],
)
def test_claudes_answer_counts_where_the_event_is_spelled_as_claude_spells_it(own_event, said, verdict) -> None:
    assert answer(ended(said), own_event).verdict == verdict


@pytest.mark.parametrize("text", [f"{PROGRESS}\n{{}}", f"{{}}\n{PROGRESS}", f"{PROGRESS}\n  {PROGRESS}\n{{}}\n"])
@pytest.mark.parametrize("word", ["deny", "ask"])
def test_lines_of_progress_are_no_part_of_the_answer(text, word) -> None:
    said = json.dumps(DENIAL | {"permissionDecision": word})
    found = answer(ended(text.replace("{}", said)))
    assert (found.verdict.word, found.message, found.problems) == (word, "because", ())


def test_a_rewrite_after_a_line_of_progress_is_kept() -> None:
    said = json.dumps({"permissionDecision": "allow", "modifiedArgs": {"command": "ls -l"}})
    assert answer(ended(f"{PROGRESS}\n{said}")).updated_input == {"command": "ls -l"}


@pytest.mark.parametrize("noise", ["checking", '{"type": "log"}', f"{PROGRESS} and more"])
def test_other_lines_beside_the_answer_lose_it_and_that_is_said(noise) -> None:
    found = answer(ended(f"{noise}\n{json.dumps(DENIAL)}"))
    assert found.verdict == Verdict.NO_OPINION
    assert "goes on" in found.problems[0].message


@pytest.mark.parametrize("own_event", ["preToolUse", "PreToolUse"])
def test_exit_2_denies_for_the_reason_in_its_json(own_event) -> None:
    found = answer(ended(DENIAL, code=2, stderr="noise"), own_event)
    assert (found.verdict, found.message, found.problems) == (Verdict.DENY, "because", ())
    allowed = answer(ended({"permissionDecision": "allow"}, code=2, stderr="why"), own_event)
    assert (allowed.verdict, allowed.message) == (Verdict.DENY, "why")


@pytest.mark.parametrize("code", [1, 3, 127])
def test_another_exit_code_denies_and_nothing_says_that_copilot_goes_on(code) -> None:
    found = answer(ended(DENIAL, code=code, stderr="why"))
    assert (found.verdict, found.decided_by, found.problems) == (Verdict.DENY, "failure", ())
    assert "goes on" not in found.message


@pytest.mark.parametrize("name", ["UserPromptSubmit", "PostToolUse", "AgentStop"])
def test_exit_2_refuses_nothing_elsewhere_and_is_told_as_such(name) -> None:
    own_event = {"UserPromptSubmit": "userPromptSubmitted", "PostToolUse": "postToolUse"}.get(name, "agentStop")
    found = answer(ended(code=2, stderr="why"), own_event, name)
    assert found.verdict == Verdict.NO_OPINION
    assert "exit 2" in found.message
    assert "ui trigger" not in found.message


def test_exit_2_after_a_tool_that_failed_is_context() -> None:
    found = answer(ended(code=2, stderr="try again"), "postToolUseFailure", "PostToolUseFailure")
    assert (found.verdict, found.context, found.status) == (Verdict.NO_OPINION, ("try again",), "ran")


def test_a_hook_that_takes_too_long_denies_nothing_and_one_that_is_killed_does() -> None:
    slow = answer(Outcome(status="timed_out", cause="timed out after 1 s", seconds=1))
    assert (slow.verdict, slow.status) == (Verdict.NO_OPINION, "timed_out")
    assert "Copilot CLI goes on all the same" in slow.message
    assert answer(Outcome(status="killed", signal=9)).verdict == Verdict.DENY
    together = "timed out: the time of all hooks together was over"
    assert answer(Outcome(status="timed_out", cause=together)).verdict == Verdict.DENY


def test_a_prompt_is_refused_by_a_block() -> None:
    found = answer(ended({"decision": "block", "reason": "no"}), "userPromptSubmitted", "UserPromptSubmit")
    assert (found.verdict, found.message) == (Verdict.DENY, "no")


@pytest.mark.parametrize(
    ("matcher", "tool", "code"),
    [
        ("Bash", "bash", 2),
        ("Bash", "powershell", 2),
        ("bash", "bash", 0),
        ("Ba", "bash", 0),
        ("Edit|Write", "create", 2),
        ("Edit|Write", "edit", 2),
        ("Edit|Write", "view", 0),
        ("Read", "view", 2),
        ("Agent|Task", "task", 2),
        ("*", "view", 2),
    ],
)
def test_an_event_with_a_capital_has_claudes_names_of_tools(project, trusting, matcher, tool, code) -> None:
    write(project, ".github/hooks/a.json", hooks(PreToolUse=[{"matcher": matcher, "bash": "exit 1"}]))
    assert emitted(trusting, tool=tool, value={"path": "a", "command": "x"}) == code


def test_validate_knows_claudes_names_at_such_an_event(project, cli) -> None:
    entries = [{"matcher": "Edit|Write", "bash": "exit 1"}, {"matcher": "Bash", "bash": "exit 1"}]
    write(project, ".github/hooks/a.json", hooks(PreToolUse=entries))
    assert "matches no tool" not in cli("validate").stdout
    assert "has no event named" not in cli("validate").stdout
    write(project, ".github/hooks/a.json", hooks(preToolUse=entries))
    assert "'Bash' matches no tool" in cli("validate").stdout


def test_the_payload_of_such_an_event_has_claudes_name(project, trusting) -> None:
    write(project, ".github/hooks/a.json", hooks(PreToolUse=[{"bash": "cat > seen.json"}]))
    emitted(trusting, tool="create", value={"path": "a", "file_text": "x"})
    seen = json.loads((project.path / "seen.json").read_text())
    assert (seen["hook_event_name"], seen["tool_name"]) == ("PreToolUse", "Write")
    assert seen["tool_input"] == {"path": "a", "file_text": "x"}


def test_stop_and_the_prompt_are_known_in_claudes_spelling(project, trusting) -> None:
    goes_on = {"bash": """echo '{"decision": "block", "reason": "more"}'"""}
    write(project, ".github/hooks/a.json", hooks(Stop=[goes_on], UserPromptSubmit=[goes_on]))
    assert trusting("emit", "stop", "--dialect", "copilot").code == 2
    assert trusting("emit", "UserPromptSubmit", "--prompt", "go", "--dialect", "copilot").code == 2
    assert "unknown event" not in trusting("validate").stdout


def test_an_event_that_hookrun_does_not_have_is_no_unknown_one(project, cli) -> None:
    write(project, ".github/hooks/a.json", hooks(userPromptTransformed=[{"bash": "true"}]))
    assert "unknown event" not in cli("validate").stdout
    assert "an event of that agent alone" in cli("list").stdout


def test_a_switch_in_one_file_is_about_that_file(project, trusting) -> None:
    guard = hooks(preToolUse=[{"bash": "exit 1"}])
    write(project, ".github/hooks/a.json", guard | {"disableAllHooks": True})
    assert emitted(trusting) == 0
    write(project, ".github/hooks/b.json", guard)
    assert emitted(trusting) == 2
    write(project, ".github/copilot/settings.json", {"disableAllHooks": True})
    assert emitted(trusting) == 0


@pytest.mark.parametrize("place", [".github/copilot/settings.json", ".github/copilot/settings.local.json"])
def test_settings_have_hooks_too(project, trusting, place) -> None:
    write(project, place, {"hooks": {"preToolUse": [{"type": "command", "bash": "exit 1"}]}})
    assert emitted(trusting) == 2


def test_a_program_and_its_arguments_are_run_without_a_shell(project, trusting) -> None:
    write(project, ".github/hooks/a.json", hooks(preToolUse=[{"exec": "sh", "args": ["-c", "exit $1", "x", "1"]}]))
    assert emitted(trusting) == 2
    write(project, ".github/hooks/a.json", hooks(preToolUse=[{"exec": "false"}]))
    assert emitted(trusting) == 2


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"version": 2}, "version is not 1"),
        ({"hooks": {"preToolUse": [{"bash": "exit 1"}], "sessionStart": {}}}, "not a list"),
    ],
)
def test_a_file_that_copilot_passes_over_is_no_guard_there(project, trusting, wrong, reason) -> None:
    write(project, ".github/hooks/a.json", hooks(preToolUse=[{"bash": "exit 1"}]) | wrong)
    shown = trusting("explain", "pre", "--tool", "bash", "--as", "copilot")
    assert "\n  fires" not in shown.stdout
    assert reason in shown.stdout + shown.stderr


def test_a_script_is_looked_for_in_the_folder_that_its_entry_names(project, cli) -> None:
    script = project.path / "src/bin/h"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\nexit 1\n")
    script.chmod(0o755)
    write(project, ".github/hooks/a.json", hooks(preToolUse=[{"cwd": "src", "bash": "bin/h"}]))
    assert "does not exist" not in cli("validate").stdout
    write(project, ".github/hooks/a.json", hooks(preToolUse=[{"cwd": "src", "bash": "bin/other"}]))
    assert "does not exist: Copilot CLI denies" in cli("validate").stdout


@pytest.mark.parametrize(
    ("name", "own_event"),
    [
        ("PreToolUse", "preToolUse"),
        ("PostToolUse", "postToolUse"),
        ("PostToolUseFailure", "postToolUseFailure"),
        ("UserPromptSubmit", "userPromptSubmitted"),
        ("SessionStart", "sessionStart"),
        ("SubAgentStart", "subagentStart"),
    ],
)
def test_context_reaches_the_model(name, own_event) -> None:
    decision = Decision(event=event(name), context=("note",))
    reply = write_decision(protocol_of("copilot").replies, decision, own_event)
    assert (json.loads(reply.stdout), reply.problems) == ({"additionalContext": "note"}, ())


def test_a_prompt_is_refused_in_its_words() -> None:
    decision = Decision(event=event("UserPromptSubmit"), verdict=Verdict.DENY, message="no")
    reply = write_decision(protocol_of("copilot").replies, decision, "userPromptSubmitted")
    assert json.loads(reply.stdout) == {"decision": "block", "reason": "no"}
