"""Agents whose hooks are executables named by event: ours, told by a line of their own. Pure."""

from __future__ import annotations

from hookrun.faces.install.entries import is_ours, steps, wired_events

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookrun.faces.install.wirings import Wiring


def script_texts(wiring: Wiring, with_agents: Sequence[str]) -> dict[str, str]:
    """Return the text of each event's executable."""
    return {
        own: "".join(f"{line}\n" for line in ("#!/bin/sh", _mark(wiring), *steps(wiring, own, with_agents)))
        for own in wired_events(wiring)
    }


def is_our_script(text: str, wiring: Wiring) -> bool:
    """Say whether hookrun wrote the executable."""
    return _mark(wiring) in text.splitlines()[:2]


def is_untouched(text: str, wiring: Wiring, event: str) -> bool:
    """Say whether the executable is as hookrun wrote it, whatever --with was."""
    lines, wanted = text.splitlines(), script_texts(wiring, ())[event].splitlines()
    return lines[:-1] == wanted[:-1] and lines[-1].startswith(wanted[-1]) and is_ours(lines[-1], wiring.agent)


def _mark(wiring: Wiring) -> str:
    return f"# put here by `hookrun install {wiring.agent}`, taken out by `hookrun uninstall {wiring.agent}`"
