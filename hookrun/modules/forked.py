"""Modules in a forked child that must hand back a token: what one of them does to the process
(`os._exit(0)`, a crash, an endless loop) is a failure of that module, never an answer.

This is the parent's side; child.py is the other. Only the command line does so; a library's modules
live in its host's process.
"""

from __future__ import annotations

import json
import os
import select
import time

from hookrun.model.errors import Interrupted
from hookrun.model.frozen import Frozen
from hookrun.modules.child import be_the_child
from hookrun.modules.ui.terminal import mend_terminal
from hookrun.running import interrupts, watcher
from hookrun.running.orphans import Remains

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Sequence
    from typing import Any

    from hookrun.modules.child import MakeModules, Work
else:
    import _signal as signal

_PART = 65536
_TICK = 0.1  # seconds between two looks at whether the child lives: what it started may hold its pipe open
_END_SECONDS = 0.2  # for the child to end by itself once it has closed its pipe, or handed back all
_ROUNDS = 20  # of reading, and of ending, what a child has left
_CLEAN_ROUNDS = 2  # of ending, one after the other
_PAUSE = 0.01  # seconds between them


class Times(Frozen):
    """How long modules may take, in seconds: ``load`` for the import and factory of one, ``call`` for all
    handlers of an event, or a command. ``total`` is for all of it, without the time in which a person is
    asked; ``until`` is an end of it (time.monotonic()) that even this does not put off: an agent waits no
    longer."""

    load: float
    call: float
    total: float = float("inf")
    until: float = float("inf")


class Ended(Frozen):
    """What became of the work. ``done`` is what it returned, None when it was not finished: then ``owner``
    is the module that was called, and ``how`` it ended the work.

    ``failures`` are the reasons why modules are not loaded, by path; ``kept`` what the host was given;
    ``waited`` for how many seconds a person was asked.
    """

    done: Any = None
    owner: str = ""
    how: str = ""
    failures: tuple[tuple[str, str], ...] = ()
    kept: tuple[tuple[str, Any], ...] = ()
    waited: float = 0.0


def run_in_child(owners: Sequence[str], work: Work, make_modules: MakeModules, times: Times) -> Ended:
    """Load the modules *owners* (paths) and do *work* with them, all in one child.

    A module that never ends its import, or ends the process in it, is left out, and the others are
    loaded anew. *work* returns what JSON can hold. Raises Interrupted when TERM, INT or HUP came
    (``interrupts.catch_signals``); the child and what it started have been ended then.
    """
    failures: dict[str, str] = {}
    began_at = time.monotonic()
    waited = 0.0
    while remaining := [owner for owner in owners if owner not in failures]:
        taken = time.monotonic() - began_at - waited
        if failures and (taken > times.total or time.monotonic() > times.until):
            cause = "the time of all hooks together was over before it was loaded"
            return Ended(failures=tuple((failures | dict.fromkeys(remaining, cause)).items()), waited=waited)
        try:
            child = _Child(remaining, work, make_modules, times.replace(total=times.total - taken))
        except OSError as error:  # too many processes or open files, no memory
            cause = f"no process can be started for modules: {error.strerror}"
            return Ended(failures=tuple((failures | dict.fromkeys(remaining, cause)).items()))
        ended = child.follow()
        failures |= dict(ended.failures)
        waited += ended.waited
        if not child.died_loading:
            return ended.replace(failures=tuple(failures.items()), waited=waited)
    return Ended(failures=tuple(failures.items()))


