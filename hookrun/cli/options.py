"""The table of commands and their options, and the quick reading of a command line by it.

Typer's commands are made of the same table (application.py); it is asked for help, completion and
errors only, because importing it takes six times as long as starting Python.
"""

from __future__ import annotations

from hookrun.words import names
from hookrun.words.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal


class Option(Frozen):
    """One option. ``kind`` is text, flag, many (repeatable text), number (seconds) or integer."""

    name: str
    flags: tuple[str, ...]
    help: str
    kind: Literal["text", "flag", "many", "number", "integer"] = "text"
    metavar: str = ""
    choices: tuple[str, ...] = ()
    default: Any = None


class Argument(Frozen):
    """One positional argument. ``kind`` is one, optional, or rest (all that follow, options included)."""

    name: str
    help: str
    kind: Literal["one", "optional", "many", "rest"] = "one"
    completes: Literal["", "event", "command", "template", "agent"] = ""


class Command(Frozen):
    """One command: ``module`` is the file in hookrun/cli with its ``run(values) -> exit code``."""

    name: str
    module: str
    help: str
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()


WIDGET_SLOTS = tuple(slot for slot in names.SLOTS if slot != names.TOOL_HINT)
COMMON = (
    Option(name="format", flags=("--format",), help="How to print", choices=("text", "json"), default="text"),
    Option(name="project", flags=("--project",), help="The project's root", metavar="DIR"),
    Option(
        name="hooks",
        flags=("--hook", "--extension"),
        help="A further hook: a script, a manifest, a folder of them",
        kind="many",
        metavar="PATH",
    ),
    Option(name="no_color", flags=("--no-color",), help="No colours, also on a terminal", kind="flag"),
    Option(name="quiet", flags=("-q", "--quiet"), help="No warnings", kind="flag"),
    Option(name="verbose", flags=("-v", "--verbose"), help="More, where there is more to say", kind="flag"),
)
SESSION = (
    Option(name="session", flags=("--session",), help="The session's id; else the project is the session"),
    Option(name="call_id", flags=("--call-id",), help="The tool call's id"),
)
EVENT = Argument(
    name="event",
    help="The event, in any agent's spelling; short: pre, post, fail, prompt, stop",
    completes="event",
)
DESCRIBING = (
    Option(name="tool", flags=("--tool",), help="The tool's name, in any agent's spelling"),
    Option(name="input", flags=("--input",), help="The tool's input: JSON, @file or - for stdin"),
    Option(name="output", flags=("--output",), help="The tool's output: text, @file or -"),
    Option(name="error", flags=("--error",), help="The tool's error: text, @file or -"),
    Option(name="prompt", flags=("--prompt",), help="The user's prompt: text, @file or -"),
    Option(name="payload", flags=("--payload",), help="A whole payload: JSON, @file or -"),
    *SESSION,
    Option(name="channel", flags=("--channel",), help="The channel's id"),
    Option(name="chat_id", flags=("--chat-id",), help="The chat's id"),
    Option(name="user_id", flags=("--user-id",), help="The user's id"),
    Option(name="tenant_id", flags=("--tenant-id",), help="The tenant's number", kind="integer"),
    Option(
        name="elapsed_ms", flags=("--elapsed-ms",), help="How long the tool ran, milliseconds", kind="integer"
    ),
    Option(
        name="extra", flags=("--extra",), help="Something more about the session", kind="many", metavar="K=V"
    ),
    Option(name="cwd", flags=("--cwd",), help="The working directory", metavar="DIR"),
    Option(
        name="dialect", flags=("--dialect",), help="Whose names these are: xbot, claude, gemini, codex, ..."
    ),
    Option(
        name="only",
        flags=("--only",),
        help="Only this hook (its id, plugin, key or title)",
        kind="many",
        metavar="ID",
    ),
)
COMMANDS: tuple[Command, ...] = (
    Command(
        name="emit",
        module="emit",
        help="Fire an event: run the hooks that match, print the decision.",
        arguments=(EVENT,),
        options=(
            *DESCRIBING,
            Option(
                name="hints",
                flags=("--hints",),
                help="Print the tool hints as well; they count as taken",
                kind="flag",
            ),
            Option(name="dry_run", flags=("--dry-run",), help="Say what would run, run nothing", kind="flag"),
            Option(
                name="timeout", flags=("--timeout",), help="Seconds for all hooks together", kind="number"
            ),
            Option(
                name="require_trusted",
                flags=("--require-trusted",),
                help="Deny when a guard that matches is not trusted",
                kind="flag",
            ),
            Option(
                name="expect",
                flags=("--expect",),
                help="Exit 0 when this is the decision and a guard that ran decided, else 1",
                choices=("allow", "deny", "ask", "defer", "none"),
            ),
            *COMMON,
        ),
    ),
    Command(
        name="hints",
        module="hints",
        help="Print the tool hints that wait, once.",
        options=(
            *SESSION,
            Option(name="peek", flags=("--peek",), help="Leave them where they are", kind="flag"),
            Option(name="all", flags=("--all",), help="Those of every session", kind="flag"),
            *COMMON,
        ),
    ),
    Command(
        name="list",
        module="list",
        help="List every hook with its state, by event, in order.",
        options=(
            Option(name="active", flags=("--active",), help="Only hooks in force", kind="flag"),
            Option(name="event", flags=("--event",), help="Only hooks that answer this event"),
            Option(name="tool", flags=("--tool",), help="Only hooks that could match this tool"),
            *COMMON,
        ),
    ),
    Command(
        name="explain",
        module="explain",
        help="Say for every hook whether an event fires it, why, and who sees its output.",
        arguments=(EVENT,),
        options=(
            *DESCRIBING,
            Option(
                name="as_agent",
                flags=("--as",),
                help="What this agent alone would do, with its own settings",
                metavar="AGENT",
            ),
            *COMMON,
        ),
    ),
    Command(name="doctor", module="doctor", help="Check the set-up; runs no hook.", options=COMMON),
    Command(
        name="install",
        module="install",
        help="Put the bridge into agents' settings; without AGENT those that are here.",
        arguments=(
            Argument(name="agents", help="claude, codex, gemini, ...", kind="many", completes="agent"),
        ),
        options=(
            Option(name="user", flags=("--user",), help="For all of your projects", kind="flag"),
            Option(name="dry_run", flags=("--dry-run",), help="Print the diff, write nothing", kind="flag"),
            Option(
                name="with_agents",
                flags=("--with",),
                help="Run the hooks in this agent's settings as well",
                kind="many",
                metavar="AGENT",
            ),
            *COMMON,
        ),
    ),
    Command(
        name="uninstall",
        module="uninstall",
        help="Take the bridge out of agents' settings again; without AGENT out of all.",
        arguments=(
            Argument(name="agents", help="claude, codex, gemini, ...", kind="many", completes="agent"),
        ),
        options=(
            Option(name="user", flags=("--user",), help="Out of your own settings", kind="flag"),
            Option(name="dry_run", flags=("--dry-run",), help="Print the diff, write nothing", kind="flag"),
            *COMMON,
        ),
    ),
    Command(
        name="import",
        module="import_",
        help="Write the hooks of an agent's own settings as manifests and scripts.",
        arguments=(Argument(name="agent", help="Whose settings", completes="agent"),),
        options=(
            Option(name="user", flags=("--user",), help="Your own settings, for all projects", kind="flag"),
            Option(name="dry_run", flags=("--dry-run",), help="Say what would be written", kind="flag"),
            *COMMON,
        ),
    ),
    Command(
        name="new",
        module="new",
        help="Copy a bundled hook, or write a template to fill in; without NAME list them.",
        arguments=(
            Argument(
                name="name",
                help="A bundled hook, manifest or script",
                kind="optional",
                completes="template",
            ),
        ),
        options=(
            Option(name="user", flags=("--user",), help="For all of your projects", kind="flag"),
            *COMMON,
        ),
    ),
    Command(
        name="trust",
        module="trust",
        help="Show what the project would run, and trust it after a question; runs no hook.",
        arguments=(Argument(name="paths", help="Only these files, folders or hooks", kind="many"),),
        options=(
            Option(name="yes", flags=("--yes",), help="Trust without a question", kind="flag"),
            Option(name="show", flags=("--show",), help="Show the text of every file", kind="flag"),
            Option(name="list", flags=("--list",), help="List what is trusted, change nothing", kind="flag"),
            *COMMON,
        ),
    ),
    Command(
        name="untrust",
        module="untrust",
        help="Forget what was trusted, also of hooks that are gone; without PATHS all of the project's.",
        arguments=(Argument(name="paths", help="These files, folders or hooks", kind="many"),),
        options=(Option(name="yes", flags=("--yes",), help="Without a question", kind="flag"), *COMMON),
    ),
    Command(
        name="widgets",
        module="widgets",
        help="Print what the widgets show here; those that are old run first.",
        options=(
            Option(name="slot", flags=("--slot",), help="Only this slot", choices=WIDGET_SLOTS),
            Option(name="width", flags=("--width",), help="Columns of a line", kind="integer"),
            *COMMON,
        ),
    ),
    Command(
        name="run",
        module="run",
        help="Run a command that a plugin contributes; without NAME list them.",
        arguments=(
            Argument(
                name="name", help="The command, its slash left out", kind="optional", completes="command"
            ),
            Argument(name="arguments", help="What it is given, options included", kind="rest"),
        ),
        options=COMMON,
    ),
    Command(
        name="agents",
        module="agents",
        help="Print what each agent can do with a deny, an ask, a rewrite, a context.",
        arguments=(Argument(name="agents", help="Only these agents", kind="many", completes="agent"),),
        options=COMMON,
    ),
    Command(
        name="bridge",
        module="bridge",
        help="Answer an agent: its event on stdin, the decision in its own form.",
        arguments=(Argument(name="agent", help="Whose event it is", completes="agent"),),
        options=(
            Option(
                name="with_agents",
                flags=("--with",),
                help="Another agent whose settings count as well",
                kind="many",
                metavar="AGENT",
            ),
            Option(name="event", flags=("--event",), help="The event, for an agent that does not name it"),
            *(option for option in COMMON if option.name in ("project", "hooks")),
        ),
    ),
    Command(
        name="watch",
        module="watch",
        help="Tell what files that change mean for the hooks, until Ctrl-C.",
        arguments=(Argument(name="command", help="A hookrun command to run after each change", kind="rest"),),
        options=COMMON,
    ),
    Command(
        name="validate",
        module="validate",
        help="Check every hook, and run none: what is broken, has no effect, or passes in silence.",
        arguments=(Argument(name="paths", help="Only these files and folders", kind="many"),),
        options=(
            Option(name="strict", flags=("--strict",), help="Exit 1 for warnings as well", kind="flag"),
            Option(name="fix", flags=("--fix",), help="Mend mode bits and line endings", kind="flag"),
            Option(
                name="schema", flags=("--schema",), help="Print the JSON Schema of a manifest", kind="flag"
            ),
            *COMMON,
        ),
    ),
)


