"""The words of a hook's command: its program, interpreter and files, and whether it can start at all.

Looks at files, never runs one, and never opens what is not a regular file.
"""

from __future__ import annotations

import os
import time

from hookrun.config.paths import differs_by_process
from hookrun.model.errors import UsageError
from hookrun.model.frozen import Frozen
from hookrun.model.values import Problem, Program
from hookrun.programs.interpreters import find_script, has_script_suffix, is_shell, name_by_suffix
from hookrun.programs.shebang import Script, program_after_env, read_beginning

_SHELL = "/bin/sh"
_SYSTEM_FOLDERS = ("/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/", "/nix/store/")


class Launch(Frozen):
    """How to start a hook. ``argv[0]`` is absolute; ``files`` are those that the command names, absolute.

    ``script`` is the file that is interpreted, ``interpreter`` the program that does it; "" for a binary.
    """

    argv: tuple[str, ...]
    files: tuple[str, ...] = ()
    script: str = ""
    interpreter: str = ""
    problems: tuple[Problem, ...] = ()


class Obstacle(Frozen):
    """Why a hook cannot start, and what to do about it."""

    cause: str
    hint: str = ""


_INTERPRETERS = frozenset(("sh", "bash", "zsh", "fish", "python", "python3", "node", "env"))


class _Stop(Exception):
    """Carries to prepare() the obstacle that was met."""

    def __init__(self, cause: str, hint: str) -> None:
        from hookrun.model.text import without_secrets

        super().__init__(cause)
        self.obstacle = Obstacle(cause=without_secrets(cause), hint=without_secrets(hint))


def split_entry(text: str, folder: str, *, plugin_root: str) -> tuple[str, ...]:
    """Return the words of a command, split as a shell would, but with no shell.

    ``${PLUGIN_ROOT}`` and ``${CLAUDE_PLUGIN_ROOT}`` are put in afterwards, so blanks in them are harmless.
    A word that names a file in *folder* becomes absolute. Raises UsageError for open quotes and no words.
    """
    words = _split(text)
    if not words:
        raise UsageError("the command is empty", hint="name the program to run")
    if "$" in text:
        words = [_expanded(word, plugin_root) for word in words]
    return tuple(_file_in(folder, word) or word for word in words)


def prepare(program: Program, *, path: str) -> Launch | Obstacle:
    """Return how to start *program*, or why it cannot start. *path* is the PATH that the hook will have.

    Relative folders in *path* do not count: what they hold depends on where an agent happens to be.
    """
    try:
        _require(program.needs, path)
        return _launch(program, path)
    except _Stop as stop:
        return stop.obstacle
    except ValueError:  # NUL or half a character: the system refuses to look for such a name
        return Obstacle(cause="it names what no file can be called", hint="take NUL out of the command")


_CLOCK_STEP = 20_000_000  # ns by which the time of a file may lag behind the clock


