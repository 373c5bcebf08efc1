#!/usr/bin/env python3
"""Deny shell commands that destroy what cannot be brought back or switch guards off; ask before sudo."""

from __future__ import annotations

import sys

sys.dont_write_bytecode = True

import fnmatch  # noqa: E402
import os  # noqa: E402
import re  # noqa: E402

from tool_call import UNREADABLE_COMMAND, answer, environment, is_free_of, read_call, strictest  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Optional

    from shell_commands import Command
    from shell_words import Word
    from tool_call import Verdict

    Loss = Optional[tuple[str, str]]  # (one of KINDS, what it is)

# What is judged here: a command line without any of these words needs no closer look.
PROGRAMS = (
    r"rm|mv|git[\w./:@%+,= -]* (?:push|clean)|ch(?:mod|own|grp)|dd|cp|tee|shred|wipefs|blkdiscard|"
    r"(?:mk|new)fs[.\w]*|mke2fs|mkswap|s?fdisk|sgdisk|parted|diskutil|shutdown|reboot|halt|poweroff|"
    r"(?:tel)?init|systemctl|kill\w*|python[\d.]*|node|perl|ruby|php|hookrun|HOOKRUN_\S*"
)
DOWNLOAD = re.compile(r"(?:^|[\s;|&(/])(?:curl|wget|https?|xh|aria2c)\s")
DECODERS = frozenset("base64 base32 xxd uudecode openssl".split())
DISK_PROGRAM = re.compile(r"(mkfs(\..+)?|newfs.*|mke2fs|mkswap|wipefs|blkdiscard|shred|s?fdisk|sgdisk|parted|tee)$")
DEVICE = re.compile(r"/dev/(?!(null|zero|full|tty\w*|stdin|stdout|stderr|fd/.*|shm/.*|pts/.*|u?random)$)")
SYSTEM_FOLDERS = frozenset(
    "/bin /boot /dev /etc /home /lib /lib32 /lib64 /media /mnt /nix /opt /proc /root /run /sbin /srv /sys "
    "/tmp /usr /usr/local /usr/src /var /var/lib /var/log /var/root /var/tmp /Applications /Library /System "
    "/Users /Volumes /private /private/etc /private/tmp /private/var /cores".split()
)
SYSTEM_TREES = tuple("/bin/ /boot/ /dev/ /etc/ /lib/ /lib64/ /proc/ /sbin/ /sys/ /usr/ /private/etc/ /System/".split())
OPEN_TREES = ("/usr/local/", "/usr/src/", "/dev/shm/")
HOME_FOLDERS = tuple(".ssh .gnupg .config .local .aws .kube Documents Desktop Downloads Library".split())
FIND_FILTER = re.compile(r"-(i?name|i?path|i?regex|i?wholename|newer.*|[acm](time|min)|size|empty|user|perm)$")
EVERYTHING = re.compile(r"\.?[*?]+$|\.\[[!^]?\.\]\*$|\.\?\*$")  # a last part that matches all there is
EXPANSION = re.compile(r"\$(?:\w+|[@*#?!$-])|\$\{(?!\w+:?\?)[^}]*\}|\$\([^)]*\)|`[^`]*`")
NEW_FOLDER = re.compile(r"\$\(\s*mktemp\b[^;&|()`$\n]*\)")
NEVER_EMPTY = re.compile(r"\$\{\w+:?\?")
# Programs whose output is made to be run by the shell.
SHELL_SETUP = re.compile(
    r"\s*(?:direnv hook|ssh-agent|brew shellenv|(?:py|rb|nod|go|j)env init|starship init|zoxide init|"
    r"mise activate|fnm env|opam env|dircolors|[\w-]+ completions?)\b[\w ./=-]*"
)
PLAIN_SOURCES = frozenset("echo printf cat tee cd true : set".split())  # what they pipe on is read or a file
KINDS = ("system", "home", "work", "tree", "unknown")
RIGHTS = frozenset("sudo doas pkexec run0 su runuser".split())
SETTLING = frozenset("trust untrust uninstall pause".split())  # hookrun's commands that are for people


def main() -> int:
    call = read_call()
    verdicts = [judged(command, call.cwd, call.project, environment()) for command in call.commands]
    return answer(strictest([*verdicts, UNREADABLE_COMMAND if call.has_unreadable_command else None]))


def judged(command: str, cwd: str, project: str, environ: Mapping[str, str]) -> Verdict:
    """Return ("deny" or "ask", why) for a command line; None when nothing speaks against it."""
    if is_free_of(PROGRAMS, command):
        return None
    from shell_commands import commands
    from shell_words import Unreadable

    if _is_fork_bomb(re.sub(r"\s", "", command)):
        return "deny", "this is a fork bomb"
    place = Place(cwd, project, environ.get("HOME", ""))
    known = {**environ, "$(pwd)": cwd, "$(git rev-parse --show-toplevel)": project}
    try:
        found = [verdict for one in commands(command, cwd, known) for verdict in _verdicts(one, place)]
    except Unreadable as error:
        return ("ask", f"this command line cannot be read: {error}. Mend its quotes, or run it in smaller steps.")
    return strictest(found)


