"""The floors of the house: who may import whom, and which library has which door."""

from __future__ import annotations

import ast
import os
from fnmatch import fnmatchcase

import pytest

import hookrun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

ROOT = os.path.dirname(os.path.abspath(hookrun.__file__))

# From the ground up. A floor is its rooms; a room is modules (`answer*`: all that begin so) and what is
# below them. A module imports from the floors before its own and from its own room, not from next door.
FLOORS = (
    "__init__",
    "words",
    "readers.places+readers.private+readers.project+readers.git+readers.surroundings+readers.regular",
    "readers.documents+readers.jsonc+readers.outline",
    "readers.config",
    "readers.matchers*",
    "readers.command+readers.complaints+readers.interpreters+readers.shebang",
    "readers.dialects",
    "readers.events+readers.patches+readers.spellings+readers.touched+readers.own_fields+readers.shapes",
    "readers.sources",
    "engine.hint_text engine.setup_flaws",
    "engine.discovery engine.trust engine.registry engine.match+engine.file_by_file engine.plan "
    "engine.runners engine.modules engine.answer* engine.decide engine.store",
    "engine.firing",
    "engine.trusted_runs",
    "engine.pipeline",
    "library",
    "faces",
    "serve",
    "cli+__main__",
)
# What prints and exits stands on the library, not on what the library stands on.
CLI_MAY_IMPORT = ("__init__", "words", "library", "faces", "serve", "cli")

# (importer, imported): why this one step past the rule is right.
EXCEPTIONS = {
    ("__init__", "*"): "the public names, for type checkers; imported for real when they are first used",
    ("cli.*", "engine.runners.interrupts"): "signals belong to a process: the command's, never a library's",
    ("cli.*", "engine.runners.spawn"): "so does the right to inherit the orphans of its hooks",
    ("cli.*", "engine.runners.watcher"): "ends with the command that may have started it",
    ("cli.*", "readers.places"): "how people read a path: pure text",
    ("cli.new", "readers.config"): "only the type of what the library hands out",
    ("cli.hints", "engine.store"): "only the type of what the library hands out",
    ("engine.match", "engine.registry"): "only the type of what it searches",
    ("engine.modules.execution", "engine.runners.process"): "what a module starts is supervised as a hook is",
    ("engine.modules.forked", "engine.runners.interrupts"): "a signal ends a child with modules first",
    ("engine.modules.forked", "engine.runners.remains"): "a child with modules is ended as a hook is",
    (
        "engine.modules.text_editor",
        "engine.runners.private_files",
    ): "a text being edited is private as a value",
    ("engine.modules.forked", "engine.runners.watcher"): "and ended when hookrun is killed",
}

# A library, and the only rooms that open its door.
DOORS = {
    "typer": ("cli",),
    "yaml": ("readers.documents", "readers.outline"),
    "watchfiles": ("faces.watch", "serve"),
    "sqlite3": ("engine.store",),
    "platformdirs": ("readers.places",),
    "sh": ("faces",),
    "os.environ": ("readers.config",),
    "os.environb": ("readers.config",),
    "os.getenv": ("readers.config",),
}


def test_every_module_imports_only_from_the_floors_below():
    assert list(wrong_steps(ROOT)) == []


def test_every_library_has_one_door():
    assert list(wrong_doors(ROOT)) == []


def test_every_exception_is_still_needed():
    steps = {(module, target) for module, tree in modules(ROOT) for target in targets(tree, ROOT)}
    assert [rule for rule in EXCEPTIONS if not any(is_excepted(*step, [rule]) for step in steps)] == []


