"""What is measured: each case lays out its projects, runs what it compares in turns and returns rows."""

from __future__ import annotations

import importlib.util
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass

from measuring import NotProved, Place, Run, command, medians, peak
from peers import peer_runs
from projects import EMIT, EVENT, MODULE, TOOL, TOOL_INPUT, large_project, matching_project, plugin_project

from hookrun import HookResult, HookRunner, load_hooks
from hookrun.agents import XBOT
from hookrun.agents.payload import payload_for
from hookrun.programs.command import Launch
from hookrun.running.plugins.plugins import StdioPlugins
from hookrun.running.plugins.protocol import hook_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HOOKRUN = os.path.join(os.path.dirname(sys.executable), "hookrun")
NOTHING = (sys.executable, "-c", "pass")
PAYLOADS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "payloads")
MIB = 1024 * 1024


@dataclass(frozen=True)
class Row:
    """One line of the table: a median, what it is compared with, and how much more is allowed.

    Values are milliseconds or MiB by *unit*; ``value`` is None for what is not built yet, ``budget`` and
    ``goal`` are factors of ``base``, and None where the row only informs.
    """

    what: str
    value: float | None = None
    versus: str = ""
    base: float = 0.0
    budget: float | None = None
    goal: float | None = None
    unit: str = "ms"

    @property
    def ratio(self) -> float | None:
        return None if self.value is None else self.value / self.base

    @property
    def is_missed(self) -> bool:
        return self.ratio is not None and self.budget is not None and self.ratio > self.budget


@contextmanager
def new_place() -> Iterator[Place]:
    with tempfile.TemporaryDirectory(prefix="hookrun-bench-") as folder:
        yield Place(os.path.realpath(folder))


def cold(rounds: int) -> list[Row]:
    """A cold emit of one matching script, beside the script alone and beside other runners of hooks."""
    with new_place() as place:
        project = matching_project(place)
        script = os.path.join(project, ".hookrun/plugins/match-0/guard.sh")
        runs = {
            "python -c pass": command(NOTHING, place, project, scripts=0),
            "the script alone": command([script], place, project),
            "hookrun emit": command([HOOKRUN, *EMIT], place, project, says="allow"),
            **peer_runs(place),
        }
        ms = in_ms(medians(runs, rounds))
    emit, python = ms["hookrun emit"], ms["python -c pass"]
    rows = [Row("cold emit, one script", emit, "python -c pass", python, budget=6, goal=3)]
    for peer, budget in (("nxthooks dispatch", 0.5), ("pre-commit run", 0.5)):
        rows.append(Row("cold emit, one script", emit, peer, ms[peer], budget))
    others = [name for name in runs if name not in ("python -c pass", "hookrun emit")]
    return rows + [Row(f"for comparison: {name}", ms[name], "python -c pass", python) for name in others]


def bridge(rounds: int) -> list[Row]:
    """A cold bridge for each agent whose payload was recorded: a guard of the project, which is trusted."""
    with new_place() as place:
        place.environ |= {"HOOKRUN_TRUST": ""}
        place.script("project/.claude/hooks/pre/bash.sh")
        project = os.path.join(place.folder, "project")
        subprocess.run([HOOKRUN, "trust", "--yes"], cwd=project, env=place.environ, capture_output=True, check=True)
        runs = {"python -c pass": command(NOTHING, place, project, scripts=0)}
        for agent in ("claude", "codex", "gemini"):
            given = place.write(f"{agent}.json", recorded_shell_call(agent, project))
            runs[agent] = command([HOOKRUN, "bridge", agent], place, project, stdin=given)
        ms = in_ms(medians(runs, rounds))
    python = ms.pop("python -c pass")
    return [
        Row(f"cold bridge {agent}, one guard", value, "python -c pass", python, budget=6) for agent, value in ms.items()
    ]


def recorded_shell_call(agent: str, project: str) -> str:
    """Return the first payload recorded of *agent* from before a shell call, as if it came from *project*."""
    with open(os.path.join(PAYLOADS, f"{agent}.jsonl"), encoding="utf-8") as file:
        payloads = [json.loads(line) for line in file]
    shell = ("Bash", "run_shell_command")
    before = ("PreToolUse", "BeforeTool")
    found = next(each for each in payloads if each.get("tool_name") in shell and each["hook_event_name"] in before)
    return json.dumps(found | {"cwd": project})


