"""The command that `install` writes, in an environment that a repository has a hand in: it asks the hookrun
that the user installed, or it denies."""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from command import HOOKRUN

from hookrun.agents.settings import installation_of, installations
from hookrun.install.entries import command, missing_message, script_texts, wired_events
from hookrun.model.events import EVENTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from hookrun.agents.settings import Installation

MISPLACED = "the hookrun on PATH is in a relative folder or inside this project, and is not run: install it elsewhere"
FUNCTIONS = "hookrun command exec sh env echo test cd pwd set unset no exit eval printf trap : ["
DENYING = "#!/bin/sh\necho asked >&2\nexit 2\n"


class Room:
    """A project, a hookrun that denies outside of it, one inside of it, and a bash that is called sh."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        (self.project / "evil").mkdir(parents=True)
        self.good, self.bash_as_sh = folder / "bin", folder / "bash/sh"
        self.good.mkdir()
        self.bash_as_sh.parent.mkdir()
        self.bash_as_sh.symlink_to(shutil.which("bash") or "/bin/bash")
        self.ran = folder / "evil-ran"
        program(self.good / "hookrun", DENYING)
        program(self.project / "evil/hookrun", f"#!/bin/sh\n: > {shlex.quote(str(self.ran))}\n")

    def shells(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield each outer shell with *text*, also where the inner sh is bash."""
        outer = ["/bin/sh", str(self.bash_as_sh), shutil.which("bash") or "/bin/bash"]
        for shell, inner in itertools.product(outer, ("/bin/sh", str(self.bash_as_sh))):
            yield shell, text.replace("/bin/sh", shlex.quote(inner))

    def run(self, shell: str, text: str, cwd: Path | None = None, **environ: str) -> tuple[int, str]:
        """Return the exit code and what was said, the last line of stderr or stdout."""
        environ = {"PATH": f"{self.good}:/usr/bin:/bin", **environ}
        done = subprocess.run(
            [shell, "-c", text], cwd=cwd or self.project, env=environ, capture_output=True, text=True, timeout=60
        )
        assert not self.ran.exists(), (shell, environ)
        return done.returncode, (done.stderr or done.stdout).strip().rpartition("\n")[2]


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


def guarding(agent: str) -> str:
    return command(installation_of(agent), "PreToolUse", ())


def guarded(wiring: Installation) -> list[str]:
    return [own for own, canonical in wired_events(wiring).items() if EVENTS[canonical].guarded]


def test_functions_of_the_environment_take_no_place(room: Room):
    for shell, text in room.shells(guarding("claude")):
        for name in FUNCTIONS.split():
            got = room.run(shell, text, **{f"BASH_FUNC_{name}%%": "() { builtin exit 0; }"})
            assert got == (2, "asked"), (shell, text[:120], name)


def test_a_shell_that_was_told_to_execute_nothing_denies(room: Room):
    for shell, text in room.shells(guarding("claude")):
        code, _ = room.run(shell, text, SHELLOPTS="braceexpand:noexec")
        assert code == 2, (shell, text)
        for options in ("onecmd", "errexit:nounset", "noglob:keyword", "privileged", "verbose:xtrace"):
            assert room.run(shell, text, SHELLOPTS=options) == (2, "asked"), (shell, options)


@pytest.mark.parametrize("has_git", [True, False])
def test_a_hookrun_of_the_project_or_by_a_relative_folder_is_not_run(room: Room, has_git: bool, tmp_path: Path):
    below = room.project / "src/deep"
    below.mkdir(parents=True)
    (tmp_path / "link").symlink_to(room.project)
    inside = ["./evil", "evil", "src/../evil", str(room.project / "evil"), f"{tmp_path}/link/evil"]
    if os.path.isdir("/proc/self/cwd"):
        inside.append("/proc/self/cwd/evil")
    if has_git:
        (room.project / ".git").mkdir()
    for (shell, text), path in itertools.product(room.shells(guarding("claude")), inside):
        assert room.run(shell, text, PATH=f"{path}:{room.good}:/bin") == (2, MISPLACED), (shell, path)
    if has_git:
        for (shell, text), path in itertools.product(room.shells(guarding("claude")), ("../../evil", inside[3])):
            assert room.run(shell, text, cwd=below, PATH=f"{path}:/bin") == (2, MISPLACED), (shell, path)


def test_the_working_directory_by_an_empty_entry_is_never_searched(room: Room):
    shutil.copy(room.project / "evil/hookrun", room.project / "hookrun")
    missing = missing_message("claude")
    for shell, text in room.shells(guarding("claude")):
        for path in (f":{room.good}", f"/nonexistent::{room.good}"):
            assert room.run(shell, text, PATH=path) == (2, "asked"), (shell, path)
        for path in ("", ":", "/nonexistent:", "/nonexistent"):
            assert room.run(shell, text, PATH=path) == (2, missing), (shell, path)


