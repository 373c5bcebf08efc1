"""The handlers of a runner: those of its modules, and those that the program registers itself."""

from __future__ import annotations

from _thread import RLock

from hookrun.events.event import command_event, described_event
from hookrun.model import constants
from hookrun.model.errors import HookrunError, UsageError
from hookrun.model.events import is_guarded
from hookrun.model.text import did_you_mean
from hookrun.modules.values import NOTHING_CALLED, Called, Report, Share, owner_of
from hookrun.pipeline.fire import refusal, split_by_trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from hookrun.config.config import Config
    from hookrun.model.values import Event, Hook, Outcome, Problem
    from hookrun.modules.modules import Modules
    from hookrun.pipeline.firing import Firing, Loaded
    from hookrun.runner.module_backends import IsolatedModules, LoadedModules
    from hookrun.runner.runner import DiscoverOptions
    from hookrun.store import Store


class Handlers:
    """Calls handlers: in this process, or in a forked child for each event. What that takes is imported when it
    is first needed."""

    def __init__(self, config: Config, loaded: Loaded, store: Store, options: DiscoverOptions) -> None:
        self._config = config
        self._loaded = loaded
        self._store = store
        self._options = options
        self._backend: LoadedModules | IsolatedModules | None = None
        self._lock = RLock()

    @property
    def hooks(self) -> tuple[Hook, ...]:
        """The hooks in force that are modules."""
        return tuple(hook for hook in self._loaded.registry.in_force if hook.kind == constants.MODULE)

    @property
    def trusted_hooks(self) -> tuple[Hook, ...]:
        """Those of `hooks` whose files are what was trusted: only they are ever loaded."""
        trust = self._loaded.trust
        return tuple(hook for hook in self.hooks if trust.check(hook).standing.status == constants.TRUSTED)

    @property
    def modules(self) -> Modules:
        """The modules that are loaded here, with the handlers of the program. Raises HookrunError where modules
        are isolated: nothing is loaded here, and a handler would never be called."""
        from hookrun.runner.module_backends import LoadedModules

        backend = self._backend_in_use()
        if not isinstance(backend, LoadedModules):
            raise HookrunError("an isolated runner loads no modules here", hint="leave out is_isolated")
        return backend.modules

    @property
    def isolated(self) -> IsolatedModules:
        """The modules in a child. Raises HookrunError when they are loaded here."""
        from hookrun.runner.module_backends import IsolatedModules

        backend = self._backend_in_use()
        if not isinstance(backend, IsolatedModules):
            raise HookrunError("this runner's modules are loaded here", hint="is_isolated=True")
        return backend

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Why modules are not loaded."""
        return self._backend.problems() if self._backend is not None else ()

    def load(self) -> None:
        """Load the modules that are trusted; one that changes meanwhile is loaded anew by an event."""
        trust = self._loaded.trust
        for hook in self.hooks:
            checked = trust.check(hook)
            if checked.standing.status == constants.TRUSTED and not hook.flaw:
                self.modules.load([owner_of(hook)])
                if trust.changed_while_it_ran(checked) is not None:
                    self.unload(hook)

    def unload(self, hook: Hook) -> None:
        """Forget what the module *hook* has loaded."""
        if self._has_loaded:
            self.modules.unload(owner_of(hook))

    def call(self, firing: Firing) -> Report:
        """Call the handlers that the event reaches."""
        return self._backend_in_use().call(firing) if self._is_reached_by(firing) else NOTHING_CALLED

    async def call_async(self, firing: Firing) -> Report:
        """As call, in the caller's loop."""
        return await self._backend_in_use().call_async(firing) if self._is_reached_by(firing) else NOTHING_CALLED

    def emit_tool_call(self, tool: str, tool_input: Any, **values: Any) -> Mapping[str, Any] | None:
        """Call the handlers of tool_call and return their result; see `HookRunner.emit_tool_call`."""
        event, _ = described_event(self._config, "PreToolUse", tool=tool, tool_input=tool_input, **values)
        self._refuse_untrusted(event)
        called = self._call_alone(event)
        if called.refusal:
            raise HookrunError(called.refusal, where="limits.process_hooks")
        if called.raised is not None:
            raise called.raised
        return called.result

    def emit_tool_result(self, tool: str, tool_input: Any, **values: Any) -> Mapping[str, Any] | None:
        """Call the handlers of tool_result and return the override."""
        name = "PostToolUseFailure" if values.get("tool_error") else "PostToolUse"
        event, _ = described_event(self._config, name, tool=tool, tool_input=tool_input, **values)
        return self._call_alone(event).result

    def run_command(self, name: str, arguments: str, session_id: str) -> Any:
        """Run the first registered command of this name and return what its handler returns. Raises
        UsageError for an unknown name, and what the handler raises."""
        command = self.modules.command_named(name)
        if command is None:
            known = [known.name for known in self.modules.commands()]
            hint = did_you_mean(name, known, "get_registered_commands() returns them all")
            raise UsageError(f"no module has a command {name!r}", hint=hint)
        return self.modules.run_command(command, arguments, command_event(self._config, session_id))

    def begin_anew_in_child(self) -> None:
        """Replace locks after a fork: the thread that held one is not there to release it."""
        self._lock = RLock()
        if self._has_loaded:
            self.modules.begin_anew_in_child()

    @property
    def _has_loaded(self) -> bool:
        return self._backend is not None and not self._options.is_isolated

    def _is_reached_by(self, firing: Firing) -> bool:
        """Say whether there may be handlers to call: of modules, or of the program."""
        return firing.calls_handlers and (bool(firing.modules) or self._has_loaded)

    def _call_alone(self, event: Event) -> Called:
        """Call the handlers that *event* reaches, without a process beside them."""
        trust, modules = self._loaded.trust, self.modules
        trusted, refused, checks = split_by_trust(self.hooks, trust)
        _raise_refusal(event, refused)
        owners = [owner_of(hook) for hook in trusted if not hook.flaw]
        modules.load(owners)
        most = self._config.limits.process_hooks
        share = Share(guards=0, observers=0, most=most, is_guarded=is_guarded(event.event))
        called = modules.call(event, owners, share)
        changed = [(hook, trust.changed_while_it_ran(checks[hook.id])) for hook in trusted if hook.id in checks]
        void = [(hook, refusal(standing)) for hook, standing in changed if standing is not None]
        for hook, _ in void:
            self.unload(hook)
        _raise_refusal(event, void)
        return called.replace(result=None) if void else called

    def _refuse_untrusted(self, event: Event) -> None:
        """Raise HookrunError for a module that was never trusted and guards *event*, where that is a deny."""
        if self._config.on_untrusted != "deny":
            return
        registry, trust = self._loaded.registry, self._loaded.trust
        for hook in registry.hooks_of(event.event):
            if hook in registry.untrusted and hook.kind == constants.MODULE and hook.role == constants.GUARD:
                standing = trust.check(hook).standing
                raise HookrunError(standing.reason, where=hook.file, hint=standing.hint)

    def _backend_in_use(self) -> LoadedModules | IsolatedModules:
        if self._backend is None:
            from hookrun.runner.module_backends import IsolatedModules, LoadedModules

            backend = IsolatedModules if self._options.is_isolated else LoadedModules
            with self._lock:
                common = (self._config, self._store, self._options, self._read_source)
                self._backend = self._backend or backend(*common)
        return self._backend

    def _read_source(self, owner: str, path: str) -> bytes:
        """Return the bytes of a file for the module *owner*. Raises HookrunError for a text not trusted."""
        known = (hook for hook in self._loaded.registry.asked if hook.kind == constants.MODULE)
        hook = next((hook for hook in known if owner_of(hook) == owner), None)
        if hook is None:
            raise HookrunError(f"no module {owner} is in force", where=path)
        return self._loaded.trust.read_source(hook, path)


def _raise_refusal(event: Event, refused: Iterable[tuple[Hook, Outcome]]) -> None:
    """Raise HookrunError for the first of the modules that do not count: no tool runs unguarded."""
    for hook, outcome in refused:
        if event.event == "PreToolUse":
            raise HookrunError(outcome.cause, where=hook.file, hint=outcome.hint)
