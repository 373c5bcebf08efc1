"""Checks of a script's syntax by its own interpreter, and what shellcheck calls an error when it is there."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator

from hookrun.commands.validate.definition import Said
from hookrun.commands.validate.finding import ERROR, WARNING, Finding
from hookrun.commands.validate.subject import ScriptFile, Subject, script_of
from hookrun.model import constants
from hookrun.programs.command import Launch, Obstacle, program_path
from hookrun.programs.interpreters import find_script, is_python, is_shell
from hookrun.programs.python_text import python_flaw
from hookrun.programs.shebang import read_beginning

# Options that make an interpreter read a script and run nothing of it, nor of its own start files.
CHECK_OPTIONS = {
    "sh": ("-n",),
    "bash": ("-n",),
    "dash": ("-n",),
    "ksh": ("-n",),
    "zsh": ("-f", "-n"),
    "node": ("--check",),
    "nodejs": ("--check",),
}
SHELLS_OF_SHELLCHECK = ("sh", "bash", "dash", "ksh")


def check_syntax(script: ScriptFile, path: str) -> Iterator[Finding]:
    """Yield the first syntax error of *script*, or what shellcheck has to say; *path* is the PATH."""
    if is_python(script.interpreter):
        yield from _python_flaw(script)
        return
    # Looked up by name: an interpreter that a repository brings along must not run here.
    options = CHECK_OPTIONS.get(script.interpreter)
    program = program_path(script.interpreter, path) if options else ""
    if not options or not program:
        return
    code, _, stderr = ask(program, *options, script.path, path=path)
    complaint = _complaint(stderr, script.path)
    if code > 0:
        line, message = complaint or (0, f"{script.interpreter} {options[-1]} ends with {code}")
        yield script.finding(f"syntax error: {message}", line, hint="until then it cannot start", level=ERROR)
    elif complaint and is_shell(script.interpreter):
        yield script.finding(complaint[1], complaint[0], hint=f"{script.interpreter} -n says so")
    if code == 0 and script.interpreter in SHELLS_OF_SHELLCHECK:
        yield from _shellcheck(script, path)


def _python_flaw(script: ScriptFile) -> Iterator[Finding]:
    flaw, line = python_flaw(script.text, script.path)
    if flaw and not script.interpreter.startswith("python2"):
        version = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
        yield script.finding(
            f"syntax error for {version}: {flaw}", line, hint="until then it cannot start", level=ERROR
        )


def _complaint(stderr: str, path: str) -> tuple[int, str] | None:
    """Return (line, message) of what an interpreter says: `x.sh: line 3: ...`, `x.sh: 3: ...`, or node's."""
    for text in stderr.splitlines():
        if text.startswith("SyntaxError"):
            line = re.match(re.escape(path) + r":(\d+)", stderr.lstrip())
            return int(line[1]) if line else 0, text.removeprefix("SyntaxError:").strip()
        found = re.match(r".*?:\s*(?:line )?(\d+): (.*)", text.replace(path, "", 1))
        if found:
            message = re.sub(r"^:? ?syntax error:? ?", "", found[2].strip(), flags=re.IGNORECASE)
            return int(found[1]), message
    return None


def _shellcheck(script: ScriptFile, path: str) -> Iterator[Finding]:
    import json

    program = program_path("shellcheck", path)
    if not program:
        return
    shell = () if script.text.startswith("#!") else ("--shell", script.interpreter)
    _, stdout, _ = ask(program, "--format", "json1", "--severity", "error", *shell, script.path, path=path)
    try:
        comments = json.loads(stdout)["comments"]
        found = [(comment["code"], comment["message"], comment["line"]) for comment in comments]
    except (ValueError, KeyError, TypeError):
        return
    for code, message, line in found:
        hint = f"https://www.shellcheck.net/wiki/SC{code}"
        yield script.finding(f"shellcheck SC{code}: {message}", line, hint=hint, level=WARNING)


def ask(program: str, *words: str, path: str) -> tuple[int, str, str]:
    """Run *program* (absolute) with *words* and return (exit code, stdout, stderr); -1 when it broke down.

    *path* is its PATH. It gets no other variable: BASH_ENV, NODE_OPTIONS and their like name programs to run.
    """
    import warnings

    import sh

    try:
        with warnings.catch_warnings():
            # sh forks, and a thread of its own may still be ending: Python 3.12 and later warn of any thread.
            warnings.simplefilter("ignore", DeprecationWarning)
            done = sh.Command(program)(
                *words,
                _env={"PATH": path, "LC_ALL": "C", "HOME": os.sep},
                _cwd=os.sep,
                _in="",
                _ok_code=[*range(256)],
                _return_cmd=True,
                _tty_out=False,
            )
    except (sh.ErrorReturnCode, sh.CommandNotFound, sh.ForkException, OSError) as error:
        return -1, "", str(error)
    return done.exit_code, _text(done.stdout), _text(done.stderr)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


CRLF = "CRLF line endings"


def check_start(subject: Subject) -> Iterator[Finding]:
    """Yield why a hook cannot start, or what is odd about how it does."""
    start = subject.start
    if start is None:
        hook = subject.hook
        found = subject.finding(f"cannot start: {hook.flaw}", hint=hook.flaw_hint, level=ERROR)
        yield found.replace(state=constants.CANNOT_START)
    elif isinstance(start, Obstacle):
        yield _obstacle(subject, start).replace(state=constants.CANNOT_START)
    else:
        for problem in start.problems:
            yield _at_script(subject, problem.message, problem.source, problem.hint)
        if subject.hook.kind != constants.MODULE:
            yield from _without_shebang(subject, start)


def _obstacle(subject: Subject, obstacle: Obstacle) -> Finding:
    message = f"cannot start: {obstacle.cause}"
    script = script_of(subject.hook.program)
    if script and (obstacle.cause == CRLF or os.path.basename(script) in obstacle.cause):
        return _at_script(subject, message, script, obstacle.hint).replace(level=ERROR)
    said = subject.says.get("needs") or _entry(subject)
    return subject.finding(message, said, hint=obstacle.hint, level=ERROR)


def _entry(subject: Subject) -> Said | None:
    """Return the key that names the program."""
    words = ("executable", f"entry_{sys.platform}", "entry")
    return next((subject.says[word] for word in words if word in subject.says), None)


def _without_shebang(subject: Subject, launch: Launch) -> Iterator[Finding]:
    """Yield a warning for a file that is run by its path and does not say by which interpreter."""
    script = script_of(subject.hook.program)
    if not script or launch.script != script or find_script(subject.hook.program.words):
        return
    try:
        if not os.path.getsize(script):
            yield _at_script(subject, "is empty: it runs and does nothing", script, "write it or remove it")
        elif not read_beginning(script).words:
            name = os.path.basename(launch.interpreter)
            message = f"has no shebang: it is run by {name}"
            yield _at_script(subject, message, script, f"begin it with #!/usr/bin/env {name}")
    except OSError:
        return


def _at_script(subject: Subject, message: str, script: str, hint: str) -> Finding:
    return subject.finding(message, hint=hint).replace(file=script, line=1, where="")
