"""A shell line -> the simple commands in it, as far as that can be told without running it. Pure."""

from __future__ import annotations

from hookrun.model.frozen import Frozen

_SEPARATORS = ";&|\n(){}"
_KEYWORDS = ("then", "do", "else", "elif", "if", "while", "until", "!", "time")
# What starts the command among its arguments.
_WRAPPERS = ("timeout", "nice", "nohup", "stdbuf", "command", "exec", "env", "xargs", "sudo")
# `git push>log` and `>log git push` are `git push`; a number is a descriptor where it is a word of its own.
_REDIRECTION = r"(?:(?<!\S)\d+|&)?(?:>>|>\||>&|>|<>|<&|<)\s*[^\s<>]*"
_UNKNOWABLE = (
    *("eval", "source", ".", "bash", "sh", "dash", "ksh", "zsh", "fish", "busybox", "exec"),
    *("xargs", "parallel", "sudo", "doas", "su", "env", "watch"),
)


class ShellLine(Frozen):
    """``commands`` are the texts of the simple commands; ``is_certain`` says that there are no others."""

    commands: tuple[str, ...]
    is_certain: bool = True


def simple_commands(text: str) -> ShellLine:
    """Return the simple commands of *text*, each also without redirections, and without assignments and
    wrappers before it.

    What is substituted, evaluated or read from a heredoc can run anything: then it is not certain.
    """
    pieces, is_certain = _pieces(text)
    commands: dict[str, None] = {}
    for piece in pieces:
        bare = _without_keywords(piece)
        stripped = _without_prefixes(bare)
        redirected = _without_keywords(_without_redirections(piece))
        plain = _without_prefixes(redirected)
        commands.update(dict.fromkeys(filter(None, (bare, stripped, plain))))
        is_certain = is_certain and _is_known(bare, stripped)
        is_certain = is_certain and (redirected == bare or _is_known(redirected, plain))
    return ShellLine(commands=tuple(commands), is_certain=is_certain)


def _is_known(bare: str, stripped: str) -> bool:
    """Say whether *stripped* is the command that *bare* runs: nothing before it may run another one, and the
    word after an option of a wrapper may be the option's value."""
    words = bare.split(" ")
    before = len(words) - len(stripped.split(" "))
    started = (word.rpartition("/")[2] for word in words[: before + 1])
    is_value = before > 0 and words[before - 1].startswith("-")
    return not (is_value or stripped.startswith(("$", '"', "'", "-")) or any(word in _UNKNOWABLE for word in started))


def _hides_commands(text: str) -> bool:
    """Say whether *text* may run commands that cutting it does not find."""
    return any(sign in text for sign in ("<<", "`", "$(", "<(", "$'"))


def _quote_after(sign: str, quote: str) -> str:
    """Return the quote that is open behind the quote *sign*, where *quote* was open before it."""
    if not quote:
        return sign
    return "" if sign == quote else quote


def _separates(text: str, place: int, quote: str) -> bool:
    """Say whether the sign at *place* ends a command, inside of *quote* ("" for none)."""
    sign = text[place]
    if sign == "`":
        return quote != "'"
    return sign in _SEPARATORS and not quote and not _is_redirection(text, place)


def _pieces(text: str) -> tuple[list[str], bool]:
    """Return *text* cut at everything that ends a command outside of quotes, and whether it is certain."""
    pieces = [""]
    quote = ""
    is_comment = False  # what is quoted in it is not
    is_certain = not _hides_commands(text)
    place = 0
    while place < len(text):
        sign = text[place]
        taken = sign
        is_comment = sign != "\n" and (is_comment or _is_comment(text, place, quote))
        if sign == "\\" and quote != "'" and not is_comment:
            taken = text[place : place + 2]
            if taken == "\\\n":  # the line goes on
                place += 2
                continue
        elif sign in " \t" and not quote:
            taken = " "
            if pieces[-1].endswith(" "):
                place += 1
                continue
        elif sign in "'\"" and not is_comment:
            quote = _quote_after(sign, quote)
        elif _separates(text, place, quote):
            pieces.append("")
            place += 1
            continue
        pieces[-1] += taken
        place += len(taken)
    return [*filter(None, map(str.strip, pieces))], is_certain and not quote


def _is_comment(text: str, place: int, quote: str) -> bool:
    """Say whether a comment begins at *place*, inside of *quote* ("" for none)."""
    return text[place] == "#" and not quote and (not place or text[place - 1] in f" \t{_SEPARATORS}")


def _is_redirection(text: str, place: int) -> bool:
    """Say whether an ampersand belongs to a redirection: ``2>&1``, ``&>file``."""
    return text[place] == "&" and (text[place - 1 : place] in (">", "<") or text[place + 1 : place + 2] == ">")


def _without_redirections(piece: str) -> str:
    if ">" not in piece and "<" not in piece:
        return piece
    import re

    return re.sub(_REDIRECTION, " ", piece).strip()


def _without_keywords(piece: str) -> str:
    words = piece.split(" ")
    while words and (words[0] in _KEYWORDS or not words[0]):
        words = words[1:]
    return " ".join(words)


def _without_prefixes(piece: str) -> str:
    words = piece.split(" ")
    while words and (_is_assignment(words[0]) or words[0] in _WRAPPERS or not words[0]):
        is_wrapper = words[0] in _WRAPPERS
        words = words[1:]
        while is_wrapper and words and (words[0].startswith("-") or words[0][:1].isdigit()):
            words = words[1:]
    return " ".join(words)


def _is_assignment(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()
