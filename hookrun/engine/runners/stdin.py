"""A hook's standard input: the whole payload in a file without a name, there before the hook can look."""

from __future__ import annotations

import errno
import fcntl
import os


def payload_file(payload: bytes) -> int:
    """Return a descriptor, at its start, of an unnamed file that holds *payload* and that, where the
    system can seal it (Linux), nobody can change. The caller closes it. Raises OSError.
    """
    try:
        descriptor = os.memfd_create("stdin", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    except AttributeError:  # not Linux
        return _unlinked_file(payload)
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM):
            raise
        return _unlinked_file(payload)  # a system that forbids them
    try:
        _fill(descriptor, payload)
        _seal(descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _seal(descriptor: int) -> None:
    seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)


def _unlinked_file(payload: bytes) -> int:
    import tempfile

    with tempfile.TemporaryFile(buffering=0) as file:
        _fill(file.fileno(), payload)
        return os.dup(file.fileno())


def _fill(descriptor: int, payload: bytes) -> None:
    rest = memoryview(payload)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
