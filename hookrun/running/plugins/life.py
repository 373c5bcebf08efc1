"""The processes of one plugin, one after another: started, activated, and after a fault ended and started
again, but not too often."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from hookrun.model.constants import FAILED, GRACE
from hookrun.model.values import Event, Outcome, Problem
from hookrun.running import interrupts, spawn
from hookrun.running.plugins.declared import Subscriptions, disagreements, read_declarations
from hookrun.running.plugins.ending import INTERRUPT_GRACE, end_all, end_at_once
from hookrun.running.plugins.process import Fault, Patience, PluginProcess
from hookrun.running.plugins.protocol import PluginAnswer, activate_request, declarations_in, error_in
from hookrun.running.streams import Readiness

ACTIVATION_SECONDS = 10.0
MOST_RESTARTS = 3  # within _MINUTE
_ANY_EVENT = "*"
_MINUTE = 60.0
_NO_TIME_LEFT = "timed out: the time of all hooks together was over"


class Turn:
    """One call of a plugin: ``until`` when it may take, in seconds of time.monotonic, and ``ends_at`` when a
    start is over as well; whether it ``is_cancelled``, what came up in it that is a problem, and which
    ``subscriptions`` it was found in."""

    __slots__ = ("began_at", "ends_at", "is_cancelled", "problems", "subscriptions", "timeout", "until")

    def __init__(self, timeout: float, ends_at: float) -> None:
        self.began_at = time.monotonic()
        self.timeout = timeout
        self.ends_at = ends_at
        self.until = min(self.began_at + timeout, ends_at)
        self.is_cancelled = False
        self.problems: list[Problem] = []
        self.subscriptions: Subscriptions | None = None

    def extend(self, seconds: float) -> None:
        """Leave out *seconds* that were no time of the plugin's."""
        self.until = min(self.until + seconds, self.ends_at)

    def words_at_end(self) -> str:
        """Say what it means that its time is over."""
        return _NO_TIME_LEFT if self.until == self.ends_at else f"timed out after {self.timeout:g} s"

    def reason_to_stop(self) -> str:
        """Return why to give up at once, "" for no reason."""
        if interrupts.received:
            return f"stopped by signal {interrupts.received[0]}"
        return "cancelled" if self.is_cancelled else ""

    def ended(self, outcome: Outcome) -> Outcome:
        """Return *outcome* with what belongs to the whole call."""
        return outcome.replace(problems=tuple(self.problems), seconds=time.monotonic() - self.began_at)


class PluginLife:
    """What there is of one plugin between calls. Not thread-safe: one call at a time."""

    def __init__(
        self,
        plugin_id: str,
        argv: tuple[str, ...],
        folder: str,
        env: Mapping[str, str],
        log: Callable[[str], None] | None,
        started_for: Sequence[str] = (),
    ) -> None:
        self.subscriptions: Subscriptions | None = None  # None: those of the manifest
        self._id = plugin_id
        self._argv = argv
        self._folder = folder
        self._env = env
        self._log = log
        self._started_for = frozenset(started_for)
        self._begin()

    def _begin(self) -> None:
        self.readiness = Readiness()
        self.process: PluginProcess | None = None
        self._restarts: list[float] = []
        self._last_fault = ""

    def wants(self, event: Event, turn: Turn) -> bool:
        """Whether the plugin, as far as it is known, wants to be asked about *event*."""
        subscriptions = self.subscriptions
        if subscriptions is turn.subscriptions:  # none, or those in which the event was found before
            return True
        turn.subscriptions = subscriptions
        return subscriptions is None or subscriptions.include(event)

    def ready(self, turn: Turn) -> PluginProcess:
        """Return the process, ready to be asked: the one that there is when all is well with it, or a new
        one; the time until it is started does not count in that of *turn*. Raises Fault.
        """
        began_at = time.monotonic()
        if self.process is not None:
            try:
                self.process.check()
                return self.process
            except Fault as fault:
                cause = self.end_after(fault, turn).cause
                message = f"since its last call {cause}; it was started again"
                turn.problems.append(Problem(message=message, source=self._id, hint="look at its stderr"))
        process = self._started(turn)
        turn.extend(time.monotonic() - began_at)
        return process

    def end_after(self, fault: Fault, turn: Turn) -> Outcome:
        """End the process, and return what the fault was, with the last line of stderr."""
        if self.process is None:
            return fault.outcome
        is_stopped = bool(turn.reason_to_stop())
        self._last_fault = "" if is_stopped else fault.outcome.cause
        end_all([self.process], grace=INTERRUPT_GRACE if is_stopped else GRACE)
        outcome = fault.outcome.replace(stderr=self.process.last_words)
        self.process = None
        return outcome

    def end_at_once(self) -> None:
        """End the process while an exception is on its way."""
        if self.process is not None:
            end_at_once([self.process])
            self.process = None

    def forget(self) -> None:
        """In a fork: leave the process to the parent."""
        if self.process is not None:
            self.process.disown()
        self._begin()

    def _started(self, turn: Turn) -> PluginProcess:
        self._count_restart()
        spawn.reap_left()
        process = PluginProcess(self._argv, self._folder, self._env, self.readiness, self._log)
        self.process = process
        process.start()
        until = time.monotonic() + ACTIVATION_SECONDS
        words = f"timed out after {ACTIVATION_SECONDS:g} s" if until < turn.ends_at else _NO_TIME_LEFT
        patience = Patience(min(until, turn.ends_at), f"{words} while it was activated", turn.reason_to_stop)
        self._activated(process.ask(activate_request(self._id), patience), turn)
        self._last_fault = ""
        return process

    def _activated(self, answer: PluginAnswer, turn: Turn) -> None:
        if error := error_in(answer):
            raise Fault(Outcome(status=FAILED, cause=f"it could not be activated: {error}"))
        declared = declarations_in(answer)
        if declared is None:  # the manifest says, and where it says nothing there is nothing to ask about
            self.subscriptions = Subscriptions(()) if _ANY_EVENT in self._started_for else None
        else:
            subscriptions, problems = read_declarations(declared, self._id)
            if problems:  # what it wanted to be asked about is unknown, and may be this very event
                turn.problems += problems
                first = problems[0]
                raise Fault(Outcome(status=FAILED, cause=f"{first.where}: {first.message}", hint=first.hint))
            self.subscriptions = subscriptions
            turn.problems += disagreements(subscriptions, self._started_for, self._id)

    def _count_restart(self) -> None:
        """Only a start after a fault counts. Raises Fault when there were too many."""
        now = time.monotonic()
        self._restarts = [at for at in self._restarts if now - at < _MINUTE]
        if not self._last_fault:
            return
        if len(self._restarts) >= MOST_RESTARTS:
            cause = f"restarted {MOST_RESTARTS} times within a minute; the last fault: {self._last_fault}"
            raise Fault(Outcome(status=FAILED, cause=cause, hint="fix the plugin, and wait a minute"))
        self._restarts.append(now)
