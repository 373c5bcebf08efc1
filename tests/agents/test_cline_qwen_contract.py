"""What Cline and Qwen Code do with the hooks of their own settings, where that was read or measured."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from agent_settings import command, group, write
from command import CHECKOUT
from firing import DENIED_BY_GUARD, ruling

from hookrun.agents import dialect_named
from hookrun.agents.own_payload import own_payload
from hookrun.events.event import event_from_payload
from hookrun.events.payload_fields import own_fields

if TYPE_CHECKING:
    from collections.abc import Callable

    from command import Ended, Project

    from hookrun.agents.shape import Dialect
    from hookrun.model.values import Event, Problem

CANCEL = json.dumps({"cancel": True, "errorMessage": "no"})


def before(cli: Callable[..., Ended], tool: str, agent: str) -> Ended:
    given = json.dumps({"command": "ls", "file_path": "a", "path": "a"})
    return cli("emit", "pre", "--tool", tool, "--input", given, "--dialect", agent, "--format", "json")


@pytest.mark.parametrize("folder", [".clinerules/hooks", ".cline/hooks"])
@pytest.mark.parametrize(
    "output",
    [CANCEL, f"a line\n{CANCEL}", f"{CANCEL}\nmore", json.dumps(json.loads(CANCEL), indent=2), f"{{}}\n{CANCEL}"],
)
def test_the_last_object_of_a_cline_hook_is_its_answer(
    cli: Callable[..., Ended], project: Project, folder: str, output: str
):
    project.script(f"{folder}/PreToolUse", f"#!/bin/sh\ncat <<'E'\n{output}\nE\n")
    assert ruling(before(cli, "execute_command", "cline")) == DENIED_BY_GUARD


def test_what_a_cline_hook_says_before_its_last_object_is_no_answer(cli: Callable[..., Ended], project: Project):
    text = f"#!/bin/sh\necho '{CANCEL}'\necho '{{}}'\n"
    project.script(".clinerules/hooks/PreToolUse", text)
    assert before(cli, "execute_command", "cline").document["decision"] is None
    shown = cli("explain", "pre", "--tool", "execute_command", "--as", "cline").stdout
    assert "VS Code takes the last object" in shown


def test_a_cline_hook_that_is_not_executable_denies(cli: Callable[..., Ended], project: Project):
    project.script(".clinerules/hooks/PreToolUse", f"#!/bin/sh\necho '{CANCEL}'\n", mode=0o644)
    assert ruling(before(cli, "execute_command", "cline")) == DENIED_BY_GUARD
    shown = cli("explain", "pre", "--tool", "execute_command", "--as", "cline").stdout
    assert "one that is not executable runs in the CLI" in " ".join(shown.split())


def clines_recorded() -> list[dict[str, Any]]:
    text = (CHECKOUT / "tests/payloads/cline/3.0.65.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def as_the_bridge_reads_it(payload: dict[str, Any], cline: Dialect) -> tuple[Event, tuple[Problem, ...]]:
    name = {"agent_start": "TaskStart"}.get(payload["hookName"], payload["hookName"])
    return event_from_payload(own_fields(payload | {"hookName": name}, cline), dialect=cline)


def test_what_clines_command_line_sends_is_read_and_written_again():
    cline = dialect_named("cline")
    assert cline is not None
    for payload in clines_recorded():
        event, problems = as_the_bridge_reads_it(payload, cline)
        assert (problems, event.session_id) == ((), payload["taskId"])
        assert event.project_dir == payload["workspaceRoots"][0]
        call = payload.get("tool_call", payload.get("tool_result", {}))
        assert (event.tool_name, event.tool_input) == (call.get("name", ""), call.get("input"))
        written = own_payload(event, cline, payload["hookName"])
        key = next(key for key in ("preToolUse", "postToolUse", "taskStart", "taskComplete") if key in payload)
        assert payload.keys() - {"turn", "iteration"} <= written.keys()
        for name in ("toolName", "parameters"):
            assert written[key].get(name) == payload[key].get(name), (name, payload)
        again, _ = as_the_bridge_reads_it(json.loads(json.dumps(written)), cline)
        assert (again.event, again.tool_name, again.tool_input) == (event.event, event.tool_name, event.tool_input)


def test_a_bridge_denies_what_clines_command_line_asks_for(cli: Callable[..., Ended], project: Project):
    project.script(".hookrun/hooks/pre/bash.sh", "#!/bin/sh\necho no >&2; exit 2\n")
    cli("trust", "--yes")
    for payload in clines_recorded():
        ended = cli("bridge", "cline", input=json.dumps(payload | {"workspaceRoots": [str(project.path)]}))
        is_denied = payload["hookName"] == "tool_call" and payload["tool_call"]["name"] == "run_commands"
        assert json.loads(ended.stdout)["cancel"] == is_denied, payload


def test_cline_is_found_by_its_newer_folder(cli: Callable[..., Ended], project: Project):
    (project.path / ".cline").mkdir()
    assert ".clinerules/hooks" in cli("install", "--dry-run").stdout


@pytest.mark.parametrize("event", ["PostToolBatch", "InstructionsLoaded", "Notification", "MessageDisplay"])
def test_an_event_of_qwen_that_hookrun_does_not_fire_is_known(cli: Callable[..., Ended], project: Project, event: str):
    write(project, ".qwen/settings.json", {"hooks": {event: [group("true")]}})
    checked = cli("validate")
    assert (checked.code, "unknown event" in checked.stdout + checked.stderr) == (0, False)


@pytest.mark.parametrize("name", ["TaskCancel", "TaskError", "Notification"])
def test_an_event_of_cline_alone_is_no_mistake(cli: Callable[..., Ended], project: Project, name: str):
    project.script(f".clinerules/hooks/{name}", "#!/bin/sh\n")
    listed = cli("list")
    assert "for an event of Cline alone" in listed.stdout
    assert listed.stderr == ""


@pytest.mark.parametrize("tool", ["attempt_completion", "ask_followup_question", "plan_mode_respond"])
def test_clines_own_tools_are_known(cli: Callable[..., Ended], tool: str):
    assert "no agent has a tool" not in before(cli, tool, "cline").stderr
    assert "no agent has a tool" in before(cli, f"{tool}_x", "cline").stdout


@pytest.mark.parametrize(
    ("matcher", "tool"),
    [
        ("Shell", "run_shell_command"),
        ("ShellTool", "run_shell_command"),
        ("Bash", "run_shell_command"),
        ("WriteFile", "write_file"),
        ("Write|Edit", "write_file"),
        ("Write|Edit", "edit"),
        ("Read", "read_file"),
        ("ReadFile", "read_file"),
        ("run_shell_command", "run_shell_command"),
    ],
)
def test_qwen_matches_a_tool_by_all_of_its_names(cli: Callable[..., Ended], project: Project, matcher: str, tool: str):
    handler = command("echo no >&2; exit 2", timeout=10)
    write(project, ".qwen/settings.json", {"hooks": {"PreToolUse": [group(handler, matcher=matcher)]}})
    assert ruling(before(cli, tool, "qwen")) == DENIED_BY_GUARD
    assert before(cli, "glob", "qwen").document["decision"] is None
    checked = cli("validate")
    assert (checked.code, "matches no tool" in checked.stdout + checked.stderr) == (0, False)
