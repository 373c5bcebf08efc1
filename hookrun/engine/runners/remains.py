"""Finding what hooks have left alive, by the token in its environment or as an orphan that came to us."""

from __future__ import annotations

import os
import sys
import time

from hookrun.engine.runners import spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Collection, Iterator
else:
    import _signal as signal

_CHUNK = 65536
_ENDED = "ZX"  # states: zombie, dead
_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
_prefix = ""  # of the tokens of this process
_subreaper = 0  # the process that has become one; a fork of it has not


class Process:
    """A line of /proc/*/stat (man 5 proc_pid_stat). ``started_at`` is in clock ticks since boot."""

    __slots__ = ("group", "name", "parent", "pid", "session", "started_at", "state")

    def __init__(self, pid: int, name: str, words: list[str]) -> None:
        self.pid = pid
        self.name = name
        self.state = words[0]
        self.parent, self.group, self.session = int(words[1]), int(words[2]), int(words[3])
        self.started_at = int(words[19])


def become_subreaper() -> None:
    """Have orphans below this process become its children (Linux; elsewhere nothing happens).

    Only for the command and the server: a host's own orphans would come to it unasked.
    """
    global _subreaper
    if sys.platform != "linux":
        return
    try:
        import _ctypes

        prctl = _ctypes.dlsym(_ctypes.dlopen("", 0), "prctl")
        if _ctypes.call_function(prctl, (_SET_CHILD_SUBREAPER, 1, 0, 0, 0)) == 0:
            _subreaper = os.getpid()
    except (ImportError, AttributeError, OSError):
        return


def is_subreaper() -> bool:
    """Whether orphans below this process become its children."""
    return _subreaper == os.getpid()


def new_token() -> str:
    """Return a fresh token for one hook; those of one process begin alike."""
    global _prefix
    if not _prefix:
        _prefix = os.urandom(8).hex()
    return f"{_prefix}-{os.urandom(8).hex()}"


def ticks_since_boot() -> int:
    """Return the time as /proc counts the start of processes; 0 where there is none."""
    if sys.platform != "linux":
        return 0
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))


class Remains:
    """What hooks that were ended have left alive. ``since``: the start of the oldest, in ticks since boot.

    Linux only; elsewhere nothing is found. What cleared its environment and left the hook's process
    group is found only by a subreaper.
    """

    def __init__(self, since: int) -> None:
        self._since = since
        self._killed: set[int] = set()

    def end(self, tokens: Collection[str], sessions_of_others: Collection[int]) -> bool:
        """KILL once whatever carries one of *tokens* and the orphans of no other hook of this process;
        return whether there was anything.
        """
        self._reap_killed()
        wanted = [token.encode() for token in tokens]
        for pid in _pids():
            environment = _environment(pid)
            carries_token = any(token in environment for token in wanted) and not spawn.is_child(pid)
            if carries_token or self._is_orphan(pid, environment, sessions_of_others):
                self._kill(pid)
        return bool(self._killed)

    def _is_orphan(self, pid: int, environment: bytes, sessions_of_others: Collection[int]) -> bool:
        process = _process(pid) if is_subreaper() else None
        return (
            process is not None
            and process.state not in _ENDED
            and _is_adopted(process.pid, process.parent)
            and process.started_at >= self._since
            and process.session not in sessions_of_others
            and _prefix.encode() not in environment
        )

    def _kill(self, pid: int) -> None:
        try:
            os.kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return
        self._killed.add(pid)

    def _reap_killed(self) -> None:
        self._killed = {pid for pid in self._killed if spawn.reap(pid) is None}


def members(group: int) -> list[str]:
    """Return name and number of each process that lives in a group; ended ones that nobody reaps do not."""
    if not os.path.isdir("/proc/self"):
        return [f"process group {group}"]
    found = [process for pid in _pids() if (process := _process(pid)) and process.group == group]
    return [f"{process.name} ({process.pid})" for process in found if process.state not in _ENDED]


def reap_orphans() -> None:
    """Reap what came to this process as a subreaper and has ended. Costs a system call when nothing has."""
    while is_subreaper():
        try:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if ended is None or not _is_adopted(ended.si_pid, os.getpid()):
            return
        spawn.reap(ended.si_pid)


def _is_adopted(pid: int, parent: int) -> bool:
    """Every hook has a session of its own, so what shares ours was started by somebody else here."""
    try:
        return parent == os.getpid() and not spawn.is_child(pid) and os.getsid(pid) != os.getsid(0)
    except ProcessLookupError:
        return False


def _pids() -> Iterator[int]:
    try:
        names = os.listdir("/proc")
    except OSError:
        return
    for name in names:
        if name.isdigit():
            yield int(name)


def _process(pid: int) -> Process | None:
    line = _content(f"/proc/{pid}/stat").decode("utf-8", "replace")
    start, found, rest = line.rpartition(")")  # the name itself may hold parentheses
    return Process(pid, start.partition("(")[2], rest.split()) if found else None


def _environment(pid: int) -> bytes:
    return _content(f"/proc/{pid}/environ")


def _content(path: str) -> bytes:
    """The whole of a file of a process; nothing when it has ended or is not ours to read."""
    chunks = []
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        while chunk := os.read(descriptor, _CHUNK):
            chunks.append(chunk)
    except OSError:
        pass
    finally:
        os.close(descriptor)
    return b"".join(chunks)


def _begin_anew_in_child() -> None:
    global _prefix
    _prefix = ""


os.register_at_fork(after_in_child=_begin_anew_in_child)
