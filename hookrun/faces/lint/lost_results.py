"""Modules that change results of tools, beside bridges to agents that take no changed one. Runs nothing."""

from __future__ import annotations

from hookrun.engine.modules.values import owner_of
from hookrun.faces.lint.finding import Finding
from hookrun.readers.dialects.replies import reply_table
from hookrun.words import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hookrun.words.model import Hook

_HANDLES = b"tool_result"  # the event whose handlers can change a result, and their only name for it
_MOST = 1_000_000  # bytes of a module that are looked at


def find_lost_results(hooks: Iterable[Hook], agents: Iterable[str]) -> Iterator[Finding]:
    """Yield a finding for each of *hooks* that may change results and each of *agents* that takes none."""
    deaf = [table for table in map(reply_table, agents) if table.ways_at("PostToolUse", "").result is None]
    for hook in hooks if deaf else ():
        if hook.kind == names.MODULE and _may_change_results(hook):
            for table in deaf:
                yield Finding(
                    message=f"it changes results; {table.title} takes no changed results",
                    file=hook.file,
                    hook=hook.id,
                    hint="it has no effect there: the model gets them as they were",
                )


def _may_change_results(hook: Hook) -> bool:
    try:
        with open(owner_of(hook), "rb") as file:
            return _HANDLES in file.read(_MOST)
    except OSError:
        return False
