"""The store on bad ground: corrupt, newer, locked, read-only, full, open to others, another user's."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys

import pytest

import hookrun
from hookrun.model.values import Event, Hint
from hookrun.store import CachedWidget, Store
from hookrun.store.values import PENDING_MARKER

ROOT = os.path.dirname(os.path.dirname(hookrun.__file__))
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
STRANGER = 54321


@pytest.fixture
def state(tmp_path):
    return str(tmp_path / "state")


@pytest.fixture
def opened():
    """Open stores, and close them at the end."""
    stores = []

    def open_store(folder, **options):
        stores.append(Store(folder, **options))
        return stores[-1]

    yield open_store
    for store in stores:
        store.close()


def leave(store, text):
    event = Event(dialect="xbot", event="PostToolUse", tool_call_id=text[:20], event_id=text[:20])
    store.keep_hints(event, [Hint(hook="h", text=text)], session="s")


def take(store):
    return [pending.hint.text for pending in store.take_hints(session="s")]


def test_hints_that_nobody_would_look_for_are_not_kept(state, opened):
    store = opened(state)
    os.mkdir(state, 0o700)
    os.mkdir(os.path.join(state, PENDING_MARKER))
    leave(store, "lost")
    (message,) = messages(store)
    assert message.startswith("hints cannot be stored: ")
    os.rmdir(os.path.join(state, PENDING_MARKER))
    assert take(store) == []


def messages(store):
    problems = store.take_problems()
    assert all(problem.hint for problem in problems)
    return [problem.message for problem in problems]


def filled(state, count=40):
    """Leave *count* hints in a database that is closed and spans many pages."""
    store = Store(state)
    for number in range(count):
        leave(store, f"{number:04} " + "x" * 3000)
    store.close()
    assert store.problems == []


def garbled(content):
    return b"garbage " * 4000


def cut_in_its_first_page(content):
    return content[:100]


def cut_in_half(content):
    return content[: len(content) // 2]


def garbled_behind_its_first_page(content):
    return content[:4096] + b"\xff" * (len(content) - 4096)


def text_of_another_kind(content):
    return b"hello\n"


DAMAGES = [garbled, cut_in_its_first_page, cut_in_half, garbled_behind_its_first_page, text_of_another_kind]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_corrupt_database_is_moved_aside_rebuilt_and_said(state, opened, damage):
    filled(state)
    path = f"{state}/state.sqlite3"
    with open(path, "rb") as file:
        damaged = damage(file.read())
    with open(path, "wb") as file:
        file.write(damaged)
    store = opened(state)
    leave(store, "new")
    assert "new" in take(store)
    (problem,) = store.take_problems()
    assert problem.message == "the state database was corrupt; it was moved aside and a new one made"
    assert problem.source == path
    (aside,) = [name for name in os.listdir(state) if ".corrupt-" in name]
    assert aside in problem.hint
    with open(f"{state}/{aside}", "rb") as file:
        assert file.read() == damaged
    leave(store, "more")
    assert take(store) == ["more"]
    assert store.problems == []


def test_a_reader_moves_a_corrupt_database_aside_too(state, opened):
    filled(state)
    with open(f"{state}/state.sqlite3", "wb") as file:
        file.write(b"garbage " * 4000)
    store = opened(state)
    assert store.take_hints(session="s", peek=True) == []
    assert "corrupt" in messages(store)[0]
    assert take(store) == []
    assert store.problems == []


def test_an_empty_database_file_is_filled(state, opened):
    os.mkdir(state, 0o700)
    with open(f"{state}/state.sqlite3", "wb"):
        pass
    store = opened(state)
    leave(store, "x")
    assert take(store) == ["x"]
    assert store.problems == []


def test_a_database_with_other_tables_is_moved_aside(state, opened):
    os.mkdir(state, 0o700)
    with sqlite3.connect(f"{state}/state.sqlite3") as connection:
        connection.execute("CREATE TABLE hints (other)")
    connection.close()
    store = opened(state)
    leave(store, "x")
    assert take(store) == ["x"]
    assert len(messages(store)) == 1


def test_a_database_of_a_newer_version_is_left_alone_and_said(state, opened):
    filled(state)
    path = f"{state}/state.sqlite3"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 7")
    connection.close()
    with open(path, "rb") as file:
        content = file.read()
    store = opened(state)
    leave(store, "x")
    assert take(store) == []
    assert messages(store) == ["hints cannot be stored: a newer hookrun wrote it (schema 7, this one knows 2)"]
    store.close()
    with open(path, "rb") as file:
        assert file.read() == content


def test_a_database_that_stays_locked_is_said_and_hands_out_nothing(state, opened):
    store = opened(state, patience=0.05)
    leave(store, "x")
    connection = sqlite3.connect(f"{state}/state.sqlite3", isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    leave(store, "y")
    assert take(store) == []
    assert messages(store) == ["hints cannot be stored: another process has it locked"]
    connection.execute("COMMIT")
    connection.close()
    assert take(store) == ["x"]
    assert store.problems == []


def test_a_state_folder_below_a_file_is_said(tmp_path, opened):
    (tmp_path / "file").touch()
    store = opened(str(tmp_path / "file" / "state"))
    leave(store, "x")
    assert take(store) == []
    store.keep_widget("/", "w", CachedWidget(text="x", at=1.0))
    assert store.cached_widget("/", "w") is None
    store.remember_root("s", "/x")
    assert store.root_of_session("s") is None
    reason = "a file is where a folder is needed"
    assert messages(store) == [
        f"hints cannot be stored: {reason}",
        f"texts of widgets cannot be stored: {reason}",
        f"the root of the session cannot be remembered: {reason}",
    ]


def test_a_state_folder_that_is_a_file_is_said(tmp_path, opened):
    (tmp_path / "state").touch()
    store = opened(str(tmp_path / "state"))
    leave(store, "x")
    assert messages(store) == ["hints cannot be stored: a file is where a folder is needed"]


def test_nowhere_is_said_when_something_should_be_kept(opened):
    store = opened(None)
    store.keep_hints(Event(dialect="xbot", event="PreToolUse"), [], session="s")
    assert not store.hints_may_be_pending()
    assert take(store) == []
    assert store.cached_widget("/", "w") is None
    assert store.root_of_session("s") is None
    assert store.problems == []
    leave(store, "x")
    store.keep_widget("/", "w", CachedWidget(text="x", at=1.0))
    store.remember_root("s", "/x")
    assert [message.split(":")[1] for message in messages(store)] == [" no state folder"] * 3


def test_a_problem_that_comes_again_is_listed_once(opened):
    store = opened(None)
    leave(store, "x")
    leave(store, "y")
    assert len(messages(store)) == 1
    leave(store, "z")
    assert len(messages(store)) == 1


def test_folder_and_files_are_closed_to_others_whatever_the_umask(state, opened):
    before = os.umask(0)
    try:
        store = opened(state)
        leave(store, "x")
        store.remember_root("s", "/x")
    finally:
        os.umask(before)
    assert mode(state) == 0o700
    assert mode(f"{state}/sessions") == 0o700
    names = ["hints.pending", "sessions/s", "state.sqlite3", "state.sqlite3-shm", "state.sqlite3-wal"]
    assert {name: oct(mode(f"{state}/{name}")) for name in names} == dict.fromkeys(names, oct(0o600))


def test_a_state_folder_that_others_may_read_is_closed_quietly(state, opened):
    os.mkdir(state, 0o755)
    store = opened(state)
    leave(store, "x")
    assert mode(state) == 0o700
    assert take(store) == ["x"]
    assert store.problems == []


@pytest.mark.parametrize("others", [0o770, 0o702])
def test_a_state_folder_that_others_may_write_is_closed_and_said(state, opened, others):
    os.mkdir(state)
    os.chmod(state, others)
    store = opened(state)
    leave(store, "x")
    assert mode(state) == 0o700
    assert take(store) == ["x"]
    assert messages(store) == ["the state folder was writable for other users; it is closed to them now"]


def test_a_database_that_others_may_read_is_closed(state, opened):
    filled(state, 1)
    os.chmod(f"{state}/state.sqlite3", 0o644)
    store = opened(state)
    assert len(take(store)) == 1
    assert mode(f"{state}/state.sqlite3") == 0o600


def test_a_link_of_ones_own_to_the_state_folder_is_followed(tmp_path, opened):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "state").symlink_to("elsewhere")
    store = opened(str(tmp_path / "state"))
    leave(store, "x")
    assert (tmp_path / "elsewhere" / "state.sqlite3").exists()
    assert store.problems == []


def test_a_database_that_is_a_link_is_refused(tmp_path, state, opened):
    filled(state, 1)
    os.rename(f"{state}/state.sqlite3", tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", f"{state}/state.sqlite3")
    store = opened(state)
    leave(store, "x")
    assert take(store) == []
    assert messages(store) == ["hints cannot be stored: it is not a regular file"]


@AS_ROOT
def test_a_state_folder_of_somebody_else_is_refused(state, opened):
    os.mkdir(state, 0o777)
    os.chown(state, STRANGER, STRANGER)
    store = opened(state)
    leave(store, "x")
    store.remember_root("s", "/x")
    assert os.listdir(state) == []
    assert [message.split(": ")[1] for message in messages(store)] == ["it belongs to another user"] * 2


@AS_ROOT
def test_a_link_of_somebody_else_to_the_state_folder_is_refused(tmp_path, opened):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "state").symlink_to("elsewhere")
    os.lchown(tmp_path / "state", STRANGER, STRANGER)
    store = opened(str(tmp_path / "state"))
    leave(store, "x")
    assert messages(store) == ["hints cannot be stored: it belongs to another user"]
    assert list((tmp_path / "elsewhere").iterdir()) == []


@AS_ROOT
def test_a_database_of_somebody_else_is_refused(state, opened):
    filled(state, 1)
    os.chown(f"{state}/state.sqlite3", STRANGER, STRANGER)
    store = opened(state)
    assert take(store) == []
    assert messages(store) == ["hints cannot be stored: it belongs to another user"]


def test_a_read_only_state_folder_hands_out_nothing_and_is_said(state, opened):
    filled(state, 1)
    program = """
