"""Wrong words, broken configuration, a state that is lost: a clear error, never an open gate."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from contextlib import contextmanager

import pytest
from command import HOOKRUN
from firing import (
    ALLOWED_BY_SILENCE,
    BASH_GUARD,
    DENIED_BY_FAILURE,
    DENIED_BY_GUARD,
    DENY,
    PASS,
    after_shell,
    before_shell,
    guard_text,
    marker_script,
    problems_of,
    ruling,
    started,
)

from hookrun.agents.settings import installations

SHELL = ("--tool", "Shell")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("PreToolUs", *SHELL), "hint: did you mean PreToolUse?"),
        (("nonsense", *SHELL), "unknown event 'nonsense'"),
        ((), "Missing argument"),
        (("pre", *SHELL, "more"), "unexpected extra argument"),
        (("pre", *SHELL, "--input", "{nonsense"), "--input is not valid JSON"),
        (("pre", *SHELL, "--input", "@missing.json"), "missing.json: No such file or directory"),
        (("pre", *SHELL, "--input"), "requires an argument"),
        (("pre", *SHELL, "--payload", "[]"), "the payload is not an object"),
        (("pre", *SHELL, "--payload", "-", "--input", "-"), "only one option can read stdin"),
        (("pre", *SHELL, "--input", "-", "--prompt", "-"), "only one option can read stdin"),
        (("pre", *SHELL, "--output", "-", "--error", "-"), "only one option can read stdin"),
        (("pre", *SHELL, "--error", "-", "--prompt", "-"), "only one option can read stdin"),
        (("pre", *SHELL, "--no-such-option"), "--no-such-option"),
        (("pre", *SHELL, "--dialect", "klingon"), "unknown dialect 'klingon'"),
        (("pre", *SHELL, "--expect", "maybe"), "'maybe' is not one of allow, deny, ask, defer, none"),
        (("pre", *SHELL, "--format", "xml"), "'xml' is not one of text, json"),
        (("pre", *SHELL, "--tenant-id", "one"), "--tenant-id"),
        (("pre", *SHELL, "--timeout", "soon"), "--timeout': it must be a number"),
        (("pre", *SHELL, "--input", "{}", "--input={}"), "--input is given twice"),
        (("Foo", *SHELL), "known, in any agent's spelling: PreToolUse, PostToolUse,"),
        (("pre", *SHELL, "--timeout", "0"), "--timeout must be greater than 0"),
        (("pre", *SHELL, "--timeout", "nan"), "--timeout must be greater than 0"),
        (("pre", *SHELL, "--extra", "model"), "'model' is not KEY=VALUE"),
        (("pre", *SHELL, "--hook", "missing.sh"), "missing.sh does not exist"),
        (("pre", *SHELL, "--cwd", "missing"), "missing is not a directory"),
        (("pre", *SHELL, "--project", "missing"), "missing is not a directory"),
        (("pre",), "PreToolUse is about a tool, and no tool is named"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_words_are_a_usage_error_with_a_hint_and_run_nothing(cli, project, tmp_path, words, told):
    project.script(BASH_GUARD, marker_script(tmp_path, "ran"))
    ended = cli("emit", *words)
    assert (ended.code, ended.stdout) == (64, "")
    assert told in ended.stderr
    assert ended.stderr.startswith("error: ")
    assert "\nhint: " in ended.stderr
    assert not (tmp_path / "ran").exists()
    assert cli("emit", "pre", *SHELL).code == 0
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("value", ["[1]", '"{oops"', "3"])
def test_an_input_that_is_no_object_is_told_and_still_judged(cli, project, tmp_path, value):
    project.script(BASH_GUARD, marker_script(tmp_path, "ran"))
    ended = cli("emit", "pre", "--tool", "Bash", "--input", value)
    assert "the input of Bash is not a JSON object" in ended.stderr
    assert (tmp_path / "ran").exists()


def test_every_broken_configuration_is_named_with_its_line(cli, project):
    project.script(".config/hookrun/config.yaml", "limits: [\n", user=True)
    project.script("pyproject.toml", "[tool.hookrun]\nlimits = = 1\n")
    for command in (("emit", "pre", *SHELL), ("doctor",), ("validate",)):
        ended = cli(*command)
        assert "config.yaml:2: is not YAML" in ended.stderr
        assert "pyproject.toml:2: is not TOML" in ended.stderr
        assert "column" in ended.stderr


@pytest.mark.parametrize("option", ["--input", "--output", "--prompt", "--payload"])
def test_a_file_above_16_mib_is_a_usage_error_and_one_of_16_mib_is_read(cli, project, option):
    value = project.path / "value"
    value.write_bytes(b'"' + b"x" * (16 * 1024 * 1024 - 1) + b'"')
    ended = cli("emit", "pre", *SHELL, option, "@value")
    assert (ended.code, ended.stdout) == (64, "")
    assert "value is larger than 16 MiB" in ended.stderr
    value.write_bytes(b'"' + b"x" * (16 * 1024 * 1024 - 2) + b'"')
    assert "larger than" not in cli("emit", "pre", *SHELL, option, "@value").stderr


def test_input_that_is_nested_without_end_is_a_usage_error_too(cli, project):
    deep = project.path / "deep.json"
    deep.write_text("[" * 100_000 + "]" * 100_000)
    ended = cli("emit", "pre", *SHELL, "--input", "@deep.json")
    assert (ended.code, "nested too deeply" in ended.stderr) == (64, True)


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        (".hookrun/config.yaml", "disable:\n\t- x\n", "has a tab"),
        (".hookrun/config.yaml", "- a list\n", "not a mapping"),
        (".hookrun/config.yaml", "disable: x\n", "disable must be a list"),
        (".hookrun/config.yaml", "limits: {process_hooks: -1}\n", "limits.process_hooks must be a number above 0"),
        (".hookrun/config.yaml", "on_failure: perhaps\n", "on_failure must be one of deny, ask, allow"),
        (".hookrun/config.yaml", "hooks: [missing.sh]\n", "missing.sh does not exist"),
        (".hookrun/config.yaml", "manifests: [missing]\n", "missing does not exist"),
        ("pyproject.toml", "[tool.hookrun\n", "not TOML"),
        ("pyproject.toml", "[tool.hookrun]\nmanifests = ['missing']\n", "missing does not exist"),
    ],
)
def test_broken_configuration_closes_guarded_events_and_others_end_with_78(cli, project, file, text, told):
    project.script(BASH_GUARD, PASS)
    path = project.script(file, text)
    ended = cli("emit", "PreToolUse", *SHELL)
    assert (ended.code, ended.stdout) == (2, "")
    assert told in ended.stderr
    assert str(path) in ended.stderr
    assert cli("emit", "post", *SHELL).code == 78
    path.unlink()
    assert cli("emit", "PreToolUse", *SHELL).code == 0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("pre", *SHELL), 2),
        (("tool_call", *SHELL), 2),
        (("--tool", "Shell", "pre-tool-use"), 2),
        (("beforeShellExecution", *SHELL), 2),
        (("prompt", "--prompt", "hello"), 2),
        (("before_agent_start", "--prompt", "post"), 2),
        (("post", "--tool", "pre"), 78),
        (("SessionStart",), 78),
        (("stop",), 78),
    ],
)
def test_broken_configuration_knows_a_guarded_event_in_any_spelling(cli, project, words, code):
    project.script(".hookrun/config.yaml", "- a list\n").rename(project.path / ".hookrun/set-aside")
    assert cli("emit", *words).code == 0
    (project.path / ".hookrun/set-aside").rename(project.path / ".hookrun/config.yaml")
    assert cli("emit", *words).code == code


def test_a_configuration_that_is_no_file_can_hang_nothing(cli, project):
    project.script(BASH_GUARD, PASS)
    os.mkfifo(project.path / "pyproject.toml")
    assert cli("emit", "pre", *SHELL).code == 0
    (project.path / ".hookrun").mkdir()
    os.mkfifo(project.path / ".hookrun/config.yaml")
    ended = cli("emit", "pre", *SHELL)
    assert (ended.code, "not a regular file" in ended.stderr) == (2, True)


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["validate"],
        ["doctor"],
        ["explain", "pre", *SHELL],
        ["emit", "pre", *SHELL],
        ["trust", "--yes"],
        ["agents"],
        ["install", "claude", "codex", "--dry-run"],
        ["uninstall", "claude", "codex", "--dry-run"],
        ["import", "claude", "--dry-run"],
    ],
)
def test_a_fifo_in_the_place_of_any_settings_holds_up_no_command(cli, project, words):
    for folder, level in ((project.path, "project"), (project.home, "user")):
        places = {".hookrun/hooks/a.py", ".claude/hooks/pre/bash.sh", ".claude/hooks/elsewhere.sh"}
        for wiring in installations():
            event = "/PreToolUse" if wiring.shape == "executables" else ""
            places.add(getattr(wiring, level) + event)
        for place in places - {""}:  # an agent that has no settings of its own at that level
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            os.mkfifo(folder / place, 0o755)
    ended = cli(*words)  # a command that waits for a writer is over at the deadline of the tests, and fails
    assert "Traceback" not in ended.stderr
    if words[0] not in ("agents", "trust"):  # those name what hooks there are, not what is in their way
        assert "not a regular file" in ended.stdout + ended.stderr


def test_an_odd_key_of_the_configuration_is_a_problem_and_stops_nothing(cli, project):
    project.script(BASH_GUARD, DENY)
    project.script(".hookrun/config.yaml", "limit: {process_hooks: 3}\n")
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_GUARD
    assert "limit | unknown key 'limit' (ignored) | did you mean limits?" in problems_of(ended)


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ("", "--payload is not valid JSON"),
        ('{"event": "PreToolUse"', "--payload is not valid JSON"),
        ("null", "the payload is not an object"),
        ("{}", "names no tool"),
    ],
)
def test_a_payload_from_a_program_that_cannot_be_used_closes_guarded_events(cli, project, sent, told):
    project.script(BASH_GUARD, PASS)
    ended = cli("emit", "pre", "--payload", "-", input=sent)
    assert (ended.code, told in ended.stderr) == (2, True)
    assert cli("emit", "post", "--payload", "-", input=sent).code == 70
    assert cli("emit", "pre", "--payload", sent or "{").code == 64  # typed by a person
    assert cli("emit", "pre", "--payload", "-", input='{"tool_name": "Bash"}').code == 0


def test_a_payload_that_never_ends_is_not_waited_for(project, user_environment):
    project.script(BASH_GUARD, PASS)
    read, write = os.pipe()
    try:
        os.write(write, b'{"event": "PreToolUse", "tool_name": "Bash", ')
        words = ("emit", "pre", "--payload", "-")
        with started(project, user_environment, *words, stdin=read) as process:
            _, stderr = process.communicate(timeout=60)
        assert process.returncode == 2
        assert "no complete payload within 5 s" in stderr
    finally:
        os.close(read)
        os.close(write)


def test_a_state_file_that_is_corrupt_is_moved_aside_and_said(cli, project, user_environment):
    project.script(".claude/hooks/post/bash.sh", guard_text("echo 'md|a hint'"))
    after_shell(cli)
    state = project.home / ".local/state/hookrun/state.sqlite3"
    state.write_bytes(b"nonsense" * 1000)
    ended = after_shell(cli)
    assert ended.code == 0
    assert "the state database was corrupt; it was moved aside" in problems_of(ended)
    assert len(list(state.parent.glob("state.sqlite3.corrupt-*"))) == 1
    assert cli("hints").stdout == "a hint\n"
    assert problems_of(after_shell(cli)) == ""


@contextmanager
def locked(path):
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("BEGIN EXCLUSIVE")
        yield
    finally:
        connection.close()


def test_a_state_file_that_another_process_locks_costs_the_hints_and_no_decision(cli, project):
    project.script(".claude/hooks/post/bash.sh", guard_text("echo 'md|a hint'"))
    project.script(BASH_GUARD, DENY)
    after_shell(cli)
    assert cli("hints").stdout == "a hint\n"
    with locked(project.home / ".local/state/hookrun/state.sqlite3"):
        ended = after_shell(cli)
        assert ruling(ended) == ALLOWED_BY_SILENCE
        assert "hints cannot be stored: another process has it locked" in problems_of(ended)
        assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    assert cli("hints").stdout == ""
    after_shell(cli)
    assert cli("hints").stdout == "a hint\n"


def test_a_value_that_can_be_kept_nowhere_is_a_guard_that_could_not_start(cli, project, user_environment):
    project.script(BASH_GUARD, PASS)
    in_the_way = project.script("runtime/hookrun", "")
    long, env = "x" * 200_000, {"XDG_RUNTIME_DIR": str(in_the_way.parent)}
    (project.path / "input.json").write_text(json.dumps({"command": long}))
    ended = before_shell(cli, "--input", "@input.json", env=env)
    assert ruling(ended) == DENIED_BY_FAILURE
    assert "a value too large for the environment cannot be written to a file" in ended.document["message"]
    assert ruling(before_shell(cli, "--input", "@input.json")) == ALLOWED_BY_SILENCE
    assert ruling(before_shell(cli, env=env)) == ALLOWED_BY_SILENCE


@pytest.mark.parametrize(("descriptors", "code"), [(6, 2), (10, 2), (256, 0)])
def test_too_few_descriptors_close_the_gate(project, user_environment, descriptors, code):
    project.script(BASH_GUARD, PASS)
    words = ["sh", "-c", f"ulimit -n {descriptors}; exec '{HOOKRUN}' emit pre --tool Shell"]
    done = subprocess.run(words, cwd=project.path, env=user_environment, capture_output=True, timeout=60)
    assert done.returncode == code


@pytest.fixture
def homeless(tmp_path, user_environment):
    """The environment of a user who has no home folder: no HOME, and none in the system's list of users."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site/sitecustomize.py").write_text("import sys\nsys.modules['pwd'] = None\n")
    kept = {name: user_environment[name] for name in ("PATH", "LANG", "XDG_RUNTIME_DIR")}
    return {**kept, "PYTHONPATH": f"{tmp_path}/site", "HOOKRUN_TRUST": "project"}


