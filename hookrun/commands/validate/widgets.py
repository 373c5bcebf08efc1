"""Checks of ui contributions: output that reaches nobody, and settings without effect."""

from __future__ import annotations

from collections.abc import Iterator

from hookrun.commands.validate.definition import Said
from hookrun.commands.validate.finding import Finding
from hookrun.commands.validate.subject import Subject
from hookrun.model import constants
from hookrun.model.events import EVENTS


def check_widget(subject: Subject) -> Iterator[Finding]:
    """Yield what keeps a ui contribution from being seen."""
    widget = subject.hook.widget
    if widget is None:
        return
    if widget.slot != constants.TOOL_HINT:
        if widget.sync:
            message = f"sync has no effect in {widget.slot}: only a {constants.TOOL_HINT} is part of the answer"
            yield subject.finding(message, subject.says.get("sync"), hint="leave it out")
        return
    if not widget.sync:
        message = f"without sync its output comes too late: a {constants.TOOL_HINT} belongs to one tool call"
        yield subject.finding(message, subject.says.get("slot"), hint='add "sync": true')
    if not subject.hook.triggers:
        message = f"never runs: a {constants.TOOL_HINT} runs at its triggers only, and none is usable"
        yield subject.finding(message, subject.says.get("triggers"), hint='"triggers": ["PostToolUse:Shell*"]')
    for trigger in subject.hook.triggers:
        kind = EVENTS[trigger.event]
        if not kind.has_tool and not kind.one_agent:
            message = f"a {constants.TOOL_HINT} belongs to a tool call, and {trigger.event} is not about a tool"
            yield subject.finding(message, _trigger(subject, trigger.event), hint="use another slot or event")


def _trigger(subject: Subject, event: str) -> Said | None:
    """Return the trigger that names *event*, in whatever spelling."""
    from hookrun.agents import event_named_anywhere

    said = subject.says.get("triggers")
    for index, text in enumerate(said.value if said else ()):
        kind = event_named_anywhere(text.partition(":")[0].strip()) if isinstance(text, str) else None
        if said and kind and kind.name == event:
            return Said(value=text, where=f"{said.where}[{index}]")
    return said