def test_variables_that_shells_obey_change_nothing(room: Room):
    (room.project / "rc").write_text("exit 0\n")
    hostile = {
        "ENV": "rc",
        "CDPATH": "evil:.",
        "IFS": "o",
        "hr_at": "evil",
        "hr_root": "/",
        "BASHOPTS": "execfail:nocasematch",
    }
    for shell, text in room.shells(guarding("claude")):
        assert room.run(shell, text, **hostile) == (2, "asked"), shell
    assert room.run(str(room.bash_as_sh), guarding("claude"), BASH_ENV="rc") == (2, "asked")


def filled_in(text: str, environ: Mapping[str, str]) -> str:
    """Return *text* as Gemini CLI 0.61.0 hands it to a shell, values in the place of variables."""
    return re.sub(
        r"\$(?:(\w+)|\{([^}]+?)(?::-([^}]*))?\})",
        lambda found: environ.get(found[1] or found[2], found[0] if found[3] is None else found[3]),
        text,
    )


def test_an_agent_that_puts_values_in_the_place_of_variables_changes_nothing():
    names = ("PATH", "HOME", "IFS", "PWD", "0", "1", "_", "hr_at", "hr_root", "no")
    hostile = dict.fromkeys(names, "'; exit 0 # \"")
    assert filled_in("$PATH ${HOME} ${hr_at:-x} ${2:-x}", hostile | {"PATH": "p"}).startswith("p '; exit 0")
    for wiring in installations():
        for own in wired_events(wiring) if wiring.shape else ():
            text = command(wiring, own, ("codex",))
            assert filled_in(text, hostile) == text, own
            assert filled_in(text, {}) == text, own


@pytest.mark.parametrize("folder", ["a b", "it's", 'a "b"', "$HOME", "a*", "a\\b", "a;b", "`c`", "-x"])
def test_hookrun_is_found_in_a_folder_of_any_name(room: Room, folder: str):
    program(room.good / folder / "hookrun", DENYING)
    for shell, text in room.shells(command(installation_of("gemini"), "BeforeTool", ())):
        for path in (f"{room.good}/{folder}", f"/no 'such' \"folder\"::{room.good}/{folder}:/bin:"):
            assert room.run(shell, filled_in(text, {"PATH": path}), PATH=path) == (2, "asked"), (shell, path)
    missing = missing_message("gemini")
    for shell, text in room.shells(command(installation_of("gemini"), "BeforeTool", ())):
        assert room.run(shell, filled_in(text, {}), PATH=f"/no/{folder}") == (2, missing), shell


def test_in_a_home_without_git_the_hookrun_of_that_home_runs(room: Room, tmp_path: Path):
    home = tmp_path / "home"
    program(home / ".local/bin/hookrun", DENYING)
    for shell, text in room.shells(guarding("claude")):
        path = f"{home}/.local/bin"
        assert room.run(shell, text, cwd=home, HOME=str(home), PATH=path) == (2, "asked"), shell
        assert room.run(shell, text, cwd=tmp_path, HOME=str(home), PATH=path) == (2, "asked"), shell


@pytest.mark.parametrize("wiring", [each for each in installations() if each.shape], ids=lambda each: each.agent)
def test_every_agent_is_denied_in_its_own_form_where_only_the_project_has_a_hookrun(room: Room, wiring: Installation):
    for own in wired_events(wiring):
        text = command(wiring, own, ())
        code, said = room.run("/bin/sh", text, PATH=f"{room.project}/evil")
        canonical = wired_events(wiring)[own]
        if canonical in wiring.denials:
            assert (code, json.loads(said)) == (
                wiring.denials[canonical][1],
                json.loads(wiring.denials[canonical][0].replace("MESSAGE", MISPLACED)),
            )
        else:
            assert (code, said) == ((2, MISPLACED) if own in guarded(wiring) else (0, wiring.neutral)), own


def test_a_shell_that_only_parses_denies_nothing_where_no_guard_is_asked(room: Room):
    for shell, text in room.shells(command(installation_of("claude"), "Stop", ())):
        if "bash" in shell:
            assert room.run(shell, text, SHELLOPTS="noexec") == (0, ""), shell


