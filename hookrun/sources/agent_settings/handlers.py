"""One handler of an agent's settings -> a hook: how it is run, for how long, and what a failure means."""

from __future__ import annotations

import json
import os

from hookrun.agents import has_settings, kinds_of_tool
from hookrun.agents.settings import settings_of
from hookrun.config.documents import parse_document
from hookrun.config.paths import harmless
from hookrun.matching.agent_rules import COMMAND, NOTHING, PERMISSION_RULE, TOOL, AgentMatcher
from hookrun.matching.conditions import Condition
from hookrun.model import constants
from hookrun.model.events import EVENTS
from hookrun.model.text import nearest
from hookrun.model.values import Program, Trigger
from hookrun.sources.agent_settings.commands import expanded, files_named, folders_of, only_asks_hookrun, words_of
from hookrun.sources.agent_settings.entries import HandlerEntry, Notes, SettingsPlace, entries_of
from hookrun.sources.found import Found, Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookrun.config.json_positions import Keys

TYPES = ("command", "http", "prompt", "agent", "mcp_tool", "callback", "plugin")
_COMMAND_KEYS = ("command", "bash", "powershell", "exec")
_ABOUT_A_TOOL = ("PermissionRequest", "PermissionDenied")
_ABOUT_A_COMMAND = ("beforeShellExecution", "afterShellExecution")
_LONGEST_TITLE = 60
_LIKELY_MILLISECONDS = 1000  # seconds that nobody waits for a hook
_LIKELY_SECONDS = 100  # milliseconds in which hardly a program starts
OWN_ENTRY = "hookrun's own entry, through which the agent asks hookrun"


def read_handlers(table: Any, place: SettingsPlace, *, keys: Keys = ("hooks",)) -> Found:
    """Return the hooks that *table*, the value at *keys* of a settings file, describes, in its order."""
    notes = Notes(place)
    for entry in entries_of(table, place, keys, notes):
        try:
            _read(entry, place, notes)
        except RecursionError:
            notes.problem(entry.keys, "is nested too deeply", "write it flatter")
    return notes.found


def definition_of(agent: str, own_event: str, matcher: Any, handler: Any) -> str:
    """Return what is trusted of an entry, as canonical JSON: agent, event, the whole handler, matcher."""
    value = {"agent": agent, "event": own_event, "handler": handler, "matcher": matcher}
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)


def definitions_of(data: bytes, path: str, agent: str) -> Iterator[str]:
    """Yield what is trusted of each entry in *data*, settings of *agent* at *path*, also of those that do not
    run. Raises DocumentError."""
    if not has_settings(agent):
        return
    table = parse_document(data, path, comments=True).value
    hooks = table.get("hooks") if isinstance(table, dict) else None
    if isinstance(hooks, dict) and isinstance(hooks.get("hooks"), dict):  # a plugin's own manifest
        hooks = hooks["hooks"]
    origin = Origin(source="", order=0, level=constants.PROJECT, place="", dialect=agent)
    place = SettingsPlace(origin=origin, path=path)
    for entry in entries_of(hooks, place, ("hooks",), Notes(place)):
        yield definition_of(agent, entry.own_event, entry.matcher, entry.handler)


def _read(entry: HandlerEntry, place: SettingsPlace, notes: Notes) -> None:
    handler, contract = entry.handler, place.contract
    kind = handler.get("type", "command")
    if is_bridge(handler):
        notes.skip((), OWN_ENTRY)
    elif kind not in TYPES:
        near = nearest(str(kind), TYPES)
        hint = f"did you mean {near}?" if near else f"hookrun runs {' and '.join(contract.runs)}"
        notes.problem((*entry.keys, "type"), f"unknown handler type {kind!r}", hint)
    elif kind not in contract.runs:
        notes.skip(entry.keys, f"a handler of type {kind}, which hookrun does not run")
    elif handler.get("name") and handler["name"] in place.disabled:
        notes.skip(entry.keys, "the settings disable it by its name", switch="disabled")
    elif kind == "command" and place.commands_are_off:
        notes.skip(entry.keys, place.commands_are_off, switch=contract.switch)
    else:
        program = _request(entry, place, notes) if kind == "http" else _command(entry, place, notes)
        if program is not None:
            _add(entry, place, notes, program, is_http=kind == "http")


def is_bridge(handler: Mapping[str, Any]) -> bool:
    """Say whether a handler is an entry that hookrun itself installed, or as good as one."""
    arguments = handler.get("args")
    words = arguments if isinstance(arguments, list) else ()
    commands = [handler.get(key) for key in _COMMAND_KEYS]
    return any(
        only_asks_hookrun(" ".join((command, *(word for word in words if isinstance(word, str)))))
        for command in commands
        if isinstance(command, str)
    )


