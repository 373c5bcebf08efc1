"""What calling handlers comes to: the values that leave this floor, cheap to import where no module is."""

from __future__ import annotations

from functools import lru_cache

from hookrun.agents import NEUTRAL
from hookrun.model.frozen import Frozen
from hookrun.model.values import Hook, Problem, Program, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MESSAGE = "message"  # the kind of what a host is given that the model is to see
PROGRAM = "the program"  # the owner of handlers that were added in code


class Statement(Frozen):
    """What one handler said: a verdict with its message and data, or the error that it ended in.

    ``owner`` is the module's path, or PROGRAM; ``is_guard`` says whether an error denies.
    """

    owner: str
    verdict: Verdict = Verdict.NO_OPINION
    message: str = ""
    data: Any = None
    error: str = ""
    is_guard: bool = False


class Called(Frozen):
    """What all handlers of one event came to. ``result`` is the merged result of a module event.

    ``owners`` are those whose handlers were called, each once, in order; ``raised`` is the exception of
    a tool_call handler: it ended the chain and blocks the tool. ``counted`` is how many of the SDK's handlers
    the event reaches, ``cut`` the titles of those that were too many, ``refusal`` why the event is denied
    without a call ("" when it is not).
    """

    owners: tuple[str, ...] = ()
    statements: tuple[Statement, ...] = ()
    result: dict[str, Any] | None = None
    raised: BaseException | None = None
    counted: int = 0
    cut: tuple[str, ...] = ()
    refusal: str = ""
    problems: tuple[Problem, ...] = ()


class Share(Frozen):
    """How many processes an event has beside its handlers, and how many of both may run: ``most``."""

    guards: int
    observers: int
    most: int
    is_guarded: bool


class Report(Frozen):
    """What calling the modules of an event came to: what their handlers said, why modules failed (by
    path), what the host was given to keep as (kind, document), and how many seconds a person was asked."""

    called: Called
    failures: tuple[tuple[str, str], ...] = ()
    kept: tuple[tuple[str, Any], ...] = ()
    waited: float = 0.0


class ModuleCommand(Frozen):
    """A slash command that the module ``owner`` (a path) registers."""

    name: str
    description: str
    owner: str


class CommandRun(Frozen):
    """What running a module's command came to. ``owner`` is "" when no module has such a command, and
    ``known`` are those that there are; ``error`` says why it did not end well. ``failures`` and ``kept``
    are as in a Report."""

    owner: str = ""
    known: tuple[str, ...] = ()
    stdout: str = ""
    error: str = ""
    failures: tuple[tuple[str, str], ...] = ()
    kept: tuple[tuple[str, Any], ...] = ()


NOTHING_CALLED = Report(called=Called())


def owner_of(hook: Hook) -> str:
    """Return the path under which a module's handlers are registered."""
    return hook.program.words[0] if hook.program.words else hook.file


@lru_cache(maxsize=64)
def program_hook(folder: str) -> Hook:
    """Return the hook that stands for handlers which the host program registered itself."""
    return Hook(
        id="program",
        title=PROGRAM,
        kind="module",
        source="program",
        order=0,
        level="command line",
        place=folder,
        file="",
        dialect=NEUTRAL,
        program=Program(words=(), folder=folder),
        role="guard",
        runtime="python",
    )
