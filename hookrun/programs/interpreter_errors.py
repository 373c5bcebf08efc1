"""Tell an interpreter's own complaint about a hook's script from the hook saying no: both exit with 2."""

from __future__ import annotations

import os

from hookrun.config.files import read_regular
from hookrun.model.constants import KIB
from hookrun.programs.command import Launch
from hookrun.programs.interpreters import is_python, is_shell
from hookrun.programs.python_text import python_flaw

# What follows the script's name, in lower case. bash ": line 2: ", dash ": 2: ", zsh ":2: ", ksh "[2]: ".
_SHELL_COMPLAINT = (
    r"(?:: command substitution)?(?:: line \d+|: \d+|:\d+|\[\d+\]): .*(?:syntax error|unexpected end of file"
    r"|unexpected eof|parse error|unterminated quoted string)"
    r"|: syntax error at line \d+|: no such file"
)
_PYTHON_ERRORS = ("SyntaxError", "IndentationError", "TabError")
_LONGEST_STDERR = 64 * KIB  # characters, from the end


def syntax_check_for(launch: Launch, stderr: str) -> tuple[str, ...] | None:
    """Return what to run to confirm that a shell could not read the hook's script; None for no complaint.

    A script can print whatever it likes, so *stderr* alone proves nothing. The check reads the script and
    runs nothing of it; any exit but 0 confirms.
    """
    if not launch.script or not is_shell(launch.interpreter):
        return None
    import re

    for line in stderr[-_LONGEST_STDERR:].splitlines():
        _, _, rest = line.lower().partition(launch.script.lower())
        if re.match(_SHELL_COMPLAINT, rest):
            return (launch.interpreter, "-n", launch.script)
    return None


def python_complaint(launch: Launch, stderr: str) -> str:
    """Return why Python could not read the hook's script, confirmed by reading it; "" for no complaint."""
    if not launch.script or not is_python(launch.interpreter):
        return ""
    text = stderr[-_LONGEST_STDERR:]
    if "can't open file" in text and launch.script in text:
        return "" if os.access(launch.script, os.R_OK) else f"can't open {launch.script}"
    if any(error in text for error in _PYTHON_ERRORS):
        return _unparsable(launch.script)
    return ""


def _unparsable(script: str) -> str:
    name = os.path.basename(script)
    try:
        flaw, line = python_flaw(read_regular(script), script)
    except OSError as error:
        return f"syntax error: {name}: {error}"
    where = f"line {line}: " if line else ""
    return f"syntax error: {name}: {where}{flaw}" if flaw else ""
