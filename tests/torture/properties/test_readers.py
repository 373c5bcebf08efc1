"""What holds for documents, manifests and settings whatever is in them; fuzzing checks these promises too."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from command import CHECKOUT
from fuzz.targets import TARGETS, VOCABULARY, prepare
from hypothesis import given, settings
from hypothesis import strategies as st

from hookrun import load_hooks
from hookrun.config.documents import line_of, parse_document
from hookrun.config.reading import read_config
from hookrun.events.touched import paths
from hookrun.model.errors import ConfigError, DocumentError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hookrun.config.documents import Document

CORPUS = str(CHECKOUT / "tests/fuzz/corpus")
SEEDS = [(target, name) for target in sorted(TARGETS) for name in sorted(os.listdir(os.path.join(CORPUS, target)))]
FORMATS = ["a.json", "a.jsonc", "a.yaml", "a.toml"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    made = str(tmp_path_factory.mktemp("readers"))
    prepare(made)
    return made


@pytest.mark.parametrize(("target", "name"), SEEDS)
def test_the_promises_hold_for_every_seed(folder: str, target: str, name: str) -> None:
    with open(os.path.join(CORPUS, target, name), "rb") as file:
        TARGETS[target](file.read(), folder)


WORDS = st.sampled_from(sorted({word for words in VOCABULARY.values() for word in words}))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=6)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=5), max_leaves=10
)
DURATIONS = st.sampled_from(["5s", "500ms", "9m", "1h30m", 7000, 0.5, 0, "0s"])
EVENTS = st.sampled_from(["PreToolUse", "PostToolUse", "tool_call", "AgentStop"])
HOOK = st.fixed_dictionaries(
    {"event": EVENTS | VALUES}, optional={"matcher": VALUES, "role": WORDS, "timeout": DURATIONS | VALUES}
)
WIDGET = st.fixed_dictionaries({"id": WORDS, "slot": WORDS}, optional={"triggers": VALUES, "priority": VALUES})
MANIFESTS = st.fixed_dictionaries(
    {"id": WORDS, "runtime": WORDS | VALUES, "permissions": st.just(["*"]) | VALUES},
    optional={
        "entry": st.text("ab '\"\\.$ ", max_size=8) | VALUES,
        "timeout": DURATIONS | VALUES,
        "contributes": st.fixed_dictionaries(
            {},
            optional={
                "hooks": st.lists(HOOK | st.just({"event": "PreToolUse"}) | VALUES, max_size=3),
                "ui": st.lists(WIDGET | VALUES, max_size=3),
                "commands": VALUES,
                "rules": VALUES,
            },
        )
        | VALUES,
    },
)
SETTINGS = st.dictionaries(st.sampled_from(VOCABULARY["settings"]), VALUES | st.dictionaries(WORDS, SCALARS))


@given(MANIFESTS)
@settings(max_examples=150)
def test_the_promises_hold_for_any_manifest(folder: str, manifest: dict[str, Any]) -> None:
    TARGETS["manifest"](json.dumps(manifest).encode(), folder)


@given(SETTINGS)
def test_the_promises_hold_for_any_settings(folder: str, table: dict[str, Any]) -> None:
    TARGETS["settings"](json.dumps(table).encode(), folder)


PIECES = st.sampled_from(
    [
        *"a b 1 : , [ ] { } \" ' # - = . \\ / * & ! | > ? % @ ~ < \t \n".split(" "),
        *(" ", "\n", "\n  ", ": ", "- ", "//", "/*", "*/", "<<: *a", "&a ", "*a", "!!int ", "!!bool ", "!!set "),
        *("0x", "9" * 5000, "f" * 3000, "1:" * 40, "2024-01-01", ".inf", "nan", "'''", '"""', "[[", "]]", "\ufeff"),
        *("null", "true", "\\ud800", "\0", "\x85", "\u2028"),
    ]
)
DOCUMENTS = st.lists(PIECES, max_size=15).map("".join).map(str.encode) | st.binary(max_size=30)


