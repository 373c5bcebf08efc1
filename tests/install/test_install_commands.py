"""The commands that are installed, run by a shell: closed without hookrun where a guard may be asked."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from sweeps import sweep

from hookrun.agents import protocol_of
from hookrun.agents.settings import MESSAGE, Installation, installation_of, installations
from hookrun.install.entries import command, entries, missing_message, script_texts, wired_events
from hookrun.model.events import EVENTS

if TYPE_CHECKING:
    from pathlib import Path

WIRED = [
    pytest.param(wiring, own, canonical, id=f"{wiring.agent}-{own}")
    for wiring in installations()
    if wiring.shape
    for own, canonical in wired_events(wiring).items()
]
SHELLS = [shell for shell in ("sh", "bash", "dash", "zsh", "fish", "mksh") if shutil.which(shell)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A folder for PATH that has sh and nothing else."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "sh").symlink_to(shutil.which("sh") or "/bin/sh")
    return folder


def run(shell: str, text: str, path: Path) -> subprocess.CompletedProcess[str]:
    words = [shutil.which(shell) or shell, "-c", text]
    return subprocess.run(words, env={"PATH": str(path)}, input="{}", capture_output=True, text=True, timeout=60)


@sweep("shell", SHELLS)
@sweep(("wiring", "own", "canonical"), WIRED)
def test_without_hookrun_a_guarded_event_is_denied_and_another_one_is_not(
    wiring: Installation, own: str, canonical: str, shell: str, path: Path
):
    done = run(shell, command(wiring, own, ()), path)
    if canonical in wiring.denials:
        text, code = wiring.denials[canonical]
        text = text.replace(MESSAGE, missing_message(wiring.agent))
        assert (done.returncode, json.loads(done.stdout)) == (code, json.loads(text))
        assert "hookrun is not installed: install it" in done.stdout
    elif EVENTS[canonical].guarded:
        message = missing_message(wiring.agent)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{message}\n")
        assert message.startswith("hookrun is not installed: install it")
        assert "\n" not in message
    else:
        assert (done.returncode, done.stdout.strip(), done.stderr) == (0, wiring.neutral, "")


@pytest.mark.parametrize("shell", SHELLS)
def test_with_hookrun_it_is_run_and_what_is_no_code_of_a_bridge_denies(shell: str, path: Path):
    program = path / "hookrun"
    program.write_text('#!/bin/sh\necho "$@"\nread -r line\necho "$line"\nexit 7\n')
    program.chmod(0o755)
    for wiring in (installation_of("claude"), installation_of("cursor"), installation_of("windsurf")):
        for own in wired_events(wiring):
            text = command(wiring, own, ("codex", "gemini"))
            done = run(shell, text, path)
            told = f"bridge {wiring.agent} --with codex --with gemini\n{{}}\n"
            assert (done.returncode, done.stdout) == (2 if "|| exit 2" in text else 7, told)
        assert any("|| exit 2" in command(wiring, own, ()) for own in wired_events(wiring)) == bool(
            wiring.agent != "cursor"
        )


@pytest.mark.parametrize("agent", [wiring.agent for wiring in installations() if wiring.shape])
def test_what_makes_python_load_other_code_is_not_passed_to_hookrun(agent: str, path: Path):
    program = path / "hookrun"
    program.write_text('#!/bin/sh\necho "${PYTHONPATH-none} ${PYTHONHOME-none} ${PYTHONPYCACHEPREFIX-none}"\n')
    program.chmod(0o755)
    wiring = installation_of(agent)
    for own in wired_events(wiring):
        text = f"PYTHONPATH=p PYTHONHOME=h PYTHONPYCACHEPREFIX=c {command(wiring, own, ())}"
        assert run("sh", text, path).stdout == "none none none\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_hookrun_that_cannot_start_denies_where_an_exit_code_does(shell: str, path: Path):
    program = path / "hookrun"
    program.write_text("#!/no/such/python\n")
    program.chmod(0o755)
    claude = installation_of("claude")
    assert run(shell, command(claude, "PreToolUse", ()), path).returncode == 2
    assert run(shell, command(claude, "UserPromptSubmit", ()), path).returncode == 2
    assert run(shell, command(claude, "Stop", ()), path).returncode in (126, 127)


def test_an_executable_for_an_agent_does_the_same(path: Path, tmp_path: Path):
    cline = installation_of("cline")
    for own, text in script_texts(cline, ()).items():
        script = tmp_path / own
        script.write_text(text)
        done = subprocess.run(["/bin/sh", script], env={"PATH": str(path)}, capture_output=True, text=True, timeout=60)
        is_denied = own in ("PreToolUse", "UserPromptSubmit")
        assert (done.returncode, json.loads(done.stdout)["cancel"]) == (0, is_denied)


def test_copilot_is_told_the_event_that_its_payload_leaves_out():
    copilot = installation_of("copilot")
    assert "hookrun bridge copilot --event preToolUse --with codex" in command(copilot, "preToolUse", ["codex"])
    assert "--event" not in command(installation_of("claude"), "PreToolUse", ())


@pytest.mark.parametrize("wiring", [wiring for wiring in installations() if wiring.shape], ids=lambda each: each.agent)
def test_every_agent_waits_longer_than_hookrun_takes_and_in_its_own_unit(wiring: Installation):
    for own, entry in entries(wiring, ()).items():
        handler = entry if wiring.shape != "groups" else entry["hooks"][0]
        if wiring.timeouts is None:
            assert not any("timeout" in key.lower() for key in handler)
            continue
        key, units = wiring.timeouts
        seconds = handler[key] / units
        shortest = {("codex", "SessionEnd"): 1}.get((wiring.agent, own), 60 if wiring.agent == "xbot" else 70)
        assert seconds == shortest
        hooks = protocol_of(wiring.agent).replies.seconds_for_hooks(wired_events(wiring)[own])
        assert hooks <= max(seconds - 5, seconds / 2)  # a hook may take 3 s to end, and it has to be told
    assert {"gemini": 1000, "qwen": 1000}.get(wiring.agent, 1) == (wiring.timeouts or ("", 1))[1]


@pytest.mark.parametrize("wiring", [wiring for wiring in installations() if wiring.shape], ids=lambda each: each.agent)
def test_events_before_a_tool_and_of_a_prompt_are_wired(wiring: Installation):
    canonical = set(wired_events(wiring).values())
    assert {"PreToolUse", "PostToolUse", "UserPromptSubmit", "AgentStop"} <= canonical


def test_no_command_names_a_path_of_this_machine():
    for wiring in installations():
        for own in wired_events(wiring) if wiring.shape else ():
            text = command(wiring, own, ("codex",))
            assert set(re.findall(r"""(?<![\w"/}])/\w[\w/.-]*""", text)) == {"/usr/bin/env", "/bin/sh"}


def test_codex_gets_no_key_that_it_does_not_know():
    for entry in entries(installation_of("codex"), ()).values():
        assert entry.keys() <= {"matcher", "hooks"}
        assert entry["hooks"][0].keys() <= {"type", "command", "timeout"}


def test_what_fails_is_blocked_where_the_agent_can_be_told_so():
    claude, cursor = entries(installation_of("claude"), ()), entries(installation_of("cursor"), ())
    blocking = {own for own, entry in claude.items() if entry["hooks"][0].get("onFailure") == "block"}
    closed = {own for own, entry in cursor.items() if entry.get("failClosed") is True}
    assert blocking == {"PreToolUse", "UserPromptSubmit"}
    assert closed == {"preToolUse", "beforeSubmitPrompt", "beforeTabFileRead"}
