"""Split a shell command line into the simple commands that it would run, those inside others included.

``commands`` is the way in. It reads sh and bash; it runs nothing and never looks at a file.
"""

from __future__ import annotations

import os
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
OPENERS = frozenset("! if then elif else while until do { coproc".split())
CLOSERS = frozenset("fi done esac }".split())
DECLARATIONS = frozenset("export declare typeset local readonly".split())
LEAVES = frozenset("exit return break continue".split())
SHELLS = frozenset("sh bash dash zsh ksh ash mksh fish".split())

# Commands that run the command in their arguments: the short options that take a value, and how many
# other words stand before that command.
WRAPPERS = {
    "sudo": ("ughpCDRTUrt", 0),
    "doas": ("uC", 0),
    "pkexec": ("", 0),
    "run0": ("ugD", 0),
    "env": ("uC", 0),
    "command": ("", 0),
    "builtin": ("", 0),
    "exec": ("a", 0),
    "time": ("fo", 0),
    "nohup": ("", 0),
    "setsid": ("", 0),
    "nice": ("n", 0),
    "ionice": ("cnp", 0),
    "taskset": ("", 1),
    "timeout": ("sk", 1),
    "stdbuf": ("ioe", 0),
    "xargs": ("adEILnPs", 0),
    "parallel": ("jNnaI", 0),
    "strace": ("eopsuPa", 0),
    "chroot": ("", 1),
    "unshare": ("SGRw", 0),
    "flock": ("wE", 1),
    "caffeinate": ("tw", 0),
    "systemd-run": ("pMHEu", 0),
    "busybox": ("", 0),
    "toybox": ("", 0),
    "npx": ("pc", 0),
    "uvx": ("p", 0),
    "uv run": ("p", 0),
    "pipx run": ("", 0),
    "poetry run": ("", 0),
    "pdm run": ("p", 0),
    "hatch run": ("", 0),
    "pipenv run": ("", 0),
    "mise exec": ("", 0),
}
LONG_WITH_VALUE = frozenset(
    "--user --group --host --prompt --chdir --unset --signal --kill-after --adjustment --max-args --max-procs "
    "--replace --delimiter --arg-file --with --from --python --package --spec --property".split()
)
# Interpreters: the options whose value is the program, and the other options that take a value.
INTERPRETERS = {
    "python": ("cm", "WX"),
    "node": ("ep", "r"),
    "perl": ("eE", "I"),
    "ruby": ("e", "rI"),
    "php": ("r", "d"),
}
GIT_WITH_VALUE = frozenset("-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env".split())
PASSERS = frozenset("su runuser script flock".split())  # -c TEXT is a command line, as in a shell


class Unreadable(ValueError):
    """The text is no complete command line, or nests too deep."""


class Word(str):
    """One word with its quotes taken off; what is not known stands as it was written: ``$X``, ``$(ls)``."""

    is_quoted = False
    is_unknown = False
    scripts: tuple[str, ...] = ()  # of the command substitutions in it


class Redirection:
    """``operator`` without a descriptor's number, ``target``, and the body of a here-document."""

    def __init__(self, operator: str, target: Word) -> None:
        self.operator = operator
        self.target = target
        self.body = ""
        self.scripts = target.scripts


class Command:
    """One simple command. ``folders`` are those it may run in, None for one that is not known.

    ``joiner`` is the operator before it, ``upstream`` what is piped into it, ``wrappers`` the names of
    the commands that run it (sudo, xargs).
    """

    def __init__(self, joiner: str = "") -> None:
        self.words: list[Word] = []
        self.assignments: list[Word] = []
        self.redirections: list[Redirection] = []
        self.folders: tuple[str | None, ...] = ()
        self.joiner = joiner
        self.upstream: list[Command] = []
        self.wrappers: list[str] = []
        self.closes = False  # it ends a compound command

    @property
    def name(self) -> str:
        """The program's name without its folder, "" when there is none."""
        return os.path.basename(self.words[0]) if self.words else ""

    @property
    def operands(self) -> list[Word]:
        """The words behind the name that are no options."""
        words = self.words[1:]
        end = words.index(Word("--")) if "--" in words else len(words)
        return [word for word in words[:end] if word[:1] != "-" or word == "-"] + words[end + 1 :]

    def has_option(self, letters: str, *names: str) -> bool:
        """Whether one of the short options *letters* (bundled or not) or long options *names* is given."""
        for word in self.words[1:]:
            if word == "--":
                return False
            if word.startswith("--"):
                if word.partition("=")[0] in names:
                    return True
            elif word[:1] == "-" and any(letter in word for letter in letters):
                return True
        return False

    @property
    def scripts(self) -> list[str]:
        """The command substitutions in all its parts."""
        parts = [*self.words, *self.assignments, *self.redirections]
        return [script for part in parts for script in part.scripts]


