"""Files that look like hooks and that nobody reads, and those that only look like that."""

from __future__ import annotations

import os

import pytest
from linted import report_of

SCRIPT = "#!/bin/sh\nexit 2\n"
MANIFEST = """{"id": "p", "name": "p", "version": "1.0.0", "runtime": "script", "entry": "true",
"permissions": ["*"], "contributes": {}}"""


def strays(project, environment):
    return {
        os.path.relpath(finding.file, project.path): finding.hint
        for finding in report_of(project, environment).findings
    }


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        (".claude/hooks/guard.sh", "move it to .claude/hooks/pre/TOOL.sh"),
        (".claude/hooks/guard", "move it to .claude/hooks/pre/TOOL.sh"),
        (".claude/hooks/PreToolUse/bash.sh", "move it to .claude/hooks/pre/:"),
        (".claude/hooks/pre-tool-use/bash.sh", "move it to .claude/hooks/pre/:"),
        (".claude/hooks/post_tool_use/bash.sh", "move it to .claude/hooks/post/:"),
        (".hookrun/hooks/prae/bash.sh", "move it to .hookrun/hooks/pre/ or post/"),
        (".hookrun/hook/pre/bash.sh", "scripts belong in .hookrun/hooks/pre and post"),
        (".hookrun/pre/bash.sh", "scripts belong in .hookrun/hooks/pre and post"),
        (".hookrun/Hooks/pre/bash.sh", "scripts belong in .hookrun/hooks/pre and post"),
        (".xcsh/post/bash.sh", "scripts belong in .xcsh/hooks/pre and post"),
        (".claude/hooks/session-start/x.sh", "move it to .claude/hooks/pre/:"),
        (".claude/hooks/post_hooks/x.sh", "move it to .claude/hooks/pre/ or post/"),
        ("hooks/pre/bash.sh", "move hooks/ into .hookrun/"),
        ("hooks/pre-tool-use/bash.sh", "move hooks/ into .hookrun/"),
    ],
)
def test_a_script_that_nobody_reads_is_found(project, user_environment, path, hint):
    project.script(path, SCRIPT)
    found = strays(project, user_environment)
    assert [*found] == [path]
    assert found[path].startswith(hint)


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        (".xbot/plugin.json", "move it to .xbot/plugins/NAME/plugin.json"),
        (".hookrun/plugin.yaml", "move it to .hookrun/plugins/NAME/plugin.yaml"),
        (".hookrun/plugins/plugin.json", "move it to .hookrun/plugins/NAME/plugin.json"),
    ],
)
def test_a_manifest_at_the_wrong_depth_is_found(project, user_environment, path, hint):
    project.script(path, MANIFEST)
    assert strays(project, user_environment) == {path: hint}


def test_a_plugin_one_folder_too_deep_is_found(project, user_environment):
    project.script(".hookrun/plugins/a/b/plugin.json", MANIFEST)
    found = strays(project, user_environment)
    assert found[".hookrun/plugins/a/b/plugin.json"] == "move it to .hookrun/plugins/NAME/plugin.json"


@pytest.mark.parametrize(
    ("path", "at", "hint"),
    [
        (".hookrun/manifests/p.json5", ".hookrun/manifests/p.json5", "manifests end in .json, .jsonc, .yaml, .yml"),
        (".xbot/plugins/p/plugin.yaml", ".xbot/plugins/p", "rename plugin.yaml to plugin.json"),
        (".xbot/plugins/p/plugins.json", ".xbot/plugins/p", "rename plugins.json to plugin.json"),
        (".xbot/plugins/p/run.sh", ".xbot/plugins/p", "add one, or remove the folder; it has no plugin.json"),
        (".claude/hooks/pre/bash/deep/x.sh", ".claude/hooks/pre/bash/deep", "move it, or remove it"),
        (".claude/hooks/pre/bash.sh/x.sh", ".claude/hooks/pre/bash.sh", "move it, or remove it"),
    ],
)
def test_what_was_skipped_though_it_was_meant_is_found(project, user_environment, path, at, hint):
    project.script(path, MANIFEST)
    assert strays(project, user_environment) == {at: hint}


def test_a_link_that_leads_nowhere_is_found(project, user_environment):
    folder = project.path / ".claude/hooks/pre"
    folder.mkdir(parents=True)
    (folder / "bash.sh").symlink_to("gone.sh")
    assert [*strays(project, user_environment)] == [".claude/hooks/pre/bash.sh"]


def test_what_is_read_or_is_no_hook_is_left_alone(project, user_environment):
    project.script(".claude/hooks/pre/bash.sh", SCRIPT)
    project.script(".claude/hooks/pre/bash/any.sh", SCRIPT)
    project.script(".claude/hooks/pre/bash.sh.bak", SCRIPT)
    project.script(".claude/hooks/pre/README.md", "")
    project.script(".claude/hooks/README.md", "")
    project.script(".claude/hooks/pre-tool-use/notes.txt", "")
    project.script(".claude/hooks/shared.py", "LIMIT = 3\n", mode=0o644)
    project.script(".claude/skills/x/run.sh", SCRIPT)
    project.script(".claude/context/run.sh", SCRIPT)
    project.script(".claude/hooks/lib/shared.sh", SCRIPT)
    project.script(".claude/plugins/x/plugin.json", MANIFEST)
    project.script(".hookrun/plugins/p/plugin.json", MANIFEST)
    project.script(".hookrun/manifests/README.md", "how to write one")
    project.script(".hookrun/manifests/check.sh", SCRIPT)
    project.script("hooks/pre-commit", SCRIPT)
    project.script("hooks/useThing.js", "")
    assert strays(project, user_environment) == {}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".claude/settings.json", '{"hooks": {"PreToolUse": [{"hooks": [{"command": ".claude/hooks/guard.sh"}]}]}}'),
        (".claude/hooks/pre/bash.sh", '#!/bin/sh\n. "${0%/*}/../guard.sh"\n'),
    ],
)
def test_a_script_that_something_names_has_its_reader(project, user_environment, path, text):
    project.script(".claude/hooks/guard.sh", SCRIPT)
    assert len(strays(project, user_environment)) == 1
    project.script(path, text)
    assert strays(project, user_environment) == {}


def test_what_a_named_script_names_has_its_reader_too(project, user_environment):
    project.script(".claude/hooks/common.sh", SCRIPT)
    project.script(".claude/hooks/guard.sh", '#!/bin/sh\n. "${0%/*}/common.sh"\n')
    assert len(strays(project, user_environment)) == 2
    project.script(".claude/settings.json", '{"command": ".claude/hooks/guard.sh"}')
    assert strays(project, user_environment) == {}


def test_folders_of_the_user_are_looked_at_too(project, user_environment):
    project.script(".claude/hooks/guard.sh", SCRIPT, user=True)
    (finding,) = report_of(project, user_environment).findings
    assert finding.file == str(project.home / ".claude/hooks/guard.sh")


def test_a_fifo_among_the_hooks_is_never_opened(project, user_environment):
    folder = project.path / ".claude/hooks"
    (folder / "pre").mkdir(parents=True)
    os.mkfifo(folder / "guard.sh")
    os.mkfifo(project.path / ".claude/settings.json")
    project.script(".claude/hooks/stray.sh", SCRIPT)
    os.mkfifo(folder / "pre/bash.sh")
    assert [*strays(project, user_environment)] == [
        ".claude/hooks/pre/bash.sh",
        ".claude/hooks/stray.sh",
        ".claude/settings.json",
    ]
