"""Reading JSON, JSON with comments, YAML and TOML: what is accepted, and where it is said to be wrong."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sweeps import sweep

from hookrun.config.documents import key_text, line_of, parse_document, read_document
from hookrun.model.errors import DocumentError
from hookrun.model.text import nearest

if TYPE_CHECKING:
    from pathlib import Path


def refusal(data: bytes, name: str) -> DocumentError:
    with pytest.raises(DocumentError) as caught:
        parse_document(data, name)
    assert caught.value.where == name
    return caught.value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{"a": [1, {"b": null}]}'),
        ("a.jsonc", '{"a": [1, {"b": null}]} // end'),
        ("a.yaml", "a:\n  - 1\n  - b: null\n"),
        ("a.YML", "a: [1, {b: ~}]"),
    ],
)
def test_the_suffix_says_how_a_file_is_read(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    document = read_document(str(tmp_path / name))
    assert document.value == {"a": [1, {"b": None}]}
    assert document.text == text
    assert document.duplicates == ()


def test_toml_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("[tool.hookrun]\nmanifests = ['m']\n")
    assert read_document(str(tmp_path / "a.toml")).value == {"tool": {"hookrun": {"manifests": ["m"]}}}


def test_a_suffix_that_says_nothing_is_refused() -> None:
    assert ".json" in refusal(b"{}", "settings.conf").hint


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.json", '{"a":\n1}'), ("a.jsonc", '{"a":\n1}'), ("a.yaml", "a:\n  1\n"), ("a.toml", "a = 1\n# b\n")],
)
def test_byte_order_mark_and_crlf_are_accepted(name: str, text: str) -> None:
    data = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    assert parse_document(data, name).value == {"a": 1}


@pytest.mark.parametrize("name", ["a.json", "a.jsonc", "a.yaml", "a.toml"])
def test_bytes_that_are_no_utf_8_are_refused_with_their_line(name: str) -> None:
    error = refusal(b"\n\n\xff", name)
    assert (error.message, error.line) == ("is not UTF-8", 3)


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.json", '{\n"a": 1\n"b": 2}', 3),
        ("a.jsonc", '{ /* one\n two */\n"a": 1\n"b": 2}', 4),
        ("a.yaml", "a: 1\nb: [1\nc: 2\n", 3),
        ("a.toml", "a = 1\n\nb = = 2\n", 3),
        ("a.toml", "a = 1\nb =", 2),
    ],
)
def test_bad_syntax_is_refused_with_its_line(name: str, text: str, line: int) -> None:
    assert refusal(text.encode(), name).line == line


@pytest.mark.parametrize("comment", ["// why", "/* why */", "# why"])
def test_a_comment_in_json_is_named_as_such(comment: str) -> None:
    error = refusal(f'{{\n{comment}\n"a": 1}}'.encode(), "a.json")
    assert "comment" in error.message
    assert error.line == 2
    assert ".jsonc" in error.hint


def test_comments_in_json_are_accepted_where_the_caller_says_so(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"a": 1, // why\n}')
    assert read_document(str(tmp_path / "settings.json"), comments=True).value == {"a": 1}


@pytest.mark.parametrize("text", ['{"a": 1,}', "[1,\n]"])
def test_a_trailing_comma_in_json_is_named_as_such(text: str) -> None:
    assert "comma" in refusal(text.encode(), "a.json").message


def test_jsonc_takes_comments_and_trailing_commas_and_leaves_strings_alone() -> None:
    text = '{"url": "http://x/*y*/", /* , } */ "comma": ",}", "quote": "\\"//", "list": [1, 2, /* end */ ], }'
    assert parse_document(text.encode(), "a.jsonc").value == {
        "url": "http://x/*y*/",
        "comma": ",}",
        "quote": '"//',
        "list": [1, 2],
    }


def test_a_comment_that_does_not_end_is_refused_with_its_line() -> None:
    error = refusal(b'{"a": 1}\n/* and so on', "a.jsonc")
    assert "does not end" in error.message
    assert error.line == 2


_TEXT = st.text(max_size=20)


@given(
    st.recursive(
        _TEXT | st.integers() | st.none(), lambda inner: st.dictionaries(_TEXT, inner, max_size=5), max_leaves=10
    )
)
def test_what_is_json_means_the_same_as_jsonc(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    assert parse_document(text, "a.jsonc").value == parse_document(text, "a.json").value


@sweep("piece", ['"\\"', "/*", "/", ",", ", ", '"', "\\", '\\"', "*/", "[,"])
def test_blanking_out_comments_takes_linear_time(piece: str) -> None:
    # A quadratic scan of a megabyte would take hours, so ending at all is the assertion.
    assert refusal((piece * 1_000_000)[:1_000_000].encode(), "a.jsonc").message


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_does_not_have_are_refused(word: str) -> None:
    assert "not a JSON number" in refusal(f'{{"a": {word}}}'.encode(), "a.json").message


@pytest.mark.parametrize("name", ["a.json", "a.jsonc", "a.yaml", "a.toml"])
def test_deep_nesting_is_refused(name: str) -> None:
    prefix = "a = " if name == "a.toml" else ""
    message = refusal((prefix + "[" * 100_000).encode(), name).message
    assert "nest" in message


@pytest.mark.parametrize("name", ["a.json", "a.jsonc"])
def test_an_empty_json_file_is_named_as_such(name: str) -> None:
    assert refusal(b" \n", name).message == "is empty"


def test_an_empty_yaml_file_has_no_value() -> None:
    assert parse_document(b"# nothing\n", "a.yaml").value is None


def test_duplicate_keys_of_json_are_noted_and_the_last_counts() -> None:
    text = '{"a": 1, "b": [{"c": 1}, {"c": 1, "c": 2, "c": 3}], "a": "x:{[,"}'
    document = parse_document(text.encode(), "a.json")
    assert document.value == {"a": "x:{[,", "b": [{"c": 1}, {"c": 3}]}
    assert document.duplicates == ("b[1].c", "a")


def test_duplicate_keys_of_yaml_are_noted_and_the_last_counts() -> None:
    document = parse_document(b"a: 1\nb:\n- c: 1\n  c: 2\na: 3\n", "a.yaml")
    assert document.value == {"a": 3, "b": [{"c": 2}]}
    assert document.duplicates == ("b[0].c", "a")


def test_a_duplicate_key_of_toml_is_refused() -> None:
    assert refusal(b"a = 1\na = 2\n", "a.toml").line == 2


def test_one_mapping_used_twice_in_yaml_has_no_duplicates() -> None:
    document = parse_document(b"a: &x {k: 1}\nb: *x\nc: {<<: *x, k: 2}\n", "a.yaml")
    assert document.value == {"a": {"k": 1}, "b": {"k": 1}, "c": {"k": 2}}
    assert document.duplicates == ()


def test_words_of_yaml_stay_as_yaml_says() -> None:
    assert parse_document(b"on: yes\nversion: 1.10\nid: '007'\n", "a.yaml").value == {
        True: True,
        "version": 1.1,
        "id": "007",
    }


@pytest.mark.parametrize("text", ["a:\n\tb: 1\n", "a:\n  b: 1\n\tc: 2\n"])
def test_a_tab_in_yaml_is_named_as_such(text: str) -> None:
    error = refusal(text.encode(), "a.yaml")
    assert "tab" in error.message
    assert error.line == text[: text.index("\t")].count("\n") + 1


@pytest.mark.parametrize("wrap", ["[{}]", "{{<<: [{}]}}"])
def test_yaml_aliases_that_blow_up_are_refused(wrap: str) -> None:
    lines = ["a0: &a0 {k: x}"]
    lines += [f"a{n}: &a{n} {wrap.format(', '.join([f'*a{n - 1}'] * 9))}" for n in range(1, 13)]
    assert "aliases" in refusal("\n".join(lines).encode(), "a.yaml").message


def test_yaml_that_contains_itself_is_refused() -> None:
    assert "itself" in refusal(b"a: &a [*a]\n", "a.yaml").message


def test_many_values_without_aliases_are_fine() -> None:
    text = "".join(f"k{number}: 1\n" for number in range(60_000))
    assert len(parse_document(text.encode(), "a.yaml").value) == 60_000


@pytest.mark.parametrize("text", ["a: !!python/object:os.system 1", "a: 2024-13-45", "? [1]\n: 2", "a: \x01"])
def test_yaml_that_makes_no_plain_value_is_refused(text: str) -> None:
    assert refusal(text.encode(), "a.yaml").message.startswith("is not YAML")


def test_a_missing_file_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = str(tmp_path / "none.json")
    with pytest.raises(DocumentError, match="No such file") as caught:
        read_document(path)
    assert caught.value.where == path


def test_a_fifo_is_refused_and_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.json")
    with pytest.raises(DocumentError, match="not a regular file"):
        read_document(str(tmp_path / "a.json"))


def test_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").mkdir()
    with pytest.raises(DocumentError, match="is a folder"):
        read_document(str(tmp_path / "a.json"))


def test_a_name_with_nul_is_refused() -> None:
    with pytest.raises(DocumentError, match=r"null (byte|character)"):
        read_document("a\0.json")


def test_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").symlink_to("a.json")
    with pytest.raises(DocumentError, match="cannot be read"):
        read_document(str(tmp_path / "a.json"))


def test_a_file_above_the_limit_is_refused_and_one_at_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('"' + "x" * 98 + '"')
    assert read_document(str(path), limit=100).value == "x" * 98
    with pytest.raises(DocumentError, match="larger than 99 bytes"):
        read_document(str(path), limit=99)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{\n"x": "}{",\n"ui": [\n{},\n{\n"id": 1,\n"slot": "s"\n}\n]\n}'),
        ("a.jsonc", '{\n"x": "}{", // {\n"ui": [\n{},\n{\n"id": 1, /* , */\n"slot": "s",\n}\n]\n}'),
        ("a.yaml", "x: 1\n\nui:\n- {}\n- \n  id: 1\n  slot: s\n"),
    ],
)
def test_the_line_of_a_value_is_found(name: str, text: str) -> None:
    document = parse_document(text.encode(), name)
    assert line_of(document, ("ui",)) == 3
    assert line_of(document, ("ui", 0)) == 4
    assert line_of(document, ("ui", 1, "slot")) == 7


def test_the_line_of_what_is_missing_is_that_of_its_parent() -> None:
    document = parse_document(b'{\n"ui": [\n{}\n]}', "a.json")
    assert line_of(document, ("ui", 0, "slot")) == 3
    assert line_of(document, ("hooks", 0)) == 0


def test_the_line_of_a_duplicate_is_that_of_the_last() -> None:
    assert line_of(parse_document(b'{"a": 1,\n"a": 2}', "a.json"), ("a",)) == 2


def test_lines_of_toml_are_found_by_table() -> None:
    lines = ["[project]", "name = 'x'", "[tool.hookrun]", "# limits = 1", "limits = 2"]
    lines += ["[[tool.hooks]]", "id = 1", "[[tool.hooks]]", "id = 2"]
    text = "\n".join(lines).encode()
    document = parse_document(text, "pyproject.toml")
    assert line_of(document, ("tool", "hookrun", "limits")) == 5
    assert line_of(document, ("tool", "hooks", 1, "id")) == 9
    assert line_of(document, ("project", "name")) == 2


_KEYS = st.recursive(
    st.integers() | _TEXT,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(_TEXT, inner, max_size=5),
    max_leaves=20,
)


@given(_KEYS)
def test_every_value_of_any_json_has_a_line(value: object) -> None:
    document = parse_document(json.dumps(value, indent=1).encode(), "a.json")

    def places(item: object, keys: tuple[str | int, ...]) -> list[tuple[str | int, ...]]:
        pairs = item.items() if isinstance(item, dict) else enumerate(item) if isinstance(item, list) else ()
        return [keys, *(place for key, inner in pairs for place in places(inner, (*keys, key)))]

    lines = [line_of(document, keys) for keys in places(value, ())[1:]]
    # One value a line, in the order in which they are written.
    assert lines == sorted(set(lines))


def test_keys_are_written_as_people_do() -> None:
    assert key_text(("contributes", "ui", 0, "slot")) == "contributes.ui[0].slot"
    assert key_text(()) == ""


def test_the_nearest_word_is_found_without_regard_to_case() -> None:
    assert nearest("pretooluse", ["PostToolUse", "PreToolUse"]) == "PreToolUse"
    assert nearest("Shel", ["Read", "Shell"]) == "Shell"
    assert nearest("xyzzy", ["Read", "Shell"]) == ""
    assert nearest("a" * 1_000_000, ["a"]) == ""


def test_a_value_that_is_nested_deeper_than_its_lines_are_looked_for_is_read_without_lines() -> None:
    deep = "[" * 900 + "]" * 900
    document = parse_document(f'{{"a":\n{deep}}}'.encode(), "a.json")
    assert document.duplicates == ()
    assert line_of(document, ("a",)) in (0, 1)
