"""`hookrun emit`: what its options choose, what it prints, and the exit codes that agents rely on."""

from __future__ import annotations

import json

import pytest
from firing import (
    ALLOWED_BY_SILENCE,
    BASH_GUARD,
    DENIED_BY_GUARD,
    DENY,
    NO,
    PASS,
    after_shell,
    before_shell,
    guard_text,
    marker_script,
    problems_of,
    ruling,
    the_outcome,
)

SHELL = ("--tool", "Shell")


def test_without_hooks_nothing_is_decided(cli):
    ended = cli("emit", "pre", *SHELL)
    assert (ended.code, ended.stdout, ended.stderr) == (0, "no decision: 0 of 0 hooks matched\n", "")


def test_the_json_is_one_document_of_the_documented_shape(cli, project):
    project.script(BASH_GUARD, DENY)
    document = before_shell(cli).document
    assert {*document} == set(
        "event event_id tool_name tool decision decided_by message updated_input context feedback"
        " user_messages halt result data hints outcomes problems duration_ms".split()
    )
    assert (document["event"], document["tool_name"], document["tool"]) == ("PreToolUse", "Shell", "shell")
    (outcome,) = document["outcomes"]
    assert set(outcome) >= set("hook source status exit_code signal duration_ms decision message stdout stderr".split())
    assert (outcome["status"], outcome["exit_code"], outcome["decision"]) == ("ran", 2, "deny")
    assert outcome["source"] == str(project.path / BASH_GUARD)
    assert 0 < outcome["duration_ms"] <= document["duration_ms"]


def test_the_first_line_for_people_is_the_decision_and_why(cli, project):
    project.script(BASH_GUARD, DENY)
    assert cli("emit", "pre", *SHELL).stdout == f"deny: {BASH_GUARD}: {NO}\n"
    project.script(BASH_GUARD, guard_text("echo oh no >&2", "exit 9"))
    first = cli("emit", "pre", *SHELL).stdout.splitlines()[0]
    assert first.startswith(f"deny (by failure): {BASH_GUARD}: failed: exit 9; stderr: oh no; hint: ")
    project.script(BASH_GUARD, PASS)
    shown = cli("emit", "pre", *SHELL).stdout
    assert shown == "no decision: 1 of 1 hook matched, none has an opinion\n"
    assert cli("emit", "pre", "--tool", "Read").stdout == "no decision: 0 of 1 hook matched\n"


def test_what_informs_without_deciding_is_not_said_to_have_no_opinion(cli, project):
    project.script(BASH_GUARD, guard_text("echo look"))
    lines = cli("emit", "pre", *SHELL).stdout.splitlines()
    assert lines == ["no decision: 1 of 1 hook matched, none decides", "context: look"]


def test_verbose_shows_what_a_hook_wrote_to_stderr(cli, project):
    project.script(BASH_GUARD, guard_text("printf 'one\\033[31m\\ntwo\\n' >&2"))
    lines = cli("emit", "pre", *SHELL, "-v").stdout.splitlines()
    assert lines[-2:] == ["    stderr: one\\x1b[31m", "    stderr: two"]
    assert "stderr" not in cli("emit", "pre", *SHELL).stdout
    project.script(BASH_GUARD, guard_text("seq 100 >&2"))
    lines = cli("emit", "pre", *SHELL, "-v").stdout.splitlines()
    assert lines[-21:-19] == ["    stderr: ... 80 lines more", "    stderr: 81"]


def test_verbose_adds_what_each_hook_did(cli, project):
    project.script(BASH_GUARD, DENY)
    line = cli("emit", "pre", *SHELL, "--verbose").stdout.splitlines()[1]
    assert line.split()[0] == "ran"
    assert line.endswith(f"exit 2     {BASH_GUARD}")


def test_what_an_answer_holds_is_printed_for_whom_it_is(cli, project):
    answer = {
        "decision": "allow",
        "systemMessage": "to you",
        "hookSpecificOutput": {"additionalContext": "to the model", "updatedInput": {"command": "ls"}},
    }
    project.script(BASH_GUARD, guard_text(f"echo '{json.dumps(answer)}'"))
    lines = cli("emit", "pre", *SHELL).stdout.splitlines()
    assert lines == ["allow", 'updated input: {"command": "ls"}', "context: to the model", "for the user: to you"]
    document = before_shell(cli).document
    assert document["context"] == ["to the model"]
    assert document["user_messages"] == ["to you"]


@pytest.mark.parametrize(
    ("script", "met"),
    [
        (DENY, "deny"),
        (PASS, "none"),
        (guard_text("""echo '{"decision": "allow"}'"""), "allow"),
        (guard_text("""echo '{"decision": "ask"}'"""), "ask"),
        (guard_text("""echo '{"decision": "defer"}'"""), "defer"),
        (guard_text("exit 1"), ""),
        (guard_text("# hookrun: timeout=100ms", "exec sleep 60"), ""),
        ("#!/nowhere/sh\n", ""),
        (guard_text("# hookrun: on-failure=allow", "exit 1"), ""),
        (guard_text("# hookrun: role=observer", "exit 0"), ""),
    ],
)
def test_expect_is_met_only_by_a_guard_that_ran_and_decided_so(cli, project, script, met):
    project.script(BASH_GUARD, script)
    for expected in ("allow", "deny", "ask", "defer", "none"):
        assert cli("emit", "pre", *SHELL, "--expect", expected).code == (0 if expected == met else 1)


