"""Manifests: what they contribute, what one flaw costs, and what it does not cost."""

from __future__ import annotations

import json

import pytest

from hookrun.model.values import Event
from hookrun.sources.found import Origin
from hookrun.sources.manifest import is_id, read_manifest

GOOD = {
    "id": "guard",
    "name": "Guard",
    "version": "1.0.0",
    "runtime": "script",
    "entry": "sh guard.sh",
    "permissions": ["hooks.subscribe", "ui.contribute"],
}


@pytest.fixture
def read(tmp_path):
    """Return a function that writes a manifest and reads it back."""
    (tmp_path / "guard.sh").write_text("#!/bin/sh\n")

    def write_and_read(content=None, filename="plugin.json", **changes):
        text = content if content is not None else json.dumps({**GOOD, **changes})
        path = tmp_path / filename
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        origin = Origin(source="xbot", order=90, level="project", place=str(tmp_path), dialect="xbot")
        return read_manifest(str(path), origin)

    write_and_read.folder = tmp_path
    return write_and_read


def hooks(*entries):
    return {"contributes": {"hooks": list(entries)}}


def ui(**changes):
    entry = {"id": "diff", "slot": "toolHint", "sync": True, "triggers": ["PostToolUse:FileReplace*"]}
    return {"contributes": {"ui": [{**entry, **changes}]}}


def test_a_contributed_hook_of_a_guarded_event_is_a_guard(read):
    found = read(**hooks({"event": "PreToolUse", "matcher": "Shell*", "timeout": "5s", "serial": True}))
    (hook,) = found.hooks
    assert found.problems == ()
    assert (hook.role, hook.timeout, hook.serial, hook.title, hook.key) == ("guard", 5.0, True, "guard", "guard")
    assert hook.program.words == ("sh", str(read.folder / "guard.sh"))
    assert [(trigger.event, trigger.matcher) for trigger in hook.triggers] == [("PreToolUse", "Shell*")]


def test_role_and_on_failure_can_be_said(read):
    (hook,) = read(**hooks({"event": "PreToolUse", "role": "observer", "onFailure": "allow"})).hooks
    assert (hook.role, hook.on_failure) == ("observer", "allow")


def test_an_absent_matcher_matches_every_tool(read):
    (hook,) = read(**hooks({"event": "PreToolUse"})).hooks
    assert hook.triggers[0].accepts(Event(dialect="xbot", event="PreToolUse"), ("Anything",))


def test_a_hook_may_have_a_program_of_its_own(read):
    first, second = read(**hooks({"event": "pre"}, {"event": "pre", "entry": "sh other.sh"})).hooks
    assert first.program.words[0] == GOOD["entry"].split()[0]
    assert second.program.words == ("sh", "other.sh")


def test_a_manifest_whose_hooks_all_have_a_program_needs_none_itself(read):
    own = {"event": "pre", "entry": "sh other.sh"}
    found = read(entry=None, **hooks(own, {**own, "event": "post"}))
    assert [(hook.flaw, hook.program.words) for hook in found.hooks] == [("", ("sh", "other.sh"))] * 2
    assert not [problem for problem in found.problems if "missing" in problem.message]
    for more in ([own, {"event": "pre"}], [], "none", [1]):
        found = read(entry=None, contributes={"hooks": more})
        assert "entry is missing" in [problem.message for problem in found.problems], more
        assert all(bool(hook.flaw) is (hook.program.words == ()) for hook in found.hooks), more
    widget = {"id": "diff", "slot": "infoBar"}
    found = read(entry=None, contributes={"hooks": [own], "ui": [widget]})
    assert {hook.kind: bool(hook.flaw) for hook in found.hooks} == {"hook": False, "ui": True}


def test_a_program_of_its_own_that_cannot_be_read_is_a_guard_that_cannot_start(read):
    found = read(**hooks({"event": "pre", "entry": "sh 'open"}))
    assert [problem.where for problem in found.problems] == ["contributes.hooks[0].entry"]
    assert found.hooks[0].flaw.startswith("entry cannot be read")
    assert found.hooks[0].role == "guard"


def test_the_dialect_is_the_manifests_own_or_its_places(read):
    assert read(**hooks({"event": "pre"})).hooks[0].dialect == "xbot"
    assert read(**hooks({"event": "pre"}), dialect="claude").hooks[0].dialect == "claude"
    wrong = read(**hooks({"event": "pre"}), dialect="clude")
    assert [problem.where for problem in wrong.problems] == ["dialect"]
    assert wrong.hooks[0].dialect == "xbot"


