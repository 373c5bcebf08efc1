"""Script folders: what a name, a folder and a header say, and what is skipped with which reason."""

from __future__ import annotations

import os

import pytest

from hookrun.model.values import Event
from hookrun.sources.found import Origin, natural
from hookrun.sources.script_folder import read_script_folder, stem_of

SCRIPT = "#!/bin/sh\nexit 0\n"


@pytest.fixture
def folder(tmp_path):
    """Return a function that writes scripts (name -> text) below hooks/ and reads the folder."""

    def write_and_read(scripts, dialect="claude"):
        for name, text in scripts.items():
            path = tmp_path / "hooks" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755)
        origin = Origin(source="claude", order=80, level="project", place=str(tmp_path), dialect=dialect)
        return read_script_folder(str(tmp_path / "hooks"), origin)

    write_and_read.path = tmp_path / "hooks"
    return write_and_read


def bound(found):
    return [(hook.triggers[0].event, hook.triggers[0].matcher) for hook in found.hooks]


def test_pre_answers_before_and_post_answers_success_and_failure(folder):
    found = folder({"pre/bash.sh": SCRIPT, "post/bash.sh": SCRIPT})
    assert [[trigger.event for trigger in hook.triggers] for hook in found.hooks] == [
        ["PreToolUse"],
        ["PostToolUse", "PostToolUseFailure"],
    ]
    assert [hook.role for hook in found.hooks] == ["guard", "observer"]


def test_keys_are_phase_tool_and_file(folder):
    found = folder({"pre/10-bash.sh": SCRIPT, "pre/edit/any.py": SCRIPT})
    assert [hook.key for hook in found.hooks] == ["pre:bash:10-bash.sh", "pre:edit:any.py"]


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("bash", "bash"),
        ("bash.sh", "bash"),
        ("05-bash.sh", "bash"),
        ("bash.py", "bash"),
        ("_all.sh", ""),
        ("*.sh", ""),
        ("my-tool.sh", "my-tool"),
        ("10-my.tool.fish", "my.tool"),
    ],
)
def test_the_tool_is_the_name_without_suffix_and_number(folder, name, tool):
    assert bound(folder({f"pre/{name}": SCRIPT})) == [("PreToolUse", tool)]


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("session-start.sh", "SessionStart"),
        ("UserPromptSubmit.sh", "UserPromptSubmit"),
        ("user_prompt_submit", "UserPromptSubmit"),
        ("stop.sh", "AgentStop"),
        ("BeforeAgent.py", "UserPromptSubmit"),
    ],
)
def test_a_name_of_an_event_answers_that_event(folder, name, event):
    assert bound(folder({f"pre/{name}": SCRIPT})) == [(event, "")]


def test_a_prompt_script_in_pre_is_a_guard_and_a_session_script_is_not(folder):
    found = folder({"pre/session-start.sh": SCRIPT, "pre/user-prompt-submit.sh": SCRIPT})
    assert [hook.role for hook in found.hooks] == ["observer", "guard"]


@pytest.mark.parametrize("tool", ["Bash", "Shell", "run_shell_command", "bash", "execute_command"])
def test_bash_sh_fires_for_the_shell_of_every_agent(folder, tool):
    (hook,) = folder({"pre/bash.sh": SCRIPT}).hooks
    assert hook.triggers[0].accepts(
        Event(dialect="xbot", event="PreToolUse", tool_name=tool, kinds=("shell",)), (tool,)
    )
    assert not hook.triggers[0].accepts(
        Event(dialect="xbot", event="PreToolUse", tool_name="Edit", kinds=("edit",)), ("Edit",)
    )


def test_a_header_says_more_than_the_name(folder):
    header = "#!/bin/sh\n# hookrun: event=PostToolUse tool=Bash|Edit* timeout=5s on-failure=allow\n"
    header += "# hookrun: needs=jq,git serial=true\n"
    (hook,) = folder({"pre/guard.sh": header}).hooks
    assert bound(folder({})) == [("PostToolUse", "Bash|Edit*")]
    assert (hook.timeout, hook.on_failure, hook.serial, hook.role) == (5.0, "allow", True, "observer")
    assert hook.program.needs == ("jq", "git")
    assert hook.note == ""


def test_a_header_can_make_an_observer_of_a_guard(folder):
    (hook,) = folder({"pre/bash.sh": "#!/bin/sh\n# hookrun: role=observer\n"}).hooks
    assert hook.role == "observer"


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("timeot=5s", "did you mean timeout?"),
        ("event=PreToolsUse", "did you mean PreToolUse?"),
        ("event=PostToolUse|SesionStart", "did you mean SessionStart?"),
        ("role=gaurd", "did you mean guard?"),
        ("timeout=soon", "not a duration"),
        ("event=PreTolUse", "unknown event"),
        ("role=boss", "guard, observer"),
        ("on-failure=shrug", "deny, ask, allow"),
        ("needs", "no value"),
    ],
)
def test_a_wrong_header_costs_that_key_and_is_said(folder, header, said):
    found = folder({"pre/bash.sh": f"#!/bin/sh\n# hookrun: {header} serial=true\n"})
    assert found.hooks[0].serial
    (problem,) = found.problems
    assert said in f"{problem.message} {problem.hint}"
    assert problem.where.startswith("line 2")


