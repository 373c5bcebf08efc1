"""Script folders, hooks/pre and hooks/post -> hooks: when a script fires by its folder, name and header."""

from __future__ import annotations

import os
import re
import stat

from hookrun.agents import dialect_named, event_named_anywhere, kinds_of_any
from hookrun.matching import matchers
from hookrun.model import constants
from hookrun.model.events import EVENTS
from hookrun.model.events import is_guarded as is_guarded_event
from hookrun.model.frozen import Frozen
from hookrun.model.text import nearest
from hookrun.model.values import Problem, Program, Trigger
from hookrun.sources import fields
from hookrun.sources.found import Found, entries_of, joined, unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookrun.agents.shape import Dialect
    from hookrun.sources.found import Origin
    from hookrun.sources.module_text import ModuleText

PHASES = {"pre": ("PreToolUse",), "post": ("PostToolUse", "PostToolUseFailure")}
SUFFIXES = (*(".sh", ".bash", ".zsh", ".fish", ".py"), *(".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx"))
SUFFIXES_OF_MODULES = (".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx")
_MODULES_RUN_BY = re.compile(rb"python|pypy|node|bun|deno|tsx|\buv\b")
_NOT_RUNNABLE = "neither executable nor with a shebang"
BACKUPS = ("~", ".bak", ".orig", ".rej", ".swp", ".swo", ".tmp", ".old", ".disabled", ".sample")
DOCUMENTS = (
    *(".md", ".txt", ".rst", ".adoc", ".html", ".json", ".jsonc", ".yaml", ".yml", ".toml", ".lock", ".log"),
    *(".d.ts", ".d.mts", ".d.cts"),  # types alone
)
DOCUMENT_NAMES = ("readme", "license", "copying", "changelog", "makefile", "contributing")
HEADER_LINES = 20
HEADER_BYTES = 8192
HEADER_KEYS = ("event", "tool", "timeout", "on-failure", "role", "needs", "files", "serial", "env")
WANTED_IN_HEADER = "names of variables with commas between, such as AWS_REGION,NPM_*"
EVERY_TOOL = ("_all", "*", "")
ANY_EVENT = "*"
_CHOICES_BY_KEY = {"role": ("guard", "observer"), "on-failure": ("deny", "ask", "allow"), "serial": ("true", "false")}


class Binding(Frozen):
    """What a script's place says before its header is read."""

    events: tuple[str, ...]
    tool: str = ""  # "" for all
    key: str = ""
    role: str = constants.OBSERVER


def read_script_folder(hooks_folder: str, origin: Origin) -> Found:
    """Return the hooks of *hooks_folder*/pre and *hooks_folder*/post, in natural order of names."""
    parts: list[Found] = []
    for phase in PHASES:
        folder = os.path.join(hooks_folder, phase)
        for name in _names(folder, origin, parts):
            path = os.path.join(folder, name)
            if os.path.isdir(path) and not name.startswith("."):
                parts.append(_tool_folder(path, phase, origin))
            else:
                parts.append(_script(path, name, stem_of(name), phase, origin))
    return joined(parts)


def _tool_folder(path: str, phase: str, origin: Origin) -> Found:
    """Read `pre/<tool>/`: scripts of any name for that tool."""
    tool = os.path.basename(path)
    if tool.endswith(SUFFIXES):
        return origin.skipped(path, "a folder with the name of a script")
    parts: list[Found] = []
    for name in _names(path, origin, parts):
        inner = os.path.join(path, name)
        if os.path.isdir(inner):
            parts.append(origin.skipped(inner, "a folder within a tool's folder"))
        else:
            # Two folders may be for one tool (10-bash, 20-bash): then their names belong to the key.
            stem = stem_of(tool)
            parts.append(_script(inner, name, stem, phase, origin, in_folder="" if stem == tool else tool))
    return joined(parts)


def _script(path: str, name: str, stem: str, phase: str, origin: Origin, *, in_folder: str = "") -> Found:
    reason = skipped_by_name(name)
    if reason:
        return origin.skipped(path, reason)
    return read_script(path, origin, _binding(stem, os.path.join(in_folder, name), phase))


def _binding(stem: str, name: str, phase: str) -> Binding:
    tool = "" if stem in EVERY_TOOL else stem
    events = PHASES[phase]
    event = event_named_anywhere(stem) if tool and not kinds_of_any(tool) else None
    if event is not None:
        events, tool = (event.name,), ""
    return Binding(
        events=events,
        tool=tool,
        key=f"{phase}:{stem}:{name}",
        role=constants.GUARD if phase == "pre" else constants.OBSERVER,
    )


