"""hookrun's entries in the text of an agent's settings: put in, exchanged, taken out, counted. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hookrun.agents.settings import Installation
from hookrun.config.json_parts import Part
from hookrun.install.edits import appended, exchanged, is_on_its_own, laid_out, line_end, without
from hookrun.install.tree import Tree, misshapen, read_tree
from hookrun.model.frozen import Frozen
from hookrun.sources.agent_settings.commands import only_asks_hookrun

HOOKS = "hooks"


class InstalledEntry(Frozen):
    """An entry of ours in an agent's settings."""

    event: str
    chain: tuple[tuple[Part, Part], ...]  # what holds it, outermost first: container and part in it
    value: Any  # the item of the event's list; our handler alone where the group is shared
    group: int  # index in the list
    handler: int = 0  # index in the group
    is_shared: bool = False  # the group has handlers of others


class Removed(Frozen):
    """A text without our entries."""

    text: str
    is_bare: bool = False  # only what install writes into a new file is left
    was_blank: bool = False  # the file existed before, without a value


def with_entries(text: str, path: str, wiring: Installation, wanted: Mapping[str, Any]) -> str:
    """Return the settings *text* with the entry of *wanted* for each event, and no other entry of ours.

    Raises DocumentError, with the line where it can, for a text that cannot be read or has another shape.
    """
    tree = _read(text, path, wiring)
    if tree.root is None:
        return _new(text, wiring, wanted)
    tree, _ = _cleared(tree, wiring, lambda entries: [each for each in entries if each.event not in wanted])
    for event, value in wanted.items():
        tree = _with_entry(tree, wiring, event, value)
    return tree.text


def without_entries(text: str, path: str, wiring: Installation) -> Removed:
    """Return the settings *text* without our entries, and without the containers that install made.

    Raises DocumentError as with_entries does.
    """
    tree, hooks_went = _cleared(_read(text, path, wiring), wiring, lambda entries: entries)
    if not hooks_went or not tree.root or tree.value != dict(wiring.head):
        return Removed(text=tree.text)
    if text.startswith(("\n", "\r\n")) and not any(start < tree.root.end for start, _ in tree.comments):
        blank = tree.text[tree.root.end :].removeprefix(line_end(tree.text))
        return Removed(text=blank, was_blank=True)
    return Removed(text=tree.text, is_bare=not tree.comments)


def entries_in(text: str, path: str, wiring: Installation) -> tuple[InstalledEntry, ...]:
    """Return our entries in the settings *text*, in order. Raises DocumentError as with_entries does."""
    return tuple(_entries(_read(text, path, wiring), wiring))


def new_settings(wiring: Installation, wanted: Mapping[str, Any]) -> str:
    """Return the text of a settings file that has nothing but our entries."""
    hooks = {event: [value] for event, value in wanted.items()}
    return laid_out({**wiring.head, HOOKS: hooks}, "", "") + "\n"


def _new(blank: str, wiring: Installation, wanted: Mapping[str, Any]) -> str:
    """Return settings in place of a *blank* text; the empty line before them tells that there was one."""
    end = line_end(blank)
    return end + new_settings(wiring, wanted).replace("\n", end) + blank


def _cleared(
    tree: Tree, wiring: Installation, chosen: Callable[[list[InstalledEntry]], list[InstalledEntry]]
) -> tuple[Tree, bool]:
    """Return the parts without the *chosen* ones of our entries, and whether hooks that install had made
    went with them.

    The last goes first: the first one tells whether its container was there before.
    """
    hooks_went = False
    while entries := chosen(list(_entries(tree, wiring))):
        text, hooks_went = _taken_out(tree, entries[-1])
        tree = _read(text, tree.path, wiring)
    return tree, hooks_went


def _with_entry(tree: Tree, wiring: Installation, event: str, value: Any) -> Tree:
    def surplus(entries: list[InstalledEntry]) -> list[InstalledEntry]:
        return [entry for entry in entries if entry.event == event][1:]

    tree, _ = _cleared(tree, wiring, surplus)
    ours = [entry for entry in _entries(tree, wiring) if entry.event == event]
    text = _renewed(tree, ours[0], value) if ours else _added(tree, event, value)
    return tree if text == tree.text else _read(text, tree.path, wiring)