def test_a_ui_contribution_has_a_widget_and_its_triggers(read):
    (hook,) = read(
        **ui(priority=5, refreshInterval="1m30s", triggers=["PostToolUse:A*", "AgentStop", "AgentStop:"])
    ).hooks
    assert (hook.widget.priority, hook.widget.refresh, hook.widget.sync) == (5, 90.0, True)
    assert [(trigger.event, trigger.matcher) for trigger in hook.triggers] == [
        ("PostToolUse", "A*"),
        ("AgentStop", ""),
        ("AgentStop", ""),
    ]
    assert hook.role == "observer"


def test_a_trigger_is_split_at_its_first_colon(read):
    (hook,) = read(**ui(triggers=["PostToolUse:MCP:tool"])).hooks
    assert hook.triggers[0].matcher == "MCP:tool"


def test_camel_case_and_snake_case_are_one_key(read):
    for spelling in ("refreshInterval", "refresh_interval"):
        found = read(**ui(**{spelling: "5s"}))
        assert found.problems == ()
        assert found.hooks[0].widget.refresh == 5.0


@pytest.mark.parametrize(
    ("changes", "where", "said"),
    [
        ({"contributs": {}}, "contributs", "did you mean contributes?"),
        (ui(slott="x"), "contributes.ui[0].slott", "did you mean slot?"),
        (hooks({"event": "PreToolUse", "matchers": "x"}), "contributes.hooks[0].matchers", "did you mean matcher?"),
    ],
)
def test_an_unknown_key_is_a_problem_that_offers_the_nearest(read, changes, where, said):
    problems = read(**changes).problems
    assert [(problem.where, problem.hint) for problem in problems] == [(where, said)]


def test_a_bad_trigger_costs_that_trigger_alone(read):
    found = read(**ui(triggers=["PostTolUse:X", 7, "PostToolUse:Ok"]))
    assert [trigger.matcher for trigger in found.hooks[0].triggers] == ["Ok"]
    assert [problem.where for problem in found.problems] == [
        "contributes.ui[0].triggers[0]",
        "contributes.ui[0].triggers[1]",
    ]
    assert "PostToolUse" in found.problems[0].hint


def test_a_bad_contribution_costs_that_contribution_alone(read):
    found = read(**hooks({"event": "PreTooluse?"}, "text", {"matcher": "x"}, {"event": "PreToolUse", "matcher": "Ok"}))
    assert [hook.triggers[0].matcher for hook in found.hooks] == ["Ok"]
    assert len(found.problems) == 3
    assert all(problem.level == "error" for problem in found.problems)


@pytest.mark.parametrize(
    ("contributes", "permission"), [(hooks({"event": "PreToolUse"}), "hooks.subscribe"), (ui(), "ui.contribute")]
)
def test_contributions_need_their_permission(read, contributes, permission):
    refused = read(**contributes, permissions=["tools.call"])
    assert permission in refused.problems[0].message
    flaws = [hook.flaw for hook in refused.hooks]  # a guard stays, and cannot start
    assert flaws == (["contributes.hooks needs the permission hooks.subscribe"] if "hooks" in permission else [])
    assert len(read(**contributes, permissions=[permission]).hooks) == 1
    assert len(read(**contributes, permissions=["*"]).hooks) == 1


def test_ui_ids_are_unique_and_at_most_ten(read):
    entries = [{"id": f"w{number}", "slot": "infoBar"} for number in (1, 1, *range(2, 13))]
    found = read(contributes={"ui": entries})
    assert [hook.widget.id for hook in found.hooks] == [f"w{number}" for number in range(1, 11)]
    assert [problem.where for problem in found.problems] == [
        "contributes.ui[1].id",
        "contributes.ui[11]",
        "contributes.ui[12]",
    ]


def test_commands_are_contributions_of_their_own(read):
    found = read(contributes={"commands": [{"name": "/hello", "description": "says hello"}, {"name": "a b"}]})
    assert [(hook.kind, hook.command, hook.description) for hook in found.hooks] == [
        ("command", "/hello", "says hello")
    ]
    assert found.problems[0].where == "contributes.commands[1].name"


def test_what_hookrun_does_not_run_is_listed_and_no_error(read):
    found = read(contributes={"web": [{"id": "x"}], "contextEnrichers": [], "hooks": []})
    assert found.problems == ()
    assert [skip.reason.split()[0] for skip in found.skips] == ["contributes.web", "contributes.context_enrichers"]


