"""All checks over all hooks, or over those at some paths, for `hookrun validate`. Runs no hook."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from hookrun.commands.validate import bashisms, declared, settings_keys, settings_scripts, starts, strays
from hookrun.commands.validate.definition import Definition
from hookrun.commands.validate.finding import ERROR, Finding, LintReport
from hookrun.commands.validate.lost_results import bridged_agents, find_lost_results
from hookrun.commands.validate.paths import Chosen, choose
from hookrun.commands.validate.silent_passes import find_python_passes, find_shell_passes
from hookrun.commands.validate.states import denial, of_another_branch
from hookrun.commands.validate.subject import ScriptFile, Subject, definition_of, script_files, subjects_of
from hookrun.commands.validate.unheard_answers import find_foreign_words
from hookrun.config.paths import is_inside
from hookrun.model import constants
from hookrun.model.values import Hook, Problem
from hookrun.programs.command import Launch
from hookrun.runner import HookRunner
from hookrun.sources.found import Found

Watch = Callable[[int, int, str], None]  # scripts done, scripts in all, the one that comes next


def lint(runner: HookRunner, paths: Sequence[str] = (), watch: Watch | None = None) -> LintReport:
    """Return what is wrong with all hooks of *runner*'s place, or with those at *paths* (absolute) alone.

    *watch* is called before each script is read. Raises UsageError for a path that is not there.
    """
    linting = _Linting(runner, watch)
    for chosen in choose(runner, paths):
        linting.add(chosen)
    return linting.report()


class _Linting:
    """One run of the checks. A definition is read once, and the same finding counts once."""

    def __init__(self, runner: HookRunner, watch: Watch | None) -> None:
        config = runner.config
        self.user = (config.home, config.user_folder)
        self.denials = _denials(runner)
        self.denied = {(each.file, each.hook) for each in self.denials}
        self.tools = config.tools
        self.agents = bridged_agents(config)
        self.path = config.environ.get("PATH", os.defpath)
        self.watch = watch
        self.definitions: dict[str, Definition] = {}
        self.findings: dict[tuple[str, int, str, str], Finding] = {}
        self.hooks: set[tuple[str, str]] = set()
        self.files: set[str] = set()

    def report(self) -> LintReport:
        """Return what was found so far, by file and line."""
        ordered = sorted(self.findings.values(), key=lambda finding: (finding.file, finding.line))
        return LintReport(findings=tuple(ordered), hooks=len(self.hooks), files=len(self.files))

    def add(self, chosen: Chosen) -> None:
        """Check what was chosen."""
        found = chosen.found
        subjects = subjects_of(found.hooks, self.path, self.definitions)
        named = settings_scripts.named_scripts(subjects, self.path)
        scripts = [script for script in _scripts(subjects, named) if chosen.only in ("", script.path)]
        findings = self._of_hooks(chosen, subjects)
        findings += [*strays.skip_findings(found.skips), *self._of_scripts(scripts)]
        findings += self._of_settings(found, subjects, named)
        findings += find_lost_results(found.hooks, self.agents)
        read = {script.path for script in scripts} | {hook.file for hook in found.hooks}
        if chosen.only:
            findings = [finding for finding in findings if finding.file == chosen.only]
            read = {chosen.only}
        known = read | {finding.file for finding in findings} | _named_files(subjects)
        findings += self._unread(chosen, known, scripts)
        self._count(found.hooks, read, findings)

    def _count(self, hooks: Iterable[Hook], read: set[str], findings: Iterable[Finding]) -> None:
        self.hooks |= {(hook.file, hook.id) for hook in hooks}
        self.files |= read
        for finding in findings:
            self.files |= {finding.file} if finding.file else set()
            self.findings.setdefault((finding.file, finding.line, finding.where, finding.message), finding)

    def _of_hooks(self, chosen: Chosen, subjects: Sequence[Subject]) -> list[Finding]:
        """Return what is wrong with the hooks themselves, and what reading them complained about."""
        problems = chosen.found.problems
        broken = {problem.source for problem in problems if problem.level == ERROR}
        findings = [finding for subject in subjects for finding in self._of_hook(subject, broken)]
        findings += self._denied(chosen)
        return [*findings, *self._of_problems(problems, findings)]

    def _denied(self, chosen: Chosen) -> Iterator[Finding]:
        """Yield the denials of the hooks at a path, or of those that run the file at that path."""
        users = {(hook.file, hook.id) for hook in chosen.found.hooks} if chosen.only else ()
        for each in self.denials:
            if (each.file, each.hook) in users:
                yield each.replace(file=chosen.only)
            elif not chosen.path or is_inside(each.file, chosen.path):
                yield each

    def _unread(self, chosen: Chosen, read: set[str], scripts: Sequence[ScriptFile]) -> list[Finding]:
        """Return what looks like a hook and is not read; an error for a path from the command line."""
        skipped = {skip.path: skip.reason for skip in chosen.found.skips}
        texts = [script.text for script in scripts]
        found = strays.find_strays(chosen.levels, read | set(skipped), lambda: texts, user=self.user)
        return _meant(chosen.path, list(found), read, skipped)

    def _of_hook(self, subject: Subject, broken: Iterable[str]) -> Iterator[Finding]:
        yield from declared.check_matchers(subject, self.tools)
        yield from settings_keys.check_matcher(subject, self.tools)
        yield from declared.check_tool_of_script(subject, self.tools)
        yield from declared.check_role(subject)
        yield from declared.check_widget(subject)
        yield from declared.check_timeout(subject)
        if (subject.hook.file, subject.hook.id) in self.denied:
            return
        # A hook without a start is usually among the problems of its file already.
        if subject.start is not None or subject.hook.file not in broken:
            yield from starts.check_start(subject)

    def _of_settings(
        self, found: Found, subjects: Sequence[Subject], named: Sequence[settings_scripts.Named]
    ) -> Iterator[Finding]:
        for each in named:
            yield from settings_scripts.check_named(each)
        yield from settings_scripts.check_words(subjects, named)
        for subject in subjects:
            if subject.hook.kind == constants.SETTINGS and subject.hook.runtime == "script":
                yield from bashisms.check_command(subject)
        agent_by_file = {hook.file: hook.dialect for hook in found.hooks if hook.kind == constants.SETTINGS}
        agent_by_file |= {skip.path: agent for skip in found.skips if (agent := settings_keys.agent_of(skip.source))}
        for path, agent in agent_by_file.items():
            yield from settings_keys.check_file(definition_of(path, self.definitions), agent)
        yield from settings_keys.check_skips(found.skips, self.definitions)

    def _of_problems(self, problems: Sequence[Problem], known: Sequence[Finding]) -> Iterator[Finding]:
        """Yield the problems of loading, except where a check said more about the same key."""
        said = {(finding.file, finding.where, finding.level) for finding in known}
        for problem in problems:
            spot = (problem.source, problem.where)
            if not problem.where or not said & {(*spot, problem.level), (*spot, ERROR)}:
                definition = definition_of(problem.source, self.definitions)
                yield Finding(
                    message=problem.message,
                    level=problem.level,
                    file=problem.source,
                    line=definition.line(problem.where),
                    where=problem.where,
                    hint=problem.hint,
                )

    def _of_scripts(self, scripts: Sequence[ScriptFile]) -> Iterator[Finding]:
        for index, script in enumerate(scripts):
            if self.watch:
                self.watch(index, len(scripts), script.path)
            yield from starts.check_syntax(script, self.path)
            yield from bashisms.check_script(script)
            yield from find_shell_passes(script)
            yield from find_python_passes(script)
            yield from find_foreign_words(script)


def _scripts(subjects: Sequence[Subject], named: Sequence[settings_scripts.Named]) -> list[ScriptFile]:
    """Return the scripts of all hooks, each once; those that agents' commands name come last."""
    scripts = script_files(subjects)
    known = {script.path for script in scripts}
    for each in named:
        file = each.file
        if file is not None and file.path not in known:
            known.add(file.path)
            scripts.append(file)
    return scripts


