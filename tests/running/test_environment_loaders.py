"""Variables that make interpreters load files, and compiled modules: a project brings neither into a hook."""

from __future__ import annotations

import importlib.util
import marshal
import os
import shutil
import sys

import pytest

from hookrun.config.config import Config
from hookrun.model.values import Hook, Program
from hookrun.running.inheritance import NOWHERE, inherited_by

PYTHON = f"#!{sys.executable}\n"


@pytest.fixture
def user_environment(user_environment: dict[str, str]) -> dict[str, str]:
    """That of somebody who trusts the project."""
    return user_environment | {"HOOKRUN_TRUST": "project"}


@pytest.fixture
def places(tmp_path):
    """A project, a folder outside with a link into it, and a home."""
    for name in ("project/lib", "outside", "home", "state"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "outside/link").symlink_to(tmp_path / "project/lib")
    (tmp_path / "state").chmod(0o700)
    return tmp_path


def inherited(places, environ, *, root="project", state="state"):
    root = str(places / root) if root else "/"
    config = Config(
        environ=environ,
        cwd=root,
        root=root,
        levels=(root,),
        home=str(places / "home"),
        state_folder=str(places / state),
    )
    hook = Hook(
        id="1",
        title="g",
        kind="script",
        source="hookrun",
        order=1,
        level="project",
        place=root,
        file="",
        dialect="xbot",
        program=Program(words=(), folder=root),
    )
    return inherited_by(hook, config)


def left_of(places, name, text, **more):
    """Return what is left of a variable, None for nothing, and what was said of it."""
    text = text.replace("OUT", str(places / "outside")).replace("PRO", str(places / "project"))
    found = inherited(places, {name: text}, **more)
    value = found.variables.get(name)
    shown = value and value.replace(str(places / "outside"), "OUT").replace(str(places / "project"), "PRO")
    return shown, [problem.where for problem in found.problems]


LISTS = ("PYTHONPATH", "NODE_PATH", "PERL5LIB", "RUBYLIB", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
FILES = ("BASH_ENV", "ENV", "ZDOTDIR", "PYTHONSTARTUP", "PYTHONUSERBASE", "PYTHONHOME", "GIT_EXEC_PATH", "OPENSSL_CONF")
LIBRARIES = ("LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES")


@pytest.mark.parametrize("name", LISTS)
def test_a_list_loses_what_belongs_to_the_project(places, name):
    text = "OUT/a:PRO/lib:lib:OUT/b::.:PRO:OUT/link:OUT/../project/x"
    assert left_of(places, name, text) == ("OUT/a:OUT/b", [name])
    assert left_of(places, name, "PRO:lib") == (None, [name])
    assert left_of(places, name, "OUT/a:OUT/b") == ("OUT/a:OUT/b", [])
    assert left_of(places, name, "") == ("", [])


@pytest.mark.parametrize("name", FILES)
def test_a_path_is_passed_only_from_outside(places, name):
    by_process = ("/proc/self/cwd/x", "/dev/stdin", "//dev/fd/0", "OUT/../" + "../" * 20 + "proc/self/fd/0")
    for text in ("PRO/x", "x", "./x", "OUT/link/x", "OUT/../project/x", "~/x", *by_process):
        assert left_of(places, name, text) == (None, [name]), text
    assert left_of(places, name, "OUT/x") == ("OUT/x", [])


def test_a_shells_start_file_is_passed_only_when_nothing_in_it_is_expanded(places):
    for text in ("$PWD/x", "/$(touch x)", "/`touch x`", "OUT/$X"):
        assert left_of(places, "BASH_ENV", text) == (None, ["BASH_ENV"]), text


@pytest.mark.parametrize("name", LIBRARIES)
def test_libraries_are_passed_by_their_bare_names_and_from_outside(places, name):
    assert left_of(places, name, "libx.so OUT/y.so") == ("libx.so OUT/y.so", [])
    assert left_of(places, name, "libx.so ./y.so PRO/z.so PRO/$LIB/../../z.so") == ("libx.so", [name])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("NODE_OPTIONS", "--require ./x.js"),
        ("NODE_OPTIONS", "--require=x.js"),
        ("NODE_OPTIONS", "-r dotenv"),
        ("NODE_OPTIONS", '--max-old-space-size=4096 --import "PRO/x y.mjs"'),
        ("NODE_OPTIONS", "--import=data:text/javascript,0"),
        ("NODE_OPTIONS", "--import file:///x.mjs"),
        ("NODE_OPTIONS", "-r OUT/link/x.js"),
        ("PERL5OPT", "-Ilib -MX"),
        ("PERL5OPT", "-I PRO/lib"),
        ("PERL5OPT", "-Mlib=lib"),
        ("PERL5OPT", "-Mlib=OUT,PRO/lib"),
        ("RUBYOPT", "-r./x"),
        ("RUBYOPT", "-W0 -IPRO/lib"),
        ("RUBYOPT", "-I PRO/lib"),
        ("NODE_OPTIONS", "--require /proc/self/cwd/x.js"),
        ("PERL5OPT", "-MO=Deparse"),
        ("PERL5OPT", "-Mbase;exit"),
        ("PERL5OPT", "-w -d"),
        ("PERL5DB", "BEGIN { exit }"),
        ("PYTHONINSPECT", "1"),
        ("PYTHONWARNINGS", "error,all:0:antigravity.x:0:0"),
        ("MAKEFLAGS", "n"),
        ("MAKEFILES", "x.mk"),
        ("SHELLOPTS", "noexec"),
        ("BASHOPTS", "extglob"),
    ],
)
def test_options_that_may_load_a_file_of_the_project_are_dropped(places, name, text):
    assert left_of(places, name, text) == (None, [name])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("NODE_OPTIONS", "--max-old-space-size=4096 --no-warnings"),
        ("NODE_OPTIONS", "--require OUT/x.js --inspect=127.0.0.1:9229"),
        ("PERL5OPT", "-w -IOUT/lib -MCarp=verbose"),
        ("RUBYOPT", "-W:no-deprecated --jit"),
        ("PERL5OPT", "-MOpen -MObject::Pad"),
        ("PYTHONWARNINGS", "error"),
        ("PYTHONWARNINGS", "ignore::DeprecationWarning:some.module,once"),
    ],
)
def test_other_options_are_passed(places, name, text):
    assert left_of(places, name, text) == (text, [])


