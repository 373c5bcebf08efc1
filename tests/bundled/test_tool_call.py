"""Reading a call: what the payload says comes first, the environment fills in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sweeps import sweep

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    Load = Callable[[str], ModuleType]


@pytest.fixture
def call(load: Load, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Make a call of a payload, in an environment of the given variables alone."""

    def made(payload: dict[str, Any], **environ: str) -> Any:
        names = "TOOL COMMAND COMMAND_FILE PATHS PATHS_FILE EVENT".split()
        for name in [*(f"HOOKRUN_{name}" for name in names), "XBOT_TOOL_INPUT", "XBOT_WORK_DIR", "XBOT_PROJECT_DIR"]:
            monkeypatch.delenv(name, raising=False)
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        return load("tool_call").Call({"cwd": "/p/sub", "project_dir": "/p", **payload})

    return made


def test_the_payload_comes_before_the_environment(call: Callable[..., Any]) -> None:
    payload = {"event": "PreToolUse", "tool": "shell", "tool_input": {"command": "a"}, "paths": ["/p/a"]}
    made = call(payload, HOOKRUN_EVENT="PostToolUse", HOOKRUN_COMMAND="b", HOOKRUN_PATHS="/p/b")
    assert (made.event, made.tool, made.command, made.paths) == ("PreToolUse", "shell", "a", ["/p/a"])


def test_the_environment_fills_in(call: Callable[..., Any]) -> None:
    environ = {"HOOKRUN_EVENT": "PreToolUse", "HOOKRUN_TOOL": "shell", "HOOKRUN_COMMAND": "b"}
    made = call({}, **environ, HOOKRUN_PATHS="/p/a\n/p/b c")
    assert (made.event, made.tool, made.command) == ("PreToolUse", "shell", "b")
    assert made.paths == ["/p/a", "/p/b c"]


@pytest.mark.parametrize(
    ("tool", "tool_input", "command"),
    [
        ("shell", {"command": "ls"}, "ls"),
        ("", {"command": "ls"}, "ls"),
        ("edit", {"command": "str_replace", "path": "a"}, ""),
        ("", {"command": "create", "path": "a"}, ""),
        ("shell", {"command": ["a", "it's"]}, "'a' 'it'\\''s'"),
        ("shell", {}, ""),
    ],
)
def test_only_a_shell_call_has_a_command(call: Callable[..., Any], tool: str, tool_input: Any, command: str) -> None:
    assert call({"tool": tool, "tool_input": tool_input}).command == command


@pytest.mark.parametrize(
    ("path", "absolute", "relative"),
    [
        ("a", "/p/sub/a", "sub/a"),
        ("../a", "/p/a", "a"),
        ("/p/b", "/p/b", "b"),
        ("/q/b", "/q/b", "/q/b"),
        ("/p", "/p", "/p"),
        ("../../p2/a", "/p2/a", "/p2/a"),
    ],
)
def test_paths_are_seen_from_the_project(call: Callable[..., Any], path: str, absolute: str, relative: str) -> None:
    assert (call({}).absolute(path), call({}).relative(path)) == (absolute, relative)


@pytest.mark.parametrize(
    ("tool_input", "expected"),
    [
        ({"path": "a", "content": "x"}, [("write", "a", "x", None)]),
        ({"file_path": "a", "content": {"b": 1}}, [("write", "a", '{"b": 1}', None)]),
        ({"filePath": "a", "oldString": "x", "newString": "y"}, [("edit", "a", "y", "x")]),
        ({"path": "a", "old_str": "x", "new_str": "y"}, [("edit", "a", "y", "x")]),
        ({"path": "a", "old_string": "x", "new_string": ""}, [("edit", "a", "", "x")]),
        ({"path": "a", "edits": [{"oldText": "x", "newText": "y"}, "noise"]}, [("edit", "a", "y", "x")]),
        ({"path": "a", "diff": "x", "more": ["y"]}, [("edit", "a", "x\ny", None)]),
        ('{"path": "a", "content": "x"}', [("write", "a", "x", None)]),
        ("*** Begin Patch\n*** Add File: a\n+x\n+y\n*** End Patch", [("add", "a", "x\ny", None)]),
        ({"patch": "*** Begin Patch\n*** Delete File: a\n*** End Patch"}, [("delete", "a", "", None)]),
        ({"command": "ls"}, []),
        ({}, []),
    ],
)
def test_what_is_written_is_read_from_every_spelling(
    load: Load, call: Callable[..., Any], tool_input: Any, expected: list[tuple[str, str, str, str | None]]
) -> None:
    found = load("tool_call").writes(call({"tool_input": tool_input}))
    assert [(write.action, write.path, write.new, write.old) for write in found] == expected


@sweep(
    ("command", "is_free"),
    [
        ("ls -la src && pytest -q", True),
        ("cargo build; npm test | head", True),
        ("rm x", False),
        ("ls && /bin/rm x", False),
        ("timeout 5 rm x", False),
        ("firm x", True),
        ("bash x", False),
        ("echo 'a'", False),
        ("a > b", False),
        ("a $b", False),
        ("(a)", False),
        ("~/a", False),
    ],
)
def test_only_a_plain_command_line_is_free_of_a_program(load: Load, command: str, is_free: bool) -> None:
    assert load("tool_call").is_free_of("rm|mv", command) is is_free
