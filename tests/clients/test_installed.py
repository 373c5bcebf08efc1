"""What installing does to the settings of real agents, and what they make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from command import HOOKRUN
from real_agents import GO_ON, path_without_hookrun

if TYPE_CHECKING:
    from pathlib import Path

    from real_agents import Agent

GUARD = ".claude/hooks/pre/bash.sh"
DENIES = "#!/bin/sh\necho 'not this one' >&2\nexit 2\n"
SETTINGS = {
    "codex": (
        ".codex/hooks.json",
        '\n{"hooks" :\t{\n "PreToolUse": [ {"hooks": [{"type": "command",\r\n  "command": "touch theirs"}]} ]\n}}',
    ),
    "gemini": (
        ".gemini/settings.json",
        '// ours\n{\n\t"hooks": { // theirs\n\t\t"BeforeTool" : [\n   {"hooks": [{"type": "command",'
        ' "command": "touch theirs"}]} ]\n}, /* "x": 1 */ "ui": {"hideTips": true}\r\n}',
    ),
}


@pytest.mark.parametrize("agent_name", GO_ON)
@pytest.mark.parametrize("level", ["project", "user"])
def test_both_levels_of_settings_ask_hookrun(agent: Agent, level: str):
    agent.project.script(GUARD, DENIES)
    agent.install(*(["--user"] if level == "user" else []))
    run = agent.run(agent.shell("echo it > ran.txt"))
    assert "not this one" in run.tool_results[0]
    assert not agent.has("ran.txt")


@pytest.mark.parametrize("agent_name", GO_ON)
def test_hookrun_is_found_on_a_path_with_blanks_and_quotes(agent: Agent, tmp_path: Path):
    folder = tmp_path / """it's "a" b"""
    folder.mkdir()
    (folder / "hookrun").symlink_to(HOOKRUN)
    agent.project.script(GUARD, DENIES)
    agent.install()
    path = f"{folder}:{path_without_hookrun(agent.environment['PATH'])}"
    run = agent.run(agent.shell("echo it > ran.txt"), env={"PATH": path, "hr_at": "'; exit 0 #"})
    assert "not this one" in run.tool_results[0]
    assert not agent.has("ran.txt")


def test_settings_are_as_before_after_install_a_session_and_uninstall(agent: Agent):
    name, text = SETTINGS[agent.name]
    path = agent.project.script(name, text, mode=0o644)
    path.write_bytes(text.encode())
    agent.project.script(GUARD, DENIES)
    agent.install()
    run = agent.run(agent.shell("echo it > ran.txt"))
    assert "not this one" in run.tool_results[0]
    assert agent.has("theirs")
    agent.hookrun("uninstall", agent.name)
    assert path.read_bytes() == text.encode()


@pytest.mark.parametrize("agent_name", ["codex"])
def test_codex_runs_no_hook_before_it_is_approved_and_says_nothing(agent: Agent):
    agent.project.script(GUARD, DENIES)
    agent.install("--user")
    ended = agent.cli("doctor")
    assert "Codex runs no hook that is not approved" in ended.stderr
    run = agent.run(agent.shell("echo it > ran.txt"), options=())
    assert agent.has("ran.txt")
    assert "hook" not in run.output.replace(str(agent.project.path.parent), "").lower()
