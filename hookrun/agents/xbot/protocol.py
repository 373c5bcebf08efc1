"""xbot's command hooks, read and not measured."""

from __future__ import annotations

from hookrun.agents.reply.encodings import INPUT, TEXT, ReplyTable, Way, Ways


def _decision(word: str) -> Way:
    return Way(fields={"decision": word, "reason": TEXT})


_CONTEXT = Way(fields={"context": TEXT})
_TOLD = Ways(context=_CONTEXT)
_GUARDED = Ways(
    allow=_decision("allow"),
    ask=_decision("ask"),
    defer=_decision("defer"),
    deny=_decision("deny"),
    context=_CONTEXT,
)

REPLIES = ReplyTable(
    name="xbot",
    title="xbot",
    ways={
        "PreToolUse": _GUARDED.replace(rewrite=Way(fields={"updatedInput": INPUT})),
        "PostToolUse": _TOLD,
        "PostToolUseFailure": _TOLD,
        "UserPromptSubmit": _GUARDED,
        "AgentStop": Ways(deny=_decision("deny")),
        "SessionStart": _TOLD,
        "SessionEnd": Ways(),
        "SubAgentStart": _TOLD,
        "SubAgentStop": Ways(deny=_decision("deny")),
        "PreCompact": Ways(deny=_decision("deny")),
        "PostCompact": _TOLD,
    },
    seconds=60.0,  # the most that xbot lets a handler have
)
