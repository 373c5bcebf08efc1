"""Hooks -> what the checks look at: a hook, its definition, and whether it can start."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from hookrun.agents import NEUTRAL
from hookrun.commands.agent_files import where_by_definition
from hookrun.commands.validate.definition import Definition, Said
from hookrun.commands.validate.finding import WARNING, Finding
from hookrun.model import constants
from hookrun.model.frozen import Frozen
from hookrun.model.values import Hook, Program
from hookrun.programs.command import Launch, Obstacle, prepare
from hookrun.programs.interpreters import find_script
from hookrun.sources.module import prepare_module


class Subject(Frozen):
    """A hook under the checks."""

    hook: Hook
    definition: Definition
    where: str  # its entry in a manifest or in settings
    says: Mapping[str, Said]  # the values there, or in a script's header
    start: Launch | Obstacle | None  # None when its own reader found that it cannot start

    @property
    def is_guard(self) -> bool:
        """Whether its failure denies."""
        return self.hook.role == constants.GUARD

    def finding(self, message: str, said: Said | None = None, *, hint: str = "", level: Any = WARNING) -> Finding:
        """Return a finding about this hook, at the value *said* or at the hook's entry."""
        where = said.where if said else self.where
        return Finding(
            message=message,
            level=level,
            file=self.hook.file,
            line=self.definition.line(where),
            where=where,
            hook=self.hook.id,
            hint=hint,
        )


def subjects_of(hooks: Iterable[Hook], path: str, definitions: dict[str, Definition]) -> list[Subject]:
    """Return *hooks* ready for the checks; *path* is the PATH that they will have."""
    subjects = []
    wheres_by_file: dict[str, dict[str, str]] = {}
    for hook in hooks:
        definition = definition_of(hook.file, definitions)
        if hook.kind == constants.SETTINGS and hook.file not in wheres_by_file:
            wheres_by_file[hook.file] = where_by_definition(hook)
        where = wheres_by_file.get(hook.file, {}).get(hook.entry) or definition.where_of(hook)
        subjects.append(
            Subject(
                hook=hook,
                definition=definition,
                where=where,
                says=definition.says(where),
                start=None if hook.flaw else start_of(hook, path),
            )
        )
    return subjects


def subject_without_text(hook: Hook) -> Subject:
    """Return *hook* for checks of its program alone: where its definition says what is not known."""
    return Subject(hook=hook, definition=Definition(hook.file), where="", says={}, start=None)


def start_of(hook: Hook, path: str) -> Launch | Obstacle:
    """Return how *hook* starts, or why it cannot; *path* is the PATH that it will have."""
    if hook.runtime == "http":  # nothing is started
        return Launch(argv=())
    return prepare_module(hook) if hook.kind == constants.MODULE else prepare(hook.program, path=path)


def definition_of(path: str, definitions: dict[str, Definition]) -> Definition:
    """Return the definition at *path*, read once."""
    if path not in definitions:
        definitions[path] = Definition(path)
    return definitions[path]


def script_of(program: Program) -> str:
    """Return the file that *program* is or gives to an interpreter, also when it cannot start; or ""."""
    if not program.words:
        return ""
    found = find_script(program.words)
    return _file(program.words[found[1] if found else 0], program.folder)


def _file(word: str, folder: str) -> str:
    path = os.path.abspath(os.path.join(folder, word))
    return path if os.path.isfile(path) else ""


class ScriptFile(Frozen):
    """A script that hooks run."""

    path: str
    text: str
    interpreter: str  # a name such as bash
    hook: str  # the id of one of them
    is_guard: bool = False
    agent: str = ""  # whose answers it prints, "" for hookrun's own
    needs: tuple[str, ...] = ()  # programs without which it does not start

    def finding(self, message: str, line: int = 0, *, hint: str = "", level: Any = WARNING) -> Finding:
        """Return a finding about a line of the script."""
        return Finding(message=message, level=level, file=self.path, line=line, hook=self.hook, hint=hint)


def script_files(subjects: Iterable[Subject]) -> list[ScriptFile]:
    """Return the scripts of those *subjects* that can start, each once; one guard makes it a guard's."""
    found: dict[str, ScriptFile] = {}
    for subject in subjects:
        launch = subject.start
        if not isinstance(launch, Launch) or not launch.script:
            continue
        known = found.get(launch.script)
        if known is None:
            text = text_of(launch.script)
            if text is not None:
                found[launch.script] = ScriptFile(
                    path=launch.script,
                    text=text,
                    interpreter=os.path.basename(launch.interpreter),
                    hook=subject.hook.id,
                    is_guard=subject.is_guard,
                    agent=_agent_of(subject.hook),
                    needs=subject.hook.program.needs,
                )
        elif subject.is_guard and not known.is_guard:
            found[launch.script] = known.replace(is_guard=True, hook=subject.hook.id, agent=_agent_of(subject.hook))
    return list(found.values())


def _agent_of(hook: Hook) -> str:
    """Return whose answers a hook gives; scripts of folders and xbot's manifests give hookrun's."""
    is_agents = hook.kind == constants.SETTINGS or (hook.kind == constants.CONTRIBUTED and hook.dialect != NEUTRAL)
    return hook.dialect if is_agents else ""


def text_of(path: str) -> str | None:
    """Return the text of a file; None for anything else, or for one too large to be written by hand."""
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > constants.MANIFEST_LIMIT:
            return None
        with open(path, "rb") as file:
            return file.read(constants.MANIFEST_LIMIT).decode("utf-8", "replace").removeprefix("\ufeff")
    except OSError:
        return None
