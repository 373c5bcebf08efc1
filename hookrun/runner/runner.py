"""HookRunner: find the hooks of a place once, fire events, collect their hints. It never prints."""

from __future__ import annotations

import os
from _thread import RLock
from _weakref import ref

from hookrun.config.config import environment
from hookrun.config.paths import project_told
from hookrun.model import constants
from hookrun.modules.values import NOTHING_CALLED, owner_of
from hookrun.pipeline import fire
from hookrun.pipeline.firing import Rooms, Wishes
from hookrun.runner.effective_config import require_untrusted_word, settled_config
from hookrun.runner.events import described_event
from hookrun.runner.session_root import SessionRoot, with_root_asked
from hookrun.runner.with_modules import WithModules
from hookrun.runner.with_store import WithStore
from hookrun.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Self

    from hookrun.config.config import Config, Loosening
    from hookrun.model.values import Answer, Decision, Event, Hook, Outcome, Problem, Standing
    from hookrun.modules.host import Host
    from hookrun.modules.ui.interface import UserInterface
    from hookrun.pipeline.firing import Loaded
    from hookrun.pipeline.match import Match
    from hookrun.programs.command import Launch, Obstacle
    from hookrun.runner.module_backends import IsolatedModules, LoadedModules
    from hookrun.runner.session import Session
    from hookrun.running.plugins.plugins import StdioPlugins


