"""`hookrun validate PATH`: a path is read by what kind of place it is, in and out of the project."""

from __future__ import annotations

import json
import os

import pytest
from linted import messages, report_of

from hookrun.model.errors import UsageError

BROKEN = "#!/bin/bash\n)\n"
FINE = "#!/bin/bash\nexit 0\n"
MANIFEST = {
    "id": "p",
    "name": "p",
    "version": "1.0.0",
    "runtime": "script",
    "entry": "sh hook.sh",
    "permissions": ["*"],
    "contributes": {"hooks": [{"event": "PreToolUse", "matcher": "Shel"}]},
}


@pytest.fixture
def outside(tmp_path):
    """Return a function that writes files (path -> text) in a folder outside the project and returns it."""

    def write(files):
        for name, text in files.items():
            path = tmp_path / "outside" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755)
        return tmp_path / "outside"

    return write


def test_only_what_is_named_is_checked(project, user_environment):
    one = project.script(".claude/hooks/pre/bash.sh", BROKEN)
    project.script(".claude/hooks/pre/edit.sh", BROKEN)
    assert len(messages(project, user_environment)) == 2
    report = report_of(project, user_environment, one)
    assert [finding.file for finding in report.findings] == [str(one)]
    assert (report.hooks, report.files) == (1, 1)


def test_a_path_named_twice_or_within_another_counts_once(project, user_environment):
    one = project.script(".claude/hooks/pre/bash.sh", BROKEN)
    report = report_of(project, user_environment, one, one, one.parent, project.path)
    assert (len(report.findings), report.hooks, report.files) == (1, 1, 1)


@pytest.mark.parametrize(
    ("files", "path"),
    [
        ({"hooks/pre/bash.sh": BROKEN}, "hooks"),
        ({"hooks/pre/bash.sh": BROKEN}, "hooks/pre"),
        ({"hooks/pre/bash.sh": BROKEN}, "hooks/pre/bash.sh"),
        ({"hooks/pre/bash/any.sh": BROKEN}, "hooks/pre/bash/any.sh"),
        ({"hooks/pre/bash/any.sh": BROKEN}, "hooks/pre/bash"),
        ({".claude/hooks/pre/bash.sh": BROKEN}, "."),
        ({".claude/hooks/pre/bash.sh": BROKEN}, ".claude"),
        ({".claude/hooks/pre/bash.sh": BROKEN}, ".claude/hooks/pre/bash.sh"),
        ({"guard": BROKEN}, "guard"),
        ({"p/plugin.json": json.dumps(MANIFEST), "p/hook.sh": BROKEN}, "p"),
        ({"p/plugin.json": json.dumps(MANIFEST), "p/hook.sh": BROKEN}, "p/plugin.json"),
        ({"all/p/plugin.json": json.dumps(MANIFEST), "all/p/hook.sh": BROKEN}, "all"),
        ({"manifests/p.json": json.dumps(MANIFEST), "manifests/hook.sh": BROKEN}, "manifests"),
        ({"manifests/p.json": json.dumps(MANIFEST), "manifests/hook.sh": BROKEN}, "manifests/p.json"),
        (
            {
                "pyproject.toml": '[tool.hookrun]\nmanifests = ["m"]',
                "m/p.json": json.dumps(MANIFEST),
                "m/hook.sh": BROKEN,
            },
            ".",
        ),
    ],
)
def test_places_outside_the_project_are_read_by_their_kind(project, user_environment, outside, files, path):
    found = messages(project, user_environment, os.path.normpath(outside(files) / path))
    assert any("syntax error" in text for text in found)
    assert any("'Shel'" in text for text in found) == any(name.endswith(".json") for name in files)


def test_a_script_is_bound_by_the_folder_it_lies_in(project, user_environment, outside):
    text = "#!/bin/sh\ncommand -v jq || exit 0\ntrue\n"
    folder = outside({"hooks/pre/bash.sh": text, "hooks/post/bash.sh": text, "alone": text})
    assert len(messages(project, user_environment, folder / "hooks/pre/bash.sh")) == 1
    assert messages(project, user_environment, folder / "hooks/post/bash.sh") == []
    assert len(messages(project, user_environment, folder / "alone")) == 1  # a guard, as with --hook


def test_a_program_of_a_plugin_is_read_as_its_part(project, user_environment):
    text = "#!/bin/sh\ncommand -v jq || exit 0\n)\n"
    path = project.manifest("p", script=text, hooks=[{"event": "PostToolUse", "matcher": "Shel"}])
    (found,) = messages(project, user_environment, path.parent / "hook.sh")
    assert found.startswith("3: syntax error")
    path.write_text(path.read_text().replace("PostToolUse", "PreToolUse"))
    assert len(messages(project, user_environment, path.parent / "hook.sh")) == 2


@pytest.mark.parametrize(
    ("files", "path", "complaint"),
    [
        ({"notes.txt": "text"}, "notes.txt", "neither executable nor with a shebang"),
        ({"package.json": '{"name": "x"}'}, "package.json", "contains nothing that hookrun reads as a hook"),
        ({"package.json": '{"name": "x"}'}, ".", "contains nothing that hookrun reads as a hook"),
        ({"source/x.sh": FINE}, "source", "contains nothing that hookrun reads as a hook"),
        ({".claude/settings.json": "{}"}, ".claude/settings.json", "contains nothing that hookrun reads as a hook"),
        ({".claude/hooks/x.sh": FINE}, ".claude/hooks/x.sh", "looks like a hook, but nothing reads it here"),
        ({"hooks/pre/README.md": ""}, "hooks/pre/README.md", "not a hook: a document"),
    ],
)
def test_a_path_that_is_no_hook_is_an_error_that_says_so(project, user_environment, outside, files, path, complaint):
    folder = outside(files)
    for name in files:
        (folder / name).chmod(0o644)
    (finding,) = report_of(project, user_environment, os.path.normpath(folder / path)).findings
    assert finding.level == "error"
    assert finding.message.startswith(complaint)


def test_a_manifest_that_cannot_be_read_is_its_own_error(project, user_environment, outside):
    found = messages(project, user_environment, outside({"p.json": "{"}) / "p.json")
    assert len(found) == 1
    assert "the manifest cannot be read" in found[0]


def test_a_path_that_is_not_there_is_a_wrong_call(project, user_environment):
    with pytest.raises(UsageError, match="does not exist"):
        messages(project, user_environment, project.path / "nothing")


def test_two_plugins_of_one_id_are_seen_outside_the_project_too(project, user_environment, outside):
    folder = outside({f"all/{name}.json": json.dumps(MANIFEST) for name in "ab"} | {"all/hook.sh": FINE})
    assert any("is taken by" in text for text in messages(project, user_environment, folder / "all"))