@pytest.mark.parametrize("name", FORMATS)
@given(data=DOCUMENTS)
def test_any_bytes_are_a_document_that_can_be_shown_or_refused(name: str, data: bytes) -> None:
    count = len(data.decode("utf-8", "replace").splitlines())
    read = _read(data, name)
    if isinstance(read, DocumentError):
        assert read.message
        assert 0 <= read.line <= count + 1
    else:
        assert repr(read.value)
        assert 0 <= line_of(read, ("a", 0)) <= count


def _read(data: bytes, name: str) -> Document | DocumentError:
    try:
        return parse_document(data, name)
    except DocumentError as error:
        return error


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", 'a: !!int ""'),
        ("a.yaml", "a: !!float _"),
        ("a.yaml", "a: !!bool maybe"),
        ("a.yaml", "a: !!timestamp soon"),
        ("a.yaml", "a: [{b: 0x" + "f" * 5000 + "}]"),
        ("a.yaml", "? 0o" + "7" * 9 + "\n: 1" + ":59" * 3000),
        ("a.toml", "a = [{b = 0x" + "f" * 5000 + "}]"),
        ("a.toml", "a = 0b" + "1" * 20_000),
    ],
)
def test_a_value_that_python_cannot_make_or_show_is_refused(name: str, text: str) -> None:
    with pytest.raises(DocumentError, match=r"type that its tag names|too many digits"):
        parse_document(text.encode(), name)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('manifests: ["~\\0"]', "does not exist"),
        ('hooks: ["~\\0/x.sh"]', "does not exist"),
        ('store: "~\\0"', "must be the path of a folder"),
        ("limits: {process_hooks: 0.5}", "must be a whole number above 0"),
        ("disable: !!omap [a: {1: x, b: y}]", "must be a list of texts"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused_by_their_key(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "hookrun").mkdir()
    (tmp_path / "hookrun/config.yaml").write_text(text)
    (tmp_path / "project/.hookrun").mkdir(parents=True)
    environ = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    project = str(tmp_path / "project")
    with pytest.raises(ConfigError, match=said):
        read_config(cwd=project, environ=environ, project=project)
    if not text.startswith("store"):
        (tmp_path / "hookrun/config.yaml").rename(tmp_path / "project/.hookrun/config.yaml")
        with pytest.raises(ConfigError, match=said):
            read_config(cwd=project, environ=environ, project=project)


@pytest.mark.parametrize("name", ["~\0", "~\ud800/a"])
def test_a_home_that_nobody_can_have_is_a_name_as_any_other(name: str) -> None:
    assert paths({"path": name}, ("read",), "/w") == (f"/w/{name}",)
    (error,) = load_hooks([f"{name}.py"], "/w").errors
    assert error.path == f"/w/{name}.py"


GAPS = st.sampled_from(["", " ", "\n", "\t\r\n", "// a, ] }\n", '/* , } " */', "/**/", "//\n", "/* // */ "])


@given(VALUES.filter(lambda value: "nan" not in repr(value) and "inf" not in repr(value)), st.data())
def test_comments_and_trailing_commas_change_nothing(value: Any, data: st.DataObject) -> None:
    text = _written(value, lambda: data.draw(GAPS))
    document = parse_document(text.encode("utf-8", "replace"), "a.jsonc")
    assert document.value == parse_document(json.dumps(value).encode(), "a.json").value
    assert document.text == text


def _written(value: Any, gap: Callable[[], str]) -> str:
    """Return *value* as JSON with whatever *gap* gives between any two signs, and a comma too many."""
    if isinstance(value, dict):
        inner = [json.dumps(key) + gap() + ":" + _written(item, gap) for key, item in value.items()]
    elif isinstance(value, list):
        inner = [_written(item, gap) for item in value]
    else:
        return gap() + json.dumps(value) + gap()
    brackets = "{}" if isinstance(value, dict) else "[]"
    more = "," + gap() if inner and gap() else ""
    return gap() + brackets[0] + gap() + ",".join(gap() + item for item in inner) + more + brackets[1] + gap()
