"""Cursor, read and not measured. It wants valid JSON always; its events before a tool differ in what they
accept: preToolUse takes an ask and does not heed it, so that there an ask has to be a deny."""

from __future__ import annotations

from hookrun.agents.reply.encodings import INPUT, TEXT, ReplyTable, Way, Ways

_TOLD = {"user_message": TEXT, "agent_message": TEXT}
_USER = Way(fields={"user_message": TEXT})
_ALLOW = Way(fields={"permission": "allow"})
_ASK = Way(fields={"permission": "ask"} | _TOLD)
_DENY = Way(fields={"permission": "deny"} | _TOLD)
_DENY_FILE = Way(fields={"permission": "deny", "user_message": TEXT})
_CONTEXT = Way(fields={"additional_context": TEXT})
_FOLLOW_UP = Ways(deny=Way(fields={"followup_message": TEXT}))
_EXECUTION = Ways(allow=_ALLOW, ask=_ASK, deny=_DENY, user=_USER)
_READING = Ways(allow=_ALLOW, deny=_DENY_FILE, user=_USER)

REPLIES = ReplyTable(
    name="cursor",
    title="Cursor",
    ways={
        "PreToolUse": Ways(
            allow=_ALLOW,
            deny=_DENY,
            rewrite=Way(fields={"permission": "allow", "updated_input": INPUT}),
            user=_USER,
        ),
        "beforeShellExecution": _EXECUTION,
        "beforeMCPExecution": _EXECUTION,
        "beforeReadFile": _READING,
        "beforeTabFileRead": _READING,
        "postToolUse": Ways(context=_CONTEXT),
        "UserPromptSubmit": Ways(
            deny=Way(fields={"continue": False, "user_message": TEXT}), neutral={"continue": True}
        ),
        "AgentStop": _FOLLOW_UP,
        "SubAgentStop": _FOLLOW_UP,
        "SessionStart": Ways(context=_CONTEXT),
        "PreCompact": Ways(user=_USER),
    },
    neutral={},
    refusal={"permission": "deny", "continue": False} | _TOLD,
    exit_denies=False,
)
