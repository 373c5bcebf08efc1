"""`hookrun bridge`: an agent's event on stdin, the decision in its own form on stdout, exit code 0 or 2."""

from __future__ import annotations

import json
import os
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest
from command import CHECKOUT, HOOKRUN
from firing import BASH_GUARD, DENY, NO, guard_text, marker_script, says, started

from hookrun.agents import protocol_of
from hookrun.commands.bridge import with_trust_notice
from hookrun.model.values import Answer, Decision, Event, Hook, Outcome, Program, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from command import Ended, Project

RECORDED = ("claude", "codex", "gemini")


@pytest.fixture
def cli(cli: Callable[..., Ended]) -> Callable[..., Ended]:
    """Run hookrun; what is there is trusted before a bridge, for which HOOKRUN_TRUST does not count."""

    def run(*words: str, **options: Any) -> Ended:
        if words[:1] == ("bridge",):
            cli("trust", "--yes")
        return cli(*words, **options)

    return run


def recorded(agent: str, project: Project) -> list[dict[str, Any]]:
    """The events that were recorded from *agent*, as if they had happened in *project*."""
    lines = (CHECKOUT / f"tests/payloads/{agent}.jsonl").read_text().splitlines()
    return [json.loads(line.replace("/home/dev/project", str(project.path))) for line in lines]


def shell_call(agent: str, project: Project) -> dict[str, Any]:
    """The first recorded event before a command."""
    before = ("PreToolUse", "BeforeTool")
    shells = ("Bash", "run_shell_command")
    events = recorded(agent, project)
    return next(event for event in events if event["hook_event_name"] in before and event["tool_name"] in shells)


def told(event: str, **fields: Any) -> str:
    return json.dumps({"hook_event_name": event, "session_id": "s1", **fields})