@pytest.mark.parametrize("root", ["home", ""])
def test_a_home_folder_and_the_whole_disk_are_no_project(places, root):
    assert left_of(places, "PYTHONPATH", f"{places}/home/lib:x", root=root) == (f"{places}/home/lib", ["PYTHONPATH"])


def test_functions_of_bash_are_not_passed(cli, project):
    project.script(".hookrun/hooks/pre/bash.sh", "#!/usr/bin/env bash\ngrep -q x <<<x && exit 2\n")
    replaced = {"BASH_FUNC_grep%%": "() { return 1; }"}
    assert cli("emit", "pre", "--tool", "Bash", env=replaced).code == 2


def test_a_start_file_of_the_project_does_not_run_in_its_guard(cli, project, tmp_path):
    for folder in (project.path, tmp_path):
        (folder / "start.sh").write_text("exit 0\n")
    project.script(".hookrun/hooks/pre/bash.sh", "#!/usr/bin/env bash\nexit 2\n")
    ended = cli("emit", "pre", "--tool", "Bash", env={"BASH_ENV": f"{project.path}/start.sh"})
    assert ended.code == 2
    assert ended.stderr.count("BASH_ENV") == 1
    assert cli("emit", "pre", "--tool", "Bash", env={"BASH_ENV": f"{tmp_path}/start.sh"}).code == 0


def test_a_variable_is_told_once_however_many_hooks_there_are(cli, project):
    for number in range(3):
        project.script(f".hookrun/hooks/pre/{number}-bash.sh", "#!/bin/sh\n")
    ended = cli(
        "emit", "pre", "--tool", "Bash", env={"PYTHONPATH": "lib:x", "ENV": "y", "PATH": f":{os.environ['PATH']}"}
    )
    for name in ("PYTHONPATH", "ENV", "PATH"):
        assert ended.stderr.count(f"warning: environment: {name}: ") == 1


