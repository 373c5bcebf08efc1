"""What holds for any bytes in a manifest, in settings and in what a hook prints: checked one input at a time.

Each target takes bytes and a folder to write files into, and raises AssertionError, or whatever escaped.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from hookrun.agents import dialect_named
from hookrun.answers.answer import read_answer
from hookrun.answers.shapes import KNOWN_KEYS
from hookrun.config.config import FAILURE_WORDS, Limits
from hookrun.config.documents import line_of, parse_document
from hookrun.config.reading import KEYS, read_config
from hookrun.model.constants import SLOTS, STYLES
from hookrun.model.errors import ConfigError, DocumentError
from hookrun.model.events import EVENTS, KINDS
from hookrun.model.values import Event, Hook, Outcome, Program, Verdict, Widget
from hookrun.sources import fields
from hookrun.sources.agent_settings.files import SettingsFile, User, read_agent_settings
from hookrun.sources.discovery import SOURCES
from hookrun.sources.found import Origin
from hookrun.sources.manifest import read_manifest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hookrun.sources.found import Found

    Target = Callable[[bytes, str], None]

_WORDS = ("deny", "ask", "allow", "block", "approve", "defer", "guard", "observer", "Shell", "md|", "diff|")
_SHELL_CALL = Event(dialect="xbot", event="PreToolUse", event_id="e1", tool_name="Shell", kinds=("shell",))
_PROMPT = Event(dialect="xbot", event="UserPromptSubmit", event_id="e1")
_STOP = Event(dialect="xbot", event="AgentStop", event_id="e1")
_OUTCOMES = tuple(Outcome(status="ended", exit_code=code, stdout='{"decision": 1}') for code in (0, 1, 2))
AGENTS = {
    agent: dialect
    for agent in ("claude", "codex", "gemini", "xbot", "cursor", "copilot", "windsurf", "qwen")
    if (dialect := dialect_named(agent))
}
_EDITED = Event(dialect="xbot", event="PostToolUse", event_id="e1", tool_name="Write", kinds=("write",))


def check_manifest(data: bytes, folder: str) -> None:
    """Read *data* as a manifest of every format: a guard in it is kept, and so is one that may have been."""
    for suffix in (".json", ".yaml"):
        path = _written(data, folder, f"plugin{suffix}")
        origin = Origin(source="xbot", order=90, level="project", place=folder, dialect="xbot")
        found = read_manifest(path, origin)
        assert all(problem.message and problem.source == path for problem in found.problems)
        try:
            document = parse_document(data, path)
        except DocumentError:
            _check_unreadable(found)
            continue
        if isinstance(document.value, dict):
            _check_found(found, document.value)
            for name in ("id", "contributes"):
                assert line_of(document, (name, 0)) >= 0
        else:
            _check_unreadable(found)


def _check_unreadable(found: Found) -> None:
    assert len(found.hooks) == 1
    hook = found.hooks[0]
    assert hook.flaw
    assert hook.role == "guard"
    assert {trigger.event for trigger in hook.triggers} == {"PreToolUse", "UserPromptSubmit"}
    assert all(trigger.accepts(_SHELL_CALL, ("Shell",)) for trigger in hook.triggers)


def _check_found(found: Found, table: dict[Any, Any]) -> None:
    for hook in found.hooks:
        assert hook.title.isprintable()
        assert hook.flaw or hook.program.words or hook.runtime == "python"
        assert hook.timeout is None or 0 < hook.timeout <= fields.LONGEST_TIMEOUT
        for trigger in hook.triggers:
            assert trigger.accepts(_SHELL_CALL, ("Shell", "Bash")) in (True, False)
    assert len({hook.id for hook in found.hooks}) == len(found.hooks)
    if any(_is_plain_guard(entry) for entry in _entries_of(table)):
        guards = [hook for hook in found.hooks if hook.role == "guard"]
        assert any(trigger.event in ("PreToolUse", "*") for hook in guards for trigger in hook.triggers)


def _entries_of(table: dict[Any, Any]) -> list[Any]:
    contributes = table.get("contributes")
    entries = contributes.get("hooks") if isinstance(contributes, dict) else None
    return entries if isinstance(entries, list) else []


def _is_plain_guard(entry: Any) -> bool:
    return isinstance(entry, dict) and entry == {"event": "PreToolUse"}


def check_settings(data: bytes, folder: str) -> None:
    """Read *data* as each file of the configuration: it is read in full, or refused as a whole."""
    for where in ("user/hookrun/config.yaml", "yaml/.hookrun/config.yaml", "toml/pyproject.toml"):
        _written(data, folder, where)
    for project in ("none", "yaml", "toml"):
        user = "user" if project == "none" else "nobody"
        environ = {"HOME": folder, "XDG_CONFIG_HOME": os.path.join(folder, user)}
        cwd = os.path.join(folder, project)
        try:
            config = read_config(cwd=cwd, environ=environ, project=cwd)
        except ConfigError:
            continue
        assert config.on_failure in FAILURE_WORDS
        assert all(getattr(config.limits, limit) > 0 for limit in Limits._fields)
        assert all(os.path.isabs(path) for path, _ in (*config.manifests, *config.hooks))
        assert all(isinstance(is_on, bool) for is_on in config.sources.values())
        assert all(problem.message and problem.source for problem in config.problems)
    _check_agents(data, folder)
    _check_comments(data)


def _check_agents(data: bytes, folder: str) -> None:
    """Read *data* as each agent's settings: whatever is wrong with an entry, its neighbours are read."""
    path = _written(data, folder, "settings.json")
    for agent, dialect in AGENTS.items():
        file = SettingsFile(agent=agent, path=path, level="user", place=folder)
        found = read_agent_settings([file], User(home=folder, shell="sh", root=folder))
        assert all(problem.message and problem.source == path for problem in found.problems)
        for hook in found.hooks:
            assert hook.title.isprintable()
            assert json.loads(hook.entry)["agent"] == agent
            assert hook.timeout is None or hook.timeout > 0
            for trigger in hook.triggers:
                assert trigger.accepts(_SHELL_CALL, dialect.tools["shell"]) in (True, False)
            for outcome in _OUTCOMES:
                assert read_answer(hook, outcome, _SHELL_CALL).status


