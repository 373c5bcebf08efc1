"""The dialects as one table: which agent means what by a name, and what another would call it. Pure."""

from __future__ import annotations

from functools import lru_cache

from hookrun.model.events import EVENTS, KINDS, event_named, folded

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from hookrun.agents.shape import Dialect, Protocol
    from hookrun.model.events import EventType
    from hookrun.model.values import Event

# The table of agents, in the order in which they are shown: each is the folder of that name.
AGENTS = ("claude", "codex", "gemini", "xbot", "xcsh", "cursor", "copilot", "cline", "windsurf", "qwen", "droid")
NEUTRAL = "xbot"  # the dialect of hookrun's own manifests and scripts, and of an event of no agent
_OF_MODULES = "xcsh"  # whose names hook modules use
_MOST_READINGS = 16


def agent_module(agent: str, part: str) -> Any:
    """Return the module names, protocol or settings of *agent*. importlib would cost every emit a millisecond."""
    return __import__(f"hookrun.agents.{agent}.{part}", fromlist=("",))


_names: dict[str, Dialect] = {agent: agent_module(agent, "names").DIALECT for agent in AGENTS}
XBOT: Dialect = _names[NEUTRAL]
MODULE_DIALECT: Dialect = _names[_OF_MODULES]
# In the order in which a name is looked for.
DIALECTS: tuple[Dialect, ...] = tuple({NEUTRAL: XBOT, _OF_MODULES: MODULE_DIALECT, **_names}.values())


def dialect_named(name: str) -> Dialect | None:
    """Return the dialect called *name*, or None."""
    return _names.get(name)


@lru_cache(maxsize=1)
def agents_with_settings() -> tuple[Dialect, ...]:
    """Return the dialects of agents that have settings of hooks, in the order in which these are read."""
    return tuple(dialect for dialect in _names.values() if dialect.user_settings)


def protocol_of(agent: str) -> Protocol:
    """Return what *agent*, one of the dialects, hands to hooks and reads; imported only when it is needed."""
    protocol: Protocol = agent_module(agent, "protocol").PROTOCOL
    return protocol


def has_settings(agent: str) -> bool:
    """Say whether hookrun reads settings of *agent*."""
    return any(dialect.name == agent for dialect in agents_with_settings())


def dialect_of_tool(tool_name: str) -> Dialect | None:
    """Return the first dialect that has a tool of exactly that name, or whose MCP tools are named so."""
    for dialect in DIALECTS:
        if tool_name in _kinds_by_name(dialect.name):
            return dialect
    for dialect in DIALECTS:
        if tool_name in dialect.other_tools:
            return dialect
    return next((dialect for dialect in DIALECTS if mcp_parts(tool_name, dialect)), None)


def knows_tool(dialect: Dialect, tool_name: str) -> bool:
    """Say whether *dialect* has a tool of exactly that name."""
    return tool_name in _kinds_by_name(dialect.name)


def kinds_of_tool(tool_name: str, dialect: Dialect) -> tuple[str, ...]:
    """Return the kinds that *tool_name* means in *dialect*, exactly or else without case; () when none."""
    kinds = _kinds_by_name(dialect.name).get(tool_name)
    if kinds:
        return kinds
    if mcp_parts(tool_name, dialect):
        return ("mcp",)
    return _kinds_by_folded_name(dialect.name).get(tool_name.lower(), ())


def kinds_of_call(tool_name: str, dialect: Dialect) -> tuple[str, ...]:
    """Return the kinds of a tool that is called, in *dialect* or else anywhere; () for an unknown one."""
    for preferred in (dialect, *DIALECTS):
        if tool_name in preferred.other_tools and not kinds_of_tool(tool_name, dialect):
            return preferred.other_tools[tool_name]
    return kinds_of_tool(tool_name, dialect) or kinds_of_any(tool_name, dialect)


def kinds_of_any(tool_name: str, preferred: Dialect | None = None) -> tuple[str, ...]:
    """Return the kinds that *tool_name*, in any case, means: itself, in *preferred*, or else anywhere."""
    name = tool_name.lower()
    if name in KINDS:
        return (name,)
    if preferred and (kinds := kinds_of_tool(tool_name, preferred)):
        return kinds
    found = {kind for dialect in DIALECTS for kind in kinds_of_tool(tool_name, dialect)}
    return tuple(kind for kind in KINDS if kind in found)


