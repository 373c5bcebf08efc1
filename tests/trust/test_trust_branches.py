"""Trust and git: branches, worktrees, a project that becomes a repository or stops being one."""

from __future__ import annotations

import shutil
from typing import Any

import pytest
from firing import BASH_GUARD, DENIED_BY_GUARD, DENY, before_shell, ruling
from trusted import ALLOWED_BY_SILENCE, ASKED_BY_TRUST, DENIED_BY_TRUST, commit, git, records, repository, trust

pytestmark = pytest.mark.usefixtures("untrusting")

ALLOWED = (0, "allow", "guard")
ALLOW = '#!/bin/sh\necho \'{"decision": "allow"}\'\n'


@pytest.fixture
def guard(project):
    """A guard in the only commit of a real repository."""
    path = project.script(BASH_GUARD, ALLOW)
    repository(project)
    return path


def test_switching_between_two_trusted_texts_is_no_change(cli, project, guard):
    trust(cli)
    git(project.path, "checkout", "-q", "-b", "strict")
    guard.write_text(DENY)
    commit(project.path)
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    trust(cli)
    for branch, expected in (("main", ALLOWED), ("strict", DENIED_BY_GUARD), ("main", ALLOWED)):
        git(project.path, "checkout", "-q", branch)
        assert ruling(before_shell(cli)) == expected
    git(project.path, "checkout", "-q", "-b", "third")
    guard.write_text("#!/bin/sh\n")
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


def test_two_trusted_texts_do_not_mix(cli, project, guard):
    library = project.script(".claude/hooks/pre/lib.sh", "true\n", mode=0o644)
    sourcing = ALLOW.replace("\n", '\n. "$(dirname "$0")/lib.sh"\n', 1)
    guard.write_text(sourcing)
    trust(cli)
    library.write_text("true # more\n")
    guard.write_text(sourcing + "#\n")
    trust(cli)
    assert ruling(before_shell(cli)) == ALLOWED
    library.write_text("true\n")
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


def test_a_branch_without_the_guard_asks(cli, project, guard):
    git(project.path, "checkout", "-q", "-b", "bare")
    git(project.path, "rm", "-q", BASH_GUARD)
    git(project.path, "commit", "-q", "-m", "no guard")
    git(project.path, "checkout", "-q", "main")
    trust(cli)
    git(project.path, "checkout", "-q", "bare")
    done = before_shell(cli)
    assert ruling(done) == ASKED_BY_TRUST
    assert "this branch does not have it" in done.document["message"]
    assert ruling(before_shell(cli, "--require-trusted")) == DENIED_BY_TRUST
    write = ("emit", "pre", "--tool", "FileWrite", "--input", "{}", "--format", "json")
    assert ruling(cli(*write)) == ALLOWED_BY_SILENCE
    git(project.path, "checkout", "-q", "main")
    assert ruling(before_shell(cli)) == ALLOWED


def test_a_guard_that_is_deleted_and_in_the_commit_denies(cli, project, guard):
    trust(cli)
    guard.unlink()
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    git(project.path, "add", "-A")
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    git(project.path, "checkout", "-q", "HEAD", "--", BASH_GUARD)
    assert ruling(before_shell(cli)) == ALLOWED


def test_a_guard_that_git_never_had_denies_when_it_is_deleted(cli, project, guard):
    path = project.script(".claude/hooks/pre/9-bash.sh", ALLOW)
    trust(cli)
    path.unlink()
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


@pytest.mark.parametrize("way", ["deleted", "of another branch"])
def test_untrust_of_the_missing_path_ends_it(way, cli, project, guard):
    trust(cli)
    guard.unlink()
    if way != "deleted":
        commit(project.path)
    assert before_shell(cli).code in (2, 3)
    assert cli("untrust", BASH_GUARD).stdout == f"no longer trusted: {BASH_GUARD}\n"
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


def test_worktrees_share_trust(cli, project, guard, tmp_path):
    trust(cli)
    other = tmp_path / "other"
    git(project.path, "worktree", "add", "-q", str(other), "-b", "other")
    assert ruling(before_shell(cli, cwd=other)) == ALLOWED
    (other / BASH_GUARD).write_text(DENY)
    assert ruling(before_shell(cli, cwd=other)) == DENIED_BY_TRUST
    trust(cli, cwd=other)
    assert ruling(before_shell(cli, cwd=other)) == DENIED_BY_GUARD
    guard.write_text(DENY)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


def test_what_is_forgotten_in_one_worktree_is_forgotten_in_all(cli, project, guard, tmp_path):
    trust(cli)
    other = tmp_path / "other"
    git(project.path, "worktree", "add", "-q", str(other), "-b", "other")
    assert cli("untrust", "--yes", cwd=other).code == 0
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


