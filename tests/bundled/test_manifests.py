"""The bundled manifests are complete, their programs are there, and these know nothing of hookrun."""

from __future__ import annotations

import ast
import glob
import json
import os
import shlex
from typing import TYPE_CHECKING, Any

import pytest
from sweeps import sweep

if TYPE_CHECKING:
    from conftest import Project

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPTS = os.path.join(ROOT, "scripts")
MANIFESTS = sorted(glob.glob(os.path.join(ROOT, "manifests", "*.json")))
NAMES = [os.path.splitext(os.path.basename(path))[0] for path in MANIFESTS]
PYTHON_SCRIPTS = sorted(glob.glob(os.path.join(SCRIPTS, "*.py")))
MODULES = {"redact"}
GUARDS = {"guard-shell", "protect-branch", "protect-paths", "secret-scan"}


def manifest(name: str) -> dict[str, Any]:
    with open(os.path.join(ROOT, "manifests", f"{name}.json"), encoding="utf-8") as file:
        values: dict[str, Any] = json.load(file)
    return values


def test_every_bundled_hook_is_there() -> None:
    assert {"file-diff", "git-info", "format-on-write", "audit-log", *GUARDS, *MODULES} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_manifest_has_every_required_key(name: str) -> None:
    values = manifest(name)
    required = {"id", "name", "version", "description", "author", "license", "runtime", "entry", "permissions"}
    assert required <= set(values)
    assert values["id"] == name
    assert values["runtime"] == ("python" if name in MODULES else "script")
    assert values["author"] == "hookrun"
    assert values["license"] == "MIT"


@pytest.mark.parametrize("name", NAMES)
def test_the_files_that_an_entry_names_exist(name: str) -> None:
    *program, script = shlex.split(manifest(name)["entry"])
    assert program in ([[]] if name in MODULES else [["python3"], ["sh"]])
    assert os.path.isfile(os.path.join(ROOT, "manifests", script))


@pytest.mark.parametrize("name", NAMES)
def test_a_contribution_has_the_permission_it_needs(name: str) -> None:
    values = manifest(name)
    needed = {"ui": "ui.contribute", "hooks": "hooks.subscribe"}
    assert values["permissions"] == [needed[kind] for kind in values["contributes"]]


@pytest.mark.parametrize("name", NAMES)
def test_only_guards_leave_their_role_to_the_event(name: str) -> None:
    entries = manifest(name)["contributes"].get("hooks", [])
    roles = {entry.get("role", "guard") for entry in entries}
    assert roles <= ({"guard"} if name in GUARDS else {"observer"})


@sweep("path", PYTHON_SCRIPTS, ids=os.path.basename)
def test_a_script_imports_only_the_standard_library_and_its_neighbours(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read(), feature_version=(3, 8))
    plain = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    others = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    neighbours = {"tool_call", "shell_commands", "shell_words", "secret_patterns"}
    quick = {"json", "os", "re", "sys", "time", "stat", "fnmatch", "glob", "math", "subprocess", "difflib"}
    typing = {"__future__", "typing", "collections.abc"}
    assert plain | others <= neighbours | quick | typing


def test_running_a_script_leaves_no_compiled_file_behind(project: Project) -> None:
    assert project.run("guard-shell.py", project.shell("rm -rf /")).returncode == 2
    assert not os.path.exists(os.path.join(SCRIPTS, "__pycache__"))
