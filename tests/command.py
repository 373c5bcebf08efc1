"""The command as tests run it: what it did, and the project and home it runs in."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HOOKRUN = os.path.join(os.path.dirname(sys.executable), "hookrun")  # the installed command
CHECKOUT = Path(__file__).resolve().parent.parent
DEADLINE = 180.0  # seconds for one command: a machine may stand still for a minute, only a hang takes so long


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
