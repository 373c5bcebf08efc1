#!/usr/bin/env python3
"""Deny commits on, pushes to and merges into protected branches: main and master, or those that are named."""

from __future__ import annotations

import sys

sys.dont_write_bytecode = True

import fnmatch  # noqa: E402
import os  # noqa: E402
import re  # noqa: E402

from tool_call import UNREADABLE_COMMAND, answer, environment, read_call, strictest  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from shell_commands import Command
    from shell_words import Word
    from tool_call import Verdict

DEFAULT = "main master"
# Variables that tell git which repository to work in.
LOCAL_VARIABLES = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_NAMESPACE",
)
COMMITS = frozenset("commit cherry-pick revert am".split())
MERGES = frozenset("merge rebase pull".split())
SWITCHES = frozenset("switch checkout".split())
CREATING = frozenset("-b -B -c -C --create --force-create --orphan".split())
MOVING = r"--del|--forc|--mov|-[^-]*[dDfmM]"
COPYING = r"--cop|-[^-]*[cC]"
FORCED = re.compile(r"(?:-[a-zA-Z]*[BC]|--force-c\w*)(?:=|$)|-[BC](?=\w)")
EVERY_BRANCH = re.compile(r"--al?l?$|--br\w*$|--m[iro]*$")
RESETTING = re.compile(r"--(?:h[ard]*|s[oft]*|k[ep]*|mi[xed]*|me[rge]*)$")
# The long options that take no value; behind another, a word may be that option's value.
FLAGS = frozenset(
    "--all --amend --atomic --ff-only --follow-tags --force --force-with-lease --no-edit --no-ff --no-verify "
    "--porcelain --progress --prune --quiet --set-upstream --tags --verbose".split()
)
HARMLESS = frozenset("--abort --quit --skip --dry-run --show-current-patch --help".split())
PLAIN = frozenset(
    "add blame clean config describe diff grep log ls-files remote restore rev-parse rm show stash "
    "status submodule tag".split()
)
WITH_VALUE = frozenset("-o --push-option --receive-pack --exec --repo -m -s -X -F --onto".split())
ADVICE = "Work on a branch: git switch -c NAME"


def main() -> int:
    call = read_call()
    verdicts = [judged(command, call.cwd, environment()) for command in call.commands]
    return answer(strictest([*verdicts, UNREADABLE_COMMAND if call.has_unreadable_command else None]))


def judged(command: str, cwd: str, environ: Mapping[str, str]) -> Verdict:
    """Return ("deny" or "ask", why) for a command line; None when it leaves protected branches alone."""
    if "git" not in re.sub(r"['\"\\]", "", command) and "$" not in command:
        return None
    judgements = [_judged_with(command, cwd, environ)]
    # git's own variables may name another repository, and the line may drop them before it commits.
    if re.search(r"\bunset\b|\benv\b", command) and any(name in environ for name in LOCAL_VARIABLES):
        without = {name: value for name, value in environ.items() if name not in LOCAL_VARIABLES}
        judgements.append(_judged_with(command, cwd, without))
    return strictest(judgements)


def _judged_with(command: str, cwd: str, environ: Mapping[str, str]) -> Verdict:
    from shell_commands import commands
    from shell_words import Unreadable

    known = {**environ, "$(pwd)": cwd}
    for question in ("branch --show-current", "rev-parse --abbrev-ref HEAD", "symbolic-ref --short HEAD"):
        known[f"$(git {question})"] = "HEAD"
    judge = Judge(environ)
    try:
        return judge.strictest(commands(command, cwd, known))
    except Unreadable as error:
        return ("ask", f"this command line cannot be read: {error}. Mend its quotes, or run it in smaller steps.")


