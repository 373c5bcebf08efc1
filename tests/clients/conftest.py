"""Tests in real agents: only where HOOKRUN_CLIENTS names the folder that npm has put them into.

`nox -s clients` sees to that; without it nothing here is collected, and pytest says that it ran no tests.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from command import HOOKRUN
from real_agents import Agent

if TYPE_CHECKING:
    from collections.abc import Callable

    from command import Ended, Project

CLIENTS = os.environ.get("HOOKRUN_CLIENTS", "")
NEW_NODE = ("copilot", "qwen")  # they want a newer node than many machines have

collect_ignore_glob = [] if CLIENTS else ["test_*.py"]


@pytest.fixture
def agent(agent_name: str, project: Project, user_environment: dict[str, str], cli: Callable[..., Ended]) -> Agent:
    """A real agent with nothing installed yet."""
    program = _program(agent_name)
    folders = [os.path.dirname(HOOKRUN), user_environment["PATH"]]
    if agent_name in NEW_NODE:
        folders.insert(0, str(_program("node").resolve().parent))
    user_environment["PATH"] = os.pathsep.join(folders)
    user_environment.pop("HOOKRUN_TRUST", None)  # a bridge does not heed it
    return Agent(agent_name, program, project, cli, user_environment)


@pytest.fixture(params=["codex", "gemini"])
def agent_name(request: pytest.FixtureRequest) -> str:
    """Which agent; a test of other agents says so by a parameter of its own."""
    return str(request.param)


def _program(name: str) -> Path:
    paths = [Path(CLIENTS, folder, "node_modules/.bin", name).absolute() for folder in ("", name)]
    program = next((path for path in paths if path.exists()), None)
    assert program, f"{paths[0]} is missing: HOOKRUN_CLIENTS names a folder without it"
    return program
