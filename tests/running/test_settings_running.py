"""Hooks of agents' settings as they run: shell, stdin, variables, folder, time, addresses, and who asks."""

from __future__ import annotations

import json
import os
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from agent_settings import CLAUDE, before_tools, command, commands, discover, group, skipped, write
from firing import started
from waiting import eventually

from hookrun.running.http import headers_of, is_allowed

GUARD = ".claude/hooks/pre/bash.sh"
DENY = "#!/bin/sh\necho no >&2\nexit 2\n"


def emit(project, environment, name="PreToolUse", *, tool="Bash", options=None, **values):
    if "Tool" in name:
        values = {"tool": tool, "tool_input": {"command": "ls"}, **values}
    with discover(project, environment, **(options or {})) as runner:
        return runner.emit(name, **values)


def told(project):
    return json.loads((project.path / "seen").read_text())


def test_a_refusal_of_claudes_settings_denies(project, user_environment):
    write(project, CLAUDE, before_tools(group("echo no >&2; exit 2", matcher="Bash")))
    decision = emit(project, user_environment)
    assert (decision.verdict.word, decision.decided_by) == ("deny", "guard")
    assert decision.message == "echo no >&2; exit 2: no"
    assert emit(project, user_environment, tool="Read").answers == ()


def test_a_guard_for_one_agent_holds_for_the_tools_of_all(project, user_environment):
    write(project, ".gemini/settings.json", {"hooks": {"BeforeTool": [group("exit 3", matcher="run_shell")]}})
    assert len(emit(project, user_environment, tool="Shell").answers) == 1


def test_a_command_gets_exactly_what_its_agent_would_write(project, user_environment):
    write(project, CLAUDE, before_tools(group("cat > seen")))
    emit(project, user_environment, tool="Shell", session_id="s")
    assert told(project) == {
        "session_id": "s",
        "transcript_path": "",
        "cwd": str(project.path),
        "hook_event_name": "PreToolUse",
        "permission_mode": "default",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "tool_use_id": "",
    }


@pytest.mark.parametrize(
    ("name", "event", "variables"),
    [
        (CLAUDE, "PreToolUse", {"CLAUDE_PROJECT_DIR": "PROJECT"}),
        (
            ".gemini/settings.json",
            "BeforeTool",
            {"GEMINI_PROJECT_DIR": "PROJECT", "GEMINI_SESSION_ID": "s", "GEMINI_CWD": "PROJECT"},
        ),
        (
            ".xbot/hooks.json",
            "PreToolUse",
            {"XBOT_HOME": "HOME/.xbot", "XBOT_PROJECT_DIR": "PROJECT", "XBOT_SESSION_ID": "s"},
        ),
    ],
)
def test_a_command_has_the_variables_of_its_agent(project, user_environment, name, event, variables):
    write(project, name, {"enable_command_hooks": True, "hooks": {event: [group("env > seen")]}})
    emit(project, user_environment, session_id="s")
    lines = (project.path / "seen").read_text().splitlines()
    folders = (("PROJECT", str(project.path)), ("HOME", str(project.home)))
    for variable, value in variables.items():
        for short, whole in folders:
            value = value.replace(short, whole)
        assert f"{variable}={value}" in lines
    assert not any(line.startswith("CLAUDE_PLUGIN_ROOT=") for line in lines)


def test_a_plugins_command_knows_where_the_plugin_is(project, user_environment):
    plugin = project.path / ".claude/plugins/p"
    write(project, ".claude/plugins/p/hooks/hooks.json", before_tools(group("${CLAUDE_PLUGIN_ROOT}/guard.sh")))
    project.script(".claude/plugins/p/guard.sh", f'#!/bin/sh\n[ "$CLAUDE_PLUGIN_ROOT" = {plugin} ] && exit 2\n')
    assert emit(project, user_environment).verdict.word == "deny"


def test_args_are_words_without_a_shell(project, user_environment):
    handler = {"command": "sh", "args": ["-c", 'echo "$1" > seen', "x", "${CLAUDE_PROJECT_DIR}/a b;$HOME"]}
    write(project, CLAUDE, before_tools(group(handler)))
    emit(project, user_environment)
    assert (project.path / "seen").read_text() == f"{project.path}/a b;{project.home}\n"


