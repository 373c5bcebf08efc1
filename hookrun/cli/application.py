"""Typer's application, made of the table of commands: help, completion and what is wrong with a call."""

from __future__ import annotations

import inspect
import re
from typing import Annotated, Any

import typer
import typer.core

from hookrun import __version__
from hookrun.cli.main import run_command
from hookrun.cli.options import COMMANDS, Argument, Option, Subcommand
from hookrun.model import constants
from hookrun.model.errors import HookrunError, UsageError

GROUPS = {
    "Set up hooks": ("new", "trust", "untrust", "import"),
    "See what they would do": ("list", "explain", "validate", "doctor", "watch"),
    "Run them": ("emit", "hints", "widgets", "run"),
    "In your agents": ("install", "uninstall", "agents", "bridge"),
}
EXAMPLES = {
    "emit": (
        """hookrun emit PreToolUse --tool Bash --input '{"command": "git push -f"}'""",
        "hookrun emit post --tool FileReplace --input @edit.json --hints",
        """hookrun emit prompt --prompt 'deploy it' --expect deny""",
    ),
    "hints": ("hookrun hints", "hookrun hints --session s1 --peek"),
    "list": ("hookrun list", "hookrun list --event pre --tool Bash", "hookrun list --format json"),
    "explain": (
        """hookrun explain pre --tool Bash --input '{"command": "ls"}'""",
        "hookrun explain pre --tool Edit --as claude",
    ),
    "doctor": ("hookrun doctor",),
    "install": ("hookrun install", "hookrun install claude codex --dry-run", "hookrun install gemini --user"),
    "uninstall": ("hookrun uninstall claude",),
    "import": ("hookrun import claude --dry-run", "hookrun import claude"),
    "new": ("hookrun new", "hookrun new guard-shell", "hookrun new module"),
    "trust": ("hookrun trust", "hookrun trust .claude/hooks/pre/bash.sh --show", "hookrun trust --list"),
    "untrust": ("hookrun untrust .claude/hooks/pre/bash.sh",),
    "widgets": ("hookrun widgets", "hookrun widgets --slot infoBar --width 40"),
    "run": ("hookrun run", "hookrun run review --since main"),
    "agents": ("hookrun agents", "hookrun agents claude codex"),
    "bridge": ("hookrun bridge claude < event.json",),
    "watch": ("hookrun watch", """hookrun watch -- emit pre --tool Bash --input '{"command": "ls"}'"""),
    "validate": ("hookrun validate", "hookrun validate .hookrun/manifests --strict", "hookrun validate --fix"),
}


HELP = "Find, fire and decide the hooks of coding agents."
HELP_WIDTH = 100  # columns at most, however wide the terminal
METAVARS = {"text": "TEXT", "many": "TEXT", "number": "SECONDS", "integer": "N"}
TYPES: dict[str, Any] = {
    "text": str | None,
    "flag": bool,
    "many": list[str],
    "number": float | None,
    "integer": int | None,
}

_NO_VARIABLE = "="  # no variable can be called so


def run_with_typer(words: list[str]) -> int:
    """Run *words* through Typer and return the exit code. Raises UsageError for a wrong call."""
    # A shell that asks for completions gives no words: an event must not be taken for that by a variable.
    variable = _NO_VARIABLE if words else None
    try:
        result = build()(args=words or ["--help"], standalone_mode=False, prog_name="hookrun", complete_var=variable)
    except typer.Abort:
        return 130
    except Exception as error:
        # Typer carries its own copy of click from 0.2x on: its errors are known by what they can do.
        if not hasattr(error, "format_message"):
            raise
        message = re.sub(r"Input should be a valid (\w+).*", r"it must be a \1", error.format_message())
        raise UsageError(message, hint=_hint(error)) from None
    return result if isinstance(result, int) else constants.EXIT_OK


def build() -> typer.Typer:
    """Return the application with every command of the table."""
    application = typer.Typer(
        name="hookrun",
        cls=_GroupedCommands,
        help=HELP,
        epilog="hookrun COMMAND --help shows the options of a command and examples.",
        no_args_is_help=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": HELP_WIDTH},
    )
    application.callback()(_with_version)
    for command in COMMANDS:
        rest = any(argument.kind == "rest" for argument in command.arguments)
        settings: dict[str, Any] = {"allow_interspersed_args": False} if rest else {}
        application.command(command.name, cls=_help_class(command), help=command.help, context_settings=settings)(
            _function(command)
        )
    return application


