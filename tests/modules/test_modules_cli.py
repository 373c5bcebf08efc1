"""Modules on the command line: firing any event, finding out what is there, and what can be said without
loading it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from linted import messages, report_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from command import Project

ECHO = """
def hook(api):
    for name in ("session_before_switch", "session.compacting", "turn_end", "before_agent_start"):
        api.on(name, echo)

def echo(event, ctx):
    if event.type == "session_before_switch":
        return {"cancel": event.reason == "new", "summary": event.target_session_file}
    if event.type == "session.compacting":
        return {"prompt": event.session_id, "context": list(event.messages)}
    if event.type == "before_agent_start":
        return {"message": {"custom_type": "note", "content": event.prompt}}
"""
BLOCK = 'def hook(api):\n    api.on("tool_call", lambda event, ctx: {"block": True, "reason": "no"})\n'


@pytest.fixture
def module(project: Project) -> Callable[[str, str], Path]:
    """Write a module into the project's hooks."""
    return lambda name, text: project.script(f".hookrun/hooks/{name}.py", text, mode=0o644)


@pytest.mark.parametrize("spelling", ["session_before_switch", "session-before-switch", "SessionBeforeSwitch"])
@pytest.mark.parametrize(("reason", "code", "decision"), [("new", 2, "deny"), ("resume", 0, None)])
def test_an_event_of_modules_is_fired_with_a_payload(cli, module, spelling, reason, code, decision):
    module("a", ECHO)
    payload = json.dumps({"reason": reason, "target_session_file": "/s/b"})
    ended = cli("emit", spelling, "--payload", payload, "--format", "json")
    assert (ended.code, ended.document["decision"]) == (code, decision)
    assert ended.document["event"] == "session_before_switch"
    assert ended.document["result"] == {"cancel": reason == "new", "summary": "/s/b"}


def test_the_merged_result_is_in_json_and_in_text(cli, module):
    module("a", ECHO)
    payload = json.dumps({"session_id": "s1", "messages": [{"role": "user"}]})
    result = {"prompt": "s1", "context": [{"role": "user"}]}
    for spelling in ("session.compacting", "session_compacting"):
        assert cli("emit", spelling, "--payload", payload, "--format", "json").document["result"] == result
    assert "prompt" in cli("emit", "session.compacting", "--payload", payload).stdout
    given = cli("emit", "prompt", "--prompt", "hi", "--format", "json").document["result"]
    assert given == {"message": {"custom_type": "note", "content": "hi"}}
    assert cli("emit", "turn_end", "--format", "json").document["result"] is None


def test_hook_names_a_module_or_a_script(cli, project):
    module = project.script("guard.py", BLOCK, mode=0o644)
    script = project.script("guard.sh", "#!/bin/sh\necho script >&2\nexit 2\n")
    for path, reason in ((module, "no"), (script, "script")):
        ended = cli("emit", "pre", "--tool", "Bash", "--hook", str(path), "--format", "json")
        assert (ended.code, ended.document["message"]) == (2, f"{path.name}: {reason}")
    assert cli("emit", "pre", "--tool", "Bash").code == 0


def test_a_package_can_be_given_too(cli, project):
    project.script("package/__init__.py", BLOCK, mode=0o644)
    assert cli("emit", "pre", "--tool", "Bash", "--extension", "package").code == 2


def test_list_shows_modules_and_loads_none(cli, project, module):
    module("a", "open('loaded', 'w').close()\n" + BLOCK)
    (hook,) = cli("list", "--format", "json").document["hooks"]
    assert (hook["kind"], hook["role"], hook["state"]) == ("module", "guard", "in force")
    assert hook["note"] == "its events are known when it is loaded"
    for words in (("explain", "pre", "--tool", "Bash"), ("validate",), ("doctor",), ("list",)):
        cli(*words)
    assert not (project.path / "loaded").exists()
    cli("emit", "pre", "--tool", "Bash")
    assert (project.path / "loaded").exists()


