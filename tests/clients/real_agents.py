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
# These hand the reason of a deny to the model and go on; with Cline a deny ends the run.
GO_ON = ["codex", "gemini", "qwen", "copilot"]
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
    """One of the agents of drive.py in a project and a home of the test's own."""

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
        calls_by_agent: dict[str, tuple[str, dict[str, Any]]] = {
            "claude": ("Bash", {"command": command, "description": "it"}),
            "cline": ("run_commands", {"commands": [command]}),
            "codex": ("exec_command", {"cmd": command}),
            "copilot": ("bash", {"command": command, "description": "it"}),
            "qwen": ("run_shell_command", {"command": command, "is_background": False}),
        }
        return _call(*calls_by_agent.get(self.name, ("run_shell_command", {"command": command})))

    def read(self, path: str) -> Step:
        """The model reads a file; not with Codex, which has no tool for that."""
        file = self._absolute(path)
        calls_by_agent: dict[str, tuple[str, dict[str, Any]]] = {
            "claude": ("Read", {"file_path": file}),
            "cline": ("read_files", {"files": [{"path": file}]}),
            "copilot": ("view", {"path": file}),
        }
        return _call(*calls_by_agent.get(self.name, ("read_file", {"file_path": file})))

    def patch(self, line_by_path: Mapping[str, str]) -> Step:
        """Codex makes files of one line with one call."""
        return _patch(*(f"*** Add File: {path}\n+{line}" for path, line in line_by_path.items()))

    def edit(self, path: str, old: str, new: str) -> Step:
        """The model replaces one line of a file by another."""
        if self.name == "codex":
            return _patch(f"*** Update File: {path}", "@@", f"-{old}", f"+{new}")
        file = self._absolute(path)
        texts = {"old_string": old, "new_string": new}
        calls_by_agent: dict[str, tuple[str, dict[str, Any]]] = {
            "cline": ("editor", {"path": file, "old_text": old, "new_text": new}),
            "copilot": ("edit", {"path": file, "old_str": old, "new_str": new}),
            "gemini": ("replace", {"file_path": file, **texts, "instruction": "edit it"}),
            "qwen": ("edit", {"file_path": file, **texts}),
        }
        return _call(*calls_by_agent[self.name])

    def write(self, path: str, line: str) -> Step:
        """The model makes a file of one line."""
        if self.name == "codex":
            return self.patch({path: line})
        file, text = self._absolute(path), f"{line}\n"
        calls_by_agent: dict[str, tuple[str, dict[str, Any]]] = {
            "claude": ("Write", {"file_path": file, "content": text}),
            "cline": ("editor", {"path": file, "new_text": text}),
            "copilot": ("create", {"path": file, "file_text": text}),
        }
        return _call(*calls_by_agent.get(self.name, ("write_file", {"file_path": file, "content": text})))

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


def _call(tool: str, args: dict[str, Any]) -> Step:
    return {"tool": tool, "args": args}


def _patch(*lines: str) -> Step:
    return {"tool": "apply_patch", "args": "\n".join(["*** Begin Patch", *lines, "*** End Patch"])}


def _alone() -> list[str]:
    """Return the words before a command that leave it no network but its own 127.0.0.1; that takes root."""
    if os.geteuid() != 0 or not shutil.which("unshare") or not shutil.which("ip"):
        return []
    # Nothing outlives the run, as a daemon of Cline would.
    processes = ["--pid", "--fork", "--kill-child", "--mount-proc"]
    return ["unshare", "--net", *processes, "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)
