"""The bridges that are installed, and what is wrong with them: for `doctor`, which runs nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from hookrun.agents import protocol_of
from hookrun.agents.settings import Installation, installations
from hookrun.config.documents import read_document
from hookrun.install.entries import entries, is_our_script, is_ours, wired_events
from hookrun.install.place import InstallPlace
from hookrun.install.problems import approvals_of, problems_around, problems_of, settings_text
from hookrun.install.settings import InstalledEntry, entries_in
from hookrun.model import constants
from hookrun.model.errors import DocumentError, HookrunError
from hookrun.model.frozen import Frozen
from hookrun.model.values import Problem
from hookrun.programs.command import program_path
from hookrun.sources.bridge_command import is_bridge_command

_LOCAL = "settings.local.json"


class Bridge(Frozen):
    """An agent's file with entries of ours."""

    agent: str
    level: str
    file: str
    events: tuple[str, ...]
    missing: tuple[str, ...] = ()  # events without an entry
    repeated: tuple[str, ...] = ()  # events with two
    hurried: tuple[str, ...] = ()  # events with a shorter timeout than `install` writes
    weak: tuple[str, ...] = ()  # events with another command than `install` writes
    state: str = ""  # approved, not approved, switched off; "" where the agent has no such thing
    version: str = ""  # the agent's, "" unknown
    measured_with: tuple[str, ...] = ()  # versions that its replies were measured with

    @property
    def known_from(self) -> str:
        """How it is known what the agent can do, and that its version here is not among the measured ones."""
        known_from = protocol_of(self.agent).replies.known_from
        is_other = self.version and self.measured_with and self.version not in self.measured_with
        return f"{known_from}, not with {self.version}" if is_other else known_from


def find_bridges(place: InstallPlace, event_seconds: float = 0.0) -> tuple[tuple[Bridge, ...], tuple[Problem, ...]]:
    """Return the bridges at both levels and their problems; *event_seconds* is hookrun's own limit."""
    bridges: list[Bridge] = []
    problems: list[Problem] = []
    for wiring in installations():
        found: list[Bridge] = []
        for level in (constants.PROJECT, constants.USER) if wiring.shape else ():
            try:
                bridge = _bridge(wiring, place, level)
            except HookrunError as error:
                problems.append(_unreadable(error))
                continue
            if bridge:
                found.append(bridge)
                problems += _problems(bridge, wiring, place, event_seconds)
        bridges += found
    return tuple(bridges), tuple(dict.fromkeys((*problems, *_double_wiring(bridges, place))))


def _bridge(wiring: Installation, place: InstallPlace, level: str) -> Bridge | None:
    """Return the bridge of *wiring*'s agent at *level*, None where there is none. Raises HookrunError."""
    path = _file_at(wiring, place, level)
    if not path:
        return None
    ours = _entries_of(wiring, path)
    commands = _scripts_of(wiring, path) if wiring.shape == "executables" else _commands_of(wiring, ours)
    found = [event for event, _ in commands]
    if not found:
        return None
    events = _distinct(found)
    return Bridge(
        agent=wiring.agent,
        level=level,
        file=path,
        events=events,
        missing=tuple(event for event in entries(wiring, ()) if event not in events),
        repeated=tuple(event for event in events if found.count(event) > 1),
        hurried=_distinct(entry.event for entry in ours if _is_hurried(entry, wiring)),
        weak=_distinct(event for event, text in commands if not _is_as_installed(text, wiring)),
        state=_approval(wiring, place, level) if wiring.approvals else "",
        version=agent_version(wiring, place),
        measured_with=protocol_of(wiring.agent).replies.measured_with,
    )


def _file_at(wiring: Installation, place: InstallPlace, level: str) -> str:
    """Return the agent's file at *level*, "" for a user without a home or whose home is the project."""
    if level == constants.PROJECT:
        return place.settings(wiring, level)
    path = place.settings(wiring, level) if place.home else ""
    return path if path != place.settings(wiring, constants.PROJECT) else ""


def _entries_of(wiring: Installation, path: str) -> tuple[InstalledEntry, ...]:
    text = "" if wiring.shape == "executables" else settings_text(path)
    return entries_in(text, path, wiring) if is_ours(text, wiring.agent) else ()


def _commands_of(wiring: Installation, ours: Sequence[InstalledEntry]) -> list[tuple[str, str]]:
    """Return event and command of each of our entries."""
    return [(entry.event, _handler(entry.value)[wiring.command_key]) for entry in ours]


def _scripts_of(wiring: Installation, folder: str) -> list[tuple[str, str]]:
    """Return event and text of each executable in *folder* that calls the bridge."""
    texts = {event: settings_text(os.path.join(folder, event)) for event in wired_events(wiring)}
    return [(event, text) for event, text in texts.items() if _is_our_text(text, wiring)]


def _distinct(events: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(events))


def _is_hurried(entry: InstalledEntry, wiring: Installation) -> bool:
    """Say whether an entry gives hookrun less time than it takes itself: the agent would go on without it."""
    wanted = entries(wiring, ()).get(entry.event)
    if wanted is None or wiring.timeouts is None:
        return False
    key, _ = wiring.timeouts
    said, needed = _handler(entry.value), _handler(wanted)
    seconds = said.get(key)
    return not isinstance(seconds, int | float) or seconds < needed[key]


def _handler(value: Any) -> Any:
    return value["hooks"][0] if "hooks" in value else value


def _is_as_installed(text: str, wiring: Installation) -> bool:
    if wiring.shape == "executables":
        return is_our_script(text, wiring) and is_bridge_command(text.split("\n", 2)[2].rstrip("\n"), wiring.agent)
    return is_bridge_command(text, wiring.agent)