def _is_fork_bomb(text: str) -> bool:
    """Whether a function in *text*, which has no blanks, pipes itself into itself in the background."""
    for match in re.finditer(r"\(\)\{", text):
        name = re.split(r"[(){}|&;]", text[max(0, match.start() - 40) : match.start()])[-1]
        if name and f"{name}|{name}&" in text[match.end() : match.end() + 200]:
            return True
    return False


class Place:
    """What must not be lost where a command runs: the system, the home folder, the project."""

    def __init__(self, cwd: str, project: str, home: str) -> None:
        self.tops = tuple(f"{top.rstrip('/')}/" for top in (cwd, project) if top not in ("", "/"))
        self.losses: dict[str, tuple[str, str]] = {"/": ("system", "the whole system")}
        self.losses.update(dict.fromkeys(SYSTEM_FOLDERS, ("system", "a folder of the system")))
        if home not in ("", "/"):
            self.losses[os.path.normpath(home)] = ("home", "the home folder")
            for name in HOME_FOLDERS:
                self.losses[os.path.join(home, name)] = ("home", "a folder of the user's")
        for top, what in ((project, "the project"), (cwd, "the folder this runs in")):
            while top and top not in self.losses:
                self.losses[top] = ("work", what)
                top, what = os.path.dirname(top), "a folder around the project"

    def loss(self, path: str, is_pattern: bool) -> Loss:
        """Return what would be gone with an absolute *path*, None for an ordinary file or folder."""
        if is_pattern:
            return next((loss for known, loss in self.losses.items() if fnmatch.fnmatchcase(known, path)), None)
        if path in self.losses or path.startswith(self.tops):
            return self.losses.get(path)
        if path.startswith(SYSTEM_TREES) and not path.startswith(OPEN_TREES):
            return "tree", "a part of the system"
        return ("home", "a home folder") if os.path.dirname(path) in ("/home", "/Users") else None


def _verdicts(command: Command, place: Place) -> Iterator[tuple[str, str]]:
    """Yield what the rules say about one simple command."""
    verdicts = [rule(command, place) for rule in (_removal, _search, _permissions)]
    verdicts += [rule(command) for rule in (_devices, _pushing, _cleaning, _download, _power, _hookrun, _computed)]
    yield from (verdict for verdict in verdicts if verdict)
    if command.name in RIGHTS or RIGHTS.intersection(command.wrappers):
        yield "ask", f"`{_shown(command)}` runs with the rights of another user"


def _removal(command: Command, place: Place) -> Verdict:
    if command.name == "mv":
        return _lost(command, _moved(command), place, ("system", "home"))
    if command.name != "rm":
        return None
    if not (command.has_option("rR") or _has_prefix_of(command, "--recursive")):
        is_unsure = any(word.is_unknown and not word.is_quoted for word in command.words)
        return _lost(command, command.operands, place, KINDS[:-1]) if is_unsure else None
    is_fed = bool({"xargs", "parallel"}.intersection(command.wrappers))
    source = command.upstream[-1] if is_fed and command.upstream else None
    if source and source.name in ("find", "ls"):
        return _lost(command, _starts(source), place, _kinds(source)) or _lost(command, command.operands, place)
    lost = _lost(command, command.operands, place)
    is_fed = is_fed and not (source and source.name in ("echo", "printf"))
    if is_fed and not lost:
        return "ask", f"it cannot be told what `{_shown(command)}` removes"
    return lost


def _moved(command: Command) -> list[Word]:
    """Return what mv moves: all operands but the last, all when an option names the folder."""
    has_folder = any(re.match(r"--t[a-z-]*=|-\w*t", word) for word in command.words[1:])
    return command.operands if has_folder else command.operands[:-1]


def _search(command: Command, place: Place) -> Verdict:
    """Judge find with -delete, or with -exec of a removal."""
    removal = r"-delete\b|-(?:exec|ok)(?:dir)? (?:sudo |env |\S*sh -c .*)?\S*\b(?:rm|unlink|shred)\b"
    if command.name != "find" or not re.search(removal, " ".join(command.words)):
        return None
    return _lost(command, _starts(command), place, _kinds(command))


def _kinds(command: Command) -> tuple[str, ...]:
    """Return the losses that count for a search: one with a filter may go through the project."""
    is_filtered = any(FIND_FILTER.match(word) for word in command.words)
    return ("system", "home", "tree") if is_filtered else KINDS


