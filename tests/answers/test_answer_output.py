"""JSON that a hook printed: words, shapes, and what only counts where it is stricter."""

from __future__ import annotations

import json
from typing import Any

import pytest
from answer_values import a_hook, an_event, ended, printed
from sweeps import sweep

from hookrun.answers.answer import read_answer
from hookrun.model.values import Answer, Verdict


def said(document: Any, **more: Any) -> Answer:
    return printed(json.dumps(document), **more)


def messages(answer: Answer) -> str:
    return "\n".join(problem.message for problem in answer.problems)


@pytest.mark.parametrize(
    ("word", "verdict"),
    [
        ("allow", "allow"),
        ("approve", "allow"),
        ("deny", "deny"),
        ("block", "deny"),
        ("ask", "ask"),
        ("defer", "defer"),
        ("DENY", "deny"),
        ("Approve", "allow"),
    ],
)
def test_decision_words_count_in_any_case(word: str, verdict: str) -> None:
    answer = said({"decision": word, "message": "m"})
    assert (answer.verdict.word, answer.decided_by, answer.message) == (verdict, "guard", "m")
    assert answer.status == "ran"
    assert answer.problems == ()
    assert answer.context == ()


@sweep("word", ["maybe", "", " allow", "allowed", 1, 0, True, False, 1.5, ["deny"], {"a": 1}])
def test_any_other_decision_is_a_failure_and_never_an_allow(word: Any) -> None:
    for document in ({"decision": word}, {"hookSpecificOutput": {"permissionDecision": word}}):
        answer = said(document)
        assert (answer.status, answer.verdict, answer.decided_by) == ("failed", Verdict.DENY, "failure")
        assert said(document, on_failure="allow").verdict == Verdict.NO_OPINION


@sweep(
    "document",
    [
        {"decision": "deny", "reason": "no"},
        {"hook_result": {"decision": "deny", "message": "no"}},
        {"hookResult": {"decision": "block", "reason": "no"}},
        {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}},
        {"hook_result": {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}}},
        {"block": True, "reason": "no"},
        {"continue": False, "stopReason": "no"},
        {"decision": "allow", "reason": "yes", "hookResult": {"decision": "deny", "reason": "no"}},
        {"decision": "deny", "reason": "no", "hookResult": {"decision": "ask", "reason": "hm"}},
        {"decision": "deny", "hookSpecificOutput": {"permissionDecisionReason": "no"}},
        {"decision": "deny", "message": "no", "reason": "no"},
        {"decision": "deny", "message": ["no"]},
    ],
)
def test_every_shape_denies_with_its_reason(document: dict[str, Any]) -> None:
    answer = said(document)
    assert (answer.verdict, answer.message) == (Verdict.DENY, "no")
    assert answer.halt == ("continue" in document)
    assert answer.problems == ()


@sweep(
    "document",
    [
        {},
        {"decision": None},
        {"block": None},
        {"block": False, "reason": "fine"},
        {"continue": True},
        {"hook_result": None},
        {"hookSpecificOutput": {"hookEventName": "PreToolUse"}, "suppressOutput": True},
        {"branch": "main"},
        {"event": "PreToolUse", "event_id": "e1", "tool_input": {"decision": "deny"}},
        {"hook_event_name": "PreToolUse", "event_id": "e1", "message": "allow"},
    ],
)
def test_json_that_decides_nothing_is_no_opinion_and_no_context(document: dict[str, Any]) -> None:
    answer = said(document)
    assert (answer.status, answer.verdict, answer.decided_by) == ("ran", Verdict.NO_OPINION, None)
    assert (answer.context, answer.problems) == ((), ())


@pytest.mark.parametrize(
    "document",
    [
        {"block": "yes"},
        {"block": 1},
        {"continue": "false"},
        {"continue": 0},
        {"updatedInput": "ls"},
        {"updated_input": ["ls"]},
        {"hook_result": "deny"},
        {"hookSpecificOutput": []},
    ],
)
def test_a_value_of_the_wrong_type_that_could_decide_is_a_failure(document: dict[str, Any]) -> None:
    assert said({"decision": "allow"} | document).status == "failed"


def test_a_deny_stays_a_deny_whatever_else_is_wrong_with_the_answer() -> None:
    answer = said({"decision": "deny", "reason": "no", "updatedInput": "x"}, on_failure="allow")
    assert (answer.status, answer.verdict, answer.decided_by) == ("ran", Verdict.DENY, "guard")
    assert "updatedInput" in messages(answer)
    asked = {"decision": "ask", "updatedInput": "x"}
    assert said(asked, on_failure="allow").verdict == Verdict.ASK
    assert said(asked).verdict == Verdict.DENY


