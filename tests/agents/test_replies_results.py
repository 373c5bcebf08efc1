"""What modules return, as each agent takes it: changed results of tools, and the nine results of xcsh."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hookrun.agents import DIALECTS, protocol_of
from hookrun.agents.reply.writing import write_decision
from hookrun.events.event import event_from_payload
from hookrun.model.values import Decision, Verdict

if TYPE_CHECKING:
    from hookrun.agents.reply.draft import Reply

SECRET = "AKIA-the-key"
BASH = {"stdout": f"key={SECRET}\nsecond", "stderr": f"warn {SECRET}", "interrupted": False, "isImage": False}
READ = {"type": "text", "file": {"filePath": "/p/.env", "content": f"KEY={SECRET}", "numLines": 1}}
PARTS = [{"type": "text", "text": f"a {SECRET}"}, {"type": "text", "text": "b"}]
MASKED = "[masked]"


def reply_to(agent: str, response: Any, returned: dict[str, Any], **more: Any) -> Reply:
    payload = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"file_path": "/p/.env"}}
    dialect = next(dialect for dialect in DIALECTS if dialect.name == agent)
    event, _ = event_from_payload({**payload, "tool_response": response}, dialect=dialect)
    own_name = {"gemini": "AfterTool", "copilot": "postToolUse"}.get(agent, "PostToolUse")
    return write_decision(protocol_of(agent).replies, Decision(event=event, result=returned, **more), own_name)


def texts(*values: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": value} for value in values]}


def masked(value: Any) -> Any:
    return json.loads(json.dumps(value).replace(SECRET, MASKED))


def updated(response: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": response}}


def line(document: Any) -> str:
    return json.dumps(document) + "\n"


# the agent, what its tool returned, what a handler returned, the document that the agent gets
CHANGED: list[tuple[str, Any, dict[str, Any], dict[str, Any]]] = [
    # the whole text with the secret replaced, as a handler does that works on text
    ("claude", BASH, texts(json.dumps(masked(BASH))), updated(masked(BASH))),
    ("claude", READ, texts(json.dumps(masked(READ))), updated(masked(READ))),
    ("claude", PARTS, texts(json.dumps(masked(PARTS))), updated(masked(PARTS))),
    ("claude", {"content": PARTS}, texts(json.dumps({"content": masked(PARTS)})), updated({"content": masked(PARTS)})),
    # the structure
    ("claude", BASH, {"details": masked(BASH)}, updated(masked(BASH))),
    ("claude", BASH, {**texts(json.dumps(BASH)), "details": masked(BASH)}, updated(masked(BASH))),
    ("claude", BASH, {**texts("gone"), "details": BASH}, updated({**BASH, "stdout": "gone", "stderr": ""})),
    (
        "claude",
        BASH,
        {**texts(json.dumps({**BASH, "stdout": "gone"})), "details": {**BASH, "stderr": "none"}},
        updated({**BASH, "stdout": "gone", "stderr": "none"}),
    ),
    # a secret that is a key
    (
        "claude",
        {SECRET: 1, "a": [{SECRET: "x"}]},
        {"details": {MASKED: 1, "a": [{MASKED: "x"}]}},
        updated({MASKED: 1, "a": [{MASKED: "x"}]}),
    ),
    ("claude", {SECRET: SECRET}, texts(json.dumps({MASKED: MASKED})), updated({MASKED: MASKED})),
    (
        "claude",
        {SECRET: SECRET, "b": "c"},
        {**texts(json.dumps({MASKED: SECRET, "b": "c"})), "details": {SECRET: MASKED, "b": "d"}},
        updated({MASKED: MASKED, "b": "d"}),
    ),
    ("claude", {"stdout": "x", SECRET: SECRET}, texts("gone"), updated({"stdout": "gone", "(2)": ""})),
    # another text: nothing stays beside it but what the model knows, and what the result is
    ("claude", BASH, texts("gone"), updated({**BASH, "stdout": "gone", "stderr": ""})),
    ("claude", BASH, texts("gone", "really"), updated({**BASH, "stdout": "gone\nreally", "stderr": ""})),
    ("claude", BASH, {"content": []}, updated({**BASH, "stdout": "", "stderr": ""})),
    ("claude", READ, texts("gone"), updated({**READ, "file": {**READ["file"], "content": "gone"}})),  # type: ignore[dict-item]
    ("claude", PARTS, texts("gone"), updated([{"type": "text", "text": "gone"}])),
    (
        "claude",
        {"content": PARTS, "note": SECRET},
        texts("gone"),
        updated({"content": [{"type": "text", "text": "gone"}, {"type": "text", "text": ""}], "note": ""}),
    ),
    ("claude", {"deep": [[{"x": SECRET}]], "n": 1}, texts("gone"), updated({"deep": [[{"x": "gone"}]], "n": 1})),
    ("claude", f"x {SECRET}", texts("x"), updated("x")),
    ("codex", f"x {SECRET}\n", texts("x\n"), {"decision": "block", "reason": "x\n"}),
    ("codex", SECRET, {"content": []}, {"decision": "block", "reason": "(a hook has taken the result away)"}),
    ("codex", PARTS, texts(json.dumps(masked(PARTS))), {"decision": "block", "reason": f"a {MASKED}\nb"}),
    ("codex", BASH, {"details": masked(BASH)}, {"decision": "block", "reason": json.dumps(masked(BASH))}),
    (
        "gemini",
        {"llmContent": f"Output: {SECRET}", "returnDisplay": SECRET},
        texts(json.dumps({"llmContent": f"Output: {MASKED}", "returnDisplay": MASKED})),
        {"decision": "deny", "reason": f"Output: {MASKED}"},
    ),
    (
        "gemini",
        {"llmContent": [{"text": SECRET}], "returnDisplay": {"newContent": SECRET}},
        texts("gone"),
        {"decision": "deny", "reason": "gone"},
    ),
    (
        "copilot",
        {"resultType": "success", "textResultForLlm": f"x {SECRET}"},
        texts("gone"),
        {"modifiedResult": {"resultType": "success", "textResultForLlm": "gone"}},
    ),
]


def test_a_result_in_another_shape_is_never_the_old_one() -> None:
    for details in ({"out": SECRET, "err": "", "interrupted": False, "isImage": False}, [MASKED], MASKED, {}, 1):
        reply = reply_to("claude", BASH, {"details": details})
        assert SECRET not in reply.stdout.replace(json.dumps(details), ""), details
        assert reply.problems, details


def test_a_changed_result_is_what_the_agent_gets_and_nothing_of_the_old_one() -> None:
    for agent, response, returned, document in CHANGED:
        reply = reply_to(agent, response, returned)
        assert (reply.stdout, reply.stderr, reply.exit_code) == (line(document), "", 0), (agent, returned)
        assert reply.problems == ()


def test_a_result_that_no_handler_changed_is_not_spoken_of() -> None:
    for agent in ("claude", "codex", "gemini", "copilot", "qwen", "cursor"):
        for response, returned in (
            (BASH, {**texts(json.dumps(BASH)), "details": BASH}),
            (BASH, {}),
            ("x", texts("x")),
            ("x", {"content": None, "details": None}),
        ):
            assert reply_to(agent, response, returned).problems == ()
            assert reply_to(agent, response, returned).stdout.strip() in ("", "{}")


def test_an_agent_that_takes_no_changed_result_has_that_said_to_the_user_and_on_stderr() -> None:
    said = "takes no changed result here: a hook has changed it, and the model gets it as it was"
    for agent in ("qwen", "cursor", "cline", "xbot"):
        reply = reply_to(agent, f"x {SECRET}", texts("x"))
        title = protocol_of(agent).replies.title
        assert [problem.message for problem in reply.problems] == [f"{title} {said}"]
        is_told = agent == "qwen"
        assert reply.stdout.strip() == (
            json.dumps({"systemMessage": f"{title} {said}"})
            if is_told
            else {"cline": '{"cancel": false}', "cursor": "{}"}.get(agent, "")
        )
        assert (reply.stderr == "") == is_told
    for response, returned in (({"n": 1}, texts("gone")), (BASH, {"details": {"other": 1}})):
        reply = reply_to("claude", response, returned)  # it fits into nothing that Claude Code has told
        assert reply.stdout == line({"systemMessage": f"Claude Code {said}"})
        assert len(reply.problems) == 1


def test_feedback_and_context_are_not_lost_beside_a_changed_result() -> None:
    more = {"context": ("c",), "feedback": ("f",)}
    for agent, document in (
        (
            "claude",
            {
                "hookSpecificOutput": {
                    "hookEventName": "PostToolUse",
                    "updatedToolOutput": "x",
                    "additionalContext": "c",
                },
                "decision": "block",
                "reason": "f",
            },
        ),
        (
            "codex",
            {
                "decision": "block",
                "reason": "x\nf",
                "hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "c"},
            },
        ),
        ("gemini", {"decision": "deny", "reason": "x\nf\nc"}),
    ):
        assert json.loads(reply_to(agent, f"x{SECRET}", texts("x"), **more).stdout) == document


# own name of the event, what a handler returned, the document that the bridge hands back
NINE: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("tool_result", texts("x"), texts("x")),
    (
        "tool_result",
        {
            "content": [{"type": "image", "mime_type": "image/png", "data": "x"}],
            "details": {"a_b": 1},
            "is_error": False,
        },
        {"content": [{"type": "image", "mimeType": "image/png", "data": "x"}], "details": {"a_b": 1}, "isError": False},
    ),
    ("context", {"messages": [{"role": "user", "a_b": 1}]}, {"messages": [{"role": "user", "a_b": 1}]}),
    (
        "before_agent_start",
        {"message": {"custom_type": "n", "content": "hi", "display": True, "details": {"a_b": 1}}},
        {"message": {"customType": "n", "content": "hi", "display": True, "details": {"a_b": 1}}},
    ),
    ("session_before_switch", {"cancel": False}, {"cancel": False}),
    ("session_before_branch", {"skip_conversation_restore": True}, {"skipConversationRestore": True}),
    (
        "session_before_compact",
        {"compaction": {"summary": "s", "first_kept_entry_id": "e", "tokens_before": 1, "details": {"a_b": 1}}},
        {"compaction": {"summary": "s", "firstKeptEntryId": "e", "tokensBefore": 1, "details": {"a_b": 1}}},
    ),
    (
        "session_before_tree",
        {"summary": {"summary": "s", "details": {"a_b": 1}}},
        {"summary": {"summary": "s", "details": {"a_b": 1}}},
    ),
    (
        "session.compacting",
        {"context": ["c"], "prompt": "p", "preserve_data": {"a_b": 1}},
        {"context": ["c"], "prompt": "p", "preserveData": {"a_b": 1}},
    ),
]


def to_xcsh(name: str, result: dict[str, Any] | None, **more: Any) -> Reply:
    dialect = next(dialect for dialect in DIALECTS if dialect.name == "xcsh")
    event, _ = event_from_payload({"event": name, "tool_name": "bash", "content": []}, dialect=dialect)
    return write_decision(protocol_of("xcsh").replies, Decision(event=event, result=result, **more), name)


def test_xcsh_gets_every_result_in_its_own_spelling() -> None:
    for name, returned, document in NINE:
        reply = to_xcsh(name, returned)
        assert (reply.stdout, reply.stderr, reply.problems) == (line(document), "", ()), name


def test_a_cancel_of_xcsh_keeps_what_is_returned_beside_it() -> None:
    for name, more, spelled in (
        ("session_before_switch", {}, {}),
        ("session_before_branch", {"skip_conversation_restore": True}, {"skipConversationRestore": True}),
        ("session_before_compact", {"compaction": {"summary": "s"}}, {"compaction": {"summary": "s"}}),
        ("session_before_tree", {"summary": {"summary": "s"}}, {"summary": {"summary": "s"}}),
    ):
        for cancel in (True, False):  # a process hook may deny where a module would not
            denied = to_xcsh(name, {"cancel": cancel, **more}, verdict=Verdict.DENY, message="no")
            assert (denied.stdout, denied.exit_code) == (line({"cancel": True, **spelled}), 0)
            assert denied.problems == ()


def test_a_message_before_the_prompt_is_context_elsewhere() -> None:
    for content in ("hi", [{"type": "text", "text": "hi"}]):
        returned = {"message": {"custom_type": "n", "content": content}}
        for agent in ("claude", "codex"):
            event, _ = event_from_payload({"event": "UserPromptSubmit", "prompt": "go"})
            decision = Decision(event=event, result=returned, context=("c",))
            reply = write_decision(protocol_of(agent).replies, decision, "UserPromptSubmit")
            own = {"hookEventName": "UserPromptSubmit", "additionalContext": "hi\nc"}
            assert (reply.stdout, reply.problems) == (line({"hookSpecificOutput": own}), ())
        after = [*content, {"type": "text", "text": "c"}] if isinstance(content, list) else "hi\nc"
        reply = to_xcsh("before_agent_start", returned, context=("c",))
        message = {"customType": "n", "content": after, "display": True}
        assert json.loads(reply.stdout) == {"message": message}
    reply = to_xcsh("before_agent_start", None, context=("c",))
    message = {"customType": "hookrun", "content": "c", "display": True}
    assert reply.stdout == line({"message": message})


def test_what_an_agent_does_not_take_of_a_module_is_said() -> None:
    event, _ = event_from_payload({"event": "PreCompact"})
    decision = Decision(event=event, result={"compaction": {"summary": "s"}})
    for agent in ("claude", "codex", "cline"):
        (problem,) = write_decision(protocol_of(agent).replies, decision).problems
        assert problem.message.endswith("takes nothing of what a module returns here: compaction"), agent


FIRST, SECOND, THIRD = "KEYONE11aa", "KEYTWO22bb", "KEYTRE33cc"
BOTH = f"{FIRST}\n{SECOND}"
HALF, FULL = f"#\n{SECOND}", "#\n#"  # what a pattern with a word boundary leaves of it in JSON, and as it is
TWICE: list[tuple[Any, Any, Any, Any]] = [  # the result, what content and details make of it, what is left
    ({"stdout": BOTH, "n": 1}, {"stdout": HALF, "n": 1}, {"stdout": FULL, "n": 1}, {"stdout": FULL, "n": 1}),
    ({"stdout": BOTH, "n": 1}, {"stdout": FULL, "n": 1}, {"stdout": HALF, "n": 1}, {"stdout": FULL, "n": 1}),
    ({"a": [{"b": BOTH}]}, {"a": [{"b": HALF}]}, {"a": [{"b": FULL}]}, {"a": [{"b": FULL}]}),
    (
        [{"type": "text", "text": BOTH}],
        [{"type": "text", "text": HALF}],
        [{"type": "text", "text": FULL}],
        [{"type": "text", "text": FULL}],
    ),
    # each has found something else
    ({"x": f"{BOTH}\nc"}, {"x": f"#\n{SECOND}\nc"}, {"x": f"{FIRST}\n#\nc"}, {"x": "\n#\nc"}),
    # each has left another part of a word
    ({"x": f"c {FIRST}"}, {"x": "c KEY***"}, {"x": "c ***ONE11aa"}, {"x": "c ***"}),
    # both leave the same of a word, on purpose
    ({"x": BOTH}, {"x": f"KEY***\n{SECOND}"}, {"x": "KEY***\nKEY***"}, {"x": "KEY***\nKEY***"}),
]


def test_of_a_string_that_content_and_details_both_change_nothing_stays_that_either_took_out() -> None:
    for response, content, details, left in TWICE:
        returned = {**texts(json.dumps(content)), "details": details}
        assert reply_to("claude", response, returned).stdout == line(updated(left)), (content, details)
        for agent in ("codex", "gemini"):
            reason = left[0]["text"] if isinstance(left, list) else json.dumps(left)
            assert json.loads(reply_to(agent, response, returned).stdout)["reason"] == reason, (agent, content)


def test_a_text_that_is_no_result_any_more_shows_nothing_that_details_have_taken_out() -> None:
    image = {"type": "image", "data": "aGk="}
    for response in ({"stdout": f"{BOTH}\nc {THIRD}"}, [{"type": "text", "text": f"{BOTH}\nc {THIRD}"}]):
        whole = json.dumps(response)
        cut_off = texts(whole[: whole.index(THIRD)].replace(FIRST, "#") + "# cut off")
        cut_off["content"].append(image)
        without_two = json.loads(whole.replace(FIRST, "#").replace(SECOND, "#"))
        without_any = json.loads(json.dumps(without_two).replace(THIRD, "#"))
        said = reply_to("claude", response, {**cut_off, "details": without_any}).stdout
        assert said == line(updated(without_any))
        for agent in ("claude", "codex", "gemini"):
            said = reply_to(agent, response, {**cut_off, "details": without_two}).stdout
            assert not any(key in said for key in (FIRST, SECOND, THIRD)), (agent, said)
            assert "cut off" in said
            assert ("aGk=" in said) is (agent == "claude" and isinstance(response, list))
