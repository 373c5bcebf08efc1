"""A command line of an agent's settings: the files that it names, and the one script that it runs."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache

from hookrun.agents import DIALECTS
from hookrun.model.frozen import Frozen
from hookrun.sources.bridge_command import is_bridge_command

_WORD = r"""(?:"[^"]*"|'[^']*'|\\.|[^\s;|&<>()"'])+"""
_SEGMENT = r"""\"((?:[^"\\]|\\.)*)\"|'([^']*)'|\\(.)|([^"'\\]+)"""
_OPEN = "$`*?~<>="  # what a shell may put something in for
_OPEN_IN_QUOTES = "$`"
_SIGNS = "\"'\\;|&<>()"
_VARIABLE = r"\$\{?([A-Za-z_]\w*)\}?"
_INTERPRETERS = ("sh", "bash", "zsh", "dash", "python", "python3", "node")
_SYSTEM_FOLDERS = ("/bin/", "/sbin/", "/usr/", "/opt/homebrew/", "/nix/store/", "/dev/", "/proc/")
BRIDGE = "hookrun bridge"
# What `install` wrote before, and what somebody writes by hand instead.
_BEFORE_BRIDGE = (
    r"\s*(?:\S*sh\s+-l?c\s+['\"]?)?\s*"
    r"(?:command -v hookrun >\s?/dev/null(?: 2>&1)? \|\| (?:\{ .*?; \}|exit \d)[;\n]\s*)?"
    r"(?:unset [A-Z_ ]+[;\n]\s*)?(?:exec\s+)?(?:env\s+)?(?:\w+=[^\s;&|`$()]*\s+)*(?:[^\s;&|`$()]*/)?"
)
_AFTER_BRIDGE = r"(?![\w-])[^;&|<>`$()\n]*(?:\|\|\s*exit \d)?\s*['\"]?\s*"


def folders_of(project: str, plugin: str, home: str) -> dict[str, str]:
    """Return the variables that a command line may begin a path with; "" folders are left out."""
    folder_by_kind = {"project": project, "plugin": plugin, "home": home}
    return {name: folder for name, kind in _variables().items() if (folder := folder_by_kind.get(kind, ""))}


@cache
def _variables() -> dict[str, str]:
    """Return what each variable of some agent's names: project, plugin or home."""
    kinds = {"PLUGIN_ROOT": "plugin", "HOME": "home"}
    for dialect in DIALECTS:
        kinds |= {**dict.fromkeys(dialect.project_variables, "project"), **dialect.variables}
    return kinds


def expanded(word: str, folders: Mapping[str, str]) -> str:
    """Return *word* with the variables of *folders* and a leading ``~`` put in; others stay."""
    if word.startswith("~/") and "HOME" in folders:
        word = folders["HOME"] + word[1:]
    return _with_variables(word, folders)


def only_asks_hookrun(command: str, agent: str = "") -> bool:
    """Say whether *command* asks hookrun, for *agent* or any, and does nothing else. One that only mentions it, or does
    more, is a hook of its own."""
    if BRIDGE not in command:
        return False
    if is_bridge_command(command, agent):
        return True
    name = re.escape(agent) if agent else r"\w+"
    return re.fullmatch(f"{_BEFORE_BRIDGE}{BRIDGE} {name}{_AFTER_BRIDGE}", command, re.DOTALL) is not None


def files_named(words: tuple[str, ...], folder: str, folders: Mapping[str, str]) -> tuple[str, ...]:
    """Return the files, absolute, that are among *words*; relative ones are looked for in *folder*."""
    found: dict[str, None] = {}
    for word in words:
        path = _path(word, folder, folders)
        if path and not path.startswith(_SYSTEM_FOLDERS) and _is_file(path):
            found[path] = None
    return tuple(found)


def words_of(command: str) -> tuple[str, ...]:
    """Return the words of all parts of *command* without quotes, unexpanded, but for the files that it writes to."""
    if not any(sign in command for sign in _SIGNS):  # an expression is not compiled for nothing
        return tuple(command.split())
    command = _without_targets(command)
    return tuple(_unquoted(word) for word in re.findall(_WORD, command))


