"""What a hook inherits: the variables of the caller, as far as the lists of everybody concerned go."""

from __future__ import annotations

import json
import sys

import pytest

HEARD = {"SECRET_X": "s", "AWS_REGION": "r", "AWS_ID": "i", "LC_TIME": "C", "TMPDIR": "/tmp", "OTHER": "o"}
ALWAYS = {"LC_TIME", "TMPDIR"}
PRINTS = "env > seen\n"
STDIO = """
import os, sys
open("seen", "w").write("\\n".join(map("=".join, os.environ.items())))
for line in sys.stdin:
    print("{}", flush=True)
"""


@pytest.fixture
def user_environment(user_environment: dict[str, str]) -> dict[str, str]:
    """That of somebody who trusts the project."""
    return user_environment | {"HOOKRUN_TRUST": "project"}


def heard(path) -> set[str]:
    """Return which of the caller's variables a hook had that wrote its environment to a file."""
    seen = {line.partition("=")[0] for line in path.read_text().splitlines()}
    return seen.intersection(HEARD)


def emit(cli, *words, env=HEARD):
    return cli("emit", "pre", "--tool", "Bash", "--input", '{"command": "ls"}', *words, env=env)


def guard(project, header="", *, user=False):
    return project.script(".claude/hooks/pre/bash.sh", f"#!/bin/sh\n{header}\n{PRINTS}", user=user)


def configure(project, text, *, user=False):
    project.script(f"{'.config/hookrun' if user else '.hookrun'}/config.yaml", text, user=user, mode=0o644)


def plugin(project, **more):
    path = project.manifest("p", script="env > seen", hooks=[{"event": "PreToolUse"}])
    path.write_text(json.dumps(json.loads(path.read_text()) | more))


def test_without_a_list_a_hook_inherits_everything(cli, project):
    guard(project)
    emit(cli)
    assert heard(project.path / "seen") == set(HEARD)


@pytest.mark.parametrize(
    ("names", "passed"),
    [
        ("AWS_REGION", {"AWS_REGION"}),
        ("AWS_*,OTHER", {"AWS_REGION", "AWS_ID", "OTHER"}),
        ("*_ID", {"AWS_ID"}),
        ("A*_*N", {"AWS_REGION"}),
        ("*", set(HEARD)),
        ("aws_region", set()),
    ],
)
def test_a_header_names_what_its_script_inherits(cli, project, names, passed):
    guard(project, f"# hookrun: env={names}")
    ended = emit(cli)
    assert (ended.code, ended.stderr) == (0, "")
    assert heard(project.path / "seen") == passed | ALWAYS


def test_what_we_set_ourselves_is_always_there(cli, project):
    guard(project, "# hookrun: env=NOTHING")
    emit(cli)
    seen = (project.path / "seen").read_text()
    for name in ("PATH", "HOME", "LANG", "HOOKRUN_COMMAND", "XBOT_TOOL_NAME", "CLAUDE_PROJECT_DIR", "PLUGIN_ROOT"):
        assert f"\n{name}=" in f"\n{seen}", name


def test_a_manifest_names_what_its_hooks_inherit(cli, project):
    plugin(project, env=["AWS_*"])
    emit(cli)
    assert heard(project.path / "seen") == {"AWS_REGION", "AWS_ID", *ALWAYS}


def test_a_variable_must_be_in_every_list(cli, project):
    configure(project, "env: [AWS_*, OTHER]\n", user=True)
    configure(project, "env: [AWS_*, SECRET_X]\n")
    plugin(project, env=["AWS_REGION", "OTHER", "SECRET_X"])
    emit(cli)
    assert heard(project.path / "seen") == {"AWS_REGION", *ALWAYS}


def test_a_project_takes_nothing_away_from_the_users_own_hooks(cli, project):
    configure(project, "env: []\n")
    guard(project, user=True)
    emit(cli)
    assert heard(project.path / "seen") == set(HEARD)
    configure(project, "env: []\n", user=True)
    emit(cli)
    assert heard(project.path / "seen") == ALWAYS


def test_commands_and_widgets_are_bound_as_well(cli, project):
    path = project.manifest("p", script="env > seen", commands=[{"name": "c"}], ui=[{"id": "w", "slot": "footer"}])
    path.write_text(json.dumps(json.loads(path.read_text()) | {"env": ["AWS_ID"]}))
    for words in (("run", "c"), ("widgets",)):
        cli(*words, env=HEARD)
        assert heard(project.path / "seen") == {"AWS_ID", *ALWAYS}
        (project.path / "seen").unlink()


