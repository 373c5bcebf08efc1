"""The hooks in force, in order, and those that are not, each with its state and the reason."""

from __future__ import annotations

from hookrun.words import names
from hookrun.words.frozen import Frozen
from hookrun.words.model import Hook, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

ANY_EVENT = "*"


class Entry(Frozen):
    """A hook and what became of it: ``state`` is in force, shadowed, disabled, untrusted or unusable."""

    hook: Hook
    state: str = names.IN_FORCE
    reason: str = ""


class Registry:
    """An immutable snapshot of all hooks; ``entries`` holds every one found, in order."""

    def __init__(self, entries: Sequence[Entry], problems: Sequence[Problem]) -> None:
        self.entries = tuple(entries)
        self.problems = tuple(problems)
        self._hooks_by_event: dict[str, list[tuple[int, Hook]]] = {}
        self.in_force = tuple(entry.hook for entry in entries if entry.state == names.IN_FORCE)
        for index, hook in enumerate(self.in_force):
            for event in dict.fromkeys(trigger.event for trigger in hook.triggers):
                self._hooks_by_event.setdefault(event, []).append((index, hook))

    def hooks_of(self, event: str) -> list[Hook]:
        """Return the hooks in force that have a trigger for *event*, in order."""
        found = self._hooks_by_event.get(event, [])
        if event != ANY_EVENT and ANY_EVENT in self._hooks_by_event:
            found = sorted(
                {index: (index, hook) for index, hook in (*found, *self._hooks_by_event[ANY_EVENT])}.values(),
                key=lambda pair: pair[0],
            )
        return [hook for _, hook in found]


def register(hooks: Sequence[Hook], disable: Sequence[str]) -> Registry:
    """Return the registry of *hooks* (in the order of sources); *disable* holds ids, plugins, keys or titles.

    The first with a key keeps it. A guard gives way only to a hook of its own level and folder: a
    project can never shadow its user's guard, nor an inner folder the one around it.
    """
    holders: dict[tuple[str, ...], Hook] = {}
    entries = []
    problems: list[Problem] = []
    disabled = set(disable)
    used: set[str] = set()
    seen_ids: dict[str, int] = {}
    for found in hooks:
        hook = _with_unique_id(found, seen_ids)
        named = disabled.intersection((hook.id, hook.plugin, hook.key, hook.title)) if disabled else ()
        if named:
            used.update(named)
            entries.append(Entry(hook=hook, state=names.DISABLED, reason="the configuration disables it"))
            continue
        holder = _holder(hook, holders)
        if holder is not None:
            entries.append(
                Entry(
                    hook=hook,
                    state=names.SHADOWED,
                    reason=f"{holder.title} ({holder.source}, {holder.level}) has its key",
                )
            )
            problems += _refused(hook, holder, problems)
            continue
        entries.append(Entry(hook=hook))
    problems += [
        Problem(
            message=f"disable names {name!r}, and there is no such hook", hint="`hookrun list` shows the ids"
        )
        for name in disable
        if name not in used
    ]
    return Registry(entries, problems)


def _holder(hook: Hook, holders: dict[tuple[str, ...], Hook]) -> Hook | None:
    """Return the hook that keeps *hook*'s key from it, and remember *hook* as holder where it is free."""
    if not hook.key:
        return None
    scope = (hook.level, hook.place)
    key = ("plugin" if hook.plugin else "script", hook.key)
    for taken in ((*key, *scope), key):
        holder = holders.get(taken)
        if holder is not None and holder.file != hook.file and (taken != key or hook.role != names.GUARD):
            return holder
    holders.setdefault(key, hook)
    holders.setdefault((*key, *scope), hook)
    return None


def _refused(hook: Hook, holder: Hook, problems: Sequence[Problem]) -> list[Problem]:
    """A second plugin of one id within a level is a mistake, not a choice: say so, once a file."""
    if (
        not hook.plugin
        or hook.level != holder.level
        or any(problem.source == hook.file for problem in problems)
    ):
        return []
    return [
        Problem(
            message=f"the id {hook.plugin!r} is taken by {holder.file}; this plugin is refused",
            level="error",
            source=hook.file,
            where="id",
            hint="give it an id of its own",
        )
    ]


def _with_unique_id(hook: Hook, seen: dict[str, int]) -> Hook:
    count = seen[hook.id] = seen.get(hook.id, 0) + 1
    return hook if count == 1 else hook.replace(id=f"{hook.id}-{count}")
