"""What the beginning of a script says: its first line, its line endings, whether it is text at all."""

from __future__ import annotations

import errno
import os
import sys
from stat import S_ISDIR, S_ISREG

from hookrun.model.constants import KIB
from hookrun.model.frozen import Frozen

_HEAD = 64 * KIB  # bytes of a script that are looked at
_LONGEST_SHEBANG = 256  # bytes that Linux reads of it
_BOM = b"\xef\xbb\xbf"
_ENV_OPTIONS_WITH_VALUE = ("-u", "--unset", "-C", "--chdir", "-a", "--argv0", "-P")


class Script(Frozen):
    """The beginning of a file. ``words`` are its shebang as the kernel splits it: at most one argument.

    ``has_crlf`` says that most lines end so: a few may be meant, in a here-document or a pattern.
    """

    words: tuple[str, ...] = ()
    shebang_has_cr: bool = False
    has_crlf: bool = False
    has_bom: bool = False
    is_binary: bool = False


def read_beginning(path: str) -> Script:
    """Return what the first 64 KiB of the file *path* say. Raises OSError, also for what is no regular file."""
    found = os.stat(path)
    if S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", path)
    if not S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", path)
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        return script_from(os.read(descriptor, _HEAD))
    finally:
        os.close(descriptor)


def script_from(head: bytes) -> Script:
    """Return what *head*, the beginning of a file, says."""
    has_bom = head.startswith(_BOM)
    text = head.removeprefix(_BOM)
    body = text.partition(b"\n")[2] if text.startswith(b"#!") else text
    has_crlf = 2 * body.count(b"\r\n") > body.count(b"\n")
    if not text.startswith(b"#!"):
        return Script(has_crlf=has_crlf, has_bom=has_bom, is_binary=b"\0" in text)
    line = text[2:_LONGEST_SHEBANG].partition(b"\n")[0]
    return Script(
        words=tuple(os.fsdecode(line.strip()).split(None, 1)),
        shebang_has_cr=line.endswith(b"\r"),
        has_crlf=has_crlf,
        has_bom=has_bom,
    )


def program_after_env(words: tuple[str, ...]) -> str:
    """Return the program that a shebang gives to env; "" when it is not env that is called.

    Linux hands over all that follows as one argument, so only ``env -S`` can give options to a program.
    """
    if os.path.basename(words[0]) != "env" or len(words) < 2:
        return ""
    rest = words[1]
    if not rest.startswith("-"):
        return rest.split()[0] if sys.platform == "darwin" else rest
    left = _split(rest)
    while left:
        word = left.pop(0)
        if word in _ENV_OPTIONS_WITH_VALUE:
            del left[:1]
        elif word.startswith("--split-string="):
            left.insert(0, word.partition("=")[2])
        elif word.startswith("-") and word[1:2] not in tuple("-uCaP") and word.partition("S")[2]:
            left.insert(0, word.partition("S")[2])  # -Sbash, -ivSbash
        elif not word.startswith("-") and "=" not in word:
            return word
    return ""


def _split(text: str) -> list[str]:
    if not any(sign in text for sign in "'\"\\"):
        return text.split()
    import shlex

    try:
        return shlex.split(text)
    except ValueError:  # open quotes, which env refuses
        return text.split()
