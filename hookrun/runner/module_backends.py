"""How a runner calls its modules: those that live in this process, or a child's for each event."""

from __future__ import annotations

import time

from hookrun.config.config import drop_variable, keep_variables, set_variable
from hookrun.model import constants
from hookrun.model.values import Problem
from hookrun.modules.values import MESSAGE, Report, owner_of
from hookrun.running.environment import depth_of
from hookrun.running.inheritance import module_environment, users_lists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from hookrun.config.config import Config
    from hookrun.model.values import Event, Hook
    from hookrun.modules.bounds import Bound
    from hookrun.modules.child import MakeModules
    from hookrun.modules.forked import Times
    from hookrun.modules.host import Host
    from hookrun.modules.modules import Modules, Setting
    from hookrun.modules.ui.interface import UserInterface
    from hookrun.modules.values import Called, CommandRun, ModuleCommand, Share
    from hookrun.store import Store


class Place:
    """What modules of a runner are given, wherever they live."""

    def __init__(
        self, config: Config, store: Store, session: tuple[str, str], read: Callable[[str, str], bytes]
    ) -> None:
        self.config = config
        self.session = session
        self._read = read
        self._store = store

    def setting(self, host: Host, open_ui: Callable[[], UserInterface | None] | None) -> Setting:
        """Return the setting of modules with this host and user interface."""
        from hookrun.modules.modules import Setting

        config = self.config
        return Setting(
            host=host,
            open_ui=open_ui,
            cwd=config.cwd,
            project_dir=config.root,
            env={**module_environment(config), constants.ENV_DEPTH: self.depth},
            session=self.session,
            read=self._read,
        )

    @property
    def depth(self) -> str:
        """HOOKRUN_DEPTH of what modules start."""
        return str(depth_of(self.config.environ) + 1)

    def keep(self, session: str, kind: str, document: Mapping[str, Any]) -> None:
        """Keep what a module gave its host; without a session the project is it, as for hints."""
        self._store.keep_entry(session or self.config.root, kind, document)

    def entries(self, session: str) -> tuple[dict[str, Any], ...]:
        """Return what is kept for a session."""
        return self._store.entries(session or self.config.root)


class LoadedModules:
    """Modules that live in this process, as long as the runner does."""

    def __init__(self, place: Place, host: Host | None, ui: UserInterface | None) -> None:
        from hookrun.modules.modules import Modules
        from hookrun.runner.host import StoredHost

        self._ui = ui
        self._stored = StoredHost(keep=place.keep, entries=place.entries)
        self.modules = Modules(place.setting(host or self._stored, None if ui is None else lambda: ui))

    def problems(self) -> tuple[Problem, ...]:
        """Return why modules are not loaded."""
        return problems_of(self.modules.errors.items())

    def call(self, hooks: Sequence[Hook], event: Event, seconds: float, at_most: float, share: Share) -> Report:
        """Call what *event* reaches in the modules of *hooks* and in the program. Async handlers end when
        *seconds* are over, of a sync one there is a Problem."""
        self._load(hooks)
        bound = self._bound(seconds, at_most)
        called = self.modules.call(event, _owners(hooks), share, bound)
        return self._report(called, hooks, event, bound)

    async def call_async(
        self, hooks: Sequence[Hook], event: Event, seconds: float, at_most: float, share: Share
    ) -> Report:
        """As call, in the caller's loop."""
        self._load(hooks)
        bound = self._bound(seconds, at_most)
        called = await self.modules.call_async(event, _owners(hooks), share, bound)
        return self._report(called, hooks, event, bound)

    def _bound(self, seconds: float, at_most: float) -> Bound:
        from hookrun.modules.bounds import Bound

        return Bound(seconds, at_most, self._seconds_waited)

    def _report(self, called: Called, hooks: Sequence[Hook], event: Event, bound: Bound) -> Report:
        """Return all that came of *event*; what was sent for the model goes with it where no host has it."""
        sent = tuple((MESSAGE, document) for document in self._stored.take_messages(event))
        return Report(called=called, failures=self._failures(hooks), kept=sent, waited=bound.waited())

    def _seconds_waited(self) -> float:
        return 0.0 if self._ui is None else self._ui.seconds_waited

    def _load(self, hooks: Sequence[Hook]) -> None:
        """Load what is trusted by now, and was not when the runner was made."""
        if hooks:
            self.modules.load(_owners(hooks))

    def _failures(self, hooks: Sequence[Hook]) -> tuple[tuple[str, str], ...]:
        errors = self.modules.errors
        failed = [(owner, errors[owner]) for owner in _owners(hooks) if owner in errors] if errors else []
        return (*failed, *_flaws(hooks))


