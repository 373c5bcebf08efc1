"""An agent is one folder: a made-up one, put beside the others and into the table, works everywhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hookrun

NAMES = """
from hookrun.agents.shape import Dialect

DIALECT = Dialect(
    name="acme",
    tools={"shell": ("Terminal",), "edit": ("Change",), "write": ("Save",), "read": ("Open",)},
    events={
        "PreToolUse": ("before_tool",),
        "PostToolUse": ("after_tool",),
        "UserPromptSubmit": ("asked",),
        "SessionStart": ("opened",),
        "AgentStop": ("done",),
    },
    input_keys={"path": "file", "old": "from", "new": "to", "content": "text", "command": "line"},
    user_settings=(".acme/hooks.json",),
    project_settings=(".acme/hooks.json",),
    payload_keys={
        "event": ("moment",),
        "tool_name": ("instrument",),
        "tool_input": ("values",),
        "session_id": ("talk",),
        "cwd": ("folder",),
        "prompt": ("words",),
    },
)
"""
PROTOCOL = """
from hookrun.agents.acme.names import DIALECT
from hookrun.agents.answer_format import AnswerFormat, VerdictField
from hookrun.agents.own_payload import own_tool, whole_text
from hookrun.agents.reply.encodings import INPUT, TEXT, ReplyTable, Way, Ways
from hookrun.agents.shape import Protocol
from hookrun.model.values import Verdict

_REPLIES = ReplyTable(
    name="acme",
    title="Acme",
    ways={
        "PreToolUse": Ways(
            allow=Way(fields={"may": "yes", "why": TEXT}),
            ask=Way(fields={"may": "ask", "why": TEXT}),
            deny=Way(fields={"may": "no", "why": TEXT}),
            rewrite=Way(fields={"may": "yes", "instead": INPUT}),
        ),
        "PostToolUse": Ways(context=Way(fields={"note": TEXT})),
    },
    refusal={"may": "no", "why": TEXT},
)


def _payload(event, own_event):
    payload = {"moment": own_event, "talk": event.session_id, "folder": event.cwd}
    if event.tool_name:
        payload["instrument"], payload["values"] = own_tool(event, DIALECT)
    if event.prompt:
        payload["words"] = event.prompt
    if event.event == "PostToolUse":
        payload["tool_output"] = whole_text(event)
    return payload


_ANSWERS = AnswerFormat(
    refusing_exits=(9,),
    verdicts=(VerdictField(key="may", verdicts={"yes": Verdict.ALLOW, "ask": Verdict.ASK, "no": Verdict.DENY}),),
    reasons=("why",),
    context=("note",),
    rewrites=("instead",),
)
PROTOCOL = Protocol(replies=_REPLIES, write_payload=_payload, read_answer=_ANSWERS.read)
"""
SETTINGS = """
from hookrun.agents.settings import BEFORE, RUNS, STOPS, Installation, Settings, effect, exits, says

SETTINGS = Settings(
    agent="acme",
    title="Acme",
    seconds=20.0,
    handler_keys=("type", "command", "timeout"),
    group_keys=("matcher", "hooks"),
    refusal_hint='print {"may": "no", "why": "..."} or exit with 9',
    effects=(
        effect(BEFORE, "may no, exit 9", STOPS, "", says('{"may": "no", "why": "..."}'), exits(9)),
        effect(BEFORE, "exit 1 or 2", RUNS, "trap", exits(1), exits(2)),
        effect(BEFORE, "any other exit code", RUNS, "trap"),
    ),
)
INSTALLATION = Installation(
    agent="acme",
    project=".acme/hooks.json",
    user=".acme/hooks.json",
    matcher="*",
    handler={"type": "command"},
    denials={"PreToolUse": ('{"may": "no", "why": MESSAGE}', 0)},
    folders=(".acme",),
    programs=("acme",),
)
"""
WITH_HOOKS = {
    "hooks": {
        "before_tool": [{"matcher": "Terminal", "hooks": [{"type": "command", "command": "echo no >&2; exit 9"}]}],
        "asked": [{"hooks": [{"type": "command", "command": "cat >prompt.json"}]}],
    }
}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of hookrun with the folder of the agent acme, and its name in the table: nothing else is changed."""
    top = tmp_path_factory.mktemp("acme")
    package = top / "hookrun"
    shutil.copytree(os.path.dirname(hookrun.__file__), package, ignore=shutil.ignore_patterns("__pycache__"))
    room = package / "agents/acme"
    room.mkdir()
    (room / "__init__.py").touch()
    for name, text in (("names", NAMES), ("protocol", PROTOCOL), ("settings", SETTINGS)):
        (room / f"{name}.py").write_text(f'"""Acme."""\n\nfrom __future__ import annotations\n{text}')
    table = package / "agents/__init__.py"
    text = table.read_text()
    assert text.count('"droid")') == 1, "the last agent is not once in the table"
    text = text.replace('"droid")', '"droid", "acme")')
    table.write_text(text)
    return top


