"""`hookrun trust`: show what a project would run, and let a person trust it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

from hookrun.cli import output
from hookrun.cli.event_input import open_runner
from hookrun.commands import trust
from hookrun.commands.trust import Candidate, Gone
from hookrun.commands.trust_text import candidate_document, candidate_lines, gone_document, gone_lines, is_short
from hookrun.model import constants
from hookrun.model.errors import UsageError
from hookrun.model.width import in_columns
from hookrun.runner import HookRunner, require_person

_YES = ("y", "yes")
_ARE = ("is", "are")


def run(values: dict[str, Any]) -> int:
    """Show what is new, changed or gone, ask about each, and trust or forget it; or list what is trusted."""
    with open_runner(values) as runner:
        if values["list"]:
            return _print_list(runner, values)
        require_person(runner.config.environ, "trust hooks")
        gone = trust.gone(runner, values["paths"])
        found = trust.candidates(runner, values["paths"], gone)
        wanted = [each for each in found if each.state in (trust.NEW, trust.CHANGED)]
        unusable = [each for each in found if each.state == trust.UNREADABLE]
        chosen, is_forgotten = _answers(runner, unusable, wanted, gone, values)
        moved = trust.remember(runner, chosen)
        if is_forgotten:
            trust.forget_gone(runner, gone)
        for path in moved:
            output.warn(f"the trust records could not be read and start empty; the old ones are in {path}")
        _print_result(runner, found, wanted, chosen, gone, values, is_forgotten=is_forgotten)
        is_open = bool(unusable or len(chosen) < len(wanted) or (gone and not is_forgotten))
        return constants.EXIT_FOUND_WRONG if is_open else constants.EXIT_OK


def _answers(
    runner: HookRunner,
    unusable: Sequence[Candidate],
    wanted: Sequence[Candidate],
    gone: Sequence[Gone],
    values: dict[str, Any],
) -> tuple[list[Candidate], bool]:
    """Show everything; return what of *wanted* is to be trusted, and whether *gone* is to be forgotten."""
    is_json = values["format"] == "json"
    if values["yes"] or is_json or not os.isatty(0):
        if not is_json:
            output.write(_shown(runner, [*unusable, *wanted], values) + _shown_gone(gone))
        if (wanted or gone) and not values["yes"]:
            raise _no_terminal(is_json=is_json)
        return list(wanted), bool(gone)
    output.write(_shown(runner, unusable, values))
    chosen: list[Candidate] = []
    for each in wanted:
        answer = _answer_about(runner, each, values)
        if answer is None:  # nobody is there any more
            return chosen, False
        if answer:
            chosen.append(each)
    if not gone:
        return chosen, False
    output.write(_shown_gone(gone))
    return chosen, _said(f"Forget {'this' if len(gone) == 1 else f'these {len(gone)}'}? [y/N] ") in _YES


def _answer_about(runner: HookRunner, candidate: Candidate, values: dict[str, Any]) -> bool | None:
    """Show *candidate* and ask about it, None at the end of input. What is not shown is shown on demand."""
    is_whole = values["show"] or is_short(candidate) or candidate.state == trust.CHANGED
    with_text = values["show"] or is_short(candidate)
    output.write(_shown(runner, [candidate], {**values, "show": with_text}))
    while True:
        said = _said(f"Trust this? [{'y/N' if is_whole else 'y/N/show'}] ")
        if said not in ("s", "show"):
            return None if said is None else said in _YES
        output.write(_shown(runner, [candidate], {**values, "show": True}))


def _said(question: str) -> str | None:
    """Return what a person answers at the terminal, None at the end of input."""
    sys.stderr.write(question)
    sys.stderr.flush()
    try:
        return input().strip().lower()
    except EOFError:
        return None


def _no_terminal(*, is_json: bool) -> UsageError:
    return UsageError(
        "--format json cannot ask" if is_json else "no terminal to ask on",
        where="trust",
        hint="look at what it shows, then add --yes",
    )


def _print_list(runner: HookRunner, values: dict[str, Any]) -> int:
    import time

    known = trust.remembered(runner)
    if values["format"] == "json":
        output.write_json([each.as_dict() for each in known])
        return constants.EXIT_OK
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
    return constants.EXIT_OK


def _shown(runner: HookRunner, chosen: Sequence[Candidate], values: dict[str, Any]) -> str:
    def text_of(digest: str) -> bytes | None:
        return trust.kept_text(runner, digest)

    lines = [line for each in chosen for line in (*candidate_lines(each, text_of, with_text=values["show"]), "")]
    # Tabs are fine; a line break could only come from the name of a file, and show what is not there.
    return "".join("{}\n".format(output.harmless(line, lines=True).replace("\n", "\\n")) for line in lines)


def _shown_gone(gone: Sequence[Gone]) -> str:
    lines = [line for each in gone for line in (*gone_lines(each), "")]
    return "".join(f"{output.harmless(line)}\n" for line in lines)


def _print_result(
    runner: HookRunner,
    found: Sequence[Candidate],
    wanted: Sequence[Candidate],
    chosen: Sequence[Candidate],
    gone: Sequence[Gone],
    values: dict[str, Any],
    *,
    is_forgotten: bool,
) -> None:
    if values["format"] == "json":
        trusted_names = {each.name for each in chosen}
        documents = [candidate_document(each, is_trusted=each.name in trusted_names) for each in found]
        documents += [gone_document(each, is_forgotten=is_forgotten) for each in gone]
        output.write_json(documents)
    elif wanted or gone:
        of_all = f" of {len(wanted)}" if 0 < len(chosen) < len(wanted) else ""
        trusted = f"trusted {len(chosen) or 'nothing'}{of_all}\n" if wanted else ""
        output.write(trusted + (f"forgot {len(gone)} that {_ARE[len(gone) > 1]} gone\n" if is_forgotten else ""))
    elif found:
        trusted_count = sum(each.state == trust.TRUSTED for each in found)
        output.write(f"nothing new: {trusted_count} of {len(found)} are trusted\n")
    else:
        output.write(f"{runner.config.root} has no hooks of its own\n")
    if values["format"] != "json":
        for name in trust.of_other_branches(runner):
            output.write(f"{output.harmless(name)} is not on this branch; it stays trusted\n")
