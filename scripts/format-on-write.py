#!/usr/bin/env python3
"""Format the files that were just written with the formatter that the project has configured."""

from __future__ import annotations

import sys

sys.dont_write_bytecode = True

import os  # noqa: E402
import re  # noqa: E402

from tool_call import read_call, writes  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tool_call import Call

PRETTIER_ENDINGS = frozenset(
    ".js .jsx .mjs .cjs .ts .tsx .mts .cts .css .scss .less .html .vue .json .jsonc .json5 .md .mdx .yaml "
    ".yml .graphql".split()
)
FOREIGN = frozenset("node_modules .git .venv".split())


class Formatter:
    """A program that formats one file: ``words`` is its command, or reads text and prints it formatted."""

    def __init__(self, name: str, words: list[str], folder: str, is_filter: bool = False) -> None:
        self.name = name
        self.words = words
        self.folder = folder
        self.is_filter = is_filter


def main() -> int:
    call = read_call()
    exit_code = 0
    for path in _files(call):
        formatter = chosen(path, os.path.realpath(call.project))
        if formatter is None:
            continue
        has_changed, complaint = _run(formatter, path)
        if complaint:
            print(f"{formatter.name}: {complaint}", file=sys.stderr)
            exit_code = 1
        elif has_changed:
            print(f"formatted {call.relative(path)} with {formatter.name}")
    return exit_code


def chosen(path: str, top: str) -> Formatter | None:
    """Return the formatter that the project below *top* has configured for *path* and that is installed."""
    folders = [os.path.dirname(path)]
    while folders[-1] != top and folders[-1] != "/":
        folders.append(os.path.dirname(folders[-1]))
    ending = os.path.splitext(path)[1].lower()
    if ending in (".py", ".pyi"):
        return _python(path, folders)
    if ending in PRETTIER_ENDINGS:
        return _prettier(path, folders)
    if ending == ".go":
        return _installed("gofmt", ["-w", path], folders[0])
    if ending == ".rs":
        return _rust(folders)
    if ending in (".sh", ".bash") and any(_has(folder, ".editorconfig") for folder in folders):
        return _installed("shfmt", ["-w", path], folders[0])
    return None


def _files(call: Call) -> list[str]:
    """Return the files that *call* wrote, resolved, as far as they are the project's own."""
    top = os.path.realpath(call.project).rstrip("/") + "/"
    named = [call.absolute(write.path) for write in writes(call) if write.action != "delete"] + call.paths
    paths = dict.fromkeys(os.path.realpath(path) for path in named)
    own = [path for path in paths if path.startswith(top) and os.path.isfile(path)]
    return [path for path in own if not FOREIGN.intersection(path[len(top) :].split("/"))]


def _python(path: str, folders: list[str]) -> Formatter | None:
    for folder in folders:
        tables = re.findall(r"(?m)^\s*\[tool\.(ruff\.format|black|ruff)\b", _text(folder, "pyproject.toml"))
        if _has(folder, "ruff.toml") or _has(folder, ".ruff.toml") or "ruff.format" in tables:
            tables = ["ruff"]
        if "black" in tables:
            return _installed("black", ["--quiet", path], folder)
        if tables:
            return _installed("ruff", ["format", "--no-cache", "--force-exclude", path], folder)
    return None


def _prettier(path: str, folders: list[str]) -> Formatter | None:
    for folder in folders:
        is_configured = any(name.startswith((".prettierrc", "prettier.config.")) for name in os.listdir(folder))
        if is_configured or _packs_prettier(_text(folder, "package.json")):
            programs = [os.path.join(one, "node_modules/.bin/prettier") for one in folders]
            program = next((one for one in programs if os.access(one, os.X_OK)), None)
            return Formatter("prettier", [program, "--write", path], folder) if program else None
    return None


def _packs_prettier(text: str) -> bool:
    """Whether a package.json holds prettier's settings."""
    import json

    try:
        values = json.loads(text or "{}")
    except ValueError:
        return False
    return isinstance(values, dict) and "prettier" in values


def _rust(folders: list[str]) -> Formatter | None:
    """Return rustfmt as a filter: given a file's name it would format that file's modules as well."""
    manifests = [_text(folder, "Cargo.toml") for folder in folders if _has(folder, "Cargo.toml")]
    editions = re.findall(r"(?m)^\s*edition\s*=\s*[\"'](\d+)[\"']", "\n".join(manifests))
    words = ["--edition", editions[0]] if editions else []
    return _installed("rustfmt", words, folders[0], is_filter=True) if manifests else None


def _installed(name: str, words: list[str], folder: str, is_filter: bool = False) -> Formatter | None:
    for place in os.environ.get("PATH", "").split(":"):
        program = os.path.join(place, name)
        if place and os.access(program, os.X_OK) and os.path.isfile(program):
            return Formatter(name, [program, *words], folder, is_filter)
    return None


def _run(formatter: Formatter, path: str) -> tuple[bool, str]:
    """Run *formatter* and return whether the file has changed, and the first line of what went wrong."""
    import subprocess

    before = _bytes(path)
    text = before if formatter.is_filter else b""
    result = subprocess.run(formatter.words, cwd=formatter.folder, input=text, capture_output=True, check=False)
    if result.returncode:
        lines = (result.stderr or result.stdout).decode("utf-8", "replace").split("\n")
        return False, next((line.strip() for line in lines if line.strip()), f"exit {result.returncode}")
    if formatter.is_filter and result.stdout and result.stdout != before == _bytes(path):
        with open(path, "wb") as file:
            file.write(result.stdout)
    return _bytes(path) != before, ""


def _has(folder: str, name: str) -> bool:
    return os.path.isfile(os.path.join(folder, name))


def _text(folder: str, name: str) -> str:
    return _bytes(os.path.join(folder, name)).decode("utf-8", "replace") if _has(folder, name) else ""


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


if __name__ == "__main__":
    sys.exit(main())
