"""Agents' own settings as a source: where they lie, what is read of them, and what is said of the rest."""

from __future__ import annotations

import json

import pytest
from agent_settings import CLAUDE, before_tools, command, commands, discover, group, skipped, wheres, write

from hookrun.agents import agents_with_settings
from hookrun.sources.discovery import SOURCES

GROUPED = {
    "claude": ([".claude/settings.json", ".claude/settings.local.json"], [".claude/settings.json"], "PreToolUse"),
    "codex": ([".codex/hooks.json"], [".codex/hooks.json"], "PreToolUse"),
    "gemini": ([".gemini/settings.json"], [".gemini/settings.json"], "BeforeTool"),
    "droid": ([".factory/settings.json", ".factory/settings.local.json"], [".factory/settings.json"], "PreToolUse"),
    "qwen": ([".qwen/settings.json"], [".qwen/settings.json"], "PreToolUse"),
}


def place(project, name, command_text, event, *, user=False):
    write(project, name, {"hooks": {event: [group(command_text)]}}, user=user)


@pytest.mark.parametrize("agent", GROUPED)
def test_the_users_settings_come_before_the_projects(project, user_environment, agent):
    of_project, of_user, event = GROUPED[agent]
    for name in of_user:
        place(project, name, f"user {name}", event, user=True)
    for name in of_project:
        place(project, name, f"project {name}", event)
    runner = discover(project, user_environment)
    assert commands(runner) == [*(f"user {name}" for name in of_user), *(f"project {name}" for name in of_project)]
    hooks = runner.loaded.registry.in_force
    assert {(hook.source, hook.order, hook.dialect, hook.role) for hook in hooks} == {
        (f"{agent}-settings", 70, agent, "guard")
    }
    assert [problem.message for problem in runner.problems] == []


def test_every_agent_of_the_table_can_be_switched_off_by_name():
    assert {f"{dialect.name}-settings" for dialect in agents_with_settings()} == {
        source for source in SOURCES if source.endswith("-settings")
    }


@pytest.mark.parametrize(
    ("name", "table", "title", "timeout"),
    [
        (".cursor/hooks.json", {"beforeShellExecution": [{"command": "guard", "timeout": 5}]}, "guard", 5),
        (".github/hooks/any.json", {"preToolUse": [{"bash": "guard", "timeoutSec": 5}]}, "guard", 5),
        (".windsurf/hooks.json", {"pre_run_command": [{"command": "guard"}]}, "guard", None),
    ],
)
def test_flat_settings_hold_handlers_without_groups(project, user_environment, name, table, title, timeout):
    write(project, name, {"version": 1, "hooks": table})
    runner = discover(project, user_environment)
    (hook,) = runner.loaded.registry.in_force
    assert (hook.title, hook.timeout, hook.triggers[0].event) == (title, timeout, "PreToolUse")
    assert wheres(runner) == []


def test_codex_is_read_from_toml_as_well(project, user_environment):
    text = """
    [features]
    other = true
    [[hooks.PostToolUse]]
    matcher = "Bash"
    [[hooks.PostToolUse.hooks]]
    type = "command"
    command = "look"
    timeout = 7
    """
    write(project, ".codex/config.toml", text, user=True)
    (hook,) = discover(project, user_environment).loaded.registry.in_force
    assert (hook.title, hook.timeout, hook.level) == ("look", 7, "user")
    assert [trigger.event for trigger in hook.triggers] == ["PostToolUse", "PostToolUseFailure"]


def test_cline_runs_executables_that_are_called_like_its_events(project, user_environment):
    project.script(".clinerules/hooks/PreToolUse", "#!/bin/sh\n")
    project.script(".clinerules/hooks/PostToolUse", "#!/bin/sh\n", mode=0o644)
    project.script(".clinerules/hooks/PreToolUs", "#!/bin/sh\n")
    runner = discover(project, user_environment)
    # The command line (3.0.65) runs one that is not executable: what it denies must not be lost.
    assert sorted(commands(runner)) == [".clinerules/hooks/PostToolUse", ".clinerules/hooks/PreToolUse"]
    assert [problem.hint for problem in runner.problems] == ["did you mean PreToolUse?"]


