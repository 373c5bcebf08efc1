"""What handlers may return, and reading it: a mapping or one of these values, nothing else."""

from __future__ import annotations

from hookrun.model.events import folded
from hookrun.model.frozen import Frozen
from hookrun.model.values import Verdict
from hookrun.modules.own_values import own, own_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class ToolCallResult(Frozen):
    """Of a tool_call: whether the tool is blocked, and why."""

    block: bool = False
    reason: str = ""


class ToolResultOverride(Frozen):
    """Of a tool_result: what replaces content and details; None keeps them. ``is_error`` is not applied."""

    content: Any = None
    details: Any = None
    is_error: bool | None = None


class ContextResult(Frozen):
    """Of a context event: the messages that the model and the next handler get; None keeps them."""

    messages: Any = None


class CompactionResult(Frozen):
    """A compaction that a handler has made itself: the ``compaction`` of a result of session_before_compact.

    ``first_kept_entry_id`` is the first entry that stays, ``tokens_before`` how many tokens there were.
    """

    summary: str
    first_kept_entry_id: str = ""
    tokens_before: int = 0
    details: Any = None


class BeforeAgentStartResult(Frozen):
    """Of before_agent_start: a message {custom_type, content, display, details} to put before the prompt."""

    message: Any = None


class SessionBeforeResult(Frozen):
    """Of session_before_*: ``cancel`` stops it; branch: skip_conversation_restore; compact: compaction;
    tree: summary {summary, details}."""

    cancel: bool = False
    skip_conversation_restore: bool = False
    compaction: Any = None
    summary: Any = None


class CompactingResult(Frozen):
    """Of session.compacting: context (texts), prompt, preserve_data (a mapping)."""

    context: Any = None
    prompt: str | None = None
    preserve_data: Any = None


class HookResult(Frozen):
    """Of an SDK handler: ``decision`` is allow, deny, ask, defer; ``data`` is merged into the decision's."""

    decision: str
    message: str = ""
    data: Mapping[str, Any] | None = None

    @property
    def verdict(self) -> Verdict:
        """The decision as a verdict. Raises ValueError for any other word."""
        word = str(self.decision).upper()
        if word not in ("ALLOW", "DENY", "ASK", "DEFER"):
            raise ValueError(f"unknown decision {self.decision!r}: allow, deny, ask, defer")
        return Verdict[word]


RESULT_CLASSES: dict[str, type[Frozen]] = {
    "tool_call": ToolCallResult,
    "tool_result": ToolResultOverride,
    "context": ContextResult,
    "before_agent_start": BeforeAgentStartResult,
    "session_before_switch": SessionBeforeResult,
    "session_before_branch": SessionBeforeResult,
    "session_before_compact": SessionBeforeResult,
    "session_before_tree": SessionBeforeResult,
    "session.compacting": CompactingResult,
}


_LISTS = ("content", "messages", "context")


def read_result(name: str, returned: Any) -> dict[str, Any] | HookResult | None:
    """Return what a handler of the module event *name* returned, as a mapping of what it set. It is a copy:
    what the handler does to it later has no part in the decision.

    None is no opinion, also for events that have no result. Raises TypeError or ValueError for what
    is invalid: another type, an unknown key, an unknown decision.
    """
    if isinstance(returned, dict) and "decision" in returned:
        returned = HookResult(**returned)
    if isinstance(returned, HookResult):
        _require_meant(returned)
        return returned if returned.data is None else own_fields(returned)
    kind = RESULT_CLASSES.get(name)
    if returned is None or kind is None:
        return None
    if isinstance(returned, kind):
        defaults = kind._defaults
        returned = {field: value for field, value in returned.as_dict().items() if value != defaults[field]}
    if not isinstance(returned, dict):
        raise TypeError(f"a handler of {name} must return a mapping or {kind.__name__}, not {type(returned).__name__}")
    said = _own({_own_key(kind, key): _plain(value) for key, value in returned.items()})
    _require_known(name, kind, said)
    if name == "before_agent_start" and "message" in said:
        said["message"] = with_custom_type(said["message"])
    return said


def with_custom_type(message: Any) -> Any:
    """Return a custom message with its type under our key, customType being the module system's."""
    if not isinstance(message, dict) or "customType" not in message or "custom_type" in message:
        return message
    return {"custom_type" if key == "customType" else key: value for key, value in message.items()}


def _plain(value: Any) -> Any:
    """Return a value of ours, such as a CompactionResult, as a mapping."""
    return value.as_dict() if isinstance(value, Frozen) else value


def _own_key(kind: type[Frozen], key: Any) -> Any:
    """Return the key of a result in our spelling; isError is is_error."""
    if key in kind._names or not isinstance(key, str):
        return key
    spelled = folded(key)
    return next((field for field in kind._fields if folded(field) == spelled), key)


def _own(returned: dict[str, Any]) -> dict[str, Any]:
    try:
        return {key: own(value) for key, value in returned.items()}
    except RecursionError:  # it leads back to itself: whoever hands it on says so
        return dict(returned)


def _require_meant(result: HookResult) -> None:
    """Raise ValueError for an unknown decision and TypeError for a wrong type."""
    result.verdict  # noqa: B018 - raises
    if not isinstance(result.message, str):
        raise TypeError(f"the message of a HookResult must be text, not {type(result.message).__name__}")
    if result.data is not None and not isinstance(result.data, dict):
        raise TypeError(f"the data of a HookResult must be a mapping, not {type(result.data).__name__}")


def _require_known(name: str, kind: type[Frozen], returned: dict[Any, Any]) -> None:
    for key, value in returned.items():
        if key not in kind._names:
            from hookrun.model.text import nearest

            near = nearest(str(key), kind._fields)
            meant = f": did you mean {near}?" if near else ""
            raise ValueError(f"unknown key {str(key)!r} in a {name} result{meant}")
        if key in _LISTS and not isinstance(value, list | tuple | None):
            raise TypeError(f"{key} of a {name} result must be a list, not {type(value).__name__}")