@pytest.mark.parametrize(("more", "passed"), [({}, set(HEARD)), ({"env": ["OTHER"]}, {"OTHER", *ALWAYS})])
def test_live_plugins_are_bound_as_well(cli, project, more, passed):
    plugin(project, runtime="stdio", entry=f"{sys.executable} plugin.py", **more)
    (project.path / ".hookrun/plugins/p/plugin.py").write_text(STDIO)
    emit(cli)
    assert heard(project.path / ".hookrun/plugins/p/seen") == passed


@pytest.mark.parametrize(("text", "passed"), [("", set(HEARD)), ("env: [OTHER]\n", {"OTHER", *ALWAYS})])
def test_modules_of_the_command_are_bound_by_the_users_list(cli, project, text, passed):
    configure(project, text, user=True)
    project.script(
        ".hookrun/hooks/m.py",
        "import os\n\ndef hook(api):\n    @api.on('tool_call')\n    def judge(event, ctx):\n"
        "        open('seen', 'w').write('\\n'.join(map('='.join, os.environ.items())))\n",
    )
    ended = emit(cli)
    assert ended.code == 0, ended.stdout
    assert heard(project.path / "seen") == passed


@pytest.mark.parametrize("value", ["PATH", "[1]", "['$PATH']", "['A=b']", "[A-B]", "['']", "[2A]"])
def test_a_bad_list_in_the_configuration_is_an_error(cli, project, value):
    guard(project)
    configure(project, f"env: {value}\n")
    ended = emit(cli)
    assert ended.code == 2
    assert "env must be names of variables" in ended.stderr
    configure(project, "env: [PATH]\n")
    assert emit(cli).code == 0


def test_a_slip_in_a_manifests_list_costs_that_name_alone(cli, project):
    plugin(project, env=["OTHER", "A B", 7])
    ended = emit(cli)
    assert heard(project.path / "seen") == {"OTHER", *ALWAYS}
    assert "env[1]: is not a variable name" in ended.stderr
    assert "env[2]: is not a variable name" in ended.stderr


def test_what_is_no_list_passes_nothing_rather_than_everything(cli, project):
    plugin(project, env="OTHER")
    ended = emit(cli)
    assert heard(project.path / "seen") == ALWAYS
    assert "env: must be array, not string" in ended.stderr


@pytest.mark.parametrize(("header", "passed"), [("env=OTHER,$X", {"OTHER"}), ("env=", set()), ("env", set())])
def test_a_slip_in_a_headers_list_costs_that_name_alone(cli, project, header, passed):
    guard(project, f"# hookrun: {header}")
    ended = emit(cli)
    assert heard(project.path / "seen") == passed | ALWAYS
    assert "line 2: env" in ended.stderr


def test_a_list_on_a_plugin_in_python_is_said_to_have_no_effect(cli, project):
    plugin(project, runtime="python", entry="m.py", env=["OTHER"])
    (project.path / ".hookrun/plugins/p/m.py").write_text("def hook(api): pass\n")
    assert "env: has no effect on a plugin in Python" in emit(cli).stderr


def test_doctor_tells_which_hooks_inherit_everything(cli, project):
    for number in range(7):
        project.script(f".hookrun/hooks/pre/{number}-bash.sh", "#!/bin/sh\n")
    project.script(".hookrun/hooks/pre/8-bash.sh", "#!/bin/sh\n# hookrun: env=LANG\n")
    ended = cli("doctor")
    assert "inherit all     7 of 8 hooks, until `env` lists their variables: " in ended.stdout
    assert ".hookrun/hooks/pre/4-bash.sh and 2 more\n" in ended.stdout
    assert "inherit a list  1 of 8 hooks, as `env` says\n" in ended.stdout
    document = cli("doctor", "--format", "json").document["inheritance"]
    assert len(document["everything"]) == 7
    assert document["listed"] == [".hookrun/hooks/pre/8-bash.sh"]


def test_doctor_knows_of_the_users_list(cli, project):
    guard(project)
    assert cli("doctor", "--format", "json").document["inheritance"]["listed"] == []
    configure(project, "env: [LANG]\n", user=True)
    document = cli("doctor", "--format", "json").document["inheritance"]
    assert document == {"everything": [], "listed": [".claude/hooks/pre/bash.sh"]}
