"""A Python hook module, a file or a package -> a hook whose events are known only once it is loaded."""

from __future__ import annotations

import os

from hookrun.readers.command import Launch, Obstacle
from hookrun.readers.matchers import compile_glob
from hookrun.readers.places import shown
from hookrun.readers.regular import read_regular
from hookrun.readers.sources.found import Found, entries_of, joined, short_id
from hookrun.readers.sources.script import ANY_EVENT
from hookrun.words.model import Hook, Program, Trigger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookrun.readers.sources.found import Origin

_ENTRIES = frozenset(("hook", "default", "*"))  # what a star import brings cannot be told
_WITH_NAMES_OF_THEIR_OWN = frozenset(
    (
        *("FunctionDef", "AsyncFunctionDef", "ClassDef", "Lambda"),
        *("ListComp", "SetComp", "DictComp", "GeneratorExp"),
    )
)
_ONLY_A_TREE = 0x400  # ast.PyCF_ONLY_AST


def read_module_folder(folder: str, origin: Origin) -> Found:
    """Return the modules of *folder*: its .py files and its packages, in natural order of names."""
    parts: list[Found] = []
    found = entries_of(folder, origin, parts)
    paths = [os.path.join(folder, name) for name in found if not name.startswith((".", "_"))]
    parts += [read_module(path, origin) for path in paths if path.endswith(".py") or is_package(path)]
    return joined(parts)


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


def prepare_module(hook: Hook) -> Launch | Obstacle:
    """Return the source of the module that *hook* stands for, or why it cannot be loaded as far as its text
    tells. Imports nothing; what is no Python at all is found when it is loaded."""
    path = hook.program.words[0] if hook.program.words else hook.file
    source = os.path.join(path, "__init__.py") if os.path.isdir(path) else path
    name = os.path.basename(path)
    if not source.endswith(".py"):
        return Obstacle(
            cause=f"{name} is no Python module", hint="a script belongs into hooks/pre or hooks/post"
        )
    try:
        names = top_names(read_regular(source))
    except OSError as error:
        return Obstacle(cause=f"{name} cannot be read: {error.strerror}", hint="mend the path")
    if names is not None and _ENTRIES.isdisjoint(names):
        cause = f"{name} has no callable named hook (or default)"
        return Obstacle(cause=cause, hint="what only helps another module has a name with _ before it")
    return Launch(argv=(), files=(source,), script=source, interpreter="python3")


def is_package(path: str) -> bool:
    """Say whether *path* is a folder that Python can import."""
    return os.path.isfile(os.path.join(path, "__init__.py"))


def is_module(path: str) -> bool:
    """Say whether a file or folder given by its path is a hook module, not a script: a .py file that binds
    `hook` or `default` at its top level, or may by a star import: run as a script it would pass anything."""
    if os.path.isdir(path):
        return is_package(path)
    if not path.endswith(".py") or not os.path.isfile(path):
        return False
    try:
        text = read_regular(path)
    except OSError:
        return False
    names = top_names(text)
    if names is None:
        return b"def hook(" in text or b"def default(" in text
    if names.isdisjoint(("hook", "*")):  # many a script has a `default` for json, and a main part
        return "default" in names and b"__main__" not in text
    return True


def top_names(text: bytes) -> set[str] | None:
    """Return the names that a Python file binds outside of functions and classes, `*` among them for a star
    import; None when it cannot be read as Python."""
    try:
        tree = compile(text, "", "exec", _ONLY_A_TREE, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    names: set[str] = set()
    unread: list[Any] = list(tree.body)
    while unread:
        node = unread.pop()
        names.update(_names_of(node))
        if type(node).__name__ not in _WITH_NAMES_OF_THEIR_OWN:
            unread += _parts_of(node)
    return names


def _names_of(node: Any) -> Iterator[str]:
    """Yield what a node itself binds; told by its fields, as ast costs its import."""
    kind = type(node).__name__
    if kind in ("FunctionDef", "AsyncFunctionDef", "ClassDef"):
        yield node.name
    elif kind in ("Import", "ImportFrom"):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
    elif kind == "Name" and type(node.ctx).__name__ == "Store":
        yield node.id


def _parts_of(node: Any) -> Iterator[Any]:
    for field in getattr(node, "_fields", ()):
        value = getattr(node, field, None)
        yield from value if isinstance(value, list) else (value,)
