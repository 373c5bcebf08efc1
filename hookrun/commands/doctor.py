"""The set-up as it is: folders, programs, sources, and every hook that cannot start. Runs no hook."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from hookrun import __version__
from hookrun.commands.validate.check import lint
from hookrun.commands.validate.settings_keys import SWITCHED_OFF
from hookrun.commands.validate.states import find_states
from hookrun.config.config import Config
from hookrun.config.paths import PROJECT_MARKS, is_inside
from hookrun.install import Bridge, InstallPlace, bridge_document, find_bridges
from hookrun.model import constants
from hookrun.model.frozen import Frozen
from hookrun.model.text import looks_secret, without_secrets
from hookrun.model.values import Hook, Problem
from hookrun.programs.command import Launch, Obstacle, program_path
from hookrun.programs.shebang import program_after_env, read_beginning
from hookrun.runner import HookRunner
from hookrun.running.inheritance import pass_lists
from hookrun.sources.registry import Entry

ENVIRONMENT = ("HOME", "NO_COLOR", "PATH", "TMPDIR", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME")


class Folder(Frozen):
    """A folder that hookrun writes to, and in words whether it can; ``is_usable`` says the same."""

    path: str
    condition: str
    is_usable: bool = True


class SourceCount(Frozen):
    """What one source contributed at one level."""

    source: str
    level: str
    hooks: int
    in_force: int


class Inheritance(Frozen):
    """The titles of the hooks in force that inherit every variable, and of those that a list binds."""

    everything: tuple[str, ...]
    listed: tuple[str, ...]


class Checkup(Frozen):
    """Everything that `hookrun doctor` tells: the set-up, and among ``problems`` all that `validate` finds.
    ``root_reason`` says why the project's root is the root."""

    config: Config
    root_reason: str
    state: Folder
    runtime: Folder
    environment: Mapping[str, str]
    inheritance: Inheritance
    programs: tuple[ProgramFound, ...]
    bridges: tuple[Bridge, ...]
    sources: tuple[SourceCount, ...]
    skipped_by_source: Mapping[str, int]
    problems: tuple[Problem, ...]

    @property
    def is_well(self) -> bool:
        """Whether nothing is an error; warnings may be there."""
        return all(problem.level != "error" for problem in self.problems)


def check_up(runner: HookRunner, *, root_was_given: bool = False) -> Checkup:
    """Look at everything that *runner* stands on; *root_was_given* says that a person named the root."""
    config = runner.config
    launches = [(hook, runner.launch(hook)) for hook in runner.loaded.registry.in_force]
    state = _folder(config.state_folder, "hints and widgets")
    runtime = _folder(config.runtime_folder, "values too long for a variable")
    place = InstallPlace(root=config.root, home=config.home, environ=config.environ)
    bridges, bridge_problems = find_bridges(place, config.limits.event_seconds)
    told = set(runner.loaded.problems)  # among the findings, with their lines
    problems = [
        *(problem for problem in runner.problems if problem not in told),
        *(_folder_problem(folder) for folder in (state, runtime) if not folder.is_usable),
        *_found_by_lint(runner, {os.path.dirname(bridge.file) for bridge in bridges if bridge_problems}),
        *bridge_problems,
    ]
    return Checkup(
        config=config,
        root_reason="given with --project" if root_was_given else _root_reason(config),
        state=state,
        runtime=runtime,
        environment=_environment(config.environ),
        inheritance=_inheritance(runner),
        programs=find_programs(launches, config.environ.get("PATH", os.defpath)),
        bridges=bridges,
        sources=_sources(find_states(runner).entries),
        skipped_by_source=_skipped_by_source(runner),
        problems=tuple(dict.fromkeys(problems)),
    )


def checkup_document(checkup: Checkup) -> dict[str, Any]:
    """Return the checkup as one JSON-ready mapping."""
    config = checkup.config
    return {
        "version": __version__,
        "python": {"version": sys.version.split()[0], "executable": sys.executable},
        "platform": sys.platform,
        "cwd": config.cwd,
        "project": {"root": config.root, "reason": checkup.root_reason, "levels": list(config.levels)},
        "configuration": list(config.files),
        "user_folder": config.user_folder or None,
        "state_folder": checkup.state.as_dict(),
        "runtime_folder": checkup.runtime.as_dict(),
        "environment": dict(checkup.environment),
        "inheritance": {name: list(titles) for name, titles in checkup.inheritance.as_dict().items()},
        "programs": [
            {"name": found.name, "path": found.path or None, "needed_by": list(found.needed_by)}
            for found in checkup.programs
        ],
        "bridges": [bridge_document(bridge) for bridge in checkup.bridges],
        "sources": [source.as_dict() for source in checkup.sources],
        "skipped": dict(checkup.skipped_by_source),
        "problems": [problem.document() for problem in checkup.problems],
        "is_well": checkup.is_well,
    }


def _folder(path: str, holds: str) -> Folder:
    """Say in words whether *path* can be used; it is made when it is needed, never here."""
    if not path:
        return Folder(path="", condition=f"no home folder: {holds} are not stored", is_usable=False)
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return _missing_folder(path)
    except OSError as error:
        return Folder(path=path, condition=f"cannot be read: {error.strerror}", is_usable=False)
    if not stat.S_ISDIR(found.st_mode):
        return Folder(path=path, condition="is not a folder", is_usable=False)
    if found.st_uid != os.geteuid():
        return Folder(path=path, condition="belongs to another user", is_usable=False)
    if not os.access(path, os.W_OK | os.X_OK):
        return Folder(path=path, condition="cannot be written", is_usable=False)
    others = found.st_mode & 0o077
    return Folder(path=path, condition="writable, open to others until first use" if others else "writable, private")


