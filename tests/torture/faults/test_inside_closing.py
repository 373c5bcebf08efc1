"""What keeps a decision from being made or said: a guarded event is denied with a reason, whatever it was."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from firing import BASH_GUARD
from injected import FORMS, GUARDS, HEADLINES, RULINGS, Fault, bound_by_modes, emit_under, hinting_guard, site

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from command import Project

UNKEPT = "a value too large for the environment cannot be written to a file"


def long_input(tmp_path: Path) -> tuple[str, ...]:
    """The words of an input that needs a private file."""
    path = tmp_path / "input.json"
    path.write_text(json.dumps({"command": "x" * 200_000}))
    return ("--input", f"@{path}")


def a_closed_stdout(project: Project, tmp_path: Path) -> Fault:
    return Fault("stdout: cannot be written", redirections=">&-")


def a_full_stdout(project: Project, tmp_path: Path) -> Fault:
    return Fault("stdout: cannot be written", redirections=">/dev/full")


def only_a_stdin(project: Project, tmp_path: Path) -> Fault:
    return Fault(redirections=">&- 2>&-")


def no_stream_at_all(project: Project, tmp_path: Path) -> Fault:
    return Fault(redirections="<&- >&- 2>&-")


def files_of_no_size(project: Project, tmp_path: Path) -> Fault:
    return Fault("File too large", prefix=("sh", "-c", 'ulimit -f 0; exec "$@"', "sh"))


def a_file_for_the_runtime_folder(project: Project, tmp_path: Path) -> Fault:
    (tmp_path / "runtime/hookrun").write_text("")
    return Fault(UNKEPT, words=long_input(tmp_path))


def a_link_for_the_runtime_folder(project: Project, tmp_path: Path) -> Fault:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "runtime/hookrun").symlink_to(tmp_path / "elsewhere")
    return Fault(UNKEPT, words=long_input(tmp_path))


def a_runtime_folder_that_only_can_be_read(project: Project, tmp_path: Path) -> Fault:
    (tmp_path / "runtime").chmod(0o500)
    return Fault(UNKEPT, prefix=bound_by_modes(), words=long_input(tmp_path))


def a_temporary_folder_that_is_a_file(project: Project, tmp_path: Path) -> Fault:
    (tmp_path / "file").write_text("")
    env = {"XDG_RUNTIME_DIR": None, "TMPDIR": str(tmp_path / "file")}
    return Fault(UNKEPT, env=env, words=long_input(tmp_path))


def defect(text: str, told: str) -> Callable[[Project, Path], Fault]:
    """A defect of hookrun's own insides: *text* is run before it."""
    return lambda project, tmp_path: Fault(told, env=site(tmp_path, text))


def missing(module: str) -> Callable[[Project, Path], Fault]:
    """A part of hookrun, or of Python, that cannot be imported."""
    return defect(f"import sys\nsys.modules[{module!r}] = None\n", f"import of {module} halted")


def failing(module: str, *functions: str, how: str = "1 / 0") -> Callable[[Project, Path], Fault]:
    """Functions that do what nobody expects of them."""
    broken = " = ".join(f"module.{function}" for function in functions)
    told = {"1 / 0": "ZeroDivisionError", "bytearray(1 << 60)": "out of memory", "exit(0)": "exit(0)"}[how]
    text = f"import {module} as module\n{broken} = lambda *_, **__: {how}\n"
    return defect(text, "" if module == "os" else told)


CLOSING = {
    "closed stdout": a_closed_stdout,
    "full stdout": a_full_stdout,
    "only a stdin": only_a_stdin,
    "no stream at all": no_stream_at_all,
    "files of no size": files_of_no_size,
    "a file for the runtime folder": a_file_for_the_runtime_folder,
    "a link for the runtime folder": a_link_for_the_runtime_folder,
    "a runtime folder that only can be read": a_runtime_folder_that_only_can_be_read,
    "a temporary folder that is a file": a_temporary_folder_that_is_a_file,
    "no module json": missing("json"),
    "no module select": missing("select"),
    "no output": missing("hookrun.cli.output"),
    "no door": missing("hookrun.cli.main"),
    "no pipeline": missing("hookrun.pipeline.fire"),
    "no report": missing("hookrun.commands.emit"),
    "the report fails": failing("hookrun.commands.emit", "decision_lines", "decision_document"),
    "what tells events fails": failing("hookrun.runner", "event_type"),
    "deciding fails": failing("hookrun.pipeline.decide", "decide"),
    "deciding needs too much": failing("hookrun.pipeline.decide", "decide", how="bytearray(1 << 60)"),
    "deciding exits": failing("hookrun.pipeline.decide", "decide", how="exit(0)"),
    "writing fails": failing("os", "write"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("inject", CLOSING.values(), ids=CLOSING)
def test_a_fault_that_hides_the_decision_denies(project, user_environment, tmp_path, inject, guard, form):
    hinting_guard(project, guard)
    fault = inject(project, tmp_path)
    ended = emit_under(fault, project, user_environment, "--format", form)
    assert ended.code == 2
    assert fault.told in ended.stdout + ended.stderr


def test_json_that_cannot_be_written_denies_and_text_is_not_concerned(project, user_environment, tmp_path):
    fault = failing("json", "dumps")(project, tmp_path)
    for guard in GUARDS:
        project.script(BASH_GUARD, GUARDS[guard])
        denied = emit_under(fault, project, user_environment, "--format", "json")
        assert (denied.code, denied.stdout, "ZeroDivisionError" in denied.stderr) == (2, "", True)


def test_the_same_long_input_is_decided_where_it_can_be_kept(project, user_environment, tmp_path):
    for guard in GUARDS:
        project.script(BASH_GUARD, GUARDS[guard])
        ended = emit_under(Fault(words=long_input(tmp_path)), project, user_environment)
        assert (ended.code, ended.stdout.startswith(HEADLINES[guard])) == (RULINGS[guard][0], True)
