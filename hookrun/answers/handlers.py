"""What a Python handler said -> Answer: the same policy as for a hook that is a process."""

from __future__ import annotations

from hookrun.model.constants import BY_GUARD, RAN
from hookrun.model.values import Answer, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.model.values import Hook, Verdict

_CALLED = Outcome(status="ended")


def read_statement(hook: Hook, verdict: Verdict, message: str, data: Mapping[str, Any] | None) -> Answer:
    """Return the answer of a handler that ended well; *message* may be empty."""
    return Answer(
        hook=hook,
        outcome=_CALLED,
        status=RAN,
        verdict=verdict,
        decided_by=BY_GUARD if verdict else None,
        message=message or ("denied without a reason" if verdict.word == "deny" else ""),
        data=data,
    )
