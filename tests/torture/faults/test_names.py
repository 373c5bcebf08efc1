"""Guards of MCP tools and of files, asked by agents that spell these in another way."""

from __future__ import annotations

import json

import pytest
from firing import ALLOWED_BY_SILENCE, DENIED_BY_GUARD, guard_text, ruling

GITHUB = "mcp__github__create_issue"
NO = guard_text("echo no >&2", "exit 2")


def fire(cli, dialect, tool, tool_input):
    given = json.dumps(tool_input)
    return cli("emit", "PreToolUse", "--dialect", dialect, "--tool", tool, "--input", given, "--format", "json")


@pytest.mark.parametrize("form", ["script", "exact", "glob"])
@pytest.mark.parametrize(
    ("agent", "tool", "other"),
    [
        ("claude", GITHUB, "mcp__github__delete"),
        ("gemini", "mcp_github_create_issue", "mcp_github_delete"),
        ("cursor", "MCP:create_issue", "MCP:delete"),
    ],
)
def test_a_guard_of_an_mcp_tool_is_asked_whatever_the_agent_calls_it(cli, project, form, agent, tool, other):
    if form == "script":
        project.script(f".claude/hooks/pre/{GITHUB}.sh", NO)
    else:
        matcher = GITHUB if form == "exact" else "mcp__git*__create_issue"
        project.manifest("guard", script=NO, hooks=[{"event": "PreToolUse", "matcher": matcher}])
    assert ruling(fire(cli, agent, tool, {})) == DENIED_BY_GUARD
    assert ruling(fire(cli, agent, other, {})) == ALLOWED_BY_SILENCE


def test_a_planted_path_is_not_the_one_that_a_guard_sees(cli, project):
    lines = ("import json, sys", "path = json.load(sys.stdin)['tool_input']['path']", "sys.exit(2 * ('.env' in path))")
    guard = "\n".join(("#!/usr/bin/env python3", *lines))
    manifest = project.manifest("guard", script="", hooks=[{"event": "PreToolUse", "matcher": "FileCreate"}])
    manifest.write_text(manifest.read_text().replace("sh hook.sh", "python3 guard.py"))
    (manifest.parent / "guard.py").write_text(guard)
    planted = {"file_path": ".env", "path": "README", "content": ""}
    assert ruling(fire(cli, "claude", "Write", planted)) == DENIED_BY_GUARD
    assert ruling(fire(cli, "claude", "Write", planted | {"file_path": "README"})) == ALLOWED_BY_SILENCE
