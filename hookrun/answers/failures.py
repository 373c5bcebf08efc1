"""A failure in words: what happened, the first line of stderr, and what to do."""

from __future__ import annotations

from hookrun.model.constants import COMMAND, KILLED, NOT_STARTED, TIMED_OUT, UI
from hookrun.model.values import Hook, Outcome

_SIGNAL_BASE = 128  # a shell ends with 128 + n when signal n ended its command
_ENDED = "ended"
_EXIT_HINTS = {
    2: "a ui trigger cannot deny; contribute a hook for that",
    126: "a command in it is not executable",
    127: "a command in it is not on the PATH",
}
_SIGNAL_HINTS = {
    "SIGPIPE": "a command in a pipe wrote on after its reader had ended; leave out pipefail or read all",
    "SIGKILL": "something outside ended it; memory may have been short",
}
_EXITS_THAT_ANSWER = "exit 0 with an answer or none, exit 2 to deny; every other exit is a failure"
_EXIT_THAT_SHOWS = "only the output of exit 0 is shown"


def failure_message(hook: Hook, outcome: Outcome, fault: str = "", exit_hint: str = "") -> str:
    """Return what to tell about a hook that failed; *fault* says what is wrong with the answer it gave,
    *exit_hint* what to do instead of an exit code that means nothing."""
    happened, hint = _bad_answer(fault) if fault else _what_happened(hook, outcome)
    if exit_hint and outcome.status == _ENDED and outcome.exit_code in (1, 2):
        hint = f"to refuse, {exit_hint}"
    complaint = _complaint(outcome.stderr)
    is_said = complaint and complaint not in happened
    parts = (happened, f"stderr: {complaint}" if is_said else "", f"hint: {hint}" if hint else "")
    return "; ".join(part for part in parts if part)


def _complaint(stderr: str) -> str:
    """Return the most useful line of stderr: the first, or the last of a Python traceback."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    if not lines:
        return ""
    return lines[-1] if lines[0].startswith(("Traceback (most recent", 'File "')) else lines[0]


def _bad_answer(fault: str) -> tuple[str, str]:
    return (
        f"failed: bad answer: {fault}",
        'answer {"decision": "allow", "deny", "ask" or "defer", "reason": "..."} or nothing',
    )


def _what_happened(hook: Hook, outcome: Outcome) -> tuple[str, str]:
    if outcome.status == NOT_STARTED:
        return f"could not start: {outcome.cause or 'for an unknown cause'}", outcome.hint
    if outcome.status == TIMED_OUT:
        return _timed_out(hook, outcome), outcome.hint or "raise its timeout"
    if outcome.status == KILLED:
        return _killed(outcome)
    if outcome.status == _ENDED:
        return _ended(hook, outcome)
    return f"failed: {outcome.cause or f'it is not known how it ended ({outcome.status})'}", outcome.hint


def _timed_out(hook: Hook, outcome: Outcome) -> str:
    if outcome.cause:
        return outcome.cause if outcome.cause.startswith("timed out") else f"timed out: {outcome.cause}"
    # The time of the run includes the grace after the timeout, and may have ended before it.
    seconds = min(hook.timeout or outcome.seconds, outcome.seconds or hook.timeout or 0.0)
    return f"timed out after {seconds:.3g} s"


def _killed(outcome: Outcome) -> tuple[str, str]:
    if outcome.signal is None:
        return f"killed: {outcome.cause or 'by whom is not known'}", outcome.hint
    name = _signal_name(outcome.signal)
    described = f"signal {outcome.signal} ({name})" if name else f"signal {outcome.signal}"
    return f"killed by {described}", outcome.hint or _SIGNAL_HINTS.get(name, "")


def _ended(hook: Hook, outcome: Outcome) -> tuple[str, str]:
    code = outcome.exit_code or 0
    name = _signal_name(code - _SIGNAL_BASE)
    if name:
        return f"failed: exit {code} = killed by {name}", _SIGNAL_HINTS.get(name, _EXITS_THAT_ANSWER)
    shows_only = hook.kind in (UI, COMMAND)
    return f"failed: exit {code}", _EXIT_HINTS.get(code, _EXIT_THAT_SHOWS if shows_only else _EXITS_THAT_ANSWER)


def _signal_name(number: int) -> str:
    from signal import Signals

    try:
        return Signals(number).name
    except ValueError:
        return ""
