"""``ctx.ui``: what a handler can ask a person and show; without a UI nobody answers and nothing is shown."""

from __future__ import annotations

from types import MappingProxyType

from hookrun.model.constants import STYLES
from hookrun.modules.bounds import current_bound
from hookrun.modules.ui.asking import in_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import ParamSpec, TypeVar

    _Wanted = ParamSpec("_Wanted")
    _Value = TypeVar("_Value")


def _plain(text: str) -> str:
    return text


_PLAIN_THEME: Mapping[str, Callable[[str], str]] = MappingProxyType(dict.fromkeys(STYLES, _plain))


class UserInterface:
    """What an agent gives its modules to talk to a person with. A member that it leaves out answers as if
    nobody were there.

    Members are plain methods, called from any thread; those that wait for a person may block. For async
    handlers they run in a thread, where one that blocks should look at ``asking.is_withdrawn``.
    """

    is_interactive = True

    def select(self, title: str, options: Sequence[str]) -> str | None:
        """Return the one of *options* that the person chose, None for none of them."""

    def confirm(self, title: str, message: str = "") -> bool:  # noqa: ARG002
        """Return whether the person said yes."""
        return False

    def input(self, title: str, placeholder: str = "") -> str | None:
        """Return the line that the person typed ("" for an empty one), None when they would not.

        *placeholder* shows what is wanted; it is never the answer.
        """

    def editor(self, title: str, prefill: str = "") -> str | None:
        """Return *prefill* as the person left it in an editor, None when there is nothing to return."""

    def notify(self, message: str, level: str = "info") -> None:
        """Show *message*; *level* is info, warning or error. Does not wait."""

    def set_status(self, key: str, text: str | None) -> None:
        """Show *text* in the status line as long as it is not replaced; None clears *key*. Does not wait."""

    def custom(self, factory: Callable[[UserInterface], _Value]) -> _Value | None:
        """Return what *factory*, a plain function, makes of this interface; None, without a call, when
        nobody is there."""

    def set_editor_text(self, text: str) -> None:
        """Put *text* where the person writes their next prompt. Does not wait."""

    def get_editor_text(self) -> str:
        """Return what stands where the person writes their next prompt."""
        return ""

    @property
    def theme(self) -> Mapping[str, Callable[[str], str]]:
        """For each style (dim, ok, warn, err, info, accent) the function that puts a text into it."""
        return _PLAIN_THEME

    @property
    def seconds_waited(self) -> float:
        """The seconds during which a question stood open, all questions together: no handler's own time."""
        return 0.0


class HeadlessInterface(UserInterface):
    """Nobody is there: select, input, editor and custom give None, confirm False, the rest does nothing."""

    is_interactive = False


HEADLESS = HeadlessInterface()


class AsyncInterface:
    """``ctx.ui`` of async handlers: what waits for a person is awaited and does not hold up the loop; the
    other members are those of ``UserInterface``, and are not awaited.

    A question whose task is cancelled is withdrawn.
    """

    __slots__ = ("_interface",)

    def __init__(self, interface: UserInterface) -> None:
        self._interface = interface

    async def select(self, title: str, options: Sequence[str]) -> str | None:
        """As UserInterface.select."""
        return await self._ask(self._interface.select, title, options)

    async def confirm(self, title: str, message: str = "") -> bool:
        """As UserInterface.confirm."""
        return await self._ask(self._interface.confirm, title, message)

    async def input(self, title: str, placeholder: str = "") -> str | None:
        """As UserInterface.input."""
        return await self._ask(self._interface.input, title, placeholder)

    async def editor(self, title: str, prefill: str = "") -> str | None:
        """As UserInterface.editor."""
        return await self._ask(self._interface.editor, title, prefill)

    async def custom(self, factory: Callable[[UserInterface], _Value]) -> _Value | None:
        """As UserInterface.custom: *factory* runs in a thread and gets the interface whose members are
        not awaited."""
        return await self._ask(self._interface.custom, factory)

    def notify(self, message: str, level: str = "info") -> None:
        """As UserInterface.notify."""
        self._interface.notify(message, level)

    def set_status(self, key: str, text: str | None) -> None:
        """As UserInterface.set_status."""
        self._interface.set_status(key, text)

    def set_editor_text(self, text: str) -> None:
        """As UserInterface.set_editor_text."""
        self._interface.set_editor_text(text)

    def get_editor_text(self) -> str:
        """As UserInterface.get_editor_text."""
        return self._interface.get_editor_text()

    @property
    def theme(self) -> Mapping[str, Callable[[str], str]]:
        """As UserInterface.theme."""
        return self._interface.theme

    async def _ask(self, member: Callable[_Wanted, _Value], *args: _Wanted.args, **kwargs: _Wanted.kwargs) -> _Value:
        if not self._interface.is_interactive:  # answers at once: no thread is needed
            return member(*args, **kwargs)
        bound = current_bound.get()
        question = in_thread(member, *args, **kwargs)
        return await (question if bound is None else bound.ask(question))