def _check_comments(data: bytes) -> None:
    """What JSON says, JSON with comments says as well."""
    try:
        plain = parse_document(data, "settings.json")
    except DocumentError:
        plain = None
    try:
        commented = parse_document(data, "settings.jsonc")
    except DocumentError:
        assert plain is None
        return
    assert plain is None or (plain.value, plain.duplicates) == (commented.value, commented.duplicates)


def check_answer(data: bytes, folder: str) -> None:
    """Read *data* as what hooks of every kind print: stdout, and stderr behind a NUL."""
    del folder
    stdout, _, stderr = data.decode("utf-8", "replace").partition("\0")
    words = set(_decisions(stdout))
    for hook, event, exit_code, was_cut in _CASES:
        outcome = Outcome(status="ended", exit_code=exit_code, stdout=stdout, stderr=stderr, stdout_was_cut=was_cut)
        answer = read_answer(hook, outcome, event)
        assert answer.verdict == Verdict.NO_OPINION or answer.decided_by
        assert answer.verdict < Verdict.ASK or answer.message
        assert answer.verdict != Verdict.ALLOW or (words & {"allow", "approve"} and not exit_code)
        if exit_code == _EXIT_DENY or (exit_code == 0 and not was_cut and words & {"deny", "block"}):
            assert answer.verdict == Verdict.DENY
        elif exit_code:
            assert answer.verdict == (Verdict.DENY if hook is _GUARD else Verdict.NO_OPINION)
    shown = read_answer(_WIDGET, Outcome(status="ended", exit_code=0, stdout=stdout), _EDITED)
    assert shown.verdict == Verdict.NO_OPINION
    for hook in _AGENT_HOOKS:
        for exit_code in (0, _EXIT_DENY):
            outcome = Outcome(status="ended", exit_code=exit_code, stdout=stdout, stderr=stderr)
            answer = read_answer(hook, outcome, _SHELL_CALL)
            assert answer.verdict != Verdict.ALLOW or "allow" in stdout.lower() or "approve" in stdout.lower()


