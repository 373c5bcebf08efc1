"""No wait without an end: locks that others keep, readers that do not read, and the alarm that is left."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from command import HOOKRUN
from firing import BASH_GUARD, DENY, PASS, guard_text, started
from runner_jobs import DEADLINE, eventually, host, is_alive, pids_in

USERS = ".config/hookrun/config.yaml"
CLAUDES = json.dumps({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}})
CURSORS = json.dumps({"hook_event_name": "beforeShellExecution", "command": "ls"})

# What can hold up the main thread for ever; each line is the last that runs.
HANGS = {
    "a loop": "while True: pass",
    "a FIFO": "os.mkfifo('fifo'); open('fifo')",
    "a full pipe": "write = os.pipe()[1]; os.write(write, bytes(65536)); os.write(write, b'x')",
    "a lock between processes": """
        import fcntl
        first, second = open('lock', 'w'), open('lock', 'w')
        fcntl.flock(first, fcntl.LOCK_EX); fcntl.flock(second, fcntl.LOCK_EX)""",
    "a lock between threads": "from _thread import *; lock = allocate_lock(); lock.acquire(), lock.acquire()",
    "a stopped child": """
        import subprocess
        child = subprocess.Popen(['sh', '-c', 'kill -STOP $$'], stdout=subprocess.DEVNULL)
        print(child.pid, file=open('child', 'w')); child.wait()""",
    "a match without end": "import re; re.match('(a*)*b', 'a' * 60)",
    "stdin": "os.read(os.pipe()[0], 1)",
    "SIGALRM is blocked": "time.sleep(60)",
}


@pytest.mark.parametrize("hang", HANGS)
def test_the_alarm_rings_wherever_the_command_hangs(tmp_path, hang):
    blocks = "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])" if "blocked" in hang else "pass"
    source = f"""
    from hookrun.running.interrupts import set_alarm
    os.chdir({str(tmp_path)!r})
    {blocks}
    def leave():
        print("left", flush=True)
        os._exit(5)
    set_alarm(0.3, leave, 2)
    {HANGS[hang].strip().replace("        ", "    ")}
    """
    with host(source) as process:
        try:
            assert process.communicate(timeout=DEADLINE)[0] == "left\n"
            assert process.returncode == 5
        finally:
            if (tmp_path / "child").exists():
                os.kill(int((tmp_path / "child").read_text()), signal.SIGKILL)


@pytest.mark.parametrize("leave", ["time.sleep(60)", "raise ValueError", "os.write(full, b'x')"])
def test_what_cannot_be_said_does_not_keep_the_command(leave):
    source = f"""
    from hookrun.running.interrupts import set_alarm
    full = os.pipe()[1]
    os.write(full, bytes(65536))
    def leave():
        {leave}
    set_alarm(0.2, leave, 2)
    time.sleep(60)
    """
    with host(source, stderr=subprocess.DEVNULL) as process:
        assert process.wait(timeout=DEADLINE) == 2


def test_the_time_in_which_a_person_thinks_does_not_count():
    source = """
    from hookrun.running import interrupts
    def leave():
        print("left", flush=True)
        os._exit(5)
    interrupts.set_alarm(0.5, leave, 2)
    interrupts.pause_alarm(); time.sleep(1); interrupts.resume_alarm()
    print("answered", flush=True)
    time.sleep(60)
    """
    with host(source) as process:
        assert process.communicate(timeout=DEADLINE)[0] == "answered\nleft\n"


def test_hooks_that_run_when_the_alarm_rings_end_with_the_command(tmp_path):
    file = tmp_path / "pids"
    source = f"""
    from hookrun.running.interrupts import set_alarm
    set_alarm(1.5, lambda: os._exit(5), 2)
    run(shell("echo $$ >>{file}; setsid sh -c 'echo $$ >>{file}; exec sleep 60' & wait", timeout=60.0))
    """
    with host(source) as process:
        pids = pids_in(file, 2)
        assert process.wait(timeout=DEADLINE) == 5
        eventually(lambda: not any(map(is_alive, pids)))


def full_pipe():
    """A pipe that takes nothing more, and that nobody reads."""
    read, write = os.pipe()
    os.write(write, bytes(65536))
    return read, write


def held_up(project, environment, words, **streams):
    """Run the command with a full pipe for stdout; return its exit code, stderr, and seconds."""
    read, write = full_pipe()
    began = time.monotonic()
    try:
        done = subprocess.run(
            [HOOKRUN, *words],
            cwd=project.path,
            env=environment,
            stdout=write,
            stderr=subprocess.PIPE,
            text=True,
            timeout=3 * DEADLINE,
            **streams,
        )
    finally:
        os.close(read)
        os.close(write)
    return done.returncode, done.stderr, time.monotonic() - began


def test_a_reader_that_does_not_read_gets_no_yes(project, user_environment):
    project.script(USERS, "limits: {event_seconds: 0.5}\n", user=True)
    project.script(BASH_GUARD, PASS)
    guard = guard_text('echo \'{"systemMessage": "hello"}\'')  # so that the bridge has something to say
    project.script(BASH_GUARD, guard, user=True)
    emit = ("--tool", "Bash", "--input", "{}", "--timeout", "0.5")
    commands = {
        ("emit", "pre", *emit): (2, CLAUDES),
        ("emit", "post", *emit): (70, CLAUDES),
        ("bridge", "claude"): (2, CLAUDES),
        ("bridge", "cursor"): (2, CURSORS),
    }
    # At the same time: each waits for seconds.
    with ThreadPoolExecutor() as pool:
        running = {
            words: pool.submit(held_up, project, user_environment, words, input=payload)
            for words, (_, payload) in commands.items()
        }
    for words, (code, _) in commands.items():
        ended, stderr, seconds = running[words].result()
        assert ended == code, words
        assert "did not end in time" in stderr or "the answer is lost" in stderr, words
        assert "Traceback" not in stderr, words
        assert 5 < seconds < 20, words


def test_a_value_that_never_comes_is_a_deny(project, user_environment, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    words = ("emit", "pre", "--tool", "Bash", "--input", f"@{tmp_path}/fifo", "--timeout", "0.5")
    began = time.monotonic()
    with started(project, user_environment, *words) as process:
        _, stderr = process.communicate(timeout=2 * DEADLINE)
    assert (process.returncode, stderr.splitlines()[0]) == (2, "error: hookrun did not end in time")
    assert time.monotonic() - began < 20


@pytest.fixture
def stopped_holder(tmp_path):
    """Have a process lock a file or folder and stop."""
    holders = []

    def hold(path):
        source = f"""
        import fcntl
        descriptor = os.open({str(path)!r}, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        print("locked", flush=True)
        os.kill(os.getpid(), signal.SIGSTOP)
        """
        holder = host(source)
        process = holder.__enter__()
        holders.append(holder)
        assert process.stdout.readline() == "locked\n"
        return process

    yield hold
    for holder in holders:
        holder.__exit__(None, None, None)


@pytest.mark.parametrize("verdict", [DENY, PASS])
def test_a_lock_of_the_state_that_a_stopped_process_keeps_costs_hints_alone(cli, project, stopped_holder, verdict):
    project.script(".claude/hooks/post/bash.sh", guard_text("echo 'md|hint'"))
    project.script(BASH_GUARD, verdict)
    post = ("emit", "post", "--tool", "Bash", "--input", "{}")
    assert cli(*post).code == 0
    stopped_holder(project.home / ".local/state/hookrun/state.sqlite3.lock")
    began = time.monotonic()
    with ThreadPoolExecutor() as pool:  # both wait for the lock, at the same time
        before = pool.submit(cli, "emit", "pre", "--tool", "Bash", "--input", "{}")
        after = pool.submit(cli, *post)
    assert before.result().code == (2 if verdict is DENY else 0)
    assert "another process has it locked" in after.result().stderr
    assert time.monotonic() - began < 45


def test_a_lock_of_trust_that_a_stopped_process_keeps_is_an_error(cli, project, untrusting, stopped_holder):
    project.script(BASH_GUARD, PASS)
    assert cli("trust", "--yes").code == 0
    project.script(BASH_GUARD, DENY)
    stopped_holder(project.home / ".local/state/hookrun/trust/lock")
    ended = cli("trust", "--yes")
    assert ended.code == 70
    assert "trust cannot be recorded: another process has it locked" in ended.stderr
    assert "hint: end the process that hangs" in ended.stderr


def test_a_lock_of_the_settings_that_a_stopped_process_keeps_is_an_error(cli, project, stopped_holder):
    (project.path / ".claude").mkdir()
    stopped_holder(project.path / ".claude")
    ended = cli("install", "claude")
    assert ended.code != 0
    assert "another process has it locked" in ended.stderr
    assert not (project.path / ".claude/settings.json").exists()


def test_a_lock_is_waited_for(cli, project):
    (project.path / ".claude").mkdir()
    descriptor = os.open(project.path / ".claude", os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    words = [HOOKRUN, "install", "claude"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(project.home)}
    with subprocess.Popen(words, cwd=project.path, env=environment, stdout=subprocess.DEVNULL) as process:
        time.sleep(1)
        assert process.poll() is None
        os.close(descriptor)
        assert process.wait(DEADLINE) == 0
