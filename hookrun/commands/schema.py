"""The JSON Schema of a plugin's manifest, for editors: the reader's own tables in another form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hookrun.model.events import EVENTS
from hookrun.sources import fields
from hookrun.sources.fields import Field
from hookrun.sources.manifest import MOST_UI_CONTRIBUTIONS

DRAFT = "https://json-schema.org/draft/2020-12/schema"
DURATION_PATTERN = r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$"
VARIABLE_PATTERN = r"^[A-Za-z_*][A-Za-z0-9_*]*$"
# What the elements of a list are, by the field that has it.
_ITEMS: dict[str, dict[str, Any]] = {
    **{name: {"items": {"type": "string"}} for name in ("args", "permissions", "activation_events", "triggers")},
    "env": {"items": {"type": "string", "pattern": VARIABLE_PATTERN}},
    "ui": {"maxItems": MOST_UI_CONTRIBUTIONS},
}


def manifest_schema() -> dict[str, Any]:
    """Return the schema of a manifest, draft 2020-12: what it refuses, `hookrun validate` finds as well."""
    return {
        "$schema": DRAFT,
        "title": "hookrun plugin manifest",
        "description": "A plugin of hookrun or xbot: how it runs and what it adds",
        **_mapping(fields.MANIFEST_FIELDS),
        "if": {"properties": {"runtime": {"enum": ["rules"]}}},
        "else": {"anyOf": [{"required": [key]} for name in _PROGRAMS for key in spellings(name)]},
    }


def spellings(name: str) -> list[str]:
    """Return the keys that mean the field *name*."""
    return list(dict.fromkeys((name, fields.camel(name))))


_PROGRAMS = ("entry", "entry_linux", "entry_darwin", "executable")


def _mapping(table: Mapping[str, Field]) -> dict[str, Any]:
    """Return the schema of an object with the fields of *table*, each in both spellings."""
    properties: dict[str, Any] = {key: _value(name, field) for name, field in table.items() for key in spellings(name)}
    if table is fields.MANIFEST_FIELDS:
        properties["$schema"] = {"type": "string", "description": "This schema, for editors"}
    schema = {
        "type": "object",
        "properties": properties,
        "patternProperties": {"^x-": {"description": "Anything of your own"}},
        "additionalProperties": False,
    }
    required = [name for name, field in table.items() if field.required]
    return {**schema, "required": required} if required else schema


def _value(name: str, field: Field) -> dict[str, Any]:
    """Return the schema of one field's value."""
    schema: dict[str, Any] = {"description": field.description}
    if field.types == fields.DURATION:
        return schema | {"anyOf": _duration(name)}
    types = field.types.split()
    schema["type"] = types[0] if len(types) == 1 else types
    if field.choices:
        schema["enum"] = list(field.choices)
    if field.pattern:
        schema["pattern"] = field.pattern
    elif field.required and types == ["string"] and not field.choices:
        schema["minLength"] = 1
    schema |= _ITEMS.get(name, {})
    if name == "event":
        schema["examples"] = [event.name for event in EVENTS.values() if not event.one_agent]
    if field.entry:
        entries = _mapping(field.entry)
        return schema | (entries if types == ["object"] else {"items": entries})
    return schema


def _duration(name: str) -> list[dict[str, Any]]:
    number: dict[str, Any] = {"type": "number", "exclusiveMinimum": 0}
    if name == "timeout":
        number["maximum"] = fields.LONGEST_TIMEOUT
    return [{"type": "string", "pattern": DURATION_PATTERN}, number]
