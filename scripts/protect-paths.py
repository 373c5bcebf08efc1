#!/usr/bin/env python3
"""Deny writes to secrets, private keys, git's own files, lock files, and the hooks that guard all of this."""

from __future__ import annotations

import sys

sys.dont_write_bytecode = True

import fnmatch  # noqa: E402
import os  # noqa: E402
import re  # noqa: E402

from tool_call import answer, environment, is_free_of, patched, read_call, writes  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shell_commands import Command
    from shell_words import Word
    from tool_call import Call, Verdict

# Why, what to do instead, and globs: on the file's name, with a slash inside on the end of its path; a
# slash at the end means a folder and all that is in it. Compared without case.
PROTECTED = (
    ("may hold secrets", "Ask the user to change it; .env.example is open to you.", ".env .env.* .envrc"),
    ("is git's own", "Use git's commands.", ".git .git/"),
    (
        "is a private key",
        "Ask the user to change it.",
        "*.pem *.key *.p12 *.pfx id_rsa* id_dsa* id_ecdsa* id_ed25519* .ssh/",
    ),
    (
        "is written by its package manager",
        "Run that instead.",
        "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb poetry.lock "
        "uv.lock pdm.lock pipfile.lock cargo.lock gemfile.lock composer.lock go.sum",
    ),
    (
        "belongs to the hooks that guard this project",
        "Ask the user to change it.",
        ".hookrun/ .config/hookrun/ .local/state/hookrun/ application?support/hookrun/ .claude/hooks/ "
        ".claude/settings*.json .xcsh/hooks/ .xcsh/agent/hooks/ .xbot/hooks* .xbot/hooks/ .xbot/plugins/ "
        ".codex/hooks.json .codex/config.toml .gemini/settings.json .cursor/hooks.json .github/hooks/ "
        ".windsurf/hooks.json .clinerules/hooks/",
    ),
)
OPEN = (".env.example", ".env.sample", ".env.template")
AGENT_FOLDERS = frozenset(".claude .xcsh .xbot .codex .gemini .cursor .windsurf .clinerules".split())
REMOVERS = frozenset("rm unlink shred rmdir mv".split())
WRITERS = REMOVERS | frozenset("truncate touch tee chmod chown chgrp chattr mkdir ln ed ex".split())
COPIERS = frozenset("cp install rsync scp mv".split())
IN_PLACE = {"sed": r"-[nErsuz]*i|--in-place", "perl": r"-\w*i", "ruby": r"-\w*i", "yq": r"-i|--inplace"}
OUTPUTS = {
    "curl": ("-o", "--output"),
    "wget": ("-O", "--output-document"),
    "sort": ("-o", "--output"),
    "gpg": ("-o", "--output"),
    "openssl": ("-out", "-keyout"),
}
PROGRAMS = "|".join([*WRITERS, *COPIERS, *IN_PLACE, *OUTPUTS, "git", "dd", "apply_?patch"])


def main() -> int:
    call = read_call()
    return answer(judged(call, environment()))


def judged(call: Call, environ: Mapping[str, str]) -> Verdict:
    """Return ("deny" or "ask", why) for a call that writes what is protected, None for any other."""
    guard = Guard(call, environ.get("PROTECTED_PATHS", ""))
    if call.command:
        return guard.command_verdict(call.command, environ)
    if call.tool not in ("", "edit", "write", "notebook"):
        return None
    return guard.first([write.path for write in writes(call)] + call.paths)


class Guard:
    """Knows what is protected in the project of one call; *extra* are globs of the user's own."""

    def __init__(self, call: Call, extra: str) -> None:
        self.call = call
        self.extra = re.split(r"[\s,]+", extra.strip(" ,\n")) if extra.strip(" ,\n") else []

    def first(self, paths: list[str]) -> Verdict:
        return next((verdict for verdict in map(self.verdict, paths) if verdict), None)

    def verdict(self, path: str) -> Verdict:
        """Judge one path, as it is written and where its links lead."""
        raw = self.call.absolute(path)
        for one in (raw, os.path.realpath(raw)):
            why = self.why(self.call.relative(one))
            if why:
                return "deny", f"{self.call.relative(raw)} {why}"
        return None

    def why(self, path: str) -> str:
        parts = path.lower().strip("/").split("/")
        for reason, advice, globs in PROTECTED:
            if parts[-1] not in OPEN and any(_matches(parts, glob) for glob in globs.split()):
                return f"{reason}. {advice}"
        for glob in self.extra:
            own = glob.lower()
            if _matches(parts, own) or fnmatch.fnmatchcase("/".join(parts), own.lstrip("/")):
                return f"is protected by PROTECTED_PATHS ({glob}). Ask the user to change it."
        return ""

    def command_verdict(self, command: str, environ: Mapping[str, str]) -> Verdict:
        if is_free_of(PROGRAMS, command):
            return None
        from shell_commands import commands
        from shell_words import Unreadable

        known = {**environ, "$(pwd)": self.call.cwd, "$(git rev-parse --show-toplevel)": self.call.project}
        try:
            found = commands(command, self.call.cwd, known)
        except Unreadable as error:
            return (
                "ask",
                f"this command line cannot be read: {error}. Mend its quotes, or run it in smaller steps.",
            )
        verdicts = (
            self.first(list(_paths(one, folder or "/nowhere"))) for one in found for folder in one.folders
        )
        return next((verdict for verdict in verdicts if verdict), None)


