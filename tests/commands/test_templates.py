"""Hooks to begin with: which files they are, and that writing them never costs a file."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from hookrun.commands.new import bundled_folder, templates, write_template
from hookrun.model.errors import HookrunError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def bundled(tmp_path: Path) -> Path:
    """A bundled hook whose script imports a neighbour, which imports another and calls a third."""
    folder = tmp_path / "bundled"
    (folder / "manifests").mkdir(parents=True)
    (folder / "scripts").mkdir()
    manifest = {
        "id": "guard",
        "description": "Guards",
        "entry": "python3 ../scripts/guard.py",
        "contributes": {"hooks": [{"event": "PreToolUse", "matcher": "Shell*|Bash"}]},
    }
    (folder / "manifests/guard.json").write_text(json.dumps(manifest))
    scripts = {
        "guard.py": "import json\nfrom words import split\n",
        "words.py": 'def split():\n    import more\n    run(f"{here}/called.sh")\n',
        "more.py": "import guard\n",
        "called.sh": "#!/bin/sh\n",
        "other.py": "import words\n",
    }
    for name, text in scripts.items():
        (folder / "scripts" / name).write_text(text)
    (folder / "scripts/called.sh").chmod(0o755)
    return folder


def template_named(name: str, folder: Path):
    return next(template for template in templates(str(folder)) if template.name == name)


def test_a_bundled_hook_brings_its_scripts_and_what_they_need(bundled: Path, tmp_path: Path):
    target = tmp_path / "project"
    template = template_named("guard", bundled)
    written = write_template(template, str(target))
    assert {os.path.relpath(path, target) for path in written} == {
        "manifests/guard.json",
        "scripts/guard.py",
        "scripts/words.py",
        "scripts/more.py",
        "scripts/called.sh",
    }
    assert (target / "scripts/words.py").read_bytes() == (bundled / "scripts/words.py").read_bytes()
    assert os.access(target / "scripts/called.sh", os.X_OK)
    assert not os.access(target / "scripts/guard.py", os.X_OK)
    assert template.attempt == "hookrun explain PreToolUse --tool Shell"


def test_a_neighbour_that_is_there_already_and_the_same_is_left(bundled: Path, tmp_path: Path):
    (tmp_path / "project/scripts").mkdir(parents=True)
    shutil.copy(bundled / "scripts/words.py", tmp_path / "project/scripts/words.py")
    written = write_template(template_named("guard", bundled), str(tmp_path / "project"))
    assert len(written) == 4
    assert str(tmp_path / "project/scripts/words.py") not in written


def test_a_file_that_differs_stops_everything_before_anything_is_written(bundled: Path, tmp_path: Path):
    mine = tmp_path / "project/scripts/more.py"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    with pytest.raises(HookrunError) as caught:
        write_template(template_named("guard", bundled), str(tmp_path / "project"))
    assert (caught.value.where, caught.value.exit_code) == (str(mine), 1)
    assert caught.value.hint
    assert [str(path) for path in (tmp_path / "project").rglob("*") if path.is_file()] == [str(mine)]
    assert mine.read_text() == "mine"


def test_a_dangling_link_counts_as_a_file(bundled: Path, tmp_path: Path):
    link = tmp_path / "project/scripts/more.py"
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(HookrunError):
        write_template(template_named("guard", bundled), str(tmp_path / "project"))
    assert not (tmp_path / "elsewhere").exists()


def test_a_write_that_fails_takes_back_what_was_written(bundled: Path, tmp_path: Path):
    (tmp_path / "project").mkdir()
    (tmp_path / "project/scripts").write_text("a file where a folder is needed")
    with pytest.raises(OSError, match=r"exists|directory"):
        write_template(template_named("guard", bundled), str(tmp_path / "project"))
    assert [path.name for path in (tmp_path / "project").rglob("*") if path.is_file()] == ["scripts"]


def test_the_checkout_has_its_bundled_hooks_beside_the_package():
    folder = bundled_folder()
    assert os.path.isdir(os.path.join(folder, "manifests"))
    assert os.path.isdir(os.path.join(folder, "scripts"))
