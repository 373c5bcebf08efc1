"""The stages in order: discovery -> trust -> registry -> match -> plan -> run -> answer -> decide."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from hookrun.agents import dialect_named
from hookrun.agents.translate import translate_back
from hookrun.answers.answer import read_answer
from hookrun.answers.handlers import read_statement
from hookrun.config.config import Config
from hookrun.events.event import with_input
from hookrun.events.touched import has_many_commands, has_patch, is_of_unknown_kind
from hookrun.model import constants
from hookrun.model.events import event_named
from hookrun.model.values import Answer, Decision, Event, Hook, Outcome, Problem, Standing, Verdict
from hookrun.modules.values import MESSAGE, NOTHING_CALLED, Called, Report, Share, owner_of, program_hook
from hookrun.pipeline.decide import decide, refuse
from hookrun.pipeline.firing import NO_ROOMS, Firing, Loaded, Rooms, Wishes
from hookrun.pipeline.match import find_matches
from hookrun.pipeline.plan import plan_runs, with_handlers
from hookrun.pipeline.trusted_runs import counted, parted, refusal, void_modules
from hookrun.running.environment import depth_of
from hookrun.running.private_files import PrivateFiles, sweep
from hookrun.running.script import Means, run_calls, run_hooks
from hookrun.sources.discovery import discover, sources_in_use
from hookrun.sources.registry import Registry, register
from hookrun.trust import Trust

UNTRUSTED_NOTICE = "not trusted"  # part of the one Problem about all untrusted hooks

_NO_TEXT = "a module has sent a message without a text: the model does not see it"


def load(config: Config, trust: Trust, *, names_untrusted: bool = False) -> Loaded:
    """Find all hooks that *config* knows of and register those that may run. Runs nothing.

    With *names_untrusted* the Problem about hooks that nobody has trusted names them.
    """

    def is_trusted(hook: Hook) -> bool:
        return trust.check(hook).standing.status == constants.TRUSTED

    found = discover(config, is_trusted)
    present = (*found.hooks, *found.left_to_agent)
    hooks = (*found.hooks, *trust.missing(present, sources_in_use(config)))

    def standing_of(hook: Hook, by_its_files: bool) -> Standing:
        return trust.check(hook).standing if by_its_files else trust.standing(hook)

    registry = register(hooks, config.disable, standing_of)
    return Loaded(
        registry=registry,
        skips=found.skips,
        problems=(
            *config.problems,
            *found.problems,
            *registry.problems,
            *_untrusted(registry, config, names_untrusted),
        ),
        trust=trust,
        flaws=found.problems,
    )


def fire(
    event: Event,
    loaded: Loaded,
    config: Config,
    wishes: Wishes,
    problems: Sequence[Problem] = (),
    rooms: Rooms = NO_ROOMS,
) -> Decision:
    """Fire *event* and return the decision. *problems* are the event's own, from reading it.

    Raises Interrupted when a signal came; the hooks have been ended then.
    """
    firing = plan(event, loaded, config, wishes, problems)
    report = NOTHING_CALLED
    if firing.calls_handlers:
        at_most = firing.until - firing.started
        share = share_of(firing, config)
        report = rooms.call_modules(firing.modules, event, firing.seconds, at_most, share)
        firing = beside_handlers(firing, report.called, config)
    answers = run_planned(firing, config, rooms, waited=report.waited)
    return conclude(firing, report, answers, config, rooms)


def plan(event: Event, loaded: Loaded, config: Config, wishes: Wishes, problems: Sequence[Problem]) -> Firing:
    """Return what is to happen for *event*; nothing has run yet."""
    started = time.perf_counter()
    matches = _wanted(find_matches(loaded.registry, event), wishes.only)
    trusted, refused, checks = parted(matches, loaded.trust)
    planned = plan_runs(trusted, event, config.limits, depth=depth_of(config.environ))
    at_most = min(wishes.seconds or float("inf"), wishes.at_most or float("inf"))
    on_untrusted = wishes.on_untrusted or config.on_untrusted
    return Firing(
        event=event,
        matches=tuple(matches),
        plan=planned,
        refused=refused,
        checks=checks,
        trust=loaded.trust,
        on_untrusted=on_untrusted,
        on_missing=wishes.on_missing or config.on_missing or ("deny" if on_untrusted == "deny" else "ask"),
        untrusted=len(loaded.registry.untrusted),
        dry_run=wishes.dry_run,
        total=len(loaded.registry.asked),
        problems=(*_set_up(loaded, event, matches), *problems, *planned.problems),
        started=started,
        seconds=min(wishes.seconds or config.limits.event_seconds, at_most),
        until=started + at_most,
    )


def longest(loaded: Loaded, config: Config, wishes: Wishes) -> float:
    """Return how many seconds the hooks of an event can take at most, before they are ended."""
    seconds = wishes.seconds or config.limits.event_seconds
    if config.keeps_agents_times and not wishes.seconds:
        entries = [hook for hook in loaded.registry.in_force if hook.kind == constants.SETTINGS]
        seconds = max([seconds, *(_agents_seconds(hook) for hook in entries)])
    return min(seconds, wishes.at_most or float("inf"))


def _agents_seconds(hook: Hook) -> float:
    """Return the time that an agent gives the entry *hook* of its settings."""
    from hookrun.agents.settings import settings_of

    return hook.timeout or settings_of(hook.dialect).seconds


def share_of(firing: Firing, config: Config) -> Share:
    """Return how many processes are planned, which count beside handlers of the SDK."""
    known = event_named(firing.event.event)
    return Share(
        guards=firing.plan.guards,
        observers=len(firing.plan.observers),
        most=config.limits.process_hooks,
        is_guarded=known is not None and known.guarded,
    )


def beside_handlers(firing: Firing, called: Called, config: Config) -> Firing:
    """Return what is left to run beside the handlers that were *called*."""
    if not called.counted:
        return firing.replace(problems=(*firing.problems, *called.problems)) if called.problems else firing
    most = config.limits.process_hooks
    planned = with_handlers(firing.plan, called.counted, called.cut, called.refusal, most)
    if planned is firing.plan and not called.problems:
        return firing
    new = planned.problems if planned is not firing.plan else ()
    return firing.replace(plan=planned, problems=(*firing.problems, *new, *called.problems))


def run_planned(
    firing: Firing, config: Config, rooms: Rooms = NO_ROOMS, *, waited: float = 0.0, stop: int | None = None
) -> list[Answer]:
    """Run what is planned, batch after batch, and return the answers; *waited* are the seconds since the
    start in which a person was asked, *stop* is a descriptor that ends the running hooks when it becomes
    readable."""
    event, planned = firing.event, firing.plan
    answers = [
        read_answer(hook, outcome, event, on_untrusted=firing.on_untrusted, on_missing=firing.on_missing)
        for hook, outcome in firing.refused
    ]
    if planned.over_limit:
        cut = [Outcome(status=constants.OVER_LIMIT, cause=planned.refusal)] * len(planned.over_limit)
        answers += _answers(planned.over_limit, cut, event, config)
    if firing.dry_run:
        hooks = [hook for batch in planned.batches for hook in batch] + list(firing.modules)
        return answers + _answers(hooks, [Outcome(status=constants.PLANNED)] * len(hooks), event, config)
    return answers + (_run(firing, config, rooms, waited, stop) if planned.batches else [])


def conclude(
    firing: Firing, report: Report, answers: Sequence[Answer], config: Config, rooms: Rooms = NO_ROOMS
) -> Decision:
    """Return the decision that handlers and processes come to together."""
    event = firing.event
    void = void_modules(firing, report, rooms)
    handled = _handler_answers(report, firing, config, void)
    position = {hook.id: index for index, hook in enumerate(firing.matches)}
    ordered = sorted((*handled, *answers), key=lambda answer: position.get(answer.hook.id, len(position)))
    seconds = time.perf_counter() - firing.started
    if firing.plan.refusal and not firing.dry_run:
        return refuse(
            event,
            firing.plan.refusal,
            constants.BY_LIMIT,
            answers=ordered,
            problems=firing.problems,
            total=firing.total,
            seconds=seconds,
        )
    decision = decide(event, ordered, total=firing.total, problems=firing.problems, seconds=seconds)
    if firing.untrusted:
        decision = decision.replace(untrusted=firing.untrusted)
    if report.kept and not void:
        decision = _with_messages(decision, report)
    if report.called.result is None or void:  # the result is of all modules together
        return decision
    return decision.replace(result=report.called.result)


def _with_messages(decision: Decision, report: Report) -> Decision:
    """Return *decision* with what modules have sent for the model as context: the event is what brings it
    there."""
    from hookrun.agents.reply.results import message_text

    texts = [message_text(document.get("message")) for kind, document in report.kept if kind == MESSAGE]
    problems = decision.problems
    if not all(texts):
        problems = (*problems, Problem(message=_NO_TEXT, hint='give it a text: {"content": "..."}'))
    return decision.replace(context=(*decision.context, *filter(None, texts)), problems=problems)


def run_together(hooks: Sequence[Hook], event: Event, config: Config, trust: Trust) -> list[Outcome]:
    """Run those of *hooks* that are trusted at the same time for *event*, without matching or deciding:
    widgets and commands. Return the outcomes in the order of *hooks*."""
    trusted, refused, checks = parted(hooks, trust)
    outcome_by_hook = {hook.id: outcome for hook, outcome in refused}
    for hook, outcome in zip(trusted, _run_together(trusted, event, config), strict=True):
        standing = trust.changed_while_it_ran(checks[hook.id]) if hook.id in checks else None
        outcome_by_hook[hook.id] = outcome if standing is None else refusal(standing)
    return [outcome_by_hook[hook.id] for hook in hooks]


def _run_together(hooks: Sequence[Hook], event: Event, config: Config) -> list[Outcome]:
    files = PrivateFiles(config.runtime_folder)
    means = Means(config=config, keep_in_file=files.keep)
    longest = max((hook.timeout or 0.0 for hook in hooks), default=0.0)
    try:
        return run_hooks(
            hooks, event, means, total_seconds=max(config.limits.event_seconds, config.limits.command_seconds, longest)
        )
    finally:
        files.close()


def _set_up(loaded: Loaded, event: Event, matches: Sequence[Hook]) -> tuple[Problem, ...]:
    """Return what is wrong with the set-up as far as it matters to *event*."""
    if not loaded.flaws:
        return loaded.problems
    from hookrun.sources.setup_problems import that_matter

    kept = that_matter(loaded.flaws, event, matches)
    left_out = set(loaded.flaws).difference(kept)
    return tuple(problem for problem in loaded.problems if problem not in left_out)


def _untrusted(registry: Registry, config: Config, names_them: bool) -> tuple[Problem, ...]:
    """Return the one Problem that hooks which nobody has trusted are, however many they are."""
    count = len(registry.untrusted)
    if not count:
        return ()
    message = (
        f"1 hook is {UNTRUSTED_NOTICE} and does not run"
        if count == 1
        else f"{count} hooks are {UNTRUSTED_NOTICE} and do not run"
    )
    if names_them:
        message += ": " + ", ".join(hook.title for hook in registry.untrusted)
    hint = "look at what the project brings along, then `hookrun trust`"
    return (Problem(message=message, source=config.root, hint=hint),)


def _wanted(matches: list[Hook], only: tuple[str, ...]) -> list[Hook]:
    if not only:
        return matches
    return [hook for hook in matches if {hook.id, hook.plugin, hook.key, hook.title}.intersection(only)]


def _run(firing: Firing, config: Config, rooms: Rooms, waited: float, stop: int | None) -> list[Answer]:
    sweep(config.runtime_folder)
    files = PrivateFiles(config.runtime_folder)
    now, passed = time.monotonic(), time.perf_counter() - firing.started
    last = now - passed + firing.until - firing.started
    end = min(now - passed + firing.seconds + waited, last)
    means = Means(
        config=config,
        keep_in_file=files.keep,
        plugins=rooms.plugins,
        stop_when_readable=stop,
        settings_until=last if config.keeps_agents_times else end,
        over=f"all hooks together took longer than {firing.seconds:.3g} s",
    )
    answers: list[Answer] = []
    try:
        for batch in firing.plan.batches:
            event = _rewritten(firing.event, answers, config) if batch[0].serial else firing.event
            _renew_plugins(batch, firing, rooms)
            if has_patch(event) or has_many_commands(event) or is_of_unknown_kind(event):
                answers += _answers_by_file(batch, event, means, end, config, firing, rooms)
                continue
            outcomes = run_hooks(batch, event, means, total_seconds=max(0.0, end - time.monotonic()))
            kept = [counted(*pair, firing, rooms) for pair in zip(batch, outcomes, strict=True)]
            answers += _answers(batch, kept, event, config)
    finally:
        files.close()
    return answers


def _answers_by_file(
    batch: Sequence[Hook], event: Event, means: Means, end: float, config: Config, firing: Firing, rooms: Rooms
) -> list[Answer]:
    from hookrun.pipeline.file_by_file import ask_by_file

    def run(pairs: Sequence[tuple[Hook, Event]]) -> list[Outcome]:
        outcomes = run_calls(pairs, means, total_seconds=max(0.0, end - time.monotonic()))
        return [counted(hook, outcome, firing, rooms) for (hook, _), outcome in zip(pairs, outcomes, strict=True)]

    return ask_by_file(batch, event, run=run, read=lambda hook, outcome, part: _read(hook, outcome, part, config))


def _renew_plugins(batch: Sequence[Hook], firing: Firing, rooms: Rooms) -> None:
    """End live plugins that were started when their files were not what was checked just now."""
    for hook in batch:
        if hook.runtime == "stdio" and hook.id in firing.checks and rooms.plugins is not None:
            checked = firing.checks[hook.id]
            rooms.plugins().renew(hook, (checked.stamps, checked.ways.links))


def _handler_answers(report: Report, firing: Firing, config: Config, void: Mapping[str, Standing]) -> list[Answer]:
    """Return an answer for every module that failed or is *void*, and for every handler that said something
    or, where none of a module's did, for the module: it ran."""
    hook_by_owner = {owner_of(hook): hook for hook in firing.modules}
    failed = {owner: cause for owner, cause in report.failures if owner not in void}
    answers = [_read(hook_by_owner[owner], refusal(standing), firing.event, config) for owner, standing in void.items()]
    answers += [
        _read(hook_by_owner[owner], Outcome(status=constants.NOT_STARTED, cause=cause), firing.event, config)
        for owner, cause in failed.items()
    ]
    silent = dict.fromkeys(owner for owner in report.called.owners if owner not in void)
    for said in report.called.statements:
        if said.owner in void:
            continue
        hook = hook_by_owner.get(said.owner) or program_hook(firing.event.project_dir)
        silent.pop(said.owner, None)
        if said.error:
            role = constants.GUARD if said.is_guard else constants.OBSERVER
            outcome = Outcome(status=constants.FAILED, cause=said.error)
            answers.append(_read(hook.replace(role=role), outcome, firing.event, config))
        else:
            answers.append(read_statement(hook, said.verdict, said.message, said.data))
    for owner in silent:
        hook = hook_by_owner.get(owner) or program_hook(firing.event.project_dir)
        answers.append(read_statement(hook, Verdict.NO_OPINION, "", None))
    return answers


