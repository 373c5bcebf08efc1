"""Files of others, rewritten: whole or not at all, one at a time, with mode, links and a backup."""

from __future__ import annotations

import fcntl
import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from injected import bound_by_modes

from hookrun.install.writing import BACKUP, FileChange, rewrite
from hookrun.model.errors import DocumentError, HookrunError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def becomes(content: bytes | None, **more: bool) -> Callable[[bytes | None, bool], FileChange]:
    return lambda _before, _has_backup: FileChange(content=content, **more)


def names_in(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_a_new_file_gets_its_folders_and_goes_with_them(tmp_path: Path):
    path = tmp_path / ".agent/hooks/s.json"
    written = rewrite(str(path), str(tmp_path), becomes(b"x"))
    assert (written.before, written.after, written.backup) == (None, b"x", "")
    assert names_in(path.parent) == ["s.json"]
    rewrite(str(path), str(tmp_path), becomes(None))
    assert names_in(tmp_path) == []


def test_folders_with_something_in_them_stay(tmp_path: Path):
    path = tmp_path / ".agent/hooks/s.json"
    rewrite(str(path), str(tmp_path), becomes(b"x"))
    (tmp_path / ".agent/mine").touch()
    rewrite(str(path), str(tmp_path), becomes(None))
    assert names_in(tmp_path / ".agent") == ["mine"]


def test_a_folder_that_is_not_hidden_and_the_base_stay(tmp_path: Path):
    base = tmp_path / ".project"
    path = base / "Documents/Agent/s.json"
    rewrite(str(path), str(base), becomes(b"x"))
    rewrite(str(path), str(base), becomes(None))
    assert names_in(base / "Documents") == []
    rewrite(str(base / "s.json"), str(base), becomes(b"x"))
    rewrite(str(base / "s.json"), str(base), becomes(None))
    assert base.is_dir()


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_mode_and_owner_stay_and_the_backup_has_them_too(tmp_path: Path, mode: int):
    path = tmp_path / "s.json"
    path.write_bytes(b"old")
    path.chmod(mode)
    if os.geteuid() == 0:
        os.chown(path, 12345, 23456)
    before = path.stat()
    written = rewrite(str(path), str(tmp_path), becomes(b"new", from_before=True))
    assert path.read_bytes() == b"new"
    for each in (path, tmp_path / f"s.json{BACKUP}"):
        after = each.stat()
        assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert written.backup == f"{path}{BACKUP}"


def test_a_link_stays_one_and_its_target_is_written(tmp_path: Path):
    (tmp_path / "dotfiles").mkdir()
    target = tmp_path / "dotfiles/s.json"
    target.write_bytes(b"old")
    link = tmp_path / "s.json"
    link.symlink_to("dotfiles/s.json")
    rewrite(str(link), str(tmp_path), becomes(b"new", from_before=True))
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert names_in(target.parent) == ["s.json", f"s.json{BACKUP}"]


def test_an_older_backup_is_never_written_over(tmp_path: Path):
    path = tmp_path / "s.json"
    for number, text in enumerate((b"first", b"second", b"second", b"third")):
        path.write_bytes(text)
        rewrite(str(path), str(tmp_path), becomes(b"new %d" % number, from_before=True))
    backups = [f"s.json{BACKUP}", f"s.json{BACKUP}.2", f"s.json{BACKUP}.3"]
    assert names_in(tmp_path) == ["s.json", *backups]
    assert [(tmp_path / name).read_bytes() for name in backups] == [b"first", b"second", b"third"]


def test_a_backup_goes_when_the_file_is_as_it_was_and_another_one_stays(tmp_path: Path):
    path = tmp_path / "s.json"
    for text in (b"other", b"old"):
        path.write_bytes(text)
        rewrite(str(path), str(tmp_path), becomes(b"new", from_before=True))
    rewrite(str(path), str(tmp_path), becomes(b"old", restores=True))
    assert names_in(tmp_path) == ["s.json", f"s.json{BACKUP}"]
    assert (tmp_path / f"s.json{BACKUP}").read_bytes() == b"other"


def test_nothing_is_written_when_nothing_changes_or_it_is_a_dry_run(tmp_path: Path):
    path = tmp_path / "s.json"
    path.write_bytes(b"old")
    before = path.stat()
    rewrite(str(path), str(tmp_path), becomes(b"old", from_before=True))
    written = rewrite(str(path), str(tmp_path), becomes(b"new", from_before=True), is_dry_run=True)
    rewrite(str(tmp_path / "a/b.json"), str(tmp_path), becomes(b"new"), is_dry_run=True)
    assert (written.before, written.after) == (b"old", b"new")
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert names_in(tmp_path) == ["s.json"]
    assert rewrite(str(path), str(tmp_path), becomes(b"new")).after == path.read_bytes()


def test_a_change_that_cannot_be_made_leaves_all_as_it_was(tmp_path: Path):
    def refuse(_before: bytes | None, _has_backup: bool) -> FileChange:
        raise DocumentError("is odd")

    path = tmp_path / "s.json"
    path.write_bytes(b"old")
    with pytest.raises(DocumentError):
        rewrite(str(path), str(tmp_path), refuse)
    assert (path.read_bytes(), names_in(tmp_path)) == (b"old", ["s.json"])


def test_a_read_only_file_is_left_alone(tmp_path: Path):
    path = tmp_path / "s.json"
    path.write_bytes(b"old")
    path.chmod(0o444)
    for is_dry_run in (False, True):
        with pytest.raises(HookrunError, match="read-only") as caught:
            rewrite(str(path), str(tmp_path), becomes(b"new", from_before=True), is_dry_run=is_dry_run)
        assert (caught.value.where, caught.value.hint) == (str(path), "nothing has been changed")
    assert (path.read_bytes(), names_in(tmp_path)) == (b"old", ["s.json"])
    path.chmod(0o644)
    assert rewrite(str(path), str(tmp_path), becomes(b"new")).after == b"new"


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, lambda path: os.symlink(path, path)])
def test_what_is_no_file_is_left_alone(tmp_path: Path, make: Callable[[Path], None]):
    path = tmp_path / "s.json"
    make(path)
    with pytest.raises(HookrunError, match="cannot be written"):
        rewrite(str(path), str(tmp_path), becomes(b"new"))
    assert names_in(tmp_path) == ["s.json"]


