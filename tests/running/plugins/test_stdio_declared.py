"""What a stdio plugin is asked about: its manifest starts it, activate subscribes; a difference is told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from firing import ALLOWED_BY_SILENCE, DENIED_BY_FAILURE, DENIED_BY_GUARD, before_shell, problems_of, ruling

if TYPE_CHECKING:
    from collections.abc import Callable

    from command import Ended, Project

PLUGIN = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "hook":
        answer = {"hook_result": {"decision": "deny", "message": request["params"]["event"]}}
    else:
        answer = ACTIVATED
    print(json.dumps(answer), flush=True)
"""


def plugin(project: Project, activated: Any, *declared: str, permissions: tuple[str, ...] = ("hooks.subscribe",)):
    folder = ".xbot/plugins/live/"
    document = {
        "id": "live",
        "name": "live",
        "version": "1.0.0",
        "runtime": "grpc",
        "entry": "python3 main.py",
        "permissions": list(permissions),
    }
    if declared:
        document["contributes"] = {"hooks": [{"event": event} for event in declared]}
    project.script(folder + "plugin.json", json.dumps(document), mode=0o644)
    project.script(folder + "main.py", f"ACTIVATED = {activated!r}\n{PLUGIN}", mode=0o644)


def subscribing(*events: str, matcher: str = "") -> dict[str, Any]:
    return {"hooks": [{"event": event, "matcher": matcher} for event in events]}


def test_a_plugin_that_declares_nothing_is_asked_about_what_it_subscribes_to(
    cli: Callable[..., Ended], project: Project
):
    plugin(project, subscribing("PreToolUse", matcher="Shell*"))
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    assert cli("emit", "pre", "--tool", "FileRead", "--input", "{}").code == 0
    assert cli("emit", "prompt", "--prompt", "hi").code == 0


def test_a_plugin_that_declares_nothing_is_listed_checked_and_explained(cli: Callable[..., Ended], project: Project):
    plugin(project, subscribing("UserPromptSubmit"))
    assert "every event" in cli("list").stdout
    assert "its events are known when it is activated" in cli("list").stdout
    assert "checked 1 hook" in cli("validate").stdout
    assert "cannot be known in advance, so it is called" in cli("explain", "prompt", "--prompt", "hi").stdout
    assert cli("emit", "prompt", "--prompt", "hi").code == 2


def test_a_plugin_that_neither_declares_nor_subscribes_is_asked_about_nothing(
    cli: Callable[..., Ended], project: Project
):
    plugin(project, {})
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


def test_a_plugin_without_the_permission_is_no_hook(cli: Callable[..., Ended], project: Project):
    plugin(project, subscribing("PreToolUse"), permissions=())
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    assert "checked 0 hooks" in cli("validate").stdout


def test_a_plugin_that_declares_nothing_and_cannot_be_activated_denies(cli: Callable[..., Ended], project: Project):
    plugin(project, {"error": "not today"})
    denied = before_shell(cli)
    assert ruling(denied) == DENIED_BY_FAILURE
    assert "not today" in denied.document["message"]


def test_what_only_activate_or_only_the_manifest_names_is_told(cli: Callable[..., Ended], project: Project):
    plugin(project, subscribing("UserPromptSubmit", "PostToolUse"), "PreToolUse", "PostToolUse")
    silent = before_shell(cli)
    assert ruling(silent) == ALLOWED_BY_SILENCE
    said = problems_of(silent)
    assert "activate subscribes to UserPromptSubmit, which its manifest does not declare" in said
    assert "its manifest declares PreToolUse, which activate does not subscribe to" in said
    assert "PostToolUse" not in said
    assert cli("emit", "prompt", "--prompt", "hi").code == 0  # it is not started for that


def test_who_agrees_is_told_nothing(cli: Callable[..., Ended], project: Project):
    plugin(project, subscribing("PreToolUse", matcher="Shell"), "PreToolUse")
    denied = before_shell(cli)
    assert ruling(denied) == DENIED_BY_GUARD
    assert problems_of(denied) == ""
    plugin(project, {}, "PreToolUse")  # activate leaves it to the manifest
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