def test_a_handler_runs_in_the_folder_and_with_the_variables_that_it_names(project, user_environment):
    (project.path / "sub").mkdir()
    entry = {"bash": "echo $MINE > seen", "cwd": "sub", "env": {"MINE": "x"}}
    write(project, ".github/hooks/a.json", {"hooks": {"preToolUse": [entry]}})
    emit(project, user_environment)
    assert (project.path / "sub/seen").read_text() == "x\n"


def test_one_handler_behind_two_matchers_runs_once(project, user_environment):
    groups = [group("echo x >> seen", matcher=matcher) for matcher in ("Bash", "Bash|Edit")]
    write(project, CLAUDE, before_tools(*groups))
    emit(project, user_environment)
    assert (project.path / "seen").read_text() == "x\n"


def test_the_same_command_of_two_agents_runs_for_each(project, user_environment):
    write(project, CLAUDE, before_tools(group("cat >> seen; echo >> seen")))
    write(project, ".codex/hooks.json", before_tools(group("cat >> seen; echo >> seen")))
    emit(project, {**user_environment, "SHELL": "/bin/sh"})
    payloads = [json.loads(line) for line in (project.path / "seen").read_text().split("\n") if line]
    assert sorted("turn_id" in payload for payload in payloads) == [False, True]


def test_a_timeout_of_the_settings_is_kept(project, user_environment):
    write(project, ".gemini/settings.json", {"hooks": {"BeforeTool": [group(command("sleep 60", timeout=300))]}})
    (answer,) = emit(project, user_environment).answers
    assert (answer.status, answer.verdict.word) == ("timed_out", None)
    assert "timed out after 0.3 s" in answer.message
    assert "Gemini CLI goes on all the same" in answer.message


def test_the_configuration_can_deny_after_failures_of_settings(project, user_environment):
    write(project, CLAUDE, before_tools(group("exit 1")))
    assert emit(project, user_environment).verdict.word is None
    write(project, ".hookrun/config.yaml", "on_failure: deny\n")
    assert emit(project, user_environment).verdict.word == "deny"


def test_nobody_waits_for_an_async_command(project, user_environment):
    text = "read line; while [ ! -e go ]; do sleep 0.01; done; echo done > seen; exit 2"
    write(project, CLAUDE, before_tools(group(command(text, **{"async": True}))))
    decision = emit(project, user_environment)
    assert (decision.verdict.word, [answer.status for answer in decision.answers]) == (None, ["ran"])
    assert decision.problems == ()
    assert not (project.path / "seen").exists()
    (project.path / "go").touch()
    eventually(lambda: (project.path / "seen").exists())


def test_a_session_starts_only_the_hooks_for_its_source(project, user_environment):
    groups = [group(f"echo {source}", matcher=source) for source in ("startup", "resume")]
    write(project, CLAUDE, {"hooks": {"SessionStart": groups}})
    payload = {"hook_event_name": "SessionStart", "source": "resume"}
    decision = emit(project, user_environment, "SessionStart", payload=payload)
    assert decision.context == ("resume",)


def test_cline_starts_its_executables_without_a_shell(project, user_environment):
    text = '#!/bin/sh\ncat > seen\necho \'{"cancel": true, "errorMessage": "no"}\'\n'
    project.script(".clinerules/hooks/PreToolUse", text)
    decision = emit(project, user_environment)
    assert (decision.verdict.word, decision.message) == ("deny", ".clinerules/hooks/PreToolUse: no")
    assert told(project)["hookName"] == "PreToolUse"


def test_while_an_agent_asks_its_own_settings_are_no_source(project, user_environment):
    write(project, CLAUDE, before_tools(group("mine")))
    write(project, ".codex/hooks.json", before_tools(group("theirs")))
    assert commands(discover(project, user_environment)) == ["mine", "theirs"]
    asked = discover(project, user_environment, asking="claude")
    assert commands(asked) == []
    assert "claude asks, and runs its own hooks itself" in skipped(asked)
    assert "were not requested (--with codex)" in skipped(asked)
    assert commands(discover(project, user_environment, asking="claude", with_agents=("codex",))) == ["theirs"]


RUNS_IT = f'"$CLAUDE_PROJECT_DIR"/{GUARD}'


@pytest.mark.parametrize(
    "entry",
    [
        group(RUNS_IT, matcher="Bash"),
        group(f"sh {GUARD}"),
        group({"command": "${CLAUDE_PROJECT_DIR}/" + GUARD, "args": []}, matcher="Bash|Edit"),
    ],
)
def test_the_folders_copy_is_left_to_the_agent_that_runs_it(project, user_environment, entry):
    path = project.script(GUARD, DENY)
    write(project, CLAUDE, before_tools(entry))
    assert GUARD in commands(discover(project, user_environment))
    asked = discover(project, user_environment, asking="claude")
    assert commands(asked) == []
    assert f"{path}: claude runs it itself" in skipped(asked)
    assert commands(discover(project, user_environment, asking="gemini")) == [GUARD]


