"""The two ways to go through a wrapped call: in place, for sync tools, and awaiting, for async ones."""

from __future__ import annotations

from typing import Any

from hookrun.model.values import Decision
from hookrun.modules.settling import value_of
from hookrun.modules.ui.asking import in_thread
from hookrun.modules.ui.interface import UserInterface
from hookrun.runner.runner import HookRunner


class InPlace:
    """Nothing is ever suspended, so that `finished` can drive it."""

    is_async = False

    async def emit(self, runner: HookRunner, name: str, values: dict[str, Any]) -> Decision:
        """Fire an event."""
        return runner.emit(name, **values)

    async def settle(self, value: Any) -> Any:
        """Return what a callback came to; one that is async is run to its end."""
        return value_of(value) if hasattr(value, "__await__") else value

    async def confirm(self, interface: UserInterface, title: str, message: str) -> bool:
        """Ask a person."""
        return interface.confirm(title, message)


class Awaiting:
    """The caller's loop goes on meanwhile."""

    is_async = True

    async def emit(self, runner: HookRunner, name: str, values: dict[str, Any]) -> Decision:
        """Fire an event."""
        return await runner.emit_async(name, **values)

    async def settle(self, value: Any) -> Any:
        """Return what a callback came to."""
        return await value if hasattr(value, "__await__") else value

    async def confirm(self, interface: UserInterface, title: str, message: str) -> bool:
        """Ask a person, in a thread."""
        return await in_thread(interface.confirm, title, message)


Way = InPlace | Awaiting
