"""How each agent is wired to the bridge: where its settings lie, and what an entry in them looks like.

Only `install`, `uninstall` and `doctor` read this; an emit never does. Measured with Claude Code, Codex and
Gemini CLI in the versions of their reply tables, else read in the vendors' documents, as of autumn 2026.
"""

from __future__ import annotations

from hookrun.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

NOT_INSTALLED = "hookrun is not installed"
MESSAGE = "MESSAGE"  # in a denial: why hookrun is not run


class Wiring(Frozen):
    """One agent's settings, as data.

    ``project`` is below the project's root, ``user`` below the home, or with ``home_variable`` (variable,
    rest) below the folder that it names. ``shape`` says what an event's list holds: groups of handlers,
    handlers, or that each event is an executable of its own; "" when there is nothing to install.
    ``leaves_out_event`` says that its payload does not name the event, so that the command has to.
    ``timeouts`` is the key and how many of its units make a second. ``handler`` is in every handler,
    ``guarding`` in those that guard; ``matcher`` in the groups of tool events. ``head`` is what a file
    needs besides hooks; ``not_events`` are keys of hooks that name no event. ``covered`` are the agent's
    events that another of its events announces as well. ``denials`` has what is printed for a guarded
    event, by its canonical name, where exit code 2 is not enough, with the exit code, and MESSAGE for why;
    ``neutral`` what has to be printed where nothing is to be said. By ``folders``, ``home_folders`` and
    ``programs`` an agent is found; ``reads_also`` are agents whose settings it runs as well; ``advice`` is
    what a person has to do.
    """

    agent: str
    shape: Literal["groups", "handlers", "executables", ""] = "groups"
    project: str = ""
    user: str = ""
    home_variable: tuple[str, str] | None = None
    has_comments: bool = False
    leaves_out_event: bool = False
    command_key: str = "command"
    timeouts: tuple[str, int] | None = ("timeout", 1)
    matcher: str | None = None
    handler: Mapping[str, Any] = {}
    guarding: Mapping[str, Any] = {}
    head: Mapping[str, Any] = {}
    events: tuple[str, ...] = ()
    not_events: tuple[str, ...] = ()
    covered: tuple[str, ...] = ()
    denials: Mapping[str, tuple[str, int]] = {}
    neutral: str = ""
    folders: tuple[str, ...] = ()
    home_folders: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    reads_also: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    project_advice: tuple[str, ...] = ()


_COMMAND = {"type": "command"}
_NEW_SESSION = "start a new session: those that run keep the hooks they began with"

