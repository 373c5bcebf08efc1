"""The shape of a dialect: how one agent or system names its tools, its events and their input."""

from __future__ import annotations

from hookrun.model.frozen import Frozen

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping


class Dialect(Frozen):
    """One agent's names, as data. In every tuple of names the first is the one that is written.

    ``tools`` has its names by kind, ``events`` its own spellings by canonical event, ``input_keys`` its
    keys of a tool's input by what they mean (path, old, new, content, command). ``mcp`` is what stands
    before the server and between server and tool in the name of an MCP tool; without a second part the
    name leaves out the server. ``mcp_keys`` are the keys of server, tool and arguments where an MCP tool's
    input says them instead. ``tool_by_event`` has the tool that an event means without naming it; one that
    ends in a colon stands before the name that the event does give. ``project_variables`` are those in which
    the agent itself tells what it starts the project. ``other_tools`` has the kinds of tools that are known
    by name and are not what a hook for that kind would be offered. ``results_say_success``: each part of a
    result has a ``success`` of its own.
    """

    name: str
    tools: Mapping[str, tuple[str, ...]]
    events: Mapping[str, tuple[str, ...]]
    input_keys: Mapping[str, str]
    mcp: tuple[str, str] | None = None
    mcp_keys: tuple[str, str, str] | None = None
    tool_by_event: Mapping[str, str] = {}
    project_variables: tuple[str, ...] = ()
    other_tools: Mapping[str, tuple[str, ...]] = {}
    results_say_success: bool = False
    user_settings: tuple[str, ...] = ()  # files and folders of its settings below the home
    project_settings: tuple[str, ...] = ()  # and below a project