def test_a_bad_entry_costs_nothing_but_itself(project, user_environment):
    table = {
        "PreToolUse": [
            group("good", matcher="Bash"),
            group("bad", matcher="[bad"),
            group("bad", matcher="Shell("),
            group("bad", matcher=7),
            group({"type": "command"}, {"type": "comand", "command": "bad"}, "also good", 5, matcher="Edit"),
            "bad",
            {"matcher": "Bash"},
            group(command("slow", timeout="soon"), {"type": "http", "url": "ftp://x"}),
        ],
        "PreTooluse": [group("bad")],
        "PostToolUse": {"bad": 1},
        "Stop": [group("last")],
    }
    write(project, CLAUDE, {"hooks": table})
    runner = discover(project, user_environment)
    assert commands(runner) == ["good", "also good", "slow", "last"]
    assert wheres(runner) == [
        "",  # Claude Code itself loads nothing of such a file
        "hooks.PreToolUse[1].matcher",
        "hooks.PreToolUse[2].matcher",
        "hooks.PreToolUse[3].matcher",
        "hooks.PreToolUse[4].hooks[0].command",
        "hooks.PreToolUse[4].hooks[1].type",
        "hooks.PreToolUse[4].hooks[3]",
        "hooks.PreToolUse[5]",
        "hooks.PreToolUse[6].hooks",
        "hooks.PreToolUse[7].hooks[0].timeout",
        "hooks.PreToolUse[7].hooks[1].url",
        "hooks.PreTooluse",
        "hooks.PostToolUse",
    ]
    assert all(problem.source.endswith(CLAUDE) for problem in runner.problems)


@pytest.mark.parametrize(
    ("name", "event", "value", "seconds", "is_odd"),
    [
        (".claude/settings.json", "PreToolUse", 5000, 5000, True),
        (".claude/settings.json", "PreToolUse", 30, 30, False),
        (".gemini/settings.json", "BeforeTool", 5, 0.005, True),
        (".gemini/settings.json", "BeforeTool", 5000, 5, False),
        (".qwen/settings.json", "PreToolUse", 5, 5.0, False),
        (".qwen/settings.json", "PreToolUse", 999, 999.0, False),
        (".qwen/settings.json", "PreToolUse", 1000, 1.0, False),
        (".codex/hooks.json", "PreToolUse", 5000, 5000, True),
    ],
)
def test_a_timeout_that_looks_like_another_unit_is_told(project, user_environment, name, event, value, seconds, is_odd):
    write(project, name, {"hooks": {event: [group(command("x", timeout=value))]}})
    runner = discover(project, user_environment)
    assert [hook.timeout for hook in runner.loaded.registry.in_force] == [seconds]
    assert wheres(runner) == ([f"hooks.{event}[0].hooks[0].timeout"] if is_odd else [])


def test_an_if_with_a_bar_is_told_with_its_mend(project, user_environment):
    rule = "Bash(git commit*)|Bash(git merge*)"
    write(project, CLAUDE, before_tools(group(command("x", **{"if": rule}))))
    (problem,) = discover(project, user_environment).problems
    assert problem.where == "hooks.PreToolUse[0].hooks[0].if"
    assert "write one handler for each" in problem.hint


def test_an_if_on_an_event_without_a_tool_never_fires(project, user_environment):
    write(project, CLAUDE, {"hooks": {"Stop": [group(command("x", **{"if": "Bash"}))]}})
    runner = discover(project, user_environment)
    assert "never fire" in runner.problems[0].message
    event, _ = runner.event("AgentStop")
    assert [match.fires for match in runner.explain(event)] == [False]


def test_handlers_that_hookrun_does_not_run_are_listed_so(project, user_environment):
    others = [{"type": kind, "prompt": "x"} for kind in ("prompt", "agent", "mcp_tool")]
    write(project, CLAUDE, before_tools(group(*others, "mine")))
    write(project, ".codex/hooks.json", before_tools(group({"type": "http", "url": "http://localhost"})))
    runner = discover(project, user_environment)
    assert commands(runner) == ["mine"]
    for kind in ("prompt", "agent", "mcp_tool", "http"):
        assert f"a handler of type {kind}, which hookrun does not run" in skipped(runner)


@pytest.mark.parametrize(
    "handler",
    [
        command("sh -c 'command -v hookrun >/dev/null || exit 2; exec hookrun bridge claude'"),
        {"type": "command", "command": "sh", "args": ["-c", "exec hookrun bridge claude"]},
    ],
)
def test_what_hookrun_installed_is_no_source(project, user_environment, handler):
    write(project, CLAUDE, before_tools(group(handler, "mine")))
    runner = discover(project, user_environment)
    assert commands(runner) == ["mine"]
    assert "hookrun's own entry" in skipped(runner)


