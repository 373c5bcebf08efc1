"""What hooks say, well or badly: a no always counts, a yes only when it is clear, a failure is no answer."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from command import HOOKRUN
from firing import (
    ALLOWED,
    ALLOWED_BY_SILENCE,
    ASKED,
    BASH_GUARD,
    DEFERRED,
    DENIED_BY_FAILURE,
    DENIED_BY_GUARD,
    DENY,
    NO,
    PASS,
    after_shell,
    before_shell,
    guard_text,
    problems_of,
    ruling,
    says,
    the_outcome,
)


def answered(cli, project, text):
    project.script(BASH_GUARD, text)
    return before_shell(cli)


def test_exit_two_without_a_word_denies_with_a_reason_of_ours(cli, project):
    ended = answered(cli, project, guard_text("exit 2"))
    assert ruling(ended) == DENIED_BY_GUARD
    assert ended.document["message"] == f"{BASH_GUARD}: denied without a reason (exit 2, nothing on stderr)"


@pytest.mark.parametrize(
    "stdout", ['{"decision": "allow"}', '{"decision": "allow", "reason": ', '{"hookSpecificOutput": {}}', "fine"]
)
def test_exit_two_denies_whatever_stdout_says(cli, project, stdout):
    assert ruling(answered(cli, project, says(stdout, code=2))) == DENIED_BY_GUARD


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"decision": "allow"}, ALLOWED),
        ({"decision": "approve"}, ALLOWED),
        ({"decision": "deny", "reason": "r"}, DENIED_BY_GUARD),
        ({"decision": "block", "reason": "r"}, DENIED_BY_GUARD),
        ({"decision": "DENY", "message": "r"}, DENIED_BY_GUARD),
        ({"decision": "Ask"}, ASKED),
        ({"decision": "defer"}, DEFERRED),
        ({"hook_result": {"decision": "deny", "message": "r"}}, DENIED_BY_GUARD),
        ({"hookResult": {"decision": "ask"}}, ASKED),
        ({"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "r"}}, DENIED_BY_GUARD),
        ({"hookSpecificOutput": {"permissionDecision": "allow"}}, ALLOWED),
        ({"block": True, "reason": "r"}, DENIED_BY_GUARD),
        ({"continue": False, "stopReason": "r"}, DENIED_BY_GUARD),
        ({}, ALLOWED_BY_SILENCE),
        ({"something": "else"}, ALLOWED_BY_SILENCE),
        ({"decision": "maybe"}, DENIED_BY_FAILURE),
        ({"decision": 1}, DENIED_BY_FAILURE),
        ({"decision": ["allow"]}, DENIED_BY_FAILURE),
        ({"hookSpecificOutput": {"permissionDecision": "yes"}}, DENIED_BY_FAILURE),
    ],
    ids=lambda value: json.dumps(value) if isinstance(value, dict) else "",
)
def test_every_shape_and_word_of_an_answer_means_what_it_says_and_no_other_allows(cli, project, answer, expected):
    ended = answered(cli, project, says(json.dumps(answer)))
    assert ruling(ended) == expected
    assert ended.document["halt"] == ("continue" in answer)
    if expected == DENIED_BY_GUARD:
        assert ended.document["message"] == f"{BASH_GUARD}: r"


@pytest.mark.parametrize(
    ("lines", "expected", "told"),
    [
        (["checking", '{"decision": "deny", "reason": "r"}'], DENIED_BY_GUARD, "other text around it"),
        (["checking", '{"decision": "allow"}'], ALLOWED_BY_SILENCE, "other text around it"),
        (['{"decision": "allow"}', '{"decision": "deny"}'], DENIED_BY_GUARD, "2 JSON documents"),
        (['{"decision": "allow"}', '{"decision": "allow"}'], ALLOWED_BY_SILENCE, "2 JSON documents"),
    ],
)
def test_an_answer_that_does_not_stand_alone_counts_only_where_it_is_stricter(cli, project, lines, expected, told):
    ended = answered(cli, project, says(*lines))
    assert ruling(ended) == expected
    assert told in problems_of(ended)


@pytest.mark.parametrize(("word", "expected"), [("deny", DENIED_BY_GUARD), ("allow", ALLOWED_BY_SILENCE)])
def test_an_answer_on_stderr_counts_only_where_it_is_stricter(cli, project, word, expected):
    ended = answered(cli, project, guard_text(f"""echo '{{"decision": "{word}"}}' >&2"""))
    assert ruling(ended) == expected
    assert "its answer is on stderr" in problems_of(ended)


def test_a_hook_that_echoes_its_stdin_has_no_opinion(cli, project):
    assert ruling(answered(cli, project, guard_text("cat"))) == ALLOWED_BY_SILENCE
    echo_with_answer = guard_text("""sed 's/^{/{"decision": "deny", /'""")
    assert ruling(answered(cli, project, echo_with_answer)) == DENIED_BY_GUARD


def test_a_pipe_that_breaks_in_a_guard_is_a_failure_named_after_its_signal(cli, project):
    lines = ("set -euo pipefail", "seq 1 200000 | head -1")
    ended = answered(cli, project, guard_text(*lines, shell="/bin/bash"))
    assert ruling(ended) == DENIED_BY_FAILURE
    assert the_outcome(ended)["exit_code"] == 141
    assert "killed by SIGPIPE" in ended.document["message"]
    allowing = guard_text("# hookrun: on-failure=allow", *lines, shell="/bin/bash")
    assert ruling(answered(cli, project, allowing)) == ALLOWED_BY_SILENCE
    assert "killed by SIGPIPE" in cli("emit", "pre", "--tool", "Shell").stderr


def test_a_guard_that_is_killed_is_killed_and_no_success(cli, project):
    ended = answered(cli, project, guard_text("kill -KILL $$"))
    assert ruling(ended) == DENIED_BY_FAILURE
    outcome = the_outcome(ended)
    assert (outcome["status"], outcome["exit_code"], outcome["signal"]) == ("killed", None, 9)
    assert "killed by signal 9 (SIGKILL)" in ended.document["message"]


def test_a_no_after_the_tool_has_run_is_feedback(cli, project):
    project.script(".claude/hooks/post/bash.sh", DENY)
    ended = after_shell(cli)
    assert ruling(ended) == ALLOWED_BY_SILENCE
    assert ended.document["feedback"] == [NO]
    assert f"feedback: {NO}" in cli("emit", "post", "--tool", "Shell").stdout


@pytest.mark.parametrize("event", ["AgentStop", "SubAgentStop", "PreCompact"])
def test_only_an_explicit_no_stops_an_agent_from_stopping(cli, project, event):
    manifest = project.manifest("stopper", script=DENY, hooks=[{"event": event}])
    assert cli("emit", event).code == 2
    (manifest.parent / "hook.sh").write_text("exit 1\n")
    ended = cli("emit", event, "--format", "json")
    assert ruling(ended) == ALLOWED_BY_SILENCE
    assert the_outcome(ended)["status"] == "failed"


def test_an_observer_that_fails_is_shown_and_changes_nothing(cli, project):
    text = "#!/bin/sh\n# hookrun: role=observer\nexit 7\n"
    assert ruling(answered(cli, project, text)) == ALLOWED_BY_SILENCE
    assert "exit 7" in cli("emit", "pre", "--tool", "Shell").stderr
    assert ruling(answered(cli, project, text.replace("observer", "guard"))) == DENIED_BY_FAILURE


def emit_into(streams, project, environment, event="PreToolUse"):
    """Emit with the redirections of a shell that *streams* are."""
    words = ["sh", "-c", f"exec '{HOOKRUN}' emit {event} --tool Shell {streams}"]
    return subprocess.run(words, cwd=project.path, env=environment, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("streams", [">&-", "<&- >&-", "<&- >&- 2>&-", ">/dev/full", ">/dev/full 2>&1"])
def test_a_guarded_event_is_denied_when_nobody_can_be_told_the_decision(cli, project, user_environment, streams):
    project.script(BASH_GUARD, PASS)
    assert emit_into("", project, user_environment).returncode == 0
    assert emit_into(streams, project, user_environment).returncode == 2
    project.script(".claude/hooks/post/bash.sh", guard_text("echo 'md|a hint'"))
    assert emit_into("", project, user_environment, "PostToolUse").returncode == 0
    assert emit_into(streams, project, user_environment, "PostToolUse").returncode == 70
    assert cli("hints").stdout == "a hint\n"  # what was not printed has not gone into the database


@pytest.mark.parametrize("streams", ["<&-", "2>&-", "<&- 2>&-", "2>/dev/full"])
def test_only_a_closed_stdout_is_in_the_way_of_a_decision(project, user_environment, streams):
    project.script(BASH_GUARD, DENY)
    ended = emit_into(streams, project, user_environment)
    assert (ended.returncode, ended.stdout) == (2, f"deny: {BASH_GUARD}: {NO}\n")
    project.script(BASH_GUARD, guard_text("# hookrun: on-failure=allow", "exit 1"))
    assert emit_into(streams, project, user_environment).returncode == 0


def test_a_guarded_event_is_denied_when_its_reader_has_gone(project, user_environment):
    project.script(BASH_GUARD, PASS)
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [HOOKRUN, "emit", "pre", "--tool", "Shell"],
            cwd=project.path,
            env=user_environment,
            stdin=subprocess.DEVNULL,
            stdout=write,
            stderr=subprocess.PIPE,
            timeout=60,
        )
    finally:
        os.close(write)
    assert done.returncode == 2
