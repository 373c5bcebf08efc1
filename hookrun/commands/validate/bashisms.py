"""Bash syntax in a text that sh runs: `[[`, arrays, `<<<` and the like, which dash does not have."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from hookrun.commands.validate.finding import Finding
from hookrun.commands.validate.shell_text import unquoted
from hookrun.commands.validate.subject import ScriptFile, Subject
from hookrun.model.frozen import Frozen

SH = ("sh", "dash", "ash")
HINT_FOR_SCRIPT = "begin it with #!/bin/bash, or write it for sh"
HINT_FOR_COMMAND = "put it into a script that begins with #!/bin/bash, or write it for sh"
_ARE_NOT_BASH = ("dash", "ash", "busybox")
# Where a command begins: the start of a line, after a separator, or after a keyword.
_BEGINNING = r"(?:^|[\n;&|(){}!`]|\b(?:then|do|else|elif|if|while|until|time)\b)[ \t]*"
_BUILT_IN = ("source", "declare", "typeset", "shopt", "mapfile", "readarray", "let", "pushd", "popd")
_PATTERNS = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("[[", rf"{_BEGINNING}(?P<here>\[\[)\s"),
        ("==", rf"{_BEGINNING}(?:\[|test)\s(?:[^\n;&|]{{0,300}}?\s)?(?P<here>==)\s"),
        ("function", rf"{_BEGINNING}(?P<here>function)\s+[\w:.-]+"),
        *((word, rf"{_BEGINNING}(?P<here>{word})[ \t]+[^\s=(]") for word in _BUILT_IN),
        ("an array", r"(?<![\w$\"'])(?P<here>\w+\+?=\()|(?P<use>\$\{[#!]?\w+\[)"),
        ("<<<", r"(?P<here><<<)"),
        ("${x//}", r"(?P<here>\$\{\w+/)"),
        ("${x:0:1}", r"(?P<here>\$\{\w+:\s*[\d$(])"),
        ("${x^^}", r"(?P<here>\$\{\w+(?:\^|,))"),
        ("${!x}", r"(?P<here>\$\{!\w)"),
        ("&>", r"(?P<here>&>)"),
        (">&", r"(?<![\d&])(?P<here>>&)[ \t]*[^\s\d&$\-\"]"),
        ("|&", r"(?P<here>\|&)"),
        ("$'...'", r"(?P<here>\$')"),
        ("<(...)", r"(?<![<\d$(])(?P<here>[<>]\()"),
        ("for ((", r"\bfor\s*(?P<here>\(\()"),
        ("((", rf"{_BEGINNING}(?P<here>\(\()[^()\n]{{0,200}}?(?:\+\+|--|[<>=!]=|[-+*/%]=|[<>])[^()\n]{{0,200}}\)\)"),
        ("pipefail", rf"{_BEGINNING}(?P<here>set)\s+-\w*o\s+pipefail"),
        ("trap ... ERR", rf"{_BEGINNING}(?P<here>trap)\s[^\n;]{{1,200}}\sERR\b"),
    )
)
_BASH_IS_ASKED_FOR = re.compile(r"BASH_VERSION\b|\bexec\s+(?:/\S*/|/usr/bin/env\s+)?bash\b")


class Bashism(Frozen):
    """Syntax that only bash has."""

    name: str
    line: int  # where it is first, from 1


def find_bashisms(text: str) -> Iterator[Bashism]:
    """Yield the bash syntax in *text*, each kind once; nothing for a text that itself looks for bash."""
    bare = unquoted(text)
    if _BASH_IS_ASKED_FOR.search(bare) or "BASH_VERSION" in text:
        return
    for name, pattern in _PATTERNS:
        found = pattern.search(bare)
        if found:
            start = next(found.start(group) for group, value in found.groupdict().items() if value is not None)
            yield Bashism(name=name, line=text.count("\n", 0, start) + 1)


def check_script(script: ScriptFile) -> Iterator[Finding]:
    """Yield the bash syntax in a script that sh runs."""
    if script.interpreter in SH:
        for bashism in find_bashisms(script.text):
            message = message_about(bashism, script.interpreter)
            yield script.finding(message, bashism.line, hint=HINT_FOR_SCRIPT)


def check_command(subject: Subject) -> Iterator[Finding]:
    """Yield the bash syntax in a command of an agent's settings that the agent passes to sh."""
    words = subject.hook.program.words
    if len(words) < 3 or words[-2] not in ("-c", "-lc") or os.path.basename(words[0]) not in SH:
        return
    for bashism in find_bashisms(words[-1]):
        yield subject.finding(message_about(bashism, words[0]), hint=HINT_FOR_COMMAND)


def message_about(bashism: Bashism, shell: str) -> str:
    """Return what is wrong with *bashism* in a text for *shell*, a path or a name."""
    name = bashism.name if bashism.name.startswith("an ") else f"`{bashism.name}`"
    path = shell if os.path.isabs(shell) else f"/bin/{shell}"
    here = os.path.basename(os.path.realpath(path))
    if here in _ARE_NOT_BASH:
        return f"{name} is bash syntax, but {path} is {here} here" if here != shell else f"{name} is bash syntax"
    return f"{name} is bash syntax, but {path} is not bash everywhere"
