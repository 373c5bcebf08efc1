"""HookRunner: find the hooks of a place once, fire events, collect their hints. It never prints."""

from __future__ import annotations

import os
import time
from _thread import RLock

from hookrun.engine import pipeline
from hookrun.engine.modules.values import NOTHING_CALLED, Report, owner_of
from hookrun.engine.pipeline import Wishes
from hookrun.engine.store import NO_HINTS, CachedWidget, Store
from hookrun.library.events import command_event, described_event, event_type
from hookrun.library.trusting import settled_config
from hookrun.readers.config import environment
from hookrun.readers.places import project_told, state_folder
from hookrun.words import names
from hookrun.words.errors import HookrunError, UsageError
from hookrun.words.model import Hint
from hookrun.words.nearest import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, Self

    from hookrun.engine.match import Match
    from hookrun.engine.modules.host import Host
    from hookrun.engine.modules.modules import HookError, Modules
    from hookrun.engine.modules.registration import Command
    from hookrun.engine.modules.ui import UserInterface
    from hookrun.engine.modules.values import Called
    from hookrun.engine.pipeline import Loaded
    from hookrun.engine.runners.stdio import StdioPlugins
    from hookrun.engine.store import PendingHint
    from hookrun.library.module_rooms import IsolatedModules, LoadedModules
    from hookrun.library.session import Session
    from hookrun.readers.command import Launch, Obstacle
    from hookrun.readers.config import Config, Loosening
    from hookrun.words.model import Decision, Event, Hook, Outcome, Problem, Standing

FEEDBACK = "feedback"  # stands for a hook where feedback waits as a hint
_AFTER_ALL = 1_000_000  # a hint's priority
_STOPS = ("AgentStop", "SubAgentStop")


