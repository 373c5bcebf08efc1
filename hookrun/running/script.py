"""Hooks that are programs: prepared, handed their event, supervised, and looked at again when they
ended the way an interpreter complains about a script that it cannot run."""

from __future__ import annotations

import os
import time

from hookrun.agents import NEUTRAL, XBOT, dialect_named
from hookrun.agents.payload import payload_for, payload_line
from hookrun.model import constants
from hookrun.model.errors import StoreError, UsageError
from hookrun.model.frozen import Frozen
from hookrun.model.values import Outcome, Problem
from hookrun.programs.command import Launch, Launches, Obstacle
from hookrun.programs.interpreter_errors import python_complaint, syntax_check_for
from hookrun.running.environment import hook_environment, input_text
from hookrun.running.process import Job, run_jobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from hookrun.agents.shape import Dialect
    from hookrun.config.config import Config
    from hookrun.model.values import Event, Hook
    from hookrun.running.agent_environment import OwnWay
    from hookrun.running.http import Exchange
    from hookrun.running.plugins.calls import PluginCalls
    from hookrun.running.plugins.plugins import StdioPlugins

CHECK_SECONDS = 5.0  # for an interpreter to say whether a script is well-formed


class Ready(Frozen):
    """A hook that can start: how, with which environment and payload, and what had to be changed for it."""

    hook: Hook
    event: Event
    launch: Launch
    environment: Mapping[str, str]
    payload: Mapping[str, Any]
    line: bytes
    timeout: float
    problems: tuple[Problem, ...]
    cwd: str = ""  # where it wants to run, "" for where all do


class Means(Frozen):
    """What running hooks takes."""

    config: Config
    keep_in_file: Callable[[str, bytes], str]  # where values too large for a variable are kept
    launches: Launches  # how programs start
    plugins: Callable[[], StdioPlugins] | None = None  # how to reach live plugins
    stop_when_readable: int | None = None  # a descriptor that ends everything
    settings_until: float | None = None  # when entries of agents' settings end (time.monotonic), None: as all
    over: str = ""  # what is said of hooks that the end of the time of all of them has ended


def run_calls(pairs: Sequence[tuple[Hook, Event]], means: Means, *, total_seconds: float) -> list[Outcome]:
    """Run hooks, each with its view of one event, at the same time, and return their outcomes in the order of *pairs*.

    None runs longer than *total_seconds*, entries of agents' settings until ``means.settings_until``.
    """
    if not pairs:
        return []
    cwd, cwd_problems = _folder_to_run_in(pairs[0][1])
    ready, outcomes = _prepare_all(pairs, means)
    stop = means.stop_when_readable
    asked: dict[int, Exchange] = {}
    plugin_calls = _call_plugins(ready, means, total_seconds)
    try:
        asked.update((index, _ask(each, means, total_seconds)) for index, each in ready if each.hook.runtime == "http")
        _start_those_nobody_waits_for(ready, cwd, means, outcomes)
        jobs = _jobs([pair for pair in ready if pair[0] not in outcomes], cwd, means)
        ended = run_jobs([*jobs.values()], total_timeout=total_seconds, stop_when_readable=stop, over=means.over)
        outcomes |= _checked_outcomes(dict(ready), jobs, ended)
        outcomes |= {index: exchange.wait(stop) for index, exchange in asked.items()}
        outcomes |= plugin_calls.finish() if plugin_calls else {}
    except BaseException:
        for exchange in asked.values():
            exchange.abort()
        if plugin_calls:
            plugin_calls.abort()
        raise
    for index, each in ready:
        outcomes[index] = _with_problems(outcomes[index], (*cwd_problems, *each.problems), each.hook)
    return [outcomes[index] for index in range(len(pairs))]


def _jobs(ready: Sequence[tuple[int, Ready]], cwd: str, means: Means) -> dict[int, Job]:
    """Return the jobs of the scripts among *ready*, by index."""
    return {index: _job(each, cwd, means) for index, each in ready if each.hook.runtime not in ("stdio", "http")}


