"""The keys that agents know in their settings of hooks, as data: of the file, of a group, of a handler."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_COMMON = ("type", "command", "timeout", "name", "description")
_CLAUDE = (
    *(*_COMMON, "args", "async", "asyncRewake", "onFailure", "if", "shell", "statusMessage", "once", "env"),
    *("url", "headers", "allowedEnvVars", "method", "prompt", "model", "server", "tool", "input"),
)
# Of a handler; what an agent has only for itself is there as well.
HANDLER_KEYS: Mapping[str, tuple[str, ...]] = {
    "claude": _CLAUDE,
    "codex": (*_COMMON, "timeoutSec", "async", "statusMessage", "prompt", "commandWindows"),
    "gemini": (*_COMMON, "env"),
    "qwen": (*_CLAUDE, "env"),
    "xbot": (*_COMMON, "url", "headers", "allowedEnvVars", "async", "if", "env"),
    "cursor": (*_COMMON, "failClosed", "matcher", "loop_limit", "prompt", "model"),
    "copilot": (
        *(*_COMMON, "bash", "powershell", "cwd", "timeoutSec", "env", "comment", "matcher"),
        *("url", "headers", "prompt"),
    ),
    "windsurf": (*_COMMON, "powershell", "show_output", "working_directory"),
}
# Of a group of handlers, where an agent has groups.
GROUP_KEYS: Mapping[str, tuple[str, ...]] = {
    "claude": ("matcher", "hooks", "description"),
    "codex": ("matcher", "hooks", "description"),
    "gemini": ("matcher", "hooks", "sequential", "description"),
    "qwen": ("matcher", "hooks", "sequential", "description"),
    "xbot": ("matcher", "hooks", "description"),
}
# Of a file that holds nothing but hooks; of settings with much else only what concerns hooks is known here.
FILE_KEYS: Mapping[str, tuple[str, ...]] = {
    "codex": ("hooks", "description"),
    "xbot": ("hooks", "enable_command_hooks", "version", "description"),
    "cursor": ("hooks", "version"),
    "copilot": ("hooks", "version", "disableAllHooks"),
    "windsurf": ("hooks", "version"),
}
OF_HOOKS = ("hooks", "disableAllHooks", "hooksConfig", "allowedHttpHookUrls", "httpHookAllowedEnvVars")
