"""What is told about a hook that failed."""

from __future__ import annotations

import pytest
from answer_values import a_hook, a_trigger, an_event, ended

from hookrun.answers.answer import read_answer
from hookrun.model.values import Hook, Outcome


def told(outcome: Outcome, hook: Hook | None = None) -> str:
    return read_answer(hook or a_hook(), outcome, an_event()).message


@pytest.mark.parametrize(
    ("exit_code", "beginning"),
    [
        (1, "failed: exit 1; hint: exit 0 with an answer or none, exit 2 to deny"),
        (126, "failed: exit 126; hint: a command in it is not executable"),
        (127, "failed: exit 127; hint: a command in it is not on the PATH"),
        (130, "failed: exit 130 = killed by SIGINT; hint: exit 0"),
        (137, "failed: exit 137 = killed by SIGKILL; hint: something outside"),
        (141, "failed: exit 141 = killed by SIGPIPE; hint: a command in a pipe"),
        (255, "failed: exit 255; hint: exit 0"),
    ],
)
def test_exit_codes_are_explained_and_those_of_signals_named(exit_code: int, beginning: str) -> None:
    assert told(ended(exit_code)).startswith(beginning)


def test_the_first_line_of_stderr_that_is_not_blank_is_told() -> None:
    assert told(ended(1, stderr="\n  seq: write error  \nmore")).startswith(
        "failed: exit 1; stderr: seq: write error; hint: "
    )


def test_a_signal_is_named() -> None:
    assert told(Outcome(status="killed", signal=9)).startswith("killed by signal 9 (SIGKILL); hint: something")
    assert told(Outcome(status="killed", signal=11)) == "killed by signal 11 (SIGSEGV)"
    assert told(Outcome(status="killed", signal=200)) == "killed by signal 200"


def test_a_hook_that_was_ended_by_its_runner_says_why() -> None:
    assert told(Outcome(status="killed", cause="cancelled")) == "killed: cancelled"
    assert told(Outcome(status="killed")) == "killed: by whom is not known"


@pytest.mark.parametrize(
    ("timeout", "seconds", "shown"),
    [
        (10.0, 12.02, "10 s"),
        (None, 10.004, "10 s"),
        (10.0, 4.5, "4.5 s"),
        (0.25, 0.0, "0.25 s"),
        (300.0, 302.0, "300 s"),
    ],
)
def test_a_timeout_says_after_how_long(timeout: float | None, seconds: float, shown: str) -> None:
    outcome = Outcome(status="timed_out", seconds=seconds)
    assert told(outcome, a_hook(timeout=timeout)) == f"timed out after {shown}; hint: raise its timeout"


def test_a_runner_may_say_which_time_was_over() -> None:
    own = Outcome(status="timed_out", seconds=12.0, cause="timed out after 10 s")
    assert told(own).startswith("timed out after 10 s; hint: ")
    shared = Outcome(status="timed_out", cause="all hooks together took longer than 60 s")
    assert told(shared).startswith("timed out: all hooks together took longer than 60 s; hint: ")


def test_could_not_start_says_why_and_what_to_do() -> None:
    outcome = Outcome(status="not_started", exit_code=2, cause="CRLF line endings", hint="convert it")
    assert told(outcome) == "could not start: CRLF line endings; hint: convert it"
    assert told(Outcome(status="not_started")) == "could not start: for an unknown cause"


def test_a_runner_may_say_what_to_do() -> None:
    assert told(Outcome(status="killed", signal=15, hint="ask who did")).endswith("; hint: ask who did")
    assert told(Outcome(status="timed_out", seconds=1.0, hint="wait")).endswith("; hint: wait")


def test_a_bad_answer_shows_what_was_answered() -> None:
    message = told(ended(0, '{"decision": "maybe"}', "warned"))
    assert message.startswith('failed: bad answer: decision is "maybe", expected allow, deny, ask or defer; ')
    assert "stderr: warned" in message
    assert "hint: answer {" in message


def test_an_unknown_way_to_end_is_a_failure() -> None:
    assert told(Outcome(status="lost")) == "failed: it is not known how it ended (lost)"
    assert told(Outcome(status="lost", cause="its server is gone")) == "failed: its server is gone"


def test_a_trigger_is_told_what_its_exits_mean() -> None:
    assert told(ended(2), a_trigger()).endswith("a ui trigger cannot deny; contribute a hook for that")
    assert told(ended(3), a_trigger()).endswith("only the output of exit 0 is shown")
