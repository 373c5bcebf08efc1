"""Variables that an installed command cannot hold off: shells and loaders obey them before its first word."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

from hookrun.config.documents import read_document
from hookrun.install.place import Place
from hookrun.model import constants
from hookrun.model.errors import DocumentError
from hookrun.model.values import Problem

OBEYED = (
    "BASH_ENV SHELLOPTS ZDOTDIR LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH"
    " OPENSSL_CONF"
).split()
_REPLACED = "PATH HOME XDG_STATE_HOME XDG_CONFIG_HOME".split()  # that settings of a project set, not a person
_LOCAL = "settings.local.json"


def problems_around(place: Place, agent: str, file: str) -> Iterator[Problem]:
    """Yield a problem for each such variable that names something of the project here, or that is set by
    *agent*'s settings *file* or by the file beside it that is for one person alone."""
    hint = "unset it where the agent starts, unless you know what it is for"
    for name in OBEYED:
        if _is_of_project(place.environ.get(name, ""), place.root):
            yield Problem(message=f"{name} is set: {agent} runs what it names before hookrun", hint=hint)
    for path in (file, os.path.join(os.path.dirname(file), _LOCAL)):
        for name in _set_by(path):
            if name in (*OBEYED, *_REPLACED) or name.startswith("BASH_FUNC_"):
                yield Problem(
                    message=f"it sets {name} for {agent}: that can take the place of hookrun",
                    source=path,
                    where=f"env.{name}",
                    hint="take it out, unless you know what it is for",
                )


def _is_of_project(value: str, root: str) -> bool:
    """Say whether a list of paths has one that is relative or in the project. Options count as relative."""
    parts = re.split("[:; ]+", value) if value else []
    return any(not os.path.isabs(part) or f"{part}/".startswith(f"{root}/") for part in parts if part)


def _set_by(path: str) -> Mapping[str, object]:
    try:
        value = read_document(path, limit=constants.PAYLOAD_LIMIT, comments=True).value
    except DocumentError:  # its own agent tells that
        return {}
    found = value.get("env") if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}
