"""Checks of when a hook fires: matchers that have no effect or never match, roles that mean nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache

from hookrun.agents import (
    XBOT,
    dialect_named,
    dialect_of_tool,
    event_named_anywhere,
    kinds_of_any,
    kinds_of_tool,
    known_tool_names,
)
from hookrun.agents.shape import Dialect
from hookrun.commands.validate.definition import Said
from hookrun.commands.validate.finding import ERROR, Finding, MatcherFlaw
from hookrun.commands.validate.subject import Subject
from hookrun.matching.matchers import never_matches
from hookrun.model import constants
from hookrun.model.events import EVENTS
from hookrun.model.text import nearest
from hookrun.model.values import Hook
from hookrun.sources import fields
from hookrun.sources.script_folder import ANY_EVENT

_OWN_TOOL = "a tool of your own can be named in the configuration: tools"


def check_matchers(subject: Subject, own_tools: Collection[str]) -> Iterator[Finding]:
    """Yield what is wrong with a manifest's matchers; *own_tools* are known besides those of the dialects."""
    for event, matcher, said in _written_triggers(subject):
        kind = event_named_anywhere(event)
        if kind is None or kind.one_agent or matcher in ("", "*"):
            continue
        if not kind.has_tool:
            message = f"the matcher {matcher!r} has no effect: {kind.name} is not about a tool"
            yield subject.finding(message, said, hint="leave it out")
        elif flaw := never_matches(matcher, (*_tools(), *own_tools)):
            never = "" if "|" in matcher else f"{constants.NEVER_FIRES}: "
            found = subject.finding(never + flaw, said, hint=_OWN_TOOL)
            yield found.replace(state=constants.NEVER_FIRES if never else "")
        elif foreign := _foreign(matcher, dialect_named(subject.hook.dialect) or XBOT):
            yield subject.finding(
                f"{foreign!r} fires only for agents that use this very name", said, hint=_for_all(foreign)
            )


def matcher_flaw_of_manifest(hook: Hook, own_tools: Collection[str]) -> MatcherFlaw | None:
    """Return what is wrong with the matchers of a manifest's entry that name tools which no agent has."""
    if hook.kind not in (constants.CONTRIBUTED, constants.UI):
        return None
    flaws = [
        never_matches(trigger.matcher, (*_tools(), *own_tools))
        if trigger.event in EVENTS and EVENTS[trigger.event].has_tool and trigger.matcher not in ("", "*")
        else ""
        for trigger in hook.triggers
    ]
    message = "; ".join(dict.fromkeys(filter(None, flaws)))
    # A name that resembles nothing may be a tool of somebody's own agent, for which the hook fires.
    never_fires = all(
        flaw and "|" not in trigger.matcher and ("did you mean" in flaw or kinds_of_any(trigger.matcher))
        for trigger, flaw in zip(hook.triggers, flaws, strict=True)
    )
    return MatcherFlaw(message=message, hint=_OWN_TOOL, never_fires=never_fires) if message else None


def _foreign(matcher: str, dialect: Dialect) -> str:
    """Return the first plain name in *matcher* that is some agent's, and not the name that manifests use."""
    for name in (part.strip() for part in matcher.split("|")):
        if name and "*" not in name and not kinds_of_tool(name, dialect) and _own_names(name):
            return name
    return ""


def _for_all(name: str) -> str:
    return f"write {_own_names(name)[0]}: it means that tool of every agent"


def _own_names(name: str) -> list[str]:
    return [tool for kind in kinds_of_any(name) for tool in XBOT.tools.get(kind, ())]


def check_tool_of_script(subject: Subject, own_tools: Collection[str]) -> Iterator[Finding]:
    """Yield a warning for a script whose name or header names no known tool."""
    hook = subject.hook
    if hook.kind != constants.SCRIPT:
        return
    said = subject.says.get("tool")
    own = {tool.lower() for tool in own_tools}
    written = hook.triggers[0].matcher.split("|") if hook.triggers else []
    for tool in (name.strip() for name in written):
        if not tool or "*" in tool or tool.lower().startswith("mcp") or kinds_of_any(tool) or tool.lower() in own:
            continue
        near = nearest(tool, _tools() if said else (*_tools(), *EVENTS))
        meant = f"did you mean {near}? " if near else ""
        yield subject.finding(f"matches no known tool: {tool!r}", said, hint=meant + _OWN_TOOL)