def test_trust_in_one_worktree_forgets_nothing_that_another_has(cli, project, guard, tmp_path):
    other = tmp_path / "other"
    git(project.path, "worktree", "add", "-q", str(other), "-b", "other")
    for here, there in ((project.path, other), (other, project.path)):
        project.script(str(here / ".claude/hooks/pre/edit.sh"), DENY)
        trust(cli, cwd=here)
        assert "forgot" not in cli("trust", "--yes", cwd=there).stdout
        assert "edit.sh" in cli("trust", "--list", cwd=here).stdout
        (here / ".claude/hooks/pre/edit.sh").unlink()
        assert "forgot 1" in cli("trust", "--yes", cwd=there).stdout


def test_a_clone_shares_nothing(cli, project, guard, tmp_path):
    trust(cli)
    git(tmp_path, "clone", "-q", str(project.path), "clone")
    assert ruling(before_shell(cli, cwd=tmp_path / "clone")) == ALLOWED_BY_SILENCE


def test_trust_is_the_same_below_the_root(cli, project, guard):
    trust(cli)
    below = project.path / "src/deep"
    below.mkdir(parents=True)
    assert ruling(before_shell(cli, cwd=below)) == ALLOWED
    guard.unlink()
    assert ruling(before_shell(cli, cwd=below)) == DENIED_BY_TRUST


def test_a_guard_of_an_inner_level_is_missed_there_alone(cli, project, guard):
    inner = project.script("app/.claude/hooks/pre/bash.sh", DENY)
    there: dict[str, Any] = {"cwd": project.path / "app"}
    whole = ("--project", str(project.path))
    trust(cli, *whole, **there)
    assert ruling(before_shell(cli, *whole, **there)) == DENIED_BY_GUARD
    inner.unlink()
    assert ruling(before_shell(cli, *whole, **there)) == DENIED_BY_TRUST
    assert ruling(before_shell(cli)) == ALLOWED


@pytest.fixture
def without_git(project):
    """A guard in a project that has no git."""
    (project.path / ".git").rmdir()
    return project.script(BASH_GUARD, ALLOW)


def test_a_project_without_git_can_be_trusted(cli, project, without_git):
    trust(cli)
    assert ruling(before_shell(cli)) == ALLOWED
    without_git.write_text(DENY)
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    without_git.unlink()
    assert ruling(before_shell(cli, "--project", str(project.path))) == DENIED_BY_TRUST


def test_git_init_keeps_trust(cli, project, without_git):
    trust(cli)
    git(project.path, "init", "-q")
    assert ruling(before_shell(cli)) == ALLOWED
    commit(project.path)
    without_git.write_text(DENY)
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    trust(cli)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    without_git.write_text(ALLOW)
    assert ruling(before_shell(cli)) == ALLOWED


@pytest.mark.parametrize("was_trusted", ["before git init", "after git init"])
def test_without_its_git_folder_the_project_keeps_trust(was_trusted, cli, project, without_git):
    if was_trusted.startswith("before"):
        trust(cli)
    git(project.path, "init", "-q")
    if was_trusted.startswith("after"):
        trust(cli)
    shutil.rmtree(project.path / ".git")
    assert ruling(before_shell(cli)) == ALLOWED
    without_git.write_text(DENY)
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


def test_untrust_after_git_init_reaches_what_was_trusted_before(cli, project, without_git):
    trust(cli)
    git(project.path, "init", "-q")
    assert cli("untrust", BASH_GUARD).code == 0
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    shutil.rmtree(project.path / ".git")
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


def test_a_git_file_that_names_another_project_brings_no_trust_of_other_texts(cli, project, guard, tmp_path):
    trust(cli)
    other = tmp_path / "other"
    (other / BASH_GUARD).parent.mkdir(parents=True)
    (other / ".git").write_text(f"gitdir: {project.path}/.git\n")
    (other / BASH_GUARD).write_text('#!/bin/sh\necho \'{"decision": "allow"}\' # mine\n')
    (other / BASH_GUARD).chmod(0o755)
    assert ruling(before_shell(cli, cwd=other)) == DENIED_BY_TRUST
    assert ruling(before_shell(cli)) == ALLOWED


def test_a_moved_project_without_git_is_another(cli, project, without_git, tmp_path):
    trust(cli)
    assert len(records(project)) == 1
    project.path.rename(tmp_path / "moved")
    assert ruling(before_shell(cli, cwd=tmp_path / "moved")) == ALLOWED_BY_SILENCE
