"""hookrun killed at random moments: the state stays whole, no hint comes twice, no hook lives on."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from command import HOOKRUN
from firing import BASH_GUARD, PASS
from injected import Fault, emit_under
from runner_jobs import eventually, is_alive

if TYPE_CHECKING:
    from pathlib import Path

    from command import Project

ROUNDS = 30
AT_ONCE = 3  # emits, and as many readers
# Leaves its number, stays when it is told to, and says its command: a hint.
HOOK = 'echo $$ >>"{pids}"\ncase $HOOKRUN_COMMAND in stay*) sleep 60 & wait; esac\necho "$HOOKRUN_COMMAND"\n'


@pytest.fixture
def chance():
    """Chance that can be had again: HOOKRUN_TEST_SEED takes the seed that a failing test has printed."""
    seed = int(os.environ.get("HOOKRUN_TEST_SEED") or time.time_ns() % 1_000_000)
    print(f"HOOKRUN_TEST_SEED={seed}")
    return random.Random(seed)


@pytest.fixture
def commands(project: Project, user_environment, tmp_path: Path):
    """Start the command with its stdout in a file; what is still there at the end is killed."""
    widget = {"id": "hint", "slot": "toolHint", "sync": True, "triggers": ["PostToolUse:Shell"]}
    project.manifest("hinter", script=HOOK.format(pids=tmp_path / "pids"), ui=[widget])
    started: list[subprocess.Popen[bytes]] = []

    def start(*words: str) -> subprocess.Popen[bytes]:
        with open(tmp_path / f"out-{len(started)}", "wb") as file:
            process = subprocess.Popen(
                [HOOKRUN, *words],
                cwd=project.path,
                env=user_environment | {"HOOKRUN_TRUST": "project"},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
            )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def emit_words(command: str, tmp_path: Path) -> tuple[str, ...]:
    """The words of an emit that leaves the hint *command*; each has a file of its own while it runs."""
    given = tmp_path / f"{command}.json"
    given.write_text(json.dumps({"command": command, "more": "x" * 140_000}))
    return ("emit", "post", "--tool", "Shell", "--call-id", command, "--input", f"@{given}")


def test_kills_at_any_moment_double_no_hint_and_leave_nothing(project, user_environment, commands, chance, tmp_path):
    began = time.monotonic()
    assert commands(*emit_words("whole", tmp_path)).wait(timeout=60) == 0
    longest = 1.5 * (time.monotonic() - began)
    read = ("hints", "--all", "--format", "json")
    for number in range(ROUNDS):
        kinds = chance.choices(["stay", "go"], [1, 2], k=AT_ONCE)
        began = time.monotonic()
        emits = [commands(*emit_words(f"{kind}-{number}-{index}", tmp_path)) for index, kind in enumerate(kinds)]
        readers = [commands(*read) for _ in range(AT_ONCE)]
        doomed = [*emits, readers[0]]
        chance.shuffle(doomed)
        for moment, process in zip(sorted(chance.uniform(0, longest) for _ in doomed), doomed, strict=True):
            time.sleep(max(0.0, began + moment - time.monotonic()))
            process.kill()
        for process in (*emits, *readers):
            process.wait(timeout=60)
    assert commands(*read).wait(timeout=60) == 0

    assert_whole(project.home / ".local/state/hookrun/state.sqlite3")
    told = "".join(path.read_text(errors="replace") for path in tmp_path.glob("out-*"))
    assert "corrupt" not in told
    taken = Counter(hint["text"] for path in tmp_path.glob("out-*") for hint in hints_in(path))
    assert taken["whole"] == 1
    assert {text: count for text, count in taken.items() if count > 1} == {}
    assert all(text == "whole" or text.startswith(("stay-", "go-")) for text in taken)
    hooks = [int(line) for line in (tmp_path / "pids").read_text().split()]
    eventually(lambda: not any(map(is_alive, hooks)), "the end of all hooks")
    assert nothing_stays_in_the_runtime_folder(project, user_environment)


def assert_whole(path: Path) -> None:
    connection = sqlite3.connect(path)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    finally:
        connection.close()


def hints_in(path: Path) -> list[dict[str, str]]:
    """The hints in what a reader has printed; a list that was cut off by a kill holds what it holds."""
    text = path.read_text(errors="replace")
    if not text.startswith("["):
        return []
    decoder = json.JSONDecoder()
    found, start = [], text.find("{")
    while start >= 0:
        try:
            hint, end = decoder.raw_decode(text, start)
        except ValueError:
            break
        found.append(hint)
        start = text.find("{", end)
    return found


def nothing_stays_in_the_runtime_folder(project, user_environment) -> bool:
    """Whether a further run sweeps what the killed ones have left, once their hooks have let go of it."""
    runtime = os.path.join(user_environment["XDG_RUNTIME_DIR"], "hookrun")
    project.script(BASH_GUARD, PASS)
    assert emit_under(Fault(), project, user_environment).code == 0
    return [name for name in os.listdir(runtime) if name.startswith("run-")] == []


def test_what_is_left_of_a_killed_run_is_seen_at_all(project, user_environment, commands, tmp_path):
    process = commands(*emit_words("stay-0", tmp_path))
    runtime = os.path.join(user_environment["XDG_RUNTIME_DIR"], "hookrun")
    eventually(lambda: (tmp_path / "pids").exists() and (tmp_path / "pids").read_text().endswith("\n"))
    (hook,) = (int(line) for line in (tmp_path / "pids").read_text().split())
    assert is_alive(hook)
    process.kill()
    process.wait(timeout=60)
    assert len(os.listdir(runtime)) == 1
    eventually(lambda: not is_alive(hook), "the end of the hook")
    assert nothing_stays_in_the_runtime_folder(project, user_environment)
