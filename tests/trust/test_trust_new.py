"""`hookrun new` and trust: what a person asks for fires at once, what an agent asks for waits."""

from __future__ import annotations

import pytest
from firing import ruling
from trusted import DENIED_BY_TRUST, records, trust, units

from hookrun.commands.new import templates

pytestmark = pytest.mark.usefixtures("untrusting")

PUSH = ("emit", "pre", "--tool", "Shell", "--input", '{"command": "rm -rf /"}', "--format", "json")
BUNDLED = [template.name for template in templates() if template.kind == "bundled"]


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_hook_that_a_person_asks_for_is_in_force(name, cli, project):
    done = cli("new", name, "--format", "json")
    assert done.document["trusted"] is True
    listed = cli("list", "--format", "json").document
    assert listed["in_force"] == listed["total"] >= 1
    assert cli("trust").stdout.startswith("nothing new")


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_hook_that_an_agent_asks_for_waits(name, cli, project):
    done = cli("new", name, "--format", "json", env={"CLAUDECODE": "1"})
    assert done.document["trusted"] is False
    assert records(project) == []
    listed = cli("list", "--format", "json").document
    assert listed["in_force"] == 0 < listed["total"]
    trust(cli)
    assert cli("list", "--format", "json").document["in_force"] == listed["total"]


def test_it_fires_at_once(cli, project):
    assert cli("new", "guard-shell").code == 0
    assert cli(*PUSH).code == 2


def test_what_an_agent_asked_for_does_not_fire_and_the_person_is_told(cli, project):
    done = cli("new", "guard-shell", env={"GEMINI_CLI": "1"})
    assert done.code == 0
    assert "then  hookrun trust" in done.stdout
    assert cli(*PUSH).code == 0
    trust(cli)
    assert cli(*PUSH).code == 2


@pytest.mark.parametrize("name", ["script", "manifest"])
def test_a_template_that_is_yet_to_be_filled_in_waits(name, cli, project):
    done = cli("new", name)
    assert "then  hookrun trust" in done.stdout
    assert records(project) == []
    assert "untrusted" in cli("list").stdout.splitlines()[-1]
    trust(cli)
    assert "untrusted" not in cli("list").stdout.splitlines()[-1]


def test_what_is_asked_for_trusts_nothing_else(cli, project):
    project.script(".claude/hooks/pre/bash.sh", "#!/bin/sh\nexit 0\n")
    cli("new", "guard-shell")
    (name,) = units(project)
    assert name == ".hookrun/manifests/guard-shell.json"


def test_a_copy_that_is_edited_is_a_changed_guard(cli, project):
    cli("new", "guard-shell")
    assert cli(*PUSH).code == 2
    for script in (project.path / ".hookrun/scripts").iterdir():
        script.write_text("#!/bin/sh\nexit 0\n")
    assert ruling(cli(*PUSH)) == DENIED_BY_TRUST


def test_what_is_written_for_all_projects_needs_no_trust(cli, project):
    done = cli("new", "guard-shell", "--user", "--format", "json", env={"CLAUDECODE": "1"})
    assert done.document["trusted"] is True
    assert records(project) == []
    assert cli(*PUSH).code == 2
