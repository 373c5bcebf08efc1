"""Matchers of agents' own settings, each by its agent's rule, compiled when they are read."""

from __future__ import annotations

from hookrun.matching.expressions import JAVASCRIPT, compile_expression
from hookrun.matching.matchers import is_open, may_be_one
from hookrun.model.frozen import Frozen

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookrun.matching.conditions import Condition
    from hookrun.model.values import Event

    NameTest = Callable[[str], bool | None]

TOOL = "tool"
COMMAND = "command"
NOTHING = ""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
PERMISSION_RULE = "permission rule"
COMMAND_RULE = "command rule"


class MatcherRule(Frozen):
    """How an agent reads the matcher of a handler."""

    letters: str = ""  # what it may consist of and still be names; all else is an expression
    separators: str = ""  # what stands between names
    language: str = JAVASCRIPT  # whose expressions they are
    is_anchored: bool = False  # an expression has to match the whole name
    trims: bool = False  # it is trimmed, and whole text is compared where the event is about no tool
    condition: str = ""  # how the `if` beside it is read, "" when it is not
    names_servers: bool = True  # a server's name alone may match its tools
    names_by_kind: Mapping[str, tuple[str, ...]] = {}  # of tools, in place of the agent's own
    also: Mapping[str, tuple[str, ...]] = {}  # further names under which a tool is offered


EXPRESSION = MatcherRule()


class AgentMatcher:
    """Called with the event and the tool's names in the agent's dialect, it says whether a hook fires.

    ``why`` says so in words.
    """

    __slots__ = ("_condition", "_kinds", "_test", "_text", "about", "rule")

    def __init__(
        self,
        rule: MatcherRule,
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
        self.rule = rule
        self._text = text
        self.about = about
        self._kinds = frozenset(kinds)
        self._condition = condition
        self._test: NameTest | None = None
        if about != NOTHING and text.strip() not in ("", "*"):
            self._test = _test(rule, text, is_lifecycle=about not in (TOOL, COMMAND))

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
    def condition(self) -> Condition | None:
        """The `if` beside the matcher."""
        return self._condition

    @property
    def names(self) -> frozenset[str] | None:
        """The names that it consists of, None for an expression and for what matches all."""
        return exact_names(self.rule, self._text) if self._test is not None else None

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
        holds = self._condition.holds(event, self._offered(names))
        if holds is None:
            return True, f"{reason}, and it is unknown whether {rule} holds, so it fires"
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
            return True, f"it is unknown whether {self._text!r} matches {found[None]}, so it fires"
        return False, f"matcher {self._text!r} does not match {' or '.join(subjects)}"

    def _subjects(self, event: Event, names: tuple[str, ...]) -> tuple[str, ...]:
        if self.about == TOOL:
            others = self.rule.names_by_kind
            return self._offered(tuple(name for kind in event.kinds for name in others.get(kind, ())) or names)
        value = event.command if self.about == COMMAND else event.fields.get(self.about)
        return (value,) if isinstance(value, str) and value else ()

    def _offered(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return *names* and the others that the agent has for the same tools."""
        return (*names, *(other for name in names for other in self.rule.also.get(name, ())))


def _test(rule: MatcherRule, text: str, *, is_lifecycle: bool) -> NameTest:
    if is_lifecycle and rule.trims:
        return text.strip().__eq__
    names = exact_names(rule, text)
    if names is not None:
        return lambda name: name in names
    # Of a matcher for another agent's engine, what it finds counts, never how it was found.
    written = text.strip() if rule.trims else text
    return compile_expression(written, rule.language, is_anchored=rule.is_anchored).accepts


def exact_names(rule: MatcherRule, text: str) -> frozenset[str] | None:
    """Return the names that *text* consists of by *rule*; None when it is an expression."""
    if not rule.letters or not all(letter in rule.letters for letter in text):
        return None
    return frozenset(name.strip() for name in _split(text, rule.separators) if name.strip())


def _split(text: str, separators: str) -> list[str]:
    for separator in separators[1:]:
        text = text.replace(separator, separators[0])
    return text.split(separators[0])


def _is_accepted(test: NameTest, text: str, subject: str) -> bool | None:
    """Say whether *subject* is accepted; None where a part of its name is not known, or it takes too long."""
    if not is_open(subject):
        return test(subject)
    return True if test(subject) else (None if may_be_one(text, (subject,)) or "mcp" in text else False)
