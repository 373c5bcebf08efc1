"""An outcome becomes an answer: kinds of hook, ways to end, roles and events."""

from __future__ import annotations

import pytest
from answer_values import a_hook, a_trigger, an_event, ended, printed
from sweeps import sweep

from hookrun.answers.answer import read_answer
from hookrun.model.events import EVENTS
from hookrun.model.values import Answer, Outcome, Verdict

DENY = '{"decision": "deny", "reason": "no"}'


def gist(answer: Answer) -> tuple[str, str | None, str | None]:
    return answer.status, answer.verdict.word, answer.decided_by


@pytest.mark.parametrize("kind", ["script", "hook"])
@pytest.mark.parametrize("role", ["guard", "observer"])
def test_exit_2_denies_with_stderr_as_the_reason(kind: str, role: str) -> None:
    answer = read_answer(a_hook(kind=kind, role=role), ended(2, stderr=" no\nnever \n"), an_event())
    assert gist(answer) == ("ran", "deny", "guard")
    assert answer.message == "no\nnever"


@pytest.mark.parametrize(
    ("stdout", "message"),
    [
        ("", "denied without a reason (exit 2, nothing on stderr)"),
        ("some text", "denied without a reason (exit 2, nothing on stderr)"),
        ('{"decision": "allow", "reason": "fine"}', "denied without a reason (exit 2, nothing on stderr)"),
        ('{"decision": "ask", "reason": "hm"}', "denied without a reason (exit 2, nothing on stderr)"),
        ('{"decision": "al', "denied without a reason (exit 2, nothing on stderr)"),
        (DENY, "no"),
        ("checking\n" + DENY, "no"),
    ],
)
def test_exit_2_denies_whatever_stdout_says(stdout: str, message: str) -> None:
    answer = read_answer(a_hook(), ended(2, stdout), an_event())
    assert gist(answer) == ("ran", "deny", "guard")
    assert answer.message == message
    assert answer.context == ()


def test_stderr_is_the_reason_of_exit_2_before_a_message_on_stdout() -> None:
    assert read_answer(a_hook(), ended(2, DENY, "from stderr"), an_event()).message == "from stderr"


def test_exit_2_with_a_halt_on_stdout_halts_as_well() -> None:
    answer = read_answer(a_hook(), ended(2, '{"continue": false, "systemMessage": "hey"}', "no"), an_event())
    assert (answer.verdict, answer.halt, answer.user_messages) == (Verdict.DENY, True, ("hey",))
    assert not read_answer(a_hook(), ended(2, DENY, "no"), an_event()).halt


def test_text_of_exit_0_is_context() -> None:
    answer = printed("\ufeff  remember\nthis \n")
    assert gist(answer) == ("ran", None, None)
    assert answer.context == ("remember\nthis",)
    assert answer.hint is None
    assert answer.message == ""


def test_a_silent_hook_says_nothing() -> None:
    answer = printed(" \n", "a log line")
    assert gist(answer) == ("ran", None, None)
    assert (answer.context, answer.hint, answer.message, answer.problems) == ((), None, "", ())


def test_marked_text_is_a_hint_on_a_tool_event_and_context_on_others() -> None:
    on_tool = printed("md|# done\n")
    assert on_tool.hint is not None
    assert (on_tool.hint.text, on_tool.hint.format, on_tool.context) == ("# done", "md", ())
    on_stop = printed("diff|+x", event="AgentStop")
    assert (on_stop.hint, on_stop.context) == (None, ("+x",))
    one_agents = read_answer(a_hook(), ended(0, "md|x"), an_event("PermissionRequest", tool_name="Shell"))
    assert one_agents.hint is not None
    assert printed("md|").context == ()


@pytest.mark.parametrize("sign", ["+", "-", " ", "@"])
@pytest.mark.parametrize("before", ["diff|", "diff|--- a\n"])
def test_a_decision_inside_the_lines_of_a_diff_is_text(sign: str, before: str) -> None:
    line = f'{sign}{{"decision": "deny"}}'
    answer = printed(before + line)
    assert (answer.status, answer.verdict, answer.problems) == ("ran", Verdict.NO_OPINION, ())
    assert answer.hint is not None
    assert answer.hint.text.endswith(line)
    assert printed(f"x\n{line}").verdict == Verdict.DENY  # the same line outside of a diff


@pytest.mark.parametrize("line", ['{"decision": "deny"}', 'x{"decision": "deny"}', '\\{"decision": "deny"}'])
def test_a_decision_outside_the_lines_of_a_diff_counts(line: str) -> None:
    assert printed(f"diff|+new\n{line}").verdict == Verdict.DENY


@pytest.mark.parametrize("mark", ["md|", "diff|"])
def test_a_mark_before_a_decision_does_not_hide_it(mark: str) -> None:
    answer = printed(f'{mark}checking\n{{"decision": "deny", "reason": "no"}}')
    assert (answer.verdict, answer.message) == (Verdict.DENY, "no")
    assert "counts only where it is stricter" in answer.problems[0].message
    assert printed(f'{mark}checking\n{{"decision": "allow"}}').verdict == Verdict.NO_OPINION
    assert printed(f'{mark}checking\n{{"decision": "de').status == "failed"


