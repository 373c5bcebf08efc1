"""Whatever stands in settings, in a matcher or in an answer: nothing raises, and the good entry lives."""

from __future__ import annotations

import json

from agent_settings import ended, hook_of
from hypothesis import given
from hypothesis import strategies as st

from hookrun.agents import agents_with_settings, dialect_named
from hookrun.agents.settings import settings_of
from hookrun.answers.agent import read_agent_answer
from hookrun.events.event import make_event
from hookrun.matching.conditions import claude_condition, xbot_condition
from hookrun.matching.expressions import GO, JAVASCRIPT, RUST, compile_expression
from hookrun.matching.shell_conditions import simple_commands
from hookrun.sources.agent_settings.entries import SettingsPlace
from hookrun.sources.agent_settings.handlers import read_handlers
from hookrun.sources.found import Origin

WORDS = st.sampled_from(
    "PreToolUse BeforeTool preToolUse pre_run_command hooks matcher type command http url args timeout async "
    "if env name Bash deny block decision permissionDecision hookSpecificOutput continue cancel".split()
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS | st.text(max_size=5), inner, max_size=5),
    max_leaves=20,
)
EXPRESSIONS = st.text(alphabet="ab|()[]{}?*+\\^$.:<>=!-,0123456789dwkpP'\" ", max_size=20)
AGENTS = [dialect.name for dialect in agents_with_settings()]
EVENT_BY_AGENT = {
    "gemini": "BeforeTool",
    "cursor": "preToolUse",
    "copilot": "preToolUse",
    "windsurf": "pre_run_command",
}


def call(**values):
    event, _ = make_event("PreToolUse", tool_name="Bash", dialect=dialect_named("claude"), **values)
    return event


@given(junk=JSON, handler=st.dictionaries(WORDS, JSON, max_size=6))
def test_no_settings_raise_and_a_good_entry_lives(junk, handler):
    for agent in AGENTS:
        good_entry_lives(agent, junk, handler)


def good_entry_lives(agent, junk, handler):
    origin = Origin(source=f"{agent}-settings", order=70, level="project", place="/p", dialect=agent)
    own_event = EVENT_BY_AGENT.get(agent, "PreToolUse")
    key = "bash" if agent == "copilot" else "command"
    good = {"type": "command", key: "good"}
    flat = settings_of(agent).is_flat
    groups = [junk, handler, good] if flat else [junk, {"hooks": [junk, handler, good]}, handler]
    found = read_handlers({own_event: groups, "odd": junk}, SettingsPlace(origin=origin, path="/p/settings.json"))
    assert [hook.title for hook in found.hooks].count("good") >= 1, agent
    event = call(tool_input={"command": "x"})
    for hook in found.hooks:
        assert [trigger.accepts(event, ("Bash",)) for trigger in hook.triggers], agent
        assert json.loads(hook.entry)["event"] == own_event, agent


@given(text=EXPRESSIONS, name=st.text(max_size=30), language=st.sampled_from([JAVASCRIPT, GO, RUST]))
def test_an_expression_is_read_or_refused(text, name, language):
    try:
        expression = compile_expression(text, language)
    except ValueError:
        return
    assert expression.accepts(name) in (True, False, None)


@given(rule=st.text(max_size=30) | EXPRESSIONS, command=st.text(max_size=40))
def test_a_condition_never_raises(rule, command):
    event = call(tool_input={"command": command, "file_path": command})
    for condition in (claude_condition(rule), xbot_condition(rule)):
        held = condition.holds(event, ("Bash",))
        if condition.flaw:  # one that no event fulfils, or one that nobody can read, which fires
            assert held is (False if condition.never_holds else None)
        else:
            assert held is condition.holds(event, ("Bash",))
            assert isinstance(held, bool) or held is None


@given(command=st.text(alphabet="ab ;|&{}\n'\"\\$`<>=", min_size=1, max_size=40).filter(str.strip))
def test_a_rule_that_is_the_very_command_holds_and_another_tools_does_not(command):
    event = call(tool_input={"command": command})
    for condition in (claude_condition, xbot_condition):
        assert condition(f"Bash({command})").holds(event, ("Bash",)) is True
        assert condition("Bash").holds(event, ("Bash",)) is True
        assert condition(f"Read({command})").holds(event, ("Bash",)) is False


@given(text=st.text(alphabet="ab ;|&(){}\n'\"\\$`<>=", max_size=40))
def test_a_shell_line_never_raises_and_loses_no_command(text):
    line = simple_commands(text)
    assert isinstance(line.is_certain, bool)
    assert simple_commands(f"rm -rf x; {text}").commands[:1] == ("rm -rf x",)


@given(
    stdout=JSON.map(json.dumps) | st.text(max_size=50),
    stderr=st.text(max_size=20),
    code=st.sampled_from([0, 1, 2, 3, 255]),
)
def test_no_answer_raises(stdout, stderr, code):
    for agent in AGENTS:
        hook = hook_of(agent, EVENT_BY_AGENT.get(agent, "PreToolUse"))
        answer = read_agent_answer(hook, ended(stdout, code=code, stderr=stderr), call(tool_input={"command": "x"}))
        assert answer.status in ("ran", "failed"), agent
