"""Why a program could not be started, in words that name the culprit, and what to do about it."""

from __future__ import annotations

import errno
import os

from hookrun.config.files import first_line
from hookrun.running.spawn import Failure


def cause_of(failure: Failure, program: str, cwd: str) -> tuple[str, str]:
    """Return cause and hint of a start that failed; *program* is absolute."""
    reason = os.strerror(failure.errno)
    if failure.in_cwd:
        return f"its working directory {cwd} cannot be entered: {reason}", "check that the folder exists"
    if failure.errno == errno.ENOENT:
        return _what_is_missing(program)
    if failure.errno == errno.EACCES:
        return _what_is_forbidden(program)
    cause, hint = _OTHERS.get(failure.errno, ("{program} cannot be started: {reason}", ""))
    return cause.format(program=program, reason=reason), hint


def _what_is_missing(program: str) -> tuple[str, str]:
    if not os.path.exists(program):
        return f"{program} does not exist", "check the path"
    interpreter = _interpreter(program)
    if interpreter.endswith("\r"):
        return f"{program} has CRLF line endings", "save it with LF line endings: sed -i 's/\\r$//' FILE"
    if interpreter:
        cause = f"{interpreter}, the interpreter of {program}, does not exist"
        return cause, "install it, or name another in the script's first line"
    return f"the loader that {program} was built for does not exist", "use a build for this system"


def _what_is_forbidden(program: str) -> tuple[str, str]:
    if os.path.isdir(program):
        return f"{program} is a folder", "name a program"
    if not os.path.isfile(program):
        return f"{program} is not a regular file", "name a program"
    if not os.access(program, os.X_OK):
        return f"{program} is not executable", f"chmod +x {program}"
    interpreter = _interpreter(program)
    if interpreter and not os.access(interpreter, os.X_OK):
        cause = f"{interpreter}, the interpreter of {program}, is not executable"
        return cause, "name another in the script's first line"
    return f"{program} may not be executed here", "check its folders, and that its disk is not mounted noexec"


def _interpreter(program: str) -> str:
    """The program of the shebang, with the CR that a DOS line ending leaves at its end."""
    line = first_line(program, 256)
    if not line.startswith(b"#!"):
        return ""
    return os.fsdecode(line[2:].strip(b" \t\n").split(b" ")[0])


_FEWER = "run fewer programs at the same time"
_OTHERS = {
    errno.E2BIG: ("arguments and environment are too long for this system", "hand over less, or in a file"),
    errno.ETXTBSY: ("{program} is still being written by another process", "try again when it is complete"),
    errno.ENOEXEC: ("{program} is not a program for this system", "use a build for this system"),
    errno.EINVAL: ("an argument or a variable holds what no program can be given", "remove NUL characters"),
    errno.ELOOP: ("{program} is a link that leads to itself", "remove the link"),
    errno.ENOTDIR: ("{program} does not exist: a part of its path is not a folder", "check the path"),
    errno.EAGAIN: ("this user has too many processes to start one more", _FEWER),
    errno.ENOMEM: ("not enough memory to start {program}", _FEWER),
}
