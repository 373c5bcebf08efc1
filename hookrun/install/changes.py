"""An agent's file before -> after, for its settings and for executables. Pure but for the errors."""

from __future__ import annotations

import os
from collections.abc import Sequence

from hookrun.agents.settings import Installation
from hookrun.install.entries import entries, is_ours
from hookrun.install.scripts import is_our_script, is_untouched, script_texts
from hookrun.install.settings import entries_in, new_settings, with_entries, without_entries
from hookrun.install.writing import Change
from hookrun.model.errors import DocumentError, HookrunError

_BOM = b"\xef\xbb\xbf"


def put_in(wiring: Installation, others: Sequence[str], path: str, content: bytes | None, _has_backup: bool) -> Change:
    """Return the change of a settings file that puts our entries in."""
    wanted = entries(wiring, others)
    if content is None:
        return Change(content=new_settings(wiring, wanted).encode())
    mark, text = decoded(content, path)
    after = mark + with_entries(text, path, wiring, wanted).encode()
    return Change(content=after, from_before=not entries_in(text, path, wiring))


def taken_out(wiring: Installation, path: str, content: bytes | None, has_backup: bool) -> Change:
    """Return the change of a settings file that takes our entries out."""
    if content is None:
        return Change(content=None)
    mark, text = decoded(content, path)
    if not is_ours(text, wiring.agent):  # whatever else is wrong with it is no concern of ours
        return Change(content=content)
    removed = without_entries(text, path, wiring)
    if removed.is_bare and not has_backup:
        return Change(content=None)
    return Change(content=mark + removed.text.encode(), restores=True)


def script_put_in(
    wiring: Installation, others: Sequence[str], path: str, content: bytes | None, _has_backup: bool
) -> Change:
    """Return the change that makes an event's executable ours; HookrunError for one of somebody else."""
    event = os.path.basename(path)
    wanted = script_texts(wiring, others)[event].encode()
    if content is None:
        return Change(content=wanted)
    _, text = decoded(content, path)
    if is_our_script(text, wiring):
        return Change(content=wanted, from_before=not is_untouched(text, wiring))
    if is_ours(text, wiring.agent):
        return Change(content=content)  # somebody's own, which calls the bridge
    hint = f"{wiring.agent} runs one program an event: let yours run `hookrun bridge {wiring.agent}`"
    raise HookrunError("there is a hook of your own", where=path, hint=hint)


def script_taken_out(wiring: Installation, path: str, content: bytes | None, _has_backup: bool) -> Change:
    """Return the change that removes an executable of ours. Raises HookrunError for one edited by hand."""
    _, text = decoded(content or b"", path)
    if content is None or not is_our_script(text, wiring):
        return Change(content=content)
    if not is_untouched(text, wiring):
        raise HookrunError(
            "has been changed by hand", where=path, hint=f"take `hookrun bridge {wiring.agent}` out yourself"
        )
    return Change(content=None)


def decoded(content: bytes, path: str) -> tuple[bytes, str]:
    """Return the byte order mark, if there is one, and the text behind it."""
    mark = _BOM if content.startswith(_BOM) else b""
    try:
        return mark, content[len(mark) :].decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start + len(mark)) + 1
        raise DocumentError("is not UTF-8", where=path, line=line, hint="save it as UTF-8") from None
