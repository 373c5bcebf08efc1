"""`hookrun agents`: what each agent can do with a decision, as it is written to them."""

from __future__ import annotations

from typing import Any

from sweeps import sweep

from hookrun.agents import DIALECTS, protocol_of
from hookrun.agents.reply.capabilities import capabilities_of
from hookrun.agents.reply.writing import write_decision
from hookrun.model.values import Decision, Event, Verdict

AGENTS = [dialect.name for dialect in DIALECTS]
WISHES = ("deny", "ask", "defer", "rewrite", "context", "result", "feedback", "halt", "user")
AFTER_TOOL = ("PostToolUse", "PostToolUseFailure")
AROUND_TOOLS = {
    ("SessionStart", "context"),
    ("UserPromptSubmit", "deny"),
    ("UserPromptSubmit", "context"),
    ("AgentStop", "deny"),
}
MEASURED = {
    "claude": {("PreToolUse", wish) for wish in ("deny", "ask", "defer", "rewrite", "context")}
    | {("PostToolUse", "context"), ("PostToolUse", "result")},
    "codex": {
        *(("PreToolUse", wish) for wish in ("deny", "rewrite", "context")),
        *(
            (event, wish)
            for event in ("PostToolUse", "PostToolUseFailure")
            for wish in ("feedback", "context", "result")
        ),
        *AROUND_TOOLS,
    },
    "qwen": {
        ("PreToolUse", "deny"),
        ("PostToolUse", "context"),
        ("UserPromptSubmit", "deny"),
        ("UserPromptSubmit", "context"),
        ("AgentStop", "deny"),
        ("SessionStart", "context"),
    },
    "copilot": {
        ("PreToolUse", "deny"),
        ("PreToolUse", "ask"),
        ("PreToolUse", "rewrite"),
        ("PreToolUse", "context"),
        ("PostToolUse", "context"),
        ("PostToolUse", "result"),
        ("UserPromptSubmit", "deny"),
        ("UserPromptSubmit", "context"),
        ("AgentStop", "deny"),
        ("SessionStart", "context"),
    },
    "droid": {
        ("PreToolUse", "deny"),
        ("PreToolUse", "rewrite"),
        ("PreToolUse", "halt"),
        *((event, "context") for event in AFTER_TOOL),
        ("AgentStop", "deny"),
    },
    "cline": {("PreToolUse", "deny"), ("PreToolUse", "context"), *((event, "context") for event in AFTER_TOOL)},
    "gemini": {
        *(("PreToolUse", wish) for wish in ("deny", "rewrite")),
        *((event, wish) for event in AFTER_TOOL for wish in ("context", "result")),
        *AROUND_TOOLS,
    },
}


def test_the_matrix_says_what_was_measured(cli) -> None:
    lines = cli("agents", "claude", "gemini").stdout.splitlines()
    assert lines[0] == "claude: Claude Code"
    assert lines[1].split() == ["event", "called", "deny", "ask", "rewrite", "context", "result"]
    assert lines[2].split() == ["PreToolUse", "-", "blocks*", "yes*", "yes*", "yes*", "-"]
    assert "  PreToolUse          BeforeTool   blocks*      at a terminal  yes*     no       -" in lines
    assert lines[-1].startswith("* measured with the real client")
    assert "codex" not in "".join(lines)


def test_each_agent_says_the_versions_that_it_was_measured_with(cli) -> None:
    measured = {
        "claude": ["2.1.197", "2.1.328"],
        "codex": ["0.171.0"],
        "gemini": ["0.61.0"],
        "qwen": ["0.24.4"],
        "copilot": ["1.0.102"],
        "droid": ["0.225.2"],
        "cline": ["3.0.65"],
    }
    found = {each["name"]: each["measured_with"] for each in cli("agents", "--format", "json").document["agents"]}
    assert found == {agent: measured.get(agent, []) for agent in AGENTS}
    assert {agent for agent in AGENTS if protocol_of(agent).replies.measured_with} == set(MEASURED)
    assert "  * measured with 2.1.197 and 2.1.328, the rest is read" in cli("agents", "claude").stdout.splitlines()
    assert "  read, not measured" in cli("agents", "cursor").stdout.splitlines()


