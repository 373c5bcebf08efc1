"""A script that is a hook and a ui trigger of one manifest runs once for an event, and is both."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from firing import ALLOWED_BY_SILENCE, DENIED_BY_GUARD, after_shell, before_shell, ruling

if TYPE_CHECKING:
    from collections.abc import Callable

    from command import Ended, Project

HINT = {"id": "w", "slot": "toolHint", "sync": True}
COUNT = 'echo run >> "$XBOT_PROJECT_DIR/log"\n'
LOG = 'echo "run:$XBOT_WIDGET_ID" >> "$XBOT_PROJECT_DIR/log"\n'


def runs(project: Project) -> list[str]:
    log = project.path / "log"
    lines = log.read_text().splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return sorted(lines)


def plugin(project: Project, script: str, event: str, *widgets: dict[str, Any], log: str = LOG, **hook: Any) -> None:
    ui = [{**widget, "triggers": [f"{event}:Shell*"]} for widget in widgets]
    project.manifest("p", script=log + script, hooks=[{"event": event, "matcher": "*", **hook}], ui=ui)


@pytest.mark.parametrize("text", ["md|x", "x", "ok|x"])
def test_a_hint_is_one_hint_of_one_run(cli: Callable[..., Ended], project: Project, text: str):
    plugin(project, f'echo "{text}"\n', "PostToolUse", HINT)
    done = after_shell(cli)
    assert runs(project) == ["run:w"]
    assert [hint["text"] for hint in done.document["hints"]] == ["x"]
    assert done.document["context"] == []
    assert len(done.document["outcomes"]) == 1
    widget = json.loads(cli("list", "--format", "json").stdout)["hooks"][1]
    assert widget["widget"]["id"] == "w"
    assert done.document["hints"][0]["hook"] == widget["id"]
    assert cli("hints").stdout == "x\n"


STDIO = """\
while read -r line; do
  case $line in
    *'"method": "hook"'* | *'"method":"hook"'*) n=$((n + 1)); echo '{"hook_result": {"data": {"n": '$n'}}}' ;;
    *) echo '{}' ;;
  esac
done
"""


def test_a_stdio_plugin_is_asked_once_as_well(cli: Callable[..., Ended], project: Project):
    ui = [{**HINT, "triggers": ["PreToolUse:Shell*"]}]
    hooks = [{"event": "PreToolUse", "matcher": "*"}]
    manifest = project.manifest("p", script=STDIO, hooks=hooks, ui=ui)
    manifest.write_text(manifest.read_text().replace('"runtime": "script"', '"runtime": "stdio"'))
    asked = before_shell(cli).document
    assert [outcome["title"] for outcome in asked["outcomes"]] == ["p"]
    assert asked["data"] == {"n": 1}


def test_a_decision_is_the_hooks_and_no_hint(cli: Callable[..., Ended], project: Project):
    deny = """echo '{"decision": "deny", "reason": "no"}'\n"""
    plugin(project, deny, "PreToolUse", HINT, log=COUNT)
    denied = before_shell(cli)
    assert ruling(denied) == DENIED_BY_GUARD
    assert (denied.document["hints"], denied.document["problems"]) == ([], [])
    assert runs(project) == ["run"]
    plugin(project, "echo no >&2; exit 2\n", "PreToolUse", HINT, log=COUNT)
    denied = before_shell(cli)
    assert (denied.document["message"], denied.document["problems"]) == ("p: no", [])


def test_each_matcher_counts_for_itself(cli: Callable[..., Ended], project: Project):
    plugin(project, 'echo "md|x"\n', "PostToolUse", HINT)
    done = cli("emit", "post", "--tool", "FileRead", "--input", "{}", "--format", "json")
    assert runs(project) == ["run:"]  # the trigger is not about this tool; a hook's mark is a hint as well
    assert [hint["text"] for hint in done.document["hints"]] == ["x"]


def test_a_second_widget_has_a_run_of_its_own(cli: Callable[..., Ended], project: Project):
    bar = {"id": "bar", "slot": "infoBar"}
    plugin(project, 'echo "md|$XBOT_WIDGET_ID"\n', "PostToolUse", bar, HINT, {**HINT, "id": "w2"})
    done = after_shell(cli)
    assert runs(project) == ["run:bar", "run:w", "run:w2"]
    assert [hint["text"] for hint in done.document["hints"]] == ["w", "w2"]


def test_a_widget_is_refreshed_by_the_hooks_run(cli: Callable[..., Ended], project: Project):
    plugin(project, "echo on main\n", "PostToolUse", {"id": "bar", "slot": "infoBar"})
    done = after_shell(cli)
    assert runs(project) == ["run:bar"]
    assert done.document["context"] == ["on main"]
    assert "on main" in cli("widgets").stdout
    assert runs(project) == []  # fresh enough
    plugin(project, """echo '{"decision": "allow"}'\n""", "PostToolUse", {"id": "bar", "slot": "infoBar"})
    assert after_shell(cli).code == 0
    assert "on main" in cli("widgets").stdout


def test_a_guard_that_asks_for_its_widget_guards_in_a_run_of_its_own(cli: Callable[..., Ended], project: Project):
    script = '[ -n "$XBOT_WIDGET_ID" ] && { echo "md|x"; exit 0; }\nexit 2\n'
    folder = project.manifest("p", hooks=[{"event": "PreToolUse"}], ui=[{**HINT, "triggers": ["PreToolUse"]}])
    (folder.parent / "hook.sh").write_text(script)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


def test_another_command_or_another_variable_is_another_run(cli: Callable[..., Ended], project: Project):
    own = project.path / ".hookrun/plugins/p/own.sh"
    plugin(project, "exit 0\n", "PreToolUse", HINT, entry="sh own.sh")
    own.write_text(LOG)
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    assert runs(project) == ["run:", "run:w"]


def test_a_patch_of_two_files_gives_each_its_hint_once(cli: Callable[..., Ended], project: Project):
    script = 'echo "md|$HOOKRUN_PATHS"\n'
    ui = [{**HINT, "triggers": ["PostToolUse:FileReplace*"]}]
    project.manifest("p", script=LOG + script, hooks=[{"event": "PostToolUse"}], ui=ui)
    patch = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** Update File: b\n@@\n-x\n+y\n*** End Patch\n"
    words = ("--tool", "apply_patch", "--input", json.dumps({"input": patch}), "--dialect", "codex")
    done = cli("emit", "post", *words, "--format", "json")
    assert runs(project) == ["run:w", "run:w"]
    (hint,) = done.document["hints"]
    assert hint["text"].splitlines() == [str(project.path / "a"), str(project.path / "b")]
