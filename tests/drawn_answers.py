"""Strategies of hypothesis for what hooks print, and for the hooks and events that it is read with."""

from __future__ import annotations

import json
from typing import Any

from answer_values import a_hook, a_trigger
from hypothesis import strategies as st

from hookrun.answers.shapes import KNOWN_KEYS
from hookrun.model.values import Outcome

EVENTS = st.sampled_from(["PreToolUse", "PostToolUse", "AgentStop", "UserPromptSubmit", "PermissionRequest"])
HOOKS = st.sampled_from([a_hook(), a_hook(role="observer", kind="hook"), a_hook(on_failure="allow"), a_trigger()])
KEYS = st.sampled_from([*KNOWN_KEYS, "event", "event_id", "unknown"])
WORDS = st.sampled_from(["deny", "ASK", "defer", "block", "allowed", "maybe", "e1", "", "md|x"])
ALLOWS = ("allow", "approve", "ALLOW", "Approve")
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.sampled_from(ALLOWS) | st.text(max_size=5)
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=8
)
PIECES = st.text(max_size=20) | VALUES.map(json.dumps) | st.sampled_from([*'{}[]",:\n', "md|", "\ufeff"])
TEXTS = st.lists(PIECES, max_size=5).map("".join)
OUTCOMES = st.builds(
    Outcome,
    status=st.sampled_from(["ended"] * 6 + ["killed", "timed_out", "not_started", "untrusted", "over_limit", "lost"]),
    exit_code=st.sampled_from([0, 0, 0, 2, 1, 141, None]),
    signal=st.sampled_from([None, 9, 1000, -1]),
    stdout=TEXTS,
    stderr=TEXTS,
    stdout_was_cut=st.booleans(),
)