def _rewritten(event: Event, answers: Sequence[Answer], config: Config) -> Event:
    """Return the event as the hooks before a serial one left it: with the rewrite that counts so far."""
    rewrites = [answer for answer in answers if answer.updated_input is not None]
    if not rewrites:
        return event
    serial = [answer for answer in rewrites if answer.hook.serial]
    return with_input(event, (serial or rewrites[:1])[-1].updated_input, config.tools)


def _answers(hooks: Sequence[Hook], outcomes: Sequence[Outcome], event: Event, config: Config) -> list[Answer]:
    return [_read(hook, outcome, event, config) for hook, outcome in zip(hooks, outcomes, strict=True)]


def _read(hook: Hook, outcome: Outcome, event: Event, config: Config) -> Answer:
    # A failure in an agent's settings is left to that agent's rule, unless somebody has said otherwise.
    on_failure = config.settings_on_failure if hook.kind == constants.SETTINGS else config.on_failure
    return _in_callers_keys(read_answer(hook, outcome, event, on_failure=on_failure), event)


def _in_callers_keys(answer: Answer, event: Event) -> Answer:
    """Return *answer* with its rewrite in the caller's keys; hooks write those of their own dialect."""
    callers, own = dialect_named(event.dialect), dialect_named(answer.hook.dialect)
    if answer.updated_input is None or callers is None or own is None:
        return answer
    rewrite = translate_back(answer.updated_input, event.tool_input, callers, own, event.kinds)
    return answer.replace(updated_input=rewrite)
