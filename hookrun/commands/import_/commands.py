"""A handler's command -> what a manifest's entry is, with a small script where it takes a shell."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from hookrun.agents.settings import settings_of
from hookrun.commands.new import NewFile
from hookrun.commands.validate.bashisms import find_bashisms
from hookrun.model import constants
from hookrun.model.frozen import Frozen
from hookrun.model.values import Hook
from hookrun.sources.agent_settings.commands import expanded, files_mentioned, folders_of, script_of, words_of

_PLAIN_SHELL = ("/bin/sh", "-c")


class Start(Frozen):
    """``entry`` is the manifest's, ``script`` the file that it names where one has to be written."""

    entry: str
    script: NewFile | None = None


def start_of(hook: Hook, handler: Mapping[str, Any], folder: str, script_name: str) -> Start:
    """Return how a manifest in *folder* (absolute) starts *hook*; its script would be called *script_name*.

    The script does not name the settings: trust would take them for a part of it."""
    words = _plain_words(hook, handler)
    if words:
        return Start(entry=" ".join(_quoted(_located(word, hook.place, folder)) for word in words))
    body = [*_exports(handler), *_folder(hook, handler), *_body(hook, handler)]
    is_for_bash = any(True for _ in find_bashisms("\n".join(body)))
    lines = ["#!/bin/bash" if is_for_bash else "#!/bin/sh"]
    lines += [f"# {line}" for line in _uses(hook, folder, script_name)]
    text = "\n".join([*lines, *body, ""])
    data = text.encode()
    return Start(entry=script_name, script=NewFile(path=script_name, data=data, is_executable=True))


def flaw_of(handler: Mapping[str, Any]) -> str:
    """Say why a handler cannot be started the same way by hookrun, "" when it can."""
    if not _is_plain(handler):
        return "it contains NUL or a lone surrogate, which no file can carry"
    if handler.get("once") is True:
        return "it runs once a session, which a manifest cannot express"
    env = handler.get("env")
    for name, value in env.items() if isinstance(env, dict) else ():
        if isinstance(value, str) and "$" in value:
            return f"its variable {name} is composed by the agent"
        if not (str(name).isascii() and str(name).isidentifier()):
            return f"its variable {name} has a name that no shell can set"
    return ""


def _is_plain(value: Any) -> bool:
    text = json.dumps(value, ensure_ascii=False, default=str)
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\\u0000" not in text


def _plain_words(hook: Hook, handler: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the words of what needs no shell: a list of arguments, or a command that only runs a script."""
    is_special = hook.is_async or isinstance(handler.get("env"), dict) or _wanted_folder(hook, handler)
    settings = settings_of(hook.dialect)
    if is_special or settings.shell[0] == "$SHELL" or settings.refuses_above_2:
        return ()
    if "file" in handler or handler.get("args") is not None:
        return hook.program.words
    command = hook.program.words[-1]
    if hook.level == constants.USER and "PROJECT_DIR" in command:  # another folder in every project
        return ()
    folders = folders_of(hook.place, hook.program.folder, "")
    if not script_of(command, hook.program.folder, folders):
        return ()
    *interpreter, script = [expanded(word, folders) for word in words_of(expanded(command, folders))]
    return (*interpreter, os.path.normpath(os.path.join(hook.program.folder, script)))


def _located(word: str, place: str, folder: str) -> str:
    """Return *word* from the manifest's folder on, when it is a file of the project or the user's."""
    if os.path.isabs(word) and word.startswith(place.rstrip("/") + "/") and os.path.lexists(word):
        return "${PLUGIN_ROOT}/" + os.path.relpath(word, folder)
    return word


def _quoted(word: str) -> str:
    return word if all(sign.isalnum() or sign in "_@%+=:,./${}-" for sign in word) else shlex.quote(word)


def _uses(hook: Hook, folder: str, script_name: str) -> Iterator[str]:
    """Yield a line for each file that the command names, from the script on: trust reads what they say."""
    here = os.path.dirname(os.path.join(folder, script_name))
    folders = folders_of(hook.place, hook.program.folder, "")
    mentioned = files_mentioned(hook.program.words, hook.program.folder, folders)  # behind a `cd`, too
    for file in dict.fromkeys((*hook.program.files, *mentioned)):
        if file.startswith(hook.place.rstrip("/") + "/") and file.isprintable():
            yield f"runs {os.path.relpath(file, here)}"


def _exports(handler: Mapping[str, Any]) -> list[str]:
    env = handler.get("env")
    pairs = env.items() if isinstance(env, dict) else ()
    return [f"export {name}={shlex.quote(value)}" for name, value in pairs if isinstance(value, str)]


def _wanted_folder(hook: Hook, handler: Mapping[str, Any]) -> str:
    key = settings_of(hook.dialect).folder_key
    wanted = handler.get(key) if key else None
    return wanted if isinstance(wanted, str) else ""


def _folder(hook: Hook, handler: Mapping[str, Any]) -> list[str]:
    wanted = _wanted_folder(hook, handler)
    if not wanted:
        return []
    path = shlex.quote(wanted) if os.path.isabs(wanted) else f'"$XBOT_PROJECT_DIR"/{shlex.quote(wanted)}'
    return [f"[ ! -d {path} ] || cd {path} || exit"]


def _body(hook: Hook, handler: Mapping[str, Any]) -> list[str]:
    """Return the lines that run the command as its agent does."""
    if handler.get("args") is not None or "file" in handler:
        run = " ".join(map(shlex.quote, hook.program.words))
    else:
        run = _in_its_shell(hook)
    if hook.is_async:
        comment = "# in the background: its output and exit code have no effect"
        return [comment, "(", run, ") >/dev/null 2>&1", "exit 0"]
    settings = settings_of(hook.dialect)
    if settings.refuses_above_2:
        return [
            run,
            "code=$?",
            f'[ "$code" -gt 2 ] && exit 2  # which {settings.title} refuses as well',
            'exit "$code"',
        ]
    return [run]


def _in_its_shell(hook: Hook) -> str:
    *shell, command = hook.program.words
    if tuple(shell) == _PLAIN_SHELL:
        return command
    if settings_of(hook.dialect).shell[0] == "$SHELL":
        return f'"${{SHELL:-/bin/sh}}" -lc {shlex.quote(command)}'
    return f"{shlex.join(shell)} {shlex.quote(command)}"