class Judge:
    """Follows the git commands of one command line: the branch may change before the commit comes."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.repositories: dict[tuple[str, ...], Repository] = {}
        self.is_strict = False  # set -e
        self.makes_repositories = False

    def strictest(self, commands: list[Command]) -> Verdict:
        return strictest(list(map(self.verdict, commands)))

    def verdict(self, command: Command) -> Verdict:
        from shell_commands import git_call

        self.follow(command)
        options, words = git_call(command)
        if not words or words[0] in PLAIN or _is_harmless(words):
            return None
        if words[0] in ("init", "clone"):
            self.makes_repositories = True
            return None
        verdicts = (self.verdict_in(folder, command, options, words) for folder in command.folders)
        return next((verdict for verdict in verdicts if verdict), None)

    def follow(self, command: Command) -> None:
        """Count on both outcomes of a switch where a command runs whether or not it succeeded."""
        self.is_strict |= command.name == "set" and command.has_option("e")
        for repository in self.repositories.values():
            if command.joiner == "||" and command.name in ("exit", "return"):
                repository.fallbacks = []
            elif command.joiner in (";", "\n", "&") and not self.is_strict:
                repository.branches += repository.fallbacks
                repository.fallbacks = []

    def verdict_in(self, folder: str | None, command: Command, options: list[Word], words: list[Word]) -> Verdict:
        if folder is None:
            is_risky = words[0] in COMMITS | MERGES or words[0] == "push"
            return ("ask", "it cannot be told in which repository this runs") if is_risky else None
        repository = self.repository(folder, command, options)
        if words[0] in COMMITS:
            branch = repository.protected_branch()
            return ("deny", f"`git {words[0]}` on the protected branch {branch}. {ADVICE}") if branch else None
        if words[0] in MERGES:
            return _merge(repository, words)
        if words[0] in SWITCHES:
            verdict = _recreate(repository, words)
            repository.switch(words, is_other_way=command.joiner == "||")
            return verdict
        rule = RULES.get(words[0])
        return rule(repository, words) if rule else self.alias(repository, folder, words)

    def repository(self, folder: str, command: Command, options: list[Word]) -> Repository:
        kept = [str(word) for word in options if word.startswith(("--git-dir=", "--work-tree="))]
        for option, value in zip(options, options[1:]):
            kept += [str(option), str(value)] if option in ("-C", "--git-dir", "--work-tree") else []
        while not os.path.isdir(folder) and not self.makes_repositories:
            folder = os.path.dirname(folder)
        own = [str(word) for word in command.assignments if word.startswith("GIT_")]
        key = (folder, *kept, *own)
        if key not in self.repositories:
            environ = {**self.environ, **dict(word.split("=", 1) for word in own)}
            self.repositories[key] = Repository(folder, kept, environ)
        return self.repositories[key]

    def alias(self, repository: Repository, folder: str, words: list[Word]) -> Verdict:
        """Judge what an alias of the user's stands for."""
        from shell_commands import commands

        text = repository.ask("config", "--get", f"alias.{words[0]}") or ""
        if not text or words[0] in text.split():
            return None
        rest = " ".join(f"'{word}'" for word in words[1:] if "'" not in word)
        return self.strictest(commands(f"{text[1:]} {rest}" if text[0] == "!" else f"git {text} {rest}", folder))