leave("y")
report["taken"] = take()
report["messages"] = messages()
"""
    report = in_namespace('mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"', state, program)
    assert report == {"taken": [], "messages": ["hints cannot be stored: it cannot be written"]}
    store = opened(state)
    assert len(take(store)) == 1
    assert store.problems == []


def test_a_full_disk_is_said_and_neither_loses_nor_doubles_a_hint(state):
    os.mkdir(state, 0o700)
    program = """
leave("first")
report["before"] = messages()
with open(folder + "/filler", "wb", buffering=0) as filler:
    try:
        while True:
            filler.write(b"x" * 4096)
    except OSError:
        pass
leave("big " + "x" * 200_000)
report["full"] = messages()
taken = take()
report["is_taken_or_said"] = len(taken) + len(messages()) == 1
os.unlink(folder + "/filler")
taken += take()
leave("last")
report["taken"] = taken + take()
report["after"] = messages()
"""
    report = in_namespace('mount -t tmpfs -o size=600k,mode=700 none "$1"', state, program)
    assert report == {
        "before": [],
        "full": ["hints cannot be stored: the disk is full"],
        "is_taken_or_said": True,
        "taken": ["first", "last"],
        "after": [],
    }


def test_a_disk_that_is_full_from_the_start_is_said(state):
    os.mkdir(state, 0o700)
    program = """
