"""Read the tool call that a hook is asked about, and give the answer by exit code and output."""

from __future__ import annotations

import json
import os
import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, Optional

    Verdict = Optional[tuple[str, str]]  # ("deny" or "ask", why)

PATH_KEYS = ("path", "file_path", "filePath", "notebook_path", "target_file", "absolute_path", "target")
NAMING_KEYS = (*PATH_KEYS, "paths")
COMMAND_KEYS = ("command", "cmd", "command_line")
SHELL_NAMES = frozenset(
    "bash shell powershell execute_command run_shell_command run_command local_shell terminal".split()
)
OLD_KEYS = ("old_string", "oldString", "old_str", "oldText")
NEW_KEYS = ("new_string", "newString", "new_str", "newText", "new_source")
CONTENT_KEYS = ("content", "contents", "file_text")
ALL_KEYS = ("replace_all", "replaceAll")
PATCH_START = "*** Begin Patch"
PATCH_KEYS = ("input", "patch", "diff")
PATCH_TOOLS = ("apply_patch", "applypatch")
UNREADABLE_COMMAND = "ask", "the command of this call cannot be read"
UNREADABLE_PATH = "ask", "the path of this call cannot be read"
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
        self.paths = [str(path) for path in paths or _variable("HOOKRUN_PATHS").split("\n") if path]

    @property
    def is_shell(self) -> bool:
        """Whether the tool's kind or name says that it runs a command line, whatever else its input holds."""
        return self.tool == "shell" or (self.tool == "" and self.tool_name.lower() in SHELL_NAMES)

    @property
    def command(self) -> str:
        """The command line of a shell call, "" of any other."""
        return next(iter(self.commands), "")

    @property
    def commands(self) -> list[str]:
        """Every reading of a shell call's command line, mostly one: no key of the input hides another."""
        if not self.is_shell and self.tool:
            return []
        is_read = self.is_shell or not any(self.input.get(key) for key in NAMING_KEYS)
        given = [self.payload.get("command"), *self._given_commands()] if is_read else []
        texts = [_command_line(value) for value in [*given, _variable("HOOKRUN_COMMAND")]]
        return list(dict.fromkeys(text for text in texts if text and text.strip()))

    @property
    def has_unreadable_command(self) -> bool:
        """Whether this is a shell call whose input holds something, but no command line to judge."""
        if not self.is_shell or self.input in ({}, {"command": ""}):
            return False
        return not self.commands or None in map(_command_line, self._given_commands())

    def _given_commands(self) -> list[Any]:
        """Return what the input gives as its command: by a key, or by being no object but plain text."""
        if list(self.input) == ["input"] and isinstance(self.input["input"], str):
            return [self.input["input"]] if self.is_shell else []
        return [self.input[key] for key in COMMAND_KEYS if key in self.input]

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

    def __init__(self, action: str, path: str, new: str = "", old: str | None = None, is_all: bool = False) -> None:
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


def strictest(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the first denial, else the first question, else None."""
    found = [verdict for verdict in verdicts if verdict]
    return next((verdict for verdict in found if verdict[0] == "deny"), found[0] if found else None)


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
        return [_change(edit, str(_first(edit, PATH_KEYS) or path)) for edit in edits if isinstance(edit, dict)]
    return [_change(call.input, path)] if path else []


def written_paths(call: Call) -> list[str] | None:
    """Return every path that *call* may write to, by any key or patch; None when one cannot be read."""
    values = {key: value for key, value in call.input.items() if key not in CONTENT_KEYS + OLD_KEYS + NEW_KEYS}
    named = [value for key, value in _values(values) if key in NAMING_KEYS and value is not None]
    if not all(isinstance(value, str) and value.strip() for value in named):
        return None
    patches = list(_patches(call.input)) if named else [text for _, text in _texts(call.input)]
    found = [str(path) for path in named]
    found += [write.path for text in patches if PATCH_START in text for write in patched(text)]
    return (found + call.paths) or ([] if not call.input else None)


def written_texts(call: Call) -> list[tuple[str, str]]:
    """Return (path, text) of what *call* may write: all strings but paths, old text, a patch's context."""
    if call.is_shell or (not call.tool and call.command):
        return []
    added = _added_by_patch(call)
    if added:
        return added
    known = [(write.path, write.new) for write in writes(call)]
    path = next((str(value) for key, value in _values(call.input) if key in NAMING_KEYS), "")
    path = path or next(iter(call.paths), "") or "the input"
    texts = [text for key, text in _texts(call.input) for text in _new_texts(key, text)]
    seen = {new for _, new in known}
    return known + [(path, text) for text in texts if text not in seen]


def _added_by_patch(call: Call) -> list[tuple[str, str]]:
    """Return what a whole patch adds to the one file of it that *call* is about; [] for another call."""
    path = str(_first(call.input, PATH_KEYS) or "")
    if not path or str(call.payload.get("raw_tool_name")).lower() not in PATCH_TOOLS:
        return []
    texts = [text for text in _strings(call.payload.get("raw_tool_input")) if PATCH_START in text]
    changes = [change for text in texts for change in patched(text)]
    own = [change for change in changes if call.absolute(change.path) == call.absolute(path)]
    return [(change.path, change.new) for change in own]


def patched(text: str) -> list[Write]:
    """Return the changes of a patch in the form that begins with ``*** Begin Patch``."""
    found: list[Write] = []
    text = text.replace("\r\n", "\n")
    for line in text[: len(text) - text.endswith("\n")].split("\n"):
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


def _new_texts(key: str, text: str) -> list[str]:
    """Return what of a string under *key* may be written: of a patch only what it adds."""
    changes = patched(text) if key in PATCH_KEYS and text.lstrip().startswith(PATCH_START) else []
    return [change.new for change in changes] or [text]


def _texts(value: Any) -> Iterator[tuple[str, str]]:
    """Yield (key, text) of every string in *value* that names no path and is no old text."""
    for key, part in _values(value):
        if isinstance(part, str) and key not in NAMING_KEYS + OLD_KEYS:
            yield key, part


def _values(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (key, value) of all in *value*; parts of a list have the list's key."""
    if isinstance(value, dict):
        yield key, value
        for name, part in value.items():
            yield from _values(part, str(name))
    elif isinstance(value, list) and value:
        for part in value:
            yield from _values(part, key)
    else:
        yield key, value


def _command_line(value: Any) -> str | None:
    """Return a command as it would be typed, None when it is none."""
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        return " ".join("'" + word.replace("'", "'\\''") + "'" for word in value)
    return value if isinstance(value, str) else None


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
