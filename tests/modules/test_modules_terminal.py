"""A person at a real terminal is asked and told."""

from __future__ import annotations

import os
import signal
import termios
import time

import pytest
from terminals import CHOOSE, CTRL_C, CTRL_D, LINE, MENDED, YES_OR_NO, asking, children, starting

start = pytest.fixture(starting)


@pytest.mark.parametrize(
    ("typed", "chosen"),
    [
        (["2\n"], "Main"),
        (["fea\n"], "feature/login"),
        (["FEATURE/\n"], "feature/login"),
        (["main\n"], "main"),
        (["M\n"], "Main"),
        (["  1 \n"], "feature/login"),
        (["fix\n"], "fix"),
        (["f\n", "fix-\n"], "fix-2"),
        (["nothing\n", "0\n", "9\n", "4\n"], "fix"),
        (["\n"], None),
        (["nothing\n", "\n"], None),
        ([CTRL_C], None),
        (["fix" + CTRL_C], None),
        ([CTRL_D], None),
    ],
)
def test_a_number_or_a_beginning_chooses_an_option(start, typed: list[str], chosen: str | None):
    screen = start(asking('select("Which branch?", ["feature/login", "Main", "main", "fix", "fix-2"])'))
    screen.wait_for("Which branch?\n  1. feature/login\n  2. Main\n")
    for keys in typed:
        screen.answer(CHOOSE, keys)
    assert screen.result() == chosen


def test_a_beginning_of_several_and_of_none_is_told_and_asked_again(start):
    screen = start(asking('select("Which?", ["one", "onto", "two"])'))
    screen.answer(CHOOSE, "on\n")
    screen.wait_for("more than one option begins with this")
    screen.answer(CHOOSE, "three\n")
    screen.wait_for("no option matches")
    screen.answer(CHOOSE, "one\n")
    assert screen.result() == "one"


def test_nothing_to_choose_from_is_not_asked(start):
    screen = start(asking('select("Which?", [])'))
    assert screen.result() is None
    assert screen.shown == ""


@pytest.mark.parametrize(
    ("typed", "is_yes"),
    [
        ("y\n", True),
        (" YES \n", True),
        ("n\n", False),
        ("\n", False),
        ("yellow\n", False),
        (CTRL_C, False),
        ("y" + CTRL_C, False),
        (CTRL_D, False),
    ],
)
def test_only_yes_confirms(start, typed: str, is_yes: bool):
    screen = start(asking('confirm("Dangerous command", "Allow: rm -rf build")'))
    screen.wait_for("Dangerous command\nAllow: rm -rf build\n")
    screen.answer(YES_OR_NO, typed)
    assert screen.result() is is_yes


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("Zoë 日本\n", "Zoë 日本"),
        ("  blanks stay \n", "  blanks stay "),
        ("\n", ""),
        ("typo\x7f\x7fed\n", "tyed"),
        ("a\x1b[D\x1b[1;5Cb\x1bOAc\x1bd\x01\n", "abc"),
        ("no newline" + CTRL_D + CTRL_D, "no newline"),
        ("in two" + CTRL_D + " parts\n", "in two parts"),
        (CTRL_D, None),
        (CTRL_C, None),
        ("half a line" + CTRL_C, None),
    ],
)
def test_a_line_is_what_was_typed_without_keys_that_are_no_text(start, typed: str, line: str | None):
    screen = start(asking('input("Name", "as in git config")'))
    screen.wait_for("Name (as in git config)\n")
    screen.answer(LINE, typed)
    assert screen.result() == line


def test_what_was_typed_before_the_question_does_not_answer_it(start):
    screen = start(
        """
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
        ui = open_terminal()
        ui.notify("working")
        signal.sigwait([signal.SIGUSR1])
        answer = ui.confirm("Sure?")
        """
    )
    screen.answer("working\n", "y\n")
    screen.wait_for("y\n")  # the echo: it has arrived
    os.kill(screen.pid, signal.SIGUSR1)
    screen.answer(YES_OR_NO, "n\n")
    assert screen.result() is False


@pytest.mark.parametrize("keys", ["y\n", CTRL_C, CTRL_D])
def test_the_terminal_is_afterwards_as_it_was(start, keys: str):
    screen = start(asking('confirm("Sure?")'))
    before = screen.modes()
    screen.wait_for(YES_OR_NO)
    assert screen.modes() != before
    screen.type(keys)
    screen.result()
    assert screen.modes() == before


