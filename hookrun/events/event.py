"""An Event from loose fields of a command line, or from an agent's whole payload."""

from __future__ import annotations

import json
import os

from hookrun.agents import (
    DIALECTS,
    NEUTRAL,
    XBOT,
    dialect_named,
    dialect_of_tool,
    event_named_anywhere,
    kinds_of_any,
    kinds_of_call,
    known_tool_names,
)
from hookrun.agents.payload import json_text
from hookrun.agents.translate import own_key
from hookrun.events import touched
from hookrun.events.failures import failure_of, plain_text
from hookrun.events.payload_fields import content_text, event_names, read_payload
from hookrun.model.constants import TOOL_OUTPUT_LIMIT
from hookrun.model.errors import UsageError
from hookrun.model.events import EVENTS, EventType
from hookrun.model.text import did_you_mean, nearest
from hookrun.model.values import Event, Problem

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.agents.shape import Dialect
    from hookrun.config.config import Config

_TEXTS = ("tool_call_id", "session_id", "channel", "chat_id", "user_id", "project_dir", "prompt")
_NUMBERS = ("tool_elapsed_ms", "tenant_id")
_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn")  # categories of characters: control, format, and no letters at all


def described_event(
    config: Config,
    name: str,
    *,
    tool: str = "",
    tool_input: Any = None,
    dialect: str = "",
    payload: Mapping[str, Any] | None = None,
    is_error: bool | None = None,
    **fields: Any,
) -> tuple[Event, tuple[Problem, ...]]:
    """Return the event that these values describe, and what was odd about them.

    *payload* is a whole payload in any agent's spelling; *is_error* says of a tool_result that the tool failed;
    *fields* are further fields of Event. Raises UsageError for an unknown event or dialect, or a tool event without
    a tool.
    """
    kind = event_type(name)
    source = dialect_named(dialect) if dialect else None
    if dialect and source is None:
        hint = did_you_mean(dialect, [known.name for known in DIALECTS])
        raise UsageError(f"unknown dialect {dialect!r}", hint=hint)
    values = {
        "cwd": config.cwd,
        "project_dir": config.root,
        **fields,
        "dialect": source,
        "kinds_by_tool": config.tools,
        "tool_name": tool,
        "tool_input": tool_input,
    }
    if is_error is not None:
        values["fields"] = {**(values.get("fields") or {}), "is_error": is_error}
    if payload is not None:
        event, problems = event_from_payload({**payload, "event": name}, **values)
    else:
        event, problems = make_event(kind.name, **values)
    if kind.has_tool and not event.tool_name:
        raise UsageError(f"{kind.name} is about a tool, and no tool is named", hint="--tool NAME")
    return event, problems


def command_event(config: Config, session_id: str = "", **fields: str) -> Event:
    """Return the event for the run of a command; *fields* are its own."""
    return Event(
        event="", dialect=NEUTRAL, cwd=config.cwd, project_dir=config.root, session_id=session_id, fields=fields
    )


def event_type(name: str) -> EventType:
    """Return the event of the catalogue that *name* means in any agent's spelling. Raises UsageError."""
    kind = event_named_anywhere(name)
    if kind is None:
        known = ", ".join(kind.name for kind in EVENTS.values() if not kind.one_agent)
        words = [*EVENTS, "pre", "post", "fail", "prompt", "stop"]
        hint = did_you_mean(name, words, f"known, in any agent's spelling: {known}")
        raise UsageError(f"unknown event {name!r}", hint=hint)
    return kind


