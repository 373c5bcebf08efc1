"""Which hooks may run: the user's own, and those of a project whose very text the user has trusted.

Hooks are looked at before they run and again when they have ended; what was another text in between does
not count (docs/safety.md).
"""

from __future__ import annotations

import os

from hookrun.agents import NEUTRAL
from hookrun.config.files import read_regular
from hookrun.config.paths import is_inside
from hookrun.config.project import project_of
from hookrun.model import constants
from hookrun.model.errors import HookrunError, StoreError
from hookrun.model.frozen import Frozen
from hookrun.model.values import Standing
from hookrun.programs.command import Launches
from hookrun.sources.script_folder import HEADER_BYTES, header_lines
from hookrun.trust.bytecode import drop_bytecode
from hookrun.trust.entries import entry_name, entry_reading, is_entry, with_files
from hookrun.trust.memory import Memory
from hookrun.trust.path_stamps import NO_STAMPS, PathStamps, exchanged_on, renewed, stamps_of_paths
from hookrun.trust.records import GONE, files_of, guards_of, recorded_hooks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hookrun.config.config import Config, Loosening
    from hookrun.config.project import Project
    from hookrun.model.values import Hook
    from hookrun.trust.contents import Contents
    from hookrun.trust.reading import Reading, Stamp
    from hookrun.trust.stat_cache import Look

TRUSTED = Standing(status=constants.TRUSTED)
_LOOK = "look at it, then `hookrun trust`"
UNTRUSTED = Standing(status=constants.UNTRUSTED, reason="it is not trusted yet", hint=_LOOK)
ALL = "project"  # of HOOKRUN_TRUST: everything that the project has
REFERENCE = "ref:"  # of HOOKRUN_TRUST: what this commit of git has
LOOSENING_MARK = "#hookrun"  # ends what records call that which a file of configuration loosens
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Checked(Frozen):
    """A hook as it was looked at: how it stands, the stamps of its files, by path, and the ways to them."""

    standing: Standing
    stamps: tuple[tuple[str, Stamp | None], ...] = ()
    ways: PathStamps = NO_STAMPS


NO_NEED = Checked(standing=TRUSTED)


