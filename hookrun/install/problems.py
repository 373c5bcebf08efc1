"""What keeps an agent from running the entries that it has. Reads the agent's settings, runs nothing."""

from __future__ import annotations

import os

from hookrun.agents.settings import installation_of
from hookrun.config.documents import read_document
from hookrun.config.regular_files import read_regular
from hookrun.install.entries import is_ours
from hookrun.install.settings import entries_in
from hookrun.model import constants
from hookrun.model.errors import DocumentError, HookrunError
from hookrun.model.values import Problem
from hookrun.sources.agent_settings.files import why_not_loaded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookrun.agents.settings import Installation
    from hookrun.install.place import Place


def problems_of(wiring: Installation, place: Place, level: str) -> tuple[Problem, ...]:
    """Return why *wiring*'s agent will not run the entries that it has at *level*."""
    found = _FINDERS.get(wiring.agent)
    return (*_missing_program(place), *(found(place, level) if found else ()))


def codex_approvals(place: Place, level: str) -> dict[str, str]:
    """Return for each event with an entry of ours whether Codex runs it: "approved", "not approved" or
    "switched off". Whether it was approved with just this text only Codex knows.

    Codex keeps that in the user's config.toml, under the file's path, the event in snake case and the
    numbers of group and handler (codex-rs/hooks, read).
    """
    wiring = installation_of("codex")
    assert wiring
    path = place.settings(wiring, level)
    states = _mapping(_mapping(_codex_config(place).get("hooks")).get("state"))
    approvals: dict[str, str] = {}
    for entry in entries_in(_text(path), path, wiring):
        key = f"{_snake(entry.event)}:{entry.group}:{entry.handler}"
        found = [_mapping(states.get(f"{file}:{key}")) for file in (path, os.path.realpath(path))]
        if any(state.get("enabled") is False for state in found):
            approvals[entry.event] = "switched off"
        else:
            is_approved = any(state.get("trusted_hash") for state in found)
            approvals[entry.event] = "approved" if is_approved else "not approved"
    return approvals


def _missing_program(place: Place) -> Iterator[Problem]:
    if not place.has_program("hookrun"):
        yield Problem(
            message="hookrun is not on PATH: where a guard may be asked the agent is denied everything",
            hint="install it where the agent's PATH has it, with pipx or uv (docs/install.md)",
        )


def _claude(place: Place, level: str) -> Iterator[Problem]:
    wiring = installation_of("claude")
    assert wiring
    yield from _not_loaded(wiring.agent, place.settings(wiring, level))
    yield from _switched_off(_claude_files(place), "disableAllHooks", True)


def _not_loaded(agent: str, path: str) -> Iterator[Problem]:
    """Yield, as `validate` and `doctor` say it too, that *agent* does not load what hookrun could read."""
    text = _text(path)
    reason, line = why_not_loaded(agent, text) if text.strip() else ("", 0)
    if reason:
        hint = "take out the comment or the comma"
        yield Problem(message=reason, level="error", source=path, where=f"line {line}", hint=hint)


def _claude_files(place: Place) -> list[str]:
    folder = place.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(place.home, ".claude")
    project = os.path.join(place.root, ".claude")
    return [
        os.path.join(folder, "settings.json"),
        os.path.join(project, "settings.json"),
        os.path.join(project, "settings.local.json"),
    ]


def _codex(place: Place, _level: str) -> Iterator[Problem]:
    features = _mapping(_codex_config(place).get("features"))
    for key in ("hooks", "codex_hooks"):
        if features.get(key) is False:
            yield _ignored(_codex_file(place), f"features.{key}", "hooks are switched off")


def _codex_file(place: Place) -> str:
    folder = place.environ.get("CODEX_HOME") or os.path.join(place.home, ".codex")
    return os.path.join(folder, "config.toml")


def _codex_config(place: Place) -> dict[str, Any]:
    return _settings(_codex_file(place))


def _gemini(place: Place, _level: str) -> Iterator[Problem]:
    for folder in (place.home, place.root):
        path = os.path.join(folder, ".gemini", "settings.json")
        settings = _settings(path)
        for keys in (("hooksConfig", "enabled"), ("hooks", "enabled"), ("tools", "enableHooks")):
            if _mapping(settings.get(keys[0])).get(keys[1]) is False:
                yield _ignored(path, ".".join(keys), "hooks are switched off")
        for key in ("hooksConfig", "hooks"):
            disabled = _mapping(settings.get(key)).get("disabled")
            for name in disabled if isinstance(disabled, list) else ():
                if name == "hookrun" or is_ours(name, "gemini"):
                    yield _ignored(path, f"{key}.disabled", "hookrun is among the disabled hooks")


def _qwen(place: Place, _level: str) -> Iterator[Problem]:
    files = [os.path.join(folder, ".qwen", "settings.json") for folder in (place.home, place.root)]
    yield from _switched_off(files, "disableAllHooks", True)


def _copilot(place: Place, level: str) -> Iterator[Problem]:
    wiring = installation_of("copilot")
    assert wiring
    yield from _switched_off([place.settings(wiring, level)], "disableAllHooks", True)


def _xbot(place: Place, _level: str) -> Iterator[Problem]:
    path = os.path.join(place.home, ".xbot", "hooks.json")
    if _settings(path).get("enable_command_hooks") is not True:
        yield Problem(
            message="xbot runs no commands before enable_command_hooks is true",
            source=path,
            where="enable_command_hooks",
            hint='put "enable_command_hooks": true there; in a project\'s file it has no effect',
        )


def _cursor(place: Place, level: str) -> Iterator[Problem]:
    wiring = installation_of("cursor")
    assert wiring
    path = place.settings(wiring, level)
    if os.path.exists(path) and "version" not in _settings(path):
        yield Problem(message="there is no version", source=path, hint='put "version": 1 there')


_FINDERS = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "qwen": _qwen,
    "copilot": _copilot,
    "xbot": _xbot,
    "cursor": _cursor,
}


def _switched_off(files: list[str], key: str, value: bool) -> Iterator[Problem]:
    for path in files:
        if _settings(path).get(key) is value:
            yield _ignored(path, key, "hooks are switched off")


def _ignored(path: str, where: str, message: str) -> Problem:
    return Problem(
        message=f"{message}: the agent does not ask hookrun", source=path, where=where, hint="change it"
    )


def _settings(path: str) -> dict[str, Any]:
    """Return what *path* says, {} when it is not there or cannot be read: its own agent tells that."""
    try:
        return _mapping(read_document(path, limit=constants.PAYLOAD_LIMIT, comments=True).value)
    except DocumentError:
        return {}


def _text(path: str) -> str:
    """Raises HookrunError."""
    try:
        return read_regular(path).decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        raise HookrunError(f"cannot be read: {error}", where=path) from error


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _snake(event: str) -> str:
    return "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in event).removeprefix("_")