class HookRunner(WithModules, WithStore):
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
        self._root_flaw = ""
        self._lock = RLock()
        _alive.append(ref(self, _alive.remove))
        self._rooms = Rooms(call_modules=self._call_modules, plugins=self._live_plugins, forget=self._forget)

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
        project: str = "",
        told_by_agent: str = "",
        started_in: str = "",
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
        or "" (what the user has trusted), in place of HOOKRUN_TRUST; *on_untrusted* is what an event comes to
        that a guard nobody has trusted matches: "ask" (the default), "deny" or "skip", in place of the user's
        configuration; *env* replaces the process environment.
        *project* names the root, else what the agent calls its project, else the root that *session_id* had
        before, else the nearest project. *started_in* is a folder whose project's hooks count besides, unless
        the agent names its project. Where the session's root cannot be kept or read, guarded events are asked
        about.
        *is_isolated* calls modules in a forked child for each event; only the command line wants that.
        *asking* is the agent that is answered: it runs the hooks of its own settings itself, so that they are
        no source, and other agents' settings are one when *with_agents* names them.
        Raises ConfigError when a configuration file is broken, UsageError for another *on_untrusted*.
        """
        require_untrusted_word(on_untrusted)
        environ = environment() if env is None else env
        place = os.path.abspath(cwd) if cwd is not None else _working_directory(environ)
        told = told_by_agent or project_told(environ)
        root = SessionRoot(session_id, store or "")
        config, book, loosenings = settled_config(
            cwd=place,
            environ=environ,
            project=project,
            told_by_agent=told,
            remembered=root.find,
            started_in="" if told else started_in,
            hooks=hooks,
            trust=trust,
        )
        if tools:
            config = config.replace(tools={**config.tools, **tools})
        config = config.replace(asking=asking, with_agents=tuple(with_agents))
        if not is_isolated:  # nobody reads what is told on the way, as at a command line
            config = config.replace(on_untrusted=on_untrusted or config.on_untrusted or "ask")
        kept = Store(store or config.state_folder or None, expire_after=config.limits.hint_seconds)
        root.keep(kept, config.root)
        loaded = fire.load(config, book, names_untrusted=not is_isolated)
        if cwd is not None and not is_isolated:  # the place of an agent's event may be gone
            loaded = loaded.replace(problems=(*_missing_place(place), *loaded.problems))
        runner = cls(config, loaded, kept, host=host, ui=ui, session=(channel, chat_id), is_isolated=is_isolated)
        runner.all_loosenings = loosenings
        is_told = bool(project or told)
        runner._root_flaw = root.flaw_for(config.root, is_told=is_told, is_agents=bool(asking))
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

    def event(self, name: str, **values: Any) -> tuple[Event, tuple[Problem, ...]]:
        """Return the event that *values* describe, and what was odd about them: tool, tool_input, dialect, a
        whole payload in any agent's spelling, and fields of Event (hookrun.runner.events has the details).

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
        firing = fire.plan(event, self.loaded, self.config, asked, problems)
        report = NOTHING_CALLED
        if firing.calls_handlers and self._reaches_modules(firing.modules):
            at_most = firing.until - firing.started
            share = fire.share_of(firing, self.config)
            room = self._room()
            report = await room.call_async(firing.modules, event, firing.seconds, at_most, share)
            firing = fire.beside_handlers(firing, report.called, self.config)

        def finish(stop: int | None) -> Decision:
            answers = fire.run_planned(firing, self.config, self._rooms, waited=report.waited, stop=stop)
            return self._kept(fire.conclude(firing, report, answers, self.config, self._rooms), asked)

        if not firing.plan.batches and not self._store.hints_may_be_pending():
            return finish(None)  # nothing in it waits for anything
        from hookrun.modules.settling import in_cancellable_thread

        decision: Decision = await in_cancellable_thread(finish)
        return decision

    def longest(self, wishes: Wishes) -> float:
        """Return how many seconds the hooks of an event can take at most, before they are ended."""
        return fire.longest(self.loaded, self.config, wishes)

    def fire(self, event: Event, wishes: Wishes, problems: Sequence[Problem] = ()) -> Decision:
        """Fire a ready event, keep its hints and refresh its widgets."""
        decision = fire.fire(event, self.loaded, self.config, wishes, problems, self._rooms)
        return self._kept(decision, wishes)

    def _kept(self, decision: Decision, wishes: Wishes) -> Decision:
        decision = with_root_asked(decision, self._root_flaw)
        if wishes.dry_run:
            return decision
        event = decision.event
        self._store.keep_hints(event, decision.hints, session=self.hints_of(event.session_id))
        for answer in decision.answers:
            widget = answer.hook.widget
            if widget and widget.slot != constants.TOOL_HINT and _is_widget_text(answer):
                self.keep_widget(event.cwd, answer.hook, answer.outcome.stdout)
        troubles = self._store.take_problems() if self._store.problems else ()
        return decision.replace(problems=(*decision.problems, *troubles)) if troubles else decision

    def session(self, session_id: str, **wrapping: Any) -> Session:
        """Return the runner as one session sees it: `.emit`, `.wrap(tool)`, `.get_tool_hints()`.

        *wrapping* are the options of `wrap_tool`.
        """
        from hookrun.runner.session import Session

        return Session(self, session_id, **wrapping)

    def explain(self, event: Event, hooks: Iterable[Hook] | None = None) -> list[Match]:
        """Return for every hook in force (or each of *hooks*) whether it would fire for *event* and why.

        Runs nothing.
        """
        from hookrun.pipeline.match import explain_matches

        return explain_matches(self.loaded.registry.in_force if hooks is None else hooks, event)

    def launch(self, hook: Hook) -> Launch | Obstacle:
        """Return how *hook* would be started, or why it cannot be. Looks at files, runs nothing."""
        from hookrun.programs.command import Launch, Obstacle, prepare
        from hookrun.sources.module import prepare_module

        if hook.flaw:
            return Obstacle(cause=hook.flaw, hint=hook.flaw_hint)
        if hook.runtime == "http":  # nothing is started
            return Launch(argv=())
        if hook.kind == constants.MODULE:
            return prepare_module(hook)
        return prepare(hook.program, path=self.config.environ.get("PATH", os.defpath))

    def run_together(self, hooks: Sequence[Hook], event: Event) -> list[Outcome]:
        """Run widgets or commands at the same time and return what happened, in the order of *hooks*."""
        return fire.run_together(hooks, event, self.config, self.loaded.trust)

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

    def _begin_anew_in_child(self) -> None:
        """Renew the locks: a thread that held one at the fork does not run in the child to let go of it."""
        self._lock = RLock()
        if self._module_room is not None and not self._is_isolated:
            self.modules.begin_anew_in_child()

    def _forget(self, hook: Hook) -> None:
        """Let go of what *hook* loaded while its files did not stay what was checked."""
        if hook.runtime == "stdio" and self._plugins is not None:
            self._plugins.end(hook)
        if hook.kind == constants.MODULE and self._module_room is not None and not self._is_isolated:
            self.modules.unload(owner_of(hook))

    def _live_plugins(self) -> StdioPlugins:
        from hookrun.running.plugins.plugins import StdioPlugins

        with self._lock:
            self._plugins = self._plugins or StdioPlugins()
        return self._plugins


def _is_widget_text(answer: Answer) -> bool:
    """Say whether what a widget's run printed is its text: as a hook's run it may have printed a decision."""
    is_decision = bool(answer.hook.shows) and answer.outcome.stdout.lstrip().startswith("{")
    return answer.status == constants.RAN and not is_decision


def _working_directory(environ: Mapping[str, str]) -> str:
    """Return the working directory; when it was deleted, where it was as far as anybody knows."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return environ.get("PWD") or "/"


_alive: list[ref[HookRunner]] = []


def _begin_anew_in_child() -> None:
    for each in _alive:
        runner = each()
        if runner is not None:
            runner._begin_anew_in_child()


os.register_at_fork(after_in_child=_begin_anew_in_child)


def _missing_place(place: str) -> tuple[Problem, ...]:
    if os.path.isdir(place):
        return ()
    from hookrun.model.values import Problem

    message = "is not a directory: no hooks of a project are found"
    return (Problem(message=message, source=place, hint="give discover() a directory that exists"),)
