"""How often in a row an agent was sent back: counted by every process, forgotten on demand."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from hookrun.store import Store

if TYPE_CHECKING:
    from pathlib import Path

COUNT = """
import sys
from hookrun.store import Store
for _ in range(50):
    print(Store(sys.argv[1]).count_stop("session", "agentstop"))
"""


def test_every_time_is_counted_for_its_session_and_agent(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "state"))
    assert [store.count_stop("a", "agentstop") for _ in range(3)] == [1, 2, 3]
    assert store.count_stop("b", "agentstop") == 1
    assert store.count_stop("a", "subagentstop-x") == 1
    assert store.count_stop("A/../a", "agentstop") == 1
    assert store.problems == []


def test_one_agent_or_a_whole_session_is_forgotten(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "state"))
    for whose in ("agentstop", "subagentstop"):
        store.count_stop("a", whose)
    store.forget_stops("a", "agentstop")
    assert store.count_stop("a", "agentstop") == 1
    assert store.count_stop("a", "subagentstop") == 2
    store.count_stop("b", "agentstop")
    store.forget_stops("a")
    assert os.listdir(tmp_path / "state/stops") == ["b"]
    store.forget_stops("a")
    assert store.problems == []


def test_processes_that_count_at_once_lose_nothing(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    counting = [
        subprocess.Popen([sys.executable, "-c", COUNT, state], stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    outputs = [process.communicate(timeout=60)[0] for process in counting]
    assert all(len(output.split()) == 50 for output in outputs)
    assert Store(state).count_stop("session", "agentstop") == 201


def test_sessions_left_long_ago_are_forgotten(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    store.count_stop("old", "agentstop")
    store.count_stop("young", "agentstop")
    os.utime(tmp_path / "stops/old", (1, 1))
    store.count_stop("new", "agentstop")
    assert sorted(os.listdir(tmp_path / "stops")) == ["new", "young"]


def test_what_cannot_be_counted_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "stops").write_text("")
    store = Store(str(tmp_path))
    assert store.count_stop("a", "agentstop") is None
    assert "how often an agent was sent back" in store.take_problems()[0].message
    assert Store(None).count_stop("a", "agentstop") is None
    Store(None).forget_stops("a")
