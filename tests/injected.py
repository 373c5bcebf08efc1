"""Faults around one run of the command: what is injected, and what a run under it did."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import forked
import pytest
from command import DEADLINE, HOOKRUN, Ended
from firing import BASH_GUARD, DENY, NO, PASS, says

import hookrun

if TYPE_CHECKING:
    from collections.abc import Mapping

    from command import Project

GUARDS = {"denies": DENY, "is silent": PASS, "allows": says('{"decision": "allow"}')}
RULINGS = {"denies": (2, "deny"), "is silent": (0, None), "allows": (0, "allow")}
HEADLINES = {"denies": f"deny: .claude/hooks/pre/bash.sh: {NO}", "is silent": "no decision", "allows": "allow"}
FORMS = ("text", "json")
CALL = ("emit", "pre", "--tool", "Shell", "--session", "s", "--call-id", "c")
EVENT = (*CALL, "--input", '{"command": "x"}')
# What a traceback through hookrun shows; Python's own may be there where it cannot even begin.
OWN_FRAMES = (f'File "{os.path.dirname(hookrun.__file__)}/', f'File "{HOOKRUN}"')
BOUNDLESS = ("dac_override", "dac_read_search")  # what lets root pass over the modes of files


@dataclass(frozen=True)
class Fault:
    """What surrounds a run: words before the command, redirections, changes of the environment (None takes
    a variable out), more words for the event, and what has to be told of it."""

    told: str = ""
    prefix: tuple[str, ...] = ()
    redirections: str = ""
    env: Mapping[str, str | None] = field(default_factory=dict)
    words: tuple[str, ...] = ()


def emit_under(
    fault: Fault, project: Project, environment: Mapping[str, str], *words: str, event: tuple[str, ...] = EVENT
) -> Ended:
    """Fire *event* with everything in the project trusted, under *fault*."""
    event = CALL if event == EVENT and "--input" in fault.words else event
    changed = {**environment, "HOOKRUN_TRUST": "project", **fault.env}
    env = {name: value for name, value in changed.items() if value is not None}
    words = (*event, *fault.words, *words)
    is_around = fault.prefix or fault.redirections
    ended = _under(fault, words, project, env) if is_around else forked.hookrun(words, cwd=project.path, env=env)
    assert not any(frame in ended.stdout + ended.stderr for frame in OWN_FRAMES)
    return ended


def _under(fault: Fault, words: tuple[str, ...], project: Project, env: Mapping[str, str]) -> Ended:
    shell = ("sh", "-c", f'exec "$@" {fault.redirections}', "sh") if fault.redirections else ()
    done = subprocess.run(
        [*fault.prefix, *shell, HOOKRUN, *words],
        cwd=project.path,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=DEADLINE,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def hinting_guard(project: Project, guard: str) -> None:
    """Write a guard of the shell that does what *guard* says, beside a hook that leaves a hint."""
    project.script(BASH_GUARD, GUARDS[guard])
    widget = {"id": "hint", "slot": "toolHint", "sync": True, "triggers": ["PreToolUse:Shell"]}
    project.manifest("hinter", script="echo a hint", ui=[widget])


def bound_by_modes() -> tuple[str, ...]:
    """The words that run a command as somebody for whom the modes of files count, even as root."""
    if os.geteuid() != 0:
        return ()
    words = ("setpriv", "--bounding-set", ",".join(f"-{right}" for right in BOUNDLESS))
    _need(words, "root cannot give up its rights over files")
    return words


def as_user(uid: int) -> tuple[str, ...]:
    """The words that run a command as another user; the test is skipped where that cannot be."""
    if os.geteuid() != 0:
        pytest.skip("only root can run a command as another user")
    words = ("setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups")
    _need((*words, HOOKRUN, "--version"), "another user cannot run this hookrun")
    return words


def mounted(mount: str) -> tuple[str, ...]:
    """The words that run a command where *mount* (shell) was done for it alone."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a file system")
    words = ("unshare", "--mount", "sh", "-c", f'{mount} && exec "$@"', "sh")
    _need(words, "no file system of our own can be mounted here")
    return words


def site(folder: os.PathLike[str], text: str) -> dict[str, str | None]:
    """The environment in which Python runs *text* before hookrun: a defect of its own insides."""
    path = os.path.join(folder, "site")
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "sitecustomize.py"), "w") as file:
        file.write(text)
    return {"PYTHONPATH": path}


def _need(words: tuple[str, ...], what_is_wrong: str) -> None:
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is missing")
    tried = subprocess.run(
        [*words, *(() if HOOKRUN in words else ("true",))], capture_output=True, text=True, timeout=DEADLINE
    )
    if tried.returncode:
        pytest.skip(f"{what_is_wrong}: {tried.stderr.strip()}")
