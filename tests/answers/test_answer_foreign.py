"""Refusals in words that are not hookrun's, and in encodings other than UTF-8: never silence for a guard."""

from __future__ import annotations

import json
from typing import Any

from answer_values import a_hook, an_event, ended, printed
from sweeps import sweep

from hookrun.answers.answer import read_answer
from hookrun.model.values import Answer, Verdict

OBSERVER = {"role": "observer", "kind": "hook"}
REFUSALS: list[dict[str, Any]] = [
    {"Decision": "deny"},
    {"DECISION": "Block", "reason": "no"},
    {"decision ": "deny"},
    {"Decision": {"behavior": "deny"}},
    {"desicion": "deny"},
    {"permission_decision": "deny"},
    {"PermissionDecision": "ask"},
    {"hook_specific_output": {"permissionDecision": "deny"}},
    {"HookResult": {"decision": "deny"}},
    {"hookSpecificOutputs": {"permissionDecision": "deny"}},
    {"Block": True},
    {"Continue": False},
    {"CONTINUE": "false"},
    {"permission": "deny", "user_message": "no"},
    {"permission": "ask"},
    {"cancel": True, "errorMessage": "no"},
    {"action": "deny"},
    {"action": "BLOCK"},
    {"allow": False},
    {"isAllowed": False},
    {"approve": False},
    {"approved": "no"},
    {"ok": False, "reason": "no"},
    {"blocked": True},
    {"should_block": 1},
    {"shouldContinue": False},
    {"should-proceed": False},
    {"verdict": "rejected"},
    {"result": "denied"},
    {"status": "blocked"},
    {"deny": True},
    {"reject": "yes"},
    {"data": {"a": 1}, "allowed": False},
    {"decision": "allow", "approved": False},
    {"hook_result": {"permission": "deny"}},
    {"result": {"decision": "deny"}},
    {"output": {"hookSpecificOutput": {"permissionDecision": "deny"}}},
]
NO_REFUSALS: list[dict[str, Any]] = [
    {"branch": "main", "status": "ok"},
    {"status": "stopped"},
    {"result": "cancelled"},
    {"decisions": ["deny"]},
    {"description": "deny"},
    {"permission": "allow"},
    {"permissions": ["deny"]},
    {"action": "formatted"},
    {"allow": True},
    {"allow": ["Bash"], "deny": ["Write"]},
    {"ok": True},
    {"ok": 1},
    {"blocked": False},
    {"blocked": 12},
    {"blocked": 1, "rejected": 1, "total": 3},
    {"accepted": 0, "total": 2},
    {"result": {"count": 3}},
    {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}},
    {"lock": True, "unblock": True, "continued": False},
    {"cancel": None},
    {"continued": 3},
    {"passed": 3, "failed": 0, "success": False},
    {"last": {"decision": "deny"}, "count": 2},
]


def said(document: Any, **more: Any) -> Answer:
    return printed(json.dumps(document), **more)


def test_a_refusal_in_other_words_is_a_bad_answer_of_a_guard():
    for document in REFUSALS:
        answer = said(document)
        assert (answer.status, answer.verdict, answer.decided_by) == ("failed", Verdict.DENY, "failure"), document
        assert 'answer {"decision":' in answer.message, document
        assert said(document, on_failure="ask").verdict == Verdict.ASK, document


def test_a_refusal_in_other_words_is_one_also_behind_a_line_of_log():
    for document in REFUSALS:
        answer = printed(f"checking\n{json.dumps(document)}")
        assert answer.verdict == Verdict.DENY, document


def test_a_refusal_in_other_words_is_a_problem_of_an_observer():
    for document in REFUSALS:
        if document.get("decision") != "allow":
            for event in ("PreToolUse", "PostToolUse"):
                answer = said(document, event=event, **OBSERVER)
                assert (answer.status, answer.verdict) == ("ran", Verdict.NO_OPINION), document
                assert 'answer {"decision": "deny"' in answer.problems[-1].hint, document


def test_other_json_is_no_refusal():
    for document in NO_REFUSALS:
        answer = said(document)
        assert (answer.status, answer.verdict) == ("ran", Verdict.NO_OPINION), document
        assert not any("no decision" in problem.message for problem in answer.problems), document


def test_a_refusal_given_beside_an_allow_of_the_same_key_counts():
    for key, yes, no in [
        ("permission", '"allow"', '"deny"'),
        ("allowed", "true", "false"),
        ("cancel", "false", "true"),
        ("decision", '"allow"', '"deny"'),
        ("continue", "true", "false"),
        ("result", '{"decision": "allow"}', '{"decision": "deny"}'),
        ("hookSpecificOutputs", "{}", '{"permissionDecision": "deny"}'),
    ]:
        for values in ((no, yes), (yes, no), (no, yes, yes), (yes, no, yes)):
            text = "{" + ", ".join(f'"{key}": {value}' for value in values) + "}"
            for printed_text in (text, f"checking\n{text}", f'{{"hook_result": {text}}}'):
                assert printed(printed_text).verdict == Verdict.DENY, printed_text


def test_of_an_answer_in_the_payload_every_value_of_a_key_counts():
    text = '{"event": "PreToolUse", "event_id": "e1", "decision": "deny", "decision": "allow"}'
    assert printed(text).verdict == Verdict.DENY


def test_a_refusal_behind_any_number_of_keys_counts():
    for count in (49, 50, 51, 500):
        others = {f"k{number}": number for number in range(count)}
        for no in ({"permission": "deny"}, {"DECISION": "deny"}, {"desicion": "deny"}, {"allowed": False}):
            assert said(others | no).verdict == Verdict.DENY, (count, no)
        assert said({"HookResult": others | {"decision": "deny"}}).verdict == Verdict.DENY, count


