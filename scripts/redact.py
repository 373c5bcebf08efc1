"""Take keys, tokens and passwords out of what tools return, before a model sees it. A hook module."""

from __future__ import annotations

from secret_patterns import secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def hook(api: Any) -> None:
    """Register the handler."""
    api.on("tool_result", redact)


def redact(event: Any, _ctx: Any) -> dict[str, Any] | None:
    """Return content and details without secrets, as far as they held any."""
    content = [_without_secrets(part) for part in event.content]
    details = _without_secrets(event.details)
    found: dict[str, Any] = {}
    if content != list(event.content):
        found["content"] = content
    if details != event.details:
        found["details"] = details
    return found or None


def _without_secrets(value: Any) -> Any:
    """Return *value* with the secrets in its texts replaced, however deep; names of keys stay."""
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, dict):
        return {key: _without_secrets(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_secrets(item) for item in value]
    return value


def redacted(text: str) -> str:
    """Return *text* with `[REDACTED kind]` in place of each secret; of overlapping ones the first counts."""
    parts = []
    position = 0
    for start, end, kind in sorted((start, -end, kind) for kind, start, end in secrets(text)):
        if start >= position:
            parts += [text[position:start], f"[REDACTED {kind}]"]
        position = max(position, -end)
    return "".join(parts) + text[position:]