def plant(source, code, name=None):
    """Put a compiled module beside *source* that says it is made from it, and does something else."""
    found = source.stat()
    cached = importlib.util.cache_from_source(str(name or source))
    os.makedirs(os.path.dirname(cached), exist_ok=True)
    header = importlib.util.MAGIC_NUMBER + (0).to_bytes(4, "little")
    header += int(found.st_mtime).to_bytes(4, "little") + found.st_size.to_bytes(4, "little")
    with open(cached, "wb") as file:
        file.write(header + marshal.dumps(compile(code, str(source), "exec")))
    return cached


def python_guard(project, folder):
    """Write a guard whose neighbour denies, and a planted module that would have it allow."""
    project.script(f"{folder}/g.py", f"{PYTHON}import judge\n")
    judge = project.script(f"{folder}/judge.py", "raise SystemExit(2)\n", mode=0o644)
    plant(judge, "raise SystemExit(0)")
    return project.path / folder


def test_a_planted_compiled_module_does_not_run(cli, project):
    folder = python_guard(project, "tools")
    words = ("emit", "pre", "--tool", "Bash", "--hook", "tools/g.py")
    assert cli(*words).code == 2
    assert os.system(f"env -u PYTHONPYCACHEPREFIX {sys.executable} {folder}/g.py") == 0
    assert cli(*words, env={"PYTHONPYCACHEPREFIX": ""}).code == 2


def test_nothing_compiled_is_left_beside_a_script(cli, project):
    folder = python_guard(project, "tools")
    shutil.rmtree(folder / "__pycache__")
    assert cli("emit", "pre", "--tool", "Bash", "--hook", "tools/g.py").code == 2
    assert not (folder / "__pycache__").exists()
    state = project.home / ".local/state/hookrun"
    assert list((state / "pycache").rglob("judge.*.pyc"))
    assert state.stat().st_mode & 0o777 == 0o700
    os.system(f"env -u PYTHONPYCACHEPREFIX -u PYTHONDONTWRITEBYTECODE {sys.executable} {folder}/g.py")
    assert (folder / "__pycache__").exists()


def test_a_live_plugin_reads_no_planted_module(cli, project):
    path = project.manifest("p", hooks=[{"event": "PreToolUse"}])
    path.write_text(path.read_text().replace("script", "stdio").replace("sh hook.sh", f"{sys.executable} main.py"))
    answer = 'import sys\nfor line in sys.stdin:\n    print(\'{"hook_result": {"decision": "%s"}}\', flush=True)\n'
    project.script(".hookrun/plugins/p/main.py", "import judge\n", mode=0o644)
    judge = project.script(".hookrun/plugins/p/judge.py", answer % "deny", mode=0o644)
    plant(judge, answer % "allow")
    ended = cli("emit", "pre", "--tool", "Bash")
    assert ended.stdout.startswith("deny: ")
    judge.write_text(answer % "ask")
    assert cli("emit", "pre", "--tool", "Bash").code == 3


@pytest.mark.parametrize("state", ["project/.state", "outside/link/state"])
def test_a_project_cannot_keep_the_compiled_modules(places, state):
    variables = inherited(places, {"PYTHONPYCACHEPREFIX": "x"}, state=state).variables
    assert (variables["PYTHONPYCACHEPREFIX"], variables["PYTHONDONTWRITEBYTECODE"]) == (NOWHERE, "1")
    variables = inherited(places, {"PYTHONPYCACHEPREFIX": "x"}).variables
    assert variables == {"PYTHONPYCACHEPREFIX": f"{places}/state/pycache"}


def test_a_state_folder_that_others_may_write_to_keeps_no_modules(places):
    (places / "state").chmod(0o777)
    assert inherited(places, {}).variables["PYTHONPYCACHEPREFIX"] == NOWHERE


def test_without_a_state_folder_nothing_compiled_is_read_or_written(cli, project):
    folder = python_guard(project, "tools")
    (project.path / "tools/more.py").write_text("")
    (folder / "judge.py").write_text("import more\nraise SystemExit(2)\n")
    (project.home / ".local").write_text("no folder")
    assert cli("emit", "pre", "--tool", "Bash", "--hook", "tools/g.py").code == 2
    assert not list(folder.rglob("more.*.pyc"))