def make_event(
    name: str,
    *,
    dialect: Dialect | None = None,
    kinds_by_tool: Mapping[str, Any] | None = None,
    tool_name: str = "",
    tool_input: Any = None,
    tool_input_text: str = "",
    cwd: str = "",
    fields: Mapping[str, Any] | None = None,
    **others: Any,
) -> tuple[Event, tuple[Problem, ...]]:
    """Return the event *name*, in any spelling, with all that follows from its tool and input; and problems.

    *kinds_by_tool* is the configuration's ``tools``: a kind, or ``{"tool": kind, "path": key}``. *others* are further
    fields of Event; ``tool_output`` may be text or any other value, an event without an ``event_id`` gets one.
    Raises UsageError for an unknown event and for input text that is not JSON.
    """
    canonical = event_type(name).name
    tool_name, odd_name = _plain_name(tool_name)
    source = dialect or dialect_of_tool(tool_name) or XBOT
    if tool_input is None and tool_input_text:
        tool_input = _parsed(tool_input_text)
    kinds, path_key, unknown_tool = _kinds(tool_name, source, kinds_by_tool or {})
    values = {**others, "fields": dict(fields or {})}
    canonical = _settle_result(canonical, values, source)
    odd_numbers = _settle_types(values)
    event = Event(
        event=canonical,
        event_id=values.pop("event_id", "") or os.urandom(8).hex(),
        dialect=source.name,
        tool_name=tool_name,
        tool_input=tool_input,
        tool_input_text=tool_input_text,
        cwd=cwd,
        kinds=kinds,
        command=touched.command(tool_input, kinds, own_key(source, "command")),
        paths=touched.paths(tool_input, kinds, cwd, path_key),
        **values,
    )
    return event, (*unknown_tool, *odd_name, *odd_numbers)


def event_from_payload(
    payload: Mapping[str, Any],
    *,
    dialect: Dialect | None = None,
    kinds_by_tool: Mapping[str, Any] | None = None,
    **overrides: Any,
) -> tuple[Event, tuple[Problem, ...]]:
    """Return the event of a whole payload, in hookrun's or an agent's spelling; and problems.

    *overrides* are arguments of make_event that count more than the payload, unless they are empty. Keys
    that are not a field of Event go to Event.fields. Raises UsageError without an event, and for an event of a
    tool that names none.
    """
    names = event_names(payload)
    overrides = {key: value for key, value in overrides.items() if value is not None and value not in ("", 0)}
    values, others, source = read_payload(payload, names, dialect)
    if "tool_input" in overrides:
        values.pop("tool_input_text", None)
    values |= overrides
    for key in ("tool_name", "event_id", "cwd"):
        values[key] = plain_text(values.get(key))
    if event_type(names[0]).has_tool and not values["tool_name"]:
        raise UsageError(f"the payload of {names[0]} names no tool", hint='it needs a key "tool_name"')
    values |= {"dialect": source, "kinds_by_tool": kinds_by_tool}
    values["fields"] = {**others, **(values.get("fields") or {})}
    event, problems = make_event(names[0], **values)
    slip = nearest("tool_input", others) if values["tool_name"] and event.tool_input is None else ""
    return event, (*problems, _no_input(slip)) if slip else problems


def with_input(event: Event, tool_input: Any, kinds_by_tool: Mapping[str, Any] | None = None) -> Event:
    """Return *event* with its tool's input rewritten, and with the command and paths that follow from it."""
    path_key = _configured(event.tool_name, kinds_by_tool or {})[1]
    command_key = own_key(dialect_named(event.dialect) or XBOT, "command")
    return event.replace(
        tool_input=tool_input,
        tool_input_text="",
        command=touched.command(tool_input, event.kinds, command_key),
        paths=touched.paths(tool_input, event.kinds, event.cwd, path_key),
    )


def cut_output(text: str) -> tuple[str, bool]:
    """Return at most 8192 bytes of *text* as UTF-8, cut between characters, and whether it was cut."""
    if len(text) * 4 <= TOOL_OUTPUT_LIMIT:
        return text, False
    data = text[: TOOL_OUTPUT_LIMIT + 1].encode("utf-8", "surrogatepass")
    if len(data) <= TOOL_OUTPUT_LIMIT:
        return text, False
    end = TOOL_OUTPUT_LIMIT
    while data[end] & 0xC0 == 0x80:  # inside a character
        end -= 1
    return data[:end].decode("utf-8", "surrogatepass"), True


