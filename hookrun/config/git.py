"""What git knows of files: which it tracks, what a commit has. Asked in a way that runs nothing that the
repository's own configuration names."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from hookrun.config.paths import fixed_folders
from hookrun.model.constants import MIB
from hookrun.model.errors import HookrunError

_SECONDS = 20.0
_SECONDS_FOR_HISTORY = 3.0  # a tool call waits for it
_MOST_BRANCHES = 300  # that are looked at, the newest first
_MOST_COMMITS = 100  # that changed one file
# A repository that came in an archive brings its .git/config along: none of the programs it names may run.
_HARMLESS = ("--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
# What a partial clone lacks would be fetched, by programs that its remotes name: no way leads there.
_OFFLINE = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0"}


def tracked_files(folder: str, environ: Mapping[str, str]) -> set[str] | None:
    """Return the absolute paths of the files below *folder* that git tracks; None where there is no git."""
    listed = _ask(folder, environ, "ls-files", "-z", "--cached", "--", ".")
    if listed is None:
        return None
    return {os.path.join(folder, os.fsdecode(name)) for name in listed.split(b"\0") if name}


def export_commit(top: str, reference: str, folder: str, environ: Mapping[str, str]) -> None:
    """Write the files that the commit *reference* has, as they are kept, below *folder*: no filter and no
    attribute of the repository has a part in it. Files above 1 MiB are left out.

    Raises HookrunError when there is no such commit, or no git, and OSError.
    """
    is_option = reference.startswith("-")
    listed = None if is_option else _ask(top, environ, "ls-tree", "-rzl", "--full-tree", reference)
    if listed is None:
        raise HookrunError(f"git knows no commit {reference!r}", where=top, hint="fetch it, or name another")
    blobs = [_Blob(line) for line in listed.split(b"\0") if line]
    wanted = [blob for blob in blobs if blob.size <= MIB and blob.is_plain]
    asked = b"".join(blob.hash + b"\n" for blob in wanted)
    rest = _ask(top, environ, "cat-file", "--batch", given=asked) or b""
    for blob in wanted:
        header, _, rest = rest.partition(b"\n")
        if not header.startswith(blob.hash) or header.endswith(b"missing"):
            raise HookrunError(f"git has not all of {reference!r}", where=top, hint="fetch it whole")
        size = int(header.split()[-1])
        blob.data = rest[:size]
        rest = rest[size + 1 :]
    for blob in sorted(wanted, key=_is_link):  # so that no file is ever written through a link
        blob.write(folder)


class _Blob:
    """A line of ls-tree: mode, kind, hash and size, then the path."""

    def __init__(self, line: bytes) -> None:
        described, _, name = line.partition(b"\t")
        mode, _, self.hash, size = described.split()
        self._name = os.fsdecode(name)
        self._mode = mode.decode()
        self.size = int(size) if size.isdigit() else MIB + 1  # a submodule has none
        self.is_link = self._mode == "120000"
        self.data = b""

    @property
    def is_plain(self) -> bool:
        """Whether its path stays in the tree: who made the tree by hand can have written anything."""
        return not {"", ".", ".."}.intersection(self._name.split("/"))

    def write(self, folder: str) -> None:
        path = os.path.join(folder, self._name)
        if os.path.lexists(path):  # a tree that was made by hand names one path twice
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if self.is_link:
            os.symlink(os.fsdecode(self.data), path)
            return
        with open(path, "wb") as file:
            file.write(self.data)
        os.chmod(path, 0o700 if self._mode == "100755" else 0o600)


def _is_link(blob: _Blob) -> bool:
    return blob.is_link


def commit_has(top: str, reference: str, path: str, environ: Mapping[str, str]) -> bool | None:
    """Say whether the commit *reference* has a file at *path* (below *top*); None when git cannot tell."""
    listed = _ask(top, environ, "ls-tree", "-z", reference, "--", path)
    return None if listed is None else bool(listed)


def text_in_commit(top: str, reference: str, path: str, environ: Mapping[str, str]) -> bytes | None:
    """Return the bytes that the commit *reference* has at *path* (below *top*); None when git has none."""
    return _ask(top, environ, "cat-file", "blob", f"{reference}:./{path}")


def other_branches(top: str, environ: Mapping[str, str]) -> list[str]:
    """Return the full names of all branches but the one that is checked out, the newest first, also those of
    remotes."""
    words = ("--sort=-committerdate", f"--count={_MOST_BRANCHES}", "--format=%(HEAD)%(refname)")
    listed = _ask(top, environ, "for-each-ref", *words, "refs/heads", "refs/remotes") or b""
    return [os.fsdecode(line[1:]) for line in listed.splitlines() if not line.startswith(b"*")]


def branches_had(top: str, branches: Sequence[str], path: str, environ: Mapping[str, str]) -> bool:
    """Say whether one of *branches* has a file at *path* (below *top*), or had one in an earlier commit."""
    if not branches or "\n" in path:
        return False
    return bool(_blobs_at(top, branches, path, environ) or _commits_of(top, branches, path, environ, most=1))


def texts_in_branches(top: str, branches: Sequence[str], path: str, environ: Mapping[str, str]) -> Iterator[bytes]:
    """Yield each text that *path* (below *top*) has in *branches*, then those that it had before."""
    if not branches or "\n" in path:
        return
    known: set[bytes] = set()
    for blob in _blobs_at(top, branches, path, environ):
        known.add(blob)
        yield _ask(top, environ, "cat-file", "blob", os.fsdecode(blob)) or b""
    commits = _commits_of(top, branches, path, environ, most=_MOST_COMMITS)
    for blob in _blobs_at(top, commits, path, environ):
        if blob not in known:
            yield _ask(top, environ, "cat-file", "blob", os.fsdecode(blob)) or b""


def _blobs_at(top: str, references: Sequence[str], path: str, environ: Mapping[str, str]) -> list[bytes]:
    """Return the hashes of the files that *references* have at *path*, each once."""
    if not references:
        return []
    asked = b"".join(os.fsencode(f"{reference}:./{path}\n") for reference in references)
    listed = _ask(top, environ, "cat-file", "--batch-check=%(objecttype) %(objectname)", given=asked) or b""
    found = (line.removeprefix(b"blob ") for line in listed.splitlines() if line.startswith(b"blob "))
    return list(dict.fromkeys(found))


def _commits_of(top: str, branches: Sequence[str], path: str, environ: Mapping[str, str], *, most: int) -> list[str]:
    """Return commits of *branches* that changed *path*, the newest first; none when that takes too long."""
    words = ("--literal-pathspecs", "rev-list", f"--max-count={most}", "--stdin", "--", path)
    given = b"".join(os.fsencode(f"{branch}\n") for branch in branches)
    listed = _ask(top, environ, *words, given=given, seconds=_SECONDS_FOR_HISTORY) or b""
    return [os.fsdecode(line) for line in listed.split()]


def _ask(
    folder: str, environ: Mapping[str, str], *words: str, given: bytes = b"", seconds: float = _SECONDS
) -> bytes | None:
    """Return what git answers; None when it refuses, or is not there."""
    import subprocess

    quiet = {name: value for name, value in environ.items() if not name.startswith("GIT_")} | _OFFLINE
    folders = fixed_folders(quiet.get("PATH", os.defpath))
    program = next((found for found in (f"{place}/git" for place in folders) if os.access(found, os.X_OK)), "")
    if not program:
        return None
    try:
        done = subprocess.run(
            [program, *_HARMLESS, *words], cwd=folder, env=quiet, input=given, capture_output=True, timeout=seconds
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
