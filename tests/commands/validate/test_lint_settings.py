"""What `hookrun validate` finds in agents' own settings, and in the scripts that they name."""

from __future__ import annotations

import json

import pytest
from agent_settings import CLAUDE, before_tools, command, group, write
from linted import report_of

from hookrun.agents import agents_with_settings
from hookrun.agents.settings import settings_of

REFUSE = "#!/bin/sh\necho no >&2\nexit 2\n"
HOOK = ".claude/hooks/guard.sh"


def found(project, environment, *paths):
    return {(each.file.rpartition("/")[2], each.where): each.message for each in _all(project, environment, paths)}


def _all(project, environment, paths=()):
    findings = report_of(project, environment, *paths).findings
    return [finding for finding in findings if "not trusted" not in finding.message]


def of_script(project, environment, text, *, agent=CLAUDE, own_event="PreToolUse", mode=0o755, **handler):
    """The findings about one script that a handler runs by its path, as `line: message`."""
    project.script(HOOK, text, mode=mode)
    write(project, agent, {"hooks": {own_event: [group(command(HOOK, **handler))]}})
    return [f"{each.line}: {each.message}" for each in _all(project, environment)]


def test_settings_that_are_well_have_no_findings(project, user_environment):
    assert of_script(project, user_environment, REFUSE, timeout=5) == []


@pytest.mark.parametrize(
    ("settings", "where", "message", "hint"),
    [
        (
            before_tools(group(command("true", timout=5))),
            "hooks.PreToolUse[0].hooks[0].timout",
            "unknown key 'timout' (Claude Code ignores it)",
            "did you mean timeout?",
        ),
        (
            before_tools(group("true", mather="Bash")),
            "hooks.PreToolUse[0].mather",
            "unknown key 'mather' (Claude Code ignores it)",
            "did you mean matcher?",
        ),
        (
            before_tools(group("true")) | {"disableAllHook": False},
            "disableAllHook",
            "unknown key 'disableAllHook' (Claude Code ignores it)",
            "did you mean disableAllHooks?",
        ),
        (
            before_tools(group("true", matcher="bash")),
            "hooks.PreToolUse[0].matcher",
            "never fires: Claude Code has no tool named 'bash'",
            "did you mean Bash?",
        ),
        (
            before_tools(group("true", matcher="Edit|Writ")),
            "hooks.PreToolUse[0].matcher",
            "Claude Code has no tool named 'Writ'",
            "did you mean Write?",
        ),
    ],
)
def test_what_means_nothing_there_is_told_with_what_was_meant(
    project, user_environment, settings, where, message, hint
):
    write(project, CLAUDE, settings)
    (finding,) = _all(project, user_environment)
    assert (finding.where, finding.message, finding.hint) == (where, message, hint)
    assert (finding.level, finding.line) == ("warning", 1)


@pytest.mark.parametrize(
    "matcher",
    [
        *("", "*", "Bash", "Edit|Write", "mcp__a__b", "mcp__.*", "Note.*", "^(Bash|Edit)$", "deploy"),
        *("Task", "KillBash", "KillShell|Bash", "^KillShell$", "TaskStop", "Brief", "BashOutput"),
    ],
)
def test_a_matcher_of_a_tool_that_there_is_has_no_finding(project, user_environment, matcher):
    project.script(".hookrun/config.yaml", "tools: {deploy: shell}\n", mode=0o644)
    write(project, CLAUDE, before_tools(group("true", matcher=matcher)))
    assert found(project, user_environment) == {}


@pytest.mark.parametrize(
    ("name", "handler", "title"),
    [
        (CLAUDE, {"type": "mcp_tool", "server": "s", "tool": "t", "input": {"a": 1}}, "Claude Code"),
        (".codex/hooks.json", {"type": "mcp_tool", "server": "s", "tool": "t", "input": {}}, "Codex"),
        (".codex/hooks.json", {"type": "prompt", "prompt": "ok?", "model": "m"}, "Codex"),
        (".codex/hooks.json", {"type": "http", "url": "http://127.0.0.1", "headers": {}}, "Codex"),
    ],
)
def test_the_keys_of_a_handler_that_only_its_agent_runs_are_not_judged(project, user_environment, name, handler, title):
    write(project, name, {"hooks": {"PostToolUse": [group(handler)]}})
    assert found(project, user_environment) == {}
    write(project, name, {"hooks": {"PostToolUse": [group(command("true", servr="s"), handler)]}})
    (finding,) = _all(project, user_environment)
    assert finding.message == f"unknown key 'servr' ({title} ignores it)"


def test_an_expression_that_finds_no_tool_never_fires(project, user_environment):
    write(project, CLAUDE, before_tools(group("true", matcher="Foo.*")))
    assert list(found(project, user_environment).values()) == ["never fires: 'Foo.*' matches no tool of Claude Code"]


