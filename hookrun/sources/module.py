"""A hook module, a file or a package -> a hook whose events are known only once it is loaded.

Modules in Python are run; one in another language is a guard that cannot start.
"""

from __future__ import annotations

import os

from hookrun.agents import MODULE_DIALECT
from hookrun.config.files import read_regular
from hookrun.matching.matchers import compile_glob
from hookrun.model.values import Hook, Program, Trigger
from hookrun.programs.command import Launch, Obstacle
from hookrun.sources.found import Found, entries_of, joined
from hookrun.sources.script_folder import ANY_EVENT, SUFFIXES_OF_MODULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookrun.sources.found import Origin
    from hookrun.sources.module_text import ModuleText

_ENTRIES = frozenset(("hook", "default", "*"))  # what a star import brings cannot be told


def read_module_folder(folder: str, origin: Origin, *, has_python: bool = True) -> Found:
    """Return the modules of *folder* in natural order of names: its .py files and its packages, when it
    *has_python*, and those in languages that are not run, as guards that cannot start."""
    parts: list[Found] = []
    found = entries_of(folder, origin, parts)
    paths = [os.path.join(folder, name) for name in found if not name.startswith((".", "_"))]
    for path in paths:
        if path.endswith(".py") or is_package(path):
            parts += [read_module(path, origin)] if has_python else []
        elif module := foreign_module(path):
            parts.append(read_module(path, origin, module))
    return joined(parts)


def foreign_module(path: str) -> ModuleText | None:
    """Return why the module at *path* is not run when it is in JavaScript or TypeScript."""
    if not path.endswith(SUFFIXES_OF_MODULES) or path.endswith(".py"):
        return None
    from hookrun.sources.module_text import found_among_modules

    return found_among_modules(path)


def read_module(path: str, origin: Origin, foreign: ModuleText | None = None) -> Found:
    """Return the hook for the module at *path*, *foreign* when it is not in Python. Imports nothing."""
    trigger = Trigger(event=ANY_EVENT, matcher="", accepts=compile_glob(""))
    hook = origin.hook(
        path,
        kind="module",
        dialect=MODULE_DIALECT.name,
        program=Program(words=(path,), folder=os.path.dirname(path)),
        key=f"module:{os.path.realpath(path)}",
        triggers=(trigger,),
        role="guard",
        runtime="python",
        flaw=foreign.cause if foreign else "",
        flaw_hint=foreign.hint if foreign else "",
        note="" if foreign else "its events are known when it is loaded",
        files=(path,) if foreign else (),
    )
    return Found(hooks=(hook,))


def prepare_module(hook: Hook) -> Launch | Obstacle:
    """Return the source of the module of *hook*, or why it cannot be loaded as far as its text tells. Imports nothing;
    invalid Python is found when it is loaded."""
    path = hook.program.words[0] if hook.program.words else hook.file
    source = os.path.join(path, "__init__.py") if os.path.isdir(path) else path
    name = os.path.basename(path)
    if not source.endswith(".py"):
        return Obstacle(cause=f"{name} is not a Python module", hint="a script belongs into hooks/pre or hooks/post")
    from hookrun.sources.module_text import top_names

    try:
        names = top_names(read_regular(source))
    except OSError as error:
        return Obstacle(cause=f"{name} cannot be read: {error.strerror}", hint="fix the path")
    if names is not None and _ENTRIES.isdisjoint(names):
        cause = f"{name} has no callable named hook (or default)"
        return Obstacle(cause=cause, hint="what only helps another module has a name with _ before it")
    return Launch(argv=(), files=(source,), script=source, interpreter="python3")


def is_package(path: str) -> bool:
    """Say whether *path* is a folder that Python can import."""
    return os.path.isfile(os.path.join(path, "__init__.py"))


def is_module(path: str) -> bool:
    """Say whether a file or folder is a hook module, not a script: a .py file that binds `hook` or `default` at its top
    level, or may by a star import. As a script it would pass anything."""
    if os.path.isdir(path):
        return is_package(path)
    if not path.endswith(".py") or not os.path.isfile(path):
        return False
    try:
        text = read_regular(path)
    except OSError:
        return False
    from hookrun.sources.module_text import top_names

    names = top_names(text)
    if names is None:
        return b"def hook(" in text or b"def default(" in text
    if names.isdisjoint(("hook", "*")):  # many a script has a `default` for json, and a main part
        return "default" in names and b"__main__" not in text
    return True
