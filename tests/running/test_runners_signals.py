"""Real signals to a real process that has hooks running: the hooks end, with it or before it."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest
from runner_jobs import DEADLINE, end, eventually, host, is_alive, output_of, pids_in, state_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

COMMAND = """
    from hookrun.running.interrupts import catch_signals
    from hookrun.running.watcher import close_watcher
    from hookrun.model.errors import Interrupted
    catch_signals()
"""
# Two processes: the hook, and a child in a session of its own.
HOOK = "echo $$ >%s; setsid sh -c 'echo $$ >>%s; exec sleep 60' & wait"
DEAF = "trap '' TERM; echo $$ >%s; while :; do sleep 1; done"


def hook_in(file: Path, script: str = HOOK) -> str:
    return repr(script.replace("%s", str(file)))


def are_gone(pids: list[int]) -> bool:
    return not any(is_alive(pid) for pid in pids)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_the_command_ends_its_hooks_first(number: signal.Signals, tmp_path: Path) -> None:
    file = tmp_path / "pids"
    source = (
        COMMAND
        + f"""
    try:
        run(shell({hook_in(file)}, timeout=60.0))
    except Interrupted as error:
        close_watcher()
        print(error.signum, error.exit_code, children(), flush=True)
        time.sleep(60)
    """
    )
    with host(source) as process:
        pids = pids_in(file, 2)
        process.send_signal(number)
        assert process.stdout is not None
        assert process.stdout.readline() == f"{int(number)} {128 + number} set()\n"
        assert are_gone(pids)


def test_a_second_signal_does_not_wait_for_a_deaf_hook(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    source = (
        COMMAND
        + f"""
    from hookrun.running import process
    process._INTERRUPT_GRACE = 600.0
    try:
        run(shell({hook_in(file, "trap 'echo deaf >>%s' TERM; echo $$ >%s; while :; do sleep 0.1; done")}))
    except Interrupted as error:
        print(error.signum)
    """
    )
    with host(source) as process:
        (pid,) = pids_in(file)
        process.send_signal(signal.SIGINT)
        eventually(lambda: "deaf" in file.read_text())
        assert is_alive(pid)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=DEADLINE)[0] == "2\n"
        assert are_gone([pid])


def test_a_deaf_hook_ends_after_one_signal_too(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    source = (
        COMMAND
        + f"""
    try:
        run(shell({hook_in(file, DEAF)}, timeout=60.0))
    except Interrupted:
        print("interrupted")
    """
    )
    with host(source) as process:
        pids = pids_in(file)
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=DEADLINE)[0] == "interrupted\n"
        assert are_gone(pids)


def test_a_signal_that_was_ignored_stays_so(tmp_path: Path) -> None:
    go_on = tmp_path / "go_on"
    file = tmp_path / "pids"
    hook = hook_in(file, f"echo $$ >%s; until [ -e {go_on} ]; do sleep 0.01; done; echo went on")
    source = f"""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    {COMMAND}
    print(run(shell({hook})).stdout)
    """
    with host(source) as process:
        pids_in(file)
        process.send_signal(signal.SIGHUP)
        go_on.touch()
        assert process.communicate(timeout=DEADLINE)[0] == "went on\n\n"


def test_a_signal_between_runs_is_raised_where_the_program_is() -> None:
    source = (
        COMMAND
        + """
    run(shell("exit 0"))
    try:
        print("ready", flush=True)
        time.sleep(60)
    except Interrupted as error:
        print(error.signum)
    """
    )
    with host(source) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=DEADLINE)[0] == "15\n"


def test_on_the_way_out_further_signals_are_ignored(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    source = (
        COMMAND
        + f"""
    def again():
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            os.kill(os.getpid(), number)
    import atexit
    atexit.register(again)
    try:
        run(shell({hook_in(file)}))
    except Interrupted as error:
        again()
        close_watcher()
        print(error.signum, children())
    """
    )
    with host(source, stderr=subprocess.STDOUT) as process:
        pids_in(file, 2)
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=DEADLINE)[0] == "15 set()\n"


def test_a_signal_while_the_watcher_is_closed_waits_for_its_end() -> None:
    lines = output_of(
        COMMAND
        + """
    from hookrun.running import spawn
    run(shell("exit 0"))
    reap = spawn.reap
    def signalled(*words, **options):
        os.kill(os.getpid(), signal.SIGTERM)
        return reap(*words, **options)
    spawn.reap = signalled
    try:
        close_watcher()
    except Interrupted as error:
        print(error.signum, children())
    """
    )
    assert lines == ["15 set()"]


def test_a_signal_at_exit_says_nothing() -> None:
    source = (
        COMMAND
        + """
    from hookrun.running import spawn
    run(shell("exit 0"))
    reap = spawn.reap
    def signalled(*words, **options):
        os.kill(os.getpid(), signal.SIGTERM)
        return reap(*words, **options)
    spawn.reap = signalled
    print("out")
    """
    )
    assert output_of(source, stderr=subprocess.STDOUT) == ["out"]


def test_after_an_interrupt_hooks_can_run_again(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    source = (
        COMMAND
        + f"""
    try:
        run(shell({hook_in(file)}))
    except Interrupted:
        print(run(shell("echo again")).stdout)
    """
    )
    with host(source) as process:
        pids_in(file, 2)
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=DEADLINE)[0] == "again\n\n"


LIBRARY = {
    "KeyboardInterrupt": ("", KeyboardInterrupt.__name__, signal.SIGINT),
    "an exception of the host's own handler": (
        "\n    signal.signal(signal.SIGALRM, lambda *_: 1 / 0)",
        ZeroDivisionError.__name__,
        signal.SIGALRM,
    ),
}


@pytest.mark.parametrize(("handler", "error", "number"), LIBRARY.values(), ids=LIBRARY)
def test_an_exception_through_a_library_call_leaves_nothing(
    handler: str, error: str, number: signal.Signals, tmp_path: Path
) -> None:
    file = tmp_path / "pids"
    source = f"""{handler}
    run(shell("exit 0"))
    before = open_descriptors()
    try:
        run(shell({hook_in(file)}, timeout=60.0))
    except BaseException as error:
        watcher_alone = len(children()) == 1
        print(type(error).__name__, open_descriptors() == before, watcher_alone, flush=True)
        time.sleep(60)
    """
    with host(source) as process:
        pids = pids_in(file, 2)
        process.send_signal(number)
        assert process.stdout is not None
        assert process.stdout.readline() == f"{error} True True\n"
        assert are_gone(pids)


KILLED = {
    "a child in a session of its own": (HOOK, 2),
    "a deaf hook": (DEAF, 1),
    "a hook without its environment": ("echo $$ >%s; exec env -i sleep 60", 1),
}


@pytest.mark.parametrize(("script", "count"), KILLED.values(), ids=KILLED)
def test_hooks_do_not_outlive_a_kill(script: str, count: int, tmp_path: Path) -> None:
    file = tmp_path / "pids"
    source = f"""
    run(shell("exit 0"))
    print(*children(), flush=True)
    run(shell({hook_in(file, script)}, timeout=60.0))
    """
    with host(source) as process:
        assert process.stdout is not None
        watcher = int(process.stdout.readline())
        pids = pids_in(file, count)
        eventually(lambda: state_of(process.pid) == "S", "waiting for the hook, all told to the watcher")
        process.kill()
        eventually(lambda: are_gone([*pids, watcher]), "the end of all")


def test_what_a_hook_left_on_purpose_outlives_a_kill(tmp_path: Path) -> None:
    left, running = tmp_path / "left", tmp_path / "running"
    source = f"""
    run(shell("sleep 60 >/dev/null 2>&1 & echo $! >{left}"))
    run(shell({hook_in(running)}, timeout=60.0))
    """
    with host(source) as process:
        pids = pids_in(running, 2)
        process.kill()
        eventually(lambda: are_gone(pids))
    (pid,) = pids_in(left)
    try:
        assert is_alive(pid)
    finally:
        end(pid)


def test_a_watcher_that_is_told_to_end_goes_on_watching(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    source = f"""
    run(shell("exit 0"))
    (watcher,) = children()
    print(watcher, flush=True)
    run(shell({hook_in(file)}, timeout=60.0))
    """
    with host(source) as process:
        assert process.stdout is not None
        watcher = int(process.stdout.readline())
        pids = pids_in(file, 2)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            os.kill(watcher, number)
        process.kill()
        eventually(lambda: are_gone([*pids, watcher]), "the end of all")


def test_a_watcher_that_was_killed_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    source = f"""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # as some hosts do: a write to a broken pipe kills
    run(shell("exit 0"))
    (watcher,) = children()
    os.kill(watcher, signal.SIGKILL)
    eventually(lambda: not is_alive(watcher))
    run(shell("exit 0"))
    print(watcher in children(), len(children()), flush=True)
    run(shell({hook_in(file)}, timeout=60.0))
    """
    with host(source) as process:
        pids = pids_in(file, 2)
        assert process.stdout is not None
        assert process.stdout.readline() == "False 1\n"
        process.kill()
        eventually(lambda: are_gone(pids))


def test_a_stopped_watcher_holds_up_nothing(tmp_path: Path) -> None:
    lines = output_of("""
        from hookrun.running.watcher import close_watcher, unwatch, watch
        run(shell("exit 0"))
        (watcher,) = children()
        os.kill(watcher, signal.SIGSTOP)
        for number in range(5000):
            watch(f"{number:0>32}")
            unwatch(f"{number:0>32}")
        print(run(shell("echo x")).stdout.strip(), len(children()))
        close_watcher()
        print(children())
    """)
    assert lines == ["x 1", "set()"]


@pytest.mark.parametrize("way", ["pass", "close_watcher()", "sys.exit(0)", "os._exit(0)"])
def test_the_watcher_ends_with_its_process(way: str) -> None:
    (line,) = output_of(f"""
        from hookrun.running.watcher import close_watcher
        run(shell("exit 0"))
        print(*children(), flush=True)
        {way}
    """)
    eventually(lambda: are_gone([int(line)]))


def test_hooks_of_a_thread_end_with_the_program(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    source = f"""
    import threading
    threading.Thread(target=run, args=[shell({hook_in(file)}, timeout=60.0)], daemon=True).start()
    pids_in(__import__("pathlib").Path({str(file)!r}), 2)
    """
    output_of(source)
    pids = pids_in(file, 2)
    eventually(lambda: are_gone(pids))


def test_a_fork_has_hooks_and_a_watcher_of_its_own(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    source = f"""
    run(shell("exit 0"))
    fork = os.fork()
    file = {str(ours)!r} if fork else {str(theirs)!r}
    if fork:
        print(fork, flush=True)
    run(shell({HOOK!r}.replace("%s", file), timeout=60.0))
    """
    with host(source) as process:
        assert process.stdout is not None
        fork = int(process.stdout.readline())
        try:
            hooks, hooks_of_the_fork = pids_in(ours, 2), pids_in(theirs, 2)
            process.kill()
            eventually(lambda: are_gone(hooks), "the end of the parent's hooks while its fork lives")
            assert not are_gone(hooks_of_the_fork)
        finally:
            end(fork)
        eventually(lambda: are_gone(hooks_of_the_fork), "the end of the fork's hooks")