def test_expect_is_not_met_where_no_guard_matches(cli, project):
    project.script(BASH_GUARD, PASS)
    assert cli("emit", "pre", "--tool", "Read", "--expect", "none").code == 1
    assert cli("emit", "pre", *SHELL, "--expect", "none").code == 0


def test_a_dry_run_names_what_would_run_and_runs_nothing(cli, project, tmp_path):
    project.script(BASH_GUARD, marker_script(tmp_path, "ran") + "exit 2\n")
    ended = before_shell(cli, "--dry-run")
    assert ruling(ended) == ALLOWED_BY_SILENCE
    assert the_outcome(ended)["status"] == "planned"
    assert cli("emit", "pre", *SHELL, "--dry-run").stdout == (f"no decision: 1 of 1 hook would run: {BASH_GUARD}\n")
    assert not (tmp_path / "ran").exists()
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    assert (tmp_path / "ran").exists()


def test_a_dry_run_leaves_the_hints_that_wait(cli, project):
    project.script(".claude/hooks/post/bash.sh", guard_text("echo 'md|a hint'"))
    after_shell(cli)
    after_shell(cli, "--dry-run", "--hints")
    assert cli("hints").stdout == "a hint\n"


def test_only_runs_the_hook_that_is_named_in_any_way_that_list_shows(cli, project, tmp_path):
    project.script(BASH_GUARD, marker_script(tmp_path, "script"))
    project.manifest("guard", script=f"touch '{tmp_path}/plugin'", hooks=[{"event": "PreToolUse"}])
    hooks = {hook["title"]: hook for hook in cli("list", "--format", "json").document["hooks"]}
    named = {
        "plugin": ["guard", hooks["guard"]["id"]],
        "script": [BASH_GUARD, hooks[BASH_GUARD]["id"], hooks[BASH_GUARD]["key"]],
    }
    for which, names in named.items():
        for name in names:
            assert before_shell(cli, "--only", name).code == 0
            (ran,) = [path for path in ("plugin", "script") if (tmp_path / path).exists()]
            assert ran == which
            (tmp_path / ran).unlink()
    both = [word for name in ("guard", BASH_GUARD) for word in ("--only", name)]
    assert len(before_shell(cli, *both).document["outcomes"]) == 2


def test_values_come_as_text_from_files_and_from_stdin(cli, project):
    project.manifest("shower", script='printf %s "$XBOT_TOOL_INPUT$XBOT_TOOL_OUTPUT"', hooks=[{"event": "post"}])
    text = '{"command": "ls"}'
    (project.path / "input.json").write_text(text)
    for given, typed in ((text, ""), ("@input.json", ""), ("-", text)):
        ended = cli("emit", "post", *SHELL, "--input", given, "--output", "out", "--format", "json", input=typed)
        assert the_outcome(ended)["stdout"] == text + "out"


def test_a_whole_payload_says_what_options_would(cli, project):
    project.script(BASH_GUARD, guard_text('printf "%s %s" "$XBOT_SESSION_ID" "$HOOKRUN_COMMAND" >&2', "exit 2"))
    payload = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash"}
    payload["tool_input"] = {"command": "from the payload"}
    words = ("emit", "pre", "--payload", json.dumps(payload), "--format", "json")
    assert the_outcome(cli(*words))["stderr"] == "s from the payload"
    typed = cli(*words, "--input", '{"command": "typed"}', "--session", "t")
    assert the_outcome(typed)["stderr"] == "t typed"


def test_a_prompt_is_guarded_like_a_tool(cli, project):
    refuses = """case "$(cat)" in *password*) echo "no secrets" >&2; exit 2;; esac"""
    project.script(".claude/hooks/pre/user-prompt-submit.sh", guard_text(refuses))
    ended = cli("emit", "prompt", "--prompt", "my password is", "--format", "json")
    assert ruling(ended) == DENIED_BY_GUARD
    assert cli("emit", "UserPromptSubmit", "--prompt", "hello").code == 0
    assert cli("emit", "before_agent_start", "--prompt", "password").code == 2


def test_a_tool_that_nobody_knows_is_one_problem_with_the_nearest_name(cli, project):
    project.script(BASH_GUARD, DENY)
    project.script(".claude/hooks/pre/_all.sh", PASS)
    for _ in range(2):
        ended = cli("emit", "pre", "--tool", "Shel", "--format", "json")
        assert ended.code == 0
        (problem,) = ended.document["problems"]
        assert problem["message"] == "no agent has a tool 'Shel'"
        assert problem["hint"].startswith("did you mean Shell?")
    (project.path / ".hookrun").mkdir()
    (project.path / ".hookrun/config.yaml").write_text("tools: {Shel: shell}\n")
    ended = cli("emit", "pre", "--tool", "Shel", "--format", "json")
    assert (ended.code, problems_of(ended)) == (2, "")


def test_warnings_go_to_stderr_and_quiet_leaves_them_out(cli, project):
    project.script(BASH_GUARD, PASS, mode=0o644)
    told = cli("emit", "pre", *SHELL)
    assert "chmod +x" in told.stderr
    assert "chmod +x" not in told.stdout
    assert cli("emit", "pre", *SHELL, "-q").stderr == ""


def test_a_failure_that_decides_nothing_is_shown_on_stderr(cli, project):
    project.script(".claude/hooks/post/bash.sh", guard_text("exit 7"))
    told = cli("emit", "post", *SHELL)
    assert told.code == 0
    assert told.stderr.startswith("warning: .claude/hooks/post/bash.sh: failed: exit 7; hint: ")
    project.script(".claude/hooks/post/bash.sh", PASS)
    assert cli("emit", "post", *SHELL).stderr == ""