class HookRunner:
    """The hooks in force at one place, ready to fire; may be used from many threads at once.

    ``config`` is what is set, ``loaded`` what was found, ``problems`` everything that is wrong with it;
    ``all_loosenings`` what the project's configuration loosens, trusted or not.
    """

    def __init__(
        self,
        config: Config,
        loaded: Loaded,
        store: Store,
        *,
        host: Host | None = None,
        ui: UserInterface | None = None,
        session: tuple[str, str] = ("", ""),
        is_isolated: bool = False,
    ) -> None:
        self.config = config
        self.loaded = loaded
        self.ui = ui
        self.all_loosenings: tuple[Loosening, ...] = ()
        self._store = store
        self._host = host
        self._session = session
        self._is_isolated = is_isolated
        self._module_room: LoadedModules | IsolatedModules | None = None
        self._plugins: StdioPlugins | None = None
        self._lock = RLock()
        self._rooms = pipeline.Rooms(
            call_modules=self._call_modules, plugins=self._live_plugins, forget=self._forget
        )

    @classmethod
    def discover(
        cls,
        cwd: str | os.PathLike[str] | None = None,
        *,
        host: Host | None = None,
        ui: UserInterface | None = None,
        channel: str = "",
        chat_id: str = "",
        tools: Mapping[str, Any] | None = None,
        hooks: Sequence[str] = (),
        store: str | None = None,
        trust: str | None = None,
        env: Mapping[str, str] | None = None,
        project: str = "",
        told_by_agent: str = "",
        session_id: str = "",
        is_isolated: bool = False,
        asking: str = "",
        with_agents: Sequence[str] = (),
    ) -> Self:
        """Find the hooks that count at *cwd* (the working directory when None) and load the modules.

        *host* is what an agent gives its modules (without one, what they say is kept in the store), *ui* how
        they ask a person; handlers are bound to the session (*channel*, *chat_id*). *tools* maps names of
        the agent's own tools to kinds (`{"run_shell": "shell"}`); *hooks* are paths of further hooks; *store*
        is the folder of state; *trust* is "project" (everything runs), "ref:COMMIT" (what that commit has)
        or "" (what the user has trusted), in place of HOOKRUN_TRUST; *env* replaces the process environment.
        *project* names the root, else what the agent calls its project, else the root that *session_id* had
        before, else the nearest project.
        *is_isolated* calls modules in a forked child for each event; only the command line wants that.
        *asking* is the agent that is answered: it runs the hooks of its own settings itself, so that they are
        no source, and other agents' settings are one when *with_agents* names them.
        Raises ConfigError when a configuration file is broken.
        """
        environ = environment() if env is None else env
        place = os.path.abspath(cwd) if cwd is not None else _working_directory(environ)
        memory = Store(store or state_folder(environ) or None)
        remembered = (memory.root_of_session(session_id) or "") if session_id else ""
        config, book, loosenings = settled_config(
            cwd=place,
            environ=environ,
            project=project,
            told_by_agent=told_by_agent or project_told(environ),
            remembered=remembered if os.path.isdir(remembered) else "",
            hooks=hooks,
            trust=trust,
        )
        if tools:
            config = config.replace(tools={**config.tools, **tools})
        config = config.replace(asking=asking, with_agents=tuple(with_agents))
        kept = Store(store or config.state_folder or None, expire_after=config.limits.hint_seconds)
        if session_id and not remembered:
            kept.remember_root(session_id, config.root)
        runner = cls(
            config,
            pipeline.load(config, book),
            kept,
            host=host,
            ui=ui,
            session=(channel, chat_id),
            is_isolated=is_isolated,
        )
        runner.all_loosenings = loosenings
        if runner.module_hooks and not is_isolated:
            runner._load_trusted_modules()
        return runner

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with the set-up, in the order of reading."""
        failed = self._module_room.problems() if self._module_room is not None else ()
        return (*self.loaded.problems, *failed, *self._store.take_problems())

    @property
    def untrusted(self) -> tuple[Hook, ...]:
        """The hooks of the project that do not run, since nobody has trusted them."""
        return self.loaded.registry.untrusted

    def standing(self, hook: Hook) -> Standing:
        """Return how *hook* stands with trust, by its files as they are now."""
        return self.loaded.trust.check(hook).standing

    @property
    def module_hooks(self) -> tuple[Hook, ...]:
        """The hooks in force that stand for modules."""
        return tuple(hook for hook in self.loaded.registry.in_force if hook.kind == names.MODULE)

    @property
    def trusted_module_hooks(self) -> tuple[Hook, ...]:
        """Those of `module_hooks` whose files are what was trusted: only they are ever loaded."""
        return tuple(hook for hook in self.module_hooks if self.standing(hook).status == names.TRUSTED)

    def event(self, name: str, **values: Any) -> tuple[Event, tuple[Problem, ...]]:
        """Return the event that *values* describe, and what was odd about them: tool, tool_input, dialect, a
        whole payload in any agent's spelling, and fields of Event (hookrun.library.events has the details).

        Raises UsageError for an event or dialect that there is not, or a tool event without a tool.
        """
        return described_event(self.config, name, **values)

    def emit(self, name: str, *, wishes: Wishes | None = None, **values: Any) -> Decision:
        """Fire an event and return the decision; *values* are those of `event`.

        Hints wait in the store for `get_tool_hints` afterwards. Raises UsageError, and Interrupted when
        a signal that the command line watches for came.
        """
        event, problems = self.event(name, **values)
        return self.fire(event, wishes or Wishes(), problems)

    async def emit_async(self, name: str, *, wishes: Wishes | None = None, **values: Any) -> Decision:
        """As `emit`, from async code: async handlers run in the caller's loop, processes in a thread.
        Cancelling it ends its hooks."""
        event, problems = self.event(name, **values)
        asked = wishes or Wishes()
        firing = pipeline.plan(event, self.loaded, self.config, asked, problems)
        report = NOTHING_CALLED
        if firing.calls_handlers and self._reaches_modules(firing.modules):
            report = await self._room().call_async(firing.modules, event)

        def finish(stop: int | None) -> Decision:
            answers = pipeline.run_planned(firing, self.config, asked, self._rooms, stop)
            return self._kept(pipeline.conclude(firing, report, answers, self.config, self._rooms), asked)

        if not firing.plan.batches and not self._store.hints_may_be_pending():
            return finish(None)  # nothing in it waits for anything
        from hookrun.engine.modules.settling import in_cancellable_thread

        decision: Decision = await in_cancellable_thread(finish)
        return decision

    def fire(self, event: Event, wishes: Wishes, problems: Sequence[Problem] = ()) -> Decision:
        """Fire a ready event, keep its hints and refresh its widgets."""
        decision = pipeline.fire(event, self.loaded, self.config, wishes, problems, self._rooms)
        return self._kept(decision, wishes)

    def _kept(self, decision: Decision, wishes: Wishes) -> Decision:
        if wishes.dry_run:
            return decision
        event = decision.event
        self._store.keep_hints(event, decision.hints, session=self.hints_of(event.session_id))
        for answer in decision.answers:
            widget = answer.hook.widget
            if widget and widget.slot != names.TOOL_HINT and answer.status == names.RAN:
                self.keep_widget(event.cwd, answer.hook, answer.outcome.stdout)
        troubles = self._store.take_problems() if self._store.problems else ()
        return decision.replace(problems=(*decision.problems, *troubles)) if troubles else decision

    def on(self, event: str, matcher: str = "", handler: Callable[..., Any] | None = None) -> Any:
        """Have *handler(payload, ctx)* called for *event*; usable as a decorator. See docs/modules.md."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            return self.modules.program.add(event, matcher, function, is_sdk=True)

        return register(handler) if handler is not None else register

    def session(self, session_id: str, **wrapping: Any) -> Session:
        """Return the runner as one session sees it: `.emit`, `.wrap(tool)`, `.get_tool_hints()`.

        *wrapping* are the options of `wrap_tool`.
        """
        from hookrun.library.session import Session

        return Session(self, session_id, **wrapping)

    def emit_tool_call(self, tool: str, tool_input: Any, **values: Any) -> Mapping[str, Any] | None:
        """Call the handlers of modules and of the program for tool_call and return their result.

        What a handler raises is raised: nothing runs when a guard fails. No process hook runs.
        """
        event, _ = self.event("PreToolUse", tool=tool, tool_input=tool_input, **values)
        called = self._called(event)
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
            if checked.standing.status != names.TRUSTED or hook.flaw:
                continue
            self.modules.load([owner_of(hook)])
            if trust.changed_while_it_ran(checked) is not None:
                self._forget(hook)  # an event loads it anew

    def _called(self, event: Event) -> Called:
        trust = self.loaded.trust
        checks = [(hook, trust.check(hook)) for hook in self.module_hooks]
        refused = {owner_of(hook) for hook, checked in checks if checked.standing.status != names.TRUSTED}
        self._refuse_changed(event, [(hook, checked.standing) for hook, checked in checks])
        self.modules.load([owner_of(hook) for hook in self.module_hooks if self._may_load(hook, refused)])
        loaded = [registered.owner for registered in self.modules.loaded]
        called = self.modules.call(event, [owner for owner in loaded if owner not in refused])
        afterwards = [(hook, trust.changed_while_it_ran(checked)) for hook, checked in checks]
        void = [(hook, standing) for hook, standing in afterwards if standing is not None]
        for hook, _ in void:
            self._forget(hook)
        self._refuse_changed(event, void)
        return called.replace(result=None) if void else called

    @staticmethod
    def _may_load(hook: Hook, refused: set[str]) -> bool:
        return not hook.flaw and owner_of(hook) not in refused

    @staticmethod
    def _refuse_changed(event: Event, standings: Iterable[tuple[Hook, Standing]]) -> None:
        """Raise HookrunError for the first module that is not what was trusted: nothing runs unguarded."""
        for hook, standing in standings:
            if event.event == "PreToolUse" and standing.status != names.TRUSTED:
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
            near = nearest(name, [known.name for known in self.get_registered_commands()])
            hint = f"did you mean {near}?" if near else "get_registered_commands() returns them all"
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
        from hookrun.library.module_rooms import LoadedModules

        room = self._room()
        if not isinstance(room, LoadedModules):
            raise HookrunError("an isolated runner loads no modules here", hint="leave out is_isolated")
        return room.modules

    @property
    def isolated_modules(self) -> IsolatedModules:
        """What asks modules in a child. Raises HookrunError when they are loaded here."""
        from hookrun.library.module_rooms import IsolatedModules

        room = self._room()
        if not isinstance(room, IsolatedModules):
            raise HookrunError("this runner's modules are loaded here", hint="is_isolated=True")
        return room

    def explain(self, event: Event, hooks: Iterable[Hook] | None = None) -> list[Match]:
        """Return for every hook in force (or each of *hooks*) whether it would fire for *event* and why.

        Runs nothing.
        """
        from hookrun.engine.match import explain_matches

        return explain_matches(self.loaded.registry.in_force if hooks is None else hooks, event)

    def launch(self, hook: Hook) -> Launch | Obstacle:
        """Return how *hook* would be started, or why it cannot be. Looks at files, runs nothing."""
        from hookrun.readers.command import Launch, Obstacle, prepare
        from hookrun.readers.sources.module import prepare_module

        if hook.flaw:
            return Obstacle(cause=hook.flaw)
        if hook.runtime == "http":  # nothing is started
            return Launch(argv=())
        if hook.kind == names.MODULE:
            return prepare_module(hook)
        return prepare(hook.program, path=self.config.environ.get("PATH", os.defpath))

    def run_together(self, hooks: Sequence[Hook], event: Event) -> list[Outcome]:
        """Run widgets or commands at the same time and return what happened, in the order of *hooks*."""
        return pipeline.run_together(hooks, event, self.config, self.loaded.trust)

    def keep_widget(self, folder: str, hook: Hook, stdout: str) -> CachedWidget:
        """Remember what a widget that printed *stdout* shows in *folder*, and return it."""
        from hookrun.engine.hint_text import read_hint

        shown = read_hint(hook, stdout)
        text, form, style = (shown.text, shown.format, shown.style) if shown else ("", "text", "")
        cached = CachedWidget(text=text, format=form, style=style, at=time.time())
        self._store.keep_widget(folder, hook.id, cached)
        return cached

    @property
    def store(self) -> Store:
        """The hints and widgets that are kept between runs."""
        return self._store

    def hints_of(self, session_id: str = "") -> str:
        """Return the session that hints belong to: the one given, else the project's root."""
        return session_id or self.config.root

    def get_tool_hints(
        self, *, session_id: str = "", call_id: str | None = None, peek: bool = False
    ) -> list[PendingHint]:
        """Return the hints that wait for this session (or one call of it) and forget them."""
        return self._store.take_hints(session=self.hints_of(session_id), call_id=call_id, peek=peek)

    def hints_may_be_pending(self) -> bool:
        """Whether any session may have a hint, at the price of one stat. Only False is certain."""
        return self._store.hints_may_be_pending()

    def count_stop(self, event: Event) -> int | None:
        """Count that the agent whose end *event* announces is sent back; return how often in a row it was,
        None when that cannot be kept."""
        return self._store.count_stop(self.hints_of(event.session_id), _stopping(event))

    def forget_stops(self, event: Event) -> None:
        """Begin counting anew: for the agent that may end, or for all of the session after a prompt."""
        whose = _stopping(event) if event.event in _STOPS else ""
        self._store.forget_stops(self.hints_of(event.session_id), whose)

    def take_hints_of(self, decision: Decision) -> list[Hint]:
        """Return the hints that wait for the call of *decision* and forget them; what the store could not
        keep or hand out is missing there, and comes from the decision itself."""
        event = decision.event
        call_id = event.tool_call_id or None
        hints = [each.hint for each in self.get_tool_hints(session_id=event.session_id, call_id=call_id)]
        return hints if self.hints_are_kept(decision) else [*hints, *decision.hints]

    def hints_are_kept(self, decision: Decision) -> bool:
        """Say whether the store had no trouble with the hints of *decision*: they wait, or were taken."""
        troubles = (*decision.problems, *self._store.problems)
        return not any(problem.message.startswith(NO_HINTS) for problem in troubles)

    def get_hint_content(
        self, hook: Hook | str, *, session_id: str = "", call_id: str | None = None
    ) -> str | None:
        """Return the text that waits from *hook* (or the hook of this id), which goes on waiting; None when
        there is none. Of several the latest."""
        wanted = hook if isinstance(hook, str) else hook.id
        waiting = self.get_tool_hints(session_id=session_id, call_id=call_id, peek=True)
        latest = max((each for each in waiting if each.hint.hook == wanted), key=_left_at, default=None)
        return latest.hint.text if latest else None

    def keep_feedback(self, decision: Decision) -> None:
        """Leave the feedback of a tool event waiting as one more hint of its call, after the others."""
        if decision.feedback:
            hint = Hint(hook=FEEDBACK, text="\n".join(decision.feedback), priority=_AFTER_ALL)
            event = decision.event
            self._store.keep_hints(event, [hint], session=self.hints_of(event.session_id))

    def close(self) -> None:
        """End live plugins and let go of the store. The runner must not be used afterwards."""
        if self._plugins is not None:
            self._plugins.close()
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        import asyncio

        await asyncio.to_thread(self.close)  # plugins are given time to end

    def _call_modules(self, hooks: Sequence[Hook], event: Event, seconds: float | None) -> Report:
        if not self._reaches_modules(hooks):
            return NOTHING_CALLED
        return self._room().call(hooks, event, seconds)

    def _reaches_modules(self, hooks: Sequence[Hook]) -> bool:
        """Say whether there may be handlers to call: of *hooks*, or of the program."""
        return bool(hooks) or (self._module_room is not None and not self._is_isolated)

    def _room(self) -> LoadedModules | IsolatedModules:
        if self._module_room is None:
            from hookrun.library import module_rooms

            with self._lock:
                place = module_rooms.Place(self.config, self._store, self._session, self._read_source)
                self._module_room = self._module_room or (
                    module_rooms.IsolatedModules(place)
                    if self._is_isolated
                    else module_rooms.LoadedModules(place, self._host, self.ui)
                )
        return self._module_room

    def _read_source(self, owner: str, path: str) -> bytes:
        """Return the bytes of a file for the module *owner*. Raises HookrunError for a text not trusted."""
        known = (hook for hook in self.loaded.registry.asked if hook.kind == names.MODULE)
        hook = next((hook for hook in known if owner_of(hook) == owner), None)
        if hook is None:
            raise HookrunError(f"no module {owner} is in force", where=path)
        return self.loaded.trust.read_source(hook, path)

    def _forget(self, hook: Hook) -> None:
        """Let go of what *hook* loaded while its files did not stay what was checked."""
        if hook.runtime == "stdio" and self._plugins is not None:
            self._plugins.end(hook)
        if hook.kind == names.MODULE and self._module_room is not None and not self._is_isolated:
            self.modules.unload(owner_of(hook))

    def _live_plugins(self) -> StdioPlugins:
        from hookrun.engine.runners.stdio import StdioPlugins

        with self._lock:
            self._plugins = self._plugins or StdioPlugins()
        return self._plugins


def _stopping(event: Event) -> str:
    """Return a name for the agent whose end *event* announces: sub-agents of a session run side by side."""
    agent = event.fields.get("agent_id")
    return f"{event.event.lower()}-{agent}" if isinstance(agent, str) and agent else event.event.lower()


def _left_at(pending: PendingHint) -> float:
    return pending.at


def _working_directory(environ: Mapping[str, str]) -> str:
    """Return the working directory; when it was deleted, where it was as far as anybody knows."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return environ.get("PWD") or "/"