def test_without_a_home_events_are_decided_and_hints_are_said_to_be_lost(project, homeless, user_environment):
    project.script(BASH_GUARD, DENY)
    project.script(".claude/hooks/post/bash.sh", guard_text("echo 'md|a hint'"))
    lost = "hints cannot be stored: no state folder"

    def run(*words, env=homeless):
        with started(project, env, *words) as process:
            _, stderr = process.communicate(timeout=60)
        return process.returncode, lost in stderr, "set HOME" in stderr

    assert run("emit", "pre", *SHELL) == (2, False, False)
    assert run("emit", "post", *SHELL) == (0, True, True)
    assert run("emit", "post", *SHELL, env=user_environment) == (0, False, False)
    assert run("list") == (0, False, False)
    assert sorted(os.listdir(project.path)) == [".claude", ".git"]


@pytest.mark.parametrize("script", ["exit 1", "exit 2", "exec sleep 60"])
def test_a_guard_of_a_users_own_project_decides_and_says_who_and_why(cli, project, script):
    project.script(BASH_GUARD, guard_text("# hookrun: timeout=500ms", script))
    ended = before_shell(cli)
    by, why = {
        "exit 1": ("failure", "failed: exit 1"),
        "exit 2": ("guard", "denied without a reason"),
        "exec sleep 60": ("failure", "timed out after 0.5 s"),
    }[script]
    assert ruling(ended) == (2, "deny", by)
    assert ended.document["message"].startswith(f"{BASH_GUARD}: {why}")
    shown = cli("emit", "PreToolUse", *SHELL)
    assert shown.code == 2
    assert shown.stdout.startswith("deny" if by == "guard" else "deny (by failure)")
    project.script(BASH_GUARD, PASS)
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


def test_the_users_configuration_says_what_failures_mean_where_the_hook_does_not(cli, project):
    project.script(BASH_GUARD, guard_text("exit 1"))
    assert ruling(before_shell(cli)) == DENIED_BY_FAILURE
    (user := project.home / ".config/hookrun").mkdir(parents=True)
    (user / "config.yaml").write_text("on_failure: ask\n")
    assert ruling(before_shell(cli)) == (3, "ask", "failure")
    project.script(BASH_GUARD, guard_text("# hookrun: on-failure=deny", "exit 1"))
    assert ruling(before_shell(cli)) == DENIED_BY_FAILURE