@pytest.mark.parametrize("text", ["{broken", "[]", '"x"', ""])
def test_a_broken_file_is_told_and_stops_nothing(project, user_environment, text):
    write(project, CLAUDE, text)
    place(project, ".gemini/settings.json", "still here", "BeforeTool")
    runner = discover(project, user_environment)
    assert commands(runner) == ["still here"]
    (problem,) = runner.problems
    assert (problem.level, problem.source) == ("error", str(project.path / CLAUDE))


def test_comments_and_other_settings_are_no_trouble(project, user_environment):
    text = '{"model": "x", /* why */ "hooks": {"SessionEnd": [{"hooks": [{"command": "x"}]}],}}'
    write(project, ".gemini/settings.json", text)
    runner = discover(project, user_environment)
    assert commands(runner) == ["x"]
    assert wheres(runner) == []


@pytest.mark.parametrize("text", ['{"hooks": %s,}', '{\n// mine\n"hooks": %s}', '/* */ {"hooks": %s}'])
def test_claude_loads_plain_json_alone_and_the_hooks_run_here_all_the_same(project, cli, user_environment, text: str):
    write(project, CLAUDE, text % '{"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}')
    runner = discover(project, user_environment)
    assert commands(runner) == ["x"]
    (problem,) = runner.problems
    assert (problem.level, problem.where) == ("error", "line 2" if "mine" in text else "line 1")
    assert "Claude Code does not load" in problem.message
    asked = ("--tool", "Bash", "--input", "{}")
    (hook,) = cli("explain", "pre", *asked, "--as", "claude", "--format", "json").document["hooks"]
    assert (hook["fires"], "does not load" in hook["reason"]) == (False, True)
    assert cli("validate").code == cli("doctor").code == 1
    assert "does not load" in cli("list").stderr


def test_hooks_can_be_switched_off_for_the_own_level(project, user_environment):
    place(project, CLAUDE, "user", "PreToolUse", user=True)
    write(project, CLAUDE, {"disableAllHooks": True, **before_tools(group("project"))})
    runner = discover(project, user_environment)
    assert commands(runner) == ["user"]  # a repository cannot switch off what guards its user
    assert "switches hooks off (disableAllHooks)" in skipped(runner)


def test_the_user_can_switch_off_all_hooks(project, user_environment):
    write(project, CLAUDE, {"disableAllHooks": True, **before_tools(group("user"))}, user=True)
    place(project, CLAUDE, "project", "PreToolUse")
    runner = discover(project, user_environment)
    assert commands(runner) == []
    assert skipped(runner).count("disableAllHooks") == 2


def test_local_settings_count_more_than_shared_ones(project, user_environment):
    write(project, CLAUDE, {"disableAllHooks": True, **before_tools(group("shared"))})
    write(project, ".claude/settings.local.json", {"disableAllHooks": False, **before_tools(group("local"))})
    assert commands(discover(project, user_environment)) == ["shared", "local"]


@pytest.mark.parametrize(
    ("user", "of_project", "expected"),
    [
        (None, None, ["project"]),
        (True, None, ["user", "project"]),
        (True, False, ["user"]),
        (None, True, ["project"]),
        (False, False, []),
    ],
)
def test_xbot_runs_commands_only_where_they_are_enabled(project, user_environment, user, of_project, expected):
    for name, switch, is_user in (("user", user, True), ("project", of_project, False)):
        table = {"hooks": {"PreToolUse": [group(name, {"type": "http", "url": "http://localhost:1/"})]}}
        switched = {} if switch is None else {"enable_command_hooks": switch}
        write(project, ".xbot/hooks.json", table | switched, user=is_user)
    runner = discover(project, user_environment)
    assert [title for title in commands(runner) if "localhost" not in title] == expected
    assert commands(runner).count("http://localhost:1/") == 2  # no command, so no switch
    assert ("enable_command_hooks is not true" in skipped(runner)) is (len(expected) < 2)


def test_xbot_has_a_third_layer(project, user_environment):
    write(project, ".xbot/hooks.json", {"enable_command_hooks": True}, user=True)
    place(project, ".xbot/hooks.local.json", "local", "PreToolUse")
    assert commands(discover(project, user_environment)) == ["local"]


@pytest.mark.parametrize(("first", "last", "expected"), [(True, False, []), (False, True, ["shared", "local"])])
def test_xbots_local_settings_have_the_last_word_on_commands(project, user_environment, first, last, expected):
    for name, switch, title in (("hooks.json", first, "shared"), ("hooks.local.json", last, "local")):
        table = {"enable_command_hooks": switch, "hooks": {"PreToolUse": [group(title)]}}
        write(project, f".xbot/{name}", table)
    assert commands(discover(project, user_environment)) == expected


