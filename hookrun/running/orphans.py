"""Finding what hooks have left alive, by the token in its environment or as an orphan that came to us."""

from __future__ import annotations

import os
import sys
import time

from hookrun.running import spawn, watcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Collection, Iterator
else:
    import _signal as signal

_CHUNK = 65536
_ENDED = "ZX"  # states: zombie, dead


class Process:
    """A line of /proc/*/stat (man 5 proc_pid_stat). ``started_at`` is in clock ticks since boot."""

    __slots__ = ("group", "name", "parent", "pid", "session", "started_at", "state")

    def __init__(self, pid: int, name: str, words: list[str]) -> None:
        self.pid = pid
        self.name = name
        self.state = words[0]
        self.parent, self.group, self.session = int(words[1]), int(words[2]), int(words[3])
        self.started_at = int(words[19])


class Remains:
    """What hooks that were started at most *seconds* ago, and were ended, have left alive.

    Linux only; elsewhere nothing is found. What cleared its environment and left the hook's process
    group is found only by a subreaper.
    """

    def __init__(self, *, seconds: float) -> None:
        self._since = _ticks_since_boot(seconds)
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
        process = _process(pid) if spawn.is_subreaper() else None
        return (
            process is not None
            and process.state not in _ENDED
            and spawn.is_adopted(process.pid, process.parent)
            and process.started_at >= self._since
            and process.session not in sessions_of_others
            and not watcher.is_token_of_ours(environment)
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


def _ticks_since_boot(seconds_ago: float) -> int:
    """The unit of /proc for the start of a process; one less, as it rounds."""
    if sys.platform != "linux":
        return 0
    return int((time.clock_gettime(time.CLOCK_BOOTTIME) - seconds_ago) * os.sysconf("SC_CLK_TCK")) - 1


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
