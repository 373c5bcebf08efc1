"""The async twin of emit: loops, tasks and cancellation."""

from __future__ import annotations

import asyncio
import os
import threading
from typing import TYPE_CHECKING, Any

import pytest
from waiting import eventually

from hookrun import HookResult, HookRunner

if TYPE_CHECKING:
    from pathlib import Path

TASKS = 500
HINT = '#!/bin/sh\necho "md|$HOOKRUN_COMMAND"\n'


def test_async_with_opens_and_closes(project, user_environment):
    async def main() -> str | None:
        async with HookRunner.discover(project.path, env=user_environment) as runner:
            runner.on("pre", "", lambda payload, ctx: HookResult(decision="ask"))
            return (await runner.emit_async("pre", tool="Bash")).verdict.word

    assert asyncio.run(main()) == "ask"


def test_async_handlers_run_in_the_callers_loop_and_thread(api, runner):
    seen: list[Any] = []

    @api.on("tool_call")
    async def handler(event: Any, ctx: Any) -> None:
        await asyncio.sleep(0)
        seen.append((asyncio.get_running_loop(), threading.get_ident()))

    async def main() -> Any:
        await runner.emit_async("tool_call", tool="bash")
        return asyncio.get_running_loop(), threading.get_ident()

    assert [asyncio.run(main())] == seen


def test_the_loop_goes_on_while_processes_run(project, user_environment):
    project.script(
        ".claude/hooks/pre/bash.sh", "#!/bin/sh\nuntil [ -e go ]; do sleep 0.02; done\necho on >&2; exit 2\n"
    )

    async def main() -> str:
        async with HookRunner.discover(project.path, env=user_environment) as runner:
            emitted = asyncio.create_task(runner.emit_async("pre", tool="Bash"))
            await asyncio.sleep(0)
            (project.path / "go").touch()  # only a loop that goes on comes here
            return (await emitted).message

    assert asyncio.run(main()).endswith(": on")


def test_processes_and_handlers_meet_in_one_decision(project, user_environment):
    project.script(".claude/hooks/pre/bash.sh", "#!/bin/sh\necho script >&2\nexit 2\n")

    async def main() -> Any:
        async with HookRunner.discover(project.path, env=user_environment) as runner:
            runner.on("pre", "", lambda payload, ctx: HookResult(decision="deny", message="program"))
            return await runner.emit_async("pre", tool="Bash")

    decision = asyncio.run(main())
    assert decision.message.splitlines() == [".claude/hooks/pre/bash.sh: script", "the program: program"]


def test_cancelling_an_emit_ends_its_processes(project, user_environment):
    script = "#!/bin/sh\nsleep 60 &\necho $! > child; echo $$ > pid\nexec sleep 60\n"
    project.script(".claude/hooks/post/bash.sh", script)

    async def main() -> None:
        async with HookRunner.discover(project.path, env=user_environment) as runner:
            emitted = asyncio.create_task(runner.emit_async("post", tool="Bash"))
            await asyncio.to_thread(eventually, lambda: (project.path / "pid").read_text().strip())
            emitted.cancel()
            with pytest.raises(asyncio.CancelledError):
                await emitted

    asyncio.run(main())
    for name in ("pid", "child"):
        assert is_gone(int((project.path / name).read_text())), name


def test_an_emit_that_is_cancelled_twice_still_ends_its_processes(project, user_environment):
    script = "#!/bin/sh\ntrap '' TERM\necho $$ > pid\nwhile :; do sleep 0.05; done\n"
    project.script(".claude/hooks/post/bash.sh", script)

    async def main() -> None:
        async with HookRunner.discover(project.path, env=user_environment) as runner:
            emitted = asyncio.create_task(runner.emit_async("post", tool="Bash"))
            await asyncio.to_thread(eventually, lambda: (project.path / "pid").read_text().strip())
            for _ in range(3):
                emitted.cancel()
                await asyncio.sleep(0.02)
            with pytest.raises(asyncio.CancelledError):
                await emitted

    asyncio.run(main())
    assert is_gone(int((project.path / "pid").read_text()))


