"""What is not trusted takes nothing from what is: keys, plugin ids, and what configuration could loosen."""

from __future__ import annotations

import json

import pytest
from firing import BASH_GUARD, DENIED_BY_FAILURE, DENIED_BY_GUARD, DENY, PASS, before_shell, problems_of, ruling
from trusted import ALLOWED_BY_SILENCE, TRUST_ALL, trust

pytestmark = pytest.mark.usefixtures("untrusting")

BROKEN = "#!/bin/sh\nexit 1\n"
CONFIGURATION = ".hookrun/config.yaml"
NO_EFFECT = "has no effect until it is trusted"
GUARD = {"event": "PreToolUse", "matcher": "Shell*"}


def test_an_untrusted_script_takes_no_key(cli, project):
    project.script(BASH_GUARD, DENY)
    trust(cli)
    project.script(".hookrun/hooks/pre/bash.sh", PASS)
    done = before_shell(cli)
    assert ruling(done) == DENIED_BY_GUARD
    assert "1 hook is not trusted" in problems_of(done)
    trust(cli)
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


def test_a_script_that_was_trusted_and_changed_takes_no_key(cli, project):
    project.script(BASH_GUARD, DENY)
    higher = project.script(".hookrun/hooks/pre/bash.sh", PASS)
    trust(cli)
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    higher.write_text(f"{PASS}#\n")
    done = before_shell(cli)
    assert done.code == 2
    ran = [outcome["source"] for outcome in done.document["outcomes"] if outcome["status"] == "ran"]
    assert ran == [str(project.path / BASH_GUARD)]


def rename(manifest, name: str) -> None:
    document = json.loads(manifest.read_text())
    manifest.write_text(json.dumps(document | {"id": name}))


def test_an_untrusted_plugin_takes_no_id(cli, project):
    project.manifest("zeta", script=DENY, hooks=[GUARD])
    trust(cli)
    impostor = project.manifest("alpha", script=PASS, hooks=[GUARD])
    rename(impostor, "zeta")
    done = before_shell(cli)
    assert ruling(done) == DENIED_BY_GUARD
    assert "not trusted" in problems_of(done)
    assert "is taken by" not in problems_of(done)
    twin = before_shell(cli, env=TRUST_ALL)
    assert ruling(twin) == ALLOWED_BY_SILENCE
    assert "is taken by" in problems_of(twin)


def test_a_plugin_that_takes_an_id_by_an_edit_takes_nothing(cli, project):
    project.manifest("zeta", script=DENY, hooks=[GUARD])
    other = project.manifest("alpha", script=PASS, hooks=[GUARD])
    trust(cli)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    rename(other, "zeta")
    done = before_shell(cli)
    assert done.code == 2
    assert {outcome["status"] for outcome in done.document["outcomes"]} == {"ran", "untrusted"}


LOOSENINGS = {
    "disable": (DENY, f"disable: ['{BASH_GUARD}']\n", ALLOWED_BY_SILENCE),
    "on_failure": (BROKEN, "on_failure: allow\n", ALLOWED_BY_SILENCE),
    "limits": ("#!/bin/sh\nsleep 1\nexit 2\n", "limits: {script_seconds: 0.2}\non_failure: allow\n", None),
    "sources": (DENY, "sources: {claude: false}\n", ALLOWED_BY_SILENCE),
    "tools": (DENY, "tools: {Shell: read, Bash: read}\n", None),
}


