"""The two streams of a hook that ended with 0, or with 2, become one opinion.

Only a JSON object alone on stdout counts in full. What is found in any other way counts
where it makes the result stricter, and nowhere else.
"""

from __future__ import annotations

from hookrun.answers.hint_text import trimmed
from hookrun.answers.shapes import (
    DECIDING_KEYS,
    KNOWN_KEYS,
    TEXT_KEYS,
    is_foreign_refusal,
    is_meant_as_answer,
    known_part,
    levels,
    read_opinion,
    refusals_in_broken,
)
from hookrun.model.frozen import Frozen
from hookrun.model.json_objects import RepeatingObject, find_documents
from hookrun.model.opinion import Opinion, merged
from hookrun.model.text import nearest
from hookrun.model.values import Problem

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookrun.model.json_objects import FoundObjects
    from hookrun.model.values import Event

_UNKNOWN_KEYS_NAMED = 10
_KEY_LENGTH_SHOWN = 60
_LIKELY_MISSPELLED = 0.8  # similarity at which a key of an object without known keys is worth a word
_CUT = "stdout was cut"
_NOT_UTF_8 = Problem(
    message="its answer is not UTF-8 (it holds NUL): it counts only where it is stricter",
    hint="print UTF-8; in PowerShell, set [Console]::OutputEncoding",
)
_PRINT_IT_ALONE = "print the answer alone on stdout and everything else to stderr"


class OutputReading(Frozen):
    """What the two streams of a hook say."""

    opinion: Opinion
    is_text: bool = False  # stdout is plain text


def read_output(stdout: str, stderr: str, event: Event, *, was_cut: bool = False) -> OutputReading:
    """Return what a hook that ended with 0 said; *stdout* is trimmed, and lacks a part when it *was_cut*."""
    reading = _read_stdout(stdout, event, was_cut)
    return reading.replace(opinion=merged([reading.opinion, _read_stderr(stderr, event)]))


def read_denial(stdout: str) -> Opinion:
    """Return the reason and the messages for the user that a hook printed as JSON before it ended with 2."""
    documents = find_documents(trimmed(stdout)).documents
    return merged([read_opinion(document) for document in documents]).only_if_stricter()


def lost_with_cut(opinion: Opinion) -> Opinion:
    """Return the *opinion* of a guard whose stdout was cut: the missing part may have refused."""
    if opinion.is_strict or any(fault.startswith(_CUT) for fault in opinion.faults):
        return opinion
    return opinion.replace(faults=(*opinion.faults, f"{_CUT}, and the rest of it has no refusal"))


def has_decision(text: str, event: Event) -> bool:
    """Return whether *text* has an object that would decide if its hook could."""
    return any(read_opinion(document).verdict for document in _answers(find_documents(text), event))


def _read_stdout(text: str, event: Event, was_cut: bool) -> OutputReading:
    is_wide = "\0" in text  # every second byte of what is written in UTF-16
    found = find_documents(_without_diff(_narrow(text) if is_wide else text))
    if found.is_alone and not _is_echo(found.documents[0], event) and not was_cut and not is_wide:
        document = found.documents[0]
        return OutputReading(opinion=read_opinion(document).replace(problems=_flaws(document)))
    fault = (_cut_fault(text) if was_cut else found.fault) or _broken_fault(found)
    answers = _answers(found, event)
    opinion = merged([read_opinion(answer) for answer in answers]).only_if_stricter()
    in_a_line = () if fault or _is_json_text(text) else refusals_in_broken(found.noise)
    return OutputReading(
        opinion=opinion.replace(
            faults=(*opinion.faults, *([fault] if fault else [])),
            foreign=(*opinion.foreign, *in_a_line),
            problems=(_NOT_UTF_8 if is_wide else _not_alone(found),) if answers else (),
        ),
        is_text=found.has_noise and not answers,
    )


def _narrow(text: str) -> str:
    """Return UTF-16 or UTF-32 that was read as UTF-8 without NUL and byte order marks. What is not ASCII is
    lost, so that the text counts only where it refuses."""
    return trimmed(text.replace("\0", "").lstrip("\ufffd\ufeff"))


def _cut_fault(text: str) -> str:
    return f"{_CUT} and looks like JSON" if text.startswith(("{", "[")) else ""


def _broken_fault(found: FoundObjects) -> str:
    """Return the fault of broken JSON that may have been a decision, or ""."""
    if not found.broken:
        return ""
    import re

    key = rf"\b({'|'.join(DECIDING_KEYS)})\b[\\'\"]*\s*(?:[:=]|\Z)"
    said = re.search(key, found.broken, re.IGNORECASE)
    return f"stdout has broken JSON with {said[1]} in it" if said else ""


