"""The shape of an agent's settings: what is in them, what it makes of a hook, and how to install into it.

Each agent has its own in agents/NAME/settings.py. An emit imports those of agents that have settings here.
"""

from __future__ import annotations

import json
from functools import lru_cache

from hookrun.agents import AGENTS, agent_module
from hookrun.matching.agent_rules import EXPRESSION, MatcherRule
from hookrun.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

Example = tuple[int, str, str]  # exit code, stdout, stderr


def own(event: str, **fields: Any) -> str:
    """Return an answer with *fields* in Claude Code's `hookSpecificOutput`."""
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, **fields}})


NOT_INSTALLED = "hookrun is not installed"
MESSAGE = "MESSAGE"  # in a denial: why hookrun is not run

BEFORE = ("PreToolUse",)
AFTER = ("PostToolUse", "PostToolUseFailure")
PROMPT = ("UserPromptSubmit",)
STOP = ("AgentStop", "SubAgentStop")
RUNS = "the tool runs"
STOPS = "the tool does not run, the model gets the reason"
NOBODY = "no one"

COMMON_KEYS = ("type", "command", "timeout", "name", "description")
CLAUDE_KEYS = (
    *(*COMMON_KEYS, "args", "async", "asyncRewake", "onFailure", "if", "shell", "statusMessage", "once"),
    *("env", "url", "headers", "allowedEnvVars", "method", "prompt", "model", "server", "tool", "input"),
)
# In settings with much else only what concerns hooks is known.
KEYS_OF_HOOKS = ("hooks", "disableAllHooks", "hooksConfig", "allowedHttpHookUrls", "httpHookAllowedEnvVars")
CLAUDE_ABOUT = {
    "SessionStart": "source",
    "SessionEnd": "reason",
    "PreCompact": "trigger",
    "PostCompact": "trigger",
    "SubAgentStart": "agent_type",
    "SubAgentStop": "agent_type",
    "Notification": "notification_type",
}
COMMAND = {"type": "command"}
# Answers for the examples of effects.
DENY = own("PreToolUse", permissionDecision="deny", permissionDecisionReason="why")
ASK_PERMISSION = own("PreToolUse", permissionDecision="ask")
CONTEXT = own("PostToolUse", additionalContext="look")
DENY_AT_TOP = '{"decision": "deny", "reason": "why"}'
ASK_AT_TOP = '{"decision": "ask", "reason": "why"}'
BLOCK = '{"decision": "block", "reason": "why"}'
TEXT = "fine"
NEW_SESSION = "start a new session: those that run keep the hooks they began with"


class Effect(Frozen):
    """What becomes of something that a hook does."""

    what: str  # what the hook does
    becomes: str  # what its agent makes of it
    events: tuple[str, ...] = ()  # canonical, () for all
    is_trap: bool = False  # a refusal is lost by it
    is_failure: bool = False  # the settings can have it deny instead
    is_measured: bool = False  # seen with the real client; the rest is read in its documents or sources
    examples: tuple[Example, ...] = ()  # ends of hooks that do it; () where its output does not show it


class Settings(Frozen):
    """What one agent's settings of hooks look like and promise."""

    agent: str
    title: str
    are_executables: bool = False  # each event is an executable file, there is nothing else to read
    reads_folder: bool = False  # each JSON file in a folder holds hooks
    bare_file: str = ""  # name of a settings file that has the events at its top
    has_plugins: bool = False  # they name plugins, which have hooks
    ignores_event_case: bool = False  # events may be spelled in any case
    unknown_here: tuple[str, ...] = ()  # events that it has and hookrun does not
    switch: str = ""  # key that has to be true before commands run
    shells: tuple[str, ...] = ()  # values of a handler's `shell` that name another shell
    refuses_above_2: bool = False  # an exit code above 2 refuses as well
    is_flat: bool = False  # an event holds handlers, not groups of them with a matcher
    commands: tuple[str, ...] = ("command",)  # keys of a handler's command; the first that is there counts
    direct: str = ""  # the one of them that names a program, run with `args` and without a shell
    timeouts: tuple[str, ...] = ("timeout",)  # keys of a handler's timeout
    milliseconds: bool = False  # the unit of timeouts; else seconds
    seconds_below: int = 0  # timeouts below it are seconds all the same
    seconds: float = 60.0  # the timeout where none is given
    shell: tuple[str, ...] = ("/bin/sh", "-c")  # what a command line is given to
    folder_key: str = ""  # key of a handler's working directory
    about: Mapping[str, str] = {}  # by event about no tool: the payload's key that a matcher is compared with
    runs: tuple[str, ...] = ("command",)  # types of handlers that hookrun runs as the agent does
    closes: tuple[str, ...] = ()  # events that a failure denies
    opens_on_timeout: bool = False  # a hook that takes too long denies nothing, whatever else a failure does
    plain_json: bool = False  # it does not load settings with a comment or a trailing comma
    refuses_wrong_shapes: bool = False  # nor those in which any entry has a wrong shape
    versions: tuple[int, ...] = ()  # nor those with another `version`; () for any
    matcher: MatcherRule = EXPRESSION
    capital_matcher: MatcherRule | None = None  # at events spelled with a capital, where that differs
    handler_keys: tuple[str, ...] = ()  # keys that it knows of a handler, () when that is not known
    group_keys: tuple[str, ...] = ()  # of a group of handlers
    file_keys: tuple[str, ...] = ()  # of a file that holds nothing but hooks
    refusal_hint: str = ""  # how to say no before a tool so that it is heard
    read_in: str = "its documents"  # where what was not measured was read, with the version where that is known
    strictness: str = "a file that is not JSON is ignored as a whole"
    effects: tuple[Effect, ...] = ()

    def effects_at(self, event: str) -> tuple[Effect, ...]:
        """Return what becomes of what a hook does for the canonical *event*."""
        return tuple(effect for effect in self.effects if not effect.events or event in effect.events)

    def matcher_at(self, own_event: str) -> MatcherRule:
        """Return how the matcher of a handler for *own_event* is read."""
        return self.capital_matcher if self.capital_matcher and own_event[:1].isupper() else self.matcher

    def codes_that_pass(self) -> tuple[int, ...]:
        """Return the exit codes, of 1 and 2, with which a hook that says why refuses no tool."""
        lost = (each for effect in self.effects_at("PreToolUse") if effect.is_trap for each in effect.examples)
        return tuple(sorted({code for code, stdout, stderr in lost if code in (1, 2) and stderr and not stdout}))

    def way_to_refuse(self) -> str:
        """Return what a hook does to refuse a tool: exit 2 where that is enough."""
        refusals = ("the tool does not run", "it does not")
        ways = [each for each in self.effects_at("PreToolUse") if each.becomes.startswith(refusals)]
        is_exit_2_enough = any(code == 2 and not stdout for each in ways for code, stdout, _ in each.examples)
        return "exit 2" if is_exit_2_enough else ways[0].what


