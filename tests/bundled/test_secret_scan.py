"""secret-scan: what looks like a secret is not written, placeholders are, and no secret is ever printed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from secret_texts import AWS, HARMLESS, RANDOM, TOKENS

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from conftest import Project

    Load = Callable[[str], ModuleType]


def verdict(load: Load, payload: dict[str, Any]) -> tuple[str, str] | None:
    found: tuple[str, str] | None = load("secret-scan").judged(load("tool_call").Call(payload))
    return found


@pytest.mark.parametrize("text", TOKENS.values(), ids=TOKENS.keys())
def test_a_secret_is_not_written(load: Load, project: Project, text: str) -> None:
    found = verdict(load, project.payload("write", {"path": "a.py", "content": f"one\n{text}\n"}))
    assert found is not None
    assert found[0] == "deny"
    assert "a.py, line 2" in found[1]


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS.keys())
def test_a_placeholder_is_written(load: Load, project: Project, text: str) -> None:
    assert verdict(load, project.payload("write", {"path": "a.py", "content": text})) is None


@pytest.mark.parametrize("text", [text for text in TOKENS.values() if "PRIVATE" not in text])
def test_at_most_four_characters_of_a_secret_are_printed(load: Load, project: Project, text: str) -> None:
    found = verdict(load, project.payload("write", {"path": "a", "content": text}))
    assert found is not None
    parts = {text[start : start + 5] for start in range(len(text) - 4)}
    secret_parts = {part for part in parts if part in RANDOM or part in AWS}
    assert secret_parts
    assert not any(part in found[1] for part in secret_parts)


@pytest.mark.parametrize(
    ("tool_name", "tool_input"),
    [
        ("FileCreate", {"path": "a", "content": "@"}),
        ("FileReplace", {"path": "a", "old_string": "b", "new_string": "@"}),
        ("Write", {"file_path": "a", "content": "@"}),
        ("Edit", {"file_path": "a", "old_string": "b", "new_string": "@"}),
        ("MultiEdit", {"file_path": "a", "edits": [{"old_string": "b", "new_string": "@"}]}),
        ("NotebookEdit", {"notebook_path": "a", "new_source": "@"}),
        ("write_file", {"file_path": "a", "content": "@"}),
        ("replace", {"file_path": "a", "old_string": "b", "new_string": "@", "instruction": "x"}),
        ("create_file", {"filePath": "a", "content": "@"}),
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: a\n@@\n-b\n+@\n*** End Patch"}),
        ("write_to_file", {"path": "a", "diff": "@"}),
    ],
)
def test_every_agent_s_spelling_is_known(project: Project, tool_name: str, tool_input: dict[str, Any]) -> None:
    payload = project.payload("write", _filled(tool_input, AWS), tool_name=tool_name)
    result = project.run("secret-scan.py", payload)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("AWS access key in a, line 1 of the new text (AKIA...).")
    payload = project.payload("write", _filled(tool_input, "harmless"), tool_name=tool_name)
    assert project.run("secret-scan.py", payload).returncode == 0


PATCH = "*** Begin Patch\n*** Update File: {}\n@@\n-b\n+c\n*** End Patch"


@pytest.mark.parametrize(
    "tool_input",
    [
        {"file_path": "a", "content": AWS, "edits": []},
        {"file_path": "a", "content": AWS, "edits": [{"new_string": "x"}]},
        {"file_path": "a", "old_string": "b", "new_string": AWS, "content": ""},
        {"file_path": "a", "old_string": "b", "new_string": AWS, "newText": ""},
        {"file_path": "a", "new_string": "x", "edits": [{"old_string": "b", "new_string": AWS}]},
        {"file_path": "a", "content": AWS, "patch": PATCH.format("a")},
        {"file_path": "a", "patch": PATCH.format("a"), "more": PATCH.format("b").replace("+c", "+" + AWS)},
        {"file_path": "a", "body": AWS},
        {"file_path": "a", "body": f"*** Begin Patch\n*** Update File: b\n {AWS}"},
        {"file_path": "a", "patch": f"*** Begin Patch\n {AWS}"},
        {"file_path": "a", "lines": [{"text": ["x", AWS]}]},
        {"text": AWS},
    ],
)
def test_no_other_key_hides_the_text(load: Load, project: Project, tool_input: dict[str, Any]) -> None:
    assert verdict(load, project.payload("write", tool_input)) is not None
    text = json.dumps(tool_input).replace(AWS, "harmless")
    assert verdict(load, project.payload("write", json.loads(text))) is None


@pytest.mark.parametrize(
    "tool_input",
    [
        {"path": "a", "old_string": AWS, "new_string": "os.environ"},
        {"path": "a", "edits": [{"old_string": AWS, "new_string": "os.environ"}]},
        {"input": f"*** Begin Patch\n*** Update File: a\n@@\n-{AWS}\n+b\n {AWS}\n*** End Patch"},
    ],
)
def test_a_secret_that_is_taken_out_passes(load: Load, project: Project, tool_input: dict[str, Any]) -> None:
    assert verdict(load, project.payload("edit", tool_input)) is None
    assert verdict(load, project.payload("write", {"path": "a", "content": AWS})) is not None


def test_many_secrets_are_counted(load: Load, project: Project) -> None:
    text = "\n".join(TOKENS[name] for name in ("aws", "github", "npm", "stripe", "google"))
    found = verdict(load, project.payload("write", {"path": "a", "content": text}))
    assert found is not None
    assert found[1].count(" in a, line ") == 3
    assert "and 2 more" in found[1]


def test_an_input_that_is_too_large_for_the_environment_is_scanned(project: Project) -> None:
    path = project.write("input", '{"path": "a", "content": "' + "x" * 200_000 + " " + AWS + '"}')
    environ = {"XBOT_TOOL_INPUT_FILE": path, "XBOT_PROJECT_DIR": project.folder}
    assert project.run("secret-scan.py", "", **environ).returncode == 2


def _filled(value: Any, text: str) -> Any:
    if isinstance(value, dict):
        return {key: _filled(part, text) for key, part in value.items()}
    if isinstance(value, list):
        return [_filled(part, text) for part in value]
    return value.replace("@@", "\0").replace("@", text).replace("\0", "@@")


@pytest.mark.parametrize(("sign", "is_denied"), [("+", True), (" ", False), ("-", False)])
def test_of_one_file_of_a_patch_the_lines_that_it_adds_count(load: Load, sign: str, is_denied: bool) -> None:
    patch = f"*** Begin Patch\n*** Update File: a\n@@\n{sign}{AWS}\n-b\n+c\n*** Add File: d\n+e\n*** End Patch"
    payload = {
        "tool": "edit",
        "tool_name": "FileReplace",
        "tool_input": {"path": "a", "old_string": AWS, "new_string": AWS},
        "raw_tool_name": "apply_patch",
        "raw_tool_input": {"command": patch},
    }
    verdict = load("secret-scan").judged(load("tool_call").Call(payload))
    assert bool(verdict) == is_denied
    of_another = {**payload, "raw_tool_name": "Edit"}
    assert load("secret-scan").judged(load("tool_call").Call(of_another))
