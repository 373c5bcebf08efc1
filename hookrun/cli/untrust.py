"""`hookrun untrust`: forget what was trusted, also of hooks that are gone."""

from __future__ import annotations

import os
import sys
from typing import Any

from hookrun.cli import output
from hookrun.cli.event_input import open_runner
from hookrun.commands import trust
from hookrun.model import constants
from hookrun.model.errors import UsageError
from hookrun.runner import require_person


def run(values: dict[str, Any]) -> int:
    """Forget what PATHs name; without any, everything of the project, after a question."""
    with open_runner(values) as runner:
        require_person(runner.config.environ, "untrust hooks")
        if not values["paths"] and not values["yes"] and not _agrees(runner.config.root):
            return constants.EXIT_FOUND_WRONG
        forgotten, moved = trust.forget(runner, values["paths"])
    for path in moved:
        output.warn(f"the trust records could not be read and start empty; the old ones are in {path}")
    if values["format"] == "json":
        output.write_json({"forgotten": forgotten})
    else:
        output.write("".join(f"no longer trusted: {output.harmless(name)}\n" for name in forgotten))
        if not forgotten:
            output.write("nothing of this project was trusted\n")
    return constants.EXIT_OK


def _agrees(root: str) -> bool:
    if not os.isatty(0):
        raise UsageError("no PATH and no terminal to ask on", hint="name what to forget, or add --yes")
    sys.stderr.write(f"Forget all that is trusted of {output.harmless(root)}? [y/N] ")
    sys.stderr.flush()
    try:
        return input().strip().lower() in ("y", "yes")
    except EOFError:
        return False
