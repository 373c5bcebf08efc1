"""Ten thousand events in one program: no descriptor, no thread, no process and no memory stays behind."""

from __future__ import annotations

import json
import sys

import pytest
from runner_jobs import output_of

EMITS = 10_000
MODULE = """
def hook(api):
    no = {"block": True, "reason": "no"}
    api.on("tool_call", lambda event, ctx: no if event.input["command"] == "rm" else None)
"""
PLUGIN = """
import json, sys
for line in sys.stdin:
    answer = {} if json.loads(line).get("method") == "activate" else {"hook_result": {"decision": "allow"}}
    print(json.dumps(answer), flush=True)
"""
# Of every 100 events 10 are blocked, 3 start a process that leaves a hint, 7 ask a live plugin.
PROGRAM = """
import gc
from hookrun import HookRunner

def emit(runner, number):
    place = number % 100
    command = "rm" if place % 10 == 0 else "ls"
    tool = "Write" if place < 3 else "Read" if place < 10 else "Shell"
    given = {{"command": command, "path": "x"}}
    decision = runner.emit("pre", tool=tool, tool_input=given, tool_call_id=str(number), session_id="s")
    said = decision.verdict.word
    expected = {{"Write": None, "Read": "allow"}}.get(tool)
    assert said == ("deny" if command == "rm" else expected), (number, tool, said, decision.message)
    if tool == "Write":
        (hint,) = runner.get_tool_hints(session_id="s")
        assert hint.hint.text == "written"

def figures():
    gc.collect()
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[1])
    return open_descriptors(), len(os.listdir("/proc/self/task")), len(children()), pages

heard = 0
with HookRunner.discover({project!r}, env={environment!r}) as runner:
    @runner.on("pre")
    def handler(payload, ctx):
        global heard
        heard += 1
    for number in range({emits} // 10):
        emit(runner, number)
    before = figures()
    for number in range({emits}):
        emit(runner, number)
    after = figures()
print(heard, *before)
print(*after)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_ten_thousand_events_leave_nothing_behind(project, user_environment):
    project.script(".hookrun/hooks/guard.py", MODULE, mode=0o644)
    project.script(".hookrun/hooks/pre/write.sh", "#!/bin/sh\necho 'md|written'\n")
    project.script(".hookrun/plugins/live/plugin.py", PLUGIN)
    plugin = {
        "id": "live",
        "name": "live",
        "version": "1.0.0",
        "runtime": "stdio",
        "executable": sys.executable,
        "args": ["plugin.py"],
        "permissions": ["*"],
        "contributes": {"hooks": [{"event": "PreToolUse", "matcher": "Read"}]},
    }
    project.script(".hookrun/plugins/live/plugin.json", json.dumps(plugin))
    environment = user_environment | {"HOOKRUN_TRUST": "project"}
    source = PROGRAM.format(project=str(project.path), environment=environment, emits=EMITS)
    first, second = output_of(source)
    heard, *before = map(int, first.split())
    after = [int(figure) for figure in second.split()]
    assert heard == (EMITS + EMITS // 10) * 9 // 10  # a block ends the chain
    assert after[:3] == before[:3], "descriptors, threads, processes"
    assert after[3] <= before[3] * 1.05, f"pages of memory: {before[3]} before, {after[3]} after"
