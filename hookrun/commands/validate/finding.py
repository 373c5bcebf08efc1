"""What `validate` finds."""

from __future__ import annotations

from typing import Any, Final, Literal

from hookrun.model.frozen import Frozen

ERROR: Final = "error"
WARNING: Final = "warning"


class Finding(Frozen):
    """One flaw."""

    message: str
    level: Literal["error", "warning"] = "warning"
    file: str = ""
    line: int = 0  # from 1, 0 when unknown
    where: str = ""  # the key path, or the words of a header
    hook: str = ""  # its id, "" for a whole file
    hint: str = ""
    state: str = ""  # what it makes of the hook: denies, cannot start, never fires
    fixed: bool = False


class MatcherFlaw(Frozen):
    """What is wrong with a matcher that names an unknown tool."""

    message: str
    hint: str = ""
    is_single: bool = False  # the matcher is one name or expression
    never_fires: bool = False  # it is surely a slip, and the hook has no other matcher


class LintReport(Frozen):
    """All findings, by file and line."""

    findings: tuple[Finding, ...] = ()
    hooks: int = 0  # how many were checked
    files: int = 0

    def count(self, level: str) -> int:
        """Return how many findings of *level* are left."""
        return sum(finding.level == level and not finding.fixed for finding in self.findings)


def report_document(report: LintReport) -> dict[str, Any]:
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