def tool_names(event: Event, dialect: Dialect) -> tuple[str, ...]:
    """Return the names under which a hook of *dialect* is offered the event's tool, the one to show first.

    In the event's own dialect that is the name as given; a name that the dialect does not know, such as
    one that only the configuration explains, is joined by what the dialect calls such a tool. In another
    dialect that dialect's names come first and the name as given is last.
    """
    if not event.tool_name:
        return ()
    is_by_shape = event.whole_input is not None and not knows_tool(dialect, event.tool_name)
    if dialect.name != event.dialect or is_by_shape:
        return _with(names_of_kinds(event, dialect), event.tool_name)
    if event.tool_name in _kinds_by_name(dialect.name) or mcp_parts(event.tool_name, dialect):
        return (event.tool_name,)
    names = names_of_kinds(event, dialect)
    return (event.tool_name, *(name for name in names if name != event.tool_name))


def known_tool_names() -> tuple[str, ...]:
    """Return the names of all tools of all dialects, and the kinds."""
    names = dict.fromkeys(name for dialect in DIALECTS for name in _kinds_by_name(dialect.name))
    return (*names, *(kind for kind in KINDS if kind not in names))


@lru_cache(maxsize=1000)
def event_named_anywhere(spelling: str) -> EventType | None:
    """Return the event that *spelling* names in the catalogue or in any dialect, or None."""
    event = event_named(spelling)
    if event:
        return event
    name = _event_by_spelling().get(folded(spelling))
    return EVENTS[name] if name else None


def own_event_name(event: str, dialect: Dialect) -> str:
    """Return what *dialect* calls the canonical *event*; the canonical name where it has none."""
    return dialect.events.get(event, (event,))[0]


def mcp_parts(tool_name: str, dialect: Dialect) -> tuple[str, str] | None:
    """Return server and tool of an MCP tool's name in *dialect*; None for any other name.

    The server is "" where the dialect leaves it out; both are where the name can be read in two ways.
    """
    if not dialect.mcp or not tool_name.startswith(dialect.mcp[0]):
        return None
    prefix, separator = dialect.mcp
    rest = tool_name[len(prefix) :]
    if not separator:
        return ("", rest) if rest else None
    server, found, tool = rest.partition(separator)
    if not (found and server and tool):
        return None
    return ("", "") if separator in tool else (server, tool)


def server_and_tool(event: Event) -> tuple[str, str]:
    """Return server and tool as the name of the event's MCP tool says them, by the first separator where it
    can be read in two ways; no server where the name says none."""
    for dialect in (dialect_named(event.dialect), *DIALECTS):
        if dialect and dialect.mcp and mcp_parts(event.tool_name, dialect):
            server, tool = _mcp_readings(event.tool_name, *dialect.mcp)[0]
            return ("" if server == "*" else server, event.tool_name if tool == "*" else tool)
    return "", event.tool_name


def names_of_kinds(event: Event, dialect: Dialect) -> tuple[str, ...]:
    """Return what *dialect* calls the event's tool: the first name of each kind before the others."""
    is_named_by_its_kind = event.kinds != ("mcp",) or dialect.mcp_keys
    names = _names_of_kinds(event.kinds, dialect.name) if is_named_by_its_kind else ()
    return (*names, *(name for name in _mcp_names(event, dialect) if name not in names))


@lru_cache(maxsize=512)
def _names_of_kinds(kinds: tuple[str, ...], dialect_name: str) -> tuple[str, ...]:
    dialect = dialect_named(dialect_name)
    lists = [dialect.tools.get(kind, ()) for kind in kinds] if dialect else []
    first = [names[0] for names in lists if names]
    return tuple(dict.fromkeys((*first, *(name for names in lists for name in names))))


def _source_of_mcp_name(event: Event) -> Dialect | None:
    """Return the dialect whose MCP tools are named like the tool of *event*: its own, or else the first."""
    own = dialect_named(event.dialect)
    if own and _names_mcp_tools(own, event.tool_name):
        return own
    return next((other for other in DIALECTS if _names_mcp_tools(other, event.tool_name)), None)


