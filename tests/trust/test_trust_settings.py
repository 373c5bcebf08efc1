"""Trust in what agents' settings name: each entry by itself, with the files that its command uses."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from agent_settings import CLAUDE, before_tools, command, group, write
from firing import DENIED_BY_GUARD, DENY, NO, PASS, before_shell, guard_text, marker_script, problems_of, ruling
from trusted import ALLOWED_BY_SILENCE, ASKED_BY_TRUST, DENIED_BY_TRUST, commit, git, repository, trust, units

from hookrun.sources.agent_settings.handlers import definitions_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("untrusting")

SCRIPT = ".claude/guard.sh"
SAYS_DENY = """echo '{"permissionDecision": "deny"}'"""
RUN = f'"$CLAUDE_PROJECT_DIR"/{SCRIPT}'
MASKED = "(*** is not shown here, as it looks like a key: --show has it)"
WHERE = {
    "claude": (CLAUDE, before_tools(group(RUN, matcher="Bash"))),
    "codex": (".codex/hooks.json", before_tools(group(SCRIPT, matcher="Bash"))),
    "gemini": (
        ".gemini/settings.json",
        {"hooks": {"BeforeTool": [group(f"$GEMINI_PROJECT_DIR/{SCRIPT}", matcher="run_shell_command")]}},
    ),
    "xbot": (".xbot/hooks.json", before_tools(group(SCRIPT, matcher="Shell"))),
    "cursor": (".cursor/hooks.json", {"version": 1, "hooks": {"beforeShellExecution": [{"command": SCRIPT}]}}),
    "copilot": (  # which takes exit code 2 for a failure, and that for a deny
        ".github/hooks/guard.json",
        {"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": f"{SCRIPT} || {SAYS_DENY}"}]}},
    ),
    "windsurf": (".windsurf/hooks.json", {"hooks": {"pre_run_command": [{"command": SCRIPT}]}}),
    "droid": (".factory/settings.json", before_tools(group(SCRIPT, matcher="Execute"))),
    "qwen": (".qwen/settings.json", before_tools(group(SCRIPT, matcher="run_shell_command"))),
    "a plugin of claude": (
        ".claude/plugins/p/hooks/hooks.json",
        before_tools(group("sh ${CLAUDE_PLUGIN_ROOT}/../../guard.sh", matcher="Bash")),
    ),
}


@pytest.fixture
def guarded(project):
    """Claude's settings with one entry, which runs a script that denies."""
    project.script(SCRIPT, DENY)
    return write(project, CLAUDE, before_tools(group(RUN, matcher="Bash")))


def before_write(cli) -> Any:
    return cli("emit", "pre", "--tool", "FileWrite", "--input", '{"path": "a"}', "--format", "json")