@pytest.mark.parametrize(
    "entry",
    [
        group(RUNS_IT, matcher="Edit"),
        group(f"{RUNS_IT} || true"),
        group(command(RUNS_IT, **{"if": "Bash(git *)"})),
        group(command(RUNS_IT, **{"async": True})),
        group(f"{RUNS_IT} --dry-run"),
    ],
)
def test_a_copy_that_the_agent_does_not_run_as_often_stays(project, user_environment, entry):
    project.script(GUARD, DENY)
    write(project, CLAUDE, before_tools(entry))
    assert commands(discover(project, user_environment, asking="claude")) == [GUARD]


def test_of_a_script_for_two_events_the_other_one_stays(project, user_environment):
    project.script(".claude/hooks/post/_all.sh", "#!/bin/sh\n")
    table = {"PostToolUse": [group(".claude/hooks/post/_all.sh")]}
    write(project, CLAUDE, {"hooks": table})
    (hook,) = discover(project, user_environment, asking="claude").loaded.registry.in_force
    assert [trigger.event for trigger in hook.triggers] == ["PostToolUseFailure"]


@contextmanager
def server(status=200, body=b"", *, headers=(), wait=None):
    """A server on this computer; yields its address and the requests that it got."""
    requests = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            length = int(self.headers["Content-Length"])
            requests.append((self.path, dict(self.headers), json.loads(self.rfile.read(length))))
            if wait is not None:
                wait.wait(30)
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            try:
                self.end_headers()
                self.wfile.write(body)
            except OSError:  # nobody listens any more
                pass

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{made.server_port}/hook?a=b", requests
        finally:
            if wait is not None:
                wait.set()
            made.shutdown()
            thread.join()


def ask(project, environment, url, **others):
    write(project, CLAUDE, before_tools(group({"type": "http", "url": url, **others})))
    return emit(project, environment)


NO = (
    b'{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", '
    b'"permissionDecisionReason": "no"}}'
)


def test_an_address_is_asked_and_its_answer_counts(project, user_environment):
    with server(body=NO) as (url, requests):
        decision = ask(project, user_environment, url)
    assert (decision.verdict.word, decision.message) == ("deny", f"{url.partition('?')[0]}: no")
    ((path, headers, payload),) = requests
    assert (path, headers["Content-Type"], payload["hook_event_name"]) == (
        "/hook?a=b",
        "application/json",
        "PreToolUse",
    )


def test_only_allowed_variables_go_into_headers(project, user_environment):
    environment = {**user_environment, "MY_TOKEN": "secret", "OTHER": "hidden"}
    headers = {"Authorization": "Bearer $MY_TOKEN", "X-Other": "${OTHER}!", "Host": "elsewhere"}
    with server(status=500) as (url, requests):
        decision = ask(project, environment, url, headers=headers, allowedEnvVars=["MY_TOKEN"])
    _, sent, _ = requests[0]
    assert (sent["Authorization"], sent["X-Other"]) == ("Bearer secret", "!")
    assert sent["Host"].startswith("127.0.0.1")
    assert "secret" not in repr(vars(decision))


@pytest.mark.parametrize(
    ("status", "headers", "said"),
    [(500, (), "the server answered 500"), (302, (("Location", "http://example.com/"),), "redirects are not followed")],
)
def test_any_other_status_is_a_failure(project, user_environment, status, headers, said):
    with server(status, NO, headers=headers) as (url, requests):
        (answer,) = ask(project, user_environment, url).answers
    assert (answer.status, answer.verdict.word) == ("failed", None)
    assert said in answer.message
    assert len(requests) == 1


def test_a_server_that_does_not_answer_is_left_in_time(project, user_environment):
    with server(body=NO, wait=threading.Event()) as (url, _):
        (answer,) = ask(project, user_environment, url, timeout=0.2).answers
    assert (answer.status, answer.verdict.word) == ("timed_out", None)


def test_a_signal_ends_the_waiting_for_an_address(project, user_environment):
    words = ("emit", "PreToolUse", "--tool", "Bash", "--input", "{}")
    with server(body=NO, wait=threading.Event()) as (url, requests):
        write(project, CLAUDE, before_tools(group({"type": "http", "url": url})))
        with started(project, user_environment, *words) as process:
            eventually(lambda: requests)
            process.terminate()
            process.communicate(timeout=30)
    assert process.returncode == 143


