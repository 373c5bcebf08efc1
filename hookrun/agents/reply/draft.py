"""A reply as it grows: the document that an agent reads, what goes to stderr, and what could not be said."""

from __future__ import annotations

from hookrun.agents import dialect_named, own_event_name
from hookrun.agents.payload import json_text
from hookrun.agents.reply.encodings import EVENT, TEXT, way_for
from hookrun.model.constants import EXIT_DENY
from hookrun.model.events import event_named
from hookrun.model.frozen import Frozen
from hookrun.model.values import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.agents.reply.encodings import ReplyTable, Way

_NOTHING: Mapping[str, Any] = {}
_CUT = "\n[cut: {} more characters]"


class Reply(Frozen):
    """What is written to an agent, and what went differently from what hooks wanted (``problems``)."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0
    problems: tuple[Problem, ...] = ()


class Draft:
    """A reply to the canonical *event*, which the agent called *own_name*. ``is_stoppable`` says whether a
    deny can stop what the event announces, ``is_guarded`` whether a failure must."""

    def __init__(self, table: ReplyTable, event: str, own_name: str, *, has_terminal: bool) -> None:
        known = event_named(event)
        self.table = table
        self.event = event
        self.is_stoppable = known is not None and known.stops
        self.is_guarded = known is not None and known.guarded
        self._ways = table.ways_at(event, own_name)
        self._name = _own_spelling(event, own_name, table.name)
        self._has_terminal = has_terminal
        self._document: dict[str, Any] = {}
        self._stderr: list[str] = []
        self._exit_code = 0
        self._problems: list[Problem] = []

    def way(self, wish: str) -> tuple[str, Way] | None:
        """Return what *wish* becomes here, and how that is said; None for not at all."""
        return way_for(wish, self.event, self._ways, has_terminal=self._has_terminal)

    def put(self, way: Way, text: str = "", *, given: Mapping[str, Any] = _NOTHING) -> None:
        """Say *text* in this way, after what has been said in the same fields; *given* are the values of
        what else stands for one in the fields."""
        if way.by_exit_code:
            self._exit_code = EXIT_DENY
        if text and TEXT not in way.fields.values():
            self.put_on_stderr(text)
        for path, value in way.fields.items():
            *above, key = path.split(".")
            place = self._document
            for name in above:
                place = place.setdefault(name, {})
            if value == TEXT:
                place[key] = self._after(place.get(key), text)
            else:
                known = {EVENT: self._name, **given}
                place.setdefault(key, known.get(value, value) if isinstance(value, str) else value)

    def add(self, fields: Mapping[str, Any]) -> None:
        """Say *fields*, which are the agent's own, as far as nothing is said in them yet."""
        for key, value in fields.items():
            self._document.setdefault(key, value)

    def put_on_stderr(self, text: str) -> None:
        """Leave *text* for whoever reads stderr."""
        self._stderr.append(_whole(text))

    def note(self, what: str, hint: str = "") -> None:
        """Tell what the agent cannot do here, and what becomes of it."""
        message = f"{self.table.title} {what}"
        self._problems.append(Problem(message=message, source="bridge", where=self._name, hint=hint))

    def reply(self) -> Reply:
        """Return what has been said; without a word what says nothing."""
        said: Mapping[str, Any] | None = self._document or None
        if said is None and not self._exit_code:
            said = self.table.neutral if self._ways.neutral is None else self._ways.neutral
        return Reply(
            stdout="" if said is None else json_line(said),
            stderr="\n".join(self._stderr),
            exit_code=self._exit_code,
            problems=tuple(self._problems),
        )

    def _after(self, said: Any, text: str) -> Any:
        """Return *text* after what is *said*: a text, or parts of content."""
        if isinstance(said, list):
            return [*said, {"type": "text", "text": _whole(text)}]
        return self._cut("\n".join(filter(None, (said, _whole(text)))))

    def _cut(self, text: str) -> str:
        """Return *text* within the agent's limit, its beginning kept: what matters comes first."""
        limit = self.table.text_limit
        if not limit or len(text) * 2 <= limit:
            return text
        units = text.encode("utf-16-le")  # JavaScript counts these
        if len(units) <= 2 * limit:
            return text
        note = _CUT.format(len(text))
        kept = units[: 2 * (limit - len(note))].decode("utf-16-le", "ignore")
        return kept + _CUT.format(len(text) - len(kept))


def json_line(document: Mapping[str, Any]) -> str:
    """Return *document* as one line of ASCII JSON with a newline. Half a character is replaced: an agent
    that refuses it would let the tool run."""
    text = json_text(document)
    if "\\ud" in text:
        import json

        text = json_text(json.loads(_whole(json.dumps(document, ensure_ascii=False, default=str))))
    return text + "\n"


def _whole(text: str) -> str:
    """Return *text* without halves of characters, which not every reader of JSON takes."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _own_spelling(event: str, own_name: str, agent: str) -> str:
    """Return the name of *event* as the agent spells it: the one that it gave, where that is one of them."""
    dialect = dialect_named(agent)
    if dialect is None or event not in dialect.events:
        return own_name or event
    return own_name if own_name in dialect.events[event] else own_event_name(event, dialect)
