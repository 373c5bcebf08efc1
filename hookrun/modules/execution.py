"""Programs that modules start: supervised as every process, never left behind."""

from __future__ import annotations

import os

from hookrun.model import constants
from hookrun.model.errors import HookrunError
from hookrun.model.frozen import Frozen
from hookrun.programs.command import program_path
from hookrun.running.process import Job, run_jobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence
    from typing import Any

NO_LIMIT = 10 * 365 * 86400.0  # seconds; a module that sets no timeout means none


class ExecResult(Frozen):
    """What a program did: its output as text, its exit code (128 + n for a signal), whether it was ended
    by us or by a signal."""

    stdout: str
    stderr: str
    code: int
    killed: bool = False

    def __await__(self) -> Generator[Any, None, ExecResult]:
        """`await api.exec(...)` is right, too: the program has ended already."""
        return self
        yield  # a generator, as awaiting wants one


class Cancel:
    """A token that ends what was started with it; may be used from any thread, more than once."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK) if hasattr(os, "pipe2") else os.pipe()
        self.is_cancelled = False

    def cancel(self) -> None:
        """End what runs with this token, now and in future."""
        self.is_cancelled = True
        if self._write >= 0:
            os.close(self._write)  # the other end becomes readable, for every reader and for good
            self._write = -1

    def fileno(self) -> int:
        """Return a descriptor that becomes readable on cancel."""
        return self._read

    def __del__(self) -> None:
        for descriptor in (self._read, self._write):
            if descriptor >= 0:
                os.close(descriptor)


def exec_command(
    command: str,
    args: Sequence[str] = (),
    *,
    cwd: str,
    env: Mapping[str, str],
    timeout: float | None = None,
    cancel: Cancel | None = None,
) -> ExecResult:
    """Run *command* with *args*, without a shell, and return what it did.

    *timeout* is in seconds; *cancel* ends it early. Raises HookrunError for a program that cannot start.
    """
    found = program_path(command, env.get("PATH", os.defpath)) if os.sep not in command else os.path.join(cwd, command)
    if not found:
        raise HookrunError(f"program {command!r} not found on PATH", hint="install it, or give its path")
    if cancel is not None and cancel.is_cancelled:
        return ExecResult(stdout="", stderr="", code=130, killed=True)
    job = Job(argv=(found, *args), cwd=cwd, env=env, stdin=b"", timeout=timeout or NO_LIMIT)
    (outcome,) = run_jobs(
        [job], total_timeout=timeout or NO_LIMIT, stop_when_readable=cancel.fileno() if cancel is not None else None
    )
    if outcome.status == constants.NOT_STARTED:
        raise HookrunError(f"{command} could not start: {outcome.cause}", hint=outcome.hint)
    killed = outcome.status in (constants.KILLED, constants.TIMED_OUT)
    code = outcome.exit_code if outcome.exit_code is not None else 128 + (outcome.signal or 15)
    return ExecResult(stdout=outcome.stdout, stderr=outcome.stderr, code=code, killed=killed)
