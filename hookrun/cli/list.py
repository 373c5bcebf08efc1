"""`hookrun list`: every hook that was found, with its state."""

from __future__ import annotations

from hookrun.cli import output
from hookrun.cli.given import open_runner
from hookrun.faces.listing import TITLE_BY_GROUP, list_hooks, listing_document, listing_rows, summary
from hookrun.readers.places import shown
from hookrun.words import names
from hookrun.words.width import in_columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookrun.faces.listing import Listing
    from hookrun.library import HookRunner


def run(values: dict[str, Any]) -> int:
    """Print the hooks by event and, unless only some are asked for, what was skipped."""
    with open_runner(values) as runner:
        listing = list_hooks(runner, event=values["event"] or "", tool=values["tool"] or "")
        problems = runner.problems
        if values["format"] == "json":
            output.write_json(listing_document(listing, runner, problems, active=values["active"]))
        else:
            output.write("".join(f"{line}\n" for line in _lines(listing, runner, values)))
    output.tell_problems(problems, quiet=values["quiet"] or values["format"] == "json")
    return names.EXIT_OK


def _lines(listing: Listing, runner: HookRunner, values: dict[str, Any]) -> list[str]:
    config = runner.config
    lines: list[str] = []
    rows_by_group = {
        group: listing_rows(listing, group, root=config.root, home=config.home, active=values["active"])
        for group in listing.groups
    }
    rows = [[output.harmless(cell) for cell in row] for rows in rows_by_group.values() for row in rows]
    aligned = iter(in_columns(rows))
    for group, its_rows in rows_by_group.items():
        if its_rows:
            lines.append(TITLE_BY_GROUP.get(group, group))
        for row in its_rows:
            is_off = not row[-1].startswith(names.IN_FORCE)
            line = f"  {next(aligned)}"
            lines.append(output.coloured(line, "dim") if is_off else line)
    if not (values["event"] or values["tool"] or values["active"]):
        lines += [*_skipped(runner), *_unread(listing, runner)]
    return [*lines, _last(listing, runner)]


def _skipped(runner: HookRunner) -> list[str]:
    config = runner.config
    rows = [(shown(skip.path, config.root, config.home), skip.reason) for skip in runner.loaded.skips]
    lines = in_columns([output.harmless(cell) for cell in row] for row in rows)
    return ["skipped", *(f"  {line}" for line in lines)] if lines else []


def _unread(listing: Listing, runner: HookRunner) -> list[str]:
    config = runner.config
    rows = [(shown(found.file, config.root, config.home), found.hint) for found in listing.unread]
    lines = in_columns([output.harmless(cell) for cell in row] for row in rows)
    return ["look like hooks, and are not read", *(f"  {line}" for line in lines)] if lines else []


def _last(listing: Listing, runner: HookRunner) -> str:
    if runner.loaded.registry.entries:
        return summary(listing.entries)
    return f"0 of 0 in force: no hooks for {output.harmless(runner.config.cwd)}; `hookrun new` lists some"
