"""Records of trust that are damaged: hookrun cannot tell what is trusted, so guarded events are denied."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest
from injected import GUARDS, HEADLINES, RULINGS, Fault, bound_by_modes, emit_under, hinting_guard

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TRUST = ("trust", "--yes")
BY_RECORD: dict[str, str | None] = {"HOOKRUN_TRUST": None}


@pytest.fixture(params=GUARDS)
def guard(request, project, user_environment) -> str:
    """A guard that was trusted, and what it says."""
    hinting_guard(project, request.param)
    assert emit_under(Fault(env=BY_RECORD), project, user_environment, event=TRUST).code == 0
    ended = emit_under(Fault(env=BY_RECORD), project, user_environment)
    assert (ended.code, ended.stdout.startswith(HEADLINES[request.param])) == (RULINGS[request.param][0], True)
    return request.param


def records(damage: Callable[[Path], object]) -> Callable[[Path], None]:
    """What does *damage* to every record in the folder of trust."""

    def damage_all(trust: Path) -> None:
        found = list(trust.glob("*.json"))
        assert found
        for record in found:
            damage(record)

    return damage_all


def replaced(make: Callable[[Path], object]) -> Callable[[Path], None]:
    """What puts something else in the place of every record."""
    return records(lambda record: (record.unlink(), make(record)))


def a_file_for(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("")


DAMAGES: dict[str, Callable[[Path], object]] = {
    "nonsense": records(lambda record: record.write_bytes(b"nonsense\0")),
    "nothing": records(lambda record: record.write_bytes(b"")),
    "half": records(lambda record: os.truncate(record, record.stat().st_size // 2)),
    "a list": records(lambda record: record.write_text("[1]")),
    "an empty object": records(lambda record: record.write_text("{}")),
    "a folder": replaced(os.mkdir),
    "a pipe": replaced(os.mkfifo),
    "a link to itself": replaced(lambda record: record.symlink_to(record)),
    "open to others": records(lambda record: record.chmod(0o666)),
    "not to be read": records(lambda record: record.chmod(0)),
    "not to be reached": lambda trust: trust.chmod(0),
    "in a file": a_file_for,
    "in a state folder that is a file": lambda trust: a_file_for(trust.parent),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_records_that_cannot_be_read_deny_and_are_named(project, user_environment, guard, damage):
    trust = project.home / ".local/state/hookrun/trust"
    damage(trust)
    fault = Fault(env=BY_RECORD, prefix=bound_by_modes())
    try:
        ended = emit_under(fault, project, user_environment)
    finally:
        if trust.is_dir():
            trust.chmod(0o700)
    assert ended.code == 2
    assert ended.stdout.startswith("deny (by trust)")
    assert f"{trust}/" in ended.stdout


def a_state_that_only_can_be_read(state: Path) -> None:
    state.chmod(0o500)


def a_corrupt_database(state: Path) -> None:
    (state / "state.sqlite3").write_bytes(b"nonsense" * 1000)


def no_texts_of_what_was_trusted(state: Path) -> None:
    shutil.rmtree(state / "trust/texts")


@pytest.mark.parametrize("damage", [a_state_that_only_can_be_read, a_corrupt_database, no_texts_of_what_was_trusted])
def test_what_else_is_wrong_with_the_state_leaves_trust_and_decision(project, user_environment, guard, damage):
    damage(project.home / ".local/state/hookrun")
    fault = Fault(env=BY_RECORD, prefix=bound_by_modes())
    ended = emit_under(fault, project, user_environment)
    assert (ended.code, ended.stdout.startswith(HEADLINES[guard])) == (RULINGS[guard][0], True)


def test_a_state_that_is_gone_has_trusted_nothing_and_it_is_said(project, user_environment, guard):
    shutil.rmtree(project.home / ".local/state")
    ended = emit_under(Fault(env=BY_RECORD), project, user_environment)
    assert (ended.code, ended.stdout) == (0, "no decision: 0 of 2 hooks matched (2 untrusted)\n")
    assert "2 hooks are not trusted and do not run" in ended.stderr
