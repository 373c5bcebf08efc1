"""Modules that harm the process they are in: a failure of theirs, which denies, and never an answer."""

from __future__ import annotations

import pytest
from firing import BASH_GUARD, PASS
from injected import Fault, emit_under

PROJECTS = ".hookrun/config.yaml"
HANDLER = "def hook(api):\n    def handler(event, ctx):\n        {}\n    api.on('tool_call', handler)\n"
IMPORTS = {
    "exit": "import os; os._exit(0)",
    "sys.exit": "import sys; sys.exit(0)",
    "kill": "import os; os.kill(os.getpid(), 9)",
    "stop": "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
    "raise": "raise ValueError('x')",
    "raise what is no Exception": "raise GeneratorExit",
    "recursion": "def f(): f()\nf()",
    "recursion without a limit": "import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()",
    "loop": "while True: pass",
    "a syntax error": "def (",
    "a NUL": "\0",
    "no memory": "x = [0] * 10**12",
    "no descriptors": "import os; os.closerange(0, 1000)",
    "no descriptors but streams": "import os; os.closerange(3, 1000)",
    "become another program": "import os; os.execv('/bin/true', ['true'])",
    "leave to a fork": "import os\nif os.fork(): os._exit(0)",
}
HANDLED = {
    "exit": "import os; os._exit(0)",
    "kill": "import os; os.kill(os.getpid(), 9)",
    "stop": "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
    "recursion": "return handler(event, ctx)",
    "loop": "while True: pass",
    "no descriptors": "import os; os.closerange(0, 1000)",
    "no descriptors and a block": "import os; os.closerange(0, 1000); return {'block': True}",
    "become another program": "import os; os.execv('/bin/true', ['true'])",
    "no memory": "import resource; resource.setrlimit(resource.RLIMIT_AS, (1, 1)); x = bytearray(10**9)",
    "an answer without an end": "x = []\n        for _ in range(10**5): x = [x]\n        return {'data': x}",
    "an answer of no kind": "return object()",
}
MODULES = {
    **{f"import: {name}": text for name, text in IMPORTS.items()},
    **{f"handler: {name}": HANDLER.format(line) for name, line in HANDLED.items()},
}


@pytest.mark.parametrize("text", MODULES.values(), ids=MODULES)
def test_a_module_that_harms_its_process_denies(project, user_environment, text):
    project.script(PROJECTS, "limits: {module_seconds: 1, event_seconds: 1}\n", mode=0o644)
    project.script(BASH_GUARD, PASS)
    assert emit_under(Fault(), project, user_environment).code == 0
    project.script(".hookrun/hooks/harm.py", text, mode=0o644)
    ended = emit_under(Fault(), project, user_environment)
    assert ended.code == 2
    assert ended.stdout.startswith("deny (by failure): .hookrun/hooks/harm.py: ")


def test_a_module_that_takes_the_streams_away_says_what_it_says(project, user_environment):
    taken = "import sys\nsys.stdout = sys.stderr = None\n"
    project.script(".hookrun/hooks/harm.py", taken + HANDLER.format("return {'block': True, 'reason': 'no'}"))
    ended = emit_under(Fault(), project, user_environment)
    assert (ended.code, ended.stdout, ended.stderr) == (2, "deny: .hookrun/hooks/harm.py: no\n", "")


def test_a_module_that_takes_the_way_out_away_does_not_go_on_as_hookrun(project, user_environment):
    taken = "import os\nos._exit = lambda code: None\n"
    project.script(".hookrun/hooks/harm.py", taken + HANDLER.format("return {'block': True, 'reason': 'no'}"))
    ended = emit_under(Fault(), project, user_environment)
    assert (ended.code, ended.stdout, ended.stderr) == (2, "deny: .hookrun/hooks/harm.py: no\n", "")
