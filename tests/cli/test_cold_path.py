"""What a cold emit leaves alone: an agent waits for every import, twice at each tool call."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

HEAVY = (
    "typing dataclasses subprocess yaml tomllib typer sqlite3 tempfile pathlib contextlib asyncio "
    "inspect shlex shutil logging ctypes platformdirs watchfiles sh "
    "hookrun.events.patches hookrun.pipeline.file_by_file"
)
EMIT = """
import json, os, sys
from hookrun.cli.main import main
code = main(["emit", "PreToolUse", "--tool", "Shell", "--input", '{"command": "ls"}'])
with open("loaded.json", "w") as file:
    json.dump([code, sorted(sys.modules)], file)
"""
BRIDGE = """
import json, os, sys
from hookrun.cli.main import main
told = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {}}
read, write = os.pipe()
os.write(write, json.dumps(told).encode())
os.close(write)
os.dup2(read, 0)
os.dup2(os.open("answer", os.O_CREAT | os.O_WRONLY), 1)
code = main(["bridge", "claude"])
with open("answer") as answer, open("loaded.json", "w") as file:
    json.dump([2 if "deny" in answer.read() else code, sorted(sys.modules)], file)
"""
MANIFEST = {
    "id": "cold",
    "name": "Cold",
    "version": "1.0.0",
    "runtime": "script",
    "entry": "./guard.sh",
    "permissions": ["hooks.subscribe"],
    "contributes": {"hooks": [{"event": "PreToolUse", "matcher": "Shell"}]},
}


@pytest.mark.skipif(sys.platform == "darwin", reason="platformdirs is asked there, and brings typing")
def test_a_cold_emit_imports_nothing_heavy(tmp_path: Path):
    assert modules_of_an_emit(tmp_path, "plugin.json").isdisjoint(HEAVY.split())


@pytest.mark.skipif(sys.platform == "darwin", reason="platformdirs is asked there, and brings typing")
def test_a_cold_bridge_imports_nothing_heavy_and_one_agent(tmp_path: Path):
    loaded = modules_of_an_emit(tmp_path, "plugin.json", BRIDGE)
    assert loaded.isdisjoint(HEAVY.split())
    assert [name for name in loaded if name.endswith(".protocol")] == ["hookrun.agents.claude.protocol"]


@pytest.mark.skipif(sys.platform == "darwin", reason="platformdirs is asked there, and brings typing")
def test_settings_of_agents_import_nothing_heavy_either(tmp_path: Path):
    guard = {"type": "command", "command": "exit 2", "if": "Bash(ls *)", "timeout": 5}
    settings = {"hooks": {"PreToolUse": [{"matcher": "^Ba|Edit$", "hooks": [guard]}]}}
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text(json.dumps(settings))
    loaded = modules_of_an_emit(tmp_path, "plugin.json")
    assert "hookrun.agents.claude.protocol" in loaded
    assert loaded.isdisjoint(HEAVY.split())


def test_settings_of_agents_cost_nothing_where_there_are_none(tmp_path: Path):
    loaded = modules_of_an_emit(tmp_path, "plugin.json")
    theirs = ("hookrun.sources.agent_settings", "hookrun.answers.agent", "hookrun.matching.")
    assert [name for name in loaded if name.startswith(theirs)] == ["hookrun.matching.matchers"]


def test_yaml_is_imported_for_a_yaml_file(tmp_path: Path):
    assert "yaml" in modules_of_an_emit(tmp_path, "plugin.yaml")


def test_tomllib_is_imported_for_a_table_of_ours(tmp_path: Path):
    (tmp_path / "pyproject.toml").write_text("[tool.hookrun]\n")
    assert "tomllib" in modules_of_an_emit(tmp_path, "plugin.json")


def modules_of_an_emit(project: Path, manifest: str, program: str = EMIT) -> set[str]:
    """Return the names of all modules loaded after an emit that a trusted guard denies, in a fresh Python."""
    folder = project / ".hookrun/plugins/cold"
    folder.mkdir(parents=True)
    (folder / manifest).write_text(json.dumps(MANIFEST))  # JSON is YAML
    (folder / "guard.sh").write_text("#!/bin/sh\nexit 2\n")
    (folder / "guard.sh").chmod(0o755)
    environ = {"HOME": f"{project}-home", "PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}
    trusts = [sys.executable, "-m", "hookrun", "trust", "--yes"]
    subprocess.run(trusts, cwd=project, env=environ, check=True, timeout=60, stdout=subprocess.DEVNULL)
    # -S: what other packages load at every start of this environment (.pth files) is not ours
    subprocess.run([sys.executable, "-S", "-c", program], cwd=project, env=environ, check=True, timeout=60)
    code, names = json.loads((project / "loaded.json").read_text())
    assert code == 2
    return set(names)
