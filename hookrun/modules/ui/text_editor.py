"""A person's own editor, run on the terminal with one private file."""

from __future__ import annotations

import os
import time

from hookrun.config.paths import runtime_folder
from hookrun.model.constants import GRACE
from hookrun.model.errors import HookrunError, StoreError
from hookrun.modules.ui.terminal import PATH
from hookrun.programs.command import program_path
from hookrun.running.private_files import PrivateFiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Mapping

    from hookrun.modules.ui.terminal import Terminal
else:
    import _signal as signal

_TICK = 0.02  # seconds between two looks at the editor
_DEFAULT = "vi"


def edit(text: str, terminal: Terminal, environ: Mapping[str, str], is_over: Callable[[], bool]) -> str | None:
    """Return *text* as the person left it; None when the editor failed, was ended because *is_over*, or
    nothing was written and there was nothing.

    The editor is $VISUAL, $EDITOR or vi. The newline that editors put at the end is not the person's.
    Raises HookrunError when it cannot start or its file cannot be kept.
    """
    argv = _editor(environ)
    files = PrivateFiles(runtime_folder(environ))
    try:
        path = _keep(files, text)
        is_done = _run([*argv, path], terminal, environ, is_over)
        edited = _read(path) if is_done else None
    finally:
        _close(files)
    if edited is None or (not edited and not text):
        return None
    return edited if text.endswith("\n") else edited.removesuffix("\n")


def _editor(environ: Mapping[str, str]) -> list[str]:
    import shlex

    for variable in ("VISUAL", "EDITOR"):
        try:
            words = shlex.split(environ.get(variable, ""))
        except ValueError as error:
            raise HookrunError(f"not a valid command line: {error}", where=f"${variable}") from error
        if words:
            break
    else:
        variable, words = "EDITOR", [_DEFAULT]
    program = words[0] if "/" in words[0] else program_path(words[0], environ.get("PATH", os.defpath))
    if not program:
        raise HookrunError(f"editor {words[0]!r} not found", where=f"${variable}", hint="set EDITOR")
    return [program, *words[1:]]


def _keep(files: PrivateFiles, text: str) -> str:
    try:
        return files.keep("text", text.encode("utf-8", "replace"))
    except StoreError as error:
        raise HookrunError("cannot create a file for the editor", where=error.where, hint=error.hint) from error


def _run(argv: list[str], terminal: Terminal, environ: Mapping[str, str], is_over: Callable[[], bool]) -> bool:
    """Run the editor in the foreground, as a shell would, so that its Ctrl-C is not ours; return whether it
    ended well."""
    with terminal.kept_modes():
        try:
            pid = os.posix_spawn(
                argv[0],
                argv,
                environ,
                file_actions=(
                    (os.POSIX_SPAWN_OPEN, 0, PATH, os.O_RDWR, 0),
                    (os.POSIX_SPAWN_DUP2, 0, 1),
                    (os.POSIX_SPAWN_DUP2, 0, 2),
                ),
                setpgroup=0,
                setsigmask=(),
                setsigdef=(signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP),
            )
        except (OSError, ValueError) as error:
            raise HookrunError(f"cannot start the editor: {error}", where=argv[0], hint="set EDITOR") from error
        try:
            return _wait(pid, terminal, is_over) == 0
        except BaseException:
            _end(pid)
            raise
        finally:
            _give(terminal, os.getpgrp())


def _wait(pid: int, terminal: Terminal, is_over: Callable[[], bool]) -> int:
    """Return the editor's wait status. One that is stopped, by Ctrl-Z or before the terminal was its own,
    goes on: no shell could wake it."""
    is_in_foreground = _give(terminal, pid)
    while is_in_foreground and not is_over():
        status = _status(pid, os.WNOHANG | os.WUNTRACED)
        if status is None:
            time.sleep(_TICK)
        elif os.WIFSTOPPED(status):
            is_in_foreground = _give(terminal, pid)
            _signal(pid, signal.SIGCONT)
        else:
            return status
    return _end(pid)


def _end(pid: int) -> int:
    """Have the editor end, and return its wait status."""
    give_up_at = time.monotonic() + GRACE
    _signal(pid, signal.SIGTERM)
    _signal(pid, signal.SIGCONT)
    while time.monotonic() < give_up_at:
        status = _status(pid, os.WNOHANG)
        if status is not None:
            return status
        time.sleep(_TICK)
    _signal(pid, signal.SIGKILL)
    return _status(pid, 0) or 0


def _status(pid: int, options: int) -> int | None:
    try:
        found, status = os.waitpid(pid, options)
    except ChildProcessError:  # whoever runs us has taken it
        return 0
    return status if found else None


def _signal(group: int, number: int) -> None:
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        pass


def _give(terminal: Terminal, group: int) -> bool:
    try:
        terminal.give_to(group)
    except OSError:
        return False
    return True


def _read(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace")
    except OSError:
        return None


def _close(files: PrivateFiles) -> None:
    try:
        files.close()
    except OSError:  # the editor left a folder there: the next run sweeps
        pass
