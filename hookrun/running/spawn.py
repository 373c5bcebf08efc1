"""Starting one process in its own session, without a shell and without the cost of ``subprocess``."""

from __future__ import annotations

import errno
import os
import sys
from _thread import RLock
from collections.abc import Mapping, Sequence

try:
    from _posixsubprocess import fork_exec
except ImportError:  # not CPython, or one that has moved it
    fork_exec = None  # type: ignore[assignment]


_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
LOST = -1  # no wait status is negative

_children: set[int] = set()  # what was started here and is not reaped yet
_left: set[int] = set()  # those of them that could not be ended
_subreaper = 0  # the process that has become one; a fork of it has not
_lock = RLock()


_ENCODING = sys.getfilesystemencoding()


class Spawned:
    """A process that was started, and the pipe on which it says why it could not become the program."""

    __slots__ = ("failure_pipe", "pid")

    def __init__(self, pid: int, failure_pipe: int) -> None:
        self.pid = pid
        self.failure_pipe = failure_pipe


class Failure:
    """Why a process did not become its program. ``in_cwd``: its folder, not the program, was the reason."""

    __slots__ = ("errno", "in_cwd")

    def __init__(self, errno: int, *, in_cwd: bool) -> None:
        self.errno = errno
        self.in_cwd = in_cwd


def spawn(
    argv: Sequence[str], *, cwd: str, env: Mapping[str, str], stdin: int, stdout: int, stderr: int
) -> Spawned | Failure:
    """Start *argv* (an absolute program first) in its own session and process group, with these descriptors
    and no others, SIGPIPE as a program expects it.

    A program that cannot be executed often shows only later: the process ends, and ``read_failure`` of
    its pipe tells why. The caller closes that pipe and reaps the process with ``reap``. Raises OSError.
    Words that no program can be given (NUL, lone surrogates, ``=`` in a name) fail with EINVAL.
    """
    failure_read, failure_write = _pipe_above_stdio()
    try:
        with _lock:
            pid = _fork_exec(argv, cwd, _environment(env), (stdin, stdout, stderr), (failure_read, failure_write))
            _children.add(pid)
    except OSError as error:
        os.close(failure_read)
        return Failure(error.errno or 0, in_cwd=error.filename == cwd)
    except ValueError:
        os.close(failure_read)
        return Failure(errno.EINVAL, in_cwd=False)
    except BaseException:
        os.close(failure_read)
        raise
    finally:
        os.close(failure_write)
    os.set_blocking(failure_read, False)
    return Spawned(pid, failure_read)


def read_failure(failure_pipe: int) -> Failure | None:
    """Return what a process that has ended said about its start; None when it did become its program."""
    try:
        report = os.read(failure_pipe, 1024)
    except BlockingIOError:  # a fork of the host still holds the other end
        return None
    if not report:
        return None
    _, number, reason = report.split(b":", 2)
    return Failure(int(number, 16), in_cwd=reason.startswith(b"noexec"))


def reap(pid: int, *, wait: bool = False) -> int | None:
    """Return the wait status of a child that has ended, None while it runs, LOST when the host took it."""
    try:
        found, status = os.waitpid(pid, 0 if wait else os.WNOHANG)
    except ChildProcessError:
        found, status = pid, LOST
    if not found:
        return None
    _children.discard(pid)
    return status


def become_subreaper() -> None:
    """Have orphans below this process become its children (Linux; elsewhere nothing happens).

    Only for the command: the orphans of a host are the host's own affair.
    """
    global _subreaper
    if sys.platform != "linux":
        return
    try:
        import _ctypes

        prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")  # type: ignore[arg-type]
        if _ctypes.call_function(prctl, (_SET_CHILD_SUBREAPER, 1, 0, 0, 0)) == 0:
            _subreaper = os.getpid()
    except (ImportError, AttributeError, OSError):
        return


def is_subreaper() -> bool:
    """Whether orphans below this process become its children."""
    return _subreaper == os.getpid()


def reap_orphans() -> None:
    """Reap what came to this process as a subreaper and has ended."""
    while is_subreaper():
        try:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if ended is None or not is_adopted(ended.si_pid, os.getpid()):
            return
        reap(ended.si_pid)


def is_adopted(pid: int, parent: int) -> bool:
    """Whether a process came here as an orphan of a hook. Every hook has a session of its own, so what
    shares ours was started by somebody else in this process.
    """
    try:
        return parent == os.getpid() and not is_child(pid) and os.getsid(pid) != os.getsid(0)
    except ProcessLookupError:
        return False


def reap_later(pid: int) -> None:
    """Leave a child that does not end (it hangs in the kernel) to the next ``reap_left``."""
    _left.add(pid)


def reap_left() -> None:
    """Reap those of the children left for later that have ended by now."""
    for pid in tuple(_left):
        if reap(pid) is not None:
            _left.discard(pid)


def is_child(pid: int) -> bool:
    """Whether *pid* was started here and not reaped yet: it is nobody's orphan, and somebody waits for it."""
    with _lock:
        return pid in _children


def _environment(env: Mapping[str, str]) -> list[bytes]:
    words = [f"{name}={value}".encode(_ENCODING, "surrogateescape") for name, value in env.items()]
    if any(b"\0" in word for word in words) or any("=" in name for name in env):
        raise ValueError("a variable that no program can be given")
    return words


def _pipe_above_stdio() -> tuple[int, int]:
    """Where a host runs with 0, 1 or 2 closed, the new process would overwrite its own failure pipe."""
    read, write = os.pipe()
    if write > 2:
        return read, write
    import fcntl

    try:
        lifted = fcntl.fcntl(write, fcntl.F_DUPFD_CLOEXEC, 3)
    except BaseException:
        os.close(read)
        raise
    finally:
        os.close(write)
    return read, lifted


def _fork_exec(
    argv: Sequence[str],
    cwd: str,
    environment: list[bytes],
    streams: tuple[int, int, int],
    failure_pipe: tuple[int, int],
) -> int:
    stdin, stdout, stderr = streams
    if fork_exec is not None:
        try:
            return fork_exec(
                argv, (os.fsencode(argv[0]),), True, (failure_pipe[1],), cwd, environment,
                stdin, -1, -1, stdout, -1, stderr, *failure_pipe,
                True, True, -1, None, None, None, -1, None, True,  # type: ignore[arg-type]
            )  # fmt: skip
        except TypeError:  # a version with other arguments
            pass
    return _popen(argv, cwd, environment, streams)


def _popen(argv: Sequence[str], cwd: str, environment: list[bytes], streams: tuple[int, int, int]) -> int:
    import subprocess

    stdin, stdout, stderr = streams
    env = dict(word.split(b"=", 1) for word in environment)
    process = subprocess.Popen(
        argv, cwd=cwd, env=env, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True
    )
    process.returncode = 0  # we reap it; Popen must neither wait for it nor warn
    return process.pid


def _begin_anew_in_child() -> None:
    global _lock
    _lock = RLock()
    _children.clear()
    _left.clear()


os.register_at_fork(after_in_child=_begin_anew_in_child)
