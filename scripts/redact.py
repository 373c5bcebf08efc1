"""Take keys, tokens and passwords out of what tools return, before a model sees it. A hook module."""

from __future__ import annotations

import json

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
    """Return *value* with the secrets in its texts and in names of keys replaced, however deep."""
    if isinstance(value, str):
        return _redacted_text(value)
    if isinstance(value, dict):
        return _redacted_object(value)
    if isinstance(value, (list, tuple)):
        return [_without_secrets(item) for item in value]
    return value


def _redacted_object(value: dict[Any, Any]) -> dict[Any, Any]:
    """Return *value* redacted. Keys that come out the same are numbered, so that no item is lost."""
    found: dict[Any, Any] = {}
    for key, item in value.items():
        name = shown = redacted(key) if isinstance(key, str) else key
        number = 1
        while name in found or (name != key and name in value):
            number += 1
            name = f"{shown} {number}"
        found[name] = _without_secrets(item)
    return found


def _redacted_text(text: str) -> str:
    """Return *text* redacted, also where it is JSON, whose escapes hide secrets: then it is written anew."""
    shown = redacted(text)
    if not shown.lstrip().startswith(("{", "[", '"')):
        return shown
    try:
        parsed = json.loads(shown)
        cleaned = _without_secrets(parsed)
        return shown if cleaned == parsed else redacted(json.dumps(cleaned, ensure_ascii=False))
    except (ValueError, RecursionError):
        return shown


def redacted(text: str) -> str:
    """Return *text* with `[REDACTED kind]` in place of each secret; of overlapping ones the first counts."""
    parts = []
    position = 0
    for start, end, kind in sorted((start, -end, kind) for kind, start, end in secrets(text)):
        if start >= position:
            parts += [text[position:start], f"[REDACTED {kind}]"]
        position = max(position, -end)
    return "".join(parts) + text[position:]
