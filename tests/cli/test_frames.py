"""How deep the way is from the command line to a hook: whoever reads a traceback or a profile walks all of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

MOST_FRAMES = 12
PROFILED = """
import json, sys
from hookrun.cli.main import main

found = []

def profile(frame, event, function):
    if event != "c_call" or function.__name__ != "fork_exec":
        return
    program, names = frame.f_locals["argv"][0], []
    while frame is not None and frame.f_globals["__name__"] != "__main__":
        names.append(f"{frame.f_globals['__name__']}.{frame.f_code.co_qualname}")
        frame = frame.f_back
    found.append((program, names[::-1]))

sys.setprofile(profile)
main(["emit", "PreToolUse", "--tool", "Shell"])
sys.setprofile(None)
with open("found.json", "w") as file:
    json.dump(found, file)
"""


def test_twelve_frames_lead_from_the_command_line_to_the_start_of_a_hook(project, user_environment):
    script = project.script(".hookrun/hooks/pre/_all.sh", "#!/bin/sh\nexit 0\n")
    environ = user_environment | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", PROFILED], cwd=project.path, env=environ, check=True, timeout=60)
    found = json.loads((project.path / "found.json").read_text())
    (frames,) = [names for program, names in found if program == str(script)]
    assert (frames[0], frames[-1]) == ("hookrun.cli.main.main", "hookrun.running.spawn._fork_exec")
    assert len(frames) <= MOST_FRAMES, frames
