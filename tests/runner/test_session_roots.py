"""The project that a session began in, where an agent moves, and where that project cannot be remembered."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest
from command import DEADLINE, HOOKRUN, Ended
from firing import BASH_GUARD, DENIED_BY_GUARD, DENY, PASS, ruling
from injected import bound_by_modes, mounted
from trusted import trust

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.usefixtures("untrusting")

TOOLS = {
    "codex": ("PreToolUse", "Bash"),
    "gemini": ("BeforeTool", "run_shell_command"),
    "claude": ("PreToolUse", "Bash"),
    "copilot": ("preToolUse", "bash"),
    "droid": ("PreToolUse", "Execute"),
    "qwen": ("PreToolUse", "run_shell_command"),
}
CAN_ASK = ("claude", "copilot")
STATE = ".local/state/hookrun"


@pytest.fixture
def guarded(cli, project):
    project.script(BASH_GUARD, DENY)
    trust(cli)
    return project.path


@pytest.fixture
def elsewhere(tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder


@pytest.fixture
def asks(cli, untrusting) -> Callable[..., Ended]:
    """What an agent gets for a shell command in *cwd*, by a bridge that was *started_in* a folder."""

    def run(agent, cwd, started_in, *, session="moves", prefix=()) -> Ended:
        event, tool = TOOLS[agent]
        payload = {
            "hook_event_name": event,
            "session_id": session,
            "cwd": str(cwd),
            "tool_name": tool,
            "tool_input": {"command": "x"},
        }
        if not prefix:
            return cli("bridge", agent, cwd=started_in, input=json.dumps(payload))
        done = subprocess.run(
            [*prefix, HOOKRUN, "bridge", agent],
            cwd=started_in,
            env=untrusting,
            input=json.dumps(payload),
            capture_output=True,
            text=True,
            timeout=DEADLINE,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return run


def verdict_of(answer: Ended) -> str:
    """deny, ask, or pass: what an agent does with *answer*."""
    said = answer.stdout + answer.stderr
    if answer.code == 2 or '"deny"' in said or '"block"' in said:
        return "deny"
    return "ask" if '"ask"' in said else "pass"


def fire(cli, cwd, *words) -> Ended:
    given = ("--input", '{"command": "x"}', "--format", "json")
    return cli("emit", "pre", "--tool", "Shell", *given, *words, cwd=cwd)


@pytest.mark.parametrize("agent", TOOLS)
def test_the_project_of_a_session_counts_wherever_the_agent_goes(agent, asks, guarded, elsewhere):
    assert verdict_of(asks(agent, elsewhere, elsewhere)) == "pass"
    assert verdict_of(asks(agent, guarded, guarded, session="other")) == "deny"
    assert verdict_of(asks(agent, elsewhere, elsewhere, session="other")) == "deny"


@pytest.mark.parametrize("agent", TOOLS)
def test_the_folder_that_a_bridge_was_started_in_counts_in_a_fresh_session(agent, asks, guarded, elsewhere):
    below = guarded / "src"
    below.mkdir()
    for started_in in (guarded, below):
        assert verdict_of(asks(agent, elsewhere, started_in, session=started_in.name)) == "deny"
    assert verdict_of(asks(agent, elsewhere, elsewhere, session=guarded.name)) == "deny"


def test_it_is_united_with_the_hooks_where_the_agent_is(cli, asks, project, guarded, elsewhere):
    (elsewhere / ".git").mkdir()
    project.script(BASH_GUARD, PASS)
    trust(cli)
    guard = elsewhere / BASH_GUARD
    guard.parent.mkdir(parents=True)
    guard.write_text(DENY)
    guard.chmod(0o755)
    trust(cli, cwd=elsewhere)
    assert verdict_of(asks("codex", elsewhere, guarded)) == "deny"
    assert verdict_of(asks("codex", guarded, elsewhere, session="other")) == "deny"
    guard.write_text(PASS)
    trust(cli, cwd=elsewhere)
    assert verdict_of(asks("codex", elsewhere, guarded)) == "pass"


def test_it_is_united_with_a_project_that_a_session_remembers(cli, asks, project, guarded, elsewhere):
    (elsewhere / ".git").mkdir()
    assert verdict_of(asks("gemini", elsewhere, elsewhere)) == "pass"
    assert verdict_of(asks("gemini", elsewhere, guarded)) == "deny"


def test_a_project_without_git_that_a_bridge_was_started_in_keeps_its_trust(asks, cli, project, elsewhere):
    (project.path / ".git").rmdir()
    (elsewhere / ".git").mkdir()
    project.script(BASH_GUARD, DENY)
    trust(cli)
    assert verdict_of(asks("codex", elsewhere, elsewhere)) == "pass"
    answer = asks("codex", elsewhere, project.path)
    assert "the guard says no" in answer.stdout + answer.stderr


def test_one_project_under_two_spellings_is_one(asks, cli, project, tmp_path):
    count = tmp_path / "count"
    project.script(BASH_GUARD, f"#!/bin/sh\necho x >> '{count}'\n")
    trust(cli)
    link = tmp_path / "link"
    link.symlink_to(project.path)
    assert verdict_of(asks("codex", link, project.path)) in ("pass", "deny")
    assert count.exists() is False or count.read_text() == "x\n"


def test_the_home_that_a_bridge_was_started_in_is_no_project(asks, project, elsewhere):
    (project.home / ".git").mkdir()
    guard = project.home / ".hookrun/hooks/pre/bash.sh"
    guard.parent.mkdir(parents=True)
    guard.write_text(DENY)
    guard.chmod(0o755)
    assert verdict_of(asks("codex", elsewhere, project.home)) == "pass"


def test_the_store_of_the_configuration_holds_the_root(cli, project, guarded, elsewhere, tmp_path):
    project.script(".config/hookrun/config.yaml", f"store: {tmp_path}/kept\n", user=True)
    trust(cli)
    assert ruling(fire(cli, guarded, "--session", "q")) == DENIED_BY_GUARD
    assert ruling(fire(cli, elsewhere, "--session", "q")) == DENIED_BY_GUARD
    assert (tmp_path / "kept/sessions/q").read_text() == f"{guarded}\n"
    assert not (project.home / STATE / "sessions").exists()


def test_what_is_wrong_with_the_state_folder_is_said_in_a_remembered_session(cli, project, guarded):
    fire(cli, guarded, "--session", "q")
    (project.home / STATE).chmod(0o777)
    problems = fire(cli, guarded, "--session", "q").document["problems"]
    assert any("was writable for other users" in problem["message"] for problem in problems)


def a_file_for_sessions(project) -> tuple[str, ...]:
    (project.home / STATE / "sessions").write_text("")
    return ()


def a_read_only_home(project) -> tuple[str, ...]:
    (project.home / STATE).chmod(0o500)
    return bound_by_modes()


def a_full_disk(project) -> tuple[str, ...]:
    folder = project.home / STATE
    copied = f"cp -a '{folder}/trust' '{project.home}/kept'"
    mount = f"mount -t tmpfs -o size=64k,mode=700 none '{folder}' && cp -a '{project.home}/kept' '{folder}/trust'"
    fill = f"{{ ! dd if=/dev/zero of='{folder}/filler' bs=1k 2>/dev/null; }}"
    return mounted(f"{copied} && {mount} && {fill}")


def an_empty_record(project) -> tuple[str, ...]:
    return _record(project, "")


def a_record_cut_short(project) -> tuple[str, ...]:
    return _record(project, "/proj")


def a_record_of_nonsense(project) -> tuple[str, ...]:
    return _record(project, "relative\n")


def a_folder_for_a_record(project) -> tuple[str, ...]:
    (project.home / STATE / "sessions/moves").mkdir(mode=0o700, parents=True)
    return ()


def _record(project, text: str) -> tuple[str, ...]:
    path = project.home / STATE / "sessions/moves"
    path.parent.mkdir(mode=0o700)
    path.write_text(text)
    return ()


FAULTS = (
    *(a_file_for_sessions, a_read_only_home, a_full_disk, an_empty_record, a_record_cut_short),
    *(a_record_of_nonsense, a_folder_for_a_record),
)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_root_that_cannot_be_kept_or_read_is_an_ask(fault, asks, project, guarded, elsewhere):
    (elsewhere / ".git").mkdir()
    prefix = fault(project)
    for agent in ("codex", "gemini", "claude"):
        assert verdict_of(asks(agent, guarded, guarded, prefix=prefix)) == "deny"
        for _ in range(2):  # it is not settled by being said
            assert verdict_of(asks(agent, elsewhere, guarded, prefix=prefix)) == "deny"
            answer = asks(agent, elsewhere, elsewhere, prefix=prefix)
            assert verdict_of(answer) == ("ask" if agent in CAN_ASK else "deny"), agent
            assert "the root of the session cannot be remembered" in answer.stdout + answer.stderr


@pytest.mark.parametrize("fault", [an_empty_record, a_record_cut_short, a_folder_for_a_record])
def test_emit_asks_where_the_record_of_a_session_is_damaged(fault, cli, project, guarded, elsewhere):
    (elsewhere / ".git").mkdir()
    fault(project)
    for _ in range(2):
        assert ruling(fire(cli, elsewhere, "--session", "moves")) == (3, "ask", "failure")
    assert ruling(fire(cli, guarded, "--session", "moves")) == DENIED_BY_GUARD
    assert ruling(fire(cli, elsewhere)) == (0, None, None)
    named = fire(cli, elsewhere, "--session", "moves", "--project", str(elsewhere))
    assert ruling(named) == (0, None, None)


def test_emit_asks_outside_of_a_project_where_no_root_can_be_kept(cli, project, elsewhere):
    (project.home / STATE).mkdir(mode=0o700, parents=True)
    a_file_for_sessions(project)
    assert ruling(fire(cli, elsewhere, "--session", "s")) == (3, "ask", "failure")
    assert ruling(fire(cli, project.path, "--session", "s")) == (0, None, None)
    post = ("emit", "post", "--tool", "Shell", "--input", "{}", "--session", "s", "--format", "json")
    assert ruling(cli(*post, cwd=elsewhere)) == (0, None, None)


def test_an_agent_that_names_its_project_needs_no_record(cli, project, guarded, elsewhere, untrusting):
    _record(project, "")
    payload = {
        "hook_event_name": "PreToolUse",
        "session_id": "moves",
        "cwd": str(elsewhere),
        "tool_name": "Bash",
        "tool_input": {"command": "x"},
    }
    said = cli("bridge", "claude", input=json.dumps(payload), env={"CLAUDE_PROJECT_DIR": str(elsewhere)}, cwd=elsewhere)
    assert verdict_of(said) == "pass"