@pytest.mark.parametrize(
    ("name", "event"), [(".gemini/settings.json", "BeforeTool"), (".qwen/settings.json", "PreToolUse")]
)
def test_a_sequential_group_is_serial(project, user_environment, name, event):
    groups = [group("a", "b", sequential=True), group("c", sequential=False), group("d")]
    write(project, name, {"hooks": {event: groups}})
    hooks = discover(project, user_environment).loaded.registry.in_force
    assert [(hook.title, hook.serial) for hook in hooks] == [("a", True), ("b", True), ("c", False), ("d", False)]


@pytest.mark.parametrize(
    ("name", "settings", "key"),
    [
        (".gemini/settings.json", {"hooks": {"enabled": False}}, "hooks.enabled"),
        (".gemini/settings.json", {"hooksConfig": {"enabled": False}}, "hooksConfig.enabled"),
        (".gemini/settings.json", {"disableAllHooks": True}, ""),
        (".qwen/settings.json", {"disableAllHooks": True}, "disableAllHooks"),
        (".qwen/settings.json", {"hooksConfig": {"enabled": False}}, ""),
    ],
)
def test_hooks_are_switched_off_by_the_keys_of_their_own_agent(project, user_environment, name, settings, key):
    event = "BeforeTool" if "gemini" in name else "PreToolUse"
    hooks = settings.get("hooks", {}) | {event: [group("a")]}
    write(project, name, settings | {"hooks": hooks})
    runner = discover(project, user_environment)
    assert commands(runner) == ([] if key else ["a"])
    assert not key or f"switches hooks off ({key})" in skipped(runner)


def test_a_script_below_the_project_variable_of_any_agent_is_one_of_its_files(project, user_environment):
    path = project.script("checks/guard.sh", "#!/bin/sh\n")
    for name, variable in ((CLAUDE, "CLAUDE_PROJECT_DIR"), (".factory/settings.json", "FACTORY_PROJECT_DIR")):
        write(project, name, before_tools(group(f'"${variable}"/checks/guard.sh')))
        (hook,) = discover(project, user_environment).loaded.registry.in_force
        assert hook.program.files == (str(path),), name
        (project.path / name).unlink()


def test_gemini_disables_hooks_by_name(project, user_environment):
    hooks = {"BeforeTool": [group(command("a", name="one"), command("b", name="two"))]}
    write(project, ".gemini/settings.json", {"hooks": hooks, "hooksConfig": {"disabled": ["one"]}})
    runner = discover(project, user_environment)
    assert commands(runner) == ["b"]
    assert "disable it by its name" in skipped(runner)


def install(project, *, enabled, scope="user", **installation):
    plugin = project.home / ".claude/plugins/cache/market/guards/1.0"
    for name, value in (
        (".claude-plugin/plugin.json", {"name": "guards"}),
        ("hooks/hooks.json", before_tools(group("${CLAUDE_PLUGIN_ROOT}/guard.sh"))),
    ):
        path = plugin / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
    entry = {"scope": scope, "installPath": str(plugin), "version": "1.0", **installation}
    listing = {"version": 2, "plugins": {"guards@market": [entry]}}
    write(project, ".claude/plugins/installed_plugins.json", listing, user=True)
    write(project, CLAUDE, {"enabledPlugins": {"guards@market": enabled}}, user=True)


def test_an_installed_plugin_brings_its_hooks(project, user_environment):
    install(project, enabled=True)
    (hook,) = discover(project, user_environment).loaded.registry.in_force
    assert (hook.plugin, hook.level, hook.program.folder[-10:]) == ("guards", "user", "guards/1.0")


@pytest.mark.parametrize("options", [{"enabled": False}, {"enabled": True, "projectPath": "/elsewhere"}])
def test_a_plugin_that_is_off_or_for_another_project_does_not(project, user_environment, options):
    install(project, **options)
    assert commands(discover(project, user_environment)) == []


def test_a_plugin_folder_in_the_project_is_read(project, user_environment):
    write(project, ".claude/plugins/mine/hooks/hooks.json", before_tools(group("guard")))
    inline = {"name": "other", "hooks": {"Stop": [group("inline")]}}
    write(project, ".claude/plugins/other/.claude-plugin/plugin.json", inline)
    runner = discover(project, user_environment)
    assert [(hook.title, hook.plugin) for hook in runner.loaded.registry.in_force] == [
        ("guard", "mine"),
        ("inline", "other"),
    ]


