"""`hookrun install`: the bridge, put into the settings of agents."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from hookrun.cli import output
from hookrun.cli.event_input import open_runner
from hookrun.commands.validate.lost_results import lost_result_problems
from hookrun.config.paths import shown
from hookrun.install import (
    ALREADY,
    CHANGED,
    CREATED,
    NOTHING,
    REFUSED,
    FileStep,
    InstallPlace,
    Step,
    agents_here,
    difference,
    find_place,
    install_agent,
    installations,
    known_from,
    steps_document,
)
from hookrun.model import constants
from hookrun.model.errors import HookrunError, UsageError
from hookrun.model.text import did_you_mean


def run(values: dict[str, Any]) -> int:
    """Wire the named agents, or those that are here, and return 1 when a file had to be left alone."""
    place = find_place(os.getcwd(), values["project"] or "")
    with_agents = known_agents(values["with_agents"])
    agents = known_agents(values["agents"]) or agents_here(place)
    if not agents:
        raise UsageError("no agent was found here", hint="name one: hookrun install claude")
    level = constants.USER if values["user"] else constants.PROJECT
    steps = [install_agent(agent, place, level, with_agents, is_dry_run=values["dry_run"]) for agent in agents]
    return tell(_with_lost_results(steps, values), place, level, values)


def _with_lost_results(steps: Sequence[Step], values: dict[str, Any]) -> list[Step]:
    """Return *steps* with a problem for each hook here that changes results, which the agent takes not."""
    try:
        with open_runner({"project": values["project"], "hooks": []}) as runner:
            hooks = [entry.hook for entry in runner.loaded.registry.entries]
    except HookrunError:  # the configuration is what is broken: `doctor` says it
        return list(steps)
    return [
        step.replace(problems=(*step.problems, *lost_result_problems(hooks, step.agent)))
        if any(file.state in (ALREADY, CHANGED, CREATED) for file in step.files)
        else step
        for step in steps
    ]


def known_agents(words: Sequence[str] | None) -> tuple[str, ...]:
    """Return the agents that *words* name, each once. Raises UsageError for one that is not known."""
    known = [wiring.agent for wiring in installations()]
    for word in words or ():
        if word not in known:
            raise UsageError(f"unknown agent {word!r}", hint=did_you_mean(word, known))
    return tuple(dict.fromkeys(words or ()))


def tell(steps: Sequence[Step], place: InstallPlace, level: str, values: dict[str, Any]) -> int:
    """Print what was done, on stdout, and what is wrong, on stderr; return the exit code."""
    problems = list(dict.fromkeys(problem for step in steps for problem in step.problems))
    if values["format"] == "json":
        output.write_json(steps_document(steps, level, is_dry_run=values["dry_run"]))
    else:
        lines = [line for step in steps for line in _lines(step, place, values)]
        output.write("".join(f"{line}\n" for line in lines))
        output.tell_problems(problems, quiet=values["quiet"])
    is_refused = any(file.state == REFUSED for step in steps for file in step.files)
    return constants.EXIT_FOUND_WRONG if is_refused else constants.EXIT_OK


def _lines(step: Step, place: InstallPlace, values: dict[str, Any]) -> Iterator[str]:
    for file in step.files:
        if file.state == NOTHING and not values["agents"]:
            continue
        path = shown(file.path, place.root, place.home)
        yield f"{step.agent}: {path}: {_state(file, is_dry_run=values['dry_run'])}"
        if file.backup:
            yield f"  backup: {shown(file.backup, place.root, place.home)}"
        if values["dry_run"] and file.before != file.after:
            yield output.harmless(difference(file), lines=True).rstrip("\n")
    if any(file.added or file.renewed for file in step.files):
        yield f"  what it can do: {known_from(step.agent)}"
    for left in step.left:
        yield f"  left to do: {left}" if step.files else f"{step.agent}: {left}"


def _state(file: FileStep, *, is_dry_run: bool) -> str:
    if file.state in (ALREADY, NOTHING, REFUSED):
        return "left as it is" if file.state == REFUSED else file.state
    done = [
        f"{count} {'event' if count == 1 else 'events'} {what}"
        for what, count in (
            ("added", len(file.added)),
            ("renewed", len(file.renewed)),
            ("taken out", len(file.removed)),
        )
        if count
    ]
    state = f"would be {file.state}" if is_dry_run else file.state
    return f"{state}, {', '.join(done)}" if done else state
