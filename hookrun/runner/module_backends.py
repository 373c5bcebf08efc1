"""How a runner's modules are called: those that live in this process, or those of a child for each event. Where no
agent gives them a host, the store keeps what they say."""

from __future__ import annotations

import time
from _thread import allocate_lock
from collections import deque

from hookrun.config.config import Config, drop_variable, keep_variables, set_variable
from hookrun.model import constants
from hookrun.model.values import Event, Hook, Problem
from hookrun.modules.bounds import Bound
from hookrun.modules.host import Host, SmallHost
from hookrun.modules.modules import Modules, Setting, event_under_way
from hookrun.modules.values import MESSAGE, Called, CommandRun, ModuleCommand, Report, owner_of
from hookrun.pipeline.fire import share_of
from hookrun.running.environment import depth_of
from hookrun.running.inheritance import module_environment, users_lists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from hookrun.modules.child import MakeModules
    from hookrun.modules.forked import Times
    from hookrun.modules.ui.interface import UserInterface
    from hookrun.pipeline.firing import Firing
    from hookrun.runner.runner import DiscoverOptions
    from hookrun.store import Store

_MOST_SENT = 1000  # messages that wait for an event to go with


class _Backend:
    """What both have in common: the setting of modules, and what they keep.

    *read* returns the bytes of a file for a module: (owner, path).
    """

    def __init__(
        self, config: Config, store: Store, options: DiscoverOptions, read: Callable[[str, str], bytes]
    ) -> None:
        self._config = config
        self._store = store
        self._options = options
        self._read = read

    def _setting(self, host: Host, open_ui: Callable[[], UserInterface | None] | None) -> Setting:
        return Setting(
            host=host,
            open_ui=open_ui,
            cwd=self._config.cwd,
            project_dir=self._config.root,
            env={**module_environment(self._config), constants.ENV_DEPTH: self._depth},
            session=(self._options.channel, self._options.chat_id),
            read=self._read,
        )

    @property
    def _depth(self) -> str:
        """HOOKRUN_DEPTH of what modules start."""
        return str(depth_of(self._config.environ) + 1)

    def _keep(self, session: str, kind: str, document: Mapping[str, Any]) -> None:
        """Keep what a module gave its host; without a session for the project, as hints are."""
        self._store.keep_entry(session or self._config.root, kind, document)

    def _entries(self, session: str) -> tuple[dict[str, Any], ...]:
        return self._store.entries(session or self._config.root)


class LoadedModules(_Backend):
    """Modules that live in this process, as long as the runner does."""

    def __init__(self, *common: Any) -> None:
        super().__init__(*common)
        ui = self._options.ui
        self._stored = StoredHost(keep=self._keep, entries=self._entries)
        self.modules = Modules(self._setting(self._options.host or self._stored, None if ui is None else lambda: ui))

    def problems(self) -> tuple[Problem, ...]:
        """Return why modules are not loaded."""
        return problems_of(self.modules.errors.items())

    def call(self, firing: Firing) -> Report:
        """Call what the event reaches in its modules and in the program. Async handlers end when the event's
        time is over, for a sync one there is a Problem."""
        owners, bound = self._load(firing), self._bound(firing)
        called = self.modules.call(firing.event, owners, share_of(firing), bound)
        return self._report(called, firing, bound)

    async def call_async(self, firing: Firing) -> Report:
        """As call, in the caller's loop."""
        owners, bound = self._load(firing), self._bound(firing)
        called = await self.modules.call_async(firing.event, owners, share_of(firing), bound)
        return self._report(called, firing, bound)

    def _load(self, firing: Firing) -> list[str]:
        """Load what was not trusted yet when the runner was made, and return the owners of all."""
        owners = _owners(firing.modules)
        if firing.modules:
            self.modules.load(owners)
        return owners

    def _bound(self, firing: Firing) -> Bound:
        return Bound(firing.seconds, firing.until - firing.started, self._seconds_waited)

    def _seconds_waited(self) -> float:
        return 0.0 if self._options.ui is None else self._options.ui.seconds_waited

    def _report(self, called: Called, firing: Firing, bound: Bound) -> Report:
        """Return all that came of the event; messages for the model go with it where no host has them."""
        sent = tuple((MESSAGE, document) for document in self._stored.take_messages(firing.event))
        errors = self.modules.errors
        failed = [(owner, errors[owner]) for owner in _owners(firing.modules) if owner in errors] if errors else []
        failures = (*failed, *_flaws(firing.modules))
        return Report(called=called, failures=failures, kept=sent, waited=bound.waited())


