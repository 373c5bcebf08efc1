"""The modules and handlers of one runner: loaded once, called for every event that reaches them."""

from __future__ import annotations

from _thread import RLock
from contextvars import ContextVar

from hookrun.model.frozen import Frozen
from hookrun.modules.arguments import count_taken, is_async
from hookrun.modules.bounds import within
from hookrun.modules.calling import call_handlers, choose_handlers, too_many_parts
from hookrun.modules.contexts import AsyncCommandContext, AsyncHookContext, CommandContext, HookContext, Surroundings
from hookrun.modules.execution import exec_command
from hookrun.modules.loading import load_modules
from hookrun.modules.registration import Registrations, handlers_by_event
from hookrun.modules.settling import Done, finished, value_of
from hookrun.modules.values import PROGRAM, Called

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from typing import Any

    from hookrun.model.values import Event
    from hookrun.modules.bounds import Bound
    from hookrun.modules.host import Host
    from hookrun.modules.registration import Command, Handler
    from hookrun.modules.ui.interface import UserInterface
    from hookrun.modules.values import Share


# The event whose handlers are being called; what they give their host belongs to its session.
event_under_way: ContextVar[Event | None] = ContextVar("hookrun_event", default=None)


class HookError(Frozen):
    """An exception of a handler that did not end its event, as error listeners get it."""

    hook_path: str
    event: str
    error: BaseException


class Setting(Frozen):
    """What all modules of a runner are given: the agent's host, what opens a user interface (None where
    there is none), where they are, the session that their handlers are bound to, and what ``read``s the
    bytes of a file for a module: (owner, path)."""

    host: Host
    open_ui: Callable[[], UserInterface | None] | None
    cwd: str
    project_dir: str
    env: Mapping[str, str]
    session: tuple[str, str] = ("", "")
    read: Callable[[str, str], bytes] | None = None


