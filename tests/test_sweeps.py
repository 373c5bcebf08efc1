"""A sweep tries every combination, and what fails in it is named."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from sweeps import sweep


def test_every_combination_is_tried_and_all_that_fail_are_named():
    tried: list[Any] = []

    @sweep("agent", ["one", "two"])
    @sweep(("event", "verdict"), [("pre", 1), pytest.param("post", 2, id="named")])
    def swept(agent: str, event: str, verdict: int, folder: str) -> None:
        tried.append((agent, event, verdict, folder))
        assert agent == "one" or verdict == 1, "reason"
        with pytest.raises(ValueError, match="x"):
            int("x" if event == "pre" else "3")

    assert list(inspect.signature(swept).parameters) == ["folder"]
    with pytest.raises(AssertionError) as caught:
        swept(folder="f")
    assert tried == [("one", "pre", 1, "f"), ("one", "post", 2, "f"), ("two", "pre", 1, "f"), ("two", "post", 2, "f")]
    said = str(caught.value)
    assert said.startswith("2 of 4 failed\n'one', named: Failed: DID NOT RAISE")
    assert "\n'two', named: AssertionError: reason\n" in said


def test_a_sweep_that_would_test_nothing_is_refused():
    with pytest.raises(ValueError, match="would test nothing"):
        sweep("agent", [])
    with pytest.raises(TypeError, match="a_test has no parameter agent"):
        sweep("agent", ["one"])(a_test)
    with pytest.raises(ValueError, match="not one value for each"):
        sweep(("agent", "event"), [("one",)])


def a_test() -> None: ...
