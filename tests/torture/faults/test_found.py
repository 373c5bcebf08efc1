"""Faults that were found by trying to break guards: each guard below has to be asked."""

from __future__ import annotations

import json
import os
import sys

import pytest

EMIT = ("emit", "pre", "--tool", "Bash", "--input", '{"command": "ls"}')
DENIES = "#!/bin/sh\nexit 2\n"


def manifest(project, path, *, entry="sh g.sh", **changes):
    document = {
        "id": "g",
        "name": "g",
        "version": "1.0.0",
        "runtime": "script",
        "entry": entry,
        "permissions": ["*"],
        "contributes": {"hooks": [{"event": "PreToolUse"}]},
        **changes,
    }
    project.script(path, json.dumps(document), mode=0o644)


def test_two_plugins_with_the_same_words_both_run(cli, project):
    for name, code in (("a", 0), ("b", 2)):
        entry = """sh -c '. "$PLUGIN_ROOT/g.sh"'"""
        manifest(project, f".hookrun/plugins/{name}/plugin.json", entry=entry, id=name)
        project.script(f".hookrun/plugins/{name}/g.sh", f"exit {code}\n")
    assert cli(*EMIT).code == 2
    project.script(".hookrun/plugins/b/g.sh", "exit 0\n")
    assert cli(*EMIT).code == 0


def test_scripts_of_two_folders_for_one_tool_both_run(cli, project):
    for folder, code in (("10-bash", 0), ("20-bash", 2)):
        project.script(f".claude/hooks/pre/{folder}/check.sh", f"#!/bin/sh\nexit {code}\n")
    assert cli(*EMIT).code == 2
    project.script(".claude/hooks/pre/20-bash/check.sh", "#!/bin/sh\nexit 0\n")
    assert cli(*EMIT).code == 0


def test_two_manifests_without_an_id_are_two(cli, project):
    for name, code in (("one", 0), ("two", 2)):
        manifest(project, f".hookrun/manifests/{name}.json", entry=f"sh {name}.sh", id=None)
        project.script(f".hookrun/manifests/{name}.sh", f"exit {code}\n")
    assert cli(*EMIT).code == 2


def test_rules_that_are_not_enforced_deny(cli, project):
    rules = {"rules": [{"deny": "shell *"}]}
    manifest(project, ".hookrun/manifests/r.json", runtime="rules", entry=None, contributes=rules)
    ended = cli(*EMIT)
    assert ended.code == 2
    assert "does not enforce rules" in ended.stdout
    manifest(project, ".hookrun/manifests/r.json", runtime="rules", entry=None, contributes={})
    assert cli(*EMIT).code == 0


@pytest.mark.parametrize("layout", ["plugin beside pre", "a script alone", "nothing"])
def test_a_folder_given_with_hook_is_read_whole_or_denies(cli, project, layout):
    if layout == "plugin beside pre":
        (project.path / "x/pre").mkdir(parents=True)
        manifest(project, "x/plugin.json")
        project.script("x/g.sh", "exit 2\n")
    elif layout == "a script alone":
        project.script("x/bash.sh", DENIES)
    else:
        (project.path / "x").mkdir()
    assert cli(*EMIT, "--hook", "x").code == 2
    assert cli(*EMIT).code == 0


def test_a_header_takes_commas_between_tools(cli, project):
    project.script(".claude/hooks/pre/g.sh", "#!/bin/sh\n# hookrun: tool=Bash,Edit\nexit 2\n")
    assert cli(*EMIT).code == 2
    assert cli("emit", "pre", "--tool", "Read", "--input", '{"file_path": "x"}').code == 0
    project.script(".claude/hooks/pre/g.sh", "#!/bin/sh\n# hookrun: tool=Bsah\nexit 2\n")
    assert "matches no known tool" in cli("list").stdout


@pytest.mark.parametrize("told", ["CLAUDE_PROJECT_DIR", "workspace_roots", "project_dir"])
def test_the_project_that_an_agent_names_counts_wherever_it_stands(cli, project, tmp_path, told):
    project.script(".claude/hooks/pre/bash.sh", DENIES)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    payload = {"tool_name": "Bash", "tool_input": {}, "cwd": str(elsewhere)}
    root = str(project.path)
    env = {"CLAUDE_PROJECT_DIR": root} if told == "CLAUDE_PROJECT_DIR" else {}
    named = {"workspace_roots": [root]} if told == "workspace_roots" else {"project_dir": root}
    whole = payload if env else {**payload, **named}
    assert cli("emit", "pre", "--payload", json.dumps(whole), cwd=elsewhere, env=env).code == 2
    assert cli("emit", "pre", "--payload", json.dumps(payload), cwd=elsewhere).code == 0


@pytest.mark.parametrize("does", ["mkdir", "rm -rf"])
def test_what_a_hook_does_to_its_private_files_changes_nothing(cli, project, user_environment, does):
    target = {"mkdir": '"$(dirname "$XBOT_TOOL_INPUT_FILE")/sub"', "rm -rf": '"$(dirname "$XBOT_TOOL_INPUT_FILE")"'}
    project.script(".claude/hooks/post/bash.sh", f"#!/bin/sh\n{does} {target[does]}\n")
    (project.path / "big.json").write_text(json.dumps({"command": "x" * 200_000}))
    assert cli("emit", "post", "--tool", "Bash", "--input", "@big.json").code == 0
    assert os.listdir(os.path.join(user_environment["XDG_RUNTIME_DIR"], "hookrun")) == []


def test_an_input_that_is_too_deep_to_be_handed_over_denies(cli, project):
    project.script(".claude/hooks/pre/bash.sh", "#!/bin/sh\nexit 0\n")
    deep = '{"x": ' + "[" * 985 + "]" * 985 + "}"
    ended = cli("emit", "pre", "--tool", "Bash", "--input", deep, "--format", "json")
    (outcome,) = ended.document["outcomes"]
    # How deep is too deep is Python's to say: 3.11 can read it and not write it again, later ones can both.
    assert (ended.code, outcome["status"]) in ((2, "not_started"), (0, "ran"))
    assert sys.version_info >= (3, 12) or ended.code == 2
    flat = '{"x": ' + "[" * 50 + "]" * 50 + "}"
    assert cli("emit", "pre", "--tool", "Bash", "--input", flat).code == 0


@pytest.mark.parametrize("folder", [".hookrun/manifests", ".hookrun/plugins", ".hookrun/hooks", ".claude/hooks/pre"])
def test_a_folder_that_cannot_be_listed_denies(project, folder, monkeypatch):
    # Permissions do not bind root, so the system's refusal is what is put in its place.
    from hookrun import HookRunner

    (project.path / folder).mkdir(parents=True)
    real = os.listdir

    def refused(path="."):
        if str(path).endswith(folder):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    def verdict():
        with HookRunner.discover(
            project.path, trust="project", env={"HOME": str(project.home), "PATH": os.environ["PATH"]}
        ) as runner:
            return runner.emit("PreToolUse", tool="Bash", tool_input={"command": "ls"}).verdict.word

    assert verdict() is None
    monkeypatch.setattr("os.listdir", refused)
    assert verdict() == "deny"
