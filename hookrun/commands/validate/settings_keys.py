"""Checks of agents' own settings: keys that mean nothing there, matchers that match no tool, switches that
are off. What reading them complains about already is not said twice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from hookrun.agents import NEUTRAL, dialect_named, kinds_of_any, kinds_of_tool
from hookrun.agents.settings import KEYS_OF_HOOKS, settings_of
from hookrun.agents.shape import Dialect
from hookrun.commands.validate.definition import Definition
from hookrun.commands.validate.finding import Finding, MatcherFlaw
from hookrun.commands.validate.subject import Subject
from hookrun.config.documents import key_text
from hookrun.config.json_positions import Keys
from hookrun.matching.agent_rules import TOOL, AgentMatcher
from hookrun.model import constants
from hookrun.model.nearest import nearest
from hookrun.model.values import Event, Hook
from hookrun.sources.found import Skip

SWITCHED_OFF = "does not run: "
_SUFFIX = "-settings"
_ALIKE = 0.8  # how near a key of a file with much else has to be


def agent_of(source: str) -> str:
    """Return the agent whose settings *source* is, "" for any other source."""
    return source.removesuffix(_SUFFIX) if source.endswith(_SUFFIX) else ""


def check_file(definition: Definition, agent: str) -> Iterator[Finding]:
    """Yield the keys of a settings file of *agent* that mean nothing there."""
    table, settings = definition.table, settings_of(agent)
    if not settings.handler_keys:
        return
    known = settings.file_keys
    for key in table if not definition.path.endswith(".toml") else ():
        near = nearest(str(key), known or KEYS_OF_HOOKS, similarity=0.6 if known else _ALIKE)
        if str(key) not in (known or KEYS_OF_HOOKS) and (known or near) and not str(key).startswith("$"):
            yield _unknown(definition, (str(key),), agent, near)
    hooks = table.get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for index, group in enumerate(groups) if isinstance(groups, list) else ():
            if isinstance(group, dict):
                yield from _of_group(definition, ("hooks", str(event), index), group, agent)


def _of_group(definition: Definition, keys: Keys, group: Mapping[Any, Any], agent: str) -> Iterator[Finding]:
    settings = settings_of(agent)
    if settings.is_flat:
        yield from _of_handler(definition, keys, group, agent)
        return
    yield from _of_table(definition, keys, group, settings.group_keys, agent)
    handlers = group.get("hooks")
    for index, handler in enumerate(handlers) if isinstance(handlers, list) else ():
        if isinstance(handler, dict):
            yield from _of_handler(definition, (*keys, "hooks", index), handler, agent)


def _of_handler(definition: Definition, keys: Keys, handler: Mapping[Any, Any], agent: str) -> Iterator[Finding]:
    """What a handler that hookrun does not run may say is for its agent to know."""
    settings = settings_of(agent)
    if handler.get("type", "command") in settings.runs:
        yield from _of_table(definition, keys, handler, settings.handler_keys, agent)


def _of_table(
    definition: Definition, keys: Keys, table: Mapping[Any, Any], known: Collection[str], agent: str
) -> Iterator[Finding]:
    for key in table:
        if key not in known:
            yield _unknown(definition, (*keys, str(key)), agent, nearest(str(key), known))


def _unknown(definition: Definition, keys: Keys, agent: str, near: str) -> Finding:
    where = key_text(keys)
    return Finding(
        message=f"{settings_of(agent).title} does not know this key here",
        file=definition.path,
        line=definition.line(where),
        where=where,
        hint=f"did you mean {near}?" if near else "it is ignored",
    )


def check_matcher(subject: Subject, own_tools: Collection[str]) -> Iterator[Finding]:
    """Yield a warning for a matcher of an agent's settings that matches none of its tools."""
    flaw = tool_flaw(subject.hook, own_tools)
    if flaw is None:
        return
    where = _matcher_where(subject.where)
    yield Finding(
        message=f"never fires: {flaw.message}" if flaw.never_fires or flaw.is_single else flaw.message,
        file=subject.hook.file,
        line=subject.definition.line(where),
        where=where,
        hook=subject.hook.id,
        hint=flaw.hint,
        state=constants.NEVER_FIRES if flaw.never_fires else "",
    )


