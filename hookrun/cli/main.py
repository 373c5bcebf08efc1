"""Read the command line, run one command, and turn every error into a message and an exit code."""

from __future__ import annotations

import os
import sys

from hookrun.cli import output
from hookrun.cli.options import command_named, read_arguments
from hookrun.model import constants
from hookrun.model.errors import HookrunError, Interrupted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

BRIDGE = "bridge"


def main(words: Sequence[str]) -> int:
    """Run the command line *words* and return the exit code. Never raises, never prints a traceback."""
    try:
        output.occupy_closed_streams()
        if not sys.platform.startswith(("linux", "darwin")):
            raise HookrunError(f"hookrun does not run on {sys.platform} yet", hint="use Linux, macOS or WSL")
        command = command_named(words[0]) if words else None
        values = read_arguments(words[1:], command) if command is not None else None
        if command is not None and values is not None:
            code = run_command(command.name, values)
        else:
            code = _run_with_typer(words)
    except BaseException as error:  # nothing inside hookrun may open the gate (docs/safety.md)
        code = _code_after(error, words)
    if code not in (constants.EXIT_OK, constants.EXIT_DENY) and words and words[0] == BRIDGE:
        output.pass_on(f"hookrun: denied: the bridge exited with code {code}\n")
        return constants.EXIT_DENY  # agents take most other codes for a yes, and some an exit without a text
    return code


def _run_with_typer(words: Sequence[str]) -> int:
    from hookrun.cli.application import run_with_typer

    return run_with_typer(list(words))


def _code_after(error: BaseException, words: Sequence[str]) -> int:
    """Say what went wrong on stderr, and return the exit code for it."""
    if isinstance(error, Interrupted):
        return error.exit_code
    if isinstance(error, KeyboardInterrupt):
        return 130
    if isinstance(error, SystemExit) and isinstance(error.code, int):  # Typer's, for a shell's completions
        return error.code
    if isinstance(error, HookrunError):
        output.complain(error)
        return _refusing(words, error.exit_code)
    if not isinstance(error, (BrokenPipeError, SystemExit)):
        output.complain(described(error))
    return _refusing(words, constants.EXIT_INTERNAL)


def leave(code: int) -> NoReturn:
    """End the process with *code* at once: with a thousand hooks, freeing the memory would take as long as
    deciding. The command has closed everything that must be closed."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, ValueError):  # Typer's output was lost
        code = code or constants.EXIT_INTERNAL
    os._exit(code)


def run_command(name: str, values: dict[str, object]) -> int:
    """Import the file of the command *name* and run it: only the command that needs an import pays for it."""
    from importlib import import_module

    module = "import_" if name == "import" else name  # a keyword of Python
    output.use_colours(not values.get("no_color"))
    try:
        code = import_module(f"hookrun.cli.{module}").run(values)
    except SystemExit as ended:  # only Typer ends the process, and it is not below here
        raise HookrunError(f"something inside hookrun called exit({ended.code})") from ended
    assert isinstance(code, int)
    return code


def _refusing(words: Sequence[str], code: int) -> int:
    """Return the exit code for a failure of hookrun itself; an event that may be guarded is denied."""
    if code == constants.EXIT_USAGE or not words or words[0] != "emit":
        return code
    try:
        return constants.EXIT_DENY if _may_be_guarded(words) else code
    except Exception:  # the same fault may break this as well
        return constants.EXIT_DENY


def _may_be_guarded(words: Sequence[str]) -> bool:
    from hookrun.runner import event_type

    command = command_named("emit")
    values = read_arguments(words[1:], command) if command else None
    return values is None or event_type(values["event"]).guarded


def described(error: BaseException) -> HookrunError:
    """Return the message for an exception that hookrun did not raise on purpose."""
    if isinstance(error, MemoryError):
        return HookrunError("out of memory", hint="raise the memory limit of this process")
    if isinstance(error, OSError):
        return HookrunError(
            f"{error.strerror or error}", where=str(error.filename or _place_of(error)), hint="see the system's message"
        )
    if isinstance(error, RecursionError):
        return HookrunError("nested too deeply", hint="reduce the nesting")
    where = _place_of(error)
    return HookrunError(
        f"hookrun failed: {type(error).__name__}: {error}", where=where, hint="please report this with the command line"
    )


def _place_of(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    code = trace.tb_frame.f_code
    return f"{code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}"
