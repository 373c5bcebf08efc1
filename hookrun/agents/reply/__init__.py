"""What agents can be told and how: one file an agent, imported only where one is answered (a bridge)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookrun.agents.reply.encodings import ReplyTable


def reply_table(agent: str) -> ReplyTable:
    """Return what the agent of this name, one of the dialects, can be told."""
    from importlib import import_module

    table: ReplyTable = import_module(f"hookrun.agents.{agent}.protocol").REPLIES
    return table