def library(rounds: int) -> list[Row]:
    """An emit of one script in a warm process, beside subprocess.run of that script."""
    with new_place() as place:
        project = matching_project(place)
        script = os.path.join(project, ".hookrun/plugins/match-0/guard.sh")

        def plain() -> float:
            before = place.count()
            start = time.perf_counter()
            done = subprocess.run([script], cwd=project, env=place.environ, capture_output=True, check=True)
            seconds = time.perf_counter() - start
            place.prove(1, before, b"allow" in done.stdout, done)
            return seconds

        with HookRunner.discover(project, env=place.environ) as runner:
            ms = in_ms(medians({"plain": plain, "emit": emit_of(runner, place)}, rounds * 10))
    return [Row("library emit, one script", ms["emit"], "subprocess.run", ms["plain"], budget=1.5, goal=1.1)]


def parallel(rounds: int) -> list[Row]:
    """Ten scripts that sleep 100 ms, beside one."""
    with new_place() as one, new_place() as ten:
        runners = {
            "one": HookRunner.discover(matching_project(one, then="sleep 0.1"), env=one.environ),
            "ten": HookRunner.discover(matching_project(ten, hooks=10, then="sleep 0.1"), env=ten.environ),
        }
        with runners["one"], runners["ten"]:
            runs = {"one": emit_of(runners["one"], one), "ten": emit_of(runners["ten"], ten, scripts=10)}
            ms = in_ms(medians(runs, rounds))
    return [Row("ten scripts that sleep 100 ms", ms["ten"], "one such script", ms["one"], budget=1.5, goal=1.2)]


def registry(rounds: int) -> list[Row]:
    """One match among 10,000 hooks in a warm process, beside one among 10."""
    with new_place() as few, new_place() as many:
        runners = {
            "few": HookRunner.discover(large_project(few, manifests=2, hooks=9), env=few.environ),
            "many": HookRunner.discover(large_project(many, manifests=1000, hooks=10), env=many.environ),
        }
        with runners["few"], runners["many"]:
            runs = {"few": emit_of(runners["few"], few), "many": emit_of(runners["many"], many)}
            ms = in_ms(medians(runs, rounds * 10))
    return [Row("one match among 10,000 hooks, warm", ms["many"], "among 10", ms["few"], budget=1.5, goal=1.1)]


