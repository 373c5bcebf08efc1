"""Loading hook modules without a runner, and starting programs as modules do."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from hookrun.config.config import environment
from hookrun.config.files import read_regular
from hookrun.model import constants
from hookrun.modules.execution import Cancel, ExecResult
from hookrun.modules.host import Host, NoHost
from hookrun.modules.loading import LoadError, LoadHooksResult, load_modules, resolve_paths
from hookrun.modules.settling import value_of
from hookrun.modules.values import owner_of
from hookrun.pipeline.fire import load, split_by_trust
from hookrun.runner.effective_config import effective_config


def load_hooks(paths: Sequence[str], cwd: str | None = None, *, host: Host | None = None) -> LoadHooksResult:
    """Load the modules at *paths* (absolute, `~`, or relative to *cwd*) in their order, each file once.

    A path without a module is in ``errors`` with the reason; the others are loaded all the same. Naming a path
    trusts it.
    """
    return _load(paths, cwd, host)


def discover_and_load_hooks(
    configured_paths: Sequence[str] = (), cwd: str | None = None, *, host: Host | None = None
) -> LoadHooksResult:
    """Load the modules that are found for *cwd*, then *configured_paths*, each file once.

    Scripts and manifests are left to a HookRunner, and are not errors. An untrusted module of a project is not
    loaded: it is one of the ``errors``.
    """
    folder = os.path.abspath(cwd or os.getcwd())
    config, trust, _ = effective_config(cwd=folder, environ=environment())
    registry = load(config, trust).registry
    hook_by_owner = {owner_of(hook): hook for hook in registry.asked if hook.kind == constants.MODULE}
    trusted, refused, _ = split_by_trust([*hook_by_owner.values()], trust)

    def read(owner: str, path: str) -> bytes:
        hook = hook_by_owner.get(owner)
        return trust.read_source(hook, path) if hook is not None else read_regular(path)

    loaded = _load([*map(owner_of, trusted), *configured_paths], folder, host, read)
    errors = [LoadError(path=owner_of(hook), error=outcome.cause) for hook, outcome in refused]
    return loaded.replace(errors=(*errors, *loaded.errors))


def _load(
    paths: Sequence[str], cwd: str | None, host: Host | None, read: Callable[[str, str], bytes] | None = None
) -> LoadHooksResult:
    folder = os.path.abspath(cwd or os.getcwd())
    return load_modules(
        resolve_paths(paths, folder),
        host=host or NoHost(),
        project_dir=folder,
        run=exec_command,
        settle=value_of,
        read=read,
    )


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
    from hookrun.modules.execution import exec_command as run

    return run(
        command,
        args,
        cwd=os.path.abspath(cwd or os.getcwd()),
        env=environment() if env is None else env,
        timeout=timeout,
        cancel=cancel,
    )
