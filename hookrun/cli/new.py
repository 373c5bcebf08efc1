"""`hookrun new`: a bundled hook, or a template to fill in, as files of the project or the user."""

from __future__ import annotations

import os

from hookrun.cli import output
from hookrun.cli.given import open_runner
from hookrun.faces.templates import templates, write_template
from hookrun.words import names
from hookrun.words.errors import HookrunError, UsageError
from hookrun.words.nearest import nearest
from hookrun.words.width import in_columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookrun.faces.filled_in import Template
    from hookrun.readers.config import Config


def run(values: dict[str, Any]) -> int:
    """Write what NAME stands for, never over an existing file; without a name list what there is."""
    known = templates()
    if values["name"] is None:
        _print_list(known, values)
        return names.EXIT_OK
    template = next((template for template in known if template.name == values["name"]), None)
    if template is None:
        near = nearest(values["name"], [template.name for template in known])
        hint = f"did you mean {near}?" if near else "`hookrun new` lists what there is"
        raise UsageError(f"there is no bundled hook or template {values['name']!r}", hint=hint)
    with open_runner(values) as runner:
        config = runner.config
    written = write_template(template, _folder(config, is_for_user=values["user"]))
    if values["format"] == "json":
        output.write_json({"name": template.name, "written": written, "next": template.attempt})
    else:
        paths = [f"wrote {output.harmless(os.path.relpath(path, config.cwd))}\n" for path in written]
        output.write("".join(paths) + f"try   {template.attempt}\n")
    return names.EXIT_OK


def _print_list(known: list[Template], values: dict[str, Any]) -> None:
    if values["format"] == "json":
        output.write_json(
            [{"name": each.name, "kind": each.kind, "description": each.description} for each in known]
        )
    else:
        lines = in_columns((each.name, each.kind, each.description) for each in known)
        output.write("".join(f"{line}\n" for line in lines))


def _folder(config: Config, *, is_for_user: bool) -> str:
    if not is_for_user:
        return os.path.join(config.root, ".hookrun")
    if not config.user_folder:
        raise HookrunError("there is no home folder for --user", hint="set HOME, or leave out --user")
    return config.user_folder
