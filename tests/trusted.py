"""Projects of somebody who has trusted nothing yet, real repositories, and a person who answers `trust`."""

from __future__ import annotations

import json
import os
import py_compile
import select
import subprocess
import time
from typing import TYPE_CHECKING, Any

from command import DEADLINE, HOOKRUN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from command import Ended, Project

TRUST_ALL = {"HOOKRUN_TRUST": "project"}
ALLOWED_BY_SILENCE = (0, None, None)
DENIED_BY_TRUST = (2, "deny", "trust")
ASKED_BY_TRUST = (3, "ask", "trust")


def trust(cli: Callable[..., Ended], *words: str, **options: Any) -> Ended:
    """Trust what there is, or what *words* name, as a person does who has looked at it."""
    done = cli("trust", "--yes", *words, **options)
    assert done.code == 0, (done.stdout, done.stderr)
    return done


def git(folder: Path | str, *words: str, **options: Any) -> str:
    """Run git with a name and nobody's settings, and return what it prints."""
    settings = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", *settings, *words],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"},
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        **options,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def repository(project: Project) -> Path:
    """Make the project a real repository, with all of it in one commit, and return its folder."""
    if (project.path / ".git").is_dir():
        (project.path / ".git").rmdir()
    git(project.path, "init", "-q")
    commit(project.path)
    return project.path


def commit(folder: Path) -> None:
    """Put everything as it is into a commit."""
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "as it is")


def records(project: Project) -> list[Path]:
    """The files that say what is trusted."""
    return sorted((project.home / ".local/state/hookrun/trust").glob("*.json"))


def units(project: Project) -> dict[str, Any]:
    """What the one project's record holds, by unit."""
    documents = [json.loads(path.read_text()) for path in records(project)]
    (found,) = [document["units"] for document in documents if "units" in document]
    assert isinstance(found, dict)
    return found


def plant(source: Path, text: str) -> None:
    """Leave *text*, which must be as long as that of *source*, compiled beside it, as if it were its own."""
    honest, found = source.read_text(), source.stat()
    assert len(text) == len(honest)
    for each in (text, honest):
        source.write_text(each)
        os.utime(source, ns=(found.st_atime_ns, found.st_mtime_ns))
        if each == text:
            py_compile.compile(str(source), doraise=True)


class Typing:
    """hookrun at a terminal of its own, and the person who types there; ``shown`` is all that was printed."""

    def __init__(self, project: Project, environment: Mapping[str, str], *words: str) -> None:
        self.shown = ""
        self._master, terminal = os.openpty()
        self._process = subprocess.Popen(
            [HOOKRUN, *words],
            cwd=project.path,
            env=environment,
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            start_new_session=True,
        )
        os.close(terminal)

    def __enter__(self) -> Typing:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._master)

    def wait_for(self, text: str) -> None:
        """Read until *text* is shown."""
        end = time.monotonic() + DEADLINE
        while text not in self.shown:
            assert time.monotonic() < end, f"{text!r} is not in {self.shown!r}"
            assert self._read(), f"{text!r} is not in {self.shown!r}"

    def press(self, keys: str) -> None:
        """Press *keys*; it goes on. What was shown so far is forgotten, so that it can be waited for anew."""
        self.shown = ""
        os.write(self._master, keys.encode())

    def type(self, keys: str) -> int:
        """Press *keys*, and return the exit code when it has ended."""
        os.write(self._master, keys.encode())
        while self._read():
            pass
        return self._process.wait(DEADLINE)

    def _read(self) -> bool:
        if not select.select([self._master], [], [], DEADLINE)[0]:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # it has ended
            return False
        self.shown += data.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(data)
