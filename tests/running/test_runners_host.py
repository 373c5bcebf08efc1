"""What the runner owes the program around it: no trace in it, from any thread, however often."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest
from runner_jobs import output_of, pids_in, run, shell

from hookrun.running.process import run_jobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


def test_a_thousand_runs_leave_no_descriptor_and_no_process() -> None:
    lines = output_of("""
        from hookrun.running.watcher import close_watcher
        run(shell("exit 0"))
        before = open_descriptors()
        jobs = [shell("echo x"), program("/nowhere"), program("/bin/true"), shell("kill -9 $$")]
        wanted = ["ended", "not_started", "ended", "killed"]
        from hookrun.running.process import run_jobs
        for _ in range(250):
            assert [outcome.status for outcome in run_jobs(jobs, total_timeout=60)] == wanted
        print(open_descriptors() - before, len(children()))
        close_watcher()
        print(children())
    """)
    assert lines == ["0 1", "set()"]


def test_fifty_threads_run_hooks_at_the_same_time(tmp_path: Path) -> None:
    everybody_is_here = f"echo $$ >>{tmp_path}/pids; until [ -e {tmp_path}/go ]; do sleep 0.05; done; cat"

    def one(number: int) -> str:
        return run(shell(everybody_is_here, stdin=str(number).encode(), timeout=60.0)).stdout

    with ThreadPoolExecutor(50) as threads:
        outputs = [threads.submit(one, number) for number in range(50)]
        try:
            pids_in(tmp_path / "pids", 50)
        finally:
            (tmp_path / "go").touch()
        assert [output.result() for output in outputs] == [str(number) for number in range(50)]


def test_fifty_threads_with_quick_hooks_lose_no_outcome_of_a_subreaper() -> None:
    lines = output_of("""
        from concurrent.futures import ThreadPoolExecutor
        from hookrun.running.spawn import become_subreaper
        become_subreaper()
        with ThreadPoolExecutor(50) as threads:
            outcomes = list(threads.map(lambda _: run(program("/bin/true")), range(500)))
        print({(outcome.status, outcome.exit_code) for outcome in outcomes}, len(children()))
    """)
    assert lines == ["{('ended', 0)} 1"]


def test_the_signal_handlers_of_a_host_stay_and_fire() -> None:
    lines = output_of("""
        ended = []
        signal.signal(signal.SIGCHLD, lambda *_: ended.append(1))
        before = [signal.getsignal(number) for number in signal.valid_signals()]
        run(shell("exit 0"))
        print(before == [signal.getsignal(number) for number in signal.valid_signals()], bool(ended))
    """)
    assert lines == ["True True"]


def test_a_status_that_the_host_took_is_no_success() -> None:
    lines = output_of("""
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        before = open_descriptors()
        for job in (shell("echo x; exit 0"), program("/nowhere"), shell("sleep 60", timeout=0.2)):
            outcome = run(job)
            print(outcome.status, outcome.exit_code, outcome.stdout.strip(), outcome.cause)
        from hookrun.running.watcher import close_watcher
        close_watcher()
        print(open_descriptors() == before, children())
    """)
    assert lines == [
        "killed None x its exit status was taken by the host program",
        "not_started None  /nowhere does not exist",
        "timed_out None  timed out after 0.2 s",
        "True set()",
    ]


def test_a_subreaper_reaps_the_orphans_that_came_to_it(tmp_path: Path) -> None:
    lines = output_of(f"""
        from hookrun.running.spawn import become_subreaper
        become_subreaper()
        orphan = "(setsid sh -c 'echo $$ >{tmp_path}/pid' >/dev/null 2>&1 &)"
        run(shell(orphan))
        (pid,) = pids_in(__import__("pathlib").Path("{tmp_path}/pid"))
        eventually(lambda: not is_alive(pid))
        print(pid in children())
        run(shell("exit 0"))
        print(pid in children(), len(children()))
    """)
    assert lines[1:] == ["False 1"]


def test_a_child_that_could_not_be_ended_is_reaped_by_a_later_run() -> None:
    lines = output_of("""
        from hookrun.running import spawn
        null = os.open(os.devnull, os.O_RDWR)
        hung = spawn.spawn(["/bin/cat"], cwd="/", env={}, stdin=os.pipe()[0], stdout=null, stderr=null)
        spawn.reap_later(hung.pid)
        run(shell("exit 0"))
        print(is_alive(hung.pid))
        os.kill(hung.pid, signal.SIGKILL)
        eventually(lambda: not is_alive(hung.pid))
        run(shell("exit 0"))
        print(len(children()))
    """)
    assert lines == ["True", "1"]


@pytest.mark.parametrize("closed", [(0,), (0, 1, 2), (1, 2), (2,)])
def test_a_host_without_streams_of_its_own_runs_hooks_all_the_same(closed: tuple[int, ...], tmp_path: Path) -> None:
    output_of(f"""
        jobs = [shell("cat; echo err >&2", stdin=b"in"), program("/nowhere")]
        from hookrun.running.process import run_jobs
        for descriptor in {closed}:
            os.close(descriptor)
        outcomes = run_jobs(jobs, total_timeout=30)
        with open("{tmp_path}/seen", "w") as file:
            for outcome in outcomes:
                print(outcome.stdout + outcome.stderr + outcome.cause, file=file)
        os._exit(0)
    """)
    assert (tmp_path / "seen").read_text() == "inerr\n\n/nowhere does not exist\n"


def test_a_run_can_be_cancelled_from_elsewhere(tmp_path: Path) -> None:
    read, write = os.pipe()
    job = shell(f"echo begun; echo $$ >{tmp_path}/pid; trap 'echo cleaned; exit' TERM; sleep 60 & wait")
    try:
        with ThreadPoolExecutor(1) as threads:
            running = threads.submit(run_jobs, [job], total_timeout=60, stop_when_readable=read)
            pids_in(tmp_path / "pid")
            assert not running.done()
            os.write(write, b"!")
            (outcome,) = running.result()
    finally:
        os.close(read)
        os.close(write)
    assert (outcome.status, outcome.cause, outcome.stdout) == ("killed", "cancelled", "begun\ncleaned\n")


def test_a_library_run_installs_no_handler() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)]
    run(shell("exit 0"))
    assert before == [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)]
