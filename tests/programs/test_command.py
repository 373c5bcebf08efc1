"""Whether a hook's command can start, what it starts, and whose complaint an exit of 2 is."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from hookrun.model.errors import UsageError
from hookrun.model.values import Program
from hookrun.programs.command import Launch, Launches, Obstacle, prepare, program_path, split_entry
from hookrun.programs.interpreter_errors import python_complaint, syntax_check_for

if TYPE_CHECKING:
    from pathlib import Path

PATH = "/usr/local/bin:/usr/bin:/bin"
BOM = b"\xef\xbb\xbf"


def script(folder: Path, name: str, text: str | bytes = "#!/bin/sh\necho ran\n", mode: int = 0o755) -> str:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    file.chmod(mode)
    return str(file)


def prepared(folder: Path, *words: str, path: str = PATH, **more: Any) -> Launch | Obstacle:
    return prepare(Program(words=words, folder=str(folder), **more), path=path)


def launch(folder: Path, *words: str, path: str = PATH, **more: Any) -> Launch:
    found = prepared(folder, *words, path=path, **more)
    assert isinstance(found, Launch), found
    return found


def obstacle(folder: Path, *words: str, path: str = PATH, **more: Any) -> Obstacle:
    found = prepared(folder, *words, path=path, **more)
    assert isinstance(found, Obstacle), found
    assert found.hint
    return found


def output(launched: Launch) -> str:
    """Run what was prepared and return its output: the proof that it can start."""
    done = subprocess.run(launched.argv, capture_output=True, text=True, env={"PATH": PATH}, cwd="/")
    return done.stdout


def interpreters(folder: Path, *names: str) -> str:
    """Return a PATH on which there are programs of these names that print their own and their arguments."""
    for name in names:
        script(folder, f"bin/{name}", f'#!/bin/sh\necho {name} "$@"\n')
    return str(folder / "bin")


# Splitting


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("bash run.sh", ("bash", "run.sh")),
        ("  a   b\t", ("a", "b")),
        ("'a b' \"c d\" e\\ f", ("a b", "c d", "e f")),
        ("echo '$HOME' # not a comment; no | pipe", ("echo", "$HOME", "#", "not", "a", "comment;", "no", "|", "pipe")),
        ('""', ("",)),
    ],
)
def test_an_entry_is_split_as_a_shell_would_without_one(tmp_path: Path, entry: str, words: tuple[str, ...]) -> None:
    assert split_entry(entry, str(tmp_path), plugin_root="/p") == words


def test_a_plugins_root_is_put_in_after_splitting(tmp_path: Path) -> None:
    entry = "${PLUGIN_ROOT}/a.sh --config=${CLAUDE_PLUGIN_ROOT}/c '${PLUGIN_ROOT} x' $PLUGIN_ROOT"
    assert split_entry(entry, str(tmp_path), plugin_root="/my plugin") == (
        "/my plugin/a.sh",
        "--config=/my plugin/c",
        "/my plugin x",
        "$PLUGIN_ROOT",
    )


def test_a_word_that_names_a_file_of_the_folder_becomes_absolute(tmp_path: Path) -> None:
    file = script(tmp_path, "sub/run it.sh")
    (tmp_path / "folder").mkdir()
    words = split_entry("bash 'sub/run it.sh' other.sh folder", str(tmp_path), plugin_root="")
    assert words == ("bash", file, "other.sh", "folder")


@pytest.mark.parametrize(
    ("entry", "said"), [("bash 'run.sh", "split"), ("a\\", "split"), ("", "empty"), (" \n", "empty")]
)
def test_an_entry_that_cannot_be_split_is_refused(tmp_path: Path, entry: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        split_entry(entry, str(tmp_path), plugin_root="")
    assert caught.value.hint


# Programs


def test_a_program_is_found_on_the_path_that_the_hook_will_have(tmp_path: Path) -> None:
    path = interpreters(tmp_path, "guard")
    launched = launch(tmp_path, "guard", "now", path=path)
    assert launched == Launch(argv=(f"{path}/guard", "now"))
    assert output(launched) == "guard now\n"


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert obstacle(tmp_path, "no-such-program").cause == "no-such-program is not installed"


def test_a_relative_folder_on_the_path_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interpreters(tmp_path, "guard")
    monkeypatch.chdir(tmp_path)
    assert program_path("guard", "bin:") == ""
    assert program_path("guard", f"bin::{tmp_path}/bin/") == f"{tmp_path}/bin/guard"


def test_a_folder_and_a_file_without_its_mode_are_no_programs(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    script(tmp_path, "file", mode=0o644)
    assert program_path("folder", str(tmp_path)) == ""
    assert program_path("file", str(tmp_path)) == ""


def test_a_program_of_the_folder_comes_before_one_of_the_path(tmp_path: Path) -> None:
    file = script(tmp_path, "guard")
    path = interpreters(tmp_path / "other", "guard")
    assert launch(tmp_path, "guard", path=path).argv == (file,)
    assert launch(tmp_path, "./guard", path=path).argv == (file,)


@pytest.mark.parametrize("words", [(), ("",)])
def test_an_empty_command_cannot_start(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert "empty" in obstacle(tmp_path, *words).cause


def test_programs_that_a_hook_needs_and_that_are_missing_are_named(tmp_path: Path) -> None:
    file = script(tmp_path, "a.sh")
    found = obstacle(tmp_path, file, needs=("sh", "no-jq", "no-git"))
    assert found.cause == "needs no-jq, no-git, which are not installed"
    assert obstacle(tmp_path, file, needs=("no-jq",)).cause == "needs no-jq, which is not installed"
    assert launch(tmp_path, file, needs=("sh",)).argv == (file,)


# Scripts that are missing


@pytest.mark.parametrize(
    "words",
    [
        ("python3", "missing.py"),
        ("bash", "missing.sh"),
        ("bash", "-eu", "-o", "pipefail", "missing.sh"),
        ("python3", "-W", "ignore", "-u", "missing.py"),
        ("/bin/sh", "./missing.sh"),
        ("env", "X=1", "bash", "missing.sh"),
        ("timeout", "5", "bash", "missing.sh"),
        ("bash", "--", "missing.sh"),
        ("./missing.sh",),
        ("missing.sh",),
    ],
)
def test_a_script_that_does_not_exist_is_named(tmp_path: Path, words: tuple[str, ...]) -> None:
    missing = words[-1]
    assert obstacle(tmp_path, *words).cause == f"{missing} does not exist"


def test_a_path_that_only_a_shell_would_expand_is_explained(tmp_path: Path) -> None:
    assert "no shell" in obstacle(tmp_path, "~/guard.sh").hint
    assert "no shell" in obstacle(tmp_path, "bash", "$HOME/guard.sh").hint


@pytest.mark.parametrize(
    "words",
    [
        ("bash", "-c", "exit 2 # /no/such.sh"),
        ("bash", "-euc", "missing.py"),
        ("python3", "-c", "print('missing.py')"),
        ("python3", "-m", "no/module.py"),
        ("sh", "-s", "missing.sh"),
        ("python3", "-", "missing.py"),
        ("bash",),
        ("perl", "-ne", "s/a/b/"),
        ("echo", "missing.sh", "python3", "missing.py"),
        ("bash", "name-that-bash-looks-up"),
    ],
)
def test_words_that_are_no_script_need_not_exist(tmp_path: Path, words: tuple[str, ...]) -> None:
    path = f"{interpreters(tmp_path, 'perl')}:{PATH}"
    launched = launch(tmp_path, *words, path=path)
    assert launched.argv[1:] == words[1:]
    assert launched.script == ""


def test_arguments_of_a_script_need_not_exist(tmp_path: Path) -> None:
    file = script(tmp_path, "a.py", "print('ran')\n")
    launched = launch(tmp_path, "python3", "a.py", "out/report.py")
    assert launched.argv[1:] == (file, "out/report.py")
    assert output(launched) == "ran\n"


# Scripts that an interpreter is given


def test_a_script_of_an_interpreter_is_known_with_its_interpreter(tmp_path: Path) -> None:
    file = script(tmp_path, "sub/a.sh", "echo ran $1\n", 0o644)
    launched = launch(tmp_path, "bash", "-e", "sub/a.sh", "x")
    assert launched.argv == (program_path("bash", PATH), "-e", file, "x")
    assert (launched.script, launched.interpreter) == (file, program_path("bash", PATH))
    assert launched.files == (file,)
    assert output(launched) == "ran x\n"


def test_a_script_whose_name_looks_like_an_option_runs(tmp_path: Path) -> None:
    script(tmp_path, "-x.sh", "echo ran\n")
    assert output(launch(tmp_path, "bash", "-x.sh")) == "ran\n"
    words = split_entry("bash -x.sh", str(tmp_path), plugin_root="")
    assert output(launch(tmp_path, *words)) == "ran\n"


@pytest.mark.parametrize("folder", ["my hooks", "it's", 'say "x"', "new\nline", "$HOME", "é"])
def test_a_script_in_a_folder_of_any_name_runs(tmp_path: Path, folder: str) -> None:
    file = script(tmp_path, f"{folder}/a.sh")
    assert output(launch(tmp_path, file)) == "ran\n"
    assert output(launch(tmp_path / folder, "sh", "a.sh")) == "ran\n"


def test_an_interpreter_behind_a_wrapper_is_found(tmp_path: Path) -> None:
    file = script(tmp_path, "a.sh")
    launched = launch(tmp_path, "env", "A=1", "timeout", "5", "bash", "a.sh")
    assert (launched.script, launched.interpreter) == (file, program_path("bash", PATH))
    assert output(launched) == "ran\n"


def test_an_interpreter_behind_a_wrapper_must_be_installed(tmp_path: Path) -> None:
    script(tmp_path, "a.py")
    assert obstacle(tmp_path, "env", "python9.99", "a.py").cause == "python9.99 is not installed"


def test_files_are_all_that_the_command_names_and_no_programs_of_the_system(tmp_path: Path) -> None:
    first, second = script(tmp_path, "a.sh"), script(tmp_path, "data.json", "{}")
    launched = launch(tmp_path, "/bin/sh", "a.sh", "data.json", second, "none.json", "--x")
    assert launched.files == (first, second)
    assert launch(tmp_path, first).files == (first,)


def test_a_folder_on_the_path_of_a_project_hides_no_file(tmp_path: Path) -> None:
    path = interpreters(tmp_path, "guard")
    assert launch(tmp_path, f"{path}/guard", path=path).files == (f"{path}/guard",)


# Line endings and the like


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"#!/bin/sh\r\nexit 0\r\n", ()),
        (b"#!/usr/bin/env bash\r\nexit 0\r\n", ()),
        (b"#!/usr/bin/env python3\r\npass\r\n", ()),
        (b"#!/bin/sh\nexit 0\r\n", ()),
        (b"exit 0\r\n", ()),
        (b"exit 0\r\n", ("bash",)),
        (b"#!/bin/sh\r\n", ("/bin/sh",)),
    ],
)
def test_a_script_with_crlf_line_endings_cannot_start(tmp_path: Path, text: bytes, words: tuple[str, ...]) -> None:
    found = obstacle(tmp_path, *words, script(tmp_path, "a.sh", text))
    assert found.cause == "CRLF line endings"
    assert "validate --fix" in found.hint


def test_a_python_script_with_crlf_line_endings_runs(tmp_path: Path) -> None:
    file = script(tmp_path, "a.py", b"print('ran')\r\n")
    assert output(launch(tmp_path, "python3", file)) == "ran\n"
    assert output(launch(tmp_path, file)) == "ran\n"


def test_a_byte_order_mark_before_the_shebang_is_a_problem_and_the_script_runs(tmp_path: Path) -> None:
    launched = launch(tmp_path, script(tmp_path, "a.py", BOM + b"#!/usr/bin/env python3\nprint('ran')\n"))
    assert output(launched) == "ran\n"
    (problem,) = launched.problems
    assert "byte order mark" in problem.message


def test_a_script_without_its_mode_is_run_by_its_interpreter_and_a_problem_says_so(tmp_path: Path) -> None:
    file = script(tmp_path, "a.sh", "#!/usr/bin/env -S bash -e\necho ran $1 $-\n", 0o644)
    launched = launch(tmp_path, file, "x")
    assert output(launched).startswith("ran x eh")
    (problem,) = launched.problems
    assert problem.source == file
    assert problem.hint == f"chmod +x {file}"


def test_a_script_with_its_mode_runs_as_it_is_without_problems(tmp_path: Path) -> None:
    file = script(tmp_path, "a.sh", "#!/usr/bin/env bash\necho ran\n")
    launched = launch(tmp_path, file)
    assert (launched.argv, launched.problems) == ((file,), ())
    assert (launched.script, launched.interpreter) == (file, program_path("bash", PATH))


@pytest.mark.parametrize("name", ["a.sh", "guard"])
def test_a_script_without_a_shebang_is_run_by_sh(tmp_path: Path, name: str) -> None:
    launched = launch(tmp_path, script(tmp_path, name, "echo ran\n"))
    assert launched.interpreter == "/bin/sh"
    assert output(launched) == "ran\n"


@pytest.mark.parametrize("name", ["a.sh", "guard"])
def test_an_empty_executable_runs_and_does_nothing(tmp_path: Path, name: str) -> None:
    assert output(launch(tmp_path, script(tmp_path, name, ""))) == ""


@pytest.mark.parametrize(("name", "program"), [("a.py", "python3"), ("a.js", "node"), ("a.mjs", "node")])
@pytest.mark.parametrize("mode", [0o644, 0o755])
def test_a_script_without_a_shebang_is_run_by_what_its_suffix_says(
    tmp_path: Path, name: str, program: str, mode: int
) -> None:
    path = interpreters(tmp_path, program)
    file = script(tmp_path, name, "# nothing\n", mode)
    assert output(launch(tmp_path, file, path=path)) == f"{program} {file}\n"


def test_the_program_of_a_suffix_must_be_installed(tmp_path: Path) -> None:
    file = script(tmp_path, "a.js", "0\n")
    assert obstacle(tmp_path, file, path=str(tmp_path)).cause == "node, which runs a.js, is not installed"


def test_a_file_that_is_neither_executable_nor_has_a_shebang_cannot_start(tmp_path: Path) -> None:
    found = obstacle(tmp_path, script(tmp_path, "guard", "echo ran\n", 0o644))
    assert "neither executable nor" in found.cause


def test_a_binary_runs_when_it_has_its_mode(tmp_path: Path) -> None:
    text = b"\x7fELF\0\0"
    executable = script(tmp_path, "guard", text)
    assert launch(tmp_path, executable) == Launch(argv=(executable,), files=(executable,))
    assert "not executable" in obstacle(tmp_path, script(tmp_path, "other", text, 0o644)).cause


# Shebangs


@pytest.mark.parametrize(
    ("shebang", "interpreter"),
    [
        ("/no/such/python3", "/no/such/python3"),
        ("/usr/bin/env no-such-python", "no-such-python"),
        ("/usr/bin/env -S no-such-python -u", "no-such-python"),
        ("/usr/bin/env -S A=1 no-such-python", "no-such-python"),
        ("/usr/bin/env /no/such", "/no/such"),
    ],
)
def test_an_interpreter_that_is_missing_is_named_and_not_the_script(
    tmp_path: Path, shebang: str, interpreter: str
) -> None:
    found = obstacle(tmp_path, script(tmp_path, "a.py", f"#!{shebang}\n"))
    assert found.cause == f"{interpreter}, the interpreter of a.py, does not exist"


def test_a_shebang_of_env_with_options_is_explained(tmp_path: Path) -> None:
    found = obstacle(tmp_path, script(tmp_path, "a.sh", "#!/usr/bin/env bash -e\n"))
    assert "env -S bash -e" in found.hint


def test_a_relative_interpreter_is_explained(tmp_path: Path) -> None:
    found = obstacle(tmp_path, script(tmp_path, "a.py", "#!python3\n"))
    assert "not an absolute path" in found.cause
    assert "#!/usr/bin/env python3" in found.hint


@pytest.mark.parametrize(
    "options",
    [
        '-S "bash" -eu',
        "-S -u FOO bash",
        "-S -uSHELL bash",
        "-S A='b c' bash -e",
        "-Sbash -e",
        "-vS bash",
        "-S -i -- bash",
    ],
)
def test_the_program_is_found_behind_the_options_of_env(tmp_path: Path, options: str) -> None:
    launched = launch(tmp_path, script(tmp_path, "a.sh", f"#!/usr/bin/env {options}\necho ran\n"))
    assert os.path.basename(launched.interpreter) == "bash"
    assert output(launched) == "ran\n"


def test_a_crlf_that_is_meant_does_not_keep_a_shell_script_from_running(tmp_path: Path) -> None:
    text = b"#!/bin/sh\ncat <<END\nran\r\nEND\n"
    assert output(launch(tmp_path, script(tmp_path, "a.sh", text))) == "ran\n"
    mostly = b"echo\r\necho\r\nexit 0\n"
    assert obstacle(tmp_path, script(tmp_path, "b.sh", mostly)).cause == "CRLF line endings"


def test_blanks_in_a_shebang_do_not_matter(tmp_path: Path) -> None:
    assert output(launch(tmp_path, script(tmp_path, "a.sh", "#!  /bin/sh   \necho ran\n"))) == "ran\n"


# What is no file


@pytest.mark.parametrize("words", [(), ("bash",)])
def test_a_folder_a_fifo_and_a_link_to_itself_cannot_start_and_are_not_opened(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "folder.sh").mkdir()
    os.mkfifo(tmp_path / "fifo.sh")
    (tmp_path / "loop.sh").symlink_to("loop.sh")
    assert "folder" in obstacle(tmp_path, *words, "./folder.sh").cause
    assert "not a regular file" in obstacle(tmp_path, *words, "./fifo.sh").cause
    assert "cannot be run" in obstacle(tmp_path, *words, "./loop.sh").cause


# Complaints


def complaint_of(launched: Launch) -> str:
    done = subprocess.run(launched.argv, capture_output=True, text=True, env={"PATH": PATH, "LC_ALL": "C"})
    return done.stderr


@pytest.mark.parametrize("shell", ["bash", "sh"])
@pytest.mark.parametrize("text", ["if true; then\n", "fi\n", "echo 'open\n", "echo $(\n"])
def test_a_shells_complaint_about_the_script_is_known_and_confirmed(tmp_path: Path, shell: str, text: str) -> None:
    launched = launch(tmp_path, shell, script(tmp_path, "my guard.sh", text))
    check = syntax_check_for(launched, complaint_of(launched))
    assert check == (launched.interpreter, "-n", launched.script)
    assert subprocess.run(check, capture_output=True).returncode != 0


@pytest.mark.parametrize("text", ["echo no >&2; exit 2\n", "echo 'syntax error in your query' >&2; exit 2\n"])
def test_a_script_that_says_no_makes_no_complaint(tmp_path: Path, text: str) -> None:
    launched = launch(tmp_path, script(tmp_path, "a.sh", "#!/bin/sh\n" + text))
    assert complaint_of(launched)
    assert syntax_check_for(launched, complaint_of(launched)) is None


@pytest.mark.parametrize("words", ["your command has a syntax error", ".env: no such file or directory"])
def test_a_guard_that_speaks_of_errors_under_its_own_name_makes_no_complaint(tmp_path: Path, words: str) -> None:
    # bash reads no further than exit, and would complain of what follows.
    text = f'#!/bin/bash\necho "$0: {words}" >&2\nexit 2\nfi\n'
    launched = launch(tmp_path, script(tmp_path, "a.sh", text))
    assert words in complaint_of(launched)
    assert syntax_check_for(launched, complaint_of(launched)) is None


@pytest.mark.parametrize(
    "complaint",
    [
        ": line 2: syntax error: unexpected end of file",
        ': 2: Syntax error: end of file unexpected (expecting "fi")',
        ":2: parse error near `fi'",
        "[2]: syntax error: 'fi' unexpected",
        ": syntax error at line 2: `fi' unexpected",
        ": No such file or directory",
    ],
)
def test_the_complaint_of_every_shell_is_known(tmp_path: Path, complaint: str) -> None:
    launched = launch(tmp_path, script(tmp_path, "a.sh"))
    assert syntax_check_for(launched, launched.script + complaint)


def test_a_script_that_only_prints_a_complaint_is_acquitted_by_the_check(tmp_path: Path) -> None:
    launched = launch(tmp_path, script(tmp_path, "a.sh", '#!/bin/sh\necho "$0: line 1: syntax error" >&2\nexit 2\n'))
    check = syntax_check_for(launched, complaint_of(launched))
    assert check is not None
    assert subprocess.run(check).returncode == 0


def test_a_check_runs_nothing_of_the_script(tmp_path: Path) -> None:
    launched = launch(tmp_path, script(tmp_path, "a.sh", f"#!/bin/bash\ntouch {tmp_path}/ran\nfi\n"))
    check = syntax_check_for(launched, f"{launched.script}: line 3: syntax error near unexpected token `fi'")
    assert check is not None
    subprocess.run(check, capture_output=True)
    assert not (tmp_path / "ran").exists()
    subprocess.run(launched.argv, capture_output=True)
    assert (tmp_path / "ran").exists()


def test_pythons_complaint_about_the_script_is_confirmed_by_reading_it(tmp_path: Path) -> None:
    launched = launch(tmp_path, script(tmp_path, "a.py", "#!/usr/bin/env python3\nx = 1\nif:\n"))
    complaint = python_complaint(launched, complaint_of(launched))
    assert complaint.startswith("syntax error")
    assert "line 3" in complaint


def test_a_python_script_that_vanished_is_a_complaint(tmp_path: Path) -> None:
    launched = launch(tmp_path, "python3", script(tmp_path, "a.py", "pass\n"))
    os.unlink(launched.script)
    assert python_complaint(launched, complaint_of(launched)) == f"can't open {launched.script}"


def test_a_python_script_that_only_mentions_an_error_makes_no_complaint(tmp_path: Path) -> None:
    text = "import sys\nprint('SyntaxError: your JSON', file=sys.stderr)\nsys.exit(2)\n"
    launched = launch(tmp_path, "python3", script(tmp_path, "a.py", text))
    assert "SyntaxError" in complaint_of(launched)
    assert python_complaint(launched, complaint_of(launched)) == ""


def test_complaints_are_looked_for_only_where_the_interpreter_can_make_them(tmp_path: Path) -> None:
    text = "SyntaxError: x\n"
    shell = launch(tmp_path, "bash", script(tmp_path, "a.sh", "if\n"))
    python = launch(tmp_path, "python3", script(tmp_path, "a.py", "if:\n"))
    assert python_complaint(shell, text) == ""
    assert python_complaint(python, text)
    assert syntax_check_for(python, f"{python.script}: line 1: syntax error") is None
    assert syntax_check_for(shell, f"{shell.script}: line 1: syntax error")
    assert syntax_check_for(Launch(argv=("/bin/true",)), ": line 1: syntax error") is None


def test_a_launch_is_known_until_a_file_that_it_starts_is_another(tmp_path):
    script = tmp_path / "guard"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    launches, program = Launches("/usr/bin:/bin"), Program(words=(str(script),), folder=str(tmp_path))
    time.sleep(0.1)  # what has just been written may still change under the same stamp
    first = launches.of(program)
    assert isinstance(first, Launch)
    assert first.interpreter == "/bin/sh"
    assert launches.of(program) is first
    script.write_text("#!/usr/bin/env bash\n")
    second = launches.of(program)
    assert isinstance(second, Launch)
    assert second.interpreter.endswith("bash")


def test_a_file_that_was_just_written_is_looked_at_again(tmp_path):
    script = tmp_path / "guard"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    launches, program = Launches("/usr/bin:/bin"), Program(words=(str(script),), folder=str(tmp_path))
    assert launches.of(program) is not launches.of(program)
