"""A patch changes several files: every guard of edit and write is asked about each of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from firing import guard_text
from hypothesis import given
from hypothesis import strategies as st

from hookrun.agents import dialect_named
from hookrun.agents.payload import payload_for
from hookrun.events.call_shapes import shaped_calls
from hookrun.events.event import event_from_payload, make_event
from hookrun.events.patches import calls_of
from hookrun.model.values import Answer, Hint, Hook, Outcome, Program, Verdict
from hookrun.pipeline.file_by_file import AT_ONCE, MOST_FILES, ask_by_file, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from command import Ended, Project

    from hookrun import HookAPI, HookRunner
    from hookrun.agents.shape import Dialect
    from hookrun.model.values import Event

PATCH = """*** Begin Patch
*** Add File: new.py
+import os
+
+print(os)
*** Update File: src/old.py
@@ def f():
 a
-b
+c
@@
-d
+e
*** Delete File: gone.py
*** Update File: from.py
*** Move to: to.py
@@
-x
+y
*** End Patch
"""
FIVE = ("new.py", "src/old.py", "gone.py", "from.py", "to.py")


def named(name: str) -> Dialect:
    dialect = dialect_named(name)
    assert dialect is not None
    return dialect


def call(tool_input: Any, tool: str = "apply_patch", dialect: str = "codex", **values: Any) -> Event:
    event, _ = make_event(
        "PreToolUse", dialect=named(dialect), tool_name=tool, tool_input=tool_input, cwd="/w", **values
    )
    return event


def seen(event: Event, dialect: str = "claude") -> list[tuple[str, dict[str, Any]]]:
    """What a hook of *dialect* reads, file after file."""
    payloads = [payload_for(part, named(dialect)) for part in calls_of(event)]
    return [(payload["tool_name"], payload["tool_input"]) for payload in payloads]


def test_a_patch_is_one_call_for_each_file() -> None:
    assert seen(call({"command": PATCH})) == [
        ("Write", {"file_path": "new.py", "content": "import os\n\nprint(os)\n"}),
        ("Edit", {"file_path": "src/old.py", "old_string": "a\nb\nd", "new_string": "a\nc\ne"}),
        ("Edit", {"file_path": "gone.py"}),
        ("Edit", {"file_path": "from.py", "old_string": "x", "new_string": "y"}),
        ("Write", {"file_path": "to.py", "content": "y\n"}),
    ]


@pytest.mark.parametrize(
    ("dialect", "names", "key"),
    [
        ("xbot", ["FileCreate", "FileReplace"], "path"),
        ("gemini", ["write_file", "replace"], "file_path"),
        ("copilot", ["create", "edit"], "path"),
        ("xcsh", ["write", "edit"], "path"),
        ("cursor", ["Write", "Write"], "file_path"),
        ("cline", ["write_to_file", "replace_in_file"], "path"),
    ],
)
def test_every_dialect_reads_the_files_in_its_own_words(dialect: str, names: list[str], key: str) -> None:
    read = seen(call({"command": PATCH}), dialect)
    assert [name for name, _ in read[:2]] == names
    assert [tool_input[key] for _, tool_input in read] == list(FIVE)


def test_the_whole_patch_stands_beside_every_file() -> None:
    event = call({"command": PATCH})
    for part, name in zip(calls_of(event), FIVE, strict=True):
        payload = payload_for(part, named("claude"))
        assert payload["raw_tool_name"] == "apply_patch"
        assert payload["raw_tool_input"] == {"command": PATCH}
        assert payload["paths"] == [f"/w/{name}"]
    assert event.paths == tuple(f"/w/{name}" for name in FIVE)


@pytest.mark.parametrize(
    ("tool", "dialect", "tool_input"),
    [
        ("apply_patch", "codex", {"command": PATCH}),
        ("apply_patch", "codex", {"input": PATCH}),
        ("apply_patch", "codex", {"command": ["apply_patch", PATCH]}),
        ("apply_patch", "codex", {"command": PATCH, "file_path": "README.md"}),
        ("apply_patch", "codex", {"command": PATCH.replace("\n", "\r\n")}),
        ("apply_patch", "codex", {"command": f"<<'EOF'\n{PATCH}EOF\n"}),
        ("apply_patch", "copilot", PATCH),
        ("apply_patch", "copilot", {"input": PATCH}),
        ("apply_patch", "claude", {"patch": PATCH}),
    ],
)
def test_a_patch_is_found_wherever_it_is(tool: str, dialect: str, tool_input: Any) -> None:
    parts = calls_of(call(tool_input, tool, dialect))
    assert [part.paths for part in parts] == [(f"/w/{name}",) for name in FIVE]


@pytest.mark.parametrize(
    ("tool", "dialect", "tool_input"),
    [
        ("Write", "claude", {"file_path": "docs.md", "content": PATCH}),
        ("Edit", "claude", {"file_path": "docs.md", "old_string": "a", "new_string": PATCH}),
        ("create", "copilot", {"path": "docs.md", "file_text": PATCH}),
        ("Bash", "codex", {"command": f"apply_patch <<'EOF'\n{PATCH}EOF"}),
        ("Read", "claude", {"file_path": PATCH}),
        ("apply_patch", "codex", {"command": "nothing that could be read"}),
        ("apply_patch", "codex", {"command": "*** Begin Patch\n*** End Patch"}),
        ("apply_patch", "codex", None),
    ],
)
def test_what_is_no_patch_stays_one_call(tool: str, dialect: str, tool_input: Any) -> None:
    assert calls_of(call(tool_input, tool, dialect)) == ()


def test_a_part_of_a_patch_is_not_taken_apart_again() -> None:
    (part,) = calls_of(call({"command": "*** Begin Patch\n*** Add File: a\n+*** Begin Patch\n*** End Patch"}))
    assert "*** Begin Patch" in part.tool_input["content"]
    assert calls_of(part) == ()


@pytest.mark.parametrize("prefix", ["", "cd /w && ", "true; "])
def test_a_shell_call_that_carries_a_patch_touches_its_files(prefix: str) -> None:
    event = call({"command": f"{prefix}apply_patch <<'EOF'\n{PATCH}EOF"}, "Bash")
    assert set(event.paths) >= {f"/w/{name}" for name in FIVE}


def test_a_shell_call_that_patches_in_another_folder_touches_the_files_there() -> None:
    event = call({"command": f"cd 'other place' && apply_patch <<'EOF'\n{PATCH}EOF"}, "Bash")
    assert {f"/w/other place/{name}" for name in FIVE} <= set(event.paths)


def test_the_same_file_twice_is_asked_about_once_with_all_its_text() -> None:
    patch = "*** Begin Patch\n*** Update File: a\n-1\n+2\n*** Update File: a\n-3\n+4\n*** End Patch"
    assert seen(call({"command": patch})) == [("Edit", {"file_path": "a", "old_string": "1\n3", "new_string": "2\n4"})]


def test_a_file_that_is_added_and_then_moved_onto_keeps_its_text() -> None:
    patch = "*** Begin Patch\n*** Add File: b\n+secret\n*** Update File: a\n*** Move to: b\n-1\n+2\n*** End Patch"
    assert seen(call({"command": patch}))[0] == ("Write", {"file_path": "b", "content": "secret\n2\n"})


def test_a_header_within_a_files_text_is_text_and_yet_asked_about() -> None:
    patch = "*** Begin Patch\n*** Update File: a\n *** Update File: b\n-1\n+secret\n*** End Patch"
    (_, first), (_, second) = seen(call({"command": patch}))
    assert first["file_path"] == "a"
    assert first["new_string"] == "*** Update File: b\nsecret"
    assert second == {"file_path": "b"}


@pytest.mark.parametrize(
    ("patch", "files"),
    [
        ("*** Begin Patch\n*** Add File: a", ["a"]),
        ("*** Begin Patch\n  *** Add File:   a  \n+1", ["a"]),
        ("*** Begin Patch\n*** Move to: b\n+1", ["b"]),
        ("junk\n*** Begin Patch\njunk\n*** Delete File: a\njunk\n*** End Patch\n*** Add File: b", ["a", "b"]),
        ("*** Begin Patch\n*** Add File: \n+1\n*** Add File: b", ["b"]),
    ],
)
def test_of_a_malformed_patch_every_file_that_can_be_read_is_asked_about(patch: str, files: list[str]) -> None:
    event = call({"command": patch})
    assert [part.paths for part in calls_of(event)] == [(f"/w/{name}",) for name in files]


_LINES = st.sampled_from(
    ["*** Add File: a", "*** Update File: b", " *** Delete File: c", "*** Move to: d", "@@", "+x", "-y", " z", "", "j"]
)


@given(st.lists(_LINES))
def test_every_file_of_paths_is_asked_about(lines: list[str]) -> None:
    event = call({"command": "\n".join(["*** Begin Patch", *lines])})
    assert {path for part in calls_of(event) for path in part.paths} == set(event.paths)


# One answer of many.


def hook(name: str = "guard", *, dialect: str = "claude", runtime: Any = "script") -> Hook:
    return Hook(
        id=name, title=name, kind="script", source="folder", order=1, level="project", place="/w", file=name,
        dialect=dialect, program=Program(words=(name,), folder="/w"), role="guard", runtime=runtime,
    )  # fmt: skip


def ask(
    event: Event,
    answer_for: Callable[[Event], Answer],
    hooks: Sequence[Hook] = (hook(),),
    chunks: list[list[tuple[str, str]]] | None = None,
) -> list[Answer]:
    """Ask *hooks* with no process behind them: answers come from *answer_for*."""

    def run(pairs: Sequence[tuple[Hook, Event]]) -> list[Outcome]:
        if chunks is not None:
            chunks.append([(asked.id, ",".join(part.paths)) for asked, part in pairs])
        return [Outcome(status="ended", exit_code=0, seconds=1.0) for _ in pairs]

    def read(asked: Hook, outcome: Outcome, part: Event) -> Answer:
        if outcome.status == "over_limit":
            return Answer(hook=asked, outcome=outcome, status="over_limit", verdict=Verdict.DENY)
        return answer_for(part).replace(hook=asked, outcome=outcome)

    return ask_by_file(hooks, event, run=run, read=read)


def said(verdict: Verdict = Verdict.NO_OPINION, message: str = "", **values: Any) -> Answer:
    outcome = Outcome(status="ended", exit_code=0)
    by = "guard" if verdict else None
    values = {"status": "ran", "decided_by": by} | values
    return Answer(hook=hook(), outcome=outcome, verdict=verdict, message=message, **values)


def test_a_deny_about_one_file_denies_all_and_every_reason_is_told() -> None:
    (answer,) = ask(
        call({"command": PATCH}),
        lambda part: said(Verdict.DENY, f"not {part.paths[0]}") if "o.py" in part.paths[0] else said(Verdict.ASK, "?"),
    )
    assert (answer.verdict, answer.decided_by, answer.message) == (Verdict.DENY, "guard", "not /w/to.py")
    (answer,) = ask(call({"command": PATCH}), lambda part: said(Verdict.DENY, f"not {part.tool_input['path']}"))
    assert answer.message.split("\n") == [f"not {name}" for name in FIVE]
    assert answer.outcome.seconds == 5.0


def test_an_allow_counts_when_it_is_said_of_every_file() -> None:
    event = call({"command": PATCH})
    (answer,) = ask(event, lambda _: said(Verdict.ALLOW))
    assert answer.verdict == Verdict.ALLOW
    (answer,) = ask(event, lambda part: said(Verdict.ALLOW) if "gone" not in part.paths[0] else said())
    assert (answer.verdict, answer.decided_by) == (Verdict.NO_OPINION, None)


def test_a_failure_about_one_file_is_not_lost_among_the_others() -> None:
    failed = said(Verdict.DENY, "timed out", status="timed_out", decided_by="failure")
    (answer,) = ask(call({"command": PATCH}), lambda part: failed if "gone" in part.paths[0] else said())
    assert (answer.status, answer.verdict, answer.decided_by) == ("timed_out", Verdict.DENY, "failure")


def test_a_rewrite_of_one_file_is_a_deny_that_says_what_to_write() -> None:
    for verdict in (Verdict.NO_OPINION, Verdict.ALLOW, Verdict.ASK):
        (answer,) = ask(
            call({"command": PATCH}), lambda part, verdict=verdict: said(verdict, updated_input={"path": "x"})
        )
        assert (answer.updated_input, answer.verdict, answer.decided_by) == (None, Verdict.DENY, "guard")
        assert 'write it so: {"path": "x"}' in answer.message
    (answer,) = ask(call({"command": PATCH}), lambda part: said(updated_input={"path": "x" * 5_000}))
    assert len(answer.message) < 2_200


def test_what_is_told_beside_the_verdict_is_told_once() -> None:
    hints = [Hint(hook="guard", text="a", format="diff"), Hint(hook="guard", text="b", format="diff")]
    answer = joined(
        [
            said(context=("one", "two"), hint=hints[0], data={"k": 1}),
            said(context=("two",), hint=hints[1], data={"k": 2, "l": 3}, halt=True, user_messages=("u",)),
        ]
    )
    assert (answer.context, answer.user_messages, answer.halt) == (("one", "two"), ("u",), True)
    assert answer.data == {"k": 1, "l": 3}
    assert answer.hint == hints[0].replace(text="a\nb")
    mixed = joined([said(hint=hints[0]), said(hint=hints[1].replace(format="md"))])
    assert mixed.hint is not None
    assert mixed.hint.format == "text"


def test_who_knows_the_patching_tool_gets_the_call_as_it_is() -> None:
    event = call({"command": PATCH})
    chunks: list[list[tuple[str, str]]] = []
    ask(event, lambda _: said(), [hook("own", dialect="codex"), hook("other")], chunks)
    assert chunks == [[("own", ",".join(event.paths)), *(("other", f"/w/{name}") for name in FIVE)]]


def test_only_so_many_run_at_once_and_a_live_plugin_one_at_a_time() -> None:
    patch = "*** Begin Patch\n" + "".join(f"*** Delete File: {number}\n" for number in range(40))
    chunks: list[list[tuple[str, str]]] = []
    ask(call({"command": patch}), lambda _: said(), [hook()], chunks)
    assert [len(chunk) for chunk in chunks] == [AT_ONCE, AT_ONCE, 40 - 2 * AT_ONCE]
    chunks.clear()
    ask(call({"command": patch}), lambda _: said(), [hook("live", runtime="stdio"), hook("other")], chunks)
    assert len(chunks) == 40
    assert all(len({name for name, _ in chunk}) == len(chunk) for chunk in chunks)


@pytest.mark.parametrize(("files", "verdict"), [(MOST_FILES, Verdict.ALLOW), (MOST_FILES + 1, Verdict.DENY)])
def test_a_patch_of_too_many_files_is_denied_without_asking(files: int, verdict: Verdict) -> None:
    patch = "*** Begin Patch\n" + "".join(f"*** Delete File: {number}\n" for number in range(files))
    chunks: list[list[tuple[str, str]]] = []
    (answer,) = ask(call({"command": patch}), lambda _: said(Verdict.ALLOW), [hook()], chunks)
    assert answer.verdict == verdict
    assert bool(chunks) == (verdict == Verdict.ALLOW)
    if not chunks:
        assert (
            answer.outcome.cause == f"the patch changes {files} files, and hooks are asked about 200 at most: split it"
        )


# Through the command.


def fire(cli: Callable[..., Ended], patch: str, *words: str, event: str = "PreToolUse") -> Ended:
    given = json.dumps({"command": patch})
    return cli(
        "emit", event, "--dialect", "codex", "--tool", "apply_patch", "--input", given, "--format", "json", *words
    )


ENV_GUARD = guard_text(
    'case "$(cat)" in *\\"tool_input\\":*\\"file_path\\":*) ;; *) echo "no file" >&2; exit 2 ;; esac',
    'case "$HOOKRUN_PATHS" in *secret*) echo "not $HOOKRUN_PATHS" >&2; exit 2 ;; esac',
)


@pytest.mark.parametrize("name", ["edit", "write"])
def test_a_guard_of_either_tool_is_asked_about_every_file(
    cli: Callable[..., Ended], project: Project, name: str
) -> None:
    project.script(f".claude/hooks/pre/{name}.sh", ENV_GUARD)
    ended = fire(cli, PATCH)
    assert (ended.code, ended.document["decision"]) == (0, None)
    ended = fire(cli, PATCH.replace("gone.py", "secret.py"))
    assert (ended.code, ended.document["decided_by"]) == (2, "guard")
    assert f"not {project.path}/secret.py" in ended.document["message"]


def test_a_manifests_hook_runs_once_a_file_and_answers_once(
    cli: Callable[..., Ended], project: Project, tmp_path: Path
) -> None:
    script = f"#!/bin/sh\necho \"$XBOT_TOOL_NAME $XBOT_RAW_TOOL_NAME $HOOKRUN_PATHS\" >> '{tmp_path}/log'\n"
    project.manifest("one", script=script, hooks=[{"event": "PreToolUse", "matcher": "File*"}])
    ended = fire(cli, PATCH)
    assert len(ended.document["outcomes"]) == 1
    assert sorted((tmp_path / "log").read_text().split("\n")) == sorted(
        [
            "",
            f"FileCreate apply_patch {project.path}/new.py",
            f"FileReplace apply_patch {project.path}/src/old.py",
            f"FileReplace apply_patch {project.path}/gone.py",
            f"FileReplace apply_patch {project.path}/from.py",
            f"FileCreate apply_patch {project.path}/to.py",
        ]
    )


def test_a_patch_that_cannot_be_read_is_shown_to_the_guards_as_it_is(
    cli: Callable[..., Ended], project: Project
) -> None:
    project.script(".claude/hooks/pre/edit.sh", guard_text("grep -q unreadable && exit 2", "exit 0"))
    assert fire(cli, "*** Begin Patch\nunreadable").code == 2
    assert fire(cli, "*** Begin Patch\nanything else").code == 0


def test_a_module_is_asked_about_every_file_until_it_says_no(runner: HookRunner, api: HookAPI) -> None:
    paths = []

    def guard(event: Any, _: Any) -> Any:
        paths.append((event.tool_name, event.input["path"]))
        return {"block": True, "reason": "no"} if event.input["path"] == "gone.py" else None

    api.on("tool_call", guard)
    decision = runner.emit("PreToolUse", tool="apply_patch", tool_input={"command": PATCH}, dialect="codex")
    assert decision.verdict == Verdict.DENY
    assert paths == [("write", "new.py"), ("edit", "src/old.py"), ("edit", "gone.py")]


def test_an_sdk_handler_sees_the_file_and_the_whole_patch(runner: HookRunner) -> None:
    inputs = []
    runner.on(
        "PreToolUse", "FileReplace", lambda payload, _: inputs.append((payload.tool_input, payload.raw_tool_input))
    )
    runner.emit("PreToolUse", tool="apply_patch", tool_input={"command": PATCH}, dialect="codex")
    assert [json.loads(own)["path"] for own, _ in inputs] == list(FIVE)
    assert all(raw == {"command": PATCH} for _, raw in inputs)


def test_a_patch_in_an_agents_payload_is_read_too() -> None:
    payload = {"hook_event_name": "preToolUse", "toolName": "apply_patch", "toolArgs": json.dumps({"input": PATCH})}
    event, _ = event_from_payload(payload, dialect=named("copilot"), cwd="/w")
    assert len(calls_of(event)) == 5


HUNK = "@@ -1,2 +1,2 @@ def f():\n x\n-a\n+b\n"
DIFFS: list[tuple[Any, tuple[str, ...]]] = [
    ({"patch": f"--- a/x.py\n+++ b/x.py\n{HUNK}"}, ("/p/x.py",)),
    ({"d": f"--- a/x.py\t2026-01-01\r\n+++ /dev/null\r\n{HUNK}"}, ("/p/x.py",)),
    ({"a": {"b": [f"+++ .env\n{HUNK}"]}}, ("/p/.env",)),
    ({"path": "q", "diff": f"--- a/x\n+++ b/y\n{HUNK}"}, ("/p/q", "/p/x", "/p/y")),
    ({"t": "diff --git a/x b/y\nrename from x\nrename to y\n"}, ("/p/x", "/p/y")),
    ({"diff": HUNK}, ("",)),
    ({"body": {"text": [HUNK]}}, ("",)),
    ({"body": "@@\n-a\n+b"}, ("",)),
    ({"path": "q", "diff": HUNK}, ("/p/q",)),
    ({"t": "a line\n--- and\n+++ no hunk\n"}, ()),
    ({"t": "mail@@example.com"}, ()),
]


def test_a_unified_diff_in_an_unknown_tool_is_an_edit_and_a_write_of_each_file() -> None:
    for tool_input, paths in DIFFS:
        event, _ = make_event("PreToolUse", tool_name="mcp__s__t", tool_input=tool_input, cwd="/p")
        calls = shaped_calls(event)
        assert tuple("".join(call.paths) for call in calls) == paths, tool_input
        diffed = [call for call in calls if not call.paths or call.paths[0] != "/p/q"]
        assert all(call.kinds == ("edit", "write") for call in diffed), tool_input


def test_a_diff_that_names_no_file_is_asked_of_every_guard_of_edits_and_writes(
    cli: Callable[..., Ended], project: Project
) -> None:
    for tool in ("edit", "write"):
        project.script(f".claude/hooks/pre/{tool}.sh", "#!/bin/sh\necho no >&2\nexit 2\n")
        payload = {"hook_event_name": "PreToolUse", "tool_name": "mcp__s__t", "tool_input": {"diff": HUNK}}
        cli("trust", "--yes", env={"HOOKRUN_TRUST": ""})
        assert '"deny"' in cli("bridge", "claude", input=json.dumps(payload)).stdout, tool
        (project.path / f".claude/hooks/pre/{tool}.sh").unlink()
        cli("untrust", f".claude/hooks/pre/{tool}.sh", env={"HOOKRUN_TRUST": ""})
