"""What hooks say, well or badly: a no always counts, a yes only when it is clear, a failure is no answer."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from command import HOOKRUN
from firing import (
    ALLOWED_BY_SILENCE,
    BASH_GUARD,
    DENIED_BY_FAILURE,
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

ALLOWED = (0, "allow", "guard")
ASKED = (3, "ask", "guard")
DEFERRED = (4, "defer", "guard")


def says(*lines: str, code: int = 0) -> str:
    """The text of a guard that prints *lines* as they are, and ends with *code*."""
    return guard_text("cat <<'END'", *lines, "END", f"exit {code}")


def answered(cli, project, text):
    project.script(BASH_GUARD, text)
    return before_shell(cli)


def test_exit_two_without_a_word_denies_with_a_reason_of_ours(cli, project):
    ended = answered(cli, project, guard_text("exit 2"))
    assert ruling(ended) == DENIED_BY_GUARD
    assert ended.document["message"] == f"{BASH_GUARD}: denied without a reason (exit 2, nothing on stderr)"


@pytest.mark.parametrize(
    "stdout",
    ['{"decision": "allow"}', '{"decision": "allow", "reason": ', '{"hookSpecificOutput": {}}', "fine"],
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
        (
            {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "r"}},
            DENIED_BY_GUARD,
        ),
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
def test_every_shape_and_word_of_an_answer_means_what_it_says_and_no_other_allows(
    cli, project, answer, expected
):
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
def test_an_answer_that_does_not_stand_alone_counts_only_where_it_is_stricter(
    cli, project, lines, expected, told
):
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


def test_fifteen_guards_are_more_than_may_run_and_ten_are_not(cli, project, tmp_path):
    for number in range(15):
        project.script(f".hookrun/hooks/pre/bash/{number}.sh", marker_script(tmp_path, f"ran{number}"))
    ended = before_shell(cli)
    assert ruling(ended) == (2, "deny", "limit")
    assert "raise limits.process_hooks" in ended.document["message"]
    assert {outcome["status"] for outcome in ended.document["outcomes"]} == {"over_limit"}
    assert not list(tmp_path.glob("ran*"))
    for number in range(10, 15):
        (project.path / f".hookrun/hooks/pre/bash/{number}.sh").unlink()
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    assert len(list(tmp_path.glob("ran*"))) == 10


def test_the_limit_can_be_raised(cli, project):
    for number in range(15):
        project.script(f".hookrun/hooks/pre/bash/{number}.sh", PASS)
    (project.path / ".hookrun/config.yaml").write_text("limits: {process_hooks: 15}\n")
    ended = before_shell(cli)
    assert ruling(ended) == ALLOWED_BY_SILENCE
    assert [outcome["status"] for outcome in ended.document["outcomes"]] == ["ran"] * 15


def test_observers_make_room_for_guards_and_those_that_did_not_run_are_named(cli, project):
    triggers = {"slot": "footer", "triggers": ["PreToolUse:Shell"]}
    project.manifest("shown", script="exit 0", ui=[{"id": f"w{number}", **triggers} for number in range(7)])
    for number in range(8):
        project.script(f".hookrun/hooks/pre/bash/{number}.sh", PASS)
    ended = before_shell(cli)
    assert ruling(ended) == ALLOWED_BY_SILENCE
    statuses = {outcome["title"]: outcome["status"] for outcome in ended.document["outcomes"]}
    assert list(statuses.values()).count("ran") == 10
    cut = [title for title, status in statuses.items() if status == "over_limit"]
    assert cut == [f"shown/w{number}" for number in range(2, 7)]
    assert f"{', '.join(cut)} did not run" in problems_of(ended)


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
    return subprocess.run(
        words, cwd=project.path, env=environment, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize("streams", [">&-", "<&- >&-", "<&- >&- 2>&-", ">/dev/full", ">/dev/full 2>&1"])
def test_a_guarded_event_is_denied_when_nobody_can_be_told_the_decision(
    cli, project, user_environment, streams
):
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


def two_guards(project, first, second):
    project.script(".hookrun/hooks/pre/1-bash.sh", first)
    project.script(".hookrun/hooks/pre/2-bash.sh", second)


def rewrite(command, **more):
    return json.dumps({"decision": "allow", "updatedInput": {"command": command}, **more})


def test_a_rewrite_is_kept_beside_a_silent_guard_whichever_is_faster(cli, project, tmp_path):
    flag = tmp_path / "flag"
    waits = f"until [ -e {flag} ]; do sleep 0.01; done"
    signals = f"touch {flag}"
    for first, second in ((waits, signals), (signals, waits)):
        flag.unlink(missing_ok=True)
        two_guards(project, guard_text(first, f"echo '{rewrite('ls')}'"), guard_text(second))
        ended = before_shell(cli)
        assert ruling(ended) == ALLOWED
        assert ended.document["updated_input"] == {"command": "ls"}


def test_of_two_rewrites_the_first_in_order_counts_and_the_other_is_named(cli, project):
    two_guards(project, guard_text(f"sleep 0.2; echo '{rewrite('a')}'"), guard_text(f"echo '{rewrite('b')}'"))
    ended = before_shell(cli)
    assert ended.document["updated_input"] == {"command": "a"}
    assert "its rewritten input is lost" in problems_of(ended)


def test_a_serial_guard_sees_and_replaces_what_the_one_before_it_rewrote(cli, project):
    appends = (
        "# hookrun: serial=true",
        """printf '{"decision": "allow", "updatedInput": {"command": "%s b"}}' "$HOOKRUN_COMMAND\"""",
    )
    two_guards(project, guard_text(f"echo '{rewrite('a')}'"), guard_text(*appends))
    ended = before_shell(cli)
    assert ended.document["updated_input"] == {"command": "a b"}
    assert problems_of(ended) == ""
    two_guards(project, PASS, guard_text(*appends))
    assert before_shell(cli).document["updated_input"] == {"command": "x b"}


