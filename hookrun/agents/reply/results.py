"""What a module's handler returned, as an agent takes it: a changed result of a tool, or fields. Pure.

A handler sees the result of a tool as parts of text. An agent that takes a changed one wants it in the shape
in which it original it, so that the text is laid over that: no string stays that the handler did not leave in it.
"""

from __future__ import annotations

import json
import re

from hookrun.agents.payload import json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.model.values import Event

# Where tools keep what the model reads, the likeliest first.
_TEXT_KEYS = ("llmContent", "textResultForLlm", "stdout", "text", "content", "output", "result", "message")
# Strings that say what a value is, not what a tool has found.
_FORM_KEYS = ("type", "mimeType", "resultType", "media_type")
# What is compared of two versions of a string.
_WORD = re.compile(r"\w+")
# A key that is the name of a field. Any other is data: a path, an id, a secret.
_FIELD_NAME = re.compile("[A-Za-z_]+")
_SPELLED = ("content", "message", "compaction", "summary")  # their keys are the module system's, too


class Changed:
    """The result of the tool of *event* as what a handler *returned* changes it; false where it does not.

    ``response`` is what the agent original, changed, and ``text`` what the model is to read of it; both are None
    where the change fits into nothing that the agent original.
    """

    def __init__(self, event: Event, returned: Mapping[str, Any]) -> None:
        before = _text_before(event)
        content = returned.get("content")
        details = returned.get("details")
        original: Any = before if event.tool_response is None else event.tool_response
        self.response: Any = original
        self.text: str | None = before
        self._has_changed = False
        if details is not None and details != original:
            is_alike = _is_alike(details, original)
            self._take(details if is_alike else None, _text_in(details) if is_alike else None)
        if content is not None and _text_of(content) != before:
            self._lay(_text_of(content), content, event, original)

    def __bool__(self) -> bool:
        return self._has_changed

    def _take(self, response: Any, text: str | None) -> None:
        self._has_changed = True
        self.response = response
        self.text = text

    def _lay(self, text: str, content: Any, event: Event, original: Any) -> None:
        """Take the changed *text*. Where details have changed as well, what either has changed counts."""
        is_plain = bool(event.tool_error) or isinstance(original, str)
        parsed = None if is_plain else _parsed(text)
        is_parsed = parsed is not None and _is_alike(parsed, original)
        if self._has_changed and self.response is not None and not is_parsed:
            # All in the form that the handler has seen: words at the start of a line follow an n there.
            cleaned, seen = (_seen(value) for value in (self.response, original))
            whole, text = text, _merged(text, cleaned, seen)
            if text == cleaned:
                return
            content = content if text == whole else _with_text(content, text)
        if is_plain:
            self._take(text if isinstance(original, str) else _laid(original, text, event), text)
        elif is_parsed:
            response = parsed if self.response is None else _either(self.response, parsed, original)
            self._take(response, _text_in(response))
        elif _is_parts(original):
            self._take(list(content), text)
        else:
            self._take(_laid(original, text, event), text)


def spelled(name: str, returned: Mapping[str, Any]) -> Any:
    """Return what a handler *returned* as *name*, a key of TypeScript; None for nothing. The keys in what the
    module system defines are in that spelling as well, all others as they are."""
    value = next((value for key, value in returned.items() if camel_case(key) == name), None)
    return _with_camel_case(value) if name in _SPELLED else value


def camel_case(key: str) -> str:
    """Return *key* in the spelling of TypeScript: is_error is isError."""
    first, *others = key.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in others)


def message_text(message: Any) -> str:
    """Return the text of a message {custom_type, content, ...} of a module; "" for none."""
    if not isinstance(message, dict):
        return message if isinstance(message, str) else ""
    return _text_of(message.get("content"))


def _with_camel_case(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_with_camel_case(item) for item in value]
    if isinstance(value, dict):
        return {camel_case(key): item for key, item in value.items()}
    return value


def _text_before(event: Event) -> str:
    """Return the text that handlers have seen (modules/views.py)."""
    if isinstance(event.fields.get("content"), list | tuple):
        return _text_of(event.fields["content"])
    if event.event == "PostToolUseFailure":
        return event.tool_error
    return event.whole_output or event.tool_output


def _text_of(parts: Any) -> str:
    if isinstance(parts, str):
        return parts
    if not isinstance(parts, list | tuple):
        return ""
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str))


def _seen(response: Any) -> str:
    return response if isinstance(response, str) else json_text(response, ascii_only=False)


def _text_in(response: Any) -> str:
    """Return what a model reads of a whole result."""
    if isinstance(response, str):
        return response
    if isinstance(response, dict):
        for key in ("llmContent", "textResultForLlm"):
            if key in response:
                return _text_in(response[key])
    return _text_of(response) if _is_parts(response) else json_text(response, ascii_only=False)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_parts(value: Any) -> bool:
    """Say whether *value* is a list of content parts, as tools of MCP servers return it."""
    return isinstance(value, list) and bool(value) and all(isinstance(x, dict) and "type" in x for x in value)