def test_explain_says_that_it_cannot_tell_what_a_module_hears(cli, module):
    module("a", BLOCK)
    (hook,) = cli("explain", "pre", "--tool", "Bash", "--format", "json").document["hooks"]
    assert (hook["fires"], hook["reason"]) == (
        True,
        "cannot be known in advance, so it is called: its handlers are known when it is loaded",
    )
    seen = {each["what"]: each["who"] for each in hook["seen_by"]}
    assert seen["a deny"] == "the tool does not run, the model gets the reason"
    assert seen["its result"] == "the caller, who applies it"
    assert seen["a failure"].startswith("denies")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import os\n\ndef hook(api:\n    pass\n", "3: syntax error for Python 3.1"),
        ("x = 1\n", "1: cannot start: a.py has no callable named hook (or default)"),
        ("if True:\n    def other(api): pass\n", "1: cannot start: a.py has no callable named hook (or default)"),
    ],
)
def test_validate_says_what_the_text_of_a_module_tells(project, user_environment, module, text, found):
    module("a", text)
    (message,) = messages(project, user_environment)
    assert message.startswith(found)
    assert [finding.level for finding in report_of(project, user_environment).findings] == ["error"]


@pytest.mark.parametrize(
    "text",
    [
        BLOCK,
        "async def hook(api): pass\n",
        "def default(api): pass\n",
        "hook = lambda api: None\n",
        "hook: object = print\n",
        "class hook:\n    def __init__(self, api): pass\n",
        "from json import dumps as hook\n",
        "try:\n    import no_such_thing\nexcept ImportError:\n    def hook(api): pass\n",
        "if False:\n    pass\nelse:\n    hook = default = print\n",
    ],
)
def test_validate_has_nothing_to_say_about_a_sound_module(project, user_environment, module, text):
    module("a", text)
    assert messages(project, user_environment) == []


def test_validate_looks_into_packages_and_plugins(project, user_environment, module):
    project.script(".hookrun/hooks/package/__init__.py", "x = 1\n", mode=0o644)
    document = {"id": "p", "name": "p", "version": "1.0.0", "runtime": "python", "entry": "missing.py"}
    project.script(".hookrun/plugins/p/plugin.json", json.dumps(document), mode=0o644)
    found = messages(project, user_environment)
    assert any("package has no callable named hook" in message for message in found)
    assert any("missing.py cannot be read: No such file or directory" in message for message in found)
    assert len(found) == 2


def test_doctor_finds_a_module_that_cannot_be_loaded_and_names_no_program_for_it(cli, module):
    module("a", BLOCK)
    assert "needed by" not in cli("doctor").stdout
    module("b", "x = 1\n")
    sick = cli("doctor")
    assert (sick.code, "b.py cannot start: b.py has no callable" in sick.stderr) == (1, True)


def test_a_role_in_the_manifest_of_a_python_plugin_counts(cli, project):
    project.script(".hookrun/plugins/p/guard.py", "1 / 0\n", mode=0o644)
    for role, code in (("observer", 0), ("guard", 2)):
        entry = {"event": "PreToolUse", "role": role}
        document = {"id": "p", "name": "p", "version": "1.0.0", "runtime": "python", "entry": "guard.py"}
        document |= {"permissions": ["*"], "contributes": {"hooks": [entry]}}
        project.script(".hookrun/plugins/p/plugin.json", json.dumps(document), mode=0o644)
        assert cli("emit", "pre", "--tool", "Bash").code == code


def test_the_template_of_a_module_does_what_it_says(cli, project, user_environment):
    written = cli("new", "module")
    assert written.stdout.startswith("wrote .hookrun/hooks/my_hook.py\nthen  hookrun trust")
    assert messages(project, user_environment) == []
    denied = cli("emit", "pre", "--tool", "Bash", "--input", '{"command": "git push -f"}')
    assert (denied.code, denied.stdout) == (2, "deny: .hookrun/hooks/my_hook.py: no force pushes\n")
    for words in (("--tool", "Bash", "--input", '{"command": "git push"}'), ("--tool", "Read")):
        assert cli("emit", "pre", *words).code == 0
    shown: Any = cli("emit", "post", "--tool", "Bash", "--output", "password: abc", "--format", "json").document
    assert shown["result"] == {"content": [{"type": "text", "text": "password: [REDACTED]"}]}
    for _ in range(2):
        cli("emit", "turn_end")
    assert cli("run", "turns").stdout == "2 turns\n"
