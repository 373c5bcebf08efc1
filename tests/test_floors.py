"""The floors of the house: who may import whom, and which library has which door."""

from __future__ import annotations

import ast
import os
import re
from fnmatch import fnmatchcase

import pytest
from command import CHECKOUT

import hookrun
from hookrun.agents import AGENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

ROOT = os.path.dirname(os.path.abspath(hookrun.__file__))

# From the ground up: a folder imports from those above it in this list and from itself.
FLOORS = (
    "model",
    "config",
    "matching",
    "store",
    "agents",
    "programs",
    "events",
    "sources",
    "trust",
    "running",
    "answers",
    "modules",
    "pipeline",
    "runner",
    "install",
    "commands",
    "cli",
    "__main__",
)
COPIED = ("bundled", "docs")  # hooks and pages that the wheel takes along: no modules of the package
FACE = "__init__"  # the public names and the version: whoever needs these may have them

# A library, and the only rooms that open its door.
DOORS = {
    "typer": ("cli",),
    "yaml": ("config.documents", "config.json_positions"),
    "watchfiles": ("commands.watch",),
    "sqlite3": ("store",),
    "platformdirs": ("config.paths",),
    "sh": ("commands",),
    "os.environ": ("config.config",),
    "os.environb": ("config.config",),
    "os.getenv": ("config.config",),
}


def test_every_module_imports_only_from_the_floors_below():
    assert list(wrong_steps(ROOT)) == []


def test_every_library_has_one_door():
    assert list(wrong_doors(ROOT)) == []


def test_an_agents_name_is_a_text_in_its_own_room_and_in_the_table_alone():
    assert [*wrong_names(ROOT, AGENTS)] == []


def test_the_page_on_the_architecture_names_what_is_there():
    text = (CHECKOUT / "docs/architecture.md").read_text()
    rooms = re.findall(r"^\| \d+ \| ([\w, ]+) \|", text, flags=re.MULTILINE)
    named = {room for rooms_of_row in rooms for room in rooms_of_row.split(", ")}
    assert named <= {*FLOORS}
    assert {*FLOORS} - named <= {"model", "modules", "runner", "install", "commands", "__main__"}
    there = {path.name for path in (CHECKOUT / "hookrun").rglob("*.py")}
    assert set(re.findall(r"`(?:\w+/)*(\w+\.py)`", text)) - there == {"NAME.py"}


@pytest.mark.parametrize(
    ("module", "line", "complaint"),
    [
        ("model/constants.py", "from hookrun.config import paths", "model.constants imports config.paths"),
        ("config/paths.py", "import hookrun.pipeline.match", "config.paths imports pipeline.match"),
        ("pipeline/match.py", "from hookrun.cli.emit import run", "pipeline.match imports cli.emit"),
        ("odd.py", "from hookrun.model import constants", "odd stands on no floor"),
    ],
)
def test_a_step_up_is_found(tmp_path: Path, module: str, line: str, complaint: str):
    house = small_house(tmp_path)
    (house / module).write_text(f"def late():\n    {line}\n")
    assert list(wrong_steps(str(house))) == [complaint]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("import yaml", "pipeline.match opens yaml"),
        ("from sqlite3 import dbapi2", "pipeline.match opens sqlite3"),
        ("import os\nhome = os.environ['HOME']", "pipeline.match opens os.environ"),
        ("from os import getenv", "pipeline.match opens os.getenv"),
    ],
)
def test_a_library_used_past_its_door_is_found(tmp_path: Path, line: str, complaint: str):
    house = small_house(tmp_path)
    (house / "pipeline/match.py").write_text(f"{line}\n")
    assert list(wrong_doors(str(house))) == [complaint]


def test_an_agents_name_elsewhere_is_found(tmp_path: Path):
    house = small_house(tmp_path)
    (house / "pipeline/match.py").write_text('"""gemini"""\nif agent == "gemini":\n    pass\n')
    (house / "agents/gemini").mkdir(parents=True)
    (house / "agents/gemini/names.py").write_text('NAME = "gemini"\nOTHER = "codex"\n')
    assert [*wrong_names(str(house), AGENTS)] == [
        "agents.gemini.names says 'codex' in line 2",
        "pipeline.match says 'gemini' in line 2",
    ]


def small_house(tmp_path: Path) -> Path:
    """Return a package of empty modules, on some of the floors."""
    for module in ("model/constants", "config/paths", "pipeline/match", "cli/emit"):
        path = tmp_path / f"{module}.py"
        path.parent.mkdir(exist_ok=True)
        path.touch()
    return tmp_path


def wrong_steps(root: str) -> Iterator[str]:
    """Yield `importer imports imported` for each import against the floors."""
    for module, tree in modules(root):
        here = floor(module)
        if here is None:
            yield f"{module} stands on no floor"
            continue
        for target in sorted(targets(tree, root)):
            there = floor(target)
            if here != FACE and target != FACE and (there is None or FLOORS.index(there) > FLOORS.index(here)):
                yield f"{module} imports {target}"


def floor(module: str) -> str | None:
    folder = module.split(".")[0]
    return folder if folder == FACE or folder in FLOORS else None


def is_in(module: str, rooms: tuple[str, ...]) -> bool:
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
        if any(is_inside(folder, os.path.join(root, copied)) for copied in COPIED):
            continue
        for file in sorted(files):
            if file.endswith(".py"):
                path = os.path.join(folder, file)
                dotted = os.path.relpath(path, root).removesuffix(".py").replace(os.sep, ".")
                with open(path, "rb") as source:
                    yield dotted.removesuffix(".__init__"), ast.parse(source.read(), path)


def wrong_names(root: str, agents: Sequence[str]) -> Iterator[str]:
    """Yield `module says 'agent' in line N` for each text that is an agent's name, in another's room."""
    for module, tree in modules(root):
        room = module.split(".")[1] if module.startswith("agents.") else ""
        docstrings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)]
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or node in docstrings:
                continue
            if node.value in agents and module != "agents" and node.value != room:
                yield f"{module} says {node.value!r} in line {node.lineno}"


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
