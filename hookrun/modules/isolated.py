"""What modules are asked for in a child of their own: an event, their commands, or to run one of these."""

from __future__ import annotations

from hookrun.model.values import Verdict
from hookrun.modules.forked import run_in_child
from hookrun.modules.loading import as_exception, describe
from hookrun.modules.values import Called, CommandRun, ModuleCommand, Report, Statement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hookrun.model.values import Event
    from hookrun.modules.child import MakeModules
    from hookrun.modules.forked import Ended, Times
    from hookrun.modules.modules import Modules
    from hookrun.modules.values import Share


def call_in_child(owners: Sequence[str], event: Event, make_modules: MakeModules, times: Times, share: Share) -> Report:
    """Load the modules *owners* and call what *event* reaches, as many as *share* says."""

    def work(modules: Modules) -> Any:
        called = modules.call(event, owners, share)
        return {
            "owners": called.owners,
            "statements": [said.as_dict() for said in called.statements],
            "result": called.result,
            "counted": called.counted,
            "cut": called.cut,
            "refusal": called.refusal,
        }

    ended = run_in_child(owners, work, make_modules, times)
    return Report(called=_called(ended), failures=ended.failures, kept=ended.kept, waited=ended.waited)


def commands_in_child(
    owners: Sequence[str], make_modules: MakeModules, times: Times
) -> tuple[tuple[ModuleCommand, ...], tuple[tuple[str, str], ...]]:
    """Load the modules *owners*; return the commands that they register, and why some are not loaded."""

    def work(modules: Modules) -> Any:
        return [
            {"name": command.name, "description": command.description, "owner": command.owner}
            for command in modules.commands()
        ]

    ended = run_in_child(owners, work, make_modules, times)
    return tuple(ModuleCommand(**command) for command in ended.done or ()), ended.failures


def run_command_in_child(
    owners: Sequence[str], name: str, arguments: str, event: Event, make_modules: MakeModules, times: Times
) -> CommandRun:
    """Load the modules *owners* and run the first command of this name."""
    ended = run_in_child(owners, lambda modules: _run(modules, name, arguments, event), make_modules, times)
    run = CommandRun(failures=ended.failures, kept=ended.kept)
    if ended.owner:
        return run.replace(owner=ended.owner, error=f"its handler {ended.how}")
    return run.replace(**ended.done) if ended.done else run


def _run(modules: Modules, name: str, arguments: str, event: Event) -> Any:
    """Run a command and return what it printed, then what it returned when that is text."""
    from contextlib import redirect_stdout
    from io import StringIO

    command = modules.command_named(name)
    if command is None:
        return {"known": tuple(known.name for known in modules.commands())}
    printed = StringIO()
    error = ""
    try:
        with redirect_stdout(printed):
            returned = modules.run_command(command, arguments, event)
    except (Exception, SystemExit) as raised:
        returned = None
        error = f"its handler failed: {describe(as_exception(raised), command.owner)}"
    texts = [printed.getvalue().rstrip("\n"), returned if isinstance(returned, str) else ""]
    return {"owner": command.owner, "stdout": "\n".join(filter(None, texts)), "error": error}


def _called(ended: Ended) -> Called:
    """Return what handlers came to; of the one that ended the process, that."""
    if ended.owner:
        last = Statement(owner=ended.owner, error=f"a handler {ended.how}", is_guard=True)
        return Called(owners=(ended.owner,), statements=(last,))
    if ended.done is None:
        return Called()
    statements = tuple(Statement(**{**said, "verdict": Verdict(said["verdict"])}) for said in ended.done["statements"])
    return Called(
        owners=tuple(ended.done["owners"]),
        statements=statements,
        result=ended.done["result"],
        counted=ended.done["counted"],
        cut=tuple(ended.done["cut"]),
        refusal=ended.done["refusal"],
    )
