"""Asking other programs about a script. They read it; nothing of it is run, nor anything it names."""

from __future__ import annotations

import os


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
