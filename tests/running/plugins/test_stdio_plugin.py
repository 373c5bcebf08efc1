"""A stdio plugin that works: activated once, asked by anybody, asked about what it declared, closed."""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from runner_jobs import eventually, pids_in
from stdio_plugins import (
    ALLOW,
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

from hookrun.events.event import make_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path
    from typing import Any

    from hookrun.running.plugins.plugins import StdioPlugin

ECHO = """
while True:
    params = ask()["params"]
    say({"hook_result": {"decision": "deny", "message": params["toolInput"], "data": params}})
"""
# It writes down every request, declares what the test says, and answers all.
WRITER = """
import json, sys
for line in sys.stdin:
    print(line, file=open("requests", "a"), end="")
    print(open("declared").read() if "activate" in line else '{}', flush=True)
"""


def requests(folder: Path) -> list[Any]:
    return [json.loads(line) for line in (folder / "requests").read_text().splitlines()]


def writer(folder: Path, declared: str) -> AbstractContextManager[StdioPlugin]:
    (folder / "declared").write_text(declared)
    return started_by(folder, sys.executable, "-c", WRITER)


def test_it_is_activated_once_and_then_asked(tmp_path: Path):
    with writer(tmp_path, "{}") as plugin:
        assert (plugin.is_alive, plugin.declared) == (False, None)
        for _ in range(2):
            outcome = ask(plugin)
            assert (outcome.status, outcome.exit_code, outcome.stdout) == ("ended", 0, ALLOW)
            assert 0 < outcome.seconds < 60
        assert (plugin.is_alive, plugin.declared) == (True, None)
    first, *calls, last = requests(tmp_path)
    assert first == {"method": "activate", "params": {"pluginId": "tested"}}
    assert [call["method"] for call in calls] == ["hook", "hook"]
    assert last == {"method": "deactivate"}


def test_what_it_declares_is_what_it_is_asked_about(tmp_path: Path):
    declared = {"hooks": [{"event": "PreToolUse", "matcher": "Shell*"}, {"event": "agent_end"}]}
    with writer(tmp_path, json.dumps({"result": declared})) as plugin:
        for event in (before("Read"), before("Shell"), before("Read"), make_event("AgentStop")[0]):
            assert ask(plugin, event).status == "ended"
        assert plugin.declared == (("PreToolUse", "Shell*"), ("AgentStop", ""))
        unasked = ask(plugin, before("Read"))
        assert (unasked.exit_code, unasked.stdout) == (0, "")
    asked = [request["params"] for request in requests(tmp_path)[1:-1]]
    assert [(params["event"], params["toolName"]) for params in asked] == [("PreToolUse", "Shell"), ("AgentStop", "")]


def test_a_plugin_that_declares_nothing_at_all_is_never_asked(tmp_path: Path):
    with writer(tmp_path, '{"hooks": []}') as plugin:
        assert [ask(plugin).stdout, ask(plugin).stdout] == ["", ""]
    assert [request["method"] for request in requests(tmp_path)] == ["activate", "deactivate"]


@pytest.mark.parametrize("others", [[], [{"event": "PreToolUse"}], [{"event": "AgentStop"}]])
def test_a_declaration_that_cannot_be_read_is_a_failure_of_every_call(others: list[Any], tmp_path: Path):
    with writer(tmp_path, json.dumps({"hooks": [{"event": "PreToolUs"}, *others]})) as plugin:
        for outcome in (ask(plugin), ask(plugin)):
            assert (outcome.status, outcome.stdout) == ("failed", "")
            assert "hooks[0]: " in outcome.cause
            assert "unknown event 'PreToolUs'" in outcome.cause
            (problem,) = outcome.problems
            assert (problem.source, problem.where) == ("tested", "hooks[0]")


def test_what_it_does_not_want_to_know_does_not_start_it_again(tmp_path: Path):
    declared = '{"hooks": [{"event": "PreToolUse", "matcher": "Shell"}]}'
    script = f"echo $$ >>pids; read -r activate; echo '{declared}'; read -r request; echo '{ALLOW}'"
    with started_by(tmp_path, "/bin/sh", "-c", script) as plugin:
        ask(plugin)
        assert ask(plugin, before("Read")).stdout == ""
        assert len(starts(tmp_path)) == 1
        eventually(lambda: alive(tmp_path) == [])
        assert ask(plugin, before("Shell")).stdout == ALLOW
        assert len(starts(tmp_path)) == 2


def test_twenty_threads_get_their_own_answers(tmp_path: Path):
    def one(number: int) -> bool:
        command = {"command": f"echo {number}", "padding": "x" * (number * 5000)}
        return bool(json.loads(result_of(ask(plugin, before("Shell", command)))["message"]) == command)

    with python_plugin(tmp_path, ECHO) as plugin, ThreadPoolExecutor(20) as threads:
        assert all(threads.map(one, [*range(20)] * 5))
    assert len(starts(tmp_path)) == 1


def test_stderr_goes_to_the_log_a_line_at_a_time(tmp_path: Path):
    lines: list[str] = []
    script = """
        printf 'ready\\nhalf' >&2; read -r request; printf ' a line \\n\\n\\377\\n' >&2; answer
        printf 'the end' >&2
    """
    with shell_plugin(tmp_path, script, log=lines.append) as plugin:
        assert ask(plugin).stderr == ""
    assert lines == ["ready", "half a line", "\ufffd", "the end"]


def test_a_flood_on_stderr_is_cut(tmp_path: Path):
    lines: list[str] = []
    script = """
        read -r r; seq 100000 >&2; head -c 100000 /dev/zero | tr '\\0' x >&2; echo >&2; answer; read -r r
    """
    with shell_plugin(tmp_path, script, log=lines.append) as plugin:
        assert decision_of(ask(plugin)) == "allow"
    assert lines[:3] == ["1", "2", "3"]
    assert len(lines) < 20_000
    assert any("more lines left out" in line for line in lines)
    assert max(len(line) for line in lines) == 4096


def test_what_a_log_raises_passes_through_and_leaves_nothing(tmp_path: Path):
    def log(line: str) -> None:
        raise RuntimeError(line)

    script = "trap 'echo more >&2' TERM; echo full >&2; while :; do sleep 0.1; done"
    with shell_plugin(tmp_path, script, log=log) as plugin:
        with pytest.raises(RuntimeError, match="full"):
            ask(plugin)
        assert (plugin.is_alive, len(starts(tmp_path)), alive(tmp_path)) == (False, 1, [])


def test_close_ends_it_and_everything_of_its_group(tmp_path: Path):
    script = "sleep 600 >/dev/null 2>&1 & echo $! >>pids; while read -r request; do answer; done; touch done"
    with shell_plugin(tmp_path, script) as plugin:
        ask(plugin)
        assert len(alive(tmp_path)) == 2
        plugin.close()
        assert alive(tmp_path) == []
        assert (tmp_path / "done").exists()
        assert not plugin.is_alive


def test_close_ends_what_does_not_want_to_end(tmp_path: Path):
    script = "trap '' TERM; read -r r; answer; setsid sh -c 'echo $$ >>pids; exec sleep 600' & wait; sleep 600"
    with shell_plugin(tmp_path, script) as plugin:
        ask(plugin)
        pids_in(tmp_path / "pids", 2)
        plugin.close()
        assert alive(tmp_path) == []


def test_a_closed_plugin_is_not_started_again(tmp_path: Path):
    with shell_plugin(tmp_path, "read -r request; answer; read -r request") as plugin:
        ask(plugin)
        plugin.close()
        plugin.close()
        outcome = ask(plugin)
    assert (outcome.status, outcome.cause) == ("not_started", "the plugins have been closed")
    assert len(starts(tmp_path)) == 1


def test_close_waits_for_the_call_that_is_under_way(tmp_path: Path):
    script = "read -r request; touch asked; until [ -e go ]; do sleep 0.02; done; answer; read -r request"
    with shell_plugin(tmp_path, script) as plugin, ThreadPoolExecutor(2) as threads:
        call = threads.submit(ask, plugin)
        eventually((tmp_path / "asked").exists)
        closing = threads.submit(plugin.close)
        assert alive(tmp_path) != []
        (tmp_path / "go").touch()
        assert decision_of(call.result()) == "allow"
        closing.result()
        assert alive(tmp_path) == []


def test_a_call_can_be_cancelled_from_elsewhere_and_does_not_count_as_a_fault(tmp_path: Path):
    script = "read -r request; [ -e enough ] || { echo >>asked; exec sleep 60; }; answer; read -r request"
    read, write = os.pipe()
    os.write(write, b"!")
    with shell_plugin(tmp_path, script) as plugin:
        for _ in range(5):
            outcome = ask(plugin, stops=[read])
            assert (outcome.status, outcome.cause) == ("killed", "cancelled")
            assert alive(tmp_path) == []
        (tmp_path / "enough").touch()
        assert decision_of(ask(plugin)) == "allow"
    os.close(read)
    os.close(write)
