"""What plugins do wrong: each is a failure that names its cause, nothing is left, the next call works."""

from __future__ import annotations

import threading
import time

import pytest
from runner_jobs import eventually, is_alive, pids_in
from stdio_plugins import (
    ALLOW,
    DENY,
    alive,
    ask,
    before,
    decision_of,
    python_plugin,
    result_of,
    shell_plugin,
    started_by,
    starts,
)

from hookrun.running.plugins import life

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

# What a plugin does instead of answering, and what is told of it.
FAULTS = {
    "prints junk": ("echo junk; sleep 60", "failed", "it printed 'junk', which is not a JSON object"),
    "prints a list": ("echo '[]'; sleep 60", "failed", "it printed '[]', which is not a JSON object"),
    "prints junk after its answer": (f"printf '%s\\njunk\\n' '{ALLOW}'; sleep 60", "failed", "'junk'"),
    "answers twice": (f"printf '%s\\n%s\\n' '{ALLOW}' '{DENY}'; sleep 60", "failed", "it answered twice"),
    "sends 2 MiB": ("head -c 2097152 /dev/zero | tr '\\0' x; sleep 60", "failed", "it sent a line of more than 1 MiB"),
    "sends a line of 2 MiB": (
        "head -c 2097152 /dev/zero | tr '\\0' x; echo; sleep 60",
        "failed",
        "it sent a line of more than 1 MiB",
    ),
    "ends": ("exit 3", "failed", "it ended with exit 3"),
    "ends well": ("exit 0", "failed", "it ended with exit 0"),
    "ends after half an answer": ("printf '{\"hook_'; exit 1", "failed", "it ended with exit 1"),
    "is killed": ("kill -9 $$", "killed", "it was killed by signal 9 (Killed)"),
    "closes its stdout": ("exec >&-; exec sleep 60", "failed", "it closed its stdout"),
    "hangs": ("exec sleep 60", "timed_out", "timed out after 0.7 s"),
    "hangs and is deaf": ("trap '' TERM; while :; do sleep 1; done", "timed_out", "timed out after 0.7 s"),
    "stops itself": ("kill -STOP $$", "timed_out", "timed out after 0.7 s"),
    "never ends a line": ("printf '{'; exec sleep 60", "timed_out", "timed out after 0.7 s"),
    "talks without end": (
        """exec yes '{"method": "log"}'""",
        "failed",
        "it sent 10000 messages of its own and no answer",
    ),
    "logs without end": ("yes >&2", "timed_out", "timed out after 0.7 s"),
}
# The first process commits the fault and has a child in its group and one in a session of its own.
ONCE = """
if [ ! -e was_here ]; then
  sleep 600 >/dev/null 2>&1 & echo $! >>pids
  setsid sh -c 'echo $$ >>pids; exec sleep 600' >/dev/null 2>&1 &
  until [ $(wc -l <pids) = 3 ]; do sleep 0.01; done
fi
while read -r request; do
  if [ ! -e was_here ]; then touch was_here; FAULT; fi
  answer
done
"""


