"""Manifests with flaws: a flaw costs what is flawed and no neighbour, and no guard gets lost with it."""

from __future__ import annotations

import json
import os

import pytest
from firing import (
    ALLOWED_BY_SILENCE,
    DENIED_BY_FAILURE,
    DENIED_BY_GUARD,
    DENY,
    NO,
    after_shell,
    before_shell,
    guard_text,
    problems_of,
    ruling,
)

GUARDS_SHELL = {"event": "PreToolUse", "matcher": "Shell"}


@pytest.mark.parametrize(
    ("entry", "where"),
    [
        ({"event": "PreToolUs", "matcher": "Shell"}, "contributes.hooks[1].event"),
        ({"event": "PreToolUse", "matcher": "Shell|"}, "contributes.hooks[1].matcher"),
        ({"event": "PreToolUse", "matcher": 5}, "contributes.hooks[1].matcher"),
        ({"matcher": "Shell"}, "contributes.hooks[1].event"),
        ("PreToolUse", "contributes.hooks[1]"),
        (None, "contributes.hooks[1]"),
    ],
)
def test_a_bad_entry_of_a_manifest_is_named_by_its_key_and_costs_no_other(cli, project, entry, where):
    good = [GUARDS_SHELL, {"event": "PostToolUse"}]
    project.manifest("guard", script=DENY, hooks=[good[0], entry, good[1]])
    ended = before_shell(cli)
    assert ended.code == 2
    assert NO in ended.document["message"]
    assert where in [problem["where"] for problem in ended.document["problems"]]
    assert after_shell(cli).document["feedback"] == [NO]


def test_a_bad_trigger_costs_that_trigger_and_a_bad_widget_that_widget(cli, project):
    widget = {"slot": "toolHint", "sync": True}
    project.manifest(
        "hints",
        script='echo "$XBOT_WIDGET_ID"',
        ui=[
            {"id": "good", **widget, "triggers": ["PostToolUs:Shell", "PostToolUse:Shell", 7]},
            {"id": "lost", "slot": "nowhere", "triggers": ["PostToolUse:Shell"]},
            {"id": "fine", **widget, "triggers": ["PostToolUse"]},
        ],
    )
    ended = after_shell(cli)
    assert [hint["text"] for hint in ended.document["hints"]] == ["good", "fine"]
    assert {problem["where"] for problem in ended.document["problems"]} >= {
        "contributes.ui[0].triggers[0]",
        "contributes.ui[0].triggers[2]",
        "contributes.ui[1].slot",
    }


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("plugin.json", b'{"id": "guard",', "not JSON"),
        ("plugin.json", b"", "is empty"),
        ("plugin.json", b"[]", "not a mapping"),
        ("plugin.json", b'{"id": "gu\xff"}', "not UTF-8"),
        ("plugin.json", b'{"id": "' + b"x" * 1024 * 1024 + b'"}', "larger than 1,048,576 bytes"),
        ("plugin.yaml", b"id: guard\ncontributes:\n\thooks: []\n", "has a tab"),
        ("plugin.json", None, "a folder"),
        ("plugin.yaml", os.mkfifo, "not a regular file"),
    ],
    ids=["cut", "empty", "list", "bytes", "large", "tab", "folder", "fifo"],
)
def test_a_manifest_that_cannot_be_read_closes_guarded_events_loudly_and_no_others(cli, project, name, data, told):
    project.manifest("other", script="echo fine", hooks=[{"event": "PostToolUse"}])
    manifest = project.path / ".hookrun/plugins/guard" / name
    manifest.parent.mkdir()
    if data is None:
        manifest.mkdir()
    elif callable(data):
        data(manifest)
    else:
        manifest.write_bytes(data)
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_FAILURE
    assert told in ended.document["message"]
    assert cli("emit", "prompt", "--prompt", "hello").code == 2
    ended = after_shell(cli)
    assert ruling(ended) == ALLOWED_BY_SILENCE
    assert ended.document["context"] == ["fine"]
    assert [problem["level"] for problem in ended.document["problems"]] == ["error"]
    shown = cli("emit", "post", "--tool", "Shell")
    assert str(manifest) in shown.stderr
    (user := project.home / ".config/hookrun").mkdir(parents=True)
    (user / "config.yaml").write_text(f'disable: [".hookrun/plugins/guard/{name}"]\n')
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


