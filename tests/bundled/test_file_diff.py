"""file-diff: the diff of an edit, with the line numbers of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Project

NUMBERS = "".join(f"{number}\n" for number in range(1, 101))


def shown(project: Project, tool_input: Any, **more: Any) -> str:
    """Return what file-diff prints for an edit that has been made."""
    payload = project.payload("edit", tool_input, "PostToolUse", **{"tool_name": "FileReplace", **more})
    result = project.run("file-diff.py", payload)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


@pytest.mark.parametrize(
    ("tool_name", "key"), [("FileReplace", "path"), ("Edit", "file_path"), ("replace", "file_path"), ("x", "filePath")]
)
def test_an_edit_is_shown_where_it_is_in_the_file(project: Project, tool_name: str, key: str) -> None:
    path = project.write("sub/a.txt", NUMBERS.replace("\n50\n", "\nfifty\n"))
    tool_input = {key: path, "old_string": "50", "new_string": "fifty"}
    assert shown(project, tool_input, tool_name=tool_name).splitlines() == [
        "diff|--- a/sub/a.txt",
        "+++ b/sub/a.txt",
        "@@ -47,7 +47,7 @@",
        *(" 47", " 48", " 49", "-50", "+fifty", " 51", " 52", " 53"),
    ]


def test_a_diff_can_be_applied_backwards(project: Project) -> None:
    project.git("init", "-q")
    after = NUMBERS.replace("\n50\n", "\na\nb\n").replace("\n7\n", "\n")
    project.write("a.txt", after)
    edits = [{"old_string": "\n50\n", "new_string": "\na\nb\n"}, {"old_string": "7\n8\n9\n", "new_string": "8\n9\n"}]
    text = shown(project, {"path": "a.txt", "edits": edits}).partition("|")[2]
    patch = project.write("diff", text)
    project.git("apply", "-R", patch)
    assert project.read("a.txt") == NUMBERS


def test_a_file_that_is_not_there_is_shown_by_its_edit_alone(project: Project) -> None:
    text = shown(project, {"path": "none.txt", "old_string": "a\nb", "new_string": "a\nc"})
    assert text == "diff|--- a/none.txt\n+++ b/none.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"


@pytest.mark.parametrize("key", ["replace_all", "replaceAll"])
def test_every_replacement_is_shown(project: Project, key: str) -> None:
    project.write("a.txt", NUMBERS.replace("5\n", "five\n"))
    text = shown(project, {"path": "a.txt", "old_string": "5\n", "new_string": "five\n", key: True})
    assert text.count("\n+") - 1 == 10
    assert "@@ -92,7 +92,7 @@" in text


def test_a_new_text_that_occurs_often_is_found_by_the_old_one(project: Project) -> None:
    project.write("a.txt", "x = 1\ny = 1\nx = 2\n")
    text = shown(project, {"path": "a.txt", "old_string": "y = 3", "new_string": "y = 1"})
    assert "-y = 3\n+y = 1" in text
    assert "@@ -1,3 +1,3 @@" in text


def test_a_new_file_is_shown_whole(project: Project) -> None:
    path = project.write("new.txt", "a\nb\n")
    text = shown(project, {"path": path, "content": "a\nb\n"})
    assert text == "diff|--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n"


def test_a_tracked_file_that_is_written_anew_is_compared_with_head(project: Project) -> None:
    project.git("init", "-q")
    project.write("a.txt", "a\nb\n")
    project.git("add", "a.txt")
    project.git("commit", "-q", "-m", "first")
    project.write("a.txt", "a\nc\n")
    text = shown(project, {"path": "a.txt", "content": "a\nc\n"})
    assert text == "diff|--- a/a.txt\tHEAD\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"


@pytest.mark.parametrize(
    "response",
    [
        {"type": "update", "originalFile": "a\nb\n"},
        {"returnDisplay": {"originalContent": "a\nb\n", "isNewFile": False}},
    ],
)
def test_the_text_before_that_an_agent_reports_is_used(project: Project, response: Any) -> None:
    project.write("a.txt", "a\nc\n")
    text = shown(project, {"path": "a.txt", "content": "a\nc\n"}, tool_response=response)
    assert text == "diff|--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"


def test_a_deletion_is_placed_by_what_git_has(project: Project) -> None:
    project.git("init", "-q")
    project.write("a.txt", NUMBERS)
    project.git("add", "a.txt")
    project.git("commit", "-q", "-m", "first")
    project.write("a.txt", NUMBERS.replace("50\n51\n", ""))
    text = shown(project, {"path": "a.txt", "old_string": "50\n51\n", "new_string": ""})
    assert "@@ -47,8 +47,6 @@" in text
    assert "-50\n-51\n" in text


def test_a_patch_is_its_own_diff(project: Project) -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@ def f():\n-x\n+y\n"
        "*** Add File: c\n+one\n*** Delete File: d\n*** End Patch"
    )
    assert shown(project, {"input": patch}).splitlines() == [
        *("diff|--- a/a.py", "+++ b/b.py", "@@ def f():", "-x", "+y"),
        *("--- /dev/null", "+++ b/c", "@@ -0,0 +1,1 @@", "+one"),
        *("--- a/d", "+++ /dev/null"),
    ]


def test_of_a_patch_for_several_files_only_the_named_one_is_shown(project: Project) -> None:
    patch = "*** Begin Patch\n*** Add File: a\n+one\n*** Add File: b\n+two\n*** End Patch"
    text = shown(project, {"path": project.path("b"), "patch": patch})
    assert "+two" in text
    assert "+one" not in text


def test_a_file_outside_of_the_project_keeps_its_whole_path(project: Project) -> None:
    text = shown(project, {"path": "/nowhere/a", "old_string": "a", "new_string": "b"})
    assert text.startswith("diff|--- /nowhere/a\n+++ /nowhere/a\n")


def test_a_missing_last_newline_is_said(project: Project) -> None:
    project.write("a.txt", "a\nc")
    text = shown(project, {"path": "a.txt", "old_string": "b", "new_string": "c"})
    assert text.endswith("-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n")


def test_line_ends_of_windows_do_not_get_in_the_way(project: Project) -> None:
    project.write("a.txt", "a\r\nx\r\ny\r\n")
    text = shown(project, {"path": "a.txt", "old_string": "b\n", "new_string": "x\ny\n"})
    assert text == "diff|--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,3 @@\n a\n-b\n+x\n+y\n"


def test_a_long_diff_is_cut_and_says_so(project: Project) -> None:
    lines = shown(project, {"path": "a.txt", "content": NUMBERS * 10}).splitlines()
    assert len(lines) == 201
    assert lines[-1] == "... 803 more lines"


def test_a_large_change_is_shown_without_comparing(project: Project) -> None:
    old, new = ("".join(f"a{number}\n" for number in range(4000)), "".join(f"b{number}\n" for number in range(4000)))
    lines = shown(project, {"path": "a.txt", "old_string": old, "new_string": new}).splitlines()
    assert lines[2] == "@@ -1,4000 +1,4000 @@"
    assert lines[-1] == "... 7803 more lines"


def test_a_file_too_large_to_read_is_shown_by_its_edit_alone(project: Project) -> None:
    project.write("a.txt", "x\n" * 1_100_000 + "new\n")
    text = shown(project, {"path": "a.txt", "old_string": "old", "new_string": "new"})
    assert text == "diff|--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-old\n+new\n"


@pytest.mark.parametrize("tool_input", [{"old_string": "a", "new_string": "b"}, {"content": "\0b"}])
def test_a_binary_file_is_named_and_not_shown(project: Project, tool_input: Any) -> None:
    project.write("a.bin", b"\0b")
    assert shown(project, {"path": "a.bin", **tool_input}) == "dim|a.bin is binary\n"


def test_text_that_is_not_utf_8_is_shown_with_replacement(project: Project) -> None:
    project.write("a.txt", b"\xff\nnew\n")
    assert " \ufffd\n-old\n+new\n" in shown(project, {"path": "a.txt", "old_string": "old", "new_string": "new"})


@pytest.mark.parametrize(
    "tool_input", [{"path": "a", "old_string": "a", "new_string": "a"}, {"path": "a", "content": ""}, {"x": 1}, None]
)
def test_nothing_is_printed_when_nothing_changed(project: Project, tool_input: Any) -> None:
    assert shown(project, tool_input) == ""


def test_the_diff_of_standard_input_alone_needs_no_environment(project: Project) -> None:
    text = '{"tool_input": {"path": "a", "old_string": "a", "new_string": "b"}}'
    result = project.run("file-diff.py", text)
    assert result.stdout == "diff|--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-a\n+b\n"
