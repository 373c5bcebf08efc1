"""Hook modules among programs, and in languages that are not run: guards that say so, never silence."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from firing import ALLOWED_BY_SILENCE, DENIED_BY_FAILURE, DENIED_BY_GUARD, before_shell, ruling, the_outcome

from hookrun.sources.module_text import is_javascript_factory, is_python_factory

if TYPE_CHECKING:
    from collections.abc import Callable

    from command import Ended, Project

COMMON_JS = "const no = { block: true };\nmodule.exports = api => api.on('tool_call', () => no);\n"
ES_MODULE = "export default async function policy(pi) {\n  pi.on('tool_call', async () => ({block: true}));\n}\n"
PYTHON = "def hook(pi):\n    pi.on('tool_call', lambda event, ctx: {'block': True})\n"

PYTHON_MODULES = (
    PYTHON,
    "async def default(api):\n    install(api)\n",
    "from guards import no_force as hook\n",
    "from guards import *\n",
    "import logging\nlogging.basicConfig()\nhook = lambda api: None\n",
    "class Guard:\n    def __call__(self, api): ...\nhook = Guard()\n",
    "import re\nRULES = [re.compile(word) for word in ('rm', 'dd')]\ndef hook(api):\n    return None\n",
    "try:\n    from fast import hook\nexcept ImportError:\n    def hook(api): ...\n",
    "print('loaded')\ndef hook(api):\n    @api.on('tool_call')\n    def no(event): ...\n",
    "def check(): ...\ncheck()\ndef hook(pi, /):\n    pi.on_pre_tool_use('Shell', check)\n",
    "'''Speaks of a hook.'''\nhook: object = print\n",
    "raw = '\\d'\ndef hook(api): ...\n",
    "def activate(api):\n    api.on('tool_call', lambda event, ctx: {'block': True})\n",
    "async def activate(context): ...\n",
    "from guards import activate\n",
    f"{PYTHON}\nif __name__ == '__main__':\n    pass\n",
    f"# no __main__ part\n{PYTHON}\nif '__main__' == __name__:\n    'nothing'\n    ...\n",
)
PYTHON_PROGRAMS = (
    "import sys\nsys.exit(2)\n",
    "import json, sys\ndef hook(payload):\n    return 0\nsys.exit(hook(json.load(sys.stdin)))\n",
    "def hook(payload): ...\nif __name__ == '__main__':\n    hook(1)\n",
    "def hook(payload): ...\nif __name__ == '__main__':\n    pass\nelse:\n    hook(1)\n",
    "import runpy\ndef hook(payload): ...\nrunpy.run_path('x.py', run_name='__main__')\n",
    "def hook(payload): ...\nhook({})\n",
    "def default(value): ...\nimport json\nprint(json.dumps(1, default=default))\nraise SystemExit(2)\n",
    "def hook(): ...\ndef main(): ...\nmain()\n",
    "import os\ndef hook(text): ...\nif 'rm' in os.environ['HOOKRUN_COMMAND']:\n    hook('rm')\n",
    "import json\ndef hook(event): ...\nevent = json.load(open(0))\nok = event\n",
    "from checks import *\nrun_all()\n",
    "# def hook(pi): the module is elsewhere\n'def hook(pi): ...'\nprint('default')\n",
    "class Event:\n    def hook(self): ...\nprint(Event())\n",
    "def main():\n    def hook(): ...\nmain()\n",
    "import sys\ndef activate(venv): ...\nactivate(1)\nsys.exit(2)\n",
    "def activate(): ...\nif __name__ == '__main__':\n    activate()\n",
    "def hook(:\n",
)
JAVASCRIPT_MODULES = (
    COMMON_JS,
    ES_MODULE,
    "exports.default = hook;\nfunction hook(pi) { pi.on('tool_call', h) }\n",
    "export { guard as default } from './guard.mjs';\n",
    "const g = pi => {};\nexport { g as default };\n",
    "module.exports = function (pi) { /* process.exit(2) */ };\n",
    "module . exports\n=\n(pi) => {}\n",
    "export async function activate(api) {}\n",
    "exports.activate = api => {};\n",
    "module.exports = { default: pi => {} };\n",
    "export const policy = pi => pi.on(`tool_call`, () => ({ block: true }));\n",
    "module.exports = pi => pi.on('tool_call', e => { if (e.bad) process.exit(1); });\n",
    "import { fileURLToPath } from 'node:url';\nconst here = fileURLToPath(import.meta.url);\n"
    "export default pi => {};\n",
    'const quote = /[\'"`]/g;\nexport default pi => {};\nconst s = "it\'s";\n',
    "const n = 6 / 2; // a half\nmodule.exports = pi => n;\n",
)
JAVASCRIPT_PROGRAMS = (
    "process.exit(2)\n",
    "// module.exports = pi => {}\nprocess.exitCode = 2;\n",
    "/*\nexport default pi => {}\n*/\nconsole.log('{}')\n",
    "console.log('module.exports = pi => {}')\n",
    "const s = `\nexport default function hook(pi) {}\n`; console.log(s)\n",
    "if (/export default|module.exports = /.test(command)) console.log('no')\n",
    "const check = c => /rm/.test(c);\nmodule.exports = { check };\nif (check('x')) console.log('no')\n",
    "const run = () => 0;\nmodule.exports = run;\nif (require.main === module) run();\n",
    "export default 1;\nif (import.meta.main) console.log('x');\n",
    "export default function main() {}\nif (import.meta.url === `file://${process.argv[1]}`) main();\n",
    "const fs = require('fs');\nconst e = JSON.parse(fs.readFileSync(0));\nmodule.exports = e;\n",
    "const e = JSON.parse(require('fs').readFileSync('/dev/stdin'));\nmodule.exports = () => e;\n",
    "module.exports = check;\nfunction check() {}\nif (process.env.HOOKRUN_COMMAND) console.log('x');\n",
    "if (module.exports == x) console.log('x')\n",
)


def test_a_python_module_is_told_from_a_program_by_what_it_does():
    assert [text for text in PYTHON_MODULES if not is_python_factory(text.encode())] == []
    assert [text for text in PYTHON_PROGRAMS if is_python_factory(text.encode())] == []


def test_a_javascript_module_is_told_from_a_program_by_what_it_does():
    assert [text for text in JAVASCRIPT_MODULES if not is_javascript_factory(text)] == []
    assert [text for text in JAVASCRIPT_PROGRAMS if is_javascript_factory(text)] == []


MODULES_AMONG_SCRIPTS = {
    ".claude/hooks/pre/_all.py": "def activate(api):\n    api.on('tool_call', print)\n",
    ".xcsh/hooks/pre/bash.js": COMMON_JS,
    ".claude/hooks/pre/bash.mjs": ES_MODULE,
    ".hookrun/hooks/pre/10-bash.cjs": COMMON_JS,
    ".claude/hooks/pre/bash.py": PYTHON,
    ".hookrun/hooks/pre/bash/any": "#!/usr/bin/env python3\n" + PYTHON,
    ".hookrun/hooks/pre/bash": "#!/usr/bin/env -S node --no-warnings\n" + COMMON_JS,
    ".xcsh/hooks/pre/bash.ts": "export const rules = [];\n",
    ".claude/hooks/pre/_all.tsx": ES_MODULE,
    ".hookrun/hooks/pre/bash.mts": "#!/usr/bin/env bun\n" + ES_MODULE,
}


@pytest.mark.parametrize("mode", [0o755, 0o644], ids=["executable", "not executable"])
@pytest.mark.parametrize("name", MODULES_AMONG_SCRIPTS)
def test_a_module_among_scripts_is_a_guard_that_cannot_start(
    cli: Callable[..., Ended], project: Project, name: str, mode: int
):
    project.script(name, MODULES_AMONG_SCRIPTS[name], mode=mode)
    denied = before_shell(cli)
    assert ruling(denied) == DENIED_BY_FAILURE
    assert the_outcome(denied)["status"] == "not_started"
    what = "TypeScript" if name.endswith(("ts", "tsx")) else "hook module"
    for command in (["list"], ["validate"], ["explain", "pre", "--tool", "Shell"], ["emit", "pre", "--tool", "Bash"]):
        said = cli(*command)
        assert what in said.stdout + said.stderr, command
        assert ".hookrun/hooks" in said.stdout + said.stderr, command
    assert cli("validate").code == 1


@pytest.mark.parametrize("name", ["activate", "hook"])
def test_the_hint_for_a_module_among_scripts_names_what_it_takes(
    cli: Callable[..., Ended], project: Project, name: str
):
    text = f"def {name}(api):\n    api.on('tool_call', lambda event, ctx: {{'block': True}})\n"
    script = project.script(".hookrun/hooks/pre/policy.py", text)
    said = cli("validate").stdout
    assert ("call its function `hook` instead of `activate`" in said) is (name == "activate")
    script.rename(project.path / ".hookrun/hooks/policy.py")
    (project.path / ".hookrun/hooks/policy.py").write_text(text.replace("activate", "hook"))
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


def test_a_link_to_a_module_counts_by_what_it_leads_to(cli: Callable[..., Ended], project: Project):
    project.script("lib/policy.py", PYTHON, mode=0o644)
    pre = project.path / ".claude/hooks/pre"
    pre.mkdir(parents=True)
    (pre / "bash").symlink_to("../../../lib/policy.py")
    assert ruling(before_shell(cli)) == DENIED_BY_FAILURE


@pytest.mark.parametrize("name", [".hookrun/hooks/x.ts", ".xcsh/hooks/policy.mts", ".hookrun/hooks/a.js"])
def test_a_module_in_another_language_is_a_failed_guard(cli: Callable[..., Ended], project: Project, name: str):
    project.script(name, ES_MODULE, mode=0o644)
    assert ruling(before_shell(cli)) == DENIED_BY_FAILURE
    assert cli("emit", "prompt", "--prompt", "hi").code == 2
    said = cli("validate")
    assert "this version" in said.stdout + said.stderr
    assert said.code == 1


@pytest.mark.parametrize("name", ["guard.ts", "guard.js", "guard.mjs"])
def test_a_module_that_somebody_names_with_hook_is_a_failed_guard(
    cli: Callable[..., Ended], project: Project, name: str
):
    path = project.script(name, ES_MODULE)
    assert ruling(before_shell(cli, "--hook", str(path))) == DENIED_BY_FAILURE


def test_a_module_of_python_without_a_suffix_that_somebody_names_is_a_failed_guard(
    cli: Callable[..., Ended], project: Project
):
    path = project.script("guard", "#!/usr/bin/env python3\n" + PYTHON)
    assert ruling(before_shell(cli, "--hook", str(path))) == DENIED_BY_FAILURE


def test_what_is_no_hook_stays_without_a_word(cli: Callable[..., Ended], project: Project):
    for name in (
        "src/index.ts",
        ".claude/hooks/notify.ts",  # named by somebody's settings, or by nobody
        ".hookrun/hooks/_lib.ts",
        ".hookrun/hooks/types.d.ts",
        ".hookrun/hooks/pre/api.d.ts",
        ".xcsh/hooks/util.js",
    ):
        text = "exports.helper = 1;\n" if name.endswith("util.js") else "export interface Rule {}\n"
        project.script(name, text, mode=0o644)
    passed = before_shell(cli)
    assert ruling(passed) == ALLOWED_BY_SILENCE
    assert passed.stderr == ""
    assert cli("validate").code == 0


def test_a_program_in_typescript_stays_a_program(cli: Callable[..., Ended], project: Project):
    runner = project.script("bin/bun", '#!/bin/sh\necho "from bun" >&2\nexit 2\n')
    project.script(".claude/hooks/pre/bash.ts", f"#!{runner}\nprocess.exit(2)\n")
    denied = before_shell(cli)
    assert ruling(denied)[2] == "guard"
    assert "from bun" in denied.stdout


def test_a_module_for_after_a_tool_fails_as_an_observer(cli: Callable[..., Ended], project: Project):
    project.script(".claude/hooks/post/edit.ts", ES_MODULE)
    after = cli("emit", "post", "--tool", "Edit", "--input", "{}")
    assert after.code == 0
    assert "TypeScript" in after.stdout + after.stderr
    assert os.path.basename("edit.ts") in after.stdout + after.stderr
