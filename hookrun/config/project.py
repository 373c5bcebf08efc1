"""What a project is known by, wherever it is checked out: its git common folder, so that worktrees are one
project, and its root."""

from __future__ import annotations

import os

from hookrun.config.files import read_regular
from hookrun.model.frozen import Frozen

_MOST_BYTES = 4096  # of a file that names a folder


class Project(Frozen):
    """``top`` is the folder that paths within it are relative to; ``identities`` are absolute paths that it
    is known by, the one to remember it by first, its place last; ``git_folder`` is its own git folder, ""
    without git. ``around`` are further folders at and above the one that was asked for: each would be the
    top if git had another place."""

    top: str
    identities: tuple[str, ...]
    git_folder: str = ""
    around: tuple[str, ...] = ()


def project_of(folder: str, root: str) -> Project:
    """Return the project that *folder* (absolute) belongs to: the nearest work tree of git at or above it,
    else *root*. Reads what git wrote into its folder; runs nothing."""
    top = folder
    while True:
        git_folder = _git_folder(os.path.join(top, ".git"))
        if git_folder:
            common = _common_folder(git_folder)
            here = os.path.realpath(top)
            around = _around(folder, top)
            return Project(top=top, identities=(common, here), git_folder=git_folder, around=around)
        parent = os.path.dirname(top)
        if parent == top:
            return Project(top=root, identities=(os.path.realpath(root),), around=_around(folder, root))
        top = parent


def other_work_trees(project: Project) -> list[str]:
    """Return the roots of the other work trees of the project's repository, as git wrote them down."""
    if not project.git_folder:
        return []
    common = project.identities[0]
    linked = os.path.join(common, "worktrees")
    try:
        names = sorted(os.listdir(linked))
    except OSError:
        names = []
    files = [_first_line(os.path.join(linked, name, "gitdir")) for name in names]
    folders = [common, *(os.path.join(linked, file) for file in files if file)]
    paths = [os.path.normpath(folder) for folder in folders]
    tops = dict.fromkeys(os.path.dirname(path) for path in paths if os.path.basename(path) == ".git")
    return [top for top in tops if os.path.realpath(top) != project.identities[-1]]


def _around(folder: str, top: str) -> tuple[str, ...]:
    folders = [folder]
    while (parent := os.path.dirname(folders[-1])) != folders[-1]:
        folders.append(parent)
    return tuple(place for place in folders if place != top)


def _git_folder(path: str) -> str:
    """Return the folder that .git is, or that it names (worktrees, submodules); "" when it is neither."""
    if os.path.isdir(path):
        return path
    named = _first_line(path)
    if not named.startswith("gitdir:"):
        return ""
    folder = os.path.join(os.path.dirname(path), named.removeprefix("gitdir:").strip())
    return os.path.normpath(folder) if os.path.isdir(folder) else ""


def _common_folder(git_folder: str) -> str:
    named = _first_line(os.path.join(git_folder, "commondir"))
    return os.path.realpath(os.path.join(git_folder, named) if named else git_folder)


def _first_line(path: str) -> str:
    if not os.path.isfile(path):
        return ""
    try:
        return os.fsdecode(read_regular(path, _MOST_BYTES).partition(b"\n")[0]).strip()
    except OSError:
        return ""