def test_a_server_that_is_not_there_is_a_failure(project, user_environment):
    with server() as (url, _):
        pass
    (answer,) = ask(project, user_environment, url).answers
    assert answer.status == "not_started"
    assert "cannot be asked: Connection refused" in answer.message


def test_more_than_a_mebibyte_is_cut_and_no_answer(project, user_environment):
    with server(body=b'{"a": "' + b"x" * (1024 * 1024) + b'"}') as (url, _):
        (answer,) = ask(project, user_environment, url).answers
    assert answer.status == "failed"
    assert "was cut" in answer.message


def test_a_refusal_of_a_server_that_says_it_last_is_heard(project, user_environment):
    refusal = NO.replace(b'"no"', b'"R"')
    with server(body=b" " * (2 * 1024 * 1024) + refusal) as (url, _):
        decision = ask(project, user_environment, url)
    assert (decision.verdict.word, decision.decided_by) == ("deny", "guard")
    assert decision.message.endswith("R")


CUT_OFF = {
    "claude": (CLAUDE, lambda text: before_tools(group(text))),
    "gemini": (".gemini/settings.json", lambda text: {"hooks": {"BeforeTool": [group(text)]}}),
    "cursor": (
        ".cursor/hooks.json",
        lambda text: {"version": 1, "hooks": {"beforeShellExecution": [{"command": text}]}},
    ),
}


@pytest.mark.parametrize("agent", CUT_OFF)
def test_a_cut_answer_of_a_guard_in_settings_is_no_yes(project, user_environment, agent):
    name, settings = CUT_OFF[agent]
    write(project, name, settings("yes log | head -c 2000000"))
    decision = emit(project, user_environment)
    assert (decision.verdict.word, decision.decided_by) == ("deny", "failure")
    assert "stdout was cut" in decision.message
    project.script(".config/hookrun/config.yaml", "on_failure: allow\n", user=True)
    assert emit(project, user_environment).verdict.word is None


def test_a_refusal_in_settings_after_many_blanks_is_the_guards(project, user_environment):
    refusal = json.dumps({"decision": "block", "reason": "R"})
    script = f"head -c 1100000 /dev/zero | tr '\\0' ' '; echo '{refusal}'"
    write(project, CLAUDE, before_tools(group(script)))
    decision = emit(project, user_environment)
    assert (decision.verdict.word, decision.decided_by) == ("deny", "guard")
    assert decision.message.endswith(": R")


@pytest.mark.parametrize("url", ["http://example.com/", "http://10.0.0.1/", "http://user:word@localhost/"])
def test_other_hosts_are_not_asked(project, user_environment, url):
    (answer,) = ask(project, user_environment, url).answers
    assert answer.status == "not_started"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "::1", "a.localhost"])
def test_this_computer_may_always_be_asked(host):
    assert is_allowed(host, ())


def test_the_users_configuration_allows_hosts_and_a_projects_does_not(project, user_environment):
    write(project, ".hookrun/config.yaml", "http: [example.com]\n")
    runner = discover(project, user_environment)
    assert runner.config.http == ()
    assert "counts only in the user's own configuration" in runner.problems[0].message
    write(project, ".config/hookrun/config.yaml", 'http: ["*.example.com"]\n', user=True)
    hosts = discover(project, user_environment).config.http
    assert is_allowed("hooks.example.com", hosts)
    assert not is_allowed("example.org", hosts)


def test_headers_are_only_those_of_the_handler():
    assert headers_of({"headers": "x"}, os.environ) == {"Content-Type": "application/json"}


def test_the_command_lists_explains_and_fires_settings(project, cli):
    write(project, CLAUDE, before_tools(group("exit 2", matcher="Bash"), group(command("x", timeout=5000))))
    assert "exit 2" in cli("list").stdout
    explained = cli("explain", "pre", "--tool", "Read", "--input", "{}").stdout
    assert "matcher 'Bash' does not match Read" in explained
    fired = cli("emit", "pre", "--tool", "Shell", "--input", '{"command": "ls"}')
    assert (fired.code, "exit 2: denied without a reason" in fired.stdout) == (2, True)
    checked = cli("validate")
    assert "hooks.PreToolUse[1].hooks[0].timeout" in checked.stdout + checked.stderr
