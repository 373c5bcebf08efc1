"""A Python hook module, a file or a package -> a hook whose events are known only once it is loaded."""

from __future__ import annotations

import os

from hookrun.readers.matchers import compile_glob
from hookrun.readers.places import shown
from hookrun.readers.sources.found import Found, joined, short_id
from hookrun.readers.sources.script import ANY_EVENT, natural
from hookrun.words.model import Hook, Program, Trigger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookrun.readers.sources.found import Origin

_MARKS = (b"def hook(", b"def default(", b"\nhook =", b"\ndefault =", b"\nhook=", b"\ndefault=")


def read_module_folder(folder: str, origin: Origin) -> Found:
    """Return the modules of *folder*: its .py files and its packages, in natural order of names."""
    try:
        found = sorted(os.listdir(folder), key=natural)
    except OSError:
        return Found()
    paths = [os.path.join(folder, name) for name in found if not name.startswith((".", "_"))]
    return joined(read_module(path, origin) for path in paths if path.endswith(".py") or is_package(path))


def read_module(path: str, origin: Origin) -> Found:
    """Return the hook that stands for the module at *path*. Imports nothing."""
    title = shown(path, origin.place)
    trigger = Trigger(event=ANY_EVENT, matcher="", accepts=compile_glob(""))
    hook = Hook(
        id=short_id(origin.level, title),
        title=title,
        kind="module",
        source=origin.source,
        order=origin.order,
        level=origin.level,
        place=origin.place,
        file=path,
        dialect="xcsh",
        program=Program(words=(path,), folder=os.path.dirname(path)),
        key=f"module:{os.path.realpath(path)}",
        triggers=(trigger,),
        role="guard",
        runtime="python",
        note="its events are known when it is loaded",
    )
    return Found(hooks=(hook,))


def is_package(path: str) -> bool:
    """Say whether *path* is a folder that Python can import."""
    return os.path.isfile(os.path.join(path, "__init__.py"))


def is_module(path: str) -> bool:
    """Say whether a file or folder given by its path is a hook module, not a script: it defines `hook`
    or `default` at its top level."""
    if os.path.isdir(path):
        return is_package(path)
    if not path.endswith(".py") or not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as file:
            text = b"\n" + file.read()
    except OSError:
        return False
    return any(mark in text for mark in _MARKS)