def matcher_flaw_of_settings(hook: Hook, own_tools: Collection[str]) -> MatcherFlaw | None:
    """Return what keeps an entry of an agent's settings from firing: its `if`, or its matcher."""
    for trigger in hook.triggers:
        condition = getattr(trigger.accepts, "condition", None)
        if condition is not None and condition.never_holds:
            return MatcherFlaw(message=condition.flaw, hint=condition.hint, never_fires=True)
    return tool_flaw(hook, own_tools)


def tool_flaw(hook: Hook, own_tools: Collection[str]) -> MatcherFlaw | None:
    """Return what is wrong with a matcher of an agent's settings that names no tool of that agent."""
    matcher = hook.triggers[0].accepts if hook.triggers else None
    dialect = dialect_named(hook.dialect)
    text = hook.triggers[0].matcher.strip() if hook.triggers else ""
    if not isinstance(matcher, AgentMatcher) or matcher.about != TOOL or dialect is None or text in ("", "*"):
        return None
    tools = matcher.rule.names_by_kind or dialect.tools
    known = dict.fromkeys(name for spellings in tools.values() for name in spellings)
    others = (name for tool, names in matcher.rule.also.items() for name in (tool, *names))
    missing = _missing(text, matcher, dialect, (*known, *own_tools, *others))
    if missing is None:
        return None
    title = settings_of(hook.dialect).title
    near = nearest(missing, known) or _in_another_case(text, matcher, known)
    is_single = "|" not in text and "," not in text
    message = f"no tool of {title} is called {missing!r}" if missing else f"{text!r} matches no tool of {title}"
    return MatcherFlaw(
        message=message,
        hint=f"did you mean {near}?" if near else f"its tools are {', '.join(known)}",
        is_single=is_single,
        # A name that resembles nothing may be a tool that is newer than hookrun's list.
        never_fires=bool(near or kinds_of_any(text)) and (is_single or not missing),
    )


def _in_another_case(text: str, matcher: AgentMatcher, known: Iterable[str]) -> str:
    """Return the first tool that an expression would match if case did not count, "" for none."""
    if matcher.names is not None:
        return ""
    try:
        lower = AgentMatcher(matcher.rule, text.lower(), about=TOOL)
    except ValueError:
        return ""
    event = Event(event="PreToolUse", dialect=NEUTRAL)
    return next((name for name in known if lower(event, (name.lower(),))), "")


def _missing(text: str, matcher: AgentMatcher, dialect: Dialect, known: Iterable[str]) -> str | None:
    """Return a name that no tool has, "" for an expression that matches none; None when all is well."""
    tools = tuple(known)
    if matcher.names is None:
        is_found = any(
            matcher(Event(event="PreToolUse", dialect=dialect.name, tool_name=name), (name,)) for name in tools
        )
        return None if is_found or "mcp" in text.lower() or dialect.mcp == ("MCP:", "") else ""
    for name in sorted(matcher.names):
        is_known = name in tools or name.startswith("mcp")
        if not is_known and "mcp" not in kinds_of_tool(name, dialect):
            return name
    return None


def _matcher_where(where: str) -> str:
    """Return where the matcher stands: in the group, or beside the command where there are no groups."""
    group, _, index = where.rpartition(".hooks[")
    return f"{group if index and group else where}.matcher"


def check_skips(skips: Iterable[Skip], definitions: Mapping[str, Definition]) -> Iterator[Finding]:
    """Yield a warning for what an agent's settings themselves keep from running."""
    for skip in skips:
        if skip.switch:
            definition = definitions.get(skip.path)
            yield Finding(
                message=SWITCHED_OFF + skip.reason.removeprefix(f"{skip.where}: "),
                file=skip.path,
                line=definition.line(skip.where or skip.switch) if definition else 0,
                where=skip.where,
                hint="switch it on again, or remove the hooks",
            )
