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
    "inspect shlex shutil logging ctypes platformdirs watchfiles sh"
)
EMIT = """
import json, os, sys
from hookrun.cli.door import main
code = main(["emit", "PreToolUse", "--tool", "Shell", "--input", '{"command": "ls"}'])
with open("loaded.json", "w") as file:
    json.dump([code, sorted(sys.modules)], file)
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


def test_yaml_is_imported_for_a_yaml_file(tmp_path: Path):
    assert "yaml" in modules_of_an_emit(tmp_path, "plugin.yaml")


def test_tomllib_is_imported_for_a_table_of_ours(tmp_path: Path):
    (tmp_path / "pyproject.toml").write_text("[tool.hookrun]\n")
    assert "tomllib" in modules_of_an_emit(tmp_path, "plugin.json")


def modules_of_an_emit(project: Path, manifest: str) -> set[str]:
    """Return the names of all modules loaded after an emit that one guard denies, in a fresh interpreter."""
    folder = project / ".hookrun/plugins/cold"
    folder.mkdir(parents=True)
    (folder / manifest).write_text(json.dumps(MANIFEST))  # JSON is YAML
    (folder / "guard.sh").write_text("#!/bin/sh\nexit 2\n")
    (folder / "guard.sh").chmod(0o755)
    environ = {
        "HOME": f"{project}-home",
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(sys.path),
        "HOOKRUN_TRUST": "project",
    }
    # -S: what other packages load at every start of this environment (.pth files) is not ours
    subprocess.run([sys.executable, "-S", "-c", EMIT], cwd=project, env=environ, check=True, timeout=60)
    code, names = json.loads((project / "loaded.json").read_text())
    assert code == 2
    return set(names)
