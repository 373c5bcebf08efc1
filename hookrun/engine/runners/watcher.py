"""A small process beside ours that ends the hooks when ours is killed and can do nothing any more.

It reads from a pipe which hooks are running; when the pipe breaks it kills those. One for each process
of hookrun, started with the first hook, shared by all threads, replaced when it died.
"""

from __future__ import annotations

import errno
import os
import select
from _thread import RLock

from hookrun.engine.runners import spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
else:
    import _signal as signal

# Lines are "+ TOKEN GROUP" (the group may still be unknown) and "- TOKEN". Two rounds must find
# nothing, because a process that is just becoming another program shows no environment.
_SCRIPT = """
trap '' HUP INT TERM
running=
while read -r sign token group; do
  kept=
  for entry in $running; do
    [ "${entry%%:*}" = "$token" ] || kept="$kept $entry"
  done
  running=$kept
  [ "$sign" = - ] || running="$running $token:$group"
done
[ -n "$running" ] || exit 0
patterns=
for entry in $running; do
  group=${entry#*:}
  [ -z "$group" ] || kill -s KILL -- "-$group"
  patterns="$patterns -e ${entry%%:*}"
done
clean=0
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  found=$(grep -lsF $patterns /proc/[0-9]*/environ)
  [ -n "$found" ] && clean=0 || clean=$((clean + 1))
  [ $clean -lt 2 ] || break
  for file in $found; do
    process=${file#/proc/}
    kill -s KILL "${process%%/*}"
  done
done
"""
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
_SECONDS_TO_END = 2.0

running: dict[str, int | None] = {}  # group by token, of every hook that this process has running
_lock = RLock()
_current: _Watcher | None = None
_prefix = ""  # of the tokens of this process


def new_token() -> str:
    """Return a fresh token for one hook; those of one process begin alike."""
    global _prefix
    if not _prefix:
        _prefix = os.urandom(8).hex()
    return f"{_prefix}-{os.urandom(8).hex()}"


def is_token_of_ours(environment: bytes) -> bool:
    """Whether *environment* holds the token of any hook that this process has, or had, running."""
    return bool(_prefix) and _prefix.encode() in environment


class _Watcher:
    """The process, and our end of its pipe."""

    __slots__ = ("pid", "pipe")

    def __init__(self, pid: int, pipe: int) -> None:
        self.pid = pid
        self.pipe = pipe


def watch(token: str, group: int | None = None) -> None:
    """Have the hook that carries *token* ended, should this process be killed: first before it is started,
    then with its process *group*. Without a watcher (no descriptors left) hooks run all the same.
    """
    with _lock:
        running[token] = group
        if _current is None or not _tell(_current, _line(token, group)):
            _replace()


def unwatch(token: str) -> None:
    """Forget a hook that has ended, whatever it left behind on purpose."""
    with _lock:
        if running.pop(token, token) != token and _current is not None:
            _tell(_current, f"- {token}\n")


def close_watcher() -> None:
    """End the watcher and reap it; hooks that other threads still have running end with it."""
    global _current
    with _lock:
        if _current is not None:
            watcher, _current = _current, None
            _end(watcher, at_once=not running)


def _replace() -> None:
    global _current
    old, _current = _current, None
    if old is not None:
        _end(old, at_once=True)  # or it would take the closing pipe for our death
    try:
        _current = _start()
    except OSError:
        return
    for token, group in running.items():
        _tell(_current, _line(token, group))


def _start() -> _Watcher:
    import atexit

    atexit.unregister(close_watcher)
    atexit.register(close_watcher)
    read, write = os.pipe()
    os.set_blocking(write, False)
    try:
        pid = _shell(read)
    except BaseException:
        os.close(write)
        raise
    finally:
        os.close(read)
    return _Watcher(pid, write)


def _shell(stdin: int) -> int:
    null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    argv = ("/bin/sh", "-c", _SCRIPT)
    try:
        started = spawn.spawn(argv, cwd="/", env=_ENVIRONMENT, stdin=stdin, stdout=null, stderr=null)
    finally:
        os.close(null)
    if isinstance(started, spawn.Failure):
        raise OSError(started.errno, os.strerror(started.errno))
    os.close(started.failure_pipe)
    return started.pid


def _tell(watcher: _Watcher, line: str) -> bool:
    """Return whether the watcher is there and has room for the line: it may have been killed or stopped."""
    if not _is_alive(watcher):
        return False
    try:
        os.write(watcher.pipe, line.encode())
    except OSError as error:
        if error.errno not in (errno.EAGAIN, errno.EPIPE):
            raise
        return False
    return True


def _is_alive(watcher: _Watcher) -> bool:
    """Asked before every write, because a host may have SIGPIPE at its default, which would end it."""
    poll = select.poll()
    poll.register(watcher.pipe, 0)
    return not poll.poll(0)


def _line(token: str, group: int | None) -> str:
    return f"+ {token} {group or ''}\n"


def _end(watcher: _Watcher, *, at_once: bool) -> None:
    """End it without (at_once) or with its ending what still runs."""
    if at_once and _is_alive(watcher):
        os.kill(watcher.pid, signal.SIGKILL)
    os.close(watcher.pipe)
    if not at_once and not _ends_by_itself(watcher.pid):
        os.kill(watcher.pid, signal.SIGKILL)
    spawn.reap(watcher.pid, wait=True)


def _ends_by_itself(pid: int) -> bool:
    from time import monotonic, sleep

    give_up_at = monotonic() + _SECONDS_TO_END
    while spawn.reap(pid) is None:
        if monotonic() > give_up_at:
            return False
        sleep(0.005)
    return True


def _forget_in_child() -> None:
    """A fork of the host has hooks and a watcher of its own; holding this pipe it would hide our death."""
    global _current, _lock, _prefix
    _prefix = ""
    if _current is not None:
        os.close(_current.pipe)
    _current = None
    _lock = RLock()
    running.clear()


os.register_at_fork(after_in_child=_forget_in_child)