def test_a_refusal_anywhere_in_what_wraps_an_answer_counts():
    for document in (
        {"output": {"permission": "deny"}},
        {"a": {"b": {"allowed": False}}},
        {"results": [{"decision": "allow"}, {"decision": "deny"}]},
        {"a": [{"b": [{"cancel": True}]}]},
    ):
        answer = said(document)
        assert (answer.verdict, answer.decided_by) == (Verdict.DENY, "failure"), document


BROKEN = [
    'result: {"decision":"deny",}',
    'result: {"decision": "deny"',
    'result: {"decision":',
    'result: {"decision": deny}',
    "result: {'decision': 'deny', 'reason': None}",
    "result: {decision: 'block'}",
    'result: {"reason": "no", "permissionDecision": "ask",}',
    'result: {"decision": "dony",}',
    'result: {"block": true,}',
    "result: {'continue': False}",
    'result: {"decision"=>"deny"}',
    r'result: "{\"decision\": \"deny\"}"',
    r"log {\n  \"decision\":\n \"deny\"\n}",
    'result: {"permission": "deny",}',
    "result: {'allowed': False}",
    'result: {"cancel": true, "errorMessage": "no"',
    'first {"a": 1} and {"decision": "allow"} then {"decision": "deny",}',
    'first line\nresult: {"decision":\n   "deny",}',
]
NOT_BROKEN_REFUSALS = [
    'result: {"decision": "allow",}',
    'result: {"decision": null,}',
    'result: {"block": false,}',
    'result: {"hookSpecificOutput": {"permissionDecision": "allow",}}',
    'result: {"permission": "allow",}',
    "use {a} and my decision: fine",
    "for (;;) { if (x) { cancel: true } }",
    'const o = { blocked: true, ok: false }; // {"a": 1,}',
    "no brace: 'decision': 'deny'",
]


def test_a_refusal_in_broken_json_within_a_line_is_a_bad_answer_of_a_guard():
    for text in BROKEN:
        answer = printed(text)
        assert (answer.status, answer.verdict, answer.decided_by) == ("failed", Verdict.DENY, "failure"), text
        assert "\n" not in answer.message, text
        assert printed(text, on_failure="ask").verdict == Verdict.ASK, text


def test_a_refusal_in_broken_json_within_a_line_is_a_problem_of_an_observer():
    for text in BROKEN:
        answer = printed(text, **OBSERVER)
        assert (answer.status, answer.verdict) == ("ran", Verdict.NO_OPINION), text
        assert 'answer {"decision": "deny"' in answer.problems[-1].hint, text


def test_other_text_with_braces_is_text():
    for text in NOT_BROKEN_REFUSALS:
        answer = printed(text)
        assert (answer.status, answer.verdict) == ("ran", Verdict.NO_OPINION), text


def test_a_refusal_in_broken_json_on_stderr_counts_in_our_words_alone():
    assert printed("", 'x {"decision": "deny",}').verdict == Verdict.DENY
    assert printed('{"decision": "allow"}', 'x {"decision": "deny",}').verdict == Verdict.DENY
    assert printed("", 'x {"blocked": true,}').verdict == Verdict.NO_OPINION


def test_what_refuses_in_our_words_besides_is_that_refusal():
    answer = said({"decision": "deny", "reason": "mine", "permission": "deny"})
    assert (answer.verdict, answer.decided_by, answer.message) == (Verdict.DENY, "guard", "mine")
    assert answer.status == "ran"


def test_a_log_on_stderr_is_not_judged():
    answer = printed("", '{"status": "blocked", "level": "info"}')
    assert (answer.status, answer.verdict, answer.problems) == ("ran", Verdict.NO_OPINION, ())


ENCODINGS = ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]


def as_read(text: str, encoding: str, mark: bytes = b"") -> str:
    return (mark + text.encode(encoding)).decode("utf-8", "replace")


@sweep("encoding", ENCODINGS)
@sweep("reason", ["no", "nein, gefährlich", "нельзя 不行"])
def test_a_deny_in_utf_16_or_32_denies(encoding: str, reason: str):
    text = json.dumps({"decision": "deny", "reason": reason}, ensure_ascii=False) + "\r\n"
    for mark in (b"", b"\xfe\xff" if encoding == "utf-16-be" else b""):
        for before in ("", "checking\r\n"):
            answer = read_answer(a_hook(), ended(0, as_read(before + text, encoding, mark)), an_event())
            assert answer.verdict == Verdict.DENY


def test_an_allow_in_utf_16_does_not_allow():
    answer = read_answer(a_hook(), ended(0, as_read('{"decision": "allow"}', "utf-16")), an_event())
    assert answer.verdict == Verdict.NO_OPINION
    assert "not UTF-8" in answer.problems[0].message


def test_a_deny_in_utf_16_on_stderr_denies():
    answer = read_answer(a_hook(), ended(0, "", as_read('{"decision": "deny"}', "utf-16")), an_event())
    assert (answer.verdict, answer.decided_by) == (Verdict.DENY, "guard")


def test_a_refusal_in_other_words_and_in_utf_16_is_a_bad_answer():
    answer = read_answer(a_hook(), ended(0, as_read('{"permission": "deny"}', "utf-16")), an_event())
    assert (answer.verdict, answer.decided_by) == (Verdict.DENY, "failure")
