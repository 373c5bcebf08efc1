"""Matchers of agents' own settings, each by its agent's rule, compiled when they are read."""

from __future__ import annotations

from hookrun.matching.expressions import GO, JAVASCRIPT, RUST, compile_expression
from hookrun.matching.matchers import is_open, may_be_one

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

    from hookrun.matching.conditions import Condition
    from hookrun.model.values import Event

    NameTest = Callable[[str], bool | None]

TOOL = "tool"
COMMAND = "command"
NOTHING = ""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
# What a matcher may consist of and still be names, and what stands between them; all else is an expression.
_EXACT = {"claude": (_LETTERS + "-,| ", "|,"), "codex": (_LETTERS + "|", "|"), "xbot": (_LETTERS + "|", "|")}
_LANGUAGES = {"codex": RUST, "xbot": GO}
_ANCHORED = ("copilot",)


class AgentMatcher:
    """Called with the event and the tool's names in the agent's dialect, it says whether a hook fires.

    ``why`` says so in words.
    """

    __slots__ = ("_agent", "_condition", "_kinds", "_test", "_text", "about")

    def __init__(
        self,
        agent: str,
        text: str,
        *,
        about: str = TOOL,
        kinds: tuple[str, ...] = (),
        condition: Condition | None = None,
    ) -> None:
        """*about* is what the matcher is compared with: TOOL, COMMAND, the key of the event's own that it
        speaks of, or NOTHING. *kinds* are the only kinds of tool that the agent's event is about, () for all.

        Raises ValueError for an expression that the agent, or Python, cannot read.
        """
        self._agent = agent
        self._text = text
        self.about = about
        self._kinds = frozenset(kinds)
        self._condition = condition
        self._test: NameTest | None = None
        if about != NOTHING and text.strip() not in ("", "*"):
            self._test = _test(agent, text, is_lifecycle=about not in (TOOL, COMMAND))

    def __call__(self, event: Event, names: tuple[str, ...]) -> bool:
        return self._judge(event, names)[0]

    def why(self, event: Event, names: tuple[str, ...]) -> str:
        """Return the reason, as a clause."""
        return self._judge(event, names)[1]

    @property
    def is_unconditional(self) -> bool:
        """Whether it fires for every event of its kind that its matcher accepts."""
        return self._condition is None

    @property
    def agent(self) -> str:
        """Whose rule it follows."""
        return self._agent

    @property
    def condition(self) -> Condition | None:
        """The `if` beside the matcher."""
        return self._condition

    @property
    def names(self) -> frozenset[str] | None:
        """The names that it consists of, None for an expression and for what matches all."""
        return exact_names(self._agent, self._text) if self._test is not None else None

    @property
    def is_risky(self) -> bool:
        """Whether it repeats a repetition, so that only short names are tried."""
        return getattr(getattr(self._test, "__self__", None), "is_risky", False)

    def _judge(self, event: Event, names: tuple[str, ...]) -> tuple[bool, str]:
        if self._kinds and self._kinds.isdisjoint(event.kinds):
            return False, f"it is only about {' or '.join(sorted(self._kinds))}"
        fires, reason = self._matched(event, names)
        if not fires or self._condition is None:
            return fires, reason
        rule = f"its `if` {self._condition.text!r}"
        holds = self._condition.holds(event, names)
        if holds is None:
            return True, f"{reason}, and it cannot be told whether {rule} holds, so it fires"
        return holds, f"{reason}, and {rule} holds" if holds else f"{rule} does not hold"

    def _matched(self, event: Event, names: tuple[str, ...]) -> tuple[bool, str]:
        if self._test is None:
            return True, "it answers every tool" if self.about == TOOL else f"it answers {event.event}"
        subjects = self._subjects(event, names)
        if not subjects:
            return True, f"matcher {self._text!r} is about {self.about}, which is not known, so it fires"
        found = {_is_accepted(self._test, self._text, subject): subject for subject in reversed(subjects)}
        if True in found:
            return True, f"{self._text!r} matches {found[True]}"
        if None in found:
            return True, f"it cannot be told whether {self._text!r} matches {found[None]}, so it fires"
        return False, f"matcher {self._text!r} does not match {' or '.join(subjects)}"

    def _subjects(self, event: Event, names: tuple[str, ...]) -> tuple[str, ...]:
        if self.about == TOOL:
            return _codex_names(names) if self._agent == "codex" else names
        value = event.command if self.about == COMMAND else event.fields.get(self.about)
        return (value,) if isinstance(value, str) and value else ()


def _test(agent: str, text: str, *, is_lifecycle: bool) -> NameTest:
    if is_lifecycle and agent in ("gemini", "qwen"):
        return text.strip().__eq__
    names = exact_names(agent, text)
    if names is not None:
        return lambda name: name in names
    # Of a matcher for another agent's engine, what it finds counts, never how it was found.
    written = text.strip() if agent in ("gemini", "qwen") else text
    return compile_expression(
        written, _LANGUAGES.get(agent, JAVASCRIPT), is_anchored=agent in _ANCHORED
    ).accepts


def exact_names(agent: str, text: str) -> frozenset[str] | None:
    """Return the names that *text* consists of by *agent*'s rule; None when it is an expression."""
    letters, separators = _EXACT.get(agent, ("", ""))
    if not letters or not all(letter in letters for letter in text):
        return None
    return frozenset(name.strip() for name in _split(text, separators) if name.strip())


def _split(text: str, separators: str) -> list[str]:
    for separator in separators[1:]:
        text = text.replace(separator, separators[0])
    return text.split(separators[0])


def _is_accepted(test: NameTest, text: str, subject: str) -> bool | None:
    """Say whether *subject* is accepted; None where a part of its name is not known, or it takes too long."""
    if not is_open(subject):
        return test(subject)
    return True if test(subject) else (None if may_be_one(text, (subject,)) or "mcp" in text else False)


def _codex_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return *names* with those under which Codex also offers a patch."""
    return (*names, "Edit", "Write") if "apply_patch" in names else names
