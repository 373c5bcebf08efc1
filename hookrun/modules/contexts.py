"""``ctx``: what handlers and commands are given beside the event. Read only, and cheap to make."""

from __future__ import annotations

from _thread import allocate_lock

from hookrun.modules.host import NoHost
from hookrun.modules.own_values import own
from hookrun.modules.settling import settled
from hookrun.modules.ui.asking import in_thread
from hookrun.modules.ui.interface import HEADLESS, AsyncInterface

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hookrun.modules.host import Host, SessionChange
    from hookrun.modules.ui.interface import UserInterface


class Surroundings:
    """What the contexts of one run share: the agent, the folder, the event's session, and a UI that is opened
    when a handler first asks for it.

    *open_ui* returns the UI, or None where there is none; it is called once at most.
    """

    __slots__ = ("_async_ui", "_lock", "_open_ui", "_ui", "cwd", "host", "session_id")

    def __init__(
        self,
        *,
        cwd: str,
        host: Host | None = None,
        session_id: str = "",
        open_ui: Callable[[], UserInterface | None] | None = None,
    ) -> None:
        self.cwd = cwd
        self.host = host if host is not None else NoHost()
        self.session_id = session_id
        self._open_ui = open_ui
        self._lock = allocate_lock()
        self._ui: UserInterface | None = None
        self._async_ui: AsyncInterface | None = None

    @property
    def ui(self) -> UserInterface:
        """The UI for sync handlers."""
        if self._ui is None:
            with self._lock:
                if self._ui is None:
                    self._ui = (self._open_ui() if self._open_ui is not None else None) or HEADLESS
        return self._ui

    @property
    def async_ui(self) -> AsyncInterface:
        """The same UI for async handlers."""
        if self._async_ui is None:
            self._async_ui = AsyncInterface(self.ui)
        return self._async_ui


class SessionView:
    """The session that an event belongs to, read only."""

    __slots__ = ("_host", "_id")

    def __init__(self, host: Host, session_id: str = "") -> None:
        self._host = host
        self._id = session_id

    @property
    def id(self) -> str:
        """The event's session, else the agent's; "" when there is none."""
        return self._id or self._host.session_id

    @property
    def file(self) -> str | None:
        """The session's file; None when it has none, or is not the one that the agent has open."""
        return self._host.session_file if self._is_open else None

    def entries(self) -> tuple[Mapping[str, Any], ...]:
        """Return what is kept in the session, oldest first; nothing when it is not the one that is open."""
        return tuple(own(entry) for entry in self._host.entries()) if self._is_open else ()

    def get_session_id(self) -> str:
        """Return ``id``, as the module system's session manager names it."""
        return self.id

    def get_session_file(self) -> str | None:
        """Return ``file``, as the module system's session manager names it."""
        return self.file

    def get_entries(self) -> tuple[Mapping[str, Any], ...]:
        """Return ``entries()``, as the module system's session manager names it."""
        return self.entries()

    @property
    def _is_open(self) -> bool:
        return self._host.session_id in ("", self.id)  # an agent without ids has one session


class Context:
    """What every handler can see of its surroundings."""

    __slots__ = ("_surroundings",)

    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings = surroundings

    @property
    def has_ui(self) -> bool:
        """Whether a person can be asked."""
        return self._surroundings.ui.is_interactive

    @property
    def cwd(self) -> str:
        """The directory in which the event happened."""
        return self._surroundings.cwd

    @property
    def session(self) -> SessionView:
        """The session, read only: ``id``, ``file``, ``entries()``."""
        return SessionView(self._surroundings.host, self._surroundings.session_id)

    @property
    def session_manager(self) -> SessionView:
        """The same as ``session``, under the module system's name."""
        return self.session

    @property
    def model(self) -> Any:
        """The agent's model, in the agent's own terms; None when there is none."""
        return self._surroundings.host.model

    def is_idle(self) -> bool:
        """Return whether the agent has nothing to do."""
        return self._surroundings.host.is_idle()

    def abort(self) -> None:
        """Stop what the agent does."""
        self._surroundings.host.abort()

    def has_queued_messages(self) -> bool:
        """Return whether messages wait for the agent."""
        return self._surroundings.host.has_queued_messages()


class HookContext(Context):
    """``ctx`` of a sync handler: no member is awaited."""

    __slots__ = ()

    @property
    def ui(self) -> UserInterface:
        """The person, if there is one (``has_ui``)."""
        return self._surroundings.ui


class AsyncHookContext(Context):
    """``ctx`` of an async handler: what ``ui`` asks is awaited, ``await ctx.ui.confirm(...)``."""

    __slots__ = ()

    @property
    def ui(self) -> AsyncInterface:
        """The person, if there is one (``has_ui``)."""
        return self._surroundings.async_ui


class CommandContext(HookContext):
    """``ctx`` of a sync command handler, which may also change the session."""

    __slots__ = ()

    def wait_for_idle(self) -> None:
        """Return when the agent has nothing to do."""
        self._surroundings.host.wait_for_idle()

    def new_session(
        self, *, parent_session: str | None = None, setup: Callable[[Any], Any] | None = None
    ) -> SessionChange:
        """Open a new session; *setup*, which may be async, gets the agent's session manager before the first
        turn."""
        return self._surroundings.host.new_session(parent_session=parent_session, setup=settled(setup))

    def branch(self, entry_id: str) -> SessionChange:
        """Go on in a new branch that starts at an entry."""
        return self._surroundings.host.branch(entry_id)

    def navigate_tree(self, target_id: str, *, summarize: bool = False) -> SessionChange:
        """Go to another entry of the session tree; with *summarize* what is left behind is summed up."""
        return self._surroundings.host.navigate_tree(target_id, summarize=summarize)


class AsyncCommandContext(AsyncHookContext):
    """``ctx`` of an async command handler: its four members are awaited, and do not hold up the loop."""

    __slots__ = ()

    async def wait_for_idle(self) -> None:
        """As CommandContext.wait_for_idle."""
        await in_thread(self._surroundings.host.wait_for_idle)

    async def new_session(
        self, *, parent_session: str | None = None, setup: Callable[[Any], Any] | None = None
    ) -> SessionChange:
        """As CommandContext.new_session; *setup* runs in a thread, what it awaits in the handler's loop."""
        import asyncio

        plain = settled(setup, asyncio.get_running_loop())
        host = self._surroundings.host
        return await in_thread(host.new_session, parent_session=parent_session, setup=plain)

    async def branch(self, entry_id: str) -> SessionChange:
        """As CommandContext.branch."""
        return await in_thread(self._surroundings.host.branch, entry_id)

    async def navigate_tree(self, target_id: str, *, summarize: bool = False) -> SessionChange:
        """As CommandContext.navigate_tree."""
        return await in_thread(self._surroundings.host.navigate_tree, target_id, summarize=summarize)