def test_the_terminal_is_as_it_was_after_an_interrupt(start):
    screen = start(
        """
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        ui = open_terminal()
        try:
            ui.confirm("Sure?")
        except KeyboardInterrupt:
            answer = "interrupted"
        """
    )
    before = screen.modes()
    screen.wait_for(YES_OR_NO)
    os.kill(screen.pid, signal.SIGTERM)
    assert screen.result() == "interrupted"
    assert screen.modes() == before


def test_a_terminal_is_mended_when_a_fork_was_killed_while_it_asked(start):
    screen = start(MENDED.replace("QUESTION", 'confirm("Sure?")'))
    before = screen.modes()
    screen.wait_for(YES_OR_NO)
    (child,) = children(screen.pid)
    os.kill(child, signal.SIGKILL)
    screen.wait_until_told()
    assert screen.modes() != before
    os.kill(screen.pid, signal.SIGUSR1)
    screen.answer(YES_OR_NO, "y\n")
    assert screen.result() is True
    assert screen.modes() == before


def test_a_terminal_that_is_well_is_not_mended(start):
    screen = start(
        """
        from hookrun.modules.ui.terminal import mend_terminal
        mend_terminal()
        answer = os.tcgetpgrp(os.open("/dev/tty", os.O_RDWR)) == os.getpgrp()
        """
    )
    before = screen.modes()
    assert screen.result() is True
    assert screen.modes() == before


def test_nothing_is_mended_without_a_terminal(start):
    program = "from hookrun.modules.ui.terminal import mend_terminal; answer = mend_terminal()"
    assert start(program, terminal=False).result() is None


def test_questions_of_several_threads_come_one_at_a_time(start):
    screen = start(
        """
        ui = open_terminal()
        answer = {}
        def ask(name):
            answer[name] = ui.input(f"Question {name}")
        threads = [threading.Thread(target=ask, args=[name]) for name in "abc"]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        """
    )
    for count in (1, 2, 3):
        screen.wait_for(LINE)
        assert screen.shown.count("Question") == count
        screen.type(f"to {screen.shown[screen.shown.rindex('Question ') + 9]}\n")
    assert screen.result() == {"a": "to a", "b": "to b", "c": "to c"}


def test_what_is_told_during_a_question_is_shown_after_its_answer(start):
    screen = start(
        """
        ui = open_terminal()
        def show():
            while not ui.seconds_waited: time.sleep(0.01)
            ui.notify("from elsewhere")
            ui.set_status("build", "green")
            ui.notify("shown")
            tell()
        thread = threading.Thread(target=show)
        thread.start()
        answer = ui.confirm("Sure?")
        thread.join()
        """
    )
    screen.wait_for(YES_OR_NO)
    screen.wait_until_told()
    screen.type("y\n")
    assert screen.result() is True
    assert screen.shown == "Sure?\n[y/N] y\ninfo: from elsewhere\ngreen\ninfo: shown\n"


def test_the_time_of_questions_is_counted_and_no_other(start):
    screen = start(
        """
        ui = open_terminal()
        time.sleep(0.5)
        answer = [ui.seconds_waited]
        began = time.monotonic()
        ui.confirm("Sure?")
        answer += [ui.seconds_waited, time.monotonic() - began]
        """
    )
    screen.wait_for(YES_OR_NO)
    time.sleep(0.3)
    screen.type("y\n")
    before, waited, elapsed = screen.result()
    assert before == 0
    assert 0.3 <= waited <= elapsed


def test_whoever_counts_is_told_when_a_person_is_asked_and_has_answered(start):
    screen = start(
        """
        answer = []
        ui = open_terminal(waits=answer.append)
        ui.notify("not a question")
        answer += [ui.confirm("Sure?"), ui.custom(lambda ui: "not a question"), ui.select("Which?", ["a"])]
        """
    )
    screen.answer(YES_OR_NO, CTRL_C)
    screen.answer(CHOOSE, "a\n")
    assert screen.result() == [True, False, True, False, False, "not a question", "a"]


