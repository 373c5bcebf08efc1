"""The part of a HookRunner that is about handlers: modules that are loaded, the program's own, commands."""

from __future__ import annotations

from hookrun.model import constants
from hookrun.model.errors import HookrunError, UsageError
from hookrun.model.events import event_named
from hookrun.model.nearest import did_you_mean
from hookrun.modules.values import NOTHING_CALLED, Report, Share, owner_of
from hookrun.runner.events import command_event, event_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import RLock
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from hookrun.config.config import Config
    from hookrun.model.values import Event, Hook, Problem, Standing
    from hookrun.modules.host import Host
    from hookrun.modules.modules import HookError, Modules
    from hookrun.modules.registration import Command
    from hookrun.modules.ui.interface import UserInterface
    from hookrun.modules.values import Called
    from hookrun.pipeline.firing import Loaded
    from hookrun.runner.module_backends import IsolatedModules, LoadedModules
    from hookrun.store import Store


class WithModules:
    """What a runner does with handlers. ``_module_room`` is made when it is first needed."""

    config: Config
    loaded: Loaded
    ui: UserInterface | None
    _store: Store
    _host: Host | None
    _session: tuple[str, str]
    _is_isolated: bool
    _module_room: LoadedModules | IsolatedModules | None
    _lock: RLock

    if TYPE_CHECKING:  # the runner's own

        def event(self, name: str, **values: Any) -> tuple[Event, tuple[Problem, ...]]: ...

        def standing(self, hook: Hook) -> Standing: ...

        def _forget(self, hook: Hook) -> None: ...

    @property
    def module_hooks(self) -> tuple[Hook, ...]:
        """The hooks in force that stand for modules."""
        return tuple(hook for hook in self.loaded.registry.in_force if hook.kind == constants.MODULE)

    @property
    def trusted_module_hooks(self) -> tuple[Hook, ...]:
        """Those of `module_hooks` whose files are what was trusted: only they are ever loaded."""
        return tuple(hook for hook in self.module_hooks if self.standing(hook).status == constants.TRUSTED)

    def on(self, event: str, matcher: str = "", handler: Callable[..., Any] | None = None) -> Any:
        """Have *handler(payload, ctx)* called for *event*; usable as a decorator. See docs/modules.md."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            return self.modules.program.add(event, matcher, function, is_sdk=True)

        return register(handler) if handler is not None else register

    def emit_tool_call(self, tool: str, tool_input: Any, **values: Any) -> Mapping[str, Any] | None:
        """Call the handlers of modules and of the program for tool_call and return their result.

        What a handler raises is raised: nothing runs when a guard fails. No process hook runs. Raises
        HookrunError where more handlers of the SDK match than may run for one event and, with on_untrusted
        deny, where a module that guards the call is not trusted. No ask can be returned: emit decides that.
        """
        event, _ = self.event("PreToolUse", tool=tool, tool_input=tool_input, **values)
        self._refuse_untrusted(event)
        called = self._called(event)
        if called.refusal:
            raise HookrunError(called.refusal, where="limits.process_hooks")
        if called.raised is not None:
            raise called.raised
        return called.result

    def emit_tool_result(self, tool: str, tool_input: Any, **values: Any) -> Mapping[str, Any] | None:
        """Call the handlers of modules and of the program for tool_result and return the override."""
        name = "PostToolUseFailure" if values.get("tool_error") else "PostToolUse"
        event, _ = self.event(name, tool=tool, tool_input=tool_input, **values)
        return self._called(event).result

    def _load_trusted_modules(self) -> None:
        trust = self.loaded.trust
        for hook in self.module_hooks:
            checked = trust.check(hook)
            if checked.standing.status != constants.TRUSTED or hook.flaw:
                continue
            self.modules.load([owner_of(hook)])
            if trust.changed_while_it_ran(checked) is not None:
                self._forget(hook)  # an event loads it anew

    def _called(self, event: Event) -> Called:
        trust = self.loaded.trust
        checks = [(hook, trust.check(hook)) for hook in self.module_hooks]
        refused = {owner_of(hook) for hook, checked in checks if checked.standing.status != constants.TRUSTED}
        self._refuse_changed(event, [(hook, checked.standing) for hook, checked in checks])
        self.modules.load([owner_of(hook) for hook in self.module_hooks if self._may_load(hook, refused)])
        loaded = [registered.owner for registered in self.modules.loaded]
        called = self.modules.call(event, [owner for owner in loaded if owner not in refused], self._share_of(event))
        afterwards = [(hook, trust.changed_while_it_ran(checked)) for hook, checked in checks]
        void = [(hook, standing) for hook, standing in afterwards if standing is not None]
        for hook, _ in void:
            self._forget(hook)
        self._refuse_changed(event, void)
        return called.replace(result=None) if void else called

    def _share_of(self, event: Event) -> Share:
        """Return how many handlers of the SDK may run for *event*, beside which no process does."""
        known = event_named(event.event)
        is_guarded = known is not None and known.guarded
        return Share(guards=0, observers=0, most=self.config.limits.process_hooks, is_guarded=is_guarded)

    def _refuse_untrusted(self, event: Event) -> None:
        """Raise HookrunError for a module that was never trusted and guards *event*, where that is a deny."""
        if self.config.on_untrusted != "deny":
            return
        registry = self.loaded.registry
        for hook in registry.hooks_of(event.event):
            if hook in registry.untrusted and hook.kind == constants.MODULE and hook.role == constants.GUARD:
                standing = self.standing(hook)
                raise HookrunError(standing.reason, where=hook.file, hint=standing.hint)

    @staticmethod
    def _may_load(hook: Hook, refused: set[str]) -> bool:
        return not hook.flaw and owner_of(hook) not in refused

    @staticmethod
    def _refuse_changed(event: Event, standings: Iterable[tuple[Hook, Standing]]) -> None:
        """Raise HookrunError for the first module that is not what was trusted: nothing runs unguarded."""
        for hook, standing in standings:
            if event.event == "PreToolUse" and standing.status != constants.TRUSTED:
                raise HookrunError(standing.reason, where=hook.file, hint=standing.hint)

    def has_handlers(self, event: str) -> bool:
        """Say whether a module or the program has a handler for *event*, in any spelling."""
        return bool(self.modules.handlers_of(event_type(event).name))

    def on_error(self, listener: Callable[[HookError], Any]) -> Callable[[], None]:
        """Tell *listener* (hook_path, event, error) what handlers raise; returns what takes it off again.

        What a tool_call handler raises ends the call and is not told here.
        """
        return self.modules.on_error(listener)

    def get_command(self, name: str) -> Command | None:
        """Return the first registered command of this name, in the order of loading."""
        return self.modules.command_named(name)

    def run_command(self, name: str, arguments: str = "", *, session_id: str = "") -> Any:
        """Run the first registered command of this name and return what its handler returns. Raises
        UsageError when there is none, and what the handler raises."""
        command = self.get_command(name)
        if command is None:
            known = [command.name for command in self.get_registered_commands()]
            hint = did_you_mean(name, known, "get_registered_commands() returns them all")
            raise UsageError(f"no module has a command {name!r}", hint=hint)
        return self.modules.run_command(command, arguments, command_event(self.config, session_id))

    def get_registered_commands(self) -> list[Command]:
        """Return all registered commands; names may be there twice."""
        return self.modules.commands()

    def get_message_renderer(self, custom_type: str) -> Callable[..., Any] | None:
        """Return the first renderer that was registered for messages of this type."""
        return self.modules.renderer_of(custom_type)

    @property
    def modules(self) -> Modules:
        """The modules that are loaded here, and the handlers of the program itself. Raises HookrunError
        for an isolated runner: nothing is loaded here, and a handler would never be called."""
        from hookrun.runner.module_backends import LoadedModules

        room = self._room()
        if not isinstance(room, LoadedModules):
            raise HookrunError("an isolated runner loads no modules here", hint="leave out is_isolated")
        return room.modules

    @property
    def isolated_modules(self) -> IsolatedModules:
        """What asks modules in a child. Raises HookrunError when they are loaded here."""
        from hookrun.runner.module_backends import IsolatedModules

        room = self._room()
        if not isinstance(room, IsolatedModules):
            raise HookrunError("this runner's modules are loaded here", hint="is_isolated=True")
        return room

    def _call_modules(
        self, hooks: Sequence[Hook], event: Event, seconds: float, at_most: float, share: Share
    ) -> Report:
        if not self._reaches_modules(hooks):
            return NOTHING_CALLED
        return self._room().call(hooks, event, seconds, at_most, share)

    def _reaches_modules(self, hooks: Sequence[Hook]) -> bool:
        """Say whether there may be handlers to call: of *hooks*, or of the program."""
        return bool(hooks) or (self._module_room is not None and not self._is_isolated)

    def _room(self) -> LoadedModules | IsolatedModules:
        if self._module_room is None:
            from hookrun.runner import module_backends

            with self._lock:
                place = module_backends.Place(self.config, self._store, self._session, self._read_source)
                self._module_room = self._module_room or (
                    module_backends.IsolatedModules(place)
                    if self._is_isolated
                    else module_backends.LoadedModules(place, self._host, self.ui)
                )
        return self._module_room

    def _read_source(self, owner: str, path: str) -> bytes:
        """Return the bytes of a file for the module *owner*. Raises HookrunError for a text not trusted."""
        known = (hook for hook in self.loaded.registry.asked if hook.kind == constants.MODULE)
        hook = next((hook for hook in known if owner_of(hook) == owner), None)
        if hook is None:
            raise HookrunError(f"no module {owner} is in force", where=path)
        return self.loaded.trust.read_source(hook, path)
