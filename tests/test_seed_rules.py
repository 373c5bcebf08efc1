"""docs/seed-rules.md names a test for each rule of the systems that hookrun follows; these tests exist."""

from __future__ import annotations

import ast
import re
from functools import cache

from command import CHECKOUT
from sweeps import sweep

DOCUMENT = (CHECKOUT / "docs/seed-rules.md").read_text()
ROWS = re.findall(r"^\| (?!rule |---)(.+?) \| (.*) \|$", DOCUMENT, re.MULTILINE)
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


@cache
def names_in(file: str) -> frozenset[str]:
    """The names of all test functions in a file."""
    tree = ast.parse((CHECKOUT / file).read_text())
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in tree.body if isinstance(node, functions))


@sweep(("rule", "cell"), ROWS, ids=[rule[:60] for rule, _ in ROWS])
def test_every_rule_is_held_by_tests_that_exist(rule: str, cell: str):
    found = NAMED.findall(cell)
    assert found, f"no test is named for: {rule}"
    assert " ".join(f"`{file}::{name}`" for file, name in found) == cell
    missing = [f"{file}::{name}" for file, name in found if name not in names_in(file)]
    assert missing == []


def test_both_systems_have_their_rules():
    sections = re.split(r"^## ", DOCUMENT, flags=re.MULTILINE)[1:]
    assert [section.splitlines()[0] for section in sections] == ["The module system", "The plugin system"]
    assert all(section.count("\n| ") > 30 for section in sections)
    assert sum(section.count("\n| ") - 1 for section in sections) == len(ROWS)


def test_a_test_that_does_not_exist_would_be_noticed():
    assert "test_both_systems_have_their_rules" in names_in("tests/test_seed_rules.py")
    assert "test_that_nobody_wrote" not in names_in("tests/test_seed_rules.py")
