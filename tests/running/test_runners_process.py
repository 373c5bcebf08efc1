"""What hooks are given, what comes back from them, and what they may leave behind."""

from __future__ import annotations

import os
import resource
import shutil
import sys

import pytest
from runner_jobs import end, is_alive, open_descriptors, output_of, pids_in, program, run, shell

from hookrun.model.constants import ENV_RUN, MIB
from hookrun.running.process import run_jobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

BASH = shutil.which("bash") or "/bin/bash"


def test_exit_code_stdout_and_stderr_come_back() -> None:
    outcome = run(shell("echo out; echo err >&2; exit 3"))
    assert (outcome.status, outcome.exit_code, outcome.signal) == ("ended", 3, None)
    assert (outcome.stdout, outcome.stderr, outcome.problems) == ("out\n", "err\n", ())


def test_no_jobs_have_no_outcomes() -> None:
    assert run_jobs([], total_timeout=1) == []


def test_jobs_run_at_the_same_time_and_come_back_in_their_order(tmp_path: Path) -> None:
    first = shell(f"until [ -e {tmp_path}/second ]; do sleep 0.01; done; echo first")
    second = shell(f"touch {tmp_path}/second; echo second")
    outcomes = run_jobs([first, second], total_timeout=30)
    assert [outcome.stdout for outcome in outcomes] == ["first\n", "second\n"]


def test_the_working_directory_is_the_jobs_and_ours_stays(tmp_path: Path) -> None:
    before = os.getcwd()
    assert run(shell("pwd -P", cwd=str(tmp_path))).stdout == f"{tmp_path.resolve()}\n"
    assert os.getcwd() == before


def test_the_environment_is_the_jobs_and_a_token() -> None:
    outcome = run(program("/usr/bin/env", env={"GREETING": "hé"}))
    names = {line.partition("=")[0] for line in outcome.stdout.splitlines()}
    assert names == {"PATH", "GREETING", ENV_RUN}
    assert "GREETING=hé\n" in outcome.stdout


def test_every_job_has_a_token_of_its_own() -> None:
    job = shell(f"echo ${ENV_RUN}")
    tokens = {outcome.stdout for outcome in run_jobs([job, job], total_timeout=30)} | {run(job).stdout}
    assert len(tokens) == 3


def test_the_token_of_a_hook_around_us_is_kept() -> None:
    outcome = run(shell(f"echo ${ENV_RUN}", env={ENV_RUN: "outer"}))
    assert outcome.stdout.startswith("outer:")


def test_a_hook_inherits_no_descriptor_but_its_three() -> None:
    read, write = os.pipe()
    os.set_inheritable(write, True)
    try:
        outcome = run(program("/bin/ls", "/proc/self/fd"))
    finally:
        os.close(read)
        os.close(write)
    assert outcome.stdout.split() == ["0", "1", "2", "3"]  # 3 is the folder that ls reads


def test_a_hook_has_no_terminal_even_if_we_have_one() -> None:
    lines = output_of("""
        import pty
        os.setsid()
        controller, terminal = pty.openpty()
        os.open(os.ttyname(terminal), os.O_RDWR)  # becomes ours
        print("ours" if os.path.exists("/dev/tty") and os.open("/dev/tty", os.O_RDWR) else "")
        print(run(shell("(: </dev/tty) 2>/dev/null && echo inherited || echo none")).stdout)
    """)
    assert lines[:2] == ["ours", "none"]


def test_sigpipe_ends_what_writes_to_nobody() -> None:
    outcome = run(program(BASH, "-c", "set -o pipefail; yes | head -n 1 >/dev/null"))
    assert outcome.exit_code == 141


# Standard input


def test_the_whole_payload_is_on_stdin() -> None:
    assert run(shell("cat", stdin=b'{"a": 1}\n')).stdout == '{"a": 1}\n'


def test_without_a_payload_stdin_is_at_its_end() -> None:
    outcome = run(shell("cat; echo done"))
    assert outcome.stdout == "done\n"


def test_a_hook_that_never_reads_a_large_payload_counts() -> None:
    assert run(shell("exit 4", stdin=b"x" * 2_000_000)).exit_code == 4


