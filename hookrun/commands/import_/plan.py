"""What an import would write, and what it would leave behind and why; and writing it, all or nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

from hookrun.agents import dialect_named
from hookrun.agents.settings import settings_of
from hookrun.commands.agent_files import hooks_in, settings_files, where_by_definition
from hookrun.commands.import_.commands import flaw_of, start_of
from hookrun.commands.import_.matching import matching_of
from hookrun.commands.new import NewFile, Template, write_template
from hookrun.config.config import Config
from hookrun.config.paths import shown
from hookrun.model import constants
from hookrun.model.errors import HookrunError
from hookrun.model.events import EVENTS
from hookrun.model.frozen import Frozen
from hookrun.model.values import Hook, Problem
from hookrun.sources.agent_settings.files import SettingsFile
from hookrun.sources.fields import LONGEST_TIMEOUT
from hookrun.sources.found import Found

LONGEST_DEFAULT = 60.0  # seconds that all hooks of an event have where none asks for more
_HOOKRUNS_OWN = "hookrun's own entry"


class Note(Frozen):
    """Something to know about the handler at ``where`` (a key path, "" for all of it) in ``file``."""

    file: str
    where: str
    text: str


class Import(Frozen):
    """What is carried over from one agent: ``files`` to write below ``folder``, ``hooks`` how many handlers.

    ``lost`` is what is left behind, with the reason; ``changed`` what is not the same afterwards; ``sources`` are the
    settings files that the hooks come from, ``on_record`` those of them of which entries are trusted."""

    agent: str
    level: str
    folder: str
    files: tuple[NewFile, ...] = ()
    hooks: int = 0
    lost: tuple[Note, ...] = ()
    changed: tuple[Note, ...] = ()
    sources: tuple[str, ...] = ()
    on_record: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def plan_import(agent: str, config: Config, level: str) -> Import:
    """Return how *agent*'s settings at *level* of the place of *config* become files of hookrun. Raises
    HookrunError where a user has no home folder."""
    folder = _folder(config, level)
    found = settings_files(agent, config)
    everything = hooks_in(found, config)
    root = config.home if level == constants.USER else config.root
    mine = [file for file in found if file.level == level and file.place == root]
    paths = [path for path in _definitions(everything) if any(_belongs(path, file) for file in mine)]
    planned = Import(agent=agent, level=level, folder=folder)
    for path in paths:
        planned = _with_file(planned, path, config, everything)
    problems = tuple(problem for problem in everything.problems if any(_belongs(problem.source, file) for file in mine))
    return planned.replace(problems=problems)


def _folder(config: Config, level: str) -> str:
    if level != constants.USER:
        return os.path.join(config.root, ".hookrun")
    if not config.user_folder:
        raise HookrunError("no home folder for --user", hint="set HOME, or leave out --user")
    return config.user_folder


def write_import(planned: Import) -> list[str]:
    """Write all files of *planned* and return their paths. Raises HookrunError where one is there already."""
    template = Template(
        name=planned.agent, kind="template", description="", files=planned.files, attempt="hookrun list"
    )
    return write_template(template, planned.folder)


def _definitions(found: Found) -> list[str]:
    """Return the files in which something was found, each once."""
    files = [hook.file for hook in found.hooks] + [skip.path for skip in found.skips]
    return list(dict.fromkeys(files))


def _belongs(path: str, file: SettingsFile) -> bool:
    return path == file.path or path.startswith(file.path + os.sep)


def _with_file(planned: Import, path: str, config: Config, found: Found) -> Import:
    """Return *planned* with the handlers of one settings file as one manifest."""
    file = shown(path, config.root, config.home)
    lost = [*_skipped(found, path, file)]
    hooks = [hook for hook in found.hooks if hook.file == path]
    if any(hook.plugin for hook in hooks):
        lost.append(Note(file=file, where="", text="a plugin brings it along, and keeps it"))
        hooks = []
    name = _plugin_name(planned.agent, path)
    folder = os.path.join(planned.folder, "plugins", name)
    wheres = where_by_definition(hooks[0]) if hooks else {}
    making = _Making(planned.agent, name, file, folder)
    for hook in hooks:
        lost += making.add(hook, wheres.get(hook.entry, ""))
    sources = (*planned.sources, file) if making.entries else planned.sources
    return planned.replace(
        files=(*planned.files, *making.files()),
        hooks=planned.hooks + making.hooks,
        lost=(*planned.lost, *lost),
        changed=(*planned.changed, *making.changed),
        sources=sources,
    )


def _skipped(found: Found, path: str, file: str) -> Iterator[Note]:
    for skip in found.skips:
        if skip.path == path and _HOOKRUNS_OWN not in skip.reason:
            where, colon, reason = skip.reason.partition(": ")
            if not colon or " " in where:
                where, reason = "", skip.reason
            yield Note(file=file, where=where, text=reason)


def _plugin_name(agent: str, path: str) -> str:
    """Return imported-AGENT for an agent's usual file, with what tells the file apart from it for another."""
    stem = os.path.splitext(os.path.basename(path))[0]
    rest = stem.removeprefix("settings").removeprefix("hooks").strip(".")
    plain = "".join(sign if sign.isalnum() and sign.isascii() else "-" for sign in rest).strip("-").lower()
    return f"imported-{agent}-{plain}" if plain else f"imported-{agent}"