def test_a_cancelled_question_is_withdrawn_and_the_next_one_asked(start):
    screen = start(
        """
        async def main():
            ui = AsyncInterface(open_terminal())
            task = asyncio.create_task(ui.confirm("First?"))
            await asyncio.to_thread(signal.sigwait, [signal.SIGUSR1])
            task.cancel()
            (first,) = await asyncio.gather(task, return_exceptions=True)
            return [type(first).__name__, await ui.confirm("Second?")]
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
        answer = asyncio.run(main())
        """
    )
    before = screen.modes()
    screen.wait_for(YES_OR_NO)
    os.kill(screen.pid, signal.SIGUSR1)
    screen.wait_for("Second?")
    screen.answer(YES_OR_NO, "y\n")
    assert screen.result() == ["CancelledError", True]
    assert screen.modes() == before


def test_the_loop_goes_on_while_an_async_handler_asks(start):
    screen = start(
        """
        async def main():
            ui = AsyncInterface(open_terminal())
            task = asyncio.create_task(ui.input("Name"))
            await asyncio.sleep(0.1)
            tell()
            return await task
        answer = asyncio.run(main())
        """
    )
    screen.wait_for(LINE)
    screen.wait_until_told()
    screen.type("Ada\n")
    assert screen.result() == "Ada"


def test_closing_ends_an_open_question_and_all_later_ones(start):
    screen = start(
        """
        ui = open_terminal()
        def close():
            while not ui.seconds_waited: time.sleep(0.01)
            ui.close()
        thread = threading.Thread(target=close)
        thread.start()
        answer = [ui.input("Name"), ui.input("Again"), ui.confirm("Sure?")]
        thread.join()
        ui.close()
        """
    )
    before = screen.modes()
    assert screen.result() == [None, None, False]
    assert "Again" not in screen.shown
    assert screen.modes() == before


def test_a_terminal_that_hangs_up_answers_nothing(start):
    screen = start("signal.signal(signal.SIGHUP, signal.SIG_IGN)\n" + asking('input("Name")'))
    screen.wait_for(LINE)
    screen.hang_up()
    assert screen.result() is None


def test_escape_sequences_of_texts_do_not_act(start):
    evil = r"\x1b]0;title\x07\x1b[2J\x9b1A\x1b[31m\r"
    screen = start(
        f"""
        ui = open_terminal()
        ui.notify("message {evil}", "level {evil}")
        ui.set_status("key", "status {evil}")
        answer = [
            ui.select("select {evil}", ["option {evil}\\nin two lines"]),
            ui.confirm("confirm {evil}", "message {evil}"),
            ui.input("input {evil}", "placeholder {evil}"),
        ]
        """
    )
    screen.answer(CHOOSE, "1\n")
    screen.answer(YES_OR_NO, "y\n")
    screen.answer(LINE, "line\n")
    assert screen.result() == [evil_text("option ", evil) + "\nin two lines", True, "line"]
    assert not set(screen.shown) & set("\x1b\x07\x9b\r")
    assert r"confirm \x1b]0;title\x07\x1b[2J\x9b1A" in screen.shown
    assert r"  1. option \x1b]0;title\x07\x1b[2J\x9b1A\r\nin two lines" in screen.shown


def test_colours_of_the_theme_are_shown_and_end_with_the_text(start):
    screen = start(
        r"""
        ui = open_terminal()
        ui.notify(ui.theme["ok"]("green") + "\x1b[8mhidden")
        ui.notify("\x1b[31mnever ended", "warning")
        ui.set_status("build", ui.theme["err"]("broken"))
        answer = [sorted(ui.theme), ui.confirm("Sure?")]
        """,
        NO_COLOR="",
    )
    screen.answer(YES_OR_NO, "y\n")
    assert screen.result() == [["accent", "dim", "err", "info", "ok", "warn"], True]
    assert "\x1b[36minfo:\x1b[0m \x1b[32mgreen\x1b[0m\\x1b[8mhidden\n" in screen.shown
    assert "\x1b[33mwarning:\x1b[0m \x1b[31mnever ended\n\x1b[0m" in screen.shown
    assert "\x1b[2mbroken\x1b[0m\n" in screen.shown


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"NO_COLOR": "", "TERM": "dumb"}])
def test_without_colours_the_theme_changes_nothing(start, env: dict[str, str]):
    screen = start(
        """
        ui = open_terminal()
        ui.notify("the build is " + ui.theme["ok"]("green"), "error")
        answer = None
        """,
        **env,
    )
    screen.result()
    assert screen.shown == "error: the build is green\n"