def _checked_outcomes(
    ready: Mapping[int, Ready], jobs: Mapping[int, Job], ended: Sequence[Outcome]
) -> dict[int, Outcome]:
    """Return the outcomes of *jobs* by index, with what their launches explain."""
    pairs = zip(jobs.items(), ended, strict=True)
    return {index: _checked(outcome, ready[index].launch, job) for (index, job), outcome in pairs}


def _prepare_all(
    pairs: Sequence[tuple[Hook, Event]], means: Means
) -> tuple[list[tuple[int, Ready]], dict[int, Outcome]]:
    """Return what can be started, and the outcomes of what cannot, each by its index in *pairs*."""
    prepared = [*enumerate(_prepared(hook, event, means) for hook, event in pairs)]
    ready = [(index, each) for index, each in prepared if isinstance(each, Ready)]
    return ready, {index: each for index, each in prepared if isinstance(each, Outcome)}


def _with_problems(outcome: Outcome, problems: Sequence[Problem], hook: Hook) -> Outcome:
    """Return *outcome* with *problems*, which are the hook's where they name no other source."""
    noted = (*problems, *outcome.problems)
    named = tuple(note if note.source else note.replace(source=hook.title) for note in noted)
    return outcome.replace(problems=named) if named else outcome


def _ask(each: Ready, means: Means, total_seconds: float) -> Exchange:
    from hookrun.running.agent_environment import handler_of
    from hookrun.running.http import Exchange

    return Exchange(
        handler_of(each.hook).table,
        each.line,
        environ=means.config.environ,
        hosts=means.config.http,
        seconds=_seconds(each, means, total_seconds),
    )


def _seconds(ready: Ready, means: Means, total_seconds: float) -> float:
    """Return how long a hook may run that keeps its own time where settings do."""
    left = total_seconds if means.settings_until is None else means.settings_until - time.monotonic()
    return max(0.0, min(ready.timeout, left))


def _start_those_nobody_waits_for(
    ready: Sequence[tuple[int, Ready]], cwd: str, means: Means, outcomes: dict[int, Outcome]
) -> None:
    for index, each in ready:
        if each.hook.is_async and each.hook.runtime == "script":
            from hookrun.running.background import start_in_background

            outcomes[index] = start_in_background(_job(each, cwd, means))


def _call_plugins(ready: Sequence[tuple[int, Ready]], means: Means, total_seconds: float) -> PluginCalls | None:
    """Begin to ask live plugins while other hooks run; None where there are none."""
    calls = [(index, each) for index, each in ready if each.hook.runtime == "stdio"]
    if not calls:
        return None
    from hookrun.running.plugins.calls import PluginCalls
    from hookrun.running.plugins.plugins import plugin_environment

    assert means.plugins is not None, "who fires events can reach plugins"
    plugins = means.plugins()
    until = time.monotonic() + total_seconds

    def call_of(each: Ready) -> Callable[[Sequence[int]], Outcome]:
        return lambda stops: plugins.call(
            each.hook,
            each.event,
            each.payload,
            launch=each.launch,
            env=plugin_environment(each.hook, means.config),
            timeout=each.timeout,
            until=until,
            stops=stops,
        )

    return PluginCalls({index: call_of(each) for index, each in calls}, means.stop_when_readable)


