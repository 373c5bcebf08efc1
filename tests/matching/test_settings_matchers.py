"""When hooks of agents' settings fire: matchers by each agent's rule, expressions, and `if`."""

from __future__ import annotations

import pytest
from sweeps import sweep

from hookrun.agents import dialect_named
from hookrun.agents.settings import settings_of
from hookrun.events.event import make_event
from hookrun.matching.agent_rules import COMMAND, NOTHING, TOOL, AgentMatcher
from hookrun.matching.conditions import claude_condition, xbot_condition
from hookrun.matching.expressions import GO, JAVASCRIPT, RUST, compile_expression
from hookrun.matching.shell_conditions import simple_commands


def call(tool="Bash", agent="claude", cwd="/p", **values):
    made, _ = make_event("PreToolUse", tool_name=tool, dialect=dialect_named(agent), cwd=cwd, **values)
    return made


def shell(text):
    return call(tool_input={"command": text})


def fires(agent, matcher, *names, about=TOOL, **values):
    return AgentMatcher(settings_of(agent).matcher, matcher, about=about)(call(names[0], **values), names)


@sweep(
    ("matcher", "name", "expected"),
    [
        ("", "Bash", True),
        ("*", "Bash", True),
        ("Bash", "Bash", True),
        ("Bash", "BashOutput", False),
        ("bash", "Bash", False),
        ("Bash,PowerShell", "PowerShell", True),
        ("Bash, Edit | Write", "Write", True),
        ("Edit", "NotebookEdit", False),
        ("mcp__srv", "mcp__srv__tool", False),
        ("mcp__srv__.*", "mcp__srv__tool", True),
        ("mcp__my-srv__tool", "mcp__my-srv__tool", True),
        ("Edit.*", "NotebookEdit", True),
        ("^Edit", "NotebookEdit", False),
        ("^(Edit|Write)$", "Write", True),
        ("(?<verb>Edit)", "Edit", True),
        ("^(?!Bash)", "Bash", False),
        ("^(?!Bash)", "Edit", True),
        (r"Ba\w\w$", "Bash", True),
    ],
)
def test_claude_compares_names_or_searches_an_expression(matcher, name, expected):
    assert fires("claude", matcher, name) is expected


@sweep(
    ("former", "tool"),
    [
        ("Task", "Agent"),
        ("KillShell", "TaskStop"),
        ("KillBash", "TaskStop"),
        ("BashOutput", "TaskOutput"),
        ("AgentOutputTool", "TaskOutput"),
        ("Brief", "SendUserMessage"),
        ("ListPeers", "ListAgents"),
        ("ListMcpResources", "ListMcpResourcesTool"),
        ("ReadMcpResource", "ReadMcpResourceTool"),
    ],
)
def test_claude_takes_a_former_name_of_a_tool_for_the_tool(former, tool):
    """Whether the matcher is a name, one of a list or an expression, and whichever of them is older."""
    for matcher, name in ((former, tool), (tool, former)):
        for written in (matcher, f"Bash|{matcher}", f"^{matcher}$", f"({matcher}|Bash)$"):
            assert fires("claude", written, name), written
        assert not fires("claude", f"{matcher}X", name)
        assert not fires("claude", matcher, "Bash")
        assert not fires("claude", f"^(?!{matcher}$)x", name)
        accepts = AgentMatcher(settings_of("claude").matcher, "", condition=claude_condition(matcher))
        assert accepts(call(name), (name,))
        assert not accepts(call("Bash"), ("Bash",))


@sweep(("rule", "kind", "expected"), [("Task(Plan)", "Plan", True), ("Task(Plan)", "Explore", False)])
def test_a_rule_with_a_former_name_looks_at_the_input_as_well(rule, kind, expected):
    accepts = AgentMatcher(settings_of("claude").matcher, "", condition=claude_condition(rule))
    assert accepts(call("Agent", tool_input={"subagent_type": kind}), ("Agent",)) is expected