def _command(entry: HandlerEntry, place: SettingsPlace, notes: Notes) -> Program | None:
    handler = entry.handler
    key = next((key for key in place.contract.commands if handler.get(key)), "")
    command = handler[key] if key else None
    if not isinstance(command, str) or not command.strip():
        _no_command(entry, key, place, notes)
        return None
    folders = folders_of(place.origin.place, place.plugin_folder, place.home)
    folder = working_folder(handler, place.origin.dialect, place.folder) or place.folder
    arguments = _arguments(handler, key, place)
    if arguments is None:
        files = files_named(words_of(command), folder, folders)
        return Program(words=(*_shell(handler, place), command), folder=folder, files=files)
    if not isinstance(arguments, list) or not all(isinstance(word, str) for word in arguments):
        notes.problem((*entry.keys, "args"), "must be a list of strings", 'write ["--flag", "value"]')
        return None
    return Program(words=tuple(expanded(word, folders) for word in (command, *arguments)), folder=folder)


def _no_command(entry: HandlerEntry, key: str, place: SettingsPlace, notes: Notes) -> None:
    if not key and entry.handler.get("powershell"):
        notes.skip(entry.keys, "a command for PowerShell alone")
        return
    flaw = "must be a command, as text" if key else "is missing"
    hint = _misspelled(entry.handler, place) or "name a command"
    notes.problem((*entry.keys, key or place.contract.commands[0]), flaw, hint)


def _arguments(handler: Mapping[str, Any], key: str, place: SettingsPlace) -> Any:
    """Return the arguments of the program that *key* names; None for a command line for a shell."""
    if place.contract.direct in ("", key):
        return handler.get("args", [] if place.contract.direct else None)
    return None


def working_folder(handler: Mapping[str, Any], agent: str, base: str) -> str:
    """Return the folder, from *base*, that a handler's command wants to run in; "" for none that exists."""
    key = settings_of(agent).folder_key
    wanted = handler.get(key) if key else None
    if not isinstance(wanted, str) or not wanted or "\0" in wanted:
        return ""
    folder = os.path.normpath(os.path.join(base, wanted))
    return folder if os.path.isdir(folder) else ""


def _misspelled(handler: Mapping[str, Any], place: SettingsPlace) -> str:
    """Return the hint for a key that is probably meant as the command's, "" for none."""
    known = place.contract.handler_keys
    unknown = [str(key) for key in handler if key not in known]
    for wanted in place.contract.commands:
        near = nearest(wanted, unknown)
        if near:
            return f"did you mean {wanted}? it says {near}"
    return ""


def _shell(handler: Mapping[str, Any], place: SettingsPlace) -> tuple[str, ...]:
    program, *options = place.contract.shell
    if program == "$SHELL":
        program = place.shell or "/bin/sh"
    if handler.get("shell") in place.contract.shells:
        program = handler["shell"]
    return (program, *options)


def _request(entry: HandlerEntry, place: SettingsPlace, notes: Notes) -> Program | None:
    url = entry.handler.get("url")
    if not isinstance(url, str) or not url.startswith(("http://", "https://")):
        notes.problem((*entry.keys, "url"), "must begin with http:// or https://", "write the whole URL")
        return None
    return Program(words=(), folder=place.folder)


def _add(entry: HandlerEntry, place: SettingsPlace, notes: Notes, program: Program, *, is_http: bool) -> None:
    accepts = read_matcher(entry, place, notes)
    if accepts is None:
        return
    origin, handler = place.origin, entry.handler
    definition = definition_of(origin.dialect, entry.own_event, entry.matcher, handler)
    is_async = handler.get("async") is True or handler.get("asyncRewake") is True
    is_guard = not is_async and any(EVENTS[event].guarded for event in entry.events)
    matcher = entry.matcher or ""
    notes.hooks.append(
        origin.hook(
            place.path,
            definition,
            title=_title(handler, place, is_http=is_http),
            kind="settings",
            program=program,
            plugin=place.plugin,
            triggers=tuple(Trigger(event=event, matcher=matcher, accepts=accepts) for event in entry.events),
            timeout=_seconds(entry, place, notes),
            role="guard" if is_guard else "observer",
            on_failure="deny" if _fails_closed(entry, place) else None,
            serial=entry.serial,
            runtime="http" if is_http else "script",
            description=str(handler.get("description") or handler.get("statusMessage") or ""),
            note="the agent does not wait for it" if is_async else "",
            entry=definition,
            is_async=is_async,
        )
    )