class Switch(Frozen):
    """A key with which hooks are switched off."""

    key: str  # dotted
    off: bool  # the value that does so
    user: tuple[str, ...] = ()  # files below the home, or below the folder that home_variable names
    project: tuple[str, ...] = ()  # files below the project's root
    is_of_entries: bool = False  # in the file that has the entries, instead


class Need(Frozen):
    """A key without which the agent runs no hook."""

    key: str
    message: str
    hint: str
    value: bool | None = None  # what it has to be, None for any
    user: str = ""  # the file below the home; "" is the one that has the entries


class Installation(Frozen):
    """Where hookrun is installed for one agent, and what an entry looks like. Read by install and doctor."""

    agent: str
    # What an event has: groups of handlers, handlers, or one executable; "": nothing to install.
    shape: Literal["groups", "handlers", "executables", ""] = "groups"
    project: str = ""  # the file, below the project's root
    user: str = ""  # below the home, or below the folder that home_variable names
    home_variable: tuple[str, str] | None = None  # variable, rest
    has_comments: bool = False
    command_key: str = "command"
    timeouts: tuple[str, int] | None = ("timeout", 1)  # key, units in a second
    matcher: str | None = None  # in the groups of tool events
    handler: Mapping[str, Any] = {}  # in every handler
    guarding: Mapping[str, Any] = {}  # in those that guard
    head: Mapping[str, Any] = {}  # what a file needs besides hooks
    events: tuple[str, ...] = ()
    not_events: tuple[str, ...] = ()  # keys of hooks that name no event
    covered: tuple[str, ...] = ()  # events that another of its events announces as well
    # By guarded event, where exit code 2 is not enough: what is printed (MESSAGE for why), the exit code.
    denials: Mapping[str, tuple[str, int]] = {}
    switches: tuple[Switch, ...] = ()
    needs: tuple[Need, ...] = ()
    disabled_keys: tuple[str, ...] = ()  # dotted keys of lists of the hooks that are off, by name or command
    approvals: str = ""  # file beside its settings that says which hooks its user has approved
    local: str = ""  # file below the project's root whose hooks it runs as well
    blocks_failures_from: tuple[int, ...] = ()  # the first version that denies when hookrun fails
    neutral: str = ""  # what has to be printed where nothing is to be said
    folders: tuple[str, ...] = ()  # by these, below the project, it is found
    home_folders: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    reads_also: tuple[str, ...] = ()  # agents whose settings it runs as well
    advice: tuple[str, ...] = ()  # what a person has to do
    project_advice: tuple[str, ...] = ()


def effect(events: tuple[str, ...], what: str, becomes: str, marks: str = "", *examples: Example) -> Effect:
    """Return an effect; *marks* are trap, failure, measured."""
    return Effect(
        what=what,
        becomes=becomes,
        events=events,
        is_trap="trap" in marks,
        is_failure="failure" in marks,
        is_measured="measured" in marks,
        examples=examples,
    )


def says(stdout: str, code: int = 0) -> Example:
    """Return how a hook ends that prints *stdout*."""
    return code, stdout, ""


def exits(code: int, stderr: str = "why") -> Example:
    """Return how a hook ends that prints nothing but *stderr*."""
    return code, "", stderr


@lru_cache(maxsize=32)
def settings_of(agent: str) -> Settings:
    """Return the settings of *agent*, one that has settings."""
    settings: Settings = agent_module(agent, "settings").SETTINGS
    return settings


@lru_cache(maxsize=32)
def installation_of(agent: str) -> Installation | None:
    """Return how hookrun is installed for *agent*, or None for an unknown one."""
    if agent not in AGENTS:
        return None
    installation: Installation = agent_module(agent, "settings").INSTALLATION
    return installation


@lru_cache(maxsize=1)
def installations() -> tuple[Installation, ...]:
    """Return how hookrun is installed, agent by agent."""
    return tuple(found for agent in AGENTS if (found := installation_of(agent)))