def discovery(rounds: int) -> list[Row]:
    """A cold list of, and a cold emit among, 1,000 manifests of three hooks each."""
    with new_place() as few, new_place() as many:
        here, there = (large_project(few, manifests=10, hooks=3), large_project(many, manifests=1000, hooks=3))
        runs = {
            "few": command([HOOKRUN, *EMIT], few, here, says="allow"),
            "many": command([HOOKRUN, *EMIT], many, there, says="allow"),
        }
        has_list = subprocess.run([HOOKRUN, "list", "--help"], capture_output=True, check=False).returncode == 0
        if has_list:
            runs["list"] = command([HOOKRUN, "list"], many, there, scripts=0, says="other-998")
        ms = in_ms(medians(runs, max(3, rounds // 3)))
    return [
        Row("cold list of 1,000 manifests", ms.get("list"), "2 s", 2000.0, budget=1, goal=0.25),
        Row("cold emit, 1,000 manifests", ms["many"], "10 manifests", ms["few"], budget=3),
    ]


def memory(rounds: int) -> list[Row]:
    """The most memory that a cold emit holds, beside Python that does nothing."""
    with new_place() as place:
        project = matching_project(place)
        runs = {"python": peak(NOTHING, place, project, scripts=0), "emit": peak([HOOKRUN, *EMIT], place, project)}
        size = medians(runs, max(3, rounds // 3))
    python, emit = size["python"] / MIB, size["emit"] / MIB
    return [Row("memory of a cold emit", emit, "python -c pass", python, budget=3, goal=2, unit="MiB")]


def handler(rounds: int) -> list[Row]:
    """An emit to one Python handler in a warm process; a hundred to a run, and each must be called."""
    with new_place() as place, HookRunner.discover(place.folder, env=place.environ) as runner:
        called = []

        def allow(payload: object, _context: object) -> HookResult:
            called.append(payload)
            return HookResult(decision="allow")

        runner.on(EVENT, TOOL, allow)

        def emit() -> float:
            called.clear()
            start = time.perf_counter()
            for _ in range(100):
                decision = runner.emit(EVENT, tool=TOOL, tool_input=TOOL_INPUT)
            seconds = time.perf_counter() - start
            if len(called) != 100 or decision.verdict.word != "allow":
                raise NotProved(f"{len(called)} of 100 handlers ran: {decision}")
            return seconds / 100

        ms = in_ms(medians({"emit": emit}, rounds * 10))
    return [Row("library emit, one Python handler", ms["emit"], "50 microseconds", 0.05, budget=1, goal=0.4)]


def plugin(rounds: int) -> list[Row]:
    """A call to a live stdio plugin, beside a bare line there and back over the same kind of pipes."""
    with new_place() as place, HookRunner.discover(plugin_project(place), env=place.environ) as runner:
        event, _ = runner.event(EVENT, tool=TOOL, tool_input=TOOL_INPUT)
        (hook,) = runner.loaded.registry.in_force
        launch = runner.launch(hook)
        assert isinstance(launch, Launch)
        payload = payload_for(event, XBOT)
        request = hook_request(event, payload)
        with subprocess.Popen(launch.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as bare:
            assert bare.stdin is not None
            assert bare.stdout is not None
            asks, answers = bare.stdin.fileno(), bare.stdout.fileno()
            plugins = StdioPlugins()

            def plain() -> float:
                start = time.perf_counter()
                os.write(asks, request)
                line = b""
                while not line.endswith(b"\n"):
                    select.select([answers], [], [], 10)
                    line += os.read(answers, 65536)
                seconds = time.perf_counter() - start
                place.prove(1, place.count() - 1, b"allow" in line, line)
                return seconds

            def call() -> float:
                before = place.count()
                start = time.perf_counter()
                outcome = plugins.call(hook, event, payload, launch=launch, env=place.environ, timeout=10)
                seconds = time.perf_counter() - start
                place.prove(1, before, "allow" in outcome.stdout, outcome)
                return seconds

            call()  # starts and activates it
            ms = in_ms(medians({"plain": plain, "call": call}, rounds * 10))
            plugins.close()
            bare.stdin.close()
    return [Row("a call to a live stdio plugin", ms["call"], "a bare round trip", ms["plain"], budget=2)]


def loading(rounds: int) -> list[Row]:
    """Loading 100 hook modules, beside importing the same files plainly; each must have been run."""
    with new_place() as place:
        paths = [place.write(f"modules/m{number}.py", MODULE) for number in range(100)]

        def plain() -> float:
            start = time.perf_counter()
            for path in paths:
                spec = importlib.util.spec_from_file_location(f"plain_{os.path.basename(path)[:-3]}", path)
                assert spec is not None
                assert spec.loader is not None
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
            return time.perf_counter() - start

        def load() -> float:
            start = time.perf_counter()
            result = load_hooks(paths)
            seconds = time.perf_counter() - start
            if len(result.hooks) != 100 or result.errors:
                raise NotProved(f"{len(result.hooks)} of 100 modules: {result.errors[:1]}")
            return seconds

        sys.dont_write_bytecode = True  # both compile: hookrun never trusts what lies in __pycache__
        ms = in_ms(medians({"plain": plain, "load": load}, rounds))
    return [Row("loading 100 modules", ms["load"], "importing them plainly", ms["plain"], budget=1.3)]


def later(_rounds: int) -> list[Row]:
    """The budgets of what is not built yet."""
    return [
        Row("emit with a server running", versus="python -c pass", budget=1.7, goal=1.3),
        Row("the shell client with a server running", versus="prek run", budget=1),
    ]


CASES: dict[str, Callable[[int], list[Row]]] = {
    case.__name__: case
    for case in (cold, bridge, library, handler, plugin, loading, parallel, registry, discovery, memory, later)
}


def emit_of(runner: HookRunner, place: Place, *, scripts: int = 1) -> Run:
    """Return a run of one emit through the library that must allow and start *scripts* scripts."""

    def run() -> float:
        before = place.count()
        start = time.perf_counter()
        decision = runner.emit(EVENT, tool=TOOL, tool_input=TOOL_INPUT)
        seconds = time.perf_counter() - start
        place.prove(scripts, before, decision.verdict.word == "allow", decision)
        return seconds

    return run


def in_ms(seconds_by_name: dict[str, float]) -> dict[str, float]:
    return {name: seconds * 1000 for name, seconds in seconds_by_name.items()}
