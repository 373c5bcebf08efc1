"""What of bash's own a text for sh holds: `[[`, arrays, `<<<` and the like, which dash has not.

Found in the text alone, outside of quotes, comments and here-documents.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from hookrun.commands.validate.finding import Finding
from hookrun.commands.validate.script_file import ScriptFile
from hookrun.commands.validate.subject import Subject
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
_ARITHMETIC = re.compile(r"\$\(\((?:[^()\n]|\([^()\n]*\)){0,400}\)\)")
_HEREDOC = re.compile(r"<<(-?)\s*[\"'\\]?(\w+)[\"']?")


class Bashism(Frozen):
    """``name`` is what bash alone has, ``line`` where it is first, from 1."""

    name: str
    line: int


def find_bashisms(text: str) -> Iterator[Bashism]:
    """Yield what is bash's own in *text*, each once. A text that looks for bash itself knows what it does."""
    bare = _bare(text)
    if _BASH_IS_ASKED_FOR.search(bare) or "BASH_VERSION" in text:
        return
    for name, pattern in _PATTERNS:
        found = pattern.search(bare)
        if found:
            start = next(found.start(group) for group, value in found.groupdict().items() if value is not None)
            yield Bashism(name=name, line=text.count("\n", 0, start) + 1)


def check_script(script: ScriptFile) -> Iterator[Finding]:
    """Yield what is bash's own in a script that sh runs."""
    if script.interpreter in SH:
        for bashism in find_bashisms(script.text):
            message = message_about(bashism, script.interpreter)
            yield script.finding(message, bashism.line, hint=HINT_FOR_SCRIPT)


def check_command(subject: Subject) -> Iterator[Finding]:
    """Yield what is bash's own in a command of an agent's settings that the agent gives to sh."""
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
        return f"{name} is bash's, and {path} is {here} here" if here != shell else f"{name} is bash's"
    return f"{name} is bash's, and {path} is not bash everywhere"


def _bare(text: str) -> str:
    """Return *text* as long as it was, with what is quoted, commented or in a here-document made harmless.
    Expansions within double quotes stay: the shell reads them there as well."""
    return _Scan(text).bare()


class _Scan:
    """One reading of a shell text. ``inside`` holds what has been opened: quotes, braces, brackets."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.out: list[str] = []
        self.inside: list[str] = [""]
        self.documents: list[tuple[str, bool]] = []  # the here-documents that begin on the next line

    def bare(self) -> str:
        while self.place < len(self.text):
            where = self.inside[-1]
            if where == '"':
                self._in_quotes()
            elif where == "${":
                self._in_braces()
            else:
                self._in_commands()
        return "".join(self.out)

    def _keep(self, length: int = 1) -> None:
        self.out.append(self.text[self.place : self.place + length])
        self.place += length

    def _hide(self, end: int, sign: str = "x") -> None:
        end = min(end, len(self.text))
        self.out.append(sign * (end - self.place))
        self.place = end

    def _opens(self) -> bool:
        """Go into `$(` or `${` where one begins."""
        pair = self.text[self.place : self.place + 2]
        arithmetic = _ARITHMETIC.match(self.text, self.place)
        if arithmetic:  # its < and << are no redirections
            self._hide(arithmetic.end())
            return True
        if pair in ("$(", "${"):
            self.inside.append(pair)
            self._keep(2)
            return True
        return False

    def _tick(self) -> None:
        if self.inside[-1] == "`":
            self.inside.pop()
        else:
            self.inside.append("`")
        self._keep()

    def _in_quotes(self) -> None:
        sign = self.text[self.place]
        if sign == "\\":
            self._hide(self.place + 2)
        elif sign == '"':
            self.inside.pop()
            self._keep()
        elif sign == "`":
            self._tick()
        elif not self._opens():
            self._hide(self.place + 1)

    def _in_braces(self) -> None:
        sign = self.text[self.place]
        if sign == "\\":
            self._hide(self.place + 2)
        elif sign == "}":
            self.inside.pop()
            self._keep()
        elif sign == '"':
            self.inside.append(sign)
            self._keep()
        elif sign == "'" and '"' not in self.inside:
            self._single()
        elif not self._opens():
            self._keep()

    def _in_commands(self) -> None:
        sign = self.text[self.place]
        before = self.out[-1][-1:] if self.out else ""
        if sign == "\\":
            self._hide(self.place + 2, " " if self.text[self.place + 1 : self.place + 2] == "\n" else "x")
        elif sign == "'":
            self._single(escapes=before == "$")
        elif sign == '"':
            self.inside.append(sign)
            self._keep()
        elif sign == "#" and (not before or before in " \t\n;&|("):
            end = self.text.find("\n", self.place)
            self._hide(len(self.text) if end < 0 else end, " ")
        elif sign == "\n":
            self._keep()
            self._skip_documents()
        elif sign == "`":
            self._tick()
        elif sign == "(":
            self.inside.append(sign)
            self._keep()
        elif sign == ")":
            if self.inside[-1] in ("(", "$("):
                self.inside.pop()
            self._keep()
        elif self.text.startswith("<<<", self.place):
            self._keep(3)
        elif found := _HEREDOC.match(self.text, self.place):
            self.documents.append((found[2], bool(found[1])))
            self._hide(found.end(), " ")
        elif not self._opens():
            self._keep()

    def _single(self, *, escapes: bool = False) -> None:
        """Hide what is between single quotes; within `$'` a backslash escapes one."""
        self._keep()
        end = self.place
        while end < len(self.text) and self.text[end] != "'":
            end += 2 if escapes and self.text[end] == "\\" else 1
        self._hide(end)
        if self.place < len(self.text):
            self._keep()

    def _skip_documents(self) -> None:
        for word, has_tabs in self.documents:
            while self.place < len(self.text):
                end = self.text.find("\n", self.place)
                end = len(self.text) if end < 0 else end
                line = self.text[self.place : end]
                self._hide(end + 1, " ")
                if (line.lstrip("\t") if has_tabs else line) == word:
                    break
        self.documents.clear()
