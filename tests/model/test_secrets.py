"""What looks like a key by its name is never printed."""

from __future__ import annotations

import json

import pytest
from sweeps import sweep

from hookrun.model.text import looks_secret, without_secrets

SECRET = (
    "API_KEY apiKey X-Api-Key GITHUB_TOKEN token2 PGPASSWORD DB_PWD MY_PAT SENTRY_DSN OPENAI_APIKEY "
    "privateKey AWS_SECRET_ACCESS_KEY OAUTH_X SSH_AUTH_SOCK SESSION_COOKIE CREDENTIALS PASSWD SIGNATURE"
)
PLAIN = (
    "KEYBOARD MONKEY AUTHOR GIT_AUTHOR_NAME PATH PWD OLDPWD XBOT_PROMPT_TOKENS COMPASS PATTERN PRIVATEER "
    "TOKENIZERS_PARALLELISM HOOKRUN_TOOL XAUTHORITY"
)
HIDDEN = "hunter2"


@pytest.fixture
def user_environment(user_environment: dict[str, str]) -> dict[str, str]:
    """That of somebody who trusts the project."""
    return user_environment | {"HOOKRUN_TRUST": "project"}


@sweep("name", SECRET.split())
def test_a_name_with_a_part_that_means_a_key_is_secret(name):
    assert looks_secret(name)


@sweep("name", PLAIN.split())
def test_a_name_that_only_sounds_like_one_is_not(name):
    assert not looks_secret(name)


@sweep(
    ("text", "shown"),
    [
        ("API_KEY=hunter2 tool", "API_KEY=*** tool"),
        ("API_KEY='hunter2 x'y tool", "API_KEY=*** tool"),
        ('API_KEY="hunter2 unclosed', "API_KEY=***"),
        ("API_KEY=x,hunter2", "API_KEY=***"),
        ("tool --token hunter2 -x", "tool --token *** -x"),
        ("tool --token=hunter2 -x", "tool --token=*** -x"),
        ("tool --token -x", "tool --token -x"),
        ('curl -H "X-Auth-Token: hunter2" u', 'curl -H "X-Auth-Token: ***" u'),
        ("curl -H 'Authorization: Bearer hunter2'", "curl -H 'Authorization: ***'"),
        ("env 'API_KEY=hunter1 hunter2' tool", "env 'API_KEY=***' tool"),
        ("say Bearer hunter2", "say Bearer ***"),
        ("git clone https://me:hunter2@host/x", "git clone https://***@host/x"),
        ("https://host/x?api_key=hunter2&y=1", "https://host/x?api_key=***&y=1"),
        ('{"password": "hunter2", "n": 1}', '{"password": *** "n": 1}'),
    ],
)
def test_what_is_secret_by_its_words_is_masked(text, shown):
    assert without_secrets(text) == shown


@pytest.mark.parametrize(
    "text", ["tool --author me --keyboard us", "MONKEY=1 tool", "a=b", "https://host/x", "jq", "API_KEY= tool"]
)
def test_everything_else_stays(text):
    assert without_secrets(text) == text


def test_doctor_shows_names_and_no_values(cli, project):
    secret = {
        "HOOKRUN_API_KEY": HIDDEN,
        "CLAUDE_CODE_OAUTH_TOKEN": HIDDEN,
        "XBOT_URL": f"https://me:{HIDDEN}@host",
        "HOOKRUN_COMMAND": f"tool --token {HIDDEN}",
        "HOOKRUN_KEYBOARD": "shown",
    }
    for words in (("doctor",), ("doctor", "--format", "json")):
        ended = cli(*words, env=secret)
        assert HIDDEN not in ended.stdout + ended.stderr
        assert "HOOKRUN_API_KEY" in ended.stdout
        assert "shown" in ended.stdout


COMMANDS = (
    ("doctor",),
    ("doctor", "--format", "json"),
    ("list",),
    ("list", "--format", "json"),
    ("explain", "pre", "--tool", "Bash"),
    ("explain", "pre", "--tool", "Bash", "--format", "json"),
    ("validate",),
    ("emit", "pre", "--tool", "Bash", "-v"),
    ("emit", "pre", "--tool", "Bash", "--format", "json"),
)


@pytest.mark.parametrize("entry", [f"API_KEY={HIDDEN} no-such-tool", f"no-such-tool --token {HIDDEN}"])
def test_the_keys_in_a_command_are_not_shown(cli, project, entry):
    path = project.manifest("p", hooks=[{"event": "PreToolUse"}])
    path.write_text(json.dumps(json.loads(path.read_text()) | {"entry": entry}))
    for words in COMMANDS:
        ended = cli(*words)
        assert HIDDEN not in ended.stdout + ended.stderr, words
    shown = cli("emit", "pre", "--tool", "Bash").stdout
    assert "API_KEY=*** is not installed" in shown or "no-such-tool is not installed" in shown


def test_the_keys_in_a_mistaken_setting_are_not_shown(cli, project):
    project.script(".hookrun/config.yaml", f"env: ['API_KEY={HIDDEN}']\n", mode=0o644)
    ended = cli("doctor")
    assert HIDDEN not in ended.stdout + ended.stderr
    assert "API_KEY=***" in ended.stderr


def test_the_keys_in_a_mistaken_header_are_not_shown(cli, project):
    project.script(".hookrun/hooks/pre/bash.sh", f"#!/bin/sh\n# hookrun: token={HIDDEN}\n")
    for words in COMMANDS:
        ended = cli(*words)
        assert HIDDEN not in ended.stdout + ended.stderr, words
    assert "token=***" in cli("doctor").stderr


def test_what_a_hook_prints_is_its_own(cli, project):
    project.script(".hookrun/hooks/pre/bash.sh", f"#!/bin/sh\necho API_KEY={HIDDEN} >&2\nexit 2\n")
    assert f"API_KEY={HIDDEN}" in cli("emit", "pre", "--tool", "Bash").stdout
