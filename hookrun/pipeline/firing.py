"""The values that the pipeline's stages hand on: what is loaded, one event on its way, who runs what."""

from __future__ import annotations

from hookrun.model.frozen import Frozen
from hookrun.modules.values import NOTHING_CALLED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hookrun.model.values import Event, Hook, Outcome, Problem
    from hookrun.modules.values import Report, Share
    from hookrun.pipeline.plan import Plan
    from hookrun.running.plugins.plugins import StdioPlugins
    from hookrun.sources.found import Skip
    from hookrun.sources.registry import Registry
    from hookrun.trust import Checked, Trust


class Loaded(Frozen):
    """What is set up at a place: the registry, what was skipped, and everything that is wrong."""

    registry: Registry
    skips: tuple[Skip, ...]
    problems: tuple[Problem, ...]
    trust: Trust
    flaws: tuple[Problem, ...] = ()  # those of problems that are about what was found


class Wishes(Frozen):
    """What a caller wants of one event only."""

    only: tuple[str, ...] = ()  # these hooks alone, by id, plugin, key or title
    dry_run: bool = False
    seconds: float | None = None  # the limit for all hooks together, in place of the configuration's
    at_most: float | None = None  # seconds that the caller waits, whatever the limit is
    on_untrusted: str = ""  # ask, deny or skip, in place of the configuration's
    on_missing: str = ""  # the same words, for a guard that this branch does not have


class Firing(Frozen):
    """One event on its way: what matches, what of it runs how, and what is wrong so far.

    ``refused`` are hooks that trust keeps from running, with the outcome that says so; ``checks`` by id how
    the others were when they were looked at.
    """

    event: Event
    matches: tuple[Hook, ...]
    plan: Plan
    refused: tuple[tuple[Hook, Outcome], ...]
    checks: Mapping[str, Checked]
    trust: Trust
    on_untrusted: str
    on_missing: str
    untrusted: int
    dry_run: bool
    total: int
    problems: tuple[Problem, ...]
    started: float
    seconds: float  # that all hooks together may take
    until: float  # when even those end that may take longer (time.perf_counter, as started)

    @property
    def modules(self) -> tuple[Hook, ...]:
        """The modules that may have handlers for the event."""
        return self.plan.modules

    @property
    def calls_handlers(self) -> bool:
        """Whether handlers are called: not when the event is refused, nested too deep, or only planned."""
        return not self.dry_run and self.plan.calls_handlers


class Rooms(Frozen):
    """What runs hooks that are not processes of their own: who calls modules, for how many seconds without
    and with those in which a person is asked, and how many handlers; and live plugins. ``forget`` is told of
    a hook that may have taken in what is not trusted and lives on."""

    call_modules: Callable[[Sequence[Hook], Event, float, float, Share], Report]
    plugins: Callable[[], StdioPlugins] | None = None
    forget: Callable[[Hook], None] = lambda _hook: None


NO_ROOMS = Rooms(call_modules=lambda _hooks, _event, _seconds, _at_most, _share: NOTHING_CALLED)
