"""A small process beside ours that ends the hooks when ours is killed and can do nothing any more.

It sleeps until a pipe breaks, then reads from a file which hooks were running, and kills those. One for
each process of hookrun, started with the first hook, shared by all threads, replaced when it died.
"""

from __future__ import annotations

import os
import select
from _thread import RLock

from hookrun.running import interrupts, spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
else:
    import _signal as signal

# Nothing is ever written to the pipe: waking the watcher for each hook would cost more than the rest of
# supervision. The list comes as fd 2, the one that spawn() has left, and has a record a hook: its token
# and its group (which may still be unknown), or blanks. Two rounds must find nothing, because a process
# that is just becoming another program shows no environment.
_SCRIPT = """
trap '' HUP INT TERM
exec 3<&2 2>/dev/null
read -r end
running=
while read -r token group; do
  [ -z "$token" ] || running="$running $token:$group"
done <&3
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
_RECORD = 64  # bytes of one hook in the list

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
    """The process, our end of its pipe, and the list that it will read. ``slots`` are places in it."""

    __slots__ = ("free_slots", "list_file", "pid", "pipe", "slot_by_token")

    def __init__(self, pid: int, pipe: int, list_file: int) -> None:
        self.pid = pid
        self.pipe = pipe
        self.list_file = list_file
        self.slot_by_token: dict[str, int] = {}
        self.free_slots: list[int] = []

    def note(self, token: str, group: int | None) -> None:
        """Put a hook on the list, or its group beside it."""
        slot = self.slot_by_token.get(token)
        if slot is None:
            slot = self.free_slots.pop() if self.free_slots else len(self.slot_by_token)
            self.slot_by_token[token] = slot
        self._write(slot, f"{token} {group or ''}")

    def forget(self, token: str) -> None:
        """Take a hook off the list."""
        slot = self.slot_by_token.pop(token, None)
        if slot is not None:
            self._write(slot, "")
            self.free_slots.append(slot)

    def _write(self, slot: int, text: str) -> None:
        os.pwrite(self.list_file, f"{text:<{_RECORD - 1}}\n".encode(), slot * _RECORD)


def watch(token: str, group: int | None = None) -> None:
    """Have the hook that carries *token* ended, should this process be killed: first before it is started,
    then with its process *group*. Without a watcher (no descriptors left) hooks run all the same.
    """
    with _lock:
        running[token] = group
        if _current is None or not _is_alive(_current):
            _replace()
        else:
            _current.note(token, group)


def unwatch(token: str) -> None:
    """Forget a hook that has ended, whatever it left behind on purpose."""
    with _lock:
        if running.pop(token, token) != token and _current is not None:
            _current.forget(token)


def close_watcher() -> None:
    """End the watcher and reap it; hooks that other threads still have running end with it."""
    global _current
    with _lock, interrupts.Held():
        if _current is not None:
            watcher, _current = _current, None
            _end(watcher, at_once=not running)


def _close_at_exit() -> None:
    interrupts.ignore()
    close_watcher()


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
        _current.note(token, group)


def _start() -> _Watcher:
    import atexit

    atexit.unregister(_close_at_exit)
    atexit.register(_close_at_exit)
    list_file = _new_list()
    try:
        read, write = os.pipe()
    except BaseException:
        os.close(list_file)
        raise
    try:
        pid = _shell(read, list_file)
    except BaseException:
        os.close(write)
        os.close(list_file)
        raise
    finally:
        os.close(read)
    return _Watcher(pid, write, list_file)


def _new_list() -> int:
    """Return a file without a name, that can be read by whoever holds its descriptor."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("hookrun-running", os.MFD_CLOEXEC)
    from tempfile import TemporaryFile

    with TemporaryFile() as file:
        return os.dup(file.fileno())


def _shell(stdin: int, list_file: int) -> int:
    null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    argv = ("/bin/sh", "-c", _SCRIPT)
    try:
        started = spawn.spawn(argv, cwd="/", env=_ENVIRONMENT, stdin=stdin, stdout=null, stderr=list_file)
    finally:
        os.close(null)
    if isinstance(started, spawn.Failure):
        raise OSError(started.errno, os.strerror(started.errno))
    os.close(started.failure_pipe)
    return started.pid


def _is_alive(watcher: _Watcher) -> bool:
    poll = select.poll()
    poll.register(watcher.pipe, 0)
    return not poll.poll(0)


def _end(watcher: _Watcher, *, at_once: bool) -> None:
    """End it without (at_once) or with its ending what still runs."""
    if at_once and _is_alive(watcher):
        os.kill(watcher.pid, signal.SIGKILL)
    os.close(watcher.pipe)
    os.close(watcher.list_file)
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
        os.close(_current.list_file)
    _current = None
    _lock = RLock()
    running.clear()


os.register_at_fork(after_in_child=_forget_in_child)
