"""``ctx.ui`` on the terminal: lines and questions, one question at a time."""

from __future__ import annotations

import time
from functools import partial
from types import MappingProxyType

from hookrun.config.config import environment
from hookrun.model.constants import STYLES
from hookrun.model.errors import HookrunError
from hookrun.model.text import painted
from hookrun.modules.ui.asking import is_withdrawn
from hookrun.modules.ui.interface import UserInterface
from hookrun.modules.ui.terminal import TICK, controlling_terminal
from hookrun.modules.ui.terminal_text import StatusLine, chosen_options, in_one_line, painted_only

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeVar

    from hookrun.modules.ui.terminal import Terminal

    _Value = TypeVar("_Value")

_STYLE_BY_LEVEL = {"info": "info", "warning": "warn", "error": "err"}
_NO = ("", "0", "false")
_PATIENCE = 1.0  # seconds in which a terminal that was stopped (Ctrl-S) must take a line


def open_terminal(
    environ: Mapping[str, str] | None = None, *, waits: Callable[[bool], object] | None = None
) -> TerminalInterface | None:
    """Return a UI on the controlling terminal, whatever stdin and stdout are; the caller closes it.

    None without such a terminal, while another program has it (in the background, under a full-screen
    agent), and where CI is set: nobody would answer. *environ* replaces the process environment; *waits*
    is called with True when a person is asked and with False after the answer.
    """
    environ = environment() if environ is None else environ
    if environ.get("CI", "").lower() not in _NO:
        return None
    terminal = controlling_terminal()
    return TerminalInterface(terminal, environ, waits) if terminal is not None else None


