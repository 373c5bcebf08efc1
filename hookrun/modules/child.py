"""The child's side of forked.py: load modules, do the work, hand back what it came to, and end."""

from __future__ import annotations

import json
import os
import sys

from hookrun.config.config import set_variable
from hookrun.model import constants
from hookrun.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Sequence
    from typing import Any

    from hookrun.modules.modules import Modules

    # (keep, waits): where the host keeps things, and what is told when a person is asked and has answered
    MakeModules = Callable[[Callable[[str, Any], None], Callable[[bool], None]], Modules]
    Work = Callable[[Modules], Any]
else:
    import _signal as signal

_leave = os._exit  # a module may put something else in its place, and the child must not run on


def be_the_child(
    owners: Sequence[str],
    work: Work,
    make_modules: MakeModules,
    token: str,
    report_end: int,
    output_end: int,
    life_end: int,
) -> None:
    """Do the work, hand it back, and end; never returns to the parent's code."""
    pid = os.getpid()
    try:
        _settle_in(token, output_end, life_end)
        _work(owners, work, make_modules, token, _Reports(report_end, pid))
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # a module has taken it away
                stream.flush()
        _leave(constants.EXIT_OK)
    except BaseException as error:
        _end_unless(pid)
        os.write(2, f"hookrun: modules failed: {type(error).__name__}: {error}\n".encode("utf-8", "replace"))
    finally:
        _leave(constants.EXIT_INTERNAL)


class _Reports:
    """The pipe to the parent: a JSON document a line, from the process *pid* and no fork of it."""

    def __init__(self, descriptor: int, pid: int) -> None:
        self._descriptor = descriptor
        self._pid = pid

    def tell(self, kind: str, value: Any) -> None:
        """Write one message whole."""
        _end_unless(self._pid)
        data = json.dumps({"kind": kind, "value": _plain(value)}).encode() + b"\n"
        while data:
            data = data[os.write(self._descriptor, data) :]


def _work(owners: Sequence[str], work: Work, make_modules: MakeModules, token: str, reports: _Reports) -> None:
    kept: list[tuple[str, Any]] = []
    modules = make_modules(
        lambda kind, document: kept.append((kind, document)), lambda waits: reports.tell("waits", waits)
    )
    for owner in owners:
        reports.tell("loading", owner)
        modules.load([owner])
        if owner in modules.errors:
            reports.tell("failed", [owner, modules.errors[owner]])
    modules.before_call = lambda owner: reports.tell("calling", owner)
    reports.tell("done", {"token": token, "value": work(modules), "kept": kept})


def _settle_in(token: str, output_end: int, life_end: int) -> None:
    """Make the child a good place for modules: no stdin, neither stdout nor stderr of the parent, no life
    after it."""
    import threading

    set_variable(constants.ENV_RUN, token)  # what modules start carries it, and can be found
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(output_end, 1)
    os.dup2(output_end, 2)
    signals = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    for number in signals:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)

    def end_with_parent() -> None:
        os.read(life_end, 1)  # nobody writes: it returns when the parent is gone
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=end_with_parent, daemon=True).start()


def _end_unless(pid: int) -> None:
    """A fork that a handler has returned in ends here: its answer is not the handler's."""
    if os.getpid() != pid:
        _leave(constants.EXIT_OK)


def _plain(value: Any) -> Any:
    """Return *value* as JSON has it: our own values as mappings, what it has no form for as text, a number
    that is none as null."""
    if isinstance(value, Frozen):
        value = value.as_dict()
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if value - value == 0 else None
    return value if value is None or isinstance(value, str | int) else str(value)
