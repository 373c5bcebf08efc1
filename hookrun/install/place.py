"""Where to install: the project or the user, and which agents are there."""

from __future__ import annotations

import os
from collections.abc import Mapping

from hookrun.agents.settings import Installation, installations
from hookrun.config import paths
from hookrun.config.config import environment
from hookrun.model import constants
from hookrun.model.errors import HookrunError, UsageError
from hookrun.model.frozen import Frozen
from hookrun.programs.command import program_path


class InstallPlace(Frozen):
    """A project's root, the user's home ("" when there is none) and the environment of this call."""

    root: str
    home: str
    environ: Mapping[str, str]

    def settings(self, wiring: Installation, level: str) -> str:
        """Return the path of the agent's settings at *level*. Raises HookrunError without a home."""
        if level == constants.PROJECT:
            return os.path.join(self.root, wiring.project)
        if wiring.home_variable:
            variable, below = wiring.home_variable
            if self.environ.get(variable):
                return os.path.abspath(os.path.join(self.environ[variable], below))
        if not self.home:
            raise HookrunError("no home folder for --user", hint="set HOME, or leave out --user")
        return os.path.join(self.home, wiring.user)

    def has_program(self, name: str) -> bool:
        """Say whether a program of that *name* is on PATH."""
        return bool(program_path(name, self.environ.get("PATH", os.defpath)))


def find_place(cwd: str, project: str = "") -> InstallPlace:
    """Return the place for *cwd*; *project* is what a person named. The configuration is not read: it may
    be what is broken. Raises UsageError when *project* is no folder."""
    if project and not os.path.isdir(project):
        raise UsageError(f"{project} is not a directory", where="--project", hint="name a directory that exists")
    environ = environment()
    home = paths.home_folder(environ)
    root = paths.project_root(cwd, given=project, agent_project=paths.project_of_agent(environ), home=home)
    return InstallPlace(root=root, home=home, environ=environ)


def agents_here(place: InstallPlace) -> tuple[str, ...]:
    """Return the agents that have a folder in the project or the home, or a program on PATH."""
    return tuple(wiring.agent for wiring in installations() if _is_here(wiring, place))


def _is_here(wiring: Installation, place: InstallPlace) -> bool:
    folders = [os.path.join(place.root, folder) for folder in wiring.folders]
    if place.home:
        folders += [os.path.join(place.home, folder) for folder in wiring.home_folders]
    return any(map(os.path.isdir, folders)) or any(map(place.has_program, wiring.programs))