class Word(Frozen):
    """A word of a command line as its shell has it."""

    text: str  # without quotes, the known variables put in
    is_whole: bool = True  # nothing in it is left that the shell would put something in for


def shell_words(command: str, folders: Mapping[str, str]) -> list[Word]:
    """Return the words of one simple *command* by the shell's rules of quotes: nothing is expanded in single quotes,
    and no ``~`` in any."""
    return [_shell_word(word, folders) for word in re.findall(_WORD, _without_targets(command))]


def _shell_word(word: str, folders: Mapping[str, str]) -> Word:
    text, is_whole = "", True
    for double, single, escaped, bare in re.findall(_SEGMENT, word):
        part = expanded(bare, folders) if not text else _with_variables(bare or double, folders)
        part = _with_variables(double, folders) if double else part
        is_whole = is_whole and not set(part) & set(_OPEN_IN_QUOTES if double else _OPEN)
        text += part + single + escaped
    return Word(text=text, is_whole=is_whole)


def _with_variables(text: str, folders: Mapping[str, str]) -> str:
    return re.sub(_VARIABLE, lambda found: folders.get(found[1], found[0]), text) if "$" in text else text


def files_mentioned(words: tuple[str, ...], folder: str, folders: Mapping[str, str]) -> list[str]:
    """Return the files, absolute, that any part of *words* may mean: from *folder*, or from a folder that is
    mentioned as well (``cd hooks && ./x.sh``). Rather one too many than one too few."""
    places: dict[str, None] = {folder: None}
    found: dict[str, None] = {}
    for part in (parts := [part for word in words for part in _parts(word)]):
        if path := _path(part, folder, folders):
            places |= {path: None} if os.path.isdir(path) else {}
    for part in parts:
        for place in places:
            for path in (_path(part, place, folders), _path(part.lstrip("/"), place, folders)):
                if path and not path.startswith(_SYSTEM_FOLDERS) and _is_file(path):
                    found[path] = None
    return list(found)


def _parts(text: str) -> list[str]:
    """Return what may be a path in *text*: its words, the pieces between signs, and modules for Python."""
    bare = re.sub(r"\$\{(\w+)[^}]*\}", r"$\1", _without_targets(text)).replace('"', "").replace("'", "")
    between = re.findall(r"(?:\$\w+|[^\s`;|&<>()=,:\[\]{}$])+", bare)
    inside = [re.sub(r"^\$\w+/", "", part) for part in between]  # of a folder that is not known
    modules = [name.replace(".", "/") for name in re.findall(r"-m\s+([\w.]+)", bare)]
    sources = [f"{module}{end}" for module in modules for end in (".py", "/__init__.py", "/__main__.py")]
    return [*dict.fromkeys((*words_of(text), *between, *inside, *sources))]


def _without_targets(command: str) -> str:
    if ">" in command:
        command = re.sub(rf"\d*&?>{{1,2}}\|?\s*(?!&){_WORD}", " ", command)
    return re.sub(rf"(?<![\w./-])tee(\s+{_WORD})+", " ", command) if "tee" in command else command


def script_of(command: str, folder: str, folders: Mapping[str, str]) -> str:
    """Return the real path of the script when *command* does nothing but run one, without arguments."""
    bare = expanded(command, folders)
    if re.search(r"[;|&<>()`\n]|\$", bare):
        return ""
    words = [expanded(word, folders) for word in words_of(command)]
    if len(words) == 2 and os.path.basename(words[0]) in _INTERPRETERS:
        words = words[1:]
    if len(words) != 1:
        return ""
    path = _path(words[0], folder, folders)
    return os.path.realpath(path) if path and _is_file(path) else ""


def _path(word: str, folder: str, folders: Mapping[str, str]) -> str:
    word = expanded(word, folders)
    if not word or "$" in word or word.startswith("-"):
        return ""
    return os.path.normpath(os.path.join(folder, word))


def _is_file(path: str) -> bool:
    try:
        return os.path.isfile(path)
    except ValueError:  # NUL
        return False


def _unquoted(word: str) -> str:
    return re.sub(r"""\\(.)|["']""", lambda found: found[1] or "", word)