@pytest.mark.parametrize(("fault", "status", "cause"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_told_nothing_is_left_and_the_next_call_works(fault: str, status: str, cause: str, tmp_path: Path):
    with shell_plugin(tmp_path, ONCE.replace("FAULT", fault)) as plugin:
        began = time.monotonic()
        outcome = ask(plugin, timeout=0.7)
        assert time.monotonic() - began < 0.7 + 3 + 1  # it has a second or so for its start
        assert (outcome.status, outcome.stdout) == (status, "")
        assert cause in outcome.cause
        assert len(starts(tmp_path)) == 3
        assert alive(tmp_path) == []
        assert not plugin.is_alive
        assert decision_of(ask(plugin)) == "allow"
        assert plugin.is_alive
        assert decision_of(ask(plugin)) == "allow"
        assert len(starts(tmp_path)) == 4


def test_how_a_process_ended_is_told_in_full(tmp_path: Path):
    with shell_plugin(tmp_path, "read -r request; [ -e killed ] && exit 7; touch killed; kill -9 $$") as plugin:
        killed, ended = ask(plugin), ask(plugin)
    assert (killed.status, killed.signal, killed.exit_code) == ("killed", 9, None)
    assert (ended.status, ended.signal, ended.exit_code) == ("failed", None, 7)
    assert "until `deactivate`" in ended.hint


def test_a_fault_comes_with_the_last_line_of_stderr(tmp_path: Path):
    with python_plugin(tmp_path, "ask()\nraise ValueError('no such rule')") as plugin:
        outcome = ask(plugin)
    assert (outcome.status, outcome.stderr) == ("failed", "ValueError: no such rule")


def test_a_second_answer_that_comes_later_ends_the_process_before_the_next_call(tmp_path: Path):
    again = f"until [ -e go ]; do sleep 0.01; done; echo '{DENY}'; touch said; read -r request"
    with shell_plugin(tmp_path, f"read -r request; answer; [ -e said ] || {{ {again}; }}") as plugin:
        assert decision_of(ask(plugin)) == "allow"
        (tmp_path / "go").touch()
        eventually((tmp_path / "said").exists)
        outcome = ask(plugin)
        assert decision_of(outcome) == "allow"
        (problem,) = outcome.problems
        told = "since its last call it answered twice, or without being asked; it was started again"
        assert problem.message == told
        first, _ = starts(tmp_path)
        assert not is_alive(first)


def test_what_comes_before_the_request_is_not_taken_for_its_answer(tmp_path: Path):
    script = """
        read -r request; printf '%s\\n{"hook_' '{"hook_result": {"decision": "deny"}}'
        read -r request; echo 'result": {"decision": "allow"}}'; sleep 60
    """
    with shell_plugin(tmp_path, script) as plugin:
        assert decision_of(ask(plugin)) == "deny"
        outcome = ask(plugin)
    assert (outcome.status, outcome.cause) == ("failed", "it answered before it had read the request")


def test_own_messages_before_and_during_a_call_are_passed_over(tmp_path: Path):
    script = """
        echo '{"method": "progress"}'; echo
        while read -r request; do
          printf '{"method": "log", "params": {}}\\n{"method": "x"}\\n\\n%s\\n{"method": "y"}\\n' "$(answer)"
          echo '{"method": "idle"}'; touch idle
        done
    """
    with shell_plugin(tmp_path, script) as plugin:
        for _ in range(3):
            assert decision_of(ask(plugin)) == "allow"
            eventually((tmp_path / "idle").exists)
    assert len(starts(tmp_path)) == 1


def test_a_process_that_ended_between_calls_is_started_again_and_that_is_told(tmp_path: Path):
    with shell_plugin(tmp_path, "read -r request; answer; exit 4") as plugin:
        assert ask(plugin).problems == ()
        (pid,) = starts(tmp_path)
        eventually(lambda: not is_alive(pid))
        outcome = ask(plugin)
    assert decision_of(outcome) == "allow"
    assert "since its last call it ended with exit 4" in outcome.problems[0].message


def test_a_plugin_that_does_not_read_holds_nobody_up(tmp_path: Path):
    large = before("Write", {"content": "x" * 500_000})  # more than a pipe holds
    with shell_plugin(tmp_path, "sleep 600 & echo $! >>pids; wait") as plugin:
        outcome = ask(plugin, large, timeout=0.7)
        assert (outcome.status, outcome.cause) == ("timed_out", "timed out after 0.7 s")
        assert len(starts(tmp_path)) == 2
        assert alive(tmp_path) == []


def test_a_plugin_that_answers_without_reading_is_out_of_step(tmp_path: Path):
    large = before("Write", {"content": "x" * 500_000})
    with shell_plugin(tmp_path, f"head -c 1000 >/dev/null; echo '{ALLOW}'; exec sleep 60") as plugin:
        outcome = ask(plugin, large)
    assert (outcome.status, outcome.cause) == ("failed", "it answered before it had read the request")


@pytest.mark.parametrize(
    "script",
    [
        "read -r activate; exec <&-; echo '{}'; exec sleep 60",
        "read -r activate; echo '{}'; head -c 10 >/dev/null; exec <&-; exec sleep 60",
    ],
    ids=["before", "in the middle"],
)
def test_a_plugin_that_closes_its_stdin_fails(script: str, tmp_path: Path):
    large = before("Write", {"content": "x" * 500_000})
    with started_by(tmp_path, "/bin/sh", "-c", script) as plugin:
        outcome = ask(plugin, large)
    assert (outcome.status, outcome.cause) == ("failed", "it closed its stdin")


@pytest.mark.parametrize(("pipe", "name"), [("<&-", "stdin"), (">&-", "stdout")])
def test_a_pipe_that_was_closed_between_calls_is_seen_before_the_next(pipe: str, name: str, tmp_path: Path):
    script = f"read -r request; answer; exec {pipe}; touch closed; exec sleep 60"
    with shell_plugin(tmp_path, script) as plugin:
        ask(plugin)
        eventually((tmp_path / "closed").exists)
        outcome = ask(plugin)
    assert decision_of(outcome) == "allow"
    assert f"since its last call it closed its {name}; it was started again" in outcome.problems[0].message


def test_a_plugin_that_talks_while_it_is_written_to_is_no_deadlock(tmp_path: Path):
    large = before("Write", {"content": "x" * 500_000})
    messages = """for _ in range(3000): say({"method": "log", "params": {"text": "x" * 100}})"""
    with python_plugin(tmp_path, f"{messages}\nask()\nsay(ALLOW)\nask()") as plugin:
        assert decision_of(ask(plugin, large)) == "allow"


def test_an_event_too_large_for_the_protocol_is_refused_before_it_is_sent(tmp_path: Path):
    with shell_plugin(tmp_path, "while read -r request; do answer; done") as plugin:
        assert decision_of(ask(plugin, before("Write", {"content": "x" * 1_000_000}))) == "allow"
        outcome = ask(plugin, before("Write", {"content": "x" * 1_100_000}))
        assert outcome.status == "failed"
        assert "a stdio plugin can be given 1 MiB" in outcome.cause
        assert decision_of(ask(plugin)) == "allow"
    assert len(starts(tmp_path)) == 1


def test_an_answer_of_almost_1_mib_is_read(tmp_path: Path):
    size = 1_048_000
    script = f'ask()\nsay({{"hook_result": {{"decision": "deny", "message": "é" * ({size} // 6)}}}})\nask()'
    with python_plugin(tmp_path, script) as plugin:
        result = result_of(ask(plugin))
    assert (result["decision"], len(result["message"])) == ("deny", size // 6)


def test_it_is_started_again_at_most_three_times_a_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with shell_plugin(tmp_path, "read -r request; exit 3") as plugin:
        assert {ask(plugin).cause for _ in range(4)} == {"it ended with exit 3"}
        outcome = ask(plugin)
        assert outcome.status == "failed"
        assert outcome.cause == "restarted 3 times within a minute; the last fault: it ended with exit 3"
        assert ask(plugin).cause == outcome.cause
        assert len(starts(tmp_path)) == 4
        monkeypatch.setattr(life, "_MINUTE", 0.0)
        assert ask(plugin).cause == "it ended with exit 3"
        assert len(starts(tmp_path)) == 5


def test_a_restart_that_went_well_does_not_end_the_count(tmp_path: Path):
    with shell_plugin(tmp_path, "read -r request; answer; read -r request; exit 3") as plugin:
        statuses = [ask(plugin).status for _ in range(9)]
    assert statuses == ["ended", "failed"] * 4 + ["failed"]
    assert len(starts(tmp_path)) == 4


def test_an_error_is_a_failure_of_that_call_alone(tmp_path: Path):
    script = """read -r request; echo '{"error": "no rules: é"}'; read -r request; answer; read -r request"""
    with shell_plugin(tmp_path, script) as plugin:
        outcome = ask(plugin)
        assert (outcome.status, outcome.cause) == ("failed", "no rules: é")
        assert decision_of(ask(plugin)) == "allow"
    assert len(starts(tmp_path)) == 1


@pytest.mark.parametrize(
    ("script", "cause"),
    [
        ('echo \'{"error": "no key"}\'; read -r more', "it could not be activated: no key"),
        ("echo junk; read -r more", "it printed 'junk', which is not a JSON object"),
        ("exit 5", "it ended with exit 5"),
        ("exec sleep 60", "timed out after 0.5 s while it was activated"),
    ],
)
def test_a_failed_activation_is_told_and_tried_again(
    script: str, cause: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(life, "ACTIVATION_SECONDS", 0.5)
    first = f"echo $$ >>pids; read -r activate; [ -e was_here ] || {{ touch was_here; {script}; }}"
    with started_by(tmp_path, "/bin/sh", "-c", f"{first}; echo '{{}}'; read -r r; echo '{ALLOW}'; read -r r") as plugin:
        outcome = ask(plugin)
        assert (outcome.status in ("failed", "timed_out"), outcome.cause) == (True, cause)
        assert alive(tmp_path) == []
        assert decision_of(ask(plugin)) == "allow"


def test_the_time_of_a_start_is_not_that_of_the_call(tmp_path: Path):
    script = f"read -r activate; sleep 0.6; echo '{{}}'; read -r request; echo '{ALLOW}'; read -r request"
    with started_by(tmp_path, "/bin/sh", "-c", script) as plugin:
        assert decision_of(ask(plugin, timeout=0.5)) == "allow"


@pytest.mark.parametrize(
    ("text", "mode", "cause"),
    [
        (None, 0, "plugin does not exist"),
        ("#!/nowhere/python\n", 0o755, "/nowhere/python, the interpreter of"),
        ("#!/bin/sh\n", 0o644, "plugin is not executable"),
        ("#!/bin/sh\n", 0o755, "it ended with exit 0"),
    ],
)
def test_a_program_that_cannot_be_started_is_told_apart(text: str | None, mode: int, cause: str, tmp_path: Path):
    program = tmp_path / "plugin"
    if text is not None:
        program.write_text(text)
        program.chmod(mode)
    with started_by(tmp_path, str(program)) as plugin:
        outcome = ask(plugin)
    assert outcome.status == ("failed" if "ended" in cause else "not_started")
    assert cause in outcome.cause


def test_a_plugin_whose_folder_is_gone_is_not_started(tmp_path: Path):
    with started_by(tmp_path / "gone", "/bin/cat") as plugin:
        outcome = ask(plugin)
    assert outcome.status == "not_started"
    assert "working directory" in outcome.cause


def test_a_caller_that_waits_in_vain_for_its_turn_does_no_harm(tmp_path: Path):
    script = "while read -r request; do touch asked; until [ -e go ]; do sleep 0.02; done; answer; done"
    with shell_plugin(tmp_path, script) as plugin:
        first: list[str] = []
        thread = threading.Thread(target=lambda: first.append(decision_of(ask(plugin))))
        thread.start()
        eventually((tmp_path / "asked").exists)
        outcome = ask(plugin, timeout=0.1)
        assert (outcome.status, outcome.cause) == (
            "timed_out",
            "timed out after 0.1 s, while the plugin was busy with other calls",
        )
        (tmp_path / "go").touch()
        thread.join()
        assert first == ["allow"]
    assert len(pids_in(tmp_path / "pids")) == 1


def test_a_call_without_any_time_neither_starts_nor_ends_a_process(tmp_path: Path):
    with shell_plugin(tmp_path, "while read -r request; do answer; done") as plugin:
        outcome = ask(plugin, timeout=0.0)
        assert (outcome.status, plugin.is_alive) == ("timed_out", False)
        ask(plugin)
        assert ask(plugin, timeout=-1.0).cause == "timed out after -1 s, before the plugin was asked"
        assert plugin.is_alive
