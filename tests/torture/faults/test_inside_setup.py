"""Configuration of every kind of brokenness: a guard could be missing for it, so it denies."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from firing import BASH_GUARD, PASS
from injected import Fault, bound_by_modes, emit_under

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PROJECTS = ".hookrun/config.yaml"
USERS = ".config/hookrun/config.yaml"
PYPROJECT = "pyproject.toml"

_BOMB = "a: &a [x]\n" + "".join(
    f"{new}: &{new} [{f'*{old},' * 9}]\n" for old, new in zip("abcdefghi", "bcdefghij", strict=True)
)
# What is in the file, by what is wrong with it.
YAML = {
    "a bracket that is left open": b"disable: [x\n",
    "a NUL": b"disable: []\n\0",
    "UTF-16": "disable: []\n".encode("utf-16"),
    "no UTF-8": b"disable: [\xff]\n",
    "a number for a mapping": b"limits: 3\n",
    "a list for a number": b"limits: {process_hooks: [1]}\n",
    "a limit that is no number": b"limits: {event_seconds: .nan}\n",
    "a limit without end": b"limits: {event_seconds: .inf}\n",
    "a number in a list of texts": b"disable: [1]\n",
    "a mapping for a list": b"hooks: {a: b}\n",
    "nothing for a list": b"manifests:\n",
    "nothing for a mapping": b"limits:\n",
    "a list for a word": b"on_failure: [deny]\n",
    "a date for a word": b"on_failure: 2024-01-01\n",
    "a word for true or false": b"sources: {hookrun: maybe}\n",
    "a tool of no kind": b"tools: {x: [1]}\n",
    "a path with a NUL": b'hooks: ["a\\0b"]\n',
    "a path that no file can have": b'hooks: ["\\ud800"]\n',
    "an alias of itself": b"a: &a [*a]\n",
    "an object of Python": b"a: !!python/object/apply:os.mkdir ['made']\n",
    "two documents": b"a: 1\n---\nb: 2\n",
    "a list for a key": b"? [a]\n: x\n",
    "too many brackets": b"[" * 20_000,
    "too many mappings": b"a: " + b"{a: " * 3000,
    "aliases that multiply": _BOMB.encode() + b"disable: *j\n",
    "too much": b"#" * 1_100_000,
}
TOML = {
    "a table that is left open": b"[tool.hookrun",
    "a NUL": b"[tool.hookrun]\n\0",
    "no UTF-8": b"[tool.hookrun]\nx = '\xff'\n",
    "a number for the table": b"[tool]\nhookrun = 3\n",
    "a list of tables": b"[[tool.hookrun]]\n",
    "a date for a word": b"[tool.hookrun]\non_failure = 2024-01-01\n",
    "a limit without end": b"[tool.hookrun]\nlimits.event_seconds = inf\n",
    "too many brackets": b"[tool.hookrun]\na = " + b"[" * 5000,
    "too much": b"#" * 1_100_000 + b"\n[tool.hookrun]\nmanifests = ['missing']\n",
}


def unreadable(path: Path) -> None:
    path.write_text("[tool.hookrun]\n")
    path.chmod(0)


def loop(path: Path) -> None:
    path.symlink_to(path)


def dangling(path: Path) -> None:
    path.symlink_to("nowhere")


KINDS: dict[str, Callable[[Path], object]] = {
    "a folder": os.mkdir,
    "a pipe": os.mkfifo,
    "a link to itself": loop,
    "a link to nowhere": dangling,
    "not to be read": unreadable,
}
BROKEN = [
    *((file, name, text) for file in (PROJECTS, USERS) for name, text in YAML.items()),
    *((PYPROJECT, name, text) for name, text in TOML.items()),
]
MISPLACED = [
    *((file, name, make) for file in (PROJECTS, USERS) for name, make in KINDS.items()),
    (PYPROJECT, "not to be read", unreadable),
]


def ids_of(cases: list) -> list[str]:
    return [f"{os.path.basename(file)}-{name}" for file, name, _ in cases]


def place(project, file: str) -> Path:
    """Where *file* belongs: into the user's home or the project."""
    path = (project.home if file == USERS else project.path) / file
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


@pytest.mark.parametrize(("file", "name", "text"), BROKEN, ids=ids_of(BROKEN))
def test_configuration_with_anything_wrong_in_it_denies(project, user_environment, file, name, text):
    project.script(BASH_GUARD, PASS)
    path = place(project, file)
    assert emit_under(Fault(), project, user_environment).code == 0
    path.write_bytes(text)
    ended = emit_under(Fault(), project, user_environment)
    assert (ended.code, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"error: {path}")
    assert not (project.path / "made").exists()


@pytest.mark.parametrize(("file", "name", "make"), MISPLACED, ids=ids_of(MISPLACED))
def test_configuration_that_is_no_file_to_be_read_denies(project, user_environment, file, name, make):
    project.script(BASH_GUARD, PASS)
    path = place(project, file)
    assert emit_under(Fault(), project, user_environment).code == 0
    make(path)
    fault = Fault(prefix=bound_by_modes() if make is unreadable else ())
    ended = emit_under(fault, project, user_environment)
    assert (ended.code, ended.stdout, str(path) in ended.stderr) == (2, "", True)


def test_a_key_that_is_there_twice_is_told(project, user_environment):
    project.script(PROJECTS, "on_failure: deny\non_failure: deny\n", mode=0o644)
    ended = emit_under(Fault(), project, user_environment)
    assert "on_failure: appears twice; the last one counts" in ended.stderr
    project.script(PROJECTS, "on_failure: deny\n", mode=0o644)
    assert emit_under(Fault(), project, user_environment).stderr == ""


def test_folders_that_cannot_be_listed_are_the_reason_and_not_their_number(project, user_environment):
    project.script(BASH_GUARD, PASS)
    (project.path / "closed/here").mkdir(parents=True)
    enter = 'cd closed/here && chmod 0 ../../closed && exec "$@"'
    try:
        fault = Fault(prefix=(*bound_by_modes(), "sh", "-c", enter, "sh"))
        ended = emit_under(fault, project, user_environment)
    finally:
        (project.path / "closed").chmod(0o700)
    assert ended.code == 2
    assert ended.stdout.startswith("deny (by failure): ")
    assert "the folder cannot be listed: Permission denied" in ended.stdout
