"""Modules as the module system's own documents write them: handlers of the event alone, options in a mapping,
either spelling of a key, and members that are awaited."""

from __future__ import annotations

import asyncio
import functools
import json
from typing import TYPE_CHECKING, Any

import pytest
from sweeps import sweep

import hookrun
from hookrun import CompactionResult, HookRunner, Host, SessionChange, SmallHost

if TYPE_CHECKING:
    from collections.abc import Callable

    from command import Ended, Project

    from hookrun import HookAPI

BLOCK = {"block": True, "reason": "no"}


class Guard:
    """Handlers that are bound to an object."""

    def alone(self, event: Any) -> Any:
        """Take the event alone."""
        return BLOCK if event.tool_name == "bash" else None

    async def alone_async(self, event: Any) -> Any:
        """Take it in async code."""
        return self.alone(event)

    @classmethod
    def of_class(cls, event: Any) -> Any:
        """Take it bound to the class."""
        return cls().alone(event)

    def __call__(self, event: Any) -> Any:
        """Be a handler."""
        return self.alone(event)


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate as people do: whatever it gets is handed on."""

    @functools.wraps(function)
    def hand_on(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return hand_on


def with_reason(reason: str, event: Any) -> Any:
    return {"block": event.tool_name == "bash", "reason": reason}


async def alone_async(event: Any) -> Any:
    return BLOCK


def keeps_its_default(event: Any, answer: Any = BLOCK) -> Any:
    return answer


def wants_the_context(event: Any, ctx: Any = None) -> Any:
    return BLOCK if ctx is not None and not ctx.has_ui else None


def takes_the_rest(event: Any, *rest: Any) -> Any:
    return BLOCK if len(rest) == 1 and not rest[0].has_ui else None


def needs_a_keyword(event: Any, ctx: Any, *, needed: Any) -> Any:
    return needed


ALONE: list[Callable[..., Any]] = [
    lambda event: BLOCK,
    lambda: BLOCK,
    lambda *given: BLOCK if len(given) == 2 else None,
    alone_async,
    Guard().alone,
    Guard().alone_async,
    Guard.of_class,
    Guard(),
    checked(Guard().alone),
    checked(lambda event, ctx: BLOCK),
    functools.partial(with_reason, "no"),
    functools.partial(keeps_its_default),
    keeps_its_default,
    wants_the_context,
    takes_the_rest,
]


@pytest.mark.parametrize("handler", ALONE)
def test_a_handler_may_take_the_event_alone(api: HookAPI, runner: HookRunner, handler: Callable[..., Any]):
    api.on("tool_call", handler)
    decision = runner.emit("tool_call", tool="bash", tool_input={})
    assert decision.result == BLOCK
    assert asyncio.run(runner.emit_async("tool_call", tool="bash", tool_input={})).result == BLOCK


def test_so_may_one_of_the_sdk(api: HookAPI, runner: HookRunner):
    seen: list[str] = []
    api.on_pre_tool_use("", lambda payload: seen.append(payload.event))
    runner.on("PostToolUse", "", lambda payload: seen.append(payload.event))
    api.on_global_event("AgentStop", "", seen.append)
    runner.emit("pre", tool="Shell")
    runner.emit("post", tool="Shell")
    assert runner.emit("stop").problems == ()
    assert [str(each) for each in seen[:2]] == ["PreToolUse", "PostToolUse"]
    assert len(seen) == 3


def test_so_may_a_command_and_a_listener(api: HookAPI, runner: HookRunner):
    heard: list[Any] = []
    api.register_command("alone", handler=lambda args: args.upper())
    api.register_command("nothing", handler=lambda: "done")
    runner.on_error(lambda error: heard.append(error.event))
    runner.on_error(lambda: heard.append("told"))
    api.on("agent_end", lambda event: 1 / 0)
    runner.emit("agent_end")
    assert (runner.run_command("alone", "go"), runner.run_command("nothing", "go")) == ("GO", "done")
    assert heard == ["agent_end", "told"]


@pytest.mark.parametrize("function", [lambda a, b, c: None, needs_a_keyword, "text"])
def test_what_cannot_be_called_so_is_refused_when_it_is_registered(api: HookAPI, function: Any):
    with pytest.raises(TypeError, match="cannot be called"):
        api.on("tool_call", function)
    with pytest.raises(TypeError, match="cannot be called"):
        api.register_command("name", handler=function)


@pytest.mark.parametrize("is_async", [True, False])
def test_a_command_may_come_in_a_mapping(api: HookAPI, runner: HookRunner, is_async: bool):
    async def handler(args: str, ctx: Any) -> str:
        return f"went {args}"

    plain = lambda args, ctx: f"went {args}"  # noqa: E731
    api.register_command("go", {"description": "Go there", "handler": handler if is_async else plain})
    (command,) = runner.get_registered_commands()
    assert (command.name, command.description) == ("go", "Go there")
    assert runner.run_command("go", "on") == "went on"


@pytest.mark.parametrize(
    "given",
    [
        ("go", {"description": "d"}),
        ("go", {"description": 1, "handler": print}),
        ("go", {"handler": "print"}),
        ("go", {"handler": print, "desciption": "d"}),
        ("go", {"handler": print}, print),
        ("go", ["d"], print),
        ("go", print),
        (1, "d", print),
        ("", "d", print),
    ],
)
def test_a_command_of_wrong_types_is_a_type_error(api: HookAPI, runner: HookRunner, given: Any):
    with pytest.raises(TypeError):
        api.register_command(*given)
    assert runner.get_registered_commands() == []


class Agent(Host):
    """Opens sessions as agents do: the setup is called plainly."""

    session_id = "s1"
    session_file = "/s/1"

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.live: list[dict[str, Any]] = [{"id": "e1"}]

    def append_message(self, message: Any) -> None:
        """Be the session manager."""
        self.messages.append(message)

    def entries(self) -> tuple[dict[str, Any], ...]:
        """Return what the agent itself works with."""
        return tuple(self.live)

    def new_session(self, *, parent_session: Any = None, setup: Any = None) -> SessionChange:
        """Open one."""
        assert setup(self) is None
        self.messages.append(parent_session)
        return SessionChange()


HANDOFF = """
import asyncio

