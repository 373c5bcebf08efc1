"""What the README and docs/ show is run, and its output compared with what they show.

A comment before each fenced block says what it is:

    <!-- run: checkout -->      in a fresh copy of this project's own hooks
    <!-- run: empty -->         in a fresh project without any hooks
    <!-- run: same -->          where the block before it ran
    <!-- run: ci, WHICH -->     .ci/run runs it (the README's set-up and tests)
    <!-- output: WHICH -->      what the last command of that block prints in a copy of this project
    <!-- run: no, REASON -->    it cannot run here
    <!-- file: PATH -->         a file that the next block that runs will find at PATH

Nothing is trusted in a fresh project, as for a reader: a document shows its own `hookrun trust`.
A console block is run line by line (`$ ` a command, `> ` its next line) in one shell; what follows a
command is its output, stdout and stderr, where a line `...` stands for any lines. Times, ids and the
home folder are compared as `N ms`, `ID` and `~`. A python block is a program. Text blocks are free.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CHECKOUT = Path(__file__).resolve().parent.parent
GUIDES = sorted(CHECKOUT.glob("docs/**/*.md"))
DOCUMENTS = [path for path in [CHECKOUT / "README.md", *GUIDES] if path.exists()]
END_OF_COMMAND = "\x1e"  # no command prints it


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_what_a_document_shows_is_what_happens(document: Path, tmp_path: Path):
    found = differences(document.read_text(), tmp_path)
    assert not found, "\n\n".join(found)


TRUE_DOCUMENT = """
<!-- file: .hookrun/hooks/post/write.sh -->
```sh
echo "wrote in 1.2 ms"
```

<!-- run: empty -->
```console
$ ls .hookrun/hooks/post
write.sh
$ .hookrun/hooks/post/write.sh; \\
> false
wrote in 3 ms
$ echo "$? in $PWD, 0a1b2c3d"
1 in ~/project, 4d5e6f70
$ seq 9
1
...
9
```
Then, with `export`:

<!-- run: same -->
```python
import hookrun, os
assert os.listdir(".hookrun/hooks/post") == ["write.sh"]
```

<!-- run: checkout -->
```console
$ ls -d manifests scripts .hookrun
...
manifests
scripts
```

<!-- run: no, it needs an agent -->
```console
$ false
```

<!-- run: ci, set up -->
```sh
false
.venv/bin/python -c 'print(6 * 7)' \
    "an argument"
```

<!-- output: set up -->
```console
42
```

```text
anything
```
"""


def test_a_true_document_has_no_differences(tmp_path: Path):
    assert differences(TRUE_DOCUMENT, tmp_path) == []


@pytest.mark.parametrize(
    ("shown", "meant", "complaint"),
    [
        ("wrote in 3 ms", "wrote in 3 s", "line 11: $ .hookrun/hooks/post/write.sh; \\\nfalse\nshown:"),
        ("1\n...\n9", "1\n...\n8", "line 16: $ seq 9\nshown:"),
        ("1\n...\n9", "", "line 16: $ seq 9\nshown:"),
        ('["write.sh"]', "[]", "line 24: the program fails\n"),
        ("<!-- run: same -->\n", "", "line 23: a python block, and no comment says what it is"),
        ("<!-- run: same -->", "<!-- run: often -->", "line 24: cannot run it `often`"),
        ("run: no, it needs an agent", "run: no", "line 38: cannot run it `no`"),
        ("```text", "```", "line 53: a block without a language, or without an end"),
        ("<!-- run: empty -->", "<!-- run: same -->", "line 8: nothing ran before it"),
        ("```text", "<!-- file: a.json -->\n```json", "line 54: no block that runs follows a.json"),
        ("\n42\n", "\n41\n", "line 49: $ python -c 'print(6 * 7)'     \"an argument\"\nshown:\n41\nreal:"),
        ("output: set up", "output: tests", "line 49: no block before it is `run: ci, tests`"),
    ],
)
def test_a_document_that_is_wrong_is_found(tmp_path: Path, shown: str, meant: str, complaint: str):
    assert shown in TRUE_DOCUMENT
    found = differences(TRUE_DOCUMENT.replace(shown, meant, 1), tmp_path)
    assert found[0].startswith(complaint)


class Block:
    """One fenced block: its line, its language, the key and value of the comment before it, its lines."""

    def __init__(self, line: int, language: str, key: str, value: str) -> None:
        self.line, self.language, self.key, self.value = line, language, key, value
        self.lines: list[str] = []

    @property
    def runs(self) -> bool:
        return self.key == "run" and self.value in ("checkout", "empty", "same")


def differences(text: str, folder: Path) -> list[str]:
    """Run a document's blocks in projects below *folder*; return what is not as shown, each with its line."""
    found: list[str] = []
    files: list[Block] = []
    project: Path | None = None
    in_ci: dict[str, Block] = {}
    for block in blocks_of(text):
        complaint = flaw(block, project, in_ci)
        if complaint:
            found.append(f"line {block.line}: {complaint}")
        elif block.key == "file":
            files.append(block)
        elif block.key == "output":
            checkout = new_project(folder / str(block.line), "checkout")
            found += run_console(output_as_console(block, in_ci[block.value]), checkout)
        elif block.value.startswith("ci, "):
            in_ci[block.value.removeprefix("ci, ")] = block
        elif block.runs:
            if project is None or block.value != "same":
                project = new_project(folder / str(block.line), block.value)
            while files:
                write(files.pop(0), project)
            found += run_python(block, project) if block.language == "python" else run_console(block, project)
    return found + [f"line {file.line}: no block that runs follows {file.value}" for file in files]


