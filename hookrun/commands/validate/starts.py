"""Checks of whether a hook can start at all, by what the runner itself looks at before it starts one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from hookrun.commands.validate.definition import Said
from hookrun.commands.validate.finding import ERROR, Finding
from hookrun.commands.validate.subject import Subject, script_of
from hookrun.model import constants
from hookrun.programs.command import Launch, Obstacle
from hookrun.programs.interpreters import find_script
from hookrun.programs.shebang import read_beginning

CRLF = "CRLF line endings"


def check_start(subject: Subject) -> Iterator[Finding]:
    """Yield why a hook cannot start, or what is odd about how it does."""
    start = subject.start
    if start is None:
        hook = subject.hook
        found = subject.finding(f"cannot start: {hook.flaw}", hint=hook.flaw_hint, level=ERROR)
        yield found.replace(state=constants.CANNOT_START)
    elif isinstance(start, Obstacle):
        yield _obstacle(subject, start).replace(state=constants.CANNOT_START)
    else:
        for problem in start.problems:
            yield _at_script(subject, problem.message, problem.source, problem.hint)
        if subject.hook.kind != constants.MODULE:
            yield from _without_shebang(subject, start)


def _obstacle(subject: Subject, obstacle: Obstacle) -> Finding:
    message = f"cannot start: {obstacle.cause}"
    script = script_of(subject.hook.program)
    if script and (obstacle.cause == CRLF or os.path.basename(script) in obstacle.cause):
        return _at_script(subject, message, script, obstacle.hint).replace(level=ERROR)
    said = subject.says.get("needs") or _entry(subject)
    return subject.finding(message, said, hint=obstacle.hint, level=ERROR)


def _entry(subject: Subject) -> Said | None:
    """Return the key that names the program."""
    words = ("executable", f"entry_{sys.platform}", "entry")
    return next((subject.says[word] for word in words if word in subject.says), None)


def _without_shebang(subject: Subject, launch: Launch) -> Iterator[Finding]:
    """Yield a warning for a file that is run by its path and does not say by which interpreter."""
    script = script_of(subject.hook.program)
    if not script or launch.script != script or find_script(subject.hook.program.words):
        return
    try:
        if not os.path.getsize(script):
            yield _at_script(subject, "is empty: it runs and does nothing", script, "write it or remove it")
        elif not read_beginning(script).words:
            name = os.path.basename(launch.interpreter)
            message = f"has no shebang: it is run by {name}"
            yield _at_script(subject, message, script, f"begin it with #!/usr/bin/env {name}")
    except OSError:
        return


def _at_script(subject: Subject, message: str, script: str, hint: str) -> Finding:
    return subject.finding(message, hint=hint).replace(file=script, line=1, where="")
