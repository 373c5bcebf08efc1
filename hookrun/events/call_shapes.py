"""A call as the calls that it may be: a list of commands one by one, and for an unknown tool or an MCP tool what the
shape of its input says. Pure."""

from __future__ import annotations

import json

from hookrun.agents import XBOT, dialect_named
from hookrun.agents.translate import own_key
from hookrun.events.patches import calls_of, file_call
from hookrun.events.payload_fields import opened
from hookrun.events.touched import has_many_commands, is_of_unknown_kind, patches_in, shell_text, texts_within
from hookrun.model.events import folded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from hookrun.model.values import Event

_COMMANDS = ("command", "cmd", "script", "commandline", "shellcommand", "commands", "cmds", "scripts")
_PROGRAMS = ("program", "executable", "file")  # commands where there are arguments beside them
_ARGUMENTS = ("args", "arguments", "argv")
_PATHS = (
    "path filepath notebookpath absolutepath targetfile file filename uri target relativepath relpath paths "
    "fullpath files filename filenames filepaths pathinproject outputpath outputfile dest destination"
).split()
_BOTH_ENDS = ("source destination src dest dst from to oldpath newpath sourcepath destinationpath targetpath").split()
_WRITTEN_TO = "destination dest dst to newpath destinationpath targetpath target".split()
_OUTPUTS = ("outputpath", "outputfile")
_CONTENTS = ("content", "contents", "text", "data", "filetext", "filecontent", "newsource")
_NEW = ("newstring", "newstr", "newtext", "edits", "diff", "patch", "replacement", "repl")
_OLD = ("oldstring", "oldstr", "oldtext", "needle")
_AROUND = (
    "files changes operations edits steps tasks calls requests request options payload data"
).split()  # keys of what holds calls, or one
_TAKES_AWAY = frozenset("delete del remove rm unlink rmdir trash erase move mv rename destroy".split())
_COPIES = frozenset("copy cp copyfile duplicate".split())
_READS = frozenset("read get list search fetch diff translate send".split())
_WRITES = frozenset(
    "write edit create update save store put set replace append insert add apply patch modify change "
    "overwrite upload download sync push commit make touch dump export to into run exec execute".split()
)
# One expression, which no shell takes for more than one harmless command: `() => document.title`.
_EXPRESSION = r"\s*(\([\w\s,]*\)[ \t]*=>|(return[ \t]+)?(document|window)\.)[^;&|\n`]*;?\s*"
_INNER_COMMANDS = ("$(", "<(", ">(", "${")
# Lines of a unified diff that name its files, and one that begins a hunk. A line of text that was taken away
# can look like the first: then one more file is asked about.
_DIFF_HEADER = r"(?m)^(?:--- (?=.*\r?\n\+\+\+ )([^\t\r\n]+)|\+\+\+ ([^\t\r\n]+)|(?:diff --git|rename (?:from|to)) (.+))"
_DIFF_HUNK = r"(?m)^@@(?: -\d+(?:,\d+)? \+\d+(?:,\d+)? @@.*|\s*$)"
MOST_FILES = 200  # or commands of one call that hooks are asked about
_MOST_PARTS = 500


def shaped_calls(event: Event) -> tuple[Event, ...]:
    """Return the calls that a tool of unknown kind may be, by its input: (), or shell, write, edit."""
    if not is_of_unknown_kind(event) or _names_a_prompt(event):
        return ()
    found: dict[str, Event] = {}
    for part in _parts(event):
        found.setdefault(repr((part.kinds, part.command, part.tool_input)), part)
        if len(found) > _MOST_PARTS:
            break
    return tuple(found.values())


def single_commands(event: Event) -> tuple[Event, ...]:
    """Return the call of a shell once for each command of its list; () where it has no list."""
    if not has_many_commands(event):
        return ()
    values = _folded_keys(event.tool_input)
    value = values.get("commands", values.get("chars"))
    return tuple(_shell(event, text) for text in _each_command(value)) or (_shell(event, ""),)


def _names_a_prompt(event: Event) -> bool:
    """Say whether the `command` of the call is the name of a prompt."""
    dialect = dialect_named(event.dialect)
    return dialect is not None and event.tool_name in dialect.command_tools


