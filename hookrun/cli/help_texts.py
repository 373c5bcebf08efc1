"""How `hookrun --help` groups the commands, and an example of each; read for help only."""

from __future__ import annotations

GROUPS = {
    "Set up hooks": ("new", "trust", "untrust", "import"),
    "See what they would do": ("list", "explain", "validate", "doctor", "watch"),
    "Run them": ("emit", "hints", "widgets", "run"),
    "In your agents": ("install", "uninstall", "agents", "bridge"),
}
EXAMPLES = {
    "emit": (
        """hookrun emit PreToolUse --tool Bash --input '{"command": "git push -f"}'""",
        "hookrun emit post --tool FileReplace --input @edit.json --hints",
        """hookrun emit prompt --prompt 'deploy it' --expect deny""",
    ),
    "hints": ("hookrun hints", "hookrun hints --session s1 --peek"),
    "list": ("hookrun list", "hookrun list --event pre --tool Bash", "hookrun list --format json"),
    "explain": (
        """hookrun explain pre --tool Bash --input '{"command": "ls"}'""",
        "hookrun explain pre --tool Edit --as claude",
    ),
    "doctor": ("hookrun doctor",),
    "install": ("hookrun install", "hookrun install claude codex --dry-run", "hookrun install gemini --user"),
    "uninstall": ("hookrun uninstall claude",),
    "import": ("hookrun import claude --dry-run", "hookrun import claude"),
    "new": ("hookrun new", "hookrun new guard-shell", "hookrun new module"),
    "trust": ("hookrun trust", "hookrun trust .claude/hooks/pre/bash.sh --show", "hookrun trust --list"),
    "untrust": ("hookrun untrust .claude/hooks/pre/bash.sh",),
    "widgets": ("hookrun widgets", "hookrun widgets --slot infoBar --width 40"),
    "run": ("hookrun run", "hookrun run review --since main"),
    "agents": ("hookrun agents", "hookrun agents claude codex"),
    "bridge": ("hookrun bridge claude < event.json",),
    "watch": ("hookrun watch", """hookrun watch -- emit pre --tool Bash --input '{"command": "ls"}'"""),
    "validate": ("hookrun validate", "hookrun validate .hookrun/manifests --strict", "hookrun validate --fix"),
}
