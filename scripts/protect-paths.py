#!/usr/bin/env python3
"""Deny writes to secrets, private keys, git's own files, lock files, and the hooks that guard all of this."""

from __future__ import annotations

import sys

sys.dont_write_bytecode = True

import fnmatch  # noqa: E402
import os  # noqa: E402
import re  # noqa: E402

from tool_call import (  # noqa: E402
    UNREADABLE_COMMAND,
    UNREADABLE_PATH,
    answer,
    environment,
    is_free_of,
    patched,
    read_call,
    strictest,
    written_paths,
)

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
WRITERS = REMOVERS | frozenset("truncate touch tee chmod chown chgrp chattr mkdir ln ed ex patch".split())
WHOLE = REMOVERS | frozenset("chmod chown chgrp chattr".split())  # what they do to a folder, they do to its parts
UNPACKERS = {"tar": r"-C|--directory", "bsdtar": r"-C|--directory", "unzip": "-d"}
COPIERS = frozenset("cp install rsync scp mv".split())
IN_PLACE = {"sed": r"-[nErsuz]*i|--in-place", "perl": r"-\w*i", "ruby": r"-\w*i", "yq": r"-i|--inplace"}
OUTPUTS = {
    "curl": ("-o", "--output"),
    "wget": ("-O", "--output-document"),
    "sort": ("-o", "--output"),
    "gpg": ("-o", "--output"),
    "openssl": ("-out", "-keyout"),
}
PROGRAMS = "|".join([*WRITERS, *COPIERS, *IN_PLACE, *OUTPUTS, *UNPACKERS, "git", "dd", "apply_?patch", "[gm]?awk"])


def main() -> int:
    call = read_call()
    return answer(judged(call, environment()))


def judged(call: Call, environ: Mapping[str, str]) -> Verdict:
    """Return ("deny" or "ask", why) for a call that writes what is protected, None for any other."""
    guard = Guard(call, environ.get("PROTECTED_PATHS", ""))
    if call.commands or call.has_unreadable_command:
        verdicts = [guard.command_verdict(command, environ) for command in call.commands]
        return strictest([*verdicts, UNREADABLE_COMMAND if call.has_unreadable_command else None])
    if call.is_shell or call.tool not in ("", "edit", "write", "notebook"):
        return None
    paths = written_paths(call)
    if paths is None:
        return strictest([guard.first(call.paths), UNREADABLE_PATH if call.tool else None])
    return guard.first(paths)


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
            return ("ask", f"this command line cannot be read: {error}. Mend its quotes, or run it in smaller steps.")
        verdicts = (self.first(list(_paths(one, folder or "/nowhere"))) for one in found for folder in one.folders)
        return strictest([*verdicts, *map(_patching, found)])


def _matches(parts: list[str], glob: str) -> bool:
    names = glob.strip("/").split("/")
    last = len(parts) - len(names)
    starts = range(last + 1) if glob.endswith("/") else range(max(last, 0), last + 1)
    return any(all(map(fnmatch.fnmatchcase, parts[start:], names)) for start in starts)


def _paths(command: Command, folder: str) -> Iterator[str]:
    """Yield the absolute paths that a simple command writes, run in *folder*."""
    for word in _written(command):
        path = os.path.join(folder, os.path.expanduser(word))
        is_glob = not word.is_quoted and re.search(r"[*?[]", word)
        for one in [path, *(_expanded(path) if is_glob else [])]:
            yield one
            if command.name in WHOLE:
                yield from _guarded_parts(one)
    if command.name in COPIERS:
        yield from _copies(command, folder)
    if command.name in UNPACKERS:
        yield from _unpacked(command, folder)
    if command.name in ("apply_patch", "applypatch"):
        texts = [one.body for one in command.redirections] + [str(word) for word in command.words[1:]]
        yield from (os.path.join(folder, write.path) for text in texts for write in patched(text))


