"""Events fired through the command at real scripts, and ways to look at what came of it."""

from __future__ import annotations

import json
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from command import HOOKRUN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from command import Ended, Project

NO = "the guard says no"
DENY = f'#!/bin/sh\necho "{NO}" >&2\nexit 2\n'
PASS = "#!/bin/sh\nexit 0\n"
BASH_GUARD = ".claude/hooks/pre/bash.sh"  # where most of the tests keep theirs


def before_shell(cli: Callable[..., Ended], *words: str, command: str = "x", **options: Any) -> Ended:
    """Fire PreToolUse of the tool Shell; the answer is JSON."""
    given = () if "--input" in words else ("--input", json.dumps({"command": command}))
    return cli("emit", "PreToolUse", "--tool", "Shell", *given, "--format", "json", *words, **options)


def after_shell(cli: Callable[..., Ended], *words: str, **options: Any) -> Ended:
    """Fire PostToolUse of the tool Shell; the answer is JSON."""
    given = '{"command": "x"}'
    return cli("emit", "PostToolUse", "--tool", "Shell", "--input", given, "--format", "json", *words, **options)


def ruling(ended: Ended) -> tuple[int, str | None, str | None]:
    """The exit code, the decision, and who decided."""
    return ended.code, ended.document["decision"], ended.document["decided_by"]


ALLOWED = (0, "allow", "guard")
ASKED = (3, "ask", "guard")
DEFERRED = (4, "defer", "guard")
ALLOWED_BY_SILENCE = (0, None, None)
DENIED_BY_GUARD = (2, "deny", "guard")
DENIED_BY_FAILURE = (2, "deny", "failure")


def the_outcome(ended: Ended) -> dict[str, Any]:
    """What the one hook that matched did."""
    (outcome,) = ended.document["outcomes"]
    assert isinstance(outcome, dict)
    return outcome


def problems_of(ended: Ended) -> str:
    """All problems, each in a line with its place and its hint."""
    return "\n".join(" | ".join(problem.values()) for problem in ended.document["problems"])


@contextmanager
def started(
    project: Project, environment: Mapping[str, str], *words: str, **options: Any
) -> Iterator[subprocess.Popen[str]]:
    """hookrun while it runs: for signals, descriptors and readers of their own."""
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(
        [HOOKRUN, *words], cwd=project.path, env=environment, text=True, **(streams | options)
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def guard_text(*lines: str, shell: str = "/bin/sh") -> str:
    """The text of a script of these lines."""
    return "\n".join((f"#!{shell}", *lines, ""))


def marker_script(folder: Path, name: str) -> str:
    """The text of a script that leaves the file *name* in *folder* when it runs."""
    return guard_text(f"touch '{folder}/{name}'")


def says(*lines: str, code: int = 0) -> str:
    """The text of a script that prints *lines* as they are, and ends with *code*."""
    return guard_text("cat <<'END'", *lines, "END", f"exit {code}")