def blocks_of(text: str) -> Iterator[Block]:
    block: Block | None = None
    key = value = indent = ""
    for number, line in enumerate(text.splitlines(), 1):
        if block is not None and line.strip() == "```":
            yield block
            block = None
        elif block is not None:
            block.lines.append(line.removeprefix(indent))
        elif line.lstrip().startswith(("```", "~~~")):
            indent = line[: len(line) - len(line.lstrip())]
            block = Block(number, line.strip(" `~"), key, value)
        if match := re.fullmatch(r"\s*<!-- (run|file|output): (.+) -->", line):
            key, value = match[1], match[2]
        elif line.strip():
            key = value = ""
    if block is not None:
        yield Block(block.line, "", "", "")


def output_as_console(output: Block, commands: Block) -> Block:
    """Return the last command of *commands* with its *output* as one console block."""
    command = "\n".join(commands.lines).replace("\\\n", "").splitlines()[-1]
    console = Block(output.line - 1, "console", "run", "checkout")
    console.lines = [f"$ {command.replace('.venv/bin/', '')}", *output.lines]
    return console


def flaw(block: Block, project: Path | None, in_ci: Mapping[str, Block]) -> str:
    """Return why *block* cannot be tested, or ""."""
    if not block.language:
        return "a block without a language, or without an end"
    if not block.key:
        return "" if block.language == "text" else f"a {block.language} block, and no comment says what it is"
    if block.key == "output" and block.value not in in_ci:
        return f"no block before it is `run: ci, {block.value}`"
    if block.key == "run" and not block.runs and not re.fullmatch(r"(no|ci), .+", block.value):
        return f"cannot run it `{block.value}`"
    if block.runs and block.language not in ("console", "python"):
        return f"a {block.language} block does not run: make it console or python, or a file"
    if block.runs and block.value == "same" and project is None:
        return "nothing ran before it"
    return ""


def new_project(home: Path, kind: str) -> Path:
    """Return a project in its own *home*: an empty one, or one with this checkout's hooks."""
    project = home / "project"
    (project / ".git").mkdir(parents=True)
    if kind == "checkout":
        for name in ("pyproject.toml", "LICENSE"):
            shutil.copy(CHECKOUT / name, project)
        for folder in ("manifests", "scripts"):
            shutil.copytree(CHECKOUT / folder, project / folder)
    return project


def write(file: Block, project: Path) -> None:
    path = project / file.value
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in file.lines))
    if file.language == "sh" or file.lines[0].startswith("#!"):
        path.chmod(0o755)


def run_python(block: Block, project: Path) -> list[str]:
    done = run([sys.executable, "-c", "\n".join(block.lines)], project)
    return [f"line {block.line}: the program fails\n{done.stdout}"] if done.returncode else []


def run_console(block: Block, project: Path) -> list[str]:
    """Run all commands of *block* in one shell, for `cd`, `export` and `$?`."""
    steps = list(steps_of(block))
    script = [f"{command}\n(status=$?; printf '{END_OF_COMMAND}'; exit $status)\n" for _, command, _ in steps]
    outputs = run(["bash", "-c", "".join(script)], project).stdout.split(END_OF_COMMAND)
    found = []
    for (line, command, shown), output in zip(steps, outputs, strict=False):
        real = normal(output, project.parent)
        if not is_shown(normal(shown, project.parent), real):
            found.append(f"line {line}: $ {command}\nshown:\n{shown}\nreal:\n{real}")
    if len(outputs) != len(steps) + 1:
        found.append(f"line {block.line}: the shell ended before its last command")
    return found


def steps_of(block: Block) -> Iterator[tuple[int, str, str]]:
    """Yield (line, command, output shown) for each command."""
    text = "\n".join(block.lines)
    for match in re.finditer(r"^\$ (.*(?:\n> .*)*)((?:\n(?!\$ ).*)*)", text, re.MULTILINE):
        line = block.line + 1 + text.count("\n", 0, match.start())
        yield line, match[1].replace("\n> ", "\n"), match[2].removeprefix("\n")


def run(words: list[str], project: Path) -> subprocess.CompletedProcess[str]:
    """Run *words* as a user whose home is the folder above *project*; stdout and stderr come as one."""
    environ = {
        "HOME": str(project.parent),
        "TMPDIR": str(project.parent),
        "PATH": os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]]),
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "80",
    }
    return subprocess.run(
        words,
        cwd=project,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )


def normal(text: str, home: Path) -> str:
    text = text.replace(str(home), "~")
    text = re.sub(r" *\b\d+(\.\d+)? ms\b", " N ms", text)
    text = re.sub(r'(_ms": )\d+(\.\d+)?', r"\1N", text)
    text = re.sub(r"\b(?:[0-9a-f]{8}){1,4}\b", "ID", text)
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def is_shown(shown: str, real: str) -> bool:
    lines = ["(?:.*\n)*" if line == "..." else re.escape(f"{line}\n") for line in shown.splitlines()]
    return re.fullmatch("".join(lines), real) is not None


def test_each_page_that_hookrun_names_is_there_and_in_the_wheel():
    """A hint that names a page is of use to somebody who has no checkout as well."""
    sources = [path.read_text() for path in CHECKOUT.glob("hookrun/**/*.py")]
    named = {page for text in sources for page in re.findall(r"\bdocs/[\w/-]+\.md", text)}
    assert {"docs/config.md", "docs/install.md"} <= named
    assert [page for page in sorted(named) if not (CHECKOUT / page).is_file()] == []
    with open(CHECKOUT / "pyproject.toml", "rb") as file:
        wheel = tomllib.load(file)["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["force-include"]["docs"] == "hookrun/docs"
