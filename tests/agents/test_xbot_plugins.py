"""Plugins of xbot as they are in its repository: known keys, built-in plugins, and no rain of warnings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from firing import ALLOWED_BY_SILENCE, DENIED_BY_FAILURE, after_shell, before_shell, problems_of, ruling

if TYPE_CHECKING:
    from collections.abc import Callable

    from command import Ended, Project

IDENTITY = {"name": "p", "version": "1.0.0", "permissions": ["*"]}
HOST_KEYS = ["tools", "themes", "overlays", "configuration", "contextEnrichers", "channelProvider", "web"]


def plugin(project: Project, name: str, **more: Any) -> None:
    document = {"id": name, "runtime": "script", "entry": "sh p.sh", **IDENTITY, **more}
    document = {key: value for key, value in document.items() if value is not None}
    project.script(f".xbot/plugins/{name}/p.sh", "exit 0\n")
    project.script(f".xbot/plugins/{name}/plugin.json", json.dumps(document), mode=0o644)


def native(project: Project, *hooks: dict[str, Any], **more: Any) -> None:
    plugin(project, "core", runtime="native", entry=None, contributes={"hooks": list(hooks)}, **more)


def test_what_xbots_host_reads_is_known_and_listed(cli: Callable[..., Ended], project: Project):
    for key in HOST_KEYS:
        plugin(project, key.lower(), **{key: {"a": 1}})
        plugin(project, f"{key.lower()}2", contributes={key: [{"id": "x"}]})
    passed = before_shell(cli)
    assert (ruling(passed), passed.stderr, problems_of(passed)) == (ALLOWED_BY_SILENCE, "", "")
    assert cli("validate").stdout.splitlines()[-1].endswith("0 errors, 0 warnings")
    listed = json.loads(cli("list", "--format", "json").stdout)["skipped"]
    assert sum("is listed only" in skip["reason"] for skip in listed) == 2 * len(HOST_KEYS)


def test_a_plugin_that_is_part_of_xbot_is_listed_once_and_no_error(cli: Callable[..., Ended], project: Project):
    ui = [{"id": "w", "slot": "infoBar", "triggers": ["PostToolUse"]}]
    native(project, {"event": "PostToolUse", "matcher": "Shell*"}, {"event": "SessionStart"}, web={"x": 1})
    plugin(project, "bar", runtime="native", entry=None, contributes={"ui": ui, "tools": []})
    for fired in (before_shell(cli), after_shell(cli)):
        assert (ruling(fired), fired.stderr, problems_of(fired)) == (ALLOWED_BY_SILENCE, "", "")
    assert "0 errors, 0 warnings" in cli("validate").stdout
    listed = json.loads(cli("list", "--format", "json").stdout)
    assert listed["hooks"] == []
    assert [skip["reason"].startswith("part of xbot itself") for skip in listed["skipped"]] == [True, True]


def test_a_guard_of_a_plugin_that_is_part_of_xbot_cannot_start(cli: Callable[..., Ended], project: Project):
    native(project, {"event": "PreToolUse", "matcher": "Shell*"}, {"event": "PostToolUse"})
    denied = before_shell(cli)
    assert ruling(denied) == DENIED_BY_FAILURE
    assert "part of xbot itself" in denied.document["message"]
    assert cli("emit", "pre", "--tool", "FileRead", "--input", "{}").code == 0
    assert problems_of(after_shell(cli)) == ""
    assert "1 error," in cli("validate").stdout


def test_a_native_plugin_with_an_entry_is_a_module(cli: Callable[..., Ended], project: Project):
    text = "def hook(api):\n    api.on('tool_call', lambda event: {'block': True})\n"
    plugin(project, "own", runtime="native", entry="own.py")
    project.script(".xbot/plugins/own/own.py", text)
    assert before_shell(cli).code == 2
    plugin(project, "own", runtime="python", entry=None)
    assert "entry is missing" in cli("validate").stdout + cli("validate").stderr


OBSERVERS = {"hooks": [{"event": "PostToolUse", "timeout": "soon"}]}
FLAWS_OF_OTHERS: list[dict[str, Any]] = [
    {"colour": "red"},
    {"version": 1},
    {"contributes": {"ui": [{"id": "w", "slot": "nowhere"}]}},
    {"contributes": {"commands": [{"name": "a b"}]}},
]
FLAWS_THAT_MAY_HIDE_A_GUARD: list[dict[str, Any]] = [
    {"contributs": {"hooks": [{"event": "PreToolUse"}]}},
    {"contributes": {"hooks": [{"event": "PreToolsUse"}]}},
    {"contributes": {"hooks": ["PreToolUse"]}},
    {"contributes": {"hooks": [{"event": "PreToolUse", "matcher": "a||b"}]}},
]


@pytest.mark.parametrize("flaw", FLAWS_OF_OTHERS, ids=str)
def test_a_flaw_that_does_not_touch_the_event_is_left_to_list_and_validate(
    cli: Callable[..., Ended], project: Project, flaw: dict[str, Any]
):
    plugin(project, "p", **flaw)
    for fired in (before_shell(cli), after_shell(cli)):
        assert (problems_of(fired), fired.stderr) == ("", "")
    assert "p/plugin.json" in cli("list").stderr
    told = cli("validate").stdout
    assert "0 errors, 0 warnings" not in told
    assert "0 errors, 0 warnings" not in cli("doctor").stdout


@pytest.mark.parametrize("flaw", FLAWS_THAT_MAY_HIDE_A_GUARD, ids=str)
def test_a_flaw_that_may_hide_a_guard_is_told_where_it_would_guard(
    cli: Callable[..., Ended], project: Project, flaw: dict[str, Any]
):
    plugin(project, "p", **flaw)
    assert "p/plugin.json" in problems_of(before_shell(cli))
    assert problems_of(cli("emit", "stop", "--format", "json")) == ""


def test_a_flaw_of_a_hook_is_told_when_it_matches(cli: Callable[..., Ended], project: Project):
    plugin(project, "p", contributes=OBSERVERS, colour="red")
    assert "is not a duration" in problems_of(after_shell(cli))
    assert problems_of(cli("emit", "stop", "--format", "json")) == ""


def test_a_script_that_is_skipped_is_told_where_it_would_guard(cli: Callable[..., Ended], project: Project):
    project.script(".claude/hooks/pre/bash.sh", "exit 2\n", mode=0o644)
    assert "chmod +x" in problems_of(before_shell(cli))
    assert problems_of(cli("emit", "stop", "--format", "json")) == ""