class _Making:
    """One manifest being made of one settings file."""

    def __init__(self, agent: str, name: str, file: str, folder: str) -> None:
        dialect = dialect_named(agent)
        assert dialect is not None, "every agent with settings has a dialect"
        self.dialect, self.contract = dialect, settings_of(agent)
        self.name, self.file, self.folder = name, file, folder
        self.entries: list[dict[str, Any]] = []
        self.scripts: list[NewFile] = []
        self.changed: list[Note] = []
        self.hooks = 0
        self.open_guards = 0

    def add(self, hook: Hook, where: str) -> list[Note]:
        """Take *hook*, the handler at *where*, in; return what of it is lost."""
        definition = json.loads(hook.entry)
        handler = definition["handler"]
        reason = flaw_of({**handler, "matcher": definition["matcher"]})
        if hook.runtime == "http":
            reason = "an http handler: manifests cannot call URLs"
        matchings = [
            matching_of(definition["event"], trigger.event, definition["matcher"], handler, self.dialect)
            for trigger in hook.triggers
        ]
        reason = reason or next((each.lost for each in matchings if each.lost), "")
        if reason:
            return [Note(file=self.file, where=where, text=reason)]
        self.hooks += 1
        script = f"scripts/{self.hooks}-{_slug(definition['event'])}.sh"
        start = start_of(hook, handler, self.folder, script)
        if start.script is not None:
            self.scripts.append(start.script)
        for note in dict.fromkeys(each.note for each in matchings if each.note):
            self.changed.append(Note(file=self.file, where=where, text=note))
        self._note_time(hook, where)
        for trigger, matching in zip(hook.triggers, matchings, strict=True):
            self.entries.append(self._entry(hook, trigger.event, matching.matcher, start.entry))
        self.open_guards += any("on_failure" in entry for entry in self.entries[-len(matchings) :])
        return []

    def _note_time(self, hook: Hook, where: str) -> None:
        if hook.timeout and hook.timeout > LONGEST_TIMEOUT:
            text = f"its timeout of {hook.timeout:g} s becomes 5m, the most that a manifest can give"
            self.changed.append(Note(file=self.file, where=where, text=text))
        if hook.is_async:
            text = "hookrun waits for it, and hears nothing of it; the agent did not wait"
            self.changed.append(Note(file=self.file, where=where, text=text))

    def _entry(self, hook: Hook, event: str, matcher: str, entry: str) -> dict[str, Any]:
        is_open = hook.role == constants.GUARD and EVENTS[event].guarded and hook.on_failure is None
        made: dict[str, Any] = {"event": event}
        if matcher:
            made["matcher"] = matcher
        made |= {"entry": entry, "timeout": _duration(hook.timeout or min(self.contract.seconds, LONGEST_DEFAULT))}
        if is_open:
            made["on_failure"] = "allow"
        if hook.is_async and EVENTS[event].guarded:
            made["role"] = constants.OBSERVER
        return made | ({"serial": True} if hook.serial else {})

    def files(self) -> Iterator[NewFile]:
        """Yield the manifest, then its scripts, by their paths below hookrun's folder."""
        if not self.entries:
            return
        if self.open_guards:
            count = "1 guard lets" if self.open_guards == 1 else f"{self.open_guards} guards let"
            text = f"{count} the agent go on after a failure, as in {self.contract.title} (on_failure: allow)"
            hint = "remove on_failure to make a failure deny, as hookrun's guards do"
            self.changed.append(Note(file=self.file, where="", text=f"{text}; {hint}"))
        for entry in self.entries:
            if entry["entry"] == self.entries[0]["entry"] and entry is not self.entries[0]:
                del entry["entry"]
        first = self.entries[0].pop("entry")
        manifest = {
            "id": self.name,
            "name": f"Hooks of {self.contract.title}",
            "version": "1.0.0",
            "description": f"imported from {self.file}",
            "runtime": "script",
            "dialect": self.dialect.name,
            "entry": first,
            "permissions": ["hooks.subscribe"],
            "contributes": {"hooks": self.entries},
        }
        data = f"{json.dumps(manifest, indent=2, ensure_ascii=False)}\n".encode("utf-8", "surrogateescape")
        below = f"plugins/{self.name}"
        yield NewFile(path=f"{below}/plugin.json", data=data)
        yield from (script.replace(path=f"{below}/{script.path}") for script in self.scripts)


def _slug(own_event: str) -> str:
    parts = "".join(f"-{sign.lower()}" if sign.isupper() else sign for sign in own_event)
    return parts.replace("_", "-").strip("-")


def _duration(seconds: float) -> str:
    seconds = min(seconds, LONGEST_TIMEOUT)
    return f"{seconds:g}s" if seconds >= 1 else f"{max(1, round(seconds * 1000))}ms"


def next_steps(planned: Import) -> list[str]:
    """Return what a person does next, in order; nothing where nothing was carried over."""
    if not planned.files:
        return []
    # In this order: what was trusted in the settings would be missed in them, and what they guarded denied.
    taken_out = f"remove these hooks from {' and '.join(planned.sources)}, or they run twice"
    named = " ".join(planned.on_record)
    forgotten = [f"hookrun untrust {named}, or what they guarded is denied as gone"] if named else []
    trusted = ["hookrun trust, once it is what you want"] if planned.level != constants.USER else []
    installed = f"hookrun install {planned.agent}, so that {planned.agent} asks hookrun"
    return [taken_out, *forgotten, *trusted, installed]


def import_document(planned: Import, *, is_dry_run: bool) -> dict[str, Any]:
    """Return *planned* as one mapping (docs/import.md)."""
    return {
        "agent": planned.agent,
        "level": planned.level,
        "dry_run": is_dry_run,
        "hooks": planned.hooks,
        "from": list(planned.sources),
        "files": [os.path.join(planned.folder, file.path) for file in planned.files],
        "changed": _notes(planned.changed),
        "not_carried_over": _notes(planned.lost),
        "next": next_steps(planned),
        "problems": [problem.document() for problem in planned.problems],
    }


def _notes(notes: Sequence[Note]) -> list[dict[str, Any]]:
    return [{"file": note.file, "where": note.where or None, "reason": note.text} for note in notes]