async def prepare(session):
    await asyncio.sleep(0)
    session.append_message("continue")

def hook(api):
    async def handler(args, ctx):
        change = await ctx.new_session(
            parent_session=ctx.session_manager.get_session_file(), setup={setup}
        )
        return change.cancelled

    api.register_command("handoff", {{"description": "Hand off", "handler": handler}})
"""


@pytest.mark.parametrize("setup", ["prepare", "lambda session: prepare(session)"])
@pytest.mark.parametrize("is_async", [True, False])
def test_an_async_setup_of_a_session_is_awaited(
    project: Project, user_environment: dict[str, str], setup: str, is_async: bool
):
    text = HANDOFF.format(setup=setup)
    if not is_async:
        text = text.replace("async def handler", "def handler").replace("await ctx", "ctx")
    project.script(".hookrun/hooks/handoff.py", text, mode=0o644)
    agent = Agent()
    with HookRunner.discover(project.path, env=user_environment, host=agent) as runner:
        assert runner.run_command("handoff") is False
    assert agent.messages == ["continue", "/s/1"]


def test_the_session_manager_shows_the_session_and_cannot_change_it(project: Project, user_environment: dict[str, str]):
    agent = Agent()
    seen: list[Any] = []

    def look(event: Any, ctx: Any) -> None:
        manager = ctx.session_manager
        seen.extend((manager.get_session_id(), manager.get_session_file(), manager.get_entries()))
        manager.get_entries()[0]["id"] = "spoilt"
        with pytest.raises(AttributeError):
            manager.file = "/s/2"

    with HookRunner.discover(project.path, env=user_environment, host=agent) as runner:
        runner.on("SessionStart", "", look)
        assert runner.emit("SessionStart", session_id="s1").problems == ()
    assert seen == ["s1", "/s/1", ({"id": "e1"},)]
    assert agent.live == [{"id": "e1"}]


SPELLINGS = [
    ("session_before_branch", {"skipConversationRestore": True}, {"skip_conversation_restore": True}),
    ("session.compacting", {"preserveData": {"aKey": 1}}, {"preserve_data": {"aKey": 1}}),
    ("session.compacting", {"preserve_data": {"aKey": 1}}, {"preserve_data": {"aKey": 1}}),
    ("tool_result", {"isError": True, "content": []}, {"is_error": True, "content": []}),
    (
        "before_agent_start",
        {"message": {"customType": "note", "content": "x", "display": True}},
        {"message": {"custom_type": "note", "content": "x", "display": True}},
    ),
]


@pytest.mark.parametrize(("name", "returned", "result"), SPELLINGS)
def test_a_result_may_be_spelled_either_way(api: HookAPI, runner: HookRunner, name: str, returned: Any, result: Any):
    api.on(name, lambda event: returned)
    decision = runner.emit(name, **({"tool": "read"} if name == "tool_result" else {}))
    assert (decision.result, decision.problems) == (result, ())


def test_an_unknown_key_is_an_error_in_either_spelling(api: HookAPI, runner: HookRunner):
    api.on("tool_call", lambda event: {"isError": True})
    decision = runner.emit("tool_call", tool="bash")
    assert "unknown key 'isError' in a tool_call result" in decision.message


SENT = [
    ((), {"deliverAs": "followUp", "triggerTurn": True}),
    (({"deliverAs": "followUp", "triggerTurn": True},), {}),
    (({"deliver_as": "follow_up", "trigger_turn": True},), {}),
    ((True, "follow_up"), {}),
]


@pytest.mark.parametrize(("args", "named"), SENT)
@pytest.mark.parametrize("is_awaited", [True, False])
def test_what_a_module_sends_keeps_and_runs_may_be_awaited(
    project: Project, user_environment: dict[str, str], args: Any, named: Any, is_awaited: bool
):
    host = SmallHost()
    with HookRunner.discover(project.path, env=user_environment, host=host) as runner:
        api = hookrun.HookAPI(runner.modules.program, host, project_dir=str(project.path), run=runner.modules.exec)
        printed = []

        async def handler(event: Any) -> None:
            message = {"customType": "note", "content": "hi", "display": True}
            if is_awaited:
                await api.send_message(message, *args, **named)
                await api.append_entry("state", {"n": 1})
                printed.append(await api.exec("echo", ["hi"]))
            else:
                api.send_message(message, *args, **named)
                api.append_entry("state", {"n": 1})
                printed.append(api.exec("echo", ["hi"]))

        api.on("agent_start", handler)
        api.on("agent_start", lambda event: api.append_entry("state", {"n": 2}))
        assert runner.emit("agent_start").problems == ()
        assert asyncio.run(runner.emit_async("agent_start")).problems == ()
    (message, _) = host.messages()
    assert (message["deliver_as"], message["trigger_turn"]) == ("follow_up", True)
    assert message["message"] == {"custom_type": "note", "content": "hi", "display": True}
    assert [entry["data"]["n"] for entry in host.entries()] == [1, 2, 1, 2]
    assert [(ran.stdout, ran.code) for ran in printed] == [("hi\n", 0)] * 2


def test_an_unknown_option_of_a_message_is_a_type_error(api: HookAPI):
    with pytest.raises(TypeError, match="no option 'deliver'"):
        api.send_message({}, deliver="steer")


def test_commands_of_one_name_are_all_listed_and_the_first_runs(cli: Callable[..., Ended], project: Project):
    for name in ("a", "b"):
        text = f"def hook(api):\n    api.register_command('go', 'from {name}', lambda args: 'ran {name}')\n"
        project.script(f".hookrun/hooks/{name}.py", text, mode=0o644)
    assert [entry["description"] for entry in cli("run", "--format", "json").document] == ["from a", "from b"]
    assert cli("run", "go").stdout == "ran a\n"


def test_what_a_session_event_has_beside_is_kept(api: HookAPI, runner: HookRunner):
    seen: list[Any] = []
    api.on("session_branch", lambda event: seen.append(event.previous_session_file))
    api.on("session_tree", lambda event: seen.append(event.from_extension))
    runner.emit("session_branch", payload={"previousSessionFile": "/s/0"})
    runner.emit("session_tree", payload={"fromExtension": True})
    assert seen == ["/s/0", True]


NAMES = (
    "AppendEntryHandler BranchHandler CompactionResult HookCommandContext HookErrorListener HookFactory "
    "HookHandler HookMessageRenderer HookToolWrapper HookUIContext LoadedHook NavigateTreeHandler "
    "NewSessionHandler ReadonlySessionManager RegisteredCommand SendMessageHandler"
).split()


@sweep("name", NAMES)
def test_the_types_of_the_module_system_have_its_names(name: str):
    assert name in hookrun.__all__
    assert getattr(hookrun, name) is not None


def test_a_wrapper_wraps_and_a_compaction_is_a_result(api: HookAPI, runner: HookRunner):
    assert hookrun.HookUIContext is hookrun.UserInterface
    assert hookrun.LoadedHook is hookrun.Registrations
    tool = hookrun.HookToolWrapper(lambda command: command.upper(), runner, name="bash")
    assert tool(command="x") == "X"
    made = CompactionResult(summary="s", first_kept_entry_id="e", tokens_before=9)
    api.on("session_before_compact", lambda event: {"compaction": made})
    decision = runner.emit("session_before_compact")
    assert decision.result is not None
    assert json.loads(json.dumps(decision.result["compaction"])) == {
        "summary": "s",
        "first_kept_entry_id": "e",
        "tokens_before": 9,
        "details": None,
    }
