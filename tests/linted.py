"""A project's findings without the command line, for the tests of single checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookrun.commands.validate.check import lint
from hookrun.runner import HookRunner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from command import Project

    from hookrun.commands.validate.finding import Finding, LintReport


def report_of(project: Project, environment: Mapping[str, str], *paths: Any, **more: Any) -> LintReport:
    """Return what `hookrun validate` finds in *project*, or at *paths* alone."""
    with HookRunner.discover(project.path, env=environment) as runner:
        return lint(runner, [str(path) for path in paths], **more)


def messages(project: Project, environment: Mapping[str, str], *paths: Any) -> list[str]:
    """Return the findings as `line: message`, in order."""
    return [_text(finding) for finding in report_of(project, environment, *paths).findings]


def _text(finding: Finding) -> str:
    return f"{finding.line}: {finding.message}"
