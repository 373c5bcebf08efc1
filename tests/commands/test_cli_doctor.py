"""`hookrun doctor`: the set-up as it is, and exit 1 when something in it is wrong."""

from __future__ import annotations

import subprocess
import sys

from command import DEADLINE, HOOKRUN
from injected import bound_by_modes

GUARD = "#!/bin/sh\nexit 0\n"


def test_a_healthy_set_up_exits_0(cli, project):
    project.script(".hookrun/hooks/pre/bash.sh", GUARD)
    checked = cli("doctor")
    assert checked.code == 0
    assert checked.stdout.splitlines()[-1].split() == ["result", "all", "is", "well"]
    assert checked.stderr == ""


def test_it_runs_no_hook(cli, project):
    project.script(".hookrun/hooks/pre/bash.sh", "#!/bin/sh\ntouch ran\n")
    assert cli("doctor").code == 0
    assert not (project.path / "ran").exists()
    cli("emit", "pre", "--tool", "Bash")
    assert (project.path / "ran").exists()


def test_the_document_names_root_levels_files_and_folders(cli, project):
    inner = project.path / "inner"
    inner.mkdir()
    (project.path / ".hookrun").mkdir()
    (project.path / ".hookrun/config.yaml").write_text("limits: {process_hooks: 3}\n")
    document = cli("doctor", "--format", "json", cwd=inner).document
    assert document["project"]["root"] == str(project.path)
    assert document["project"]["reason"] == "it has .git"
    assert document["project"]["levels"] == [str(project.path), str(inner)]
    assert document["configuration"] == [str(project.path / ".hookrun/config.yaml")]
    assert document["state_folder"]["path"] == str(project.home / ".local/state/hookrun")
    assert document["python"]["version"] == sys.version.split()[0]
    assert document["is_well"] is True


def test_the_root_has_a_reason(cli, project, tmp_path):
    bare = tmp_path / "bare"
    bare.mkdir()
    for words, cwd, reason in (
        ((), bare, "no folder at or above the working directory has .git or hooks"),
        (("--project", str(bare)), project.path, "given with --project"),
    ):
        assert cli("doctor", "--format", "json", *words, cwd=cwd).document["project"]["reason"] == reason


def test_what_each_source_contributed_is_counted(cli, project):
    project.script(".hookrun/hooks/pre/bash.sh", GUARD)
    project.script(".hookrun/hooks/pre/bash.sh~", GUARD)
    project.script(".config/hookrun/hooks/post/bash.sh", GUARD, user=True)
    project.script(".claude/hooks/post/bash.sh", GUARD)
    document = cli("doctor", "--format", "json").document
    assert {(source["source"], source["level"]): source["in_force"] for source in document["sources"]} == {
        ("hookrun", "user"): 1,
        ("hookrun", "project"): 1,
        ("claude", "project"): 0,
    }
    assert document["skipped"] == {"hookrun": 1}


def test_a_guard_that_cannot_start_exits_1(cli, project):
    project.script(".hookrun/hooks/pre/bash.sh", "#!/bin/sh\r\nexit 0\r\n")
    checked = cli("doctor")
    assert checked.code == 1
    assert "bash.sh cannot start: CRLF" in checked.stderr
    assert "hint: " in checked.stderr
    assert "1 error" in checked.stdout.splitlines()[-1]


def test_an_observer_that_cannot_start_is_what_validate_says_it_is(cli, project):
    project.script(".hookrun/hooks/post/bash.sh", "#!/bin/sh\r\nexit 0\r\n")
    checked = cli("doctor")
    assert checked.code == cli("validate").code == 1
    assert "error: " in checked.stderr
    assert "1 error, 0 warnings" in checked.stdout.splitlines()[-1]


def test_a_manifest_that_cannot_be_read_exits_1(cli, project):
    project.script(".hookrun/plugins/broken/plugin.json", "{")
    assert cli("doctor").code == 1


def test_programs_are_found_or_missing_with_the_hooks_that_need_them(cli, project, tmp_path):
    project.script(".hookrun/hooks/pre/1-bash.sh", "#!/bin/sh\n# hookrun: needs=frobnicate\n")
    project.script(".hookrun/hooks/pre/2-bash.js", "#!/usr/bin/env node\n")
    only_sh = tmp_path / "bin"
    only_sh.mkdir()
    (only_sh / "sh").symlink_to("/bin/sh")
    document = cli("doctor", "--format", "json", env={"PATH": str(only_sh)}).document
    programs = {program["name"]: program for program in document["programs"]}
    assert programs["sh"]["path"] == str(only_sh / "sh")
    assert programs["frobnicate"]["path"] is None
    assert programs["frobnicate"]["needed_by"] == [".hookrun/hooks/pre/1-bash.sh"]
    assert programs["node"]["path"] is None
    assert programs["node"]["needed_by"] == [".hookrun/hooks/pre/2-bash.js"]
    assert programs["jq"]["needed_by"] == []


def test_values_of_variables_that_look_like_keys_are_never_printed(cli):
    env = {"GEMINI_API_KEY": "s3cret-value", "HOOKRUN_TOKEN": "s3cret-value", "HOOKRUN_DEPTH": "2"}
    for words in (("doctor",), ("doctor", "--format", "json"), ("doctor", "-v")):
        checked = cli(*words, env=env)
        assert "GEMINI_API_KEY" in checked.stdout
        assert "HOOKRUN_TOKEN" in checked.stdout
        assert "s3cret-value" not in checked.stdout + checked.stderr
    assert "HOOKRUN_DEPTH=2" in cli("doctor", env=env).stdout


def test_a_state_folder_that_cannot_be_used_exits_1(cli, project):
    (project.home / ".local").mkdir()
    (project.home / ".local/state").mkdir()
    (project.home / ".local/state/hookrun").write_text("in the way")
    checked = cli("doctor")
    assert checked.code == 1
    assert "is not a folder" in checked.stderr


def test_a_state_folder_that_cannot_be_written_exits_1(project, user_environment):
    folder = project.home / ".local/state/hookrun"
    folder.mkdir(parents=True)
    folder.chmod(0o500)
    words = [*bound_by_modes(), HOOKRUN, "doctor"]
    checked = subprocess.run(
        words, cwd=project.path, env=user_environment, capture_output=True, text=True, timeout=DEADLINE
    )
    assert checked.returncode == 1
    assert "cannot be written" in checked.stderr
