"""The scanner of JSON texts: each part's span is the value that json.loads gives for it."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hookrun.config.json_parts import Part, read_part

LEAVES = st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=4) | st.floats(-9, 9)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


def check(text: str, part: Part, value: Any) -> None:
    assert json.loads(text[part.begin : part.end]) == value
    inner = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    assert [found.key for found in part.parts] == [key for key, _ in inner]
    for found, (key, below) in zip(part.parts, inner, strict=True):
        if isinstance(value, dict):
            assert json.loads(f"{{{text[found.start : found.end]}}}") == {key: below}
        if found.comma >= 0:
            assert text[found.comma] == ","
        check(text, found, below)


@given(VALUES, st.sampled_from([None, 1, "\t"]), st.text(" \t\r\n", max_size=3))
def test_each_span_is_its_value(value: Any, indent: Any, blanks: str) -> None:
    text = blanks + json.dumps(value, indent=indent) + blanks
    check(text, read_part(text), value)