if TYPE_CHECKING:
    Token = Union[Word, Redirection, str]


def commands(text: str, folder: str, variables: Mapping[str, str] | None = None) -> list[Command]:
    """Return every simple command of *text*, run in *folder*; raise Unreadable.

    *variables* are values known before; a key such as ``$(pwd)`` gives what that substitution prints.
    """
    known = {**(variables or {}), "PWD": folder}
    return list(_unfolded(text.replace("\0", ""), (folder,), known, 0))


def program(command: Command) -> tuple[str, str]:
    """Return where an interpreter's program comes from: ("code", text), ("file", path) or ("stdin", "").

    ("", "") when *command* is no interpreter or runs none (``bash -n``, ``python -m``).
    """
    name = command.name.rstrip("0123456789.")
    code, with_value = ("c", "oO") if name in SHELLS else INTERPRETERS.get(name, ("", ""))
    words = iter(command.words[1:])
    for word in words if code else ():
        if word[:1] not in "-+" or word in ("-", ""):
            return ("stdin", "") if word == "-" else ("file", word)
        letters = word[1:] if word[:2] != "--" else {"--eval": "e", "--print": "p"}.get(word, "")
        if name in SHELLS and "n" in letters:
            return "", ""
        found = [at for at, letter in enumerate(letters) if letter in code]
        if found:
            text = next(words, "") if name in SHELLS else letters[found[0] + 1 :] or next(words, "")
            return ("", "") if name == "python" and letters[found[0]] == "m" else ("code", text)
        if name in SHELLS and "s" in letters:
            break
        if letters[-1:] in with_value and letters:
            next(words, "")
    return ("stdin", "") if code else ("", "")


def git_call(command: Command) -> tuple[list[Word], list[Word]]:
    """Return git's own options, and the subcommand with its words; both empty when *command* is not git."""
    words = command.words[1:] if command.name == "git" else []
    at = 0
    while at < len(words) and words[at][:1] == "-":
        at += 2 if words[at] in GIT_WITH_VALUE else 1
    return words[:at], words[at:]


def _unfolded(
    text: str, folders: tuple[str | None, ...], variables: dict[str, str], depth: int
) -> Iterator[Command]:
    if depth > DEPTH_LIMIT:
        raise Unreadable("commands are nested too deep")
    for command in _Reader(text, folders, variables).read():
        for script in command.scripts:
            yield from _unfolded(script, command.folders, dict(variables), depth + 1)
        yield from _opened(command, variables, depth + 1)


def _opened(command: Command, variables: dict[str, str], depth: int) -> Iterator[Command]:
    """Yield *command* without what wraps it, and what it runs itself."""
    _unwrap(command)
    yield command
    for text in _code(command):
        yield from _unfolded(text, command.folders, dict(variables), depth)
    for words in _executed(command):
        inner = Command()
        inner.words, inner.folders, inner.wrappers = words, command.folders, ["find"]
        yield from _opened(inner, variables, depth)


def _unwrap(command: Command) -> None:
    while command.words:
        name, start = command.name, 1
        if len(command.words) > 1 and f"{name} {command.words[1]}" in WRAPPERS:
            name, start = f"{name} {command.words[1]}", 2
        if name not in WRAPPERS or (name == "command" and command.has_option("vV")):
            return
        inner = _inner(command, name, start)
        if not inner and name != "sudo":
            return
        command.wrappers.append(name)
        command.words = inner
        if name in ("xargs", "parallel") and command.upstream:
            command.words = inner + _printed(command.upstream[-1])


def _inner(command: Command, name: str, start: int) -> list[Word]:
    """Return the words of the command that the wrapper *name* runs."""
    with_value, skipped = WRAPPERS[name]
    words = command.words[start:]
    while words:
        word = words[0]
        if name in ("sudo", "doas", "env") and ASSIGNMENT.match(word):
            command.assignments.append(word)
        elif name == "env" and word in ("-S", "--split-string") and len(words) > 1:
            words[1:2] = [Word(part) for part in words[1].split()]
        elif word == "--":
            return words[1 + skipped :]
        elif word[:1] != "-" or len(word) == 1:
            return words[skipped:]
        elif word in LONG_WITH_VALUE or (word[:2] != "--" and word[-1] in with_value):
            words = words[1:]
        words = words[1:]
    return words