class Modules:
    """What is loaded and registered. Snapshots are replaced, never changed: many threads may emit."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.program = Registrations(PROGRAM, setting.session)
        self.loaded: tuple[Registrations, ...] = ()
        self.errors: dict[str, str] = {}
        self.before_call: Callable[[str], None] | None = None  # told whose handler is about to be called
        self._listeners: tuple[tuple[Callable[[HookError], Any]], ...] = ()
        self._lock = RLock()
        self._table: tuple[list[tuple[Handler, ...]], Mapping[str, list[Handler]]] = ([], {})

    def load(self, paths: Sequence[str]) -> None:
        """Load those of *paths* that are not loaded yet; what fails is in ``errors`` by its path."""
        with self._lock:
            known = {registered.owner for registered in self.loaded}
            new = [path for path in paths if path not in known and path not in self.errors]
            if not new:
                return
            found = load_modules(
                new,
                host=self.setting.host,
                project_dir=self.setting.project_dir,
                run=self.exec,
                settle=value_of,
                session=self.setting.session,
                read=self.setting.read,
            )
            self.loaded = (*self.loaded, *found.hooks)
            self.errors |= {error.path: error.error for error in found.errors}

    def unload(self, owner: str) -> None:
        """Have *owner* be loaded anew when it is wanted again; its handlers are called no more."""
        with self._lock:
            self.loaded = tuple(registered for registered in self.loaded if registered.owner != owner)
            self.errors.pop(owner, None)

    def handlers_for(self, event: Event, owners: Sequence[str]) -> list[Handler]:
        """Return the handlers of these modules, and of the program, that *event* reaches, in order."""
        registered = self.handlers_of(event.event)
        return choose_handlers(registered, event, {PROGRAM, *owners}) if registered else []

    def handlers_of(self, event: str) -> list[Handler]:
        """Return all handlers that are registered for *event*, a name of the catalogue."""
        everyone = (*self.loaded, self.program)
        stamp = [registered.handlers for registered in everyone]
        if self._table[0] != stamp:
            self._table = (stamp, handlers_by_event(everyone))
        return self._table[1].get(event, [])

    def call(
        self, event: Event, owners: Sequence[str], share: Share | None = None, bound: Bound | None = None
    ) -> Called:
        """Call what *event* reaches, from code that is not async. *share* says how many may be called, and
        *bound* for how long."""

        async def settle_in_place(awaitable: Any) -> Any:
            """It never suspends, so that `finished` can drive it."""
            if bound is None or isinstance(awaitable, Done):
                return value_of(awaitable)
            return value_of(bound.keep(awaitable))

        called: Called = finished(self._call(event, owners, share, bound, settle_in_place))
        return called

    async def call_async(
        self, event: Event, owners: Sequence[str], share: Share | None = None, bound: Bound | None = None
    ) -> Called:
        """As call, from async code."""

        async def settle_by_awaiting(awaitable: Any) -> Any:
            return await (awaitable if bound is None else bound.keep(awaitable))

        return await self._call(event, owners, share, bound, settle_by_awaiting)

    async def _call(
        self,
        event: Event,
        owners: Sequence[str],
        share: Share | None,
        bound: Bound | None,
        settle: Callable[[Any], Awaitable[Any]],
    ) -> Called:
        reached = self.handlers_for(event, owners)
        if not reached:
            return Called()
        handlers, cut, refusal = (reached, (), "") if share is None else within(reached, share)
        counted = sum(handler.is_sdk for handler in reached)
        refusal = refusal or too_many_parts(reached, event)
        if refusal:
            return Called(counted=counted, refusal=refusal)
        under_way = event_under_way.set(event)
        try:
            called = await call_handlers(
                handlers,
                event,
                context=self._context(event),
                settle=settle,
                report=self._report,
                ended=bound.note if bound is not None else _nothing,
            )
        finally:
            event_under_way.reset(under_way)
        problems = bound.problems if bound is not None else ()
        return called.replace(counted=counted, cut=cut, problems=problems)

    def on_error(self, listener: Callable[[HookError], Any]) -> Callable[[], None]:
        """Tell *listener* of every exception that does not end its event; return what takes it off again."""
        takes = count_taken(listener, 1)
        entry = (lambda error: listener(*(error,)[:takes]),)  # its own, should one listener be there twice
        with self._lock:
            self._listeners = (*self._listeners, entry)

        def unsubscribe() -> None:
            with self._lock:
                self._listeners = tuple(other for other in self._listeners if other is not entry)

        return unsubscribe

    def commands(self) -> list[Command]:
        """Return the commands of all modules in the order of loading; names may be there twice."""
        return [command for registered in (*self.loaded, self.program) for command in registered.commands]

    def command_named(self, name: str) -> Command | None:
        """Return the first command of this name, with or without its `/`."""
        bare = name.removeprefix("/")
        return next((command for command in self.commands() if command.name.removeprefix("/") == bare), None)

    def renderer_of(self, custom_type: str) -> Callable[..., Any] | None:
        """Return the first renderer of messages of this type."""
        for registered in (*self.loaded, self.program):
            for known, renderer in registered.renderers:
                if known == custom_type:
                    return renderer
        return None

    def run_command(self, command: Command, arguments: str, event: Event) -> Any:
        """Run a slash command with its arguments as one text and return what its handler returns."""
        kind = AsyncCommandContext if is_async(command.handler) else CommandContext
        if self.before_call is not None:
            self.before_call(command.owner)
        under_way = event_under_way.set(event)
        try:
            given = (arguments, kind(self._surroundings(event)))
            returned = command.handler(*given[: command.takes])
            return value_of(returned) if hasattr(returned, "__await__") else returned
        finally:
            event_under_way.reset(under_way)

    def exec(self, command: str, args: Sequence[str] = (), **more: Any) -> Any:
        """Run a program for a module (`api.exec`)."""
        more.setdefault("cwd", self.setting.cwd)
        return exec_command(command, args, env=self.setting.env, **more)

    def begin_anew_in_child(self) -> None:
        """Renew the locks after a fork: whoever held one does not run here."""
        self._lock = RLock()
        for registered in (*self.loaded, self.program):
            registered.begin_anew_in_child()

    def _context(self, event: Event) -> Callable[[Handler], Any]:
        surroundings = self._surroundings(event)

        def context(handler: Handler) -> Any:
            if self.before_call is not None:
                self.before_call(handler.owner)
            return (AsyncHookContext if handler.is_async else HookContext)(surroundings)

        return context

    def _surroundings(self, event: Event) -> Surroundings:
        setting = self.setting
        return Surroundings(
            cwd=event.cwd or setting.cwd, host=setting.host, session_id=event.session_id, open_ui=setting.open_ui
        )

    def _report(self, owner: str, event: str, error: BaseException) -> None:
        for (listener,) in self._listeners:
            try:
                listener(HookError(hook_path=owner, event=event, error=error))
            except Exception:  # a listener is told of faults; one of its own has nowhere to go
                continue


def _nothing(_handler: Handler) -> None:
    """Nobody wants to know when a handler has returned."""
