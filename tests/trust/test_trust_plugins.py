"""What of a plugin is trusted: its manifest, its folder, and what its commands name."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from firing import before_shell, ruling
from trusted import ALLOWED_BY_SILENCE, DENIED_BY_TRUST, commit, git, plant, repository, trust, units

pytestmark = pytest.mark.usefixtures("untrusting")

ALLOWED = (0, "allow", "guard")
ALLOW = '#!/bin/sh\necho \'{"decision": "allow"}\'\n'
GUARD = {"event": "PreToolUse", "matcher": "Shell*"}


@pytest.fixture
def manifest(project):
    """A plugin in a folder of its own with some files beside its script."""
    path = project.manifest("demo", script=ALLOW, hooks=[GUARD])
    folder = path.parent
    (folder / "lib").mkdir()
    (folder / "lib/used.py").write_text("x = 1\n")
    (folder / "rules.json").write_text("{}")
    (folder / "logs").mkdir()
    return path


def edit(manifest, **changes) -> None:
    document = json.loads(manifest.read_text())
    (hook,) = document["contributes"]["hooks"]
    hook.update(changes)
    manifest.write_text(json.dumps(document))


@pytest.mark.parametrize("name", ["hook.sh", "lib/used.py", "rules.json", "new.py", "lib/new.sh"])
@pytest.mark.parametrize("is_repository", [True, False])
def test_any_code_in_the_plugins_folder_is_part_of_it(is_repository, name, cli, project, manifest):
    if is_repository:
        repository(project)
    trust(cli)
    assert ruling(before_shell(cli)) == ALLOWED
    path = manifest.parent / name
    before = path.read_text() if path.exists() else None
    path.write_text("#!/bin/sh\nexit 0\n")
    done = before_shell(cli)
    assert ruling(done) == DENIED_BY_TRUST
    assert name in done.document["message"]
    if before is None:
        path.unlink()
    else:
        path.write_text(before)
    assert ruling(before_shell(cli)) == ALLOWED


@pytest.mark.parametrize("name", ["logs/today", "state.db", "run.log", "node_modules/x.js", "__pycache__/x.pyc"])
def test_logs_data_and_caches_are_no_part_of_it(name, cli, project, manifest):
    trust(cli)
    path = manifest.parent / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("x")
    assert ruling(before_shell(cli)) == ALLOWED


def test_what_git_does_not_track_is_no_part_of_it(cli, project, manifest):
    repository(project)
    trust(cli)
    (manifest.parent / "state.json").write_text("{}")
    assert ruling(before_shell(cli)) == ALLOWED


def test_what_git_does_not_track_is_part_of_it_without_git(cli, project, manifest):
    trust(cli)
    (manifest.parent / "state.json").write_text("{}")
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


def test_a_plugin_may_keep_a_file_of_its_own_in_a_repository(cli, project, manifest):
    (manifest.parent / "hook.sh").write_text(f'{ALLOW}date >>"$PLUGIN_ROOT/state.json"\n')
    repository(project)
    (manifest.parent / "state.json").write_text("")
    trust(cli)
    for _ in range(3):
        assert ruling(before_shell(cli)) == ALLOWED


@pytest.mark.parametrize(
    "changes",
    [
        {"matcher": "Nothing"},
        {"event": "PostToolUse"},
        {"role": "observer"},
        {"on_failure": "allow"},
        {"timeout": "1m"},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_a_manifest_that_says_less_denies_what_it_guarded(changes, cli, manifest):
    trust(cli)
    edit(manifest, **changes)
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    other = ("emit", "pre", "--tool", "FileWrite", "--input", "{}", "--format", "json")
    assert ruling(cli(*other)) == ALLOWED_BY_SILENCE
    edit(manifest, **{"role": "guard", **GUARD})
    trust(cli)
    assert ruling(before_shell(cli)) == ALLOWED


@pytest.mark.parametrize("text", ["", "{", "[]", '{"id": "demo"}', "null"])
def test_a_manifest_that_is_broken_denies_what_it_guarded(text, cli, manifest):
    trust(cli)
    before = manifest.read_text()
    manifest.write_text(text)
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    manifest.write_text(before)
    assert ruling(before_shell(cli)) == ALLOWED


@pytest.mark.parametrize("name", ["plugin.json", "hook.sh"])
def test_a_plugin_that_loses_a_file_denies(name, cli, manifest):
    trust(cli)
    (manifest.parent / name).unlink()
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


def test_a_plugin_whose_folder_is_renamed_denies(cli, manifest):
    trust(cli)
    manifest.parent.rename(manifest.parent.with_name("other"))
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


def test_a_manifest_that_the_configuration_does_not_name_any_more_denies(cli, project, manifest):
    folder = project.path / "ci"
    manifest.parent.rename(folder)
    configuration = project.script(".hookrun/config.yaml", "manifests: [ci/plugin.json]\n")
    trust(cli)
    assert ruling(before_shell(cli)) == ALLOWED
    configuration.write_text("manifests: []\n")
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


def test_a_script_that_the_command_names_elsewhere_is_part_of_it(cli, project):
    path = project.manifest("demo", script="", hooks=[GUARD])
    script = project.script("tools/check.sh", ALLOW)
    path.write_text(path.read_text().replace("sh hook.sh", "sh ../../../tools/check.sh"))
    trust(cli)
    assert ruling(before_shell(cli)) == ALLOWED
    script.write_text("exit 0\n")
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


@pytest.mark.parametrize("name", ["hooks/check.sh", "check.sh"])
def test_a_script_that_the_text_of_a_command_names_is_part_of_it(name, cli, project):
    path = project.manifest("demo", script="", hooks=[GUARD])
    script = project.script(name, f'. "$(dirname "$0")/lib.sh"\n{ALLOW}')
    library = project.script(f"{script.parent}/lib.sh", "true\n", mode=0o644)
    path.write_text(path.read_text().replace("sh hook.sh", f"bash -c 'cd . && sh ./{name}'"))
    trust(cli)
    assert ruling(before_shell(cli)) == ALLOWED
    for file in (script, library):
        before = file.read_text()
        file.write_text("exit 0\n")
        assert ruling(before_shell(cli)) == DENIED_BY_TRUST
        file.write_text(before)
    assert ruling(before_shell(cli)) == ALLOWED


def test_a_program_that_the_project_brings_is_part_of_it(cli, project, untrusting):
    program = project.script("tools/bin/check", ALLOW)
    path = project.manifest("demo", script="", hooks=[GUARD])
    path.write_text(path.read_text().replace("sh hook.sh", "check"))
    env = {"PATH": f"{program.parent}:{untrusting['PATH']}"}
    trust(cli, env=env)
    assert ruling(before_shell(cli, env=env)) == ALLOWED
    program.write_text("#!/bin/sh\nexit 0\n")
    assert ruling(before_shell(cli, env=env)) == DENIED_BY_TRUST


def test_a_planted_cache_of_compiled_python_does_not_run(cli, project):
    manifest = project.manifest("demo", script="", hooks=[GUARD])
    manifest.write_text(manifest.read_text().replace("sh hook.sh", "python3 main.py"))
    main, lib = manifest.with_name("main.py"), manifest.with_name("lib.py")
    main.write_text('import lib\nprint(\'{"decision": "%s"}\' % lib.word)\n')
    lib.write_text("word = 'deny'\n")
    trust(cli)
    plant(lib, "word = 'ask' \n")
    assert ruling(before_shell(cli)) == (2, "deny", "guard")
    assert "ask" in subprocess.check_output([sys.executable, main], text=True)


def test_a_record_holds_the_folder_and_what_git_tracks(cli, project, manifest):
    repository(project)
    (manifest.parent / "state.json").write_text("{}")
    trust(cli)
    (unit,) = units(project).values()
    (text,) = unit["texts"]
    names = {name.removeprefix(".hookrun/plugins/demo/") for name in text["files"]}
    assert names == {"plugin.json", "hook.sh", "lib/used.py", "rules.json"}
    assert (unit["is_tracked"], text["in_git"]) == (True, True)


def test_a_file_that_git_tracks_later_is_a_change(cli, project, manifest):
    repository(project)
    trust(cli)
    (manifest.parent / "more.py").write_text("")
    git(project.path, "add", "-A")
    commit(project.path)
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