def _names(folder: str, origin: Origin, parts: list[Found]) -> list[str]:
    """Return the folder's names in natural order; trouble goes to *parts*."""
    if os.path.lexists(folder) and not os.path.isdir(folder):
        parts.append(origin.skipped(folder, "not a folder"))
        return []
    found = entries_of(folder, origin, parts)
    if len(found) > constants.MAX_FILES_IN_FOLDER:
        reason = f"the folder contains {len(found)} files, only {constants.MAX_FILES_IN_FOLDER} are read"
        parts.append(unreadable(folder, origin, reason, hint="folders of hooks are for hooks alone"))
    return found[: constants.MAX_FILES_IN_FOLDER]


def read_script(path: str, origin: Origin, binding: Binding) -> Found:
    """Return the hook in the file at *path*, or a Skip with the reason why it is not one."""
    beginning, reason, flaw = _head(path)
    module = _module_in(path, beginning) if not flaw and reason in ("", _NOT_RUNNABLE) else None
    if module is not None:
        reason, flaw = "", module.cause
    if reason:
        loud = os.path.splitext(path)[1] in SUFFIXES and "executable" in reason
        problems = (Problem(message=reason, source=path, hint=f"chmod +x {path}"),) if loud else ()
        return origin.skipped(path, reason, *problems)
    problems_found: list[Problem] = []
    header = _header(beginning, path, problems_found)
    events, tool = _bound(binding, header, path, problems_found)
    spoken = dialect_named(origin.dialect)
    kinds = kinds_of_any(tool, spoken) if tool else ()
    if "tool" in header:
        accepts = matchers.compile_tools(tool, lambda name: kinds_of_any(name, spoken))
    else:
        accepts = matchers.compile_tool(tool, kinds)
    timeout = fields.seconds_of(header["timeout"]) if "timeout" in header else None
    needs = filter(None, header.get("needs", "").split(","))
    hook = origin.hook(
        path,
        kind="script",
        program=Program(words=(path,), folder=os.path.dirname(path), needs=tuple(needs)),
        key=binding.key,
        triggers=tuple(Trigger(event=event, matcher=tool, accepts=accepts) for event in events),
        timeout=timeout,
        role=header.get("role") or _role(binding, events),
        on_failure=header.get("on-failure"),
        env=_variables(header["env"]) if "env" in header else None,
        serial=header.get("serial") == "true",
        flaw=flaw,
        flaw_hint=module.hint if module else "",
        note=_note(tool, spoken),
        definition=beginning,
        files=_files(header.get("files", ""), path),
    )
    return Found(hooks=(hook,), problems=tuple(problems_found))


def _module_in(path: str, beginning: bytes) -> ModuleText | None:
    """Return the hook module in the file, which this folder would run as a program; None for others."""
    by_name = path.endswith(SUFFIXES_OF_MODULES) or os.path.islink(path)
    if not by_name and not _MODULES_RUN_BY.search(beginning.partition(b"\n")[0]):
        return None
    from hookrun.sources.module_text import found_among_scripts

    return found_among_scripts(path, beginning)


def _files(names_of_files: str, path: str) -> tuple[str, ...]:
    """Return what `files=` of a header names, from the script's folder."""
    folder = os.path.dirname(path)
    return tuple(os.path.normpath(os.path.join(folder, name)) for name in names_of_files.split(",") if name)


def _note(tool: str, spoken: Dialect | None) -> str:
    named = [name.strip() for name in tool.split("|") if name.strip() and "*" not in name]
    unknown = [name for name in named if not kinds_of_any(name, spoken)]
    if not unknown:
        return ""
    return "matches no known tool" if unknown == named else f"no tool is known as {', '.join(unknown)}"


def stem_of(name: str) -> str:
    """Return the tool or event in a file's name, without its suffix and `NN-` prefix."""
    stem = name
    for suffix in SUFFIXES:
        if name.endswith(suffix):
            stem = name[: -len(suffix)]
            break
    number, dash, rest = stem.partition("-")
    return rest if dash and number.isdigit() else stem


def skipped_by_name(name: str) -> str:
    """Return why a file of this name is never a hook, "" when it may be one."""
    lowered = name.lower()
    if name.startswith("."):
        return "a dot file"
    if lowered.endswith(BACKUPS) or (name.startswith("#") and name.endswith("#")):
        return "a backup or a copy set aside"
    if lowered.endswith(DOCUMENTS) or lowered.partition(".")[0] in DOCUMENT_NAMES:
        return "a document"
    return ""


def _head(path: str) -> tuple[bytes, str, str]:
    """Return (first bytes, why it is skipped, why it can never start)."""
    try:
        found = os.stat(path)
    except OSError as error:
        unreadable = f"cannot be read: {error.strerror}"
        if isinstance(error, PermissionError):
            return b"", "", unreadable  # it may be a guard
        return b"", "a dangling link" if os.path.islink(path) else unreadable, ""
    if not stat.S_ISREG(found.st_mode):
        return b"", "a folder" if stat.S_ISDIR(found.st_mode) else "no regular file", ""
    try:
        data = read_head(path)
    except OSError as error:
        return b"", "", f"cannot be read: {error.strerror}"
    if not found.st_mode & 0o111 and not data.removeprefix(b"\xef\xbb\xbf").startswith(b"#!"):
        return data, _NOT_RUNNABLE, ""
    return data, "", ""


