"""HookRunner as a program uses it: discovering, firing, hints, handlers without a file, what it refuses."""

from __future__ import annotations

import inspect
import os
from typing import TYPE_CHECKING, Any

import pytest

from hookrun import HookrunError, HookRunner, UsageError, Verdict, deny_hook
from hookrun.runner import FireOptions
from hookrun.runner.runner import DiscoverOptions
from hookrun.runner.wrapping import WrapOptions, wrap_tool

if TYPE_CHECKING:
    from collections.abc import Callable

    from command import Project

BLOCK = "def hook(api):\n    api.on('tool_call', lambda event, ctx: {'block': True})\n"
DENY = "#!/bin/sh\necho no >&2\nexit 2\n"
HINT = "#!/bin/sh\necho 'md|hint of '$HOOKRUN_COMMAND\n"


@pytest.fixture
def discover(project: Project, user_environment: dict[str, str]) -> Callable[..., HookRunner]:
    """Discover the test's project; closed by whoever opens it."""
    return lambda **options: HookRunner.discover(project.path, env=user_environment, **options)


def test_without_hooks_nothing_is_decided(runner):
    decision = runner.emit("PreToolUse", tool="Shell", tool_input={"command": "ls"}, session_id="s1")
    assert (decision.verdict, decision.answers, decision.total) == (Verdict.NO_OPINION, (), 0)
    assert decision.event.kinds == ("shell",)
    assert runner.problems == ()


def test_the_working_directory_is_the_default_place(project, user_environment, monkeypatch):
    project.script(".claude/hooks/pre/bash.sh", DENY)
    monkeypatch.chdir(project.path)
    with HookRunner.discover(env=user_environment) as runner:
        assert runner.emit("pre", tool="Bash").verdict.word == "deny"


@pytest.mark.parametrize(
    ("function", "options", "others"),
    [(HookRunner.discover, DiscoverOptions, {"further"}), (wrap_tool, WrapOptions, {"tool", "runner", "name"})],
)
def test_every_option_is_an_argument_of_its_own(function, options, others):
    parameters = inspect.signature(function).parameters
    defaults = {name: parameter.default for name, parameter in parameters.items() if name not in others}
    fresh = options().as_dict()
    assert defaults.keys() <= fresh.keys()
    assert [name for name, default in defaults.items() if (default or None) != (fresh[name] or None)] == []


def test_an_argument_that_discover_does_not_know_is_refused(discover):
    with pytest.raises(TypeError, match="unknown or missing: colour"):
        discover(colour="blue")


def test_a_place_that_is_not_there_is_a_problem(user_environment, tmp_path):
    with HookRunner.discover(tmp_path / "gone", env=user_environment) as runner:
        (problem,) = runner.problems
    assert (problem.source, problem.hint) == (str(tmp_path / "gone"), "give discover() a directory that exists")


def test_further_hooks_may_be_given_by_their_path(project, discover):
    script = project.script("guard.sh", DENY)
    module = project.script("guard.py", "def hook(api):\n    api.on('tool_call', lambda e, c: {'block': True})\n")
    for path in (script, module):
        with discover(hooks=[str(path)]) as runner:
            assert runner.emit("pre", tool="Bash").verdict.word == "deny"
    with discover() as runner:
        assert runner.emit("pre", tool="Bash").verdict.word is None


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("def hook(api):\n    1 / 0\n", "deny"),
        ("from os import path as hook\n", "deny"),
        (f"#!/usr/bin/env python3\n{BLOCK}", "deny"),
        (f"{BLOCK}if __name__ == '__main__':\n    print('a module')\n", "deny"),
        ("import impl\nhook, other = impl.hook, 1\n", "deny"),
        ("import impl\nwith open('/dev/null'):\n    default = impl.hook\n", "deny"),
        ("from impl import hook as default\n", "deny"),
        ("from impl import *\n", "deny"),
        ("from os.path import *\n", "deny"),
        ("def main():\n    hook = 1\n    return [default for default in '']\nmain()\n", None),
        ("#!/usr/bin/env python3\nimport sys\nsys.exit(2)\n", "deny"),
        ("try:\n    from a import hook\nexcept ImportError:\n    hook = lambda api: None\n", None),
        ("def hook(api:\n", "deny"),
        ("def default(api:\n", "deny"),
    ],
)
def test_a_python_file_that_is_given_is_a_module_when_it_binds_a_hook(project, discover, text, word):
    project.script("impl.py", BLOCK)
    path = project.script("given.py", text)
    with discover(hooks=[str(path)]) as runner:
        assert runner.emit("pre", tool="Bash").verdict.word == word


