"""Ways around trust that were found by trying: none runs anything unseen, none switches a guard off."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest
from firing import BASH_GUARD, DENIED_BY_GUARD, DENY, before_shell, ruling
from trusted import ALLOWED_BY_SILENCE, DENIED_BY_TRUST, trust

if TYPE_CHECKING:
    from pathlib import Path

    from command import Project

pytestmark = pytest.mark.usefixtures("untrusting")

MAKE = "guard:\n\t@sh tools/judge.sh\n"
PACKAGE = '{"scripts": {"guard": "sh tools/judge.sh"}}'
NO = "#!/bin/sh\necho no >&2\nexit 2\n"
YES = "#!/bin/sh\nexit 0\n"
COMPLETION = {"_HOOKRUN_COMPLETE": "complete_bash", "COMP_WORDS": "hookrun", "COMP_CWORD": "1"}


@pytest.fixture
def guard(project, cli):
    """A project whose guard of the shell is trusted, and denies."""
    project.script(BASH_GUARD, DENY)
    trust(cli)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    return project.path


def write(top: Path, name: str, text: str) -> Path:
    path = top / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def guard_of(project: Project, entry: str) -> None:
    """Give the project a manifest whose guard is the command *entry*."""
    path = project.manifest("g", hooks=[{"event": "PreToolUse"}])
    path.write_text(json.dumps(json.loads(path.read_text()) | {"entry": entry}))


@pytest.mark.parametrize("home", ["{project}/home", "{project}", "home", "/proc/self/cwd/home"])
def test_a_home_that_the_project_brings_along_has_no_hooks(home, cli, project, tmp_path):
    project.script(f"home/{BASH_GUARD}", f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
    project.script(BASH_GUARD, f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
    before_shell(cli, env={"HOME": home.format(project=project.path)})
    assert not (tmp_path / "ran").exists()
    shutil.copytree(project.path / "home", tmp_path / "elsewhere")
    before_shell(cli, env={"HOME": str(tmp_path / "elsewhere")})
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("variable", ["XDG_CONFIG_HOME", "XDG_STATE_HOME"])
def test_a_folder_of_the_user_that_is_another_for_each_process_is_refused(variable, cli, guard, tmp_path):
    done = before_shell(cli, env={variable: "/proc/self/cwd/x"})
    assert (done.code, done.stdout) == (2, "")
    assert "another for each process" in done.stderr


def test_no_event_is_taken_for_a_question_of_a_shell(cli, guard):
    assert ruling(before_shell(cli, env=COMPLETION)) == DENIED_BY_GUARD
    assert cli("emit", "pre", "--tool", "Shell", "--no-such", env=COMPLETION).code == 64
    assert "emit" in cli(env=COMPLETION).stdout.split()


def test_a_tool_stays_what_it_was_trusted_to_be(cli, guard):
    config = write(guard, ".hookrun/config.yaml", "tools: {run_it: shell}\n")
    event = ("emit", "pre", "--tool", "run_it", "--input", '{"what": "x"}', "--format", "json")
    trust(cli)
    assert ruling(cli(*event)) == DENIED_BY_GUARD
    config.write_text("tools: {run_it: read}\n")
    assert ruling(cli(*event)) == DENIED_BY_GUARD
    assert "loosens what guards do" in cli(*event[:-2]).stderr
    config.unlink()
    assert ruling(cli(*event)) == DENIED_BY_GUARD
    assert cli("untrust", ".hookrun/config.yaml").code == 0
    assert ruling(cli(*event)) == ALLOWED_BY_SILENCE


@pytest.mark.parametrize("git", ["folder", "file", "another project's"])
def test_a_git_folder_within_a_project_takes_no_trust_away(git, cli, project, tmp_path):
    inner = project.path / "inner"
    project.script(f"inner/{BASH_GUARD}", DENY)
    trust(cli, cwd=inner)
    assert ruling(before_shell(cli, cwd=inner)) == DENIED_BY_GUARD
    if git == "folder":
        (inner / ".git").mkdir()
    else:
        folder = tmp_path / "elsewhere"
        folder.mkdir()
        (inner / ".git").write_text(f"gitdir: {folder}\n")
    if git == "another project's":
        shutil.copytree(inner / ".claude", tmp_path / "other/.claude")
        (tmp_path / "other/.git").write_text(f"gitdir: {tmp_path}/elsewhere\n")
        trust(cli, cwd=tmp_path / "other")
    assert ruling(before_shell(cli, cwd=inner)) == DENIED_BY_GUARD
    (inner / BASH_GUARD).write_text(YES)
    assert ruling(before_shell(cli, cwd=inner)) == DENIED_BY_TRUST
    (inner / BASH_GUARD).unlink()
    assert ruling(before_shell(cli, cwd=inner)) == DENIED_BY_TRUST
    assert cli("untrust", BASH_GUARD, cwd=inner).code == 0
    assert ruling(before_shell(cli, cwd=inner)) == ALLOWED_BY_SILENCE


def test_a_git_folder_around_a_project_takes_no_trust_away(cli, project, tmp_path):
    (project.path / ".git").rmdir()
    project.script(BASH_GUARD, DENY)
    trust(cli)
    (tmp_path / ".git").mkdir()
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    (project.path / BASH_GUARD).write_text(YES)
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


def test_what_is_trusted_of_a_project_is_not_so_in_one_that_lies_in_it(cli, guard):
    shutil.copytree(guard / ".claude", guard / "inner/.claude")
    (guard / "inner/.git").mkdir()
    assert ruling(before_shell(cli, cwd=guard / "inner")) == ALLOWED_BY_SILENCE


@pytest.mark.parametrize(
    ("program", "entry", "recipe", "text"),
    [("make", "make -s guard", "Makefile", MAKE), ("npm", "npm -s run guard", "package.json", PACKAGE)],
)
def test_what_a_recipe_runs_is_part_of_the_hook(program, entry, recipe, text, cli, project):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    place, script = write(project.path, recipe, text), write(project.path, "tools/judge.sh", NO)
    write(project.path, "notes.md", "tools/judge.sh")
    guard_of(project, entry)
    trust(cli)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    script.write_text(YES)
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    script.write_text(NO)
    place.write_text(text.replace("tools/judge.sh", "notes.md"))
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


@pytest.mark.parametrize(
    "line",
    [
        '. "$CLAUDE_PROJECT_DIR/tools/judge.sh"',
        '. "${CLAUDE_PROJECT_DIR}"/tools/judge.sh',
        ". ./tools/judge.sh",
        "exec sh tools/judge.sh",
        "true && bash 'tools/judge.sh'",
    ],
)
def test_what_a_script_runs_from_the_project_is_part_of_it(line, cli, project):
    project.script("tools/judge.sh", NO)
    project.script(BASH_GUARD, f"#!/bin/sh\n{line}\n")
    trust(cli)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    project.script("tools/judge.sh", YES)
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


def test_what_a_guard_only_compares_is_no_part_of_it(cli, project):
    data = write(project.path, "package-lock.json", "{}")
    project.script(BASH_GUARD, '#!/bin/sh\n[ "$CLAUDE_PROJECT_DIR/package-lock.json" = x ] || exit 2\n')
    trust(cli)
    data.write_text("[]")
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


@pytest.mark.parametrize("name", ["judge.py", "json.py"])
@pytest.mark.parametrize("entry", ["python3 -m judge", "python3 -c 'import json, judge'"])
def test_nothing_where_it_runs_comes_before_what_python_was_to_import(entry, name, cli, project):
    write(project.path, "judge.py", "import json, sys\nsys.exit(2)\n")
    guard_of(project, entry)
    trust(cli)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    write(project.path, f"inner/{name}", "import os\nos._exit(0)\n")
    assert ruling(before_shell(cli, cwd=project.path / "inner")) == DENIED_BY_TRUST


@pytest.mark.parametrize("sign", ["\f", "\v", "\x1c", "\x85", "\u2028"])
def test_a_line_that_is_none_for_the_shell_is_none_for_the_person_who_trusts(sign, cli, project):
    project.script(BASH_GUARD, "#!/bin/sh\n# no pushes\nexit 2\n")
    trust(cli)
    path = project.path / BASH_GUARD
    path.write_text(path.read_text().replace("pushes\n", f"pushes{sign}"), newline="")
    shown = cli("trust", "--show").stdout.splitlines()
    assert "  -exit 2" in shown
    assert [line for line in shown if line.startswith("  +# no pushes\\")]
    assert not [line for line in shown if line.strip() == "exit 2"]


HIDDEN = f"  {BASH_GUARD} differs in what is not shown here"


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (b"\xff", b"\xfe", ["  -# \\xff", "  +# \\xfe"]),
        (b"\0", b"\0\0", ["  -# \\x00", "  +# \\x00\\x00"]),
        (b"\0\xff", b"\0\xfe", [HIDDEN]),
    ],
)
def test_a_change_is_never_shown_as_none(before, after, shown, cli, project):
    project.script(BASH_GUARD, DENY)
    path = project.path / BASH_GUARD
    path.write_bytes(b"#!/bin/sh\n# " + before + b"\nexit 2\n")
    trust(cli)
    path.write_bytes(b"#!/bin/sh\n# " + after + b"\nexit 2\n")
    lines = cli("trust").stdout.splitlines()
    marks = ("  -# ", "  +# ", HIDDEN)
    assert [line for line in lines if line.startswith(marks)] == shown


def test_what_is_masked_of_a_command_is_said_to_be(cli, project):
    guard_of(project, "\"sh -c 'API_KEY=$(evil) x'\"")
    assert "*** is not shown here" in cli("trust").stdout
    assert "API_KEY=$(evil) x" in cli("trust", "--show").stdout


def test_what_an_agent_asks_for_is_not_read_as_a_start_file(cli, project, tmp_path):
    project.script(BASH_GUARD, "#!/usr/bin/env bash\nexit 0\n")
    trust(cli)
    words = ("emit", "pre", "--tool", "Shell", "--input", f'{{"command": "$(touch {tmp_path}/ran)"}}')
    for variable in ("/dev/stdin", "/proc/self/fd/0", "/dev/fd/0", "//dev/stdin"):
        done = cli(*words, env={"BASH_ENV": variable})
        assert (done.code, (tmp_path / "ran").exists()) == (0, False), variable
        assert "BASH_ENV" in done.stderr


def test_no_folder_of_path_is_another_for_each_process(cli, project, tmp_path):
    project.script(BASH_GUARD, "#!/usr/bin/env bash\nexit 2\n", user=True)
    project.script("bin/bash", f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
    for folder in ("/proc/self/cwd/bin", "/proc/thread-self/cwd/bin"):
        assert before_shell(cli, env={"PATH": f"{folder}:{os.environ['PATH']}"}).code == 2
    assert not (tmp_path / "ran").exists()


def test_a_key_in_input_that_cannot_be_read_is_not_shown(cli, project):
    done = cli("emit", "pre", "--tool", "Shell", "--input", '{"api_key": "S3CRET", oops}')
    assert (done.code, "S3CRET" in done.stderr) == (64, False)
    assert "api_key" in done.stderr


def test_a_hook_that_a_sub_folder_configures_is_missed_only_there(project, cli):
    guard = project.script("sub/g.sh", DENY)
    (project.path / "sub/pyproject.toml").write_text('[tool.hookrun]\nhooks = ["g.sh"]\n')
    assert cli("trust", "--yes", cwd=project.path / "sub").code == 0
    assert ruling(before_shell(cli, cwd=project.path / "sub")) == DENIED_BY_GUARD
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    guard.unlink()
    (project.path / "sub/pyproject.toml").unlink()
    assert ruling(before_shell(cli, cwd=project.path / "sub")) == DENIED_BY_TRUST
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


@pytest.mark.parametrize("name", ["protect-paths", "guard-shell", "secret-scan"])
def test_installing_into_agents_takes_no_trust_from_bundled_guards(name, cli, project):
    assert cli("new", name).code == 0
    before = cli("list").stdout
    assert "1 of 1 in force" in before
    assert cli("install", "claude", "codex", "gemini", "cursor", "xbot").code == 0
    (project.path / ".claude/settings.local.json").write_text("{}")
    (project.path / ".hookrun/config.yaml").write_text("tools: {}\n")
    assert "1 of 1 in force" in cli("list").stdout
