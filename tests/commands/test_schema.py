"""The JSON Schema for editors: it says what the reader says, and the file in docs/ is the one made now."""

from __future__ import annotations

import json
import re
from functools import cache

import pytest
import yaml
from command import CHECKOUT
from jsonschema import Draft202012Validator
from sweeps import sweep

from hookrun.commands.schema import manifest_schema, spellings
from hookrun.sources import fields
from hookrun.sources.found import Origin
from hookrun.sources.manifest import read_manifest

BUNDLED = sorted(CHECKOUT.glob("manifests/*.*"))
WRONG_BY_TYPES = {"string": 7, "integer": "7", "boolean": "yes", "array": "x", "object": "x", "string number": []}
RIGHT_BY_TYPE = {"string": "true", "integer": 7, "boolean": True, "array": [], "object": {}}
RIGHT_BY_KEY = {"event": "PreToolUse", "permissions": ["*"]}
HOOK = {"event": "PreToolUse"}
WIDGET = {"id": "w", "slot": "toolHint", "sync": True, "triggers": ["PostToolUse:Shell*"]}
PLUGIN = {
    "$schema": "manifest.schema.json",
    "id": "p",
    "name": "p",
    "version": "1.0.0",
    "runtime": "script",
    "entry": "true",
    "permissions": ["*"],
    "x-note": "anything",
    "contributes": {
        "hooks": [{**HOOK, "timeout": "1m30s", "on_failure": "ask", "role": "guard", "serial": True}],
        "ui": [{**WIDGET, "priority": 1, "refreshInterval": 30}],
        "commands": [{"name": "/hello", "description": "Says hello"}],
        "rules": [{"deny": "shell git push* --force*"}],
        "crons": [],
        "themes": {},
    },
}


@cache
def validator() -> Draft202012Validator:
    """The checked schema; checking it takes longer than all the documents."""
    schema = manifest_schema()
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def is_valid(document) -> bool:
    return validator().is_valid(document)


RULES_WAIT = "contributes.rules: this version of hookrun does not enforce rules"


def problems(document, tmp_path) -> list[str]:
    path = tmp_path / "plugin.json"
    path.write_text(json.dumps(document))
    origin = Origin(source="xbot", order=90, level="project", place=str(tmp_path), dialect="xbot")
    return [f"{problem.where}: {problem.message}" for problem in read_manifest(str(path), origin).problems]


def test_the_schema_in_docs_is_the_one_that_is_made_now():
    written = (CHECKOUT / "docs/manifest.schema.json").read_text()
    assert written == json.dumps(manifest_schema(), indent=2) + "\n", (
        "hookrun validate --schema > docs/manifest.schema.json"
    )


def test_there_are_bundled_manifests():
    assert BUNDLED


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.name)
def test_bundled_manifests_are_valid(path):
    assert is_valid(yaml.safe_load(path.read_text()))  # JSON is YAML


def test_the_examples_of_the_documentation_are_valid():
    blocks = [
        block
        for path in sorted(CHECKOUT.glob("docs/*.md"))
        for block in re.findall(r"^```json\n(.*?)^```", path.read_text(), re.DOTALL | re.MULTILINE)
    ]
    examples = [json.loads(block) for block in blocks if '"contributes"' in block and '"runtime"' in block]
    assert [example for example in examples if not is_valid(example)] == []


def test_a_whole_manifest_is_valid_for_schema_and_reader(tmp_path):
    assert is_valid(PLUGIN)
    assert problems(PLUGIN, tmp_path) == [RULES_WAIT]


def changed(path, value):
    """Return PLUGIN with *value* at the keys *path*; None takes the key out."""
    document = json.loads(json.dumps(PLUGIN))
    table = document
    for key in path[:-1]:
        table = table[key]
    if value is None:
        del table[path[-1]]
    else:
        table[path[-1]] = value
    return document


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("id",), None),
        (("name",), None),
        (("name",), ""),
        (("version",), None),
        (("runtime",), None),
        (("entry",), None),
        (("id",), "-p"),
        (("id",), "p" * 129),
        (("runtime",), "shell"),
        (("permisions",), ["*"]),
        (("args",), [1]),
        (("timeout",), "soon"),
        (("timeout",), "5"),
        (("timeout",), 0),
        (("timeout",), 301),
        (("contributes", "hook"), []),
        (("contributes", "hooks", 0, "event"), None),
        (("contributes", "hooks", 0, "matchr"), "Shell"),
        (("contributes", "hooks", 0, "role"), "judge"),
        (("contributes", "hooks", 0, "onFailure"), "maybe"),
        (("contributes", "hooks", 0), "PreToolUse"),
        (("contributes", "ui", 0, "slot"), "tooltip"),
        (("contributes", "ui", 0, "id"), None),
        (("contributes", "ui", 0, "triggers"), [1]),
        (("contributes", "ui", 0, "refreshInterval"), "often"),
        (("contributes", "ui"), [{**WIDGET, "id": f"w{number}"} for number in range(11)]),
        (("contributes", "commands", 0, "name"), "two words"),
    ],
)
def test_what_is_broken_is_refused_by_schema_and_reader(tmp_path, path, value):
    document = changed(path, value)
    if path == ("args",):
        document = {**document, "executable": "true"}
    assert not is_valid(document)
    assert problems(document, tmp_path) != []


def every_field():
    places = (
        (fields.MANIFEST_FIELDS, ()),
        (fields.CONTRIBUTION_FIELDS, ("contributes",)),
        (fields.HOOK_FIELDS, ("contributes", "hooks", 0)),
        (fields.UI_FIELDS, ("contributes", "ui", 0)),
        (fields.COMMAND_FIELDS, ("contributes", "commands", 0)),
    )
    for table, path in places:
        for name, field in table.items():
            for spelling in spellings(name):
                yield pytest.param((*path, spelling), field, id=".".join(map(str, (*path, spelling))))


@pytest.mark.parametrize(("path", "field"), list(every_field()))
def test_every_field_in_every_spelling_is_in_the_schema_with_its_type(tmp_path, path, field):
    wrong = WRONG_BY_TYPES.get(field.types, 1.5)
    assert not is_valid(changed(path, wrong))
    assert problems(changed(path, wrong), tmp_path) != []
    first = "integer" if field.types == fields.DURATION else field.types.split()[0]
    right = RIGHT_BY_KEY.get(path[-1], field.choices[0] if field.choices else RIGHT_BY_TYPE[first])
    assert is_valid(changed(path, right))
    assert problems(changed(path, right), tmp_path) in ([RULES_WAIT], [])


@sweep(
    "text",
    [
        "30s",
        "500ms",
        "1m30s",
        "1.5h",
        "0.5s",
        "5",
        "s",
        "",
        "1 s",
        "1d",
        "-1s",
        "1s1",
        "1,5s",
        "1.s",
        "٣s",
        "5S",
        "\n5s",
    ],
)
def test_a_duration_is_one_for_the_schema_exactly_when_it_is_one_for_the_reader(text):
    is_read = fields.seconds_of(text) is not None and text.strip() == text and text.isascii()
    assert is_valid(changed(("timeout",), text)) == is_read


def test_a_plugin_of_rules_needs_no_program():
    assert is_valid(changed(("entry",), None) | {"runtime": "rules"})
    assert not is_valid(changed(("entry",), None) | {"runtime": "stdio"})


def test_the_schema_describes_every_key():
    described = manifest_schema()["properties"]
    assert all(described[key].get("description") for key in described)
