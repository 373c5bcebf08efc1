"""`hookrun new`: a bundled hook, or a template to fill in, as files of the project or the user."""

from __future__ import annotations

import os
from typing import Any

from hookrun.cli import output
from hookrun.cli.event_input import open_runner
from hookrun.commands.new import Template, templates, write_template
from hookrun.commands.trust import candidates, remember
from hookrun.config.config import Config
from hookrun.model import constants
from hookrun.model.errors import HookrunError, StoreError, UsageError
from hookrun.model.text import did_you_mean
from hookrun.model.width import in_columns
from hookrun.runner import agent_variable


def run(values: dict[str, Any]) -> int:
    """Write what NAME stands for, never over an existing file; without a name list what there is."""
    known = templates()
    if values["name"] is None:
        _print_list(known, values)
        return constants.EXIT_OK
    template = next((template for template in known if template.name == values["name"]), None)
    if template is None:
        names = [template.name for template in known]
        hint = did_you_mean(values["name"], names, "`hookrun new` lists them")
        raise UsageError(f"unknown hook or template {values['name']!r}", hint=hint)
    with open_runner(values) as runner:
        config = runner.config
    written = write_template(template, _folder(config, is_for_user=values["user"]))
    is_trusted = values["user"] or _is_trusted(template, written, values)
    if values["format"] == "json":
        result = {"name": template.name, "written": written, "trusted": is_trusted, "next": template.attempt}
        output.write_json(result)
    else:
        paths = [f"wrote {output.harmless(os.path.relpath(path, config.cwd))}\n" for path in written]
        trust = "then  hookrun trust, once it is what you want\n"
        if is_trusted:
            trust = "" if values["user"] else "trusted as it was written\n"
        output.write("".join(paths) + trust + f"try   {template.attempt}\n")
    return constants.EXIT_OK


def _is_trusted(template: Template, written: list[str], values: dict[str, Any]) -> bool:
    """Trust the copy of a bundled hook that a person has made: they need not look at what they have asked
    for. What an agent asks for, and templates that are yet to be filled in, wait for `hookrun trust`."""
    with open_runner(values) as runner:
        if template.kind != "bundled" or agent_variable(runner.config.environ):
            return False
        chosen = candidates(runner, [path for path in written if os.path.dirname(path).endswith("manifests")])
        try:
            remember(runner, chosen)
        except StoreError as error:
            output.warn(f"{error.message}: trust it yourself")
            return False
    return True


def _print_list(known: list[Template], values: dict[str, Any]) -> None:
    if values["format"] == "json":
        output.write_json([{"name": each.name, "kind": each.kind, "description": each.description} for each in known])
    else:
        lines = in_columns((each.name, each.kind, each.description) for each in known)
        output.write("".join(f"{line}\n" for line in lines))


def _folder(config: Config, *, is_for_user: bool) -> str:
    if not is_for_user:
        return os.path.join(config.root, ".hookrun")
    if not config.user_folder:
        raise HookrunError("no home folder for --user", hint="set HOME, or leave out --user")
    return config.user_folder
