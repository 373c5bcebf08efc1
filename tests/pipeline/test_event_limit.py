"""The time of all hooks of one event together: what counts, what it ends, and who may lift it."""

from __future__ import annotations

import json
import time

import pytest
from agent_settings import before_tools, command, group, write
from firing import (
    ALLOWED_BY_SILENCE,
    BASH_GUARD,
    DENIED_BY_FAILURE,
    before_shell,
    guard_text,
    marker_script,
    ruling,
    the_outcome,
)

from hookrun import HookRunner
from hookrun.pipeline import fire
from hookrun.pipeline.firing import FireOptions
from hookrun.running.script import Means, run_calls

USERS = ".config/hookrun/config.yaml"
OVER = "all hooks together took longer than 1 s"
SLEEPS = "exec sleep 20"


def limit(project, seconds=1):
    project.script(USERS, f"limits: {{event_seconds: {seconds}}}\n", mode=0o644, user=True)


def by_header(project):
    project.script(BASH_GUARD, guard_text("# hookrun: timeout=30s", SLEEPS))


def by_manifest(project):
    manifest = project.manifest("slow", script=SLEEPS, hooks=[{"event": "PreToolUse", "matcher": "*"}])
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "timeout": "30s"}))


def by_entry(project):
    hooks = [{"event": "PreToolUse", "matcher": "*", "timeout": "30s"}]
    project.manifest("slow", script=SLEEPS, hooks=hooks)


def by_settings(project):
    project.script(USERS, "limits: {event_seconds: 1}\non_failure: deny\n", mode=0o644, user=True)
    write(project, ".claude/settings.json", before_tools(group(command(SLEEPS, timeout=30))))


@pytest.mark.parametrize("declare", [by_header, by_manifest, by_entry, by_settings])
@pytest.mark.parametrize("by", ["user", "option"])
def test_no_declared_timeout_lifts_the_limit(cli, project, declare, by):
    declare(project)
    if by == "user" and declare is not by_settings:
        limit(project)
    ended = before_shell(cli, *(("--timeout", "1") if by == "option" else ()))
    assert ruling(ended) == DENIED_BY_FAILURE
    assert the_outcome(ended)["duration_ms"] < 8000


def test_what_the_limit_ends_says_so(cli, project):
    limit(project)
    by_header(project)
    assert OVER in before_shell(cli).document["message"]


def test_serial_hooks_share_the_limit(cli, project, tmp_path):
    limit(project)
    for name in ("a", "b", "c"):
        script = marker_script(tmp_path, name) + "sleep 0.7\n"
        hooks = [{"event": "PreToolUse", "matcher": "*", "serial": True, "timeout": "30s"}]
        project.manifest(name, script=script, hooks=hooks)
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_FAILURE
    assert [outcome["status"] for outcome in ended.document["outcomes"]] == ["ran", "timed_out", "timed_out"]
    assert [(tmp_path / name).exists() for name in "abc"] == [True, True, False]
    assert OVER in ended.document["message"]


def handler(line):
    return f"import time\ndef hook(api):\n    api.on('tool_call', lambda event, ctx: {line})\n"


@pytest.mark.parametrize("by", ["user", "option"])
def test_the_time_of_handlers_is_gone_for_processes(cli, project, by):
    if by == "user":
        limit(project, 3)
    project.script(".hookrun/hooks/slow.py", handler("time.sleep(1)"), mode=0o644)
    by_header(project)
    ended = before_shell(cli, *(("--timeout", "3") if by == "option" else ()))
    assert ruling(ended) == DENIED_BY_FAILURE
    (script,) = [each for each in ended.document["outcomes"] if each["status"] == "timed_out"]
    assert script["duration_ms"] < 2500


def test_handlers_that_take_all_of_it_leave_nothing_for_guards(cli, project, tmp_path):
    limit(project)
    project.script(".hookrun/hooks/slow.py", handler("time.sleep(20)"), mode=0o644)
    project.script(BASH_GUARD, marker_script(tmp_path, "ran"))
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_FAILURE
    assert {each["status"] for each in ended.document["outcomes"]} == {"failed", "timed_out"}
    assert not (tmp_path / "ran").exists()


