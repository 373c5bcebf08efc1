"""A plugin manifest, JSON or YAML -> its hooks: contributes.hooks, ui triggers and commands.

A bad trigger costs that trigger, a bad contribution that contribution, the rest counts. A manifest that
cannot be read at all may contain a guard, so it becomes a hook that cannot start (docs/safety.md).
"""

from __future__ import annotations

import os

from hookrun.agents import event_named_anywhere
from hookrun.config.documents import read_document
from hookrun.config.paths import harmless, shown
from hookrun.matching import matchers
from hookrun.model import constants
from hookrun.model.errors import HookrunError
from hookrun.model.text import did_you_mean
from hookrun.model.values import Hook, Problem, Program, Trigger, Widget
from hookrun.sources import fields
from hookrun.sources.found import Found, Skip, beginning, short_id, unreadable
from hookrun.sources.manifest_program import entry_words, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.sources.found import Origin

MOST_UI_CONTRIBUTIONS = 10
_NO_PROGRAM = "the manifest names no program to run"
_PART_OF_XBOT = "part of xbot itself (runtime native, no entry)"
NEEDED_PERMISSIONS = {"hooks": "hooks.subscribe", "ui": "ui.contribute"}


def read_manifest(path: str, origin: Origin) -> Found:
    """Return what the manifest at *path* (absolute) contributes, with a Problem for every flaw."""
    try:
        document = read_document(path)
    except HookrunError as error:
        return _unreadable(path, origin, error)
    if not isinstance(document.value, dict):
        return _unreadable(path, origin, HookrunError("is not a mapping", where=path, hint="write an object { ... }"))
    manifest = _Manifest(path, origin, document.value, document.text.encode())
    for spot in document.duplicates:
        manifest.problem("appears twice; the last one counts", spot, "remove one of them", level="warning")
    return manifest.read()


