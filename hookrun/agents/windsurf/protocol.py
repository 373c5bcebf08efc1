"""Windsurf, read and not measured. It knows one answer: exit code 2, with the reason on stderr."""

from __future__ import annotations

from hookrun.agents.reply.encodings import ReplyTable, Way, Ways

_GUARDED = Ways(deny=Way(by_exit_code=True))

REPLIES = ReplyTable(
    name="windsurf",
    title="Windsurf",
    ways={"PreToolUse": _GUARDED, "UserPromptSubmit": _GUARDED},
    seconds=60.0,
)
