"""The shape of a reply table: what an agent accepts at each event, as the fields that say it.

Both the writing of decisions (writing.py) and the matrix of `hookrun agents` (capabilities.py) go by it.
"""

from __future__ import annotations

from hookrun.model.events import event_named
from hookrun.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# What stands for a value in the fields of a way.
TEXT = "<text>"
INPUT = "<input>"
EVENT = "<event>"
RESPONSE = "<response>"  # the tool's result as it was told, in the agent's own shape, changed by a hook
RESULT = "<result>"  # what a module's handler returned under this name, in the spelling of TypeScript

AFTER_TOOL = ("PostToolUse", "PostToolUseFailure")
# Where handlers of modules return more than a yes or no (modules/results.py).
RESULTS = (
    *AFTER_TOOL,
    "UserPromptSubmit",
    "PreCompact",
    "session.compacting",
    "session_before_switch",
    "session_before_branch",
    "session_before_tree",
    "context",
)

SECONDS = 70.0  # that `install` has agents wait: hookrun's own 60 for an event, and what ending its hooks may take
STOPS = ("AgentStop", "SubAgentStop")  # a deny means: go on

# What becomes of a wish that an agent has no way for, in order; never an allow.
_FALLBACKS = {
    "allow": ("allow",),
    "ask": ("ask", "deny"),
    "defer": ("defer", "ask", "deny"),
    "deny": ("deny",),
    "rewrite": ("rewrite", "deny"),
    "context": ("context",),
    "feedback": ("feedback", "context"),
    "result": ("result",),
    "halt": ("halt", "deny"),
    "user": ("user",),
}
_REFUSALS = ("ask", "defer", "deny")

_MARGIN = 5.0  # seconds that ending hooks and answering may take, of the agent's own timeout


class Way(Frozen):
    """How one thing is said: in fields of a JSON document, or by exit code 2 and stderr."""

    fields: Mapping[str, Any] = {}  # by dotted key: a constant, or one of TEXT, INPUT, EVENT, RESPONSE, RESULT
    by_exit_code: bool = False
    is_measured: bool = False  # seen to work in the real client, else it was read
    needs_terminal: bool = False  # an agent without one would hang
    is_alone: bool = False  # the agent drops what else there is for the model, so it goes into this text


class Ways(Frozen):
    """What an agent accepts at one event; None for what it does not."""

    allow: Way | None = None
    ask: Way | None = None
    defer: Way | None = None
    deny: Way | None = None
    rewrite: Way | None = None
    context: Way | None = None
    feedback: Way | None = None
    result: Way | None = None  # what a module's handler returns; after a tool what replaces its result
    halt: Way | None = None
    user: Way | None = None
    neutral: Mapping[str, Any] | None = None  # fields that say nothing, where they differ from the table's


class ReplyTable(Frozen):
    """How replies are written for one agent."""

    name: str
    title: str
    # By canonical event, or by the agent's own spelling where its events of one meaning differ.
    ways: Mapping[str, Ways]
    otherwise: Ways = Ways()  # at every other event
    neutral: Mapping[str, Any] | None = None  # written when there is nothing to say; None for no output at all
    refusal: Mapping[str, Any] = {}  # a deny of any event, for an agent that does not go by exit codes
    exit_denies: bool = True
    # What sends it back at its end is announced as a prompt, too: only stop_hook_active tells the two apart.
    is_prompted_by_stops: bool = False
    lays_over: bool = False  # a rewrite is laid over the input, so that what it leaves out stays
    text_limit: int = 0  # UTF-16 units that a text may have, 0 for any
    seconds: float = SECONDS  # how long it waits for hookrun: what install writes, or its own fixed limit
    seconds_by_event: Mapping[str, float] = {}
    shows_stderr: bool = False  # its user sees stderr where there is no answer
    measured_with: tuple[str, ...] = ()  # versions, oldest first; none where all was read

    @property
    def known_from(self) -> str:
        """How it is known, in words: the versions it was measured with, or that it was read."""
        return f"measured with {' and '.join(self.measured_with)}" if self.measured_with else "read, not measured"

    def ways_at(self, event: str, own_name: str) -> Ways:
        """Return the ways at the canonical *event*, which the agent calls *own_name*."""
        return self.ways.get(own_name) or self.ways.get(event, self.otherwise)

    def seconds_at(self, event: str) -> float:
        """Return how many seconds the agent waits for hookrun at the canonical *event*."""
        return self.seconds_by_event.get(event, self.seconds)

    def seconds_for_hooks(self, event: str) -> float:
        """Return the seconds that all hooks of *event* may take, so that the answer is in time."""
        whole = self.seconds_at(event)
        return max(whole - _MARGIN, whole / 2)


def way_for(wish: str, event: str, ways: Ways, *, has_terminal: bool = False) -> tuple[str, Way] | None:
    """Return what *wish* becomes at the canonical *event* and how that is said; None for not at all."""
    for word in fallbacks(wish, event):
        way: Way | None = getattr(ways, word)
        if way is not None and (has_terminal or not way.needs_terminal):
            return word, way
    return None


def fallbacks(wish: str, event: str) -> tuple[str, ...]:
    """Return what *wish* may become at *event*: where nothing can be stopped a refusal is feedback, and a
    rewrite has a meaning before a tool alone."""
    known = event_named(event)
    is_stoppable = known is not None and known.stops
    if wish in _REFUSALS and not is_stoppable:
        return _FALLBACKS["feedback"]
    if wish == "rewrite" and event != "PreToolUse":
        return ()
    if wish == "result" and event == "UserPromptSubmit":  # a message to put before the prompt
        return ("result", "context")
    if wish == "result" and event not in RESULTS:
        return ()
    if wish == "halt" and (event in STOPS or not is_stoppable):
        return ("halt",)
    return _FALLBACKS[wish]