def test_the_status_line_is_printed_when_it_changes_and_cut_to_the_width(start):
    screen = start(
        """
        import struct
        ui = open_terminal()
        fcntl.ioctl(os.open("/dev/tty", os.O_RDWR), termios.TIOCSWINSZ, struct.pack("HHHH", 24, 16, 0, 0))
        ui.set_status("b", "tests\\tok")
        ui.set_status("b", "tests ok")
        ui.set_status("a", "main")
        for key, text in [("c", "long text"), ("c", None), ("a", None), ("b", None)]:
            ui.set_status(key, text)
        ui.set_status("b", "again")
        answer = None
        """
    )
    screen.result()
    assert screen.shown.splitlines() == [
        "tests ok",
        "main  tests ok",
        "main  tests ok …",
        "main  tests ok",
        "tests ok",
        "again",
    ]


def test_telling_a_stopped_terminal_does_not_hang(start):
    screen = start(
        """
        ui = open_terminal()
        ui.confirm("Stopped?")
        ui.notify("not shown")
        tell()
        answer = ui.confirm("Still?")
        """
    )
    screen.wait_for(YES_OR_NO)
    termios.tcflow(screen.terminal, termios.TCOOFF)
    screen.type("y\n")
    screen.wait_until_told()
    termios.tcflow(screen.terminal, termios.TCOON)
    screen.wait_for("Still?")
    screen.answer(YES_OR_NO, "y\n")
    assert screen.result() is True
    assert "not shown" not in screen.shown


def test_a_factory_gets_the_interface_and_its_value_is_returned(start):
    screen = start(asking('custom(lambda ui: ["made of", ui.input("Parts")])'))
    screen.answer(LINE, "wood\n")
    assert screen.result() == ["made of", "wood"]


def test_the_editor_text_is_kept(start):
    screen = start(
        """
        ui = open_terminal()
        answer = [ui.get_editor_text()]
        ui.set_editor_text("next prompt")
        answer.append(ui.get_editor_text())
        """
    )
    assert screen.result() == ["", "next prompt"]


IS_OPENED = "answer = open_terminal() is not None"


@pytest.mark.parametrize(("value", "is_opened"), [("", True), ("false", True), ("0", True), ("true", False)])
def test_nobody_is_asked_in_continuous_integration(start, value: str, is_opened: bool):
    assert start(IS_OPENED, CI=value).result() is is_opened


@pytest.mark.parametrize("has_terminal", [True, False])
def test_without_a_controlling_terminal_there_is_no_interface(start, has_terminal: bool):
    assert start(IS_OPENED, terminal=has_terminal).result() is has_terminal


def test_a_process_in_the_background_does_not_ask(start):
    screen = start(
        """
        before = open_terminal()
        read, write = os.pipe()
        if not os.fork():
            os.setpgid(0, 0)
            os.write(write, json.dumps([open_terminal() is not None, before.confirm("Sure?")]).encode())
            os._exit(0)
        answer = [json.loads(os.read(read, 1000)), before.confirm("In front?")]
        """
    )
    screen.wait_for("In front?")
    screen.answer(YES_OR_NO, "y\n")
    assert screen.result() == [[False, False], True]
    assert "Sure?" not in screen.shown


def test_a_terminal_that_a_full_screen_program_has_is_left_alone(start):
    screen = start(
        """
        import tty
        ui, own = open_terminal(), os.open("/dev/tty", os.O_RDWR)
        modes = termios.tcgetattr(own)
        tty.setraw(own)
        answer = [open_terminal() is not None, ui.confirm("Sure?")]
        termios.tcsetattr(own, termios.TCSANOW, modes)
        answer.append(ui.confirm("In lines?"))
        """
    )
    screen.wait_for("In lines?")
    screen.answer(YES_OR_NO, "y\n")
    assert screen.result() == [False, False, True]
    assert "Sure?" not in screen.shown


def evil_text(before: str, escaped: str) -> str:
    return before + escaped.encode().decode("unicode_escape")
