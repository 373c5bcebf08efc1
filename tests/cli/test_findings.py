"""One answer to "why did my hook not do its work": each mistake, written into a fresh project, and what each
of `list`, `explain`, `validate` and `doctor` says about it. None of them calls it well."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from trusted import trust

if TYPE_CHECKING:
    from collections.abc import Callable

    from command import Project

COMMANDS = ("list", "explain", "validate", "doctor")
LS = ("--tool", "Bash", "--input", '{"command": "ls"}')
GUARD = "#!/bin/sh\nexit 0\n"
CLAUDE = ".claude/settings.json"


def settings(command: str, **more: object) -> str:
    """Claude's settings with one guard."""
    group = {"matcher": "Bash", "hooks": [{"type": "command", "command": command, **more}]}
    return json.dumps({"hooks": {"PreToolUse": [group]}})


def script(name: str, text: str = GUARD, mode: int = 0o755) -> Callable[[Project], object]:
    return lambda project: project.script(name, text, mode=mode)


def of_user(name: str, text: str = GUARD) -> Callable[[Project], object]:
    return lambda project: project.script(name, text, user=True)


def manifest(**hook: object) -> Callable[[Project], object]:
    return lambda project: project.manifest("p", script=GUARD, hooks=[{"event": "PreToolUse", **hook}])


def both(*makers: Callable[[Project], object]) -> Callable[[Project], object]:
    return lambda project: [make(project) for make in makers]


@dataclass(frozen=True)
class Mistake:
    """What was done wrong, the words that name its cause, whether validate's exit code is 1, and how many
    hooks are in force, where the mistake costs one."""

    name: str
    make: Callable[[Project], object]
    cause: str
    is_error: bool = False
    in_force: str = ""


MISTAKES = (
    Mistake(
        "a manifest's matcher in the wrong case",
        manifest(matcher="shell"),
        "never fires: no known tool is named 'shell'; did you mean 'Shell'?",
        in_force="0 of 1 in force; 1 never fires",
    ),
    Mistake(
        "a settings' matcher in the wrong case",
        script(CLAUDE, settings("true").replace("Bash", "bash")),
        "did you mean Bash?",
        in_force="0 of 1 in force; 1 never fires",
    ),
    Mistake(
        "an `if` that never holds",
        script(CLAUDE, settings("true", **{"if": "Bash(ls:*)|Bash(rm:*)"})),
        "`if` is one rule",
        in_force="0 of 1 in force; 1 never fires",
    ),
    Mistake(
        "a program that is not installed",
        script(".hookrun/hooks/pre/bash.sh", "#!/bin/sh\n# hookrun: needs=frobnicate\n"),
        "cannot start: needs frobnicate, which is not installed",
        is_error=True,
        in_force="0 of 1 in force; 1 cannot start",
    ),
    Mistake(
        "an observer whose program is not installed",
        script(".hookrun/hooks/post/bash.sh", "#!/bin/sh\n# hookrun: needs=frobnicate\n"),
        "cannot start: needs frobnicate, which is not installed",
        is_error=True,
        in_force="0 of 1 in force; 1 cannot start",
    ),
    Mistake(
        "an interpreter that is not there",
        script(".hookrun/hooks/pre/bash", "#!/no/such/zsh\n"),
        "cannot start: /no/such/zsh",
        is_error=True,
        in_force="0 of 1 in force; 1 cannot start",
    ),
    Mistake(
        "a settings' script without x bit",
        both(script(CLAUDE, settings("$CLAUDE_PROJECT_DIR/guards/no.sh")), script("guards/no.sh", GUARD, 0o644)),
        "cannot start: no.sh is not executable",
        is_error=True,
        in_force="0 of 1 in force; 1 cannot start",
    ),
    Mistake(
        "a settings' script that is gone",
        script(CLAUDE, settings("python3 guards/no.py")),
        "cannot start: guards/no.py does not exist",
        is_error=True,
        in_force="0 of 1 in force; 1 cannot start",
    ),
    Mistake(
        "a shell script called like a module",
        script(".hookrun/hooks/guard.py", "#!/bin/sh\nif true; then exit 2; fi\n"),
        "syntax",
        is_error=True,
        in_force="0 of 1 in force; 1 cannot start",
    ),
    Mistake(
        "a module with a syntax error",
        script(".hookrun/hooks/guard.py", "def hook(api):\n    return (\n"),
        "never closed",
        is_error=True,
        in_force="0 of 1 in force; 1 cannot start",
    ),
    Mistake(
        "a Python script with a syntax error",
        script(".hookrun/hooks/pre/bash.py", "#!/usr/bin/env python3\nif True:\nprint()\n"),
        "expected an indented block",
        is_error=True,
        in_force="0 of 1 in force; 1 cannot start",
    ),
    Mistake(
        "a settings' Python script with a syntax error",
        both(script(CLAUDE, settings("python3 guards/no.py")), script("guards/no.py", "def (:\n")),
        "invalid syntax",
        is_error=True,
        in_force="0 of 1 in force; 1 cannot start",
    ),
    Mistake(
        "a manifest with a matcher that cannot be read",
        manifest(matcher="Shell|"),
        "has an empty alternative",
        is_error=True,
        in_force="0 of 0 in force",
    ),
    Mistake(
        "a manifest that cannot be read",
        script(".hookrun/plugins/p/plugin.json", '{"id": "p",}'),
        "cannot be read",
        is_error=True,
        in_force="0 of 1 in force; 1 cannot start",
    ),
    *(
        Mistake(f"a misplaced file: {name}", script(name, text), name.rpartition("/")[2])
        for name, text in (
            (".claude/hooks/guard.sh", GUARD),
            (".claude/hooks/PreToolUse/bash.sh", GUARD),
            (".claude/pre/bash.sh", GUARD),
            (".hookrun/hook/pre/bash.sh", GUARD),
            ("hooks/pre/bash.sh", GUARD),
            (".hookrun/plugin.json", "{}"),
            (".hookrun/plugins/plugin.json", "{}"),
        )
    ),
    *(
        Mistake(f"the user's file in a project's place: {name}", of_user(name, text), "belong in ")
        for name, text in (
            (".hookrun/hooks/pre/bash.sh", GUARD),
            (".hookrun/hooks/post/bash/fmt.py", "#!/usr/bin/env python3\n"),
            (".hookrun/hooks/guard.py", "def hook(api): ...\n"),
            (".hookrun/plugins/p/plugin.yaml", "id: p\n"),
            (".hookrun/manifests/p.yaml", "id: p\n"),
        )
    ),
    *(
        Mistake(f"misplaced in the user's own folder: {name}", of_user(name, text), name.rpartition("/")[2])
        for name, text in (
            (".config/hookrun/hooks/guard.sh", GUARD),
            (".config/hookrun/pre/bash.sh", GUARD),
            (".config/hookrun/hooks/PostToolUse/edit.sh", GUARD),
        )
    ),
    Mistake(
        "hooks switched off by the user",
        both(script(CLAUDE, settings("true")), of_user(CLAUDE, '{"disableAllHooks": true}')),
        "switches hooks off (disableAllHooks)",
        in_force="0 of 0 in force",
    ),
)