def test_another_runtime_is_a_guard_that_cannot_start(read):
    found = read(runtime="wasm", **hooks({"event": "PreToolUse"}))
    assert "wasm" in found.hooks[0].flaw
    assert found.problems[0].level == "error"
    assert read(**hooks({"event": "PreToolUse"})).hooks[0].flaw == ""


def test_a_timeout_above_five_minutes_is_cut_and_said(read):
    found = read(timeout="6m", **hooks({"event": "PreToolUse"}))
    assert found.hooks[0].timeout == 300.0
    assert found.problems[0].where == "timeout"


def test_executable_and_args_are_not_split(read):
    found = read(entry=None, executable="sh", args=["guard.sh", "two words"], **hooks({"event": "PreToolUse"}))
    assert found.hooks[0].program.words == ("sh", str(read.folder / "guard.sh"), "two words")


def test_plugin_root_is_expanded_after_splitting(tmp_path, read):
    blank = tmp_path / "with blanks and 'quotes'"
    blank.mkdir()
    (blank / "g.sh").write_text("")
    path = blank / "plugin.json"
    path.write_text(json.dumps({**GOOD, "entry": "sh ${PLUGIN_ROOT}/g.sh", **hooks({"event": "PreToolUse"})}))
    origin = Origin(source="xbot", order=90, level="project", place=str(tmp_path), dialect="xbot")
    assert read_manifest(str(path), origin).hooks[0].program.words == ("sh", str(blank / "g.sh"))


def test_bom_crlf_and_yaml_are_accepted(read):
    text = json.dumps({**GOOD, **hooks({"event": "PreToolUse"})}, indent=2)
    assert len(read(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()).hooks) == 1
    yaml = "id: y\nname: Y\nversion: 1.0.0\nruntime: script\nentry: sh guard.sh\npermissions: ['*']\n"
    yaml += "contributes:\n  hooks:\n    - event: pre-tool-use\n      matcher: Shell\n"
    assert read(yaml, filename="plugin.yaml").hooks[0].triggers[0].event == "PreToolUse"


def test_comments_are_accepted_in_jsonc(read):
    text = json.dumps({**GOOD, **hooks({"event": "PreToolUse"})}, indent=2)
    assert len(read("// mine\n" + text, filename="plugin.jsonc").hooks) == 1


def test_a_duplicate_key_is_a_problem(read):
    found = read(json.dumps(GOOD)[:-1] + ', "id": "other"}')
    assert [(problem.where, problem.level) for problem in found.problems] == [("id", "warning")]


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        ('{"id": "x",\n  oops}', "plugin.json", "line 2"),
        ("id: x\n\tname: y\n", "plugin.yaml", "tab"),
        ("[1, 2]", "plugin.json", "not a mapping"),
        ("", "plugin.json", "cannot be read"),
        (b"\xff\xfe\x00", "plugin.json", "UTF-8"),
        ('{"a": "' + "x" * (1 << 20) + '"}', "plugin.json", "larger than 1,048,576 bytes"),
        ("[" * 100_000, "plugin.json", "cannot be read"),
    ],
)
def test_a_manifest_that_cannot_be_read_is_a_guard_that_cannot_start(read, content, name, said):
    found = read(content, filename=name)
    (hook,) = found.hooks
    assert hook.flaw
    assert hook.role == "guard"
    assert {trigger.event for trigger in hook.triggers} == {"PreToolUse", "UserPromptSubmit"}
    (problem,) = found.problems
    assert said in f"{problem.message} {problem.where} {problem.hint}"
    assert problem.source.endswith(name)


def test_identity_is_wanted_but_its_lack_costs_no_guard(read):
    found = read(name=None, version=None, **hooks({"event": "PreToolUse"}))
    assert len(found.hooks) == 1
    assert [problem.where for problem in found.problems] == ["name", "version"]


def test_ids_are_stable_wherever_the_project_lies(tmp_path):
    ids = []
    for place in ("one", "two"):
        folder = tmp_path / place
        folder.mkdir()
        (folder / "plugin.json").write_text(json.dumps({**GOOD, **hooks({"event": "PreToolUse"})}))
        origin = Origin(source="xbot", order=90, level="project", place=str(folder), dialect="xbot")
        ids.append(read_manifest(str(folder / "plugin.json"), origin).hooks[0].id)
    assert ids[0] == ids[1]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("a", True),
        ("a.b-c_d", True),
        ("9", True),
        ("", False),
        ("-a", False),
        ("a/b", False),
        ("é", False),
        ("a" * 129, False),
    ],
)
def test_ids_follow_the_rule(text, verdict):
    assert is_id(text) is verdict
