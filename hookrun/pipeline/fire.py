"""The stages of an event in order: load (discovery, trust, registry) -> plan (match, trust, plan) -> run -> conclude
(answer, decide). HookRunner.fire goes through them, and calls handlers of modules between plan and run."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence

from hookrun.agents import dialect_named
from hookrun.agents.translate import translate_back
from hookrun.answers.answer import read_answer, read_statement
from hookrun.config.config import Config
from hookrun.events.event import with_input
from hookrun.events.touched import has_many_commands, has_patch, is_of_unknown_kind
from hookrun.model import constants
from hookrun.model.events import is_guarded
from hookrun.model.values import Answer, Decision, Event, Hook, Outcome, Problem, Standing, Verdict
from hookrun.modules.values import MESSAGE, NOTHING_CALLED, Called, Report, Share, Statement, owner_of, program_hook
from hookrun.pipeline.decide import decide, refuse
from hookrun.pipeline.firing import FireOptions, Firing, Loaded
from hookrun.pipeline.match import find_matches
from hookrun.pipeline.plan import plan_runs, with_handlers
from hookrun.running.environment import depth_of
from hookrun.running.private_files import PrivateFiles, sweep
from hookrun.running.script import Means, run_calls
from hookrun.sources.discovery import discover, sources_in_use
from hookrun.sources.registry import Registry, register
from hookrun.trust import NO_NEED, Checked, Trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookrun.pipeline.firing import LiveHooks

UNTRUSTED_NOTICE = "not trusted"  # part of the one Problem about all untrusted hooks

_NO_TEXT = "a module has sent a message without a text: the model does not see it"


def load(config: Config, trust: Trust, *, names_untrusted: bool = False) -> Loaded:
    """Find all hooks that *config* knows of and register those that may run. Runs nothing.

    With *names_untrusted* the Problem about untrusted hooks names them.
    """

    def is_trusted(hook: Hook) -> bool:
        return trust.check(hook).standing.status == constants.TRUSTED

    def standing_of(hook: Hook, by_its_files: bool) -> Standing:
        return trust.check(hook).standing if by_its_files else trust.standing(hook)

    found = discover(config, is_trusted)
    present = (*found.hooks, *found.left_to_agent)
    hooks = (*found.hooks, *trust.missing(present, sources_in_use(config)))
    registry = register(hooks, config.disable, standing_of)
    untrusted = _untrusted(registry, config, names_untrusted)
    return Loaded(
        registry=registry,
        skips=found.skips,
        problems=(*config.problems, *found.problems, *registry.problems, *untrusted),
        trust=trust,
        flaws=found.problems,
    )


def plan(
    event: Event,
    loaded: Loaded,
    config: Config,
    options: FireOptions,
    problems: Sequence[Problem] = (),
    live: LiveHooks | None = None,
) -> Firing:
    """Return what is to happen for *event*; nothing has run yet. *problems* are the event's own."""
    started = time.monotonic()
    matches = _selected(find_matches(loaded.registry, event), options.only)
    trusted, refused, checks = split_by_trust(matches, loaded.trust)
    planned = plan_runs(trusted, event, config.limits, depth=depth_of(config.environ))
    at_most = min(options.seconds or float("inf"), options.at_most or float("inf"))
    return Firing(
        event=event,
        config=config,
        loaded=loaded,
        options=options,
        live=live,
        matches=tuple(matches),
        plan=planned,
        refused=refused,
        checks=checks,
        problems=(*_problems_that_matter(loaded, event, matches), *problems, *planned.problems),
        started=started,
        seconds=min(options.seconds or config.limits.event_seconds, at_most),
        until=started + at_most,
    )


def longest(loaded: Loaded, config: Config, options: FireOptions) -> float:
    """Return how many seconds the hooks of an event can take at most, before they are ended."""
    seconds = options.seconds or config.limits.event_seconds
    if config.keeps_agents_times and not options.seconds:
        entries = [hook for hook in loaded.registry.in_force if hook.kind == constants.SETTINGS]
        seconds = max([seconds, *(_agents_seconds(hook) for hook in entries)])
    return min(seconds, options.at_most or float("inf"))


def _agents_seconds(hook: Hook) -> float:
    """Return the time that an agent gives the entry *hook* of its settings."""
    from hookrun.agents.settings import settings_of

    return hook.timeout or settings_of(hook.dialect).seconds


