"""The values that the stages exchange. Frozen, no I/O; durations are seconds as float."""

from __future__ import annotations

from enum import IntEnum

from hookrun.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Literal


class Verdict(IntEnum):
    """What a hook, or all of them, say about an event; the strictest is the largest."""

    NO_OPINION = 0
    ALLOW = 1
    ASK = 2
    DEFER = 3
    DENY = 4

    @property
    def word(self) -> str | None:
        """The word of answers and of JSON output; None where there is no opinion."""
        return self.name.lower() if self else None


class Problem(Frozen):
    """A flaw in the set-up that does not stop the run."""

    message: str
    level: Literal["error", "warning"] = "warning"
    source: str = ""  # the file
    where: str = ""  # the key or line in it
    hint: str = ""  # what to do

    def document(self) -> dict[str, Any]:
        """Return the problem as a JSON-ready mapping."""
        return {
            "level": self.level,
            "source": self.source,
            "where": self.where,
            "message": self.message,
            "hint": self.hint,
        }


class Event(Frozen):
    """What happened in an agent: the payload's fields, and what hookrun derives from them."""

    event: str  # canonical
    event_id: str = ""
    dialect: str  # of the caller's names
    tool_name: str = ""  # as given
    tool_input: Any = None  # whatever JSON the caller gave
    tool_input_text: str = ""  # its text as given, "" when it came as a value
    # of the whole call, where this event is about one of the files that a patch changes
    whole_input: Any = None
    tool_output: str = ""
    tool_response: Any = None
    tool_output_truncated: bool = False
    whole_output: str = ""  # the text of the output where tool_output had to be cut
    tool_elapsed_ms: int = 0  # 0 when it is not known
    tool_call_id: str = ""
    tool_error: str = ""
    session_id: str = ""
    channel: str = ""
    chat_id: str = ""
    user_id: str = ""
    tenant_id: int = 0
    extra: Mapping[str, Any] = {}  # more about the session, such as its model
    cwd: str = ""
    project_dir: str = ""
    prompt: str = ""
    kinds: tuple[str, ...] = ()  # the kinds of tool that tool_name means in the dialect
    command: str = ""  # the text of a shell call
    paths: tuple[str, ...] = ()  # absolute files that the call touches
    fields: Mapping[str, Any] = {}  # what belongs to one event alone

    @property
    def tool(self) -> str:
        """The kind of tool, the first where a name means several; "" when it is not known."""
        return self.kinds[0] if self.kinds else ""

    @property
    def output_of_success(self) -> str:
        """The output as hooks of hookrun's own are given it: a tool that failed has an error instead."""
        return "" if self.event == "PostToolUseFailure" else self.tool_output


class Standing(Frozen):
    """Whether a hook is trusted."""

    status: str  # ``trusted``, or one of Outcome's: ``untrusted``, ``changed``, ``gone``
    reason: str = ""  # why it is not
    hint: str = ""  # what the user can do about it


class Trigger(Frozen):
    """An event and a matcher. ``accepts`` takes the event and the tool's names in the hook's dialect."""

    event: str
    matcher: str
    accepts: Callable[[Event, tuple[str, ...]], bool]


class Program(Frozen):
    """How a hook is started: words without a shell, and the folder they belong to (PLUGIN_ROOT)."""

    words: tuple[str, ...]
    folder: str
    needs: tuple[str, ...] = ()  # programs that must be on the PATH
    files: tuple[str, ...] = ()  # those that the words name within a line for a shell


class Widget(Frozen):
    """A contribution to the user's interface."""

    id: str
    slot: str
    description: str = ""
    priority: int = 100  # lower comes first
    sync: bool = False
    refresh: float = 30.0  # seconds


