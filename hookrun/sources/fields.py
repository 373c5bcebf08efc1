"""The fields of a manifest as tables, for reading, linting and the JSON Schema for editors."""

from __future__ import annotations

from hookrun.agents import DIALECTS
from hookrun.model import constants
from hookrun.model.frozen import Frozen
from hookrun.model.text import nearest
from hookrun.model.values import Problem
from hookrun.sources.found import REMOVE_KEY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

ID_PATTERN = r"^[a-zA-Z0-9][a-zA-Z0-9._-]{0,127}$"
LONGEST_TIMEOUT = 300.0  # seconds, xbot's own limit for manifests
DURATION = "string number"


class Field(Frozen):
    """One key: the JSON types it may have (JSON Schema's words, by blanks), and what is in it."""

    types: str
    description: str
    required: bool = False
    choices: tuple[str, ...] = ()
    pattern: str = ""
    entry: Mapping[str, Field] | None = None  # the fields of each entry of a list, or of a mapping


_FAILURE = Field(types="string", description="What a failure of this hook means", choices=("deny", "ask", "allow"))
_ROLE = Field(types="string", description="Whether the hook can deny by failing", choices=("guard", "observer"))

HOOK_FIELDS: dict[str, Field] = {
    "event": Field(types="string", description="The event's name", required=True),
    "matcher": Field(types="string", description="Names of tools: exact, with * and |; empty for all"),
    "entry": Field(types="string", description="This hook's own command line, in place of the manifest's"),
    "timeout": Field(types=DURATION, description='Such as "5s", "500ms"; at most 5m'),
    "on_failure": _FAILURE,
    "role": _ROLE,
    "serial": Field(types="boolean", description="Start when the hooks before it have ended"),
}
UI_FIELDS: dict[str, Field] = {
    "id": Field(types="string", description="The widget's id, unique in the plugin", required=True, pattern=ID_PATTERN),
    "slot": Field(types="string", description="Where it is shown", required=True, choices=constants.SLOTS),
    "description": Field(types="string", description="What it shows"),
    "priority": Field(types="integer", description="Lower comes first; 100 when absent"),
    "sync": Field(types="boolean", description="Run inside the event, output becomes a tool hint"),
    "refresh_interval": Field(types=DURATION, description='How old a cached widget may be, such as "30s"'),
    "triggers": Field(types="array", description='Texts such as "PostToolUse:Shell*"'),
}
COMMAND_FIELDS: dict[str, Field] = {
    "name": Field(types="string", description="The command's name", required=True, pattern=r"^/?" + ID_PATTERN[1:]),
    "description": Field(types="string", description="What it does"),
}
# What xbot's own host reads, as a contribution or at the top.
HOST_FIELDS: dict[str, Field] = {
    name: Field(types="array object string boolean", description="Listed, not run by hookrun")
    for name in (*("tools", "themes", "overlays", "configuration", "context_enrichers", "channel_provider", "web"),)
}
CONTRIBUTION_FIELDS: dict[str, Field] = {
    "hooks": Field(types="array", description="Events the plugin answers", entry=HOOK_FIELDS),
    "ui": Field(types="array", description="Tool hints and widgets", entry=UI_FIELDS),
    "commands": Field(types="array", description="Commands for `hookrun run`", entry=COMMAND_FIELDS),
    "crons": Field(types="array", description="Schedules"),
    "webhooks": Field(types="array", description="Webhooks"),
    "rules": Field(types="array", description="Denials and questions without a script"),
    **HOST_FIELDS,
}
RUN_HERE = ("hooks", "ui", "commands")
# Names of runtimes that are run here, and what each is called inside.
RUNTIMES_RUN_HERE = {"script": "script", "stdio": "stdio", "grpc": "stdio", "python": "python", "native": "python"}
RUNTIMES = ("script", "stdio", "grpc", "python", "native", "rules", "wasm")
MANIFEST_FIELDS: dict[str, Field] = {
    "id": Field(types="string", description="The plugin's id, unique in its level", required=True, pattern=ID_PATTERN),
    "name": Field(types="string", description="Its name for people", required=True),
    "version": Field(types="string", description="Its semantic version", required=True),
    "description": Field(types="string", description="What it does, in a line"),
    "author": Field(types="string object", description="Who wrote it"),
    "homepage": Field(types="string", description="Where it is described"),
    "license": Field(types="string", description="Its licence"),
    "runtime": Field(types="string", description="How it runs", required=True, choices=RUNTIMES),
    "entry": Field(types="string", description="The command line, split as a shell would, run without one"),
    "entry_linux": Field(types="string", description="The command line on Linux"),
    "entry_darwin": Field(types="string", description="The command line on macOS"),
    "entry_windows": Field(types="string", description="The command line on Windows"),
    "executable": Field(types="string", description="The program, with args instead of entry"),
    "args": Field(types="array", description="Arguments of executable, not split"),
    "timeout": Field(types=DURATION, description='How long one run may take, such as "30s"; at most 5m'),
    "dialect": Field(
        types="string",
        description="The agent whose names, payload and answers its hooks know; xbot when absent",
        choices=tuple(dialect.name for dialect in DIALECTS),
    ),
    "env": Field(
        types="array", description='The variables it inherits, such as ["AWS_REGION", "NPM_*"]; all when absent'
    ),
    "permissions": Field(types="array", description="ui.contribute, hooks.subscribe, ... or *"),
    "activation_events": Field(types="array", description="When xbot activates the plugin"),
    "dependencies": Field(types="array object", description="Plugins it needs"),
    **HOST_FIELDS,
    "contributes": Field(types="object", description="What it adds", entry=CONTRIBUTION_FIELDS),
}

_PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


def camel(name: str) -> str:
    """Return the camelCase spelling of a snake_case *name*."""
    first, *others = name.split("_")
    return first + "".join(part.capitalize() for part in others)


def read_fields(
    table: Mapping[Any, Any], fields: Mapping[str, Field], path: str, where: str, problems: list[Problem]
) -> dict[str, Any]:
    """Return *table* by the canonical names of its keys. An unknown key or a value of a wrong type is left out and
    becomes a Problem, so that a bad entry never costs its neighbours."""
    known = _spellings(fields)
    values: dict[str, Any] = {}
    for key, value in table.items():
        named = known.get(key)
        if named is None:
            if key != "$schema" and not str(key).startswith("x-"):
                problems.append(_unknown(str(key), known, path, f"{where}{key}"))
            continue
        name, types, choices = named
        if type(value) in types and (not choices or value in choices):
            values[name] = value
        elif value is not None:
            field = fields[name]
            flaw = _flaw(value, field, types)
            spot = f"{where}{key}"
            problems.append(Problem(message=flaw, level="error", source=path, where=spot, hint=_wanted(field)))
    return values


def seconds_of(value: Any) -> float | None:
    """Return the seconds of a duration such as "30s", "1m30s", "500ms" or a bare number of seconds;
    None for what is not a duration above zero."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if 0 < value < 1e9 else None
    import re

    text = str(value).strip()
    if not re.fullmatch(r"([0-9]+(\.[0-9]+)?(ms|s|m|h))+", text):
        return None
    total = 0.0
    for amount, unit in re.findall(r"([0-9.]+)(ms|s|m|h)", text):
        total += float(amount) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600}[unit]
    return total if 0 < total < 1e9 else None


_SPELLINGS: dict[int, dict[str, tuple[str, frozenset[type], tuple[str, ...]]]] = {}


def _spellings(fields: Mapping[str, Field]) -> dict[str, tuple[str, frozenset[type], tuple[str, ...]]]:
    """Return (name, Python types, choices) by every spelling of the fields' names."""
    found = _SPELLINGS.get(id(fields))
    if found is None:
        found = {
            spelling: (name, _types_of(field), field.choices)
            for name, field in fields.items()
            for spelling in (name, camel(name))
        }
        _SPELLINGS[id(fields)] = found
    return found


def _types_of(field: Field) -> frozenset[type]:
    return frozenset(kind for word in field.types.split() for kind in _PYTHON_TYPES[word])


def _flaw(value: Any, field: Field, types: frozenset[type]) -> str:
    if type(value) not in types:
        return f"must be {field.types.replace(' ', ' or ')}, not {_word_for(value)}"
    return f"{value!r} is not known"


def _word_for(value: Any) -> str:
    for word, kinds in _PYTHON_TYPES.items():
        if type(value) in kinds:
            return word
    return type(value).__name__


def _wanted(field: Field) -> str:
    return f"one of {', '.join(field.choices)}" if field.choices else field.description


def _unknown(key: str, known: Iterable[str], path: str, where: str) -> Problem:
    near = nearest(key, known)
    return Problem(
        message=f"unknown key {key!r} (ignored)",
        source=path,
        where=where,
        hint=f"did you mean {near}?" if near else REMOVE_KEY,
    )
