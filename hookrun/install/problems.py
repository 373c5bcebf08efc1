"""What keeps an agent from running the entries that it has. Reads the agent's settings, runs nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from hookrun.agents.answer_format import value_at
from hookrun.agents.settings import Installation
from hookrun.config.documents import read_document
from hookrun.config.files import read_regular
from hookrun.install.entries import is_ours
from hookrun.install.place import InstallPlace
from hookrun.install.settings import entries_in
from hookrun.model import constants
from hookrun.model.errors import DocumentError, HookrunError
from hookrun.model.values import Problem
from hookrun.sources.agent_settings.files import not_loaded


def problems_of(wiring: Installation, place: InstallPlace, level: str) -> tuple[Problem, ...]:
    """Return why *wiring*'s agent will not run the entries that it has at *level*."""
    return (
        *_missing_program(place),
        *(_not_loaded(wiring.agent, place.settings(wiring, level)) if wiring.shape != "executables" else ()),
        *_switched_off(wiring, place, level),
        *_disabled(wiring, place),
        *_missing_keys(wiring, place, level),
    )


def approvals_of(wiring: Installation, place: InstallPlace, level: str) -> dict[str, str]:
    """Return for each event with an entry of ours whether the agent runs it: "approved", "not approved" or
    "switched off". Whether it was approved with just this text only the agent knows.

    Codex keeps that in the user's config.toml, under the file's path, the event in snake case and the
    numbers of group and handler (codex-rs/hooks, read).
    """
    path = place.settings(wiring, level)
    states = _mapping(value_at(_settings(_user_file(wiring, place, wiring.approvals)), "hooks.state"))
    approvals: dict[str, str] = {}
    for entry in entries_in(settings_text(path), path, wiring):
        key = f"{_snake(entry.event)}:{entry.group}:{entry.handler}"
        found = [_mapping(states.get(f"{file}:{key}")) for file in (path, os.path.realpath(path))]
        if any(state.get("enabled") is False for state in found):
            approvals[entry.event] = "switched off"
        else:
            is_approved = any(state.get("trusted_hash") for state in found)
            approvals[entry.event] = "approved" if is_approved else "not approved"
    return approvals


def _missing_program(place: InstallPlace) -> Iterator[Problem]:
    if not place.has_program("hookrun"):
        yield Problem(
            message="hookrun is not on PATH: where a guard may be asked the agent is denied everything",
            hint="install it where the agent's PATH has it, with pipx or uv (docs/install.md)",
        )


def _not_loaded(agent: str, path: str) -> Iterator[Problem]:
    """Yield, as `validate` and `doctor` say it too, that *agent* does not load what hookrun could read."""
    text = settings_text(path)
    problem = not_loaded(agent, path, text) if text.strip() else None
    if problem:
        yield problem


def _switched_off(wiring: Installation, place: InstallPlace, level: str) -> Iterator[Problem]:
    for switch in wiring.switches:
        files = [_user_file(wiring, place, name) for name in switch.user]
        files += [os.path.join(place.root, name) for name in switch.project]
        for path in [place.settings(wiring, level)] if switch.is_of_entries else files:
            if value_at(_settings(path), switch.key) is switch.off:
                yield _ignored(path, switch.key, "hooks are switched off")


def _user_file(wiring: Installation, place: InstallPlace, name: str) -> str:
    """Return the path of a file in the folder of the user's settings, or with a "/" below the home."""
    variable = wiring.home_variable[0] if wiring.home_variable else ""
    if variable and place.environ.get(variable):
        return os.path.join(place.environ[variable], name)
    return os.path.join(place.home, name if "/" in name else os.path.join(os.path.dirname(wiring.user), name))


def _disabled(wiring: Installation, place: InstallPlace) -> Iterator[Problem]:
    for folder, below in ((place.home, wiring.user), (place.root, wiring.project)):
        path = os.path.join(folder, below)
        for key in wiring.disabled_keys:
            disabled = value_at(_settings(path), key)
            for name in disabled if isinstance(disabled, list) else ():
                if name == "hookrun" or is_ours(name, wiring.agent):
                    yield _ignored(path, key, "hookrun is among the disabled hooks")


def _missing_keys(wiring: Installation, place: InstallPlace, level: str) -> Iterator[Problem]:
    for need in wiring.needs:
        path = os.path.join(place.home, need.user) if need.user else place.settings(wiring, level)
        found = _settings(path).get(need.key)
        is_wrong = found is None or (need.value is not None and found is not need.value)
        if is_wrong and (need.user or os.path.exists(path)):
            where = need.key if need.user else ""
            yield Problem(message=need.message, source=path, where=where, hint=need.hint)


def _ignored(path: str, where: str, message: str) -> Problem:
    return Problem(message=f"{message}: the agent does not ask hookrun", source=path, where=where, hint="change it")


def _settings(path: str) -> dict[str, Any]:
    """Return what *path* says, {} when it does not exist or is unreadable: its own agent reports that."""
    try:
        return _mapping(read_document(path, limit=constants.PAYLOAD_LIMIT, comments=True).value)
    except DocumentError:
        return {}


def settings_text(path: str) -> str:
    """Return the text of an agent's file, "" when it does not exist. Raises HookrunError when it is unreadable."""
    try:
        return read_regular(path).decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, ValueError) as error:
        hint = "fix the file: its agent cannot read it either"
        raise HookrunError(f"cannot be read: {error}", where=path, hint=hint) from None


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _snake(event: str) -> str:
    return "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in event).removeprefix("_")


OBEYED = (
    "BASH_ENV SHELLOPTS ZDOTDIR LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH"
    " OPENSSL_CONF"
).split()
_REPLACED = "PATH HOME XDG_STATE_HOME XDG_CONFIG_HOME".split()  # that settings of a project set, not a person
_LOCAL = "settings.local.json"


def problems_around(place: InstallPlace, agent: str, file: str) -> Iterator[Problem]:
    """Yield a problem for each such variable that names something of the project here, or that is set by
    *agent*'s settings *file* or by the file beside it that is for one person alone."""
    hint = "unset it where the agent starts, unless you know what it is for"
    for name in OBEYED:
        if _is_of_project(place.environ.get(name, ""), place.root):
            yield Problem(message=f"{name} is set: {agent} runs what it names before hookrun", hint=hint)
    for path in (file, os.path.join(os.path.dirname(file), _LOCAL)):
        for name in _mapping(_settings(path).get("env")):
            if name in (*OBEYED, *_REPLACED) or name.startswith("BASH_FUNC_"):
                yield Problem(
                    message=f"it sets {name} for {agent}: that can take the place of hookrun",
                    source=path,
                    where=f"env.{name}",
                    hint="take it out, unless you know what it is for",
                )


def _is_of_project(value: str, root: str) -> bool:
    """Say whether a list of paths has one that is relative or in the project. Options count as relative."""
    parts = re.split("[:; ]+", value) if value else []
    return any(not os.path.isabs(part) or f"{part}/".startswith(f"{root}/") for part in parts if part)