class Trust:
    """What is trusted at one place. It reads files and records, and changes neither."""

    def __init__(self, config: Config) -> None:
        self.memory = Memory(config.state_folder)
        self._root = config.root
        self._cwd = config.cwd
        self._levels = config.levels
        self._environ = config.environ
        self.launches = Launches(config.environ.get("PATH", os.defpath))
        self._trusts_all = config.trust == ALL
        self._projects: dict[str, Project] = {}
        self._units: dict[tuple[str, ...], dict[str, Any] | StoreError] = {}
        self._given: dict[tuple[str, ...], dict[str, Any]] = {}
        self._gone: dict[str, tuple[Project, str, Mapping[str, Any]]] = {}  # by the file of the hook
        self._unknown: dict[str, StoreError] = {}  # by the file of records that cannot be read
        self._readings: dict[str, Reading] = {}
        self._compiled: dict[str, dict[str, str]] = {}  # what a module is compiled from, by its file
        self._contents: dict[tuple[object, ...], tuple[Look, Contents]] = {}
        self._checked: dict[int, tuple[Hook, Mapping[str, Any], Look, Checked]] = {}  # by the id of the hook

    def needs_trust(self, hook: Hook) -> bool:
        """Say whether *hook* comes from a project: the user's own, and what a person named, need none."""
        return hook.level == constants.PROJECT and not self._trusts_all

    def standing(self, hook: Hook) -> Standing:
        """Return how *hook* stands as far as the records tell; its files are not looked at."""
        if not self.needs_trust(hook) or hook.flaw == GONE:
            return TRUSTED
        units = self.units(self.project(hook.place))
        if isinstance(units, StoreError):
            return _unknown(units)
        return TRUSTED if self.unit_name(hook) in units else UNTRUSTED

    def check(self, hook: Hook) -> Checked:
        """Return how *hook* stands by its files as they are now, all of them read."""
        if not self.needs_trust(hook):
            return NO_NEED
        standing = self._standing_without_files(hook)
        if standing is not TRUSTED:
            return Checked(standing=standing)
        project = self.project(hook.place)
        units = self.units(project)
        unit = {} if isinstance(units, StoreError) else units.get(self.unit_name(hook), {})
        known = self._known_check(hook, unit)
        if known is not None:
            return known
        try:
            look, contents = self._looked_at(hook, project)
        except HookrunError as error:
            return Checked(standing=_changed(f"{error.where} {error.message}"))
        readings = self._read(hook, contents, keep=0)
        for path, reading in readings.items():
            look.stamps.setdefault(path, reading.stamp)
        checked = self._compared(hook, unit, readings, frozenset(contents.others), project)
        if checked.standing is not TRUSTED:
            return checked
        drop_bytecode(self.memory.bytecode_folder, checked.stamps)
        checked = checked.replace(ways=stamps_of_paths((*readings, *contents.programs), project.top))
        if look.can_be_kept and not is_entry(hook):  # which files a command names depends on what is there
            self._checked[id(hook)] = (hook, unit, look, checked)
        return checked

    def _standing_without_files(self, hook: Hook) -> Standing:
        if hook.flaw == GONE and hook.file in self._unknown:
            return _unknown(self._unknown[hook.file])
        if hook.flaw == GONE and hook.file in self._gone:
            return self._standing_of_gone(hook)
        return self.standing(hook)

    def _known_check(self, hook: Hook, unit: Mapping[str, Any]) -> Checked | None:
        """Return the last check of *hook* where nothing it read has changed: a runner that lives on need not
        look at it all again."""
        known = self._checked.get(id(hook))
        if known is None or known[0] is not hook or known[1] is not unit or not known[2].holds():
            return None
        ways = renewed(known[3].ways)
        return known[3].replace(ways=ways) if ways is not None else None

    def _compared(
        self,
        hook: Hook,
        unit: Mapping[str, Any],
        readings: Mapping[str, Reading],
        others: frozenset[str],
        project: Project,
    ) -> Checked:
        if not unit:  # taken out of the records just now
            return Checked(standing=UNTRUSTED)
        changed = _difference(hook, unit, readings, others, project.top)
        if changed:
            return Checked(standing=_changed(f"changed since it was trusted: {changed}"))
        own = readings.get(hook.file)
        digests = {relative(path, project.top): reading.digest for path, reading in readings.items()}
        is_compiled = self._compiled.get(hook.file, {}).items() <= digests.items()
        if not is_compiled or (own is not None and not _is_what_was_read(hook, own)):
            return Checked(standing=_found_as_another(self.unit_name(hook)))
        known = {name for text in unit["texts"] for name in text["files"]}
        stamps = tuple(
            (path, reading.stamp)
            for path, reading in readings.items()
            if path not in others or relative(path, project.top) in known  # a hook may write files of its own
        )
        return Checked(standing=TRUSTED, stamps=stamps)

    def missing(self, hooks: Sequence[Hook], sources: Mapping[str, bool]) -> list[Hook]:
        """Return guards that stand for those that were trusted here and are not among *hooks* any more, and
        one for all of them where the records cannot be read. *sources* that are off miss nothing."""
        if self._trusts_all:
            return []
        here: dict[tuple[tuple[str, ...], str], list[Hook]] = {}
        for hook in hooks:
            if self.needs_trust(hook):
                key = (self.project(hook.place).identities, self.unit_name(hook))
                here.setdefault(key, []).append(hook)
        found = []
        for level in self._levels:
            project = self.project(level)
            units = self.units(project)
            if isinstance(units, StoreError):
                found += self._stand_in_for_all(units, level)
                continue
            for name, unit in units.items():
                is_off = not sources.get(unit["source"], True)
                if is_off or os.path.normpath(os.path.join(project.top, unit["level"])) != level:
                    continue
                found += self._stand_ins(project, name, unit, level, here.get((project.identities, name), []))
        return found

    def _stand_ins(
        self, project: Project, name: str, unit: Mapping[str, Any], level: str, present: Sequence[Hook]
    ) -> list[Hook]:
        recorded = recorded_hooks(name, unit, project, level)
        if guards_of(recorded) <= guards_of(present):
            return []
        if any(self.check(hook).standing is TRUSTED for hook in present):  # an older text, trusted as well
            return []
        self._gone |= {hook.file: (project, name, unit) for hook in recorded}
        return recorded

    def _stand_in_for_all(self, error: StoreError, level: str) -> list[Hook]:
        """Return a guard of every guarded event: what was trusted here, and may be gone, nobody can tell."""
        from hookrun.sources.found import Origin, unreadable

        if not error.where or error.where in self._unknown:  # without a place for records there are none
            return []
        self._unknown[error.where] = error
        origin = Origin(source="trust", order=0, level=constants.PROJECT, place=level, dialect=NEUTRAL)
        return [hook.replace(flaw=GONE) for hook in unreadable(error.where, origin, GONE).hooks]

    def _standing_of_gone(self, hook: Hook) -> Standing:
        project, name, unit = self._gone[hook.file]
        if os.path.lexists(hook.file):
            return _changed(f"changed since it was trusted: {name}")
        from hookrun.trust.missing import standing_of_gone

        return standing_of_gone(project, name, unit, self._environ)

    def gone(self, hook: Hook) -> tuple[Project, str] | None:
        """Return the project and the recorded name of what the guard *hook* stands for; None for a hook that
        is there."""
        found = self._gone.get(hook.file) if hook.flaw == GONE else None
        return found[:2] if found is not None else None

    def changed_while_it_ran(self, checked: Checked) -> Standing | None:
        """Return how a hook stands that was *checked* before it ran and whose files changed; else None."""
        if not checked.stamps:
            return None
        from hookrun.trust.reading import stamp_at

        changed = next((path for path, stamp in checked.stamps if stamp_at(path) != stamp), "")
        changed = changed or exchanged_on(checked.ways)
        if not changed:
            return None
        drop_bytecode(self.memory.bytecode_folder, checked.stamps, all_of_it=True)
        return _changed(f"changed while it ran, so its answer does not count: {changed}")

    def read(self, hook: Hook, project: Project, *, keep: int = 0) -> tuple[dict[str, Reading], frozenset[str]]:
        """Return every file of *hook* as it is, by path, and which of them only lie in its plugin's folder;
        *keep* is how many first bytes of each are wanted.

        Raises HookrunError when they are too many.
        """
        contents = self._looked_at(hook, project)[1]
        return self._read(hook, contents, keep=keep), frozenset(contents.others)

    def _read(self, hook: Hook, contents: Contents, *, keep: int) -> dict[str, Reading]:
        of_definition = max(keep, HEADER_BYTES, len(hook.definition) + len(_BYTE_ORDER_MARK) + 1)
        readings = {
            path: self._reading(path, of_definition if path == hook.file else keep)
            for path in (*contents.core, *contents.others)
        }
        return entry_reading(hook) | readings if is_entry(hook) else readings

    def _looked_at(self, hook: Hook, project: Project) -> tuple[Look, Contents]:
        """Return what *hook* consists of, looked up once for all hooks of one program."""
        from hookrun.trust.contents import contents_of
        from hookrun.trust.stat_cache import Look

        hook = with_files(hook, project.top, self._cwd)
        key = (hook.kind, hook.file, hook.program, hook.files, project.top)
        known = self._contents.get(key)
        if known is not None and known[0].holds():
            return known
        look = Look()
        found = look, contents_of(hook, project.top, self.launches, look, self._levels)
        if look.can_be_kept:
            self._contents[key] = found
        return found

    def read_source(self, hook: Hook, path: str) -> bytes:
        """Return the bytes of a Python file that the module *hook* is, or imports from beside it.

        Raises OSError, and HookrunError for a text that was not trusted: it is never compiled.
        """
        data = read_regular(path)
        if not self.needs_trust(hook):
            return data
        from hookrun.trust.reading import digest_of

        project = self.project(hook.place)
        units = self.units(project)
        name = relative(path, project.top)
        texts = [] if isinstance(units, StoreError) else units.get(self.unit_name(hook), {}).get("texts", [])
        so_far = self._compiled.setdefault(hook.file, {})
        digests = {**({} if path == _source_of(hook) else so_far), name: digest_of(data)}
        if not any(digests.items() <= text["files"].items() for text in texts):
            raise HookrunError(f"{name} was not trusted", where=path, hint=_LOOK)
        self._compiled[hook.file] = digests
        return data

    def trusts_loosening(self, loosening: Loosening) -> bool:
        """Say whether what a project's configuration loosens is trusted, to the letter."""
        if self._trusts_all:
            return True
        from hookrun.trust.reading import digest_of

        project = self.project(loosening.place)
        units = self.units(project)
        name = loosening_name(loosening, project)
        digest = digest_of(loosening.text.encode())
        return not isinstance(units, StoreError) and any(
            text["files"].get(name) == digest for text in units.get(name, {}).get("texts", ())
        )

    def project(self, place: str) -> Project:
        """Return the project that the level *place* belongs to."""
        found = self._projects.get(place)
        if found is None:
            top = self._root if not place or is_inside(place, self._root) else place
            found = self._projects[place] = project_of(place or self._root, top)
        return found

    def units(self, project: Project) -> dict[str, Any] | StoreError:
        """Return what is recorded for *project* by unit, or why that cannot be known."""
        given = self._given.get(project.identities)
        if given is not None:
            return given
        stamps = (project.identities, project.around, self.memory.stamps(project))
        units = self._units.get(stamps)  # type: ignore[arg-type]
        if units is None:
            try:
                units = self.memory.units_of(project)
            except StoreError as error:
                units = error
            self._units = {**self._units, stamps: units}  # type: ignore[dict-item]
        return units

    def give(self, project: Project, units: dict[str, Any]) -> None:
        """Take *units* for what is trusted in *project*, in place of the records."""
        self._given[project.identities] = units

    def unit_name(self, hook: Hook) -> str:
        """Return the name that the records have for *hook*: its file's path in the project, and which entry
        of an agent's settings."""
        name = relative(hook.file, self.project(hook.place).top)
        return entry_name(name, hook) if is_entry(hook) else name

    def _reading(self, path: str, keep: int) -> Reading:
        from hookrun.trust.reading import read_once, stamp_at

        known = self._readings.get(path)
        stamp = known.stamp if known is not None else None
        if known and stamp and len(known.data) >= min(keep, stamp[2]) and stamp_at(path) == stamp:
            return known  # a runner that lives on need not hash it again
        reading = self._readings[path] = read_once(path, keep=keep)
        return reading


