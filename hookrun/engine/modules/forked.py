"""Calling modules in a forked child that must hand back a token: what one of them does to the process
(`os._exit(0)`, a crash, an endless loop) is a failure of that module, never an answer.

Only the command line does so; a library's modules live in its host's process.
"""

from __future__ import annotations

import json
import os
import select
import time

from hookrun.engine.modules.terminal import mend_terminal
from hookrun.engine.modules.values import Called, Report, Statement, owner_of
from hookrun.engine.runners import watcher
from hookrun.engine.runners.remains import Remains
from hookrun.readers.config import set_variable
from hookrun.words import names
from hookrun.words.frozen import Frozen
from hookrun.words.model import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Sequence
    from typing import Any

    from hookrun.engine.modules.modules import Modules
    from hookrun.words.model import Event, Hook
else:
    import _signal as signal

LOAD_SECONDS = 10.0  # for one module's import and factory
_PART = 65536
_END_SECONDS = 0.2  # for the child to end by itself after it has handed everything back


def call_in_child(
    hooks: Sequence[Hook],
    event: Event,
    make_modules: Callable[[Callable[[str, Any], None], Callable[[bool], None]], Modules],
    *,
    call_seconds: float,
) -> Report:
    """Load the modules that *hooks* stand for and call what *event* reaches, all in one child.

    *make_modules* gets (keep, waits): where the host keeps things, and what is told when a person is
    asked and has answered; that time does not count. A module that never ends its import, or ends the
    process in it, is left out, and the others are loaded anew.
    """
    failures: dict[str, str] = {}
    while True:
        owners = [owner_of(hook) for hook in hooks if owner_of(hook) not in failures]
        if not owners:
            return Report(called=Called(), failures=tuple(failures.items()))
        child = _Child(owners, event, make_modules, call_seconds)
        report = child.follow()
        failures |= dict(report.failures)
        if not child.died_loading:
            return report.replace(failures=tuple(failures.items()))


class _Child:
    """One child from its fork to its end, seen from the parent."""

    def __init__(
        self, owners: list[str], event: Event, make_modules: Callable[..., Modules], call_seconds: float
    ) -> None:
        self.died_loading = False
        self._began_at = time.monotonic()
        self._call_seconds = call_seconds
        self._token = watcher.new_token()
        watcher.watch(self._token)
        self._reports, report_end = os.pipe()
        life_end, self._life = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self._reports)
            os.close(self._life)
            _be_the_child(owners, event, make_modules, self._token, report_end, life_end)
        os.close(report_end)
        os.close(life_end)
        self._state: tuple[str, str] = ("loading", owners[0])
        self._deadline = self._began_at + LOAD_SECONDS
        self._waiting_since: float | None = None
        self._failures: dict[str, str] = {}
        self._done: dict[str, Any] | None = None
        self._last: Statement | None = None
        self._unread = b""

    def follow(self) -> Report:
        """Read what the child reports until it is done, dead or out of time; it is gone afterwards."""
        out_of_time = False
        try:
            while self._done is None:
                wait = None if self._waiting_since is not None else self._deadline - time.monotonic()
                if wait is not None and wait <= 0:
                    out_of_time = True
                    break
                if select.select([self._reports], [], [], wait)[0] and not self._read():
                    break
        finally:
            ended = self._end()
        if self._done is None:
            self._blame("did not end in time" if out_of_time else ended)
        return self._report()

    def _read(self) -> bool:
        part = os.read(self._reports, _PART)
        *lines, self._unread = (self._unread + part).split(b"\n")
        for line in lines:
            self._take(json.loads(line))
        return bool(part)

    def _take(self, message: dict[str, Any]) -> None:
        kind, value = message["kind"], message["value"]
        now = time.monotonic()
        if kind == "loading":
            self._state, self._deadline = (kind, value), now + LOAD_SECONDS
        elif kind == "failed":
            self._failures[value[0]] = value[1]
        elif kind == "calling":
            if self._state[0] != kind:
                self._deadline = now + self._call_seconds
            self._state = (kind, value)
        elif kind == "waits" and value:
            self._waiting_since = now
        elif kind == "waits" and self._waiting_since is not None:
            self._deadline += now - self._waiting_since
            self._waiting_since = None
        elif kind == "done" and value["token"] == self._token:
            self._done = value

    def _blame(self, how: str) -> None:
        doing, owner = self._state
        self.died_loading = doing == "loading"
        what = "its import or factory" if self.died_loading else "a handler"
        limit = LOAD_SECONDS if self.died_loading else self._call_seconds
        seconds = f" ({limit:g} s)" if how == "did not end in time" else ""
        if self.died_loading:
            self._failures[owner] = f"{what} {how}{seconds}"
        else:
            self._last = Statement(owner=owner, error=f"{what} {how}{seconds}", is_guard=True)

    def _report(self) -> Report:
        if self._done is None:
            said = (self._last,) if self._last is not None else ()
            called = Called(owners=tuple(each.owner for each in said), statements=said)
            return Report(called=called, failures=tuple(self._failures.items()))
        done = self._done
        statements = tuple(
            Statement(**{**said, "verdict": Verdict(said["verdict"])}) for said in done["statements"]
        )
        return Report(
            called=Called(owners=tuple(done["owners"]), statements=statements, result=done["result"]),
            failures=tuple(self._failures.items()),
            kept=tuple((kind, document) for kind, document in done["kept"]),
        )

    def _end(self) -> str:
        """See the child off, by force if need be, with what it started; return how it ended."""
        status = self._wait(_END_SECONDS if self._done is not None else 0.05)
        if status is None:
            os.kill(self._pid, signal.SIGKILL)
            _, status = os.waitpid(self._pid, 0)
        os.close(self._reports)
        os.close(self._life)
        if self._done is None:
            remains = Remains(seconds=time.monotonic() - self._began_at)
            for _ in range(20):
                if not remains.end([self._token], ()):
                    break
            if self._waiting_since is not None:  # a question stood open when it died
                mend_terminal()
        watcher.unwatch(self._token)
        code = os.waitstatus_to_exitcode(status)
        return f"ended the process with exit code {code}" if code >= 0 else f"was killed by signal {-code}"

    def _wait(self, seconds: float) -> int | None:
        end = time.monotonic() + seconds
        while True:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            if pid:
                return status
            if time.monotonic() >= end:
                return None
            time.sleep(0.001)


