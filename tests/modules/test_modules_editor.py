"""A person's editor at a real terminal."""

from __future__ import annotations

import os
import signal
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from terminals import CTRL_C, MENDED, YES_OR_NO, asking, children, starting
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import Callable

start = pytest.fixture(starting)


@pytest.fixture
def editor(tmp_path: Path) -> Callable[[str], str]:
    """Write an editor of a few lines of shell, whose file is $1, and return its path."""

    def write(script: str) -> str:
        path = tmp_path / "editor.sh"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return str(path)

    return write


@pytest.mark.parametrize(
    ("prefill", "script", "edited"),
    [
        ("draft", 'echo " more" >> "$1"', "draft more"),
        ("draft\n", 'echo more >> "$1"', "draft\nmore\n"),
        ("draft", ":", "draft"),
        ("draft", ': > "$1"', ""),
        ("", 'printf "Zo\\303\\253\\n" > "$1"', "Zoë"),
        ("", ":", None),
        ("draft", 'echo lost > "$1"; exit 1', None),
        ("draft", 'rm "$1"', None),
        ("draft", 'echo "renamed" > "$1.new"; mv "$1.new" "$1"; : > "$1~"', "renamed"),
        ("draft", 'kill -STOP $$; echo " on" >> "$1"', "draft on"),
        ("draft", "kill -TERM $$", None),
    ],
)
def test_an_editor_gives_the_text_as_the_person_left_it(start, editor, tmp_path, prefill, script, edited):
    screen = start(asking(f'editor("Message", {prefill!r})'), EDITOR=editor(script))
    screen.wait_for("Message\n")
    assert screen.result() == edited
    assert list(tmp_path.glob("hookrun-*/*")) == []


def test_an_editor_works_on_a_file_that_nobody_else_can_read(start, editor):
    script = 'stat -c %a "$1" "$(dirname "$1")" > "$1"'
    screen = start(asking('editor("Message", "x")'), EDITOR=editor(script))
    assert screen.result() == f"{stat.S_IRUSR | stat.S_IWUSR:o}\n{stat.S_IRWXU:o}"


def test_an_editor_has_the_terminal_and_its_ctrl_c_is_its_own(start, editor):
    script = """
        trap 'echo " interrupted" >> "$1"; exit 0' INT
        until [ "$(cut -d ' ' -f 8 /proc/$$/stat)" = $$ ]; do :; done  # it is in the foreground
        printf 'edit: '
        read line
        exit 1
    """
    screen = start(asking('editor("Message", "text")'), EDITOR=editor(script))
    before = screen.modes()
    screen.answer("edit: ", CTRL_C)
    assert screen.result() == "text interrupted"
    assert screen.modes() == before


def test_an_editor_reads_from_the_terminal_and_leaves_it_as_it_was(start, editor):
    script = 'stty raw -echo; printf "key: "; dd bs=1 count=1 2>/dev/null > "$1"'
    screen = start(asking('editor("Message", "text")') + "\nui = open_terminal()", EDITOR=editor(script))
    before = screen.modes()
    screen.answer("key: ", "k")
    assert screen.result() == "k"
    assert screen.modes() == before


def test_the_question_after_an_editor_is_asked(start, editor):
    screen = start(
        """
        ui = open_terminal()
        answer = [ui.editor("Message", "x"), ui.confirm("Sure?")]
        """,
        EDITOR=editor(":"),
    )
    screen.answer(YES_OR_NO, "y\n")
    assert screen.result() == ["x", True]


def test_visual_comes_before_editor_and_may_have_arguments(start, editor):
    path = editor('printf "%s" "$1" > "$2"')
    screen = start(asking('editor("Message")'), EDITOR="false", VISUAL=f"{path} 'two words'")
    assert screen.result() == "two words"


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("no-such-editor --wait", "error: $EDITOR: editor 'no-such-editor' not found\n"),
        ("/no/such/editor", "error: /no/such/editor: cannot start the editor: "),
        ("vi 'unfinished", "error: $EDITOR: not a valid command line: "),
    ],
)
def test_an_editor_that_cannot_start_is_told(start, command: str, complaint: str):
    screen = start(asking('editor("Message", "x")'), EDITOR=command)
    assert screen.result() is None
    assert complaint in screen.shown


def test_a_text_without_a_place_for_its_file_is_told(start, editor, tmp_path):
    (tmp_path / "file").write_text("")
    screen = start(asking('editor("Message", "x")'), EDITOR=editor(":"), TMPDIR=str(tmp_path / "file"))
    assert screen.result() is None
    assert "cannot create a file for the editor" in screen.shown


def test_an_editor_is_ended_when_its_question_is_withdrawn(start, editor, tmp_path):
    screen = start(
        """
        async def main():
            ui = AsyncInterface(open_terminal())
            task = asyncio.create_task(ui.editor("Message", "x"))
            await asyncio.to_thread(signal.sigwait, [signal.SIGUSR1])
            task.cancel()
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
        asyncio.run(main())
        answer = "ended"
        """,
        EDITOR=editor("echo $$ editing; exec sleep 1000"),
    )
    screen.wait_for(" editing")
    (child,) = children(screen.pid)
    os.kill(screen.pid, signal.SIGUSR1)
    assert screen.result() == "ended"
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    assert list(tmp_path.glob("hookrun-*/*")) == []


def test_a_terminal_is_mended_when_a_fork_was_killed_with_its_editor(start, editor):
    script = "stty raw -echo; echo $$ editing; exec sleep 1000"
    screen = start(MENDED.replace("QUESTION", 'editor("Message")'), EDITOR=editor(script))
    before = screen.modes()
    screen.wait_for(" editing")
    (child,) = children(screen.pid)
    (in_editor,) = children(child)
    os.kill(child, signal.SIGKILL)
    os.kill(in_editor, signal.SIGKILL)
    screen.wait_until_told()
    assert screen.modes() != before
    eventually(lambda: not Path(f"/proc/{in_editor}").exists())
    os.kill(screen.pid, signal.SIGUSR1)
    screen.answer(YES_OR_NO, "y\n")
    assert screen.result() is True
    local_modes = 3
    assert screen.modes()[local_modes] == before[local_modes]
