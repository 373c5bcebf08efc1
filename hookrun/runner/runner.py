"""HookRunner: find the hooks of a place once, fire events, collect their hints. It never prints."""

from __future__ import annotations

import os
from _thread import RLock
from _weakref import ref

from hookrun.config.config import Config, Loosening, environment
from hookrun.config.paths import project_of_agent
from hookrun.events.event import described_event, event_type
from hookrun.model import constants
from hookrun.model.frozen import Frozen
from hookrun.model.values import Answer, Decision, Event, Hook, Outcome, Problem, Standing
from hookrun.pipeline import fire
from hookrun.pipeline.firing import FireOptions, Firing, Loaded
from hookrun.runner.effective_config import effective_config, require_untrusted_word
from hookrun.runner.handlers import Handlers
from hookrun.runner.session_root import SessionRoot, with_root_asked
from hookrun.runner.state import RunnerState
from hookrun.store import PendingHint, Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, Self

    from hookrun.modules.host import Host
    from hookrun.modules.modules import HookError, Modules
    from hookrun.modules.registration import Command
    from hookrun.modules.ui.interface import UserInterface
    from hookrun.modules.values import Report
    from hookrun.pipeline.match import Match
    from hookrun.programs.command import Launch, Obstacle
    from hookrun.runner.wrapping import Session
    from hookrun.running.plugins.plugins import StdioPlugins


class DiscoverOptions(Frozen):
    """What `HookRunner.discover` takes, each by its name."""

    cwd: str | os.PathLike[str] | None = None  # where hooks count; None is the working directory
    host: Host | None = None  # what an agent gives its modules; without one the store keeps what they say
    ui: UserInterface | None = None  # how modules ask a person
    channel: str = ""  # with chat_id the session that handlers are bound to
    chat_id: str = ""
    tools: Mapping[str, Any] = {}  # kinds of the agent's own tools: {"run_shell": "shell"}
    hooks: Sequence[str] = ()  # paths of further hooks
    store: str | None = None  # the folder of state
    trust: str | None = None  # in place of HOOKRUN_TRUST: "project", "ref:COMMIT", or "" for what the user trusts
    on_untrusted: str = ""  # ask, deny or skip for a guard that is not trusted, in place of the configuration's
    env: Mapping[str, str] | None = None  # in place of the process environment
    project: str = ""  # the root, in place of what the agent calls its project, of the session's, and of the nearest
    session_id: str = ""  # the session whose root is remembered
    agent_project: str = ""  # what the agent calls its project
    started_in: str = ""  # a folder whose project's hooks count as well, unless the agent names its project
    is_isolated: bool = False  # modules are called in a forked child for each event, as a command line wants
    asking: str = ""  # the agent that is answered: it runs the hooks of its own settings itself
    with_agents: Sequence[str] = ()  # further agents whose settings are a source then


