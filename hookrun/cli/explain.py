"""`hookrun explain`: for every hook, whether an event would fire it, why, and who would see what it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hookrun.cli import output
from hookrun.cli.event_input import check_only, described_event, open_runner, read_event_input
from hookrun.commands.agent_files import known_agent
from hookrun.commands.explain import Explained, explain_event, explanation_document, headline
from hookrun.commands.explain_as import as_agent_document, explain_as, places_lines
from hookrun.commands.validate.finding import Finding
from hookrun.config.paths import shown
from hookrun.model import constants
from hookrun.model.errors import UsageError

HEADER = ("", "ID", "ROLE", "HOOK", "WHY")
STYLE_BY_MARK = {"fires": "ok", "silent": "dim", "asks": "warn"}


def run(values: dict[str, Any]) -> int:
    """Print what the event that *values* describe would do. Runs no hook."""
    if values["as_agent"]:
        return _as_agent(known_agent(values["as_agent"]), values)
    given = read_event_input(values)
    with open_runner(values, given) as runner:
        event, problems_of_event = described_event(runner, values, given)
        check_only(runner, values["only"])
        found = explain_event(runner, event, values["only"])
        problems, config = (*runner.problems, *problems_of_event), runner.config
    if values["format"] == "json":
        output.write_json(explanation_document(event, found.explained, problems, found.unread))
    else:
        is_all = bool(values["verbose"] or values["only"])
        lines = [
            output.harmless(headline(event, found.explained)),
            *_lines([e for e in found.explained if is_all or e.answers]),
        ]
        lines += [] if is_all else _of_other_events(found.explained)
        lines += [
            line
            for each in (*found.switched_off, *found.unread)
            for line in _file_lines(each, config.root, config.home)
        ]
        output.write("".join(f"{line}\n" for line in lines))
    output.tell_problems(problems, quiet=values["quiet"] or values["format"] == "json")
    return constants.EXIT_OK


def _as_agent(agent: str, values: dict[str, Any]) -> int:
    """Print what *agent* alone would do."""
    if values["dialect"] not in (None, agent):
        raise UsageError("--as has the agent's own names", where=f"--dialect {values['dialect']}", hint="leave it out")
    values = {**values, "dialect": agent}
    given = read_event_input(values)
    with open_runner(values, given) as runner:
        event, problems = described_event(runner, values, given)
        found = explain_as(agent, runner.config, event, values["only"])
        places = places_lines(found, runner.config)
    if values["format"] == "json":
        output.write_json(as_agent_document(event, found, problems))
        return constants.EXIT_OK
    lines = [output.harmless(f"{headline(event, found.explained)}, as {found.title}")]
    lines += [f"  reads   {line[10:]}" for lines in output.table(places, indent=10) for line in lines]
    lines += [line for lines in output.table([("strict", found.strictness)], indent=2) for line in lines]
    lines += _lines(found.explained)
    lines += [output.harmless(f"  left out: {path}: {reason}") for path, reason in found.left_out]
    output.write("".join(f"{line}\n" for line in lines))
    output.tell_problems((*problems, *found.problems), quiet=values["quiet"])
    return constants.EXIT_OK


def _of_other_events(explained: Sequence[Explained]) -> list[str]:
    count = sum(not each.answers for each in explained)
    hooks = "hook answers" if count == 1 else "hooks answer"
    return [f"  {count} {hooks} other events (-v names them)"] if count else []


def _file_lines(finding: Finding, root: str, home: str) -> list[str]:
    """Return what is wrong with a file, and what to do about it."""
    file = shown(finding.file, root, home)
    lines = [f"  {file}: {finding.message}", f"           hint: {finding.hint}"]
    return [output.harmless(line) for line in lines]


def _lines(explained: Sequence[Explained]) -> list[str]:
    hooks = [each.entry.hook for each in explained]
    rows = [
        (each.mark, hook.id, hook.role, hook.title, each.reason) for each, hook in zip(explained, hooks, strict=True)
    ]
    header, *tables = output.table([HEADER, *rows] if rows else [], indent=2) or [[]]
    lines = [output.coloured(line, "dim") for line in header]
    for each, table in zip(explained, tables, strict=True):
        lines += [output.coloured(line, STYLE_BY_MARK.get(each.mark, "err")) for line in table]
        seen_by = [(f"{what}:", who) for what, who in each.seen_by]
        hints = [("hint:", each.hint)] if each.hint else []
        for details in (seen_by, hints):
            lines += [line for lines in output.table(details, indent=11) for line in lines]
    return lines
