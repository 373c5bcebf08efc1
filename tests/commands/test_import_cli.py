"""`hookrun import`: what is written, what is left behind and said, and what is never touched."""

from __future__ import annotations

import json
import shutil

import pytest
from agent_settings import CLAUDE, before_tools, command, group, write

PLUGIN = ".hookrun/plugins/imported-claude"
GUARD = "#!/bin/sh\necho no >&2\nexit 2\n"


def manifest(project, plugin=PLUGIN):
    return json.loads((project.path / plugin / "plugin.json").read_text())


def hooks(project, plugin=PLUGIN):
    return manifest(project, plugin)["contributes"]["hooks"]


def imported(cli, *words):
    done = cli("import", "claude", "--format", "json", *words)
    return done.document


def reasons(document):
    return {note["where"]: note["reason"] for note in document["not_carried_over"]}


def test_a_settings_file_becomes_one_manifest_that_validates(cli, project):
    project.script(".claude/hooks/guard.sh", GUARD)
    script = '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh'
    write(project, CLAUDE, before_tools(group(command(script, timeout=5), "true | cat", matcher="Bash")))
    done = cli("import", "claude")
    assert done.code == 0
    assert done.stdout.splitlines()[:3] == [
        f"wrote {PLUGIN}/plugin.json",
        f"wrote {PLUGIN}/scripts/2-pre-tool-use.sh",
        "2 hooks of .claude/settings.json",
    ]
    assert manifest(project)["dialect"] == "claude"
    assert manifest(project)["entry"] == "${PLUGIN_ROOT}/../../../.claude/hooks/guard.sh"
    first, second = hooks(project)
    assert first == {"event": "PreToolUse", "matcher": "Bash", "timeout": "5s", "on_failure": "allow"}
    assert second["entry"] == "scripts/2-pre-tool-use.sh"
    (project.path / CLAUDE).unlink()
    assert cli("validate", "--strict").code == 0
    assert cli("emit", "pre", "--tool", "Bash", "--input", '{"command": "ls"}').code == 2


def test_what_is_left_to_do_is_said(cli, project):
    write(project, CLAUDE, before_tools(group("true")))
    assert imported(cli)["next"] == [
        "remove these hooks from .claude/settings.json, or they run twice",
        "hookrun trust, once it is what you want",
        "hookrun install claude, so that claude asks hookrun",
    ]


def test_what_was_trusted_in_the_settings_is_to_be_forgotten_first(cli, project, user_environment):
    del user_environment["HOOKRUN_TRUST"]
    guards = [command(f"echo {number} >&2; exit 0") for number in range(3)]
    path = write(project, CLAUDE, before_tools(group(*guards)))
    assert cli("trust", "--yes").code == 0
    steps = imported(cli)["next"]
    assert steps[1] == f"hookrun untrust {CLAUDE}, or what they guarded is denied as gone"
    assert "hookrun trust" in steps[2]
    path.write_text("{}")
    event = ("emit", "pre", "--tool", "Bash", "--input", '{"command": "ls"}')
    denied = cli(*event)
    assert denied.code == 2
    assert f"`hookrun untrust {CLAUDE}`, which forgets all entries" in denied.stderr
    assert cli("untrust", CLAUDE).code == 0
    assert cli("trust", "--yes").code == 0
    assert cli(*event).code == 0


def test_a_script_behind_a_cd_is_trusted_with_the_imported_command(cli, project, user_environment):
    del user_environment["HOOKRUN_TRUST"]
    event = ("emit", "pre", "--tool", "Bash", "--input", '{"command": "ls"}')
    for line in ("cd tools && ./check.sh", "cd tools; sh check.sh | cat", "(cd ./tools/ && sh ./check.sh)"):
        project.script("tools/check.sh", GUARD)
        path = write(project, CLAUDE, before_tools(group(command(line))))
        imported(cli)
        path.write_text("{}")
        assert "tools/check.sh" in cli("trust", "--yes").stdout, line
        project.script("tools/check.sh", "#!/bin/sh\n")
        denied = cli(*event)
        assert (denied.code, "tools/check.sh" in denied.stdout) == (2, True), line
        shutil.rmtree(project.path / ".hookrun")
        cli("untrust", "--yes")


def test_what_is_gone_from_the_settings_is_forgotten_by_trust(cli, project, user_environment):
    del user_environment["HOOKRUN_TRUST"]
    path = write(project, CLAUDE, before_tools(group(command("true"), command("exit 0"))))
    assert cli("trust", "--yes").code == 0
    imported(cli)
    path.write_text("{}")
    assert "forgot 2 that are gone" in cli("trust", "--yes").stdout
    assert cli("emit", "pre", "--tool", "Bash", "--input", '{"command": "ls"}').code == 0


