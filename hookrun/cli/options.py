"""The table of commands and their options, and a quick parser that reads a command line by it.

Typer's commands are built from the same table (application.py); Typer serves help, completion and errors only, because
importing it takes six times as long as starting Python."""

from __future__ import annotations

from hookrun.model import constants
from hookrun.model.errors import UsageError
from hookrun.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    Kind = Literal["text", "flag", "many", "number", "integer"]


class Option(Frozen):
    """One option of a command."""

    name: str
    flags: tuple[str, ...]
    help: str
    kind: Kind = "text"  # many: repeatable; number: seconds
    metavar: str = ""  # what help calls the value; by its kind when empty
    choices: tuple[str, ...] = ()
    default: Any = None
    group: str = "Options"  # the section of help that it is listed in


class Argument(Frozen):
    """One positional argument."""

    name: str
    help: str
    kind: Literal["one", "optional", "many", "rest"] = "one"  # rest: all that follow, options included
    metavar: str = ""  # what help calls it; its name in capitals when empty
    completes: Literal["", "event", "command", "template", "agent"] = ""


class Subcommand(Frozen):
    """One command; the file of its name in hookrun/cli has its ``run(values) -> exit code``."""

    name: str
    help: str
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()


def _option(name: str, help: str, kind: Kind = "text", **more: Any) -> Option:
    """Return the option --NAME, unless *more* has other ``flags``."""
    flags = more.pop("flags", ("--" + name.replace("_", "-"),))
    return Option(name=name, flags=flags, help=help, kind=kind, **more)