class Launches:
    """How programs start, analysed once and shared by trust, running and checks of one place.

    A launch is known for as long as the files that it starts are the very same; a program that needs others is
    looked at each time.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._known: dict[Program, tuple[dict[str, tuple[int, ...]], Launch]] = {}

    def of(self, program: Program) -> Launch | Obstacle:
        """Return how to start *program*, or why it cannot start."""
        known = self._known.get(program)
        if known is not None and all(_stamp(file) == stamp for file, stamp in known[0].items()):
            return known[1]
        began_at = time.time_ns()
        launch = prepare(program, path=self.path)
        if isinstance(launch, Launch) and not program.needs:
            stamps = {file: _stamp(file) for file in (launch.argv[0], launch.script, launch.interpreter) if file}
            # A file that was replaced while it was analysed has the stamp of the new text.
            if all(stamp and stamp[-1] < began_at - _CLOCK_STEP for stamp in stamps.values()):
                self._known[program] = stamps, launch
        return launch


def _stamp(file: str) -> tuple[int, ...]:
    try:
        found = os.stat(file)
    except OSError:
        return ()
    return (found.st_ino, found.st_dev, found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def program_path(name: str, path: str) -> str:
    """Return the absolute path of the program *name* in *path*, "" when there is none."""
    for folder in path.split(os.pathsep):
        if folder.startswith("/") and not differs_by_process(folder):
            candidate = f"{folder.rstrip('/')}/{name}"
            if os.access(candidate, os.X_OK) and os.path.isfile(candidate):
                return candidate
    return ""


def _split(text: str) -> list[str]:
    if not any(sign in text for sign in "'\"\\"):
        # Of all blanks there are, these four part words: a path may have any other.
        for blank in "\t\r\n" if not text.isprintable() else "":
            text = text.replace(blank, " ")
        return [word for word in text.split(" ") if word]
    import shlex

    try:
        return shlex.split(text)
    except ValueError as error:
        message = f"the command cannot be split: {str(error).lower()}"
        raise UsageError(message, hint="close the quotes") from None


def _expanded(word: str, plugin_root: str) -> str:
    return word.replace("${PLUGIN_ROOT}", plugin_root).replace("${CLAUDE_PLUGIN_ROOT}", plugin_root)


def _file_in(folder: str, word: str) -> str:
    """Return the absolute path of the file that *word* names, relative to *folder*; "" when it names none."""
    if word in _INTERPRETERS:  # never what a plugin has lying about, and one look at the disk less
        return ""
    joined = os.path.join(folder, word)
    return os.path.abspath(joined) if word and os.path.isfile(joined) else ""


def _require(needs: tuple[str, ...], path: str) -> None:
    missing = [name for name in needs if not program_path(name, path)]
    if missing:
        names = ", ".join(missing)
        verb = "is" if len(missing) == 1 else "are"
        raise _Stop(f"needs {names}, which {verb} not installed", f"install {names}")


def _launch(program: Program, path: str) -> Launch:
    if not program.words or not program.words[0]:
        raise _Stop("the command is empty", "name the program to run")
    words = list(program.words)
    own = _file_of(words[0], program.folder)
    words[0] = own or program_path(words[0], path)
    if not words[0]:
        name = program.words[0]
        raise _Stop(f"{name} is not installed", f"install {name}, or add its folder to PATH")
    found = find_script(program.words)
    if found:
        words[found[1]] = _file_of(words[found[1]], program.folder) or words[found[1]]
    files = _files(words if own else words[1:], program.folder)
    launch = Launch(argv=tuple(words), files=(*files, *program.files))
    if found:
        return _interpreted(launch, *found, path)
    return _direct(launch, path) if own else launch


def _file_of(word: str, folder: str) -> str:
    """Return the absolute path when *word* is one, relative or not; "" when it is a name to be looked up."""
    is_path = "/" in word
    joined = os.path.join(folder, word)
    if not is_path and not os.path.isfile(joined):
        if not has_script_suffix(word):
            return ""
        is_path = True
    if is_path and not os.path.lexists(joined):
        needs_shell = word.startswith("~") or "$" in word
        hint = "no shell expands ~ and $ here: write the path in full" if needs_shell else "fix the path"
        raise _Stop(f"{word} does not exist", hint)
    return os.path.abspath(joined)


def _files(words: list[str], folder: str) -> tuple[str, ...]:
    """Return the files among *words*; programs of the system are not the hook's."""
    files = [_file_in(folder, word) for word in words]
    return tuple(dict.fromkeys(file for file in files if file and not file.startswith(_SYSTEM_FOLDERS)))


def _interpreted(launch: Launch, interpreter: int, script: int, path: str) -> Launch:
    """A script that the command gives to an interpreter: ``python3 x.py``, ``timeout 5 bash x.sh``."""
    name, file = launch.argv[interpreter], launch.argv[script]
    program = name if "/" in name else program_path(name, path)
    if not program:
        raise _Stop(f"{name} is not installed", f"install {name}, or add its folder to PATH")
    if not os.path.isabs(file):  # a bare name that the interpreter itself looks up
        return launch.replace(interpreter=program)
    text = _read(file)
    _refuse_crlf(text, program)
    problems = _byte_order_mark(file) if text.has_bom and is_shell(program) else ()
    return launch.replace(script=file, interpreter=program, problems=problems)