def _be_the_child(
    owners: list[str],
    event: Event,
    make_modules: Callable[..., Modules],
    token: str,
    report_end: int,
    life_end: int,
) -> None:
    """Do the work, hand it back, and end; never returns to the parent's code."""
    try:
        _settle_in(token, life_end)
        kept: list[tuple[str, Any]] = []

        def tell(kind: str, value: Any) -> None:
            data = json.dumps({"kind": kind, "value": value}, default=_plain).encode() + b"\n"
            while data:
                data = data[os.write(report_end, data) :]

        modules = make_modules(
            lambda kind, document: kept.append((kind, document)), lambda waits: tell("waits", waits)
        )
        for owner in owners:
            tell("loading", owner)
            modules.load([owner])
            if owner in modules.errors:
                tell("failed", [owner, modules.errors[owner]])
        modules.before_call = lambda owner: tell("calling", owner)
        called = modules.call(event, owners)
        statements = [said.as_dict() for said in called.statements]
        done = {"token": token, "owners": called.owners, "statements": statements}
        tell("done", {**done, "result": called.result, "kept": kept})
        os._exit(0)
    except BaseException as error:
        os.write(2, f"hookrun: modules failed: {type(error).__name__}: {error}\n".encode("utf-8", "replace"))
    finally:
        os._exit(names.EXIT_INTERNAL)


def _settle_in(token: str, life_end: int) -> None:
    """Make the child a good place for modules: no stdin, stdout is not for them, no life after the parent."""
    import threading

    set_variable(names.ENV_RUN, token)  # what modules start carries it, and can be found
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)

    def end_with_parent() -> None:
        os.read(life_end, 1)  # nobody writes: it returns when the parent is gone
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=end_with_parent, daemon=True).start()


def _plain(value: Any) -> Any:
    """What JSON has no form for: our own values as mappings, anything else by its text."""
    if isinstance(value, Frozen):
        return value.as_dict()
    return list(value) if isinstance(value, set | frozenset) else str(value)