def _prepared(hook: Hook, event: Event, means: Means) -> Outcome | Ready:
    if hook.flaw:
        return Outcome(status=constants.NOT_STARTED, cause=hook.flaw, hint=hook.flaw_hint)
    launch = _launch(hook, means)
    if isinstance(launch, Obstacle):
        return Outcome(status=constants.NOT_STARTED, cause=launch.cause, hint=launch.hint)
    dialect = dialect_named(hook.dialect)
    assert dialect is not None, "sources give dialects that there are"
    try:
        payload = payload_for(event, dialect)
        own = _own_way(event, hook, dialect)
        line = payload_line(own.payload if own else _handed_over(payload, event, hook, dialect))
        environment, problems = hook_environment(event, hook, means.config, payload, means.keep_in_file)
    except (StoreError, UsageError) as error:  # what it cannot be told, it cannot judge
        return Outcome(status=constants.NOT_STARTED, cause=error.message, hint=error.hint)
    except RecursionError:
        return Outcome(status=constants.NOT_STARTED, cause="the event is nested too deeply to be handed over")
    limits = means.config.limits
    default = limits.command_seconds if hook.kind == constants.COMMAND else limits.script_seconds
    return Ready(
        hook=hook,
        event=event,
        launch=launch,
        environment=environment,
        payload=payload,
        line=line,
        timeout=hook.timeout or (own.seconds if own else default),
        problems=(*launch.problems, *problems),
        cwd=own.folder if own else "",
    )


def _launch(hook: Hook, means: Means) -> Launch | Obstacle:
    if hook.runtime == "http":  # nothing is started
        return Launch(argv=())
    return means.launches.of(hook.program)


def _own_way(event: Event, hook: Hook, dialect: Dialect) -> OwnWay | None:
    """Return how the agent whose settings *hook* is from runs it; None for every other hook."""
    if hook.kind != constants.SETTINGS:
        return None
    from hookrun.running.agent_environment import own_way

    return own_way(event, hook, dialect)


def _handed_over(payload: Mapping[str, Any], event: Event, hook: Hook, dialect: Dialect) -> Mapping[str, Any]:
    """Return what *hook* reads on stdin: a manifest that says its dialect gets that agent's keys as well, a
    plugin in xbot's own folders its input as JSON text, as xbot has it."""
    if hook.source == XBOT.name and dialect.name == XBOT.name and "tool_input" in payload:
        return {**payload, "tool_input": input_text(event, payload)}
    if hook.kind != constants.CONTRIBUTED or dialect.name == NEUTRAL:
        return payload
    from hookrun.agents.own_payload import joint_payload

    return joint_payload(event, dialect)


def _job(ready: Ready, cwd: str, means: Means) -> Job:
    keeps_its_time = ready.hook.kind == constants.SETTINGS and means.settings_until is not None
    return Job(
        argv=ready.launch.argv,
        cwd=ready.cwd or cwd,
        env=ready.environment,
        stdin=ready.line,
        timeout=_seconds(ready, means, ready.timeout) if keeps_its_time else ready.timeout,
        keeps_its_time=keeps_its_time,
        stream_limit=means.config.limits.output_bytes,
    )


def _folder_to_run_in(event: Event) -> tuple[str, tuple[Problem, ...]]:
    for folder in (event.cwd, event.project_dir):
        if folder and os.path.isdir(folder):
            break
    else:
        folder = "/"
    if folder == event.cwd:
        return folder, ()
    gone = Problem(
        message=f"the working directory {event.cwd} is gone; hooks run in {folder}",
        source=event.cwd,
        hint="cd to a folder that is there",
    )
    return folder, (gone,)


def _checked(outcome: Outcome, launch: Launch, job: Job) -> Outcome:
    """Tell a script that said no (exit 2) from an interpreter that could not read it (exit 2 as well).

    bash goes on after some syntax errors and may even exit with 0, so every exit is looked at. The
    complaint on stderr alone proves nothing, a script can print it: the interpreter is asked.
    """
    if outcome.status != "ended" or not outcome.stderr:
        return outcome
    flaw = python_complaint(launch, outcome.stderr) if outcome.exit_code else ""
    check = syntax_check_for(launch, outcome.stderr)
    if check:
        (checked,) = run_jobs([job.replace(argv=check, stdin=b"", timeout=CHECK_SECONDS)], total_timeout=CHECK_SECONDS)
        if checked.exit_code:
            flaw = f"syntax error: {_first_line(checked.stderr)}"
    if not flaw:
        return outcome
    return outcome.replace(status=constants.NOT_STARTED, cause=flaw, hint="`hookrun validate` checks every script")


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
