"""Settings files as people have them, for the tests of install."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from hookrun.install.entries import wired_events

if TYPE_CHECKING:
    from hookrun.agents.settings import Installation

PLAIN = {
    "empty object": "{}",
    "empty object, blank inside": "{ }",
    "empty object, on lines": "{\n}\n",
    "empty file": "",
    "blank file": "\n\n",
    "blank file, CRLF": "\r\n",
    "one line": '{"model": "x"}',
    "minified": '{"model":"x","list":[1,2]}',
    "no newline at the end": '{\n  "model": "x"\n}',
    "four blanks": '{\n    "model": "x",\n    "more": {\n        "deep": true\n    }\n}\n',
    "tabs": '{\n\t"model": "x",\n\t"more": []\n}\n',
    "CRLF": '{\r\n  "model": "x"\r\n}\r\n',
    "no indentation": '{\n"model": "x"\n}\n',
    "odd blanks": '\n\n {  "model"  :\t"x"  ,\n\n      "more" : null   }  \n\n',
    "hooks empty": '{"model": "x", "hooks": {}}\n',
    "hooks empty, on lines": '{\n  "hooks": {\n  }\n}\n',
    "hooks first": '{\n  "hooks": {},\n  "model": "x"\n}\n',
    "event empty": '{"hooks": {"EVENT": []}}',
    "event empty, on lines": '{\n  "hooks": {\n    "EVENT": [\n    ]\n  }\n}\n',
    "others": '{\n  "hooks": {\n    "EVENT": [\n      OTHER\n    ],\n    "LAST": [OTHER, OTHER]\n  }\n}\n',
    "others on one line": '{"hooks": {"EVENT": [OTHER], "LAST": [ OTHER ]}, "model": "x"}',
    "text like brackets": '{"model": "}],{ \\" // no comment /* nor this */"}',
    "not ASCII": '{\n  "modèle": "日本語 🦊 \\ud83e"\n}\n',
}
COMMENTED = {
    "line comments": '// first\n{\n  // before\n  "model": "x" // behind\n  // last\n}\n// end\n',
    "block comments": '{ /* a */ "model": /* b */ "x" /* c */ }',
    "comment that ends in blanks": '{\n  "model": "x" // behind   \n}\n',
    "comment and CRLF": '{\r\n  "model": "x" // behind\r\n}\r\n',
    "trailing comma": '{\n  "model": "x",\n}\n',
    "trailing comma and comment": '{\n  "model": "x", // behind\n}\n',
    "comment before the comma": '{\n  "model": "x" /* behind */,\n}\n',
    "only comments": "// nothing yet\n",
    "only a comment inside": "{\n  // nothing yet\n}\n",
    "comment in hooks": '{\n  "hooks": { // mine\n  }\n}\n',
    "commented hook": '{"hooks": {"EVENT": [ // OTHER\n  OTHER, // one\n ]}}',
    "trailing commas all over": '{"hooks": {"EVENT": [OTHER,], "LAST": [OTHER,],},}',
    "long comment": '{\n  "model": "x" /* over\n  lines */\n}\n',
}


def settings_texts(wiring: Installation) -> dict[str, str]:
    """Return texts of settings by what is special in them, for the agent of *wiring*."""
    events = list(wired_events(wiring))
    texts = PLAIN | (COMMENTED if wiring.has_comments else {})
    other = json.dumps(other_hook(wiring))
    return {
        name: text.replace("EVENT", events[0]).replace("LAST", events[-1]).replace("OTHER", other)
        for name, text in texts.items()
    }


def other_hook(wiring: Installation) -> dict[str, object]:
    """Return somebody else's hook, as the agent of *wiring* has them."""
    handler = {"type": "command", wiring.command_key: "echo other"}
    return handler if wiring.shape == "handlers" else {"matcher": "Bash", "hooks": [handler]}


def made_up_texts(wiring: Installation) -> st.SearchStrategy[str]:
    """Return texts of settings with hooks or without, laid out at random."""
    events = st.sampled_from([*wired_events(wiring), "SomeEvent"])
    hooks = st.dictionaries(events, st.lists(st.just(other_hook(wiring)), max_size=2), max_size=3)
    scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
    values = st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
        max_leaves=8,
    )
    others = st.dictionaries(st.text(max_size=4).filter(lambda key: key != "hooks"), values, max_size=2)
    settings = st.tuples(others, st.none() | hooks, others).map(_joined)
    return st.tuples(settings, st.randoms(use_true_random=False)).map(
        lambda made: _written(made[0], made[1], has_comments=wiring.has_comments)
    )


def _joined(parts: tuple[dict[str, object], dict[str, object] | None, dict[str, object]]) -> dict[str, object]:
    before, hooks, after = parts
    return {**before, **({} if hooks is None else {"hooks": hooks}), **after}


def _written(value: object, random, *, has_comments: bool) -> str:
    blanks = ["", "", " ", "  ", "\t", "\n", "\n    ", "\r\n  "]
    if has_comments:
        blanks += ["/* , ] */", " // }\n", '\n// "x": [\r\n', "/**/ "]

    def blank() -> str:
        return random.choice(blanks)

    def write(part: object) -> str:
        if not isinstance(part, dict | list):
            return json.dumps(part, ensure_ascii=random.random() < 0.5)
        if isinstance(part, dict):
            inner = [f"{json.dumps(key)}{blank()}:{blank()}{write(each)}" for key, each in part.items()]
        else:
            inner = [write(each) for each in part]
        text = ",".join(f"{blank()}{each}{blank()}" for each in inner)
        if inner and has_comments and random.random() < 0.3:
            text += f",{blank()}"
        left, right = "{}" if isinstance(part, dict) else "[]"
        return f"{left}{text or blank()}{right}"

    return f"{blank()}{write(value)}{blank()}"
