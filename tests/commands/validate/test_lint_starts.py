"""Scripts that cannot start, or that their own interpreter cannot read. Nothing of them is ever run."""

from __future__ import annotations

import os
import shutil

import pytest
from linted import messages, report_of

from hookrun.commands.validate.starts import ask


def levels(project, environment):
    return [finding.level for finding in report_of(project, environment).findings]


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("bash.sh", "#!/bin/sh\r\nexit 0\r\n", "1: cannot start: CRLF line endings"),
        ("bash", "#!/usr/bin/env no-such-thing\n", "1: cannot start: no-such-thing, the interpreter of bash,"),
        ("bash.sh", "#!/no/such/sh\n", "1: cannot start: /no/such/sh, the interpreter of bash.sh,"),
        ("bash.sh", "#!/bin/sh\n# hookrun: needs=no-such-thing\n", "2: cannot start: needs no-such-thing"),
    ],
)
def test_a_script_that_cannot_start_is_an_error(project, user_environment, name, text, complaint):
    project.script(f".claude/hooks/pre/{name}", "").write_bytes(text.encode())
    (found,) = messages(project, user_environment)
    assert found.startswith(complaint)
    assert levels(project, user_environment) == ["error"]


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        ("bash missing.sh", "entry: cannot start: missing.sh does not exist"),
        ("no-such-thing hook.sh", "entry: cannot start: no-such-thing is not installed"),
        ("sh 'hook.sh", "entry: the command cannot be split"),
        ("sh hook.sh", ""),
    ],
)
def test_a_plugin_that_cannot_start_is_one_error_at_its_entry(project, user_environment, entry, complaint):
    path = project.manifest("p", script="", hooks=[{"event": "PreToolUse"}], ui=[{"id": "w", "slot": "footer"}])
    path.write_text(path.read_text().replace("sh hook.sh", entry))
    found = [f"{finding.where}: {finding.message}" for finding in report_of(project, user_environment).findings]
    assert len(found) == bool(complaint)
    assert all(text.startswith(complaint) for text in found)


def test_a_flaw_in_the_script_of_a_plugin_is_shown_at_the_script(project, user_environment):
    path = project.manifest("p", hooks=[{"event": "PreToolUse"}])
    (path.parent / "hook.sh").write_bytes(b"#!/bin/sh\r\n")
    (finding,) = report_of(project, user_environment).findings
    assert (finding.file, finding.message) == (str(path.parent / "hook.sh"), "cannot start: CRLF line endings")


def test_what_is_odd_about_a_start_is_a_warning(project, user_environment):
    project.script(".claude/hooks/pre/1-bash.sh", "#!/bin/sh\n", mode=0o644)
    project.script(".claude/hooks/pre/2-bash.sh", "echo\n")
    project.script(".claude/hooks/pre/3-bash", "")
    project.script(".claude/hooks/pre/4-bash.sh", "\ufeff#!/bin/sh\n")
    project.script(".claude/hooks/pre/5-bash.sh", "#!/bin/sh\n")
    project.script(".claude/hooks/pre/6-bash.sh", "echo\n", mode=0o644)
    assert messages(project, user_environment) == [
        "1: 1-bash.sh is not executable; its shebang is followed",
        "1: has no shebang: it is run by sh",
        "1: is empty: it runs and does nothing",
        "1: 4-bash.sh begins with a byte order mark",
        "0: neither executable nor with a shebang",
    ]
    assert set(levels(project, user_environment)) == {"warning"}


def test_a_script_that_a_plugin_gives_to_its_interpreter_needs_no_shebang(project, user_environment):
    project.manifest("p", script="true\n", hooks=[{"event": "PreToolUse"}])
    assert messages(project, user_environment) == []


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("bash.sh", "#!/bin/bash\n\nif true; then\nfi\n", "4: syntax error: near unexpected token `fi'"),
        ("bash.sh", "#!/bin/sh\n\n)\n", '3: syntax error: ")" unexpected'),
        ("bash.py", "#!/usr/bin/env python3\n\ndef (:\n", "3: syntax error for Python 3."),
        ("bash.py", "#!/usr/bin/env python3\nx = '\0'\n", "syntax error for Python 3."),
        ("bash.sh", "#!/bin/bash\ntrue\n", ""),
        ("bash.py", "#!/usr/bin/env python3\nx = 1\n", ""),
    ],
)
def test_a_syntax_error_is_found_with_its_line(project, user_environment, name, text, complaint):
    project.script(f".claude/hooks/pre/{name}", text)
    # /bin/sh is another shell elsewhere, with other words for the same.
    found = messages(project, user_environment)
    expected = complaint if "sh\n\n)" not in text else "3: syntax error: "
    assert len(found) == bool(complaint)
    assert all(expected in text for text in found)


