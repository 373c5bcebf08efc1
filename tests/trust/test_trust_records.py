"""Where trust is kept: what cannot be read denies, what is written is private and whole."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess

import pytest
from command import DEADLINE, HOOKRUN
from firing import BASH_GUARD, DENIED_BY_GUARD, DENY, before_shell, ruling
from trusted import ALLOWED_BY_SILENCE, DENIED_BY_TRUST, records, trust, units

pytestmark = pytest.mark.usefixtures("untrusting")

NOBODY = 65534
ALLOWED = (0, "allow", "guard")
ALLOW = '#!/bin/sh\necho \'{"decision": "allow"}\'\n'
POST = ("emit", "post", "--tool", "Shell", "--input", "{}", "--format", "json")
PROMPT = ("emit", "prompt", "--prompt", "x", "--format", "json")


@pytest.fixture
def record(project, cli):
    """The record of a project whose guard is trusted."""
    project.script(BASH_GUARD, ALLOW)
    trust(cli)
    assert ruling(before_shell(cli)) == ALLOWED
    return records(project)[-1] if "units" in records(project)[-1].read_text() else records(project)[0]


def replace(record, make) -> None:
    record.unlink()
    make()


def replace_by_link(record) -> None:
    record.rename(record.with_suffix(".x"))
    record.symlink_to(record.with_suffix(".x"))


def reshaped(**changes):
    def change(record) -> None:
        record.write_text(json.dumps(json.loads(record.read_text()) | changes))

    return change


def with_text(**changes):
    def change(record) -> None:
        document = json.loads(record.read_text())
        document["units"][BASH_GUARD]["texts"][0].update(changes)
        record.write_text(json.dumps(document))

    return change


BREAKING = {
    "empty": lambda record: record.write_text(""),
    "cut": lambda record: record.write_text(record.read_text()[:80]),
    "no text": lambda record: record.write_bytes(b"\0\xff" * 99),
    "too deep": lambda record: record.write_text("[" * 100_000),
    "a list": lambda record: record.write_text("[]"),
    "null": lambda record: record.write_text("null"),
    "another version": reshaped(version=2),
    "units a list": reshaped(units=[]),
    "a unit a text": reshaped(units={BASH_GUARD: "x"}),
    "a unit without texts": reshaped(units={BASH_GUARD: {"level": ".", "source": "claude"}}),
    "a level a number": reshaped(units={BASH_GUARD: {"level": 1, "source": "claude", "texts": []}}),
    "a name with NUL": reshaped(units={"a\0b": {"level": ".", "source": "claude", "texts": []}}),
    "files a list": with_text(files=[]),
    "hooks a number": with_text(hooks=1),
    "triggers a text": with_text(hooks=[{"triggers": "x"}]),
    "a trigger a number": with_text(hooks=[{"triggers": [1]}]),
    "a time a text": with_text(at="now"),
    "others may write": lambda record: record.chmod(0o666),
    "its group may write": lambda record: record.chmod(0o660),
    "a folder": lambda record: replace(record, record.mkdir),
    "a full folder": lambda record: replace(record, lambda: (record / "x").mkdir(parents=True)),
    "a link": replace_by_link,
    "a link to nothing": lambda record: replace(record, lambda: record.symlink_to("nothing")),
    "a pipe": lambda record: replace(record, lambda: os.mkfifo(record, 0o600)),
    "of somebody else": lambda record: os.chown(record, NOBODY, -1),
}


@pytest.mark.parametrize("way", BREAKING)
def test_records_that_cannot_be_read_deny_until_trust_begins_anew(way, cli, project, record):
    if way == "of somebody else" and os.geteuid() != 0:
        pytest.skip("only root can give files away")
    BREAKING[way](record)
    for done in (before_shell(cli), cli(*PROMPT)):
        assert ruling(done) == DENIED_BY_TRUST
        assert "what is trusted cannot be read" in done.document["message"]
        assert str(record) in done.document["message"]
    assert ruling(cli(*POST)) == ALLOWED_BY_SILENCE
    assert cli("list").code in (0, 1)
    assert cli("trust", "--list").code == 70
    done = trust(cli)
    assert "start empty" in done.stderr
    assert f"{record}.broken-" in done.stderr
    assert ruling(before_shell(cli)) == ALLOWED
    assert ruling(cli(*PROMPT)) == ALLOWED_BY_SILENCE


@pytest.mark.parametrize("way", ["cut", "units a list", "a folder"])
def test_records_that_cannot_be_read_deny_where_the_guard_is_gone_as_well(way, cli, project, record):
    BREAKING[way](record)
    (project.path / BASH_GUARD).unlink()
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    done = cli("untrust", "--yes")
    assert done.code == 0
    assert "start empty" in done.stderr
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


def test_records_that_cannot_be_read_deny_with_a_reason_that_people_see(cli, record):
    record.write_text("{")
    done = cli("emit", "pre", "--tool", "Shell", "--input", "{}")
    assert done.code == 2
    assert done.stdout.startswith("deny (by trust)")
    assert "hookrun trust" in done.stderr


def test_a_broken_record_leaves_other_projects_alone(cli, project, record, tmp_path):
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    record.write_text("{")
    assert ruling(before_shell(cli, cwd=other)) == ALLOWED_BY_SILENCE


@pytest.mark.parametrize("mode", [0o600, 0])
def test_a_record_that_may_not_be_read_denies(mode, project, record, untrusting):
    """Root may read everything, unless it has given that right away."""
    record.chmod(mode)
    words = [HOOKRUN, "emit", "pre", "--tool", "Shell", "--input", "{}", "--format", "json"]
    if os.geteuid() == 0:
        words = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", *words]
        if not shutil.which("setpriv"):
            pytest.skip("root needs setpriv to have less rights")
    done = subprocess.run(
        words, cwd=project.path, env=untrusting, capture_output=True, text=True, timeout=DEADLINE, check=False
    )
    document = json.loads(done.stdout)
    assert document["decided_by"] == ("guard" if mode else "trust")
    assert ("Permission denied" in document["message"]) is (mode == 0)


def test_records_are_private(cli, project, record):
    folder = record.parent
    kept = [folder, folder.parent, *folder.rglob("*")]
    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in kept}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}
    assert not list(folder.rglob("*.tmp"))


def test_a_folder_that_was_open_to_others_is_closed(cli, project, record):
    for folder in (record.parent, record.parent.parent):
        folder.chmod(0o777)
    project.script(".claude/hooks/pre/write.sh", DENY)
    trust(cli)
    for folder in (record.parent, record.parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_record_names_what_was_trusted(project, record):
    (unit,) = units(project).values()
    (text,) = unit["texts"]
    assert list(text["files"]) == [BASH_GUARD]
    assert text["hooks"][0]["role"] == "guard"
    assert text["hooks"][0]["triggers"] == [["PreToolUse", "bash"]]
    assert str(project.path) in json.loads(record.read_text())["folders"]


@pytest.mark.parametrize("variable", ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "HOME"])
def test_a_folder_of_the_user_in_the_project_is_refused(variable, cli, project, record):
    inside = project.path / "inside"
    inside.mkdir()
    env = {variable: str(inside)}
    if variable == "HOME":
        env |= {"XDG_STATE_HOME": "", "XDG_CONFIG_HOME": ""}
    done = before_shell(cli, env=env)
    assert (done.code, done.stdout) == (2, "")
    assert "lies in the project" in done.stderr
    assert cli("trust", "--yes", env=env).code == 78


def test_a_store_that_a_link_leads_into_the_project_is_refused(cli, project, record, tmp_path):
    inside = project.path / "inside"
    inside.mkdir()
    (tmp_path / "link").symlink_to(inside)
    assert before_shell(cli, env={"XDG_STATE_HOME": str(tmp_path / "link")}).code == 2


def test_a_state_folder_that_cannot_be_written_keeps_no_trust_and_says_so(cli, project, tmp_path):
    project.script(BASH_GUARD, DENY)
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    done = cli("trust", "--yes", env={"XDG_STATE_HOME": str(blocked)})
    assert done.code == 70
    assert "trust cannot be recorded" in done.stderr
    assert "Traceback" not in done.stderr


def test_many_that_trust_at_once_lose_nothing(cli, project, untrusting):
    scripts = [f".claude/hooks/pre/tool{number}.sh" for number in range(20)]
    for script in scripts:
        project.script(script, DENY)
    running = [
        subprocess.Popen(
            [HOOKRUN, "trust", "--yes", script],
            cwd=project.path,
            env=untrusting,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for script in scripts
    ]
    for process in running:
        _, stderr = process.communicate(timeout=DEADLINE * 2)
        assert (process.returncode, stderr) == (0, b"")
    assert sorted(units(project)) == sorted(scripts)
    assert not list(records(project)[0].parent.rglob("*.tmp"))


def test_trust_and_untrust_at_once_each_do_their_part(cli, project, untrusting):
    scripts = [f".claude/hooks/pre/tool{number}.sh" for number in range(12)]
    for script in scripts:
        project.script(script, DENY)
    trust(cli, *scripts[:6])
    words = [("untrust", script) for script in scripts[:6]]
    words += [("trust", "--yes", script) for script in scripts[6:]]
    running = [
        subprocess.Popen([HOOKRUN, *each], cwd=project.path, env=untrusting, stdout=subprocess.DEVNULL)
        for each in words
    ]
    assert [process.wait(DEADLINE * 2) for process in running] == [0] * 12
    assert sorted(units(project)) == sorted(scripts[6:])


def test_an_old_text_is_forgotten_when_there_are_too_many(cli, project, record, untrusting):
    from hookrun.trust.memory import MOST_TEXTS

    guard = project.path / BASH_GUARD
    document = json.loads(record.read_text())
    (text,) = document["units"][BASH_GUARD]["texts"]
    others = [text | {"files": {BASH_GUARD: f"{number:064x}"}} for number in range(MOST_TEXTS - 1)]
    document["units"][BASH_GUARD]["texts"] = [text, *others]
    record.write_text(json.dumps(document))
    assert ruling(before_shell(cli)) == ALLOWED
    guard.write_text(DENY)
    trust(cli)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    guard.write_text(ALLOW)
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
