"""Files that live as long as one run, and what another run removes of them."""

from __future__ import annotations

import os

from hookrun.running.private_files import PrivateFiles, sweep


def test_a_run_that_lives_keeps_its_files_and_one_that_ended_does_not(tmp_path):
    runtime = str(tmp_path / "runtime")
    files = PrivateFiles(runtime)
    path = files.keep("value", b"x")
    dead = os.path.join(runtime, "run-dead")
    os.mkdir(dead)
    assert sweep(runtime) == 1
    assert sweep(runtime) == 0
    assert os.path.exists(path)
    assert not os.path.exists(dead)
    files.close()
    assert os.listdir(runtime) == []


def test_a_folder_that_others_can_write_to_is_not_swept(tmp_path):
    (tmp_path / "run-dead").mkdir()
    tmp_path.chmod(0o777)
    assert sweep(str(tmp_path)) == 0
    assert (tmp_path / "run-dead").exists()
