"""Guards that were trusted and are gone: taken away, or of another branch. Git is asked about these alone."""

from __future__ import annotations

import os

from hookrun.model import constants
from hookrun.model.values import Standing
from hookrun.trust.entries import MARK, branches_had_entry, is_left_out_by_commit, is_name_of_entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.config.project import Project


def standing_of_gone(project: Project, name: str, unit: Mapping[str, Any], environ: Mapping[str, str]) -> Standing:
    """Return how the guards of the recorded *unit* stand, whose definition *name* is not there."""
    is_entry = is_name_of_entry(name, unit)
    file = name.rpartition(MARK)[0] if is_entry else name
    if _is_of_another_branch(project, name, unit, environ, is_entry=is_entry):
        reason = f"this branch does not have it, another one does: {name}"
        skip = "`on_missing: skip` in your own configuration passes over such guards"
        hint = f"{skip}; `hookrun untrust {file}` forgets it on all branches"
        return Standing(status=constants.GONE, reason=reason, hint=hint)
    whole = f", which forgets all entries of {file}" if is_entry else ""
    hint = f"put it back, or `hookrun untrust {file}`{whole}"
    return Standing(status=constants.CHANGED, reason=f"it was trusted and is gone: {name}", hint=hint)


def _is_of_another_branch(
    project: Project, name: str, unit: Mapping[str, Any], environ: Mapping[str, str], *, is_entry: bool
) -> bool:
    """Say whether the commit that is checked out lacks the unit and another branch has it, now or earlier.
    What was never committed, or is in the commit, was taken away."""
    from hookrun.config.git import branches_had, commit_has, other_branches

    if not project.git_folder or os.path.isabs(name):
        return False
    if is_entry:
        return is_left_out_by_commit(name, unit, project, environ) and branches_had_entry(
            name, unit, project, other_branches(project.top, environ), environ
        )
    return commit_has(project.top, "HEAD", name, environ) is False and branches_had(
        project.top, other_branches(project.top, environ), name, environ
    )
