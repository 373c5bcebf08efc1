"""What every test of the command line needs: an empty project, a home of its own, and the command."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

import forked
import pytest
from command import Ended, Project
from hypothesis import settings

from hookrun import HookAPI, HookRunner
from hookrun.modules.importing import PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

# The same examples every time, on machines however slow; `nox -s fuzz` is for those that nobody thought of.
settings.register_profile("hookrun", derandomize=True, deadline=None, database=None)
settings.load_profile("hookrun")

# As in an activated environment, `python3` is the Python that runs the tests: many scripts here begin with
# `#!/usr/bin/env python3`, and where that is a version manager's shim, each start of one first runs a shell
# that looks for the version (0.1 s of CPU).
_PROGRAMS = os.path.dirname(sys.executable)
if not os.environ.get("PATH", "").startswith(_PROGRAMS + os.pathsep):  # a worker of xdist has it already
    os.environ["PATH"] = _PROGRAMS + os.pathsep + os.environ.get("PATH", os.defpath)

# Who runs the tests in the background (nohup, `&` in a script) has these ignored, and so would all commands.
for _signal in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
    if signal.getsignal(_signal) == signal.SIG_IGN:
        signal.signal(_signal, signal.default_int_handler if _signal == signal.SIGINT else signal.SIG_DFL)


def pytest_xdist_auto_num_workers() -> int:
    """Have one worker more than processors for `-n auto`: many tests wait for a time-out to pass."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(autouse=True)
def no_module_outlives_its_test() -> Iterator[None]:
    """Take what a test has loaded out of sys.modules: hypothesis reads the file of every module that is
    there, and some tests leave a pipe in its place, which it would read for ever."""
    yield
    for name in [name for name in sys.modules if name.startswith(PREFIX)]:
        del sys.modules[name]


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
        "LANG": "C.UTF-8",
        "HOOKRUN_TRUST": "project",  # tests of trust take it out
    }


@pytest.fixture
def untrusting(user_environment: dict[str, str]) -> dict[str, str]:
    """The environment of somebody who has trusted nothing yet; `cli` runs in it as well."""
    del user_environment["HOOKRUN_TRUST"]
    return user_environment


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --installed: it costs twice the time, and shows that a fork hides nothing."""
    parser.addoption("--installed", action="store_true", help="start the installed command for each call of `cli`")


def pytest_configure(config: pytest.Config) -> None:
    """Heed --installed."""
    forked.use_forks(is_on=not config.getoption("--installed"))


def pytest_unconfigure() -> None:
    """End the process that commands are forked from."""
    forked.close()


@pytest.fixture
def cli(project: Project, user_environment: dict[str, str]) -> Callable[..., Ended]:
    """Run hookrun as a user would, in the project: cli("emit", "pre", "--tool", "Shell")."""

    def run(
        *words: str, cwd: str | os.PathLike[str] | None = None, env: Mapping[str, str] | None = None, input: str = ""
    ) -> Ended:
        return forked.hookrun(words, cwd=cwd or project.path, env=user_environment | dict(env or {}), input=input)

    return run


@pytest.fixture
def runner(project: Project, user_environment: dict[str, str]) -> Iterator[HookRunner]:
    """A runner of the project as it is now, without a hook."""
    with HookRunner.discover(project.path, env=user_environment) as made:
        yield made


@pytest.fixture
def api(runner: HookRunner) -> HookAPI:
    """What a module's ``hook(api)`` gets, for handlers that a test itself defines."""
    modules = runner.modules
    return HookAPI(modules.program, modules.setting.host, project_dir=modules.setting.project_dir, run=modules.exec)