def share_of(firing: Firing) -> Share:
    """Return how many processes are planned, which count beside handlers of the SDK."""
    return Share(
        guards=firing.plan.guards,
        observers=len(firing.plan.observers),
        most=firing.config.limits.process_hooks,
        is_guarded=is_guarded(firing.event.event),
    )


def beside_handlers(firing: Firing, called: Called) -> Firing:
    """Return what is left to run beside the handlers that were *called*."""
    planned, new = firing.plan, called.problems
    if called.counted:
        most = firing.config.limits.process_hooks
        planned = with_handlers(firing.plan, called.counted, called.cut, called.refusal, most)
        new = (*planned.problems, *called.problems) if planned is not firing.plan else new
    if planned is firing.plan and not new:
        return firing
    return firing.replace(plan=planned, problems=(*firing.problems, *new))


def run_planned(firing: Firing, *, waited: float = 0.0, stop: int | None = None) -> list[Answer]:
    """Run what is planned, batch after batch, and return the answers, those of hooks that do not run first.

    *waited* are the seconds since the start in which a person was asked; *stop* is a descriptor that ends the
    running hooks when it becomes readable.
    """
    answers = [_read(hook, outcome, firing.event, firing) for hook, outcome in _not_run(firing)]
    if firing.options.dry_run or not firing.plan.batches:
        return answers
    config = firing.config
    sweep(config.runtime_folder)
    files = PrivateFiles(config.runtime_folder)
    end = min(firing.started + firing.seconds + waited, firing.until)
    means = Means(
        config=config,
        keep_in_file=files.keep,
        launches=firing.loaded.trust.launches,
        plugins=firing.live.live_plugins if firing.live else None,
        stop_when_readable=stop,
        settings_until=firing.until if config.keeps_agents_times else end,
        over=f"all hooks together took longer than {firing.seconds:.3g} s",
    )
    try:
        for batch in firing.plan.batches:
            event = _rewritten(firing.event, answers, config) if batch[0].serial else firing.event
            _renew_plugins(batch, firing)
            if has_patch(event) or has_many_commands(event) or is_of_unknown_kind(event):
                answers += _answers_by_file(batch, event, firing, means, end)
                continue
            outcomes = run_calls([(hook, event) for hook in batch], means, total_seconds=_seconds_left(end))
            outcomes = [_void_if_changed(*pair, firing) for pair in zip(batch, outcomes, strict=True)]
            answers += [_read(hook, outcome, event, firing) for hook, outcome in zip(batch, outcomes, strict=True)]
    finally:
        files.close()
    return answers


def conclude(firing: Firing, report: Report, answers: Sequence[Answer]) -> Decision:
    """Return the decision of handlers and processes together."""
    void = _void_modules(firing, report)
    handled = _handler_answers(firing, report, void)
    position = {hook.id: index for index, hook in enumerate(firing.matches)}
    ordered = sorted((*handled, *answers), key=lambda answer: position.get(answer.hook.id, len(position)))
    seconds = time.monotonic() - firing.started
    total, problems = len(firing.loaded.registry.asked), firing.problems
    if firing.plan.refusal and not firing.options.dry_run:
        return refuse(
            firing.event,
            firing.plan.refusal,
            constants.BY_LIMIT,
            answers=ordered,
            total=total,
            problems=problems,
            seconds=seconds,
        )
    decision = decide(firing.event, ordered, total=total, problems=problems, seconds=seconds)
    if firing.loaded.registry.untrusted:
        decision = decision.replace(untrusted=len(firing.loaded.registry.untrusted))
    if void:  # the result and the messages are of all modules together
        return decision
    if report.kept:
        decision = _with_messages(decision, report)
    result = report.called.result
    return decision if result is None else decision.replace(result=result)


def run_together(hooks: Sequence[Hook], event: Event, config: Config, trust: Trust) -> list[Outcome]:
    """Run those of *hooks* that are trusted at the same time for *event*, without matching or deciding:
    widgets and commands. Return the outcomes in the order of *hooks*."""
    trusted, refused, checks = split_by_trust(hooks, trust)
    outcome_by_hook = {hook.id: outcome for hook, outcome in refused}
    files = PrivateFiles(config.runtime_folder)
    means = Means(config=config, keep_in_file=files.keep, launches=trust.launches)
    times = (hook.timeout or 0.0 for hook in trusted)
    seconds = max(config.limits.event_seconds, config.limits.command_seconds, *times)
    try:
        outcomes = run_calls([(hook, event) for hook in trusted], means, total_seconds=seconds)
    finally:
        files.close()
    for hook, outcome in zip(trusted, outcomes, strict=True):
        standing = trust.changed_while_it_ran(checks[hook.id]) if hook.id in checks else None
        outcome_by_hook[hook.id] = outcome if standing is None else refusal(standing)
    return [outcome_by_hook[hook.id] for hook in hooks]


