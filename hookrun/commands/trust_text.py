"""What is about to be trusted, as a person reads it: where it is, when it runs, what changed."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator
from typing import Any

from hookrun.commands.trust import CHANGED, NEW, Candidate, Gone
from hookrun.model.text import MASK, without_secrets
from hookrun.model.values import Hook
from hookrun.trust.entries import is_entry

_MOST_FILES = 12  # that are named without --show
_SHORT = 60  # lines of all files of a hook that are shown before a question


def candidate_lines(candidate: Candidate, text_of: Callable[[str], bytes | None], *, with_text: bool) -> Iterator[str]:
    """Yield the lines that tell what *candidate* is: the file, its events and command, and the text of every
    file with *with_text*, else the difference to what *text_of* gives of what was trusted last."""
    yield f"{candidate.name}  {candidate.state}{f': {candidate.flaw}' if candidate.flaw else ''}"
    yield from (f"  {line}" for line in dict.fromkeys(_hook_lines(candidate)))
    names = list(candidate.unit.digests)
    if len(names) > 1:
        more = f" and {len(names) - _MOST_FILES} more" if len(names) > _MOST_FILES and not with_text else ""
        shown = names if with_text else names[:_MOST_FILES]
        yield f"  with {', '.join(name for name in shown if name != candidate.name)}{more}"
    if candidate.state == CHANGED:
        yield from _differences(candidate, text_of)
    if with_text or (candidate.state == NEW and not candidate.unit.hooks):
        for name in names:
            yield from _text_lines(name, candidate)


def is_short(candidate: Candidate) -> bool:
    """Say whether all texts of a new *candidate* can be shown without being asked for."""
    texts = [candidate.texts.get(name) for name in candidate.unit.digests]
    return candidate.state == NEW and sum(_SHORT if text is None else len(_lines(text)) for text in texts) < _SHORT


def gone_lines(gone: Gone) -> Iterator[str]:
    """Yield the lines that tell what *gone* was: its name, and what it guarded."""
    yield f"{gone.name}  gone"
    for hook in gone.hooks:
        yield f"  {hook.role}  {_events_of(hook)}"


def gone_document(gone: Gone, *, is_forgotten: bool) -> dict[str, Any]:
    """Return *gone* in the form of `candidate_document`."""
    state = "forgotten" if is_forgotten else "gone"
    hooks = [_hook_document(hook) for hook in gone.hooks]
    return {"name": gone.name, "state": state, "flaw": "", "files": {}, "hooks": hooks}


def candidate_document(candidate: Candidate, *, is_trusted: bool) -> dict[str, Any]:
    """Return *candidate* as a JSON-ready mapping; *is_trusted* says that it was trusted just now."""
    return {
        "name": candidate.name,
        "state": "trusted" if is_trusted else candidate.state,
        "flaw": candidate.flaw,
        "files": dict(candidate.unit.digests),
        "hooks": [_hook_document(hook) for hook in candidate.unit.hooks],
    }


def _hook_document(hook: Hook) -> dict[str, Any]:
    return {
        "id": hook.id,
        "title": hook.title,
        "role": hook.role,
        "events": [[trigger.event, trigger.matcher] for trigger in hook.triggers],
        "command": command_of(hook),
    }


def command_of(hook: Hook) -> str:
    """Return the words that start *hook*, quoted as a shell would take them; of an agent's settings the
    command or the address as it is written there."""
    handler = _handler(hook)
    if handler and "args" not in handler:
        return without_secrets(hook.program.words[-1] if hook.program.words else str(handler.get("url", "")))
    return without_secrets(shlex.join(hook.program.words))


def _handler(hook: Hook) -> dict[str, Any]:
    found = json.loads(hook.entry)["handler"] if is_entry(hook) else {}
    return found if isinstance(found, dict) else {}


def _hook_lines(candidate: Candidate) -> Iterator[str]:
    for hook in candidate.unit.hooks:
        about = _events_of(hook) or hook.command or (f"widget {hook.widget.id}" if hook.widget else "")
        condition = _handler(hook).get("if")
        about += f" if {condition}" if condition else ""
        what = "asks" if hook.runtime == "http" else "runs"
        text = command_of(hook)
        command = f"  {what} {text}" if text else ""
        if MASK in text:
            command += f"  ({MASK} is not shown here, as it looks like a key: --show has it)"
        yield f"{hook.role}  {about}{command}{f'  ({hook.flaw})' if hook.flaw else ''}"
    if not candidate.unit.hooks:
        yield "configuration that loosens guards"


def _events_of(hook: Hook) -> str:
    return ", ".join(
        f"{trigger.event} {trigger.matcher}".strip().replace("* ", "every event ") for trigger in hook.triggers
    )


def _differences(candidate: Candidate, text_of: Callable[[str], bytes | None]) -> Iterator[str]:
    import difflib

    digests = candidate.unit.digests
    if candidate.last == dict(digests):
        yield "  its files are the same; which hook uses which of them was not on record, or is new"
    for name in dict.fromkeys((*candidate.last, *digests)):
        before, now = candidate.last.get(name), digests.get(name)
        if before == now:
            continue
        old = text_of(before) if before else b""
        new = candidate.texts.get(name) if now else b""
        if old is None or new is None:
            yield f"  {name} differs, too large to show"
            continue
        difference = list(difflib.unified_diff(_lines(old), _lines(new), f"trusted/{name}", f"now/{name}", lineterm=""))
        yield from (f"  {line}" for line in difference)
        if not difference:
            yield f"  {name} differs in what is not shown here"


def _text_lines(name: str, candidate: Candidate) -> Iterator[str]:
    yield f"  {name}:"
    text = candidate.texts.get(name)
    lines = ["(too large to show)"] if text is None else _lines(text)
    if name == candidate.name and any(map(is_entry, candidate.unit.hooks)):
        entry = json.dumps(json.loads(text or b"null"), indent=2, ensure_ascii=False)
        lines = [without_secrets(line) for line in entry.splitlines()]
    yield from (f"    {line}" for line in lines)


def _lines(text: bytes) -> list[str]:
    """Return the lines of *text* as interpreters have them: a form feed or U+2028 parts none, and what comes
    after it may still be a comment."""
    try:
        decoded = text.decode()
    except UnicodeDecodeError:
        if b"\0" in text:
            return ["(not text)"]
        decoded = text.decode("utf-8", "backslashreplace")
    return decoded.removesuffix("\n").split("\n") if decoded else []