def _is_alike(value: Any, other: Any) -> bool:
    """Say whether *value* has the shape of *other*: the same keys, and lists as long, all the way down. A key
    that is data, not the name of a field, may be another in the same place."""
    if isinstance(other, dict):
        if not isinstance(value, dict) or len(value) != len(other):
            return False
        if value.keys() == other.keys():
            return all(_is_alike(value[key], other[key]) for key in other)
        pairs = zip(value, other, strict=True)
        same = all(key == old or not _FIELD_NAME.fullmatch(str(old)) for key, old in pairs)
        return same and all(map(_is_alike, value.values(), other.values()))
    if isinstance(other, list | tuple):
        same = isinstance(value, list | tuple) and len(value) == len(other)
        return same and all(map(_is_alike, value, other))
    return isinstance(value, type(other)) or not isinstance(value, str | dict | list | tuple)


def _either(one: Any, other: Any, original: Any) -> Any:
    """Return *original* with every change that *one* or *other*, which are alike, makes. Of a string that
    both change nothing stays that either has taken out."""
    if isinstance(original, dict):
        one, other = (_in_order(value, original) for value in (one, other))
        return {
            _either(*keys): _either(one[keys[0]], other[keys[1]], original[keys[2]])
            for keys in zip(one, other, original, strict=True)
        }
    if isinstance(original, list | tuple):
        return [_either(*three) for three in zip(one, other, original, strict=True)]
    if one != original and other != original and all(isinstance(value, str) for value in (one, other, original)):
        return _merged(one, other, original)
    return one if one != original else other


def _in_order(value: dict[str, Any], original: dict[str, Any]) -> dict[str, Any]:
    return {key: value[key] for key in original} if value.keys() == original.keys() else value


def _merged(one: str, other: str, original: str) -> str:
    """Return *one* or *other*, both changed from *original*: the first that shows no word the other took out.

    A handler finds more in one form than in the other: escapes of JSON hide where a word begins, and only the
    whole text says what key a value has. Where each has found something else, *one* loses those words.
    """
    if not _leaked(one, other, original):
        return one
    if not _leaked(other, one, original):
        return other
    leaked = _leaked(one, other, original)
    return _WORD.sub(lambda word: "" if word[0] in leaked else word[0], one)


def _leaked(text: str, cleaned: str, original: str) -> set[str]:
    """Return the words of *text* that are words of *original*, or parts of them, and are not in *cleaned*."""
    shown = set(_WORD.findall(cleaned))
    taken = set(_WORD.findall(original)) - shown
    joined = " ".join(taken)
    return {word for word in set(_WORD.findall(text)) - shown if word in taken or word in joined}


def _with_text(parts: Any, text: str) -> list[Any]:
    """Return *parts* of content with *text* in the place of all their texts."""
    others = [part for part in parts if isinstance(part, dict) and "text" not in part]
    return [{"type": "text", "text": text}, *others]


def _laid(original: Any, text: str, event: Event) -> Any:
    """Return *original* with *text* in the place of what it says: in the string that the model is likeliest to
    read. Any other string stays as far as it is in *text*, in the tool's input, or a word of its form."""
    places = list(_strings(original, ()))
    if not places:
        return None
    main = min(places, key=_rank)[0]
    known = f"{text}\n{json_text(event.tool_input, ascii_only=False)}"

    def replaced(value: Any, place: tuple[Any, ...]) -> Any:
        if isinstance(value, dict):
            shown = [_shown_key(key, index, known) for index, key in enumerate(value)]
            items = (replaced(item, (*place, key)) for key, item in value.items())
            return dict(zip(shown, items, strict=True))
        if isinstance(value, list | tuple):
            return [replaced(item, (*place, index)) for index, item in enumerate(value)]
        if place == main:
            return text
        stays = not isinstance(value, str) or place[-1] in _FORM_KEYS or value in known
        return value if stays else ""

    return replaced(original, ())


def _shown_key(key: Any, index: int, known: str) -> Any:
    """Return *key*, or its number where it is data that is not in *known*."""
    stays = not isinstance(key, str) or _FIELD_NAME.fullmatch(key) or key in known
    return key if stays else f"({index + 1})"


def _strings(value: Any, place: tuple[Any, ...]) -> list[tuple[tuple[Any, ...], str]]:
    if isinstance(value, str):
        return [(place, value)]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, item in items for found in _strings(item, (*place, key))]


def _rank(found: tuple[tuple[Any, ...], str]) -> tuple[bool, int, int]:
    place, value = found
    names = [name for name in place if name in _TEXT_KEYS]
    likeliest = _TEXT_KEYS.index(names[0]) if names else len(_TEXT_KEYS)
    return place[-1] in _FORM_KEYS, likeliest, -len(value)