def split_by_trust(
    hooks: Sequence[Hook], trust: Trust
) -> tuple[list[Hook], tuple[tuple[Hook, Outcome], ...], dict[str, Checked]]:
    """Return the hooks that may run, the others with outcomes that say why, and the files of the former as
    they are now, by the hook's id."""
    trusted: list[Hook] = []
    refused: list[tuple[Hook, Outcome]] = []
    checks: dict[str, Checked] = {}
    for hook in hooks:
        checked = trust.check(hook)
        if checked.standing.status != constants.TRUSTED:
            refused.append((hook, refusal(checked.standing)))
            continue
        trusted.append(hook)
        if checked is not NO_NEED:
            checks[hook.id] = checked
    return trusted, tuple(refused), checks


def refusal(standing: Standing) -> Outcome:
    """Return the outcome of a hook that does not run, or does not count, for how it stands with trust."""
    return Outcome(status=standing.status, cause=standing.reason, hint=standing.hint)


def _untrusted(registry: Registry, config: Config, names_them: bool) -> tuple[Problem, ...]:
    """Return the one Problem about untrusted hooks, however many they are."""
    count = len(registry.untrusted)
    if not count:
        return ()
    message = f"1 hook is {UNTRUSTED_NOTICE} and does not run"
    if count > 1:
        message = f"{count} hooks are {UNTRUSTED_NOTICE} and do not run"
    if names_them:
        message += ": " + ", ".join(hook.title for hook in registry.untrusted)
    hint = "look at what the project brings along, then `hookrun trust`"
    return (Problem(message=message, source=config.root, hint=hint),)


def _selected(matches: list[Hook], only: tuple[str, ...]) -> list[Hook]:
    if not only:
        return matches
    return [hook for hook in matches if {hook.id, hook.plugin, hook.key, hook.title}.intersection(only)]


def _problems_that_matter(loaded: Loaded, event: Event, matches: Sequence[Hook]) -> tuple[Problem, ...]:
    """Return what is wrong with the set-up as far as it matters to *event*."""
    if not loaded.flaws:
        return loaded.problems
    from hookrun.sources.found import that_matter

    left_out = set(loaded.flaws).difference(that_matter(loaded.flaws, event, matches))
    return tuple(problem for problem in loaded.problems if problem not in left_out)


def _not_run(firing: Firing) -> Iterable[tuple[Hook, Outcome]]:
    """Yield the hooks that match and do not run, with outcomes that say why."""
    yield from firing.refused
    for hook in firing.plan.over_limit:
        yield hook, Outcome(status=constants.OVER_LIMIT, cause=firing.plan.refusal)
    if firing.options.dry_run:
        for hook in (*(hook for batch in firing.plan.batches for hook in batch), *firing.modules):
            yield hook, Outcome(status=constants.PLANNED)


def _seconds_left(end: float) -> float:
    return max(0.0, end - time.monotonic())


def _renew_plugins(batch: Sequence[Hook], firing: Firing) -> None:
    """End live plugins that were started when their files were not what was checked just now."""
    for hook in batch:
        if hook.runtime == "stdio" and hook.id in firing.checks and firing.live:
            checked = firing.checks[hook.id]
            firing.live.live_plugins().renew(hook, (checked.stamps, checked.ways.links))


def _answers_by_file(batch: Sequence[Hook], event: Event, firing: Firing, means: Means, end: float) -> list[Answer]:
    from hookrun.pipeline.file_by_file import ask_by_file

    def run(pairs: Sequence[tuple[Hook, Event]]) -> list[Outcome]:
        outcomes = run_calls(pairs, means, total_seconds=_seconds_left(end))
        return [_void_if_changed(hook, outcome, firing) for (hook, _), outcome in zip(pairs, outcomes, strict=True)]

    return ask_by_file(batch, event, run=run, read=lambda hook, outcome, part: _read(hook, outcome, part, firing))


def _rewritten(event: Event, answers: Sequence[Answer], config: Config) -> Event:
    """Return the event as the hooks before a serial one left it: with the rewrite that counts so far."""
    rewrites = [answer for answer in answers if answer.updated_input is not None]
    if not rewrites:
        return event
    serial = [answer for answer in rewrites if answer.hook.serial]
    return with_input(event, (serial or rewrites[:1])[-1].updated_input, config.tools)