def _mcp_names(event: Event, dialect: Dialect) -> tuple[str, ...]:
    """Return every name that an MCP tool may have in *dialect*, in all spellings where that has no own one.

    A hook must not miss its tool because a name can be read in several ways. ``*`` stands for what the name
    leaves out. The one to show first is the name as given, unless there is exactly one other, or the name
    as given says nothing.
    """
    source = _source_of_mcp_name(event)
    if not source:
        return ()
    if source.mcp:
        readings = _mcp_readings(event.tool_name, *source.mcp)
    else:
        readings = _mcp_readings_of_input(event.tool_input, source)
    forms = (dialect.mcp,) if dialect.mcp else _mcp_forms()
    names = tuple(dict.fromkeys(_mcp_name(form, *reading) for form in forms for reading in readings))
    if "*" not in names[0] and (len(names) == 1 or not source.mcp):
        return names
    return tuple(dict.fromkeys((event.tool_name, *names)))


@lru_cache(maxsize=1)
def _mcp_forms() -> tuple[tuple[str, str], ...]:
    return tuple(dict.fromkeys(dialect.mcp for dialect in DIALECTS if dialect.mcp))


def _mcp_name(form: tuple[str, str], server: str, tool: str) -> str:
    prefix, separator = form
    return f"{prefix}{server}{separator}{tool}" if separator else prefix + tool


def _names_mcp_tools(dialect: Dialect, tool_name: str) -> bool:
    """Say whether *tool_name* names an MCP tool in *dialect*, alone or together with its input."""
    if dialect.mcp:
        return mcp_parts(tool_name, dialect) is not None
    return dialect.mcp_keys is not None and tool_name in dialect.tools["mcp"]


def _mcp_readings_of_input(tool_input: Any, dialect: Dialect) -> list[tuple[str, str]]:
    """Return server and tool as *tool_input* says them, and as others spell them; ``*`` for one it lacks."""
    values = tool_input if isinstance(tool_input, dict) else {}
    said = [values.get(key) for key in (dialect.mcp_keys or ())[:2]]
    server, tool = (value if isinstance(value, str) and value else "*" for value in said)
    return list(dict.fromkeys([(server, tool), (_plain(server), _plain(tool))]))


def _plain(name: str) -> str:
    """Return *name* as agents write it into a tool's name, with ``_`` for what is not usual in one."""
    if name == "*":
        return name
    is_kept = [character.isascii() and (character.isalnum() or character in "_-") for character in name]
    return "".join(character if kept else "_" for character, kept in zip(name, is_kept, strict=True))


def _mcp_readings(tool_name: str, prefix: str, separator: str) -> list[tuple[str, str]]:
    """Return the servers and tools that *tool_name* may mean; ``*`` is any."""
    rest = tool_name[len(prefix) :]
    if not separator:
        return [("*", rest)]
    if rest.count(separator) > _MOST_READINGS:
        return [("*", "*")]
    places = [place for place in range(1, len(rest)) if rest.startswith(separator, place)]
    return [(rest[:place], tool) for place in places if (tool := rest[place + len(separator) :])]


def _with(names: tuple[str, ...], raw: str) -> tuple[str, ...]:
    return names if raw in names else (*names, raw)


@lru_cache(maxsize=32)
def _kinds_by_name(dialect_name: str) -> dict[str, tuple[str, ...]]:
    kinds_by_name: dict[str, tuple[str, ...]] = {}
    dialect = dialect_named(dialect_name)
    for kind, names in dialect.tools.items() if dialect else ():
        for name in names:
            kinds_by_name[name] = (*kinds_by_name.get(name, ()), kind)
    return kinds_by_name


@lru_cache(maxsize=32)
def _kinds_by_folded_name(dialect_name: str) -> dict[str, tuple[str, ...]]:
    return {name.lower(): kinds for name, kinds in _kinds_by_name(dialect_name).items()}


@lru_cache(maxsize=1)
def _event_by_spelling() -> dict[str, str]:
    # A spelling for two events, such as AfterTool, means the first: the payload tells the failure.
    event_by_spelling: dict[str, str] = {}
    for dialect in DIALECTS:
        for event, spellings in dialect.events.items():
            for spelling in spellings:
                event_by_spelling.setdefault(folded(spelling), event)
    return event_by_spelling
