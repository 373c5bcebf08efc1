"""What is wrong with the hooks of a place, found without running any of them: ``lint``, and ``fix``."""

from __future__ import annotations

from hookrun.commands.validate.check import lint
from hookrun.commands.validate.finding import Finding, Report, report_document
from hookrun.commands.validate.fix import fix

__all__ = ["Finding", "Report", "fix", "lint", "report_document"]
