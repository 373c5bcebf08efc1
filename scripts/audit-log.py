#!/usr/bin/env python3
"""Append one line of JSON for each event to a log: what was called and how large it was, secrets masked."""

from __future__ import annotations

import sys

sys.dont_write_bytecode = True

import json  # noqa: E402
import os  # noqa: E402
import re  # noqa: E402
import stat  # noqa: E402
import time  # noqa: E402

from tool_call import read_call  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tool_call import Call

DEFAULT_LOG = ".hookrun/audit.jsonl"
TEXT_KEPT = 2000  # characters of a command
VALUE_KEPT = 200  # characters of another value; of a longer one only the size is kept
CONTENTS = frozenset(
    "content contents file_text old_string new_string oldString newString old_str new_str oldText newText "
    "new_source edits patch diff input".split()
)
SECRET = r"(?:pass(?:word|wd|phrase)|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)"
MASK = "***"


def main() -> int:
    call = read_call()
    own = os.environ.get("AUDIT_LOG", "").strip()
    path = os.path.join(call.project, os.path.expanduser(own) or DEFAULT_LOG)
    is_new = not os.path.lexists(path)
    line = json.dumps(record(call)) + "\n"
    try:
        _append(path, line.encode(), follows_links=bool(own))
        if is_new:
            _hide_from_git(path)
    except OSError as error:
        raise SystemExit(f"cannot write {path}: {error.strerror}") from None
    return 0


def record(call: Call) -> dict[str, Any]:
    """Return what is kept of one event; what is empty is left out."""
    payload = call.payload
    values = {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "event": call.event,
        "session": payload.get("session_id"),
        "call": payload.get("tool_call_id") or payload.get("tool_use_id"),
        "tool": call.tool,
        "tool_name": call.tool_name,
        "cwd": call.cwd,
        "command": masked(call.command)[:TEXT_KEPT],
        "paths": call.paths,
        "input": {} if call.command else {key: _outlined(key, value) for key, value in call.input.items()},
        "input_bytes": _size(payload.get("tool_input")),
        "output_bytes": _size(payload.get("tool_output") or payload.get("tool_response")),
        "prompt_bytes": _size(payload.get("prompt")),
        "error": masked(str(payload.get("tool_error") or payload.get("error") or ""))[:VALUE_KEPT],
        "elapsed_ms": payload.get("tool_elapsed_ms"),
    }
    return {key: value for key, value in values.items() if value}


def masked(text: str) -> str:
    """Return *text* with the values masked that are named, or look, like secrets."""
    value = r"(?:\"[^\"]*\"|'[^']*'|[^\s;&|'\"]+)"
    text = re.sub(r"(?i)\b(bearer|basic)\s+[\w+/=.~-]+", rf"\1 {MASK}", text)
    text = re.sub(rf"(?i)([\w-]*{SECRET}[\w-]*[\"']?\s*[=:]\s*){value}", rf"\1{MASK}", text)
    text = re.sub(rf"(?i)(--?[\w-]*{SECRET}[\w-]*\s+){value}", rf"\1{MASK}", text)
    text = re.sub(r"(://[^\s:/@]+:)[^\s@/]+@", rf"\1{MASK}@", text)
    return re.sub(r"\b(gh[pousr]_|github_pat_|glpat-|xox[a-z]-|sk-|AKIA|npm_)[\w-]{10,}", rf"\1{MASK}", text)


def _outlined(key: str, value: Any) -> Any:
    """Return *value* when it is short and harmless, else its size or a mask."""
    if re.search(f"(?i){SECRET}", key):
        return MASK
    if isinstance(value, (bool, int, float)) or value is None:
        return value
    if key in CONTENTS or not isinstance(value, str) or len(value) > VALUE_KEPT:
        return f"<{_size(value)} bytes>"
    return masked(value)


def _size(value: Any) -> int:
    text = value if isinstance(value, str) else json.dumps(value) if value else ""
    return len(text.encode("utf-8", "replace"))


def _append(path: str, line: bytes, follows_links: bool) -> None:
    """Add *line* in one write, so that lines of processes that write at once stay whole."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | (0 if follows_links else os.O_NOFOLLOW)
    descriptor = os.open(path, flags, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise SystemExit(f"{path} is no regular file")
        if os.write(descriptor, line) != len(line):
            raise SystemExit(f"{path} could not be written whole")
    finally:
        os.close(descriptor)


def _hide_from_git(path: str) -> None:
    """Add a new log to the repository's own list of ignored files, unless git ignores it already."""
    import subprocess

    path = os.path.realpath(path)
    git = ["git", "-C", os.path.dirname(path)]
    try:
        ignored = subprocess.run([*git, "check-ignore", "-q", path], capture_output=True, check=False)
    except FileNotFoundError:
        return
    if ignored.returncode != 1:
        return
    words = [*git, "rev-parse", "--show-toplevel", "--git-path", "info/exclude"]
    asked = subprocess.run(words, capture_output=True, text=True, check=True)
    top, exclude = asked.stdout.splitlines()
    exclude = os.path.join(os.path.dirname(path), exclude)
    os.makedirs(os.path.dirname(exclude), exist_ok=True)
    with open(exclude, "a+", encoding="utf-8") as file:
        file.seek(0)
        text = file.read()
        file.write(("\n" if text and not text.endswith("\n") else "") + path[len(top) :] + "\n")


if __name__ == "__main__":
    sys.exit(main())