class IsolatedModules:
    """Modules that are loaded anew, in a child of this process, whenever they are asked for something."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def problems(self) -> tuple[Problem, ...]:
        """Nothing is loaded yet: what fails is told when it is."""
        return ()

    def call(self, hooks: Sequence[Hook], event: Event, seconds: float, at_most: float, share: Share) -> Report:
        """Load the modules of *hooks* and call what *event* reaches; *seconds* bounds all of it without, and
        *at_most* with the time in which a person is asked."""
        from hookrun.modules.isolated import call_in_child

        maker = self._maker(event.session_id)
        times = self._times(seconds).replace(total=seconds, until=time.monotonic() + at_most)
        report = call_in_child(_owners(hooks), event, maker, times, share)
        self._keep(event.session_id, report.kept)
        return report.replace(failures=(*report.failures, *_flaws(hooks)))

    async def call_async(
        self, hooks: Sequence[Hook], event: Event, seconds: float, at_most: float, share: Share
    ) -> Report:
        """As call, in a thread."""
        import asyncio

        return await asyncio.to_thread(self.call, hooks, event, seconds, at_most, share)

    def commands(self, hooks: Sequence[Hook]) -> tuple[tuple[ModuleCommand, ...], tuple[Problem, ...]]:
        """Return the commands that the modules of *hooks* register, and why some are not loaded."""
        from hookrun.modules.isolated import commands_in_child

        commands, failures = commands_in_child(_owners(hooks), self._maker(""), self._times(None))
        return commands, problems_of(failures)

    def run_command(self, hooks: Sequence[Hook], name: str, arguments: str, event: Event) -> CommandRun:
        """Run the first command of this name that the modules of *hooks* register."""
        from hookrun.modules.isolated import run_command_in_child

        times = self._times(self._place.config.limits.command_seconds)
        maker = self._maker(event.session_id)
        run = run_command_in_child(_owners(hooks), name, arguments, event, maker, times)
        self._keep(event.session_id, run.kept)
        return run

    def _times(self, seconds: float | None) -> Times:
        from hookrun.modules.forked import Times

        limits = self._place.config.limits
        return Times(load=limits.module_seconds, call=seconds or limits.event_seconds)

    def _keep(self, session: str, kept: Sequence[tuple[str, Any]]) -> None:
        for kind, document in kept:
            self._place.keep(session, kind, document)

    def _maker(self, session: str) -> MakeModules:
        """Return what makes the modules in the child; what they keep goes to the parent, which stores it."""
        place = self._place

        def make_modules(keep: Callable[[str, Any], None], waits: Callable[[bool], None]) -> Modules:
            from hookrun.modules.modules import Modules
            from hookrun.modules.ui.terminal_ui import open_terminal
            from hookrun.runner.host import StoredHost

            fresh: list[dict[str, Any]] = []

            def keep_here(_session: str, kind: str, document: Any) -> None:
                keep(kind, document)
                if kind == "entry":
                    fresh.append(document)

            if users_lists(place.config):
                keep_variables(module_environment(place.config))
            set_variable(constants.ENV_DEPTH, place.depth)
            drop_variable(constants.ENV_TRUST)  # as scripts do without it: a hookrun in it asks its user anew
            host = StoredHost(keep=keep_here, entries=lambda _: (*place.entries(session), *fresh))
            return Modules(place.setting(host, lambda: open_terminal(place.config.environ, waits=waits)))

        return make_modules


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
    hint = "mend it; until then PreToolUse and UserPromptSubmit are denied"
    return tuple(
        Problem(message=f"the module cannot be loaded: {error}", level="error", source=path, hint=hint)
        for path, error in failures
    )
