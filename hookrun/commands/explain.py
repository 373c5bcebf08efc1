"""What an event would do, hook by hook: does it fire, why, and who sees what it says. Runs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hookrun.commands.list import unread_document
from hookrun.commands.validate.finding import Finding
from hookrun.commands.validate.states import ASKED_ABOUT, BROKEN, find_states
from hookrun.config.config import Config
from hookrun.model import constants
from hookrun.model.events import EVENTS
from hookrun.model.frozen import Frozen
from hookrun.model.values import Event, Hook, Problem
from hookrun.runner import HookRunner
from hookrun.sources.registry import Entry
from hookrun.sources.script_folder import ANY_EVENT

THE_TERMINAL = "the person at the terminal, and nothing changes"
ASKED_WHEN_ACTIVATED = "cannot be known in advance, so it is called: its events are known when it is activated"
UNDECIDABLE = "cannot be known in advance, so it is called: its handlers are known when it is loaded"
EFFECT_OF_DENY = {
    "PreToolUse": "the tool does not run, the model gets the reason",
    "UserPromptSubmit": "the prompt is refused, the user gets the reason",
    "AgentStop": "the agent goes on, with the reason as its message",
    "SubAgentStop": "the sub-agent goes on, with the reason as its message",
    "PreCompact": "no compaction, the user gets the reason",
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
    denies: bool = False  # without having been asked: it cannot be, and its failure denies
    asks: bool = False  # without having been asked: this branch does not have it
    answers: bool = True  # has a trigger for the event
    seen_by: tuple[tuple[str, str], ...] = ()

    @property
    def hint(self) -> str:
        """What to do about what the reason says of the hook's state, "" where it says nothing of it."""
        return self.entry.hint if self.entry.reason and self.entry.reason in self.reason else ""

    @property
    def mark(self) -> str:
        """What it does about the event, in one word."""
        return "denies" if self.denies else "asks" if self.asks else "fires" if self.fires else "silent"


class Explanation(Frozen):
    """Every hook, those that deny and those that fire first; ``unread`` and ``switched_off`` as in States."""

    explained: tuple[Explained, ...]
    unread: tuple[Finding, ...] = ()
    switched_off: tuple[Finding, ...] = ()


def explain_event(runner: HookRunner, event: Event, only: Sequence[str] = ()) -> Explanation:
    """Return every hook that was found (*only* ids, plugins, keys or titles, when given), in registry
    order; those that fire come first."""
    wanted = set(only)
    states = find_states(runner)
    explained = [
        _explained(runner, event, entry)
        for entry in states.entries
        for hook in [entry.hook]
        if not wanted or not wanted.isdisjoint((hook.id, hook.plugin, hook.key, hook.title))
    ]
    return Explanation(
        explained=tuple(sorted(explained, key=lambda each: (not each.denies, not each.asks, not each.fires))),
        unread=() if wanted else states.unread,
        switched_off=() if wanted else states.switched_off,
    )


def _explained(runner: HookRunner, event: Event, entry: Entry) -> Explained:
    """Return what one hook does about *event*, as it is now."""
    hook = entry.hook
    (match,) = runner.explain(event, [hook])
    answers = any(trigger.event in (event.event, ANY_EVENT) for trigger in hook.triggers)
    if match.fires and entry.state in (constants.IN_FORCE, constants.DENIES, constants.CANNOT_START):
        return _firing(entry, event, match.reason, _on_failure(hook, runner.config))
    state = f"{entry.state}: {entry.reason}" if entry.reason else entry.state
    if entry.state in (constants.IN_FORCE, *BROKEN):
        # Of a hook that answers the event, what is odd about its state says why it is silent as well.
        remark = state if entry.state == constants.NEVER_FIRES else entry.reason
        is_odd = answers and entry.state in (constants.IN_FORCE, constants.NEVER_FIRES)
        reason = f"{match.reason}; {remark}" if is_odd and remark else match.reason
        fires = is_odd and entry.state == constants.NEVER_FIRES and match.fires
        return Explained(entry=entry, fires=fires, answers=answers, reason=reason)
    if entry.state == constants.UNTRUSTED and match.fires:
        state += f"; else it would fire: {match.reason}"
    asks = match.fires and entry.reason.endswith(ASKED_ABOUT)
    return Explained(entry=entry, fires=False, asks=asks, answers=answers, reason=state)