class TerminalInterface(UserInterface):
    """A person at the terminal. May be used from many threads; what is shown while a question stands open
    appears after its answer.

    Texts may hold the colours of ``theme``; every other control character is spelled out.
    """

    def __init__(
        self, terminal: Terminal, environ: Mapping[str, str], waits: Callable[[bool], object] | None = None
    ) -> None:
        from threading import Lock

        self._terminal = terminal
        self._environ = environ
        self._waits = waits
        self._has_colour = not environ.get("NO_COLOR") and environ.get("TERM", "") not in ("", "dumb")
        self._question_lock = Lock()
        self._output_lock = Lock()
        self._lines_after_question: list[str] = []
        self._asked_at: float | None = None  # while a question stands open
        self._seconds_waited = 0.0
        self._status = StatusLine()
        self._status_shown = ""
        self._editor_text = ""
        self._is_closed = False

    def select(self, title: str, options: Sequence[str]) -> str | None:
        """Show a numbered list; the person types a number, or the beginning of just one option. An empty
        line, Ctrl-C and Ctrl-D choose nothing."""
        options = tuple(options)
        return self._ask(lambda: self._select(title, options), None) if options else None

    def confirm(self, title: str, message: str = "") -> bool:
        """Ask for y or yes; everything else is no."""
        return self._ask(lambda: self._confirm(title, message), False)

    def input(self, title: str, placeholder: str = "") -> str | None:
        """Ask for a line; Ctrl-C and Ctrl-D give None. *placeholder* is shown beside the title."""
        return self._ask(lambda: self._input(title, placeholder), None)

    def editor(self, title: str, prefill: str = "") -> str | None:
        """Open *prefill* in $VISUAL, $EDITOR or vi. None when that fails, or is empty and was so before."""
        return self._ask(lambda: self._edit(title, prefill), None)

    def notify(self, message: str, level: str = "info") -> None:
        """Print *message* behind its level."""
        label = self._painted(f"{level}:", _STYLE_BY_LEVEL.get(level, ""))
        self._print(f"{label} {message}")

    def set_status(self, key: str, text: str | None) -> None:
        """Print the status line, cut to the terminal's width, when this changes it."""
        with self._output_lock:
            self._status.set(key, text)
            line = self._status.text(self._terminal.width())
            if line != self._status_shown:
                self._status_shown = line
                if line:
                    self._print_locked(self._painted(line, "dim"))

    def custom(self, factory: Callable[[UserInterface], _Value]) -> _Value | None:
        """Return what *factory* makes of this interface."""
        return factory(self)

    def set_editor_text(self, text: str) -> None:
        """Keep *text*; a terminal has no place where the next prompt is written."""
        self._editor_text = text

    def get_editor_text(self) -> str:
        """Return the text that was set last."""
        return self._editor_text

    @property
    def theme(self) -> Mapping[str, Callable[[str], str]]:
        """For each style the function that colours a text; without colours they return it unchanged."""
        if not self._has_colour:
            return super().theme
        return MappingProxyType({style: partial(painted, style=style) for style in STYLES})

    @property
    def seconds_waited(self) -> float:
        """The seconds during which a question stood open, an open one until now included."""
        with self._output_lock:
            since = 0.0 if self._asked_at is None else time.monotonic() - self._asked_at
            return self._seconds_waited + since

    def close(self) -> None:
        """End the question that stands open, if any, and let go of the terminal. Safe to call twice."""
        was_closed, self._is_closed = self._is_closed, True
        if not was_closed:
            with self._question_lock, self._output_lock:
                self._terminal.close()

    def _select(self, title: str, options: Sequence[str]) -> str | None:
        self._say(self._painted(title, "accent"))
        digits = len(str(len(options)))
        for number, option in enumerate(options, 1):
            self._say(f"  {number:>{digits}}. {in_one_line(option)}")
        prompt = "number or beginning (empty for none): "
        while typed := (self._terminal.ask(prompt, self._is_over) or "").strip():
            found = chosen_options(typed, options)
            if len(found) == 1:
                return found[0]
            self._say("  more than one option begins with this" if found else "  no option matches")
        return None

    def _confirm(self, title: str, message: str) -> bool:
        self._say(self._painted(title, "accent"))
        if message:
            self._say(message)
        typed = self._terminal.ask("[y/N] ", self._is_over) or ""
        return typed.strip().lower() in ("y", "yes")

    def _input(self, title: str, placeholder: str) -> str | None:
        shown = f" ({in_one_line(placeholder)})" if placeholder else ""
        self._say(f"{self._painted(title, 'accent')}{self._painted(shown, 'dim')}")
        return self._terminal.ask("> ", self._is_over)

    def _edit(self, title: str, prefill: str) -> str | None:
        from hookrun.modules.ui.text_editor import edit

        self._say(self._painted(title, "accent"))
        try:
            return edit(prefill, self._terminal, self._environ, self._is_over)
        except HookrunError as error:
            self.notify(": ".join(part for part in (error.where, error.message) if part), "error")
            return None

    def _ask(self, dialogue: Callable[[], _Value], otherwise: _Value) -> _Value:
        """Return what *dialogue* comes to when it is its turn; *otherwise* when nobody can be asked."""
        while not self._question_lock.acquire(timeout=TICK):
            if self._is_over():
                return otherwise
        try:
            if self._is_over() or not self._terminal.is_ours():
                return otherwise
            try:
                self._begin_question()
                return dialogue()
            except OSError:  # the terminal is gone, or did not show what is asked
                return otherwise
            finally:
                self._end_question()
        finally:
            self._question_lock.release()

    def _begin_question(self) -> None:
        with self._output_lock:
            self._asked_at = time.monotonic()
        if self._waits is not None:
            self._waits(True)

    def _end_question(self) -> None:
        if self._waits is not None:
            self._waits(False)
        with self._output_lock:
            if self._asked_at is not None:
                self._seconds_waited += time.monotonic() - self._asked_at
                self._asked_at = None
            lines, self._lines_after_question = self._lines_after_question, []
            for line in lines:
                self._print_locked(line)

    def _is_over(self) -> bool:
        return self._is_closed or is_withdrawn()

    def _print(self, line: str) -> None:
        with self._output_lock:
            self._print_locked(line)

    def _print_locked(self, line: str) -> None:
        if self._asked_at is not None:
            self._lines_after_question.append(line)
        elif not self._is_closed:
            give_up_at = time.monotonic() + _PATIENCE
            text = painted_only(f"{line}\n", has_colour=self._has_colour)
            try:
                self._terminal.write(text, lambda: time.monotonic() > give_up_at)
            except OSError:
                pass

    def _say(self, line: str) -> None:
        """Print a part of the question that stands open. Raises OSError when it cannot be shown."""
        text = painted_only(f"{line}\n", has_colour=self._has_colour)
        self._terminal.write(text, self._is_over)

    def _painted(self, text: str, style: str) -> str:
        return painted(text, style) if self._has_colour else text
