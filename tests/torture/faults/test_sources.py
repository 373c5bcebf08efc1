"""Where hooks lie: which of them count, for which tools, and that none gets lost on the way."""

from __future__ import annotations

import json
import os

import pytest
from firing import (
    ALLOWED_BY_SILENCE,
    BASH_GUARD,
    DENIED_BY_FAILURE,
    DENIED_BY_GUARD,
    DENY,
    PASS,
    after_shell,
    before_shell,
    guard_text,
    marker_script,
    problems_of,
    ruling,
    the_outcome,
)


def titles(ended):
    return [outcome["title"] for outcome in ended.document["outcomes"]]


def counting(folder):
    """A guard that counts its runs in *folder*, and says no."""
    return guard_text(f"echo ran >>{folder}/runs", "exit 2")


def test_one_file_that_is_reached_twice_for_one_event_runs_once(cli, project, tmp_path):
    script = project.script(".claude/hooks/pre/bash.sh", counting(tmp_path))
    (project.path / ".claude/hooks/pre/_all.sh").symlink_to("bash.sh")
    (project.path / ".hookrun/hooks/pre").mkdir(parents=True)
    (project.path / ".hookrun/hooks/pre/shell.sh").symlink_to(script)
    ended = before_shell(cli, "--hook", str(script))
    assert ended.code == 2
    assert len(ended.document["outcomes"]) == 1
    assert (tmp_path / "runs").read_text() == "ran\n"
    script.unlink()
    for name in (".claude/hooks/pre/bash.sh", ".claude/hooks/pre/other/x.sh"):
        project.script(name, counting(tmp_path))
    (project.path / ".claude/hooks/pre/other").rename(project.path / ".claude/hooks/pre/shell")
    assert len(before_shell(cli).document["outcomes"]) == 2  # two files of one text are two guards


def test_one_guard_linked_under_two_tools_names_guards_both(cli, project):
    guard = project.script("guards/paths.sh", DENY)
    for name in ("edit.sh", "write.sh"):
        (project.path / ".claude/hooks/pre").mkdir(parents=True, exist_ok=True)
        (project.path / ".claude/hooks/pre" / name).symlink_to(guard)
    for tool in ("Edit", "Write", "FileReplace", "FileCreate"):
        assert ruling(cli("emit", "pre", "--tool", tool, "--format", "json")) == DENIED_BY_GUARD
    assert ruling(cli("emit", "pre", "--tool", "Read", "--format", "json")) == ALLOWED_BY_SILENCE


@pytest.mark.parametrize("tool", ["Bash", "Shell", "run_shell_command", "bash"])
def test_a_guard_of_the_shell_answers_whatever_an_agent_calls_it(cli, project, tool):
    fire = ("emit", "pre", "--tool", tool, "--format", "json")
    assert ruling(cli(*fire)) == ALLOWED_BY_SILENCE
    script = project.script(BASH_GUARD, DENY)
    assert ruling(cli(*fire)) == DENIED_BY_GUARD
    script.unlink()
    project.manifest("guard", script=DENY, hooks=[{"event": "PreToolUse", "matcher": "Shell*"}])
    assert ruling(cli(*fire)) == DENIED_BY_GUARD
    assert ruling(cli("emit", "pre", "--tool", "Read", "--format", "json")) == ALLOWED_BY_SILENCE


def test_a_guard_of_two_lines_needs_no_jq(cli, project):
    lines = (
        'case "$HOOKRUN_COMMAND" in *"push -f"*|*--force*) echo "no forced pushes" >&2; exit 2;; esac',
        'case "$HOOKRUN_PATHS" in */.env) echo "not the secrets" >&2; exit 2;; esac',
    )
    project.script(".claude/hooks/pre/_all.sh", guard_text(*lines))
    asked = {
        ("Bash", '{"command": "git push -f"}'): "no forced pushes",
        ("run_shell_command", '{"command": "git push --force"}'): "no forced pushes",
        ("Shell", '{"command": "git push"}'): None,
        ("FileCreate", '{"path": ".env"}'): "not the secrets",
        ("Write", f'{{"file_path": "{project.path}/.env"}}'): "not the secrets",
        ("Write", '{"file_path": "env.py"}'): None,
    }
    for (tool, given), reason in asked.items():
        ended = cli("emit", "pre", "--tool", tool, "--input", given, "--format", "json")
        assert ruling(ended) == (DENIED_BY_GUARD if reason else ALLOWED_BY_SILENCE), tool
        assert (reason or "") in ended.document["message"]


