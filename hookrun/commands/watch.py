"""Waiting for files to change: the only user of watchfiles."""

from __future__ import annotations

from watchfiles import watch

from hookrun.config.paths import is_inside
from hookrun.model.errors import HookrunError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from watchfiles import Change

FIRST_LOOK = 300  # milliseconds after which a watch has begun for certain
TOGETHER = 400  # milliseconds in which changes count as one


def wait_for_changes(places: Sequence[str], folders: Sequence[str]) -> Iterator[None]:
    """Yield each time something changed at *places*, which need not exist; *folders* are the folders that
    are there of them and above them, each watched without what is below it.

    Yields once when the watch has begun as well, for what changed before, and ends when a folder went
    before that. Raises KeyboardInterrupt, and HookrunError when the system cannot watch.
    """

    def is_at_places(_: Change, path: str) -> bool:
        return any(is_inside(path, place) or is_inside(place, path) for place in places)

    has_begun = False
    try:
        for changes in watch(
            *folders,
            watch_filter=is_at_places,
            recursive=False,
            debounce=TOGETHER,
            rust_timeout=FIRST_LOOK,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        ):
            if changes or not has_begun:
                yield
            has_begun = True
    except FileNotFoundError:
        yield
    except (OSError, RuntimeError) as error:
        raise HookrunError(
            f"files cannot be watched: {error}", hint="set WATCHFILES_FORCE_POLLING=1 to poll them instead"
        ) from error
