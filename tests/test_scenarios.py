"""Each folder of scenarios/ is a project, perhaps a home, and commands: what a user sees is the snapshot.

`pytest tests/test_scenarios.py --snapshot-update` writes down what they print now.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from command import DEADLINE, HOOKRUN

SCENARIOS = Path(__file__).parent / "scenarios"


@pytest.mark.parametrize("name", sorted(folder.name for folder in SCENARIOS.iterdir()))
def test_scenario(name, project, user_environment, snapshot):
    for part, place in (("project", project.path), ("home", project.home)):
        if (SCENARIOS / name / part).is_dir():
            shutil.copytree(SCENARIOS / name / part, place, symlinks=True, dirs_exist_ok=True)
    path = f"{os.path.dirname(HOOKRUN)}:{user_environment['PATH']}"
    commands = (SCENARIOS / name / "commands.txt").read_text().splitlines()
    shown = [shown_by(command, project.path, {**user_environment, "PATH": path}) for command in commands]
    assert scrubbed("\n\n".join(shown), project) == snapshot


def shown_by(command, folder, environment):
    """The command, its exit code, stdout and stderr, as one text."""
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
    )
    streams = [f"{name}:\n{text}" for name, text in (("stdout", done.stdout), ("stderr", done.stderr)) if text]
    return "\n".join((f"$ {command}", f"exit {done.returncode}", *streams)).rstrip()


def scrubbed(text, project):
    """*text* without what differs from run to run: folders, durations, ids of events."""
    for folder, name in ((project.path, "PROJECT"), (project.home, "HOME")):
        text = text.replace(str(folder), name).replace(json.dumps(str(folder))[1:-1], name)
    text = re.sub(r" +[\d.]+ ms", " N ms", text)
    text = re.sub(r'"duration_ms": [\d.]+', '"duration_ms": N', text)
    return re.sub(r'"event_id": "\w+"', '"event_id": "ID"', text)