class HookRunner:
    """The hooks in force at one place, ready to fire; may be used from many threads at once."""

    def __init__(self, options: DiscoverOptions, config: Config, loaded: Loaded, store: Store) -> None:
        self.config = config
        self.loaded = loaded  # what was found
        self.ui = options.ui
        self.all_loosenings: tuple[Loosening, ...] = ()  # of the project's configuration, trusted or not
        self.state = RunnerState(store, config.root)
        self.handlers = Handlers(config, loaded, store, options)
        self._plugins: StdioPlugins | None = None
        self._root_flaw = ""
        self._lock = RLock()
        _alive.append(ref(self, _alive.remove))

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
        on_untrusted: str = "",
        env: Mapping[str, str] | None = None,
        **further: Any,
    ) -> Self:
        """Find the hooks that count at *cwd* and load the modules; DiscoverOptions says what each argument means,
        those of *further* too.

        Where the session's root cannot be kept or read, guarded events become an ask. Raises ConfigError when a
        configuration file is broken, UsageError for an unknown *on_untrusted*.
        """
        return cls.open(
            DiscoverOptions(
                cwd=cwd,
                tools=tools or {},
                host=host,
                ui=ui,
                channel=channel,
                chat_id=chat_id,
                hooks=hooks,
                store=store,
                trust=trust,
                on_untrusted=on_untrusted,
                env=env,
                **further,
            )
        )

    @classmethod
    def open(cls, options: DiscoverOptions) -> Self:
        """Return the runner for *options*; see `discover`."""
        require_untrusted_word(options.on_untrusted)
        environ = environment() if options.env is None else options.env
        cwd = os.path.abspath(options.cwd) if options.cwd is not None else _working_directory(environ)
        named = options.agent_project or project_of_agent(environ)
        root = SessionRoot(options.session_id, options.store or "")
        config, trust, loosenings = effective_config(
            cwd=cwd,
            environ=environ,
            project=options.project,
            agent_project=named,
            remembered=root.find,
            started_in="" if named else options.started_in,
            hooks=options.hooks,
            trust=options.trust,
        )
        config = _with_options(config, options)
        store = Store(options.store or config.state_folder or None, expire_after=config.limits.hint_seconds)
        root.remember(store, config.root)
        loaded = fire.load(config, trust, names_untrusted=not options.is_isolated)
        if options.cwd is not None and not options.is_isolated:  # an agent's cwd may have been removed
            loaded = loaded.replace(problems=(*_missing_place(cwd), *loaded.problems))
        runner = cls(options, config, loaded, store)
        runner.all_loosenings = loosenings
        is_named = bool(options.project or named)
        runner._root_flaw = root.flaw_for(config.root, is_named=is_named, is_agents=bool(options.asking))
        if not options.is_isolated:
            runner.handlers.load()
        return runner

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with the set-up, in the order of reading."""
        return (*self.loaded.problems, *self.handlers.problems, *self.store.take_problems())

    @property
    def untrusted(self) -> tuple[Hook, ...]:
        """The hooks of the project that do not run, since they are not trusted."""
        return self.loaded.registry.untrusted

    @property
    def store(self) -> Store:
        """The hints and widgets that are kept between runs."""
        return self.state.store

    @property
    def modules(self) -> Modules:
        """The modules that are loaded here; see `Handlers.modules`."""
        return self.handlers.modules

    def standing(self, hook: Hook) -> Standing:
        """Return the standing of *hook* with trust, by its files as they are now."""
        return self.loaded.trust.check(hook).standing

    def event(self, name: str, **values: Any) -> tuple[Event, tuple[Problem, ...]]:
        """Return the event that *values* describe, and what was odd about them: tool, tool_input, dialect, a
        whole payload in any agent's spelling, and fields of Event (see hookrun.events.event).

        Raises UsageError for an unknown event or dialect, or a tool event without a tool.
        """
        return described_event(self.config, name, **values)

    def emit(self, name: str, *, options: FireOptions | None = None, **values: Any) -> Decision:
        """Fire an event and return the decision; *values* are those of `event`.

        Hints wait in the store for `get_tool_hints` afterwards. Raises UsageError, and Interrupted when
        a signal that the command line watches for came.
        """
        event, problems = self.event(name, **values)
        return self.fire(event, options, problems)

    async def emit_async(self, name: str, *, options: FireOptions | None = None, **values: Any) -> Decision:
        """As `emit`, from async code: async handlers run in the caller's loop, processes in a thread.
        Cancelling it ends its hooks."""
        event, problems = self.event(name, **values)
        firing = self._planned(event, options, problems)
        report = await self.handlers.call_async(firing)
        firing = fire.beside_handlers(firing, report.called)

        def finish(stop: int | None) -> Decision:
            return self._concluded(firing, report, fire.run_planned(firing, waited=report.waited, stop=stop))

        if not firing.plan.batches and not self.store.hints_may_be_pending():
            return finish(None)  # nothing in it waits for anything
        from hookrun.modules.settling import in_cancellable_thread

        decision: Decision = await in_cancellable_thread(finish)
        return decision

    def fire(self, event: Event, options: FireOptions | None = None, problems: Sequence[Problem] = ()) -> Decision:
        """Fire a ready event, keep its hints and refresh its widgets. *problems* are the event's own."""
        firing = self._planned(event, options, problems)
        report = self.handlers.call(firing)
        firing = fire.beside_handlers(firing, report.called)
        return self._concluded(firing, report, fire.run_planned(firing, waited=report.waited))

    def longest(self, options: FireOptions) -> float:
        """Return how many seconds the hooks of an event can take at most, before they are ended."""
        return fire.longest(self.loaded, self.config, options)

    def explain(self, event: Event, hooks: Iterable[Hook] | None = None) -> list[Match]:
        """Return for every hook in force (or each of *hooks*) whether it would fire for *event* and why.

        Runs nothing.
        """
        from hookrun.pipeline.match import explain_matches

        return explain_matches(self.loaded.registry.in_force if hooks is None else hooks, event)

    def launch(self, hook: Hook) -> Launch | Obstacle:
        """Return how *hook* would be started, or why it cannot be. Looks at files, runs nothing."""
        from hookrun.programs.command import Launch, Obstacle
        from hookrun.sources.module import prepare_module

        if hook.flaw:
            return Obstacle(cause=hook.flaw, hint=hook.flaw_hint)
        if hook.runtime == "http":  # nothing is started
            return Launch(argv=())
        if hook.kind == constants.MODULE:
            return prepare_module(hook)
        return self.loaded.trust.launches.of(hook.program)

    def run_together(self, hooks: Sequence[Hook], event: Event) -> list[Outcome]:
        """Run widgets or commands at the same time and return what happened, in the order of *hooks*."""
        return fire.run_together(hooks, event, self.config, self.loaded.trust)

    def session(self, session_id: str, **wrapping: Any) -> Session:
        """Return the runner as one session sees it: `.emit`, `.wrap(tool)`, `.get_tool_hints()`.

        *wrapping* are the options of `wrap_tool`.
        """
        from hookrun.runner.wrapping import Session

        return Session(self, session_id, **wrapping)

    def get_tool_hints(
        self, *, session_id: str = "", call_id: str | None = None, peek: bool = False
    ) -> list[PendingHint]:
        """Return the hints that wait for this session (or one call of it) and forget them."""
        return self.state.take_hints(session_id=session_id, call_id=call_id, peek=peek)

    def get_hint_content(self, hook: Hook | str, *, session_id: str = "", call_id: str | None = None) -> str | None:
        """Return the text that waits from *hook* (or the hook of this id) and leave it; of several the latest,
        None without one."""
        return self.state.hint_content(hook, session_id=session_id, call_id=call_id)

    def on(self, event: str, matcher: str = "", handler: Callable[..., Any] | None = None) -> Any:
        """Have *handler(payload, ctx)* called for *event*; usable as a decorator. See docs/modules.md."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            return self.modules.program.add(event, matcher, function, is_sdk=True)

        return register(handler) if handler is not None else register

    def emit_tool_call(self, tool: str, tool_input: Any, **values: Any) -> Mapping[str, Any] | None:
        """Call the handlers of modules and of the program for tool_call and return their result.

        Raises what a handler raises: nothing runs when a guard fails. No process hook runs. Raises
        HookrunError where more handlers of the SDK match than may run for one event and, with on_untrusted
        deny, where a module that guards the call is not trusted. No ask can be returned: emit decides that.
        """
        return self.handlers.emit_tool_call(tool, tool_input, **values)

    def emit_tool_result(self, tool: str, tool_input: Any, **values: Any) -> Mapping[str, Any] | None:
        """Call the handlers of modules and of the program for tool_result and return the override."""
        return self.handlers.emit_tool_result(tool, tool_input, **values)

    def has_handlers(self, event: str) -> bool:
        """Say whether a module or the program has a handler for *event*, in any spelling."""
        return bool(self.modules.handlers_of(event_type(event).name))

    def on_error(self, listener: Callable[[HookError], Any]) -> Callable[[], None]:
        """Call *listener* (hook_path, event, error) with what handlers raise; returns what removes it again.

        What a tool_call handler raises ends the call and does not come here.
        """
        return self.modules.on_error(listener)

    def get_command(self, name: str) -> Command | None:
        """Return the first registered command of this name, in the order of loading."""
        return self.modules.command_named(name)

    def run_command(self, name: str, arguments: str = "", *, session_id: str = "") -> Any:
        """Run the first registered command of this name and return what its handler returns. Raises
        UsageError for an unknown name, and what the handler raises."""
        return self.handlers.run_command(name, arguments, session_id)

    def get_registered_commands(self) -> list[Command]:
        """Return all registered commands; names may be there twice."""
        return self.modules.commands()

    def get_message_renderer(self, custom_type: str) -> Callable[..., Any] | None:
        """Return the first renderer that was registered for messages of this type."""
        return self.modules.renderer_of(custom_type)

    def live_plugins(self) -> StdioPlugins:
        """Return the stdio plugins of this runner, which live on between events."""
        from hookrun.running.plugins.plugins import StdioPlugins

        with self._lock:
            self._plugins = self._plugins or StdioPlugins()
        return self._plugins

    def forget(self, hook: Hook) -> None:
        """End or unload *hook*, whose files changed while it ran: it may have loaded what is not trusted."""
        if hook.runtime == "stdio" and self._plugins is not None:
            self._plugins.end(hook)
        if hook.kind == constants.MODULE:
            self.handlers.unload(hook)

    def close(self) -> None:
        """End live plugins and close the store. The runner must not be used afterwards."""
        if self._plugins is not None:
            self._plugins.close()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        import asyncio

        await asyncio.to_thread(self.close)  # plugins are given time to end

    def _planned(self, event: Event, options: FireOptions | None, problems: Sequence[Problem]) -> Firing:
        return fire.plan(event, self.loaded, self.config, options or FireOptions(), problems, live=self)

    def _concluded(self, firing: Firing, report: Report, answers: Sequence[Answer]) -> Decision:
        """Return the decision, its hints and the texts of widgets kept."""
        decision = with_root_asked(fire.conclude(firing, report, answers), self._root_flaw)
        if firing.options.dry_run:
            return decision
        self.state.keep_hints(decision)
        for answer in decision.answers:
            widget = answer.hook.widget
            if widget and widget.slot != constants.TOOL_HINT and _is_widget_text(answer):
                self.state.keep_widget(decision.event.cwd, answer.hook, answer.outcome.stdout)
        problems = self.store.take_problems() if self.store.problems else ()
        return decision.replace(problems=(*decision.problems, *problems)) if problems else decision

    def _begin_anew_in_child(self) -> None:
        self._lock = RLock()  # the thread that held it is not there to release it
        self.handlers.begin_anew_in_child()


def _with_options(config: Config, options: DiscoverOptions) -> Config:
    on_untrusted = config.on_untrusted
    if not options.is_isolated:  # a command line prints which hooks are not trusted
        on_untrusted = options.on_untrusted or on_untrusted or "ask"
    return config.replace(
        tools={**config.tools, **options.tools},
        asking=options.asking,
        with_agents=tuple(options.with_agents),
        on_untrusted=on_untrusted,
    )


def _is_widget_text(answer: Answer) -> bool:
    """Say whether what a widget's run printed is its text: as a hook's run it may have printed a decision."""
    is_decision = bool(answer.hook.shows) and answer.outcome.stdout.lstrip().startswith("{")
    return answer.status == constants.RAN and not is_decision


def _working_directory(environ: Mapping[str, str]) -> str:
    """Return the working directory; when it was removed, where it was as far as PWD says."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return environ.get("PWD") or "/"


def _missing_place(cwd: str) -> tuple[Problem, ...]:
    if os.path.isdir(cwd):
        return ()
    message = "is not a directory: no hooks of a project are found"
    return (Problem(message=message, source=cwd, hint="give discover() a directory that exists"),)


_alive: list[ref[HookRunner]] = []


def _begin_anew_in_child() -> None:
    for each in _alive:
        runner = each()
        if runner is not None:
            runner._begin_anew_in_child()


os.register_at_fork(after_in_child=_begin_anew_in_child)