def _source_of(hook: Hook) -> str:
    path = hook.program.words[0] if hook.program.words else hook.file
    return os.path.join(path, "__init__.py") if os.path.isdir(path) else path


def loosening_name(loosening: Loosening, project: Project) -> str:
    """Return the name that records have for what a file of configuration loosens; not for the whole file."""
    return f"{relative(loosening.path, project.top)}{LOOSENING_MARK}"


def relative(path: str, top: str) -> str:
    """Return *path* as records have it: from the project's folder, else absolute."""
    return os.path.relpath(path, top) if is_inside(path, top) else path


def _difference(
    hook: Hook, unit: Mapping[str, Any], readings: Mapping[str, Reading], others: frozenset[str], top: str
) -> str:
    """Return "" when what *readings* have of *hook* is in one of the unit's trusted texts, else how a file
    differs from the latest. What other hooks of the definition use has no part in it."""
    digests = {relative(path, top): reading.digest for path, reading in readings.items()}
    optional = {relative(path, top) for path in others}
    differs = ""
    for text in reversed(unit["texts"]):
        found = _difference_to(text, files_of(text, hook.id), digests, optional, top)
        if not found:
            return ""
        differs = differs or found
    return differs or "nothing of it is trusted any more"


def _difference_to(
    text: Mapping[str, Any], files: Mapping[str, str], digests: Mapping[str, str], optional: set[str], top: str
) -> str:
    differing = [name for name, digest in files.items() if digests.get(name) != digest]
    if differing:
        return _first_difference(differing, digests, top)
    for name in digests.keys() - files.keys():
        if name in optional and text.get("in_git"):
            from hookrun.trust.contents import is_code

            if not is_code(os.path.join(top, name)):
                continue  # git does not track it, or did not when it was trusted
        return f"{name} is new"
    return ""


