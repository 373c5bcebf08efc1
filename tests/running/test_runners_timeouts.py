"""Hooks whose time is over: they end, with all that they have started, whatever they do."""

from __future__ import annotations

import time

import pytest
from runner_jobs import end, is_alive, output_of, pids_in, run, shell

from hookrun.running.process import Job, run_jobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

# Each writes the numbers of its processes, one a line, into the file $1 before it is over its time.
STUBBORN = {
    "ignores TERM": "trap '' TERM; echo $$ >$1; while :; do sleep 1; done",
    "has children": "sleep 60 & echo $! >$1; echo $$ >>$1; wait",
    "stops itself": "echo $$ >$1; kill -STOP $$",
    "has a child in a session of its own": ("echo $$ >$1; setsid sh -c 'echo $$ >>$1; exec sleep 60' - $1 & wait"),
    "has a deaf child in a session of its own": (
        "echo $$ >$1; setsid sh -c 'trap \"\" TERM; echo $$ >>$1; while :; do sleep 1; done' - $1 & wait"
    ),
    "forks twice": "(setsid sh -c 'echo $$ >>$1; exec sleep 60' - $1 >/dev/null 2>&1 &); sleep 60",
    "clears its environment": "echo $$ >$1; exec env -i sleep 60",
    "has closed its pipes": "echo $$ >$1; exec sleep 60 >/dev/null 2>&1 </dev/null",
}


def with_file(script: str, file: Path, **fields: float) -> Job:
    job = shell("", **fields)
    return job.replace(argv=("/bin/sh", "-c", script, "hook", str(file)))


@pytest.mark.parametrize("script", STUBBORN.values(), ids=STUBBORN)
def test_a_hook_is_over_3_seconds_after_its_time_and_leaves_nothing(script: str, tmp_path: Path) -> None:
    file = tmp_path / "pids"
    began = time.monotonic()
    outcome = run(with_file(script, file, timeout=0.5))
    assert time.monotonic() - began < 0.5 + 3
    assert (outcome.status, outcome.exit_code) == ("timed_out", None)
    assert outcome.cause == "timed out after 0.5 s"
    assert [pid for pid in pids_in(file) if is_alive(pid)] == []


def test_a_hook_may_clean_up_when_its_time_is_over() -> None:
    outcome = run(shell("echo begun; trap 'echo cleaned; exit 0' TERM; sleep 60 & wait", timeout=0.3))
    assert (outcome.status, outcome.stdout) == ("timed_out", "begun\ncleaned\n")


def test_a_stopped_hook_may_clean_up_too() -> None:
    outcome = run(shell("trap 'echo cleaned; exit 0' TERM; kill -STOP $$; sleep 60", timeout=0.3))
    assert (outcome.status, outcome.stdout) == ("timed_out", "cleaned\n")


def test_the_time_of_one_hook_is_not_that_of_its_neighbours(tmp_path: Path) -> None:
    slow = shell("sleep 60", timeout=0.1)
    other = shell("sleep 0.5; echo done")
    outcomes = run_jobs([slow, other], total_timeout=30)
    assert [(outcome.status, outcome.stdout) for outcome in outcomes] == [("timed_out", ""), ("ended", "done\n")]


def test_the_time_of_all_hooks_ends_those_that_still_run() -> None:
    began = time.monotonic()
    quick, slow, deaf = run_jobs(
        [shell("echo quick"), shell("sleep 60"), shell("trap '' TERM; sleep 60; sleep 60")], total_timeout=0.5
    )
    assert time.monotonic() - began < 0.5 + 3
    assert (quick.status, quick.stdout) == ("ended", "quick\n")
    assert [slow.status, deaf.status] == ["timed_out", "timed_out"]
    assert slow.cause == "all hooks together took longer than 0.5 s"