def test_an_executable_answers_for_a_hookrun_that_cannot_start(room: Room):
    program(room.good / "hookrun", "#!/no/such/python\n")
    text = script_texts(installation_of("cline"), ())["PreToolUse"]
    done = subprocess.run(["/bin/sh", "-c", text], env={"PATH": str(room.good)}, capture_output=True, timeout=60)
    assert json.loads(done.stdout) == {"cancel": True, "errorMessage": "hookrun cannot start"}


# What the first release wrote.
FORMER = (
    "sh -c 'command -v hookrun >/dev/null || {{ {missing} }}; unset PYTHONPATH PYTHONHOME PYTHONUSERBASE"
    " PYTHONPLATLIBDIR PYTHONPYCACHEPREFIX PYTHONWARNINGS PYTHONEXECUTABLE; {call}'"
)
FORMER_SCRIPT = (
    "#!/bin/sh\n"
    "# put here by `hookrun install cline`, taken out by `hookrun uninstall cline`\n"
    'command -v hookrun >/dev/null || { echo "{\\"cancel\\": true,'
    ' \\"errorMessage\\": \\"hookrun is not installed\\"}"; exit 0; }\n'
    "unset PYTHONPATH PYTHONHOME PYTHONUSERBASE PYTHONPLATLIBDIR PYTHONPYCACHEPREFIX PYTHONWARNINGS"
    " PYTHONEXECUTABLE\n"
    "exec hookrun bridge cline --with codex\n"
)


def test_entries_of_the_first_release_are_renewed_and_taken_out(cli, project):
    before = '{\n  // mine\n  "model": "x"\n}\n'
    path = project.path / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(before)
    cli("install", "claude")
    settings = json.loads(path.read_text().replace("// mine", ""))
    text = path.read_text()
    for own, groups in settings["hooks"].items():
        former = FORMER.format(
            missing='echo "hookrun is not installed" >&2; exit 2;', call="hookrun bridge claude || exit 2"
        )
        now = groups[0]["hooks"][0]["command"]
        assert now == command(installation_of("claude"), own, ())
        text = text.replace(json.dumps(now), json.dumps(former))
    path.write_text(text)
    assert "11 events renewed" in cli("install", "claude").stdout
    assert json.loads(path.read_text().replace("// mine", "")) == settings
    path.write_text(text)
    assert cli("uninstall", "claude").code == 0
    assert path.read_text() == before


def doctor(cli) -> list[str]:
    return [problem["message"] for problem in cli("doctor", "--format", "json").document["problems"]]


def test_doctor_looks_for_entries_and_variables_that_let_something_in(cli, project, user_environment):
    user_environment["PATH"] = f"{os.path.dirname(HOOKRUN)}:/usr/bin:/bin"
    cli("install", "claude", "cline")
    assert doctor(cli) == []
    settings, local = project.path / ".claude/settings.json", project.path / ".claude/settings.local.json"
    installed = json.loads(settings.read_text())
    installed["hooks"]["Stop"][0]["hooks"][0]["command"] = "hookrun bridge claude"
    settings.write_text(json.dumps(installed))
    program(project.path / ".clinerules/hooks/PreToolUse", FORMER_SCRIPT)
    weak = "these entries are not as this hookrun writes them, and a variable of the agent's can take their"
    weak += " place"
    assert doctor(cli) == [f"{weak}: Stop", f"{weak}: PreToolUse"]
    cli("install", "claude", "cline")
    local.write_text('{"env": {"PATH": "./bin:/bin", "BASH_FUNC_x%%": "() { :; }", "EDITOR": "vi"}}')
    taking = "for claude: that can take the place of hookrun"
    assert doctor(cli) == [f"it sets PATH {taking}", f"it sets BASH_FUNC_x%% {taking}"]
    local.unlink()
    user_environment["BASH_ENV"] = "/dev/null"
    assert doctor(cli) == []
    user_environment["BASH_ENV"] = f"{project.path}/rc"
    assert doctor(cli) == [
        f"BASH_ENV is set: {agent} runs what it names before hookrun" for agent in ("claude", "cline")
    ]


def test_executables_of_the_first_release_are_renewed_and_taken_out(cli, project):
    path = project.path / ".clinerules/hooks/PreToolUse"
    program(path, FORMER_SCRIPT)
    assert cli("install", "cline").code == 0
    assert path.read_text() == script_texts(installation_of("cline"), ())["PreToolUse"]
    assert not path.with_name("PreToolUse.hookrun-backup").exists()
    program(path, FORMER_SCRIPT)
    assert cli("uninstall", "cline").code == 0
    assert not path.exists()
    program(path, FORMER_SCRIPT.replace("exec", "touch x; exec"))
    assert "has been changed by hand" in cli("uninstall", "cline").stderr
