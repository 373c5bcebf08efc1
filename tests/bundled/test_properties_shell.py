"""What holds for taking a command line apart: however a command is wrapped, a guard gets to see it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    Load = Callable[[str], ModuleType]

WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6)
COMMANDS = st.lists(WORDS, max_size=3).map(lambda words: ["target", *words])

# Each makes a longer command line of one in which the command stands; none of them hides it.
WRAPPINGS: list[Callable[[str], str]] = [
    lambda text: f"( {text} )",
    lambda text: f"{{ {text}; }}",
    lambda text: f"! {text}",
    lambda text: f"if true; then {text}; fi",
    lambda text: f"while {text}; do :; done",
    lambda text: f"for x in 1 2; do {text}; done",
    lambda text: f"case x in x) {text};; esac",
    lambda text: f"f() {{ {text}; }}; f",
    lambda text: f"echo $( {text} )",
    lambda text: f'echo "a $( {text} ) b"',
    lambda text: f"X=$( {text} ) other",
    lambda text: f"cat <( {text} )",
    lambda text: f"true && {text} || false",
    lambda text: f"{text} | cat; true",
    lambda text: f"true\n{text}\n",
    lambda text: f"{{ sleep 1 & {text} & }}",
    lambda text: f"bash -c {shlex.quote(text)}",
    lambda text: f"sudo -u root sh -ec {shlex.quote(text)}",
    lambda text: f"eval {shlex.quote(text)}",
    lambda text: f"env A=1 nice -n 5 bash -c {shlex.quote(text)}",
    lambda text: f"timeout 5 sh -c {shlex.quote(text)}",
    lambda text: f"bash <<'E {len(text)}'\n{text}\nE {len(text)}\n",
    lambda text: f"cat > /dev/null <<E\nbody\nE\n{text}",
]
PREFIXES = st.sampled_from(["", "A=1 ", "2>/dev/null ", "sudo ", "env -i B=2 ", "nohup nice ", "time ", "xargs -n 1 "])


def found(load: Load, text: str) -> list[list[str]]:
    commands: list[Any] = load("shell_commands").commands(text, "/p", {"HOME": "/home/me"})
    return [[str(word) for word in command.words] for command in commands]


@given(command=COMMANDS, prefix=PREFIXES, wrappings=st.lists(st.sampled_from(WRAPPINGS), max_size=4))
@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_command_is_found_with_all_its_words_however_it_is_wrapped(
    load: Load, command: list[str], prefix: str, wrappings: list[Callable[[str], str]]
) -> None:
    text = prefix + shlex.join(command)
    for wrap in wrappings:
        text = wrap(f"{{ {text}\n}}" if "\n" in text else text)
    assert command in found(load, text), text


@given(
    commands=st.lists(COMMANDS, min_size=1, max_size=5),
    joiners=st.lists(
        st.sampled_from(["; ", " && ", " || ", " | ", " & ", "\n", ";\n\n", " |& "]), min_size=5, max_size=5
    ),
)
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_joined_commands_are_found_one_by_one_in_their_order(
    load: Load, commands: list[list[str]], joiners: list[str]
) -> None:
    text = "".join(shlex.join(command) + joiner for command, joiner in zip(commands, joiners, strict=False))
    assert found(load, text.rstrip("|& ")) == commands


SIGNS = st.sampled_from([*"ab01 '\"$(){}<>|&;=#*~\\`!-\n\t\r\f\v\xa0\x1f\u2028", "<<", "$(", "[[ ", "case ", " in "])


@given(text=st.lists(SIGNS, max_size=30).map("".join) | st.text(max_size=30))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_split_or_said_to_be_unreadable(load: Load, text: str) -> None:
    try:
        commands = found(load, text)
    except load("shell_words").Unreadable:
        return
    assert all(isinstance(word, str) for words in commands for word in words)
