"""Qwen Code's settings of hooks: what they hold, what becomes of an answer, how hookrun is installed."""

from __future__ import annotations

from hookrun.agents.settings import (
    BEFORE,
    BLOCK,
    CLAUDE_ABOUT,
    CLAUDE_KEYS,
    COMMAND,
    DENY,
    DENY_AT_TOP,
    NEW_SESSION,
    RUNS,
    STOPS,
    TEXT,
    Installation,
    Settings,
    Switch,
    effect,
    exits,
    says,
)
from hookrun.matching.agent_rules import MatcherRule

_FILE = ".qwen/settings.json"
SETTINGS = Settings(
    agent="qwen",
    title="Qwen Code",
    read_in="its source (0.24.4)",
    unknown_here=("PostToolBatch", "InstructionsLoaded", "MessageDisplay"),
    milliseconds=True,
    seconds_below=1000,  # 1000 and more are read as milliseconds (0.24.4: documented, 3000 measured)
    shell=("bash", "-c"),
    about=CLAUDE_ABOUT,
    # Its display names and Claude's are other names of its tools (0.24.4, read).
    matcher=MatcherRule(
        trims=True,
        also={
            "run_shell_command": ("Shell", "ShellTool", "Bash"),
            "edit": ("Edit", "EditTool", "Replace"),
            "write_file": ("WriteFile", "WriteFileTool", "Write"),
            "read_file": ("ReadFile", "ReadFileTool", "Read"),
            "read_many_files": ("ReadManyFiles",),
            "grep_search": ("Grep", "SearchText", "GrepTool"),
            "glob": ("Glob", "FindFiles", "GlobTool"),
            "list_directory": ("ListFiles", "ReadFolder", "LS"),
            "web_fetch": ("WebFetch",),
            "web_search": ("WebSearch",),
            "todo_write": ("TodoWrite",),
            "task": ("Task", "Agent"),
            "skill": ("Skill",),
        },
    ),
    handler_keys=(*CLAUDE_KEYS, "env"),
    group_keys=("matcher", "hooks", "sequential", "description"),
    effects=(
        effect(
            BEFORE,
            "permissionDecision deny, decision deny or block, exit 2 with a text",
            STOPS,
            "measured",
            says(DENY),
            says(DENY_AT_TOP),
            says(BLOCK),
            exits(2),
        ),
        effect(BEFORE, "exit 2 without a text", f"blocks nothing: {RUNS}", "trap measured", exits(2, "")),
        effect(BEFORE, "any other exit code", RUNS, "trap measured", exits(1)),
        effect(BEFORE, "text around the JSON", f"the JSON is ignored: {RUNS}", "trap measured", says(f"hm {DENY}")),
        effect((), "other text", "the user", "", says(TEXT)),
    ),
)
INSTALLATION = Installation(
    agent="qwen",
    switches=(Switch(key="disableAllHooks", off=True, user=(_FILE,), project=(_FILE,)),),
    project=".qwen/settings.json",
    user=".qwen/settings.json",
    has_comments=True,
    timeouts=("timeout", 1000),
    matcher="*",
    handler={"name": "hookrun", **COMMAND},
    folders=(".qwen",),
    home_folders=(".qwen",),
    programs=("qwen",),
    advice=(NEW_SESSION,),
)