def test_a_matcher_is_one_of_the_agents_own_tools(project, user_environment):
    gemini = {"hooks": {"BeforeTool": [group("true", matcher="Bash"), group("true", matcher="write_file")]}}
    write(project, ".gemini/settings.json", gemini)
    (finding,) = _all(project, user_environment)
    assert finding.message == "never fires: 'Bash' matches no tool of Gemini CLI"


def test_what_the_readers_say_is_said_once(project, user_environment):
    handlers = [command("true", timeout=5000), command("true", **{"if": "Bash(a:*)|Bash(b:*)"})]
    write(project, CLAUDE, before_tools(group(*handlers), group("true", matcher="(")))
    messages = [finding.message for finding in _all(project, user_environment)]
    assert len(messages) == len(set(messages)) == 3
    assert any("looks like milliseconds" in message for message in messages)


def test_hooks_that_are_switched_off_are_told(project, user_environment):
    write(project, CLAUDE, before_tools(group("true")) | {"disableAllHooks": True})
    (finding,) = _all(project, user_environment)
    assert finding.message == "does not run: settings.json switches hooks off (disableAllHooks)"


def test_comments_are_no_flaw_and_lines_stay_right(project, user_environment):
    text = '{\n  // mine\n  "hooks": {"preToolUse": [\n    {"command": "true", "failclosed": true}]}}\n'
    write(project, ".cursor/hooks.json", text)
    (finding,) = _all(project, user_environment)
    assert (finding.line, finding.hint) == (4, "did you mean failClosed?")


@pytest.mark.parametrize(
    ("name", "own_event", "entry"),
    [
        (".gemini/settings.json", "BeforeTool", group(command("true", timeout=5))),
        (".codex/hooks.json", "PreToolUse", group("true", matcher="Bsh")),
        (".cursor/hooks.json", "preToolUse", {"command": "true", "matchr": ""}),
        (".github/hooks/x.json", "preToolUse", {"bash": "true", "timeoutSek": 1}),
        (".windsurf/hooks.json", "pre_run_command", {"command": "true", "show": True}),
        (".xbot/hooks.json", "PreToolUse", group("true", matcher="Shel")),
        (".qwen/settings.json", "PreToolUse", group(command("true", timeot=5000))),
    ],
)
def test_a_settings_file_can_be_named(project, user_environment, name, own_event, entry):
    path = write(project, name, {"hooks": {own_event: [entry]}})
    named = report_of(project, user_environment, path)
    assert [finding.file for finding in named.findings] == [str(path)]
    assert named.findings[0].level == "warning"


@pytest.mark.parametrize(
    ("text", "mode", "complaint"),
    [
        (REFUSE, 0o644, "1: cannot start: guard.sh is not executable: Claude Code goes on without it"),
        (REFUSE.replace("\n", "\r\n"), 0o755, "1: cannot start: CRLF line endings: Claude Code goes on without it"),
        ("#!/bin/sh\nif true; then\n", 0o755, "3: syntax error: "),
        ("#!/usr/bin/env no-such-interpreter\n", 0o755, "1: cannot start: no-such-interpreter"),
    ],
)
def test_a_script_that_cannot_start_is_an_error(project, user_environment, text, mode, complaint):
    project.script(HOOK, "")
    (project.path / HOOK).write_bytes(text.encode())
    (project.path / HOOK).chmod(mode)
    write(project, CLAUDE, before_tools(group(f"./{HOOK}")))
    (finding,) = _all(project, user_environment)
    assert f"{finding.line}: {finding.message}".startswith(complaint)
    assert finding.level == "error"


@pytest.mark.parametrize(
    "line",
    [
        ".claude/hooks/gone.sh",
        "sh .claude/hooks/gone.sh",
        '"$CLAUDE_PROJECT_DIR"/.claude/hooks/gone.sh --all',
        "true && ./.claude/hooks/gone.sh",
    ],
)
def test_a_script_that_is_not_there_is_an_error_of_the_handler(project, user_environment, line):
    write(project, CLAUDE, before_tools(group(line)))
    ((_, where),) = found(project, user_environment)
    assert where == "hooks.PreToolUse[0].hooks[0]"


@pytest.mark.parametrize(
    "line", ["true", "[ -x ./gone ] || exit 0", "$HOOKS/gone.sh", "jq -r .a | /usr/bin/no-such", "cd a && ./gone"]
)
def test_what_cannot_be_known_has_no_finding(project, user_environment, line):
    write(project, CLAUDE, before_tools(group(line)))
    assert not [each for each in found(project, user_environment).values() if "./gone" not in line and each]


