"""Bundled hooks in real agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from real_agents import Agent


def test_the_diff_of_an_edit_and_of_a_new_file_reaches_the_model(agent: Agent):
    agent.project.script("poem.txt", "one\ntwo\nthree\n", mode=0o644)
    agent.hookrun("new", "file-diff", "--user")
    agent.install()
    run = agent.run(agent.edit("poem.txt", "two", "2"), agent.write("song.txt", "la"))
    assert (agent.text("poem.txt"), agent.text("song.txt")) == ("one\n2\nthree\n", "la\n")
    # Gemini CLI puts it behind the tool's result, Codex into a message of its own.
    texts = run.tool_results if agent.name == "gemini" else [run.told]
    assert "--- a/poem.txt\n+++ b/poem.txt\n" in texts[0]
    assert "-two\n+2\n" in texts[0]
    assert "+++ b/song.txt\n" in texts[-1]


def test_protected_paths_are_not_written_and_others_are(agent: Agent):
    agent.project.script(".env.local", "KEY=1\n", mode=0o644)
    agent.hookrun("new", "protect-paths", "--user")
    agent.install()
    steps = [
        agent.edit(".env.local", "KEY=1", "KEY=2"),
        agent.write("new/server.key", "KEY"),
        agent.write("a.txt", "it"),
    ]
    run = agent.run(*steps, agent.write(".env", "KEY=3"))
    assert ".env.local may hold secrets" in run.tool_results[0]
    assert "new/server.key is a private key" in run.tool_results[1]
    by = {"codex": ".env may hold secrets", "gemini": "not in workspace"}  # Gemini CLI itself writes no .env
    assert by[agent.name] in run.tool_results[3]
    assert agent.text(".env.local") == "KEY=1\n"
    assert [agent.has(name) for name in ("new/server.key", "a.txt", ".env")] == [False, True, False]


@pytest.mark.parametrize("agent_name", ["codex"])
def test_a_patch_of_many_files_is_stopped_for_one_of_them(agent: Agent):
    agent.hookrun("new", "protect-paths", "--user")
    agent.install()
    agent.run(agent.patch({"a.txt": "a", ".env": "KEY=1"}), agent.patch({"b.txt": "b", "c.txt": "c"}))
    assert [agent.has(name) for name in ("a.txt", ".env", "b.txt", "c.txt")] == [False, False, True, True]


@pytest.mark.parametrize("agent_name", ["codex"])
def test_a_patch_in_a_shell_command_is_stopped_too(agent: Agent):
    agent.hookrun("new", "protect-paths", "--user")
    agent.install()
    commands = [f"apply_patch <<'END'\n{agent.patch({name: 'it'})['args']}\nEND" for name in (".env", "a.txt")]
    run = agent.run(*map(agent.shell, commands))
    assert ".env may hold secrets" in run.tool_results[0]
    assert (agent.has(".env"), agent.has("a.txt")) == (False, True)
