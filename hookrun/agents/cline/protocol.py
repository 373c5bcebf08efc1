"""Cline, measured with 3.0.65 where it says so. It goes by the JSON alone: a hook that only exits with a code
is ignored. A deny before a tool ends the whole run there.
"""

from __future__ import annotations

from hookrun.agents.reply.encodings import TEXT, ReplyTable, Way, Ways

_CANCEL = {"cancel": True, "errorMessage": TEXT}
_DENY = Way(fields=_CANCEL)
_CONTEXT = Way(fields={"cancel": False, "contextModification": TEXT})
_SEEN_CONTEXT = _CONTEXT.replace(is_measured=True)
_TOLD = Ways(context=_CONTEXT)

REPLIES = ReplyTable(
    name="cline",
    title="Cline",
    measured_with=("3.0.65",),
    ways={
        "PreToolUse": Ways(deny=_DENY.replace(is_measured=True), context=_SEEN_CONTEXT),
        "PostToolUse": Ways(context=_SEEN_CONTEXT),
        "PostToolUseFailure": _TOLD,
        "UserPromptSubmit": Ways(deny=_DENY, context=_CONTEXT),
        "SessionStart": _TOLD,
        "PreCompact": Ways(deny=_DENY),
    },
    neutral={"cancel": False},
    refusal=_CANCEL,
    exit_denies=False,
    text_limit=50_000,
    seconds=30.0,
)
