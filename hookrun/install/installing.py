"""An agent's settings wired to the bridge, and back: what was done to each file, or would be."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hookrun.agents import protocol_of
from hookrun.agents.settings import Installation, installation_of
from hookrun.install.entries import entries, is_our_script, is_ours, is_untouched, script_texts
from hookrun.install.place import InstallPlace
from hookrun.install.problems import problems_of
from hookrun.install.settings import entries_in, new_settings, with_entries, without_entries
from hookrun.install.writing import FileChange, Written, rewrite
from hookrun.model import constants
from hookrun.model.errors import DocumentError, HookrunError
from hookrun.model.frozen import Frozen
from hookrun.model.values import Problem

CREATED, CHANGED, ALREADY, REMOVED = "created", "changed", "already there", "removed"
REFUSED, NOTHING = "refused", "nothing there"


class FileStep(Frozen):
    """What was done to one file."""

    path: str
    state: str  # created, changed, already there, removed, refused or nothing there
    added: tuple[str, ...] = ()  # events
    renewed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    backup: str = ""  # its path, "" where none was made
    before: str = ""  # the text
    after: str = ""


class Step(Frozen):
    """What was done for one agent."""

    agent: str
    files: tuple[FileStep, ...] = ()
    left: tuple[str, ...] = ()  # what the user still has to do
    problems: tuple[Problem, ...] = ()


def install_agent(
    agent: str, place: InstallPlace, level: str, with_agents: Sequence[str] = (), *, is_dry_run: bool = False
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


def uninstall_agent(agent: str, place: InstallPlace, level: str, *, is_dry_run: bool = False) -> Step:
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
    wiring: Installation, place: InstallPlace, level: str, change: Callable[..., FileChange], is_dry_run: bool
) -> tuple[tuple[FileStep, ...], tuple[Problem, ...]]:
    """Return what became of each of the agent's files, *change* given path, content, has_backup."""
    path = place.settings(wiring, level)
    base = place.root if level == constants.PROJECT else place.home or os.path.dirname(path)
    is_script = wiring.shape == "executables"
    paths = [os.path.join(path, event) for event in script_texts(wiring, ())] if is_script else [path]
    files: list[FileStep] = []
    problems: list[Problem] = []
    for file in paths:

        def changed(content: bytes | None, has_backup: bool, file: str = file) -> FileChange:
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


def steps_document(steps: Iterable[Step], level: str, *, is_dry_run: bool) -> dict[str, Any]:
    """Return what was done as one JSON-ready mapping."""
    return {
        "level": level,
        "dry_run": is_dry_run,
        "agents": [
            {
                "agent": step.agent,
                "known_from": known_from(step.agent),
                "files": [
                    {
                        "path": file.path,
                        "state": file.state,
                        "added": list(file.added),
                        "renewed": list(file.renewed),
                        "removed": list(file.removed),
                        "backup": file.backup or None,
                        "diff": difference(file) if is_dry_run else None,
                    }
                    for file in step.files
                ],
                "left_to_do": list(step.left),
                "problems": [problem.document() for problem in step.problems],
            }
            for step in steps
        ],
    }


def known_from(agent: str) -> str:
    """Return how it is known what *agent* can do: the versions that were measured, or that it was read."""
    return protocol_of(agent).replies.known_from


def difference(file: FileStep) -> str:
    """Return what is done to *file* as a unified diff."""
    from difflib import unified_diff

    before, after = file.before.splitlines(keepends=True), file.after.splitlines(keepends=True)
    old = file.path if file.before else "/dev/null"
    new = file.path if file.after else "/dev/null"
    lines = unified_diff(before, after, old, new)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


_BOM = b"\xef\xbb\xbf"


def put_in(
    wiring: Installation, others: Sequence[str], path: str, content: bytes | None, _has_backup: bool
) -> FileChange:
    """Return the change of a settings file that puts our entries in."""
    wanted = entries(wiring, others)
    if content is None:
        return FileChange(content=new_settings(wiring, wanted).encode())
    mark, text = decoded(content, path)
    after = mark + with_entries(text, path, wiring, wanted).encode()
    return FileChange(content=after, from_before=not entries_in(text, path, wiring))


def taken_out(wiring: Installation, path: str, content: bytes | None, has_backup: bool) -> FileChange:
    """Return the change of a settings file that takes our entries out."""
    if content is None:
        return FileChange(content=None)
    mark, text = decoded(content, path)
    if not is_ours(text, wiring.agent):  # leave a file without our entries alone, even a broken one
        return FileChange(content=content)
    removed = without_entries(text, path, wiring)
    if removed.is_bare and not has_backup:
        return FileChange(content=None)
    return FileChange(content=mark + removed.text.encode(), restores=True)


def script_put_in(
    wiring: Installation, others: Sequence[str], path: str, content: bytes | None, _has_backup: bool
) -> FileChange:
    """Return the change that makes an event's executable ours; HookrunError where the user has their own."""
    event = os.path.basename(path)
    wanted = script_texts(wiring, others)[event].encode()
    if content is None:
        return FileChange(content=wanted)
    _, text = decoded(content, path)
    if is_our_script(text, wiring):
        return FileChange(content=wanted, from_before=not is_untouched(text, wiring))
    if is_ours(text, wiring.agent):
        return FileChange(content=content)  # the user's own, which calls the bridge
    hint = f"{wiring.agent} runs one program an event: let yours run `hookrun bridge {wiring.agent}`"
    raise HookrunError("there is a hook of your own", where=path, hint=hint)


def script_taken_out(wiring: Installation, path: str, content: bytes | None, _has_backup: bool) -> FileChange:
    """Return the change that removes an executable of ours. Raises HookrunError for one edited by hand."""
    _, text = decoded(content or b"", path)
    if content is None or not is_our_script(text, wiring):
        return FileChange(content=content)
    if not is_untouched(text, wiring):
        raise HookrunError(
            "has been changed by hand", where=path, hint=f"take `hookrun bridge {wiring.agent}` out yourself"
        )
    return FileChange(content=None)


def decoded(content: bytes, path: str) -> tuple[bytes, str]:
    """Return the byte order mark, if there is one, and the text behind it."""
    mark = _BOM if content.startswith(_BOM) else b""
    try:
        return mark, content[len(mark) :].decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start + len(mark)) + 1
        raise DocumentError("is not UTF-8", where=path, line=line, hint="save it as UTF-8") from None
