"""Checks of a script's syntax by its own interpreter, and what shellcheck calls an error when it is there."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from hookrun.commands.validate.checkers import ask
from hookrun.commands.validate.finding import ERROR, WARNING, Finding
from hookrun.commands.validate.script_file import ScriptFile
from hookrun.programs.command import program_path
from hookrun.programs.interpreters import is_python, is_shell

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
_ONLY_A_TREE = 0x400  # ast.PyCF_ONLY_AST, without what the module costs
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


def python_tree(script: ScriptFile) -> object:
    """Return the tree of a Python script, None for what is no Python."""
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(script.text, script.path)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def python_flaw(text: str, path: str) -> tuple[str, int]:
    """Return (what is wrong, line) with the syntax of Python source; "" when it is well."""
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, path, "exec", _ONLY_A_TREE, dont_inherit=True)
    except SyntaxError as error:
        return error.msg, error.lineno or 0
    except (ValueError, RecursionError, MemoryError) as error:
        return str(error) or "it is nested too deeply", 0
    return "", 0


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
