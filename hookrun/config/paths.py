"""Where things lie: the project root, the levels above the working directory, the user's folders."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Mapping

# In which agents tell what they start where their project is.
PROJECT_VARIABLES = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "XBOT_PROJECT_DIR")
# A folder that holds one of these is a project (.git may be a file: worktrees, submodules).
PROJECT_MARKS = (".hookrun", ".xbot", ".xcsh", ".claude", ".codex", ".gemini")
_BY_PROCESS = ("/proc", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty")


def home_folder(environ: Mapping[str, str]) -> str:
    """Return the user's home folder, "" when there is none."""
    if os.path.isabs(environ.get("HOME", "")):
        return environ["HOME"]
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_dir
    except (ImportError, KeyError):
        return ""


def differs_by_process(path: str) -> bool:
    """Say whether *path*, however absolute it looks, leads elsewhere in each process: /proc/self/cwd."""
    named = "/" + os.path.normpath(path).lstrip("/")
    return any(is_inside(named, place) for place in _BY_PROCESS)


def fixed_folders(path: str) -> list[str]:
    """Return the folders of a PATH that are the same wherever an agent is, in their order."""
    folders = [folder for folder in path.split(os.pathsep) if folder.startswith("/")]
    return [folder for folder in folders if not differs_by_process(folder)]


def brings_hooks(folder: str) -> bool:
    """Say whether *folder* is a project by what lies in it, rather than because it is the working directory."""
    return any(os.path.lexists(os.path.join(folder, mark)) for mark in (".git", *PROJECT_MARKS))


def holds_real_home(folder: str) -> bool:
    """Say whether the home that the system knows of lies in *folder*, whatever the environment says."""
    try:
        import pwd

        home = pwd.getpwuid(os.getuid()).pw_dir
    except (ImportError, KeyError):
        return False
    return is_inside(os.path.realpath(home), os.path.realpath(folder))


def config_folder(environ: Mapping[str, str]) -> str:
    """Return the folder of the user's own hooks and configuration, "" without a home."""
    return _user_folder(environ, "XDG_CONFIG_HOME", ".config", "user_config_dir")


def state_folder(environ: Mapping[str, str]) -> str:
    """Return the folder for what hookrun remembers between runs, "" without a home."""
    return _user_folder(environ, "XDG_STATE_HOME", ".local/state", "user_state_dir")


def runtime_folder(environ: Mapping[str, str]) -> str:
    """Return the folder for files that one run needs; it belongs to the user alone (created 0700).

    XDG_RUNTIME_DIR counts only where it is this user's, as the specification says: with `su` and `sudo -E`
    it is another's, who could not use a folder of ours there.
    """
    if _is_own_folder(environ.get("XDG_RUNTIME_DIR", "")):
        return os.path.join(environ["XDG_RUNTIME_DIR"], "hookrun")
    temporary = environ.get("TMPDIR", "")
    return os.path.join(temporary if os.path.isabs(temporary) else "/tmp", f"hookrun-{os.getuid()}")


def project_root(cwd: str, *, given: str = "", agent_project: str = "", remembered: str = "", home: str = "") -> str:
    """Return the project's root: what a person gave, what the agent says, what the session had, or the
    nearest folder at or above *cwd* with `.git` or a folder of hooks; *cwd* itself where there is none.

    HOME and what is above it is a project only by its `.git`, or every folder below would become one.
    """
    for root in (given, agent_project, remembered):
        if root:
            return os.path.abspath(os.path.join(cwd, root))
    marks: tuple[str, ...] = (".git", *PROJECT_MARKS)
    top = os.path.realpath(home) if home else ""
    for folder in _upwards(cwd):
        if top and (folder == top or top.startswith(folder.rstrip("/") + "/")):
            marks = (".git",)
        if any(os.path.exists(os.path.join(folder, mark)) for mark in marks):
            return folder
    return cwd