def _added(tree: Tree, event: str, value: Any) -> str:
    """Return the text with *value* behind all other hooks: Codex knows each by its number."""
    assert tree.root
    hooks = tree.root.part(HOOKS)
    if hooks is None:
        return appended(tree, tree.root, HOOKS, {event: [value]})
    found = hooks.part(event)
    if found is None:
        return appended(tree, hooks, event, [value])
    return appended(tree, found, "", value)


def _renewed(tree: Tree, entry: InstalledEntry, value: Any) -> str:
    """Return the text with *value* in the place of our *entry*; its neighbours keep their places."""
    wanted = value[HOOKS][0] if entry.is_shared else value
    if entry.value == wanted:
        return tree.text
    place = -1 if entry.is_shared else 2
    return exchanged(tree, entry.chain[place][1], wanted)


def _taken_out(tree: Tree, entry: InstalledEntry) -> tuple[str, bool]:
    """Return the text without *entry*, and whether all of the hooks went with it, which install had made.

    A container that would be empty goes as well, unless it existed before or holds a comment.
    """
    chain = list(entry.chain)
    while len(chain) > 1 and len(chain[-1][0].parts) == 1 and not _has_comment(tree, chain[-1][0]):
        if len(chain) <= 3 and not is_on_its_own(tree, chain[-1][1]):
            break
        chain.pop()
    container, part = chain[-1]
    return without(tree, container, part), len(chain) == 1 and is_on_its_own(tree, part)


def _has_comment(tree: Tree, container: Part) -> bool:
    return any(container.begin < start < container.end for start, _ in tree.comments)


def _entries(tree: Tree, wiring: Installation) -> Iterator[InstalledEntry]:
    root = tree.root
    hooks = root.part(HOOKS) if root else None
    if root is None or hooks is None:
        return
    for event in hooks.parts:
        for index, part in enumerate(event.parts):
            value = tree.value[HOOKS][event.key][index]
            chain = ((root, hooks), (hooks, event), (event, part))
            yield from _entries_of(str(event.key), chain, value, index, wiring)


def _entries_of(
    event: str, chain: tuple[tuple[Part, Part], ...], value: Any, index: int, wiring: Installation
) -> Iterator[InstalledEntry]:
    if wiring.shape == "handlers":
        if _is_our_handler(value, wiring):
            yield InstalledEntry(event=event, chain=chain, value=value, group=index)
        return
    handlers = chain[-1][1].part(HOOKS)
    for number, handler in enumerate(value[HOOKS] if handlers else ()):
        if handlers and _is_our_handler(handler, wiring):
            is_shared = len(value[HOOKS]) > 1
            yield InstalledEntry(
                event=event,
                chain=(*chain, (handlers, handlers.parts[number])),
                value=handler if is_shared else value,
                group=index,
                handler=number,
                is_shared=is_shared,
            )


def _is_our_handler(value: Any, wiring: Installation) -> bool:
    command = value.get(wiring.command_key) if isinstance(value, dict) else None
    return isinstance(command, str) and only_asks_hookrun(command, wiring.agent)


def _read(text: str, path: str, wiring: Installation) -> Tree:
    """Return the parts of *text*, whose hooks have the shape that this agent reads."""
    tree = read_tree(text, path, has_comments=wiring.has_comments)
    if tree.root is None:
        return tree
    if tree.root.kind != "{":
        raise misshapen(tree, tree.root, "is not an object", "an agent's settings are one JSON object")
    hooks = tree.root.part(HOOKS)
    if hooks is None:
        return tree
    if hooks.kind != "{":
        raise misshapen(tree, hooks, "hooks is not an object", 'write "hooks": {"EVENT": [...]}')
    for event in hooks.parts:
        _check_event(tree, event, wiring)
    return tree


def _check_event(tree: Tree, event: Part, wiring: Installation) -> None:
    where = f"{HOOKS}.{event.key}"
    if event.kind != "[":
        if event.key in wiring.not_events:
            return
        raise misshapen(tree, event, f"{where} is not a list", "an event has a list of hooks")
    for part in event.parts if wiring.shape == "groups" else ():
        handlers = part.part(HOOKS)
        if handlers is not None and handlers.kind != "[":
            raise misshapen(tree, handlers, f"{where}[{part.key}].hooks is not a list", "write a list")
