"""Run the bundled scripts as hookrun would: environment, one line of JSON on standard input, exit code."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPTS = os.path.join(ROOT, "scripts")


class Project:
    """A project folder with a home folder beside it, and the calls that a tool makes in it."""

    def __init__(self, folder: str, home: str) -> None:
        self.folder = folder
        self.home = home
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": home,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CEILING_DIRECTORIES": os.path.dirname(folder),
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@example.com",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@example.com",
        }

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def write(self, name: str, text: str | bytes) -> str:
        """Write a file and return its path."""
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path

    def read(self, name: str) -> str:
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return file.read()

    def git(self, *words: str) -> str:
        command = ["git", "-C", self.folder, *words]
        return subprocess.run(command, env=self.environ, check=True, capture_output=True, text=True).stdout

    def payload(self, tool: str, tool_input: Any, event: str = "PreToolUse", **more: Any) -> dict[str, Any]:
        known = {"event": event, "hook_event_name": event, "tool": tool, "tool_input": tool_input}
        return {**known, "cwd": self.folder, "project_dir": self.folder, "session_id": "s1", **more}

    def shell(self, command: str, name: str = "Shell", **more: Any) -> dict[str, Any]:
        values = {"tool_name": name, "command": command, **more}
        return self.payload("shell", {"command": command}, **values)

    def run(self, script: str, payload: dict[str, Any] | str, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run a bundled script with *payload* on standard input, and the variables that go with it."""
        program = "sh" if script.endswith(".sh") else sys.executable
        text = payload if isinstance(payload, str) else json.dumps(payload) + "\n"
        return subprocess.run(
            [program, os.path.join(SCRIPTS, script)],
            input=text,
            env={**self.environ, **_variables(payload), **environ},
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


def _variables(payload: dict[str, Any] | str) -> dict[str, str]:
    if isinstance(payload, str):
        return {}
    values = {
        "HOOKRUN_EVENT": payload["event"],
        "HOOKRUN_TOOL": payload.get("tool", ""),
        "HOOKRUN_COMMAND": payload.get("command", ""),
        "HOOKRUN_PATHS": "\n".join(payload.get("paths", [])),
        "XBOT_TOOL_NAME": payload.get("tool_name", ""),
        "XBOT_TOOL_INPUT": json.dumps(payload["tool_input"]) if payload.get("tool_input") else "",
        "XBOT_WORK_DIR": payload.get("cwd", ""),
        "XBOT_PROJECT_DIR": payload.get("project_dir", ""),
    }
    return {name: value for name, value in values.items() if value}


@pytest.fixture
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    top = os.path.realpath(tmp_path_factory.mktemp("bundled"))
    for name in ("project", "home"):
        os.mkdir(os.path.join(top, name))
    return Project(os.path.join(top, "project"), os.path.join(top, "home"))


@pytest.fixture(scope="session")
def load() -> Iterator[Callable[[str], ModuleType]]:
    """Load a bundled script as a module; scripts find their neighbours beside themselves."""
    before = sys.dont_write_bytecode
    sys.path.insert(0, SCRIPTS)
    yield _loaded
    sys.path.remove(SCRIPTS)
    sys.dont_write_bytecode = before


def _loaded(name: str) -> ModuleType:
    sys.dont_write_bytecode = True
    if "-" not in name:
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), os.path.join(SCRIPTS, f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
