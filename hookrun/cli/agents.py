"""`hookrun agents`: what each agent can do with a decision, event by event."""

from __future__ import annotations

from typing import Any

from hookrun.cli import output
from hookrun.commands.agents import agent_rows, agents_document, chosen_agents, effect_rows, how_known
from hookrun.model import constants
from hookrun.model.width import in_columns


def run(values: dict[str, Any]) -> int:
    """Print the matrix of the agents that were named, or of all."""
    tables = chosen_agents(values["agents"] or ())
    if values["format"] == "json":
        output.write_json(agents_document(tables))
        return constants.EXIT_OK
    lines: list[str] = []
    for table in tables:
        rows = in_columns(agent_rows(table, in_full=values["verbose"]))
        lines += [f"{table.name}: {table.title}", *(f"  {row}" for row in rows), f"  {how_known(table)}", ""]
        effects = in_columns(effect_rows(table)) if values["agents"] else []
        lines += [*(f"  {row}" for row in effects), *([""] if effects else [])]
    lines.append("* measured with the real client, the rest is read in its documents or sources")
    output.write("".join(f"{line}\n" for line in lines))
    return constants.EXIT_OK
