#!/usr/bin/env python3
"""Print what an edit or a new file changed as a unified diff, to stand beside the tool's result."""

from __future__ import annotations

import sys

sys.dont_write_bytecode = True

import os  # noqa: E402
import re  # noqa: E402

from tool_call import read_call, writes  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tool_call import Call, Write

LINES_SHOWN = 200
WIDTH_SHOWN = 500  # characters of one line
SIZE_READ = 2_000_000  # bytes; a larger file is not read, only what was edited is shown
LINES_COMPARED = 3000  # a larger change is shown as removed and added whole
PLACES_TRIED = 50  # where a new text that occurs several times may have come from
CONTEXT = 3
NO_NEWLINE = "\n\\ No newline at end of file"


class Unshowable(Exception):
    """The file is binary; its text says so."""


def main() -> int:
    call = read_call()
    changes: dict[str, list[Write]] = {}
    for write in writes(call):
        changes.setdefault(write.path, []).append(write)
    try:
        lines = [line for path in changes for line in _shown(call, path, changes[path])]
    except Unshowable as note:
        _say(f"dim|{note}")
        return 0
    if lines:
        _say("diff|" + "\n".join(_capped(lines)))
    return 0


def _shown(call: Call, path: str, edits: list[Write]) -> list[str]:
    """Return the lines of a diff of one file."""
    if edits[0].action in ("add", "update", "delete", "move"):
        return [line for edit in edits for line in _patch(call, edit)]
    name = call.relative(path)
    after = _file_text(call.absolute(path), name)
    if edits[0].action == "write":
        after = edits[0].new
        if "\0" in after:
            raise Unshowable(f"{name} is binary")
    before, label = _before(call, path, edits, after)
    if after is not None and (before is not None or edits[0].action == "write"):
        return _headed(name, before, after, label)
    parts = [(edit.old or "", edit.new) for edit in edits]
    ended = [tuple(text + "\n" * (text[-1:] not in ("", "\n")) for text in part) for part in parts]
    return [line for old, new in ended for line in _headed(name, old, new)]


def _patch(call: Call, edit: Write) -> list[str]:
    """Return a patch's own lines, which carry no line numbers."""
    if edit.action == "update" and not edit.lines:
        return []
    source, target = call.relative(edit.source), call.relative(edit.path)
    head = ["--- /dev/null" if edit.action == "add" else f"--- {_prefixed('a', source)}"]
    head.append("+++ /dev/null" if edit.action == "delete" else f"+++ {_prefixed('b', target)}")
    if edit.action == "add":
        head.append(f"@@ -0,0 +1,{len(edit.lines)} @@")
    return head + edit.lines


def _before(call: Call, path: str, edits: list[Write], after: str | None) -> tuple[str | None, str]:
    """Return the text before *edits* (None when there was none, or it cannot be told) and a label for it."""
    is_new, original = _reported(call)
    if edits[0].action == "write":
        if is_new or original is not None:
            return original or None, ""
        committed = _committed(call.absolute(path))
        return committed, "\tHEAD" if committed is not None else ""
    if after is None:
        return None, ""
    if original is not None and _applied(original, edits) is not None:
        return original, ""
    before: str | None = after
    for edit in reversed(edits):
        before = _undone(before, edit) if before is not None else None
    if before is None:
        committed = _committed(call.absolute(path))
        before = committed if committed is not None and _applied(committed, edits) == after else None
    return before, ""


def _reported(call: Call) -> tuple[bool, str | None]:
    """Return what the agent says of the file before: whether there was none, and its text."""
    response: Any = call.payload.get("tool_response")
    response = response if isinstance(response, dict) else {}
    display = response.get("returnDisplay")
    display = display if isinstance(display, dict) else {}
    is_new = response.get("type") == "create" or display.get("isNewFile") is True
    original = response.get("originalFile", display.get("originalContent"))
    return is_new, original.replace("\r\n", "\n") if isinstance(original, str) else None


def _applied(text: str, edits: list[Write]) -> str | None:
    """Return *text* after *edits*, None when one of them does not fit."""
    for edit in edits:
        if not edit.old or edit.old not in text:
            return None
        text = text.replace(edit.old, edit.new, -1 if edit.is_all else 1)
    return text


