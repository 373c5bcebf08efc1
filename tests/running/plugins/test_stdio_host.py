"""What stdio plugins owe the program that they live in, and what becomes of them when it ends."""

from __future__ import annotations

import signal

import pytest
from runner_jobs import DEADLINE, end, eventually, host, is_alive, output_of, pids_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

# Two processes: the plugin, and a child in a session of its own.
LIVELY = "setsid sh -c 'echo $$ >>pids; exec sleep 600' >/dev/null 2>&1 & while read -r r; do answer; done"
DEAF = "trap '' TERM; echo $$ >>pids; read -r request; answer; while :; do sleep 1; done"
HANGING = "setsid sh -c 'echo $$ >>pids; exec sleep 600' >/dev/null 2>&1 & read -r request; wait"


def using(folder: Path, source: str) -> str:
    """The source of a host with `folder` and the helpers for plugins."""
    return f"""
    from pathlib import Path
    from stdio_plugins import *
    from hookrun.model.errors import Interrupted
    folder = Path({str(folder)!r})
    {source.strip()}
    """


def are_gone(pids: list[int]) -> bool:
    return not any(is_alive(pid) for pid in pids)


@pytest.mark.parametrize("script", [LIVELY, DEAF], ids=["with a child", "deaf"])
def test_a_plugin_does_not_outlive_a_kill_between_calls(script: str, tmp_path: Path):
    source = f"""
    with shell_plugin(folder, {script!r}) as plugin:
        print(ask(plugin).status, flush=True)
        time.sleep(60)
    """
    with host(using(tmp_path, source)) as process:
        pids = pids_in(tmp_path / "pids", 2)
        assert process.stdout is not None
        assert process.stdout.readline() == "ended\n"
        assert not are_gone(pids)
        process.kill()
        eventually(lambda: are_gone(pids), "the end of all")


def test_a_plugin_does_not_outlive_a_kill_during_a_call(tmp_path: Path):
    source = f"""
    with shell_plugin(folder, {HANGING!r}) as plugin:
        ask(plugin)
    """
    with host(using(tmp_path, source)) as process:
        pids = pids_in(tmp_path / "pids", 2)
        process.kill()
        eventually(lambda: are_gone(pids), "the end of all")


@pytest.mark.parametrize("way", ["pass", "sys.exit(0)", "os._exit(0)"])
def test_a_plugin_that_nobody_closed_ends_with_its_host(way: str, tmp_path: Path):
    source = f"""
    plugin = new_plugin(folder, *in_shell({DEAF!r}))
    print(ask(plugin).status, flush=True)
    {way}
    """
    assert output_of(using(tmp_path, source)) == ["ended"]
    pids = pids_in(tmp_path / "pids", 2)
    eventually(lambda: are_gone(pids), "the end of all")


