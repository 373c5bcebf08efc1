"""Several hooks for one event: the strictest decides, whichever is faster, and nobody is cut in silence."""

from __future__ import annotations

import json

import pytest
from firing import (
    ALLOWED,
    ALLOWED_BY_SILENCE,
    ASKED,
    BASH_GUARD,
    DEFERRED,
    DENIED_BY_FAILURE,
    DENIED_BY_GUARD,
    DENY,
    PASS,
    before_shell,
    guard_text,
    marker_script,
    problems_of,
    ruling,
    says,
    the_outcome,
)


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


def test_a_serial_guard_sees_the_first_of_two_rewrites_before_it(cli, project):
    appends = (
        "# hookrun: serial=true",
        """printf '{"decision": "allow", "updatedInput": {"command": "%s c"}}' "$HOOKRUN_COMMAND\"""",
    )
    project.script(".claude/hooks/pre/bash/1.sh", guard_text(f"sleep 0.2; echo '{rewrite('a')}'"))
    project.script(".claude/hooks/pre/bash/2.sh", guard_text(f"echo '{rewrite('b')}'"))
    project.script(".claude/hooks/pre/bash/3.sh", guard_text(*appends))
    assert before_shell(cli).document["updated_input"] == {"command": "a c"}


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
