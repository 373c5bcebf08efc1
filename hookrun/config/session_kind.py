"""Whether an agent is at the keyboard: what only a person may do asks first."""

from __future__ import annotations

from collections.abc import Mapping

from hookrun.model import constants
from hookrun.model.errors import HookrunError

# What agents set in the environment of the commands that they run.
_VARIABLES = (
    "CLAUDECODE",
    "GEMINI_CLI",
    "QWEN_CODE",
    "CURSOR_AGENT",
    "CLINE_ACTIVE",
    constants.ENV_DEPTH,
    constants.ENV_RUN,
)
_PREFIXES = ("CODEX_", "XBOT_")
_A_PERSONS_OWN = ("CODEX_HOME", "CODEX_API_KEY")  # settings of Codex that people keep in their profile


def agent_variable(environ: Mapping[str, str]) -> str:
    """Return the variable that shows that an agent or a hook runs this, "" for a person."""
    for name in environ:
        if name in _VARIABLES or (name.startswith(_PREFIXES) and name not in _A_PERSONS_OWN):
            return name
    return ""


def require_person(environ: Mapping[str, str], what: str) -> None:
    """Raise HookrunError when an agent is about to do *what* (a verb in the infinitive)."""
    found = agent_variable(environ)
    if found:
        error = HookrunError(
            f"only a person may {what}, and this runs inside an agent ({found} is set)",
            hint=f"ask {_person()}: they can do it in a terminal of their own",
        )
        error.exit_code = constants.EXIT_FOUND_WRONG
        raise error


def _person() -> str:
    """Return the login name of whose machine this is, as the system has it."""
    import os

    try:
        import pwd

        return f"{pwd.getpwuid(os.getuid()).pw_name}, the user"
    except (ImportError, KeyError):
        return "the user"
