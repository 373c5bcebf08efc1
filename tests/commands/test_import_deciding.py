"""An imported hook decides as the handler in the settings did: about what agents really sent, and in their
own words."""

from __future__ import annotations

import json
import shutil

import pytest
from agent_settings import CLAUDE, command, discover, group, write
from command import CHECKOUT

AGENTS = {"claude": CLAUDE, "codex": ".codex/hooks.json", "gemini": ".gemini/settings.json"}
FOLDER = CHECKOUT / "tests/payloads"
LINES = [
    (agent, json.loads(line))
    for agent in AGENTS
    for line in (FOLDER / f"{agent}.jsonl").read_text(encoding="utf-8").splitlines()
]
# Codex throws a block away there, and goes on.
DECIDING = [
    (agent, payload)
    for agent, payload in LINES
    if agent != "codex" or payload["hook_event_name"] not in ("SessionStart", "SessionEnd", "PreCompact")
]
# Refuses with all that it was handed of what the agent itself writes.
JUDGE = """\
import json, sys
payload = json.load(sys.stdin)
seen = {key: payload.get(key, "missing") for key in json.load(open(sys.argv[1]))}
print(json.dumps({"decision": "block", "reason": json.dumps(seen, sort_keys=True)}))
"""


def answers(project, environment, payload, agent):
    """What each hook said, without its name: verdict, reason, rewrite, context, feedback."""
    with discover(project, environment) as runner:
        decision = runner.emit(payload["hook_event_name"], payload=payload, dialect=agent)
    return [
        (each.verdict, each.message, each.updated_input, each.context, each.feedback, each.halt)
        for each in decision.answers
    ]


def both(cli, project, environment, payload, agent):
    """The answers of the settings, and those of what is imported from them, alone."""
    before = answers(project, environment, payload, agent)
    done = cli("import", agent)
    assert done.code == 0, done.stderr
    (project.path / AGENTS.get(agent, CLAUDE)).unlink()
    return before, answers(project, environment, payload, agent)


def settings(agent, own_event, *handlers, **others):
    return {"hooks": {own_event: [group(*handlers, **others)]}}


@pytest.mark.parametrize(
    ("agent", "payload"), DECIDING, ids=[f"{agent}-{each['hook_event_name']}" for agent, each in DECIDING]
)
def test_an_imported_hook_sees_and_decides_what_the_handler_did(cli, project, user_environment, agent, payload):
    payload = payload | {"cwd": str(project.path)}
    judge = project.script("tools/judge.py", JUDGE)
    keys = project.script("tools/keys.json", json.dumps(sorted(payload.keys() - {"timestamp"})), mode=0o644)
    line = command(f"python3 {judge} {keys} | cat")
    write(project, AGENTS[agent], settings(agent, payload["hook_event_name"], line))
    before, after = both(cli, project, user_environment, payload, agent)
    assert before == after
    said = after[0][1] or after[0][4][0]
    assert json.loads(said) == {key: payload[key] for key in payload if key != "timestamp"}


CLAUDE_LINE = next(p for a, p in LINES if a == "claude" and p["hook_event_name"] == "PreToolUse")
GEMINI_LINE = next(p for a, p in LINES if a == "gemini" and p["hook_event_name"] == "BeforeTool")
DENY = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}
REWRITE = {"hookSpecificOutput": {"tool_input": {"command": "true"}}}


@pytest.mark.parametrize(
    ("agent", "payload", "text"),
    [
        ("claude", CLAUDE_LINE, "exit 0"),
        ("claude", CLAUDE_LINE, "echo no >&2; exit 2"),
        ("claude", CLAUDE_LINE, "echo no >&2; exit 1"),
        ("claude", CLAUDE_LINE, f"echo '{json.dumps(DENY)}'"),
        ("claude", CLAUDE_LINE, "no-such-program"),
        ("gemini", GEMINI_LINE, "echo no >&2; exit 2"),
        ("gemini", GEMINI_LINE, "echo no >&2; exit 3"),
        ("gemini", GEMINI_LINE, "echo hm >&2; exit 1"),
        ("gemini", GEMINI_LINE, 'echo \'{"decision": "deny", "reason": "no"}\''),
        ("gemini", GEMINI_LINE, f"echo '{json.dumps(REWRITE)}'"),
    ],
)
def test_every_way_to_answer_means_the_same(cli, project, user_environment, agent, payload, text):
    write(project, AGENTS[agent], settings(agent, payload["hook_event_name"], text))
    before, after = both(cli, project, user_environment, payload, agent)
    assert [(each[0], each[2]) for each in before] == [(each[0], each[2]) for each in after]
    assert len(after) == 1


@pytest.mark.parametrize(
    ("agent", "name", "own_event", "answer"),
    [
        ("cursor", ".cursor/hooks.json", "beforeShellExecution", {"permission": "deny", "user_message": "no"}),
        ("copilot", ".github/hooks/one.json", "preToolUse", {"permissionDecision": "deny"}),
        ("xbot", ".xbot/hooks.json", "PreToolUse", {"decision": "deny", "reason": "no"}),
    ],
)
def test_a_refusal_in_the_agents_own_words_is_heard(cli, project, user_environment, agent, name, own_event, answer):
    text = f"echo '{json.dumps(answer)}'"
    flat = [{"command": text, "bash": text, "type": "command"}]
    entries = flat if agent != "xbot" else [group(text)]
    path = write(project, name, {"version": 1, "enable_command_hooks": True, "hooks": {own_event: entries}})
    assert cli("import", agent).code == 0
    path.unlink()
    denied = cli("emit", "pre", "--tool", "Bash", "--input", '{"command": "ls"}', "--format", "json").document
    assert (denied["decision"], denied["decided_by"]) == ("deny", "guard")
    shutil.rmtree(project.path / ".hookrun")
    allowed = cli("emit", "pre", "--tool", "Bash", "--input", '{"command": "ls"}', "--format", "json").document
    assert allowed["decision"] is None


def test_a_hook_for_one_agent_reads_the_keys_that_this_agent_writes(cli, project):
    entry = {"command": 'grep -q \'"command_line": *"ls"\' && { echo seen >&2; exit 2; }'}
    path = write(project, ".windsurf/hooks.json", {"hooks": {"pre_run_command": [entry]}})
    assert cli("import", "windsurf").code == 0
    path.unlink()
    assert cli("emit", "pre", "--tool", "Bash", "--input", '{"command": "ls"}').code == 2
    assert cli("emit", "pre", "--tool", "Bash", "--input", '{"command": "id"}').code == 0
    assert cli("emit", "pre", "--tool", "Write", "--input", '{"file_path": "ls"}').code == 0


def test_codex_files_are_guarded_under_each_of_their_names(cli, project):
    guard = settings("codex", "PreToolUse", "echo no >&2; exit 2", matcher="Edit")
    path = write(project, ".codex/hooks.json", guard)
    assert cli("import", "codex").code == 0
    path.unlink()
    patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n"
    asked = ("--dialect", "codex", "--tool", "apply_patch", "--input", json.dumps({"command": patch}))
    assert cli("emit", "pre", *asked).code == 2
    assert cli("emit", "pre", "--tool", "Bash", "--dialect", "codex", "--input", "{}").code == 0
