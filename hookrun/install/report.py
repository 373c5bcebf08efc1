"""What install and uninstall did, for programs, and what they do to a file as a diff."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hookrun.agents import protocol_of
from hookrun.install.installing import FileStep, Step


def steps_document(steps: Iterable[Step], level: str, *, is_dry_run: bool) -> dict[str, Any]:
    """Return what was done as one JSON-ready mapping."""
    return {
        "level": level,
        "dry_run": is_dry_run,
        "agents": [
            {
                "agent": step.agent,
                "known_from": known_from(step.agent),
                "files": [
                    {
                        "path": file.path,
                        "state": file.state,
                        "added": list(file.added),
                        "renewed": list(file.renewed),
                        "removed": list(file.removed),
                        "backup": file.backup or None,
                        "diff": difference(file) if is_dry_run else None,
                    }
                    for file in step.files
                ],
                "left_to_do": list(step.left),
                "problems": [problem.document() for problem in step.problems],
            }
            for step in steps
        ],
    }


def known_from(agent: str) -> str:
    """Return how it is known what *agent* can do: the versions that were measured, or that it was read."""
    return protocol_of(agent).replies.known_from


def difference(file: FileStep) -> str:
    """Return what is done to *file* as a unified diff."""
    from difflib import unified_diff

    before, after = file.before.splitlines(keepends=True), file.after.splitlines(keepends=True)
    old = file.path if file.before else "/dev/null"
    new = file.path if file.after else "/dev/null"
    lines = unified_diff(before, after, old, new)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