@sweep(
    ("agent", "matcher", "names", "expected"),
    [
        ("codex", "Bash|apply_patch", ("apply_patch",), True),
        ("codex", "Edit|Write", ("apply_patch",), True),
        ("codex", "^apply", ("apply_patch",), True),
        ("codex", "mcp__a-b", ("mcp__a-b__c",), True),  # a dash makes it an expression here
        ("codex", "Bash", ("BashOutput",), False),
        ("codex", "Bash,Edit", ("Bash",), False),
        ("gemini", "write_file|replace", ("replace",), True),
        ("gemini", "file", ("write_file",), True),
        ("gemini", "^file", ("write_file",), False),
        ("xbot", "Shell|Read", ("Read",), True),
        ("xbot", "Shell", ("ShellExtra",), False),
        ("xbot", "Sh.*", ("Shell",), True),
        ("copilot", "bash|edit", ("bash",), True),
        ("copilot", "ba", ("bash",), False),
        ("copilot", "ba.*", ("bash",), True),
        ("cursor", "Shell|Write", ("Write",), True),
    ],
)
def test_every_agent_has_its_own_rule(agent, matcher, names, expected):
    assert fires(agent, matcher, *names) is expected


def test_a_matcher_is_compared_with_what_an_event_without_a_tool_has():
    start, _ = make_event("SessionStart", fields={"source": "resume"})
    assert AgentMatcher(settings_of("claude").matcher, "startup|resume", about="source")(start, ())
    assert not AgentMatcher(settings_of("claude").matcher, "startup", about="source")(start, ())
    assert not AgentMatcher(settings_of("gemini").matcher, "resum", about="source")(start, ())
    assert AgentMatcher(settings_of("claude").matcher, "startup", about=NOTHING)(start, ())


def test_where_it_cannot_be_told_a_hook_fires_and_says_so():
    start, _ = make_event("SessionStart")
    matcher = AgentMatcher(settings_of("claude").matcher, "resume", about="source")
    assert matcher(start, ())
    assert "not known, so it fires" in matcher.why(start, ())


def test_cursor_compares_a_command_with_the_matcher():
    matcher = AgentMatcher(settings_of("cursor").matcher, "curl|wget", about=COMMAND, kinds=("shell",))
    assert matcher(shell("cd x && curl y"), ("Shell",))
    assert not matcher(shell("ls"), ("Shell",))
    assert not matcher(call("Read", tool_input={"file_path": "curl"}), ("Read",))


@pytest.mark.parametrize("matcher", ["[bad", "Shell(", "a**", "(?<n>a)(?<n>b)", "a++", r"\p{Lu}x", "*x", "(?i)bash"])
def test_what_javascript_or_python_cannot_read_is_refused(matcher):
    with pytest.raises(ValueError, match=r"\w"):
        AgentMatcher(settings_of("claude").matcher, matcher)


@sweep(
    ("text", "language", "subject", "expected"),
    [
        (r"^\d$", JAVASCRIPT, "٣", False),
        (r"^\d$", GO, "٣", False),
        (r"^\d$", RUST, "٣", True),
        (r"a\/b", JAVASCRIPT, "a/b", True),
        ("^a$", JAVASCRIPT, "a\n", False),
        ("a[^]b", JAVASCRIPT, "a\nb", True),
        ("a[]b", JAVASCRIPT, "ab", False),
        ("a{,2}", JAVASCRIPT, "a{,2}", True),
        ("a{2}", JAVASCRIPT, "aa", True),
        (r"(?<q>['\"]).\k<q>", JAVASCRIPT, "'x'", True),
        (r"(?<q>['\"]).\k<q>", JAVASCRIPT, "'x\"", False),
        (r"[[&&]", JAVASCRIPT, "&", True),
        (r"\u0041", JAVASCRIPT, "A", True),
        (r"(?<=mcp__)x", JAVASCRIPT, "mcp__x", True),
        ("(?P<n>a)", GO, "a", True),
        ("(?i)bash", GO, "BASH", True),
        ("^[[:alpha:]]+$", GO, "abc", True),
        (r"a\z", GO, "a", True),
        ("a+?b", JAVASCRIPT, "aab", True),
    ],
)
def test_expressions_mean_what_they_mean_in_their_language(text, language, subject, expected):
    assert compile_expression(text, language).accepts(subject) is expected