def _parts(event: Event) -> Iterator[Event]:
    """Yield what the input says, and what each call in a list or object of it says."""
    left: list[tuple[Any, str]] = [(event.tool_input, event.tool_name)]
    while left:
        value, name = left.pop()
        name = f"{name} {_inner_name(value)}"
        values = _folded_keys(_arguments(value))
        yield from _commands(event, values)
        yield from _files(event, values, name)
        left += [(item, name) for key in reversed(_AROUND) for item in reversed(_items(values.get(key)))]
    if not _only_reads(event.tool_name, f"{event.tool_name} {_inner_name(event.tool_input)}"):
        yield from _patched(event)


def _commands(event: Event, values: dict[str, Any]) -> Iterator[Event]:
    keys = list(_COMMANDS)
    if any(values.get(key) for key in _ARGUMENTS):
        keys += _PROGRAMS
    if not any(values.get(key) for key in (*_COMMANDS, *_PROGRAMS)):
        keys.append("argv")
    for key in keys:
        for text in _command_texts(key, values):
            yield _shell(event, text)


def _files(event: Event, values: dict[str, Any], names: str) -> Iterator[Event]:
    words = _words(names)
    paths = _texts_of(values, _PATHS)
    has_text = any(values.get(key) is not None for key in (*_CONTENTS, *_NEW))
    if paths and has_text and not _only_reads(event.tool_name, names):
        for path in paths:
            yield _written(event, path, values)
    elif not _TAKES_AWAY.isdisjoint(words):
        for path in paths + _texts_of(values, _BOTH_ENDS):
            yield file_call(event, path, {}, ("edit", "write"))
    else:
        for path in _texts_of(values, _OUTPUTS if _COPIES.isdisjoint(words) else _WRITTEN_TO):
            yield file_call(event, path, {}, ("write", "edit"))


def _patched(event: Event) -> Iterator[Event]:
    """Yield each file of each text that is a patch, whatever path the input names besides."""
    for text in patches_in(event.tool_input):
        if text.lstrip().startswith("*** Begin Patch"):
            patching = event.replace(kinds=("edit", "write"), tool_input={"patch": text})
            for part in calls_of(patching):
                yield part.replace(whole_input=event.tool_input)
    for text in texts_within(event.tool_input):
        yield from _diffed(event, text)


def _diffed(event: Event, text: str) -> Iterator[Event]:
    """Yield each file of *text*, a unified diff; without a name one edit of an unknown file."""
    import re

    hunk = re.search(_DIFF_HUNK, text)
    if hunk is None and "diff --git " not in text:
        return
    lines = text[hunk.start() if hunk else len(text) :].splitlines()
    values = {"old": _side(lines, "-"), "new": _side(lines, "+")}
    names = _diff_names(text)
    if not names and not _texts_of(_folded_keys(_arguments(event.tool_input)), _PATHS):
        names = [""]
    for name in names:
        yield file_call(event, name, values, ("edit", "write"))


def _side(lines: list[str], sign: str) -> str:
    """Return the text of a hunk before ("-") or after ("+") it is applied."""
    return "\n".join(line[1:] for line in lines if line[:1] in (sign, " "))


def _diff_names(text: str) -> list[str]:
    """Return the files that the headers of a unified diff name, each once."""
    import re

    named = (name for old, new, both in re.findall(_DIFF_HEADER, text) for name in (old, new, *both.split()))
    plain = (name[2:] if name[:2] in ("a/", "b/") else name.strip() for name in named)
    return list(dict.fromkeys(name for name in plain if name not in ("", "/dev/null")))


def _folded_keys(values: dict[str, Any]) -> dict[str, Any]:
    return {folded(key): value for key, value in values.items()}


def _only_reads(tool: str, names: str) -> bool:
    """Say whether the name of *tool* begins with a reading verb (`mcp__x__getDiff`) and no word of *names* writes."""
    own = tool.rpartition("__")[2]
    is_reader = any(word in _READS for word in _spaced(own)[:1])
    return is_reader and (_WRITES | _TAKES_AWAY | _COPIES).isdisjoint(_words(names))


