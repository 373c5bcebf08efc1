"""HookRunner: find the hooks of a place once, fire events, collect their hints. It never prints."""

from __future__ import annotations

import os
import time

from hookrun.engine import pipeline
from hookrun.engine.pipeline import Wishes
from hookrun.engine.store import CachedWidget, Store
from hookrun.readers.config import environment, read_config
from hookrun.readers.dialects import dialect_named, event_named_anywhere
from hookrun.readers.events import event_from_payload, make_event
from hookrun.words import names
from hookrun.words.catalog import EVENTS
from hookrun.words.errors import UsageError
from hookrun.words.nearest import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Self

    from hookrun.engine.match import Match
    from hookrun.engine.pipeline import Loaded
    from hookrun.engine.store import PendingHint
    from hookrun.readers.command import Launch, Obstacle
    from hookrun.readers.config import Config
    from hookrun.words.catalog import EventType
    from hookrun.words.model import Decision, Event, Hook, Outcome, Problem

__all__ = ["HookRunner", "Wishes", "event_type", "unknown_event"]


class HookRunner:
    """The hooks in force at one place, ready to fire; may be used from many threads at once.

    ``config`` is what is set, ``loaded`` what was found, ``problems`` everything that is wrong with it.
    """

    def __init__(self, config: Config, loaded: Loaded, store: Store) -> None:
        self.config = config
        self.loaded = loaded
        self._store = store

    @classmethod
    def discover(
        cls,
        cwd: str | os.PathLike[str] | None = None,
        *,
        project: str = "",
        told_by_agent: str = "",
        session_id: str = "",
        hooks: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
    ) -> Self:
        """Find the hooks that count at *cwd* (the working directory when None).

        *project* names the root, else what the agent calls its project, else the root that *session_id*
        had before, else the nearest project; *hooks* are paths of further hooks; *env* replaces the
        process environment.
        Raises ConfigError when a configuration file is broken.
        """
        environ = environment() if env is None else env
        place = os.path.abspath(cwd) if cwd is not None else _working_directory(environ)
        from hookrun.readers.places import state_folder

        memory = Store(state_folder(environ) or None)
        remembered = (memory.root_of_session(session_id) or "") if session_id else ""
        config = read_config(
            cwd=place,
            environ=environ,
            project=project,
            told_by_agent=told_by_agent,
            remembered=remembered,
            hooks=hooks,
        )
        store = Store(config.state_folder or None, expire_after=config.limits.hint_seconds)
        if session_id and not remembered:
            store.remember_root(session_id, config.root)
        return cls(config, pipeline.load(config), store)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with the set-up, in the order of reading."""
        return (*self.loaded.problems, *self._store.take_problems())

    def event(
        self,
        name: str,
        *,
        tool: str = "",
        tool_input: Any = None,
        dialect: str = "",
        payload: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> tuple[Event, tuple[Problem, ...]]:
        """Return the event that these values describe, and what was odd about them.

        *payload* is a whole payload in any agent's spelling; *fields* are further fields of Event.
        Raises UsageError for an event or dialect that there is not, or a tool event without a tool.
        """
        kind = event_type(name)
        spoken = dialect_named(dialect) if dialect else None
        if dialect and spoken is None:
            raise UsageError(
                f"there is no dialect {dialect!r}", hint="xbot, xcsh, claude, codex, gemini, ..."
            )
        given = {"cwd": self.config.cwd, "project_dir": self.config.root, **fields}
        common: dict[str, Any] = {"dialect": spoken, "kinds_by_tool": self.config.tools}
        if payload is not None:
            named = {**payload, "event": name}
            described = event_from_payload(named, **common, **{"tool_name": tool, **given})
        else:
            described = make_event(kind.name, tool_name=tool, tool_input=tool_input, **common, **given)
        event = described[0]
        if kind.has_tool and not event.tool_name:
            raise UsageError(f"{kind.name} is about a tool, and no tool is named", hint="--tool NAME")
        return event, described[1]

    def emit(self, name: str, *, wishes: Wishes | None = None, **values: Any) -> Decision:
        """Fire an event and return the decision; *values* are those of `event`.

        Hints wait in the store for `get_tool_hints` afterwards. Raises UsageError, and Interrupted when
        a signal that the command line watches for came.
        """
        event, problems = self.event(name, **values)
        return self.fire(event, wishes or Wishes(), problems)

    def fire(self, event: Event, wishes: Wishes, problems: Sequence[Problem] = ()) -> Decision:
        """Fire a ready event, keep its hints and refresh its widgets."""
        decision = pipeline.fire(event, self.loaded, self.config, wishes, problems)
        if wishes.dry_run:
            return decision
        self._store.keep_hints(event, decision.hints, session=self.session(event.session_id))
        for answer in decision.answers:
            widget = answer.hook.widget
            if widget and widget.slot != names.TOOL_HINT and answer.status == names.RAN:
                self.keep_widget(event.cwd, answer.hook, answer.outcome.stdout)
        problems_of_store = self._store.take_problems()
        return (
            decision.replace(problems=(*decision.problems, *problems_of_store))
            if problems_of_store
            else decision
        )

    def explain(self, event: Event, hooks: Iterable[Hook] | None = None) -> list[Match]:
        """Return for every hook in force (or each of *hooks*) whether it would fire for *event* and why.

        Runs nothing.
        """
        from hookrun.engine.match import explain_matches

        return explain_matches(self.loaded.registry.in_force if hooks is None else hooks, event)

    def launch(self, hook: Hook) -> Launch | Obstacle:
        """Return how *hook* would be started, or why it cannot be. Looks at files, runs nothing."""
        from hookrun.readers.command import Obstacle, prepare

        if hook.flaw:
            return Obstacle(cause=hook.flaw)
        return prepare(hook.program, path=self.config.environ.get("PATH", os.defpath))

    def run_together(self, hooks: Sequence[Hook], event: Event) -> list[Outcome]:
        """Run widgets or commands at the same time and return what happened, in the order of *hooks*."""
        return pipeline.run_together(hooks, event, self.config)

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

    def session(self, session_id: str = "") -> str:
        """Return the session that hints belong to: the one given, else the project's root."""
        return session_id or self.config.root

    def get_tool_hints(
        self, *, session_id: str = "", call_id: str | None = None, peek: bool = False
    ) -> list[PendingHint]:
        """Return the hints that wait for this session (or one call of it) and forget them."""
        return self._store.take_hints(session=self.session(session_id), call_id=call_id, peek=peek)

    def close(self) -> None:
        """Let go of the store. The runner must not be used afterwards."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def event_type(name: str) -> EventType:
    """Return the event of the catalogue that *name* means in anybody's spelling. Raises UsageError."""
    kind = event_named_anywhere(name)
    if kind is None:
        raise unknown_event(name)
    return kind


def unknown_event(name: str) -> UsageError:
    """Return the error for an event that there is not, with the nearest that there is."""
    near = nearest(name, [*EVENTS, "pre", "post", "fail", "prompt", "stop"])
    return UsageError(
        f"there is no event {name!r}",
        hint=f"did you mean {near}?" if near else "`hookrun list` shows events with hooks",
    )


def _working_directory(environ: Mapping[str, str]) -> str:
    """Return the working directory; when it was deleted, where it was as far as anybody knows."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return environ.get("PWD") or "/"