def _title(handler: Mapping[str, Any], place: SettingsPlace, *, is_http: bool) -> str:
    if is_http:
        text = str(handler["url"]).partition("?")[0]
    else:
        command = next(handler[key] for key in place.contract.commands if handler.get(key))
        text = " ".join((command, *(handler.get("args") or ()))).strip()
    line = harmless(text.partition("\n")[0])
    if "=" in line or ":" in line or "--" in line:  # its expressions are not compiled for nothing
        from hookrun.model.text import without_secrets

        line = without_secrets(line)
    is_whole = len(line) <= _LONGEST_TITLE and "\n" not in text
    return line if is_whole else f"{line[: _LONGEST_TITLE - 3]}..."


def _fails_closed(entry: HandlerEntry, place: SettingsPlace) -> bool:
    said = entry.handler.get("failClosed") is True or entry.handler.get("onFailure") == "block"
    return said or any(event in place.contract.closes for event in entry.events)


def _seconds(entry: HandlerEntry, place: SettingsPlace, notes: Notes) -> float | None:
    """Return the timeout that is declared, in seconds; None for the agent's default."""
    contract = place.contract
    key = next((key for key in contract.timeouts if key in entry.handler), "")
    value = entry.handler[key] if key else None
    if value is None:
        return None
    here = (*entry.keys, key)
    unit = "milliseconds" if contract.milliseconds else "seconds"
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
        hint = f"write a number of {unit}"
        notes.problem(here, f"{value!r} is not a number of {unit} above 0; the default is used", hint)
        return None
    if value < contract.seconds_below:
        return float(value)
    if contract.milliseconds and value < _LIKELY_SECONDS:
        hint = f"for {value:g} seconds write {value * 1000:g}"
        notes.problem(here, f"{value:g} means milliseconds here, but looks like seconds", hint)
    elif not contract.milliseconds and value >= _LIKELY_MILLISECONDS:
        hint = f"for {value:g} milliseconds write {value / 1000:g}"
        notes.problem(here, f"{value:g} means seconds here, but looks like milliseconds", hint)
    return value / 1000 if contract.milliseconds else float(value)


def read_matcher(entry: HandlerEntry, place: SettingsPlace, notes: Notes) -> AgentMatcher | None:
    """Return when *entry* fires; None when its agent never fires it, which goes to *notes*."""
    text = "" if entry.matcher is None else entry.matcher
    if not isinstance(text, str):
        notes.problem(entry.matcher_keys, "must be text", "write the names of tools as text", level="error")
        return None
    condition = _condition(entry, place, notes)
    rule = place.contract.matcher_at(entry.own_event)
    try:
        matcher = AgentMatcher(rule, text, about=_about(entry, place), kinds=_kinds(entry, place), condition=condition)
    except ValueError as error:
        message = f"the matcher {text!r} cannot be read, so that the hook never fires: {error}"
        notes.problem(entry.matcher_keys, message, "write names, or fix the expression", level="error")
        return None
    if rule.names_servers is False and _is_lone_server(text):
        message = f"{text!r} is compared with whole names, and no tool has that name"
        notes.problem(entry.matcher_keys, message, f"for all tools of that server: {text}__.*")
    if matcher.is_risky:
        message = f"{text!r} repeats a repetition: only short names are tried, for others the hook fires"
        notes.problem(entry.matcher_keys, message, "write it without a repetition in a repetition")
    return matcher


def _about(entry: HandlerEntry, place: SettingsPlace) -> str:
    """Return what the matcher is compared with."""
    event = EVENTS[entry.events[0]]
    if entry.own_event in _ABOUT_A_COMMAND:
        return COMMAND
    if event.has_tool or event.name in _ABOUT_A_TOOL:
        return TOOL
    return place.contract.about.get(event.name, NOTHING)


def _kinds(entry: HandlerEntry, place: SettingsPlace) -> tuple[str, ...]:
    """Return the kinds of tool that the agent's event is about, where it is not about all."""
    implied = place.dialect.tool_by_event.get(entry.own_event, "")
    if implied.endswith(":"):
        return ("mcp",)
    return kinds_of_tool(implied, place.dialect) if implied else ()


def _is_lone_server(text: str) -> bool:
    return text.startswith("mcp__") and text.count("__") == 1 and text.replace("_", "").isalnum()


def _condition(entry: HandlerEntry, place: SettingsPlace, notes: Notes) -> Condition | None:
    text = entry.handler.get("if")
    rule = place.contract.matcher.condition
    if text is None or not rule:
        return None
    here = (*entry.keys, "if")
    if not isinstance(text, str):
        notes.problem(here, "must be text; it is ignored, so the hook fires", "write one rule as text")
        return None
    from hookrun.matching.conditions import claude_condition, never_condition, xbot_condition

    if not EVENTS[entry.events[0]].has_tool:
        condition = never_condition(text, entry.own_event)
    else:
        condition = claude_condition(text) if rule == PERMISSION_RULE else xbot_condition(text)
    if condition.flaw:
        notes.problem(here, condition.flaw, condition.hint)
    return condition
