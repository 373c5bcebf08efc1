"""redact: what looks like a secret does not reach the model, everything else does as it is."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from secret_texts import AWS, HARMLESS, RANDOM, TOKENS
from sweeps import sweep

from hookrun import HookRunner, wrap_tool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from conftest import Project

    Load = Callable[[str], ModuleType]

BUNDLED = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BEGIN, END = ("-----BEGIN RSA " + "PRIVATE KEY-----", "-----END RSA " + "PRIVATE KEY-----")
CUT_OFF = "\n".join([BEGIN, "Proc-Type: 4,ENCRYPTED", "", RANDOM * 2, RANDOM * 2])
KEY = f"{CUT_OFF}\n{END}"


@pytest.fixture
def runner(project: Project) -> Iterator[HookRunner]:
    """A runner of a project that has copied the hook, as `hookrun new redact` does."""
    for folder, names in {"manifests": ["redact.json"], "scripts": ["redact.py", "secret_patterns.py"]}.items():
        for name in names:
            target = project.path(f".hookrun/{folder}/{name}")
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(os.path.join(BUNDLED, folder, name), target)
    environment = project.environ | {"HOOKRUN_TRUST": "project"}
    with HookRunner.discover(project.folder, env=environment) as made:
        assert made.problems == ()
        yield made


@sweep("text", TOKENS.values(), ids=TOKENS.keys())
def test_a_secret_is_replaced_and_its_surroundings_stay(load: Load, text: str) -> None:
    shown = load("redact").redacted(f"before\n{text}\nafter")
    assert shown.startswith("before\n")
    assert shown.endswith("\nafter")
    assert "[REDACTED " in shown
    assert not any(part in shown for part in (RANDOM[:12], AWS))


@sweep("text", HARMLESS.values(), ids=HARMLESS.keys())
def test_what_is_no_secret_stays_as_it_is(load: Load, text: str) -> None:
    assert load("redact").redacted(text) == text


@pytest.mark.parametrize("value", ["Tr0ub4dor&3xyz", "Passw0rd!2024x", "winter-2025-Ska"])
def test_a_password_that_people_make_up_is_replaced(load: Load, value: str) -> None:
    assert value not in load("redact").redacted(f'password = "{value}"')


@pytest.mark.parametrize("value", ["aaaabbbb1111", "abcabcabc123", "test1test1test1"])
def test_a_value_that_repeats_itself_is_no_password(load: Load, value: str) -> None:
    assert load("redact").redacted(f'password = "{value}"') == f'password = "{value}"'


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"key = {AWS}!", "key = [REDACTED AWS access key]!"),
        (f'password = "{RANDOM[:16]}"', 'password = "[REDACTED password]"'),
        (f"postgres://app:{RANDOM[:14]}@db/app", "postgres://app:[REDACTED password in an address]@db/app"),
        (f"a\n{KEY}\nb", "a\n[REDACTED private key]\nb"),
        (f"a\n{CUT_OFF}\nb", "a\n[REDACTED private key]\nb"),
        (KEY.replace("\n", "\\n"), "[REDACTED private key]"),
        (f"{KEY}\n{KEY}", "[REDACTED private key]\n[REDACTED private key]"),
        (f'token = "{TOKENS["github"]}"', 'token = "[REDACTED GitHub token]"'),
        ("", ""),
    ],
)
def test_the_kind_of_a_secret_is_named(load: Load, text: str, shown: str) -> None:
    assert load("redact").redacted(text) == shown


def test_many_keys_that_were_cut_off_take_no_time_to_speak_of(load: Load) -> None:
    text = ("-----BEGIN " + "PRIVATE KEY-----\n") * 2000
    assert load("redact").redacted(text).count("[REDACTED private key]") == 2000


def test_what_has_been_redacted_stays_so(load: Load) -> None:
    once = load("redact").redacted("\n".join(TOKENS.values()))
    assert load("redact").redacted(once) == once


@pytest.mark.parametrize(
    ("begin", "inner", "end"),
    [('password = "', "ghp_" + RANDOM, '-tail9Z!x"'), ('api_key: "head7Q', AWS, '"'), ('"token": "a1!', AWS, 'z9Y"')],
)
def test_of_secrets_that_overlap_nothing_is_left(load: Load, begin: str, inner: str, end: str) -> None:
    shown = load("redact").redacted(f"x {begin}{inner}{end} y")
    value = f"{begin}{inner}{end}".split('"')[-2]
    assert not any(value[at : at + 4] in shown for at in range(len(value) - 3))
    assert shown.startswith("x ")
    assert shown.endswith(" y")
    assert shown.count("[REDACTED ") == 1


def test_content_and_details_of_a_result_are_redacted(runner: HookRunner) -> None:
    image = {"type": "image", "data": "aGk="}
    content = [{"type": "text", "text": f"a {AWS}"}, image]
    details = {"stdout": [f"b {AWS}", 1, None], AWS: True}
    decision = runner.emit("post", tool="bash", fields={"content": content, "details": details})
    assert decision.result == {
        "content": [{"type": "text", "text": "a [REDACTED AWS access key]"}, image],
        "details": {"stdout": ["b [REDACTED AWS access key]", 1, None], "[REDACTED AWS access key]": True},
    }


def test_secrets_that_are_keys_are_redacted_and_no_item_is_lost(load: Load) -> None:
    shown = load("redact")._without_secrets({AWS: 1, f"{AWS} ": {AWS: [AWS]}, AWS[:-1] + "Z": 2})
    assert AWS not in str(shown)
    assert list(shown.values()) == [1, {"[REDACTED AWS access key]": ["[REDACTED AWS access key]"]}, 2]


def test_a_secret_in_json_that_is_a_text_is_redacted(runner: HookRunner) -> None:
    password = RANDOM[:16]
    escaped = "\\u0041" + AWS[1:]
    for text in (
        json.dumps({AWS: 1}),
        json.dumps(json.dumps({"password": password})),
        json.dumps({"a": json.dumps({"b": json.dumps({"password": password})})}),
        f'["{escaped}"]',
        f'{{"{escaped}": {{"x": "{escaped}"}}}}',
    ):
        decision = runner.emit("post", tool="bash", tool_output=text)
        assert decision.result is not None, text
        shown = json.dumps(decision.result)
        assert not any(secret in shown for secret in (AWS[1:], password)), shown
        json.loads(decision.result["content"][0]["text"])


def test_json_without_secrets_stays_as_it_was_written(load: Load) -> None:
    text = '{ "a":"\\u0041",\n"b" : [ "{}" ] }'
    assert load("redact")._without_secrets(text) == text


def test_a_result_without_secrets_is_no_result(runner: HookRunner) -> None:
    decision = runner.emit("post", tool="bash", tool_output="nothing")
    assert (decision.result, [answer.status for answer in decision.answers]) == (None, ["ran"])


def test_an_output_is_redacted_beyond_what_other_hooks_see_of_it(runner: HookRunner) -> None:
    decision = runner.emit("post", tool="bash", tool_output="x" * 20_000 + f" {AWS} end")
    assert decision.result is not None
    assert decision.result["content"][0]["text"].endswith("x [REDACTED AWS access key] end")


def test_the_error_of_a_tool_is_redacted(runner: HookRunner) -> None:
    decision = runner.emit("fail", tool="bash", tool_error=f"denied for {AWS}")
    assert decision.result == {"content": [{"type": "text", "text": "denied for [REDACTED AWS access key]"}]}


def test_a_wrapped_tool_returns_what_is_left(runner: HookRunner) -> None:
    def read(path: str) -> Any:
        return {"text": [f"key {AWS}"]} if path == "json" else f"key {AWS}"

    wrapped = wrap_tool(read, runner)
    assert wrapped("text") == "key [REDACTED AWS access key]"
    assert wrapped("json") == {"text": ["key [REDACTED AWS access key]"]}
