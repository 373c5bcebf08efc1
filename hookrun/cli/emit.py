"""`hookrun emit`: fire an event, print the decision, exit by it."""

from __future__ import annotations

import gc
import os

from hookrun.cli import output
from hookrun.cli.event_input import check_only, described_event, open_runner, read_event_input
from hookrun.commands.emit import decision_document, decision_lines, failures
from hookrun.model import constants
from hookrun.model.errors import HookrunError, UsageError
from hookrun.model.values import Verdict
from hookrun.runner import FireOptions, event_type
from hookrun.running.interrupts import catch_signals, clear_alarm, pause_alarm, resume_alarm, set_alarm
from hookrun.running.spawn import become_subreaper
from hookrun.running.watcher import close_watcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from hookrun.model.values import Decision
    from hookrun.runner import HookRunner

STYLE_BY_VERDICT = {
    Verdict.NO_OPINION: "dim",
    Verdict.ALLOW: "ok",
    Verdict.ASK: "warn",
    Verdict.DEFER: "warn",
    Verdict.DENY: "err",
}
EXIT_BY_VERDICT = {
    Verdict.DENY: constants.EXIT_DENY,
    Verdict.ASK: constants.EXIT_ASK,
    Verdict.DEFER: constants.EXIT_DEFER,
}


def run(values: dict[str, Any]) -> int:
    """Fire the event that *values* describe and return the exit code of its decision."""
    if values["timeout"] is not None and not values["timeout"] > 0:
        raise UsageError("--timeout must be greater than 0", hint="--timeout 30")
    gc.disable()  # a short life that allocates once: collecting would only cost time
    code = constants.EXIT_DENY if event_type(values["event"]).guarded else constants.EXIT_INTERNAL
    set_alarm((values["timeout"] or constants.SET_UP_SECONDS) + constants.ALARM_MARGIN, lambda: _leave(code), code)
    catch_signals()
    become_subreaper()
    try:
        if os.isatty(output.STDIN):
            pause_alarm()  # a person may be typing what is read
        given = read_event_input(values)
        resume_alarm()
        with open_runner(values, given) as runner:
            check_only(runner, values["only"])
            event, problems = described_event(runner, values, given)
            options = FireOptions(
                only=tuple(values["only"]),
                dry_run=values["dry_run"],
                seconds=values["timeout"],
                on_untrusted="deny" if values["require_trusted"] else "",
                on_missing="deny" if values["require_trusted"] else "",
            )
            set_alarm(runner.longest(options) + constants.ALARM_MARGIN, lambda: _leave(code), code)
            decision = runner.fire(event, options, problems)
            _print(decision, values, runner)
    finally:
        close_watcher()
    clear_alarm()
    if values["expect"]:
        if _is_expected(decision, values["expect"]):
            return constants.EXIT_OK
        output.warn(f"expected {values['expect']} by a guard that ran; {decision_lines(decision)[0]}")
        return constants.EXIT_FOUND_WRONG
    return EXIT_BY_VERDICT.get(decision.verdict, constants.EXIT_OK)


def _leave(code: int) -> NoReturn:
    """End the process, which something has held up for longer than an event may take."""
    output.complain(HookrunError(output.HELD_UP, hint=output.HELD_UP_HINT))
    os._exit(code)


def _print(decision: Decision, values: dict[str, Any], runner: HookRunner) -> None:
    takes = values["hints"] and not values["dry_run"]
    taken = runner.state.take_hints_of(decision) if takes else []
    if values["format"] == "json":
        output.write_json(decision_document(decision, taken=takes))
    else:
        lines = [output.harmless(line, lines=True) for line in decision_lines(decision, verbose=values["verbose"])]
        word = decision.verdict.word or "no decision"
        lines[0] = output.coloured(word, STYLE_BY_VERDICT[decision.verdict]) + lines[0].removeprefix(word)
        if decision.hints and not takes and runner.state.has_kept_hints(decision):
            waiting = len(decision.hints)
            lines.append(f"{waiting} tool hint{' waits' if waiting == 1 else 's wait'}: hookrun hints")
        lines += [f"\n{output.hint_text(hint)}" for hint in taken]
        output.write("".join(f"{line}\n" for line in lines))
        for answer in failures(decision):
            if not answer.problems:  # which say why
                output.warn(f"{answer.hook.title}: {answer.message}")
    output.tell_problems(decision.problems, quiet=values["quiet"] or values["format"] == "json")


def _is_expected(decision: Decision, expected: str) -> bool:
    """Say whether the decision is *expected* and comes from a guard that ran, not from one that broke."""
    ran = [answer for answer in decision.answers if answer.status == constants.RAN]
    if expected == "none":
        return not decision.verdict and any(answer.hook.role == constants.GUARD for answer in ran)
    decided = [answer for answer in ran if answer.verdict == decision.verdict]
    return decision.verdict.word == expected and decision.decided_by == constants.BY_GUARD and bool(decided)
