"""Entries of agents' settings: each is a unit of its own, named by its file and the digest of its text, so
that what else changes in the file does not matter."""

from __future__ import annotations

import os

from hookrun.config.files import read_regular
from hookrun.model import constants
from hookrun.model.errors import HookrunError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hookrun.config.project import Project
    from hookrun.model.values import Hook
    from hookrun.trust.reading import Reading

MARK = "#"  # between the file and what of it is meant
_DIGITS = 12  # of the digest; the whole of it is among the unit's files


def is_entry(hook: Hook) -> bool:
    """Say whether *hook* is an entry of a settings file, and not an executable that is a file of its own."""
    return hook.kind == constants.SETTINGS and hook.program.words[:1] != (hook.file,)


def entry_name(file: str, hook: Hook) -> str:
    """Return the name of an entry in *file*, a name or a path."""
    from hookrun.trust.reading import digest_of

    return f"{file}{MARK}{digest_of(hook.entry.encode())[:_DIGITS]}"


def is_name_of_entry(name: str, unit: Mapping[str, Any]) -> bool:
    """Say whether the unit *name* of the records is an entry: its digest tells it from a file so called."""
    beginning = name.rpartition(MARK)[2]
    files = unit["texts"][-1]["files"] if unit["texts"] else {}
    return len(beginning) == _DIGITS and str(files.get(name, "")).startswith(beginning)


def entry_reading(hook: Hook) -> dict[str, Reading]:
    """Return the text of an entry, which was read with all of its file, in the place of a file."""
    from hookrun.trust.reading import Reading, digest_of

    data = hook.entry.encode()
    return {entry_name(hook.file, hook): Reading(digest=digest_of(data), stamp=None, data=data)}


def with_files(hook: Hook, top: str, cwd: str) -> Hook:
    """Return *hook* with the files of the project that its command names, when it is an entry: a command that
    goes by the working directory may find others at *cwd*."""
    if not is_entry(hook):
        return hook
    from hookrun.config.paths import is_inside
    from hookrun.sources.agent_settings.commands import files_mentioned, folders_of
    from hookrun.trust.contents import is_code

    plugin = hook.program.folder if hook.plugin else ""
    folders = folders_of(hook.place, plugin, "")
    named = files_mentioned(hook.program.words, hook.program.folder, folders)
    if cwd not in (hook.program.folder, hook.place):
        named += filter(is_code, files_mentioned(hook.program.words, cwd, folders))
    return hook.replace(files=tuple(dict.fromkeys(file for file in named if is_inside(file, top))))


def is_left_out_by_commit(name: str, unit: Mapping[str, Any], project: Project, environ: Mapping[str, str]) -> bool:
    """Say whether the entry *name* is gone because the commit that is checked out does not have it: its file
    is as it is there, and the entry is not in it. What only switches it off is no reason."""
    from hookrun.config.git import commit_has, text_in_commit

    file, _, beginning = name.rpartition(MARK)
    path = os.path.join(project.top, file)
    if commit_has(project.top, "HEAD", file, environ) is False:
        return not os.path.lexists(path)
    committed = text_in_commit(project.top, "HEAD", file, environ)
    try:
        data = read_regular(path, constants.MANIFEST_LIMIT)
    except OSError:
        return False
    return data == committed and not _has_entry(data, path, beginning, unit, if_unreadable=True)


def branches_had_entry(
    name: str, unit: Mapping[str, Any], project: Project, branches: Sequence[str], environ: Mapping[str, str]
) -> bool:
    """Say whether the settings file of the entry *name* has, or had, the entry in one of *branches*."""
    from hookrun.config.git import texts_in_branches

    file, _, beginning = name.rpartition(MARK)
    path = os.path.join(project.top, file)
    texts = texts_in_branches(project.top, branches, file, environ)
    return any(_has_entry(data, path, beginning, unit, if_unreadable=False) for data in texts)


def _has_entry(data: bytes, path: str, beginning: str, unit: Mapping[str, Any], *, if_unreadable: bool) -> bool:
    """Say whether *data*, the settings that are kept at *path*, has the entry; *if_unreadable* when they
    cannot be read."""
    from hookrun.sources.agent_settings.handlers import definitions_of
    from hookrun.trust.reading import digest_of

    agents = {str(hook.get("dialect", "")) for text in unit["texts"] for hook in text["hooks"]}
    try:
        found = [text for agent in agents for text in definitions_of(data, path, agent)]
    except HookrunError:
        return if_unreadable
    return any(digest_of(text.encode()).startswith(beginning) for text in found)
