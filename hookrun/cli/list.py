"""`hookrun list`: every hook that was found, with its state."""

from __future__ import annotations

from typing import Any

from hookrun.cli import output
from hookrun.cli.event_input import open_runner
from hookrun.commands.list import HEADER, TITLE_BY_GROUP, Listing, list_hooks, listing_document, listing_rows, summary
from hookrun.config.paths import shown
from hookrun.model import constants
from hookrun.runner import HookRunner


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
    return constants.EXIT_OK


def _lines(listing: Listing, runner: HookRunner, values: dict[str, Any]) -> list[str]:
    config = runner.config
    rows_by_group = _rows_by_group(listing, runner, values, with_files=True)
    header, *tables = _table(rows_by_group)
    if any(len(lines) > 1 for lines in tables) and not values["verbose"]:
        rows_by_group = _rows_by_group(listing, runner, values, with_files=False)
        header, *tables = _table(rows_by_group)
    lines = [output.coloured(line, "dim") for line in header]
    aligned = iter(tables)
    for group, its_rows in rows_by_group.items():
        lines += [TITLE_BY_GROUP.get(group, group)] if its_rows else []
        for row in its_rows:
            lines += [output.coloured(line, _style_of(row[-1])) for line in next(aligned)]
    if not (values["event"] or values["tool"] or values["active"]):
        skips = [(shown(skip.path, config.root, config.home), skip.reason) for skip in runner.loaded.skips]
        lines += _section("skipped", skips)
        unread = [(shown(found.file, config.root, config.home), found.hint) for found in listing.unread]
        lines += _section("look like hooks but are not read", unread)
    return [*lines, _last(listing, runner)]


def _rows_by_group(
    listing: Listing, runner: HookRunner, values: dict[str, Any], *, with_files: bool
) -> dict[str, list[tuple[str, ...]]]:
    where = {"root": runner.config.root, "home": runner.config.home}
    return {
        group: listing_rows(listing, group, **where, active=values["active"], with_files=with_files)
        for group in listing.groups
    }


def _table(rows_by_group: dict[str, list[tuple[str, ...]]]) -> list[list[str]]:
    rows = [row for rows in rows_by_group.values() for row in rows]
    return output.table([HEADER, *rows], indent=2) if rows else [[]]


def _style_of(state: str) -> str:
    if state.startswith((constants.DENIES, constants.CANNOT_START)):
        return "err"
    return "" if state.startswith(constants.IN_FORCE) else "dim"


def _section(title: str, rows: list[tuple[str, str]]) -> list[str]:
    lines = [line for lines in output.table(rows, indent=2) for line in lines]
    return [title, *lines] if lines else []


def _last(listing: Listing, runner: HookRunner) -> str:
    if runner.loaded.registry.entries:
        return summary(listing.entries)
    return f"0 of 0 in force: no hooks for {output.harmless(runner.config.cwd)}; `hookrun new` lists some"
