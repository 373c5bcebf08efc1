"""What definitions say that has no effect, never fires, or looks like another unit; each with its line."""

from __future__ import annotations

import json

import pytest
from linted import messages, report_of

DENYING = "#!/bin/sh\nexit 2\n"
NO_TOOL = "the matcher 'Shell' has no effect: SessionStart is not about a tool"
NO_FAILURE = "on_failure has no effect: the failure of an observer denies nothing"


def wheres(project, environment):
    return {finding.where: finding.message for finding in report_of(project, environment).findings}


def hooks(project, *entries, **more):
    return project.manifest("p", script=DENYING, hooks=list(entries), **more)


def test_a_matcher_without_a_tool_to_match_has_no_effect(project, user_environment):
    hooks(project, {"event": "SessionStart", "matcher": "Shell"}, {"event": "SessionEnd", "matcher": "*"})
    (found,) = wheres(project, user_environment).items()
    assert found == ("contributes.hooks[0].matcher", NO_TOOL)


@pytest.mark.parametrize(
    ("matcher", "complaint"),
    [
        ("Shel", "never fires: no known tool is named 'Shel'; did you mean 'Shell'?"),
        ("Shell|Raed", "no known tool is named 'Raed'; did you mean 'Read'?"),
        ("notebook", "never fires: no known tool is named 'notebook'"),  # a kind, and nobody's name
        ("Shell", ""),
        ("Bash", "'Bash' fires only for agents that use this very name"),
        ("run_shell_command|Shel*", "'run_shell_command' fires only for agents"),
        ("mcp__docs__find", ""),
        ("deploy", ""),  # named in the configuration
    ],
)
def test_a_matcher_that_names_no_tool_is_found(project, user_environment, matcher, complaint):
    project.script(".hookrun/config.yaml", "tools: {deploy: shell}\n")
    hooks(project, {"event": "PreToolUse", "matcher": matcher})
    found = wheres(project, user_environment).get("contributes.hooks[0].matcher", "")
    assert found.startswith(complaint) if complaint else not found


def test_a_trigger_is_looked_at_as_a_matcher_is(project, user_environment):
    widget = {"id": "w", "slot": "infoBar", "triggers": ["PostToolUse:Shel", "SessionStart:Shell", "pre:Shell"]}
    project.manifest("p", script=DENYING, ui=[widget])
    assert wheres(project, user_environment) == {
        "contributes.ui[0].triggers[0]": "never fires: no known tool is named 'Shel'; did you mean 'Shell'?",
        "contributes.ui[0].triggers[1]": NO_TOOL,
    }


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("pre/raed.sh", DENYING, "0: matches no known tool: 'raed'"),
        ("pre/sesion-start.sh", DENYING, "0: matches no known tool: 'sesion-start'"),
        ("pre/x.sh", "#!/bin/sh\n# hookrun: tool=Bash|Raed\n", "2: matches no known tool: 'Raed'"),
        ("pre/x.sh", "#!/bin/sh\n# hookrun: tool=Bash|Edit*\n", ""),
        ("pre/bash.sh", DENYING, ""),
        ("pre/deploy.sh", DENYING, ""),
        ("pre/mcp__docs__find.sh", DENYING, ""),
        ("pre/session-start.sh", DENYING, ""),
    ],
)
def test_a_script_that_names_no_tool_is_found(project, user_environment, name, text, complaint):
    project.script(".hookrun/config.yaml", "tools: {deploy: shell}\n")
    project.script(f".claude/hooks/{name}", text)
    assert messages(project, user_environment) == ([complaint] if complaint else [])


def test_the_nearest_tool_or_event_is_offered(project, user_environment):
    project.script(".claude/hooks/pre/sesion-start.sh", DENYING)
    (finding,) = report_of(project, user_environment).findings
    assert finding.hint.startswith("did you mean SessionStart?")


