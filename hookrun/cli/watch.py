"""`hookrun watch`: says what files that change mean for the hooks, until Ctrl-C."""

from __future__ import annotations

import json
from typing import Any

from hookrun.cli import output
from hookrun.cli.event_input import open_runner
from hookrun.cli.options import command_named
from hookrun.commands.watch import Run, difference_lines, run_hookrun, run_lines, wait_for_changes
from hookrun.commands.watch_snapshot import (
    Difference,
    Snapshot,
    differences,
    failed_snapshot,
    folders_to_watch,
    stamps_of,
    take_snapshot,
)
from hookrun.model import constants
from hookrun.model.errors import HookrunError, UsageError

ENDLESS = ("watch", "serve")


def run(values: dict[str, Any]) -> int:
    """Print what is added, lost, broke or is mended, and with a command how its output changes."""
    words = _command(values["command"])
    try:
        _watch(words, values)
    except KeyboardInterrupt:
        pass
    return constants.EXIT_OK


def _command(words: list[str]) -> list[str]:
    own = words[1:] if words[:1] == ["hookrun"] else words
    if own and (command_named(own[0]) is None or own[0] in ENDLESS):
        raise UsageError(
            f"{own[0]!r} is not a hookrun command that ends",
            where="--",
            hint="""hookrun watch -- emit pre --tool Bash --input '{"command": "ls"}'""",
        )
    return own


def _watch(words: list[str], values: dict[str, Any]) -> None:
    with open_runner(values) as runner:
        seen = take_snapshot(runner)
    folders = folders_to_watch(seen.places)
    _tell_beginning(seen, folders, values)
    last = run_hookrun(words) if words else None
    if last:
        _tell_run(last, run_lines(last), values)
    while True:
        folders = folders_to_watch(seen.places)
        for _ in wait_for_changes(seen.places, folders):
            seen, last = _look_again(seen, last, words, values)
            if folders_to_watch(seen.places) != folders:
                break


def _look_again(
    seen: Snapshot, last: Run | None, words: list[str], values: dict[str, Any]
) -> tuple[Snapshot, Run | None]:
    """Read everything again, tell what is different, and return what is seen and what was run now."""
    now = _snapshot(seen, values)
    found = differences(seen, now)
    if found:
        _tell_differences(found, now, values)
    if last and (found or now.stamps != seen.stamps):
        run = run_hookrun(words)
        lines = difference_lines(last, run)
        if lines or found:
            _tell_run(run, lines or ["no difference"], values)
        # What the command itself wrote must not make it run again, and again.
        return now.replace(stamps=stamps_of(now.places)), run
    return now, last


def _snapshot(seen: Snapshot, values: dict[str, Any]) -> Snapshot:
    try:
        with open_runner(values) as runner:
            return take_snapshot(runner)
    except HookrunError as error:
        return failed_snapshot(error, seen)


def _tell_beginning(seen: Snapshot, folders: list[str], values: dict[str, Any]) -> None:
    if values["format"] == "json":
        _write_document({"watching": seen.in_force, "untrusted": seen.untrusted, "folders": folders})
    else:
        hooks = "hook" if seen.in_force == 1 else "hooks"
        places = "folder" if len(folders) == 1 else "folders"
        untrusted = f" and {seen.untrusted} not trusted" if seen.untrusted else ""
        output.write(f"watching {seen.in_force} {hooks}{untrusted} in {len(folders)} {places}; Ctrl-C ends\n")


def _tell_differences(found: list[Difference], now: Snapshot, values: dict[str, Any]) -> None:
    if values["format"] == "json":
        _write_document(
            {"changes": [each.as_dict() for each in found], "in_force": now.in_force, "total": len(now.hooks)}
        )
        return
    for each in found:
        detail = f": {each.detail}" if each.detail else ""
        output.write(f"{each.what:<8}{output.harmless(each.title + detail)}\n")


def _tell_run(run: Run, lines: list[str], values: dict[str, Any]) -> None:
    if values["format"] == "json":
        _write_document({"exit_code": run.exit_code, "output": run.output, "difference": lines})
    else:
        output.write("".join(f"  {output.harmless(line)}\n" for line in lines))


def _write_document(document: dict[str, Any]) -> None:
    """Write one document a line: what has no end cannot be one document."""
    output.write(json.dumps(document) + "\n")
