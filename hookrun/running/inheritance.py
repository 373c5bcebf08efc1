"""The caller's variables -> those that a hook inherits: what its lists pass, and nothing that has it load
files of a project unseen."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence

from hookrun.config.config import Config
from hookrun.config.files import make_private
from hookrun.config.paths import fixed_folders
from hookrun.model import constants
from hookrun.model.frozen import Frozen
from hookrun.model.values import Hook, Problem
from hookrun.running.loaders import FUNCTIONS, is_in_project, without_loaders

NOWHERE = "/dev/null/pycache"  # where nothing can be read, and nobody can put anything


class Inherited(Frozen):
    """What a hook inherits, the bytes left for our own variables, and what had to be left out."""

    variables: dict[str, str]
    room: int
    problems: tuple[Problem, ...]


_last: tuple[Config | None, dict[tuple[object, ...], Inherited]] = (None, {})


def inherited_by(hook: Hook, config: Config) -> Inherited:
    """Return what *hook* inherits of the environment of *config*, without anything of our own.

    The answers are kept: a runner asks with the same configuration at every event.
    """
    global _last
    known = _last
    if known[0] is not config:
        known = _last = (config, {})
    key = (hook.env, hook.level == constants.PROJECT)
    found = known[1].get(key)
    if found is None:
        found = known[1][key] = _inherited(config, pass_lists(hook, config))
    return found


def pass_lists(hook: Hook, config: Config) -> list[tuple[str, ...]]:
    """Return the lists of variables that *hook* is bound by; none when it inherits everything.

    A project's configuration takes nothing away from the user's own hooks: a guard would be off without
    what tells it to be on. A module shares its process with others, and only the user's lists bind that.
    """
    if hook.kind == constants.MODULE:
        return users_lists(config)
    lists = users_lists(config)
    if hook.level == constants.PROJECT:
        lists = [patterns for patterns, _ in config.env]
    return lists if hook.env is None else [*lists, hook.env]


def users_lists(config: Config) -> list[tuple[str, ...]]:
    """Return the lists of the user's own configuration."""
    return [patterns for patterns, level in config.env if level == constants.USER]


def module_environment(config: Config) -> dict[str, str]:
    """Return the environment of what modules start: as hooks have it, and with our own variables."""
    kept = _kept(config.environ, users_lists(config))
    without_loaders(kept, config)
    ours = {name: text for name, text in config.environ.items() if name.startswith(constants.OUR_PREFIXES)}
    return with_safe_path(_with_bytecode_folder(kept, config)) | ours


def names_passed(variables: Iterable[str], lists: Sequence[Sequence[str]]) -> list[str]:
    """Return those of the names in *variables* that every one of *lists* passes: a list can only restrict."""
    from hookrun.matching.matchers import glob
    from hookrun.model.text import ALWAYS_PASSED

    tests = [[glob(pattern) for pattern in (*ALWAYS_PASSED, *patterns)] for patterns in lists]
    return [name for name in variables if all(any(test(name) for test in each) for each in tests)]


def with_safe_path(environ: dict[str, str]) -> dict[str, str]:
    """Return *environ* with no folder in its PATH that depends on where an agent happens to be.

    Else what lies in a project could be the interpreter that judges it. An empty entry is the folder at hand.
    """
    path = environ.get("PATH")
    if path is None:
        return environ
    return {**environ, "PATH": os.pathsep.join(fixed_folders(path)) or os.defpath}


def _inherited(config: Config, lists: Sequence[Sequence[str]]) -> Inherited:
    caller = config.environ
    kept = _kept(caller, lists)
    if caller.get(constants.ENV_RUN):  # what this hookrun is a hook of can find our hooks as well
        kept[constants.ENV_RUN] = caller[constants.ENV_RUN]
    problems = without_loaders(kept, config)
    kept = with_safe_path(_with_bytecode_folder(kept, config))
    problems += _relative_folders(caller, kept)
    return Inherited(variables=kept, room=_room(kept), problems=tuple(problems))


def _kept(caller: Mapping[str, str], lists: Sequence[Sequence[str]]) -> dict[str, str]:
    prefixes = (FUNCTIONS, *constants.OUR_PREFIXES)
    kept = {name: value for name, value in caller.items() if not name.startswith(prefixes)}
    return {name: kept[name] for name in names_passed(kept, lists)} if lists else kept


def _with_bytecode_folder(variables: dict[str, str], config: Config) -> dict[str, str]:
    """Have Python keep compiled modules with us: no `__pycache__` of a project is written or read."""
    state = config.state_folder
    if state and not is_in_project(state, config) and _is_private(state):
        variables["PYTHONPYCACHEPREFIX"] = os.path.join(state, constants.BYTECODE)
    else:
        variables["PYTHONPYCACHEPREFIX"] = NOWHERE
        variables["PYTHONDONTWRITEBYTECODE"] = "1"
    return variables


def _is_private(folder: str) -> bool:
    """Say whether nobody else can put files into *folder*, which is made when it is missing."""
    try:
        found = os.stat(folder)
    except FileNotFoundError:
        try:
            make_private(folder)
        except OSError:
            return False
        return True
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022


def _relative_folders(caller: Mapping[str, str], inherited: Mapping[str, str]) -> list[Problem]:
    path = caller.get("PATH")
    if path is None or path == inherited["PATH"]:
        return []
    fixed = fixed_folders(path)
    relative = [folder for folder in path.split(os.pathsep) if folder not in fixed]
    shown = ", ".join(dict.fromkeys(folder or "an empty entry" for folder in relative))
    what = "that are not absolute, or are another for each process"
    message = f"PATH has folders {what}, and hooks run without them: {shown}"
    hint = "write them in full, or leave them out"
    return [Problem(message=message, source="environment", where="PATH", hint=hint)]


def _room(environment: Mapping[str, str]) -> int:
    """Return the bytes left for our variables: the system counts pointers and arguments as well."""
    try:
        whole = os.sysconf("SC_ARG_MAX")
    except (OSError, ValueError):
        whole = 2 * constants.MIB
    taken = sum(len(name) + len(value) + 10 for name, value in environment.items())
    return max(0, min(whole, 6 * constants.MIB) - taken - 64 * constants.KIB)
