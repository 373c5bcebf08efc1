"""The scripts that commands of agents' settings run: can they start, and does their agent read their answers?

Read as text, so that only what is plain there is found; nothing is run.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from hookrun.agents.settings import settings_of
from hookrun.commands.validate.finding import ERROR, WARNING, Finding
from hookrun.commands.validate.subject import ScriptFile, Subject, text_of
from hookrun.matching.shell_conditions import simple_commands
from hookrun.model import constants
from hookrun.model.frozen import Frozen
from hookrun.model.values import Program
from hookrun.programs.command import Launch, Obstacle, prepare
from hookrun.programs.interpreters import find_script
from hookrun.sources.agent_settings.commands import Word, folders_of, shell_words

_TESTS_OF_FILES = ("-x", "-f", "-e", "-r", "-s", "-d", "-L", "-h", "-a")
_NOT_FILES = ("/bin/", "/sbin/", "/usr/", "/opt/homebrew/", "/nix/store/", "/dev/", "/proc/")


class Named(Frozen):
    """A script that the command of *subject* runs."""

    subject: Subject
    path: str
    start: Launch | Obstacle
    is_direct: bool  # by its own path, without an interpreter
    is_tested: bool = False  # the command tests that it exists before it runs it

    @property
    def file(self) -> ScriptFile | None:
        """The script's text, None where there is none to be read."""
        launch = self.start
        text = text_of(self.path) if isinstance(launch, Launch) and launch.script else None
        if text is None or not isinstance(launch, Launch):
            return None
        interpreter = os.path.basename(launch.interpreter)
        return ScriptFile(path=self.path, text=text, interpreter=interpreter, hook=self.subject.hook.id)


def named_scripts(subjects: Iterable[Subject], path: str) -> list[Named]:
    """Return the scripts that commands in agents' settings run; *path* is the PATH that they will have."""
    return [
        named
        for subject in subjects
        if subject.hook.kind == constants.SETTINGS and subject.hook.runtime == "script"
        for named in _of_hook(subject, path)
    ]


def _of_hook(subject: Subject, path: str) -> Iterator[Named]:
    hook = subject.hook
    words = hook.program.words
    if len(words) < 3 or words[-2] not in ("-c", "-lc"):
        file = words[0] if words and os.path.isabs(words[0]) else ""
        if file and not file.startswith(_NOT_FILES):
            yield _named(subject, words, path)
        return
    folders = folders_of(hook.place, hook.program.folder, os.path.expanduser("~"))
    commands = [shell_words(command, folders) for command in simple_commands(words[-1]).commands]
    tested = {os.path.normpath(os.path.join(hook.program.folder, file)) for file in _tested_files(commands)}
    for command in commands:
        if _runs_a_file(command):
            named = _named(subject, tuple(word.text for word in command), path)
            yield named.replace(is_tested=named.path in tested)


def _tested_files(commands: Iterable[Sequence[Word]]) -> Iterator[str]:
    """Yield the files that a command looks for: ``[ -x FILE ]``, ``test -f FILE``."""
    for command in commands:
        texts = [word.text for word in command]
        if not {"[", "[[", "test"}.isdisjoint(texts[:3]):
            yield from (file for option, file in pairwise(texts) if option in _TESTS_OF_FILES)


def _runs_a_file(command: Sequence[Word]) -> bool:
    """Say whether *command* runs a file that is named in full: nothing in its name is left to be expanded."""
    words = [word.text for word in command]
    if not words or "cd" in words:
        return False
    found = find_script(tuple(words))
    file = command[found[1]] if found else command[0]
    is_path = bool(found) or "/" in file.text
    return is_path and file.is_whole and not file.text.startswith(_NOT_FILES)


def _named(subject: Subject, words: tuple[str, ...], path: str) -> Named:
    folder = subject.hook.program.folder
    found = find_script(words)
    file = os.path.normpath(os.path.join(folder, words[found[1] if found else 0]))
    start = prepare(Program(words=words, folder=folder), path=path)
    return Named(subject=subject, path=file, start=start, is_direct=not found)


def obstacle_of(named: Named) -> Obstacle | None:
    """Return why the agent cannot start a script, None when it can."""
    if named.is_tested and not os.path.lexists(named.path):
        return None
    if isinstance(named.start, Obstacle):
        if not os.path.lexists(named.path) and set(os.path.basename(named.path) + named.path) & set("~$"):
            return named.start.replace(hint="a shell expands no ~ in quotes, and no $ in single quotes")
        return named.start
    if named.is_direct and os.path.isfile(named.path) and not os.access(named.path, os.X_OK):
        cause = f"{os.path.basename(named.path)} is not executable"
        return Obstacle(cause=cause, hint=f"chmod +x {named.path}")
    return None


def check_named(named: Named) -> Iterator[Finding]:
    """Yield why the agent cannot start a script."""
    subject, obstacle = named.subject, obstacle_of(named)
    if obstacle is None:
        return
    hook, settings = subject.hook, settings_of(subject.hook.dialect)
    is_closed = hook.on_failure == "deny" or any(each.event in settings.closes for each in hook.triggers)
    becomes = "denies because of that" if is_closed else "goes on without it"
    message = f"cannot start: {obstacle.cause}: {settings.title} {becomes}"
    found = subject.finding(message, hint=obstacle.hint, level=ERROR).replace(state=constants.CANNOT_START)
    yield found.replace(file=named.path, line=1, where="") if os.path.isfile(named.path) else found


def check_words(subjects: Iterable[Subject], named: Iterable[Named]) -> Iterator[Finding]:
    """Yield what a command, or a script that it runs, answers in vain."""
    from hookrun.commands.validate.unheard_answers import find_traps  # list needs none of its expressions

    for subject in subjects:
        hook = subject.hook
        if hook.kind != constants.SETTINGS or hook.is_async or hook.runtime != "script":
            continue
        command = hook.program.words[-1] if hook.program.words[-2:-1] in (("-c",), ("-lc",)) else ""
        for trap in find_traps(command, "sh", hook):
            yield subject.finding(trap.message, hint=trap.hint, level=WARNING)
    for each in named:
        file = each.file
        if file is not None and not each.subject.hook.is_async:
            for trap in find_traps(file.text, file.interpreter, each.subject.hook):
                yield file.finding(trap.message, trap.line, hint=trap.hint)
