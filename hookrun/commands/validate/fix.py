"""What can be fixed without a question: mode bits of scripts, and CRLF line endings."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from hookrun.commands.validate.finding import ERROR, WARNING, Finding
from hookrun.commands.validate.paths import choose
from hookrun.commands.validate.subject import script_of
from hookrun.config.paths import is_inside
from hookrun.model import constants
from hookrun.model.values import Hook
from hookrun.programs.interpreters import find_script, is_shell, name_by_suffix
from hookrun.programs.shebang import Script, program_after_env, read_beginning
from hookrun.runner import HookRunner

_EXECUTE_BITS = 0o111


def fix(runner: HookRunner, paths: Sequence[str] = ()) -> tuple[Finding, ...]:
    """Fix the scripts of all hooks, or of those at *paths* (absolute), and return what was done (``fixed``) and what
    could not be. Files outside a hook's own place, through links too, are left alone."""
    findings: list[Finding] = []
    seen: set[str] = set()
    for chosen in choose(runner, paths):
        for hook in chosen.found.hooks:
            script = script_of(hook.program)
            if script and script not in seen and chosen.only in ("", script):
                seen.add(script)
                findings += _mended(hook, script, runner.config.root)
    return tuple(findings)


def _mended(hook: Hook, script: str, root: str) -> list[Finding]:
    try:
        head = read_beginning(script)
    except OSError:
        return []
    work: list[tuple[str, str, Callable[[str], None]]] = []
    if _has_wrong_endings(script, head, hook):
        whole = _is_shell(script, head, hook)
        work.append((ERROR, "CRLF line endings are LF now", lambda path: _write_with_newlines(path, whole=whole)))
    # Only in script folders is a file a hook because it is there.
    if head.words and hook.key.startswith(("pre:", "post:")) and not os.access(script, os.X_OK):
        work.append((WARNING, "is executable now", _make_executable))
    target = os.path.realpath(script)
    if work and not any(is_inside(target, os.path.realpath(place)) for place in (hook.place, root)):
        message = f"not fixed: it is outside the project, in {target}"
        return [Finding(message=message, file=script, hook=hook.id, hint="fix it there")]
    return [_tried(script, hook, target, *step) for step in work]


def _tried(script: str, hook: Hook, target: str, level: str, done: str, step: Callable[[str], None]) -> Finding:
    finding = Finding(message=done, level=ERROR if level == ERROR else WARNING, file=script, hook=hook.id)
    try:
        step(target)
    except OSError as error:
        message = f"cannot be fixed: {error.strerror or error}"
        return finding.replace(message=message, level=ERROR, hint="fix it by hand")
    return finding.replace(line=1, fixed=True)


def _has_wrong_endings(script: str, head: Script, hook: Hook) -> bool:
    if head.is_binary:
        return False
    return head.shebang_has_cr or (head.has_crlf and _is_shell(script, head, hook))


def _is_shell(script: str, head: Script, hook: Hook) -> bool:
    """Say whether a shell interprets *script*: by its command, its shebang, its name, or for want of them."""
    words = hook.program.words
    found = find_script(words)
    if found:
        return is_shell(words[found[0]])
    if head.words:
        return is_shell((program_after_env(head.words) or head.words[0]).rstrip("\r"))
    return is_shell(name_by_suffix(script) or "sh")


def _write_with_newlines(path: str, *, whole: bool) -> None:
    """Replace *path* by a copy with LF endings, in all lines or in the first; its mode and owner stay."""
    import tempfile

    with open(path, "rb") as file:
        data = file.read(constants.MANIFEST_LIMIT + 1)
        status = os.fstat(file.fileno())
    if len(data) > constants.MANIFEST_LIMIT or b"\0" in data:
        raise OSError("it is not plain text of at most 1 MiB")
    data = data.replace(b"\r\n", b"\n") if whole else data.replace(b"\r\n", b"\n", 1)
    descriptor, copy = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".hookrun-")
    try:
        with open(descriptor, "wb") as file:
            if (os.geteuid(), os.getegid()) != (status.st_uid, status.st_gid):
                os.fchown(file.fileno(), status.st_uid, status.st_gid)
            os.fchmod(file.fileno(), status.st_mode & 0o7777)
            file.write(data)
        os.replace(copy, path)
    except BaseException:
        os.unlink(copy)
        raise


def _make_executable(path: str) -> None:
    """Do what `chmod +x` does: every execute bit that the umask allows."""
    umask = os.umask(0)
    os.umask(umask)
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        mode = os.fstat(descriptor).st_mode & 0o7777
        os.fchmod(descriptor, mode | (_EXECUTE_BITS & ~umask))
    finally:
        os.close(descriptor)
