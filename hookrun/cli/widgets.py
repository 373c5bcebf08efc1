"""`hookrun widgets`: what the widgets show for this directory; those that are old run first."""

from __future__ import annotations

from typing import Any

from hookrun.cli import output
from hookrun.cli.event_input import open_runner
from hookrun.commands.widgets import ShownWidget, show_widgets, widget_document
from hookrun.model import constants
from hookrun.model.errors import UsageError
from hookrun.model.width import cut_to_width
from hookrun.running.interrupts import catch_signals
from hookrun.running.spawn import become_subreaper
from hookrun.running.watcher import close_watcher


def run(values: dict[str, Any]) -> int:
    """Print one line a widget, and return 1 when one of them failed; the others are still printed."""
    if values["width"] is not None and values["width"] < 1:
        raise UsageError("--width must be greater than 0", hint="--width 80")
    catch_signals()
    become_subreaper()
    try:
        with open_runner(values) as runner:
            shown = show_widgets(runner, slot=values["slot"] or "")
            problems = runner.problems
    finally:
        close_watcher()
    if values["format"] == "json":
        output.write_json([widget_document(each) for each in shown if each.cached is not None])
    else:
        output.write("".join(f"{line}\n" for line in _lines(shown, values)))
    failed = [each for each in shown if each.failure]
    for each in failed:
        warning = f"{each.hook.title}: {each.failure}"
        output.warn(warning)
    output.tell_problems(problems, quiet=values["quiet"])
    return constants.EXIT_FOUND_WRONG if failed else constants.EXIT_OK


def _lines(shown: list[ShownWidget], values: dict[str, Any]) -> list[str]:
    """Return the texts, below their slots unless one slot was asked for."""
    indent = "" if values["slot"] else "  "
    width = values["width"] - len(indent) if values["width"] is not None else None
    lines: list[str] = []
    slot = values["slot"]
    for each in shown:
        if each.cached is None or not each.cached.text:
            continue
        if each.widget.slot != slot:
            slot = each.widget.slot
            lines.append(slot)
        for text in output.harmless(each.cached.text, lines=True).expandtabs().split("\n"):
            cut = text if width is None else cut_to_width(text, width)
            lines.append(indent + output.coloured(cut, each.cached.style))
    return lines
