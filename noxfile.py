"""The project's habits: `nox` lints, checks types, tests on every Python found; `nox -s bench` measures."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import nox
from nox.command import CommandFailed

PYTHONS = ("3.11", "3.12", "3.13")
TORTURE = ("torture", "trust", "store", "running", "bundled/test_properties_shell.py")  # in tests/
FUZZED = ("manifest", "settings", "answer")
CLIENTS = {
    "codex": "@openai/codex@0.171.0",
    "gemini": "@google/gemini-cli@0.61.0",
    "claude": "@anthropic-ai/claude-code@2.1.328",
    "cline": "cline@3.0.65",
    "copilot": "@github/copilot@1.0.102",
    "qwen": "@qwen-code/qwen-code@0.24.4",
    "node": "node@22.23.3",  # Copilot and Qwen want a newer one than many machines have
}

nox.needs_version = ">=2026"  # before, it took any such name on PATH for a Python
nox.options.sessions = ["lint", "types", "tests"]
nox.options.download_python = "never"
# A machine need not have every Python, also not in CI: nox names those it skips.
nox.options.error_on_missing_interpreters = False


@nox.session
def lint(session: nox.Session) -> None:
    """Rules and layout of the code."""
    session.install(*_group("lint"))
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")


@nox.session
def types(session: nox.Session) -> None:
    """Strict types of the package, of this file and of the benchmark."""
    session.install(".", *_group("types"))
    session.run("mypy")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The tests against the built wheel; words after `--` go to pytest."""
    session.install(".[tests]")
    session.run("pytest", "-n", "auto", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """What the README and docs/ show is run and compared."""
    session.install(".[tests]")
    session.run("pytest", "tests/test_docs.py", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Measure against the budgets and other runners of hooks; `-- --write` keeps the result."""
    session.install(".")
    session.run("python", "tests/benchmarks/bench.py", *session.posargs)


@nox.session
def clients(session: nox.Session) -> None:
    """Hooks at work in real agents, offline; words after `--` go to pytest.

    npm puts the clients into .clients (2 GB, once), unless HOOKRUN_CLIENTS names a folder that has them. The
    tests of a client that the folder lacks fail; `-- -k "not qwen"` leaves them out.
    """
    named = os.environ.get("HOOKRUN_CLIENTS", "")
    folder = os.path.abspath(named or ".clients")
    if not named and _missing(folder):
        session.run("npm", "install", "--prefix", folder, *CLIENTS.values(), external=True)
    if missing := _missing(folder):
        session.warn(f"no {' and '.join(missing)} in {folder}: the tests that need them fail")
    session.install(".[tests]")
    # Two at a time: each is a program of half a gigabyte.
    words = ("-n", "2", "--durations=0", "tests/clients", *session.posargs)
    session.run("pytest", *words, env={"HOOKRUN_CLIENTS": folder})


@nox.session
def torture(session: nox.Session) -> None:
    """What breaks runners of hooks: faults, attacks, kills, leaks, properties; `-- 20` for 20 runs."""
    session.install(".[tests]")
    files = [f"tests/{name}" for name in TORTURE]
    times = int(session.posargs[0]) if session.posargs else 1
    failed = 0
    for number in range(1, times + 1):
        began_at = time.monotonic()
        try:
            session.run("pytest", "-n", "2", "--installed", *files)
        except CommandFailed:
            failed += 1
        session.log(f"run {number} of {times}: {time.monotonic() - began_at:.0f} s, {failed} failed so far")
    if failed:
        session.error(f"{failed} of {times} runs failed")


@nox.session
def fuzz(session: nox.Session) -> None:
    """Throw bytes at what reads manifests, settings and answers; `-- 600` is for how many seconds in all.

    What breaks a promise is kept in the folder that is printed at the end, and the session fails.
    """
    seconds = int(session.posargs[0]) if session.posargs else 300
    session.install(".", *_group("fuzz"))
    folder = session.create_tmp()
    for target in FUZZED:
        share = str(max(1, seconds // len(FUZZED)))
        session.run("python", "tests/fuzz/fuzz_readers.py", target, folder, share)
    session.log(f"nothing was found; the inputs that reached new code are in {folder}")


def _missing(folder: str) -> list[str]:
    return [
        name
        for name in CLIENTS
        if not os.path.exists(f"{folder}/node_modules/.bin/{name}")
        and not os.path.exists(f"{folder}/{name}/node_modules/.bin/{name}")
    ]


def _group(name: str) -> tuple[str, ...]:
    return nox.project.dependency_groups(nox.project.load_toml("pyproject.toml"), name)


def _runs(version: str) -> bool:
    # A name on PATH is not enough: version managers put names there that start nothing.
    try:
        done = subprocess.run([f"python{version}", "-c", ""], capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


if f"{sys.version_info.major}.{sys.version_info.minor}" not in PYTHONS and not any(map(_runs, PYTHONS)):
    raise SystemExit(f"found none of Python {', '.join(PYTHONS)}\nhint: install one and put it on PATH")
