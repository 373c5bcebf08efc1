"""Limits of the system under which hookrun runs: too little of anything denies, or leaves the decision."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from injected import GUARDS, HEADLINES, RULINGS, Fault, emit_under, hinting_guard

if TYPE_CHECKING:
    from collections.abc import Mapping

    from command import Project


BY_RECORD: dict[str, str | None] = {"HOOKRUN_TRUST": None}


def limited(option: str, amount: int) -> Fault:
    """A shell's limit around the command, which has to read what is trusted."""
    return Fault(env=BY_RECORD, prefix=("sh", "-c", f'ulimit {option} {amount} && exec "$@"', "sh"))


def trusted_guard(project: Project, environment: Mapping[str, str], guard: str) -> None:
    """Write a guard, and trust it."""
    hinting_guard(project, guard)
    assert emit_under(Fault(env=BY_RECORD), project, environment, event=("trust", "--yes")).code == 0


@pytest.mark.parametrize("guard", GUARDS)
def test_any_limit_of_open_files_denies_or_leaves_the_decision(project, user_environment, guard):
    trusted_guard(project, user_environment, guard)
    endings = {}
    for descriptors in (5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 24, 32, 64):
        ended = emit_under(limited("-n", descriptors), project, user_environment)
        if ended.stdout.startswith(HEADLINES[guard]):
            assert ended.code == RULINGS[guard][0]
        else:
            assert ended.code == 2, descriptors
            assert "open files" in (ended.stdout + ended.stderr)
        endings[descriptors] = ended.stdout.startswith(HEADLINES[guard])
    assert (endings[5], endings[10], endings[64]) == (False, False, True)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux heeds a limit of memory")
@pytest.mark.parametrize("guard", GUARDS)
def test_any_limit_of_memory_denies_or_leaves_the_decision(project, user_environment, guard):
    trusted_guard(project, user_environment, guard)
    said = set()
    for kilobytes in (*range(9_000, 40_000, 800), 60_000, 120_000):
        ended = emit_under(limited("-v", kilobytes), project, user_environment)
        if ended.stdout.startswith(HEADLINES[guard]):
            assert ended.code == RULINGS[guard][0]
            said.add("decided")
        elif ended.code == 2:
            assert ended.stdout.startswith("deny") or ended.stderr.startswith("error: "), kilobytes
            said.add("denied")
        else:  # Python could not even begin, and nothing of hookrun has run
            assert ended.code != 0, kilobytes
    assert said == {"decided", "denied"}
