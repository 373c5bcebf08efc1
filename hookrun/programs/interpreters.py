"""Programs that run scripts: their names, the options before the script, the suffixes they go with."""

from __future__ import annotations

import os

from hookrun.model.frozen import Frozen

SHELL = "shell"
PYTHON = "python"


class Interpreter(Frozen):
    """A family of interpreters. Of its options the *code* letters say that no script follows, the *value*
    letters and words that the next word is theirs."""

    family: str
    code: str
    value: str = ""
    value_words: tuple[str, ...] = ()


_SHELL = Interpreter(family=SHELL, code="cs", value="oO", value_words=("--rcfile", "--init-file"))
_PYTHON = Interpreter(family=PYTHON, code="cm", value="WX")
_NODE = Interpreter(
    family="node", code="ep", value="rC", value_words=("--require", "--import", "--loader", "--conditions")
)
_PERL = Interpreter(family="perl", code="eE", value="Ir")

_INTERPRETER_BY_NAME = {
    **dict.fromkeys(("sh", "bash", "dash", "zsh", "ksh", "ash", "fish"), _SHELL),
    **dict.fromkeys(("python", "pypy"), _PYTHON),
    **dict.fromkeys(("node", "nodejs"), _NODE),
    **dict.fromkeys(("perl", "ruby"), _PERL),
}
_NAME_BY_SUFFIX = {
    ".sh": "sh",
    ".bash": "bash",
    ".zsh": "zsh",
    ".fish": "fish",
    ".py": "python3",
    ".js": "node",
    ".mjs": "node",
    ".cjs": "node",
    ".rb": "ruby",
    ".pl": "perl",
}
_SUFFIXES = (*_NAME_BY_SUFFIX, ".ts", ".php", ".lua")
# Programs that start the program among their arguments.
_WRAPPERS = ("env", "timeout", "nice", "nohup", "setsid", "stdbuf", "time", "ionice", "sudo", "doas", "uv", "flock")


def interpreter_of(program: str) -> Interpreter | None:
    """Return the interpreter that *program*, a name or a path, is; None for any other program."""
    return _INTERPRETER_BY_NAME.get(os.path.basename(program).rstrip("0123456789."))


def is_shell(program: str) -> bool:
    """Say whether *program* is a shell."""
    return _has_family(program, SHELL)


def is_python(program: str) -> bool:
    """Say whether *program* is a Python."""
    return _has_family(program, PYTHON)


def has_script_suffix(word: str) -> bool:
    """Say whether *word* ends as the names of scripts do."""
    return word.endswith(_SUFFIXES)


def name_by_suffix(path: str) -> str:
    """Return the name of the program that runs scripts called like *path*, "" when the name does not say."""
    return _NAME_BY_SUFFIX.get(os.path.splitext(path)[1], "")


def find_script(words: tuple[str, ...]) -> tuple[int, int] | None:
    """Return the indexes of the interpreter among *words* and of the script that it is to run.

    The interpreter is the program itself, or what a program such as env or timeout starts. None when there
    is none, and when it runs code, a module or its standard input.
    """
    starts = range(len(words)) if os.path.basename(words[0]) in _WRAPPERS else range(1)
    for start in starts:
        interpreter = interpreter_of(words[start])
        if interpreter:
            script = _script_after(words, start, interpreter)
            return (start, script) if script else None
    return None


def _has_family(program: str, family: str) -> bool:
    interpreter = interpreter_of(program)
    return interpreter is not None and interpreter.family == family


def _script_after(words: tuple[str, ...], start: int, interpreter: Interpreter) -> int:
    index = start + 1
    while index < len(words):
        word = words[index]
        if word == "--":
            return index + 1 if index + 1 < len(words) else 0
        if not word.startswith(("-", "+")) or has_script_suffix(word):
            return index
        if word == "-" or _runs_code(word, interpreter):
            return 0
        index += 2 if _takes_value(word, interpreter) else 1
    return 0


def _runs_code(word: str, interpreter: Interpreter) -> bool:
    if word.startswith(("--", "+")):
        return word in ("--eval", "--print")
    letters = word[1:]
    for letter in interpreter.value:  # what follows such a letter is its value
        letters = letters.partition(letter)[0]
    return any(letter in letters for letter in interpreter.code)


def _takes_value(word: str, interpreter: Interpreter) -> bool:
    if word.startswith("--"):
        return word in interpreter.value_words
    return word[-1] in interpreter.value
