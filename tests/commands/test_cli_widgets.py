"""`hookrun widgets`: by slot and priority, run only when old, for the current directory."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time

BAR = {"id": "bar", "slot": "infoBar"}
COUNTING = 'echo x >> "$XBOT_PROJECT_DIR/runs"; echo "ran $(grep -c x "$XBOT_PROJECT_DIR/runs")"\n'


def test_widgets_come_by_slot_and_priority(cli, project):
    project.manifest(
        "demo",
        script='echo "$XBOT_WIDGET_ID"\n',
        ui=[
            {"id": "late", "slot": "infoBar", "priority": 200},
            {"id": "foot", "slot": "footer"},
            {"id": "early", "slot": "infoBar", "priority": 10},
            {"id": "title", "slot": "titleBarLeft"},
            {"id": "hint", "slot": "toolHint", "sync": True},
        ],
    )
    shown = cli("widgets")
    assert shown.code == 0
    assert shown.stdout.split() == ["titleBarLeft", "title", "infoBar", "early", "late", "footer", "foot"]
    assert cli("widgets", "--slot", "infoBar").stdout == "early\nlate\n"


def test_a_tool_hint_is_no_slot_of_widgets(cli):
    assert cli("widgets", "--slot", "toolHint").code == 64


def test_a_fresh_text_is_not_fetched_again_and_an_old_one_is(cli, project):
    project.manifest("demo", script=COUNTING, ui=[BAR | {"refreshInterval": "1h"}])
    assert cli("widgets", "--slot", "infoBar").stdout == "ran 1\n"
    assert cli("widgets", "--slot", "infoBar").stdout == "ran 1\n"
    project.manifest("demo", script=COUNTING, ui=[BAR | {"refreshInterval": "1ms"}])
    assert cli("widgets", "--slot", "infoBar").stdout == "ran 2\n"


def test_the_cache_is_per_directory(cli, project):
    inner = project.path / "inner"
    inner.mkdir()
    project.manifest("demo", script='echo "$XBOT_WORK_DIR in $(pwd)"\n', ui=[BAR | {"refreshInterval": "1h"}])
    for folder in (project.path, inner, project.path):
        assert cli("widgets", "--slot", "infoBar", cwd=folder).stdout == f"{folder} in {folder}\n"


def test_a_trigger_refreshes_its_widget(cli, project):
    project.manifest("demo", script=COUNTING, ui=[BAR | {"refreshInterval": "1h", "triggers": ["PostToolUse:Shell"]}])
    assert cli("widgets", "--slot", "infoBar").stdout == "ran 1\n"
    assert cli("emit", "post", "--tool", "Shell").code == 0
    assert cli("widgets", "--slot", "infoBar").stdout == "ran 2\n"


def test_a_widget_runs_with_its_id_and_without_an_event(cli, project):
    project.manifest("demo", script='echo "$XBOT_WIDGET_ID/${XBOT_HOOK_EVENT-none}/${XBOT_TOOL_NAME-none}"\n', ui=[BAR])
    shown = cli("widgets", "--slot", "infoBar", env={"XBOT_HOOK_EVENT": "old", "XBOT_TOOL_NAME": "old"})
    assert shown.stdout == "bar/none/none\n"


def test_a_failing_widget_is_told_and_the_others_are_printed(cli, project):
    project.manifest(
        "demo",
        script='[ "$XBOT_WIDGET_ID" = bar ] || { echo broken >&2; exit 3; }; echo fine\n',
        ui=[BAR, {"id": "bad", "slot": "infoBar"}],
    )
    shown = cli("widgets", "--slot", "infoBar")
    assert shown.code == 1
    assert shown.stdout == "fine\n"
    assert "demo/bad: failed: exit 3; stderr: broken" in shown.stderr
    assert [each["widget"] for each in cli("widgets", "--format", "json").document] == ["bar"]


def test_old_widgets_run_at_the_same_time(cli, project):
    # Each waits for the other's file: one after the other neither would ever end.
    meet = 'touch "$XBOT_WIDGET_ID"; while [ ! -e left ] || [ ! -e right ]; do sleep 0.02; done; echo met\n'
    project.manifest("demo", script=meet, ui=[{"id": "left", "slot": "infoBar"}, {"id": "right", "slot": "infoBar"}])
    assert cli("widgets", "--slot", "infoBar").stdout == "met\nmet\n"


def test_more_widgets_than_may_run_at_once_all_run(cli, project):
    (project.path / ".hookrun").mkdir()
    (project.path / ".hookrun/config.yaml").write_text("limits: {process_hooks: 2}\n")
    widgets = [{"id": f"w{number}", "slot": "infoBar"} for number in range(5)]
    project.manifest("demo", script='echo "$XBOT_WIDGET_ID"\n', ui=widgets)
    assert cli("widgets", "--slot", "infoBar").stdout.split() == ["w0", "w1", "w2", "w3", "w4"]


def test_width_cuts_by_columns(cli, project):
    project.manifest("demo", script="echo 日本語です\n", ui=[BAR])
    assert cli("widgets", "--slot", "infoBar", "--width", "6").stdout == "日本…\n"
    assert cli("widgets", "--width", "6").stdout == "infoBar\n  日…\n"
    assert cli("widgets", "--slot", "infoBar", "--width", "10").stdout == "日本語です\n"
    assert cli("widgets", "--width", "0").code == 64


def test_json_has_text_style_and_age(cli, project):
    project.manifest("demo", script="echo 'warn|behind by 2'\n", ui=[BAR | {"priority": 7}])
    (shown,) = cli("widgets", "--format", "json").document
    assert (shown["slot"], shown["widget"], shown["plugin"], shown["priority"]) == ("infoBar", "bar", "demo", 7)
    assert (shown["text"], shown["style"], shown["format"]) == ("behind by 2", "warn", "text")
    assert 0 <= shown["age_ms"] < 60_000


def test_escape_sequences_are_made_harmless(cli, project):
    project.manifest("demo", script="printf 'red \\033[31m'\n", ui=[BAR])
    assert cli("widgets", "--slot", "infoBar").stdout == "red \\x1b[31m\n"


def test_a_style_is_a_colour_on_a_terminal_only(cli, project, user_environment):
    project.manifest("demo", script="echo 'ok|clean'\n", ui=[BAR])
    assert cli("widgets", "--slot", "infoBar").stdout == "clean\n"
    words = ("widgets", "--slot", "infoBar")
    assert on_a_terminal(words, project, user_environment) == "\x1b[32mclean\x1b[0m\r\n"
    assert on_a_terminal((*words, "--no-color"), project, user_environment) == "clean\r\n"
    assert on_a_terminal(words, project, user_environment | {"NO_COLOR": "1"}) == "clean\r\n"


def test_without_a_home_widgets_are_shown_and_not_kept(cli, project):
    project.manifest("demo", script=COUNTING, ui=[BAR | {"refreshInterval": "1h"}])
    (project.home / ".local").write_text("in the way")
    for run in (1, 2):
        shown = cli("widgets", "--slot", "infoBar")
        assert (shown.code, shown.stdout) == (0, f"ran {run}\n")
        assert "texts of widgets cannot be stored" in shown.stderr


def on_a_terminal(words, project, environment) -> str:
    """Return what the command prints when stdout is a terminal."""
    ours, theirs = pty.openpty()
    try:
        with subprocess.Popen(
            [sys.executable, "-m", "hookrun", *words],
            cwd=project.path,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=theirs,
        ) as process:
            assert process.wait(timeout=60) == 0
        printed = b""
        end = time.monotonic() + 10
        while not printed.endswith(b"\n") and time.monotonic() < end:
            printed += os.read(ours, 4096)
        return printed.decode()
    finally:
        os.close(ours)
        os.close(theirs)
