"""The end of an event while a live plugin is asked: as with a script, by signals and by exceptions."""

from __future__ import annotations

import json
import signal
import subprocess

import pytest
from firing import DENIED_BY_FAILURE, before_shell, guard_text, ruling, started
from runner_jobs import DEADLINE, eventually, host, is_alive, pids_in
from stdio_plugins import before

from hookrun import HookRunner
from hookrun.running.plugins.plugins import StdioPlugins
from hookrun.running.script import Means, run_calls

SIGNALS = {signal.SIGTERM: 143, signal.SIGINT: 130, signal.SIGHUP: 129}
CHILD = "setsid sh -c 'echo $$ >>PIDS; exec sleep 600' >/dev/null 2>&1 &"
HANGING = f"read -r activate; echo '{{}}'; {CHILD} echo $$ >>PIDS; read -r request; wait; sleep 600"
NEVER_ACTIVE = f"{CHILD} echo $$ >>PIDS; wait; sleep 600"
LOGGING = "read -r activate; echo '{}'; read -r request; echo $$ >>PIDS; echo log >&2; sleep 600"


def plugin(project, tmp_path, name, script, *, hooks=1):
    """A live plugin with *hooks* entries for each event about the shell."""
    pids = tmp_path / f"pids-{name}"
    manifest = project.manifest(
        name,
        script=script.replace("PIDS", str(pids)),
        hooks=[
            {"event": event, "matcher": matcher}
            for event in ("PreToolUse", "PostToolUse")
            for matcher in ("Shell*", "*")[:hooks]
        ],
    )
    manifest.write_text(manifest.read_text().replace('"script"', '"stdio"'))
    return pids


def ended_by(number, pids, process):
    """Send the signal once the hooks run; return the exit code and stderr. No process is left."""
    running = [pid for file, count in pids for pid in pids_in(file, count)]
    process.send_signal(number)
    _, stderr = process.communicate(timeout=DEADLINE)
    assert not any(map(is_alive, running))
    return process.returncode, stderr


EMIT = {
    "guarded": ("emit", "pre", "--tool", "Shell", "--input", "{}"),
    "not guarded": ("emit", "post", "--tool", "Shell", "--input", "{}"),
}


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("words", EMIT.values(), ids=EMIT)
def test_a_signal_while_a_plugin_is_asked_ends_it_in_silence(project, tmp_path, user_environment, words, number):
    pids = plugin(project, tmp_path, "one", HANGING)
    with started(project, user_environment, *words) as process:
        assert ended_by(number, [(pids, 2)], process) == (SIGNALS[number], "")


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda *at: [(plugin(*at, "one", NEVER_ACTIVE), 2)], id="while it is activated"),
        pytest.param(lambda *at: [(plugin(*at, "one", HANGING, hooks=2), 2)], id="with a call that waits"),
        pytest.param(lambda *at: [(plugin(*at, "one", HANGING), 2), (plugin(*at, "two", HANGING), 2)], id="of two"),
        pytest.param(lambda *at: [(plugin(*at, "one", HANGING), 2), (script(*at), 1)], id="beside a script"),
    ],
)
def test_a_signal_ends_every_plugin(project, tmp_path, user_environment, make):
    pids = make(project, tmp_path)
    with started(project, user_environment, *EMIT["guarded"]) as process:
        assert ended_by(signal.SIGTERM, pids, process) == (143, "")


def script(project, tmp_path):
    pids = tmp_path / "pids-script"
    project.script(".claude/hooks/pre/bash.sh", guard_text(f"echo $$ >>{pids}", "sleep 600"))
    return pids


def test_a_signal_to_a_bridge_is_no_yes(project, tmp_path, user_environment):
    pids = plugin(project, tmp_path, "one", HANGING)
    payload = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}, "cwd": str(project.path)}
    (project.home / ".config/hookrun").mkdir(parents=True)
    (project.path / ".hookrun/plugins").rename(project.home / ".config/hookrun/plugins")
    with started(project, user_environment, "bridge", "claude", stdin=subprocess.PIPE) as process:
        process.stdin.write(json.dumps(payload))
        process.stdin.flush()
        code, stderr = ended_by(signal.SIGTERM, [(pids, 2)], process)
    assert "Traceback" not in stderr
    assert code == 2


def test_a_log_that_raises_is_a_failure_of_the_plugin(project, tmp_path, user_environment):
    pids = plugin(project, tmp_path, "one", LOGGING)

    def log(_plugin, _line):
        raise ValueError("the log is full")

    with HookRunner.discover(project.path, env=user_environment) as runner:
        (hook,) = [hook for hook in runner.loaded.registry.in_force if hook.triggers[0].event == "PreToolUse"]
        plugins = StdioPlugins(log=log)
        means = Means(
            config=runner.config,
            keep_in_file=lambda *_: "",
            launches=runner.loaded.trust.launches,
            plugins=lambda: plugins,
        )
        event = before("Shell", {}, cwd=str(project.path))
        (outcome,) = run_calls([(hook, event)], means, total_seconds=30.0)
        assert (outcome.status, outcome.cause) == ("failed", "asking the plugin failed: ValueError: the log is full")
        eventually(lambda: not any(map(is_alive, pids_in(pids))))
        plugins.close()


def test_an_exception_in_the_host_ends_the_plugin_that_is_asked(project, tmp_path, user_environment):
    pids = plugin(project, tmp_path, "one", HANGING)
    source = f"""
    from hookrun import HookRunner
    runner = HookRunner.discover({str(project.path)!r}, env={user_environment!r})
    try:
        runner.emit("PreToolUse", tool="Shell", tool_input={{}})
    except KeyboardInterrupt:
        eventually(lambda: len(os.listdir("/proc/self/task")) == 1)
        print("interrupted", flush=True)
        time.sleep(60)
    """
    with host(source) as process:
        running = pids_in(pids, 2)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        assert not any(map(is_alive, running))


@pytest.mark.parametrize("script", [HANGING, NEVER_ACTIVE], ids=["asked", "activated"])
def test_the_time_of_all_hooks_ends_a_plugin_also_while_it_starts(cli, project, tmp_path, script):
    pids = plugin(project, tmp_path, "one", script)
    project.script(".config/hookrun/config.yaml", "limits: {event_seconds: 1}\n", user=True)
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_FAILURE
    assert "the time of all hooks together was over" in ended.document["message"]
    assert ended.document["outcomes"][0]["duration_ms"] < 6000
    assert not any(map(is_alive, pids_in(pids)))
