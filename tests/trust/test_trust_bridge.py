"""Trust where an agent asks: what nobody has approved does not run and is not passed over, and a model is
told to ask its user, never how to approve it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from agent_settings import CLAUDE, before_tools, group, write
from firing import BASH_GUARD, DENY, NO, PASS, guard_text, marker_script
from trusted import commit, git, records, repository, trust

from hookrun.agents import DIALECTS

if TYPE_CHECKING:
    from command import Ended

pytestmark = pytest.mark.usefixtures("untrusting")

AGENTS = tuple(dialect.name for dialect in DIALECTS)
WITH_ASK = ("claude", "copilot", "xbot")
WITH_ASK_AT_TERMINAL = ("gemini", "qwen")
TOLD_TO_USERS = ("claude", "codex", "gemini", "qwen", "droid")
HOW = ("hookrun trust", "hookrun untrust", "HOOKRUN_TRUST", "trust --")
SCRIPT = ".claude/guard.sh"


def told(event: str, **fields: Any) -> str:
    return json.dumps({"hook_event_name": event, "session_id": "s1", **fields})


BEFORE_SHELL = told("PreToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_use_id="t1")
PROMPT = told("UserPromptSubmit", prompt="go on")
STARTED = told("SessionStart", source="startup")


def bridge(cli, agent: str, event: str = BEFORE_SHELL, *words: str, **options: Any) -> Ended:
    """Ask as *agent*, and see that the answer does not say how hooks are approved."""
    ended = cli("bridge", agent, *words, input=event, **options)
    assert ended.code in (0, 2)
    assert not [word for word in HOW if word in ended.stdout + ended.stderr], ended
    return ended


def verdict(ended: Ended) -> str:
    """What the agent is told to do before a tool: ask, deny, or "" for nothing."""
    if ended.code == 2:
        return "deny"
    document = json.loads(ended.stdout or "{}")
    document |= document.get("hookSpecificOutput", {})
    if document.get("cancel") or document.get("block"):
        return "deny"
    found = (document.get(key) for key in ("permissionDecision", "permission", "decision"))
    word = next(filter(None, found), "")
    return "deny" if word == "block" else word


def asked_of(agent: str) -> tuple[str, ...]:
    """What an ask becomes, with or without a terminal."""
    if agent in WITH_ASK_AT_TERMINAL:
        return ("ask", "deny")
    return ("ask",) if agent in WITH_ASK else ("deny",)


@pytest.mark.parametrize("agent", AGENTS)
def test_what_nobody_has_approved_is_an_ask_or_a_deny_and_does_not_run(cli, project, tmp_path, agent):
    project.script(BASH_GUARD, marker_script(tmp_path, "ran"))
    ended = bridge(cli, agent)
    assert verdict(ended) in asked_of(agent)
    assert "Ask the user to look at them." in ended.stdout + ended.stderr
    assert not (tmp_path / "ran").exists()
    trust(cli)
    assert verdict(bridge(cli, agent)) == ""
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("agent", AGENTS)
def test_what_was_approved_and_changed_or_is_gone_is_a_deny(cli, project, agent):
    path = project.script(BASH_GUARD, PASS)
    trust(cli)
    assert verdict(bridge(cli, agent)) == ""
    path.write_text(f"{PASS}\n")
    assert verdict(bridge(cli, agent)) == "deny"
    path.unlink()
    ended = bridge(cli, agent)
    assert verdict(ended) == "deny"
    assert "it was trusted and is gone" in ended.stdout + ended.stderr
    project.script(BASH_GUARD, PASS)
    assert verdict(bridge(cli, agent)) == ""


@pytest.mark.parametrize("agent", AGENTS)
def test_what_another_branch_has_is_an_ask_or_a_deny(cli, project, agent):
    repository(project)
    git(project.path, "checkout", "-q", "-b", "guarded")
    project.script(BASH_GUARD, PASS)
    commit(project.path)
    trust(cli)
    assert verdict(bridge(cli, agent)) == ""
    git(project.path, "checkout", "-q", "-")
    assert verdict(bridge(cli, agent)) in asked_of(agent)


@pytest.mark.parametrize("agent", AGENTS)
def test_the_user_is_told_when_a_session_begins(cli, project, agent):
    project.script(BASH_GUARD, PASS)
    project.script(".claude/hooks/pre/write.sh", PASS)
    trust(cli, BASH_GUARD)
    project.script(BASH_GUARD, DENY)
    ended = bridge(cli, agent, STARTED)
    said = json.loads(ended.stdout or "{}").get("systemMessage", "")
    text = f"hooks of this project are not approved and do not run: {BASH_GUARD}, .claude/hooks/pre/write.sh"
    assert text in (said if agent in TOLD_TO_USERS else ended.stderr)
    assert "additional" not in ended.stdout.lower()
    assert ended.code == 0
    trust(cli)
    assert "approved" not in bridge(cli, agent, STARTED).stdout + bridge(cli, agent, STARTED).stderr


def test_a_prompt_is_denied_where_nobody_can_ask_and_the_end_is_not_held_up(cli, project):
    for name in ("user-prompt-submit", "stop"):
        project.script(f".claude/hooks/pre/{name}.sh", PASS)
    assert bridge(cli, "claude", PROMPT).document["decision"] == "block"
    assert bridge(cli, "claude", told("Stop")).stdout == ""
    assert '"ask"' in bridge(cli, "xbot", PROMPT).stdout


def test_what_is_not_about_a_call_is_not_asked_for(cli, project):
    project.script(".claude/hooks/pre/write.sh", PASS)
    assert bridge(cli, "claude").stdout == ""
    call = told("PreToolUse", tool_name="Write", tool_input={"file_path": "a", "content": ""})
    assert verdict(bridge(cli, "claude", call)) == "ask"


@pytest.mark.parametrize("value", ["project", "ref:HEAD"])
def test_an_environment_that_a_repository_can_set_does_not_count(cli, project, tmp_path, value):
    project.script(BASH_GUARD, marker_script(tmp_path, "ran"))
    repository(project)
    assert verdict(bridge(cli, "claude", env={"HOOKRUN_TRUST": value})) == "ask"
    assert not (tmp_path / "ran").exists()
    assert cli("emit", "pre", "--tool", "Bash", env={"HOOKRUN_TRUST": value}).code == 0
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize(("word", "expected"), [("ask", "ask"), ("deny", "deny"), ("skip", "")])
def test_the_user_says_what_it_means_that_nobody_has_approved_a_guard(cli, project, word, expected):
    project.script(BASH_GUARD, PASS)
    project.script(".hookrun/config.yaml", "on_untrusted: skip\n")
    assert verdict(bridge(cli, "claude")) == "ask"
    project.script(".config/hookrun/config.yaml", f"on_untrusted: {word}\n", user=True)
    assert verdict(bridge(cli, "claude")) == expected


def test_ask_fallback_is_about_hooks_that_ask_and_not_about_those_that_nobody_approved(cli, project):
    project.script(".config/hookrun/config.yaml", "ask_fallback: allow\n", user=True)
    project.script(BASH_GUARD, guard_text("""echo '{"decision": "ask", "reason": "sure?"}'"""))
    assert verdict(bridge(cli, "codex")) == "deny"
    trust(cli)
    assert verdict(bridge(cli, "codex")) == ""


def test_hooks_of_the_user_need_no_approval(cli, project):
    project.script(BASH_GUARD, DENY, user=True)
    assert NO in bridge(cli, "claude").stdout
    assert bridge(cli, "claude", STARTED).stdout == ""


@pytest.mark.parametrize("agent", AGENTS)
def test_records_that_cannot_be_read_deny(cli, project, agent):
    project.script(BASH_GUARD, PASS)
    trust(cli)
    for path in records(project):
        path.write_text("{")
    ended = bridge(cli, agent)
    assert verdict(ended) == "deny"
    assert "what is trusted cannot be read" in ended.stdout + ended.stderr


def test_configuration_that_loosens_does_not_say_how_it_is_approved(cli, project):
    project.script(".hookrun/config.yaml", "on_failure: allow\n")
    assert "has no effect until it is trusted" in bridge(cli, "claude").stderr


def test_what_the_asking_agent_runs_itself_is_not_missed(cli, project):
    project.script(SCRIPT, DENY)
    path = write(project, CLAUDE, before_tools(group(SCRIPT, matcher="Bash")))
    trust(cli)
    assert NO in bridge(cli, "gemini", BEFORE_SHELL, "--with", "claude").stdout
    for agent in ("claude", "gemini"):
        assert bridge(cli, agent).stdout == ""
    path.unlink()
    for agent in ("claude", "gemini"):
        assert bridge(cli, agent).stdout == ""
    ended = bridge(cli, "gemini", BEFORE_SHELL, "--with", "claude")
    assert (verdict(ended), "it was trusted and is gone" in ended.stdout) == ("deny", True)


CHANGES = {
    "the script edited": lambda project: project.script(SCRIPT, PASS),
    "the script deleted": lambda project: (project.path / SCRIPT).unlink(),
    "the entry edited": lambda project: write(project, CLAUDE, before_tools(group(SCRIPT, matcher="Write"))),
    "the entry deleted": lambda project: write(project, CLAUDE, {}),
    "the settings deleted": lambda project: (project.path / CLAUDE).unlink(),
    "all hooks switched off": lambda project: write(
        project, CLAUDE, before_tools(group(SCRIPT, matcher="Bash")) | {"disableAllHooks": True}
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("agent", ["gemini", "codex"])
def test_other_agents_settings_are_guarded_as_hooks_are(cli, project, agent, change):
    def ask() -> str:
        return verdict(bridge(cli, agent, BEFORE_SHELL, "--with", "claude"))

    def set_up() -> None:
        project.script(SCRIPT, PASS)
        write(project, CLAUDE, before_tools(group(SCRIPT, matcher="Bash")))

    set_up()
    assert ask() in ("ask", "deny")
    trust(cli)
    assert ask() == ""
    project.script(SCRIPT, DENY)
    assert ask() == "deny"
    trust(cli)
    set_up()
    change(project)
    if change is not CHANGES["the script edited"]:  # both texts are trusted
        assert ask() == "deny"
    set_up()
    assert ask() == ""


def test_a_script_is_left_to_the_asking_agent_only_when_all_of_it_is_approved(cli, project):
    project.script(BASH_GUARD, DENY)
    trust(cli)
    assert NO in bridge(cli, "claude").stdout
    write(project, CLAUDE, before_tools(group(BASH_GUARD, matcher="Bash")))  # by the agent, to be rid of it
    assert NO in bridge(cli, "claude").stdout
    trust(cli)
    assert bridge(cli, "claude").stdout == ""
    project.script(BASH_GUARD, PASS)
    assert verdict(bridge(cli, "claude")) == "deny"


def test_a_script_that_the_asking_agent_runs_for_one_event_is_not_missed(cli, project):
    project.script(BASH_GUARD, PASS)
    write(project, CLAUDE, before_tools(group(BASH_GUARD, matcher="Bash")))
    trust(cli)
    assert bridge(cli, "claude").stdout == ""
    assert bridge(cli, "gemini").stdout == ""
    (project.path / BASH_GUARD).unlink()
    assert verdict(bridge(cli, "claude")) == "deny"


def test_our_own_executables_are_no_hooks(cli, project):
    cli("install", "cline", "claude", "copilot", "gemini")
    assert "0 of 0 in force" in cli("list").stdout
    assert "has no hooks of its own" in cli("trust").stdout
    path = project.path / ".clinerules/hooks/PreToolUse"
    text = path.read_text()
    edited = text.replace('"${hr_at%}"/hookrun bridge cline', "exit 0")
    assert edited != text
    path.write_text(edited)
    assert "1 untrusted" in cli("list").stdout
    path.write_text(text)
    assert "0 of 0 in force" in cli("list").stdout