def _is_expression(script: str) -> bool:
    """Say whether *script* is JavaScript for a browser, and harmless as a shell command."""
    import re

    return re.fullmatch(_EXPRESSION, script) is not None and not any(sign in script for sign in _INNER_COMMANDS)


def _command_texts(key: str, values: dict[str, Any]) -> list[str]:
    value = opened(values.get(key))
    if key in ("commands", "cmds", "scripts"):
        return _each_command(value)
    if isinstance(value, list):
        words = [word for word in value if isinstance(word, str)]
        is_list_of_commands = bool(words) and any(sign in words[0].strip() for sign in " \t\n")
        return words if is_list_of_commands else [shell_text(words)] if words else []
    if not isinstance(value, str) or not value.strip():
        return []
    if key == "script" and _is_expression(value):
        return []
    more = "" if key == "argv" else _arguments_text(values)
    return [f"{value} {more}" if more else value]


def _arguments_text(values: dict[str, Any]) -> str:
    """Return the arguments beside a command, which are one text or a list of words."""
    more = next((value for name in _ARGUMENTS if isinstance(value := opened(values.get(name)), str | list)), "")
    return shell_text(more) if isinstance(more, list) else more


def _each_command(value: Any) -> list[str]:
    value = opened(value)
    if isinstance(value, str):
        return [value] if value.strip() else []
    texts: list[str] = []
    for item in value if isinstance(value, list) else []:
        if isinstance(item, str):
            texts.append(item)
        elif isinstance(item, dict):
            values = _folded_keys(item)
            texts += [text for key in ("command", "cmd", "script") for text in _command_texts(key, values)]
        elif isinstance(item, list):
            texts.append(shell_text(item))
    return texts


def _shell(event: Event, text: str) -> Event:
    source = dialect_named(event.dialect) or XBOT
    return event.replace(
        tool_input={own_key(source, "command"): text},
        tool_input_text="",
        whole_input=event.tool_input,
        kinds=("shell",),
        command=text,
        paths=(),
    )


def _written(event: Event, path: str, values: dict[str, Any]) -> Event:
    old = next((values[key] for key in _OLD if isinstance(values.get(key), str)), None)
    new = next((values[key] for key in (*_CONTENTS, *_NEW) if values.get(key) is not None), "")
    text = new if isinstance(new, str) else json.dumps(new)
    if old is None and any(values.get(key) is not None for key in _CONTENTS):
        return file_call(event, path, {"content": text}, ("write",))
    return file_call(event, path, {"old": old or "", "new": text}, ("edit",))


def _arguments(tool_input: Any) -> dict[str, Any]:
    """Return the arguments of a call; where an input names the tool that it is for, the arguments for that tool."""
    values = opened(tool_input)
    if isinstance(values, list):
        return {"files": values}
    if not isinstance(values, dict):
        return {}
    for key in ("arguments", "args", "params", "parameters", "input"):
        inner = opened(values.get(key))
        if isinstance(inner, dict):
            return values | inner
    return values


def _inner_name(tool_input: Any) -> str:
    values = tool_input if isinstance(tool_input, dict) else {}
    return " ".join(str(values[key]) for key in ("tool_name", "tool", "name", "operation", "action") if key in values)


def _words(name: str) -> set[str]:
    """Return the words of a tool's name: deleteFile, delete_file and delete-file are two."""
    plain = "".join(letter if letter.isalnum() else " " for letter in name)
    return {*_spaced(name), *plain.lower().split()}


def _spaced(name: str) -> list[str]:
    spaced = "".join(f" {letter}" if letter.isupper() else letter for letter in name)
    return "".join(letter if letter.isalnum() else " " for letter in spaced).lower().split()


def _items(value: Any) -> list[dict[str, Any]]:
    value = opened(value)
    found = value if isinstance(value, list) else [value]
    return [item for item in found if isinstance(item, dict)]


def _texts_of(values: dict[str, Any], keys: Iterable[str]) -> list[str]:
    return [text for key in keys for text in _texts(values.get(key))]


def _texts(value: Any) -> list[str]:
    items = opened(value)
    found = [item for item in items if isinstance(item, str) and item] if isinstance(items, list) else []
    return found or ([value] if isinstance(value, str) and value.strip() else [])
