"""The payload of xbot's plugins on stdin: tool_input is JSON text there, and an object everywhere else."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from command import CHECKOUT
from firing import DENIED_BY_GUARD, ruling

if TYPE_CHECKING:
    from collections.abc import Callable

    from command import Ended, Project

KEEP = 'cat > "$XBOT_PROJECT_DIR/got"; printf %s "$XBOT_TOOL_INPUT" > "$XBOT_PROJECT_DIR/variable"\n'
MANIFEST = {
    "id": "p",
    "name": "p",
    "version": "1.0.0",
    "runtime": "script",
    "entry": "sh p.sh",
    "permissions": ["*"],
    "contributes": {"hooks": [{"event": "PreToolUse"}]},
}


def fire(cli: Callable[..., Ended], tool: str, given: str, *words: str) -> Ended:
    return cli("emit", "pre", "--tool", tool, "--input", given, "--format", "json", *words)


def got(project: Project) -> Any:
    return json.loads((project.path / "got").read_text())["tool_input"]


def plugin(project: Project, folder: str, *, user: bool = False, **changes: Any) -> None:
    document = json.dumps({**MANIFEST, **changes})
    project.script(f"{folder}/p.sh", KEEP, user=user)
    project.script(f"{folder}/plugin.json", document, mode=0o644, user=user)


@pytest.mark.parametrize("user", [False, True])
def test_a_plugin_of_xbot_gets_the_text_as_it_was_given(cli: Callable[..., Ended], project: Project, user: bool):
    plugin(project, ".xbot/plugins/p", user=user)
    given = '{"command":  "ls \\u00e9", "n": 1.50}'
    assert fire(cli, "Shell", given).code == 0
    assert got(project) == given == (project.path / "variable").read_text()


def test_a_plugin_of_xbot_gets_a_translated_input_as_text(cli: Callable[..., Ended], project: Project):
    plugin(project, ".xbot/plugins/p")
    fire(cli, "Write", '{"file_path": "a", "content": "x"}', "--dialect", "claude")
    assert json.loads(got(project)) == {"path": "a", "content": "x"}


def test_a_trigger_of_xbot_gets_text_as_well(cli: Callable[..., Ended], project: Project):
    ui = [{"id": "w", "slot": "toolHint", "sync": True, "triggers": ["PreToolUse:Shell"]}]
    plugin(project, ".xbot/plugins/p", contributes={"ui": ui})
    fire(cli, "Shell", "{}")
    assert got(project) == "{}"


@pytest.mark.parametrize("folder", [".hookrun/plugins/p", ".hookrun/manifests", ".xbot/plugins/p"])
def test_every_other_manifest_gets_an_object(cli: Callable[..., Ended], project: Project, folder: str):
    changes = {"dialect": "claude"} if ".xbot" in folder else {}
    plugin(project, folder, **changes)
    fire(cli, "Shell", '{"command": "ls"}')
    assert got(project) == {"command": "ls"}


def test_scripts_of_folders_get_an_object(cli: Callable[..., Ended], project: Project):
    project.script(".xcsh/hooks/pre/bash.sh", "#!/bin/sh\n" + KEEP)
    fire(cli, "Shell", '{"command": "ls"}')
    assert got(project) == {"command": "ls"}


def test_a_bundled_guard_copes_with_both(cli: Callable[..., Ended], project: Project):
    folder = project.path / ".xbot/plugins/secrets"
    folder.mkdir(parents=True)
    for name in ("secret-scan.py", "secret_patterns.py", "tool_call.py"):
        shutil.copy(CHECKOUT / "scripts" / name, folder)
    hooks = [{"event": "PreToolUse", "matcher": "FileCreate"}]
    document = {**MANIFEST, "entry": "python3 secret-scan.py", "contributes": {"hooks": hooks}}
    (folder / "plugin.json").write_text(json.dumps(document))
    leak = json.dumps({"path": "a.py", "content": "key = '" + "AKIA" + "Z7QX4M2NP8WRT5KD'"})
    assert ruling(fire(cli, "FileCreate", leak)) == DENIED_BY_GUARD
