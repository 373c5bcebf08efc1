"""A folder of scripts, hooks/pre and hooks/post -> hooks: files by tool, by event, folders per tool."""

from __future__ import annotations

import os

from hookrun.agents import event_named_anywhere, kinds_of_any
from hookrun.model import constants
from hookrun.sources.found import Found, Origin, Skip, entries_of, joined, unreadable
from hookrun.sources.script_folder import EVERY_TOOL, SUFFIXES, Binding, read_script, skipped_by_name, stem_of

PHASES = {"pre": ("PreToolUse",), "post": ("PostToolUse", "PostToolUseFailure")}


def read_script_folder(hooks_folder: str, origin: Origin) -> Found:
    """Return the hooks of *hooks_folder*/pre and *hooks_folder*/post, in natural order of names."""
    parts: list[Found] = []
    for phase in PHASES:
        folder = os.path.join(hooks_folder, phase)
        for name in _names(folder, origin, parts):
            path = os.path.join(folder, name)
            if os.path.isdir(path) and not name.startswith("."):
                parts.append(_tool_folder(path, phase, origin))
            else:
                parts.append(_script(path, name, stem_of(name), phase, origin))
    return joined(parts)


def _tool_folder(path: str, phase: str, origin: Origin) -> Found:
    """Read `pre/<tool>/`: scripts of any name for that tool."""
    tool = os.path.basename(path)
    if tool.endswith(SUFFIXES):
        return _skip(path, "a folder with the name of a script", origin)
    parts: list[Found] = []
    for name in _names(path, origin, parts):
        inner = os.path.join(path, name)
        if os.path.isdir(inner):
            parts.append(_skip(inner, "a folder within a tool's folder", origin))
        else:
            # Two folders may be for one tool (10-bash, 20-bash): then their names belong to the key.
            stem = stem_of(tool)
            parts.append(_script(inner, name, stem, phase, origin, in_folder="" if stem == tool else tool))
    return joined(parts)


def _script(path: str, name: str, stem: str, phase: str, origin: Origin, *, in_folder: str = "") -> Found:
    reason = skipped_by_name(name)
    if reason:
        return _skip(path, reason, origin)
    return read_script(path, origin, _binding(stem, os.path.join(in_folder, name), phase))


def _binding(stem: str, name: str, phase: str) -> Binding:
    tool = "" if stem in EVERY_TOOL else stem
    events = PHASES[phase]
    event = event_named_anywhere(stem) if tool and not kinds_of_any(tool) else None
    if event is not None:
        events, tool = (event.name,), ""
    return Binding(
        events=events,
        tool=tool,
        key=f"{phase}:{stem}:{name}",
        role=constants.GUARD if phase == "pre" else constants.OBSERVER,
    )


def _names(folder: str, origin: Origin, parts: list[Found]) -> list[str]:
    """Return the folder's names in natural order; trouble goes to *parts*."""
    if os.path.lexists(folder) and not os.path.isdir(folder):
        parts.append(_skip(folder, "not a folder", origin))
        return []
    found = entries_of(folder, origin, parts)
    if len(found) > constants.MAX_FILES_IN_FOLDER:
        reason = f"the folder holds {len(found)} files, only {constants.MAX_FILES_IN_FOLDER} are read"
        parts.append(unreadable(folder, origin, reason, hint="folders of hooks are for hooks alone"))
    return found[: constants.MAX_FILES_IN_FOLDER]


def _skip(path: str, reason: str, origin: Origin) -> Found:
    return Found(skips=(Skip(path=path, reason=reason, source=origin.source),))
