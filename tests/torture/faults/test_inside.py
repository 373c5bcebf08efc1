"""What goes wrong beside a decision and does not touch it: it stays right, and the trouble is told."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from typing import TYPE_CHECKING

import pytest
from command import HOOKRUN
from firing import BASH_GUARD, guard_text
from injected import (
    EVENT,
    FORMS,
    GUARDS,
    HEADLINES,
    RULINGS,
    Fault,
    bound_by_modes,
    emit_under,
    hinting_guard,
    mounted,
    site,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from command import Project

LOST = "hints cannot be stored: "
NO_USERS = "import sys\nsys.modules['pwd'] = None\n"
XDG = ("XDG_CONFIG_HOME", "XDG_STATE_HOME")


def state_of(project: Project) -> Path:
    """The state folder, made as hookrun makes it."""
    folder = project.home / ".local/state/hookrun"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def a_file_for_a_state_folder(project: Project, tmp_path: Path) -> Fault:
    state_of(project).rmdir()
    (project.home / ".local/state/hookrun").write_text("")
    return Fault(LOST + "a file is where a folder is needed")


def a_file_above_the_state_folder(project: Project, tmp_path: Path) -> Fault:
    (project.home / ".local").write_text("")
    return Fault(LOST + "a file is where a folder is needed")


def a_state_folder_that_only_can_be_read(project: Project, tmp_path: Path) -> Fault:
    state_of(project).chmod(0o500)
    return Fault(LOST + "it cannot be written", prefix=bound_by_modes())


def a_state_folder_that_nobody_may_enter(project: Project, tmp_path: Path) -> Fault:
    state_of(project).parent.chmod(0)
    return Fault(LOST + "it cannot be written", prefix=bound_by_modes())


def a_disk_that_only_can_be_read(project: Project, tmp_path: Path) -> Fault:
    return Fault(
        LOST + "it cannot be written", prefix=mounted(f"mount -t tmpfs -o ro,mode=700 none {state_of(project)}")
    )


def a_full_disk(project: Project, tmp_path: Path) -> Fault:
    state = state_of(project)
    fill = f"dd if=/dev/zero of={state}/filler bs=1k 2>{tmp_path}/dd"
    mount = f"mount -t tmpfs -o size=64k,mode=700 none {state} && {{ ! {fill}; }}"
    return Fault(LOST + "the disk is full", prefix=mounted(mount))


def a_corrupt_database(project: Project, tmp_path: Path) -> Fault:
    (state_of(project) / "state.sqlite3").write_bytes(b"nonsense" * 1000)
    return Fault("the state database was corrupt; it was moved aside")


def a_folder_for_a_database(project: Project, tmp_path: Path) -> Fault:
    (state_of(project) / "state.sqlite3").mkdir()
    return Fault(LOST + "it is not a regular file")


def a_pipe_for_a_database(project: Project, tmp_path: Path) -> Fault:
    os.mkfifo(state_of(project) / "state.sqlite3")
    return Fault(LOST + "it is not a regular file")


def a_pipe_for_the_mark_of_hints(project: Project, tmp_path: Path) -> Fault:
    os.mkfifo(state_of(project) / "hints.pending")
    return Fault(LOST)


def a_pipe_for_the_lock(project: Project, tmp_path: Path) -> Fault:
    os.mkfifo(state_of(project) / "state.sqlite3.lock")
    return Fault()


def no_home_at_all(project: Project, tmp_path: Path) -> Fault:
    absent = dict.fromkeys(("HOME", *XDG))
    return Fault(LOST + "no state folder", env={**absent, **site(tmp_path, NO_USERS)})


def no_sqlite(project: Project, tmp_path: Path) -> Fault:
    text = "import sys\nsys.modules['_sqlite3'] = None\n"
    return Fault(LOST + "this Python cannot use SQLite", env=site(tmp_path, text))


def no_path(project: Project, tmp_path: Path) -> Fault:
    return Fault(env={"PATH": None})


def a_runtime_folder_that_is_gone(project: Project, tmp_path: Path) -> Fault:
    return Fault(env={"XDG_RUNTIME_DIR": str(tmp_path / "gone"), "TMPDIR": str(tmp_path / "gone as well")})


def a_runtime_folder_that_is_a_file(project: Project, tmp_path: Path) -> Fault:
    (tmp_path / "runtime/hookrun").write_text("")
    return Fault()


def a_working_directory_that_is_gone(project: Project, tmp_path: Path) -> Fault:
    (project.path / "gone").mkdir(exist_ok=True)
    enter = 'cd gone && rmdir ../gone && exec "$@"'
    return Fault("is gone; hooks run in", prefix=("sh", "-c", enter, "sh"))


def a_closed_stdin(project: Project, tmp_path: Path) -> Fault:
    return Fault(redirections="<&-")


def a_closed_stderr(project: Project, tmp_path: Path) -> Fault:
    return Fault(redirections="2>&-")


def a_full_stderr(project: Project, tmp_path: Path) -> Fault:
    return Fault(redirections="2>/dev/full")


HARMLESS: tuple[Callable[[Project, Path], Fault], ...] = (
    a_file_for_a_state_folder,
    a_file_above_the_state_folder,
    a_state_folder_that_only_can_be_read,
    a_state_folder_that_nobody_may_enter,
    a_disk_that_only_can_be_read,
    a_full_disk,
    a_corrupt_database,
    a_folder_for_a_database,
    a_pipe_for_a_database,
    a_pipe_for_the_mark_of_hints,
    a_pipe_for_the_lock,
    no_home_at_all,
    no_sqlite,
    no_path,
    a_runtime_folder_that_is_gone,
    a_runtime_folder_that_is_a_file,
    a_working_directory_that_is_gone,
    a_closed_stdin,
    a_closed_stderr,
    a_full_stderr,
)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("inject", HARMLESS, ids=lambda inject: inject.__name__)
def test_a_fault_beside_the_decision_leaves_it_and_is_told(project, user_environment, tmp_path, inject, guard, form):
    hinting_guard(project, guard)
    fault = inject(project, tmp_path)
    ended = emit_under(fault, project, user_environment, "--format", form)
    assert ended.code == RULINGS[guard][0]
    if form == "json":
        assert ended.document["decision"] == RULINGS[guard][1]
        told = [problem["message"] for problem in ended.document["problems"]]
        assert told == [] if not fault.told else fault.told in "\n".join(told)
    else:
        assert ended.stdout.startswith(HEADLINES[guard])
        assert ended.stderr == "" if not fault.told else fault.told in ended.stderr
        assert ("1 tool hint waits" in ended.stdout) != fault.told.startswith(LOST)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("guard", GUARDS)
def test_a_state_folder_that_is_removed_during_the_run_changes_nothing(project, user_environment, guard, form):
    hinting_guard(project, guard)
    state = state_of(project)
    remove = guard_text(f"rm -r '{state}'")
    project.script(BASH_GUARD, GUARDS[guard].replace("#!/bin/sh\n", remove, 1))
    ended = emit_under(Fault(), project, user_environment, "--format", form)
    assert (ended.code, ended.stderr) == (RULINGS[guard][0], "")
    again = ("hints", "--session", "s")
    assert emit_under(Fault(), project, user_environment, event=again).stdout == "a hint\n"


def test_a_database_that_another_process_holds_costs_the_hints_and_no_decision(project, user_environment):
    hinting_guard(project, "is silent")
    emit_under(Fault(), project, user_environment)
    connection = sqlite3.connect(state_of(project) / "state.sqlite3", isolation_level=None)
    try:
        connection.execute("BEGIN EXCLUSIVE")
        hinting_guard(project, "denies")
        ended = emit_under(Fault(), project, user_environment)
        assert (ended.code, ended.stdout) == (2, f"{HEADLINES['denies']}\n")
        assert LOST + "another process has it locked" in ended.stderr
    finally:
        connection.close()


def test_without_a_fault_nothing_is_told(project, user_environment):
    for guard in GUARDS:
        hinting_guard(project, guard)
        ended = emit_under(Fault(), project, user_environment)
        assert (ended.code, ended.stderr) == (RULINGS[guard][0], "")
        assert ended.stdout.startswith(HEADLINES[guard])
        assert "1 tool hint waits" in ended.stdout


def test_what_hookrun_says_when_it_starts_as_a_module_of_python_is_the_same(project, user_environment):
    hinting_guard(project, "denies")
    python = os.path.join(os.path.dirname(HOOKRUN), "python")
    done = subprocess.run(
        [python, "-m", "hookrun", *EVENT],
        cwd=project.path,
        env=user_environment | {"HOOKRUN_TRUST": "project"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout.splitlines()[0]) == (2, HEADLINES["denies"])