with open(folder + "/filler", "wb", buffering=0) as filler:
    try:
        while True:
            filler.write(b"x" * 4096)
    except OSError:
        pass
leave("x")
store.remember_root("s", "/x")
report["full"] = [(problem.message, problem.source) for problem in store.take_problems()]
report["taken"] = take()
messages()
os.unlink(folder + "/filler")
leave("x")
store.remember_root("s", "/x")
report["after"] = [take(), store.root_of_session("s"), messages()]
"""
    report = in_namespace('mount -t tmpfs -o size=600k,mode=700 none "$1"', state, program)
    assert report == {
        "full": [
            ["hints cannot be stored: the disk is full", f"{state}/state.sqlite3"],
            ["the root of the session cannot be remembered: the disk is full", state],
        ],
        "taken": [],
        "after": [["x"], "/x", []],
    }


def in_namespace(mount, folder, program):
    """Run *program* where *mount* was done on *folder* for it alone; return its report."""
    prelude = """
import json, os, sys
from hookrun.store import Store
from hookrun.model.values import Event, Hint

def leave(text):
    event = Event(dialect="xbot", event="PostToolUse", tool_call_id=text[:20], event_id=text[:20])
    store.keep_hints(event, [Hint(hook="h", text=text)], session="s")

def take():
    return [pending.hint.text for pending in store.take_hints(session="s")]

def messages():
    return [problem.message for problem in store.take_problems()]

folder = sys.argv[1]
store = Store(folder, patience=0.2)
report = {}
"""
    unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    if shutil.which("unshare") is None:
        pytest.skip("unshare is missing: no file system of our own can be mounted")
    tried = subprocess.run([*unshare, "sh", "-c", mount, "sh", folder], capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"no file system of our own can be mounted here: {tried.stderr.strip()}")
    ending = "\nstore.close()\nprint(json.dumps(report))"
    shell = f'{mount} && exec "$2" -c "$3" "$1"'
    done = subprocess.run(
        [*unshare, "sh", "-c", shell, "sh", folder, sys.executable, prelude + program + ending],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)
