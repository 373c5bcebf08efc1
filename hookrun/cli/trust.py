"""`hookrun trust`: show what a project would run, and let a person trust it."""

from __future__ import annotations

import os
import sys

from hookrun.cli import output
from hookrun.cli.given import open_runner
from hookrun.faces import trusting
from hookrun.faces.trust_text import candidate_document, candidate_lines
from hookrun.library import require_person
from hookrun.words import names
from hookrun.words.errors import UsageError
from hookrun.words.width import in_columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hookrun.faces.trusting import Candidate
    from hookrun.library import HookRunner


def run(values: dict[str, Any]) -> int:
    """Show what is new or changed, ask, and trust it; or list what is trusted."""
    with open_runner(values) as runner:
        if values["list"]:
            return _print_list(runner, values)
        require_person(runner.config.environ, "trust hooks")
        found = trusting.candidates(runner, values["paths"])
        wanted = [each for each in found if each.state in (trusting.NEW, trusting.CHANGED)]
        unusable = [each for each in found if each.state == trusting.UNREADABLE]
        is_json = values["format"] == "json"
        if not is_json:
            output.write(_shown(runner, [*unusable, *wanted], values))
        is_agreed = bool(wanted) and (values["yes"] or _agrees(len(wanted), is_json=is_json))
        moved = trusting.remember(runner, wanted) if is_agreed else []
        for path in moved:
            output.warn(f"the records could not be read and begin anew; the old ones are in {path}")
        _print_result(runner, found, wanted, values, is_agreed=is_agreed)
        return names.EXIT_FOUND_WRONG if unusable or (wanted and not is_agreed) else names.EXIT_OK


def _print_list(runner: HookRunner, values: dict[str, Any]) -> int:
    import time

    known = trusting.remembered(runner)
    if values["format"] == "json":
        output.write_json([each.as_dict() for each in known])
        return names.EXIT_OK
    rows = [
        (
            output.harmless(each.name),
            each.state,
            f"{each.texts} text{'' if each.texts == 1 else 's'}",
            time.strftime("%Y-%m-%d %H:%M", time.localtime(each.at)),
        )
        for each in known
    ]
    output.write("".join(f"{line}\n" for line in in_columns(rows)))
    if not rows:
        output.write("nothing of this project is trusted\n")
    return names.EXIT_OK


def _shown(runner: HookRunner, chosen: Sequence[Candidate], values: dict[str, Any]) -> str:
    def text_of(digest: str) -> bytes | None:
        return trusting.kept_text(runner, digest)

    lines = [
        line for each in chosen for line in (*candidate_lines(each, text_of, with_text=values["show"]), "")
    ]
    # Tabs are fine; a line break could only come from the name of a file, and show what is not there.
    return "".join("{}\n".format(output.harmless(line, lines=True).replace("\n", "\\n")) for line in lines)


def _agrees(count: int, *, is_json: bool) -> bool:
    """Ask the person at the terminal. Raises UsageError where there is none."""
    if is_json or not os.isatty(0):
        raise UsageError(
            "there is no terminal to ask at" if not is_json else "JSON leaves no room for a question",
            where="trust",
            hint="look at what it shows, then add --yes",
        )
    sys.stderr.write(f"Trust {'this' if count == 1 else f'these {count}'}? [y/N] ")
    sys.stderr.flush()
    try:
        return input().strip().lower() in ("y", "yes")
    except EOFError:
        return False


def _print_result(
    runner: HookRunner,
    found: Sequence[Candidate],
    wanted: Sequence[Candidate],
    values: dict[str, Any],
    *,
    is_agreed: bool,
) -> None:
    if values["format"] == "json":
        chosen = {each.name for each in wanted} if is_agreed else set()
        output.write_json([candidate_document(each, is_trusted=each.name in chosen) for each in found])
    elif wanted:
        output.write(f"trusted {len(wanted)}\n" if is_agreed else "trusted nothing\n")
    elif found:
        trusted = sum(each.state == trusting.TRUSTED for each in found)
        output.write(f"nothing new: {trusted} of {len(found)} are trusted\n")
    else:
        output.write(f"{runner.config.root} has no hooks of its own\n")
