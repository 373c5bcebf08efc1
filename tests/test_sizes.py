"""What keeps the package readable: short modules, short and simple functions, one meaning for each name."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
MOST_LINES = 450  # of a module
MOST_LINES_OF_A_FUNCTION = 50
MOST_POSITIONAL = 8  # parameters
MOST_COMPLEXITY = 15  # branches, loops, boolean operators and comprehensions, and one

Function = ast.FunctionDef | ast.AsyncFunctionDef


def modules(*folders: str) -> Iterator[tuple[Path, str]]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "bundled" not in path.parts:  # copies that a wheel takes along
                yield path.relative_to(ROOT), path.read_text()


def functions(*folders: str) -> Iterator[tuple[str, Function]]:
    for path, text in modules(*folders):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, Function):
                yield f"{path}:{node.lineno} {node.name}", node


def complexity(function: Function) -> int:
    """Return the cyclomatic complexity of *function*, its comprehensions included."""
    found = 1
    for node in ast.walk(function):
        if isinstance(
            node, ast.If | ast.For | ast.AsyncFor | ast.While | ast.IfExp | ast.ExceptHandler | ast.match_case
        ):
            found += 1
        elif isinstance(node, ast.BoolOp):
            found += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            found += 1 + len(node.ifs)
    return found


def positional(function: Function) -> int:
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    return len([name for name in names if name not in ("self", "cls")])


def test_no_module_is_long() -> None:
    lengths = {str(path): text.count("\n") for path, text in modules("hookrun")}
    assert {path: lines for path, lines in lengths.items() if lines > MOST_LINES} == {}


def test_no_function_is_long_or_complex_or_takes_many_arguments_by_place() -> None:
    wrong = []
    for name, function in functions("hookrun"):
        lines = (function.end_lineno or function.lineno) - function.lineno + 1
        if lines > MOST_LINES_OF_A_FUNCTION:
            wrong.append(f"{name} has {lines} lines")
        if complexity(function) > MOST_COMPLEXITY:
            wrong.append(f"{name} has a complexity of {complexity(function)}")
        if positional(function) > MOST_POSITIONAL:
            wrong.append(f"{name} takes {positional(function)} arguments by place")
    assert not wrong, "\n".join(wrong)


def test_a_public_class_name_has_one_meaning() -> None:
    places = defaultdict(list)
    for path, text in modules("hookrun"):
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path))
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f():\n    pass\n", 1),
        ("def f(x):\n    return x and x or 1 if x else 2\n", 4),
        ("def f(x):\n    for y in x:\n        if y:\n            return [z for z in y if z]\n", 5),
        ("def f(x):\n    try:\n        x()\n    except ValueError:\n        pass\n", 2),
    ],
)
def test_complexity_is_counted(text: str, expected: int) -> None:
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef)
    assert complexity(function) == expected
