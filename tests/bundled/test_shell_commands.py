"""What three guards share: which simple commands a command line would run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies
from sweeps import sweep

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    Load = Callable[[str], ModuleType]


def words(load: Load, text: str, **variables: str) -> list[list[str]]:
    found: list[Any] = load("shell_commands").commands(text, "/p", {"HOME": "/home/me", **variables})
    return [[str(word) for word in command.words] for command in found if command.words]


@sweep(
    ("text", "expected"),
    [
        ("a b", [["a", "b"]]),
        ("a && b || c; d & e | f", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]),
        ("a |\n b", [["a"], ["b"]]),
        ("a 'b c' \"d e\" f\\ g", [["a", "b c", "d e", "f g"]]),
        ("r''m \"\"", [["rm", ""]]),
        ("$'\\x72m' $'a\\tb'", [["rm", "a\tb"]]),
        ("a # b\nc", [["a"], ["c"]]),
        ("a b#c", [["a", "b#c"]]),
        ("a \\\n b", [["a", "b"]]),
        ("X=1 a", [["a"]]),
        ("X=(a b) c", [["c"]]),
        ("a ~ ~/b '~'", [["a", "/home/me", "/home/me/b", "~"]]),
        ("a {b,c}/{d,e}", [["a", "b/d", "c/d", "b/e", "c/e"]]),
        ("a '{b,c}'", [["a", "{b,c}"]]),
    ],
)
def test_words_are_read_as_a_shell_reads_them(load: Load, text: str, expected: list[list[str]]) -> None:
    assert words(load, text) == expected


@sweep(
    ("text", "expected"),
    [
        ("X=/; a $X ${X}b", ["a", "/", "/b"]),
        ("X='b c'; a $X", ["a", "b", "c"]),
        ("X='b c'; a \"$X\"", ["a", "b c"]),
        ("export X=b; a $X", ["a", "b"]),
        ("for x in b c; do a $x; done", ["a", "b", "c"]),
        ("a $UNKNOWN", ["a", "$UNKNOWN"]),
        ("a '$HOME'", ["a", "$HOME"]),
        ("a ${HOME%/}", ["a", "/home/me"]),
        ("a ${UNKNOWN:-b}", ["a", "b"]),
        ("a ${UNKNOWN:?b}", ["a", "${UNKNOWN:?b}"]),
        ("a $PWD", ["a", "/p"]),
    ],
)
def test_what_is_known_of_variables_is_filled_in(load: Load, text: str, expected: list[str]) -> None:
    assert words(load, text)[-1] == expected


@sweep(
    "text",
    [
        "a; rm x",
        "(rm x)",
        "{ rm x; }",
        "! rm x",
        "if a; then b; else rm x; fi",
        "while a; do rm x; done",
        "for y in 1 2; do rm x; done",
        "case $y in a) rm x;; esac",
        "case $y in a|b) c;; (d) rm x;; esac",
        "case $y in\n  # note\n  *) rm x\nesac",
        "f() { rm x; }",
        "function f { rm x; }",
        "f () (rm x)",
        "[[ -f a && b == (c|d) ]] && rm x",
        "((i++)); rm x",
        "echo $((1<<3)); rm x",
        "echo $(rm x)",
        "echo $(a; (b); rm x)",
        'echo "$(rm x)"',
        "echo `rm x`",
        'echo "`rm x`"',
        "echo $(echo `rm x`)",
        "echo ${a:-$(rm x)}",
        "y=$(rm x)",
        "y=(a $(rm x))",
        "cat <(rm x)",
        "a > $(rm x)",
        "cat <<E\n$(rm x)\nE",
        "bash <<'E'\nrm x\nE",
        "cat <<'E' | sh\nrm x\nE",
        "bash <<< 'rm x'",
        "echo 'rm x' | sh",
        "printf '%s' 'rm x' | sudo bash",
        "bash -c 'rm x'",
        "bash -lc 'rm x'",
        "bash -euo pipefail -c 'rm x'",
        "bash -c \"bash -c 'rm x'\"",
        "eval 'rm x'",
        "eval rm x",
        "trap 'rm x' EXIT",
        "ssh -p 22 host 'rm x'",
        "su - user -c 'rm x'",
        "sudo -u root rm x",
        "sudo -E env -u A B=1 rm x",
        "env -S 'rm x'",
        "nohup nice -n 5 timeout -s KILL 5 rm x",
        "time -p rm x",
        "command rm x",
        "exec -a y rm x",
        "xargs -n 1 rm x",
        "echo x | xargs rm",
        "find . -exec rm x \\;",
        "busybox rm x",
        "uv run rm x",
        "a <<E; rm x\nbody\nE",
        "a <<-E\n\tbody\n\tE\nrm x",
        "a <<E <<F\n1\nE\n2\nF\nrm x",
        "echo a#b; rm x",
        "echo ')' ; rm x",
        "X='rm x'; $X",
    ],
)
def test_a_command_is_found_wherever_it_hides(load: Load, text: str) -> None:
    assert ["rm", "x"] in words(load, text)


@sweep(
    "text",
    [
        "echo rm x",
        "echo 'a; rm x'",
        'echo "a; rm x"',
        "cat <<E\nrm x\nE",
        "cat <<'E'\n$(rm x)\nE",
        "echo '$(rm x)'",
        "echo \\$\\(rm x\\)",
        "bash -n <<E\nrm x\nE",
        "bash script <<E\nrm x\nE",
        "python3 -c 'rm x'",
        "a # ; rm x",
        "command -v rm x",
        "[[ rm == x ]]",
    ],
)
def test_data_is_no_command(load: Load, text: str) -> None:
    assert ["rm", "x"] not in words(load, text)
    assert ["rm", "x"] in words(load, f"{text}\nrm x")


@sweep(
    "text",
    [
        "a 'b",
        'a "b',
        "a `b",
        "a $(b",
        "a ${b",
        "(a",
        "a )",
        "a >",
        "a $'b",
        "[[ a",
        "case a in b",
        "$(" * 30 + ")" * 30,
    ],
)
def test_a_text_that_is_no_whole_command_line_is_unreadable(load: Load, text: str) -> None:
    with pytest.raises(load("shell_words").Unreadable):
        load("shell_commands").commands(text, "/p")


@sweep(
    ("text", "folders"),
    [
        ("x", ("/p",)),
        ("cd a && x", ("/p/a",)),
        ("cd a && cd .. && cd /b && x", ("/b",)),
        ("cd a; x", ("/p/a", "/p")),
        ("set -e; cd a; x", ("/p/a",)),
        ("cd a || exit 1; x", ("/p/a",)),
        ("cd a || echo no; x", ("/p/a", "/p")),
        ("(cd a && y); x", ("/p",)),
        ("cd && x", ("/home/me",)),
        ("cd $UNKNOWN && x", (None,)),
        ("cd - && x", (None,)),
        ("cd a && bash -c 'cd b && x'", ("/p/a/b",)),
    ],
)
def test_a_command_runs_in_the_folder_that_cd_leads_to(load: Load, text: str, folders: tuple[str | None, ...]) -> None:
    found = load("shell_commands").commands(text, "/p", {"HOME": "/home/me"})
    assert next(command.folders for command in found if command.name == "x") == folders


@pytest.mark.parametrize(
    ("text", "upstream"),
    [
        ("a | b | x", ["a", "b"]),
        ("a; b | x", ["b"]),
        ("a | (b; x)", ["a"]),
        ("(a; b) | x", ["a", "b"]),
        ("{ a; } | x", ["a"]),
        ("a && x", []),
        ("a | b; x", []),
    ],
)
def test_a_command_knows_what_is_piped_into_it(load: Load, text: str, upstream: list[str]) -> None:
    found = load("shell_commands").commands(text, "/p")
    command = next(command for command in found if command.name == "x")
    assert [one.name for one in command.upstream] == upstream


@sweep(
    ("text", "expected"),
    [
        ("bash", ("stdin", "")),
        ("bash -s -- -y", ("stdin", "")),
        ("bash -n", ("", "")),
        ("bash -x a b", ("file", "a")),
        ("bash -c a b", ("code", "a")),
        ("python3", ("stdin", "")),
        ("python3.11 -", ("stdin", "")),
        ("python3 -m json.tool", ("", "")),
        ("python3 -c a", ("code", "a")),
        ("node -e a", ("code", "a")),
        ("perl -ne a", ("code", "a")),
        ("ls", ("", "")),
    ],
)
def test_an_interpreter_tells_where_its_program_comes_from(load: Load, text: str, expected: tuple[str, str]) -> None:
    module = load("shell_commands")
    assert module.program(module.commands(text, "/p")[0]) == expected


def test_a_large_text_is_read_in_a_single_pass(load: Load) -> None:
    text = "cat <<E\n" + "line of text $HOME\n" * 20_000 + "E\n" + "a 'b' && " * 2_000 + "c"
    assert len(words(load, text)) == 2_002


PARTS = [
    *"a rm ' \" $ ( ) { } $( ` < > <<E | & && || ; ;; = + # * ~ \\ ${ [[ ]] (( )) X= $X $'".split(),
    *"case in esac if then fi for do done function eval xargs sudo env -S".split(),
    *("\n", " ", "\nE\n", "bash -c", "find . -exec"),
]


@given(strategies.lists(strategies.sampled_from(PARTS), max_size=25))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_either_split_or_unreadable(load: Load, parts: list[str]) -> None:
    unreadable = load("shell_words").Unreadable
    for text in ("".join(parts), " ".join(parts)):
        try:
            found = load("shell_commands").commands(text, "/p")
        except unreadable:
            continue
        assert all(command.folders for command in found)