def _void_if_changed(hook: Hook, outcome: Outcome, firing: Firing) -> Outcome:
    """Return *outcome*, or that it is void, since the hook's files changed while it ran."""
    standing = _changed(hook, firing)
    return outcome if standing is None else refusal(standing).replace(seconds=outcome.seconds)


def _changed(hook: Hook, firing: Firing) -> Standing | None:
    """Return the standing of *hook* when its files changed while it ran, and forget what it loaded; else None."""
    checked = firing.checks.get(hook.id)
    standing = firing.loaded.trust.changed_while_it_ran(checked) if checked is not None else None
    if standing is not None and firing.live:
        firing.live.forget(hook)
    return standing


def _void_modules(firing: Firing, report: Report) -> dict[str, Standing]:
    """Return the modules whose files changed while they ran, by owner: what they said does not count."""
    if report is NOTHING_CALLED:
        return {}
    found = ((owner_of(hook), _changed(hook, firing)) for hook in firing.modules)
    return {owner: standing for owner, standing in found if standing is not None}


def _handler_answers(firing: Firing, report: Report, void: Mapping[str, Standing]) -> list[Answer]:
    """Return an answer for every module that failed or is *void*, for every handler that said something, and
    for each module whose handlers ran and said nothing."""
    event, called = firing.event, report.called
    hook_by_owner = {owner_of(hook): hook for hook in firing.modules}
    outcome_by_owner = {
        **{owner: Outcome(status=constants.NOT_STARTED, cause=cause) for owner, cause in report.failures},
        **{owner: refusal(standing) for owner, standing in void.items()},
    }
    answers = [_read(hook_by_owner[owner], outcome, event, firing) for owner, outcome in outcome_by_owner.items()]
    statements = [said for said in called.statements if said.owner not in void]
    for said in statements:
        hook = hook_by_owner.get(said.owner) or program_hook(event.project_dir)
        answers.append(_statement_answer(hook, said, firing))
    spoke = void.keys() | {said.owner for said in statements}
    for owner in dict.fromkeys(owner for owner in called.owners if owner not in spoke):
        hook = hook_by_owner.get(owner) or program_hook(event.project_dir)
        answers.append(read_statement(hook, Verdict.NO_OPINION, "", None))
    return answers


def _statement_answer(hook: Hook, said: Statement, firing: Firing) -> Answer:
    if not said.error:
        return read_statement(hook, said.verdict, said.message, said.data)
    role = constants.GUARD if said.is_guard else constants.OBSERVER
    return _read(hook.replace(role=role), Outcome(status=constants.FAILED, cause=said.error), firing.event, firing)


def _with_messages(decision: Decision, report: Report) -> Decision:
    """Return *decision* with the messages of modules for the model as context: the event brings them there."""
    from hookrun.agents.reply.results import message_text

    texts = [message_text(document.get("message")) for kind, document in report.kept if kind == MESSAGE]
    problems = decision.problems
    if not all(texts):
        problems = (*problems, Problem(message=_NO_TEXT, hint='give it a text: {"content": "..."}'))
    return decision.replace(context=(*decision.context, *filter(None, texts)), problems=problems)


def _read(hook: Hook, outcome: Outcome, event: Event, firing: Firing) -> Answer:
    config, options = firing.config, firing.options
    on_untrusted = options.on_untrusted or config.on_untrusted
    answer = read_answer(
        hook,
        outcome,
        event,
        # a failure in an agent's settings is left to that agent's rule, unless the configuration says otherwise
        on_failure=config.settings_on_failure if hook.kind == constants.SETTINGS else config.on_failure,
        on_untrusted=on_untrusted,
        on_missing=options.on_missing or config.on_missing or ("deny" if on_untrusted == "deny" else "ask"),
    )
    return _in_callers_keys(answer, event)


def _in_callers_keys(answer: Answer, event: Event) -> Answer:
    """Return *answer* with its rewrite in the caller's keys; hooks write those of their own dialect."""
    callers, own = dialect_named(event.dialect), dialect_named(answer.hook.dialect)
    if answer.updated_input is None or callers is None or own is None:
        return answer
    rewrite = translate_back(answer.updated_input, event.tool_input, callers, own, event.kinds)
    return answer.replace(updated_input=rewrite)
