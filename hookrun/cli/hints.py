"""`hookrun hints`: hand out what waits, once."""

from __future__ import annotations

from typing import Any

from hookrun.cli import output
from hookrun.cli.event_input import open_runner
from hookrun.commands.emit import hint_document
from hookrun.model import constants
from hookrun.store import PendingHint


def run(values: dict[str, Any]) -> int:
    """Print the hints of the session (all sessions with --all) and forget them unless --peek."""
    with open_runner(values) as runner:
        session = None if values["all"] else runner.state.session_of(values["session"] or "")
        pending = runner.store.take_hints(session=session, call_id=values["call_id"], peek=values["peek"])
        problems = runner.store.take_problems()
    if values["format"] == "json":
        output.write_json([_document(hint) for hint in pending])
    else:
        output.write("".join(f"{output.hint_text(each.hint)}\n" for each in pending))
    output.tell_problems(problems, quiet=values["quiet"])
    return constants.EXIT_FOUND_WRONG if any(problem.level == "error" for problem in problems) else constants.EXIT_OK


def _document(pending: PendingHint) -> dict[str, Any]:
    return {
        **hint_document(pending.hint),
        "session": pending.session,
        "call_id": pending.call_id,
        "event": pending.event,
    }
