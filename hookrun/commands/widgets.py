"""The widgets of a place: their texts, fresh enough, by slot and priority."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from hookrun.agents import NEUTRAL
from hookrun.answers.failures import failure_message
from hookrun.model import constants
from hookrun.model.frozen import Frozen
from hookrun.model.values import Event, Hook, Widget
from hookrun.runner import HookRunner
from hookrun.store import CachedWidget

WIDGET_SLOTS = tuple(slot for slot in constants.SLOTS if slot != constants.TOOL_HINT)


class ShownWidget(Frozen):
    """A widget and what it shows; ``failure`` says why it shows nothing ("" when it does)."""

    hook: Hook
    widget: Widget
    cached: CachedWidget | None
    failure: str = ""


def show_widgets(runner: HookRunner, *, slot: str = "") -> list[ShownWidget]:
    """Return the widgets of *slot* (all slots when "") for the runner's directory, by slot, priority and
    registry order; those whose text is missing or older than their refresh are run first, together."""
    folder = runner.config.cwd
    hooks = [hook for hook in runner.loaded.registry.in_force if _is_shown(hook, slot)]
    cached = [runner.store.cached_widget(folder, hook.id) for hook in hooks]
    stale = [hook for hook, text in zip(hooks, cached, strict=True) if not _is_fresh(hook, text)]
    shown_by_id = _refreshed(runner, stale)
    shown = [
        shown_by_id.get(hook.id) or ShownWidget(hook=hook, widget=_widget(hook), cached=text)
        for hook, text in zip(hooks, cached, strict=True)
    ]
    return sorted(shown, key=lambda each: (WIDGET_SLOTS.index(each.widget.slot), each.widget.priority))


def widget_document(shown: ShownWidget) -> dict[str, Any]:
    """Return a widget and its text as a JSON-ready mapping."""
    cached = shown.cached
    assert cached is not None, "a widget without text is reported as a failure"
    return {
        "slot": shown.widget.slot,
        "widget": shown.widget.id,
        "plugin": shown.hook.plugin,
        "hook": shown.hook.id,
        "priority": shown.widget.priority,
        "text": cached.text,
        "format": cached.format,
        "style": cached.style,
        "age_ms": max(0, round((time.time() - cached.at) * 1000)),
    }


def _is_shown(hook: Hook, slot: str) -> bool:
    return hook.widget is not None and hook.widget.slot in ((slot,) if slot else WIDGET_SLOTS)


def _is_fresh(hook: Hook, cached: CachedWidget | None) -> bool:
    return cached is not None and 0 <= time.time() - cached.at < _widget(hook).refresh


def _widget(hook: Hook) -> Widget:
    assert hook.widget is not None
    return hook.widget


def _refreshed(runner: HookRunner, stale: Sequence[Hook]) -> dict[str, ShownWidget]:
    """Run *stale* widgets, as many at the same time as hooks of one event may, and keep their texts."""
    config = runner.config
    event = Event(event="", dialect=NEUTRAL, cwd=config.cwd, project_dir=config.root)
    shown_by_id = {}
    most = config.limits.process_hooks
    for start in range(0, len(stale), most):
        batch = stale[start : start + most]
        for hook, outcome in zip(batch, runner.run_together(batch, event), strict=True):
            if outcome.exit_code == 0:
                cached = runner.state.keep_widget(config.cwd, hook, outcome.stdout)
                shown = ShownWidget(hook=hook, widget=_widget(hook), cached=cached)
            else:
                failure = failure_message(hook, outcome)
                shown = ShownWidget(hook=hook, widget=_widget(hook), cached=None, failure=failure)
            shown_by_id[hook.id] = shown
    return shown_by_id
