"""Clauses of trust that hold a gate shut, each by the one case that needs it."""

from __future__ import annotations

import json
import os
import time

import pytest
from firing import BASH_GUARD, DENY, PASS, before_shell, guard_text, ruling
from trusted import ALLOWED_BY_SILENCE, DENIED_BY_TRUST, git, trust

from hookrun.config.files import replace_file
from hookrun.trust.bytecode import drop_bytecode
from hookrun.trust.reading import stamp_at
from hookrun.trust.stat_cache import Look

pytestmark = pytest.mark.usefixtures("untrusting")


def test_a_trusted_plugin_whose_folder_grows_beyond_measure_denies(cli, project):
    path = project.manifest("demo", script=PASS, hooks=[{"event": "PreToolUse", "matcher": "Shell"}])
    trust(cli)
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    many = path.parent / "many"
    many.mkdir()
    for number in range(5001):
        (many / f"{number}.txt").touch()
    done = before_shell(cli)
    assert ruling(done) == DENIED_BY_TRUST
    assert "holds more than 5,000 files" in done.document["message"]


@pytest.mark.parametrize("file", ["lib.js", "lib.mjs", "lib.cjs", "lib.json", "lib/index.js", "lib"])
def test_what_a_script_requires_without_its_ending_is_part_of_it(file, cli, project):
    used = project.script(f"tools/{file}", "1\n", mode=0o644)
    project.script(BASH_GUARD, guard_text("# require('../../../tools/lib')"))
    trust(cli)
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    used.write_text("2\n")
    done = before_shell(cli)
    assert ruling(done) == DENIED_BY_TRUST
    assert done.document["message"].endswith(f"tools/{file}")


def test_what_is_forgotten_in_a_repository_around_a_project_is_not_trusted_by_its_own_record(cli, project):
    (project.path / ".git").rmdir()
    project.script(BASH_GUARD, DENY)
    trust(cli)
    git(project.path.parent, "init", "-q")
    assert before_shell(cli).code == 2
    assert cli("untrust", "--yes").code == 0
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


def compiled_of(source, cache):
    """A file in the place where Python keeps what it compiled of *source*."""
    path = cache / str(source).lstrip("/")
    path.parent.mkdir(parents=True)
    compiled = path.with_name(f"{source.stem}.cpython-311.pyc")
    compiled.write_bytes(b"compiled")
    return compiled


def test_what_was_compiled_just_after_a_change_is_dropped(tmp_path):
    source = tmp_path / "guard.py"
    source.write_text("x = 1\n")
    compiled = compiled_of(source, tmp_path / "cache")
    other = compiled.with_name("guards.cpython-311.pyc")
    other.write_bytes(b"of another source")
    drop_bytecode(str(tmp_path / "cache"), [(str(source), stamp_at(str(source)))])
    assert not compiled.exists()
    assert other.exists()


def test_what_was_compiled_long_after_a_change_stays(tmp_path):
    source = tmp_path / "guard.py"
    source.write_text("x = 1\n")
    compiled = compiled_of(source, tmp_path / "cache")
    changed = compiled.stat().st_ctime_ns
    for nanoseconds, stays in ((changed - 2_000_000_000, True), (changed - 1_999_999_999, False)):
        stamp = (*stamp_at(str(source))[:4], nanoseconds, 0)
        drop_bytecode(str(tmp_path / "cache"), [(str(source), stamp)])
        assert compiled.exists() is stays


def test_a_look_at_a_file_that_was_just_written_is_not_kept(tmp_path):
    path = tmp_path / "fresh"
    path.write_text("x")
    look = Look()
    look.note(str(path))
    assert not look.can_be_kept
    time.sleep(0.05)  # longer than the clock of the file system ticks
    later = Look()
    later.note(str(path))
    assert later.can_be_kept == (path.stat().st_ctime_ns % 1_000_000_000 != 0)
    path.write_text("y")
    assert not later.holds()


def test_a_record_is_on_the_disk_before_it_is_in_its_place(tmp_path, monkeypatch):
    done = []
    fsync, replace = os.fsync, os.replace

    def synced(descriptor):
        done.append("folder" if os.path.isdir(f"/proc/self/fd/{descriptor}") else "file")
        fsync(descriptor)

    def replaced(source, target):
        done.append("replace")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    replace_file(str(tmp_path / "record.json"), b"{}")
    assert done == ["file", "replace", "folder"]


def test_a_record_that_cannot_be_replaced_leaves_no_draft(tmp_path):
    path = tmp_path / "records/record.json"
    path.mkdir(parents=True)
    with pytest.raises(IsADirectoryError):
        replace_file(str(path), b"{}")
    assert os.listdir(path.parent) == ["record.json"]


STARTS = """
import subprocess

def hook(api):
    def look(event, ctx):
        words = ["sh", "-c", "env >> '{shown}'"]
        {start}
    api.on("tool_call", look)
"""


@pytest.mark.parametrize("start", ["api.exec(words[0], words[1:])", "subprocess.run(words, check=True)"])
@pytest.mark.parametrize("value", ["project", "ref:HEAD"])
def test_what_a_module_starts_is_not_told_to_trust(value, start, cli, project, tmp_path):
    """A repository's settings can set HOOKRUN_TRUST for an agent, and with it for the bridge."""
    shown = tmp_path / "shown"
    project.script(".hookrun/hooks/starts.py", STARTS.format(shown=shown, start=start))
    trust(cli)
    payload = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "x"}}
    done = cli("bridge", "claude", input=json.dumps(payload), env={"HOOKRUN_TRUST": value, "KEPT": "1"})
    assert done.code == 0
    variables = shown.read_text().splitlines()
    assert "KEPT=1" in variables
    assert not [line for line in variables if line.startswith("HOOKRUN_TRUST")]