def _code(command: Command) -> list[str]:
    """Return the command lines that are in the arguments or in the standard input of *command*."""
    name, words = command.name, command.words
    if name in SHELLS:
        kind, text = program(command)
        return [text] if kind == "code" else _fed(command) if kind == "stdin" else []
    if name == "eval":
        return [" ".join(words[1:])]
    if name == "trap":
        return [str(word) for word in command.operands[:1]]
    if name == "watch":
        return [" ".join(command.operands)]
    if name == "ssh":
        return [" ".join(_after_options(words[1:], "bcDEeFIiJLlmOopQRSWw")[1:])]
    if name in PASSERS:
        return [str(text) for option, text in zip(words, words[1:]) if option in ("-c", "--command", "-qc")]
    return []


def _after_options(words: list[Word], with_value: str) -> list[Word]:
    while words and words[0][:1] == "-":
        words = words[2:] if words[0][-1] in with_value else words[1:]
    return words


def _fed(command: Command) -> list[str]:
    """Return what is known of the standard input of *command*: here-documents, and what echo prints."""
    bodies = [redirection.body for redirection in command.redirections if redirection.body]
    if not bodies and command.upstream:
        source = command.upstream[-1]
        bodies = [redirection.body for redirection in source.redirections if source.name in ("cat", "tee")]
        bodies.append(" ".join(_printed(source)))
    return bodies


def _printed(command: Command) -> list[Word]:
    """Return the words that echo or printf prints."""
    if command.name not in ("echo", "printf"):
        return []
    words = command.operands
    return words[1:] if command.name == "printf" and len(words) > 1 and "%" in words[0] else words


def _executed(command: Command) -> Iterator[list[Word]]:
    """Yield the commands behind find's -exec and the like."""
    words = command.words if command.name == "find" else []
    for at, word in enumerate(words):
        if word in ("-exec", "-execdir", "-ok", "-okdir"):
            rest = words[at + 1 :]
            ends = [place for place, end in enumerate(rest) if end in (";", "+")]
            yield rest[: ends[0]] if ends else rest


class _Reader:
    """Makes commands of tokens; knows assignments, pipelines, and where ``cd`` leads."""

    def __init__(self, text: str, folders: tuple[str | None, ...], variables: dict[str, str]) -> None:
        self.scanner = _Scanner(text, variables)
        self.variables = variables
        self.found: list[Command] = []
        self.command = Command()
        self.pipeline: list[Command] = []
        self.folders = folders
        self.fallbacks: tuple[str | None, ...] = ()  # the folders, should a cd before have failed
        self.is_strict = False  # set -e
        self.outer: list[tuple[tuple[str | None, ...], tuple[str | None, ...], list[Command], int]] = []

    def read(self) -> list[Command]:
        for token in self.scanner.tokens():
            if isinstance(token, Word):
                self.add(token)
            elif isinstance(token, Redirection):
                self.command.redirections.append(token)
            else:
                self.operate(token)
        self.operate("")
        if self.scanner.is_closed:
            raise Unreadable("a parenthesis closes that none opened")
        return self.found

    def add(self, word: Word) -> None:
        words = self.command.words
        if words or word.is_quoted:
            words.append(word)
        elif word in OPENERS or word in CLOSERS:
            self.command.closes = word in CLOSERS
        elif ASSIGNMENT.match(word):
            self.command.assignments.append(word)
        else:
            words.append(word)

    def operate(self, operator: str) -> None:
        command = self.command
        is_empty = not (command.words or command.assignments or command.redirections)
        if is_empty and operator == "\n" and command.joiner in ("|", "|&", "&&", "||"):
            return
        if not is_empty:
            self.finish(command)
        if operator == "(":
            self.outer.append((self.folders, self.fallbacks, self.pipeline, len(self.found)))
            self.command = Command(command.joiner if is_empty else "")
            return
        if operator == ")":
            self.folders, self.fallbacks, pipeline, start = self.outer.pop()
            self.pipeline = pipeline + self.found[start:]
        elif operator not in ("|", "|&"):
            self.pipeline = self.outer[-1][2] if self.outer else []
        elif command.closes:
            self.pipeline = list(self.found)
        elif not is_empty:
            self.pipeline = [*self.pipeline, command]
        self.command = Command(operator)

    def finish(self, command: Command) -> None:
        if command.joiner not in ("&&", "||", "|", "|&", ")"):
            self.folders += () if self.is_strict else self.fallbacks
            self.fallbacks = ()
        command.folders = self.folders + (self.fallbacks if command.joiner == "||" else ())
        command.upstream = self.pipeline
        self.found.append(command)
        self.remember(command)
        if command.name in ("cd", "pushd", "popd"):
            self.enter(command)
        elif command.name in LEAVES and command.joiner == "||":
            self.fallbacks = ()
        elif command.name == "set" and command.has_option("e"):
            self.is_strict = True

    def remember(self, command: Command) -> None:
        words = command.words
        assignments = command.assignments if not words else words[1:] if words[0] in DECLARATIONS else []
        for word in assignments:
            match = ASSIGNMENT.match(word)
            if match:
                self.variables[match.group(1)] = word[match.end() :]
        if len(words) > 3 and words[0] == "for" and words[2] == "in":
            self.variables[words[1]] = " ".join(words[3:])

    def enter(self, command: Command) -> None:
        target = command.operands[0] if command.operands else self.variables.get("HOME")
        before = self.folders
        if command.name == "popd" or not target or target == "-" or getattr(target, "is_unknown", False):
            self.folders = (None,)
        else:
            self.folders = tuple(
                None if folder is None and target[:1] != "/" else os.path.normpath(os.path.join(folder or "/", target))
                for folder in before
            )
        self.fallbacks += before
        self.variables["PWD"] = self.folders[0] or "$PWD"


