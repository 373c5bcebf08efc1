"""Checks of agents' own settings: unknown keys, matchers that match no tool, hooks that are switched off."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from hookrun.agents import NEUTRAL, dialect_named, kinds_of_any, kinds_of_tool
from hookrun.agents.settings import KEYS_OF_HOOKS, Settings, settings_of
from hookrun.agents.shape import Dialect
from hookrun.commands.validate.definition import Definition
from hookrun.commands.validate.finding import Finding, MatcherFlaw
from hookrun.commands.validate.subject import Subject
from hookrun.config.documents import key_text
from hookrun.config.json_positions import Keys
from hookrun.matching.agent_rules import TOOL, AgentMatcher
from hookrun.model import constants
from hookrun.model.text import nearest
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
    settings = settings_of(agent)
    if not settings.handler_keys:
        return
    if not definition.path.endswith(".toml"):
        yield from _of_file(definition, settings)
    hooks = definition.table.get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for index, group in enumerate(groups) if isinstance(groups, list) else ():
            if isinstance(group, dict):
                yield from _of_group(definition, ("hooks", str(event), index), group, settings)


def _of_file(definition: Definition, settings: Settings) -> Iterator[Finding]:
    """Yield unknown keys of a file of hooks alone; in one with much else, those that look like a key of hooks."""
    known = settings.file_keys or KEYS_OF_HOOKS
    for key in map(str, definition.table):
        near = nearest(key, known, similarity=0.6 if settings.file_keys else _ALIKE)
        if key not in known and (near or settings.file_keys) and not key.startswith("$"):
            yield _unknown(definition, (key,), settings, near)


def _of_group(definition: Definition, keys: Keys, group: Mapping[Any, Any], settings: Settings) -> Iterator[Finding]:
    if settings.is_flat:
        yield from _of_handler(definition, keys, group, settings)
        return
    yield from _of_table(definition, keys, group, settings.group_keys, settings)
    handlers = group.get("hooks")
    for index, handler in enumerate(handlers) if isinstance(handlers, list) else ():
        if isinstance(handler, dict):
            yield from _of_handler(definition, (*keys, "hooks", index), handler, settings)


def _of_handler(
    definition: Definition, keys: Keys, handler: Mapping[Any, Any], settings: Settings
) -> Iterator[Finding]:
    """What a handler that hookrun does not run may say is for its agent to know."""
    if handler.get("type", "command") in settings.runs:
        yield from _of_table(definition, keys, handler, settings.handler_keys, settings)


def _of_table(
    definition: Definition, keys: Keys, table: Mapping[Any, Any], known: Collection[str], settings: Settings
) -> Iterator[Finding]:
    for key in table:
        if key not in known:
            yield _unknown(definition, (*keys, str(key)), settings, nearest(str(key), known))


def _unknown(definition: Definition, keys: Keys, settings: Settings, near: str) -> Finding:
    where = key_text(keys)
    return Finding(
        message=f"unknown key {keys[-1]!r} ({settings.title} ignores it)",
        file=definition.path,
        line=definition.line(where),
        where=where,
        hint=f"did you mean {near}?" if near else "remove it",
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
    known = _tools_of(matcher, dialect)
    others = (name for tool, names in matcher.rule.also.items() for name in (tool, *names))
    tools = (*known, *own_tools, *others)
    if matcher.names is None:
        return (
            None if _matches_any(text, matcher, dialect, tools) else _flaw_of_expression(text, matcher, dialect, known)
        )
    missing = next((name for name in sorted(matcher.names) if not _is_tool(name, dialect, tools)), "")
    return _flaw_of_name(missing, text, dialect, known) if missing else None


def _tools_of(matcher: AgentMatcher, dialect: Dialect) -> tuple[str, ...]:
    tools = matcher.rule.names_by_kind or dialect.tools
    return tuple(dict.fromkeys(name for spellings in tools.values() for name in spellings))


def _is_tool(name: str, dialect: Dialect, tools: Collection[str]) -> bool:
    return name in tools or name.startswith("mcp") or "mcp" in kinds_of_tool(name, dialect)


def _matches_any(text: str, matcher: AgentMatcher, dialect: Dialect, tools: Iterable[str]) -> bool:
    """Say whether an expression matches one of *tools*, or may match a tool of a server."""
    if "mcp" in text.lower() or (dialect.mcp and not dialect.mcp[1]):
        return True
    return any(matcher(Event(event="PreToolUse", dialect=dialect.name, tool_name=name), (name,)) for name in tools)


def _flaw_of_name(missing: str, text: str, dialect: Dialect, known: Sequence[str]) -> MatcherFlaw:
    near = nearest(missing, known)
    is_single = "|" not in text and "," not in text
    return MatcherFlaw(
        message=f"{settings_of(dialect.name).title} has no tool named {missing!r}",
        hint=_did_you_mean(near, known),
        is_single=is_single,
        # A name that resembles nothing may be a tool that is newer than hookrun's list.
        never_fires=is_single and bool(near or kinds_of_any(text)),
    )


def _flaw_of_expression(text: str, matcher: AgentMatcher, dialect: Dialect, known: Sequence[str]) -> MatcherFlaw:
    near = _in_another_case(text, matcher, known)
    return MatcherFlaw(
        message=f"{text!r} matches no tool of {settings_of(dialect.name).title}",
        hint=_did_you_mean(near, known),
        is_single="|" not in text and "," not in text,
        never_fires=bool(near or kinds_of_any(text)),
    )


def _did_you_mean(near: str, known: Iterable[str]) -> str:
    return f"did you mean {near}?" if near else f"its tools are {', '.join(known)}"


def _in_another_case(text: str, matcher: AgentMatcher, known: Iterable[str]) -> str:
    """Return the first tool that an expression would match if case did not count, "" for none."""
    try:
        lower = AgentMatcher(matcher.rule, text.lower(), about=TOOL)
    except ValueError:
        return ""
    event = Event(event="PreToolUse", dialect=NEUTRAL)
    return next((name for name in known if lower(event, (name.lower(),))), "")


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
