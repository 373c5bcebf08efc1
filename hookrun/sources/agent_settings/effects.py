"""What becomes of what a hook does, agent by agent, with the traps that let a tool run; as data."""

from __future__ import annotations

from hookrun.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Effect(Frozen):
    """``what`` a hook does for one of ``events`` (canonical, () for all), and what its agent makes of it.

    ``is_trap`` says that a refusal is lost by it, ``is_failure`` that the settings can have it deny instead,
    ``is_measured`` that it was seen with the real client; the rest is read in its documents or sources.
    """

    what: str
    becomes: str
    events: tuple[str, ...] = ()
    is_trap: bool = False
    is_failure: bool = False
    is_measured: bool = False


_BEFORE = ("PreToolUse",)
_AFTER = ("PostToolUse", "PostToolUseFailure")
_PROMPT = ("UserPromptSubmit",)
_STOP = ("AgentStop", "SubAgentStop")
_RUNS = "the tool runs"
_STOPS = "the tool does not run, the model is told the reason"
_NOBODY = "nobody"


def _effect(events: tuple[str, ...], what: str, becomes: str, marks: str = "") -> Effect:
    """*marks* are trap, failure, measured."""
    return Effect(
        what=what,
        becomes=becomes,
        events=events,
        is_trap="trap" in marks,
        is_failure="failure" in marks,
        is_measured="measured" in marks,
    )


