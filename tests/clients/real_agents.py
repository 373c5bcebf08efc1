"""A real agent as tests drive it: its steps, its run in a project, and what the model was told."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scripted_model import tool_results

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from command import Ended, Project
    from scripted_model import Step

DRIVE = Path(__file__).with_name("drive.py")
DEADLINE = 90.0  # seconds for one run; only a hang takes so long
BYPASS = "--dangerously-bypass-hook-trust"  # Codex: as if the user had approved the hooks in /hooks


@dataclass(frozen=True)
class Run:
    """What one run of an agent did; ``requests`` is all that the model was asked."""

    code: int | None
    output: str
    requests: list[dict[str, Any]]

    @property
    def tool_results(self) -> list[str]:
        """What the model got back for each call of a tool."""
        found = [results for request in self.requests if (results := tool_results(request))]
        return ["\n".join(_texts(result)) for result in found[-1]] if found else []

    @property
    def told(self) -> str:
        """Every text that the model was ever sent."""
        return "\n".join(_texts(self.requests))


@dataclass(frozen=True)
class Agent:
    """Codex CLI, Gemini CLI or Claude Code in a project and a home of the test's own."""

    name: str
    program: Path
    project: Project
    cli: Callable[..., Ended]
    environment: Mapping[str, str]

    def install(self, *words: str) -> None:
        """Put the bridge into the agent's settings, and trust the hooks of the project."""
        self.hookrun("install", self.name, *words)
        self.hookrun("trust", "--yes")

    def hookrun(self, *words: str) -> Ended:
        """Run a hookrun command that has to succeed."""
        ended = self.cli(*words)
        assert ended.code == 0, ended
        return ended

    def run(
        self,
        *steps: Step,
        prompt: str = "go",
        env: Mapping[str, str] | None = None,
        options: tuple[str, ...] | None = None,
    ) -> Run:
        """Let the model take *steps*; once in a test, for a second Codex in one home hangs."""
        job = {
            "agent": self.name,
            "program": str(self.program),
            "project": str(self.project.path),
            "home": str(self.project.home),
            "prompt": prompt,
            "steps": [*steps, {"say": "done"}],
            "deadline": DEADLINE,
            "options": ([BYPASS] if self.name == "codex" else []) if options is None else options,
        }
        done = subprocess.run(
            [*_alone(), sys.executable, str(DRIVE)],
            env={**self.environment, "NO_COLOR": "1", **(env or {})},
            input=json.dumps(job),
            capture_output=True,
            text=True,
            timeout=DEADLINE + 30,
        )
        assert done.returncode == 0, done.stderr
        run = Run(**json.loads(done.stdout))
        assert run.code is not None, f"{self.name} did not end: {run.output}"
        return run

    def shell(self, command: str) -> Step:
        """The model runs a command."""
        if self.name == "codex":
            return {"tool": "exec_command", "args": {"cmd": command}}
        if self.name == "claude":
            return {"tool": "Bash", "args": {"command": command, "description": "it"}}
        return {"tool": "run_shell_command", "args": {"command": command}}

    def read(self, path: str) -> Step:
        """The model reads a file; not with Codex, which has no tool for that."""
        tool = {"claude": "Read", "gemini": "read_file"}[self.name]
        return {"tool": tool, "args": {"file_path": self._absolute(path)}}

    def patch(self, line_by_path: Mapping[str, str]) -> Step:
        """Codex makes files of one line with one call."""
        return _patch(*(f"*** Add File: {path}\n+{line}" for path, line in line_by_path.items()))

    def edit(self, path: str, old: str, new: str) -> Step:
        """The model replaces one line of a file by another."""
        if self.name == "codex":
            return _patch(f"*** Update File: {path}", "@@", f"-{old}", f"+{new}")
        texts = {"old_string": old, "new_string": new, "instruction": "edit it"}
        return {"tool": "replace", "args": {"file_path": self._absolute(path), **texts}}

    def write(self, path: str, line: str) -> Step:
        """The model makes a file of one line."""
        if self.name == "codex":
            return self.patch({path: line})
        return {
            "tool": "write_file",
            "args": {"file_path": self._absolute(path), "content": f"{line}\n"},
        }

    def has(self, path: str) -> bool:
        """Whether there is such a file in the project."""
        return (self.project.path / path).exists()

    def text(self, path: str) -> str:
        """The text of a file in the project."""
        return (self.project.path / path).read_text(encoding="utf-8")

    def _absolute(self, path: str) -> str:
        return str(self.project.path / path)


def path_without_hookrun(path: str) -> str:
    """Return *path* less the folders that have a hookrun, and with a node."""
    node = os.path.dirname(shutil.which("node", path=path) or "")
    folders = [folder for folder in path.split(os.pathsep) if not shutil.which("hookrun", path=folder)]
    assert node in folders, f"node and hookrun are in one folder: {node}"
    return os.pathsep.join(folders)


def _patch(*lines: str) -> Step:
    return {"tool": "apply_patch", "args": "\n".join(["*** Begin Patch", *lines, "*** End Patch"])}


def _alone() -> list[str]:
    """Return the words before a command that leave it no network but its own 127.0.0.1; that takes root."""
    if os.geteuid() != 0 or not shutil.which("unshare") or not shutil.which("ip"):
        return []
    return ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)