def test_tools_of_an_agent_of_its_own_are_given_their_kind(project, discover):
    project.script(".claude/hooks/pre/bash.sh", DENY)
    with discover(tools={"launch": "shell"}) as runner:
        assert runner.emit("pre", tool="launch").verdict.word == "deny"
    with discover() as runner:
        decision = runner.emit("pre", tool="launch")
        assert decision.verdict.word is None
        assert [problem.message for problem in decision.problems] == ["no agent has a tool 'launch'"]


def test_state_may_be_kept_elsewhere(project, discover, tmp_path):
    project.script(".claude/hooks/post/bash.sh", HINT)
    with discover(store=str(tmp_path / "own")) as runner:
        runner.emit("post", tool="Bash", tool_input={"command": "x"})
    assert (tmp_path / "own/state.sqlite3").exists()
    with discover() as other:
        assert other.get_tool_hints() == []
    with discover(store=str(tmp_path / "own")) as same:
        assert len(same.get_tool_hints()) == 1


def test_hints_are_handed_out_once(project, discover):
    project.script(".claude/hooks/post/bash.sh", HINT)
    with discover() as runner:
        decision = runner.emit("post", tool="Bash", tool_input={"command": "x"}, session_id="s1")
        assert [hint.text for hint in decision.hints] == ["hint of x"]
        assert runner.get_tool_hints() == []
        assert len(runner.get_tool_hints(session_id="s1", peek=True)) == 1
        assert len(runner.get_tool_hints(session_id="s1")) == 1
        assert runner.get_tool_hints(session_id="s1") == []


def test_the_content_of_one_hooks_hint_can_be_read_without_taking_it(project, discover):
    project.script(".claude/hooks/post/bash.sh", HINT)
    project.script(".claude/hooks/post/_all.sh", "#!/bin/sh\necho 'diff|other'\n")
    with discover() as runner:
        hooks = {os.path.basename(hook.file): hook for hook in runner.loaded.registry.in_force}
        assert runner.get_hint_content(hooks["bash.sh"]) is None
        for number, call in enumerate(("c1", "c2")):
            runner.emit("post", tool="Bash", tool_input={"command": number}, tool_call_id=call)
            runner.emit("post", tool="Bash", tool_input={"command": str(number)}, tool_call_id=call)
        assert runner.get_hint_content(hooks["bash.sh"]) == "hint of 1"
        assert runner.get_hint_content(hooks["bash.sh"].id, call_id="c1") == "hint of 0"
        assert runner.get_hint_content(hooks["_all.sh"], call_id="c1") == "other"
        assert runner.get_hint_content(hooks["bash.sh"], session_id="another") is None
        assert runner.get_hint_content("no such hook") is None
        assert len(runner.get_tool_hints()) == 4


@pytest.mark.parametrize(
    ("name", "values", "complaint"),
    [
        ("PreTolUse", {"tool": "Bash"}, "unknown event 'PreTolUse'"),
        ("pre", {}, "PreToolUse is about a tool, and no tool is named"),
        ("pre", {"tool": "Bash", "dialect": "klingon"}, "unknown dialect 'klingon'"),
    ],
)
def test_a_wrong_call_is_an_error(runner, name, values, complaint):
    with pytest.raises(UsageError, match=complaint):
        runner.emit(name, **values)


