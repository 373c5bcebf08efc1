"""What an event that untrusted hooks match comes to, and which hooks need no trust at all."""

from __future__ import annotations

import pytest
from firing import BASH_GUARD, DENIED_BY_GUARD, DENY, PASS, before_shell, problems_of, ruling
from trusted import ALLOWED_BY_SILENCE, ASKED_BY_TRUST, DENIED_BY_TRUST, TRUST_ALL, trust

pytestmark = pytest.mark.usefixtures("untrusting")
USERS = ".config/hookrun/config.yaml"
EVENT = ("emit", "pre", "--tool", "Shell", "--input", '{"command": "ls"}')


@pytest.fixture
def guard(project):
    return project.script(BASH_GUARD, DENY)


def test_the_first_line_counts_the_untrusted(cli, project, guard):
    project.script(".claude/hooks/pre/write.sh", DENY)
    done = cli(*EVENT)
    assert done.code == 0
    assert done.stdout == "no decision: 0 of 2 hooks matched (2 untrusted)\n"
    assert "2 hooks are not trusted and do not run" in done.stderr
    assert "hookrun trust" in done.stderr


def test_the_first_line_counts_them_beside_a_decision_too(cli, project, guard):
    project.script(".claude/hooks/pre/bash.sh", DENY, user=True)
    assert cli(*EVENT).stdout.startswith("deny (1 untrusted): ")


def test_nothing_is_counted_when_all_are_trusted(cli, guard):
    trust(cli)
    done = cli(*EVENT)
    assert done.code == 2
    assert "untrusted" not in done.stdout
    assert done.stderr == ""


def test_json_tells_the_untrusted_that_match(cli, project, guard):
    project.script(".claude/hooks/pre/write.sh", DENY)
    done = before_shell(cli)
    assert ruling(done) == ALLOWED_BY_SILENCE
    (outcome,) = done.document["outcomes"]
    assert (outcome["status"], outcome["exit_code"], outcome["stderr"]) == ("untrusted", None, "")
    assert outcome["source"] == str(guard)
    assert "2 hooks are not trusted" in problems_of(done)
    assert ruling(before_shell(cli, env=TRUST_ALL)) == DENIED_BY_GUARD


@pytest.mark.parametrize(
    ("word", "expected"), [("ask", ASKED_BY_TRUST), ("deny", DENIED_BY_TRUST), ("skip", ALLOWED_BY_SILENCE)]
)
def test_the_user_says_what_an_untrusted_guard_means(word, expected, cli, project, guard):
    project.script(USERS, f"on_untrusted: {word}\n", user=True)
    assert ruling(before_shell(cli)) == expected


@pytest.mark.parametrize("word", ["ask", "deny", "skip"])
def test_on_untrusted_counts_only_for_what_is_guarded(word, cli, project, guard):
    project.script(USERS, f"on_untrusted: {word}\n", user=True)
    project.script(".claude/hooks/post/bash.sh", DENY)
    post = ("emit", "post", "--tool", "Shell", "--input", "{}", "--format", "json")
    assert ruling(cli(*post)) == ALLOWED_BY_SILENCE
    done = cli("emit", "pre", "--tool", "FileWrite", "--input", "{}", "--format", "json")
    assert ruling(done) == ALLOWED_BY_SILENCE


@pytest.mark.parametrize("word", ["ask", "skip"])
def test_a_project_has_no_say_in_what_is_untrusted(word, cli, project, guard):
    project.script(USERS, "on_untrusted: deny\n", user=True)
    project.script(".hookrun/config.yaml", f"on_untrusted: {word}\n")
    done = before_shell(cli)
    assert ruling(done) == DENIED_BY_TRUST
    assert "counts only in the user's own configuration" in problems_of(done)


def test_a_bridge_asks_about_what_no_one_trusts_unless_its_user_skips_it(cli, project, guard):
    given = '{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}'
    asked = cli("bridge", "claude", input=given).document["hookSpecificOutput"]
    denied = cli("bridge", "codex", input=given).document["hookSpecificOutput"]
    assert [answer["permissionDecision"] for answer in (asked, denied)] == ["ask", "deny"]
    assert "Ask the user to look at them" in asked["permissionDecisionReason"]
    begun = cli("bridge", "claude", input='{"hook_event_name": "SessionStart"}').document
    assert "do not run: .claude/hooks/pre/bash.sh" in begun["systemMessage"]
    project.script(USERS, "on_untrusted: skip\n", user=True)
    assert cli("bridge", "claude", input=given).stdout == ""