def _patching(command: Command) -> Verdict:
    """Ask about a patch that is not in the command line."""
    if command.name not in ("apply_patch", "applypatch"):
        return None
    is_fed = command.upstream or any(one.operator == "<" for one in command.redirections)
    if is_fed or any(word.is_unknown for word in command.words):
        return "ask", "it cannot be told which files this patch changes"
    return None


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
        if "xargs" in command.wrappers and command.upstream and command.upstream[-1].name == "find":
            yield from _sought(command.upstream[-1])
    elif re.fullmatch("[gm]?awk", command.name) and re.search(
        r" (?:-i|--include)[ =]?inplace", " ".join(command.words)
    ):
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
    named += [word.partition("=")[2] for word in command.words if re.match("--t[a-z-]*=", word)]
    whole = os.path.join(folder, (named or operands[-1:] or [""])[0])
    sources = operands if named else operands[:-1]
    names = [os.path.basename(source.rstrip("/")) for source in sources]
    if command.name == "rsync":  # of a folder with a slash it copies what is in it
        names = [os.path.basename(source) for source in sources if source[-1:] != "/"]
    is_deep = command.name == "mv" or command.has_option("raR", "--recursive", "--archive")
    for target in [whole, *(_expanded(whole) if re.search(r"[*?[]", whole) else [])]:
        yield target
        is_folder = bool(named) or os.path.isdir(target) or (command.name == "rsync" and target[-1:] == "/")
        parts = [os.path.join(target, name) for name in names]
        yield from parts if is_folder else ()
        takes_contents = any(re.search(r"/\.?$|^\.$|\*$", source) for source in sources)
        if is_deep and (takes_contents or not is_folder):
            parts.append(target)
        for part in parts if is_deep else ():
            yield from _guarded_parts(part)


def _unpacked(command: Command, folder: str) -> Iterator[str]:
    """Yield the folder that an archive is unpacked into, with the hooks that may lie in it."""
    option = UNPACKERS[command.name]
    is_reading = command.name != "unzip" and not re.search(r" (?:-?\w*x|--ex|--get)", " ".join(command.words[:2]))
    for before, word in zip(command.words, command.words[1:]):
        match = re.match(rf"(?:{option})=?", word)
        target = word if re.fullmatch(option, before) else word[match.end() :] if match else ""
        if target and not is_reading:
            yield os.path.join(folder, target)
            yield from _guarded_parts(os.path.join(folder, target))


def _guarded_parts(path: str) -> Iterator[str]:
    """Yield the hooks that go with a folder when it is removed, moved or written as a whole."""
    path = os.path.normpath(path)
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
    short = options[0] if len(options[0]) == 2 else "-?"
    for before, word in zip(command.words, command.words[1:]):
        name, _, value = word.partition("=")
        joined = re.match(rf"-[A-Za-z]*?{short[1]}", word) if short != "-?" else None
        if before in options or (short != "-?" and re.fullmatch(rf"-[A-Za-z]*{short[1]}", before)):
            yield word
        elif name in options and value:
            yield _part(word, len(name) + 1)
        elif joined and len(word) > joined.end():
            yield _part(word, joined.end())


def _restored(command: Command) -> list[Word]:
    """Return the files that git writes or removes because they are named."""
    from shell_commands import git_call

    words = git_call(command)[1]
    name = words[0] if words else ""
    is_index_only = {"--cached", "--staged", "-S"}.intersection(words) and not {"--worktree", "-W"}.intersection(words)
    if name == "config" and _sets_hooks(words[1:]):
        return [type(words[0])(".git/hooks/")]
    if name not in ("checkout", "restore", "rm", "mv") or is_index_only:
        return []
    return [word for word in words[1:] if word[:1] != "-"]


def _sets_hooks(words: list[Word]) -> bool:
    """Whether git config would say where git's hooks are."""
    operands = [word.lower() for word in words if word[:1] != "-"]
    at = operands.index("core.hookspath") if "core.hookspath" in operands else -1
    is_reading = any(word.startswith("--get") for word in words) or operands[:1] == ["get"]
    is_unset = any(word.startswith("--unset") for word in words) or operands[:1] == ["unset"]
    return at >= 0 and not is_reading and (is_unset or len(operands) > at + 1)


def _searched(command: Command) -> list[Word]:
    """Return the folders and names that a find goes for when it removes what it finds."""
    if not re.search(
        r" -delete\b|-(exec|ok)(dir)? .*\b(rm|unlink|shred|truncate|tee|chmod|chown|mv|(sed|perl) .*-\w*i)\b",
        " ".join(command.words),
    ):
        return []
    return _sought(command)


def _sought(command: Command) -> list[Word]:
    """Return where a find begins and the names that it goes for."""
    starts: list[Word] = []
    for word in command.words[1:]:
        if word[:1] in "-(!":
            break
        starts.append(word)
    pairs = zip(command.words, command.words[1:])
    return starts + [type(word)(word.rstrip("*")) for before, word in pairs if before in ("-name", "-iname", "-path")]


if __name__ == "__main__":
    sys.exit(main())
