"""What an event would do, hook by hook: does it fire, why, and who sees what it says. Runs nothing."""

from __future__ import annotations

from hookrun.faces.listing import with_obstacle
from hookrun.faces.report import problem_document
from hookrun.words import names
from hookrun.words.catalog import EVENTS
from hookrun.words.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from hookrun.engine.registry import Entry
    from hookrun.library import HookRunner
    from hookrun.readers.config import Config
    from hookrun.words.model import Event, Hook, Problem

THE_TERMINAL = "the person at the terminal, and nothing changes"
UNDECIDABLE = "undecidable, so it is asked: its handlers are known when it is loaded"
EFFECT_OF_DENY = {
    "PreToolUse": "the tool does not run, the model is told the reason",
    "UserPromptSubmit": "the prompt is refused, the user is told the reason",
    "AgentStop": "the agent goes on, with the reason as its message",
    "SubAgentStop": "the sub-agent goes on, with the reason as its message",
    "PreCompact": "no compaction, the user is told the reason",
}
EFFECT_OF_FAILURE = {
    "deny": "denies, and names the hook and what happened",
    "ask": "asks the user, and names the hook and what happened",
    "allow": THE_TERMINAL,
}


class Explained(Frozen):
    """One hook: ``reason`` says why it fires or does not, ``seen_by`` who would see what, as (what, who)."""

    entry: Entry
    fires: bool
    reason: str
    seen_by: tuple[tuple[str, str], ...] = ()


def explain_event(runner: HookRunner, event: Event, only: Sequence[str] = ()) -> list[Explained]:
    """Return every hook that was found (*only* ids, plugins, keys or titles, when given), in registry
    order; those that fire come first."""
    wanted = set(only)
    explained = []
    for found in runner.loaded.registry.entries:
        entry = with_obstacle(runner, found)
        hook = entry.hook
        if wanted and wanted.isdisjoint((hook.id, hook.plugin, hook.key, hook.title)):
            continue
        (match,) = runner.explain(event, [hook])
        if entry.state != names.IN_FORCE:
            reason = f"{entry.state}: {entry.reason}" if entry.reason else entry.state
            if entry.state == names.UNTRUSTED and match.fires:
                reason += f"; else it would fire: {match.reason}"
            explained.append(Explained(entry=entry, fires=False, reason=reason))
        elif match.fires:
            seen_by = _seen_by(hook, event, _on_failure(hook, runner.config))
            reason = UNDECIDABLE if hook.kind == names.MODULE else match.reason
            reason += f"; cannot start: {hook.flaw}" if hook.flaw else ""
            reason += f"; {hook.flaw_hint}" if hook.flaw_hint else ""
            explained.append(Explained(entry=entry, fires=True, reason=reason, seen_by=seen_by))
        else:
            explained.append(Explained(entry=entry, fires=False, reason=match.reason))
    return sorted(explained, key=lambda each: not each.fires)


def explanation_document(
    event: Event, explained: Sequence[Explained], problems: Iterable[Problem]
) -> dict[str, Any]:
    """Return the whole explanation as one JSON-ready mapping."""
    return {
        "event": event.event,
        "tool_name": event.tool_name or None,
        "tool": event.tool or None,
        "fires": sum(each.fires for each in explained),
        "total": len(explained),
        "hooks": [
            {
                "id": each.entry.hook.id,
                "title": each.entry.hook.title,
                "kind": each.entry.hook.kind,
                "source": each.entry.hook.source,
                "level": each.entry.hook.level,
                "file": each.entry.hook.file,
                "role": each.entry.hook.role,
                "state": each.entry.state,
                "fires": each.fires,
                "reason": each.reason,
                "seen_by": [{"what": what, "who": who} for what, who in each.seen_by],
            }
            for each in explained
        ],
        "problems": [problem_document(problem) for problem in problems],
    }


def headline(event: Event, explained: Sequence[Explained]) -> str:
    """Return the first line: the event, its tool, and how many hooks fire."""
    about = f" about {event.tool_name}" if event.tool_name else ""
    kind = f" ({event.tool})" if event.tool and event.tool.lower() != event.tool_name.lower() else ""
    fires = sum(each.fires for each in explained)
    verb = "fires" if fires == 1 else "fire"
    hooks = "hook" if len(explained) == 1 else "hooks"
    return f"{event.event}{about}{kind}: {fires} of {len(explained)} {hooks} {verb}"


def _seen_by(hook: Hook, event: Event, on_failure: str) -> tuple[tuple[str, str], ...]:
    if hook.flaw:
        return (("its failure to start", _effect_of_failure(hook, event, on_failure)),)
    if hook.widget is not None:
        slot = hook.widget.slot
        what = "a hint" if slot == names.TOOL_HINT else "its text"
        who = (
            "the model, with the tool's result (hookrun hints)"
            if slot == names.TOOL_HINT
            else f"the user, in {slot} (hookrun widgets)"
        )
        return ((what, who), ("a failure", THE_TERMINAL))
    seen_by = [("a deny", EFFECT_OF_DENY.get(event.event, "stops nothing, the model is told the reason"))]
    if hook.is_async:
        return (("its output", "nobody: it is not waited for"),)
    if hook.kind == names.SETTINGS:
        seen_by.append(("its output", f"as {hook.dialect} reads it"))
    elif hook.kind == names.MODULE:
        seen_by.append(("its result", "the caller, who applies it"))
    else:
        seen_by.append(("other text", "the model, as context"))
    if event.tool_name and hook.kind not in (names.MODULE, names.SETTINGS):
        seen_by.append(("md| or diff|", "the model, as a tool hint (hookrun hints)"))
    return (*seen_by, ("a failure", _effect_of_failure(hook, event, on_failure)))


def _on_failure(hook: Hook, config: Config) -> str:
    """Return what the configuration says of a failure; agents go on after one, unless it says otherwise."""
    return (config.settings_on_failure or "allow") if hook.kind == names.SETTINGS else config.on_failure


def _effect_of_failure(hook: Hook, event: Event, on_failure: str) -> str:
    kind = EVENTS.get(event.event)
    if hook.role != names.GUARD or kind is None or not kind.guarded or hook.kind in (names.UI, names.COMMAND):
        return THE_TERMINAL
    return EFFECT_OF_FAILURE.get(hook.on_failure or on_failure, EFFECT_OF_FAILURE["deny"])
