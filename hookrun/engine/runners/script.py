"""Hooks that are programs: prepared, handed their event, supervised, and looked at again when they
ended the way an interpreter complains about a script that it cannot run."""

from __future__ import annotations

import os

from hookrun.engine.runners.environment import hook_environment
from hookrun.engine.runners.process import Job, run_jobs
from hookrun.readers.command import Obstacle, prepare
from hookrun.readers.complaints import python_complaint, syntax_check_for
from hookrun.readers.dialects import dialect_named
from hookrun.readers.dialects.payload import payload_for, payload_line
from hookrun.words import names
from hookrun.words.errors import StoreError
from hookrun.words.model import Outcome, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hookrun.readers.command import Launch
    from hookrun.readers.config import Limits
    from hookrun.words.model import Event, Hook

CHECK_SECONDS = 5.0  # for an interpreter to say whether a script is well-formed


def run_hooks(
    hooks: Sequence[Hook],
    event: Event,
    *,
    environ: Mapping[str, str],
    limits: Limits,
    keep_in_file: Callable[[str, bytes], str],
    total_seconds: float,
) -> list[Outcome]:
    """Run *hooks* at the same time, none longer than *total_seconds*, and return their outcomes in the
    order of *hooks*."""
    cwd, cwd_problems = _folder_to_run_in(event)
    outcomes: list[Outcome | None] = [None] * len(hooks)
    jobs: list[tuple[int, Launch, Job, tuple[Problem, ...]]] = []
    for index, hook in enumerate(hooks):
        ready = _prepared(hook, event, cwd, environ, limits, keep_in_file)
        if isinstance(ready, Outcome):
            outcomes[index] = ready
        else:
            launch, job, problems = ready
            jobs.append((index, launch, job, (*cwd_problems, *problems)))
    ended = run_jobs([job for _, _, job, _ in jobs], total_timeout=total_seconds)
    for (index, launch, job, problems), outcome in zip(jobs, ended, strict=True):
        checked = _checked(outcome, launch, job)
        outcomes[index] = checked.replace(problems=(*problems, *checked.problems))
    return [outcome for outcome in outcomes if outcome is not None]


def _prepared(
    hook: Hook,
    event: Event,
    cwd: str,
    environ: Mapping[str, str],
    limits: Limits,
    keep_in_file: Callable[[str, bytes], str],
) -> Outcome | tuple[Launch, Job, tuple[Problem, ...]]:
    if hook.flaw:
        return Outcome(status=names.NOT_STARTED, cause=hook.flaw)
    launch = prepare(hook.program, path=environ.get("PATH", os.defpath))
    if isinstance(launch, Obstacle):
        return Outcome(status=names.NOT_STARTED, cause=launch.cause, hint=launch.hint)
    dialect = dialect_named(hook.dialect)
    assert dialect is not None, "sources give dialects that there are"
    payload = payload_for(event, dialect)
    try:
        environment, problems = hook_environment(event, hook, environ, payload, keep_in_file)
    except StoreError as error:
        return Outcome(status=names.NOT_STARTED, cause=error.message, hint=error.hint)
    default = limits.command_seconds if hook.kind == names.COMMAND else limits.script_seconds
    job = Job(
        argv=launch.argv,
        cwd=cwd,
        env=environment,
        stdin=payload_line(payload),
        timeout=hook.timeout or default,
        stream_limit=limits.output_bytes,
    )
    return launch, job, (*launch.problems, *problems)


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

    The complaint on stderr alone proves nothing, a script can print it: the interpreter is asked.
    """
    if outcome.status != "ended" or outcome.exit_code not in (1, 2):
        return outcome
    flaw = python_complaint(launch, outcome.stderr)
    check = syntax_check_for(launch, outcome.stderr) if outcome.exit_code == 2 else None
    if check:
        (checked,) = run_jobs(
            [job.replace(argv=check, stdin=b"", timeout=CHECK_SECONDS)], total_timeout=CHECK_SECONDS
        )
        if checked.exit_code:
            flaw = f"syntax error: {_first_line(checked.stderr)}"
    if not flaw:
        return outcome
    return outcome.replace(
        status=names.NOT_STARTED, cause=flaw, hint="`hookrun validate` checks every script"
    )


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
