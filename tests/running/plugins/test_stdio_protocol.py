"""The lines of the stdio protocol, as values."""

from __future__ import annotations

import json
from typing import Any

import pytest
from stdio_plugins import before
from sweeps import sweep

from hookrun.agents import XBOT, dialect_named
from hookrun.agents.payload import payload_for
from hookrun.answers.answer import read_answer
from hookrun.events.event import event_from_payload, make_event
from hookrun.model.errors import UsageError
from hookrun.model.values import Event, Hook, Outcome, Program, Verdict
from hookrun.running.plugins.declared import read_declarations
from hookrun.running.plugins.protocol import (
    PluginAnswer,
    answer_on,
    answer_text,
    declarations_in,
    error_in,
    hook_request,
)


def params_of(event: Event) -> dict[str, Any]:
    line = hook_request(event, payload_for(event, XBOT))
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    request = json.loads(line)
    assert request["method"] == "hook"
    params = request["params"]
    assert isinstance(params, dict)
    return params


def answer(text: str) -> PluginAnswer:
    found = answer_on(text.encode())
    assert found is not None
    return found


def test_a_request_has_the_fields_of_the_protocol_in_its_spelling():
    event = before("Shell", {"command": "ls"}, session_id="s1", channel="cli", chat_id="c1")
    assert (
        params_of(event).items()
        >= {
            "event": "PreToolUse",
            "toolName": "Shell",
            "toolInput": '{"command": "ls"}',
            "sessionId": "s1",
            "channel": "cli",
            "chatId": "c1",
        }.items()
    )


def test_fields_of_the_protocol_that_are_empty_are_there_as_empty_text():
    event, _ = make_event("UserPromptSubmit", prompt="go on")
    params = params_of(event)
    assert params["prompt"] == "go on"
    assert [params[key] for key in ("toolName", "toolInput", "sessionId", "channel", "chatId")] == [""] * 5


def test_what_else_is_known_of_an_event_follows_and_nothing_is_there_twice():
    given = {"tool_name": "Shell", "tool_input": {"command": "ls"}, "tool_output": "a\nb"}
    event, _ = make_event("PostToolUse", cwd="/tmp", project_dir="/", **given)
    params = params_of(event)
    assert (params["toolOutput"], params["cwd"], params["projectDir"]) == ("a\nb", "/tmp", "/")
    assert (params["tool"], params["command"]) == ("shell", "ls")
    assert not {"toolResponse", "toolUseId", "hookEventName", "tool_name"} & set(params)


def test_the_tool_has_xbots_name_and_keys_and_the_callers_name_is_beside_it():
    event = before("Edit", {"file_path": "/a", "old_string": "b"}, dialect=dialect_named("claude"))
    params = params_of(event)
    assert (params["toolName"], params["rawToolName"]) == ("FileReplace", "Edit")
    assert json.loads(params["toolInput"]) == {"path": "/a", "old_string": "b"}
    assert "rawToolInput" not in params


def test_the_text_of_the_input_is_handed_on_as_it_was_given():
    given = '{"command":  "ls",\n"x": 1.0}'
    event, _ = event_from_payload({"event": "PreToolUse", "tool_name": "Shell", "tool_input": given})
    assert params_of(event)["toolInput"] == given


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", '"plain"'),
        ([1, "é"], '[1, "\\u00e9"]'),
        ({"x": float("nan")}, '{"x": null}'),
        ({"x": "\ud800"}, '{"x": "\\ud800"}'),
    ],
)
def test_an_input_that_came_as_a_value_becomes_its_json(value: Any, text: str):
    assert params_of(before("Shell", value))["toolInput"] == text


def test_an_input_that_no_json_can_hold_is_an_error_in_words():
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    event = before("Shell")
    with pytest.raises(UsageError, match="nested too deeply"):
        hook_request(event, {"event": "PreToolUse", "tool_name": "Shell", "tool_input": deep})


@pytest.mark.parametrize("line", ["", "  \r", '{"method": "log", "params": {}}', '{"method": "hook"}\r'])
def test_own_messages_and_blank_lines_are_no_answers(line: str):
    assert answer_on(line.encode()) is None


@pytest.mark.parametrize("line", ["{}", '{"hook_result": {}}\r', ' {"é": "\\ud83d"} '])
def test_any_other_object_is_an_answer(line: str):
    assert answer(line).document == json.loads(line)


@pytest.mark.parametrize("line", ["junk", "[]", '"x"', "1", "null", "{} {}", "{", '{"a": 1}x', "[" * 100_000])
def test_everything_else_is_junk_and_its_beginning_is_shown(line: str):
    with pytest.raises(ValueError, match="is not a JSON object") as error:
        answer_on(line.encode())
    assert line[:20] in str(error.value)
    assert len(str(error.value)) < 120


def test_bytes_that_are_no_text_are_replaced():
    assert answer_on(b'{"x": "\xff"}\r').document == {"x": "\ufffd"}  # type: ignore[union-attr]


@sweep(
    ("line", "error"),
    [
        ('{"error": "no key"}', "no key"),
        ('{"error": {"code": 1, "message": "no key"}}', "no key"),
        ('{"error": {"code": 1}}', '{"code": 1}'),
        ('{"error": "no key", "hook_result": {"decision": "allow"}}', "no key"),
        ('{"error": ""}', 'an error without words: ""'),
        ('{"error": " "}', 'an error without words: " "'),
        ('{"error": null}', "an error without words: null"),
        ('{"error": false, "hook_result": {}}', "an error without words: false"),
        ('{"error": {}}', "an error without words: {}"),
        ('{"error": {"message": ""}}', 'an error without words: ""'),
        ("{}", ""),
    ],
)
def test_an_error_is_read_in_any_shape(line: str, error: str):
    assert error_in(answer(line)) == error


