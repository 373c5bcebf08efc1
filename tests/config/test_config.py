"""What is set, by whom, and what a wrong file gets."""

from __future__ import annotations

import pytest

from hookrun.config.config import Limits
from hookrun.config.reading import read_config
from hookrun.model.errors import ConfigError
from hookrun.sources.discovery import SOURCES


class Everything:
    """What is trusted, where trust is not what a test is about."""

    def __contains__(self, _: object) -> bool:
        return True


EVERYTHING = Everything()


@pytest.fixture
def set_up(tmp_path):
    """Return a function that reads the configuration of a project with these files in it."""
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / ".hookrun").mkdir()
    user = tmp_path / "config/hookrun"
    user.mkdir(parents=True)
    environ = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}

    def read(pyproject="", config="", user_config="", **more):
        for path, text in (
            (project / "pyproject.toml", pyproject),
            (project / ".hookrun/config.yaml", config),
            (user / "config.yaml", user_config),
        ):
            if text:
                path.write_text(text)
        return read_config(
            cwd=str(project), environ=environ, **{"permitted": EVERYTHING, "known_sources": SOURCES} | more
        )

    read.project = project
    return read


def test_nothing_set_gives_the_documented_limits(set_up):
    config = set_up()
    assert config.limits == Limits()
    assert (config.limits.process_hooks, config.limits.event_seconds, config.limits.script_seconds) == (10, 60, 10)
    assert config.on_failure == "deny"
    assert config.problems == ()


def test_pyproject_and_yaml_say_the_same(set_up):
    by_toml = set_up(pyproject='[tool.hookrun]\ndisable = ["a"]\nlimits = {process_hooks = 3}\n')
    assert by_toml.disable == ("a",)
    assert by_toml.limits.process_hooks == 3
    (set_up.project / "pyproject.toml").unlink()
    by_yaml = set_up(config="disable: [a]\nlimits:\n  process_hooks: 3\n")
    assert by_yaml.disable == ("a",)
    assert by_yaml.limits.process_hooks == 3


def test_a_pyproject_of_other_tools_is_not_even_parsed(set_up):
    assert set_up(pyproject="this is [no toml").problems == ()


def test_a_project_counts_more_than_its_user(set_up):
    config = set_up(
        config="on_failure: deny\nlimits: {script_seconds: 2}\n",
        user_config="on_failure: ask\nlimits: {script_seconds: 9, process_hooks: 4}\n",
    )
    assert config.on_failure == "deny"
    assert config.limits.script_seconds == 2
    assert config.limits.process_hooks == 4


def test_paths_belong_to_the_file_that_names_them(set_up):
    (set_up.project / "shared").mkdir()
    config = set_up(config="manifests: [shared]\n", hooks=["extra.sh"])
    assert config.manifests == ((str(set_up.project / "shared"), "project"),)
    assert config.hooks == ((str(set_up.project / "extra.sh"), "command line"),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("limits: {process_hooks: many}\n", "limits.process_hooks"),
        ("limits: {process_hooks: 0}\n", "limits.process_hooks"),
        ("limits: {process_hooks: true}\n", "limits.process_hooks"),
        ("disable: guard\n", "disable"),
        ("sources: {claude: maybe}\n", "sources.claude"),
        ("on_failure: shrug\n", "on_failure"),
        ("tools: {run: [shell]}\n", "tools.run"),
        ("manifests: [not/there]\n", "does not exist"),
        ("- a list\n", "not a mapping"),
        ("a: [unclosed\n", "config.yaml"),
        ("a:\n\t- tab\n", "tab"),
    ],
)
def test_a_broken_file_is_an_error_that_names_key_and_file(set_up, text, said):
    with pytest.raises(ConfigError) as caught:
        set_up(config=text)
    assert said in f"{caught.value.where} {caught.value.message}"
    assert "config.yaml" in caught.value.where


def test_an_unknown_key_is_a_problem_that_offers_the_nearest(set_up):
    config = set_up(config="disabel: [x]\nlimits: {proces_hooks: 3}\n")
    assert [problem.hint for problem in config.problems] == ["did you mean disable?", "did you mean process_hooks?"]
    assert config.limits == Limits()


def test_what_only_the_user_may_set_has_no_effect_in_a_project(set_up):
    config = set_up(config="store: elsewhere\n")
    assert "only in the user's own" in config.problems[0].message
    assert not config.state_folder.endswith("elsewhere")
    assert set_up(user_config="store: /elsewhere\n").state_folder == "/elsewhere"


def test_tools_of_the_users_own_agent_are_mapped_to_kinds(set_up):
    config = set_up(
        pyproject='[tool.hookrun.tools]\nrun_shell = "shell"\nedit_file = {tool = "edit", path = "target"}\n'
    )
    assert config.tools == {"run_shell": "shell", "edit_file": {"tool": "edit", "path": "target"}}


@pytest.mark.parametrize(
    ("config", "where", "near"),
    [
        ("limits: {proces_hooks: 3}", "limits.proces_hooks", "process_hooks"),
        ("limits: {events_seconds: 900, scripts_seconds: 1}", "limits.events_seconds", "event_seconds"),
        ("sources: {hookrunn: false}", "sources.hookrunn", "hookrun"),
    ],
)
def test_a_misspelled_key_of_a_project_loosens_nothing(set_up, config, where, near):
    found = set_up(config=config, permitted=())
    assert found.loosenings == ()
    assert (found.problems[0].where, found.problems[0].hint) == (where, f"did you mean {near}?")
    assert found.limits == Limits()


def test_a_misspelled_key_beside_one_that_loosens_is_told_as_well(set_up):
    config = "limits: {proces_hooks: 3, event_seconds: 900}\nsources: {hookrunn: false, claude: false}"
    found = set_up(config=config, permitted=())
    (loosening,) = found.loosenings
    assert sorted(loosening.values) == ["limits", "sources"]
    assert [problem.where for problem in found.problems] == ["limits.proces_hooks", "sources.hookrunn"]
