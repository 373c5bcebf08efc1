"""Shell source as text in which patterns can look for commands: comments and here-documents are blank.

Every line stays where it was; a newline that does not end a command becomes a JOINT.
"""

from __future__ import annotations

import re

JOINT = "\v"
_CONTINUED = re.compile(r"(\|\||&&|(?<!\|)\|)([ \t]*)\n")
_ARITHMETIC = re.compile(r"\$\(\((?:[^()\n]|\([^()\n]*\)){0,400}\)\)")
_HEREDOC = re.compile(r"<<(-?)\s*[\"'\\]?(\w+)[\"']?")


def commands_of(text: str) -> str:
    """Return *text* with comments and here-documents blank and continued lines joined."""
    scanned = _Scan(text, hides_quoted=False).result()
    lines = "\n".join(line.rstrip(" \t\r") for line in scanned.split("\n")) + "\n"
    return _CONTINUED.sub(rf"\1\2{JOINT}", lines)


def unquoted(text: str) -> str:
    """Return *text*, each character at its offset, with everything quoted hidden as well, except expansions
    within double quotes."""
    return _Scan(text, hides_quoted=True).result().replace(JOINT, " ")


def line_at(commands: str, place: int) -> int:
    """Return the line, from 1, of an offset in what `commands_of` returned."""
    return commands.count("\n", 0, place) + commands.count(JOINT, 0, place) + 1


def substitution_end(commands: str, start: int) -> int:
    """Return the offset of the bracket that closes the `$(` before *start*, or of the line's end."""
    depth, quote, place = 1, "", start
    while place < len(commands):
        sign = commands[place]
        if sign == "\\" and quote != "'":
            place += 1
        elif quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign in "()":
            depth += 1 if sign == "(" else -1
            if not depth:
                return place
        elif sign == "\n":
            return place
        place += 1
    return place


class _Scan:
    """One pass over a shell text."""

    def __init__(self, text: str, *, hides_quoted: bool) -> None:
        self._text = text
        self._hides_quoted = hides_quoted
        self._place = 0
        self._out: list[str] = []
        self._open: list[str] = [""]  # quotes, braces and brackets that are not closed yet
        self._documents: list[tuple[str, bool]] = []  # here-documents that begin on the next line: end word, tabs

    def result(self) -> str:
        read_by_opener = {'"': self._in_quotes, "${": self._in_braces}
        while self._place < len(self._text):
            read_by_opener.get(self._open[-1], self._in_commands)()
        return "".join(self._out)

    def _keep(self, length: int = 1) -> None:
        self._out.append(self._text[self._place : self._place + length])
        self._place += length

    def _blank(self, end: int, sign: str = " ") -> None:
        end = min(end, len(self._text))
        self._out.append(sign * (end - self._place))
        self._place = end

    def _quoted(self, end: int) -> None:
        """Pass over quoted text up to *end*."""
        if self._hides_quoted:
            self._blank(end, "x")
        else:
            self._keep(min(end, len(self._text)) - self._place)

    def _in_quotes(self) -> None:
        sign = self._text[self._place]
        if sign == "\\":
            self._quoted(self._place + 2)
        elif sign in '"`':
            self._toggle(sign)
        elif not self._opens():
            self._quoted(self._place + 1)

    def _in_braces(self) -> None:
        sign = self._text[self._place]
        if sign == "\\":
            self._quoted(self._place + 2)
        elif sign == "}":
            self._open.pop()
            self._keep()
        elif sign == '"':
            self._toggle(sign)
        elif sign == "'" and '"' not in self._open:
            self._single_quotes()
        elif not self._opens():
            self._keep()

    def _in_commands(self) -> None:
        sign = self._text[self._place]
        before = self._out[-1][-1:] if self._out else ""
        if sign == "\\":
            self._escape()
        elif sign == "'":
            self._single_quotes(escapes=before == "$")
        elif sign in '"`':
            self._toggle(sign)
        elif sign in "()":
            self._bracket(sign)
        elif sign == "#" and (not before or before in " \t\n;&|("):
            end = self._text.find("\n", self._place)
            self._blank(len(self._text) if end < 0 else end)
        elif sign == "\n":
            self._keep()
            self._skip_documents()
        elif not (sign == "<" and self._redirects()) and not self._opens():
            self._keep()

    def _escape(self) -> None:
        if self._text.startswith("\\\n", self._place):
            self._out.append(f" {JOINT}")
            self._place += 2
        else:
            self._quoted(self._place + 2)

    def _toggle(self, sign: str) -> None:
        """Go into quotes or backticks, or out of those that are open."""
        if self._open[-1] == sign:
            self._open.pop()
        else:
            self._open.append(sign)
        self._keep()

    def _bracket(self, sign: str) -> None:
        if sign == "(":
            self._open.append(sign)
        elif self._open[-1] in ("(", "$("):
            self._open.pop()
        self._keep()

    def _opens(self) -> bool:
        """Go into `$(` or `${` where one begins."""
        arithmetic = _ARITHMETIC.match(self._text, self._place)
        if arithmetic:  # its < and << do not redirect
            self._quoted(arithmetic.end())
            return True
        pair = self._text[self._place : self._place + 2]
        if pair in ("$(", "${"):
            self._open.append(pair)
            self._keep(2)
            return True
        return False

    def _redirects(self) -> bool:
        """Pass over `<<<`, or note the here-document that begins here."""
        if self._text.startswith("<<<", self._place):
            self._keep(3)
            return True
        found = _HEREDOC.match(self._text, self._place)
        if found:
            self._documents.append((found[2], bool(found[1])))
            self._blank(found.end())
        return found is not None

    def _single_quotes(self, *, escapes: bool = False) -> None:
        """Pass over single quotes; within `$'` a backslash escapes one."""
        self._keep()
        end = self._place
        while end < len(self._text) and self._text[end] != "'":
            end += 2 if escapes and self._text[end] == "\\" else 1
        self._quoted(end)
        if self._place < len(self._text):
            self._keep()

    def _skip_documents(self) -> None:
        for word, has_tabs in self._documents:
            while self._place < len(self._text):
                end = self._text.find("\n", self._place)
                line = self._text[self._place : end if end >= 0 else None]
                self._blank(self._place + len(line))
                if end >= 0:
                    self._keep()
                if (line.lstrip("\t") if has_tabs else line) == word:
                    break
        self._documents.clear()
