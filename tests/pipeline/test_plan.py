"""Plans: limits that never drop a guard silently, one run a file, serial hooks last."""

from __future__ import annotations

import pytest

from hookrun.config.config import Limits
from hookrun.model.values import Event, Hook, Program, Widget
from hookrun.pipeline.plan import plan_runs

PRE = Event(dialect="xbot", event="PreToolUse", tool_name="Shell")
POST = Event(dialect="xbot", event="PostToolUse", tool_name="Shell")


def hook(name, role="guard", **more):
    return Hook(
        id=name,
        title=name,
        kind="script",
        source="claude",
        order=80,
        level="project",
        place="/p",
        file=f"/p/{name}",
        dialect="claude",
        program=more.pop("program", Program(words=(f"/p/{name}",), folder="/p")),
        role=role,
        **more,
    )


def titles(hooks):
    return [planned.title for planned in hooks]


def guards(count):
    return [hook(f"g{number}") for number in range(count)]


def test_fifteen_guards_are_a_refusal_that_names_the_setting():
    plan = plan_runs(guards(15), PRE, Limits())
    assert plan.batches == ()
    assert len(plan.over_limit) == 15
    assert "15 guards" in plan.refusal
    assert "limits.process_hooks" in plan.refusal
    assert plan_runs(guards(15), PRE, Limits(process_hooks=15)).refusal == ""


def test_observers_are_cut_before_guards_and_named():
    observers = [hook(f"o{number}", "observer") for number in range(7)]
    plan = plan_runs([*observers, *guards(8)], PRE, Limits())
    assert titles(plan.batches[0]) == ["o0", "o1", *titles(guards(8))]
    assert titles(plan.over_limit) == ["o2", "o3", "o4", "o5", "o6"]
    assert all(name in plan.problems[0].message for name in titles(plan.over_limit))


def test_on_an_event_that_nothing_guards_the_limit_cuts_and_refuses_nothing():
    plan = plan_runs(guards(12), POST, Limits())
    assert plan.refusal == ""
    assert titles(plan.over_limit) == ["g10", "g11"]


def test_a_file_reached_twice_runs_once(tmp_path):
    (tmp_path / "guard").write_text("")
    (tmp_path / "link").symlink_to("guard")
    one, two = (hook(name, program=Program(words=(str(tmp_path / name),), folder="/p")) for name in ("guard", "link"))
    other = hook("other")
    assert titles(plan_runs([one, two, other], PRE, Limits()).batches[0]) == ["guard", "other"]


def test_two_widgets_of_one_script_both_run():
    program = Program(words=("/p/w.sh",), folder="/p")
    both = [hook(name, "observer", program=program, widget=Widget(id=name, slot="infoBar")) for name in ("a", "b")]
    assert titles(plan_runs(both, PRE, Limits()).batches[0]) == ["a", "b"]


def test_the_same_relative_command_in_two_plugins_runs_twice(tmp_path):
    def of_plugin(name, folder, **more):
        program = Program(words=("sh", "run.sh"), folder=str(tmp_path / folder))
        return hook(name, plugin=name, program=program, **more)

    both = [of_plugin("a", "a"), of_plugin("b", "b")]
    assert titles(plan_runs(both, PRE, Limits()).batches[0]) == ["a", "b"]
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to("a")
    linked = [of_plugin("a", "a"), of_plugin("b", "link")]
    assert titles(plan_runs(linked, PRE, Limits()).batches[0]) == ["a"]


@pytest.mark.parametrize(
    "other",
    [
        {"on_failure": "allow"},
        {"role": "observer"},
        {"command": "check"},
        {"flaw": "cannot start"},
        {"entry": '{"agent":"claude","matcher":"Bash"}'},
    ],
    ids=lambda other: next(iter(other)),
)
def test_two_hooks_of_one_program_that_mean_something_else_both_stay(other):
    program = Program(words=("/p/guard",), folder="/p")
    first = hook("a", program=program, on_failure="deny")
    second = hook("b", program=program, **{"on_failure": "deny"} | other)
    assert titles(plan_runs([first, second], PRE, Limits()).batches[0]) == ["a", "b"]
    same = hook("b", program=program, on_failure="deny")
    assert titles(plan_runs([first, same], PRE, Limits()).batches[0]) == ["a"]


def test_serial_hooks_run_alone_after_the_others_in_order():
    hooks = [hook("a"), hook("s1", serial=True), hook("b"), hook("s2", serial=True)]
    assert [titles(batch) for batch in plan_runs(hooks, PRE, Limits()).batches] == [["a", "b"], ["s1"], ["s2"]]


@pytest.mark.parametrize(("depth", "is_refused"), [(5, False), (6, True)])
def test_nesting_above_five_denies_guards_and_runs_nothing(depth, is_refused):
    plan = plan_runs([hook("g"), hook("o", "observer")], PRE, Limits(), depth=depth)
    assert bool(plan.refusal) is is_refused
    assert bool(plan.batches) is not is_refused


def test_nesting_too_deep_without_guards_runs_nothing_and_denies_nothing():
    plan = plan_runs([hook("o", "observer")], POST, Limits(), depth=6)
    assert (plan.batches, plan.refusal) == ((), "")
    assert plan.problems
