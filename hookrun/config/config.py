"""The configuration as a value, and the process environment, whose only reader this is."""

from __future__ import annotations

import os

from hookrun.model import constants
from hookrun.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from hookrun.model.values import Problem

FAILURE_WORDS = ("deny", "ask", "allow")
ALL_HOOKS = ""  # in place of a hook's name in ask_fallback
UNTRUSTED_WORDS = ("ask", "deny", "skip")


class Limits(Frozen):
    """Limits of an event; durations in seconds."""

    process_hooks: int = 10
    event_seconds: float = 60.0
    script_seconds: float = 10.0
    command_seconds: float = 30.0
    module_seconds: float = 10.0
    hint_seconds: float = 600.0
    output_bytes: int = constants.STREAM_LIMIT


class Loosening(Frozen):
    """What a project's file says that counts only when it is trusted."""

    path: str  # the file
    place: str  # the project level that the file belongs to
    text: str  # what is trusted: the values as JSON
    values: Mapping[str, Any]  # by key


class Config(Frozen):
    """All settings: of flags, of the environment, of the user's and the project's files."""

    environ: Mapping[str, str]  # the process environment
    cwd: str  # absolute
    root: str  # the project's root, absolute
    levels: tuple[str, ...]  # the project's folders from the root to the working directory
    home: str = ""  # "" without a home
    user_folder: str = ""  # of the user's own hooks and configuration
    state_folder: str = ""  # of trust, hints and sessions
    runtime_folder: str = ""  # of files that live for one event
    manifests: tuple[tuple[str, str], ...] = ()  # absolute paths, with the level that named them
    hooks: tuple[tuple[str, str], ...] = ()  # the same for single hooks
    disable: tuple[str, ...] = ()  # ids, keys, plugins or titles of hooks
    limits: Limits = Limits()
    keeps_agents_times: bool = True  # event_seconds is not set, and ends no entry of agents' settings
    sources: Mapping[str, bool] = {}  # whether a source is on, by its name
    tools: Mapping[str, Any] = {}  # kinds of an agent's own tools, by their names
    on_failure: str = "deny"  # what a failing guard decides: deny, ask or allow
    ask_fallback: Mapping[str, str] = {}  # by a hook's name, what its ask is where an agent cannot ask
    asking: str = ""  # the agent that a bridge answers, whose own settings are not a source
    with_agents: tuple[str, ...] = ()  # other agents whose settings are a source all the same
    settings_on_failure: str = ""  # on_failure of handlers of agents' settings; "" leaves it to the agent
    http: tuple[str, ...] = ()  # hosts that handlers of agents' settings may ask, besides this computer
    # lists of variables with the level that named them; hooks are bound by all (running/environment.py)
    env: tuple[tuple[tuple[str, ...], str], ...] = ()
    trust: str = ""  # what HOOKRUN_TRUST says
    on_untrusted: str = ""  # ask, deny or skip; "" where nothing says so
    on_missing: str = ""  # the same words
    loosenings: tuple[Loosening, ...] = ()  # of projects, not applied
    files: tuple[str, ...] = ()  # the files that were read
    problems: tuple[Problem, ...] = ()


def environment() -> dict[str, str]:
    """Return a copy of the process environment, as values of this call."""
    return dict(os.environ)


def set_variable(name: str, value: str) -> None:
    """Set a variable of this very process, for what it starts: only a forked child may do so."""
    os.environ[name] = value


def drop_variable(name: str) -> None:
    """Remove a variable of this very process: only a forked child may do so."""
    os.environ.pop(name, None)


def keep_variables(names: Collection[str]) -> None:
    """Remove all variables of this very process but *names*: only a forked child may do so."""
    for name in [name for name in os.environ if name not in names]:
        del os.environ[name]
