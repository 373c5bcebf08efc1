"""Split a shell command line into the simple commands that it would run, those inside others included.

``commands`` is the way in. It runs nothing and never looks at a file.
"""

from __future__ import annotations

import os
import re

from shell_words import ASSIGNMENT, DEPTH_LIMIT, OPENERS, Redirection, Scanner, Unreadable, Word, unescaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
    "uv tool run": ("p", 0),
    "pipx run": ("", 0),
    "poetry run": ("", 0),
    "pdm run": ("p", 0),
    "hatch run": ("", 0),
    "pipenv run": ("", 0),
    "mise exec": ("", 0),
}
LONG_WITH_VALUE = frozenset(
    "--user --group --host --prompt --chdir --unset --signal --kill-after --adjustment --max-args "
    "--max-procs --replace --delimiter --arg-file --with --from --python --package --spec --property".split()
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
STANDARD_INPUT = frozenset("/dev/stdin /dev/fd/0 /proc/self/fd/0".split())
PASSERS = frozenset("su runuser script flock".split())  # -c TEXT is a command line, as in a shell


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
        parts: list[Word | Redirection] = [*self.words, *self.assignments, *self.redirections]
        return [script for part in parts for script in part.scripts]


def commands(text: str, folder: str, variables: Mapping[str, str] | None = None) -> list[Command]:
    """Return every simple command of *text*, run in *folder*; raise Unreadable.

    *variables* are values known before; a key such as ``$(pwd)`` gives what that substitution prints.
    """
    known = {**(variables or {}), "PWD": folder, "IFS": " \t\n"}
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
            return ("stdin", "") if word == "-" or word in STANDARD_INPUT else ("file", word)
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


def _unfolded(text: str, folders: tuple[str | None, ...], variables: dict[str, str], depth: int) -> Iterator[Command]:
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
        for count in (3, 2):
            longer = " ".join([name, *command.words[1:count]])
            if longer in WRAPPERS and len(command.words) >= count > start:
                name, start = longer, count
        if name not in WRAPPERS or (name == "command" and command.has_option("vV")):
            return
        inner = _inner(command, name, start)
        if not inner and name != "sudo":
            return
        command.wrappers.append(name)
        command.words = inner
        if name in ("xargs", "parallel") and command.upstream:
            command.words = inner + [
                _like(word, part) for word in _printed(command.upstream[-1]) for part in word.split()
            ]


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
    if name in ("source", ".") and STANDARD_INPUT.intersection(command.operands[:1]):
        return _fed(command)
    if name == "git":
        return _named_on_the_line(command)
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
    for source in command.upstream if not bodies else []:
        bodies += [redirection.body for redirection in source.redirections if redirection.body]
        bodies += _printed(source)
    return list(dict.fromkeys(bodies))


def _printed(command: Command) -> list[Word]:
    """Return the text that echo or printf prints; both, where echo may read escapes or not."""
    if command.name not in ("echo", "printf") or not command.operands:
        return []
    words = command.operands
    if command.name == "echo":
        whole = " ".join(words)
        texts = [whole, unescaped(whole, "0?[0-7]{1,3}")] if "\\" in whole else [whole]
    else:
        texts = [_formatted(words[0], list(words[1:]))]
    is_unknown = any(word.is_unknown for word in words)
    return [_like(max(words, key=lambda word: word.is_unknown), text) for text in texts if text or is_unknown]


def _formatted(pattern: str, values: list[str]) -> str:
    """Return what printf prints: the format again and again, until there is no value left."""
    text = ""
    while True:
        before = len(values)
        text += re.sub(
            r"%%|%[-+ #0-9.]*[A-Za-z]",
            lambda found: "%" if found.group() == "%%" else values.pop(0) if values else "",
            unescaped(pattern),
        )
        if not values or len(values) == before:
            return unescaped(text, "0?[0-7]{1,3}") if "%b" in pattern else text


def _like(word: Word, text: str) -> Word:
    made = Word(text)
    made.is_unknown, made.is_quoted, made.scripts = word.is_unknown, word.is_quoted, word.scripts
    return made


def _named_on_the_line(command: Command) -> list[str]:
    """Return what an alias stands for that git's own option -c defines."""
    options, words = git_call(command)
    start = f"alias.{words[0].lower()}=" if words else ""
    texts = [option.partition("=")[2] for option in options if start and option.lower().startswith(start)]
    rest = " ".join("'" + word.replace("'", "'\\''") + "'" for word in words[1:])
    return [f"{text[1:]} {rest}" if text[:1] == "!" else f"git {text} {rest}" for text in texts]


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
        self.scanner = Scanner(text, variables)
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
        assignment = ASSIGNMENT.match(word)
        if words:
            words.append(word)
        elif assignment and not (word.is_quoted and word.quoted_from < assignment.end()):
            self.command.assignments.append(word)
        elif not word.is_quoted and (word in OPENERS or word in CLOSERS):
            self.command.closes = word in CLOSERS
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
                self.variables[match.group(1)] = _like(word, word[match.end() :])
        if len(words) > 3 and words[0] == "for" and words[2] == "in":
            self.variables[words[1]] = Word(" ".join(words[3:]))
            self.variables[words[1]].is_unknown = any(word.is_unknown for word in words[3:])  # type: ignore[attr-defined]

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
