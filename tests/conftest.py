"""What every test of the command line needs: an empty project, a home of its own, and the command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CHECKOUT = Path(__file__).resolve().parent.parent
DEADLINE = 60.0  # seconds for one command; only a hang takes so long


@dataclass(frozen=True)
class Ended:
    """What one command did."""

    code: int
    stdout: str
    stderr: str

    @property
    def document(self) -> Any:
        """stdout as the one JSON document that it is."""
        return json.loads(self.stdout)


@dataclass(frozen=True)
class Project:
    """An empty project and its user's home."""

    path: Path
    home: Path

    def script(self, name: str, text: str, *, mode: int = 0o755, user: bool = False) -> Path:
        """Write an executable file below the project or, with *user*, the home folder."""
        path = (self.home if user else self.path) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return path

    def manifest(self, plugin: str, *, script: str = "", **contributes: Any) -> Path:
        """Write .hookrun/plugins/PLUGIN with its plugin.json and, as hook.sh, the *script* it runs."""
        folder = self.path / ".hookrun/plugins" / plugin
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "hook.sh").write_text(script, encoding="utf-8")
        document = {
            "id": plugin,
            "name": plugin,
            "version": "1.0.0",
            "runtime": "script",
            "entry": "sh hook.sh",
            "permissions": ["*"],
            "contributes": contributes,
        }
        path = folder / "plugin.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return path


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A folder with .git and nothing else, and an empty home beside it."""
    made = Project(path=tmp_path / "project", home=tmp_path / "home")
    (made.path / ".git").mkdir(parents=True)
    made.home.mkdir()
    return made


@pytest.fixture
def user_environment(project: Project, tmp_path: Path) -> dict[str, str]:
    """The environment of somebody whose home, state and runtime folders are the test's own."""
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(project.home),
        "XDG_CONFIG_HOME": str(project.home / ".config"),
        "XDG_STATE_HOME": str(project.home / ".local/state"),
        "XDG_RUNTIME_DIR": str(runtime),
        "PYTHONPATH": str(CHECKOUT),
        "LANG": "C.UTF-8",
    }


@pytest.fixture
def cli(project: Project, user_environment: dict[str, str]) -> Callable[..., Ended]:
    """Run hookrun as a user would, in the project: cli("emit", "pre", "--tool", "Shell")."""

    def run(
        *words: str,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        input: str = "",
    ) -> Ended:
        done = subprocess.run(
            [sys.executable, "-m", "hookrun", *words],
            cwd=cwd or project.path,
            env=user_environment | dict(env or {}),
            input=input,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=DEADLINE,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return run