def test_plugins_are_switched_off_with_all_hooks(project, user_environment):
    write(project, ".claude/plugins/mine/hooks/hooks.json", before_tools(group("guard")))
    assert commands(discover(project, user_environment)) == ["guard"]
    write(project, CLAUDE, {"disableAllHooks": True})
    runner = discover(project, user_environment)
    assert commands(runner) == []
    assert "plugins/mine: settings.json switches hooks off" in skipped(runner)


def test_the_configuration_switches_a_source_off(project, user_environment):
    place(project, CLAUDE, "x", "PreToolUse")
    assert commands(discover(project, user_environment)) == ["x"]
    write(project, ".hookrun/config.yaml", "sources: {claude-settings: false}\n")
    runner = discover(project, user_environment)
    assert commands(runner) == []
    assert "sources.claude-settings: false" in skipped(runner)


def test_the_definition_is_the_canonical_entry(project, user_environment):
    handler = command("guard", timeout=5)
    write(project, CLAUDE, before_tools(group(handler, matcher="Bash")))
    (hook,) = discover(project, user_environment).loaded.registry.in_force
    entry = {"agent": "claude", "event": "PreToolUse", "handler": handler, "matcher": "Bash"}
    assert hook.entry == json.dumps(entry, sort_keys=True, separators=(",", ":"))
    write(project, CLAUDE, before_tools(group("first"), group(handler, matcher="Bash")))
    assert discover(project, user_environment).loaded.registry.in_force[1].id == hook.id


def test_the_files_that_a_command_names_are_known(project, user_environment):
    script = project.script(".claude/hooks/guard.sh", "#!/bin/sh\n")
    text = f'cd x; "$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh --flag "missing.sh" /bin/cat {script.name}'
    write(project, CLAUDE, before_tools(group(text)))
    (hook,) = discover(project, user_environment).loaded.registry.in_force
    assert hook.program.files == (str(script),)


def test_settings_have_no_keys_and_are_never_shadowed(project, user_environment):
    place(project, CLAUDE, "same", "PreToolUse", user=True)
    place(project, CLAUDE, "same", "PreToolUse")
    entries = discover(project, user_environment).loaded.registry.entries
    assert [(entry.hook.key, entry.state) for entry in entries] == [("", "in force")] * 2


@pytest.mark.parametrize("value", [0, -1, 0.0, True, 1e9, "5"])
@pytest.mark.parametrize("name", [CLAUDE, ".qwen/settings.json"])
def test_a_timeout_that_is_no_time_is_told_and_the_default_holds(project, user_environment, name, value):
    write(project, name, before_tools(group(command("x", timeout=value))))
    runner = discover(project, user_environment)
    assert [hook.timeout for hook in runner.loaded.registry.in_force] == [None]
    assert wheres(runner) == ["hooks.PreToolUse[0].hooks[0].timeout"]
    assert "the default is used" in runner.problems[0].message


@pytest.mark.parametrize("key", ["async", "asyncRewake"])
def test_async_handlers_are_observers(project, user_environment, key):
    write(project, CLAUDE, before_tools(group(command("later", **{key: True}), "now")))
    hooks = discover(project, user_environment).loaded.registry.in_force
    assert [(hook.role, hook.is_async) for hook in hooks] == [("observer", True), ("guard", False)]


@pytest.mark.parametrize("closing", [{"failClosed": True}, {"onFailure": "block"}])
def test_an_entry_says_that_its_failure_denies(project, user_environment, closing):
    write(project, CLAUDE, before_tools(group(command("a", **closing), command("b", onFailure="allow"))))
    hooks = discover(project, user_environment).loaded.registry.in_force
    assert [hook.on_failure for hook in hooks] == ["deny", None]


@pytest.mark.parametrize(
    ("path", "event", "key", "meant"),
    [
        (CLAUDE, "PreToolUse", "comand", "command"),
        (".gemini/settings.json", "BeforeTool", "commands", "command"),
        (".codex/hooks.json", "PreToolUse", "cmmand", "command"),
    ],
)
def test_a_misspelled_command_is_told_from_none(project, user_environment, path, event, key, meant):
    write(project, path, {"hooks": {event: [{"hooks": [{"type": "command", key: "true"}]}]}})
    (problem,) = discover(project, user_environment).problems
    assert problem.hint == f"did you mean {meant}? it says {key}"
    write(project, path, {"hooks": {event: [{"hooks": [{"type": "command"}]}]}})
    (problem,) = discover(project, user_environment).problems
    assert problem.hint == "name a command"
