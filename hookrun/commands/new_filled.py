"""What `hookrun new` can write, as values, and the templates that are filled in already."""

from __future__ import annotations

from typing import Literal

from hookrun.model.frozen import Frozen


class NewFile(Frozen):
    """A file to write: its path below the folder of hooks, what is in it, whether it can be run."""

    path: str
    data: bytes
    is_executable: bool = False


class Template(Frozen):
    """Something that `hookrun new` writes. ``attempt`` is the command to try next."""

    name: str
    kind: Literal["bundled", "template"]
    description: str
    files: tuple[NewFile, ...]
    attempt: str


_GUARD = b"""\
#!/bin/sh
case "$HOOKRUN_COMMAND" in *"push -f"*|*"push --force"*) echo "no force pushes" >&2; exit 2 ;; esac
"""
_MANIFEST = b"""\
{
  "id": "my-plugin",
  "name": "My plugin",
  "version": "0.1.0",
  "description": "Denies force pushes, and counts what shell calls print",
  "runtime": "script",
  "entry": "sh my-plugin.sh",
  "timeout": "5s",
  "permissions": ["hooks.subscribe", "ui.contribute"],
  "contributes": {
    "hooks": [{ "event": "PreToolUse", "matcher": "Shell" }],
    "ui": [
      {
        "id": "lines",
        "slot": "toolHint",
        "description": "How many lines a shell call printed",
        "sync": true,
        "triggers": ["PostToolUse:Shell*"]
      }
    ]
  }
}
"""
_PLUGIN = b"""\
#!/bin/sh
# One program for both contributions: the event says which of them runs.
if [ "$XBOT_HOOK_EVENT" = PreToolUse ]; then
  case "$HOOKRUN_COMMAND" in
    *"push --force"*|*"push -f"*) echo "force pushes are not allowed here" >&2; exit 2 ;;
  esac
else
  echo "dim|$(printf '%s' "$XBOT_TOOL_OUTPUT" | wc -l) lines"
fi
"""
_MODULE = rb'''"""Denies force pushes, redacts passwords, counts turns. See docs/modules.md."""

import re


def hook(api):
    @api.on("tool_call")
    def guard(event, ctx):
        command = (event.input or {}).get("command", "") if event.tool_name == "bash" else ""
        if re.search(r"\bpush\b.*\s(-f|--force)\b", command):
            return {"block": True, "reason": "no force pushes"}

    @api.on("tool_result")
    def redact(event, ctx):
        content = [dict(part) for part in event.content]
        for part in content:
            if part.get("type") == "text":
                part["text"] = re.sub(r"(password\s*[:=]\s*)\S+", r"\1[REDACTED]", part["text"])
        return {"content": content}

    @api.on("turn_end")
    async def count(event, ctx):
        api.append_entry("turns", event.turn_index)  # kept for the session, the model does not see it

    @api.register_command("turns", description="How many turns the session had")
    def turns(args, ctx):
        return f"{len(ctx.session.entries())} turns"
'''
_PUSH = """--tool Bash --input '{"command": "git push -f"}'"""
FILLED_IN = (
    Template(
        name="manifest",
        kind="template",
        description="A plugin: a manifest with a guard and a tool hint, and its program",
        files=(
            NewFile(path="plugins/my-plugin/plugin.json", data=_MANIFEST),
            NewFile(path="plugins/my-plugin/my-plugin.sh", data=_PLUGIN, is_executable=True),
        ),
        attempt=f"hookrun emit pre {_PUSH}",
    ),
    Template(
        name="script",
        kind="template",
        description="A guard of shell commands in two lines",
        files=(NewFile(path="hooks/pre/bash.sh", data=_GUARD, is_executable=True),),
        attempt=f"hookrun emit pre {_PUSH}",
    ),
    Template(
        name="module",
        kind="template",
        description="A hook module in Python: a guard, a redaction, state and a command",
        files=(NewFile(path="hooks/my_hook.py", data=_MODULE),),
        attempt=f"hookrun emit pre {_PUSH}",
    ),
)