def _direct(launch: Launch, path: str) -> Launch:
    """A file that is run by its own path: a script with or without a shebang, or a binary."""
    file = launch.argv[0]
    text = _read(file)
    is_executable = os.access(file, os.X_OK)
    if text.words:
        return _with_shebang(launch, text, path, is_executable=is_executable)
    if not text.is_binary:
        return _without_shebang(launch, text, path, is_executable=is_executable)
    if not is_executable:
        raise _Stop(f"{_name(file)} is not executable", f"chmod +x {file}")
    return launch


def _with_shebang(launch: Launch, text: Script, path: str, *, is_executable: bool) -> Launch:
    file = launch.argv[0]
    interpreter = _interpreter(text, file, path)
    _refuse_crlf(text, interpreter)
    problems = _byte_order_mark(file) if text.has_bom else ()
    if not is_executable:
        message = f"{_name(file)} is not executable; its shebang is followed"
        problems += (Problem(message=message, source=file, hint=f"chmod +x {file}"),)
    # Where the kernel would refuse, do what it does otherwise.
    argv = (*text.words, *launch.argv) if problems else launch.argv
    return launch.replace(argv=argv, script=file, interpreter=interpreter, problems=problems)


def _without_shebang(launch: Launch, text: Script, path: str, *, is_executable: bool) -> Launch:
    file = launch.argv[0]
    name = name_by_suffix(file)
    if not name and not is_executable:
        hint = f"chmod +x {file}, and begin it with a line such as #!/bin/sh"
        raise _Stop(f"{_name(file)} is neither executable nor has it a shebang", hint)
    interpreter = _SHELL if name in ("", "sh") else program_path(name, path)
    if not interpreter:
        raise _Stop(f"{name}, which runs {_name(file)}, is not installed", f"install {name}")
    _refuse_crlf(text, interpreter)
    problems = _byte_order_mark(file) if text.has_bom and is_shell(interpreter) else ()
    argv = (interpreter, *launch.argv)
    return launch.replace(argv=argv, script=file, interpreter=interpreter, problems=problems)


def _interpreter(text: Script, file: str, path: str) -> str:
    """Return the absolute path of the program that a shebang means; what env is given is looked up."""
    first = text.words[0]
    if not first.startswith("/"):
        hint = f"begin it with #!/usr/bin/env {os.path.basename(first)}"
        raise _Stop(f"{first}, the interpreter of {_name(file)}, is not an absolute path", hint)
    if not os.path.isfile(first):
        raise _no_interpreter(first, file)
    name = program_after_env(text.words)
    if not name:
        return first
    found = name if name.startswith("/") and os.path.isfile(name) else program_path(name, path)
    if not found:
        raise _no_interpreter(name, file)
    return found


def _no_interpreter(name: str, file: str) -> _Stop:
    hint = f"install {os.path.basename(name)}, or change the first line of {file}"
    if " " in name:
        hint = f"write #!/usr/bin/env -S {name}: without -S the whole line is one name"
    return _Stop(f"{name}, the interpreter of {_name(file)}, does not exist", hint)


def _refuse_crlf(text: Script, interpreter: str) -> None:
    if text.shebang_has_cr or (text.has_crlf and is_shell(interpreter)):
        raise _Stop("CRLF line endings", "turn them into LF: hookrun validate --fix")


def _byte_order_mark(file: str) -> tuple[Problem, ...]:
    message = f"{_name(file)} begins with a byte order mark"
    return (Problem(message=message, source=file, hint="save it as UTF-8 without BOM"),)


def _read(file: str) -> Script:
    try:
        return read_beginning(file)
    except OSError as error:
        raise _Stop(f"{_name(file)} cannot be run: {error.strerror}", f"look at {file}") from None


def _name(file: str) -> str:
    return os.path.basename(file)