def edited(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize(("file", "table"), WHERE.values(), ids=WHERE)
def test_an_entry_runs_once_it_is_trusted_and_not_when_its_script_was_edited(cli, project, file, table):
    script = project.script(SCRIPT, DENY)
    write(project, file, table)
    done = before_shell(cli)
    assert ruling(done) == ALLOWED_BY_SILENCE
    assert [each["status"] for each in done.document["outcomes"]] == ["untrusted"]
    trust(cli)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    script.write_text(PASS)
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    script.write_text(DENY)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    script.unlink()
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


@pytest.mark.parametrize(("file", "table"), WHERE.values(), ids=WHERE)
def test_a_trusted_entry_that_is_gone_denies_until_it_is_back_or_forgotten(cli, project, file, table):
    project.script(SCRIPT, DENY)
    path = write(project, file, table)
    trust(cli)
    path.unlink()
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    write(project, file, table)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    path.unlink()
    assert cli("untrust", file).code == 0
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


def test_the_executables_of_cline_are_files_of_their_own(cli, project):
    path = project.script(".clinerules/hooks/PreToolUse", guard_text("""echo '{"cancel": true}'"""))
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    trust(cli)
    assert list(units(project)) == [".clinerules/hooks/PreToolUse"]
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    path.write_text(PASS)
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    path.unlink()
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


CHANGES: dict[str, Callable[[Path], object]] = {
    "its command": lambda path: edited(path, "guard.sh", "other.sh"),
    "its matcher": lambda path: edited(path, '"Bash"', '"Nothing"'),
    "an option of it": lambda path: edited(path, '"type"', '"timeout": 1, "type"'),
    "a condition": lambda path: edited(path, '"type"', '"if": "Bash(nothing)", "type"'),
    "its event": lambda path: edited(path, "PreToolUse", "SessionEnd"),
    "made async": lambda path: edited(path, '"type"', '"async": true, "type"'),
    "made hookrun's own": lambda path: edited(path, SCRIPT, f"{SCRIPT} # hookrun bridge"),
    "hooks switched off": lambda path: edited(path, '{"hooks": {', '{"disableAllHooks": true, "hooks": {'),
    "hooks switched off beside it": lambda path: path.with_name("settings.local.json").write_text(
        '{"disableAllHooks": true}'
    ),
    "no JSON any more": lambda path: path.write_text("{"),
    "emptied": lambda path: path.write_text("{}"),
    "deleted": lambda path: path.unlink(),
    "renamed": lambda path: path.rename(path.with_name("settings.json.off")),
    "the folder gone": lambda path: shutil.rmtree(path.parent),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_becomes_of_the_entry_is_denied_and_all_else_is_not(cli, project, guarded, change):
    project.script(".claude/other.sh", PASS)
    trust(cli)
    text, script = guarded.read_text(), (project.path / SCRIPT).read_text()
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    assert ruling(before_write(cli)) == ALLOWED_BY_SILENCE
    change(guarded)
    done = before_shell(cli)
    assert ruling(done) == DENIED_BY_TRUST
    assert f"{CLAUDE}#" in done.document["message"]
    assert ruling(before_write(cli)) == ALLOWED_BY_SILENCE
    guarded.with_name("settings.local.json").unlink(missing_ok=True)
    project.script(SCRIPT, script)
    write(project, CLAUDE, text)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


def test_what_else_changes_in_the_settings_changes_nothing(cli, project, guarded):
    trust(cli)
    table = before_tools(group("true", matcher="Write"), group(RUN, matcher="Bash")) | {"model": "x"}
    guarded.write_text(json.dumps(table, indent=4))
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    assert ruling(before_write(cli)) == ALLOWED_BY_SILENCE
    assert "not trusted" in problems_of(before_write(cli))


def test_an_edited_entry_is_a_new_one_and_the_old_one_denies_until_it_is_forgotten(cli, project, guarded):
    trust(cli)
    (old,) = units(project)
    edited(guarded, RUN.replace('"', '\\"'), "true")
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    done = cli("trust", "--yes")
    assert old in done.stdout
    assert "forgot 1 that is gone" in done.stdout
    assert old not in units(project)
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


def test_nothing_of_settings_runs_before_it_is_trusted(cli, project, tmp_path):
    for file, table in WHERE.values():
        write(project, file, table)
    project.script(".config/hookrun/config.yaml", "limits: {process_hooks: 20}\n", user=True)
    project.script(SCRIPT, marker_script(tmp_path, "ran"))
    project.script(".clinerules/hooks/PreToolUse", marker_script(tmp_path, "ran"))
    for words in (("list",), ("validate",), ("doctor",), ("explain", "pre", "--tool", "Shell")):
        cli(*words)
    before_shell(cli)
    assert not (tmp_path / "ran").exists()
    trust(cli)
    before_shell(cli)
    assert (tmp_path / "ran").exists()


def test_the_users_own_settings_need_no_trust(cli, project):
    project.script("guard.sh", DENY, user=True)
    write(project, CLAUDE, before_tools(group("~/guard.sh", matcher="Bash")), user=True)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    project.script("guard.sh", PASS, user=True)
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


COMMANDS = {
    "with the project's variable": RUN,
    "with a default": '"${CLAUDE_PROJECT_DIR:-.}/.claude/guard.sh"',
    "relative": "./.claude/guard.sh",
    "by a shell": "bash .claude/guard.sh",
    "after cd": "cd .claude && ./guard.sh",
    "by git's word": '"$(git rev-parse --show-toplevel 2>/dev/null || pwd)/.claude/guard.sh"',
    "in another shell": "sh -c 'exec .claude/guard.sh'",
    "in a variable": "guard=.claude/guard.sh; sh $guard",
    "by another script": ".claude/outer.sh",
}


@pytest.mark.parametrize("line", COMMANDS.values(), ids=COMMANDS)
def test_the_files_that_a_command_names_are_part_of_it(cli, project, line):
    project.script(SCRIPT, DENY)
    project.script(".claude/outer.sh", guard_text('exec "${0%/*}/guard.sh"'))
    write(project, CLAUDE, before_tools(group(line, matcher="Bash")))
    trust(cli)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    project.script(SCRIPT, PASS)
    done = before_shell(cli)
    assert ruling(done) == DENIED_BY_TRUST
    assert f"changed since it was trusted: {SCRIPT}" in done.document["message"]


def test_arguments_without_a_shell_are_part_of_it(cli, project):
    project.script(SCRIPT, DENY)
    handler = command("sh", args=[f"${{CLAUDE_PROJECT_DIR}}/{SCRIPT}"])
    write(project, CLAUDE, before_tools(group(handler, matcher="Bash")))
    trust(cli)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    project.script(SCRIPT, PASS)
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


def test_another_file_at_the_working_directory_is_no_trusted_one(cli, project):
    project.script("tools/guard.sh", DENY)
    write(project, CLAUDE, before_tools(group("tools/guard.sh", matcher="Bash")))
    trust(cli)
    inner = project.script("inner/tools/guard.sh", PASS).parents[1]
    assert ruling(before_shell(cli, cwd=inner)) == DENIED_BY_TRUST
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


def test_a_script_that_appears_after_its_entry_was_trusted_does_not_run(cli, project, tmp_path):
    write(project, CLAUDE, before_tools(group(f"test ! -e {SCRIPT} || sh {SCRIPT}", matcher="Bash")))
    trust(cli)
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    project.script(SCRIPT, marker_script(tmp_path, "ran"))
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    assert not (tmp_path / "ran").exists()
    trust(cli)
    before_shell(cli)
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("writes", [">> .claude/log", "2> .claude/log", "| tee -a .claude/log"])
def test_what_a_command_writes_to_is_no_part_of_it(cli, project, writes):
    write(project, CLAUDE, before_tools(group(f"echo ran {writes}", matcher="Bash")))
    (project.path / ".claude/log").write_text("before")
    trust(cli)
    for _ in range(2):
        assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


def test_an_answer_of_a_script_that_was_changed_meanwhile_does_not_count(cli, project):
    text = guard_text(f"echo >> {SCRIPT}", f"echo '{NO}' >&2", "exit 2")
    project.script(SCRIPT, text)
    write(project, CLAUDE, before_tools(group(RUN, matcher="Bash")))
    trust(cli)
    done = before_shell(cli)
    assert ruling(done) == DENIED_BY_TRUST
    assert "changed while it ran" in done.document["message"]


def test_another_branch_without_the_entry_is_an_ask(cli, project):
    write(project, CLAUDE, {"model": "x"})
    repository(project)
    git(project.path, "checkout", "-q", "-b", "guarded")
    project.script(SCRIPT, DENY)
    write(project, CLAUDE, before_tools(group(RUN, matcher="Bash")) | {"model": "x"})
    commit(project.path)
    trust(cli)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    git(project.path, "checkout", "-q", "-")
    assert ruling(before_shell(cli)) == ASKED_BY_TRUST
    edited(project.path / CLAUDE, '"x"', '"y"')  # who knows what else was edited
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    git(project.path, "checkout", "-q", ".")
    git(project.path, "checkout", "-q", "guarded")
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


def test_another_branch_without_settings_is_an_ask(cli, project):
    repository(project)
    git(project.path, "checkout", "-q", "-b", "guarded")
    project.script(SCRIPT, DENY)
    write(project, CLAUDE, before_tools(group(RUN, matcher="Bash")))
    commit(project.path)
    trust(cli)
    git(project.path, "checkout", "-q", "-")
    assert ruling(before_shell(cli)) == ASKED_BY_TRUST


def test_settings_that_are_committed_and_switched_off_by_another_file_deny(cli, project, guarded):
    repository(project)
    trust(cli)
    write(project, ".claude/settings.local.json", {"disableAllHooks": True})
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


def test_settings_that_git_does_not_track_deny(cli, project):
    repository(project)
    project.script(SCRIPT, DENY)
    path = write(project, CLAUDE, before_tools(group(RUN, matcher="Bash")))
    trust(cli)
    path.unlink()
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


@pytest.mark.parametrize("reference", ["project", "ref:HEAD"])
def test_a_pipeline_can_trust_settings(cli, project, guarded, reference):
    repository(project)
    assert ruling(before_shell(cli, env={"HOOKRUN_TRUST": reference})) == DENIED_BY_GUARD
    project.script(SCRIPT, PASS)
    expected = ALLOWED_BY_SILENCE if reference == "project" else DENIED_BY_TRUST
    assert ruling(before_shell(cli, env={"HOOKRUN_TRUST": reference})) == expected


def test_a_source_that_is_off_misses_nothing(cli, project, guarded):
    trust(cli)
    guarded.unlink()
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    project.script(".config/hookrun/config.yaml", "sources: {claude-settings: false}\n", user=True)
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


def test_a_projects_commands_of_xbot_are_switched_on_by_trust_alone(cli, project):
    project.script(SCRIPT, DENY)
    table = before_tools(group(SCRIPT, matcher="Shell"))
    write(project, ".xbot/hooks.json", {"enable_command_hooks": True, **table})
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    trust(cli)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    write(project, ".xbot/hooks.json", table)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    write(project, ".xbot/hooks.json", {"enable_command_hooks": False, **table})
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


def test_trust_shows_an_entry_readably(cli, project):
    handler = command(f"API_KEY=hunter2 {RUN}", **{"if": "Bash(git push*)"})
    project.script(SCRIPT, DENY)
    write(project, CLAUDE, before_tools(group(handler, matcher="Bash")))
    shown = cli("trust", "--yes").stdout.splitlines()
    assert (shown[0].startswith(f"{CLAUDE}#"), shown[0][-5:]) == (True, "  new")
    assert shown[1] == f"  guard  PreToolUse Bash if Bash(git push*)  runs API_KEY=*** {RUN}  {MASKED}"
    assert shown[2] == f"  with {SCRIPT}"
    (name,) = units(project)
    assert cli("trust", "--list").stdout.split()[:2] == [name, "trusted"]
    assert "nothing new: 1 of 1 are trusted" in cli("trust", name).stdout
    cli("untrust", name)
    whole = cli("trust", "--show", "--yes", CLAUDE).stdout
    assert '"matcher": "Bash"' in whole
    assert NO in whole
    assert "hunter2" not in whole + cli("list").stdout


def test_an_address_is_shown_and_is_trusted_by_its_entry(cli, project):
    handler = {"type": "http", "url": "http://localhost:1/hook"}
    write(project, CLAUDE, before_tools(group(handler, matcher="Bash")))
    assert "guard  PreToolUse Bash  asks http://localhost:1/hook" in cli("trust", "--yes").stdout
    assert "nothing new" in cli("trust").stdout


@pytest.mark.parametrize(("file", "table"), WHERE.values(), ids=WHERE)
def test_the_entries_in_a_file_are_read_as_they_are_trusted(cli, project, file, table):
    project.script(SCRIPT, DENY)
    path = write(project, file, table)
    trust(cli)
    agent = file.removeprefix(".").partition("/")[0].replace("github", "copilot")
    (files,) = (text["files"] for unit in units(project).values() for text in unit["texts"])
    from hookrun.trust.reading import digest_of

    assert {digest_of(text.encode()) for text in definitions_of(path.read_bytes(), str(path), agent)} <= set(
        files.values()
    )
    assert list(definitions_of(path.read_bytes(), str(path), "nobody")) == []