def _matches(parts: list[str], glob: str) -> bool:
    names = glob.strip("/").split("/")
    last = len(parts) - len(names)
    starts = range(last + 1) if glob.endswith("/") else range(max(last, 0), last + 1)
    return any(all(map(fnmatch.fnmatchcase, parts[start:], names)) for start in starts)


def _paths(command: Command, folder: str) -> Iterator[str]:
    """Yield the absolute paths that a simple command writes, run in *folder*."""
    for word in _written(command):
        path = os.path.join(folder, os.path.expanduser(word))
        yield path
        if not word.is_quoted and re.search(r"[*?[]", word):
            yield from _expanded(path)
    if command.name in COPIERS:
        yield from _copies(command, folder)
    if command.name in REMOVERS:
        yield from _guarded_parts(command, folder)
    if command.name in ("apply_patch", "applypatch"):
        texts = [one.body for one in command.redirections] + [str(word) for word in command.words[1:]]
        yield from (os.path.join(folder, write.path) for text in texts for write in patched(text))


def _expanded(path: str) -> list[str]:
    import glob

    return glob.glob(path)


def _written(command: Command) -> Iterator[Word]:
    """Yield the words of *command* that name what it writes."""
    for redirection in command.redirections:
        is_descriptor = redirection.operator == ">&" and re.fullmatch(r"\d+|-", redirection.target)
        if ">" in redirection.operator and not is_descriptor:
            yield redirection.target
    if command.name in WRITERS:
        yield from command.operands
    elif command.name in IN_PLACE:
        yield from _edited_in_place(command)
    elif command.name in OUTPUTS:
        yield from _outputs(command)
    elif command.name == "git":
        yield from _restored(command)
    elif command.name == "find":
        yield from _searched(command)
    elif command.name == "dd":
        yield from (_part(word, 3) for word in command.words if word.startswith("of="))


def _part(word: Word, start: int) -> Word:
    part = type(word)(word[start:])
    part.is_quoted = word.is_quoted
    return part


def _copies(command: Command, folder: str) -> Iterator[str]:
    """Yield where cp and the like put their files: the target, or a file of the same name in it."""
    operands = [str(word) for word in command.operands]
    named = [str(value) for option, value in zip(command.words, command.words[1:]) if option == "-t"]
    named += [word.partition("=")[2] for word in command.words if word.startswith("--target-directory=")]
    target = os.path.join(folder, (named or operands[-1:] or [""])[0])
    yield target
    if named or os.path.isdir(target):
        sources = operands if named else operands[:-1]
        yield from (os.path.join(target, os.path.basename(source.rstrip("/"))) for source in sources)


def _guarded_parts(command: Command, folder: str) -> Iterator[str]:
    """Yield the hooks that go with a folder when it is removed or moved."""
    for word in command.operands:
        path = os.path.normpath(os.path.join(folder, word))
        if os.path.basename(path).lower() in AGENT_FOLDERS:
            yield from (os.path.join(path, name) for name in ("hooks/", "hooks.json", "settings.json"))
        elif os.path.isdir(os.path.join(path, "hooks")):
            yield os.path.join(path, "hooks")


def _edited_in_place(command: Command) -> list[Word]:
    if not any(re.match(IN_PLACE[command.name], word) for word in command.words[1:]):
        return []
    pairs = list(zip(command.words, command.words[1:]))
    has_script = any(re.match(r"-\w*[ef]$|--expression|--file", word) for word in command.words[1:])
    operands = [word for before, word in pairs if word[:1] != "-" and not re.match(r"-\w*[ef]$", before)]
    return operands if has_script else operands[1:]


def _outputs(command: Command) -> Iterator[Word]:
    options = OUTPUTS[command.name]
    for before, word in zip(command.words, command.words[1:]):
        name, _, value = word.partition("=")
        if before in options:
            yield word
        elif name in options and value:
            yield _part(word, len(name) + 1)
        elif word[:2] == options[0] and len(options[0]) == 2 and len(word) > 2:
            yield _part(word, 2)


def _restored(command: Command) -> list[Word]:
    """Return the files that git writes or removes because they are named."""
    from shell_commands import git_call

    words = git_call(command)[1]
    name = words[0] if words else ""
    is_index_only = {"--cached", "--staged", "-S"}.intersection(words) and not {
        "--worktree",
        "-W",
    }.intersection(words)
    if name not in ("checkout", "restore", "rm", "mv") or is_index_only:
        return []
    return [word for word in words[1:] if word[:1] != "-"]


def _searched(command: Command) -> list[Word]:
    """Return the folders and names that a find goes for when it removes what it finds."""
    if not re.search(
        r" -delete\b|-(exec|ok)(dir)? .*\b(rm|unlink|shred|truncate|tee)\b", " ".join(command.words)
    ):
        return []
    starts: list[Word] = []
    for word in command.words[1:]:
        if word[:1] in "-(!":
            break
        starts.append(word)
    pairs = zip(command.words, command.words[1:])
    return starts + [
        type(word)(word.rstrip("*")) for before, word in pairs if before in ("-name", "-iname", "-path")
    ]


if __name__ == "__main__":
    sys.exit(main())
