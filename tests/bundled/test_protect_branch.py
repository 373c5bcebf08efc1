"""protect-branch: commits on, pushes to and merges into protected branches."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from sweeps import sweep

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from conftest import Project

    Load = Callable[[str], ModuleType]

ON_MAIN_DENIED = r"""
git commit -m x
git commit --amend --no-edit
git add . && git commit -m x
(git commit -m x)
bash -c 'git commit -m x'
sudo git commit -m x
g'i't commit -m x
git ci -m x
git -c user.name=x commit -m x
git switch -c x; git commit -m x
git switch -c x || true; git commit -m x
mkdir -p new && cd new && git commit -m x
git cherry-pick other
git revert HEAD
git merge other
git merge --ff-only other
git merge --continue
git rebase other
git pull origin other
git push
git push -u
git push origin main
git push origin HEAD
git push origin HEAD:main
git push origin other:main
git push origin other:refs/heads/main
git push origin refs/heads/main
git push origin :main
git push origin --delete main
git push --all
git push origin "$(git branch --show-current)"
git push origin `git rev-parse --abbrev-ref HEAD`
git fetch . other:main
git branch -D main
git branch -f main other
git update-ref refs/heads/main other
git commit -m --abort
git commit -am --abort
git commit --message --dry-run
git commit -m x -- --dry-run
git merge -m --quit other
git push -o --dry-run origin main
git -c alias.z=commit z -m x
git -c alias.z='!git commit' z -m x
git update-ref HEAD other
git checkout -B main other
git switch -C main other
git worktree add -B main x other
git switch --force-create=main other
git branch --forc main other
git branch -C other main
git branch -C main
git symbolic-ref refs/heads/main refs/heads/other
git send-pack origin main
git push --al
git push --mirr
""".strip().split("\n")

ON_MAIN_ALLOWED = r"""
git status
git log main
git diff main...other
git commit --dry-run
echo git commit -m x
echo "git commit -m x"
grep -r 'git push origin main' .
git switch -c x && git commit -m x
git checkout -b x && git add -A && git commit -m "on main"
git checkout other && git commit -m x
git checkout remote-only && git commit -m x
git checkout x || git checkout -b x && git commit -m x
git switch -c x || exit 1; git commit -m x
set -e; git switch -c x; git commit -m x
mkdir new && cd new && git init && git commit -m x
git merge --abort
git merge origin/main
git rebase origin/main
git pull
git pull --rebase origin main
git push origin other
git push origin HEAD:other
git push --tags
git push origin tag main
git push --dry-run origin main
git fetch origin main:main
git branch -d other
git branch main-2
git branch -c main main-2
git commit --amend --dry-run
git merge --no-verify --abort
git push --porcelain --dry-run origin main
git worktree add -b x ../x
git worktree list
git reset
git reset HEAD file
git switch -C x && git commit -m x
git checkout -B x other && git commit -m x
git branch --format=x main
git branch --merged main
git symbolic-ref HEAD
git send-pack origin other
git -c alias.z=status z
git stash
""".strip().split("\n")

ON_OTHER_DENIED = r"""
git checkout main && git commit -m x
git switch main && git merge other
git push origin main
git push origin other main
git push origin +other:main
git commit -m x && git push origin HEAD:main
git checkout main -- file; git switch main; git commit -m x
git branch -M main
git symbolic-ref HEAD refs/heads/main && git commit -m x
git checkout -Bmain
""".strip().split("\n")

ON_OTHER_ALLOWED = r"""
git commit -m x
git push
git push origin HEAD
git merge main
git rebase main
git cherry-pick main
git checkout main -- file && git commit -m x
git checkout file && git commit -m x
git reset --hard HEAD~1
git update-ref HEAD main
""".strip().split("\n")

ASKED = r"""
git push origin "$BRANCH"
cd "$FOLDER" && git commit -m x
git commit -m 'open
git push origin 'refs/heads/*:refs/heads/*'
git push origin 'refs/*'
git update-ref --stdin
""".strip().split("\n")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, str]]:
    """A repository with the branches main and other, and a worktree on other beside it."""
    import subprocess

    top = os.path.realpath(tmp_path_factory.mktemp("branches"))
    environ = {"PATH": os.environ["PATH"], "HOME": top, "GIT_CONFIG_NOSYSTEM": "1"}
    environ["GIT_CEILING_DIRECTORIES"] = top
    folder = os.path.join(top, "main")
    for line in (
        f"init -q -b main {folder}",
        f"-C {folder} config user.name a",
        f"-C {folder} config user.email a@example.com",
        f"-C {folder} config alias.ci commit",
        f"-C {folder} commit -q --allow-empty -m first",
        f"-C {folder} update-ref refs/remotes/origin/main HEAD",
        f"-C {folder} update-ref refs/remotes/origin/remote-only HEAD",
        f"-C {folder} worktree add -q -b other {top}/other",
    ):
        subprocess.run(["git", *line.split()], env=environ, check=True, capture_output=True)
    for name in ("main", "other"):
        with open(os.path.join(top, name, "file"), "w", encoding="utf-8") as file:
            file.write("x")
        subprocess.run(["git", "-C", os.path.join(top, name), "add", "file"], env=environ, check=True)
    return top, environ


def decision(load: Load, repository: tuple[str, dict[str, str]], command: str, folder: str, **more: str) -> str | None:
    top, environ = repository
    verdict = load("protect-branch").judged(command, os.path.join(top, folder), {**environ, **more})
    return verdict[0] if verdict else None


@sweep("command", ON_MAIN_DENIED)
def test_on_a_protected_branch_it_is_denied(load: Load, repository: tuple[str, dict[str, str]], command: str) -> None:
    assert decision(load, repository, command, "main") == "deny"


@sweep(
    "switch",
    [
        "git switch -c other",  # it exists, so that it fails
        "git checkout -b other",
        "git switch no-such-branch",
        "git checkout no-such-branch",
        "git switch main",
        "git switch other || git switch main",
    ],
)
@sweep("between", ["\n", "\n\n  ", " # work\n"])
def test_a_line_after_a_switch_that_may_fail_is_on_main(
    load: Load, repository: tuple[str, dict[str, str]], switch: str, between: str
) -> None:
    assert decision(load, repository, f"{switch}{between}git commit -m x", "main") == "deny"


@sweep("command", ON_MAIN_ALLOWED)
def test_on_a_protected_branch_it_passes(load: Load, repository: tuple[str, dict[str, str]], command: str) -> None:
    assert decision(load, repository, command, "main") is None


@sweep("command", ON_OTHER_DENIED)
def test_on_another_branch_it_is_denied(load: Load, repository: tuple[str, dict[str, str]], command: str) -> None:
    assert decision(load, repository, command, "other") == "deny"


@sweep("switch", ["git switch main", "git checkout main", "git checkout --force main", "git switch -C main"])
@sweep("between", ["\n", "\n\n  ", " # work\n", "; "])
@sweep("follows", ["git commit -m x", "git merge other"])
def test_a_line_after_a_switch_to_a_protected_branch_is_on_it(
    load: Load, repository: tuple[str, dict[str, str]], switch: str, between: str, follows: str
) -> None:
    assert decision(load, repository, f"{switch}{between}{follows}", "other") == "deny"


@pytest.mark.parametrize("create", ["git switch -c new", "git checkout -b new"])
def test_a_new_branch_counts_only_for_what_cannot_run_without_it(
    load: Load, repository: tuple[str, dict[str, str]], create: str
) -> None:
    assert decision(load, repository, f"{create}\ngit commit -m x", "main") == "deny"
    assert decision(load, repository, f"{create} &&\ngit commit -m x", "main") is None
    assert decision(load, repository, f"{create}\ngit commit -m x", "other") is None


@sweep("command", ON_OTHER_ALLOWED)
def test_on_another_branch_it_passes(load: Load, repository: tuple[str, dict[str, str]], command: str) -> None:
    assert decision(load, repository, command, "other") is None


@pytest.mark.parametrize("command", ASKED)
def test_what_cannot_be_told_is_asked(load: Load, repository: tuple[str, dict[str, str]], command: str) -> None:
    assert decision(load, repository, command, "other") == "ask"


@pytest.mark.parametrize("command", ["git reset --hard", "git reset --har HEAD~1", "git reset --soft other"])
def test_a_reset_of_a_protected_branch_is_asked(
    load: Load, repository: tuple[str, dict[str, str]], command: str
) -> None:
    assert decision(load, repository, command, "main") == "ask"


@pytest.mark.parametrize("form", ["git -C {} commit", "cd {} && git commit", "GIT_DIR={}/.git git commit"])
def test_the_repository_that_a_command_names_counts(
    load: Load, repository: tuple[str, dict[str, str]], form: str
) -> None:
    top, _ = repository
    assert decision(load, repository, form.format(f"{top}/main"), "other") == "deny"


@pytest.mark.parametrize("form", ["git -C {} commit", "cd {} && git commit"])
def test_a_free_branch_in_the_repository_that_a_command_names_passes(
    load: Load, repository: tuple[str, dict[str, str]], form: str
) -> None:
    top, _ = repository
    assert decision(load, repository, form.format(f"{top}/other"), "main") is None


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git commit -m x", None),
        ("unset GIT_DIR; git commit -m x", "deny"),
        ("env -u GIT_DIR git commit -m x", "deny"),
        ("env -i git commit -m x", "deny"),
        ("unset GIT_DIR; git commit-tree x", None),
    ],
)
def test_a_line_that_drops_gits_own_variables_is_judged_without_them(
    load: Load, repository: tuple[str, dict[str, str]], command: str, expected: str | None
) -> None:
    top, environ = repository
    foreign = (top, {**environ, "GIT_DIR": f"{top}/other/.git"})
    assert decision(load, foreign, command, "main") == expected


def test_outside_of_a_repository_there_is_no_opinion(load: Load, repository: tuple[str, dict[str, str]]) -> None:
    assert decision(load, repository, "git commit -m x", ".") is None


@pytest.mark.parametrize(
    ("branches", "command", "expected"),
    [
        ("release/*", "git push origin release/1", "deny"),
        ("release/*", "git commit -m x", None),
        ("trunk, other,main", "git push origin other", "deny"),
        ("trunk\tmain", "git commit -m x", "deny"),
        (" ", "git commit -m x", "deny"),
    ],
)
def test_protected_branches_replaces_main_and_master(
    load: Load, repository: tuple[str, dict[str, str]], branches: str, command: str, expected: str | None
) -> None:
    assert decision(load, repository, command, "main", PROTECTED_BRANCHES=branches) == expected


def test_the_configuration_of_git_adds_branches(project: Project) -> None:
    project.git("init", "-q", "-b", "trunk")
    project.git("commit", "-q", "--allow-empty", "-m", "first")
    payload = project.shell("git commit -m x")
    assert project.run("protect-branch.py", payload).returncode == 0
    project.git("config", "hookrun.protectedBranches", "trunk release/*")
    assert project.run("protect-branch.py", payload).returncode == 2
    assert project.run("protect-branch.py", project.shell("git push origin main")).returncode == 2


def test_the_first_commit_of_a_repository_passes_and_the_second_is_denied(project: Project) -> None:
    project.git("init", "-q", "-b", "main")
    payload = project.shell("git commit -m x")
    assert project.run("protect-branch.py", payload).returncode == 0
    project.git("commit", "-q", "--allow-empty", "-m", "first")
    assert project.run("protect-branch.py", payload).returncode == 2


def test_a_detached_head_is_no_branch(project: Project) -> None:
    project.git("init", "-q", "-b", "main")
    project.git("commit", "-q", "--allow-empty", "-m", "first")
    project.git("checkout", "-q", "--detach")
    assert project.run("protect-branch.py", project.shell("git commit -m x")).returncode == 0


def test_without_git_it_fails_and_does_not_pass(project: Project) -> None:
    result = project.run("protect-branch.py", project.shell("git commit -m x"), PATH=project.home)
    assert result.returncode == 1
    assert "git is not on the PATH" in result.stderr


@pytest.mark.parametrize("name", ["Shell", "Bash", "run_shell_command"])
def test_the_reason_says_what_to_do(project: Project, name: str) -> None:
    project.git("init", "-q", "-b", "main")
    project.git("commit", "-q", "--allow-empty", "-m", "first")
    result = project.run("protect-branch.py", project.shell("git commit -m x", name))
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("`git commit` on the protected branch main.")
    assert "git switch -c NAME" in result.stderr


def test_a_question_is_json(project: Project) -> None:
    project.git("init", "-q")
    result = project.run("protect-branch.py", project.shell('git push origin "$B"'))
    assert json.loads(result.stdout)["decision"] == "ask"
