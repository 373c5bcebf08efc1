"""Slash commands and renderers that modules register, in the library and under `hookrun run`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hookrun import AsyncCommandContext, CommandContext, HookRunner, Host, SessionChange, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from command import Project

GREETER = """
def hook(api):
    @api.register_command("{name}", description="from {name}")
    def handler(args, ctx):
        return "{says} " + args
    @api.register_message_renderer("note")
    def renderer(message):
        return "{says}"
"""


@pytest.fixture
def module(project: Project) -> Callable[[str, str], Path]:
    """Write a module into the project's hooks."""
    return lambda name, text: project.script(f".hookrun/hooks/{name}.py", text, mode=0o644)


def test_of_a_name_registered_twice_the_first_loaded_wins_and_all_are_listed(project, user_environment, module):
    module("a", GREETER.format(name="/hello", says="a"))
    module("b", GREETER.format(name="hello", says="b"))
    module("c", GREETER.format(name="other", says="c"))
    with HookRunner.discover(project.path, env=user_environment) as runner:
        for name in ("hello", "/hello"):
            command = runner.get_command(name)
            assert command is not None
            assert (command.description, runner.run_command(name, "you")) == ("from /hello", "a you")
        assert [each.name for each in runner.get_registered_commands()] == ["/hello", "hello", "other"]
        assert runner.get_command("unknown") is None


def test_the_first_renderer_of_a_type_wins(project, user_environment, module):
    module("a", GREETER.format(name="x", says="a"))
    module("b", GREETER.format(name="y", says="b"))
    with HookRunner.discover(project.path, env=user_environment) as runner:
        renderer = runner.get_message_renderer("note")
        assert renderer is not None
        assert renderer({}) == "a"
        assert runner.get_message_renderer("other") is None


def test_an_unknown_command_names_the_nearest(api, runner):
    api.register_command("handoff", handler=lambda args, ctx: None)
    with pytest.raises(UsageError, match="no module has a command 'handof'") as raised:
        runner.run_command("handof")
    assert raised.value.hint == "did you mean handoff?"


@pytest.mark.parametrize("register", ["register_command", "register_message_renderer"])
def test_what_cannot_be_called_is_no_handler(api, register):
    with pytest.raises(TypeError, match="cannot be called"):
        getattr(api, register)("name", **{"handler" if "command" in register else "renderer": "text"})


class Agent(Host):
    """Notes what it is asked for."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    @property
    def session_file(self) -> str:
        return "/s/1"

    def wait_for_idle(self) -> None:
        self.asked.append("idle")

    def new_session(self, *, parent_session: Any = None, setup: Any = None) -> SessionChange:
        self.asked.append((parent_session, setup))
        return SessionChange()


@pytest.mark.parametrize("is_async", [False, True])
def test_a_command_can_change_the_session(project, user_environment, module, is_async):
    text = """
def hook(api):
    @api.register_command("handoff")
    async def handoff(args, ctx):
        await ctx.wait_for_idle()
        change = await ctx.new_session(parent_session=ctx.session.file, setup=print)
        return (change.cancelled, type(ctx).__name__, args)
