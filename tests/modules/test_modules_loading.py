"""Loading modules: which paths, in which order, what fails and how it is said, and what they import."""

from __future__ import annotations

import importlib.util
import os
import py_compile
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hookrun import HookRunner, discover_and_load_hooks, load_hooks

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hookrun import LoadHooksResult

MODULE = 'def hook(api):\n    api.register_command("{name}", handler=print)\n'


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a file below the test's folder and return its path; without a text, a module with a command."""

    def write_file(name: str, text: str | None = None) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(MODULE.format(name=name) if text is None else text)
        return path

    return write_file


def commands(result: LoadHooksResult) -> list[str]:
    return [command.name for registered in result.hooks for command in registered.commands]


def the_error(result: LoadHooksResult) -> str:
    (error,) = result.errors
    return error.error


def test_a_path_is_absolute_or_from_home_or_relative_to_cwd(write, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir("/")
    absolute = write("a/one.py")
    write("home/two.py")
    write("work/three.py")
    result = load_hooks([str(absolute), "~/two.py", "three.py", "../a/one.py"], str(tmp_path / "work"))
    assert result.errors == ()
    assert commands(result) == ["a/one.py", "home/two.py", "work/three.py"]


def test_a_file_is_loaded_once_however_it_is_reached(write, tmp_path):
    write("guard.py")
    (tmp_path / "link.py").symlink_to("guard.py")
    (tmp_path / "folder").symlink_to(tmp_path)
    result = load_hooks(["guard.py", "link.py", "folder/guard.py", "./guard.py"], str(tmp_path))
    assert commands(result) == ["guard.py"]


def test_order_is_that_of_the_paths(write, tmp_path):
    for name in ("b.py", "a.py", "c.py"):
        write(name)
    assert commands(load_hooks(["b.py", "c.py", "a.py"], str(tmp_path))) == ["b.py", "c.py", "a.py"]


def test_loading_goes_on_after_a_failure(write, tmp_path):
    write("one.py")
    write("two.py", "1 / 0\n")
    write("three.py")
    result = load_hooks(["one.py", "two.py", "three.py"], str(tmp_path))
    assert commands(result) == ["one.py", "three.py"]
    assert [error.path for error in result.errors] == [str(tmp_path / "two.py")]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("x = 1\n", "has no callable named hook (or default)"),
        ("hook = 5\n", "has no callable named hook (or default)"),
        ("import os\nimport no_such_thing\n", "ModuleNotFoundError: No module named 'no_such_thing' (line 2)"),
        ("\nfrom os import nothing\n", "ImportError: cannot import name 'nothing' from 'os'"),
        ("def hook(api):\n    x = 1\n    raise ValueError('bad set-up')\n", "ValueError: bad set-up (line 3)"),
        ("def hook():\n    pass\n", "TypeError: hook() takes 0 positional arguments but 1 was given"),
        ("def hook(api:\n", "SyntaxError in line 1: "),
        ("x = 1\n\tdef y(): pass\n", "SyntaxError in line 2: unexpected indent"),
        ("def hook(api):\n    api.on('tool_cal', print)\n", "UsageError: unknown event 'tool_cal' (line 2)"),
        ("import sys\nsys.exit(0)\n", "RuntimeError: called exit(0) (line 2)"),
        ("def hook(api):\n    raise SystemExit\n", "RuntimeError: called exit() (line 2)"),
        ("async def hook(api):\n    raise KeyError('k')\n", "KeyError: 'k' (line 2)"),
        ("raise Exception\n", "Exception (line 1)"),
    ],
)
def test_what_is_wrong_with_a_module_is_said_with_its_line(write, tmp_path, text, error):
    write("guard.py", text)
    result = load_hooks(["guard.py"], str(tmp_path))
    assert result.hooks == ()
    assert error in the_error(result)


def test_a_syntax_error_of_a_neighbour_names_its_file(write, tmp_path):
    neighbour = write("_rules.py", "x =\n")
    write("guard.py", "import _rules\n")
    said = the_error(load_hooks(["guard.py"], str(tmp_path)))
    assert said == f"SyntaxError in line 1 of {neighbour}: invalid syntax"


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("guard.sh", "is not a Python module: a script belongs into hooks/pre or hooks/post"),
        ("guard", "is not a Python module"),
        ("missing.py", "cannot be read: No such file or directory"),
        ("folder", "cannot be read: No such file or directory"),
    ],
)
def test_a_path_that_is_no_module_is_an_error(write, tmp_path, name, error):
    write("guard.sh", "#!/bin/sh\nexit 0\n")
    write("guard", "#!/usr/bin/env python3\n")
    write("folder/readme.txt", "")
    assert the_error(load_hooks([name], str(tmp_path))).startswith(error)