def test_what_cannot_be_carried_over_is_listed_with_its_key_and_reason(cli, project):
    handlers = [
        {"type": "prompt", "prompt": "ok?"},
        {"type": "http", "url": "http://localhost:1/"},
        command("true", **{"if": "Bash(git push:*)"}),
        command("true", once=True),
        command("true", env={"A": "${B}"}),
        "true",
    ]
    write(project, CLAUDE, before_tools(group(*handlers)))
    document = imported(cli)
    found = reasons(document)
    assert document["hooks"] == 1
    assert [where[-2:-1] for where in found] == ["0", "1", "2", "3", "4"]
    for word in ("prompt", "http", "if", "once", "variable A"):
        assert any(word in reason for reason in found.values()), word
    assert {note["file"] for note in document["not_carried_over"]} == {CLAUDE}


@pytest.mark.parametrize("text", ["a\x00", "a\ud800"])
def test_text_that_no_script_can_hold_is_left_behind(cli, project, text):
    write(project, CLAUDE, before_tools(group(f"true {text} | cat", "true")))
    document = imported(cli)
    assert document["hooks"] == 1
    assert "lone surrogate" in reasons(document)["hooks.PreToolUse[0].hooks[0]"]


def test_a_name_of_a_file_never_becomes_a_line_of_a_script(cli, project):
    project.script("a\ntouch pwned", "#!/bin/sh\n")
    write(project, CLAUDE, before_tools(group("sh 'a\ntouch pwned' | cat")))
    assert cli("import", "claude").code == 0
    (project.path / CLAUDE).unlink()
    assert cli("emit", "pre", "--tool", "Bash", "--input", "{}").code == 0
    assert not (project.path / "pwned").exists()


def test_what_hookrun_installed_is_left_out(cli, project):
    write(project, CLAUDE, before_tools(group("exec hookrun bridge claude")))
    done = cli("import", "claude")
    assert (done.code, done.stdout) == (1, "nothing to import from the project's settings of claude\n")
    write(project, CLAUDE, before_tools(group("exec hookrun bridge claude", "true")))
    assert imported(cli)["not_carried_over"] == []
    assert len(hooks(project)) == 1


def test_nothing_is_ever_written_over_a_file(cli, project):
    write(project, CLAUDE, before_tools(group("true | cat")))
    mine = project.script(f"{PLUGIN}/scripts/1-pre-tool-use.sh", "mine")
    done = cli("import", "claude")
    assert done.code == 1
    assert "already exists, nothing was written" in done.stderr
    assert mine.read_text() == "mine"
    assert not (project.path / PLUGIN / "plugin.json").exists()
    mine.unlink()
    assert cli("import", "claude").code == 0
    assert cli("import", "claude").code == 1


def test_a_dry_run_writes_nothing(cli, project):
    write(project, CLAUDE, before_tools(group("true | cat")))
    done = cli("import", "claude", "--dry-run")
    assert f"would write {PLUGIN}/plugin.json" in done.stdout
    assert not (project.path / ".hookrun").exists()
    cli("import", "claude")
    assert (project.path / PLUGIN / "plugin.json").exists()


def test_what_nobody_waits_for_becomes_an_observer_that_says_nothing(cli, project):
    write(project, CLAUDE, before_tools(group(command("echo no >&2; exit 2", **{"async": True}))))
    changed = imported(cli)["changed"]
    (hook,) = hooks(project)
    assert hook["role"] == "observer"
    assert "on_failure" not in hook
    assert "did not wait" in changed[0]["reason"]
    (project.path / CLAUDE).unlink()
    ran = cli("emit", "pre", "--tool", "Bash", "--input", "{}", "--format", "json").document
    assert (ran["decision"], [each["status"] for each in ran["outcomes"]]) == (None, ["ran"])


def test_a_guard_that_fails_open_is_said_to(cli, project):
    closed = command("true", onFailure="block")
    write(project, CLAUDE, before_tools(group("true | cat", closed)))
    (change,) = imported(cli)["changed"]
    assert change["reason"].startswith("1 guard lets the agent go on after a failure, as in Claude Code")
    assert [hook.get("on_failure") for hook in hooks(project)] == ["allow", None]


def test_times_are_given_in_hookruns_units(cli, project):
    gemini = {"BeforeTool": [group(command("true", timeout=1500), command("true", timeout=250), "true")]}
    write(project, ".gemini/settings.json", {"hooks": gemini})
    assert cli("import", "gemini").code == 0
    timeouts = [hook["timeout"] for hook in hooks(project, ".hookrun/plugins/imported-gemini")]
    assert timeouts == ["1.5s", "250ms", "60s"]


