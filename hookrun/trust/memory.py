"""What is trusted, kept in the user's state folder: a file a project, its user's alone.

    {"version": 1, "project": "/home/u/shop/.git", "folders": ["/home/u/shop"],
     "units": {".claude/hooks/pre/bash.sh": {
         "level": ".", "source": "claude", "is_tracked": true,
         "texts": [{"at": 1790000000, "in_git": true, "files": {".claude/hooks/pre/bash.sh": "<SHA-256>"},
                    "hooks": [{"title": "...", "kind": "script", "dialect": "claude", "role": "guard",
                               "triggers": [["PreToolUse", "bash"]]}]}]}}}

It is no part of the database of hints: that may be lost, this may not.
"""

from __future__ import annotations

import json
import os
import stat

from hookrun.config.files import lock, make_private, replace_file
from hookrun.config.paths import is_inside
from hookrun.model import constants
from hookrun.model.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookrun.config.project import Project

VERSION = 1
FOLDER = "trust"
TEXTS = "texts"
MOST_TEXTS = 50  # of one unit; the oldest go
_SAME_AS = "same_as"
_FILE_LIMIT = 64 * 1024 * 1024


class Memory:
    """The trust of all projects in one state folder ("" where there is none)."""

    def __init__(self, state_folder: str) -> None:
        self.folder = os.path.join(state_folder, FOLDER) if state_folder else ""
        self._real_folders: dict[tuple[str, ...], tuple[str, ...]] = {}
        self.bytecode_folder = os.path.join(state_folder, constants.BYTECODE) if state_folder else ""

    def units_of(self, project: Project) -> dict[str, Any]:
        """Return what is recorded for *project*, by unit. Raises StoreError when that cannot be known."""
        if not self.folder:
            raise StoreError("no state folder: nothing can be trusted", hint="set HOME or XDG_STATE_HOME")
        units = self._units_around(project)
        # The place comes last: where .git was made to lead elsewhere, what is trusted there is not so here.
        for identity in project.identities:
            units |= self._units_known_as(identity, known=project.identities[0])
        return units

    def stamps(self, project: Project) -> tuple[object, ...]:
        """Return what changes when the records of *project* do."""
        if not self.folder:
            return ()
        stamps = tuple(_stamp(self._path(identity)) for identity in project.identities)
        if stamps[-1]:  # nothing around it counts
            return stamps
        return stamps + tuple(_stamp(self._path(place)) for place in self._real(project.around))

    def change(self, project: Project, edit: Callable[[dict[str, Any]], None]) -> str:
        """Have *edit* change the units of *project* and keep them; other writers wait. Returns the path that
        a broken file was moved to, "" when there was none. Raises StoreError."""
        if not self.folder:
            raise StoreError("no state folder for trust records", hint="set HOME or XDG_STATE_HOME")
        try:
            make_private(os.path.dirname(self.folder))
            make_private(self.folder)
            with _Lock(os.path.join(self.folder, "lock")):
                return self._change(project, edit)
        except OSError as error:
            raise self._unwritable(error) from error

    def text_of(self, digest: str) -> bytes | None:
        """Return the bytes of a file that was trusted once, None when they are not kept."""
        try:
            with open(os.path.join(self.folder, TEXTS, digest), "rb") as file:
                return file.read()
        except OSError:
            return None

    def keep_text(self, digest: str, data: bytes) -> None:
        """Keep the bytes of a trusted file, to show later what changed. Raises StoreError."""
        folder = os.path.join(self.folder, TEXTS)
        path = os.path.join(folder, digest)
        try:
            if not os.path.exists(path):
                make_private(folder)
                replace_file(path, data)
        except OSError as error:
            raise self._unwritable(error) from error

    def _units_known_as(self, identity: str, known: str = "") -> dict[str, Any]:
        """Return the units of a record, or of the one that it leads to unless that is *known*."""
        document = self._read(identity)
        same = document.get(_SAME_AS)
        if same and same != known:
            document = self._read(same)
        units: dict[str, Any] = document.get("units", {})
        return units

    def _units_around(self, project: Project) -> dict[str, Any]:
        """Return the units of other folders that lie in *project*, by its own names: `git init` in a folder
        of a project, or around it, must not make its guards untrusted. Nothing once the place has records."""
        if os.path.lexists(self._path(project.identities[-1])):
            return {}
        units: dict[str, Any] = {}
        for folder, real in zip(project.around, self._real(project.around), strict=True):
            for name, unit in self._units_known_as(real).items():
                moved = _moved(name, folder, project.top)
                if not os.path.isabs(moved):
                    units.setdefault(moved, _unit_in(project.top, unit, folder))
        return units

    def _real(self, folders: tuple[str, ...]) -> tuple[str, ...]:
        """Return *folders* without links, looked up once: it is asked for with every hook."""
        known = self._real_folders.get(folders)
        if known is None:
            known = self._real_folders[folders] = tuple(map(os.path.realpath, folders))
        return known

    def _change(self, project: Project, edit: Callable[[dict[str, Any]], None]) -> str:
        moved_to = ""
        try:
            units = self.units_of(project)
        except StoreError:
            moved_to = self._move_broken_aside(project)
            units = {}
        edit(units)
        first, *others = project.identities
        folders = sorted({*self._folders(first), *others})
        document = {"version": VERSION, "project": first, "folders": folders, "units": units}
        replace_file(self._path(first), json.dumps(document, indent=1, sort_keys=True).encode() + b"\n")
        for other in others:  # without its git folder it is known by its own place
            text = json.dumps({"version": VERSION, "project": other, _SAME_AS: first})
            replace_file(self._path(other), text.encode() + b"\n")
        return moved_to

    def _folders(self, identity: str) -> list[str]:
        try:
            folders = self._read(identity).get("folders", [])
        except StoreError:
            return []
        return [folder for folder in folders if isinstance(folder, str)]

    def _move_broken_aside(self, project: Project) -> str:
        moved_to = ""
        for identity in project.identities:
            try:
                self._read(identity)
            except StoreError:
                path = self._path(identity)
                if os.path.lexists(path):  # whatever stands in the place of the file
                    moved_to = f"{path}.broken-{os.urandom(4).hex()}"
                    os.replace(path, moved_to)
        return moved_to

    def _path(self, identity: str) -> str:
        from hookrun.trust.reading import digest_of

        return os.path.join(self.folder, f"{digest_of(os.fsencode(identity))[:32]}.json")

    def _read(self, identity: str) -> dict[str, Any]:
        """Return a project's file, {} when there is none. What cannot be read, or others could have written,
        raises: to take it for nothing would switch guards off."""
        path = self._path(identity)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise self._unusable(path, error.strerror) from error
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
                raise self._unusable(path, "it is not its user's alone")
            with os.fdopen(os.dup(descriptor), "rb") as file:
                document = json.loads(file.read(_FILE_LIMIT))
        except (OSError, ValueError, RecursionError) as error:
            raise self._unusable(path, getattr(error, "strerror", "") or "it is damaged") from error
        finally:
            os.close(descriptor)
        if not _is_sound(document):
            raise self._unusable(path, "it is damaged")
        return document  # type: ignore[no-any-return]

    def _unwritable(self, error: OSError) -> StoreError:
        message = f"trust cannot be recorded: {error.strerror}"
        is_locked = isinstance(error, TimeoutError)
        hint = "end the process that hangs" if is_locked else "make the folder writable"
        return StoreError(message, where=self.folder, hint=hint)

    def _unusable(self, path: str, reason: str | None) -> StoreError:
        return StoreError(
            f"what is trusted cannot be read: {reason}",
            where=path,
            hint="look at the file; `hookrun trust`, or `hookrun untrust` of everything, begins a new one",
        )