def said(cli, *words: str) -> tuple[int, str]:
    """What a command prints on both streams, as one line, and its exit code."""
    ended = cli(*words)
    return ended.code, " ".join(f"{ended.stdout} {ended.stderr}".split())


@pytest.mark.parametrize("mistake", [each for each in MISTAKES if each.cause], ids=lambda each: each.name)
def test_each_command_names_the_cause(cli, project, mistake: Mistake):
    mistake.make(project)
    event = ("post", *LS) if "observer" in mistake.name else ("pre", *LS)
    texts = {name: said(cli, name, *(event if name == "explain" else ())) for name in COMMANDS}
    for name, (code, text) in texts.items():
        assert mistake.cause in text, name
        assert name in ("list", "explain") or code == mistake.is_error, name
    assert "all is well" not in texts["doctor"][1]
    assert "0 errors, 0 warnings" not in texts["validate"][1]
    assert mistake.in_force in texts["list"][1]
    assert " fires " not in texts["explain"][1].replace("never fires", "")
    quiet = said(cli, "doctor", "-q")[1]
    assert mistake.cause in quiet
    assert "runtime" not in quiet


@pytest.mark.parametrize(
    ("name", "text", "changed", "calls"),
    [
        (".hookrun/hooks/pre/bash.sh", GUARD, GUARD + "# more\n", "every bash call is denied"),
        (".claude/hooks/pre/edit.sh", GUARD, GUARD + "# more\n", "every edit call is denied"),
        (
            ".hookrun/hooks/guard.py",
            "def hook(api): ...\n",
            "def hook(api): 1\n",
            "every tool call and every prompt is",
        ),
        (".hookrun/hooks/pre/bash.sh", GUARD, None, "every bash call is denied"),
        (
            ".hookrun/manifests/m.json",
            json.dumps(
                {
                    "id": "m",
                    "name": "m",
                    "version": "1.0.0",
                    "runtime": "script",
                    "entry": "true",
                    "permissions": ["*"],
                    "contributes": {"hooks": [{"event": "UserPromptSubmit"}]},
                }
            ),
            None,
            "every prompt is denied",
        ),
    ],
)
def test_a_guard_that_denies_everything_says_so_everywhere(
    cli, project, untrusting, name: str, text: str, changed: str | None, calls: str
):
    path = project.script(name, text)
    trust(cli)
    if changed is None:
        path.unlink()
    else:
        path.write_text(changed)
    event = ("UserPromptSubmit", "--prompt", "hi") if "prompt is denied" in calls else ("pre", *LS)
    if "edit" in name:
        event = ("pre", "--tool", "Edit", "--input", '{"file_path": "a"}')
    assert cli("emit", *event).code == 2
    for command in COMMANDS:
        code, said_here = said(cli, command, *(event if command == "explain" else ()))
        assert "denies: " in said_here, command
        assert "it was trusted and is gone" in said_here or "changed since it was trusted" in said_here, command
        assert calls in said_here, command
        assert ("hookrun trust`" if changed else "hookrun untrust") in said_here, command
        assert "all is well" not in said_here
        assert code == (command in ("validate", "doctor")), command
    listed = cli("list").stdout
    assert "0 of 1 in force; 1 denies" in listed
    explained = cli("explain", *event, "--format", "json").document
    assert (explained["fires"], explained["hooks"][0]["denies"]) == (0, True)


