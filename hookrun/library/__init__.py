"""The library's face: HookRunner, wrapped tools, and loading modules. What follows stands on it."""

from __future__ import annotations

from hookrun.engine.firing import Wishes
from hookrun.library.events import command_event, event_type, unknown_event
from hookrun.library.runner import HookRunner
from hookrun.readers.config import environment
from hookrun.readers.surroundings import agent_variable, require_person

__all__ = [
    "HookRunner",
    "Wishes",
    "agent_variable",
    "command_event",
    "environment",
    "event_type",
    "require_person",
    "unknown_event",
]
