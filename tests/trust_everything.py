"""A project with hooks of every kind, each of which leaves a mark when anything of it runs."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

from firing import marker_script

if TYPE_CHECKING:
    from pathlib import Path

    from command import Project

NODE = shutil.which("node")
EVENTS = (
    *("PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "AgentStop", "SubAgentStop"),
    *("PreCompact", "PostCompact", "SessionStart", "SessionEnd", "SubAgentStart", "context", "turn_start"),
)
TOOL_EVENTS = EVENTS[:3]
_MODULE = """
open({mark!r}, "w").close()
def hook(api):
    api.on("tool_call", lambda event, ctx: None)
    api.register_command("of-{name}", handler=lambda arguments, ctx: None)
"""
_STDIO_PYTHON = "open({mark!r}, 'w').close()\n"
_STDIO_NODE = "require('fs').writeFileSync({mark}, '');\n"


def clone_with_everything(project: Project, marks: Path) -> set[str]:
    """Write hooks of all kinds, and return the marks that they leave when all events have been fired, all
    widgets shown and all commands run."""
    marks.mkdir()
    folders = (".hookrun/hooks/pre", ".hookrun/hooks/post", ".xcsh/hooks/pre", ".claude/hooks/pre")
    for number, folder in enumerate(folders):  # each has a key of its own
        project.script(f"{folder}/{number}-_all.sh", marker_script(marks, folder.replace("/", "-")))
    left = {folder.replace("/", "-") for folder in folders}
    for name, place in (
        ("plugin", ".hookrun/plugins/demo/plugin.json"),
        ("manifest", ".hookrun/manifests/demo.json"),
        ("xbot", ".xbot/plugins/demo/plugin.json"),
        ("configured", "ci/demo.json"),
    ):
        left |= _manifest(project, marks, name, place)
    left |= _plugins(project, marks)
    left |= _modules(project, marks)
    project.script("ci/hook.sh", marker_script(marks, "configured-script"))
    project.script("ci/module.py", _MODULE.format(mark=str(marks / "configured-module"), name="ci"))
    project.script(".hookrun/config.yaml", "manifests: [ci/demo.json]\nhooks: [ci/hook.sh, ci/module.py]\n")
    project.script(".config/hookrun/config.yaml", "limits: {process_hooks: 50}\n", user=True)
    return left | {"configured-script", "configured-module"}


def _manifest(project: Project, marks: Path, name: str, place: str) -> set[str]:
    """Write a plugin of one script a contribution: a hook, a hint, a widget, a command."""
    parts = ("hook", "hint", "widget", "command")
    folder = place.rpartition("/")[0]
    project.script(f"{folder}/{name}.sh", f"#!/bin/sh\ntouch '{marks}/{name}'-${{XBOT_WIDGET_ID:-$1}}\n")
    triggers = [f"{event}:*" for event in TOOL_EVENTS]
    document = {
        "id": f"demo-{name}",
        "name": name,
        "version": "1.0.0",
        "runtime": "script",
        "entry": f"sh {name}.sh hook",
        "permissions": ["*"],
        "contributes": {
            "hooks": [{"event": event} for event in EVENTS],
            "ui": [{"id": "hint", "slot": "toolHint", "triggers": triggers}, {"id": "widget", "slot": "footer"}],
            "commands": [{"name": f"command-{name}", "description": "x"}],
        },
    }
    project.script(place, json.dumps(document), mode=0o644)
    return {f"{name}-{part}" for part in parts[:3]}


def _plugins(project: Project, marks: Path) -> set[str]:
    kinds = {
        "stdio-python": ("stdio", "python3 main.py", "main.py", _STDIO_PYTHON),
        "native": ("python", "main.py", "main.py", _MODULE),
    }
    if NODE:
        kinds["stdio-node"] = ("stdio", "node main.js", "main.js", _STDIO_NODE)
    for name, (runtime, entry, file, text) in kinds.items():
        folder = f".hookrun/plugins/{name}"
        mark = str(marks / name)
        filled = text.format(mark=json.dumps(mark) if file.endswith(".js") else mark, name=name)
        project.script(f"{folder}/{file}", filled)
        document = {
            "id": name,
            "name": name,
            "version": "1.0.0",
            "runtime": runtime,
            "entry": entry,
            "permissions": ["*"],
            "contributes": {"hooks": [{"event": "PreToolUse"}]},
        }
        project.script(f"{folder}/plugin.json", json.dumps(document), mode=0o644)
    return set(kinds)


def _modules(project: Project, marks: Path) -> set[str]:
    for name, file in (("module", "module.py"), ("package", "package/__init__.py")):
        text = _MODULE.format(mark=str(marks / name), name=name)
        project.script(f".hookrun/hooks/{file}", text)
    return {"module", "package"}