class Repository:
    """What git says of a repository. ``branches`` are those that may be checked out, "" a detached head."""

    def __init__(self, folder: str, options: list[str], environ: Mapping[str, str]) -> None:
        self.environ = {**environ, "LC_ALL": "C"}
        self.start = ["git", "-C", folder, *options]
        branch = self.ask("symbolic-ref", "-q", "--short", "HEAD")
        self.branches = [] if branch is None else [branch]
        self.fallbacks: list[str] = []  # the branches, should a switch have failed
        added = "" if branch is None else self.ask("config", "--get-all", "hookrun.protectedBranches")
        own = environ.get("PROTECTED_BRANCHES", "").strip() or DEFAULT
        self.patterns = re.split(r"[\s,]+", f"{own} {added}".strip(" ,\n"))

    def ask(self, *words: str) -> str | None:
        """Return what git prints, "" when it says no, None outside of a repository; exit 1 when it fails."""
        import subprocess

        command = [*self.start, *words]
        try:
            result = subprocess.run(command, env=self.environ, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise SystemExit("git is not on the PATH, so the branch cannot be told") from None
        if result.returncode < 128:
            return result.stdout.strip() if result.returncode == 0 else ""
        if re.search("not a git repository|cannot change to", result.stderr):
            return None
        raise SystemExit(f"git cannot tell the branch: {result.stderr.strip()}")

    def protects(self, branch: str) -> bool:
        return any(fnmatch.fnmatchcase(branch, pattern) for pattern in self.patterns)

    def protected_branch(self) -> str:
        """Return the protected branch that may be checked out; "" when none is, or it has no commit yet."""
        found = (branch for branch in self.branches if self.protects(branch) and self.has("heads", branch))
        return next(found, "")

    def has(self, kind: str, name: str) -> bool:
        return bool(self.ask("for-each-ref", "--format=x", f"refs/{kind}/{name}"))

    def local_branches(self) -> list[str]:
        return (self.ask("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads") or "").split()

    def switch(self, words: list[Word], is_other_way: bool) -> None:
        """Note the branch that switch or checkout leads to; *is_other_way* when it runs if another failed."""
        created = [name for option, name in zip(words, words[1:]) if option in CREATING]
        operands = _operands(words)
        if not created and ("--" in words or len(operands) != 1):
            return
        target = str(created[0] if created else operands[0])
        if target == "-":
            target = self.ask("rev-parse", "--abbrev-ref", "@{-1}") or ""
        is_known = created or words[0] == "switch" or target in self.branches + self.fallbacks
        is_known = is_known or self.has("heads", target) or self.has("remotes", f"*/{target}")
        if not is_known and (not re.fullmatch(r"[\w./@{}~^-]+", target) or self.ask("ls-files", "--", target)):
            return  # it restores files
        if not is_other_way:
            self.fallbacks += self.branches
            self.branches = []
        self.branches += [target] if is_known else []


def _merge(repository: Repository, words: list[Word]) -> Verdict:
    """Judge merge, rebase and pull: to catch up with the branch's own remote is no change of it."""
    branch = repository.protected_branch()
    sources = [word.partition(":")[0] for word in _operands(words)[words[0] == "pull" :]]
    others = [source for source in sources if not _is_own(repository, branch, source)]
    if branch and (others or (words[0] == "merge" and "--continue" in words)):
        return "deny", f"`git {words[0]}` into the protected branch {branch}. Open a pull request instead."
    return None


def _is_own(repository: Repository, branch: str, source: str) -> bool:
    if source in (branch, "@{u}", "@{upstream}"):
        return True
    return source.endswith(f"/{branch}") and repository.has("remotes", source)


def _push(repository: Repository, words: list[Word]) -> Verdict:
    specs = _operands(words)[1:]
    if any(word.is_unknown for word in specs):
        return "ask", f"it cannot be told which branch `git {' '.join(words)}` reaches"
    if any("*" in spec and spec != "*" for spec in specs):
        return "ask", f"it cannot be told which branches `git {' '.join(words)}` reaches"
    if any(EVERY_BRANCH.match(word) for word in words):
        targets = repository.local_branches()
    elif specs or "--tags" in words:
        targets = [target for spec in _without_tags(specs) for target in _targets(repository, spec)]
    else:
        targets = _default_targets(repository)
    branch = next((target for target in targets if repository.protects(target)), "")
    if branch:
        return "deny", f"`git push` to the protected branch {branch}. Push another and open a pull request."
    return None


def _without_tags(specs: list[Word]) -> list[str]:
    return [str(spec) for before, spec in zip(["", *specs], specs) if "tag" not in (before, spec)]


def _targets(repository: Repository, spec: str) -> list[str]:
    """Return the branches that a refspec writes to."""
    source, _, target = spec.lstrip("+").partition(":")
    target = re.sub(r"^(refs/)?heads/", "", target or source)
    if target in ("HEAD", "@"):
        return repository.branches
    return repository.local_branches() if target in ("", "*") else [target]


def _default_targets(repository: Repository) -> list[str]:
    default = repository.ask("config", "--get", "push.default")
    if default == "matching":
        return repository.local_branches()
    if default not in ("upstream", "tracking"):
        return repository.branches
    merges = [repository.ask("config", "--get", f"branch.{branch}.merge") or "" for branch in repository.branches]
    return [merge.replace("refs/heads/", "", 1) for merge in merges]


def _fetch(repository: Repository, words: list[Word]) -> Verdict:
    for spec in _operands(words)[1:]:
        source, colon, target = spec.lstrip("+").partition(":")
        target = target.replace("refs/heads/", "", 1)
        if colon and repository.protects(target) and source.rpartition("/")[2] != target:
            return "deny", f"`git fetch` of {source} into the protected branch {target}"
    return None


def _move(repository: Repository, words: list[Word]) -> Verdict:
    """Judge branch and update-ref, which can move or delete a branch."""
    operands = _operands(words)
    is_copy = any(re.match(COPYING, word) for word in words[1:])
    if words[0] == "branch" and not any(re.match(MOVING, word) for word in words[1:]):
        operands = operands[-1:] if is_copy else []
    if words[0] == "update-ref" and "--stdin" in words:
        return "ask", f"it cannot be told which branch `git {' '.join(words)}` moves"
    if words[0] == "update-ref" and operands[:1] in (["HEAD"], ["@"]) and repository.protected_branch():
        return ("deny", f"`git {' '.join(words)}` would move the protected branch {repository.protected_branch()}")
    for word in operands:
        name = word.replace("refs/heads/", "", 1)
        if repository.protects(name) and repository.has("heads", name) and (name != word or words[0] == "branch"):
            return "deny", f"`git {' '.join(words)}` would move or delete the protected branch {name}"
    return None


def _recreate(repository: Repository, words: list[Word]) -> Verdict:
    """Judge switch and checkout with -C and -B, which point a branch elsewhere."""
    for word, following in zip(words[1:], [*words[2:], ""]):
        match = FORCED.match(word)
        name = (word[match.end() :] or following) if match else ""
        if name and repository.protects(name) and repository.has("heads", name):
            return "deny", f"`git {' '.join(words)}` would move the protected branch {name}"
    return None


def _reset(repository: Repository, words: list[Word]) -> Verdict:
    branch = repository.protected_branch()
    if branch and any(RESETTING.match(word) for word in words):
        return ("ask", f"`git {' '.join(words)}` on the protected branch {branch} can move it and loses changes")
    return None


def _symbolic(repository: Repository, words: list[Word]) -> Verdict:
    """Judge symbolic-ref, which can check out a branch without a switch."""
    operands = _operands(words)
    name = operands[0].replace("refs/heads/", "", 1) if operands else ""
    if name != "HEAD" and len(operands) > 1 and repository.protects(name):
        return "deny", f"`git {' '.join(words)}` would move the protected branch {name}"
    repository.branches += [word.replace("refs/heads/", "", 1) for word in operands[1:2]]
    return None


def _is_harmless(words: list[Word]) -> bool:
    """Whether an option says that nothing is changed; a word that may be another option's value does not."""
    end = words.index(type(words[0])("--")) if "--" in words else len(words)
    return any(
        word in HARMLESS
        and not word.is_quoted
        and not re.match(r"-[A-Za-z]*[mFCctsSXxo]$", before)
        and (before[:2] != "--" or before in FLAGS | HARMLESS)
        for before, word in zip(words[:end], words[1:end])
    )


def _operands(words: list[Word]) -> list[Word]:
    """Return the words behind the subcommand that are no options and no option's value."""
    pairs = zip(words, words[1:])
    return [word for before, word in pairs if before not in WITH_VALUE and (word[:1] != "-" or word == "-")]


RULES = {
    "push": _push,
    "send-pack": _push,
    "fetch": _fetch,
    "branch": _move,
    "update-ref": _move,
    "reset": _reset,
    "symbolic-ref": _symbolic,
    "worktree": _recreate,
}

if __name__ == "__main__":
    sys.exit(main())