def test_roles_and_failures_without_effect_are_found(project, user_environment):
    hooks(
        project,
        {"event": "PostToolUse", "role": "guard"},
        {"event": "PostToolUse", "on_failure": "deny"},
        {"event": "PreToolUse", "role": "observer", "onFailure": "allow"},
        {"event": "PreToolUse", "role": "guard", "on_failure": "ask"},
        {"event": "AgentStop", "role": "guard"},
    )
    assert wheres(project, user_environment) == {
        "contributes.hooks[0].role": "role guard has no effect: a failure never denies PostToolUse",
        "contributes.hooks[1].on_failure": NO_FAILURE,
        "contributes.hooks[2].on_failure": NO_FAILURE,
        "contributes.hooks[4].role": "role guard has no effect: a failure never denies AgentStop",
    }


def test_the_header_of_a_script_is_looked_at_as_well(project, user_environment):
    project.script(".hookrun/hooks/post/bash.sh", "#!/bin/sh\n\n# hookrun: on-failure=deny\n")
    project.script(".hookrun/hooks/post/edit.sh", "#!/bin/sh\n# hookrun: role=guard\n")
    assert messages(project, user_environment) == [
        "3: on_failure has no effect: the failure of an observer denies nothing",
        "2: role guard has no effect: a failure never denies PostToolUse or PostToolUseFailure",
    ]


@pytest.mark.parametrize(
    ("widget", "key", "complaint"),
    [
        ({"slot": "toolHint", "triggers": ["post:Shell"]}, "slot", "without sync its output comes too late"),
        ({"slot": "toolHint", "sync": True}, "", "never runs: a toolHint runs at its triggers only"),
        ({"slot": "toolHint", "sync": True, "triggers": []}, "triggers", "never runs"),
        ({"slot": "footer", "sync": True, "triggers": ["post:Shell"]}, "sync", "sync has no effect in footer"),
        (
            {"slot": "toolHint", "sync": True, "triggers": ["post:Shell", "session_start"]},
            "triggers[1]",
            "a toolHint belongs to a tool call, and SessionStart is not about a tool",
        ),
        ({"slot": "toolHint", "sync": True, "triggers": ["post:Shell"]}, "", ""),
        ({"slot": "footer"}, "", ""),
    ],
)
def test_a_widget_that_nobody_sees_is_found(project, user_environment, widget, key, complaint):
    project.manifest("p", script=DENYING, ui=[{"id": "w", **widget}])
    found = wheres(project, user_environment)
    where = f"contributes.ui[0]{'.' * bool(key)}{key}"
    assert [*found] == ([where] if complaint else [])
    assert found.get(where, "").startswith(complaint)


@pytest.mark.parametrize(
    ("timeout", "complaint", "hint"),
    [
        (5000, "the timeout 5000 is 5000 seconds", 'write "5000ms" if that was meant, else at most "5m"'),
        ("5000s", "the timeout 5000s is 5000 seconds", 'write "5000ms" if that was meant, else at most "5m"'),
        ("10m", "the timeout 10m is 600 seconds", 'at most "5m"'),
        ("5000", "the timeout '5000' has no unit", "write 5000ms or 5000s"),
        ("5ms", "the timeout 5ms is 5 ms: a guard hardly starts", 'such as "5s"'),
        (0.005, "the timeout 0.005 is 5 ms: a guard hardly starts", 'such as "5s"'),
        ("30s", "", ""),
        (300, "", ""),
        ("50ms", "", ""),
    ],
)
def test_a_timeout_in_another_unit_is_found_once(project, user_environment, timeout, complaint, hint):
    hooks(project, {"event": "PreToolUse", "timeout": timeout})
    found = report_of(project, user_environment).findings
    assert [finding.hint for finding in found] == ([hint] if hint else [])
    assert all(finding.message.startswith(complaint) for finding in found)