_CLAUDE = (
    _effect(_BEFORE, "permissionDecision deny, exit 2", _STOPS, "measured"),
    _effect(
        _BEFORE, "permissionDecision ask", "the user; without a terminal the tool does not run", "measured"
    ),
    _effect(_BEFORE, "exit 1", f"{_RUNS}, the user is shown stderr", "trap failure measured"),
    _effect(_BEFORE, '"decision": "deny" at the top', f"ignored: {_RUNS}", "trap measured"),
    _effect(_BEFORE, "text before the JSON", f"the JSON is ignored: {_RUNS}", "trap measured"),
    _effect(_AFTER, "decision block, exit 2", "the model is told the reason, the tool has run", "measured"),
    _effect(_AFTER, "additionalContext", "the model", "measured"),
    _effect((*_BEFORE, *_AFTER), "other text", "nobody: only the transcript has it"),
    _effect(_PROMPT, "decision block, exit 2", "the prompt is refused, the user is told the reason"),
    _effect(_PROMPT, "exit 1", "the prompt goes on, the user is shown stderr", "trap failure"),
    _effect((*_PROMPT, "SessionStart"), "other text", "the model, as context"),
    _effect(_STOP, "decision block, exit 2", "it goes on, with the reason as its message"),
    _effect(_STOP, "other text", "nobody: only the transcript has it"),
    _effect((), "a text above 10,000 characters", "is cut to a preview"),
)
_CODEX = (
    _effect(_BEFORE, "deny or block with a reason, exit 2 with a text", _STOPS, "measured"),
    _effect(_BEFORE, "allow with updatedInput", "the tool runs with it", "measured"),
    _effect(_BEFORE, "exit 1", f"the hook failed: {_RUNS}", "trap measured"),
    _effect(_BEFORE, "exit 2 without a text", f"blocks nothing: {_RUNS}", "trap"),
    _effect(_BEFORE, "ask, allow alone", f"the answer is refused: {_RUNS}", "trap measured"),
    _effect(_BEFORE, '"decision": "deny" at the top', f"the answer is refused: {_RUNS}", "trap measured"),
    _effect((), "a field that it does not know", "the whole answer is refused, it goes on", "trap measured"),
    _effect(_AFTER, "decision block", "the reason takes the place of the result", "measured"),
    _effect(_AFTER, "additionalContext", "the model", "measured"),
    _effect((*_BEFORE, *_AFTER), "other text", _NOBODY),
    _effect(_PROMPT, "decision block with a reason", "the prompt is refused"),
    _effect((*_PROMPT, "SessionStart", "SubAgentStart"), "other text", "the model, as context"),
    _effect(_STOP, "text that is no JSON", "the hook failed, it ends"),
    _effect(("SessionEnd",), "more than 1 s", "it is ended"),
    _effect((), "not approved in /hooks", "skipped without a word", "trap measured"),
)
_GEMINI = (
    _effect(_BEFORE, "decision deny or block", _STOPS, "measured"),
    _effect(_BEFORE, "exit 2 or more, with a text", _STOPS, "measured"),
    _effect(_BEFORE, "exit 2 without any text", f"blocks nothing: {_RUNS}", "trap measured"),
    _effect(_BEFORE, "exit 1", f"a warning for the user: {_RUNS}", "trap"),
    _effect(_BEFORE, "decision ask", "the user; without a terminal it hangs for good", "trap measured"),
    _effect(_BEFORE, "text before the JSON", f"the JSON is ignored: {_RUNS}", "trap"),
    _effect(_BEFORE, "hookSpecificOutput.tool_input", "the tool runs with it", "measured"),
    _effect(_AFTER, "additionalContext", "the model, with < and > escaped", "measured"),
    _effect(_PROMPT, "decision deny or block", "the prompt is refused"),
    _effect(_STOP, "decision deny or block", "it goes on, with the reason as its message"),
    _effect((), "other text", "the user"),
)
_XBOT = (
    _effect(_BEFORE, "decision deny, exit 2", _STOPS),
    _effect(_BEFORE, "any other exit code", _RUNS, "trap"),
    _effect(_BEFORE, "a permissionDecision", f"ignored: {_RUNS}", "trap"),
    _effect(_PROMPT, "decision deny, exit 2", "the prompt is refused"),
    _effect((), "other text", "the model, as context"),
)
_CURSOR = (
    _effect(_BEFORE, "permission deny, exit 2", _STOPS),
    _effect(_BEFORE, "permission ask", "the user, for beforeShellExecution and beforeMCPExecution alone"),
    _effect(_BEFORE, "any other exit code", _RUNS, "trap failure"),
    _effect(_BEFORE, "output that is no JSON", f"the hook failed: {_RUNS}", "trap failure"),
    _effect(_PROMPT, '"continue": false', "the prompt is refused, the user is told user_message"),
    _effect(_STOP, "followup_message", "it goes on, with that as its message"),
    _effect(_AFTER, "a deny", "nobody: the tool has run"),
)
_COPILOT = (
    _effect(_BEFORE, "permissionDecision deny", _STOPS),
    _effect(_BEFORE, "any exit code but 0", "the tool does not run"),
    _effect(_BEFORE, "other text", _NOBODY),
    _effect(_PROMPT, "a deny", "nobody: a prompt cannot be refused", "trap"),
    _effect(_AFTER, "any output", _NOBODY),
    _effect(_STOP, "decision block", "it goes on, with the reason as its message"),
)
_WINDSURF = (
    _effect((*_BEFORE, *_PROMPT), "exit 2", "it does not happen, stderr says why"),
    _effect((*_BEFORE, *_PROMPT), "any other exit code", "it goes on", "trap"),
    _effect((*_BEFORE, *_PROMPT), "a decision on stdout", "nobody: only exit 2 counts", "trap"),
    _effect((*_AFTER, *_STOP), "any output", _NOBODY),
)
_CLINE = (
    _effect((*_BEFORE, *_PROMPT), '"cancel": true', "it does not happen, errorMessage says why"),
    _effect((*_BEFORE, *_PROMPT), "exit 1 or 2 without JSON", "the hook failed: it goes on", "trap"),
    _effect((*_BEFORE, *_PROMPT), "output that is no JSON", "the hook failed: it goes on", "trap"),
    _effect((), "contextModification", "the model"),
)
_QWEN = (
    _effect(_BEFORE, "permissionDecision deny, decision deny or block, exit 2", _STOPS),
    _effect(_BEFORE, "any other exit code", _RUNS, "trap"),
    _effect((), "other text", "the user"),
)
EFFECTS_BY_AGENT: Mapping[str, tuple[Effect, ...]] = {
    "claude": _CLAUDE,
    "codex": _CODEX,
    "gemini": _GEMINI,
    "xbot": _XBOT,
    "cursor": _CURSOR,
    "copilot": _COPILOT,
    "windsurf": _WINDSURF,
    "cline": _CLINE,
    "qwen": _QWEN,
}
# What an agent does about settings that are broken. Read; of Claude Code's plain JSON, measured.
STRICTNESS_BY_AGENT: Mapping[str, str] = {
    "claude": "a file that is not plain JSON, or has an entry of a wrong shape, is passed over whole",
    "codex": "a file that is no JSON is passed over whole, an entry that it does not know alone",
    "cline": "a file that is not executable, or is called like no event, is passed over",
}
STRICTNESS = "a file that is no JSON is passed over whole"


def codes_that_pass(agent: str) -> tuple[int, ...]:
    """Return the exit codes, of 1 and 2, with which a hook of *agent* that says why refuses nothing."""
    codes: set[int] = set()
    for effect in EFFECTS_BY_AGENT[agent]:
        if effect.is_trap and effect.what == "any other exit code":
            codes.add(1)
        elif effect.is_trap and effect.what.startswith("exit ") and "text" not in effect.what:
            codes |= {int(sign) for sign in effect.what if sign in "12"}
    return tuple(sorted(codes))


def way_to_refuse(agent: str) -> str:
    """Return what a hook of *agent* does to refuse a tool: exit 2 where that is enough."""
    ways = [effect.what for effect in EFFECTS_BY_AGENT[agent] if _refuses(effect)]
    return "exit 2" if any("exit 2" in way for way in ways) else ways[0]


def _refuses(effect: Effect) -> bool:
    return "PreToolUse" in effect.events and effect.becomes.startswith(
        ("the tool does not run", "it does not")
    )


def effects_of(agent: str, event: str) -> tuple[Effect, ...]:
    """Return what becomes of what a hook does for the canonical *event* of *agent*."""
    return tuple(effect for effect in EFFECTS_BY_AGENT[agent] if not effect.events or event in effect.events)
