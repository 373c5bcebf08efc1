"""What an agent gives its modules, and what stands in where there is no agent."""

from __future__ import annotations

from hookrun.model.errors import HookrunError, UsageError
from hookrun.model.frozen import Frozen
from hookrun.modules.values import MESSAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

DELIVERIES = ("steer", "follow_up")


class SessionChange(Frozen):
    """What became of a request to change the session: ``cancelled`` when nothing was changed."""

    cancelled: bool = False


_CANCELLED = SessionChange(cancelled=True)


class Host:
    """What an agent gives its modules; give one to ``HookRunner.discover``. A member that the agent leaves
    out raises or answers as without an agent.

    Members are plain methods, called from any thread; those that change the session, and wait_for_idle,
    may block. For async handlers these run in a thread, where one that blocks should look at
    ``asking.is_withdrawn``.
    """

    @property
    def model(self) -> Any:
        """The model in use, in the agent's own terms; None when there is none."""
        return None

    @property
    def session_id(self) -> str:
        """The id of the open session, "" when there is none."""
        return ""

    @property
    def session_file(self) -> str | None:
        """The file of the open session, None when it is not kept in one."""
        return None

    def send_message(
        self,
        message: Mapping[str, Any],  # noqa: ARG002
        trigger_turn: bool = False,  # noqa: ARG002
        deliver_as: str = "steer",  # noqa: ARG002
    ) -> None:
        """Put a custom message {custom_type, content, display, details} into the session, for the model to
        see.

        *deliver_as* "steer" interrupts a running turn, "follow_up" waits for its end; with *trigger_turn*
        an idle agent takes a turn on it. Raises HookrunError.
        """
        raise _missing(self, "send_message")

    def append_entry(self, custom_type: str, data: Any = None) -> None:  # noqa: ARG002
        """Keep *data* (JSON) in the session, where the model does not see it. Raises HookrunError."""
        raise _missing(self, "append_entry")

    def entries(self) -> tuple[Mapping[str, Any], ...]:
        """Return what is kept in the open session, oldest first."""
        return ()

    def new_session(
        self,
        *,
        parent_session: str | None = None,  # noqa: ARG002
        setup: Callable[[Any], Any] | None = None,  # noqa: ARG002
    ) -> SessionChange:
        """Open a new session; *setup* gets the agent's session manager before the first turn."""
        return _CANCELLED

    def branch(self, entry_id: str) -> SessionChange:  # noqa: ARG002
        """Go on in a new branch that starts at an entry."""
        return _CANCELLED

    def navigate_tree(self, target_id: str, *, summarize: bool = False) -> SessionChange:  # noqa: ARG002
        """Go to another entry of the session tree; with *summarize* what is left behind is summed up."""
        return _CANCELLED

    def wait_for_idle(self) -> None:
        """Return when the agent has nothing to do."""

    def is_idle(self) -> bool:
        """Return whether the agent has nothing to do."""
        return True

    def abort(self) -> None:
        """Stop what the agent does."""

    def has_queued_messages(self) -> bool:
        """Return whether messages wait for the agent."""
        return False


class NoHost(Host):
    """There is no agent: send_message and append_entry raise, session changes are cancelled."""


class SmallHost(Host):
    """Keeps messages and entries for whoever looks at them later; always idle, session changes are
    cancelled. May be used from many threads.

    *keep* is called with each new document and its kind, "message" or "entry". *entries* are those of
    earlier runs. Documents are JSON-ready mappings; ``was_aborted`` says whether a module called abort.
    """

    def __init__(
        self,
        *,
        session_id: str = "",
        session_file: str | None = None,
        model: Any = None,
        entries: Iterable[Mapping[str, Any]] = (),
        keep: Callable[[str, dict[str, Any]], object] | None = None,
    ) -> None:
        self._session_id = session_id
        self._session_file = session_file
        self._model = model
        self._keep = keep
        # as text, so that nothing a module still holds can change what was kept
        self._entries = [_as_json(dict(entry), "an entry") for entry in entries]
        self._messages: list[str] = []
        self.was_aborted = False

    @property
    def model(self) -> Any:
        """The model that was given."""
        return self._model

    @property
    def session_id(self) -> str:
        """The session id that was given."""
        return self._session_id

    @property
    def session_file(self) -> str | None:
        """The session file that was given."""
        return self._session_file

    def send_message(self, message: Mapping[str, Any], trigger_turn: bool = False, deliver_as: str = "steer") -> None:
        """Keep {type: custom_message, id, timestamp, message, trigger_turn, deliver_as}; the timestamp is in
        seconds since 1970. Raises UsageError for what is not JSON and for another *deliver_as*."""
        if deliver_as not in DELIVERIES:
            raise UsageError(f"a message cannot be delivered as {deliver_as!r}", hint=" or ".join(DELIVERIES))
        document = {
            **_heading("custom_message"),
            "message": message,
            "trigger_turn": trigger_turn,
            "deliver_as": deliver_as,
        }
        self._add(MESSAGE, self._messages, _as_json(document, "a message"))

    def append_entry(self, custom_type: str, data: Any = None) -> None:
        """Keep {type: custom, id, timestamp, custom_type, data}; the timestamp is in seconds since 1970.
        Raises UsageError for data that is not JSON."""
        document = {**_heading("custom"), "custom_type": custom_type, "data": data}
        self._add("entry", self._entries, _as_json(document, f"an entry of {custom_type}"))

    def entries(self) -> tuple[dict[str, Any], ...]:
        """Return copies of all entries, oldest first."""
        return _from_json(self._entries)

    def messages(self) -> tuple[dict[str, Any], ...]:
        """Return copies of all messages, oldest first."""
        return _from_json(self._messages)

    def abort(self) -> None:
        """Note that a module wants the agent to stop."""
        self.was_aborted = True

    def _add(self, kind: str, kept: list[str], text: str) -> None:
        kept.append(text)
        if self._keep is not None:
            self._keep(kind, *_from_json([text]))


def _missing(host: Host, member: str) -> HookrunError:
    if isinstance(host, NoHost):
        return HookrunError(
            f"{member} needs an agent, and no host is attached",
            hint="give a host to HookRunner.discover(cwd, host=...)",
        )
    name = type(host).__name__
    return HookrunError(f"the host {name} has no {member}", hint=f"define {name}.{member}")


def _heading(kind: str) -> dict[str, Any]:
    import os
    import time

    return {"type": kind, "id": os.urandom(8).hex(), "timestamp": time.time()}


def _as_json(document: Mapping[str, Any], what: str) -> str:
    import json

    try:
        return json.dumps(document, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(
            f"{what} cannot be stored: {error}", hint="text, numbers, true, false, None, lists and mappings"
        ) from error


def _from_json(texts: Iterable[str]) -> tuple[dict[str, Any], ...]:
    import json

    return tuple(json.loads(text) for text in tuple(texts))
