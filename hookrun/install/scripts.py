"""Agents whose hooks are executables named by event: ours, told by a line of their own. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from hookrun.agents.settings import Installation
from hookrun.install.entries import command, wired_events
from hookrun.sources.agent_settings.commands import only_asks_hookrun


def script_texts(wiring: Installation, with_agents: Sequence[str]) -> dict[str, str]:
    """Return the text of each event's executable."""
    beginning = f"#!/bin/sh\n{_mark(wiring)}\n"
    return {own: f"{beginning}{command(wiring, own, with_agents)}\n" for own in wired_events(wiring)}


def is_our_script(text: str, wiring: Installation) -> bool:
    """Say whether hookrun wrote the executable."""
    return _mark(wiring) in text.splitlines()[:2]


def is_untouched(text: str, wiring: Installation) -> bool:
    """Say whether the executable is as this hookrun or an older one wrote it, whatever --with was."""
    beginning, _, body = text.partition(f"{_mark(wiring)}\n")
    return beginning == "#!/bin/sh\n" and only_asks_hookrun(body.removesuffix("\n"), wiring.agent)


def _mark(wiring: Installation) -> str:
    return f"# put here by `hookrun install {wiring.agent}`, taken out by `hookrun uninstall {wiring.agent}`"
