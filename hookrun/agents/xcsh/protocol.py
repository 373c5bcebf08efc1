"""xcsh and pi, read and not measured: what a handler of each event returns (docs/modules.md)."""

from __future__ import annotations

from hookrun.agents.payload import payload_for
from hookrun.agents.reply.encodings import RESULT, TEXT, ReplyTable, Way, Ways
from hookrun.agents.shape import Protocol
from hookrun.agents.xcsh.names import DIALECT
from hookrun.model.values import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_CANCEL = Way(fields={"cancel": True})


def _result(*names: str) -> Way:
    return Way(fields=dict.fromkeys(names, RESULT))


_AFTER = Ways(result=_result("content", "details", "isError"))
_MESSAGE = {"message.customType": "hookrun", "message.content": TEXT, "message.display": True}

_REPLIES = ReplyTable(
    name="xcsh",
    title="xcsh, pi",
    ways={
        "PreToolUse": Ways(deny=Way(fields={"block": True, "reason": TEXT})),
        "PostToolUse": _AFTER,
        "PostToolUseFailure": _AFTER,
        "UserPromptSubmit": Ways(context=Way(fields=_MESSAGE), result=_result("message")),
        "PreCompact": Ways(deny=_CANCEL, result=_result("cancel", "compaction")),
        "session.compacting": Ways(result=_result("context", "prompt", "preserveData")),
        "session_before_switch": Ways(deny=_CANCEL, result=_result("cancel")),
        "session_before_branch": Ways(deny=_CANCEL, result=_result("cancel", "skipConversationRestore")),
        "session_before_tree": Ways(deny=_CANCEL, result=_result("cancel", "summary")),
        "context": Ways(result=_result("messages")),
    },
    seconds=30.0,
)


def _payload(event: Event, _own_event: str) -> dict[str, Any]:
    return payload_for(event, DIALECT)


PROTOCOL = Protocol(replies=_REPLIES, write_payload=_payload)
