"""The `if` of agents' settings: one permission rule of Claude's, or xbot's Tool(glob). Pure but for links."""

from __future__ import annotations

import os

from hookrun.matching.matchers import glob
from hookrun.matching.shell_conditions import simple_commands
from hookrun.model.frozen import Frozen

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from hookrun.model.values import Event

    Holds = Callable[[Event, tuple[str, ...]], bool | None]

EDITING = ("Edit", "Write", "MultiEdit", "NotebookEdit")
READING = ("Read", "Grep", "Glob", "LS")


class Condition(Frozen):
    """``holds`` takes the event and the tool's names in the agent's dialect; None is "it cannot be told".

    ``flaw`` says what is wrong with it, ``hint`` how to mend that.
    """

    text: str
    holds: Holds
    flaw: str = ""
    hint: str = ""

    @property
    def never_holds(self) -> bool:
        """Whether no event whatever fulfils it."""
        return self.holds is _never


def claude_condition(text: str) -> Condition:
    """Return the condition of one permission rule: ``Bash``, ``Bash(git commit:*)``, ``Edit(src/**)``."""
    tool, argument, rest = _parts(text)
    if rest.startswith("|") or (not argument and "|" in tool):
        rules = [rule.strip() for rule in _alternatives(text)]
        hint = "write one handler for each: " + " and ".join(f'"if": "{rule}"' for rule in rules)
        flaw = "`if` is one rule, and Claude Code never fires a hook with `|` between two"
        return Condition(text=text, holds=_never, flaw=flaw, hint=hint)
    if rest or not tool:
        flaw = "`if` is not a permission rule: it is unknown when the hook should fire, so it fires"
        return Condition(text=text, holds=_unknown, flaw=flaw, hint='write it like "Bash(git commit:*)"')
    return Condition(text=text, holds=lambda event, names: _claude_holds(event, names, tool, argument))


def never_condition(text: str, event: str) -> Condition:
    """Return the condition of an event that is about no tool: with an `if` its hooks never fire."""
    flaw = f"{event} is about no tool, and with an `if` its hooks never fire"
    return Condition(text=text, holds=_never, flaw=flaw, hint="leave out the `if`")


def xbot_condition(text: str) -> Condition:
    """Return the condition ``Tool(glob)``, the glob tried on every string of the input; or ``Tool``."""
    tool, argument, rest = _parts(text)
    if rest or not tool:
        flaw = "`if` is not Tool(glob): it is unknown when the hook should fire, so it fires"
        return Condition(text=text, holds=_unknown, flaw=flaw, hint='write it like "Shell(*git commit*)"')
    is_tool = glob(tool)
    is_text = glob(argument) if argument is not None else None

    def holds(event: Event, names: tuple[str, ...]) -> bool:
        if not any(is_tool(name) for name in names):
            return False
        return is_text is None or any(is_text(found) for found in _strings(event.tool_input))

    return Condition(text=text, holds=holds)


def _parts(text: str) -> tuple[str, str | None, str]:
    """Return tool, what is in the parentheses (None without) and what follows them."""
    tool, opened, rest = text.strip().partition("(")
    if not opened:
        return tool.strip(), None, ""
    depth = 1
    for place, sign in enumerate(rest):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if not depth:
            return tool.strip(), rest[:place], rest[place + 1 :].strip()
    return "", None, text


def _alternatives(text: str) -> Iterator[str]:
    """Yield what stands between the bars that are in no parentheses."""
    depth, start = 0, 0
    for place, sign in enumerate(text):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign == "|" and depth == 0:
            yield text[start:place]
            start = place + 1
    yield text[start:]


def _never(_: Event, __: tuple[str, ...]) -> bool:
    return False


def _unknown(_: Event, __: tuple[str, ...]) -> None:
    return None


def _names(event: Event, pattern: str) -> bool | None:
    """Say whether the sub-agent or skill of *event* matches *pattern*, None when it names none."""
    given = [event.tool_input.get(key) for key in ("subagent_type", "skill")] if _is_table(event) else []
    names = [value for value in given if isinstance(value, str)]
    return any(glob(pattern)(name) for name in names) if names else None