@pytest.mark.parametrize("event", ["PreToolUse", "UserPromptSubmit"])
@pytest.mark.parametrize(
    ("rule", "verdict", "decided_by"),
    [("deny", "deny", "failure"), ("ask", "ask", "failure"), ("allow", None, None), ("nonsense", "deny", "failure")],
)
def test_a_failing_guard_follows_on_failure(event: str, rule: str, verdict: str | None, decided_by: str | None) -> None:
    by_default = read_answer(a_hook(), ended(1), an_event(event), on_failure=rule)
    assert gist(by_default) == ("failed", verdict, decided_by)
    by_hook = read_answer(a_hook(on_failure=rule), ended(1), an_event(event), on_failure="ask")
    assert gist(by_hook) == ("failed", verdict, decided_by)
    assert by_hook.message


@sweep("name", [*sorted(set(EVENTS) - {"PreToolUse", "UserPromptSubmit"}), "never_heard_of"])
def test_a_failure_denies_on_no_other_event(name: str) -> None:
    for outcome in (ended(1), ended(0, '{"decision": "maybe"}'), Outcome(status="timed_out", seconds=1.0)):
        answer = read_answer(a_hook(), outcome, an_event(name))
        assert (answer.verdict, answer.decided_by) == (Verdict.NO_OPINION, None)
        assert answer.message
        assert read_answer(a_hook(), outcome, an_event()).verdict == Verdict.DENY


def test_a_failing_observer_is_shown_and_changes_nothing() -> None:
    answer = read_answer(a_hook(role="observer"), ended(1, stderr="oops"), an_event())
    assert gist(answer) == ("failed", None, None)
    assert "oops" in answer.message


def test_an_explicit_answer_of_an_observer_counts() -> None:
    answer = printed('{"decision": "ask", "reason": "sure?"}', role="observer")
    assert (*gist(answer), answer.message) == ("ran", "ask", "guard", "sure?")


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (Outcome(status="killed", signal=9), "killed"),
        (Outcome(status="timed_out", seconds=10.0), "timed_out"),
        (Outcome(status="not_started", cause="CRLF line endings"), "not_started"),
        (ended(0, '{"decision": 1}'), "failed"),
        (ended(3), "failed"),
        (Outcome(status="unheard of"), "failed"),
    ],
)
def test_every_way_to_fail_is_told_apart_and_closes_the_gate(outcome: Outcome, status: str) -> None:
    assert gist(read_answer(a_hook(), outcome, an_event())) == (status, "deny", "failure")


def test_guards_over_the_limit_deny_and_observers_do_not() -> None:
    outcome = Outcome(status="over_limit", cause="15 guards match, at most 10 run: raise limits.process_hooks")
    answer = read_answer(a_hook(), outcome, an_event())
    assert gist(answer) == ("over_limit", "deny", "limit")
    assert answer.message == f"did not run: {outcome.cause}"
    observer = read_answer(a_hook(role="observer"), outcome, an_event())
    assert (*gist(observer), observer.message) == ("over_limit", None, None, answer.message)
    assert gist(read_answer(a_hook(), outcome, an_event("AgentStop"))) == ("over_limit", None, None)
    assert gist(read_answer(a_trigger(role="guard"), outcome, an_event())) == ("over_limit", None, None)
    assert "limits.process_hooks" in read_answer(a_hook(), Outcome(status="over_limit"), an_event()).message


@pytest.mark.parametrize("status", ["untrusted", "planned"])
def test_hooks_that_were_not_tried_have_no_verdict(status: str) -> None:
    answer = read_answer(a_hook(), Outcome(status=status, cause="not trusted"), an_event())
    assert (*gist(answer), answer.message) == (status, None, None, "not trusted")


def test_the_output_of_a_hint_trigger_is_its_hint() -> None:
    answer = read_answer(a_trigger(), ended(0, "warn|careful\nmore"), an_event("PostToolUse"))
    assert answer.hint is not None
    assert (answer.hint.style, answer.hint.text) == ("warn", "careful")
    assert answer.context == ()


def test_a_hint_trigger_on_an_event_without_a_tool_is_a_problem() -> None:
    answer = read_answer(a_trigger(), ended(0, "x"), an_event("AgentStop"))
    assert answer.hint is None
    assert "AgentStop is about no tool" in answer.problems[0].message
    assert read_answer(a_trigger(), ended(0, ""), an_event("AgentStop")).problems == ()


def test_a_widget_gives_no_hint_and_no_context() -> None:
    answer = read_answer(a_trigger("infoBar"), ended(0, "main"), an_event("PostToolUse"))
    assert (answer.status, answer.hint, answer.context, answer.problems) == ("ran", None, (), ())


def test_a_decision_of_a_trigger_is_mere_text_and_a_problem() -> None:
    answer = read_answer(a_trigger(role="guard"), ended(0, DENY), an_event())
    assert gist(answer) == ("ran", None, None)
    assert answer.hint is not None
    assert answer.hint.text == DENY
    assert "ui triggers cannot decide" in answer.problems[0].message
    assert answer.problems[0].source == answer.hook.file
    for harmless in ('{"branch": "main"}', "md|" + DENY, '{"event": "PreToolUse", "event_id": "e1"}'):
        assert read_answer(a_trigger(), ended(0, harmless), an_event()).problems == ()


@pytest.mark.parametrize("exit_code", [1, 2])
def test_a_trigger_that_fails_is_shown_and_never_a_verdict(exit_code: int) -> None:
    answer = read_answer(a_trigger(role="guard"), ended(exit_code, DENY, "oops"), an_event())
    assert gist(answer) == ("failed", None, None)
    assert "oops" in answer.message
    assert answer.hint is None
