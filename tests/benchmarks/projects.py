"""Projects to measure in: how many manifests, how many hooks in each, and which of them match."""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from measuring import Place

EVENT = "PreToolUse"
TOOL = "Shell"
TOOL_INPUT = {"command": "ls"}
MODULE = """
def hook(api):
    @api.on("tool_call")
    def guard(event, ctx):
        if event.tool_name == "bash" and "rm -rf" in str(event.input.get("command", "")):
            return {"block": True, "reason": "blocked"}
"""
PLUGIN = """
import json, os, sys

tally = os.open({tally!r}, os.O_WRONLY | os.O_APPEND)
for line in sys.stdin:
    answer = {{}}
    if json.loads(line)["method"] == "hook":
        os.write(tally, b"ran\\n")
        answer = {{"hook_result": {{"decision": "allow"}}}}
    print(json.dumps(answer), flush=True)
"""
EMIT = ("emit", EVENT, "--tool", TOOL, "--input", json.dumps(TOOL_INPUT))


def matching_project(place: Place, *, hooks: int = 1, then: str = "") -> str:
    """Write a project with as many manifests as *hooks*, all matching, and return its folder."""
    for number in range(hooks):
        folder = f"project/.hookrun/plugins/match-{number}"
        place.script(f"{folder}/guard.sh", then)
        place.write(f"{folder}/plugin.json", manifest(f"match-{number}", "./guard.sh", [TOOL]))
    return os.path.join(place.folder, "project")


def plugin_project(place: Place) -> str:
    """Write a project with one stdio plugin, and return its folder."""
    folder = "project/.hookrun/plugins/live"
    place.write(f"{folder}/main.py", PLUGIN.format(tally=place.tally))
    text = manifest("live", f"{sys.executable} main.py", [TOOL])
    place.write(f"{folder}/plugin.json", text.replace('"script"', '"stdio"'))
    return os.path.join(place.folder, "project")


def large_project(place: Place, *, manifests: int, hooks: int) -> str:
    """Write a project in which one manifest's hook matches, among *manifests* of *hooks* others each."""
    folder = matching_project(place)
    for number in range(manifests - 1):
        matchers = [f"Tool{number}x{index}" for index in range(hooks)]
        text = manifest(f"other-{number}", "./never.sh", matchers)
        place.write(f"project/.hookrun/manifests/other-{number}.json", text)
    place.script("project/.hookrun/manifests/never.sh")
    return folder


def manifest(name: str, entry: str, matchers: list[str]) -> str:
    """Return a manifest with one hook a matcher."""
    return json.dumps(
        {
            "id": name,
            "name": name,
            "version": "1.0.0",
            "runtime": "script",
            "entry": entry,
            "permissions": ["hooks.subscribe"],
            "contributes": {"hooks": [{"event": EVENT, "matcher": matcher} for matcher in matchers]},
        },
        indent=2,
    )