def test_without_a_message_the_reason_is_stderr() -> None:
    assert printed('{"decision": "deny"}', " because \n").message == "because"
    assert printed('{"decision": "ask"}').message == "answered ask without a reason"
    assert printed('{"decision": "allow"}', "a log line").message == ""


def test_everything_beside_the_decision_is_handed_on() -> None:
    answer = said(
        {
            "decision": "allow",
            "updatedInput": {"command": "ls -l"},
            "context": "one",
            "additionalContext": ["two", "three", " "],
            "hookSpecificOutput": {"additionalContext": "four"},
            "systemMessage": "for the user",
            "feedback": ["f1", "f2"],
            "data": {"a": 1},
            "hookResult": {"data": {"a": 2, "b": 3}, "updated_input": {"command": "lost"}},
        }
    )
    assert answer.updated_input == {"command": "ls -l"}
    assert answer.context == ("one", "two", "three", "four")
    assert answer.user_messages == ("for the user",)
    assert answer.feedback == ("f1", "f2")
    assert answer.data == {"a": 1, "b": 3}
    assert answer.problems == ()


def test_a_rewrite_is_kept_unless_the_verdict_is_deny() -> None:
    rewrite = {"updated_input": {"command": "ls"}}
    assert said(rewrite).updated_input == {"command": "ls"}
    assert said(rewrite | {"decision": "ask"}).updated_input == {"command": "ls"}
    assert said(rewrite | {"decision": "deny"}).updated_input is None


def test_a_rewrite_where_there_is_no_input_is_a_problem() -> None:
    answer = said({"updatedInput": {"command": "ls"}}, event="PostToolUse")
    assert answer.updated_input is None
    assert "PostToolUse has no input to rewrite" in messages(answer)


def test_an_unknown_key_beside_known_ones_is_a_problem_that_names_the_nearest() -> None:
    answer = said({"decision": "deny", "reson": "x", "hookSpecificOutput": {"qqqq": 1}})
    assert answer.verdict == Verdict.DENY
    assert [(problem.message, problem.hint) for problem in answer.problems] == [
        ('its answer has an unknown key "reson"', 'did you mean "reason"?'),
        ('its answer has an unknown key "qqqq"', "it has no effect, leave it out"),
    ]
    assert (answer.problems[0].source, answer.problems[0].where) == (answer.hook.file, answer.hook.title)


def test_a_misspelled_decision_alone_is_a_bad_answer() -> None:
    for document in ({"decison": "deny"}, {"Decision": "deny"}):
        answer = said(document)
        assert (answer.verdict, answer.decided_by) == (Verdict.DENY, "failure")
        assert "the key is decision" in answer.message
    assert said({"decison": "allow"}).problems[0].hint == 'did you mean "decision"?'
    assert said({"description": "deny"}).problems == ()


def test_values_that_are_no_text_are_left_out_and_told() -> None:
    answer = said({"decision": "deny", "reason": 5, "context": {"a": 1}, "data": [1]})
    assert (answer.verdict, answer.context, answer.data) == (Verdict.DENY, (), None)
    assert '"reason" in its answer is not text' in messages(answer)
    assert '"context" in its answer is not text' in messages(answer)
    assert '"data" in its answer is not an object' in messages(answer)


@pytest.mark.parametrize(
    "text",
    [
        '{"decision": "deny", "decision": "allow"}',
        '{"decision": "allow", "decision": "deny"}',
        '{"hookResult": {"decision": "deny"}, "hookResult": {"decision": "allow"}}',
        '{"hookResult": {"decision": "deny", "decision": "allow"}}',
        '{"block": true, "block": false}',
        '{"continue": false, "continue": true}',
    ],
)
def test_of_a_key_given_twice_the_stricter_value_counts(text: str) -> None:
    answer = printed(text)
    assert answer.verdict == Verdict.DENY
    assert "more than once" in messages(answer)


def test_an_unknown_key_given_twice_is_only_unknown() -> None:
    answer = printed('{"decision": "deny", "qqqq": 1, "qqqq": 2}')
    assert messages(answer) == 'its answer has an unknown key "qqqq"'


