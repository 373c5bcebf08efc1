"""The effective configuration: a project may relax a guard only where the user trusts that setting."""

from __future__ import annotations

import json
import os

from hookrun.agents import kinds_of_any
from hookrun.config.config import UNTRUSTED_WORDS, Config, Loosening
from hookrun.config.paths import is_inside
from hookrun.config.reading import read_config
from hookrun.model import constants
from hookrun.model.errors import ConfigError, HookrunError, UsageError
from hookrun.model.values import Problem
from hookrun.sources.discovery import SOURCES, discover
from hookrun.trust import REFERENCE, Trust
from hookrun.trust.trust import LOOSENING_MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.config.project import Project


def require_untrusted_word(word: str) -> None:
    """Raise UsageError unless *word* says what an untrusted guard decides; "" is the configuration's."""
    if word and word not in UNTRUSTED_WORDS:
        raise UsageError(f"unknown on_untrusted {word!r}", where="on_untrusted", hint=", ".join(UNTRUSTED_WORDS))


def effective_config(**arguments: Any) -> tuple[Config, Trust, tuple[Loosening, ...]]:
    """Return the configuration for *arguments* (the arguments of read_config), what is trusted, and all that projects
    loosen, trusted or not.

    What a project loosens without trust has no effect, and a Problem says so. Raises ConfigError.
    """
    arguments = {"known_sources": SOURCES, **arguments}
    config = read_config(**arguments)
    trust = Trust(config)
    units = _units_of_reference(config, trust) if config.trust.startswith(REFERENCE) else {}
    for project, of_project in units.items():
        trust.give(project, of_project)
    loosenings = config.loosenings
    permitted = {(each.path, each.text) for each in config.loosenings if trust.trusts_loosening(each)}
    if permitted:
        config = read_config(**arguments, permitted=permitted)
    in_force = _tools_in_force(config, trust)
    if in_force:
        config = config.replace(tools=in_force | dict(config.tools))
    if config.loosenings:
        kinds = {tool: kind for each in config.loosenings for tool, kind in _new_tools(each).items()}
        problems = tuple(problem for each in config.loosenings for problem in _problems(each, in_force))
        config = config.replace(tools=kinds | dict(config.tools), problems=(*config.problems, *problems))
    return config, trust, loosenings


def _units_of_reference(config: Config, trust: Trust) -> dict[Project, dict[str, Any]]:
    """Return what the commit that HOOKRUN_TRUST names contains, by project, in the form of records.

    Raises ConfigError without git or without that commit: guards could be missing for it.
    """
    found = {}
    projects = {trust.project(level).identities: trust.project(level) for level in config.levels}
    for project in projects.values():
        if not project.git_folder:
            raise ConfigError(
                f"{config.trust} needs git", where=project.top, hint="HOOKRUN_TRUST=project trusts what is there"
            )
        found[project] = _units_of_commit(config, project)
    return found


def _units_of_commit(config: Config, project: Project) -> dict[str, Any]:
    from shutil import rmtree

    from hookrun.config.files import make_private
    from hookrun.config.git import export_commit
    from hookrun.trust.reading import digest_of
    from hookrun.trust.records import Unit, add_unit
    from hookrun.trust.trust import loosening_name
    from hookrun.trust.units import read_units

    folder = os.path.join(config.runtime_folder, f"run-{os.urandom(8).hex()}")
    make_private(config.runtime_folder)
    os.mkdir(folder, 0o700)
    try:
        export_commit(project.top, config.trust.removeprefix(REFERENCE), folder, config.environ)
        inner = [os.path.relpath(level, project.top) for level in config.levels if is_inside(level, project.top)]
        cwd = os.path.normpath(os.path.join(folder, inner[-1]))
        own = read_config(cwd=cwd, environ=config.environ, project=folder, trust="")
        own_trust = Trust(own)
        own_project = own_trust.project(folder)
        units: dict[str, Any] = {}
        hooks = [hook for hook in discover(own).hooks if hook.level == constants.PROJECT]
        for read in read_units(hooks, own_trust, lambda _: None):
            add_unit(units, read.unit.replace(in_git=True), read.project)
        for each in own.loosenings:
            name = loosening_name(each, own_project)
            unit = Unit(name=name, hooks=(), digests={name: digest_of(each.text.encode())}, place=each.place)
            add_unit(units, unit, own_project)
        return units
    except HookrunError as error:
        raise ConfigError(error.message, where=error.where, hint=error.hint) from None
    finally:
        rmtree(folder, ignore_errors=True)


def _tools_in_force(config: Config, trust: Trust) -> dict[str, Any]:
    """Return what trusted configuration said last about tools that no agent is known to have. It stays in force
    when the file changes or is removed: guards would not be asked about these tools any more."""
    in_force: dict[str, Any] = {}
    for level in config.levels:
        project = trust.project(level)
        units = trust.units(project)
        for name, unit in units.items() if isinstance(units, dict) else ():
            is_here = os.path.normpath(os.path.join(project.top, unit["level"])) == level
            if is_here and name.endswith(LOOSENING_MARK) and unit["texts"]:
                text = trust.memory.text_of(unit["texts"][-1]["files"].get(name, ""))
                in_force |= _tools_not_known(json.loads(text).get("tools", {})) if text else {}
    return in_force


def _new_tools(loosening: Loosening) -> Mapping[str, Any]:
    """Return what it says about tools that no agent is known to have: that can only add guards."""
    return _tools_not_known(loosening.values.get("tools", {}))


def _tools_not_known(tools: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(tool): kind for tool, kind in tools.items() if not kinds_of_any(str(tool))}


def _problems(loosening: Loosening, in_force: Mapping[str, Any]) -> list[Problem]:
    """Return a Problem for each key without effect; *in_force* is what counts of tools instead."""
    new = _new_tools(loosening)
    counts = {"tools": all(in_force.get(tool, kind) == kind for tool, kind in new.items())}
    without_effect = [key for key in loosening.values if not counts.get(key) or len(new) < len(loosening.values[key])]
    return [
        Problem(
            message="loosens what guards do, and has no effect until it is trusted",
            source=loosening.path,
            where=key,
            hint="look at it, then `hookrun trust`",
        )
        for key in without_effect
    ]
