"""The rules of pending hints: whose they are, who gets them, when they go."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

import hookrun
from hookrun.model.values import Event, Hint
from hookrun.store import PendingHint, Store

ROOT = os.path.dirname(os.path.dirname(hookrun.__file__))


@pytest.fixture
def store(tmp_path):
    store = Store(str(tmp_path / "state"))
    yield store
    store.close()
    assert store.problems == []


def pre(call_id="", event_id=""):
    return Event(dialect="xbot", event="PreToolUse", tool_name="Shell", tool_call_id=call_id, event_id=event_id)


def post(call_id="", event_id="", event="PostToolUse"):
    return Event(dialect="xbot", event=event, tool_name="Shell", tool_call_id=call_id, event_id=event_id)


def hint(text, hook="diff", priority=100):
    return Hint(hook=hook, text=text, priority=priority)


def texts(pending):
    return [one.hint.text for one in pending]


def test_a_hint_is_handed_out_once(store):
    store.keep_hints(post(), [hint("x")], session="s")
    assert texts(store.take_hints(session="s")) == ["x"]
    assert store.take_hints(session="s") == []


def test_a_hint_comes_back_as_it_was_left(store):
    left = Hint(hook="plugin/diff", text="\x1b[1mé\r\n\x00 x", format="diff", style="warn", priority=-3)
    store.keep_hints(post("call", "event"), [left], session="s")
    (taken,) = store.take_hints(session="s")
    assert taken.hint == left
    assert taken == PendingHint(
        session="s", call_id="call", event="PostToolUse", event_id="event", at=taken.at, hint=left
    )


def test_peeking_consumes_nothing(store):
    store.keep_hints(post(), [hint("x")], session="s")
    assert texts(store.take_hints(session="s", peek=True)) == ["x"]
    assert texts(store.take_hints(session="s", peek=True)) == ["x"]
    assert texts(store.take_hints(session="s")) == ["x"]
    assert store.take_hints(session="s", peek=True) == []


def test_lower_priority_comes_first_then_registry_order(store):
    hints = [hint("b", "2"), hint("c", "3"), hint("a", "1", priority=5), hint("d", "0")]
    store.keep_hints(post(), hints, session="s")
    assert texts(store.take_hints(session="s")) == ["a", "b", "c", "d"]


def test_hints_of_one_priority_come_by_time_of_their_events(store):
    store.keep_hints(post("z"), [hint("first")], session="s")
    store.keep_hints(post("a"), [hint("second")], session="s")
    assert texts(store.take_hints(session="s")) == ["first", "second"]


def test_sessions_do_not_see_each_others_hints(store):
    store.keep_hints(post(), [hint("mine")], session="s")
    store.keep_hints(post(), [hint("theirs")], session="t")
    assert texts(store.take_hints(session="s")) == ["mine"]
    assert texts(store.take_hints(session="t")) == ["theirs"]


def test_no_session_stands_for_every_session(store):
    store.keep_hints(post(), [hint("mine")], session="s")
    store.keep_hints(post("c"), [hint("theirs")], session="t")
    assert texts(store.take_hints(session=None)) == ["mine", "theirs"]
    assert store.take_hints(session=None) == []


def test_parallel_calls_with_ids_each_get_their_own(store):
    store.keep_hints(pre("a"), [], session="s")
    store.keep_hints(pre("b"), [], session="s")
    store.keep_hints(post("a"), [hint("of a")], session="s")
    store.keep_hints(post("b"), [hint("of b")], session="s")
    assert texts(store.take_hints(session="s", call_id="b")) == ["of b"]
    assert texts(store.take_hints(session="s", call_id="a")) == ["of a"]


def test_a_silent_event_of_one_call_leaves_the_hints_of_another(store):
    store.keep_hints(post("a"), [hint("of a")], session="s")
    store.keep_hints(pre("b"), [], session="s")
    store.keep_hints(post("b"), [], session="s")
    store.keep_hints(post(), [], session="s")
    store.keep_hints(pre(), [], session="s")
    assert texts(store.take_hints(session="s")) == ["of a"]


def test_hints_before_and_after_one_call_both_reach_the_reader(store):
    store.keep_hints(pre("a"), [hint("before")], session="s")
    store.keep_hints(post("a"), [hint("after")], session="s")
    assert texts(store.take_hints(session="s", call_id="a")) == ["before", "after"]


@pytest.mark.parametrize("again", ["PostToolUse", "PostToolUseFailure"])
def test_a_second_result_of_a_call_replaces_the_hints_of_the_first(store, again):
    store.keep_hints(post("a"), [hint("old")], session="s")
    store.keep_hints(post("a", event=again), [hint("new")], session="s")
    assert texts(store.take_hints(session="s")) == ["new"]


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse", "PostToolUseFailure"])
@pytest.mark.parametrize("earlier", ["PreToolUse", "PostToolUse", "PostToolUseFailure"])
def test_without_a_call_id_a_silent_tool_event_clears_what_is_unread(store, earlier, event):
    store.keep_hints(post(event=earlier), [hint("stale")], session="s")
    store.keep_hints(post(event=event), [], session="s")
    assert store.take_hints(session="s") == []


def test_without_a_call_id_a_result_replaces_what_is_unread(store):
    store.keep_hints(post(), [hint("old")], session="s")
    store.keep_hints(post(), [hint("new")], session="s")
    assert texts(store.take_hints(session="s")) == ["new"]


def test_an_event_without_a_tool_clears_no_hint_of_a_tool(store):
    store.keep_hints(post(), [hint("x")], session="s")
    store.keep_hints(Event(dialect="xbot", event="SessionEnd"), [], session="s")
    assert texts(store.take_hints(session="s")) == ["x"]


def test_another_session_s_events_clear_nothing(store):
    store.keep_hints(post(), [hint("x")], session="s")
    store.keep_hints(pre(), [], session="t")
    assert texts(store.take_hints(session="s")) == ["x"]


def test_an_event_that_is_fired_twice_leaves_its_hint_once(store):
    for _ in range(2):
        store.keep_hints(post(event_id="e"), [hint("x"), hint("y", "other")], session="s")
    assert texts(store.take_hints(session="s")) == ["x", "y"]


def test_an_event_that_is_fired_again_does_not_bring_back_a_taken_hint(store):
    store.keep_hints(post("a", "e"), [hint("x")], session="s")
    assert texts(store.take_hints(session="s")) == ["x"]
    store.keep_hints(post("a", "e"), [hint("x")], session="s")
    assert store.take_hints(session="s") == []
    store.keep_hints(post("a", "another"), [hint("x")], session="s")
    assert texts(store.take_hints(session="s")) == ["x"]


@pytest.mark.parametrize("is_taken", [True, False])
def test_another_text_under_the_id_of_an_earlier_event_is_another_hint(store, is_taken):
    for text in ("x", "y", "x"):
        store.keep_hints(post("a", "e"), [hint(text)], session="s")
        assert texts(store.take_hints(session="s", peek=not is_taken)) == [text]


def test_events_without_an_id_are_never_the_same(store):
    store.keep_hints(post("a"), [hint("x")], session="s")
    assert texts(store.take_hints(session="s")) == ["x"]
    store.keep_hints(post("a"), [hint("x")], session="s")
    assert texts(store.take_hints(session="s")) == ["x"]


def test_taken_hints_are_not_left_pending_and_clear_what_is_stale(store):
    store.keep_hints(post(), [hint("stale")], session="s")
    store.keep_hints(post(), [hint("printed")], session="s", taken=True)
    assert store.take_hints(session="s") == []


def test_hints_expire(tmp_path):
    store = Store(str(tmp_path / "state"), expire_after=0.0)
    store.keep_hints(post(), [hint("x")], session="s")
    assert store.take_hints(session="s", peek=True) == []
    assert store.take_hints(session="s") == []
    assert not store.hints_may_be_pending()
    store.close()
    patient = Store(str(tmp_path / "state"), expire_after=600.0)
    assert texts(patient.take_hints(session="s")) == ["x"]
    patient.close()


def test_expired_hints_leave_the_database(tmp_path):
    store = Store(str(tmp_path / "state"), expire_after=0.0)
    store.keep_hints(post("a"), [hint("x")], session="s")
    store.keep_hints(post("b"), [hint("y")], session="s")
    store.close()
    patient = Store(str(tmp_path / "state"), expire_after=600.0)
    assert texts(patient.take_hints(session=None)) == ["y"]
    patient.close()


def test_whether_hints_may_be_pending_follows_what_is_pending(store):
    assert not store.hints_may_be_pending()
    store.keep_hints(post("a"), [hint("x")], session="s")
    store.keep_hints(post("b"), [hint("y")], session="t")
    assert store.hints_may_be_pending()
    store.take_hints(session="s")
    assert store.hints_may_be_pending()
    store.take_hints(session="t")
    assert not store.hints_may_be_pending()


def test_clearing_the_last_hint_ends_the_pending_state(store):
    store.keep_hints(post(), [hint("x")], session="s")
    assert store.hints_may_be_pending()
    store.keep_hints(pre(), [], session="s")
    assert not store.hints_may_be_pending()


def test_text_that_is_no_unicode_is_kept_readable(store):
    store.keep_hints(post("c\ud800"), [hint("x\udcff")], session="s\ud800")
    assert texts(store.take_hints(session="s\ud800", call_id="c\ud800")) == ["x\\udcff"]


def test_a_priority_beyond_all_integers_of_the_database_still_orders(store):
    hints = [hint("last", "1", 10**30), hint("middle", "2", 0), hint("first", "3", -(10**30))]
    store.keep_hints(post(), hints, session="s")
    assert texts(store.take_hints(session="s")) == ["first", "middle", "last"]


def test_what_is_left_by_one_store_is_read_by_the_next(tmp_path):
    first = Store(str(tmp_path / "state"))
    first.keep_hints(post(), [hint("x")], session="s")
    first.close()
    second = Store(str(tmp_path / "state"))
    assert texts(second.take_hints(session="s")) == ["x"]
    second.close()


def test_a_closed_store_opens_again(store):
    store.keep_hints(post(), [hint("x")], session="s")
    store.close()
    store.close()
    assert texts(store.take_hints(session="s")) == ["x"]


def test_nothing_is_made_before_there_is_something_to_keep(store, tmp_path):
    store.keep_hints(post(), [], session="s")
    store.keep_hints(post(), [hint("x")], session="s", taken=True)
    assert store.take_hints(session="s") == []
    assert not (tmp_path / "state").exists()
    store.keep_hints(post(), [hint("x")], session="s")
    assert (tmp_path / "state").exists()


@pytest.mark.parametrize(("hints", "is_imported"), [("[]", False), ("[Hint(hook='h', text='x')]", True)])
def test_sqlite_is_imported_only_when_there_is_something_to_keep(store, tmp_path, hints, is_imported):
    store.keep_hints(post(), [hint("x")], session="s")
    store.take_hints(session="s")
    code = f"""
