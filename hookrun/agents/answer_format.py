"""How an agent reads the answer of a handler of its settings, as data, and the one reader that goes by it."""

from __future__ import annotations

from hookrun.model.events import event_named
from hookrun.model.frozen import Frozen
from hookrun.model.opinion import Opinion
from hookrun.model.values import Verdict

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hookrun.model.values import Event


_STOPS = ("AgentStop", "SubAgentStop")
_ASKS_TO_RUN = "PermissionRequest"  # an agent's own event, which has no meaning elsewhere


PERMISSIONS = {"allow": Verdict.ALLOW, "ask": Verdict.ASK, "deny": Verdict.DENY}


class HandlerOutput(Frozen):
    """How a handler ended and what it printed."""

    exit_code: int
    stdout: str
    stderr: str
    own_event: str  # the agent's name of the event


class ParsedAnswer(Frozen):
    """What an agent makes of a handler's output."""

    opinion: Opinion = Opinion()
    fault: str = ""  # why it is a bad answer, "" for a good one
    is_failed: bool = False  # the exit code says that the handler failed
    lost: tuple[str, ...] = ()  # what the agent ignores, each a clause that begins with its verb


class VerdictField(Frozen):
    """A field of the answer that can hold a verdict. Where several say one, the strictest counts."""

    key: str  # dotted
    verdicts: Mapping[Any, Verdict]  # by the field's value
    events: tuple[str, ...] = ()  # canonical events, or the agent's own, at which it counts; () for all
    ignores_case: bool = False
    unknown: str = ""  # what becomes of a value that no field of this key knows, a clause with {word!r}


