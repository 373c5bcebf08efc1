"""xcsh and pi, read and not measured: what a handler of tool_call or session_before_compact returns."""

from __future__ import annotations

from hookrun.readers.dialects.replies.ways import TEXT, ReplyTable, Way, Ways

REPLIES = ReplyTable(
    name="xcsh",
    title="xcsh, pi",
    ways={
        "PreToolUse": Ways(deny=Way(fields={"block": True, "reason": TEXT})),
        "PreCompact": Ways(deny=Way(fields={"cancel": True})),
    },
    seconds=30.0,
)
