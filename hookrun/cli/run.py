"""`hookrun run`: a command of a plugin or a module; its output and its exit code are the command's own."""

from __future__ import annotations

from typing import Any

from hookrun.cli import output
from hookrun.cli.event_input import open_runner
from hookrun.commands.run import command_document, command_hooks, exit_code, run_command, run_document
from hookrun.model import constants
from hookrun.model.errors import HookrunError
from hookrun.model.values import Hook, Outcome
from hookrun.model.width import in_columns
from hookrun.running.interrupts import catch_signals
from hookrun.running.spawn import become_subreaper
from hookrun.running.watcher import close_watcher


def run(values: dict[str, Any]) -> int:
    """Run the command NAME with what follows it; without a name list the commands."""
    catch_signals()
    become_subreaper()
    try:
        with open_runner(values) as runner:
            output.tell_problems(runner.problems, quiet=values["quiet"])
            if values["name"] is None:
                hooks, problems = command_hooks(runner)
                _print_list(hooks, values)
                output.tell_problems(problems, quiet=values["quiet"])
                return constants.EXIT_OK
            ran = run_command(runner, values["name"], values["arguments"])
    finally:
        close_watcher()
    _print(ran.hook, ran.outcome, values)
    return exit_code(ran.outcome)


def _print(hook: Hook, outcome: Outcome, values: dict[str, Any]) -> None:
    text = outcome.stdout.strip()
    if values["format"] == "json":
        output.write_json(run_document(hook, outcome))
    elif text:
        output.write(f"{text}\n")
    if outcome.stderr:
        output.pass_on(outcome.stderr)
    output.tell_problems(outcome.problems, quiet=values["quiet"])
    if outcome.stdout_was_cut:
        output.warn("the output was too long and was cut off")
    if outcome.cause:
        where = hook.file if outcome.status == constants.NOT_STARTED else hook.title
        output.complain(HookrunError(outcome.cause, where=where, hint=outcome.hint))


def _print_list(hooks: list[Hook], values: dict[str, Any]) -> None:
    if values["format"] == "json":
        output.write_json([command_document(hook) for hook in hooks])
        return
    rows = [(hook.command, hook.description, hook.plugin or hook.title) for hook in hooks]
    lines = in_columns([output.harmless(cell) for cell in row] for row in rows)
    output.write("".join(f"{line}\n" for line in lines) or "no plugin or module here has commands\n")
