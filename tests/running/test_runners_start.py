"""Programs that cannot be started: the outcome names the culprit; and those that only seem so."""

from __future__ import annotations

import errno
import os
import subprocess
import threading

import pytest
from runner_jobs import eventually, open_descriptors, output_of, program, run, shell

from hookrun.running.process import run_jobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from hookrun.model.values import Outcome


def script(path: Path, text: str | bytes, mode: int = 0o755) -> str:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(mode)
    return str(path)


def says(outcome: Outcome, words: str) -> bool:
    assert (outcome.status, outcome.exit_code, outcome.stdout) == ("not_started", None, "")
    assert words in outcome.cause, outcome.cause
    return bool(outcome.hint)


def test_a_missing_program_is_named() -> None:
    assert says(run(program("/nowhere/hook.sh")), "/nowhere/hook.sh does not exist")


def test_a_program_below_a_file_does_not_exist(tmp_path: Path) -> None:
    file = script(tmp_path / "file", "")
    assert says(run(program(f"{file}/hook.sh")), f"{file}/hook.sh does not exist")


def test_a_missing_interpreter_is_named_and_not_the_script(tmp_path: Path) -> None:
    hook = script(tmp_path / "hook.sh", "#!/nowhere/sh -e\necho x\n")
    assert says(run(program(hook)), f"/nowhere/sh, the interpreter of {hook}, does not exist")


def test_crlf_line_endings_are_told(tmp_path: Path) -> None:
    hook = script(tmp_path / "hook.sh", b"#!/bin/sh\r\necho x\r\n")
    assert says(run(program(hook)), "has CRLF line endings")


def test_a_file_that_is_not_executable_is_told(tmp_path: Path) -> None:
    hook = script(tmp_path / "hook.sh", "#!/bin/sh\n", mode=0o644)
    outcome = run(program(hook))
    assert says(outcome, f"{hook} is not executable")
    assert outcome.hint == f"chmod +x {hook}"


def test_an_interpreter_that_is_not_executable_is_told(tmp_path: Path) -> None:
    interpreter = script(tmp_path / "interpreter", "#!/bin/sh\n", mode=0o644)
    hook = script(tmp_path / "hook.sh", f"#!{interpreter}\n")
    assert says(run(program(hook)), f"{interpreter}, the interpreter of {hook}, is not executable")


def test_a_folder_is_no_program(tmp_path: Path) -> None:
    assert says(run(program(str(tmp_path))), "is a folder")


def test_a_fifo_is_no_program(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "hook.sh", 0o755)
    assert says(run(program(str(tmp_path / "hook.sh"))), "is not a regular file")


def test_a_link_to_itself_is_told(tmp_path: Path) -> None:
    link = tmp_path / "hook.sh"
    link.symlink_to(link)
    assert says(run(program(str(link))), "leads to itself")


def test_a_working_directory_that_is_gone_is_not_blamed_on_the_program(tmp_path: Path) -> None:
    gone = str(tmp_path / "gone")
    assert says(run(shell("echo x", cwd=gone)), f"its working directory {gone} cannot be entered")


def test_too_long_arguments_are_told() -> None:
    outcome = run(shell("echo x", env={"LARGE": "x" * 200_000}))
    assert says(outcome, "too long for this system")


@pytest.mark.parametrize("fields", [{"env": {"A": "x\0y"}}, {"env": {"A": "\ud800"}}, {"env": {"A=B": "x"}}])
def test_a_variable_that_no_program_can_be_given_is_told(fields: dict[str, dict[str, str]]) -> None:
    assert says(run(shell("echo x", **fields)), "an argument or a variable")


def test_an_argument_with_a_nul_is_told() -> None:
    assert says(run(program("/bin/echo", "x\0y")), "an argument or a variable")


def test_a_binary_of_another_system_is_not_fed_to_a_shell(tmp_path: Path) -> None:
    hook = script(tmp_path / "hook", b"\x7fELF\x02\x01\x01\0\0\0\0\0 echo x\n")
    assert says(run(program(hook)), "is not a program for this system")


def test_a_script_without_a_shebang_is_run_by_sh(tmp_path: Path) -> None:
    hook = script(tmp_path / "-x y'.sh", 'echo "$0 $1"; cat\n')
    outcome = run(program(hook, "one", stdin=b"payload"))
    assert (outcome.status, outcome.stdout) == ("ended", f"{hook} one\npayload")