class Hook(Frozen):
    """One rule that was found: when it fires, how to run it, and where it came from."""

    id: str  # short and stable, for the command line
    title: str
    kind: Literal["script", "hook", "ui", "command", "module", "settings"]
    source: str  # such as "claude-settings"
    order: int  # of its source; higher is read first
    level: str  # user, project or command line
    place: str  # the project level it was found at
    file: str  # that it was read from
    dialect: str
    program: Program
    key: str = ""  # of two hooks with one key the first wins; "" for none
    plugin: str = ""
    triggers: tuple[Trigger, ...] = ()
    timeout: float | None = None  # seconds, None for the default
    role: Literal["guard", "observer"] = "observer"
    on_failure: str | None = None
    serial: bool = False  # runs alone, after the others
    widget: Widget | None = None
    command: str = ""
    runtime: Literal["script", "stdio", "python", "http"] = "script"
    description: str = ""
    flaw: str = ""  # why it can never be started, "" when it can
    flaw_hint: str = ""  # what to do about it
    note: str = ""  # what `list` adds about it
    definition: bytes = b""  # the bytes that this was read from, as far as they were read
    files: tuple[str, ...] = ()  # further files (absolute) that belong to it: trust covers them all
    entry: str = ""  # canonical JSON of one entry of an agent's settings: agent, event, matcher, handler
    is_async: bool = False  # its end is not awaited
    env: tuple[str, ...] | None = None  # the variables that it inherits, None for all that the caller has
    # events for which a stdio plugin is started; "*" leaves that to the plugin
    started_for: tuple[str, ...] = ()
    shows: str = ""  # id of the ui trigger that its run is as well


class Outcome(Frozen):
    """What running one hook did, without any judgement."""

    # ended, killed, timed_out, not_started; or, for a hook that was not tried or whose run does not count:
    # untrusted (never trusted), changed (since it was trusted, or while it ran), gone (trusted, and not in
    # this branch), over_limit, planned
    status: str
    exit_code: int | None = None  # of one that ended
    signal: int | None = None  # that killed it
    seconds: float = 0.0
    stdout: str = ""
    stderr: str = ""
    stdout_was_cut: bool = False
    stdout_tail: str = ""  # the end of stdout that was cut; a line break in front where a part is missing
    stderr_tail: str = ""  # as stdout_tail
    cause: str = ""  # why it was not started, or did not count
    hint: str = ""  # what to do about that
    problems: tuple[Problem, ...] = ()


class Hint(Frozen):
    """Text for the agent about one tool call."""

    hook: str
    text: str
    format: Literal["md", "diff", "text"] = "text"
    style: str = ""  # one of constants.STYLES, "" for normal
    priority: int = 100


class Answer(Frozen):
    """What one hook's outcome says; ``status`` and ``decided_by`` appear in JSON output as they are."""

    hook: Hook
    outcome: Outcome
    status: str
    verdict: Verdict = Verdict.NO_OPINION
    decided_by: str | None = None
    message: str = ""
    updated_input: Mapping[str, Any] | None = None
    context: tuple[str, ...] = ()
    feedback: tuple[str, ...] = ()
    user_messages: tuple[str, ...] = ()
    halt: bool = False
    data: Mapping[str, Any] | None = None
    hint: Hint | None = None
    problems: tuple[Problem, ...] = ()


class Decision(Frozen):
    """The merged result for an event."""

    event: Event
    verdict: Verdict = Verdict.NO_OPINION
    decided_by: str | None = None
    message: str = ""
    updated_input: Mapping[str, Any] | None = None
    context: tuple[str, ...] = ()
    feedback: tuple[str, ...] = ()
    user_messages: tuple[str, ...] = ()
    halt: bool = False
    result: Mapping[str, Any] | None = None
    data: Mapping[str, Any] | None = None
    hints: tuple[Hint, ...] = ()
    answers: tuple[Answer, ...] = ()
    problems: tuple[Problem, ...] = ()
    total: int = 0  # hooks in force and untrusted ones
    untrusted: int = 0
    seconds: float = 0.0  # of the whole run

    @property
    def denied(self) -> bool:
        """Whether what the event is about must not happen."""
        return self.verdict == Verdict.DENY

    @property
    def asked(self) -> bool:
        """Whether a person (ask) or the agent itself (defer) decides."""
        return self.verdict in (Verdict.ASK, Verdict.DEFER)

    @property
    def allowed(self) -> bool:
        """Whether the verdict is allow or no opinion."""
        return not self.denied and not self.asked

    def __str__(self) -> str:
        said = self.verdict.word or "no decision"
        return f"{said}: {self.message}" if self.message else said

    def __repr__(self) -> str:
        subject = " ".join(filter(None, (self.event.event, self.event.tool_name)))
        return f"<Decision on {subject}: {self}>"
