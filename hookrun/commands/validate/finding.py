"""What linting finds, and how much was looked at."""

from __future__ import annotations

from typing import Any, Final, Literal

from hookrun.model.frozen import Frozen

ERROR: Final = "error"
WARNING: Final = "warning"


class Finding(Frozen):
    """One flaw. ``line`` counts from 1 (0: unknown), ``where`` is the key path or the words it is about,
    ``hook`` the id of the hook it costs ("" when it costs a whole file). ``state`` is what it makes of that
    hook: denies, cannot start, never fires, or "". ``fixed`` ones are gone again."""

    message: str
    level: Literal["error", "warning"] = "warning"
    file: str = ""
    line: int = 0
    where: str = ""
    hook: str = ""
    hint: str = ""
    state: str = ""
    fixed: bool = False


class MatcherFlaw(Frozen):
    """What is wrong with a matcher: it names a tool that is not known. ``never_fires`` when that is surely
    a slip and the hook has no other matcher, ``is_single`` when the matcher is one name or expression."""

    message: str
    hint: str = ""
    is_single: bool = False
    never_fires: bool = False


class Report(Frozen):
    """The findings, by file and line, and the counts of hooks and of files that were looked at."""

    findings: tuple[Finding, ...] = ()
    hooks: int = 0
    files: int = 0

    def count(self, level: str) -> int:
        """Return how many findings of *level* are left."""
        return sum(finding.level == level and not finding.fixed for finding in self.findings)


def report_document(report: Report) -> dict[str, Any]:
    """Return *report* as one JSON-ready mapping (docs/cli.md)."""
    return {
        "findings": [
            {
                "level": finding.level,
                "file": finding.file,
                "line": finding.line or None,
                "where": finding.where,
                "hook": finding.hook or None,
                "message": finding.message,
                "hint": finding.hint,
                "fixed": finding.fixed,
            }
            for finding in report.findings
        ],
        "checked": {"hooks": report.hooks, "files": report.files},
        "errors": report.count(ERROR),
        "warnings": report.count(WARNING),
    }