def test_repeated_keys_in_a_rewrite_are_the_last_value_and_no_concern() -> None:
    answer = printed('{"updatedInput": {"command": "a", "command": "b"}}')
    assert answer.updated_input == {"command": "b"}
    assert answer.problems == ()


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ('checking\n{"decision": "deny", "reason": "no"}', "deny"),
        ('log: {"decision": "defer", "reason": "no"} done', "defer"),
        ('{"decision": "ask", "reason": "no"}\ntrailing', "ask"),
        ('{"decision": "allow"}\n{"decision": "deny", "reason": "no"}', "deny"),
        ('{"decision": "deny", "reason": "no"}{"decision": "allow"}', "deny"),
        ('{oops {"decision": "deny", "reason": "no"}', "deny"),
        ('a {b} c\n{"hookResult": {"decision": "deny", "reason": "no"}}', "deny"),
        ('[{"decision": "deny", "reason": "no"}]', "deny"),
        ('{"event": "x", "event_id": "e1", "decision": "deny", "reason": "no"}', "deny"),
    ],
)
def test_an_answer_that_is_not_alone_counts_where_it_is_stricter(text: str, verdict: str) -> None:
    answer = printed(text)
    assert (answer.verdict.word, answer.decided_by, answer.message) == (verdict, "guard", "no")
    assert "counts only where it is stricter" in messages(answer)
    assert answer.context == ()


@pytest.mark.parametrize(
    "text",
    [
        'checking\n{"decision": "allow", "context": "x", "updatedInput": {"command": "x"}}',
        '{"decision": "allow"}\ntrailing',
        '{"decision": "allow"}\n{"decision": "allow"}',
        '{debug} checking\n{"decision": "allow"}',
        '{"event": "x", "event_id": "e1", "decision": "allow"}',
        'npm noise\n{"hookSpecificOutput": {"additionalContext": "x"}}',
    ],
)
def test_an_answer_that_is_not_alone_never_allows(text: str) -> None:
    answer = printed(text)
    assert (answer.status, answer.verdict, answer.decided_by) == ("ran", Verdict.NO_OPINION, None)
    assert (answer.context, answer.updated_input) == ((), None)
    assert "counts only where it is stricter" in messages(answer)


def test_a_bad_answer_after_noise_is_a_failure() -> None:
    assert printed('checking\n{"decision": "maybe"}').status == "failed"


def test_a_rewrite_of_an_answer_that_is_not_alone_is_lost() -> None:
    assert printed('x\n{"decision": "ask", "updatedInput": {"command": "x"}}').updated_input is None


def test_the_payloads_own_fields_in_an_echo_decide_nothing() -> None:
    echo = json.dumps({"event": "x", "event_id": "e1", "decision": "deny"})
    with_field = an_event("session_before_switch", fields={"decision": "deny"})
    assert read_answer(a_hook(), ended(0, echo), with_field).verdict == Verdict.NO_OPINION
    without = an_event("session_before_switch")
    assert read_answer(a_hook(), ended(0, echo), without).verdict == Verdict.DENY


@pytest.mark.parametrize(
    "text",
    [
        "if (x) { return; }",
        'read {"level": "info"} from disk',
        'log {"message": "checked", "level": "info"}',
        "[1, 2, 3]",
        '["deny"]',
        '"deny"',
        "17",
        "null",
        '"{\\"decision\\": \\"deny\\"}"',
    ],
)
def test_text_that_holds_no_answer_is_context(text: str) -> None:
    answer = printed(text)
    assert (answer.status, answer.verdict) == ("ran", Verdict.NO_OPINION)
    assert answer.context == (text,)
    assert answer.problems == ()


def test_lines_of_json_without_known_keys_are_no_context() -> None:
    answer = printed('{"a": 1}\n{"b": 2}')
    assert (answer.status, answer.context, answer.problems) == ("ran", (), ())


@pytest.mark.parametrize(
    "text",
    [
        '{"decision": "al',
        '{"decision": "allow",}',
        "{'decision': 'allow'}",
        '{"decision": "deny", "data": {"a": 1}',
        '{"decision": "deny", "data": {"decision": "allow"}',
        "{",
        "{debug} checking",
    ],
)
def test_text_that_begins_like_an_object_and_is_none_is_a_failure(text: str) -> None:
    answer = printed(text)
    assert (answer.status, answer.verdict, answer.decided_by) == ("failed", Verdict.DENY, "failure")
    assert "stdout is not valid JSON" in answer.message
    assert printed(text, role="observer").verdict == Verdict.NO_OPINION