WIDGET_SLOTS = tuple(slot for slot in constants.SLOTS if slot != constants.TOOL_HINT)
PRINTING = (
    _option("format", "Print for people, or one JSON document", choices=("text", "json"), default="text"),
    _option("no_color", "Never print colours", "flag"),
    _option("quiet", "Do not print warnings", "flag", flags=("-q", "--quiet")),
    _option("verbose", "Print more detail", "flag", flags=("-v", "--verbose")),
)
PLACE = (
    _option("project", "Use this project root", metavar="DIR"),
    _option(
        "hooks",
        "Add this script, manifest, module, or folder of them",
        "many",
        metavar="PATH",
        flags=("--hook", "--extension"),
    ),
)
COMMON = (*PLACE, *PRINTING)
SESSION = (
    _option("session", "The session's ID; without it the project is the session", metavar="ID", group="Session"),
    _option("call_id", "The tool call's ID", metavar="ID", group="Session"),
)
WITH_AGENTS = _option(
    "with_agents", "Also run the hooks in this agent's settings", "many", metavar="AGENT", flags=("--with",)
)
AGENTS = Argument(name="agents", help="claude, codex, gemini, ...", kind="many", metavar="AGENT", completes="agent")
EVENT = Argument(
    name="event", help="The event, in any agent's spelling; short: pre, post, fail, prompt, stop", completes="event"
)
_SESSION_DETAILS: tuple[tuple[str, str, Kind, str], ...] = (
    ("channel", "The channel's ID", "text", "ID"),
    ("chat_id", "The chat's ID", "text", "ID"),
    ("user_id", "The user's ID", "text", "ID"),
    ("tenant_id", "The tenant's number", "integer", "N"),
    ("elapsed_ms", "How long the tool ran, in milliseconds", "integer", "N"),
    ("extra", "More about the session, such as model=NAME", "many", "KEY=VALUE"),
)
DESCRIBING = (
    *(
        _option(name, help, metavar=metavar, group="Event")
        for name, help, metavar in (
            ("tool", "The tool's name, in any agent's spelling", "NAME"),
            ("input", "The tool's input: JSON, @FILE, or - for stdin", "JSON"),
            ("output", "The tool's output: text, @FILE or -", "TEXT"),
            ("error", "The tool's error: text, @FILE or -", "TEXT"),
            ("prompt", "The user's prompt: text, @FILE or -", "TEXT"),
            ("payload", "A whole payload: JSON, @FILE or -", "JSON"),
            ("cwd", "The agent's working directory", "DIR"),
            ("dialect", "The agent whose names these are: xbot, claude, gemini, codex, ...", "AGENT"),
        )
    ),
    *SESSION,
    *(_option(name, help, kind, metavar=metavar, group="Session") for name, help, kind, metavar in _SESSION_DETAILS),
    _option("only", "Consider only this hook: its ID, plugin, key or title", "many", metavar="HOOK"),
)
COMMANDS: tuple[Subcommand, ...] = (
    Subcommand(
        name="emit",
        help="Fire an event: run the hooks that match and print the decision.",
        arguments=(EVENT,),
        options=(
            *DESCRIBING,
            _option("hints", "Also print the tool hints, which counts as reading them", "flag"),
            _option("dry_run", "Print what would run, and run nothing", "flag"),
            _option("timeout", "Limit the time of all hooks together", "number", metavar="SECONDS"),
            _option("require_trusted", "Deny when a matching guard is not trusted", "flag"),
            _option(
                "expect",
                "Exit 0 if a guard that ran made this decision, else 1",
                choices=("allow", "deny", "ask", "defer", "none"),
            ),
            *COMMON,
        ),
    ),
    Subcommand(
        name="hints",
        help="Print the pending tool hints and forget them.",
        options=(
            *SESSION,
            _option("peek", "Print them without forgetting them", "flag"),
            _option("all", "Print those of every session", "flag"),
            *COMMON,
        ),
    ),
    Subcommand(
        name="list",
        help="List every hook with its state, by event, in the order in which they run.",
        options=(
            _option("active", "List only hooks in force", "flag"),
            _option("event", "List only hooks of this event", metavar="EVENT"),
            _option("tool", "List only hooks that match this tool", metavar="NAME"),
            *COMMON,
        ),
    ),
    Subcommand(
        name="explain",
        help="Say for every hook whether an event fires it, why, and who sees its output.",
        arguments=(EVENT,),
        options=(
            *DESCRIBING,
            _option(
                "as_agent", "Say what this agent alone would do with its own settings", metavar="AGENT", flags=("--as",)
            ),
            *COMMON,
        ),
    ),
    Subcommand(name="doctor", help="Check the set-up and every hook file; run none.", options=COMMON),
    Subcommand(
        name="install",
        help="Add hookrun to agents' settings; without AGENT, to those found here.",
        arguments=(AGENTS,),
        options=(
            _option("user", "Write to your own settings, for all projects", "flag"),
            _option("dry_run", "Print the diff and write nothing", "flag"),
            WITH_AGENTS,
            *COMMON,
        ),
    ),
    Subcommand(
        name="uninstall",
        help="Remove hookrun from agents' settings; without AGENT, from all.",
        arguments=(AGENTS,),
        options=(
            _option("user", "Change your own settings, for all projects", "flag"),
            _option("dry_run", "Print the diff and write nothing", "flag"),
            *COMMON,
        ),
    ),
    Subcommand(
        name="import",
        help="Turn the hooks in an agent's settings into manifests and scripts of hookrun.",
        arguments=(Argument(name="agent", help="The agent whose settings to read", completes="agent"),),
        options=(
            _option("user", "Read your own settings, for all projects", "flag"),
            _option("dry_run", "Print what would be written, and write nothing", "flag"),
            *COMMON,
        ),
    ),
    Subcommand(
        name="new",
        help="Copy a bundled hook, or write a template to fill in; without NAME, list both.",
        arguments=(
            Argument(
                name="name",
                help="A bundled hook, or a template: manifest, module or script",
                kind="optional",
                completes="template",
            ),
        ),
        options=(_option("user", "Write to your own settings, for all projects", "flag"), *COMMON),
    ),
    Subcommand(
        name="trust",
        help="Show what the project would run, and trust it after asking.",
        arguments=(Argument(name="paths", help="Only these files, folders or hooks", metavar="PATH", kind="many"),),
        options=(
            _option("yes", "Trust without asking", "flag"),
            _option("show", "Show the text of every file", "flag"),
            _option("list", "List what is trusted, and change nothing", "flag"),
            *COMMON,
        ),
    ),
    Subcommand(
        name="untrust",
        help="Withdraw trust, also from hooks that are gone; without PATH, from the whole project.",
        arguments=(Argument(name="paths", help="These files, folders or hooks", kind="many", metavar="PATH"),),
        options=(_option("yes", "Withdraw it without asking", "flag"), *COMMON),
    ),
    Subcommand(
        name="widgets",
        help="Print what the widgets show here; those out of date are refreshed first.",
        options=(
            _option("slot", "Print only this slot", choices=WIDGET_SLOTS),
            _option("width", "Cut lines to this many columns", "integer", metavar="N"),
            *COMMON,
        ),
    ),
    Subcommand(
        name="run",
        help="Run a command that a plugin or module contributes; without NAME, list them.",
        arguments=(
            Argument(name="name", help="The command, without its slash", kind="optional", completes="command"),
            Argument(name="arguments", help="Its arguments, options included", kind="rest", metavar="ARGUMENT"),
        ),
        options=COMMON,
    ),
    Subcommand(
        name="agents",
        help="Print what each agent can do with a deny, an ask, a rewrite, context and so on.",
        arguments=(AGENTS,),
        options=PRINTING,
    ),
    Subcommand(
        name="bridge",
        help="Answer an agent: read its event from stdin, write the decision in its form.",
        arguments=(Argument(name="agent", help="The agent that asks", completes="agent"),),
        options=(
            WITH_AGENTS,
            _option("event", "The event, for an agent that does not name it", metavar="EVENT"),
            *PLACE,
        ),
    ),
    Subcommand(
        name="watch",
        help="Say what each change to a file means for the hooks, until Ctrl-C.",
        arguments=(
            Argument(name="command", help="A hookrun command to run after each change", kind="rest", metavar="COMMAND"),
        ),
        options=COMMON,
    ),
    Subcommand(
        name="validate",
        help="Check every hook file for what is broken, has no effect, or allows by accident.",
        arguments=(Argument(name="paths", help="Only these files and folders", kind="many", metavar="PATH"),),
        options=(
            _option("strict", "Exit 1 on warnings as well", "flag"),
            _option("fix", "Repair mode bits and line endings", "flag"),
            _option("schema", "Print the JSON Schema of a manifest", "flag"),
            *COMMON,
        ),
    ),
)