@pytest.mark.parametrize("text", ["(?=a)", r"(a)\1", r"\pL", "(?>a)"])
def test_what_go_does_not_know_is_refused(text):
    with pytest.raises(ValueError, match=r"\w"):
        compile_expression(text, GO)


@pytest.mark.parametrize("text", ["(a+)+$", "(a|a)*$", "((a*)b?)*$", "(?:a+){2,}$"])
def test_a_repetition_in_a_repetition_is_only_tried_on_short_names(text):
    risky = compile_expression(text, JAVASCRIPT)
    assert risky.is_risky
    assert risky.accepts("a" * 200 + "!") is None
    assert risky.accepts("aa") is True
    assert fires("claude", text, "a" * 200 + "!")


@pytest.mark.parametrize("text", ["a+b+", "(ab)+", "mcp__(a|b)__x", "(?:Edit|Write)?", "[a-z]+$"])
def test_usual_expressions_are_tried_on_any_name(text):
    assert not compile_expression(text, JAVASCRIPT).is_risky


@sweep(
    ("rule", "command", "expected"),
    [
        ("Bash", "ls", True),
        ("Bash(*)", "ls", True),
        ("Bash(git commit:*)", "git commit -m x", True),
        ("Bash(git commit:*)", "git commit", True),
        ("Bash(git commit:*)", "git commits", False),
        ("Bash(git *)", "git", True),
        ("Bash(ls *)", "lsof", False),
        ("Bash(ls*)", "lsof", True),
        ("Bash(echo*)", "ls; echo x", True),
        ("Bash(echo*)", "ls && true || echo x", True),
        ("Bash(echo*)", "ls | grep echo", False),
        ("Bash(rm *)", "A=1 rm x", True),
        ("Bash(rm *)", "timeout 5 rm x", True),
        ("Bash(rm *)", "(cd x; rm y)", True),
        ("Bash(rm *)", "if true; then rm y; fi", True),
        ("Bash(rm *)", "echo 'rm y'", False),
        ("Bash(rm *)", "echo $(ls)", None),  # what runs there is not known
        ("Bash(rm *)", "bash -c 'ls'", None),
        ("Bash(rm *)", "$CMD y", None),
        ("Bash(rm *)", "cat <<E\nx\nE", None),
        ("Bash(rm *)", "ls 2>&1", False),
        ("Bash(npm run build)", "npm run build", True),
        ("Bash(npm run build)", "npm run builds", False),
        ("Edit(*.ts)", "ls", False),
    ],
)
def test_a_permission_rule_is_tried_on_every_command(rule, command, expected):
    condition = claude_condition(rule)
    assert condition.flaw == ""
    assert condition.holds(shell(command), ("Bash",)) is expected


@sweep(
    ("rule", "tool", "path", "expected"),
    [
        ("Edit(src/**)", "Edit", "/p/src/a/b.ts", True),
        ("Edit(src/**)", "Edit", "/p/lib/a.ts", False),
        ("Edit(src/**)", "Write", "/p/src/a.ts", True),
        ("Edit(src/**)", "Read", "/p/src/a.ts", False),
        ("Edit(*.ts)", "Edit", "/p/deep/a.ts", True),
        ("Edit(*.ts)", "Edit", "/p/deep/a.tsx", False),
        ("Edit(//etc/**)", "Edit", "/etc/passwd", True),
        ("Edit(/src/*.ts)", "Edit", "/p/src/a.ts", True),
        ("Edit(/src/*.ts)", "Edit", "/p/x/src/a.ts", False),
        ("Read(.env)", "Read", "/p/x/.env", True),
        ("Read(secrets)", "Read", "/p/secrets/a", True),
    ],
)
def test_a_rule_about_files_is_a_pattern_as_in_a_gitignore(rule, tool, path, expected):
    about = call(tool, tool_input={"file_path": path}, project_dir="/p")
    assert claude_condition(rule).holds(about, (tool,)) is expected