"""
    module("a", text if is_async else text.replace("async ", "").replace("await ", ""))
    agent = Agent()
    with HookRunner.discover(project.path, env=user_environment, host=agent) as runner:
        kind = AsyncCommandContext if is_async else CommandContext
        assert runner.run_command("handoff", "now") == (False, kind.__name__, "now")
    assert agent.asked == ["idle", ("/s/1", print)]


def test_what_a_command_raises_is_raised(api, runner):
    @api.register_command("bad")
    def bad(args: str, ctx: Any) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        runner.run_command("bad")


def test_what_a_command_keeps_belongs_to_its_session(api, runner):
    api.register_command("keep", handler=lambda args, ctx: api.append_entry("k", args))
    runner.run_command("keep", "a", session_id="s1")
    assert [entry["data"] for entry in runner.store.entries("s1")] == ["a"]


def test_run_runs_the_command_of_a_module(cli, module):
    module("a", GREETER.format(name="/hello", says="hello"))
    ran = cli("run", "hello", "two words", "x")
    assert (ran.code, ran.stdout, ran.stderr) == (0, "hello 'two words' x\n", "")


def test_run_shows_what_a_command_prints_and_then_returns(cli, module):
    module(
        "a",
        "def hook(api):\n    @api.register_command('c')\n    def c(args, ctx):\n"
        "        print('printed')\n        return 'returned'\n",
    )
    assert cli("run", "c").stdout == "printed\nreturned\n"
    document = cli("run", "--format", "json", "c").document
    assert (document["name"], document["status"], document["exit_code"]) == ("c", "ran", 0)
    assert document["stdout"] == "printed\nreturned"


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("raise ValueError('no')", "its handler failed: ValueError: no (line 5)"),
        ("raise SystemExit(0)", "its handler failed: RuntimeError: called exit(0) (line 5)"),
        ("os._exit(0)", "its handler ended the process with exit code 0"),
        ("while True: pass", "its handler did not end in time (0.5 s)"),
    ],
)
def test_a_command_that_fails_exits_1_and_says_why(cli, project, module, line, complaint):
    project.script(".hookrun/config.yaml", "limits: {command_seconds: 0.5}\n")
    module("a", f"import os\ndef hook(api):\n    @api.register_command('c')\n    def c(args, ctx):\n        {line}\n")
    ran = cli("run", "c")
    assert (ran.code, ran.stdout) == (1, "")
    assert f"error: .hookrun/hooks/a.py: {complaint}\n" in ran.stderr


def test_without_an_agent_session_changes_are_cancelled_and_nothing_hangs(cli, module):
    module(
        "a",
        "def hook(api):\n    @api.register_command('c')\n    async def c(args, ctx):\n"
        "        await ctx.wait_for_idle()\n"
        "        changes = [await ctx.new_session(), await ctx.branch('e'), await ctx.navigate_tree('t')]\n"
        "        return str([change.cancelled for change in changes])\n",
    )
    assert cli("run", "c").stdout == "[True, True, True]\n"


def test_run_lists_the_commands_of_plugins_and_modules(cli, project, module):
    project.manifest("demo", script="echo plugin\n", commands=[{"name": "hello", "description": "Plugin"}])
    module("a", GREETER.format(name="hello", says="module"))
    module("b", GREETER.format(name="/other", says="module"))
    listed = cli("run")
    assert listed.stdout == "hello   Plugin       demo\n/other  from /other  .hookrun/hooks/b.py\n"
    assert cli("run", "hello").stdout == "plugin\n"
    assert [each["name"] for each in cli("run", "--format", "json").document] == ["hello", "/other"]


def test_a_module_that_cannot_be_loaded_is_told_and_costs_no_other_command(cli, module):
    module("a", "1 / 0\n")
    module("b", GREETER.format(name="hello", says="hello"))
    for words in (("run",), ("run", "hello")):
        ran = cli(*words)
        assert (ran.code, "hello" in ran.stdout) == (0, True)
        assert "a.py: the module cannot be loaded: ZeroDivisionError" in ran.stderr


def test_an_unknown_name_is_a_usage_error_with_the_nearest_of_all(cli, module):
    module("a", GREETER.format(name="/hello", says="hello"))
    ran = cli("run", "helo")
    assert ran.code == 64
    assert "error: unknown command 'helo'\nhint: did you mean hello?\n" in ran.stderr


def test_what_a_command_of_the_command_line_keeps_is_kept(cli, project, user_environment, module):
    module("a", 'def hook(api):\n    api.register_command("c", handler=lambda a, c: api.append_entry("k", a))\n')
    assert cli("run", "c", "x").code == 0
    with HookRunner.discover(project.path, env=user_environment) as runner:
        assert [entry["data"] for entry in runner.store.entries(runner.config.root)] == ["x"]


def test_completion_of_commands_loads_no_module(cli, project, module):
    module("a", "open('loaded', 'w').close()\n" + GREETER.format(name="hello", says="x"))
    project.manifest("demo", commands=[{"name": "review"}])
    asked = {"_HOOKRUN_COMPLETE": "complete_bash", "COMP_WORDS": "hookrun run r", "COMP_CWORD": "2"}
    assert cli(env=asked).stdout == "review\n"
    assert not (project.path / "loaded").exists()
    cli("run")
    assert (project.path / "loaded").exists()
