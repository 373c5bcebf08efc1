"""`hookrun explain`: for every hook, whether an event would fire it, why, and who would see what it says."""

from __future__ import annotations

from hookrun.cli import output
from hookrun.cli.given import check_only, described_event, open_runner, read_given
from hookrun.faces.agent_files import known_agent
from hookrun.faces.explanation import explain_event, explanation_document, headline
from hookrun.faces.explanation_as import as_agent_document, explain_as, places_lines
from hookrun.readers.places import shown
from hookrun.words import names
from hookrun.words.errors import UsageError
from hookrun.words.width import in_columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hookrun.faces.explanation import Explained
    from hookrun.faces.lint import Finding


def run(values: dict[str, Any]) -> int:
    """Print what the event that *values* describe would do. Runs no hook."""
    if values["as_agent"]:
        return _as_agent(known_agent(values["as_agent"]), values)
    given = read_given(values)
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
            headline(event, found.explained),
            *_lines([e for e in found.explained if is_all or e.answers]),
        ]
        lines += [] if is_all else _of_other_events(found.explained)
        lines += [
            line
            for each in (*found.switched_off, *found.unread)
            for line in _file_lines(each, config.root, config.home)
        ]
        output.write("".join(f"{output.harmless(line)}\n" for line in lines))
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


def _of_other_events(explained: Sequence[Explained]) -> list[str]:
    count = sum(not each.answers for each in explained)
    hooks = "hook answers" if count == 1 else "hooks answer"
    return [f"  {count} {hooks} other events (-v names them)"] if count else []


def _file_lines(finding: Finding, root: str, home: str) -> list[str]:
    """Return what is wrong with a file, and what to do about it."""
    file = shown(finding.file, root, home)
    return [f"  {file}: {finding.message}", f"           hint: {finding.hint}"]


def _lines(explained: Sequence[Explained]) -> list[str]:
    rows = [
        [output.harmless(cell) for cell in (each.mark, hook.id, hook.role, hook.title, each.reason)]
        for each in explained
        for hook in [each.entry.hook]
    ]
    lines = []
    for each, line in zip(explained, in_columns(rows), strict=True):
        lines.append(f"  {line}")
        seen_by = [(f"{output.harmless(what)}:", output.harmless(who)) for what, who in each.seen_by]
        lines += [f"           {line}" for line in in_columns(seen_by)]
        hint = output.harmless(each.entry.hint)
        lines += [f"           hint: {hint}"] if hint and each.answers else []
    return lines