def test_a_guard_that_tests_for_input_sees_it_at_once() -> None:
    script = "read -t 0 || exit 9; read -t 1 -r LINE || exit 8; printf %s ${#LINE}"
    outcome = run(program(BASH, "-c", script, stdin=b"a" * 200_000 + b"\n"))
    assert (outcome.exit_code, outcome.stdout) == (0, "200000")


def test_two_jobs_do_not_share_their_place_in_one_payload() -> None:
    job = shell("cat", stdin=b"payload")
    assert [outcome.stdout for outcome in run_jobs([job, job], total_timeout=30)] == ["payload", "payload"]


def test_nobody_can_change_the_payload() -> None:
    outcome = run(shell("echo changed >&0; head -c 7 /dev/stdin", stdin=b"payload"))
    assert outcome.stdout == "payload"
    assert "echo" in outcome.stderr


def test_a_system_without_memory_files_has_the_payload_in_a_nameless_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delattr(os, "memfd_create")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert run(shell("cat", stdin=b"payload")).stdout == "payload"
    assert list(tmp_path.iterdir()) == []


# Output


def test_writing_20_mb_before_reading_5_mb_is_no_deadlock() -> None:
    script = "head -c 20000000 /dev/zero | tr '\\0' a; wc -c >&2"
    outcome = run(shell(script, stdin=b"x" * 5_000_000))
    assert outcome.stderr.strip() == "5000000"
    assert outcome.stdout == "a" * MIB
    assert outcome.stdout_was_cut
    assert [problem.message for problem in outcome.problems] == ["its stdout was cut at 1 MiB"]


def test_output_of_just_the_limit_is_whole() -> None:
    outcome = run(shell(f"head -c {MIB} /dev/zero | tr '\\0' a"))
    assert (len(outcome.stdout), outcome.stdout_was_cut, outcome.problems) == (MIB, False, ())


def test_the_end_of_cut_output_is_kept() -> None:
    outcome = run(shell("yes log | head -c 3000000; echo; echo the end; yes err | head -c 2000000 >&2"))
    assert outcome.stdout_tail.startswith("\n")
    assert outcome.stdout_tail.endswith("log\n\nthe end\n")
    assert len(outcome.stdout_tail) == len(outcome.stderr_tail) == 64 * 1024 + 1


def test_what_is_just_above_the_limit_is_all_there() -> None:
    text = "é" * 50
    outcome = run(shell(f"printf '{text}'; printf '{text}' >&2", stream_limit=33))
    assert (outcome.stdout_was_cut, outcome.stdout, outcome.stderr) == (True, "é" * 16, "é" * 16)
    assert outcome.stdout + outcome.stdout_tail == outcome.stderr + outcome.stderr_tail == text


def test_output_without_end_takes_bounded_memory() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcome = run(shell("head -c 300000000 /dev/zero", stream_limit=10))
    assert len(outcome.stdout_tail) == 64 * 1024 + 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 50 * 1024


def test_what_a_child_prints_right_after_the_end_of_its_hook_is_read() -> None:
    outcome = run(shell("(sleep 0.1; echo late) &"))
    assert (outcome.status, outcome.stdout) == ("ended", "late\n")


def test_a_cut_of_stderr_is_a_problem_and_no_cut_of_stdout() -> None:
    outcome = run(shell("echo out; echo 12345678 >&2", stream_limit=4))
    assert (outcome.stdout, outcome.stderr, outcome.stdout_was_cut) == ("out\n", "1234", False)
    assert [problem.message for problem in outcome.problems] == ["its stderr was cut at 4 bytes"]


@pytest.mark.parametrize(("limit", "kept"), [(6, "aéé"), (5, "aéé"), (4, "aé"), (3, "aé"), (2, "a")])
def test_a_cut_falls_between_characters(limit: int, kept: str) -> None:
    assert run(shell("printf aééé", stream_limit=limit)).stdout == kept