@pytest.mark.parametrize(
    ("module", "line", "complaint"),
    [
        ("words/names.py", "from hookrun.readers import places", "words.names imports readers.places"),
        ("readers/places.py", "import hookrun.readers.config", "readers.places imports readers.config"),
        ("engine/match.py", "from hookrun.engine.plan import Plan", "engine.match imports engine.plan"),
        ("cli/emit.py", "from hookrun.engine import match", "cli.emit imports engine.match"),
        ("odd.py", "from hookrun.words import names", "odd stands on no floor"),
    ],
)
def test_a_step_up_or_sideways_is_found(tmp_path: Path, module: str, line: str, complaint: str):
    house = small_house(tmp_path)
    (house / module).write_text(f"def late():\n    {line}\n")
    assert list(wrong_steps(str(house))) == [complaint]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("import yaml", "engine.match opens yaml"),
        ("from sqlite3 import dbapi2", "engine.match opens sqlite3"),
        ("import os\nhome = os.environ['HOME']", "engine.match opens os.environ"),
        ("from os import getenv", "engine.match opens os.getenv"),
    ],
)
def test_a_library_used_past_its_door_is_found(tmp_path: Path, line: str, complaint: str):
    house = small_house(tmp_path)
    (house / "engine/match.py").write_text(f"{line}\n")
    assert list(wrong_doors(str(house))) == [complaint]


def small_house(tmp_path: Path) -> Path:
    """Return a package of empty modules, on some of the floors."""
    for module in (
        "words/names",
        "readers/places",
        "readers/config",
        "engine/match",
        "engine/plan",
        "cli/emit",
    ):
        path = tmp_path / f"{module}.py"
        path.parent.mkdir(exist_ok=True)
        path.touch()
    return tmp_path


def wrong_steps(root: str) -> Iterator[str]:
    """Yield `importer imports imported` for each import against the floors."""
    for module, tree in modules(root):
        for target in sorted(targets(tree, root)):
            if floor_and_room(module) is None:
                yield f"{module} stands on no floor"
            elif not may_import(module, target) and not is_excepted(module, target):
                yield f"{module} imports {target}"


def may_import(module: str, target: str) -> bool:
    here, there = floor_and_room(module), floor_and_room(target)
    assert here, module
    if there is None:
        return False
    if here[1] == "cli+__main__" and not is_in(target, CLI_MAY_IMPORT):
        return False
    return there[0] < here[0] or here == there


def is_excepted(module: str, target: str, rules: Iterable[tuple[str, str]] = EXCEPTIONS) -> bool:
    return any(
        fnmatchcase(module, importer) and fnmatchcase(target, imported) for importer, imported in rules
    )


def floor_and_room(module: str) -> tuple[int, str] | None:
    for number, floor in enumerate(FLOORS):
        for room in floor.split():
            if is_in(module, room.split("+")):
                return number, room
    return None


def is_in(module: str, rooms: list[str] | tuple[str, ...]) -> bool:
    return any(fnmatchcase(module, room) or fnmatchcase(module, f"{room}.*") for room in rooms)


def wrong_doors(root: str) -> Iterator[str]:
    """Yield `module opens library` for each use of a library outside the rooms that may."""
    for module, tree in modules(root):
        used = set(imported_names(tree)) | set(attributes_of_os(tree))
        for library, rooms in DOORS.items():
            is_used = any(name == library or name.startswith(f"{library}.") for name in used)
            if is_used and not is_in(module, rooms):
                yield f"{module} opens {library}"


def modules(root: str) -> Iterator[tuple[str, ast.Module]]:
    """Yield each module below *root* by its dotted name without the package's, and its tree."""
    for folder, _, files in sorted(os.walk(root)):
        if is_inside(folder, os.path.join(root, "bundled")):  # hooks, copied into the wheel
            continue
        for file in sorted(files):
            if file.endswith(".py"):
                path = os.path.join(folder, file)
                dotted = os.path.relpath(path, root).removesuffix(".py").replace(os.sep, ".")
                with open(path, "rb") as source:
                    yield dotted.removesuffix(".__init__"), ast.parse(source.read(), path)


def targets(tree: ast.Module, root: str) -> set[str]:
    """Return the project's own modules that *tree* imports; an attribute stands for its module."""
    found = set()
    for name in imported_names(tree):
        parts = name.split(".")
        if parts[0] != "hookrun":
            continue
        while len(parts) > 1 and not is_module(os.path.join(root, *parts[1:])):
            parts.pop()
        found.add(".".join(parts[1:]) or "__init__")
    return found


def is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + os.sep)


def is_module(path: str) -> bool:
    return os.path.isfile(f"{path}.py") or os.path.isfile(os.path.join(path, "__init__.py"))


def imported_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written out in full"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def attributes_of_os(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
            yield f"os.{node.attr}"