def _firing(entry: Entry, event: Event, reason: str, on_failure: str) -> Explained:
    """Return what becomes of a hook that matches: it fires, or it denies because it cannot start or is gone."""
    hook = entry.hook
    if entry.state == constants.IN_FORCE:
        texts = (_told_later(hook) or reason, entry.reason)
        seen_by = _seen_by(hook, event, on_failure)
        return Explained(entry=entry, fires=True, reason="; ".join(filter(None, texts)), seen_by=seen_by)
    reason = "; ".join((reason, f"{entry.state}: {entry.reason}" if entry.reason else entry.state))
    if entry.state == constants.DENIES:
        return Explained(entry=entry, fires=False, denies=True, reason=reason)
    denies = _effect_of_failure(hook, event, on_failure) == EFFECT_OF_FAILURE["deny"]
    return Explained(entry=entry, fires=False, denies=denies, reason=reason, seen_by=_seen_by(hook, event, on_failure))


def explanation_document(
    event: Event, explained: Sequence[Explained], problems: Iterable[Problem], unread: Iterable[Finding] = ()
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
                "denies": each.denies,
                "reason": each.reason,
                "hint": each.hint,
                "seen_by": [{"what": what, "who": who} for what, who in each.seen_by],
            }
            for each in explained
        ],
        "unread": [unread_document(finding) for finding in unread],
        "problems": [problem.document() for problem in problems],
    }


def headline(event: Event, explained: Sequence[Explained]) -> str:
    """Return the first line: the event, its tool, and how many hooks fire."""
    about = f" about {event.tool_name}" if event.tool_name else ""
    kind = f" ({event.tool})" if event.tool and event.tool.lower() != event.tool_name.lower() else ""
    fires = sum(each.fires for each in explained)
    verb = "fires" if fires == 1 else "fire"
    hooks = "hook" if len(explained) == 1 else "hooks"
    denying = sum(each.denies for each in explained)
    denies = f", {denying} {'denies' if denying == 1 else 'deny'}" if denying else ""
    return f"{event.event}{about}{kind}: {fires} of {len(explained)} {hooks} {verb}{denies}"


def _told_later(hook: Hook) -> str:
    """Return why it is not known yet what *hook* answers, "" when it is."""
    if hook.kind == constants.MODULE:
        return UNDECIDABLE
    return ASKED_WHEN_ACTIVATED if "*" in hook.started_for else ""


def _seen_by(hook: Hook, event: Event, on_failure: str) -> tuple[tuple[str, str], ...]:
    if hook.flaw:
        return (("its failure to start", _effect_of_failure(hook, event, on_failure)),)
    if hook.widget is not None:
        slot = hook.widget.slot
        what = "a hint" if slot == constants.TOOL_HINT else "its text"
        who = (
            "the model, with the tool's result (hookrun hints)"
            if slot == constants.TOOL_HINT
            else f"the user, in {slot} (hookrun widgets)"
        )
        return ((what, who), ("a failure", THE_TERMINAL))
    seen_by = [("a deny", EFFECT_OF_DENY.get(event.event, "stops nothing, the model gets the reason"))]
    if hook.is_async:
        return (("its output", "no one: it runs in the background"),)
    if hook.kind == constants.SETTINGS:
        seen_by.append(("its output", f"as {hook.dialect} reads it"))
    elif hook.kind == constants.MODULE:
        seen_by.append(("its result", "the caller, who applies it"))
    else:
        seen_by.append(("other text", "the model, as context"))
    if event.tool_name and hook.kind not in (constants.MODULE, constants.SETTINGS):
        seen_by.append(("md| or diff|", "the model, as a tool hint (hookrun hints)"))
    return (*seen_by, ("a failure", _effect_of_failure(hook, event, on_failure)))


def _on_failure(hook: Hook, config: Config) -> str:
    """Return what the configuration says of a failure; agents go on after one, unless it says otherwise."""
    return (config.settings_on_failure or "allow") if hook.kind == constants.SETTINGS else config.on_failure


def _effect_of_failure(hook: Hook, event: Event, on_failure: str) -> str:
    kind = EVENTS.get(event.event)
    if (
        hook.role != constants.GUARD
        or kind is None
        or not kind.guarded
        or hook.kind in (constants.UI, constants.COMMAND)
    ):
        return THE_TERMINAL
    return EFFECT_OF_FAILURE.get(hook.on_failure or on_failure, EFFECT_OF_FAILURE["deny"])
