"""`api.exec` and `exec_command`: programs that modules start, supervised as hooks are."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from waiting import eventually

from hookrun import Cancel, HookrunError, exec_command

if TYPE_CHECKING:
    from pathlib import Path


def test_what_a_program_did_is_returned():
    result = exec_command("sh", ["-c", "echo out; echo err >&2; exit 3"])
    assert (result.stdout, result.stderr, result.code, result.killed) == ("out\n", "err\n", 3, False)


def test_arguments_are_no_shells():
    assert exec_command("printf", ["%s|", "a b", "$HOME", "*"]).stdout == "a b|$HOME|*|"


def test_a_program_may_be_given_by_its_path(tmp_path: Path):
    (tmp_path / "own").write_text("#!/bin/sh\necho own\n")
    (tmp_path / "own").chmod(0o755)
    assert exec_command(str(tmp_path / "own")).stdout == "own\n"
    assert exec_command("./own", cwd=str(tmp_path)).stdout == "own\n"


def test_cwd_and_env_can_be_given(tmp_path: Path):
    env = {"PATH": os.environ["PATH"], "OWN": "1"}
    done = exec_command("sh", ["-c", 'echo "$PWD $OWN $USER"'], cwd=str(tmp_path), env=env)
    assert done.stdout == f"{tmp_path} 1 \n"


@pytest.mark.parametrize(
    ("command", "complaint"),
    [("no-such-program", "program 'no-such-program' not found on PATH"), ("./missing", "could not start")],
)
def test_a_program_that_cannot_start_is_an_error(command, complaint):
    with pytest.raises(HookrunError, match=complaint):
        exec_command(command)


def test_a_signal_is_128_and_its_number():
    result = exec_command("sh", ["-c", "kill -9 $$"])
    assert (result.code, result.killed) == (137, True)


def test_a_timeout_kills_the_program_and_what_it_started(tmp_path: Path):
    script = "sleep 60 & echo $! > pid; wait"
    result = exec_command("sh", ["-c", script], cwd=str(tmp_path), timeout=0.5)
    assert (result.killed, result.code) == (True, 143)
    gone(int((tmp_path / "pid").read_text()))


def test_a_token_cancels_what_runs_and_what_comes(tmp_path: Path):
    cancel = Cancel()
    results: list[Any] = []
    work = threading.Thread(
        target=lambda: results.append(
            exec_command("sh", ["-c", "echo $$ > pid; exec sleep 60"], cwd=str(tmp_path), cancel=cancel)
        )
    )
    work.start()
    pid = int(eventually(lambda: (tmp_path / "pid").read_text().strip()))
    cancel.cancel()
    cancel.cancel()
    work.join(timeout=30)
    assert [result.killed for result in results] == [True]
    assert cancel.is_cancelled
    gone(pid)
    began_at = time.monotonic()
    later = exec_command("sh", ["-c", "touch ran"], cwd=str(tmp_path), cancel=cancel)
    assert (later.killed, (tmp_path / "ran").exists()) == (True, False)
    assert time.monotonic() - began_at < 20


def test_a_token_that_nobody_cancels_changes_nothing():
    cancel = Cancel()
    assert [exec_command("echo", ["x"], cancel=cancel).stdout for _ in range(2)] == ["x\n", "x\n"]


def test_output_is_bounded():
    result = exec_command("sh", ["-c", "yes | head -c 3000000"])
    assert (len(result.stdout), result.code) == (1024 * 1024, 0)


def test_a_module_runs_programs_in_its_project_without_stdin(api, runner):
    result = api.exec("sh", ["-c", "pwd; cat"])
    assert (result.stdout, result.code) == (f"{runner.config.root}\n", 0)


def test_a_module_may_run_a_program_elsewhere_and_for_a_while(api, tmp_path):
    assert api.exec("pwd", cwd=str(tmp_path)).stdout == f"{tmp_path}\n"
    assert api.exec("sleep", ["60"], timeout=0.2).killed


def test_a_handler_can_start_programs(api, runner):
    @api.on("tool_call")
    def guard(event: Any, ctx: Any) -> Any:
        done = api.exec("sh", ["-c", "echo no; exit 1"])
        return {"block": done.code == 1, "reason": done.stdout.strip()}

    assert runner.emit("pre", tool="bash").message == "the program: no"


def test_a_modules_logger_has_its_name(api, caplog):
    api.logger.warning("odd")
    assert caplog.record_tuples == [("hookrun.the program", 30, "odd")]
    assert api.project_dir


def gone(pid: int) -> None:
    def is_gone() -> bool:
        try:
            with open(f"/proc/{pid}/stat") as file:
                return file.read().rpartition(")")[2].split()[0] in "ZX"
        except FileNotFoundError:
            return True

    eventually(is_gone, lambda: f"{pid} is alive")
