"""Silent passes: what lets everything through when a guard could not look, and what only looks like it."""

from __future__ import annotations

import pytest
from linted import messages, report_of

from hookrun.commands.validate.shell_text import commands_of, line_at

SHELL = {
    "command -v jq || exit 0": "without jq",
    "command -v jq >/dev/null 2>&1 || exit 0": "without jq",
    "command -v jq &> /dev/null || { echo 'no jq' >&2; exit 0; }": "without jq",
    "command -v jq >/dev/null ||\n  exit 0": "without jq",
    "command -v jq >/dev/null \\\n  || exit 0": "without jq",
    "which jq > /dev/null || exit 0": "without jq",
    "type -p jq || return 0": "without jq",
    "hash jq 2>/dev/null || exit 0": "without jq",
    "! command -v jq >/dev/null && exit 0": "without jq",
    "if ! command -v jq >/dev/null; then exit 0; fi": "without jq",
    "if ! command -v jq >/dev/null\nthen\n  echo skipped\n  exit 0\nfi": "without jq",
    "[ -x /opt/scan ] || exit 0": "without /opt/scan",
    '[[ -x "$SCAN" ]] || exit 0': "without $SCAN",
    "test -x ./scan || exit 0": "without ./scan",
    "if [ ! -x /opt/scan ]; then exit 0; fi": "without /opt/scan",
    "trap 'exit 0' ERR": "a trap on ERR",
    "trap 'rm -f x; exit 0' EXIT": "a trap on EXIT",
    'trap "exit 0" 0 INT': "a trap on EXIT",
    "trap 'rm -f \"$tmp\"; exit 0' ERR": "a trap on ERR",
    'c=$(jq -r \'.tool_input.command // ""\' 2>/dev/null || echo "")': "when jq fails",
    "c=$(printf '%s' \"$in\" | jq -r .c 2>/dev/null || true)": "when jq fails",
    'c="$(jq -r .c || :)"': "when jq fails",
    "c=$(jq -r .c) || true": "when jq fails",
    'c=$(jq -r .c 2>/dev/null) || c=""': "when jq fails",
    "read -t 1 LINE || exit 0": "when no line comes in time",
    "IFS= read -r -t 0.5 LINE || exit 0": "when no line comes in time",
    "if ! read -rt 1 LINE; then exit 0; fi": "when no line comes in time",
    "python3 check.py || true": "its last command ends in '|| true'",
    "./check || :": "its last command ends in '|| :'",
    "./check || exit 0": "its last command ends in '|| exit 0'",
}
HARMLESS_SHELL = [
    "command -v jq || exit 2",
    "command -v jq || { echo 'jq is missing' >&2; exit 2; }\nexit 0",
    "command -v jq >/dev/null || exit 1",
    "if ! command -v jq; then exit 2; fi\nexit 0",
    "if ! command -v jq; then exit 2; else exit 0; fi",
    "if command -v jq; then exit 0; fi",
    "# command -v jq || exit 0",
    "command check || exit 0\ntrue",
    "echo 'say # command' # command -v jq || exit 0",
    "cat <<END\ncommand -v jq || exit 0\nEND",
    '[ -f "$file" ] || exit 0\n[ -n "$cmd" ] || exit 0\ntrue',
    "trap 'rm -f x' EXIT",
    "trap 'exit 0' TERM",
    "c=$(jq -r .c)",
    "c=$(jq -r .c || exit 2)",
    "b=$(jq -r .c); c=$(git rev-parse HEAD || true)",
    "c=$(git rev-parse HEAD 2>/dev/null || echo '')",
    "read -r LINE || exit 0\ntrue",
    "read -t 1 LINE || exit 2",
    "grep -q rm && { echo no >&2; exit 2; } || true",
    "rm -f tmp || true",
    "./check || true\nexit 2",
]
PYTHON = {
    "try:\n    check()\nexcept:\n    sys.exit(0)": "a bare except",
    "try:\n    check()\nexcept Exception:\n    pass": "except Exception",
    "try:\n    check()\nexcept (OSError, Exception) as error:\n    print(error)\n    exit()": (
        "except OSError, Exception"
    ),
    "if True:\n    try:\n        main()\n    except BaseException:\n        raise SystemExit(0)": (
        "except BaseException"
    ),
    "def main():\n    try:\n        check()\n    except Exception:\n        return 0\n    return 2": (
        "except Exception"
    ),
    "try:\n    event = json.load(sys.stdin)\nexcept Exception:\n    pass\ncheck()": "except Exception",
    "try:\n    event = json.load(sys.stdin)\nexcept json.JSONDecodeError:\n    sys.exit(0)\ncheck()": (
        "except json.JSONDecodeError around reading the payload"
    ),
    "with contextlib.suppress(Exception):\n    main()": "suppresses every exception",
}
HARMLESS_PYTHON = [
    "try:\n    check()\nexcept Exception:\n    sys.exit(2)",
    "try:\n    check()\nexcept Exception:\n    raise",
    "try:\n    check()\nexcept Exception as error:\n    print(error)\n    raise SystemExit(2)",
    "try:\n    import rich\nexcept Exception:\n    pass",
    "try:\n    log()\nexcept Exception:\n    pass\ncheck()",
    "try:\n    port = int(text)\nexcept ValueError:\n    sys.exit(0)",
    "def helper():\n    try:\n        check()\n    except Exception:\n        return None",
    "with contextlib.suppress(OSError):\n    main()",
]