def test_hook_files_that_git_ignores_are_found(cli, project):
    (project.path / ".gitignore").write_text(".claude/\n*.sh\n")
    project.script(BASH_GUARD, DENY)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


def test_guards_of_the_user_and_of_the_project_with_one_name_both_run(cli, project):
    project.script(BASH_GUARD, guard_text("echo project >&2", "exit 2"))
    project.script(BASH_GUARD, guard_text("echo user >&2", "exit 2"), user=True)
    reasons = before_shell(cli).document["message"].splitlines()
    assert [reason.rpartition(" ")[2] for reason in reasons] == ["user", "project"]


def test_within_one_level_the_first_source_keeps_a_guards_name(cli, project):
    project.script(BASH_GUARD, guard_text("echo claude >&2", "exit 2"))
    project.script(".xcsh/hooks/pre/bash.sh", guard_text("echo xcsh >&2", "exit 2"))
    project.script(".hookrun/hooks/pre/bash.sh", guard_text("echo hookrun >&2", "exit 2"))
    for winner in ("hookrun", "xcsh", "claude"):
        ended = before_shell(cli)
        assert titles(ended) == [f".{winner}/hooks/pre/bash.sh"]
        assert ended.document["message"].endswith(f": {winner}")
        (project.path / f".{winner}/hooks/pre/bash.sh").unlink()


def test_every_level_between_the_root_and_the_working_directory_counts(cli, project):
    project.script(".claude/hooks/pre/_all.sh", guard_text("echo outer >&2", "exit 2"))
    project.script("packages/web/.claude/hooks/pre/_all.sh", guard_text("echo inner >&2", "exit 2"))
    deep = project.path / "packages/web/src"
    deep.mkdir()
    root = ("--project", str(project.path))
    reasons = before_shell(cli, *root, cwd=deep).document["message"].splitlines()
    assert [reason.rpartition(" ")[2] for reason in reasons] == ["outer", "inner"]
    assert titles(before_shell(cli, *root, cwd=project.path / "packages")) == [".claude/hooks/pre/_all.sh"]


@pytest.mark.parametrize("mark", [".git", ".hookrun"])
def test_a_change_into_another_project_keeps_the_guards_of_the_session(cli, project, mark):
    project.script(BASH_GUARD, DENY)
    nested = project.path / "vendor/clone"
    (nested / mark).mkdir(parents=True)
    assert ruling(before_shell(cli, cwd=nested)) == ALLOWED_BY_SILENCE
    assert ruling(before_shell(cli, "--session", "s")) == DENIED_BY_GUARD
    assert ruling(before_shell(cli, "--session", "s", cwd=nested)) == DENIED_BY_GUARD
    assert ruling(before_shell(cli, "--session", "t", cwd=nested)) == ALLOWED_BY_SILENCE


def test_a_root_that_a_session_had_and_that_is_gone_costs_no_guard(cli, project, tmp_path):
    gone = tmp_path / "gone"
    (gone / ".git").mkdir(parents=True)
    project.script(BASH_GUARD, DENY)
    assert ruling(before_shell(cli, "--session", "s", cwd=gone)) == ALLOWED_BY_SILENCE
    (gone / ".git").rmdir()
    gone.rmdir()
    assert ruling(before_shell(cli, "--session", "s")) == DENIED_BY_GUARD


def test_the_project_of_a_payload_counts_more_than_where_its_agent_is(cli, project):
    project.script(BASH_GUARD, DENY)
    nested = project.path / "clone"
    (nested / ".git").mkdir(parents=True)
    payload = {"tool_name": "Bash", "tool_input": {"command": "x"}, "cwd": str(nested)}
    words = ("emit", "pre", "--format", "json", "--payload")
    assert ruling(cli(*words, json.dumps(payload))) == ALLOWED_BY_SILENCE
    told = json.dumps({**payload, "project_dir": str(project.path)})
    assert ruling(cli(*words, told)) == DENIED_BY_GUARD


def test_a_home_folder_makes_no_project_of_what_is_below_it(cli, project):
    project.script(BASH_GUARD, DENY, user=True)
    below = project.home / "notes"
    below.mkdir()
    ended = before_shell(cli, cwd=below)
    assert ruling(ended) == DENIED_BY_GUARD
    assert len(ended.document["outcomes"]) == 1  # the user's guard, and not the project's as well
    (hook,) = cli("list", "--format", "json", cwd=below).document["hooks"]
    assert hook["level"] == "user"