def _starts(command: Command) -> list[Word]:
    """Return the folders in which find or ls begins."""
    from shell_words import Word

    starts: list[Word] = []
    for word in command.words[1:]:
        is_option = word[:1] in ("-", "(", "!")
        if is_option and command.name == "find" and word not in ("-H", "-L", "-P"):
            break
        starts += [] if is_option else [word]
    return starts or [Word(".")]


def _permissions(command: Command, place: Place) -> Verdict:
    if command.name not in ("chmod", "chown", "chgrp"):
        return None
    if not (command.has_option("R") or _has_prefix_of(command, "--recursive")):
        return None
    return _lost(command, command.operands, place, ("system", "home"))


def _has_prefix_of(command: Command, option: str) -> bool:
    """Whether *option* is given, perhaps shortened as GNU's programs allow."""
    return any(len(word) > 2 and option.startswith(word) for word in command.words[1:])


def _lost(command: Command, words: list[Word], place: Place, kinds: tuple[str, ...] = KINDS) -> Verdict:
    """Return the verdict on a *command* that erases *words*, as far as *kinds* of loss count."""
    for word in words:
        loss = _loss(word, command, place)
        if loss and loss[0] in kinds:
            decision = "ask" if loss[0] == "unknown" else "deny"
            return (decision, f"`{_shown(command)}` would reach {loss[1]}. Name a path inside the project.")
    return None


def _loss(word: Word, command: Command, place: Place) -> Loss:
    for folder in command.folders:
        if folder is None and re.fullmatch(r"[./*]*", word) and word[:1] != "/":
            return "unknown", "a folder that cannot be told in advance"
        loss = _loss_in(folder or "/nowhere", word, word.is_quoted, place)
        if loss:
            return loss
    if not word.is_unknown or NEVER_EMPTY.match(word) or NEW_FOLDER.match(word):
        return None
    expansion = EXPANSION.search(word)
    rest = EXPANSION.sub("", word)
    if word[:1] in "$`" and rest[:1] != "/":
        return "unknown", f"what `{word}` stands for, which cannot be told"
    for folder in command.folders if expansion else ():
        loss = _loss_in(folder or "/nowhere", rest, word.is_quoted, place)
        if expansion and loss:
            return "unknown", f"{loss[1]} if {expansion.group()} is empty (`${{NAME:?}}` is safe)"
    return None


def _loss_in(folder: str, word: str, is_quoted: bool, place: Place) -> Loss:
    path = os.path.join(folder, word if is_quoted else os.path.expanduser(word))
    path = "/" + os.path.normpath(path).lstrip("/")
    while EVERYTHING.match(os.path.basename(path)) and (not is_quoted or "/" in word):
        path = os.path.dirname(path)
    return place.loss(path, not is_quoted and bool(re.search(r"[*?[]", path)))


def _devices(command: Command) -> Verdict:
    targets: list[str] = [one.target for one in command.redirections if ">" in one.operator]
    if command.name == "dd":
        targets += [word[3:] for word in command.words if word.startswith("of=")]
    elif command.name in ("cp", "mv"):
        targets += command.operands[-1:]
    elif DISK_PROGRAM.match(command.name) and not ("-l" in command.words and "disk" in command.name):
        targets += command.operands
    elif command.name == "diskutil" and re.match("erase|partition|zero|random|secure", " ".join(command.operands)):
        targets += ["/dev/disk"]
    paths = [os.path.join(folder or "/", target) for target in targets for folder in command.folders]
    if any(DEVICE.match("/" + os.path.normpath(path).lstrip("/")) for path in paths):
        return "deny", f"`{_shown(command)}` would overwrite a device"
    return None


def _pushing(command: Command) -> Verdict:
    from shell_commands import git_call

    words = git_call(command)[1]
    own = [word for before, word in zip(words, words[1:]) if before not in ("-o", "--push-option")]
    if words[:1] != ["push"] or "--dry-run" in own or "-n" in own:
        return None
    if any(word[:1] == "+" or re.match(r"--fo(?:r(?:ce?)?)?$|--m[iro]*$|-[^-o]*f", word) for word in own):
        return "deny", f"`{_shown(command)}` would overwrite what others have pushed. Use --force-with-lease."
    return None


def _cleaning(command: Command) -> Verdict:
    from shell_commands import git_call

    words = git_call(command)[1]
    if words[:1] != ["clean"] or "--dry-run" in words or any(re.match("-[^-]*[ni]", word) for word in words):
        return None
    if "--force" in words or any(re.match("-[^-]*f", word) for word in words):
        return "ask", f"`{_shown(command)}` erases files that git does not keep. `git clean -n` lists them."
    return None


