"""Cline, read and not measured. It goes by the JSON alone: a hook that only exits with a code is ignored."""

from __future__ import annotations

from hookrun.readers.dialects.replies.ways import TEXT, ReplyTable, Way, Ways

_CANCEL = {"cancel": True, "errorMessage": TEXT}
_DENY = Way(fields=_CANCEL)
_CONTEXT = Way(fields={"cancel": False, "contextModification": TEXT})
_GUARDED = Ways(deny=_DENY, context=_CONTEXT)
_TOLD = Ways(context=_CONTEXT)

REPLIES = ReplyTable(
    name="cline",
    title="Cline",
    ways={
        "PreToolUse": _GUARDED,
        "PostToolUse": _TOLD,
        "PostToolUseFailure": _TOLD,
        "UserPromptSubmit": _GUARDED,
        "SessionStart": _TOLD,
        "PreCompact": Ways(deny=_DENY),
    },
    neutral={"cancel": False},
    refusal=_CANCEL,
    exit_denies=False,
    text_limit=50_000,
    seconds=30.0,
)
