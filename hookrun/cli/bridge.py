"""`hookrun bridge AGENT`: answer an agent in its own form. The exit code is 0 or 2."""

from __future__ import annotations

import gc
import os
import time

from hookrun.cli import output
from hookrun.cli.event_input import read_stdin
from hookrun.cli.main import described
from hookrun.commands.bridge import Options, agent_named, answer, failure, read_request, without_trust_commands
from hookrun.model import constants
from hookrun.model.errors import HookrunError, Interrupted
from hookrun.running.interrupts import catch_signals, clear_alarm, set_alarm
from hookrun.running.spawn import become_subreaper
from hookrun.running.watcher import close_watcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from hookrun.commands.bridge import Reply, Request


_TO_LEAVE = 1.0  # seconds before the agent goes on, for the last alarm
_delivering = False  # an answer is being written; a second one would garble both


def run(values: dict[str, Any]) -> int:
    """Read the agent's event from stdin, fire it, write the decision. Raises UsageError for an unknown
    agent, which becomes exit code 2 (cli/main.py)."""
    began = time.monotonic()
    gc.disable()  # a short life that allocates once: collecting would only cost time
    table = agent_named(values["agent"])
    options = Options(
        project=os.path.abspath(values["project"]) if values["project"] else "",
        hooks=tuple(os.path.abspath(path) for path in values["hooks"]),
        with_agents=tuple(agent_named(name).name for name in values["with_agents"]),
    )
    request: Request | None = None

    def leave() -> NoReturn:
        reply = failure(table, request, f"hookrun: {output.HELD_UP} ({output.HELD_UP_HINT})")
        os._exit(_deliver(reply, is_guarded=request is None or request.event.guarded))

    def limit(seconds: float, most: float) -> None:
        """Leave before the agent would go on without an answer."""
        code = constants.EXIT_DENY if request is None or request.event.guarded else constants.EXIT_OK
        seconds = min(seconds + constants.ALARM_MARGIN, most) if code else seconds + constants.ALARM_MARGIN
        set_alarm(max(seconds - (time.monotonic() - began), 0.1), leave, code, waits_for_people=False)

    try:
        limit(constants.SET_UP_SECONDS, table.seconds - _TO_LEAVE)
        catch_signals()
        become_subreaper()
        request = read_request(table.name, read_stdin(constants.PAYLOAD_DEADLINE), values["event"] or "")
        most = table.seconds_at(request.event.name) - _TO_LEAVE
        reply = answer(table, request, options, began=began, limit=lambda seconds: limit(seconds, most))
    except BaseException as error:  # nothing inside hookrun may open the gate (docs/safety.md)
        reply = failure(table, request, _reason(error))
    finally:
        close_watcher()
    code = _deliver(reply, is_guarded=request is None or request.event.guarded)
    clear_alarm()
    return code


def _reason(error: BaseException) -> str:
    known = error if isinstance(error, HookrunError) else described(error)
    place = f"{known.where}: " if known.where and not isinstance(error, Interrupted) else ""
    hint = f" ({without_trust_commands(known.hint)})" if known.hint else ""
    return output.harmless(f"hookrun: {place}{known.message}{hint}")


def _deliver(reply: Reply, *, is_guarded: bool) -> int:
    """Write *reply* and return the exit code; a reply that cannot be delivered must not pass for an allow."""
    global _delivering
    code = reply.exit_code
    reason = reply.stderr
    try:
        if _delivering:
            raise BrokenPipeError  # the reader has not taken the answer before
        _delivering = True
        output.write(reply.stdout)
    except (BrokenPipeError, HookrunError):
        reason = f"{reason}\nhookrun: stdout cannot be written: the answer is lost".lstrip()
        code = constants.EXIT_DENY if is_guarded else code
    if reason:
        output.pass_on(f"{reason}\n")
    # With exit code 2 an agent hands on all of stderr as the reason.
    output.tell_problems(reply.problems, quiet=code == constants.EXIT_DENY)
    return code