COMMAND = """
    from hookrun.running.interrupts import catch_signals
    catch_signals()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_the_command_ends_the_plugin_first(number: signal.Signals, tmp_path: Path):
    source = f"""{COMMAND}
    with shell_plugin(folder, {HANGING!r}) as plugin:
        try:
            ask(plugin, timeout=60.0)
        except Interrupted as error:
            print(error.signum, plugin.is_alive, flush=True)
            time.sleep(60)
    """
    with host(using(tmp_path, source)) as process:
        pids = pids_in(tmp_path / "pids", 2)
        process.send_signal(number)
        assert process.stdout is not None
        assert process.stdout.readline() == f"{int(number)} False\n"
        assert are_gone(pids)


def test_a_signal_ends_the_calls_of_other_threads_too(tmp_path: Path):
    source = f"""{COMMAND}
    from concurrent.futures import ThreadPoolExecutor
    with shell_plugin(folder, {HANGING!r}) as plugin, ThreadPoolExecutor(1) as threads:
        call = threads.submit(ask, plugin, timeout=60.0)
        try:
            call.result()
        except Interrupted as error:
            print(error.signum, plugin.is_alive, flush=True)
    """
    with host(using(tmp_path, source)) as process:
        pids = pids_in(tmp_path / "pids", 2)
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=DEADLINE)[0] == "15 False\n"
        assert are_gone(pids)


AT_THE_END = "while read -r r; do answer; done; trap '' TERM; echo $$ >>pids; while :; do sleep 1; done"


@pytest.mark.parametrize(
    ("script", "action"),
    [(HANGING, "ask(plugin, timeout=60.0)"), (AT_THE_END, "ask(plugin); plugin.close()")],
    ids=["during a call", "while it is closed"],
)
def test_an_exception_through_it_leaves_nothing(script: str, action: str, tmp_path: Path):
    source = f"""
    run(shell("exit 0"))
    before = open_descriptors()
    plugin = new_plugin(folder, *in_shell({script!r}))
    try:
        {action}
    except KeyboardInterrupt:
        watcher_alone = len(children()) == 1
        print(plugin.is_alive, open_descriptors() == before, watcher_alone, flush=True)
        time.sleep(60)
    """
    with host(using(tmp_path, source)) as process:
        pids = pids_in(tmp_path / "pids", 2)
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        assert process.stdout.readline() == "False True True\n"
        assert are_gone(pids)


def test_many_plugins_leave_no_descriptor_and_no_process(tmp_path: Path):
    source = """
    from hookrun.running.watcher import close_watcher
    def every_way():
        for script in ("read -r r; answer; read -r r", "exit 1", "echo junk; sleep 60", "exec >&-; sleep 60"):
            with shell_plugin(folder, script) as plugin:
                yield ask(plugin).status
        with started_by(folder, "/nowhere") as plugin:
            yield ask(plugin).status
    print(*every_way())
    before = open_descriptors()
    for _ in range(6):
        list(every_way())
    print(open_descriptors() - before, len(children()))
    close_watcher()
    print(children())
    """
    assert output_of(using(tmp_path, source)) == ["ended failed failed failed not_started", "0 1", "set()"]


def test_a_host_without_descriptors_gets_a_failure_and_goes_on(tmp_path: Path):
    source = """
    import resource
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    with shell_plugin(folder, "while read -r r; do answer; done") as plugin:
        for spare in range(8):
            resource.setrlimit(resource.RLIMIT_NOFILE, (open_descriptors() + spare, limits[1]))
            outcome = ask(plugin)
            print(outcome.status, "too many open files" in outcome.cause)
            if outcome.status == "ended":
                break
            before = open_descriptors()
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        plugin._life._last_fault = ""  # they would count as restarts
        print(ask(plugin).status)
    """
    lines = output_of(using(tmp_path, source))
    assert lines[0] == "not_started True"
    assert lines[-1] == "ended"


@pytest.mark.parametrize("is_default", [True, False])
def test_a_broken_pipe_does_not_end_a_host_that_has_sigpipe_at_its_default(is_default: bool, tmp_path: Path):
    source = f"""
    if {is_default}:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    script = "read -r activate; exec <&-; echo '{{}}'; exec sleep 60"
    large = before("Write", {{"content": "x" * 500_000}})
    with started_by(folder, "/bin/sh", "-c", script) as plugin:
        print(ask(plugin, large).cause)
    from hookrun.running.plugins.streams import write_quietly
    read, write = os.pipe()
    os.close(read)  # as if between looking at it and writing to it
    try:
        write_quietly(write, memoryview(b"x"))
    except BrokenPipeError:
        print("told")
    print(signal.pthread_sigmask(signal.SIG_BLOCK, ()), signal.sigpending())
    """
    assert output_of(using(tmp_path, source)) == ["it closed its stdin", "told", "set() set()"]


def test_a_fork_has_a_process_of_its_own_and_leaves_its_parents_alone(tmp_path: Path):
    source = """
    script = "while read -r request; do echo '{\\"hook_result\\": {\\"decision\\": \\"ask\\"}}'; done"
    with shell_plugin(folder, script) as plugin:
        print(decision_of(ask(plugin)), flush=True)
        if os.fork() == 0:
            print(plugin.is_alive, decision_of(ask(plugin)), plugin.is_alive, len(starts(folder)), flush=True)
            plugin.close()
            print(plugin.is_alive, len(alive(folder)), flush=True)
            os._exit(0)
        os.wait()
        print(plugin.is_alive, decision_of(ask(plugin)), len(starts(folder)), flush=True)
    """
    assert output_of(using(tmp_path, source)) == ["ask", "False ask True 2", "False 1", "True ask 2"]


def test_a_fork_does_not_hold_the_pipes_of_its_parents_plugin(tmp_path: Path):
    script = "while read -r request; do answer; done; touch ended_by_itself"
    source = f"""
    with shell_plugin(folder, {script!r}) as plugin:
        ask(plugin)
        fork = os.fork()
        if fork == 0:
            time.sleep(60)
        print(fork, flush=True)
    print("closed", flush=True)
    """
    with host(using(tmp_path, source)) as process:
        assert process.stdout is not None
        fork = int(process.stdout.readline())
        try:
            assert process.stdout.readline() == "closed\n"
            assert (tmp_path / "ended_by_itself").exists()
        finally:
            end(fork)


def test_a_fork_in_the_middle_of_a_call_of_another_thread_can_call_too(tmp_path: Path):
    script = "read -r r; touch asked; until [ -e go ]; do sleep 0.02; done; answer; read -r r"
    source = f"""
    import threading
    with shell_plugin(folder, {script!r}) as plugin:
        def tell():
            os.write(1, (decision_of(ask(plugin)) + "\\n").encode())  # at once: two processes write
        thread = threading.Thread(target=tell)
        thread.start()
        eventually((folder / "asked").exists)
        if os.fork() == 0:
            (folder / "go").touch()
            tell()
            plugin.close()
            os._exit(0)
        os.wait()
        thread.join()
    """
    assert output_of(using(tmp_path, source)) == ["allow", "allow"]


def test_a_process_that_ignores_its_children_still_gets_answers(tmp_path: Path):
    source = """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with shell_plugin(folder, "read -r r; answer; read -r r; exit 3") as plugin:
        print(ask(plugin).status, ask(plugin).cause)
    """
    assert output_of(using(tmp_path, source)) == ["ended its exit status was taken by the host program"]


def test_a_subreaper_keeps_no_zombie_and_ends_orphans_without_a_trace(tmp_path: Path):
    untraceable = "(setsid env -i sh -c 'echo $$ >pid; exec sleep 600' >/dev/null 2>&1 &)"
    source = f"""
    from hookrun.running.spawn import become_subreaper
    become_subreaper()
    with shell_plugin(folder, {untraceable!r} + "; until [ -e pid ]; do sleep 0.01; done; exit 1") as plugin:
        print(ask(plugin).cause)
        (pid,) = pids_in(folder / "pid")
        print(is_alive(pid), len(children()))
    """
    assert output_of(using(tmp_path, source)) == ["it ended with exit 1", "False 1"]


def test_all_is_the_same_where_no_descriptor_tells_the_end_of_a_process(tmp_path: Path):
    source = """
    del os.pidfd_open
    with shell_plugin(folder, "read -r r; answer; read -r r; exit 3") as plugin:
        print(ask(plugin).status, ask(plugin).cause)
        print(ask(plugin).status, plugin.is_alive)
        os.kill(starts(folder)[-1], signal.SIGKILL)
        eventually(lambda: not plugin.is_alive)
        (problem,) = ask(plugin).problems
        print(problem.message)
    with shell_plugin(folder, "read -r r; exec sleep 60") as plugin:
        print(ask(plugin, timeout=0.3).cause)
    print(alive(folder), len(children()))
    """
    assert output_of(using(tmp_path, source)) == [
        "ended it ended with exit 3",
        "ended True",
        "since its last call it was killed by signal 9 (Killed); it was started again",
        "timed out after 0.3 s",
        "[] 1",
    ]
