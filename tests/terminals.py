"""A program at a terminal of its own, and the person before it, for the tests of what asks there."""

from __future__ import annotations

import glob
import json
import os
import select
import signal
import subprocess
import sys
import termios
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

DEADLINE = 30.0  # seconds; only a hang takes so long
CTRL_C = "\x03"
CTRL_D = "\x04"
CHOOSE = "number or beginning (empty for none): "
YES_OR_NO = "[y/N] "
LINE = "> "

_OPENING = """
import asyncio, fcntl, json, os, signal, sys, termios, threading, time
if sys.argv[1:]:
    fcntl.ioctl(int(sys.argv[1]), termios.TIOCSCTTY, 0)
    os.close(int(sys.argv[1]))
from hookrun.modules.ui.terminal_ui import open_terminal
from hookrun.modules.ui.interface import AsyncInterface

def tell():
    open(os.path.join(os.environ["HOME"], "told"), "w").close()
"""

# A program whose fork asks a QUESTION and is killed; on SIGUSR1 it mends the terminal.
MENDED = """
from hookrun.modules.ui.terminal import mend_terminal
ui = open_terminal()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
child = os.fork()
if not child:
    ui.QUESTION
os.waitpid(child, 0)
tell()
signal.sigwait([signal.SIGUSR1])
mend_terminal()
mend_terminal()
answer = ui.confirm("Still there?")
"""


def starting(tmp_path: Path) -> Iterator[Callable[..., Screen]]:
    """A fixture: start programs at terminals of their own, without colours; end them after the test."""
    screens: list[Screen] = []

    def start(program: str, *, terminal: bool = True, **env: str) -> Screen:
        screens.append(Screen(program, tmp_path, {"NO_COLOR": "1", **env}, terminal=terminal))
        return screens[-1]

    yield start
    for screen in screens:
        screen.close()


def asking(question: str) -> str:
    """A program that asks one question, a call of a member of ``ui``."""
    return f"ui = open_terminal()\nanswer = ui.{question}\nui.close()"


class Screen:
    """A Python program whose controlling terminal this is: neither its stdin nor its stdout are.

    The program finds *open_terminal* imported, may *tell* the test that it got so far, and leaves what it
    found out in ``answer``.
    """

    def __init__(self, program: str, tmp_path: Path, env: Mapping[str, str], *, terminal: bool) -> None:
        self.shown = ""
        self._told = tmp_path / "told"
        self._seen = 0  # characters that were waited for already
        self._master, self.terminal = os.openpty()
        source = f"{_OPENING}{textwrap.dedent(program)}\nprint(json.dumps(answer))\n"
        self._program = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", source, *([str(self.terminal)] if terminal else [])],
            env={
                "PATH": os.environ.get("PATH", os.defpath),
                "PYTHONPATH": os.pathsep.join(sys.path),
                "HOME": str(tmp_path),
                "TMPDIR": str(tmp_path),
                "TERM": "xterm",
                **env,
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[self.terminal],
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """The program's process."""
        return self._program.pid

    def modes(self) -> list[Any]:
        """The modes of the terminal."""
        return termios.tcgetattr(self.terminal)

    def wait_for(self, text: str) -> None:
        """Read until *text* is shown, after what was waited for before."""
        end = time.monotonic() + DEADLINE
        while (place := self.shown.find(text, self._seen)) < 0:
            assert time.monotonic() < end, f"{text!r} is not in {self.shown!r}"
            ended = self._program.poll() is not None
            if not self._read(0.05) and ended:
                raise AssertionError(f"no {text!r} in {self.shown!r}; {self._program.communicate()}")
        self._seen = place + len(text)

    def type(self, keys: str) -> None:
        """Have the person press *keys*."""
        os.write(self._master, keys.encode())

    def answer(self, prompt: str, keys: str) -> None:
        """Have the person press *keys* when *prompt* is shown."""
        self.wait_for(prompt)
        self.type(keys)

    def wait_until_told(self) -> None:
        """Wait for the program's *tell*."""
        eventually(self._told.exists, lambda: self.shown)

    def hang_up(self) -> None:
        """Close the terminal's window."""
        os.close(self._master)
        self._master = -1

    def result(self) -> Any:
        """The program's ``answer``, once it has ended well."""
        end = time.monotonic() + DEADLINE
        while self._program.poll() is None:
            assert time.monotonic() < end, f"the program does not end: {self.shown!r}"
            self._read(0.02)
        while self._read(0.0):
            pass
        stdout, stderr = self._program.communicate(timeout=DEADLINE)
        assert self._program.returncode == 0, stderr.decode()
        assert stderr == b""
        return json.loads(stdout)

    def close(self) -> None:
        """End the program, and whatever it has left in its session."""
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            try:
                if os.getsid(pid) == self.pid:
                    os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self._program.communicate(timeout=DEADLINE)
        for descriptor in (self._master, self.terminal):
            if descriptor >= 0:
                os.close(descriptor)

    def _read(self, seconds: float) -> bool:
        """Read what the program has shown; say whether there was anything."""
        if self._master < 0 or not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # nobody holds the other end
            return False
        self.shown += data.decode().replace("\r\n", "\n")
        return bool(data)


def children(pid: int) -> list[int]:
    """The processes that the threads of *pid* have started."""
    lists = glob.glob(f"/proc/{pid}/task/*/children")
    return [int(word) for path in lists for word in Path(path).read_text().split()]
