"""When an agent's hook fires -> a manifest's matcher that says the same, or why there is none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from hookrun.agents import kinds_of_tool
from hookrun.agents.settings import settings_of
from hookrun.agents.shape import Dialect
from hookrun.commands.import_.expressions import globs_of
from hookrun.matching.agent_rules import COMMAND_RULE, PERMISSION_RULE, AgentMatcher, MatcherRule, exact_names
from hookrun.matching.conditions import EDITING, READING
from hookrun.matching.matchers import glob
from hookrun.model.events import EVENTS
from hookrun.model.frozen import Frozen
from hookrun.model.values import Event

_ABOUT_A_TOOL = ("PermissionRequest", "PermissionDenied")
_ABOUT_A_COMMAND = ("beforeShellExecution", "afterShellExecution")
_ANY_SERVER = "mcp__server__tool"


class Matching(Frozen):
    """``matcher`` is a manifest's, ``note`` what is worth to be told about it; ``lost`` says why the hook
    cannot be carried over ("" when it can)."""

    matcher: str = ""
    note: str = ""
    lost: str = ""


def matching_of(own_event: str, event: str, matcher: Any, handler: Mapping[str, Any], dialect: Dialect) -> Matching:
    """Return how a manifest of *dialect* says when a handler for *own_event*, canonically *event*, fires."""
    text = matcher if isinstance(matcher, str) else ""
    is_all = text.strip() in ("", "*")
    known = EVENTS[event]
    if not known.has_tool and event not in _ABOUT_A_TOOL:
        if is_all or not settings_of(dialect.name).about:
            return Matching()
        return Matching(lost=f"its matcher {text!r} is not about tools, and a manifest's is about nothing else")
    if own_event in _ABOUT_A_COMMAND and not is_all:
        return Matching(lost=f"its matcher {text!r} looks into the command: test $HOOKRUN_COMMAND in the script")
    implied = _implied(own_event, dialect)
    found = Matching(matcher="|".join(implied)) if is_all else _names(text, dialect)
    if implied and not is_all:
        found = _narrowed(found, implied)
    condition = handler.get("if")
    rule = settings_of(dialect.name).matcher
    if found.lost or condition is None or not rule.condition:
        return found
    return _with_condition(found, str(condition), rule)


def _implied(own_event: str, dialect: Dialect) -> list[str]:
    """Return the tools that the agent's event is about, where it is not about all."""
    implied = dialect.tool_by_event.get(own_event, "")
    if implied.endswith(":"):
        return [f"{implied}*"]
    kinds = kinds_of_tool(implied, dialect) if implied else ()
    return list(dict.fromkeys(name for kind in kinds for name in dialect.tools.get(kind, ())))


def _names(text: str, dialect: Dialect) -> Matching:
    rule = settings_of(dialect.name).matcher
    if exact_names(rule, text) is not None:
        names = [name.strip() for name in re.split(r"[|,]", text) if name.strip()]
        return Matching(matcher="|".join(_with_aliases(names, rule)))
    globs = globs_of(text.strip(), is_anchored=rule.is_anchored)
    if globs is not None:
        return Matching(matcher="" if "*" in globs else "|".join(_with_aliases(globs, rule)))
    return _spelled_out(text, dialect)


def _with_aliases(patterns: list[str], rule: MatcherRule) -> list[str]:
    """Return *patterns* and the tools that they match by another name under which the agent offers them."""
    tools = [
        tool for tool, others in rule.also.items() if any(glob(each)(name) for each in patterns for name in others)
    ]
    return list(dict.fromkeys((*patterns, *tools)))


def _spelled_out(text: str, dialect: Dialect) -> Matching:
    """Return the agent's tools that the expression finds, where it can find no tool of a server as well."""
    accepts = AgentMatcher(settings_of(dialect.name).matcher, text)
    known = dict.fromkeys(name for names in dialect.tools.values() for name in names)
    found = [name for name in known if accepts(_event(name, dialect), (name,))]
    is_open = "mcp" in text or accepts(_event(_ANY_SERVER, dialect), (_ANY_SERVER,))
    if is_open or not found:
        return Matching(lost=f"no list of names and globs says the same as its matcher {text!r}")
    matcher = "|".join(found)
    return Matching(matcher=matcher, note=f"its matcher {text!r} is spelled out: {matcher}")


def _event(tool_name: str, dialect: Dialect) -> Event:
    return Event(event="PreToolUse", dialect=dialect.name, tool_name=tool_name)


def _narrowed(found: Matching, names: Iterable[str]) -> Matching:
    """Return *found* with those of *names* alone that its matcher accepts."""
    if found.lost or not found.matcher:
        return found if found.lost else found.replace(matcher="|".join(names))
    accepted = [name for name in names if any(glob(each)(name) for each in found.matcher.split("|"))]
    if not accepted:
        return Matching(lost="it never fires: its matcher and its `if` or event have no tool in common")
    return found.replace(matcher="|".join(accepted))


def _with_condition(found: Matching, condition: str, rule: MatcherRule) -> Matching:
    """Return *found* with an `if` that names a tool and nothing more; one that looks further is lost."""
    simple = re.fullmatch(r"\s*([A-Za-z_]\w*)\s*(\(\s*\*\s*\))?\s*", condition)
    if not simple or (simple[2] and rule.condition == COMMAND_RULE):
        if rule.condition == PERMISSION_RULE and re.search(r"\)\s*\|", condition):
            return Matching(lost=f"its `if` {condition!r} has `|` between two rules, and never fires")
        reason = f"its `if` {condition!r} looks into the call"
        return Matching(lost=f"{reason}: test $HOOKRUN_COMMAND or $HOOKRUN_PATHS in the script")
    names = {"Edit": EDITING, "Read": READING}.get(simple[1]) if rule.condition == PERMISSION_RULE else None
    return _narrowed(found, names or (simple[1],))
