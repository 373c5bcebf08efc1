"""Decision -> what an agent reads: exactly the fields that it accepts, and never a silent allow. Pure."""

from __future__ import annotations

from hookrun.agents.payload import json_text
from hookrun.agents.reply.draft import Draft, Reply, json_line
from hookrun.agents.reply.encodings import AFTER_TOOL, INPUT, RESPONSE, RESULT, STOPS, TEXT, Way, way_for
from hookrun.model.constants import BY_TRUST, EXIT_DENY
from hookrun.model.events import event_named
from hookrun.model.values import Decision, Event, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hookrun.agents.reply.encodings import ReplyTable
    from hookrun.agents.reply.results import Changed

_UNSAID = {
    "allow": "allowed by a hook",
    "ask": "a hook wants the user to decide",
    "defer": "a hook leaves the decision to the user",
    "deny": "denied by a hook that gives no reason",
}
_HALTED = "a hook tells the agent to stop"
_LAST_RESORT = Way(by_exit_code=True)
_EMPTY = "(a hook has taken the result away)"
_UNCHANGED = "takes no changed result here: a hook has changed it, and the model gets it as it was"
_LOST = ("compaction", "context", "messages", "preserve_data", "prompt", "summary")
_LOST_CONTEXT = "takes no context for the model here: it is lost"
_NOTES = {"context": _LOST_CONTEXT, "feedback": "takes no feedback here"}


def write_decision(
    table: ReplyTable,
    decision: Decision,
    own_name: str = "",
    *,
    hints: Sequence[str] = (),
    has_terminal: bool = False,
    ask_fallback: str = "deny",
) -> Reply:
    """Return *decision* in the agent's own form. *own_name* is what the agent called the event.

    *hints* are texts about the tool call, told as context. An ask that the agent cannot put to its user, or
    not without a terminal, becomes a deny or, when *ask_fallback* is "allow", passes; both are Problems. A
    rewrite that it cannot take is a deny as well: what was to run must not run as it was.
    """
    draft = Draft(table, decision.event.event, own_name, has_terminal=has_terminal)
    word, reason = _settled(decision, draft, ask_fallback)
    context = [*decision.context, *hints]
    if decision.result is not None:
        context = [*_message(decision.result, draft), *context]
    if word == "deny" and draft.way("context") is None:  # then it goes with the reason
        reason = "\n".join((reason, *context))
        context = []
    if word:
        _say_verdict(word, reason, draft)
    if decision.updated_input is not None and word != "deny":
        _say_rewrite(decision.updated_input, decision.event.tool_input, draft)
    alone: Way | None = None
    if decision.result is not None:
        alone = _say_result(decision.event, decision.result, draft)
    feedback = _feedback(decision, draft)
    _say("feedback", feedback, draft, alone)
    _say("context", context, draft, alone)
    _say("user", decision.user_messages, draft)
    if decision.halt:
        _say_halt(decision.message or "\n".join(feedback) or _HALTED, draft)
    return draft.reply()


def write_refusal(table: ReplyTable, text: str) -> Reply:
    """Return the deny of an event that could not be read: exit code 2, the reason on stderr, and JSON for an
    agent that does not go by exit codes."""
    fields = {key: text if value == TEXT else value for key, value in table.refusal.items()}
    return Reply(stdout=json_line(fields) if fields else "", stderr=text, exit_code=EXIT_DENY)


def write_failure(table: ReplyTable, event: str, own_name: str, text: str) -> Reply:
    """Return the answer to the canonical *event* when hookrun itself has failed: a deny where a guard may be
    missing for it, else nothing but *text* on stderr."""
    known = event_named(event)
    nothing = Decision(event=Event(event=event, dialect=table.name))
    if known is not None and not known.guarded:
        return write_decision(table, nothing, own_name).replace(stderr=text)
    if table.exit_denies:
        return Reply(stderr=text, exit_code=EXIT_DENY)
    denied = nothing.replace(verdict=Verdict.DENY, message=text)
    return write_decision(table, denied, own_name).replace(stderr=text)


def can_tell(table: ReplyTable, wish: str, event: str, own_name: str) -> bool:
    """Say whether the agent has a way for *wish*, or for what it becomes."""
    return way_for(wish, event, table.ways_at(event, own_name), has_terminal=True) is not None


def _settled(decision: Decision, draft: Draft, ask_fallback: str) -> tuple[str, str]:
    """Return the verdict's word and reason as the agent is to be told, "" for none. What the agent has no
    way for is settled by what is stricter, and that is said."""
    word = decision.verdict.word or ""
    if not draft.is_stoppable or (decision.halt and draft.event in STOPS):  # there a deny means: go on
        word = ""
    reason = (decision.message.strip() and decision.message) or _UNSAID.get(word, "")
    if word in ("ask", "defer"):
        word, reason = _asked(decision, word, reason, draft, ask_fallback)
    if word != "deny" and _rewrite_is_denied(decision, draft):
        return "deny", _instead(decision.updated_input, decision.message, draft)
    return word, reason