def _named_files(subjects: Sequence[Subject]) -> set[str]:
    """Return the files that the hooks' commands name, scripts or not."""
    launches = [subject.start for subject in subjects if isinstance(subject.start, Launch)]
    return {file for launch in launches for file in launch.files}


def _denials(runner: HookRunner) -> list[Finding]:
    """Return the guards that deny, because they changed since they were trusted or this branch lacks them."""
    states = (constants.IN_FORCE, constants.UNTRUSTED)
    hooks = [entry.hook for entry in runner.loaded.registry.entries if entry.state in states]
    return [found for hook in hooks if (found := denial(runner, hook) or of_another_branch(runner, hook))]


def _meant(path: str, found: list[Finding], read: set[str], skipped: Mapping[str, str]) -> list[Finding]:
    if not path:
        return found
    unread = [finding for finding in found if is_inside(finding.file, path)]
    if path in {finding.file for finding in unread}:
        return [finding.replace(level=ERROR) for finding in unread]
    if unread or any(is_inside(file, path) for file in read):
        return unread
    message = f"not a hook: {skipped[path]}" if path in skipped else "contains nothing that hookrun reads as a hook"
    hint = "hooks are scripts in hooks/pre and hooks/post, plugin.json, and manifests (.json, .yaml)"
    return [Finding(message=message, level=ERROR, file=path, hint=hint)]
