"""`hookrun watch`: what files that change mean for the hooks, told by a real process."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from trusted import git
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GUARD = "#!/bin/sh\nexit 0\n"


class Watching:
    """A `hookrun watch` that runs; ``text`` is what it has printed so far."""

    def __init__(self, project, environment: dict[str, str], words: tuple[str, ...]) -> None:
        self.text = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hookrun", "watch", *words],
            cwd=project.path,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def says(self, *parts: str) -> bool:
        """Wait until one line with all *parts* was printed."""
        return eventually(
            lambda: any(all(part in line for part in parts) for line in self.text.splitlines()),
            lambda: f"{parts} in {self.text!r}",
        )

    def interrupt(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=30)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        self.process.stdout.close()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.text += line


@pytest.fixture
def watching(project, user_environment) -> Iterator[Callable[..., Watching]]:
    """Start `hookrun watch` with words and wait for its first line."""
    started: list[Watching] = []

    def start(*words: str) -> Watching:
        started.append(Watching(project, user_environment, words))
        started[-1].says("watching")
        return started[-1]

    yield start
    for each in started:
        each.end()


def test_ctrl_c_ends_it_with_exit_0(watching, project):
    project.script(".hookrun/hooks/pre/bash.sh", GUARD)
    watch = watching()
    assert "watching 1 hook in " in watch.text
    assert "Ctrl-C ends" in watch.text
    assert watch.interrupt() == 0


def test_hooks_that_come_and_go_are_told(watching, project):
    watch = watching()
    script = project.script(".hookrun/hooks/pre/bash.sh", GUARD)
    watch.says("added", "bash.sh", "in force")
    script.unlink()
    watch.says("lost", "bash.sh")


def test_a_place_that_is_made_later_is_seen(watching, project):
    watch = watching()
    project.script(".xcsh/hooks/post/edit.sh", GUARD)
    watch.says("added", ".xcsh/hooks/post/edit.sh")
    project.script(".config/hookrun/hooks/pre/bash.sh", GUARD, user=True)
    watch.says("added", "hooks/pre/bash.sh")
    shutil.rmtree(project.path / ".xcsh")
    watch.says("lost", ".xcsh/hooks/post/edit.sh")


def test_a_hook_that_breaks_and_is_mended_is_told(watching, project):
    script = project.script(".hookrun/hooks/pre/bash.sh", GUARD)
    watch = watching()
    script.write_text(GUARD.replace("\n", "\r\n"))
    watch.says("broke", "bash.sh", "CRLF")
    script.write_text(GUARD)
    watch.says("mended", "bash.sh")
    script.write_text(GUARD + "# more\n")
    watch.says("changed", "bash.sh")


def test_a_change_after_which_everything_is_denied_says_so(watching, project, untrusting, cli):
    script = project.script(".hookrun/hooks/pre/bash.sh", GUARD)
    assert cli("trust", "--yes").code == 0
    watch = watching()
    script.write_text(GUARD + "# more\n")
    watch.says("broke", "bash.sh: denies: changed since it was trusted", "every bash call is denied")
    assert cli("trust", "--yes").code == 0
    script.write_text(GUARD)
    watch.says("mended", "bash.sh")


def test_settings_of_agents_and_trust_are_watched_too(watching, project, untrusting, cli):
    settings = {"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}
    watch = watching()
    project.script(".gemini/settings.json", json.dumps(settings), user=True)
    watch.says("added", "exit 2: in force")
    project.script(".gemini/settings.json", json.dumps(settings).replace("exit 2", "exit 3"))
    watch.says("added", "exit 3: untrusted")
    assert cli("trust", "--yes").code == 0
    watch.says("changed", "exit 3: now in force")
    assert cli("untrust", "--yes").code == 0
    watch.says("changed", "exit 3: now untrusted")


def test_a_guard_that_a_branch_does_not_have_is_the_same_guard(watching, project, untrusting, cli):
    script = project.script(".hookrun/hooks/pre/bash.sh", GUARD)
    git(project.path, "init", "-q")
    git(project.path, "commit", "-q", "--allow-empty", "-m", "before")
    git(project.path, "checkout", "-q", "-b", "guarded")
    git(project.path, "add", ".")
    git(project.path, "commit", "-q", "-m", "guard")
    watch = watching()
    assert "watching 0 hooks and 1 not trusted in " in watch.text
    assert cli("trust", "--yes").code == 0
    watch.says("changed", "bash.sh: now in force")
    git(project.path, "checkout", "-q", "-")
    watch.says("changed", "bash.sh: now untrusted: this branch does not have it", "every bash call is asked")
    git(project.path, "checkout", "-q", "-")
    assert script.exists()
    eventually(lambda: watch.text.count("bash.sh: now in force") == 2, lambda: watch.text)
    assert not {line.split()[0] for line in watch.text.splitlines()[1:]} - {"changed"}


def test_a_file_that_nothing_reads_is_told_as_it_comes(watching, project):
    project.script(".claude/hooks/pre/bash.sh", GUARD)
    watch = watching()
    project.script(".claude/hooks/guard.sh", GUARD)
    watch.says("broke", ".claude/hooks/guard.sh", "looks like a hook")


def test_a_manifest_that_breaks_is_told_once_and_its_mending_too(watching, project):
    manifest = project.manifest("demo", hooks=[{"event": "PreToolUse"}])
    text = manifest.read_text()
    watch = watching()
    manifest.write_text(text[:40])
    watch.says("broke", "plugin.json", "cannot be read")
    manifest.write_text(text)
    watch.says("added", "demo")
    assert watch.text.count("broke") == 1
    assert watch.text.count("mended") == 1


def test_a_configuration_that_breaks_does_not_end_it(watching, project):
    project.script(".hookrun/hooks/pre/bash.sh", GUARD)
    watch = watching()
    config = project.path / ".hookrun/config.yaml"
    config.write_text("limits: 3\n")
    watch.says("broke", "the set-up", "limits must be a mapping")
    config.write_text('disable: [".hookrun/hooks/pre/bash.sh"]\n')
    watch.says("mended", "the set-up")
    watch.says("changed", "bash.sh", "now disabled")


def test_files_that_no_hook_stands_on_are_nobodys_business(watching, project):
    watch = watching()
    (project.path / "notes.txt").write_text("x")
    (project.path / "src").mkdir()
    project.script(".hookrun/hooks/pre/bash.sh", GUARD)
    watch.says("added", "bash.sh")
    assert len(watch.text.splitlines()) == 2


def test_a_command_is_run_again_and_its_difference_shown(watching, project):
    script = project.script(".hookrun/hooks/pre/bash.sh", "#!/bin/sh\necho no >&2; exit 2\n")
    watch = watching("--", "emit", "pre", "--tool", "Bash", "--input", '{"command": "ls"}')
    watch.says("  deny: ", "no")
    watch.says("  exit 2")
    script.write_text(GUARD)
    watch.says("  -deny: ", "no")
    watch.says("  -exit 2")
    watch.says("  +exit 0")


def test_what_the_command_itself_writes_does_not_run_it_again(watching, project):
    script = project.script(
        ".hookrun/hooks/pre/bash.sh", "#!/bin/sh\necho ran >> .hookrun/log; exec cat .hookrun/log\n"
    )
    watch = watching("--", "emit", "pre", "--tool", "Bash")
    watch.says("context: ran")
    script.write_text(script.read_text() + "# more\n")
    watch.says("changed", "bash.sh")
    eventually(lambda: (project.path / ".hookrun/log").read_text() == "ran\nran\n")
    # The next change that counts is seen, and between the two nothing ran.
    script.unlink()
    watch.says("lost", "bash.sh")
    assert (project.path / ".hookrun/log").read_text() == "ran\nran\n"


def test_a_json_py_in_the_project_is_not_imported_by_the_command(watching, project):
    watch = watching("--", "hookrun", "list")
    watch.says("0 of 0 in force")
    (project.path / "json.py").write_text("open('planted', 'w').close()\n")
    project.script(".hookrun/hooks/pre/bash.sh", GUARD)
    watch.says("+1 of 1 in force")
    assert not (project.path / "planted").exists()


def test_json_is_one_document_a_line(watching, project):
    watch = watching("--format", "json")
    project.script(".hookrun/hooks/pre/bash.sh", GUARD)
    watch.says('"added"')
    first, second = (json.loads(line) for line in watch.text.splitlines())
    assert first["watching"] == 0
    assert str(project.path) in first["folders"]
    assert second["changes"] == [{"what": "added", "title": ".hookrun/hooks/pre/bash.sh", "detail": "in force"}]
    assert (second["in_force"], second["total"]) == (1, 1)


@pytest.mark.parametrize("words", [("emitt", "pre"), ("watch",), ("rm", "-rf", "x")])
def test_only_hookrun_commands_that_end_are_run(cli, words: tuple[str, ...]):
    watched = cli("watch", "--", *words)
    assert watched.code == 64
    assert "hint: hookrun watch -- emit" in watched.stderr
