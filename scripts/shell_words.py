"""Read the text of a shell command line: words, redirections and operators.

``Scanner`` is the way in. It reads sh and bash; it runs nothing and never looks at a file.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Union

DEPTH_LIMIT = 20  # of commands inside commands
OPERATOR = re.compile(r"&&|\|\||;;&|;;|;&|\|&|[;&|()\n]")
REDIRECTION = re.compile(r"&>>?|\d*(?:<<<|<<-?|<>|<&|>>|>\||>&|[<>](?!\())")
BLANKS = re.compile(r"(?:[ \t\r]|\\\r?\n)*(?:#[^\n]*)?")
PLAIN = re.compile(r"[^\s\\'\"$`;&|()<>~]+")
NAME = re.compile(r"[A-Za-z_]\w*")
ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(?:\[[^]]*\])?\+?=")
OPENERS = frozenset("! if then elif else while until do { coproc".split())  # a command follows them


class Unreadable(ValueError):
    """The text is no complete command line, or nests too deep."""


class Word(str):
    """One word with its quotes taken off; what is not known stands as it was written: ``$X``, ``$(ls)``."""

    is_quoted = False
    quoted_from = 0  # the place of the first quote in it
    is_unknown = False
    scripts: tuple[str, ...] = ()  # of the command substitutions in it


class Redirection:
    """``operator`` without a descriptor's number, ``target``, and the body of a here-document."""

    def __init__(self, operator: str, target: Word) -> None:
        self.operator = operator
        self.target = target
        self.body = ""
        self.scripts = target.scripts


if TYPE_CHECKING:
    Token = Union[Word, Redirection, str]


