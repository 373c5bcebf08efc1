"""`hookrun explain`: for every hook whether an event fires it, why, and who would see what it says."""

from __future__ import annotations

GUARD = "#!/bin/sh\ntouch ran\n"
LS = ("--tool", "Bash", "--input", '{"command": "ls"}')


def hooks_by_title(explained) -> dict:
    return {hook["title"].rpartition("/")[2]: hook for hook in explained.document["hooks"]}


def test_what_fires_comes_first_and_everything_has_a_reason(cli, project):
    project.script(".hookrun/hooks/post/bash.sh", GUARD)
    project.script(".hookrun/hooks/pre/1-edit.sh", GUARD)
    project.script(".hookrun/hooks/pre/2-bash.sh", GUARD)
    explained = cli("explain", "pre", *LS, "-v")
    lines = explained.stdout.splitlines()
    assert explained.code == 0
    assert lines[0] == "PreToolUse about Bash (shell): 1 of 3 hooks fires"
    assert lines[1].split() == ["ID", "ROLE", "HOOK", "WHY"]
    assert lines[2].startswith("  fires")
    assert "2-bash.sh" in lines[2]
    silent = [line for line in lines if line.startswith("  silent")]
    assert "'edit' does not match" in silent[0]
    assert "it answers PostToolUse" in silent[1]


def test_hooks_of_other_events_are_counted_and_listed_with_v(cli, project):
    for name in ("1-bash.sh", "2-bash.sh"):
        project.script(f".hookrun/hooks/post/{name}", GUARD)
    project.script(".hookrun/hooks/pre/bash.sh", GUARD)
    lines = cli("explain", "pre", *LS).stdout.splitlines()
    assert lines[0].endswith("1 of 3 hooks fires")
    assert not [line for line in lines if line.startswith("  silent")]
    assert lines[-1] == "  2 hooks answer other events (-v names them)"
    assert len(cli("explain", "pre", *LS, "--format", "json").document["hooks"]) == 3
    only = cli("explain", "pre", *LS, "--only", ".hookrun/hooks/post/2-bash.sh").stdout
    assert "it answers PostToolUse" in only


def test_nothing_is_run(cli, project):
    project.script(".hookrun/hooks/pre/bash.sh", GUARD)
    cli("explain", "pre", *LS)
    assert not (project.path / "ran").exists()
    cli("emit", "pre", *LS)
    assert (project.path / "ran").exists()


def test_hooks_that_are_not_in_force_are_named_with_the_reason(cli, project):
    project.script(".hookrun/hooks/post/bash.sh", GUARD)
    project.script(".claude/hooks/post/bash.sh", GUARD)
    shadowed = cli("explain", "post", *LS, "--format", "json").document["hooks"][1]
    assert (shadowed["fires"], shadowed["state"]) == (False, "shadowed")
    assert shadowed["reason"].startswith("shadowed: .hookrun/hooks/post/bash.sh")


def test_only_chooses_hooks(cli, project):
    project.script(".hookrun/hooks/pre/bash.sh", GUARD)
    project.script(".hookrun/hooks/pre/_all.sh", GUARD)
    explained = cli("explain", "pre", *LS, "--only", ".hookrun/hooks/pre/bash.sh", "--format", "json")
    assert list(hooks_by_title(explained)) == ["bash.sh"]


def test_who_sees_the_output_depends_on_the_kind_of_hook(cli, project):
    project.script(".hookrun/hooks/post/_all.sh", GUARD)
    project.manifest(
        "demo",
        ui=[
            {"id": "hint", "slot": "toolHint", "sync": True, "triggers": ["PostToolUse"]},
            {"id": "bar", "slot": "infoBar", "triggers": ["PostToolUse"]},
        ],
    )
    hooks = hooks_by_title(cli("explain", "post", "--tool", "Shell", "--format", "json"))
    seen = {
        title: " ".join(part for each in hook["seen_by"] for part in each.values()) for title, hook in hooks.items()
    }
    assert "a tool hint" in seen["_all.sh"]
    assert "stops nothing" in seen["_all.sh"]
    assert "hookrun hints" in seen["hint"]
    assert "the user, in infoBar" in seen["bar"]
    assert all("the person at the terminal" in text for text in seen.values())


def test_a_guards_failure_is_said_to_do_what_on_failure_says(cli, project):
    project.script(".hookrun/hooks/pre/1-bash.sh", GUARD)
    project.script(".hookrun/hooks/pre/2-bash.sh", "#!/bin/sh\n# hookrun: on-failure=allow\n")
    project.script(".hookrun/hooks/pre/3-bash.sh", "#!/bin/sh\n# hookrun: on-failure=ask\n")
    hooks = cli("explain", "pre", *LS, "--format", "json").document["hooks"]
    effects = [hook["seen_by"][-1]["who"] for hook in hooks]
    assert [effect.partition(" ")[0] for effect in effects] == ["denies,", "the", "asks"]


def test_each_event_that_can_be_stopped_says_what_a_deny_does(cli, project):
    events = ("PreToolUse", "UserPromptSubmit", "AgentStop", "SubAgentStop", "PreCompact", "SessionStart")
    project.manifest("demo", hooks=[{"event": event} for event in events])
    said = set()
    for event in events:
        tool = LS if event == "PreToolUse" else ()
        fires = [hook for hook in cli("explain", event, *tool, "--format", "json").document["hooks"] if hook["fires"]]
        assert len(fires) == 1
        said.add(fires[0]["seen_by"][0]["who"])
    assert len(said) == len(events)


def test_it_takes_a_whole_payload(cli, project):
    project.script(".hookrun/hooks/pre/bash.sh", GUARD)
    payload = '{"tool_name": "run_shell_command", "tool_input": {"command": "ls"}}'
    explained = cli("explain", "pre", "--payload", "-", "--format", "json", input=payload)
    assert explained.document["fires"] == 1
    assert explained.document["tool"] == "shell"


def test_a_tool_event_without_a_tool_is_a_usage_error(cli):
    explained = cli("explain", "pre")
    assert explained.code == 64
    assert "hint: --tool NAME" in explained.stderr