class IsolatedModules(_Backend):
    """Modules that are loaded in a child of this process whenever they are asked for something."""

    def problems(self) -> tuple[Problem, ...]:
        """Return nothing: no module is loaded yet."""
        return ()

    def call(self, firing: Firing) -> Report:
        """Load the modules and call what the event reaches; the event's time is that of the child, without the
        time in which a person is asked."""
        from hookrun.modules.isolated import call_in_child

        event, until = firing.event, time.monotonic() + firing.until - firing.started
        times = self._times(firing.seconds).replace(total=firing.seconds, until=until)
        maker = self._maker(event.session_id)
        report = call_in_child(_owners(firing.modules), event, maker, times, share_of(firing))
        self._keep_all(event.session_id, report.kept)
        return report.replace(failures=(*report.failures, *_flaws(firing.modules)))

    async def call_async(self, firing: Firing) -> Report:
        """As call, in a thread."""
        import asyncio

        return await asyncio.to_thread(self.call, firing)

    def commands(self, hooks: Sequence[Hook]) -> tuple[tuple[ModuleCommand, ...], tuple[Problem, ...]]:
        """Return the commands that the modules of *hooks* register, and why some are not loaded."""
        from hookrun.modules.isolated import commands_in_child

        commands, failures = commands_in_child(_owners(hooks), self._maker(""), self._times(None))
        return commands, problems_of(failures)

    def run_command(self, hooks: Sequence[Hook], name: str, arguments: str, event: Event) -> CommandRun:
        """Run the first command of this name that the modules of *hooks* register."""
        from hookrun.modules.isolated import run_command_in_child

        times = self._times(self._config.limits.command_seconds)
        run = run_command_in_child(_owners(hooks), name, arguments, event, self._maker(event.session_id), times)
        self._keep_all(event.session_id, run.kept)
        return run

    def _times(self, seconds: float | None) -> Times:
        from hookrun.modules.forked import Times

        limits = self._config.limits
        return Times(load=limits.module_seconds, call=seconds or limits.event_seconds)

    def _keep_all(self, session: str, kept: Sequence[tuple[str, Any]]) -> None:
        for kind, document in kept:
            self._keep(session, kind, document)

    def _maker(self, session: str) -> MakeModules:
        """Return what makes the modules in the child; what they keep goes to the parent, which stores it."""

        def make_modules(keep: Callable[[str, Any], None], waits: Callable[[bool], None]) -> Modules:
            from hookrun.modules.ui.terminal_ui import open_terminal

            fresh: list[dict[str, Any]] = []

            def keep_here(_session: str, kind: str, document: Any) -> None:
                keep(kind, document)
                if kind == "entry":
                    fresh.append(document)

            if users_lists(self._config):
                keep_variables(module_environment(self._config))
            set_variable(constants.ENV_DEPTH, self._depth)
            drop_variable(constants.ENV_TRUST)  # as for scripts: a hookrun in a module asks its user
            host = StoredHost(keep=keep_here, entries=lambda _: (*self._entries(session), *fresh))
            return Modules(self._setting(host, lambda: open_terminal(self._config.environ, waits=waits)))

        return make_modules


class StoredHost(Host):
    """The host of modules without an agent. It keeps messages and entries for the session of the event under
    way; it is always idle, and cancels changes of the session. May be used from many threads.

    *keep* gets the session and what SmallHost keeps; *entries* returns what a session has so far. A message for the
    model is handed out once, by ``take_messages``.
    """

    def __init__(
        self,
        keep: Callable[[str, str, Mapping[str, Any]], object],
        entries: Callable[[str], tuple[dict[str, Any], ...]],
    ) -> None:
        self._keep = keep
        self._entries = entries
        self._sent: deque[tuple[Event | None, dict[str, Any]]] = deque(maxlen=_MOST_SENT)
        self._lock = allocate_lock()

    @property
    def model(self) -> Any:
        """The model that the event under way names, None when it names none."""
        event = event_under_way.get()
        return None if event is None else event.extra.get("model")

    def send_message(self, message: Mapping[str, Any], trigger_turn: bool = False, deliver_as: str = "steer") -> None:
        """As SmallHost.send_message."""
        self._small().send_message(message, trigger_turn=trigger_turn, deliver_as=deliver_as)

    def take_messages(self, event: Event) -> tuple[dict[str, Any], ...]:
        """Return the messages that were sent while *event* was handled or outside of any, and forget them."""
        if not self._sent:
            return ()
        with self._lock:
            taken = [sent for sent in self._sent if sent[0] is None or sent[0] is event]
            for sent in taken:
                self._sent.remove(sent)
        return tuple(document for _, document in taken)

    def append_entry(self, custom_type: str, data: Any = None) -> None:
        """As SmallHost.append_entry."""
        self._small().append_entry(custom_type, data)

    def entries(self) -> tuple[dict[str, Any], ...]:
        """Return the entries of the session, those of earlier runs first."""
        return self._entries(_session())

    def _small(self) -> SmallHost:
        event = event_under_way.get()
        session = _session()

        def keep(kind: str, document: dict[str, Any]) -> None:
            self._keep(session, kind, document)
            if kind == MESSAGE:
                with self._lock:
                    self._sent.append((event, document))

        return SmallHost(keep=keep)


def _session() -> str:
    event = event_under_way.get()
    return "" if event is None else event.session_id


def _owners(hooks: Sequence[Hook]) -> list[str]:
    return [owner_of(hook) for hook in hooks if not hook.flaw]


def _flaws(hooks: Sequence[Hook]) -> tuple[tuple[str, str], ...]:
    """Return why modules cannot even be tried."""
    return tuple(
        (owner_of(hook), f"{hook.flaw}; hint: {hook.flaw_hint}" if hook.flaw_hint else hook.flaw)
        for hook in hooks
        if hook.flaw
    )


def problems_of(failures: Iterable[tuple[str, str]]) -> tuple[Problem, ...]:
    """Return why modules are not loaded, by path, as problems."""
    hint = "correct it; until then PreToolUse and UserPromptSubmit are denied"
    return tuple(
        Problem(message=f"the module cannot be loaded: {error}", level="error", source=path, hint=hint)
        for path, error in failures
    )
