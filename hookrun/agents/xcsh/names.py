"""xcsh and pi, from which the hook modules come. Events and calls of bash, write, edit and read are measured
(pi 0.73.1, omp 18.2.3), the rest is read."""

from __future__ import annotations

from hookrun.agents.shape import Dialect, Place

DIALECT = Dialect(
    name="xcsh",
    tools={
        "shell": ("bash",),
        "edit": ("edit",),
        "write": ("write",),
        "read": ("read",),
        "grep": ("grep",),
        "glob": ("find",),
        "list": ("ls",),
    },
    events={
        "PreToolUse": ("tool_call",),
        "PostToolUse": ("tool_result",),
        "PostToolUseFailure": ("tool_result",),
        "UserPromptSubmit": ("before_agent_start",),
        "AgentStop": ("agent_end",),
        "SessionStart": ("session_start",),
        "SessionEnd": ("session_shutdown",),
        "PreCompact": ("session_before_compact",),
        "PostCompact": ("session_compact",),
        "session_before_switch": ("session_before_switch",),
        "session_before_branch": ("session_before_branch",),
        "session_before_tree": ("session_before_tree",),
        "session.compacting": ("session.compacting",),
        "context": ("context",),
    },
    input_keys={"path": "path", "old": "old_string", "new": "new_string", "content": "content"},
    payload_keys={  # pi and omp say `type`; modules that ask for themselves say `event`
        "event": ("type", "event", "hook_event_name"),
        "tool_name": ("toolName", "tool_name"),
        "tool_input": ("input", "tool_input"),
        "session_id": ("sessionId", "session_id"),
        "cwd": ("cwd",),
        "prompt": ("prompt",),
        "project_dir": ("project_dir", "projectDir"),
    },
    place=Place(
        source="xcsh",
        order=85,
        dialect="xcsh",
        project=".xcsh",
        user=(".xcsh", ".xcsh/agent"),
        scripts="hooks",
        modules="hooks",
        has_python=False,
    ),
)
