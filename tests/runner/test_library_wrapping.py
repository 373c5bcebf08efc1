"""Wrapped tools: when they run, what hooks hear of it, and what their caller gets."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import hookrun
from hookrun import HookResult, HookRunner, ToolBlocked, UserInterface, deny_hook, wrap_tool

if TYPE_CHECKING:
    from collections.abc import Callable

SIGNAL = object()
DEFAULT_REASON = "Tool execution was blocked by a hook"


def echo(text: str, times: int = 1) -> str:
    """Return the text, more than once."""
    return text * times


async def echo_async(text: str, times: int = 1) -> str:
    """Return the text, more than once."""
    await asyncio.sleep(0)
    return text * times


class Tool:
    """A tool as agents have it, with what it was called with."""

    name = "bash"

    def __init__(self, result: Any = None, error: BaseException | None = None) -> None:
        self.result = {"content": [{"type": "text", "text": "out"}], "details": {"code": 0}}
        self.result = self.result if result is None else result
        self.error = error
        self.calls: list[Any] = []

    def execute(self, tool_call_id: str, params: dict[str, Any], on_update: Any = None, signal: Any = None) -> Any:
        """Run it."""
        self.calls.append((tool_call_id, params, on_update, signal))
        if on_update is not None:
            on_update("half")
        if self.error is not None:
            raise self.error
        return self.result


class AsyncTool(Tool):
    """The same, awaited."""

    async def execute(
        self, tool_call_id: str, params: dict[str, Any], on_update: Any = None, signal: Any = None
    ) -> Any:
        """Run it."""
        await asyncio.sleep(0)
        return super().execute(tool_call_id, params, on_update, signal)


@pytest.fixture(params=["sync", "async"])
def way(request) -> str:
    return str(request.param)


@pytest.fixture
def make(way) -> Callable[..., Tool]:
    return Tool if way == "sync" else AsyncTool


@pytest.fixture
def run(way, runner) -> Callable[..., Any]:
    """Wrap a tool object and call it as an agent would."""

    def call(tool: Tool, params: Any = None, **wrapping: Any) -> Any:
        wrapped = wrap_tool(tool, runner, **wrapping)
        returned = wrapped.execute("c1", {"command": "ls"} if params is None else params)
        if way == "sync":
            return returned

        async def main() -> Any:
            return await returned

        return asyncio.run(main())

    return call


def hear(api: Any, *names: str) -> list[Any]:
    """Events of these names as they come."""
    heard: list[Any] = []
    for name in names or ("tool_call", "tool_result"):
        api.on(name, lambda event, ctx: heard.append(event))
    return heard


def test_a_tool_that_nothing_stops_runs_and_its_result_is_its_own(api, make, run):
    tool = make()
    assert run(tool) is tool.result
    assert [call[:2] for call in tool.calls] == [("c1", {"command": "ls"})]


def test_hooks_hear_of_the_call_and_its_result(api, make, run):
    heard = hear(api)
    tool = make()
    run(tool, {"command": "ls"})
    call, result = heard
    assert (call.tool_name, call.tool_call_id, call.input) == ("bash", "c1", {"command": "ls"})
    assert (result.tool_call_id, result.is_error, result.details) == ("c1", False, {"code": 0})
    assert result.content == ({"type": "text", "text": "out"},)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"block": True, "reason": "blocked by policy"}, "blocked by policy"),
        ({"block": True}, DEFAULT_REASON),
        ({"block": True, "reason": ""}, DEFAULT_REASON),
        (HookResult(decision="deny", message="not allowed"), "not allowed"),
    ],
)
def test_a_block_raises_its_reason_and_the_tool_does_not_run(api, make, run, answer, reason):
    heard = hear(api, "tool_result")
    api.on("tool_call", lambda event, ctx: answer)
    tool = make()
    with pytest.raises(ToolBlocked) as raised:
        run(tool)
    assert (str(raised.value), raised.value.reason) == (reason, reason)
    assert raised.value.decision.verdict.word == "deny"
    assert (tool.calls, heard) == ([], [])


def test_an_exception_in_a_handler_blocks_the_tool(api, make, run):
    @api.on("tool_call")
    def broken(event: Any, ctx: Any) -> None:
        raise ValueError("broken")

    tool = make()
    with pytest.raises(ToolBlocked, match="ValueError: broken") as raised:
        run(tool)
    assert raised.value.decision.decided_by == "failure"
    assert tool.calls == []


def test_a_script_that_denies_blocks_the_tool(project, user_environment):
    project.script(".claude/hooks/pre/bash.sh", "#!/bin/sh\necho not that >&2\nexit 2\n")
    with HookRunner.discover(project.path, env=user_environment) as runner:
        wrapped = wrap_tool(Tool(), runner)
        with pytest.raises(ToolBlocked, match=r"^not that\nby .claude/hooks/pre/bash.sh$"):
            wrapped.execute("c1", {"command": "ls"})


def test_a_module_that_cannot_be_loaded_blocks_the_tool(project, user_environment):
    project.script(".hookrun/hooks/guard.py", "1 / 0\n")
    with HookRunner.discover(project.path, env=user_environment) as runner:
        wrapped = wrap_tool(Tool(), runner)
        with pytest.raises(ToolBlocked, match="ZeroDivisionError"):
            wrapped.execute("c1", {"command": "ls"})


@pytest.mark.parametrize("error", [ValueError("bad"), KeyError(), RuntimeError("two", "args")])
def test_an_error_of_the_tool_is_told_and_raised_as_it_is(api, make, run, error):
    heard = hear(api, "tool_result")
    with pytest.raises(type(error)) as raised:
        run(make(error=error))
    assert raised.value is error
    (result,) = heard
    text = str(error) or type(error).__name__
    assert (result.is_error, result.content) == (True, ({"type": "text", "text": text},))


@pytest.mark.parametrize("error", [asyncio.CancelledError(), KeyboardInterrupt(), SystemExit(3)])
def test_cancellation_and_interrupts_pass_through_untold(api, runner, error):
    heard = hear(api, "tool_result")
    wrap_tool(Tool(), runner).execute("c1", {})
    assert len(heard) == 1
    with pytest.raises(type(error)) as raised:
        wrap_tool(Tool(error=error), runner).execute("c1", {})
    assert raised.value is error
    assert len(heard) == 1


def test_a_cancelled_async_tool_is_cancelled(api, runner):
    heard = hear(api, "tool_result")
    began = asyncio.Event()
    ended: list[str] = []

    async def tool(command: str) -> str:
        try:
            began.set()
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        return "never"

    async def main() -> None:
        task = asyncio.create_task(wrap_tool(tool, runner)("x"))
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert (ended, heard) == (["cancelled"], [])


@pytest.mark.parametrize(
    ("override", "result"),
    [
        (
            {"content": [{"type": "text", "text": "new"}]},
            {"content": [{"type": "text", "text": "new"}], "details": {"code": 0}},
        ),
        ({"details": 7}, {"content": [{"type": "text", "text": "out"}], "details": 7}),
        ({"content": [], "details": None}, {"content": [], "details": {"code": 0}}),
        ({"content": None}, {"content": [{"type": "text", "text": "out"}], "details": {"code": 0}}),
    ],
)
def test_content_and_details_that_a_hook_returns_replace_the_tools(api, make, run, override, result):
    api.on("tool_result", lambda event, ctx: override)
    assert run(make()) == result


@pytest.mark.parametrize(
    ("returned", "override", "result"),
    [
        ("secret", {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "a\nb"),
        ("plain", {"details": 1}, "plain"),
        ([1, 2], {"details": [3]}, [3]),
        ([1, 2], {"content": [{"type": "text", "text": "x"}]}, [{"type": "text", "text": "x"}]),
        (None, {"content": [{"type": "text", "text": "x"}]}, [{"type": "text", "text": "x"}]),
        ({"content": "text"}, {"content": [1]}, {"content": [1]}),
    ],
)
def test_results_of_other_shapes_are_replaced_too(api, runner, returned, override, result):
    api.on("tool_result", lambda event, ctx: override)
    assert wrap_tool(lambda: returned, runner, name="bash")() == result


def test_is_error_of_an_override_is_not_applied(api, make, run):
    tool = make()
    api.on("tool_result", lambda event, ctx: {"is_error": True})
    assert run(tool) is tool.result
    error = ValueError("bad")
    api.on("tool_result", lambda event, ctx: {"is_error": False, "content": []})
    with pytest.raises(ValueError, match="bad") as raised:
        run(make(error=error))
    assert raised.value is error


def test_the_input_cannot_be_changed_through_a_tool_call(api, make, run):
    @api.on("tool_call")
    def change(event: Any, ctx: Any) -> Any:
        event.input["command"] = "rm"
        event.input["deep"]["list"].append(1)

    tool = make()
    run(tool, {"command": "ls", "deep": {"list": []}})
    assert tool.calls[0][1] == {"command": "ls", "deep": {"list": []}}


def test_a_rewrite_counts_only_where_it_is_wanted(project, user_environment):
    rewrite = json.dumps({"hookSpecificOutput": {"updatedInput": {"command": "ls -l"}}})
    project.script(".hookrun/hooks/pre/bash.sh", f"#!/bin/sh\necho '{rewrite}'\n")
    with HookRunner.discover(project.path, env=user_environment) as runner:
        for wanted, command in ((False, "ls"), (True, "ls -l")):
            tool = Tool()
            wrap_tool(tool, runner, apply_rewrites=wanted).execute("c1", {"command": "ls"}, print, SIGNAL)
            assert tool.calls == [("c1", {"command": command}, print, SIGNAL)]


def test_a_rewrite_of_arguments_leaves_out_what_it_leaves_out(project, user_environment):
    rewrite = json.dumps({"hookSpecificOutput": {"updatedInput": {"command": "ls", "more": 1}}})
    project.script(".hookrun/hooks/pre/bash.sh", f"#!/bin/sh\necho '{rewrite}'\n")

    def bash(command: str, force: bool = False, *, progress: Any = None, context: Any = None, **rest: Any) -> Any:
        return command, force, progress, context, rest

    context = object()
    with HookRunner.discover(project.path, env=user_environment) as runner:
        wrapped = wrap_tool(bash, runner, apply_rewrites=True)
        called = wrapped("rm", True, progress=print, context=context, other=2)
    assert called == ("ls", False, print, context, {"more": 1})


def test_a_progress_callback_passes_through(make, run, api, runner, way):
    updates: list[str] = []
    wrapped = wrap_tool(make(), runner)
    returned = wrapped.execute("c1", {}, on_update=updates.append)
    if way == "async":
        asyncio.run(_awaited(returned))
    assert updates == ["half"]


async def _awaited(awaitable: Any) -> Any:
    return await awaitable


@pytest.mark.parametrize("function", [echo, echo_async])
def test_name_docstring_and_signature_are_kept(runner, function):
    wrapped = wrap_tool(function, runner)
    assert (wrapped.__name__, wrapped.__doc__) == (function.__name__, function.__doc__)
    assert inspect.signature(wrapped) == inspect.signature(function)
    assert inspect.iscoroutinefunction(wrapped) == inspect.iscoroutinefunction(function)


def test_a_wrapped_object_is_otherwise_itself(runner):
    tool = Tool()
    wrapped = wrap_tool(tool, runner)
    assert (wrapped.name, wrapped.calls, wrapped.__doc__) == ("bash", [], Tool.__doc__)
    assert inspect.signature(wrapped.execute) == inspect.signature(tool.execute)
    with pytest.raises(AttributeError):
        wrapped.missing  # noqa: B018


def test_what_is_no_tool_is_refused(runner):
    with pytest.raises(TypeError, match="is not a tool"):
        wrap_tool("bash", runner)


def test_arguments_that_the_tool_does_not_take_are_refused_before_hooks_are_asked(api, runner):
    heard = hear(api)
    with pytest.raises(TypeError, match="missing a required argument"):
        wrap_tool(echo, runner)()
    assert heard == []
    wrap_tool(echo, runner)("x")
    assert len(heard) == 2


def typed(command: str, params: Any) -> None: ...
def many(*args: Any, **kwargs: Any) -> None: ...
def with_context(params: Any, context: Any, signal: Any = None) -> None: ...


@pytest.mark.parametrize(
    ("function", "args", "kwargs", "seen"),
    [
        (echo, ("x",), {"times": 2}, {"text": "x", "times": 2}),
        (many, (1, 2), {"a": 3}, {"args": (1, 2), "a": 3}),
        (with_context, ({"command": "ls"}, SIGNAL), {}, {"command": "ls", "context": SIGNAL}),
        (with_context, ({"command": "ls"}, 30, print), {}, {"command": "ls", "context": 30}),
        (typed, ("rm", {"command": "ls"}), {}, {"command": "rm", "params": {"command": "ls"}}),
        (with_context, ("text", None), {}, {"params": "text", "context": None}),
        (echo, (Path("/etc/passwd"),), {}, {"text": "/etc/passwd"}),
    ],
)
def test_hooks_see_the_whole_input(api, runner, function, args, kwargs, seen):
    heard = hear(api, "tool_call")
    wrapped = wrap_tool(function, runner, name="my_tool")
    try:
        wrapped(*args, **kwargs)
    except TypeError:  # a path cannot be repeated; hooks have seen it before
        pass
    assert heard[0].input == seen


def test_guards_of_paths_see_a_path_object(project, user_environment):
    project.script(".hookrun/hooks/pre/read.sh", '#!/bin/sh\necho "$HOOKRUN_PATHS" >&2\nexit 2\n')
    with HookRunner.discover(project.path, env=user_environment) as runner:
        wrapped = wrap_tool(lambda path: None, runner, name="read")
        with pytest.raises(ToolBlocked, match=r"^/no/such/file\nby .hookrun/hooks/pre/read.sh$"):
            wrapped(Path("/no/such/file"))


def test_call_ids_are_the_tools_own_or_made_for_each_call(api, runner):
    heard = hear(api)
    wrapped = wrap_tool(echo, runner)
    wrapped("a")
    wrapped("b")
    ids = [event.tool_call_id for event in heard]
    assert ids[0] == ids[1] != ids[2] == ids[3]
    wrap_tool(Tool(), runner).execute("own", {})
    assert heard[-1].tool_call_id == "own"


ASKS = [HookResult(decision="ask", message="sure?"), HookResult(decision="defer", message="sure?")]


@pytest.mark.parametrize("asking", ASKS, ids=["ask", "defer"])
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("allows", [True, False])
def test_on_ask_decides_about_asks_and_deferrals(api, make, run, asking, is_async, allows):
    api.on_pre_tool_use("", lambda payload, ctx: asking)
    asked: list[str] = []

    def on_ask(decision: Any) -> bool:
        asked.append(decision.message)
        return allows

    async def on_ask_async(decision: Any) -> bool:
        await asyncio.sleep(0)
        return on_ask(decision)

    tool = make()
    wrapping = {"on_ask": on_ask_async if is_async else on_ask}
    if allows:
        assert run(tool, **wrapping) is tool.result
    else:
        with pytest.raises(ToolBlocked, match=r"^sure\?\nby the program$"):
            run(tool, **wrapping)
    assert (len(tool.calls), asked) == (allows, ["the program: sure?"])


@pytest.mark.parametrize("asking", ASKS, ids=["ask", "defer"])
def test_without_anybody_to_ask_the_tool_is_blocked(api, make, run, asking):
    api.on_pre_tool_use("", lambda payload, ctx: asking)
    tool = make()
    with pytest.raises(ToolBlocked, match=r"^sure\?\nby the program$"):
        run(tool)
    assert tool.calls == []


class Person(UserInterface):
    """Says yes or no, and notes the question."""

    def __init__(self, answer: bool) -> None:
        self.answer = answer
        self.questions: list[tuple[str, str]] = []

    def confirm(self, title: str, message: str = "") -> bool:
        self.questions.append((title, message))
        return self.answer


@pytest.mark.parametrize("answer", [True, False])
@pytest.mark.parametrize("is_async", [False, True])
def test_a_person_is_asked_where_there_is_one(project, user_environment, answer, is_async):
    person = Person(answer)
    with HookRunner.discover(project.path, env=user_environment, ui=person) as runner:
        runner.on("PreToolUse", "", lambda payload, ctx: ASKS[0])
        wrapped = wrap_tool(echo_async if is_async else echo, runner)
        try:
            done = asyncio.run(_awaited(wrapped("x"))) if is_async else wrapped("x")
        except ToolBlocked:
            done = ""
    assert (done, person.questions) == ("x" if answer else "", [(f"Run {wrapped.__name__}?", "sure?")])


def test_handlers_can_ask_that_person_too(project, user_environment):
    with HookRunner.discover(project.path, env=user_environment, ui=Person(True)) as runner:
        asked: list[bool] = []
        runner.on("PreToolUse", "", lambda payload, ctx: asked.append(ctx.has_ui and ctx.ui.confirm("?")))
        runner.emit("pre", tool="bash")
    assert asked == [True]


HINT = "#!/bin/sh\necho 'md|hint'\n"


@pytest.mark.parametrize("is_async", [False, True])
def test_hints_and_feedback_of_a_call_go_to_on_hints(project, user_environment, make, way, is_async):
    project.script(".hookrun/hooks/post/bash.sh", HINT)
    handed: list[Any] = []

    def on_hints(hints: Any, feedback: Any) -> None:
        handed.append(([pending.hint.text for pending in hints], feedback))

    async def on_hints_async(hints: Any, feedback: Any) -> None:
        on_hints(hints, feedback)

    with HookRunner.discover(project.path, env=user_environment) as runner:
        runner.on("tool_result", "", deny_hook("the tests fail"))
        session = runner.session("s1", on_hints=on_hints_async if is_async else on_hints)
        for error in (None, ValueError("bad")):
            returned = session.wrap(make(error=error)).execute
            try:
                called = returned("c1", {})
                if way == "async":
                    asyncio.run(_awaited(called))
            except ValueError:
                pass
        assert handed == [(["hint"], ("the tests fail",))] * 2
        assert session.get_tool_hints() == []


def test_without_on_hints_they_wait_for_get_tool_hints(project, user_environment, make, way):
    project.script(".hookrun/hooks/post/bash.sh", HINT)
    with HookRunner.discover(project.path, env=user_environment) as runner:
        runner.on("PostToolUse", "", deny_hook("the tests fail"))
        session = runner.session("s1")
        called = session.wrap(make()).execute("c1", {})
        if way == "async":
            asyncio.run(_awaited(called))
        assert [pending.hint.text for pending in session.get_tool_hints()] == ["hint", "the tests fail"]
        assert session.get_tool_hints() == []


def test_feedback_without_a_hint_goes_to_on_hints(api, make, run):
    api.on_event("tool_result", "", deny_hook("the tests fail"))
    handed: list[Any] = []
    run(make(), on_hints=lambda hints, feedback: handed.append((hints, feedback)))
    assert handed == [([], ("the tests fail",))]


def test_on_hints_is_not_called_for_nothing(api, make, run):
    handed: list[Any] = []
    run(make(), on_hints=lambda hints, feedback: handed.append(hints))
    assert handed == []


def test_on_hints_that_fails_does_not_hide_the_tools_own_error(api, make, run):
    api.on_error(deny_hook("feedback"))
    error = ValueError("the tool's")
    with pytest.raises(ValueError, match="the tool's") as raised:
        run(make(error=error), on_hints=lambda hints, feedback: 1 / 0)
    assert raised.value is error


def test_a_session_gives_its_id_to_every_event(api, runner):
    seen: list[str] = []
    api.on_all_tool_use(lambda payload, ctx: seen.append(payload.session_id))
    session = runner.session("s1")
    session.wrap(echo)("x")
    session.emit("pre", tool="bash")
    asyncio.run(session.emit_async("pre", tool="bash"))
    assert (session.id, seen) == ("s1", ["s1"] * 4)


class Callable_:
    """A tool that is an object which can be called."""

    async def __call__(self, text: str) -> str:
        return await echo_async(text)


@pytest.mark.parametrize(
    "tool",
    [functools.partial(echo_async, times=1), Callable_(), lambda text: echo_async(text)],
    ids=["partial", "object", "plain function that returns a coroutine"],
)
def test_what_gives_a_coroutine_is_awaited_before_its_result_is_told(api, runner, tool):
    heard = hear(api, "tool_result")
    wrapped = wrap_tool(tool, runner, name="bash")

    async def main() -> str:
        return await wrapped("x")

    assert asyncio.run(main()) == "x"
    assert [event.content for event in heard] == [({"type": "text", "text": "x"},)]


def test_a_tool_may_be_given_another_name(api, runner):
    heard = hear(api, "tool_call")
    wrap_tool(Tool(), runner, name="write").execute("c1", {})
    wrap_tool(echo, runner, name="bash")("x")
    assert [event.tool_name for event in heard] == ["write", "bash"]


def test_all_public_names_are_there_and_known_to_type_checkers():
    import ast

    tree = ast.parse(Path(hookrun.__file__).read_text())
    named = {
        alias.asname
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert named == set(hookrun.__all__)
    assert all(getattr(hookrun, name).__doc__ for name in hookrun.__all__)
    assert set(hookrun.__all__) <= set(dir(hookrun))
    assert Path(hookrun.__file__).with_name("py.typed").is_file()
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        hookrun.Nothing  # noqa: B018
