"""The root that is remembered for a session."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

import hookrun
from hookrun.store import Store

ROOT = os.path.dirname(os.path.dirname(hookrun.__file__))
DAY = 86_400


@pytest.fixture
def state(tmp_path):
    return str(tmp_path / "state")


@pytest.fixture
def store(state):
    store = Store(state)
    yield store
    assert store.problems == []


def grow_old(path, days):
    then = time.time() - days * DAY
    os.utime(path, (then, then))


def test_a_root_is_remembered_for_its_session_alone(store):
    assert store.root_of_session("s") is None
    store.remember_root("s", "/one")
    assert store.root_of_session("s") == "/one"
    assert store.root_of_session("t") is None


def test_the_first_root_of_a_session_stays(store, state):
    store.remember_root("s", "/one")
    store.remember_root("s", "/two")
    Store(state).remember_root("s", "/three")
    assert store.root_of_session("s") == "/one"


def test_no_session_has_no_root(store, state):
    store.remember_root("", "/one")
    assert store.root_of_session("") is None
    assert not os.path.exists(state)


@pytest.mark.parametrize(
    "session", ["0b9c7a52-6ac0-4b6e-9d2b-0f8a", "S", "../../up", ".", "a/b", "\ud800", "é", "x" * 5000, "\n\0"]
)
def test_any_text_can_be_a_session(store, state, session):
    store.remember_root(session, "/one")
    store.remember_root(session.swapcase() + "x", "/two")
    assert store.root_of_session(session) == "/one"
    assert len(names(state)) == 2


def test_sessions_that_differ_in_case_have_different_files(store, state):
    store.remember_root("session", "/one")
    store.remember_root("SESSION", "/two")
    assert len({name.lower() for name in names(state)}) == 2


@pytest.mark.parametrize("root", ["/", "/with\nnewline\n", "/é", "/\udcff", "/" + "x" * 4000])
def test_any_path_can_be_a_root(store, root):
    store.remember_root("s", root)
    assert store.root_of_session("s") == root


def test_a_file_that_was_cut_short_is_written_anew(store, state):
    store.remember_root("s", "/one")
    for content in (b"", b"/on", b"relative\n"):
        with open(f"{state}/sessions/s", "wb") as file:
            file.write(content)
        assert store.root_of_session("s") is None
        store.remember_root("s", "/two")
        assert store.root_of_session("s") == "/two"


def test_a_pipe_in_place_of_a_root_is_refused_without_waiting(state):
    store = Store(state)
    store.remember_root("s", "/one")
    os.unlink(f"{state}/sessions/s")
    os.mkfifo(f"{state}/sessions/s")
    assert store.root_of_session("s") is None
    assert [problem.message for problem in store.problems] == [
        "the root of the session cannot be remembered: it is not a regular file"
    ]


def test_a_link_in_place_of_a_root_is_not_followed(tmp_path, state):
    store = Store(state)
    store.remember_root("s", "/one")
    (tmp_path / "elsewhere").write_text("/two\n")
    os.unlink(f"{state}/sessions/s")
    os.symlink(tmp_path / "elsewhere", f"{state}/sessions/s")
    assert store.root_of_session("s") is None
    assert len(store.problems) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_a_root_that_somebody_else_wrote_is_refused(state):
    store = Store(state)
    store.remember_root("s", "/one")
    os.chown(f"{state}/sessions/s", 54321, 54321)
    assert store.root_of_session("s") is None
    assert "another user" in store.problems[0].message


def test_sessions_that_were_not_used_for_a_month_are_swept_once_a_day(store, state):
    for session, days in (("old", 31), ("young", 29)):
        store.remember_root(session, "/one")
        grow_old(f"{state}/sessions/{session}", days)
    with open(f"{state}/sessions/.draft", "wb"):
        grow_old(f"{state}/sessions/.draft", 31)
    store.remember_root("today", "/one")
    assert names(state) == [".draft", "old", "today", "young"]
    grow_old(f"{state}/sessions/.swept", 2)
    store.remember_root("tomorrow", "/one")
    assert names(state) == ["today", "tomorrow", "young"]


def test_a_session_that_is_asked_for_counts_as_used(store, state):
    store.remember_root("s", "/one")
    grow_old(f"{state}/sessions/s", 29)
    assert store.root_of_session("s") == "/one"
    assert time.time() - os.stat(f"{state}/sessions/s").st_mtime < DAY


def test_eight_processes_agree_on_one_root(state):
    program = """
import sys
from hookrun.store import Store
store = Store(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
store.remember_root("s", sys.argv[2])
print(store.root_of_session("s"), len(store.problems))
"""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program, state, f"/{number}"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(8)
    ]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    answers = {process.communicate("go\n")[0] for process in processes}
    assert len(answers) == 1
    assert answers < {f"/{number} 0\n" for number in range(8)}
    assert names(state) == ["s"]


def names(state):
    return sorted(name for name in os.listdir(f"{state}/sessions") if name != ".swept")