@pytest.mark.parametrize(("script", "text", "loosened"), LOOSENINGS.values(), ids=LOOSENINGS)
def test_untrusted_configuration_loosens_nothing(script, text, loosened, cli, project):
    project.script(BASH_GUARD, script)
    trust(cli)
    before = ruling(before_shell(cli))
    assert before in (DENIED_BY_GUARD, DENIED_BY_FAILURE)
    project.script(CONFIGURATION, text)
    done = before_shell(cli)
    assert ruling(done) == before
    assert NO_EFFECT in problems_of(done)
    assert CONFIGURATION in problems_of(done)
    trust(cli)
    done = before_shell(cli)
    assert NO_EFFECT not in problems_of(done)
    if loosened:
        assert ruling(done) == loosened


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (CONFIGURATION, "disable: ['{}']\n"),
        (".hookrun/config.yml", "disable: ['{}']\n"),
        ("pyproject.toml", "[tool.hookrun]\ndisable = ['{}']\n"),
        ("app/.hookrun/config.yaml", "disable: ['{}']\n"),
    ],
)
def test_wherever_configuration_lies_an_edit_ends_its_trust(path, text, cli, project):
    project.script(BASH_GUARD, DENY)
    (project.path / "app").mkdir()
    cwd = project.path / "app"
    whole = ("--project", str(project.path))
    trust(cli)
    file = project.script(path, text.format(BASH_GUARD))
    assert ruling(before_shell(cli, *whole, cwd=cwd)) == DENIED_BY_GUARD
    trust(cli, *whole, cwd=cwd)
    assert ruling(before_shell(cli, *whole, cwd=cwd)) == ALLOWED_BY_SILENCE
    file.write_text(file.read_text().replace("']", "', 'other']"))
    done = before_shell(cli, *whole, cwd=cwd)
    assert ruling(done) == DENIED_BY_GUARD
    assert NO_EFFECT in problems_of(done)
    file.write_text(text.format(BASH_GUARD))
    assert ruling(before_shell(cli, *whole, cwd=cwd)) == ALLOWED_BY_SILENCE


def test_what_tightens_needs_no_trust(cli, project):
    project.script(".config/hookrun/config.yaml", "on_failure: allow\n", user=True)
    project.script(BASH_GUARD, BROKEN)
    trust(cli)
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    project.script(CONFIGURATION, "on_failure: deny\n")
    done = before_shell(cli)
    assert ruling(done) == DENIED_BY_FAILURE
    assert NO_EFFECT not in problems_of(done)


def test_a_project_may_say_what_its_own_tools_are(cli, project):
    project.script(BASH_GUARD, DENY)
    trust(cli)
    event = ("emit", "pre", "--tool", "run_it", "--input", '{"what": "ls"}', "--format", "json")
    assert ruling(cli(*event)) == ALLOWED_BY_SILENCE
    project.script(CONFIGURATION, "tools: {run_it: shell}\n")
    done = cli(*event)
    assert ruling(done) == DENIED_BY_GUARD
    assert NO_EFFECT not in problems_of(done)


def test_the_users_configuration_loosens_what_it_likes(cli, project):
    project.script(BASH_GUARD, DENY)
    trust(cli)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    project.script(".config/hookrun/config.yaml", f"disable: ['{BASH_GUARD}']\n", user=True)
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


def test_a_switched_off_source_misses_no_guard(cli, project):
    path = project.script(BASH_GUARD, DENY)
    project.script(".config/hookrun/config.yaml", "sources: {claude: false}\n", user=True)
    trust(cli, env={"XDG_CONFIG_HOME": str(project.home / "none")})
    path.unlink()
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    assert before_shell(cli, env={"XDG_CONFIG_HOME": str(project.home / "none")}).code == 2


@pytest.mark.parametrize(
    "text", ["limits: {1: 2, process_hooks: 5}", "tools: {2020-01-01: shell, true: edit, x: {1: 2, tool: edit}}"]
)
def test_keys_of_any_kind_can_be_trusted(text, cli, project):
    project.script(BASH_GUARD, DENY)
    project.script(CONFIGURATION, f"{text}\n")
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    trust(cli)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


def test_what_loosens_is_shown_before_it_is_trusted(cli, project):
    project.script(CONFIGURATION, f"disable: ['{BASH_GUARD}']\non_failure: allow\n")
    done = cli("trust")
    assert done.code == 64
    assert "configuration that loosens guards" in done.stdout
    assert "on_failure" in done.stdout
    assert BASH_GUARD in done.stdout