def test_the_import_of_many_modules_counts(cli, project):
    limit(project, 2)
    for name in ("a", "b", "c", "d"):
        project.script(f".hookrun/hooks/{name}.py", f"import time\ntime.sleep(1)\n{handler('None')}", mode=0o644)
    began = time.monotonic()
    ended = before_shell(cli)
    assert ruling(ended) == DENIED_BY_FAILURE
    assert ended.document["duration_ms"] < 3500
    assert time.monotonic() - began < 30


def test_a_limit_that_the_user_raised_is_raised(cli, project):
    limit(project, 30)
    project.script(BASH_GUARD, guard_text("# hookrun: timeout=20s", "sleep 1"))
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


def firing(runner, **options):
    event, problems = runner.event("PreToolUse", tool="Bash", tool_input={})
    return fire.plan(event, runner.loaded, runner.config, FireOptions(**options), problems)


def test_all_hooks_of_an_event_have_60_seconds_whatever_they_declare(project, user_environment):
    project.script(BASH_GUARD, guard_text("# hookrun: timeout=200s", SLEEPS))
    with HookRunner.discover(project.path, env=user_environment) as runner:
        assert firing(runner).seconds == 60.0
        assert firing(runner, seconds=90.0).seconds == 90.0
        assert firing(runner, at_most=55.0).seconds == 55.0
        assert firing(runner, at_most=70.0).seconds == 60.0
        assert runner.config.keeps_agents_times
    limit(project, 61)
    with HookRunner.discover(project.path, env=user_environment) as runner:
        assert (firing(runner).seconds, runner.config.keeps_agents_times) == (61.0, False)


def test_entries_of_agents_settings_keep_their_time_where_nobody_has_set_a_limit(project, user_environment):
    write(project, ".claude/settings.json", before_tools(group(command("sleep 1; echo done"))))
    project.script(BASH_GUARD, guard_text(SLEEPS))
    with HookRunner.discover(project.path, env=user_environment) as runner:
        hooks = firing(runner).matches
        event, _ = runner.event("PreToolUse", tool="Bash", tool_input={})
        until = time.monotonic() + 20
        means = Means(
            config=runner.config,
            keep_in_file=lambda *_: "",
            launches=runner.loaded.trust.launches,
            settings_until=until,
        )
        outcomes = run_calls([(hook, event) for hook in hooks], means, total_seconds=0.2)
        assert {hook.kind: outcome.status for hook, outcome in zip(hooks, outcomes, strict=True)} == {
            "settings": "ended",
            "script": "timed_out",
        }
        means = means.replace(settings_until=time.monotonic() + 0.2)
        assert {each.status for each in run_calls([(hook, event) for hook in hooks], means, total_seconds=0.2)} == {
            "timed_out"
        }


def test_a_bridge_keeps_to_the_limit(cli, project):
    by_header(project)
    limit(project)
    payload = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "x"}}
    path = project.path / BASH_GUARD
    users = project.home / BASH_GUARD
    users.parent.mkdir(parents=True)
    path.rename(users)
    began = time.monotonic()
    ended = cli("bridge", "claude", input=json.dumps(payload))
    assert '"deny"' in ended.stdout or ended.code == 2
    assert OVER in ended.stdout + ended.stderr
    assert time.monotonic() - began < 15


def test_async_handlers_and_processes_share_the_limit(project, user_environment):
    import asyncio

    limit(project, 2)
    by_header(project)

    async def emit():
        async with HookRunner.discover(project.path, env=user_environment) as runner:

            async def slow(_payload, _context):
                await asyncio.sleep(1)

            runner.on("PreToolUse", "", slow)
            return await runner.emit_async("PreToolUse", tool="Bash", tool_input={})

    decision = asyncio.run(emit())
    (script,) = [answer.outcome for answer in decision.answers if answer.status == "timed_out"]
    assert script.seconds < 1.7
