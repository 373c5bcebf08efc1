"""What happened to a hook's process, as the value that the other stages read."""

from __future__ import annotations

import errno
import os

from hookrun.model.constants import KILLED, MIB, NOT_STARTED, TIMED_OUT
from hookrun.model.values import Outcome, Problem
from hookrun.running import spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from typing import Any

    from hookrun.running.child import Child
    from hookrun.running.process import Job
else:
    import _signal as signal

_SHOWN = 3  # names of processes left behind


def not_started(failure: spawn.Failure, program: str, job: Job, seconds: float) -> Outcome:
    """The job's *program*, or the shell in its place, never ran."""
    if failure.errno in (errno.EMFILE, errno.ENFILE):  # nothing can be read now, not even a module
        cause = f"there are too many open files to start {program}"
        hint = "close some, or raise the limit: ulimit -n"
    else:
        from hookrun.running.start_errors import cause_of

        cause, hint = cause_of(failure, program, job.cwd)
    return Outcome(status=NOT_STARTED, cause=cause, hint=hint, seconds=seconds)


def ended(child: Child, job: Job, seconds: float, left_running: list[str]) -> Outcome:
    """The process ended by itself; what it left running lives on, and is told."""
    problems = _left_behind(left_running, holds_output=child.has_open_streams)
    status = child.wait_status
    if status is None or status == spawn.LOST:
        cause = "its exit status was taken by the host program"
        hint = "leave SIGCHLD at its default, and wait for children by their number"
        return _with_output(child, job, problems, status=KILLED, cause=cause, hint=hint, seconds=seconds)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        cause = f"killed by signal {number} ({signal.strsignal(number) or 'unknown'})"
        return _with_output(child, job, problems, status=KILLED, signal=number, cause=cause, seconds=seconds)
    code = os.WEXITSTATUS(status)
    return _with_output(child, job, problems, status="ended", exit_code=code, seconds=seconds)


def was_ended(child: Child, job: Job, seconds: float, *, status: str, cause: str) -> Outcome:
    """The hook was ended here, with all that it had started."""
    hint = "make it faster, or raise its timeout" if status == TIMED_OUT else ""
    return _with_output(child, job, (), status=status, cause=cause, hint=hint, seconds=seconds)


def _with_output(child: Child, job: Job, problems: tuple[Problem, ...], **values: Any) -> Outcome:
    stdout, stderr = child.stdout, child.stderr
    if stdout is None or stderr is None:
        return Outcome(problems=problems, **values)
    for name, stream in (("stdout", stdout), ("stderr", stderr)):
        if stream.was_cut:
            problems += (_cut(name, job.stream_limit),)
    return Outcome(
        stdout=stdout.text(),
        stderr=stderr.text(),
        stdout_was_cut=stdout.was_cut,
        stdout_tail=stdout.tail() if stdout.was_cut else "",
        stderr_tail=stderr.tail() if stderr.was_cut else "",
        problems=problems,
        **values,
    )


def _cut(name: str, limit: int) -> Problem:
    size = f"{limit / MIB:g} MiB" if limit >= MIB else f"{limit} bytes"
    return Problem(message=f"its {name} was cut at {size}", hint="write less, or write to a file and name it")


def _left_behind(names: list[str], *, holds_output: bool) -> tuple[Problem, ...]:
    if not names and not holds_output:
        return ()
    who = ", ".join(names[:_SHOWN]) or "a background process"
    where = " and holds its output open" if holds_output else ""
    return (
        Problem(
            message=f"{who} is still running after its end{where}",
            hint="end it or wait for it in the hook; redirect its output if it is meant to live on",
        ),
    )
