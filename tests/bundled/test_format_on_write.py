"""format-on-write: the project's own formatter, when it is configured and installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from subprocess import CompletedProcess

    from conftest import Project

# Stand-ins for formatters: they write down their words, and upper the file that is named last.
IN_PLACE = """#!/bin/sh
echo "$(basename "$0") $*" >> "$HOME/log"
for file; do :; done
tr a-z A-Z < "$file" > "$HOME/out" && cat "$HOME/out" > "$file"
"""
FILTER = """#!/bin/sh
echo "$(basename "$0") $*" >> "$HOME/log"
tr a-z A-Z
"""
BROKEN = "#!/bin/sh\necho >&2\necho 'line 3: bad syntax' >&2\necho more >&2\nexit 2\n"


def install(project: Project, name: str, text: str = IN_PLACE) -> None:
    """Put a stand-in for a formatter on the PATH, or into the project when *name* has a folder."""
    path = project.path(name) if "/" in name else os.path.join(project.home, "bin", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)


def formatted(project: Project, path: str, **more: Any) -> CompletedProcess[str]:
    payload = project.payload("write", {"path": path, "content": "x"}, "PostToolUse", **more)
    return project.run("format-on-write.py", payload, PATH=f"{project.home}/bin:/usr/bin:/bin")


def log(project: Project) -> str:
    path = os.path.join(project.home, "log")
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


@pytest.mark.parametrize(
    ("name", "configuration", "text", "formatter", "words"),
    [
        ("a.py", "ruff.toml", "", "ruff", "format --no-cache --force-exclude {}"),
        ("sub/a.py", ".ruff.toml", "", "ruff", "format --no-cache --force-exclude {}"),
        ("a.pyi", "pyproject.toml", "[tool.ruff]\n", "ruff", "format --no-cache --force-exclude {}"),
        ("a.py", "pyproject.toml", "[tool.black]\n[tool.ruff.lint]\n", "black", "--quiet {}"),
        (
            "a.py",
            "pyproject.toml",
            "[tool.black]\n[tool.ruff.format]\n",
            "ruff",
            "format --no-cache --force-exclude {}",
        ),
        ("a.go", "go.mod", "", "gofmt", "-w {}"),
        ("a.sh", ".editorconfig", "", "shfmt", "-w {}"),
    ],
)
def test_the_configured_formatter_runs(
    project: Project, name: str, configuration: str, text: str, formatter: str, words: str
) -> None:
    for one in ("ruff", "black", "gofmt", "shfmt"):
        install(project, one)
    project.write(configuration, text)
    path = project.write(name, "x = 1\n")
    result = formatted(project, path)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == f"formatted {name} with {formatter}\n"
    assert log(project) == f"{formatter} {words.format(path)}\n"
    assert project.read(name) == "X = 1\n"


@pytest.mark.parametrize(
    ("configuration", "text"),
    [(".prettierrc", "{}"), ("prettier.config.mjs", ""), ("package.json", '{"prettier": {}}')],
)
@pytest.mark.parametrize("name", ["a.js", "sub/a.ts", "a.css", "a.md", "a.json"])
def test_prettier_comes_from_the_project(project: Project, configuration: str, text: str, name: str) -> None:
    install(project, "node_modules/.bin/prettier")
    project.write(configuration, text)
    path = project.write(name, "x\n")
    assert formatted(project, path).stdout == f"formatted {name} with prettier\n"
    assert log(project) == f"prettier --write {path}\n"


def test_rust_is_formatted_file_by_file_with_the_edition_of_its_package(project: Project) -> None:
    install(project, "rustfmt", FILTER)
    project.write("Cargo.toml", '[package]\nedition = "2021"\n')
    path = project.write("src/main.rs", "mod other;\n")
    assert formatted(project, path).stdout == "formatted src/main.rs with rustfmt\n"
    assert log(project) == "rustfmt --edition 2021\n"
    assert project.read("src/main.rs") == "MOD OTHER;\n"


@pytest.mark.parametrize(
    ("name", "configuration", "text"),
    [
        ("a.py", "pyproject.toml", "[project]\n"),
        ("a.py", "setup.cfg", ""),
        ("a.js", "package.json", '{"devDependencies": {"prettier": "3"}}'),
        ("a.js", "package.json", "{"),
        ("a.rs", "go.mod", ""),
        ("a.sh", "go.mod", ""),
        ("a.txt", "ruff.toml", ""),
    ],
)
def test_without_configuration_nothing_happens(project: Project, name: str, configuration: str, text: str) -> None:
    for one in ("ruff", "black", "rustfmt", "shfmt", "node_modules/.bin/prettier"):
        install(project, one)
    project.write(configuration, text)
    result = formatted(project, project.write(name, "x\n"))
    assert (result.returncode, result.stdout, result.stderr, log(project)) == (0, "", "", "")
    assert project.read(name) == "x\n"


def test_without_the_formatter_nothing_happens(project: Project) -> None:
    project.write(".prettierrc", "{}")
    path = project.write("a.js", "x\n")
    result = formatted(project, path)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    install(project, "node_modules/.bin/prettier")
    assert formatted(project, path).stdout == "formatted a.js with prettier\n"


def test_a_file_that_is_well_formatted_is_not_mentioned(project: Project) -> None:
    install(project, "ruff")
    project.write("ruff.toml", "")
    assert formatted(project, project.write("a.py", "X\n")).stdout == ""
    assert log(project).startswith("ruff format")


@pytest.mark.parametrize(("name", "formatter"), [("a.py", "ruff"), ("a.rs", "rustfmt")])
def test_a_formatter_that_fails_is_told_with_its_first_line(project: Project, name: str, formatter: str) -> None:
    install(project, formatter, BROKEN)
    project.write("ruff.toml", "")
    project.write("Cargo.toml", "")
    result = formatted(project, project.write(name, "x\n"))
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == f"{formatter}: line 3: bad syntax\n"
    assert project.read(name) == "x\n"


@pytest.mark.parametrize("name", ["node_modules/a.py", ".venv/a.py", ".git/a.py"])
def test_files_that_are_not_the_project_s_own_stay(project: Project, name: str) -> None:
    install(project, "ruff")
    project.write("ruff.toml", "")
    formatted(project, project.write(name, "x\n"))
    assert project.read(name) == "x\n"
    formatted(project, project.write("own.py", "x\n"))
    assert project.read("own.py") == "X\n"


def test_nothing_outside_of_the_project_is_formatted(project: Project) -> None:
    install(project, "ruff")
    project.write("ruff.toml", "")
    outside = os.path.join(project.home, "a.py")
    with open(outside, "w", encoding="utf-8") as file:
        file.write("x\n")
    os.symlink(outside, project.path("link.py"))
    for path in (outside, "link.py", "../home/a.py"):
        assert formatted(project, path).stdout == ""
    assert log(project) == ""
    assert formatted(project, project.write("a.py", "x\n")).stdout == "formatted a.py with ruff\n"


def test_every_file_of_a_patch_is_formatted_once(project: Project) -> None:
    install(project, "ruff")
    project.write("ruff.toml", "")
    paths = [project.write(name, "x\n") for name in ("a.py", "b.py")]
    patch = "*** Begin Patch\n*** Update File: a.py\n*** Add File: b.py\n*** Delete File: c.py\n*** End Patch"
    payload = project.payload("edit", {"input": patch}, "PostToolUse", paths=paths)
    result = project.run("format-on-write.py", payload, PATH=f"{project.home}/bin:/usr/bin:/bin")
    assert result.stdout == "formatted a.py with ruff\nformatted b.py with ruff\n"
    assert log(project).count("\n") == 2


def has_rustfmt() -> bool:
    """A rustfmt on the PATH may be rustup's, which needs a toolchain in the home folder."""
    found = shutil.which("rustfmt")
    return found is not None and subprocess.run([found, "--version"], capture_output=True).returncode == 0


@pytest.mark.skipif(not has_rustfmt(), reason="rustfmt is not installed, or has no toolchain")
def test_the_real_rustfmt_formats(project: Project) -> None:
    project.write("Cargo.toml", '[package]\nedition = "2021"\n')
    project.write("other.rs", "fn  g( ){}\n")
    path = project.write("main.rs", "mod other;\nasync  fn f( ){}\n")
    payload = project.payload("write", {"path": path, "content": ""}, "PostToolUse")
    result = project.run("format-on-write.py", payload, HOME=os.path.expanduser("~"))
    assert result.stdout == "formatted main.rs with rustfmt\n"
    assert project.read("main.rs") == "mod other;\nasync fn f() {}\n"
    assert project.read("other.rs") == "fn  g( ){}\n"
