"""Matching hooks -> batches to run: what is run twice, what is too much, and what waits for what."""

from __future__ import annotations

import os
from collections.abc import Sequence

from hookrun.config.config import Limits
from hookrun.model import constants
from hookrun.model.events import is_guarded
from hookrun.model.frozen import Frozen
from hookrun.model.values import Event, Hook, Problem


class Plan(Frozen):
    """What runs for one event."""

    batches: tuple[tuple[Hook, ...], ...] = ()  # one after the other, the hooks of each at the same time
    over_limit: tuple[Hook, ...] = ()  # matching hooks that do not run
    observers: tuple[Hook, ...] = ()  # those in the batches that could be left out for a guard
    guards: int = 0  # how many guards are in the batches
    modules: tuple[Hook, ...] = ()  # that may have handlers for the event
    calls_handlers: bool = True
    refusal: str = ""  # why the event is denied without running anything, "" when it is not
    problems: tuple[Problem, ...] = ()


_NOTHING = Plan()


def plan_runs(hooks: Sequence[Hook], event: Event, limits: Limits, *, depth: int = 0) -> Plan:
    """Return what to run of *hooks* (in registry order) for *event*; *depth* counts hookruns above this one.

    Only a guarded event is refused for what its guards cannot do; on others every hook is an observer.
    """
    if not hooks and depth <= constants.MAX_DEPTH:
        return _NOTHING
    guarded = is_guarded(event.event)
    if depth > constants.MAX_DEPTH:
        return _too_deep(hooks, depth, is_refused=guarded and bool(_guards_of(hooks)))
    modules = tuple(hook for hook in hooks if hook.kind == constants.MODULE)
    distinct = _distinct([hook for hook in hooks if hook.kind != constants.MODULE])
    distinct = _without_shared_triggers(distinct, is_guarded=guarded)
    return _within_limit(distinct, modules, is_guarded=guarded, most=limits.process_hooks)


def _within_limit(hooks: Sequence[Hook], modules: tuple[Hook, ...], *, is_guarded: bool, most: int) -> Plan:
    """Return a plan of at most *most* of *hooks*: observers are cut, and too many guards refuse the event."""
    startable = [hook for hook in hooks if not hook.flaw]  # the others fail without a process
    guards = _guards_of(startable) if is_guarded else []
    if len(guards) > most:
        reason = f"{len(guards)} guards match, at most {most} hooks run for one event: raise limits.process_hooks"
        return Plan(over_limit=tuple(hooks), modules=modules, calls_handlers=False, refusal=reason)
    observers = [hook for hook in startable if hook not in guards]
    running, cut = observers[: most - len(guards)], observers[most - len(guards) :]
    return Plan(
        batches=_batches([hook for hook in hooks if hook not in cut]),
        over_limit=tuple(cut),
        observers=tuple(running),
        guards=len(guards),
        modules=modules,
        problems=_cut_problems([hook.title for hook in cut], len(startable), most),
    )


def _guards_of(hooks: Sequence[Hook]) -> list[Hook]:
    return [hook for hook in hooks if hook.role == constants.GUARD]


def with_handlers(plan: Plan, count: int, titles: Sequence[str], refusal: str, most: int) -> Plan:
    """Return *plan* beside *count* handlers of modules, which count as hooks too; *titles* are those of the
    handlers that were cut, and *refusal* says why the event is denied ("" when it is not)."""
    hooks = [hook for batch in plan.batches for hook in batch]
    if refusal:
        return Plan(over_limit=(*plan.over_limit, *hooks), modules=plan.modules, refusal=refusal)
    cut = plan.observers[max(0, most - plan.guards - count + len(titles)) :]
    named = [*titles, *(hook.title for hook in cut)]
    if not named:
        return plan
    return plan.replace(
        batches=_batches([hook for hook in hooks if hook not in cut]),
        over_limit=(*plan.over_limit, *cut),
        problems=_cut_problems(named, plan.guards + len(plan.observers) + count, most),
    )