WIRINGS = (
    Wiring(
        agent="claude",
        project=".claude/settings.json",
        user=".claude/settings.json",
        home_variable=("CLAUDE_CONFIG_DIR", "settings.json"),
        has_comments=True,
        matcher="*",
        handler=_COMMAND,
        guarding={"onFailure": "block"},  # from 2.1.295 on; older ones ignore a key that they do not know
        folders=(".claude",),
        home_folders=(".claude",),
        programs=("claude",),
        advice=(_NEW_SESSION,),
    ),
    Wiring(
        agent="codex",
        project=".codex/hooks.json",
        user=".codex/hooks.json",
        home_variable=("CODEX_HOME", "hooks.json"),
        matcher="*",
        handler=_COMMAND,
        folders=(".codex",),
        home_folders=(".codex",),
        programs=("codex",),
        advice=(
            "in Codex, open /hooks and approve them: until then it skips them without a word, and tools run",
        ),
        project_advice=("the project must be trusted in Codex, or it reads no hooks of it",),
    ),
    Wiring(
        agent="gemini",
        project=".gemini/settings.json",
        user=".gemini/settings.json",
        has_comments=True,
        timeouts=("timeout", 1000),
        matcher="*",
        handler={"name": "hookrun", **_COMMAND},
        not_events=("enabled", "disabled", "notifications"),  # before 0.2x
        folders=(".gemini",),
        home_folders=(".gemini",),
        programs=("gemini",),
        advice=(_NEW_SESSION,),
        project_advice=("the folder must be trusted in Gemini CLI, or it reads no settings of it",),
    ),
    Wiring(
        agent="xbot",
        project=".xbot/hooks.json",
        user=".xbot/hooks.json",
        matcher="",  # anything but letters and | is a regular expression, and * alone is none
        handler=_COMMAND,
        events=(
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "UserPromptSubmit",
            "AgentStop",
            "SessionStart",
            "SessionEnd",
            "SubAgentStart",
            "SubAgentStop",
            "PreCompact",
            "PostCompact",
            "CronFired",
            "WebhookReceived",
        ),
        folders=(".xbot",),
        home_folders=(".xbot",),
        programs=("xbot",),
    ),
    Wiring(
        agent="xcsh",
        shape="",
        folders=(".xcsh",),
        home_folders=(".xcsh",),
        programs=("xcsh",),
        advice=("nothing to install: it has no settings for commands, and loads hook modules itself",),
    ),
    Wiring(
        agent="cursor",
        shape="handlers",
        project=".cursor/hooks.json",
        user=".cursor/hooks.json",
        has_comments=True,
        guarding={"failClosed": True},
        head={"version": 1},
        covered=(
            "beforeShellExecution",
            "beforeMCPExecution",
            "beforeReadFile",
            "afterShellExecution",
            "afterMCPExecution",
            "afterFileEdit",
        ),
        denials={
            "PreToolUse": (f'{{"permission": "deny", "user_message": "{MESSAGE}"}}', 2),
            "UserPromptSubmit": (f'{{"continue": false, "user_message": "{MESSAGE}"}}', 0),
        },
        neutral="{}",
        folders=(".cursor",),
        home_folders=(".cursor",),
        programs=("cursor", "cursor-agent"),
        reads_also=("claude",),
    ),
    Wiring(
        agent="copilot",
        shape="handlers",
        project=".github/hooks/hookrun.json",
        user=".copilot/hooks/hookrun.json",
        home_variable=("COPILOT_HOME", "hooks/hookrun.json"),
        leaves_out_event=True,
        command_key="bash",
        timeouts=("timeoutSec", 1),
        handler=_COMMAND,
        head={"version": 1},
        folders=(".github/hooks", ".github/copilot"),
        home_folders=(".copilot",),
        programs=("copilot",),
        reads_also=("claude",),
        advice=(_NEW_SESSION,),
        project_advice=(
            "Copilot's cloud agent reads this file too, and is denied everything until its set-up steps "
            "install hookrun",
        ),
    ),
    Wiring(
        agent="cline",
        shape="executables",
        project=".clinerules/hooks",
        user="Documents/Cline/Hooks",
        timeouts=None,
        denials={
            "PreToolUse": (f'{{"cancel": true, "errorMessage": "{MESSAGE}"}}', 0),
            "UserPromptSubmit": (f'{{"cancel": true, "errorMessage": "{MESSAGE}"}}', 0),
        },
        neutral='{"cancel": false}',
        folders=(".clinerules",),
        home_folders=("Documents/Cline",),
        programs=("cline",),
        advice=("hooks must be enabled in Cline's settings",),
    ),
    Wiring(
        agent="windsurf",
        shape="handlers",
        project=".windsurf/hooks.json",
        user=".codeium/windsurf/hooks.json",
        timeouts=None,
        handler={"show_output": True},
        folders=(".windsurf",),
        home_folders=(".codeium/windsurf",),
        programs=("windsurf",),
    ),
    Wiring(
        agent="qwen",
        project=".qwen/settings.json",
        user=".qwen/settings.json",
        has_comments=True,
        timeouts=("timeout", 1000),
        matcher="*",
        handler={"name": "hookrun", **_COMMAND},
        folders=(".qwen",),
        home_folders=(".qwen",),
        programs=("qwen",),
        advice=(_NEW_SESSION,),
    ),
)


def wiring_of(agent: str) -> Wiring | None:
    """Return the wiring of the agent called *agent*, or None."""
    return next((wiring for wiring in WIRINGS if wiring.agent == agent), None)
