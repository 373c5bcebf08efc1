"""What a handler gets, and what it gives back, is its own: a change in place reaches nobody else."""

from __future__ import annotations

import json
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from types import MappingProxyType, SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import pytest

from hookrun import Cancel, ContextResult, HookResult, ToolResultOverride, wrap_tool
from hookrun.model.frozen import Frozen
from hookrun.modules.events import EVENT_CLASSES
from hookrun.modules.own_values import own, own_fields

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from command import Ended, Project

    from hookrun import HookAPI, HookRunner

TOOL_EVENTS = ("tool_call", "tool_result")
SDK_EVENTS = ("PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "AgentStop", "CronFired")


@dataclass
class Edit:
    """An argument as tools of a library have it."""

    path: str
    lines: list[str] = field(default_factory=list)


def spoil(value: Any) -> None:
    """Change everything in *value* that can be changed."""
    if isinstance(value, dict):
        for item in value.values():
            spoil(item)
        value.clear()
        value["spoilt"] = True
    elif isinstance(value, list):
        for item in value:
            spoil(item)
        value[:] = ["spoilt"]
    elif isinstance(value, tuple):
        for item in value:
            spoil(item)
    elif isinstance(value, set):
        value.clear()
    elif hasattr(value, "__dict__"):
        for item in vars(value).values():
            spoil(item)
        for name in vars(value):
            vars(value)[name] = "spoilt"


def shown(value: Any) -> str:
    """The whole of an event as text."""
    return repr(vars(value))


def payload_of(name: str) -> dict[str, Any]:
    """A payload with something nested in every field of the event."""
    fields = [known for known in EVENT_CLASSES[name]._fields if known not in ("type", "is_error")]
    payload: dict[str, Any] = {known: [{"role": "user", "parts": [{"n": [1, 2]}]}] for known in fields}
    if name in TOOL_EVENTS:
        payload |= {"tool_name": "edit", "tool_call_id": "c", "raw_tool_name": "", "raw_tool_input": None}
        payload |= {"input": {"path": "a", "edits": [{"old": ["x"]}]}, "details": {"lines": [{"n": 1}]}}
    return payload | ({"prompt": "hi", "session_id": "s"} if "tool_name" not in payload else {})


@pytest.mark.parametrize("name", list(EVENT_CLASSES))
def test_what_one_handler_changes_no_other_sees(api: HookAPI, runner: HookRunner, name: str):
    seen: list[str] = []

    async def spoil_late(event: Any, ctx: Any) -> None:
        seen.append(shown(event))
        spoil(event)

    api.on(name, lambda event, ctx: seen.append(shown(event)) or spoil(event))
    api.on(name, spoil_late)
    api.on(name, lambda event, ctx: seen.append(shown(event)))
    payload = payload_of(name)
    before = json.dumps(payload)
    decision = runner.emit(name, payload=payload)
    assert len(seen) == 3
    assert set(seen) == {seen[0]}
    assert "spoilt" not in seen[0]
    assert json.dumps(payload) == before
    assert "spoilt" not in repr(vars(decision.event))


@pytest.mark.parametrize("name", SDK_EVENTS)
def test_so_it_is_with_handlers_of_the_sdk(runner: HookRunner, name: str):
    seen: list[str] = []
    for _ in range(3):
        runner.on(name, "", lambda payload, ctx: seen.append(shown(payload)) or spoil(payload))
    given = {"path": "a", "edits": [{"old": ["x"]}]}
    values = {"tool": "edit", "tool_input": given} if "Tool" in name else {}
    decision = runner.emit(name, extra={"model": {"name": "m"}}, fields={"more": [[1]]}, **values)
    assert len(seen) == 3
    assert set(seen) == {seen[0]}
    assert "spoilt" not in repr(vars(decision.event))
    assert given == {"path": "a", "edits": [{"old": ["x"]}]}


def test_a_guard_sees_the_command_that_another_handler_has_shortened(api: HookAPI, runner: HookRunner):
    @api.on("tool_call")
    def shorten(event: Any, ctx: Any) -> None:
        event.input["command"] = event.input["command"].split("&&")[0]

    @api.on("tool_call")
    def guard(event: Any, ctx: Any) -> Any:
        return {"block": True, "reason": "no"} if "shred" in event.input["command"] else None

    given = {"command": "cd x && shred y"}
    assert runner.emit("tool_call", tool="bash", tool_input=given).verdict.word == "deny"
    assert runner.emit_tool_call("bash", given) == {"block": True, "reason": "no"}


@pytest.mark.parametrize("kinds", [("on", "on"), ("on", "sdk"), ("sdk", "sdk")])
def test_so_it_is_under_the_command_line(cli: Callable[..., Ended], project: Project, kinds: tuple[str, str]):
    on = 'api.on("tool_call", {0})'
    sdk = 'api.on_pre_tool_use("", {0})'
    first, second = ({"on": on, "sdk": sdk}[kind] for kind in kinds)
    project.script(
        ".hookrun/hooks/a.py",
        "def hook(api):\n"
        "    def shorten(event, ctx):\n"
        "        event.raw_tool_input['command'] = 'cd x'\n"
        "        event.raw_tool_input['deep']['list'].clear()\n"
        f"    {first.format('shorten')}\n",
        mode=0o644,
    )
    project.script(
        ".hookrun/hooks/b.py",
        "def hook(api):\n"
        "    def guard(event, ctx):\n"
        "        if event.raw_tool_input != {'command': 'cd x && shred y', 'deep': {'list': [1]}}:\n"
        "            return None\n"
        "        return {'decision': 'deny', 'message': 'no'}\n"
        f"    {second.format('guard')}\n",
        mode=0o644,
    )
    given = json.dumps({"command": "cd x && shred y", "deep": {"list": [1]}})
    assert cli("emit", "pre", "--tool", "bash", "--input", given).code == 2


def test_what_a_wrapped_tool_gets_and_returns_no_handler_changes(api: HookAPI, runner: HookRunner):
    seen = []
    for event in TOOL_EVENTS:
        api.on(event, lambda event, ctx: seen.append(repr(event.raw_tool_input)) or spoil(event))
    runner.on("PreToolUse", "", lambda payload, ctx: spoil(payload))
    got: list[str] = []

    def apply(edit: Edit, groups: tuple[list[str], ...], marks: set[str], more: Any) -> dict[str, Any]:
        got.append(repr((edit, groups, marks, dict(more))))
        return {"content": [{"type": "text", "text": "done"}], "details": Edit("d", ["e"])}

    tool = wrap_tool(apply, runner)
    more = MappingProxyType(OrderedDict(a=[1]))
    returned = tool(Edit("p", ["l"]), (["g"],), {"m"}, more)
    assert got == [repr((Edit("p", ["l"]), (["g"],), {"m"}, {"a": [1]}))]
    assert returned == {"content": [{"type": "text", "text": "done"}], "details": Edit("d", ["e"])}
    assert len(seen) == 2
    assert "spoilt" not in seen[1]


def test_what_stands_for_something_outside_is_not_copied(api: HookAPI, runner: HookRunner, tmp_path: Path):
    """A copy of a token would stop nothing, one of an open file would close it."""
    seen = []
    for _ in range(2):
        api.on("session_before_compact", lambda event, ctx: seen.append(event.cancel))
        api.on("tool_call", lambda event, ctx: seen.append(event.raw_tool_input["file"]))
    token = Cancel()
    runner.emit("session_before_compact", fields={"cancel": token})
    assert [each is token for each in seen] == [True, True]
    seen.clear()
    with (tmp_path / "f").open("w") as file:
        runner.emit("tool_call", tool="bash", tool_input={"file": file, "beside": [1]})
        assert [each is file for each in seen] == [True, True]


def test_a_dataclass_that_holds_what_cannot_be_copied_is_copied_all_the_same(
    api: HookAPI, runner: HookRunner, tmp_path: Path
):
    seen = []

    @api.on("tool_call")
    def spoil_it(event: Any, ctx: Any) -> None:
        seen.append(event.raw_tool_input["edit"].lines[1])
        spoil(event.raw_tool_input["edit"].lines[2:])
        event.raw_tool_input["edit"].lines.clear()

    with (tmp_path / "f").open("w") as file:
        edit = Edit("p", ["l", file])  # type: ignore[list-item]
        edit.lines.append(edit)  # type: ignore[arg-type]  # and leads back to itself
        runner.emit("tool_call", tool="bash", tool_input={"edit": edit})
        assert seen == [file]
        assert (edit.path, edit.lines[:2], edit.lines[2] is edit) == ("p", ["l", file], True)


def test_an_object_that_is_no_data_is_handed_on_as_it_is(api: HookAPI, runner: HookRunner):
    """A copy of what a tool is given besides, such as the agent's session, could cost or do anything."""
    seen = []
    for _ in range(2):
        api.on("tool_call", lambda event, ctx: seen.append(event.raw_tool_input["session"]))
    session = object()
    runner.emit("tool_call", tool="bash", tool_input={"session": session})
    assert [each is session for each in seen] == [True, True]


RETURNED: list[tuple[str, Callable[[list[Any]], Any], str]] = [
    ("tool_result", lambda parts: {"content": parts}, "content"),
    ("tool_result", lambda parts: ToolResultOverride(content=parts), "content"),
    ("tool_result", lambda parts: {"details": {"deep": parts}}, "details"),
    ("context", lambda parts: {"messages": parts}, "messages"),
    ("context", lambda parts: ContextResult(messages=parts), "messages"),
    ("before_agent_start", lambda parts: {"message": {"content": parts}}, "message"),
    ("session_before_compact", lambda parts: {"compaction": {"entries": parts}}, "compaction"),
    ("session.compacting", lambda parts: {"context": parts}, "context"),
]


@pytest.mark.parametrize(("name", "answer", "key"), RETURNED)
def test_what_a_handler_has_returned_it_changes_no_more(
    api: HookAPI, runner: HookRunner, name: str, answer: Callable[[list[Any]], Any], key: str
):
    parts = [{"type": "text", "text": "said"}]
    seen: list[str] = []
    api.on(name, lambda event, ctx: answer(parts))
    api.on(name, lambda event, ctx: spoil(parts))
    api.on(name, lambda event, ctx: seen.append(repr(getattr(event, "messages", ""))))
    decision = runner.emit(name, **({"tool": "read"} if name in TOOL_EVENTS else {}))
    assert parts == ["spoilt"]
    assert decision.result is not None
    assert "'said'" in repr(decision.result[key])
    assert name != "context" or "'said'" in seen[0]


def test_messages_of_the_context_that_the_next_handler_changes_are_not_the_result(api: HookAPI, runner: HookRunner):
    api.on("context", lambda event, ctx: {"messages": [{"role": "user", "parts": [1]}]})
    api.on("context", lambda event, ctx: spoil(event))
    decision = runner.emit("context", payload={"messages": []})
    assert decision.result == {"messages": [{"role": "user", "parts": [1]}]}


def test_so_it_is_with_data_of_the_sdk(runner: HookRunner):
    data = {"seen": [1]}
    runner.on("PreToolUse", "", lambda payload, ctx: HookResult(decision="allow", data=data))
    runner.on("PreToolUse", "", lambda payload, ctx: spoil(data))
    assert runner.emit("PreToolUse", tool="Shell", tool_input={}).data == {"seen": [1]}


class Pair(NamedTuple):
    """A tuple with names, as tools of a library have it."""

    path: str
    lines: list[str]


class Held(Frozen):
    """One of our values, with what can be changed in it."""

    lines: list[str]


class Tokens(Frozen):
    """An event with what its agent gives to be used."""

    first: Any
    second: Any
    third: Any


class Slotted:
    """Data without a __dict__: one slot that is set and one that is not."""

    __slots__ = ("lines", "more")
    __attrs_attrs__ = ()

    def __init__(self) -> None:
        self.lines = ["l"]


class OneSlot:
    """The name of the only slot may be a text."""

    __slots__ = "lines"
    __pydantic_fields__: ClassVar[dict[str, Any]] = {}

    def __init__(self) -> None:
        self.lines = ["l"]


@dataclass
class Session:
    """A dataclass that stands for something outside of it."""

    lines: list[str] = field(default_factory=list)

    def close(self) -> None:
        """End it."""


@pytest.mark.parametrize(
    "value",
    [Pair("p", ["l"]), Held(lines=["l"]), SimpleNamespace(lines=["l"]), Slotted(), OneSlot(), Edit("p", ["l"])],
    ids=lambda value: type(value).__name__,
)
def test_data_of_any_kind_is_copied_as_what_it_is(value: Any):
    copy = own({"deep": [value]})["deep"][0]
    assert type(copy) is type(value)
    copy.lines.append("more")
    assert (copy.lines, value.lines) == (["l", "more"], ["l"])
    assert not hasattr(copy, "more")


def test_a_deque_is_copied():
    value = deque([["l"]])
    own(value)[0].append("more")
    assert value == deque([["l"]])


@dataclass
class Failure(Exception):
    """An exception with fields."""

    lines: list[str]


@pytest.mark.parametrize("value", [Session(["l"]), Edit, Failure(["l"])], ids=["with close", "a class", "an exception"])
def test_data_that_stands_for_something_outside_is_not_copied(value: Any):
    assert own({"deep": [value]})["deep"][0] is value


def test_a_token_that_is_an_object_stays_and_one_that_is_data_is_copied():
    token, parts = Edit("p", ["l"]), ["l"]
    kept = own_fields(Tokens(first=token, second=parts, third=token), tokens=("first", "second"))
    assert kept.first is token
    assert (kept.second, kept.second is parts) == (["l"], False)
    assert (kept.third, kept.third is token) == (token, False)
