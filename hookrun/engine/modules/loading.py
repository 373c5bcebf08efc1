"""Python files and packages -> what their ``hook(api)`` registered; one that fails never costs another.

Modules are compiled from the bytes that were read, so a planted ``__pycache__`` beside one never runs.
"""

from __future__ import annotations

import os
import sys
import threading

from hookrun.engine.modules.registration import HookAPI, Registrations
from hookrun.words.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import ModuleType
    from typing import Any

    from hookrun.engine.modules.host import Host

ENTRY_NAMES = ("hook", "default")
_lock = threading.RLock()  # sys.path and sys.modules are the process's: one module is imported at a time
_count = 0


class LoadError(Frozen):
    """Why a path gave no module: ``path`` as it was given, ``error`` with the line where there is one."""

    path: str
    error: str


class LoadHooksResult(Frozen):
    """What loading came to: ``hooks`` in the order of paths, and an entry in ``errors`` for each failure."""

    hooks: tuple[Registrations, ...] = ()
    errors: tuple[LoadError, ...] = ()


def resolve_paths(paths: Iterable[str], cwd: str) -> list[str]:
    """Return absolute paths in their order, `~` expanded, relative ones from *cwd*, each file once."""
    resolved: dict[str, str] = {}
    for path in paths:
        absolute = os.path.normpath(os.path.join(cwd, os.path.expanduser(path)))
        resolved.setdefault(os.path.realpath(absolute), absolute)
    return list(resolved.values())


def load_modules(
    paths: Sequence[str],
    *,
    host: Host,
    project_dir: str,
    run: Callable[..., Any],
    settle: Callable[[Any], Any],
    session: tuple[str, str] = ("", ""),
) -> LoadHooksResult:
    """Import each of *paths* (absolute), call its factory, and go on after a failure."""
    loaded: list[Registrations] = []
    errors: list[LoadError] = []
    for path in paths:
        registrations = Registrations(path, session)
        try:
            factory = _factory(path)
            api = HookAPI(registrations, host, project_dir=project_dir, run=run)
            returned = factory(api)
            if hasattr(returned, "__await__"):
                settle(returned)
        except Exception as error:
            errors.append(LoadError(path=path, error=describe(error, path)))
        else:
            loaded.append(registrations)
    return LoadHooksResult(hooks=tuple(loaded), errors=tuple(errors))


def describe(error: BaseException, path: str) -> str:
    """Return an exception in one line: its kind, its text, and the line of *path* it came from."""
    text = str(error) or type(error).__name__
    if isinstance(error, SyntaxError):
        return f"SyntaxError in line {error.lineno}: {error.msg}"
    line = _line_in(error, _source_of(path))
    named = text if isinstance(error, _Unloadable) else f"{type(error).__name__}: {text}"
    return f"{named} (line {line})" if line else named


class _Unloadable(Exception):
    """A path is no module for a reason that is not an exception of its code."""


def _factory(path: str) -> Callable[..., Any]:
    source = _source_of(path)
    if not source.endswith(".py"):
        raise _Unloadable(
            "is no Python module: a script belongs into hooks/pre or hooks/post"
        )
    try:
        with open(source, "rb") as file:
            data = file.read()
    except OSError as error:
        raise _Unloadable(f"cannot be read: {error.strerror}") from None
    module = _imported(source, data, is_package=os.path.isdir(path))
    for name in ENTRY_NAMES:
        entry = getattr(module, name, None)
        if callable(entry):
            return entry  # type: ignore[no-any-return]
    raise _Unloadable("has no callable named hook (or default)")


def _source_of(path: str) -> str:
    return os.path.join(path, "__init__.py") if os.path.isdir(path) else path


def _imported(source: str, data: bytes, *, is_package: bool) -> ModuleType:
    """Execute *data* as a module of its own name; its neighbours can be imported while it is."""
    from importlib.util import module_from_spec, spec_from_file_location

    global _count
    folder = os.path.dirname(source)
    with _lock:
        _count += 1
        stem = os.path.basename(folder if is_package else source).partition(".")[0]
        name = f"hookrun_module_{_count}_{stem}"
        spec = spec_from_file_location(
            name, source, submodule_search_locations=[folder] if is_package else None
        )
        if spec is None:
            raise _Unloadable("cannot be imported")
        module = module_from_spec(spec)
        code = compile(data, source, "exec", dont_inherit=True)
        before = set(sys.modules)
        path_before = list(sys.path)
        sys.modules[name] = module
        sys.path.insert(0, folder)
        try:
            exec(code, module.__dict__)
        except BaseException:
            del sys.modules[name]
            raise
        finally:
            sys.path[:] = path_before
            _forget_neighbours(folder, before)
    return module


def _forget_neighbours(folder: str, before: set[str]) -> None:
    """Take what was imported from *folder* out of sys.modules: another module's folder may have a
    neighbour of the same name, and means its own."""
    for name in set(sys.modules) - before:
        file = getattr(sys.modules.get(name), "__file__", None) or ""
        if not name.startswith("hookrun_module_") and os.path.dirname(file) == folder:
            del sys.modules[name]


def _line_in(error: BaseException, source: str) -> int:
    """Return the last line of *source* that the exception passed through, 0 when it did not."""
    line = 0
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == source:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