class Scanner:
    """Makes tokens of text: words, redirections, and operators as plain text."""

    def __init__(self, text: str, variables: Mapping[str, str], position: int = 0, depth: int = 0) -> None:
        if depth > DEPTH_LIMIT:
            raise Unreadable("commands are nested too deep")
        self.text = text
        self.variables = variables
        self.position = position
        self.depth = depth
        self.is_start = True  # the next word is a command's name
        self.is_closed = False  # it ended at a parenthesis that nothing in it opened
        self.cases: list[int] = []  # the words read of each open case, up to its "in"
        self.waiting: list[Redirection] = []  # here-documents that begin on the next line

    def tokens(self) -> Iterator[Token]:
        opened = 0
        while self.has_more():
            redirection = REDIRECTION.match(self.text, self.position)
            operator = OPERATOR.match(self.text, self.position)
            if redirection:
                yield self.redirection(redirection.group())
            elif self.is_start and self.skip_arithmetic():
                continue
            elif operator is None:
                yield from self.named_words()
            else:
                opened += {"(": 1, ")": -1}.get(operator.group(), 0)
                self.position = operator.end()
                if opened < 0:
                    self.is_closed = True
                    return
                self.after_operator(operator.group())
                yield operator.group()
        if opened:
            raise Unreadable("a parenthesis is not closed")

    def has_more(self) -> bool:
        match = BLANKS.match(self.text, self.position)
        self.position = match.end() if match else self.position
        return self.position < len(self.text)

    def skip_arithmetic(self) -> bool:
        end = self.arithmetic_end(self.position + 2) if self.text.startswith("((", self.position) else 0
        self.position = end or self.position
        return end > 0

    def arithmetic_end(self, position: int) -> int:
        """Return the place behind the ``))`` that ends the arithmetic at *position*, 0 if it is none."""
        level = 0
        for at in range(position, len(self.text)):
            if self.text[at] == "(":
                level += 1
            elif self.text[at] == ")":
                if level == 0:
                    return at + 2 if self.text.startswith("))", at) else 0
                level -= 1
        return 0

    def after_operator(self, operator: str) -> None:
        self.is_start = True
        if operator == "\n":
            self.read_here_documents()
        elif operator[:2] in (";;", ";&") and self.cases:
            self.skip_pattern()

    def redirection(self, text: str) -> Redirection:
        self.position += len(text)
        if not self.has_more() or OPERATOR.match(self.text, self.position):
            raise Unreadable("a redirection leads nowhere")
        words = self.words()
        redirection = Redirection(text.lstrip("0123456789"), words[0] if words else Word())
        if redirection.operator in ("<<", "<<-"):
            self.waiting.append(redirection)
        elif redirection.operator == "<<<":
            redirection.body = redirection.target
        return redirection

    def read_here_documents(self) -> None:
        for redirection in self.waiting:
            redirection.body = "\n".join(self.lines_before(redirection.target, redirection.operator == "<<-"))
            if not redirection.target.is_quoted:
                inner = Scanner(redirection.body, self.variables, depth=self.depth + 1)
                pieces = _Pieces()
                inner.interpolated(pieces, "")
                redirection.body, redirection.scripts = pieces.text, tuple(pieces.scripts)
        self.waiting = []

    def lines_before(self, last: str, is_indented: bool) -> Iterator[str]:
        while self.position < len(self.text):
            end = self.text.find("\n", self.position)
            line = self.text[self.position : end if end >= 0 else None]
            self.position = end + 1 if end >= 0 else len(self.text)
            line = line.lstrip("\t") if is_indented else line
            if line.rstrip("\r") == last:
                return
            yield line

    def named_words(self) -> Iterator[Token]:
        """Yield the words of one word's text; follow what makes the next one a command's name."""
        is_start = self.is_start
        words = self.words()
        first = words[0] if words and not words[0].is_quoted else Word()
        if is_start and first == "function":
            self.has_more()
            self.words()
        if is_start and first and self.skip_definition(first):
            return
        if is_start and first == "[[":
            words = [self.test()]
        self.is_start = is_start and (first in OPENERS or bool(ASSIGNMENT.match(first)))
        yield from words
        if self.follow_case(first, is_start):
            yield ";"

    def skip_definition(self, word: Word) -> bool:
        match = re.compile(r"[ \t]*\([ \t]*\)").match(self.text, self.position)
        self.position = match.end() if match else self.position
        return bool(match) or word == "function"

    def test(self) -> Word:
        """Read the rest of ``[[ ... ]]``, whose operators are none of the command line's."""
        pieces = _Pieces()
        pieces.text = "[["
        while self.has_more():
            if self.text.startswith("]]", self.position):
                self.position += 2
                return pieces.word("[[")
            if self.text[self.position] in "()|&;<>\n" and not self.is_substitution():
                self.position += 1
            for word in self.words():
                pieces.scripts += word.scripts
        raise Unreadable("[[ is not closed")

    def follow_case(self, word: str, is_start: bool) -> bool:
        """Whether *word* is the ``in`` of a case, so that a command follows."""
        if is_start and word == "case":
            self.cases.append(0)
        elif is_start and word == "esac" and self.cases:
            self.cases.pop()
        elif self.cases and self.cases[-1] < 2:
            self.cases[-1] += 1
            if self.cases[-1] == 2:
                self.skip_pattern()
                return True
        return False

    def skip_pattern(self) -> None:
        """Go behind the pattern of a case's next branch."""
        while self.has_more() and self.text[self.position] == "\n":
            self.position += 1
        self.is_start = True
        if re.compile(r"esac\b").match(self.text, self.position):
            return
        while self.has_more():
            char = self.text[self.position]
            if char in "()|;&<>\n":
                self.position += 1
            if char == ")":
                return
            self.words()
        raise Unreadable("a case is not closed")

    def words(self) -> list[Word]:
        """Read one word; an expansion outside quotes can make several of it, or none."""
        pieces = _Pieces()
        while self.position < len(self.text):
            char = self.text[self.position]
            if char in " \t\r\n;&|)":
                break
            if char == "(" and self.opens_list(pieces.text):
                self.list(pieces)
            elif char in "(<>" and not self.is_substitution():
                break
            else:
                self.step(char, pieces)
        return pieces.words()

    def opens_list(self, before: str) -> bool:
        """Whether a parenthesis behind *before* belongs to the word: an array, an extended glob."""
        match = ASSIGNMENT.match(before)
        return bool(match and match.end() == len(before)) or (before[-1:] in tuple("@+?*!") and not self.is_start)

    def is_substitution(self) -> bool:
        return self.text[self.position] in "<>" and self.text.startswith("(", self.position + 1)

    def list(self, pieces: _Pieces) -> None:
        start = self.position
        inner = self.inner(start + 1)
        for token in inner.tokens():
            pieces.scripts += getattr(token, "scripts", ())
        self.leave(inner)
        pieces.text += self.text[start : self.position]

    def inner(self, position: int) -> Scanner:
        return Scanner(self.text, self.variables, position, self.depth + 1)

    def leave(self, inner: Scanner) -> None:
        if not inner.is_closed:
            raise Unreadable("a parenthesis is not closed")
        self.position = inner.position

    def step(self, char: str, pieces: _Pieces) -> None:
        """Add what begins with *char* to *pieces*."""
        if char == "\\":
            self.escape(pieces)
        elif char == "'":
            pieces.quote()
            pieces.text += self.up_to("'")
        elif char == '"':
            self.position += 1
            pieces.quote()
            self.interpolated(pieces, '"')
        elif char == "~":
            self.tilde(pieces)
        elif char in "<>":
            self.substitution(pieces)
        elif char in "$`":
            self.expansion(char, pieces, in_quotes=False)
        else:
            match = PLAIN.match(self.text, self.position)
            pieces.text += match.group() if match else char
            self.position = match.end() if match else self.position + 1

    def escape(self, pieces: _Pieces) -> None:
        following = self.text[self.position + 1 : self.position + 2]
        self.position += 2
        if following != "\n":
            pieces.quote()
            pieces.text += following

    def up_to(self, quote: str) -> str:
        start = self.position + 1
        end = self.text.find(quote, start)
        if end < 0:
            raise Unreadable(f"a {quote} is not closed")
        self.position = end + 1
        return self.text[start:end]

    def interpolated(self, pieces: _Pieces, end: str) -> None:
        """Read text in double quotes up to *end*; "" is the end of a here-document."""
        while self.position < len(self.text):
            char = self.text[self.position]
            if char == end:
                self.position += 1
                return
            if char == "\\":
                following = self.text[self.position + 1 : self.position + 2]
                pieces.text += "" if following == "\n" else following if following in '$`"\\' else char + following
                self.position += 2
            elif char in "$`":
                self.expansion(char, pieces, in_quotes=True)
            else:
                match = re.compile(r'[^"\\$`]+').match(self.text, self.position)
                pieces.text += match.group() if match else char
                self.position = match.end() if match else self.position + 1
        if end:
            raise Unreadable(f"a {end} is not closed")

    def tilde(self, pieces: _Pieces) -> None:
        match = re.compile(r"~(?=[/\s;&|)]|$)").match(self.text, self.position)
        assignment = ASSIGNMENT.match(pieces.text)
        is_first = pieces.text == "" or bool(assignment and assignment.end() == len(pieces.text))
        pieces.text += self.variables.get("HOME", "~") if match and is_first and not pieces.is_quoted else "~"
        self.position += 1

    def expansion(self, char: str, pieces: _Pieces, in_quotes: bool) -> None:
        following = self.text[self.position + 1 : self.position + 2]
        variable = re.compile(r"\$([A-Za-z_]\w*|[0-9@*#?$!-])").match(self.text, self.position)
        if char == "`" or following == "(":
            self.substitution(pieces, in_quotes)
        elif following == "{":
            self.parameter(pieces, in_quotes)
        elif variable:
            self.position = variable.end()
            self.put(pieces, variable.group(1), variable.group(), in_quotes)
        elif following == "'" and not in_quotes:
            self.position += 1
            self.ansi(pieces)
        else:
            pieces.text += "" if following == '"' and not in_quotes else char
            self.position += 1

    def put(self, pieces: _Pieces, name: str, written: str, in_quotes: bool) -> None:
        """Add the value of *name* to *pieces*, or what is *written* when it is not known."""
        value = self.variables.get(name)
        if value is None:
            pieces.is_unknown = True
            pieces.text += written
        else:
            pieces.is_unknown = pieces.is_unknown or getattr(value, "is_unknown", False)
            is_whole = in_quotes or getattr(value, "is_unknown", False)
            pieces.text += value if is_whole else re.sub(r"\s+", "\0", value)

    def substitution(self, pieces: _Pieces, in_quotes: bool = False) -> None:
        start = self.position
        end = self.arithmetic_end(start + 3) if self.text.startswith("$((", start) else 0
        if end:
            self.position = end
            script = ""
        elif self.text[start] == "`":
            script = self.backquoted()
        else:
            inner = self.inner(start + 2)
            for _ in inner.tokens():
                pass
            self.leave(inner)
            script = self.text[start + 2 : self.position - 1]
        if script:
            pieces.scripts.append(script)
        opener = self.text[start] if self.text[start] in "<>" else "$"
        self.put(pieces, f"{opener}({script.strip()})", self.text[start : self.position], in_quotes)

    def backquoted(self) -> str:
        match = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL).match(self.text, self.position)
        if not match:
            raise Unreadable("a ` is not closed")
        self.position = match.end()
        return re.sub(r"\\([`\\$])", r"\1", match.group(1))

    def parameter(self, pieces: _Pieces, in_quotes: bool) -> None:
        start = self.position
        inner = _Pieces()
        self.position += 2
        while not self.text.startswith("}", self.position):
            if self.position >= len(self.text):
                raise Unreadable("a ${ is not closed")
            char = self.text[self.position]
            if char in "\\'\"$`":
                self.step(char, inner)
            else:
                inner.text += char
                self.position += 1
        self.position += 1
        pieces.scripts += inner.scripts
        name = NAME.match(inner.text)
        rest = inner.text[name.end() :] if name else ""
        default = re.match(r":?[-=]", rest)
        pieces.is_unknown |= bool(rest) and not re.match(r":?[-=?]", rest)
        written = rest[default.end() :] if default else self.text[start : self.position]
        self.put(pieces, name.group() if name and "+" not in rest[:2] else "", written, in_quotes)

    def ansi(self, pieces: _Pieces) -> None:
        match = re.compile(r"'((?:[^'\\]|\\.)*)'", re.DOTALL).match(self.text, self.position)
        if not match:
            raise Unreadable("a ' is not closed")
        self.position = match.end()
        pieces.quote()
        pieces.text += unescaped(match.group(1))


