"""The shapes of an agent's room: its names, which every emit may need, and its protocol. Settings have their
own (settings.py)."""

from __future__ import annotations

from hookrun.model.frozen import Frozen

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hookrun.agents.answer_format import HandlerOutput, ParsedAnswer
    from hookrun.agents.reply.encodings import ReplyTable
    from hookrun.model.values import Event


# What several agents have taken over from one: keys of the payload, names of events.
PAYLOAD_KEYS = {
    "event": ("hook_event_name",),
    "tool_name": ("tool_name",),
    "tool_input": ("tool_input",),
    "session_id": ("session_id",),
    "cwd": ("cwd",),
    "prompt": ("prompt",),
}
EVENT_NAMES = {
    "PreToolUse": ("PreToolUse",),
    "PostToolUse": ("PostToolUse",),
    "PostToolUseFailure": ("PostToolUseFailure",),
    "UserPromptSubmit": ("UserPromptSubmit",),
    "AgentStop": ("Stop",),
    "SessionStart": ("SessionStart",),
    "SessionEnd": ("SessionEnd",),
    "SubAgentStart": ("SubagentStart",),
    "SubAgentStop": ("SubagentStop",),
    "PreCompact": ("PreCompact",),
    "PostCompact": ("PostCompact",),
}
INPUT_KEYS = {"path": "file_path", "old": "old_string", "new": "new_string", "content": "content"}
MCP_NAME = ("mcp__", "__")


class Place(Frozen):
    """Where one source keeps its hooks, below a project level and below the user's home.

    Sources are read, and keep a key, in the order of falling ``order``.
    """

    source: str
    order: int
    dialect: str
    project: str  # the folder below a project level
    user: tuple[str, ...]  # folders below the home; "" is hookrun's own folder (paths.config_folder)
    plugins: str = ""  # has a folder a plugin
    plugin_names: tuple[str, ...] = ("plugin.json",)
    manifests: str = ""  # has a file a plugin
    scripts: str = ""  # has pre and post
    modules: str = ""  # has hook modules; those not in Python may be guards all the same
    has_python: bool = True


class Dialect(Frozen):
    """One agent's names, as data. In every tuple of names the first is the one that is written."""

    name: str
    tools: Mapping[str, tuple[str, ...]]  # its names by kind
    events: Mapping[str, tuple[str, ...]]  # its own spellings by canonical event
    input_keys: Mapping[str, str]  # keys of a tool's input by meaning: path, old, new, content, command
    # What begins the name of an MCP tool, and what separates server and tool; no second: it names no server.
    mcp: tuple[str, str] | None = None
    mcp_keys: tuple[str, str, str] | None = None  # of server, tool, arguments, where the input says them
    other_events: tuple[str, ...] = ()  # own events that mean nothing to other agents
    # The tool that an event is about without naming it; one with a final colon begins the name it does give.
    tool_by_event: Mapping[str, str] = {}
    project_variables: tuple[str, ...] = ()  # those in which the agent names its project to what it starts
    other_tools: Mapping[str, tuple[str, ...]] = {}  # kinds of tools that no hook of that kind is offered
    results_say_success: bool = False  # each part of a result has a `success` of its own
    # Keys of its payload by field: event, tool_name, tool_input, session_id, cwd, prompt, project_dir, inner.
    payload_keys: Mapping[str, tuple[str, ...]] = {}
    leaves_out_event: bool = False  # its payload does not name the event: the command line has to
    call_keys: tuple[str, ...] = ()  # keys of its payload that hold a whole call: name, input, id
    command_tools: tuple[str, ...] = ()  # tools whose `command` is the name of a prompt
    # Environment variables that it sets for hooks: to project, plugin, session, cwd, or a folder below home/.
    variables: Mapping[str, str] = {}
    place: Place | None = None  # where it keeps hooks besides its settings
    user_settings: tuple[str, ...] = ()  # files and folders of its settings below the home
    project_settings: tuple[str, ...] = ()  # and below a project


class Protocol(Frozen):
    """What one agent hands to a hook and what it reads in the answer."""

    replies: ReplyTable  # how a decision is written for it
    write_payload: Callable[[Event, str], dict[str, Any]]  # of an event and the agent's own name of it
    # What a handler of its settings says; None for an agent without settings.
    read_answer: Callable[[HandlerOutput, Event], ParsedAnswer] | None = None
