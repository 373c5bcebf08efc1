"""Loading hook modules without a runner, and starting programs as modules do."""

from __future__ import annotations

import os

from hookrun.engine.discovery import discover
from hookrun.engine.modules.host import NoHost
from hookrun.engine.modules.loading import LoadHooksResult, load_modules, resolve_paths
from hookrun.engine.modules.settling import value_of
from hookrun.engine.modules.values import owner_of
from hookrun.engine.registry import register
from hookrun.readers.config import environment, read_config
from hookrun.words import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hookrun.engine.modules.execution import Cancel, ExecResult
    from hookrun.engine.modules.host import Host


def load_hooks(paths: Sequence[str], cwd: str | None = None, *, host: Host | None = None) -> LoadHooksResult:
    """Load the modules at *paths* (absolute, `~`, or relative to *cwd*) in their order, each file once.

    A path that gives no module is in ``errors`` with the reason; the others are loaded all the same.
    """
    folder = os.path.abspath(cwd or os.getcwd())
    return load_modules(
        resolve_paths(paths, folder),
        host=host or NoHost(),
        project_dir=folder,
        run=exec_command,
        settle=value_of,
    )


def discover_and_load_hooks(
    configured_paths: Sequence[str] = (), cwd: str | None = None, *, host: Host | None = None
) -> LoadHooksResult:
    """Load the modules that are found for *cwd*, then *configured_paths*, each file once.

    Scripts and manifests that are found are no modules: a HookRunner runs them, and they are no errors.
    """
    folder = os.path.abspath(cwd or os.getcwd())
    config = read_config(cwd=folder, environ=environment())
    registry = register(discover(config).hooks, config.disable)
    found = [owner_of(hook) for hook in registry.in_force if hook.kind == names.MODULE]
    return load_hooks([*found, *configured_paths], folder, host=host)


def exec_command(
    command: str,
    args: Sequence[str] = (),
    *,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
    cancel: Cancel | None = None,
) -> ExecResult:
    """Run *command* with *args*, without a shell, supervised as every hook, and return what it did.

    *cwd* and *env* default to the process's own; *timeout* is in seconds; *cancel* ends it early. Raises
    HookrunError for a program that cannot start.
    """
    from hookrun.engine.modules.execution import exec_command as run

    return run(
        command,
        args,
        cwd=os.path.abspath(cwd or os.getcwd()),
        env=environment() if env is None else env,
        timeout=timeout,
        cancel=cancel,
    )