def test_a_rule_about_a_domain_is_compared_with_the_address():
    about = call("WebFetch", tool_input={"url": "https://docs.example.com/x"})
    assert claude_condition("WebFetch(domain:docs.example.com)").holds(about, ("WebFetch",))
    assert not claude_condition("WebFetch(domain:example.com)").holds(about, ("WebFetch",))


def test_two_rules_with_a_bar_never_fire_and_the_mend_is_said():
    condition = claude_condition("Bash(git commit*)|Bash(git merge*)")
    assert not condition.holds(shell("git commit -m x"), ("Bash",))
    assert "never fires" in condition.flaw
    assert '"if": "Bash(git commit*)" and "if": "Bash(git merge*)"' in condition.hint


def test_a_bar_within_a_rule_is_a_part_of_its_pattern():
    assert claude_condition("Bash(a | b)").flaw == ""


@pytest.mark.parametrize("rule", ["Bash(git", "(x)", ""])
def test_what_is_no_rule_fires_and_is_said(rule):
    condition = claude_condition(rule)
    assert condition.holds(shell("ls"), ("Bash",)) is None
    assert "so it fires" in condition.flaw


def test_an_if_that_cannot_be_told_fires_and_says_so():
    matcher = AgentMatcher(settings_of("claude").matcher, "Bash", condition=claude_condition("Bash(rm *)"))
    assert matcher(shell("$(x)"), ("Bash",))
    assert "it is unknown whether its `if`" in matcher.why(shell("$(x)"), ("Bash",))
    assert "does not hold" in matcher.why(shell("ls"), ("Bash",))


@sweep(
    "command",
    [
        "git $'push'",
        "git $'pu\\x73h'",
        "2>&1 > out nice xargs git",
        "echo push | xargs git",
        "echo push | nice xargs git",
        "echo push | timeout 5 xargs -n 1 git",
        "A=1 xargs git < words",
        "< words xargs git",
        "echo push | /usr/bin/xargs git",
        "/bin/sh -c 'git push'",
        "nohup doas git push",
        "stdbuf -o L git push",
        "time -p git push",
    ],
)
def test_a_command_that_may_start_another_one_fires(command):
    assert claude_condition("Bash(git push:*)").holds(shell(command), ("Bash",)) in (True, None)
    assert not simple_commands(command).is_certain


@pytest.mark.parametrize("command", ["git pull", "nice -n 5 git pull", "timeout -k 5 9 ls", "A=1 ls > xargs"])
def test_a_command_that_is_known_to_be_another_does_not_fire(command):
    assert claude_condition("Bash(git push:*)").holds(shell(command), ("Bash",)) is False


@pytest.mark.parametrize(
    ("rule", "tool_input", "expected"),
    [
        ("Shell(*git commit*)", {"command": "cd x; git commit"}, True),
        ("Shell(*git commit*)", {"command": "ls"}, False),
        ("Shell(ls)", {"deep": [{"a": "ls"}]}, True),
        ("Shell", {"command": "x"}, True),
        ("Read(*)", {"command": "x"}, False),
    ],
)
def test_xbot_tries_a_glob_on_every_text_of_the_input(rule, tool_input, expected):
    about = call("Shell", agent="xbot", tool_input=tool_input)
    assert xbot_condition(rule).holds(about, ("Shell",)) is expected


@pytest.mark.parametrize(
    ("text", "commands", "is_certain"),
    [
        ("ls", ("ls",), True),
        ("a; b && c || d & e | f\ng", ("a", "b", "c", "d", "e", "f", "g"), True),
        ("echo 'a;b' \"c;d\" e\\;f", ("echo 'a;b' \"c;d\" e\\;f",), True),
        ("x > y 2>&1", ("x > y 2>&1", "x"), True),
        ("echo 'open", ("echo 'open",), False),
        ("eval x", ("eval x",), False),
        ("", (), True),
    ],
)
def test_a_shell_line_is_taken_apart(text, commands, is_certain):
    line = simple_commands(text)
    assert (line.commands, line.is_certain) == (commands, is_certain)
