"""Hooks to begin with: the bundled ones, and templates to fill in; where their files go, and writing them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from hookrun.commands.new_filled import FILLED_IN, NewFile, Template
from hookrun.config.documents import read_document
from hookrun.model.errors import HookrunError

_MANIFEST_SUFFIX = ".json"
_SCRIPT_IN_MANIFEST = re.compile(r"\.\./scripts/([\w.-]+)")
_NEIGHBOUR_IN_SCRIPT = re.compile(r"^\s*(?:import|from)\s+(\w+)|/([\w-]+\.(?:sh|py|js))\b", re.MULTILINE)


def templates(folder: str | None = None) -> list[Template]:
    """Return everything that can be written: the bundled hooks by name, those of *folder* or else our
    own, then the templates."""
    return [*_bundled(bundled_folder() if folder is None else folder), *FILLED_IN]


def bundled_folder() -> str:
    """Return the folder with the bundled manifests/ and scripts/: in the wheel it is part of the package,
    in a checkout both lie beside it. "" when there is neither."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder in (os.path.join(package, "bundled"), os.path.dirname(package)):
        if os.path.isdir(os.path.join(folder, "manifests")):
            return folder
    return ""


def write_template(template: Template, folder: str) -> list[str]:
    """Write the files of *template* below *folder* and return the paths of those that are new.

    All or nothing, and never over a file: one that is there already, and is the same, is left as it is,
    unless it is the template's first. Raises HookrunError for one that differs, and OSError.
    """
    targets = [(os.path.join(folder, file.path), file) for file in template.files]
    waiting = [(path, file) for path, file in targets if not os.path.lexists(path)]
    for index, (path, file) in enumerate(targets):
        if os.path.lexists(path) and (index == 0 or not _has(path, file.data)):
            raise _exists(path)
    written: list[str] = []
    try:
        for path, file in waiting:
            _write(path, file)
            written.append(path)
    except BaseException:
        for path in written:
            os.unlink(path)
        raise
    return written


def _bundled(folder: str) -> Iterable[Template]:
    manifests = os.path.join(folder, "manifests")
    for name in sorted(os.listdir(manifests)) if folder else ():
        if name.endswith(_MANIFEST_SUFFIX):
            yield _bundled_template(name.removesuffix(_MANIFEST_SUFFIX), folder)


def _bundled_template(name: str, folder: str) -> Template:
    path = os.path.join(folder, "manifests", name + _MANIFEST_SUFFIX)
    manifest = read_document(path).value
    data = _read(path)
    scripts = _with_neighbours(_SCRIPT_IN_MANIFEST.findall(data.decode()), os.path.join(folder, "scripts"))
    return Template(
        name=name,
        kind="bundled",
        description=str(manifest.get("description", "")),
        files=(
            NewFile(path=f"manifests/{name}{_MANIFEST_SUFFIX}", data=data),
            *(_script(os.path.join(folder, "scripts", script)) for script in scripts),
        ),
        attempt=_attempt(manifest.get("contributes", {})),
    )


def _with_neighbours(scripts: Sequence[str], folder: str) -> list[str]:
    """Return *scripts* and the files beside them that they import or call, and so on."""
    found: list[str] = []
    waiting = list(reversed(scripts))
    while waiting:
        script = waiting.pop()
        path = os.path.join(folder, script)
        if script in found or not os.path.isfile(path):
            continue
        found.append(script)
        for module, file in _NEIGHBOUR_IN_SCRIPT.findall(_read(path).decode("utf-8", "replace")):
            waiting.append(f"{module}.py" if module else file)
    return found


def _script(path: str) -> NewFile:
    return NewFile(path=f"scripts/{os.path.basename(path)}", data=_read(path), is_executable=os.access(path, os.X_OK))


def _attempt(contributes: dict[str, list[dict[str, object]]]) -> str:
    """Return a command that shows what the first contribution of a manifest answers."""
    for entry in contributes.get("hooks", ()):
        return _explain(str(entry.get("event", "")), str(entry.get("matcher", "")))
    for entry in contributes.get("ui", ()):
        triggers = entry.get("triggers")
        if isinstance(triggers, list) and triggers:
            event, _, matcher = str(triggers[0]).partition(":")
            return _explain(event, matcher)
        return "hookrun widgets"
    for entry in contributes.get("commands", ()):
        return f"hookrun run {str(entry.get('name', '')).removeprefix('/')}"
    return "hookrun list"


def _explain(event: str, matcher: str) -> str:
    tool = matcher.partition("|")[0].replace("*", "")
    return f"hookrun explain {event} --tool {tool or 'Shell'}" if "ToolUse" in event else f"hookrun explain {event}"


def _exists(path: str) -> HookrunError:
    error = HookrunError("already exists, nothing was written", where=path, hint="move it away, or edit it")
    error.exit_code = 1
    return error


def _has(path: str, data: bytes) -> bool:
    return os.path.isfile(path) and _read(path) == data


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _write(path: str, file: NewFile) -> None:
    """Write whole or not at all: a link to a finished file appears at once and never replaces one."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    unfinished = f"{path}.{os.urandom(4).hex()}.tmp"
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as target:
            target.write(file.data)
            if file.is_executable:
                os.fchmod(target.fileno(), os.fstat(target.fileno()).st_mode | 0o111)
        os.link(unfinished, path)
    except FileExistsError:
        raise _exists(path) from None
    finally:
        os.unlink(unfinished)
