"""Tool hints reach one reader once, the call they belong to, and never the next one."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Event

import pytest
from command import CHECKOUT
from firing import after_shell, before_shell, guard_text, problems_of, started, the_outcome

FIXTURES = CHECKOUT / "tests/fixtures"
POST_HOOK = ".claude/hooks/post/bash.sh"
EDIT = '{"path": "app.py", "old_string": "1", "new_string": "2"}'
DIFF = "```diff\n--- app.py\n-1\n+2\n```"


def hinting(project, plugin="hinter", script='echo "$HOOKRUN_COMMAND"', **widget):
    """A plugin whose tool hint is what *script* prints after each call of the shell."""
    given = {"id": "hint", "slot": "toolHint", "sync": True, "triggers": ["PostToolUse:Shell"], **widget}
    return project.manifest(plugin, script=script, ui=[given])


def after(cli, command, *words):
    given = json.dumps({"command": command})
    ended = cli("emit", "PostToolUse", "--tool", "Shell", "--input", given, *words)
    assert ended.code == 0
    return ended


def test_a_hint_is_given_once_and_then_there_is_nothing(cli, project):
    hinting(project)
    assert "1 tool hint waits: hookrun hints" in after(cli, "a").stdout
    first, second = cli("hints"), cli("hints")
    assert (first.code, first.stdout) == (0, "a\n")
    assert (second.code, second.stdout) == (0, "")


def test_looking_at_a_hint_does_not_take_it(cli, project):
    hinting(project)
    after(cli, "a")
    for _ in range(2):
        assert cli("hints", "--peek").stdout == "a\n"
    assert cli("hints").stdout == "a\n"
    assert cli("hints", "--peek").stdout == ""


def test_of_twenty_readers_at_once_one_gets_the_hint(cli, project, user_environment):
    hinting(project)
    after(cli, "a")
    with ExitStack() as stack:
        readers = [stack.enter_context(started(project, user_environment, "hints")) for _ in range(20)]
        texts = [reader.communicate(timeout=60)[0] for reader in readers]
    assert sorted(texts) == [""] * 19 + ["a\n"]


def test_calls_in_parallel_each_get_their_own_hint(cli, project, user_environment):
    hinting(project)
    words = ("emit", "post", "--tool", "Shell", "--input")
    with ExitStack() as stack:
        emits = [
            stack.enter_context(
                started(project, user_environment, *words, json.dumps({"command": call}), "--call-id", call)
            )
            for call in ("a", "b", "c")
        ]
        assert [emit.wait(timeout=60) for emit in emits] == [0, 0, 0]
    assert cli("hints", "--call-id", "b").stdout == "b\n"
    assert cli("hints", "--call-id", "b").stdout == ""
    assert cli("hints", "--call-id", "d").stdout == ""
    assert cli("hints", "--call-id", "a").stdout == "a\n"
    assert cli("hints").stdout == "c\n"


def test_a_hint_that_nobody_read_is_gone_after_the_next_tool(cli, project):
    hinting(project, script='[ "$HOOKRUN_COMMAND" = quiet ] || echo "$HOOKRUN_COMMAND"')
    for leaves_nothing in ("quiet", "loud"):
        after(cli, "old")
        after(cli, leaves_nothing)
        assert cli("hints").stdout == ("loud\n" if leaves_nothing == "loud" else "")
    after(cli, "old")
    assert before_shell(cli).code == 0
    assert cli("hints").stdout == ""
    after(cli, "old")
    assert cli("emit", "SessionStart").code == 0
    assert cli("hints").stdout == "old\n"


def test_the_next_call_leaves_the_hint_of_another_call_alone(cli, project):
    hinting(project, script='[ "$HOOKRUN_COMMAND" = quiet ] || echo "$HOOKRUN_COMMAND"')
    after(cli, "a", "--call-id", "a")
    after(cli, "quiet", "--call-id", "b")
    after(cli, "quiet")
    assert cli("hints").stdout == "a\n"
    after(cli, "a", "--call-id", "a")
    after(cli, "quiet", "--call-id", "a")
    assert cli("hints").stdout == ""


def test_two_plugins_hints_for_one_call_come_by_priority(cli, project):
    hinting(project, "late", "echo late", priority=50)
    hinting(project, "early", "echo early", priority=5)
    hinting(project, "usual", "echo usual")
    project.script(POST_HOOK, guard_text("echo 'md|a script'"))
    assert "4 tool hints wait: hookrun hints" in after(cli, "x").stdout
    assert cli("hints").stdout.splitlines() == ["early", "late", "usual", "a script"]


@pytest.mark.parametrize(
    ("printed", "form", "style", "text"),
    [
        ("md|# x\\n\\ny", "md", "", "# x\n\ny"),
        ("  md|x  \\n", "md", "", "x"),
        ("diff|-a\\n+b", "diff", "", "-a\n+b"),
        ("md|md|x", "md", "", "md|x"),
        ("noise\\nmd|x", "text", "", "noise"),
        ("MD|x", "text", "", "MD|x"),
        ("a|b", "text", "", "a|b"),
        ("ok|fine|really\\nmore", "text", "ok", "fine|really"),
        ("warn|careful", "text", "warn", "careful"),
        ("|plain", "text", "", "plain"),
    ],
)
def test_what_a_script_prints_decides_format_style_and_text(cli, project, printed, form, style, text):
    hinting(project, script=f"printf '{printed}'")
    (hint,) = after_shell(cli).document["hints"]
    assert (hint["format"], hint["style"], hint["text"], hint["taken"]) == (form, style, text, False)
    (pending,) = cli("hints", "--format", "json").document
    assert (pending["format"], pending["style"], pending["text"]) == (form, style, text)


@pytest.mark.parametrize("printed", ["", " \\n \\n", "md|", "ok|"])
def test_nothing_printed_is_no_hint(cli, project, printed):
    manifest = hinting(project, script=f"printf '{printed}'")
    ended = after_shell(cli)
    assert (the_outcome(ended)["status"], ended.document["hints"]) == ("ran", [])
    assert cli("hints").stdout == ""
    (manifest.parent / "hook.sh").write_text(f"printf '{printed}x'")
    assert len(after_shell(cli).document["hints"]) == 1


def test_control_characters_stay_in_a_hint_and_are_harmless_on_a_terminal(cli, project):
    hinting(project, script=r"printf 'md|\033[31mred\r\nblue'")
    after(cli, "x")
    (pending,) = cli("hints", "--peek", "--format", "json").document
    assert pending["text"] == "\x1b[31mred\r\nblue"
    assert cli("hints").stdout == "\\x1b[31mred\\r\nblue\n"


def test_emit_with_hints_prints_them_and_they_count_as_taken(cli, project):
    hinting(project)
    assert after(cli, "a", "--hints").stdout.endswith("\n\na\n")
    assert cli("hints").stdout == ""
    (hint,) = json.loads(after(cli, "b", "--hints", "--format", "json").stdout)["hints"]
    assert (hint["text"], hint["taken"]) == ("b", True)
    assert cli("hints").stdout == ""


@pytest.mark.parametrize("unusable", ["folder", "database"])
def test_emit_prints_the_hint_that_the_store_cannot_keep(cli, project, tmp_path, unusable):
    hinting(project, script="echo a hint")
    state = tmp_path / "state"
    if unusable == "folder":
        state.write_text("")
    else:
        (state / "hookrun/state.sqlite3").mkdir(mode=0o700, parents=True)
    ended = cli("emit", "post", "--tool", "Shell", "--hints", env={"XDG_STATE_HOME": str(state)})
    assert ended.code == 0
    assert ended.stdout.endswith("\n\na hint\n")
    assert ended.stdout.count("a hint") == 1
    assert "hints cannot be stored" in ended.stderr


def test_hints_belong_to_their_session(cli, project):
    hinting(project)
    after(cli, "of s", "--session", "s")
    after(cli, "of the project")
    assert cli("hints", "--session", "t").stdout == ""
    assert cli("hints", "--all", "--peek").stdout.splitlines() == ["of s", "of the project"]
    assert cli("hints").stdout == "of the project\n"
    assert cli("hints", "--session", "s").stdout == "of s\n"
    assert cli("hints", "--all").stdout == ""


def test_old_hints_expire(cli, project):
    hinting(project)
    config = project.path / ".hookrun/config.yaml"
    config.write_text("limits: {hint_seconds: 0.001}\n")
    after(cli, "a")
    assert cli("hints").stdout == ""
    config.write_text("limits: {hint_seconds: 600}\n")
    after(cli, "a")
    assert cli("hints").stdout == "a\n"


def test_a_hint_of_a_trigger_that_fails_is_none_and_the_failure_is_shown(cli, project):
    manifest = hinting(project, script="echo x\nexit 2\n")
    ended = after_shell(cli)
    assert (the_outcome(ended)["status"], ended.document["hints"], ended.code) == ("failed", [], 0)
    assert "exit 2" in cli("emit", "post", "--tool", "Shell").stderr
    (manifest.parent / "hook.sh").write_text("echo x\n")
    assert len(after_shell(cli).document["hints"]) == 1


def test_hints_that_cannot_be_kept_are_said_and_the_event_is_decided(cli, project, tmp_path):
    hinting(project)
    (tmp_path / "file").write_text("")
    ended = after_shell(cli, env={"XDG_STATE_HOME": str(tmp_path / "file")})
    assert ended.code == 0
    assert len(ended.document["hints"]) == 1
    assert "hints cannot be stored" in problems_of(ended)
    assert "hints cannot be stored" not in problems_of(after_shell(cli))


@pytest.fixture
def xbot(project):
    """The plugins of an xbot user, as they are."""
    shutil.copytree(FIXTURES / "xbot", project.path / ".xbot/plugins")


@pytest.mark.parametrize("tool", ["FileReplace", "FileEdit", "FileCreate", "Write", "Edit"])
def test_an_xbot_plugin_shows_its_diff_unchanged(cli, project, xbot, tool):
    given = EDIT if tool not in ("Write", "Edit") else EDIT.replace("path", "file_path")
    fired = cli("emit", "PostToolUse", "--tool", tool, "--input", given, "--format", "json")
    assert (fired.code, fired.document["problems"]) == (0, [])
    (hint,) = fired.document["hints"]
    assert (hint["format"], hint["text"]) == ("md", DIFF)
    assert cli("hints").stdout == DIFF + "\n"
    assert cli("hints").stdout == ""


def test_an_xbot_plugin_is_not_run_for_other_tools_and_events(cli, project, xbot):
    for words in (("PostToolUse", "--tool", "Read"), ("PreToolUse", "--tool", "FileReplace")):
        fired = cli("emit", *words, "--input", EDIT, "--format", "json")
        assert (fired.code, fired.document["outcomes"]) == (0, [])


def test_an_xbot_widget_in_camel_case_is_shown_and_what_is_not_run_is_listed(cli, project, xbot):
    shown = cli("widgets", "--slot", "infoBar", "--format", "json")
    (widget,) = shown.document
    assert (widget["text"], widget["style"]) == ("branch of project", "ok")
    listed = cli("list", "--format", "json")
    assert (listed.code, listed.document["problems"]) == (0, [])
    (skip,) = listed.document["skipped"]
    assert (skip["path"], skip["reason"]) == (
        str(project.path / ".xbot/plugins/status/plugin.json"),
        "contributes.web is listed only: hookrun does not run it",
    )
    assert cli("validate").code == 0


WRITERS = 8
READERS = 2
EMITS = 320


def test_of_320_emits_at_once_every_hint_is_read_exactly_once(cli, project):
    hinting(project)
    share = EMITS // WRITERS

    def write(first):  # each has a call id of its own, which is its command as well
        names = [f"c{number}" for number in range(first, first + share)]
        return [after(cli, name, "--call-id", name) for name in names]

    def read():
        found, is_last = [], False
        while not is_last:
            is_last = over.wait(0.05)
            done = cli("hints", "--format", "json")
            assert done.code == 0
            found += documents(done.stdout)
        return found

    over = Event()
    with ThreadPoolExecutor(WRITERS + READERS) as pool:
        readers = [pool.submit(read) for _ in range(READERS)]
        try:
            emits = [done for part in pool.map(write, range(0, EMITS, share)) for done in part]
        finally:
            over.set()
        hints = [hint for reader in readers for hint in reader.result()]
    told = "".join(done.stdout + done.stderr for done in emits)
    assert told.count("1 tool hint waits") == EMITS
    assert "warning" not in told
    assert Counter(hint["call_id"] for hint in hints) == {f"c{number}": 1 for number in range(EMITS)}
    assert all(hint["text"] == hint["call_id"] for hint in hints)


def documents(text):
    """All that is in the JSON lists that follow each other in *text*."""
    decoder = json.JSONDecoder()
    found = []
    while text := text.lstrip():
        part, end = decoder.raw_decode(text)
        found += part
        text = text[end:]
    return found