def read_head(path: str) -> bytes:
    """Return the first bytes of a file, in which its header is. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return os.read(descriptor, HEADER_BYTES)
    finally:
        os.close(descriptor)


def _header(head: bytes, path: str, problems: list[Problem]) -> dict[str, str]:
    """Return the usable keys of the `# hookrun: ...` comments in the first lines."""
    values: dict[str, str] = {}
    for number, words in header_lines(head):
        for word in words:
            key, equals, value = word.partition("=")
            key = key.replace("_", "-").lower()
            flaw = _header_flaw(key, value if equals else "")
            if flaw:
                near = _meant(key, value)
                where = f"line {number}: {_without_secrets(word)}"
                hint = f"did you mean {near}?" if near else "see docs/scripts.md"
                problems.append(Problem(message=flaw, level="error", source=path, where=where, hint=hint))
            if not flaw or key == "env":  # a slip in a list does not let all variables in
                values[key] = value.replace(",", "|") if key == "tool" else value
    return values


def header_lines(beginning: bytes) -> list[tuple[int, list[str]]]:
    """Return the number and the words of each `# hookrun: ...` line in the *beginning* of a script."""
    found = []
    for number, line in enumerate(beginning.decode("utf-8", "replace").splitlines()[:HEADER_LINES], 1):
        comment = line.strip().lstrip("#/ \t")
        if line.lstrip().startswith(("#", "//")) and comment.startswith("hookrun:"):
            found.append((number, comment.removeprefix("hookrun:").split()))
    return found


def _header_flaw(key: str, value: str) -> str:
    if key not in HEADER_KEYS:
        return f"unknown header key {key!r}"
    if not value:
        return f"{key} has no value"
    choices = _CHOICES_BY_KEY.get(key, ())
    if choices and value not in choices:
        return f"{key} must be one of {', '.join(choices)}"
    if key == "timeout" and fields.seconds_of(value) is None:
        return f"{value!r} is not a duration"
    if key == "event" and any(event_named_anywhere(name) is None for name in value.split("|")):
        return f"unknown event {value!r}"
    if key == "env" and len(_variables(value)) <= value.count(","):
        return f"env must be {WANTED_IN_HEADER}"
    if key == "tool":
        return matchers.matcher_flaw(value)
    return ""


def _meant(key: str, value: str) -> str:
    """Return the key, or the value of *key*, that is nearest to a word of a header; "" for none."""
    if key not in HEADER_KEYS:
        return nearest(key, HEADER_KEYS)
    if key == "event":
        events = (*EVENTS, "pre", "post", "fail", "prompt", "stop")
        unknown = [name for name in value.split("|") if event_named_anywhere(name) is None]
        return nearest(unknown[0], events) if unknown else ""
    return nearest(value, _CHOICES_BY_KEY.get(key, ())) if value else ""


def _variables(text: str) -> tuple[str, ...]:
    """Return the valid names of variables in a comma-separated list."""
    from hookrun.model.text import is_pattern

    return tuple(name for name in text.split(",") if is_pattern(name))


def _without_secrets(word: str) -> str:
    from hookrun.model.text import without_secrets

    return without_secrets(word)


def _bound(binding: Binding, header: dict[str, str], path: str, problems: list[Problem]) -> tuple[tuple[str, ...], str]:
    """Return the events and the tool of the script; the header wins over the name."""
    events, tool = binding.events, "" if binding.tool in EVERY_TOOL else binding.tool
    if "event" in header:
        found = [event_named_anywhere(name) for name in header["event"].split("|")]
        events = tuple(event.name for event in found if event)
        names_event = event_named_anywhere(tool) and not kinds_of_any(tool)
        if names_event or not any(event.has_tool for event in found if event):
            tool = ""
    if "tool" in header:
        tool = header["tool"]
        if not any(event == ANY_EVENT or _has_tool(event) for event in events):
            problems.append(
                Problem(message="tool has no effect on an event without a tool", source=path, where=f"tool={tool}")
            )
            tool = ""
    return events, tool


def _has_tool(event: str) -> bool:
    found = event_named_anywhere(event)
    return bool(found and found.has_tool)


def _role(binding: Binding, events: tuple[str, ...]) -> str:
    is_guarded = any(event == ANY_EVENT or is_guarded_event(event) for event in events)
    return constants.GUARD if binding.role == constants.GUARD and is_guarded else constants.OBSERVER
