"""Codex: Bash, the events and their payload are measured, the other tools read.

A failed command arrives as PostToolUse; edits are patches, whose files are read out of them.
"""

from __future__ import annotations

from hookrun.agents.shape import Dialect

DIALECT = Dialect(
    name="codex",
    tools={"shell": ("Bash",), "edit": ("apply_patch",), "write": ("apply_patch",), "agent": ("spawn_agent",)},
    events={
        "PreToolUse": ("PreToolUse",),
        "PostToolUse": ("PostToolUse",),
        "PostToolUseFailure": ("PostToolUse",),
        "UserPromptSubmit": ("UserPromptSubmit",),
        "AgentStop": ("Stop",),
        "SessionStart": ("SessionStart",),
        "SessionEnd": ("SessionEnd",),
        "SubAgentStart": ("SubagentStart",),
        "SubAgentStop": ("SubagentStop",),
        "PreCompact": ("PreCompact",),
        "PostCompact": ("PostCompact",),
    },
    other_tools=dict.fromkeys(("local_shell", "exec_command", "unified_exec", "write_stdin"), ("shell",)),
    input_keys={},
    mcp=("mcp__", "__"),
    user_settings=(".codex/hooks.json", ".codex/config.toml"),
    project_settings=(".codex/hooks.json", ".codex/config.toml"),
    payload_keys={
        "event": ("hook_event_name",),
        "tool_name": ("tool_name",),
        "tool_input": ("tool_input",),
        "session_id": ("session_id",),
        "cwd": ("cwd",),
        "prompt": ("prompt",),
    },
    variables={"CLAUDE_PLUGIN_ROOT": "plugin"},
)
