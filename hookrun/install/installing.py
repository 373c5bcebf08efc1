"""An agent's settings wired to the bridge, and back: what was done to each file, or would be."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from hookrun.agents.settings import Installation, installation_of
from hookrun.install.changes import decoded, put_in, script_put_in, script_taken_out, taken_out
from hookrun.install.entries import is_ours
from hookrun.install.place import Place
from hookrun.install.problems import problems_of
from hookrun.install.scripts import script_texts
from hookrun.install.settings import entries_in
from hookrun.install.writing import Change, Written, rewrite
from hookrun.model import constants
from hookrun.model.errors import HookrunError
from hookrun.model.frozen import Frozen
from hookrun.model.values import Problem

CREATED, CHANGED, ALREADY, REMOVED = "created", "changed", "already there", "removed"
REFUSED, NOTHING = "refused", "nothing there"


class FileStep(Frozen):
    """One file: ``state`` in words, the events that were put in, renewed and taken out, ``backup`` "" when
    none was needed, ``before`` and ``after`` as text."""

    path: str
    state: str
    added: tuple[str, ...] = ()
    renewed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    backup: str = ""
    before: str = ""
    after: str = ""


class Step(Frozen):
    """What was done for one agent. ``left`` is what a person still has to do."""

    agent: str
    files: tuple[FileStep, ...] = ()
    left: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def install_agent(
    agent: str, place: Place, level: str, with_agents: Sequence[str] = (), *, is_dry_run: bool = False
) -> Step:
    """Wire *agent* to the bridge at *level*; a file that cannot be used is left alone and is a problem."""
    wiring = _wiring(agent)
    if not wiring.shape:
        return Step(agent=agent, left=wiring.advice)
    others = [other for other in dict.fromkeys(with_agents) if other != agent]
    change: Any = script_put_in if wiring.shape == "executables" else put_in
    files, problems = _rewritten(wiring, place, level, lambda *given: change(wiring, others, *given), is_dry_run)
    advice = (*wiring.advice, *(wiring.project_advice if level == constants.PROJECT else ()))
    is_changed = any(file.state in (CREATED, CHANGED) for file in files)
    is_there = is_changed or any(file.state == ALREADY for file in files)
    return Step(
        agent=agent,
        files=files,
        left=advice if is_changed else (),
        problems=(*problems, *(problems_of(wiring, place, level) if is_there else ())),
    )


def uninstall_agent(agent: str, place: Place, level: str, *, is_dry_run: bool = False) -> Step:
    """Take every entry of hookrun out of the settings of *agent* at *level*."""
    wiring = _wiring(agent)
    if not wiring.shape:
        return Step(agent=agent)
    change: Any = script_taken_out if wiring.shape == "executables" else taken_out
    files, problems = _rewritten(wiring, place, level, lambda *given: change(wiring, *given), is_dry_run)
    return Step(agent=agent, files=files, problems=problems)


def _wiring(agent: str) -> Installation:
    wiring = installation_of(agent)
    assert wiring, agent
    return wiring


def _rewritten(
    wiring: Installation, place: Place, level: str, change: Callable[..., Change], is_dry_run: bool
) -> tuple[tuple[FileStep, ...], tuple[Problem, ...]]:
    """Return what became of each of the agent's files, *change* given path, content, has_backup."""
    path = place.settings(wiring, level)
    base = place.root if level == constants.PROJECT else place.home or os.path.dirname(path)
    is_script = wiring.shape == "executables"
    paths = [os.path.join(path, event) for event in script_texts(wiring, ())] if is_script else [path]
    files: list[FileStep] = []
    problems: list[Problem] = []
    for file in paths:

        def changed(content: bytes | None, has_backup: bool, file: str = file) -> Change:
            return change(file, content, has_backup)

        try:
            mode = 0o777 if is_script else 0o666
            written = rewrite(file, base, changed, mode=mode, is_dry_run=is_dry_run)
            files.append(_file_step(file, wiring, written))
        except HookrunError as error:
            files.append(FileStep(path=file, state=REFUSED))
            problems.append(_refusal(error, file))
    return tuple(files), tuple(problems)


def _refusal(error: HookrunError, path: str) -> Problem:
    line = getattr(error, "line", 0)
    return Problem(
        level="error",
        source=path,
        where=f"line {line}" if line else "",
        message=error.message,
        hint=error.hint or "fix the file; it has been left as it is",
    )


def _file_step(path: str, wiring: Installation, written: Written) -> FileStep:
    before, after = _event_values(path, wiring, written.before), _event_values(path, wiring, written.after)
    return FileStep(
        path=path,
        state=_state(written, has_ours=bool(after)),
        added=tuple(event for event in after if event not in before),
        renewed=tuple(event for event in after if event in before and after[event] != before[event]),
        removed=tuple(event for event in before if event not in after),
        backup=written.backup,
        before=_text(written.before),
        after=_text(written.after),
    )


def _state(written: Written, *, has_ours: bool) -> str:
    if written.before == written.after:
        return ALREADY if has_ours else NOTHING
    if written.before is None:
        return CREATED
    return REMOVED if written.after is None else CHANGED


def _event_values(path: str, wiring: Installation, content: bytes | None) -> dict[str, Any]:
    """Return our entries in *content* by event; two of one event are as good as another entry."""
    _, text = decoded(content or b"", path)
    if not is_ours(text, wiring.agent):
        return {}
    if wiring.shape == "executables":
        return {os.path.basename(path): text}
    found = entries_in(text, path, wiring)
    counts = Counter(entry.event for entry in found)
    return {entry.event: (entry.value, counts[entry.event]) for entry in found}


def _text(content: bytes | None) -> str:
    return (content or b"").decode("utf-8", "replace")
