"""`hookrun validate` as a user calls it: what it prints, its exit codes, and what --fix touches."""

from __future__ import annotations

import json
import os
import pty
import shlex
import subprocess
import sys

import pytest

BROKEN = "#!/bin/bash\n)\n"
WARNED = "#!/bin/sh\ncommand -v jq || exit 0\ntrue\n"
FINE = "#!/bin/sh\nexit 0\n"


def mode(path):
    return path.stat().st_mode & 0o777


def test_findings_are_lines_with_file_line_and_hint(project, cli):
    project.script(".claude/hooks/pre/bash.sh", WARNED)
    project.script(".claude/hooks/pre/edit.sh", BROKEN)
    ended = cli("validate")
    assert ended.stdout.splitlines() == [
        ".claude/hooks/pre/bash.sh:2: warning: without jq it ends in success: the guard then lets everything through",
        "  hint: name it in the header instead: # hookrun: needs=jq",
        ".claude/hooks/pre/edit.sh:2: error: syntax error: near unexpected token `)'",
        "  hint: until then it cannot start",
        "checked 2 hooks in 2 files: 1 error, 1 warning",
    ]
    assert (ended.code, ended.stderr) == (1, "")


def test_a_finding_in_a_manifest_names_its_key(project, cli):
    project.manifest("p", script=FINE, hooks=[{"event": "PreToolUse", "matchr": "Shell"}])
    assert cli("validate").stdout.splitlines()[:2] == [
        ".hookrun/plugins/p/plugin.json:1: warning: contributes.hooks[0].matchr: unknown key 'matchr' (ignored)",
        "  hint: did you mean matcher?",
    ]


def test_a_finding_in_a_header_names_its_word_and_its_line_once(project, cli):
    project.script(".claude/hooks/pre/bash.sh", "#!/bin/sh\n# hookrun: timeout=5000\n")
    assert cli("validate").stdout.startswith(
        ".claude/hooks/pre/bash.sh:2: error: timeout=5000: the timeout '5000' has no unit\n"
    )


def test_warnings_alone_are_no_failure_unless_strict(project, cli):
    project.script(".claude/hooks/pre/bash.sh", WARNED)
    assert cli("validate").code == 0
    assert cli("validate", "--strict").code == 1
    project.script(".claude/hooks/pre/bash.sh", FINE)
    assert cli("validate", "--strict").code == 0


def test_quiet_leaves_warnings_out_but_counts_them(project, cli):
    project.script(".claude/hooks/pre/bash.sh", WARNED)
    project.script(".claude/hooks/pre/edit.sh", BROKEN)
    lines = cli("validate", "-q").stdout.splitlines()
    assert [line.partition(": ")[0] for line in lines] == [
        ".claude/hooks/pre/edit.sh:2",
        "  hint",
        "checked 2 hooks in 2 files",
    ]
    assert lines[-1].endswith("1 error, 1 warning")


def test_json_is_one_document(project, cli):
    path = project.script(".claude/hooks/pre/edit.sh", BROKEN)
    ended = cli("validate", "--format", "json")
    (finding,) = ended.document["findings"]
    assert finding.pop("hook")
    assert finding == {
        "level": "error",
        "file": str(path),
        "line": 2,
        "where": "",
        "message": "syntax error: near unexpected token `)'",
        "hint": "until then it cannot start",
        "fixed": False,
    }
    assert ended.document["checked"] == {"hooks": 1, "files": 1}
    assert (ended.document["errors"], ended.document["warnings"], ended.code) == (1, 0, 1)


def test_the_hook_of_a_finding_is_the_one_that_list_names(project, cli):
    project.script(".claude/hooks/pre/edit.sh", BROKEN)
    (finding,) = cli("validate", "--format", "json").document["findings"]
    ended = cli("emit", "pre", "--tool", "Edit", "--only", finding["hook"], "--dry-run", "--format", "json")
    assert [outcome["hook"] for outcome in ended.document["outcomes"]] == [finding["hook"]]


def test_without_hooks_there_is_nothing_wrong(cli):
    assert cli("validate", "--strict").stdout == "checked 0 hooks in 0 files: 0 errors, 0 warnings\n"


def test_a_name_with_escapes_is_made_harmless(project, cli):
    project.script(".claude/hooks/pre/\x1b[31mbash\n.sh", BROKEN)
    stdout = cli("validate").stdout
    assert "\x1b" not in stdout
    assert stdout.startswith(".claude/hooks/pre/\\x1b[31mbash\\n.sh")