EXIT_1 = "exit 1 with text on stderr does not deny: Claude Code goes on"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("#!/bin/sh\necho no >&2\nexit 1\n", [3]),
        ("#!/bin/sh\nif true; then echo no >&2; exit 1; fi\n", [2]),
        ("#!/bin/sh\necho no 1>&2 && exit 1\n", [2]),
        ("#!/bin/sh\necho no >&2\nexit 2\n", []),
        ("#!/bin/sh\nexit 1\n", []),
        ("#!/bin/sh\n# echo no >&2; exit 1\n", []),
        ("#!/bin/sh\necho no >&2\nexit 10\n", []),
        ("#!/usr/bin/env python3\nimport sys\nprint('no', file=sys.stderr)\nsys.exit(1)\n", [4]),
        ("#!/usr/bin/env python3\nimport sys\nsys.exit('no')\n", [3]),
        ("#!/usr/bin/env python3\nimport sys\nsys.exit(2)\n", []),
    ],
)
def test_a_refusal_by_exit_1_is_found_where_the_agent_goes_on(project, user_environment, text, lines):
    assert of_script(project, user_environment, text) == [f"{line}: {EXIT_1}" for line in lines]


def test_what_passes_is_what_the_table_of_effects_says_of_each_agent(project, user_environment):
    for agent in [dialect.name for dialect in agents_with_settings()]:
        expected = {
            1: any(
                effect.is_trap and effect.what.startswith(("exit 1", "any other exit code"))
                for effect in settings_of(agent).effects
            ),
            2: agent == "cline",
        }
        assert {code: code in settings_of(agent).codes_that_pass() for code in (1, 2)} == expected, agent
    for code in (1, 2):
        project.script(".clinerules/hooks/PreToolUse", f"#!/bin/sh\necho no >&2; exit {code}\n")
        (finding,) = report_of(project, user_environment).findings
        assert finding.message == f"exit {code} with text on stderr does not deny: Cline goes on"
        assert finding.hint == '"cancel": true denies'


def test_exit_1_is_a_refusal_where_the_agent_takes_it_for_one(project, user_environment):
    text = "#!/bin/sh\necho no >&2\nexit 1\n"
    assert of_script(project, user_environment, text, onFailure="block") == []
    assert of_script(project, user_environment, text, own_event="PostToolUse") == []
    assert len(of_script(project, user_environment, text, own_event="UserPromptSubmit")) == 1
    copilot = {"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": HOOK}]}}
    write(project, ".github/hooks/x.json", copilot)
    write(project, CLAUDE, {})
    assert found(project, user_environment) == {}


@pytest.mark.parametrize(
    ("agent", "own_event", "answer", "is_heard"),
    [
        (CLAUDE, "PreToolUse", {"decision": "deny"}, False),
        (CLAUDE, "PreToolUse", {"decision": "block"}, True),
        (
            CLAUDE,
            "PreToolUse",
            {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}},
            True,
        ),
        (".codex/hooks.json", "PreToolUse", {"decision": "deny"}, False),
        (".codex/hooks.json", "PreToolUse", {"hookSpecificOutput": {"permissionDecision": "ask"}}, False),
        (".gemini/settings.json", "BeforeTool", {"decision": "deny"}, True),
        (".gemini/settings.json", "BeforeTool", {"hookSpecificOutput": {"permissionDecision": "deny"}}, False),
        (".factory/settings.json", "PreToolUse", {"decision": "deny"}, False),
        (".qwen/settings.json", "PreToolUse", {"decision": "deny"}, True),
    ],
)
@pytest.mark.parametrize("interpreter", ["sh", "python"])
def test_a_decision_in_words_that_the_agent_does_not_know_is_found(
    project, user_environment, agent, own_event, answer, is_heard, interpreter
):
    shell = f"#!/bin/sh\necho '{json.dumps(answer)}'\n"
    python = f"#!/usr/bin/env python3\nimport json\nprint(json.dumps({answer!r}))\n"
    text = shell if interpreter == "sh" else python
    messages = of_script(project, user_environment, text, agent=agent, own_event=own_event)
    assert (messages == []) == is_heard
    assert is_heard or "goes on" in messages[0]


@pytest.mark.parametrize(
    ("own_event", "line", "is_seen"),
    [
        ("PreToolUse", "echo checking", False),
        ("Stop", "echo done", False),
        ("UserPromptSubmit", "echo context", True),
        ("SessionStart", "echo context", True),
        ("PreToolUse", "echo checking >&2", True),
        ("PreToolUse", "echo checking >> log", True),
        ("PreToolUse", "echo x | grep -q y", True),
        ("PreToolUse", 'echo \'{"systemMessage": "hi"}\'', True),
        ("PreToolUse", "a=$(echo x)", True),
    ],
)
@pytest.mark.parametrize("is_inline", [True, False])
def test_text_that_nobody_sees_is_found(project, user_environment, own_event, line, is_seen, is_inline):
    if not is_inline:
        project.script(HOOK, f"#!/bin/sh\n{line}\n")
    write(project, CLAUDE, {"hooks": {own_event: [group(line if is_inline else HOOK)]}})
    messages = list(found(project, user_environment).values())
    assert (messages == []) == is_seen
    assert is_seen or messages == ["what it prints is not shown: Claude Code ignores it"]