def test_bytes_that_are_no_utf_8_are_replaced_and_no_problem() -> None:
    outcome = run(shell("printf 'a\\377b'; printf 'c\\303' >&2"))
    assert (outcome.stdout, outcome.stderr, outcome.problems) == ("a\ufffdb", "c\ufffd", ())


def test_a_long_answer_comes_back_intact() -> None:
    reason = "é" * 50_000
    outcome = run(shell("cat", stdin=f'{{"decision": "deny", "reason": "{reason}"}}'.encode()))
    assert outcome.stdout == f'{{"decision": "deny", "reason": "{reason}"}}'


# The end


def test_a_hook_killed_by_somebody_else_is_killed() -> None:
    outcome = run(shell("kill -9 $$"))
    assert (outcome.status, outcome.signal, outcome.exit_code) == ("killed", 9, None)
    assert outcome.cause == "killed by signal 9 (Killed)"


def test_an_exit_code_that_looks_like_a_signal_is_an_exit_code() -> None:
    outcome = run(shell("exit 137"))
    assert (outcome.status, outcome.exit_code, outcome.signal) == ("ended", 137, None)


def test_a_system_that_does_not_tell_the_end_of_a_process_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "pidfd_open")
    outcome = run(shell("sleep 0.05; echo x; exit 5"))
    assert (outcome.status, outcome.exit_code, outcome.stdout) == ("ended", 5, "x\n")


HOLDS_OUTPUT = "holds its output open"
BACKGROUND = {
    "in the group": ("sleep 60 & echo $!", HOLDS_OUTPUT),
    "in a session of its own": ("setsid sleep 60 & echo $!", HOLDS_OUTPUT),
    "with a copy of stdout": ("exec 3>&1; sleep 60 >/dev/null 2>&1 </dev/null & echo $!", HOLDS_OUTPUT),
    "silent": ("sleep 60 >/dev/null 2>&1 </dev/null & echo $!", "sleep"),
}


@pytest.mark.parametrize(("script", "said"), BACKGROUND.values(), ids=BACKGROUND)
def test_the_end_of_a_hook_is_the_end_of_its_process(script: str, said: str) -> None:
    outcome = run(shell(script))
    pid = int(outcome.stdout)
    try:
        assert is_alive(pid)
        assert (outcome.status, outcome.exit_code) == ("ended", 0)
        assert [said in problem.message for problem in outcome.problems] == [True]
    finally:
        end(pid)


def test_what_leaves_the_group_and_the_pipes_is_left_alone_too(tmp_path: Path) -> None:
    outcome = run(shell(f"setsid sh -c 'echo $$ >{tmp_path}/pid; exec sleep 60' >/dev/null 2>&1 &"))
    (pid,) = pids_in(tmp_path / "pid")
    try:
        assert is_alive(pid)
        assert outcome.status == "ended"
    finally:
        end(pid)


def test_a_hook_that_waits_for_its_children_leaves_nothing_to_tell() -> None:
    outcome = run(shell("sleep 0.05 & wait; echo x | cat"))
    assert (outcome.stdout, outcome.problems) == ("x\n", ())


# Its child ends in the hook's group and is never reaped; it itself leaves the group.
NEGLECTFUL = "import os, time; os.fork() or os._exit(0); os.setsid(); print(os.getpid(), flush=True); time.sleep(60)"


def test_what_has_ended_and_waits_to_be_reaped_is_not_left_running(tmp_path: Path) -> None:
    neglectful = f"{sys.executable} -c '{NEGLECTFUL}' >{tmp_path}/pid 2>/dev/null & "
    outcome = run(shell(neglectful + f"until [ -s {tmp_path}/pid ]; do sleep 0.01; done"))
    (pid,) = pids_in(tmp_path / "pid")
    try:
        assert is_alive(pid)
        assert (outcome.status, outcome.problems) == ("ended", ())
    finally:
        end(pid)


def test_no_run_leaves_a_descriptor_open() -> None:
    run(shell("exit 0"))  # the watcher stays
    before = open_descriptors()
    for job in (shell("exit 0"), program("/nowhere"), shell("kill -9 $$"), shell("sleep 9", timeout=0.05)):
        run(job)
    assert open_descriptors() == before
