"""`hookrun doctor`: the set-up, and what is wrong with it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from hookrun import __version__
from hookrun.cli import output
from hookrun.cli.event_input import open_runner
from hookrun.commands.doctor import Checkup, Inheritance, ProgramFound, check_up, checkup_document
from hookrun.install import Bridge
from hookrun.model import constants

MOST_NAMED = 5  # hooks in one line


def run(values: dict[str, Any]) -> int:
    """Print the set-up, with -q only the result, and return 1 when something is an error. Runs no hook."""
    with open_runner(values) as runner:
        checkup = check_up(runner, root_was_given=bool(values["project"]))
    if values["format"] == "json":
        output.write_json(checkup_document(checkup))
    else:
        found = [("result", _result(checkup))] if values["quiet"] else _rows(checkup)
        output.write("".join(f"{line}\n" for lines in output.table(found) for line in lines))
        output.tell_problems(checkup.problems)  # those that the result counts, with -q as well
    return constants.EXIT_OK if checkup.is_well else constants.EXIT_FOUND_WRONG


def _rows(checkup: Checkup) -> Iterable[tuple[str, str]]:
    config = checkup.config
    yield "hookrun", f"{__version__}, Python {sys.version.split()[0]} ({sys.executable}), {sys.platform}"
    yield "project", f"{config.root} ({checkup.root_reason})"
    for level in config.levels[1:]:
        yield "and below", level
    yield "user's", config.user_folder or "no folder without a home"
    for file in config.files:
        yield "configured by", file
    yield "state", _with_condition(checkup.state.path, checkup.state.condition)
    yield "runtime", _with_condition(checkup.runtime.path, checkup.runtime.condition)
    for name, value in checkup.environment.items():
        yield "variable", f"{name}={value}"
    yield from _inheritance(checkup.inheritance)
    for found in checkup.programs:
        yield found.name, _program(found)
    for bridge in checkup.bridges:
        yield "bridge", _bridge(bridge)
    for count in checkup.sources:
        hooks = "hook" if count.hooks == 1 else "hooks"
        yield "source", f"{count.source}, {count.level}: {count.hooks} {hooks}, {count.in_force} in force"
    for source, skipped in checkup.skipped_by_source.items():
        yield "source", f"{source}: {skipped} skipped (`hookrun list` says why)"
    yield "result", _result(checkup)


def _inheritance(inheritance: Inheritance) -> Iterable[tuple[str, str]]:
    everything, listed = inheritance.everything, inheritance.listed
    count = len(everything) + len(listed)
    total = f"{count} hook{'' if count == 1 else 's'}"
    if everything:
        shown = ", ".join(everything[:MOST_NAMED])
        more = f" and {len(everything) - MOST_NAMED} more" if len(everything) > MOST_NAMED else ""
        yield "inherit all", f"{len(everything)} of {total}, until `env` lists their variables: {shown}{more}"
    if listed:
        yield "inherit a list", f"{len(listed)} of {total}, as `env` says"


def _with_condition(path: str, condition: str) -> str:
    return f"{path} ({condition})" if path else condition


def _program(found: ProgramFound) -> str:
    needed = f", needed by {', '.join(found.needed_by)}" if found.needed_by else ""
    return (found.path or "missing") + needed


def _bridge(bridge: Bridge) -> str:
    """Return who asks hookrun: an agent, the file that says so, how many of its events."""
    version = f" {bridge.version}" if bridge.version else ""
    count = f"{len(bridge.events)} of {len(bridge.events) + len(bridge.missing)} events"
    state = f", {bridge.state}" if bridge.state else ""
    return f"{bridge.agent}{version}, {bridge.level}: {bridge.file}, {count}{state}, {bridge.known_from}"


def _result(checkup: Checkup) -> str:
    errors = sum(problem.level == "error" for problem in checkup.problems)
    warnings = len(checkup.problems) - errors
    if not checkup.problems:
        return "all is well"
    return f"{errors} error{'' if errors == 1 else 's'}, {warnings} warning{'' if warnings == 1 else 's'}"