def test_an_unknown_field_is_an_error(runner):
    with pytest.raises(TypeError, match="sesion_id"):
        runner.emit("pre", tool="Bash", sesion_id="s1")


def test_wishes_choose_hooks_and_plan_without_running(project, discover):
    project.script(".hookrun/hooks/a.py", "def hook(api):\n    api.on('tool_call', lambda e, c: {'block': True})\n")
    project.script(".claude/hooks/pre/bash.sh", DENY)
    with discover() as runner:
        planned = runner.emit("pre", tool="Bash", options=FireOptions(dry_run=True))
        assert [answer.status for answer in planned.answers] == ["planned", "planned"]
        assert planned.verdict.word is None
        only = runner.emit("pre", tool="Bash", options=FireOptions(only=(".claude/hooks/pre/bash.sh",)))
        assert [answer.hook.title for answer in only.answers] == [".claude/hooks/pre/bash.sh"]


def test_answers_come_in_the_order_of_the_registry_with_the_programs_own_last(project, discover):
    module = "def hook(api):\n    api.on('tool_call', lambda e, c: {'reason': 'x'})\n"
    project.script(".hookrun/hooks/b.py", module)
    project.script(".hookrun/hooks/pre/bash.sh", DENY)
    project.script(".claude/hooks/pre/shell.sh", DENY)
    with discover() as runner:
        runner.on("pre", "", deny_hook("the program says no"))
        titles = [answer.hook.title for answer in runner.emit("pre", tool="Bash").answers]
    assert titles == [".hookrun/hooks/pre/bash.sh", ".hookrun/hooks/b.py", ".claude/hooks/pre/shell.sh", "the program"]


def test_a_handler_of_a_module_may_register_another(api, runner):
    called: list[int] = []

    @api.on("turn_start")
    def first(event: Any, ctx: Any) -> None:
        called.append(1)
        api.on("turn_end", lambda event, ctx: called.append(2))

    runner.emit("turn_end")
    runner.emit("turn_start")
    runner.emit("turn_end")
    assert called == [1, 2]


def test_nested_too_deeply_nothing_is_called(project, user_environment):
    project.script(".hookrun/hooks/a.py", "def hook(api):\n    api.on('turn_end', lambda e, c: 1 / 0)\n")
    for depth, statuses in (("5", ["failed"]), ("6", ["over_limit"])):
        environment = user_environment | {"HOOKRUN_DEPTH": depth}
        with HookRunner.discover(project.path, env=environment) as runner:
            assert [answer.status for answer in runner.emit("turn_end").answers] == statuses


def test_an_isolated_runner_takes_no_handlers(discover):
    with discover(is_isolated=True) as runner:
        with pytest.raises(HookrunError, match="loads no modules here"):
            runner.on("pre", "", print)
        assert runner.emit("pre", tool="Bash").verdict.word is None


def test_a_runner_that_is_not_isolated_has_no_child(runner):
    with pytest.raises(HookrunError, match="loaded here"):
        runner.handlers.isolated  # noqa: B018


def test_the_library_prints_nothing(project, discover, capfd):
    project.script(".hookrun/hooks/a.py", "1 / 0\n")
    project.script(".hookrun/hooks/b.py", "def hook(api):\n    api.on('turn_end', lambda e, c: 1 / 0)\n")
    project.script(".claude/hooks/pre/bash.sh", "#!/bin/sh\necho out; echo err >&2; exit 9\n")
    project.script(".hookrun/plugins/x/plugin.json", "{")
    with discover() as runner:
        assert len(runner.problems) == 2
        runner.emit("pre", tool="Bash")
        runner.emit("turn_end")
        runner.emit("pre", tool="no such tool")
    assert capfd.readouterr() == ("", "")