def _is_sound(document: Any) -> bool:
    """Whether a record has the shape that it is written in."""
    if not isinstance(document, dict) or document.get("version") != VERSION:
        return False
    if isinstance(document.get(_SAME_AS), str):
        return True
    units = document.get("units")
    return isinstance(units, dict) and all("\0" not in name and _is_unit(units[name]) for name in units)


def _is_unit(unit: Any) -> bool:
    return (
        isinstance(unit, dict)
        and all(isinstance(unit.get(name), str) for name in ("level", "source"))
        and isinstance(unit.get("texts"), list)
        and all(_is_text(text) for text in unit["texts"])
    )


def _is_text(text: Any) -> bool:
    return (
        isinstance(text, dict)
        and isinstance(text.get("files"), dict)
        and isinstance(text.get("at"), int)
        and isinstance(text.get("hooks"), list)
        and all(_is_hook(hook) for hook in text["hooks"])
    )


def _is_hook(hook: Any) -> bool:
    return (
        isinstance(hook, dict)
        and isinstance(hook.get("triggers"), list)
        and all(isinstance(trigger, list) for trigger in hook["triggers"])
        and isinstance(hook.get("files", []), list)
        and all(isinstance(name, str) for name in hook.get("files", ()))
    )


def _moved(name: str, folder: str, top: str) -> str:
    """Return what the file that *folder*'s records call *name* is called in those of *top*."""
    path = os.path.normpath(os.path.join(folder, name))
    return os.path.relpath(path, top) if is_inside(path, top) else path


def _unit_in(top: str, unit: dict[str, Any], folder: str) -> dict[str, Any]:
    level = os.path.normpath(os.path.join(folder, unit["level"]))
    texts = [
        {
            **text,
            "files": {_moved(name, folder, top): digest for name, digest in text["files"].items()},
            "hooks": [_hook_in(top, hook, folder) for hook in text["hooks"]],
        }
        for text in unit["texts"]
    ]
    return {**unit, "level": os.path.relpath(level, top), "texts": texts}


def _hook_in(top: str, hook: dict[str, Any], folder: str) -> dict[str, Any]:
    if "files" not in hook:
        return hook
    return {**hook, "files": [_moved(name, folder, top) for name in hook["files"]]}


class _Lock:
    """One writer at a time; the kernel lets go of it however the writer ends."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            lock(self._descriptor)
        except BaseException:
            os.close(self._descriptor)
            raise

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


def _stamp(path: str) -> tuple[int, ...]:
    try:
        found = os.lstat(path)
    except OSError:
        return ()
    return (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