def test_validate_of_a_changed_file_alone_says_what_it_costs(cli, project, untrusting):
    project.manifest("p", script=GUARD, hooks=[{"event": "PreToolUse"}])
    trust(cli)
    path = project.path / ".hookrun/plugins/p/hook.sh"
    path.write_text(GUARD + "# more\n")
    ended = cli("validate", str(path))
    assert ended.code == 1
    assert ended.stdout.startswith(".hookrun/plugins/p/hook.sh: error: denies: changed since it was trusted")
    assert cli("validate", str(path.parent)).code == 1


def test_an_observer_that_changed_denies_nothing(cli, project, untrusting):
    path = project.script(".hookrun/hooks/post/bash.sh", GUARD)
    trust(cli)
    path.write_text(GUARD + "# more\n")
    assert "untrusted: changed since it was trusted" in cli("list").stdout
    assert "denies" not in said(cli, "explain", "post", *LS)[1]


def test_a_guard_that_cannot_start_and_denies_is_told_apart_from_one_that_does_not(cli, project):
    project.script(".hookrun/hooks/pre/1-bash.sh", "#!/bin/sh\n# hookrun: needs=frobnicate\n")
    project.script(".hookrun/hooks/pre/2-bash.sh", "#!/bin/sh\n# hookrun: needs=frobnicate on-failure=allow\n")
    project.script(CLAUDE, settings("/no/such/guard"))
    marks = [line.split()[0] for line in cli("explain", "pre", *LS).stdout.splitlines() if " guard " in line]
    assert marks == ["denies", "silent", "silent"]
    listed = cli("list").stdout
    assert "which is not installed; every bash call is denied" in listed
    assert "Claude Code goes on without it" in listed


def test_a_matcher_of_which_a_part_is_wrong_leaves_the_hook_in_force(cli, project):
    project.script(CLAUDE, settings("true").replace('"Bash"', '"Bash|edit"'))
    listed = cli("list").stdout
    assert "in force: Claude Code has no tool named 'edit'; did you mean Edit?" in listed
    assert "1 of 1 in force" in listed


def test_a_name_that_resembles_no_tool_may_be_somebodys_own(cli, project):
    project.manifest("p", script=GUARD, hooks=[{"event": "PreToolUse", "matcher": "DeployIt"}])
    listed = cli("list").stdout
    assert "in force: no known tool is named 'DeployIt'" in listed
    assert "1 of 1 in force" in listed
    explained = cli("explain", "pre", "--tool", "DeployIt")
    assert "1 of 1 hook fires" in explained.stdout
    assert "never fires" in cli("validate").stdout  # among the tools that hookrun knows


@pytest.mark.parametrize(
    ("path", "event", "matcher", "meant"),
    [
        (CLAUDE, "PreToolUse", "bash.*", "Bash"),
        (CLAUDE, "PreToolUse", "^(write|edit)$", "Edit"),
        (CLAUDE, "PreToolUse", "run_shell_command", ""),  # another agent's name
        (".gemini/settings.json", "BeforeTool", "Bash", ""),
        (".gemini/settings.json", "BeforeTool", "Run_Shell.*", "run_shell_command"),
        (".codex/hooks.json", "PreToolUse", "bash", "Bash"),
    ],
)
def test_a_matcher_that_is_a_slip_never_fires(cli, project, path, event, matcher, meant):
    project.script(path, settings("true").replace('"Bash"', json.dumps(matcher)).replace("PreToolUse", event))
    for command in ("list", "explain", "validate", "doctor"):
        text = said(cli, command, *(("pre", *LS) if command == "explain" else ()))[1]
        assert "never fires: " in text, command
        assert (f"did you mean {meant}?" if meant else "") in text, command
    assert "0 of 1 in force; 1 never fires" in cli("list").stdout


def test_files_that_nothing_reads_are_in_the_documents_too(cli, project):
    path = project.script(".claude/hooks/guard.sh", GUARD)
    for words in (("list",), ("explain", "pre", *LS)):
        (unread,) = cli(*words, "--format", "json").document["unread"]
        assert unread["path"] == str(path)
        assert unread["hint"].startswith("move it to .claude/hooks/pre/")
