"""What each agent's own settings look like and what they promise, as data: shape, units, defaults, shell."""

from __future__ import annotations

from hookrun.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Contract(Frozen):
    """One agent's settings. ``is_flat``: an event holds handlers, not groups of them with a matcher.

    ``commands`` and ``timeouts`` are the keys of a handler's command and timeout, the first that is there
    counts; timeouts are in seconds or *milliseconds*, ``seconds`` is the default. ``shell`` is what a
    command line is given to. ``about`` names, by event, the key of the payload that a matcher is compared
    with where the event is about no tool. ``runs`` are the types of handlers that hookrun runs as it does,
    ``closes`` the events that a failure denies. ``plain_json``: it does not load settings with a comment or
    a trailing comma.
    """

    agent: str
    title: str
    is_flat: bool = False
    commands: tuple[str, ...] = ("command",)
    timeouts: tuple[str, ...] = ("timeout",)
    milliseconds: bool = False
    seconds: float = 60.0
    shell: tuple[str, ...] = ("/bin/sh", "-c")
    folder_key: str = ""
    about: Mapping[str, str] = {}
    runs: tuple[str, ...] = ("command",)
    closes: tuple[str, ...] = ()
    plain_json: bool = False


_CLAUDE_ABOUT = {
    "SessionStart": "source",
    "SessionEnd": "reason",
    "PreCompact": "trigger",
    "PostCompact": "trigger",
    "SubAgentStart": "agent_type",
    "SubAgentStop": "agent_type",
    "Notification": "notification_type",
}
_CONTRACTS = (
    Contract(
        agent="claude",
        title="Claude Code",
        seconds=600.0,
        about=_CLAUDE_ABOUT,
        runs=("command", "http"),
        plain_json=True,  # measured with 2.1.328: "These settings files did not load"
    ),
    Contract(
        agent="codex",
        title="Codex",
        timeouts=("timeout", "timeoutSec"),
        seconds=600.0,
        shell=("$SHELL", "-lc"),
        about={"SessionStart": "source"},
    ),
    Contract(
        agent="gemini",
        title="Gemini CLI",
        milliseconds=True,
        shell=("bash", "-c"),
        about={"SessionStart": "source", "SessionEnd": "reason", "PreCompact": "trigger"},
    ),
    Contract(agent="xbot", title="xbot", seconds=30.0, runs=("command", "http")),
    Contract(agent="cursor", title="Cursor", is_flat=True),
    Contract(
        agent="copilot",
        title="Copilot CLI",
        is_flat=True,
        commands=("bash", "command"),
        timeouts=("timeoutSec", "timeout"),
        seconds=30.0,
        shell=("bash", "-c"),
        folder_key="cwd",
        runs=("command", "http"),
        closes=("PreToolUse",),
    ),
    Contract(
        agent="windsurf",
        title="Windsurf",
        is_flat=True,
        shell=("bash", "-c"),
        folder_key="working_directory",
    ),
    Contract(agent="cline", title="Cline", seconds=30.0),
    Contract(
        agent="qwen",
        title="Qwen Code",
        milliseconds=True,
        shell=("bash", "-c"),
        about=_CLAUDE_ABOUT,
    ),
)
CONTRACT_BY_AGENT: Mapping[str, Contract] = {contract.agent: contract for contract in _CONTRACTS}
