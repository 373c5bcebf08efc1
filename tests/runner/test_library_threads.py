"""One runner, many threads: no hint is lost or doubled, no order mixed up, no handler forgotten."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from hookrun import HookRunner

if TYPE_CHECKING:
    from collections.abc import Callable

THREADS = 50
EMITS = 4
HINT = '#!/bin/sh\necho "md|$HOOKRUN_COMMAND"\n'


def in_threads(work: Callable[[int], Any]) -> list[Any]:
    """Do *work* in many threads that begin at the same time."""
    barrier = threading.Barrier(THREADS)

    def begin(number: int) -> Any:
        barrier.wait(timeout=30)
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


def test_50_threads_that_emit_lose_and_double_no_hint(project, user_environment):
    project.script(".claude/hooks/post/bash.sh", HINT)
    with HookRunner.discover(project.path, env=user_environment) as runner:

        def work(thread: int) -> list[str]:
            taken = []
            for number in range(EMITS):
                text = str(thread * EMITS + number)
                values = {"tool_input": {"command": text}, "tool_call_id": text, "session_id": "s"}
                runner.emit("post", tool="Bash", **values)
                if number % 2:  # the others are taken by whoever comes
                    taken += [each.hint.text for each in runner.get_tool_hints(session_id="s")]
            return taken

        taken = [text for texts in in_threads(work) for text in texts]
        taken += [each.hint.text for each in runner.get_tool_hints(session_id="s")]
        assert runner.problems == ()
    assert sorted(taken, key=int) == [str(number) for number in range(THREADS * EMITS)]


def test_within_a_thread_handlers_keep_their_order_and_events_do_not_mix(api, runner):
    seen: dict[str, list[int]] = {}

    def note(number: int) -> Any:
        def handler(event: Any, ctx: Any) -> Any:
            assert event.input["command"] == ctx.session.id
            seen.setdefault(event.tool_call_id, []).append(number)
            return {"reason": event.tool_call_id}

        return handler

    for number in range(5):
        api.on("tool_call", note(number))

    def work(thread: int) -> list[Any]:
        decisions = []
        for number in range(EMITS):
            call = f"{thread}-{number}"
            values = {"tool_input": {"command": f"s{thread}"}, "session_id": f"s{thread}", "tool_call_id": call}
            decisions.append(runner.emit("tool_call", tool="bash", **values))
        return [(decision.result, decision.verdict.word) for decision in decisions]

    for thread, results in enumerate(in_threads(work)):
        assert results == [({"reason": f"{thread}-{number}"}, None) for number in range(EMITS)]
    assert len(seen) == THREADS * EMITS
    assert all(order == [0, 1, 2, 3, 4] for order in seen.values())


def test_no_handler_is_lost_that_many_threads_register(api, runner):
    called: list[int] = []
    limits = runner.config.limits.replace(process_hooks=THREADS * EMITS)  # as handlers of the SDK count
    runner.config = runner.config.replace(limits=limits)

    def work(thread: int) -> None:
        for _ in range(EMITS):
            runner.on("turn_end", "", lambda payload, ctx: called.append(thread))
            api.register_command(f"c{thread}", handler=print)
            runner.emit("turn_start")

    in_threads(work)
    runner.emit("turn_end")
    assert sorted(called) == sorted(list(range(THREADS)) * EMITS)
    assert len(runner.get_registered_commands()) == THREADS * EMITS


def test_no_listener_is_lost_that_many_threads_add_and_take_off(api, runner):
    api.on("turn_end", lambda event, ctx: 1 / 0)
    told: list[int] = []

    def work(thread: int) -> None:
        runner.on_error(lambda error: told.append(thread))
        runner.on_error(lambda error: told.append(-1))()

    in_threads(work)
    runner.emit("turn_end")
    assert sorted(told) == list(range(THREADS))


def test_what_modules_keep_in_many_threads_is_all_there(api, runner):
    api.on("turn_end", lambda event, ctx: api.append_entry("n", ctx.session.id))

    def work(thread: int) -> None:
        for _ in range(EMITS):
            runner.emit("turn_end", session_id=f"s{thread % 5}")

    in_threads(work)
    for session in range(5):
        kept = [entry["data"] for entry in runner.store.entries(f"s{session}")]
        assert kept == [f"s{session}"] * (THREADS * EMITS // 5)


def test_async_handlers_may_be_called_from_many_threads(api, runner):
    @api.on("turn_end")
    async def handler(event: Any, ctx: Any) -> None:
        await_me.append(threading.get_ident())

    await_me: list[int] = []
    in_threads(lambda thread: runner.emit("turn_end"))
    assert len(await_me) == THREADS
    assert len(set(await_me)) == THREADS


def test_a_fork_while_another_thread_holds_a_lock_leaves_a_runner_that_works(runner):
    """An agent may fork whenever it likes: the thread that holds the lock is not there to let go of it."""
    runner.on("SessionStart", "", lambda payload: None)
    held, over = threading.Event(), threading.Event()
    locks = (runner._lock, runner.modules._lock, runner.modules.program._lock)

    def hold() -> None:
        with locks[0], locks[1], locks[2]:
            held.set()
            over.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(60)
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        runner.on("PreToolUse", "", lambda payload: {"decision": "deny", "message": "no"})
        runner.live_plugins()
        runner.on_error(print)()
        os._exit(0 if runner.emit("PreToolUse", tool="Shell").denied else 1)
    over.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
