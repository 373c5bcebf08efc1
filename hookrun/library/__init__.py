"""The library's face: HookRunner, wrapped tools, and loading modules. What follows stands on it."""

from __future__ import annotations

from hookrun.engine.pipeline import Wishes
from hookrun.library.events import command_event, event_type, unknown_event
from hookrun.library.runner import HookRunner

__all__ = ["HookRunner", "Wishes", "command_event", "event_type", "unknown_event"]