@pytest.mark.parametrize("entry", ["sh \0", "\0", "sh hook.sh \ud800", "/bin/sh\0", "sh 'hook.sh", ""], ids=ascii)
def test_a_command_that_no_program_can_be_given_costs_its_own_hook_and_no_other(cli, project, entry):
    project.manifest("fine", script="echo fine", hooks=[{"event": "PostToolUse"}, GUARDS_SHELL])
    manifest = project.manifest("odd", hooks=[{"event": "PostToolUse"}, GUARDS_SHELL])
    manifest.write_text(manifest.read_text().replace('"sh hook.sh"', json.dumps(entry)))
    ended = after_shell(cli)
    assert (ended.code, ended.document["context"]) == (0, ["fine"])
    assert {outcome["status"] for outcome in ended.document["outcomes"]} == {"ran", "not_started"}
    assert "entry" in [problem["where"] for problem in ended.document["problems"]]
    assert ruling(before_shell(cli)) == DENIED_BY_FAILURE


def test_a_need_that_no_program_can_be_called_costs_its_own_hook_and_no_other(cli, project):
    project.script(".claude/hooks/post/bash.sh", "#!/bin/sh\n# hookrun: needs=\0\n")
    project.script(".claude/hooks/post/_all.sh", guard_text("echo fine"))
    ended = after_shell(cli)
    assert (ended.code, ended.document["context"]) == (0, ["fine"])
    assert {outcome["status"] for outcome in ended.document["outcomes"]} == {"ran", "not_started"}


def test_of_two_plugins_with_one_id_the_second_is_refused_and_said(cli, project, tmp_path):
    project.manifest("a", script=f"touch {tmp_path}/first", hooks=[GUARDS_SHELL])
    second = project.manifest("b", script=f"touch {tmp_path}/second", hooks=[GUARDS_SHELL])
    own = second.read_text()
    second.write_text(own.replace('"id": "b"', '"id": "a"'))
    ended = before_shell(cli)
    assert sorted(os.listdir(tmp_path)) == ["first", "home", "project", "runtime"]
    assert "the id 'a' is taken" in problems_of(ended)
    second.write_text(own)
    assert problems_of(before_shell(cli)) == ""
    assert (tmp_path / "second").exists()


def test_two_plugins_with_the_same_relative_command_both_run(cli, project):
    for name in ("one", "two"):
        project.manifest(name, script=f"echo {name} >&2\nexit 2\n", hooks=[GUARDS_SHELL])
    assert before_shell(cli).document["message"].splitlines() == ["one: one", "two: two"]


def test_a_plugin_with_a_byte_order_mark_or_camel_case_keys_loads(cli, project):
    manifest = project.manifest("guard", script=DENY, hooks=[{**GUARDS_SHELL, "onFailure": "ask"}])
    manifest.write_text(
        "\ufeff" + manifest.read_text().replace('"permissions"', '"activationEvents": [], "permissions"')
    )
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_GUARD
    assert problems_of(ended) == ""
    (manifest.parent / "hook.sh").write_text("exit 1\n")
    assert ruling(before_shell(cli)) == (3, "ask", "failure")


def test_an_unknown_key_is_a_problem_that_offers_the_nearest(cli, project):
    manifest = project.manifest("guard", script=DENY, hooks=[{**GUARDS_SHELL, "on_failur": "allow"}])
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_GUARD
    assert (
        "contributes.hooks[0].on_failur | unknown key 'on_failur' (ignored) | did you mean on_failure?"
        in problems_of(ended)
    )
    (manifest.parent / "hook.sh").write_text("exit 1\n")
    assert ruling(before_shell(cli)) == DENIED_BY_FAILURE
