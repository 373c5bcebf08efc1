"""Hooks around their run: which of them may run, and whose run does not count, since its files did not stay
what they were."""

from __future__ import annotations

from collections.abc import Sequence

from hookrun.model import constants
from hookrun.model.values import Hook, Outcome, Standing
from hookrun.modules.values import NOTHING_CALLED, Report, owner_of
from hookrun.pipeline.firing import Firing, Rooms
from hookrun.trust import NO_NEED, Checked, Trust


def parted(
    hooks: Sequence[Hook], trust: Trust
) -> tuple[list[Hook], tuple[tuple[Hook, Outcome], ...], dict[str, Checked]]:
    """Return the hooks that may run, those that may not with their outcomes, and how the former were."""
    trusted: list[Hook] = []
    refused: list[tuple[Hook, Outcome]] = []
    checks: dict[str, Checked] = {}
    for hook in hooks:
        checked = trust.check(hook)
        if checked.standing.status != constants.TRUSTED:
            refused.append((hook, refusal(checked.standing)))
            continue
        trusted.append(hook)
        if checked is not NO_NEED:
            checks[hook.id] = checked
    return trusted, tuple(refused), checks


def refusal(standing: Standing) -> Outcome:
    return Outcome(status=standing.status, cause=standing.reason, hint=standing.hint)


def counted(hook: Hook, outcome: Outcome, firing: Firing, rooms: Rooms) -> Outcome:
    """Return the outcome of a run, or, when the hook's files did not stay what they were, that it is void."""
    standing = _standing_afterwards(hook, firing, rooms)
    return outcome if standing is None else refusal(standing).replace(seconds=outcome.seconds)


def _standing_afterwards(hook: Hook, firing: Firing, rooms: Rooms) -> Standing | None:
    checked = firing.checks.get(hook.id)
    standing = firing.trust.changed_while_it_ran(checked) if checked is not None else None
    if standing is not None:
        rooms.forget(hook)
    return standing


def void_modules(firing: Firing, report: Report, rooms: Rooms) -> dict[str, Standing]:
    """Return how modules stand whose files did not stay what they were, by owner: what they said is void."""
    if report is NOTHING_CALLED:
        return {}
    found = ((hook, _standing_afterwards(hook, firing, rooms)) for hook in firing.modules)
    return {owner_of(hook): standing for hook, standing in found if standing is not None}