def own(event: str, **fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


BEFORE_SHELL = told("PreToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_use_id="t1")
AFTER_SHELL = told("PostToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_response="x", tool_use_id="t1")


@pytest.mark.parametrize("agent", RECORDED)
def test_one_guard_denies_for_every_recorded_agent(cli, project, agent) -> None:
    project.script(BASH_GUARD, DENY)
    reason = f"{BASH_GUARD}: {NO}"
    ended = cli("bridge", agent, input=json.dumps(shell_call(agent, project)))
    permission = own("PreToolUse", permissionDecision="deny", permissionDecisionReason=reason)
    expected = {"decision": "deny", "reason": reason} if agent == "gemini" else permission
    assert (ended.document, ended.code, ended.stderr) == (expected, 0, "")
    assert ended.stdout.count("\n") == 1


@pytest.mark.parametrize("agent", RECORDED)
def test_recorded_events_without_hooks_get_no_answer(cli, project, agent) -> None:
    for event in recorded(agent, project):
        ended = cli("bridge", agent, input=json.dumps(event))
        assert (ended.stdout, ended.stderr, ended.code) == ("", "", 0), event


@pytest.mark.parametrize(
    "given",
    [
        "",
        " \n",
        "[]",
        "null",
        '"PreToolUse"',
        "{",
        "{}{}",
        "{" * 100_000,
        '{"session_id": "s"}',
        '{"hook_event_name": ""}',
        '{"hook_event_name": 7}',
        '{"hook_event_name": "NoSuchEvent"}',
        '{"hook_event_name": "PreToolUse"}',
        '{"hook_event_name": "PreToolUse", "tool_name": ""}',
        '{"hook_event_name": "PreToolUse", "tool_name": 3}',
        '{"hook_event_name": "PostToolUse"}',
    ],
)
@pytest.mark.parametrize("agent", ["claude", "cursor"])
def test_stdin_that_tells_nothing_is_exit_code_2_with_a_reason(cli, agent, given) -> None:
    ended = cli("bridge", agent, input=given)
    assert ended.code == 2
    assert ended.stderr.startswith("hookrun: ")
    assert len(ended.stderr) < 1000
    if agent == "cursor":
        assert ended.document["permission"] == "deny"
    else:
        assert ended.stdout == ""


def test_stdin_is_read_to_one_whole_document_or_the_deadline(cli, project, user_environment) -> None:
    project.script(BASH_GUARD, DENY)
    cli("trust", "--yes")
    with started(project, user_environment, "bridge", "claude", stdin=subprocess.PIPE) as bridge:
        bridge.stdin.write(BEFORE_SHELL)
        bridge.stdin.flush()  # and never closed
        assert '"deny"' in bridge.stdout.readline()
        assert bridge.wait(60) == 0
    with started(project, user_environment, "bridge", "claude", stdin=subprocess.PIPE) as bridge:
        bridge.stdin.write(BEFORE_SHELL[:-1])
        bridge.stdin.flush()
        assert bridge.wait(60) == 2
        assert "no complete payload within 5 s" in bridge.stderr.read()


def test_a_payload_above_16_mib_is_refused(cli) -> None:
    ended = cli("bridge", "claude", input='{"hook_event_name": "' + "x" * (17 * 2**20))
    assert (ended.code, ended.stdout) == (2, "")
    assert "larger than 16 MiB" in ended.stderr


def test_a_closed_stdin_is_refused(project, user_environment) -> None:
    line = f"exec '{HOOKRUN}' bridge claude <&-"
    done = subprocess.run(["sh", "-c", line], cwd=project.path, env=user_environment, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"stdin: is empty" in done.stderr


@pytest.mark.parametrize("redirection", [">&-", ">/dev/full"])
def test_a_deny_that_cannot_be_written_is_exit_code_2(project, user_environment, redirection) -> None:
    def run(event: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["sh", "-c", f"exec '{HOOKRUN}' bridge claude {redirection}"],
            cwd=project.path,
            env=user_environment,
            input=event.encode(),
            stderr=subprocess.PIPE,
            timeout=60,
        )

    project.script(BASH_GUARD, DENY)
    project.script(".claude/hooks/pre/stop.sh", DENY)
    denied = run(BEFORE_SHELL)
    assert denied.returncode == 2
    assert b"stdout cannot be written" in denied.stderr
    assert run(told("Stop")).returncode == 0


@pytest.mark.parametrize(
    "words",
    [(), ("nope",), ("claude", "--bad"), ("claude", "codex"), ("claude", "--with", "nope"), ("claude", "--event")],
)
def test_a_wrong_call_is_exit_code_2_and_never_64(cli, words) -> None:
    ended = cli("bridge", *words, input=BEFORE_SHELL)
    assert (ended.code, ended.stdout) == (2, "")
    assert "error: " in ended.stderr


def test_help_is_no_answer_to_an_agent(cli) -> None:
    assert cli("bridge", "--help").code == 0


@pytest.mark.parametrize("agent", ["claude", "cline"])
def test_a_failure_of_hookrun_denies_what_is_guarded(cli, project, agent) -> None:
    project.script(".hookrun/config.yaml", "limits: {process_hooks: none}\n")
    ended = cli("bridge", agent, input=BEFORE_SHELL)
    assert "limits.process_hooks must be a number" in ended.stderr
    if agent == "claude":
        assert (ended.stdout, ended.code) == ("", 2)
    else:
        assert (ended.document["cancel"], ended.code) == (True, 0)
        assert "limits.process_hooks" in ended.document["errorMessage"]
    for event in ("Stop", "SessionStart", "PreCompact"):
        ended = cli("bridge", "claude", input=told(event))
        assert (ended.stdout, ended.code) == ("", 0)
        assert "limits.process_hooks" in ended.stderr


def test_a_guard_that_cannot_run_denies(cli, project) -> None:
    project.script(BASH_GUARD, "#!/nowhere/sh\n")
    mine = cli("bridge", "claude", input=BEFORE_SHELL).document["hookSpecificOutput"]
    assert mine["permissionDecision"] == "deny"
    assert "/nowhere/sh" in mine["permissionDecisionReason"]


def test_an_interrupted_bridge_denies(cli, project, user_environment, tmp_path) -> None:
    project.script(BASH_GUARD, marker_script(tmp_path, "ran") + "exec sleep 60\n")
    cli("trust", "--yes")
    with started(project, user_environment, "bridge", "claude", stdin=subprocess.PIPE) as bridge:
        bridge.stdin.write(BEFORE_SHELL)
        bridge.stdin.close()
        wait_for(tmp_path / "ran")
        bridge.terminate()
        assert bridge.wait(60) == 2
        assert "stopped by signal 15" in bridge.stderr.read()


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_rewrite_is_whole_and_in_the_agents_keys(cli, project) -> None:
    answer = {"decision": "allow", "updatedInput": {"path": "b", "content": "c"}}
    project.script(".xcsh/hooks/pre/write.sh", guard_text(f"echo '{json.dumps(answer)}'"))
    call = told("BeforeTool", tool_name="write_file", tool_input={"file_path": "a", "content": "c"})
    document = cli("bridge", "gemini", input=call).document
    rewrite = own("BeforeTool", tool_input={"file_path": "b", "content": "c"})
    assert document["hookSpecificOutput"] == rewrite["hookSpecificOutput"]


def test_feedback_after_a_tool_is_the_agents_own(cli, project) -> None:
    project.script(".claude/hooks/post/bash.sh", DENY)
    said = cli("bridge", "claude", input=AFTER_SHELL).document
    assert said["decision"] == "block"
    assert NO in said["reason"]
    after = told("AfterTool", tool_name="run_shell_command", tool_input={"command": "ls"})
    assert NO in cli("bridge", "gemini", input=after).document["hookSpecificOutput"]["additionalContext"]


def test_hints_go_with_the_result_once(cli, project) -> None:
    project.script(".claude/hooks/post/bash.sh", says("md|mind the gap"))
    first = cli("bridge", "claude", input=AFTER_SHELL)
    assert first.document == own("PostToolUse", additionalContext="mind the gap")
    assert cli("hints", "--session", "s1").stdout == ""
    project.script(".claude/hooks/post/bash.sh", "#!/bin/sh\n")
    assert cli("bridge", "claude", input=AFTER_SHELL).stdout == ""


def test_a_hint_from_before_a_tool_goes_with_its_result(cli, project) -> None:
    project.script(BASH_GUARD, says("md|look before"))
    assert cli("bridge", "claude", input=BEFORE_SHELL).stdout == ""
    document = cli("bridge", "claude", input=AFTER_SHELL).document
    assert document == own("PostToolUse", additionalContext="look before")


def test_hints_wait_where_the_agent_takes_none(cli, project) -> None:
    project.script(".claude/hooks/post/bash.sh", says("md|still here"))
    event = {"agent_action_name": "post_run_command", "trajectory_id": "s1", "tool_info": {"command_line": "ls"}}
    assert cli("bridge", "windsurf", input=json.dumps(event)).stdout == ""
    assert cli("hints", "--session", "s1").stdout == "still here\n"


STOP_GUARD = ".claude/hooks/pre/stop.sh"


@pytest.mark.parametrize("event", ["Stop", "SubagentStop"])
def test_an_agent_is_sent_back_8_times_in_a_row(cli, project, event) -> None:
    project.script(f".claude/hooks/pre/{'stop' if event == 'Stop' else 'sub-agent-stop'}.sh", DENY)
    for _ in range(2):
        for _ in range(8):
            assert cli("bridge", "claude", input=told(event)).document["decision"] == "block"
        ended = cli("bridge", "claude", input=told(event))
        assert "8 times in a row" in ended.document["systemMessage"]
        assert "decision" not in ended.document
        assert "8 times in a row" in ended.stderr


def test_a_prompt_or_a_stop_that_passes_begins_the_count_anew(cli, project, user_environment) -> None:
    project.script(STOP_GUARD, DENY)

    def send_back(times: int, session: str = "s1") -> None:
        for _ in range(times):
            document = cli("bridge", "claude", input=told("Stop", session_id=session)).document
            assert document["decision"] == "block"

    send_back(6)
    send_back(8, "another session")
    assert cli("bridge", "claude", input=told("UserPromptSubmit", prompt="go on")).stdout == ""
    send_back(6)
    project.script(STOP_GUARD, "#!/bin/sh\n")
    assert cli("bridge", "claude", input=told("Stop", stop_hook_active=True)).stdout == ""
    project.script(STOP_GUARD, DENY)
    send_back(8)
    assert "decision" not in cli("bridge", "claude", input=told("Stop")).document
    stops = os.path.join(user_environment["XDG_STATE_HOME"], "hookrun/stops")
    assert len(os.listdir(stops)) == 1


def test_a_prompt_that_repeats_the_reason_does_not_begin_the_count_anew(cli, project) -> None:
    project.script(STOP_GUARD, DENY)

    def stop(*, is_sent_back: bool) -> Any:
        given = told("AfterAgent", prompt="go", prompt_response="x", stop_hook_active=is_sent_back)
        cli("bridge", "gemini", input=told("BeforeAgent", prompt=NO if is_sent_back else "go"))
        return cli("bridge", "gemini", input=given).document

    for _ in range(2):  # the second time its user has prompted it again
        sent_back = [stop(is_sent_back=bool(turn)).get("decision") for turn in range(8)]
        assert sent_back == ["deny"] * 8
    assert "8 times in a row" in stop(is_sent_back=True)["systemMessage"]


@pytest.mark.parametrize("agent", ["gemini", "qwen"])
def test_a_stop_that_does_not_say_whether_it_was_sent_back_is_counted_on(cli, project, agent) -> None:
    project.script(STOP_GUARD, DENY)
    given = told("AfterAgent" if agent == "gemini" else "Stop", prompt="go", prompt_response="x")
    words = {"gemini": "deny", "qwen": "block"}
    decisions = [cli("bridge", agent, input=given).document.get("decision") for _ in range(9)]
    assert decisions == [words[agent]] * 8 + [None]


def test_sub_agents_are_counted_apart(cli, project) -> None:
    project.script(".claude/hooks/pre/sub-agent-stop.sh", DENY)
    for agent in ("a", "b"):
        for _ in range(8):
            given = told("SubagentStop", agent_id=agent)
            assert cli("bridge", "claude", input=given).document["decision"] == "block"


def test_an_agent_may_end_when_nobody_can_count(cli, project, user_environment) -> None:
    project.script(STOP_GUARD, DENY)
    state = project.home / ".local/state/hookrun"
    state.mkdir(parents=True)
    (state / "stops").write_text("no folder")
    ended = cli("bridge", "claude", input=told("Stop"))
    assert "decision" not in ended.document
    assert "cannot be counted" in ended.stderr
    (state / "stops").unlink()
    assert cli("bridge", "claude", input=told("Stop")).document["decision"] == "block"


ASKS = guard_text("""echo '{"decision": "ask", "reason": "sure?"}'""")


def test_ask_fallback_of_the_user_lets_an_ask_pass(cli, project) -> None:
    project.script(BASH_GUARD, ASKS)
    reason = cli("bridge", "codex", input=BEFORE_SHELL).document["hookSpecificOutput"]
    assert reason["permissionDecision"] == "deny"
    project.script(".config/hookrun/config.yaml", "ask_fallback: allow\n", user=True)
    ended = cli("bridge", "codex", input=BEFORE_SHELL)
    assert (ended.stdout, ended.code) == ("", 0)
    assert "passes without a question" in ended.stderr
    project.script(".hookrun/config.yaml", "ask_fallback: deny\n")
    assert '"deny"' in cli("bridge", "codex", input=BEFORE_SHELL).stdout


def test_ask_fallback_of_a_project_can_only_be_stricter(cli, project) -> None:
    project.script(BASH_GUARD, ASKS)
    project.script(".hookrun/config.yaml", "ask_fallback: allow\n")
    ended = cli("bridge", "codex", input=BEFORE_SHELL)
    assert '"deny"' in ended.stdout
    assert "allow counts only in the user's own configuration" in ended.stderr


def test_ask_fallback_can_name_hooks(cli, project) -> None:
    project.script(BASH_GUARD, ASKS)
    mine = f"ask_fallback: {{'{BASH_GUARD}': allow}}\n"
    project.script(".config/hookrun/config.yaml", mine, user=True)
    assert cli("bridge", "codex", input=BEFORE_SHELL).stdout == ""
    project.script(".claude/hooks/pre/_all.sh", ASKS)
    assert '"deny"' in cli("bridge", "codex", input=BEFORE_SHELL).stdout
    project.script(".claude/hooks/pre/_all.sh", "#!/bin/sh\n")
    project.script(".hookrun/config.yaml", "ask_fallback: {'pre:bash:bash.sh': deny}\n")
    assert '"deny"' in cli("bridge", "codex", input=BEFORE_SHELL).stdout


def test_an_event_that_the_payload_does_not_name_can_be_said(cli, project) -> None:
    project.script(BASH_GUARD, DENY)
    call = json.dumps({"sessionId": "s", "toolName": "bash", "toolArgs": '{"command": "ls"}'})
    assert cli("bridge", "copilot", input=call).code == 2
    document = cli("bridge", "copilot", "--event", "preToolUse", input=call).document
    assert document["permissionDecision"] == "deny"
    assert NO in document["permissionDecisionReason"]


def test_trust_by_environment_is_not_handed_on(cli, project, tmp_path) -> None:
    project.script(BASH_GUARD, guard_text(f"env > '{tmp_path}/environment'"))
    cli("bridge", "claude", input=BEFORE_SHELL, env={"HOOKRUN_TRUST": "project", "OTHER": "kept"})
    seen = (tmp_path / "environment").read_text()
    assert "OTHER=kept" in seen
    assert "HOOKRUN_TRUST" not in seen


ENDS = """
import os

def hook(api):
    api.on("tool_call", lambda event, ctx: os._exit(0))
"""


def test_a_variable_for_completion_does_not_make_it_answer_with_words(cli, project) -> None:
    project.script(BASH_GUARD, DENY)
    asked = {"_HOOKRUN_COMPLETE": "complete_bash", "COMP_WORDS": "hookrun bri", "COMP_CWORD": "1"}
    assert '"deny"' in cli("bridge", "claude", input=BEFORE_SHELL, env=asked).stdout
    wrong = cli("bridge", "claude", "--bad", input=BEFORE_SHELL, env=asked)
    assert (wrong.stdout, wrong.code) == ("", 2)


def test_a_module_that_ends_the_process_is_a_deny(cli, project) -> None:
    project.script(".hookrun/hooks/ends.py", ENDS, mode=0o644)
    mine = cli("bridge", "claude", input=BEFORE_SHELL).document["hookSpecificOutput"]
    assert mine["permissionDecision"] == "deny"


def test_an_observer_that_fails_is_shown_and_changes_nothing(cli, project) -> None:
    project.script(".claude/hooks/post/bash.sh", guard_text("echo oh >&2", "exit 9"))
    ended = cli("bridge", "claude", input=AFTER_SHELL)
    failure = (
        "failed: exit 9; stderr: oh; hint: exit 0 with an answer or none, exit 2 to deny; every other exit is a failure"
    )
    title = ".claude/hooks/post/bash.sh"
    assert ended.document == {"systemMessage": f"hook {title}: {failure} (shown once a session)"}
    assert (ended.stderr, ended.code) == (f"warning: {title}: {failure}\n", 0)


def test_a_users_hook_that_fails_is_told_once_a_session_and_always_on_stderr(cli, project) -> None:
    for name, lines in (("edit", ("# hookrun: needs=no-such-linter",)), ("write", ("exit 1",))):
        project.script(f".claude/hooks/post/{name}.sh", guard_text(*lines))
    told_of = {"Edit": [], "Write": []}
    for session in ("s1", "s1", "s2", "s1", ""):
        for tool, heard in told_of.items():
            call = {"tool_name": tool, "tool_input": {"file_path": "a"}, "tool_response": "x"}
            ended = cli(
                "bridge", "claude", input=json.dumps({"hook_event_name": "PostToolUse", "session_id": session, **call})
            )
            heard.append("systemMessage" in ended.stdout)
            assert ended.stderr.startswith(f"warning: .claude/hooks/post/{tool.lower()}.sh: "), ended
    # without a session nothing tells what was said before
    assert told_of == {tool: [True, False, True, False, True] for tool in told_of}
    ended = cli("bridge", "claude", input=told("PostToolUse", **{**call, "tool_name": "Edit"}, tool_use_id="t"))
    assert ended.stdout == ""  # s1 again


def test_of_two_bridges_at_once_one_tells_of_a_failure(cli, project, user_environment) -> None:
    project.script(".claude/hooks/post/bash.sh", guard_text("exit 9"))
    cli("trust", "--yes")
    bridges = [
        subprocess.Popen(
            [HOOKRUN, "bridge", "claude"],
            cwd=project.path,
            env=user_environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for process in bridges:
        process.stdin.write(AFTER_SHELL)
        process.stdin.flush()
    ended = [process.communicate(timeout=60) for process in bridges]
    assert sorted("systemMessage" in stdout for stdout, _ in ended) == [False, False, False, True]
    assert all("exit 9" in stderr for _, stderr in ended)


def test_where_an_agent_has_no_word_for_its_user_a_failure_is_not_counted_as_told(cli, project) -> None:
    project.script(".claude/hooks/post/bash.sh", guard_text("exit 9"))
    after = {"tool_name": "Shell", "tool_input": {"command": "ls"}, "tool_output": "x", "session_id": "s1"}
    ended = cli("bridge", "xbot", input=json.dumps({"event": "PostToolUse", **after}))
    assert (ended.stdout, "exit 9" in ended.stderr) == ("", True)
    assert "exit 9" in cli("bridge", "claude", input=AFTER_SHELL).document["systemMessage"]


def test_hooks_end_before_the_agent_would_let_the_tool_run(cli, project) -> None:
    assert protocol_of("gemini").replies.seconds_for_hooks("PreToolUse") == 65.0
    assert protocol_of("xbot").replies.seconds_for_hooks("UserPromptSubmit") == 55.0
    assert protocol_of("codex").replies.seconds_for_hooks("SessionEnd") == 0.5
    project.script(".claude/hooks/pre/session-end.sh", guard_text("# hookrun: timeout=60s", "exec sleep 60"))
    project.script(".config/hookrun/config.yaml", "limits: {event_seconds: 300}\n", user=True)
    began = time.monotonic()
    ended = cli("bridge", "codex", input=told("SessionEnd"))
    assert (ended.stdout, ended.code) == ("", 0)
    assert time.monotonic() - began < 30
    assert "timed out" in ended.stderr


@pytest.mark.parametrize("place", ["its import", "a handler"])
def test_modules_end_before_the_agent_goes_on_as_well(cli, project, place):
    hangs = "import time\ndef hook(api):\n    api.on('session_shutdown', lambda event, ctx: time.sleep(60))\n"
    text = "import time\ntime.sleep(60)\n" if place == "its import" else hangs
    project.script(".hookrun/hooks/hangs.py", text, mode=0o644)
    limits = "limits: {event_seconds: 300, module_seconds: 300}\n"
    project.script(".config/hookrun/config.yaml", limits, user=True)
    began = time.monotonic()
    ended = cli("bridge", "codex", input=told("SessionEnd"))
    assert (ended.stdout, ended.code) == ("", 0)
    assert time.monotonic() - began < 30
    assert "did not end in time" in ended.stderr


def test_what_is_said_of_hooks_that_nobody_approved_names_no_command() -> None:
    hook = Hook(
        id="1",
        title="guard.sh",
        kind="script",
        source="claude",
        order=0,
        level="project",
        place="/here",
        file="",
        dialect="claude",
        program=Program(words=(), folder=""),
    )
    plain = Decision(event=Event(dialect="xbot", event="SessionStart", project_dir="/here"))
    waiting = (Answer(hook=hook, outcome=Outcome(status="untrusted"), status="untrusted"),)
    begun = with_trust_notice(plain, [hook] * 12)
    asked = with_trust_notice(
        Decision(
            event=Event(dialect="xbot", event="PreToolUse", project_dir="/here"),
            verdict=Verdict.ASK,
            decided_by="trust",
            message="first",
            answers=waiting,
        ),
        [hook],
    )
    assert begun.user_messages[0].count("guard.sh") == 10
    assert "guard.sh and 2 more. Look" in begun.user_messages[0]
    elsewhere = with_trust_notice(plain, [hook.replace(place="/other"), hook])
    assert "hooks of /other and /here are not approved" in elsewhere.user_messages[0]
    assert asked.message.startswith("first\nhooks of this project are not approved and do not run: guard.sh")
    assert asked.message.endswith("Ask the user to look at them.")
    assert not any("hookrun trust" in text for text in (*begun.user_messages, asked.message))
    assert with_trust_notice(plain, ()) == plain
