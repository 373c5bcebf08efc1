"""A guard that was trusted and is not what it was: what it guarded is denied until that is settled."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from firing import BASH_GUARD, DENY, PASS, after_shell, before_shell, problems_of, ruling, the_outcome
from trusted import ALLOWED_BY_SILENCE, DENIED_BY_TRUST, trust

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.usefixtures("untrusting")

ALLOWED = (0, "allow", "guard")
FOLDER = ".claude/hooks/pre"
SAYS_ALLOW = 'echo \'{"decision": "allow"}\''
ALLOW = f"#!/bin/sh\n{SAYS_ALLOW}\n"
PYTHON = "#!/usr/bin/env python3\n"
PYTHON_ALLOWS = 'print(\'{"decision": "allow"}\')\n'


def before_write(cli) -> Any:
    return cli("emit", "pre", "--tool", "FileWrite", "--input", '{"path": "a"}', "--format", "json")


def replace_by_folder(path) -> None:
    path.unlink()
    path.mkdir()


def replace_by_link(path) -> None:
    other = path.with_name("other")
    other.write_text(PASS)
    other.chmod(0o755)
    path.unlink()
    path.symlink_to(other)


def replace_by_rename(path) -> None:
    other = path.with_name("other")
    other.write_text(PASS)
    other.chmod(0o755)
    os.replace(other, path)


def write(text: str) -> Callable[..., Any]:
    return lambda path: path.write_text(text)


WAYS = {
    "edited": write(PASS),
    "edited to refuse more": write(DENY),
    "made an observer": write(ALLOW.replace("\n", "\n# hookrun: role=observer\n", 1)),
    "made for another tool": write(ALLOW.replace("\n", "\n# hookrun: tool=Nothing\n", 1)),
    "made for another event": write(ALLOW.replace("\n", "\n# hookrun: event=SessionEnd\n", 1)),
    "a byte more": write(f"{ALLOW}\n"),
    "emptied": write(""),
    "deleted": lambda path: path.unlink(),
    "renamed": lambda path: path.rename(path.with_suffix(".bak")),
    "moved to another tool": lambda path: path.rename(path.with_name("nothing.sh")),
    "a folder": replace_by_folder,
    "a link to another": replace_by_link,
    "a link to nothing": lambda path: (path.unlink(), path.symlink_to("nothing")),
    "another, renamed": replace_by_rename,
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path)),
    "no shebang, not executable": lambda path: (path.write_text("exit 0\n"), path.chmod(0o644)),
    "its folder renamed": lambda path: path.parent.rename(path.parent.with_name("off")),
    "all folders renamed": lambda path: path.parents[2].rename(path.parents[2].with_name(".off")),
    "its folder a file": lambda path: (shutil.rmtree(path.parent), path.parent.write_text("")),
}


@pytest.mark.parametrize("change", WAYS.values(), ids=WAYS)
def test_a_changed_guard_denies_what_it_guarded_and_nothing_else(change, cli, project):
    path = project.script(BASH_GUARD, ALLOW)
    trust(cli)
    assert ruling(before_shell(cli)) == ALLOWED
    change(path)
    done = before_shell(cli)
    assert ruling(done) == DENIED_BY_TRUST
    assert BASH_GUARD in done.document["message"]
    assert ruling(before_write(cli)) == ALLOWED_BY_SILENCE


def test_a_guard_that_is_put_back_works(cli, project):
    path = project.script(BASH_GUARD, ALLOW)
    trust(cli)
    path.unlink()
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    project.script(BASH_GUARD, ALLOW)
    assert ruling(before_shell(cli)) == ALLOWED


def test_a_guard_that_is_trusted_again_works(cli, project):
    path = project.script(BASH_GUARD, PASS)
    trust(cli)
    path.write_text(ALLOW)
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    trust(cli)
    assert ruling(before_shell(cli)) == ALLOWED


def test_untrust_ends_what_a_missing_guard_denies(cli, project):
    path = project.script(BASH_GUARD, ALLOW)
    trust(cli)
    path.unlink()
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    assert cli("untrust", BASH_GUARD).code == 0
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o777])
def test_the_mode_alone_does_not_make_it_another_text(mode, cli, project):
    path = project.script(BASH_GUARD, ALLOW)
    trust(cli)
    path.chmod(mode)
    assert ruling(before_shell(cli)) == ALLOWED


def test_touching_it_does_not_make_it_another_text(cli, project):
    path = project.script(BASH_GUARD, ALLOW)
    trust(cli)
    os.utime(path, (1, 1))
    assert ruling(before_shell(cli)) == ALLOWED


NEIGHBOURS = {
    "bash, sourced": (f'#!/bin/bash\n. "$(dirname "$0")/lib.sh"\n{SAYS_ALLOW}\n', "lib.sh", "true\n"),
    "bash, sourced from a folder": (
        f'#!/bin/bash\nsource "${{BASH_SOURCE%/*}}/lib/common"\n{SAYS_ALLOW}\n',
        "lib/common",
        "true\n",
    ),
    "sh, called": (f'#!/bin/sh\n"$(dirname "$0")"/check.py\n{SAYS_ALLOW}\n', "check.py", PYTHON),
    "sourced by what is sourced": (f'#!/bin/bash\n. "$(dirname "$0")/first.sh"\n{SAYS_ALLOW}\n', "second.sh", "true\n"),
    "python, imported": (f"{PYTHON}import lib\n{PYTHON_ALLOWS}", "lib.py", "x = 1\n"),
    "python, from a package": (f"{PYTHON}from lib import x\n{PYTHON_ALLOWS}", "lib/x.py", ""),
    "python, within a function": (
        f"{PYTHON}def f():\n    from lib import (\n        x)\nf()\n{PYTHON_ALLOWS}",
        "lib.py",
        "x = 1\n",
    ),
    "node, required": (
        "#!/usr/bin/env node\nrequire('./lib');\nconsole.log('{\"decision\": \"allow\"}')\n",
        "lib.js",
        "\n",
    ),
    "files= of the header": (
        f"#!/bin/sh\n# hookrun: files=../../rules.txt\n{SAYS_ALLOW}\n",
        "../../rules.txt",
        "rules\n",
    ),
}


@pytest.mark.parametrize(("text", "name", "neighbour"), NEIGHBOURS.values(), ids=NEIGHBOURS)
@pytest.mark.parametrize("change", ["edited", "deleted"])
def test_an_edit_of_what_a_guard_uses_is_an_edit_of_the_guard(change, text, name, neighbour, cli, project):
    if "node" in text and not shutil.which("node"):
        pytest.skip("no node")
    project.script(BASH_GUARD, text)
    project.script(f"{FOLDER}/first.sh", '. "$(dirname "$0")/second.sh"\n', mode=0o644)
    path = project.script(f"{FOLDER}/{name}", neighbour, mode=0o644 if "bash" in text else 0o755)
    trust(cli, BASH_GUARD)
    assert ruling(before_shell(cli))[0] == 0
    if change == "edited":
        path.write_text(f"{neighbour}\n")
    else:
        path.unlink()
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    path.write_text(neighbour)
    assert ruling(before_shell(cli)) == ALLOWED


@pytest.mark.parametrize("name", ["json.py", "re/__init__.py", "lib.py"])
@pytest.mark.parametrize("language", ["python", "shell"])
def test_a_new_file_that_python_would_import_instead_is_a_change(language, name, cli, project):
    folder = "hooks-of-ours"
    project.script(
        f"{folder}/guard.py", f"import json\ntry:\n    import lib\nexcept ImportError: pass\n{PYTHON_ALLOWS}"
    )
    command = f'"$(dirname "$0")/../../../{folder}/guard.py"'
    text = f"#!/bin/sh\nexec python3 {command}\n"
    if language == "python":
        project.script(".hookrun/config.yaml", f"manifests: [{folder}/demo.json]\n")
        document = {
            "id": "demo",
            "name": "demo",
            "version": "1.0.0",
            "runtime": "script",
            "entry": "python3 guard.py",
            "permissions": ["*"],
            "contributes": {"hooks": [{"event": "PreToolUse"}]},
        }
        project.script(f"{folder}/demo.json", json.dumps(document))
    else:
        project.script(BASH_GUARD, text)
    trust(cli)
    assert ruling(before_shell(cli)) == ALLOWED
    path = project.script(f"{folder}/{name}", "raise SystemExit(0)\n", mode=0o644)
    done = before_shell(cli)
    assert ruling(done) == DENIED_BY_TRUST
    assert name in done.document["message"]
    path.unlink()
    assert ruling(before_shell(cli)) == ALLOWED


def test_a_new_file_that_nothing_uses_is_no_change(cli, project):
    project.script(BASH_GUARD, f"{PYTHON}import json\n{PYTHON_ALLOWS}")
    trust(cli)
    project.script(f"{FOLDER}/write.sh", DENY)
    project.script(f"{FOLDER}/notes.md", "x")
    assert ruling(before_shell(cli)) == ALLOWED


def test_a_changed_observer_is_skipped_and_that_is_said(cli, project):
    path = project.script(".claude/hooks/post/bash.sh", PASS)
    trust(cli)
    assert the_outcome(after_shell(cli))["status"] == "ran"
    path.write_text(DENY)
    done = after_shell(cli)
    assert ruling(done) == ALLOWED_BY_SILENCE
    assert the_outcome(done)["status"] == "untrusted"
    assert "changed since it was trusted: .claude/hooks/post/bash.sh" in problems_of(done)
    assert done.document["feedback"] == []
    trust(cli)
    assert after_shell(cli).document["feedback"]


def test_a_missing_observer_is_nothing(cli, project):
    path = project.script(".claude/hooks/post/bash.sh", DENY)
    trust(cli)
    path.unlink()
    done = after_shell(cli)
    assert ruling(done) == ALLOWED_BY_SILENCE
    assert done.document["problems"] == []


@pytest.mark.parametrize(
    "text",
    [
        'printf "#\\n" >>"$0"\nexit 0\n',
        'printf "#!/bin/sh\\nexit 0\\n" >"$0.new"; chmod +x "$0.new"; mv "$0.new" "$0"\n',
        'cp "$0" "$0.old"; printf "exit 0\\n" >"$0"; cat "$0.old" >"$0"; rm "$0.old"\n',
    ],
)
def test_a_guard_that_changes_while_it_runs_does_not_decide(text, cli, project):
    project.script(BASH_GUARD, f"#!/bin/sh\n{SAYS_ALLOW}\n{text}")
    trust(cli)
    done = before_shell(cli)
    assert ruling(done) == DENIED_BY_TRUST
    assert "changed while it ran" in done.document["message"]


def test_a_command_that_changes_while_it_runs_has_failed(cli, project):
    commands = [{"name": "c"}]
    project.manifest("demo", script='echo ran\nprintf "#\\n" >>"$PLUGIN_ROOT/hook.sh"\n', commands=commands)
    trust(cli)
    done = cli("run", "c")
    assert done.code != 0
    assert done.stdout == ""
    assert "changed while it ran" in done.stderr


def test_a_guard_that_writes_beside_itself_decides(cli, project):
    project.script(BASH_GUARD, f'#!/bin/sh\ndate >>"$0.state"\n{SAYS_ALLOW}\n')
    trust(cli)
    for _ in range(2):
        assert ruling(before_shell(cli)) == ALLOWED
