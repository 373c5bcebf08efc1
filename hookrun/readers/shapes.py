"""A call as the calls that it comes to: a list of commands one by one, and of a tool that no table knows, or
an MCP tool, what the shape of its input says. Pure."""

from __future__ import annotations

import json

from hookrun.readers.dialects import XBOT, dialect_named
from hookrun.readers.dialects.translation import own_key
from hookrun.readers.touched import has_many_commands, is_of_unknown_kind, resolved
from hookrun.words.catalog import folded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookrun.words.model import Event

_COMMANDS = ("command", "cmd", "script", "commandline", "shellcommand", "commands", "cmds", "scripts")
_ARGUMENTS = ("args", "arguments", "argv")
_PATHS = (
    "path filepath notebookpath absolutepath targetfile file filename uri target relativepath relpath paths "
    "fullpath"
).split()
_BOTH_ENDS = (
    "source destination src dest dst from to oldpath newpath sourcepath destinationpath targetpath"
).split()
_CONTENTS = ("content", "contents", "text", "data", "filetext", "filecontent", "newsource")
_NEW = ("newstring", "newstr", "newtext", "edits", "diff", "patch", "replacement")
_OLD = ("oldstring", "oldstr", "oldtext")
_LISTS = ("files", "changes", "operations", "edits")
_TAKES_AWAY = frozenset("delete del remove rm unlink rmdir trash erase move mv rename destroy".split())
_JAVASCRIPT = ("=>", "function", "document.", "window.", "await ", "const ", "return ")
MOST_FILES = 200  # or commands of one call that hooks are asked about
_MOST_PARTS = 500


def shaped_calls(event: Event) -> tuple[Event, ...]:
    """Return the calls that a tool of unknown kind may be, by its input: (), or shell, write, edit."""
    if not is_of_unknown_kind(event):
        return ()
    values = _arguments(event.tool_input)
    names = f"{event.tool_name} {_inner_name(event.tool_input)}"
    found: dict[str, Event] = {}
    for part in _shapes(event, values, names):
        found.setdefault(repr((part.kinds, part.command, part.tool_input)), part)
        if len(found) > _MOST_PARTS:
            break
    return tuple(found.values())


def single_commands(event: Event) -> tuple[Event, ...]:
    """Return the call of a shell once for each command of its list; () where it has no list."""
    if not has_many_commands(event):
        return ()
    values = {folded(key): value for key, value in event.tool_input.items()}
    given = values.get("commands", values.get("chars"))
    return tuple(_shell(event, text) for text in _each_command(given)) or (_shell(event, ""),)


def _shapes(event: Event, values: dict[str, Any], names: str) -> Iterator[Event]:
    folded_values = {folded(key): value for key, value in values.items()}
    for key in _COMMANDS:
        for text in _command_texts(key, folded_values):
            yield _shell(event, text)
    paths = [text for key in _PATHS for text in _texts(folded_values.get(key))]
    if paths and any(folded_values.get(key) is not None for key in (*_CONTENTS, *_NEW)):
        for path in paths:
            yield _written(event, path, folded_values)
    elif not _TAKES_AWAY.isdisjoint(_words(names)):
        paths += [text for key in _BOTH_ENDS for text in _texts(folded_values.get(key))]
        for path in paths:
            yield _file(event, path, {}, ("edit", "write"))
    for key in _LISTS:
        for item in _items(folded_values.get(key)):
            yield from _shapes(event, item, names)


def _command_texts(key: str, values: dict[str, Any]) -> list[str]:
    given = _opened(values.get(key))
    if key in ("commands", "cmds", "scripts"):
        return _each_command(given)
    if isinstance(given, list):
        words = [word for word in given if isinstance(word, str)]
        is_list_of_commands = bool(words) and any(sign in words[0].strip() for sign in " \t\n")
        return words if is_list_of_commands else [_joined(words)] if words else []
    if not isinstance(given, str) or not given.strip():
        return []
    if key == "script" and any(word in given for word in _JAVASCRIPT):
        return []
    more: list[Any] = next((values[name] for name in _ARGUMENTS if isinstance(values.get(name), list)), [])
    return [f"{given} {_joined([str(word) for word in more])}" if more else given]


def _each_command(given: Any) -> list[str]:
    given = _opened(given)
    if isinstance(given, str):
        return [given] if given.strip() else []
    texts: list[str] = []
    for item in given if isinstance(given, list) else []:
        if isinstance(item, str):
            texts.append(item)
        elif isinstance(item, dict):
            values = {folded(key): value for key, value in item.items()}
            texts += [text for key in ("command", "cmd", "script") for text in _command_texts(key, values)]
        elif isinstance(item, list):
            texts.append(_joined([str(word) for word in item]))
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
        return _file(event, path, {"content": text}, ("write",))
    return _file(event, path, {"old": old or "", "new": text}, ("edit",))


def _file(event: Event, path: str, values: dict[str, str], kinds: tuple[str, ...]) -> Event:
    source = dialect_named(event.dialect) or XBOT
    path = path.removeprefix("file://")
    return event.replace(
        tool_input={own_key(source, key): value for key, value in {"path": path, **values}.items()},
        tool_input_text="",
        whole_input=event.tool_input,
        kinds=kinds,
        command="",
        paths=(resolved(path, event.cwd),),
    )


def _arguments(tool_input: Any) -> dict[str, Any]:
    """Return what a call is given; where an input says which tool it is for, the arguments for that."""
    values = _opened(tool_input)
    if isinstance(values, list):
        return {"files": values}
    if not isinstance(values, dict):
        return {}
    for key in ("arguments", "args", "params", "parameters", "input"):
        inner = _opened(values.get(key))
        if isinstance(inner, dict):
            return values | inner
    return values


def _inner_name(tool_input: Any) -> str:
    values = tool_input if isinstance(tool_input, dict) else {}
    return " ".join(
        str(values[key]) for key in ("tool_name", "tool", "name", "operation", "action") if key in values
    )


def _words(name: str) -> set[str]:
    """Return the words of a tool's name: deleteFile, delete_file and delete-file are two."""
    spaced = "".join(f" {letter}" if letter.isupper() else letter for letter in name)
    spaced = "".join(letter if letter.isalnum() else " " for letter in spaced)
    plain = "".join(letter if letter.isalnum() else " " for letter in name)
    return {word.lower() for word in (*spaced.split(), *plain.split())}


def _opened(value: Any) -> Any:
    """Return the list or object that *value* is the JSON of, else *value*."""
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _items(value: Any) -> list[dict[str, Any]]:
    value = _opened(value)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value] if value.strip() else []
    return [item for item in value if isinstance(item, str) and item] if isinstance(value, list) else []


def _joined(words: list[str]) -> str:
    import shlex

    return shlex.join(words)