def test_a_timeout_for_the_whole_plugin_is_found_once(project, user_environment):
    path = hooks(project, {"event": "PreToolUse"}, {"event": "SessionStart"})
    path.write_text(json.dumps({**json.loads(path.read_text()), "timeout": 20000}))
    assert [*wheres(project, user_environment)] == ["timeout"]


def test_an_observer_may_be_given_little_time(project, user_environment):
    hooks(project, {"event": "PostToolUse", "timeout": "5ms"})
    assert wheres(project, user_environment) == {}


@pytest.mark.parametrize(
    ("header", "complaint", "level"),
    [
        ("timeout=5000", "2: the timeout '5000' has no unit", "error"),
        ("timeout=5000s", "2: the timeout 5000s is 5000 seconds, which looks like another unit", "warning"),
        ("timeout=5ms", "2: the timeout 5ms is 5 ms: a guard hardly starts in that time, and denies", "warning"),
        ("timeout=soon", "2: 'soon' is not a duration", "error"),
        ("timeout=5s", "", ""),
    ],
)
def test_the_timeout_of_a_header_is_looked_at(project, user_environment, header, complaint, level):
    project.script(".hookrun/hooks/pre/bash.sh", f"#!/bin/sh\n# hookrun: {header}\n")
    assert messages(project, user_environment) == ([complaint] if complaint else [])
    assert [finding.level for finding in report_of(project, user_environment).findings] == [level] * bool(level)


def test_problems_of_loading_have_their_line(project, user_environment):
    text = """
        {"id": "p", "name": "p", "version": "1.0.0", "runtime": "script",
         "entry": "sh hook.sh", "permissions": ["*"], "permisions": [],
         "contributes": {
           "hooks": [
             {"event": "PreToolUse"},
             {"event": "PreTolUse"},
             {"event": "PreToolUse",
              "onFailure": "maybe"}],
           "ui": [{"id": "w", "slot": "footer",
                   "refreshInterval": "soon"}]}}
    """.removeprefix("\n")
    hooks(project, {"event": "PreToolUse"}).write_text(text)
    found = [(finding.line, finding.where, finding.hint) for finding in report_of(project, user_environment).findings]
    assert found == [
        (2, "permisions", "did you mean permissions?"),
        (6, "contributes.hooks[1].event", "did you mean PreToolUse?"),
        (8, "contributes.hooks[2].onFailure", "one of deny, ask, allow"),
        (10, "contributes.ui[0].refresh_interval", 'such as "30s", "1m", "500ms"'),
    ]


def test_duplicates_and_yaml_have_their_lines(project, user_environment):
    project.script(
        ".hookrun/manifests/p.yaml",
        "id: p\nname: p\nname: q\nversion: 1.0.0\nruntime: script\nentry: 'true'\n"
        "permissions: ['*']\ncontributes:\n  hooks:\n    - event: Nothing\n",
    )
    assert messages(project, user_environment) == [
        "3: appears twice; the last one counts",
        "10: unknown event 'Nothing'",
    ]


def test_a_file_that_cannot_be_read_is_one_error_with_its_line(project, user_environment):
    project.script(".hookrun/manifests/p.json", '{\n "id": "p",\n "name": p\n}\n')
    (finding,) = report_of(project, user_environment).findings
    assert (finding.level, finding.line) == ("error", 3)


def test_two_plugins_of_one_id_are_an_error(project, user_environment):
    for name in ("a", "b"):
        path = project.manifest(name, script=DENYING, hooks=[{"event": "PreToolUse"}])
        path.write_text(path.read_text().replace(f'"id": "{name}"', '"id": "same"'))
    assert [*wheres(project, user_environment)] == ["id"]


def test_a_wrong_configuration_is_reported_with_its_line(project, user_environment):
    project.script("pyproject.toml", "[tool.hookrun]\ndisabel = []\n\n[tool.hookrun.limits]\nproces_hooks = 3\n")
    assert messages(project, user_environment) == [
        "2: unknown key 'disabel' (ignored)",
        "5: unknown key 'proces_hooks' (ignored)",
    ]