def _first_difference(differing: Sequence[str], digests: Mapping[str, str], top: str) -> str:
    """Return what explains most: an edited file, then one that is gone, then one that is no longer used."""
    edited = next((name for name in differing if digests.get(name)), "")
    if edited:
        return edited
    gone = next((name for name in differing if not os.path.lexists(os.path.join(top, name))), "")
    return f"{gone} is gone" if gone else f"{differing[0]} is no longer used"


def _is_what_was_read(hook: Hook, reading: Reading) -> bool:
    """Say whether *hook* was made of the bytes that were hashed, and not of what stood there before."""
    definition = hook.definition
    if not definition:
        return True
    if hook.kind == constants.SCRIPT:  # of a script its header counts, the rest is read when it runs
        return header_lines(definition) == header_lines(reading.data[:HEADER_BYTES])
    return reading.data.removeprefix(_BYTE_ORDER_MARK) == definition


def _changed(reason: str) -> Standing:
    return Standing(status=constants.CHANGED, reason=reason, hint=_LOOK)


def _found_as_another(name: str) -> Standing:
    reason = f"what is trusted of {name} is not what was found when the hooks were looked for"
    return Standing(status=constants.CHANGED, reason=reason, hint="look for the hooks anew")


def _unknown(error: StoreError) -> Standing:
    where = f"{error.where}: " if error.where else ""
    return Standing(status=constants.CHANGED, reason=f"{where}{error.message}", hint=error.hint)
