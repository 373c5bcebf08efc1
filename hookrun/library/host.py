"""The host of modules where there is no agent: what they say is kept in the store, each session's apart."""

from __future__ import annotations

from hookrun.engine.modules.host import Host, SmallHost
from hookrun.engine.modules.modules import event_under_way

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


class StoredHost(Host):
    """Keeps messages and entries for the session of the event under way; always idle, session changes are
    cancelled. May be used from many threads.

    *keep* gets the session and what SmallHost keeps; *entries* returns what a session has so far.
    """

    def __init__(
        self,
        keep: Callable[[str, str, Mapping[str, Any]], object],
        entries: Callable[[str], tuple[dict[str, Any], ...]],
    ) -> None:
        self._keep = keep
        self._entries = entries

    @property
    def model(self) -> Any:
        """The model that the event under way names, None when it names none."""
        event = event_under_way.get()
        return None if event is None else event.extra.get("model")

    def send_message(
        self, message: Mapping[str, Any], trigger_turn: bool = False, deliver_as: str = "steer"
    ) -> None:
        """As SmallHost.send_message."""
        self._small().send_message(message, trigger_turn=trigger_turn, deliver_as=deliver_as)

    def append_entry(self, custom_type: str, data: Any = None) -> None:
        """As SmallHost.append_entry."""
        self._small().append_entry(custom_type, data)

    def entries(self) -> tuple[dict[str, Any], ...]:
        """Return the entries of the session, those of earlier runs first."""
        return self._entries(_session())

    def _small(self) -> SmallHost:
        session = _session()
        return SmallHost(keep=lambda kind, document: self._keep(session, kind, document))


def _session() -> str:
    event = event_under_way.get()
    return "" if event is None else event.session_id