def test_a_long_error_is_cut():
    assert len(error_in(answer(json.dumps({"error": "x" * 100_000})))) == 1000


HOOK = Hook(
    id="1",
    title="plugin",
    kind="hook",
    source="",
    order=0,
    level="user",
    place="/",
    file="/plugin.json",
    dialect="xbot",
    program=Program(words=("x",), folder="/"),
    role="guard",
)


@sweep(
    ("line", "verdict"),
    [
        ('{"hook_result": {"decision": "deny"}}', Verdict.DENY),
        ('{"hookResult": {"decision": "ask"}}', Verdict.ASK),
        ('{"hook_result": {"decision": "defer"}, "id": 3, "jsonrpc": "2.0"}', Verdict.DEFER),
        ('{"result": {"hook_result": {"decision": "deny"}}}', Verdict.DENY),
        ('{"hook_result": null, "result": {"hookResult": {"decision": "deny"}}}', Verdict.DENY),
        ('{"hook_result": {"decision": "allow"}, "hookResult": {"decision": "deny"}}', Verdict.DENY),
        ('{"hook_result": {"decision": "deny", "decision": "allow"}}', Verdict.DENY),
        ("{}", Verdict.ALLOW),
        ('{"hook_result": null}', Verdict.ALLOW),
        ('{"ok": true}', Verdict.ALLOW),
        ('{"result": {}}', Verdict.ALLOW),
        ('{"decision": "deny"}', Verdict.DENY),
        ('{"result": {"block": true}}', Verdict.DENY),
        ('{"hook_result": {}}', Verdict.NO_OPINION),
    ],
)
def test_an_answer_is_the_result_in_it_and_allow_without_one(line: str, verdict: Verdict):
    outcome = Outcome(status="ended", exit_code=0, stdout=answer_text(answer(line)))
    assert read_answer(HOOK, outcome, before("Shell")).verdict == verdict


@pytest.mark.parametrize(
    "line",
    [
        '{"hook_result": {"decision": "deny"}, "hook_result": {"decision": "allow"}}',
        '{"id": 7, "hook_result": {"decision": "deny"}, "hook_result": {"decision": "allow"}}',
        '{"id": 7, "hook_result": {"decision": "deny", "decision": "allow"}}',
        '{"id": 7, "decision": "deny", "decision": "allow"}',
        '{"result": {"hook_result": {"decision": "deny", "decision": "allow"}}}',
    ],
)
def test_a_refusal_that_is_given_twice_in_one_answer_counts(line: str):
    outcome = Outcome(status="ended", exit_code=0, stdout=answer_text(answer(line)))
    assert read_answer(HOOK, outcome, before("Shell")).verdict == Verdict.DENY


@pytest.mark.parametrize("line", ['{"hook_result": "deny"}', '{"hook_result": {"decision": "maybe"}}'])
def test_a_result_that_cannot_be_read_is_a_failure_and_never_allows(line: str):
    outcome = Outcome(status="ended", exit_code=0, stdout=answer_text(answer(line)))
    read = read_answer(HOOK, outcome, before("Shell"))
    assert (read.status, read.verdict, read.decided_by) == ("failed", Verdict.DENY, "failure")


def test_what_the_protocol_adds_to_an_answer_is_no_problem_and_a_misspelled_result_is_a_bad_answer():
    for line, status in (('{"hook_result": {}, "id": 7}', "ran"), ('{"hook_reslt": {"decision": "deny"}}', "failed")):
        outcome = Outcome(status="ended", exit_code=0, stdout=answer_text(answer(line)))
        read = read_answer(HOOK, outcome, before("Shell"))
        assert (read.status, read.problems) == (status, ())


@pytest.mark.parametrize(
    ("line", "declared"),
    [
        ("{}", None),
        ('{"hooks": null, "tools": []}', None),
        ('{"hooks": "all"}', None),
        ('{"hooks": []}', []),
        ('{"hooks": [{"event": "AgentStop"}]}', [{"event": "AgentStop"}]),
        ('{"result": {"hooks": [1]}}', [1]),
    ],
)
def test_declarations_are_found_and_their_absence_too(line: str, declared: Any):
    assert declarations_in(answer(line)) == declared


def test_a_declaration_that_cannot_be_read_costs_itself_alone():
    entries = [{"event": "PreToolUse"}, 1, {"event": "PreToolUs"}, {"event": "AgentStop", "matcher": 5}]
    subscriptions, problems = read_declarations([*entries, {"event": "agent_end"}], "plugin")
    assert [subscription.event for subscription in subscriptions.all] == ["PreToolUse", "AgentStop"]
    assert [problem.where for problem in problems] == ["hooks[1]", "hooks[2]", "hooks[3]"]


@pytest.mark.parametrize(
    ("entry", "event", "wanted"),
    [
        ({"event": "PreToolUse", "matcher": "Shell*"}, before("Shell"), True),
        ({"event": "tool_call", "matcher": None}, before("Shell"), True),
        ({"event": "PreToolUse", "matcher": "Read"}, before("Shell"), False),
        ({"event": "PostToolUse"}, before("Shell"), False),
        ({"event": "PreToolUse", "matcher": "Shell"}, before("Bash", dialect=dialect_named("claude")), True),
        ({"event": "AgentStop", "matcher": "Shell"}, make_event("AgentStop")[0], True),
        ({"event": "PermissionRequest", "matcher": "Shell"}, make_event("PermissionRequest")[0], True),
    ],
)
def test_a_subscription_is_matched_like_a_manifests(entry: Any, event: Event, wanted: bool):
    subscriptions, problems = read_declarations([entry], "plugin")
    assert not problems
    assert [subscriptions.include(event) for _ in range(2)] == [wanted, wanted]
