"""What modules get from an agent, from the command line's small host, and without any."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest
from sweeps import sweep
from waiting import eventually

from hookrun.model.errors import HookrunError, UsageError
from hookrun.modules.contexts import (
    AsyncCommandContext,
    AsyncHookContext,
    CommandContext,
    Context,
    HookContext,
    Surroundings,
)
from hookrun.modules.host import Host, NoHost, SessionChange, SmallHost
from hookrun.modules.ui.asking import is_withdrawn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MESSAGE = {"custom_type": "note", "content": "text", "display": True, "details": {"a": [1, None]}}
CANCELLED = SessionChange(cancelled=True)
SESSION_CHANGES: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("new_session", (), {}),
    ("new_session", (), {"parent_session": "/s/old", "setup": print}),
    ("branch", ("e1",), {}),
    ("navigate_tree", ("e2",), {}),
    ("navigate_tree", ("e2",), {"summarize": True}),
]


class Agent(Host):
    """Remembers what it was asked for, and in which threads."""

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.threads: set[threading.Thread] = set()

    @property
    def model(self) -> str:
        return "large"

    @property
    def session_id(self) -> str:
        return "s1"

    @property
    def session_file(self) -> str:
        return "/s/s1.jsonl"

    def entries(self) -> tuple[Mapping[str, Any], ...]:
        return ({"id": "e1"},)

    def is_idle(self) -> bool:
        return False

    def has_queued_messages(self) -> bool:
        return True

    def abort(self) -> None:
        self._note("abort")

    def wait_for_idle(self) -> None:
        self._note("wait_for_idle")

    def new_session(
        self, *, parent_session: str | None = None, setup: Callable[[Any], Any] | None = None
    ) -> SessionChange:
        return self._note("new_session", parent_session, setup)

    def branch(self, entry_id: str) -> SessionChange:
        return self._note("branch", entry_id)

    def navigate_tree(self, target_id: str, *, summarize: bool = False) -> SessionChange:
        return self._note("navigate_tree", target_id, summarize)

    def _note(self, *call: Any) -> SessionChange:
        self.calls.append(call)
        self.threads.add(threading.current_thread())
        return SessionChange()


def around(host: Host | None, **values: Any) -> Surroundings:
    return Surroundings(cwd="/project", host=host, **values)


@pytest.mark.parametrize(
    ("member", "call"),
    [
        ("send_message", lambda host: host.send_message(MESSAGE)),
        ("append_entry", lambda host: host.append_entry("todo", {"open": 1})),
    ],
)
def test_what_needs_an_agent_says_so_and_what_to_do(member: str, call: Callable[[Host], None]):
    with pytest.raises(HookrunError, match=f"{member} needs an agent, and no host is attached") as none:
        call(NoHost())
    assert "host to HookRunner.discover" in none.value.hint
    with pytest.raises(HookrunError, match=f"the host Agent has no {member}") as left_out:
        call(Agent())
    assert left_out.value.hint == f"define Agent.{member}"
    call(SmallHost())


@sweep("host", [NoHost(), SmallHost()])
@sweep(("member", "args", "named"), SESSION_CHANGES)
def test_without_an_agent_a_change_of_session_is_cancelled(host, member: str, args, named):
    assert getattr(host, member)(*args, **named) == CANCELLED
    assert getattr(CommandContext(around(host)), member)(*args, **named) == CANCELLED
    assert asyncio.run(getattr(AsyncCommandContext(around(host)), member)(*args, **named)) == CANCELLED


@pytest.mark.parametrize(("member", "args", "named"), SESSION_CHANGES)
def test_a_command_has_the_agent_change_the_session(member: str, args, named):
    agent, other = Agent(), Agent()
    assert not getattr(CommandContext(around(agent)), member)(*args, **named).cancelled
    assert not asyncio.run(getattr(AsyncCommandContext(around(other)), member)(*args, **named)).cancelled
    assert agent.calls == other.calls != []
    assert {*args, *named.values()} <= set(agent.calls[0])
    assert agent.threads == {threading.current_thread()}
    assert threading.current_thread() not in other.threads


@pytest.mark.parametrize("kind", [HookContext, AsyncHookContext])
def test_a_hook_cannot_change_the_session(kind: type[Context]):
    offered = set(dir(kind(around(Agent()))))
    assert offered.isdisjoint({"new_session", "branch", "navigate_tree", "wait_for_idle"})
    assert offered > {"ui", "has_ui", "cwd", "session", "model", "is_idle", "abort", "has_queued_messages"}


@pytest.mark.parametrize("kind", [HookContext, AsyncHookContext, CommandContext, AsyncCommandContext])
def test_every_context_shows_the_agent(kind: type[Context]):
    agent = Agent()
    context = kind(around(agent, session_id="s1"))
    context.abort()
    assert agent.calls == [("abort",)]
    assert (context.cwd, context.model) == ("/project", "large")
    assert (context.is_idle(), context.has_queued_messages()) == (False, True)
    session = context.session
    assert (session.id, session.file, session.entries()) == ("s1", "/s/s1.jsonl", ({"id": "e1"},))


@pytest.mark.parametrize("kind", [HookContext, AsyncHookContext, CommandContext, AsyncCommandContext])
def test_without_an_agent_a_context_shows_an_idle_one(kind: type[Context]):
    context = kind(around(None))
    context.abort()
    assert (context.cwd, context.model) == ("/project", None)
    assert (context.is_idle(), context.has_queued_messages()) == (True, False)
    assert (context.session.id, context.session.file, context.session.entries()) == ("", None, ())


@pytest.mark.parametrize("field", ["cwd", "ui", "session", "model", "has_ui", "anything"])
def test_a_context_is_read_only(field: str):
    context = HookContext(around(Agent()))
    with pytest.raises(AttributeError):
        setattr(context, field, "x")
    with pytest.raises(AttributeError):
        setattr(context.session, field if field == "anything" else "id", "x")


def test_the_session_of_an_event_is_not_taken_for_the_one_the_agent_has_open():
    other = HookContext(around(Agent(), session_id="s2")).session
    assert (other.id, other.file, other.entries()) == ("s2", None, ())
    unnamed = HookContext(around(Agent())).session
    assert (unnamed.id, unnamed.file) == ("s1", "/s/s1.jsonl")


def test_the_only_session_of_a_host_without_ids_is_every_events():
    host = SmallHost()
    host.append_entry("todo", 1)
    session = HookContext(around(host, session_id="s2")).session
    assert (session.id, len(session.entries())) == ("s2", 1)


def test_waiting_for_the_agent_ends_with_the_command_that_waits():
    waits = threading.Event()

    class Busy(Host):
        def wait_for_idle(self) -> None:
            waits.set()
            eventually(is_withdrawn)

    async def cancel() -> None:
        task = asyncio.create_task(AsyncCommandContext(around(Busy())).wait_for_idle())
        await asyncio.to_thread(waits.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    agent = Agent()
    CommandContext(around(agent)).wait_for_idle()
    assert agent.calls == [("wait_for_idle",)]
    asyncio.run(AsyncCommandContext(around(SmallHost())).wait_for_idle())


def test_the_small_host_keeps_messages_and_entries_apart():
    host = SmallHost()
    host.send_message(MESSAGE)
    host.send_message({"content": "later"}, trigger_turn=True, deliver_as="follow_up")
    host.append_entry("todo", {"open": 1})
    host.append_entry("mark")
    now, later = host.messages()
    assert now.items() >= {"type": "custom_message", "message": MESSAGE, "trigger_turn": False}.items()
    assert (now["deliver_as"], later["deliver_as"], later["trigger_turn"]) == ("steer", "follow_up", True)
    todo, mark = host.entries()
    assert todo.items() >= {"type": "custom", "custom_type": "todo", "data": {"open": 1}}.items()
    assert mark["data"] is None
    assert len({each["id"] for each in (now, later, todo, mark)}) == 4
    assert now["timestamp"] <= later["timestamp"]


def test_the_small_host_hands_on_what_it_keeps_and_starts_from_earlier_entries():
    kept: list[tuple[str, dict[str, Any]]] = []
    host = SmallHost(entries=[{"id": "old"}], keep=lambda kind, document: kept.append((kind, document)))
    host.send_message(MESSAGE)
    host.append_entry("todo")
    assert kept == [("message", host.messages()[0]), ("entry", host.entries()[1])]
    assert host.entries()[0] == {"id": "old"}


def test_what_the_small_host_keeps_does_not_change_with_what_a_module_holds():
    host = SmallHost()
    data = {"open": [1]}
    host.append_entry("todo", data)
    data["open"].append(2)
    host.entries()[0]["data"]["open"].append(3)
    assert host.entries()[0]["data"] == {"open": [1]}


@pytest.mark.parametrize("data", [object(), {1, 2}, float("nan"), {"a": b"bytes"}])
def test_what_is_not_json_is_refused_and_not_kept(data: Any):
    host = SmallHost(keep=lambda *_: pytest.fail("it was kept"))
    with pytest.raises(UsageError, match="an entry of todo cannot be stored"):
        host.append_entry("todo", data)
    with pytest.raises(UsageError, match="a message cannot be stored"):
        host.send_message({"content": data})
    assert host.entries() == host.messages() == ()


def test_a_message_is_delivered_in_one_of_two_ways():
    host = SmallHost()
    with pytest.raises(UsageError, match="cannot be delivered as 'next_turn'") as error:
        host.send_message(MESSAGE, deliver_as="next_turn")
    assert error.value.hint == "steer or follow_up"
    assert host.messages() == ()


def test_the_small_host_notes_that_a_module_wants_to_stop():
    host = SmallHost(session_id="s1", session_file="/s/s1", model="m")
    assert host.was_aborted is False
    context = HookContext(around(host))
    context.abort()
    assert host.was_aborted is True
    assert (context.session.id, context.session.file, context.model) == ("s1", "/s/s1", "m")


def test_many_threads_keep_every_entry_once():
    host = SmallHost()
    threads = [
        threading.Thread(target=lambda n=n: [host.append_entry("n", [n, m]) for m in range(20)]) for n in range(50)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(entry["data"] for entry in host.entries()) == [[n, m] for n in range(50) for m in range(20)]
