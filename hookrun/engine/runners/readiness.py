"""Which descriptors have something to tell, and what is done when they do."""

from __future__ import annotations

import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_LONGEST_WAIT = 3600.0


class Readiness:
    """Descriptors, each with the action for the moment at which it is readable or its other end closed."""

    __slots__ = ("_actions", "_poll")

    def __init__(self) -> None:
        self._poll = select.poll()
        self._actions: dict[int, Callable[[], object]] = {}

    def add(self, descriptor: int, action: Callable[[], object]) -> None:
        """Call *action* whenever *descriptor* is ready; it must stand being called for nothing."""
        self._actions[descriptor] = action
        self._poll.register(descriptor, select.POLLIN)

    def remove(self, descriptor: int) -> None:
        """Forget *descriptor*, known or not; to be called before it is closed."""
        if self._actions.pop(descriptor, None) is not None:
            self._poll.unregister(descriptor)

    def wait(self, seconds: float) -> None:
        """Wait until a descriptor is ready or *seconds* are over, then act on all that are."""
        milliseconds = int(min(max(seconds, 0.0), _LONGEST_WAIT) * 1000 + 0.999)
        for descriptor, _ in self._poll.poll(milliseconds):
            action = self._actions.get(descriptor)
            if action is not None:
                action()
