"""Where things lie: roots, levels, the user's folders."""

from __future__ import annotations

import os

import platformdirs
import pytest

from hookrun.config import paths


@pytest.fixture
def tree(tmp_path):
    """home/ with a project in it that has a nested clone."""
    for folder in ("home/.claude", "home/work/project/.git", "home/work/project/vendor/clone/.git"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path / "home"


def test_the_nearest_folder_with_git_is_the_root(tree):
    inner = tree / "work/project/vendor"
    assert paths.project_root(str(inner), home=str(tree)) == str(tree / "work/project")


def test_a_folder_of_hooks_marks_a_project_without_git(tree):
    (tree / "loose/.hookrun").mkdir(parents=True)
    (tree / "loose/deep").mkdir()
    assert paths.project_root(str(tree / "loose/deep"), home=str(tree)) == str(tree / "loose")


def test_home_with_hooks_is_no_project_of_what_is_below_it(tree):
    (tree / "elsewhere").mkdir()
    assert paths.project_root(str(tree / "elsewhere"), home=str(tree)) == str(tree / "elsewhere")


def test_home_under_git_is_a_project(tree):
    (tree / ".git").mkdir()
    (tree / "elsewhere").mkdir()
    assert paths.project_root(str(tree / "elsewhere"), home=str(tree)) == str(tree)


@pytest.mark.parametrize("source", ["given", "agent_project", "remembered"])
def test_what_is_said_counts_more_than_what_is_near(tree, source):
    inner = tree / "work/project/vendor/clone"
    said = {source: str(tree / "work/project")}
    assert paths.project_root(str(inner), home=str(tree), **said) == str(tree / "work/project")
    assert paths.project_root(str(inner), home=str(tree)) == str(inner)


def test_the_order_of_what_is_said(tree):
    root = paths.project_root("/", given="/a", agent_project="/b", remembered="/c")
    assert root == "/a"
    assert paths.project_root("/", agent_project="/b", remembered="/c") == "/b"


def test_levels_are_all_folders_between_root_and_cwd():
    assert paths.project_levels("/p", "/p/a/b") == ("/p", "/p/a", "/p/a/b")
    assert paths.project_levels("/p", "/p") == ("/p",)


def test_a_cwd_outside_the_root_adds_its_own_project(tree):
    (tree / "other/.git").mkdir(parents=True)
    (tree / "other/sub").mkdir()
    levels = paths.project_levels(str(tree / "work/project"), str(tree / "other/sub"), str(tree))
    assert levels == (str(tree / "work/project"), str(tree / "other"), str(tree / "other/sub"))


@pytest.mark.parametrize(
    "environ",
    [{}, {"XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s"}, {"XDG_CONFIG_HOME": "relative", "XDG_STATE_HOME": ""}],
    ids=["plain", "set", "relative"],
)
def test_the_users_folders_are_those_of_platformdirs(monkeypatch, environ):
    monkeypatch.setenv("HOME", "/home/somebody")
    for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in environ.items():
        monkeypatch.setenv(variable, value)
    here = {"HOME": "/home/somebody", **environ}
    if environ.get("XDG_CONFIG_HOME") == "relative":  # the specification: a relative path is not to be used
        assert paths.config_folder(here) == "/home/somebody/.config/hookrun"
        return
    assert paths.config_folder(here) == platformdirs.user_config_dir("hookrun")
    assert paths.state_folder(here) == platformdirs.user_state_dir("hookrun")


def test_without_home_the_password_file_knows():
    import pwd

    assert paths.home_folder({}) == pwd.getpwuid(os.getuid()).pw_dir


def test_the_runtime_folder_belongs_to_the_user(tmp_path):
    assert paths.runtime_folder({"XDG_RUNTIME_DIR": str(tmp_path)}) == str(tmp_path / "hookrun")
    assert paths.runtime_folder({"XDG_RUNTIME_DIR": "/not/there", "TMPDIR": "/t"}) == f"/t/hookrun-{os.getuid()}"
    assert paths.runtime_folder({"TMPDIR": "t"}) == f"/tmp/hookrun-{os.getuid()}"


def test_paths_are_shown_from_the_project_or_from_home():
    assert paths.shown("/p/a/b", "/p") == "a/b"
    assert paths.shown("/h/x", "/p", "/h") == "~/x"
    assert paths.shown("/elsewhere", "/p", "/h") == "/elsewhere"
    assert paths.shown("/project2/x", "/project") == "/project2/x"