def test_a_denied_call_is_not_rewritten(cli, project):
    two_guards(project, guard_text(f"echo '{rewrite('a')}'"), PASS)
    assert before_shell(cli).document["updated_input"] == {"command": "a"}
    two_guards(project, guard_text(f"echo '{rewrite('a')}'"), DENY)
    assert before_shell(cli).document["updated_input"] is None


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("allow", "ask"), ASKED),
        (("ask", "allow"), ASKED),
        (("defer", "ask"), DEFERRED),
        (("ask", "defer"), DEFERRED),
        (("deny", "defer"), DENIED_BY_GUARD),
        (("allow", "deny"), DENIED_BY_GUARD),
        (("allow", "allow"), ALLOWED),
    ],
)
def test_the_strictest_of_several_answers_decides_in_any_order(cli, project, words, expected):
    first, second = (says(json.dumps({"decision": word, "reason": word})) for word in words)
    two_guards(project, first, second)
    ended = before_shell(cli)
    assert ruling(ended) == expected
    strictest = ended.document["decision"]
    assert ended.document["message"].splitlines()[0].endswith(f": {strictest}")


def test_reasons_come_in_the_order_of_hooks_each_with_its_hook(cli, project):
    two_guards(project, guard_text("sleep 0.2; echo one >&2; exit 2"), guard_text("echo two >&2; exit 2"))
    assert before_shell(cli).document["message"].splitlines() == [
        ".hookrun/hooks/pre/1-bash.sh: one",
        ".hookrun/hooks/pre/2-bash.sh: two",
    ]


def test_a_no_outweighs_a_failure_in_who_decided(cli, project):
    two_guards(project, guard_text("exit 1"), PASS)
    assert ruling(before_shell(cli)) == DENIED_BY_FAILURE
    two_guards(project, guard_text("exit 1"), DENY)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


def test_a_slow_guard_is_ended_at_the_limit_of_the_event(cli, project):
    project.script(BASH_GUARD, guard_text("exec sleep 60"))
    ended = before_shell(cli, "--timeout", "0.5")
    assert ruling(ended) == DENIED_BY_FAILURE
    assert the_outcome(ended)["status"] == "timed_out"
    project.script(BASH_GUARD, guard_text("exec sleep 0.1"))
    assert ruling(before_shell(cli, "--timeout", "30")) == ALLOWED_BY_SILENCE
