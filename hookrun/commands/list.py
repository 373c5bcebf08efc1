"""Every hook that was found with its state, by event: rows for people and a document for programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hookrun.commands.validate.finding import Finding
from hookrun.commands.validate.lost_results import bridged_agents, note_lost_results
from hookrun.commands.validate.states import BROKEN, find_states
from hookrun.config.paths import shown
from hookrun.model import constants
from hookrun.model.errors import UsageError
from hookrun.model.events import EVENTS
from hookrun.model.frozen import Frozen
from hookrun.model.values import Hook, Problem
from hookrun.runner import HookRunner, event_type
from hookrun.sources.registry import Entry

EVERY_EVENT = "*"
WIDGETS = "widgets"
COMMANDS = "commands"
HEADER = ("ID", "ROLE", "HOOK", "MATCHER", "FROM", "STATE")
ROLE_BY_KIND = {constants.UI: "widget", constants.COMMAND: "command"}
TITLE_BY_GROUP = {EVERY_EVENT: "every event"}
PLURAL_BY_STATE = {constants.DENIES: "deny", constants.NEVER_FIRES: "never fire"}


class Listing(Frozen):
    """Hooks by event, in order; what no event fires is under WIDGETS and COMMANDS.

    ``entries`` are the same hooks, each once, in registry order; ``unread`` are files that look like hooks and that
    nothing reads."""

    entries: tuple[Entry, ...]
    groups: Mapping[str, tuple[Entry, ...]]
    unread: tuple[Finding, ...] = ()

    @property
    def in_force(self) -> int:
        """How many of the entries are in force."""
        return sum(entry.state == constants.IN_FORCE for entry in self.entries)


def list_hooks(runner: HookRunner, *, event: str = "", tool: str = "") -> Listing:
    """Return the hooks of *runner*, those only that answer *event* (any spelling) and could match *tool*.

    Raises UsageError for an unknown event, and for a tool with an event that has none."""
    wanted = event_type(event).name if event else ""
    if wanted and tool and not _can_have_tool(wanted):
        raise UsageError(f"{wanted} has no tool", where="--tool", hint="leave out --tool, or name another event")
    entries_by_group: dict[str, list[Entry]] = {}
    entries = []
    states = find_states(runner)
    for entry in note_lost_results(states.entries, bridged_agents(runner.config)):
        groups = _wanted_groups(runner, entry.hook, wanted, tool)
        for group in groups:
            entries_by_group.setdefault(group, []).append(entry)
        if groups or not (event or tool):
            entries.append(entry)
    order = [EVERY_EVENT, *EVENTS, WIDGETS, COMMANDS]
    ordered = sorted(entries_by_group, key=order.index)
    return Listing(
        entries=tuple(entries),
        groups={group: tuple(entries_by_group[group]) for group in ordered},
        unread=() if event or tool else states.unread,
    )


def listing_rows(
    listing: Listing, group: str, *, root: str, home: str, active: bool, with_files: bool = True
) -> list[tuple[str, ...]]:
    """Return the rows of one group, a cell for each of HEADER; the state has its reason. Where a hook is
    from is its level and, *with_files*, its file."""
    return [
        (
            entry.hook.id,
            ROLE_BY_KIND.get(entry.hook.kind, entry.hook.role),
            entry.hook.title,
            _matcher(entry.hook, group),
            _from(entry.hook, shown(entry.hook.file, root, home) if with_files else ""),
            state_text(entry),
        )
        for entry in listing.groups[group]
        if not active or entry.state == constants.IN_FORCE
    ]


def _from(hook: Hook, file: str) -> str:
    return f"{hook.level}, {file}" if file and file != hook.title else hook.level


def state_text(entry: Entry) -> str:
    """Return the state of a hook in words, with the reason and what is odd about it."""
    hook = entry.hook
    # What is not told by the reason: how to end a denial, and the name that was meant.
    is_short = entry.state == constants.DENIES or entry.hint.startswith("did you mean")
    hint = entry.hint if is_short and entry.hint.rpartition("then ")[2] not in entry.reason else ""
    flaw = hook.flaw if entry.state not in BROKEN else ""
    remarks = [
        entry.reason,
        hint,
        f"cannot start: {flaw}" if flaw else "",
        hook.flaw_hint,
        hook.note,
        "serial" if hook.serial else "",
    ]
    return ": ".join([entry.state, *filter(None, ["; ".join(filter(None, remarks))])])


def summary(entries: Sequence[Entry]) -> str:
    """Return the last line: how many are in force, and how many are not for which reason."""
    count_by_state: dict[str, int] = {}
    for entry in entries:
        count_by_state[entry.state] = count_by_state.get(entry.state, 0) + 1
    in_force = count_by_state.pop(constants.IN_FORCE, 0)
    others = ", ".join(
        f"{count} {PLURAL_BY_STATE.get(state, state) if count > 1 else state}"
        for state, count in count_by_state.items()
    )
    return f"{in_force} of {len(entries)} in force" + (f"; {others}" if others else "")


def listing_document(
    listing: Listing, runner: HookRunner, problems: Iterable[Problem], *, active: bool
) -> dict[str, Any]:
    """Return everything as one JSON-ready mapping; with *active* only the hooks in force."""
    shown_entries = [entry for entry in listing.entries if not active or entry.state == constants.IN_FORCE]
    return {
        "hooks": [entry_document(entry) for entry in shown_entries],
        "skipped": [{"path": skip.path, "reason": skip.reason, "source": skip.source} for skip in runner.loaded.skips],
        "unread": [unread_document(finding) for finding in listing.unread],
        "problems": [problem.document() for problem in problems],
        "in_force": listing.in_force,
        "total": len(listing.entries),
    }


def unread_document(finding: Finding) -> dict[str, Any]:
    """Return a file that looks like a hook and is none as a JSON-ready mapping."""
    return {"path": finding.file, "message": finding.message, "hint": finding.hint}


def entry_document(entry: Entry) -> dict[str, Any]:
    """Return one hook and its state as a JSON-ready mapping."""
    hook = entry.hook
    return {
        "id": hook.id,
        "title": hook.title,
        "kind": hook.kind,
        "source": hook.source,
        "level": hook.level,
        "file": hook.file,
        "key": hook.key,
        "plugin": hook.plugin,
        "dialect": hook.dialect,
        "events": [{"event": trigger.event, "matcher": trigger.matcher} for trigger in hook.triggers],
        "role": hook.role,
        "timeout_ms": None if hook.timeout is None else round(hook.timeout * 1000),
        "on_failure": hook.on_failure,
        "serial": hook.serial,
        "state": entry.state,
        "reason": entry.reason,
        "hint": entry.hint,
        "flaw": hook.flaw,
        "note": hook.note,
        "widget": _widget_document(hook),
        "command": hook.command or None,
        "description": hook.description or (hook.widget.description if hook.widget else ""),
    }


def _widget_document(hook: Hook) -> dict[str, Any] | None:
    widget = hook.widget
    if widget is None:
        return None
    return {
        "id": widget.id,
        "slot": widget.slot,
        "priority": widget.priority,
        "sync": widget.sync,
        "refresh_ms": round(widget.refresh * 1000),
    }


def _wanted_groups(runner: HookRunner, hook: Hook, wanted: str, tool: str) -> list[str]:
    """Return the groups that *hook* is listed in: those of the event *wanted* and of *tool*, all where that is ""."""
    groups = [group for group in _groups(hook) if not wanted or group in (wanted, EVERY_EVENT)]
    return [group for group in groups if not tool or _matches(runner, hook, group, tool, wanted)]


def _groups(hook: Hook) -> list[str]:
    groups = list(dict.fromkeys(trigger.event for trigger in hook.triggers))
    if not groups:
        groups = [COMMANDS if hook.kind == constants.COMMAND else WIDGETS]
    return groups


def _matches(runner: HookRunner, hook: Hook, group: str, tool: str, wanted: str) -> bool:
    """Say whether *hook* fires for *group*'s event when it is about *tool*."""
    event = wanted or ("PreToolUse" if group == EVERY_EVENT else group)
    if group in (WIDGETS, COMMANDS) or not _can_have_tool(event):
        return False
    described, _ = runner.event(event, tool=tool)
    (match,) = runner.explain(described, [hook])
    return match.fires


def _can_have_tool(event: str) -> bool:
    return EVENTS[event].has_tool or EVENTS[event].one_agent


def _matcher(hook: Hook, group: str) -> str:
    if hook.command:
        return hook.command
    matchers = [trigger.matcher or "*" for trigger in hook.triggers if trigger.event == group]
    has_tool = group == EVERY_EVENT or (group in EVENTS and _can_have_tool(group))
    return "|".join(dict.fromkeys(matchers)) if has_tool else ""
