"""Other runners of hooks, installed from PyPI into .peers/, each set up to run the same script once."""

from __future__ import annotations

import glob
import os
import subprocess
import sys

from measuring import Place, Run, command

PEERS = ("prek", "lefthook", "pre-commit", "nxthooks")
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".peers")

PRE_COMMIT = """\
repos:
  - repo: local
    hooks:
      - {id: mark, name: mark, language: system, entry: ./mark.sh, always_run: true, pass_filenames: false}
"""
LEFTHOOK = """\
pre-commit:
  commands:
    mark: {run: ./mark.sh}
"""
NXTHOOKS = """\
[[hook]]
name = "mark"
events = ["before_tool"]
matchers = ["Bash"]
source = "SCRIPT"
"""
TOOL_CALL = '{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}'


def install() -> str:
    """Return the folder of the peers' commands; what is missing is installed first."""
    folder = os.path.join(os.path.abspath(FOLDER), "bin")
    if all(os.path.exists(os.path.join(folder, peer)) for peer in PEERS):
        return folder
    try:
        subprocess.run([sys.executable, "-m", "venv", os.path.dirname(folder)], check=True)
        subprocess.run([os.path.join(folder, "pip"), "install", "--quiet", *PEERS], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        hint = "the other cases need no peers: --only library"
        raise SystemExit(f"error: the peers cannot be installed from PyPI: {error}\nhint: {hint}") from None
    return folder


def versions() -> dict[str, str]:
    """Return the version of each installed peer by its name."""
    listed = subprocess.run(
        [os.path.join(install(), "pip"), "list", "--format=freeze", "--disable-pip-version-check"],
        capture_output=True,
        text=True,
        check=True,
    )
    found = dict(line.split("==") for line in listed.stdout.splitlines() if "==" in line)
    return {peer: found.get(peer) or found[peer.replace("-", "_")] for peer in PEERS}


def peer_runs(place: Place) -> dict[str, Run]:
    """Set up a git repository in *place* with the script as every peer's hook; return a run of each."""
    bin_folder = install()
    script = place.script("repository/mark.sh")
    repository = os.path.dirname(script)
    place.write("repository/.pre-commit-config.yaml", PRE_COMMIT)
    place.write("repository/lefthook.yml", LEFTHOOK)
    place.write("home/.config/nxt/hooks/hooks.d/mark.toml", NXTHOOKS.replace("SCRIPT", script))
    call = place.write("call.json", TOOL_CALL)
    for words in (["git", "init", "-q"], ["git", "add", "."]):
        subprocess.run(words, cwd=repository, env=place.environ, check=True)

    def run(*words: str, stdin: str = os.devnull) -> Run:
        program = words[0] if os.path.isabs(words[0]) else os.path.join(bin_folder, words[0])
        return command([program, *words[1:]], place, repository, stdin=stdin)

    runs = {
        "prek run": run("prek", "run", "mark"),
        "lefthook run": run("lefthook", "run", "pre-commit", "--force"),
        "pre-commit run": run("pre-commit", "run", "mark"),
        "nxthooks dispatch": run(
            "nxthooks", "dispatch", "--harness", "claude-code", "--event", "before_tool", stdin=call
        ),
    }
    binaries = glob.glob(os.path.join(bin_folder, "../lib/python*/site-packages/lefthook/bin/*/lefthook"))
    if binaries:
        runs["lefthook's binary"] = run(os.path.abspath(binaries[0]), "run", "pre-commit", "--force")
    return runs