class AnswerFormat(Frozen):
    """How an agent reads a handler's exit code, text and JSON. Keys are dotted."""

    refusing_exits: tuple[int, ...] = (2,)  # exit codes that refuse, for the reason on stderr
    needs_reason: bool = False  # without that reason they refuse nothing
    refuses_anywhere: bool = False  # they refuse what cannot be stopped as well
    reads_failures: bool = False  # a JSON answer counts after any other exit code, too
    takes_last_object: bool = False  # of a text with other things the last JSON object is the answer
    shows_text: tuple[str, ...] | None = ()  # events whose text, no JSON, is context; None for all
    text_is_for_user: bool = False  # other text is shown to the user
    text_fault: str = ""  # why other text is a bad answer
    verdicts: tuple[VerdictField, ...] = ()
    halts: bool = False  # `"continue": false` ends the session
    halt_refuses: bool = False  # it only refuses
    reasons: tuple[str, ...] = ()  # keys of the reason, the first that has a text counts
    context: tuple[str, ...] = ()
    user_messages: tuple[str, ...] = ()
    rewrites: tuple[str, ...] = ()  # keys of a whole new input of the tool
    follow_ups: tuple[str, ...] = ()  # keys of the message with which the agent goes on instead of stopping
    flaw_of: Callable[[Mapping[str, Any], Event], str] | None = None  # why the agent refuses all of it, or ""

    def read(self, output: HandlerOutput, event: Event) -> ParsedAnswer:
        """Return what the agent reads in *output*."""
        if output.exit_code in self.refusing_exits:
            return self._refused(output, event)
        if output.exit_code and not self.reads_failures:
            return ParsedAnswer(is_failed=True)
        printed = trimmed(output.stdout)
        document = last_object(printed) if self.takes_last_object else only_object(printed)
        if document is None:
            return self._of_text(printed, output, event)
        flaw = self.flaw_of(document, event) if self.flaw_of else ""
        if flaw:
            return ParsedAnswer(fault=flaw)
        answer = self.of_document(document, event)
        return answer.replace(is_failed=output.exit_code != 0 and not answer.opinion.is_strict)

    def of_document(self, document: Mapping[str, Any], event: Event) -> ParsedAnswer:
        """Return what the agent reads in the JSON object that a handler printed."""
        verdict, lost = self._verdict(document, event)
        is_stopped = (self.halts or self.halt_refuses) and document.get("continue") is False
        follow_up = text(document, *self.follow_ups) if event.event in _STOPS else ""
        is_halt = is_stopped and self.halts
        reasons = ("stopReason", *self.reasons) if is_halt else self.reasons
        rewrites = [found for key in self.rewrites if (found := value_at(document, key)) is not None]
        opinion = Opinion(
            verdict=Verdict.DENY if is_stopped or follow_up else verdict,
            message=follow_up or text(document, *reasons),
            halt=is_halt,
            updated_input=rewrites[0] if rewrites and isinstance(rewrites[0], dict) else None,
            context=texts(document, *self.context),
            user_messages=texts(document, *self.user_messages),
        )
        return ParsedAnswer(opinion=opinion, lost=lost)

    def _refused(self, output: HandlerOutput, event: Event) -> ParsedAnswer:
        """Return the refusal of an exit code. Where nothing can be refused, the user gets the reason; after a tool,
        the model."""
        reason = output.stderr.strip()
        if self.needs_reason and not reason:
            return ParsedAnswer(fault=f"exit {output.exit_code} without a reason on stderr blocks nothing")
        known = event_named(event.event)
        is_stoppable = known is not None and (known.stops or known.has_tool)
        if is_stoppable or self.refuses_anywhere or event.event == _ASKS_TO_RUN:
            return ParsedAnswer(opinion=Opinion(verdict=Verdict.DENY, message=reason))
        return ParsedAnswer(opinion=Opinion(user_messages=(reason,) if reason else ()))

    def _of_text(self, printed: str, output: HandlerOutput, event: Event) -> ParsedAnswer:
        if output.exit_code or not printed:
            return ParsedAnswer(is_failed=output.exit_code != 0)
        if self.text_fault:
            return ParsedAnswer(fault=self.text_fault)
        if self.shows_text is None or event.event in self.shows_text:
            return ParsedAnswer(opinion=Opinion(context=(printed,)))
        return ParsedAnswer(opinion=Opinion(user_messages=(printed,) if self.text_is_for_user else ()))

    def _verdict(self, document: Mapping[str, Any], event: Event) -> tuple[Verdict, tuple[str, ...]]:
        verdict_by_key: dict[str, Verdict] = {}
        lost_by_key: dict[str, str] = {}
        for field in self.verdicts:
            word = value_at(document, field.key)
            if word is None or (field.events and event.event not in field.events):
                continue
            known = word.lower() if field.ignores_case and isinstance(word, str) else word
            verdict = field.verdicts.get(known) if isinstance(known, str | bool) else None
            if verdict is not None:
                verdict_by_key[field.key] = verdict
            elif field.unknown:
                lost_by_key[field.key] = field.unknown.format(word=word)
        lost = [clause for key, clause in lost_by_key.items() if key not in verdict_by_key]
        return max(verdict_by_key.values(), default=Verdict.NO_OPINION), tuple(lost)


def only_object(text: str) -> Mapping[str, Any] | None:
    """Return the JSON object that *text* is, and nothing besides; None when it is anything else."""
    from hookrun.model.json_objects import find_documents  # a bridge reads no handler's answer itself

    found = find_documents(text.strip())
    return found.documents[0] if found.is_alone and not found.fault else None


def last_object(text: str) -> Mapping[str, Any] | None:
    """Return the last JSON object in *text*, whatever is around it; None when there is none."""
    from hookrun.model.json_objects import find_documents

    documents = find_documents(text.strip()).documents
    return documents[-1] if documents else None


def trimmed(text: str) -> str:
    """Return *text* as JavaScript trims it: a byte order mark is a blank there."""
    return text.strip().strip("\ufeff").strip()


def value_at(document: Mapping[str, Any], key: str) -> Any:
    """Return the value at the dotted *key*; None when there is none."""
    value: Any = document
    for part in key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def text(document: Mapping[str, Any], *keys: str) -> str:
    """Return the first text at the dotted *keys* that is not blank, else ""."""
    found = (value_at(document, key) for key in keys)
    return next((value.strip() for value in found if isinstance(value, str) and value.strip()), "")


def texts(document: Mapping[str, Any], *keys: str) -> tuple[str, ...]:
    """Return the text at the dotted *keys* as a tuple of none or one."""
    found = text(document, *keys)
    return (found,) if found else ()