def _undone(text: str, edit: Write) -> str | None:
    """Return *text* as it was before *edit*, None when that cannot be told."""
    old, new = edit.old or "", edit.new
    if not new or new not in text:
        return None
    if edit.is_all:
        return text.replace(new, old)
    found: list[str] = []
    place = text.find(new)
    while place >= 0 and len(found) < PLACES_TRIED:
        found.append(text[:place] + old + text[place + len(new) :])
        place = text.find(new, place + 1)
    return next((one for one in found if old and one.count(old) == 1), found[0])


def _file_text(path: str, name: str) -> str | None:
    """Return the text of a file, None when it is not there or too large."""
    if not os.path.isfile(path) or os.path.getsize(path) > SIZE_READ:
        return None
    with open(path, "rb") as file:
        return _decoded(file.read(), name)


def _decoded(data: bytes, name: str) -> str:
    if b"\0" in data:
        raise Unshowable(f"{name} is binary")
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


def _committed(path: str) -> str | None:
    """Return the text that git's HEAD has of a file, None when it has none."""
    import subprocess

    folder, name = os.path.split(path)
    if not os.path.isdir(folder):
        return None
    words = ["git", "-C", folder, "cat-file", "blob", f"HEAD:./{name}"]
    try:
        result = subprocess.run(words, capture_output=True, check=False)
    except FileNotFoundError:
        return None
    is_text = result.returncode == 0 and len(result.stdout) <= SIZE_READ and b"\0" not in result.stdout
    return _decoded(result.stdout, name) if is_text else None


def _headed(name: str, before: str | None, after: str, label: str = "") -> list[str]:
    """Return the diff of two texts; a file that was empty is shown as new."""
    hunks = _hunks(_lines(before or ""), _lines(after))
    source = _prefixed("a", name) + label if before else "/dev/null"
    return [f"--- {source}", f"+++ {_prefixed('b', name)}", *hunks] if hunks else []


def _prefixed(side: str, name: str) -> str:
    return name if name.startswith("/") else f"{side}/{name}"


def _lines(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").split("\n")
    last = lines.pop()
    return [*lines, last + NO_NEWLINE] if last else lines


def _hunks(before: list[str], after: list[str]) -> list[str]:
    """Return the hunks between two texts; only what lies between their equal ends is compared."""
    shorter = min(len(before), len(after))
    start = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    end = next((at for at in range(shorter - start) if before[-1 - at] != after[-1 - at]), shorter - start)
    if len(before) == len(after) == start:
        return []
    start, end = max(0, start - CONTEXT), max(0, end - CONTEXT)
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    if not old or not new or len(old) + len(new) > LINES_COMPARED:
        return [
            _position(start, len(old), start, len(new)),
            *(f"-{line}" for line in old),
            *(f"+{line}" for line in new),
        ]
    import difflib

    lines = list(difflib.unified_diff(old, new, n=CONTEXT, lineterm=""))[2:]
    return [_moved(line, start) if line.startswith("@@ ") else line for line in lines]


def _moved(header: str, start: int) -> str:
    """Return the header of a hunk that begins *start* lines further on."""
    pairs = re.findall(r"[-+](\d+)(?:,(\d+))?", header)
    (old, old_count), (new, new_count) = [(int(line), int(count or 1)) for line, count in pairs]
    return _position(old - bool(old_count) + start, old_count, new - bool(new_count) + start, new_count)


def _position(old: int, old_count: int, new: int, new_count: int) -> str:
    """Return a hunk's header; *old* and *new* count the lines before it."""
    return f"@@ -{old + bool(old_count)},{old_count} +{new + bool(new_count)},{new_count} @@"


def _capped(lines: list[str]) -> list[str]:
    narrow = [line if len(line) <= WIDTH_SHOWN else line[:WIDTH_SHOWN] + "..." for line in lines]
    more = len(lines) - LINES_SHOWN
    return narrow if more <= 0 else [*narrow[:LINES_SHOWN], f"... {more} more line{'s' * (more > 1)}"]


def _say(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")


if __name__ == "__main__":
    sys.exit(main())