def project_of_agent(environ: Mapping[str, str]) -> str:
    """Return the project that an agent names to what it starts, "" when none does or it is not there."""
    named = (environ.get(variable, "") for variable in PROJECT_VARIABLES)
    return next((folder for folder in named if folder and os.path.isdir(folder)), "")


def project_levels(root: str, cwd: str, home: str = "") -> tuple[str, ...]:
    """Return the folders whose hooks count, outermost first: every level between *root* and *cwd*.

    A *cwd* outside the root (`cd` into another project) adds its own project, and loses nothing.
    """
    if not is_inside(cwd, root):
        other = project_root(cwd, home=home)
        return (root, *project_levels(other, cwd, home))
    below = os.path.relpath(cwd, root)
    levels = [root]
    for part in () if below == "." else below.split(os.sep):
        levels.append(os.path.join(levels[-1], part))
    return tuple(levels)


def started_project(folder: str, home: str = "") -> str:
    """Return the project that *folder* is in; "" for none, and for one that holds the *home*."""
    root = project_root(folder, home=home)
    holds_home = bool(home) and is_inside(os.path.realpath(home), root)
    return "" if holds_home or not brings_hooks(root) else root


def spelled_around(cwd: str, root: str) -> str:
    """Return *root*, a folder without links, as the folder at or above *cwd* that it is, where it is one."""
    if not root:
        return ""
    real = os.path.realpath(cwd)
    if is_inside(cwd, root) or not is_inside(real, root):
        return root
    spelled = next((folder for folder in _upwards(cwd) if os.path.realpath(folder) == root), "")
    return spelled or root


def joined_levels(levels: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    """Return *levels* with those of *others* that they do not have under another spelling, these first."""
    known = {os.path.realpath(level) for level in levels}
    return (*(level for level in others if os.path.realpath(level) not in known), *levels)


def expanded(path: str) -> str:
    """Return *path* with the home folder in the place of `~` or `~name`; unchanged for an unknown user."""
    try:
        return os.path.expanduser(path)
    except ValueError:  # NUL or half a character: no user is called so
        return path


def is_inside(path: str, folder: str) -> bool:
    """Say whether *path* is *folder* or lies in it; both absolute, compared as text."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def shown(path: str, root: str, home: str = "") -> str:
    """Return *path* as people read it: in one line, relative to the project, else with ~ for the home."""
    if root and is_inside(path, root):
        path = path[len(root.rstrip("/")) + 1 :] or "."
    elif home and is_inside(path, home):
        path = "~" + path[len(home.rstrip("/")) :]
    return harmless(path)


def harmless(text: str, *, lines: bool = False) -> str:
    """Return *text* so that a terminal only shows it: control characters are spelled out.

    With *lines* newlines and tabs stay.
    """
    if text.isprintable():
        return text
    kept = "\n\t" if lines else ""
    return "".join(
        sign if sign.isprintable() or sign in kept else sign.encode("unicode_escape", "backslashreplace").decode()
        for sign in text
    )


def _is_own_folder(folder: str) -> bool:
    if not os.path.isabs(folder):
        return False
    try:
        entry = os.stat(folder)
    except (OSError, ValueError):
        return False
    return stat.S_ISDIR(entry.st_mode) and entry.st_uid == os.geteuid()


def _upwards(folder: str) -> Iterable[str]:
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def _user_folder(environ: Mapping[str, str], variable: str, below_home: str, function: str) -> str:
    home = home_folder(environ)
    if not home:
        return ""
    if sys.platform == "darwin":
        import platformdirs

        return str(getattr(platformdirs, function)("hookrun"))
    # The rule of the XDG base directory specification, as platformdirs has it (a test compares them):
    # importing platformdirs would cost every emit more than twice what it takes to start Python.
    given = environ.get(variable, "")
    return os.path.join(given if os.path.isabs(given) else os.path.join(home, below_home), "hookrun")
