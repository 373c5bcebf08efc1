"""Hooks to begin with: the bundled ones, and templates to fill in; where their files go, and writing them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import Literal

from hookrun.config.documents import read_document
from hookrun.model.errors import HookrunError
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


_MANIFEST_SUFFIX = ".json"
_SCRIPT_IN_MANIFEST = re.compile(r"\.\./scripts/([\w.-]+)")
_NEIGHBOUR_IN_SCRIPT = re.compile(r"^\s*(?:import|from)\s+(\w+)|/([\w-]+\.(?:sh|py|js))\b", re.MULTILINE)


def templates(folder: str | None = None) -> list[Template]:
    """Return everything that can be written: the bundled hooks by name, those of *folder* or else our
    own, then the templates."""
    return [*_bundled(bundled_folder() if folder is None else folder), *FILLED_IN]


def bundled_folder() -> str:
    """Return the folder with the bundled manifests/ and scripts/: in the wheel it is part of the package,
    in a checkout both lie beside it. "" when there is neither."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder in (os.path.join(package, "bundled"), os.path.dirname(package)):
        if os.path.isdir(os.path.join(folder, "manifests")):
            return folder
    return ""


def write_template(template: Template, folder: str) -> list[str]:
    """Write the files of *template* below *folder* and return the paths of those that are new.

    All or nothing, and never over a file: one that is there already, and is the same, is left as it is, unless it is
    the template's first. Raises HookrunError for one that differs, and OSError."""
    targets = [(os.path.join(folder, file.path), file) for file in template.files]
    waiting = [(path, file) for path, file in targets if not os.path.lexists(path)]
    for index, (path, file) in enumerate(targets):
        if os.path.lexists(path) and (index == 0 or not _has(path, file.data)):
            raise _exists(path)
    written: list[str] = []
    try:
        for path, file in waiting:
            _write(path, file)
            written.append(path)
    except BaseException:
        for path in written:
            os.unlink(path)
        raise
    return written


def _bundled(folder: str) -> Iterable[Template]:
    manifests = os.path.join(folder, "manifests")
    for name in sorted(os.listdir(manifests)) if folder else ():
        if name.endswith(_MANIFEST_SUFFIX):
            yield _bundled_template(name.removesuffix(_MANIFEST_SUFFIX), folder)


def _bundled_template(name: str, folder: str) -> Template:
    path = os.path.join(folder, "manifests", name + _MANIFEST_SUFFIX)
    manifest = read_document(path).value
    data = _read(path)
    scripts = _with_neighbours(_SCRIPT_IN_MANIFEST.findall(data.decode()), os.path.join(folder, "scripts"))
    return Template(
        name=name,
        kind="bundled",
        description=str(manifest.get("description", "")),
        files=(
            NewFile(path=f"manifests/{name}{_MANIFEST_SUFFIX}", data=data),
            *(_script(os.path.join(folder, "scripts", script)) for script in scripts),
        ),
        attempt=_attempt(manifest.get("contributes", {})),
    )


def _with_neighbours(scripts: Sequence[str], folder: str) -> list[str]:
    """Return *scripts* and the files beside them that they import or call, and so on."""
    found: list[str] = []
    waiting = list(reversed(scripts))
    while waiting:
        script = waiting.pop()
        path = os.path.join(folder, script)
        if script in found or not os.path.isfile(path):
            continue
        found.append(script)
        for module, file in _NEIGHBOUR_IN_SCRIPT.findall(_read(path).decode("utf-8", "replace")):
            waiting.append(f"{module}.py" if module else file)
    return found


def _script(path: str) -> NewFile:
    return NewFile(path=f"scripts/{os.path.basename(path)}", data=_read(path), is_executable=os.access(path, os.X_OK))


def _attempt(contributes: dict[str, list[dict[str, object]]]) -> str:
    """Return a command that shows what the first contribution of a manifest answers."""
    for entry in contributes.get("hooks", ()):
        return _explain(str(entry.get("event", "")), str(entry.get("matcher", "")))
    for entry in contributes.get("ui", ()):
        triggers = entry.get("triggers")
        if isinstance(triggers, list) and triggers:
            event, _, matcher = str(triggers[0]).partition(":")
            return _explain(event, matcher)
        return "hookrun widgets"
    for entry in contributes.get("commands", ()):
        return f"hookrun run {str(entry.get('name', '')).removeprefix('/')}"
    return "hookrun list"


def _explain(event: str, matcher: str) -> str:
    tool = matcher.partition("|")[0].replace("*", "")
    return f"hookrun explain {event} --tool {tool or 'Shell'}" if "ToolUse" in event else f"hookrun explain {event}"


def _exists(path: str) -> HookrunError:
    error = HookrunError("already exists, nothing was written", where=path, hint="move it away, or edit it")
    error.exit_code = 1
    return error


def _has(path: str, data: bytes) -> bool:
    return os.path.isfile(path) and _read(path) == data


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _write(path: str, file: NewFile) -> None:
    """Write whole or not at all: a link to a finished file appears at once and never replaces one."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    unfinished = f"{path}.{os.urandom(4).hex()}.tmp"
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as target:
            target.write(file.data)
            if file.is_executable:
                os.fchmod(target.fileno(), os.fstat(target.fileno()).st_mode | 0o111)
        os.link(unfinished, path)
    except FileExistsError:
        raise _exists(path) from None
    finally:
        os.unlink(unfinished)
