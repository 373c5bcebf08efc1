"""A call that patches several files: its hooks are asked about one file after another, and what one hook said
about all of them becomes one answer. Starts nothing itself."""

from __future__ import annotations

from hookrun.agents.payload import json_text
from hookrun.events.call_shapes import MOST_FILES, single_commands
from hookrun.events.patches import calls_of, sees_files
from hookrun.events.touched import has_patch
from hookrun.model.constants import BY_GUARD, OVER_LIMIT, RAN
from hookrun.model.opinion import added_up
from hookrun.model.values import Answer, Hint, Outcome, Verdict
from hookrun.pipeline.match import shapes_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from hookrun.model.values import Event, Hook

    Pair = tuple[Hook, Event]


AT_ONCE = 16
_MOST_SHOWN = 2_000  # characters of an input that a reason names


def ask_by_file(
    hooks: Sequence[Hook],
    event: Event,
    *,
    run: Callable[[Sequence[Pair]], list[Outcome]],
    read: Callable[[Hook, Outcome, Event], Answer],
) -> list[Answer]:
    """Return the answers of *hooks*, in their order, each about every file that the patch in *event* changes.

    Hooks that know the patching tool themselves get the call as it is, and so do all where no file can be
    read from it. *run* runs pairs of hook and event at the same time, at most 16; *read* reads what came of
    one. About more than 200 files no hook is asked: its answer is over the limit, and denies for guards.
    """
    pairs, count = _pairs(hooks, event)
    said: dict[str, list[Answer]] = {hook.id: [] for hook in hooks}
    for chunk in _chunks(pairs):
        for (hook, part), outcome in zip(chunk, run(chunk), strict=True):
            answer = read(hook, outcome, part)
            said[hook.id].append(answer if part is event else _about_a_file(answer))
    what = f"patch changes {count} files" if has_patch(event) else f"call has {count} commands or files"
    cause = f"the {what}, and hooks are asked about {MOST_FILES} at most: split it"
    over_limit = Outcome(status=OVER_LIMIT, cause=cause)
    return [joined(said[hook.id]) if said[hook.id] else read(hook, over_limit, event) for hook in hooks]


def _pairs(hooks: Sequence[Hook], event: Event) -> tuple[list[Pair], int]:
    """Return which hook is asked about which part of the call, and how many parts that is for one hook at
    most; a hook that would be asked about too many is not among them."""
    parts = calls_of(event) or single_commands(event)
    shapes = {hook.id: found for hook in hooks if (found := shapes_for(hook, event))}
    by_part = [hook for hook in hooks if parts and sees_files(hook, event)]
    pairs = [(hook, event) for hook in hooks if hook not in by_part and hook.id not in shapes]
    count = max(map(len, (parts, *shapes.values())))
    if count <= MOST_FILES:
        pairs += [(hook, part) for part in parts for hook in by_part]
        pairs += [(hook, part) for hook in hooks for part in shapes.get(hook.id, ())]
    return pairs, count


def joined(answers: Sequence[Answer]) -> Answer:
    """Return the one answer that *answers* of one hook come to: the strictest, with what all of them say."""
    first, *others = answers
    if not others:
        return first
    deciding = max(answers, key=_strictness)
    if deciding.verdict == Verdict.ALLOW != min(answer.verdict for answer in answers):
        deciding = deciding.replace(verdict=Verdict.NO_OPINION, decided_by=None)  # not of the whole patch
    counting = [answer for answer in answers if answer.verdict == deciding.verdict]
    return deciding.replace(
        message="\n".join(_distinct(answer.message for answer in counting if answer.message)),
        **{name: _distinct(value) if isinstance(value, tuple) else value for name, value in added_up(answers).items()},
        hint=_hint([answer.hint for answer in answers if answer.hint]),
        problems=_distinct(problem for answer in answers for problem in answer.problems),
        outcome=_outcome(deciding, answers),
    )


def _outcome(deciding: Answer, answers: Sequence[Answer]) -> Outcome:
    """Return the outcome of the run that decides, with the time and the problems of all."""
    outcomes = [answer.outcome for answer in answers]
    return deciding.outcome.replace(
        seconds=sum(outcome.seconds for outcome in outcomes),
        problems=_distinct(problem for outcome in outcomes for problem in outcome.problems),
    )


def _chunks(pairs: Sequence[Pair]) -> Iterator[list[Pair]]:
    """Yield *pairs* in order, as many as may run at the same time; a live plugin takes one call at a time."""
    chunk: list[Pair] = []
    for hook, part in pairs:
        is_busy = hook.runtime == "stdio" and any(other.id == hook.id for other, _ in chunk)
        if is_busy or len(chunk) == AT_ONCE:
            yield chunk
            chunk = []
        chunk.append((hook, part))
    if chunk:
        yield chunk


def _about_a_file(answer: Answer) -> Answer:
    """Return *answer*, a rewrite of one file's input as a deny that says what to write: there is no way from
    it back into the patch, and the patch as it is, is what the hook did not want to run."""
    if answer.updated_input is None:
        return answer
    wanted = json_text(dict(answer.updated_input))
    shown = wanted if len(wanted) <= _MOST_SHOWN else f"{wanted[:_MOST_SHOWN]}..."
    reason = f"it rewrites the input of one part, which the call has no place for; write it so: {shown}"
    return answer.replace(
        updated_input=None,
        verdict=Verdict.DENY,
        decided_by=BY_GUARD,
        message=f"{answer.message}\n{reason}" if answer.message else reason,
    )


def _strictness(answer: Answer) -> tuple[int, bool, bool]:
    """An intent before a mishap, and a mishap before silence."""
    return answer.verdict, answer.decided_by == BY_GUARD, answer.status != RAN


def _distinct(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(values))


def _hint(hints: Sequence[Hint]) -> Hint | None:
    if not hints:
        return None
    is_one_format = len({hint.format for hint in hints}) == 1
    text = "\n".join(_distinct(hint.text for hint in hints))
    return hints[0].replace(text=text, format=hints[0].format if is_one_format else "text")