def test_a_script_that_settings_run_can_be_named(project, user_environment):
    path = project.script(HOOK, "#!/bin/sh\necho no >&2\nexit 1\n")
    write(project, CLAUDE, before_tools(group(HOOK)))
    (finding,) = report_of(project, user_environment, path).findings
    assert (finding.file, finding.line) == (str(path), 3)


def test_an_address_is_started_by_nobody(project, user_environment):
    write(project, CLAUDE, before_tools(group({"type": "http", "url": "http://localhost:1/"})))
    assert found(project, user_environment) == {}


@pytest.mark.parametrize(
    "text",
    [
        "[ -x ./none.sh ] && ./none.sh",
        "test -f ./none.sh && bash ./none.sh || true",
        "[ ! -f none.sh ] || sh none.sh",
        "if [ -r none.sh ]; then sh none.sh; fi",
        'test -x "$HOME/none" && exec "$HOME/none" hook',
    ],
)
def test_a_script_that_is_run_only_where_it_is_there_may_be_missing(project, user_environment, text):
    write(project, CLAUDE, before_tools(group(text)))
    assert found(project, user_environment) == {}
    write(project, CLAUDE, before_tools(group(text.replace("none", "other", 1))))
    assert "does not exist" in str(found(project, user_environment))


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("sh ~/g.sh", True),
        ('sh "$HOME/g.sh"', True),
        ('sh "$HOME"/g.sh', True),
        ('sh "~/g.sh"', False),
        ("sh '$HOME/g.sh'", False),
        ("sh '~/g.sh'", False),
        ("sh \\$HOME/g.sh", False),
    ],
)
def test_a_script_is_named_by_the_shells_rules_of_quotes(project, user_environment, monkeypatch, text, is_found):
    monkeypatch.setenv("HOME", str(project.home))
    project.script("g.sh", REFUSE, user=True)
    write(project, CLAUDE, before_tools(group(text)))
    findings = [each for each in _all(project, user_environment) if "cannot start" in each.message]
    assert bool(findings) is not is_found
    assert all("expands no ~" in each.hint for each in findings)


@pytest.mark.parametrize(
    ("name", "event", "handler", "title"),
    [
        (".cursor/hooks.json", "beforeReadFile", {"command": "sh none.sh", "failClosed": True}, "Cursor"),
        (".github/hooks/a.json", "preToolUse", {"bash": "sh none.sh"}, "Copilot CLI"),
        (CLAUDE, "PreToolUse", group(command("sh none.sh", onFailure="block")), "Claude Code"),
    ],
)
def test_a_guard_that_cannot_start_denies_where_its_agent_denies(
    project, user_environment, name, event, handler, title
):
    write(project, name, {"version": 1, "hooks": {event: [handler]}})
    (finding,) = [each for each in _all(project, user_environment) if "cannot start" in each.message]
    assert finding.message.endswith(f"{title} denies because of that")


def test_a_script_is_looked_for_in_the_folder_of_its_handler(project, user_environment):
    project.script("src/bin/h", REFUSE)
    settings = {"version": 1, "hooks": {"preToolUse": [{"cwd": "src", "bash": "bin/h"}]}}
    write(project, ".github/hooks/a.json", settings)
    assert found(project, user_environment) == {}
    write(project, ".github/hooks/a.json", json.dumps(settings).replace("src", "lib"))
    assert "does not exist" in str(found(project, user_environment))


@pytest.mark.parametrize(
    ("answer", "is_heard"),
    [
        ({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}, True),
        ({"decision": "block", "reason": "x"}, True),
        ({"permissionDecision": "deny", "permissionDecisionReason": "x"}, False),
        ({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "block"}}, False),
        ({"block": True, "reason": "x"}, False),
        ({"permission": "deny"}, False),
        ({"cancel": True}, False),
        ({"shouldContinue": False}, False),
    ],
)
def test_a_refusal_in_words_that_its_agent_does_not_read_is_found(project, user_environment, answer, is_heard):
    write(project, CLAUDE, before_tools(group(f"echo '{json.dumps(answer)}'")))
    messages = [each.message for each in _all(project, user_environment)]
    assert any("is ignored: Claude Code goes on" in each for each in messages) is not is_heard
    escaped = json.dumps(answer).replace('"', '\\"')
    assert bool(of_script(project, user_environment, f'#!/bin/sh\necho "{escaped}"\n')) is not is_heard
