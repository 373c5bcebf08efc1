"""Read an event from the options of a command line: JSON, @file, - for stdin, KEY=VALUE."""

from __future__ import annotations

import os

from hookrun.model import constants
from hookrun.model.errors import HookrunError, UsageError
from hookrun.model.frozen import Frozen
from hookrun.model.values import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookrun.model.values import Event, Hook
    from hookrun.runner import HookRunner

FIELD_BY_OPTION = {
    "call_id": "tool_call_id",
    "session": "session_id",
    "channel": "channel",
    "chat_id": "chat_id",
    "user_id": "user_id",
    "tenant_id": "tenant_id",
    "elapsed_ms": "tool_elapsed_ms",
}


class EventInput(Frozen):
    """An event as the options describe it."""

    payload: dict[str, Any] | None  # None without --payload
    fields: dict[str, Any]  # of Event


def read_event_input(values: dict[str, Any]) -> EventInput:
    """Return the event of the options; read the files and stdin that they name. Raises UsageError for a
    wrong option, HookrunError for a wrong document on stdin."""
    from hookrun.runner import event_type

    event_type(values["event"])  # before anything is waited for
    if [values[option] for option in ("input", "output", "error", "prompt", "payload")].count("-") > 1:
        raise UsageError("only one option can read stdin", where="-", hint="put the others in files: @file")
    fields = {field: values[option] for option, field in FIELD_BY_OPTION.items() if values[option] is not None}
    for option, field in (("output", "tool_output"), ("error", "tool_error"), ("prompt", "prompt")):
        if values[option] is not None:
            fields[field] = _text(values[option], option)
    if values["extra"]:
        fields["extra"] = dict(_pair(text) for text in values["extra"])
    payload, payload_text = _json(values["payload"], "payload")
    if payload_text and not isinstance(payload, dict):
        raise _wrong(values["payload"], "payload", "the payload is not an object", '{"tool_name": "Shell"}')
    if values["input"] is not None:
        fields["tool_input"], fields["tool_input_text"] = _json(values["input"], "input")
    return EventInput(payload=payload if payload_text else None, fields=fields)


def open_runner(values: dict[str, Any], given: EventInput | None = None) -> HookRunner:
    """Return the runner for the place that the options and the payload name.

    Raises UsageError for a missing folder; the payload's cwd may be missing, hooks run all the same."""
    from hookrun.runner import HookRunner

    for option in ("cwd", "project"):
        folder = values.get(option)
        if folder and not os.path.isdir(folder):
            raise UsageError(f"{folder} is not a directory", where=f"--{option}", hint="name a directory that exists")
    for path in values["hooks"]:
        if not os.path.exists(path):
            raise UsageError(f"{path} does not exist", where="--hook", hint="check the path")
    payload = given.payload if given and given.payload else {}
    return HookRunner.discover(
        values.get("cwd") or _text_of(payload, "cwd") or None,
        project=os.path.abspath(values["project"]) if values.get("project") else "",
        agent_project=_text_of(payload, "project_dir", "projectDir") or _first_root(payload),
        session_id=values.get("session") or _text_of(payload, "session_id", "sessionId"),
        hooks=[os.path.abspath(path) for path in values["hooks"]],
        is_isolated=True,
    )


def check_only(runner: HookRunner, only: list[str]) -> None:
    """Raise UsageError for a name in --only that no hook has: with a typo nothing would run."""
    from hookrun.model.text import did_you_mean

    entries = runner.loaded.registry.entries
    known = {name for entry in entries for name in _names_of(entry.hook) if name}
    for name in only:
        if name not in known:
            hint = did_you_mean(name, known, "`hookrun list` shows IDs and titles")
            raise UsageError(f"no hook matches {name!r}", where="--only", hint=hint)


def _names_of(hook: Hook) -> tuple[str, ...]:
    return (hook.id, hook.plugin, hook.key, hook.title)


