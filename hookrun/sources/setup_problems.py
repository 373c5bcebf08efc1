"""Flaws in what was found -> those that matter to an event; `list`, `validate`, `doctor` tell all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hookrun.model.events import event_named
from hookrun.model.values import Event, Hook, Problem

REMOVE_KEY = "remove it"  # the hint for an unknown key that resembles no other: it hides nothing
# Keys of a manifest whose flaws take no guard away.
_HARMLESS = ("name", "version", "description", "author", "homepage", "license")
_CONTRIBUTES, _GUARDS = "contributes.", ("contributes.hooks", "contributes.rules")


def that_matter(problems: Iterable[Problem], event: Event, matches: Sequence[Hook]) -> tuple[Problem, ...]:
    """Return those of *problems* that touch a hook of *matches*, that name *event*, or that may hide a guard
    of it."""
    files = {hook.file for hook in matches}
    known = event_named(event.event)
    is_guarded = known is not None and known.guarded
    return tuple(
        problem
        for problem in problems
        if problem.source in files
        or event.event in problem.where
        or _is_about_a_whole_file(problem)
        or (is_guarded and _may_hide_a_guard(problem))
    )


def _is_about_a_whole_file(problem: Problem) -> bool:
    """Say whether a file could not be read at all: whatever it holds, this event may be among it."""
    is_line = problem.where.startswith("line ") and problem.where.removeprefix("line ").isdecimal()
    return problem.level == "error" and (not problem.where or is_line)


def _may_hide_a_guard(problem: Problem) -> bool:
    if problem.where in _HARMLESS or problem.hint == REMOVE_KEY:
        return False
    return not problem.where.startswith(_CONTRIBUTES) or problem.where.startswith(_GUARDS)