def guard(project, text, name="bash.sh", phase="pre"):
    return project.script(f".hookrun/hooks/{phase}/{name}", text)


@pytest.mark.parametrize("text", SHELL)
def test_a_silent_pass_of_a_shell_guard_is_found(project, user_environment, text):
    guard(project, f"#!/bin/bash\ntrue\n{text}\n")
    (found,) = messages(project, user_environment)
    assert found.startswith(f"3: {SHELL[text]}")
    assert "lets everything through" in found


@pytest.mark.parametrize("text", HARMLESS_SHELL)
def test_what_is_no_silent_pass_is_left_alone(project, user_environment, text):
    guard(project, f"#!/bin/bash\n{text}\n")
    assert messages(project, user_environment) == []


@pytest.mark.parametrize("text", PYTHON)
def test_a_silent_pass_of_a_python_guard_is_found(project, user_environment, text):
    guard(project, f"#!/usr/bin/env python3\n{text}\n", "bash.py")
    (found,) = messages(project, user_environment)
    assert f": {PYTHON[text]}" in found
    assert "lets everything through" in found


@pytest.mark.parametrize("text", HARMLESS_PYTHON)
def test_a_handler_that_is_no_silent_pass_is_left_alone(project, user_environment, text):
    guard(project, f"#!/usr/bin/env python3\n{text}\n", "bash.py")
    assert messages(project, user_environment) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bash.sh", "#!/bin/sh\ncommand -v jq || exit 0\n"),
        ("bash.py", "#!/usr/bin/env python3\ntry:\n    main()\nexcept:\n    exit(0)\n"),
    ],
)
def test_an_observer_may_pass_in_silence(project, user_environment, name, text):
    guard(project, text, name, phase="post")
    assert messages(project, user_environment) == []
    guard(project, text, name)
    assert len(messages(project, user_environment)) == 1


def test_a_script_that_a_guard_and_an_observer_run_is_a_guard(project, user_environment):
    project.manifest(
        "both", script="#!/bin/sh\ncommand -v jq || exit 0\n", hooks=[{"event": "PostToolUse"}, {"event": "PreToolUse"}]
    )
    (finding,) = report_of(project, user_environment).findings
    assert finding.file.endswith("hook.sh")
    assert "without jq" in finding.message


def test_a_program_that_the_header_needs_is_no_silent_pass(project, user_environment):
    guard(project, "#!/bin/sh\n# hookrun: needs=sh\ncommand -v sh >/dev/null || exit 0\n")
    assert messages(project, user_environment) == []


def test_every_silent_pass_of_a_script_is_found_with_its_line(project, user_environment):
    guard(project, "#!/bin/bash\ntrap 'exit 0' ERR\ncommand -v jq ||\n  exit 0\nread -t 1 X || exit 0\ntrue\n")
    assert [found.partition(":")[0] for found in messages(project, user_environment)] == ["2", "3", "5"]


def test_a_shift_in_arithmetic_is_not_a_here_document(project, user_environment):
    guard(project, "#!/bin/bash\nx=$((1<<n))\ncommand -v jq || exit 0\ntrue\n")
    (found,) = messages(project, user_environment)
    assert found.startswith("3: without jq")


def test_lines_stay_where_they_were():
    text = "a \\\n  b\nc ||\n d # e\ncat <<'X'\nf\nX\ng\n"
    commands = commands_of(text)
    assert [line_at(commands, commands.index(word)) for word in "abcdg"] == [1, 2, 3, 4, 8]
    assert "f" not in commands
    assert "e" not in commands


@pytest.mark.parametrize(
    "piece", ["if ! command -v x; then ", "command -v x || { ", "a=$(jq ", "read -t 1 ", "[ -x a ] || ", "<<A "]
)
def test_a_line_that_invites_endless_looking_ends(project, user_environment, piece):
    guard(project, f"#!/bin/bash\n: '{piece * 20_000}'\ntrap 'exit 0' ERR\n")
    (finding,) = report_of(project, user_environment).findings
    assert "a trap on ERR" in finding.message