def described_event(runner: HookRunner, values: dict[str, Any], given: EventInput) -> tuple[Event, tuple[Problem, ...]]:
    """Return the event that the options describe, and what is odd about it. Raises UsageError, and
    HookrunError for a payload that a program has sent on stdin."""
    try:
        event, problems = runner.event(
            values["event"],
            tool=values["tool"] or "",
            dialect=values["dialect"] or "",
            payload=given.payload,
            **given.fields,
        )
    except UsageError as error:
        if values["payload"] != "-":
            raise
        raise _wrong("-", "payload", error.message, error.hint) from None
    if event.tool_name and not isinstance(event.tool_input, dict | None):
        what = f"the input of {event.tool_name} is not a JSON object"
        problems = (*problems, Problem(message=what, hint="""such as --input '{"command": "ls"}'"""))
    return event, problems


def _first_root(payload: dict[str, Any]) -> str:
    """Return the first of the workspace's roots, as Cursor names them."""
    roots = payload.get("workspace_roots")
    return roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""


def _text_of(payload: dict[str, Any], *keys: str) -> str:
    return next((payload[key] for key in keys if isinstance(payload.get(key), str)), "")


def _json(given: str | None, option: str) -> tuple[Any, str]:
    """Return (value, text) of a JSON option; (None, "") when it was not given."""
    if given is None:
        return None, ""
    import json

    text = _text(given, option)
    try:
        return json.loads(text.removeprefix("\ufeff")), text
    except (ValueError, RecursionError) as error:
        reason = error if isinstance(error, ValueError) else "it is nested too deeply"
        message = f"--{option} is not valid JSON: {reason}"
        raise _wrong(given, option, message, """quote it: '{"command": "ls"}'""") from None


def _wrong(given: str, option: str, message: str, hint: str) -> HookrunError:
    """Return the error for a value: a person's typing is a wrong call, a program's stdin fails the event."""
    if given == "-":
        return HookrunError(message, where="stdin", hint="send one complete JSON document")
    from hookrun.model.text import without_secrets

    return UsageError(message, where=f"--{option} {without_secrets(given)[:60]}", hint=hint)


def _text(given: str, option: str) -> str:
    if given == "-":
        if option == "payload":
            return read_stdin(constants.PAYLOAD_DEADLINE).decode("utf-8", "replace")
        deadline = None if os.isatty(0) else constants.TEXT_DEADLINE
        return read_stdin(deadline, is_payload=False).decode("utf-8", "replace")
    if not given.startswith("@"):
        return given
    path = os.path.expanduser(given[1:])
    try:
        with open(path, "rb") as file:
            data = file.read(constants.PAYLOAD_LIMIT + 1)
    except OSError as error:
        raise UsageError(
            f"{path}: {error.strerror}", where=f"--{option}", hint="@FILE reads the value from a file"
        ) from None
    if len(data) > constants.PAYLOAD_LIMIT:
        raise UsageError(f"{path} is larger than 16 MiB", where=f"--{option}", hint="send less")
    return data.decode("utf-8", "replace")


def read_stdin(deadline: float | None, *, is_payload: bool = True) -> bytes:
    """Return what comes on stdin up to its end, of a payload at most one whole JSON document. A person who types has no
    *deadline*.

    Raises HookrunError above 16 MiB, or when *deadline* seconds have passed."""
    import select
    import time

    end = time.monotonic() + deadline if deadline else None
    data = bytearray()  # 16 MiB in parts of a pipe: adding to bytes would copy all of them each time
    while True:
        if end is not None and not select.select([0], [], [], max(0.0, end - time.monotonic()))[0]:
            if is_payload and _is_whole(data):
                return bytes(data)
            missing = "no complete payload" if is_payload else "no end of the value"
            raise HookrunError(f"{missing} within {deadline:g} s", where="stdin", hint="send it, then close stdin")
        part = os.read(0, constants.MIB)
        data += part
        if not part or (is_payload and part.rstrip().endswith(b"}") and _is_whole(data)):
            return bytes(data)
        if len(data) > constants.PAYLOAD_LIMIT:
            raise HookrunError("the payload is larger than 16 MiB", where="stdin", hint="send less")


def _is_whole(data: bytearray) -> bool:
    import json

    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def _pair(text: str) -> tuple[str, Any]:
    import json

    key, equals, value = text.partition("=")
    if not equals or not key:
        raise UsageError(f"{text!r} is not KEY=VALUE", where="--extra", hint="for example --extra model=opus")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value