def _asked(decision: Decision, word: str, reason: str, draft: Draft, ask_fallback: str) -> tuple[str, str]:
    found = draft.way(word)
    if found is not None and found[0] in ("ask", "defer"):
        if found[0] != word:
            draft.note("cannot defer: it is an ask")
        return found[0], reason
    if ask_fallback == "allow":
        draft.note("cannot ask the user here: by ask_fallback it passes without a question")
        return "", ""
    is_for_trust = decision.decided_by == BY_TRUST  # no fallback counts for that
    hint = "" if is_for_trust else "`ask_fallback: allow` in the user's configuration lets it pass"
    draft.note("cannot ask the user here: it is a deny", hint)
    return "deny", f"{reason}\n({draft.table.title} cannot ask the user here, so that it is denied)"


def _rewrite_is_denied(decision: Decision, draft: Draft) -> bool:
    if decision.updated_input is None or decision.updated_input == decision.event.tool_input:
        return False
    found = draft.way("rewrite")
    return found is not None and found[0] == "deny"


def _instead(updated_input: Any, message: str, draft: Draft) -> str:
    draft.note("cannot take a rewritten input: it is a deny", "the reason says which input to use")
    wanted = f"a hook changes the input; use this one: {json_text(updated_input, ascii_only=False)}"
    return f"{wanted}\n{message}" if message else wanted


def _say_verdict(word: str, reason: str, draft: Draft) -> None:
    """Say *word*. An allow that the agent has no word for is silence; a deny is never lost."""
    found = draft.way(word)
    if found is not None:
        is_told_why = word != "allow" or TEXT in found[1].fields.values()
        draft.put(found[1], reason if is_told_why else "")
    elif word == "deny":
        draft.note("cannot deny here", "the reason is on stderr")
        if draft.is_guarded:
            draft.put(_LAST_RESORT, reason)
        else:
            draft.put_on_stderr(reason)


def _say_rewrite(updated_input: Any, before: Any, draft: Draft) -> None:
    found = draft.way("rewrite")
    if found is None:
        draft.note("takes no rewritten input here: it is lost")
    elif found[0] == "rewrite":
        draft.put(found[1], given={INPUT: updated_input})
        if draft.table.lays_over and isinstance(before, dict) and isinstance(updated_input, dict):
            kept = [key for key in before if key not in updated_input]
            if kept:
                draft.note(f"retains what the rewritten input omits: {', '.join(kept)}", "give it a value")


def _message(returned: Mapping[str, Any], draft: Draft) -> list[str]:
    """Return the text that a module puts before the prompt, where the agent takes it as context alone."""
    found = draft.way("result")
    if draft.event != "UserPromptSubmit" or (found is not None and found[0] == "result"):
        return []
    from hookrun.agents.reply.results import message_text

    text = message_text(returned.get("message"))
    return [text] if text else []


def _say_result(event: Event, returned: Mapping[str, Any], draft: Draft) -> Way | None:
    """Hand on what modules return: what is to take the place of a tool's result, or fields of their own.
    Return the way in which all else has to be said as well, None for none."""
    from hookrun.agents.reply import results

    found = draft.way("result")
    way = found[1] if found is not None and found[0] == "result" else Way()
    if RESULT in way.fields.values():
        told = {name: results.spelled(name, returned) for name in way.fields}
        draft.add({name: value for name, value in told.items() if value is not None})
    elif event.event in AFTER_TOOL:
        return _say_changed(results.Changed(event, returned), way, draft)
    elif lost := [key for key in _LOST if returned.get(key) is not None]:
        draft.note(f"takes nothing of what a module returns here: {', '.join(lost)}", "it is lost")
    return None


def _say_changed(changed: Changed, way: Way, draft: Draft) -> Way | None:
    """Say the *changed* result of a tool, and where that cannot be said, that the model gets the old one."""
    if not changed:
        return None
    said = changed.response if RESPONSE in way.fields.values() else changed.text
    if way.fields and said is not None:
        text = (changed.text or _EMPTY) if TEXT in way.fields.values() else ""
        draft.put(way, text, given={RESPONSE: said})
        return way if way.is_alone else None
    draft.note(_UNCHANGED, "switch the hook off for this agent, or keep such files from its tools")
    _say("user", [f"{draft.table.title} {_UNCHANGED}"], draft)
    return None


def _feedback(decision: Decision, draft: Draft) -> tuple[str, ...]:
    """Return what the model is to hear of what cannot be stopped any more."""
    if decision.verdict > Verdict.ALLOW and not draft.is_stoppable:
        return (decision.message or _UNSAID["deny"], *decision.feedback)
    return decision.feedback


def _say(wish: str, texts: Sequence[str], draft: Draft, alone: Way | None = None) -> None:
    """Say *texts* to the model or the user, in the way *alone* where the agent heeds only that; where it has
    no way for them they go to stderr."""
    if not texts:
        return
    found = ("", alone) if alone else draft.way(wish)
    if found is not None:
        draft.put(found[1], "\n".join(texts))
        return
    draft.put_on_stderr("\n".join(texts))
    if wish in _NOTES:
        draft.note(_NOTES[wish], "it is on stderr")
    if wish == "context" and draft.way("user") is not None and not draft.table.shows_stderr:
        _say("user", [f"{draft.table.title} {_LOST_CONTEXT}"], draft)


def _say_halt(text: str, draft: Draft) -> None:
    """Tell the agent to stop. At its end it stops when nothing is said."""
    found = draft.way("halt")
    if found is not None and found[0] == "halt":
        draft.put(found[1], text)
    elif draft.event not in STOPS:
        becomes = "it is only a deny" if found is not None else "it goes on"
        draft.note(f"cannot stop here: {becomes}")
