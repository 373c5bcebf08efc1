"""An opinion, what a JSON answer says, and how several become one. Values only."""

from __future__ import annotations

from hookrun.model.frozen import Frozen
from hookrun.model.values import Verdict

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from hookrun.model.values import Problem


_TEXTS = ("context", "feedback", "user_messages")


class Opinion(Frozen):
    """What a JSON answer says."""

    verdict: Verdict = Verdict.NO_OPINION
    message: str = ""  # the reason of the verdict
    halt: bool = False  # the agent shall stop altogether
    updated_input: Mapping[str, Any] | None = None  # replaces the tool's input
    context: tuple[str, ...] = ()  # for the model
    feedback: tuple[str, ...] = ()  # for the model, about a tool that has run
    user_messages: tuple[str, ...] = ()
    data: Mapping[str, Any] | None = None  # of results of the SDK
    faults: tuple[str, ...] = ()  # each makes it a bad answer
    foreign: tuple[str, ...] = ()  # refusals in words that are not hookrun's: a guard's are faults
    problems: tuple[Problem, ...] = ()  # flaws that leave the rest usable

    @property
    def is_strict(self) -> bool:
        """Whether the verdict is ask, defer or deny."""
        return self.verdict > Verdict.ALLOW

    def only_if_stricter(self) -> Opinion:
        """Return the opinion reduced to what can make the result stricter: a refusal and its reason, or nothing."""
        if not self.is_strict:
            return Opinion(faults=self.faults, foreign=self.foreign)
        return Opinion(
            verdict=self.verdict,
            message=self.message,
            halt=self.halt,
            user_messages=self.user_messages,
            faults=self.faults,
        )


def merged(opinions: Sequence[Opinion]) -> Opinion:
    """Return *opinions* of one hook as one: the strictest verdict and its message, the first rewrite; of the
    rest everything, in order."""
    strictest_first = sorted(opinions, key=lambda opinion: -opinion.verdict)
    rewrites = [opinion.updated_input for opinion in opinions if opinion.updated_input is not None]
    return Opinion(
        verdict=strictest(opinion.verdict for opinion in opinions),
        message=next((opinion.message for opinion in strictest_first if opinion.message), ""),
        updated_input=rewrites[0] if rewrites else None,
        faults=tuple(fault for opinion in opinions for fault in opinion.faults),
        foreign=tuple(said for opinion in opinions for said in opinion.foreign),
        problems=tuple(problem for opinion in opinions for problem in opinion.problems),
        **added_up(opinions),
    )


def strictest(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict that holds: deny > defer > ask > allow > no opinion."""
    return max(verdicts, default=Verdict.NO_OPINION)


def added_up(parts: Sequence[Any]) -> dict[str, Any]:
    """Return the fields in which opinions, or answers, of several add up, whatever their verdicts are: all
    texts in order, a halt of any, and of data what the first says under a key."""
    given = [part.data for part in parts if part.data is not None]
    data: dict[str, Any] = {}
    for mapping in given:
        data.update((key, value) for key, value in mapping.items() if key not in data)
    return {
        **{name: tuple(text for part in parts for text in getattr(part, name)) for name in _TEXTS},
        "halt": any(part.halt for part in parts),
        "data": data if given else None,
    }