def test_json_has_every_agent_event_and_wish(cli) -> None:
    agents = cli("agents", "--format", "json").document["agents"]
    assert [agent["name"] for agent in agents] == AGENTS
    for agent in agents:
        assert agent["timeout_ms"] > 0
        for event in agent["events"]:
            wishes = set(event) - {"event", "called"}
            assert wishes == set(WISHES)
    by_name = {agent["name"]: agent for agent in agents}
    before = by_name["gemini"]["events"][0]
    assert before["called"] == ["BeforeTool"]
    assert before["ask"] == {"can": "at a terminal", "becomes": "ask", "needs_terminal": True, "measured": False}
    assert by_name["codex"]["events"][0]["ask"]["becomes"] == "deny"
    assert by_name["windsurf"]["events"][1]["deny"]["becomes"] is None


def test_verbose_shows_the_other_wishes(cli) -> None:
    headings = cli("agents", "xbot", "-v").stdout.splitlines()[1].split()
    assert headings[2:] == list(WISHES)


def test_an_unknown_agent_is_a_wrong_call(cli) -> None:
    ended = cli("agents", "claud")
    assert (ended.code, ended.stdout) == (64, "")
    assert "did you mean claude?" in ended.stderr


@sweep("agent", AGENTS)
def test_only_what_was_measured_is_called_so(agent: str) -> None:
    found = {
        (row.event, wish)
        for row in capabilities_of(protocol_of(agent).replies)
        for wish, capability in row.by_wish
        if capability.is_measured and capability.becomes == wish
    }
    assert found == MEASURED.get(agent, set())


SAID: dict[str, dict[str, Any]] = {
    "deny": {"verdict": Verdict.DENY, "message": "SAID"},
    "ask": {"verdict": Verdict.ASK, "message": "SAID"},
    "defer": {"verdict": Verdict.DEFER, "message": "SAID"},
    "rewrite": {"updated_input": {"command": "SAID"}},
    "context": {"context": ("SAID",)},
    "feedback": {"feedback": ("SAID",)},
    "halt": {"halt": True, "message": "SAID"},
    "user": {"user_messages": ("SAID",)},
    "result": {"result": {"compaction": "SAID"}},
}
RETURNED = {
    **{event: {"content": [{"type": "text", "text": "SAID"}]} for event in AFTER_TOOL},
    "UserPromptSubmit": {"message": {"custom_type": "note", "content": "SAID"}},
    "session.compacting": {"prompt": "SAID"},
    "session_before_tree": {"summary": {"summary": "SAID"}},
    "context": {"messages": ["SAID"]},
    "session_before_branch": {"skip_conversation_restore": "SAID"},
    "session_before_switch": {"cancel": "SAID"},
}


@sweep("agent", AGENTS)
def test_the_matrix_and_what_is_written_agree(agent: str) -> None:
    table = protocol_of(agent).replies
    for row in capabilities_of(table):
        for wish, capability in row.by_wish:
            for own_name in row.own_names:
                said = SAID[wish]
                if wish == "result" and row.event in RETURNED:
                    said = {"result": RETURNED[row.event]}
                decision = Decision(event=Event(dialect="xbot", event=row.event), **said)
                reply = write_decision(table, decision, own_name, has_terminal=True)
                reaches = "SAID" in reply.stdout or (reply.exit_code == 2 and "SAID" in reply.stderr)
                is_loud = any(
                    "cannot" in problem.message or "takes no" in problem.message for problem in reply.problems
                )
                where = (agent, row.event, own_name, wish, reply)
                if capability.can == "-":
                    continue
                if capability.can == "no":
                    assert is_loud or (wish == "halt" and "Stop" in row.event), where
                elif capability.can == "on stderr":
                    assert reply.stderr == "SAID", where
                elif wish != "halt" or capability.becomes == "halt":
                    assert reaches or '"cancel": true' in reply.stdout, where
                if capability.becomes == wish:
                    assert not is_loud, where


def test_an_agent_that_is_named_is_shown_with_how_each_fact_is_known(cli):
    shown = cli("agents", "droid").stdout
    (line,) = [line for line in shown.splitlines() if "permissionDecision ask" in line]
    assert line.split()[0] == "PreToolUse"
    assert line.endswith("measured with 0.225.2")
    assert "read in its documents" in shown
    assert "what becomes of it" not in cli("agents").stdout
    (document,) = cli("agents", "droid", "--format", "json").document["agents"]
    known = {effect["what"]: effect["known"] for effect in document["effects"]}
    assert known["exit 1"] == "measured with 0.225.2"
    assert all(known.values())