def _missing_folder(path: str) -> Folder:
    above = os.path.dirname(path)
    while not os.path.lexists(above) and above != os.path.dirname(above):
        above = os.path.dirname(above)
    if os.path.isdir(above) and os.access(above, os.W_OK | os.X_OK):
        return Folder(path=path, condition="does not exist yet, created when needed")
    return Folder(path=path, condition=f"cannot be created in {above}", is_usable=False)


def _folder_problem(folder: Folder) -> Problem:
    return Problem(
        message=folder.condition,
        level="error",
        source=folder.path,
        hint="set XDG_STATE_HOME and XDG_RUNTIME_DIR to folders of your own, or make this one writable",
    )


def _found_by_lint(runner: HookRunner, bridged: Collection[str]) -> Iterator[Problem]:
    """Yield all that `validate` finds; what costs a whole hook with its title. That settings are switched off
    is left to the bridge in one of the folders *bridged*, whose problem says more."""
    title_by_id = {entry.hook.id: entry.hook.title for entry in runner.loaded.registry.entries}
    for finding in lint(runner).findings:
        if os.path.dirname(finding.file) in bridged and finding.message.startswith(SWITCHED_OFF):
            continue
        title = title_by_id.get(finding.hook, "") if finding.state else ""
        place = finding.where or (f"line {finding.line}" if finding.line else "")
        yield Problem(
            message=f"{title} {finding.message}" if title else finding.message,
            level=finding.level,
            source=finding.file,
            where="" if title else place,
            hint=finding.hint,
        )


def _root_reason(config: Config) -> str:
    home = os.path.realpath(config.home) if config.home else ""
    marks = (".git",) if home and is_inside(home, config.root) else (".git", *PROJECT_MARKS)
    for mark in marks:
        if os.path.exists(os.path.join(config.root, mark)):
            return f"it has {mark}"
    return "no folder at or above the working directory has .git or hooks"


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that change what hookrun does; what looks like a key keeps its value to itself."""
    relevant = {
        name: value
        for name, value in environ.items()
        if name in ENVIRONMENT or name.startswith((*constants.OUR_PREFIXES, "CLAUDE", "CODEX", "GEMINI"))
    }
    return {name: _without_secret(name, relevant[name]) for name in sorted(relevant)}


def _without_secret(name: str, value: str) -> str:
    return "(set)" if looks_secret(name) else without_secrets(value)


def _inheritance(runner: HookRunner) -> Inheritance:
    hooks = [hook for hook in runner.loaded.registry.in_force if hook.program.words]
    listed = [hook for hook in hooks if pass_lists(hook, runner.config)]
    return Inheritance(
        everything=tuple(hook.title for hook in hooks if hook not in listed),
        listed=tuple(hook.title for hook in listed),
    )


def _sources(entries: Iterable[Entry]) -> tuple[SourceCount, ...]:
    counts: dict[tuple[str, str], list[int]] = {}
    for entry in entries:
        count = counts.setdefault((entry.hook.source, entry.hook.level), [0, 0])
        count[0] += 1
        count[1] += entry.state == constants.IN_FORCE
    return tuple(
        SourceCount(source=source, level=level, hooks=hooks, in_force=in_force)
        for (source, level), (hooks, in_force) in counts.items()
    )


def _skipped_by_source(runner: HookRunner) -> dict[str, int]:
    skipped: dict[str, int] = {}
    for skip in runner.loaded.skips:
        skipped[skip.source] = skipped.get(skip.source, 0) + 1
    return skipped


USUAL_PROGRAMS = ("bash", "sh", "python3", "node", "jq", "git")


class ProgramFound(Frozen):
    """A program: its path, "" when there is none, and the titles of the hooks that need it."""

    name: str
    path: str
    needed_by: tuple[str, ...] = ()


def find_programs(launches: Iterable[tuple[Hook, Launch | Obstacle]], path: str) -> tuple[ProgramFound, ...]:
    """Return the usual programs and all that the hooks need, looked for in the folders of *path*."""
    titles_by_program: dict[str, list[str]] = {name: [] for name in USUAL_PROGRAMS}
    for hook, found in launches:
        for program in dict.fromkeys([*hook.program.needs, _started_by(hook, found)]):
            if program:
                titles_by_program.setdefault(program, []).append(hook.title)
    return tuple(
        ProgramFound(name=program, path=program_path(program, path), needed_by=tuple(titles))
        for program, titles in titles_by_program.items()
    )


def _started_by(hook: Hook, found: Launch | Obstacle) -> str:
    """Return the name of the program that runs *hook*, "" when it is a program of its own, or a module."""
    if hook.kind == constants.MODULE:
        return ""
    if not isinstance(found, Obstacle) and found.interpreter:
        return os.path.basename(found.interpreter)
    first = next(iter(hook.program.words), "")
    return _shebang_program(first) if "/" in first else without_secrets(first)


def _shebang_program(file: str) -> str:
    try:
        words = read_beginning(file).words
    except OSError:
        return ""
    return os.path.basename(program_after_env(words) or words[0]) if words else ""