class _Pieces:
    """A word in the making; a NUL stands where an expansion splits it."""

    def __init__(self) -> None:
        self.text = ""
        self.scripts: list[str] = []
        self.is_quoted = False
        self.is_unknown = False

    def words(self) -> list[Word]:
        texts = [text for text in self.text.split("\0") if text] or ([""] if self.is_quoted else [])
        if not self.is_quoted and not self.scripts and "{" in self.text:
            texts = [one for text in texts for one in _alternatives(text)]
        return [self.word(text) for text in texts]

    def word(self, text: str) -> Word:
        word = Word(text)
        word.is_quoted, word.is_unknown, word.scripts = self.is_quoted, self.is_unknown, tuple(self.scripts)
        return word


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


class _Scanner:
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
        self.cases: list[str] = []
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
                inner = _Scanner(redirection.body, self.variables, depth=self.depth + 1)
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
            if char in " \t\r\n\f\v;&|)":
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

    def inner(self, position: int) -> _Scanner:
        return _Scanner(self.text, self.variables, position, self.depth + 1)

    def leave(self, inner: _Scanner) -> None:
        if not inner.is_closed:
            raise Unreadable("a parenthesis is not closed")
        self.position = inner.position

    def step(self, char: str, pieces: _Pieces) -> None:
        """Add what begins with *char* to *pieces*."""
        if char == "\\":
            self.escape(pieces)
        elif char == "'":
            pieces.text += self.up_to("'")
            pieces.is_quoted = True
        elif char == '"':
            self.position += 1
            pieces.is_quoted = True
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
            pieces.text += following
            pieces.is_quoted = True

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
                pieces.text += char
                self.position += 1
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
            pieces.text += value if in_quotes else re.sub(r"\s+", "\0", value)

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
        written = rest[default.end() :] if default else self.text[start : self.position]
        self.put(pieces, name.group() if name and "+" not in rest[:2] else "", written, in_quotes)

    def ansi(self, pieces: _Pieces) -> None:
        match = re.compile(r"'((?:[^'\\]|\\.)*)'", re.DOTALL).match(self.text, self.position)
        if not match:
            raise Unreadable("a ' is not closed")
        self.position = match.end()
        pieces.is_quoted = True
        pieces.text += re.sub(r"\\(x[0-9A-Fa-f]{1,2}|[0-7]{1,3}|u[0-9A-Fa-f]{1,4}|.)", _character, match.group(1))


def _character(match: re.Match[str]) -> str:
    code = match.group(1)
    if code[0] in "xu" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8))
    return {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "e": "\33", "b": "\b"}.get(code, code)
