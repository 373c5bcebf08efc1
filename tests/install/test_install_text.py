"""Entries in the text of settings: every other character stays, and what was put in can be taken out."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from settings_texts import made_up_texts, other_hook, settings_texts
from sweeps import sweep

from hookrun.agents.settings import Installation, installation_of, installations
from hookrun.install.entries import entries, is_ours, wired_events
from hookrun.install.settings import entries_in, new_settings, with_entries, without_entries
from hookrun.install.tree import read_tree
from hookrun.model.errors import DocumentError

if TYPE_CHECKING:
    from typing import Any

SETTINGS = [wiring for wiring in installations() if wiring.shape in ("groups", "handlers")]
CASES = [
    pytest.param(wiring, text, id=f"{wiring.agent}: {name}")
    for wiring in SETTINGS
    for name, text in settings_texts(wiring).items()
]
CLAUDE = installation_of("claude")
CODEX = installation_of("codex")


@sweep(("wiring", "text"), CASES)
def test_taken_out_again_the_text_is_what_it_was(wiring: Installation, text: str):
    wanted = entries(wiring, ())
    wired = wired_text(wiring.agent, text)
    assert [entry.event for entry in entries_in(wired, "s.json", wiring)] != []
    assert without_entries(wired, "s.json", wiring).text == text
    assert value_of(wired, wiring) == expected(value_of(text, wiring), wanted, wiring)


@sweep(("wiring", "text"), CASES)
def test_put_in_twice_is_put_in_once(wiring: Installation, text: str):
    wired = wired_text(wiring.agent, text)
    assert with_entries(wired, "s.json", wiring, entries(wiring, ())) == wired


@sweep(("wiring", "text"), CASES)
def test_other_agents_asked_for_are_put_in_and_go_as_well(wiring: Installation, text: str):
    renewed = with_entries(wired_text(wiring.agent, text), "s.json", wiring, entries(wiring, ("codex", "gemini")))
    assert renewed.count("--with codex --with gemini") == len(wired_events(wiring))
    assert without_entries(renewed, "s.json", wiring).text == text


@pytest.mark.parametrize("comment", ["// mine", "// mine, with a comma", "/* mine */"])
@pytest.mark.parametrize("others", [', {"command": "theirs"}', ""])
def test_taken_out_below_a_comment_what_follows_is_no_comment(comment: str, others: str):
    cursor = installation_of("cursor")
    ours = json.dumps(entries(cursor, ())["stop"])
    text = f'{{"version": 1, "hooks": {{"stop": [\n{comment}\n{ours}{others}]}}}}'
    left = without_entries(text, "s.json", cursor).text
    assert value_of(left, cursor)["hooks"].get("stop", []) == ([{"command": "theirs"}] if others else [])
    assert comment in left


@settings(max_examples=200, deadline=None)
@given(data=st.data(), agent=st.sampled_from([wiring.agent for wiring in SETTINGS]))
def test_any_layout_survives(data: st.DataObject, agent: str):
    wiring = installation_of(agent)
    assert wiring
    text = data.draw(made_up_texts(wiring))
    # A few events: each is an edit of its own, and all of them are put in by the sweeps above.
    events = data.draw(st.lists(st.sampled_from(list(wired_events(wiring))), min_size=1, max_size=4))
    some = {event: entry for event, entry in entries(wiring, ()).items() if event in events}
    wired = with_entries(text, "s.json", wiring, some)
    assert value_of(wired, wiring) == expected(value_of(text, wiring), some, wiring)
    assert with_entries(wired, "s.json", wiring, some) == wired
    assert without_entries(wired, "s.json", wiring).text == text


@pytest.mark.parametrize(
    ("before", "found", "replaced"),
    [
        ('{\n  "model": "x"\n}\n', '"model": "x",', '"model": "y", // better\n  "more": [1],'),
        ('{\n  "model": "x"\n}\n', "\n}\n", ',\n  "theme": "dark"\n}\n'),
        ('{"model": "x"}', '{"model": "x", ', '{"model": "x", "theme": "dark", '),
    ],
)
def test_what_was_edited_in_between_stays(before: str, found: str, replaced: str):
    wired = with_entries(before, "s.json", CLAUDE, entries(CLAUDE, ()))
    at = wired.rindex(found)
    edited = wired[:at] + replaced + wired[at + len(found) :]
    left = without_entries(edited, "s.json", CLAUDE).text
    assert not is_ours(left, "claude")
    value = value_of(edited, CLAUDE)
    del value["hooks"]
    assert value_of(left, CLAUDE) == value
    assert "// better" in left or "// better" not in replaced


def test_hooks_of_others_put_beside_ours_stay():
    value = json.loads(new_settings(CLAUDE, entries(CLAUDE, ())))
    other = other_hook(CLAUDE)
    value["hooks"]["PreToolUse"].insert(0, other)
    value["hooks"]["Stop"].append(other)
    value["hooks"]["SessionStart"][0]["hooks"].append({"type": "command", "command": "date"})
    text = json.dumps(value, indent=4)
    removed = without_entries(text, "s.json", CLAUDE)
    assert json.loads(removed.text) == {
        "hooks": {
            "PreToolUse": [other],
            "Stop": [other],
            "SessionStart": [{"hooks": [{"type": "command", "command": "date"}]}],
        }
    }
    assert not removed.is_bare


def test_a_file_of_ours_alone_is_bare_afterwards():
    for wiring in SETTINGS:
        made = new_settings(wiring, entries(wiring, ()))
        assert without_entries(made, "s.json", wiring).is_bare, wiring.agent
        assert not without_entries(made.replace("{", '{"model": 1,', 1), "s.json", wiring).is_bare


def test_an_empty_file_is_not_taken_for_one_that_was_not_there():
    wired = with_entries("", "s.json", CLAUDE, entries(CLAUDE, ()))
    removed = without_entries(wired, "s.json", CLAUDE)
    assert (removed.text, removed.is_bare, removed.was_blank) == ("", False, True)


def test_ours_come_behind_those_that_codex_knows_by_number():
    text = json.dumps({"hooks": {"PreToolUse": [other_hook(CODEX)]}})
    wired = with_entries(text, "s.json", CODEX, entries(CODEX, ()))
    groups = [entry.group for entry in entries_in(wired, "s.json", CODEX) if entry.event == "PreToolUse"]
    assert groups == [1]


def test_an_entry_that_was_altered_or_doubled_is_renewed_in_its_place():
    value = json.loads(new_settings(CODEX, entries(CODEX, ())))
    ours = value["hooks"]["PreToolUse"][0]
    altered = {"matcher": "Bash", "hooks": [{**ours["hooks"][0], "timeout": 1}]}
    value["hooks"]["PreToolUse"] = [altered, other_hook(CODEX), ours]
    value["hooks"]["Gone"] = [ours]
    renewed = with_entries(json.dumps(value, indent=1), "s.json", CODEX, entries(CODEX, ()))
    assert json.loads(renewed)["hooks"]["PreToolUse"] == [ours, other_hook(CODEX)]
    assert "Gone" not in json.loads(renewed)["hooks"]


def test_an_entry_in_a_group_of_somebody_else_is_renewed_alone():
    handler = {"type": "command", "command": "hookrun bridge claude"}
    other = {"type": "command", "command": "date"}
    text = json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [other, handler]}]}})
    renewed = json.loads(with_entries(text, "s.json", CLAUDE, entries(CLAUDE, ())))
    wanted = entries(CLAUDE, ())["PreToolUse"]["hooks"][0]
    assert renewed["hooks"]["PreToolUse"] == [{"matcher": "Bash", "hooks": [other, wanted]}]


@sweep(
    ("text", "message", "line"),
    [
        ("{", "is not JSON", 1),
        ('{\n  "a": 1\n  "b": 2\n}', "is not JSON", 3),
        ("[]", "is not an object", 1),
        ('"text"', "is not an object", 1),
        ('{\n "hooks": []\n}', "hooks is not an object", 2),
        ('{\n "hooks": {\n  "Stop": {}\n }\n}', "hooks.Stop is not a list", 3),
        ('{\n "hooks": {"Stop": [\n  {"hooks": {}}]}\n}', "hooks.Stop[0].hooks is not a list", 3),
        ('{"a": 1,\n "a": 2}', "has the key a twice", 2),
        ('{"hooks": {"Stop": [],\n "Stop": []}}', "has the key Stop twice", 2),
        ('{"a": [,]}', "comma without a value", 1),
        ('{"a": 1,,}', "comma before a closing bracket", 1),
        ('{"a": 1} // x\n {}', "is not JSON", 2),
        ('{ /* "a": 1 }', "comment that does not end", 1),
        ("\ufeff{}", "two byte order marks", 1),
        ('{"a": ' + "[" * 3000 + "]" * 3000 + "}", "nested too deeply", 0),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(text: str, message: str, line: int):
    for change in (lambda: with_entries(text, "s.json", CLAUDE, {}), lambda: without_entries(text, "s.json", CLAUDE)):
        with pytest.raises(DocumentError, match=message.replace("[", r"\[")) as caught:
            change()
        assert caught.value.line == line


@pytest.mark.parametrize("text", ["{} // x", '{"a": 1,}', "{/**/}"])
def test_comments_are_refused_where_the_agent_allows_none(text: str):
    assert read_tree(text, "s.json", has_comments=True).root
    with pytest.raises(DocumentError):
        with_entries(text, "s.json", CODEX, entries(CODEX, ()))


@cache
def wired_text(agent: str, text: str) -> str:
    """The *text* with all of our entries; three sweeps begin with it."""
    wiring = installation_of(agent)
    return with_entries(text, "s.json", wiring, entries(wiring, ()))


def value_of(text: str, wiring: Installation) -> Any:
    return read_tree(text, "s.json", has_comments=wiring.has_comments).value


def expected(before: dict[str, Any] | None, wanted: dict[str, Any], wiring: Installation) -> dict[str, Any]:
    after: dict[str, Any] = dict(wiring.head) if before is None else json.loads(json.dumps(before))
    hooks = after.setdefault("hooks", {})
    for event, value in wanted.items():
        hooks.setdefault(event, []).append(value)
    return after