def command_named(name: str) -> Command | None:
    """Return the command of this name, or None."""
    return next((command for command in COMMANDS if command.name == name), None)


def read_arguments(words: Sequence[str], command: Command) -> dict[str, Any] | None:
    """Return the values of all of *command*'s options and arguments by name; None when anything is
    unusual (help, an unknown option, a missing or odd value): Typer then says what it is."""
    values: dict[str, Any] = {
        option.name: [] if option.kind == "many" else False if option.kind == "flag" else option.default
        for option in command.options
    }
    option_by_flag = {flag: option for option in command.options for flag in option.flags}
    positional: list[str] = []
    waiting = list(reversed(words))
    takes_rest = any(argument.kind == "rest" for argument in command.arguments)
    while waiting:
        word = waiting.pop()
        if word == "--" or (takes_rest and not word.startswith("-")):
            positional += reversed(waiting) if word == "--" else [word, *reversed(waiting)]
            break
        if not word.startswith("-") or word == "-":
            positional.append(word)
        elif not _take_option(word, waiting, option_by_flag, values):
            return None
    return values if _take_arguments(positional, command.arguments, values) else None


def _take_option(
    word: str, waiting: list[str], option_by_flag: Mapping[str, Option], values: dict[str, Any]
) -> bool:
    flag, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
    option = option_by_flag.get(flag)
    if option is None or (option.kind == "flag" and equals):
        return False
    if option.kind == "flag":
        values[option.name] = True
        return True
    if not equals:
        if not waiting:
            return False
        value = waiting.pop()
    return _put(option, value, values)


def _put(option: Option, text: str, values: dict[str, Any]) -> bool:
    if option.choices and text not in option.choices:
        return False
    try:
        if option.kind == "many":
            values[option.name].append(text)
        else:
            values[option.name] = {"integer": int, "number": float}.get(option.kind, str)(text)
    except ValueError:
        return False
    return True


def _take_arguments(words: list[str], arguments: Sequence[Argument], values: dict[str, Any]) -> bool:
    left = list(words)
    for argument in arguments:
        if argument.kind in ("many", "rest"):
            values[argument.name], left = left, []
        elif left:
            values[argument.name] = left.pop(0)
        elif argument.kind == "optional":
            values[argument.name] = None
        else:
            return False
    return not left