def _decisions(stdout: str) -> Iterator[str]:
    """Yield the words that decide, as Python reads them, when *stdout* is one JSON object alone."""
    try:
        objects = [json.loads(stdout.removeprefix("\ufeff").strip())]
    except (ValueError, RecursionError):
        return
    for value in objects:
        for key, inner in value.items() if isinstance(value, dict) else ():
            if key in ("decision", "permissionDecision") and isinstance(inner, str):
                yield inner.lower()
            elif key in ("hook_result", "hookResult", "hookSpecificOutput"):
                objects.append(inner)


def _hook(**more: Any) -> Hook:
    program = Program(words=("/p/guard.sh",), folder="/p")
    place: dict[str, Any] = {"level": "project", "place": "/p", "file": "/p/plugin.json", "dialect": "xbot"}
    return Hook(id="h1", title="guard", source="hookrun", order=100, program=program, **place, **more)


_GUARD = _hook(kind="hook", role="guard")
_OBSERVER = _hook(kind="script", role="observer")
_WIDGET = _hook(kind="ui", widget=Widget(id="w", slot="toolHint", sync=True))
_AGENT_HOOKS = tuple(
    _hook(kind="settings", role="guard").replace(
        dialect=agent,
        entry=json.dumps(
            {
                "agent": agent,
                "event": (*dialect.events.get("PreToolUse", ()), *dialect.tool_by_event, "PreToolUse")[0],
                "handler": {"command": "x"},
                "matcher": "",
            }
        ),
    )
    for agent, dialect in AGENTS.items()
)
_EXIT_DENY = 2
# Hook, event, exit code, and whether stdout was cut.
_CASES = (
    (_GUARD, _SHELL_CALL, 0, False),
    (_GUARD, _SHELL_CALL, 0, True),
    (_GUARD, _SHELL_CALL, 1, False),
    (_GUARD, _PROMPT, _EXIT_DENY, False),
    (_OBSERVER, _STOP, 0, False),
)


def _written(data: bytes, folder: str, name: str) -> str:
    path = os.path.join(folder, name)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(descriptor, data)
    finally:
        os.close(descriptor)
    return path


def prepare(folder: str) -> None:
    """Make in *folder* what the targets write into."""
    for name in ("user/hookrun", "nobody", "none", "yaml/.hookrun", "toml"):
        os.makedirs(os.path.join(folder, name), exist_ok=True)


TARGETS: dict[str, Target] = {"manifest": check_manifest, "settings": check_settings, "answer": check_answer}

# Words that chance would not find, by target.
VOCABULARY: dict[str, tuple[str, ...]] = {
    "manifest": (
        *fields.MANIFEST_FIELDS,
        *fields.CONTRIBUTION_FIELDS,
        *fields.HOOK_FIELDS,
        *fields.UI_FIELDS,
        *fields.RUNTIMES,
        *SLOTS,
        *EVENTS,
        *_WORDS,
    ),
    "settings": (
        *("hooks", "matcher", "command", "type", "timeout", "args", "async", "if", "disableAllHooks", "version"),
        *("PreToolUse", "BeforeTool", "preToolUse", "pre_run_command", "Bash(git push:*)", "http", "url"),
        *KEYS,
        *Limits._fields,
        *SOURCES,
        *KINDS,
        *FAILURE_WORDS,
        "[tool.hookrun]",
        "!!int",
        "~",
    ),
    "answer": (*KNOWN_KEYS, *STYLES, *_WORDS, "event_id", "e1", "hook_event_name"),
}