def test_a_warning_of_the_shell_is_a_warning(project, user_environment):
    project.script(".claude/hooks/pre/bash.sh", "#!/bin/bash\ncat <<END\nno end\n")
    (finding,) = report_of(project, user_environment).findings
    assert finding.level == "warning"
    assert "here-document" in finding.message


@pytest.mark.skipif(not shutil.which("node"), reason="node is checked with where it is installed")
def test_a_syntax_error_of_javascript_is_found_with_its_line(project, user_environment):
    project.script(".claude/hooks/pre/bash.js", "#!/usr/bin/env node\n\nconst = 1;\n")
    project.script(".claude/hooks/pre/edit.js", "#!/usr/bin/env node\nconst one = 1;\n")
    (found,) = messages(project, user_environment)
    assert found.startswith("3: syntax error: ")


def test_no_line_of_a_script_runs_while_it_is_checked(project, user_environment, tmp_path):
    mark = tmp_path / "ran"
    project.script(".claude/hooks/pre/bash.sh", f"#!/bin/bash\ntouch {mark}\n")
    project.script(".claude/hooks/pre/edit.py", f"#!/usr/bin/env python3\nopen({str(mark)!r}, 'w')\n")
    project.script("start", f"touch {mark}\n")
    assert messages(project, {**user_environment, "BASH_ENV": str(project.path / "start")}) == []
    assert not mark.exists()


def test_an_interpreter_that_the_project_brings_along_does_not_run(project, user_environment, tmp_path):
    mark = tmp_path / "ran"
    own = project.script("bin/bash", f"#!/bin/sh\ntouch {mark}\n")
    project.script(".claude/hooks/pre/bash.sh", f"#!{own}\ntrue\n")
    assert messages(project, user_environment) == []
    assert not mark.exists()
    # On the PATH it is the user's own choice.
    messages(project, {**user_environment, "PATH": f"{own.parent}:{user_environment['PATH']}"})
    assert mark.exists()


SHELLCHECK = """#!/bin/sh
case "$*" in *--severity\\ error*) ;; *) exit 3;; esac
for last; do :; done
echo '{"comments": [{"file": "'"$last"'", "line": 2, "code": 2068, "message": "Quote it."}]}'
exit 1
"""


def test_errors_of_shellcheck_are_warnings_when_it_is_there(project, user_environment, tmp_path):
    project.script(".claude/hooks/pre/bash.sh", "#!/bin/bash\nls $@\n")
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("bash", "sh"):
        (programs / name).symlink_to(os.path.realpath(shutil.which(name)))
    environment = {**user_environment, "PATH": str(programs)}
    assert messages(project, environment) == []
    (programs / "shellcheck").write_text(SHELLCHECK)
    (programs / "shellcheck").chmod(0o755)
    (finding,) = report_of(project, environment).findings
    assert (finding.level, finding.line, finding.message) == ("warning", 2, "shellcheck SC2068: Quote it.")
    assert finding.hint == "https://www.shellcheck.net/wiki/SC2068"


def test_a_checker_that_breaks_down_finds_nothing(project, user_environment, tmp_path):
    project.script(".claude/hooks/pre/bash.sh", "#!/bin/bash\n)\n")
    broken = tmp_path / "programs/bash"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\nkill -9 $$\n")
    broken.chmod(0o755)
    path = f"{broken.parent}:{user_environment['PATH']}"
    assert messages(project, {**user_environment, "PATH": path}) == []
    assert len(messages(project, user_environment)) == 1
    assert ask(str(broken), path=path)[0] == -1


def test_a_script_that_several_hooks_run_is_checked_once(project, user_environment):
    project.manifest("p", script="if\n", hooks=[{"event": "PreToolUse"}, {"event": "PostToolUse"}])
    heard = []
    report = report_of(project, user_environment, watch=lambda *said: heard.append(said))
    assert len(report.findings) == 1
    assert [(done, total) for done, total, _ in heard] == [(0, 1)]
    assert (report.hooks, report.files) == (2, 2)
