"""Cline's settings of hooks: what they hold, what becomes of an answer, how hookrun is installed."""

from __future__ import annotations

from hookrun.agents.settings import AFTER, BEFORE, MESSAGE, PROMPT, TEXT, Installation, Settings, effect, exits, says

SETTINGS = Settings(
    agent="cline",
    are_executables=True,
    title="Cline",
    read_in="its source (hook-factory.ts of the extension)",
    seconds=30.0,
    refusal_hint='print {"cancel": true, "errorMessage": "..."} and nothing else',
    strictness=(
        "a file that is called like no event is passed over; one that is not executable runs in the CLI (3.0.65), "
        "and VS Code passes over it"
    ),
    effects=(
        effect(
            (*BEFORE, *PROMPT),
            '"cancel": true',
            "it does not happen, errorMessage says why",
            "",
            says('{"cancel": true, "errorMessage": "why"}'),
        ),
        effect(
            (*BEFORE, *PROMPT), "exit 1 or 2 without JSON", "the hook failed: it goes on", "trap", exits(1), exits(2)
        ),
        effect((*BEFORE, *PROMPT), "output that is not JSON", "the hook failed: it goes on", "trap", says(TEXT)),
        effect(
            (*BEFORE, *PROMPT),
            "text before or after the JSON",
            "VS Code takes the last object, the CLI ignores it all and goes on",
            "trap",
            says('checking {"cancel": true, "errorMessage": "why"}'),
        ),
        effect(
            (*BEFORE, *AFTER), "contextModification", "the model", "measured", says('{"contextModification": "look"}')
        ),
        effect(
            ("SessionStart",),
            '"cancel": true, contextModification',
            "no one: the CLI does not wait for TaskStart",
            "measured",
            says('{"contextModification": "look"}'),
        ),
    ),
)
INSTALLATION = Installation(
    agent="cline",
    shape="executables",
    project=".clinerules/hooks",
    user="Documents/Cline/Hooks",
    timeouts=None,
    denials={
        "PreToolUse": (f'{{"cancel": true, "errorMessage": "{MESSAGE}"}}', 0),
        "UserPromptSubmit": (f'{{"cancel": true, "errorMessage": "{MESSAGE}"}}', 0),
    },
    neutral='{"cancel": false}',
    covered=("tool_call", "tool_result", "agent_end"),
    folders=(".clinerules", ".cline"),
    home_folders=("Documents/Cline", ".cline"),
    programs=("cline",),
    advice=("hooks must be enabled in Cline's settings",),
)
