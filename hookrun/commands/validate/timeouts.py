"""Checks of timeouts that look like another unit: milliseconds given as seconds, and the other way round."""

from __future__ import annotations

from collections.abc import Iterator

from hookrun.commands.validate.finding import ERROR, Finding
from hookrun.commands.validate.subject import Subject
from hookrun.model import constants
from hookrun.sources import fields

_SHORTEST_GUARD = 0.05  # seconds; starting an interpreter alone takes about as long


def check_timeout(subject: Subject) -> Iterator[Finding]:
    """Yield a finding for a timeout that is hardly meant as it is written."""
    said = subject.says.get("timeout")
    if said is None:
        return
    text = str(said.value).strip()
    if isinstance(said.value, str) and _is_number(text):
        hint = f"write {text}ms or {text}s"
        yield subject.finding(f"the timeout {text!r} has no unit", said, hint=hint, level=ERROR)
        return
    seconds = fields.seconds_of(said.value)
    if seconds is None:
        return
    if seconds > fields.LONGEST_TIMEOUT:
        digits = text.removesuffix("s")
        hint = f'write "{digits}ms" if that was meant, else at most "5m"' if _is_number(digits) else 'at most "5m"'
        message = f"the timeout {text} is {seconds:g} seconds, which looks like another unit"
        yield subject.finding(message, said, hint=hint)
    elif seconds < _SHORTEST_GUARD and subject.hook.role == constants.GUARD:
        message = f"the timeout {text} is {seconds * 1000:g} ms: a guard hardly starts in that time, and denies"
        yield subject.finding(message, said, hint='such as "5s"')


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()
