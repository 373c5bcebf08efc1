"""What Cline and Qwen Code do with the hooks of their own settings, where that was read or measured."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from agent_settings import command, group, write
from firing import DENIED_BY_GUARD, ruling

if TYPE_CHECKING:
    from collections.abc import Callable

    from command import Ended, Project

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