class _Pieces:
    """A word in the making; a NUL stands where an expansion splits it."""

    def __init__(self) -> None:
        self.text = ""
        self.scripts: list[str] = []
        self.is_quoted = False
        self.quoted_from = 0
        self.is_unknown = False

    def quote(self) -> None:
        self.quoted_from = self.quoted_from if self.is_quoted else len(self.text)
        self.is_quoted = True

    def words(self) -> list[Word]:
        texts = [text for text in self.text.split("\0") if text] or ([""] if self.is_quoted else [])
        if not self.is_quoted and not self.scripts and "{" in self.text:
            texts = [one for text in texts for one in _alternatives(text)]
        return [self.word(text) for text in texts]

    def word(self, text: str) -> Word:
        word = Word(text)
        word.is_quoted, word.quoted_from = self.is_quoted, self.quoted_from
        word.is_unknown, word.scripts = self.is_unknown, tuple(self.scripts)
        return word


def unescaped(text: str, octal: str = "[0-7]{1,3}") -> str:
    r"""Return *text* with its escapes (``\n``, ``\x72``, ``\162``) read, as in ``$'...'`` and by printf."""
    pattern = rf"\\(x[0-9A-Fa-f]{{1,2}}|{octal}|u[0-9A-Fa-f]{{1,4}}|.)"
    return re.sub(pattern, _character, text)


def _alternatives(text: str) -> list[str]:
    """Return what the braces in *text* expand to."""
    texts = [text]
    for _ in range(DEPTH_LIMIT):
        match = re.search(r"(?<!\$)\{([^{}]*,[^{}]*)\}", texts[0])
        if not match or len(texts) > 1000:
            break
        parts = match.group(1).split(",")
        texts = [one.replace(match.group(), part, 1) for part in parts for one in texts]
    return texts


def _character(match: re.Match[str]) -> str:
    code = match.group(1)
    if code[0] in "xu" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8))
    return {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "e": "\33", "b": "\b"}.get(code, code)