def test_require_trusted_denies_what_no_one_trusts(cli, project, guard):
    project.script(USERS, "on_untrusted: skip\n", user=True)
    assert ruling(before_shell(cli, "--require-trusted")) == DENIED_BY_TRUST
    guard.write_text(PASS)
    trust(cli)
    assert ruling(before_shell(cli, "--require-trusted")) == ALLOWED_BY_SILENCE


def test_an_untrusted_observer_says_nothing_with_require_trusted(cli, project):
    project.manifest("demo", script=DENY, hooks=[{"event": "PreToolUse", "role": "observer"}])
    assert ruling(before_shell(cli, "--require-trusted")) == ALLOWED_BY_SILENCE
    project.manifest("demo", script=DENY, hooks=[{"event": "PreToolUse"}])
    assert ruling(before_shell(cli, "--require-trusted")) == DENIED_BY_TRUST


@pytest.mark.parametrize("event", ["AgentStop", "SubAgentStop", "PreCompact"])
def test_what_would_loop_an_agent_is_not_denied_for_trust(event, cli, project):
    project.manifest("demo", script=DENY, hooks=[{"event": event}])
    words = ("emit", event, "--require-trusted", "--format", "json")
    assert ruling(cli(*words)) == ALLOWED_BY_SILENCE
    assert ruling(cli(*words, env=TRUST_ALL)) == DENIED_BY_GUARD


@pytest.mark.parametrize(
    "place", [".claude/hooks/pre/bash.sh", ".xcsh/hooks/pre/bash.sh", ".config/hookrun/hooks/pre/bash.sh"]
)
def test_the_users_own_hooks_need_no_trust(place, cli, project):
    project.script(place, DENY, user=True)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


def test_what_the_user_configured_needs_no_trust(cli, project):
    project.script("tools/guard.sh", DENY)
    project.script(USERS, f"hooks: [{project.path}/tools/guard.sh]\n", user=True)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


def test_what_the_project_configured_needs_trust(cli, project):
    project.script("tools/guard.sh", DENY)
    project.script(".hookrun/config.yaml", "hooks: [tools/guard.sh]\n")
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    trust(cli)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


def test_a_hook_that_a_person_names_needs_no_trust(cli, project):
    script = project.script("tools/guard.sh", DENY)
    assert ruling(before_shell(cli, "--hook", str(script))) == DENIED_BY_GUARD
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


def test_a_manifest_that_a_person_names_needs_no_trust(cli, project):
    manifest = project.manifest("demo", script=DENY, hooks=[{"event": "PreToolUse"}])
    folder = project.path / "elsewhere"
    manifest.parent.rename(folder)
    assert ruling(before_shell(cli, "--hook", str(folder / "plugin.json"))) == DENIED_BY_GUARD
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


def test_trust_in_one_project_is_none_in_another(cli, project, guard, tmp_path):
    trust(cli)
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    copy = other / BASH_GUARD
    copy.parent.mkdir(parents=True)
    copy.write_text(DENY)
    copy.chmod(0o755)
    assert ruling(before_shell(cli, cwd=other)) == ALLOWED_BY_SILENCE
    trust(cli, cwd=other)
    assert ruling(before_shell(cli, cwd=other)) == DENIED_BY_GUARD


@pytest.mark.parametrize("name", ["HOOKRUN_TRUST", "CLAUDECODE"])
def test_an_empty_variable_changes_nothing(name, cli, guard):
    assert ruling(before_shell(cli, env={name: ""})) == ALLOWED_BY_SILENCE
    trust(cli)
    assert ruling(before_shell(cli, env={name: ""})) == DENIED_BY_GUARD


def test_explain_says_what_is_not_trusted_and_who_would_deny(cli, project, guard):
    done = cli("explain", "pre", "--tool", "Shell", "--input", "{}", "--format", "json")
    assert "not trusted" in done.stdout
    trust(cli)
    again = cli("explain", "pre", "--tool", "Shell", "--input", "{}", "--format", "json")
    assert "not trusted" not in again.stdout


def test_list_counts_in_its_last_line(cli, project, guard):
    project.script(".claude/hooks/post/bash.sh", PASS)
    trust(cli, BASH_GUARD)
    assert cli("list").stdout.splitlines()[-1] == "1 of 2 in force; 1 untrusted"
