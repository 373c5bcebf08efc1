"""Read the tool call that a hook is asked about, and give the answer by exit code and output."""

from __future__ import annotations

import json
import os
import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional

    Verdict = Optional[tuple[str, str]]  # ("deny" or "ask", why)

PATH_KEYS = ("path", "file_path", "filePath", "notebook_path", "target_file", "absolute_path")
OLD_KEYS = ("old_string", "oldString", "old_str", "oldText")
NEW_KEYS = ("new_string", "newString", "new_str", "newText", "new_source")
CONTENT_KEYS = ("content", "contents", "file_text")
ALL_KEYS = ("replace_all", "replaceAll")
PATCH_START = "*** Begin Patch"
# A command line of these characters alone runs what its words name, and nothing else ...
PLAIN = r"[\w./:@%+,= \n&|;-]*"
# ... unless one of them runs others.
INDIRECT = (
    r"find|xargs|\w*sh|eval|source|[.]|sudo|doas|pkexec|run0|su|runuser|env|busybox|toybox|trap|watch|script|"
    r"flock"
)


class Call:
    """One event: ``tool`` is the kind of tool, ``paths`` the files it touches, absolute and resolved."""

    def __init__(self, payload: dict[str, Any]) -> None:
        self.payload = payload
        self.event = str(_first(payload, ("event", "hook_event_name")) or _variable("HOOKRUN_EVENT"))
        self.tool = str(payload.get("tool") or _variable("HOOKRUN_TOOL"))
        self.tool_name = str(payload.get("tool_name") or _variable("XBOT_TOOL_NAME"))
        self.input = _object(payload.get("tool_input") or _variable("XBOT_TOOL_INPUT"))
        self.cwd = str(payload.get("cwd") or _variable("XBOT_WORK_DIR") or os.getcwd())
        self.project = str(payload.get("project_dir") or _variable("XBOT_PROJECT_DIR") or self.cwd)
        paths = payload.get("paths")
        self.paths = [str(path) for path in paths] if paths else _variable("HOOKRUN_PATHS").splitlines()

    @property
    def command(self) -> str:
        """The command line of a shell call, "" of any other."""
        if self.tool not in ("shell", "") or _first(self.input, PATH_KEYS):
            return ""
        command = self.payload.get("command") or self.input.get("command") or _variable("HOOKRUN_COMMAND")
        if isinstance(command, list):
            return " ".join("'" + str(word).replace("'", "'\\''") + "'" for word in command)
        return str(command)

    def absolute(self, path: str) -> str:
        """Return *path* without ``..``, from the call's folder; links are not followed."""
        return os.path.normpath(os.path.join(self.cwd, os.path.expanduser(path)))

    def relative(self, path: str) -> str:
        """Return *path* as it is seen from the project, absolute when it is outside."""
        path = self.absolute(path)
        for top in (self.project, os.path.realpath(self.project)):
            if path.startswith(top.rstrip("/") + "/"):
                return path[len(top.rstrip("/")) + 1 :]
        return path


class Write:
    """A change to one file. ``old`` is None when it is not known, ``lines`` are those of a patch.

    ``action`` is edit, write (the whole file), add, update, delete or move (by a patch).
    """

    def __init__(
        self, action: str, path: str, new: str = "", old: str | None = None, is_all: bool = False
    ) -> None:
        self.action = action
        self.path = path
        self.new = new
        self.old = old
        self.is_all = is_all
        self.lines: list[str] = []
        self.source = path  # the file's name before a move


def read_call() -> Call:
    """Return the call that standard input and the environment describe; exit 1 when they cannot be read."""
    text = "" if sys.stdin.isatty() else sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        payload = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise SystemExit(f"the payload on standard input is not JSON: {error}") from None
    if not isinstance(payload, dict):
        raise SystemExit("the payload on standard input is no JSON object")
    return Call(payload)


def environment() -> dict[str, str]:
    """Return the variables of this process, with a HOME."""
    return {"HOME": os.path.expanduser("~"), **os.environ}


def answer(verdict: Verdict) -> int:
    """Print *verdict* and return the exit code; whoever runs the hook adds its name."""
    if verdict is None:
        return 0
    decision, why = verdict
    if decision == "deny":
        print(why, file=sys.stderr)
        return 2
    print(json.dumps({"decision": decision, "message": why}))
    return 0


def is_free_of(programs: str, command: str) -> bool:
    """Whether a command line is so plain that, unread, it runs none of *programs* (a regular expression)."""
    words = rf"(?:^|[\s/&|;])(?:{programs}|{INDIRECT})(?:$|[\s&|;])"
    return bool(re.fullmatch(PLAIN, command)) and not re.search(words, command)


def writes(call: Call) -> list[Write]:
    """Return what *call* writes, one value for each change; empty for a tool that names no file."""
    path = str(_first(call.input, PATH_KEYS) or "")
    patches = [write for text in _patches(call.input) for write in patched(text)]
    if patches:
        own = [write for write in patches if call.absolute(write.path) == call.absolute(path)] if path else []
        return own or patches
    edits = call.input.get("edits")
    if isinstance(edits, list):
        return [
            _change(edit, str(_first(edit, PATH_KEYS) or path)) for edit in edits if isinstance(edit, dict)
        ]
    return [_change(call.input, path)] if path else []


def patched(text: str) -> list[Write]:
    """Return the changes of a patch in the form that begins with ``*** Begin Patch``."""
    found: list[Write] = []
    for line in text.splitlines():
        match = re.match(r"\*\*\* (Add|Update|Delete) File: (.+)|\*\*\* Move to: (.+)", line.strip())
        if match and match.group(3):
            found.append(Write("move", match.group(3)))
            found[-1].source = found[-2].path if len(found) > 1 else match.group(3)
        elif match:
            found.append(Write(match.group(1).lower(), match.group(2)))
        elif found and not line.startswith("*** "):
            found[-1].lines.append(line)
    for write in found:
        write.new = "\n".join(line[1:] for line in write.lines if line[:1] == "+")
    return found


def _change(values: dict[str, Any], path: str) -> Write:
    content = _first(values, CONTENT_KEYS)
    if content is not None:
        return Write("write", path, _text(content))
    old, new = _first(values, OLD_KEYS), _first(values, NEW_KEYS)
    if old is None and new is None:
        others = {key: value for key, value in values.items() if key not in PATH_KEYS}
        return Write("edit", path, "\n".join(_strings(others)))
    return Write("edit", path, _text(new or ""), _text(old or ""), bool(_first(values, ALL_KEYS)))


def _patches(values: dict[str, Any]) -> Iterator[str]:
    """Yield the strings of *values* that are patches; what is to be written may well look like one."""
    others = {key: value for key, value in values.items() if key not in CONTENT_KEYS + OLD_KEYS + NEW_KEYS}
    others.pop("edits", None)
    return (text for text in _strings(others) if PATCH_START in text)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _first(values: dict[str, Any], keys: tuple[str, ...]) -> Any:
    return next((values[key] for key in keys if values.get(key) is not None), None)


def _object(value: Any) -> dict[str, Any]:
    if isinstance(value, str) and value.strip():
        try:
            value = json.loads(value)
        except ValueError:
            return {"input": value}
    return value if isinstance(value, dict) else {"input": value} if value else {}


def _variable(name: str) -> str:
    """Return a variable's value; one that is too large for the environment lies in the file NAME_FILE."""
    path = os.environ.get(name + "_FILE")
    if name in os.environ or not path:
        return os.environ.get(name, "")
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()
