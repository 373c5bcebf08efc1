"""Modules that change results of tools, beside bridges to agents that take no changed one. Runs nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from hookrun.agents import protocol_of
from hookrun.commands.validate.finding import Finding
from hookrun.config.config import Config
from hookrun.config.files import read_regular
from hookrun.install import InstallPlace, find_bridges
from hookrun.model import constants
from hookrun.model.errors import HookrunError
from hookrun.model.values import Hook, Problem
from hookrun.programs.command import Launches
from hookrun.sources.registry import Entry
from hookrun.trust.contents import contents_of
from hookrun.trust.stat_cache import Look

_HANDLES = b"tool_result"  # the event whose handlers can change a result, and their only name for it
_MOST_FILES = 200  # of one module that are looked at


def find_lost_results(hooks: Iterable[Hook], agents: Iterable[str]) -> Iterator[Finding]:
    """Yield a finding for each of *hooks* that may change results and each of *agents* that takes none."""
    tables = [protocol_of(agent).replies for agent in agents]
    deaf = [table for table in tables if table.ways_at("PostToolUse", "").result is None]
    for hook in hooks if deaf else ():
        if hook.kind == constants.MODULE and _may_change_results(hook):
            for table in deaf:
                yield Finding(
                    message=f"it changes results; {table.title} takes no changed results",
                    file=hook.file,
                    hook=hook.id,
                    hint="it has no effect there: the model gets them as they were",
                )


def bridged_agents(config: Config) -> tuple[str, ...]:
    """Return the agents whose settings ask hookrun, of the project and of the user."""
    place = InstallPlace(root=config.root, home=config.home, environ=config.environ)
    return tuple(dict.fromkeys(bridge.agent for bridge in find_bridges(place)[0]))


def lost_result_problems(hooks: Iterable[Hook], agent: str) -> tuple[Problem, ...]:
    """Return what is found about *hooks* and *agent* as problems."""
    return tuple(
        Problem(message=finding.message, source=finding.file, hint=finding.hint)
        for finding in find_lost_results(hooks, [agent])
    )


def note_lost_results(entries: Sequence[Entry], agents: Iterable[str]) -> tuple[Entry, ...]:
    """Return *entries*, each hook's note with what is found about it and *agents*."""
    said: dict[tuple[str, str], list[str]] = {}
    for finding in find_lost_results((entry.hook for entry in entries), agents):
        said.setdefault((finding.file, finding.hook), []).append(finding.message)
    return tuple(_noted(entry, said.get((entry.hook.file, entry.hook.id), ())) for entry in entries)


def _noted(entry: Entry, said: Iterable[str]) -> Entry:
    note = "; ".join(filter(None, (entry.hook.note, *said)))
    return entry if note == entry.hook.note else entry.replace(hook=entry.hook.replace(note=note))


def _may_change_results(hook: Hook) -> bool:
    """Say whether the module, or what it imports from beside it, handles results."""
    try:
        files = contents_of(hook, hook.place, Launches(os.defpath), Look()).core
    except HookrunError:  # too many files to look at
        files = (hook.file,)
    return any(map(_speaks_of_results, islice(files, _MOST_FILES)))


def _speaks_of_results(path: str) -> bool:
    try:
        return _HANDLES in read_regular(path)
    except OSError:
        return False
