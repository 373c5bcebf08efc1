"""Rules of both systems, each asserted by the very word that the rule turns on."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from firing import PASS
from trusted import trust

from hookrun import HookRunner, UserInterface

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from command import Ended, Project

    from hookrun import HookAPI

SAYS = """
def hook(api):
    api.on("tool_call", lambda event: {{"block": True, "reason": "{0}"}})
    api.on("tool_result", lambda event: {{"content": [{{"type": "text", "text": "{0}"}}]}})
    api.on("before_agent_start", lambda event: {{"message": {{"content": "{0}"}}}})
    api.on_event("AgentStop", "", lambda payload: {{"decision": "deny", "message": "{0}"}})
"""


@pytest.fixture
def modules(project: Project) -> Project:
    """Two modules, the later of which is written first."""
    for name in ("zwei", "eins"):
        text = SAYS.format(name)
        project.script(f".hookrun/hooks/{'b' if name == 'zwei' else 'a'}.py", text, mode=0o644)
    return project


def test_handlers_run_in_the_order_of_modules(modules: Project, user_environment: dict[str, str]):
    with HookRunner.discover(modules.path, env=user_environment) as runner:
        assert "eins" in runner.emit("tool_call", tool="bash").message
        assert "zwei" not in runner.emit("tool_call", tool="bash").message
        last = runner.emit("tool_result", tool="bash").result
        first = runner.emit("before_agent_start").result
        both = runner.emit("AgentStop").message
    assert last == {"content": [{"type": "text", "text": "zwei"}]}
    assert first == {"message": {"content": "eins"}}
    assert both.index("eins") < both.index("zwei")


def test_so_they_do_under_the_command_line(cli: Callable[..., Ended], modules: Project):
    blocked = cli("emit", "tool_call", "--tool", "bash")
    assert (blocked.code, blocked.stdout) == (2, "deny: .hookrun/hooks/a.py: eins\n")
    assert '"zwei"' in cli("emit", "tool_result", "--tool", "bash").stdout
    assert '"eins"' in cli("emit", "before_agent_start").stdout


def test_sources_are_in_the_order_of_their_priority(
    cli: Callable[..., Ended], project: Project, user_environment: dict[str, str]
):
    for folder in (".claude", ".xcsh", ".hookrun"):
        project.script(f"{folder}/hooks/post/bash.sh", PASS)
        with HookRunner.discover(project.path, env=user_environment) as runner:
            (kept,) = [hook for hook in runner.loaded.registry.in_force if hook.key.endswith("bash.sh")]
        assert kept.source == folder[1:]  # the one with the higher priority takes the key
    project.script(".hookrun/hooks/post/read.sh", PASS)
    plugin = '{"id": "x", "name": "x", "version": "1.0.0", "runtime": "script", "entry": "true", '
    plugin += '"permissions": ["*"], "contributes": {"hooks": [{"event": "PostToolUse"}]}}'
    project.script(".xbot/plugins/x/plugin.json", plugin, mode=0o644)
    project.script(".xcsh/hooks/post/write.sh", PASS)
    project.script(".claude/hooks/post/edit.sh", PASS)
    with HookRunner.discover(project.path, env=user_environment) as runner:
        found = runner.loaded.registry.in_force
    assert list(dict.fromkeys(hook.source for hook in found)) == ["hookrun", "xbot", "xcsh", "claude"]
    assert [hook.order for hook in found] == sorted((hook.order for hook in found), reverse=True)


RESULTS: list[tuple[str, dict[str, Any]]] = [
    ("tool_call", {"block": False, "reason": "r"}),
    ("tool_result", {"content": [], "details": {"n": 1}, "is_error": True}),
    ("context", {"messages": [{"role": "user"}]}),
    ("before_agent_start", {"message": {"custom_type": "t", "content": "c", "display": True, "details": {"n": 1}}}),
    ("session_before_switch", {"cancel": False}),
    ("session_before_branch", {"cancel": False, "skip_conversation_restore": True}),
    ("session_before_compact", {"cancel": False, "compaction": {"summary": "s", "tokens_before": 9}}),
    ("session_before_tree", {"cancel": False, "summary": {"summary": "s", "details": {"n": 1}}}),
    ("session.compacting", {"context": ["c"], "prompt": "p", "preserve_data": {"n": 1}}),
]


@pytest.mark.parametrize(("name", "result"), RESULTS, ids=[name for name, _ in RESULTS])
def test_each_event_has_all_that_its_result_may_hold(
    api: HookAPI, runner: HookRunner, name: str, result: dict[str, Any]
):
    api.on(name, lambda event: result)
    decision = runner.emit(name, tool="bash" if name.startswith("tool") else "")
    assert (decision.result, decision.problems) == (result, ())


class Coloured(UserInterface):
    """A person's terminal."""

    @property
    def theme(self) -> Mapping[str, Callable[[str], str]]:
        """Show what is right in green."""
        return {"ok": lambda text: f"<green>{text}</green>"}


def test_a_context_has_the_theme_of_the_person(project: Project, user_environment: dict[str, str]):
    shown: list[str] = []

    async def show(event: Any, ctx: Any) -> None:
        shown.append(ctx.ui.theme["ok"]("async"))

    with HookRunner.discover(project.path, env=user_environment, ui=Coloured()) as runner:
        runner.on("SessionStart", "", lambda payload, ctx: shown.append(ctx.ui.theme["ok"]("sync")))
        runner.on("SessionStart", "", show)
        assert runner.emit("SessionStart").problems == ()
        asyncio.run(runner.emit_async("SessionStart"))
    assert shown == ["<green>sync</green>", "<green>async</green>"] * 2


CHANGING = """
def hook(api):
    @api.on("tool_result")
    def answer(event):
        with open(__file__, "a") as file:
            file.write("# more")
        return {"content": [{"type": "text", "text": "x"}]}
"""


def test_what_a_module_says_that_changes_while_it_runs_is_no_result(
    cli: Callable[..., Ended], project: Project, untrusting: dict[str, str]
):
    text = CHANGING.replace("file.write", "str")
    project.script(".hookrun/hooks/a.py", text, mode=0o644)
    module = project.script(".hookrun/hooks/b.py", CHANGING, mode=0o644)
    trust(cli)
    with HookRunner.discover(project.path, env=untrusting) as runner:
        decision = runner.emit("PostToolUse", tool="read", tool_input={"path": "a"})
    assert module.read_text().endswith("# more")
    assert decision.result is None
    assert "while it ran" in "".join(problem.message for problem in decision.problems)
