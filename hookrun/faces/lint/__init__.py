"""What is wrong with the hooks of a place, found without running any of them: ``lint``, and ``mend``."""

from __future__ import annotations

from hookrun.faces.lint.check import lint
from hookrun.faces.lint.finding import Finding, Report, report_document
from hookrun.faces.lint.mend import mend

__all__ = ["Finding", "Report", "lint", "mend", "report_document"]