def _distinct(hooks: Sequence[Hook]) -> list[Hook]:
    """Return *hooks* without those whose very file runs already: links, a file listed twice."""
    if len(hooks) < 2:
        return list(hooks)
    seen: set[tuple[object, ...]] = set()
    distinct = []
    for hook in hooks:
        words = tuple(os.path.realpath(word) if os.path.isabs(word) else word for word in hook.program.words)
        # A plugin's program may look around in its own folder (PLUGIN_ROOT): the words are not all of it.
        root = os.path.realpath(hook.program.folder) if hook.plugin else ""
        widget = hook.widget.id if hook.widget else ""
        place = hook.flaw and hook.id
        # One handler of an agent's settings that two matchers lead to runs once, as the agent itself does it.
        entry = hook.entry.rpartition(',"matcher":')[0]
        identity = (words, root, widget, place, hook.role, hook.on_failure, hook.command, entry)
        if identity not in seen:
            seen.add(identity)
            distinct.append(hook)
    return distinct


def _without_shared_triggers(hooks: list[Hook], *, is_guarded: bool) -> list[Hook]:
    """Return *hooks* without the ui triggers whose script a hook of their manifest runs anyway: one run is
    both. A trigger of a second widget runs by itself, since its XBOT_WIDGET_ID is another."""
    triggers = [hook for hook in hooks if hook.kind == constants.UI and _runs_program(hook)]
    if not triggers:
        return hooks
    triggers.sort(key=lambda trigger: trigger.widget is not None and trigger.widget.slot != constants.TOOL_HINT)
    joined = []
    for hook in hooks:
        trigger = next((trigger for trigger in triggers if _shares_a_run(trigger, hook, is_guarded)), None)
        if trigger is not None:
            triggers.remove(trigger)
            hook = hook.replace(widget=trigger.widget, shows=trigger.id)
        joined.append(hook)
    shown = {hook.shows for hook in joined}
    return [hook for hook in joined if hook.kind != constants.UI or hook.id not in shown]


def _shares_a_run(trigger: Hook, hook: Hook, is_guarded: bool) -> bool:
    """Say whether one run of *hook* can be that of *trigger* as well."""
    if hook.kind != constants.CONTRIBUTED or not _runs_program(hook):
        return False
    if (trigger.file, trigger.program, trigger.env) != (hook.file, hook.program, hook.env):
        return False
    return not (is_guarded and hook.role == constants.GUARD and _reads_its_widget(hook))


def _runs_program(hook: Hook) -> bool:
    return hook.runtime in ("script", "stdio") and not hook.flaw


def _reads_its_widget(hook: Hook) -> bool:
    """Say whether a guard's script tells its runs apart: as a widget it may well not guard."""
    from hookrun.config.files import read_regular

    try:
        return any(
            b"XBOT_WIDGET_ID" in read_regular(word)
            for word in hook.program.words
            if os.path.isabs(word) and os.path.isfile(word)
        )
    except OSError:
        return True


def _batches(hooks: Sequence[Hook]) -> tuple[tuple[Hook, ...], ...]:
    """Return one batch of all that run at the same time, then one for each serial hook."""
    together = tuple(hook for hook in hooks if not hook.serial)
    serial = [(hook,) for hook in hooks if hook.serial]
    return ((together,) if together else ()) + tuple(serial)


def _cut_problems(titles: Sequence[str], total: int, most: int) -> tuple[Problem, ...]:
    if not titles:
        return ()
    named = ", ".join(titles)
    return (
        Problem(
            message=f"{total} hooks match and at most {most} run for one event: {named} did not run",
            source="limits",
            where="limits.process_hooks",
            hint=f"raise limits.process_hooks to {total}",
        ),
    )


def _too_deep(hooks: Sequence[Hook], depth: int, *, is_refused: bool) -> Plan:
    reason = f"hookrun runs inside {depth} others (HOOKRUN_DEPTH): a hook seems to fire itself"
    problem = Problem(
        message=reason, level="error", source=constants.ENV_DEPTH, hint="do not call an agent or hookrun from this hook"
    )
    refusal = reason if is_refused else ""
    return Plan(over_limit=tuple(hooks), calls_handlers=False, refusal=refusal, problems=(problem,))