def test_a_folder_that_is_read_only_is_told(tmp_path: Path):
    program = (
        "import sys\n"
        "from hookrun.install.writing import FileChange, rewrite\n"
        "from hookrun.model.errors import HookrunError\n"
        "try:\n"
        "    rewrite(sys.argv[1], sys.argv[2], lambda before, has_backup: FileChange(content=b'new'))\n"
        "except HookrunError as error:\n"
        "    print(error.message, error.hint, sep='; ')\n"
    )
    path = tmp_path / "s.json"
    words = [*bound_by_modes(), sys.executable, "-c", program, path, tmp_path]
    tmp_path.chmod(0o500)
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    finally:
        tmp_path.chmod(0o700)
    assert done.stdout == "cannot be written: Permission denied; nothing has been changed\n", done.stderr
    assert names_in(tmp_path) == []


def test_a_change_by_somebody_else_in_between_is_not_lost(tmp_path: Path):
    path = tmp_path / "s.json"
    path.write_bytes(b"old")
    seen: list[bytes | None] = []

    def change(before: bytes | None, _has_backup: bool) -> FileChange:
        seen.append(before)
        if len(seen) == 2:  # the first look is before the lock
            path.write_bytes(b"theirs")
        return FileChange(content=(before or b"") + b" and ours")

    rewrite(str(path), str(tmp_path), change)
    assert seen == [b"old", b"old", b"theirs"]
    assert path.read_bytes() == b"theirs and ours"
    assert names_in(tmp_path) == ["s.json"]


def test_a_file_that_changes_all_the_time_is_given_up(tmp_path: Path):
    path = tmp_path / "s.json"

    def change(before: bytes | None, _has_backup: bool) -> FileChange:
        path.write_bytes((before or b"") + b".")
        return FileChange(content=b"ours")

    with pytest.raises(HookrunError, match="all the time"):
        rewrite(str(path), str(tmp_path), change)
    assert names_in(tmp_path) == ["s.json"]


def test_its_folder_is_locked_between_the_look_and_the_write(tmp_path: Path):
    states: list[str] = []

    def change(before: bytes | None, _has_backup: bool) -> FileChange:
        folder = os.open(tmp_path, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            states.append("free")
        except BlockingIOError:
            states.append("locked")
        finally:
            os.close(folder)
        return FileChange(content=b"new")

    rewrite(str(tmp_path / "s.json"), str(tmp_path), change)
    assert states == ["free", "locked"]  # the first look only says whether there is something to do


def test_a_file_is_on_the_disk_before_it_has_its_name_and_its_name_before_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    done: list[str] = []
    fsync, replace = os.fsync, os.replace

    def noting_fsync(descriptor: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        fsync(descriptor)

    def noting_replace(source: str, target: str) -> None:
        done.append("replace")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", noting_fsync)
    monkeypatch.setattr(os, "replace", noting_replace)
    rewrite(str(tmp_path / "s.json"), str(tmp_path), becomes(b"new"))
    assert done == ["file", "replace", "folder"]


def test_many_writers_lose_nothing(tmp_path: Path):
    path = tmp_path / ".agent/s.json"
    program = (
        "import sys\n"
        "from hookrun.install.writing import FileChange, rewrite\n"
        "def change(before, has_backup):\n"
        "    return FileChange(content=(before or b'') + sys.argv[3].encode())\n"
        "for _ in range(5):\n"
        "    rewrite(sys.argv[1], sys.argv[2], change)\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", program, path, tmp_path, letter]) for letter in "abcdef"]
    assert [writer.wait(60) for writer in writers] == [0] * 6
    assert sorted(path.read_text()) == sorted("abcdef" * 5)
    assert names_in(path.parent) == ["s.json"]