def _claude_holds(event: Event, names: tuple[str, ...], tool: str, argument: str | None) -> bool | None:
    wanted = EDITING if tool == "Edit" else READING if tool == "Read" else (tool,)
    if not any(name in wanted or "*" in name for name in names):
        return False
    if argument in (None, "", "*"):
        return True
    if tool == "Bash":
        return _runs(event, argument)
    if tool in (*EDITING, *READING):
        return _touches(event, argument)
    if tool == "WebFetch" and argument.startswith("domain:"):
        return _fetches(event, argument.removeprefix("domain:"))
    if tool in ("Agent", "Task", "Skill"):
        return _names(event, argument)
    return None  # it is unknown what the rule is about


def _is_table(event: Event) -> bool:
    return isinstance(event.tool_input, dict)


def _runs(event: Event, pattern: str) -> bool | None:
    """Say whether one of the simple commands matches; None where they cannot be known."""
    if not event.command:
        return None
    line = simple_commands(event.command)
    if any(map(_command_test(pattern), (*line.commands, event.command))):
        return True
    return False if line.is_certain else None


def _command_test(pattern: str) -> Callable[[str], bool]:
    boundary = pattern.removesuffix(":*") if pattern.endswith(":*") else ""
    boundary = boundary or (pattern.removesuffix(" *") if pattern.endswith(" *") else "")
    if boundary:  # the words before it, alone or followed by a blank
        alone, followed = glob(boundary), glob(f"{boundary} *")
        return lambda command: alone(command) or followed(command)
    return glob(pattern)


def _touches(event: Event, pattern: str) -> bool | None:
    """Say whether a file of the call matches, as in a .gitignore; None where no file is known."""
    if not event.paths:
        return None
    matches = [_path_glob(folder, rest) for folder, rest in _anchors(event, pattern)]
    return any(is_match(path) for is_match in matches for path in event.paths)


def _anchors(event: Event, pattern: str) -> list[tuple[str, str]]:
    """Return the folders that *pattern* may start from, with what is left of it."""
    if pattern.startswith("//"):
        return [("/", pattern[2:])]
    if pattern.startswith("~/"):
        return [(os.path.realpath(os.path.expanduser("~")), pattern[2:])]
    folders = [folder for folder in dict.fromkeys((event.cwd, event.project_dir)) if folder]
    if pattern.startswith("/"):
        folders = [event.project_dir or event.cwd]
    rest = pattern.removeprefix("./").removeprefix("/")
    if "/" not in rest.rstrip("/") and not pattern.startswith("/"):
        rest = f"**/{rest}"
    return [(os.path.realpath(folder), rest) for folder in folders]


def _path_glob(folder: str, pattern: str) -> Callable[[str], bool]:
    import re

    written = re.escape(folder.rstrip("/") + "/")
    place = 0
    while place < len(pattern):
        if pattern.startswith("**/", place):
            written, place = f"{written}(?:[^/]+/)*", place + 3
        elif pattern.startswith("**", place):
            written, place = f"{written}.*", place + 2
        else:
            sign = pattern[place]
            written += {"*": "[^/]*", "?": "[^/]"}.get(sign, re.escape(sign))
            place += 1
    compiled = re.compile(f"{written.rstrip('/')}(?:/.*)?", re.DOTALL)
    return lambda path: compiled.fullmatch(path) is not None


def _fetches(event: Event, domain: str) -> bool | None:
    url = event.tool_input.get("url") if _is_table(event) else None
    if not isinstance(url, str):
        return None
    from urllib.parse import urlsplit

    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return None
    return glob(domain.lower())(host)


def _strings(value: Any) -> Iterator[str]:
    left = [value]
    while left:
        value = left.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            left.extend(value.values())
        elif isinstance(value, list | tuple):
            left.extend(value)
