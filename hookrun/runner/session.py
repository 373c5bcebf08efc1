"""A runner as one session of an agent sees it: its id goes with every event, call ids are made inside."""

from __future__ import annotations

from hookrun.runner.wrapping import Wrapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookrun.model.values import Decision
    from hookrun.runner.runner import HookRunner
    from hookrun.store import PendingHint


class Session:
    """One session. *wrapping* are the options of `wrap_tool` for its tools."""

    def __init__(self, runner: HookRunner, session_id: str, **wrapping: Any) -> None:
        self.id = session_id
        self._runner = runner
        self._wrapping = Wrapping(runner, session_id=session_id, **wrapping)

    def wrap(self, tool: Any, name: str | None = None) -> Any:
        """Return *tool* asking hooks in this session; see `wrap_tool`."""
        return self._wrapping.wrap(tool, name)

    def emit(self, name: str, **values: Any) -> Decision:
        """Fire an event of this session; see `HookRunner.emit`."""
        return self._runner.emit(name, session_id=self.id, **values)

    async def emit_async(self, name: str, **values: Any) -> Decision:
        """Fire an event of this session; see `HookRunner.emit_async`."""
        return await self._runner.emit_async(name, session_id=self.id, **values)

    def get_tool_hints(self, *, call_id: str | None = None, peek: bool = False) -> list[PendingHint]:
        """Return the hints that wait for this session and forget them."""
        return self._runner.get_tool_hints(session_id=self.id, call_id=call_id, peek=peek)
