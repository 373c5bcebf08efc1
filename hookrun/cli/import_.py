"""`hookrun import`: an agent's own settings, as manifests and scripts of hookrun."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from hookrun.cli import output
from hookrun.cli.event_input import open_runner
from hookrun.commands.agent_files import known_agent
from hookrun.commands.import_ import Import, Note, import_document, plan_import, write_import
from hookrun.commands.import_.plan import next_steps
from hookrun.commands.trust import files_on_record
from hookrun.config.paths import shown
from hookrun.model import constants


def run(values: dict[str, Any]) -> int:
    """Write what AGENT's settings hold, never over an existing file; return 1 when there is nothing."""
    agent = known_agent(values["agent"])
    with open_runner(values) as runner:
        config = runner.config
        level = constants.USER if values["user"] else constants.PROJECT
        planned = plan_import(agent, config, level)
        if level == constants.PROJECT:
            planned = planned.replace(on_record=files_on_record(runner, planned.sources))
    if planned.files and not values["dry_run"]:
        write_import(planned)
    if values["format"] == "json":
        output.write_json(import_document(planned, is_dry_run=values["dry_run"]))
    else:
        output.write(
            "".join(f"{output.harmless(line)}\n" for line in _lines(planned, config.root, config.home, values))
        )
        output.tell_problems(planned.problems, quiet=values["quiet"])
    return constants.EXIT_OK if planned.files else constants.EXIT_FOUND_WRONG


def _lines(planned: Import, root: str, home: str, values: dict[str, Any]) -> Iterator[str]:
    if not planned.files:
        whose = "your own" if planned.level == constants.USER else "the project's"
        yield f"nothing to import from {whose} settings of {planned.agent}"
    verb = "would write" if values["dry_run"] else "wrote"
    for file in planned.files:
        yield f"{verb} {shown(os.path.join(planned.folder, file.path), root, home)}"
    if planned.files:
        hooks = "1 hook" if planned.hooks == 1 else f"{planned.hooks} hooks"
        yield f"{hooks} of {' and '.join(planned.sources)}"
    yield from _notes("changed", planned.changed)
    yield from _notes("not carried over", planned.lost)
    yield from (f"then  {step}" for step in next_steps(planned))


def _notes(title: str, notes: tuple[Note, ...]) -> Iterator[str]:
    for note in notes:
        yield f"{title}: {note.file}{f' {note.where}' if note.where else ''}: {note.text}"
