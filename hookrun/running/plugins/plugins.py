"""The stdio plugins of one runner: they live on and are asked about one event after another, to outcomes.

A plugin's failure is an Outcome, never an exception. What its answers decide is not for this room to say.
"""

from __future__ import annotations

from _thread import allocate_lock

from hookrun.model import constants
from hookrun.running.environment import depth_of
from hookrun.running.inheritance import inherited_by
from hookrun.running.plugins.plugin import StdioPlugin, close_plugins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from hookrun.config.config import Config
    from hookrun.model.values import Event, Hook, Outcome
    from hookrun.programs.command import Launch

__all__ = ["StdioPlugin", "StdioPlugins", "plugin_environment"]


class StdioPlugins:
    """The live plugins of one runner. Thread-safe; a fork of the process starts its own.

    *log* is given the id of a plugin and a line of its stderr.
    """

    def __init__(self, *, log: Callable[[str, str], None] | None = None) -> None:
        self._log = log
        self._plugins: dict[tuple[str, ...], StdioPlugin] = {}
        self._is_closed = False
        self._stamps: dict[str, object] = {}  # by the file of the manifest
        self._lock = allocate_lock()

    def renew(self, hook: Hook, stamps: object) -> None:
        """Have the plugin of *hook* be one that was started while its files had these *stamps*."""
        with self._lock:
            known = self._stamps.setdefault(hook.file, stamps)
            self._stamps[hook.file] = stamps
        if known != stamps:
            self.end(hook)

    def end(self, hook: Hook) -> None:
        """End the process of the plugin that *hook* belongs to; its next call starts another."""
        with self._lock:
            ended = [self._plugins.pop(key) for key in tuple(self._plugins) if key[0] == hook.file]
        close_plugins(ended)

    def call(
        self,
        hook: Hook,
        event: Event,
        payload: Mapping[str, Any],
        *,
        launch: Launch,
        env: Mapping[str, str],
        timeout: float,
        until: float = float("inf"),
        stops: Sequence[int] = (),
    ) -> Outcome:
        """Ask the plugin that *hook* belongs to, as ``StdioPlugin.call`` does.

        One process serves all hooks of a manifest. A manifest whose command has changed gets a new one.
        """
        key = (hook.file, *launch.argv)
        plugin = self._plugins.get(key)
        if plugin is None:
            plugin = self._plugins.setdefault(key, self._plugin(hook, launch, env))
            if self._is_closed:
                plugin.close()
        return plugin.call(event, payload, timeout=timeout, until=until, stops=stops)

    def close(self) -> None:
        """Ask all plugins to deactivate, at the same time, and end their processes."""
        self._is_closed = True
        close_plugins(list(self._plugins.values()))

    def _plugin(self, hook: Hook, launch: Launch, env: Mapping[str, str]) -> StdioPlugin:
        log = self._log
        tell = None if log is None else lambda line: log(hook.plugin, line)
        return StdioPlugin(hook.plugin, launch, hook.program.folder, env, log=tell, started_for=hook.started_for)


def plugin_environment(hook: Hook, config: Config) -> dict[str, str]:
    """Return the environment of the plugin that *hook* belongs to. It serves many events and sessions, so
    what belongs to one of them is in the requests alone."""
    depth = str(depth_of(config.environ) + 1)
    own = {constants.ENV_DEPTH: depth, "PLUGIN_ROOT": hook.program.folder}
    return inherited_by(hook, config).variables | own