def _download(command: Command) -> Verdict:
    """Judge programs that come from the network, or out of a decoder, straight into an interpreter."""
    from shell_commands import program

    kind, text = program(command)
    if kind == "code" and text in ("", "{}") and "xargs" in command.wrappers:
        kind = "stdin"
    sources: list[str] = list(command.words[0].scripts) if command.words else []
    if kind == "stdin":
        sources += [" ".join([one.name, "", *one.scripts]) for one in command.upstream]
        sources += [script for one in command.redirections if "<" in one.operator for script in one.scripts]
    elif command.name in ("source", "."):
        sources += [script for word in command.operands[:1] for script in word.scripts]
    else:
        sources += getattr(text, "scripts", ())
    if any(DOWNLOAD.search(f"{source} ") for source in sources):
        return "deny", f"`{_shown(command)}` runs a download unseen. Save it to a file and read it first."
    if kind == "stdin" and any(one.name in DECODERS for one in command.upstream):
        return "ask", f"`{_shown(command)}` runs encoded text unseen. Decode it to a file and read it first."
    return None


def _computed(command: Command) -> Verdict:
    """Ask about programs that cannot be told: named by a variable, or made by another program."""
    from shell_commands import SHELLS, program

    kind, text = program(command)
    words = [word for word in command.words[:1] if word.is_unknown]
    if command.name in ("source", "."):
        words += [word for word in command.operands[:1] if word[:2] in ("<(", "$(") or word[:1] == "`"]
    elif command.name in SHELLS and kind == "file":
        words += [word for word in command.words[1:] if word == text and word[:2] == "<("]
    elif command.name in SHELLS and kind == "stdin":
        words += [one.target for one in command.redirections if one.operator == "<" and one.target.scripts]
        if any(one.name not in PLAIN_SOURCES for one in command.upstream):
            return (
                "ask",
                f"`{_shown(command)}` runs what another program prints. Save it to a file and read it first.",
            )
    elif command.name in SHELLS and text in ("", "{}") and "xargs" in command.wrappers:
        return "ask", f"`{_shown(command)}` runs what it is fed unseen"
    if all(word.scripts and all(map(SHELL_SETUP.fullmatch, word.scripts)) for word in words):
        return None
    return "ask", f"it cannot be told what `{_shown(command)}` runs. Name the program."


def _power(command: Command) -> Verdict:
    name, operands = command.name, command.operands
    is_stop = name in ("reboot", "halt", "poweroff", "killall5") or (name == "shutdown" and "-c" not in command.words)
    is_stop |= name in ("init", "telinit") and operands[:1] in (["0"], ["6"])
    is_stop |= name == "systemctl" and operands[:1] in (["poweroff"], ["reboot"], ["halt"], ["kexec"])
    if is_stop and "--help" not in command.words:
        return "deny", f"`{_shown(command)}` would stop this machine"
    if name == "kill" and {"-1", "1"}.intersection(_process_ids(command.words[1:])):
        return "deny", f"`{_shown(command)}` would end every process. Name the one to end."
    return None


def _process_ids(words: list[Word]) -> list[Word]:
    """Return the process ids among the words of kill: the first option is a signal."""
    if words[:1] and words[0] in ("-s", "-n", "--signal"):
        words = words[2:]
    elif words[:1] and words[0][:1] == "-" and words[0] != "--":
        words = words[1:]
    return [word for word in words if word != "--"]


def _hookrun(command: Command) -> Verdict:
    from shell_commands import DECLARATIONS

    name = _subcommand(command)
    is_reading = {"--list", "--help", "--dry-run"}.intersection(command.words) and "--yes" not in command.words
    if name in SETTLING and not is_reading:
        return "deny", f"`hookrun {name}` is for the user to run. Ask them."
    declared = command.words[1:] if command.name in DECLARATIONS else []
    if any(word.startswith("HOOKRUN_TRUST") for word in [*command.assignments, *declared]):
        return "deny", "HOOKRUN_TRUST is for the user to set. Ask them."
    return None


def _subcommand(command: Command) -> str:
    """Return hookrun's subcommand, "" when *command* is not hookrun."""
    texts = [str(word) for word in command.words]
    module = [at for at, word in enumerate(texts) if re.match(r"-[a-zA-Z]*m", word)]
    if command.name.startswith("python") and module:
        joined = texts[module[0]].partition("m")[2]
        texts = [*([joined] if joined else []), *texts[module[0] + 1 :]]
    words = iter(texts)
    if os.path.basename(next(words, "")) != "hookrun":
        return ""
    for word in words:
        if word in ("--project", "--hook", "--extension", "--format"):
            next(words, "")
        elif word[:1] != "-":
            return word
    return ""


def _shown(command: Command) -> str:
    text = " ".join(" ".join([*command.wrappers, *command.words]).split())
    return text if len(text) <= 80 else text[:77] + "..."


if __name__ == "__main__":
    sys.exit(main())