import sys
from hookrun.store import Store
from hookrun.model.values import Event, Hint
store = Store(sys.argv[1])
store.keep_hints(Event(dialect="xbot", event="PreToolUse"), {hints}, session="s")
store.root_of_session("s")
print("sqlite3" in sys.modules)
store.close()
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "state")], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(is_imported)


def test_fifty_threads_share_a_store(store):
    def leave(number):
        for count in range(4):
            store.keep_hints(post(f"{number}-{count}"), [hint(f"{number}-{count}")], session="s")

    taken = []
    in_threads(50, leave)
    in_threads(50, lambda number: taken.append(texts(store.take_hints(session="s"))))
    everything = sorted(text for some in taken for text in some)
    assert everything == sorted(f"{number}-{count}" for number in range(50) for count in range(4))


def test_fifty_threads_leave_and_take_at_the_same_time(store):
    taken = []

    def leave_and_take(number):
        store.keep_hints(post(f"{number}"), [hint(f"{number}")], session="s")
        taken.extend(texts(store.take_hints(session="s")))

    in_threads(50, leave_and_take)
    taken.extend(texts(store.take_hints(session="s")))
    assert sorted(taken, key=int) == [f"{number}" for number in range(50)]


def in_threads(count, action):
    threads = [threading.Thread(target=action, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