def check_role(subject: Subject) -> Iterator[Finding]:
    """Yield a warning for a role or an on_failure that changes nothing."""
    hook = subject.hook
    answered = [trigger.event for trigger in hook.triggers]
    is_guarded = any(event == ANY_EVENT or EVENTS[event].guarded for event in answered)
    if hook.role == constants.GUARD and answered and not is_guarded:
        message = f"role guard has no effect: a failure never denies {' or '.join(answered)}"
        yield subject.finding(message, subject.says.get("role"), hint="leave it out")
    elif hook.on_failure and (hook.role == constants.OBSERVER or not is_guarded):
        message = "on_failure has no effect: the failure of an observer denies nothing"
        hint = "leave it out, or say role guard" if is_guarded else "leave it out"
        yield subject.finding(message, subject.says.get("on_failure"), hint=hint)


def _written_triggers(subject: Subject) -> Iterator[tuple[str, str, Said]]:
    """Yield (event, matcher, where it is written) of a manifest's entry."""
    says = subject.says
    if subject.hook.kind == constants.CONTRIBUTED and "event" in says and "matcher" in says:
        yield says["event"].value, says["matcher"].value, says["matcher"]
    if subject.hook.kind == constants.UI and "triggers" in says:
        for index, text in enumerate(says["triggers"].value):
            if isinstance(text, str):
                event, _, matcher = text.partition(":")
                said = Said(value=text, where=f"{says['triggers'].where}[{index}]")
                yield event.strip(), matcher.strip(), said


@lru_cache(maxsize=1)
def _tools() -> tuple[str, ...]:
    """Return the names that tools really have: a kind is no name unless an agent uses it as one."""
    return tuple(name for name in known_tool_names() if dialect_of_tool(name))


_SHORTEST_GUARD = 0.05  # seconds; starting an interpreter alone takes about as long


def check_timeout(subject: Subject) -> Iterator[Finding]:
    """Yield a finding for a timeout that is hardly meant as it is written."""
    said = subject.says.get("timeout")
    if said is None:
        return
    text = str(said.value).strip()
    if isinstance(said.value, str) and _is_number(text):
        hint = f"write {text}ms or {text}s"
        yield subject.finding(f"the timeout {text!r} has no unit", said, hint=hint, level=ERROR)
        return
    seconds = fields.seconds_of(said.value)
    if seconds is None:
        return
    if seconds > fields.LONGEST_TIMEOUT:
        digits = text.removesuffix("s")
        hint = f'write "{digits}ms" if that was meant, else at most "5m"' if _is_number(digits) else 'at most "5m"'
        message = f"the timeout {text} is {seconds:g} seconds, which looks like another unit"
        yield subject.finding(message, said, hint=hint)
    elif seconds < _SHORTEST_GUARD and subject.hook.role == constants.GUARD:
        message = f"the timeout {text} is {seconds * 1000:g} ms: a guard hardly starts in that time, and denies"
        yield subject.finding(message, said, hint='such as "5s"')


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()


def check_widget(subject: Subject) -> Iterator[Finding]:
    """Yield what keeps a ui contribution from being seen."""
    widget = subject.hook.widget
    if widget is None:
        return
    if widget.slot != constants.TOOL_HINT:
        if widget.sync:
            message = f"sync has no effect in {widget.slot}: only a {constants.TOOL_HINT} is part of the answer"
            yield subject.finding(message, subject.says.get("sync"), hint="leave it out")
        return
    if not widget.sync:
        message = f"without sync its output comes too late: a {constants.TOOL_HINT} belongs to one tool call"
        yield subject.finding(message, subject.says.get("slot"), hint='add "sync": true')
    if not subject.hook.triggers:
        message = f"never runs: a {constants.TOOL_HINT} runs at its triggers only, and none is usable"
        yield subject.finding(message, subject.says.get("triggers"), hint='"triggers": ["PostToolUse:Shell*"]')
    for trigger in subject.hook.triggers:
        kind = EVENTS[trigger.event]
        if not kind.has_tool and not kind.one_agent:
            message = f"a {constants.TOOL_HINT} belongs to a tool call, and {trigger.event} is not about a tool"
            yield subject.finding(message, _trigger(subject, trigger.event), hint="use another slot or event")


def _trigger(subject: Subject, event: str) -> Said | None:
    """Return the trigger that names *event*, in whatever spelling."""
    from hookrun.agents import event_named_anywhere

    said = subject.says.get("triggers")
    for index, text in enumerate(said.value if said else ()):
        kind = event_named_anywhere(text.partition(":")[0].strip()) if isinstance(text, str) else None
        if said and kind and kind.name == event:
            return Said(value=text, where=f"{said.where}[{index}]")
    return said