def command_named(name: str) -> Subcommand | None:
    """Return the command of this name, or None."""
    return next((command for command in COMMANDS if command.name == name), None)


def read_arguments(words: Sequence[str], command: Subcommand) -> dict[str, Any] | None:
    """Return the values of all of *command*'s options and arguments by name; None when anything is unusual (help, an
    unknown option, a missing or odd value): Typer then reports it.

    Raises UsageError for an option given twice that takes one value: Typer would silently use the last."""
    values = {option.name: _default(option) for option in command.options}
    option_by_flag = {flag: option for option in command.options for flag in option.flags}
    positional: list[str] = []
    waiting = list(reversed(words))
    takes_rest = any(argument.kind == "rest" for argument in command.arguments)
    given: set[str] = set()
    while waiting:
        word = waiting.pop()
        if word == "--" or (takes_rest and not word.startswith("-")):
            positional += reversed(waiting) if word == "--" else [word, *reversed(waiting)]
            break
        if not word.startswith("-") or word == "-":
            positional.append(word)
        elif not _take_option(word, waiting, option_by_flag, values):
            return None
        else:
            _refuse_twice(option_by_flag[word.partition("=")[0]], given)
    return values if _take_arguments(positional, command.arguments, values) else None


def _default(option: Option) -> Any:
    return [] if option.kind == "many" else False if option.kind == "flag" else option.default


def _take_option(word: str, waiting: list[str], option_by_flag: Mapping[str, Option], values: dict[str, Any]) -> bool:
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


def _refuse_twice(option: Option, given: set[str]) -> None:
    if option.kind not in ("flag", "many") and option.name in given:
        flag = option.flags[-1]
        raise UsageError(f"{flag} is given twice", hint=f"leave out one {flag}")
    given.add(option.name)


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
