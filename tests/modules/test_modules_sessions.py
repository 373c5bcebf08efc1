"""Which sessions a handler hears, and where what modules keep goes."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from hookrun import HookAPI, HookRunner, SmallHost
from hookrun.store import CachedWidget, session_entries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KEEPER = """
def hook(api):
    @api.on("turn_end")
    def keep(event, ctx):
        api.append_entry("seen", {"before": len(ctx.session.entries())})
        api.send_message({"custom_type": "note", "content": "hi"})

    @api.on("turn_start")
    def look(event, ctx):
        raise RuntimeError(str([entry["data"] for entry in ctx.session.entries()]))
"""


@pytest.fixture
def bound(project, user_environment) -> Iterator[Callable[[str, str], tuple[HookRunner, HookAPI]]]:
    """Make a runner that is bound to a channel and a chat, and its API."""
    runners: list[HookRunner] = []

    def make(channel: str, chat_id: str) -> tuple[HookRunner, HookAPI]:
        runner = HookRunner.discover(project.path, env=user_environment, channel=channel, chat_id=chat_id)
        runners.append(runner)
        modules = runner.modules
        return runner, HookAPI(modules.program, modules.setting.host, project_dir="", run=modules.exec)

    yield make
    for runner in runners:
        runner.close()


@pytest.mark.parametrize(
    ("own", "event", "hears"),
    [
        (("tg", "1"), ("tg", "1"), True),
        (("tg", "1"), ("tg", "2"), False),
        (("tg", "1"), ("cli", "1"), False),
        (("tg", "1"), ("", ""), True),
        (("tg", "1"), ("tg", ""), True),
        (("tg", "1"), ("", "2"), False),
        (("tg", ""), ("tg", "2"), True),
        (("tg", ""), ("cli", ""), False),
        (("", "1"), ("cli", "1"), True),
        (("", ""), ("tg", "1"), True),
    ],
)
@pytest.mark.parametrize("register", ["on_event", "on", "runner"])
def test_a_handler_hears_its_own_session_and_an_empty_id_passes(bound, own, event, hears, register):
    runner, api = bound(*own)
    called: list[int] = []

    def handler(payload: Any, ctx: Any) -> None:
        called.append(1)

    if register == "on":
        api.on("AgentStop", handler)
    elif register == "on_event":
        api.on_event("AgentStop", "", handler)
    else:
        runner.on("AgentStop", "", handler)
    runner.emit("AgentStop", channel=event[0], chat_id=event[1])
    assert called == [1] * hears


def test_a_global_handler_hears_every_session(bound):
    runner, api = bound("tg", "1")
    called: list[str] = []
    api.on_global_event("AgentStop", "", lambda payload, ctx: called.append(payload.channel))
    runner.emit("AgentStop", channel="cli", chat_id="9")
    assert called == ["cli"]


def test_scripts_hear_every_session(project, user_environment):
    project.script(".claude/hooks/pre/bash.sh", "#!/bin/sh\nexit 2\n")
    with HookRunner.discover(project.path, env=user_environment, channel="tg", chat_id="1") as runner:
        assert runner.emit("pre", tool="Bash", channel="cli", chat_id="9").verdict.word == "deny"


def test_modules_of_a_runner_are_bound_to_its_session(project, user_environment):
    project.script(
        ".hookrun/hooks/guard.py",
        'def hook(api):\n    api.on("tool_call", lambda event, ctx: {"block": True, "reason": "no"})\n',
    )
    with HookRunner.discover(project.path, env=user_environment, channel="tg", chat_id="1") as runner:
        assert runner.emit("pre", tool="Bash", channel="cli").verdict.word is None
        assert runner.emit("pre", tool="Bash", channel="tg", chat_id="1").verdict.word == "deny"


def test_what_a_module_keeps_is_there_at_the_next_event_of_that_session(project, user_environment):
    project.script(".hookrun/hooks/keeper.py", KEEPER)
    with HookRunner.discover(project.path, env=user_environment) as runner:
        for session in ("s1", "s1", "s2", ""):
            runner.emit("turn_end", session_id=session)
        assert entries(runner, "s1") == [{"before": 0}, {"before": 1}]
        assert entries(runner, "s2") == [{"before": 0}]
        assert entries(runner, runner.config.root) == [{"before": 0}]
        (message,) = runner.store.entries("s2", "message")
        assert (message["message"]["content"], message["deliver_as"]) == ("hi", "steer")
    with HookRunner.discover(project.path, env=user_environment) as another:
        another.emit("turn_end", session_id="s2")
        assert entries(another, "s2") == [{"before": 0}, {"before": 1}]


def test_the_command_line_keeps_it_too(cli, project, user_environment):
    project.script(".hookrun/hooks/keeper.py", KEEPER)
    for session in ("s1", "s1", "s2"):
        assert cli("emit", "turn_end", "--session", session).code == 0
    seen = cli("emit", "turn_start", "--session", "s1", "--format", "json").document
    assert "[{'before': 0}, {'before': 1}]" in seen["outcomes"][0]["message"]
    with HookRunner.discover(project.path, env=user_environment) as runner:
        assert entries(runner, "s1") == [{"before": 0}, {"before": 1}]
        assert len(runner.store.entries("s1", "message")) == 2


def test_what_cannot_be_kept_is_said(cli, project, tmp_path):
    project.script(".hookrun/hooks/keeper.py", KEEPER)
    (tmp_path / "file").write_text("")
    ended = cli("emit", "turn_end", "--format", "json", env={"XDG_STATE_HOME": str(tmp_path / "file")})
    messages = [problem["message"] for problem in ended.document["problems"]]
    assert any(message.startswith("data of modules cannot be stored: ") for message in messages), messages


@pytest.mark.parametrize("is_async", [False, True])
def test_each_of_two_sessions_at_once_has_its_own_entries(api, runner, is_async):
    @api.on("turn_end")
    async def keep(event: Any, ctx: Any) -> None:
        for _ in range(3):
            await asyncio.sleep(0)
            api.append_entry("id", ctx.session.id)

    async def main() -> None:
        await asyncio.gather(*(runner.emit_async("turn_end", session_id=f"s{n}") for n in range(5)))

    if is_async:
        asyncio.run(main())
    else:
        for number in range(5):
            runner.emit("turn_end", session_id=f"s{number}")
    for number in range(5):
        assert entries(runner, f"s{number}") == [f"s{number}"] * 3


def test_an_agents_own_host_keeps_what_it_is_given(project, user_environment):
    project.script(".hookrun/hooks/keeper.py", KEEPER)
    host = SmallHost(session_id="s1")
    with HookRunner.discover(project.path, env=user_environment, host=host) as runner:
        runner.emit("turn_end", session_id="s1")
        assert runner.store.entries("s1") == ()
    assert [entry["data"] for entry in host.entries()] == [{"before": 0}]
    assert len(host.messages()) == 1


def test_the_model_of_an_event_is_the_contexts(api, runner):
    models: list[Any] = []
    api.on("turn_end", lambda event, ctx: models.append(ctx.model))
    runner.emit("turn_end", extra={"model": "large"})
    runner.emit("turn_end")
    assert models == ["large", None]


def test_what_sessions_left_long_ago_is_removed(runner):
    runner.store.keep_entry("old", "entry", {"n": 1})
    runner.store.keep_entry("used", "entry", {"n": 2})
    path = f"{runner.store.folder}/state.sqlite3"
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE kept SET at = at - ?", (session_entries.KEPT_FOR + 60,))
    connection.close()
    runner.store.keep_entry("used", "entry", {"n": 3})
    assert runner.store.entries("old") == ()
    assert runner.store.entries("used") == ({"n": 3},)


def test_what_has_half_a_character_is_kept(runner):
    document = {"text": "\ud800 é"}
    runner.store.keep_entry("s\ud800", "entry", document)
    assert runner.store.entries("s\ud800") == (document,)


def test_a_state_of_the_version_before_gains_the_table_and_loses_nothing(runner):
    runner.store.keep_widget("/tmp", "w", CachedWidget(text="x", at=1.0))
    path = f"{runner.store.folder}/state.sqlite3"
    runner.store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE kept")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    runner.store.keep_entry("s", "entry", {"n": 1})
    assert runner.store.entries("s") == ({"n": 1},)
    assert runner.store.cached_widget("/tmp", "w") is not None
    assert runner.store.take_problems() == ()


def entries(runner: HookRunner, session: str) -> list[Any]:
    found = runner.store.entries(session)
    assert json.loads(json.dumps(found)) == list(found)
    return [entry["data"] for entry in found]
