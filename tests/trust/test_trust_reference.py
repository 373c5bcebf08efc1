"""HOOKRUN_TRUST in pipelines: everything, or only what a git ref has."""

from __future__ import annotations

import json
import os

import pytest
from firing import BASH_GUARD, DENIED_BY_GUARD, DENY, PASS, before_shell, problems_of, ruling
from trusted import ALLOWED_BY_SILENCE, DENIED_BY_TRUST, TRUST_ALL, commit, git, records, repository, trust

pytestmark = pytest.mark.usefixtures("untrusting")

MAIN = {"HOOKRUN_TRUST": "ref:main"}
ALLOWED = (0, "allow", "guard")
ALLOW = '#!/bin/sh\necho \'{"decision": "allow"}\'\n'
PROMPT = ("emit", "prompt", "--prompt", "x", "--format", "json")


@pytest.fixture
def guard(project):
    path = project.script(BASH_GUARD, ALLOW)
    repository(project)
    return path


def test_what_the_ref_has_runs(cli, guard):
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    assert ruling(before_shell(cli, env=MAIN)) == ALLOWED


@pytest.mark.parametrize("reference", ["main", "HEAD", "refs/heads/main", "main~0", "v1"])
def test_any_name_of_a_commit_is_a_ref(reference, cli, project, guard):
    git(project.path, "tag", "v1")
    assert ruling(before_shell(cli, env={"HOOKRUN_TRUST": f"ref:{reference}"})) == ALLOWED


def test_a_guard_that_the_work_tree_changed_denies(cli, guard):
    guard.write_text(PASS)
    assert ruling(before_shell(cli, env=MAIN)) == DENIED_BY_TRUST
    guard.write_text(ALLOW)
    assert ruling(before_shell(cli, env=MAIN)) == ALLOWED


def test_a_guard_that_a_later_commit_changed_denies(cli, project, guard):
    git(project.path, "checkout", "-q", "-b", "feature")
    guard.write_text(PASS)
    commit(project.path)
    assert ruling(before_shell(cli, env=MAIN)) == DENIED_BY_TRUST
    assert ruling(before_shell(cli, env={"HOOKRUN_TRUST": "ref:feature"})) == ALLOWED_BY_SILENCE


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_hook_that_the_ref_has_not_is_untrusted(is_committed, cli, project, guard):
    project.script(".claude/hooks/pre/9-bash.sh", DENY)
    if is_committed:
        commit(project.path)
        git(project.path, "branch", "new")
        git(project.path, "reset", "-q", "--soft", "HEAD~")
    done = before_shell(cli, env=MAIN)
    assert ruling(done) == ALLOWED
    assert "1 hook is not trusted" in problems_of(done)
    if is_committed:
        assert ruling(before_shell(cli, env={"HOOKRUN_TRUST": "ref:new"})) == DENIED_BY_GUARD


def test_a_guard_that_is_deleted_denies(cli, project, guard):
    guard.unlink()
    assert ruling(before_shell(cli, env=MAIN)) == DENIED_BY_TRUST


def test_what_a_guard_uses_is_the_refs_too(cli, project, guard):
    guard.write_text(ALLOW.replace("\n", '\n. "$(dirname "$0")/lib.sh"\n', 1))
    library = project.script(".claude/hooks/pre/lib.sh", "true\n", mode=0o644)
    commit(project.path)
    assert ruling(before_shell(cli, env=MAIN)) == ALLOWED
    library.write_text("exit 0\n")
    assert ruling(before_shell(cli, env=MAIN)) == DENIED_BY_TRUST


def test_a_plugin_is_the_refs_with_its_folder(cli, project):
    folder = project.manifest("demo", script=ALLOW, hooks=[{"event": "PreToolUse"}]).parent
    repository(project)
    assert ruling(before_shell(cli, env=MAIN)) == ALLOWED
    (folder / "state.json").write_text("{}")
    assert ruling(before_shell(cli, env=MAIN)) == ALLOWED
    (folder / "new.py").write_text("")
    assert ruling(before_shell(cli, env=MAIN)) == DENIED_BY_TRUST


def test_a_module_is_the_refs(cli, project):
    text = "def hook(api):\n    api.on('tool_call', lambda event, ctx: {'block': True, 'reason': 'no'})\n"
    module = project.script(".hookrun/hooks/guard.py", text)
    repository(project)
    assert before_shell(cli, env=MAIN).document["message"].endswith(": no")
    module.write_text("def hook(api): pass\n")
    assert ruling(before_shell(cli, env=MAIN)) == DENIED_BY_TRUST


@pytest.mark.parametrize("cwd", [".", "app", "app/deep"])
def test_the_ref_counts_at_every_level(cwd, cli, project, guard):
    inner = project.script("app/.claude/hooks/pre/bash.sh", ALLOW)
    (project.path / "app/deep").mkdir()
    commit(project.path)
    words = ("--project", str(project.path))
    assert ruling(before_shell(cli, *words, env=MAIN, cwd=project.path / cwd)) == ALLOWED
    inner.write_text(PASS)
    expected = ALLOWED if cwd == "." else DENIED_BY_TRUST
    assert ruling(before_shell(cli, *words, env=MAIN, cwd=project.path / cwd)) == expected


