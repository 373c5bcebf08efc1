"""The live plugins of one runner, and the examples in the docs."""

from __future__ import annotations

import json
import os
import shutil
import threading

import pytest
from command import CHECKOUT
from runner_jobs import is_alive
from stdio_plugins import before, result_of

from hookrun.agents import XBOT
from hookrun.agents.payload import payload_for
from hookrun.config.config import Config
from hookrun.model.values import Hook, Program
from hookrun.programs.command import Launch, prepare, split_entry
from hookrun.running.plugins.plugins import StdioPlugins, plugin_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

EXAMPLES = CHECKOUT / "docs/examples/stdio"


def hook_of(file: Path, plugin: str, *words: str) -> Hook:
    return Hook(
        id="1",
        title=plugin,
        kind="hook",
        source="",
        order=0,
        level="user",
        place="/",
        file=str(file),
        dialect="xbot",
        program=Program(words=words, folder=str(file.parent)),
        plugin=plugin,
        runtime="stdio",
    )


def config_of(environ: dict[str, str]) -> Config:
    return Config(environ=environ, cwd="/", root="/", levels=("/",))


class Runner:
    """The live plugins of one runner, asked as the pipeline asks them."""

    def __init__(self) -> None:
        self.logged: list[tuple[str, str]] = []
        self.plugins = StdioPlugins(log=lambda plugin, line: self.logged.append((plugin, line)))

    def ask(self, hook: Hook, **tool_input: Any) -> Any:
        event = before("Shell", tool_input)
        launch = prepare(hook.program, path=os.environ["PATH"])
        assert isinstance(launch, Launch), launch
        environment = plugin_environment(hook, config_of({"PATH": os.environ["PATH"], "XBOT_X": "1"}))
        payload = payload_for(event, XBOT)
        return self.plugins.call(hook, event, payload, launch=launch, env=environment, timeout=30.0)


@pytest.fixture
def runner() -> Iterator[Runner]:
    made = Runner()
    yield made
    made.plugins.close()


def program(folder: Path, name: str) -> tuple[str, ...]:
    path = folder / f"{name}.py"
    path.write_text(
        "import json, os, sys\n"
        "for line in sys.stdin:\n"
        f"    print('{name}', file=sys.stderr, flush=True)\n"
        "    data = {'pid': os.getpid(), 'env': dict(os.environ), 'cwd': os.getcwd()}\n"
        "    print(json.dumps({'hook_result': {'decision': 'allow', 'data': data}}), flush=True)\n"
    )
    return ("python3", str(path))


def test_the_hooks_of_one_manifest_share_a_process_and_those_of_another_do_not(runner: Runner, tmp_path: Path):
    manifests = [tmp_path / "a/plugin.json", tmp_path / "b/plugin.json"]
    for manifest in manifests:
        manifest.parent.mkdir()
    words = [program(manifest.parent, "same") for manifest in manifests]
    pids = [
        result_of(runner.ask(hook_of(manifest, "same", *own)))["data"]["pid"]
        for manifest, own in zip(manifests, words, strict=True)
        for _ in range(2)
    ]
    assert pids[0] == pids[1] != pids[2] == pids[3]
    runner.plugins.close()
    assert not any(is_alive(pid) for pid in pids)


def test_a_manifest_whose_command_has_changed_gets_a_new_process(runner: Runner, tmp_path: Path):
    old, new = (hook_of(tmp_path / "plugin.json", "x", *program(tmp_path, name)) for name in ("old", "new"))
    assert result_of(runner.ask(old))["data"]["pid"] != result_of(runner.ask(new))["data"]["pid"]
    assert ("x", "old") in runner.logged
    assert ("x", "new") in runner.logged


def test_it_runs_in_its_folder_with_an_environment_of_no_event(runner: Runner, tmp_path: Path):
    data = result_of(runner.ask(hook_of(tmp_path / "plugin.json", "x", *program(tmp_path, "x"))))["data"]
    assert (data["cwd"], data["env"]["PLUGIN_ROOT"]) == (str(tmp_path), str(tmp_path))
    assert data["env"]["HOOKRUN_DEPTH"] == "1"
    assert data["env"]["HOOKRUN_RUN"]
    assert not [name for name in data["env"] if name.startswith("XBOT_")]


def test_a_nested_plugin_carries_the_tokens_of_both_runs(tmp_path: Path):
    outer = config_of({"HOOKRUN_RUN": "outer", "HOOKRUN_DEPTH": "2"})
    environment = plugin_environment(hook_of(tmp_path / "x", "x"), outer)
    assert (environment["HOOKRUN_RUN"], environment["HOOKRUN_DEPTH"]) == ("outer", "3")


@pytest.mark.parametrize(
    ("path", "safe"), [(".:/bin::x:/usr/bin:", "/bin:/usr/bin"), (".", os.defpath), ("", os.defpath)]
)
def test_a_plugin_finds_no_program_where_an_agent_happens_to_be(path: str, safe: str, tmp_path: Path):
    assert plugin_environment(hook_of(tmp_path / "x", "x"), config_of({"PATH": path}))["PATH"] == safe


def test_plugins_that_are_closed_start_no_more(runner: Runner, tmp_path: Path):
    hook = hook_of(tmp_path / "plugin.json", "x", *program(tmp_path, "x"))
    runner.plugins.close()
    assert runner.ask(hook).status == "not_started"


def test_stubborn_plugins_are_closed_at_the_same_time(runner: Runner, tmp_path: Path):
    deaf = "trap '' TERM; read -r a; echo '{}'; read -r r; echo '{}'; while :; do sleep 1; done"
    for number in range(4):
        runner.ask(hook_of(tmp_path / f"{number}.json", str(number), "sh", "-c", deaf))
    closing = threading.Thread(target=runner.plugins.close)
    closing.start()
    closing.join(timeout=8.0)  # one after another it would be 10 s and more
    assert not closing.is_alive()


@pytest.mark.parametrize("language", ["python", "node"])
def test_the_examples_do_what_they_say(language: str, runner: Runner):
    if not shutil.which({"python": "python3"}.get(language, language)):
        pytest.skip(f"{language} is not installed")
    folder = EXAMPLES / language
    manifest = json.loads((folder / "plugin.json").read_text())
    words = split_entry(manifest["entry"], str(folder), plugin_root=str(folder))
    hook = hook_of(folder / "plugin.json", manifest["id"], *words)
    assert result_of(runner.ask(hook, command="git push")) == {"decision": "allow", "data": {"calls": 1}}
    assert result_of(runner.ask(hook, command="git push -f"))["decision"] == "deny"
    assert result_of(runner.ask(hook, command="ls")) == {"decision": "allow", "data": {"calls": 3}}
    failed = runner.ask(hook, command=1)
    assert failed.status == "failed"
    assert "TypeError" in failed.cause or "AttributeError" in failed.cause
    assert runner.logged == [(manifest["id"], f"activated as {manifest['id']}")]
