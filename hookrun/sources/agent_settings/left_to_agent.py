"""Whose settings are a source: all agents' when none asks, else other agents' on request; what is left to the agent."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from hookrun.agents import dialect_named, kinds_of_tool
from hookrun.config.config import Config
from hookrun.model import constants
from hookrun.model.events import EVENTS
from hookrun.model.values import Event, Hook, Trigger
from hookrun.sources.agent_settings.commands import folders_of, script_of
from hookrun.sources.agent_settings.files import SettingsFile, read_agent_settings, user_of
from hookrun.sources.found import Found, Skip


def with_agent(
    parts: Sequence[Found],
    agent: str,
    files: Sequence[tuple[str, str, str]],
    config: Config,
    is_trusted: Callable[[Hook], bool],
) -> list[Found]:
    """Return *parts* with the hooks in *agent*'s settings; *files* are (path, level, folder) of existing files.

    Where *agent* itself asks, its settings are not a source, and scripts in *parts* that it runs itself are left
    out, if both the scripts and those settings are trusted: else an agent could write settings to remove guards.
    """
    source = f"{agent}-settings"
    if not config.sources.get(source, True):
        return [*parts, _skipped(files, source, f"the configuration has sources.{source}: false")]
    described = [SettingsFile(agent=agent, path=path, level=level, place=folder) for path, level, folder in files]
    user = user_of(config)
    if config.asking == agent:
        skips = _skipped(files, source, f"{agent} asks, and runs its own hooks itself")
        if not any(hook.kind == constants.SCRIPT for part in parts for hook in part.hooks):
            return [*parts, skips]
        own = read_agent_settings(described, user)
        # What the agent does with faulty settings is not known: Claude Code ignores the whole file.
        scripts = {} if own.problems else _hooks_by_script(own.hooks, config.home)
        return [*(_without_copies(part, scripts, is_trusted) for part in parts), skips]
    if config.asking and agent not in config.with_agents:
        reason = f"{config.asking} asks, and the hooks of {agent} were not requested (--with {agent})"
        return [*parts, _skipped(files, source, reason)]
    return [*parts, read_agent_settings(described, user)]


def _skipped(files: Iterable[tuple[str, str, str]], source: str, reason: str) -> Found:
    return Found(skips=tuple(Skip(path=path, reason=reason, source=source) for path, _, _ in files))


def _without_copies(part: Found, scripts: Mapping[str, Sequence[Hook]], is_trusted: Callable[[Hook], bool]) -> Found:
    """Return *part* without the scripts that hooks of the agent's own run for the same events and tools."""
    if not scripts:
        return part
    kept: list[Hook] = []
    skips: list[Skip] = []
    left_to_agent: list[Hook] = []
    for hook in part.hooks:
        runners = scripts.get(os.path.realpath(hook.file), []) if hook.kind == constants.SCRIPT else []
        if runners:
            runners = [runner for runner in runners if is_trusted(hook) and is_trusted(runner)]
        left = tuple(trigger for trigger in hook.triggers if not _is_run(trigger, hook, runners))
        if len(left) < len(hook.triggers):
            left_to_agent.append(hook)
        if left:
            kept.append(hook if len(left) == len(hook.triggers) else hook.replace(triggers=left))
        else:
            skips.append(Skip(path=hook.file, reason=f"{runners[0].dialect} runs it itself", source=hook.source))
    return part.replace(hooks=tuple(kept), skips=(*part.skips, *skips), left_to_agent=tuple(left_to_agent))


def _hooks_by_script(own: Sequence[Hook], home: str) -> dict[str, list[Hook]]:
    found: dict[str, list[Hook]] = {}
    for hook in own:
        if hook.runtime == "script" and not hook.is_async and hook.program.words:
            folders = folders_of(hook.place, hook.program.folder, home)
            script = script_of(hook.program.words[-1], hook.program.folder, folders)
            if script:
                found.setdefault(script, []).append(hook)
    return found


def _is_run(trigger: Trigger, hook: Hook, runners: Sequence[Hook]) -> bool:
    """Say whether one of *runners* fires whenever the script would: for all the tools that it is about."""
    event = EVENTS.get(trigger.event)
    if event is None or not runners:
        return False
    probes = _probes(trigger, hook, has_tool=event.has_tool)
    return any(
        _accepts_all(other, probes) for runner in runners for other in runner.triggers if other.event == trigger.event
    )


def _accepts_all(trigger: Trigger, probes: Sequence[tuple[Event, tuple[str, ...]]]) -> bool:
    if not getattr(trigger.accepts, "is_unconditional", False):
        return False
    if not probes:  # every tool: only what every tool is a match for covers it
        return trigger.matcher.strip() in ("", "*")
    return all(trigger.accepts(event, offered) for event, offered in probes)


def _probes(trigger: Trigger, hook: Hook, *, has_tool: bool) -> list[tuple[Event, tuple[str, ...]]]:
    """Return the calls, one a tool, that a script's trigger is about; none where it is about all."""
    dialect = dialect_named(hook.dialect)
    if not has_tool or not trigger.matcher or dialect is None:
        return []
    probes: list[tuple[Event, tuple[str, ...]]] = []
    for name in trigger.matcher.split("|"):
        kinds = kinds_of_tool(name.strip(), dialect)
        for own in [own for kind in kinds for own in dialect.tools.get(kind, ())] or [name]:
            event = Event(event=trigger.event, dialect=dialect.name, tool_name=own, kinds=kinds)
            probes.append((event, (own,)))
    return probes
