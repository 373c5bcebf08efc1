"""audit-log: one line for each event, private, whole, and without secrets."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from conftest import Project

    Load = Callable[[str], ModuleType]

LOG = ".hookrun/audit.jsonl"
SCRIPT = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "scripts", "audit-log.py"
)


def logged(project: Project, payload: dict[str, Any], **environ: str) -> list[dict[str, Any]]:
    result = project.run("audit-log.py", payload, **environ)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    return [json.loads(line) for line in project.read(environ.get("AUDIT_LOG", LOG)).splitlines()]


def test_a_shell_call_is_one_line(project: Project) -> None:
    (entry,) = logged(project, project.shell("ls -la", tool_call_id="c1"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", entry.pop("time"))
    assert entry == {
        "event": "PreToolUse",
        "session": "s1",
        "call": "c1",
        "tool": "shell",
        "tool_name": "Shell",
        "cwd": project.folder,
        "command": "ls -la",
        "input_bytes": 21,
    }


@pytest.mark.parametrize(
    ("tool_name", "tool_input"),
    [
        ("FileCreate", {"path": "a", "content": "é" * 500}),
        ("Write", {"file_path": "a", "content": "é" * 500}),
        ("replace", {"file_path": "a", "old_string": "b", "new_string": "é" * 500}),
    ],
)
def test_of_contents_only_the_size_is_kept(project: Project, tool_name: str, tool_input: dict[str, str]) -> None:
    path = project.path("a")
    (entry,) = logged(project, project.payload("write", tool_input, tool_name=tool_name, paths=[path]))
    assert entry["paths"] == [path]
    assert "<1000 bytes>" in entry["input"].values()
    assert "a" in entry["input"].values()
    assert "é" not in json.dumps(entry, ensure_ascii=False)


@pytest.mark.parametrize(
    "event", ["PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart", "SessionEnd", "AgentStop"]
)
def test_every_event_is_logged(project: Project, event: str) -> None:
    payload = {"event": event, "cwd": project.folder, "project_dir": project.folder}
    assert logged(project, payload)[0]["event"] == event
    assert len(logged(project, payload)) == 2


def test_output_errors_and_prompts_are_measured(project: Project) -> None:
    more: dict[str, Any] = {
        "tool_output": "x" * 50,
        "tool_error": "Exit code 3",
        "prompt": "secret plan",
        "tool_elapsed_ms": 7,
    }
    (entry,) = logged(project, project.shell("ls", **more))
    kept = {"output_bytes": 50, "error": "Exit code 3", "prompt_bytes": 11, "elapsed_ms": 7}
    assert {key: entry[key] for key in kept} == kept
    assert "plan" not in json.dumps(entry)


@pytest.mark.parametrize(
    "command",
    [
        "API_KEY=q7Rz2LmX cmd",
        "export DB_PASSWORD='q7Rz2LmX y'",
        "cmd --password q7Rz2LmX",
        "cmd --token=q7Rz2LmX",
        'curl -H "Authorization: Bearer q7Rz2LmX" x',
        'curl -d \'{"client_secret": "q7Rz2LmX"}\' x',
        "git clone https://user:q7Rz2LmX@host/x",
        "echo ghp_" + "q7Rz2LmXq7Rz2LmX",
    ],
)
def test_secrets_in_a_command_are_masked(load: Load, command: str) -> None:
    masked = load("audit-log").masked(command)
    assert "q7Rz2LmX" not in masked
    assert "***" in masked


@pytest.mark.parametrize(
    "command", ["git log --author=me", "ls tokens", "cat passwords.md", "git commit -m 'mend token parsing'"]
)
def test_what_is_no_secret_stays(load: Load, command: str) -> None:
    assert load("audit-log").masked(command) == command


def test_values_of_keys_that_are_named_like_secrets_are_masked(project: Project) -> None:
    (entry,) = logged(project, project.payload("fetch", {"url": "https://x", "api_key": "q7Rz", "depth": 2}))
    assert entry["input"] == {"url": "https://x", "api_key": "***", "depth": 2}


def test_the_log_is_private(project: Project) -> None:
    logged(project, project.shell("ls"))
    assert os.stat(project.path(LOG)).st_mode & 0o777 == 0o600


def test_another_place_can_be_named(project: Project) -> None:
    assert len(logged(project, project.shell("ls"), AUDIT_LOG="logs/own.jsonl")) == 1
    assert not os.path.exists(project.path(LOG))
    project.run("audit-log.py", project.shell("ls"), AUDIT_LOG="~/own.jsonl")
    assert os.path.exists(os.path.join(project.home, "own.jsonl"))


def test_the_log_stays_out_of_git(project: Project) -> None:
    project.git("init", "-q")
    logged(project, project.shell("ls"))
    logged(project, project.shell("ls"))
    assert project.git("status", "--porcelain") == ""
    assert project.read(".git/info/exclude").count("/.hookrun/audit.jsonl\n") == 1


def test_a_log_that_git_ignores_already_is_not_excluded_again(project: Project) -> None:
    project.git("init", "-q")
    project.write(".gitignore", ".hookrun/\n")
    logged(project, project.shell("ls"))
    assert "audit" not in project.read(".git/info/exclude")


def test_the_log_of_a_worktree_stays_out_of_git(project: Project) -> None:
    project.git("init", "-q")
    project.git("commit", "-q", "--allow-empty", "-m", "first")
    project.git("worktree", "add", "-q", "../tree")
    tree = os.path.join(os.path.dirname(project.folder), "tree")
    project.run("audit-log.py", {**project.shell("ls"), "cwd": tree, "project_dir": tree})
    assert os.path.exists(os.path.join(tree, LOG))
    assert project.git("-C", tree, "status", "--porcelain") == ""


def test_a_link_that_the_project_planted_is_not_followed(project: Project) -> None:
    target = os.path.join(project.home, "target")
    with open(target, "w", encoding="utf-8") as file:
        file.write("mine\n")
    os.mkdir(project.path(".hookrun"))
    os.symlink(target, project.path(LOG))
    result = project.run("audit-log.py", project.shell("ls"))
    assert result.returncode == 1
    assert result.stderr.startswith("cannot write ")
    with open(target, encoding="utf-8") as file:
        assert file.read() == "mine\n"


def test_a_fifo_is_refused_and_not_waited_for(project: Project) -> None:
    os.mkdir(project.path(".hookrun"))
    os.mkfifo(project.path(LOG))
    assert project.run("audit-log.py", project.shell("ls")).returncode == 1


def test_lines_of_many_writers_stay_whole(project: Project) -> None:
    payload = json.dumps(project.shell("echo " + "x" * 1500))
    writers = [
        subprocess.Popen([sys.executable, SCRIPT], stdin=subprocess.PIPE, env=project.environ, text=True)
        for _ in range(12)
    ]
    for writer in writers:
        writer.communicate(payload, timeout=60)
    lines = project.read(LOG).splitlines()
    assert len(lines) == 12
    assert all(json.loads(line)["command"].endswith("x") for line in lines)