@pytest.mark.parametrize(
    "text",
    [
        'checking\n{"decision":"deny","reason":"no "rm" here"}',
        '{"level": "info"}\n{"decision":"deny","reason":"no "rm" here"}',
        '{"decision":"deny" "reason": "no"}\n{"decision": "allow"}',
        "checking\n  {'block': True}",
        'checking\n{"reason": "no "rm" here", "data": {"a": 1}, "permissionDecision": "deny"}',
        'checking\n{\n  "hook_result": {\n    "reason": "no "rm""\n  }\n}',
        'checking\n{"decision',
    ],
)
def test_a_decision_in_broken_json_on_a_line_of_its_own_is_a_failure(text: str) -> None:
    answer = printed(text)
    assert (answer.status, answer.verdict, answer.decided_by) == ("failed", Verdict.DENY, "failure")
    assert printed(text, role="observer").verdict == Verdict.NO_OPINION


@pytest.mark.parametrize("text", ['see "decision": here {x', "checking\n{x: 1}", "a decision: {\n}\n{", "a\n{deny}"])
def test_broken_json_that_decides_nothing_is_text(text: str) -> None:
    assert (printed(text).status, printed(text).context) == ("ran", (text,))


def test_where_json_breaks_is_told() -> None:
    assert "line 2, column 3" in printed('{"decision":\n  oops}').message


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"a":' * 100_000, "nested too deep"),
        ('{"decision": "deny", "data": ' + '{"a":' * 150 + "1" + "}" * 151, "nested too deep"),
        ('{"decision": "allow", "data": {"a": ' + "9" * 5000 + "}}", "too many digits"),
        ('checking {"a": ' + "9" * 5000 + "}", "too many digits"),
    ],
)
def test_json_that_nobody_could_use_is_a_failure_and_no_exception(text: str, fault: str) -> None:
    answer = printed(text)
    assert (answer.status, answer.verdict) == ("failed", Verdict.DENY)
    assert fault in answer.message


def test_depth_that_somebody_could_use_is_fine() -> None:
    text = '{"decision": "allow", "data": ' + '{"a":' * 90 + "1" + "}" * 91
    assert printed(text).verdict == Verdict.ALLOW


def test_an_answer_is_found_behind_many_broken_beginnings() -> None:
    # Each beginning is read for hundreds of levels, and each error costs what stands before it.
    text = "x " + ('{"":' * 900 + "!") * 250 + '{"' * 50_000 + '\n{"decision": "deny"}'
    assert printed(text).verdict == Verdict.DENY


def test_braces_that_begin_nothing_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    class Decoder(json.JSONDecoder):
        def raw_decode(self, s: str, idx: int = 0) -> tuple[Any, int]:
            tried.append(idx)
            return super().raw_decode(s, idx)

    monkeypatch.setattr(json, "JSONDecoder", Decoder)
    assert printed("x " + "{" * 1_000_000 + '{"' * 100_000 + '\n{"decision": "deny"}').verdict == Verdict.DENY
    assert len(tried) == 1


def test_a_string_without_an_end_is_not_read_again_from_every_beginning() -> None:
    text = "x " + '{"":' * 900 + '"' + "a" * 1_000_000
    assert printed(text).context == (text,)


def test_numbers_that_are_none_become_null() -> None:
    answer = printed('{"decision": "allow", "data": {"a": NaN, "b": -Infinity, "c": 1e999, "d": 1.5}}')
    assert answer.verdict == Verdict.ALLOW
    assert answer.data == {"a": None, "b": None, "c": None, "d": 1.5}


def test_a_byte_order_mark_is_no_noise() -> None:
    assert printed('\ufeff{"decision": "allow"}').verdict == Verdict.ALLOW


@pytest.mark.parametrize(
    ("stdout", "stderr", "verdict"),
    [
        ("", '{"decision": "deny", "reason": "no"}', "deny"),
        ("", 'log\n{"decision": "ask", "reason": "no"}\n', "ask"),
        ('{"decision": "allow"}', '{"decision": "deny", "reason": "no"}', "deny"),
        ("md|hint", '{"decision": "deny", "reason": "no"}', "deny"),
        ('{"decision": "deny", "reason": "no"}', '{"decision": "ask", "reason": "hm"}', "deny"),
    ],
)
def test_an_answer_on_stderr_counts_where_it_is_stricter(stdout: str, stderr: str, verdict: str) -> None:
    answer = printed(stdout, stderr)
    assert (answer.verdict.word, answer.message) == (verdict, "no")
    assert "on stderr" in messages(answer)


