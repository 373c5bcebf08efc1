"""The host of modules where there is no agent: what they say is kept in the store, each session's apart."""

from __future__ import annotations

from _thread import allocate_lock
from collections import deque

from hookrun.modules.host import Host, SmallHost
from hookrun.modules.modules import event_under_way
from hookrun.modules.values import MESSAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hookrun.model.values import Event

_MOST_SENT = 1000  # messages that wait for an event to go with


class StoredHost(Host):
    """Keeps messages and entries for the session of the event under way; always idle, session changes are
    cancelled. May be used from many threads.

    *keep* gets the session and what SmallHost keeps; *entries* returns what a session has so far. What was
    sent for the model is handed out once, by ``take_messages``.
    """

    def __init__(
        self,
        keep: Callable[[str, str, Mapping[str, Any]], object],
        entries: Callable[[str], tuple[dict[str, Any], ...]],
    ) -> None:
        self._keep = keep
        self._entries = entries
        self._sent: deque[tuple[Event | None, dict[str, Any]]] = deque(maxlen=_MOST_SENT)
        self._lock = allocate_lock()

    @property
    def model(self) -> Any:
        """The model that the event under way names, None when it names none."""
        event = event_under_way.get()
        return None if event is None else event.extra.get("model")

    def send_message(self, message: Mapping[str, Any], trigger_turn: bool = False, deliver_as: str = "steer") -> None:
        """As SmallHost.send_message."""
        self._small().send_message(message, trigger_turn=trigger_turn, deliver_as=deliver_as)

    def take_messages(self, event: Event) -> tuple[dict[str, Any], ...]:
        """Return the messages that were sent while *event* was handled or outside of any, and forget them."""
        if not self._sent:
            return ()
        with self._lock:
            taken = [sent for sent in self._sent if sent[0] is None or sent[0] is event]
            for sent in taken:
                self._sent.remove(sent)
        return tuple(document for _, document in taken)

    def append_entry(self, custom_type: str, data: Any = None) -> None:
        """As SmallHost.append_entry."""
        self._small().append_entry(custom_type, data)

    def entries(self) -> tuple[dict[str, Any], ...]:
        """Return the entries of the session, those of earlier runs first."""
        return self._entries(_session())

    def _small(self) -> SmallHost:
        event = event_under_way.get()
        session = _session()

        def keep(kind: str, document: dict[str, Any]) -> None:
            self._keep(session, kind, document)
            if kind == MESSAGE:
                with self._lock:
                    self._sent.append((event, document))

        return SmallHost(keep=keep)


def _session() -> str:
    event = event_under_way.get()
    return "" if event is None else event.session_id
