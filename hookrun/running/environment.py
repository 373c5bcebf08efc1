"""Event and hook -> the environment of a hook's process, with what does not fit handed over in files."""

from __future__ import annotations

import os

from hookrun.agents import NEUTRAL, dialect_named
from hookrun.agents.payload import json_text
from hookrun.model import constants
from hookrun.model.values import Problem
from hookrun.running.inheritance import inherited_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from hookrun.config.config import Config
    from hookrun.model.values import Event, Hook


def hook_environment(
    event: Event, hook: Hook, config: Config, payload: Mapping[str, Any], keep_in_file: Callable[[str, bytes], str]
) -> tuple[dict[str, str], list[Problem]]:
    """Return the whole environment of *hook*'s process and what had to be changed for it.

    *payload* is the event as this hook's dialect sees it. A value that the system would refuse is given
    to *keep_in_file* (name, bytes) -> path, and `<NAME>_FILE` says where it is.
    """
    own = _variables(event, hook, payload)
    if hook.kind == constants.SETTINGS:
        from hookrun.running.agent_environment import named_variables

        own |= _agent_variables(event, hook, config.environ) | named_variables(hook)
    elif hook.dialect != NEUTRAL:
        own = _agent_variables(event, hook, config.environ) | own
    own[constants.ENV_DEPTH] = str(depth_of(config.environ) + 1)
    found = inherited_by(hook, config)
    inherited, room, problems = found.variables, found.room, list(found.problems)
    if _are_plain(own.values(), room):
        return inherited | own, problems
    environment = dict(inherited)
    for name, text in sorted(own.items(), key=lambda pair: len(pair[1])):
        value = _clean(name, text, hook, problems)
        size = len(name) + len(value) + 2
        if size > constants.ENV_VALUE_LIMIT or size > room:
            environment[f"{name}_FILE"] = keep_in_file(name, value)
            problems.append(_too_long(name, len(value), hook))
        else:
            environment[name] = os.fsdecode(value)
            room -= size
    return environment, problems


def depth_of(environ: Mapping[str, str]) -> int:
    """Return how many hookruns are above this one; what is no number counts as none."""
    text = environ.get(constants.ENV_DEPTH, "")
    return int(text) if text.isdecimal() and len(text) < 6 else 0


def _variables(event: Event, hook: Hook, payload: Mapping[str, Any]) -> dict[str, str]:
    own = {
        "XBOT_HOOK_EVENT": event.event,
        "XBOT_TOOL_NAME": payload.get("tool_name", ""),
        "XBOT_RAW_TOOL_NAME": payload.get("raw_tool_name", ""),
        "XBOT_TOOL_INPUT": input_text(event, payload),
        "XBOT_TOOL_OUTPUT": event.output_of_success,
        "XBOT_WORK_DIR": event.cwd,
        "XBOT_PROJECT_DIR": event.project_dir,
        "XBOT_SESSION_ID": event.session_id,
        # A guard's run that is a widget's as well is the guard's: what is asked for a widget may not guard.
        "XBOT_WIDGET_ID": hook.widget.id if hook.widget and not _guards_as_well(hook) else "",
        "HOOKRUN_EVENT": event.event,
        "HOOKRUN_TOOL": event.tool,
        "HOOKRUN_COMMAND": event.command,
        "HOOKRUN_PATHS": "\n".join(event.paths),
        "PLUGIN_ROOT": hook.program.folder,
        **_session_variables(event.extra),
    }
    if hook.command:
        own["XBOT_COMMAND_NAME"] = str(event.fields.get("command_name", ""))
        own["XBOT_COMMAND_ARGS"] = str(event.fields.get("command_args", ""))
    return {name: text for name, text in own.items() if text}


def _agent_variables(event: Event, hook: Hook, caller: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that the agent whose dialect *hook* speaks sets for its hooks."""
    dialect = dialect_named(hook.dialect)
    home = caller.get("HOME", "")
    values = {
        "project": event.project_dir or event.cwd,
        "plugin": hook.program.folder if hook.plugin or hook.kind != constants.SETTINGS else "",
        "session": event.session_id,
        "cwd": event.cwd,
    }
    found = {}
    for name, what in dialect.variables.items() if dialect else ():
        below_home = what.removeprefix("home/")
        found[name] = values[what] if below_home == what else home and os.path.join(home, below_home)
    return {name: value for name, value in found.items() if value}


def _guards_as_well(hook: Hook) -> bool:
    return bool(hook.shows) and hook.role == constants.GUARD


def input_text(event: Event, payload: Mapping[str, Any]) -> str:
    """Return the input's text: as it was given while nothing had to be translated, else anew."""
    if "raw_tool_input" not in payload and event.tool_input_text:
        return event.tool_input_text
    value = payload.get("tool_input")
    if value is None:
        return ""
    return json_text(value)


def _session_variables(extra: Mapping[str, Any]) -> dict[str, str]:
    found = {"XBOT_MODEL": str(extra["model"]) if extra.get("model") else ""}
    for name, key in (
        ("XBOT_MAX_CONTEXT", "max_context"),
        ("XBOT_PROMPT_TOKENS", "prompt_tokens"),
        ("XBOT_COMP_TOKENS", "comp_tokens"),
    ):
        number = extra.get(key)
        is_positive = isinstance(number, int | float) and not isinstance(number, bool) and number > 0
        found[name] = f"{number:.0f}" if is_positive else ""
    if found["XBOT_PROMPT_TOKENS"] or found["XBOT_COMP_TOKENS"]:
        found["XBOT_TOKEN_USAGE"] = f"{found['XBOT_PROMPT_TOKENS'] or 0}/{found['XBOT_COMP_TOKENS'] or 0}"
    return found


def _are_plain(texts: Iterable[str], room: int) -> bool:
    """Say whether all *texts* can be handed over as they are: short, and nothing but plain characters."""
    whole = "".join(texts)
    return len(whole) < min(constants.ENV_VALUE_LIMIT, room) // 2 and whole.isascii() and "\0" not in whole


def _clean(name: str, text: str, hook: Hook, problems: list[Problem]) -> bytes:
    """Return *text* as bytes that an environment can carry; what it cannot is replaced, and said."""
    try:
        value = text.encode("utf-8", "surrogateescape")
        replaced = b"\0" in value
    except UnicodeEncodeError:
        value = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
        replaced = True
    if replaced:
        problems.append(
            Problem(
                message="held what an environment cannot carry (NUL, half a character): replaced",
                source=hook.title,
                where=name,
                hint="read it from stdin, where it is whole",
            )
        )
    return value.replace(b"\0", b"\xef\xbf\xbd")


def _too_long(name: str, size: int, hook: Hook) -> Problem:
    return Problem(
        message=f"{name} has {size} bytes, more than a variable may have: {name}_FILE names a file with it",
        source=hook.title,
        where=name,
        hint=f"read ${name}_FILE, or stdin",
    )
