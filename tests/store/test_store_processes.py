"""The store among processes: competing readers, processes that are killed, forks, files that are replaced."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

import hookrun
from hookrun.model.values import Event, Hint
from hookrun.store import Store

ROOT = os.path.dirname(os.path.dirname(hookrun.__file__))
PRELUDE = """
import json, os, sys
from hookrun.store import Store
from hookrun.model.values import Event, Hint

def leave(store, name):
    event = Event(dialect="xbot", event="PostToolUse", tool_call_id=name, event_id=name)
    store.keep_hints(event, [Hint(hook="h", text=name)], session="s")

def take(store):
    return [pending.hint.text for pending in store.take_hints(session="s")]

store = Store(sys.argv[1], patience=60)
"""
# Says that it is ready, and starts when it is told to.
WAITS = """
print("ready", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def state(tmp_path):
    return str(tmp_path / "state")


@pytest.fixture
def start(tmp_path):
    """Start Python programs, and end those that a failing test leaves behind."""
    started = []

    def start(program, *arguments, stdout=subprocess.PIPE):
        process = subprocess.Popen(
            [sys.executable, "-c", PRELUDE + program, *arguments],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=stdout,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.communicate()


def run_together(processes):
    """Let processes that wait begin at the same time; return what each printed last, as JSON."""
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    results = []
    for process in processes:
        output, _ = process.communicate()
        assert process.returncode == 0
        results.append(json.loads(output.splitlines()[-1]))
    return results


def leave(store, name):
    event = Event(dialect="xbot", event="PostToolUse", tool_call_id=name, event_id=name)
    store.keep_hints(event, [Hint(hook="h", text=name)], session="s")


def take(store):
    return [pending.hint.text for pending in store.take_hints(session="s")]


def wait_until(is_so, process=None):
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        assert process is None or process.poll() is None
        time.sleep(0.001)


def test_each_of_200_hints_reaches_one_of_four_competing_readers(start, state, tmp_path):
    done = tmp_path / "done"
    writer = """
for number in range(50):
    leave(store, f"{sys.argv[2]}-{number}")
store.close()
print(json.dumps([problem.message for problem in store.problems]))
"""
    # SQLite's lock is not fair: readers without a pause could keep writers out past their patience.
    reader = """
import time
taken = []
while True:
    is_last = os.path.exists(sys.argv[2])
    taken += take(store)
    if is_last:
        break
    time.sleep(0.001)
store.close()
print(json.dumps([taken, [problem.message for problem in store.problems]]))
"""
    readers = [start(reader, state, str(done)) for _ in range(4)]
    problems = run_together([start(WAITS + writer, state, str(number)) for number in range(4)])
    done.touch()
    results = [json.loads(process.communicate()[0]) for process in readers]
    taken = [text for texts, _ in results for text in texts]
    assert problems == [[], [], [], []]
    assert [messages for _, messages in results] == [[], [], [], []]
    assert sorted(taken) == sorted(f"{writer}-{number}" for writer in range(4) for number in range(50))


def test_twenty_readers_at_once_get_one_hint_once(start, state):
    store = Store(state)
    leave(store, "x")
    store.close()
    reader = "print(json.dumps(take(store)))"
    assert sorted(run_together([start(WAITS + reader, state) for _ in range(20)])) == [[]] * 19 + [["x"]]


def test_eight_processes_that_open_a_fresh_database_at_once_all_succeed(start, state):
    program = """
leave(store, sys.argv[2])
print(json.dumps([problem.message for problem in store.problems]))
"""
    for attempt in range(3):
        folder = f"{state}-{attempt}"
        assert run_together([start(WAITS + program, folder, str(name)) for name in range(8)]) == [[]] * 8
        store = Store(folder)
        assert sorted(take(store)) == sorted(str(name) for name in range(8))
        store.close()


def test_two_processes_that_find_garbage_at_once_rebuild_it_once(start, state):
    program = """
leave(store, sys.argv[2])
print(json.dumps([problem.message for problem in store.problems]))
"""
    for attempt in range(5):
        folder = f"{state}-{attempt}"
        os.mkdir(folder, 0o700)
        with open(f"{folder}/state.sqlite3", "wb") as file:
            file.write(b"garbage " * 4000)
        messages = run_together([start(WAITS + program, folder, str(name)) for name in range(2)])
        assert sorted(len(some) for some in messages) == [0, 1]
        assert "corrupt" in str(messages)
        store = Store(folder)
        assert sorted(take(store)) == ["0", "1"]
        store.close()
        assert len([name for name in os.listdir(folder) if ".corrupt-" in name]) == 1


def test_readers_and_writers_that_are_killed_double_no_hint_and_break_nothing(start, state, tmp_path):
    program = """
number = 0
while True:
    leave(store, f"{os.getpid()}-{number}")
    number += 1
    for text in take(store):
        os.write(1, f"{text}\\n".encode())
"""
    chance = random.Random(11)
    log = tmp_path / "log"
    with open(log, "ab", buffering=0) as file:
        for _ in range(8):
            enough = os.path.getsize(log) + chance.randrange(4000)
            processes = [start(program, state, stdout=file) for _ in range(2)]
            wait_until(lambda enough=enough: os.path.getsize(log) > enough, processes[0])
            for process in processes:
                process.kill()
                process.wait()
    store = Store(state)
    taken = log.read_text().split("\n") + take(store)
    leave(store, "after")
    assert take(store) == ["after"]
    store.close()
    assert store.problems == []
    assert len(taken) > 100
    assert len(taken) == len(set(taken))
    assert_whole(state)


def test_a_process_that_is_killed_while_it_makes_the_database_is_no_trouble(start, state):
    program = "leave(store, 'x'); print('kept', flush=True); sys.stdin.readline()"
    chance = random.Random(5)
    for attempt in range(12):
        folder = f"{state}-{attempt}"
        sign = chance.choice(["state.sqlite3.lock", "state.sqlite3", "state.sqlite3-wal", "hints.pending"])
        process = start(program, folder)
        wait_until(lambda path=f"{folder}/{sign}": os.path.exists(path), process)
        process.kill()
        process.wait()
        store = Store(folder)
        leave(store, "after")
        assert take(store)[-1] == "after"
        store.close()
        assert store.problems == []
        assert_whole(folder)


def test_a_forked_child_and_its_parent_share_a_store(start, state):
    program = """
leave(store, "before")
child = os.fork()
if child == 0:
    taken = take(store)
    leave(store, "of the child")
    store.close()
    print(json.dumps(taken), flush=True)
    os._exit(len(store.problems))
assert os.waitpid(child, 0)[1] == 0
leave(store, "of the parent")
print(json.dumps(take(store)), flush=True)
store.close()
assert store.problems == []
"""
    output, _ = start(program, state).communicate()
    assert output.splitlines() == ['["before"]', '["of the child", "of the parent"]']
    assert_whole(state)


def test_a_fork_while_a_thread_uses_the_store_does_not_block_the_child(start, state):
    program = """
import threading, time, warnings
warnings.simplefilter("ignore")  # Python 3.12 and later warn of forks beside threads
is_over = False
def work():
    number = 0
    while not is_over:
        leave(store, f"{number}")
        number += 1
        time.sleep(0.001)  # SQLite's lock is not fair: without a pause others could wait for ever
leave(store, "first")
thread = threading.Thread(target=work)
thread.start()
statuses = []
for _ in range(20):
    child = os.fork()
    if child == 0:
        leave(store, f"child-{os.getpid()}")
        os._exit(len(store.problems))
    statuses.append(os.waitpid(child, 0)[1])
is_over = True
thread.join()
taken = take(store)
store.close()
print(json.dumps([statuses, sum("child" in text for text in taken), len(store.problems)]))
"""
    output, _ = start(program, state).communicate(timeout=100)
    assert json.loads(output) == [[0] * 20, 20, 0]


def test_a_store_that_is_open_follows_a_database_that_was_removed(state):
    open_store, other = Store(state), Store(state)
    leave(open_store, "lost")
    for name in os.listdir(state):
        os.unlink(f"{state}/{name}")
    leave(other, "x")
    assert take(open_store) == ["x"]
    leave(open_store, "y")
    assert take(other) == ["y"]
    open_store.close()
    other.close()
    assert open_store.problems + other.problems == []


def test_a_store_that_is_open_makes_a_folder_anew_that_was_removed(state):
    store = Store(state)
    leave(store, "lost")
    shutil.rmtree(state)
    leave(store, "x")
    assert take(store) == ["x"]
    store.close()
    assert store.problems == []


def test_closing_a_store_does_not_bring_back_a_folder_that_was_removed(state):
    store = Store(state)
    leave(store, "lost")
    shutil.rmtree(state)
    store.close()
    assert store.problems == []
    assert not os.path.exists(state)


def test_a_store_that_is_open_goes_on_when_another_process_rebuilds_a_corrupt_database(start, state):
    open_store = Store(state)
    leave(open_store, "before")
    with open(f"{state}/draft", "wb") as file:
        file.write(b"garbage " * 4000)
    os.replace(f"{state}/draft", f"{state}/state.sqlite3")
    os.unlink(f"{state}/state.sqlite3-wal")
    process = start("leave(store, 'x'); store.close(); print(len(store.problems))", state)
    assert process.communicate()[0] == "1\n"
    leave(open_store, "y")
    assert take(open_store) == ["x", "y"]
    open_store.close()
    assert open_store.problems == []
    assert_whole(state)


def test_a_stopped_process_that_holds_the_lock_is_not_waited_for_forever(start, state):
    program = """
import fcntl
os.mkdir(sys.argv[1], 0o700)
lock = open(sys.argv[1] + "/state.sqlite3.lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
print("locked", flush=True)
sys.stdin.readline()
"""
    process = start(program, state)
    assert process.stdout.readline() == "locked\n"
    process.send_signal(signal.SIGSTOP)
    store = Store(state, patience=0.05)
    leave(store, "x")
    assert [problem.message for problem in store.take_problems()] == [
        "hints cannot be stored: another process has it locked"
    ]
    process.send_signal(signal.SIGCONT)
    process.communicate("go\n")
    leave(store, "x")
    assert take(store) == ["x"]
    store.close()
    assert store.problems == []


def assert_whole(folder):
    connection = sqlite3.connect(f"{folder}/state.sqlite3")
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    finally:
        connection.close()
