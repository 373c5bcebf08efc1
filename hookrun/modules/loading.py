"""Python files and packages -> what their ``hook(api)`` registered; one that fails never costs another."""

from __future__ import annotations

import os
from functools import partial

from hookrun.config.files import read_regular
from hookrun.config.paths import expanded
from hookrun.model.errors import HookrunError
from hookrun.model.frozen import Frozen
from hookrun.modules.api import HookAPI
from hookrun.modules.importing import import_source
from hookrun.modules.registration import Registrations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from hookrun.modules.host import Host

ENTRY_NAMES = ("hook", "default")


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
        absolute = os.path.normpath(os.path.join(cwd, expanded(path)))
        resolved.setdefault(_real(absolute), absolute)
    return list(resolved.values())


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except ValueError:  # no file is called so: loading it says that
        return path


def load_modules(
    paths: Sequence[str],
    *,
    host: Host,
    project_dir: str,
    run: Callable[..., Any],
    settle: Callable[[Any], Any],
    session: tuple[str, str] = ("", ""),
    read: Callable[[str, str], bytes] | None = None,
) -> LoadHooksResult:
    """Import each of *paths* (absolute), call its factory, and go on after a failure.

    *read* (owner, path) gives the bytes of each file; it raises HookrunError for what must not be run.
    """
    loaded: list[Registrations] = []
    errors: list[LoadError] = []
    for path in paths:
        registrations = Registrations(path, session)
        try:
            factory = _factory(path, partial(read, path) if read else read_regular)
            api = HookAPI(registrations, host, project_dir=project_dir, run=run)
            returned = factory(api)
            if hasattr(returned, "__await__"):
                settle(returned)
        except (Exception, SystemExit) as error:
            errors.append(LoadError(path=path, error=describe(as_exception(error), path)))
        else:
            loaded.append(registrations)
    return LoadHooksResult(hooks=tuple(loaded), errors=tuple(errors))


def describe(error: BaseException, path: str) -> str:
    """Return an exception in one line: its kind, its text, and the line of *path* it came from."""
    source = _source_of(path)
    if isinstance(error, _Unloadable):
        return str(error)
    if isinstance(error, SyntaxError):
        elsewhere = f" of {error.filename}" if error.filename != source else ""
        where = f" in line {error.lineno}{elsewhere}" if error.lineno else ""
        return f"SyntaxError{where}: {error.msg}"
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    line = _line_in(error, source)
    return f"{text} (line {line})" if line else text


def as_exception(error: Exception | SystemExit) -> Exception:
    """Return *error*, or an exception that says what SystemExit wanted: a module must not end its host."""
    if isinstance(error, Exception):
        return error
    return RuntimeError(f"called exit({'' if error.code is None else repr(error.code)})").with_traceback(
        error.__traceback__
    )


class _Unloadable(Exception):
    """A path is no module for a reason that is not an exception of its code."""


def _factory(path: str, read: Callable[[str], bytes]) -> Callable[..., Any]:
    source = _source_of(path)
    if not source.endswith(".py"):
        raise _Unloadable("is not a Python module: a script belongs into hooks/pre or hooks/post")
    try:
        data = read(source)
    except OSError as error:
        raise _Unloadable(f"cannot be read: {error.strerror}") from None
    except HookrunError as error:
        raise _Unloadable(error.message) from None
    module = import_source(source, data, is_package=source != path, read=read)
    for name in ENTRY_NAMES:
        entry = getattr(module, name, None)
        if callable(entry):
            return entry  # type: ignore[no-any-return]
    raise _Unloadable(
        "has no callable named hook (or default); what only helps another module has a name with _ before it"
    )


def _source_of(path: str) -> str:
    return os.path.join(path, "__init__.py") if os.path.isdir(path) else path


def _line_in(error: BaseException, source: str) -> int:
    """Return the last line of *source* that the exception passed through, 0 when it did not."""
    line = 0
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == source:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
