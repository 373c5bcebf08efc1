"""A handler of an agent's settings as it is run: its payload, variables, folder and default timeout."""

from __future__ import annotations

import json

from hookrun.agents.own_payload import own_payload
from hookrun.agents.settings import settings_of
from hookrun.model.frozen import Frozen
from hookrun.sources.agent_settings.handlers import working_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.agents.shape import Dialect
    from hookrun.model.values import Event, Hook


class HandlerFields(Frozen):
    """What a hook's definition says: the agent's own name of the event, and the handler as written there."""

    own_event: str
    table: Mapping[str, Any]


def handler_of(hook: Hook) -> HandlerFields:
    """Return what is written in the settings about *hook*."""
    definition = json.loads(hook.entry)
    return HandlerFields(own_event=definition["event"], table=definition["handler"])


class OwnWay(Frozen):
    """How its agent runs a hook: the payload, the folder it wants ("" for the event's own), and how many
    seconds the agent waits where its settings do not say."""

    payload: Mapping[str, Any]
    folder: str
    seconds: float


def own_way(event: Event, hook: Hook, dialect: Dialect) -> OwnWay:
    """Return how the agent of *dialect* would run *hook* for *event*."""
    handler = handler_of(hook)
    return OwnWay(
        payload=own_payload(event, dialect, handler.own_event),
        folder=working_folder(handler.table, hook.dialect, event.project_dir or event.cwd),
        seconds=settings_of(hook.dialect).seconds,
    )


def named_variables(hook: Hook) -> dict[str, str]:
    """Return the environment variables that the handler in the settings names."""
    given = handler_of(hook).table.get("env")
    named = given.items() if isinstance(given, dict) else ()
    return {str(name): value for name, value in named if isinstance(value, str) and value and "=" not in str(name)}
