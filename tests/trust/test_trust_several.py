"""Several hooks of one definition, each with files of its own outside the definition's folder."""

from __future__ import annotations

import json

import pytest
from firing import DENIED_BY_GUARD, DENY, PASS, before_shell, guard_text, ruling
from trusted import ALLOWED_BY_SILENCE, DENIED_BY_TRUST, commit, git, records, repository, trust

pytestmark = pytest.mark.usefixtures("untrusting")

MANIFEST = ".hookrun/manifests/several.json"


@pytest.fixture
def several(project):
    """A manifest of two guards of Shell, an observer, a widget and a command, which use five files."""
    for name in ("first", "second", "after", "own"):
        project.script(f"tools/{name}.sh", PASS)
    project.script("tools/second.sh", guard_text('. "$(dirname "$0")/shared.sh"'))
    project.script("tools/shared.sh", PASS)
    document = {
        "id": "several",
        "name": "several",
        "version": "1.0.0",
        "runtime": "script",
        "entry": "sh ../../tools/own.sh",
        "permissions": ["*"],
        "contributes": {
            "hooks": [
                {"event": "PreToolUse", "matcher": "Shell", "entry": "sh ../../tools/first.sh"},
                {"event": "PreToolUse", "matcher": "Read", "entry": "sh ../../tools/second.sh"},
                {"event": "PostToolUse", "entry": "sh ../../tools/after.sh"},
            ],
            "ui": [{"id": "w", "slot": "footer", "triggers": ["PostToolUse:Shell"]}],
            "commands": [{"name": "go"}],
        },
    }
    path = project.path / MANIFEST
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(document))
    return path


def states(cli) -> dict[str, str]:
    """How every hook stands, by what tells it apart in the manifest."""
    document = cli("list", "--format", "json").document
    return {hook["title"].rpartition("/")[2]: hook["state"] for hook in document["hooks"]}


def before_reading(cli, **options):
    words = ("emit", "PreToolUse", "--tool", "Read", "--input", '{"path": "x"}', "--format", "json")
    return cli(*words, **options)


def everything_runs(cli, **options) -> None:
    assert ruling(before_shell(cli, **options)) == ALLOWED_BY_SILENCE
    assert ruling(before_reading(cli, **options)) == ALLOWED_BY_SILENCE
    assert cli("run", "go", **options).code == 0
    assert set(states(cli).values()) == {"in force"}


def test_all_of_them_run_once_they_are_trusted(cli, several):
    trust(cli)
    everything_runs(cli)
    done = cli("trust")
    assert (done.code, done.stdout) == (0, "nothing new: 1 of 1 are trusted\n")


def test_they_can_be_forgotten_and_trusted_again(cli, several):
    trust(cli)
    assert cli("untrust", MANIFEST).code == 0
    assert set(states(cli).values()) == {"untrusted"}
    trust(cli)
    everything_runs(cli)


@pytest.mark.parametrize(
    ("file", "changed"),
    [
        ("first.sh", {"hooks[0]"}),
        ("second.sh", {"hooks[1]"}),
        ("shared.sh", {"hooks[1]"}),  # which second.sh sources
        ("after.sh", {"hooks[2]"}),
        ("own.sh", {"w", "go"}),
    ],
)
def test_a_changed_script_takes_trust_from_the_hooks_that_use_it(file, changed, cli, project, several):
    trust(cli)
    path = project.path / "tools" / file
    text = path.read_text()
    path.write_text(f"{text}# edited\n")
    assert {title for title, state in states(cli).items() if state != "in force"} == changed
    path.write_text(text)
    everything_runs(cli)
    path.write_text(f"{text}# edited\n")
    assert f"+++ now/tools/{file}" in trust(cli).stdout
    everything_runs(cli)


def test_a_guard_whose_script_changed_denies_what_it_guards_and_nothing_else(cli, project, several):
    trust(cli)
    project.script("tools/first.sh", DENY)
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    assert ruling(before_reading(cli)) == ALLOWED_BY_SILENCE
    trust(cli)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