def test_a_hook_given_on_the_command_line_guards_the_event_that_is_fired(cli, project, tmp_path):
    given = project.script("elsewhere/check.sh", DENY)
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    assert ruling(before_shell(cli, "--hook", "elsewhere/check.sh")) == DENIED_BY_GUARD
    assert ruling(before_shell(cli, "--extension", str(given), cwd=tmp_path)) == DENIED_BY_GUARD
    given.write_text("#!/bin/sh\nexit 1\n")
    assert ruling(before_shell(cli, "--hook", "elsewhere/check.sh")) == DENIED_BY_FAILURE
    assert ruling(after_shell(cli, "--hook", "elsewhere/check.sh")) == ALLOWED_BY_SILENCE
    given.write_text("#!/bin/sh\n# hookrun: tool=Edit\nexit 2\n")
    assert ruling(before_shell(cli, "--hook", "elsewhere/check.sh")) == ALLOWED_BY_SILENCE
    assert cli("emit", "pre", "--tool", "Edit", "--hook", "elsewhere/check.sh").code == 2


@pytest.mark.parametrize("place", ["--hook", "config"])
def test_what_somebody_named_as_a_hook_and_is_none_closes_guarded_events(cli, project, place):
    named = project.script("elsewhere/check", "exit 0\n", mode=0o644)
    words = ("--hook", str(named)) if place == "--hook" else ()
    if not words:
        project.script(".hookrun/config.yaml", "hooks: [elsewhere/check]\n")
    ended = before_shell(cli, *words)
    assert ruling(ended) == DENIED_BY_FAILURE
    assert "neither executable nor with a shebang" in ended.document["message"]
    named.chmod(0o755)
    assert ruling(before_shell(cli, *words)) == ALLOWED_BY_SILENCE
    named.unlink()
    os.mkfifo(named)
    assert "no regular file" in before_shell(cli, *words).document["message"]


def test_a_folder_that_is_named_for_its_hooks_and_holds_none_is_a_problem(cli, project):
    script = project.script("elsewhere/pre/bash.sh", DENY)
    assert ruling(before_shell(cli, "--hook", "elsewhere")) == DENIED_BY_GUARD
    script.unlink()
    script.parent.rmdir()
    ended = before_shell(cli, "--hook", "elsewhere")
    assert f"{project.path}/elsewhere |  | the folder contains no hooks" in problems_of(ended)


def test_ten_thousand_hooks_in_a_folder_are_read_and_one_more_closes_guarded_events(cli, project, tmp_path):
    project.script(BASH_GUARD, DENY)
    for number in range(9_999):
        (project.path / f".claude/hooks/pre/tool{number}.sh").symlink_to("/bin/true")
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_GUARD
    assert titles(ended) == [BASH_GUARD]
    project.script(BASH_GUARD, PASS)
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    project.script(".claude/hooks/pre/zz.sh", PASS)
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_FAILURE
    assert "contains 10001 files" in ended.document["message"]


@pytest.mark.parametrize("name", ["two\nlines", "\x1b[31mred", "a\rb", "\u202eback", "tab\there"])
def test_names_with_control_characters_are_harmless_when_they_are_printed(cli, project, name):
    project.script(f".claude/hooks/pre/bash/{name}.sh", guard_text("exit 1"))
    project.script(f".claude/hooks/post/{name}.sh", PASS, mode=0o644)
    project.script(f".claude/hooks/post/bash/{name}", "exit 0\n", mode=0o644)
    shown = [
        cli("emit", "pre", "--tool", "Shell"),
        cli("emit", "post", "--tool", "Shell", "--verbose"),
        cli("list"),
        cli("explain", "pre", "--tool", "Shell"),
        cli("validate"),
        cli("doctor"),
    ]
    for ended in shown:
        told = ended.stdout + ended.stderr
        assert all(sign.isprintable() or sign == "\n" for sign in told)
        assert name not in told
    assert name.encode("unicode_escape").decode() in shown[0].stdout


def test_a_source_that_the_user_switched_off_is_not_read(cli, project, tmp_path):
    project.script(BASH_GUARD, marker_script(tmp_path, "ran"))
    (user := project.home / ".config/hookrun").mkdir(parents=True)
    (user / "config.yaml").write_text("sources: {claude: false}\n")
    (skip,) = cli("list", "--format", "json").document["skipped"]
    assert skip["path"] == str(project.path / ".claude")
    assert before_shell(cli).document["outcomes"] == []
    assert not (tmp_path / "ran").exists()
    (user / "config.yaml").write_text("sources: {claude: true}\n")
    assert the_outcome(before_shell(cli))["status"] == "ran"
    assert (tmp_path / "ran").exists()
