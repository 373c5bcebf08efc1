"""Hooks that cannot start, or start oddly: never taken for a no, never passed over in silence."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from command import HOOKRUN
from firing import (
    ALLOWED_BY_SILENCE,
    BASH_GUARD,
    DENIED_BY_FAILURE,
    DENIED_BY_GUARD,
    DENY,
    NO,
    PASS,
    before_shell,
    guard_text,
    marker_script,
    problems_of,
    ruling,
    the_outcome,
)
from injected import Fault, bound_by_modes, emit_under

GUARDS_SHELL = [{"event": "PreToolUse", "matcher": "Shell"}]


def plugin_that_runs(project, entry, file, text, **hook):
    """A plugin whose guard is *entry*, with *file* beside its manifest unless *text* is None."""
    manifest = project.manifest("guard", hooks=[{**GUARDS_SHELL[0], **hook}])
    manifest.write_text(manifest.read_text().replace("sh hook.sh", entry))
    if text is not None:
        (manifest.parent / file).write_text(text)
    return manifest


@pytest.mark.parametrize(
    ("entry", "file"),
    [
        ("python3 missing.py", "missing.py"),
        ("bash missing.sh", "missing.sh"),
        ("timeout 5 bash missing.sh", "missing.sh"),
        ("./missing", "missing"),
    ],
)
def test_a_command_whose_script_is_missing_could_not_start_and_did_not_say_no(cli, project, entry, file):
    plugin_that_runs(project, entry, file, None)
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_FAILURE
    assert the_outcome(ended)["status"] == "not_started"
    assert f"{file} does not exist" in ended.document["message"]


def test_the_same_command_runs_once_its_script_is_there(cli, project):
    plugin_that_runs(project, "bash missing.sh", "missing.sh", "exit 0\n")
    ended = before_shell(cli)
    assert ruling(ended) == ALLOWED_BY_SILENCE
    assert the_outcome(ended)["status"] == "ran"


def test_on_failure_says_what_a_missing_script_means_and_it_is_shown_all_the_same(cli, project):
    manifest = plugin_that_runs(project, "bash missing.sh", "missing.sh", None, on_failure="allow")
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    shown = cli("emit", "pre", "--tool", "Shell")
    assert "missing.sh does not exist" in shown.stderr
    manifest.write_text(manifest.read_text().replace('"allow"', '"ask"'))
    assert ruling(before_shell(cli)) == (3, "ask", "failure")


CRLF_WAYS = ("#!/bin/bash", "#!/bin/sh", "#!/usr/bin/env bash", "#!/usr/bin/env python3")


@pytest.mark.parametrize("shebang", CRLF_WAYS)
@pytest.mark.parametrize("code", [0, 2])
def test_a_script_with_crlf_line_endings_could_not_start_and_did_not_say_no(cli, project, shebang, code):
    text = f"{shebang}\nexit({code})\n" if "python" in shebang else f"{shebang}\nexit {code}\n"
    project.script(BASH_GUARD, text)
    assert ruling(before_shell(cli)) == (DENIED_BY_GUARD if code else ALLOWED_BY_SILENCE)
    (project.path / BASH_GUARD).write_bytes(text.replace("\n", "\r\n").encode())
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_FAILURE
    assert the_outcome(ended)["status"] == "not_started"
    assert "CRLF line endings" in ended.document["message"]
    assert "hookrun validate --fix" in ended.document["message"]


def test_a_crlf_script_that_is_given_to_bash_could_not_start_either(cli, project):
    manifest = plugin_that_runs(project, "bash guard.sh", "guard.sh", "exit 0\n")
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    (manifest.parent / "guard.sh").write_bytes(b"exit 0\r\n")
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_FAILURE
    assert "CRLF line endings" in ended.document["message"]


def test_the_header_of_a_crlf_script_still_says_what_its_failure_means(cli, project):
    text = "#!/bin/sh\r\n# hookrun: on-failure=allow\r\nexit 2\r\n"
    project.script(BASH_GUARD, "").write_bytes(text.encode())
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    project.script(BASH_GUARD, text.replace("\r", ""))
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("#!/bin/bash\nif true; then\n", "bash.sh: line"),
        ("#!/bin/sh\nif true; then\n", "bash.sh: "),
        ("#!/usr/bin/env python3\nif True\n", "line 2"),
    ],
    ids=["bash", "sh", "python"],
)
def test_a_syntax_error_is_a_failure_that_shows_the_interpreters_first_line(cli, project, text, line):
    project.script(BASH_GUARD, text)
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_FAILURE
    assert the_outcome(ended)["status"] == "not_started"
    assert "syntax error" in ended.document["message"].lower()
    assert line in ended.document["message"]


@pytest.mark.parametrize("code", [0, 2, 7])
def test_bash_that_goes_on_after_a_syntax_error_has_not_started(cli, project, code):
    text = f"#!/bin/bash\ncheck() {{ words=(1 2; }}\ncheck\nexit {code}\n"  # bash reads on after line 2
    path = project.script(BASH_GUARD, text)
    went_on = subprocess.run([path], capture_output=True, text=True)
    assert (went_on.returncode, "syntax error" in went_on.stderr) == (code, True)
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_FAILURE
    assert the_outcome(ended)["status"] == "not_started"


def test_a_script_in_a_folder_that_cannot_be_entered_denies(project, user_environment):
    project.script(BASH_GUARD, PASS)
    folder = project.path / ".claude/hooks/pre"
    folder.chmod(0o444)  # it can be listed
    try:
        ended = emit_under(Fault(prefix=bound_by_modes()), project, user_environment, "--format", "json")
    finally:
        folder.chmod(0o755)
    assert ruling(ended) == DENIED_BY_FAILURE
    assert "cannot be read" in ended.document["message"]


def test_a_guard_that_only_prints_bashs_complaint_has_said_no(cli, project):
    project.script(BASH_GUARD, guard_text('echo "$0: line 2: syntax error: unexpected end" >&2', "exit 2"))
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_GUARD
    assert the_outcome(ended)["status"] == "ran"


def test_a_shebang_is_followed_without_the_right_to_execute_and_said(cli, project):
    project.script(BASH_GUARD, DENY, mode=0o644)
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_GUARD
    assert "chmod +x" in problems_of(ended)
    (project.path / BASH_GUARD).chmod(0o755)
    assert "chmod +x" not in problems_of(before_shell(cli))


def test_a_script_without_a_shebang_is_run_by_sh(cli, project):
    project.script(BASH_GUARD, DENY.removeprefix("#!/bin/sh\n"))
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_GUARD
    assert NO in ended.document["message"]


def test_an_empty_executable_runs_and_does_nothing(cli, project):
    project.script(BASH_GUARD, "")
    ended = before_shell(cli)
    assert ruling(ended) == ALLOWED_BY_SILENCE
    assert (the_outcome(ended)["status"], the_outcome(ended)["exit_code"]) == ("ran", 0)


def test_a_byte_order_mark_before_the_shebang_costs_a_problem_and_nothing_else(cli, project):
    project.script(BASH_GUARD, "\ufeff" + DENY)
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_GUARD
    assert "byte order mark" in problems_of(ended)


@pytest.mark.parametrize(
    ("shebang", "culprit"), [("#!/opt/nowhere/bin/nozsh", "/opt/nowhere/bin/nozsh"), ("#!/usr/bin/env nozsh", "nozsh")]
)
def test_a_missing_interpreter_is_named_and_not_the_script(cli, project, shebang, culprit):
    project.script(BASH_GUARD, f"{shebang}\nexit 0\n")
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_FAILURE
    assert the_outcome(ended)["status"] == "not_started"
    assert f"{culprit}, the interpreter of bash.sh, does not exist" in ended.document["message"]


def test_a_program_that_a_script_needs_and_that_is_missing_is_no_silent_pass(cli, project):
    text = "#!/bin/sh\n# hookrun: needs=sh,jq5\nexit 0\n"
    project.script(BASH_GUARD, text)
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_FAILURE
    assert "needs jq5, which is not installed" in ended.document["message"]
    project.script(BASH_GUARD, text.replace(",jq5", ""))
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


ODD_NAMES = ["with blanks", 'it\'s "quoted"', "two\nlines", "$HOME;`id`", "ünï*[x]", os.fsdecode(b"\xff")]


@pytest.mark.parametrize("name", ODD_NAMES, ids=["blanks", "quotes", "newline", "shell", "glob", "bytes"])
def test_odd_names_of_scripts_plugins_and_projects_are_run(cli, project, name):
    project.script(f".hookrun/hooks/pre/bash/{name}.sh", DENY)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    (project.path / f".hookrun/hooks/pre/bash/{name}.sh").unlink()
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    manifest = project.manifest("guard", script=DENY, hooks=GUARDS_SHELL)
    manifest.parent.rename(manifest.parent.with_name(name))
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    moved = project.path.rename(project.path.with_name(name))
    assert ruling(before_shell(cli, cwd=moved)) == DENIED_BY_GUARD


def test_a_script_whose_name_begins_with_a_dash_is_no_option_of_bash(cli, project):
    plugin_that_runs(project, "bash -x.sh", "-x.sh", DENY)
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_GUARD
    assert ended.document["message"] == f"guard: {NO}"


def test_a_working_directory_that_was_deleted_is_replaced_by_the_project_and_said(cli, project, user_environment):
    project.script(BASH_GUARD, guard_text("pwd -P >&2", "exit 2"))
    payload = f'{{"tool_name": "Shell", "cwd": "{project.path}/gone", "project_dir": "{project.path}"}}'
    ended = cli("emit", "pre", "--payload", payload, "--format", "json")
    assert ruling(ended) == DENIED_BY_GUARD
    assert the_outcome(ended)["stderr"].strip() == os.path.realpath(project.path)
    assert f"{project.path}/gone is gone" in problems_of(ended)


def test_hookrun_itself_may_stand_in_a_deleted_directory(project, user_environment):
    project.script(BASH_GUARD, guard_text("pwd -P >&2", "exit 2"))
    (project.path / "gone").mkdir()
    words = ["sh", "-c", f"cd gone && rmdir ../gone && exec '{HOOKRUN}' emit pre --tool Shell"]
    done = subprocess.run(words, cwd=project.path, env=user_environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stdout == f"deny: {BASH_GUARD}: {os.path.realpath(project.path)}\n"
    assert "is gone; hooks run in" in done.stderr


def test_a_script_that_is_still_being_written_is_tried_again(cli, project):
    script = project.script(".hookrun/hooks/pre/bash/2-written.sh", DENY)
    with script.open("ab") as file, subprocess.Popen(["sleep", "60"], stdout=file) as writer:
        file.close()
        project.script(".hookrun/hooks/pre/bash/1-release.sh", guard_text(f"kill {writer.pid}"))
        assert ruling(before_shell(cli)) == DENIED_BY_GUARD


def test_a_script_that_is_being_written_all_the_time_could_not_start(cli, project):
    script = project.script(BASH_GUARD, DENY)
    with script.open("ab"):
        ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_FAILURE
    assert "still being written" in ended.document["message"]


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: path.mkdir(), "a folder with the name of a script"),
        (os.mkfifo, "no regular file"),
        (lambda path: path.symlink_to(path), "a dangling link"),
        (lambda path: path.symlink_to("nowhere"), "a dangling link"),
    ],
    ids=["folder", "fifo", "loop", "dangling"],
)
def test_what_only_has_the_name_of_a_script_is_skipped_with_the_reason(cli, project, make, reason):
    place = project.script(BASH_GUARD, DENY)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    place.unlink()
    make(place)
    ended = before_shell(cli)
    assert ruling(ended) == ALLOWED_BY_SILENCE
    assert ended.document["outcomes"] == []
    (skip,) = cli("list", "--format", "json").document["skipped"]
    assert (skip["path"], skip["reason"]) == (str(place), reason)


def test_backups_documents_and_dot_files_beside_a_script_do_not_run(cli, project, tmp_path):
    ran = tmp_path / "ran"
    ran.mkdir()
    names = "bash.sh bash.sh~ bash.sh.bak bash.sh.orig #bash.sh# .bash.sh.swp README.md .DS_Store".split()
    for name in names:
        project.script(f".claude/hooks/pre/{name}", marker_script(ran, name))
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    assert os.listdir(ran) == ["bash.sh"]
    skipped = cli("list", "--format", "json").document["skipped"]
    assert {os.path.basename(skip["path"]) for skip in skipped} == {*names} - {"bash.sh"}
    for name in names[1:]:  # any of them would have run under another name
        shutil.copy(project.path / f".claude/hooks/pre/{name}", project.path / ".claude/hooks/pre/bash.sh")
        before_shell(cli)
    assert sorted(os.listdir(ran)) == sorted(names)


def test_a_file_that_is_neither_executable_nor_has_a_shebang_is_loudly_skipped(cli, project):
    project.script(BASH_GUARD, "exit 2\n", mode=0o644)
    ended = before_shell(cli)
    assert ruling(ended) == ALLOWED_BY_SILENCE
    assert "neither executable nor with a shebang" in problems_of(ended)
    (project.path / BASH_GUARD).chmod(0o755)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


def test_every_way_of_starting_ends_with_the_same_exit_codes(cli, project):
    script = project.script(BASH_GUARD, PASS)
    codes = {}
    for code in (0, 1, 2, 3):
        script.write_text(guard_text(f"exit {code}"))
        codes[code] = ruling(before_shell(cli))
    assert codes == {0: ALLOWED_BY_SILENCE, 1: DENIED_BY_FAILURE, 2: DENIED_BY_GUARD, 3: DENIED_BY_FAILURE}


@pytest.mark.parametrize("path", [".:{}", ":{}", "{}:", "bin/..:{}"])
def test_a_project_cannot_bring_the_interpreter_of_its_guard(cli, project, user_environment, path):
    project.script(BASH_GUARD, guard_text("exit 2", shell="/usr/bin/env no-bash"))
    (project.path / "own").mkdir()
    shutil.copy(shutil.which("bash"), project.path / "own/no-bash")
    own = f"{project.path}/own:{user_environment['PATH']}"
    assert ruling(before_shell(cli, env={"PATH": own})) == DENIED_BY_GUARD
    project.script("no-bash", PASS)
    ended = before_shell(cli, env={"PATH": path.format(own)})
    assert ruling(ended) == DENIED_BY_GUARD
    assert "PATH has folders that are not absolute" in problems_of(ended)
