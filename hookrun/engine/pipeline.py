"""The stages in order: config -> discovery -> registry -> match -> plan -> run -> answer -> decide."""

from __future__ import annotations

import time

from hookrun.engine.answer import read_answer
from hookrun.engine.decide import decide, refuse
from hookrun.engine.discovery import discover
from hookrun.engine.match import find_matches
from hookrun.engine.plan import plan_runs
from hookrun.engine.registry import Registry, register
from hookrun.engine.runners.environment import depth_of
from hookrun.engine.runners.private_files import PrivateFiles, sweep
from hookrun.engine.runners.script import run_hooks
from hookrun.readers.dialects import dialect_named
from hookrun.readers.dialects.translation import translate_back
from hookrun.readers.events import with_input
from hookrun.words import names
from hookrun.words.frozen import Frozen
from hookrun.words.model import Answer, Decision, Event, Hook, Outcome, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookrun.engine.plan import Plan
    from hookrun.readers.config import Config
    from hookrun.readers.sources.found import Skip


class Loaded(Frozen):
    """What is set up at a place: the registry, what was skipped, and everything that is wrong."""

    registry: Registry
    skips: tuple[Skip, ...]
    problems: tuple[Problem, ...]


class Wishes(Frozen):
    """What a caller wants of one event only: these hooks alone, no run, a bound in seconds for them all."""

    only: tuple[str, ...] = ()
    dry_run: bool = False
    seconds: float | None = None


def load(config: Config) -> Loaded:
    """Find all hooks that *config* knows of and register them. Runs nothing."""
    found = discover(config)
    registry = register(found.hooks, config.disable)
    return Loaded(
        registry=registry,
        skips=found.skips,
        problems=(*config.problems, *found.problems, *registry.problems),
    )


def fire(
    event: Event, loaded: Loaded, config: Config, wishes: Wishes, problems: Sequence[Problem] = ()
) -> Decision:
    """Fire *event* and return the decision. *problems* are the event's own, from reading it.

    Raises Interrupted when a signal came; the hooks have been ended then.
    """
    started = time.perf_counter()
    matches = _wanted(find_matches(loaded.registry, event), wishes.only)
    plan = plan_runs(matches, event, config.limits, depth=depth_of(config.environ))
    everything = (*loaded.problems, *problems, *plan.problems)
    total = len(loaded.registry.in_force)
    cut = [Outcome(status=names.OVER_LIMIT, cause=plan.refusal)] * len(plan.over_limit)
    skipped = _answers(plan.over_limit, cut, event, config)
    if plan.refusal and not wishes.dry_run:
        return refuse(event, plan.refusal, names.BY_LIMIT, answers=skipped, problems=everything, total=total)
    answers = _run(plan, event, config, wishes)
    ordered = sorted((*answers, *skipped), key=lambda answer: matches.index(answer.hook))
    seconds = time.perf_counter() - started
    return decide(event, ordered, total=total, problems=everything, seconds=seconds)


def run_together(hooks: Sequence[Hook], event: Event, config: Config) -> list[Outcome]:
    """Run *hooks* at the same time for *event* without matching or deciding: widgets and commands."""
    files = PrivateFiles(config.runtime_folder)
    longest = max((hook.timeout or 0.0 for hook in hooks), default=0.0)
    try:
        return run_hooks(
            hooks,
            event,
            environ=config.environ,
            limits=config.limits,
            keep_in_file=files.keep,
            total_seconds=max(config.limits.event_seconds, config.limits.command_seconds, longest),
        )
    finally:
        files.close()


def _wanted(matches: list[Hook], only: tuple[str, ...]) -> list[Hook]:
    if not only:
        return matches
    return [hook for hook in matches if {hook.id, hook.plugin, hook.key, hook.title}.intersection(only)]


def _run(plan: Plan, event: Event, config: Config, wishes: Wishes) -> list[Answer]:
    if wishes.dry_run:
        planned = [hook for batch in plan.batches for hook in batch]
        return _answers(planned, [Outcome(status=names.PLANNED)] * len(planned), event, config)
    sweep(config.runtime_folder)
    files = PrivateFiles(config.runtime_folder)
    answers: list[Answer] = []
    declared = [hook.timeout or 0.0 for batch in plan.batches for hook in batch]
    end = time.monotonic() + (wishes.seconds or max([config.limits.event_seconds, *declared]))
    try:
        for batch in plan.batches:
            current = _rewritten(event, answers, config) if batch[0].serial else event
            outcomes = run_hooks(
                batch,
                current,
                environ=config.environ,
                limits=config.limits,
                keep_in_file=files.keep,
                total_seconds=max(0.0, end - time.monotonic()),
            )
            answers += _answers(batch, outcomes, current, config)
    finally:
        files.close()
    return answers


def _rewritten(event: Event, answers: Sequence[Answer], config: Config) -> Event:
    """Return the event as the hooks before a serial one left it: with the rewrite that counts so far."""
    rewrites = [answer for answer in answers if answer.updated_input is not None]
    if not rewrites:
        return event
    serial = [answer for answer in rewrites if answer.hook.serial]
    return with_input(event, (serial or rewrites[:1])[-1].updated_input, config.tools)


def _answers(
    hooks: Sequence[Hook], outcomes: Sequence[Outcome], event: Event, config: Config
) -> list[Answer]:
    return [
        _in_callers_keys(read_answer(hook, outcome, event, on_failure=config.on_failure), event)
        for hook, outcome in zip(hooks, outcomes, strict=True)
    ]


def _in_callers_keys(answer: Answer, event: Event) -> Answer:
    """Return *answer* with its rewrite in the caller's keys; hooks write those of their own dialect."""
    callers, own = dialect_named(event.dialect), dialect_named(answer.hook.dialect)
    if answer.updated_input is None or callers is None or own is None:
        return answer
    rewrite = translate_back(answer.updated_input, event.tool_input, callers, own, event.kinds)
    return answer.replace(updated_input=rewrite)