def _is_json_text(text: str) -> bool:
    """Return whether all of it is one JSON string: a text, whatever it quotes."""
    if not text.startswith('"'):
        return False
    import json

    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _without_diff(text: str) -> str:
    """Leave out the lines of a diff that is shown: they are a file's."""
    if not text.startswith("diff|"):
        return text
    lines = text.removeprefix("diff|").split("\n")
    return "diff|" + "\n".join(line for line in lines if not line.startswith(("+", "-", " ", "@")))


def _answers(found: FoundObjects, event: Event, *, with_foreign: bool = True) -> list[Mapping[str, Any]]:
    documents = [
        known_part(document, but=event.fields) if _is_echo(document, event) else document
        for document in found.documents
    ]
    return [document for document in documents if is_meant_as_answer(document, with_foreign=with_foreign)]


def _is_echo(document: Mapping[str, Any], event: Event) -> bool:
    """Return whether *document* is the payload that the hook was given, perhaps with an answer in it."""
    is_payload = "event" in document or "hook_event_name" in document
    return is_payload and bool(event.event_id) and document.get("event_id") == event.event_id


def _not_alone(found: FoundObjects) -> Problem:
    if found.has_noise:
        cause = "its answer on stdout has other text around it"
    elif found.is_alone:
        cause = "its answer repeats the payload"
    else:
        cause = f"stdout has {len(found.documents)} JSON documents"
    return Problem(message=f"{cause}: it counts only where it is stricter", hint=_PRINT_IT_ALONE)


def _read_stderr(stderr: str, event: Event) -> Opinion:
    if "{" not in stderr:
        return Opinion()
    text = _narrow(stderr) if "\0" in stderr else trimmed(stderr)
    found = find_documents(text)
    answers = _answers(found, event, with_foreign=False)  # logs are not ours to judge
    in_a_line = refusals_in_broken(found.noise, with_foreign=False)
    if not answers:
        return Opinion(foreign=in_a_line)
    opinion = merged([read_opinion(answer) for answer in answers]).only_if_stricter()
    return opinion.replace(
        faults=(),
        foreign=in_a_line,
        problems=(
            Problem(
                message="its answer is on stderr: it counts only where it is stricter",
                hint="print the answer to stdout",
            ),
        ),
    )


def _flaws(document: Mapping[str, Any]) -> tuple[Problem, ...]:
    """Return the flaws of *document*, an object that is a whole answer, as Problems without a place."""
    if not any(key in KNOWN_KEYS for key in document):
        return tuple(_misspelled(document))
    return tuple(
        problem for level in levels(document) for problem in (*_unknown(level), *_repeated(level), *_unusable(level))
    )


def _misspelled(document: Mapping[str, Any]) -> Iterator[Problem]:
    for key in list(document)[:_UNKNOWN_KEYS_NAMED]:
        meant = nearest(key, DECIDING_KEYS, similarity=_LIKELY_MISSPELLED)
        if meant and not is_foreign_refusal(key, document[key]):
            yield _unknown_key(key, meant)


def _unknown(level: Mapping[str, Any]) -> Iterator[Problem]:
    unknown = [key for key in level if key not in KNOWN_KEYS and not is_foreign_refusal(key, level[key])]
    for key in unknown[:_UNKNOWN_KEYS_NAMED]:
        yield _unknown_key(key, nearest(key, KNOWN_KEYS))


def _unknown_key(key: str, meant: str) -> Problem:
    return Problem(
        message=f'its answer has an unknown key "{key[:_KEY_LENGTH_SHOWN]}"',
        hint=f'did you mean "{meant}"?' if meant else "it has no effect, leave it out",
    )


def _repeated(level: Mapping[str, Any]) -> Iterator[Problem]:
    pairs = level.pairs if isinstance(level, RepeatingObject) else []
    keys = [key for key, _ in pairs]
    for key in dict.fromkeys(keys):
        if key in KNOWN_KEYS and keys.count(key) > 1:
            yield Problem(
                message=f'its answer gives "{key}" more than once; the strictest value counts',
                hint="give every key once",
            )


def _unusable(level: Mapping[str, Any]) -> Iterator[Problem]:
    for key in TEXT_KEYS:
        if not _is_text(level.get(key)):
            yield Problem(message=f'"{key}" in its answer is not text and is left out', hint="make it a string")
    if not isinstance(level.get("data"), dict | None):
        yield Problem(message='"data" in its answer is not an object and is left out', hint="make it an object")


def _is_text(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return all(one is None or isinstance(one, str) for one in values)
