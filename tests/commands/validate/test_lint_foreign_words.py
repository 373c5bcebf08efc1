"""Scripts that refuse in another agent's words: `validate` says so before an agent goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linted import messages

if TYPE_CHECKING:
    from command import Project

SH, PYTHON, NODE = "#!/bin/sh\n", "#!/usr/bin/env python3\n", "#!/usr/bin/env node\n"
FOREIGN = {
    ".claude/hooks/pre/bash.sh": SH + """# says no\necho '{"permission": "deny"}'\n""",
    ".hookrun/hooks/pre/edit.py": PYTHON + "import json\nprint(json.dumps({'ok': False}))\n",
    ".hookrun/hooks/pre/read.sh": SH + """printf '%s' \n  "{\\"Decision\\": \\"deny\\"}"\n""",
    ".xcsh/hooks/pre/write.js": NODE + "\nconsole.log(JSON.stringify({cancel: true}))\n",
}
OURS = {
    ".claude/hooks/pre/bash.sh": SH + """# {"permission": "deny"}\necho '{"decision": "deny"}'\n""",
    ".hookrun/hooks/pre/edit.py": PYTHON + "import sys\nD = {'ok': False}\nsys.exit(2)\n",
    ".hookrun/hooks/pre/read.sh": SH + """echo '{"status": "ok", "allow": true}'\n""",
    ".hookrun/hooks/post/read.sh": SH + """echo '{"ok": false}'\n""",
}


def test_a_refusal_in_other_words_is_found_in_each_language(project: Project, user_environment: dict[str, Any]):
    for name, text in FOREIGN.items():
        project.script(name, text)
    assert [text.partition(" is not a decision")[0] for text in messages(project, user_environment)] == [
        '3: "permission": "deny"',
        "3: 'ok': False",
        '3: "Decision": "deny"',
        "3: cancel: true",
    ]


def test_ours_comments_and_observers_are_left_alone(project: Project, user_environment: dict[str, Any]):
    for name, text in OURS.items():
        project.script(name, text)
    assert messages(project, user_environment) == []


def test_a_plugin_that_says_whose_words_it_speaks_is_left_alone(project: Project, user_environment: dict[str, Any]):
    path = project.manifest("p", script="""echo '{"permission": "deny"}'\n""", hooks=[{"event": "PreToolUse"}])
    assert "is not a decision here" in "".join(messages(project, user_environment))
    path.write_text(path.read_text().replace('"runtime"', '"dialect": "cursor", "runtime"'))
    assert messages(project, user_environment) == []
