"""Faults that were found by trying to get past bridges, installed entries and agents' settings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from agent_settings import CLAUDE, before_tools, command, commands, discover, group, skipped, write
from firing import BASH_GUARD, DENY
from trusted import trust

from hookrun.agents import dialect_named
from hookrun.agents.settings import installations
from hookrun.events.event import make_event
from hookrun.install.entries import command as installed_command
from hookrun.install.entries import wired_events
from hookrun.matching.conditions import claude_condition
from hookrun.sources.agent_settings.commands import only_asks_hookrun

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from command import Ended


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """Another project, without a guard."""
    folder = tmp_path / "elsewhere"
    (folder / ".git").mkdir(parents=True)
    return folder


def windsurf(cli: Callable[..., Ended], folder: Path | str, session: str = "t1") -> Ended:
    call = {"command_line": "ls", "cwd": str(folder)}
    event = {"agent_action_name": "pre_run_command", "trajectory_id": session, "tool_info": call}
    return cli("bridge", "windsurf", input=json.dumps(event))


def cursor(cli: Callable[..., Ended], folder: Path, *roots: Path) -> Ended:
    places = {"cwd": str(folder), "workspace_roots": list(map(str, roots))}
    event = {"hook_event_name": "beforeShellExecution", "command": "ls", **places}
    return cli("bridge", "cursor", input=json.dumps(event))


def test_where_a_command_is_to_run_takes_no_guard_away(cli, project, elsewhere):
    project.script(BASH_GUARD, DENY)
    trust(cli)
    assert windsurf(cli, elsewhere).code == 2
    assert windsurf(cli, "/").code == 2
    assert cursor(cli, elsewhere).document["permission"] == "deny"
    (project.path / BASH_GUARD).write_text("#!/bin/sh\n")
    trust(cli)
    assert windsurf(cli, elsewhere).code == 0
    assert cursor(cli, elsewhere).document == {}


def test_of_several_roots_the_one_that_asks_is_the_project(cli, project, elsewhere):
    project.script(BASH_GUARD, DENY)
    trust(cli)
    assert cursor(cli, project.path, elsewhere, project.path).document["permission"] == "deny"
    assert cursor(cli, elsewhere, elsewhere, project.path).document["permission"] == "deny"
    assert cursor(cli, elsewhere, elsewhere / "gone", elsewhere).document == {}


@pytest.mark.parametrize(
    "text",
    [
        "echo 'ask hookrun bridge claude' >&2; exit 2",
        "echo hookrun bridge claude >&2; exit 2",
        "./guard.sh && hookrun bridge claude",
        "./guard.sh # hookrun bridge claude",
        "hookrun bridge claude; ./guard.sh",
        "hookrun bridge claude $(./guard.sh)",
        "$(./guard.sh)/hookrun bridge claude",
    ],
)
def test_a_hook_that_mentions_the_bridge_is_a_hook_of_its_own(cli, project, user_environment, text):
    before = json.dumps(before_tools(group(text, matcher="Bash")))
    path = write(project, CLAUDE, before)
    assert commands(discover(project, user_environment)) == [text]
    assert cli("install", "claude").code == 0
    assert group(text, matcher="Bash") in json.loads(path.read_text())["hooks"]["PreToolUse"]
    assert commands(discover(project, user_environment)) == [text]
    assert cli("uninstall", "claude").code == 0
    assert path.read_text() == before


@pytest.mark.parametrize(
    "text",
    [
        "hookrun bridge claude",
        "exec hookrun bridge claude --with codex",
        "/opt/hookrun/bin/hookrun bridge claude || exit 2",
        "LANG=C hookrun bridge claude",
        'bash -c "exec hookrun bridge claude"',
    ],
)
def test_an_entry_written_by_hand_is_as_good_as_an_installed_one(cli, project, user_environment, text):
    path = write(project, CLAUDE, before_tools(group(text, "mine")))
    runner = discover(project, user_environment)
    assert commands(runner) == ["mine"]
    assert "hookrun's own entry" in skipped(runner)
    assert cli("uninstall", "claude").code == 0
    assert json.loads(path.read_text()) == before_tools(group("mine"))


@pytest.mark.parametrize("wiring", [each for each in installations() if each.shape], ids=lambda each: each.agent)
def test_what_install_writes_is_known_as_such(wiring):
    for own in wired_events(wiring):
        for others in ((), ("codex", "gemini")):
            text = installed_command(wiring, own, others)
            assert only_asks_hookrun(text)
            assert only_asks_hookrun(text, wiring.agent)
            assert not only_asks_hookrun(text, "nobody")
            assert not only_asks_hookrun(f"{text}; true")


@pytest.mark.parametrize(
    "line",
    [
        "git push>/dev/null",
        "git push&>log",
        ">log git push",
        "LANG=C >log git push",
        "git  push",
        "git\tpush",
        "git\\\n push",
        "ls # it's\ngit push # it's",
        "ls # \\\ngit push",
    ],
)
def test_a_rule_about_a_command_sees_it_however_it_is_written(line):
    assert holds("Bash(git push:*)", line)
    assert not holds("Bash(git pull:*)", line)


def test_what_is_quoted_as_bash_alone_does_it_cannot_be_told():
    assert holds("Bash(git push:*)", "echo $'\\''; git push; echo \\'") is None
    assert holds("Bash(git push:*)", "echo 'it is git push'") is False


def test_a_rule_with_nothing_in_its_parentheses_is_about_every_call():
    assert holds("Bash()", "ls") is True


def holds(rule: str, line: str) -> bool | None:
    event, _ = make_event("PreToolUse", dialect=dialect_named("claude"), tool_name="Bash", tool_input={"command": line})
    return claude_condition(rule).holds(event, ("Bash",))


BLOCKED = '{"decision": "deny", "reason": "no"}'


@pytest.mark.parametrize("said", [f"\ufeff{BLOCKED}", json.dumps(BLOCKED), f"\ufeff{json.dumps(BLOCKED)}"])
def test_a_deny_that_gemini_reads_in_odd_clothes_is_heard(cli, project, said):
    (project.home / "said").write_text(said, encoding="utf-8")
    handler = command("cat ~/said")
    settings = {"hooks": {"BeforeTool": [group(handler, matcher="run_shell_command")]}}
    write(project, ".gemini/settings.json", settings, user=True)
    assert "no" in cli("emit", "pre", "--tool", "run_shell_command").stdout
    (project.home / "said").write_text("no", encoding="utf-8")
    assert cli("emit", "pre", "--tool", "run_shell_command").code == 0


def test_a_deny_that_claude_reads_behind_a_byte_order_mark_is_heard(cli, project):
    (project.home / "said").write_text('\ufeff{"decision": "block", "reason": "no"}', encoding="utf-8")
    write(project, CLAUDE, before_tools(group("cat ~/said", matcher="Bash")), user=True)
    assert cli("emit", "pre", "--tool", "Bash").code == 2
    (project.home / "said").write_text('- {"decision": "block", "reason": "no"}', encoding="utf-8")
    assert cli("emit", "pre", "--tool", "Bash").code == 0


def test_what_gemini_keeps_of_an_input_is_said(cli, project):
    answer = {"decision": "allow", "updatedInput": {"command": "true"}}
    project.script(BASH_GUARD, f"#!/bin/sh\necho '{json.dumps(answer)}'\n")
    trust(cli)
    call = {"command": "ls", "is_background": True}
    event = {"hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": call}
    ended = cli("bridge", "gemini", input=json.dumps(event))
    assert ended.document["hookSpecificOutput"]["tool_input"] == {"command": "true"}
    assert "retains what the rewritten input omits: is_background" in ended.stderr
    del call["is_background"]
    assert cli("bridge", "gemini", input=json.dumps(event)).stderr == ""


def test_no_fallback_is_offered_for_what_nobody_has_approved(cli, project, untrusting):
    project.script(BASH_GUARD, '#!/bin/sh\necho \'{"decision": "ask"}\'\n')
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    assert "ask_fallback" not in cli("bridge", "codex", input=json.dumps(event)).stderr
    trust(cli)
    assert "ask_fallback" in cli("bridge", "codex", input=json.dumps(event)).stderr


def test_a_script_is_not_left_to_an_agent_that_passes_its_settings_over(cli, project):
    project.script(BASH_GUARD, DENY)
    settings = before_tools(group(f'"$CLAUDE_PROJECT_DIR"/{BASH_GUARD}', matcher="Bash"))
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    write(project, CLAUDE, settings)
    trust(cli)
    assert cli("bridge", "claude", input=json.dumps(event)).stdout == ""  # Claude Code runs it itself
    settings["hooks"]["Stop"] = "nothing"
    write(project, CLAUDE, settings)
    ended = cli("bridge", "claude", input=json.dumps(event))
    assert ended.document["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.parametrize("agent", ["codex", "copilot"])
def test_another_agents_variable_does_not_move_the_project(cli, project, elsewhere, agent):
    project.script(BASH_GUARD, DENY)
    trust(cli)
    call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}

    def denies(folder: Path, **variables: str) -> bool:
        event = {**call, "session_id": "s1", "cwd": str(folder)}
        return "deny" in cli("bridge", agent, input=json.dumps(event), env=variables).stdout

    assert denies(project.path)
    assert denies(elsewhere, CLAUDE_PROJECT_DIR=str(elsewhere), XBOT_PROJECT_DIR=str(elsewhere))
    (project.path / BASH_GUARD).write_text("#!/bin/sh\n")
    trust(cli)
    assert not denies(elsewhere)


def test_an_agents_own_variable_tells_the_project(cli, project, elsewhere):
    project.script(BASH_GUARD, DENY)
    trust(cli)
    call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    event = json.dumps({**call, "cwd": str(elsewhere)})
    assert cli("bridge", "claude", input=event, cwd=elsewhere).stdout == ""
    variables = {"CLAUDE_PROJECT_DIR": str(project.path), "XBOT_PROJECT_DIR": str(elsewhere)}
    assert "deny" in cli("bridge", "claude", input=event, env=variables, cwd=elsewhere).stdout
    assert "deny" in cli("bridge", "claude", input=event).stdout  # it was started in the project
    variables = {"CLAUDE_PROJECT_DIR": str(elsewhere)}
    assert cli("bridge", "claude", input=event, env=variables).stdout == ""