def test_configuration_counts_as_the_ref_has_it(cli, project, guard):
    guard.write_text(DENY)
    configuration = project.script(".hookrun/config.yaml", f"disable: ['{BASH_GUARD}']\n")
    commit(project.path)
    assert ruling(before_shell(cli, env=MAIN)) == ALLOWED_BY_SILENCE
    configuration.write_text(f"disable: ['{BASH_GUARD}', other]\n")
    assert ruling(before_shell(cli, env=MAIN)) == DENIED_BY_GUARD
    configuration.unlink()
    assert ruling(before_shell(cli, env=MAIN)) == DENIED_BY_GUARD


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("ref:nowhere", "git knows no commit 'nowhere'"),
        ("ref:--help", "git knows no commit '--help'"),
        ("ref:-x", "git knows no commit '-x'"),
        ("ref:", "unknown trust 'ref:'"),
        ("nonsense", "unknown trust 'nonsense'"),
        ("PROJECT", "unknown trust 'PROJECT'"),
        ("1", "unknown trust '1'"),
    ],
)
def test_what_cannot_be_meant_refuses_guarded_events_with_the_reason(word, reason, cli, guard):
    env = {"HOOKRUN_TRUST": word}
    for done in (before_shell(cli, env=env), cli(*PROMPT, env=env)):
        assert (done.code, done.stdout) == (2, "")
        assert reason in done.stderr
        assert "hint: " in done.stderr
    assert cli("emit", "SessionStart", env=env).code == 78


@pytest.mark.parametrize("broken", ["no git folder", "an empty git folder", "no git program"])
def test_a_ref_without_git_refuses(broken, cli, project, guard, tmp_path):
    env = dict(MAIN)
    if broken == "no git program":
        env["PATH"] = str(tmp_path)
    else:
        (project.path / ".git").rename(tmp_path / "git")
        if broken == "an empty git folder":
            (project.path / ".git").mkdir()
    done = before_shell(cli, env=env)
    assert done.code == 2
    assert "git" in done.stderr


def test_a_ref_writes_nothing_and_leaves_nothing(cli, project, guard, untrusting):
    assert ruling(before_shell(cli, env=MAIN)) == ALLOWED
    assert records(project) == []
    left = os.listdir(f"{untrusting['XDG_RUNTIME_DIR']}/hookrun")
    assert [name for name in left if name.startswith("run-")] == []
    assert git(project.path, "status", "--porcelain") == ""


def test_what_is_on_record_does_not_count_beside_a_ref(cli, project, guard):
    project.script(".claude/hooks/pre/9-bash.sh", DENY)
    trust(cli)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    assert ruling(before_shell(cli, env=MAIN)) == ALLOWED


def test_everything_counts_with_project(cli, project, guard):
    trust(cli)
    guard.write_text(DENY)
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    assert ruling(before_shell(cli, env=TRUST_ALL)) == DENIED_BY_GUARD
    guard.unlink()
    assert ruling(before_shell(cli, env=TRUST_ALL)) == ALLOWED_BY_SILENCE


def tree_by_hand(folder, entries: list[tuple[str, str, str]]) -> str:
    """Write a tree that git itself would refuse to make, and return its name."""
    data = b""
    for mode, name, target in entries:
        data += f"{mode} {name}\0".encode() + bytes.fromhex(target)
    (folder / "tree").write_bytes(data)
    return git(folder, "hash-object", "-t", "tree", "--literally", "-w", "tree").strip()


@pytest.mark.parametrize("way", ["a link, then a file below it", "a path that leads up"])
def test_a_commit_that_was_made_by_hand_writes_nowhere_else(way, cli, project, guard, tmp_path):
    folder = project.path
    outside = tmp_path / "outside"
    outside.mkdir()
    (folder / "text").write_text("planted")
    text = git(folder, "hash-object", "-w", "text").strip()
    (folder / "target").write_text(str(outside))
    target = git(folder, "hash-object", "-w", "target").strip()
    inner = tree_by_hand(folder, [("100644", "planted", text)])
    if way.startswith("a link"):
        tree = tree_by_hand(folder, [("120000", "a", target), ("40000", "a", inner)])
    else:
        tree = tree_by_hand(folder, [("40000", "..", tree_by_hand(folder, [("40000", "..", inner)]))])
    made = git(folder, "commit-tree", tree, "-m", "x").strip()
    listed = git(folder, "ls-tree", "-r", "--name-only", made)
    assert listed.splitlines()[-1] in ("a/planted", "../../planted")
    done = before_shell(cli, env={"HOOKRUN_TRUST": f"ref:{made}"})
    assert done.code == 0
    assert list(tmp_path.rglob("planted")) == []


def test_a_large_file_of_the_ref_is_no_obstacle(cli, project, guard):
    (project.path / "large").write_bytes(b"x" * 3_000_000)
    (project.path / "empty").write_text("")
    commit(project.path)
    assert ruling(before_shell(cli, env=MAIN)) == ALLOWED


def test_the_ref_of_a_worktree_is_its_own(cli, project, guard, tmp_path):
    other = tmp_path / "other"
    git(project.path, "worktree", "add", "-q", str(other), "-b", "other")
    (other / BASH_GUARD).write_text(DENY)
    git(other, "commit", "-qam", "x")
    env = {"HOOKRUN_TRUST": "ref:HEAD"}
    assert ruling(before_shell(cli, env=env, cwd=other)) == DENIED_BY_GUARD
    assert ruling(before_shell(cli, env=env)) == ALLOWED


def test_doctor_and_list_work_with_a_ref(cli, guard):
    document = json.loads(cli("list", "--format", "json", env=MAIN).stdout)
    assert [hook["state"] for hook in document["hooks"]] == ["in force"]
    guard.write_text(PASS)
    assert "changed since it was trusted" in cli("doctor", env=MAIN).stdout + cli("doctor", env=MAIN).stderr
