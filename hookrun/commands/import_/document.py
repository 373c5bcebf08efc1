"""An import as one JSON-ready mapping, and what is left to do after it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from hookrun.commands.import_.plan import Import, Note
from hookrun.model import constants


def next_steps(planned: Import) -> list[str]:
    """Return what a person does next, in order; nothing where nothing was carried over."""
    if not planned.files:
        return []
    # In this order: what was trusted in the settings would be missed in them, and what they guarded denied.
    taken_out = f"remove these hooks from {' and '.join(planned.sources)}, or they run twice"
    named = " ".join(planned.on_record)
    forgotten = [f"hookrun untrust {named}, or what they guarded is denied as gone"] if named else []
    trusted = ["hookrun trust, once it is what you want"] if planned.level != constants.USER else []
    installed = f"hookrun install {planned.agent}, so that {planned.agent} asks hookrun"
    return [taken_out, *forgotten, *trusted, installed]


def import_document(planned: Import, *, is_dry_run: bool) -> dict[str, Any]:
    """Return *planned* as one mapping (docs/import.md)."""
    return {
        "agent": planned.agent,
        "level": planned.level,
        "dry_run": is_dry_run,
        "hooks": planned.hooks,
        "from": list(planned.sources),
        "files": [os.path.join(planned.folder, file.path) for file in planned.files],
        "changed": _notes(planned.changed),
        "not_carried_over": _notes(planned.lost),
        "next": next_steps(planned),
        "problems": [problem.document() for problem in planned.problems],
    }


def _notes(notes: Sequence[Note]) -> list[dict[str, Any]]:
    return [{"file": note.file, "where": note.where or None, "reason": note.text} for note in notes]
