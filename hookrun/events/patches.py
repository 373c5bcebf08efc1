"""A call that patches several files as one call for each file, so that a hook for edit or write is asked about each.
Pure; the patches are those of the tool apply_patch."""

from __future__ import annotations

from hookrun.agents import XBOT, dialect_named, knows_tool
from hookrun.agents.translate import own_key
from hookrun.events.touched import has_patch, patched_files, patches_in, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookrun.model.values import Event, Hook

_ADD, _UPDATE, _DELETE = "*** Add File: ", "*** Update File: ", "*** Delete File: "
_MOVE = "*** Move to: "
_END = "*** End Patch"


class Change:
    """What a patch does to one file: the lines that it removes and adds, with those between."""

    def __init__(self, *, is_whole: bool = False) -> None:
        self.is_whole = is_whole  # the lines are all that the file will have
        self.old: list[str] = []
        self.new: list[str] = []

    def take_in(self, line: str) -> None:
        """Read one line of the patch; an empty one is an empty line between others."""
        sign, text = line[:1], line[1:]
        if not sign and self.is_whole:
            return
        if sign in ("-", " ", ""):
            self.old.append(text)
        if sign in ("+", " ", ""):
            self.new.append(text)


def sees_files(hook: Hook, event: Event) -> bool:
    """Say whether *hook* is asked file by file: not where its own dialect, the caller's, has the tool."""
    dialect = dialect_named(hook.dialect)
    return dialect is None or hook.dialect != event.dialect or not knows_tool(dialect, event.tool_name)


def calls_of(event: Event) -> tuple[Event, ...]:
    """Return *event* once for each file that its patch changes; () without a patch that names a file.

    An added file is written with its content; an updated file is edited with the old and new text of the patch; a
    deleted file has only its path; a moved file is edited where it was and written where it goes. All calls have
    the keys of the event's own dialect.
    """
    if not has_patch(event):
        return ()
    changes: dict[str, Change] = {}
    for patch in patches_in(event.tool_input):
        _read(patch, changes)
        for path in patched_files(patch):  # what a reader may take for one more file counts as one
            changes.setdefault(path, Change())
    return tuple(_call(event, path, change) for path, change in changes.items() if path)


def _read(patch: str, changes: dict[str, Change]) -> None:
    """Add what *patch* does to each file to *changes*. Misplaced lines are ignored."""
    current: list[Change] = []
    for line in patch.removesuffix("\n").split("\n"):
        line = line.removesuffix("\r")
        is_between = line.startswith(" ") and bool(current) and not current[0].is_whole
        header = line if is_between else line.strip()
        prefix = next((prefix for prefix in (_ADD, _UPDATE, _DELETE, _MOVE) if header.startswith(prefix)), "")
        path = header[len(prefix) :].strip()
        if prefix == _MOVE:
            current.append(changes.setdefault(path, Change(is_whole=True)))
        elif prefix:
            current = [changes.setdefault(path, Change(is_whole=prefix == _ADD))]
        elif header == _END:
            current = []
        elif not line.startswith(("***", "@@")):
            for change in current:
                change.take_in(line)


def _call(event: Event, path: str, change: Change) -> Event:
    natural = ("write", "edit") if change.is_whole else ("edit", "write")
    kinds = tuple(kind for kind in natural if kind in event.kinds)
    values = {}
    if change.is_whole:
        values["content"] = "".join(f"{line}\n" for line in change.new)
    elif change.old or change.new:
        values = {"old": "\n".join(change.old), "new": "\n".join(change.new)}
    return file_call(event, path, values, (*kinds, *(kind for kind in event.kinds if kind not in kinds)))


def file_call(event: Event, path: str, values: dict[str, str], kinds: tuple[str, ...]) -> Event:
    """Return *event* as the call for one file of it, with *values* by meaning; *path* is "" for an unknown file."""
    source = dialect_named(event.dialect) or XBOT
    path = path.removeprefix("file://")
    named = {"path": path, **values} if path else values
    return event.replace(
        tool_input={own_key(source, meaning): value for meaning, value in named.items()},
        tool_input_text="",
        whole_input=event.tool_input,
        kinds=kinds,
        command="",
        paths=(resolved(path, event.cwd),) if path else (),
    )
