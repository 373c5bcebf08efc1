"""bash's own words in a text that sh runs: where sh is dash they are errors, or silently something else."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from agent_settings import CLAUDE, before_tools, group, write
from linted import report_of

from hookrun.commands.validate.bashisms import find_bashisms, message_about

OF_BASH = {
    "[[": (
        "[[ a == b ]]",
        "if [[ $c == *x* ]]; then :; fi",
        "foo && [[ -f x ]]",
        'echo "$( [[ a = b ]] )"',
        "case x in a) [[ -f x ]];; esac",
        "x=1;[[ a ]]",
        "! [[ a ]]",
        "{ [[ a ]]; }",
        "jq . | { read -r x; [[ $x ]]; }",
        "cat <<E\nx\nE\n[[ a ]]",
        "echo $((1<<2))\n[[ a ]]",
    ),
    "==": ("[ a == b ]", "test a == b", "if ! [ \"$a\" == 'b' ]; then :; fi", "if [ $# == 1 ]; then :; fi"),
    "function": ("function f { :; }", "x; function my-f() { :; }"),
    "an array": (
        "a=(1 2)",
        "a+=(1)",
        "local x=(1 2)",
        "echo ${a[0]}",
        'echo "${#a[@]}"',
        'for x in "${a[@]}"; do :; done',
    ),
    "<<<": ("cat <<< x", 'jq . <<<"$x"'),
    "${x//}": ('echo "${x//a/b}"', "echo ${x/a/b}"),
    "${x:0:1}": ('echo "${x:0:2}"', "echo ${x:2}"),
    "${x^^}": ("echo ${x^^}", 'echo "${x,,}"'),
    "${!x}": ("echo ${!x}",),
    "source": ("source ./x", '#!/bin/sh\n# c\nsource "$d/x"'),
    "declare": ("declare -A m",),
    "mapfile": ("mapfile -t x",),
    "&>": ("ls &> /dev/null", "ls &>> f"),
    ">&": ("ls >& /dev/null",),
    "|&": ("ls |& cat",),
    "$'...'": ("echo $'a'", "IFS=$'\\n'"),
    "<(...)": ("cat <(ls)", "x=$(cat <(ls))", "while read -r x; do :; done < <(ls)"),
    "for ((": ("for ((i=0;i<3;i++)); do :; done",),
    "((": ("(( i > 3 )) && x", "i=0; ((i++))"),
    "pipefail": ("set -euo pipefail", "set -o pipefail"),
    "trap ... ERR": ('trap "exit 2" ERR', "trap 'exit 2' INT ERR"),
}
OF_SH = (
    "echo '[[ a ]]'",
    'echo "[[ a ]]"',
    "# [[ a ]]",
    "x # a=(1)",
    "cat <<E\n[[ a ]]\nE\n",
    "cat <<'E'\na=(1)\nE\n",
    "cat <<-E\n\t[[ a ]]\n\tE\n",
    "bash -c '[[ a ]]'",
    'bash -c "[[ a == b ]]"',
    "bash <<E\n[[ a ]]\nE\n",
    "grep [[:space:]] x",
    "case $x in *[[:space:]]*) :;; [[:digit:]]) :;; esac",
    "[ a = b ]",
    "echo a == b",
    'expr "$x" == y',
    "ls > f 2>&1",
    "ls >&2",
    "exec 3>&1 4<&0",
    "exec 3>&-",
    "echo ${x:-y} ${x#a} ${x%%b} ${x:+$y} ${x:=z} ${#x} ${1%:*} ${2#*:}",
    "f() { :; }",
    "x=$(ls)",
    "(cd a; ls)",
    """awk '{ if ($1 == "x") a[1]=(2) }'""",
    'python3 -c "x = [1]; print(x[0] == 1)"',
    ". ./x",
    "x=$((1+2)); y=$(( (x) < 3 )); z=$((x<(3)))",
    'git log --format="%(x)"',
    "echo source x",
    "git function x",
    'echo "it\'s [[ x ]]"',
    "echo it\\'s; [ a ]",
    """jq -e '.a == "b"'""",
    'test "$x" = "=="',
    'exec bash "$0" "$@"; [[ a ]]',
    '[ -n "$BASH_VERSION" ] && [[ a ]]',
    'curl -d "a&>b" x',
    'trap "exit 2" EXIT',
    'jq -r ".tool_input | (.a // .b) == 1"',
    "sed -e 's/a=(b)/c/'",
    "find . \\( -name a \\) -exec x {} +",
    "echo \\`[[ x",
)
COMMAND = "c=$(jq -r .tool_input.command); if [[ $c == *terraform\\ apply* ]]; then echo no >&2; exit 2; fi"


def named(text: str) -> list[str]:
    return [each.name for each in find_bashisms(text)]


def test_what_is_bashs_own_is_named():
    missed = [(name, text) for name, texts in OF_BASH.items() for text in texts if name not in named(text)]
    assert missed == []


def test_what_every_sh_has_or_bash_itself_reads_is_not():
    assert [(text, found) for text in OF_SH if (found := named(text))] == []


@pytest.mark.skipif(os.path.basename(os.path.realpath("/bin/sh")) != "dash", reason="sh is no dash here")
def test_dash_takes_what_is_named_as_something_else():
    """Of each construct at least one example: an error, or another output than bash has."""

    def outcome(shell: str, text: str) -> tuple[int, str]:
        done = subprocess.run([shell, "-c", text], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout + done.stderr.replace(f"{shell}: ", "")

    same = [name for name, texts in OF_BASH.items() if all(outcome("dash", t) == outcome("bash", t) for t in texts)]
    assert set(same) <= {"&>"}  # there the output is lost for the person alone


def test_the_line_is_the_first_one(project, user_environment):
    project.script(".claude/hooks/pre/bash.sh", '#!/bin/sh\nx="a\nb"\n\nif [[ $x ]]; then\n  [[ b ]]\nfi\n')
    (finding,) = report_of(project, user_environment).findings
    assert (finding.line, finding.level) == (5, "warning")
    assert finding.message.startswith("`[[` is bash syntax, but /bin/sh is ")
    assert "#!/bin/bash" in finding.hint


@pytest.mark.parametrize(
    ("name", "text", "is_named"),
    [
        (".hookrun/hooks/pre/bash.sh", "#!/bin/sh\n[[ a ]]\n", True),
        (".hookrun/hooks/pre/bash.sh", "#!/usr/bin/env sh\n[[ a ]]\n", True),
        (".hookrun/hooks/pre/bash.sh", "[[ a ]]\n", True),  # without a shebang
        (".hookrun/hooks/post/bash.sh", "#!/bin/sh\n[[ a ]]\n", True),  # an observer
        (".hookrun/hooks/pre/bash.sh", "#!/bin/bash\n[[ a ]]\n", False),
        (".hookrun/hooks/pre/bash.sh", "#!/usr/bin/env bash\n[[ a ]]\n", False),
        (".hookrun/hooks/pre/bash.zsh", "#!/bin/zsh\n[[ a ]]\n", False),
    ],
)
def test_scripts_that_sh_runs_are_looked_at(project, user_environment, name: str, text: str, is_named: bool):
    project.script(name, text)
    messages = [finding.message for finding in report_of(project, user_environment).findings]
    assert any("is bash syntax" in message for message in messages) is is_named


@pytest.mark.parametrize(
    ("path", "event", "is_named"),
    [
        (CLAUDE, "PreToolUse", True),
        (".xbot/hooks.json", "PreToolUse", True),
        (".gemini/settings.json", "BeforeTool", False),  # bash -c
        (".qwen/settings.json", "PreToolUse", False),
    ],
)
def test_commands_of_settings_are_for_the_shell_that_their_agent_has(
    project, user_environment, path: str, event: str, is_named: bool
):
    write(project, path, {"hooks": {event: [group(COMMAND)]}})
    findings = [each for each in report_of(project, user_environment).findings if "is bash syntax" in each.message]
    assert bool(findings) is is_named


def test_claudes_own_choice_of_shell_counts(project, user_environment):
    handler = {"type": "command", "command": COMMAND, "shell": "bash"}
    write(project, CLAUDE, before_tools({"hooks": [handler]}))
    assert report_of(project, user_environment).findings == ()


def test_doctor_says_it_too(project, cli):
    write(project, CLAUDE, before_tools(group(COMMAND)))
    for name in ("validate", "doctor"):
        ended = cli(name)
        assert "`[[` is bash syntax" in ended.stdout + ended.stderr
        assert "all is well" not in ended.stdout


def test_the_message_names_the_shell_that_is_here(tmp_path):
    (found,) = find_bashisms("[[ a ]]")
    for real, words in (("dash", "is dash here"), ("busybox", "is busybox here"), ("bash", "not bash everywhere")):
        (tmp_path / real).write_text("")
        shell = tmp_path / f"sh-{real}"
        shell.symlink_to(tmp_path / real)
        assert words in message_about(found, str(shell))


def test_import_writes_a_shebang_that_fits(project, cli):
    write(project, CLAUDE, before_tools(group(COMMAND), group("c=$(cat); echo \"$c\" '[[ x ]]'")))
    assert cli("import", "claude").code == 0
    scripts = sorted((project.path / ".hookrun").rglob("*.sh"))
    lines = [path.read_text().splitlines()[0] for path in scripts]
    assert sorted(lines) == ["#!/bin/bash", "#!/bin/sh"]


def test_an_imported_guard_for_bash_denies(project, cli):
    write(project, CLAUDE, before_tools(group("x=rm; if [[ $x == r* ]]; then echo no >&2; exit 2; fi")))
    assert cli("import", "claude").code == 0
    (project.path / CLAUDE).write_text(json.dumps({}))
    assert cli("emit", "pre", "--tool", "Bash", "--input", '{"command": "ls"}').code == 2