def test_a_header_below_line_twenty_does_not_count(folder):
    late = "#!/bin/sh\n" + "\n" * 19 + "# hookrun: role=observer\n"
    soon = "#!/bin/sh\n" + "\n" * 18 + "# hookrun: role=observer\n"
    assert folder({"pre/bash.sh": late}).hooks[0].role == "guard"
    assert folder({"pre/bash.sh": soon}).hooks[0].role == "observer"


def test_natural_order_puts_2_before_10(folder):
    found = folder({f"pre/{number}-bash.sh": SCRIPT for number in (10, 2, 1)})
    assert [os.path.basename(hook.file) for hook in found.hooks] == ["1-bash.sh", "2-bash.sh", "10-bash.sh"]
    assert sorted(["a10", "a9", "a", "10", "9"], key=natural) == ["9", "10", "a", "a9", "a10"]


def test_only_bash_sh_runs_beside_backups_and_documents(folder):
    names = ["bash.sh", "bash.sh~", "bash.sh.bak", "#bash.sh#", ".bash.sh.swp", "README.md", ".DS_Store", "README"]
    found = folder({f"pre/{name}": SCRIPT for name in names})
    assert [os.path.basename(hook.file) for hook in found.hooks] == ["bash.sh"]
    assert {os.path.basename(skip.path) for skip in found.skips} == set(names[1:])
    assert all(skip.reason for skip in found.skips)


def test_a_folder_named_like_a_script_a_fifo_and_bad_links_are_skipped_with_the_reason(folder):
    folder({"pre/good.sh": SCRIPT})
    pre = folder.path / "pre"
    (pre / "bash.sh").mkdir()
    os.mkfifo(pre / "fifo.sh")
    (pre / "dangling.sh").symlink_to("nowhere")
    (pre / "loop.sh").symlink_to("loop.sh")
    found = folder({})
    assert [os.path.basename(hook.file) for hook in found.hooks] == ["good.sh"]
    reasons = {os.path.basename(skip.path): skip.reason for skip in found.skips}
    assert set(reasons) == {"bash.sh", "fifo.sh", "dangling.sh", "loop.sh"}
    assert reasons["bash.sh"] == "a folder with the name of a script"
    assert reasons["fifo.sh"] == "no regular file"
    assert "dangling link" in reasons["dangling.sh"]


def test_without_mode_and_shebang_it_is_no_hook_and_said_loudly(folder):
    folder({"pre/bash.sh": "echo hi\n", "pre/edit.sh": SCRIPT})
    assert len(folder({}).hooks) == 2
    for name in ("bash.sh", "edit.sh"):
        (folder.path / "pre" / name).chmod(0o644)
    found = folder({})
    assert [os.path.basename(hook.file) for hook in found.hooks] == ["edit.sh"]
    assert [skip.reason for skip in found.skips] == ["neither executable nor with a shebang"]
    assert found.problems[0].hint == f"chmod +x {folder.path}/pre/bash.sh"


def test_a_tool_nobody_knows_is_kept_and_noted(folder):
    found = folder({"pre/frobnicate.sh": SCRIPT, "pre/bash.sh": SCRIPT})
    assert [(os.path.basename(hook.file), hook.note) for hook in found.hooks] == [
        ("bash.sh", ""),
        ("frobnicate.sh", "matches no known tool"),
    ]
    own = Event(dialect="xbot", event="PreToolUse", tool_name="Frobnicate")
    assert found.hooks[1].triggers[0].accepts(own, ("Frobnicate",))


def test_scripts_in_a_tools_folder_may_have_any_name(folder):
    found = folder({"pre/bash/02-first": SCRIPT, "pre/bash/later.py": SCRIPT, "pre/bash/deep/x.sh": SCRIPT})
    assert [(os.path.basename(hook.file), hook.triggers[0].matcher) for hook in found.hooks] == [
        ("02-first", "bash"),
        ("later.py", "bash"),
    ]
    assert [skip.reason for skip in found.skips] == ["a folder within a tool's folder"]


def test_a_folder_that_holds_too_much_is_a_guard_that_cannot_start(folder, monkeypatch):
    monkeypatch.setattr("hookrun.model.constants.MAX_FILES_IN_FOLDER", 2)
    assert [hook.flaw for hook in folder({"pre/a.sh": SCRIPT, "pre/b.sh": SCRIPT}).hooks] == ["", ""]
    found = folder({"pre/c.sh": SCRIPT})
    assert [bool(hook.flaw) for hook in found.hooks] == [True, False, False]


def test_two_links_to_one_guard_are_two_hooks(folder):
    folder({"guard": SCRIPT, "pre/bash.sh": SCRIPT})
    for name in ("edit.sh", "write.sh"):
        (folder.path / "pre" / name).symlink_to("../guard")
    found = folder({})
    assert [os.path.basename(hook.file) for hook in found.hooks] == ["bash.sh", "edit.sh", "write.sh"]


@pytest.mark.parametrize(
    ("name", "stem"), [("a.sh", "a"), ("12-a.sh", "a"), ("a-b", "a-b"), ("x-1.py", "x-1"), ("1-.sh", "")]
)
def test_stems(name, stem):
    assert stem_of(name) == stem
