"""xcsh's settings of hooks: what they hold, what becomes of an answer, how hookrun is installed."""

from __future__ import annotations

from hookrun.agents.settings import Installation

INSTALLATION = Installation(
    agent="xcsh",
    shape="",
    folders=(".xcsh",),
    home_folders=(".xcsh",),
    programs=("xcsh",),
    advice=("nothing to install: it has no settings for commands, and loads hook modules itself",),
)
