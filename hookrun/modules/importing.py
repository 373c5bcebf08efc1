"""Modules executed from their source, each in a package of its own.

Who imports a module says how its bytes, and those of what it imports from beside it, are read.

What lies beside a module is imported into that package: two neighbours of one name never meet, sys.path
is left alone, and a planted ``__pycache__`` never runs, for nothing is read but source.
"""

from __future__ import annotations

import builtins
import os
import sys
from itertools import count

from hookrun.config.files import read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

PREFIX = "hookrun_module_"
_numbers = count(1)
_readers: dict[str, Callable[[str], bytes]] = {}  # by the name of the package


def import_source(
    source: str, data: bytes, *, is_package: bool, read: Callable[[str], bytes] = read_regular
) -> ModuleType:
    """Execute *data*, the text of the file *source* (absolute), as a new module and return it.

    A package's ``__init__.py`` is its package itself. *read* gives the bytes of files beside it. Raises what
    the code raises, and what *read* does.
    """
    from types import ModuleType

    _install()
    folder = os.path.dirname(source)
    package = f"{PREFIX}{next(_numbers)}"
    _readers[package] = read
    name = package
    if not is_package:
        parent = sys.modules[package] = ModuleType(package)
        parent.__path__ = [folder]
        name = f"{package}.{os.path.basename(source).removesuffix('.py').replace('.', '_')}"
    module = _new_module(name, source, [folder] if is_package else None)
    try:
        _execute(module, source, data)
    except BaseException:
        for known in [known for known in sys.modules if f"{known}.".startswith(f"{package}.")]:
            del sys.modules[known]
        raise
    return module


class _Finder:
    """Finds what belongs to one of our packages; everything else is for the others."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, _target: Any = None) -> ModuleSpec | None:
        if not name.startswith(PREFIX):
            return None
        for folder in path or ():
            place = os.path.join(folder, name.rpartition(".")[2])
            package = os.path.join(place, "__init__.py")
            if os.path.isfile(package):
                return _spec(name, package, [place])
            if os.path.isfile(f"{place}.py"):
                return _spec(name, f"{place}.py", None)
        return None


class _Loader:
    """Compiles a file anew, whatever is cached beside it."""

    def __init__(self, source: str) -> None:
        self._source = source

    def create_module(self, _spec: ModuleSpec) -> None:
        """Leave making the module to Python."""

    def exec_module(self, module: ModuleType) -> None:
        """Execute the file."""
        read = _readers[module.__name__.partition(".")[0]]
        _execute(module, self._source, read(self._source))


def _install() -> None:
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)


def _spec(name: str, source: str, path: list[str] | None) -> ModuleSpec:
    from importlib.machinery import ModuleSpec

    spec = ModuleSpec(name, _Loader(source), origin=source, is_package=path is not None)  # type: ignore[arg-type]
    spec.has_location = True
    if path is not None:
        spec.submodule_search_locations = path
    return spec


def _new_module(name: str, source: str, path: list[str] | None) -> ModuleType:
    from types import ModuleType

    module = sys.modules[name] = ModuleType(name)
    module.__spec__ = _spec(name, source, path)
    module.__file__ = source
    module.__package__ = name if path is not None else name.rpartition(".")[0]
    if path is not None:
        module.__path__ = path
    return module


def _execute(module: ModuleType, source: str, data: bytes) -> None:
    package = module.__name__.partition(".")[0]
    code = compile(data, source, "exec", dont_inherit=True)
    module.__dict__["__builtins__"] = _builtins_of(package)
    exec(code, module.__dict__)


def _builtins_of(package: str) -> Mapping[str, Any]:
    """Return the builtins of a package's modules: their imports look beside the module first."""
    return {**vars(builtins), "__import__": _import_for(package)}


def _import_for(package: str) -> Callable[..., ModuleType]:
    (folder,) = sys.modules[package].__path__

    def import_(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> ModuleType:
        top = name.partition(".")[0]
        if level or top in sys.stdlib_module_names or not _is_there(os.path.join(folder, top)):
            return builtins.__import__(name, globals, locals, fromlist, level)
        found = builtins.__import__(f"{package}.{name}", globals, locals, fromlist)
        return found if fromlist else sys.modules[f"{package}.{top}"]

    return import_


def _is_there(place: str) -> bool:
    return os.path.isfile(f"{place}.py") or os.path.isfile(os.path.join(place, "__init__.py"))
