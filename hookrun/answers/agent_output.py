"""What a handler of an agent's settings printed, and what its agent reads in that. Values only."""

from __future__ import annotations

from hookrun.answers.documents import find_documents
from hookrun.answers.opinion import Opinion
from hookrun.model.events import event_named
from hookrun.model.frozen import Frozen
from hookrun.model.values import Verdict

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.model.values import Event


_ASKS_TO_RUN = "PermissionRequest"  # an agent's own event, which has no meaning elsewhere


class Said(Frozen):
    """How a handler ended and what it printed; ``own_event`` is its agent's name of the event."""

    exit_code: int
    stdout: str
    stderr: str
    own_event: str


class Reading(Frozen):
    """What an agent makes of it. ``fault`` is a bad answer, ``is_failed`` a failure that the exit code tells;
    ``lost`` says what the agent passes over, each as a clause that begins with its verb."""

    opinion: Opinion = Opinion()
    fault: str = ""
    is_failed: bool = False
    lost: tuple[str, ...] = ()


def only_object(text: str) -> Mapping[str, Any] | None:
    """Return the JSON object that *text* is, and nothing besides; None when it is anything else."""
    found = find_documents(text.strip())
    return found.documents[0] if found.is_alone and not found.fault else None


def trimmed(text: str) -> str:
    """Return *text* as JavaScript trims it: a byte order mark is a blank there."""
    return text.strip().strip("\ufeff").strip()


def table(document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the object under *key*, an empty one when there is none."""
    value = document.get(key)
    return value if isinstance(value, dict) else {}


def text(document: Mapping[str, Any], *keys: str) -> str:
    """Return the first text under *keys* that says something, else ""."""
    found = (document.get(key) for key in keys)
    return next((value.strip() for value in found if isinstance(value, str) and value.strip()), "")


def texts(document: Mapping[str, Any], *keys: str) -> tuple[str, ...]:
    """Return the text under *keys* as a tuple of none or one."""
    found = text(document, *keys)
    return (found,) if found else ()


def refused(said: Said, event: Event) -> Reading:
    """Return what exit 2 means to most: no, for what stderr says; where nothing can be refused the user
    is told, and about a tool that has run the model."""
    reason = said.stderr.strip()
    known = event_named(event.event)
    can_be_refused = event.event == _ASKS_TO_RUN or (known is not None and (known.stops or known.has_tool))
    if can_be_refused:
        return Reading(opinion=Opinion(verdict=Verdict.DENY, message=reason))
    return Reading(opinion=Opinion(user_messages=(reason,) if reason else ()))