def test_a_hook_whose_turn_had_not_come_does_not_start_after_a_cancellation(project, user_environment, tmp_path: Path):
    project.script(
        ".claude/hooks/post/bash.sh",
        "#!/bin/sh\necho $HOOKRUN_COMMAND >> started\nwhile [ ! -e go ]; do sleep 0.02; done\n",
    )

    async def main() -> None:
        from concurrent.futures import ThreadPoolExecutor

        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        async with HookRunner.discover(project.path, env=user_environment) as runner:
            emits = [
                asyncio.create_task(runner.emit_async("post", tool="Bash", tool_input={"command": name}))
                for name in ("first", "second")
            ]
            await asyncio.sleep(0)
            while not (project.path / "started").exists():
                await asyncio.sleep(0.02)
            emits[1].cancel()
            (project.path / "go").touch()
            done = await asyncio.gather(*emits, return_exceptions=True)
            assert [type(each).__name__ for each in done] == ["Decision", "CancelledError"]

    asyncio.run(main())
    assert (project.path / "started").read_text() == "first\n"


def test_a_cancelled_handler_is_cancelled_and_the_runner_lives_on(api, runner):
    began = asyncio.Event()
    ended: list[str] = []

    @api.on("turn_start")
    async def wait(event: Any, ctx: Any) -> None:
        try:
            began.set()
            await asyncio.sleep(60)
        finally:
            ended.append("ended")

    async def main() -> int:
        emitted = asyncio.create_task(runner.emit_async("turn_start"))
        await began.wait()
        emitted.cancel()
        with pytest.raises(asyncio.CancelledError):
            await emitted
        return len((await runner.emit_async("turn_end")).answers)

    assert (asyncio.run(main()), ended) == (0, ["ended"])


def test_500_tasks_each_get_their_own_answer_in_their_own_order(api, runner):
    orders: dict[str, list[int]] = {}

    def note(number: int) -> Any:
        async def handler(event: Any, ctx: Any) -> Any:
            await asyncio.sleep(0)
            orders.setdefault(event.tool_call_id, []).append(number)
            return {"reason": event.input["command"]}

        return handler

    for number in range(3):
        api.on("tool_call", note(number))

    async def one(number: int) -> Any:
        values = {"tool_input": {"command": str(number)}, "tool_call_id": f"c{number}", "session_id": f"s{number % 7}"}
        return await runner.emit_async("tool_call", tool="bash", **values)

    async def main() -> list[Any]:
        return await asyncio.gather(*(one(number) for number in range(TASKS)))

    decisions = asyncio.run(main())
    assert [decision.result["reason"] for decision in decisions] == [str(number) for number in range(TASKS)]
    assert orders == {f"c{number}": [0, 1, 2] for number in range(TASKS)}


def test_500_tasks_with_processes_lose_and_double_no_hint(project, user_environment):
    project.script(".claude/hooks/post/bash.sh", HINT)

    async def main() -> list[str]:
        async with HookRunner.discover(project.path, env=user_environment) as runner:
            taken: list[str] = []

            async def one(number: int) -> None:
                values = {"tool_call_id": f"c{number}", "session_id": "s"}
                await runner.emit_async("post", tool="Bash", tool_input={"command": str(number)}, **values)
                taken.extend(hint.hint.text for hint in runner.get_tool_hints(session_id="s", call_id=f"c{number}"))

            await asyncio.gather(*(one(number) for number in range(TASKS)))
            return taken + [pending.hint.text for pending in runner.get_tool_hints(session_id="s")]

    assert sorted(asyncio.run(main()), key=int) == [str(number) for number in range(TASKS)]


def test_an_isolated_runner_can_be_awaited_too(project, user_environment):
    project.script(".hookrun/hooks/a.py", "def hook(api):\n    api.on('tool_call', lambda e, c: {'block': True})\n")

    async def main() -> Any:
        async with HookRunner.discover(project.path, env=user_environment, is_isolated=True) as runner:
            return (await runner.emit_async("pre", tool="Bash")).verdict.word

    assert asyncio.run(main()) == "deny"


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] in "ZX"
    except (ProcessLookupError, FileNotFoundError):
        return True
