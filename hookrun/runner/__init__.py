"""HookRunner, wrapped tools, and loading modules: what commands and embedding programs import."""

from __future__ import annotations

from hookrun.config.config import environment
from hookrun.config.session_kind import agent_variable, require_person
from hookrun.events.event import command_event, event_type
from hookrun.pipeline.firing import FireOptions
from hookrun.runner.runner import HookRunner

__all__ = [
    "FireOptions",
    "HookRunner",
    "agent_variable",
    "command_event",
    "environment",
    "event_type",
    "require_person",
]
