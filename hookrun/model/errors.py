"""The errors of a broken set-up or a wrong call. A hook's own failure is a value, never one of these."""

from __future__ import annotations

from hookrun.model.constants import EXIT_CONFIG, EXIT_INTERNAL, EXIT_USAGE


class HookrunError(Exception):
    """What is wrong, where it is, and what to do about it.

    ``exit_code`` is the command line's for an event that nothing guards; on a guarded event every
    error but a usage error ends in 2 (docs/safety.md).
    """

    exit_code = EXIT_INTERNAL

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint


class UsageError(HookrunError):
    """The command line or call is wrong: an unknown event, invalid JSON, a file that does not exist."""

    exit_code = EXIT_USAGE


class ConfigError(HookrunError):
    """A configuration file cannot be used."""

    exit_code = EXIT_CONFIG


class DocumentError(HookrunError):
    """A file is not the JSON, YAML or TOML it claims to be. ``line`` counts from 1, 0 is unknown."""

    exit_code = EXIT_CONFIG

    def __init__(self, message: str, *, where: str = "", hint: str = "", line: int = 0) -> None:
        super().__init__(message, where=where, hint=hint)
        self.line = line


class StoreError(HookrunError):
    """The state folder or the database in it cannot be used."""


class Interrupted(HookrunError):
    """A signal asked hookrun to stop; its hooks have been ended. ``signum`` is that signal's number."""

    def __init__(self, signum: int) -> None:
        super().__init__(f"stopped by signal {signum}")
        self.signum = signum
        self.exit_code = 128 + signum