def test_a_longer_time_than_a_manifest_can_give_is_said(cli, project):
    write(project, CLAUDE, before_tools(group(command("true", timeout=400))))
    assert "becomes 5m" in imported(cli)["changed"][0]["reason"]
    assert hooks(project)[0]["timeout"] == "300s"


def test_an_event_that_means_two_of_hookruns_becomes_two_hooks(cli, project):
    write(project, ".gemini/settings.json", {"hooks": {"AfterTool": [group("true")]}})
    cli("import", "gemini")
    found = hooks(project, ".hookrun/plugins/imported-gemini")
    assert [hook["event"] for hook in found] == ["PostToolUse", "PostToolUseFailure"]
    assert not any("entry" in hook for hook in found)


def test_each_settings_file_has_a_manifest_of_its_own(cli, project):
    write(project, CLAUDE, before_tools(group("true")))
    write(project, ".claude/settings.local.json", before_tools(group("false")))
    document = imported(cli)
    assert document["from"] == [CLAUDE, ".claude/settings.local.json"]
    assert manifest(project)["id"] == "imported-claude"
    assert manifest(project, f"{PLUGIN}-local")["id"] == "imported-claude-local"


def test_a_users_own_settings_become_the_users_hooks(cli, project):
    project.script(".claude/hooks/guard.sh", GUARD, user=True)
    write(project, CLAUDE, before_tools(group("~/.claude/hooks/guard.sh")), user=True)
    assert cli("import", "claude").code == 1
    done = cli("import", "claude", "--user")
    assert done.code == 0, done.stderr
    assert "hookrun trust" not in done.stdout
    (project.home / CLAUDE).unlink()
    assert cli("emit", "pre", "--tool", "Bash", "--input", "{}").code == 2


def test_what_the_agent_sets_up_for_its_hooks_is_set_up(cli, project):
    project.script("sub/here", "")
    entry = {"type": "command", "bash": '[ -e here ] && [ "$A" = "it\'s" ] && exit 2', "cwd": "sub"}
    path = write(
        project, ".github/hooks/x.json", {"version": 1, "hooks": {"preToolUse": [entry | {"env": {"A": "it's"}}]}}
    )
    assert cli("import", "copilot").code == 0
    path.unlink()
    found = cli("emit", "pre", "--tool", "Bash", "--input", "{}", "--format", "json").document
    assert [outcome["exit_code"] for outcome in found["outcomes"]] == [2]


def test_executables_of_cline_are_run_where_they_are(cli, project):
    project.script(".clinerules/hooks/PreToolUse", "#!/bin/sh\necho '{\"cancel\": true}'\n")
    assert cli("import", "cline").code == 0
    project.script(".hookrun/config.yaml", "sources: {cline-settings: false}\n", mode=0o644)
    assert cli("emit", "pre", "--tool", "Bash", "--input", "{}").code == 2


def test_the_settings_are_no_part_of_what_is_trusted(cli, project, untrusting):
    write(project, CLAUDE, before_tools(group("echo no | cat >&2; exit 2")))
    cli("import", "claude")
    write(project, CLAUDE, {"model": "x"})
    assert cli("trust", "--yes").code == 0
    write(project, CLAUDE, {"model": "y"})
    denied = cli("emit", "pre", "--tool", "Bash", "--input", "{}", "--format", "json").document
    assert (denied["decision"], denied["decided_by"]) == ("deny", "guard")


def test_scripts_that_a_shell_line_runs_are_part_of_what_is_trusted(cli, project, untrusting):
    tool = project.script("tools/guard.sh", "#!/bin/sh\nexit 0\n")
    write(project, CLAUDE, before_tools(group("true; sh tools/guard.sh")))
    cli("import", "claude")
    (project.path / CLAUDE).unlink()
    assert cli("trust", "--yes").code == 0
    asked = ("emit", "pre", "--tool", "Bash", "--input", "{}", "--format", "json")
    assert cli(*asked).document["decision"] is None
    tool.write_text("#!/bin/sh\nexit 1\n")
    assert cli(*asked).document["decided_by"] == "trust"


def test_an_unknown_agent_is_a_wrong_call(cli):
    done = cli("import", "claud")
    assert done.code == 64
    assert "did you mean claude?" in done.stderr


def test_an_imported_agent_that_switched_its_hooks_off_has_none(cli, project):
    write(project, CLAUDE, before_tools(group("true")) | {"disableAllHooks": True})
    document = imported(cli)
    assert document["files"] == []
    assert "disableAllHooks" in reasons(document)[None]


@pytest.mark.parametrize("text", ["{", "[]"])
def test_settings_that_cannot_be_read_are_told(cli, project, text):
    write(project, CLAUDE, text)
    done = cli("import", "claude")
    assert done.code == 1
    assert ".claude/settings.json" in done.stderr