class _Manifest:
    """One manifest being read; problems are collected as they are met."""

    def __init__(self, path: str, origin: Origin, table: Mapping[Any, Any], definition: bytes) -> None:
        self.path = path
        self.definition = definition
        self.table = table
        self.origin = origin
        self.folder = os.path.dirname(path)
        self.sum = beginning(origin.level, shown(path, origin.place))
        self.problems: list[Problem] = []
        self.skips: list[Skip] = []
        self.values = fields.read_fields(table, fields.MANIFEST_FIELDS, path, "", self.problems)
        self.id: str = self.values.get("id", "")
        self.flaw = ""
        self.flaw_hint = ""
        self.hooks_flaw = ""
        self.is_xbots = False  # Go code within xbot: there is nothing to run
        self._first: Hook | None = None  # what all hooks of the manifest have in common
        self.runtime: Any = fields.RUNTIMES_RUN_HERE.get(self.values.get("runtime", ""), "script")
        self.env = self._variables()

    def problem(self, message: str, where: str, hint: str = "", level: Any = "error") -> None:
        self.problems.append(Problem(message=message, level=level, source=self.path, where=where, hint=hint))

    def read(self) -> Found:
        self._check_identity(self.table)
        program = self._program()
        timeout = self._duration(self.values, "timeout", "")
        contributes = self.values.get("contributes", {})
        parts = fields.read_fields(contributes, fields.CONTRIBUTION_FIELDS, self.path, "contributes.", self.problems)
        hooks = self._hooks(parts, program, timeout)
        if self.is_xbots:
            self._skip(f"{_PART_OF_XBOT}, not run here")
            hooks = [hook for hook in hooks if hook.role == constants.GUARD]
        else:
            hooks = self._of_runtime(hooks, parts, program, timeout)
            self._skip_foreign(parts)
        return Found(hooks=tuple(hooks), skips=tuple(self.skips), problems=tuple(self.problems))

    def _of_runtime(
        self, hooks: list[Hook], parts: Mapping[str, Any], program: Program, timeout: float | None
    ) -> list[Hook]:
        """Return all hooks of the plugin, of which *hooks* are contributes.hooks."""
        if self.runtime == "python":
            found = [self._module(parts, program)]
        else:
            if self.runtime == "stdio" and not parts.get("hooks") and self._may(NEEDED_PERMISSIONS["hooks"]):
                hooks = [self._subscriber(program, timeout)]
            found = [*hooks, *self._widgets(parts, program, timeout), *self._commands(parts, program, timeout)]
        if self.runtime == "stdio":
            events = tuple(dict.fromkeys(trigger.event for hook in found for trigger in hook.triggers))
            found = [hook.replace(started_for=events) for hook in found]
        return [*found, self._rules(program)] if parts.get("rules") else found

    def _skip_foreign(self, parts: Mapping[str, Any]) -> None:
        """List what only xbot runs."""
        foreign = [name for name in fields.HOST_FIELDS if name in self.values]
        foreign += [f"contributes.{name}" for name in parts if name not in fields.RUN_HERE]
        for name in foreign:
            self._skip(f"{name} is listed only: hookrun does not run it")

    def _skip(self, reason: str) -> None:
        self.skips.append(Skip(path=self.path, reason=reason, source=self.origin.source))

    def _check_identity(self, table: Mapping[Any, Any]) -> None:
        for name in ("id", "name", "version"):
            if not self.values.get(name) and table.get(name) in (None, ""):
                self.problem(f"{name} is missing", name, f'add "{name}"')
        if self.id and not is_id(self.id):
            self.problem(
                f"{self.id!r} is not a valid id",
                "id",
                "letters, digits, dot, _ and -, at most 128, a letter or digit first",
            )
        if not self.id:  # a plugin has a folder of its own, a manifest among others only its file
            file = os.path.basename(self.path).partition(".")[0]
            self.id = os.path.basename(self.folder) if file == "plugin" else file

    def _program(self) -> Program:
        runtime = self.values.get("runtime", "")
        if not runtime and "runtime" not in self.table:
            self.problem("runtime is missing; taken as script", "runtime", '"runtime": "script"')
        elif runtime not in fields.RUNTIMES_RUN_HERE:
            runtime = runtime or self.table["runtime"]
            self.flaw = f"this version of hookrun does not run plugins of runtime {runtime}"
            self.problem(self.flaw, "runtime", "its guards deny until it can; disable the plugin to go on without")
        try:
            words = words_of(self.values, self.folder, is_module=self.runtime == "python")
        except HookrunError as error:
            self.flaw = self.flaw or f"entry cannot be read: {error.message}"
            self.problem(error.message, "entry", error.hint)
            words = ()
        if not words and not self.flaw and self.values.get("runtime") == "native":
            self.is_xbots = True
            self.flaw, self.flaw_hint = _PART_OF_XBOT, "disable it in the configuration to go on without it"
        elif not words and not self.flaw:
            self.flaw = _NO_PROGRAM
            if self._needs_program():
                self.problem("entry is missing", "entry", 'add "entry": "bash my-hook.sh"')
        return Program(words=words, folder=self.folder)

    def _needs_program(self) -> bool:
        """Say whether anything runs that does not name its own program."""
        parts = self.values.get("contributes", {})
        hooks = parts.get("hooks")
        is_list = isinstance(hooks, list) and bool(hooks)
        has_own = is_list and all(isinstance(entry, dict) and entry.get("entry") for entry in hooks)
        return not has_own or any(parts.get(name) for name in ("ui", "commands"))

    def _own_program(self, entry: str, program: Program, where: str) -> tuple[Program, str]:
        """Return the program of one hook, and why it cannot be started ("" when it can)."""
        if not entry:
            return program, ""
        if self.runtime != "script":
            self.problem("has no effect: only hooks of runtime script have their own", where, "leave it out")
            return program, ""
        try:
            words = entry_words(entry, self.folder)
        except HookrunError as error:
            self.problem(error.message, where, error.hint)
            return program, f"entry cannot be read: {error.message}"
        return program.replace(words=words), ""

    def _variables(self) -> tuple[str, ...] | None:
        """Return the variables that hooks inherit, None for all; a slip in a list never makes it no list."""
        if self.table.get("env") is None:
            return None
        from hookrun.model.text import WANTED, is_pattern

        patterns = self.values.get("env", ())
        for index, text in enumerate(patterns):
            if not is_pattern(text):
                self.problem("is not a variable name", f"env[{index}]", WANTED)
        if self.runtime == "python":
            message = "has no effect on a plugin in Python, which shares its process with others"
            self.problem(message, "env", "an `env` list in your own configuration counts there", "warning")
        return tuple(text for text in patterns if is_pattern(text))

    def _entries(self, parts: Mapping[str, Any], name: str) -> list[tuple[str, dict[str, Any]]]:
        """Return (where, values) of the usable entries of contributes.*name*."""
        entries = parts.get(name, ())
        needed = NEEDED_PERMISSIONS.get(name)
        if entries and needed and not self._may(needed):
            self.problem(f"needs the permission {needed}", f"contributes.{name}", f'add "permissions": ["{needed}"]')
            if name != "hooks":
                return []
            self.hooks_flaw = f"contributes.hooks needs the permission {needed}"  # a guard is never just off
        table = fields.CONTRIBUTION_FIELDS[name].entry or {}
        required = [field for field in table if table[field].required]
        usable = []
        for index, entry in enumerate(entries):
            where = f"contributes.{name}[{index}]"
            if not isinstance(entry, dict):
                self.problem("is not a mapping", where, "write an object { ... }")
                continue
            values = fields.read_fields(entry, table, self.path, where + ".", self.problems)
            missing = [field for field in required if not values.get(field)]
            if missing:
                self.problem(f"{missing[0]} is missing or wrong; the entry is ignored", f"{where}.{missing[0]}")
                continue
            usable.append((where, values))
        return usable

    def _may(self, permission: str) -> bool:
        permissions = self.values.get("permissions", ())
        return permission in permissions or "*" in permissions

    def _hooks(self, parts: Mapping[str, Any], program: Program, timeout: float | None) -> list[Hook]:
        entries = self._entries(parts, "hooks")
        hooks = []
        for where, values in entries:
            trigger = self._trigger(values["event"], values.get("matcher", ""), f"{where}.event")
            if trigger is None:
                continue
            kind = event_named_anywhere(trigger.event)
            own, flaw = self._own_program(values.get("entry", ""), program, f"{where}.entry")
            hooks.append(
                self._hook(
                    constants.CONTRIBUTED,
                    where,
                    "" if len(entries) == 1 else where[len("contributes.") :],
                    own,
                    triggers=(trigger,),
                    timeout=self._duration(values, "timeout", where + ".") or timeout,
                    role=values.get("role") or (constants.GUARD if kind and kind.guarded else constants.OBSERVER),
                    on_failure=values.get("on_failure"),
                    serial=values.get("serial", False),
                    flaw=(self.flaw if own is program or self.flaw != _NO_PROGRAM else "") or self.hooks_flaw or flaw,
                )
            )
        return hooks

    def _widgets(self, parts: Mapping[str, Any], program: Program, timeout: float | None) -> list[Hook]:
        hooks: list[Hook] = []
        seen: set[str] = set()
        for where, values in self._entries(parts, "ui"):
            if not is_id(values["id"]) or values["id"] in seen:
                flaw = "is not a valid id" if values["id"] not in seen else "appears twice; the first counts"
                self.problem(f"{values['id']!r} {flaw}", f"{where}.id", "give every widget an id of its own")
            elif len(hooks) == MOST_UI_CONTRIBUTIONS:
                self.problem(
                    f"a plugin has at most {MOST_UI_CONTRIBUTIONS} ui contributions", where, "split the plugin"
                )
            else:
                seen.add(values["id"])
                hooks.append(self._widget(where, values, program, timeout))
        return hooks

    def _widget(self, where: str, values: Mapping[str, Any], program: Program, timeout: float | None) -> Hook:
        refresh = self._duration(values, "refresh_interval", where + ".")
        widget = Widget(
            id=values["id"],
            slot=values["slot"],
            description=values.get("description", ""),
            priority=values.get("priority", 100),
            sync=values.get("sync", False),
            refresh=refresh or 30.0,
        )
        triggers = []
        for index, text in enumerate(values.get("triggers", ())):
            spot = f"{where}.triggers[{index}]"
            if isinstance(text, str):
                event, _, matcher = text.partition(":")
                trigger = self._trigger(event.strip(), matcher.strip(), spot)
                if trigger is not None:
                    triggers.append(trigger)
            else:
                self.problem("must be text", spot, 'such as "PostToolUse:Shell*"')
        return self._hook(
            constants.UI, where, widget.id, program, triggers=tuple(triggers), widget=widget, timeout=timeout
        )

    def _commands(self, parts: Mapping[str, Any], program: Program, timeout: float | None) -> list[Hook]:
        hooks = []
        for where, values in self._entries(parts, "commands"):
            if not is_id(values["name"].removeprefix("/")):
                self.problem(
                    f"{values['name']!r} is not a command name", f"{where}.name", "letters, digits, dot, _ and -"
                )
                continue
            hooks.append(
                self._hook(
                    constants.COMMAND,
                    where,
                    values["name"],
                    program,
                    command=values["name"],
                    description=values.get("description", ""),
                    timeout=timeout,
                )
            )
        return hooks

    def _module(self, parts: Mapping[str, Any], program: Program) -> Hook:
        """Return the one hook that a plugin in Python is: it registers its handlers itself, and all of them
        are called, whatever the manifest declares."""
        declared = parts.get("hooks") or ()
        observes = [isinstance(entry, dict) and entry.get("role") == constants.OBSERVER for entry in declared]
        return self._hook(
            constants.MODULE,
            "entry",
            "",
            program,
            triggers=(_every_event(),),
            role=constants.OBSERVER if observes and all(observes) else constants.GUARD,
            note="its events are known when it is loaded",
        )

    def _subscriber(self, program: Program, timeout: float | None) -> Hook:
        """Return the hook of a plugin that subscribes to its events when it is activated."""
        return self._hook(
            constants.CONTRIBUTED,
            "permissions",
            "",
            program,
            triggers=(_every_event(),),
            timeout=timeout,
            role=constants.GUARD,
            note="its events are known when it is activated",
        )

    def _rules(self, program: Program) -> Hook:
        """Return rules, which this version does not enforce, as a guard that cannot start: never just off."""
        every = Trigger(event="PreToolUse", matcher="", accepts=matchers.compile_glob(""))
        flaw = "this version of hookrun does not enforce rules"
        self.problem(flaw, "contributes.rules", "they deny until it can; disable the plugin to go on without")
        return self._hook(
            constants.CONTRIBUTED,
            "contributes.rules",
            "rules",
            program,
            triggers=(every,),
            role=constants.GUARD,
            flaw=flaw,
        )

    def _hook(self, kind: Any, where: str, part: str, program: Program, **more: Any) -> Hook:
        if self._first is None:
            self._first = self.origin.hook(
                self.path,
                kind=kind,
                dialect=self.values.get("dialect") or self.origin.dialect,
                program=program,
                key=self.id,
                plugin=self.id,
                flaw=self.flaw,
                flaw_hint=self.flaw_hint,
                runtime=self.runtime,
                env=self.env,
                definition=self.definition,
            )
        return self._first.replace(
            id=short_id(where, after=self.sum),
            title=harmless(f"{self.id}/{part}" if part else self.id),
            kind=kind,
            program=program,
            **more,
        )

    def _trigger(self, event: str, matcher: str, where: str) -> Trigger | None:
        kind = event_named_anywhere(event)
        if kind is None:
            hint = did_you_mean(event, known_events(), "see docs/events.md")
            self.problem(f"unknown event {event!r}", where, hint)
            return None
        flaw = matchers.matcher_flaw(matcher)
        if flaw:
            self.problem(
                flaw, where.removesuffix(".event") + ".matcher" * where.endswith(".event"), "see docs/manifest.md"
            )
            return None
        return Trigger(event=kind.name, matcher=matcher, accepts=matchers.compile_glob(matcher))

    def _duration(self, values: Mapping[str, Any], name: str, prefix: str) -> float | None:
        if name not in values:
            return None
        seconds = fields.seconds_of(values[name])
        if seconds is None:
            self.problem(f"{values[name]!r} is not a duration", prefix + name, 'such as "30s", "1m", "500ms"')
        elif seconds > fields.LONGEST_TIMEOUT and name == "timeout":
            self.problem("is more than 5m; 5m is used", prefix + name, 'at most "5m"', level="warning")
            return fields.LONGEST_TIMEOUT
        return seconds


def _every_event() -> Trigger:
    return Trigger(event="*", matcher="", accepts=matchers.compile_glob(""))


def is_id(text: str) -> bool:
    """Say whether *text* is an id: letters, digits, dot, `_` and `-`, at most 128, no sign first."""
    return (
        text.isascii()
        and 0 < len(text) <= 128
        and text[0].isalnum()
        and (text.isalnum() or all(sign.isalnum() or sign in "._-" for sign in text))
    )


def known_events() -> list[str]:
    """Return the names of all events, for offering the nearest."""
    from hookrun.model.events import EVENTS

    return list(EVENTS)


def _unreadable(path: str, origin: Origin, error: HookrunError) -> Found:
    line = getattr(error, "line", 0)
    return unreadable(
        path,
        origin,
        f"the manifest cannot be read: {error.message}",
        where=f"line {line}" if line else "",
        hint=error.hint or "fix it; once trusted, it denies every guarded event until then",
    )