@pytest.fixture
def acme(package: Path, project: Any, user_environment: dict[str, str]) -> Any:
    """Call hookrun with the agent acme in the project; return (exit code, stdout, stderr)."""

    def call(*words: str, stdin: Any = "", trusts: bool = False) -> subprocess.CompletedProcess[str]:
        environ = {**user_environment, "PYTHONPATH": str(package), **({"HOOKRUN_TRUST": "project"} if trusts else {})}
        return subprocess.run(
            [sys.executable, "-m", "hookrun", *words],
            cwd=project.path,
            env=environ,
            input=stdin if isinstance(stdin, str) else json.dumps(stdin),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return call


def before(tool: str, **values: Any) -> dict[str, Any]:
    return {"moment": "before_tool", "talk": "t1", "instrument": tool, "values": values}


def test_its_names_are_those_of_the_catalogue(acme, project) -> None:
    project.script(".claude/hooks/pre/bash.sh", "#!/bin/sh\necho no >&2; exit 2\n")
    ended = acme("emit", "before_tool", "--tool", "Terminal", "--input", '{"line": "ls"}', trusts=True)
    assert (ended.returncode, "no" in ended.stdout) == (2, True), ended.stderr
    assert acme("emit", "before_tool", "--tool", "Open", "--input", '{"file": "a"}', trusts=True).returncode == 0


def test_a_bridge_answers_in_its_form(acme, project) -> None:
    project.script(
        ".claude/hooks/pre/bash.sh", '#!/bin/sh\ncase "$HOOKRUN_COMMAND" in rm*) echo no >&2; exit 2;; esac\n'
    )
    acme("trust", "--yes")
    denied = acme("bridge", "acme", stdin=before("Terminal", line="rm x"))
    assert json.loads(denied.stdout)["may"] == "no", denied.stderr
    passed = acme("bridge", "acme", stdin=before("Terminal", line="ls"))
    assert (passed.returncode, passed.stdout) == (0, "")


def test_a_rewrite_comes_back_in_its_keys(acme, project) -> None:
    text = json.dumps({"updated_input": {"command": "ls -a"}})
    project.script(".claude/hooks/pre/bash.sh", f"#!/bin/sh\nprintf '%s' '{text}'\n")
    acme("trust", "--yes")
    answer = json.loads(acme("bridge", "acme", stdin=before("Terminal", line="ls")).stdout)
    assert answer["instead"] == {"line": "ls -a"}


def test_its_settings_are_a_source_and_its_hooks_get_its_payload(acme, project) -> None:
    project.script(".acme/hooks.json", json.dumps(WITH_HOOKS))
    denied = acme("emit", "pre", "--tool", "Bash", "--input", '{"command": "ls"}', trusts=True)
    assert denied.returncode == 2, denied.stderr
    assert acme("emit", "prompt", "--prompt", "hello", "--session", "t1", trusts=True).returncode == 0
    payload = json.loads((project.path / "prompt.json").read_text())
    assert {key: payload[key] for key in ("moment", "talk", "words")} == {
        "moment": "asked",
        "talk": "t1",
        "words": "hello",
    }


def test_a_payload_goes_there_and_back(acme, project) -> None:
    project.script(
        ".acme/hooks.json",
        json.dumps({"hooks": {"before_tool": [{"hooks": [{"type": "command", "command": "cat >call.json"}]}]}}),
    )
    for tool, values in (
        ("Terminal", {"line": "ls"}),
        ("Save", {"file": "a.txt", "text": "x"}),
        ("Change", {"file": "a.txt", "from": "x", "to": "y"}),
        ("Open", {"file": "a.txt"}),
    ):
        words = ("--tool", tool, "--dialect", "acme", "--input", json.dumps(values))
        assert acme("emit", "before_tool", *words, trusts=True).returncode == 0
        there = json.loads((project.path / "call.json").read_text())
        assert (there["instrument"], there["values"]) == (tool, values)


def test_install_and_uninstall_leave_the_file_as_it_was(acme, project) -> None:
    text = '{\n  "colour": "red",\n  "hooks": {}\n}\n'
    path = project.path / ".acme/hooks.json"
    project.script(".acme/hooks.json", text)
    installed = acme("install", "acme")
    assert (installed.returncode, "hookrun bridge acme" in path.read_text()) == (0, True), installed.stderr
    assert "acme" in acme("doctor").stdout
    assert acme("uninstall", "acme").returncode == 0
    assert path.read_text() == text


def test_lint_finds_what_it_does_not_read(acme, project) -> None:
    hooks = [{"type": "command", "command": "sh hook.sh", "colour": "red"}]
    project.script("hook.sh", "#!/bin/sh\necho no >&2\nexit 2\n")
    project.script(".acme/hooks.json", json.dumps({"hooks": {"before_tool": [{"hooks": hooks}]}}, indent=1))
    shown = acme("validate", trusts=True).stdout
    assert "(Acme ignores it)" in shown
    assert "exit 2" in shown


def test_explain_and_the_matrix_know_it(acme, project) -> None:
    project.script(".acme/hooks.json", json.dumps(WITH_HOOKS))
    shown = acme("explain", "pre", "--tool", "Terminal", "--as", "acme").stdout
    assert "1 of 2 hooks fires" in shown
    assert "exit 1 or 2" in shown
    assert "acme: Acme" in acme("agents", "acme").stdout
