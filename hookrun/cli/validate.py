"""`hookrun validate`: say what is wrong with hooks, and mend what can be mended."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from hookrun.cli import output
from hookrun.cli.event_input import open_runner
from hookrun.commands.validate.check import lint
from hookrun.commands.validate.finding import Finding, LintReport, report_document
from hookrun.commands.validate.fix import fix
from hookrun.model import constants

MANY = 20  # scripts, from which on it is worth to show how far it is


def run(values: dict[str, Any]) -> int:
    """Print the findings and return 1 when there are errors, with --strict also for warnings."""
    if values["schema"]:
        from hookrun.commands.schema import manifest_schema

        output.write_json(manifest_schema())
        return constants.EXIT_OK
    paths = [os.path.abspath(path) for path in values["paths"] or ()]
    mended: tuple[Finding, ...] = ()
    if values["fix"]:
        with open_runner(values) as runner:
            mended = fix(runner, paths)
    with open_runner(values) as runner:
        progress = _Progress(is_wanted=not values["quiet"])
        try:
            report = lint(runner, paths, progress.show)
        finally:
            progress.close()
        report = report.replace(findings=(*mended, *report.findings))
        _print(report, values, runner.config.cwd)
    found = report.count("error") + (report.count("warning") if values["strict"] else 0)
    return constants.EXIT_FOUND_WRONG if found else constants.EXIT_OK


def _print(report: LintReport, values: dict[str, Any], cwd: str) -> None:
    if values["format"] == "json":
        output.write_json(report_document(report))
        return
    shown = [finding for finding in report.findings if finding.fixed or finding.level == "error" or not values["quiet"]]
    lines = [line for finding in shown for line in finding_lines(finding, cwd)]
    output.write("".join(f"{line}\n" for line in [*lines, summary(report)]))


def finding_lines(finding: Finding, cwd: str) -> Iterator[str]:
    """Yield a finding for stdout as `file:line: level: message`, and its hint in a second line."""
    inside = finding.file.startswith(cwd.rstrip("/") + "/")
    file = os.path.relpath(finding.file, cwd) if inside else finding.file
    place = f"{file}:{finding.line}: " if finding.line else f"{file}: " if file else ""
    level = "fixed" if finding.fixed else finding.level
    where = finding.where.partition(": ")[2] if finding.where.startswith("line ") else finding.where
    message = f"{where + ': ' if where else ''}{finding.message}"
    yield f"{output.harmless(place)}{output.label(level)} {output.harmless(message)}"
    if finding.hint:
        yield f"  {output.label('hint')} {output.harmless(finding.hint)}"


def summary(report: LintReport) -> str:
    """Return the last line: what was looked at and what was found."""
    fixed = sum(finding.fixed for finding in report.findings)
    counts = [_counted(report.count("error"), "error"), _counted(report.count("warning"), "warning")]
    counts += [f"{fixed} fixed"] if fixed else []
    looked_at = f"{_counted(report.hooks, 'hook')} in {_counted(report.files, 'file')}"
    return f"checked {looked_at}: {', '.join(counts)}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


class _Progress:
    """How far the checks are, on a terminal's stderr and only where it takes a while."""

    def __init__(self, *, is_wanted: bool) -> None:
        self._is_wanted = is_wanted and os.isatty(output.STDERR)
        self._bar: Any = None

    def show(self, done: int, total: int, name: str) -> None:
        """Show that *name* is at hand, after *done* of *total*."""
        if not self._is_wanted or total < MANY:
            return
        if self._bar is None:
            self._bar = _bar()
            self._bar.add_task("", total=total, name="")
            self._bar.start()
        task = self._bar.task_ids[0]
        self._bar.update(task, completed=done, total=total, name=output.harmless(os.path.basename(name)))
        self._bar.refresh()

    def close(self) -> None:
        """Take the bar off the screen."""
        if self._bar is not None:
            self._bar.stop()


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        TextColumn("checking"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[name]}", markup=False),
    )
    # Without a thread that redraws: the checks start processes, which does not go with threads.
    return Progress(*columns, console=Console(stderr=True), auto_refresh=False, transient=True)
