"""Every literal that more than one room needs: variables, file names, exit codes, limits."""

from __future__ import annotations

# Exit codes of `emit` (docs/cli.md); other commands use OK, FOUND_WRONG, USAGE and BROKEN_SETUP.
EXIT_OK = 0
EXIT_FOUND_WRONG = 1
EXIT_DENY = 2
EXIT_ASK = 3
EXIT_DEFER = 4
EXIT_USAGE = 64
EXIT_INTERNAL = 70
EXIT_CONFIG = 78

# How one hook ended, as `emit --format json` spells it.
RAN = "ran"
NOT_STARTED = "not_started"
TIMED_OUT = "timed_out"
KILLED = "killed"
FAILED = "failed"
UNTRUSTED = "untrusted"
OVER_LIMIT = "over_limit"
PLANNED = "planned"

# Whether a hook is trusted, with UNTRUSTED; `emit` reports all but the first as untrusted.
TRUSTED = "trusted"
CHANGED = "changed"
GONE = "gone"

# Who decided.
BY_GUARD = "guard"
BY_FAILURE = "failure"
BY_TRUST = "trust"
BY_LIMIT = "limit"

# States of a hook in the registry.
IN_FORCE = "in force"
SHADOWED = "shadowed"
DISABLED = "disabled"
# What a hook that the registry has in force is as things are now (commands/validate/states.py).
DENIES = "denies"
CANNOT_START = "cannot start"
NEVER_FIRES = "never fires"

USER = "user"
PROJECT = "project"
COMMAND_LINE = "command line"

GUARD = "guard"
OBSERVER = "observer"

# Kinds of hook: what its output means depends on them (answers/answer.py).
SCRIPT = "script"  # a file in a script folder, or given with --hook
CONTRIBUTED = "hook"  # an entry of contributes.hooks
UI = "ui"  # an entry of contributes.ui: a tool hint or a widget
COMMAND = "command"  # an entry of contributes.commands
MODULE = "module"  # a Python hook module, or handlers that a program registered
SETTINGS = "settings"  # a handler of an agent's own settings, run and read as that agent does

OUR_PREFIXES = ("XBOT_", "HOOKRUN_")
ENV_TRUST = "HOOKRUN_TRUST"
ENV_DEPTH = "HOOKRUN_DEPTH"
BYTECODE = "pycache"  # of the state folder: what Python compiles for hooks
ENV_RUN = "HOOKRUN_RUN"  # one token a process hook; what carries it can be found and ended

KIB = 1024
MIB = 1024 * KIB
ENV_VALUE_LIMIT = 131_071  # bytes of one NAME=value: Linux, MAX_ARG_STRLEN less its NUL
TOOL_OUTPUT_LIMIT = 8192  # bytes of tool output that hooks see
STREAM_LIMIT = MIB  # bytes kept of each of a hook's stdout and stderr
STREAM_TAIL = 64 * KIB  # bytes kept of the end of a stream that was cut: an answer may come last
MANIFEST_LIMIT = MIB
PAYLOAD_LIMIT = 16 * MIB
PAYLOAD_DEADLINE = 5.0  # seconds to wait for a whole document on our own stdin
TEXT_DEADLINE = 60.0  # seconds to wait for the end of any other value there
SET_UP_SECONDS = 60.0  # to read what an event and its hooks are
ALARM_MARGIN = 8.0  # seconds above the limit of an event, for ending hooks and keeping what is to be kept
MAX_DEPTH = 5
MAX_FILES_IN_FOLDER = 10_000
DRAIN = 0.2  # seconds to read on after a hook has ended
GRACE = 2.0  # seconds between TERM and KILL
BUSY_RETRY = 0.5  # seconds to retry a script that is being written (ETXTBSY)

SLOTS = ("titleBarLeft", "titleBarRight", "statusBarLeft", "statusBarRight", "infoBar", "footer", "toolHint")
TOOL_HINT = "toolHint"
STYLES = ("dim", "ok", "warn", "err", "info", "accent")