def test_the_callable_may_be_named_default_and_hook_comes_first(write, tmp_path):
    write("a.py", 'def default(api):\n    api.register_command("a", handler=print)\n')
    write("b.py", 'def default(api):\n    1 / 0\nhook = lambda api: api.register_command("b", handler=print)\n')
    assert commands(load_hooks(["a.py", "b.py"], str(tmp_path))) == ["a", "b"]


@pytest.mark.parametrize("in_a_loop", [False, True])
def test_the_callable_may_be_async(write, tmp_path, in_a_loop):
    import asyncio

    write(
        "a.py",
        "import asyncio\nasync def hook(api):\n    await asyncio.sleep(0)\n"
        '    api.register_command("a", handler=print)\n',
    )

    async def main() -> LoadHooksResult:
        return load_hooks(["a.py"], str(tmp_path))

    loaded = asyncio.run(main()) if in_a_loop else load_hooks(["a.py"], str(tmp_path))
    assert commands(loaded) == ["a"]


def test_two_modules_of_one_name_do_not_collide(write, tmp_path):
    write("a/guard.py")
    write("b/guard.py")
    assert commands(load_hooks(["a/guard.py", "b/guard.py"], str(tmp_path))) == ["a/guard.py", "b/guard.py"]


LATE = """
import {neighbour}
def hook(api):
    import {neighbour} as early
    def handler(args, ctx):
        import {neighbour} as late
        return (early.NAME, late.NAME)
    api.register_command({neighbour}.NAME, handler=handler)
"""


def test_neighbours_of_one_name_do_not_collide_whenever_they_are_imported(write, tmp_path):
    for folder in ("a", "b"):
        write(f"{folder}/_rules.py", f"NAME = '{folder}'\n")
        write(f"{folder}/guard.py", LATE.format(neighbour="_rules"))
    result = load_hooks(["a/guard.py", "b/guard.py"], str(tmp_path))
    assert commands(result) == ["a", "b"]
    handlers = [command.handler for registered in result.hooks for command in registered.commands]
    assert [handler("", None) for handler in handlers] == [("a", "a"), ("b", "b")]


def test_a_neighbour_is_meant_also_where_the_host_has_a_module_of_its_name(write, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "rules", importlib.util)
    write("rules.py", "NAME = 'own'\n")
    write("guard.py", LATE.format(neighbour="rules"))
    assert commands(load_hooks(["guard.py"], str(tmp_path))) == ["own"]
    assert sys.modules["rules"] is importlib.util


def test_the_standard_library_is_never_a_neighbour(write, tmp_path):
    write("json.py", "1 / 0\n")
    write("guard.py", "import json\ndef hook(api):\n    json.dumps(1)\n")
    assert load_hooks(["guard.py"], str(tmp_path)).errors == ()


def test_neighbours_import_each_other_and_packages_beside_them(write, tmp_path):
    write("_one.py", "from _two import NAME\nfrom parts.inner import MORE\nimport parts.inner as inner\n")
    write("_two.py", "NAME = 'two'\n")
    write("parts/__init__.py", "")
    write("parts/inner.py", "from . import other\nfrom _two import NAME\nMORE = NAME + other.NAME\n")
    write("parts/other.py", "NAME = '!'\n")
    write(
        "guard.py",
        "import _one\nimport parts.inner\ndef hook(api):\n"
        "    assert parts.inner.MORE == _one.MORE == _one.inner.MORE\n"
        "    api.register_command(_one.NAME + _one.MORE, handler=print)\n",
    )
    assert commands(load_hooks(["guard.py"], str(tmp_path))) == ["twotwo!"]


def test_a_package_is_a_module_with_relative_imports(write, tmp_path):
    write("guard/__init__.py", "from .rules import NAME\nfrom . import rules\nimport rules as absolute\n")
    with open(tmp_path / "guard/__init__.py", "a") as file:
        file.write("def hook(api):\n    assert absolute is rules\n")
        file.write("    from . import late\n    api.register_command(NAME + late.NAME, handler=print)\n")
    write("guard/rules.py", "NAME = 'packaged'\n")
    write("guard/late.py", "NAME = '!'\n")
    result = load_hooks(["guard"], str(tmp_path))
    assert (commands(result), result.errors) == (["packaged!"], ())


