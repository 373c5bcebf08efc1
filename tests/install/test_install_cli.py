"""`hookrun install` and `uninstall` as a user runs them, and what `doctor` says of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from command import HOOKRUN
from settings_texts import other_hook, settings_texts

from hookrun.agents.settings import installation_of, installations

AGENTS = [wiring.agent for wiring in installations()]
WITH_SETTINGS = [wiring for wiring in installations() if wiring.shape in ("groups", "handlers")]
KNOWN = "measured with 2.1.197 and 2.1.328"


@pytest.fixture(autouse=True)
def hookrun_on_path(user_environment: dict[str, str]) -> None:
    """hookrun can be found, and no agent that this machine may have."""
    user_environment["PATH"] = f"{os.path.dirname(HOOKRUN)}:/usr/bin:/bin"


def files_in(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files below *folder* by path, .git left out."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


@pytest.mark.parametrize("level", [(), ("--user",)], ids=["project", "user"])
def test_all_agents_are_installed_and_nothing_is_left_of_it(cli, project, level):
    installed = cli("install", *AGENTS, *level)
    assert installed.code == 0, installed.stderr
    folder, other = (project.home, project.path) if level else (project.path, project.home)
    settings = [wiring for wiring in WITH_SETTINGS if wiring.shape != "executables"]
    executables = files_in(folder / "Documents" if level else folder / ".clinerules")
    assert len(files_in(folder)) == len(settings) + len(executables)
    assert files_in(other) == {}
    again = cli("install", *AGENTS, *level)
    assert again.stdout.count(": already there\n") == len(files_in(folder))
    assert "left to do" not in again.stdout
    assert cli("uninstall", *level).code == 0
    assert files_in(folder) == {}
    assert [name for name in os.listdir(project.path) if name != ".git"] == []


@pytest.mark.parametrize("text", ['{"version": 1}\n', '{\n  "version": 1\n}', '{"version": 1, "hooks": {}}'])
@pytest.mark.parametrize("agent", ["cursor", "copilot"])
def test_a_file_that_says_no_more_than_one_that_install_makes_stays(cli, project, agent, text):
    path = project.path / installation_of(agent).project
    path.parent.mkdir(parents=True)
    path.write_text(text)
    cli("install", agent)
    assert "hookrun bridge" in path.read_text()
    cli("uninstall", agent)
    assert path.read_text() == text


@pytest.mark.parametrize("wiring", WITH_SETTINGS, ids=lambda wiring: wiring.agent)
def test_a_file_that_was_there_is_again_what_it_was_and_so_is_its_folder(cli, project, wiring):
    path = project.path / wiring.project
    path.parent.mkdir(parents=True)
    text = settings_texts(wiring)["others"]
    path.write_text(text)
    installed = cli("install", wiring.agent)
    assert f"backup: {wiring.project}.hookrun-backup" in installed.stdout
    assert path.with_name(f"{path.name}.hookrun-backup").read_text() == text
    assert path.read_text() != text
    cli("uninstall", wiring.agent)
    assert files_in(project.path) == {wiring.project: text.encode()}


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b"\xef\xbb\xbf{}", b"{}", b"{\r\n}\r\n", b"{\n}\n"])
def test_a_file_without_hooks_stays_as_it_was_even_when_it_is_empty(cli, project, content):
    path = project.path / ".claude/settings.json"
    path.parent.mkdir()
    path.write_bytes(content)
    assert cli("install", "claude").code == 0
    wired = path.read_bytes()
    assert wired.startswith(content[:3] if content.startswith(b"\xef") else b"")
    assert b"hookrun bridge claude" in wired
    cli("uninstall", "claude")
    assert path.read_bytes() == content


def test_an_edit_in_between_stays_and_so_does_the_backup(cli, project):
    path = project.path / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text('{\n  "model": "x"\n}\n')
    cli("install", "claude")
    path.write_text(path.read_text().replace('"x"', '"y"'))
    cli("uninstall", "claude")
    assert files_in(project.path) == {
        ".claude/settings.json": b'{\n  "model": "y"\n}\n',
        ".claude/settings.json.hookrun-backup": b'{\n  "model": "x"\n}\n',
    }


def test_without_names_the_agents_that_are_here_are_wired(cli, project, user_environment, tmp_path):
    (project.path / ".gemini").mkdir()
    (project.home / ".codex").mkdir()
    program = tmp_path / "bin/claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    user_environment["PATH"] += f":{program.parent}"
    assert cli("install").code == 0
    assert sorted(files_in(project.path)) == [".claude/settings.json", ".codex/hooks.json", ".gemini/settings.json"]


def test_without_names_and_agents_it_says_so(cli):
    ended = cli("install")
    assert (ended.code, ended.stdout) == (64, "")
    assert ended.stderr == "error: no agent was found here\nhint: name one: hookrun install claude\n"
    assert cli("uninstall").stdout == "no agent's settings here contain hookrun\n"


@pytest.mark.parametrize("words", [("claud",), ("claude", "--with", "claud")])
def test_an_agent_that_there_is_not_is_a_usage_error(cli, project, words):
    ended = cli("install", *words)
    assert (ended.code, files_in(project.path)) == (64, {})
    assert ended.stderr == "error: unknown agent 'claud'\nhint: did you mean claude?\n"


def test_a_dry_run_shows_the_diff_and_writes_nothing(cli, project):
    path = project.path / ".codex/hooks.json"
    path.parent.mkdir()
    path.write_text('{"description": "mine"}')
    ended = cli("install", "codex", "claude", "--dry-run")
    assert ended.code == 0
    assert '-{"description": "mine"}\n\\ No newline at end of file\n+{"description": "mine",' in ended.stdout
    assert "--- /dev/null\n" in ended.stdout
    assert files_in(project.path) == {".codex/hooks.json": b'{"description": "mine"}'}
    cli("install", "codex")
    wired = path.read_text()
    assert "would be changed, 10 events taken out" in cli("uninstall", "codex", "--dry-run").stdout
    assert path.read_text() == wired


@pytest.mark.skipif(not shutil.which("patch"), reason="needs patch")
def test_a_diff_can_be_applied(cli, project):
    (project.path / ".claude").mkdir()
    (project.path / ".claude/settings.json").write_text('{\n  "model": "x"\n}\n')
    step = cli("install", "claude", "--dry-run", "--format", "json").document["agents"][0]["files"][0]
    patch = subprocess.run(
        ["patch", "-p0", "--quiet", step["path"]], input=step["diff"], text=True, timeout=60, cwd=project.path
    )
    assert patch.returncode == 0
    assert cli("install", "claude").stdout == "claude: .claude/settings.json: already there\n"


def test_json_tells_what_was_done(cli, project):
    document = cli("install", "codex", "xcsh", "--format", "json").document
    assert (document["level"], document["dry_run"]) == ("project", False)
    codex, xcsh = document["agents"]
    (file,) = codex["files"]
    assert file["path"] == str(project.path / ".codex/hooks.json")
    assert (file["state"], file["backup"], file["diff"]) == ("created", None, None)
    assert file["added"][0] == "PreToolUse"
    assert any("/hooks" in text for text in codex["left_to_do"])
    assert (codex["known_from"], xcsh["known_from"]) == ("measured with 0.171.0", "read, not measured")
    assert (xcsh["files"], len(xcsh["left_to_do"])) == ([], 1)


@pytest.mark.parametrize(
    ("agent", "event", "payload"),
    [
        ("claude", "PreToolUse", {"hook_event_name": "PreToolUse", "tool_name": "Bash"}),
        ("copilot", "preToolUse", {"toolName": "bash", "toolArgs": "{}"}),
        ("gemini", "BeforeTool", {"hook_event_name": "BeforeTool", "tool_name": "run_shell_command"}),
        ("cursor", "preToolUse", {"hook_event_name": "preToolUse", "tool_name": "Shell"}),
    ],
)
def test_what_is_installed_asks_the_guards(cli, project, user_environment, agent, event, payload):
    cli("install", agent, "--user")
    wiring = installation_of(agent)
    entry = json.loads((project.home / wiring.user).read_text())["hooks"][event][0]
    command = entry["hooks"][0]["command"] if wiring.shape == "groups" else entry[wiring.command_key]
    words = {"args": ["sh", "-c", command], "input": json.dumps(payload), "env": user_environment}

    def ask() -> str:
        done = subprocess.run(**words, cwd=project.path, capture_output=True, text=True, timeout=60)
        return done.stdout + done.stderr

    assert "not today" not in ask()
    project.script(".config/hookrun/hooks/pre/_all.sh", "#!/bin/sh\necho not today >&2\nexit 2\n", user=True)
    assert "not today" in ask()


def test_other_agents_hooks_are_asked_for_in_the_command(cli, project):
    cli("install", "claude", "codex", "--with", "codex")
    assert "bridge claude --with codex'" in (project.path / ".claude/settings.json").read_text()
    assert "--with" not in (project.path / ".codex/hooks.json").read_text()
    renewed = cli("install", "claude")
    assert renewed.stdout.startswith("claude: .claude/settings.json: changed, 11 events renewed\n")
    assert "--with" not in (project.path / ".claude/settings.json").read_text()
    cli("uninstall")
    assert files_in(project.path) == {}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'{\n  "hooks": []\n}', "line 2: hooks is not an object\n  hint: write"),
        (b'{\n"a": 1,\n"a": 2}', "line 3: has the key a twice\n  hint: keep one"),
        (b"{,}", "line 1: "),
        (b'{"a": "\xff"}', "line 1: is not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_used_is_left_alone_and_the_next_agent_is_wired(cli, project, content, told):
    path = project.path / ".claude/settings.json"
    path.parent.mkdir()
    path.write_bytes(content)
    ended = cli("install", "claude", "codex")
    assert ended.code == 1
    assert f"error: {path}: {told}" in ended.stderr
    assert "claude: .claude/settings.json: left as it is\n" in ended.stdout
    assert sorted(files_in(project.path)) == [".claude/settings.json", ".codex/hooks.json"]
    assert path.read_bytes() == content


def test_what_is_not_ours_may_be_as_broken_as_it_likes_when_uninstalling(cli, project):
    (project.path / ".claude").mkdir()
    (project.path / ".claude/settings.json").write_text("{broken")
    assert cli("uninstall").code == 0
    (project.path / ".claude/settings.json").write_text('{broken "hookrun bridge claude"')
    ended = cli("uninstall")
    assert (ended.code, "is not JSON" in ended.stderr) == (1, True)


@pytest.mark.parametrize("name", ["CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "XBOT_HOME", "HOOKRUN_DEPTH"])
def test_an_agent_cannot_uninstall(cli, project, name):
    cli("install", "claude")
    before = files_in(project.path)
    ended = cli("uninstall", "claude", env={name: "1"})
    assert ended.code == 1
    assert ended.stderr.startswith("error: only a person may remove hookrun from agents")
    assert f"({name} is set)\nhint: ask " in ended.stderr
    assert files_in(project.path) == before
    assert cli("uninstall", "claude", env={"CODEX_HOME": str(project.home / "codex")}).code == 0
    assert files_in(project.path) == {}


def test_people_may_have_put_their_settings_elsewhere(cli, project, tmp_path):
    folders = {"CODEX_HOME": str(tmp_path / "codex"), "CLAUDE_CONFIG_DIR": str(tmp_path / "claude")}
    cli("install", "codex", "claude", "--user", env=folders)
    assert files_in(project.home) == {}
    assert (tmp_path / "codex/hooks.json").exists()
    assert (tmp_path / "claude/settings.json").exists()
    cli("uninstall", "--user", env=folders)
    assert (os.listdir(tmp_path / "codex"), os.listdir(tmp_path / "claude")) == ([], [])


def test_many_installs_at_once_are_as_good_as_one(cli, project, user_environment):
    (project.path / ".claude").mkdir()
    path = project.path / ".claude/settings.json"
    path.write_text('{\n  "model": "x"\n}\n')
    words = [HOOKRUN, "install", "claude"]
    running = [
        subprocess.Popen(words, cwd=project.path, env=user_environment, stdout=subprocess.DEVNULL) for _ in range(6)
    ]
    assert [each.wait(60) for each in running] == [0] * 6
    assert json.loads(path.read_text())["hooks"]["PreToolUse"][1:] == []
    cli("uninstall")
    assert files_in(project.path) == {".claude/settings.json": b'{\n  "model": "x"\n}\n'}


def test_an_executable_of_somebody_else_stays_and_ours_may_be_taken_over(cli, project):
    mine = project.script(".clinerules/hooks/PreToolUse", "#!/bin/sh\nexit 0\n")
    ended = cli("install", "cline")
    assert ended.code == 1
    assert "there is a hook of your own" in ended.stderr
    assert "let yours run `hookrun bridge cline`" in ended.stderr
    ours = project.path / ".clinerules/hooks/PostToolUse"
    assert os.access(ours, os.X_OK)
    ours.write_text(ours.read_text() + "echo more\n")
    ended = cli("uninstall", "cline")
    assert "has been changed by hand" in ended.stderr
    assert sorted(files_in(project.path)) == [".clinerules/hooks/PostToolUse", ".clinerules/hooks/PreToolUse"]
    mine.write_text("#!/bin/sh\nexec hookrun bridge cline\n")
    assert ".clinerules/hooks/PreToolUse: already there" in cli("install", "cline").stdout


def doctor(cli, **more):
    document = cli("doctor", "--format", "json", **more).document
    return document["bridges"], [problem["message"] for problem in document["problems"]]


def test_doctor_is_silent_without_bridges_and_lists_those_that_are_there(cli, project):
    assert doctor(cli) == ([], [])
    cli("install", "claude", "cline")
    bridges, problems = doctor(cli)
    assert [(bridge["agent"], bridge["level"]) for bridge in bridges] == [("claude", "project"), ("cline", "project")]
    assert (len(bridges[0]["events"]), bridges[0]["missing"], problems) == (11, [], [])
    text = cli("doctor").stdout
    assert f"bridge    claude, project: {project.path}/.claude/settings.json, 11 of 11 events, {KNOWN}\n" in text


def test_doctor_finds_a_call_that_is_bridged_twice(cli, project):
    cli("install", "claude", "cursor")
    _, problems = doctor(cli)
    assert problems == ["cursor may run the hooks of claude too: it would ask hookrun twice"]
    cli("uninstall", "cursor")
    cli("install", "claude", "--user")
    (project.path / ".claude/settings.local.json").write_bytes((project.path / ".claude/settings.json").read_bytes())
    _, problems = doctor(cli)
    assert [problem.partition(": ")[0] for problem in problems] == ["claude asks hookrun twice"] * 2


def test_doctor_finds_events_that_are_missing_or_doubled(cli, project):
    cli("install", "claude")
    path = project.path / ".claude/settings.json"
    value = json.loads(path.read_text())
    value["hooks"]["Stop"] *= 2
    del value["hooks"]["PostToolUse"]
    path.write_text(json.dumps(value))
    _, problems = doctor(cli)
    assert problems == ["these events do not ask hookrun: PostToolUse", "these events ask hookrun twice: Stop"]
    cli("install", "claude")
    assert doctor(cli)[1] == []


def test_doctor_says_what_codex_has_not_been_told(cli, project):
    cli("install", "codex", "--user")
    path = project.home / ".codex/hooks.json"
    config = project.home / ".codex/config.toml"
    bridges, problems = doctor(cli)
    assert bridges[0]["state"] == "not approved"
    assert problems == ["Codex runs no hook that is not approved, and says nothing: tools run unguarded"]
    events = [
        "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in event)[1:] for event in bridges[0]["events"]
    ]
    states = "".join(f'[hooks.state."{path}:{event}:0:0"]\ntrusted_hash = "sha256:00"\n' for event in events)
    config.write_text(states)
    bridges, problems = doctor(cli)
    assert (bridges[0]["state"], problems) == ("approved", [])
    config.write_text(f"{states}enabled = false\n")
    assert doctor(cli)[0][0]["state"] == "switched off: PostCompact"
    config.write_text(f"{states}[features]\nhooks = false\n")
    assert doctor(cli)[1] == ["hooks are switched off: the agent does not ask hookrun"]


@pytest.mark.parametrize(
    ("agent", "path", "settings", "where"),
    [
        ("claude", "project/.claude/settings.local.json", {"disableAllHooks": True}, "disableAllHooks"),
        ("claude", "home/.claude/settings.json", {"disableAllHooks": True}, "disableAllHooks"),
        ("gemini", "home/.gemini/settings.json", {"hooksConfig": {"enabled": False}}, "hooksConfig.enabled"),
        ("gemini", "home/.gemini/settings.json", {"hooksConfig": {"disabled": ["hookrun"]}}, "hooksConfig.disabled"),
        ("gemini", "home/.gemini/settings.json", {"tools": {"enableHooks": False}}, "tools.enableHooks"),
        ("qwen", "home/.qwen/settings.json", {"disableAllHooks": True}, "disableAllHooks"),
        ("xbot", "home/.xbot/hooks.json", {"enable_command_hooks": False}, "enable_command_hooks"),
    ],
)
def test_install_and_doctor_say_what_keeps_an_agent_from_asking(cli, project, agent, path, settings, where):
    if agent != "xbot":
        assert cli("install", agent).stderr == ""
    file = project.path.parent / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(settings))
    assert f"warning: {file}: {where}: " in cli("install", agent).stderr
    problems = cli("doctor", "--format", "json").document["problems"]
    assert [(problem["source"], problem["where"]) for problem in problems] == [(str(file), where)]


def test_xbot_is_content_once_commands_are_switched_on(cli, project):
    (project.home / ".xbot").mkdir()
    (project.home / ".xbot/hooks.json").write_text('{"enable_command_hooks": true}')
    assert cli("install", "xbot").stderr == ""
    assert doctor(cli)[1] == []


def test_a_hookrun_that_the_agent_would_not_find_is_told(cli, project, user_environment):
    found = cli("install", "claude")
    user_environment["PATH"] = "/usr/bin:/bin"
    for ended in (cli("install", "claude"), cli("doctor")):
        assert "hookrun is not on PATH" in ended.stderr
    assert found.stderr == ""


def test_doctor_knows_the_version_of_an_agent_that_came_with_npm(cli, project, user_environment, tmp_path):
    package = tmp_path / "lib/node_modules/claude"
    (package / "bin").mkdir(parents=True)
    (package / "bin/cli.js").write_text("#!/usr/bin/env node\n")
    (package / "bin/cli.js").chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/claude").symlink_to(package / "bin/cli.js")
    user_environment["PATH"] += f":{tmp_path}/bin"
    cli("install", "claude")
    for version, count in (("2.1.197", 1), ("2.1.295", 0)):
        (package / "package.json").write_text(json.dumps({"name": "claude", "version": version}))
        bridges, problems = doctor(cli)
        assert bridges[0]["version"] == version
        assert bridges[0]["is_measured"] is (version == "2.1.197")
        assert len([text for text in problems if "lets a tool run when hookrun times out" in text]) == count


@pytest.mark.parametrize(
    ("version", "said"), [("2.1.328", KNOWN), ("2.1.197", KNOWN), ("2.2.0", f"{KNOWN}, not with 2.2.0"), ("", KNOWN)]
)
def test_doctor_says_that_the_version_here_was_not_measured(
    version, said, cli, project, user_environment, tmp_path
) -> None:
    program = tmp_path / "claude/claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (program.parent / "package.json").write_text(json.dumps({"version": version}))
    user_environment["PATH"] += f":{program.parent}"
    assert f"  what it can do: {KNOWN}\n" in cli("install", "claude").stdout
    assert "  what it can do: read, not measured\n" in cli("install", "cursor").stdout
    assert "what it can do" not in cli("uninstall", "cursor").stdout
    bridges, _ = doctor(cli)
    assert bridges[0]["measured_with"] == ["2.1.197", "2.1.328"]
    assert f"11 of 11 events, {said}\n" in cli("doctor").stdout


@pytest.mark.parametrize(
    "text", ['{\n  // mine\n  "model": "x"\n}\n', '{\n  "model": "x",\n}\n', '{"a": 1, /* b */ "c": 2}']
)
@pytest.mark.parametrize("options", [(), ("--user",), ("--dry-run",)])
def test_settings_that_claude_code_does_not_load_are_said_as_they_are_wired(
    text, options, cli, project, user_environment
) -> None:
    settings = Path(user_environment["HOME"] if "--user" in options else project.path) / ".claude/settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(text)
    ended = cli("install", "claude", *options)
    assert ended.code == 0
    assert "Claude Code does not load a file with a comment or a trailing comma" in ended.stderr
    assert "remove the comment or the comma" in ended.stderr
    if not options:
        assert [said for said in doctor(cli)[1] if "does not load" in said] == [
            "Claude Code does not load a file with a comment or a trailing comma, and runs none of its hooks"
        ]
        cli("uninstall", "claude")
        assert settings.read_text() == text


def test_settings_that_an_agent_loads_are_no_problem_to_wire(cli, project) -> None:
    for folder, text in ((".claude", '{"model": "x"}'), (".gemini", "{\n  // mine\n}\n"), (".codex", "")):
        (project.path / folder).mkdir()
        (project.path / folder / "settings.json").write_text(text)
    assert "does not load" not in cli("install", "claude", "gemini", "codex").stderr
    (project.path / ".claude/settings.json").write_text("\n")
    assert "does not load" not in cli("install", "claude", "--dry-run").stderr


def test_a_limit_longer_than_the_agent_waits_is_told(cli, project):
    cli("install", "claude")
    (project.path / ".hookrun").mkdir()
    (project.path / ".hookrun/config.yaml").write_text("limits: {event_seconds: 300}\n")
    assert doctor(cli)[1] == ["claude waits 70 s for hookrun, so that hooks have 65 s"]


@pytest.mark.parametrize("agent", ["claude", "copilot", "gemini"])
def test_an_entry_that_lets_the_agent_wait_too_short_is_told(cli, project, agent):
    cli("install", agent)
    (path,) = [path for path in project.path.rglob("*.json") if "hookrun bridge" in path.read_text()]
    path.write_text(path.read_text().replace("70", "7", 1))
    (told,) = [text for text in doctor(cli)[1] if "wait too short" in text]
    assert told.count(",") == 0
    cli("install", agent)
    assert not any("wait too short" in text for text in doctor(cli)[1])


def test_other_hooks_in_the_settings_are_still_read(cli, project):
    wiring = installation_of("cursor")
    path = project.path / wiring.project
    path.parent.mkdir()
    path.write_text(json.dumps({"hooks": {"stop": [other_hook(wiring)]}}))
    ended = cli("install", "cursor")
    assert f'warning: {path}: the version is missing\n  hint: put "version": 1 there\n' in ended.stderr
    assert json.loads(path.read_text())["hooks"]["stop"][0] == other_hook(wiring)
