"""The values that the stages pass on: what is set up, what a caller wants, and one event under way."""

from __future__ import annotations

from hookrun.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from hookrun.config.config import Config
    from hookrun.model.values import Event, Hook, Outcome, Problem
    from hookrun.pipeline.plan import Plan
    from hookrun.running.plugins.plugins import StdioPlugins
    from hookrun.sources.found import Skip
    from hookrun.sources.registry import Registry
    from hookrun.trust import Checked, Trust

    class LiveHooks(Protocol):
        """The owner of what lives on between events: stdio plugins and loaded modules."""

        def live_plugins(self) -> StdioPlugins:
            """Return the plugins that answer events."""

        def forget(self, hook: Hook) -> None:
            """End or unload *hook*, which may have loaded what is not trusted."""


class Loaded(Frozen):
    """What is set up at a place."""

    registry: Registry
    skips: tuple[Skip, ...]  # files that are not hooks, with the reasons
    problems: tuple[Problem, ...]  # all that is wrong with the set-up
    trust: Trust
    flaws: tuple[Problem, ...] = ()  # those of problems that are about what was found


class FireOptions(Frozen):
    """What a caller wants of one event only."""

    only: tuple[str, ...] = ()  # these hooks alone, by id, plugin, key or title
    dry_run: bool = False
    seconds: float | None = None  # the limit for all hooks together, in place of the configuration's
    at_most: float | None = None  # seconds that the caller waits, whatever the limit is
    on_untrusted: str = ""  # ask, deny or skip, in place of the configuration's
    on_missing: str = ""  # the same words, for a guard that this branch does not have


class Firing(Frozen):
    """One event under way: what matches, what of it runs, and what is wrong so far."""

    event: Event
    config: Config
    loaded: Loaded
    options: FireOptions
    live: LiveHooks | None
    matches: tuple[Hook, ...]
    plan: Plan
    refused: tuple[tuple[Hook, Outcome], ...]  # hooks that trust keeps from running, and why
    checks: Mapping[str, Checked]  # the files of the others as they were before they ran, by the hook's id
    problems: tuple[Problem, ...]
    started: float  # time.perf_counter, as until
    seconds: float  # that all hooks together may take
    until: float  # when even those end that may take longer

    @property
    def modules(self) -> tuple[Hook, ...]:
        """The modules that may have handlers for the event."""
        return self.plan.modules

    @property
    def calls_handlers(self) -> bool:
        """Whether handlers are called: not when the event is refused, nested too deep, or only planned."""
        return not self.options.dry_run and self.plan.calls_handlers
