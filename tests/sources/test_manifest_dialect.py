"""A manifest that says its dialect: names, payload, variables and answers are that agent's as well."""

from __future__ import annotations

import json

LS = ("--tool", "Shell", "--input", '{"command": "ls"}')


def plugin(project, script, dialect, **hook):
    path = project.manifest("p", script=script, hooks=[{"event": "pre", **hook}])
    path.write_text(json.dumps({**json.loads(path.read_text()), **({"dialect": dialect} if dialect else {})}))


def test_its_matchers_have_the_agents_names(cli, project):
    plugin(project, "exit 2\n", "claude", matcher="Bash")
    assert cli("emit", "pre", *LS).code == 2
    assert cli("validate", "--strict").code == 0
    plugin(project, "exit 2\n", "claude", matcher="run_shell_command")
    assert cli("emit", "pre", *LS).code == 0


def test_its_script_reads_the_agents_payload_and_hookruns(cli, project):
    plugin(project, "cat > seen; echo $GEMINI_PROJECT_DIR > root\n", "gemini")
    cli("emit", "pre", *LS)
    seen = json.loads((project.path / "seen").read_text())
    assert (seen["hook_event_name"], seen["tool_name"]) == ("BeforeTool", "run_shell_command")
    assert seen.keys() >= {"timestamp", "transcript_path", "event_id", "command"}
    assert (project.path / "root").read_text() == f"{project.path}\n"


def test_its_answers_are_heard_in_the_agents_words(cli, project):
    script = 'echo \'{"permission": "deny", "user_message": "no"}\'\n'
    plugin(project, script, "cursor")
    heard = cli("emit", "pre", *LS)
    assert (heard.code, heard.stdout) == (2, "deny: p: no\nfor the user: no\n")
    plugin(project, script, "")
    assert "deny (by failure): p: failed: bad answer" in cli("emit", "pre", *LS).stdout


def test_what_hookrun_hears_is_heard_all_the_same(cli, project):
    plugin(project, 'echo \'{"decision": "deny", "reason": "no"}\'\n', "claude")
    denied = cli("emit", "pre", *LS)
    assert (denied.code, denied.stdout) == (2, "deny: p: no\n")