def test_a_file_that_a_script_uses_and_that_is_gone_is_a_change(cli, project, several):
    trust(cli)
    (project.path / "tools/shared.sh").unlink()
    done = before_reading(cli)
    assert ruling(done) == DENIED_BY_TRUST
    assert "tools/shared.sh is gone" in done.document["message"]
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


def test_a_script_that_no_longer_uses_a_file_is_named_itself(cli, project, several):
    trust(cli)
    project.script("tools/second.sh", PASS)
    message = before_reading(cli).document["message"]
    assert message.endswith("changed since it was trusted: tools/second.sh")


def test_another_definition_is_a_change_for_all_of_them(cli, several):
    trust(cli)
    several.write_text(f"{several.read_text()}\n")
    assert set(states(cli).values()) == {"denies", "untrusted"}


def test_texts_of_two_branches_are_trusted_at_once(cli, project, several):
    folder = repository(project)
    trust(cli)
    git(folder, "checkout", "-q", "-b", "other")
    project.script("tools/first.sh", DENY)
    commit(folder)
    trust(cli)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    git(folder, "checkout", "-q", "main")
    everything_runs(cli)


def test_a_repository_around_the_project_takes_no_trust_away(cli, project, several):
    (project.path / ".git").rmdir()
    git(project.path, "init", "-q")
    trust(cli)
    (project.path / ".git").rename(project.path.parent / "put-away")
    git(project.path.parent, "init", "-q")
    everything_runs(cli)


def test_a_commit_that_is_trusted_as_a_whole_has_them_all(cli, project, several):
    repository(project)
    everything_runs_as = {"env": {"HOOKRUN_TRUST": "ref:HEAD"}}
    assert ruling(before_shell(cli, **everything_runs_as)) == ALLOWED_BY_SILENCE
    assert ruling(before_reading(cli, **everything_runs_as)) == ALLOWED_BY_SILENCE
    project.script("tools/first.sh", DENY)
    assert ruling(before_reading(cli, **everything_runs_as)) == ALLOWED_BY_SILENCE
    assert before_shell(cli, **everything_runs_as).code == 2


def test_a_file_that_one_hook_uses_and_another_only_has_beside_it(cli, project):
    """What git does not track in a plugin's folder counts for the hook that names it alone."""
    hooks = [
        {"event": "PreToolUse", "matcher": "Shell"},
        {"event": "PreToolUse", "matcher": "Read", "entry": "sh ${PLUGIN_ROOT}/check.sh rules.txt"},
    ]
    manifest = project.manifest("demo", script=PASS, hooks=hooks)
    (manifest.parent / "check.sh").write_text(PASS)
    repository(project)
    (manifest.parent / "rules.txt").write_text("a\n")  # git does not know it
    trust(cli)
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    assert ruling(before_reading(cli)) == ALLOWED_BY_SILENCE
    assert "nothing new" in cli("trust").stdout


def test_imported_hooks_can_be_trusted(cli, project):
    for name in ("lint", "guard"):
        project.script(f".claude/hooks/{name}.sh", PASS)
    entries = [
        {"type": "command", "command": f"$CLAUDE_PROJECT_DIR/.claude/hooks/{name}.sh"} for name in ("lint", "guard")
    ]
    settings = project.path / ".claude/settings.json"
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": entries}]}}))
    assert cli("import", "claude").code == 0
    settings.write_text("{}")
    trust(cli)
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    project.script(".claude/hooks/guard.sh", f"{PASS}# edited\n")
    assert sorted(states(cli).values()) == ["denies", "in force"]


def test_a_record_of_the_files_of_a_definition_alone_is_looked_at_again(cli, project, several, untrusting):
    """Which of them a hook uses was not always on record: that is a change, and one `trust` settles it."""
    trust(cli)
    (record,) = [path for path in records(project) if "units" in path.read_text()]
    document = json.loads(record.read_text())
    for hook in document["units"][MANIFEST]["texts"][0]["hooks"]:
        del hook["files"]
    record.write_text(json.dumps(document))
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    assert "its files are the same" in trust(cli).stdout
    everything_runs(cli)
