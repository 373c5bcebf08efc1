"""Codex: Bash, the events and their payload are measured, the other tools read.

A failed command arrives as PostToolUse; edits are patches, whose files are read out of them.
"""

from __future__ import annotations

from hookrun.agents.shape import EVENT_NAMES, MCP_NAME, PAYLOAD_KEYS, Dialect

DIALECT = Dialect(
    name="codex",
    tools={"shell": ("Bash",), "edit": ("apply_patch",), "write": ("apply_patch",), "agent": ("spawn_agent",)},
    events=EVENT_NAMES | {"PostToolUseFailure": ("PostToolUse",)},
    other_tools=dict.fromkeys(("local_shell", "exec_command", "unified_exec", "write_stdin"), ("shell",)),
    input_keys={},
    mcp=MCP_NAME,
    user_settings=(".codex/hooks.json", ".codex/config.toml"),
    project_settings=(".codex/hooks.json", ".codex/config.toml"),
    payload_keys=PAYLOAD_KEYS,
    variables={"CLAUDE_PLUGIN_ROOT": "plugin"},
)
