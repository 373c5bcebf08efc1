"""Stdio plugins of a few lines of shell or Python, and events to ask them about."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from runner_jobs import DEADLINE, PATH, is_alive, pids_in

from hookrun.agents import XBOT
from hookrun.agents.payload import payload_for
from hookrun.events.event import make_event
from hookrun.programs.command import Launch
from hookrun.running.plugins.plugins import StdioPlugin

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hookrun.model.values import Event, Outcome

ALLOW = '{"hook_result": {"decision": "allow"}}'
DENY = '{"hook_result": {"decision": "deny", "message": "no"}}'

# Every plugin below is activated before it does what its test is about. It leaves its number in `pids`.
_SHELL = f"""
answer() {{ echo '{ALLOW}'; }}
echo $$ >>pids
read -r activate
echo '{{}}'
"""
_PYTHON = f"""
import json, os, signal, sys, time
def ask():
    line = sys.stdin.readline()
    return json.loads(line) if line else sys.exit()
def say(value):
    print(value if isinstance(value, str) else json.dumps(value), flush=True)
ALLOW = '{ALLOW}'
with open("pids", "a") as file:
    print(os.getpid(), file=file)
ask()
say({{}})
"""


@contextmanager
def shell_plugin(folder: Path, script: str, **options: Any) -> Iterator[StdioPlugin]:
    """A plugin in shell: activated, it does what *script* says; `answer` allows."""
    with started_by(folder, *in_shell(script), **options) as plugin:
        yield plugin


@contextmanager
def python_plugin(folder: Path, script: str, **options: Any) -> Iterator[StdioPlugin]:
    """A plugin in Python: activated, it does what *script* says with `ask`, `say` and `ALLOW`."""
    with started_by(folder, sys.executable, "-c", _PYTHON + script, **options) as plugin:
        yield plugin


@contextmanager
def started_by(folder: Path, *argv: str, **options: Any) -> Iterator[StdioPlugin]:
    """A plugin that is started by *argv* in *folder*, and closed at the end."""
    plugin = new_plugin(folder, *argv, **options)
    try:
        yield plugin
    finally:
        plugin.close()


def new_plugin(folder: Path, *argv: str, **options: Any) -> StdioPlugin:
    """A plugin that is started by *argv* in *folder*, and that nobody closes."""
    return StdioPlugin("tested", Launch(argv=argv), str(folder), {"PATH": PATH}, **options)


def in_shell(script: str) -> tuple[str, ...]:
    """The words that start the plugin of ``shell_plugin``."""
    return ("/bin/sh", "-c", _SHELL + script)


def ask(plugin: StdioPlugin, event: Event | None = None, **options: Any) -> Outcome:
    """Ask *plugin* about *event*, a shell command when there is none."""
    event = event or before("Shell", {"command": "ls"})
    return plugin.call(event, payload_for(event, XBOT), **{"timeout": DEADLINE, **options})


def before(tool: str, tool_input: Any = None, **fields: Any) -> Event:
    """The PreToolUse of *tool*."""
    return make_event("PreToolUse", tool_name=tool, tool_input=tool_input, **fields)[0]


def result_of(outcome: Outcome) -> Any:
    """What the plugin's answer, which it must have given, decides."""
    assert (outcome.status, outcome.exit_code) == ("ended", 0), outcome
    return json.loads(outcome.stdout)["hook_result"]


def decision_of(outcome: Outcome) -> str:
    """allow, deny, ask or defer."""
    decision = result_of(outcome)["decision"]
    assert isinstance(decision, str)
    return decision


def starts(folder: Path) -> list[int]:
    """The numbers of the processes that the plugin in *folder* has had, those that it wrote down."""
    return pids_in(folder / "pids", 0)


def alive(folder: Path) -> list[int]:
    """Those of them that live."""
    return [pid for pid in starts(folder) if is_alive(pid)]
