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

collect_ignore_glob = [] if CLIENTS else ["test_*.py"]


@pytest.fixture
def agent(
    agent_name: str, project: Project, user_environment: dict[str, str], cli: Callable[..., Ended]
) -> Agent:
    """A real agent with nothing installed yet."""
    programs = [
        Path(CLIENTS, folder, "node_modules/.bin", agent_name).absolute() for folder in ("", agent_name)
    ]
    program = next((path for path in programs if path.exists()), None)
    assert program, f"{programs[0]} is missing: HOOKRUN_CLIENTS names a folder without it"
    user_environment["PATH"] = os.pathsep.join([os.path.dirname(HOOKRUN), user_environment["PATH"]])
    user_environment.pop("HOOKRUN_TRUST", None)  # a bridge does not heed it
    return Agent(agent_name, program, project, cli, user_environment)


@pytest.fixture(params=["codex", "gemini"])
def agent_name(request: pytest.FixtureRequest) -> str:
    """Which agent; a test of one alone says so by a parameter of its own."""
    return str(request.param)