def test_an_answer_on_stderr_never_allows_and_never_fails() -> None:
    for stderr in ('{"decision": "allow"}', '{"decision": "maybe"}'):
        answer = printed("", stderr)
        assert (answer.status, answer.verdict) == ("ran", Verdict.NO_OPINION)
        assert "on stderr" in messages(answer)


def test_logs_in_json_on_stderr_are_no_answer() -> None:
    answer = printed("text", '{"level": "info", "message": "checked"}')
    assert (answer.verdict, answer.problems, answer.context) == (Verdict.NO_OPINION, (), ("text",))


@pytest.mark.parametrize("text", ['{"decision": "allow", "data": "', "[1, 2", '{"decision": "allow"}'])
def test_cut_output_that_looks_like_json_is_a_failure(text: str) -> None:
    answer = read_answer(a_hook(), ended(0, text, stdout_was_cut=True), an_event())
    assert (answer.status, answer.verdict) == ("failed", Verdict.DENY)
    assert "stdout was cut" in answer.message


def test_cut_output_of_an_observer_that_is_text_is_context() -> None:
    outcome = ended(0, "long text", stdout_was_cut=True, stdout_tail="\nits end")
    answer = read_answer(a_hook(role="observer"), outcome, an_event())
    assert (answer.status, answer.context) == ("ran", ("long text",))


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        ("long text", "\nits end"),
        ("{}", "\n{}"),
        ("   ", "   "),
        ("long text", '\n{"decision": "allow"}'),
        ('{"decision": "allow"}', ""),
        ('{"updatedInput": {"command": "x"}}', ""),
        ("md|a hint", "\nmore"),
    ],
)
def test_cut_output_of_a_guard_without_a_refusal_is_a_failure(head: str, tail: str) -> None:
    outcome = ended(0, head, stdout_was_cut=True, stdout_tail=tail)
    for on_failure, verdict in (("deny", Verdict.DENY), ("ask", Verdict.ASK), ("allow", Verdict.NO_OPINION)):
        answer = read_answer(a_hook(), outcome, an_event(), on_failure=on_failure)
        assert (answer.status, answer.verdict) == ("failed", verdict)
        assert "stdout was cut" in answer.message
    assert read_answer(a_hook(), outcome, an_event("AgentStop")).verdict == Verdict.NO_OPINION


@sweep("on_failure", ["deny", "allow"])
@sweep(
    ("head", "tail"),
    [
        ("log", '\nlog\n{"decision": "deny", "reason": "R"}'),
        ("log", '\nlog{"decision": "deny", "reason": "R"}\nlog'),
        ("   ", '   {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "R"}}'),
        ('{"decision": "deny", ', '"reason": "R"}'),
        ('{"decision": "allow"}', '\n{"block": true, "reason": "R"}'),
        ("diff|--- a", '\n+++ b\n{"decision": "deny", "reason": "R"}'),
    ],
)
def test_a_refusal_at_the_end_of_cut_output_counts(head: str, tail: str, on_failure: str) -> None:
    outcome = ended(0, head, stdout_was_cut=True, stdout_tail=tail)
    for role in ("guard", "observer"):
        answer = read_answer(a_hook(role=role), outcome, an_event(), on_failure=on_failure)
        assert (answer.verdict, answer.decided_by, answer.message) == (Verdict.DENY, "guard", "R")


def test_a_refusal_at_the_end_of_a_cut_stderr_counts() -> None:
    outcome = ended(0, "", "log", stderr_tail='\n{"decision": "deny", "reason": "R"}')
    assert read_answer(a_hook(), outcome, an_event()).message == "R"


def test_the_reason_of_exit_2_may_be_at_the_end_of_cut_output() -> None:
    outcome = ended(2, "log", stdout_was_cut=True, stdout_tail='\n{"decision": "deny", "reason": "R"}')
    assert read_answer(a_hook(), outcome, an_event()).message == "R"


def test_a_deny_at_the_beginning_of_cut_output_counts() -> None:
    outcome = ended(0, '{"decision": "deny", "reason": "no"}\nand much more', stdout_was_cut=True)
    answer = read_answer(a_hook(role="observer"), outcome, an_event())
    assert (answer.verdict, answer.message) == (Verdict.DENY, "no")


def test_a_long_reason_stays_intact() -> None:
    reason = "é" * 50_000
    assert said({"decision": "deny", "reason": reason}).message == reason
    assert printed(json.dumps({"decision": "deny", "reason": reason}, ensure_ascii=False)).message == reason
    assert read_answer(a_hook(), ended(2, stderr=reason), an_event()).message == reason
