"""`hookrun new`: what it writes is in force at once."""

from __future__ import annotations

import os

import pytest

from hookrun.commands.new import templates


@pytest.mark.parametrize("name", [template.name for template in templates()])
def test_everything_that_is_offered_works_where_it_is_written(cli, project, name: str):
    written = cli("new", name, "--format", "json")
    assert written.code == 0
    document = written.document
    assert all(os.path.isfile(path) for path in document["written"])
    listed = cli("list", "--format", "json").document
    assert listed["in_force"] == listed["total"] >= 1
    assert [problem for problem in listed["problems"] if problem["level"] == "error"] == []
    attempt = document["next"]
    assert attempt.startswith("hookrun ")
    assert cli("doctor").code == 0


def test_without_a_name_it_lists_what_there_is(cli):
    listed = cli("new")
    assert listed.code == 0
    assert {line.split()[0] for line in listed.stdout.splitlines()} >= {"manifest", "script"}
    offered = cli("new", "--format", "json").document
    assert {"name": "script", "kind": "template"}.items() <= next(
        each for each in offered if each["name"] == "script"
    ).items()


def test_the_script_template_denies_what_it_says(cli, project):
    assert cli("new", "script").code == 0
    push = cli("emit", "pre", "--tool", "Bash", "--input", '{"command": "git push -f"}')
    assert push.code == 2
    assert "no force pushes" in push.stdout
    assert cli("emit", "pre", "--tool", "Bash", "--input", '{"command": "git push"}').code == 0


def test_the_manifest_template_denies_and_hints(cli):
    assert cli("new", "manifest").code == 0
    assert cli("emit", "pre", "--tool", "Bash", "--input", '{"command": "git push -f"}').code == 2
    shown = cli("emit", "post", "--tool", "Shell", "--output", "one\ntwo\n", "--format", "json").document
    assert [(hint["style"], hint["text"].split()) for hint in shown["hints"]] == [("dim", ["2", "lines"])]


def test_it_says_what_was_written_and_what_to_try_next(cli):
    lines = cli("new", "script").stdout.splitlines()
    assert lines[0] == "wrote .hookrun/hooks/pre/bash.sh"
    assert lines[1] == "then  hookrun trust, once it is what you want"
    assert lines[2].startswith("try   hookrun emit pre --tool Bash")


def test_a_bundled_hook_says_that_it_is_trusted(cli, untrusting, project):
    assert cli("new", "redact").stdout.splitlines()[-2] == "trusted as it was written"
    assert "trusted" not in cli("new", "guard-shell", "--user").stdout


def test_never_over_an_existing_file(cli, project):
    mine = project.script(".hookrun/hooks/pre/bash.sh", "#!/bin/sh\n# mine\n")
    made = cli("new", "script")
    assert made.code == 1
    assert made.stdout == ""
    assert f"error: {mine}: already exists" in made.stderr
    assert "hint: " in made.stderr
    assert mine.read_text() == "#!/bin/sh\n# mine\n"


def test_user_puts_it_into_the_users_folder(cli, project):
    assert cli("new", "script", "--user").code == 0
    assert os.access(project.home / ".config/hookrun/hooks/pre/bash.sh", os.X_OK)
    assert not (project.path / ".hookrun").exists()
    assert cli("list", "--format", "json").document["hooks"][0]["level"] == "user"


def test_from_below_it_goes_to_the_projects_root(cli, project):
    inner = project.path / "a/b"
    inner.mkdir(parents=True)
    assert cli("new", "script", cwd=inner).code == 0
    assert (project.path / ".hookrun/hooks/pre/bash.sh").is_file()


def test_an_unknown_name_is_a_usage_error_with_the_nearest(cli, project):
    made = cli("new", "scrpt")
    assert made.code == 64
    assert "hint: did you mean script?" in made.stderr
    assert not (project.path / ".hookrun").exists()
