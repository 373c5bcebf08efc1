"""Other users of the machine: they see and change nothing that hookrun keeps, and plant nothing that it uses.

All but root skip these: only root can act as two users.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from firing import BASH_GUARD, DENY, NO, PASS, guard_text, started
from injected import CALL, GUARDS, RULINGS, Fault, as_user, emit_under, hinting_guard
from runner_jobs import eventually

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from command import Project

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as two users")

NOBODY = 65534
UNKEPT = "a value too large for the environment cannot be written to a file"
ATTEMPTS = """
for path; do
  ls "$path" >/dev/null && echo "lists $path"
  cat "$path" >/dev/null && echo "reads $path"
  (: >>"$path") && echo "writes $path"
  (: >"$path/planted") && echo "plants into $path"
done 2>/dev/null
"""


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder that every user can enter, unlike those that pytest makes."""
    folder = Path(tempfile.mkdtemp(prefix="hookrun-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def long_event(tmp_path: Path) -> tuple[str, ...]:
    """The words of an event whose input needs a private file."""
    (tmp_path / "input.json").write_text(json.dumps({"command": "x" * 200_000}))
    return (*CALL, "--input", f"@{tmp_path}/input.json")


def done_by_nobody(paths: Iterable[Path]) -> list[str]:
    """What nobody, the user, succeeds in doing with *paths*."""
    words = ["sh", "-c", ATTEMPTS, "sh", *map(str, paths)]
    done = subprocess.run(words, user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True, text=True, timeout=60)
    return done.stdout.splitlines()


def everything_in(folder: Path) -> list[Path]:
    return [folder, *sorted(folder.rglob("*"))]


def assert_closed(folder: Path, *names: str) -> None:
    """Everything in *folder* is its owner's alone, by its mode and by what another user tries; *names* are
    some that must be there."""
    paths = everything_in(folder)
    assert {path.name for path in paths} >= set(names)
    open_to_others = [path for path in paths if stat.S_IMODE(path.lstat().st_mode) & 0o077]
    assert open_to_others == []
    assert done_by_nobody(paths) == []
    copy = Path(shutil.copytree(folder, folder.parent / "open copy"))
    for path in everything_in(copy):
        path.chmod(0o777)
    assert len(done_by_nobody(everything_in(copy))) >= 2 * len(paths)
    shutil.rmtree(copy)


def test_nobody_else_can_see_or_change_what_is_kept(project, user_environment):
    hinting_guard(project, "is silent")
    permissive = Fault(prefix=("sh", "-c", 'umask 0; exec "$@"', "sh"))
    assert emit_under(permissive, project, user_environment).code == 0
    assert emit_under(permissive, project, user_environment, event=("trust", "--yes")).code == 0
    kept = ("state.sqlite3", "sessions", "hints.pending", "trust")
    assert_closed(project.home / ".local/state/hookrun", *kept)


def test_nobody_else_can_see_or_change_the_files_of_a_run(project, user_environment, tmp_path, long_event):
    wait = f'echo "$XBOT_TOOL_INPUT_FILE" >{tmp_path}/path; until [ -e {tmp_path}/go ]; do sleep 0.05; done'
    project.script(BASH_GUARD, guard_text("# hookrun: timeout=60s", wait))
    environment = user_environment | {"HOOKRUN_TRUST": "project", "TMPDIR": str(tmp_path)}
    del environment["XDG_RUNTIME_DIR"]
    with started(project, environment, *long_event) as process:
        eventually(lambda: (tmp_path / "path").exists() and (tmp_path / "path").read_text().endswith("\n"))
        kept = Path((tmp_path / "path").read_text().strip())
        runtime = tmp_path / f"hookrun-{os.geteuid()}"
        assert kept.is_relative_to(runtime)
        assert_closed(runtime, kept.name)
        (tmp_path / "go").touch()
        process.communicate(timeout=60)
        assert process.returncode == 0
    assert os.listdir(runtime) == []


def a_link_to_a_folder_of_nobody(place: Path, folder: Path) -> None:
    os.chown(folder, NOBODY, NOBODY)
    place.symlink_to(folder)


def a_link_to_a_folder_of_ours(place: Path, folder: Path) -> None:
    place.symlink_to(folder)


def a_folder_of_nobody(place: Path, folder: Path) -> None:
    folder.rename(place)
    os.chown(place, NOBODY, NOBODY)
    folder.symlink_to(place)  # so that a test finds in one place what is planted


PLANTED = [a_link_to_a_folder_of_nobody, a_link_to_a_folder_of_ours, a_folder_of_nobody]


@pytest.mark.parametrize("plant", PLANTED)
def test_a_runtime_folder_that_was_planted_is_neither_used_nor_swept(
    project, user_environment, tmp_path, long_event, plant
):
    project.script(BASH_GUARD, PASS)
    folder = tmp_path / "planted"
    (folder / "run-0").mkdir(parents=True)
    (folder / "run-0/precious").touch()
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    temporary.chmod(0o1777)
    plant(temporary / f"hookrun-{os.geteuid()}", folder)
    fault = Fault(env={"XDG_RUNTIME_DIR": None, "TMPDIR": str(temporary)})
    ended = emit_under(fault, project, user_environment, event=long_event)
    assert (ended.code, UNKEPT in ended.stdout) == (2, True)
    assert emit_under(fault, project, user_environment).code == 0  # nothing has to be kept for it
    assert [path.name for path in sorted(Path(os.path.realpath(folder)).rglob("*"))] == ["run-0", "precious"]


def test_what_a_run_of_ours_has_left_in_a_folder_of_ours_is_swept(project, user_environment):
    project.script(BASH_GUARD, PASS)
    left = Path(user_environment["XDG_RUNTIME_DIR"], "hookrun/run-0")
    left.mkdir(parents=True)
    (left / "precious").touch()
    left.parent.chmod(0o700)
    assert emit_under(Fault(), project, user_environment).code == 0
    assert os.listdir(left.parent) == []


def test_the_runtime_folder_of_another_user_is_not_used(project, user_environment, tmp_path, long_event):
    project.script(BASH_GUARD, guard_text('echo "$XBOT_TOOL_INPUT_FILE" >&2', "exit 2"))
    runtime = Path(user_environment["XDG_RUNTIME_DIR"])
    assert str(runtime) in emit_under(Fault(), project, user_environment, event=long_event).stdout
    shutil.rmtree(runtime / "hookrun")
    os.chown(runtime, NOBODY, NOBODY)
    fault = Fault(env={"TMPDIR": str(tmp_path)})
    ended = emit_under(fault, project, user_environment, event=long_event)
    assert (ended.code, f"{tmp_path}/hookrun-{os.geteuid()}/run-" in ended.stdout) == (2, True)
    assert os.listdir(runtime) == []


@pytest.mark.parametrize("guard", GUARDS)
def test_a_state_folder_of_another_user_costs_the_hints_and_no_decision(project, user_environment, guard):
    hinting_guard(project, guard)
    state = project.home / ".local/state/hookrun"
    state.mkdir(parents=True)
    os.chown(state, NOBODY, NOBODY)
    ended = emit_under(Fault(), project, user_environment)
    assert ended.code == RULINGS[guard][0]
    assert "hints cannot be stored: it belongs to another user" in ended.stderr
    assert os.listdir(state) == []


SILENT_MODULE = "def hook(api):\n    api.on('tool_call', lambda event, ctx: None)\n"


@pytest.mark.parametrize("file", [BASH_GUARD, ".hookrun/hooks/guard.py"])
def test_a_user_with_too_many_processes_is_denied(project: Project, user_environment, tmp_path, file):
    uid = 100_000 + os.getpid()  # whose processes nobody else's test counts
    words = as_user(uid)
    project.script(file, DENY if file == BASH_GUARD else SILENT_MODULE)
    for path in everything_in(tmp_path):
        os.chown(path, uid, uid)
    denied = emit_under(Fault(prefix=("prlimit", "--nproc=1", *words)), project, user_environment)
    assert denied.code == 2
    assert denied.stdout.startswith(f"deny (by failure): {file}: could not start: ")
    assert "process" in denied.stdout
    decided = emit_under(Fault(prefix=words), project, user_environment)
    assert (decided.code, NO in decided.stdout) == ((2, True) if file == BASH_GUARD else (0, False))
