"""A trusted guard that the branch which is checked out does not have, and one that was taken away."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from agent_settings import before_tools, group, write
from firing import BASH_GUARD, DENIED_BY_GUARD, DENY, before_shell, problems_of, ruling
from trusted import ALLOWED_BY_SILENCE, ASKED_BY_TRUST, DENIED_BY_TRUST, commit, git, repository, trust

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from command import Project

pytestmark = pytest.mark.usefixtures("untrusting")

CLAUDE = ".claude/settings.json"
SCRIPT = "tools/guard.sh"
USERS = ".config/hookrun/config.yaml"
THIS_BRANCH = "this branch does not have it"


def a_script(project: Project) -> Path:
    return project.script(BASH_GUARD, DENY)


def a_plugin(project: Project) -> Path:
    return project.manifest("demo", script=DENY, hooks=[{"event": "PreToolUse", "matcher": "Shell"}])


def a_module(project: Project) -> Path:
    text = "def hook(api):\n    api.on('tool_call', lambda event, ctx: {'block': True, 'reason': 'no'})\n"
    return project.script(".hookrun/hooks/guard.py", text)


def an_entry(project: Project) -> Path:
    project.script(SCRIPT, DENY)
    run = {"type": "command", "command": f"$CLAUDE_PROJECT_DIR/{SCRIPT}"}
    return write(project, CLAUDE, before_tools(group(run, matcher="Bash")))


KINDS: dict[str, Callable[[Project], Path]] = {
    "a script": a_script,
    "a plugin": a_plugin,
    "a module": a_module,
    "an entry of settings": an_entry,
}


@pytest.fixture(params=list(KINDS))
def made(request, project) -> Callable[[], Path]:
    """Make a guard of each kind, where main has none and the branch guarded is checked out."""
    (project.path / "README").write_text("x\n")
    folder = repository(project)
    git(folder, "checkout", "-q", "-b", "guarded")
    return lambda: KINDS[request.param](project)


@pytest.mark.parametrize("order", ["trusted, then committed", "committed, then trusted"])
def test_a_branch_that_never_had_the_guard_asks(order, cli, project, made):
    made()
    if order.startswith("trusted"):
        trust(cli)
    commit(project.path)
    trust(cli)
    assert ruling(before_shell(cli))[:2] == (2, "deny")
    git(project.path, "checkout", "-q", "main")
    done = before_shell(cli)
    assert ruling(done) == ASKED_BY_TRUST
    assert THIS_BRANCH in done.document["message"]
    git(project.path, "checkout", "-q", "guarded")
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


def test_a_guard_that_the_commit_has_and_the_work_tree_has_not_denies(cli, project, made):
    path = made()
    trust(cli)
    commit(project.path)
    path.unlink()
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    git(project.path, "checkout", "-q", "-b", "elsewhere")
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


def test_a_guard_that_was_never_committed_denies_when_it_is_gone(cli, project, made):
    path = made()
    trust(cli)
    path.unlink()
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    git(project.path, "checkout", "-q", "main")
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


def test_a_stash_is_no_branch(cli, project, made):
    made()
    trust(cli)
    git(project.path, "stash", "--include-untracked", "-q")
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


def test_a_guard_that_another_branch_had_once_is_an_ask(cli, project, made):
    path = made()
    trust(cli)
    commit(project.path)
    path.unlink()
    commit(project.path)
    git(project.path, "checkout", "-q", "main")
    assert ruling(before_shell(cli)) == ASKED_BY_TRUST


def test_a_guard_that_this_branch_alone_had_and_lost_denies(cli, project, made):
    path = made()
    trust(cli)
    commit(project.path)
    path.unlink()
    commit(project.path)
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


def test_a_branch_of_a_remote_counts(cli, project, made, tmp_path):
    made()
    commit(project.path)
    git(tmp_path, "clone", "-q", "--no-local", str(project.path), "clone")
    clone = tmp_path / "clone"
    trust(cli, cwd=clone)
    git(clone, "checkout", "-q", "-b", "mine", "origin/main")
    git(clone, "branch", "-q", "-D", "guarded")
    assert ruling(before_shell(cli, cwd=clone)) == ASKED_BY_TRUST


@pytest.mark.parametrize(
    ("word", "expected"), [("ask", ASKED_BY_TRUST), ("deny", DENIED_BY_TRUST), ("skip", ALLOWED_BY_SILENCE)]
)
def test_the_user_says_what_a_missing_guard_means(word, expected, cli, project, made):
    path = made()
    trust(cli)
    commit(project.path)
    git(project.path, "checkout", "-q", "main")
    project.script(USERS, f"on_missing: {word}\n", user=True)
    done = before_shell(cli)
    assert ruling(done) == expected
    assert bool(problems_of(done)) == (word != "skip")
    assert ruling(before_shell(cli, "--require-trusted")) == DENIED_BY_TRUST
    git(project.path, "checkout", "-q", "guarded")
    path.unlink()  # which was taken away here
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


@pytest.fixture
def missing(cli, project):
    """A script of another branch, trusted before it was committed."""
    repository(project)
    git(project.path, "checkout", "-q", "-b", "guarded")
    a_script(project)
    trust(cli)
    commit(project.path)
    git(project.path, "checkout", "-q", "main")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("on_untrusted: deny", DENIED_BY_TRUST),
        ("on_untrusted: skip", ASKED_BY_TRUST),
        ("on_untrusted: deny\non_missing: skip", ALLOWED_BY_SILENCE),
    ],
)
def test_what_is_untrusted_and_what_is_missing_are_two_settings(words, expected, cli, project, missing):
    project.script(USERS, words, user=True)
    assert ruling(before_shell(cli)) == expected


def test_trust_says_that_a_missing_guard_stays_trusted(cli, missing):
    name = ".claude/hooks/pre/bash.sh"
    assert f"{name} is not on this branch; it stays trusted\n" in cli("trust", "--yes").stdout
    named = cli("trust", "--yes", name)
    assert (named.code, "is trusted but not on this branch" in named.stderr) == (64, True)
    assert name in cli("trust", "--list").stdout


def test_a_project_has_no_say_in_what_is_missing(cli, project, missing):
    project.script(".hookrun/config.yaml", "on_missing: skip\n")
    done = before_shell(cli)
    assert ruling(done) == ASKED_BY_TRUST
    assert "counts only in the user's own configuration" in problems_of(done)


def test_another_word_is_an_error(cli, project, missing):
    project.script(USERS, "on_missing: allow\n", user=True)
    done = before_shell(cli)
    assert done.code == 2
    assert "on_missing must be one of ask, deny, skip" in done.stderr


def test_a_bridge_asks_about_a_missing_guard_unless_its_user_skips_it(cli, project, missing):
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    asked = cli("bridge", "claude", input=json.dumps(event)).document["hookSpecificOutput"]
    assert asked["permissionDecision"] == "ask"
    assert THIS_BRANCH in asked["permissionDecisionReason"]
    assert "not approved" not in asked["permissionDecisionReason"]
    assert '"deny"' in cli("bridge", "codex", input=json.dumps(event)).stdout
    project.script(USERS, "on_missing: skip\n", user=True)
    assert cli("bridge", "claude", input=json.dumps(event)).stdout == ""


def test_trust_keeps_what_another_branch_has(cli, project, missing):
    done = cli("trust", "--yes")
    assert (done.code, "no longer" in done.stdout) == (0, False)
    git(project.path, "checkout", "-q", "guarded")
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


def test_every_command_says_that_this_branch_does_not_have_it(cli, missing):
    for words, code in ((("validate",), 0), (("doctor", "-q"), 0), (("list",), 0)):
        done = cli(*words)
        said = done.stdout + done.stderr
        assert (done.code, THIS_BRANCH in said, "cannot start" in said) == (code, True, False), words
        assert "every bash call is asked about" in said, words
    explained = cli("explain", "pre", "--tool", "Bash").stdout.splitlines()
    assert explained[2].startswith("  asks ")
    assert THIS_BRANCH in explained[2]
