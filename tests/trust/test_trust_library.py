"""Trust in a program that lives on: what changes under it, and what a person trusts meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from firing import BASH_GUARD, DENY
from trusted import TRUST_ALL, repository, trust

from hookrun import HookRunner
from hookrun.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from hookrun import Decision

ALLOW = '#!/bin/sh\necho \'{"decision": "allow"}\'\n'
STDIO = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    print('{}' if "activate" in line else '{"hook_result": {"decision": "allow"}}', flush=True)
"""
ALLOWED = ("allow", "guard")
DENIED = ("deny", "trust")
BLOCKED = ("deny", "guard")
ASKED = ("ask", "trust")


@pytest.fixture
def discover(project, untrusting) -> Callable[..., HookRunner]:
    return lambda **options: HookRunner.discover(project.path, env=untrusting, **options)


def before_shell(runner: HookRunner) -> Decision:
    return runner.emit("PreToolUse", tool="Shell", tool_input={"command": "ls"})


def says(runner: HookRunner) -> tuple[str | None, str | None]:
    decision = before_shell(runner)
    return decision.verdict.word, decision.decided_by


def test_what_is_untrusted_is_told_and_does_not_run(project, discover):
    script = project.script(BASH_GUARD, DENY)
    with discover() as runner:
        assert [hook.file for hook in runner.untrusted] == [str(script)]
        assert before_shell(runner).untrusted == 1
        assert says(runner) == ASKED
    with discover(trust="project") as runner:
        assert runner.untrusted == ()
        assert before_shell(runner).untrusted == 0
        assert says(runner) == BLOCKED


def test_trust_of_the_call_takes_the_place_of_the_variable(project, discover, untrusting):
    project.script(BASH_GUARD, DENY)
    untrusting |= TRUST_ALL
    with discover(trust="") as runner:
        assert says(runner) == ASKED
    with discover() as runner:
        assert says(runner) == BLOCKED


def test_a_ref_can_be_given(project, discover):
    script = project.script(BASH_GUARD, ALLOW)
    repository(project)
    with discover(trust="ref:HEAD") as runner:
        assert says(runner) == ALLOWED
        script.write_text(DENY)
        assert says(runner) == DENIED
    with pytest.raises(ConfigError):
        discover(trust="ref:nowhere")


@pytest.mark.parametrize("word", ["all", "ref:", "Project", "yes"])
def test_a_word_that_means_nothing_is_refused(word, discover):
    with pytest.raises(ConfigError, match="unknown trust"):
        discover(trust=word)


def test_a_script_that_changes_under_a_runner_denies_until_it_is_trusted(cli, project, discover):
    script = project.script(BASH_GUARD, ALLOW)
    trust(cli)
    with discover() as runner:
        assert says(runner) == ALLOWED
        script.write_text(DENY)
        assert says(runner) == DENIED
        trust(cli)
        assert says(runner) == BLOCKED
        script.write_text(ALLOW)
        assert says(runner) == ALLOWED
        cli("untrust", BASH_GUARD)
        assert says(runner) == ASKED


def test_a_script_that_is_trusted_under_a_runner_runs(cli, project, discover):
    project.script(BASH_GUARD, ALLOW)
    with discover() as runner:
        assert says(runner) == ASKED
        trust(cli)
        assert says(runner) == ALLOWED


@pytest.mark.parametrize("way", ["deleted", "renamed"])
def test_a_script_that_goes_under_a_runner_denies(way, cli, project, discover):
    script = project.script(BASH_GUARD, ALLOW)
    trust(cli)
    with discover() as runner:
        assert says(runner) == ALLOWED
        if way == "deleted":
            script.unlink()
        else:
            script.rename(script.with_suffix(".off"))
        assert says(runner) == DENIED
    with discover() as runner:
        assert says(runner) == DENIED
        project.script(BASH_GUARD, ALLOW)
        assert says(runner) == DENIED  # it looks for hooks once
    with discover() as runner:
        assert says(runner) == ALLOWED


def test_a_header_that_changes_under_a_runner_needs_another_runner(cli, project, discover):
    script = project.script(BASH_GUARD, ALLOW)
    trust(cli)
    with discover() as runner:
        script.write_text(ALLOW.replace("\n", "\n# hookrun: timeout=5s\n", 1))
        trust(cli)
        assert says(runner) == DENIED
        assert "found when the hooks were looked for" in before_shell(runner).message
    with discover() as runner:
        assert says(runner) == ALLOWED


def test_a_live_plugin_is_looked_at_for_every_event(cli, project, discover):
    manifest = project.manifest("demo", script="", hooks=[{"event": "PreToolUse"}])
    manifest.write_text(manifest.read_text().replace("sh hook.sh", "python3 main.py").replace('"script"', '"stdio"'))
    main = manifest.parent / "main.py"
    main.write_text(STDIO)
    trust(cli)
    with discover() as runner:
        assert says(runner) == ALLOWED
        main.write_text(f"{STDIO}#\n")
        assert says(runner) == DENIED
        main.write_text(STDIO)
        assert says(runner) == ALLOWED
        (manifest.parent / "more.py").write_text("")
        assert says(runner) == DENIED