def test_a_hook_that_has_ended_is_not_timed_out_by_what_it_left(tmp_path: Path) -> None:
    outcome = run(shell("sleep 60 & echo $!", timeout=0.1), total_timeout=0.1)
    pid = int(outcome.stdout)
    try:
        assert (outcome.status, is_alive(pid)) == ("ended", True)
    finally:
        end(pid)


def test_what_came_to_the_command_before_its_hook_was_started_survives_a_timeout(tmp_path: Path) -> None:
    left = tmp_path / "left"
    source = f"""
    from hookrun.running.spawn import become_subreaper
    become_subreaper()
    os.system("setsid sh -c 'echo $$ >{left}; exec env -i sleep 60' >/dev/null 2>&1 &")
    (pid,) = pids_in(Path({str(left)!r}))
    eventually(lambda: pid in children())
    time.sleep(0.3)
    print(run(shell("setsid env -i sleep 60 & sleep 60", timeout=0.3)).status, is_alive(pid), len(children()))
    """
    try:
        # It, the watcher, and nothing of the hook.
        assert output_of(source) == ["timed_out True 2"]
    finally:
        end(*pids_in(left))


def test_what_another_hook_left_on_purpose_survives_a_timeout(tmp_path: Path) -> None:
    left, slow = run_jobs(
        [shell("setsid sleep 60 >/dev/null 2>&1 & echo $!"), shell("sleep 60", timeout=0.3)], total_timeout=30
    )
    pid = int(left.stdout)
    try:
        assert slow.status == "timed_out"
        assert is_alive(pid)
    finally:
        end(pid)


# It leaves session, group and environment behind, and its parent is gone.
DAEMON = "(setsid env -i sh -c 'echo $$ >%s; exec sleep 60' >/dev/null 2>&1 &)"


@pytest.mark.parametrize("is_subreaper", [True, False])
def test_a_daemon_without_any_trace_is_found_by_a_subreaper_alone(is_subreaper: bool, tmp_path: Path) -> None:
    file = tmp_path / "pid"
    output_of(f"""
        if {is_subreaper}:
            from hookrun.running.spawn import become_subreaper
            become_subreaper()
        outcome = run(shell({DAEMON % file!r} + "; sleep 60", timeout=0.5))
        assert outcome.status == "timed_out"
        watcher_alone = len(children()) == 1
        assert watcher_alone
    """)
    (pid,) = pids_in(file)
    try:
        assert is_alive(pid) == (not is_subreaper)
    finally:
        end(pid)


def test_a_subreaper_spares_the_orphans_of_other_hooks(tmp_path: Path) -> None:
    lines = output_of(f"""
        from hookrun.running.spawn import become_subreaper
        become_subreaper()
        daemon = "(setsid sh -c 'echo $$ >{tmp_path}/left; exec sleep 60' >/dev/null 2>&1 &)"
        untraceable = "(sh -c 'echo $$ >{tmp_path}/running; exec env -i sleep 60' >/dev/null 2>&1 &)"
        from hookrun.running.process import run_jobs
        jobs = [shell(daemon), shell(untraceable + "; sleep 1"), shell("sleep 60", timeout=0.5)]
        left, running, slow = run_jobs(jobs, total_timeout=30)
        print(left.status, running.status, slow.status)
    """)
    assert lines == ["ended ended timed_out"]
    pids = [*pids_in(tmp_path / "left"), *pids_in(tmp_path / "running")]
    try:
        assert [is_alive(pid) for pid in pids] == [True, True]
    finally:
        end(*pids)


def test_a_subreaper_spares_the_children_of_its_own(tmp_path: Path) -> None:
    lines = output_of("""
        import subprocess
        from hookrun.running.spawn import become_subreaper
        become_subreaper()
        own = subprocess.Popen(["sleep", "60"], env={})
        assert run(shell("sleep 60", timeout=0.2)).status == "timed_out"
        print(own.poll())
        own.kill()
        own.wait()
    """)
    assert lines == ["None"]
