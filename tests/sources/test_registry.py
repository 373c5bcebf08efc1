"""The registry: order, keys, shadowing and its limits, what the configuration disables."""

from __future__ import annotations

from hookrun.model.values import Hook, Program
from hookrun.sources.registry import register


def hook(name, *, key="", level="project", place="/p", role="guard", plugin="", source="claude", file=""):
    return Hook(
        id=name,
        title=name,
        kind="script",
        source=source,
        order=80,
        level=level,
        place=place,
        file=file or f"{place}/{name}",
        dialect="claude",
        program=Program(words=(name,), folder=place),
        key=key,
        plugin=plugin,
        role=role,
    )


def states(registry):
    return {entry.hook.id: entry.state for entry in registry.entries}


def test_the_first_with_a_key_keeps_it():
    registry = register([hook("first", key="k"), hook("second", key="k")], ())
    assert states(registry) == {"first": "in force", "second": "shadowed"}
    assert "first" in registry.entries[1].reason


def test_hooks_without_a_key_never_shadow():
    assert set(states(register([hook("a"), hook("b")], ())).values()) == {"in force"}


def test_a_project_never_shadows_its_users_guard():
    registry = register([hook("users", key="k", level="user", place="/h"), hook("projects", key="k")], ())
    assert states(registry) == {"users": "in force", "projects": "in force"}


def test_an_observer_is_shadowed_across_levels():
    users = hook("users", key="k", level="user", place="/h", role="observer")
    assert states(register([users, hook("projects", key="k", role="observer")], ()))["projects"] == "shadowed"


def test_a_guard_of_an_inner_folder_stays_beside_the_outer_one():
    outer, inner = hook("outer", key="k"), hook("inner", key="k", place="/p/sub")
    assert states(register([outer, inner], ())) == {"outer": "in force", "inner": "in force"}


def test_a_disabled_hook_shadows_nothing():
    registry = register([hook("first", key="k"), hook("second", key="k")], ["first"])
    assert states(registry) == {"first": "disabled", "second": "in force"}


def test_a_second_plugin_of_one_id_is_refused_and_said_once():
    mine = [hook(f"mine{number}", key="x", plugin="x", file="/p/a/plugin.json") for number in (1, 2)]
    other = [hook(f"other{number}", key="x", plugin="x", file="/p/b/plugin.json") for number in (1, 2)]
    registry = register([*mine, *other], ())
    assert [entry.state for entry in registry.entries] == ["in force"] * 2 + ["shadowed"] * 2
    (problem,) = registry.problems
    assert problem.source == "/p/b/plugin.json"
    assert "refused" in problem.message


def test_disable_takes_an_id_a_plugin_a_key_or_a_title():
    hooks = [hook("a"), hook("b", plugin="plug", key="plug"), hook("c", key="pre:bash:c.sh")]
    registry = register(hooks, ["a", "plug", "pre:bash:c.sh"])
    assert set(states(registry).values()) == {"disabled"}
    assert registry.problems == ()


def test_disabling_what_is_not_there_is_a_problem():
    assert "nobody" in register([hook("a")], ["nobody"]).problems[0].message


def test_ids_that_collide_stay_apart():
    registry = register([hook("same", place="/p"), hook("same", place="/q")], ())
    assert [entry.hook.id for entry in registry.entries] == ["same", "same-2"]