def test_paths_are_relative_to_where_the_user_is(project, cli):
    project.script(".claude/hooks/pre/bash.sh", BROKEN)
    project.script(".claude/hooks/pre/edit.sh", BROKEN)
    ended = cli("validate", "pre/bash.sh", cwd=project.path / ".claude/hooks")
    assert ended.stdout.startswith("pre/bash.sh:2: error: ")
    assert ended.stdout.endswith("checked 1 hook in 1 file: 1 error, 0 warnings\n")


def test_a_path_that_is_not_there_is_a_usage_error(cli):
    ended = cli("validate", "nothing")
    assert ended.code == 64
    assert "nothing does not exist" in ended.stderr
    assert "hint: " in ended.stderr


def test_a_broken_configuration_is_told_as_everywhere(project, cli):
    project.script(".hookrun/config.yaml", "limits: {process_hooks: none}\n")
    ended = cli("validate")
    assert ended.code == 78
    assert "limits.process_hooks" in ended.stderr


def test_the_schema_is_printed_and_nothing_is_checked(project, cli):
    project.script(".claude/hooks/pre/bash.sh", BROKEN)
    ended = cli("validate", "--schema")
    assert ended.code == 0
    assert ended.document["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_fix_makes_scripts_of_script_folders_executable_as_the_umask_allows(project, user_environment):
    script = project.script(".claude/hooks/pre/bash.sh", FINE, mode=0o640)
    command = ["sh", "-c", 'umask 027; exec "$@"', "sh", sys.executable, "-m", "hookrun", "validate", "--fix"]
    done = subprocess.run(command, cwd=project.path, env=user_environment, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        ".claude/hooks/pre/bash.sh:1: fixed: is executable now",
        "checked 1 hook in 1 file: 0 errors, 0 warnings, 1 fixed",
    ]
    assert (mode(script), done.returncode) == (0o750, 0)


def test_fix_turns_crlf_of_a_shell_script_into_lf_and_keeps_its_mode(project, cli):
    script = project.script(".claude/hooks/pre/bash.sh", "", mode=0o751)
    script.write_bytes(b"#!/bin/sh\r\necho \xff\r\nexit 0\r\n")
    assert cli("validate").code == 1
    ended = cli("validate", "--fix", "--format", "json")
    assert script.read_bytes() == b"#!/bin/sh\necho \xff\nexit 0\n"
    assert mode(script) == 0o751
    assert os.listdir(script.parent) == ["bash.sh"]
    (finding,) = ended.document["findings"]
    assert (finding["fixed"], finding["message"]) == (True, "CRLF line endings are LF now")
    assert (ended.document["errors"], ended.code) == (0, 0)


def test_fix_turns_only_the_first_line_of_another_script(project, cli):
    script = project.script(".claude/hooks/pre/bash.py", "")
    script.write_bytes(b"#!/usr/bin/env python3\r\nx = 1\r\n")
    assert cli("validate", "--fix").code == 0
    assert script.read_bytes() == b"#!/usr/bin/env python3\nx = 1\r\n"


def test_fix_mends_the_script_of_a_plugin(project, cli):
    path = project.manifest("p", hooks=[{"event": "PreToolUse"}])
    (path.parent / "hook.sh").write_bytes(b"exit 0\r\n")
    (path.parent / "hook.sh").chmod(0o644)
    assert cli("validate", "--fix").code == 0
    assert (path.parent / "hook.sh").read_bytes() == b"exit 0\n"
    assert mode(path.parent / "hook.sh") == 0o644  # it is given to sh: it need not be executable


def test_fix_says_what_is_still_wrong_afterwards(project, cli):
    script = project.script(".claude/hooks/pre/bash.sh", "")
    script.write_bytes(b"#!/bin/bash\r\n)\r\n")
    ended = cli("validate", "--fix")
    assert ended.code == 1
    assert ended.stdout.splitlines()[0] == ".claude/hooks/pre/bash.sh:1: fixed: CRLF line endings are LF now"
    assert ".claude/hooks/pre/bash.sh:2: error: syntax error" in ended.stdout


def test_fix_follows_a_link_within_the_project_and_leaves_the_link(project, cli):
    target = project.script("tools/guard.sh", "", mode=0o755)
    target.write_bytes(b"#!/bin/sh\r\n")
    link = project.path / ".claude/hooks/pre/bash.sh"
    link.parent.mkdir(parents=True)
    link.symlink_to(target)
    assert cli("validate", "--fix").code == 0
    assert target.read_bytes() == b"#!/bin/sh\n"
    assert link.is_symlink()


@pytest.mark.parametrize("what", ["file", "folder"])
def test_fix_never_leaves_the_project_through_a_link(project, cli, tmp_path, what):
    outside = tmp_path / "outside"
    outside.mkdir()
    target = outside / "bash.sh"
    target.write_bytes(b"#!/bin/sh\r\n")
    target.chmod(0o644)
    folder = project.path / ".claude/hooks/pre"
    folder.parent.mkdir(parents=True)
    if what == "folder":
        folder.symlink_to(outside)
    else:
        folder.mkdir()
        (folder / "bash.sh").symlink_to(target)
    ended = cli("validate", "--fix")
    assert (target.read_bytes(), mode(target)) == (b"#!/bin/sh\r\n", 0o644)
    assert f"not fixed: it is outside the project, in {target}" in ended.stdout
    assert ended.code == 1


def test_fix_never_touches_a_program_elsewhere_that_a_plugin_names(project, cli, tmp_path):
    program = tmp_path / "program.sh"
    program.write_bytes(b"#!/bin/sh\r\n")
    path = project.manifest("p", hooks=[{"event": "PreToolUse"}])
    quoted = json.dumps(f"sh {shlex.quote(str(program))}")[1:-1]
    path.write_text(path.read_text().replace("sh hook.sh", quoted))
    assert "not fixed" in cli("validate", "--fix").stdout
    assert program.read_bytes() == b"#!/bin/sh\r\n"


def test_fix_leaves_what_is_no_plain_text_alone(project, cli):
    script = project.script(".claude/hooks/pre/bash.sh", "")
    script.write_bytes(b"#!/bin/sh\r\nexit\r\n\0\r\n")
    ended = cli("validate", "--fix")
    assert script.read_bytes() == b"#!/bin/sh\r\nexit\r\n\0\r\n"
    assert "cannot be fixed: it is not plain text of at most 1 MiB" in ended.stdout


def test_fix_touches_nothing_else(project, cli):
    project.script(".claude/hooks/pre/bash.sh", WARNED)
    project.script(".claude/hooks/pre/edit.sh", "exit 0\n", mode=0o644)  # without a shebang it is no hook
    project.script(".claude/hooks/stray.sh", "", mode=0o644).write_bytes(b"#!/bin/sh\r\n")
    project.manifest("p", script=FINE, hooks=[{"event": "PreToolUse", "matchr": "Shell"}])
    before = snapshot(project.path)
    assert " fixed" not in cli("validate", "--fix").stdout
    assert snapshot(project.path) == before


def test_fix_mends_only_what_is_named(project, cli):
    one = project.script(".claude/hooks/pre/bash.sh", FINE, mode=0o644)
    other = project.script(".claude/hooks/pre/edit.sh", FINE, mode=0o644)
    assert cli("validate", "--fix", str(one)).code == 0
    assert (os.access(one, os.X_OK), os.access(other, os.X_OK)) == (True, False)


def snapshot(folder):
    return {
        path: (path.stat().st_mode, path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.parametrize("many", [True, False])
def test_progress_is_shown_on_a_terminal_where_there_is_much_to_do(project, user_environment, many):
    for number in range(25 if many else 3):
        project.script(f".claude/hooks/pre/{number}-bash.sh", FINE)
    terminal, other_end = pty.openpty()
    command = [sys.executable, "-m", "hookrun", "validate", "--format", "json"]
    with subprocess.Popen(
        command, cwd=project.path, env=user_environment | {"TERM": "xterm"}, stdout=subprocess.PIPE, stderr=other_end
    ) as process:
        os.close(other_end)
        shown = all_of(terminal)
        stdout = process.stdout.read()
    assert json.loads(stdout)["findings"] == []
    assert ("checking" in shown) == many


def all_of(terminal):
    """Return what was written to a terminal until its other end was closed."""
    text = b""
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # EIO: Linux's way to say that nobody has it open any more
            data = b""
        if not data:
            os.close(terminal)
            return text.decode()
        text += data


def test_progress_is_not_written_to_a_file(project, cli):
    for number in range(25):
        project.script(f".claude/hooks/pre/{number}-bash.sh", FINE)
    assert cli("validate").stderr == ""


def test_the_hooks_of_this_checkout_are_free_of_findings(cli, pytestconfig):
    ended = cli("validate", "--strict", cwd=pytestconfig.rootpath)
    assert ended.stdout.endswith(": 0 errors, 0 warnings\n")
    assert not ended.stdout.startswith("checked 0 ")
    assert ended.code == 0