class _GroupedCommands(typer.core.TyperGroup):
    """The list of commands in groups, each with its whole sentence."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        del ctx
        help_by_name = {command.name: command.help for command in COMMANDS}
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, help_by_name[name]) for name in commands])


def _help_class(command: Subcommand) -> type[typer.core.TyperCommand]:
    """Return a class whose help has *command*'s options in their groups, and its examples."""

    class WithGroups(typer.core.TyperCommand):
        def collect_usage_pieces(self, ctx: Any) -> list[str]:
            del ctx
            return ["[OPTIONS]", *map(_usage, command.arguments)]

        def format_options(self, ctx: Any, formatter: Any) -> None:
            sections: dict[str, list[tuple[str, str]]] = {}
            for argument in command.arguments:
                sections.setdefault("Arguments", []).append((_metavar(argument), argument.help))
            group_by_name = {option.name: option.group for option in command.options}
            for parameter in self.get_params(ctx):
                record = parameter.get_help_record(ctx)
                if record is not None and parameter.param_type_name == "option":
                    group = group_by_name.get(parameter.name or "", "Options")
                    sections.setdefault(group, []).append(record)
            for title in sorted(sections, key=lambda title: title == "Options"):
                with formatter.section(title):
                    formatter.write_dl(sections[title])

        def format_epilog(self, ctx: Any, formatter: Any) -> None:
            del ctx
            with formatter.section("Examples"):
                formatter.write("".join(f"  {line}\n" for line in EXAMPLES[command.name]))

    return WithGroups


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"hookrun {__version__}")
        raise typer.Exit


def _with_version(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """The option is handled before a command is looked for: there need not be one."""


def _function(command: Subcommand) -> Any:
    def call(**values: Any) -> int:
        return run_command(command.name, {name: _plain(value) for name, value in values.items()})

    parameters = [_argument(argument) for argument in command.arguments]
    parameters += [_option(option) for option in command.options]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    call.__doc__ = command.help
    return call


def _argument(argument: Argument) -> inspect.Parameter:
    described = typer.Argument(
        help=argument.help, metavar=_metavar(argument), autocompletion=_completion(argument.completes)
    )
    kind: Any = {"one": str, "optional": str | None}.get(argument.kind, list[str] | None)
    default = inspect.Parameter.empty if argument.kind == "one" else None
    return _parameter(argument.name, Annotated[kind, described], default)


def _metavar(argument: Argument) -> str:
    return argument.metavar or argument.name.upper()


def _usage(argument: Argument) -> str:
    pattern = {"one": "%s", "optional": "[%s]"}.get(argument.kind, "[%s]...")
    return pattern % _metavar(argument)


def _option(option: Option) -> inspect.Parameter:
    shown = option.metavar or "|".join(option.choices) or METAVARS.get(option.kind)
    described = typer.Option(*option.flags, help=option.help, metavar=shown, callback=_among(option))
    default = [] if option.kind == "many" else False if option.kind == "flag" else option.default
    return _parameter(option.name, Annotated[TYPES[option.kind], described], default)


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _among(option: Option) -> Any:
    def check(value: Any) -> Any:
        if value is not None and option.choices and value not in option.choices:
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(option.choices)}")
        return value

    return check if option.choices else None


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _completion(what: str) -> Any:
    if not what:
        return None

    def complete(incomplete: str) -> list[str]:
        return [name for name in _known(what) if name.startswith(incomplete)]

    return complete


def _known(what: str) -> list[str]:
    """Return the words that an argument can be; a broken set-up completes nothing."""
    if what == "event":
        from hookrun.model.events import EVENTS

        return [*EVENTS]
    if what == "template":
        from hookrun.commands.new import templates

        return [template.name for template in templates()]
    if what == "agent":
        from hookrun.install import installations

        return [wiring.agent for wiring in installations()]
    from hookrun.commands.run import contributed_commands
    from hookrun.runner import HookRunner

    try:
        with HookRunner.discover(is_isolated=True) as runner:
            return [hook.command.removeprefix("/") for hook in contributed_commands(runner)]
    except HookrunError:
        return []


def _hint(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "hookrun"
    return f"{path} --help"