def _approval(wiring: Installation, place: InstallPlace, level: str) -> str:
    approvals = approvals_of(wiring, place, level)
    for state in ("switched off", "not approved"):
        events = [event for event, found in approvals.items() if found == state]
        if events:
            return state if len(events) == len(approvals) else f"{state}: {', '.join(events)}"
    return "approved"


def agent_version(wiring: Installation, place: InstallPlace) -> str:
    """Return the version in the package.json that the agent's program belongs to; "" when there is none."""
    for name in wiring.programs:
        path = program_path(name, place.environ.get("PATH", os.defpath))
        folder = os.path.dirname(os.path.realpath(path)) if path else ""
        while len(folder) > 1:
            package = os.path.join(folder, "package.json")
            if os.path.isfile(package):
                return _package_version(package)
            folder = os.path.dirname(folder)
    return ""


def _package_version(path: str) -> str:
    try:
        value = read_document(path).value
    except DocumentError:
        return ""
    version = value.get("version") if isinstance(value, dict) else None
    return version if isinstance(version, str) else ""


def _problems(bridge: Bridge, wiring: Installation, place: InstallPlace, event_seconds: float) -> Iterator[Problem]:
    yield from problems_of(wiring, place, bridge.level)
    yield from problems_around(place, bridge.agent, bridge.file)
    again = f"hookrun install {bridge.agent}{' --user' if bridge.level == constants.USER else ''}"
    if bridge.missing:
        yield _problem(bridge, f"these events do not ask hookrun: {', '.join(bridge.missing)}", again)
    if bridge.repeated:
        yield _problem(bridge, f"these events ask hookrun twice: {', '.join(bridge.repeated)}", again)
    if bridge.weak:
        message = "not as this hookrun writes them, and a variable of the agent's can take their place"
        yield _problem(bridge, f"these entries are {message}: {', '.join(bridge.weak)}", again)
    if bridge.state and bridge.state != "approved":
        title = protocol_of(bridge.agent).replies.title
        message = f"{title} runs no hook that is {bridge.state}, and says nothing: tools run unguarded"
        yield Problem(message=message, source=bridge.file, hint=f"open /hooks in {title} and approve them")
    if bridge.hurried:
        yield _problem(bridge, f"these events wait too short for hookrun: {', '.join(bridge.hurried)}", again)
    table = protocol_of(bridge.agent).replies
    if wiring.timeouts and event_seconds > table.seconds:
        longest = table.seconds_for_hooks("PreToolUse")
        message = f"{bridge.agent} waits {table.seconds:g} s for hookrun, so that hooks have {longest:g} s"
        yield Problem(message=message, source=bridge.file, hint="lower limits.event_seconds")
    if wiring.blocks_failures_from and _is_before(bridge.version, wiring.blocks_failures_from):
        message = f"{table.title} {bridge.version} lets a tool run when hookrun times out"
        wanted = ".".join(map(str, wiring.blocks_failures_from))
        yield Problem(message=message, source=bridge.file, hint=f"{wanted} and later do not")


def _problem(bridge: Bridge, message: str, command: str) -> Problem:
    return Problem(message=message, source=bridge.file, hint=f"`{command}` mends it")


def _double_wiring(bridges: Sequence[Bridge], place: InstallPlace) -> Iterator[Problem]:
    by_agent: dict[str, list[Bridge]] = {}
    for bridge in bridges:
        by_agent.setdefault(bridge.agent, []).append(bridge)
    for agent, found in by_agent.items():
        if len(found) > 1:
            yield Problem(
                message=f"{agent} asks hookrun twice: {found[1].file} does so as well",
                source=found[0].file,
                hint=f"`hookrun uninstall {agent}` or `hookrun uninstall {agent} --user`",
            )
    for wiring in installations():
        for other in wiring.reads_also:
            if wiring.agent in by_agent and other in by_agent:
                yield Problem(
                    message=f"{wiring.agent} may run the hooks of {other} too: it would ask hookrun twice",
                    source=by_agent[other][0].file,
                    hint=f"switch that off in {wiring.agent}, or `hookrun uninstall {wiring.agent}`",
                )
        local = os.path.join(place.root, wiring.local) if wiring.local else ""
        if local and wiring.agent in by_agent and is_ours(_quiet_text(local), wiring.agent):
            message = f"{wiring.agent} asks hookrun twice: {by_agent[wiring.agent][0].file} does so as well"
            yield Problem(message=message, source=local, hint="take hookrun out of one of the two")


def _is_before(version: str, wanted: tuple[int, ...]) -> bool:
    numbers = tuple(int(part) for part in version.split(".") if part.isdecimal())
    return bool(numbers) and numbers < wanted


def _is_our_text(text: str, wiring: Installation) -> bool:
    return is_our_script(text, wiring) or is_ours(text, wiring.agent)


def _quiet_text(path: str) -> str:
    try:
        return settings_text(path)
    except HookrunError:
        return ""


def _unreadable(error: HookrunError) -> Problem:
    line = getattr(error, "line", 0)
    where = f"line {line}" if line else ""
    return Problem(message=error.message, source=error.where, where=where, hint=error.hint)


def bridge_document(bridge: Bridge) -> dict[str, Any]:
    """Return the bridge as a JSON-ready mapping."""
    return {
        "agent": bridge.agent,
        "level": bridge.level,
        "file": bridge.file,
        "events": list(bridge.events),
        "missing": list(bridge.missing),
        "repeated": list(bridge.repeated),
        "state": bridge.state or None,
        "version": bridge.version or None,
        "measured_with": list(bridge.measured_with),
        "is_measured": bridge.version in bridge.measured_with if bridge.version else None,
    }
