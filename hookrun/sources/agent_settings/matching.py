"""When a handler of an agent's settings fires: its matcher and its `if`, by that agent's rule."""

from __future__ import annotations

from hookrun.agents import kinds_of_tool
from hookrun.matching.agent_rules import COMMAND, NOTHING, PERMISSION_RULE, TOOL, AgentMatcher
from hookrun.matching.conditions import Condition
from hookrun.model.events import EVENTS
from hookrun.sources.agent_settings.entries import HandlerEntry, Notes, SettingsPlace

_ABOUT_A_TOOL = ("PermissionRequest", "PermissionDenied")
_ABOUT_A_COMMAND = ("beforeShellExecution", "afterShellExecution")


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
