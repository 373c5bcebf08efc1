"""git-info: one line on the repository, in any POSIX shell."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Project

SCRIPT = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "scripts", "git-info.sh"
)
SHELLS = [shell for shell in ("sh", "bash", "dash") if shutil.which(shell)]


@pytest.fixture
def repository(project: Project) -> Project:
    project.git("init", "-q", "-b", "main")
    project.write("a", "a\n")
    project.git("add", "a")
    project.git("commit", "-q", "-m", "first")
    return project


def line(project: Project, folder: str = ".", shell: str = "sh") -> str:
    result = subprocess.run(
        [shell, SCRIPT], env=project.environ, cwd=project.path(folder), capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_a_clean_branch_is_ok(repository: Project, shell: str) -> None:
    assert line(repository, shell=shell) == "ok|main, clean\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_changes_are_counted(repository: Project, shell: str) -> None:
    repository.write("b", "b\n")
    repository.write("c", "c\n")
    repository.git("add", "b")
    repository.write("b", "changed\n")
    repository.write("a", "changed\n")
    assert line(repository, shell=shell) == "warn|main, 1 staged, 2 changed, 1 untracked\n"


def test_a_name_with_blanks_and_a_newline_is_one_file(repository: Project) -> None:
    repository.write("with blank\nand newline", "x")
    assert line(repository) == "warn|main, 1 untracked\n"


def test_outside_of_a_repository_nothing_is_printed(project: Project) -> None:
    assert line(project) == ""
    project.git("init", "-q", "-b", "main")
    assert line(project) == "ok|main, no commits yet, clean\n"


def test_inside_of_git_s_own_folder_nothing_is_printed(repository: Project) -> None:
    assert line(repository, ".git") == ""


def test_a_subfolder_shows_the_whole_repository(repository: Project) -> None:
    repository.write("sub/b", "b")
    repository.write("c", "c")
    assert line(repository, "sub") == "warn|main, 2 untracked\n"


def test_where_git_runs_it_the_folders_own_repository_is_shown(repository: Project) -> None:
    repository.git("worktree", "add", "-q", "tree", "-b", "other")
    repository.write("tree/sub/b", "b")
    repository.environ["GIT_DIR"] = os.path.realpath(repository.path(".git/worktrees/tree"))
    assert line(repository, "tree/sub") == "warn|other, 1 untracked\n"
    repository.environ["GIT_DIR"] = repository.path("gone")
    assert line(repository, "tree") == "warn|other, 1 untracked\n"


def test_a_detached_head_is_named_by_its_commit(repository: Project) -> None:
    commit = repository.git("rev-parse", "HEAD")[:7]
    repository.git("checkout", "-q", "--detach")
    assert line(repository) == f"ok|detached at {commit}, clean\n"


def test_the_distance_to_the_upstream_is_shown(repository: Project) -> None:
    repository.git("branch", "upstream")
    repository.git("branch", "-q", "--set-upstream-to", "upstream")
    repository.git("commit", "-q", "--allow-empty", "-m", "mine")
    assert line(repository) == "ok|main, 1 ahead, clean\n"
    repository.git("checkout", "-q", "upstream")
    repository.git("commit", "-q", "--allow-empty", "-m", "theirs 1")
    repository.git("commit", "-q", "--allow-empty", "-m", "theirs 2")
    repository.git("checkout", "-q", "main")
    assert line(repository) == "ok|main, 1 ahead, 2 behind, clean\n"


def test_a_merge_in_conflict_is_shown(repository: Project) -> None:
    diverge(repository)
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("merge", "other")
    assert line(repository) == "warn|main, merging, 1 in conflict\n"


def test_a_rebase_in_progress_is_shown(repository: Project) -> None:
    diverge(repository)
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("rebase", "other")
    assert ", rebasing, 1 in conflict\n" in line(repository)


@pytest.mark.parametrize(("command", "shown"), [("cherry-pick", "cherry-picking"), ("revert", "reverting")])
def test_other_work_in_progress_is_shown(repository: Project, command: str, shown: str) -> None:
    diverge(repository)
    with pytest.raises(subprocess.CalledProcessError):
        repository.git(command, "other" if command == "cherry-pick" else "main~1")
    assert f", {shown}, 1 in conflict\n" in line(repository)


def test_no_lock_is_left_or_waited_for(repository: Project) -> None:
    repository.write(".git/index.lock", "")
    repository.write("b", "b")
    assert line(repository) == "warn|main, 1 untracked\n"


def diverge(repository: Project) -> None:
    """Change one line differently on main and on other."""
    repository.git("checkout", "-q", "-b", "other")
    repository.write("a", "other\n")
    repository.git("commit", "-q", "-a", "-m", "other")
    repository.git("checkout", "-q", "main")
    repository.write("a", "main\n")
    repository.git("commit", "-q", "-a", "-m", "main")
    repository.write("a", "main again\n")
    repository.git("commit", "-q", "-a", "-m", "main again")
