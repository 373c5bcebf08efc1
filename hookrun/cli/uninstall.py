"""`hookrun uninstall`: the bridge, taken out of the settings of agents."""

from __future__ import annotations

import os
from typing import Any

from hookrun.cli import output
from hookrun.cli.install import known_agents, tell
from hookrun.install import NOTHING, find_place, installations, uninstall_agent
from hookrun.model import constants
from hookrun.runner import require_person


def run(values: dict[str, Any]) -> int:
    """Take our entries out of the named agents' settings, or all of them; for people, not for agents."""
    place = find_place(os.getcwd(), values["project"] or "")
    require_person(place.environ, "remove hookrun from agents")
    level = constants.USER if values["user"] else constants.PROJECT
    agents = known_agents(values["agents"]) or tuple(wiring.agent for wiring in installations())
    steps = [uninstall_agent(agent, place, level, is_dry_run=values["dry_run"]) for agent in agents]
    code = tell(steps, place, level, values)
    is_nothing = all(file.state == NOTHING for step in steps for file in step.files)
    if is_nothing and not values["agents"] and values["format"] == "text":
        output.write("no agent's settings here contain hookrun\n")
    return code
