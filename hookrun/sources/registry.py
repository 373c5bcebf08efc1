"""The hooks in force, in order, and those that are not, each with its state and the reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hookrun.model import constants
from hookrun.model.frozen import Frozen
from hookrun.model.values import Hook, Problem, Standing

ANY_EVENT = "*"
_TRUSTED = Standing(status=constants.TRUSTED)
_MATCHED_BY_NAME = (constants.CONTRIBUTED, constants.UI)  # script folders match by kind of tool


class Entry(Frozen):
    """A hook with its state."""

    hook: Hook
    # In force, shadowed, disabled, untrusted; commands/validate/states.py adds denies, cannot start, never fires.
    state: str = constants.IN_FORCE
    reason: str = ""
    hint: str = ""  # what to do about it


class Registry:
    """An immutable snapshot of all hooks, in order."""

    def __init__(self, found: Sequence[tuple[Hook, str, str]], problems: Sequence[Problem]) -> None:
        """Take (hook, state, reason) of every hook, in order."""
        self._found = tuple(found)
        self.problems = tuple(problems)
        self.in_force = tuple(hook for hook, state, _ in found if state == constants.IN_FORCE)
        self.untrusted = tuple(hook for hook, state, _ in found if state == constants.UNTRUSTED)
        # An untrusted hook does not run, but what it would have guarded is not passed over in silence.
        self.asked = (
            self.in_force
            if not self.untrusted
            else tuple(hook for hook, state, _ in found if state in (constants.IN_FORCE, constants.UNTRUSTED))
        )
        self.dialects = tuple({hook.dialect: None for hook in self.asked})
        self._index_by_event: dict[str, _Index] = {}

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every hook that was found, with what became of it. An event does without, so it is made here."""
        return tuple(Entry(hook=hook, state=state, reason=reason) for hook, state, reason in self._found)

    def hooks_of(self, event: str, names_by_dialect: Mapping[str, Sequence[str]] | None = None) -> list[Hook]:
        """Return the hooks, in force or untrusted, with a trigger for *event*, in order.

        *names_by_dialect*, the names of the tool, leaves out hooks whose matchers are other plain names: of thousands
        of hooks only a few have to be asked.
        """
        index = self._index_by_event.get(event)
        if index is None:
            index = self._index_by_event[event] = _Index(self.asked, event)
        return [self.asked[position] for position in index.candidates(names_by_dialect)]


class _Index:
    """Where in the order the hooks of one event are: by the plain names they match, or to be asked always."""

    def __init__(self, hooks: Sequence[Hook], event: str) -> None:
        self._always: list[int] = []
        self._by_name: dict[tuple[str, str], list[int]] = {}
        self._all: list[int] = []
        for position, hook in enumerate(hooks):
            for trigger in hook.triggers:
                if trigger.event in (event, ANY_EVENT):
                    break
            else:
                continue
            matchers = [trigger.matcher for trigger in hook.triggers if trigger.event in (event, ANY_EVENT)]
            self._all.append(position)
            if hook.kind in _MATCHED_BY_NAME and all(matcher and "*" not in matcher for matcher in matchers):
                for name in {name.strip() for matcher in matchers for name in matcher.split("|")}:
                    self._by_name.setdefault((hook.dialect, name), []).append(position)
            else:
                self._always.append(position)

    def candidates(self, names_by_dialect: Mapping[str, Sequence[str]] | None) -> list[int]:
        if names_by_dialect is None:
            return self._all
        found = set(self._always)
        for dialect, tool_names in names_by_dialect.items():
            for name in tool_names:
                found.update(self._by_name.get((dialect, name), ()))
        return sorted(found)


def register(
    hooks: Sequence[Hook],
    disable: Sequence[str],
    standing_of: Callable[[Hook, bool], Standing] = lambda _hook, _by_its_files: _TRUSTED,
) -> Registry:
    """Return the registry of *hooks* (in the order of sources); *disable* has ids, plugins, keys or titles.

    *standing_of* returns the trust in a hook, by its files where several claim a key: only a trusted hook takes one.
    The first with a key keeps it. A guard gives way only to a hook of its own level and folder: a project can never
    shadow its user's guard, nor an inner folder the one around it.
    """
    holders: dict[tuple[str, ...], Hook] = {}
    entries: list[tuple[Hook, str, str]] = []
    problems: list[Problem] = []
    disabled = set(disable)
    contested = _keys_of_several(hooks)
    used: set[str] = set()
    seen_ids: dict[str, int] = {}
    for found in hooks:
        hook = _with_unique_id(found, seen_ids)
        named = disabled.intersection((hook.id, hook.plugin, hook.key, hook.title)) if disabled else ()
        if named:
            used.update(named)
            entries.append((hook, constants.DISABLED, "the configuration disables it"))
            continue
        standing = standing_of(hook, hook.key in contested)
        if standing.status != constants.TRUSTED:
            entries.append((hook, constants.UNTRUSTED, standing.reason))
            continue
        holder = _holder(hook, holders)
        if holder is not None:
            reason = f"{holder.title} ({holder.source}, {holder.level}) has its key"
            entries.append((hook, constants.SHADOWED, reason))
            problems += _refused(hook, holder, problems)
            continue
        entries.append((hook, constants.IN_FORCE, ""))
    problems += [
        Problem(message=f"disable names {name!r}, but there is no such hook", hint="`hookrun list` shows the ids")
        for name in disable
        if name not in used
    ]
    return Registry(entries, problems)


def _keys_of_several(hooks: Sequence[Hook]) -> set[str]:
    """Return the keys that hooks of more than one file have."""
    file_by_key: dict[str, str] = {}
    return {hook.key for hook in hooks if hook.key and file_by_key.setdefault(hook.key, hook.file) != hook.file}


def _holder(hook: Hook, holders: dict[tuple[str, ...], Hook]) -> Hook | None:
    """Return the hook that keeps *hook*'s key from it, and remember *hook* as holder where it is free."""
    if not hook.key:
        return None
    kind = "plugin" if hook.plugin else "script"
    in_scope = (kind, hook.key, hook.level, hook.place)
    holder = holders.setdefault(in_scope, hook)
    if holder.file != hook.file:
        return holder
    anywhere = holders.setdefault((kind, hook.key), hook)
    # A module's key is its very file: nothing is lost when that is called once.
    if anywhere.file != hook.file and (hook.role != constants.GUARD or hook.kind == constants.MODULE):
        if holder is hook:
            del holders[in_scope]
        return anywhere
    return None


def _refused(hook: Hook, holder: Hook, problems: Sequence[Problem]) -> list[Problem]:
    """A second plugin of one id within a level is a mistake, not a choice: say so, once a file."""
    if not hook.plugin or hook.level != holder.level or any(problem.source == hook.file for problem in problems):
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