class _Child:
    """One child from its fork to its end, seen from the parent."""

    def __init__(self, owners: list[str], work: Work, make_modules: MakeModules, times: Times) -> None:
        self.died_loading = False
        self._times = times
        self._began_at = time.monotonic()
        self._state: tuple[str, str] = ("loading", owners[0])
        self._deadline = self._began_at + times.load
        self._ends_at = self._began_at + times.total
        self._waiting_since: float | None = None
        self._waited = 0.0
        self._failures: dict[str, str] = {}
        self._done: dict[str, Any] | None = None
        self._unread = b""
        self._status: int | None = None
        self._heard: list[int] = []  # descriptors of the child that are not at their end
        self._token = watcher.new_token()
        self._interrupt = interrupts.begin(self)
        try:
            watcher.watch(self._token)
            self._fork(lambda ends: be_the_child(owners, work, make_modules, self._token, *ends))
        except BaseException:
            interrupts.end(self)
            raise

    def follow(self) -> Ended:
        """Read what the child reports until it is done, dead or out of time; it is gone afterwards."""
        is_late = False
        try:
            while self._done is None and not is_late and not interrupts.received and self._listen():
                now = time.monotonic()
                deadline = min(self._deadline, self._ends_at)
                is_late = now > self._times.until or (self._waiting_since is None and now > deadline)
        finally:
            interrupts.resume_alarm()  # a person may still be asked
            ended = self._end()
            signal_number = interrupts.end(self)
        if signal_number is not None:
            raise Interrupted(signal_number)
        if self._done is not None:
            done = self._done
            kept = tuple((kind, document) for kind, document in done["kept"])
            failures = tuple(self._failures.items())
            return Ended(done=done["value"], failures=failures, kept=kept, waited=self._waited)
        return self._blamed("did not end in time" if is_late else ended).replace(waited=self._waited)

    def _fork(self, be_the_child: Callable[[tuple[int, int, int]], None]) -> None:
        self._reports, report_end = os.pipe()
        self._output, output_end = os.pipe()
        life_end, self._life = os.pipe()
        self._heard = [self._reports, self._output]
        with interrupts.Held():  # the child lets them through once none can be raised in our code there
            self._pid = os.fork()
            if self._pid == 0:
                for end in (self._reports, self._output, self._life):
                    os.close(end)
                be_the_child((report_end, output_end, life_end))
        for end in (report_end, output_end, life_end):
            os.close(end)

    def _listen(self) -> bool:
        """Take in what the child says next; return whether there can be more."""
        wakers = [] if self._interrupt is None else [self._interrupt]
        readable = select.select(self._heard + wakers, [], [], _TICK)[0]
        if not readable:
            return not self._has_ended()
        if self._output in readable:
            self._pass_on()
        if self._reports in readable:
            part = self._read(self._reports)
            *lines, self._unread = (self._unread + part).split(b"\n")
            for line in lines:
                self._take(line)
        return self._reports in self._heard

    def _pass_on(self) -> None:
        """Write what modules print to our stderr, as far as it takes it. They do not get that itself: what
        one leaves behind would hold it open, and with it whoever waits for its end."""
        part = self._read(self._output)
        try:
            while part and select.select([], [2], [], 0)[1]:
                part = part[os.write(2, part[: select.PIPE_BUF]) :]
        except (OSError, ValueError):  # it is closed
            return

    def _read(self, descriptor: int) -> bytes:
        part = os.read(descriptor, _PART)
        if not part:
            self._heard.remove(descriptor)
        return part

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
            kind, value = message["kind"], message["value"]
        except (ValueError, TypeError, KeyError):  # a module has found the pipe; its words do not count
            return
        now = time.monotonic()
        if kind == "loading":
            self._state, self._deadline = (kind, value), now + self._times.load
        elif kind == "failed":
            self._failures[value[0]] = value[1]
        elif kind == "calling":
            if self._state[0] != kind:
                self._deadline = now + self._times.call
            self._state = (kind, value)
        elif kind == "waits":
            self._note_waiting(now, begins=value)
        elif kind == "done" and value["token"] == self._token:
            self._done = value

    def _note_waiting(self, now: float, *, begins: bool) -> None:
        """The time in which a person thinks is nobody's."""
        if begins:
            self._waiting_since = now
            interrupts.pause_alarm()
        elif self._waiting_since is not None:
            waited = now - self._waiting_since
            self._waited += waited
            self._deadline += waited
            self._ends_at += waited
            self._waiting_since = None
            interrupts.resume_alarm()

    def _blamed(self, how: str) -> Ended:
        doing, owner = self._state
        self.died_loading = doing == "loading"
        limit = self._times.load if self.died_loading else self._times.call
        seconds = f" ({limit:g} s)" if how == "did not end in time" else ""
        if not self.died_loading:
            return Ended(owner=owner, how=f"{how}{seconds}", failures=tuple(self._failures.items()))
        self._failures[owner] = f"its import or factory {how}{seconds}"
        return Ended(failures=tuple(self._failures.items()))

    def _end(self) -> str:
        """See the child off, by force if need be, with what it started; return how it ended."""
        self._wait(_END_SECONDS)
        if self._status is None:
            os.kill(self._pid, signal.SIGKILL)
            self._status = os.waitpid(self._pid, 0)[1]
        for _ in range(_ROUNDS):
            if self._output in self._heard and select.select([self._output], [], [], 0)[0]:
                self._pass_on()
        for end in (self._reports, self._output, self._life):
            os.close(end)
        if self._done is None or interrupts.received:
            self._end_remains()
            if self._waiting_since is not None:  # a question stood open when it died
                mend_terminal()
        watcher.unwatch(self._token)
        code = os.waitstatus_to_exitcode(self._status)
        return f"ended the process with exit code {code}" if code >= 0 else f"was killed by signal {-code}"

    def _end_remains(self) -> None:
        """What just becomes another program shows no environment: one round without a find is not enough."""
        remains = Remains(seconds=time.monotonic() - self._began_at)
        clean = 0
        for _ in range(_ROUNDS):
            clean = 0 if remains.end([self._token], ()) else clean + 1
            if clean == _CLEAN_ROUNDS:
                break
            time.sleep(_PAUSE)

    def _wait(self, seconds: float) -> None:
        give_up_at = time.monotonic() + seconds
        while not self._has_ended() and time.monotonic() < give_up_at:
            time.sleep(0.001)

    def _has_ended(self) -> bool:
        if self._status is None:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            self._status = status if pid else None
        return self._status is not None
