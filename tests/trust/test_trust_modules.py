"""Hook modules of a program that lives on: only trusted text is ever loaded, and changed text refused."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from trusted import plant, trust

from hookrun import HookrunError, HookRunner, discover_and_load_hooks, load_hooks

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hookrun import Decision

MODULE = ".hookrun/hooks/guard.py"
NEIGHBOUR = ".hookrun/hooks/_helper.py"
BLOCK = """
def hook(api):
    api.on('tool_call', lambda event, ctx: {'block': True, 'reason': 'by the module'})
"""
OTHER = BLOCK.replace("by the module", "by another text")
LATE = """
def hook(api):
    helper = __import__('_hel' + 'per')
    api.on('tool_call', lambda event, ctx: helper.answer)
"""
DENIED = ("deny", "trust")
BLOCKED = ("deny", "guard")
SILENT = (None, None)
ASKED = ("ask", "trust")


@pytest.fixture
def discover(project, untrusting) -> Callable[..., HookRunner]:
    return lambda **options: HookRunner.discover(project.path, env=untrusting, **options)


def before_shell(runner: HookRunner) -> Decision:
    return runner.emit("PreToolUse", tool="Shell", tool_input={"command": "ls"})


def says(runner: HookRunner) -> tuple[str | None, str | None]:
    decision = before_shell(runner)
    return decision.verdict.word, decision.decided_by


def marked(path: Path, text: str = BLOCK) -> str:
    return f"open({str(path)!r}, 'a').close()\n{text}"


def test_emit_tool_call_raises_for_an_untrusted_module_where_that_is_a_deny(project, discover):
    project.script(MODULE, BLOCK)
    with discover(on_untrusted="deny") as runner:
        assert says(runner)[0] == "deny"
        with pytest.raises(HookrunError) as raised:
            runner.emit_tool_call("Shell", {})
        assert raised.value.where.endswith(MODULE)
        assert runner.emit_tool_result("Shell", {}) is None
    with discover(on_untrusted="skip") as runner:
        assert runner.emit_tool_call("Shell", {}) is None


def test_an_untrusted_module_is_not_loaded(project, discover, tmp_path):
    mark = tmp_path / "mark"
    project.script(MODULE, marked(mark))
    with discover() as runner:
        assert says(runner) == ASKED
        assert runner.emit_tool_call("Shell", {}) is None
        assert not runner.has_handlers("tool_call")
    assert not mark.exists()
    with discover(trust="project") as runner:
        assert says(runner) == BLOCKED
    assert mark.exists()


def test_a_module_that_is_trusted_under_a_runner_is_loaded_then(cli, project, discover):
    project.script(MODULE, BLOCK)
    with discover() as runner:
        assert says(runner) == ASKED
        trust(cli)
        assert says(runner) == BLOCKED
        assert before_shell(runner).message.endswith("by the module")


def test_a_module_that_is_trusted_under_a_runner_is_loaded_in_async_code(cli, project, discover):
    project.script(MODULE, BLOCK)

    async def fire(runner: HookRunner) -> str | None:
        return (await runner.emit_async("PreToolUse", tool="Shell", tool_input={})).verdict.word

    with discover() as runner:
        assert asyncio.run(fire(runner)) == "ask"
        trust(cli)
        assert asyncio.run(fire(runner)) == "deny"


def test_a_module_that_was_changed_when_it_was_found_is_loaded_when_it_is_put_back(cli, project, discover):
    module = project.script(MODULE, BLOCK)
    trust(cli)
    module.write_text(OTHER)
    with discover() as runner:
        assert says(runner) == DENIED
        with pytest.raises(HookrunError, match="changed since it was trusted"):
            runner.emit_tool_call("Shell", {})
        module.write_text(BLOCK)
        assert says(runner) == BLOCKED


def test_a_module_that_changes_under_a_runner_is_refused(cli, project, discover):
    module = project.script(MODULE, BLOCK)
    trust(cli)
    with discover() as runner:
        assert says(runner) == BLOCKED
        assert runner.emit_tool_call("Shell", {}) == {"block": True, "reason": "by the module"}
        module.write_text(OTHER)
        assert says(runner) == DENIED
        with pytest.raises(HookrunError, match="changed since it was trusted"):
            runner.emit_tool_call("Shell", {})
        module.write_text(BLOCK)
        assert says(runner) == BLOCKED


def test_a_module_that_is_trusted_anew_needs_another_runner(cli, project, discover):
    module = project.script(MODULE, BLOCK)
    trust(cli)
    with discover() as runner:
        assert says(runner) == BLOCKED
        module.write_text(OTHER)
        trust(cli)
        assert says(runner) == DENIED
    with discover() as runner:
        assert before_shell(runner).message.endswith("by another text")


@pytest.mark.parametrize("way", ["in a child", "in the program"])
def test_a_module_that_imports_what_nobody_saw_is_a_failed_guard(way, cli, project, discover):
    project.script(NEIGHBOUR, "answer = None\n")
    project.script(MODULE, LATE)
    trust(cli)

    def decided() -> tuple[str | None, str | None, str]:
        if way == "in a child":
            words = ("emit", "pre", "--tool", "Shell", "--input", "{}", "--format", "json")
            document: Any = cli(*words).document
            return document["decision"], document["decided_by"], document["message"]
        with discover() as runner:
            decision = before_shell(runner)
            return decision.verdict.word, decision.decided_by, decision.message

    verdict, by, message = decided()
    assert (verdict, by) == ("deny", "failure")
    assert "_helper.py was not trusted" in message
    project.script(MODULE, LATE.replace("'_hel' + 'per'", "'_helper'").replace("def", "import _helper\ndef", 1))
    trust(cli)
    assert decided()[0] is None


def test_a_neighbour_that_is_edited_is_an_edit_of_the_module(cli, project, discover):
    neighbour = project.script(NEIGHBOUR, "answer = None\n")
    project.script(MODULE, "import _helper\ndef hook(api):\n    pass\n")
    trust(cli)
    with discover() as runner:
        assert says(runner) == SILENT
    neighbour.write_text("answer = 1\n")
    with discover() as runner:
        assert says(runner) == DENIED
    trust(cli)
    with discover() as runner:
        assert says(runner) == SILENT


def test_compiled_python_that_was_planted_beside_a_module_does_not_run(cli, project, discover, tmp_path):
    mark = tmp_path / "mark"
    neighbour = project.script(NEIGHBOUR, "#" * 200)
    project.script(MODULE, f"import _helper\n{BLOCK}")
    trust(cli)
    plant(neighbour, f"open({str(mark)!r}, 'w').close()\n".ljust(200, "#"))
    with discover() as runner:
        assert says(runner) == BLOCKED
    assert not mark.exists()
    subprocess.run([sys.executable, "-c", "import _helper"], cwd=neighbour.parent, check=True)
    assert mark.exists()


def test_discover_and_load_hooks_loads_what_is_trusted_alone(cli, project, untrusting, monkeypatch, tmp_path):
    mark = tmp_path / "mark"
    module = project.script(MODULE, marked(mark))
    named = project.script("named.py", BLOCK)
    for name, value in untrusting.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("HOOKRUN_TRUST", raising=False)
    found = discover_and_load_hooks([str(named)], str(project.path))
    assert [registered.owner for registered in found.hooks] == [str(named)]
    assert [(error.path, error.error) for error in found.errors] == [(str(module), "it is not trusted yet")]
    assert not mark.exists()
    trust(cli, MODULE)
    found = discover_and_load_hooks([], str(project.path))
    assert [registered.owner for registered in found.hooks] == [str(module)]
    assert found.errors == ()
    assert mark.exists()
    module.write_text(OTHER)
    (error,) = discover_and_load_hooks([], str(project.path)).errors
    assert "changed since it was trusted" in error.error


def test_who_names_a_path_trusts_it(project, discover):
    module = project.script("elsewhere.py", BLOCK)
    assert len(load_hooks([str(module)]).hooks) == 1
    with discover(hooks=[str(module)]) as runner:
        assert says(runner) == BLOCKED
