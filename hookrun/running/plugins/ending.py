"""Ending the processes of plugins, several at the same time, with all that they have started."""

from __future__ import annotations

import time
from collections.abc import Sequence

from hookrun.model.constants import FAILED, GRACE
from hookrun.running import spawn
from hookrun.running.orphans import Remains
from hookrun.running.plugins.process import PluginProcess
from hookrun.running.process import end_remains

INTERRUPT_GRACE = 0.5  # seconds between TERM and KILL for somebody who does not want to wait
_FAREWELL = 0.5  # seconds that a plugin has to end by itself


def take_leave(processes: Sequence[PluginProcess]) -> None:
    """Ask *processes* to end by themselves, and end those that do not."""
    for process in processes:
        process.begin_farewell()
    until = time.monotonic() + _FAREWELL
    for process in processes:
        process.await_end(until)
    end_all([process for process in processes if not process.let_go()], grace=GRACE)


def end_all(processes: Sequence[PluginProcess], *, grace: float) -> None:
    """End *processes* with all that they have started: TERM, and KILL after *grace* seconds."""
    unfinished = [process for process in processes if process.outcome is None]
    remains: Remains | None = None
    for process in unfinished:
        process.end(time.monotonic(), grace=grace, status=FAILED, cause="")
    while unfinished:
        now = time.monotonic()
        due = min(process.step(now) for process in unfinished)
        vanishing = [process for process in unfinished if process.is_vanishing]
        if vanishing:
            if remains is None:
                from hookrun.running.orphans import Remains

                remains = Remains(seconds=now - min(process.began_at for process in unfinished))
            end_remains(vanishing, remains)
        unfinished = [process for process in unfinished if process.outcome is None]
        for process in unfinished:
            process.wait(due)
    spawn.reap_orphans()


def end_at_once(processes: Sequence[PluginProcess]) -> None:
    """End *processes* while an exception is on its way; another one cuts this short, not off."""
    for grace in (INTERRUPT_GRACE, 0.0, 0.0):
        try:
            end_all(processes, grace=grace)
            return
        except BaseException:
            continue