def test_an_empty_executable_does_nothing(tmp_path: Path) -> None:
    outcome = run(program(script(tmp_path / "hook.sh", "")))
    assert (outcome.status, outcome.exit_code, outcome.stdout) == ("ended", 0, "")


def test_a_byte_order_mark_before_the_shebang_does_no_harm(tmp_path: Path) -> None:
    outcome = run(program(script(tmp_path / "hook.sh", b"\xef\xbb\xbf#!/bin/sh\necho x\n")))
    assert (outcome.status, outcome.exit_code, outcome.stdout) == ("ended", 0, "x\n")


def test_a_hook_that_cannot_start_costs_its_neighbours_nothing() -> None:
    good, bad, other = run_jobs([shell("echo a"), program("/nowhere"), shell("echo b")], total_timeout=30)
    assert (good.stdout, bad.status, other.stdout) == ("a\n", "not_started", "b\n")


def is_busy(hook: str) -> bool:
    try:
        subprocess.run([hook], check=False)
    except OSError as error:
        return error.errno == errno.ETXTBSY
    return False


def test_a_script_that_is_being_written_runs_when_it_is_complete(tmp_path: Path) -> None:
    hook = script(tmp_path / "hook.sh", "#!/bin/sh\necho complete\n")
    writer = os.open(hook, os.O_WRONLY)
    assert is_busy(hook)
    seen = tmp_path / "seen"

    def close_when_the_neighbour_has_run() -> None:
        eventually(seen.exists)
        os.close(writer)

    thread = threading.Thread(target=close_when_the_neighbour_has_run)
    thread.start()
    busy, _ = run_jobs([program(hook), shell(f"touch {seen}")], total_timeout=30)
    thread.join()
    assert (busy.status, busy.stdout) == ("ended", "complete\n")


def test_a_script_that_stays_open_for_writing_is_told(tmp_path: Path) -> None:
    hook = script(tmp_path / "hook.sh", "#!/bin/sh\necho x\n")
    with open(hook, "ab"):
        assert says(run(program(hook)), "is still being written")


def test_a_process_without_descriptors_left_says_so_and_recovers() -> None:
    lines = output_of("""
        import resource
        run(shell("exit 0"))
        before = open_descriptors()
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        for free in range(12):
            resource.setrlimit(resource.RLIMIT_NOFILE, (before + free - 1, hard))
            outcome = run(shell("echo x"))
            print(outcome.status, outcome.cause or outcome.stdout.strip(), open_descriptors() == before)
    """)
    few = [line for line in lines if line == "not_started there are too many open files to start /bin/sh True"]
    enough = [line for line in lines if line == "ended x True"]
    assert lines == few + enough
    assert few
    assert enough


def test_the_first_run_of_a_process_without_descriptors_left_says_so() -> None:
    lines = output_of("""
        import resource
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (open_descriptors() - 1, hard))
        print(run(shell("echo x")).cause)
    """)
    assert lines == ["there are too many open files to start /bin/sh"]


def test_a_python_that_starts_processes_in_another_way_is_served_by_subprocess() -> None:
    lines = output_of("""
        import subprocess, _posixsubprocess
        def with_other_arguments(*values):
            raise TypeError("fork_exec takes something else")
        _posixsubprocess.fork_exec = with_other_arguments
        for name in [name for name in sys.modules if name.startswith("hookrun.running")]:
            del sys.modules[name]
        from hookrun.running import process; from hookrun.running import spawn
        assert spawn.fork_exec is with_other_arguments
        jobs = [shell("cat; exit 3", stdin=b"in"), program("/nowhere"), shell("exit", cwd="/nowhere")]
        for outcome in process.run_jobs(jobs, total_timeout=30):
            print(outcome.status, outcome.exit_code, outcome.stdout, outcome.cause)
    """)
    assert lines == [
        "ended 3 in ",
        "not_started None  /nowhere does not exist",
        "not_started None  its working directory /nowhere cannot be entered: No such file or directory",
    ]


def test_starts_that_fail_leave_no_descriptor_open(tmp_path: Path) -> None:
    run(shell("exit 0"))  # the watcher stays
    before = open_descriptors()
    hook = script(tmp_path / "hook.sh", "echo x\n")
    for job in (program(hook), program("/nowhere"), program(str(tmp_path)), shell("", env={"A": "\0"})):
        run(job)
    assert open_descriptors() == before
