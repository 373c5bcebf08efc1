"""A script that hooks run: its text and who interprets it, for the checks that read programs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from hookrun.agents import NEUTRAL
from hookrun.commands.validate.finding import WARNING, Finding
from hookrun.commands.validate.subject import Subject
from hookrun.model import constants
from hookrun.model.frozen import Frozen
from hookrun.model.values import Hook
from hookrun.programs.command import Launch


class ScriptFile(Frozen):
    """``interpreter`` is a name such as bash, ``needs`` programs whose absence is a failure already,
    ``agent`` whose answers it gives, "" for hookrun's own."""

    path: str
    text: str
    interpreter: str
    hook: str
    is_guard: bool = False
    agent: str = ""
    needs: tuple[str, ...] = ()

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
    """Return the text of a file; None for what is no file, or too large to have been written by hand."""
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > constants.MANIFEST_LIMIT:
            return None
        with open(path, "rb") as file:
            return file.read(constants.MANIFEST_LIMIT).decode("utf-8", "replace").removeprefix("\ufeff")
    except OSError:
        return None