def _settle_result(event: str, values: dict[str, Any], source: Dialect) -> str:
    """Settle in *values* what came of the tool, and return the event: that of a failure where the tool failed."""
    # a tool that is yet to run has no output, whatever the caller says
    output = values.get("tool_output") if event != "PreToolUse" else None
    whole, response = _text_and_value(output)
    cut, was_cut = cut_output(whole)
    error, fields = values.get("tool_error"), values["fields"]
    failure = failure_of(event, error, response, whole, fields, source)
    if failure is not None:  # what a failed tool printed is its error
        error = failure or error or whole or content_text(fields.get("content"))
    values |= {
        "tool_output": cut,
        "tool_response": response,
        "tool_output_truncated": was_cut or bool(values.get("tool_output_truncated")),
        "whole_output": whole if was_cut else "",
        "tool_error": plain_text(error),
    }
    return event if failure is None else "PostToolUseFailure"


def _settle_types(values: dict[str, Any]) -> list[Problem]:
    """Convert the fields in *values* that are texts and numbers; return a Problem for each that is not a number."""
    values |= {key: plain_text(values[key]) for key in _TEXTS if key in values}
    problems = []
    for key in _NUMBERS:
        value = values.get(key)
        try:
            values[key] = int(value or 0)
        except (TypeError, ValueError, OverflowError):
            message = f"{key} is not a number: {plain_text(value)[:100]!r}"
            problems.append(Problem(message=message, where=key, hint="use a whole number"))
            values[key] = 0
    return problems


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the tool's input is not JSON: {error}", hint="it must be one document") from None


def _plain_name(tool_name: str) -> tuple[str, list[Problem]]:
    """Return *tool_name* as it looks: without blanks and invisible characters, in usual letters."""
    if tool_name.isascii() and tool_name.isprintable() and tool_name.strip() == tool_name:
        return tool_name, []
    import unicodedata

    usual = unicodedata.normalize("NFKC", tool_name)
    plain = "".join(letter for letter in usual if unicodedata.category(letter) not in _UNSEEN).strip()
    if plain == tool_name:
        return tool_name, []
    return plain, [Problem(message=f"the tool {tool_name!r} is taken for {plain!r}", where="tool_name")]


def _kinds(
    tool_name: str, dialect: Dialect, kinds_by_tool: Mapping[str, Any]
) -> tuple[tuple[str, ...], str, list[Problem]]:
    """Return the kinds of the tool, the key of its path where the configuration names one, and problems."""
    if not tool_name:
        return (), "", []
    kind, path_key = _configured(tool_name, kinds_by_tool)
    kinds = (kind,) if kind else kinds_of_call(tool_name, dialect)
    is_known = bool(kinds) or dialect_of_tool(tool_name) is not None
    return kinds, path_key, [] if is_known else [_unknown_tool(tool_name, kinds_by_tool)]


def _configured(tool_name: str, kinds_by_tool: Mapping[str, Any]) -> tuple[str, str]:
    meaning = kinds_by_tool.get(tool_name, "")
    if isinstance(meaning, str):
        return meaning, ""
    return str(meaning.get("tool", "")), str(meaning.get("path", ""))


def _no_input(slip: str) -> Problem:
    message = "the payload has no tool_input: guards have nothing to judge"
    return Problem(message=message, level="error", where=slip, hint=f"did you mean tool_input by {slip}?")


def _unknown_tool(tool_name: str, kinds_by_tool: Mapping[str, Any]) -> Problem:
    near = nearest(tool_name, (*known_tool_names(), *kinds_by_tool))
    hint = f"did you mean {near}? If not, say" if near else "say"
    kind = (kinds_of_any(near) if near else ()) or ("shell",)
    hint += f" in the configuration what it is, such as `tools: {{{tool_name}: {kind[0]}}}`"
    return Problem(message=f"no agent has a tool {tool_name!r}", where="tool_name", hint=hint)


def _text_and_value(output: Any) -> tuple[str, Any]:
    """Return the text of a tool's output, and its value where it has a structure."""
    if output is None or isinstance(output, str):
        return output or "", None
    return json_text(output, ascii_only=False), output
