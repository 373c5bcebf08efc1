"""`hookrun explain`: for every hook, whether an event would fire it, why, and who would see what it says."""

from __future__ import annotations

from hookrun.cli import output
from hookrun.cli.given import check_only, described_event, open_runner, read_given
from hookrun.faces.agent_files import known_agent
from hookrun.faces.explanation import explain_event, explanation_document, headline
from hookrun.faces.explanation_as import as_agent_document, explain_as, places_lines
from hookrun.words import names
from hookrun.words.errors import UsageError
from hookrun.words.width import in_columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hookrun.faces.explanation import Explained


def run(values: dict[str, Any]) -> int:
    """Print what the event that *values* describe would do. Runs no hook."""
    if values["as_agent"]:
        return _as_agent(known_agent(values["as_agent"]), values)
    given = read_given(values)
    with open_runner(values, given) as runner:
        event, problems_of_event = described_event(runner, values, given)
        check_only(runner, values["only"])
        explained = explain_event(runner, event, values["only"])
        problems = (*runner.problems, *problems_of_event)
    if values["format"] == "json":
        output.write_json(explanation_document(event, explained, problems))
    else:
        lines = [output.harmless(headline(event, explained)), *_lines(explained)]
        output.write("".join(f"{line}\n" for line in lines))
    output.tell_problems(problems, quiet=values["quiet"] or values["format"] == "json")
    return names.EXIT_OK


def _as_agent(agent: str, values: dict[str, Any]) -> int:
    """Print what *agent* alone would do."""
    if values["dialect"] not in (None, agent):
        raise UsageError(
            "--as has the agent's own names", where=f"--dialect {values['dialect']}", hint="leave it out"
        )
    values = {**values, "dialect": agent}
    given = read_given(values)
    with open_runner(values, given) as runner:
        event, problems = described_event(runner, values, given)
        found = explain_as(agent, runner.config, event, values["only"])
        places = places_lines(found, runner.config)
    if values["format"] == "json":
        output.write_json(as_agent_document(event, found, problems))
        return names.EXIT_OK
    lines = [f"{headline(event, found.explained)}, as {found.title}"]
    lines += [f"  reads   {line}" for line in in_columns(places)]
    lines += [f"  strict  {found.strictness}", *_lines(found.explained)]
    lines += [f"  left out: {path}: {reason}" for path, reason in found.left_out]
    output.write("".join(f"{output.harmless(line)}\n" for line in lines))
    output.tell_problems((*problems, *found.problems), quiet=values["quiet"])
    return names.EXIT_OK


def _lines(explained: Sequence[Explained]) -> list[str]:
    rows = [
        [output.harmless(cell) for cell in (_mark(each), hook.id, hook.role, hook.title, each.reason)]
        for each in explained
        for hook in [each.entry.hook]
    ]
    lines = []
    for each, line in zip(explained, in_columns(rows), strict=True):
        lines.append(f"  {line}")
        seen_by = [(f"{output.harmless(what)}:", output.harmless(who)) for what, who in each.seen_by]
        lines += [f"           {line}" for line in in_columns(seen_by)]
    return lines


def _mark(each: Explained) -> str:
    return "fires" if each.fires else "silent"