def test_classes_of_a_module_find_their_home(write, tmp_path):
    write(
        "guard.py",
        "from dataclasses import dataclass\nimport pickle, typing\n@dataclass\nclass Rule:\n    name: 'str'\n"
        "def hook(api):\n    assert pickle.loads(pickle.dumps(Rule('a'))) == Rule('a')\n"
        "    assert typing.get_type_hints(Rule) == {'name': str}\n    assert __file__.endswith('guard.py')\n",
    )
    assert load_hooks(["guard.py"], str(tmp_path)).errors == ()


def test_loading_leaves_the_process_as_it_was(write, tmp_path):
    write("_rules.py", "NAME = 'x'\n")
    write("guard.py", LATE.format(neighbour="_rules"))
    write("broken.py", "import _rules\n1 / 0\n")
    load_hooks(["guard.py"], str(tmp_path))
    path, modules = list(sys.path), set(sys.modules)
    load_hooks(["broken.py"], str(tmp_path))
    assert set(sys.modules) == modules
    load_hooks(["guard.py"], str(tmp_path))
    assert sys.path == path
    assert all(name.startswith("hookrun_module_") for name in set(sys.modules) - modules)
    assert not list(tmp_path.rglob("__pycache__"))


def test_reloading_picks_up_the_new_source_of_a_module_and_its_neighbours(write, tmp_path):
    write("_rules.py", "NAME = 'old'\n")
    guard = write("guard.py", LATE.format(neighbour="_rules"))
    assert commands(load_hooks(["guard.py"], str(tmp_path))) == ["old"]
    before = os.stat(guard)
    write("_rules.py", "NAME = 'new'\n")
    os.utime(tmp_path / "_rules.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert commands(load_hooks(["guard.py"], str(tmp_path))) == ["new"]


def plant(path: Path, text: str) -> None:
    """Put bytecode of *text* where Python would look for that of *path*, marked as never to be checked."""
    planted = path.with_name("planted.py")
    planted.write_text(text)
    py_compile.compile(
        str(planted),
        cfile=importlib.util.cache_from_source(str(path)),
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )
    planted.unlink()


def test_a_planted_pycache_never_runs(write, tmp_path):
    paths = [write("guard.py", "import _rules\nfrom parts import inner\n" + MODULE.format(name="true"))]
    paths += [write(name, "") for name in ("_rules.py", "parts/__init__.py", "parts/inner.py")]
    for path in paths:
        plant(path, "raise SystemError('planted')\n")
    assert commands(load_hooks(["guard.py"], str(tmp_path))) == ["true"]
    sys.path.insert(0, str(tmp_path))
    try:
        with pytest.raises(SystemError, match="planted"):  # Python itself would have run it
            importlib.import_module("_rules")
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("_rules", None)


def test_what_is_discovered_comes_before_what_is_configured(project, user_environment, monkeypatch):
    for name, value in user_environment.items():
        monkeypatch.setenv(name, value)
    project.script(".hookrun/hooks/b.py", MODULE.format(name="b"))
    project.script(".hookrun/hooks/a.py", MODULE.format(name="a"))
    project.script(".hookrun/hooks/_not.py", "1 / 0\n")
    project.script(".config/hookrun/hooks/user.py", MODULE.format(name="user"), user=True)
    project.script("extra.py", MODULE.format(name="extra"))
    project.script(".hookrun/hooks/pre/bash.sh", "#!/bin/sh\nexit 0\n")
    result = discover_and_load_hooks(["extra.py", ".hookrun/hooks/a.py"], str(project.path))
    assert (commands(result), result.errors) == (["user", "a", "b", "extra"], ())


def test_a_discovered_shell_hook_runs_as_a_script_and_is_no_error(project, user_environment):
    project.script(".hookrun/hooks/pre/bash.sh", "#!/bin/sh\necho no >&2\nexit 2\n")
    project.script(".hookrun/hooks/guard.py", MODULE.format(name="a"))
    with HookRunner.discover(project.path, env=user_environment) as runner:
        assert runner.emit("pre", tool="Bash").verdict.word == "deny"
        assert [command.name for command in runner.get_registered_commands()] == ["a"]
        assert runner.problems == ()


def test_a_module_that_cannot_be_loaded_is_a_failed_guard(project, user_environment):
    path = project.script(".hookrun/hooks/guard.py", "import no_such_thing\n")
    project.script(".hookrun/hooks/other.py", MODULE.format(name="other"))
    with HookRunner.discover(project.path, env=user_environment) as runner:
        (problem,) = runner.problems
        assert (problem.level, problem.source) == ("error", str(path))
        assert "No module named 'no_such_thing' (line 1)" in problem.message
        for name, word in (("pre", "deny"), ("prompt", "deny"), ("stop", None), ("post", None), ("PreCompact", None)):
            decision = runner.emit(name, tool="Bash" if name in ("pre", "post") else "")
            assert (decision.verdict.word, decision.decided_by) == (word, word and "failure")
            assert [answer.status for answer in decision.answers] == ["not_started"]
            assert "no_such_thing" in decision.answers[0].message


def test_one_file_reached_twice_is_called_once(project, user_environment):
    counter = 'def hook(api):\n    api.on("turn_end", lambda event, ctx: api.append_entry("n"))\n'
    path = project.script(".hookrun/hooks/a.py", counter)
    (path.parent / "b.py").symlink_to("a.py")
    (project.home / ".config/hookrun/hooks").mkdir(parents=True)
    (project.home / ".config/hookrun/hooks/c.py").symlink_to(path)
    with HookRunner.discover(
        project.path, env=user_environment, hooks=[str(path), str(path.parent / "b.py")]
    ) as runner:
        runner.emit("turn_end", session_id="s")
        assert len(runner.store.entries("s")) == 1


PLUGIN = {"id": "py", "name": "py", "version": "1.0.0", "runtime": "python", "permissions": ["*"]}


def python_plugin(project: Any, entry: str, **contributes: Any) -> Path:
    import json

    document = PLUGIN | {"entry": entry, "contributes": contributes}
    return project.script(".hookrun/plugins/py/plugin.json", json.dumps(document), mode=0o644)


BLOCK = 'def hook(api):\n    api.on("tool_call", lambda event, ctx: {"block": True, "reason": "no"})\n'


@pytest.mark.parametrize("runtime", ["python", "native"])
@pytest.mark.parametrize("entry", ["guard.py", "./guard.py", "${PLUGIN_ROOT}/guard.py", "package"])
def test_the_entry_of_a_python_plugin_is_a_module(project, user_environment, entry, runtime):
    path = python_plugin(project, entry)
    path.write_text(path.read_text().replace('"python"', f'"{runtime}"'))
    project.script(".hookrun/plugins/py/guard.py", BLOCK)
    project.script(".hookrun/plugins/py/package/__init__.py", BLOCK)
    with HookRunner.discover(project.path, env=user_environment) as runner:
        assert runner.problems == ()
        decision = runner.emit("pre", tool="Bash")
        assert (decision.verdict.word, decision.message) == ("deny", "py: no")


@pytest.mark.parametrize("declared", [("PostToolUse", "Shell*"), ("PreToolUse", "FileRead"), ("Nonsense", "")])
def test_all_handlers_of_a_python_plugin_are_called_whatever_it_declares(project, user_environment, declared):
    event, matcher = declared
    python_plugin(project, "guard.py", hooks=[{"event": event, "matcher": matcher}])
    project.script(".hookrun/plugins/py/guard.py", BLOCK)
    with HookRunner.discover(project.path, env=user_environment) as runner:
        assert runner.emit("pre", tool="Bash").verdict.word == "deny"
        assert runner.emit("pre", tool="FileRead").verdict.word == "deny"


@pytest.mark.parametrize(("role", "word"), [("observer", None), ("guard", "deny")])
def test_a_python_plugin_that_cannot_load_denies_unless_it_calls_itself_an_observer(
    project, user_environment, role, word
):
    python_plugin(project, "guard.py", hooks=[{"event": "PostToolUse", "role": role}])
    project.script(".hookrun/plugins/py/guard.py", "raise OSError\n")
    with HookRunner.discover(project.path, env=user_environment) as runner:
        assert runner.emit("pre", tool="Bash").verdict.word == word


def test_a_missing_entry_is_not_looked_for_elsewhere(project, user_environment, monkeypatch):
    python_plugin(project, "guard.py")
    project.script("guard.py", BLOCK.replace('"no"', '"the wrong file"'))
    monkeypatch.chdir(project.path)
    with HookRunner.discover(project.path, env=user_environment) as runner:
        decision = runner.emit("pre", tool="Bash")
    assert (decision.verdict.word, decision.decided_by) == ("deny", "failure")
    assert "cannot be read" in decision.message


@pytest.mark.parametrize("entry", ["python3 guard.py", "guard.sh"])
def test_an_entry_that_is_no_module_denies_and_says_why(project, user_environment, entry):
    python_plugin(project, entry)
    project.script(".hookrun/plugins/py/guard.py", BLOCK)
    project.script(".hookrun/plugins/py/guard.sh", "#!/bin/sh\n")
    with HookRunner.discover(project.path, env=user_environment) as runner:
        decision = runner.emit("pre", tool="Bash")
        assert (decision.verdict.word, decision.decided_by) == ("deny", "failure")
        assert "module" in decision.message
