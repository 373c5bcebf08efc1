"""`hookrun list`: nothing that was found is lost, and each hook says what became of it."""

from __future__ import annotations

from hookrun.model.width import display_width

GUARD = "#!/bin/sh\nexit 0\n"


def test_an_empty_project_says_what_to_do(cli, project):
    listed = cli("list")
    assert listed.code == 0
    assert listed.stdout.startswith(f"0 of 0 in force: no hooks for {project.path}")
    assert "hookrun new" in listed.stdout


def test_hooks_are_listed_by_event_in_registry_order_and_counted(cli, project):
    project.script(".hookrun/hooks/post/edit.sh", GUARD)
    project.script(".hookrun/hooks/pre/10-bash.sh", GUARD)
    project.script(".hookrun/hooks/pre/2-bash.sh", GUARD)
    project.manifest("greeter", hooks=[{"event": "SessionStart"}], commands=[{"name": "/hello"}])
    lines = cli("list").stdout.splitlines()
    places = [
        next(number for number, line in enumerate(lines) if wanted in line)
        for wanted in ("PreToolUse", "2-bash.sh", "10-bash.sh", "edit.sh", "SessionStart", "commands")
    ]
    assert places == sorted(places)
    assert lines[-1] == "5 of 5 in force"


def test_shadowed_and_disabled_hooks_are_listed_with_the_reason(cli, project):
    project.script(".hookrun/hooks/post/bash.sh", GUARD)
    project.script(".claude/hooks/post/bash.sh", GUARD)
    project.script(".hookrun/hooks/pre/bash.sh", GUARD)
    (project.path / ".hookrun/config.yaml").write_text('disable: [".hookrun/hooks/pre/bash.sh"]\n')
    listed = cli("list")
    assert "shadowed: .hookrun/hooks/post/bash.sh" in listed.stdout
    assert "disabled: the configuration disables it" in listed.stdout
    last = listed.stdout.splitlines()[-1]
    assert last.startswith("1 of 3 in force; ")
    assert {"1 shadowed", "1 disabled"} == set(last.partition("; ")[2].split(", "))


def test_active_leaves_out_what_is_not_in_force(cli, project):
    project.script(".hookrun/hooks/post/bash.sh", GUARD)
    project.script(".claude/hooks/post/bash.sh", GUARD)
    assert ".claude" in cli("list").stdout
    active = cli("list", "--active")
    assert ".claude" not in active.stdout
    assert active.stdout.splitlines()[-1] == "1 of 2 in force; 1 shadowed"
    assert [hook["state"] for hook in cli("list", "--active", "--format", "json").document["hooks"]] == ["in force"]


def test_event_in_any_spelling_chooses_hooks(cli, project):
    project.script(".hookrun/hooks/pre/bash.sh", GUARD)
    project.script(".hookrun/hooks/post/edit.sh", GUARD)
    for spelling in ("pre", "PreToolUse", "pre-tool-use", "tool_call"):
        listed = cli("list", "--event", spelling).stdout
        assert "bash.sh" in listed
        assert "edit.sh" not in listed


def test_tool_chooses_hooks_by_what_the_name_means(cli, project):
    project.script(".hookrun/hooks/pre/bash.sh", GUARD)
    project.script(".hookrun/hooks/pre/edit.sh", GUARD)
    listed = cli("list", "--tool", "run_shell_command").stdout
    assert "bash.sh" in listed
    assert "edit.sh" not in listed


def test_an_unknown_event_is_a_usage_error_that_names_the_nearest(cli):
    listed = cli("list", "--event", "PreToolUs")
    assert listed.code == 64
    assert "hint: did you mean PreToolUse?" in listed.stderr
    assert listed.stdout == ""


def test_a_tool_beside_an_event_that_has_none_is_a_usage_error(cli):
    listed = cli("list", "--event", "SessionStart", "--tool", "Bash")
    assert listed.code == 64
    assert "SessionStart has no tool" in listed.stderr


def test_skipped_files_are_listed_with_their_reasons(cli, project):
    project.script(".hookrun/hooks/pre/bash.sh", GUARD)
    project.script(".hookrun/hooks/pre/bash.sh.bak", GUARD)
    listed = cli("list")
    assert ".hookrun/hooks/pre/bash.sh.bak  a backup" in listed.stdout
    assert "skipped" not in cli("list", "--event", "pre").stdout


def test_notes_and_flaws_stand_beside_the_state(cli, project):
    project.script(".hookrun/hooks/pre/frobnicate.sh", GUARD)
    (project.path / ".hookrun/manifests").mkdir()
    (project.path / ".hookrun/manifests/broken.json").write_text("{")
    listed = cli("list").stdout
    assert "in force: matches no known tool" in listed
    assert "  cannot start: the manifest cannot be read" in listed
    assert "in force: cannot start" not in listed


def test_a_name_with_newline_and_escape_sequence_is_made_harmless(cli, project):
    project.script(".hookrun/hooks/pre/ba\nsh\x1b[31m.sh", GUARD)
    listed = cli("list")
    assert "ba\\nsh\\x1b[31m.sh" in listed.stdout
    assert "\x1b" not in listed.stdout


def test_json_is_one_document_with_everything(cli, project):
    project.manifest(
        "demo",
        hooks=[{"event": "PreToolUse", "matcher": "Shell", "timeout": "2s", "serial": True}],
        ui=[{"id": "bar", "slot": "infoBar", "refreshInterval": "5s"}],
    )
    project.script(".hookrun/hooks/pre/.hidden", GUARD)
    document = cli("list", "--format", "json").document
    guard, widget = document["hooks"]
    assert guard["events"] == [{"event": "PreToolUse", "matcher": "Shell"}]
    assert (guard["role"], guard["serial"], guard["timeout_ms"]) == ("guard", True, 2000)
    assert (guard["plugin"], guard["source"], guard["level"]) == ("demo", "hookrun", "project")
    assert widget["widget"]["slot"] == "infoBar"
    assert widget["widget"]["refresh_ms"] == 5000
    assert document["skipped"] == [
        {"path": str(project.path / ".hookrun/hooks/pre/.hidden"), "reason": "a dot file", "source": "hookrun"}
    ]
    assert (document["in_force"], document["total"], document["problems"]) == (2, 2, [])


def test_problems_go_to_stderr_and_in_json_into_the_document(cli, project):
    path = project.manifest("demo", hooks=[{"event": "PreToolUs"}])
    listed = cli("list")
    assert "PreToolUs" in listed.stderr
    assert "PreToolUs" not in listed.stdout
    (problem,) = cli("list", "--format", "json").document["problems"]
    assert (problem["source"], problem["where"]) == (str(path), "contributes.hooks[0].event")


def test_quiet_leaves_out_warnings(cli, project):
    project.manifest("demo", hook=[])
    assert "warning: " in cli("list").stderr
    assert cli("list", "-q").stderr == ""


def test_columns_line_up_with_wide_names(cli, project):
    project.script(".hookrun/hooks/pre/bash.sh", GUARD)
    project.manifest("demo", hooks=[{"event": "PreToolUse"}])
    project.script(".hookrun/hooks/pre/編集.sh", GUARD)
    rows = [line for line in cli("list").stdout.splitlines() if line.startswith("  ") and "in force" in line]
    assert len(rows) == 3
    assert len({display_width(row[: row.index("in force")]) for row in rows}) == 1
    header = cli("list").stdout.splitlines()[0]
    assert header.split() == ["ID", "ROLE", "HOOK", "MATCHER", "FROM", "STATE"]
    assert header.index("STATE") == display_width(rows[0][: rows[0].index("in force")])
